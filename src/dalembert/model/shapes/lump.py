"""Matter given by numbers: a point mass, a body out of a drawing or a CAD program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError, checked_call, shown
from .base import SHAPES, Shape
from .outline import Outline, item
from .properties import MassProperties
from .quadrature import Nodes, equimomental
from .reading import Number, Point, Value, evaluate, is_expression, is_plain, read_number, read_point, times, total


@dataclass(frozen=True)
class Lump(Shape):
    """Body whose mass, mass centre and inertia are given; made by `lump(...)`."""

    mass: Number
    center: Point = (0.0, 0.0)
    inertia: Any = 0.0

    kind = "lump"

    def __post_init__(self) -> None:
        point = read_point("lump", "center", self.center)
        object.__setattr__(self, "mass", read_number("lump", "mass", self.mass, "nonnegative"))
        object.__setattr__(self, "center", point[: len(self.center)])
        object.__setattr__(self, "inertia", _read_inertia(self.inertia))
        if not any(is_expression(x) for x in (self.mass, *point, *(x for row in self.inertia for x in row))):
            # numbers stay what they are: read and checked once
            object.__setattr__(self, "_found", self.mass_properties())

    @property
    def planar(self) -> bool:
        """Whether the centre was given as (x, y)."""
        return len(self.center) == 2

    @property
    def total_mass(self) -> Number:
        """Mass (kg)."""
        return self.mass

    def mass_properties(self, value: Value = float) -> MassProperties:
        """Mass, mass centre and inertia in the frame of the shape; see `Shape.mass_properties`."""
        found: MassProperties | None = self.__dict__.get("_found")
        if found is not None:
            return found
        mass = evaluate("lump", "mass", self.mass, "nonnegative", value)
        center = [evaluate("lump", f"center[{k}]", x, "finite", value) for k, x in enumerate(self.center)]
        inertia = [
            [evaluate("lump", f"inertia[{i}][{k}]", x, "finite", value) for k, x in enumerate(row)]
            for i, row in enumerate(self.inertia)
        ]
        return MassProperties(mass, np.array(center), np.array(inertia)).check("lump")

    def nodes(self, n: int = 2, value: Value = float) -> Nodes:
        """Points and masses with the mass, centre and inertia given: all that is known of the matter."""
        center = (*self.center, 0.0)[:3]
        found = equimomental(self.mass, self.inertia, value)
        return [(tuple(total(c, x) for c, x in zip(center, at)), times(w, self.mass)) for at, w in found]

    @property
    def points(self) -> Mapping[str, Point]:
        """Named points: `origin` and `center`."""
        return {"origin": (0.0, 0.0, 0.0)[: len(self.center)], "center": self.center}

    def outline(self, value: Value = float) -> Outline:
        """Draw a point at the mass centre."""
        return [{**item("point"), "center": self.mass_properties(value).center.tolist()}]


def _read_inertia(x: Any) -> tuple[tuple[Number, ...], ...]:
    if is_plain(x) or is_expression(x):
        polar = read_number("lump", "inertia", x)
        x = (polar / 2.0, polar / 2.0, polar)
    rows = x.tolist() if isinstance(x, np.ndarray) else list(x) if isinstance(x, (tuple, list)) else []
    if len(rows) == 3 and not any(isinstance(row, (tuple, list)) for row in rows):
        rows = [[rows[i] if i == k else 0.0 for k in range(3)] for i in range(3)]
    if len(rows) != 3 or any(not isinstance(row, (tuple, list)) or len(row) != 3 for row in rows):
        raise ModelError(
            "lump", f"inertia = {shown(x)}", "an inertia is one polar moment, three principal moments or a 3×3 tensor",
            "give inertia=J, inertia=(Jx, Jy, Jz) or a 3×3 matrix, in kg m²",
        )  # fmt: skip
    return tuple(
        tuple(read_number("lump", f"inertia[{i}][{k}]", entry) for k, entry in enumerate(row))
        for i, row in enumerate(rows)
    )


@checked_call
def lump(mass: Number, center: Any = (0.0, 0.0), inertia: Any = 0.0) -> Lump:
    """Body whose mass, mass centre and inertia are given.

    Parameters
    ----------
    mass
        Mass (kg).
    center : (2,) or (3,)
        Mass centre in the frame (m).
    inertia
        About the mass centre (kg m²): one number J' for a body known only in the plane (taken as flat, J_x = J_y =
        J'/2), three moments (J_x, J_y, J_z), or the full tensor (3, 3) with J_xy = −∫xy dm. Zero for a point mass.

    Examples
    --------
    >>> from dalembert.model.shapes import lump
    >>> lump(2.0, inertia=0.1).mass_properties().polar
    0.1
    """
    return Lump(mass, center, inertia)


SHAPES["lump"] = Lump
