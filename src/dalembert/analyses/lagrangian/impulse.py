"""The account of a blow on a Lagrangian system: impulses of rows as numbers, by their names (LAGRANGE 1.5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...state import State
from ..dynamics.shock import Struck

if TYPE_CHECKING:
    from .point import Point


@dataclass(frozen=True, eq=False)
class Blow:
    """What a blow does.

    Attributes
    ----------
    before, after
        States with the velocities before and after.
    impulse
        Impulse of each row, by name, with the sign of its multiplier; the generalized impulse on the system is -J^T impulse.
    generalized
        Given generalized impulses by coordinate.
    energy_change
        Change of q' dT/dq' - T, the kinetic energy for systems without explicit time.
    """

    before: State
    after: State
    impulse: dict[str, float]
    generalized: dict[str, float]
    energy_change: float
    _names: tuple[str, ...] = field(repr=False, default=())

    def __str__(self) -> str:
        lines = ["velocities        before         after          jump"]
        for name, a, b in zip(self._names, self.before.v, self.after.v):
            lines.append(f"  {name:<12} {a:>12.6g}  {b:>12.6g}  {b - a:>12.6g}")
        if self.generalized:
            lines.append("given impulses    " + ", ".join(f"{k} {x:.6g}" for k, x in self.generalized.items()))
        if self.impulse:
            lines.append("impulses of rows  " + ", ".join(f"{k} {x:.6g}" for k, x in self.impulse.items()))
        lines.append(f"energy change     {self.energy_change:.6g} J")
        return "\n".join(lines)

    __repr__ = __str__


def account(point: Point, blow: Struck) -> Blow:
    """The account of a jump from the velocities of the point."""
    q, names = point.system.model.q, (*point.system.row_names, *(x.name for x, _ in blow.thrown))
    before = State(point.t, point.q.copy(), point.v.copy())
    after = State(point.t, point.q.copy(), point.v + blow.jump)
    # with T = T2 + T1 + T0, q' dT/dq' - T = T2 - T0, and T0 does not change
    low, high = (0.5 * float(state.v @ (blow.mass @ state.v)) for state in (before, after))
    impulse = dict(zip(names, (*map(float, blow.lam), *(p for _, p in blow.thrown))))
    given = {name: float(x) for name, x in zip(q, blow.given) if x != 0.0}
    return Blow(before, after, impulse, given, high - low, q)
