"""Picture of a free-body sheet: the body cut free, every load as an arrow at its point, the table beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..analyses.free_body import BodyLoad, FreeBody
from ..analyses.sheets.text import cells, notes
from ..model.output_units import OutputUnits
from ..model.shapes.outline import polylines
from ..results.files import optional, with_ending
from ..results.in_units import units_of
from ..results.plot import STYLE, new_figure, write
from ..viewer.drawn import Shown
from . import plane, space
from .board import grid_text, symbol_size
from .drawing import Drawing, read
from .pen import INK, Pen
from .space import Painter, Solids, View

COLORS = {"weight": "#4a515a", "joint": "#0072B2", "driver": "#D55E00", "force": "#009E73", "inertia": "#CC79A7"}
# bodies are grey, so that the loads stand out
GREY = "#8c8c8c"
# length of the longest arrow beside the size of the picture, and of the shortest one that is drawn
LONGEST, SHORTEST = 0.38, 0.07
WRITING: dict[str, Any] = {
    "fontsize": 9,
    "zorder": 20,
    "bbox": {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.75},
}
# loads below this part of the largest are round-off
NOTHING = 1e-9


def picture(sheet: FreeBody, path: Any, given: Any = None) -> Any:
    """Draw a sheet; see `FreeBody.plot`."""
    units = units_of("free body", sheet.run, given)
    (at, long), (time, seconds) = units.of("m"), units.of("s")
    matplotlib = optional("matplotlib", "plot", "plot")
    target = None if path is None else with_ending(f"plot(path={path!r})", path, ".png")
    with matplotlib.rc_context(STYLE):
        figure = new_figure(2, target is None)
        lines = len(sheet.loads) + 2 + len(notes(sheet, units))
        height = 5.6 + 0.26 * lines
        figure.set_size_inches(9.5 if sheet.run.plane else 12.5, height)
        grid = figure.add_gridspec(2, 1, height_ratios=[5.6, 0.26 * lines])
        axes = figure.add_subplot(grid[0])
        if sheet.run.plane:
            axes.set(xlabel=f"x [{at}]", ylabel=f"y [{at}]")
            for axis in (axes.xaxis, axes.yaxis) if long != 1.0 else ():
                axis.set_major_formatter(lambda x, _: f"{x * long:.6g}")
        else:
            axes.set_axis_off()
        _legend(axes, sheet)
        _draw_table(figure.add_subplot(grid[1]), sheet, units)
        title = f"free body: {sheet.body.name} of {sheet.model.name}, t = {sheet.t * seconds:g} {time}"
        figure.suptitle(title, fontsize=13, fontweight="bold")
        # a drawing to scale needs the size of its axes
        figure.get_layout_engine().execute(figure)
        _draw(axes, sheet, units)
        if target is not None:
            write(figure, target, path)
    return figure


# -- loads as arrows ---------------------------------------------------------------------------------------------------


def _sizes(sheet: FreeBody) -> tuple[float, float]:
    """Largest force and largest torque; what is round-off beside the other counts as zero."""
    length = float(sheet.run.system.length)
    force = max((float(np.linalg.norm(load._wrench[:3])) for load in sheet.loads), default=0.0)
    torque = max((float(np.linalg.norm(load._wrench[3:])) for load in sheet.loads), default=0.0)
    both = max(force, torque / length)
    return force if force > NOTHING * both else 0.0, torque if torque / length > NOTHING * both else 0.0


def _ends(load: BodyLoad, size: float, largest: float, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Tail and head of the arrow of a force: it pushes onto its point from outside, or pulls out of it."""
    force = load._wrench[:3]
    f = float(np.linalg.norm(force))
    if f <= NOTHING * largest or largest == 0.0:
        return None
    step = force / f * size * max(LONGEST * f / largest, SHORTEST)
    inward = float(force @ (centre - load.point)) > 1e-6 * f * size
    return (load.point - step, load.point) if inward else (load.point, load.point + step)


def _label(load: BodyLoad, si: str, units: OutputUnits) -> str:
    """Name and size of a force [N] or torque [N m], with a star where it is not unique; in the plane a torque has its sign."""
    n, (unit, factor) = 2 if load.plane else 3, units.of(si)
    value, unique = (load.force, load.unique[:n]) if si == "N" else (load.torque, load.unique[n:])
    size = value if np.ndim(value) == 0 else float(np.linalg.norm(value))
    return f"{load.name}\n{size * factor:.4g}{'' if unique.all() else '*'} {unit}"


def _extent(sheet: FreeBody, shown: Shown | None) -> tuple[np.ndarray, float]:
    """Points of the body and its loads, and the size of the picture."""
    points = [load.point[None] for load in sheet.loads] + [sheet.about[None]]
    if shown is not None:
        local = [*polylines(shown.outline, 12), *(p[None] for p in (*shown.joints, *shown.ends))]
        points.append(shown.at(0, np.vstack(local)))
    every = np.vstack(points)
    return every, float(np.max(np.ptp(every, axis=0))) or float(sheet.run.system.length)


