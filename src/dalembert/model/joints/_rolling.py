"""Rolling without slipping of a body of revolution on a plane of another body.

n is the normal of the plane (fixed on i), c the axis of the roller (fixed on j), d = n . c.  The centre stands over the plane at a
height H(d), the support function of the roller, and touches it at the arm

    u = -(H - d H') n - H' c                            (gradient of the support function; for a sphere u = -R n)

from the centre.  Rows, with x, y, n axes of i, w = omega_j - omega_i and (x', y') the velocity of the centre seen from i:

    h = (centre - plane) . n - H(d) = 0                                            a position
    x' + w . (u x x_i) = x' - (H - d H') w . y_i - H' (x_i . c)' = 0               velocities of the point that touches:
    y' + w . (u x y_i) = y' + (H - d H') w . x_i - H' (y_i . c)' = 0               not integrable
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from ..expression import Call, Expr, Number
from ..frame import Axis, Marker
from ..measure import Measure
from ._base import PairJoint


@dataclass(frozen=True, eq=False, repr=False)
class Rolling(PairJoint):
    """Base of rollers: `support(d)` gives the height of the centre over the plane."""

    normal: Any = None
    through: Any = None

    glyph = "wheel"
    # fields with the radius and that of its rounded rim, where it is drawn as a wheel
    rim: ClassVar[tuple[str, ...]] = ()
    symmetric = False
    placed_by = "j"

    def __post_init__(self) -> None:
        super().__post_init__()
        up = (0.0, 1.0) if self.model.plane else (0.0, 0.0, 1.0)
        self.set(normal=self.read_axes("normal", up if self.normal is None else self.normal, needed=True)[0])
        if self.rim:
            self.read_numbers(radius="positive")
        if self.through is not None:
            self.set(through=self.model.read_point(self.asked, "through", self.through, self.i))

    @property
    def roller_axis(self) -> Any:
        return None

    def support(self, d: Expr) -> Expr:
        raise NotImplementedError

    @property
    def markers(self) -> tuple[Marker, ...]:
        """On i the plane, z its normal (in the plane: y); on j the centre, z the axis of the roller."""
        place = self.at[0] if self.through is None else self.through
        if self.model.plane:
            return Marker(self.i, place, x=_turned_back(self.normal)), Marker(self.j, self.at[1])
        return Marker(self.i, place, z=self.normal), Marker(self.j, self.at[1], z=self.roller_axis)

    def symbol(self, number: Callable[[Any], float]) -> dict[str, Any]:
        """Whether the marker on i lies in the plane; radius, and that of the rounded rim, which for a sphere is the same."""
        sizes = [number(getattr(self, name)) for name in self.rim]
        return {"glyph": self.glyph, "placed": self.through is not None, **dict(zip(("radius", "tube"), sizes))}

    @property
    def contact_arm(self) -> tuple[Expr, Expr]:
        """Arm u of the contact point from the centre, as factors of n and c; functions of the measure `tilt`."""
        d = self._part("tilt").symbol
        h = self.support(d)
        slope = h.diff(self._part("tilt").name)
        return (d * slope - h).simplify(), (-slope).simplify()

    def _part(self, name: str) -> Measure:
        if name in ("x", "y", "lift"):
            return self.measure(name, "along_body", direction={"lift": "z"}.get(name, name))
        if name in ("spin_x", "spin_y"):
            return self.measure(name, "spin", direction=name[-1], frame=self.i, unit="rad")
        return self.measure(name, "dot", direction=({"tilt": "z"}.get(name, name[0]), "z"), unit="1")

    def rows(self) -> list[Measure]:
        """Height, and no slip along x and y of the plane."""
        part = {name: self._part(name) for name in ("x", "y", "lift", "tilt", "spin_x", "spin_y", "x_axis", "y_axis")}
        by_n, by_c = self.contact_arm

        def rate(name: str) -> Expr:
            return Call("rate", (part[name].symbol,))

        formulas = {
            "height": part["lift"].symbol - self.support(part["tilt"].symbol),
            "slip_x": rate("x") + by_n * rate("spin_y") + by_c * rate("x_axis"),
            "slip_y": rate("y") - by_n * rate("spin_x") + by_c * rate("y_axis"),
        }
        made = []
        for name, formula in formulas.items():
            e = formula.simplify()
            used = tuple((1.0, m) for m in part.values() if {m.name, f"rate({m.name})"} & e.names)
            kind = "expression" if name == "height" else "rate_expression"
            zero: Any = "drawn" if name == "height" and self.through is None else 0.0
            made.append(Measure(f"{self.name}.{name}", kind, expression=e, terms=used, unit="m", offset=zero))
        return made

    def coordinates(self) -> dict[str, Measure]:
        """Position of the centre in the plane, cosine of axis and normal; rates of turning about the normal and about the axis."""
        return {
            "x": self._part("x"),
            "y": self._part("y"),
            "tilt": self._part("tilt"),
            "yaw": self.measure("yaw", "spin", direction="z", frame=self.i, unit="rad"),
            "roll": self.measure("roll", "spin", direction="z", frame=self.j, unit="rad"),
        }


def _turned_back(normal: Any) -> Any:
    """Direction x of the plane whose y is the normal."""
    if isinstance(normal, Axis):
        return Axis(normal.body, _turned_back(normal.coordinates))
    x, y = normal[0], normal[1]
    return (y, -x, Number(0.0) if isinstance(x, Expr) else 0.0)
