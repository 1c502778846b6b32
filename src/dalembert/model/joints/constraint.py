"""User constraint: an expression of measures and time is held at zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..body import Body
from ..measure import Measure
from ._base import Joint
from ._coupling import bodies_of


@dataclass(frozen=True, eq=False, repr=False)
class Constraint(Joint, tag="constraint"):
    """`expression` of measures, parameters and t, as text, expression or measure, is held at `value` (default 0).

    Example: `m.constraint("cam", "follower.y - 0.1 - 0.02*cos(O.angle)")`.
    """

    expression: Any = None
    value: Any = 0.0

    fields_are = {"value": ("number", "{u}")}

    def __post_init__(self) -> None:
        super().__post_init__()
        measure = self.model.read_measure(self.asked, self.expression, f"{self.name}.expression")
        if measure.is_rate:
            raise ModelError(
                self.asked, f"{measure!r}", "a rate measure has no value to hold", "use a measure with a value"
            )
        self.set(expression=measure)
        self.read_numbers(value="finite")
        if not any(not body.is_ground for body in self.bodies):
            raise ModelError(
                self.asked, f"{self.expression!r}", "it depends on no moving body", "use a measure of a moving body"
            )

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All bodies of the measures in the expression, each once."""
        return bodies_of(self.model, [self.expression])

    def rows(self) -> list[Measure]:
        """One row: the expression."""
        m = self.expression
        return [
            Measure(f"{self.name}.value", "combination", m.i, m.j, terms=((1.0, m),), unit=m.unit, offset=self.value)
        ]

    def coordinates(self) -> dict[str, Measure]:
        """The expression itself."""
        return {"expression": self.expression}
