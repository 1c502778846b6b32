"""The mechanism: an ordered container of named parts, filled by methods named after what they add.

`m.body`, `m.particle`, `m.parameter`, `m.measure`, `m.drive`, `m.start`, and one method per joint and force element, taken from
their registries (`m.revolute`, `m.spring`, ...).  Nothing here knows how a mechanism is solved.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ExpressionError, ModelError, nearest
from .body import Body
from .driver import Driver, Start
from .expression import Expr, Name, Spline, as_expression, check_name
from .forces import FORCES, Law
from .frame import Marker, Point, read_direction, read_location
from .joints import JOINTS
from .measure import Measure
from .parameter import Parameter
from .reading import Number, is_number_like, read_components, read_name, read_orientation, read_scalar
from .shapes import Shape, lump
from .shapes.reading import is_plain

GROUND = "ground"


class Names(Collection[str]):
    """Names that expressions of a mechanism may use: parameters, t, and measures "part.coordinate"."""

    def __init__(self, model: Mechanism, local: tuple[str, ...] = (), time: bool = True) -> None:
        self._model, self._fixed = model, {*local, *model.parameter_names, *(("t",) if time else ())}

    def __contains__(self, name: object) -> bool:
        return name in self._fixed or (isinstance(name, str) and self._model.find_measure(name) is not None)

    def __iter__(self) -> Iterator[str]:
        yield from sorted(self._fixed)
        yield from self._model.measure_names()

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Mechanism:
    """A mechanism of bodies, joints, forces and drivers, in the plane or in space.

    Parameters
    ----------
    name
        Name of the mechanism.
    plane
        True: planar motion in x, y; False: motion in space.
    gravity
        Acceleration vector [m/s²]; None: no gravity.
    length
        A typical length [m]; sets the scale of tolerances and of the minimum norm of non-unique reactions.  Default: the
        extent of the drawing.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> m["A"].angle
    <measure 'A.angle': angle of body j relative to body i about the z axis of the marker on i [rad]>
    """

    def __init__(self, name: str, plane: bool = True, gravity: Any = None, length: Any = None) -> None:
        asked = f"Mechanism({name!r})"
        self.name = read_name(asked, name)
        if not isinstance(plane, bool):
            raise ModelError(asked, f"plane = {plane!r}", "it is True (plane) or False (space)", "give plane=True or plane=False")
        self.plane = plane
        self._parts: dict[str, Any] = {}
        self._parameters: dict[str, Parameter] = {}
        self._starts: list[Start] = []
        self.ground = Body(self, GROUND, None)
        self._parts[GROUND] = self.ground
        zero = (0.0, 0.0) if plane else (0.0, 0.0, 0.0)
        self.gravity = read_components(asked, "gravity", zero if gravity is None else gravity, plane)
        self.length = None if length is None else read_scalar(asked, "length", length, "positive")

    # -- access ------------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        if isinstance(name, str) and name in self._parts:
            return self._parts[name]
        measure = self.find_measure(name) if isinstance(name, str) else None
        if measure is not None:
            return measure
        raise ModelError(
            f"part {name!r} of mechanism {self.name!r}", "no such part", nearest(name, self._parts), "use one of the known names"
        )

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def parts(self, kind: str | None = None) -> list[Any]:
        """All parts in the order they were added, or those of one kind: body, joint, force, driver, parameter, measure."""
        return [part for part in self._parts.values() if kind is None or _kind(part) == kind]

    @property
    def bodies(self) -> list[Body]:
        """Moving bodies and particles."""
        return [part for part in self._parts.values() if isinstance(part, Body) and not part.is_ground]

    @property
    def starts(self) -> tuple[Start, ...]:
        """Initial conditions."""
        return tuple(self._starts)

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
        return x.evaluate(self.parameters) if isinstance(x, Expr) else float(x)

    def __repr__(self) -> str:
        counts = {kind: len(self.parts(kind)) for kind in ("body", "joint", "force", "driver")}
        counts["body"] -= 1
        text = ", ".join(f"{n} {kind}{'s' if n != 1 and kind != 'body' else ''}" for kind, n in counts.items() if n)
        return f"<Mechanism {self.name!r} in {'the plane' if self.plane else 'space'}: {text.replace('body', 'bodies')}>"

    # -- building ----------------------------------------------------------------------------------------------------

    def _add(self, part: Any) -> Any:
        self._parts[part.name] = part
        return part

    def _new_name(self, what: str, name: Any) -> str:
        asked = f"{what} {name!r}"
        read_name(asked, name)
        if name in self._parts:
            raise ModelError(
                asked,
                f"the name is taken by {self._parts[name]!r}",
                "every part of a mechanism has a name of its own",
                f"choose another name, for example {name + '2'!r}",
            )
        return str(name)

    def parameter(self, name: str, value: Any, unit: str = "") -> Expr:
        """Named number; returns an expression that can stand wherever a number can.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("crank")
        >>> r = m.parameter("r", 0.2, "m")
        >>> bar = m.body("bar", da.rod(length=2 * r, mass=1.0))
        """
        asked = f"parameter {name!r}"
        self._new_name("parameter", name)
        check_name(name, asked)
        number = value if is_plain(value) else None
        if number is None and hasattr(value, "item") and np.ndim(value) == 0:
            number = value.item()
        if number is None or not is_plain(number) or not math.isfinite(number):
            raise ModelError(asked, f"value = {value!r}", "a parameter is a finite number", "give for example 0.2")
        if not isinstance(unit, str):
            raise ModelError(asked, f"unit = {unit!r}", "a unit is a text", "give for example 'm'")
        self._parameters[name] = self._add(Parameter(str(name), float(number), unit))
        return Name(str(name))

    def set_parameter(self, name: str, value: float) -> None:
        """Change the value of a parameter."""
        old = self._parts.get(name)
        if not isinstance(old, Parameter):
            raise ModelError(
                f"parameter {name!r}", "no such parameter", nearest(name, self.parameter_names), "use one of the known names"
            )
        if not is_plain(value) or not math.isfinite(value):
            raise ModelError(f"parameter {name!r}", f"value = {value!r}", "a parameter is a finite number", "give for example 0.2")
        self._parameters[name] = self._add(Parameter(name, float(value), old.unit))

    def body(
        self,
        name: str,
        shape: Shape | None = None,
        *,
        mass: Any = None,
        inertia: Any = None,
        center: Any = None,
        at: Any = None,
        angle: Any = None,
        rotation: Any = None,
        velocity: Any = None,
        spin: Any = None,
    ) -> Body:
        """Rigid body, by shape or by mass and inertia.

        Parameters
        ----------
        name
            Name of the body.
        shape
            Shape with mass or density, such as `da.rod(length=1, mass=2)`; gives mass, mass centre and inertia.
        mass, inertia
            Mass [kg] and inertia about the mass centre [kg m²]: a number in the plane; in space a 3x3 tensor in body axes or
            three principal moments.
        center
            Mass centre in the body frame (default: the origin, or that of the shape).
        at
            Origin of the body frame in space, as drawn.
        angle, rotation
            Orientation as drawn: an angle in the plane; in space a matrix, quaternion, (axis, angle) or SciPy Rotation.
        velocity, spin
            Velocity of the origin and angular velocity (in space axes) at the start; what is not given is solved for.
        """
        name = self._new_name("body", name)
        asked = f"body {name!r}"
        if shape is not None and (mass is not None or inertia is not None):
            raise ModelError(asked, "a shape and mass or inertia", "both would define the mass", "give one of them")
        if shape is not None and not isinstance(shape, Shape):
            raise ModelError(asked, f"shape = {shape!r}", "a shape is made by da.rod(...), da.box(...) and the like", "give a shape, or mass= and inertia=")
        if shape is None:
            shape = self._lump(asked, mass, inertia)
        place = (0.0, 0.0, 0.0) if at is None else self._components(asked, "at", at)
        if self.plane and rotation is not None:
            raise ModelError(asked, f"rotation = {rotation!r}", "a planar body has an angle", "give angle=...")
        if not self.plane and angle is not None:
            raise ModelError(asked, f"angle = {angle!r}", "a body in space has a rotation", "give rotation=(axis, angle) or a matrix")
        made = Body(
            self,
            name,
            shape,
            at=place,
            angle=0.0 if angle is None else self.read_number(asked, "angle", angle),
            rotation=None if rotation is None else read_orientation(asked, rotation),
            velocity=None if velocity is None else self._components(asked, "velocity", velocity),
            spin=self._read_spin(asked, spin),
            center=None if center is None else self._components(asked, "center", center),
        )
        made.shape.mass_properties(self.value).check(name)
        return self._add(made)  # type: ignore[no-any-return]

    def particle(self, name: str, *, mass: Any, at: Any = None, velocity: Any = None) -> Body:
        """Point mass: a body without extent and without orientation."""
        name = self._new_name("particle", name)
        asked = f"particle {name!r}"
        place = (0.0, 0.0, 0.0) if at is None else self._components(asked, "at", at)
        speed = None if velocity is None else self._components(asked, "velocity", velocity)
        shape = lump(self.read_number(asked, "mass", mass, "positive"), inertia=((0.0,) * 3,) * 3)
        return self._add(Body(self, name, shape, at=place, velocity=speed, particle=True))  # type: ignore[no-any-return]

    def measure(self, name: str, what: Any = None, **options: Any) -> Measure:
        """Named measure, for output, drivers, laws and expressions.

        `what` is a measure or an expression of measures and t.  Or one of: `between=(P, Q)`, the distance of two points;
        `point=P, along=direction` (and `relative_to=Q`), a coordinate; `angle=(i, j)` (and `axis=` in space).

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("bar")
        >>> bar = m.body("bar", da.rod(length=1.0, mass=1.0))
        >>> tip = m.measure("tip height", point=bar.end, along=(0, 1))
        """
        name = self._new_name("measure", name)
        asked = f"measure {name!r}"
        from .measures_given import given_measure

        made = given_measure(self, asked, name, what, options)
        return self._add(made)  # type: ignore[no-any-return]

    def drive(self, name: str, measure: Any, expression: Any) -> Driver:
        """Prescribe a measure as an expression of t: `m.drive("motor", m["O"].angle, "2*pi*t")`."""
        name = self._new_name("driver", name)
        asked = f"driver {name!r}"
        driven = self.read_coordinate(asked, measure)
        if driven.is_rate:
            raise ModelError(asked, f"{driven!r}", "a rate measure has no value to prescribe", "drive a measure with a value")
        law = as_expression(expression, Names(self), asked=asked)
        other = sorted(law.names - set(self.parameter_names) - {"t"})
        if other:
            raise ModelError(asked, f"the expression uses {', '.join(other)}", "a driver is a function of time", "use m.constraint for relations of measures")
        driver = Driver(self, name, driven, law)
        if all(body.is_ground for body in driver.bodies):
            raise ModelError(asked, f"{driven!r}", "it depends on no moving body", "drive a measure of a moving body")
        return self._add(driver)  # type: ignore[no-any-return]

    def start(self, measure: Any, value: Any = None, rate: Any = None) -> None:
        """Initial condition on a measure: its value, its rate, or both."""
        asked = f"start condition on {getattr(measure, 'name', measure)!r}"
        found = self.read_coordinate(asked, measure)
        if value is None and rate is None:
            raise ModelError(asked, "neither value nor rate", "a condition needs one of them", "give value=... or rate=...")
        self._starts.append(
            Start(
                found,
                None if value is None else self.read_number(asked, "value", value),
                None if rate is None else self.read_number(asked, "rate", rate),
            )
        )

    # -- reading arguments of joints and forces ----------------------------------------------------------------------

    def own(self, asked: str, body: Body) -> Body:
        """Refuse bodies of other mechanisms."""
        if body.model is not self:
            raise ModelError(asked, f"{body!r} of mechanism {body.model.name!r}", f"it belongs to another mechanism than {self.name!r}", "use bodies of one mechanism")
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
        raise ModelError(asked, f"body = {x!r}", f"it is not a body of {self.name!r}; {nearest(x, known)}", "give a body or its name")

    def read_number(self, asked: str, name: str, x: Any, rule: str = "finite") -> Number:
        """Number or expression of parameters, checked by rule when its value is known."""
        if x is None:
            raise ModelError(asked, f"{name} is missing", "a number is needed here", f"give {name}=...")
        made = read_scalar(asked, name, x, rule, self.parameter_names)
        if isinstance(made, Expr):
            read_scalar(asked, f"{name} = {made}", self.value(made), rule)
        return made

    def _components(self, asked: str, name: str, x: Any) -> Any:
        return read_components(asked, name, x, self.plane, self.parameter_names)

    def _read_spin(self, asked: str, spin: Any) -> Any:
        if spin is None:
            return None
        return self.read_number(asked, "spin", spin) if self.plane else self._components(asked, "spin", spin)

    def _lump(self, asked: str, mass: Any, inertia: Any) -> Shape:
        if mass is None:
            raise ModelError(asked, "neither shape nor mass", "a body needs mass properties", "give a shape, or mass= and inertia=")
        m = self.read_number(asked, "mass", mass, "nonnegative")
        if inertia is None:
            inertia = 0.0 if self.plane else ((0.0,) * 3,) * 3
        if self.plane:
            # only the polar moment matters in the plane; a lamina has J_xx + J_yy = J_zz
            polar = self.read_number(asked, "inertia", inertia, "nonnegative")
            return lump(m, inertia=((polar / 2, 0.0, 0.0), (0.0, polar / 2, 0.0), (0.0, 0.0, polar)))
        try:
            shape = np.shape(inertia)
        except ValueError:
            shape = ()
        if shape == (3,):
            a, b, c = inertia
            inertia = ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))
        elif shape != (3, 3):
            raise ModelError(asked, f"inertia = {inertia!r}", "in space the inertia is a 3x3 tensor or three principal moments", "give inertia=(Jx, Jy, Jz)")
        rows = [[self.read_number(asked, "inertia", x) for x in row] for row in inertia]
        return lump(m, inertia=tuple(tuple(row) for row in rows))

    def read_point(self, asked: str, name: str, x: Any, body: Body) -> Point | Any:
        """Location on a given body: a point of it, or coordinates in space as drawn."""
        place = read_location(self, asked, name, x)
        if isinstance(place, Point) and place.body is not body:
            raise ModelError(asked, f"{name} = {x!r}", f"the point is not on body {body.name!r}", "give a point of that body")
        return place

    def read_ends(self, asked: str, a: Any, b: Any) -> tuple[Point, Point]:
        """Two points on two different bodies."""
        points = []
        for name, x in (("first end", a), ("second end", b)):
            place = None if x is None else read_location(self, asked, name, x)
            if not isinstance(place, Point):
                raise ModelError(asked, f"{name} = {x!r}", "an end is a point of a body", "give (body, (x, y)) or body.point(x, y)")
            points.append(place)
        if points[0].body is points[1].body:
            raise ModelError(asked, f"both ends are on {points[0].body.name!r}", "the ends must be on two different bodies", "name the other body")
        return points[0], points[1]

    def read_pair(self, asked: str, name: str, x: Any) -> tuple[Number, Number]:
        """Two positive numbers."""
        if not isinstance(x, tuple | list) or len(x) != 2:
            raise ModelError(asked, f"{name} = {x!r}", "two numbers are needed", f"give {name}=(a, b)")
        first, second = (self.read_number(asked, f"{name}[{k}]", v, "positive") for k, v in enumerate(x))
        return first, second

    def is_coordinate(self, x: Any) -> bool:
        """Whether x is a measure, a part with coordinates, or text."""
        if isinstance(x, Measure) or (hasattr(x, "coordinates") and not isinstance(x, Body)):
            return True
        return isinstance(x, str) and not isinstance(self._parts.get(x), Body)

    def read_coordinate(self, asked: str, x: Any, prefer: str | None = None) -> Measure:
        """Measure given as measure, joint (its coordinate), name or expression."""
        if isinstance(x, str) and x in self._parts:
            x = self._parts[x]
        if isinstance(x, Measure):
            for base in self.base_measures(x):
                for marker in (base.i, base.j):
                    if marker is not None:
                        self.own(asked, marker.body)
            return x
        if hasattr(x, "coordinates") and not isinstance(x, Body | Measure | Expr):
            if x.model is not self:
                raise ModelError(asked, f"{x!r}", "it belongs to another mechanism", "use parts of one mechanism")
            coordinates = x.coordinates()
            if prefer in coordinates:
                return coordinates[prefer]
            if len(coordinates) == 1:
                return next(iter(coordinates.values()))
            raise ModelError(
                asked,
                f"{x!r} has {'no coordinate' if not coordinates else 'the coordinates ' + ', '.join(coordinates)}",
                f"{'a joint with an ' + prefer if prefer else 'one coordinate'} is needed here",
                "give a measure, such as joint.angle",
            )
        if isinstance(x, str | Expr):
            return self.read_measure(asked, x, f"{asked.split(chr(39))[1] if chr(39) in asked else 'expression'}.value")
        raise ModelError(asked, f"{x!r}", "a joint, a measure or an expression of measures is needed", "give for example m['A'].angle")

    def read_measure(self, asked: str, x: Any, name: str) -> Measure:
        """Measure, or expression of measures as a measure called `name`."""
        if isinstance(x, Measure):
            return x
        if not isinstance(x, str | Expr):
            return self.read_coordinate(asked, x)
        expression = as_expression(x, Names(self), asked=asked)
        if isinstance(expression, Name):
            found = self.find_measure(expression.name)
            if found is not None:
                return found
        rates = sorted(n for n in expression.names if n.startswith("rate("))
        if rates:
            raise ModelError(asked, f"the expression uses {', '.join(rates)}", "a measure is a function of positions and time", "use rates in force laws only")
        return Measure(name, "expression", expression=expression, unit="1")

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
        part = self._parts.get(name)
        if isinstance(part, Measure):
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
            elif hasattr(part, "coordinates"):
                yield from (f"{part.name}.{key}" for key in part.coordinates())

    def read_law(self, asked: str, x: Any, local: tuple[str, ...] = ()) -> Expr:
        """Expression of a law: local names, measures, their rates, parameters and t."""
        if not (is_number_like(x) or isinstance(x, Spline) or hasattr(x, "item")):
            raise ExpressionError(asked, f"{x!r}", "a law is a number, an expression or a Python function", "give for example '-10*v'")
        return as_expression(x, Names(self, local), asked=asked)

    def read_load(self, asked: str, x: Any) -> Law:
        """Law of a load component: positive along its direction (so f = -x); a Python function takes t."""
        if callable(x) and not isinstance(x, Expr | Spline):
            return Law("callable", function=lambda s, v, t: -x(t))
        expression = -self.read_law(asked, x)
        if not (expression.names - set(self.parameter_names)):
            return Law("linear", (0.0, 0.0, 0.0, expression))
        return Law("expression", expression=expression)

    def refuse_particle(self, asked: str, body: Body, what: str) -> None:
        """Error for rotations asked of a particle."""
        raise ModelError(asked, f"{body!r}", f"a particle has no orientation, so {what} means nothing", "use a body with inertia")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def _kind(part: Any) -> str:
    return "measure" if isinstance(part, Measure) else part.kind


def _adder(tag: str, cls: type) -> Any:
    """Method `m.<tag>(name, ...)` that builds the part, adds it under its name and returns it."""

    def add(self: Mechanism, name: str, *args: Any, **options: Any) -> Any:
        self._new_name(tag, name)
        try:
            part = cls(self, name, *args, **options)
        except TypeError as error:
            try:
                inspect.signature(cls).bind(self, name, *args, **options)
            except TypeError as mismatch:
                usage = ", ".join(list(inspect.signature(cls).parameters)[1:])
                raise ModelError(f"{tag} {name!r}", str(mismatch), "the arguments do not fit", f"call m.{tag}({usage})") from None
            raise error
        return self._add(part)

    add.__name__ = tag
    add.__qualname__ = f"Mechanism.{tag}"
    add.__doc__ = cls.__doc__
    parameters = list(inspect.signature(cls).parameters.values())[1:]
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    add.__signature__ = inspect.Signature([first, *parameters])  # type: ignore[attr-defined]
    return add


for _tag, _cls in {**JOINTS, **FORCES}.items():
    setattr(Mechanism, _tag, _adder(_tag, _cls))

__all__ = ["GROUND", "Marker", "Mechanism", "Names", "read_direction"]
