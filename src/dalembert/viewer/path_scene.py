"""What the page and pictures draw of a Lagrangian system: parts with the rods and pins that their motion shows (`results/links.py`).

A body without a shape is drawn by what it is held at and by its inertia: as a rod from its pin through the mass centre, as long as a uniform rod of that
inertia; as a disk of that inertia where nothing, or its centre, is held.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..results.links import Links, links
from .solids import Solid

Index = dict[tuple[str, str], int]
MOTION = ("position", "angle", "quaternion", "velocity")
_ROUND = 48


def path_scene(run: Any, index: Index) -> dict[str, Any] | None:
    """Scene of a Lagrangian system; None if it has no parts."""
    names = list(run.model.parts)
    if not names:
        return None
    plane, matter = run.flat, {x.name: x for x in run.matter}
    n = 2 if plane else 3
    held = links(run, plane)
    outlines = [_outline(matter[name], held.points(k), plane) for k, name in enumerate(names)]
    bodies: list[dict[str, Any]] = []
    for name, lines in zip(names, outlines):
        motion = {what: index[name, what] for what in MOTION if (name, what) in index}
        items: list[dict[str, Any]] = [{**line, "points": line["points"][:, :n]} for line in lines]
        items.append({"kind": "point", "points": [[0.0] * n]})
        bodies.append({"name": name, "motion": motion, "center": [0.0] * n, "items": items})
    marks = _marks(names, held, n)
    points = [{"name": name, "place": [k, [0.0] * n]} for k, name in enumerate(names)]
    box = _box(run, names, outlines, held)
    made = {
        "plane": plane, "box": box[:, :n], "bodies": bodies, "marks": marks, "points": points,
        "traced": list(range(min(4, len(names)))),
    }  # fmt: skip
    if not plane:
        size = float(np.max(box[1] - box[0])) or 1.0
        gravity = run.along([run.system.graph.add_expression(g) for g in run.model.gravity])[0]
        up = int(np.argmax(np.abs(gravity))) if np.any(gravity) else 2
        made.update(up=up, down=bool(gravity[up] > 0.0), unit=0.015 * size, single=size, floor=None)
        for body, lines in zip(bodies, outlines):
            body["solids"] = _solids(lines)
    return made


def _outline(x: Any, pins: list[np.ndarray], plane: bool) -> list[dict[str, Any]]:
    """Lines of one part in its own axes, from its mass centre."""
    if not np.any(x.inertia):
        return []
    mean = float(x.inertia[2, 2]) if plane else float(np.trace(x.inertia)) / 2.0
    far = [p for p in pins if np.linalg.norm(p) > 1e-9]
    if len(far) > 1:
        return [{"kind": "bar", "points": np.array([a, b])} for a, b in zip(far, far[1:])]
    if far:
        # a uniform rod has J = m h^2/3 about its centre, 2 h long; it reaches at least as far beyond the centre as its inertia says
        u = -far[0] / np.linalg.norm(far[0])
        across = mean if plane else (float(np.trace(x.inertia)) - float(u @ x.inertia @ u)) / 2.0
        half = np.sqrt(max(3.0 * across / x.mass, 0.0)) if x.mass > 0.0 else 0.0
        return [{"kind": "bar", "points": np.array([far[0], half * u])}]
    radius = float(np.sqrt(2.0 * mean / x.mass)) if x.mass > 0.0 and mean > 0.0 else 0.0
    turn = np.linspace(0.0, 2.0 * np.pi, _ROUND + 1)
    circle = radius * np.column_stack([np.cos(turn), np.sin(turn), np.zeros(_ROUND + 1)])
    if plane:
        return [{"kind": "area", "points": circle, "round": True}]
    # half lengths of a box with these moments along each axis: m (b^2 + c^2)/3 and so on
    d = np.diag(x.inertia)
    sides = np.sqrt(np.maximum(1.5 * (d.sum() - 2.0 * d) / x.mass, 0.0)) if x.mass > 0.0 else np.zeros(3)
    return [{"kind": "bar", "points": np.array([-s * e, s * e])} for s, e in zip(sides, np.eye(3)) if s > 0.0]


def _solids(lines: list[dict[str, Any]]) -> list[Solid]:
    bars: list[Solid] = [
        {"solid": "bar", "points": line["points"], "radius": 0.0, "thin": False}
        for line in lines
        if line["kind"] == "bar"
    ]
    return bars or [{"solid": "sphere", "center": np.zeros(3), "axes": np.eye(3), "radius": 0.0}]


def _marks(names: list[str], held: Links, n: int) -> list[dict[str, Any]]:
    """Pins and rods as joints are drawn."""
    made = []
    glyph = "pin" if n == 2 else "ball"
    for kind, pairs in ((glyph, held.pins), ("link", held.rods)):
        for pair in pairs:
            bodies = ["ground" if k < 0 else names[k] for k, _ in pair]
            made.append(
                {
                    "name": " – ".join(bodies), "kind": "joint", "type": "rod" if kind == "link" else "pin", "glyph": kind,
                    "unnamed": True, "bodies": bodies, "on": bodies[-1], "places": [[k, [float(c) for c in p[:n]]] for k, p in pair],
                    **({} if n == 2 else {"frames": [np.eye(3), np.eye(3)]}),
                }
            )  # fmt: skip
    return made


def _box(run: Any, names: list[str], outlines: list[list[dict[str, Any]]], held: Links) -> np.ndarray:
    """Lowest and highest coordinates of everything over the run."""
    seen = [np.asarray(run[name].position) for name in names]
    for name, lines in zip(names, outlines):
        k = run.motion(name)
        seen += [
            k.position + k.rotation @ p for line in lines for p in line["points"][:: max(1, len(line["points"]) // 8)]
        ]
    seen += [point[None] for pair in (*held.pins, *held.rods) for number, point in pair if number < 0]
    every = np.vstack(seen)
    return np.array([every.min(axis=0), every.max(axis=0)])
