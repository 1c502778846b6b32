"""Instants at which something outside looks at a run and sets its inputs: t0, t0 + T, t0 + 2 T, ...; inputs are held in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .stepping.records import Memory, Step


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

    def until(self, t1: float) -> float:
        """The next instant, or the end; instants are multiples of the period, so that no rounding adds up."""
        following = self.begin + self.count * self.every
        return min(following, t1) if abs(following - t1) > 1e-9 * self.every else t1


__all__ = ["Sampling"]
