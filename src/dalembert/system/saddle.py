"""Pattern of the saddle-point factorization, theory (5), of `kernels/saddle.py`: order of bodies and joints, fill, and where entries go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .order import minimum_degree

if TYPE_CHECKING:
    from .build import Block, Builder, Row


@dataclass(frozen=True)
class SaddlePattern:
    """Arrays of the factor; names as in `kernels.layout.Tables`."""

    sad_perm: np.ndarray
    sad_ptr: np.ndarray
    sad_col: np.ndarray
    sad_mass: np.ndarray
    sad_jac0: np.ndarray
    sad_jac: np.ndarray
    sad_weight: np.ndarray
    sad_pair0: np.ndarray
    sad_pair: np.ndarray

    def fields(self) -> dict[str, np.ndarray]:
        """Arrays by name."""
        return dict(self.__dict__)

    @property
    def n_entries(self) -> int:
        """Entries below the diagonal."""
        return len(self.sad_col)

    @property
    def n_unknowns(self) -> int:
        """Velocities and rows."""
        return len(self.sad_perm)


def empty_saddle(n_rows: int) -> SaddlePattern:
    """Pattern of a system that does not use it."""
    none = np.zeros(0, dtype=np.int64)
    zero = np.zeros(n_rows + 1, dtype=np.int64)
    return SaddlePattern(none, np.zeros(1, dtype=np.int64), none, none, zero, none, np.zeros(n_rows), zero, none)


def saddle_pattern(
    builder: Builder, blocks: list[Block], row_bodies: list[list[int]], rows: list[Row]
) -> SaddlePattern:
    """Order bodies and joints by minimum degree, each joint after one of its bodies (after all, if one of them is singular)."""
    from .tables import singular_bodies

    nb, width = len(builder.bodies), builder.width
    nv = nb * width
    singular = set(singular_bodies(builder))
    # rows that touch a singular body get a weight; their bodies are then coupled in M + J^T w J
    weighted = [any(b in singular for b in bodies) for bodies in row_bodies]
    graph: list[set[int]] = [set() for _ in range(nb + len(blocks))]
    allowed: list[set[int]] = [set() for _ in graph]
    for k, block in enumerate(blocks):
        node = nb + k
        for b in block.bodies:
            graph[b].add(node)
            graph[node].add(b)
        if any(b in singular for b in block.bodies):
            for b in block.bodies:
                graph[b] |= set(block.bodies) - {b}
        allowed[node] = set(block.bodies)
    heavy = _strict_order(graph, allowed, blocks, nb, singular)
    order, columns = heavy
    first_row = np.cumsum([0] + [len(b.rows) for b in blocks])
    # expand nodes to unknowns
    unknowns = [
        list(range(width * v, width * v + width))
        if v < nb
        else [nv + r for r in range(first_row[v - nb], first_row[v - nb + 1])]
        for v in range(len(graph))
    ]
    perm = [u for v in order for u in unknowns[v]]
    position = {u: k for k, u in enumerate(perm)}
    ptr: list[int] = [0]
    col: list[int] = []
    where: dict[tuple[int, int], int] = {}
    place = {v: k for k, v in enumerate(order)}
    for v in order:
        before = [position[u] for c in sorted(columns[v], key=place.__getitem__) for u in unknowns[c]]
        for u in unknowns[v]:
            i = position[u]
            own = [position[x] for x in unknowns[v] if position[x] < i]
            for c in before + own:
                where[(i, c)] = len(col)
                col.append(c)
            ptr.append(len(col))

    def entry(a: int, b: int) -> int:
        i, j = position[a], position[b]
        return -i - 1 if i == j else where[(max(i, j), min(i, j))]

    mass = []
    for b in range(nb):
        o = width * b
        if builder.plane:
            mass += [entry(o + c, o + c) for c in range(3)]
        else:
            mass += [entry(o + c, o + c) for c in range(3)]
            mass += [entry(o + 3 + c, o + 3 + d) for c, d in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    scale = _weight_scale(builder)
    jac0, jac, pair0, pair, weights = [0], [], [0], [], []
    for r, bodies in enumerate(row_bodies):
        entries = [width * b + c for b in bodies for c in range(width)]
        jac += [entry(nv + r, u) for u in entries]
        jac0.append(len(jac))
        weights.append((scale if rows[r].unit == "m" else scale * builder.drawing.extent**2) if weighted[r] else 0.0)
        if weighted[r]:
            pair += [entry(entries[e], entries[f]) for e in range(len(entries)) for f in range(e + 1)]
        pair0.append(len(pair))
    ints = [np.array(a, dtype=np.int64) for a in (perm, ptr, col, mass, jac0, jac)]
    return SaddlePattern(  # type: ignore[call-arg]
        *ints, np.array(weights, dtype=float), np.array(pair0, dtype=np.int64), np.array(pair, dtype=np.int64)
    )


def _strict_order(
    graph: list[set[int]], allowed: list[set[int]], blocks: list[Block], nb: int, singular: set[int]
) -> tuple[list[int], list[list[int]]]:
    """Minimum degree; with singular masses all bodies come first, because a single body may not carry its joint."""
    if not singular:
        return minimum_degree(graph, allowed)
    ground_first = [set(range(nb)) & s for s in graph[:nb]]
    order_b, _ = minimum_degree(ground_first)
    return _fixed_order(graph, order_b, nb)


def _fixed_order(graph: list[set[int]], bodies: list[int], nb: int) -> tuple[list[int], list[list[int]]]:
    """Fill of a given order of bodies followed by joints in minimum degree of what is left."""
    g = [set(s) for s in graph]
    columns: list[list[int]] = [[] for _ in g]
    for v in bodies:
        rest = g[v]
        for u in rest:
            g[u] |= rest
            g[u] -= {u, v}
            columns[u].append(v)
        g[v] = set()
    order_j, columns_j = minimum_degree([{u - nb for u in s} for s in g[nb:]])
    for k, c in enumerate(columns_j):
        columns[nb + k] += [nb + x for x in c]
    return bodies + [nb + k for k in order_j], columns


def _weight_scale(builder: Builder) -> float:
    masses = [
        p.properties.mass for p in builder.drawing.poses.values() if p.properties is not None and p.properties.mass > 0
    ]
    return max(masses, default=1.0)
