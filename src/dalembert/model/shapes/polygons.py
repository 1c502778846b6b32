"""Polygons with holes, exact: sums over the places of `region.py` (PLANAR 6.1.20)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import checked_call
from .outline import Outline, item
from .planar import Lamina
from .reading import Array, Number, Point, times, total
from .region import Corners, Node, area_of, check_loops, loops_nodes

_SECOND = (lambda x, y: x * x, lambda x, y: y * y, lambda x, y: x * y)


@dataclass(frozen=True, repr=False)
class Polygon(Lamina):
    """Made by `polygon(...)`, which describes it."""

    corners: Corners = field(metadata={"rule": "corners"})
    holes: tuple[Corners, ...] = field(default=(), kw_only=True, metadata={"rule": "loops"})

    kind = "polygon"

    def _check_related(self, d: Any) -> None:
        super()._check_related(d)
        check_loops(repr(self), np.array(d.corners), [np.array(loop) for loop in d.holes])

    def _area(self, d: Any) -> Number:
        whole = abs(area_of(d.corners))  # type: ignore[arg-type]
        return total(whole, *(times(-1.0, abs(area_of(loop))) for loop in d.holes))  # type: ignore[arg-type]

    def _nodes(self, d: Any, n: int) -> list[Node]:
        return loops_nodes(d.corners, d.holes, n)

    def _center(self, d: Any) -> Point:
        nodes, area = self._nodes(d, 1), self._area(d)
        a, b = d.corners[0]
        # from a corner: places far from the origin lose no digits
        return (
            total(a, total(*(w * (x - a) for x, _, w in nodes)) / area),
            total(b, total(*(w * (y - b) for _, y, w in nodes)) / area),
            0.0,
        )

    def _moments_per_area(self, d: Any) -> tuple[float, float]:
        J = self._tensor(d)
        return J[0], J[1]

    def _tensor(self, d: Any) -> tuple[float, float, float]:
        """∫x² dA, ∫y² dA and ∫xy dA per area, about the centroid."""
        cx, cy, _ = self._center(d)
        area = self._area(d)
        moved = [(x - cx, y - cy, w) for x, y, w in self._nodes(d, 2)]
        xx, yy, xy = (math.fsum(w * f(x, y) for x, y, w in moved) / area for f in _SECOND)
        return xx, yy, xy

    def _inertia_per_mass(self, d: Any) -> Array:  # type: ignore[override]
        xx, yy, xy = self._tensor(d)
        zz = 0.0 if d.thickness is None else d.thickness**2 / 12.0
        return np.array([[yy + zz, -xy, 0.0], [-xy, xx + zz, 0.0], [0.0, 0.0, xx + yy]])

    def _named_points(self) -> dict[str, Point]:
        named: dict[str, Point] = {f"corner_{k + 1}": p for k, p in enumerate(self.corners)}
        for k, loop in enumerate(self.holes):
            nodes, area = loops_nodes(loop, (), 1), abs(area_of(loop))  # type: ignore[arg-type]
            named[f"hole_{k + 1}"] = tuple(total(*(w[2] * w[c] for w in nodes)) / area for c in (0, 1))
        return named

    def _flat_rule(self, n: int) -> list[tuple[Number, Number, Any]]:
        area = self._area(self)
        return [(x, y, w / area) for x, y, w in self._nodes(self, n)]

    def _items(self, d: Any) -> Outline:
        made = [item("polygon", points=[list(p) for p in d.corners], thickness=d.thickness or 0.0)]
        for loop in d.holes:
            made.append({**item("polygon", points=[list(p) for p in loop], thickness=d.thickness or 0.0), "void": True})
        return made


@checked_call
def polygon(
    corners: Any,
    *,
    holes: Any = (),
    thickness: Number | None = None,
    mass: Number | None = None,
    density: Number | None = None,
    area_density: Number | None = None,
) -> Polygon:
    """Polygon with holes, in the frame of its corners; exact.

    Points: `corner_1`, `corner_2`, …, and the centres of area of holes, `hole_1`, ….

    Parameters
    ----------
    corners
        Corners (x, y) in order, either way round (m); 3 or more.
    holes
        Closed lines of corners inside, of what is missing.  Round holes: `polygon(…) - disk(…).at(x, y)`, with densities.
    thickness
        Along z (m); needed with a density.
    mass, density, area_density
        Mass (kg), density (kg/m³), or mass per area (kg/m²).

    Examples
    --------
    >>> import dalembert as da
    >>> frame = da.polygon([(0, 0), (4, 0), (4, 3), (0, 3)], holes=[[(1, 1), (3, 1), (3, 2), (1, 2)]], mass=5.0)
    >>> [round(x, 12) for x in frame.center]
    [2.0, 1.5]
    """
    return Polygon(corners, holes=holes, thickness=thickness, mass=mass, density=density, area_density=area_density)
