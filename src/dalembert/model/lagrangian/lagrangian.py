"""Lagrangian: a system in generalized coordinates of the user's choice."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ...errors import DalembertError, MethodError, ModelError, checked_call, shown
from ..events import Impact, Situation
from ..expression import Expr, FunctionCall, Name, Number, as_expression, check_name
from ..expression.derivative import ZERO, derivative, plus
from ..model import copied
from ..reading import listed, read_flag, read_name
from .changed import changed, put
from .friction import CoordinateFriction, read_friction
from .parts import Field, Load, Particle, RigidBody
from .parts import loads as loads_of
from .reading import Reading, read_coordinates, read_mapping, rows_by_name
from .vectors import Rates, Vector, applied, rate_of, spin_of, turned


@dataclass(frozen=True)
class Start:
    """Initial value and rate of a coordinate; None where it is solved for."""

    value: float | None = None
    rate: float | None = None


@dataclass(frozen=True)
class Condition:
    """Initial condition on an expression: its value and its rate, or, where it contains rates, what it is itself."""

    expression: Expr
    value: float | None = None
    rate: float | None = None

    @property
    def name(self) -> str:
        """The expression as a text."""
        return str(self.expression)


class Lagrangian(Reading):
    """A system stated by energies, forces and constraints in coordinates of one's own choice.

    Parameters
    ----------
    q
        Names of the coordinates: "x theta", a list of names, or SymPy functions of time.
    kinetic, potential
        T(q, q', t) and V(q, t).  Rates are written rate(theta).  Particles and bodies add their own.
    dissipation
        Dissipation function D(q, q', t); its forces are -dD/dq'.
    forces
        Generalized forces that have no potential, by coordinate: {"theta": "tau"}; a Python function is called with the coordinate, its rate and t.
    holonomic
        Expressions of q and t that are zero, in a list or by name.
    nonholonomic
        Expressions of q, q' and t, linear in q', that are zero, in a list or by name.
    parameters
        Numbers by name.
    gravity
        Acceleration of gravity, two or three components, for particles and bodies.
    name
        A name for messages.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Lagrangian("theta", kinetic="m*l**2*rate(theta)**2/2", potential="-m*g*l*cos(theta)",
    ...                   parameters={"m": 1.0, "l": 0.5, "g": 9.81}, name="pendulum")
    >>> m.start("theta", 0.3)
    >>> run = da.simulate(m, until=2.0)
    """

    kind: ClassVar[str] = "lagrangian"
    bodies: ClassVar[tuple[Any, ...]] = ()
    drivers: ClassVar[tuple[Any, ...]] = ()
    joints: ClassVar[tuple[Any, ...]] = ()

    @checked_call
    def __init__(
        self,
        q: Any,
        kinetic: Any = 0,
        potential: Any = 0,
        dissipation: Any = 0,
        forces: Mapping[str, Any] | None = None,
        holonomic: Any = (),
        nonholonomic: Any = (),
        parameters: Mapping[str, float] | None = None,
        gravity: Any = None,
        name: str = "system",
    ) -> None:
        self.name = read_name("Lagrangian", name)
        self._identity = object()  # the same of copies as it was at some time
        self._asked = f"Lagrangian {self.name!r}"
        self.q: tuple[str, ...] = read_coordinates(self._asked, q)
        self._begin()
        self._frictions: dict[str, CoordinateFriction] = {}
        # of a system that is written with symbols: sizes of friction that are solved for, by name, and friction among the forces
        self.sizes: dict[str, CoordinateFriction] = {}
        self.rubbing: list[CoordinateFriction] = []
        # of a system in another situation (`varied`): all rows that there are
        self._every: tuple[dict[str, Expr], dict[str, Expr]] | None = None
        self._parameters: dict[str, float] = {}
        for key, value in read_mapping(self._asked, "parameters", parameters).items():
            self.parameter(key, value)
        self._rates = Rates(self.q)
        self._energies = {
            "kinetic": self._read("kinetic", kinetic),
            "potential": self._read("potential", potential),
            "dissipation": self._read("dissipation", dissipation),
        }
        self._no_rates("potential", self._energies["potential"])
        self._forces: dict[str, Expr] = {}
        for key, value in read_mapping(self._asked, "forces", forces).items():
            name = self._coordinate("forces", key)
            self._forces[name] = self._law(f"force on {name!r}", value, Name(name), rate_of(name))
        self.holonomic: dict[str, Expr] = {}
        self.nonholonomic: dict[str, Expr] = {}
        for key, value in rows_by_name(self._asked, "holonomic", holonomic, "row").items():
            self.constraint(key, value)
        for key, value in rows_by_name(self._asked, "nonholonomic", nonholonomic, "rate row").items():
            self.pfaffian(key, value)
        self.gravity: Vector = (ZERO, ZERO, ZERO) if gravity is None else self._vector("gravity", gravity)
        self._parts: dict[str, Particle] = {}
        self._loads: dict[str, Load] = {}
        self._fields: dict[str, Field] = {}
        self._starts: dict[str, Start] = {}
        self._conditions: dict[str, Condition] = {}
        self._states: dict[str, Expr] = {}
        self.guesses: dict[str, float] = {}

    # -- description ---------------------------------------------------------------------------------------------------

    @checked_call
    def parameter(self, name: str, value: float) -> Expr:
        """Named number; returns an expression.  A name that exists gets the new value."""
        asked = f"parameter {shown(name)} of {self._asked}"
        check_name(name, asked)
        if name == "t" or name in self.q:
            what = "time" if name == "t" else "a coordinate"
            raise ModelError(asked, repr(name), f"this is the name of {what}", "choose another name")
        felt = next((one.name for one in self.frictions if one.feels_speed), None) if name == "v" else None
        if felt is not None:
            why = f"in the sizes of friction {felt!r} v is the size of the rate"
            raise ModelError(asked, "'v'", why, "choose another name, or state it before the friction")
        number = as_expression(value, asked=asked)
        if not isinstance(number, Number):
            raise ModelError(asked, f"value = {shown(value)}", "a parameter is one finite number", "give a number")
        self._parameters[name] = number.value
        return Name(name)

    set_parameter = parameter

    def _table_name(self, name: Any) -> str:
        asked = f"table {shown(name)} of {self._asked}"
        check_name(name, asked)
        if name == "t" or name in self.q or name in self._parameters or name in self._tables:
            raise ModelError(asked, repr(name), "the name is taken", "choose another name")
        return asked

    @checked_call
    def constraint(self, name: str, expression: Any) -> None:
        """Holonomic row: an expression of coordinates and time that is zero."""
        made = self._read(f"constraint {shown(name)}", expression)
        self._no_rates(f"constraint {shown(name)}", made)
        self.holonomic[self._row_name(name)] = made

    @checked_call
    def pfaffian(self, name: str, expression: Any) -> None:
        """Nonholonomic row: an expression of coordinates, rates and time, linear in the rates, that is zero."""
        made = self._read(f"rate row {shown(name)}", expression)
        what = f"rate row {name!r} of {self._asked}"
        rates = [f"rate({x})" for x in self.q]
        slopes = [derivative(made, x) for x in rates]
        if all(slope == ZERO for slope in slopes):
            do = "write the rates it ties, as in rate(x) - r*rate(theta), or give it as holonomic"
            raise ModelError(what, f"{made} = 0", "it contains no rate of a coordinate", do)
        bad = next((s for s in slopes if set(rates) & s.names), None)
        if bad is not None:
            raise ModelError(
                what, f"{made} = 0, of which a derivative by a rate is {bad}", "it is not linear in the rates",
                "only rows A(q, t) q' = b(q, t) can be held; multiply out or state it as a force",
            )  # fmt: skip
        self.nonholonomic[self._row_name(name)] = made

    @checked_call
    def input(self, name: str, value: float = 0.0) -> Expr:
        """A number that is set from outside while the system moves, and held in between: a state without a rate.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Lagrangian("x", kinetic="rate(x)**2", forces={"x": "u"})
        >>> u = m.input("u")
        >>> run = da.simulate(m, until=2.0, control={"u": "20*(1 - x) - 5*rate(x)"}, sample=0.01)
        """
        return self.state(name, rate=0.0, start=value)

    @checked_call
    def state(self, name: str, rate: Any = None, start: float = 0.0) -> Expr:
        """Auxiliary state z' = rate: the integrator of a controller, a filter, an actuator with a lag; returns its name as an expression.

        It is a coordinate without energy and with the row rate(z) - f = 0, whose multiplier is zero: it does nothing to the others but
        by the forces that use it.

        Parameters
        ----------
        name
            Name of the state, as expressions write it.
        rate
            Expression of t, coordinates, other states and parameters; rates of coordinates may enter linearly.
        start
            Value at the start.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Lagrangian("x", kinetic="rate(x)**2", forces={"x": "20*(1 - x) + 10*z - 5*rate(x)"})
        >>> z = m.state("z", rate="1 - x")
        """
        what = f"state {shown(name)}"
        asked = f"{what} of {self._asked}"
        check_name(name, asked)
        if name == "t" or name in self.q or name in self._parameters:
            taken = "time" if name == "t" else "a coordinate" if name in self.q else "a parameter"
            raise ModelError(asked, repr(name), f"this is the name of {taken}", "choose another name")
        if rate is None:
            raise ModelError(asked, "rate is missing", "a state moves by its rate", f"give rate='1 - {name}'")
        value = self._number(f"start of {name!r}", start)
        before = self.q
        try:
            self.q, self._rates = (*before, name), Rates((*before, name))
            made = self._read(f"rate of {what}", rate)
            rates = [f"rate({x})" for x in self.q]
            if any(set(rates) & derivative(made, x).names for x in rates):
                raise ModelError(
                    asked, f"rate = {shown(str(made))}", "it is not linear in the rates of coordinates",
                    "use them linearly, or a Mechanism, where rates of states may be any expression",
                )  # fmt: skip
            self.pfaffian(f"rate of {name}", rate_of(name) - made)
            self._starts[name], self._states[name] = Start(value, None), made
        except DalembertError:
            self.q, self._rates = before, Rates(before)
            raise
        return Name(name)

    @checked_call
    def particle(self, name: str, mass: Any, at: Any) -> Particle:
        """Point mass at a position that is given by expressions of coordinates and time."""
        what = f"particle {shown(name)}"
        position = self._position(what, at)
        part = Particle(
            self._part_name(name), self._read(f"{what}: mass", mass), position, self._rates.vector(position)
        )
        self._parts[part.name] = part
        self._record(part.name, "particle", {"mass": mass, "at": at})
        return part

    @checked_call
    def body(
        self, name: str, mass: Any, inertia: Any, at: Any, angle: Any = None, turns: Any = None, rotation: Any = None
    ) -> RigidBody:
        """Body with its mass centre at a position, turned by one of `angle`, `turns`, `rotation`.

        Parameters
        ----------
        name, mass
            Name and mass.
        inertia
            About the mass centre, in body axes: one number (about z, in the plane), three principal moments, or a 3 x 3 matrix.
        at
            Position of the mass centre: two or three expressions of coordinates and time.
        angle
            Angle about z.
        turns
            Turns about body axes, one after the other: [("z", "psi"), ("x", "theta"), ("z", "phi")].
        rotation
            Rotation matrix, 3 x 3 expressions; its columns are the body axes in space.
        """
        what = f"body {shown(name)}"
        if sum(x is not None for x in (angle, turns, rotation)) != 1:
            found = [n for n, x in (("angle", angle), ("turns", turns), ("rotation", rotation)) if x is not None]
            raise ModelError(
                f"{what} of {self._asked}", f"given: {', '.join(found) or 'none of them'}",
                "the orientation is given in one way", "give one of angle=, turns=, rotation=",
            )  # fmt: skip
        if rotation is not None:
            matrix = self._matrix(f"{what}: rotation", rotation)
            spin = spin_of(matrix, self._rates)
        else:
            matrix, spin = turned(self._turns(what, [("z", angle)] if turns is None else turns), self._rates)
        position = self._position(what, at)
        part = RigidBody(
            self._part_name(name), self._read(f"{what}: mass", mass), position, self._rates.vector(position),
            self._inertia(what, inertia), matrix, spin, rotation is not None,
        )  # fmt: skip
        self._parts[part.name] = part
        turned_by = {"angle": angle, "turns": turns, "rotation": rotation}
        self._record(part.name, "body", {"mass": mass, "inertia": inertia, "at": at, **turned_by})
        return part

    def add(self, part: Particle) -> Particle:
        """Add a particle or body whose expressions of coordinates, rates and time are made already."""
        if not isinstance(part, Particle):
            found = f"part = {shown(part)}"
            raise ModelError(self._asked, found, "a particle or body is needed", "use particle(...) or body(...)")
        self._part_name(part.name)
        self._parts[part.name] = part
        return part

    @checked_call
    def force(self, name: str, on: Any, vector: Any, at: Any = None, local: bool = False) -> None:
        """Force at the mass centre of a part, at a point `at` of a body (body axes), or at any point given by expressions.

        Parameters
        ----------
        name
            Name of the force.
        on
            A part or its name, or the position of a point: expressions of coordinates and time.
        vector
            Components in space axes; with `local`, in the axes of the body.  A component may be a Python function of t, as for `couple`.
        at
            Point of the body, in body axes from the mass centre.
        local
            Whether the components turn with the body.
        """
        what = f"force {shown(name)}"
        local = read_flag(what, "local", local)
        found = self._vector(what, vector, laws=True)
        part = self._part(what, on) if isinstance(on, str | Particle) else None
        position = part.position if part is not None else self._position(what, on)
        if (at is not None or local) and not isinstance(part, RigidBody):
            raise ModelError(
                f"{what} of {self._asked}", f"at = {shown(at)}, local = {local}", "this needs a body, which has axes",
                "name a body, or give the position of the point itself",
            )  # fmt: skip
        if isinstance(part, RigidBody):
            if at is not None:
                arm = applied(part.rotation, self._vector(what, at))
                position = plus(position[0], arm[0]), plus(position[1], arm[1]), plus(position[2], arm[2])
            if local:
                found = applied(part.rotation, found)
        self._loads[self._part_name(name)] = Load(name, part.name if part is not None else "", found, position, None)
        where = part.name if part is not None else on
        self._record(name, "force", {"on": where, "vector": vector, "at": at, "local": local or None})

    @checked_call
    def actuator(self, name: str, on: Any, force: Any) -> None:
        """Force along a coordinate, or along an expression of coordinates and t, which it drives *upwards* when positive.

        Parameters
        ----------
        name
            Name of the load.
        on
            A coordinate or an expression s; the generalized forces are force ds/dq, its power is force ds/dt.
        force
            A number, an expression of `s`, `v` (= ds/dt), t, coordinates, rates and parameters, or a Python function (s, v, t), which runs on the slow path.
            Where s or v is a coordinate or a parameter, it is that in an expression.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2", name="particle on a cord")
        >>> m.actuator("cord", "hypot(x, y)", force=lambda s, v, t: -50 * (s - 1) - 0.2 * v)
        """
        what = f"actuator {shown(name)}"
        along = self._gap(what, name, on)
        rate = _rate_along(along, self.q)
        found = self._law(what, force, along, rate)
        own = {key: x for key, x in (("s", along), ("v", rate)) if key not in {*self.q, *self._parameters}}
        found = found if isinstance(found, FunctionCall) else found.substitute(own)
        self._loads[self._part_name(name)] = Load(name, "", (found, ZERO, ZERO), (along, ZERO, ZERO), None, along=True)
        self._record(name, "actuator", {"on": on, "force": force})

    @checked_call
    def couple(self, name: str, on: Any, vector: Any, local: bool = False) -> None:
        """Couple on a body: one number about z, or three components in space axes (`local`: body axes)."""
        what = f"couple {shown(name)}"
        local = read_flag(what, "local", local)
        part = self._part(what, on)
        if not isinstance(part, RigidBody):
            raise ModelError(
                f"{what} of {self._asked}", f"on {part.name!r}", "a particle cannot be turned", "name a body"
            )
        found = self._vector(what, vector if listed(vector) is not None else (0, 0, vector), laws=True)
        spin = part.spin if local else applied(part.rotation, part.spin)
        self._loads[self._part_name(name)] = Load(name, part.name, found, None, spin)
        self._record(name, "couple", {"on": part.name, "vector": vector, "local": local or None})

    @checked_call
    def field(self, name: str, vector: Any, on: Any = None, moment: Any = None) -> None:
        """Force per unit mass on all parts, or on those named, as an expression of place and time.

        Parameters
        ----------
        name
            Name of the field.
        vector
            Components [N/kg]: expressions of the place `x`, `y`, `z`, its velocity `vx`, `vy`, `vz`, of t, coordinates and parameters; the names of
            the place come before coordinates that are called so.  Over bodies they are linear in place and velocity; any over particles.
        on
            A part or parts, by object or name; default: all, also those that are added later.
        moment
            Couple per unit mass on bodies [N m/kg]: one number about z, or three components.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Lagrangian("u w", name="particle in a tide")
        >>> ball = m.particle("ball", mass=2.0, at=("u", "w"))
        >>> m.field("tide", ("3*x", "-x*y"))
        """
        what = f"field {shown(name)}"
        found = self._vector(what, vector)
        couple: Vector = (ZERO, ZERO, ZERO)
        if moment is not None:
            couple = self._vector(what, moment if listed(moment) is not None else (0, 0, moment))
        parts = None
        if on is not None:
            given = on if isinstance(on, tuple | list) else [on]
            parts = tuple(self._part(what, item).name for item in given)
        made = Field(self._part_name(name), found, couple, parts)
        for part in self._parts.values() if parts is None else (self._parts[p] for p in parts):
            loads_of(f"{what} of {self._asked}", made, part)
        self._fields[made.name] = made
        self._record(
            made.name, "field", {"vector": vector, "on": None if parts is None else list(parts), "moment": moment}
        )

    @checked_call
    def friction(
        self, name: str, what: Any, *, force: Any = None, static_force: Any = None, mu: Any = None, static: Any = None, normal: Any = None,
    ) -> CoordinateFriction:  # fmt: skip
        """Dry friction that truly sticks: the rate of `what` is exactly 0 until more than the static size pulls.

        Parameters
        ----------
        name
            Name of the friction.
        what
            What slips: a coordinate, or an expression of coordinates and t ("x - 0.2*t" on a belt).  The generalized forces are -force sign(ds/dt) ds/dq.
        force
            Size while it slips, 0 or more: a number, or an expression of coordinates, rates, t, parameters and v, the size of the rate ds/dt.
        static_force
            What holds it at most while it sticks; default: `force`.
        mu, static
            Coefficients in the place of the two forces, numbers or such expressions: the size is mu N.
        normal
            What presses, N: the name of a row, or of a stop (`m.impact`), whose multiplier it is; an expression linear in the names of rows ("2*R*rail", where the multiplier of x**2 + y**2 - R**2 is no
            force); or a list of up to three, whose vector has the length N.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Lagrangian("x", kinetic="rate(x)**2/2", name="block")
        >>> rub = m.friction("rub", "x", force=4.0)
        >>> m.start("x", 0.0, rate=2.0)
        >>> print(da.simulate(m, until=1.0).events)
        t = 0.5 s  rub: sticks
        """
        name = self._new_name("friction", name)
        sizes = {"force": force, "static_force": static_force, "mu": mu, "static": static, "normal": normal}
        made = read_friction(self, name, what, _rate_along, sizes)
        given = {"what": what, **sizes}
        self._frictions[name] = self._keep(made, "friction", given)
        return made

    @checked_call
    def start(self, coordinate: Any, value: float | None = None, rate: float | None = None) -> None:
        """Initial value and rate of a coordinate or an expression of coordinates; those not given are zero, or solved for.

        An expression that contains rates, linear in them, is itself what `rate` is given of (PLANAR 6.3.26-27).

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2")
        >>> m.start("x + 2*y", 1.0)
        >>> m.start("y*rate(x) - x*rate(y)", rate=3.0)
        """
        given = self._read("start", coordinate)
        made = self._coordinate("start", given) if isinstance(given, Name) else ""
        name = made or str(given)
        asked = f"start of {name!r} of {self._asked}"
        if value is None and rate is None:
            raise ModelError(asked, "neither value nor rate", "a condition needs one", "give one of them")
        numbers = [None if x is None else self._number(f"start of {name!r}", x) for x in (value, rate)]
        if not made:
            self._conditions[str(given)] = self._condition(asked, given, *numbers)
            return
        old = self._starts.get(name, Start())
        self._starts[name] = Start(
            old.value if numbers[0] is None else numbers[0], old.rate if numbers[1] is None else numbers[1]
        )

    def _condition(self, asked: str, given: Expr, value: float | None, rate: float | None) -> Condition:
        rates = {f"rate({x})" for x in self.q}
        if not given.names & {*self.q, *rates}:
            raise ModelError(asked, "no coordinate", "a condition is about coordinates or their rates", f"known: {', '.join(self.q)}")  # fmt: skip
        if value is not None and given.names & rates:
            why = "an expression of rates is a condition on velocities"
            raise ModelError(asked, f"value = {value:g}", why, "give rate=... instead")
        bad = next((s for s in (derivative(given, x) for x in sorted(rates & given.names)) if s.names & rates), None)
        if bad is not None:
            why = "it is not linear in the rates"
            raise ModelError(asked, f"a derivative by a rate is {bad}", why, "give linear conditions on rates, as many as needed")  # fmt: skip
        old = self._conditions.get(str(given), Condition(given))
        return Condition(given, old.value if value is None else value, old.rate if rate is None else rate)

    @checked_call
    def guess(self, coordinate: str, value: float) -> None:
        """Where to look for a coordinate that the constraints determine: it decides which branch is found."""
        name = self._coordinate("guess", coordinate)
        self.guesses[name] = self._number(f"guess of {name!r}", value)

    # -- what there is -------------------------------------------------------------------------------------------------

    parameters: dict[str, float] = copied("_parameters", "Values of the parameters, by name.")
    starts: dict[str, Start] = copied("_starts", "Initial conditions by coordinate.")
    states: dict[str, Expr] = copied(
        "_states", "Rates of the auxiliary states, by name; they are coordinates too, with the row `rate of` each."
    )
    parts: dict[str, Particle] = copied("_parts", "Particles and bodies by name.")
    fields: dict[str, Field] = copied("_fields", "Fields by name.")
    given_energies: dict[str, Expr] = copied(
        "_energies", "Kinetic and potential energy and dissipation as given, without those of parts."
    )
    own_forces: dict[str, Expr] = copied(
        "_forces", "Generalized forces as given by coordinate, without those of loads."
    )

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Initial conditions on expressions."""
        return tuple(self._conditions.values())

    @property
    def state_names(self) -> list[str]:
        """Names of the auxiliary states."""
        return list(self._states)

    @property
    def leads(self) -> list[Expr]:
        """Expressions that the motion follows: rows and gaps."""
        return [*self.holonomic.values(), *self.nonholonomic.values(), *(stop.gap for stop in self.impacts.values())]

    @property
    def many(self) -> tuple[int, str]:
        """How large it is: a number, and what it counts."""
        return len(self.q), "coordinates"

    def _check_state(self, asked: str, state: Any) -> None:
        """Refuse a state that does not fit."""
        state.check_sizes(asked, len(self.q), len(self.q), f": {', '.join(self.q)}")

    def read_law(self, asked: str, x: Any) -> Expr:
        """Expression of coordinates, their rates, parameters and t."""
        names = {*self.parameters, "t", *self.q, *(f"rate({name})" for name in self.q)}
        return as_expression(x, names, tables=self.tables, asked=asked)

    @property
    def loads(self) -> dict[str, Load]:
        """Forces and couples at points and bodies, by name; those of fields by part."""
        found = dict(self._loads)
        for field in self._fields.values():
            for name in self._parts if field.on is None else field.on:
                found.update(loads_of(f"field {field.name!r} of {self._asked}", field, self._parts[name]))
        return found

    @property
    def coordinates(self) -> tuple[Expr, ...]:
        """Coordinates as expressions."""
        return tuple(Name(name) for name in self.q)

    @property
    def rates(self) -> tuple[Expr, ...]:
        """Rates of the coordinates as expressions."""
        return tuple(rate_of(name) for name in self.q)

    @property
    def kinetic(self) -> Expr:
        """Kinetic energy T(q, q', t), parts included."""
        total = self._energies["kinetic"]
        for part in self._parts.values():
            total = plus(total, part.kinetic)
        return total

    @property
    def potential(self) -> Expr:
        """Potential energy V(q, t), gravity of the parts included."""
        total = self._energies["potential"]
        if any(g != ZERO for g in self.gravity):
            for part in self._parts.values():
                total = plus(total, part.potential(self.gravity))
        return total

    @property
    def dissipation(self) -> Expr:
        """Dissipation function D(q, q', t)."""
        return self._energies["dissipation"]

    @property
    def every_row(self) -> tuple[dict[str, Expr], dict[str, Expr]]:
        """Rows on positions and on rates, released ones too."""
        return self._every or (self.holonomic, self.nonholonomic)

    @property
    def frictions(self) -> list[CoordinateFriction]:
        """Dry friction; that of stops where they are closed."""
        at_work = dict(self.situation.slips)
        return [one for one in self._frictions.values() if one.stop is None or one.name in at_work]

    @property
    def rubs(self) -> list[CoordinateFriction]:
        """Friction of all stops, whether they are closed or not."""
        return [one for one in self._frictions.values() if one.stop is not None]

    def without_friction(self) -> Lagrangian:
        """The same system without dry friction."""
        bare = self.as_it_is()
        bare._frictions = {}
        return bare

    def beginning(self) -> Lagrangian:
        """The same with all friction slipping up, for who decides what it does; that of stops is not there yet."""
        slips = tuple((one.name, 1) for one in self._frictions.values() if one.stop is None)
        return self.varied(replace(self.situation, slips=slips)) if slips else self

    def _sliding(self, situation: Situation, moving: Iterable[tuple[Any, Any, float]]) -> Lagrangian:
        """The same in a situation with friction, a way to slip and what presses: its size stands among the parameters."""
        moving = list(moving)
        sizes = {one.size_name: one.kinetic(self.value) * size for one, _, size in moving}
        return self.varied(replace(situation, slips=tuple((one.name, way) for one, way, _ in moving)), sizes)

    @property
    def forces(self) -> dict[str, Expr]:
        """Generalized forces without potential by coordinate, loads on parts and friction that slips included, dissipation not."""
        found, ways, held = dict(self._forces), dict(self.situation.slips), {lock[0] for lock in self.situation.locked}
        for one in self.frictions:
            if one.name not in ways and (one.name in held or set(one.pressed_by) & self.situation.absent):
                continue  # it is a row, or nothing presses
            if one.name not in ways:
                raise MethodError(
                    f"forces of {self._asked}", f"friction {one.name!r}", "whether it sticks, or which way it slips, is known on the way of a motion only",
                    "use simulate, instant, reactions, linearize or equilibrium, which decide it; for all else leave it out, or give a smooth force instead: forces={'x': '-F*rate(x)/sqrt(rate(x)**2 + 1e-6)'}",
                )  # fmt: skip
            for name, force in one.against(ways[one.name]).items() if ways[one.name] else ():
                found[name] = plus(found.get(name, ZERO), force)
        for load in self.loads.values():
            for name, force in load.generalized(self.q).items():
                found[name] = plus(found.get(name, ZERO), force)
        return {name: found[name] for name in self.q if name in found}

    def __repr__(self) -> str:
        rows = len(self.holonomic) + len(self.nonholonomic)
        return f"<Lagrangian {self.name!r}: coordinates {', '.join(self.q)}" + (
            f"; {rows} constraints>" if rows else ">"
        )

    def as_it_is(self) -> Lagrangian:
        """A system with the same parts, which later additions to this one do not change."""
        twin = copy.copy(self)
        twin.__dict__.update({key: dict(x) for key, x in vars(self).items() if isinstance(x, dict)})
        return twin

    def is_of(self, other: Any) -> bool:
        """Whether this is the other system, or what it was when something was computed from it."""
        return isinstance(other, Lagrangian) and self._identity is other._identity

    # -- what `model/model.py` asks for ------------------------------------------------------------------------------------

    def value(self, x: Any) -> float:
        """Number behind a number or an expression of parameters."""
        return self._number("value", x)

    def _new_name(self, what: str, name: Any) -> str:
        text = read_name(self._asked, name)
        taken = {**self.holonomic, **self.nonholonomic, **self._events, **self._impacts, **self._parts, **self._loads}
        taken |= self._frictions
        if text in taken or text in self.q or text in self._parameters:
            why = "names are unique"
            raise ModelError(f"{what} {text!r} of {self._asked}", "the name is taken", why, "choose another")
        return text

    def _watched(self, asked: str, x: Any) -> Expr:
        return self._read(asked, x)

    def _gap(self, asked: str, name: str, x: Any) -> Expr:
        made = self._read(asked, x)
        self._no_rates(asked, made)
        if all(derivative(made, q) == ZERO for q in self.q):
            why = "it contains no coordinate: no motion opens or closes it, and nothing slips along it"
            raise ModelError(f"{asked} of {self._asked}", shown(str(made)), why, f"give {self.q[0]!r}, say")
        return made

    def _openable(self) -> list[str]:
        return [*self.holonomic, *(row for row in self.nonholonomic if row[8:] not in self._states), *self._impacts]

    def _lockable(self, asked: str, x: Any) -> str:
        return self._coordinate(asked, x)

    def _changed(self, asked: str, part: Any, given: Any) -> Any:
        return changed(self, asked, part, given)

    def _keep(self, part: Any, method: str, given: dict[str, Any]) -> Any:
        self._record(part.name, method, given)
        return part

    def varied(self, situation: Situation, parameters: Mapping[str, float] | None = None) -> Lagrangian:
        """The same system in another situation: rows that are open are left out, gaps that are closed and coordinates that are locked are rows."""
        made = super().varied(situation)
        if situation.laws:
            put(made, dict(situation.laws))
        made._parameters = {**self._parameters, **(parameters or {})}
        for one in made._frictions.values():
            size = made._parameters.pop(one.size_name, 0.0)
            if one.is_sized(dict(situation.slips).get(one.name)):
                made._parameters[one.size_name] = size
        made._every = holonomic, others = self.every_row
        made.holonomic = {name: row for name, row in holonomic.items() if name not in situation.absent}
        made.nonholonomic = {name: row for name, row in others.items() if name not in situation.absent}
        for name in sorted(situation.closed):
            impact: Impact = self._impacts[name]
            made.holonomic[name] = impact.gap
            for k, slip in enumerate(impact.rough):
                made.nonholonomic[f"{name}.slip{k + 1 if k else ''}"] = _rate_along(slip, self.q)
        for name in situation.stuck:
            made.nonholonomic[name] = made._frictions[name].rate
        for name, coordinate, value in situation.locked:
            made.holonomic[name] = (Name(coordinate) if isinstance(coordinate, str) else coordinate) - value
        return made


def _rate_along(expression: Expr, q: Iterable[str]) -> Expr:
    total = derivative(expression, "t")
    for name in q:
        total = plus(total, derivative(expression, name) * rate_of(name))
    return total
