"""Reactions of the rows of a Lagrangian system at one state, each marked as unique or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import ModelError, nearest, shown
from ...model.lagrangian import Lagrangian
from ...results.coordinate_guard import check
from ...results.reactions import smallest
from ...state import State
from ...system.subspaces import factor, unit_rows
from ..reactions import at_instant
from ..sheets.load import UNIQUE
from .point import Point

# singular value of unit rows below which a combination of them is zero
DEPENDENT = 1e-8


@dataclass(frozen=True, eq=False)
class RowReaction:
    """Reaction of one row.

    Attributes
    ----------
    name, multiplier
        The row and its multiplier.
    force
        Generalized reaction on every coordinate, -J^T lam of this row.
    unique
        Whether the equations determine it; if not, it is that of the smallest reactions that fit.
    free
        Generalized forces that can be added to it, one per line (together with changes of other rows).
    """

    name: str
    multiplier: float
    force: np.ndarray
    unique: bool
    free: np.ndarray
    coordinates: tuple[str, ...] = field(repr=False)

    def __str__(self) -> str:
        parts = ", ".join(f"{x:.6g} on {name}" for name, x in zip(self.coordinates, self.force) if x != 0.0) or "none"
        return f"{self.name}: multiplier {self.multiplier:.6g}; {parts}" + ("" if self.unique else "  (not unique)")

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class RowReactions:
    """Reactions of all rows; `dependent` counts rows that depend on others."""

    model: Lagrangian = field(repr=False)
    state: State
    acceleration: np.ndarray
    rows: dict[str, RowReaction]
    dependent: int

    def __getitem__(self, name: str) -> RowReaction:
        if isinstance(name, str) and name in self.rows:
            return self.rows[name]
        raise ModelError(f"reaction of {shown(name)}", "no such row", nearest(name, self.rows), "use one of the rows")

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def not_unique(self) -> tuple[str, ...]:
        """Rows whose reactions the equations do not determine."""
        return tuple(name for name, row in self.rows.items() if not row.unique)

    def __str__(self) -> str:
        head = f"reactions of {self.model.name!r} at t = {self.state.t:g} s"
        return "\n".join([head, *(f"  {row}" for row in self.rows.values())])

    __repr__ = __str__


def reactions_of(model: Lagrangian, state: Any, asked: str) -> RowReactions:
    """Reactions at a state, or at the start."""
    return reactions_at(Point.of(model, state, asked=asked), asked)


def reactions_at(point: Point, asked: str) -> RowReactions:
    """Reactions at a point whose dependent rows have been detected."""
    system, run = point.system, at_instant(point, asked)
    a, lam = run.a[0], run.basic_lam[0]
    jac, null = point.jac, np.zeros((system.n_rows, 0))
    if point.dropped.any():
        # J^T N = 0; of all lam + N c the one with the smallest reactions |J_r| lam_r
        unit, size = unit_rows(jac)
        null = factor(unit, DEPENDENT).left / size[:, None]
        lam = smallest(np.diag(size), null, lam)
        check(point, a, lam, asked)
    rows = {}
    for r, name in enumerate(system.row_names):
        change = np.abs(null[r]) * np.linalg.norm(jac[r])
        free = -jac[r][None, :] * null[r][change > UNIQUE][:, None]
        rows[name] = RowReaction(
            name, float(lam[r]), -jac[r] * lam[r], not (change > UNIQUE).any(), free, system.model.q
        )
    return RowReactions(system.model, point.state, a, rows, int(point.dropped.sum()))
