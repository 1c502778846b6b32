"""Wheel that rolls on a line, in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..expression import Expr, Number, as_expression
from ..measure import Measure
from ._rolling import Rolling


@dataclass(frozen=True, eq=False, repr=False)
class RollingOnLine(Rolling, tag="rolling_on_line"):
    """Wheel j of a `radius` rolls without slipping on a line of i, in the plane of the wheel: a condition on positions.

    at
        Centre of the wheel, as drawn or as a point of j; default: the origin of j.
    normal
        Normal of the line, on the side of the wheel; default: y.
    through
        Point of the line; default: the line touches the wheel as drawn.
    """

    radius: Any = None

    planes = (True,)
    rim = ("radius",)
    example = {"radius": 0.4}

    @property
    def contact_arm(self) -> tuple[Expr, Expr]:
        """Arm -R n."""
        return -as_expression(self.radius), Number(0.0)

    def rows(self) -> list[Measure]:
        """Height, and x + R angle as drawn."""
        height: Any = "drawn" if self.through is None else self.radius
        lift = self.measure("height", "along_body", direction="y", offset=height)
        i, j = self.markers
        terms = ((1.0, self._part("x")), (self.radius, self.measure("angle", "angle", unit="rad")))
        return [lift, Measure(f"{self.name}.path", "combination", i, j, terms=terms, offset="drawn")]

    def coordinates(self) -> dict[str, Measure]:
        """Position along the line, and angle of the wheel against the line."""
        return {"x": self._part("x"), "angle": self.measure("angle", "angle", unit="rad")}
