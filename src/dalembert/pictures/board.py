"""Pictures of a subject, in the plane or in space: ghosts, traces, the machine, arrows, names, scale and legend; still ones and frames of films."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..viewer.drawn import hull_of
from . import labels, plane, space
from .drawing import Drawing, Panel, Pose
from .glyphs import color_of
from .paper import Sheet
from .pen import INK, Pen, mixed
from .quantities import Arrows, Cone, gather, plain
from .space import AZIMUTH, ELEVATION, Painter, Solids, View

if TYPE_CHECKING:
    from ..model.output_units import OutputUnits
    from .draw import Look

Traces = list[tuple[str, int, Any]]
Paths = list[tuple[int, np.ndarray]]
# bodies: more are drawn together, without ids for each
MANY = 100
# slant length of a cone of friction, as a share of the drawing (mean of its sides)
CONE = 0.2


def compose(subject: Drawing, look: Look, traces: Traces, ghosts: list[Pose], ax: Any = None) -> Any:
    """Figure of all panels of a subject."""
    paths = [(body, subject.path(place)) for _, body, place in traces]
    poses = [pose for panel in subject.panels for pose in (panel.pose, *panel.dashed)] + ghosts
    arrows = [gather(look.asked, subject, panel.pose, look.kinds) for panel in subject.panels]
    titles = [panel.title or look.title or "" for panel in subject.panels]
    board = Board(subject, look, poses, paths, len(titles), any(arrows), any(titles), ax)
    scales = labels.scales(arrows, board.sheet)
    for i, panel in enumerate(subject.panels):
        pen = board.pen(board.sheet.axes(i))
        board.draw(pen, panel, ghosts, paths, arrows[i], scales)
        if titles[i]:
            board.sheet.title(pen, titles[i])
    return board.sheet.figure


def symbol_size(subject: Drawing, u: float) -> float:
    """Size of symbols: 1, less where links are short on paper, and in space where there are many bodies."""
    if subject.plane:
        return float(np.clip(plane.spacing(subject, subject.panels[0].pose) / u / 42.0, 0.18, 1.0))
    return float(np.clip(1.25 - 0.02 * len(subject.scene["bodies"]), 0.45, 1.0))


def grid_text(grid: float, units: OutputUnits) -> str:
    """What the squares of the floor measure."""
    unit, factor = units.of("m")
    return f"grid {plain(grid * factor)} {unit}"


class Board:
    """Paper for pictures of one subject, of one scale: `n` panels with room for `poses` and `paths`, and a strip below of so many inches."""

    def __init__(
        self, subject: Drawing, look: Look, poses: list[Pose], paths: Paths, n: int, arrows: bool, titled: bool, ax: Any = None,
        below: float = 0.0,
    ) -> None:  # fmt: skip
        self.subject, self.look = subject, look
        self.view = None if subject.plane else View(subject.scene.get("up", 2), *(look.view or (AZIMUTH, ELEVATION)))
        every = plane.reached(subject, poses, [p for _, p in paths])
        self.box = np.array([every.min(axis=0), every.max(axis=0)])
        flat = self.flat(every)
        box = np.array([flat.min(axis=0), flat.max(axis=0)])
        self.sheet = Sheet(box, n, look, look.scale or arrows, titled, ax, below)
        self.k = symbol_size(subject, self.sheet.u)
        self.solids = None if subject.plane else Solids(subject, self.sheet.u, self.k)

    def flat(self, p: Any) -> np.ndarray:
        """Points and directions on paper."""
        return np.asarray(p, dtype=float)[..., :2] if self.view is None else self.view.flat(p)

    def pen(self, axes: Any) -> Pen:
        """Pen for one panel."""
        return Pen(axes, self.sheet.low, self.sheet.panel, self.sheet.u, self.k)

    def draw(
        self, pen: Pen, panel: Panel, ghosts: list[Pose], paths: Paths, arrows: list[Arrows], scales: dict[str, float]
    ) -> None:
        """Draw one panel, with scale and legend."""
        subject, look = self.subject, self.look
        if self.view is None:
            self._flat_panel(pen, panel, ghosts, paths)
        else:
            self._solid_panel(pen, self.view, panel, ghosts, paths)
        pen.z = 8.0
        self._loads(pen, panel.pose)
        for each in arrows:
            for cone in each.cones:
                self._cone(pen, cone)
            for p, v in zip(each.at, each.vectors):
                pen.arrow(self.flat(p), scales[each.kind] * self.flat(v), each.color, 1.9, f"arrow:{each.kind}")
        if labels.any_wanted(subject, look.names):
            many = len(subject.scene["bodies"])
            size = (9.5 if many < 12 else 8.0) if subject.plane else (9.0 if many < 9 else 7.5)
            labels.place_all(pen, subject, panel.pose, look.names, size, self.flat)
        # in space the axes stand in the lower left corner
        taken = 12.0 if subject.plane or not look.scale else 150.0
        if arrows or (subject.plane and look.scale):
            taken = labels.strip(pen, arrows, scales, subject.plane and look.scale, look.units, taken)
        if panel.clock and look.scale:
            labels.clock(pen, panel.clock, taken)

    def _flat_panel(self, pen: Pen, panel: Panel, ghosts: list[Pose], paths: Paths) -> None:
        subject = self.subject
        pen.z, pen.keeps = 1.0, labels.any_wanted(subject, self.look.names)
        with pen.together("ghosts"):
            for pose in ghosts:
                plane.ghost(pen, subject, pose)
        pen.z = 2.0
        for body, path in paths:
            pen.line(path[:, :2], mixed(color_of(body), 0.8), 1.3, name="trace")
        pen.z = 2.6
        for pose in panel.dashed:
            plane.ghost(pen, subject, pose, dashed=True)
        with pen.together("mechanism", len(subject.scene["bodies"]) > MANY):
            plane.draw(pen, subject, panel.pose)

    def _solid_panel(self, pen: Pen, view: View, panel: Panel, ghosts: list[Pose], paths: Paths) -> None:
        assert self.solids is not None
        pen.z = 0.5
        if self.look.scale:
            grid = space.floor(pen, view, self.box, self.look.units.factor("m"))
            space.triad(pen, view, grid_text(grid, self.look.units))
        pen.z = 1.0
        if ghosts or panel.dashed:
            behind, pen.keeps = Painter(view), False
            for pose in (*ghosts, *panel.dashed):
                space.bodies(behind, self.solids, pose, ghost=True)
            behind.paint(pen, "ghosts")
            pen.keeps = True
        pen.z = 3.0
        painter = Painter(view)
        for body, path in paths:
            painter.lines(np.stack([path[:-1], path[1:]], axis=1), mixed(color_of(body), 0.85), 1.3)
        space.wires(painter, self.subject, panel.pose)
        space.bodies(painter, self.solids, panel.pose)
        space.marks(painter, self.solids, panel.pose)
        painter.paint(pen, "solids")

    def _cone(self, pen: Pen, cone: Cone) -> None:
        """A cone of friction, seen through; its slant length is a share of the paper."""
        long = CONE * float(np.sqrt(np.prod(self.sheet.room))) * self.sheet.u
        apex, rim = self.flat(cone.at), self.flat(cone.at + long * cone.rays())
        around = np.vstack([apex, rim])
        edge = around if self.view is None else around[hull_of(around)]
        pen.area(edge, f"{cone.color}38", None, name="cone")
        pen.line([rim[0], apex, rim[-1]] if self.view is None else rim, cone.color, 0.8)

    def _loads(self, pen: Pen, pose: Pose) -> None:
        """Given forces: the arrow starts at the point where it acts, long as the force beside its largest."""
        for m in self.subject.scene["marks"]:
            if m["kind"] != "force" or m["glyph"] != "arrow" or not m["places"]:
                continue
            force = np.asarray(pose.run[m["name"]].force, dtype=float)[pose.k]
            every = np.asarray(self.subject.run[m["name"]].force, dtype=float)
            most = float(np.max(np.linalg.norm(np.vstack([every, force]), axis=1)))
            if most > 0.0:
                p, d = self.flat(pose.at(m["places"][-1])), 42.0 * pen.u * self.flat(force / most)
                pen.arrow(p, d, INK, 2.2, f"force:{m['name']}")
