"""User condition on velocities: an expression that is linear in rates of measures is held at zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..body import Body
from ..measure import Measure
from ..reading import check_text
from ._base import Joint
from ._coupling import bodies_of, rate_measure, terms_of


@dataclass(frozen=True, eq=False, repr=False)
class Pfaffian(Joint, tag="pfaffian"):
    """`expression` of measures, their rates, parameters and t, linear in the rates, is held at zero: a nonholonomic constraint.

    Example: `m.pfaffian("skate", "cos(b.angle)*rate(b.y) - sin(b.angle)*rate(b.x)")`.  `unit` is that of the expression times s.
    """

    expression: Any = None
    unit: Any = "1"

    sets_rate = True
    drawn_at = ()
    fields_are = {"expression": ("law", None)}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.expression is None:
            raise ModelError(
                self.asked, "expression is missing",
                "the condition is an expression that is held at zero", "give for example 'r*rate(wheel.angle) - rate(cart.x)'",
            )  # fmt: skip
        expression = self.model.read_law(self.asked, self.expression)
        rates = sorted(name for name in expression.names if name.startswith("rate("))
        if not rates:
            raise ModelError(
                self.asked, f"{expression} has no rates",
                "a condition on velocities needs rates of measures", "write rate(measure), or use m.constraint for a condition on positions",
            )  # fmt: skip
        rate_measure(self.model, self.asked, self.name, expression)
        check_text(self.asked, "unit", self.unit, "give for example 'm'")
        self.set(expression=expression)

    @property
    def terms(self) -> tuple[tuple[Any, Measure], ...]:
        """Measures of the expression, with their rates or without."""
        return terms_of(self.model, self.expression)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All bodies of the measures in the expression, each once."""
        return bodies_of(self.model, [measure for _, measure in self.terms])

    def rows(self) -> list[Measure]:
        """One row, on velocities."""
        return [rate_measure(self.model, self.asked, f"{self.name}.rate", self.expression, self.unit)]
