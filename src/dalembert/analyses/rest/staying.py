"""Where dry friction holds a model that no contacts touch: ranges of one coordinate where it has one free motion, and whether its position stays where it has several.

With one free motion a load u along what slips holds a place between two limits, and the machine rests where they include 0 (`ranges.py`).  With several the smallest share of the
friction with which forces balance says how far the position is from moving: up to 1 it stays, and around it so do the places of what slips, one at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
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
from ..dynamics.start import at_state
from ..events.surfaces import measured
from ..lagrangian.point import Point
from .coordinates import FAR
from .problem import Problem, begin
from .pushes import at_rest, forces_at, limited, touching_at
from .ranges import PLACES, Held, RestPlace, RestRange, RestRanges, coordinates_of, ranges_of, walked
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
