"""Shapes and mass properties: what bodies are made of.

    reading.py     numbers, expressions, vectors, rotations: what the user typed
    properties.py  MassProperties: move, rotate, add, principal axes, check
    outline.py     what to draw, as plain data
    base.py        the contract of a shape
    rods.py        rod
    planar.py      rectangle (block), plate, triangle, disk, semicircle, ring, polygon
    solid.py       box, sphere, cylinder, tube, cone
    lump.py        lump: mass and inertia as given numbers
    composite.py   composite, void, placing
    quadrature.py  points with shares of the matter, for integrals over shapes
    region.py      flat regions bounded by corners or curves
    integrated.py  lamina with a density that varies, revolved

Part of the model layer: imports numpy, the errors, and from the package only the cosine and sine of expressions.  Families of shapes are imported
when one of them is used first.
"""

from importlib import import_module
from typing import Any

from ...lazy import homes
from .composite import composite as composite
from .lump import lump as lump  # files with the name of a function: imported at once, or the name would be the file

_HOMES = homes(__file__)


def __getattr__(name: str) -> Any:
    if name == "SHAPES":
        # complete only when all families were imported
        for home in dict.fromkeys(_HOMES.values()):
            import_module(f".{home}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return found


__all__ = sorted(_HOMES)
