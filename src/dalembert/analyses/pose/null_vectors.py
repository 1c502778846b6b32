"""Null vectors of large sets of rows: combinations of constraint rows that load no body, found body by body."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from ...system.subspaces import RANK

# a coefficient or residual of this size beside 1 is round-off of the elimination
ROUNDING = RANK


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
