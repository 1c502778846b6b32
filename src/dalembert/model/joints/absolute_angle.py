"""Absolute angle constraint (PLANAR 6.6)."""

from __future__ import annotations

from dataclasses import dataclass

from ._absolute import AbsoluteCoordinate


@dataclass(frozen=True, eq=False, repr=False)
class AbsoluteAngle(AbsoluteCoordinate, tag="absolute_angle"):
    """The angle of a planar body keeps its value (default: as drawn)."""

    coordinate = "angle"
    fields_are = {"value": ("number", "rad")}
