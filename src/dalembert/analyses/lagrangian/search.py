"""Search for equilibria of a Lagrangian system: along the whole path where one motion is free, from many starts otherwise.

In equilibrium f(q, v) = J^T lam with v = 0, or the constant rates of a steady motion, so that g = -Z^T f = 0 on J Z = 0.  Newton's method
uses K = Z^T d(J^T lam - f)/dq, exact.  All moves stay on the holonomic rows, in small steps, so that the assembly branch of the start is
kept.  Distances are measured in radians, and in lengths of the size that the start has.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .derivatives import Derivatives, Rows, Values

# strides on the path of one free motion, of a walk to a random start, and the largest step of Newton's method
STRIDE, WALK, STEP = 0.02, 0.2, 0.5
# how far lengths are searched, in sizes of the start
FAR = 10.0
EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Place:
    """A place with its balance."""

    q: np.ndarray
    values: Values
    rows: Rows
    holonomic: Rows
    lam: np.ndarray
    g: np.ndarray

    @property
    def left(self) -> float:
        """Unbalanced force."""
        return float(np.linalg.norm(self.g))


# a place and the direction of a path before a change of sign
Crossing = tuple[Place, np.ndarray]


class Search:
    """A system at rest or in steady motion, searched from a start on its rows."""

    def __init__(self, functions: Derivatives, t: float, q: np.ndarray, v: np.ndarray, held: tuple[int, ...]) -> None:
        self.functions, self.t, self.start, self.v, self.held = functions, t, q, v, held
        self.angle = np.array([functions.is_angle(name) for name in functions.q])
        length = float(np.max(np.abs(q[~self.angle]), initial=0.0))
        self.size = np.where(self.angle, 1.0, length if length > 1e-9 else 1.0)
        self.grip = np.eye(functions.n)[list(held)]
        self.periodic = np.array([k not in held and self._repeats(k) for k in range(functions.n)])
        self.stiffness = 0.0  # the largest that was met: what a balance is compared with
        self.nearest = math.inf
        self.covered, self.closed = 0, False  # places on the path of one free motion, and whether it came back

    def _repeats(self, k: int) -> bool:
        """Whether a full turn of a coordinate changes nothing."""
        if not self.angle[k]:
            return False
        rng, turn = np.random.default_rng(k), np.zeros(len(self.start))
        turn[k] = 2 * math.pi
        for _ in range(3):
            q = self.start + self.size * rng.uniform(-1.0, 1.0, len(self.start))
            a, b = (self.functions.values(self.t, x, self.v) for x in (q, q + turn))
            for x, y in zip(_parts(a), _parts(b)):
                scale = 1e-9 * max(1.0, float(np.max(np.abs(x[np.isfinite(x)]), initial=0.0)))
                if not np.allclose(x, y, rtol=1e-9, atol=scale, equal_nan=True):
                    return False
        return True

    # -- one place -------------------------------------------------------------------------------------------------------

    def at(self, q: np.ndarray) -> Place | None:
        """Balance at a place; None where expressions have no value."""
        x = self.functions.values(self.t, q, self.v)
        if not x.finite:
            return None
        rows = Rows(np.vstack([x.jac, self.grip]), self.size)
        holonomic = (
            rows
            if self.functions.h == self.functions.m
            else Rows(np.vstack([x.jac[: self.functions.h], self.grip]), self.size)
        )
        lam = rows.multipliers(x.force)[: self.functions.m]
        return Place(q, x, rows, holonomic, lam, -rows.motions.T @ x.force)

    def slope(self, place: Place) -> np.ndarray:
        """Derivatives of J^T lam - f by q."""
        none = np.zeros(self.functions.n)
        return self.functions.slopes(self.t, place.q, self.v, none, place.lam).r_q

    def onto(self, q: np.ndarray) -> np.ndarray | None:
        """The place on the holonomic rows next to q."""
        h = self.functions.h
        if not h:
            return q
        before = math.inf
        for _ in range(30):
            x = self.functions.values(self.t, q, self.v)
            if not (np.isfinite(x.phi).all() and np.isfinite(x.jac).all()):
                return None
            rows = Rows(np.vstack([x.jac[:h], self.grip]), self.size)
            step = rows.inverse(np.concatenate([-x.phi, np.zeros(len(self.grip))]))
            length = self._length(step)
            if length <= 1e-15 or (length <= 1e-12 and length > 0.5 * before):
                return q
            if length > 2.0 * before and before < 0.1:
                return None
            before = length
            q = q + step * min(1.0, STEP / length)
        return None

    def _length(self, step: np.ndarray) -> float:
        return float(np.max(np.abs(step / self.size), initial=0.0))

    def is_smooth(self, place: Place) -> bool:
        """Whether forces vanish towards an equilibrium: not so at a kink of the energy, where a force jumps."""
        limit = 1e-3 * self.stiffness
        for motion in place.holonomic.motions.T:
            for side in (1.0, -1.0):
                left = [self._left(place, side * far * motion) for far in (1e-6, 1e-10)]
                if left[0] > limit and left[1] > 0.1 * left[0]:
                    return False
        return True

    def _left(self, place: Place, delta: np.ndarray) -> float:
        """Unbalanced force beside a place; zero where there is none."""
        q = self.onto(place.q + delta)
        beside = None if q is None else self.at(q)
        return 0.0 if beside is None else beside.left

    def rounding(self, place: Place) -> np.ndarray:
        """Rounding of the reduced force next to a place, along each free motion.

        Third differences over next to nothing, the last digits of its terms, and those of loads that rows carry.
        """
        z, lam = place.rows.motions, place.lam
        largest, beside = np.zeros(z.shape[1]), z @ np.cos(np.arange(z.shape[1]))
        for part in (0.0, 1e-3, 0.1):
            for gap in (1e-7, 2.7e-7):
                values = []
                for k in range(4):
                    x = self.functions.values(self.t, place.q + (part + k * gap) * beside, self.v)
                    values.append(z.T @ (x.jac.T @ lam - x.force))
                third = np.abs(values[3] - 3.0 * values[2] + 3.0 * values[1] - values[0])
                largest = np.maximum(largest, np.where(np.isfinite(third), third, 0.0))
        terms = np.abs(place.values.jac.T) @ np.abs(lam) + np.abs(place.values.force)
        carried = float(np.max(np.abs(place.values.jac.T @ lam) * self.size, initial=0.0))
        made: np.ndarray = largest + 4.0 * EPS * (np.abs(z.T) @ terms) + 1e-14 * carried
        return made

    def is_one(self, a: np.ndarray, b: np.ndarray) -> bool:
        """Whether the force between two places near each other is no larger than at them: one equilibrium, as near as rounding allows."""
        if self.apart(a, b) > 0.05:
            return False
        left, noise = [], 0.0
        for part in (0.0, 1.0, 0.5, 0.25, 0.75):
            q = self.onto(a + part * self.gap(b, a))
            place = None if q is None else self.at(q)
            if place is None:
                return False
            noise = max(noise, float(np.linalg.norm(self.rounding(place))))
            left.append(place.left)
        return max(left[2:]) <= 2.0 * max(left[:2]) + 10.0 * noise

    # -- Newton's method -------------------------------------------------------------------------------------------------

    def newton(self, q: np.ndarray, descend: int = 0) -> Place | None:
        """Equilibrium next to a place; the first steps go downhill if asked for.

        At a zero of order m steps become smaller by the ratio 1 - 1/m only; where they do so m of them are taken at once.
        """
        best: Place | None = None
        idle, before, ratio = 0, 0.0, 0.0
        for count in range(120):
            place = self.at(q)
            if place is None:
                return None
            if best is None or place.left < best.left:
                best, idle = place, 0
            else:
                idle += 1
            step = self._step(place, count < descend)
            if step is None:
                return None
            length = self._length(step)
            if length <= 1e-15 or (idle > 3 and length < 1e-6) or idle > 40:
                break
            now = length / before if before > 0.0 else 0.0
            before = length
            if 0.4 < now < 0.98 and abs(now - ratio) < 0.01 and length < 0.1 * STEP and count >= descend:
                step = step / (1.0 - now)
                before = now = 0.0
            ratio = now
            # lengths may go far in strides that grow, angles not
            reach = np.where(self.angle, self.size, np.maximum(self.size, np.abs(q)))
            moved = self.onto(q + step * min(1.0, STEP / float(np.max(np.abs(step) / reach))))
            if moved is None:
                return None
            q = moved
        if best is None:
            return None
        self.nearest = min(self.nearest, best.left / max(self.stiffness, 1e-300))
        return best if self._balanced(best) else None

    def _balanced(self, place: Place) -> bool:
        """Whether the force along every free motion is zero beside its own stiffness, or is rounding."""
        k = place.rows.motions.T @ self.slope(place) @ place.holonomic.motions
        noise = 100.0 * self.rounding(place)
        if k.shape[0] != k.shape[1] or not np.isfinite(k).all():
            scale = float(np.linalg.norm(k, 2)) if np.isfinite(k).all() and k.size else 0.0
            return place.left <= 1e-11 * scale + float(np.linalg.norm(noise))
        values, vectors = np.linalg.eigh(0.5 * (k + k.T))
        left = np.abs(vectors.T @ place.g)
        return bool(np.all((left <= 1e-11 * np.abs(values)) | (left <= np.abs(vectors.T) @ noise)))

    def _step(self, place: Place, downhill: bool) -> np.ndarray | None:
        z, y = place.rows.motions, place.holonomic.motions
        k = z.T @ self.slope(place) @ y
        if not np.isfinite(k).all():
            return None
        self.stiffness = max(self.stiffness, float(np.linalg.norm(k, 2)) if k.size else 0.0)
        if downhill and k.shape[0] == k.shape[1]:
            values, vectors = np.linalg.eigh(0.5 * (k + k.T))
            # |K| in place of K; soft directions move by no more than the step allows
            floor = np.maximum(np.abs(values), 1e-3 * max(float(np.max(np.abs(values))), 1e-300))
            along = vectors @ (vectors.T @ -place.g / floor)
        else:
            along = np.linalg.lstsq(k, -place.g, rcond=1e-13)[0]
        made: np.ndarray = y @ along
        return made

    # -- where to begin --------------------------------------------------------------------------------------------------

    def run(self, count: int, turns: float, seed: int) -> Iterator[Place]:
        """Equilibria, found several times where several starts lead there."""
        first = self.at(self.start)
        one = first is not None and first.holonomic.motions.shape[1] == 1
        random = self.random_starts((min(count, 6) if one else count) - 1, turns, seed)
        path = list(self._path(turns)) if one else []
        starts = [self.start, *(q for q, _ in path), *random, *random]
        downhill = [False] * (1 + len(path) + len(random)) + [True] * len(random)
        crossings = [None, *(crossing for _, crossing in path), *[None] * (2 * len(random))]
        self.survey(starts)
        for q, down, crossing in zip(starts, downhill, crossings):
            found = self.newton(q, 60 if down else 0)
            if crossing is not None and (found is None or self.apart(found.q, q) > 2 * STRIDE):
                # Newton's method fails at very steep laws: halving does not; there is an equilibrium, or the force jumps
                found = self.at(self._between(*crossing))
            if found is not None and self.is_near(found.q, turns):
                yield found

    def survey(self, places: list[np.ndarray]) -> None:
        """Find the size that stiffness has at some places."""
        for q in places:
            place = self.at(q)
            if place is not None:
                self._step(place, False)

    def random_starts(self, count: int, turns: float, seed: int) -> list[np.ndarray]:
        """Random places on the rows."""
        rng = np.random.default_rng(seed)
        return [self._random(rng, turns) for _ in range(count)]

    def is_near(self, q: np.ndarray, turns: float) -> bool:
        """Whether angles that count turns are within the turns asked for."""
        counted = self.angle & ~self.periodic
        return bool(np.all(np.abs(q - self.start)[counted] <= math.pi * turns * (1 + 1e-9)))

    def turned_over(self, q: np.ndarray) -> Iterator[np.ndarray]:
        """The place with one angle changed by half a turn, for each: nearer to those of the start."""
        for k in np.flatnonzero(self.angle):
            if k not in self.held:
                other = q.copy()
                other[k] += math.pi if q[k] <= self.start[k] else -math.pi
                over = self.onto(other)
                if over is not None:
                    yield over

    @property
    def is_torus(self) -> bool:
        """Whether positions are angles after full turns of which nothing changes, and energies smooth everywhere."""
        free = [k for k in range(self.functions.n) if k not in self.held]
        return self.functions.m == 0 and bool(np.all(self.periodic[free])) and self.functions.smooth_energy

    def wrapped(self, q: np.ndarray) -> np.ndarray:
        """The same place with angles within half a turn."""
        turned = q - 2 * math.pi * np.round(q / (2 * math.pi))
        turned = np.where(turned <= -math.pi + 1e-9, turned + 2 * math.pi, turned)
        return np.where(self.periodic, turned, q)

    def gap(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Way between two places, full turns left out."""
        way = a - b
        return np.where(self.periodic, way - 2 * math.pi * np.round(way / (2 * math.pi)), way)

    def apart(self, a: np.ndarray, b: np.ndarray) -> float:
        """Distance of two places."""
        return self._length(self.gap(a, b))

    def _random(self, rng: np.random.Generator, turns: float) -> np.ndarray:
        n = len(self.start)
        if not self.functions.h:
            wide = np.where(
                self.angle, math.pi * np.where(self.periodic, 1.0, turns), self.size * 10.0 ** rng.uniform(-1, 1, n)
            )
            free = 1.0 - self.grip.sum(axis=0)
            return self.start + free * wide * rng.uniform(-1.0, 1.0, n)
        # on the rows: a walk in a random direction
        way, q = self.size * rng.normal(size=n), self.start
        for _ in range(int(rng.uniform(0.0, math.pi * turns * math.sqrt(n)) / WALK)):
            place = self.at(q)
            moved = None if place is None else self._stride(place, way, WALK)
            if moved is None:
                break
            q, way = moved
        return q

    def _stride(self, place: Place, way: np.ndarray, length: float) -> tuple[np.ndarray, np.ndarray] | None:
        """One stride along a direction, as far as the rows allow it; the new place and direction."""
        q = place.q
        basis = place.holonomic.motions / self.size[:, None]
        along = basis @ (basis.T @ (way / self.size))
        norm = float(np.linalg.norm(along))
        if norm <= 1e-9 * float(np.linalg.norm(way / self.size)):
            return None
        direction = self.size * along / norm
        moved = self.onto(q + length * direction)
        if moved is None or self._length(moved - q) > 2.0 * length:
            return None
        return moved, direction

    def _path(self, turns: float) -> Iterator[tuple[np.ndarray, Crossing | None]]:
        """Places on the path of one free motion next to which forces balance: where g changes sign, or comes near zero.

        With a change of sign come the place before it and the direction in which to go.
        """
        first = self.at(self.start)
        assert first is not None
        self.covered, self.closed = 0, False
        for side in (1.0, -1.0):
            q, way = self.start, side * first.holonomic.motions[:, 0]
            sizes: list[tuple[np.ndarray, float]] = []
            last: Crossing | None = None
            for count in range(5000):
                place = self.at(q)
                if place is None:
                    break
                self.covered += 1
                size = self._force_along(place, way)
                sizes.append((q, size))
                if len(sizes) >= 2 and place.rows.motions.shape[1] == 1 and size * sizes[-2][1] < 0.0:
                    yield sizes[-1 if abs(size) < abs(sizes[-2][1]) else -2][0], last
                else:
                    for near in _turning(sizes):
                        yield near, None
                moved = self._stride(place, way, STRIDE)
                if moved is None or not self._inside(moved[0], turns):
                    break
                last = place, way
                q, way = moved
                if count > 5 and self.apart(q, self.start) < 0.6 * STRIDE and not np.any(self._counted(q)):
                    self.closed = True
                    yield q, None
                    return
            yield q, None

    def _force_along(self, place: Place, way: np.ndarray) -> float:
        """Unbalanced force along a direction where one motion is free, its size otherwise."""
        z = place.rows.motions
        if z.shape[1] != 1:
            return place.left
        sign = 1.0 if float((z[:, 0] / self.size) @ (way / self.size)) > 0.0 else -1.0
        return sign * float(place.g[0])

    def _between(self, place: Place, way: np.ndarray) -> np.ndarray:
        """Where the force changes its sign within a stride, as near as coordinates allow."""
        first, low, high, best = self._force_along(place, way), 0.0, STRIDE, place.q
        for _ in range(70):
            middle = 0.5 * (low + high)
            moved = self._stride(place, way, middle) if middle > 0.0 else None
            there = None if moved is None else self.at(moved[0])
            if moved is None or there is None:
                break
            best = moved[0]
            if self._force_along(there, moved[1]) * first > 0.0:
                low = middle
            else:
                high = middle
        return best

    def _counted(self, q: np.ndarray) -> np.ndarray:
        return ~self.periodic & (np.abs(q - self.start) > 1e-6 + STRIDE * self.size)

    def _inside(self, q: np.ndarray, turns: float) -> bool:
        reach = np.where(self.angle, math.pi * turns + STRIDE, FAR * self.size)
        return bool(np.all((np.abs(q - self.start) <= reach) | self.periodic))


def _turning(sizes: list[tuple[np.ndarray, float]]) -> Iterator[np.ndarray]:
    """The last place, if the balance is zero there; the last three, if it is smallest at the middle one: there may be a pair."""
    if len(sizes) >= 2 and sizes[-1][1] == 0.0 and sizes[-2][1] != 0.0:
        yield sizes[-1][0]
    elif len(sizes) >= 3 and abs(sizes[-2][1]) < min(abs(sizes[-1][1]), abs(sizes[-3][1])):
        yield from (q for q, _ in sizes[-3:])


def _parts(x: Values) -> tuple[np.ndarray, ...]:
    return x.mass, x.jac, x.force, x.phi, x.w, np.array([x.potential])
