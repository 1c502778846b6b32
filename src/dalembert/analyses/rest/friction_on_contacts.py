"""What friction at rigid contacts holds: ranges of positions, on every set of gaps that leaves one free motion.

With these gaps closed the machine has one path from where it starts; what is put together in another way (a block turned over) has another one, which random
places lead to.  It rests at a place of it where no gap is negative and forces of all that touches and rubs balance: there are forces at which nothing has to slip
(`static_forces.py`).  Ends of ranges are roots of the limits of a load along the path (`ranges.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, MethodError, ModelError
from ...model.mechanism import Mechanism
from ...state import State
from .acting_forces import forces_at
from .friction_limits import Still, slip_ranges
from .problem import Problem
from .ranges import Held, RestRange, RestRanges, changing, ranges_of
from .search import Point
from .static_forces import ROUNDING, StaticForces
from .statics import SEARCHED, Place, Statics
from .unilateral_contacts import TOUCHES, Contacts

if TYPE_CHECKING:
    from ...model.measure import Measure


# how near a single place is to the end of a range that it belongs to
SAME = 1e-6
# how narrow, in strides, a range is that has no width but rounding
POINT = 1e-9


class FrictionalContacts(Contacts):
    """The rigid contacts of a mechanism, with friction."""

    def forces(self, place: Place, load: np.ndarray | None = None) -> StaticForces | None:
        """What may balance a place, with a load besides; None where a gap is negative."""
        s, values = self.gaps(place)
        if not np.all(values > -TOUCHES):
            return None
        loads, touch = None if load is None else load[:, None], [k for k in range(len(s)) if values[k] <= TOUCHES]
        return forces_at(self.asked, self._view, loads, s, touch, rank=SEARCHED)

    def held(self, place: Place) -> bool:
        """Whether the machine can rest at a place."""
        forces = self.forces(place)
        return forces is not None and forces.inside()[0] >= -ROUNDING

    def ranges(self, closed: frozenset[str], turns: float) -> tuple[list[RestRange], Any, tuple[float, float]] | None:
        """Ranges on the paths that some gaps leave, the coordinate, and from where to where it was looked; None without a path."""
        problem = self.problem(closed)
        if problem is None or problem.statics.dof != 1:
            return None
        made: list[RestRange] = []
        coordinate, looked, walked = None, (np.inf, -np.inf), list[list[Point]]()
        statics = problem.statics
        for begin in self._begins(problem, closed, turns, 0):
            problem.search.place = begin
            if not statics.onto() or statics.dof != 1:
                continue
            if any(_leads_to(statics, path, problem.search.place) for path in walked):
                continue
            try:
                found = self._along_path(problem, closed, turns)
            except (MethodError, ModelError):
                raise
            except DalembertError:
                self.failed += 1
                continue
            walked.append(list(problem.search.path))
            if found is not None:
                made += found[0]
                coordinate = coordinate or found[1]
                looked = min(looked[0], found[2][0]), max(looked[1], found[2][1])
        return None if coordinate is None else (made, coordinate, looked)

    def _along_path(
        self, problem: Problem, closed: frozenset[str], turns: float
    ) -> tuple[list[RestRange], Any, tuple[float, float]] | None:
        search, s = problem.search, problem.statics
        search.start = search.place
        search.walk(turns)
        path = [self._exactly(problem, point) for point in search.path]
        coordinate = self._coordinate(path)
        if coordinate is None:
            return None
        if search.covered[1] == "again":
            # all around: from a place that is not held to the same one
            n = next((n for n, point in enumerate(path) if not self.held(point.place)), len(path))
            path = path if n == len(path) else search.round_before(path[n:-1]) + path[: n + 1]
        far = [s.reach(s.way(a.place[0], b.place[0])) for a, b in zip(path, path[1:])]

        def limits(x: float, near: Any) -> Held | None:
            """Loads along the path that hold a place of it, which is told by the number of a point and a part of the stride from there."""
            n = min(int(x), len(path) - 2)
            place = path[n].place
            if x != n:
                search.force_along(path[n], (x - n) * far[n])
                place = search.place
            forces = self.forces(place, s.size**2 * path[n].direction)
            found = None if forces is None else forces.around(0)
            return Held(x, *((math.inf, -math.inf) if found is None else found), place)

        every = [limits(float(n), None) for n in range(len(path))]
        made, single = list[RestRange](), list[Place]()
        rises = self._value(coordinate, path[-1].place) > self._value(coordinate, path[0].place)
        for one in ranges_of([x for x in every if x is not None], limits, 1.0):
            ends: Any = (one.states[0], one.states[1]) if rises else (one.states[1], one.states[0])
            if one.high - one.low < POINT or (one.high - one.low < SAME and self._touches_besides(ends[0], closed)):
                single.append(search.unwound(ends[0]))  # also within the tolerance of a gap that touches
            else:
                made.append(self._range(closed, coordinate, ends))
        for place in [*self._corners(problem, closed), *single]:
            x = self._value(coordinate, place)
            # the same place after full turns is no other one
            turned = (x, x - 2 * np.pi, x + 2 * np.pi) if coordinate.unit == "rad" else (x,)
            if not any(one.low - SAME <= y <= one.high + SAME for one in made for y in turned) and self.held(place):
                made.append(self._range(closed, coordinate, (place, place)))
        low, high = sorted(self._value(coordinate, point.place) for point in (path[0], path[-1]))
        return sorted(made, key=lambda one: one.low), coordinate, (low, high)

    def _range(self, closed: frozenset[str], coordinate: Measure, places: Sequence[Place | None]) -> RestRange:
        """The range between two places; one that goes on beyond the path has no end."""
        low, high = (
            way * np.inf if place is None else self._value(coordinate, place) for place, way in zip(places, (-1.0, 1.0))
        )
        states = [None if place is None else self._state(place) for place in places]
        return RestRange(low, high, tuple(sorted(closed)), coordinate.name, (states[0], states[1]))

    def _exactly(self, problem: Problem, point: Point) -> Point:
        """A point of a path, on all rows to the last digits."""
        problem.search.place = point.place
        problem.statics.onto()
        return replace(point, place=problem.search.place)

    def _touches_besides(self, place: Place, closed: frozenset[str]) -> bool:
        """Whether another gap than those that are held closed touches at a place."""
        s, values = self.gaps(place)
        return any(value <= TOUCHES and name not in closed for name, value in zip(s.names, values))

    def _coordinate(self, path: list[Point]) -> Measure | None:
        assert isinstance(self.model, Mechanism)
        places = [path[n].place for n in sorted({0, len(path) // 3, len(path) - 1})]
        return changing(self.model, self.free.statics.system.length, self._value, places)

    def _value(self, measure: Measure, place: Place) -> float:
        self._view.q = place[0].copy()
        self._view.work.angle[:] = place[1]
        return float(self._view.measure(measure)[0])

    def _state(self, place: Place) -> State:
        self.free.search.place = place
        return self.free.statics.state


def ranges_on_contacts(asked: str, model: Mechanism, start: State | None, turns: float, t: float) -> RestRanges:
    """Ranges of positions in which friction at contacts holds a mechanism."""
    contacts = FrictionalContacts(asked, model, start, "force", t)
    if not contacts.names and contacts.free.statics.dof > 1:
        return slip_ranges(asked, model, start, turns, t, contacts.free.statics.dof)
    sets, count = contacts.sets()
    found, coordinate, looked = [], None, (np.inf, -np.inf)
    for closed in sets:
        made = contacts.ranges(closed, turns)
        if made is not None:
            found += made[0]
            coordinate = coordinate or made[1]
            looked = min(looked[0], made[2][0]), max(looked[1], made[2][1])
    if coordinate is None:
        return Still(asked, model, start, t).place(turns)
    failed = f", {contacts.failed} paths of them could not be looked through" if contacts.failed else ""
    note = f", {len(sets)} of {count} sets of touching gaps{failed}; those that leave one free motion, more paths may exist"
    certain = not any(stop.rough for stop in model.stops_at_work.values())
    certain = certain and not any(rub.stop.name in model.stops_at_work for rub in model.rubs)
    certain = certain and all(one.mu is None or one.kind == "rub" for one in model.frictions)
    between = float(looked[0]), float(looked[1])
    return RestRanges(model, coordinate.name, coordinate.unit, tuple(_known_once(found)), between, note, certain)


def _leads_to(statics: Statics, path: list[Point], place: Place) -> bool:
    """Whether a place lies on a path, or beyond its ends on the line that a straight one goes on along."""
    if any(statics.reach(statics.way(place[0], point.place[0])) < statics.stride for point in path):
        return True
    along, there = (statics.way(path[0].place[0], q) for q in (path[-1].place[0], place[0]))
    straight = statics.reach(along) > statics.stride
    return straight and statics.reach(there - along * (there @ along) / (along @ along)) < SAME


def _known_once(found: list[RestRange]) -> list[RestRange]:
    """Single places of one set that lie in a range of another are left out."""

    def apart(q: np.ndarray, p: np.ndarray) -> float:
        delta = q - p
        delta[2::3] = (delta[2::3] + np.pi) % (2 * np.pi) - np.pi  # angles of bodies in the plane, full turns left out
        return float(np.abs(delta).max())

    def same(a: RestRange, b: RestRange) -> bool:
        near = a.states[0] is not None and any(x is not None and apart(a.states[0].q, x.q) < SAME for x in b.states)
        return near and a is not b

    wide = [one for one in found if one.low < one.high]
    made = list(wide)
    for one in found:
        if one.low == one.high and not any(same(one, other) for other in made):
            made.append(one)
    return made
