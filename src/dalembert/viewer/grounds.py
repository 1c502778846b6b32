"""What contacts and followers touch, drawn: lines and planes of the ground, bowls, cams and rollers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.forces import Contact
from ..model.joints.cam import Cam
from .cones import ball_radius

if TYPE_CHECKING:
    from ..results.result import Result


LARGE = 3.0  # a bowl is seen whole up to so many times the size of what moves


def add_grounds(run: Result, scene: dict[str, Any], hidden: set[str]) -> None:
    """Lines of the ground (`floor`, what is fixed on its right) and circles (`bowl`: place and radius) of contacts in the plane; `hidden` has bodies without a shape.

    A plane that several contacts have is drawn once, with the first of them.
    """
    marks, drawing = {mark["name"]: mark for mark in scene["marks"]}, run.system.builder.drawing
    more = 0.25 * float(np.max(np.ptp(np.asarray(scene["box"], dtype=float), axis=0)))
    planes: dict[tuple[float, ...], dict[str, Any]] = {}
    for part in run.parts("force"):
        if not isinstance(part, Contact) or part.name not in marks:
            continue
        base, _ = drawing.attach(*part.markers)
        if part.markers[0].x is None and base.body.name in hidden:
            place, radius = marks[part.name]["places"][0], ball_radius(drawing, part)
            marks[part.name]["bowl"] = [place, radius]
            if place[0] < 0 and radius <= LARGE * 4.0 * more:
                enlarge(scene, np.array([place[1]]) + radius * np.array([[-1.0, -1.0], [1.0, 1.0]]))
        elif part.markers[0].x is not None and base.body.is_ground:
            normal = base.axes[:2, 0]
            along, height = np.array([normal[1], -normal[0]]), float(normal @ base.point[:2])
            low, high = _reach(run, part, along)
            mark = planes.setdefault(tuple(np.round([*normal, height], 9)), marks[part.name])
            ends = [np.asarray(p) @ along for p in mark.get("floor", ())]
            ends = [min(low - more, *ends), max(high + more, *ends)] if ends else [low - more, high + more]
            mark["floor"] = [(height * normal + s * along).tolist() for s in ends]


def profiles(run: Result) -> Iterator[tuple[str, np.ndarray, str]]:
    """Cams, arms and rollers of followers: the body that each belongs to, a line in space at the first output, closed but for an arm, and which it is."""
    for part in run.parts("joint"):
        if not isinstance(part, Cam) or not (cam := run[part.name]).known:
            continue
        follower = part._layout.follower.body.name
        lines = ((part._layout.centre.body.name, cam.profile(), "cam"), (follower, cam.arm(), "arm"), (follower, cam.roller(), "roller"))  # fmt: skip
        yield from ((name, line, kind) for name, line, kind in lines if line is not None)


def enlarge(scene: dict[str, Any], points: np.ndarray) -> None:
    """Make a scene large enough for points that stand still; they are in every pose."""
    every = np.vstack([scene["box"], points])
    scene["box"] = np.array([every.min(axis=0), every.max(axis=0)])
    scene["single"] = max(scene["single"], float(np.max(np.ptp(points, axis=0))))


def wires(run: Result, hidden: set[str], up: int, floor: float | None, size: float) -> list[dict[str, Any]]:
    """What contacts in space touch and no shape shows: planes besides the floor, and balls, of `hidden` bodies and the ground.

    Each is a `body` (its name), `lines` in the axes of its mass centre, and of a plane its `face` of four corners; a plane that several contacts have is drawn once.
    """
    found: list[dict[str, Any]] = []
    planes: dict[tuple[Any, ...], tuple[Any, list[np.ndarray]]] = {}
    for part in run.parts("force"):
        if not isinstance(part, Contact) or part.i.name not in hidden:
            continue
        base, _ = run.system.builder.drawing.attach(*part.markers)
        if part.markers[0].x is None:
            found.append({"body": part.i.name, "lines": _cap(run, part, _seen(run, part) - base.point, base.point, up)})
        elif not part.i.is_ground or (height := _height(base, up)) is None or height != floor:
            normal = base.axes[:, 0]
            key = (part.i.name, *np.round([*normal, float(normal @ base.point)], 9))
            planes.setdefault(key, (base, []))[1].append(_seen(run, part))
    for (name, *_), (base, seen) in planes.items():
        grid = _grid(np.vstack(seen) - base.point, base, up, size)
        found.append({"body": name, "lines": grid, "face": grid[0][:-1]})
    return found


def _seen(run: Result, part: Contact) -> np.ndarray:
    """Places of what touches (points, 3), in axes of the first body, at all outputs."""
    on = run.kinematics(part.i)
    at = np.einsum("tba,gtb->gta", on.rotation, _places(run, part) - on.position).reshape(-1, 3)
    return np.asarray(at[np.isfinite(at).all(axis=1)])


def _grid(seen: np.ndarray, base: Any, up: int, size: float) -> list[np.ndarray]:
    """A plane as a rectangle with lines in it, one side level, as far as what touches it goes and a little further; `size` is that of the picture."""
    normal = base.axes[:, 0]
    level = np.cross(np.eye(3)[up], normal)
    flat = float(np.linalg.norm(level)) < 1e-9
    a = base.axes[:, 1] if flat else level / np.linalg.norm(level)
    axes = np.array([a, np.cross(normal, a)])
    reach = seen @ axes.T
    low, high = reach.min(axis=0) - 0.25 * size, reach.max(axis=0) + 0.25 * size
    # as wide as half its length at least
    more = np.maximum(0.0, 0.25 * np.max(high - low) - 0.5 * (high - low))
    low, high = low - more, high + more
    counts = np.maximum(2, np.round(8.0 * (high - low) / np.max(high - low)).astype(int))
    (x, y), put = (
        (np.linspace(low[k], high[k], counts[k] + 1) for k in (0, 1)),
        lambda p: base.point + np.array(p) @ axes,
    )
    rim = put([[x[0], y[0]], [x[-1], y[0]], [x[-1], y[-1]], [x[0], y[-1]], [x[0], y[0]]])
    return [rim, *(put([[s, y[0]], [s, y[-1]]]) for s in x[1:-1]), *(put([[x[0], s], [x[-1], s]]) for s in y[1:-1])]


def _cap(run: Result, part: Contact, seen: np.ndarray, centre: np.ndarray, up: int) -> list[np.ndarray]:
    """A ball as rings and meridians about the upright axis, as far as what touches it goes and a little further: a bowl from below, a whole ball where it is gone round."""
    drawing = run.system.builder.drawing
    radius, other = ball_radius(drawing, part), ball_radius(drawing, part, 1)
    ways = seen / np.maximum(np.linalg.norm(seen, axis=1, keepdims=True), 1e-300)
    pole = np.eye(3)[up] * (-1.0 if float(np.mean(ways[:, up])) < 0.0 else 1.0)
    half = max(1.25 * float(np.max(np.arccos(np.clip(ways @ pole, -1.0, 1.0)), initial=0.0)), 2.5 * other / radius)
    half = np.pi if half > 2.4 else half
    a, b = np.eye(3)[(up + 1) % 3], np.eye(3)[(up + 2) % 3]
    turn = np.linspace(0.0, 2.0 * np.pi, 49)
    put = lambda angle, turned: centre + radius * (  # noqa: E731
        np.multiply.outer(np.cos(angle) + 0.0 * turned, pole) + np.multiply.outer(np.sin(angle) * np.cos(turned), a)
        + np.multiply.outer(np.sin(angle) * np.sin(turned), b)
    )  # fmt: skip
    rings = [put(half * k / 5.0, turn) for k in range(1, 6)]
    return [*rings, *(put(np.linspace(0.0, half, 25), t) for t in turn[:-1:4])]


def _height(base: Any, up: int) -> float | None:
    """Height of a plane of the ground that is level; None of others."""
    return float(base.point[up]) if abs(base.axes[up, 0]) > 1.0 - 1e-6 else None


def ground_height(run: Result, up: int, down: bool) -> float | None:
    """Height of a level plane of the ground that a contact in space has, seen from above; `down`: gravity is along the upright axis."""
    for part in run.parts("force"):
        if isinstance(part, Contact) and part.markers[0].x is not None and part.i.is_ground:
            base, _ = run.system.builder.drawing.attach(*part.markers)
            height = _height(base, up)
            if height is not None and (base.axes[up, 0] < 0.0) == down:
                return height
    return None


def _reach(run: Result, part: Contact, along: np.ndarray) -> tuple[float, float]:
    """From where to where what touches goes along a direction."""
    reach = _places(run, part)[..., :2] @ along
    return float(np.nanmin(reach)), float(np.nanmax(reach))


def _places(run: Result, part: Contact) -> np.ndarray:
    """Points of the second body that touch (gap, time, 3)."""
    attach, motion = run.system.builder.drawing.attach, run.kinematics(part.j)
    ends: list[Any] = [gap.terms[0][1] for gap in part.gaps.values()]
    return np.array([motion.position + motion.rotation @ attach(end.i, end.j)[1].point for end in ends])
