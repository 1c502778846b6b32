"""A run as numbers: arrays of the model, method and tolerances, and what follows from them before the first step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..kernels import layout as at
from ..kernels.bodies import rate_of_q
from ..kernels.operate import EVALUATE, INPUTS, operate
from ..kernels.watch import Watch, nothing_watched
from .integrators import Tableau
from .stepping.records import ONE_POINT, POWERS_ONLY, THREE_POINTS

# arm of a turn, as a part of the model's length, from which on its error counts in radians
PART = 0.05


@dataclass
class Problem:
    """Arrays of one run: system memory, method and tolerances; `laws` are Python functions by number of the law."""

    I: np.ndarray  # noqa: E741
    P: np.ndarray
    F: np.ndarray
    length: float
    floor: np.ndarray
    method: Tableau
    rtol: float
    atol: float
    h_max: float = math.inf
    h_first: float | None = None
    tolerance: float = 1e-13
    dropped: float = math.inf
    laws: dict[int, Callable[[float, float, float], float]] = field(default_factory=dict)
    operate: Any = field(default_factory=lambda: operate)  # the entry to the equations
    scale: np.ndarray | None = None  # scale of the absolute tolerance for (q, v), if not that of bodies
    arms: np.ndarray | None = (
        None  # how far a turn of 1 rad about each axis moves a body [m]; default: the model's length
    )
    leaving: bool = False  # the start is a singular position, and rows left out there are needed at once
    watch: Watch = field(default_factory=nothing_watched)
    guard: bool = False  # look inside every step: defect, work and change of momentum by a quadrature of its own
    conservative: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    keep_all: bool = False  # every accepted step is an output
    z_scale: np.ndarray = field(default_factory=lambda: np.zeros(0))  # scale of atol for each auxiliary state
    native: Any = None  # machine code of the structure (`system/machine/native.py`), used where it is there or pays


def states_in(p: Problem) -> np.ndarray:
    """Auxiliary states in the memory of the kernels."""
    return p.F[p.I[at.STATE_AT] : p.I[at.STATE_AT] + p.I[at.N_STATES]]


def sides_in(p: Problem) -> np.ndarray:
    """Sides of the switches, as they are; the flag that holds them stands behind them."""
    return p.F[p.I[at.SIDE] : p.I[at.FROZEN]]


def angles_in(p: Problem) -> np.ndarray:
    """Counted angles in the memory of the kernels."""
    return p.F[p.I[at.ANGLE_AT] : p.I[at.ANGLE_AT] + p.I[at.N_ANGLES]]


def points_inside(p: Problem) -> int:
    """What is looked at inside each step: the equations at one point, and where work has to be integrated powers at two more."""
    if not p.guard:
        return 0
    springs = [n for n in np.flatnonzero(p.conservative) if p.I[p.I[at.LAW] + at.LAW_RECORD * n] == at.LAW_LINEAR]
    lossless = all(p.P[p.I[at.LAW_NUMBERS] + at.LAW_SIZE * n + 2] == 0.0 for n in springs)
    no_work = len(p.conservative) == p.I[at.N_LAWS] and bool(np.all(p.conservative)) and p.I[at.N_DRIVERS] == 0
    if no_work and lossless:
        return ONE_POINT
    # powers of drivers, and those of Lagrangian systems, need the multipliers
    return POWERS_ONLY if p.operate is operate and p.I[at.N_DRIVERS] == 0 else THREE_POINTS


def weights_of(p: Problem, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Scale of the absolute tolerance for (q, v, z), then the reference from which the relative one measures.

    Errors count by what they move.  The model's length serves positions and velocities.  Turns count in radians while they move the points
    of their body by an arm that is a part of the model; with a smaller arm, that of a thin axle about itself, they count by
    the way of those points.  A quaternion is marked by a negative scale: the change of its length, then half turns about the body axes.

    Positions are measured from a point near the start: a machine drawn far from the origin is as accurate as one drawn there.
    """
    if p.scale is not None:
        return np.concatenate([p.scale, np.zeros(len(p.scale))])
    plane = bool(p.I[at.PLANE])
    linear, turns = (2, 1) if plane else (3, 3)
    bodies = len(v) // (linear + turns)
    spins = np.ones((bodies, turns)) if p.arms is None else 1.0 / (p.arms / (PART * p.length)).clip(1e-6, 1.0)
    speeds = np.full((bodies, linear + turns), p.length)
    speeds[:, linear:] = spins
    places = speeds
    if not plane:
        places = np.full((bodies, 7), p.length)
        places[:, 3], places[:, 4:] = -1.0, spins
    scale = np.concatenate([places.ravel(), speeds.ravel(), p.z_scale])
    reference = np.zeros(len(scale))
    start = q.reshape(bodies, -1)[:, :linear]
    reference[: len(q)].reshape(bodies, -1)[:, :linear] = start - start.clip(-p.length, p.length)
    return np.concatenate([scale, reference])


