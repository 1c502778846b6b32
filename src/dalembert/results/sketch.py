"""Drawings of a mechanism: bodies from the outlines of their shapes, joints as symbols, poses at a few times, paths of points."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..model.shapes.outline import polylines

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#777777")
INK = "#333333"
GHOSTS = 5
PATHS = 4


@dataclass
class Shown:
    """One body to draw: colour, motion, outline in body axes, points of joints in body axes (about the origin of its frame)."""

    name: str
    color: str
    origin: np.ndarray  # (time, 3)
    rotation: np.ndarray  # (time, 3, 3)
    outline: list[dict[str, Any]]
    center: np.ndarray
    joints: list[np.ndarray] = field(default_factory=list)
    ends: list[np.ndarray] = field(default_factory=list)  # of springs and the like

    def at(self, k: int, points: np.ndarray) -> np.ndarray:
        """Points of the body in space at output k."""
        return self.origin[k] + points @ self.rotation[k].T

    def path(self, point: np.ndarray) -> np.ndarray:
        """Path of a point of the body."""
        return self.origin + np.einsum("tij,j->ti", self.rotation, point)

    @property
    def plain(self) -> bool:
        """Whether the shape has no extent, so that the joints must show where the body is."""
        return all(item["type"] == "point" for item in self.outline)


@dataclass
class Mark:
    """One joint or spring to draw: symbol, and its points over time (time, 3)."""

    glyph: str
    name: str
    points: list[np.ndarray]
    grounded: bool = False
    direction: np.ndarray | None = None
    slider: np.ndarray | None = None  # path of the sliding body, which may be away from the point of the joint
    bodies: tuple[str, ...] = ()


def gather(run: Any) -> tuple[list[Shown], list[Mark]]:
    """Bodies and joints of a run as plain arrays."""
    drawing = run.system.builder.drawing
    bodies: dict[int, Shown] = {}
    for k, body in enumerate(run.system.builder.bodies):
        motion, pose = run.kinematics(body), drawing.poses[id(body)]
        # kinematics are those of the mass centre; outlines refer to the origin of the body frame
        origin = motion.position - motion.rotation @ pose.center
        outline = body.shape.outline(drawing.number)
        bodies[id(body)] = Shown(body.name, COLORS[k % len(COLORS)], origin, motion.rotation, outline, pose.center)
    marks = []
    for part in (*run.parts("joint"), *run.parts("force")):
        mark = _mark(run, part, bodies)
        if mark is not None:
            marks.append(mark)
    for part in run.parts("driver"):
        if part.measure.kind == "distance":  # a cylinder: its ends are places of the bodies
            for a in drawing.attach(part.measure.i, part.measure.j):
                if id(a.body) in bodies:
                    bodies[id(a.body)].ends.append(a.point + bodies[id(a.body)].center)
    return list(bodies.values()), marks


def _mark(run: Any, part: Any, bodies: dict[int, Shown]) -> Mark | None:
    two_points = part.kind == "force" and getattr(part, "b", None) is not None
    drawn = part.glyph in (
        "pin",
        "slider",
        "slot",
        "ball",
        "dot",
        "cross",
        "link",
        "cylinder",
        "plate",
        "screw",
        "weld",
    ) or hasattr(part, "at")
    if not (two_points or (part.kind == "joint" and drawn)):
        return None
    markers = part.markers
    if len(markers) < 2:
        return None
    attached = run.system.builder.drawing.attach(markers[0], markers[-1])
    points = []
    for a in attached:
        motion = run.kinematics(a.body)
        points.append(motion.position + np.einsum("tij,j->ti", motion.rotation, a.point))
        if id(a.body) in bodies:
            shown = bodies[id(a.body)]
            (shown.joints if part.kind == "joint" else shown.ends).append(a.point + shown.center)
    first = attached[0]
    axis = 0 if run.plane else 2
    direction = None
    if part.glyph in ("slider", "slot", "cylinder", "line"):
        direction = np.einsum("tij,j->ti", run.kinematics(first.body).rotation, first.axes[:, axis])
    glyph = "spring" if two_points else part.glyph
    if part.kind == "joint" and part.tag == "distance":
        glyph = "link"
    last = attached[-1].body
    slider = (
        bodies[id(last)].path(bodies[id(last)].center) if part.glyph == "slider" and not last.is_ground else points[-1]
    )
    grounded = any(a.body.is_ground for a in attached)
    return Mark(glyph, part.name, points, grounded, direction, slider, tuple(a.body.name for a in attached))


def poses(bodies: list[Shown], size: float) -> list[int]:
    """Outputs to draw: the first, and a few that lie as far from each other as they can (farthest first)."""
    # where the bodies are: origins and directions of their axes, in lengths
    where = np.concatenate(
        [np.column_stack([b.origin, size / 4 * b.rotation.reshape(len(b.origin), 9)]) for b in bodies], axis=1
    )
    picks, gap = [0], np.full(len(where), np.inf)
    while len(picks) < GHOSTS:
        gap = np.minimum(gap, np.linalg.norm(where - where[picks[-1]], axis=1))
        k = int(np.argmax(gap))
        if not gap[k] > 0.02 * size:
            break
        picks.append(k)
    return picks


def paths(bodies: list[Shown], marks: list[Mark]) -> list[tuple[str, np.ndarray]]:
    """Paths worth seeing: free ends of bodies with one joint, then moving joints; colour and points."""
    found = []
    for body in bodies:
        if len(body.joints) <= 1:
            ends = np.vstack(polylines(body.outline, 24)) if not body.plain else body.center[None]
            start = body.joints[0] if body.joints else ends.mean(axis=0)
            distance = np.linalg.norm(ends - start, axis=1)
            # a body that is about as wide as far away has no end: its mass centre tells more
            far = (
                ends[int(np.argmax(distance))]
                if body.joints and distance.max() > 1.2 * np.linalg.norm(body.center - start) + 1e-12 and _slender(ends)
                else body.center
            )
            found.append((body.color, body.path(far)))
    for mark in marks:
        if not mark.grounded and mark.glyph in ("pin", "ball", "cross"):
            color = next((b.color for b in bodies if b.name == mark.bodies[-1]), INK)
            found.append((color, mark.points[-1]))
    moved = [(c, p) for c, p in found if float(np.max(np.ptp(p, axis=0))) > 1e-9]
    return moved[:PATHS]


def _slender(points: np.ndarray) -> bool:
    spread = np.sort(np.linalg.svd(points - points.mean(axis=0), compute_uv=False))
    return bool(spread[-2] < 0.5 * spread[-1])


# -- the plane ---------------------------------------------------------------------------------------------------------


def sketch_plane(axes: Any, run: Any) -> None:
    """Draw a planar mechanism: first pose strong, later poses faint, paths thin."""
    bodies, marks = gather(run)
    size = _extent(bodies, marks)
    shown = poses(bodies, size)
    axes.set_title("mechanism")
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(True, zorder=0)
    for color, path in paths(bodies, marks):
        axes.plot(path[:, 0], path[:, 1], color=color, linewidth=1.0, alpha=0.7, zorder=2)
    for order, k in enumerate(reversed(shown)):
        strong = k == shown[0]
        alpha = 1.0 if strong else 0.10 + 0.12 * order / max(1, len(shown) - 1)
        for body in bodies:
            _draw_body(axes, body, k, alpha, 10 if strong else 3, size)
        if strong:
            for mark in marks:
                _draw_mark(axes, mark, k, size)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.margins(0.08)


def _extent(bodies: list[Shown], marks: list[Mark]) -> float:
    """Size of the space that is passed through, from a few poses."""
    n = len(bodies[0].origin)
    shown = np.unique(np.linspace(0, n - 1, min(n, 9)).round().astype(int))
    points = [
        b.at(k, np.vstack([*polylines(b.outline, 12), *(j[None] for j in b.joints)])) for b in bodies for k in shown
    ]
    points += [p[shown] for mark in marks for p in mark.points]
    return float(np.max(np.ptp(np.vstack(points), axis=0))) or 1.0


def _draw_body(axes: Any, body: Shown, k: int, alpha: float, order: int, size: float) -> None:
    if body.plain:
        _draw_plain(axes, body, k, alpha, order, size)
        return
    for item in body.outline:
        for line in faces(item):
            flat = body.at(k, line)[:, :2]
            if item["type"] == "line":
                _bar(axes, flat, body.color, alpha, order)
            elif item["type"] == "point":
                axes.plot(*flat.T, "o", color=body.color, alpha=alpha, markersize=5, zorder=order)
            else:
                face = "white" if item["void"] else _pale(body.color)
                axes.fill(*flat.T, facecolor=face, edgecolor=body.color, linewidth=1.4, alpha=alpha, zorder=order)


def faces(item: dict[str, Any]) -> list[np.ndarray]:
    """Outline of one item, seen along z, as closed lines in body axes; a ring is drawn as one line there and back."""
    lines = polylines([item], 48)
    if item["type"] in ("line", "point"):
        return lines
    if item["type"] == "circle" and 0.0 < item["inner"] < item["radius"]:
        inner, outer = lines[0], lines[-1]
        return [np.vstack([outer, inner[::-1], outer[:1]])]
    if item["type"] in ("polygon", "circle"):
        return lines[:1]
    # solids: the hull of what is seen
    points = np.vstack(lines)
    return [points[hull_of(points[:, :2])]]


def hull_of(points: np.ndarray) -> list[int]:
    """Indices of the convex hull, counterclockwise and closed (Andrew's monotone chain)."""
    order = np.lexsort((points[:, 1], points[:, 0]))

    def half(indices: Any) -> list[int]:
        chain: list[int] = []
        for i in indices:
            while len(chain) > 1:
                (ax, ay), (bx, by) = points[chain[-1]] - points[chain[-2]], points[i] - points[chain[-2]]
                if ax * by - ay * bx > 0.0:
                    break
                chain.pop()
            chain.append(int(i))
        return chain

    lower, upper = half(order), half(order[::-1])
    return [*lower[:-1], *upper[:-1], lower[0]]


def _draw_plain(axes: Any, body: Shown, k: int, alpha: float, order: int, size: float) -> None:
    """A body without extent: bars or a plate between its joints, and its mass centre."""
    center = body.at(k, body.center[None])[:, :2]
    if body.joints:
        joints = body.at(k, np.array([*body.joints, *body.ends]))[:, :2]
        corners = (
            joints
            if len(joints) > 1 and float(np.max(np.ptp(joints, axis=0))) > 1e-9 * size
            else np.vstack([joints, center])
        )
        hull = corners[hull_of(corners)] if len(corners) > 2 else corners
        if len(corners) > 2 and _area(hull) > 1e-6 * size * size:
            axes.fill(
                *hull.T, facecolor=_pale(body.color), edgecolor=body.color, linewidth=1.4, alpha=alpha, zorder=order
            )
        else:
            _bar(axes, hull, body.color, alpha, order)
    axes.plot(*center.T, "o", color=body.color, alpha=alpha, markersize=6 if not body.joints else 4, zorder=order + 1)


def _area(p: np.ndarray) -> float:
    return 0.5 * abs(float(np.sum(p[:-1, 0] * p[1:, 1] - p[1:, 0] * p[:-1, 1])))


def _bar(axes: Any, flat: np.ndarray, color: str, alpha: float, order: int) -> None:
    axes.plot(*flat.T, color=color, linewidth=6.5, solid_capstyle="round", alpha=alpha, zorder=order)
    axes.plot(*flat.T, color=_pale(color), linewidth=3.8, solid_capstyle="round", alpha=alpha, zorder=order)


def _pale(color: str) -> str:
    """The colour mixed with white."""
    parts = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - 0.32 * (255 - c)):02x}" for c in parts)


