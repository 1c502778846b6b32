"""Search for equilibria: along the whole path of a model with one free motion, from many starts otherwise.

All motions stay on the constraints, in small steps, so the assembly branch of the start is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .newton import Newton
from .statics import Place

# golden section
GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


@dataclass
class Point:
    """A point of a path: place, direction of travel, reduced force along it."""

    place: Place
    direction: np.ndarray
    force: float


class Search(Newton):
    """Finds places where the reduced force is zero, from a start."""

    start: Place
    turns = 1.0
    path: Sequence[Point] = ()  # of one free motion, as it was walked

    # -- one free motion: the whole path ---------------------------------------------------------------------------------

    def walk(self, turns: float) -> list[Place]:
        """Equilibria on the path of a mechanism with one free motion, all around or as far as the strides go."""
        self.turns, longest = turns, self.statics.longest(turns)
        ahead, closed = self._path(1.0, longest)
        if closed == "again" and not self._repeats(ahead):
            closed = "turned"
        # springs that count turns: as many turns about the start as asked for
        n = max(2, math.ceil(0.5 * turns * len(ahead))) if closed == "turned" else 0
        if closed == "again":
            points = ahead
        elif 0 < n < len(ahead) - 2:
            # one more: the last stride of the round is a short one
            gone = self._round(ahead)
            points = [self._earlier(p, gone) for p in ahead[-2 - n : -1]] + ahead[: n + 1]
        else:
            if closed == "turned":
                ahead, _ = self._path(1.0, n, stop=False)
            back, _ = self._path(-1.0, len(ahead) - 1 if closed == "turned" else longest, stop=False)
            points = [Point(p.place, -p.direction, -p.force) for p in reversed(back[1:])] + ahead
        self.covered, self.path = (len(points), closed), points
        found = []
        for k, (a, b) in enumerate(zip(points, points[1:])):
            if a.force == 0.0:
                if k and points[k - 1].force == b.force == 0.0 and not np.array_equal(a.place[0], self.start[0]):
                    continue  # within a family: its ends and the start stand for it
                self.place = a.place
                found += self._settled(a)
            elif a.force * b.force < 0.0:
                found += self._crossing(a, b)
            elif (
                k and points[k - 1].force * a.force > 0.0 and abs(a.force) < min(abs(points[k - 1].force), abs(b.force))
            ):
                found += self._touching(points[k - 1], a, b)
        found = [self.unwound(place) for place in found]
        # the nearest to the start stands for a family of equilibria
        return sorted(found, key=lambda place: float(np.abs(place[0] - self.start[0]).sum()))

    def _settled(self, beside: Point) -> list[Place]:
        """The equilibrium next to here; what lies elsewhere belongs to other points, or to a branch that begins at a singular position."""
        s = self.statics
        near = self.newton() and s.reach(s.way(beside.place[0], s.pose.q)) < 2 * s.stride
        return [self.place] if near else []

    def _crossing(self, a: Point, b: Point) -> list[Place]:
        """The equilibrium between two points with forces of different signs: there is one, or the force jumps."""
        s = self.statics
        if s.exact:
            # Newton's method is at home between them
            self.place, gap = a.place, s.way(a.place[0], b.place[0])
            s.move(a.force / (a.force - b.force) * gap)
            found = self._settled(a)
            parts = s.reach(s.way(a.place[0], s.pose.q)), s.reach(s.way(s.pose.q, b.place[0]))
            if found and max(parts) <= s.reach(gap):
                return found
        self._between(a, b)
        found = self._settled(a)
        if not found:
            # Newton's method fails at very steep laws: halving does not
            self._between(a, b, exact=True)
            found = [self.place]
        return found

    def _touching(self, a: Point, b: Point, c: Point) -> list[Place]:
        """Equilibria about b, where the force is smaller than at its neighbours: none, one that it touches, or a pair close together."""
        s, sign = self.statics, math.copysign(1.0, b.force)
        if self._stays_away(a, b, c, sign):
            return []
        ends = [(p, s.reach(s.way(p.place[0], n.place[0]))) for p, n in ((a, b), (b, c))]

        def force(x: float) -> float:
            point, length = ends[0] if x < 0.0 else ends[1]
            return sign * self.force_along(point, (x + 1.0 if x < 0.0 else x) * length)

        low, high = -1.0, 1.0
        inner = [low + (1 - GOLDEN) * (high - low), low + GOLDEN * (high - low)]
        values = [force(x) for x in inner]
        for _ in range(30):
            if min(values) <= 0.0:
                break
            if values[0] < values[1]:
                high, inner[1], values[1] = inner[1], inner[0], values[0]
                inner[0] = low + (1 - GOLDEN) * (high - low)
                values[0] = force(inner[0])
            else:
                low, inner[0], values[0] = inner[0], inner[1], values[1]
                inner[1] = low + GOLDEN * (high - low)
                values[1] = force(inner[1])
        x = inner[int(np.argmin(values))]
        least = force(x)
        point = ends[0][0] if x < 0.0 else ends[1][0]
        z = s.free_motions()
        direction = z @ (z.T @ (s.size**2 * point.direction))
        lowest = Point(self.place, direction / s.reach(direction), sign * least)
        if least < 0.0:
            return self._crossing(a if x < 0.0 else b, lowest) + self._crossing(lowest, b if x < 0.0 else c)
        return self._settled(b)

    def _stays_away(self, a: Point, b: Point, c: Point, sign: float) -> bool:
        """Whether the force about b keeps well away from zero, as its exact slopes tell: its tangents at both ends of where it is least.

        Not where there are only differences of forces, laws with corners, or slopes that do not close in on a least force: then values decide.
        """
        s = self.statics
        if not s.exact or s.one_sided:
            return False

        def there(point: Point, far: float = 0.0) -> tuple[float, float]:
            """Force and slope at a distance from a point, both towards zero."""
            force = self.force_along(point, far)
            z = s.free_motions()
            along = z @ (z.T @ (s.size**2 * point.direction))
            slope = s.tangent(along[:, None], s.multipliers(s.force)).mean[:, 0]
            return sign * force, sign * float(along @ slope)

        force, slope = there(b)
        first, second = (a, b) if slope > 0.0 else (b, c)
        length = s.reach(s.way(first.place[0], second.place[0]))
        low, high = (0.0, *there(a)) if first is a else (0.0, force, slope), (length, force, slope)
        if second is c:
            high = (length, *there(c))
        for _ in range(6):
            (x, f, k), (y, g, m) = low, high
            if not (k < 0.0 < m and min(f, g) > 0.0):
                return False
            # where the tangents meet; half of it in reserve, they are those of a curve that need not be convex
            meet = (f - g + m * y - k * x) / (m - k)
            if f + k * (meet - x) > 0.5 * min(f, g):
                return True
            middle = x + (y - x) * k / (k - m)
            middle = min(max(middle, x + 0.1 * (y - x)), y - 0.1 * (y - x))
            made = (middle, *there(first, middle))
            low, high = (made, high) if made[2] < 0.0 else (low, made)
        return False

    def _repeats(self, loop: list[Point]) -> bool:
        """Whether forces all along a closed path are the same a round before: a stop may be touched in one round and not in the next."""
        gone = self._round(loop)
        for point in loop:
            earlier = self._earlier(point, gone)
            if abs(earlier.force - point.force) > 1e-7 * self.scale(np.zeros((0, 0))):
                return False
        return True

    def _round(self, loop: Sequence[Point]) -> Place:
        """What one round of a closed path adds to a place: full turns of bodies in the plane, and counted angles."""
        first, last = loop[0].place, loop[-1].place
        turns, wraps = np.zeros(len(first[0])), self.statics.wraps
        if wraps.any():
            turns[wraps] = 2 * math.pi * np.round((last[0] - first[0])[wraps] / (2 * math.pi))
        return turns, last[1] - first[1]

    def round_before(self, points: list[Point]) -> list[Point]:
        """Points of the closed path a round before."""
        gone = self._round(self.path)
        return [self._earlier(point, gone) for point in points]

    def _earlier(self, point: Point, gone: Place) -> Point:
        """The point of a closed path a round before, with the force there."""
        place = point.place[0] - gone[0], point.place[1] - gone[1]
        self.place = place
        self.statics.evaluate()
        return Point(place, point.direction, -float(point.direction @ self.statics.force))

    def unwound(self, place: Place) -> Place:
        """The same place reached the shorter way round the path, if it is closed: angles count fewer turns from the start."""
        if self.covered[1] != "again":
            return place
        first, gone = self.path[0].place, self._round(self.path)
        rounds = [(place[0] + k * gone[0], place[1] + k * gone[1]) for k in (0, -1, 1)]
        return min(rounds, key=lambda p: float(np.abs(p[0] - first[0]).sum() + np.abs(p[1] - first[1]).sum()))

    def _path(self, side: float, limit: int, stop: bool = True) -> tuple[list[Point], str]:
        """Points of the path in one direction, and how it ended.

        "again": it came back to its start; "turned": it did, but springs that count turns pull differently; "" otherwise.
        """
        s = self.statics
        start = self.start
        self.place = start
        s.onto()
        z = s.free_motions()[:, 0]
        direction = side * z * np.sign(z[np.argmax(np.abs(z * s.size))]) / s.reach(z)
        points, stride = [Point(self.place, direction, -float(direction @ s.force))], s.stride
        while len(points) <= limit:
            here = points[-1]
            moved = self._stride(here, stride, points[-2].direction if len(points) > 1 else here.direction)
            if moved is None:
                stride *= 0.5
                if stride < 1e-3:
                    break  # a dead end, or a position from which no stride leads on
                continue
            if not s.on_path(moved.place, start, self.turns):
                break
            points.append(moved)
            stride = min(s.stride, 1.5 * stride)
            near = s.wraps[0] or abs(moved.place[0][0] - start[0][0]) * s.size[0] < s.stride * s.system.length
            if stop and len(points) > 4 and near:
                left = s.way(moved.place[0], start[0])
                if s.reach(left) < 0.75 * s.stride:
                    self.place = moved.place
                    s.retract(left)
                    # a screw passes near its start without coming back to it
                    if s.reach(s.way(s.pose.q, start[0])) < 1e-8:
                        change = abs(-float(points[0].direction @ s.force) - points[0].force)
                        if float(left @ (s.size**2 * moved.direction)) < 0.0:
                            points.pop()  # beyond the start
                        points.append(Point(self.place, points[0].direction, points[0].force))
                        return points, "again" if change <= 1e-7 * self.scale(np.zeros((0, 0))) else "turned"
        return points, ""

    def _stride(self, here: Point, stride: float, before: np.ndarray) -> Point | None:
        """Next point of a path; None if the direction turns too much on the way."""
        s = self.statics
        self.place = here.place
        # the direction half a stride ahead, if it goes on turning as it did
        ahead = stride * (1.5 * here.direction - 0.5 * before)
        s.move(ahead)
        direction = s.across(here.direction, 1e-6, 0.5 * stride) if s.reach(ahead) < 1.5 * stride else None
        if direction is None:
            self.place = here.place
            if not s.retract(ahead, 1e-6):
                return None
            z = s.free_motions()
            # where further motions become possible the path goes straight on
            direction = z @ (z.T @ (s.size**2 * here.direction))
            if float(np.linalg.norm(s.size * direction)) < 0.9 * float(np.linalg.norm(s.size * here.direction)):
                return None
            if s.reach(s.way(here.place[0], s.pose.q)) > 2.0 * stride:
                return None
        elif float(np.square(s.size * direction).sum()) > 1.0 / 0.81:
            return None
        direction = direction / s.reach(direction)
        return Point(self.place, direction, -float(direction @ s.force))

    def force_along(self, point: Point, far: float) -> float:
        """Go along the direction of a point, and give the reduced force along it there."""
        s = self.statics
        self.place = point.place
        s.retract(far * point.direction)
        z = s.free_motions()
        return -float((z.T @ (s.size**2 * point.direction)) @ (z.T @ s.force))

    def _between(self, a: Point, b: Point, exact: bool = False) -> None:
        """Go near the zero of the reduced force between two points (Illinois rule), or as near as coordinates allow."""
        s = self.statics
        low, high, f_low, f_high = 0.0, s.reach(s.way(a.place[0], b.place[0])), a.force, b.force
        # where Newton's method takes over; stiff stops need more steps to it
        near = 0.0 if exact else 0.01 * min(abs(f_low), abs(f_high))
        for n in range(130 if exact else 90):
            middle = (low * f_high - high * f_low) / (f_high - f_low) if f_high != f_low else 0.5 * (low + high)
            if n >= 40:
                middle = 0.5 * (low + high)  # very stiff: halving is slow, but sure
            middle = min(max(middle, low), high)
            f = self.force_along(a, middle)
            if abs(f) <= near:
                return
            if f * f_low > 0.0:
                low, f_low, f_high = middle, f, 0.5 * f_high
            else:
                high, f_high, f_low = middle, f, 0.5 * f_low

    # -- several free motions: many starts -------------------------------------------------------------------------------

    def scatter(self, starts: int, turns: float, seed: int) -> list[Place]:
        """Equilibria reached from the start and from places drawn at random along the free motions."""
        random = np.random.default_rng(seed)
        found = []
        for n in range(starts):
            self.place = self.start
            if n:
                self.go_astray(random, turns)
            here = self.place
            for go in (self.newton, self.descend):
                self.place = here
                if go():
                    found.append(self.place)
        return found

    def go_astray(self, random: np.random.Generator, turns: float) -> None:
        """Go to a random place."""
        if not self.statics.throw(random, turns):
            self._wander(random, turns)

    def _wander(self, random: np.random.Generator, turns: float) -> None:
        """Move along a random combination of the free motions, up to half a turn times `turns`."""
        s = self.statics
        s.onto()
        z = s.free_motions()
        direction = z @ random.normal(size=z.shape[1])
        left = float(random.uniform(0.0, math.pi * turns))
        while left > 0.0:
            here, size = self.place, min(0.3, left)
            if not s.retract(direction * (size / max(s.reach(direction), 1e-300))):
                self.place = here
                s.onto()
                return
            z = s.free_motions()
            direction = z @ (z.T @ (s.size**2 * direction))
            left -= size

    def run(self, starts: int, turns: float, seed: int) -> list[Place]:
        """All places found."""
        self.start = self.place
        self.statics.onto()
        found = self.walk(turns) if self.statics.dof == 1 else []
        if self.statics.dof > 1 or self.statics.unbounded:
            found += self.scatter(starts if self.statics.dof > 1 else min(starts, 6), turns, seed)
        return found
