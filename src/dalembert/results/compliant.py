"""Contact and release of compliant stops and contacts: from the switches of their laws, each with its speed, a release also with the largest force.

A law presses or not between two of its switches, or starts of parts of the run (friction may end one at the same instant); which of the two is asked in the middle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.measure import Measure
from .events import CONTACT, RELEASE, Happening

if TYPE_CHECKING:
    from .result import Result

# times at which a force is asked for its maximum, how often closer together, and by how much: the last are 1e-6 of the contact apart
ASKED, CLOSER = 33, 4


def compliant_events(run: Result) -> list[Happening]:
    """Contacts and releases in order of time."""
    found: list[Happening] = []
    begin, end = float(run.t[0]), float(run.t[-1])
    starts = [segment.t for segment in run.trace.segments]
    for part, labels in _compliant(run):
        switches = (t for t, name in run.switches if name == part.name)
        times = sorted({t for t in (*switches, *starts) if begin < t < end})
        if not times:
            continue
        ends = np.array([begin, *times, end])
        middle = run.resample(0.5 * (ends[1:] + ends[:-1]))
        at = run.resample(np.array(times))
        for law, (name, gap) in labels.items():
            pressing = middle.forces[:, law] != 0.0
            speed = np.abs(np.asarray(at.measure(gap).rate))
            changes = np.flatnonzero(pressing[1:] != pressing[:-1])
            ended = [k for k in changes if pressing[k]]
            since = [max((ends[j + 1] for j in changes if j < k), default=begin) for k in ended]
            most = dict(zip(ended, _largest(run, law, np.array(since), ends[1:-1][ended])))
            found += [_happening(run, at, int(k), name, gap.unit, float(speed[k]), most.get(k)) for k in changes]
    return sorted(found, key=lambda one: one.t)


def _compliant(run: Result) -> Iterator[tuple[Any, dict[int, tuple[str, Measure]]]]:
    """Parts with a law that presses from one side, and what each of their laws is called and measures."""
    laws = run.system.builder.laws
    for part in run.parts("force"):
        elements = part.elements()
        if not getattr(part, "pushes", dict)() and not all(law.kind == "stop" for _, law in elements):
            continue
        numbers = [k for k, law in enumerate(laws) if law.part == part.name and law.law.kind != "slip"]
        if len(numbers) != len(elements):
            continue
        gaps = list(getattr(part, "gaps", {}))
        names = [f"{part.name}.{label}" for label in gaps] if len(gaps) > 1 else [part.name] * len(elements)
        yield part, {k: (name, measure) for k, name, (measure, _) in zip(numbers, names, elements)}


def _largest(run: Result, law: int, begin: np.ndarray, end: np.ndarray) -> list[float]:
    """Largest size of the force of a law in each interval: where it is largest among some times, and closer around it."""
    size = np.zeros((ASKED, len(begin)))
    low, high, each = begin, end, np.arange(len(begin))
    for _ in range(CLOSER if len(begin) else 0):
        t = np.linspace(low, high, ASKED)
        size = np.abs(run.resample(t.ravel()).forces[:, law]).reshape(t.shape)
        k = np.argmax(size, axis=0)
        low, high = t[np.maximum(k - 1, 0), each], t[np.minimum(k + 1, ASKED - 1), each]
    return [float(x) for x in np.max(size, axis=0, initial=0.0)]


def _happening(run: Result, at: Any, k: int, name: str, unit: str, speed: float, most: float | None) -> Happening:
    load, force = ("torque", "N m") if unit == "rad" else ("force", "N")
    text = f"touches at {speed:.6g} {unit}/s"
    if most is not None:
        text = f"lets go at {speed:.6g} {unit}/s, largest {load} {most:.6g} {force}"
    state, energy = run.at(float(at.t[k])), float(at.energy.kinetic[k])
    what = CONTACT if most is None else RELEASE
    return Happening(float(at.t[k]), name, what, text, state, state, energy, energy, speed=speed, force=most)
