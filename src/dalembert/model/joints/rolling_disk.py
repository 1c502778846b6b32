"""Disk that rolls without slipping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..expression import Call, Expr
from ._rolling import Rolling


@dataclass(frozen=True, eq=False, repr=False)
class RollingDisk(Rolling, tag="rolling_disk"):
    """Disk j of a `radius` rolls without slipping on the plane of i: coin, wheel with a thin or a rounded rim.

    at
        Centre of the disk, as drawn or as a point of j; default: the origin of j.
    axis
        Axis of the disk.
    normal
        Normal of the plane, on the side of the disk; default: z.
    through
        Point of the plane; default: the plane touches the disk as drawn.
    tube
        Radius of the rounded rim (a torus); default 0, a sharp edge.
    """

    radius: Any = None
    axis: Any = None
    tube: Any = 0.0

    planes = (False,)
    rim = ("radius", "tube")
    example = {"radius": 0.4}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.set(axis=self.read_axes("axis", self.axis, needed=True)[1])
        self.read_numbers(tube="nonnegative")
        radius, tube = self.model.value(self.radius), self.model.value(self.tube)
        if tube > radius:
            raise ModelError(
                self.asked, f"tube = {tube:g} with radius = {radius:g}",
                "the rim is rounded with a radius that is at most that of the disk", "give a smaller tube radius",
            )  # fmt: skip

    @property
    def roller_axis(self) -> Any:
        """Axis of the disk."""
        return self.axis

    def support(self, d: Expr) -> Expr:
        """h = (R - tube) sqrt(1 - d^2) + tube."""
        return (self.radius - self.tube) * Call("sqrt", (1.0 - d * d,)) + self.tube

    @property
    def contact_arm(self) -> tuple[Expr, Expr]:
        """Arm -((R - tube) / s + tube) n + (R - tube) d / s c with s = sqrt(1 - d^2): shorter than by differentiation."""
        d = self._part("tilt").symbol
        arm = (self.radius - self.tube) / Call("sqrt", (1.0 - d * d,))
        return (-arm - self.tube).simplify(), (arm * d).simplify()
