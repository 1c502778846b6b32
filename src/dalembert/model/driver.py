"""Drivers and initial conditions: measures with a prescribed value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .body import Body
from .expression import Expr
from .frame import Marker
from .joints._coupling import bodies_of
from .measure import Measure

if TYPE_CHECKING:
    from .mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Driver:
    """A measure that follows an expression of time; its multiplier is the driving force or torque."""

    model: Mechanism = field(repr=False)
    name: str
    measure: Measure
    expression: Expr

    kind = "driver"
    tag = "drive"
    external, sets_rate = False, True

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of the driven measure, each once."""
        return bodies_of(self.model, [self.measure])

    @cached_property
    def rates(self) -> tuple[Expr, Expr, Expr]:
        """The expression, its rate and its second rate."""
        first = self.expression.diff("t")
        return self.expression, first, first.diff("t")

    @property
    def drawn_at(self) -> tuple[tuple[Marker | None, Marker | None], ...]:
        """Frames of the measure."""
        return ((self.measure.i, self.measure.j),)

    def symbol(self, number: Callable[[Any], float]) -> dict[str, Any]:
        """A motor for an angle, a cylinder for a distance of two points."""
        glyph = "motor" if self.measure.unit == "rad" else "actuator" if self.measure.kind == "distance" else "push"
        return {"glyph": glyph}

    @property
    def load_is(self) -> str:
        """How messages call what it carries."""
        return f"the drive of {self.measure.name}"

    @property
    def asked(self) -> str:
        """How messages call this driver."""
        return f"driver {self.name!r}"

    def coordinates(self) -> dict[str, Measure]:
        """The driven measure."""
        return {"value": self.measure}

    def __repr__(self) -> str:
        return f"<driver {self.name!r}: {self.measure.name} = {self.expression}>"


@dataclass(frozen=True, eq=False)
class Start:
    """Initial condition: value and/or rate of a measure at the start."""

    measure: Measure
    value: Any = None
    rate: Any = None
