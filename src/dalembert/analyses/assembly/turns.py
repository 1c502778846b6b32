"""Whole turns: where a driver, a start or a gear asks for an angle that is many turns away.

Newton's method would have to wind the mechanism up.  A full turn changes no joint, only the count: in the plane it is part of a body's
angle, in space the turns of joints are counted beside the configuration.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.operate import ROWS, operate
from ...system.collected import Composite
from ...system.rows import unscaled_jacobian
from ...system.system import System
from ...system.tables import Work

# in the plane, an angle asked for that is farther away than this is reached by whole turns first
FAR = 4.0 * math.pi


def guess_angles(
    system: System, work: Work, t0: float, angles: np.ndarray | None = None, q: np.ndarray | None = None
) -> None:
    """Turns of counted angles at the start: those given, else the turn nearest to a prescribed value, else the first.

    At a configuration q, gears and screws then say how often the joints turned that they tie to others.
    """
    if angles is not None and len(angles) == len(work.angle):
        work.angle[:] = angles
    else:
        known = {"t": t0, **{state.name: float(z) for state, z in zip(system.builder.states, work.state)}}
        for block in system.numbering.blocks:
            for item, first in block.items:
                row = block.rows[first]
                if item.angle >= 0 and row.drive is not None and not row.rate_only:
                    work.angle[item.angle] = row.drive.evaluate(known) + row.offset
    work.angle_rate[:] = 0.0
    work.angle_time[0] = t0
    if q is not None and not system.plane and (angles is None or len(angles) != len(work.angle)):
        whole_turns(system, work, t0, q)


def whole_turns(system: System, work: Work, t: float, q: np.ndarray) -> None:
    """Turn bodies in the plane (q), or the counted angles of joints in space (`work.angle`), by whole turns towards what is asked for."""
    if system.plane:
        _turn_bodies(system, work, t, q)
    else:
        _count_turns(system, work, t, q)


def _couplings(system: System) -> list[tuple[int, Composite]]:
    """Rows that tie angles linearly to each other or to slides (gears, belts, racks, screws), with what they are made of."""
    free = system.builder.free
    found = []
    for block in system.numbering.blocks:
        for composite, first in block.composites:
            items = [free[p].item for p in composite.parts]
            if composite.expression is None and any(item is not None and item.is_angle for item in items):
                found.append((block.rows[first], composite))
    if not found:
        return []
    number = {id(row): r for r, row in enumerate(system.numbering.rows[: system.n_rows])}
    return [(number[id(row)], composite) for row, composite in found]


def _turn_bodies(system: System, work: Work, t: float, q: np.ndarray) -> None:
    rows = system.numbering.rows[: system.n_rows]
    driven = [r for r, row in enumerate(rows) if row.drive is not None and row.unit == "rad" and not row.rate_only]
    coupled = {r: min(map(abs, composite.coefficients)) for r, composite in _couplings(system) if r not in driven}
    if not driven and not coupled:
        return
    n, v = system.numbering, np.zeros(system.nv)
    settled: set[int] = set()  # angles that were turned, or that a driver holds
    asked = [*driven, *coupled]
    # turning a body changes the angles of the joints beyond it, which are then corrected in their turn
    for _ in range(len(asked) * (len(asked) + 1) // 2):
        operate(ROWS, n.I, n.P, work.F, t, q, v, v.copy(), 0.0, 1)
        far = next((r for r in asked if FAR * coupled.get(r, 1.0) < abs(float(work.y[r])) < math.inf), None)
        if far is None:
            return
        if not settled:
            for r in driven:
                row = unscaled_jacobian(system, work)[[r]].toarray()[0]
                settled |= {int(c) for c in np.flatnonzero(row) if c % 3 == 2}
        row = unscaled_jacobian(system, work)[[far]].toarray()[0]
        if far in coupled:
            asked.remove(far)
            free = [c for c in np.flatnonzero(row) if c % 3 == 2 and int(c) not in settled]
        else:
            # the angle of one body, or of one relative to another
            free = [c for c in np.flatnonzero(np.abs(row - 1.0) < 1e-12) if c % 3 == 2]
            if len(free) != 1 or not np.all(np.isin(row, (0.0, 1.0, -1.0))):
                asked.remove(far)
                continue
        if free:
            # the finest of several: what is left is within half a turn of it
            angle = min(free, key=lambda c: abs(row[c]))
            q[angle] -= 2.0 * math.pi * round(float(work.y[far] / row[angle]) / (2.0 * math.pi))
            settled.add(int(angle))


def _count_turns(system: System, work: Work, t: float, q: np.ndarray) -> None:
    waiting = _couplings(system)
    if not waiting:
        return
    n, v, free = system.numbering, np.zeros(system.nv), system.builder.free
    known = {
        item.angle
        for block in n.blocks
        for item, first in block.items
        if item.angle >= 0 and block.rows[first].drive is not None
    }
    while waiting:
        operate(ROWS, n.I, n.P, work.F, t, q, v, v.copy(), 0.0, 1)
        loose = []
        for _, composite in waiting:
            items = ((c, free[p].item) for c, p in zip(composite.coefficients, composite.parts))
            angles = [(c, item.angle) for c, item in items if item is not None and item.angle >= 0]
            loose.append([one for one in angles if one[1] not in known])
        # first what follows from angles that are known; of several unknown ones the finest is counted
        k = min(range(len(waiting)), key=lambda k: len(loose[k]))
        row, _ = waiting.pop(k)
        if loose[k] and math.isfinite(work.y[row]):
            coefficient, angle = min(loose[k], key=lambda one: abs(one[0]))
            work.angle[angle] -= 2.0 * math.pi * round(float(work.y[row] / coefficient) / (2.0 * math.pi))
        known |= {angle for _, angle in loose[k]}
