"""One picture of a planar mechanism: ghosts, traces, the mechanism, arrows, names, scale and legend."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import labels, legend, plane, quantities
from .draw import Look, ghost_poses
from .glyphs import color_of
from .paper import Sheet
from .pen import INK, Pen, mixed
from .subject import Panel, Pose, Subject

Traces = list[tuple[str, int, Any]]
# bodies: more are drawn together, without ids for each
MANY = 100


def compose(subject: Subject, look: Look, traces: Traces, ax: Any = None) -> Any:
    """Figure of all panels of a subject."""
    ghosts = ghost_poses(subject, look.ghosts)
    paths = [(body, subject.path(place)[:, :2]) for _, body, place in traces]
    poses = [pose for panel in subject.panels for pose in (panel.pose, *panel.dashed)] + ghosts
    arrows = [quantities.gather(look.asked, subject, panel.pose, look.kinds) for panel in subject.panels]
    box = plane.extent(subject, poses, [p for _, p in paths])
    titles = [panel.title or look.title or "" for panel in subject.panels]
    sheet = Sheet(box, len(subject.panels), look, look.scale or any(arrows), any(titles), ax)
    k = symbol_size(subject, sheet.u)
    scales = legend.scales(arrows, sheet)
    for i, panel in enumerate(subject.panels):
        pen = Pen(sheet.axes(i), sheet.low, sheet.panel, sheet.u, k)
        panel_into(pen, subject, panel, look, ghosts, paths, arrows[i], scales)
        if titles[i]:
            sheet.title(pen, titles[i])
        if look.scale or arrows[i]:
            legend.strip(pen, arrows[i], scales, look.scale, look.units)
    return sheet.figure


def symbol_size(subject: Subject, u: float) -> float:
    """Size of symbols: 1, less where links are short on paper."""
    return float(np.clip(plane.spacing(subject, subject.panels[0].pose) / u / 42.0, 0.18, 1.0))


def panel_into(
    pen: Pen, subject: Subject, panel: Panel, look: Look, ghosts: list[Pose], paths: list[tuple[int, np.ndarray]],
    arrows: list[quantities.Arrows], scales: dict[str, float],
) -> None:  # fmt: skip
    """Draw one panel."""
    named = labels.any_wanted(subject, look.names)
    pen.z, pen.keeps = 1.0, named
    with pen.together("ghosts"):
        for pose in ghosts:
            plane.ghost(pen, subject, pose)
    pen.z = 2.0
    for body, path in paths:
        pen.line(path, mixed(color_of(body), 0.8), 1.3, name="trace")
    pen.z = 2.6
    for pose in panel.dashed:
        plane.ghost(pen, subject, pose, dashed=True)
    with pen.together("mechanism", len(subject.scene["bodies"]) > MANY):
        plane.draw(pen, subject, panel.pose)
    pen.z = 8.0
    loads(pen, subject, panel.pose)
    for each in arrows:
        for p, v in zip(each.at, each.vectors):
            pen.arrow(p, scales[each.kind] * v, each.color, 1.9, f"arrow:{each.kind}")
    if named:
        small = 9.5 if len(subject.scene["bodies"]) < 12 else 8.0
        labels.place_all(pen, subject, panel.pose, look.names, small, lambda p: p)


def loads(pen: Pen, subject: Subject, pose: Pose) -> None:
    """Given forces: the arrow ends with its tip at the point where it acts, long as the force beside its largest."""
    for m in subject.scene["marks"]:
        if m["kind"] != "force" or m["glyph"] != "arrow" or not m["places"]:
            continue
        force = np.asarray(pose.run[m["name"]].force, dtype=float)[:, :2]
        every = np.asarray(subject.run[m["name"]].force, dtype=float)[:, :2]
        most = max(float(np.max(np.linalg.norm(every, axis=1))), float(np.linalg.norm(force[pose.k])))
        if most > 0.0:
            pen.arrow(pose.at(m["places"][-1]), 42.0 * pen.u * force[pose.k] / most, INK, 2.2, f"force:{m['name']}")
