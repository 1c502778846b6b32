"""Sizes of dry friction: how much it holds, and how much is left where it slips.  Friction of joints and of stops have them in common."""

from __future__ import annotations

from typing import Any

from ..expression import Expr, Name
from ..measure import Measure
from ._pressing import Pad


class Dry:
    """Friction on the rate of a measure `on`: constant (`force`), or a coefficient `mu` times what presses."""

    name: str
    on: Measure
    force: Any = None
    static_force: Any = None
    mu: Any
    static: Any

    def stick(self) -> Measure:
        """What is held while it sticks: the rate of its measure."""
        return Measure(
            f"{self.name}.stick", "rate_expression", terms=((1.0, self.on),), expression=self.on.rate, unit=self.on.unit
        )

    def kinetic(self, value: Any) -> Any:
        """Size of the slipping friction (or its coefficient) as a function of the size of the rate; `value` reads numbers."""
        x = self.force if self.mu is None else self.mu
        if isinstance(x, Expr) and "v" in x.names:
            given = {name: value(Name(name)) for name in x.names - {"v"}}
            return lambda v: x.evaluate({**given, "v": v})
        size = float(value(x))
        return lambda v: size

    def holding(self, value: Any) -> float:
        """The static coefficient or force; by default that of slipping at rest."""
        x = self.static_force if self.mu is None else self.static
        return float(self.kinetic(value)(0.0) if x is None else value(x))

    def felt(self, plane: bool) -> list[tuple[str, int]]:
        """Multipliers that what presses is made of: names of parts, and numbers among their rows."""
        raise NotImplementedError

    def pads(self, value: Any) -> list[Pad]:
        """What presses, in units of the friction along its measure; empty for a constant size."""
        raise NotImplementedError


__all__ = ["Dry"]
