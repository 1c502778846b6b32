"""Three ways to solve M a + J^T lam = Q, J a = gamma with dense arrays, all good for dependent rows and massless bodies.

Lengths and angles are brought to one size first: velocities are (r'/L, omega), rows have unit length, masses are divided by the
largest.  `Scaled` holds these numbers; accelerations and multipliers are returned in true units.  Multipliers of dependent rows are one
choice of many; only what `unique` lets through may be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...system.subspaces import factor, span, unit_rows

# singular values of unit rows: independent above the first, dependent below the second; a pose in between is too near to a singular one
INDEPENDENT, DEPENDENT = 1e-4, 1e-8
# loads of null vectors of these rows that are as small do not move: the null vectors are known to DEPENDENT
OPEN = 1e-7


@dataclass
class Scaled:
    """Scaled arrays, and the singular value decomposition of the rows."""

    M: np.ndarray
    J: np.ndarray
    Q: np.ndarray
    gamma: np.ndarray
    columns: np.ndarray  # v = columns * scaled v
    rows: np.ndarray  # length of each row
    mass: float
    live: np.ndarray  # velocities that exist: a particle has no rotation
    rank: int
    clear: bool  # whether the rank is beyond doubt
    doubtful: np.ndarray  # rows of the combination that puts it in doubt
    left: np.ndarray  # combinations of rows that are zero, as columns
    free: np.ndarray  # free motions, as columns
    particular: np.ndarray  # smallest acceleration with J a = gamma
    # relative error to be expected: of nearly dependent rows, of light bodies, of dimensions that disagree
    rounding: float

    def true(self, a: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers in true units."""
        full = np.zeros(len(self.columns))
        full[self.live] = a
        return full * self.columns, lam * self.mass / self.rows


def finite(arrays: Any) -> bool:
    """Whether the equations have numbers: at the edge of an expression a slope is infinite or there is no value."""
    return all(bool(np.isfinite(x).all()) for x in (arrays.M, arrays.jac, arrays.Q, arrays.gamma))


def scaled(arrays: Any, columns: np.ndarray) -> Scaled:
    """Arrays of one size."""
    live = np.any(arrays.M != 0.0, axis=1) | np.any(arrays.jac != 0.0, axis=0)
    J = (arrays.jac * columns)[:, live]
    M = (arrays.M * columns * columns[:, None])[np.ix_(live, live)]
    Q = (arrays.Q * columns)[live]
    mass = float(np.max(np.abs(M), initial=0.0)) or 1.0
    J, rows = unit_rows(J)
    gamma = arrays.gamma / rows
    found = factor(J, INDEPENDENT, size=1.0)
    s, rank = found.s, found.rank
    clear = bool(rank == len(s) or s[rank] < DEPENDENT)
    doubtful = np.flatnonzero([] if clear else np.abs(found.left[:, 0]) > 0.1)
    free, M = found.null, M / mass
    mismatch = float(
        np.max(np.abs(found.left.T @ gamma), initial=0.0) / max(1.0, float(np.max(np.abs(gamma), initial=0.0)))
    )
    smallest = float(s[rank - 1]) if rank else 1.0
    condition = float(np.linalg.cond(free.T @ M @ free)) if free.shape[1] else 1.0
    rounding = 50.0 * np.finfo(float).eps * (1.0 / smallest**2 + condition) + 10.0 * mismatch
    return Scaled(
        M, J, Q / mass, gamma, columns, rows, mass, live, rank, clear, doubtful, found.left, free, found.solve(gamma), rounding
    )  # fmt: skip


def saddle_point(x: Scaled) -> tuple[np.ndarray, np.ndarray]:
    """The whole system [M J^T; J 0] at once, by least squares: dependent rows share their load."""
    n, m = len(x.M), len(x.J)
    matrix = np.block([[x.M, x.J.T], [x.J, np.zeros((m, m))]])
    found = np.linalg.lstsq(matrix, np.concatenate([x.Q, x.gamma]), rcond=1e-13)[0]
    # once more for what is left removes the rounding of large multipliers
    found += np.linalg.lstsq(matrix, np.concatenate([x.Q, x.gamma]) - matrix @ found, rcond=1e-13)[0]
    return x.true(found[:n], found[n:])


def null_space(x: Scaled) -> tuple[np.ndarray, np.ndarray]:
    """Without multipliers: a = a_gamma + Z y, Z^T M Z y = Z^T (Q - M a_gamma); then lam from J^T lam = Q - M a."""
    Z = x.free
    a = x.particular
    if Z.shape[1]:
        a = a + Z @ np.linalg.solve(Z.T @ x.M @ Z, Z.T @ (x.Q - x.M @ a))
    lam = np.linalg.lstsq(x.J.T, x.Q - x.M @ a, rcond=1e-7)[0] if len(x.J) else np.zeros(0)
    return x.true(a, lam)


def partitioning(x: Scaled) -> tuple[np.ndarray, np.ndarray]:
    """Dependent and independent coordinates (BASICS 8.4.3), chosen by QR with pivoting: J_u a_u + J_w a_w = gamma.

    a_u = c + B a_w with J_u B = -J_w; the multipliers come from the equations of the dependent coordinates alone.
    """
    from scipy.linalg import qr, solve_triangular

    n, r = len(x.M), x.rank
    if r == 0:
        return x.true(np.linalg.solve(x.M, x.Q), np.zeros(len(x.J)))
    orthogonal, triangle, order = qr(x.J, mode="economic", pivoting=True)
    basis, upper = orthogonal[:, :r], triangle[:r, :r]
    u, w = order[:r], order[r:]
    c = solve_triangular(upper, basis.T @ x.gamma)
    T, a = np.zeros((n, n - r)), np.zeros(n)
    T[u], T[w] = -solve_triangular(upper, triangle[:r, r:]), np.eye(n - r)
    a[u] = c
    if len(w):
        a = a + T @ np.linalg.solve(T.T @ x.M @ T, T.T @ (x.Q - x.M @ a))
    lam = basis @ solve_triangular(upper, (x.Q - x.M @ a)[u], trans="T")
    return x.true(a, lam)


FORMULATIONS = {"saddle point": saddle_point, "null space": null_space, "partitioning": partitioning}


def unique(load: np.ndarray, jac: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Part of a load -J^T lam that does not change when lam moves along the null vectors `left` of these rows."""
    open_ways = jac.T @ left
    if not open_ways.size:
        return load
    u = span(open_ways, OPEN, size=1.0)
    return load - u @ (u.T @ load)
