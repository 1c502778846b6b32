"""What dry friction holds at rest: the range of loads along a coordinate, and the ranges of positions.

A coordinate s of a machine with one free motion is held by a load u along it.  Friction helps either way, up to its limit:

    J^T lam + sum of j_k^T T_k + j_s^T u = Q,        |T_k| <= static_k N_k(lam)

so that u lies between those with all T_k at their limits, each with either sign (u is monotonic in each T_k); friction with several components acts along the
direction in which it slips as the one free motion goes on.  Without any load the machine rests
wherever that range contains 0.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, MethodError, SingularError
from ...model.events import Situation
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...solve.friction import DryFriction
from ...solve.integrators import method
from ...solve.problem import evaluate_at
from ...state import State
from ...system.known import known_system
from ...system.slip import slip_tables
from ...system.system import compile, observed
from ..dynamics.motion import problem_of
from ..dynamics.pressure import refuse_shared
from ..dynamics.start import prepare
from ..events.grips import sliding
from .of_bodies import shown_measures

if TYPE_CHECKING:
    from ...model.forces.friction import Friction
    from ...model.lagrangian import Lagrangian
    from ..dynamics.dynamics import Dynamics


# elements whose signs are all tried
MOST = 8
# places looked at on the way of a coordinate, and halvings of their distance that find the end of a range: to 1e-10 of it
PLACES, HALVINGS = 201, 34
HOLDING = "holding"
# part of the model's length, or of a radian, by which a coordinate changes along a path that it stands for
CHANGES = 1e-3


def load_range(asked: str, model: Mechanism, measure: Measure, state: State, driver: str = "") -> tuple[float, float]:
    """Smallest and largest load along a measure that friction lets a pose be held by; `driver` is the unknown one, if it is a driver."""
    elements = model.frictions
    refuse_many(asked, elements)
    loads = [
        _load(asked, model, measure, state, driver, dict(zip((one.name for one in elements), ways)))
        for ways in itertools.product((1, -1), repeat=len(elements))
    ]
    return min(loads), max(loads)


def refuse_many(asked: str, elements: list[Any]) -> None:
    """Refuse more elements than those of which all signs are tried."""
    if len(elements) > MOST:
        found, why = f"{len(elements)} elements with dry friction", "every combination of their directions is tried"
        raise MethodError(asked, found, why, f"at most {MOST}: leave out those that matter least")


def _load(asked: str, model: Mechanism, measure: Measure, state: State, driver: str, ways: dict[str, int]) -> float:
    """The load with all friction at its limits, with given signs."""
    locked = () if driver else ((HOLDING, measure, value_of(model, measure, state)),)
    variant = model.varied(Situation(locked=locked, slips=tuple(ways.items())))
    system = compile(variant)
    still = State(state.t, state.q, np.zeros_like(state.v), state.angles, state.bodies)
    prepared = prepare(variant, state.t, still, asked, system=system)
    problem = problem_of(prepared, (method(8), 1e-8, 1e-10, math.inf))
    refuse_shared(asked, [one for one in model.frictions if one.kind != "rub"], prepared.here())
    problem.friction = friction = DryFriction(sliding(model.frictions, system, at_rest=True), asked, slip_tables)
    row = system.rows_of(driver or HOLDING)[0]
    for one in (one for one in model.frictions if len(one.slips) > 1):
        friction.turn(one.name, ways[one.name] * _slip_direction(prepared.here(), one, row))
    a = np.zeros(system.nv)
    evaluate_at(problem, state.t, prepared.state.q, prepared.state.v, a)
    if np.max(np.abs(a) / system.unit_of_velocity, initial=0.0) > 1e-6:
        raise MethodError(
            asked, f"with {measure.name} held the machine still moves", "dry friction is looked at where one load holds the whole machine",
            "hold the other freedoms by drivers or joints",
        )  # fmt: skip
    return -float(prepared.work.lam[row])


def _slip_direction(here: Dynamics, friction: Friction, row: int) -> np.ndarray:
    """Where friction with several components slips as the machine moves along the row that is held; none where it does not."""
    jac = here.dense_jac
    motion = np.linalg.lstsq(jac, np.eye(len(jac))[row], rcond=None)[0]
    u = np.array([here.measure(measure)[1] @ motion for measure in friction.slips])
    size = float(np.linalg.norm(u))
    return u / size if size > 0.0 else u


def value_of(model: Mechanism, measure: Measure, state: State) -> float:
    """Value of a measure at a state."""
    return float(observed(model, state, measure.symbol if measure.expression is None else measure.expression))


@dataclass(frozen=True)
class RestRange:
    """Positions of a coordinate in which friction holds a machine: from `low` to `high`; infinite where no end was found.

    `states` are the poses at both ends.  Where friction at contacts holds it, `on` are the gaps (of a compliant one: the contact) that touch, and `coordinate` is what is measured.
    """

    low: float
    high: float
    on: tuple[str, ...] = ()
    coordinate: str = ""
    states: tuple[State | None, State | None] = (None, None)

    def __contains__(self, x: float) -> bool:
        return self.low <= x <= self.high


@dataclass(frozen=True, eq=False, repr=False)
class RestRanges:
    """Where a machine with dry friction rests: ranges of one coordinate.

    Attributes
    ----------
    coordinate, unit
        The coordinate, and its unit.
    ranges
        Ranges in which friction holds it.
    looked
        From where to where it was looked.
    note
        What was looked at besides, and what was not.
    """

    model: Mechanism | Lagrangian
    coordinate: str
    unit: str
    ranges: tuple[RestRange, ...]
    looked: tuple[float, float]
    note: str = ""

    def __iter__(self) -> Any:
        return iter(self.ranges)

    def __len__(self) -> int:
        return len(self.ranges)

    def __getitem__(self, k: int) -> RestRange:
        return self.ranges[k]

    def __contains__(self, x: float) -> bool:
        return any(x in one for one in self.ranges if one.coordinate in ("", self.coordinate))

    def _where(self, one: RestRange) -> str:
        """On which gaps, and of which coordinate where it is another one."""
        of = f" of {one.coordinate}" if one.coordinate not in ("", self.coordinate) else ""
        return of + (f" on {', '.join(one.on)}" if one.on else "")

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        lines = [f"rest positions of {self.model.name!r} with dry friction: {self.coordinate}{unit}"]
        lines += [f"  {one.low:.9g} ... {one.high:.9g}{self._where(one)}" for one in self.ranges] or ["  none"]
        return "\n".join([*lines, f"looked at {self.looked[0]:.6g} ... {self.looked[1]:.6g}{self.note}"])


def rest_ranges(asked: str, model: Mechanism, start: State | None, turns: float, t: float) -> RestRanges:
    """Ranges of the coordinate of the first friction element in which the machine rests by itself."""
    from ..assemble import assemble
    from .of_model import problem_of as at_rest

    # a model that cannot move, or that drivers move, is refused as one without friction
    free = at_rest(asked, model, start, "force", None, t).statics.dof
    if free > 1:
        from .staying import rest_place

        return rest_place(asked, model, start, turns, t)
    coordinate = model.frictions[0].on
    name = coordinate.name
    begin = assemble(model, start=start, t=t).state if start is None else start
    model = model.without_starts()
    at = value_of(model, coordinate, begin)
    span = math.pi * turns if coordinate.unit == "rad" else 2.0 * turns * length_of(model)
    step = span / (PLACES // 2)

    def held(x: float, near: State) -> tuple[bool, State] | None:
        """Whether friction holds the machine at a place, and the pose; None where there is none."""
        try:
            pose = assemble(model, fixed={name: x}, start=near).state
            low, high = load_range(asked, model, coordinate, pose)
        except SingularError:
            return True, near  # friction that feeds on itself holds any load
        except (DalembertError, np.linalg.LinAlgError):
            return None
        return low <= 0.0 <= high, pose

    places = walked(held, begin, at, step)
    if not places:
        load_range(asked, model, coordinate, begin)  # says what is wrong where it begins
    found = tuple(ranges_of(places, held, step))
    return RestRanges(model, name, coordinate.unit, found, (places[0][0], places[-1][0]))


# a place, whether friction holds the machine there, and its pose
Held = tuple[float, bool, Any]


def walked(held: Any, begin: Any, at: float, step: float) -> list[Held]:
    """Places to both sides of one; `held` has the pose beside a place to begin with, and None for no pose."""
    places: list[Held] = []
    for way in (-1.0, 1.0):
        pose, found = begin, []
        for k in range(0 if way > 0.0 else 1, PLACES // 2 + 1):
            here = held(at + way * k * step, pose)
            if here is None:
                break
            found.append((at + way * k * step, *here))
            pose = here[1]
        places = [*reversed(found), *places] if way < 0.0 else [*places, *found]
    return places


def ranges_of(places: list[Held], held: Any, step: float) -> list[RestRange]:
    """Ranges of places that are held, their ends found by halving."""

    def end(first: Held, other: Held) -> tuple[float, Any]:
        inside, outside, pose = first[0], other[0], first[2]
        for _ in range(HALVINGS):
            middle = 0.5 * (inside + outside)
            found = held(middle, pose)
            if found is not None and found[0]:
                inside, pose = middle, found[1]
            else:
                outside = middle
        return inside, pose

    made, low = [], (-math.inf, None)
    for k, (_, holds, _) in enumerate(places):
        before = places[k - 1][1] if k else None
        if holds and before is False:
            low = end(places[k], places[k - 1])
        elif not holds and before:
            high = end(places[k - 1], places[k])
            made.append(RestRange(low[0], high[0], states=(low[1], high[1])))
            low = (-math.inf, None)
    if places and places[-1][1]:
        made.append(RestRange(low[0], math.inf, states=(low[1], None)))
    return made


def changing(model: Mechanism, length: float, value: Callable[[Measure, Any], float], places: Sequence[Any]) -> Any:
    """A coordinate that changes between some places: of a joint, else the angle or place of a body; None where there is none."""
    bodies = [f"{body.name}.{what}" for what in ("angle", "x", "y", "z") for body in model.bodies]
    every = (*shown_measures(model), *(model.find_measure(name) for name in bodies))
    for one in (one for one in every if one is not None):
        values = [value(one, place) for place in places]
        if max(values) - min(values) > CHANGES * (length if one.unit == "m" else 1.0):
            return one
    return None


def length_of(model: Mechanism) -> float:
    """Length of a model, which what moves is compared with."""
    return float(known_system(model).length)
