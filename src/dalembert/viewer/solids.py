"""Bodies in space as solids: what the page shades, as plain numbers in body axes.

A solid is a dict with `solid`, its kind, and its sizes in metres.  Kinds with a frame of their own have `center` (point) and `axes` (3×3, columns
are the axes of the solid in body axes):

    bar       points [[x, y, z], …]: a slender bar along them, as thick as the drawing likes; `thin` marks what only connects
    box       size [x, y, z], centred
    cylinder  radius, inner (radius of the hole), length along z, centred; length 0 is a thin disk
    cone      radius, height along z, base at z = 0
    prism     points [[x, y], …], holes [[[x, y], …], …], length along z, centred; length 0 is a thin plate
    ring      radius and tube of a torus about z; tube 0 leaves the thickness to the drawing
    sphere    radius; 0 is a point mass

`void` marks material taken away that is no hole straight through: the page draws its edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .drawn import Shown, hull_of

Solid = dict[str, Any]
ROUND = 64  # corners of a round hole


def solids_of(body: Shown, held: list[np.ndarray], wheels: list[Solid]) -> list[Solid]:
    """Solids of a body: by its shape, or by its wheels, or else as a link between the points where it is held."""
    if not body.plain:
        made = list(_with_holes(body.outline))
        size = float(np.max(np.ptp(_corners(made), axis=0), initial=0.0))
        return [*made, *(bar([near, p], thin=True) for p in held for near in _away(p, made, 0.01 * size))]
    if wheels:
        return [*wheels, *(bar([body.center, p], thin=True) for p in held if _far(p, body.center))]
    return list(_link(body.center, held))


def bar(points: Any, thin: bool = False) -> Solid:
    """Bar along points."""
    return {"solid": "bar", "points": np.array(points, dtype=float), "thin": thin}


def plate(points: Any, length: float) -> Solid:
    """Prism over the closed line through points of one plane."""
    every = np.asarray(points, dtype=float)
    middle = every.mean(axis=0)
    axes = np.linalg.svd(every - middle)[2]
    if np.linalg.det(axes) < 0.0:
        axes[2] = -axes[2]
    flat = (every - middle) @ axes[:2].T
    return {"solid": "prism", "center": middle, "axes": axes.T, "points": flat, "holes": [], "length": length}


def _ball(center: Any) -> Solid:
    return {"solid": "sphere", "center": np.array(center, dtype=float), "axes": np.eye(3), "radius": 0.0}


def _far(p: np.ndarray, q: np.ndarray) -> bool:
    return float(np.linalg.norm(p - q)) > 1e-9


# -- shapes --------------------------------------------------------------------------------------------------------------


def _with_holes(outline: list[dict[str, Any]]) -> Iterator[Solid]:
    """Items of an outline as solids; what is taken away straight through becomes a hole."""
    left = [item for item in outline if item["void"]]
    for item in outline:
        if item["void"] or item["type"] == "point":
            continue
        solid, holes = _solid(item), []
        for turned in _prisms(solid):
            found = [(void, hole) for void in left if (hole := _hole(turned, _solid(void))) is not None]
            if found:
                left = [void for void in left if all(void is not used for used, _ in found)]
                solid, holes = turned, [hole for _, hole in found]
                break
        yield {**solid, "holes": holes} if holes else solid
    for item in outline:
        if item["type"] == "point":
            yield _solid(item)
    yield from ({**_solid(void), "void": True} for void in left if void["type"] != "point")


def _solid(item: dict[str, Any]) -> Solid:
    center, axes = np.array(item["center"], dtype=float), np.array(item["rotation"], dtype=float)
    frame = {"center": center, "axes": axes}
    match item["type"]:
        case "line":
            return bar(center + np.array(item["points"], dtype=float) @ axes.T)
        case "polygon":
            return {"solid": "prism", **frame, "points": item["points"], "holes": [], "length": item["thickness"]}
        case "circle":
            inner = item["inner"]
            if inner >= item["radius"] > 0.0:
                return {"solid": "ring", **frame, "radius": item["radius"], "tube": 0.5 * item["thickness"]}
            sizes = {"radius": item["radius"], "inner": inner, "length": item["thickness"]}
            return {"solid": "cylinder", **frame, **sizes}
        case "box":
            return {"solid": "box", **frame, "size": item["size"]}
        case "cylinder":
            return {"solid": "cylinder", **frame, **{what: item[what] for what in ("radius", "inner", "length")}}
        case "cone":
            return {"solid": "cone", **frame, "radius": item["radius"], "height": item["height"]}
        case "sphere":
            return {"solid": "sphere", **frame, "radius": item["radius"]}
        case _:
            return _ball(center)


def _prisms(solid: Solid) -> Iterator[Solid]:
    """The same solid as prisms, along each direction in which it is one."""
    if solid["solid"] == "prism":
        yield solid
    elif solid["solid"] == "cylinder" and solid["inner"] == 0.0:
        yield {**_framed(solid), "points": _circle(solid["radius"]), "holes": [], "length": solid["length"]}
    elif solid["solid"] == "box":
        for k in (2, 0, 1):
            a, b = (k + 1) % 3, (k + 2) % 3
            x, y = 0.5 * solid["size"][a], 0.5 * solid["size"][b]
            axes = solid["axes"][:, [a, b, k]]
            corners = np.array([[-x, -y], [x, -y], [x, y], [-x, y]])
            yield {**_framed(solid), "axes": axes, "points": corners, "holes": [], "length": solid["size"][k]}


def _framed(solid: Solid) -> Solid:
    return {"solid": "prism", "center": solid["center"], "axes": solid["axes"]}


def _circle(radius: float) -> np.ndarray:
    turn = np.linspace(0.0, 2.0 * np.pi, ROUND, endpoint=False)
    return radius * np.column_stack([np.cos(turn), np.sin(turn)])


def _hole(host: Solid, void: Solid) -> np.ndarray | None:
    """Outline of a void in the plane of a prism that it goes straight through; None if it does not."""
    for turned in _prisms(void):
        if abs(float(turned["axes"][:, 2] @ host["axes"][:, 2])) < 1.0 - 1e-9:
            continue
        shift = host["axes"].T @ (turned["center"] - host["center"])
        if abs(shift[2]) > 0.5 * (turned["length"] - host["length"]) + 1e-9 * (1.0 + host["length"]):
            continue
        flat = np.asarray(turned["points"], dtype=float)
        points = np.asarray(
            (np.column_stack([flat, np.zeros(len(flat))]) @ (host["axes"].T @ turned["axes"]).T + shift)[:, :2]
        )
        if _inside(points, np.asarray(host["points"], dtype=float)):
            return points
    return None


def _inside(points: np.ndarray, outline: np.ndarray) -> bool:
    """Whether all points lie inside an outline (number of edges that a ray to the right crosses)."""
    a, b = outline, np.roll(outline, -1, axis=0)
    for x, y in points:
        up = (a[:, 1] > y) != (b[:, 1] > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            at = a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
        if np.count_nonzero(up & (at > x)) % 2 == 0:
            return False
    return True


# -- points beside a shape -------------------------------------------------------------------------------------------------


def _half(solid: Solid) -> tuple[np.ndarray, np.ndarray]:
    """Middle and half sizes of the box around a solid, in its own axes."""
    match solid["solid"]:
        case "box":
            return np.zeros(3), 0.5 * np.array(solid["size"], dtype=float)
        case "cylinder":
            return np.zeros(3), np.array([solid["radius"], solid["radius"], 0.5 * solid["length"]])
        case "cone":
            half = 0.5 * solid["height"]
            return np.array([0.0, 0.0, half]), np.array([solid["radius"], solid["radius"], half])
        case "prism":
            low, high = np.min(solid["points"], axis=0), np.max(solid["points"], axis=0)
            return np.array([*(0.5 * (low + high)), 0.0]), np.array([*(0.5 * (high - low)), 0.5 * solid["length"]])
        case "ring":
            outer = solid["radius"] + solid["tube"]
            return np.zeros(3), np.array([outer, outer, solid["tube"]])
        case _:
            return np.zeros(3), np.full(3, solid["radius"])


def _corners(solids: list[Solid]) -> np.ndarray:
    found = [np.zeros((0, 3))]
    for solid in solids:
        if solid["solid"] == "bar":
            found.append(solid["points"])
            continue
        middle, half = _half(solid)
        signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        found.append(solid["center"] + (middle + signs * half) @ solid["axes"].T)
    return np.vstack(found)


def _nearest(p: np.ndarray, solid: Solid) -> np.ndarray:
    """Point of a solid (of the box around prisms) nearest to p."""
    if solid["solid"] == "bar":
        points = solid["points"]
        feet = [_on_segment(p, a, b) for a, b in zip(points, points[1:])]
        return min(feet, key=lambda foot: float(np.linalg.norm(foot - p)))
    local = solid["axes"].T @ (p - solid["center"])
    middle, half = _half(solid)
    if solid["solid"] in ("cylinder", "cone", "ring", "sphere"):
        # round ones: the radius holds for the distance from the axis or centre
        axial = solid["solid"] != "sphere"
        across = local[:2] if axial else local
        distance = float(np.linalg.norm(across))
        if distance > half[0]:
            local[: len(across)] *= half[0] / distance
        if axial:
            local[2] = np.clip(local[2], middle[2] - half[2], middle[2] + half[2])
    else:
        local = np.clip(local, middle - half, middle + half)
    return np.asarray(solid["center"] + solid["axes"] @ local)


def _away(p: np.ndarray, solids: list[Solid], small: float) -> list[np.ndarray]:
    """The nearest point of the solids where p lies away from them; nothing where it touches one."""
    near = [_nearest(p, solid) for solid in solids if not solid.get("void")]
    if not near:
        return []
    best = min(near, key=lambda foot: float(np.linalg.norm(foot - p)))
    return [best] if float(np.linalg.norm(best - p)) > small else []


def half_along(solids: list[Solid], p: np.ndarray, axis: np.ndarray, small: float) -> float:
    """How far the solids that p lies in (or at most `small` beside) reach along an axis through it, to either side."""
    half = 0.0
    for solid in solids:
        if solid["solid"] == "bar" or solid.get("void") or _away(p, [solid], small):
            continue
        middle, sizes = _half(solid)
        turned = solid["axes"].T @ axis
        if solid["solid"] in ("cylinder", "cone", "ring"):
            extent = sizes[0] * float(np.hypot(*turned[:2])) + sizes[2] * abs(turned[2])
        else:
            extent = float(np.linalg.norm(sizes * turned) if solid["solid"] == "sphere" else np.abs(turned) @ sizes)
        half = max(half, extent + abs(float((p - solid["center"] - solid["axes"] @ middle) @ axis)))
    return half


def _on_segment(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    length = float((b - a) @ (b - a))
    s = float(np.clip((p - a) @ (b - a) / length, 0.0, 1.0)) if length > 0.0 else 0.0
    return np.asarray(a + s * (b - a))


# -- bodies that only have a mass -------------------------------------------------------------------------------------------


def _link(center: np.ndarray, held: list[np.ndarray]) -> Iterator[Solid]:
    """A body without a shape: a bar between two points, a plate through several in one plane, else bars from the mass centre."""
    points: list[np.ndarray] = []
    for p in held:
        if all(_far(p, q) for q in points):
            points.append(p)
    yield _ball(center)
    if not points:
        return
    if len(points) == 1:
        if _far(points[0], center):
            yield bar([points[0], center])
        return
    every = np.array(points)
    middle = every.mean(axis=0)
    _, spread, axes = np.linalg.svd(every - middle)
    spread = np.append(spread, [0.0] * (3 - len(spread)))
    if spread[1] < 0.02 * spread[0]:
        along = (every - middle) @ axes[0]
        ends = every[[int(np.argmin(along)), int(np.argmax(along))]]
        yield bar(ends)
        foot = _on_segment(center, *ends)
        if float(np.linalg.norm(foot - center)) > 0.02 * spread[0]:
            yield bar([foot, center], thin=True)
    elif spread[2] < 0.02 * spread[0]:
        if np.linalg.det(axes) < 0.0:
            axes[2] = -axes[2]
        flat = (every - middle) @ axes[:2].T
        hull = flat[hull_of(flat)[:-1]]
        yield {"solid": "prism", "center": middle, "axes": axes.T, "points": hull, "holes": [], "length": 0.0}
        if abs(float((center - middle) @ axes[2])) > 0.02 * spread[0]:
            yield bar([center - float((center - middle) @ axes[2]) * axes[2], center], thin=True)
    else:
        yield from (bar([center, p]) for p in points if _far(p, center))
