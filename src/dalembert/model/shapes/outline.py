"""Outlines: what a shape looks like, as plain data for plots and viewers.

An outline is a list of items. An item is a dict of numbers, texts and lists, ready for JSON:

    type      line | polygon | circle | box | cylinder | cone | sphere | point
    void      True where material is taken away
    center    [x, y, z] of the item frame in the shape frame (m)
    rotation  3×3 list, columns are the axes of the item frame

and its sizes in the item frame (m):

    line      points [[x, y, z], …]
    polygon   points [[x, y], …] closed, thickness along z, centred
    circle    radius, inner (radius of the hole, equal to radius for a thin ring), thickness along z, centred
    box       size [x, y, z], centred
    cylinder  radius, inner, length along z, centred
    cone      radius, height along z, base at z = 0
    sphere    radius
    point     nothing

`polylines` turns any outline into lines in space, which is all a wire drawing needs. Imports numpy only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from .reading import Array

Item: TypeAlias = dict[str, Any]
Outline: TypeAlias = list[Item]

_IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def item(kind: str, rotation: Sequence[Sequence[float]] = _IDENTITY, **sizes: Any) -> Item:
    """One item at the origin of the shape frame."""
    turned = [[float(x) for x in row] for row in rotation]
    return {"type": kind, "void": False, "center": [0.0, 0.0, 0.0], "rotation": turned, **sizes}


def placed(items: Outline, at: Array, A: Array) -> Outline:
    """Return the same items in an outer frame: centre r = at + A c, rotation A R."""
    moved = []
    for each in items:
        center = at + A @ np.array(each["center"])
        rotation = A @ np.array(each["rotation"])
        moved.append({**each, "center": center.tolist(), "rotation": rotation.tolist()})
    return moved


def hollowed(items: Outline) -> Outline:
    """Return the same items with material and void exchanged."""
    return [{**each, "void": not each["void"]} for each in items]


def with_z_along(axis: Sequence[float]) -> list[list[float]]:
    """Rotation whose third column is the unit vector `axis`; the other two columns are any that fit."""
    z = np.array(axis, dtype=float)
    # the coordinate axis least parallel to z gives the best conditioned cross product; for z itself: x stays x
    helper = np.roll(np.eye(3), -1, axis=0)[np.argmin(np.abs(np.roll(z, -1)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z]).tolist()


def polylines(outline: Outline, segments: int = 48) -> list[Array]:
    """Lines of an outline in the shape frame, each an array (points, 3) in metres; closed lines repeat their start."""
    lines: list[Array] = []
    for each in outline:
        center, rotation = np.array(each["center"]), np.array(each["rotation"])
        for line in _lines(each, segments):
            lines.append(center + np.asarray(line, dtype=float) @ rotation.T)
    return lines


def _lines(each: Item, segments: int) -> list[Array]:
    match each["type"]:
        case "line":
            return [np.array(each["points"])]
        case "polygon":
            flat = np.array([*each["points"], each["points"][0]])
            return [_lifted(flat, z) for z in _faces(each["thickness"])]
        case "circle":
            radii = {each["radius"], each["inner"]} - {0.0}
            return [_lifted(_circle(r, segments), z) for r in sorted(radii) for z in _faces(each["thickness"])]
        case "cylinder":
            radii = {each["radius"], each["inner"]} - {0.0}
            rims = [_lifted(_circle(r, segments), z) for r in sorted(radii) for z in _faces(each["length"])]
            quarters = _circle(each["radius"], 4)[:4]
            sides = [np.vstack([_lifted(q[None], z) for z in _faces(each["length"])]) for q in quarters]
            return rims + sides
        case "cone":
            apex = np.array([[0.0, 0.0, each["height"]]])
            sides = [np.vstack([_lifted(q[None], 0.0), apex]) for q in _circle(each["radius"], 4)[:4]]
            return [_lifted(_circle(each["radius"], segments), 0.0), *sides]
        case "box":
            return _box_lines(np.array(each["size"]))
        case "sphere":
            ring = _lifted(_circle(each["radius"], segments), 0.0)
            return [ring, np.roll(ring, 1, axis=1), np.roll(ring, 2, axis=1)]
        case _:
            return [np.zeros((1, 3))]


def _faces(thickness: float) -> list[float]:
    return [-0.5 * thickness, 0.5 * thickness] if thickness else [0.0]


def _circle(radius: float, segments: int) -> Array:
    turn = np.linspace(0.0, 2.0 * np.pi, segments + 1)
    return radius * np.column_stack([np.cos(turn), np.sin(turn)])


def _lifted(flat: Array, z: float) -> Array:
    return np.column_stack([flat, np.full(len(flat), z)])


def _box_lines(size: Array) -> list[Array]:
    corners = 0.5 * size[:2] * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
    loops = [_lifted(corners, z) for z in _faces(float(size[2]))]
    return loops + [np.vstack([loop[k] for loop in loops]) for k in range(4)]
