"""Drawing of a mechanism in space: parallel projection, facets sorted from the back to the front, light from above left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..viewer.fittings import fittings
from .drawing import Drawing, Pose
from .glyphs import color_of
from .pen import GHOST, GROUND, INK, Pen, mixed
from .quantities import round_below
from .solids import Mesh, axes_along, ball, bar, block, cone, foot, hoop, mesh_of

# seen from the right, the front and above, as the page begins
AZIMUTH, ELEVATION = -54.4, 20.6
LIGHT = np.array([-0.45, 0.65, 0.61])  # right, up, towards the eye
SYMBOL = 1.35  # size of symbols beside that of bars
PAINTS = {"steel": "#b4bac3", "joint": "#565d66", "ground": "#9aa1aa", "motor": INK}


class View:
    """Parallel projection: right, up and depth (towards the eye) of points in space."""

    def __init__(self, up: int, azimuth: float = AZIMUTH, elevation: float = ELEVATION) -> None:
        a, e = np.deg2rad([azimuth, elevation])
        order = [(up + 1) % 3, (up + 2) % 3, up]
        rows = np.array(
            [
                [-np.sin(a), np.cos(a), 0.0],
                [-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)],
                [np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)],
            ]
        )
        self.order, self.up = order, up
        self.matrix = np.zeros((3, 3))
        self.matrix[:, order] = rows

    def turn(self, p: Any) -> np.ndarray:
        """Right, up, depth."""
        return np.asarray(np.asarray(p, dtype=float) @ self.matrix.T)

    def flat(self, p: Any) -> np.ndarray:
        """Right and up."""
        return self.turn(p)[..., :2]


class Solids:
    """Meshes of all bodies in body axes, for one size of paper."""

    def __init__(self, subject: Drawing, u: float, k: float) -> None:
        self.subject, self.u, self.k = subject, u, k
        size = float(np.max(np.ptp(np.asarray(subject.scene["box"], dtype=float), axis=0))) or 1.0
        self.step = min(size, float(subject.scene.get("single", size)) or size) / 14.0
        self.thin = 2.6 * k * u
        self.bodies = [self._body(i) for i in range(len(subject.scene["bodies"]))]

    def _body(self, i: int) -> Mesh:
        made = Mesh()
        for solid in self.subject.scene["bodies"][i]["solids"]:
            if not solid.get("void"):
                made.join(mesh_of(solid, self.thin, self.step))
        return made


class Painter:
    """Collects facets and lines in space and paints them from the back to the front as one collection."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.depth: list[np.ndarray] = []
        self.shapes: list[Any] = []
        self.faces: list[Any] = []
        self.edges: list[Any] = []
        self.widths: list[np.ndarray] = []

    def mesh(self, mesh: Mesh, put: Any, turn: Any, color: str, line: float = 0.7, ghost: bool = False) -> None:
        """Facets that look at the eye, shaded, and the edges between those that do and those that do not."""
        for facets, both in zip(mesh.facets, mesh.open):
            p = self.view.turn(put(facets.reshape(-1, 3))).reshape(-1, 4, 3)
            normal = np.cross(p[:, 2] - p[:, 0], p[:, 3] - p[:, 1])
            # a triangle repeats its last corner, and a pole its first
            normal = np.where(
                np.linalg.norm(normal, axis=1)[:, None] > 0.0, normal, np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
            )
            size = np.linalg.norm(normal, axis=1)
            normal = normal / np.maximum(size, 1e-300)[:, None]
            seen = ((normal[:, 2] > 0.0) | both) & (size > 0.0)
            normal[normal[:, 2] < 0.0] *= -1.0
            colors = np.full((len(p), 3), _rgb("#eceef1")) if ghost else shaded(color, normal @ LIGHT)
            self._add(p[seen, :, 2].mean(axis=1), p[seen][:, [0, 1, 2, 3, 0], :2], colors[seen], colors[seen], 0.35)
        ink = _rgb(GHOST if ghost else mixed(color, 0.62, INK))
        for edges, normals, sharp, lift in zip(mesh.edges, mesh.normals, mesh.sharp, mesh.lift):
            p = self.view.turn(put(edges.reshape(-1, 3))).reshape(-1, 2, 3)
            facing = (turn(normals.reshape(-1, 3)) @ self.view.matrix[2]).reshape(-1, 2) > 0.0
            seen = facing.any(axis=1) if sharp else facing[:, 0] != facing[:, 1]
            self.lines(p[seen], ink, line, turned=True, lift=lift)
        for center, r in mesh.balls:
            c = self.view.turn(put(center[None]))[0]
            a = np.linspace(0.0, 2.0 * np.pi, 33)
            ring = c + r * np.column_stack([np.cos(a), np.sin(a), np.zeros(33)])
            self.lines(np.stack([ring[:-1], ring[1:]], axis=1), ink, line, turned=True)

    def lines(self, segments: np.ndarray, color: Any, width: float, turned: bool = False, lift: float = 0.0) -> None:
        """Segments (n, 2, 3); `lift` brings them towards the eye."""
        if not len(segments):
            return
        p = segments if turned else self.view.turn(segments.reshape(-1, 3)).reshape(-1, 2, 3)
        depth = p[:, :, 2].mean(axis=1) + lift
        none = np.full((len(p), 4), 0.0)
        self._add(
            depth, p[:, :, :2], none, np.tile(_rgb(color) if isinstance(color, str) else color, (len(p), 1)), width
        )

    def _add(self, depth: np.ndarray, shapes: np.ndarray, faces: np.ndarray, edges: np.ndarray, width: float) -> None:
        n = len(depth)
        if faces.shape[1:] == (3,):
            faces = np.column_stack([faces, np.ones(n)])
        self.depth.append(depth)
        self.shapes.extend(shapes)
        self.faces.append(faces)
        self.edges.append(np.column_stack([edges, np.ones(n)]))
        self.widths.append(np.full(n, width))

    def paint(self, pen: Pen, name: str) -> None:
        """Put everything on paper."""
        if not self.shapes:
            return
        from matplotlib.collections import PolyCollection

        order = np.argsort(np.concatenate(self.depth), kind="stable")
        made = PolyCollection(
            [self.shapes[k] for k in order],
            closed=False,
            facecolors=np.vstack(self.faces)[order],
            edgecolors=np.vstack(self.edges)[order],
            linewidths=np.concatenate(self.widths)[order],
            capstyle="round",
            joinstyle="round",
            zorder=pen.z,
        )
        made.set_gid(name)
        pen.axes.add_collection(made, autolim=False)
        # corners, and points between them
        corners = np.concatenate(
            [np.stack([(1 - f) * s[:-1] + f * s[1:] for f in (0.0, 0.5)]).reshape(-1, 2) for s in self.shapes]
        )
        pen.cover_points(corners)


