"""Integrals over time along a run, from its first output to every other: work, impulse, angular impulse.

The run is cut at its accepted steps.  In every panel a quantity is taken at eight points of Gauss, where the motion is computed anew
(`run.resample`), and integrated as the polynomial through them.  A panel is halved where the accelerations at its points do not
give back the change of velocities as well as the tolerances of the run let expect:

    v(b) - v(a) = integral of a

A motion that was followed has no steps, only the times that were asked for.  There a panel is also cut where a power is not the polynomial
through its points, seen by the last coefficients of that: at a turning point of friction, if there is one, else in its middle.  So it is in runs with friction: what
presses may change its side, a corner of the power that a driven motion, and its steps, do not feel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import legendre

from ..errors import MethodError

if TYPE_CHECKING:
    from ..analyses.dynamics.shock import Blow
    from .events import Happening
    from .record import Record


POINTS = 8
# halvings of a panel at most
HALVINGS = 6
# cuts of a panel of a driven motion, and panels that are cut at once, at most (or twice as many as a run has steps)
CUTS, PANELS = 40, 4096
# last coefficients of a power, as a part of its size, below which a panel is smooth: Gauss's rule has twice as many digits.  What is left
# in all does not count where it is below DONE; a power is not looked at closer than as one that is SMALL beside the largest
SMOOTH, DONE, SMALL = 1e-5, 1e-12, 1e-3
# how near turns of friction are found, as a part of a panel and of the run; rates that are none, beside the largest velocity
NARROW, RESTS = 1e-9, 1e-12
_X, _W = legendre.leggauss(POINTS)
# coefficients of Legendre's polynomials from values at the points: (2k + 1)/2 sum w P_k f, exact below degree 8
_COEFFICIENTS = ((2.0 * np.arange(POINTS) + 1.0) / 2.0)[:, None] * legendre.legvander(_X, POINTS - 1).T * _W


def _up_to(s: np.ndarray) -> np.ndarray:
    """Weights of the points for the integral from -1 to s: of P_k it is s + 1, and (P_{k+1} - P_{k-1})/(2k + 1)."""
    p = legendre.legvander(s, POINTS)
    up = np.column_stack([s + 1.0, *((p[:, k + 1] - p[:, k - 1]) / (2 * k + 1) for k in range(1, POINTS))])
    return np.asarray(up @ _COEFFICIENTS)


# from the first point to the others
_BETWEEN = _up_to(_X) - _up_to(_X[:1])


def tolerances(problem: Any) -> tuple[float, float]:
    """Relative and absolute tolerance of a run; those of `simulate` where a motion was not integrated."""
    return getattr(problem, "rtol", 0.0) or 1e-8, getattr(problem, "atol", 0.0) or 1e-10


class Integrals:
    """Panels of a run, and the run at their points."""

    def __init__(self, run: Record) -> None:
        self.run = run
        asked = f"work and impulses of {run.model.name!r}"
        if run.trace is None or not len(run.t):
            found = "a result at single states" if len(run.t) else "no outputs"
            do = "ask for it of a run of simulate or kinematics"
            raise MethodError(asked, found, "work adds up along a motion", do)
        self.forward = 1.0 if run.t[-1] >= run.t[0] else -1.0
        if np.any(np.diff(run.t) * self.forward < 0.0):
            found, why = "output times that go to and fro", "work adds up from one output to the next"
            raise MethodError(asked, found, why, "give times in order")
        t = self.forward * np.asarray(run.t)
        steps = self.forward * np.asarray(run.trace.kept.t)
        inside = steps[(steps > t[0]) & (steps < t[-1])]
        self.edges = np.unique(np.concatenate([t[[0, -1]], inside]))
        self._refine()

    def _times(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return self.forward * (0.5 * (a + b)[:, None] + 0.5 * (b - a)[:, None] * _X).ravel()

    def _refine(self) -> None:
        """Cut panels in which the accelerations do not explain the velocities, or a power is not smooth."""
        run = self.run
        self.fine: Any = None
        if len(self.edges) < 2:
            return
        waiting, edges, split = (self.edges[:-1], self.edges[1:]), [self.edges], False
        rubbing = bool(run.model.frictions or run.model.rubs)
        most = 2 * len(self.edges)
        for _ in range(CUTS if run.driven or rubbing else HALVINGS):
            fine = run.resample(self._times(*waiting))
            if not split:
                self.fine = fine
            bad, turns = self._unexplained(fine, *waiting), np.full(len(waiting[0]), np.nan)
            if run.driven:
                turns = self._turns(fine, *waiting)
                bad |= np.isfinite(turns)
            if run.driven or rubbing:
                bad |= self._rough(fine, *waiting)
            if not bad.any():
                break
            a, b = waiting[0][bad], waiting[1][bad]
            if len(a) > max(PANELS, most):
                raise self._too_fast(len(a))
            split, middle = True, 0.5 * (a + b) + 0.5 * (b - a) * np.nan_to_num(turns[bad])
            edges.append(middle)
            waiting = np.concatenate([a, middle]), np.concatenate([middle, b])
        if split:
            self.edges = np.unique(np.concatenate(edges))
            self.fine = run.resample(self._times(self.edges[:-1], self.edges[1:]))

    def _unexplained(self, fine: Record, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Panels in which the accelerations do not give back the change of velocities: from end to end, of a driven motion from point to point."""
        run = self.run
        rtol, atol = tolerances(run.problem)
        allowed = 10.0 * (rtol * np.max(np.abs(run.v), axis=0, initial=0.0) + atol * run.system.unit_of_velocity)
        rising = 0.5 * (b - a)[:, None, None] * fine.a.reshape(len(a), POINTS, -1)
        if run.driven:
            v = fine.v.reshape(rising.shape)
            off = v - v[:, :1] - np.einsum("ki,pin->pkn", _BETWEEN, rising)
            return np.asarray(np.any(np.abs(off) > allowed, axis=(1, 2)))
        at = {x: run.at(float(self.forward * x)).v for x in np.unique([a, b])}
        gained = self.forward * np.einsum("pin,i->pn", rising, _W)
        off = np.array([at[y] - at[x] for x, y in zip(a, b)]) - gained - self._blows(a, b)
        return np.asarray(np.any(np.abs(off) > allowed, axis=1))

    def _rough(self, fine: Record, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Panels in which a power is not the polynomial through its points: a corner, or a motion to and fro."""
        power = fine.powers.reshape(len(a), POINTS, -1)
        found = np.max(np.abs(fine.powers), axis=0, initial=0.0)
        self.largest = np.maximum(getattr(self, "largest", 0.0), found)
        size = np.maximum(self.largest, max(SMALL * float(np.max(self.largest, initial=0.0)), 1e-300))
        last = np.abs(np.einsum("ki,pin->pkn", _COEFFICIENTS[-2:], power)).sum(axis=1) / size
        part = (b - a)[:, None] / (self.edges[-1] - self.edges[0])
        return np.asarray(np.any((last > SMOOTH) & (last * part > DONE), axis=1))

    def _turns(self, fine: Record, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Where friction turns back in panels, from -1 to 1: the turn nearest to the middle, nan where there is none.

        There forces jump, which the points do not show where it is beside the end of a panel.
        """
        rates = fine.friction_rates().reshape(len(a), POINTS, -1)
        found, none = np.full(len(a), np.nan), RESTS * float(np.max(np.abs(self.run.v), initial=0.0))
        for k, panel in enumerate(np.einsum("ki,pin->pnk", _COEFFICIENTS, rates)):
            if b[k] - a[k] <= NARROW * (self.edges[-1] - self.edges[0]):
                continue
            roots = [legendre.legroots(c) for c in panel if np.max(np.abs(c)) > none]
            every = np.concatenate([*roots, np.zeros(0)])
            # one at the very end is cut already
            turns = every.real[(np.abs(every.imag) < 1e-6) & (np.abs(every.real) < 1.0 - NARROW)]
            if turns.size:
                found[k] = turns[np.argmin(np.abs(turns))]
        return found

    def _too_fast(self, count: int) -> MethodError:
        return MethodError(
            f"work and impulses of {self.run.model.name!r}",
            f"{count} parts of the time between {self.run.t[0]:g} and {self.run.t[-1]:g} s in which powers are not smooth",
            "between the times that were asked for, or the steps, powers jump or go to and fro too often to be added up",
            "give closer times, or a shorter span",
        )

    def _blows(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Jumps of velocities at the ends of panels: the state there is the one after the blow."""
        found = np.zeros((len(a), self.run.v.shape[1]))
        for t, blow in self.run.jumps:
            found[(a < self.forward * t) & (self.forward * t <= b)] += blow.after.v - blow.before.v
        return found

    @cached_property
    def _weights(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Panel of every output, and weights of the points of that panel for the part of it before the output."""
        t = self.forward * np.asarray(self.run.t)
        panel = np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, max(len(self.edges) - 2, 0))
        half = 0.5 * np.diff(self.edges)
        s = np.clip((t - self.edges[panel]) / half[panel] - 1.0, -1.0, 1.0)
        return panel, half, half[panel][:, None] * _up_to(s)

    def __call__(self, quantity: Callable[[Any], Any]) -> np.ndarray:
        """Integral of a quantity (a function of a result that gives an array over time) from the first output to every output."""
        shape = np.asarray(quantity(self.run)).shape
        if self.fine is None:
            return np.zeros(shape)
        f = np.asarray(quantity(self.fine), dtype=float).reshape(len(self.edges) - 1, POINTS, -1)
        panel, half, part = self._weights
        whole = half[:, None] * np.einsum("pin,i->pn", f, _W)
        before = np.concatenate([np.zeros((1, whole.shape[1])), np.cumsum(whole, axis=0)])
        total = before[panel] + np.einsum("ti,tin->tn", part, f[panel])
        return self.forward * total.reshape(shape)

    def after(self, t: float, blow: Blow | Happening) -> np.ndarray:
        """Which outputs are after a blow: those later, and one at its very time that has the velocities after it; those before the first output do not count."""
        times, v = np.asarray(self.run.t), self.run.v
        if self.forward * t < self.forward * times[0] or self._has(v[0], blow, times[0] == t):
            return np.zeros(len(times), dtype=bool)
        return np.array(
            [self.forward * x > self.forward * t or self._has(v[k], blow, x == t) for k, x in enumerate(times)]
        )

    @staticmethod
    def _has(v: np.ndarray, blow: Blow | Happening, then: bool) -> bool:
        return bool(then and np.linalg.norm(v - blow.after.v) < np.linalg.norm(v - blow.before.v))
