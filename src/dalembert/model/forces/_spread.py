"""A load spread over bodies: where it is integrated, and the laws at the points of each body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import ExpressionError, ModelError, shown
from ..body import Body
from ..expression import Call, Expr, as_expression, is_function
from ..expression.derivative import ZERO
from ..expression.switches import degree
from ..frame import Marker, Point
from ..measure import Measure
from ..reading import Orientation, read_items
from ..shapes.quadrature import Nodes, merged
from ..shapes.reading import times, total
from ._base import Force, Law
from ._load import AXES

PLACE = ("x", "y", "z")
SPEED = ("vx", "vy", "vz")
MOST = 8  # Gauss points per direction
TURNING = 3  # Gauss points where the field is no polynomial: errors of the sixth power of size over distance
# how far the resultants of TURNING and of two points more may differ, of the sum of all forces, in the drawing
CONVERGED = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Spread(Force):
    """A load over the matter of bodies; the arguments are explained in `Field`."""

    value: Any = None
    on: Any = None
    moment: Any = None
    per: Any = "mass"
    frame: Any = "space"
    place: Any = "space"
    points: Any = None

    units_per: ClassVar[dict[str, dict[str, str]]] = {  # in files, by what the load is spread over
        "value": {"mass": "m/s^2", "length": "N/m", "area": "N/m^2", "volume": "N/m^3"},
        "moment": {"mass": "m^2/s^2", "length": "N", "area": "N/m", "volume": "N/m^2"},
    }
    _made: ClassVar[Any] = None  # laws for one set of parameters, set per element

    def read_components(self, name: str, given: Any, n: int) -> list[Expr]:
        why, do = f"{n} component{'s are' if n > 1 else ' is'} needed", f"give {name} with {n} numbers or expressions"
        made = []
        for item in read_items(self.asked, name, given, n, why, do):
            if is_function(item):
                why = "a field is integrated over bodies, for which its formula must be known"
                do = "give an expression of x, y, z, t as text, or a table with da.spline(...)"
                raise ModelError(self.asked, f"the Python function {shown(item)}", why, do)
            law = self.model.read_law(self.asked, item, (*PLACE, *SPEED))
            away = sorted(law.names & ({"z", "vz"} if self.model.plane else set()))
            if away:
                found = f"{name} uses {away[0]!r}"
                raise ModelError(self.asked, found, "there is no z in the plane", "leave it out")
            if self.place == "body" and law.names & set(SPEED):
                found = f"{name} uses {sorted(law.names & set(SPEED))[0]!r} with place='body'"
                why = "a point does not move in the axes of its own body"
                raise ModelError(self.asked, found, why, "leave out place='body', or write rate(measure)")
            made.append(law)
        return made

    def read_bodies(self) -> tuple[Body, ...] | None:
        if self.on is None:
            return None
        given = self.on if isinstance(self.on, tuple | list) else [self.on]
        found: list[Body] = []
        for item in given:
            body = self.model.read_moving(self.asked, item, "on")
            if body in found:
                raise ModelError(self.asked, f"{body!r} twice", "a field acts on a body once", "name it once")
            found.append(body)
        if not found:
            raise ModelError(self.asked, "on = []", "a field acts on bodies", "name some, or leave out on=")
        return tuple(found)

    # -- points ------------------------------------------------------------------------------------------------------

    @property
    def bodies(self) -> tuple[Body, ...]:
        return tuple(self.model.bodies) if self.on is None else self.on

    @property
    def markers(self) -> tuple[Marker, ...]:
        """None: loads of a field are told about the mass centre of the body."""
        return ()

    def nodes(self, body: Body, n: int | None = None) -> Nodes:
        """Points of a body, in its axes, with the masses (lengths, areas, volumes) that they stand for."""
        assert body.shape is not None
        n = self.count(body) if n is None else n
        shape = body.shape
        if n == 1 and self.per == "mass":
            # a uniform field acts at the mass centre, whatever is known of the matter
            return [(body.center.coordinates, shape.total_mass)]
        found = shape.nodes(n, self.model.value) if self.per == "mass" else shape.spread(self.per, n)
        if body.given_center is not None:
            shift = [total(c, times(-1.0, s)) for c, s in zip(body.given_center, (*shape.points["center"], 0.0))]
            found = [(tuple(total(x, d) for x, d in zip(at, shift)), w) for at, w in found]
        return merged(found, self.model.plane)

    def count(self, body: Body) -> int:
        """Gauss points per direction: a force of degree d has moments of degree d + 1, and n points reach degree 2n − 1."""
        if self.points is not None:
            return int(self.points)
        d = max(degree(law, (*PLACE, *SPEED)) for law in (*self.value, *self.moment))
        n = math.ceil((d + 2.0) / 2.0) if math.isfinite(d) else 0
        return n if 1 <= n <= MOST else TURNING

    def _check_converged(self, body: Body) -> None:
        """Refuse a field that three Gauss points cannot integrate over a body where it is drawn."""
        d = max(degree(law, (*PLACE, *SPEED)) for law in (*self.value, *self.moment))
        if self.points is not None or math.isfinite(d):
            return
        coarse, fine = (self._resultant(body, n) for n in (TURNING, TURNING + 2))
        if coarse is None or fine is None:
            return
        error = max(np.abs(a - b).max() / (scale or 1.0) for a, b, scale in zip(coarse[:2], fine[:2], fine[2:]))
        if error > CONVERGED:
            raise ModelError(
                self.asked,
                f"over {body!r} its resultants change by {error:.1e} of its size from {TURNING} to {TURNING + 2} Gauss points per direction",
                "the field changes too fast over the body for the usual number of points",
                f"give points=, up to {MOST}, or make the body of smaller shapes with da.composite",
            )

    def _resultant(self, body: Body, n: int) -> tuple[np.ndarray, np.ndarray, float, float] | None:
        """Force, moment about the origin of the body, and the sums of their sizes, in the drawing at t = 0; None where measures are needed."""
        value = self.model.value
        names = {"t": 0.0, **self.model.parameters, **dict.fromkeys(SPEED, 0.0)}
        if any(law.names - {*PLACE, *names} for law in (*self.value, *self.moment)):
            return None
        rotation = body.rotation.matrix(value) if isinstance(body.rotation, Orientation) else body.rotation
        A = np.eye(3) if rotation is None else np.asarray(rotation)
        if self.model.plane:
            c, s = math.cos(value(body.drawn_angle)), math.sin(value(body.drawn_angle))
            A = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        origin = np.array([value(x) for x in body.at])
        force, moment, size, arm = np.zeros(3), np.zeros(3), 0.0, 0.0
        for at, weight in self.nodes(body, n):
            local = np.array([value(x) for x in at])
            r = local if self.place == "body" else origin + A @ local
            names.update(zip(PLACE, map(float, r)))
            try:
                f = value(weight) * np.array([law.evaluate(names) for law in (*self.value, *[ZERO] * 3)][:3])
                c = value(weight) * sum(law.evaluate(names) for law in self.moment)
            except ExpressionError:
                return None
            force, moment = force + f, moment + np.cross(local, f) + c
            size, arm = size + float(np.linalg.norm(f)), arm + float(np.linalg.norm(np.cross(local, f))) + abs(c)
        return force, moment, size, arm

    # -- laws --------------------------------------------------------------------------------------------------------

    def elements(self) -> list[tuple[Measure, Law]]:
        """One law per component at every point: the force there times the mass that the point stands for."""
        key = (tuple(self.model.parameters.items()), tuple(map(id, self.bodies)))
        if self._made is None or self._made[0] != key:
            for body in self.bodies:
                self._check_converged(body)
            self.set(_made=(key, [pair for body in self.bodies for pair in self._on(body)]))
        return list(self._made[1])

    def _on(self, body: Body) -> list[tuple[Measure, Law]]:
        ground = Marker(self.model.ground, (0.0, 0.0, 0.0))
        carrier = body if self.frame == "body" else None
        if body.particle and self.moment:
            self.model.refuse_particle(self.asked, body, "a couple")
        if body.particle and carrier is not None:
            self.model.refuse_particle(self.asked, body, "a force along its axes")
        axes = AXES[:2] if self.model.plane else AXES
        used = frozenset().union(*(law.names for law in (*self.value, *self.moment)))
        found: list[tuple[Measure, Law]] = []
        couples: list[Expr] = [ZERO for _ in self.moment]
        for k, (at, weight) in enumerate(self.nodes(body), start=1):
            j = Marker(body, Point(body, (at[0], at[1], at[2])))
            label = f"{self.name}.{body.name}_{k}_"
            place = {a: Measure(label + a, "along_space", ground, j, direction=d, unit="m") for a, d in axes}
            names: dict[str, Any] = {}
            for c, (axis, _) in enumerate(axes):
                s = place[axis].symbol
                names[axis] = as_expression(at[c]) if self.place == "body" else s
                names[f"v{axis}"] = Call("rate", (s,))
            laws = [(weight * law.substitute(names)).simplify() for law in self.value]
            couples = [a + weight * law.substitute(names) for a, law in zip(couples, self.moment)]
            if carrier is None and laws:
                found += [(place[axis], self._law(law)) for (axis, _), law in zip(axes, laws)]
                continue
            for (axis, direction), law in zip(axes, laws):
                name = label + "f" + axis
                measure = Measure(name, "velocity", ground, j, direction=direction, frame=carrier, unit="m/s")
                found.append((measure, self._law(law)))
            if self.place == "space" and used & {*PLACE, *SPEED}:
                # places that only the laws know, without a force of their own
                found += [(m, Law("linear", (0.0, 0.0, 0.0, 0.0))) for m in place.values()]
        around = AXES[2:] if self.model.plane else AXES
        for (axis, direction), law in zip(around, couples):
            name = f"{self.name}.{body.name}_m{axis}"
            measure = Measure(name, "spin", ground, Marker(body), direction=direction, frame=carrier, unit="rad/s")
            found.append((measure, self._law(law.simplify())))
        return found

    def _law(self, load: Expr) -> Law:
        # a law is positive where it pulls its measure down
        if not (load.names - set(self.model.parameter_names)):
            return Law("linear", (0.0, 0.0, 0.0, (-load).simplify()))
        return Law("expression", expression=(-load).simplify())
