"""Singular positions that a run stepped over, and what the audit says of them; others may lie inside steps that saw nothing of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .assumptions import Note


@dataclass(frozen=True)
class Passed:
    """One of them: when; how long before and after it accelerations and multipliers come from the motion on both sides; misfit [m or rad].

    Parts that depend on each other there and the motions that meet are told of the first one only.
    """

    t: float
    zone: float
    misfit: float
    parts: tuple[str, ...] = ()
    motions: str = ""


def filled(prepared: Any, t: np.ndarray) -> np.ndarray:
    """Outputs so close to a singular position that accelerations and multipliers come from the motion on both sides of it."""
    found = np.zeros(len(t), dtype=bool)
    for one in getattr(prepared, "crossings", ()):
        found |= np.abs(t - one.t) < one.zone
    return found


def passed(run: Any) -> list[Note]:
    """The note about them: how many, where, which motion was taken, and which outputs are filled."""
    crossings = getattr(run.prepared, "crossings", [])
    if not crossings:
        return []
    first, many = crossings[0], len(crossings)
    names = ", ".join(first.parts[:6]) + (", …" if len(first.parts) > 6 else "")
    text = f"stepped over {'a singular position' if many == 1 else f'{many} singular positions, first'} at t = {first.t:.6g} s"
    text += f" ({names})" if names else ""
    text += ", along the motion that it came by"
    text += f"; meeting there: {first.motions}" if first.motions else ""
    worst = max(one.misfit for one in crossings)
    text += f"; dimensions miss the position by {worst:.1e} m" if worst > 1e-12 * run.system.length else ""
    count = int(filled(run.prepared, np.asarray(run.t)).sum())
    text += (
        f"; accelerations and reactions at {count} output{'' if count == 1 else 's'} close to it come from the motion on both sides"
        if count
        else ""
    )
    return [Note("singular position", first.parts, first.t, worst, "m", False, text)]
