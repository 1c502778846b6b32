"""One picture of a mechanism in space: floor, ghosts, traces, shaded solids, arrows, names, axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.output_units import OutputUnits
from . import labels, legend, quantities
from .draw import Look, ghost_poses
from .glyphs import color_of
from .paper import Sheet
from .pen import INK, Pen, mixed
from .plane import shown_places
from .quantities import plain
from .space import AZIMUTH, ELEVATION, Painter, Solids, View, bodies, floor, marks, triad
from .subject import Panel, Pose, Subject

Traces = list[tuple[str, int, Any]]


def compose(subject: Subject, look: Look, traces: Traces, ax: Any = None) -> Any:
    """Figure of all panels of a subject."""
    view = view_of(subject, look)
    ghosts = ghost_poses(subject, look.ghosts)
    paths = [(body, subject.path(place)) for _, body, place in traces]
    poses = [pose for panel in subject.panels for pose in (panel.pose, *panel.dashed)] + ghosts
    arrows = [quantities.gather(look.asked, subject, panel.pose, look.kinds) for panel in subject.panels]
    box = extent(subject, poses, [p for _, p in paths])
    titles = [panel.title or look.title or "" for panel in subject.panels]
    flat = view.flat(corners(subject, poses, [p for _, p in paths]))
    sheet = Sheet(
        np.array([flat.min(axis=0), flat.max(axis=0)]),
        len(subject.panels),
        look,
        look.scale or any(arrows),
        any(titles),
        ax,
    )
    k = bar_size(subject)
    solids, scales = Solids(subject, sheet.u, k), legend.scales(arrows, sheet)
    for i, panel in enumerate(subject.panels):
        pen = Pen(sheet.axes(i), sheet.low, sheet.panel, sheet.u, k)
        pen.z = 0.5
        grid = floor(pen, view, box, look.units.factor("m")) if look.scale else 0.0
        panel_into(pen, subject, solids, view, panel, look, ghosts, paths, arrows[i], scales)
        if titles[i]:
            sheet.title(pen, titles[i])
        if look.scale:
            triad(pen, view, grid_text(grid, look.units))
        if arrows[i]:
            legend.strip(pen, arrows[i], scales, False, look.units, 150.0 if look.scale else 12.0)
    return sheet.figure


def grid_text(grid: float, units: OutputUnits) -> str:
    """What the squares of the floor measure."""
    unit, factor = units.of("m")
    return f"grid {plain(grid * factor)} {unit}"


def view_of(subject: Subject, look: Look) -> View:
    """Direction to look from."""
    return View(subject.scene.get("up", 2), *(look.view or (AZIMUTH, ELEVATION)))


def bar_size(subject: Subject) -> float:
    """Size of bars and joints: many bodies on little paper need thin ones."""
    return float(np.clip(1.25 - 0.02 * len(subject.scene["bodies"]), 0.45, 1.0))


def corners(subject: Subject, poses: list[Pose], lines: list[np.ndarray]) -> np.ndarray:
    """All points that decide how large the drawing is."""
    found = [np.asarray(line, dtype=float) for line in lines]
    for pose in poses:
        for i, body in enumerate(subject.scene["bodies"]):
            found += [pose.put(i, item["points"]) for item in body["items"]]
        for m in subject.scene["marks"]:
            found += [pose.at(place)[None] for place in shown_places(m)]
    every = np.vstack(found)
    return np.asarray(every[np.isfinite(every).all(axis=1)])


def extent(subject: Subject, poses: list[Pose], lines: list[np.ndarray]) -> np.ndarray:
    """Lowest and highest coordinates of what is drawn."""
    every = corners(subject, poses, lines)
    return np.array([every.min(axis=0), every.max(axis=0)])


def panel_into(
    pen: Pen, subject: Subject, solids: Solids, view: View, panel: Panel, look: Look, ghosts: list[Pose],
    paths: list[tuple[int, np.ndarray]], arrows: list[quantities.Arrows], scales: dict[str, float],
) -> None:  # fmt: skip
    """Draw one panel."""
    pen.z = 1.0
    if ghosts or panel.dashed:
        behind, pen.keeps = Painter(view), False
        for pose in (*ghosts, *panel.dashed):
            bodies(behind, solids, pose, ghost=True)
        behind.paint(pen, "ghosts")
        pen.keeps = True
    pen.z = 3.0
    painter = Painter(view)
    for body, path in paths:
        painter.lines(np.stack([path[:-1], path[1:]], axis=1), mixed(color_of(body), 0.85), 1.3)
    bodies(painter, solids, panel.pose)
    marks(painter, solids, panel.pose)
    painter.paint(pen, "solids")
    pen.z = 8.0
    _loads(pen, subject, panel.pose, view)
    for each in arrows:
        for p, v in zip(each.at, each.vectors):
            pen.arrow(view.flat(p), scales[each.kind] * view.flat(v), each.color, 1.9, f"arrow:{each.kind}")
    if labels.any_wanted(subject, look.names):
        small = 9.0 if len(subject.scene["bodies"]) < 9 else 7.5
        labels.place_all(pen, subject, panel.pose, look.names, small, view.flat)


def _loads(pen: Pen, subject: Subject, pose: Pose, view: View) -> None:
    for m in subject.scene["marks"]:
        if m["kind"] == "force" and m["glyph"] == "arrow" and m["places"]:
            every = np.asarray(subject.run[m["name"]].force, dtype=float)
            force = np.asarray(pose.run[m["name"]].force, dtype=float)[pose.k]
            most = max(float(np.max(np.linalg.norm(every, axis=1))), float(np.linalg.norm(force)))
            if most > 0.0:
                pen.arrow(
                    view.flat(pose.at(m["places"][-1])),
                    42.0 * pen.u * view.flat(force / most),
                    INK,
                    2.2,
                    f"force:{m['name']}",
                )
