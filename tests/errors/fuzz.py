"""Random models, good and malformed, from a seed: what a user may type, and what a user would never type on purpose.

`build(seed)` makes one mechanism by random calls of every method, with arguments of which some are nonsense; it returns the model
and the errors that came out.  Nothing here asserts; the tests do.
"""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.model.expression import Name
from dalembert.model.forces import FORCES
from dalembert.model.joints import JOINTS

TAGS = [*JOINTS, *FORCES]
SPACE_ONLY = [tag for tag, cls in JOINTS.items() if True not in cls.planes]
PLANE_ONLY = [tag for tag, cls in JOINTS.items() if False not in cls.planes]


class Odd:
    """An object that is nothing in particular."""


class Hostile:
    """An object that fails in every way it is asked."""

    def __iter__(self) -> Any:
        raise ValueError("no")

    def __float__(self) -> float:
        raise ValueError("no")

    def __len__(self) -> int:
        raise ValueError("no")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise ValueError("no")

    def __repr__(self) -> str:
        raise ValueError("no")

    def as_matrix(self) -> Any:
        raise ValueError("no")


class Liar:
    """An object that pretends to be a numpy number."""

    shape = ()

    def item(self) -> str:
        return "text"


def _stranger() -> da.Mechanism:
    m = da.Mechanism("stranger", plane=True)
    body = m.body("b", mass=1, inertia=1)
    m.revolute("R", m.ground, body, at=(0, 0))
    return m


STRANGER = _stranger()

TEXTS = (
    "", "abc", "nan", "inf", "1/0", "sin(", "r", "q*2", "2*r", "r/(r-r)", "1e999", "t", "log(-1)", "A.angle", "b0.x", "b1.angle",
    "rate(b0.x)", "b0.x*b0.y", "__import__('os')", "x" * 3000, "(" * 100, "1,5", "sqrt(t-1)", "1/t", "b0", "ground", "J0.angle",
    "J1", "J1.slide", "J2.expression", "F0.length", "F1.value", "é", "\x00", "a b", "if_(t>0,1,2)", "max(r,0)", "s", "v*s",
    "drawn", "x", "y", "z", "m0", "1e200", "-1", "r-r", "exp(1000*r)", "b0.angle/0",
)  # fmt: skip


def nonsense(r: random.Random, m: da.Mechanism) -> Any:
    """Something that does not belong where it will be put (now and then it does)."""
    choices: tuple[Callable[[], Any], ...] = (
        lambda: None, lambda: r.choice(TEXTS), lambda: r.choice(TEXTS), lambda: r.choice(TEXTS), lambda: math.nan, lambda: math.inf,
        lambda: -math.inf, lambda: 1e308, lambda: -1e308, lambda: 1e-320, lambda: 0, lambda: -1.0, lambda: True, lambda: 10**400,
        lambda: 1j, lambda: b"x", Odd, lambda: int, lambda: (lambda *a: 0.0), lambda: (lambda: 1), lambda: (lambda *a: "no"),
        lambda: (lambda *a: 1 / 0), lambda: (lambda *a: math.nan), lambda: (), lambda: (1,), lambda: (1, 2, 3, 4),
        lambda: ((1, 2), (3, 4)), lambda: [math.nan, 0], lambda: {"a": 1}, lambda: {1, 2}, lambda: np.nan,
        lambda: np.array([math.nan, 0.0]), lambda: np.array([1, None], dtype=object), lambda: np.array("a"), lambda: np.zeros((2, 2)),
        lambda: np.zeros(0), lambda: np.float32("inf"), lambda: np.datetime64("2020"), lambda: Decimal("nan"), lambda: Fraction(1, 3),
        lambda: range(2), lambda: (x for x in (1, 2)), lambda: STRANGER["b"], lambda: STRANGER["R"], lambda: STRANGER["R"].angle,
        lambda: STRANGER["b"].point(0, 0), lambda: STRANGER["b"].axis(1, 0), lambda: STRANGER, lambda: m, lambda: m.ground,
        lambda: Name("zzz"), lambda: Name("t"), lambda: 1 / (Name("r") - Name("r")), lambda: da.rod,
        lambda: da.rod(length=1, mass=1), lambda: da.rod(length=Name("nothing"), mass=1), lambda: Ellipsis, Hostile, Liar,
        lambda: [[1, 2], [3]], lambda: (m.ground, (0, 0)), lambda: ("b0", (1, math.inf)), lambda: [[[1]]],
        lambda: np.array([1.0, 2.0, 3.0]), lambda: 1e200, lambda: 1e-200, lambda: 1e99, lambda: np.array([1 + 2j, 0]),
        lambda: ("b0",), lambda: da.State(0.0, np.zeros(3), np.zeros(3)), lambda: (0, 0, 0), lambda: (0, 0), lambda: np.eye(3),
        lambda: -np.eye(3), lambda: da.spline([0, 1, 2], [0, 1, 0]), lambda: Exception("x"), lambda: "b0.x" * 600,
    )  # fmt: skip
    return r.choice(choices)()