def _legend(axes: Any, sheet: FreeBody) -> None:
    handles = []
    for kind, color in COLORS.items():
        if any(load.kind == kind for load in sheet.loads):
            style = "--" if kind == "inertia" else "-"
            handles += axes.plot([], [], color=color, linewidth=2.0, linestyle=style, label=kind)
    handles += axes.plot([], [], color=INK, marker="x", linestyle="none", label="moments about here")
    # above the drawing, where no load is
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(handles))


# -- the drawing -------------------------------------------------------------------------------------------------------


def _draw(axes: Any, sheet: FreeBody, units: OutputUnits) -> None:
    """The body cut free, with its loads, into axes whose size is final."""
    subject = read("plot", sheet.run, "start")
    number = next((k for k, body in enumerate(subject.shown) if body.name == sheet.body.name), -1)
    shown = subject.shown[number] if number >= 0 else None
    points, size = _extent(sheet, shown)
    centre = sheet.run.kinematics(sheet.body).position[0] if shown is not None else points.mean(axis=0)
    view = None if subject.plane else View(subject.scene.get("up", 2))
    flat = (lambda p: np.asarray(p)[..., :2]) if view is None else view.flat
    arrows = list(_arrows(sheet, size, centre, units))
    # room for all arrows, and around them for what is written
    reach = flat(np.vstack([points, *(np.array([a.tail, a.head]) for a in arrows), *(a.around for a in arrows)]))
    low, high = reach.min(axis=0), reach.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low) + 0.17 * max(float(np.max(high - low)), size)
    extent = axes.get_window_extent().transformed(axes.figure.dpi_scale_trans.inverted())
    paper = (72.0 * extent.width, 72.0 * extent.height)
    u = float(np.max(2.0 * half / paper))
    pen = Pen(axes, middle - 0.5 * u * np.array(paper), paper, u, symbol_size(subject, u))
    pen.keeps = False
    if view is None:
        _flat_bodies(pen, subject, number)
    else:
        pen.z = 0.5
        grid = space.floor(pen, view, np.array([points.min(axis=0), points.max(axis=0)]), units.factor("m"))
        space.triad(pen, view, grid_text(grid, units))
        _solid_bodies(pen, subject, number, view)
    axes.plot(*flat(sheet.about), "x", color=INK, markersize=7, markeredgewidth=1.6, zorder=13)
    for arrow in arrows:
        arrow.draw(axes, flat)


def _part(subject: Drawing, chosen: Callable[[int], bool]) -> Drawing:
    """The subject with some of its bodies only, cut free of their joints."""
    bodies = [body if chosen(i) else {**body, "items": []} for i, body in enumerate(subject.scene["bodies"])]
    slots = [m for m in subject.scene["marks"] if m["glyph"] == "slot" and chosen(m["places"][m.get("carrier", 0)][0])]
    return replace(subject, scene={**subject.scene, "bodies": bodies, "marks": slots})


def _flat_bodies(pen: Pen, subject: Drawing, number: int) -> None:
    """The body in grey, the others faintly, to show where it was cut free."""
    pose = subject.panels[0].pose
    pen.z = 2.0
    plane.ghost(pen, _part(subject, lambda i: i != number), pose)
    for pen.z, only in ((5.0, "area"), (5.5, "rest")):
        plane.bodies(pen, _part(subject, lambda i: i == number), pose, only, color_of=lambda _: GREY)


def _solid_bodies(pen: Pen, subject: Drawing, number: int, view: View) -> None:
    solids, pose = Solids(subject, pen.u, pen.k), subject.panels[0].pose
    for pen.z, ghost in ((2.0, True), (5.0, False)):
        painter = Painter(view)
        chosen = [i for i in range(len(solids.bodies)) if (i == number) != ghost]
        space.bodies(painter, solids, pose, ghost, chosen, lambda _: GREY)
        painter.paint(pen, "others" if ghost else "body")


