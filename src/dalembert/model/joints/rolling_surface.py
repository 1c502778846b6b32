"""Surface of revolution that rolls without slipping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..expression import Expr, SplineCall
from ._meridian import read_height, read_meridian, support_table
from ._rolling import Rolling


@dataclass(frozen=True, eq=False, repr=False)
class RollingSurface(Rolling, tag="rolling_surface"):
    """Convex body of revolution j rolls without slipping on the plane of i: egg, ellipsoid, tyre with a profile.

    meridian
        Radius over the distance z along the `axis` from `at`: an expression of z such as `"0.3*sqrt(1 - (z/0.2)**2)"`, or a
        list of points (z, r).
    span
        (z0, z1): the ends of the meridian, for an expression; the rims there are sharp edges.
    height
        Instead of a meridian: the height of `at` over the plane as an expression of d, the cosine of axis and normal, and of
        parameters; `"sqrt(a**2*(1 - d**2) + b**2*d**2)"` is an ellipsoid.
    at, axis, normal, through
        As for `rolling_disk`.
    """

    meridian: Any = None
    span: Any = None
    height: Any = None
    axis: Any = None

    planes = (False,)
    law_names = {"height": ("d",), "meridian": ("z",)}
    law_units = {"d": "1", "z": "m"}
    # a sphere with its centre off `at`: its table is exact, which differences over knots need
    example = {"meridian": "sqrt(0.16 - (z - 0.05)**2)", "span": (-0.35, 0.45)}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.set(axis=self.read_axes("axis", self.axis, needed=True)[1])
        if (self.meridian is None) == (self.height is None):
            raise ModelError(
                self.asked, "neither meridian nor height" if self.height is None else "meridian and height",
                "one of them gives the shape of the surface", "give meridian='...' with span=(z0, z1), or height='...'",
            )  # fmt: skip
        if self.height is not None:
            self.set(height=read_height(self.model, self.asked, self.height))
            return
        meridian, span = read_meridian(self.model, self.asked, self.meridian, self.span)
        # the table is made once; rows are asked for often
        self.set(meridian=meridian, span=span, _table=support_table(self.asked, meridian, span).named("height"))

    @property
    def roller_axis(self) -> Any:
        """Axis of revolution."""
        return self.axis

    def support(self, d: Expr) -> Expr:
        """h(d) as given, or from the table of the meridian."""
        if self.height is not None:
            return self.height.substitute({"d": d})  # type: ignore[no-any-return]
        return SplineCall(object.__getattribute__(self, "_table"), d)