class Guess:
    """Good arguments for a mechanism: what each parameter of each method wants, by its name."""

    def __init__(self, r: random.Random, m: da.Mechanism) -> None:
        self.r, self.m = r, m
        self.n = 2 if m.plane else 3

    def number(self) -> Any:
        r = self.r
        return r.choice(
            [
                0.0,
                1.0,
                r.uniform(-2, 2),
                "r",
                "2*r+0.1",
                Name("r"),
                Name("r") * 2,
                np.float64(0.5),
                3,
                np.array(0.7),
                Fraction(1, 2),
            ]
        )

    def positive(self) -> Any:
        r = self.r
        return r.choice([1.0, r.uniform(0.1, 3), "r", "2*r+0.1", Name("r"), 3, np.float32(0.25)])

    def body(self) -> Any:
        body = self.r.choice([*self.m.bodies, self.m.ground])
        return body if self.r.random() < 0.7 else body.name

    def vector(self) -> Any:
        return tuple(self.number() for _ in range(self.n))

    def place(self) -> Any:
        """Place in space or on a body."""
        chance = self.r.random()
        body = self.r.choice([*self.m.bodies, self.m.ground])
        return self.vector() if chance < 0.6 else body.point(*self.vector()) if chance < 0.8 else (body, self.vector())

    def end(self) -> Any:
        body = self.r.choice([*self.m.bodies, self.m.ground])
        return body.point(*self.vector()) if self.r.random() < 0.5 else (body, self.vector())

    def direction(self) -> Any:
        r = self.r
        v = [r.uniform(-2, 2) for _ in range(self.n)]
        chance = r.random()
        if chance < 0.6:
            return r.choice([tuple(v), v, np.array(v)])
        if chance < 0.8:
            return r.choice("xy" if self.m.plane else "xyz")
        return r.choice([*self.m.bodies, self.m.ground]).axis(*v)

    def coordinate(self, ending: str = "") -> Any:
        names = [name for name in self.m.measure_names() if name.endswith(ending)] or ["b0.x"]
        name, chance = self.r.choice(names), self.r.random()
        if chance < 0.5:
            return self.m[name]
        if chance < 0.8:
            return name
        if chance < 0.9:
            return f"{name}*2 + sin(t)"
        return self.m[name.rpartition(".")[0] or name]

    def law(self) -> Any:
        """Function of time."""
        r = self.r
        return r.choice([self.number(), "sin(t)", "-r*t", "t**2", "0.1*t", da.spline([0, 1, 2], [0, 1, 0])])

    def load(self) -> Any:
        return self.law() if self.r.random() < 0.9 else lambda t: math.cos(t)

    def rule(self) -> Any:
        """Law of a force element."""
        r = self.r
        return r.choice([self.number(), "sin(t)", "-10*v", "s*t", "l*v", "theta+omega", "b0.x", lambda a, b, c: 0.5])

    def rotation(self) -> Any:
        v = [self.r.uniform(-1, 1) for _ in range(4)]
        return self.r.choice(
            [v, tuple(v), (v[:3], v[3]), ("z", "r"), Rotation.from_quat(v), Rotation.from_quat(v).as_matrix()]
        )

    def shape(self) -> Any:
        return self.r.choice(
            [
                da.rod(length=1.0, mass=1.0, radius=0.02), da.disk(0.3, mass=2.0), da.box(1, 2, 3, mass=1.0),
                da.sphere(0.2, density=1000.0), da.rod(length=Name("r"), mass=1.0, radius=0.01), da.rod(length=1.0, mass=1.0),
            ]
        )  # fmt: skip

    def argument(self, tag: str, name: str) -> Any:
        """Good argument `name` of the method `tag`."""
        ends = {"i": self.body, "j": self.body, "body": self.body, "against": self.body, "at": self.place, "axis": self.direction,
                "x_axis": self.direction, "along": self.direction, "normal": self.direction, "measure": self.coordinate}  # fmt: skip
        if name in ends:
            return ends[name]()
        if name in ("a", "b"):
            return self.end() if tag in FORCES or tag == "distance" else self.coordinate("angle")
        if name in ("left", "right", "carrier", "pinion"):
            return self.coordinate("angle")
        if name == "rack":
            return self.coordinate("slide")
        if name == "on":
            return self.coordinate() if tag in FORCES else self.end()
        if name == "axes":
            return self.direction(), self.direction()
        if name in ("teeth", "radii"):
            return self.positive(), self.positive()
        if name in ("internal", "crossed"):
            return self.r.random() < 0.5
        if name == "frame":
            return self.r.choice(["space", "body"])
        if name == "expression":
            return self.r.choice([self.coordinate(), "b0.x - r", "b0.y**2 + t - 1"])
        if name == "value" and tag in ("force", "torque"):
            single = tag == "torque" and self.m.plane
            return self.load() if single else tuple(self.load() for _ in range(self.n))
        if name == "force" and tag == "friction":
            return self.positive()
        if name in ("force", "torque"):
            return self.rule()
        if name in ("stiffness", "damping", "torsion", "torsion_damping", "free_length", "speed", "length", "mass"):
            return self.positive()
        return self.number()


