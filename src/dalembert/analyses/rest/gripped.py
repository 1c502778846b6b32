"""What friction at rigid contacts in the plane holds: ranges of positions, on every set of gaps that leaves one free motion.

With these gaps closed the machine has one path from where it starts; what is put together in another way (a block turned over) has another one, which random
places lead to.  It rests at a place of it where no gap is negative and pushes of all gaps that touch, in their cones, balance the forces
(`pushes.py`): there are forces at which nothing has to slip.  Between two places of the path of which one is held, the end of the range is found by halving.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, MethodError, ModelError
from ...model.mechanism import Mechanism
from ...state import State
from .held import HALVINGS, RestRange, RestRanges, changing
from .pressures import DEPENDENT
from .problem import Problem
from .pushes import Push, grips, held_along, pushes, refuse_feeling, soft
from .search import Point
from .slipped import slip_ranges
from .statics import Place, Statics
from .touching import TOUCHES, Contacts

if TYPE_CHECKING:
    from ...model.measure import Measure


# how near a single place is to the end of a range that it belongs to
SAME = 1e-6


class Gripped(Contacts):
    """The rigid contacts of a mechanism in the plane, with friction."""

    def held(self, place: Place) -> bool:
        """Whether the machine can rest at a place."""
        if not np.all(self.gaps(place)[1] > -TOUCHES):
            return False
        z, load, scale = self.balance_at(place)
        return held_along(self._acting(place, z), z, load, scale, self.free.statics.size)

    def _acting(self, place: Place, z: np.ndarray) -> list[Push]:
        """What touches at a place can push with, and what friction of a known limit can hold."""
        s, values = self.gaps(place)
        touch = [k for k in range(len(s)) if values[k] <= TOUCHES]
        return pushes(self.asked, s, touch, self.free.statics.pose, z) + grips(self._view, self.model)

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
        """Ranges on the path through the present place."""
        search = problem.search
        search.start = search.place
        places = search.walk(turns)
        path = [self._exactly(problem, point) for point in search.path]
        coordinate = self._coordinate(path)
        if coordinate is None:
            return None
        holds = [self.held(point.place) for point in path]
        if search.covered[1] == "again" and not all(holds):
            # all around: from a place that is not held to the same one
            n = holds.index(False)
            path, holds = search.round_before(path[n:-1]) + path[: n + 1], holds[n:-1] + holds[: n + 1]
        made = self._joined(problem, path, holds, coordinate, closed)
        for place in [*places, *self._corners(problem, closed)]:
            x = self._value(coordinate, place)
            # the same place after full turns is no other one
            turned = (x, x - 2 * np.pi, x + 2 * np.pi) if coordinate.unit == "rad" else (x,)
            if self.held(place) and not any(one.low - SAME <= y <= one.high + SAME for one in made for y in turned):
                made += self._about(problem, path, place, coordinate, closed)
        ends = sorted(self._value(coordinate, point.place) for point in (path[0], path[-1]))
        return sorted(made, key=lambda one: one.low), coordinate, (ends[0], ends[1])

    def _exactly(self, problem: Problem, point: Point) -> Point:
        """A point of a path, on all rows to the last digits."""
        problem.search.place = point.place
        problem.statics.onto()
        return replace(point, place=problem.search.place)

    def _joined(self, problem: Problem, path: list[Point], holds: list[bool], coordinate: Measure, closed: frozenset[str]) -> list[RestRange]:  # fmt: skip
        """Neighbours that are held make a range; one that goes on beyond the path has no end."""
        rises, made = self._value(coordinate, path[-1].place) > self._value(coordinate, path[0].place), []
        n = 0
        while n < len(path):
            if not holds[n]:
                n += 1
                continue
            first = n
            while n + 1 < len(path) and holds[n + 1]:
                n += 1
            ends = [self._end(problem, path, first, -1, closed), self._end(problem, path, n, 1, closed)]
            states = [None if place is None else self._state(place) for place in ends]
            low, high = (
                way * np.inf if place is None else self._value(coordinate, place)
                for place, way in zip(ends, (-1.0, 1.0) if rises else (1.0, -1.0))
            )
            if not rises:
                low, high, states = high, low, states[::-1]
            made.append(
                RestRange(float(low), float(high), tuple(sorted(closed)), coordinate.name, (states[0], states[1]))
            )
            n += 1
        return made

    def _about(self, problem: Problem, path: list[Point], place: Place, coordinate: Measure, closed: frozenset[str]) -> list[RestRange]:  # fmt: skip
        """The range about a place that is held between two of the path that are not."""
        search, s = problem.search, problem.statics

        def beside(n: int) -> float:
            return sum(s.reach(s.way(point.place[0], place[0])) for point in path[n : n + 2])

        n = min(range(len(path) - 1), key=beside)
        search.place = place
        s.onto()
        z = s.free_motions()
        direction = z @ (z.T @ (s.size**2 * path[n].direction))
        acting = self._acting(search.place, self.balance_at(search.place)[0])
        across = np.vstack([np.zeros((1, len(z))), *(one.across for one in acting)])
        if not np.any(np.abs(across @ direction) > DEPENDENT * (np.abs(across) @ np.abs(direction))):
            # no friction along the path: about a rest position nothing holds but what balances to rounding
            x, state = self._value(coordinate, search.place), self._state(search.place)
            return [RestRange(x, x, tuple(sorted(closed)), coordinate.name, (state, state))]
        here = Point(search.place, direction / s.reach(direction), 0.0)
        return self._joined(problem, [path[n], here, path[n + 1]], [False, True, False], coordinate, closed)

    def _touches_besides(self, place: Place, closed: frozenset[str]) -> bool:
        """Whether another gap than those that are held closed touches at a place."""
        s, values = self.gaps(place)
        return any(value <= TOUCHES and name not in closed for name, value in zip(s.names, values))

    def _end(self, problem: Problem, path: list[Point], n: int, way: int, closed: frozenset[str]) -> Place | None:
        """The last place that is held from a point of the path on, one way; None at the end of the path."""
        if not 0 <= n + way < len(path):
            return None
        search, s = problem.search, problem.statics
        a = replace(path[n], direction=way * path[n].direction)
        length = s.reach(s.way(a.place[0], path[n + way].place[0]))
        inside, outside = 0.0, length
        if self._touches_besides(a.place, closed):
            # within the tolerance of a gap that touches it is a single place
            search.force_along(a, SAME)
            if not self.held(search.place):
                return a.place
            inside = SAME
        for _ in range(HALVINGS):
            middle = 0.5 * (inside + outside)
            search.force_along(a, middle)
            inside, outside = (middle, outside) if self.held(search.place) else (inside, middle)
        search.force_along(a, inside)
        return search.place

    def _coordinate(self, path: list[Point]) -> Measure | None:
        """A coordinate that changes along a path."""
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
    names = dict.fromkeys([*model.stops_at_work, *(one.contact for one in soft(model))])
    refuse_feeling(asked, model, ", ".join(map(repr, list(names)[:4])))
    contacts = Gripped(asked, model, start, "force", t)
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
        least = min((p.statics.dof for p in map(contacts.problem, sets) if p is not None), default=0)
        raise MethodError(
            asked, f"{least} free motions are left with all gaps closed that can be" if least > 1 else "no set of closed gaps leaves a path",
            "what friction holds is found as ranges of one coordinate, where the gaps that touch leave one free motion",
            "hold the others by drivers or joints, give start= near the position, or leave mu= out",
        )  # fmt: skip
    failed = f", {contacts.failed} paths of them could not be looked through" if contacts.failed else ""
    note = f", {len(sets)} of {count} sets of touching gaps{failed}; those that leave one free motion, more paths may exist"
    between = float(looked[0]), float(looked[1])
    return RestRanges(model, coordinate.name, coordinate.unit, tuple(_known_once(found)), between, note)


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
