"""Shapes and mass properties: what bodies are made of.

    reading.py     numbers, expressions, vectors, rotations: what the user typed
    properties.py  MassProperties: move, rotate, add, principal axes, check
    outline.py     what to draw, as plain data
    base.py        the contract of a shape
    planar.py      rod, rectangle (block), plate, triangle, disk, semicircle, ring
    solid.py       box, sphere, cylinder, tube, cone
    lump.py        lump: mass and inertia as given numbers
    composite.py   composite, void, placing
    quadrature.py  points with shares of the matter, for integrals over shapes
    region.py      flat regions bounded by corners or curves
    polygons.py    polygon with holes
    integrated.py  lamina with a density that varies
    turned.py      revolved

Part of the model layer: imports numpy, the errors, and from the package only the cosine and sine of expressions.  Families of shapes are imported
when one of them is used first.
"""

from typing import TYPE_CHECKING, Any

from .base import Primitive, Shape, UnknownPointError
from .composite import Composite, Placed, Void, composite, void
from .lump import Lump, lump
from .outline import Outline, polylines
from .properties import MassProperties, combine

if TYPE_CHECKING:
    from .base import SHAPES
    from .integrated import VaryingLamina, lamina
    from .planar import (
        Disk,
        Lamina,
        Plate,
        Rectangle,
        Ring,
        Rod,
        Semicircle,
        Triangle,
        block,
        disk,
        plate,
        rectangle,
        ring,
        rod,
        semicircle,
        triangle,
    )  # fmt: skip
    from .polygons import Polygon, polygon
    from .solid import Box, Cone, Cylinder, Revolved, Sphere, Tube, box, cone, cylinder, sphere, tube
    from .turned import Turned, revolved

_FAMILIES = {
    "integrated": ("VaryingLamina", "lamina"),
    "polygons": ("Polygon", "polygon"),
    "turned": ("Turned", "revolved"),
    "planar": (
        "Disk", "Lamina", "Plate", "Rectangle", "Ring", "Rod", "Semicircle", "Triangle", "block", "disk", "plate", "rectangle", "ring", "rod",
        "semicircle", "triangle",
    ),
    "solid": ("Box", "Cone", "Cylinder", "Revolved", "Sphere", "Tube", "box", "cone", "cylinder", "sphere", "tube"),
}  # fmt: skip
_FAMILY = {name: family for family, names in _FAMILIES.items() for name in names}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name == "SHAPES":
            # complete only when all families were imported
            for family in _FAMILIES:
                import_module(f".{family}", __name__)
            return import_module(".base", __name__).SHAPES
        if name not in _FAMILY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(f".{_FAMILY[name]}", __name__), name)
        return found


__all__ = [
    "SHAPES", "Box", "Composite", "Cone", "Cylinder", "Disk", "Lamina", "Lump", "MassProperties", "Outline", "Placed", "Plate", "Polygon",
    "Primitive", "Rectangle", "Revolved", "Ring", "Rod", "Semicircle", "Shape", "Sphere", "Triangle", "Tube", "Turned", "UnknownPointError",
    "VaryingLamina", "Void", "block", "box", "combine", "composite", "cone", "cylinder", "disk", "lamina", "lump", "plate", "polygon",
    "polylines", "rectangle", "revolved", "ring", "rod", "semicircle", "sphere", "triangle", "tube", "void",
]  # fmt: skip
