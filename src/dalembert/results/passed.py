"""Singular positions that a run stepped over, and what the audit says of them; others may lie inside steps that saw nothing of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..model.events import Shared, rests
from .assumptions import Note

if TYPE_CHECKING:
    from ..analyses.dynamics.prepared import Prepared
    from .record import Record


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


def filled(prepared: Prepared, t: np.ndarray) -> np.ndarray:
    """Outputs so close to a singular position that accelerations and multipliers come from the motion on both sides of it."""
    found = np.zeros(len(t), dtype=bool)
    for one in getattr(prepared, "crossings", ()):
        found |= np.abs(t - one.t) < one.zone
    return found


def passed(run: Record) -> list[Note]:
    """The note about them: how many, where, which motion was taken, and which outputs are filled."""
    crossings, notes = getattr(run.prepared, "crossings", []), nearly(run)
    if not crossings:
        return notes
    first, many = crossings[0], len(crossings)
    names = listed(first.parts)
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
    return [Note("singular position", first.parts, first.t, worst, "m", False, text), *notes]


def nearly(run: Record) -> list[Note]:
    """The note about positions in which motions come so close to each other that a step of this tolerance may change from one to the other, or that rounding tells."""
    missed = getattr(run.prepared, "missed", [])
    loose = next((one for one in missed if one.misfit < run.problem.rtol * run.system.length), None)
    first = loose or next(iter(missed), None)
    blur = 0.0 if first is None else run.trace.step.blur
    if first is None or (loose is None and blur == 0.0):
        return []
    text = f"dimensions miss a singular position at t = {first.t:.6g} s ({listed(first.parts)}) by {first.misfit:.1e} m: motions nearly meet there"
    if loose is not None:
        text += f", and at rtol = {run.problem.rtol:.0e} a step may change from one to the other: compare with a run at a sharper tolerance"
    if blur > 0.0:
        text += f"; rounding of positions leaves velocities there, and what follows, known to {blur:.0e} of themselves, at any tolerance"
    return [Note("singular position", first.parts, first.t, first.misfit, "m", False, text)]


def squeezed(run: Record) -> list[Note]:
    """The note about friction between stops that touch from both sides: rigid bodies do not tell how they are squeezed."""
    names = getattr(run.prepared, "squeezed", ())
    if not names or not len(run.trace.kept.t):
        return []
    t = float(run.trace.kept.t[0])
    text = (
        f"{listed(names)} touch from both sides at t = {t:.6g} s: squeezed between them, friction would be more than this run has, which knows no squeeze;"
        " a contact that yields (stiffness=) tells it"
    )
    return [Note("may be squeezed", names, t, 0.0, "N", False, text)]


def shared(run: Record) -> list[Note]:
    """The note about friction at rest on more rates than can move."""
    names = tuple(name for name, way in run.system.model.situation.slips if rests(way))
    if not any(isinstance(way, Shared) for _, way in run.system.model.situation.slips) or not len(run.trace.kept.t):
        return []
    t = float(run.trace.kept.t[0])
    text = f"what friction {listed(names)} holds at t = {t:.6g} s is shared in one of many ways, each of which is inside its limits"
    return [Note("friction is shared", names, t, 0.0, "N", False, text)]


def listed(names: tuple[str, ...]) -> str:
    """Up to six names."""
    return ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
