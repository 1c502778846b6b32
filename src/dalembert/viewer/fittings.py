"""Symbols in space with their sizes in metres: the solids of a glyph for one mark of a scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.glyphs import Solid, glyph

LEAST = 1.4  # half length of a pin, in sizes of symbols


def fittings(mark: dict[str, Any], unit: float, up: int) -> list[dict[str, Any]]:
    """Solids of a mark, for symbols of a size [m]; `up` is the axis of space that is drawn upright."""
    if "frames" not in mark:
        return []
    low, high = (np.asarray(x, dtype=float) for x in mark.get("travel", (np.zeros(3), np.zeros(3))))
    rod = mark.get("rod")
    half = max(mark.get("half", 0.0), LEAST * unit)
    heights = {"": 0.0, "half": half, "-half": -half, "low": low[2], "high": high[2]}
    heights |= {} if rod is None else {"from": rod[0], "to": rod[1]}
    grounded = any(place[0] < 0 for place in mark["places"])
    facts = {
        "grounded": grounded, "free": not grounded, "fixed": mark["places"][0][0] < 0, "plain": not mark.get("shaped"), "rail": "rod" not in mark,
        "rod": rod is not None, "tilted": mark["places"][0][0] < 0 and abs(float(np.asarray(mark["frames"][0])[up, 2])) < 1.0 - 1e-6,
    }  # fmt: skip
    chosen = [solid for solid in glyph(mark["glyph"]).solids if all(facts[x] for x in solid.when)]
    return [_sized(solid, unit, heights, facts["fixed"], low, high) for solid in chosen]


def _sized(
    solid: Solid, unit: float, heights: dict[str, float], fixed: bool, low: np.ndarray, high: np.ndarray
) -> dict[str, Any]:
    ground, _, other = solid.paint.partition(" or ")
    paint = ground if fixed or not other else other
    made: dict[str, Any] = {"solid": solid.kind, "end": solid.end, "paint": paint, "turn": solid.turn}
    made["size"] = [x * unit for x in solid.size]
    if solid.span is not None:
        return {**made, "span": list(solid.span)}
    z = [heights[base] + more * unit for base, more in solid.z]
    if solid.kind == "plate":
        edge = solid.size[0] * unit
        made["size"] = [low[0] - edge, high[0] + edge, low[1] - edge, high[1] + edge]
        z = [x + min(0.0, low[2]) for x in z]
    return {**made, "z": z}
