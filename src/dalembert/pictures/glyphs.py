"""Strokes of symbols on paper: what `model/glyphs.py` says, drawn with a pen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..model.glyphs import Corner, Stroke, glyph
from ..results.plot import COLORS
from .drawing import Drawing, Pose
from .pen import GROUND, INK, PAPER, Frame, Pen, mixed

CHAIN = (0, (9, 3, 1.5, 3))
START, SWEEP = -0.5, 4.2  # of arcs that turn [rad]
WIDE = 3.0  # points: riders of a guide that are wider are drawn between its sides


def color_of(body: int) -> str:
    """Colour of a body, that of pages and plots."""
    return COLORS[body % len(COLORS)]


def guide(mark: dict[str, Any], pose: Pose) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ends of a guide and its direction."""
    body, at = mark["places"][mark["carrier"]]
    axis = np.asarray(mark["axis"])
    a, b = (pose.put(body, [np.asarray(at, dtype=float) + s * axis])[0] for s in mark["reach"])
    return a, b, pose.turn(body, axis)


def draw(pen: Pen, subject: Drawing, pose: Pose, layer: str) -> None:
    """All strokes of one layer; what the ground holds twice at one place is drawn once."""
    done: list[np.ndarray] = []
    for mark in subject.scene["marks"]:
        held = [np.asarray(place[1], dtype=float) for place in mark["places"] if place[0] < 0]
        if (
            layer == "under"
            and held
            and glyph(mark["glyph"]).strokes
            and mark["kind"] != "driver"
            and "reach" not in mark
        ):
            if any(np.hypot(*(held[0] - q)) < 0.5 * pen.u for q in done):
                continue
            done.append(held[0])
        draw_mark(pen, subject, pose, mark, layer)
        if layer == "under":
            draw_mark(pen, subject, pose, mark, "body", GROUND, ground=True)


def draw_mark(
    pen: Pen, subject: Drawing, pose: Pose, mark: dict[str, Any], layer: str, color: str = "", ground: bool = False
) -> None:
    """Strokes of one mark; `color` is that of its body, `ground` draws what belongs to a body only where that is the ground."""
    symbol = glyph(mark["glyph"])
    for stroke in symbol.strokes:
        if stroke.layer != layer:
            continue
        for frame, place in _frames(stroke.frame, mark, pose):
            if (not ground or place[0] < 0) and all(_true(x, pen, subject, mark, place) for x in stroke.when):
                name = f"{stroke.name or mark['glyph']}:{mark['name']}"
                _put(pen, stroke, frame, mark, pose, name, color or (color_of(place[0]) if place[0] >= 0 else GROUND))
    if symbol.between and layer == "over":
        # names keep off the whole element
        pen.cover(np.array([pose.at(place) for place in mark["places"]]), 6.0 * pen.k)


def _frames(kind: str, mark: dict[str, Any], pose: Pose) -> Iterator[tuple[Frame, Any]]:
    """Frames of a stroke, each with the place whose body it belongs to."""
    places = mark["places"]
    if kind == "between":
        yield Frame(pose.at(places[0]), pose.at(places[-1])), places[-1]
    elif kind in ("guide", "rider"):
        a, b, e = guide(mark, pose)
        place = places[mark["carrier"] if kind == "guide" else 1 - mark["carrier"]]
        frame = Frame(a, b) if kind == "guide" else Frame(pose.at(place), pose.at(place))
        frame.e, frame.n = e, np.array([-e[1], e[0]])
        yield frame, place
    elif kind == "root":
        held, other = (next((p for p in places if (p[0] < 0) == side), None) for side in (True, False))
        if held is not None:
            yield Frame(pose.at(held), pose.at(other or held)), held
    else:
        chosen = {"last": places[-1:], "each": places, "ground": [p for p in places if p[0] < 0][:1]}[kind]
        yield from ((Frame(pose.at(place), pose.at(place)), place) for place in chosen)


def _true(what: str, pen: Pen, subject: Drawing, mark: dict[str, Any], place: Any) -> bool:
    if what in ("grounded", "joint"):
        return any(p[0] < 0 for p in mark["places"]) if what == "grounded" else mark["kind"] == "joint"
    if what in ("wide", "narrow"):
        return (mark["half"] > WIDE * pen.u) == (what == "wide")
    if what in ("mass", "link"):
        items = subject.scene["bodies"][place[0]]["items"] if place[0] >= 0 else []
        return (bool(items) and all(item["kind"] == "point" for item in items)) == (what == "mass")
    return bool((place[0] < 0) == (what == "fixed"))


def _put(pen: Pen, stroke: Stroke, frame: Frame, mark: dict[str, Any], pose: Pose, name: str, body: str) -> None:
    colors = {"": None, "ink": INK, "ground": GROUND, "paper": PAPER, "body": body}
    ink = colors[stroke.ink]
    fill = mixed(ink or INK, 0.3 if stroke.ink == "body" else 0.12) if stroke.fill in ("soft", stroke.ink) else colors[stroke.fill]  # fmt: skip
    p = [_corner(pen, stroke, frame, corner, mark) for corner in stroke.points]
    width = stroke.size * max(0.7, pen.k)
    if stroke.draw == "line":
        pen.line(p, ink or INK, width, CHAIN if stroke.dashed else None, name)
    elif stroke.draw == "area":
        pen.area(p, fill, ink, width, name)
    elif stroke.draw == "disk":
        pen.circle(p[0], pen.pt(stroke.size), fill, ink, 1.3 * max(0.7, pen.k), name)
    elif stroke.draw == "bar":
        pen.bar(p, ink or INK, fill or PAPER, stroke.size, name)
    elif stroke.draw == "hatch":
        pen.hatch(p[0], p[1], ink or INK)
    else:
        sweep = SWEEP * _sense(mark, pose)
        pen.turn(p[0], pen.pt(stroke.size), START, sweep, ink or INK, 1.4 * max(0.7, pen.k), name)


def _corner(pen: Pen, stroke: Stroke, frame: Frame, corner: Corner, mark: dict[str, Any]) -> np.ndarray:
    share, along, across = corner
    s, n = pen.pt(along), pen.pt(across)
    if stroke.frame == "between":
        s = float(np.clip(s, -0.3 * frame.length, 0.3 * frame.length))
    if "wide" in stroke.when:
        n += float(np.sign(across)) * mark["half"]
    return frame.at(share * frame.length + s, n)


def _sense(mark: dict[str, Any], pose: Pose) -> float:
    """Sense in which a driver turns or a couple acts, counterclockwise where it does neither."""
    run = pose.run
    if mark["kind"] == "driver":
        rate = np.asarray(run[run.model[mark["name"]].measure].rate)[pose.k]
    else:
        rate = np.asarray(run[mark["name"]].torque).reshape(len(run.t), -1)[pose.k, -1]
    return -1.0 if rate < 0.0 else 1.0
