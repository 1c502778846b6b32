"""What rigid stops and contacts that touch can push with, and the loads that hold a pose beside them.

A gap pushes along its row R with n >= 0.  In the plane Coulomb's friction makes it the cone of R + mu S and R - mu S, S the row of what slides; a rough gap pushes along S
with any size.  All of them are directions with sizes x >= 0:  N^T (Q + sum of g F + P^T x) = 0 for the free motions N of the joints (`pressures.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError
from ..dynamics.pressure import coefficients
from ..events.stops import TOUCHING, scales
from ..events.surfaces import Surfaces, surfaces
from .pressures import Combination, combination, unit_columns

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...model.mechanism import Mechanism
    from ..dynamics.dynamics import Dynamics


def touching_at(asked: str, here: Dynamics, model: Mechanism | Lagrangian) -> tuple[Surfaces, list[int]]:
    """The stops of a model at a pose, and the numbers of those that touch; refused where bodies overlap."""
    s = surfaces(here, model)
    near = TOUCHING * scales(here, s)
    for name, gap, least in zip(s.names, s.value, near):
        if gap < -least:
            unit = model.impacts[name].unit
            raise MethodError(
                asked, f"the gap of {name!r} is {gap:.6g} {unit}".rstrip(), "bodies do not overlap: a gap is at least 0",
                "give a pose in which all gaps are open or closed, or m.open what does not belong to it",
            )  # fmt: skip
    return s, [k for k in range(len(s)) if s.value[k] <= near[k]]


def pushes(asked: str, s: Surfaces, touch: list[int], here: Any) -> np.ndarray:
    """Rows of all directions in which the gaps that touch can push, with the coefficients of a state."""
    found = []
    for k in touch:
        row, slips, rub = s.rows[k], s.rows[s.partners[k]], s.rubs[k]
        if rub is None:
            found += [row, *slips, *-slips]
        elif len(slips) == 1:
            _, mu = coefficients(rub, here, 0.0, True)
            found += [row + mu * slips[0], row - mu * slips[0]]
        else:
            raise MethodError(
                asked, f"friction {rub.name!r} in space, at a gap that touches", "its cone is round: what it holds is found for contacts in the plane",
                "let the machine come to rest in da.simulate, or give rough=True, or leave mu= out",
            )  # fmt: skip
    return np.array(found).reshape(len(found), s.rows.shape[1])


def held_by(
    force: np.ndarray, loads: np.ndarray, directions: np.ndarray, rows: np.ndarray | None = None, free: np.ndarray | None = None
) -> tuple[Combination, np.ndarray] | None:  # fmt: skip
    """Sizes of pushes and loads that balance a force, and the rows of ones that read the loads from them; None where there are none.

    Loads (columns) have either sign: two sizes each.  By virtual work along the motions `free`, or with the multipliers of `rows`, of either sign too:
    force + loads F + directions^T x = rows^T lam.
    """
    either = loads if rows is None else np.column_stack([loads, -rows.T])
    every = np.column_stack([directions.T, either, -either])
    reduced = every if free is None else free.T @ every
    columns, size = unit_columns(reduced, np.linalg.norm(every, axis=0))
    need = -force if free is None else -(free.T @ force)
    found = combination(columns, need, float(np.max(np.abs(force), initial=0.0)))
    if found is None:
        return None
    read, first, width = np.zeros((loads.shape[1], columns.shape[1])), len(directions), either.shape[1]
    for k in range(loads.shape[1]):
        read[k, first + k], read[k, first + width + k] = 1.0 / size[first + k], -1.0 / size[first + k]
    return found, read
