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
    integrated.py  polygon, lamina with a density that varies, revolved

Part of the model layer: imports numpy, the errors, and from the package only the cosine and sine of expressions.
"""

from .base import SHAPES, Primitive, Shape, UnknownPointError
from .composite import Composite, Placed, Void, composite, void
from .integrated import Polygon, Turned, VaryingLamina, lamina, polygon, revolved
from .lump import Lump, lump
from .outline import Outline, polylines
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
)
from .properties import MassProperties, combine
from .solid import Box, Cone, Cylinder, Revolved, Sphere, Tube, box, cone, cylinder, sphere, tube

__all__ = [
    "SHAPES",
    "Box",
    "Composite",
    "Cone",
    "Cylinder",
    "Disk",
    "Lamina",
    "Lump",
    "MassProperties",
    "Outline",
    "Placed",
    "Plate",
    "Polygon",
    "Primitive",
    "Rectangle",
    "Revolved",
    "Ring",
    "Rod",
    "Semicircle",
    "Shape",
    "Sphere",
    "Triangle",
    "Tube",
    "Turned",
    "UnknownPointError",
    "VaryingLamina",
    "Void",
    "block",
    "box",
    "combine",
    "composite",
    "cone",
    "cylinder",
    "disk",
    "lamina",
    "lump",
    "plate",
    "polygon",
    "polylines",
    "rectangle",
    "revolved",
    "ring",
    "rod",
    "semicircle",
    "sphere",
    "triangle",
    "tube",
    "void",
]
