"""Auxiliary states that run away: z' = z**2 is infinite at t = 1/z0, and no motion goes on beyond that instant.

A run that is to pass such an instant stops, with steps that become too small.  One that is to end there may reach its end, since the instant
is known to the tolerance only; what it says of the state is then made of errors, so it is refused as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import ConvergenceError
from ...solve.status import NOT_FINITE, STEP_TOO_SMALL

if TYPE_CHECKING:
    from ...results.record import Record

# how far behind its end a run must go on to exist, as a part of its length in units of rtol: what is known of an instant at all
BEHIND = 10.0
# growth by its own size within so many steps, where steps have become too small
STEPS = 1e3

WHY = "a state whose rate grows faster than itself (z' = z**2, z' = exp(z)) is infinite after a finite time, and nothing is known beyond"
DO = "end the run before, or limit the rate: max(-1e3, min(1e3, …)); error.result has what was computed until then"


def growing(run: Record, within: float) -> str:
    """States that grow by their own size within a time [s] at the last step of a run, in words; empty if none does."""
    names, z, rate = _last(run)
    rate = rate * _direction(run)
    told = [
        f"the state {name!r} = {x:.6g} grows by its own size within {x / f:.1e} s"
        for name, x, f in zip(names, z, rate)
        if x * f > 0.0 and abs(x) < within * abs(f)
    ]
    return "; ".join(told)


def _last(run: Record) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names, values and rates of the states at the last step."""
    kept, names = run.trace.kept, list(run.system.state_places)
    if not names:
        return [], np.zeros(0), np.zeros(0)
    end = type(run)._at_states(run.prepared, run.problem, kept.t[-1:], kept.y[-1:], kept.angle[-1:], kept.side[-1:])
    return names, *run.system.states_with_rates(end.q[-1], end.v[-1], end.z[-1], end.forces[-1])


def _direction(run: Record) -> float:
    return 1.0 if run.trace.kept.t[-1] >= run.trace.kept.t[0] else -1.0


def stopped(run: Record, h: float) -> str:
    """States that have made the steps of a run too small, the last of which was h, in words."""
    return growing(run, STEPS * abs(h)) if run is not None and len(run.trace.kept.t) else ""


def refuse(run: Record, asked: str) -> None:
    """Refuse a complete run that ends where a state is infinite, to what is known of that instant."""
    kept = run.trace.kept
    if len(kept.t) < 2:
        return
    begin, end = float(kept.t[0]), float(kept.t[-1])
    behind = max(BEHIND * run.problem.rtol * abs(end - begin), 1e3 * np.spacing(max(abs(begin), abs(end))))
    told = growing(run, 10.0 * behind)
    if not told:
        return
    if _goes_on(run, end + _direction(run) * behind):
        return  # fast, but it goes on
    found = f"{told} at the end, t = {end:.9g} s; {behind:.1e} s later it has no finite value any more"
    error = ConvergenceError(asked, found, WHY, DO)
    run.complete = False
    error.result, error.t, error.kind = run, end, "stopped"
    raise error


def _goes_on(run: Record, t: float) -> bool:
    """Whether the motion goes on from the end of a run to a time behind it."""
    return run.tried_onward(len(run.trace.kept.t) - 1, t).status not in (NOT_FINITE, STEP_TOO_SMALL)