def _rgb(color: str) -> np.ndarray:
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0


def shaded(color: str, light: np.ndarray) -> np.ndarray:
    """Colours of facets, from how much they look at the light (-1 to 1)."""
    base = _rgb(mixed(color, 0.78))
    s = np.clip(0.5 + 0.5 * light, 0.0, 1.0)[:, None]
    dark, pale = 0.5 * base, 1.0 - 0.42 * (1.0 - base)
    return np.where(s < 0.62, dark + (base - dark) * s / 0.62, base + (pale - base) * (s - 0.62) / 0.38)


# -- the scene -----------------------------------------------------------------------------------------------------------


def bodies(
    painter: Painter, solids: Solids, pose: Pose, ghost: bool = False, chosen: Sequence[int] | None = None,
    color_of: Callable[[int], str] = color_of,
) -> None:  # fmt: skip
    """All bodies at a pose, or those that are chosen."""
    for i in range(len(solids.bodies)) if chosen is None else chosen:
        put = lambda p, i=i: pose.put(i, p)  # noqa: E731
        turn = lambda n, i=i: n @ pose.rotation[i].T  # noqa: E731
        painter.mesh(solids.bodies[i], put, turn, color_of(i), 0.45 if ghost else 0.7, ghost)


def marks(painter: Painter, solids: Solids, pose: Pose) -> None:
    """Joints, springs and links: the solids of their symbols, of a size that suits the paper."""
    scene, same = solids.subject.scene, lambda p: p
    for mark in scene["marks"]:
        for one in fittings(mark, SYMBOL * solids.thin, scene.get("up", 2)):
            if one["paint"] == "glass":
                painter.lines(_rim(one, mark, pose), GROUND, 0.8)
            else:
                painter.mesh(_fitting(one, mark, pose, solids, scene), same, same, PAINTS[one["paint"]], 0.6)


def wires(painter: Painter, subject: Drawing, pose: Pose) -> None:
    """Planes and balls that contacts touch, as lines."""
    for wire in subject.scene.get("wires", ()):
        for line in wire["lines"]:
            points = pose.put(wire["body"], line)
            painter.lines(np.stack([points[:-1], points[1:]], axis=1), GROUND, 0.7)


