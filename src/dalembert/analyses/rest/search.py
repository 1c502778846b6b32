"""Search for equilibria: Newton's method and descent from one start; along the whole path of a model with one free motion, from many starts otherwise.

Newton's method is on the reduced force, g = -Z^T Q with K = dg/dy; it finds equilibria of any kind, descent of the potential energy with |K| the stable ones.
All motions stay on the constraints, in small steps, so the assembly branch of the start is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .potential import Energy
from .slopes import STEP
from .statics import EPS, Place, Statics, largest, principal

# reduced force that counts as zero, relative to the stiffness times the length, or to the largest force
ZERO = 1e-12
# where the stiffness of steep laws comes from: exact, or by differences over so many model lengths
STEPS = (None, STEP, 1e-5, 1e-7, 1e-9)
# parts of a step down, where the energy has an edge
SMALL = tuple(10.0 ** -np.arange(2.0, 9.5, 0.5))


class Newton:
    """Goes to places where the reduced force is zero.

    `statics`: the model, on its constraints; `potential`: its energy, or None where there is none.
    """

    def __init__(self, statics: Statics, potential: Energy | None) -> None:
        # without a potential, or with one that is costly, steps down are judged by the work of the forces
        self.statics, self.potential = statics, None if potential is None or potential.costly else potential
        self.covered = 0, ""  # places on the path of one free motion, and whether it closed
        self.nearest = math.inf  # smallest reduced force left by a start that did not converge, relative

    @property
    def place(self) -> Place:
        """Configuration and counted angles."""
        return self.statics.place

    @place.setter
    def place(self, place: Place) -> None:
        self.statics.place = place

    def reduced(self) -> tuple[np.ndarray, np.ndarray]:
        """Free motions and the force along them that is not balanced, g = -Z^T Q."""
        z = self.statics.free_motions()
        return z, -(z.T @ self.statics.force)

    def stiffness(self, z: np.ndarray, step: float | None = None) -> np.ndarray:
        """Reduced stiffness here, as accurate as Newton's method needs it; with a step over this distance."""
        lam = self.statics.multipliers(self.statics.force)
        return z.T @ self.statics.tangent(z, lam, step).mean

    def scale(self, k: np.ndarray) -> float:
        """Size of forces that the reduced force is compared with; the stiffness is finite."""
        s = self.statics
        stiff = largest(k) * s.system.length
        return max(stiff, float(np.max(np.abs(s.force / s.size), initial=0.0)), 1e-300)

    # -- from one start --------------------------------------------------------------------------------------------------

    def newton(self, limit: int = 80) -> bool:
        """Go to a zero of the reduced force near here; whether one was reached.

        Where steps lead nowhere the stiffness is taken over a distance, then over smaller ones: laws may be steep.  At a zero of order m steps become
        smaller by the ratio 1 - 1/m only; where they do so m of them are taken at once.
        """
        s = self.statics
        if not s.onto():
            return False
        step: float | None = None
        before, ratio, size, scale = 0.0, 0.0, math.inf, 1.0
        for _ in range(limit):
            z, g = self.reduced()
            k = self.stiffness(z, step)
            size = float(np.linalg.norm(g))
            if not math.isfinite(size) or not np.isfinite(k).all():
                return False
            scale = self.scale(k)
            if size <= 0.01 * ZERO * scale and self._balanced(z, g, k):
                return True
            y = -g / k[0] if k.size == 1 and k[0, 0] != 0.0 else -np.linalg.pinv(k, rcond=1e-14) @ g
            delta = z @ y
            delta *= min(1.0, 0.3 / max(s.stretch(delta), 1e-300))
            length = s.reach(delta)
            now = length / before if before > 0.0 else 0.0
            many = 1.0 / (1.0 - now) if 0.4 < now < 0.98 and abs(now - ratio) < 0.05 else 1.0
            here = self.place
            for c in (many, 1.0, 0.5, 0.25, 0.1, 0.01):
                self.place = here
                if not s.retract(c * delta):
                    continue
                left = float(np.linalg.norm(self.reduced()[1]))
                if left < size * (1 - 1e-3 * c):
                    before, ratio = (length, now) if c == 1.0 else (0.0, 0.0)
                    if left > 0.6 * size and length < 0.1 and step != STEPS[-1]:
                        step = STEPS[STEPS.index(step) + 1]  # even at a zero of high order the force falls to 1/e
                    break
            else:
                self.place = here
                s.onto()
                if size <= ZERO * scale and self._balanced(z, g, k):
                    return True
                if step == STEPS[-1]:
                    break
                step = STEPS[STEPS.index(step) + 1]
        self.nearest = min(self.nearest, size / scale)
        return size <= ZERO * scale and self._balanced(z, g, k)

    def _balanced(self, z: np.ndarray, g: np.ndarray, k: np.ndarray) -> bool:
        """Whether the force along every free motion is zero beside its own stiffness, or is rounding."""
        s = self.statics
        values, vectors = principal(k)
        left = np.abs(vectors.T @ g)
        open_ends = left > ZERO * s.system.length * np.abs(values)
        if not open_ends.any():
            return True
        noise = np.abs(vectors.T) @ s.rounding(z, s.multipliers(s.force))
        return bool(np.all(left[open_ends] <= 100.0 * noise[open_ends]))

    def is_one(self, a: Place, b: Place) -> bool:
        """Whether the force between two places near each other is no larger than at them: one equilibrium, as near as rounding allows."""
        s = self.statics
        delta, left = s.way(a[0], b[0]), []
        if s.reach(delta) > 0.05:
            return False
        for part in (0.0, 1.0, 0.5, 0.25, 0.75):
            self.place = a
            s.retract(part * delta)
            z, g = self.reduced()
            left.append(float(np.linalg.norm(g)))
        noise = float(np.linalg.norm(s.rounding(z, s.multipliers(s.force))))
        return max(left[2:]) <= 2.0 * max(left[:2]) + 10.0 * noise

    def descend(self, limit: int = 200) -> bool:
        """Go where the forces drive, down the potential energy if there is one, to an equilibrium; whether one was reached."""
        s = self.statics
        if not s.onto():
            return False
        push = 1.0
        for _ in range(limit):
            energy = 0.0 if self.potential is None else self.potential()
            z, g = self.reduced()
            k = self.stiffness(z)
            if not (math.isfinite(energy) and np.isfinite(k).all() and np.isfinite(g).all()):
                return False
            scale = self.scale(k)
            values, vectors = principal(k)
            along = vectors.T @ g
            if float(np.linalg.norm(g)) <= 1e-7 * scale:
                if values[0] >= -1e-7 * scale / s.system.length:
                    return self.newton()
                # a saddle: leave it along its steepest way down
                y = push * 0.05 * s.system.length * vectors[:, 0]
                push = -push
            else:
                floor = 1e-6 * max(float(np.max(np.abs(values))), 1e-300)
                y = vectors @ (-along / np.maximum(np.abs(values), floor))
            delta = z @ y
            delta *= min(1.0, 0.4 / max(s.stretch(delta), 1e-300))
            here = self.place
            for c in (1.0, 0.5, 0.25, 0.1, 0.03, *SMALL):
                self.place = here
                if s.retract(c * delta) and self._lower(energy, float(g @ y), delta):
                    break
            else:
                self.place = here
                return self.newton()
        return False

    def is_smooth(self) -> bool:
        """Whether forces vanish towards this place: a spring of length zero pulls nowhere, and beside it with full force."""
        s, here = self.statics, self.place
        z, _ = self.reduced()
        if self.potential is not None and self.potential.smooth_here():
            return True
        # not the exact stiffness: next to a spring of length zero it is beyond all bounds
        scale = self.scale(self.stiffness(z, STEP))
        # as close as coordinates can tell
        closest = max(1e-11, 1e3 * EPS * float(np.max(np.abs(s.pose.q), initial=0.0)) / s.system.length)
        left = []
        for side in (1e-7, closest):
            largest = 0.0
            for k in range(z.shape[1]):
                for sign in (1.0, -1.0):
                    self.place = here
                    s.retract(sign * side / s.reach(z[:, k]) * z[:, k])
                    largest = max(largest, float(np.linalg.norm(self.reduced()[1])))
            left.append(largest)
            if largest <= 1e-5 * scale:
                break
        self.place = here
        s.onto()
        if left[-1] <= 1e-5 * scale or (closest < 1e-8 and left[-1] <= 0.1 * left[0]):
            return True
        # as far as this place is from the equilibrium forces do not change: rounding
        noise = float(np.linalg.norm(s.rounding(z, s.multipliers(s.force), (STEP,))))
        return left[-1] <= 100.0 * noise

    def _lower(self, energy: float, slope: float, delta: np.ndarray) -> bool:
        """Whether a step went down: the energy, or without one the work of the forces (mean of its begin and end)."""
        if self.potential is not None:
            return self.potential() < energy
        z, g = self.reduced()
        return slope + float(g @ (z.T @ (self.statics.size**2 * delta))) < 0.0


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
        """Go to a random place: at once, or along a random combination of the free motions, up to half a turn times `turns`."""
        s = self.statics
        if s.throw(random, turns):
            return
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
