"""Words beside the lines: names, each at the place around what it names that covers least; a length to compare with, a sample arrow of each kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.glyphs import glyph
from ..model.output_units import OutputUnits
from .drawing import Drawing, Pose
from .glyphs import color_of
from .pen import CELL, INK, PAPER, SOFT, Pen, mixed
from .quantities import LONGEST, Arrows, plain, round_below

# names of a drawing; beyond, only bodies are named unless joints are asked for
CROWDED = 32
RING = np.deg2rad([45, 135, -45, -135, 90, 0, 180, -90, 22, 158, -22, -158, 67, 112, -67, -112])


def any_wanted(subject: Drawing, names: Any) -> bool:
    """Whether any name will be written: neither where none is asked for, nor among too many bodies."""
    return bool(names) and not (names is True and len(subject.scene["bodies"]) > CROWDED)


def place_all(pen: Pen, subject: Drawing, pose: Pose, names: Any, size: float, project: Any) -> None:
    """Write the names asked for; `project` brings points in space onto the paper."""
    marks, many = subject.scene["marks"], len(subject.scene["bodies"])
    gears = sum(m["glyph"] == "gear" for m in marks)
    # where all names would cover the drawing, those of bodies come first
    crowded = len(marks) + many > CROWDED

    def wanted(kind: str, name: str, glyph: str = "") -> bool:
        if names is not True:
            return name in names or kind in names
        return (not crowded or (kind == "bodies" and many <= CROWDED)) and not (glyph == "gear" and gears > 2)

    for m in subject.scene["marks"]:
        # joints that were only read off the equations have no name that someone gave
        if names is True and not m.get("named", True):
            continue
        if not wanted({"joint": "joints", "driver": "drivers", "force": "forces"}[m["kind"]], m["name"], m["glyph"]):
            continue
        ps = [project(pose.at(place)) for place in m["places"]]
        symbol = glyph(m["glyph"])
        anchor = 0.5 * (ps[0] + ps[-1]) if symbol.between or symbol.wheels else ps[-1]
        clear = 9.0 if any(stroke.draw == "turn" for stroke in symbol.strokes) else 5.0
        _place(pen, m["name"], [anchor], INK, size, clear * max(0.6, pen.k), f"name:{m['name']}")
    for i, body in enumerate(subject.scene["bodies"]):
        if wanted("bodies", body["name"]):
            anchors = [project(p) for p in _anchors(body, i, pose)]
            color, name = mixed(color_of(i), 0.85, INK), f"name:{body['name']}"
            _place(pen, body["name"], anchors, color, size, 4.5 * max(0.6, pen.k), name, 0.35)


def _anchors(body: dict[str, Any], i: int, pose: Pose) -> list[np.ndarray]:
    """Places on a body that its name may stand at: along its longest bar, else its mass centre."""
    bars = [np.asarray(item["points"], dtype=float) for item in body["items"] if item["kind"] in ("bar", "thin")]
    if bars:
        longest = max(bars, key=lambda p: float(np.linalg.norm(np.ptp(p, axis=0))))
        a, b = longest[0], longest[int(np.argmax(np.linalg.norm(longest - longest[0], axis=1)))]
        return [pose.put(i, [a + s * (b - a)])[0] for s in (0.5, 0.4, 0.6, 0.3, 0.7)]
    return [pose.put(i, [body["center"]])[0]]


def _place(
    pen: Pen,
    text: str,
    anchors: list[np.ndarray],
    color: str,
    size: float,
    clear: float,
    name: str,
    inside: float = 1.0,
) -> None:
    wide, tall = measure(text, size)
    best, least = None, np.inf
    before = pen.memory.get(name)
    for order, anchor in enumerate(anchors):
        p = (np.asarray(anchor) - pen.low) / pen.u
        for ring, r in enumerate((clear, 1.6 * clear, 2.4 * clear, 3.4 * clear, 5.0 * clear)):
            for k, a in enumerate(RING):
                e = np.array([np.cos(a), np.sin(a)])
                # the corner or side of the text that looks at the anchor keeps the distance r
                c = p + e * (r + np.array([0.5 * wide, 0.5 * tall]) * np.minimum(1.0, 1.3 * np.abs(e)))
                cost = _cost(pen, c, wide, tall) + 0.9 * ring + 0.05 * k + 0.15 * order
                if before is not None:
                    # in a film a name stays where it was unless it must go
                    cost += min(4.0, 0.25 * float(np.hypot(*(c - p - before))))
                if cost < least:
                    best, least = c, cost
    if best is None:
        return
    if inside < 1.0 and _cost(pen, (anchors[0] - pen.low) / pen.u, wide, tall) < inside:
        best = (anchors[0] - pen.low) / pen.u
    pen.memory[name] = best - (np.asarray(anchors[0]) - pen.low) / pen.u
    at = pen.low + pen.u * best
    pen.z = 9.0
    if _cost(pen, best, wide, tall) > 0.1:
        _halo(pen.text(at, text, PAPER, size, gid="rim"))
    pen.text(at, text, color, size, gid=name.replace(" ", "_"))
    box = pen.u * np.array([0.5 * wide, 0.5 * tall])
    for y in np.linspace(-1.0, 1.0, 5):
        pen.cover(np.array([at + box * [-1.0, y], at + box * [1.0, y]]), 1.0, 2.5)


def _halo(text: Any) -> None:
    """A white rim under a name that must cross a line; it is drawn as an outline, the name itself stays text."""
    from matplotlib.patheffects import withStroke

    text.set_path_effects([withStroke(linewidth=2.2, foreground=PAPER)])


def _cost(pen: Pen, c: np.ndarray, wide: float, tall: float) -> float:
    """How much of the text covers lines; outside the paper is worst."""
    low, high = c - [0.5 * wide + 1.0, 0.5 * tall + 0.5], c + [0.5 * wide + 1.0, 0.5 * tall + 0.5]
    out = float(np.sum(np.maximum(0.0, 2.0 - low)) + np.sum(np.maximum(0.0, high - np.array(pen.size) + 2.0)))
    i, j = np.floor(low / CELL).astype(int), np.ceil(high / CELL).astype(int)
    i = np.clip(i, 0, None)
    part = pen.covered[i[0] : max(j[0], 0), i[1] : max(j[1], 0)]
    return 0.35 * float(part.sum()) + 5.0 * out


def measure(text: str, size: float) -> tuple[float, float]:
    """Width and height of a text in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    width, height, _ = TextToPath().get_text_width_height_descent(text, FontProperties(size=size), False)
    return float(width), max(float(height), 0.75 * size)