def _frame(one: dict[str, Any], mark: dict[str, Any], pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Where a solid of a symbol is now: origin and axes."""
    place = mark["places"][one["end"]]
    return pose.at(place), np.column_stack([pose.turn(place[0], e) for e in np.asarray(mark["frames"][one["end"]]).T])


def _rim(one: dict[str, Any], mark: dict[str, Any], pose: Pose) -> np.ndarray:
    """Rim of a plate that can be seen through."""
    origin, axes = _frame(one, mark, pose)
    x0, x1, y0, y1 = one["size"]
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]])
    line = origin + np.column_stack([corners, np.full(5, one["z"][1])]) @ axes.T
    return np.stack([line[:-1], line[1:]], axis=1)


def _fitting(one: dict[str, Any], mark: dict[str, Any], pose: Pose, solids: Solids, scene: dict[str, Any]) -> Mesh:
    kind, size, step = one["solid"], one["size"], solids.step
    origin, axes = _frame(one, mark, pose)
    if "span" in one:
        d = pose.at(mark["places"][-1]) - origin
        long = float(np.linalg.norm(d))
        if not long > 0.0:
            return Mesh()
        axes, z = axes_along(d / long), [long * share for share in one["span"][1:]]
    elif kind == "foot":
        origin = pose.at(next(place for place in mark["places"] if place[0] < 0))
        up = np.eye(3)[scene.get("up", 2)] * (-1.0 if scene.get("down") else 1.0)
        return foot(origin, axes_along(up), size, step)
    else:
        z = one["z"]
    if kind == "cylinder":
        made = bar([0, 0, z[0]], [0, 0, z[1]], size[0], step)
    elif kind == "box":
        made = block([0, 0, 0.5 * (z[0] + z[1])], [*size, z[1] - z[0]], step)
    elif kind == "ball":
        made = ball(np.zeros(3), size[0])
    elif kind == "cone":
        made = cone(size[0], size[1], size[2], one["turn"], z[0], step)
    else:
        made = hoop(_wound(kind, size, one["turn"], z), size[-1] if kind == "spiral" else size[1], step)
    return made.moved(origin, axes)


def _wound(kind: str, size: list[float], turn: float, z: list[float]) -> np.ndarray:
    """Line of a ring, a coil or a spiral about z."""
    turns = turn / (2.0 * np.pi) if kind == "ring" else 3.0
    if kind == "coil":
        turns = float(np.clip(round((z[1] - z[0]) / size[2]), 5, 60))
    s = np.linspace(0.0, 1.0, int(np.ceil(20 * turns)) + 1)
    r = size[0] + (s * (size[1] - size[0]) if kind == "spiral" else 0.0 * s)
    a = 2.0 * np.pi * turns * s
    return np.column_stack([r * np.cos(a), r * np.sin(a), z[0] + s * (z[1] - z[0])])


def floor(pen: Pen, view: View, box: np.ndarray, factor: float = 1.0) -> float:
    """Grid on the floor of the box; returns its step, which is round in units of 1/factor metres."""
    low, high = box
    i, j = view.order[:2]
    size = float(np.max(high - low)) or 1.0
    step = round_below(size / 4.0 * factor) / factor
    ranges = []
    for k in (i, j):
        pad = max(0.0, 0.3 * size - 0.5 * float(high[k] - low[k]))
        ranges.append(np.arange(np.floor((low[k] - pad) / step), np.ceil((high[k] + pad) / step - 1e-9) + 0.5) * step)
    segments = []
    for x in ranges[0]:
        segments.append(_on_floor(view, low, [(x, ranges[1][0]), (x, ranges[1][-1])]))
    for y in ranges[1]:
        segments.append(_on_floor(view, low, [(ranges[0][0], y), (ranges[0][-1], y)]))
    keeps, pen.keeps = pen.keeps, False
    pen.strokes(segments, "#dfe2e6", 0.7)
    pen.keeps = keeps
    return step


def _on_floor(view: View, low: np.ndarray, ends: list[tuple[float, float]]) -> np.ndarray:
    points = np.zeros((2, 3))
    for row, (x, y) in zip(points, ends):
        row[view.order[0]], row[view.order[1]], row[view.up] = x, y, low[view.up]
    return view.flat(points)


def triad(pen: Pen, view: View, grid: str) -> None:
    """Axes in the lower left corner."""
    pen.z = 10.0
    o = pen.low + pen.u * np.array([34.0, 32.0])
    for k, name in enumerate("xyz"):
        d = view.flat(np.eye(3)[k])
        pen.arrow(o, 22.0 * pen.u * d, GROUND, 1.2, f"axis:{name}")
        at = o + pen.u * (22.0 * d + 8.0 * d / max(float(np.hypot(*d)), 0.25))
        pen.text(at, name, GROUND, 8.5, fontstyle="italic")
    pen.text(pen.low + pen.u * np.array([70.0, 11.0]), grid, GROUND, 8.0, ha="left", gid="scale-text")
