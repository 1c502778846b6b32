"""Absolute x constraint (PLANAR 6.6)."""

from __future__ import annotations

from dataclasses import dataclass

from ._absolute import AbsoluteCoordinate


@dataclass(frozen=True, eq=False, repr=False)
class AbsoluteX(AbsoluteCoordinate, tag="absolute_x"):
    """The x coordinate of a point of a body keeps its value (default: as drawn)."""

    coordinate = "x"
