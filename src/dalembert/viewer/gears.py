"""Gears in the plane: pitch circles and teeth that mesh.

Wheels that mesh have the same pitch p = 2 π r / n.  A tooth of one wheel lies in a gap of the other where the pitch circles touch; since
the wheels roll on each other, what fits in the drawn pose fits always.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .drawn import Pose

Scene = dict[str, Any]


@dataclass
class Wheel:
    """One toothed wheel: body, centre on it, pitch radius, number of teeth, angle of a tooth on the body, teeth inside or outside."""

    body: int
    center: np.ndarray
    radius: float
    teeth: int = 0
    phase: float = np.nan
    inside: bool = False
    covers: bool = False  # takes the place of the round outline of its body


def wheels(scene: Scene, pose: Pose) -> list[Wheel]:
    """All gear wheels of a scene, with teeth that mesh at a pose."""
    found: list[Wheel] = []
    meshes: list[tuple[Wheel, Wheel]] = []
    for mark in scene["marks"]:
        if mark["glyph"] != "gear" or "radii" not in mark or not min(mark["radii"]) > 0.0:
            continue
        meshes.append(tuple(_wheel(found, place, r) for place, r in zip(mark["places"], mark["radii"])))  # type: ignore[arg-type]
    for pinion, *_ in _racks(scene):
        _wheel(found, *pinion)
    if not found:
        return found
    # the number of teeth on the smallest wheel that fits all others best, and closes rings of wheels (planets between sun and ring)
    _set_teeth(found, meshes, pose, min(range(14, 31), key=lambda n: _set_teeth(found, meshes, pose, n) + 0.004 * n))
    for wheel in found:
        wheel.phase = 0.0 if np.isnan(wheel.phase) else wheel.phase
        wheel.covers = wheel.body >= 0 and _is_round(scene, wheel)
    return found


def racks(scene: Scene, pose: Pose, found: list[Wheel]) -> list[dict[str, Any]]:
    """Teeth of racks beside their pinions, as bodies and closed lines on them; a gap lies where a tooth of the pinion is at a pose."""
    made = []
    for (place, radius), body, direction, signed in _racks(scene):
        wheel = _wheel(found, place, radius)
        center, d = pose.at(place), pose.turn(body[1], direction)
        # velocity of the rack is that of the pinion where they touch: d r = e_z x n
        n = signed * np.array([d[1], -d[0]])
        step = 2.0 * np.pi / wheel.teeth
        ahead = (wheel.phase + pose.angle(wheel.body) - float(np.arctan2(n[1], n[0])) + 0.5 * step) % step - 0.5 * step
        m, pitch, first = 2.0 * radius / wheel.teeth, radius * step, center + n + signed * ahead * d
        items = [pose.put(body[0], item["points"]) for item in scene["bodies"][body[0]]["items"]]
        s = (np.vstack(items) - first) @ d
        low, high = (float(s.min()), float(s.max())) if np.ptp(s) > 4 * pitch else (-5 * pitch, 5 * pitch)
        k = np.arange(np.ceil(low / pitch + 0.5), np.floor(high / pitch - 0.5) + 1.0)
        if not len(k):
            continue
        # from the middle of a gap over a tooth to the next gap; up is towards the pinion
        x = pitch * (k[:, None] + [0.0, 0.16, 0.36, 0.64, 0.84]).ravel()
        y = np.tile(m * np.array([-1.1, -1.1, 0.9, 0.9, -1.1]), len(k))
        x, y = np.append(x, [x[-1], x[0]]), np.append(y, [-3.0 * m, -3.0 * m])
        points = first + x[:, None] * d - y[:, None] * n / radius
        line = (points - pose.origin[body[0], :2]) @ pose.rotation[body[0], :2, :2]
        made.append({"body": body[0], "line": line})
    return made


def _racks(scene: Scene) -> list[Any]:
    """Racks with a body to be drawn on: pinion (place, radius), (rack, body that guides it), direction there, signed radius."""
    marks = [mark for mark in scene["marks"] if mark.get("rack", (-1,))[0] >= 0]
    return [((m["places"][0], m["radius"]), m["rack"][:2], np.asarray(m["rack"][2]), m["rack"][3]) for m in marks]


def _wheel(found: list[Wheel], place: Any, radius: float) -> Wheel:
    center = np.asarray(place[1], dtype=float)
    for wheel in found:
        same = wheel.body == place[0] and np.hypot(*(wheel.center - center)) < 1e-6 * radius
        if same and abs(wheel.radius - radius) < 1e-6 * radius:
            return wheel
    found.append(Wheel(place[0], center, radius))
    return found[-1]


def _set_teeth(found: list[Wheel], meshes: list[tuple[Wheel, Wheel]], pose: Pose, smallest: int) -> float:
    """Give all wheels teeth of one pitch, the smallest wheel so many; how badly they fit, in pitches."""
    least = min(w.radius for w in found)
    misfit = 0.0
    for wheel in found:
        n = smallest * wheel.radius / least
        wheel.teeth, wheel.phase = int(min(400, round(n))), np.nan
        misfit += abs(n - wheel.teeth)
    return misfit + sum(_mesh(a, b, pose) for a, b in meshes)


def _mesh(a: Wheel, b: Wheel, pose: Pose) -> float:
    """Turn the teeth of one wheel into the gaps of the other; if both are fixed already, how far off they are, in pitches."""
    pa, pb = pose.at((a.body, a.center)), pose.at((b.body, b.center))
    d = pb - pa
    inner = float(np.hypot(*d)) < max(a.radius, b.radius)
    if inner:
        (a if a.radius > b.radius else b).inside = True
    # directions of the point where they touch, as seen from both centres
    way = float(np.arctan2(d[1], d[0]))
    if inner:
        to_a = to_b = way + (np.pi if a.radius < b.radius else 0.0)
    else:
        to_a, to_b = way, way + np.pi
    if np.isnan(a.phase) and not np.isnan(b.phase):
        a, b, to_a, to_b = b, a, to_b, to_a
    if np.isnan(a.phase):
        a.phase = to_a - pose.angle(a.body)
    # how far past a tooth of a the point of contact is, in pitches; b has a gap there
    share = (to_a - pose.angle(a.body) - a.phase) * a.teeth / (2.0 * np.pi)
    share = share if inner else -share
    fitting = to_b - pose.angle(b.body) - (share + 0.5) * 2.0 * np.pi / b.teeth
    if np.isnan(b.phase):
        b.phase = fitting
        return 0.0
    off = (fitting - b.phase) * b.teeth / (2.0 * np.pi)
    return float(abs(off - round(off)))


def _is_round(scene: Scene, wheel: Wheel) -> bool:
    items = scene["bodies"][wheel.body]["items"]
    if len(items) != 1 or not items[0].get("round"):
        return False
    p = np.asarray(items[0]["points"], dtype=float)
    r = np.hypot(*(p - wheel.center).T)
    return bool(np.ptp(r) < 0.02 * wheel.radius and abs(r.mean() - wheel.radius) < 0.2 * wheel.radius)


def outline(wheel: Wheel) -> np.ndarray:
    """Teeth as a closed line about the centre, in body axes."""
    n, r = wheel.teeth, wheel.radius
    m = 2.0 * r / n
    step = 2.0 * np.pi / n
    # root, flank, tip, flank of one tooth in shares of a pitch; at the pitch circle tooth and gap are equal
    low, high = (r - 1.1 * m, r + 0.9 * m) if not wheel.inside else (r + 1.1 * m, r - 0.9 * m)
    angles = np.array([-0.5, -0.34, -0.14, 0.14, 0.34])
    radii = np.array([low, low, high, high, low])
    a = wheel.phase + step * (np.arange(n)[:, None] + angles).ravel()
    return wheel.center + np.tile(radii, n)[:, None] * np.column_stack([np.cos(a), np.sin(a)])


def teeth(scene: Scene, pose: Pose) -> list[dict[str, Any]]:
    """Racks and wheels as they are drawn, in body axes: closed lines of teeth; of wheels also pitch circle, rim (of those with teeth inside), spoke."""
    found = wheels(scene, pose)
    made = racks(scene, pose, found)
    for w in found:
        rim = w.radius * (1.0 + 6.4 / w.teeth) if w.inside else 0.0
        spoke = w.center + 0.8 * w.radius * np.array([np.cos(w.phase), np.sin(w.phase)])
        about = {"center": w.center, "radius": w.radius, "rim": rim, "spoke": spoke, "covers": w.covers}
        made.append({"body": w.body, "line": outline(w), **about})
    return made
