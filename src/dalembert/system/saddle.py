"""Pattern of the saddle-point factorization, theory (5), of `kernels/saddle.py`: order of bodies and joints, fill, and where entries go.

A factorization without pivoting needs an order in which no pivot vanishes.  With bodies B and rows R eliminated so far the next pivots
are sound exactly if the matrix of these bodies and rows alone, [M~_B  J_RB^T; J_RB  0], is regular: M~_B is positive definite as a part of
M~, so J_RB (rows R, columns of the bodies B) must have full row rank.  Then pivots of bodies are positive and those of rows negative, by
the signs of its eigenvalues.  Two kinds of order keep it so:

    all bodies of a row before the row     J_RB = J_R, whose rows are independent unless they depend on each other in truth
    from the leaves of a tree              of the rows of a joint only the outer body comes before; a leaf that is held by one body only has
                                           J_RB block triangular, and on the diagonal the rows of its joint, which are as independent on one
                                           of the two bodies as on both (they are relative: a common motion of both changes nothing)

A body with many joints that are not of the second kind would couple all of them.  It is cut into copies, each with its part of the mass and a
few of the joints, welded one to the next: the same motion, by rows of the first kind, at a cost proportional to the number of joints.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..kernels import layout as at
from .order import minimum_degree, work_of

if TYPE_CHECKING:
    from .build import Builder
    from .collected import Block

# measures that do not change when both bodies move together as one
RELATIVE = (at.POINT_GAP, at.PARALLEL, at.AXIS_DOT, at.ALONG_BODY, at.ALONG_PAIR, at.DISTANCE, at.ANGLE)
# of these, the ones that see a particle, which does not turn
AT_A_POINT = (at.POINT_GAP, at.ALONG_BODY, at.ALONG_PAIR, at.DISTANCE)
# a body with more joints (those to leaves not counted) is cut into copies with so many joints each
MANY, EACH = 12, 4


@dataclass(frozen=True)
class SaddlePattern:
    """Arrays of the factor; names as in `kernels.layout`."""

    sad_perm: np.ndarray
    sad_ptr: np.ndarray
    sad_col: np.ndarray
    sad_at: np.ndarray
    sad_first: np.ndarray
    sad_below: np.ndarray
    sad_node: np.ndarray
    sad_mass: np.ndarray
    sad_jac0: np.ndarray
    sad_jac: np.ndarray
    sad_pair0: np.ndarray
    sad_pair: np.ndarray
    sad_weld: np.ndarray

    @property
    def n_entries(self) -> int:
        """Entries below the diagonal."""
        return len(self.sad_col)

    @property
    def n_unknowns(self) -> int:
        """Velocities and rows, copies and welds included."""
        return len(self.sad_perm)

    @property
    def n_nodes(self) -> int:
        """Bodies, copies included."""
        return len(self.sad_node) // 2

    @property
    def n_welds(self) -> int:
        """Rows that hold copies together."""
        return len(self.sad_weld) // 2


def empty_saddle(n_rows: int) -> SaddlePattern:
    """Pattern of a system that does not use it."""
    none, one, zero = (np.zeros(k, dtype=np.int64) for k in (0, 1, n_rows + 1))
    return SaddlePattern(none, one, none, none, one, none, none, none, zero, none, zero, none, none)


@dataclass
class Elimination:
    """Nodes of the saddle-point system and their order: bodies, joints, then copies of bodies and the welds between them."""

    n_bodies: int
    n_blocks: int
    owner: list[int]  # body of each copy
    places: list[dict[int, int]]  # of each block: body -> its node
    welds: list[tuple[int, int]]  # nodes held together
    sizes: list[int] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    columns: list[list[int]] = field(default_factory=list)

    @property
    def work(self) -> float:
        """Multiplications of the factorization."""
        place = {v: k for k, v in enumerate(self.order)}
        return work_of([self.sizes[v] for v in self.order], [[place[c] for c in self.columns[v]] for v in self.order])


def leaves(builder: Builder) -> dict[int, int]:
    """Blocks that may come before their inner body, with their outer body: those of the trees that hang on the rest."""
    blocks = builder.blocks
    on_body: dict[int, set[int]] = {b: set() for b in range(len(builder.bodies))}
    for k, block in enumerate(blocks):
        for b in block.bodies:
            on_body[b].add(k)
    found: dict[int, int] = {}
    waiting = [b for b in on_body if on_body[b]]
    while waiting:
        b = waiting.pop()
        here = on_body[b]
        others = {c for k in here for c in blocks[k].bodies} - {b}
        allowed = AT_A_POINT if builder.bodies[b].particle else RELATIVE
        if not here or len(others) != 1 or not all(_is_relative(blocks[k], allowed) for k in here):
            continue
        (inner,) = others
        for k in here:
            found[k] = b
            on_body[inner].discard(k)
        on_body[b] = set()
        waiting.append(inner)
    return found


def _is_relative(block: Block, kinds: tuple[int, ...]) -> bool:
    return len(block.bodies) == 2 and not block.composites and all(item.kind in kinds for item, _ in block.items)


def eliminated(builder: Builder, blocks: list[Block], singular: set[int]) -> Elimination:
    """Order by minimum degree among the sound ones."""
    nb, nk = len(builder.bodies), len(blocks)
    outer = leaves(builder)
    rank = {id(block): k for k, block in enumerate(builder.blocks)}
    hanging = {k: outer[rank[id(block)]] for k, block in enumerate(blocks) if rank[id(block)] in outer}
    plan = Elimination(nb, nk, [], [{b: b for b in block.bodies} for block in blocks], [])
    on_body: dict[int, list[int]] = {}
    for k, block in enumerate(blocks):
        if k not in hanging:
            for b in block.bodies:
                on_body.setdefault(b, []).append(k)
    for b, here in on_body.items():
        # a body without mass has nothing to share among copies
        if len(here) > MANY and b not in singular:
            last = b
            for first in range(EACH, len(here), EACH):
                node = nb + nk + len(plan.owner) + len(plan.welds)
                plan.owner += [b]
                for k in here[first : first + EACH]:
                    plan.places[k][b] = node
                plan.welds.append((last, node))
                last = node
    return _ordered(builder, blocks, plan, hanging, singular)


def _ordered(
    builder: Builder, blocks: list[Block], plan: Elimination, hanging: dict[int, int], singular: set[int]
) -> Elimination:
    """Graph of the nodes, what comes before what, and the order."""
    nb, nk = plan.n_bodies, plan.n_blocks
    n = nb + nk + 2 * len(plan.owner)
    graph: list[set[int]] = [set() for _ in range(n)]
    after: list[set[int]] = [set() for _ in range(n)]

    def join(row: int, bodies: list[int]) -> None:
        for b in bodies:
            graph[b].add(row)
            graph[row].add(b)

    for k, block in enumerate(blocks):
        nodes = list(plan.places[k].values())
        join(nb + k, nodes)
        if any(b in singular for b in block.bodies):
            # the weighted rows couple their bodies in M + J^T w J
            for b in nodes:
                graph[b] |= set(nodes) - {b}
        if k in hanging:
            # from the leaf inwards: nothing is filled, and every pivot is a sum of terms of one sign
            (inner,) = set(nodes) - {hanging[k]}
            after[nb + k], after[inner] = {hanging[k]}, after[inner] | {nb + k}
        else:
            after[nb + k] = set(nodes)
    for node, pair in enumerate(plan.welds):
        # copies and welds alternate
        weld = nb + nk + 2 * node + 1
        join(weld, list(pair))
        after[weld] = set(pair)
    plan.sizes = [builder.width] * nb + [len(block.rows) for block in blocks] + [builder.width] * (n - nb - nk)
    plan.order, plan.columns = minimum_degree(graph, after, plan.sizes)
    assert len(plan.order) == n
    return plan


def saddle_pattern(
    builder: Builder, blocks: list[Block], row_bodies: list[list[int]], singular: set[int]
) -> SaddlePattern:
    """Order, fill and places of all entries."""
    plan = eliminated(builder, blocks, singular)
    nb, width, n_rows = len(builder.bodies), builder.width, len(row_bodies)
    nv, copies = nb * width, len(plan.owner)
    first_row = np.cumsum([0] + [len(b.rows) for b in blocks]).tolist()
    # unknowns of each node: velocities, rows, velocities of the copies, welds
    begin = [width * b for b in range(nb)] + [nv + r for r in first_row[:-1]]
    for k in range(copies):
        begin += [nv + n_rows + width * k, nv + n_rows + width * (copies + k)]
    factor = Factor(plan, begin)
    unknown_of = [dict(place) for place in plan.places]
    places: list[list[int]] = []  # unknowns that a row acts on
    for k, block in enumerate(blocks):
        for r in range(first_row[k], first_row[k + 1]):
            places.append([begin[unknown_of[k][b]] + c for b in row_bodies[r] for c in range(width)])
        assert all(row_bodies[r] == block.bodies for r in range(first_row[k], first_row[k + 1]))
    entry = factor.entry
    node, mass = [], []
    total = [1 + plan.owner.count(b) for b in range(nb)]
    for b, o in [
        *((b, width * b) for b in range(nb)),
        *((b, nv + n_rows + width * k) for k, b in enumerate(plan.owner)),
    ]:
        node += [b, total[b]]
        mass += [entry(o + c, o + c) for c in range(3)]
        if not builder.plane:
            mass += [entry(o + 3 + c, o + 3 + d) for c, d in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    weld = []
    for k, pair in enumerate(plan.welds):
        for c in range(width):
            weld += [entry(nv + n_rows + width * (copies + k) + c, begin[v] + c) for v in pair]
    jac0, jac, pair0, couple = [0], [], [0], []
    for r, entries in enumerate(places):
        jac += [entry(nv + r, u) for u in entries]
        jac0.append(len(jac))
        # rows that touch a singular body have a weight
        if any(b in singular for b in row_bodies[r]):
            couple += [entry(entries[e], entries[f]) for e in range(len(entries)) for f in range(e + 1)]
        pair0.append(len(couple))
    tables = [np.array(a, dtype=np.int64) for a in (node, mass, jac0, jac, pair0, couple, weld)]
    return SaddlePattern(*factor.tables(), *tables)


class Factor:
    """Places of the entries of the factor, stored by columns."""

    def __init__(self, plan: Elimination, begin: list[int]) -> None:
        self.plan, self.order = plan, plan.order
        self.start: dict[int, int] = {}  # first position of each node
        self.node = np.zeros(sum(plan.sizes), dtype=np.int64)  # node of each unknown
        self.position = np.zeros(len(self.node), dtype=np.int64)
        perm: list[int] = []
        for v in self.order:
            self.start[v] = len(perm)
            for c in range(plan.sizes[v]):
                self.node[begin[v] + c], self.position[begin[v] + c] = v, len(perm)
                perm.append(begin[v] + c)
        self.perm = np.array(perm, dtype=np.int64)
        # rows below each node, and how far down a node begins there
        self.below: dict[int, list[int]] = {v: [] for v in self.order}
        self.depth: dict[tuple[int, int], int] = {}
        reach = dict.fromkeys(self.order, 0)
        for v in self.order:
            for c in plan.columns[v]:
                self.depth[v, c] = reach[c]
                reach[c] += plan.sizes[v]
                self.below[c].append(v)
        # columns of a node get shorter by one towards its end
        self.first: list[int] = []
        size = 0
        for v in self.order:
            for c in range(plan.sizes[v]):
                self.first.append(size)
                size += plan.sizes[v] - 1 - c + reach[v]
        self.first.append(size)

    def place(self, i: int, j: int, v: int, c: int) -> int:
        """Place of row i (of node v) in column j (of node c), positions with i > j."""
        own = self.start[c] + self.plan.sizes[c] - 1 - j
        return self.first[j] + (i - j - 1 if v == c else own + self.depth[v, c] + i - self.start[v])

    def entry(self, a: int, b: int) -> int:
        """Place of the entry of two unknowns: i >= 0 below the diagonal, -i-1 on it."""
        i, j = int(self.position[a]), int(self.position[b])
        if i == j:
            return -i - 1
        if i < j:
            a, b, i, j = b, a, j, i
        return self.place(i, j, int(self.node[a]), int(self.node[b]))

    def tables(self) -> list[np.ndarray]:
        """Order of the unknowns; entries by rows, and their places; first places of columns, and the rows below."""
        first, ptr = np.array(self.first, dtype=np.int64), [0]
        col, where = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for v in self.order:
            begin = self.start[v]
            # positions of the columns, and how far below the beginning of a column the first row of this node is
            before: list[int] = []
            depth: list[int] = []
            for c in sorted(self.plan.columns[v], key=self.start.__getitem__):
                size = self.plan.sizes[c]
                before += range(self.start[c], self.start[c] + size)
                depth += range(size - 1 + self.depth[v, c], self.depth[v, c] - 1, -1)
            j = np.array(before, dtype=np.int64)
            base = first[j] + np.array(depth, dtype=np.int64)
            for a in range(self.plan.sizes[v]):
                own = np.arange(begin, begin + a)
                col += [j, own]
                where += [base + a, first[own] + (begin + a - 1 - own)]
                ptr.append(ptr[-1] + len(j) + a)
        places = np.concatenate(where)
        below = np.zeros(self.first[-1], dtype=np.int64)
        below[places] = np.repeat(np.arange(len(self.perm)), np.diff(ptr))
        arrays = (self.perm, ptr, np.concatenate(col), places, first, below)
        return [np.asarray(x, dtype=np.int64) for x in arrays]
