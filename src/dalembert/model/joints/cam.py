"""Cam and follower."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..measure import Measure
from ..touching import GAP, Touching
from ._cam import DRAWN, checked_outline, read_coordinates, read_law, read_sizes
from ._cam_touch import ANGLE, KNIFE, Layout, layout_of, true_gap
from ._coupling import Coupling


@dataclass(frozen=True, eq=False, repr=False)
class Cam(Touching, Coupling, tag="cam"):
    """Follower b (a coordinate: a slide, or an angle) on a cam that turns by the angle a: b = zero + lift(a) where they touch, and b never lies below.

    lift
        Law of the follower: an expression of theta, the angle of the cam, a table, or points (angle, lift) of a turn.
    profile
        Instead: the radius of the cam over its own polar angle, for a follower that moves along a line through the centre; b - zero is the distance from it.
    follower, radius
        "knife", "roller" with its radius, or "flat", across its way.
    zero
        Value of b where the lift is 0 (of a profile: where the follower is in the centre of the cam); "drawn": they touch as drawn.
    base
        Distance of the follower from the centre of the cam where the lift is 0; with it the outline of the cam is known, a law that would undercut it refused, and
        the force acts where the follower touches, along the common normal.
    offset, arm
        Of a follower on a way: distance of its tip from the line through the centre of the cam, to the left of the way.  Of one that swings: distance of its tip from its
        pin (`arm`), or of its pin from a flat face, away from the cam (`offset`).
    closed
        True: held from both sides, as in a groove.  Default: it may lift off, and lands with `restitution` and `hypothesis` as for `m.impact`.
    """

    a: Any = None
    b: Any = None
    lift: Any = None
    profile: Any = None
    follower: Any = KNIFE
    radius: Any = None
    base: Any = None
    zero: Any = 0.0
    closed: Any = False
    restitution: Any = 0.0
    hypothesis: Any = "newton"
    offset: Any = None
    arm: Any = None

    symmetric = False
    glyph = "push"
    wheels = ("b",)  # its force is drawn at the follower
    load_is = "the cam"
    law_names = {"lift": (ANGLE,), "profile": (ANGLE,)}
    law_units = {ANGLE: "rad"}
    fields_are = {
        "lift": ("number", "{b}"), "profile": ("number", "m"), "follower": ("text", None), "base": ("number", "m"), "offset": ("number", "m"), "arm": ("number", "m"), "zero": ("any", None),
        "closed": ("flag", None), "restitution": ("number", "1"), "hypothesis": ("text", None),
    }  # fmt: skip
    example = {"lift": "0.3*sin(theta) + 0.1*theta**2", "closed": True, "zero": DRAWN}

    def __post_init__(self) -> None:
        super().__post_init__()
        a, b, zero = read_coordinates(self)
        self.set(_layout=layout_of(self))
        read_sizes(self)
        law = read_law(self)
        gap, terms = (b.symbol - law.substitute({ANGLE: a.symbol})).simplify(), ((1.0, a), (1.0, b))
        made = Measure(f"{self.name}.{GAP}", "expression", expression=gap, terms=terms, unit=b.unit, offset=zero)
        self.set(_gaps={GAP: made}, _law=law, held=made)
        if self.base is not None or self.profile is not None:
            self.outline()
            if isinstance(self._layout, Layout):
                self.set(held=true_gap(self, made, self._layout))
        stops = self.rigid(self.restitution, self.hypothesis)
        self.set(_stops=() if self.closed else tuple(replace(stop, held=self.held) for stop in stops))

    @property
    def swings(self) -> bool:
        """Whether the follower turns about a pin."""
        return bool(self.b.unit == "rad")

    def outline(self, n: int = 361) -> np.ndarray:
        """Points (n, 2) of the profile in axes of the cam, x towards the follower where the cam is at the angle 0."""
        return checked_outline(self, n)

    def terms(self) -> tuple[tuple[Any, Measure], ...]:
        """The cam, and the follower."""
        return (1.0, self.a), (1.0, self.b)

    def rows(self) -> list[Measure]:
        """The gap, where it is held from both sides."""
        held = Measure(f"{self.name}.contact", "combination", terms=((1.0, self.held),), unit=self.held.unit)
        return [held] if self.closed else []