@dataclass
class Arrow:
    """A force, or a couple: in the plane an arc, in space an arrow with two heads along its axis (right-hand rule)."""

    load: BodyLoad
    tail: np.ndarray
    head: np.ndarray
    label: str
    heads: int = 1
    arc: float = 0.0

    @property
    def around(self) -> np.ndarray:
        """Corners of an arc."""
        return self.load.point + 1.4 * abs(self.arc) * np.array([[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]])

    def draw(self, axes: Any, flat: Any) -> None:
        """Put the arrow and its label on paper."""
        color, point = COLORS[self.load.kind], flat(self.load.point)
        axes.plot(*point, "o", color=color, markersize=4, zorder=12)
        dashed = self.load.kind == "inertia"
        if self.arc:
            _couple(axes, point, abs(self.arc), self.arc > 0.0, color, dashed)
            # under the point: forces of the same point have their labels at their ends
            _text(axes, point - np.array([0.0, abs(self.arc)]), np.array([0.0, -1.0]), self.label, color)
            return
        tail, head = flat(self.tail), flat(self.head)
        style = {"arrowstyle": "-|>,head_length=0.55,head_width=0.25", "color": color, "shrinkA": 0, "shrinkB": 0}
        style.update(linewidth=2.0 if self.heads == 1 else 1.3, linestyle="--" if dashed else "-")
        for n in range(self.heads):
            # the second head a little behind the first
            axes.annotate("", xy=head, xytext=tail, arrowprops={**style, "shrinkB": 6 * n}, zorder=11)
        outer = head if np.allclose(self.tail, self.load.point) else tail
        _text(axes, outer, outer - point, self.label, color)


def _arrows(sheet: FreeBody, size: float, centre: np.ndarray, units: OutputUnits) -> Iterator[Arrow]:
    largest, largest_torque = _sizes(sheet)
    for load in sheet.loads:
        ends = _ends(load, size, largest, centre)
        if ends is not None:
            yield Arrow(load, *ends, _label(load, "N", units))
        torque = load._wrench[3:]
        t = float(np.linalg.norm(torque))
        if not (largest_torque > 0.0 and t > NOTHING * largest_torque):
            continue
        if load.plane:
            arc = 0.07 * size * (1.0 if torque[2] > 0.0 else -1.0)
            yield Arrow(load, load.point, load.point, _label(load, "N m", units), arc=arc)
        else:
            step = torque / t * size * max(0.7 * LONGEST * t / largest_torque, SHORTEST)
            yield Arrow(load, load.point, load.point + step, _label(load, "N m", units), heads=2)


def _text(axes: Any, at: np.ndarray, away: np.ndarray, text: str, color: str) -> None:
    d = away / (float(np.hypot(*away)) or 1.0)
    axes.annotate(
        text,
        xy=at,
        xytext=(9 * d[0], 9 * d[1]),
        textcoords="offset points",
        ha="left" if d[0] > 0.35 else "right" if d[0] < -0.35 else "center",
        va="bottom" if d[1] > 0.35 else "top" if d[1] < -0.35 else "center",
        color=color,
        **WRITING,
    )


def _couple(axes: Any, point: np.ndarray, radius: float, positive: bool, color: str, dashed: bool) -> None:
    """Three quarters of a circle with an arrowhead: counterclockwise if positive."""
    angle = np.linspace(-0.5 * math.pi, math.pi, 40) * (1.0 if positive else -1.0) + (0.0 if positive else math.pi)
    line = point + radius * np.column_stack([np.cos(angle), np.sin(angle)])
    axes.plot(*line[:-2].T, color=color, linewidth=1.8, linestyle="--" if dashed else "-", zorder=11)
    style = {"arrowstyle": "-|>,head_length=0.5,head_width=0.25", "color": color, "linewidth": 1.8}
    axes.annotate("", xy=line[-1], xytext=line[-5], arrowprops={**style, "shrinkA": 0, "shrinkB": 0}, zorder=11)


# -- the table ---------------------------------------------------------------------------------------------------------


def _draw_table(axes: Any, sheet: FreeBody, units: OutputUnits) -> None:
    axes.axis("off")
    if not sheet.loads:
        axes.text(0.5, 1.0, "no loads", ha="center", va="top", transform=axes.transAxes)
        return
    head, lines = cells(sheet, units)
    drop = 1  # the colour says the kind
    head, lines = head[:drop] + head[drop + 1 :], [line[:drop] + line[drop + 1 :] for line in lines]
    widths = [max(len(line[k]) for line in [head, *lines]) + 2 for k in range(len(head))]
    remarks = notes(sheet, units)
    share = (1 + len(lines)) / (1 + len(lines) + len(remarks))
    table = axes.table(
        cellText=lines,
        colLabels=head,
        colWidths=[w / sum(widths) for w in widths],
        cellLoc="right",
        colLoc="right",
        loc="upper center",
        bbox=[0.0, 1.0 - share, 1.0, share],
        edges="horizontal",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(9 if sheet.run.plane else 8)
    for (row, column), cell in table.get_celld().items():
        cell.set_edgecolor("#cccccc")
        if column == 0:
            cell.set_text_props(ha="left")
        if row == 0 or row > len(sheet.loads):
            cell.set_text_props(fontweight="bold")
        elif column == 0:
            cell.set_text_props(color=COLORS[sheet.loads[row - 1].kind], fontweight="bold")
    axes.text(0.0, 1.0 - share - 0.02, "\n".join(remarks), ha="left", va="top", fontsize=8.5, transform=axes.transAxes)
