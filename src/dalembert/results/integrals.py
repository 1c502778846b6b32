"""Integrals over time along a run, from its first output to every other: work, impulse, angular impulse.

The run is cut at its accepted steps.  In every panel a quantity is taken at eight points of Gauss, where the motion is computed anew
(`run.resample`), and integrated as the polynomial through them.  A panel is halved where the accelerations at its points do not
give back the change of velocities as well as the tolerances of the run let expect:

    v(b) - v(a) = integral of a
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from ..errors import MethodError

POINTS = 8
# halvings of a panel at most
HALVINGS = 6
_X, _W = legendre.leggauss(POINTS)
# coefficients of Legendre's polynomials from values at the points: (2k + 1)/2 sum w P_k f, exact below degree 8
_COEFFICIENTS = ((2.0 * np.arange(POINTS) + 1.0) / 2.0)[:, None] * legendre.legvander(_X, POINTS - 1).T * _W


def tolerances(problem: Any) -> tuple[float, float]:
    """Relative and absolute tolerance of a run; those of `simulate` where a motion was not integrated."""
    return getattr(problem, "rtol", 0.0) or 1e-8, getattr(problem, "atol", 0.0) or 1e-10


class Integrals:
    """Panels of a run, and the run at their points."""

    def __init__(self, run: Any) -> None:
        self.run = run
        asked = f"work and impulses of {run.model.name!r}"
        if run.trace is None or not len(run.t):
            found = "a result at single states" if len(run.t) else "no outputs"
            raise MethodError(
                asked, found, "work adds up along a motion", "ask for it of a run of simulate or kinematics"
            )
        self.forward = 1.0 if run.t[-1] >= run.t[0] else -1.0
        if np.any(np.diff(run.t) * self.forward < 0.0):
            raise MethodError(
                asked,
                "output times that go to and fro",
                "work adds up from one output to the next",
                "give times in order",
            )
        t = self.forward * np.asarray(run.t)
        steps = self.forward * np.asarray(run.trace.kept.t)
        inside = steps[(steps > t[0]) & (steps < t[-1])]
        self.edges = np.unique(np.concatenate([t[[0, -1]], inside]))
        self._refine()

    def _times(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return self.forward * (0.5 * (a + b)[:, None] + 0.5 * (b - a)[:, None] * _X).ravel()

    def _refine(self) -> None:
        """Halve panels in which the accelerations do not explain the velocities."""
        run = self.run
        self.fine: Any = None
        if len(self.edges) < 2:
            return
        rtol, atol = tolerances(run.problem)
        allowed = 10.0 * (rtol * np.max(np.abs(run.v), axis=0, initial=0.0) + atol * run.system.unit_of_velocity)
        waiting, edges, split = (self.edges[:-1], self.edges[1:]), [self.edges], False
        for _ in range(HALVINGS):
            fine = run.resample(self._times(*waiting))
            if not split:
                self.fine = fine
            ends = np.unique(np.concatenate(waiting))
            v = {x: run.at(float(self.forward * x)).v for x in ends}
            gained = (
                0.5
                * (waiting[1] - waiting[0])[:, None]
                * np.einsum("pin,i->pn", fine.a.reshape(len(waiting[0]), POINTS, -1), _W)
            )
            gained *= self.forward
            off = np.array([v[b] - v[a] for a, b in zip(*waiting)]) - gained - self._blows(*waiting)
            bad = np.flatnonzero(np.any(np.abs(off) > allowed, axis=1))
            if not bad.size:
                break
            split = True
            a, b = waiting[0][bad], waiting[1][bad]
            middle = 0.5 * (a + b)
            edges.append(middle)
            waiting = np.concatenate([a, middle]), np.concatenate([middle, b])
        if split:
            self.edges = np.unique(np.concatenate(edges))
            self.fine = run.resample(self._times(self.edges[:-1], self.edges[1:]))

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
        # integral of P_k from -1 to s: s + 1, and (P_{k+1} - P_{k-1})/(2k + 1)
        p = legendre.legvander(s, POINTS)
        up = np.column_stack([s + 1.0, *((p[:, k + 1] - p[:, k - 1]) / (2 * k + 1) for k in range(1, POINTS))])
        return panel, half, half[panel][:, None] * (up @ _COEFFICIENTS)

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

    def after(self, t: float, blow: Any) -> np.ndarray:
        """Which outputs are after a blow: those later, and one at its very time that has the velocities after it; those before the first output do not count."""
        times, v = np.asarray(self.run.t), self.run.v
        if self.forward * t < self.forward * times[0] or self._has(v[0], blow, times[0] == t):
            return np.zeros(len(times), dtype=bool)
        return np.array(
            [self.forward * x > self.forward * t or self._has(v[k], blow, x == t) for k, x in enumerate(times)]
        )

    @staticmethod
    def _has(v: np.ndarray, blow: Any, then: bool) -> bool:
        return bool(then and np.linalg.norm(v - blow.after.v) < np.linalg.norm(v - blow.before.v))
