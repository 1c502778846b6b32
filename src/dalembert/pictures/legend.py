"""What a drawing needs to be measured: a length to compare with, and a sample arrow for each kind of vector."""

from __future__ import annotations

import numpy as np

from ..model.output_units import OutputUnits
from .labels import measure
from .pen import INK, SOFT, Pen
from .quantities import LONGEST, Arrows, plain, round_below


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
