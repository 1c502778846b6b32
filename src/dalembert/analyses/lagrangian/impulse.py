"""The account of a blow on a Lagrangian system: impulses of rows as numbers, by their names (LAGRANGE 1.5)."""

from __future__ import annotations

from dataclasses import dataclass

from ..dynamics.shock import Blow


@dataclass(frozen=True, eq=False, repr=False)
class RowBlow(Blow):
    """What a blow does to coordinates.

    `impulse` is that of each row, by name, with the sign of its multiplier; the generalized impulse on the system is -J^T impulse.  `generalized`
    are given impulses by coordinate.
    """

    impulse: dict[str, float]
    generalized: dict[str, float]
    coordinates: tuple[str, ...]

    def __str__(self) -> str:
        lines = ["velocities        before         after          jump"]
        for name, a, b in zip(self.coordinates, self.before.v, self.after.v):
            lines.append(f"  {name:<12} {a:>12.6g}  {b:>12.6g}  {b - a:>12.6g}")
        if self.generalized:
            lines.append("given impulses    " + ", ".join(f"{k} {x:.6g}" for k, x in self.generalized.items()))
        if self.impulse:
            lines.append("impulses of rows  " + ", ".join(f"{k} {x:.6g}" for k, x in self.impulse.items()))
        lines.append(f"energy change     {self.energy_change:.6g} J")
        return "\n".join(lines)

    __repr__ = __str__
