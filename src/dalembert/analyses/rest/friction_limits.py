"""Where dry friction holds a model that no contacts touch: ranges of one coordinate where it has one free motion, and whether its position stays where it has several.

With one free motion a load u along what slips holds a place between two limits, and the machine rests where they include 0 (`ranges.py`).  With several the smallest share of the
friction with which forces balance says how far the position is from moving: up to 1 it stays, and around it so do the places of what slips, one at a time.

Friction of one compliant contact does not hold a position but a slip: what slides is held at a value s like by a joint, and the machine rests where its other motions balance (`problem.py`).  The
multiplier of that row is the friction T that it takes; what presses follows from the gaps, so that the machine rests by itself where |T| <= static N.  From the start s is followed to both sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, MethodError, SingularError
from ...model.events import AT_REST
from ...model.expression import Name
from ...model.lagrangian import Lagrangian
from ...model.mechanism import Mechanism
from ...state import State
from ...system.lagrange import compile_lagrangian
from ...system.subspaces import INDEPENDENT, factor, null_space, unit_rows
from ..assemble import assemble
from ..dynamics.pressure import pressure_at
from ..dynamics.start import at_state
from ..events.grips import leading
from ..events.surfaces import measured
from ..lagrangian.point import Point
from ..pose.pose import Pose
from .acting_forces import at_rest, forces_at, limited, touching_at
from .coordinates import FAR
from .problem import Problem, begin
from .ranges import (
    PLACES,
    Held,
    RestPlace,
    RestRange,
    RestRanges,
    changing,
    coordinates_of,
    length_of,
    ranges_of,
    value_of,
    walked,
)
from .static_forces import ROUNDING, StaticForces

if TYPE_CHECKING:
    from ..dynamics.dynamics import Dynamics


# what a row may be off by, in units of the coordinates
OFF = 1e-9


def rest_ranges(asked: str, model: Mechanism | Lagrangian, start: State | None, turns: float, t: float) -> RestRanges:
    """Ranges of the first thing that slips in which the model rests by itself; with several free motions, whether its position stays."""
    if isinstance(model, Lagrangian):
        refuse_moving(asked, model)
        if model.stops_at_work:
            return Still(asked, model, start, t).place(turns)
    # a model that cannot move, or that drivers move, is refused as one without friction
    bare = model.without_friction() if isinstance(model, Lagrangian) else model
    free = Problem(asked, bare, start, "force", None, t).statics
    still = Still(asked, model, start, t)
    if free.dof > 1:
        return still.place(turns)
    what = still.leading()
    at, span = still.span(what, turns)
    step = span / (PLACES // 2)
    place = still.places([what], [at], 0)

    def limits(x: float, near: State) -> Held | None:
        """Loads that hold the model at a place, and the pose; None where there is none."""
        try:
            state = place(x, near)
            here = still.at(state)
        except (DalembertError, np.linalg.LinAlgError):
            return None
        still.check(here)
        try:
            return Held(x, *still.loads(what, here), state)
        except (DalembertError, np.linalg.LinAlgError):
            return None

    places = walked(limits, still.here.state, at, step)
    if not places:
        still.loads(what, still.at(place(at, still.here.state)))  # says what is wrong where it begins
    ranges, looked = tuple(ranges_of(places, limits, step)), (places[0].x, places[-1].x)
    name, unit, forces = getattr(what, "name", str(what)), getattr(what, "unit", ""), still.forces()
    return RestRanges(model, name, unit, ranges, looked, forces.note, forces.certain)


def refuse_moving(asked: str, model: Lagrangian) -> None:
    """Refuse friction on what moves with time."""
    moving = [one for one in model.frictions if "t" in one.what.names]
    if moving:
        found = f"friction {moving[0].name!r} on {moving[0].what}, which moves with time"
        why = "at rest it slips all the time: nothing is held by it"
        raise MethodError(asked, found, why, "linearize at the state of steady slip, or leave t out")


class Still:
    """A model with friction at rest, which is moved along one thing that slips at a time."""

    def __init__(self, asked: str, model: Mechanism | Lagrangian, start: State | None, t: float) -> None:
        self.asked, self.model, self.t = asked, model, t
        self.bodies = isinstance(model, Mechanism)
        self.coordinates: list[Any] = (
            coordinates_of(model) if isinstance(model, Mechanism) else list(map(Name, model.q))
        )
        self.smooth = model.without_friction() if isinstance(model, Lagrangian) else model
        self.variant: Any = at_rest(model)
        # a mechanism is compiled with what it is asked for, and its initial conditions are those of the start
        self.extra = (*measured(model), *(x for one in limited(model) for x in one.slips)) if self.bodies else ()
        begin: Any = self.variant if start is None or not self.bodies else self.variant.without_starts()
        state = at_state(begin, start, asked, t=t, consistent=start is None).state
        self.variant = self.variant.without_starts() if self.bodies else self.variant
        self.here = self.at(state)
        # what slips, as far as it is independent: together with the others at their places it says where the model is
        slips = [x for one in self.here.system.model.frictions for x in one.slips if not getattr(x, "is_rate", False)]
        rows = np.array([self.here.measure(x)[1] for x in slips]).reshape(len(slips), self.here.system.nv)
        moving = rows @ null_space(unit_rows(self.here.dense_jac)[0])
        rank, kept = 0, list[int]()
        for k in range(len(slips)):
            if factor(unit_rows(moving[[*kept, k]])[0]).rank > rank:
                kept, rank = [*kept, k], rank + 1
        self.moving: list[Any] = [slips[k] for k in kept]

    def at(self, state: State) -> Any:
        """The model at a state, at rest."""
        still = replace(state, v=np.zeros_like(state.v))
        return at_state(self.variant, still, self.asked, consistent=False, extra=self.extra)

    def forces(self) -> StaticForces:
        """What may balance the position."""
        touching = touching_at(self.asked, self.here, self.model) if self.model.stops_at_work else (None, ())
        return forces_at(self.asked, self.here, None, *touching)

    # -- one free motion -------------------------------------------------------------------------------------------------

    def leading(self) -> Any:
        """The first thing that slips in the free motion; if none does (a dead centre), the first coordinate that moves."""
        first = [one.on for one in self.here.system.model.frictions]
        self.extra = (*first, *self.coordinates) if self.bodies else ()
        self.here = self.at(self.here.state)
        motion = null_space(unit_rows(self.here.dense_jac)[0])
        for what in (*first, *self.coordinates):
            row = self.here.measure(what)[1]
            if not getattr(what, "is_rate", False) and float(np.linalg.norm(row @ motion)) > INDEPENDENT * float(
                np.linalg.norm(row)
            ):
                return what
        return first[0]

    def span(self, what: Any, turns: float) -> tuple[float, float]:
        """Where something is, and how far it is looked to either side: half a turn times `turns` of an angle, twice the length of a mechanism, ten sizes otherwise."""
        at = float(self.here.measure(what)[0])
        if self.bodies:
            return at, math.pi * turns if what.unit == "rad" else 2.0 * turns * self.here.system.length
        statics: Any = Problem(self.asked, self.smooth, self.here.state, "force", None, self.t).statics
        k = next((k for k, one in enumerate(self.coordinates) if str(one) == str(what)), None)
        if k is not None:
            return at, math.pi * turns if statics.angle[k] else FAR * float(statics.unit[k]) * turns
        return at, FAR * turns * (abs(at) or 1.0)

    def check(self, here: Dynamics) -> None:
        """Refuse sizes of friction that are none."""
        for one in () if self.bodies else here.system.model.frictions:
            one.check_at(AT_REST, here)

    def loads(self, what: Any, here: Dynamics) -> tuple[float, float]:
        """The smallest and the largest load along something that hold a place."""
        forces = forces_at(self.asked, here, here.measure(what)[1][:, None])
        found = forces.around(0)
        if found is None:
            raise MethodError(
                self.asked, f"with {what} held the machine still moves", "dry friction is looked at where one load holds the whole machine",
                "hold the other freedoms by drivers or joints",
            )  # fmt: skip
        return found

    # -- several free motions --------------------------------------------------------------------------------------------

    def place(self, turns: float) -> RestPlace:
        """Whether the position stays, and around it the ranges of what slips, one at a time."""
        forces = self.forces()
        used, y = forces.least()
        every = {}
        if math.isfinite(used):
            every = {one.name: made for one, made in zip(forces.grips, forces.friction(y))}
        found = RestPlace(
            self.model, "", "", (), (-math.inf, math.inf), state=self.here.state, used=used,
            forces={name: float(T[0]) + 0.0 if len(T) == 1 else T for name, (T, _) in every.items()},
            limits={name: limit for name, (_, limit) in every.items()}, note=forces.note.removeprefix(", "), certain=forces.certain,
        )  # fmt: skip
        if not math.isfinite(used):
            along = "what touches and rubs does not hold" if self.model.stops_at_work else "no friction acts along"
            return replace(found, note=f"a free motion that {along} is not balanced: give a start in which it is")
        alone = found.stays and not self.model.stops_at_work
        ranges = [one for k in range(len(self.moving)) for one in self._ranges(k, turns)] if alone else []
        return replace(found, ranges=tuple(ranges))

    def _ranges(self, k: int, turns: float) -> list[RestRange]:
        """Where it stays around the position along one thing that slips, the others where they are."""
        one, values = self.moving[k], [float(self.here.measure(x)[0]) for x in self.moving]
        unit, name = getattr(one, "unit", ""), getattr(one, "name", str(one))
        span = math.pi * turns if unit == "rad" else 2.0 * turns * max(self.here.system.length, abs(values[k]))
        step, place = span / (PLACES // 2), self.places(self.moving, values, k)

        def limits(x: float, near: State) -> Held | None:
            """By how much the friction is too small."""
            try:
                state = place(x, near)
                inside, _ = forces_at(self.asked, self.at(state)).inside()
                return Held(x, -inside - ROUNDING, math.inf, state)
            except SingularError:
                return Held(x, -math.inf, math.inf, near)
            except (DalembertError, np.linalg.LinAlgError):
                return None

        found = walked(limits, self.here.state, values[k], step, until_it_moves=True)
        return [replace(x, coordinate=name) for x in ranges_of(found, limits, step)]

    # -- from place to place ---------------------------------------------------------------------------------------------

    def places(self, moving: list[Any], values: list[float], k: int) -> Callable[[float, State], State]:
        """Moves one thing to a place, the others where they are."""
        if self.bodies:
            s = begin(self.asked, self.variant, self.here.state, None, self.t, None, None, hold=moving)
            s.targets[:] = values

            def held(x: float, near: State) -> tuple[State, float]:
                s.place, s.targets[k] = (near.q, near.angles), x
                return (s.state, 0.0) if s.onto() else (near, math.inf)
        else:
            system, number = self._locked(moving, values, k)

            def held(x: float, near: State) -> tuple[State, float]:
                point = Point(system, self.t, near.q.copy(), np.zeros_like(near.v))
                point.work.F[number] = x
                point.scales()
                off = point.onto()
                return replace(near, q=point.q.copy()), off

        def place(x: float, near: State) -> State:
            state, off = held(x, near)
            if not off <= OFF:
                found = f"{getattr(moving[k], 'name', moving[k])} = {x:g}: rows off by {off:.3g}"
                raise MethodError(self.asked, found, "the rows cannot hold there", "give a better start")
            return state

        return place

    def _locked(self, moving: list[Any], values: list[float], k: int) -> tuple[Any, int]:
        """A Lagrangian system with rows for what slips, and the number of the parameter that is the place of the k-th."""
        what, now = "place of what slips", self.variant.situation
        rows = [one - (Name.of_measure(what) if n == k else v) for n, (one, v) in enumerate(zip(moving, values))]
        locked = (*now.locked, *((f"held {n}", row, 0.0) for n, row in enumerate(rows)))
        system = compile_lagrangian(
            self.variant.varied(replace(now, locked=locked), {what: values[k]}), self.asked
        ).own()
        return system, list(system.model.parameters).index(what)


# -- one compliant contact, several free motions ---------------------------------------------------------------------------


# a step is followed where it ends this part of itself from what was promised, or nearer than a part of the model's length; how often it is halved
ASIDE, SMALL, HALVES = 0.1, 1e-6, 5


def slip_ranges(asked: str, model: Mechanism, start: State | None, turns: float, t: float, free: int) -> RestRanges:
    """Ranges of what slides at the one contact with friction in which a machine with several free motions rests."""
    _refuse_several(asked, model, free)
    begin = assemble(model, start=start, t=t).state if start is None else start
    model = model.without_starts()
    place, rub = _first(asked, model, begin, turns)
    way = _Way(asked, model, rub, place)

    def limits(x: float, near: _Placed) -> Held | None:
        """Loads along what slides that friction lets the machine be held by at a value, and the pose; None where it does not balance."""
        made = way.to(x, near, HALVES)
        return None if made is None else Held(x, made.force - made.limit, made.force + made.limit, made)

    step = 2.0 * turns * length_of(model) / (PLACES // 2)
    places = walked(limits, way.first, way.first.at, step)
    ends = [places[0].pose.state, places[-1].pose.state]
    shown = changing(model, length_of(model), lambda one, pose: value_of(model, one, pose), ends)
    if shown is None:
        raise MethodError(
            asked, f"no balance beside the start, where what slides at {rub.contact!r} is held and {free - 1} motions are free",
            "what friction holds is found as a range of one coordinate, followed from the rest position next to the start",
            "give start= near a rest position in which the contact presses, or let the machine come to rest in da.simulate",
        )  # fmt: skip

    def read(pose: State | None, way: float) -> float:
        return way * np.inf if pose is None else value_of(model, shown, pose)

    begins, ends_at = read(ends[0], 0.0), read(ends[1], 0.0)
    found = []
    for one in ranges_of(places, limits, step):
        poses = [None if pose is None else pose.state for pose in one.states]
        low, high = poses if begins <= ends_at else poses[::-1]
        found.append(RestRange(read(low, -1.0), read(high, 1.0), (rub.contact,), shown.name, (low, high)))
    note = f", the other {free - 1} motions in balance next to the start; more may exist"
    looked = min(begins, ends_at), max(begins, ends_at)
    return RestRanges(
        model, shown.name, shown.unit, tuple(sorted(found, key=lambda one: one.low)), looked, note, certain=True
    )


def _refuse_several(asked: str, model: Mechanism, free: int) -> None:
    """Refuse what leaves more than one coordinate of rest positions."""
    feeling = [one for one in model.frictions if one.mu is not None and one.kind != "rub"]
    first = {getattr(one, "owner", one).name: one for one in reversed([*limited(model), *feeling])}
    count = sum(len(one.slips) for one in first.values())
    if count > 1 or any(slip.is_rate for one in first.values() for slip in one.slips):
        names = ", ".join(repr(one.name) for one in list(first.values())[:4])
        kind = (
            f"{count} components"
            if count > 1
            else "a slip that is a rate, and no coordinate (of balls that roll on each other)"
        )
        raise MethodError(
            asked, f"{free} free motions, and friction {names} with {kind}",
            "each component of friction holds a coordinate of its own, so that rest positions fill a set of as many dimensions; what is found are ranges of one coordinate",
            "hold motions by joints or drivers; da.holding_load tells of one pose whether it rests: where the range of some load contains 0",
        )  # fmt: skip


def _first(asked: str, model: Mechanism, begin: State, turns: float) -> tuple[State, Any]:
    """The rest position nearest to the start, with what slides held there, and the friction that acts in it."""
    rub = limited(model)[0]
    for _ in range(2):
        problem = Problem(asked, model, begin, t=begin.t, hold=rub.slips[:1])
        s: Any = problem.statics
        start = s.state
        found = problem.solve(None, turns, 0)
        far = [float(np.linalg.norm(s.size * s.way(start.q, e.state.q))) for e in found]
        near = found[int(np.argmin(far))].state if found else found.singular[0]
        acting = leading(limited(model), Pose(s.system, near.t, near.q, None, near.angles))
        if not acting or acting[0].name == rub.name:
            break
        begin, rub = near, acting[0]
    return near, rub


@dataclass(frozen=True)
class _Placed:
    """A pose in balance at a value of what slides, how coordinates change with that, the force that holds it there, and the largest of friction."""

    at: float
    state: State
    rate: np.ndarray
    force: float = 0.0
    limit: float = 0.0


class _Way:
    """Poses in balance along what slides, from a place."""

    def __init__(self, asked: str, model: Mechanism, rub: Any, place: State) -> None:
        self.rub, self.problem = rub, Problem(asked, model, place, t=place.t, hold=rub.slips[:1])
        self.statics: Any = self.problem.statics
        at, none = float(self.statics.targets[0]), np.zeros(len(place.q))
        beside = self.to(at + 10.0 * SMALL * self.statics.system.length, _Placed(at, place, none), 0)
        self.first = _Placed(at, place, none if beside is None else beside.rate)

    def to(self, x: float, near: _Placed, halves: int) -> _Placed | None:
        """The pose at a value, from one beside it; where it leads away from what coordinates promise, by smaller steps."""
        s, far = self.statics, x - near.at
        guess = near.state.q + far * near.rate
        s.place, s.targets[0] = (guess, near.state.angles), x
        try:
            balanced = self.problem.search.newton()
        except DalembertError:
            balanced = False
        first = not near.rate.any()
        if balanced and (first or s.reach(s.way(guess, s.pose.q)) <= ASIDE * abs(far) / s.system.length + SMALL):
            rate = (s.pose.q - near.state.q) / far if abs(far) > SMALL * s.system.length else near.rate
            return _Placed(x, s.state, rate, *self._forces())
        half = self.to(near.at + 0.5 * far, near, halves - 1) if halves else None
        return None if half is None else self.to(x, half, halves - 1)

    def _forces(self) -> tuple[float, float]:
        """The force that holds what slides, and what friction may take of it."""
        s = self.statics
        s.evaluate()
        s.factor()
        here = Pose(s.system, s.pose.t, s.pose.q, None, s.pose.work.angle)
        limit = self.rub.holding(s.system.number) * pressure_at(self.rub, here, np.zeros(0), [])
        return float(s.multipliers(s.force)[s.n_rows]), limit
