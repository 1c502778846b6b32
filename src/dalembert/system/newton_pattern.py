"""Pattern of the matrix of Newton's method for mechanisms of many bodies: velocities, rows, and laws as soft rows.

    M  J^T  J_f^T         J_f u - phi/s = b,    s = c (damping) + c^2 (stiffness)
    J  0    0             a soft row may be eliminated first, and adds J_f^T s J_f to the masses, or last
    J_f 0  -1/s

Order by minimum degree, with the rules of `saddle.py` for the rows; a chain with springs costs as much per body as one without.  Where a body has no mass, or
none about an axis, a millionth of the largest takes its place: the matrix only finds corrections, and the residual decides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels import layout as at
from .masses import singular_bodies
from .order import minimum_degree
from .rows import mass_blocks
from .saddle import Elimination, Factor, leaves
from .system import System

SMALL = 1e-6


@dataclass(frozen=True)
class NewtonPattern:
    """Arrays of the factor: order of the unknowns, entries by rows and their places, columns; places of masses and of the entries of rows."""

    perm: np.ndarray
    ptr: np.ndarray
    col: np.ndarray
    at: np.ndarray
    first: np.ndarray
    below: np.ndarray
    mass: np.ndarray
    rows: np.ndarray  # first entry of each row (constraints, then soft rows), and the end
    entries: np.ndarray
    soft: np.ndarray  # (free row, place of its diagonal entry) of each soft row
    extra: np.ndarray  # inertia in place of none, for each velocity
    wrench: np.ndarray  # place of the first wrench of every row (constraints, soft rows) in the memory of the solver


def newton_pattern(system: System, soft: list[int]) -> NewtonPattern:
    """Pattern of a mechanism whose laws act along the free rows `soft`."""
    builder, numbering = system.builder, system.numbering
    I, blocks = numbering.I, numbering.blocks  # noqa: E741
    nb, nk, nl, width, n_rows = len(builder.bodies), len(blocks), len(soft), builder.width, numbering.n_rows
    outer = leaves(builder)
    rank = {id(block): k for k, block in enumerate(builder.blocks)}
    bodies_of = [_bodies(I, r, width) for r in [*range(n_rows), *soft]]
    graph: list[set[int]] = [set() for _ in range(nb + nk + nl)]
    after: list[set[int]] = [set() for _ in range(nb + nk + nl)]
    for k, block in enumerate(blocks):
        for b in block.bodies:
            graph[b].add(nb + k)
            graph[nb + k].add(b)
        leaf = outer.get(rank[id(block)])
        if leaf is not None:
            (inner,) = set(block.bodies) - {leaf}
            after[nb + k], after[inner] = {leaf}, after[inner] | {nb + k}
        else:
            after[nb + k] = set(block.bodies)
    for k in range(nl):
        for b in bodies_of[n_rows + k]:
            graph[b].add(nb + nk + k)
            graph[nb + nk + k].add(b)
    plan = Elimination(nb, nk, [], [], [])
    plan.sizes = [width] * nb + [len(block.rows) for block in blocks] + [1] * nl
    plan.order, plan.columns = minimum_degree(graph, after, plan.sizes)
    nv = nb * width
    first_row = np.cumsum([0, *(len(block.rows) for block in blocks)])
    begin = (
        [width * b for b in range(nb)] + [nv + int(r) for r in first_row[:-1]] + [nv + n_rows + k for k in range(nl)]
    )
    factor = Factor(plan, begin)
    mass = []
    for b in range(nb):
        o = width * b
        mass += [factor.entry(o + c, o + c) for c in range(3)]
        if not builder.plane:
            mass += [factor.entry(o + 3 + c, o + 3 + d) for c, d in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    entries: list[int] = []
    rows, wrench = [0], [0]
    for r, bodies in enumerate(bodies_of):
        entries += [factor.entry(nv + r, width * b + c) for b in bodies for c in range(width)]
        rows.append(len(entries))
        wrench.append(wrench[-1] + width * len(bodies))
    diagonal = [(r, -factor.entry(nv + n_rows + k, nv + n_rows + k) - 1) for k, r in enumerate(soft)]
    tables = (mass, rows, entries, np.array(diagonal, dtype=np.int64).reshape(-1, 2))
    arrays = (np.array(x, dtype=np.int64) for x in tables)
    more = (_in_place_of_none(system), np.array(wrench, dtype=np.int64))
    return NewtonPattern(*factor.tables(), *arrays, *more)  # type: ignore[call-arg]


def _in_place_of_none(system: System) -> np.ndarray:
    """Inertia of the velocities of bodies whose mass is singular."""
    diagonal = np.array([np.diag(block) for block in mass_blocks(system)])
    linear = 2 if system.plane else 3
    found = np.zeros_like(diagonal)
    for b in singular_bodies(system.builder):
        for part in (slice(0, linear), slice(linear, None)):
            found[b, part] = SMALL * max(float(diagonal[:, part].max()), 1e-300)
    return found.ravel()


def _bodies(I: np.ndarray, r: int, width: int) -> list[int]:  # noqa: E741, N803
    o = int(I[at.ROW]) + at.ROW_SIZE * r
    return [int(k) // width for k in I[I[o + 2] : I[o + 2 + at.ROW_SIZE]]]
