"""One random mechanism for every joint and force element of the registries, built from the names of their arguments.

A new file in `joints/` or `forces/` is tested by itself: arguments called like those of other elements (`i`, `j`, `at`, `axis`, `a`,
`b`, `on`, ...) get random bodies, points and directions; all others come from the `example` of the class.
"""

from __future__ import annotations

import dataclasses
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import dalembert as da
from dalembert.model.forces import FORCES
from dalembert.model.forces._base import MeasureForce
from dalembert.model.joints import JOINTS
from dalembert.model.joints._coupling import Coupling
from dalembert.system.geometry import Drawing

PLANE = {True: "plane", False: "space"}


def joint_cases() -> list[tuple[str, bool]]:
    """Every joint where it exists."""
    return [(tag, plane) for tag, cls in JOINTS.items() for plane in cls.planes]


def force_cases() -> list[tuple[str, bool]]:
    """Every force element, in the plane and in space."""
    return [(tag, plane) for tag in FORCES for plane in (True, False)]


def case_id(case: Any) -> str:
    """Readable name of a case."""
    return PLANE[case] if isinstance(case, bool) else str(case)


def generator(*key: Any) -> np.random.Generator:
    """Seeded generator that belongs to the key."""
    return np.random.default_rng([zlib.crc32(repr(x).encode()) for x in key])


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Rotation matrix, uniform over all orientations."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else q[:, ::-1]


def random_inertia(rng: np.random.Generator) -> np.ndarray:
    """Inertia of six random point masses: satisfies every inequality of a real body, and is not diagonal."""
    points, masses = rng.uniform(-0.5, 0.5, size=(6, 3)), rng.uniform(0.2, 1.0, size=6)
    return sum(m * ((p @ p) * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points))


def add_body(m: da.Mechanism, name: str, rng: np.random.Generator, **options: Any) -> Any:
    """Body of random mass, mass centre and pose."""
    n = 2 if m.plane else 3
    options.setdefault("at", rng.uniform(-1, 1, n))
    options.setdefault("center", rng.uniform(-0.3, 0.3, n))
    options.setdefault("mass", rng.uniform(0.5, 2.0))
    if m.plane:
        return m.body(name, inertia=rng.uniform(0.1, 0.5), angle=rng.uniform(-1.5, 1.5), **options)
    return m.body(name, inertia=random_inertia(rng), rotation=random_rotation(rng), **options)


