"""Sphere that rolls without slipping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..expression import Expr, as_expression
from ..measure import Measure
from ._rolling import Rolling


@dataclass(frozen=True, eq=False, repr=False)
class RollingSphere(Rolling, tag="rolling_sphere"):
    """Sphere j of a `radius` rolls without slipping on the plane of i.

    `at` is its centre (default: the origin of j; the mass centre may lie elsewhere), `normal` that of the plane, on the side of the
    sphere (default: z), `through` a point of the plane (default: the plane touches the sphere as drawn).
    """

    radius: Any = None

    planes = (False,)
    rim = ("radius", "radius")
    example = {"radius": 0.4}

    def support(self, d: Expr) -> Expr:
        """h = R."""
        return as_expression(self.radius)

    def coordinates(self) -> dict[str, Measure]:
        """Position of the centre in the plane; rate of turning about the normal."""
        return {name: measure for name, measure in super().coordinates().items() if name in ("x", "y", "yaw")}
