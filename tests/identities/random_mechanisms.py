"""Seeded random mechanisms: trees and loops, planar and spatial, with all kinds of joints, springs, loads and drivers.

A mechanism is first drawn as data (`Plan`), with every quantity marked by what it is: a place, a direction, a number with a
power of length.  `build` then makes it in any world: turned, shifted, in other units, with other names, in another order.
Loops close at the drawing by construction, because all joints are given by points and axes in space as drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import dalembert as da
from dalembert.system.geometry import Drawing

# ---- data -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Point in space as drawn."""

    at: np.ndarray


@dataclass(frozen=True)
class Direction:
    """Direction in space as drawn."""

    d: np.ndarray


@dataclass(frozen=True)
class OnBody:
    """Point of a body, in its own axes; `body` is a name."""

    body: str
    at: np.ndarray


@dataclass(frozen=True)
class Size:
    """Number with a dimension: multiplied by (unit of length) ** power; kilogram and second stay."""

    value: float
    power: int = 0


@dataclass(frozen=True)
class Load:
    """Vector of a load: fixed in space it turns with the world."""

    value: np.ndarray
    power: int
    frame: str


@dataclass(frozen=True)
class Ref:
    """Another part, or a coordinate of it ("A.angle")."""

    name: str


@dataclass(frozen=True)
class Text:
    """Expression; `{A}` is a part, `{f:1}` the number f with its power of length."""

    text: str
    parts: tuple[str, ...] = ()
    sizes: dict[str, Size] = field(default_factory=dict)


@dataclass(frozen=True)
class Fixed:
    """Value that depends on nothing."""

    value: Any


@dataclass(frozen=True)
class BodyPlan:
    """Body as drawn, in space; planar ones use the first two coordinates and the angle."""

    name: str
    mass: float
    inertia: np.ndarray
    center: np.ndarray
    at: np.ndarray
    rotation: np.ndarray
    angle: float
    particle: bool = False


@dataclass(frozen=True)
class PartPlan:
    """Joint, force element or driver: the method of `Mechanism` and its arguments."""

    method: str
    name: str
    arguments: dict[str, Any]
    stage: int  # parts of a later stage may refer to those of earlier ones


@dataclass
class Plan:
    """A mechanism as data."""

    name: str
    plane: bool
    gravity: np.ndarray
    bodies: list[BodyPlan] = field(default_factory=list)
    parts: list[PartPlan] = field(default_factory=list)
    loops: int = 0
    redundant: bool = False
    massless: bool = False


@dataclass
class World:
    """Where and how a plan is built: x -> length (R x + shift)."""

    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    shift: np.ndarray = field(default_factory=lambda: np.zeros(3))
    length: float = 1.0
    rename: Callable[[str], str] = str
    shuffle: np.random.Generator | None = None

    def place(self, x: np.ndarray) -> np.ndarray:
        return self.length * (self.rotation @ x + self.shift)

    @property
    def angle(self) -> float:
        """Turn in the plane."""
        return float(np.arctan2(self.rotation[1, 0], self.rotation[0, 0]))


# ---- drawing ----------------------------------------------------------------------------------------------------------

# rows of the joints, to keep at least one degree of freedom
PLANE_TREE = {
    "revolute": 2, "prismatic": 2, "fixed": 3, "pin_in_slot": 1, "distance": 1, "revolute_translational": 1,
    "absolute_x": 1, "absolute_y": 1, "absolute_angle": 1,
}  # fmt: skip
SPACE_TREE = {
    "revolute": 5, "prismatic": 5, "fixed": 6, "cylindrical": 4, "spherical": 3, "universal": 4, "planar": 3, "screw": 5,
    "constant_velocity": 4, "point_on_line": 2, "point_on_plane": 1, "parallel_axes": 2, "distance": 1,
}  # fmt: skip
# joints that close loops: few rows, so that something can still move
PLANE_LOOP = ("revolute", "pin_in_slot", "distance", "prismatic", "revolute_translational")
SPACE_LOOP = ("spherical", "distance", "point_on_plane", "point_on_line", "universal", "cylindrical", "parallel_axes")
ANGLES = ("revolute", "cylindrical", "screw", "pin_in_slot")
SLIDES = ("prismatic", "cylindrical", "point_on_line", "pin_in_slot")
# joints that the hinge of a pair may be doubled by: on the same axis, along the same line, at the same point
DOUBLED = {
    True: ("prismatic", "fixed", "revolute"),
    False: ("revolute", "prismatic", "spherical", "fixed", "cylindrical"),
}


