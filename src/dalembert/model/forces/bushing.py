"""Bushing: an elastic joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..frame import Marker, read_direction, read_location
from ..measure import Measure
from ..reading import listed, read_items
from ._base import Force, Law


@dataclass(frozen=True, eq=False, repr=False)
class Bushing(Force, tag="bushing"):
    """Elastic joint between bodies i and j at a common point: springs and dampers along and about three axes of body i.

    `stiffness` and `damping` are numbers or one number per axis (N/m); `torsion` and `torsion_damping` the same for rotation
    (N m/rad).  The axes are those of space as drawn, or z along `axis` and x along `x_axis`.  A rotation by theta about the unit vector n
    is measured as n sin(theta), the same seen from both bodies; in the plane it is the true angle.  Small rotations are meant.
    """

    i: Any = None
    j: Any = None
    at: Any = None
    stiffness: Any = 0.0
    damping: Any = 0.0
    torsion: Any = 0.0
    torsion_damping: Any = 0.0
    axis: Any = None
    x_axis: Any = None

    glyph = "bushing"
    fields_are = {
        "stiffness": ("number", "N/m"), "damping": ("number", "N s/m"),
        "torsion": ("number", "N m/rad"), "torsion_damping": ("number", "N m s/rad"),
    }  # fmt: skip
    example = {"stiffness": 30.0, "torsion": 4.0}

    def __post_init__(self) -> None:
        i, j = self.model.read_body(self.asked, self.i), self.model.read_body(self.asked, self.j)
        if i is j:
            raise ModelError(
                self.asked, f"both bodies are {i.name!r}", "a bushing connects two bodies", "name the other body"
            )
        if self.at is None:
            raise ModelError(self.asked, "at is missing", "the bushing needs a location", "give at=(x, y)")
        at = read_location(self.model, self.asked, "at", self.at)
        axis = (
            None if self.axis is None or self.model.plane else read_direction(self.model, self.asked, "axis", self.axis)
        )
        x_axis = None if self.x_axis is None else read_direction(self.model, self.asked, "x_axis", self.x_axis)
        linear, turns = (2, 1) if self.model.plane else (3, 3)
        self.set(
            i=i, j=j, at=at, axis=axis, x_axis=x_axis,
            stiffness=self._per_axis("stiffness", linear), damping=self._per_axis("damping", linear),
            torsion=self._per_axis("torsion", turns), torsion_damping=self._per_axis("torsion_damping", turns),
        )  # fmt: skip

    def _per_axis(self, name: str, n: int) -> list[Any]:
        value = getattr(self, name)
        items = [value] * n if listed(value) is None else value
        given = read_items(
            self.asked, name, items, n, f"{n} axes need one number or {n}", f"give {name}=k or {n} numbers"
        )
        return [self.model.read_number(self.asked, name, x, "nonnegative") for x in given]

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames at the common point."""
        return Marker(self.i, self.at, z=self.axis, x=self.x_axis), Marker(self.j, self.at, z=self.axis, x=self.x_axis)

    def coordinates(self) -> dict[str, Measure]:
        """Displacements along the axes of i and rotations about them."""
        i, j = self.markers
        axes = ("x", "y") if self.model.plane else ("x", "y", "z")
        found = {a: self.measure(a, "along_body", i, j, direction=a, unit="m") for a in axes}
        if self.model.plane:
            found["angle"] = self.measure("angle", "angle", i, j, unit="rad", offset="drawn")
        else:
            # (z_i . y_j - y_i . z_j) / 2 is the component along x of n sin(theta); the others follow by cyclic exchange
            for name, (a, b) in (("turn_x", "zy"), ("turn_y", "xz"), ("turn_z", "yx")):
                first = self.measure(f"{name}_first", "dot", i, j, direction=(a, b), unit="1")
                second = self.measure(f"{name}_second", "dot", i, j, direction=(b, a), unit="1")
                terms = ((0.5, first), (-0.5, second))
                found[name] = self.measure(name, "combination", i, j, terms=terms, unit="1")
        return found

    def elements(self) -> list[tuple[Measure, Law]]:
        """A linear law on every displacement and rotation."""
        measures = list(self.coordinates().values())
        stiffness, damping = [*self.stiffness, *self.torsion], [*self.damping, *self.torsion_damping]
        return [(m, Law("linear", (k, 0.0, c, 0.0))) for m, k, c in zip(measures, stiffness, damping)]
