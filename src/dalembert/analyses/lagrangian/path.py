"""A Lagrangian system whose rows determine its motion, followed in time: Phi(q, t) = 0, J v = nu, J a = gamma."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...errors import MethodError, SingularPositionError
from ...model.lagrangian import Lagrangian
from ...results.audit import POWER
from ...results.lagrangian import LagrangianResult
from ...results.lagrangian_parts import power_balance
from ...state import State
from .point import INDEPENDENT, Point, dependent
from .start import check_positions, off_rows, prepare, read_state

# steps between two times that are halved at most
HALVINGS = 30


@dataclass(eq=False, repr=False)
class LagrangianMotion(LagrangianResult):
    """Motion that the rows determine; everything that a LagrangianResult has, standing on a followed path instead of an integration."""

    seconds: float = field(default=0.0, repr=False)
    driven = True

    def _first_law(self) -> tuple[float, float]:
        return power_balance(self), POWER

    def _statistics(self) -> dict[str, Any]:
        return {"steps": 0, "rejected": 0, "evaluations": 0, "seconds": self.seconds, "method": "kinematics"}

    def _state(self, t: float, checked: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Followed from the nearest state that is known."""
        kept = self.trace.kept
        k = int(np.argmin(np.abs(kept.t - t)))
        q, v, z = self.system.parts_of(kept.y[k])
        point = Point(self.system, float(kept.t[k]), q, v, self.prepared.work)
        _advance(point, t, f"state of {self.model.name!r} at t = {t:g} s")
        return point.q.copy(), point.v.copy(), kept.angle[k], z


def follow(model: Lagrangian, times: np.ndarray, start: Any, asked: str) -> LagrangianMotion:
    """Positions, velocities and accelerations at the times; multipliers from the equations of motion."""
    from ...solve.integrators import method
    from ..dynamics.motion import problem_of

    began = time.perf_counter()
    state = None if start is None else read_state(asked, model, start)
    prepared = prepare(model, float(times[0]) if state is None else state.t, state, asked)
    system = prepared.system
    free = system.n - system.n_rows + len(prepared.dropped)
    if free > 0:
        raise MethodError(
            asked,
            f"{system.n} coordinates and {system.n_rows - len(prepared.dropped)} independent rows: {free} left undetermined",
            "the motion is determined by rows only if there are as many as coordinates",
            "prescribe the rest by holonomic rows with t, as in {'motor': 'theta - 2*pi*t'}, or use da.simulate",
        )
    point = Point(system, prepared.state.t, prepared.state.q, prepared.state.v, prepared.work)
    found = []
    for t in times:
        _advance(point, float(t), asked)
        found.append(np.concatenate([point.q, point.v]))
    problem = problem_of(prepared, (method(8), 1e-10, 1e-12, np.inf))
    no_angles = np.zeros((len(times), 0))
    made = LagrangianMotion._at_states(prepared, problem, times, np.array(found), no_angles)
    made.check_equations(asked)
    order = np.argsort(made.t, kind="stable")
    kept = SimpleNamespace(t=made.t[order], y=np.array(found)[order], angle=no_angles)
    made.trace = SimpleNamespace(kept=kept, segments=())
    made.seconds = time.perf_counter() - began
    return made


def _rates(point: Point, asked: str) -> np.ndarray:
    """Velocities of the point from its rows; returns the accelerations."""
    jac = point.jac
    kept = ~point.dropped
    size = np.max(np.abs(jac), axis=0, initial=0.0)
    if dependent((jac / np.where(size > 0.0, size, 1.0))[kept]).any():
        raise _singular(point, asked)
    point.v = np.zeros(point.system.n)
    point.v = np.linalg.lstsq(jac, -point.w, rcond=None)[0]
    return np.asarray(np.linalg.lstsq(jac, point.gamma, rcond=None)[0])


def _singular(point: Point, asked: str) -> SingularPositionError:
    where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(point.system.model.q, point.q))
    error = SingularPositionError(
        asked,
        f"at t = {point.t:.9g} s ({where}) the rows are dependent to {INDEPENDENT:g}",
        "there the rows no longer determine the motion: it locks up, or motions branch",
        "stop before, or prescribe another coordinate",
    )
    error.kind, error.t, error.state = "lock-up", point.t, State(point.t, point.q.copy(), np.zeros(point.system.n))
    error.joints = point.system.row_names
    return error


def _advance(point: Point, t: float, asked: str) -> None:
    """Follow the rows to time t, by a Taylor step and Newton's method; steps that come out far from it are halved."""
    a = _rates(point, asked)
    step, halved = t - point.t, 0
    while point.t != t:
        step = t - point.t if abs(step) >= abs(t - point.t) else step
        before = point.t, point.q.copy(), point.v.copy()
        point.t = t if step == t - before[0] else before[0] + step
        point.q = before[1] + step * before[2] + 0.5 * step**2 * a
        guess = point.q.copy()
        good = _newton(point)
        moved = float(np.max(np.abs(point.q - guess), initial=0.0))
        # the correction is of third order: compared with the step itself it must be small, else another branch may be met
        size = float(np.max(np.abs(point.q - before[1]), initial=0.0))
        if good and (moved <= 0.05 * size or moved < 1e-9) and size < 0.5 * max(1.0, float(np.max(np.abs(point.q)))):
            a = _rates(point, asked)
            step *= 1.5
            continue
        point.t, point.q, point.v = before
        step, halved = 0.5 * step, halved + 1
        if halved > HALVINGS:
            raise _singular(point, asked)


def _newton(point: Point) -> bool:
    """Bring q onto the holonomic rows at its time; whether that succeeded."""
    h = point.system.n_holonomic
    before = np.inf
    for _ in range(12):
        phi, jac = point.phi[:h], point.jac[:h]
        if not (np.isfinite(phi).all() and np.isfinite(jac).all()):
            return False
        worst = float(np.max(off_rows(point), initial=0.0))
        if worst <= 1e-15 or (worst <= 1e-12 and worst > 0.5 * before):
            return True
        if worst > 0.9 * before and worst > 1e-12:
            return False
        before = worst
        point.q = point.q - np.linalg.lstsq(jac, phi, rcond=None)[0]
    return before <= 1e-12


__all__ = ["LagrangianMotion", "check_positions", "follow"]
