"""Stops: one-sided spring–dampers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import ModelError
from ..measure import Measure
from ._base import Law, MeasureForce


@dataclass(frozen=True, eq=False, repr=False)
class Stop(MeasureForce, tag="stop"):
    """Limits of a measure: a one-sided spring–damper beyond `lower` and/or `upper`, which pushes back and never pulls.

    The tractor tyre of PLANAR 6.1.1 is `m.stop("tyre", hub.y, lower=radius, stiffness=k)`.
    """

    lower: Any = None
    upper: Any = None
    stiffness: Any = None
    damping: Any = 0.0

    glyph = "stop"
    example = {"lower": -10.0, "upper": -9.0, "stiffness": 30.0}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_numbers(stiffness="nonnegative", damping="nonnegative")
        if self.lower is None and self.upper is None:
            raise ModelError(
                self.asked, "neither lower nor upper", "a stop needs a limit", "give lower=... or upper=..."
            )
        self.read_numbers(**{name: "finite" for name in ("lower", "upper") if getattr(self, name) is not None})
        if self.lower is not None and self.upper is not None:
            low, high = self.model.value(self.lower), self.model.value(self.upper)
            if low > high:
                raise ModelError(
                    self.asked, f"lower = {low:g} and upper = {high:g}",
                    "the measure is to stay between them", "exchange them",
                )  # fmt: skip

    def elements(self) -> list[tuple[Measure, Law]]:
        """One law per limit."""
        limits = ((self.lower, -1.0), (self.upper, 1.0))
        return [(self.on, Law("stop", (self.stiffness, self.damping, x, side))) for x, side in limits if x is not None]
