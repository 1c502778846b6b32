"""What scenes of mechanisms and of Lagrangian systems share: outlines of bodies, the size of the picture, what is upright.

A scene is plain data (see scene.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.glyphs import glyph
from ..model.shapes.outline import polylines
from ..results.shown import Shown, faces, hull_of

if TYPE_CHECKING:
    from ..results.record import Record


Index = dict[tuple[str, str], int]
# poses at which the size of the picture is found
POSES = 60


class SceneMaker:
    """A result on its way to a scene: who inherits says whether it is drawn in the plane, and what the bodies are."""

    run: Record
    plane: bool
    shown: list[Shown]

    def cut(self, x: Any) -> list[float]:
        """Coordinates that are drawn."""
        return [float(c) for c in (x[:2] if self.plane else x)]

    def body(self, k: int, motion: dict[str, int], size: float) -> dict[str, Any]:
        """Body of the scene, which is `size` large; `motion` names the quantities of the page that move it."""
        body = self.shown[k]
        items = list(flat_items(body, size) if self.plane else space_items(body))
        return {"name": body.name, "motion": motion, "center": self.cut(body.center), "items": items}

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
