"""Surface of revolution that rolls without slipping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError, shown
from ..expression import Expr, Name, Spline, SplineCall, as_expression
from ..expression.splines import spline
from ..reading import listed
from ._meridian import replace_ends, support
from ._rolling import Rolling


@dataclass(frozen=True, eq=False, repr=False)
class RollingSurface(Rolling, tag="rolling_surface"):
    """Convex body of revolution j rolls without slipping on the plane of i: egg, ellipsoid, tyre with a profile.

    meridian
        Radius over the distance z along the `axis` from `at`: an expression of z such as `"0.3*sqrt(1 - (z/0.2)**2)"`, or a
        list of points (z, r).
    span
        (z0, z1): the ends of the meridian, for an expression; the rims there are sharp edges.
    at, axis, normal, through
        As for `rolling_disk`.
    """

    meridian: Any = None
    span: Any = None
    axis: Any = None

    planes = (False,)
    # a sphere with its centre off `at`: its table is exact, which differences over knots need
    example = {"meridian": "sqrt(0.16 - (z - 0.05)**2)", "span": (-0.35, 0.45)}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.set(axis=self.read_axes("axis", self.axis, needed=True)[1])
        expression, span = self._read_meridian()
        self.set(meridian=expression, span=span)
        # the table is made once; rows are asked for often
        self.set(_table=support(self.asked, expression, span).named("height"))

    def _read_meridian(self) -> tuple[Expr, tuple[float, float]]:
        points = None if isinstance(self.meridian, str | Expr) else listed(self.meridian)
        if points is not None:
            pairs = [listed(p) or [] for p in points]
            if len(pairs) < 4 or any(len(p) != 2 for p in pairs):
                raise ModelError(
                    self.asked,
                    f"meridian = {shown(self.meridian)}",
                    "a table needs at least four points (z, r)",
                    "give for example [(-0.2, 0.1), (-0.1, 0.2), (0.1, 0.2), (0.2, 0.1)]",
                )
            z, r = [p[0] for p in pairs], [p[1] for p in pairs]
            # natural ends would be straight there, and a straight meridian touches in a line: the slope of a parabola instead
            table = replace_ends(spline(z, r))
            return table(Name("z")), (table.x[0], table.x[-1])
        if self.meridian is None:
            raise ModelError(self.asked, "meridian is missing", "the surface needs its profile", "give meridian='...'")
        expression = as_expression(self.meridian, ("z",), asked=self.asked)
        ends = listed(self.span) or []
        numbers = [self.model.value(self.model.read_number(self.asked, "span", x)) for x in ends]
        if len(numbers) != 2 or not numbers[0] < numbers[1]:
            raise ModelError(
                self.asked, f"span = {shown(self.span)}", "the meridian has two ends z0 < z1", "give span=(-0.1, 0.1)"
            )
        return expression, (numbers[0], numbers[1])

    @property
    def roller_axis(self) -> Any:
        """Axis of revolution."""
        return self.axis

    def height(self, d: Expr) -> Expr:
        """H(d) from the table."""
        table: Spline = object.__getattribute__(self, "_table")
        return SplineCall(table, d)
