"""Machines that several analyses are tried on.

FB4: four-bar with ground 4 m, crank 1 m, coupler 4 m, rocker 3 m, crank at 90 degrees, open branch; bars of square section 0.1 m and
1000 kg/m3, so 10, 40 and 30 kg with the inertia of boxes; gravity 9.81 along -y.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import dalembert as da

# pin of coupler and rocker: on circles of 4 m about (0, 1) and 3 m about (4, 0), the upper crossing (3.48904168, 2.95616671)
PIN = ((48.0 + math.sqrt(128.0)) / 17.0, (5.0 + 4.0 * math.sqrt(128.0)) / 17.0)


def bar(length: float, plane: bool) -> dict[str, Any]:
    """Mass and inertia of a bar of square section 0.1 m along x, 1000 kg/m3."""
    mass = 1000.0 * 0.01 * length
    across, along = mass * (length**2 + 0.01) / 12.0, mass * 0.02 / 12.0
    return {"mass": mass, "inertia": across if plane else (along, across, across)}


def fb4(
    plane: bool = True,
    turn: Callable[[tuple[float, float, float]], tuple[float, float, float]] | None = None,
    names: tuple[str, ...] = ("crank", "coupler", "rocker", "A", "B", "C", "D"),
    gravity: bool = True,
) -> da.Mechanism:
    """FB4 in the plane, or in space with four revolutes about z; `turn` rotates points and directions in space."""
    move = turn or (lambda p: p)
    crank, coupler, rocker, *joints = names
    at = lambda x, y: (x, y) if plane else move((x, y, 0.0))  # noqa: E731
    down = ((0.0, -9.81) if plane else move((0.0, -9.81, 0.0))) if gravity else None
    m = da.Mechanism("FB4", plane=plane, gravity=down)
    corners = [(0.0, 0.0), (0.0, 1.0), PIN, (4.0, 0.0)]
    bodies = []
    for name, (x0, y0), (x1, y1), length in (
        (crank, corners[0], corners[1], 1.0),
        (coupler, corners[1], corners[2], 4.0),
        (rocker, corners[3], corners[2], 3.0),
    ):
        angle = math.atan2(y1 - y0, x1 - x0)
        if plane:
            pose: dict[str, Any] = {"angle": angle}
        else:
            columns = [
                move(c)
                for c in (
                    (math.cos(angle), math.sin(angle), 0.0),
                    (-math.sin(angle), math.cos(angle), 0.0),
                    (0.0, 0.0, 1.0),
                )
            ]
            pose = {"rotation": [[columns[c][r] for c in range(3)] for r in range(3)]}
        bodies.append(m.body(name, **bar(length, plane), at=at(0.5 * (x0 + x1), 0.5 * (y0 + y1)), **pose))
    axis = {} if plane else {"axis": move((0.0, 0.0, 1.0))}
    pairs = [(m.ground, bodies[0]), (bodies[0], bodies[1]), (bodies[1], bodies[2]), (m.ground, bodies[2])]
    for name, (i, j), (x, y) in zip(joints, pairs, corners):
        m.revolute(name, i, j, at=at(x, y), **axis)
    return m
