"""holding_load: forces and torques that hold a mechanism at rest in a given pose, by virtual work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compilation import compiling
from ..errors import MethodError, ModelError, ResidualError, SingularError, nearest, shown
from ..kernels.outputs import TERMS
from ..model.auxiliary import refuse_states
from ..model.body import Body
from ..model.driver import Driver
from ..model.expression import Expr
from ..model.forces import Force
from ..model.joints import Joint
from ..model.measure import Measure
from ..model.mechanism import Mechanism
from ..model.output_units import read_units
from ..model.reading import listed
from ..options.call import verb
from ..state import State, state_of
from ..system.subspaces import factor, null_space
from .driven.of_bodies import free_coordinates
from .driven.path import scaled_columns
from .mobility import mobility
from .pose.pose import Pose, read_mechanism

if TYPE_CHECKING:
    from .equilibrium import Equilibrium

# speeds (1/s, in lengths of the model) below which a pose is at rest
REST = 1e-9
# share of a load that must do work on a free motion; below it the load does none
WORK = 1e-9
ACCEPTED = "an unknown load is a force, a driver or a measure along which it acts: its name or the part itself, or a list of them"
UNITS = {"m": "N", "m/s": "N", "rad": "N m", "rad/s": "N m"}


@dataclass(frozen=True, eq=False)
class HeldLoad:
    """An unknown load: positive where it pushes its measure upwards (a point force: along the direction it was given).

    Attributes
    ----------
    value
        From virtual work, all reactions eliminated.
    multiplier
        The same as minus the multiplier of a driver that would hold the measure.
    low, high
        With dry friction that sticks: the smallest and the largest load that hold the pose; `value` is that without friction.
    """

    name: str
    along: str
    unit: str
    value: float
    multiplier: float
    low: float | None = None
    high: float | None = None

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"<holding load {self.name!r}: {self.value:.9g} {self.unit} along {self.along}>"


@dataclass(frozen=True, eq=False, repr=False)
class HoldingLoads:
    """Loads that hold a pose: `held["P"].value`; with a single unknown also `held.value` and `float(held)`."""

    model: Mechanism = field(repr=False)
    state: State
    loads: dict[str, HeldLoad]
    freedoms: int
    singular: str = ""  # what is singular in this pose, if anything is

    def __getitem__(self, name: Any) -> HeldLoad:
        key = getattr(name, "name", name)
        if isinstance(key, str) and key in self.loads:
            return self.loads[key]
        raise ModelError(
            f"holding load {shown(key)}", "it was not among the unknowns", nearest(key, self.loads), "use one of them"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.loads)

    def __len__(self) -> int:
        return len(self.loads)

    @property
    def value(self) -> float:
        """The load, when there is only one."""
        if len(self.loads) != 1:
            found = f"{len(self.loads)} loads: {', '.join(self.loads)}"
            raise ModelError("value of holding loads", found, "one value is for one load", "name it: held['P'].value")
        return next(iter(self.loads.values())).value

    def __float__(self) -> float:
        return self.value

    @property
    def spread(self) -> float:
        """Largest difference between virtual work and multipliers."""
        return max(abs(x.value - x.multiplier) for x in self.loads.values())

    def __str__(self) -> str:
        """Table of the loads."""
        n = self.freedoms
        lines = [
            f"holding loads of {self.model.name!r} at rest, t = {self.state.t:g} s, {n} free motion{'s' if n != 1 else ''} held",
            f"{'load':<16}{'along':<24}{'virtual work':>16}{'multiplier':>16}  unit",
        ]
        for x in self.loads.values():
            unit, factor = read_units("holding load", self.model.units).of(x.unit)
            pair = f"{x.value * factor:>16.9g}{x.multiplier * factor:>16.9g}"
            lines.append(f"{x.name:<16}{x.along:<24}{pair}  {unit}".rstrip())
            if x.low is not None and x.high is not None:
                lines.append(f"  friction holds it from {x.low * factor:.9g} to {x.high * factor:.9g} {unit}")
        if self.singular:
            lines.append(f"{self.singular}: the loads are those of this very pose, beside it others hold")
        return "\n".join(lines)

    __repr__ = __str__


@dataclass
class _Unknown:
    """An unknown as read: the part of the model (None for an expression of measures), and the measures along which it acts."""

    name: str
    part: Any
    measures: list[Measure]

    @property
    def along(self) -> str:
        if self.part is None:
            return "its value"
        return self.measures[0].name if len(self.measures) == 1 else "its given direction"


@verb
def holding_load(model: Mechanism, unknown: Any, *, state: State | Equilibrium | None = None) -> HoldingLoads:
    """Unknown forces or torques that hold a pose at rest (principle of virtual work).

    Applied forces do no work in any motion that the joints allow: N^T (Q + sum of g F) = 0, N the free motions (J N = 0) and g the row
    of what F acts along.  Reactions do not appear.  The result is compared with the multiplier of a driver that holds the pose.

    Parameters
    ----------
    model
        The mechanism.
    unknown
        One name or a list: force elements (their value is the unknown; of a point force its size, in the given direction), drivers
        (their force or torque), or measures along which a load acts: "P", "motor", "O.angle", `m["slider"].x`.
        One for each degree of freedom.
    state
        The pose, at rest: a state, an equilibrium or an assembly; default: the drawing, assembled.

    Returns
    -------
    HoldingLoads
        `held["P"].value`, `.multiplier`, `.unit`; prints as a table.  In a singular position (a dead centre) `.singular` says so.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("lever", plane=True, gravity=(0, -10))
    >>> lever = m.body("lever", mass=0.0, inertia=0.0)
    >>> pin = m.revolute("A", m.ground, lever, at=(0, 0))
    >>> load = m.body("load", mass=3.0, inertia=0.1, at=(-1, 0))
    >>> weld = m.fixed("B", lever, load, at=(-1, 0))
    >>> hand = m.force("hand", lever, (0, -1), at=(2, 0))
    >>> round(da.holding_load(m, "hand").value, 9)
    15.0
    """
    read_mechanism(f"holding_load({shown(model, 40)})", model)
    asked = f"holding_load({model.name!r})"
    refuse_states(
        asked,
        model,
        "a pose that is held does not tell the values of the states in its laws",
        "put numbers in place of the states, or read loads of a run with da.simulate",
    )
    wanted = _read(asked, model, unknown)

    with compiling(), np.errstate(all="ignore"):
        from .rest.held import check_open

        given = state_of(state)
        # a given pose at rest need not follow the rates of drivers that are unknown: see _check_rest
        still = isinstance(given, State) and not np.any(given.v)
        extra = [m for u in wanted for m in u.measures]
        pose = Pose.of(model, given, asked=asked, extra=extra, consistent=not still)
        if still:
            pose.check_positions(asked, "drawing")
        _check_rest(asked, pose, wanted)
        if model.stops_at_work:
            check_open(asked, model, pose.state)
        found = _solve(asked, model, wanted, pose)
        return _with_friction(asked, found, wanted) if model.frictions else found


def _with_friction(asked: str, found: HoldingLoads, wanted: list[_Unknown]) -> HoldingLoads:
    """The ranges of loads that dry friction leaves."""
    from .rest.held import load_range

    one = wanted[0]
    if len(wanted) > 1 or len(one.measures) > 1 or isinstance(one.part, Force):
        why = "with dry friction the range of one load along a measure, or of a driver, is found"
        raise MethodError(asked, f"unknown: {', '.join(x.name for x in wanted)}", why, "name a measure or a driver")
    driver = one.name if isinstance(one.part, Driver) else ""
    low, high = load_range(asked, found.model, one.measures[0], found.state, driver)
    return replace(found, loads={one.name: replace(found.loads[one.name], low=low, high=high)})


def _read(asked: str, model: Mechanism, unknown: Any) -> list[_Unknown]:
    items = [unknown] if isinstance(unknown, str | Measure | Driver | Force | Joint | Body | Expr) else listed(unknown)
    if not isinstance(items, list | tuple):
        raise MethodError(asked, f"unknown = {shown(unknown)}", ACCEPTED, _example(model))
    if not items:
        raise MethodError(asked, f"unknown = {shown(unknown)}", "there is nothing to find", _example(model))
    found = [_read_one(asked, model, item) for item in items]
    names = [u.name for u in found]
    twice = [n for n in names if names.count(n) > 1]
    if twice:
        raise MethodError(asked, f"{twice[0]!r} twice", "it is one unknown", "name each unknown once")
    return found


def _example(model: Mechanism) -> str:
    """What to do: names that this mechanism has."""
    names = [part.name for kind in ("driver", "force") for part in model.parts(kind)]
    names += [f"{joint.name}.{name}" for joint in model.parts("joint") for name in joint.coordinates()]
    return f"name one of them: {', '.join(map(repr, names[:4]))}" if names else "add a force or a driver, and name it"


def _read_one(asked: str, model: Mechanism, item: Any) -> _Unknown:
    part = item
    if isinstance(item, str):
        part = model[item] if item in model else model.find_measure(item)
        if part is None and any(sign in item for sign in "+-*/("):
            return _Unknown(item, None, [model.read_coordinate(asked, item)])
        if part is None:
            known = [p.name for kind in ("force", "driver", "measure") for p in model.parts(kind)]
            joints = [f"{p.name}.{c}" for p in model.parts("joint") for c in p.coordinates()]
            raise ModelError(
                asked,
                f"unknown {shown(item)}",
                f"no force, driver or measure is called so; {nearest(item, [*known, *joints])}",
                "use one of the known names",
            )
    if not isinstance(part, Measure | Driver | Force | Joint | Body | Expr):
        raise MethodError(asked, f"unknown {shown(item)} of type {type(item).__name__}", ACCEPTED, _example(model))
    if getattr(part, "model", model) is not model:
        raise ModelError(asked, f"{part!r}", "it belongs to another mechanism", "use parts of one mechanism")
    if isinstance(part, Driver):
        return _Unknown(part.name, part, [part.measure])
    if isinstance(part, Force):
        measures = [measure for measure, _ in part.elements()]
        if len(measures) > 1 and not part.vector:
            raise ModelError(
                asked,
                f"unknown {part.name!r}, {part.tag} with {len(measures)} components",
                "its load is not a single number",
                "name one of its measures, or a force or actuator of its own",
            )
        return _Unknown(part.name, part, measures)
    measure = model.read_coordinate(asked, part)
    return _Unknown(measure.name, measure, [measure])


def _check_rest(asked: str, pose: Pose, wanted: list[_Unknown]) -> None:
    """Refuse a pose that moves, or in which a driver that stays would move it."""
    active, columns = scaled_columns(pose.system)
    speed = np.zeros(pose.system.nv)
    speed[active] = np.abs(pose.v[active]) / columns
    moved = bool(np.max(speed, initial=0.0) > REST)
    unknown = {u.name for u in wanted if isinstance(u.part, Driver)} if not moved else set()
    rates = [(row, x) for row, x in zip(pose.rows, pose.nu) if abs(x) > REST and row.part not in unknown]
    if not moved and not rates:
        return
    bodies = speed.reshape(-1, pose.system.builder.width).max(axis=1)
    moving = [name for name, x in zip(pose.system.body_names, bodies) if x > REST]
    found = (
        [f"{', '.join(map(repr, moving[:4]))} move{'s' if len(moving) == 1 else ''} at t = {pose.t:g} s"]
        if moving
        else []
    )
    found += [f"driver {row.part!r} at {x:.4g} {row.unit}/s" for row, x in rates[:4] if row.drive is not None]
    raise MethodError(
        asked,
        "; ".join(found) or f"rows with a rate at t = {pose.t:g} s",
        "a holding load belongs to a pose at rest; in motion inertia takes part",
        "give a pose without velocities (constant drivers, state=da.State(t, q, 0 * v)), or use da.inverse_dynamics for the motion",
    )


def _singular(pose: Pose, drivers: set[str]) -> str:
    """What makes the pose a singular one, with names; "" where it is none.  Drivers that are unknown do not count."""
    if not pose.dropped.any():
        return ""
    sets = [
        s for s in mobility(pose.system.model, pose.state).dependent if s.pose_only and not drivers & set(s.drivers)
    ]
    names = list(dict.fromkeys(name for found in sets for name in found.joints))
    listed = ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")
    return f"the pose is singular (a dead centre of {listed})" if names else ""


@dataclass
class _Balance:
    """Forces and unknown loads on scaled velocities, the rows that hold, and the free motions.

    By virtual work  free^T (force + loads F) = 0  for the sizes F of the unknown loads.
    """

    asked: str
    pose: Pose
    wanted: list[_Unknown]
    force: np.ndarray
    loads: np.ndarray
    jac: np.ndarray
    kept: list[int]  # rows that hold: those of unknown drivers do not
    free: np.ndarray
    active: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, asked: str, wanted: list[_Unknown], pose: Pose) -> _Balance:
        active, columns = scaled_columns(pose.system)
        force, loads = _given_and_unknown(asked, pose, wanted)
        drivers = _drivers(wanted)
        kept = [r for r, row in enumerate(pose.rows) if row.part not in drivers]
        jac = (pose.scale[:, None] * pose.jac.toarray())[kept][:, active] * columns
        made = columns * force[active], columns[:, None] * loads[active], jac, kept, null_space(jac)
        return cls(asked, pose, wanted, *made, active, columns)

    def full(self, x: np.ndarray) -> np.ndarray:
        """Velocities from scaled ones."""
        v = np.zeros(self.pose.system.nv)
        v[self.active] = self.columns * x
        return v

    def coordinates_of(self, motions: np.ndarray) -> list[str]:
        """Names of coordinates that change in some motions."""
        return free_coordinates(self.pose.system.model, self.pose.state, self.full, motions)

    @property
    def counted(self) -> str:
        return f"{len(self.wanted)} unknown{'s' if len(self.wanted) > 1 else ''}"

    def refuse_idle(self, idle: list[_Unknown]) -> None:
        """Loads that do no work in any free motion."""
        moves = self.coordinates_of(self.free)
        names = ", ".join(repr(u.name) for u in idle)
        found = f"{names} {'do' if len(idle) > 1 else 'does'} no work in any free motion of this pose"
        found += f" (free: {', '.join(map(repr, moves))})" if moves else ""
        motions = [self.full(x) for x in self.free.T]
        if any(_works_beside(self.asked, self.pose, u, motion, self.kept) for u in idle for motion in motions):
            raise SingularError(
                self.asked,
                found,
                "the pose is singular for this load (a dead centre): it acts across all that can move there, so that no size of it holds"
                " anything; reactions carry it",
                "move the pose off the dead centre, or choose another load",
            )
        raise MethodError(
            self.asked,
            found,
            "the load acts across all that can move, here and in poses nearby: no size of it holds anything, reactions carry it",
            "choose a load along what can move" + (f", for example {moves[0]!r}" if moves else ""),
        )

    def refuse_loose(self, loose: np.ndarray, rank: int) -> None:
        """Free motions in which no unknown does work, while the given forces do."""
        unheld, count = self.coordinates_of(self.free @ loose), self.free.shape[1]
        example = f", for example {unheld[0]!r}" if unheld else ""
        singular = _singular(self.pose, _drivers(self.wanted))
        if singular:
            raise SingularError(
                self.asked,
                f"{singular}: {count} free motions in it for {self.counted}; not held: {', '.join(map(repr, unheld))}",
                "there the mechanism can move in more ways than beside it, and each of them needs a load of its own",
                f"move the pose off the dead centre, or name more unknowns{example}",
            )
        raise MethodError(
            self.asked,
            f"{self.counted} for {count} free motions; not held: {', '.join(map(repr, unheld))}",
            "each free motion needs a load of its own, unless the given forces balance in it",
            f"name {count - rank} more unknown{'s' if count - rank > 1 else ''}{example}",
        )

    def check(self, values: np.ndarray) -> None:
        """Refuse loads with which no reactions balance every body: Q + sum of g F = J^T lam, without the free motions that F came from."""
        total, jac, system = self.force + self.loads @ values, self.jac, self.pose.system
        lam = np.linalg.lstsq(jac.T, total, rcond=None)[0] if len(jac) else np.zeros(0)
        terms = np.abs(self.force) + np.abs(self.loads) @ np.abs(values) + np.abs(jac).T @ np.abs(lam)
        off = np.abs(total - jac.T @ lam)
        # a balance that least squares find is off by the rounding of the largest load anywhere
        allowed = TERMS * terms + 1e-12 * float(np.max(terms, initial=0.0))
        if np.all(off <= allowed):
            return
        k = int(np.argmax(np.where(off <= allowed, 0.0, off)))
        c = int(self.active[k])
        unit, length = ("N m", 1.0) if system.kinds_of_velocity[c] else ("N", float(system.length))
        raise ResidualError(
            self.asked,
            f"body {system.body_names[c // system.builder.width]!r} is out of balance by {off[k] / length:.3g} {unit} of"
            f" {terms[k] / length:.3g} {unit}",
            "with the loads found, no reactions hold all bodies: they would be wrong",
            "take a pose beside this one, or other loads; if the model is sound this is a fault of the solver: please report it",
        )


def _drivers(wanted: list[_Unknown]) -> set[str]:
    return {u.name for u in wanted if isinstance(u.part, Driver)}


def _solve(asked: str, model: Mechanism, wanted: list[_Unknown], pose: Pose) -> HoldingLoads:
    b = _Balance.of(asked, wanted, pose)
    force, loads, free = b.force, b.loads, b.free
    sizes, work = np.linalg.norm(loads, axis=0), free.T @ loads
    if not free.shape[1]:
        raise MethodError(
            asked,
            f"{b.counted} and no free motion",
            "joints and drivers hold the mechanism already: no load is needed, and any would do",
            "name a driver as the unknown, or leave out the driver that holds the pose",
        )
    idle = [u for c, u in enumerate(wanted) if not np.linalg.norm(work[:, c]) > WORK * sizes[c]]
    if idle:
        b.refuse_idle(idle)
    scaled = work / sizes
    worked = factor(scaled, WORK)
    rank = worked.rank
    if rank < len(wanted):
        names, motions = ", ".join(repr(x.name) for x in wanted), "free motions" if free.shape[1] > 1 else "free motion"
        raise MethodError(
            asked,
            f"{len(wanted)} unknowns ({names}) for {free.shape[1]} {motions}, {rank} of them independent",
            "several sets of loads hold the pose: they can be shared in any proportion",
            f"name {rank} unknown{'s' if rank > 1 else ''}, and give the others their values",
        )
    values = np.linalg.lstsq(scaled, -(free.T @ force), rcond=None)[0] / sizes
    left = free.T @ (force + loads @ values)
    size = max(float(np.max(np.abs(force), initial=0.0)), float(np.max(np.abs(loads * values), initial=0.0)))
    if np.max(np.abs(left), initial=0.0) > 1e-8 * size:
        b.refuse_loose(worked.left, rank)
    b.check(values)
    # the same from the multipliers of drivers that hold what the loads act along: J^T lam = Q, load = -lam
    held = np.vstack([b.jac, (loads / sizes).T])
    lam = np.linalg.lstsq(held.T, force, rcond=None)[0][len(b.kept) :] / sizes
    # what is round-off beside the forces is nothing
    values, lam = (np.where(np.abs(x) * sizes > 1e-15 * size, x, 0.0) for x in (values, lam))
    made = {
        x.name: HeldLoad(x.name, x.along, UNITS.get(x.measures[0].unit, ""), float(f) + 0.0, float(-y) + 0.0)
        for x, f, y in zip(wanted, values, lam)
    }
    return HoldingLoads(model, pose.state, made, free.shape[1], _singular(pose, _drivers(wanted)))


def _works_beside(asked: str, pose: Pose, one: _Unknown, motion: np.ndarray, kept: list[int]) -> bool:
    """Whether a load does work in poses a small step along a free motion away.

    Off the constraints by the square of the step, which the work (in proportion to the step) exceeds.  No derivative tells it: in a
    singular pose the free motions change their number with the first step.
    """
    active, columns = scaled_columns(pose.system)
    step = 1e-3 / max(float(np.max(np.abs(motion[active] / columns))), 1e-300)
    beside = Pose(pose.system, pose.t, pose.shifted(step * motion), None, pose.work.angle.copy())
    jac = (beside.scale[:, None] * beside.jac.toarray())[kept][:, active] * columns
    load = columns * _given_and_unknown(asked, beside, [one])[1][active, 0]
    # the rows are no longer dependent there, where the pose is singular: of the motions, those that come from the free one
    free = null_space(jac, 0.1 * step)
    return bool(np.linalg.norm(load @ free) > 0.01 * 1e-3 * np.linalg.norm(load))


def _given_and_unknown(asked: str, pose: Pose, wanted: list[_Unknown]) -> tuple[np.ndarray, np.ndarray]:
    """Generalized force of everything given, and that of each unknown per unit (columns)."""
    force = pose.force
    laws = pose.system.builder.laws
    present = np.array(pose.work.force)
    infinite = [law.part for law, f in zip(laws, present) if not np.isfinite(f)]
    if infinite or not np.isfinite(force).all():
        found = f"no finite value of {', '.join(map(repr, infinite)) or 'the forces'} at t = {pose.t:g} s"
        raise ModelError(asked, found, "a balance needs finite forces", "change its law, or the pose")
    columns = []
    for u in wanted:
        rows = np.array([pose.measure(m)[1] for m in u.measures])
        weights = np.ones(1)
        if isinstance(u.part, Force):
            f = np.array([present[k] for k, law in enumerate(laws) if law.part == u.name])
            # the element's own value gives way to the unknown: Q holds -f J^T of it
            force = force + f @ rows
            if len(rows) > 1:
                size = float(np.linalg.norm(f))
                if size == 0.0:
                    raise ModelError(
                        asked,
                        f"unknown {u.name!r} with zero components",
                        "its direction is that of the components given, and zero has none",
                        "give the direction as its value: m.force(name, body, (1, 0))",
                    )
                weights = -f / size
        columns.append(weights @ rows)
    return force, np.array(columns).T
