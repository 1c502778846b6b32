"""Elimination orders and fill patterns, fixed once when a model is compiled."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass


def minimum_degree(
    neighbours: Sequence[set[int]], after: Sequence[set[int]] | None = None, rows: Sequence[int] | None = None
) -> tuple[list[int], list[list[int]]]:
    """Order of elimination by smallest degree, and for each node the nodes eliminated before it that it is coupled to.

    The degree of a node is the number of rows of the nodes it is coupled to (`rows`, 1 each if not given).  Counted in nodes, the
    joints of a loop tie with its ends, every second joint goes first, and a chain with loops needs 1.6 times the work.
    `after[v]`, if given, are nodes that must be eliminated before v (a constraint comes after its bodies).
    Returns the order and `columns`, both in terms of the original node numbers; columns[v] sorted by position.
    """
    n = len(neighbours)
    graph = [set(s) for s in neighbours]
    missing = [len(after[v]) if after else 0 for v in range(n)]
    waiting: list[list[int]] = [[] for _ in range(n)]
    if after:
        for v in range(n):
            for u in after[v]:
                waiting[u].append(v)
    # ties go to the larger node, then to the one that has waited longest: a chain is then eliminated from both ends in turn, and
    # neighbouring steps of the factorization do not wait for each other
    clock = itertools.count()
    size = rows or [1] * n

    def degree_of(v: int) -> int:
        return sum(size[u] for u in graph[v])

    heap = [(degree_of(v), -size[v], next(clock), v) for v in range(n) if not missing[v]]
    heapq.heapify(heap)
    done = [False] * n
    order: list[int] = []
    columns: list[list[int]] = [[] for _ in range(n)]
    while heap:
        degree, _, _, v = heapq.heappop(heap)
        if done[v] or degree != degree_of(v):
            continue
        done[v] = True
        order.append(v)
        rest = graph[v]
        touched = set(rest)
        for u in rest:
            graph[u] |= rest
            graph[u].discard(u)
            graph[u].discard(v)
            columns[u].append(v)
        for u in waiting[v]:
            missing[u] -= 1
            touched.add(u)
        for u in sorted(touched):
            if not missing[u] and not done[u]:
                heapq.heappush(heap, (degree_of(u), -size[u], next(clock), u))
        graph[v] = set()
    return order, columns


@dataclass
class BlockPattern:
    """Off-diagonal blocks of the range-space factor; see `kernels/layout.py`."""

    off0: list[int]  # first off-diagonal block of each block row, and the end
    offs: list[tuple[int, int, int, int]]  # column, place, first pair, first update; one more at the end
    pairs: list[int]
    updates: list[int]
    size: int


def couplings(bodies: Sequence[Sequence[int]]) -> list[set[int]]:
    """Blocks that share a moving body, for blocks given by their bodies."""
    of_body: dict[int, list[int]] = {}
    for k, touched in enumerate(bodies):
        for b in touched:
            of_body.setdefault(b, []).append(k)
    graph: list[set[int]] = [set() for _ in bodies]
    for members in of_body.values():
        for k in members:
            graph[k].update(members)
    for k, s in enumerate(graph):
        s.discard(k)
    return graph


def block_pattern(
    rows: Sequence[int],
    bodies: Sequence[Sequence[int]],
    columns: Sequence[Sequence[int]],
    block_j: Sequence[int],
    width: int,
    block_d: Sequence[int],
    place: int,
) -> BlockPattern:
    """Pattern of the factor for blocks in elimination order; columns[k] are the earlier blocks coupled to k."""
    off0 = [0]
    offs: list[tuple[int, int, int, int]] = []
    pairs: list[int] = []
    updates: list[int] = []
    entry: list[dict[int, int]] = []
    size = place
    for k, cols in enumerate(columns):
        mine: dict[int, int] = {}
        entry.append(mine)
        slot_k = {b: s for s, b in enumerate(bodies[k])}
        for col in sorted(cols):
            offs.append((col, size, len(pairs) // 2, len(updates) // 4))
            for s, b in enumerate(bodies[col]):
                if b in slot_k:
                    pairs += [block_j[k] + slot_k[b] * rows[k] * width, block_j[col] + s * rows[col] * width]
            for p, at in mine.items():
                if p in entry[col]:
                    updates += [at, entry[col][p], rows[p], block_d[p]]
            mine[col] = size
            size += rows[k] * rows[col]
        off0.append(len(offs))
    # one more entry: the end of the last, and something to read for an empty last row
    offs.append((0, size, len(pairs) // 2, len(updates) // 4))
    return BlockPattern(off0, offs, pairs, updates, size - place)


def work_of(rows: Sequence[int], columns: Sequence[Sequence[int]]) -> float:
    """Multiplications of a block factorization, for the choice between the two solvers; rows and columns by node."""
    below = [0] * len(rows)
    for k, cols in enumerate(columns):
        for c in cols:
            below[c] += rows[k]
    return sum(n * (0.5 * m * m + n * m + n * n / 3) for n, m in zip(rows, below))


def updates_of(columns: Sequence[Sequence[int]]) -> int:
    """Updates of off-diagonal blocks, each of which the range-space solver has a record of."""
    below = [0] * len(columns)
    for cols in columns:
        for c in cols:
            below[c] += 1
    return sum(n * (n - 1) // 2 for n in below)