def _draw_mark(axes: Any, mark: Mark, k: int, size: float) -> None:
    a, b = (p[k, :2] for p in (mark.points[0], mark.points[-1]))
    if mark.glyph == "spring":
        line = zigzag(a, b, 0.012 * size)
        axes.plot(*line.T, color=INK, linewidth=1.1, zorder=8)
        axes.plot(*np.array([a, b]).T, "o", color=INK, markersize=2.5, zorder=8)
    elif mark.glyph == "link":
        _bar(axes, np.array([a, b]), INK, 1.0, 9)
        for p in (a, b):
            axes.plot(
                *p, "o", markersize=5.5, markerfacecolor="white", markeredgecolor=INK, markeredgewidth=1.2, zorder=13
            )
    elif mark.glyph in ("slider", "slot"):
        assert mark.direction is not None and mark.slider is not None
        d = mark.direction[k, :2]
        travel = np.einsum("ti,ti->t", mark.slider[:, :2] - mark.points[0][:, :2], mark.direction[:, :2])
        reach = np.array([travel.min() - 0.1 * size, travel.max() + 0.1 * size])
        line = a + reach[:, None] * d
        axes.plot(*line.T, color=INK, linewidth=1.0, linestyle=(0, (9, 3, 1.5, 3)), zorder=9 if mark.grounded else 12)
        if mark.glyph == "slot":
            axes.plot(
                *b, "o", markersize=6, markerfacecolor="white", markeredgecolor=INK, markeredgewidth=1.3, zorder=13
            )
    elif mark.glyph == "pin":
        if mark.grounded:
            _support(axes, b, size)
        axes.plot(*b, "o", markersize=6.5, markerfacecolor="white", markeredgecolor=INK, markeredgewidth=1.3, zorder=13)
    elif mark.glyph in ("weld", "dot"):
        axes.plot(*b, "s", markersize=5, color=INK, zorder=13)


