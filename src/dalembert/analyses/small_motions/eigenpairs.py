"""Eigenvalues of small motions, and how well they are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..rest.slopes import ACCURACY

if TYPE_CHECKING:
    from .linearization import Reduced
    from .with_states import Coupled

# of exact equations: part of the fastest rate squared below which stiffness is zero; parts of that rate below which a zero eigenvalue cannot be told
# from zero, and below which growth is rounding
NO_STIFFNESS, FREE, GROWTH = 1e-12, 1e-6, 1e-8


def state_matrix(
    m: np.ndarray, c: np.ndarray, k: np.ndarray, first_order: tuple[np.ndarray, np.ndarray] | None = None
) -> np.ndarray:
    """A of x' = A x for x = (y, y') with M y'' + C y' + K y = 0.

    With conditions on velocities: x = (y, w), M w' + C w + K y = 0 and y' = S w + G y, where `first_order` is (G, S).
    """
    n = len(m)
    g, s = (np.zeros((n, n)), np.eye(n)) if first_order is None else first_order
    return np.block([[g, s], [-np.linalg.solve(m, k), -np.linalg.solve(m, c)]])


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenvalues, those that cannot be told from zero as zero; their vectors (columns); and sizes for each of them [1/s]."""

    values: np.ndarray
    vectors: np.ndarray
    resolution: np.ndarray  # below this it cannot be told from zero
    by_loads: np.ndarray  # as large as the forces in this state could make it


def eigenpairs(made: Reduced, states: Coupled | None = None) -> Eigenpairs:
    """Eigenvalues of the state matrix, with auxiliary states if there are any, and how well they are known.

    An eigenvalue s with the motion x satisfies (s^2 M + s C + K) x = 0.  Errors dK and dC make s = 0 a double root of the size r with
    r^2 |x^T M x| = |x|^T (dK + r dC) |x|.
    """
    if states is not None or made.coupling is not None:
        return _of_first_order(made, states)
    values, vectors = np.linalg.eig(state_matrix(made.mass, made.damping, made.stiffness))
    x = vectors[: len(made.mass)]
    inertia = np.einsum("ik,ij,jk->k", x.conj(), made.mass, x).real
    inertia = np.where(inertia > 0.0, inertia, 1.0)
    by_stiffness, by_damping, by_loads = (
        np.einsum("ik,ij,jk->k", np.abs(x), part, np.abs(x)) / inertia
        for part in (made.stiffness_error, made.damping_error, made.loads)
    )
    limit = 0.5 * by_damping + np.sqrt(0.25 * by_damping**2 + by_stiffness)
    return Eigenpairs(np.where(np.abs(values) > limit, values, 0j), vectors, limit, np.sqrt(by_loads))


def _of_first_order(made: Reduced, states: Coupled | None) -> Eigenpairs:
    """The same of x' = A x with conditions on velocities, x = (y, w): y' = G y + S w, M w' + C w + K y = 0, and with auxiliary states behind them.

    Errors dA of the state matrix change s by |l|^T dA |r| / |l^T r|, l and r its left and right vectors.  How a motion is divided into y
    and w depends on how velocities are brought onto the rows; the whole matrix does not.  A multiple root without as many motions
    (a place that a speed changes) has l^T r = 0: it is split by rounding, and cannot be told from zero.
    """
    from scipy.linalg import eig

    first = None if made.coupling is None else (made.drift, made.coupling)
    matrix = state_matrix(made.mass, made.damping, made.stiffness, first)
    n, m, inverse = made.motions.shape[1], len(made.mass), np.abs(np.linalg.inv(made.mass))
    if states is not None:
        matrix = states.matrix(matrix)
        error = states.accuracy * np.abs(matrix)
    else:
        error = made.accuracy * np.abs(matrix)
        error[n:] = 0.0
    error[n : n + m, :n] += inverse @ made.stiffness_error
    error[n : n + m, n : n + m] += inverse @ made.damping_error
    values, left, vectors = eig(matrix, left=True, right=True)
    overlap = np.maximum(np.abs(np.einsum("ik,ik->k", left.conj(), vectors)), 1e-300)
    size = float(np.max(np.abs(values), initial=0.0))
    limit = np.einsum("ik,ij,jk->k", np.abs(left), error, np.abs(vectors)) / overlap
    if states is not None:
        # a double root is split by the root of its error: more is no rounding
        limit = np.clip(limit, 1e-9 * size, np.sqrt(ACCURACY) * size)
        zero = np.abs(values) <= limit
    else:
        zero = np.abs(values) <= np.maximum(limit, 1e-9 * size)
        # a multiple root is known to what it is split by
        limit = np.where(zero, np.maximum(np.abs(values), 1e-9 * size), limit)
    return Eigenpairs(np.where(zero, 0j, values), vectors, limit, np.zeros(len(values)))


def split_eigenpairs(matrix: np.ndarray, units: np.ndarray) -> Eigenpairs:
    """Eigenvalues of an exact A; zero ones are split off by ranks, so that rounding does not spread those of free motions (Jordan blocks).

    `units` make the entries of x comparable.
    """
    n = len(matrix)
    b = matrix / units[:, None] * units
    size = float(np.linalg.norm(b, 2)) if n else 0.0
    basis, zeros = np.eye(n), 0
    while zeros < n:
        rest = basis[:, zeros:]
        _, s, vt = np.linalg.svd(rest.T @ b @ rest)
        none = s <= NO_STIFFNESS * max(size, 1e-300)
        if not none.any():
            break
        basis[:, zeros:] = rest @ np.vstack([vt[none], vt[~none]]).T
        zeros += int(none.sum())
    inner = basis.T @ b @ basis
    values, vectors = np.linalg.eig(inner[zeros:, zeros:])
    # (s - B11) x1 = B12 x2 brings in the free motions that a mode carries along
    first = [
        np.linalg.solve(s * np.eye(zeros) - np.triu(inner[:zeros, :zeros], 1), inner[:zeros, zeros:] @ x)
        for s, x in zip(values, vectors.T)
    ]
    whole = np.vstack([np.array(first, dtype=complex).reshape(len(values), zeros).T, vectors])
    made = np.hstack([basis[:, :zeros].astype(complex), basis @ whole])
    # rates that do not stand out beside the vector belong to no change of place
    made[np.abs(made) <= 1e-9 * np.max(np.abs(made), axis=0, initial=0.0)] = 0.0
    limit = size * np.where(np.arange(n) < zeros, FREE, GROWTH)
    return Eigenpairs(np.append(np.zeros(zeros, dtype=complex), values), units[:, None] * made, limit, np.zeros(n))
