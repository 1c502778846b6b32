"""Coordinate partitioning (BASICS 8.4.3): only independent coordinates are integrated, the others follow from the constraints.

    phi(u, w, t) = 0      u by Newton's method, J_u du = -phi, w held
    J_u u' = nu - J_w w'
    w'' from the equations of motion

u are chosen by Gaussian elimination with complete pivoting, so that J_u is far from singular, and anew where it no longer is.  Coordinates of a step are the
displacements from its start, so that rotations have no parametrization but a local one, q = q0 (+) d.

The stages are those of an explicit Runge-Kutta method with its error estimate for w and w'.  Nothing of the projections of other methods is used: this one
is a check on them, in plain Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..kernels import memory
from ..kernels.bodies import move
from ..kernels.laws import lost_power, stored_energy
from .problem import evaluate_at
from .status import BUDGET, BUFFER, DONE, NOT_FINITE, STEP_TOO_SMALL
from .stepping.outputs import keep_step, record

if TYPE_CHECKING:
    from .run import _Run


# sizes of J_u^-1 J_w beyond which coordinates are chosen anew, as a multiple of that at the choice
WORSE = 4.0
# scaled residual of the constraints that ends Newton's method, and steps of it
CLOSED, NEWTON = 1e-14, 25


class Rows(NamedTuple):
    """Kept rows at a state: scaled values, their Jacobian and the right-hand side of J v = nu, scaled alike."""

    phi: np.ndarray
    jac: np.ndarray
    nu: np.ndarray


@dataclass(frozen=True, eq=False)
class Constraints:
    """What the method asks of a model besides accelerations."""

    rows: Callable[[float, np.ndarray, np.ndarray], Rows]
    follow: Callable[[float, np.ndarray, np.ndarray], None]  # count angles from this state
    size: np.ndarray  # of velocities, by which coordinates are compared
    names: list[str]


def chosen(jac: np.ndarray) -> np.ndarray:
    """Columns of dependent coordinates, one for each row: pivots of Gaussian elimination with complete pivoting."""
    a, found = jac.copy(), []
    left = np.ones(len(a), dtype=bool)
    for _ in range(len(a)):
        i, j = np.unravel_index(np.argmax(np.abs(a) * left[:, None]), a.shape)
        if a[i, j] == 0.0:
            raise np.linalg.LinAlgError("rows depend on each other")
        found.append(int(j))
        left[i] = False
        a[left] -= np.outer(a[left, j] / a[i, j], a[i])
        a[:, j] = 0.0
    return np.array(sorted(found), dtype=int)


class Partitioned:
    """Steps of a run by this method."""

    def __init__(self, run: _Run) -> None:
        p = run.p
        self.p, self.method, self.model = p, p.method, p.constraints
        self.nv = len(run.mem.v)
        self.turning = len(run.mem.q) != self.nv
        self.u, self.w, self.growth = np.zeros(0, dtype=int), np.arange(self.nv), math.inf
        self.names = ""
        self.n_powers = memory.sizes(p.I).powers
        self.powers: list[list[float]] = []

    def choose(self, run: _Run) -> None:
        """Take the coordinates that are independent here; a change is told with the methods of the run."""
        now, rows = run.now, self.model.rows(run.now.t, run.mem.q, run.mem.v)
        self.u = chosen(rows.jac * self.model.size)
        self.w = np.setdiff1d(np.arange(self.nv), self.u)
        self.growth = max(1.0, self.dependence(rows))
        names = ", ".join(self.model.names[k] for k in self.w[:6]) + (", …" if len(self.w) > 6 else "")
        if names != self.names:
            why = (
                "independent coordinates"
                if not self.names
                else "the others became ill-conditioned; independent coordinates now"
            )
            run.methods.append(run.methods[0]._replace(t=now.t, why=f"{why}: {names}"))
        self.names = names

    def dependence(self, rows: Rows) -> float:
        """Largest entry of J_u^-1 J_w, coordinates counted by their sizes."""
        if not len(self.u) or not len(self.w):
            return 0.0
        scaled = rows.jac * self.model.size
        return float(np.max(np.abs(np.linalg.solve(scaled[:, self.u], scaled[:, self.w]))))

    def displaced(self, q: np.ndarray, d: np.ndarray) -> np.ndarray:
        """q (+) d."""
        if not self.turning:
            return np.asarray(q + d)
        moved = q.copy()
        move(self.p.I, moved, d)
        return moved

    def rate_of(self, d: np.ndarray, v: np.ndarray) -> np.ndarray:
        """d' at the velocity v: turns by the inverse derivative of the Cayley map, 1 + d^/2 + d d^T/4."""
        if not self.turning:
            return v
        rate, turn, spin = v.copy().reshape(-1, 6), d.reshape(-1, 6)[:, 3:], v.reshape(-1, 6)[:, 3:]
        rate[:, 3:] += 0.5 * np.cross(turn, spin) + 0.25 * turn * np.sum(turn * spin, axis=1, keepdims=True)
        return rate.ravel()

    def by_displacement(self, d: np.ndarray, jac: np.ndarray) -> np.ndarray:
        """Derivative of the rows by d: J times the derivative of the Cayley map, (1 - d^/2)/(1 + |d|^2/4) for turns."""
        if not self.turning:
            return jac
        parts, turn = jac.copy().reshape(len(jac), -1, 6), d.reshape(-1, 6)[:, 3:]
        parts[:, :, 3:] = (parts[:, :, 3:] - 0.5 * np.cross(parts[:, :, 3:], turn)) / (
            1.0 + 0.25 * np.sum(turn * turn, axis=1)[None, :, None]
        )
        return parts.reshape(len(jac), -1)

    def close(self, t: float, q0: np.ndarray, d: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Dependent displacements and velocities, in place; the position.  LinAlgError where there are none."""
        before = math.inf
        for _ in range(NEWTON):
            q = self.displaced(q0, d)
            if not len(self.u):
                return q
            rows = self.model.rows(t, q, v)
            left = float(np.max(np.abs(rows.phi)))
            if left <= CLOSED or (left <= 1e-12 and left > 0.5 * before):
                v[self.u] = np.linalg.solve(rows.jac[:, self.u], rows.nu - rows.jac[:, self.w] @ v[self.w])
                return q
            if not left < 1e3 * before:
                break
            before = left
            d[self.u] -= np.linalg.solve(self.by_displacement(d, rows.jac)[:, self.u], rows.phi)
        raise np.linalg.LinAlgError

    def step(self, t: float, h: float, q0: np.ndarray, v0: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """The state after h, and its error in units of the tolerance."""
        m, p, nv = self.method, self.p, self.nv
        rates, a = np.zeros((m.steps + 1, 2 * nv)), np.zeros(nv)
        self.powers = []
        y0 = np.concatenate([np.zeros(nv), v0])
        for s in range(m.steps + 1):
            y = y0 + h * (m.a[s, :s] @ rates[:s])
            d, v, time = y[:nv], y[nv:], t + m.c[s] * h
            q = self.close(time, q0, d, v)
            evaluate_at(p, time, q, v, a)
            rates[s] = np.concatenate([self.rate_of(d, v), a])
            self.powers.append([lost_power(p.I, p.P, p.F, p.conservative, k) for k in range(self.n_powers)])
        pick = np.concatenate([self.w, nv + self.w])
        size = np.concatenate([self.model.size, self.model.size])[pick]
        weight = p.atol * size + p.rtol * np.maximum(np.abs(y0[pick]), np.abs(np.concatenate([d, v])[pick]))
        high, low = (h * (e[: m.steps + 1] @ rates)[pick] / weight for e in (m.error, m.error_low))
        squares = float(high @ high)
        if squares == 0.0:
            return q, v, 0.0
        error = squares / math.sqrt((squares + 0.01 * float(low @ low)) * len(pick))
        return q, v, error if np.any(m.error_low) else math.sqrt(squares / len(pick))

    def __call__(self, run: _Run, budget: int) -> int:
        """A portion of steps."""
        try:
            return self.steps(run, budget)
        except np.linalg.LinAlgError:
            return STEP_TOO_SMALL

    def steps(self, run: _Run, budget: int) -> int:
        """The same; LinAlgError where no coordinates are independent."""
        now, mem = run.now, run.mem
        if now.fresh:
            self.choose(run)
            now.fresh = 0
        for _ in range(min(budget, 50)):
            if now.t == now.t_end:
                return DONE
            if now.next_step >= len(run.kept.t):
                return BUFFER
            h = math.copysign(min(abs(now.h), now.h_max), now.t_end - now.t)
            t_new = now.t + h
            if (t_new + 0.01 * h - now.t_end) * h >= 0.0:
                t_new = now.t_end
            if abs(t_new - now.t) < now.h_min and t_new != now.t_end:
                return STEP_TOO_SMALL
            h = t_new - now.t
            try:
                q, v, error = self.step(now.t, h, mem.q.copy(), mem.v)
            except np.linalg.LinAlgError:
                error = math.inf
            now.evaluations += self.method.steps + 1
            if not error < 1.0:
                now.rejected += 1
                now.h = h * (max(0.2, 0.8 * error ** (-1.0 / self.method.order)) if math.isfinite(error) else 0.25)
                continue
            if not np.isfinite(v).all():
                return NOT_FINITE
            mem.work[:] += h * (self.method.b[: self.method.steps] @ np.array(self.powers)[:-1])
            self.write_outputs(run, t_new)
            self.accept(run, t_new, q, v)
            now.h = h * min(6.0, max(0.333, 0.8 * error ** (-1.0 / self.method.order))) if error > 0.0 else 6.0 * h
        return BUDGET

    def write_outputs(self, run: _Run, t_new: float) -> None:
        """Outputs inside the step, each the end of a shorter one; that at its end comes with the next."""
        now, mem, out, p = run.now, run.mem, run.out, self.p
        forward = t_new - now.t
        while now.next_output < len(out.times) and (out.times[now.next_output] - t_new) * forward <= 0.0:
            time, a = float(out.times[now.next_output]), np.zeros(self.nv)
            q, v, _ = self.step(now.t, time - now.t, mem.q.copy(), mem.v)
            self.model.follow(time, q, v)
            evaluate_at(p, time, q, v, a)
            record(p.I, p.F, time, q, v, mem.z, a, out, now.next_output, memory.angles(p.I, p.F).copy())
            out.side[now.next_output] = memory.sides(p.I, p.F)
            now.next_output += 1
            self.model.follow(now.t, mem.q, mem.v)

    def accept(self, run: _Run, t_new: float, q: np.ndarray, v: np.ndarray) -> None:
        """Make the end of the step the state; choose other coordinates where these have become dependent."""
        now, mem, p = run.now, run.mem, self.p
        mem.q[:], mem.v[:] = q, v
        now.t, now.steps = t_new, now.steps + 1
        self.model.follow(t_new, mem.q, mem.v)
        evaluate_at(p, t_new, mem.q, mem.v, mem.a)
        now.stored = stored_energy(p.I, p.P, p.F, p.conservative)
        keep_step(run.equations, now, mem, run.kept)
        if len(self.u) and self.dependence(self.model.rows(t_new, mem.q, mem.v)) > WORSE * self.growth:
            self.choose(run)
