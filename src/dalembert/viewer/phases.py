"""How stops and dry friction were along a run: open, closed, sticking or slipping, as bars under the line of time."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.events import rests

if TYPE_CHECKING:
    from ..results.record import Record


# bars at most, and the shortest phase that is shown, as a part of the run: less than a pixel
BARS, SHORTEST = 12, 1e-3


def phases(run: Record) -> list[dict[str, Any]]:
    """Bars with a name and phases (from, to, what), of every friction element and every stop that was ever closed.

    "open", "closed" (without friction), "stick" and "slip"; nothing while a part was released.
    """
    if len(run.t) < 2 or run.trace is None:
        return []
    begins, situations = zip(*run.modes)
    times = list(zip(begins, [*begins[1:], float(run.trace.kept.t[-1])]))
    least, made = SHORTEST * abs(times[-1][1] - times[0][0]), []
    for name, whats in _by_name([run.model.varied(x) for x in situations]).items():
        joined = [list(some) for _, some in groupby(zip(times, whats), key=lambda x: x[1])]
        spans = [(some[0][0][0], some[-1][0][1], some[0][1]) for some in joined]
        seen = [x for x in spans if x[2] and abs(x[1] - x[0]) >= least]
        if any(x[2] != "open" for x in seen):
            made.append({"name": name, "spans": seen})
    return made[:BARS]


def numbers_of_modes(run: Record) -> np.ndarray:
    """The mode that every output belongs to, by its number: of two outputs at an instant of change the first to the mode before it."""
    begins, t = np.array([begun for begun, _ in run.modes]), np.asarray(run.t)
    if len(begins) == 1:
        return np.zeros(len(t), dtype=int)
    order = 1.0 if run.trace.kept.t[-1] >= begins[0] else -1.0
    after, before = (np.searchsorted(order * begins, order * t, side) - 1 for side in ("right", "left"))
    twice = np.append(t[1:] == t[:-1], False)
    return np.maximum(np.where(twice, before, after), 0)


def _by_name(models: list[Any]) -> dict[str, list[str]]:
    """What every stop and friction element did in each part of the run."""
    first = models[0]
    joints = [part.name for part in getattr(first, "frictions", ()) if part.kind != "rub"]
    # gaps that slide together have the friction of the one that leads
    groups = {rub.stop.name: rub for rub in getattr(first, "rubs", ())}
    found: dict[str, list[str]] = {name: [] for name in (*first.impacts, *joints)}
    for model in models:
        now = model.situation
        ways = {name: "stick" if rests(way) else "slip" for name, way in now.slips}
        for name in first.impacts:
            what = "" if name not in model.stops_at_work else "closed" if name in now.closed else "open"
            if what == "closed" and name in groups:
                group = {stop.name for stop in groups[name].group}
                own = [rub.name for rub in groups.values() if rub.stop.name in group and rub.name in ways]
                what = ways[own[0]] if own else what
            found[name].append(what)
        for name in joints:
            found[name].append(ways.get(name, ""))
    return found
