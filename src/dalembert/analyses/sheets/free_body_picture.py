"""Picture of a free-body sheet: the body cut free, every load as an arrow at its point, the table beside it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ...results.files import optional, with_ending
from ...results.plot import STYLE, _figure, _write
from ...results.sketch import INK, Shown, _draw_body, _draw_space_body, _few, gather
from ..free_body import BodyLoad, FreeBody
from .free_body_text import cells, notes
from .load import Load

COLORS = {"weight": "#777777", "joint": "#0072B2", "driver": "#D55E00", "force": "#009E73", "inertia": "#CC79A7"}
# bodies are grey, so that the loads stand out
GREY = "#8c8c8c"
# width of the picture beside its height, in the plane
SHAPE = 1.8
# length of the longest arrow beside the size of the picture, and of the shortest one that is drawn
LONGEST, SHORTEST = 0.38, 0.07
WRITING: dict[str, Any] = {
    "fontsize": 9,
    "zorder": 20,
    "bbox": {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.75},
}
# loads below this part of the largest are round-off
NOTHING = 1e-9


def picture(sheet: FreeBody, path: Any) -> Any:
    """Draw a sheet; see `FreeBody.plot`."""
    matplotlib = optional("matplotlib", "plot", "plot")
    target = None if path is None else with_ending(f"plot(path={path!r})", path, ".png")
    with matplotlib.rc_context(STYLE):
        figure = _figure(matplotlib, 2, target is None)
        lines = len(sheet.loads) + 2 + len(notes(sheet))
        height = 5.6 + 0.26 * lines
        figure.set_size_inches(9.5 if sheet.run.plane else 12.5, height)
        grid = figure.add_gridspec(2, 1, height_ratios=[5.6, 0.26 * lines])
        bodies, _ = gather(sheet.run)
        if sheet.run.plane:
            _draw_plane(figure.add_subplot(grid[0]), sheet, bodies)
        else:
            _draw_space(figure.add_subplot(grid[0], projection="3d"), sheet, bodies)
        _draw_table(figure.add_subplot(grid[1]), sheet)
        title = f"free body: {sheet.body.name} of {sheet.model.name}, t = {sheet.t:g} s"
        figure.suptitle(title, fontsize=13, fontweight="bold")
        if target is not None:
            _write(figure, target, path)
    return figure


# -- loads as arrows ---------------------------------------------------------------------------------------------------


def _sizes(sheet: FreeBody) -> tuple[float, float]:
    """Largest force and largest torque; what is round-off beside the other counts as zero."""
    length = float(sheet.run.system.length)
    force = max((float(np.linalg.norm(load._wrench[:3])) for load in sheet.loads), default=0.0)
    torque = max((float(np.linalg.norm(load._wrench[3:])) for load in sheet.loads), default=0.0)
    both = max(force, torque / length)
    return force if force > NOTHING * both else 0.0, torque if torque / length > NOTHING * both else 0.0


def _arrow(load: BodyLoad, size: float, largest: float, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Tail and head of the arrow of a force: it pushes onto its point from outside, or pulls out of it."""
    force = load._wrench[:3]
    f = float(np.linalg.norm(force))
    if f <= NOTHING * largest or largest == 0.0:
        return None
    step = force / f * size * max(LONGEST * f / largest, SHORTEST)
    inward = float(force @ (centre - load.point)) > 1e-6 * f * size
    return (load.point - step, load.point) if inward else (load.point, load.point + step)


def _label(load: Load, size: float, unit: str, unique: bool) -> str:
    return f"{load.name}\n{size:.4g}{'' if unique else '*'} {unit}"


def _force_label(load: BodyLoad) -> str:
    unique = bool(load.unique[: 2 if load.plane else 3].all())
    return _label(load, float(np.linalg.norm(load.force)), "N", unique)


def _torque_label(load: BodyLoad) -> str:
    unique = bool(load.unique[2 if load.plane else 3 :].all())
    size = load.torque if load.plane else float(np.linalg.norm(load.torque))
    return _label(load, size, "N m", unique)


