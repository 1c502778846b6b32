"""Reactions of the rows of a Lagrangian system at one state, each marked as unique or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import ModelError, nearest, shown
from ...results.coordinate_guard import check
from ...results.reactions import smallest
from ...system.subspaces import factor, unit_rows
from ..reactions import Reacting, at_instant
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
class RowReactions(Reacting):
    """Reactions of all rows; `dependent` counts rows that depend on others."""

    rows: dict[str, RowReaction]
    dependent: int

    @property
    def acceleration(self) -> np.ndarray:
        """Second rates of the coordinates."""
        return np.asarray(self.run.a[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The rows."""
        return tuple(self.rows)

    def __getitem__(self, name: Any) -> RowReaction:
        if isinstance(name, str) and name in self.rows:
            return self.rows[name]
        raise ModelError(f"reaction of {shown(name)}", "no such row", nearest(name, self.rows), "use one of the rows")

    def __str__(self) -> str:
        head = f"reactions of {self.run.model.name!r} at t = {self.run.t[0]:g} s"
        return "\n".join([head, *(f"  {row}" for row in self.rows.values())])

    __repr__ = __str__


def row_reactions(point: Point, asked: str) -> RowReactions:
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
    return RowReactions(run, rows, int(point.dropped.sum()))
