"""What the page draws, as plain numbers: outlines of bodies, places of joints and force elements in body axes, points to trace.

Motion is not repeated here: bodies and marks name the quantities of the page that hold it.  Places are pairs (number of the body, point in
its frame); the ground has the number -1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.forces import Contact
from ..model.glyphs import glyph
from ..model.shapes.outline import polylines
from ..results.lagrangian import LagrangianResult
from ..results.result import Result
from .cones import cones, pressing_points
from .drawn import Index, Listed, Pose, SceneMaker, Shown, box_of
from .fittings import fittings
from .gears import teeth
from .grounds import add_grounds, enlarge, ground_height, profiles, wires
from .path_scene import PathScene
from .solids import Solid, bar, half_along, plate, solids_of

if TYPE_CHECKING:
    from ..model.body import Body
    from ..model.driver import Driver
    from ..model.part import Part
    from ..results.record import Record


Mark = dict[str, Any]


def drawing(run: Record) -> SceneMaker | None:
    """What is drawn of a result; None of one that has no bodies or parts to draw."""
    if isinstance(run, LagrangianResult):
        return PathScene(run) if run.model.parts else None
    return MechanismScene(run) if isinstance(run, Result) else None


def scene(run: Result, index: Index) -> dict[str, Any]:
    """Scene of a mechanism; `index` gives the numbers of quantities by (part, what)."""
    return MechanismScene(run).scene(index)


def loads(run: Result, index: Index) -> list[dict[str, Any]]:
    """Rows of the table of reactions: every joint, driver and contact, also those without a place of their own."""
    contacts = [part for part in run.parts("force") if isinstance(part, Contact)]
    parts = (*run.parts("joint"), *run.parts("driver"), *contacts)
    return [described(part) | {what: index[part.name, what] for what in ("force", "torque")} for part in parts]


def described(part: Part | Driver) -> dict[str, Any]:
    """A part by its name, its type and the body that it acts on."""
    return {"name": part.name, "type": part.tag.replace("_", " "), "on": part.bodies[-1].name}


def gather(run: Result) -> list[Shown]:
    """Bodies of a run as plain arrays."""
    drawing = run.system.builder.drawing
    bodies: dict[int, Shown] = {}
    for body in run.system.builder.bodies:
        motion, pose = run.kinematics(body), drawing.poses[body]
        assert body.shape is not None
        # kinematics are those of the mass centre; outlines refer to the origin of the body frame
        origin = motion.position - motion.rotation @ pose.center
        bodies[id(body)] = Shown(body.name, origin, motion.rotation, body.shape.outline(drawing.number), pose.center)
    for part in (*run.parts("joint"), *run.parts("force")):
        if part.located and len(part.markers) > 1:
            for a in drawing.attach(part.markers[0], part.markers[-1]):
                if id(a.body) in bodies:
                    shown = bodies[id(a.body)]
                    (shown.joints if part.kind == "joint" else shown.ends).append(a.point + shown.center)
    for part in run.parts("driver"):
        if part.measure.kind == "distance":  # a cylinder: its ends are places of the bodies
            for a in drawing.attach(part.measure.i, part.measure.j):
                if id(a.body) in bodies:
                    bodies[id(a.body)].ends.append(a.point + bodies[id(a.body)].center)
    return list(bodies.values())


class MechanismScene(SceneMaker):
    """A result of a mechanism on its way to a scene."""

    run: Result
    motion = {x: x for x in ("position", "angle", "quaternion", "velocity", "acceleration", "spin", "spin_rate")}

    def __init__(self, run: Result) -> None:
        self.run, self.plane, self.shown, self.supports = run, run.plane, gather(run), []
        self.drawing = run.system.builder.drawing
        self.number = {body.name: k for k, body in enumerate(run.system.builder.bodies)}

    def quantities(self) -> Listed:
        """Where contacts press, and their cones."""
        return pressing_points(self.run)

    def scene(self, index: Index) -> dict[str, Any]:
        """The scene; `index` gives the numbers of quantities by (part, what)."""
        shown = self.shown
        parts = [part for kind in ("joint", "driver", "force") for part in self.run.parts(kind)]
        marks = [mark for part in parts if (mark := self._mark(part, index)) is not None]
        # loads and drivers count from the origin of space, which is no place in the drawing
        held = [mark for mark in marks if glyph(mark["glyph"]).placed]
        fixed = [place[1] for mark in held for place in mark["places"] if place[0] < 0]
        rims, (outlines, arms) = self._rims(), self._outlines()
        still = [self.cut(p) for line in outlines.get(-1, []) for p in line]
        every = {k: [*rims.get(k, []), *outlines.get(k, []), *arms.get(k, [])] for k in range(len(shown))}
        box, single = box_of(shown, self.plane, [*fixed, *still], every)
        bodies = self.bodies(index, box)
        for k, body in enumerate(bodies):
            body["items"][:0] = self._lines("area" if self.plane else "line", outlines.get(k))
            body["items"] += [*self._lines("line", rims.get(k)), *self._lines("bar", arms.get(k))]
        points: list[dict[str, Any]] = [
            {"name": f"{b.name} (mass centre)", "place": [k, self.cut(b.center)]} for k, b in enumerate(shown)
        ]
        points += self.free_ends()
        joints = [mark for mark in marks if mark["kind"] == "joint" and mark["glyph"] not in ("gear", "rack")]
        moving = [mark for mark in joints if any(place[0] >= 0 for place in mark["places"])]
        points += [{"name": mark["name"], "place": mark["places"][-1]} for mark in moving]
        # free ends are traced at first, and mass centres of bodies that nothing holds
        ends = [k for k, p in enumerate(points) if p["name"].startswith("end of ")]
        ends += [k for k, body in enumerate(shown) if not body.joints]
        gravity = np.asarray(self.run.system.builder.gravity, dtype=float)
        made = self.assembled(box, single, gravity, bodies=bodies, marks=marks, points=points, traced=ends[:3])
        if self.plane and shown and any(mark["glyph"] in ("gear", "rack") for mark in marks):
            made["teeth"] = teeth(made, Pose(0.0, self.origins[0], self.rotations[0]))
        if pressed := cones(self.run, index):
            made["cones"] = pressed
        made["wires"] = [{"body": -1, "lines": [[self.cut(p) for p in line]]} for line in outlines.get(-1, [])]
        if self.plane:
            add_grounds(self.run, made, self._hidden())
        else:
            made["floor"] = self._floor_height(made["up"], made["down"])
            self._add_wires(made)
            self._add_solids(made, outlines)
        return made

    def _lines(self, kind: str, lines: Any) -> list[dict[str, Any]]:
        return [{"kind": kind, "points": [self.cut(p) for p in line]} for line in lines or ()]

    # -- what is touched -----------------------------------------------------------------------------------------------

    def _outlines(self) -> tuple[dict[int, list[np.ndarray]], dict[int, list[np.ndarray]]]:
        """Cams and rollers, and arms of followers, in axes of their bodies, by number; a body without a shape reaches to its tip."""
        outlines: dict[int, list[np.ndarray]] = {}
        arms: dict[int, list[np.ndarray]] = {}
        for name, line, kind in profiles(self.run):
            k = self.number.get(name, -1)
            body = self.shown[k] if k >= 0 else None
            local = line if body is None else (line - body.origin[0]) @ body.rotation[0]
            if kind != "arm":
                outlines.setdefault(k, []).append(local)
            # in the plane lines between the points of a body without a shape show a straight arm, and what carries a roller
            straight = body is not None and body.plain and len(line) == 2
            if body is not None and (straight or kind == "roller"):
                tip = local[-1] if straight else local[:-1].mean(axis=0)
                body.ends += [] if any(np.allclose(tip, end, rtol=0.0, atol=1e-12) for end in body.ends) else [tip]
            if kind == "arm" and k >= 0 and not (self.plane and straight):
                arms.setdefault(k, []).append(local)
        return outlines, arms

    def _add_wires(self, made: dict[str, Any]) -> None:
        """Planes and balls that contacts touch; the picture is large enough for those that stand still, and for its floor."""
        up, floor = made["up"], made["floor"]
        size = float(np.max(made["box"][1] - made["box"][0])) or 1.0
        for wire in wires(self.run, self._hidden(), up, floor, size):
            k = self.number.get(wire["body"], -1)
            center = np.zeros(3) if k < 0 else self.shown[k].center
            parts = {what: np.asarray(x) + center for what, x in wire.items() if what == "face"}
            made["wires"].append({"body": k, "lines": [line + center for line in wire["lines"]], **parts})
        fixed = [np.asarray(line) for wire in made["wires"] if wire["body"] < 0 for line in wire["lines"]]
        if floor is not None:
            fixed.append(np.where(np.arange(3) == up, floor, made["box"][0])[None])
        if fixed:
            enlarge(made, np.vstack(fixed))

    def _hidden(self) -> set[str]:
        """The ground, and bodies without a shape: what they are touched with is drawn."""
        return {self.run.model.ground.name, *(body.name for body in self.shown if body.plain)}

    # -- wheels that roll ----------------------------------------------------------------------------------------------

    def _rolling(self) -> Iterator[tuple[int, np.ndarray, np.ndarray, float, float]]:
        """Rollers of bodies without a shape: number of the body, centre and axes there, radius and that of the rim."""
        for part in self.run.parts("joint"):
            k, symbol = self.number.get(part.bodies[-1].name, -1), part.symbol(self.drawing.number)
            if symbol["glyph"] == "wheel" and "radius" in symbol and k >= 0 and self.shown[k].plain:
                wheel = self.drawing.attach(part.markers[0], part.markers[-1])[1]
                yield k, wheel.point + self.shown[k].center, wheel.axes, symbol["radius"], symbol.get("tube", 0.0)

    def _rims(self) -> dict[int, list[np.ndarray]]:
        """Rims and spokes of wheels that roll, for bodies without a shape of their own; by number of the body."""
        found: dict[int, list[np.ndarray]] = {}
        for k, center, axes, radius, tube in self._rolling():
            x, y, z = axes.T
            turn = np.linspace(0.0, 2.0 * np.pi, 49)[:, None]
            rim = [center + radius * (np.cos(turn) * x + np.sin(turn) * y)]
            if tube == radius:
                rim += [center + radius * (np.cos(turn) * y + np.sin(turn) * z)]
            spokes = [np.array([center - radius * e, center + radius * e]) for e in (x, y)]
            found.setdefault(k, []).extend([*rim, *spokes])
        return found

    def _wheels(self) -> dict[int, list[Solid]]:
        """Wheels and balls that roll, for bodies without a shape of their own; by number of the body."""
        found: dict[int, list[Solid]] = {}
        for k, center, axes, radius, tube in self._rolling():
            if tube == radius:
                found.setdefault(k, []).append({"solid": "sphere", "center": center, "axes": axes, "radius": radius})
                continue
            rim = {"solid": "ring", "center": center, "axes": axes, "radius": radius - tube, "tube": tube}
            a = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
            ends = center + (radius - tube) * (np.outer(np.cos(a), axes[:, 0]) + np.outer(np.sin(a), axes[:, 1]))
            found.setdefault(k, []).extend([rim, *(bar([center, end], thin=True) for end in ends)])
        return found

    # -- solids in space -----------------------------------------------------------------------------------------------

    def _add_solids(self, made: dict[str, Any], outlines: dict[int, list[np.ndarray]]) -> None:
        """Solids of every body, and how far the symbol of a joint must reach to come out of its bodies."""
        wheels = self._wheels()
        for k, (body, drawn) in enumerate(zip(self.shown, made["bodies"])):
            held = [
                np.array(place[1])
                for mark in made["marks"]
                for end, place in enumerate(mark["places"])
                if place[0] == k and _holds(mark, end, body.plain)
            ]
            held += [line[:-1].mean(axis=0) for line in outlines.get(k, []) if body.plain]
            drawn["solids"] = solids_of(body, held, wheels.get(k, []))
            drawn["solids"] += [plate(line[:-1], 2.0 * made["unit"]) for line in outlines.get(k, [])]
        for mark in made["marks"]:
            if mark["glyph"] in ("pin", "cross"):
                half = max(
                    half_along(made["bodies"][k]["solids"], np.array(p), axes[:, 2], made["unit"]) if k >= 0 else 0.0
                    for (k, p), axes in zip(mark["places"], mark["frames"])
                )
                # a long shaft along the axis of its own hinge is no reason for a long hinge
                mark["half"] = half if half < 10.0 * made["unit"] else 0.0
            mark["fittings"] = fittings(mark, made["unit"], made["up"])

    def _floor_height(self, up: int, down: bool) -> float | None:
        """Height of the level ground that something rolls on or touches."""
        for part in self.run.parts("joint"):
            symbol = part.symbol(self.drawing.number)
            if symbol["glyph"] != "wheel" or not part.bodies[0].is_ground:
                continue
            ground, wheel = self.drawing.attach(part.markers[0], part.markers[-1])
            normal = ground.axes[:, 2]
            if abs(normal[up]) < 1.0 - 1e-6:
                continue
            if symbol.get("placed"):
                return float(ground.point[up])
            if "radius" in symbol:
                # the plane touches the roller as drawn: H = (R - tube) sqrt(1 - d^2) + tube below its centre
                radius, tube, side = symbol["radius"], symbol.get("tube", 0.0), float(np.sign(normal[up]))
                d = float(self.drawing.poses[part.bodies[-1]].rotation[up] @ wheel.axes[:, 2]) * side
                height = (radius - tube) * float(np.sqrt(max(0.0, 1.0 - d * d))) + tube
                return float(ground.point[up]) - side * height
        return ground_height(self.run, up, down)

    # -- joints and force elements -------------------------------------------------------------------------------------

    def _mark(self, part: Part | Driver, index: Index) -> Mark | None:
        """Symbol of a part; None where it has no place."""
        attached, symbol = self._attached(part), part.symbol(self.drawing.number)
        name = symbol["glyph"]
        if attached is None or (name == "rack" and not self.plane):
            return None  # in space a rack has no symbol
        mark: Mark = {
            **described(part),
            "kind": part.kind,
            "glyph": name,
            "bodies": [body.name for body in part.bodies],
            "places": [[self.number.get(a.body.name, -1), self.cut(a.point + self._center(a.body))] for a in attached],
        }
        for what in ("force", "torque", "effort"):
            if (part.name, what) in index:
                mark[what] = index[part.name, what]
        if not self.plane:
            mark["frames"] = [a.axes for a in attached]
            if name in ("pin", "sleeve", "slider", "thread"):
                mark["hinge"] = attached[0].axes[:, 2]
            if glyph(name).slides or name == "wheel":
                mark.update(self._travel(name, *attached))
            return mark
        if name in ("slider", "slot"):
            mark.update(self._guide(name, attached))
        if name == "wheel" and "radius" in symbol and attached[0].body.is_ground:
            mark["floor"] = self._floor(symbol["radius"], attached)
        if "radii" in symbol:
            mark["radii"] = self._radii(symbol, attached)
            mark["crossed"] = symbol.get("crossed", False)
        if name == "rack" and "radius" in symbol:
            mark.update(self._rack(part.drawn_at[1], symbol["radius"], attached[0]))
        return mark

    def _center(self, body: Body) -> np.ndarray:
        k = self.number.get(body.name, -1)
        return np.zeros(3) if k < 0 else self.shown[k].center

    def _shaped(self, body: Body) -> Shown | None:
        """A moving body that has a shape."""
        found = self.shown[self.number[body.name]] if body.name in self.number else None
        return None if found is None or found.plain else found

    def _attached(self, part: Part | Driver) -> list[Any] | None:
        """Where a part is attached: two frames, for gears and belts the centres of the wheels."""
        ends = [self.drawing.attach(a, b) for a, b in part.drawn_at if a is not None and b is not None]
        if not ends or len(ends) < len(part.drawn_at):
            return None
        if len(ends) == 1:
            return list(ends[0])
        # a wheel turns with the body that is not the ground
        return [j if not j.body.is_ground else i for i, j in ends]

    def _path(self, end: Any) -> np.ndarray:
        """Path of the point where a part is attached (time, 3)."""
        at = self.run.kinematics(end.body)
        return np.asarray(at.position + at.rotation @ end.point)

    def _guide(self, name: str, attached: list[Any]) -> dict[str, Any]:
        """Line of a slider or slot: the frame that carries it, how far it reaches, how wide the sliding body is."""
        carrier, rider = attached
        if name == "slider" and rider.body.is_ground:
            carrier, rider = rider, carrier
        along = self.run.kinematics(carrier.body).rotation @ carrier.axes[:, 0]
        body = self._shaped(rider.body)
        low = high = half = 0.0
        if name == "slider" and body is not None:
            # extent of the rider along and across the guide, from the joint point
            outline = np.vstack(polylines(body.outline, 24)) - body.center - rider.point
            across = np.cross([0.0, 0.0, 1.0], rider.axes[:, 0])
            half = float(np.max(np.abs(outline @ across)))
            low, high = float(np.min(outline @ rider.axes[:, 0])), float(np.max(outline @ rider.axes[:, 0]))
        travel = np.einsum("ti,ti->t", self._path(rider) - self._path(carrier), along)
        return {
            "carrier": attached.index(carrier),
            "axis": self.cut(carrier.axes[:, 0]),
            "reach": [float(travel.min()) + low, float(travel.max()) + high],
            "half": half,
        }

    def _travel(self, name: str, carrier: Any, rider: Any) -> dict[str, Any]:
        """How far the second place travels in the axes of the first: smallest and largest x, y, z; whether a shaped body rides there."""
        turn = self.run.kinematics(carrier.body).rotation
        seen = np.einsum("ai,tba,tb->ti", carrier.axes, turn, self._path(rider) - self._path(carrier))
        low, high = np.nanmin(seen, axis=0), np.nanmax(seen, axis=0)
        body = self._shaped(rider.body)
        if body is not None and name in ("slider", "sleeve"):
            along = (np.vstack(polylines(body.outline, 24)) - body.center - rider.point) @ rider.axes[:, 2]
            bore = self._shaped(carrier.body)
            if name == "slider" and bore is not None:
                return {"travel": [low, high], "shaped": True, "rod": _rod(bore, carrier, seen[:, 2], along)}
            low[2], high[2] = low[2] + min(0.0, float(along.min())), high[2] + max(0.0, float(along.max()))
        return {"travel": [low, high], "shaped": body is not None}

    def _floor(self, radius: float, attached: list[Any]) -> list[list[float]]:
        """Line on the ground that a wheel rolls on, as far as it goes."""
        center = self._path(attached[1])
        along, normal = attached[0].axes[:, 0], attached[0].axes[:, 1]
        reach = center @ along
        foot = center[0] - radius * normal
        ends = (float(reach.min()) - 1.5 * radius, float(reach.max()) + 1.5 * radius)
        return [self.cut(foot + (s - reach[0]) * along) for s in ends]

    def _rack(self, rack: Any, radius: float, pinion: Any) -> dict[str, Any]:
        """Pitch radius of the pinion and the line of teeth of the rack, fixed to its body, as far as it is used."""
        guide, rider = self.drawing.attach(*rack)
        carrier = self.run.kinematics(guide.body)
        along = carrier.rotation @ guide.axes[:, 0]
        # where both move alike: w z x d = radius w e, so that d = -radius z x e
        contact = self._path(pinion) - radius * np.cross([0.0, 0.0, 1.0], along)
        slide = np.einsum("ti,ti->t", self._path(rider) - carrier.position, along)
        body, sign = (rider.body, 1.0) if not rider.body.is_ground else (guide.body, -1.0)
        toothed = self.run.kinematics(body)
        point = toothed.rotation[0].T @ (contact[0] - toothed.position[0]) + self._center(body)
        e = toothed.rotation[0].T @ along[0]
        used = -sign * (slide - slide[0])
        ends = (float(used.min()) - 1.5 * abs(radius), float(used.max()) + 1.5 * abs(radius))
        return {
            "radius": abs(radius),
            # rack and the body that guides it, direction there, radius with its sign
            "rack": [*(self.number.get(a.body.name, -1) for a in (rider, guide)), self.cut(guide.axes[:, 0]), radius],
            "teeth": [self.number.get(body.name, -1), *(self.cut(point + s * e) for s in ends)],
        }

    def _radii(self, symbol: dict[str, Any], attached: list[Any]) -> list[float]:
        """Pitch radii of two wheels: those given, or from the distance of their centres and the ratio."""
        if symbol["radii"] is not None:
            return list(symbol["radii"])
        a, b = (self._path(end)[0] for end in attached)
        distance, ratio = float(np.linalg.norm(b - a)), symbol["ratio"]
        # angle_b = ratio angle_a; outside each other (ratio < 0) r_a + r_b = distance, one in the other |r_b - r_a| = distance
        share = 1.0 - ratio if ratio < 0.0 else abs(ratio - 1.0)
        radius = distance / share if share > 1e-9 else 0.0
        return [abs(ratio) * radius, radius]


def _holds(mark: Mark, end: int, plain: bool) -> bool:
    """Whether the body at this end of a mark must visibly reach to it."""
    symbol = glyph(mark["glyph"])
    if mark["kind"] == "force":
        return plain and symbol.between
    if mark["kind"] != "joint" or not symbol.reached:
        return False
    # the rider of a guide that has a shape may be drawn anywhere along it
    return plain or not symbol.slides or end == 0


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
