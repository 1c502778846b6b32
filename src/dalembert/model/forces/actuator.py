"""Actuator: a force along a measure by any law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..expression import CheckedFunction, is_function
from ..measure import Measure
from ._base import Law, TwoPointForce, law_of


@dataclass(frozen=True, eq=False, repr=False)
class Actuator(TwoPointForce, tag="actuator"):
    """Force that drives a measure (a joint's coordinate, or the distance of two points) *upwards* when positive.

    `force` is a number, an expression of `s`, `v` (= s'), `t`, other measures and parameters, or a Python function (s, v, t), which
    runs on the slow path.  Power is force * v.
    """

    force: Any = None

    glyph = "actuator"
    law_names = {"force": ("s", "v")}
    example = {"force": "3*s - 0.5*v + cos(t)"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.force is None:
            raise ModelError(self.asked, "force is missing", "the element needs it", "give force=...")
        if not is_function(self.force):
            self.set(force=self.model.read_law(self.asked, self.force, ("s", "v")))
        self.elements()

    def elements(self) -> list[tuple[Measure, Law]]:
        """One law on the measure; f is tensile, so the driving force enters with a minus."""
        measure = self.length_measure()
        if is_function(self.force):
            return [(measure, law_of(CheckedFunction(self.asked, self.force, ("s", "v", "t"))))]
        return [(measure, self.law(measure, -self.force, "s", "v"))]
