"""What contacts touch, drawn: a line of the ground, a bowl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.forces import Contact
from ..model.joints.cam import Cam
from .cones import ball_radius

if TYPE_CHECKING:
    from ..results.result import Result


def add_grounds(run: Result, scene: dict[str, Any]) -> None:
    """Lines of the ground (`floor`, what is fixed on its right) and circles (`bowl`: place and radius) of contacts in the plane.

    A plane that several contacts have is drawn once, with the first of them.
    """
    marks, drawing = {mark["name"]: mark for mark in scene["marks"]}, run.system.builder.drawing
    more = 0.25 * float(np.max(np.ptp(np.asarray(scene["box"], dtype=float), axis=0)))
    planes: dict[tuple[float, ...], dict[str, Any]] = {}
    for part in run.parts("force"):
        if not isinstance(part, Contact) or part.name not in marks:
            continue
        base, _ = drawing.attach(*part.markers)
        if part.markers[0].x is None and base.body.shape is None:
            marks[part.name]["bowl"] = [marks[part.name]["places"][0], ball_radius(drawing, part)]
        elif part.markers[0].x is not None and base.body.is_ground:
            normal = base.axes[:2, 0]
            along, height = np.array([normal[1], -normal[0]]), float(normal @ base.point[:2])
            low, high = _reach(run, part, along)
            mark = planes.setdefault(tuple(np.round([*normal, height], 9)), marks[part.name])
            ends = [np.asarray(p) @ along for p in mark.get("floor", ())]
            ends = [min(low - more, *ends), max(high + more, *ends)] if ends else [low - more, high + more]
            mark["floor"] = [(height * normal + s * along).tolist() for s in ends]


def profiles(run: Result) -> dict[str, list[np.ndarray]]:
    """Profiles of cams, closed lines in space at the first output, by name of the body that turns with them."""
    found: dict[str, list[np.ndarray]] = {}
    for part in run.parts("joint"):
        if not isinstance(part, Cam) or not (cam := run[part.name]).known:
            continue
        found.setdefault(part._layout.centre.body.name, []).append(cam.profile())
    return found


def ground_height(run: Result, up: int) -> float | None:
    """Height of a level plane of the ground that a contact in space has."""
    for part in run.parts("force"):
        if isinstance(part, Contact) and part.markers[0].x is not None and part.i.is_ground:
            base, _ = run.system.builder.drawing.attach(*part.markers)
            if abs(base.axes[up, 0]) > 1.0 - 1e-6:
                return float(base.point[up])
    return None


def _reach(run: Any, part: Contact, along: np.ndarray) -> tuple[float, float]:
    """From where to where what touches goes along a direction."""
    attach, motion = run.system.builder.drawing.attach, run.kinematics(part.j)
    ends = [attach(gap.terms[0][1].i, gap.terms[0][1].j)[1] for gap in part.gaps.values()]
    reach = np.array([(motion.position + motion.rotation @ end.point)[:, :2] @ along for end in ends])
    return float(np.nanmin(reach)), float(np.nanmax(reach))
