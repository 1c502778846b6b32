"""Instants at which something outside looks at a run and sets its inputs: t0, t0 + T, t0 + 2 T, ...; inputs are held in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .stepping.records import Memory, Step

# part of a period within which two instants are the same
NEAR = 1e-9


@dataclass
class Sampling:
    """A controller as the time loop sees it."""

    begin: float
    every: float
    begun: Callable[[Memory, Step], None]  # with what can be looked at, before the first sample
    act: Callable[[], None]  # looks and sets
    count: int = 0

    def sample(self) -> None:
        """Look and set."""
        self.act()
        self.count += 1

    @property
    def following(self) -> float:
        """The next instant; a multiple of the period, so that no rounding adds up."""
        return self.begin + self.count * self.every

    def is_due(self, t: float) -> bool:
        """Whether the next instant is now."""
        return abs(self.following - t) <= NEAR * self.every

    def until(self, t1: float) -> float:
        """The next instant, or the end."""
        return t1 if self.is_due(t1) else min(self.following, t1)