def _extent(sheet: FreeBody, shown: Shown | None) -> tuple[np.ndarray, float]:
    """Points of the body and its loads, and the size of the picture."""
    from ...model.shapes.outline import polylines

    points = [load.point[None] for load in sheet.loads] + [sheet.about[None]]
    if shown is not None:
        local = [*polylines(shown.outline, 12), *(p[None] for p in (*shown.joints, *shown.ends))]
        points.append(shown.at(0, np.vstack(local)))
    every = np.vstack(points)
    return every, float(np.max(np.ptp(every, axis=0))) or float(sheet.run.system.length)


def _mark_point(axes: Any, point: np.ndarray) -> None:
    axes.plot(*point, marker="x", color=INK, markersize=7, markeredgewidth=1.6, linestyle="none", zorder=13)


def _legend(axes: Any, sheet: FreeBody) -> None:
    """Kinds of loads by colour, and the point for moments."""
    nowhere: list[list[float]] = [[]] * (2 if sheet.run.plane else 3)
    handles = []
    for kind, color in COLORS.items():
        if any(load.kind == kind for load in sheet.loads):
            style = "--" if kind == "inertia" else "-"
            handles += axes.plot(*nowhere, color=color, linewidth=2.0, linestyle=style, label=kind)
    handles += axes.plot(*nowhere, color=INK, marker="x", linestyle="none", label="moments about here")
    if sheet.run.plane:
        axes.legend(handles=handles, loc="upper left", frameon=True, framealpha=0.85, edgecolor="#dddddd")
    else:
        axes.figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.01, 0.95), fontsize=9)


# -- the plane ---------------------------------------------------------------------------------------------------------


def _draw_plane(axes: Any, sheet: FreeBody, bodies: list[Shown]) -> None:
    shown = next((b for b in bodies if b.name == sheet.body.name), None)
    points, size = _extent(sheet, shown)
    centre = sheet.run.kinematics(sheet.body).position[0] if shown is not None else points.mean(axis=0)
    # the other bodies faintly, to show where the body was cut free
    for body in bodies:
        grey = replace(body, color=GREY)
        _draw_body(axes, grey, 0, 1.0 if body is shown else 0.2, 5 if body is shown else 2, size)
    _mark_point(axes, sheet.about[:2])
    largest, largest_torque = _sizes(sheet)
    reach = [points[:, :2]]
    for load in sheet.loads:
        color = COLORS[load.kind]
        axes.plot(*load.point[:2], "o", color=color, markersize=4, zorder=12)
        ends = _arrow(load, size, largest, centre)
        if ends is not None:
            tail, head = (e[:2] for e in ends)
            style = {"arrowstyle": "-|>,head_length=0.55,head_width=0.25", "color": color, "linewidth": 2.0}
            style.update(shrinkA=0, shrinkB=0, linestyle="--" if load.kind == "inertia" else "-")
            axes.annotate("", xy=head, xytext=tail, arrowprops=style, zorder=11)
            outer = head if np.allclose(tail, load.point[:2]) else tail
            _text(axes, outer, outer - load.point[:2], _force_label(load), color)
            reach.append(np.array([tail, head]))
        torque = float(load._wrench[5])
        if largest_torque > 0.0 and abs(torque) > NOTHING * largest_torque:
            radius = 0.07 * size
            _couple(axes, load.point[:2], radius, torque > 0.0, color, load.kind == "inertia")
            # under the point: forces of the same point have their labels at their ends
            _text(axes, load.point[:2] - np.array([0.0, radius]), np.array([0.0, -1.0]), _torque_label(load), color)
            reach.append(load.point[:2] + 1.4 * radius * np.array([[-1, -1], [1, 1]]))
    every = np.vstack(reach)
    low, high = every.min(axis=0), every.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low) + 0.17 * max(float(np.max(high - low)), size)
    half = np.array([max(half[0], SHAPE * half[1]), max(half[1], half[0] / SHAPE)])
    axes.set_xlim(middle[0] - half[0], middle[0] + half[0])
    axes.set_ylim(middle[1] - half[1], middle[1] + half[1])
    axes.set_aspect("equal")
    _legend(axes, sheet)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")


