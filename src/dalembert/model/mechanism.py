"""The mechanism: an ordered container of named parts, filled by methods named after what they add.

`m.body`, `m.particle`, `m.parameter`, `m.table`, `m.measure`, `m.state`, `m.drive`, `m.start`, and one method per joint and force element, taken from
their registries (`m.revolute`, `m.spring`, ...).  Nothing here knows how a mechanism is solved.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import Any, ClassVar

from ..errors import ModelError, checked_call, nearest, shown, wrong_arguments
from .arguments import Arguments, Names, is_part
from .auxiliary import Auxiliary, read_rate
from .body import Body, UnknownAttributeError
from .changed import changed
from .dimensions import NATURAL, Quantity, of_measure
from .driver import Driver, Start
from .events import Situation
from .expression import RESERVED, Expr, Name, as_expression, check_name, parse
from .forces import FORCES
from .forces._soft_rub import SoftRub
from .joints import JOINTS, Joint
from .joints._coupling import rate_measure
from .loads import EFFORT, load_named, refuse_other_loads
from .measure import Measure
from .measures_given import given_measure
from .methods import Methods
from .parameter import Parameter, parameter_value
from .reading import Number, check_text, read_choice, read_components, read_flag, read_name, read_scalar
from .registry import registered
from .shapes import Shape, lump
from .shapes.reading import is_plain
from .units import known_dimension, parse_unit

GROUND = "ground"


class Mechanism(Methods, Arguments):
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

    kind: ClassVar[str] = "mechanism"

    @checked_call
    def __init__(self, name: str, plane: bool = True, gravity: Any = None, length: Any = None) -> None:
        asked = f"Mechanism({shown(name)})"
        self.name = read_name(asked, name)
        self._plane = read_flag(asked, "plane", plane)
        self._parts: dict[str, Any] = {}
        self._parameters: dict[str, Parameter] = {}
        self._starts: list[Start] = []
        self._begin()
        # expressions that stand for numbers, with their rules: by part, and those of the part that is being read
        self._noted: dict[str, list[tuple[str, str, Expr, str]]] = {}
        self._reading: list[tuple[str, str, Expr, str]] = []
        self.ground = Body(self, GROUND, None)
        self._parts[GROUND] = self.ground
        self.gravity = gravity
        self.length = length

    @property
    def gravity(self) -> tuple[Number, Number, Number]:
        """Acceleration of gravity [m/s²], as three components; may be assigned, None for none."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: Any) -> None:
        # parameters may be defined later: their names are checked when the mechanism is compiled
        zero = (0.0, 0.0) if self.plane else (0.0, 0.0, 0.0)
        self._gravity = read_components(
            f"gravity of mechanism {self.name!r}", "gravity", zero if gravity is None else gravity, self.plane
        )

    @property
    def length(self) -> Number | None:
        """Typical length [m], or None for the extent of the drawing; may be assigned."""
        return self._length

    @length.setter
    def length(self, length: Any) -> None:
        asked = f"length of mechanism {self.name!r}"
        self._length = None if length is None else read_scalar(asked, "length", length, "positive")

    # -- access ------------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        if isinstance(name, str) and name in self._parts:
            return self._parts[name]
        measure = self.find_measure(name) if isinstance(name, str) else None
        if measure is not None:
            return measure
        raise ModelError(
            f"part {shown(name)} of mechanism {self.name!r}", f"no part is called {shown(name)}",
            nearest(name, self._parts), "use one of the known names",
        )  # fmt: skip

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._parts

    def parts(self, kind: str | None = None) -> list[Any]:
        """All parts in the order they were added, or those of one kind: body, joint, force, driver, parameter, measure, state, event, impact."""
        if kind is not None:
            read_choice(f"parts of mechanism {self.name!r}", "kind", kind, _KINDS, "use one of the known kinds")
        return [part for part in self._parts.values() if kind is None or _kind(part) == kind]

    def at_work(self, kind: str) -> list[Any]:
        """Parts of one kind that are not open."""
        return [part for part in self.parts(kind) if part.name not in self.situation.absent]

    @property
    def bodies(self) -> list[Body]:
        """Moving bodies and particles."""
        return [part for part in self._parts.values() if isinstance(part, Body) and not part.is_ground]

    @property
    def drivers(self) -> list[Driver]:
        """Drivers."""
        return self.parts("driver")

    @property
    def joints(self) -> list[Any]:
        """Joints."""
        return self.parts("joint")

    @property
    def state_names(self) -> list[str]:
        """Names of the auxiliary states."""
        return [state.name for state in self.parts("state")]

    @property
    def leads(self) -> list[Expr]:
        """Expressions that the motion follows: those of drivers and gaps."""
        gaps = [stop.gap.expression for stop in self.impacts.values() if stop.gap.expression is not None]
        return [*(driver.expression for driver in self.drivers), *gaps]

    @property
    def many(self) -> tuple[int, str]:
        """How large it is: a number, and what it counts."""
        return len(self.bodies), "bodies"

    def _check_state(self, asked: str, state: Any) -> None:
        """Refuse a state that does not fit."""
        state.check(asked, self.plane, tuple(body.name for body in self.bodies))

    @property
    def starts(self) -> tuple[Start, ...]:
        """Initial conditions."""
        return tuple(self._starts)

    def check_numbers(self, values: dict[str, float] | None = None) -> None:
        """Check all numbers given as expressions once more: parameters may have changed since they were read."""
        given = self.parameters if values is None else values
        for notes in self._noted.values():
            for asked, name, made, rule in notes:
                read_scalar(asked, name, made, rule, given, lambda x: x.evaluate(given))
        # gravity and length may be given before the parameters they use
        for what, rule in (("gravity", "finite"), ("length", "positive")):
            x = getattr(self, what)
            for made in x if isinstance(x, tuple) else [x]:
                if isinstance(made, Expr):
                    read_scalar(
                        f"{what} of mechanism {self.name!r}", what, made, rule, given, lambda x: x.evaluate(given)
                    )

    def __repr__(self) -> str:
        counts = {kind: len(self.parts(kind)) for kind in ("body", "joint", "force", "driver", "state")}
        counts["body"] -= 1
        text = ", ".join(f"{n} {kind}{'s' if n != 1 and kind != 'body' else ''}" for kind, n in counts.items() if n)
        return (
            f"<Mechanism {self.name!r} in {'the plane' if self.plane else 'space'}: {text.replace('body', 'bodies')}>"
        )

    # -- building ----------------------------------------------------------------------------------------------------

    def _add(self, part: Any) -> Any:
        self._parts[part.name] = part
        self._noted[part.name], self._reading = self._reading, []
        return part

    def _new_name(self, what: str, name: Any) -> str:
        self._reading = []
        asked = f"{what} {shown(name)}"
        read_name(asked, name)
        if name in self._parts:
            raise ModelError(
                asked, f"the name is taken by {self._parts[name]!r}",
                "every part of a mechanism has a name of its own", f"choose another name, for example {name + '2'!r}",
            )  # fmt: skip
        return str(name)

    @checked_call
    def parameter(self, name: str, value: Any, unit: str = "", label: str = "") -> Expr:
        """Named number; returns an expression that can stand wherever a number can.

        Parameters
        ----------
        name
            Name of the parameter, as expressions write it.
        value
            Number in SI units, or in `unit`; or a text of a number and a unit, "80 mm".
        unit
            Unit of the number.  The value is kept in SI units: 80 and "mm" are 0.08 and "m".
        label
            Instead of a unit: what the number counts, as "teeth per wheel".

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("crank")
        >>> r = m.parameter("r", 0.2, "m")
        >>> bar = m.body("bar", da.rod(length=2 * r, mass=1.0))
        >>> gap = m.parameter("gap", 80, "mm")
        >>> teeth = m.parameter("teeth", 20, label="teeth per wheel")
        >>> m.parameters["gap"]
        0.08
        """
        name = self._new_name("parameter", name)
        asked = f"parameter {name!r}"
        check_name(name, asked)
        self._not_time(asked, name)
        for what, x in (("unit", unit), ("label", label)):
            check_text(asked, what, x, "give for example 'm'")
        if label and (unit or known_dimension(label) is not None):
            found, why = f"unit = {unit!r}, label = {label!r}", "a number has one of them, and a label is no unit"
            raise ModelError(asked, found, why, "give a unit, or a label such as 'teeth per wheel'")
        number, unit = parameter_value(asked, value, unit)
        self._parameters[name] = self._add(Parameter(name, number, unit or label))
        return Name(name)

    def _table_name(self, name: Any) -> str:
        asked = f"table {shown(name)}"
        check_name(name, asked)
        self._not_time(asked, name)
        if name in self._tables:
            found, why = f"a table {name!r} exists", "texts call tables by name"
            raise ModelError(asked, found, why, f"choose another name, for example {name + '2'!r}")
        return asked

    @checked_call
    def set_parameter(self, name: str, value: Any) -> None:
        """Change the value of a parameter: a number in SI units, or a text with a unit of its dimension, "90 mm".

        Numbers that depend on it are checked when the mechanism is compiled again.
        """
        old = self._parameters.get(name) if isinstance(name, str) else None
        if old is None:
            raise ModelError(
                f"parameter {shown(name)}", f"no parameter is called {shown(name)}",
                nearest(name, self.parameter_names), "use one of the known names, or make one with m.parameter(name, value)",
            )  # fmt: skip
        self._parameters[name] = self._parts[name] = old.with_value(value)

    @staticmethod
    def _not_time(asked: str, name: str) -> None:
        if name == "t" or name in RESERVED:
            raise ModelError(
                asked, f"name = {name!r}", "it has a meaning of its own in expressions", "choose another name"
            )

    @checked_call
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
            raise ModelError(
                asked, f"shape = {shown(shape)}",
                "a shape is made by da.rod(...), da.box(...) and the like", "give a shape, or mass= and inertia=",
            )  # fmt: skip
        given_shape = shape
        if shape is None:
            shape = self._lump(asked, mass, inertia)
        place = (0.0, 0.0, 0.0) if at is None else self._components(asked, "at", at)
        if self.plane and rotation is not None:
            raise ModelError(asked, f"rotation = {shown(rotation)}", "a planar body has an angle", "give angle=...")
        if not self.plane and angle is not None:
            raise ModelError(
                asked, f"angle = {shown(angle)}",
                "a body in space has a rotation", "give rotation=(axis, angle) or a matrix",
            )  # fmt: skip
        made = Body(
            self,
            name,
            shape,
            at=place,
            drawn_angle=0.0 if angle is None else self.read_number(asked, "angle", angle),
            rotation=None if rotation is None else self._read_rotation(asked, rotation),
            velocity=None if velocity is None else self._components(asked, "velocity", velocity),
            spin=self._read_spin(asked, spin),
            given_center=None if center is None else self._components(asked, "center", center),
        )
        self._check_mass(made)
        arguments = {"mass": mass, "inertia": inertia, "center": center, "at": at, "angle": angle, "rotation": rotation}
        self._record(name, "body", {"shape": given_shape, **arguments, "velocity": velocity, "spin": spin})
        return self._add(made)  # type: ignore[no-any-return]

    @checked_call
    def particle(self, name: str, *, mass: Any, at: Any = None, velocity: Any = None) -> Body:
        """Point mass: a body without extent and without orientation."""
        name = self._new_name("particle", name)
        asked = f"particle {name!r}"
        place = (0.0, 0.0, 0.0) if at is None else self._components(asked, "at", at)
        speed = None if velocity is None else self._components(asked, "velocity", velocity)
        shape = lump(self.read_number(asked, "mass", mass, "positive"), inertia=((0.0,) * 3,) * 3)
        self._record(name, "particle", {"mass": mass, "at": at, "velocity": velocity})
        return self._add(Body(self, name, shape, at=place, velocity=speed, particle=True))  # type: ignore[no-any-return]

    @checked_call
    def measure(self, name: str, what: Any = None, **options: Any) -> Measure:
        """Named measure, for output, drivers, laws and expressions.

        `what` is a measure or an expression of measures and t.  Or one of: `between=(P, Q)`, the distance of two points;
        `point=P, along=direction` (and `relative_to=Q`), a coordinate; `angle=(i, j)` (and `axis=` in space); `cosine=(d, e)`, the direction
        cosine of two directions, `bar.axis(1, 0)` on a body or (0, 1) in space.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("bar")
        >>> bar = m.body("bar", da.rod(length=1.0, mass=1.0))
        >>> tip = m.measure("tip height", point=bar.end, along=(0, 1))
        """
        name = self._new_name("measure", name)
        asked = f"measure {name!r}"
        self._not_time(asked, name)
        made = given_measure(self, asked, name, what, options)
        self._check_particles(asked, [made])
        self._record(name, "measure", {"expression": what, **options})
        return self._add(made)  # type: ignore[no-any-return]

    @checked_call
    def state(self, name: str, rate: Any = None, start: Any = 0.0, *, unit: str = "1", scale: Any = 1.0) -> Auxiliary:
        """Auxiliary state z' = rate: the integrator of a controller, a filter, an actuator with a lag.

        It belongs to no body and does no work; laws of forces, torques and actuators use it by its name, and so do rates of other states.

        Parameters
        ----------
        name
            Name of the state, as expressions write it.
        rate
            Expression of t, measures, their rates, states and parameters.  States that are defined later may be named too.
        start
            Value at the start.
        unit
            Its unit, for tables and plots.
        scale
            Its typical size, in which the absolute tolerance of a simulation counts.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("axis")
        >>> arm = m.body("arm", da.rod(length=1.0, mass=1.0))
        >>> pin = m.revolute("A", m.ground, arm, at=(0, 0))
        >>> z = m.state("z", rate="1 - A.angle")
        >>> motor = m.actuator("motor", "A", force="20*(1 - s) + 10*z - 5*v")
        """
        name = self._new_name("state", name)
        asked = f"state {name!r}"
        check_name(name, asked)
        self._not_time(asked, name)
        law = read_rate(self, asked, name, rate)
        check_text(asked, "unit", unit, "give for example 'rad s'")
        value = self.read_number(asked, "start", start)
        size = self.read_number(asked, "scale", scale, "positive")
        given = {"rate": rate, "start": start, "unit": None if unit == "1" else unit}
        self._record(name, "state", {**given, "scale": None if is_plain(scale) and scale == 1.0 else scale})
        return self._add(Auxiliary(name, "state", unit=unit, law=law, start=value, scale=size))  # type: ignore[no-any-return]

    @checked_call
    def input(self, name: str, value: Any = 0.0, *, unit: str = "1") -> Auxiliary:
        """A number that is set from outside while the machine runs, and held in between: a command, a voltage, a measured load.

        It is a state without a rate: laws of forces and drivers use it by its name, `da.Stepper` and `simulate(control=...)` set it.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("cart", plane=True)
        >>> cart = m.body("cart", mass=2.0, inertia=1.0)
        >>> guide = m.prismatic("guide", m.ground, cart, along=(1, 0))
        >>> u = m.input("u", unit="N")
        >>> motor = m.actuator("motor", "guide", force="-u")
        """
        return self.state(name, rate=0.0, start=value, unit=unit)

    @checked_call
    def drive(self, name: str, measure: Any, expression: Any) -> Driver:
        """Prescribe a measure as an expression of t: `m.drive("motor", m["O"].angle, "2*pi*t")`."""
        name = self._new_name("driver", name)
        asked = f"driver {name!r}"
        driven = self.read_coordinate(asked, measure)
        if driven.is_rate:
            raise ModelError(
                asked, f"{driven!r}", "a rate measure has no value to prescribe", "drive a measure with a value"
            )
        law = as_expression(expression, Names(self), asked=asked)
        inputs = {state.name for state in self.parts("state") if state.is_input}
        self.no_states(asked, law.names - inputs)
        other = sorted(law.names - set(self.parameter_names) - inputs - {"t"})
        if other:
            raise ModelError(
                asked, f"the expression uses {', '.join(other)}",
                "a driver is a function of time", "use m.constraint for relations of measures",
            )  # fmt: skip
        if not law.names & {"t", *inputs}:
            self.read_number(asked, "value", law)
        driver = Driver(self, name, driven, law)
        if all(body.is_ground for body in driver.bodies):
            raise ModelError(asked, f"{driven!r}", "it depends on no moving body", "drive a measure of a moving body")
        for other in self.parts("driver"):
            if other.measure.name == driven.name:
                raise ModelError(
                    asked, f"{driven.name!r} is already driven by {other.name!r}",
                    "a measure follows one driver", "drive another measure, or leave one driver out",
                )  # fmt: skip
        self._check_particles(asked, [driven])
        self._record(name, "drive", {"measure": measure, "value": expression})
        return self._add(driver)  # type: ignore[no-any-return]

    @checked_call
    def start(self, measure: Any, value: Any = None, rate: Any = None) -> None:
        """Initial condition on a measure or an expression of measures: its value, its rate, or both; any number of them, as far as they fit.

        An expression that contains rates, linear in them, is itself what `rate` is given of (PLANAR 6.3.26-27).

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("block", plane=True)
        >>> b = m.body("b", da.block(0.1, 0.1, mass=1.0))
        >>> m.start("b.x + 2*b.y", 1.0)
        >>> m.start("cos(b.angle)*rate(b.y) - b.x*rate(b.angle)", rate=2)
        """
        self._reading = []
        label = measure.name if isinstance(measure, Measure | Body) or is_part(measure) else measure
        asked = f"start condition on {shown(label)}"
        state = self._parts.get(label) if isinstance(label, str) else None
        if isinstance(state, Auxiliary):
            raise ModelError(
                asked, f"{label!r} is a state",
                "a state begins where m.state says", f"give m.state({label!r}, rate=..., start=...)",
            )  # fmt: skip
        if not isinstance(measure, str | Expr) or measure in [*self._parts]:
            found = self.read_coordinate(asked, measure)
        elif "rate(" in str(measure):
            found = rate_measure(self, asked, str(measure), self.read_law(asked, measure))
        else:
            found = self.read_measure(asked, measure, str(measure))
        if value is None and rate is None:
            raise ModelError(
                asked, "neither value nor rate", "a condition needs one of them", "give value=... or rate=..."
            )
        if value is not None and found.is_rate:
            raise ModelError(asked, f"{found!r}", "a rate measure has no value", "give rate=... only")
        self._check_moving(asked, [found])
        for other in self._starts:
            for what, new, old in (("value", value, other.value), ("rate", rate, other.rate)):
                if other.measure.name == found.name and new is not None and old is not None:
                    raise ModelError(
                        asked, f"its {what} is already given: {shown(old)}",
                        "one condition is enough", "leave one of the two out",
                    )  # fmt: skip
        self._check_particles(asked, [found])
        made = Start(
            found,
            None if value is None else self.read_number(asked, "value", value),
            None if rate is None else self.read_number(asked, "rate", rate),
        )
        self._noted[f"start {len(self._starts)}"], self._reading = self._reading, []
        self._starts.append(made)

    # -- what `model.py` asks for --------------------------------------------------------------------------------------------

    def _watched(self, asked: str, x: Any) -> Expr:
        named = self.find_measure(x) if isinstance(x, str) else None
        return self.read_law(asked, self.read_coordinate(asked, x) if is_part(x) else named or x)

    def _met(self, asked: str, x: Any) -> Expr:
        if not isinstance(x, str) or self.find_measure(x) is not None:
            return self._watched(asked, x)
        if load_named(self, x) is not None:
            return Name.of_measure(x)
        names = parse(x, None, self._tables, asked).names
        refuse_other_loads(self, asked, names)
        return self.read_law(asked, x, tuple(name for name in names if load_named(self, name) is not None))

    def _dimension(self, name: str) -> Quantity:
        load = load_named(self, name)
        if load is not None:
            turns = load[1] == EFFORT and load[0].measure.unit.startswith("rad")
            return Quantity(parse_unit("N m" if turns else "N").dimension, NATURAL)
        parameter = self._parameters.get(name)
        dimension = known_dimension(parameter.unit) if parameter is not None and parameter.unit else None
        if dimension is not None:  # a label has none
            return Quantity(dimension)
        measure = None if parameter is not None else self.find_measure(name)
        return super()._dimension(name) if measure is None else of_measure(measure, self._dimension, {})

    def _gap(self, asked: str, name: str, x: Any) -> Measure:
        named = self.find_measure(x) if isinstance(x, str) else None
        made = named or self.read_measure(asked, x, name)
        if made.is_rate:
            raise ModelError(asked, f"{made!r}", "a rate measure has no value", "use a measure with a value")
        self._check_particles(asked, [made])
        self._check_moving(asked, [made])
        return made

    def _openable(self) -> list[str]:
        return [part.name for kind in ("joint", "driver", "force", "impact") for part in self.parts(kind)]

    def _changed(self, asked: str, part: Any, given: Any) -> Any:
        known = [one.name for kind in ("driver", "force", "impact") for one in self.parts(kind)]
        return changed(self, asked, self._own_name(asked, "force element, contact, stop or driver", part, known), given)

    def _lockable(self, asked: str, x: Any) -> str:
        name = self.read_coordinate(asked, x).name
        if self.find_measure(name) is None:
            why, do = (
                "what is held is a coordinate or a measure of this model",
                "name it first: m.measure('turned', ...)",
            )
            raise ModelError(asked, f"lock or unlock {shown(x)}", why, do)
        return name

    def _keep(self, part: Any, method: str, given: dict[str, Any]) -> Any:
        self._record(part.name, method, given)
        return self._add(part)

    @property
    def frictions(self) -> list[Any]:
        """Dry friction that sticks and slips; that of stops where they are closed."""
        at_work, closed = dict(self.situation.slips), self.situation.closed
        found = [rub.within(closed, self.situation.apart) for rub in self.rubs if rub.name in at_work]
        soft = [rub for rub in self.soft_rubs if rub.name in at_work]
        return [*(part for part in self.parts("force") if part.sticks), *found, *soft]

    def owner_of_rows(self, name: str) -> Any:
        """The part whose equations have this name: also the stop of a gap, and the friction of a gap that sticks."""
        rubs = (rub for rub in self.rubs if rub.name == name)
        return self._impacts.get(name) or next(rubs, None) or self[name]

    @property
    def rubs(self) -> list[Any]:
        """Friction of all gaps of rigid contacts and stops, whether they are closed or not."""
        return [rub for part in self.parts("force") for rub in part.rubs if not isinstance(rub, SoftRub)]

    @property
    def soft_rubs(self) -> list[Any]:
        """Friction of all gaps of compliant contacts, whether they touch or not."""
        return [rub for part in self.parts("force") for rub in part.rubs if isinstance(rub, SoftRub)]

    def varied(self, situation: Situation, parameters: Any = None) -> Mechanism:
        """The same mechanism in another situation, and with other values of parameters; parts are shared."""
        made = super().varied(situation)
        made._parts, made._parameters = {**self._parts, **dict(situation.laws)}, dict(self._parameters)
        for name, value in (parameters or {}).items():
            made.set_parameter(name, value)
        return made

    def _sliding(self, situation: Situation, moving: Iterable[tuple[Any, Any, float]]) -> Mechanism:
        """The same in a situation with friction, a way to slip and what presses, as elements with laws of its rates."""
        made = self.varied(situation)
        for one, way, size in moving:
            element = one.while_slipping(way, size)
            made._parts[element.name] = element
        return made

    def without_starts(self) -> Mechanism:
        """The same mechanism without initial conditions: it may be brought anywhere."""
        made = self.varied(self.situation)
        made._starts = []
        return made

    def __getattr__(self, name: str) -> Any:
        """Method of a joint or force element that was defined after this module was read; attached at its first use."""
        if name.startswith("_") or "_parts" not in self.__dict__:
            raise AttributeError(name)
        if registered(name) is not None:
            setattr(Mechanism, name, _adder(name))
            return getattr(self, name)
        own = "body particle parameter table measure state input drive start event impact open parts"
        known = sorted([*own.split(), *JOINTS, *FORCES])
        raise UnknownAttributeError(
            f"m.{name} of mechanism {self.name!r}", f"no such method: {nearest(name, known, limit=len(known))}",
            "parts are added by methods named after what they add", "use one of the names above",
        )  # fmt: skip


