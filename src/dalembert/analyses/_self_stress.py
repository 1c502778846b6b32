"""Self-stress: loads that redundant joints can put on each other without any effect on the motion, J^T n = 0.

The null space of J^T is found in pieces.  Large models are eliminated body by body, so that each null vector involves the rows of its
loop only; then null vectors that share a joint form groups, and dense algebra serves each group alone.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kernels import layout as at
from ..kernels.operate import ROWS
from ..results.reactions import scaled_load, smallest
from . import _rank
from ._pose import Pose
from .equations import unscaled_jacobian

# dense null vectors up to this many entries; beyond it body by body
DENSE = 1_000_000
# dense algebra for groups of up to this many null vectors
GROUP = 300
# a coefficient or residual of this size beside 1 is round-off of the elimination
ROUNDING = 1e-9


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


def self_stress(pose: Pose, run: Any, lam: np.ndarray) -> tuple[SelfStress, np.ndarray]:
    """Self-stress at a pose, and the multipliers with the smallest loads, from any that satisfy the equations.

    `run` is the result at this one instant, which gives the loads of unit multipliers.
    """
    from scipy.sparse import csr_matrix

    system, least = pose.system, lam.copy()
    null = null_space(pose).tocsc()
    parts = list(dict.fromkeys(system.row_parts))
    number = {name: k for k, name in enumerate(parts)}
    part_of_row = np.array([number[name] for name in system.row_parts], dtype=int)
    position = np.zeros(system.n_rows, dtype=int)
    entries: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for columns in _groups(null, part_of_row, len(parts)):
        taken = [slice(null.indptr[c], null.indptr[c + 1]) for c in columns]
        involved = np.unique(part_of_row[np.concatenate([null.indices[k] for k in taken])])
        rows = np.concatenate([system.rows_of(parts[p]) for p in involved])
        position[rows] = np.arange(len(rows))
        blocks = [scaled_load(run, run.model[parts[p]])[0] for p in involved]
        if len(columns) <= GROUP:
            inside = np.zeros((len(rows), len(columns)))
            for k, piece in enumerate(taken):
                inside[position[null.indices[piece]], k] = null.data[piece]
            loads = _diagonal(blocks)
            least[rows] = smallest(loads, inside, lam[rows])
            basis = csr_matrix(_orthonormal(blocks, loads, inside)).tocoo()
        else:
            least[rows], basis = _smallest_sparse(blocks, null[rows][:, columns], lam[rows])
        entries.append((basis.data, rows[basis.row], np.asarray(columns)[basis.col]))
    data, row, column = (np.concatenate(x) for x in zip(*entries)) if entries else ((), (), ())
    return SelfStress(csr_matrix((data, (row, column)), shape=null.shape)), least


def _groups(null: Any, part_of_row: np.ndarray, n_parts: int) -> list[np.ndarray]:
    """Null vectors (columns) that share parts, directly or through others."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    entries, count = null.tocoo(), null.shape[1]
    size = n_parts + count
    graph = csr_matrix((np.ones(entries.nnz), (part_of_row[entries.row], n_parts + entries.col)), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    order = np.argsort(label[n_parts:], kind="stable")
    return np.split(order, np.flatnonzero(np.diff(label[n_parts:][order])) + 1) if count else []


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
    large = system.n_rows > _rank.LARGEST
    if left == 0 and not (large and _doubtful(pose)):
        return csr_matrix((system.n_rows, 0))
    unit, size = _unit_rows(pose)
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
    return bool(pose.system.numbering.I[at.SADDLE]) or _rank.smallest_pivot(pose.system, pose.work) < _rank.DOUBTFUL


def _unit_rows(pose: Pose) -> tuple[Any, np.ndarray]:
    """Rows in the mass metric, each of unit length, and their lengths."""
    pose._operate(ROWS)
    rows = unscaled_jacobian(pose.system, pose.work, scaled=not pose.system.numbering.I[at.SADDLE])
    size = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    size = np.where(size > 0.0, size, 1.0)
    rows.data /= np.repeat(size, np.diff(rows.indptr))
    return rows, size


def null_by_bodies(rows: Any, width: int) -> Any:
    """Null vectors of the transpose of unit rows, by elimination of one body after the other.

    A candidate is a combination of rows that already balances on all bodies eliminated so far.  At the next body (the one that fewest
    candidates load) those that load it are combined so that nothing is left there: a QR factorization with pivoting takes as many of
    them as the load has dimensions, and every other one, less its part of these, goes on.  A candidate that loads no body is a null
    vector.  It involves rows of bodies that its own loops pass through, no others.
    """
    from scipy.linalg import qr, solve_triangular
    from scipy.sparse import csr_matrix

    n_rows, n_bodies = rows.shape[0], rows.shape[1] // width
    candidates = _Candidates(rows, width)
    on_body = candidates.on_body
    waiting = [(len(on_body[b]), b) for b in range(n_bodies)]
    heapq.heapify(waiting)
    done = [False] * n_bodies
    while waiting:
        count, b = heapq.heappop(waiting)
        if done[b] or count != len(on_body[b]):
            continue
        done[b] = True
        if not on_body[b]:
            continue
        here = sorted(on_body[b])
        matrix = np.column_stack([candidates.loads[c][b] for c in here])
        _, upper, order = qr(matrix, mode="economic", pivoting=True)
        size = np.abs(np.diag(upper))
        rank = int(np.sum(size > ROUNDING * max(float(size[0]), 1.0)))
        taken = [here[k] for k in order[:rank]]
        parts = solve_triangular(upper[:rank, :rank], upper[:rank, rank:])
        near: set[int] = set()
        for column, k in enumerate(order[rank:]):
            near |= candidates.combine(here[k], taken, parts[:, column], b)
        for c in taken:
            near |= candidates.remove(c)
        for other in near:
            if not done[other]:
                heapq.heappush(waiting, (len(on_body[other]), other))
    found = [candidates.coefficients(c) for c in candidates.loads]
    columns = [k for k, one in enumerate(found) for _ in one]
    values = [x for one in found for x in one.values()]
    return csr_matrix((values, ([r for one in found for r in one], columns)), shape=(n_rows, len(found)))


class _Candidates:
    """Combinations of rows: what they load, and how they were made.

    Each is known by the row it began as, which no other contains.  How it was made is kept as a graph (`made`: older combinations and
    their factors), because written out at every step the combinations of a long loop would cost the square of its length.
    """

    def __init__(self, rows: Any, width: int) -> None:
        self.n_rows = rows.shape[0]
        self.loads: dict[int, dict[int, np.ndarray]] = {}
        self.on_body: list[set[int]] = [set() for _ in range(rows.shape[1] // width)]
        self.node = list(range(self.n_rows))  # present combination of each candidate; rows themselves come first
        self.made: list[list[tuple[int, float]]] = []
        for r in range(self.n_rows):
            blocks = range(rows.indptr[r], rows.indptr[r + 1], width)
            pieces = {int(rows.indices[k]) // width: rows.data[k : k + width] for k in blocks}
            self.loads[r] = {b: w for b, w in pieces.items() if w.any()}
            for b in self.loads[r]:
                self.on_body[b].add(r)

    def combine(self, c: int, taken: list[int], parts: np.ndarray, body: int) -> set[int]:
        """Candidate c less its parts of those taken, so that nothing is left on the body; return the bodies concerned."""
        load, before = dict(self.loads[c]), set(self.loads[c])
        largest = {b: float(np.max(np.abs(w))) for b, w in load.items()}
        made = [(self.node[c], 1.0)]
        for other, x in zip(taken, parts.tolist()):
            if abs(x) > ROUNDING:
                made.append((self.node[other], -x))
                for b, w in self.loads[other].items():
                    load[b] = load[b] - x * w if b in load else -x * w
                    largest[b] = max(largest.get(b, 0.0), abs(x) * float(np.max(np.abs(w))))
        del load[body]
        self.node[c] = self.n_rows + len(self.made)
        self.made.append(made)
        # what cancels up to round-off is zero
        self.loads[c] = {b: w for b, w in load.items() if float(np.max(np.abs(w))) > ROUNDING * largest[b]}
        for b in before - set(self.loads[c]):
            self.on_body[b].discard(c)
        for b in self.loads[c]:
            self.on_body[b].add(c)
        return before | set(self.loads[c])

    def remove(self, c: int) -> set[int]:
        """Forget a candidate; return the bodies that it loaded."""
        bodies = set(self.loads.pop(c))
        for b in bodies:
            self.on_body[b].discard(c)
        return bodies

    def coefficients(self, c: int) -> dict[int, float]:
        """Coefficients of the rows in a candidate: from its combination down to the rows, latest first."""
        weight, waiting, found = {self.node[c]: 1.0}, [-self.node[c]], {}
        while waiting:
            node = -heapq.heappop(waiting)
            x = weight.pop(node)
            if node < self.n_rows:
                found[node] = x
                continue
            for older, y in self.made[node - self.n_rows]:
                if older not in weight:
                    weight[older] = 0.0
                    heapq.heappush(waiting, -older)
                weight[older] += x * y
        largest = max(map(abs, found.values()))
        return {r: x / largest for r, x in found.items() if abs(x) > ROUNDING * largest}
