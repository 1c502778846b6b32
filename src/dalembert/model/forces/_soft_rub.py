"""Coulomb friction at compliant contacts: what presses is a known function N(gap, gap') of the state, so that friction slips with mu N and sticks up to static N.

In the plane the gaps of one contact slide along one line, with rates that differ by the depths only: friction is mu times the sum of what presses, along the way of
one gap that touches, the leading one, until that opens.  In space every gap that touches rubs by its own.  Beyond the surface N is 0, and friction is not at work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..events import Situation
from ..expression import Expr, Name, Number, functions
from ..measure import Measure
from ._base import Force
from ._dry import OfGap
from ._pressing import Pad, length_of


@dataclass(frozen=True, eq=False)
class SoftRub(OfGap):
    """Friction of one gap."""

    owner: Any  # owner, name: the contact or friction that it belongs to, and its own name in `run.events`
    name: str
    contact: str  # name of the contact
    gap: Measure  # gap, gaps: the gap whose sliding it is, and all gaps that press
    gaps: tuple[Measure, ...]
    pushes: tuple[Expr, ...]  # N of each gap, an expression of the gap and its rate
    slips: tuple[Measure, ...]  # what slides there: one measure in the plane, two in space
    mu: Any  # mu, static: coefficients, as for `m.friction`
    static: Any

    @property
    def key(self) -> str:
        """Of those with one key one acts for all that touch: of the gaps of a contact in the plane; in space each by its own."""
        return self.owner.name if len(self.slips) == 1 else self.name

    def absent(self, now: Situation) -> bool:
        """Whether its contact is released, or itself."""
        return self.contact in now.absent or self.owner.name in now.absent

    def felt(self, plane: bool) -> list[tuple[str, int]]:
        """No multipliers: what presses is a force law."""
        return []

    def pads(self, value: Any) -> list[Pad]:
        """None: what presses does not depend on friction."""
        return []

    @property
    def push(self) -> Expr:
        """N, of all gaps."""
        total: Expr = Number(0.0)
        for one in self.pushes:
            total = total + one
        return total

    def pressed(self, value: Any, gaps: Sequence[tuple[float, float]]) -> float:
        """N where the gaps and their rates are known."""
        names: dict[str, float] = {}
        for one, (s, rate) in zip(self.gaps, gaps):
            names |= {one.name: s, f"rate({one.name})": rate}
        push = self.push
        numbers = {name: value(Name(name)) for name in push.names - set(names)}
        return float(push.evaluate(names | numbers))

    def size(self, value: Any, at_rest: bool) -> Expr:
        """Friction as an expression of v, gap0, rate0, gap1, ...: what the time loop has of it."""
        mu = Number(self.holding(value)) if at_rest else self.kinetic(value)
        named: dict[str, Expr] = {}
        for k, one in enumerate(self.gaps):
            named |= {one.name: Name(f"gap{k}"), f"rate({one.name})": Name(f"rate{k}")}
        push = self.push.substitute(named)
        known = {f"{what}{k}" for k in range(len(self.gaps)) for what in ("gap", "rate")}
        return mu * push.substitute({name: Number(value(Name(name))) for name in push.names - known})

    def while_slipping(self, way: Any, pressure: float | Expr = 1.0, kept: bool = False) -> Force:
        """Laws of its rates and gaps: what presses changes with the gaps, and with nothing else."""
        return super().while_slipping(way, self.push, kept)

    def slip_watch(self, way: Any, slow: float) -> tuple[Expr, int]:
        """As of other friction, or until the gap opens, whichever comes first: the smaller of the two is negative where one is.

        Its bounds over a step are as narrow as theirs, however small a depth is beside a rate.
        """
        along, direction = super().slip_watch(way, slow)
        along = way * along if direction == 0 else along
        return functions.min(along, -1.0 * self.gap.symbol), -1

    def left_before_slip(self, value: Any, own: list[str]) -> Expr:
        """What is left before it slips, static N - |lam|, or before the gap opens: an expression of its multipliers, gaps and their rates."""
        left = self.holding(value) * self.push - length_of([Name(x) for x in own])
        return functions.min(left, -1.0 * self.gap.symbol)

    def side(self, way: Any) -> float:
        """It is on the upper side of what is watched."""
        return 1.0


__all__ = ["SoftRub"]
