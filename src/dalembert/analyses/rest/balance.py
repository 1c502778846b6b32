"""Unknown loads against free motions: by virtual work  free^T (force + loads F) = 0  for the sizes F."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import MethodError, ModelError, ResidualError, SingularError, nearest, shown
from ...kernels.outputs import TERMS
from ...model.body import Body
from ...model.driver import Driver
from ...model.expression import Expr, as_expression
from ...model.forces import Force
from ...model.joints import Joint
from ...model.lagrangian import Lagrangian
from ...model.lagrangian.parts import Load
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...model.reading import listed
from ...system.subspaces import null_space
from ..driven.of_bodies import free_coordinates
from ..driven.of_coordinates import moving_coordinates
from ..driven.path import scaled_columns
from ..mobility import mobility
from ..pose.pose import Pose

# share of a load that must do work on a free motion; below it the load does none
WORK = 1e-9
# what forces may differ from a line in a parameter, in units of the largest of them: rounding of their terms
LINEAR = 1e-12
# unit of a load, by that of the measure which it acts along
UNITS = {"m": "N", "m/s": "N", "rad": "N m", "rad/s": "N m"}


@dataclass
class Unknown:
    """An unknown as read: the part of the model (None for an expression of measures), and the measures along which it acts.

    Of a Lagrangian system: a load, or None, and the expression along which it acts.
    """

    name: str
    part: Any
    measures: list[Any]

    @property
    def along(self) -> str:
        """What it acts along, in words."""
        if self.part is None:
            return "its value"
        return self.measures[0].name if len(self.measures) == 1 else "its given direction"

    @property
    def unit(self) -> str:
        """Unit of its size; coordinates of a Lagrangian system have none that is known."""
        return UNITS.get(getattr(self.measures[0], "unit", ""), "") if self.measures else ""


@dataclass
class Balance:
    """Forces and unknown loads on scaled velocities, the rows that hold, and the free motions.

    By virtual work  free^T (force + loads F) = 0  for the sizes F of the unknown loads.
    """

    asked: str
    pose: Any
    wanted: list[Unknown]
    force: np.ndarray
    loads: np.ndarray
    jac: np.ndarray
    kept: list[int]  # rows that hold: those that are unknown do not
    free: np.ndarray
    active: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, asked: str, wanted: list[Unknown], pose: Any) -> Balance:
        """The balance at a pose."""
        active, columns = scaled_columns(pose.system)
        force, loads = given_and_unknown(asked, pose, wanted)
        unknown = drivers_of(wanted) if isinstance(pose, Pose) else {u.name for u in wanted}
        kept = [r for r, part in enumerate(pose.system.row_parts) if part not in unknown]
        jac = (pose.scale[:, None] * pose.dense_jac)[kept][:, active] * columns
        made = columns * force[active], columns[:, None] * loads[active], jac, kept, null_space(jac)
        return cls(asked, pose, wanted, *made, active, columns)

    def full(self, x: np.ndarray) -> np.ndarray:
        """Velocities from scaled ones."""
        v = np.zeros(self.pose.system.nv)
        v[self.active] = self.columns * x
        return v

    def unscaled(self, x: np.ndarray) -> np.ndarray:
        """Forces on all velocities from scaled ones (of vectors in columns)."""
        made = np.zeros((self.pose.system.nv, *x.shape[1:]))
        made[self.active] = (x.T / self.columns).T
        return made

    def coordinates_of(self, motions: np.ndarray) -> list[str]:
        """Names of coordinates that change in some motions."""
        if isinstance(self.pose, Pose):
            return free_coordinates(self.pose.system.model, self.pose.state, self.full, motions)
        return moving_coordinates(self.pose.system.model, motions)

    @property
    def counted(self) -> str:
        """How many unknowns there are, in words."""
        return f"{len(self.wanted)} unknown{'s' if len(self.wanted) > 1 else ''}"

    def refuse_held(self) -> None:
        """Poses that joints and drivers hold already, and loads that do no work."""
        if not self.free.shape[1]:
            raise MethodError(
                self.asked,
                f"{self.counted} and no free motion",
                "joints and drivers hold the mechanism already: no load is needed, and any would do",
                "name a driver as the unknown, or leave out the driver that holds the pose",
            )
        sizes, work = np.linalg.norm(self.loads, axis=0), self.free.T @ self.loads
        idle = [u for c, u in enumerate(self.wanted) if not np.linalg.norm(work[:, c]) > WORK * sizes[c]]
        if idle:
            self.refuse_idle(idle)

    def refuse_idle(self, idle: list[Unknown]) -> None:
        """Loads that do no work in any free motion."""
        moves, bodies = self.coordinates_of(self.free), isinstance(self.pose, Pose)
        names, place = ", ".join(repr(u.name) for u in idle), "pose" if bodies else "state"
        found = f"{names} {'do' if len(idle) > 1 else 'does'} no work in any free motion of this {place}"
        found += f" (free: {', '.join(map(repr, moves))})" if moves else ""
        motions = [self.full(x) for x in self.free.T] if bodies else []
        if any(_works_beside(self.asked, self.pose, u, motion, self.kept) for u in idle for motion in motions):
            raise SingularError(
                self.asked,
                found,
                "the pose is singular for this load (a dead centre): it acts across all that can move there, so that no size of it holds"
                " anything; reactions carry it",
                "move the pose off the dead centre, or choose another load",
            )
        where, carry, other = ", here and in poses nearby", "reactions", ""
        if not bodies:
            where, carry, other = "", "rows", ", or a state off a dead centre"
        raise MethodError(
            self.asked,
            found,
            f"the load acts across all that can move{where}: no size of it holds anything, {carry} carry it",
            "choose a load along what can move" + (f", for example {moves[0]!r}" if moves else "") + other,
        )

    def refuse_loose(self, loose: np.ndarray, rank: int) -> None:
        """Free motions in which no unknown does work, while the given forces do."""
        unheld, count = self.coordinates_of(self.free @ loose), self.free.shape[1]
        example = f", for example {unheld[0]!r}" if unheld else ""
        singular = self.singular
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

    @property
    def singular(self) -> str:
        """What is singular in the pose, if anything is."""
        return dead_centre(self.pose, drivers_of(self.wanted))

    def told(self, k: int) -> tuple[str, str, float]:
        """Whose balance a scaled velocity belongs to, its unit, and the length by which forces are scaled."""
        c, system = int(self.active[k]), self.pose.system
        if not isinstance(self.pose, Pose):
            return f"coordinate {system.model.q[c]!r}", "", 1.0
        unit, length = ("N m", 1.0) if system.kinds_of_velocity[c] else ("N", float(system.length))
        return f"body {system.body_names[c // system.builder.width]!r}", unit, length

    def check(self, values: np.ndarray) -> None:
        """Refuse loads with which no reactions balance every body: Q + sum of g F = J^T lam, without the free motions that F came from."""
        total, jac = self.force + self.loads @ values, self.jac
        lam = np.linalg.lstsq(jac.T, total, rcond=None)[0] if len(jac) else np.zeros(0)
        terms = np.abs(self.force) + np.abs(self.loads) @ np.abs(values) + np.abs(jac).T @ np.abs(lam)
        off = np.abs(total - jac.T @ lam)
        # a balance that least squares find is off by the rounding of the largest load anywhere
        allowed = TERMS * terms + 1e-12 * float(np.max(terms, initial=0.0))
        if np.all(off <= allowed):
            return
        k = int(np.argmax(np.where(off <= allowed, 0.0, off)))
        whose, unit, length = self.told(k)
        raise ResidualError(
            self.asked,
            f"{whose} is out of balance by {off[k] / length:.3g} {unit} of {terms[k] / length:.3g} {unit}".rstrip(),
            "with the loads found, no reactions hold all bodies: they would be wrong",
            "take a pose beside this one, or other loads; if the model is sound this is a fault of the solver: please report it",
        )


def drivers_of(wanted: list[Unknown]) -> set[str]:
    """Names of the drivers among the unknowns."""
    return {u.name for u in wanted if isinstance(u.part, Driver)}


def given_and_unknown(asked: str, pose: Any, wanted: list[Unknown]) -> tuple[np.ndarray, np.ndarray]:
    """Generalized force of everything given, and that of each unknown per unit (columns)."""
    if not isinstance(pose, Pose):
        return _of_coordinates(asked, pose, wanted)
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
                    raise _without_direction(asked, u, ": m.force(name, body, (1, 0))")
                weights = -f / size
        columns.append(weights @ rows)
    return force, np.array(columns).T


def _of_coordinates(asked: str, pose: Any, wanted: list[Unknown]) -> tuple[np.ndarray, np.ndarray]:
    """The same of a Lagrangian system: a load F along an expression s of coordinates is the generalized force F ds/dq; of a row that lets go it is minus its multiplier."""
    force, columns, model = pose.force, [], pose.system.model
    if not np.isfinite(force).all():
        names = [name for name, x in zip(model.q, force) if not np.isfinite(x)]
        found = f"no finite force on {', '.join(map(repr, names))} at t = {pose.t:g} s"
        raise ModelError(asked, found, "a balance needs finite forces", "change its expression, or the state")
    for u in wanted:
        own = np.zeros(len(model.q))
        if u.part is not None:
            # its own value gives way to the unknown size in the same direction
            for name, x in u.part.generalized(model.q).items():
                own[model.q.index(name)] = pose.measure(x)[0]
            size = float(np.linalg.norm([pose.measure(x)[0] for x in u.part.vector]))
            if size == 0.0:
                raise _without_direction(asked, u)
            columns.append(own / size)
        elif u.measures:
            columns.append(pose.measure(u.measures[0])[1])
        else:
            columns.append(_by_parameter(asked, pose, u.name))
            own = model.parameters[u.name] * columns[-1]
        force = force - own
    return force, np.array(columns).T


def _without_direction(asked: str, u: Unknown, how: str = "") -> ModelError:
    why = "its direction is that of the components given, and zero has none"
    return ModelError(asked, f"unknown {u.name!r} with zero components", why, f"give the direction as its value{how}")


def _by_parameter(asked: str, pose: Any, name: str) -> np.ndarray:
    """Generalized force for each unit of a parameter, in which forces are linear and rows do not change."""
    model, F = pose.system.model, pose.work.F
    k, present = list(model.parameters).index(name), model.parameters[name]
    force, rows = [], []
    for x in (0.0, 1.0, 2.0):
        F[k] = x
        force.append(pose.force)
        rows.append(np.concatenate([pose.phi, pose.jac.ravel()]))
    F[k] = present
    size = float(np.max(np.abs([force[1] - force[0], *force]), initial=0.0))
    bent = np.max(np.abs(force[2] - 2.0 * force[1] + force[0]), initial=0.0) > LINEAR * size
    if bent or not np.isfinite(force).all() or not np.allclose(rows[0], rows[2], rtol=LINEAR, atol=0.0):
        moved = "rows change with it" if not bent and np.isfinite(force).all() else "forces are not linear in it"
        raise MethodError(
            asked, f"unknown {name!r}: {moved}", "of a parameter that forces are multiplied by the size is found",
            f"let {name!r} be a factor of a force, or give its value and look for a load along a coordinate",
        )  # fmt: skip
    column = force[1] - force[0]
    if not column.any():
        raise MethodError(
            asked, f"unknown {name!r}: no force changes with it", "it loads nothing", "name a parameter of a force"
        )
    return np.asarray(column)


def dead_centre(pose: Any, drivers: set[str]) -> str:
    """What makes the pose a singular one, with names; "" where it is none.  Drivers that are unknown do not count.

    Dependent rows of a Lagrangian system carry any share; that is no matter of the loads.
    """
    if not isinstance(pose, Pose) or not pose.dropped.any():
        return ""
    sets = [
        s for s in mobility(pose.system.model, pose.state).dependent if s.pose_only and not drivers & set(s.drivers)
    ]
    names = list(dict.fromkeys(name for found in sets for name in found.joints))
    listed = ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")
    return f"the pose is singular (a dead centre of {listed})" if names else ""


def _works_beside(asked: str, pose: Pose, one: Unknown, motion: np.ndarray, kept: list[int]) -> bool:
    """Whether a load does work in poses a small step along a free motion away.

    Off the constraints by the square of the step, which the work (in proportion to the step) exceeds.  No derivative tells it: in a
    singular pose the free motions change their number with the first step.
    """
    active, columns = scaled_columns(pose.system)
    step = 1e-3 / max(float(np.max(np.abs(motion[active] / columns))), 1e-300)
    beside = Pose(pose.system, pose.t, pose.shifted(step * motion), None, pose.work.angle.copy())
    jac = (beside.scale[:, None] * beside.jac.toarray())[kept][:, active] * columns
    load = columns * given_and_unknown(asked, beside, [one])[1][active, 0]
    # the rows are no longer dependent there, where the pose is singular: of the motions, those that come from the free one
    free = null_space(jac, 0.1 * step)
    return bool(np.linalg.norm(load @ free) > 0.01 * 1e-3 * np.linalg.norm(load))


# -- what is given, and whether the pose is at rest ------------------------------------------------------------------------


# speeds (1/s, in lengths of the model, or units of the coordinates) below which a pose is at rest
REST = 1e-9
ACCEPTED = "an unknown load is a force, a driver or a measure along which it acts: its name or the part itself, or a list of them"


def read_unknowns(asked: str, model: Mechanism | Lagrangian, unknown: Any) -> list[Unknown]:
    """Everything unknown, from what a user may give: names, parts, measures, expressions."""
    items = (
        [unknown]
        if isinstance(unknown, str | Measure | Driver | Force | Joint | Body | Expr | Load)
        else listed(unknown)
    )
    if isinstance(model, Lagrangian) and items is None:
        items = [unknown]  # told one by one what is accepted
    if not isinstance(items, list | tuple):
        raise MethodError(asked, f"unknown = {shown(unknown)}", ACCEPTED, _example(model))
    if not items:
        raise MethodError(asked, f"unknown = {shown(unknown)}", "there is nothing to find", _example(model))
    if isinstance(model, Lagrangian):
        found = [_read_load(asked, model, item) for item in items]
    else:
        found = [_read_part(asked, model, item) for item in items]
    names = [u.name for u in found]
    twice = [n for n in names if names.count(n) > 1]
    if twice:
        raise MethodError(asked, f"{twice[0]!r} twice", "it is one unknown", "name each unknown once")
    return found


def _example(model: Mechanism | Lagrangian) -> str:
    if isinstance(model, Lagrangian):
        return f"name a coordinate: {', '.join(map(repr, model.q[:4]))}"
    names = [part.name for part in (*model.parts("driver"), *(f for f in model.parts("force") if f.elements()))]
    names += [f"{joint.name}.{name}" for joint in model.parts("joint") for name in joint.coordinates()]
    return f"name one of them: {', '.join(map(repr, names[:4]))}" if names else "add a force or a driver, and name it"


def _read_part(asked: str, model: Mechanism, item: Any) -> Unknown:
    part = item
    if isinstance(item, str):
        part = model[item] if item in model else model.find_measure(item)
        if part is None and any(sign in item for sign in "+-*/("):
            return Unknown(item, None, [model.read_coordinate(asked, item)])
        if part is None:
            known = [
                p.name
                for kind in ("force", "driver", "measure")
                for p in model.parts(kind)
                if kind != "force" or p.elements()
            ]
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
        return Unknown(part.name, part, [part.measure])
    if isinstance(part, Force):
        measures = [measure for measure, _ in part.elements()]
        if not measures:
            why = "what a rigid contact or dry friction carries follows from the pose and the loads: it is a range, not a load to choose"
            do = f"{_example(model)}; da.equilibrium and da.reactions give pressures"
            raise ModelError(asked, f"unknown {part.name!r}, {part.tag} without a law of its own", why, do)
        if len(measures) > 1 and not part.vector:
            raise ModelError(
                asked,
                f"unknown {part.name!r}, {part.tag} with {len(measures)} components",
                "its load is not a single number",
                "name one of its measures, or a force or actuator of its own",
            )
        return Unknown(part.name, part, measures)
    measure = model.read_coordinate(asked, part)
    return Unknown(measure.name, measure, [measure])


def _read_load(asked: str, model: Lagrangian, item: Any) -> Unknown:
    """A load, a holonomic row, a parameter of forces, a coordinate or an expression of coordinates and t."""
    name = item.name if isinstance(item, Load) else item
    if isinstance(name, str) and name in model.loads:
        return Unknown(name, model.loads[name], [])
    if isinstance(name, str) and name in model.holonomic:
        return Unknown(name, None, [model.holonomic[name]])
    if isinstance(name, str) and name in model.parameters:
        return Unknown(name, None, [])
    if not isinstance(name, str | Expr):
        why = "an unknown load is a load, a holonomic row, a coordinate or an expression of coordinates"
        raise MethodError(asked, f"unknown {shown(item)} of type {type(item).__name__}", why, f"name {model.q[0]!r}")
    made = as_expression(name, [*model.q, "t", *model.parameters], tables=model.tables, asked=asked)
    if not made.names & set(model.q) or any(x.startswith("rate(") for x in made.names):
        why = "a load acts along a coordinate or an expression of coordinates, without rates"
        raise MethodError(asked, f"unknown {shown(item)}", why, f"name a coordinate, for example {model.q[0]!r}")
    return Unknown(str(name), None, [made])


def check_rest(asked: str, pose: Any, wanted: list[Unknown]) -> None:
    """Refuse a pose that moves, or that rows which stay would set in motion, at once or by their second rate."""
    (_check_bodies if isinstance(pose, Pose) else _check_coordinates)(asked, pose, wanted)


def _check_bodies(asked: str, pose: Any, wanted: list[Unknown]) -> None:
    active, columns = scaled_columns(pose.system)
    speed = np.zeros(pose.system.nv)
    speed[active] = np.abs(pose.v[active]) / columns
    moved = bool(np.max(speed, initial=0.0) > REST)
    unknown = drivers_of(wanted) if not moved else set()
    rates = [(row, x, "/s") for row, x in zip(pose.rows, pose.nu) if abs(x) > REST and row.part not in unknown]
    if not moved and not rates:
        # at rest the second rates of rows are those of drivers
        second = zip(pose.rows, pose.gamma)
        rates = [(row, x, "/s^2") for row, x in second if abs(x) > REST and row.part not in unknown]
    if not moved and not rates:
        return
    bodies = speed.reshape(-1, pose.system.builder.width).max(axis=1)
    moving = [name for name, x in zip(pose.system.body_names, bodies) if x > REST]
    found = (
        [f"{', '.join(map(repr, moving[:4]))} move{'s' if len(moving) == 1 else ''} at t = {pose.t:g} s"]
        if moving
        else []
    )
    found += [f"driver {row.part!r} at {x:.4g} {row.unit}{per}" for row, x, per in rates[:4] if row.drive is not None]
    raise _moves(
        asked, "; ".join(found) or f"rows with a rate at t = {pose.t:g} s", "pose", "a pose without velocities (constant drivers, state=da.State(t, q, 0 * v))"
    )  # fmt: skip


def _check_coordinates(asked: str, pose: Any, wanted: list[Unknown]) -> None:
    model, unknown = pose.system.model, {u.name for u in wanted}
    found = [f"rate({name}) = {x:.4g}" for name, x in zip(model.q, pose.v) if abs(x) > REST]
    if not found:
        moves = np.maximum(np.abs(pose.nu), np.abs(pose.gamma)) / pose.size
        rows = [name for name, x in zip(pose.system.row_names, moves) if x > REST and name not in unknown]
        found = [f"row {name!r} moves" for name in rows]
    if found:
        at, do = (
            f"{', '.join(found[:4])} at t = {pose.t:g} s",
            "a state without rates (state=da.State(t, q, 0 * v)) and rows at rest",
        )
        raise _moves(asked, at, "state", do)


def _moves(asked: str, found: str, what: str, do: str) -> MethodError:
    why = f"a holding load belongs to a {what} at rest; in motion inertia takes part"
    return MethodError(asked, found, why, f"give {do}, or use da.inverse_dynamics for the motion")