def _support(axes: Any, p: np.ndarray, size: float) -> None:
    """Triangle on hatched ground under a fixed pin."""
    h, w = 0.045 * size, 0.032 * size
    axes.fill(
        [p[0], p[0] - w, p[0] + w],
        [p[1], p[1] - h, p[1] - h],
        facecolor="#dddddd",
        edgecolor=INK,
        linewidth=1.1,
        zorder=7,
    )
    axes.plot([p[0] - 1.5 * w, p[0] + 1.5 * w], [p[1] - h] * 2, color=INK, linewidth=1.3, zorder=7)
    for x in np.linspace(-1.3 * w, 1.5 * w, 5):
        axes.plot([p[0] + x, p[0] + x - 0.5 * w], [p[1] - h, p[1] - h - 0.5 * w], color=INK, linewidth=0.8, zorder=7)


def zigzag(a: np.ndarray, b: np.ndarray, width: float, turns: int = 7) -> np.ndarray:
    """Line of a spring from a to b."""
    d = b - a
    length = float(math.hypot(*d))
    if length == 0.0:
        return np.array([a, b])
    across = np.array([-d[1], d[0]]) / length
    x = np.concatenate([[0.0], 0.15 + 0.7 * np.arange(2 * turns + 1) / (2 * turns), [1.0]])
    y = np.concatenate(
        [[0.0], [0.0 if k in (0, 2 * turns) else (1 if k % 2 else -1) for k in range(2 * turns + 1)], [0.0]]
    )
    return a + x[:, None] * d + width * y[:, None] * across