# arguments without which most calls are refused; the others are left out half of the time
_NEEDED = {"i", "j", "at", "axis", "along", "a", "b", "body", "value", "axes", "normal", "pinion", "rack", "left", "right", "carrier",
           "expression", "pitch", "radius", "damping"}  # fmt: skip


class Fuzz:
    """One random model."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.errors: list[da.DalembertError] = []
        self.half_written: list[str] = []
        self.added = 0
        self.model: da.Mechanism | None = None

    def good(self, choice: float, make: Callable[[], Any]) -> Any:
        return nonsense(self.r, self.model or STRANGER) if self.r.random() < choice else make()

    def mechanism(self) -> da.Mechanism:
        r = self.r
        plane = r.random() < 0.5
        options: dict[str, Any] = {"plane": plane}
        if r.random() < 0.7:
            options["gravity"] = (0.0, -9.81) if plane else (0.0, 0.0, -9.81)
        if r.random() < 0.05:
            options[r.choice(["plane", "gravity", "length", "size"])] = nonsense(r, STRANGER)
        return da.Mechanism("M" if r.random() < 0.98 else nonsense(r, STRANGER), **options)

    def build(self) -> da.Mechanism | None:
        """Mechanism by random calls; None if it could not even begin."""
        r = self.r
        try:
            m = self.model = self.mechanism()
        except da.DalembertError as error:
            self.errors.append(error)
            return None
        m.parameter("r", 0.5)
        for k in range(r.choice([1, 1, 2, 3])):
            place = (float(k), 0.0) if m.plane else (float(k), 0.0, 0.0)
            m.body(f"b{k}", mass=1.0 + k, inertia=0.5 if m.plane else (0.5, 0.5, 0.6), at=place)
        for n in range(r.choice([1, 2, 2, 3, 4, 6])):
            self.one_call(m, n)
        return m

    def one_call(self, m: da.Mechanism, n: int) -> None:
        before = snapshot(m)
        try:
            part = self.call(m, n, self.r.choice([0.0, 0.0, 0.0, 0.1, 0.3]))
            repr(part)
            self.added += 1
        except da.DalembertError as error:
            self.errors.append(error)
            if snapshot(m) != before:
                self.half_written.append(str(error))

    def call(self, m: da.Mechanism, n: int, chance: float) -> Any:
        """One call of a random method."""
        r, guess = self.r, Guess(self.r, m)
        kind = r.random()
        if kind < 0.40:
            tag = r.choice([*TAGS, "revolute", "revolute", "prismatic"])
            foreign = PLANE_ONLY if not m.plane else SPACE_ONLY
            if tag in foreign and r.random() < 0.9:
                tag = r.choice(["revolute", "prismatic", "fixed", "spring", "force"])
            return self.element(m, guess, tag, n, chance)
        name = self.name(m, n, chance)
        good = lambda make: self.good(chance, make)  # noqa: E731
        if kind < 0.58:
            return self.body(m, guess, name, chance)
        if kind < 0.62:
            return m.particle(name, mass=good(guess.positive), at=good(guess.vector))
        if kind < 0.66:
            return m.parameter(name, good(lambda: 0.5), good(lambda: "m"))
        if kind < 0.69:
            return m.set_parameter(good(lambda: "r"), good(lambda: r.uniform(0.1, 1)))
        if kind < 0.78:
            return self.measure(m, guess, name, chance)
        if kind < 0.87:
            return m.drive(name, good(guess.coordinate), good(guess.law))
        if kind < 0.99:
            conditions = {k: good(guess.number) for k in ("value", "rate") if r.random() < 0.6}
            return m.start(good(guess.coordinate), **conditions)
        return getattr(m, r.choice(["revolut", "bodi", "springs", "remove"]))(name)

    def name(self, m: da.Mechanism, n: int, chance: float) -> Any:
        if self.r.random() < 0.03:
            return self.r.choice([part.name for part in m.parts()])
        return self.good(chance / 3, lambda: self.r.choice(["p", "q_", "part ", "Teil-"]) + str(n))

    def element(self, m: da.Mechanism, guess: Guess, tag: str, n: int, chance: float) -> Any:
        """A joint or a force element."""
        r = self.r
        name = self.good(chance / 3, lambda: f"{'J' if tag in JOINTS else 'F'}{n}")
        cls = JOINTS.get(tag) or FORCES[tag]
        options: dict[str, Any] = {}
        for key in list(inspect.signature(cls).parameters)[2:]:
            if key == "on" and tag in JOINTS and r.random() < 0.9:
                continue
            if tag == "gear" and key in ("teeth", "radii", "ratio") and r.random() < 0.6:
                continue
            if key in _NEEDED or r.random() < 0.5:
                options[key] = self.good(chance, lambda key=key: guess.argument(tag, key))  # type: ignore[misc]
        if tag in FORCES and "b" in options and r.random() < 0.2:
            options["a"] = guess.coordinate()
            del options["b"]
        if "i" in options and "j" in options and r.random() < 0.9 and options["i"] is not options["j"] is not None:
            options["i"], options["j"] = r.sample([*m.bodies, m.ground], 2)
        if r.random() < 0.01:
            options["colour"] = 1
        return getattr(m, tag)(name, **options)

    def body(self, m: da.Mechanism, guess: Guess, name: Any, chance: float) -> Any:
        r = self.r
        options: dict[str, Any] = {}
        if r.random() < 0.3:
            options["shape"] = self.good(chance, guess.shape)
        else:
            options["mass"] = self.good(chance, guess.positive)
            moments = r.choice([(1.0, 1.0, 1.0), np.eye(3), ("r", "r", "r"), ((2, 0.1, 0), (0.1, 2, 0), (0, 0, 3))])
            options["inertia"] = self.good(chance, guess.positive if m.plane else lambda: moments)
        turn = "angle" if m.plane else "rotation"
        for key, make in (("at", guess.vector), (turn, guess.number if m.plane else guess.rotation), ("velocity", guess.vector),
                          ("spin", guess.number if m.plane else guess.vector), ("center", guess.vector)):  # fmt: skip
            if r.random() < 0.3:
                options[key] = self.good(chance, make)
        return m.body(name, **options)

    def measure(self, m: da.Mechanism, guess: Guess, name: Any, chance: float) -> Any:
        r = self.r
        good = lambda make: self.good(chance, make)  # noqa: E731
        ways: tuple[Callable[[], dict[str, Any]], ...] = (
            lambda: {"what": good(guess.coordinate)},
            lambda: {"between": good(lambda: (guess.end(), guess.end()))},
            lambda: {"point": good(guess.end), "along": good(guess.direction)},
            lambda: {
                "angle": good(lambda: (guess.body(), guess.body())),
                **({} if m.plane else {"axis": good(guess.direction)}),
            },
        )
        options = r.choice(ways)()
        if r.random() < 0.1:
            options[r.choice(["relative_to", "unit", "nonsense", "between"])] = good(guess.place)
        return m.measure(name, **options)


def snapshot(m: da.Mechanism) -> Any:
    """All that a failed call must leave alone: names, identities of parts, values of parameters, initial conditions."""
    return [(name, id(m[name])) for name in (part.name for part in m.parts())], m.parameters, [id(s) for s in m.starts]
