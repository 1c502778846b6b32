"""Self-stress: loads that redundant joints can put on each other without any effect on the motion, J^T n = 0; the smallest loads are those of theory (4).

The null space of J^T is found in pieces.  Large models are eliminated body by body, so that each null vector involves the rows of its
loop only; then null vectors that share a joint form groups, and dense algebra serves each group alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...kernels.operate import ROWS
from ...results.reactions import scaled_load, smallest
from ...results.result import Result
from ..pose import rank
from ..pose.null_vectors import ROUNDING, null_by_bodies
from ..pose.pose import Pose

# dense null vectors up to this many entries; beyond it body by body
DENSE = 1_000_000
# dense algebra for groups of up to this many null vectors
GROUP = 300


@dataclass(frozen=True, eq=False)
class SelfStress:
    """Basis of the null vectors as a sparse matrix (rows, count), scaled so that the loads of each have the size 1.

    Loads are the forces and torques / L of all parts; in groups of moderate size the loads of the basis are orthonormal.
    """

    vectors: Any

    @property
    def count(self) -> int:
        """Number of independent self-stresses."""
        return int(self.vectors.shape[1])

    def of(self, rows: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of some rows, and the numbers of the null vectors that they belong to."""
        inside = self.vectors[rows]
        columns = np.unique(inside.indices)
        return inside[:, columns].toarray(), columns


def self_stress(pose: Pose, run: Result, lam: np.ndarray) -> tuple[SelfStress, np.ndarray]:
    """Self-stress at a pose, and the multipliers with the smallest loads, from any that satisfy the equations.

    `run` is the result at this one instant, which gives the loads of unit multipliers.
    """
    from scipy.sparse import csr_matrix

    system, least = pose.system, lam.copy()
    null = null_space(pose).tocsc()
    parts = list(dict.fromkeys(system.row_parts))
    number = {name: k for k, name in enumerate(parts)}
    part_of_row = np.array([number[name] for name in system.row_parts], dtype=int)
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for columns, involved in groups(null, part_of_row, len(parts)):
        rows = np.concatenate([system.rows_of(parts[p]) for p in involved])
        blocks = [scaled_load(run, run.model.owner_of_rows(parts[p]))[0] for p in involved]
        if len(columns) <= GROUP:
            inside = entries(null, rows, columns)
            loads = _diagonal(blocks)
            least[rows] = smallest(loads, inside, lam[rows])
            basis = csr_matrix(_orthonormal(blocks, loads, inside)).tocoo()
        else:
            least[rows], basis = _smallest_sparse(blocks, null[rows][:, columns], lam[rows])
        found.append((basis.data, rows[basis.row], np.asarray(columns)[basis.col]))
    data, row, column = (np.concatenate(x) for x in zip(*found)) if found else ((), (), ())
    return SelfStress(csr_matrix((data, (row, column)), shape=null.shape)), least


def groups(null: Any, part_of_row: np.ndarray, n_parts: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Null vectors (columns of a CSC matrix) that share parts, directly or through others, and these parts, by their numbers."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    if not null.shape[1]:
        return
    every, size = null.tocoo(), n_parts + null.shape[1]
    graph = csr_matrix((np.ones(every.nnz), (part_of_row[every.row], n_parts + every.col)), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    order = np.argsort(label[n_parts:], kind="stable")
    for columns in np.split(order, np.flatnonzero(np.diff(label[n_parts:][order])) + 1):
        loaded = np.concatenate([null.indices[null.indptr[c] : null.indptr[c + 1]] for c in columns])
        yield columns, np.unique(part_of_row[loaded])


def entries(null: Any, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Null vectors in the rows that they load, dense; slicing a sparse matrix takes longer than the algebra of a small group."""
    position = np.zeros(null.shape[0], dtype=int)
    position[rows] = np.arange(len(rows))
    made = np.zeros((len(rows), len(columns)))
    for k, c in enumerate(columns):
        own = slice(null.indptr[c], null.indptr[c + 1])
        made[position[null.indices[own]], k] = null.data[own]
    return made


def _diagonal(blocks: list[np.ndarray]) -> Any:
    """Loads of unit multipliers of several parts, each part in its six lines; sparse if there are many."""
    if len(blocks) > 20:
        from scipy.sparse import block_diag

        return block_diag(blocks, format="csr")
    found = np.zeros((6 * len(blocks), sum(b.shape[1] for b in blocks)))
    k = 0
    for p, block in enumerate(blocks):
        found[6 * p : 6 * p + 6, k : k + block.shape[1]] = block
        k += block.shape[1]
    return found


def _orthonormal(blocks: list[np.ndarray], loads: Any, null: np.ndarray) -> np.ndarray:
    """Basis of the columns of `null` with orthonormal loads; combinations without load on last bodies follow, of size 1."""
    # unit columns first: the size of a null vector means nothing
    size = np.concatenate([np.linalg.norm(block, axis=0) for block in blocks])
    null = null / np.linalg.norm(size[:, None] * null, axis=0)
    _, s, vt = np.linalg.svd(loads @ null, full_matrices=False)
    seen = s > ROUNDING * max(float(s[0]), 1e-300)
    basis = null @ vt.T
    basis[:, seen] /= s[seen]
    return np.asarray(basis)


def _smallest_sparse(blocks: list[np.ndarray], null: Any, lam: np.ndarray) -> tuple[np.ndarray, Any]:
    """Multipliers of smallest loads and a basis with unit loads for a large group, by sparse normal equations.

    A little of the unit matrix keeps them regular where a null vector puts no load on last bodies; the second pass removes its effect.
    """
    from scipy.sparse import csr_matrix, diags, identity
    from scipy.sparse.linalg import splu

    loads = csr_matrix(_diagonal(blocks))
    size = np.sqrt(np.asarray((loads @ null).multiply(loads @ null).sum(axis=0)).ravel())
    basis = (null @ diags(1.0 / np.where(size > 0.0, size, 1.0))).tocsr()
    stress = (loads @ basis).tocsc()
    factor = splu((stress.T @ stress + 1e-13 * identity(stress.shape[1])).tocsc())
    for _ in range(3):
        lam = lam - basis @ factor.solve(stress.T @ (loads @ lam))
    return lam, basis.tocoo()


def null_space(pose: Pose) -> Any:
    """Sparse matrix of columns n with J^T n = 0."""
    from scipy.sparse import csr_matrix

    system = pose.system
    left = int(pose.dropped.sum())
    large = system.n_rows > rank.LARGEST
    if left == 0 and not (large and _doubtful(pose)):
        return csr_matrix((system.n_rows, 0))
    pose.operate(ROWS)
    unit, size = rank.unit_rows(system, pose.work)
    if large or left * system.n_rows > DENSE:
        return null_by_bodies(unit, system.builder.width).multiply(1.0 / size[:, None]).tocsr()
    found = pose.null_vectors()
    # what a row contributes is its coefficient times its size
    weight = np.abs(found) * size[:, None]
    return csr_matrix(np.where(weight > ROUNDING * weight.max(axis=0), found, 0.0))


def _doubtful(pose: Pose) -> bool:
    """Whether rows of a large model may depend on others though none was left out.

    There the pivots alone decide which rows are left out, and in a loop of a thousand bodies the pivot of a dependent row is round-off of
    1e-9.  Accelerations do not suffer, but multipliers then contain an arbitrary self-stress.
    """
    from .sets import is_closed

    small = pose.system.saddle or rank.smallest_pivot(pose.system, pose.work) < rank.DOUBTFUL
    return small and is_closed(pose.system)