def _text(axes: Any, at: np.ndarray, away: np.ndarray, text: str, color: str) -> None:
    """Label beyond the outer end of an arrow."""
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


# -- space -------------------------------------------------------------------------------------------------------------


def _draw_space(axes: Any, sheet: FreeBody, bodies: list[Shown]) -> None:
    """Forces as arrows; couples as arrows with two heads along their axis (right-hand rule)."""
    shown = next((b for b in bodies if b.name == sheet.body.name), None)
    points, size = _extent(sheet, shown)
    centre = sheet.run.kinematics(sheet.body).position[0] if shown is not None else points.mean(axis=0)
    for body in bodies:
        _draw_space_body(axes, replace(body, color=GREY), 0, 1.0 if body is shown else 0.25, body is shown)
    _mark_point(axes, sheet.about[:, None])
    largest, largest_torque = _sizes(sheet)
    reach = [points]
    for load in sheet.loads:
        color = COLORS[load.kind]
        axes.plot(*load.point[:, None], "o", color=color, markersize=4)
        style = "--" if load.kind == "inertia" else "-"
        ends = _arrow(load, size, largest, centre)
        if ends is not None:
            tail, head = ends
            axes.quiver(*tail, *(head - tail), color=color, linewidth=2.0, arrow_length_ratio=0.16, linestyle=style)
            outer = head if np.allclose(tail, load.point) else tail
            reach.append(_text_space(axes, outer, outer - load.point, size, _force_label(load), color))
            reach += [tail[None], head[None]]
        torque = load._wrench[3:]
        t = float(np.linalg.norm(torque))
        if largest_torque > 0.0 and t > NOTHING * largest_torque:
            step = torque / t * size * max(0.7 * LONGEST * t / largest_torque, SHORTEST)
            for part in (1.0, 0.8):
                axes.quiver(*load.point, *(part * step), color=color, linewidth=1.2, arrow_length_ratio=0.14 / part)
            reach.append(_text_space(axes, load.point + step, step, size, _torque_label(load), color))
            reach.append((load.point + step)[None])
    every = np.vstack(reach)
    low, high = every.min(axis=0), every.max(axis=0)
    middle, half = 0.5 * (low + high), np.maximum(0.55 * (high - low), 0.18 * float(np.max(high - low)))
    for name, m, r in zip("xyz", middle, half):
        getattr(axes, f"set_{name}lim")(m - r, m + r)
        getattr(axes, f"set_{name}label")(f"{name} [m]", labelpad=6)
        getattr(axes, f"{name}axis").set_major_locator(_few())
    # a box as high as wide fills the panel; a flat one leaves room
    axes.set_box_aspect(half, zoom=1.25 if half[2] < 0.5 * max(half[0], half[1]) else 0.95)
    axes.view_init(elev=24, azim=-62)
    _legend(axes, sheet)


def _text_space(axes: Any, at: np.ndarray, away: np.ndarray, size: float, text: str, color: str) -> np.ndarray:
    """Label beyond the outer end of an arrow in space; return its place."""
    place = at + 0.09 * size * away / (float(np.linalg.norm(away)) or 1.0)
    axes.text(*place, text, color=color, ha="center", va="center", **WRITING)
    return np.asarray(place[None])


# -- the table ---------------------------------------------------------------------------------------------------------


def _draw_table(axes: Any, sheet: FreeBody) -> None:
    """The table of the sheet, loads in their colours."""
    axes.axis("off")
    if not sheet.loads:
        axes.text(0.5, 1.0, "no loads", ha="center", va="top", transform=axes.transAxes)
        return
    head, lines = cells(sheet)
    drop = 1  # the colour says the kind
    head, lines = head[:drop] + head[drop + 1 :], [line[:drop] + line[drop + 1 :] for line in lines]
    widths = [max(len(line[k]) for line in [head, *lines]) + 2 for k in range(len(head))]
    remarks = notes(sheet)
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
