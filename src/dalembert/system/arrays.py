"""Arrays of a compiled mechanism in the units of the user: M, J and Q from the scaled blocks that the kernels store."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import layout as at
from ..kernels.operate import INPUTS, operate
from .system import System
from .tables import Work


def scale_blocks(system: System, work: Work) -> list[np.ndarray]:
    """G of each body, with M = G G^T: rows are stored as G^-1 j, forces as G^-1 Q."""
    i, p = system.numbering.I, system.numbering.P
    blocks = []
    for b in range(len(system.builder.bodies)):
        if system.plane:
            m = p[i[at.MASS] + at.PLANE_MASS * b :]
            blocks.append(np.diag([m[2], m[2], m[4]]))
        else:
            m = p[i[at.MASS] + at.SPACE_MASS * b :]
            g = np.zeros((6, 6))
            g[:3, :3] = m[2] * np.eye(3)
            l00, l10, l11, l20, l21, l22 = m[15:21]
            g[3:, 3:] = [[l00, 0, 0], [l10, l11, 0], [l20, l21, l22]]
            blocks.append(g)
    return blocks


def mass_matrix(system: System) -> Any:
    """Mass matrix as a sparse matrix; constant in (r', omega')."""
    from scipy.sparse import block_diag

    return block_diag(mass_blocks(system), format="csr")


def mass_blocks(system: System) -> list[np.ndarray]:
    """Mass matrix of each body."""
    i, p = system.numbering.I, system.numbering.P
    blocks = []
    for b in range(len(system.builder.bodies)):
        if system.plane:
            m = p[i[at.MASS] + at.PLANE_MASS * b :]
            blocks.append(np.diag([m[5], m[5], m[6]]))
        else:
            m = p[i[at.MASS] + at.SPACE_MASS * b :]
            xx, xy, xz, yy, yz, zz = m[3:9]
            full = np.zeros((6, 6))
            full[:3, :3] = m[21] * np.eye(3)
            full[3:, 3:] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
            blocks.append(full)
    return blocks


def unscaled_jacobian(system: System, work: Work, first: int = 0, last: int | None = None, scaled: bool = False) -> Any:
    """Rows first ... last-1 as a sparse matrix acting on v, or as stored on scaled velocities; they must be current in memory."""
    from scipy.sparse import csr_matrix

    i, width = system.numbering.I, system.builder.width
    last = system.n_rows if last is None else last
    g = scale_blocks(system, work)
    data: list[float] = []
    columns: list[int] = []
    pointer = [0]
    for r in range(first, last):
        o = i[at.ROW] + at.ROW_SIZE * r
        place, step, s0, s1 = i[o], i[o + 1], i[o + 2], i[o + 2 + at.ROW_SIZE]
        for s in range(s0, s1):
            b = i[s] // width
            row = work.F[place : place + width]
            data += list(row if scaled else g[b] @ row)
            columns += range(i[s], i[s] + width)
            place += step
        pointer.append(len(data))
    return csr_matrix((data, columns, pointer), shape=(last - first, system.nv))


def call_laws(system: System, work: Work, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """Values of laws given as Python functions into the memory of the kernels."""
    n = system.numbering
    laws = {k: law for k, law in enumerate(system.builder.laws) if law.law.function is not None}
    if laws:
        operate(INPUTS, n.I, n.P, work.F, t, q, v, np.zeros(system.nv), 0.0, 1)
    for k, law in laws.items():
        row = system.n_rows + law.row
        assert law.law.function is not None
        work.called[k] = law.law.function(float(work.value[row]), float(work.rate[row]), float(t))


def scaled_to_true(system: System, work: Work, force: np.ndarray) -> np.ndarray:
    """Generalized force from its scaled form: Q = G (G^-1 Q)."""
    width = system.builder.width
    blocks = scale_blocks(system, work)
    return (
        np.concatenate([g @ force[width * b : width * b + width] for b, g in enumerate(blocks)])
        if blocks
        else np.zeros(0)
    )
