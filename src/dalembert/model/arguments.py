"""What a mechanism is given, read and checked: bodies, numbers, points, measures and laws, each by object, name or expression.

Everything wrong is refused here, before a part exists.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np

from ..errors import ExpressionError, ModelError, nearest, shown
from .auxiliary import Auxiliary
from .body import Body
from .driver import Driver
from .events import Impact
from .expression import CheckedFunction, Expr, Name, Spline, as_expression, is_function
from .forces import Force, Law
from .forces._base import law_of
from .frame import Point, read_location
from .joints import Joint
from .joints._coupling import measure_bodies
from .measure import ROTATIONAL, Measure
from .model import Model
from .parameter import Parameter
from .reading import (
    Number,
    check_value,
    is_number_like,
    listed,
    read_components,
    read_items,
    read_orientation,
    read_scalar,
)
from .shapes import Shape, lump
from .shapes.reading import is_plain


class Names(Collection[str]):
    """Names that expressions of a mechanism may use: parameters, t, and measures "part.coordinate"."""

    def __init__(self, model: Arguments, local: tuple[str, ...] = ()) -> None:
        self._model, self._fixed = model, {*local, *model.parameter_names, "t"}

    @property
    def tables(self) -> dict[str, Spline]:
        """Tables of the mechanism, which texts call like functions."""
        return self._model.tables

    def __contains__(self, name: object) -> bool:
        return name in self._fixed or (isinstance(name, str) and self._model.find_measure(name) is not None)

    def __iter__(self) -> Iterator[str]:
        yield from sorted(self._fixed)
        yield from self._model.measure_names()

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Arguments(Model):
    """How a mechanism reads what it is given.  What it holds, it gets from `Mechanism`."""

    _plane: bool
    _parts: dict[str, Any]
    _parameters: dict[str, Parameter]
    # expressions that stand for numbers, with their rules, of the part that is being read
    _reading: list[tuple[str, str, Expr, str]]

    @property
    def plane(self) -> bool:
        """Whether the motion is in the plane x, y."""
        return self._plane

    @property
    def parameter_names(self) -> list[str]:
        """Names of the parameters."""
        return list(self._parameters)

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters, by name."""
        return {name: part.value for name, part in self._parameters.items()}

    def value(self, x: Any) -> float:
        """Number behind a number or an expression of parameters."""
        if isinstance(x, Expr):
            return x.evaluate(self.parameters)
        asked = f"value in mechanism {self.name!r}"
        if is_plain(x):
            return check_value(asked, "x", x, "finite")
        why = "a number or an expression of parameters is needed"
        raise ModelError(asked, f"x = {shown(x)}", why, "give for example m.value(r/2)")

    def own(self, asked: str, body: Body) -> Body:
        """Refuse bodies of other mechanisms."""
        if body.model is not self.origin:
            raise ModelError(
                asked, f"{body!r} of mechanism {body.model.name!r}",
                f"it belongs to another mechanism than {self.name!r}", "use bodies of one mechanism",
            )  # fmt: skip
        return body

    def is_body(self, x: Any) -> bool:
        """Whether x is a body or the name of one."""
        return isinstance(x, Body) or (isinstance(x, str) and isinstance(self._parts.get(x), Body))

    def read_body(self, asked: str, x: Any) -> Body:
        """Body given as object or name."""
        if isinstance(x, Body):
            return self.own(asked, x)
        if isinstance(x, str) and isinstance(self._parts.get(x), Body):
            return self._parts[x]  # type: ignore[no-any-return]
        known = [part.name for part in self._parts.values() if isinstance(part, Body)]
        raise ModelError(
            asked, f"body = {shown(x)}",
            f"it is not a body of {self.name!r}; {nearest(x, known)}", "give a body or its name",
        )  # fmt: skip

    def read_moving(self, asked: str, x: Any, name: str = "body") -> Body:
        """Body that is not the ground."""
        body = self.read_body(asked, x)
        if body.is_ground:
            raise ModelError(asked, f"{name} = 'ground'", "the ground does not move", "name a moving body")
        return body

    def read_number(self, asked: str, name: str, x: Any, rule: str = "finite") -> Number:
        """Number or expression of parameters, checked by rule when its value is known."""
        if x is None:
            raise ModelError(asked, f"{name} is missing", "a number is needed here", f"give {name}=...")
        made = read_scalar(asked, name, x, rule, self.parameter_names, self.value)
        if isinstance(made, Expr):
            self._reading.append((asked, name, made, rule))
        return made

    def _components(self, asked: str, name: str, x: Any) -> Any:
        made = read_components(asked, name, x, self.plane, self.parameter_names, self.value)
        self._reading += [(asked, f"{name}[{k}]", c, "finite") for k, c in enumerate(made) if isinstance(c, Expr)]
        return made

    def _read_rotation(self, asked: str, rotation: Any) -> Any:
        return read_orientation(asked, rotation, self.parameter_names, self.value)

    def _check_mass(self, body: Body) -> None:
        """Refuse a shape whose dimensions are expressions of unknown names, and mass properties that no matter has."""
        assert body.shape is not None
        try:
            properties = body.shape.mass_properties(self.value).check(body.name)
        except ExpressionError as error:
            raise ExpressionError(f"body {body.name!r}: {error.asked}", error.found, error.why, error.do) from None
        except ModelError as error:
            raise ModelError(f"body {body.name!r}: {error.asked}", error.found, error.why, error.do) from None
        numbers = (("mass", [properties.mass]), ("center", properties.center), ("inertia", properties.inertia.ravel()))
        for what, values in numbers:
            for x in values:
                check_value(f"body {body.name!r}", what, float(x), "finite")

    def _read_spin(self, asked: str, spin: Any) -> Any:
        if spin is None:
            return None
        return self.read_number(asked, "spin", spin) if self.plane else self._components(asked, "spin", spin)

    def _lump(self, asked: str, mass: Any, inertia: Any) -> Shape:
        if mass is None:
            raise ModelError(
                asked, "neither shape nor mass", "a body needs mass properties", "give a shape, or mass= and inertia="
            )
        m = self.read_number(asked, "mass", mass, "nonnegative")
        if inertia is None:
            inertia = 0.0 if self.plane else ((0.0,) * 3,) * 3
        if self.plane:
            # only the polar moment matters in the plane; a lamina has J_xx + J_yy = J_zz
            polar = self.read_number(asked, "inertia", inertia, "nonnegative")
            return _named_lump(asked, m, ((polar / 2, 0.0, 0.0), (0.0, polar / 2, 0.0), (0.0, 0.0, polar)))
        rows = listed(inertia) or []
        inner = [listed(row) for row in rows]
        if len(rows) == 3 and inner == [None, None, None]:
            a, b, c = rows
            inner = [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]]
        if len(inner) != 3 or any(row is None or len(row) != 3 for row in inner):
            raise ModelError(
                asked, f"inertia = {shown(inertia)}",
                "in space the inertia is a 3x3 tensor or three principal moments", "give inertia=(Jx, Jy, Jz)",
            )  # fmt: skip
        tensor = [
            [self.read_number(asked, f"inertia[{i}][{k}]", x) for k, x in enumerate(row or ())]
            for i, row in enumerate(inner)
        ]
        return _named_lump(asked, m, tuple(tuple(row) for row in tensor))

    def read_point(self, asked: str, name: str, x: Any, body: Body) -> Point | Any:
        """Location on a given body: a point of it, or coordinates in space as drawn."""
        place = read_location(self, asked, name, x)
        if isinstance(place, Point) and place.body is not body:
            raise ModelError(
                asked, f"{name} = {shown(x)}", f"the point is not on body {body.name!r}", "give a point of that body"
            )
        return place

    def read_ends(self, asked: str, a: Any, b: Any) -> tuple[Point, Point]:
        """Two points on two different bodies."""
        points = []
        if a is None or b is None:
            found = "two ends are missing" if a is b else f"the {'first' if a is None else 'second'} end is missing"
            why = "it acts between two points, or on one measure"
            raise ModelError(asked, found, why, "give both ends: (body, (x, y)) or body.point(x, y)")
        for name, x in (("first end", a), ("second end", b)):
            place = read_location(self, asked, name, x)
            if not isinstance(place, Point):
                raise ModelError(
                    asked, f"{name} = {shown(x)}",
                    "an end is a point of a body", "give (body, (x, y)) or body.point(x, y)",
                )  # fmt: skip
            points.append(place)
        if points[0].body is points[1].body:
            raise ModelError(
                asked, f"both ends are on {points[0].body.name!r}",
                "the ends must be on two different bodies", "name the other body",
            )  # fmt: skip
        return points[0], points[1]

    def read_pair(self, asked: str, name: str, x: Any) -> tuple[Number, Number]:
        """Two positive numbers."""
        items = read_items(asked, name, x, 2, "two numbers are needed", f"give {name}=(a, b)")
        first, second = (self.read_number(asked, f"{name}[{k}]", v, "positive") for k, v in enumerate(items))
        return first, second

    def is_coordinate(self, x: Any) -> bool:
        """Whether x is a measure, a part with coordinates, or text."""
        if isinstance(x, Measure | Expr) or is_part(x):
            return True
        return isinstance(x, str) and not isinstance(self._parts.get(x), Body)

    def read_coordinate(self, asked: str, x: Any, prefer: str | None = None) -> Measure:
        """Measure given as measure, joint (its coordinate), name or expression."""
        if isinstance(x, str) and x in self._parts:
            x = self._parts[x]
        if isinstance(x, Measure):
            for base in self.base_measures(x):
                self.no_states(asked, [base.name])
                for marker in (base.i, base.j):
                    if marker is not None:
                        self.own(asked, marker.body)
            return x
        if is_part(x):
            if x.model is not self.origin:
                raise ModelError(asked, f"{x!r}", "it belongs to another mechanism", "use parts of one mechanism")
            coordinates = x.coordinates()
            if prefer in coordinates:
                return coordinates[prefer]
            if len(coordinates) == 1:
                return next(iter(coordinates.values()))
            raise ModelError(
                asked, f"{x!r} has {'no coordinate' if not coordinates else 'the coordinates ' + ', '.join(coordinates)}",
                f"{'a joint with an ' + prefer if prefer else 'one coordinate'} is needed here", "give a measure, such as joint.angle",
            )  # fmt: skip
        if isinstance(x, str | Expr):
            return self.read_measure(asked, x, f"{asked.split(chr(39))[1] if chr(39) in asked else 'expression'}.value")
        if isinstance(x, Body):
            known = (
                "none"
                if x.is_ground or x.model is not self.origin
                else ", ".join(f"{x.name}.{key}" for key in x.measures())
            )
            raise ModelError(
                asked, f"{x!r}",
                f"a body is not a measure; its coordinates are: {known}", "give one of its coordinates, such as body.x",
            )  # fmt: skip
        raise ModelError(
            asked, f"{shown(x)}",
            "a joint, a measure or an expression of measures is needed", "give for example m['A'].angle",
        )  # fmt: skip

    def read_measure(self, asked: str, x: Any, name: str) -> Measure:
        """Measure, or expression of measures as a measure called `name`."""
        if not isinstance(x, str | Expr):
            return self.read_coordinate(asked, x)
        expression = as_expression(x, Names(self), asked=asked)
        self.no_states(asked, expression.names)
        if isinstance(expression, Name):
            found = self.find_measure(expression.name)
            if found is not None:
                return found
        rates = sorted(n for n in expression.names if n.startswith("rate("))
        if rates:
            raise ModelError(
                asked, f"the expression uses {', '.join(rates)}",
                "a measure is a function of positions and time", "use rates in force laws only",
            )  # fmt: skip
        return Measure(name, "expression", expression=expression, unit="1")

    def no_states(self, asked: str, names: Iterable[str]) -> None:
        """Refuse auxiliary states where positions are needed: they belong to no body, and nothing can act along them."""
        for name in sorted(names):
            part = self._parts.get(name[5:-1] if name.startswith("rate(") else name)
            if isinstance(part, Auxiliary):
                raise ModelError(
                    asked,
                    f"it uses the state {part.name!r}",
                    "a state belongs to no body: it can be read by laws and rates of states, but not held, driven or acted on",
                    "write it in the law of a force, torque or actuator, or in the rate of another state",
                )

    def base_measures(self, measure: Measure) -> list[Measure]:
        """Measures with bodies of their own that a measure is made of."""
        if measure.terms:
            return [base for _, term in measure.terms for base in self.base_measures(term)]
        if measure.expression is not None:
            found = []
            for name in sorted(measure.expression.names):
                part = self.find_measure(name)
                if part is not None:
                    found += self.base_measures(part)
            return found
        return [measure]

    def find_measure(self, name: str) -> Measure | None:
        """Measure by its name, "part.coordinate" or the name of a measure; None if there is none."""
        part = self._parts.get(name) if isinstance(name, str) else None
        if isinstance(part, Measure) or not isinstance(name, str):
            return part
        head, dot, tail = name.rpartition(".")
        part = self._parts.get(head) if dot else None
        if part is None or isinstance(part, Parameter | Measure):
            return None
        if isinstance(part, Body):
            return None if part.is_ground else part.measures().get(tail)
        return part.coordinates().get(tail)  # type: ignore[no-any-return]

    def measure_names(self) -> Iterator[str]:
        """Names of all measures."""
        for part in self._parts.values():
            if isinstance(part, Measure):
                yield part.name
            elif isinstance(part, Body):
                if not part.is_ground:
                    yield from (f"{part.name}.{key}" for key in part.measures())
            elif isinstance(part, Joint | Force):
                yield from (f"{part.name}.{key}" for key in part.coordinates())

    def read_law(self, asked: str, x: Any, local: tuple[str, ...] = ()) -> Expr:
        """Expression of a law: local names, measures, their rates, parameters and t."""
        if isinstance(x, np.ndarray) and x.shape == ():
            x = x.item()
        if is_plain(x):
            return as_expression(check_value(asked, "value", x, "finite"))
        if isinstance(x, Measure):
            x = x.symbol
        if not (is_number_like(x) or isinstance(x, Spline)):
            raise ExpressionError(
                asked, f"{shown(x)}",
                "a law is a number, an expression or a Python function", "give for example '-10*v'",
            )  # fmt: skip
        made = as_expression(x, Names(self, local), asked=asked)
        states = {part.name for part in self._parts.values() if isinstance(part, Auxiliary)}
        both = sorted(made.names & set(local) & (states | set(self.parameter_names)))
        if both:
            what = "state" if both[0] in states else "parameter"
            raise ModelError(
                asked, f"the law uses {both[0]!r}",
                f"it names a {what} as well as a quantity of this law", f"rename the {what}",
            )  # fmt: skip
        return made

    def read_load(self, asked: str, x: Any) -> Law:
        """Law of a load component: positive along its direction (so f = -x); a Python function takes t."""
        if is_function(x):
            return law_of(CheckedFunction(asked, x, ("t",)))
        expression = -self.read_law(asked, x)
        if not (expression.names - set(self.parameter_names)):
            return Law("linear", (0.0, 0.0, 0.0, self.read_number(asked, "value", expression)))
        return Law("expression", expression=expression)

    def _check_moving(self, asked: str, measures: list[Measure]) -> None:
        for measure in measures:
            if all(body.is_ground for base in self.base_measures(measure) for body in measure_bodies(base)):
                raise ModelError(
                    asked, f"{measure!r}", "it depends on no moving body", "use a measure of a moving body"
                )

    def _check_particles(self, asked: str, measures: list[Measure]) -> None:
        for measure in measures:
            for base in self.base_measures(measure):
                for marker in (base.i, base.j):
                    if marker is not None and marker.body.particle and base.kind in ROTATIONAL:
                        self.refuse_particle(asked, marker.body, f"the row {base.name!r}")

    def refuse_particle(self, asked: str, body: Body, what: str) -> None:
        """Error for rotations asked of a particle."""
        raise ModelError(
            asked, f"{body!r}", f"a particle has no orientation, so {what} means nothing", "use a body with inertia"
        )


def is_part(x: Any) -> bool:
    """Whether x is a part with coordinates: a joint, a force element, a driver or a stop."""
    return isinstance(x, Joint | Force | Driver | Impact)


def _named_lump(asked: str, mass: Any, inertia: Any) -> Shape:
    try:
        return lump(mass, inertia=inertia)
    except ModelError as error:
        raise ModelError(f"{asked}: {error.asked}".replace(" of lump", ""), error.found, error.why, error.do) from None
