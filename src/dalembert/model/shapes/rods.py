"""Straight rods: thin, round or of rectangular section (PLANAR, Table 6.1.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import ModelError, checked_call, shown
from ..expression import functions
from .base import SHAPES, Primitive, Shape
from .outline import Outline, item, with_z_along
from .quadrature import Nodes, circle, line
from .reading import POSITIVE, Number, Point, is_plain, read_point, times, total


@dataclass(frozen=True, repr=False)
class Rod(Primitive):
    """Made by `rod(...)`, which describes it."""

    length: Number = field(metadata=POSITIVE)
    area: Number | None = field(default=None, kw_only=True, metadata=POSITIVE)
    radius: Number | None = field(default=None, kw_only=True, metadata=POSITIVE)
    section: tuple[Number, Number] | None = field(default=None, kw_only=True, metadata={**POSITIVE, "size": 2})

    kind = "rod"

    @property
    def planar(self) -> bool:
        """Whether the shape lies in the xy plane of its frame."""
        return True

    def _check_given(self) -> None:
        given = [name for name in ("area", "radius", "section") if getattr(self, name) is not None]
        if len(given) > 1:
            self._refuse(f"{' and '.join(given)} together", "a rod has one section", "keep one of them")
        if self.density is not None and not given:
            self._refuse("density without a section", "the volume is not known", "give area=, radius= or section=")
        if self.mass is not None and given == ["area"]:
            self._refuse("mass and area together", "area only turns a density into a mass", "leave out area=")

    def _volume(self, d: Any) -> Number:
        if d.radius is not None:
            return math.pi * d.radius**2 * d.length
        if d.section is not None:
            return d.section[0] * d.section[1] * d.length
        return d.area * d.length

    def _inertia_per_mass(self, d: Any) -> tuple[float, float, float]:
        along = d.length**2 / 12.0
        # second moments ∫y² dm/m and ∫z² dm/m of the section
        yy = zz = 0.0
        if d.radius is not None:
            yy = zz = d.radius**2 / 4.0
        elif d.section is not None:
            yy, zz = d.section[0] ** 2 / 12.0, d.section[1] ** 2 / 12.0
        return yy + zz, along + zz, along + yy

    def _named_points(self) -> dict[str, Point]:
        return {"start": (-self.length / 2.0, 0.0), "end": (self.length / 2.0, 0.0)}

    def _amounts(self) -> dict[str, Number]:
        thin = self.radius is None and self.section is None and self.area is None
        return {"length": self.length} if thin else {"length": self.length, "volume": self._volume(self)}

    def _rule(self, n: int) -> Nodes:
        across: list[tuple[Number, Number, float]] = [(0.0, 0.0, 1.0)]
        if self.radius is not None:
            across = circle(n, self.radius)
        elif self.section is not None:
            b, h = self.section
            across = [(y, z, v * w) for y, v in line(n, b / 2.0) for z, w in line(n, h / 2.0)]
        return [((x, y, z), v * w) for x, v in line(n, self.length / 2.0) for y, z, w in across]

    def _items(self, d: Any) -> Outline:
        if d.radius is not None:
            return [item("cylinder", with_z_along((1.0, 0.0, 0.0)), radius=d.radius, inner=0.0, length=d.length)]
        if d.section is not None:
            return [item("box", size=[d.length, *d.section])]
        return [item("line", points=[[-0.5 * d.length, 0.0, 0.0], [0.5 * d.length, 0.0, 0.0]])]


@checked_call
def rod(
    length: Number | None = None,
    *,
    between: Any = None,
    area: Number | None = None,
    radius: Number | None = None,
    section: tuple[Number, Number] | None = None,
    mass: Number | None = None,
    density: Number | None = None,
) -> Shape:
    """Straight rod along x, its middle at the origin.

    Thin: J = m l²/12 about y and z, zero about its own axis. With `radius` it is a solid round bar, with `section` a
    bar of rectangular section; `area` gives a thin rod its mass from a density and nothing else.

    Points: `start` (−l/2, 0), `end` (l/2, 0).

    Parameters
    ----------
    length
        Length l (m).
    between
        Instead of a length: two points (x, y) or (x, y, z) of the frame of the body, `start` and `end` of the rod.
    area
        Area of the section (m²), for a thin rod with a density.
    radius
        Radius of a round section (m).
    section
        Sides (b, h) of a rectangular section along y and z (m).
    mass, density
        Mass (kg), or density (kg/m³) with `area`, `radius` or `section`.

    Examples
    --------
    >>> from dalembert.model.shapes import rod
    >>> rod(2.0, mass=3.0).mass_properties().polar
    1.0
    >>> rod(2.0, mass=3.0).end
    (1.0, 0.0)
    >>> strut = rod(between=((0, 0, 1), (0, 2, 1)), mass=3.0)
    >>> [round(x, 12) for x in strut.end]
    [0.0, 2.0, 1.0]
    """
    given: dict[str, Any] = {"area": area, "radius": radius, "section": section, "mass": mass, "density": density}
    if between is None and length is not None:
        return Rod(length, **given)
    if (between is None) == (length is None):
        raise ModelError(
            "rod(...)", "length and between together" if length is not None else "length = None, and no between",
            "the distance of the two points is the length", "give rod(length, mass=...) along x about the origin, or rod(between=(P, Q), mass=...)",
        )  # fmt: skip
    return _rod_between(between, given)


def _rod_between(between: Any, given: dict[str, Any]) -> Shape:
    owner = "rod(between=...)"
    ends = list(between) if isinstance(between, tuple | list) else []
    if len(ends) != 2:
        raise ModelError(owner, f"between = {shown(between)}", "two points are needed", "give between=((0, 0), (1, 2))")
    p, q = (read_point(owner, f"between[{k}]", getattr(end, "coordinates", end)) for k, end in enumerate(ends))
    middle = [total(a, b) / 2.0 for a, b in zip(p, q)]
    d = [total(b, times(-1.0, a)) for a, b in zip(p, q)]
    flat = is_plain(p[2]) and is_plain(q[2]) and p[2] == q[2]
    if all(map(is_plain, d)):
        length: Number = math.hypot(*d)  # type: ignore[arg-type]
        if length == 0.0:
            raise ModelError(owner, f"both points at {p}", "a rod has a length", "give two different points")
        if not flat:
            # z along the rod, then x brought there: columns in turn (y, z, x) keep the frame right-handed
            across: Any = np.array(with_z_along([float(c) / float(length) for c in d]))  # type: ignore[arg-type]
            return Rod(length, **given).at(*middle, rotation=across[:, [2, 0, 1]])
        return Rod(length, **given).at(*middle, angle=math.atan2(d[1], d[0]))  # type: ignore[arg-type]
    if not flat:
        found, why = f"between = {shown(between)}", "in space the direction of a rod is made of numbers"
        raise ModelError(owner, found, why, "give numbers, or rod(length) and the body a rotation=(axis, angle)")
    length, angle = functions.sqrt(d[0] ** 2 + d[1] ** 2), functions.atan2(d[1], d[0])
    return Rod(length, **given).at(*middle, angle=angle)


SHAPES["rod"] = rod
