"""A Lagrangian system at rest, or with steady rates of some coordinates: rows, forces and tangents at a place, for `Statics`.

Coordinates have units of their own: angles are compared with a radian, all others with the largest of them at the start.  Rows are compared at
unit length.  Coordinates that change at steady rates are held, as if rows kept them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...system.closed import curl
from ...system.subspaces import null_space
from ..lagrangian.derivatives import Derivatives, Values, sizes_of
from ..lagrangian.point import Point
from .slopes import Slope
from .statics import SEARCHED, Place, Statics

if TYPE_CHECKING:
    from ...system.lagrange import LagrangeSystem


# how far coordinates that are no angles are searched, in units of the start
FAR = 10.0
# part of the largest inertia below which a motion is without inertia
NO_INERTIA = 1e-13


class Coordinates(Statics):
    """A Lagrangian system around a place, which it moves.

    `functions`: its equations and their derivatives; `t`, `q`: where to begin; `v`, `held`: steady rates, and the coordinates that have them; `like`:
    the same system with other parameters: measured in the same units.
    """

    system: LagrangeSystem

    stride, gap, unbounded = 0.02, 1e-7, True

    def __init__(
        self,
        functions: Derivatives,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        held: tuple[int, ...] = (),
        like: Coordinates | None = None,
    ) -> None:
        n, m = functions.n, functions.m
        self.functions, self.system, self.steady, self.held = functions, functions.system, v, held
        self.pose = Point(functions.system, t, q, v)
        self.pose.functions = functions
        self.n_rows, self.nv, self.spinning = m, n, bool(held)
        self.active, self._all = np.ones(n, dtype=bool), True
        self.held_rows = m + np.arange(len(held))
        self.on_rates = np.array([False] * functions.h + [True] * (m - functions.h) + [False] * len(held), dtype=bool)
        self.exact, self.one_sided, self.rates_in_forces = True, False, functions.rates_in_forces
        self._grip, self._targets = np.eye(n)[list(held)], q[list(held)].copy()
        if like is None:
            self.angle = np.array([functions.is_angle(name) for name in functions.q], dtype=bool)
            length = float(np.max(np.abs(q[~self.angle]), initial=0.0))
            self.unit = np.where(self.angle, 1.0, length if length > 1e-9 else 1.0)
        else:
            self.angle, self.unit = like.angle, like.unit
        self.size = 1.0 / self.unit
        self._reaches = self.size
        self.wraps = (
            like.wraps if like is not None else np.array([k not in held and self._repeats(k) for k in range(n)])
        )
        self._first = q.copy()
        self.evaluate()

    def _repeats(self, k: int) -> bool:
        """Whether a full turn of a coordinate changes nothing."""
        if not self.angle[k]:
            return False
        rng, turn, p = np.random.default_rng(k), np.zeros(self.nv), self.pose
        turn[k] = 2 * math.pi
        for _ in range(3):
            q = p.q + self.unit * rng.uniform(-1.0, 1.0, self.nv)
            a, b = (self.functions.values(p.t, x, self.steady) for x in (q, q + turn))
            for x, y in zip(a.parts, b.parts):
                scale = 1e-9 * max(1.0, float(np.max(np.abs(x[np.isfinite(x)]), initial=0.0)))
                if not np.allclose(x, y, rtol=1e-9, atol=scale, equal_nan=True):
                    return False
        return True

    # -- evaluation ------------------------------------------------------------------------------------------------------

    def evaluate(self, velocity: np.ndarray | None = None) -> None:
        """phi, J and f here; phi is nan where rows have no value."""
        p = self.pose
        p.v[:] = self.steady if velocity is None else velocity
        x = self.values = self.functions.values(p.t, p.q, p.v)
        self.mass, self.force = x.mass, x.force
        self.jac = np.vstack([x.jac, self._grip])
        off = p.q[list(self.held)] - self._targets
        self.phi = np.concatenate([x.phi, np.zeros(self.n_rows - len(x.phi)), off])
        if not np.isfinite(self.jac).all():
            self.jac, self.phi = np.nan_to_num(self.jac, posinf=0.0, neginf=0.0), np.full(len(self.phi), math.nan)
        length = np.linalg.norm(self.jac * self.unit, axis=1)
        self.scale = 1.0 / np.where(length > 0.0, length, 1.0)
        self._scales = self.unit[:, None] * self.scale

    values: Values

    @property
    def extent(self) -> float:
        """Largest coordinate in its unit."""
        return float(np.max(np.abs(self.pose.q * self.size), initial=0.0))

    def largest_force(self) -> float:
        """Largest term that forces are the sum of, over one unit."""
        p = self.pose
        found = self.functions.sizes(p.t, p.q, self.steady) * self.unit
        return float(np.max(found[np.isfinite(found)], initial=0.0))

    def spread(self, lam: np.ndarray) -> np.ndarray:
        """Multipliers of the rows."""
        return lam[: self.n_rows]

    def second(self, a: np.ndarray) -> np.ndarray:
        """J a - gamma."""
        return np.asarray(self.values.jac @ a - self.values.gamma)

    def rates(self, v: np.ndarray) -> np.ndarray:
        """J v - nu."""
        return self.values.w

    # -- derivatives -----------------------------------------------------------------------------------------------------

    def tangent(self, directions: np.ndarray, lam: np.ndarray, part: float | None = None, levels: int = 1) -> Slope:
        """Where rates are steady and rows tie them, rates follow the displacements, and so do accelerations."""
        moves = {"q": directions}
        if not (self.spinning and self.n_rows):
            (made,) = self.along(["force"], self.steady, moves, {"lam": lam}, part=part, levels=levels)
            return made
        (rate,) = self.along(["rate"], self.steady, moves, part=part, levels=levels)
        moves["v"] = self.correction(self.with_held(rate.mean))
        return self._with_second(moves, lam, part=part, levels=levels)

    def _with_second(self, moves: dict[str, np.ndarray], lam: np.ndarray, **how: float | None) -> Slope:
        """d(M a + J^T lam - f) with the accelerations that the rows ask for."""
        force, second = self.along(["force", "second"], self.steady, moves, {"lam": lam}, **how)
        force.mean[:] += self.mass @ self.correction(self.with_held(second.mean))
        return force

    def curl(self, z: np.ndarray, only: str | None = None) -> tuple[np.ndarray, float]:
        """Of forces that are not known to have a potential; or of one of them, by name."""
        p, f = self.pose, self.functions
        slopes = f.open_slopes(p.t, p.q, self.steady, only)
        return curl(slopes, z, np.abs(f.open_forces(p.t, p.q, self.steady)).sum(axis=0))

    def coordinate_name(self, c: int) -> str:
        """A coordinate."""
        return self.functions.q[c]

    def damping(self, z: np.ndarray) -> tuple[np.ndarray, float]:
        """Reduced damping with gyroscopic terms; exact."""
        made = self._with_second({"v": z}, self.multipliers(self.force))
        return z.T @ made.mean, 1e-14 * float(np.max(np.abs(made.mean), initial=0.0))

    # -- how far a search goes -------------------------------------------------------------------------------------------

    def longest(self, turns: float) -> int:
        """Strides that lead through all turns, and as far as lengths go."""
        return 2 * math.ceil((math.pi * turns + FAR) / self.stride)

    def told_far(self, number: int) -> str:
        """In turns and sizes."""
        return f"half a turn times turns= or ten sizes of the start to either side, {number} places"

    def inside(self, place: Place, start: Place, turns: float) -> bool:
        """Whether angles that count turns are within those asked for."""
        far = np.abs(place[0] - start[0])[self.angle & ~self.wraps]
        return bool(np.all(far <= math.pi * turns * (1 + 1e-9)))

    def on_path(self, place: Place, start: Place, turns: float) -> bool:
        """The same for a stride more, and for lengths."""
        reach = np.where(self.angle, math.pi * turns + self.stride, FAR * self.unit)
        return bool(np.all((np.abs(place[0] - start[0]) <= reach) | self.wraps))

    def throw(self, random: np.random.Generator, turns: float) -> bool:
        """A random place; not where rows would have to be met."""
        if self.functions.h:
            return False
        n = self.nv
        wide = np.where(
            self.angle, math.pi * np.where(self.wraps, 1.0, turns), self.unit * 10.0 ** random.uniform(-1, 1, n)
        )
        self.pose.q = self.pose.q + (1.0 - self._grip.sum(axis=0)) * wide * random.uniform(-1.0, 1.0, n)
        return True

    def stretch(self, delta: np.ndarray) -> float:
        """Lengths may go far in strides that grow, angles not."""
        unit = np.where(self.angle, self.unit, np.maximum(self.unit, np.abs(self.pose.q)))
        return float(np.max(np.abs(delta) / unit, initial=0.0))

    def wrapped(self, place: Place) -> Place:
        """Angles within half a turn."""
        q, whole = place[0], 2 * math.pi
        turned = q - whole * np.round(q / whole)
        turned = np.where(turned <= -math.pi + 1e-9, turned + whole, turned)
        return np.where(self.wraps, turned, q), place[1]

    def without_inertia(self) -> bool:
        """Whether a motion has none: where coordinates fail (angles at a pole), also that of coordinates held."""
        values = self._inertia()[0]
        return bool(values[0] <= NO_INERTIA * max(float(values[-1]), 1e-300))

    def light(self) -> list[str]:
        """Coordinates of the motion with the smallest inertia."""
        motion = np.abs(self._inertia()[1][:, 0])
        return [name for name, part in zip(self.functions.q, motion) if part > 0.1 * np.max(motion)]

    def _inertia(self) -> tuple[np.ndarray, np.ndarray]:
        """Inertias of the motions that rows allow, smallest first, and these motions, in sizes of equal kinetic energy."""
        unit = sizes_of(self.mass)
        rows = self.jac[: self.n_rows] * unit
        length = np.linalg.norm(rows, axis=1)
        z = null_space(rows / np.where(length > 0.0, length, 1.0)[:, None], SEARCHED)
        values, vectors = np.linalg.eigh(z.T @ (self.mass * np.outer(unit, unit)) @ z)
        return values, z @ vectors