# -- space -------------------------------------------------------------------------------------------------------------


def sketch_space(axes: Any, run: Any) -> None:
    """Draw a mechanism in space as lines."""
    bodies, marks = gather(run)
    shown = poses(bodies, _extent(bodies, marks))
    axes.set_title("mechanism")
    box: list[np.ndarray] = []
    for color, path in paths(bodies, marks):
        axes.plot(*path.T, color=color, linewidth=1.0, alpha=0.7)
        box.append(path)
    for order, k in enumerate(reversed(shown)):
        strong = k == shown[0]
        alpha = 1.0 if strong else 0.12 + 0.15 * order / max(1, len(shown) - 1)
        for body in bodies:
            box += _draw_space_body(axes, body, k, alpha, strong)
        if strong:
            for mark in marks:
                p = mark.points[-1][k]
                box.append(p[None])
                if mark.glyph in ("spring", "link"):
                    line = np.array([mark.points[0][k], p])
                    axes.plot(*line.T, color=INK, linewidth=1.2, linestyle="-" if mark.glyph == "link" else "--")
                    box.append(line)
                else:
                    axes.plot(
                        *p[:, None],
                        "s" if mark.grounded else "o",
                        markersize=5,
                        markerfacecolor="white",
                        markeredgecolor=INK,
                    )
    every = np.vstack(box)
    low, high = every.min(axis=0), every.max(axis=0)
    # half sizes of the box; a flat motion still gets some depth
    middle, reach = 0.5 * (low + high), np.maximum(0.55 * (high - low), 0.2 * float(np.max(high - low)) or 1.0)
    for name, m, r in zip("xyz", middle, reach):
        getattr(axes, f"set_{name}lim")(m - r, m + r)
        getattr(axes, f"set_{name}label")(f"{name} [m]", labelpad=6)
        getattr(axes, f"{name}axis").set_major_locator(_few())
    axes.set_box_aspect(reach)
    axes.view_init(elev=22, azim=-58)


def _few() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=3, min_n_ticks=2)


def _draw_space_body(axes: Any, body: Shown, k: int, alpha: float, strong: bool) -> list[np.ndarray]:
    drawn = []
    if body.plain:
        center = body.at(k, body.center[None])
        joints = body.at(k, np.array(body.joints)) if body.joints else center
        for joint in joints:
            line = np.vstack([center, joint[None]])
            axes.plot(*line.T, color=body.color, alpha=alpha, linewidth=2.2 if strong else 1.2)
            drawn.append(line)
        axes.plot(*center.T, "o", color=body.color, alpha=alpha, markersize=4)
        return [*drawn, center]
    for joint in body.joints:
        # where a joint lies beside the shape, a thin line says that it belongs to the body
        line = body.at(k, np.array([body.center, joint]))
        axes.plot(*line.T, color=body.color, alpha=0.6 * alpha, linewidth=0.8)
        drawn.append(line)
    for line in polylines(body.outline, 36):
        points = body.at(k, line)
        thick = len(line) == 2 and body.outline[0]["type"] == "line"
        axes.plot(
            *points.T, color=body.color, alpha=alpha, linewidth=(3.0 if thick else 1.2) * (1.0 if strong else 0.6)
        )
        drawn.append(points)
    return drawn
