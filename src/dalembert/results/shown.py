"""Bodies of a run as drawings need them: motion, outlines of their shapes, places of joints and force elements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.shapes.outline import polylines

if TYPE_CHECKING:
    from .result import Result


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


def gather(run: Result) -> list[Shown]:
    """Bodies of a run as plain arrays."""
    drawing = run.system.builder.drawing
    bodies: dict[int, Shown] = {}
    for body in run.system.builder.bodies:
        motion, pose = run.kinematics(body), drawing.poses[body]
        assert body.shape is not None
        # kinematics are those of the mass centre; outlines refer to the origin of the body frame
        origin = motion.position - motion.rotation @ pose.center
        bodies[id(body)] = Shown(body.name, origin, motion.rotation, body.shape.outline(drawing.number), pose.center)
    for part in (*run.parts("joint"), *run.parts("force")):
        if part.located and len(part.markers) > 1:
            for a in drawing.attach(part.markers[0], part.markers[-1]):
                if id(a.body) in bodies:
                    shown = bodies[id(a.body)]
                    (shown.joints if part.kind == "joint" else shown.ends).append(a.point + shown.center)
    for part in run.parts("driver"):
        if part.measure.kind == "distance":  # a cylinder: its ends are places of the bodies
            for a in drawing.attach(part.measure.i, part.measure.j):
                if id(a.body) in bodies:
                    bodies[id(a.body)].ends.append(a.point + bodies[id(a.body)].center)
    return list(bodies.values())


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