def evaluate_at(p: Problem, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """One evaluation, Python laws included."""
    if p.laws:
        call_laws(p, t, q, v, a)
    p.operate(EVALUATE, p.I, p.P, p.F, t, q, v, a, 0.0, 1)


def call_laws(p: Problem, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Values of Python laws into the memory of the kernels."""
    operate(INPUTS, p.I, p.P, p.F, t, q, v, a, 0.0, 1)
    for k, law in p.laws.items():
        r = p.I[p.I[at.LAW] + at.LAW_RECORD * k + 1]
        s, rate = p.F[p.I[at.VALUE] + r], p.F[p.I[at.RATE] + r]
        p.F[p.I[at.CALLED] + k] = law(float(s), float(rate), float(t))


def first_step(
    p: Problem, t0: float, q: np.ndarray, v: np.ndarray, z: np.ndarray, t1: float, scale: np.ndarray
) -> float:
    """Automatic first step after Hairer, Norsett, Wanner II.4: h such that the local change is about a hundredth of the scale."""
    nq, nv = len(q), len(v)
    y = np.concatenate([q, v, z])
    size = p.atol * np.abs(scale[: len(y)]) + p.rtol * np.abs(y - scale[len(y) :])
    a0, a1 = np.zeros(nv), np.zeros(nv)
    evaluate_at(p, t0, q, v, a0)
    f0 = np.concatenate([_rate(p, q, v), a0, p.F[p.I[at.FORCE] :][: len(z)]])
    d0, d1 = _norm((y - scale[len(y) :]) / size), _norm(f0 / size)
    span = abs(t1 - t0)
    # a state that is zero up to rounding says nothing about the step: never below a millionth of a second (or of the run)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else max(0.01 * d0 / d1, 1e-6 * min(1.0, span))
    if not h0 > 0.0:
        # an acceleration that is not finite: the loop says so by itself
        return math.copysign(1e-6 * span, t1 - t0)
    h0 = math.copysign(min(h0, span), t1 - t0)
    y1 = y + h0 * f0
    q1, v1 = y1[:nq].copy(), y1[nq : nq + nv].copy()
    states_in(p)[:] = y1[nq + nv :]
    evaluate_at(p, t0 + h0, q1, v1, a1)
    f1 = np.concatenate([_rate(p, q1, v1), a1, p.F[p.I[at.FORCE] :][: len(z)]])
    states_in(p)[:] = z
    d2 = _norm((f1 - f0) / size) / abs(h0)
    largest = max(d1, d2)
    h1 = max(1e-6, abs(h0) * 1e-3) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / p.method.order)
    h = min(100.0 * abs(h0), h1, span, p.h_max)
    return math.copysign(h if math.isfinite(h) and h > 0.0 else 1e-6 * span, t1 - t0)


def _rate(p: Problem, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    if p.I[at.PLANE]:
        return v  # q' = v in the plane, and in coordinates of one's own
    out = np.zeros(len(q))
    rate_of_q(p.I, q, v, out)
    return out


def _norm(x: np.ndarray) -> float:
    return math.sqrt(float(x @ x) / len(x)) if len(x) else 0.0
