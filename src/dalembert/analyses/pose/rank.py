"""Which rows of a redundant set are left out.

The factorization meets the rows in elimination order and leaves out each one that depends on those before it.  That finds *how many* are
dependent, but may keep an unlucky set: rows of a joint are differences along space axes, and the one that is kept may be almost
dependent too, and more so as the bodies turn.  Here the set is chosen by rank: among all rows that take part in a dependency, a
QR factorization with pivoting keeps the ones that differ most from each other.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...kernels.operate import DETECT, EVALUATE, PIVOT, operate
from ...kernels.row_status import OFF
from ...system import subspaces
from ...system.rows import unscaled_jacobian
from ...system.subspaces import INDEPENDENT
from ...system.system import System
from ...system.tables import Work
from .null_vectors import null_by_bodies

# relative pivot below which a row is taken as dependent on the others: 1e-5 in the angle between a row and the span of the rest
THRESHOLD = 1e-10
# dense linear algebra up to this many rows; larger models are eliminated body by body
LARGEST = 1500
# null vectors that a dense factorization still serves
MANY = 300
# a kept pivot below this part of its diagonal entry is worth a look at the whole set
DOUBTFUL = 1e-6


def detect(
    system: System, work: Work, t: float, q: np.ndarray, stated: bool = False, independent: float = INDEPENDENT
) -> None:
    """Mark dependent rows at a configuration; the factor there stays in memory.

    With initial conditions among the rows (`stated`) the choice of the factorization stays; it is used once and not for a motion.
    """
    n = system.numbering
    v = np.zeros(system.nv)
    operate(DETECT, n.I, n.P, work.F, t, q, v, v.copy(), THRESHOLD, 1)
    if not stated and choose(system, work, independent):
        operate(EVALUATE, n.I, n.P, work.F, t, q, v, v.copy(), 0.0, 1)


def scaled_rows(system: System, work: Work) -> np.ndarray:
    """Rows in the mass metric, as stored (dense), each of unit length.

    For the saddle-point solver rows are stored as they are; there lengths are measured in the model's length, so that the angle between
    rows does not depend on the unit.
    """
    rows = unscaled_jacobian(system, work, scaled=True).toarray()
    if system.saddle:
        rows *= system.unit_of_velocity
    return subspaces.unit_rows(rows)[0]


def unit_rows(system: System, work: Work) -> tuple[Any, np.ndarray]:
    """Rows in memory, in the mass metric (with the saddle-point solver: as they are), sparse, each of unit length; and their lengths."""
    rows = unscaled_jacobian(system, work, scaled=not system.saddle)
    size = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    size = np.where(size > 0.0, size, 1.0)
    rows.data /= np.repeat(size, np.diff(rows.indptr))
    return rows, size


def smallest_pivot(system: System, work: Work) -> float:
    """Smallest pivot of the rows that are kept, relative to their diagonal entry (range-space solver only)."""
    empty, n = np.zeros(0), system.numbering
    return float(operate(PIVOT, n.I, n.P, work.F, 0.0, empty, empty, empty, 0.0, 1))


def choose(system: System, work: Work, independent: float = INDEPENDENT) -> bool:
    """Choose anew which rows are left out; return whether the choice changed (the factor is then out of date).

    `independent` is the smallest singular value of independent rows; more than the default where rows are known roughly only.
    """
    from ..dependence.sets import is_closed

    before = work.floor >= OFF
    off = work.floor == OFF
    sharp = independent <= INDEPENDENT
    if system.n_rows == 0 or (sharp and not (before & ~off).any() and smallest_pivot(system, work) > DOUBTFUL):
        return False
    # small pivots of a long open chain are those of its heavy end: without loops no joint repeats what others say
    if not (before & ~off).any() and system.n_rows > LARGEST and not is_closed(system):
        return False
    small = system.n_rows <= LARGEST
    dropped = _dense_choice(system, work, independent) if small else _sparse_choice(system, work)
    if dropped is None or np.array_equal(dropped | off, before):
        return False
    # floors as the kernels set them: far below any pivot of a row that is kept
    largest = float(np.max(work.floor[~before], initial=0.0)) or 1e-15
    work.floor[:] = np.where(off, OFF, np.where(dropped, math.inf, np.where(before, largest, work.floor)))
    return True


def _sparse_choice(system: System, work: Work) -> np.ndarray | None:
    """Rows to leave out of a large model: in a loop of hundreds of bodies the pivot of a dependent row is round-off of its neighbours.

    The null vectors are found body by body; the rows left out are those that differ most from each other in them.  None if the
    saddle-point solver serves the model, or if there are too many for dense algebra: then the choice of the factorization stays.
    """
    from scipy.linalg import qr

    if system.saddle or np.isinf(work.floor).sum() > MANY:
        return None
    null = null_by_bodies(unit_rows(system, work)[0], system.builder.width)
    if null.shape[1] > MANY:
        return None
    dropped = np.zeros(system.n_rows, dtype=bool)
    involved = np.unique(null.tocoo().row)
    if len(involved):
        # conditions on velocities are left out first, as in `_dense_choice`
        weight = np.array([1e6 if system.numbering.rows[r].rate_only else 1.0 for r in involved])
        _, _, order = qr(null[involved].toarray().T * weight, mode="economic", pivoting=True)
        dropped[involved[order[: null.shape[1]]]] = True
    return dropped


def _dense_choice(system: System, work: Work, independent: float = INDEPENDENT) -> np.ndarray:
    """Rows to leave out, by a QR factorization with pivoting of those that take part in a dependency."""
    from scipy.linalg import qr

    rows = scaled_rows(system, work)
    values, vectors = np.linalg.eigh(rows @ rows.T)
    loose = values < independent**2
    rank = system.n_rows - int(loose.sum())
    # rows that take part in a dependency; all others are kept
    involved = np.flatnonzero(np.max(np.abs(vectors[:, loose]), axis=1, initial=0.0) > 1e-6)
    others = np.setdiff1d(np.arange(system.n_rows), involved)
    dropped = np.zeros(system.n_rows, dtype=bool)
    if len(involved):
        # what the involved rows add to the span of the others
        rest = rows[involved]
        if len(others):
            q, _ = np.linalg.qr(rows[others].T)
            rest = rest - (rest @ q) @ q.T
        on_rates = np.array([system.numbering.rows[r].rate_only for r in involved])
        if on_rates.any() and not on_rates.all():
            # positions are kept before conditions on velocities, which would let them drift
            at_all = np.flatnonzero(~on_rates)
            _, r, order = qr(rest[at_all].T, mode="economic", pivoting=True)
            firm = at_all[order[: int(np.sum(np.abs(np.diag(r)) > independent))]]
            q, _ = np.linalg.qr(rest[firm].T)
            rest = np.where(on_rates[:, None], rest - (rest @ q) @ q.T, 0.0)
            _, _, order = qr(rest.T, mode="economic", pivoting=True)
            order = np.concatenate([firm, order[~np.isin(order, firm)]])
        else:
            _, _, order = qr(rest.T, mode="economic", pivoting=True)
        dropped[involved[order[max(rank - len(others), 0) :]]] = True
    return dropped
