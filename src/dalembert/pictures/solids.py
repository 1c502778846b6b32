"""Solids as facets in body axes: quadrilaterals small enough to be sorted by depth, and the edges that outline them.

A facet is four corners, counterclockwise from outside; a triangle repeats its last corner.  An edge has the normals of the facets on its
two sides: a smooth one is drawn where one of them turns away, a sharp one where not both do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

ROUND = 44  # sides of a full circle
NOWHERE, UNTURNED = np.zeros(3), np.eye(3)


@dataclass
class Mesh:
    """Facets (n, 4, 3), whether both sides of them are seen; edges (n, 2, 3) with two normals each, and whether they are sharp."""

    facets: list[np.ndarray] = field(default_factory=list)
    open: list[np.ndarray] = field(default_factory=list)
    edges: list[np.ndarray] = field(default_factory=list)
    normals: list[np.ndarray] = field(default_factory=list)
    sharp: list[bool] = field(default_factory=list)
    # half the width of facets beside an edge: so much nearer must it be painted
    lift: list[float] = field(default_factory=list)
    balls: list[tuple[np.ndarray, float]] = field(default_factory=list)

    def add(self, facets: np.ndarray, both: bool = False) -> None:
        """Add facets."""
        self.facets.append(facets.reshape(-1, 4, 3))
        self.open.append(np.full(len(self.facets[-1]), both))

    def edge(self, points: np.ndarray, normals: np.ndarray, lift: float, sharp: bool = False) -> None:
        """Add edges (n, 2, 3) with the normals on their two sides (n, 2, 3)."""
        points = points.reshape(-1, 2, 3)
        self.edges.append(points)
        self.normals.append(
            np.broadcast_to(normals, (len(points), 2, 3)) if normals.ndim == 2 else normals.reshape(-1, 2, 3)
        )
        self.sharp.append(sharp)
        self.lift.append(lift)

    def outline(self, line: np.ndarray, lift: float, *normals: np.ndarray) -> None:
        """Add a sharp line through points, between facets with these normals (each one, or one for each piece)."""
        n = len(line) - 1
        both = np.stack([np.broadcast_to(x, (n, 3)) for x in normals], axis=1)
        self.edge(np.stack([line[:-1], line[1:]], axis=1), both, lift, True)

    def moved(self, at: Any, axes: Any) -> Mesh:
        """The mesh with its origin at a point, and turned."""
        made = Mesh()
        made.join(self, np.asarray(at, dtype=float), np.asarray(axes, dtype=float))
        return made

    def join(self, other: Mesh, at: np.ndarray = NOWHERE, axes: np.ndarray = UNTURNED) -> None:
        """Add another mesh, moved."""
        self.facets += [at + f @ axes.T for f in other.facets]
        self.open += other.open
        self.edges += [at + e @ axes.T for e in other.edges]
        self.normals += [n @ axes.T for n in other.normals]
        self.sharp += other.sharp
        self.lift += other.lift
        self.balls += [(at + axes @ c, r) for c, r in other.balls]


def mesh_of(solid: dict[str, Any], thin: float, step: float) -> Mesh:
    """Mesh of a solid of a scene (see viewer/solids.py); bars have the radius `thin`, facets are no longer than about `step`."""
    kind = solid["solid"]
    if kind == "bar":
        made, points = Mesh(), np.asarray(solid["points"], dtype=float)
        for a, b in zip(points[:-1], points[1:]):
            made.join(bar(a, b, (0.45 if solid["thin"] else 1.0) * thin, step))
        return made
    if kind == "box":
        made = _box(np.asarray(solid["size"], dtype=float), step)
    elif kind == "cone":
        made = _turned([(solid["radius"], 0.0), (1e-6 * solid["radius"], solid["height"])], step)
    elif kind == "cylinder":
        # short pieces, so that a rod within a tube stays behind it
        radius = float(solid["radius"])
        made = _tube(radius, float(solid["inner"]), float(solid["length"]), min(step, 1.5 * radius))
    elif kind == "prism":
        made = _prism(np.asarray(solid["points"], dtype=float), float(solid["length"]), step)
    elif kind == "ring":
        turn = np.linspace(0.0, 2.0 * np.pi, ROUND + 1)
        line = solid["radius"] * np.column_stack([np.cos(turn), np.sin(turn), np.zeros(len(turn))])
        made = hoop(line, solid["tube"] or 0.7 * thin, step)
    else:
        made = ball(NOWHERE, float(solid["radius"]) or 2.0 * thin)
    return made.moved(solid["center"], solid["axes"])


def bar(a: Any, b: Any, radius: float, step: float, sides: int = 14, rims: bool = True) -> Mesh:
    """Round bar from a to b."""
    d = np.asarray(b, dtype=float) - np.asarray(a, dtype=float)
    long = float(np.linalg.norm(d))
    if not long > 0.0:
        return Mesh()
    return _turned([(radius, 0.0), (radius, long)], step, sides=sides, rims=rims).moved(a, axes_along(d / long))


def block(center: Any, size: Any, step: float) -> Mesh:
    """Box about a point."""
    return _box(np.asarray(size, dtype=float), step).moved(center, UNTURNED)


def cone(radius: float, height: float, away: float, angle: float, z: float, step: float) -> Mesh:
    """Head of an arrow that goes around z, at a distance from it."""
    c, s = np.cos(angle), np.sin(angle)
    made = _turned([(radius, 0.0), (1e-6 * radius, height)], step, sides=14)
    return made.moved([away * c, away * s, z], axes_along(np.array([-s, c, 0.0])))


def foot(top: np.ndarray, axes: np.ndarray, size: list[float], step: float) -> Mesh:
    """Pyramid on a plate under a point; sizes: half its width, its height, side of the plate."""
    wide, high, plate = size
    made = _turned([(wide, -high), (0.26 * wide, 0.0)], step, sides=4)
    thick = 0.12 * high
    made.join(block([0.0, 0.0, -high - 0.5 * thick], [plate, plate, thick], step))
    return made.moved(top, axes)


def hoop(line: np.ndarray, radius: float, step: float) -> Mesh:
    """Thin bar along a line."""
    made = Mesh()
    for a, b in zip(line[:-1], line[1:]):
        made.join(bar(a, b, radius, step, sides=8, rims=False))
    return made


def axes_along(z: np.ndarray) -> np.ndarray:
    """Rotation whose third column is z."""
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _pieces(length: float, step: float) -> int:
    return int(np.clip(np.ceil(length / step), 1, 40))


def _turned(
    profile: list[tuple[float, float]], step: float, caps: bool = True, sides: int = ROUND, rims: bool = True
) -> Mesh:
    """Surface of revolution about z from a line (radius, height), upward outside; caps at its ends."""
    made = Mesh()
    turn = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    e = np.column_stack([np.cos(turn), np.sin(turn)])
    for (r1, z1), (r2, z2) in zip(profile[:-1], profile[1:]):
        n = _pieces(float(np.hypot(r2 - r1, z2 - z1)), step)
        s = np.linspace(0.0, 1.0, n + 1)[:, None, None]
        ring = np.concatenate(
            [(r1 + s * (r2 - r1)) * e[None], np.broadcast_to(z1 + s * (z2 - z1), (n + 1, sides + 1, 1))], axis=2
        )
        low, high = ring[:-1], ring[1:]
        made.add(np.stack([low[:, :-1], low[:, 1:], high[:, 1:], high[:, :-1]], axis=2))
        # silhouettes: lines along the surface between two neighbouring facets
        slope = np.array([z2 - z1, r1 - r2]) / (np.hypot(z2 - z1, r2 - r1) or 1.0)
        middle = turn[:-1] + np.pi / sides
        normal = np.column_stack([slope[0] * np.cos(middle), slope[0] * np.sin(middle), np.full(sides, slope[1])])
        both = np.stack([np.roll(normal, 1, axis=0), normal], axis=1)
        lines = np.stack([low[:, :-1], high[:, :-1]], axis=2)
        made.edge(lines, np.broadcast_to(both, (n, sides, 2, 3)), np.pi * max(r1, r2) / sides)
    if not caps:
        return made
    for (r, z), up in ((profile[0], False), (profile[-1], True)):
        if r > 1e-4 * max(p[0] for p in profile):
            _disk(made, e, 0.0, r, z, up, step)
            if rims:
                made.outline(np.column_stack([r * e, np.full(len(e), z)]), 0.5 * min(step, r), _up(up), _around(e))
    return made


def _up(up: bool) -> np.ndarray:
    return np.array([0.0, 0.0, 1.0 if up else -1.0])


def _around(e: np.ndarray) -> np.ndarray:
    """Normals of the sides of a cylinder whose corners lie in the directions e."""
    middle = e[:-1] + e[1:]
    return np.column_stack([middle / np.linalg.norm(middle, axis=1)[:, None], np.zeros(len(middle))])


def _disk(
    made: Mesh, e: np.ndarray, inner: float, r: float, z: float, up: bool, step: float, both: bool = False
) -> None:
    radii = np.linspace(inner, r, _pieces(r - inner, step) + 1)
    for a, b in zip(radii[:-1], radii[1:]):
        low, high = (np.column_stack([x * e, np.full(len(e), z)]) for x in (a, b))
        quads = np.stack([low[:-1], high[:-1], high[1:], low[1:]], axis=1)
        made.add(quads if up else quads[:, ::-1], both)


def _tube(r: float, inner: float, long: float, step: float) -> Mesh:
    made = Mesh()
    turn = np.linspace(0.0, 2.0 * np.pi, ROUND + 1)
    e = np.column_stack([np.cos(turn), np.sin(turn)])
    if not long > 0.0:
        _disk(made, e, inner, r, 0.0, True, step, True)
        for x in sorted({r, inner} - {0.0}):
            made.outline(np.column_stack([x * e, np.zeros(len(e))]), 0.5 * min(step, r), _up(True), _up(False))
        return made
    half = 0.5 * long
    made.join(_turned([(r, -half), (r, half)], step, caps=False))
    for z, up in ((-half, False), (half, True)):
        _disk(made, e, inner, r, z, up, step)
        for x in sorted({r, inner} - {0.0}):
            made.outline(
                np.column_stack([x * e, np.full(len(e), z)]),
                0.5 * min(step, r - inner),
                _up(up),
                _around(e) if x == r else -_around(e),
            )
    if inner > 0.0:
        hole = _turned([(inner, -half), (inner, half)], step, caps=False)
        made.facets += [f[:, ::-1] for f in hole.facets]
        made.open += hole.open
    return made


def _box(size: np.ndarray, step: float) -> Mesh:
    made, half = Mesh(), 0.5 * size
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        for side in (-1.0, 1.0):
            corner, u, v = np.zeros(3), np.zeros(3), np.zeros(3)
            corner[[i, j]], corner[k] = -half[[i, j]], side * half[k]
            u[i], v[j] = size[i], size[j]
            _patch(made, corner, *((u, v) if side > 0 else (v, u)), step)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        for a in (-1.0, 1.0):
            for b in (-1.0, 1.0):
                ends = np.zeros((2, 3))
                ends[:, i], ends[:, j], ends[:, k] = a * half[i], b * half[j], [-half[k], half[k]]
                n = _pieces(float(size[k]), step)
                made.outline(
                    ends[0] + np.linspace(0.0, 1.0, n + 1)[:, None] * (ends[1] - ends[0]),
                    0.5 * min(step, max(size[i], size[j])),
                    a * np.eye(3)[i],
                    b * np.eye(3)[j],
                )
    return made


def _patch(made: Mesh, corner: np.ndarray, u: np.ndarray, v: np.ndarray, step: float) -> None:
    """Flat rectangle with normal u x v, in pieces."""
    a, b = (np.linspace(0.0, 1.0, _pieces(float(np.linalg.norm(x)), step) + 1) for x in (u, v))
    grid = corner + a[:, None, None] * u + b[None, :, None] * v
    made.add(np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2))


def _prism(flat: np.ndarray, thick: float, step: float) -> Mesh:
    made = Mesh()
    area = 0.5 * float(np.sum(flat[:, 0] * np.roll(flat[:, 1], -1) - np.roll(flat[:, 0], -1) * flat[:, 1]))
    flat = flat if area > 0.0 else flat[::-1]
    zs = [-0.5 * thick, 0.5 * thick] if thick else [0.0]
    lifted = [np.column_stack([flat, np.full(len(flat), z)]) for z in zs]
    sides = np.roll(flat, -1, axis=0) - flat
    around = np.column_stack([sides[:, 1], -sides[:, 0], np.zeros(len(flat))])
    for line, up in zip(lifted, (False, True) if thick else (True,)):
        made.outline(np.vstack([line, line[:1]]), 0.5 * step, _up(up), around if thick else _up(False))
        for tri in _triangles(flat):
            corners = line[[*tri, tri[-1]]]
            _split(made, corners if up else corners[[2, 1, 0, 0]], step, not thick)
    if thick:
        low, high = lifted
        for a, b in zip(range(len(flat)), np.roll(range(len(flat)), -1)):
            made.add(np.array([[low[a], low[b], high[b], high[a]]]))
            # corners of a curve that many points stand for are smooth
            bent = float(np.dot(around[a], around[a - 1]))
            sharp = bent < 0.9 * float(np.linalg.norm(around[a]) * np.linalg.norm(around[a - 1]))
            made.edge(np.array([[low[a], high[a]]]), np.array([around[a], around[a - 1]]), 0.3 * step, sharp)
    return made


def _split(made: Mesh, tri: np.ndarray, step: float, both: bool) -> None:
    """Triangle in smaller ones, so that depth can sort them."""
    a, b, c = tri[:3]
    n = min(8, _pieces(max(float(np.linalg.norm(x)) for x in (b - a, c - b, a - c)), step))
    at = lambda i, j: a + i / n * (b - a) + j / n * (c - a)  # noqa: E731
    found = []
    for i in range(n):
        for j in range(n - i):
            found.append([at(i, j), at(i + 1, j), at(i, j + 1), at(i, j + 1)])
            if j < n - i - 1:
                found.append([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1), at(i, j + 1)])
    made.add(np.array(found), both)


def _triangles(p: np.ndarray) -> list[tuple[int, int, int]]:
    """Triangles of a simple polygon given counterclockwise: ears are cut off one by one."""
    left, found = list(range(len(p))), []
    cross = lambda a, b, c: (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])  # noqa: E731
    while len(left) > 3:
        for k in range(len(left)):
            i, j, m = left[k - 1], left[k], left[(k + 1) % len(left)]
            if cross(p[i], p[j], p[m]) <= 0.0:
                continue
            inside = (
                min(cross(p[i], p[j], p[o]), cross(p[j], p[m], p[o]), cross(p[m], p[i], p[o])) >= 0.0
                for o in left
                if o not in (i, j, m)
            )
            if not any(inside):
                found.append((i, j, m))
                left.pop(k)
                break
        else:
            break  # crossing itself: what is left is drawn as one fan
    return found + [(left[0], left[k], left[k + 1]) for k in range(1, len(left) - 1)]


def ball(center: Any, r: float) -> Mesh:
    """Sphere."""
    made, rings, sides = Mesh(), 14, 28
    polar = np.linspace(0.0, np.pi, rings + 1)
    turn = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    grid = r * np.stack(
        [np.sin(polar)[:, None] * np.cos(turn), np.sin(polar)[:, None] * np.sin(turn), np.broadcast_to(np.cos(polar)[:, None], (rings + 1, sides + 1))],
        axis=2,
    )  # fmt: skip
    low, high = grid[1:], grid[:-1]
    made.add(center + np.stack([low[:, :-1], low[:, 1:], high[:, 1:], high[:, :-1]], axis=2))
    made.balls.append((np.asarray(center, dtype=float), r))
    return made
