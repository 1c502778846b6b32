"""Velocity jumps of a Lagrangian system: M dv + J^T L = P with J v+ = nu (LAGRANGE 1.5)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...results.coordinate_guard import check_impulse
from ...state import State
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


def caught(point: Point, given: dict[str, float] | None = None) -> Blow:
    """The jump under given generalized impulses, rows holding afterwards."""
    system = point.system
    given = given or {}
    before = State(point.t, point.q.copy(), point.v.copy())
    mass, jac, kept = point.mass, point.jac, ~point.dropped
    push = np.array([given.get(name, 0.0) for name in system.model.q])
    n, m = system.n, int(kept.sum())
    # [M J^T; J 0] [dv; L] = [P; -(J v - nu)]
    matrix = np.zeros((n + m, n + m))
    matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = mass, jac[kept].T, jac[kept]
    x = np.linalg.solve(matrix, np.concatenate([push, -point.w[kept]]))
    impulse = np.zeros(system.n_rows)
    impulse[kept] = x[n:]
    check_impulse(point, mass, push, x[:n], impulse, f"velocity jump of {system.model.name!r}")
    after = State(point.t, point.q.copy(), before.v + x[:n])
    # with T = T2 + T1 + T0, q' dT/dq' - T = T2 - T0, and T0 does not change
    change = 0.5 * (after.v @ mass @ after.v - before.v @ mass @ before.v)
    return Blow(
        before,
        after,
        {name: float(f) for name, f in zip(system.row_names, impulse)},
        dict(given),
        float(change),
        system.model.q,
    )
