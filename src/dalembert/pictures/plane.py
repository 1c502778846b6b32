"""Drawing of a planar mechanism as in a textbook, from the scene that pages show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..model.glyphs import glyph
from . import glyphs
from .drawing import Drawing, Pose
from .glyphs import color_of
from .pen import GHOST, GHOST_FILL, GROUND, INK, PAPER, Frame, Pen, mixed

DASH = (0, (4, 2.5))
FINE = (0, (6, 2, 1, 2))


# -- size --------------------------------------------------------------------------------------------------------------


def reached(subject: Drawing, poses: list[Pose], lines: list[np.ndarray]) -> np.ndarray:
    """Points that decide how large a drawing is: of bodies at these poses, what is fixed, guides, and further lines."""
    scene, n = subject.scene, 2 if subject.plane else 3
    found = [np.asarray(line, dtype=float)[:, :n] for line in lines]
    for pose in poses:
        for i, body in enumerate(scene["bodies"]):
            found += [pose.put(i, item["points"])[:, :n] for item in body["items"]] or [pose.put(i, [body["center"]])]
        for mark in scene["marks"]:
            found += [pose.at(place)[None] for place in shown_places(mark)]
            for r, place in zip(mark.get("radii", ()), mark["places"]):
                if place[0] >= 0 or mark["glyph"] == "belt":
                    found.append(pose.at(place) + r * np.array([[-1, -1], [1, 1]]))
            if mark.get("bowl") and mark["bowl"][0][0] < 0:
                around = np.array([mark["bowl"][0][1]]) + mark["bowl"][1] * np.array([[-1.0, -1.0], [1.0, 1.0]])
                # a bowl that the scene is large enough for
                found += [around] if np.all(around >= scene["box"][0]) and np.all(around <= scene["box"][1]) else []
            if "reach" in mark:
                found.append(np.array(glyphs.guide(mark, pose)[:2]))
        found += [pose.put(-1, line) for wire in scene.get("wires", ()) if wire["body"] < 0 for line in wire["lines"]]
    if scene.get("floor") is not None:
        found.append(np.where(np.arange(3) == scene["up"], scene["floor"], found[0][0])[None])
    every = np.vstack(found)
    every = every[np.isfinite(every).all(axis=1)]
    return every if len(every) else np.array([[-1.0] * n, [1.0] * n])


def shown_places(mark: dict[str, Any]) -> list[Any]:
    """Places of a mark that are seen: where a wheel counts its way from, or a load its direction, is no place in the drawing."""
    symbol = glyph(mark["glyph"])
    if symbol.origin:
        return [place for place in mark["places"] if place[0] >= 0]
    return list(mark["places"]) if mark["kind"] == "joint" or symbol.between else []


def spacing(subject: Drawing, pose: Pose) -> float:
    """Typical distance of two neighbouring joints of a body [m]; links that short need small symbols."""
    places: dict[int, list[np.ndarray]] = {}
    for mark in subject.scene["marks"]:
        if mark["kind"] == "joint" and mark["glyph"] in ("pin", "slot", "slider"):
            for place in mark["places"]:
                places.setdefault(place[0], []).append(pose.at(place))
    gaps = []
    for points in places.values():
        p = np.array(points[:400])
        d = np.hypot(*(p[:, None] - p[None]).transpose(2, 0, 1))
        d[d < 1e-12 * (1.0 + d.max())] = np.inf
        gaps += [x for x in d.min(axis=1) if np.isfinite(x)]
    return float(np.quantile(gaps, 0.25)) if gaps else np.inf


# -- the drawing -------------------------------------------------------------------------------------------------------


def draw(pen: Pen, subject: Drawing, pose: Pose) -> None:
    """The mechanism at one pose."""
    toothed = subject.scene.get("teeth", [])
    wheels, racks = ([x for x in toothed if ("center" in x) == round_] for round_ in (True, False))
    pen.z = 3.0
    bodies(pen, subject, pose, "area", {w["body"] for w in wheels if w["covers"]})
    for wheel in wheels:
        _wheel(pen, wheel, pose)
    pen.z = 4.0
    floors(pen, subject, pose)
    glyphs.draw(pen, subject, pose, "under")
    for rack in racks:
        line, color = pose.put(rack["body"], rack["line"]), color_of(rack["body"])
        pen.area(line, mixed(color, 0.3), color, 1.0, f"rack:{rack['body']}")
    pen.z = 5.0
    bodies(pen, subject, pose, "rest")
    pen.z = 6.0
    belts(pen, subject, pose)
    glyphs.draw(pen, subject, pose, "over")
    # pins closer than they are wide would hide the links between them
    if spacing(subject, pose) > 2.0 * pen.pt(3.5):
        pen.z = 7.0
        glyphs.draw(pen, subject, pose, "top")


def ghost(pen: Pen, subject: Drawing, pose: Pose, dashed: bool = False) -> None:
    """A pose in light grey, or with dashed outlines."""
    keeps, pen.keeps = pen.keeps, dashed
    for i, body in enumerate(subject.scene["bodies"]):
        color = mixed(color_of(i), 0.75) if dashed else GHOST
        for item in body["items"]:
            p = pose.put(i, item["points"])
            if item["kind"] in ("bar", "line") and dashed:
                pen.line(p, color, 1.4, DASH)
            elif item["kind"] == "bar":
                pen.bar(p, color, GHOST_FILL, 7.0)
            elif item["kind"] == "line":
                pen.line(p, color, 1.0)
            elif item["kind"] == "point":
                if not dashed:
                    pen.circle(p[0], pen.pt(2.0 if len(body["items"]) > 1 else 4.5), color, None)
            else:
                pen.area(p, None if dashed else GHOST_FILL, color, 1.0, dash=DASH if dashed else None)
    for mark in subject.scene["marks"]:
        if mark["glyph"] in ("pin", "slot") and all(place[0] >= 0 for place in mark["places"]) and not dashed:
            pen.circle(pose.at(mark["places"][-1]), pen.pt(2.6), PAPER, GHOST, 0.9)
        elif mark["glyph"] == "link" and not dashed:
            pen.bar([pose.at(place) for place in mark["places"]], GHOST, GHOST_FILL, 5.0)
    pen.keeps = keeps


def bodies(
    pen: Pen, subject: Drawing, pose: Pose, only: str, left_out: Any = (), color_of: Callable[[int], str] = color_of
) -> None:
    """Areas, or everything else, so that supports can lie between plates and bars."""
    scene = subject.scene
    slots = [m for m in scene["marks"] if m["glyph"] == "slot"]
    carrier = lambda m: m["places"][m["carrier"]][0]  # noqa: E731
    slotted = {carrier(m) for m in slots}
    # bodies with a slot lie below those whose pins run in it
    for i in sorted(range(len(scene["bodies"])), key=lambda i: (i not in slotted, i)):
        body = scene["bodies"][i]
        color, name = color_of(i), f"body:{body['name']}"
        alone = not any(float(np.max(np.ptp(item["points"], axis=0))) > 0.0 for item in body["items"])
        soft = mixed(color, 0.3)
        for item in body["items"]:
            if (only == "area") != (item["kind"] == "area"):
                continue
            p = pose.put(i, item["points"])
            if item["kind"] == "bar":
                pen.bar(p, color, soft, name=name)
            elif item["kind"] == "line":
                pen.line(p, color, 1.6, name=name)
            elif item["kind"] == "point":
                pen.circle(p[0], pen.pt(6.0 if alone else 2.1), color, None, name=name)
            elif i not in left_out:
                pen.area(p, PAPER if item.get("void") else soft, color, 1.3, name)
                if item.get("round") and not item.get("void"):
                    # a thin spoke shows how a round body turns
                    pen.line([p[:-1].mean(axis=0), p[0]], color, 0.9)
        if only != "area":
            for m in slots:
                if carrier(m) == i:
                    glyphs.draw_mark(pen, subject, pose, m, "body", color)


def _wheel(pen: Pen, wheel: dict[str, Any], pose: Pose) -> None:
    body, name = wheel["body"], f"gear:{wheel['body']}"
    color = color_of(body) if body >= 0 else GROUND
    center, soft, line = pose.at((body, wheel["center"])), mixed(color, 0.3), pose.put(body, wheel["line"])
    if wheel["rim"]:
        z = pen.z
        pen.z = 2.5  # a ring gear lies below what turns inside it
        pen.circle(center, wheel["rim"], soft, color, 1.3)
        pen.area(line, PAPER, color, 1.0, name)
        pen.z = z
    else:
        pen.area(line, soft, color, 1.0, name)
        pen.line([center, pose.at((body, wheel["spoke"]))], color, 0.9)
    pen.circle(center, wheel["radius"], None, color, 0.7, dash=FINE)


def floors(pen: Pen, subject: Drawing, pose: Pose) -> None:
    """Ground that wheels roll on and contacts touch, below everything that moves."""
    for wire in subject.scene.get("wires", ()):
        for points in wire["lines"]:
            pen.line(pose.put(wire["body"], points), GROUND, 1.3)
    for m in subject.scene["marks"]:
        if m.get("bowl"):
            pen.circle(pose.at(m["bowl"][0]), m["bowl"][1], None, GROUND, 1.3, f"bowl:{m['name']}")
        if m.get("floor"):
            _floor(pen, m["floor"])


def _floor(pen: Pen, ends: Any) -> None:
    """Ground line under a wheel, as far as the paper goes."""
    a, b = (np.asarray(p, dtype=float) for p in ends)
    f = Frame(a, b)
    corners = pen.low + pen.u * np.array([[0, 0], [pen.size[0], 0], [0, pen.size[1]], list(pen.size)])
    s = (corners - a) @ f.e
    low, high = max(0.0, float(s.min()) + 10 * pen.u), min(f.length, float(s.max()) - 10 * pen.u)
    if high > low:
        pen.hatch(f.at(low), f.at(high))


def belts(pen: Pen, subject: Drawing, pose: Pose) -> None:
    """Belts around their pulleys."""
    for m in subject.scene["marks"]:
        if m["glyph"] == "belt" and "radii" in m:
            _belt(pen, [pose.at(place) for place in m["places"]], m["radii"], m["crossed"], f"belt:{m['name']}")


def _belt(pen: Pen, ps: list[np.ndarray], radii: list[float], crossed: bool, name: str) -> None:
    f, (r1, r2) = Frame(ps[0], ps[-1]), radii
    r2 = -r2 if crossed else r2
    if f.length <= abs(r1 - r2):
        return
    s = (r1 - r2) / f.length
    c = float(np.sqrt(max(0.0, 1.0 - s * s)))
    for side in (1.0, -1.0):
        pen.line([f.at(r1 * s, side * r1 * c), f.at(f.length + r2 * s, side * r2 * c)], INK, 1.8, name=name)
    for p, r in zip(ps, radii):
        pen.circle(p, r, None, INK, 1.8)
