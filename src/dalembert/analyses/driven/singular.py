"""Singular positions of a driven model: found between two steps, located, and told with names.

    lock-up     the solution curve (q, t) turns back in time: the drivers cannot be followed any further;
    branching   the curve goes on, but another one crosses it there, and the mechanism may take either.

Between two points with rows J_a, J_b the straight line from one to the other meets a singular matrix exactly where an eigenvalue of
pinv(J_a) J_b is negative; that finds branchings even when several singular values vanish at once (several flat parallelograms).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import SingularPositionError
from ...state import State
from ...system.subspaces import RANK

if TYPE_CHECKING:
    from .path import Path, Point

# parts of a null vector below this share of its largest entry are not named
SHARE = 0.02
# smallest singular values on both sides of a branching when it counts as located: a mechanism that turns back before it by a gap has
# sqrt(gap) there, so that gaps of 1e-13 lengths and less cannot be told from it; the second where rounding ends the search earlier
LOCATED, LOCATED_ROUGHLY = 1e-7, 2e-5
# distance along the solution curve in one step of the search for a turning point, and the same next to a sharp bend
ALONG, ALONG_BEND = 0.02, 0.2


def refuse_branching(path: Path, a: Point, b: Point, roughly: bool = False) -> bool:
    """Locate a singular position between two points by bisection; a false alarm, gone in smaller steps, passes.

    False where it cannot be told at this distance: a curve that turns away just before the position looks the same from afar, and the
    step to b would leave it.
    """
    for _ in range(60):
        if b.smallest <= RANK or a.smallest + b.smallest < LOCATED:
            break
        # not the middle: where the position itself is hit, Newton's method has a double root and is slow
        tries = (path.step(a, a.t + part * (b.t - a.t)) for part in (0.45, 0.6, 0.3))
        m = next((found for found in tries if found is not None), None)
        if m is None:
            break
        if crosses(a, m):
            b = m
        elif crosses(m, b):
            a = m
        else:
            return True
    if b.smallest > RANK and a.smallest + b.smallest > (LOCATED_ROUGHLY if roughly else 2.0 * LOCATED):
        return False
    # the smallest singular value changes its sign: linear in between
    t = b.t if b.smallest <= RANK else (a.t * b.smallest + b.t * a.smallest) / (a.smallest + b.smallest)
    near = a if abs(t - a.t) < abs(t - b.t) else b
    q = path.moved(near.q, ((t - near.t) * near.v)[path.active] / path.columns)
    raise singular(path, "branching", t, q, a.v, a.angles, (a.t, a.q))


def refuse_turning(path: Path, p: Point, t: float) -> None:
    """Follow the solution curve by its length, through the point where time turns back; tell it if it comes before t.

    The curve has the tangent J x - nu t' = 0; w, the direction in which J is weakest, measures its length.
    """
    forward = math.copysign(1.0, t - p.t)
    # a time that is the turning point itself, up to rounding, cannot be reached either
    t += forward * 1e-9 * max(abs(t), 1e-3)
    w = p.svd[2][-1]
    if w @ (p.v[path.active] / path.columns) * forward < 0.0:
        w = -w
    begin: Any = _curve(path, p.t, p.q, p.angles, w, 0.0, None)
    # a curve that nearly touches another one bends as sharply as it is near: the smallest singular value measures that
    for ds in (ALONG, ALONG_BEND * p.smallest):
        here = begin
        for _ in range(60):
            if here is None or (here[0] - t) * forward > 0.0 or here[3] * forward <= 0.0:
                break
            there = _curve(path, here[0], here[1], p.angles, w, ds, here)
            if there is not None and there[3] * forward <= 0.0:
                _turning(path, here, p, t, w, forward, ds)
                break
            here = there


def _turning(path: Path, here: Any, p: Point, t: float, w: np.ndarray, forward: float, ds: float) -> None:
    """Root of dt/ds between 0 and ds along the curve."""
    from scipy.optimize import brentq

    def slope(s: float) -> float:
        found = _curve(path, here[0], here[1], p.angles, w, s, here)
        return math.nan if found is None else forward * float(found[3])

    try:
        s = brentq(slope, 0.0, ds, xtol=1e-15 * ds / ALONG, rtol=1e-14)
    except ValueError:
        return
    found = _curve(path, here[0], here[1], p.angles, w, s, here)
    if found is not None and abs(found[3]) > 1e-3 * abs(here[3]):
        return  # not a root but a jump: from the curve to another one that comes near
    if found is not None and (found[0] - t) * forward <= 0.0 <= (found[0] - p.t) * forward:
        before = _curve(path, here[0], here[1], p.angles, w, s - 1e-5, here)
        beside = None if before is None else before[:2]
        raise singular(path, "lock-up", float(found[0]), found[1], np.zeros(path.system.nv), p.angles, beside)


def _curve(
    path: Path, t: float, q: np.ndarray, angles: np.ndarray, w: np.ndarray, s: float, tangent: Any
) -> tuple[float, np.ndarray, np.ndarray, float] | None:
    """Point of the solution curve at distance s along w, with its tangent (x, dt) per unit of s; None where there is none."""
    rest = np.zeros(path.system.nv)
    if tangent is not None:
        t, q = t + s * tangent[3], path.moved(q, s * tangent[2])
    bordered = np.zeros((path.system.n_rows + 1, len(w) + 1))
    bordered[-1, :-1] = w
    for _ in range(10):
        phi, jac, nu, _ = path.rows(t, q, rest, angles)
        if not np.isfinite(phi).all():
            return None
        bordered[:-1, :-1], bordered[:-1, -1] = jac, -nu
        # the column of time to the size of the others
        weight = 1.0 / max(float(np.max(np.abs(nu))), 1e-300)
        bordered[:, -1] *= weight
        bordered[-1, -1] = 0.0
        right = np.column_stack([np.append(-phi, 0.0), np.append(np.zeros(len(phi)), 1.0)])
        x, _, rank, _ = np.linalg.lstsq(bordered, right, rcond=1e-10)
        if rank <= len(w):
            return None
        correction = float(np.max(np.abs(x[:, 0])))
        if correction < 1e-13:
            return t, q, x[:-1, 1], float(weight * x[-1, 1])
        if correction > 0.5:
            return None
        t, q = t + weight * x[-1, 0], path.moved(q, x[:-1, 0])
    return (t, q, x[:-1, 1], float(weight * x[-1, 1])) if correction < 1e-9 else None


def singular(
    path: Path,
    kind: str,
    t: float,
    q: np.ndarray,
    v: np.ndarray,
    angles: np.ndarray,
    beside: tuple[float, np.ndarray] | None = None,
) -> SingularPositionError:
    """Error for a singular position: what, when, where, whose rows.

    The vector that belongs to the vanishing singular value is taken just beside it: in the position itself it cannot be told from
    dependencies that always hold (redundant joints).
    """
    near_t, near_q = beside or (t, q)
    _, jac, *_ = path.rows(near_t, near_q, v, angles)
    u, s, vt = np.linalg.svd(jac)
    left = np.abs(u[:, len(s) - 1])
    parts = path.system.row_parts
    shares: dict[str, float] = {}
    for r, x in enumerate(left):
        shares[parts[r]] = max(shares.get(parts[r], 0.0), float(x))
    joints = tuple(sorted((n for n, x in shares.items() if x > SHARE * max(shares.values())), key=list(shares).index))
    state = State(t, q, v, angles, tuple(path.system.body_names))
    free, where = path.coordinates(state, vt[len(s) - 1 :].T), path.where(q)
    which = (
        f"rows of {', '.join(map(repr, joints))} depend on each other; {', '.join(map(repr, free))} moves without them"
    )
    if kind == "lock-up":
        why = "the driver pushes beyond the last position that the lengths allow: the linkage jams and cannot follow it"
        do = (
            "keep the driver inside this position (error.result holds the motion up to it), or drive another coordinate"
        )
    else:
        why = "two motions cross there, and the drivers do not tell which one the mechanism takes"
        do = "stop before it (error.result holds the motion up to it), or drive another coordinate through it"
        if t == path.prepared.state.t:
            do = "begin beside it, or drive another coordinate through it"
    # at a branching, a double root, half the digits are lost
    when = f"{t:.9g}" if kind == "lock-up" else f"{t:.7g}"
    error = SingularPositionError(f"{path.asked}", f"{kind} at t = {when} s: {which}; pose: {where}", why, do)
    error.kind, error.t, error.state, error.joints = kind, t, state, joints
    return error


def crosses(a: Point, b: Point) -> bool:
    """Whether the rows become singular between two points."""
    if b.smallest <= RANK:
        return True
    # Weyl: singular values move less than the rows do
    if a.svd[1][-1] > np.linalg.norm(a.jac - b.jac):
        return False
    eigenvalues = np.linalg.eigvals(np.linalg.lstsq(a.jac, b.jac, rcond=None)[0])
    return bool(np.any(eigenvalues.real < 0.0))
