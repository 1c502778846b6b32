"""Translational spring–damper–actuator (PLANAR 6.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..measure import Measure
from ._base import Law, TwoPointForce


@dataclass(frozen=True, eq=False, repr=False)
class Spring(TwoPointForce, tag="spring"):
    """Spring–damper–actuator between two points: tension stiffness (l - free_length) + damping l' + force.

    `force` is a number, an expression of `l`, `v` (= l'), `t`, other measures and parameters, or a Python function (l, v, t).
    With `along=` the length has a sign.  Without, at l = 0 the direction is that of the relative velocity, and at rest the force is zero: exact for free_length = 0,
    where it is stiffness * d.
    """

    stiffness: Any = 0.0
    damping: Any = 0.0
    free_length: Any = 0.0
    force: Any = 0.0

    glyph = "spring"
    law_names = {"force": ("l", "v")}
    example = {"stiffness": 40.0, "free_length": 0.7}

    def __post_init__(self) -> None:
        super().__post_init__()
        # a length with a sign may be free at any value
        free = "nonnegative" if self.along is None else "finite"
        self.read_numbers(stiffness="nonnegative", damping="nonnegative", free_length=free)
        self.elements()

    def symbol(self, number: Callable[[Any], float]) -> dict[str, Any]:
        """A spring, or what is left of a spring–damper–actuator without stiffness."""
        without = "damper" if number(self.damping) != 0.0 else "actuator"
        return {"glyph": self.glyph if number(self.stiffness) != 0.0 else without}

    def elements(self) -> list[tuple[Measure, Law]]:
        """One law on the length."""
        length = self.length_measure()
        return [(length, self.law(length, self.force, "l", "v", (self.stiffness, self.free_length, self.damping)))]
