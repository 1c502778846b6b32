"""Rotational spring–damper–actuator (PLANAR 6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..measure import Measure
from ._base import Law, MeasureForce


@dataclass(frozen=True, eq=False, repr=False)
class TorsionSpring(MeasureForce, tag="torsion_spring"):
    """Rotational spring–damper–actuator: n = stiffness (theta - free_angle) + damping theta' + torque, virtual work -n dtheta.

    `torque` is a number, an expression of `theta`, `omega` (= theta'), `t`, other measures, or a Python function (theta, omega, t).
    """

    stiffness: Any = 0.0
    damping: Any = 0.0
    free_angle: Any = 0.0
    torque: Any = 0.0

    glyph = "torsion_spring"
    law_names = {"torque": ("theta", "omega")}
    example = {"stiffness": 5.0, "free_angle": 0.3}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_numbers(stiffness="nonnegative", damping="nonnegative", free_angle="finite")
        self.elements()

    def elements(self) -> list[tuple[Measure, Law]]:
        """One law on the angle."""
        linear = (self.stiffness, self.free_angle, self.damping)
        return [(self.on, self.law(self.on, self.torque, "theta", "omega", linear))]