def scales(arrows: list[list[Arrows]], sheet: object) -> dict[str, float]:
    """Metres on paper for one unit of each kind, the same in all panels."""
    room = float(np.sqrt(np.prod(sheet.room))) * sheet.u  # type: ignore[attr-defined]
    largest: dict[str, float] = {}
    for panel in arrows:
        for each in panel:
            largest[each.kind] = max(largest.get(each.kind, 0.0), each.largest)
    return {kind: LONGEST * room / value for kind, value in largest.items()}


def strip(
    pen: Pen, arrows: list[Arrows], scale: dict[str, float], length: bool, units: OutputUnits, x: float = 12.0
) -> float:
    """Scale and legend along the lower edge; how far they reach."""
    pen.z = 10.0
    y = 11.0
    at = lambda x, y: pen.low + pen.u * np.array([x, y])  # noqa: E731
    if length:
        unit, factor = units.of("m")
        value = round_below(min(90.0, 0.3 * pen.size[0]) * pen.u * factor)
        px = value / factor / pen.u
        pen.line([at(x, y + 4), at(x, y - 1), at(x + px, y - 1), at(x + px, y + 4)], SOFT, 1.0, name="scale")
        text = f"{plain(value)} {unit}"
        pen.text(at(x + px + 5, y), text, SOFT, 8.0, ha="left", gid="scale-text")
        x += px + 12 + measure(text, 8.0)[0]
    for each in arrows:
        value, text = each.sample(units)
        px = value * scale[each.kind] / pen.u
        pen.arrow(at(x + 6, y), [px * pen.u, 0.0], each.color, 1.9, f"legend:{each.kind}")
        pen.text(at(x + px + 12, y), text, each.color, 8.0, ha="left", gid=f"legend-text:{each.kind}")
        x += px + 24 + measure(text, 8.0)[0]
        for color, text in sorted({(cone.color, "slips" if cone.slips else "sticks") for cone in each.cones}):
            pen.area([at(x + 4, y - 5), at(x, y + 5), at(x + 8, y + 5)], f"{color}60", color, 0.8)
            pen.text(at(x + 13, y), text, color, 8.0, ha="left", gid=f"legend-text:{text}")
            x += 25 + measure(text, 8.0)[0]
    return x


def clock(pen: Pen, text: str, taken: float) -> None:
    """The time in the lower right corner, above what the lower edge has there already."""
    pen.z = 10.0
    right = float(pen.size[0]) - 12.0
    y = 11.0 if taken + measure(text, 9.0)[0] < right else 27.0
    pen.text(pen.low + pen.u * np.array([right, y]), text, INK, 9.0, ha="right", gid="clock")
