"""Whether forces at rest have a potential, and its energy V - V_0 = -integral of Q.dq along any way that rows allow (LAGRANGE 2.1.2-10).

C of `system/closed.py` is computed at the present place and at random ones around it; slopes are exact where the forces have formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...system.closed import open_pair
from .statics import Place, Statics

# random places besides the present one, and how far they lie in lengths of the model and radians at most
PLACES, FAR = 5, 0.5
# error of an integral along a way, as a part of the largest work on it; halvings of its steps
ACCURATE, HALVINGS = 1e-11, 9


def unsymmetric(s: Statics, curl: Callable[[np.ndarray], tuple[np.ndarray, float]] | None = None) -> str:
    """The pair of motions whose dQ_i/dq_j and dQ_j/dq_i differ most, in words; "" where none do.

    `curl`: C of some forces along displacements and what rounding leaves of it; default: of all forces.
    """
    here, random, found = s.place, np.random.default_rng(0), ""
    _back(s, here)
    for k in range(1 + PLACES):
        if k:
            z = s.displacements()
            delta = z @ random.standard_normal(z.shape[1])
            delta *= FAR * random.uniform(0.2, 1.0) / max(s.reach(delta), 1e-300)
            if not s.retract(delta):
                _back(s, here)
                continue
        z = s.displacements()
        if z.shape[1] < 2:
            break  # of one motion every force that depends on positions has a potential
        z, names = _unit_motions(s, z)
        c, error = (curl or s.curl)(z)
        pair = open_pair(c, error)
        if pair is not None:
            i, j = pair
            a, b = names[i], names[j]
            found = f"d(force along {b})/d({a}) - d(force along {a})/d({b}) = {c[i, j]:.6g}"
            break
        _back(s, here)
    _back(s, here)
    return found


def _unit_motions(s: Statics, z: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The same motions, one for a unit change of each of some independent coordinates, with their names."""
    from scipy.linalg import qr

    chosen = np.sort(qr((z * s.size[:, None]).T, mode="r", pivoting=True)[1][: z.shape[1]])
    names = [s.coordinate_name(int(c)) for c in chosen]
    made: np.ndarray = np.linalg.solve(z[chosen].T, z.T).T
    return made, names


def work_from(s: Statics, start: Place, force: Callable[[], np.ndarray]) -> float:
    """Integral of Q.dq from a place to the present one, along the straight way brought onto the rows; nan where that does not lead here.

    Sums of trapezoids over halved steps have errors in even powers of the steps: Romberg's rule.
    """
    here = s.place
    whole = s.way(start[0], here[0])
    places: dict[float, tuple[np.ndarray, np.ndarray]] = {}

    def at(sigma: float) -> bool:
        s.place = start
        ok = s.retract(sigma * whole) if s.reach(whole) > 0.0 else s.onto()
        places[sigma] = s.pose.q.copy(), force().copy()
        return ok and bool(np.isfinite(places[sigma][1]).all())

    reached = at(0.0) and _followed(s, start, whole, here) and at(1.0)
    rows: list[list[float]] = []
    best, error = math.nan, math.inf
    for level in range(HALVINGS):
        if not reached:
            break
        n = 2**level
        reached = all(at(k / n) for k in range(1, n, 2))
        along = [places[k / n] for k in range(n + 1)]
        total = sum(0.5 * float((p[1] + q[1]) @ s.way(p[0], q[0])) for p, q in zip(along, along[1:]))
        size = sum(float(np.abs(p[1]) @ np.abs(s.way(p[0], q[0]))) for p, q in zip(along, along[1:]))
        row = [total]
        for k, before in enumerate(rows[-1] if rows else []):
            row.append(row[k] + (row[k] - before) / (4.0 ** (k + 1) - 1.0))
        rows.append(row)
        if level > 2:
            best, error = row[-1], abs(row[-1] - rows[-2][-1])
            if error <= ACCURATE * size:
                break
    _back(s, here)
    return best if reached and error <= 1e-7 * max(size, 1e-300) else math.nan


def _followed(s: Statics, start: Place, whole: np.ndarray, here: Place) -> bool:
    """Whether the way from a place leads here, with the same counted angles."""
    s.place = start
    steps = max(8, math.ceil(8.0 * s.reach(whole)))
    for k in range(1, steps + 1):
        before = s.place
        s.place = start[0], before[1]
        if not s.retract(k / steps * whole) or s.reach(s.way(before[0], s.pose.q)) > 1.0:
            return False
    place = s.place
    return s.reach(s.way(place[0], here[0])) < 1e-9 and np.allclose(place[1], here[1], rtol=0.0, atol=1e-6)


def _back(s: Statics, place: Place) -> None:
    """Return to a place that was on the rows."""
    s.place = place
    s.evaluate()
    s.factor()
