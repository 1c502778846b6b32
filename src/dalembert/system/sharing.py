"""What presses at one of several corners of a contact that stand on one plane.

The rows of corners in one plane depend on each other: multipliers lam and lam + Z c are the same load, for Z with sum z_k = 0 and sum z_k r_k = 0.  The time loop finds any
of them.  Whether a corner presses is asked of the smallest, (I - Z Z^T) lam, which is determined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..model.forces._rubbing import Circle

# part of the largest singular value below which corners depend on each other, and of 1 below which a weight is none
DEPENDENT, NONE = 1e-9, 1e-12


def shares_of(builder: Any, name: str) -> list[tuple[str, float]]:
    """Stops and weights of their multipliers that give what presses at a closed stop of a situation."""
    model, closed = builder.model, builder.model.situation.closed
    part = model.impacts[name].part
    every = [stop for stop in model.impacts.values() if part and stop.part == part and stop.name in closed]
    # of a rim, and of balls, rows depend on how they lie
    if len(every) < 3 or any(stop.gap.kind != "combination" for stop in every):
        return [(name, 1.0)]
    places = _drawn(builder, every)
    places = places - places.mean(axis=0)
    rows = np.vstack([np.ones(len(every)), places.T / (float(np.max(np.abs(places))) or 1.0)])
    _, size, vectors = np.linalg.svd(rows)
    free = vectors[int(np.sum(size > DEPENDENT * size[0])) :]
    k = [stop.name for stop in every].index(name)
    weights = np.eye(len(every))[k] - free[:, k] @ free
    return [(stop.name, float(x)) for stop, x in zip(every, weights) if abs(x) > NONE]


def circle_of(builder: Any, rub: Any) -> Circle:
    """The circle of the closed gaps of friction that several share: distances on a body, the same wherever it lies."""
    return Circle.through(_drawn(builder, rub.pressing))


def _drawn(builder: Any, stops: Sequence[Any]) -> np.ndarray:
    """Where gaps of points, balls and rims over a plane are, as drawn."""
    feet = (stop.gap.terms[0][1].j for stop in stops)
    return np.array([builder.drawing.place(foot.body, foot.at) for foot in feet])
