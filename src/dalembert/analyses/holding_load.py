"""holding_load: forces and torques that hold a model at rest in a given pose, by virtual work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compilation import compiling
from ..errors import MethodError, ModelError, nearest, shown
from ..model.auxiliary import refuse_states
from ..model.kinds import named
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.output_units import read_units
from ..options.call import verb
from ..state import State, state_of
from ..system.subspaces import factor
from .dynamics.start import at_state
from .events.surfaces import Surfaces, measured
from .rest.acting_forces import at_rest, forces_at, limited, soft, touching_at
from .rest.balance import WORK, Balance, check_rest, read_unknowns
from .rest.friction_limits import refuse_moving

if TYPE_CHECKING:
    from .equilibrium import Equilibrium


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
        With dry friction that sticks, or beside rigid contacts that touch: the smallest and the largest load that hold the pose, infinite where there is no
        bound.  `value` is then that without friction, or where that does not hold (beside contacts) the one nearest to 0, and `multiplier` the same.
    certain
        Whether such a load must hold the pose: no friction has a limit that depends on what it holds.  Otherwise it can: some forces within the limits balance.
    note
        That friction feels loads which joints share in any proportion: the smallest.
    """

    name: str
    along: str
    unit: str
    value: float
    multiplier: float
    low: float | None = None
    high: float | None = None
    holds: str = "friction holds it"
    certain: bool = False
    note: str = ""

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"<holding load {self.name!r}: {self.value:.9g} {self.unit} along {self.along}>"


@dataclass(frozen=True, eq=False, repr=False)
class HoldingLoads:
    """Loads that hold a pose: `held["P"].value`; with a single unknown also `held.value` and `float(held)`."""

    model: Mechanism | Lagrangian = field(repr=False)
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
                lines.append(f"  {x.holds} from {x.low * factor:.9g} to {x.high * factor:.9g} {unit}".rstrip() + x.note)
        if self.singular:
            lines.append(f"{self.singular}: the loads are those of this very pose, beside it others hold")
        return "\n".join(lines)

    __repr__ = __str__


@verb
def holding_load(
    model: Mechanism | Lagrangian, unknown: Any, *, state: State | Equilibrium | None = None
) -> HoldingLoads:
    """Unknown forces or torques that hold a pose at rest (principle of virtual work).

    Applied forces do no work in any motion that the joints allow: N^T (Q + sum of g F) = 0, N the free motions (J N = 0) and g the row
    of what F acts along.  Reactions do not appear.  The result is compared with the multiplier of a driver that holds the pose.

    Parameters
    ----------
    model
        The mechanism, or a Lagrangian system.
    unknown
        One name or a list: force elements (their value is the unknown; of a point force its size, in the given direction), drivers
        (their force or torque), or measures along which a load acts: "P", "motor", "O.angle", `m["slider"].x`.
        One for each degree of freedom.  Of a Lagrangian system: loads, holonomic rows (which let go), parameters that forces are multiplied by, coordinates, or expressions of coordinates.
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
    asked = named("holding_load", model)
    refuse_states(
        asked,
        model,
        "a pose that is held does not tell the values of the states in its laws",
        "put numbers in place of the states, or read loads of a run with da.simulate",
    )
    wanted = read_unknowns(asked, model, unknown)

    with compiling(), np.errstate(all="ignore"):
        given = state_of(state)
        # a given pose at rest need not follow the rates of drivers that are unknown: see check_rest
        still = isinstance(given, State) and not np.any(given.v)
        bare, extra = model, []
        if isinstance(model, Lagrangian):
            bare = model.without_friction()
        else:
            extra = [m for u in wanted for m in u.measures]
            extra += [*measured(model), *(measure for one in limited(model) for measure in one.slips)]
        pose: Any = at_state(bare, given, asked, extra=extra, consistent=not still)
        if still:
            pose.check_positions(asked, "drawing")
        check_rest(asked, pose, wanted)
        s, touch = touching_at(asked, pose, model) if model.stops_at_work else (None, [])
        b = Balance.of(asked, wanted, pose)
        if touch or soft(model):
            b.refuse_held()
            return _with_ranges(model, b, s, touch, None)
        if not model.frictions:
            return _solve(model, b)
        if isinstance(model, Lagrangian):
            refuse_moving(asked, model)
        try:
            found: HoldingLoads | MethodError = _solve(model, b)
        except MethodError as error:
            found = error  # friction may hold what no load does
        return _with_ranges(model, b, s, touch, found)


def _with_ranges(
    model: Mechanism | Lagrangian,
    b: Balance,
    s: Surfaces | None,
    touch: list[int],
    kept: HoldingLoads | MethodError | None,
) -> HoldingLoads:
    """The ranges of loads where contacts and friction hold, too; `kept`: what holds without friction, or why nothing does."""
    asked, pose = b.asked, b.pose
    here = at_state(at_rest(model), pose.state, asked, consistent=False) if isinstance(model, Lagrangian) else pose
    force, loads = b.unscaled(b.force), b.unscaled(b.loads)
    forces = forces_at(asked, here, loads, s, touch, force, b.kept)
    verb = ("holds", "hold") if forces.certain else ("can hold", "can hold")
    made, holds = {}, f"contacts {verb[1]} it" if touch or soft(model) else f"friction {verb[0]} it"
    for k, u in enumerate(b.wanted):
        found = forces.load(k)
        if found is None:
            break
        value = multiplier = min(max(0.0, found[0]), found[1])
        if isinstance(kept, HoldingLoads):
            value, multiplier = kept[u.name].value, kept[u.name].multiplier
        made[u.name] = HeldLoad(u.name, u.along, u.unit, value, multiplier, *found, holds, forces.certain, forces.note)
    if len(made) == len(b.wanted):
        return HoldingLoads(model, pose.state, made, b.free.shape[1], b.singular)
    if isinstance(kept, MethodError):
        raise kept
    free = b.free.shape[1]
    gaps = [] if s is None else [s.names[k] for k in touch[:4]]
    names = ", ".join(map(repr, gaps or dict.fromkeys(one.contact for one in soft(model))))
    raise MethodError(
        asked, f"no size of {', '.join(repr(u.name) for u in b.wanted)} holds the pose beside {names}, {free} free motion{'s' * (free != 1)}",
        "contacts push and do not pull, and what they and the loads push along does not balance the given forces",
        "name further unknowns, or other ones, or change the pose",
    )  # fmt: skip


def _solve(model: Mechanism | Lagrangian, b: Balance) -> HoldingLoads:
    asked, wanted, force, loads, free = b.asked, b.wanted, b.force, b.loads, b.free
    sizes, work = np.linalg.norm(loads, axis=0), free.T @ loads
    b.refuse_held()
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
        x.name: HeldLoad(x.name, x.along, x.unit, float(f) + 0.0, float(-y) + 0.0)
        for x, f, y in zip(wanted, values, lam)
    }
    return HoldingLoads(model, b.pose.state, made, free.shape[1], b.singular)
