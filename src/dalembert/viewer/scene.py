"""What the page draws, as plain numbers: outlines of bodies, places of joints and force elements in body axes, points to trace.

Motion is not repeated here: bodies and marks name the quantities of the page that hold it.  Places are pairs (number of the body, point in
its frame); the ground has the number -1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..model.glyphs import glyph
from ..model.shapes.outline import polylines
from ..results.shown import Shown, faces, gather, hull_of
from .fittings import fittings
from .gears import teeth
from .pose import Pose
from .solids import Solid, bar, half_along, solids_of

Index = dict[tuple[str, str], int]
# poses at which the size of the picture is found
POSES = 60
MOTION = ("position", "angle", "quaternion", "velocity", "acceleration", "spin", "spin_rate")


def scene(run: Any, index: Index) -> dict[str, Any]:
    """Scene of a mechanism; `index` gives the numbers of quantities by (part, what)."""
    shown = gather(run)
    number = {body.name: k for k, body in enumerate(run.system.builder.bodies)}
    marks = [mark for part in _parts(run) for mark in _marks(run, part, index, number, shown)]
    # loads and drivers count from the origin of space, which is no place in the drawing
    held = [mark for mark in marks if glyph(mark["glyph"]).placed]
    fixed = [place[1] for mark in held for place in mark["places"] if place[0] < 0]
    rims = _rims(run, number, shown)
    box, single = box_of(shown, run.plane, fixed, rims)
    size = float(np.max(box[1] - box[0])) or 1.0
    bodies = []
    for k, body in enumerate(shown):
        motion = {what: index[body.name, what] for what in MOTION if (body.name, what) in index}
        items = list(flat_items(body, size) if run.plane else space_items(body))
        items += [{"kind": "line", "points": [_cut(run, p) for p in rim]} for rim in rims.get(k, [])]
        bodies.append({"name": body.name, "motion": motion, "center": _cut(run, body.center), "items": items})
    points: list[dict[str, Any]] = [
        {"name": f"{b.name} (mass centre)", "place": [k, _cut(run, b.center)]} for k, b in enumerate(shown)
    ]
    points += [
        {"name": f"end of {b.name}", "place": [k, _cut(run, p)]} for k, b in enumerate(shown) for p in free_end(b)
    ]
    points += [
        {"name": mark["name"], "place": mark["places"][-1]}
        for mark in marks
        if mark["kind"] == "joint"
        and mark["glyph"] not in ("gear", "rack")
        and any(place[0] >= 0 for place in mark["places"])
    ]
    # free ends are traced at first, and mass centres of bodies that nothing holds
    ends = [k for k, p in enumerate(points) if p["name"].startswith("end of ")]
    ends += [k for k, body in enumerate(shown) if not body.joints]
    made = {
        "plane": run.plane,
        "box": box,
        "single": single,
        "bodies": bodies,
        "marks": marks,
        "points": points,
        "traced": ends[:3],
        "glyphs": glyphs_of(marks),
    }
    if run.plane and shown and any(mark["glyph"] in ("gear", "rack") for mark in marks):
        start = Pose(0.0, np.array([b.origin[0] for b in shown]), np.array([b.rotation[0] for b in shown]))
        made["teeth"] = teeth(made, start)
    if not run.plane:
        # the axis that gravity follows is drawn upright
        gravity = np.asarray(run.system.builder.gravity, dtype=float)
        up = int(np.argmax(np.abs(gravity))) if np.any(gravity) else 2
        made.update(
            up=up, down=bool(gravity[up] > 0.0), unit=symbol_size(shown, single, size), floor=_floor_height(run, up)
        )
        _add_solids(run, made, shown, number)
    return made


def loads(run: Any, index: Index) -> list[dict[str, Any]]:
    """Rows of the table of reactions: every joint and driver, also those without a place of their own."""
    return [
        {
            "name": part.name,
            "type": part.tag.replace("_", " "),
            "on": part.bodies[-1].name,
            **{what: index[part.name, what] for what in ("force", "torque")},
        }
        for kind in ("joint", "driver")
        for part in run.parts(kind)
    ]


def glyphs_of(marks: list[dict[str, Any]]) -> dict[str, Any]:
    """The symbols that marks name, as data."""
    return {name: glyph(name).data() for name in sorted({mark["glyph"] for mark in marks})}


def _cut(run: Any, x: Any) -> list[float]:
    return [float(c) for c in (x[:2] if run.plane else x)]


# -- bodies ------------------------------------------------------------------------------------------------------------


def flat_items(body: Shown, size: float) -> Iterator[dict[str, Any]]:
    """Outline of a body in the plane: bars, areas, points."""
    if body.plain:
        corners = np.array([*body.joints, *body.ends]) if body.joints else body.center[None]
        if body.joints and float(np.max(np.ptp(corners, axis=0))) <= 1e-9 * size:
            corners = np.vstack([corners[:1], body.center[None]])
        if len(corners) > 2:
            hull = corners[hull_of(corners[:, :2])]
            x, y = hull[:, 0], hull[:, 1]
            area = 0.5 * abs(float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])))
            # a ternary link is a plate, points on one line a bar
            yield {"kind": "area" if area > 1e-6 * size * size else "bar", "points": hull[:, :2]}
        elif len(corners) == 2:
            yield {"kind": "bar", "points": corners[:, :2]}
        yield {"kind": "point", "points": body.center[None, :2]}
        return
    for item in body.outline:
        kind = item["type"] if item["type"] in ("point",) else "bar" if item["type"] == "line" else "area"
        for line in faces(item):
            made = {"kind": kind, "points": line[:, :2]}
            if item["type"] in ("circle", "cylinder"):
                # a spoke shows that a round body turns
                made["round"] = True
            yield {**made, "void": True} if item["void"] else made


def space_items(body: Shown) -> Iterator[dict[str, Any]]:
    """Outline of a body as lines in space; lines to joints beside the shape say what belongs to it."""
    if not body.plain:
        for item in body.outline:
            for line in polylines([item], 36):
                yield {"kind": "bar" if item["type"] == "line" else "line", "points": line}
    for joint in body.joints:
        yield {"kind": "bar" if body.plain else "thin", "points": np.array([body.center, joint])}
    if body.plain:
        yield {"kind": "point", "points": body.center[None]}


def free_end(body: Shown) -> list[np.ndarray]:
    """Free end of a slender body with one joint."""
    if len(body.joints) != 1 or body.plain:
        return []
    line = np.vstack(polylines(body.outline, 24))
    spread = np.sort(np.linalg.svd(line - line.mean(axis=0), compute_uv=False))
    if spread[-2] > 0.5 * spread[-1]:
        return []
    return [line[int(np.argmax(np.linalg.norm(line - body.joints[0], axis=1)))]]


def _rolling(
    run: Any, number: dict[str, int], shown: list[Shown]
) -> Iterator[tuple[int, np.ndarray, np.ndarray, float, float]]:
    """Rollers of bodies without a shape: number of the body, centre and axes there, radius and that of the rim."""
    drawing = run.system.builder.drawing
    for part in run.parts("joint"):
        k, symbol = number.get(part.bodies[-1].name, -1), part.symbol(drawing.number)
        if symbol["glyph"] == "wheel" and "radius" in symbol and k >= 0 and shown[k].plain:
            wheel = drawing.attach(part.markers[0], part.markers[-1])[1]
            yield k, wheel.point + shown[k].center, wheel.axes, symbol["radius"], symbol.get("tube", 0.0)


def _rims(run: Any, number: dict[str, int], shown: list[Shown]) -> dict[int, list[np.ndarray]]:
    """Rims and spokes of wheels that roll, for bodies without a shape of their own; by number of the body."""
    found: dict[int, list[np.ndarray]] = {}
    for k, center, axes, radius, tube in _rolling(run, number, shown):
        x, y, z = axes.T
        turn = np.linspace(0.0, 2.0 * np.pi, 49)[:, None]
        rim = [center + radius * (np.cos(turn) * x + np.sin(turn) * y)]
        if tube == radius:
            rim += [center + radius * (np.cos(turn) * y + np.sin(turn) * z)]
        spokes = [np.array([center - radius * e, center + radius * e]) for e in (x, y)]
        found.setdefault(k, []).extend([*rim, *spokes])
    return found


# -- solids in space ---------------------------------------------------------------------------------------------------


def _add_solids(run: Any, made: dict[str, Any], shown: list[Shown], number: dict[str, int]) -> None:
    """Solids of every body, and how far the symbol of a joint must reach to come out of its bodies."""
    wheels = _wheels(run, number, shown)
    for k, (body, drawn) in enumerate(zip(shown, made["bodies"])):
        held = [
            np.array(place[1])
            for mark in made["marks"]
            for end, place in enumerate(mark["places"])
            if place[0] == k and _holds(mark, end, body.plain)
        ]
        drawn["solids"] = solids_of(body, held, wheels.get(k, []))
    for mark in made["marks"]:
        if mark["glyph"] not in ("pin", "cross"):
            continue
        half = max(
            half_along(made["bodies"][k]["solids"], np.array(point), axes[:, 2], made["unit"]) if k >= 0 else 0.0
            for (k, point), axes in zip(mark["places"], mark["frames"])
        )
        # a long shaft along the axis of its own hinge is no reason for a long hinge
        mark["half"] = half if half < 10.0 * made["unit"] else 0.0
    for mark in made["marks"]:
        mark["fittings"] = fittings(mark, made["unit"], made["up"])


def _holds(mark: dict[str, Any], end: int, plain: bool) -> bool:
    """Whether the body at this end of a mark must visibly reach to it."""
    symbol = glyph(mark["glyph"])
    if mark["kind"] == "force":
        return plain and symbol.between
    if mark["kind"] != "joint" or not symbol.reached:
        return False
    # the rider of a guide that has a shape may be drawn anywhere along it
    return plain or not symbol.slides or end == 0


def symbol_size(shown: list[Shown], single: float, size: float) -> float:
    """Size of symbols (m): small beside a typical body, neither lost nor too large in the picture."""
    # a lone point mass has no size of its own; its path has
    single = single if single > 1e-6 * size else size
    sizes = []
    for body in shown:
        points = np.vstack([*polylines(body.outline, 12), *(p[None] for p in (body.center, *body.joints))])
        sizes.append(float(np.max(np.ptp(points, axis=0))))
    typical = float(np.median([size for size in sizes if size > 0.0] or [single or 1.0]))
    return float(np.clip(0.05 * typical, min(0.004 * single, 0.25 * typical), 0.02 * single)) or 0.01


def _wheels(run: Any, number: dict[str, int], shown: list[Shown]) -> dict[int, list[Solid]]:
    """Wheels and balls that roll, for bodies without a shape of their own; by number of the body."""
    found: dict[int, list[Solid]] = {}
    for k, center, axes, radius, tube in _rolling(run, number, shown):
        if tube == radius:
            found.setdefault(k, []).append({"solid": "sphere", "center": center, "axes": axes, "radius": radius})
            continue
        rim = {"solid": "ring", "center": center, "axes": axes, "radius": radius - tube, "tube": tube}
        turns = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
        ends = center + (radius - tube) * (np.outer(np.cos(turns), axes[:, 0]) + np.outer(np.sin(turns), axes[:, 1]))
        found.setdefault(k, []).extend([rim, *(bar([center, end], thin=True) for end in ends)])
    return found


def _floor_height(run: Any, up: int) -> float | None:
    """Height of the level ground that something rolls on."""
    drawing = run.system.builder.drawing
    for part in run.parts("joint"):
        symbol = part.symbol(drawing.number)
        if symbol["glyph"] == "wheel" and part.bodies[0].is_ground:
            ground, wheel = drawing.attach(part.markers[0], part.markers[-1])
            normal = ground.axes[:, 2]
            if abs(normal[up]) < 1.0 - 1e-6:
                continue
            if symbol.get("placed"):
                return float(ground.point[up])
            if "radius" in symbol:
                # the plane touches the roller as drawn: H = (R - tube) sqrt(1 - d^2) + tube below its centre
                radius, tube = symbol["radius"], symbol.get("tube", 0.0)
                d = float(drawing.poses[id(part.bodies[-1])].rotation[up] @ wheel.axes[:, 2]) * np.sign(normal[up])
                return float(
                    ground.point[up] - np.sign(normal[up]) * ((radius - tube) * np.sqrt(max(0.0, 1.0 - d * d)) + tube)
                )
    return None


def box_of(
    shown: list[Shown], plane: bool, fixed: list[list[float]], rims: dict[int, list[np.ndarray]]
) -> tuple[np.ndarray, float]:
    """Smallest and largest coordinates that are reached, by bodies and by what is fixed to the ground; size of a single pose."""
    if not shown:
        return np.array([[-1.0] * 3, [1.0] * 3])[:, : 2 if plane else 3], 2.0
    n = len(shown[0].origin)
    outputs = np.unique(np.linspace(0, n - 1, min(n, POSES)).round().astype(int))
    found = []  # points of one body at all poses: (pose, point, 3)
    for i, body in enumerate(shown):
        places = [p[None] for p in (body.center, *body.joints, *body.ends)]
        points = np.vstack([*polylines(body.outline, 12), *places, *rims.get(i, [])])
        found.append(np.array([body.at(int(k), points) for k in outputs]))
    poses = np.concatenate(found, axis=1)
    single = float(np.nanmax(np.ptp(poses, axis=1)))
    every = poses.reshape(-1, 3)
    every = every[np.isfinite(every).all(axis=1)]
    every = np.vstack([every[:, : 2 if plane else 3], *(np.array([p]) for p in fixed)])
    return np.array([every.min(axis=0), every.max(axis=0)]), single


# -- joints and force elements -----------------------------------------------------------------------------------------


def _parts(run: Any) -> list[Any]:
    return [part for kind in ("joint", "driver", "force") for part in run.parts(kind)]


def _marks(run: Any, part: Any, index: Index, number: dict[str, int], shown: list[Shown]) -> Iterator[dict[str, Any]]:
    """Symbols of a part: one, two for a pair of gears, none where it has no place."""
    attached, symbol = _attached(run, part), part.symbol(run.system.builder.drawing.number)
    name = symbol["glyph"]
    if attached is None or (name == "rack" and not run.plane):
        return  # in space a rack has no symbol
    place = lambda a: [number.get(a.body.name, -1), _cut(run, a.point + _center(shown, number, a.body))]  # noqa: E731
    mark: dict[str, Any] = {
        "name": part.name,
        "kind": part.kind,
        "type": part.tag.replace("_", " "),
        "glyph": name,
        "bodies": [body.name for body in part.bodies],
        "on": part.bodies[-1].name,
        "places": [place(a) for a in attached],
    }
    for what in ("force", "torque", "effort"):
        if (part.name, what) in index:
            mark[what] = index[part.name, what]
    if run.plane and name in ("slider", "slot"):
        mark.update(_guide(run, mark, attached, shown, number))
    if run.plane and name == "wheel" and "radius" in symbol and attached[0].body.is_ground:
        mark["floor"] = _floor(run, symbol["radius"], attached)
    if run.plane and "radii" in symbol:
        mark["radii"] = _radii(run, symbol, attached)
        mark["crossed"] = symbol.get("crossed", False)
    if run.plane and name == "rack" and "radius" in symbol:
        mark.update(_rack(run, part.drawn_at[1], symbol["radius"], attached, shown, number))
    if not run.plane and name in ("pin", "sleeve", "slider", "thread"):
        mark["hinge"] = attached[0].axes[:, 2]
    if not run.plane:
        mark["frames"] = [a.axes for a in attached]
        if glyph(name).slides or name == "wheel":
            mark.update(_travel(run, mark, attached, shown, number))
    yield mark


def _center(shown: list[Shown], number: dict[str, int], body: Any) -> np.ndarray:
    k = number.get(body.name, -1)
    return np.zeros(3) if k < 0 else shown[k].center


def _attached(run: Any, part: Any) -> list[Any] | None:
    """Where a part is attached: two frames, for gears and belts the centres of the wheels."""
    drawing, pairs = run.system.builder.drawing, part.drawn_at
    if not pairs or any(m is None for pair in pairs for m in pair):
        return None
    ends = [drawing.attach(*pair) for pair in pairs]
    if len(ends) == 1:
        return list(ends[0])
    # a wheel turns with the body that is not the ground
    return [j if not j.body.is_ground else i for i, j in ends]


def _guide(
    run: Any, mark: dict[str, Any], attached: list[Any], shown: list[Shown], number: dict[str, int]
) -> dict[str, Any]:
    """Line of a slider or slot: the frame that carries it, how far it reaches, how wide the sliding body is."""
    carrier, rider = attached
    if mark["glyph"] == "slider" and rider.body.is_ground:
        carrier, rider = rider, carrier
    at, by = run.kinematics(carrier.body), run.kinematics(rider.body)
    along = np.einsum("tij,j->ti", at.rotation, carrier.axes[:, 0])
    foot = at.position + at.rotation @ carrier.point
    body = shown[number[rider.body.name]] if rider.body.name in number else None
    low = high = half = 0.0
    tip = by.position + by.rotation @ rider.point
    if mark["glyph"] == "slider" and body is not None and not body.plain:
        # extent of the rider along and across the guide, from the joint point
        outline = np.vstack(polylines(body.outline, 24)) - body.center - rider.point
        across = np.cross([0.0, 0.0, 1.0], rider.axes[:, 0])
        half = float(np.max(np.abs(outline @ across)))
        low, high = float(np.min(outline @ rider.axes[:, 0])), float(np.max(outline @ rider.axes[:, 0]))
    travel = np.einsum("ti,ti->t", tip - foot, along)
    return {
        "carrier": attached.index(carrier),
        "axis": _cut(run, carrier.axes[:, 0]),
        "reach": [float(travel.min()) + low, float(travel.max()) + high],
        "half": half,
    }


def _travel(
    run: Any, mark: dict[str, Any], attached: list[Any], shown: list[Shown], number: dict[str, int]
) -> dict[str, Any]:
    """How far the second place travels in the axes of the first: smallest and largest x, y, z; whether a shaped body rides there."""
    carrier, rider = attached
    at, by = run.kinematics(carrier.body), run.kinematics(rider.body)
    tip = by.position + by.rotation @ rider.point - at.position - at.rotation @ carrier.point
    seen = np.einsum("ai,tba,tb->ti", carrier.axes, at.rotation, tip)
    low, high = np.nanmin(seen, axis=0), np.nanmax(seen, axis=0)
    body = shown[number[rider.body.name]] if rider.body.name in number else None
    shaped = body is not None and not body.plain
    if shaped and mark["glyph"] in ("slider", "sleeve"):
        assert body is not None
        along = (np.vstack(polylines(body.outline, 24)) - body.center - rider.point) @ rider.axes[:, 2]
        slide = seen[:, 2]
        bore = shown[number[carrier.body.name]] if carrier.body.name in number else None
        if mark["glyph"] == "slider" and bore is not None and not bore.plain:
            return {"travel": [low, high], "shaped": True, "rod": _rod(bore, carrier, slide, along)}
        low[2], high[2] = low[2] + min(0.0, float(along.min())), high[2] + max(0.0, float(along.max()))
    return {"travel": [low, high], "shaped": shaped}


def _rod(bore: Shown, carrier: Any, slide: np.ndarray, along: np.ndarray) -> list[float] | None:
    """From where to where a rod must reach along the axis of the carrier to join two bodies that both have shapes, as in a telescope.

    None where they overlap all the time: then the bodies themselves show what slides on what.
    """
    own = (np.vstack(polylines(bore.outline, 24)) - bore.center - carrier.point) @ carrier.axes[:, 2]
    least, most = float(np.nanmin(slide)), float(np.nanmax(slide))
    if most + float(along.min()) > own.max():
        return [float(own.max()), most + float(along.min())]
    if least + float(along.max()) < own.min():
        return [least + float(along.max()), float(own.min())]
    return None


def _floor(run: Any, radius: float, attached: list[Any]) -> list[list[float]]:
    """Line on the ground that a wheel rolls on, as far as it goes."""
    wheel = run.kinematics(attached[1].body)
    center = wheel.position + wheel.rotation @ attached[1].point
    along, normal = attached[0].axes[:, 0], attached[0].axes[:, 1]
    reach = center @ along
    foot = center[0] - radius * normal
    return [
        _cut(run, foot + (s - reach[0]) * along)
        for s in (float(reach.min()) - 1.5 * radius, float(reach.max()) + 1.5 * radius)
    ]


def _rack(
    run: Any, rack: Any, radius: float, attached: list[Any], shown: list[Shown], number: dict[str, int]
) -> dict[str, Any]:
    """Pitch radius of the pinion and the line of teeth of the rack, fixed to its body, as far as it is used."""
    guide, rider = run.system.builder.drawing.attach(*rack)
    pinion, carrier, moving = (run.kinematics(a.body) for a in (attached[0], guide, rider))
    center = pinion.position + pinion.rotation @ attached[0].point
    along = carrier.rotation @ guide.axes[:, 0]
    # where both move alike: w z x d = radius w e, so that d = -radius z x e
    contact = center - radius * np.cross([0.0, 0.0, 1.0], along)
    slide = np.einsum("ti,ti->t", moving.position + moving.rotation @ rider.point - carrier.position, along)
    body, sign = (rider.body, 1.0) if not rider.body.is_ground else (guide.body, -1.0)
    teeth = run.kinematics(body)
    point = teeth.rotation[0].T @ (contact[0] - teeth.position[0]) + _center(shown, number, body)
    e = teeth.rotation[0].T @ along[0]
    used = -sign * (slide - slide[0])
    ends = (float(used.min()) - 1.5 * abs(radius), float(used.max()) + 1.5 * abs(radius))
    return {
        "radius": abs(radius),
        # rack and the body that guides it, direction there, radius with its sign
        "rack": [*(number.get(a.body.name, -1) for a in (rider, guide)), _cut(run, guide.axes[:, 0]), radius],
        "teeth": [number.get(body.name, -1), *(_cut(run, point + s * e) for s in ends)],
    }


def _radii(run: Any, symbol: dict[str, Any], attached: list[Any]) -> list[float]:
    """Pitch radii of two wheels: those given, or from the distance of their centres and the ratio."""
    if symbol["radii"] is not None:
        return list(symbol["radii"])
    first, second = (run.kinematics(a.body) for a in attached)
    a, b = (k.position[0] + k.rotation[0] @ end.point for k, end in zip((first, second), attached))
    distance, ratio = float(np.linalg.norm(b - a)), symbol["ratio"]
    # angle_b = ratio angle_a; outside each other (ratio < 0) r_a + r_b = distance, one in the other |r_b - r_a| = distance
    share = 1.0 - ratio if ratio < 0.0 else abs(ratio - 1.0)
    radius = distance / share if share > 1e-9 else 0.0
    return [abs(ratio) * radius, radius]
