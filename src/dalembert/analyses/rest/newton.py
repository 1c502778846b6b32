"""Newton's method on the reduced force, g = -Z^T Q with K = dg/dy: from one start to one equilibrium, of any kind.

Descent of the potential energy with |K| finds the stable ones.
"""

from __future__ import annotations

import math

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