def _rotation(rng: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else q[:, ::-1]


def _inertia(rng: np.random.Generator) -> np.ndarray:
    points, masses = rng.uniform(-0.5, 0.5, size=(6, 3)), rng.uniform(0.2, 1.0, size=6)
    return sum(m * ((p @ p) * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points))


class Draughtsman:
    """Draws one plan."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.plane = seed % 2 == 0
        self.width = 3 if self.plane else 6
        gravity = self.vector(9.0)
        self.plan = Plan(f"random {seed}", self.plane, gravity)
        self.freedom = 0
        self.count = 0
        self.angles: list[str] = []
        self.slides: list[str] = []

    # small random things

    def vector(self, size: float = 1.0) -> np.ndarray:
        x = self.rng.uniform(-size, size, 3)
        if self.plane:
            x[2] = 0.0
        return x

    def direction(self) -> np.ndarray:
        d = self.rng.normal(size=3)
        if self.plane:
            d[2] = 0.0
        return d / np.linalg.norm(d)

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def pick(self, items: Any) -> Any:
        items = list(items)
        return items[int(self.rng.integers(len(items)))]

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def body(self, particle: bool = False, massless: bool = False) -> str:
        rng, name = self.rng, self.name("p" if particle else "b")
        center = np.zeros(3) if particle else 0.3 * self.vector()
        full = 0.0 if massless else 1.0
        self.plan.bodies.append(
            BodyPlan(
                name, full * float(rng.uniform(0.5, 2.0)), full * _inertia(rng), center, self.vector(), _rotation(rng),
                float(rng.uniform(-3, 3)), particle,
            )
        )  # fmt: skip
        self.freedom += (2 if self.plane else 3) if particle else self.width
        return name

    def place_of(self, name: str) -> np.ndarray:
        return next(b.at for b in self.plan.bodies if b.name == name)

    def is_particle(self, name: str) -> bool:
        return any(b.name == name and b.particle for b in self.plan.bodies)

    def end(self, name: str) -> OnBody:
        return OnBody(name, np.zeros(3) if self.is_particle(name) else 0.5 * self.vector())

    # joints

    def joint(self, tag: str, i: str, j: str) -> None:
        """Joint between two bodies at a random point; what it leaves free can be coupled, sprung and driven."""
        rows = (PLANE_TREE if self.plane else SPACE_TREE)[tag]
        name = self.name("J")
        arguments = self.joint_arguments(tag, i, j)
        self.plan.parts.append(PartPlan(tag, name, arguments, 1))
        self.freedom -= rows
        turns = not (self.is_particle(i) or self.is_particle(j))
        # in the plane the angle against the ground changes with the world; only a revolute has `zero=` to make up for it
        if tag in ANGLES and turns and not (tag == "pin_in_slot" and "ground" in (i, j)):
            self.angles.append(f"{name}.angle")
        if tag in SLIDES:
            self.slides.append(f"{name}.slide")

    def joint_arguments(self, tag: str, i: str, j: str) -> dict[str, Any]:
        if tag == "distance":
            return {"a": self.end(i), "b": self.end(j)}
        if tag.startswith("absolute"):
            return {"body": Ref(j)} if tag == "absolute_angle" else {"body": Ref(j), "at": self.end(j)}
        particle = j if self.is_particle(j) else i if self.is_particle(i) else None
        found: dict[str, Any] = {
            "i": Ref(i),
            "j": Ref(j),
            "at": Place(self.vector() if particle is None else self.place_of(particle)),
        }
        if tag in ("prismatic", "pin_in_slot", "revolute_translational", "point_on_line"):
            found["along"] = Direction(self.direction())
        elif tag == "universal":
            frame = _rotation(self.rng)
            found["axes"] = (Direction(frame[:, 0]), Direction(frame[:, 1]))
        elif tag == "point_on_plane":
            found["normal"] = Direction(self.direction())
        elif tag not in ("fixed", "spherical") and not self.plane:
            found["axis"] = Direction(self.direction())
        if tag == "constant_velocity":
            # one axis is that of shafts drawn in line, which random bodies between two such joints are not: an axis for each
            found["axis"] = (found["axis"], found["axis"])
        if tag == "screw":
            found["pitch"] = Size(float(self.rng.uniform(0.1, 0.5)), 1)
        return found

    def double(self) -> None:
        """A second joint that repeats one: its rows are redundant."""
        candidates = [p for p in self.plan.parts if p.method in DOUBLED[self.plane] and "at" in p.arguments]
        if not candidates:
            return
        part = self.pick(candidates)
        arguments = dict(part.arguments)
        d = arguments.get("axis") or arguments.get("along")
        if d is not None:
            arguments["at"] = Place(arguments["at"].at + 0.4 * d.d)
        elif part.method == "fixed":
            arguments["at"] = Place(self.vector())
        self.plan.parts.append(PartPlan(part.method, self.name("J"), arguments, 1))
        self.plan.redundant = True

    def couple(self) -> None:
        """Gear, rack, belt, differential or a user constraint on coordinates of joints."""
        rng = self.rng
        kinds = []
        if len(self.angles) >= 2:
            kinds += ["gear", "constraint"] + (["belt"] if self.plane else [])
        if len(self.angles) >= 3 and not self.plane:
            kinds.append("differential")
        if self.angles and any(s.split(".")[0] != self.angles[0].split(".")[0] for s in self.slides):
            kinds.append("rack")
        if not kinds or self.freedom < 2:
            return
        kind, name = self.pick(kinds), self.name("C")
        picked = [str(x) for x in rng.permutation(self.angles)[:3]]
        if kind == "gear":
            arguments: dict[str, Any] = {
                "a": Ref(picked[0]),
                "b": Ref(picked[1]),
                "ratio": Size(float(rng.uniform(-3, 3))),
            }
        elif kind == "belt":
            radii = (Size(float(rng.uniform(0.1, 0.5)), 1), Size(float(rng.uniform(0.1, 0.5)), 1))
            arguments = {"a": Ref(picked[0]), "b": Ref(picked[1]), "radii": radii, "crossed": Fixed(self.chance(0.5))}
        elif kind == "differential":
            arguments = {"left": Ref(picked[0]), "right": Ref(picked[1]), "carrier": Ref(picked[2])}
        elif kind == "rack":
            slide = self.pick(s for s in self.slides if s.split(".")[0] != self.angles[0].split(".")[0])
            arguments = {
                "pinion": Ref(self.angles[0]),
                "rack": Ref(slide),
                "radius": Size(float(rng.uniform(0.1, 0.5)), 1),
            }
        else:
            c = Size(float(rng.uniform(0.2, 0.8)))
            text = Text("{A}.angle - {c}*sin({B}.angle)", tuple(p.split(".")[0] for p in picked[:2]), {"c": c})
            arguments = {"expression": text, "value": "drawn"}
        self.plan.parts.append(PartPlan(kind, name, arguments, 2))
        self.freedom -= 1

    def drive(self) -> None:
        """Driver on a coordinate that nothing else ties: it starts at the drawn value."""
        if self.freedom < 2 or not (self.angles or self.slides):
            return
        coordinate = self.pick(self.angles + self.slides)
        power = 0 if coordinate.endswith("angle") else 1
        sizes = {
            "c": Size(float(self.rng.uniform(0.3, 1.0)), power),
            "d": Size(float(self.rng.uniform(0.1, 0.4)), power),
        }
        law = Text("{c}*t + {d}*sin(3*t) + {start}", (), sizes)
        self.plan.parts.append(PartPlan("drive", self.name("D"), {"measure": Ref(coordinate), "expression": law}, 4))
        self.freedom -= 1

    # forces

    def pair(self) -> tuple[str, str]:
        names = [b.name for b in self.plan.bodies]
        j = self.pick(names)
        i = self.pick(["ground", *[n for n in names if n != j]])
        return i, j

    def element(self) -> None:
        rng, name = self.rng, self.name("F")
        i, j = self.pair()
        solid = not (self.is_particle(i) or self.is_particle(j))
        kinds = ["spring", "damper", "force", "actuator", "springy"]
        kinds += ["bushing", "torque"] if solid else []
        kinds += ["torsion_spring", "stop", "friction"] if self.angles else []
        kind = self.pick(kinds)
        number = lambda low, high, power=0: Size(float(rng.uniform(low, high)), power)  # noqa: E731
        arguments: dict[str, Any]
        if kind in ("spring", "springy"):
            arguments = {
                "a": self.end(i),
                "b": self.end(j),
                "stiffness": number(5, 50),
                "damping": number(0, 2),
                "free_length": number(0, 1, 1),
            }
            if kind == "springy":
                # a law of the length, its rate and time: [k l^3] = force means k / length^2
                sizes = {"k": number(1, 5, -2), "c": number(0, 1, -1), "f": number(0, 2, 1)}
                arguments["force"] = Text("{k}*l**3 + {c}*l*v + {f}*cos(2*t)", (), sizes)
            kind = "spring"
        elif kind == "damper":
            arguments = {"a": self.end(i), "b": self.end(j), "damping": number(0.5, 3)}
        elif kind == "force":
            load = Load(self.vector(5.0), 1, self.pick(["space", "space" if self.is_particle(j) else "body"]))
            arguments = {"body": Ref(j), "value": load, "at": self.end(j), "frame": Fixed(load.frame)}
        elif kind == "torque":
            couple = np.array([0, 0, rng.uniform(-2, 2)]) if self.plane else self.vector(2.0)
            load = Load(couple, 2, self.pick(["space", "body"]))
            arguments = {"body": Ref(j), "value": load, "frame": Fixed(load.frame)}
        elif kind == "actuator":
            # s ** 2 + 1 is no length: the law uses a ratio to a length of its own
            sizes = {"f": number(1, 5, 1), "s": number(0.5, 1.5, 1), "c": number(0, 1)}
            arguments = {"a": self.end(i), "b": self.end(j), "force": Text("{f}*sin(s/{s} + t) - {c}*v", (), sizes)}
        elif kind == "bushing":
            arguments = {
                "i": Ref(i), "j": Ref(j), "at": Place(self.vector()), "stiffness": number(5, 50), "damping": number(0, 2),
                "torsion": number(1, 5, 2), "torsion_damping": number(0, 1, 2),
            }  # fmt: skip
        elif kind == "torsion_spring":
            sizes = {"k": number(0.5, 2, 2)}
            arguments = {
                "on": Ref(self.pick(self.angles)), "stiffness": number(1, 5, 2), "damping": number(0, 1, 2), "free_angle": number(-1, 1),
                "torque": Text("{k}*sin(theta)*cos(t)", (), sizes),
            }  # fmt: skip
        elif kind == "stop":
            arguments = {
                "on": Ref(self.pick(self.angles)), "lower": number(-0.2, 0.3), "stiffness": number(5, 20, 2), "damping": number(0, 1, 2),
            }  # fmt: skip
        else:
            arguments = {"on": Ref(self.pick(self.angles)), "force": number(0.5, 2, 2), "speed": number(0.2, 1)}
        self.plan.parts.append(PartPlan(kind, name, arguments, 3))


def draw(seed: int) -> Plan:
    """Plan number `seed`: even ones in the plane, odd ones in space."""
    d = Draughtsman(seed)
    tree = PLANE_TREE if d.plane else SPACE_TREE
    names = ["ground"]
    for _ in range(1 + int(d.rng.integers(6))):
        name = d.body()
        tag = d.pick([*tree, "revolute", "revolute", "prismatic"])
        if tag.startswith("absolute"):
            d.joint(tag, "ground", name)
        else:
            d.joint(tag, d.pick(names), name)
        names.append(name)
    if d.chance(0.25):
        # a particle on a link or in a socket
        name = d.body(particle=True)
        d.joint(d.pick(["distance", "revolute" if d.plane else "spherical"]), d.pick(names), name)
        names.append(name)
    solid = [n for n in names if not d.is_particle(n)]
    if d.chance(0.1) and d.freedom >= 2:
        # a coupler without mass between two bodies: its own motion follows from theirs (saddle-point solver)
        i, j = (str(x) for x in d.rng.permutation(solid)[:2])
        link = d.body(massless=True)
        d.joint("revolute" if d.plane else "universal", i, link)
        d.joint("revolute" if d.plane else "spherical", link, j)
        d.plan.massless = True
    for _ in range(int(d.rng.integers(3))):
        tag = d.pick(PLANE_LOOP if d.plane else SPACE_LOOP)
        if len(solid) >= 3 and d.freedom - tree[tag] >= 1:
            i, j = (str(x) for x in d.rng.permutation(solid)[:2])
            d.joint(tag, i, j)
            d.plan.loops += 1
    if d.chance(0.25):
        d.double()
    if d.chance(0.6):
        d.couple()
    for _ in range(int(d.rng.integers(4))):
        d.element()
    if d.chance(0.25):
        d.drive()
        if d.plan.parts[-1].method == "drive" and not _independent(d.plan):
            # the coordinate cannot move, or follows from others: a driver would contradict the joints
            d.plan.parts.pop()
    return d.plan


def _independent(plan: Plan) -> bool:
    """Whether the last row of a plan, its driver, is independent of all others at the drawing."""
    m = build(plan)
    system = da.compile(m)
    jac = da.equations(system).jac
    jac = jac / np.linalg.norm(jac, axis=1)[:, None]
    others = np.delete(jac, system.rows_of(plan.parts[-1].name), axis=0)
    ranks = [np.linalg.matrix_rank(x, tol=1e-7) for x in (jac, others)]
    return bool(ranks[0] > ranks[1])


# ---- building -----------------------------------------------------------------------------------------------------------


def build(plan: Plan, world: World | None = None) -> da.Mechanism:
    """The mechanism of a plan in a world."""
    world = World() if world is None else world
    n = 2 if plan.plane else 3
    gravity = world.length * (world.rotation @ plan.gravity)
    m = da.Mechanism(world.rename(plan.name), plane=plan.plane, gravity=gravity[:n], length=world.length)
    for body in _shuffled(plan.bodies, world):
        name, at = world.rename(body.name), world.place(body.at)[:n]
        if body.particle:
            m.particle(name, mass=body.mass, at=at)
            continue
        center = (world.length * body.center)[:n]
        if plan.plane:
            inertia = world.length**2 * float(body.inertia[2, 2])
            m.body(name, mass=body.mass, inertia=inertia, center=center, at=at, angle=body.angle + world.angle)
        else:
            inertia = world.length**2 * body.inertia
            m.body(name, mass=body.mass, inertia=inertia, center=center, at=at, rotation=world.rotation @ body.rotation)
    for stage in (1, 2, 3, 4):
        for part in _shuffled([p for p in plan.parts if p.stage == stage], world):
            _add(m, part, world)
    return m


def _shuffled(items: list[Any], world: World) -> list[Any]:
    return items if world.shuffle is None else [items[k] for k in world.shuffle.permutation(len(items))]


def _add(m: da.Mechanism, part: PartPlan, world: World) -> None:
    method, arguments = part.method, dict(part.arguments)
    if method in ("absolute_x", "absolute_y") and not np.array_equal(world.rotation, np.eye(3)):
        # a coordinate of space is a line of the ground, and lines can be turned
        point = _value(m, arguments["at"], world)
        along = np.array([0.0, 1.0, 0.0]) if method == "absolute_x" else np.array([1.0, 0.0, 0.0])
        m.pin_in_slot(
            world.rename(part.name),
            m.ground,
            m[world.rename(arguments["body"].name)],
            at=point,
            along=(world.rotation @ along)[:2],
        )
        return
    if method == "drive":
        measure = _value(m, arguments["measure"], world)
        start = Drawing(m).drawn_value(measure)
        text = _text(arguments["expression"], world, start=repr(float(start)))
        m.drive(world.rename(part.name), measure, text)
        return
    values = {key: _value(m, x, world) for key, x in arguments.items()}
    if method == "revolute" and m.plane:
        values["zero"] = world.angle * (values["i"].is_ground - values["j"].is_ground)
    if method == "constraint":
        values["value"] = Drawing(m)._raw(m.read_measure("plan", values["expression"], "value"))
    getattr(m, method)(world.rename(part.name), **values)


def _value(m: da.Mechanism, x: Any, world: World) -> Any:
    n = 2 if m.plane else 3
    if isinstance(x, tuple):
        return tuple(_value(m, y, world) for y in x)
    if isinstance(x, Place):
        return world.place(x.at)[:n]
    if isinstance(x, Direction):
        return (world.rotation @ x.d)[:n]
    if isinstance(x, OnBody):
        if x.body == "ground":
            return m.ground.point(*world.place(x.at)[:n])
        return m[world.rename(x.body)].point(*(world.length * x.at)[:n])
    if isinstance(x, Size):
        return x.value * world.length**x.power
    if isinstance(x, Load):
        turned = world.length**x.power * (world.rotation @ x.value if x.frame == "space" else x.value)
        return float(turned[2]) if m.plane and x.power == 2 else turned[:n]
    if isinstance(x, Ref):
        head, _, tail = x.name.partition(".")
        found = m.ground if head == "ground" else m[world.rename(head)]
        return getattr(found, tail) if tail else found
    if isinstance(x, Text):
        return _text(x, world)
    return x.value if isinstance(x, Fixed) else x


def _text(x: Text, world: World, **more: str) -> str:
    names = {key: world.rename(part) for key, part in zip("AB", x.parts)}
    sizes = {key: repr(float(s.value * world.length**s.power)) for key, s in x.sizes.items()}
    return x.text.format(**names, **sizes, **more)
