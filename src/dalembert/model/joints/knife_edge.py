"""Knife edge: skate, sharp wheel, rudder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..expression import Call, Expr, Number
from ..frame import Marker
from ..measure import Measure
from ._base import PairJoint


@dataclass(frozen=True, eq=False, repr=False)
class KnifeEdge(PairJoint, tag="knife_edge"):
    """A point of j moves over i along the blade of j only, never across it: skate, ideal wheel of a vehicle seen from above.

    The blade points `along`, fixed on j, at the point `at`.  In space it stands on the surface of i with the `normal`; the direction
    across, normal x along, is fixed on j.  The point itself is not held on the surface: `m.point_on_plane` or `m.planar` does that.
    """

    along: Any = None
    normal: Any = None

    symmetric = False
    placed_by = "j"

    def __post_init__(self) -> None:
        super().__post_init__()
        along = self.read_axes("along", self.along, needed=True)[1]
        if self.model.plane and self.normal is not None:
            raise ModelError(
                self.asked, f"normal = {self.normal!r}", "in the plane the normal is z", "leave normal out"
            )
        normal = self.read_axes("normal", self.normal, needed=not self.model.plane)[1]
        self.set(along=along, normal=normal)

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames with x along the blade and z along the normal."""
        x, z = self.along, self.normal
        return Marker(self.i, self.at[0], z=z, x=x), Marker(self.j, self.at[1], z=z, x=x)

    def rows(self) -> list[Measure]:
        """No velocity across the blade."""
        return [self._slip("across", "y")]

    def coordinates(self) -> dict[str, Measure]:
        """Speed along the blade: a rate without a value."""
        return {"speed": self._slip("speed", "x")}

    def _slip(self, name: str, axis: str) -> Measure:
        """Velocity of the point of j, seen from i, along an axis of the marker on j.

        Over a body that moves: the rates of the point's coordinates x_k on i, with the cosines of the axes, sum of (e_k . d) x_k'.
        """
        if self.i.is_ground:
            return self.measure(name, "velocity", direction=axis, frame=self.j)
        terms: list[Measure] = []
        speed: Expr = Number(0.0)
        turn = self.measure("turn", "angle", unit="rad", offset="drawn")
        for k in "xy" if self.model.plane else "xyz":
            along = self.measure(k, "along_body", direction=k)
            if self.model.plane:
                cosine, factor = turn, _in_plane(turn, k, axis)
            else:
                cosine = self.measure(f"{k}_{axis}", "dot", direction=(k, axis), unit="1")
                factor = cosine.symbol
            terms += [along, cosine]
            speed = speed + factor * Call("rate", (along.symbol,))
        unique = {measure.name: measure for measure in terms}
        used = tuple((1.0, measure) for measure in unique.values())
        return Measure(f"{self.name}.{name}", "rate_expression", expression=speed.simplify(), terms=used, unit="m")


def _in_plane(turn: Measure, k: str, axis: str) -> Expr:
    """Cosine of axis k of i and an axis of j that is turned by an angle against it."""
    if k == axis:
        return Call("cos", (turn.symbol,))
    return Call("sin", (turn.symbol,)) if axis == "x" else -Call("sin", (turn.symbol,))
