"""Torque (couple) on a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..frame import Marker
from ..measure import Measure
from ._base import Law
from ._load import AXES, Load


@dataclass(frozen=True, eq=False, repr=False)
class Torque(Load, tag="torque"):
    """Couple on a body: a number (counterclockwise) in the plane, a vector fixed in space or in the body in space.

    `against` names the body that takes the opposite couple (default: the ground).  Components as in `force`.
    """

    frame: Any = "space"
    against: Any = None

    glyph = "couple"
    fields_are = {"value": ("number", "N m")}

    def __post_init__(self) -> None:
        body = self.model.read_moving(self.asked, self.body)
        against = self.model.ground if self.against is None else self.model.read_body(self.asked, self.against)
        if against is body:
            raise ModelError(
                self.asked, f"both bodies are {body.name!r}",
                "a couple acts between two different bodies", "name the other body",
            )  # fmt: skip
        value = [self.model.read_load(self.asked, self.value)] if self.model.plane else self.read_laws(self.value, 3)
        self.set(body=body, against=against, value=value)
        self.set(frame=self.read_frame(self.frame))
        if body.particle:
            self.model.refuse_particle(self.asked, body, "a torque")

    def elements(self) -> list[tuple[Measure, Law]]:
        """One law per component, on the relative angular velocity along a fixed direction."""
        i, j = Marker(self.against), Marker(self.body)
        axes = AXES[2:] if self.model.plane else AXES
        found = []
        for (axis, direction), law in zip(axes, self.value):
            measure = self.measure(axis, "spin", i, j, direction=direction, frame=self.frame, unit="rad/s")
            found.append((measure, law))
        return found
