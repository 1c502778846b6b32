"""Absolute y constraint (PLANAR 6.6)."""

from __future__ import annotations

from dataclasses import dataclass

from ._absolute import AbsoluteCoordinate


@dataclass(frozen=True, eq=False, repr=False)
class AbsoluteY(AbsoluteCoordinate, tag="absolute_y"):
    """The y coordinate of a point of a body keeps its value (default: as drawn)."""

    coordinate = "y"