@dataclass
class Sample:
    """A mechanism with the part under test, called "part", and the arguments it was made with."""

    model: Any
    part: Any
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass
class Bench:
    """Random bodies of a mechanism and what the arguments of an element may refer to."""

    plane: bool
    rng: np.random.Generator
    ground: bool = False
    swap: bool = False

    def __post_init__(self) -> None:
        gravity = (1.0, -9.0) if self.plane else (1.0, 2.0, -9.0)
        self.model = da.Mechanism("sample", plane=self.plane, gravity=gravity)
        first = add_body(self.model, "first", self.rng)
        second = add_body(self.model, "second", self.rng)
        self.pair = (self.model.ground if self.ground else first, second)
        self.supports = 0

    def point(self) -> np.ndarray:
        return self.rng.uniform(-1, 1, 2 if self.plane else 3)

    def direction(self) -> np.ndarray:
        d = self.rng.normal(size=2 if self.plane else 3)
        return d / np.linalg.norm(d)

    def ends(self) -> tuple[Any, Any]:
        """A point on each of the two bodies."""
        found = tuple(body.point(*self.point()) for body in self.pair)
        return found[::-1] if self.swap else found

    def support(self, kind: str) -> Any:
        """A joint between the first body and a further one, whose coordinate can be coupled."""
        self.supports += 1
        name = f"support{self.supports}"
        body = self.pair[1] if self.supports == 1 else add_body(self.model, f"wheel{self.supports}", self.rng)
        bodies = (body, self.pair[0]) if self.swap else (self.pair[0], body)
        at, d = self.point(), self.direction()
        if kind == "slide":
            return self.model.prismatic(name, *bodies, at=at, along=d)
        return self.model.revolute(name, *bodies, at=at, **({} if self.plane else {"axis": d}))

    def coordinate(self) -> Any:
        """A measure of the two bodies that is neither bounded nor singular at the drawing."""
        (a, b), d = (body.point(*self.point()) for body in self.pair), self.direction()
        return self.model.measure("coordinate", point=b, along=d, relative_to=a)

    def expression(self) -> str:
        """Text of a user constraint that is nonlinear in several measures."""
        a, b = (body.point(*self.point()) for body in self.pair)
        self.model.measure("gap", between=(a, b))
        turn = {"angle": self.pair} if self.plane else {"angle": self.pair, "axis": self.direction()}
        self.model.measure("turn", **turn)
        return "gap**2 + 0.3*sin(turn) + gap*second.x"

    def condition(self) -> str:
        """Text of a user condition on velocities: linear in several rates, with factors that depend on measures."""
        self.expression()
        return "(1 + gap)*rate(turn) + sin(turn)*rate(second.x) - 0.3*gap*rate(gap)"

    def argument(self, cls: type, name: str) -> Any:
        """Random value of an argument, by its name; None for those that are left out."""
        i, j = self.pair[::-1] if self.swap else self.pair
        coupling = issubclass(cls, Coupling)
        makers = {
            "i": lambda: i,
            "j": lambda: j,
            "body": lambda: self.pair[1],
            "at": self.point,
            "axis": lambda: None if self.plane else self.direction(),
            "along": self.direction,
            "normal": lambda: None if self.plane and cls.tag == "knife_edge" else self.direction(),  # type: ignore[attr-defined]
            "axes": self.axes,
            "expression": self.condition if cls.tag == "pfaffian" else self.expression,  # type: ignore[attr-defined]
            "value": lambda: self.value(cls),
            "on": lambda: (
                self.coordinate() if issubclass(cls, MeasureForce) else self.pair[1] if cls.tag == "field" else None  # type: ignore[attr-defined]
            ),
            "rack": lambda: self.support("slide"),
        }
        if coupling and name not in makers:
            return self.support("angle") if name in ("a", "b", "pinion", "left", "right", "carrier") else None
        if name in ("a", "b"):
            self._ends = self.ends() if name == "a" else self._ends
            return self._ends[0 if name == "a" else 1]
        return makers[name]() if name in makers else None

    def axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Two perpendicular directions."""
        frame = random_rotation(self.rng)
        return (frame[:, 1], frame[:, 0]) if self.swap else (frame[:, 0], frame[:, 1])

    def value(self, cls: type) -> Any:
        """Components of a load, constant and variable; a user constraint is held at its drawn value instead."""
        if cls.kind == "joint":  # type: ignore[attr-defined]
            return None
        if self.plane and cls.tag == "torque":  # type: ignore[attr-defined]
            return "2 + t"
        if cls.tag == "field":  # type: ignore[attr-defined]
            return ("2 - 3*x + y", "sin(x) - 0.4*vy*cos(t)", "x*y - second.x")[: 2 if self.plane else 3]
        texts = [2.0, "3*cos(t) + second.x", "-1.5*second.y"]
        return tuple(texts[:2] if self.plane else texts)


def sample(tag: str, plane: bool, *, ground: bool = False, swap: bool = False, key: int = 0, **given: Any) -> Sample:
    """Random mechanism with one part called "part"; the same key gives the same bodies, points and directions."""
    cls = JOINTS.get(tag) or FORCES[tag]
    bench = Bench(plane, generator(tag, plane, key), ground, swap)
    arguments: dict[str, Any] = {}
    for f in dataclasses.fields(cls):
        if f.name in ("model", "name"):
            continue
        value = bench.argument(cls, f.name)
        value = given.get(f.name, cls.example.get(f.name, value))
        if value is not None:
            arguments[f.name] = value
    if tag == "constraint" and "value" not in given:
        arguments["value"] = drawn(bench.model, arguments["expression"])
    part = getattr(bench.model, tag)("part", **arguments)
    return Sample(bench.model, part, arguments)


def drawn(model: da.Mechanism, expression: str) -> float:
    """Value of an expression of measures at the drawing."""
    return Drawing(model)._raw(model.read_measure("drawn value", expression, "value"))
