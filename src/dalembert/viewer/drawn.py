"""Bodies as drawings need them, the same of mechanisms and of Lagrangian systems: motion, outlines, size of the picture.

A scene is plain data (see scene.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.glyphs import glyph
from ..model.shapes.outline import polylines

if TYPE_CHECKING:
    from ..results.record import Record
    from ..results.series import Series


Index = dict[tuple[str, str], int]
# quantities that a scene needs besides those of the page, with their part and what they are
Listed = Iterator[tuple[tuple[str, str], "Series"]]
# poses at which the size of the picture is found
POSES = 60


@dataclass
class Shown:
    """One body to draw: motion, outline in body axes, points of joints in body axes (about the origin of its frame)."""

    name: str
    origin: np.ndarray  # (time, 3)
    rotation: np.ndarray  # (time, 3, 3)
    outline: list[dict[str, Any]]
    center: np.ndarray
    joints: list[np.ndarray] = field(default_factory=list)
    ends: list[np.ndarray] = field(default_factory=list)  # of springs and the like

    def at(self, k: int, points: np.ndarray) -> np.ndarray:
        """Points of the body in space at output k."""
        return self.origin[k] + points @ self.rotation[k].T

    @property
    def plain(self) -> bool:
        """Whether the shape has no extent, so that the joints must show where the body is."""
        return all(item["type"] == "point" for item in self.outline)


@dataclass
class Pose:
    """All bodies at one instant: origins of their frames and rotations; the run and output it belongs to, for velocities and loads."""

    t: float
    origin: np.ndarray  # (body, 3)
    rotation: np.ndarray  # (body, 3, 3)
    run: Any = None
    k: int = 0

    def put(self, body: int, points: Any) -> np.ndarray:
        """Points of a body (the ground is -1) in space; two coordinates stay two."""
        given = np.atleast_2d(np.asarray(points, dtype=float))
        if body < 0:
            return given
        n = given.shape[1]
        return self.origin[body, :n] + given @ self.rotation[body, :n, :n].T

    def at(self, place: Any) -> np.ndarray:
        """A place of the scene: (body, point)."""
        return self.put(place[0], [place[1]])[0]

    def turn(self, body: int, direction: Any) -> np.ndarray:
        """Direction on a body in space."""
        d = np.asarray(direction, dtype=float)
        return d if body < 0 else self.rotation[body, : len(d), : len(d)] @ d

    def angle(self, body: int) -> float:
        """Angle of a body in the plane."""
        return 0.0 if body < 0 else float(np.arctan2(self.rotation[body, 1, 0], self.rotation[body, 0, 0]))


class SceneMaker:
    """A result on its way to a scene: who inherits says whether it is drawn in the plane, what the bodies are, and what joins them."""

    run: Record
    plane: bool
    shown: list[Shown]
    supports: list[Shown]  # points that only time moves; in the scene they stand behind the bodies
    motion: dict[str, str]  # what moves a body, and the quantity of the page that holds it

    def quantities(self) -> Listed:
        """What the drawing needs besides the quantities of the page."""
        raise NotImplementedError

    def scene(self, index: Index) -> dict[str, Any]:
        """The scene; `index` gives the numbers of quantities by (part, what)."""
        raise NotImplementedError

    @property
    def origins(self) -> np.ndarray:
        """Places of all bodies of the scene (time, body, 3)."""
        return np.stack([body.origin for body in (*self.shown, *self.supports)], axis=1)

    @property
    def rotations(self) -> np.ndarray:
        """Their rotations (time, body, 3, 3)."""
        return np.stack([body.rotation for body in (*self.shown, *self.supports)], axis=1)

    def cut(self, x: Any) -> list[float]:
        """Coordinates that are drawn."""
        return [float(c) for c in (x[:2] if self.plane else x)]

    def bodies(self, index: Index, box: np.ndarray) -> list[dict[str, Any]]:
        """Bodies of the scene, whose box is known."""
        made, size = [], float(np.max(box[1] - box[0])) or 1.0
        for body in self.shown:
            motion = {what: index[body.name, x] for what, x in self.motion.items() if (body.name, x) in index}
            items = list(flat_items(body, size) if self.plane else space_items(body))
            made.append({"name": body.name, "motion": motion, "center": self.cut(body.center), "items": items})
        return made

    def free_ends(self) -> list[dict[str, Any]]:
        """Free ends of slender bodies, as points of the scene."""
        return [
            {"name": f"end of {body.name}", "place": [k, self.cut(p)]}
            for k, body in enumerate(self.shown)
            for p in free_end(body)
        ]

    def assembled(self, box: np.ndarray, single: float, gravity: np.ndarray, **parts: Any) -> dict[str, Any]:
        """The scene of bodies, marks and points, with its box, and the size of a single pose."""
        marks = parts["marks"]
        made = {"plane": self.plane, "box": box, "single": single, **parts}
        made["glyphs"] = {name: glyph(name).data() for name in sorted({mark["glyph"] for mark in marks})}
        if not self.plane:
            # the axis that gravity follows is drawn upright
            up = int(np.argmax(np.abs(gravity))) if np.any(gravity) else 2
            unit = symbol_size(self.shown, single, float(np.max(box[1] - box[0])) or 1.0)
            made.update(up=up, down=bool(gravity[up] > 0.0), unit=unit, floor=None)
        return made


def flat_items(body: Shown, size: float) -> Iterator[dict[str, Any]]:
    """Outline of a body in the plane: bars, areas, points."""
    if body.plain:
        corners = np.array([*body.joints, *body.ends]) if body.joints else body.center[None]
        if body.joints and float(np.max(np.ptp(corners, axis=0))) <= 1e-9 * size:
            corners = np.vstack([corners[:1], body.center[None]])
        if len(corners) > 2:
            hull = corners[hull_of(corners[:, :2])]
            x, y = hull[:, 0], hull[:, 1]
            area = 0.5 * abs(float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])))
            # a ternary link is a plate, points on one line a bar
            yield {"kind": "area" if area > 1e-6 * size * size else "bar", "points": hull[:, :2]}
        elif len(corners) == 2:
            yield {"kind": "bar", "points": corners[:, :2]}
        yield {"kind": "point", "points": body.center[None, :2]}
        return
    for item in body.outline:
        kind = item["type"] if item["type"] in ("point",) else "bar" if item["type"] == "line" else "area"
        for line in faces(item):
            made = {"kind": kind, "points": line[:, :2]}
            if item["type"] in ("circle", "cylinder"):
                # a spoke shows that a round body turns
                made["round"] = True
            yield {**made, "void": True} if item["void"] else made


def space_items(body: Shown) -> Iterator[dict[str, Any]]:
    """Outline of a body as lines in space; lines to joints beside the shape say what belongs to it."""
    if not body.plain:
        for item in body.outline:
            for line in polylines([item], 36):
                yield {"kind": "bar" if item["type"] == "line" else "line", "points": line}
    for joint in body.joints:
        yield {"kind": "bar" if body.plain else "thin", "points": np.array([body.center, joint])}
    if body.plain:
        yield {"kind": "point", "points": body.center[None]}


def free_end(body: Shown) -> list[np.ndarray]:
    """Free end of a slender body with one joint."""
    if len(body.joints) != 1 or body.plain:
        return []
    line = np.vstack(polylines(body.outline, 24))
    spread = np.sort(np.linalg.svd(line - line.mean(axis=0), compute_uv=False))
    if spread[-2] > 0.5 * spread[-1]:
        return []
    return [line[int(np.argmax(np.linalg.norm(line - body.joints[0], axis=1)))]]


def symbol_size(shown: list[Shown], single: float, size: float) -> float:
    """Size of symbols (m): small beside a typical body, neither lost nor too large in the picture."""
    # a lone point mass has no size of its own; its path has
    single = single if single > 1e-6 * size else size
    sizes = []
    for body in shown:
        points = np.vstack([*polylines(body.outline, 12), *(p[None] for p in (body.center, *body.joints))])
        sizes.append(float(np.max(np.ptp(points, axis=0))))
    typical = float(np.median([size for size in sizes if size > 0.0] or [single or 1.0]))
    return float(np.clip(0.05 * typical, min(0.004 * single, 0.25 * typical), 0.02 * single)) or 0.01


def box_of(
    shown: list[Shown], plane: bool, fixed: list[list[float]], rims: dict[int, list[np.ndarray]]
) -> tuple[np.ndarray, float]:
    """Smallest and largest coordinates that are reached, by bodies and by what is fixed to the ground; size of a single pose."""
    if not shown:
        return np.array([[-1.0] * 3, [1.0] * 3])[:, : 2 if plane else 3], 2.0
    n = len(shown[0].origin)
    outputs = np.unique(np.linspace(0, n - 1, min(n, POSES)).round().astype(int))
    found = []  # points of one body at all poses: (pose, point, 3)
    for i, body in enumerate(shown):
        places = [p[None] for p in (body.center, *body.joints, *body.ends)]
        points = np.vstack([*polylines(body.outline, 12), *places, *rims.get(i, [])])
        found.append(np.array([body.at(int(k), points) for k in outputs]))
    poses = np.concatenate(found, axis=1)
    single = float(np.nanmax(np.ptp(poses, axis=1)))
    every = poses.reshape(-1, 3)
    every = every[np.isfinite(every).all(axis=1)]
    every = np.vstack([every[:, : 2 if plane else 3], *(np.array([p]) for p in fixed)])
    return np.array([every.min(axis=0), every.max(axis=0)]), single


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