_KINDS = ("body", "joint", "force", "driver", "parameter", "measure", "state", "event", "impact")


def _kind(part: Any) -> str:
    if isinstance(part, Measure):
        return "state" if isinstance(part, Auxiliary) else "measure"
    return part.kind  # type: ignore[no-any-return]


@functools.cache
def _signature(cls: type) -> inspect.Signature:
    return inspect.signature(cls)


def _adder(tag: str) -> Any:
    """Method `m.<tag>(name, ...)` that builds the part, adds it under its name and returns it."""

    def add(self: Mechanism, *args: Any, **options: Any) -> Any:
        cls = registered(tag)
        assert cls is not None
        signature = _signature(cls)
        try:
            given = signature.bind(self, *args, **options)
        except TypeError as mismatch:
            asked = f"m.{tag}({', '.join(shown(x, 40) for x in args[:3])})"
            raise wrong_arguments(asked, f"m.{tag}", signature, str(mismatch), options) from None
        given.arguments["name"] = self._new_name(tag, given.arguments["name"])
        if several := cls.several(self, {key: x for key, x in given.arguments.items() if key != "model"}):
            return [add(self, **one) for one in several]
        part = cls(*given.args, **given.kwargs)
        held = part.rows() if isinstance(part, Joint) else [measure for measure, _ in part.elements()]
        held = [*held, *(stop.gap for stop in part.stops)]
        self._check_particles(part.asked, held)
        self._check_moving(part.asked, held)
        self._record(part.name, tag, {key: x for key, x in given.arguments.items() if key not in ("model", "name")})
        self._impacts.update({stop.name: stop for stop in part.stops})
        return self._add(part)

    cls = registered(tag)
    assert cls is not None
    add.__name__ = tag
    add.__qualname__ = f"Mechanism.{tag}"
    add.__doc__ = cls.__doc__
    parameters = list(inspect.signature(cls).parameters.values())[1:]
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    add.__signature__ = inspect.Signature([first, *parameters])  # type: ignore[attr-defined]
    return add


for _tag in (*JOINTS, *FORCES):
    setattr(Mechanism, _tag, _adder(_tag))
