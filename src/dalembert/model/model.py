"""What both kinds of models share: tables, events and stops, how their parts were asked for."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from ..errors import ExpressionError, ModelError, checked_call, nearest, shown
from ..paths import read_path
from .dimensions import GUESSED, NATURAL, TIME, DimensionError, Judge, Quantity
from .events import CHANGES, DIRECTIONS, NEWTON, Changes, Event, Impact, Situation, read_restitution
from .expression import Expr, Spline, spline
from .measure import Measure
from .output_units import Shown
from .reading import kept, listed, read_choice, read_flag
from .shapes.reading import is_plain
from .table_file import read_columns


def copied(field: str, doc: str) -> Any:
    """Property with a copy of a table of a model, which changes nothing of the model."""
    return property(lambda model: dict(getattr(model, field)), doc=doc)


class Model(Shown):
    """Base of `Mechanism` and `Lagrangian`."""

    _situation: Situation
    _events: dict[str, Event]
    _impacts: dict[str, Impact]
    _tables: dict[str, Spline]
    # how each part was asked for: the method and its arguments, for files
    _given: dict[str, tuple[str, dict[str, Any]]]

    tables: dict[str, Spline] = copied("_tables", "Tables by name.")
    events: dict[str, Event] = copied("_events", "Events by name.")
    impacts: dict[str, Impact] = copied("_impacts", "Rigid stops by name, those of contacts and cams among them.")

    def _begin(self) -> None:
        self._situation, self._events, self._impacts, self._tables, self._given = Situation(), {}, {}, {}, {}

    # what the two kinds of models read in their own ways
    def _table_name(self, name: Any) -> str:
        """What messages call a table, if its name is free."""
        raise NotImplementedError

    def _new_name(self, what: str, name: Any) -> str:
        raise NotImplementedError

    def _watched(self, asked: str, x: Any) -> Expr:
        raise NotImplementedError

    def _met(self, asked: str, x: Any) -> Expr:
        """What an event is about: what may be watched, and loads of parts besides."""
        return self._watched(asked, x)

    def _dimension(self, name: str) -> Quantity:
        """Dimension of a name in an expression, as far as it is known."""
        return Quantity(TIME, NATURAL) if name == "t" else Quantity(None, GUESSED, frozenset({name}))

    def _gap(self, asked: str, name: str, x: Any) -> Any:
        raise NotImplementedError

    def _openable(self) -> list[str]:
        raise NotImplementedError

    def _lockable(self, asked: str, x: Any) -> str:
        raise NotImplementedError

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters, by name."""
        raise NotImplementedError

    def _keep(self, part: Any, method: str, given: dict[str, Any]) -> Any:
        raise NotImplementedError

    @property
    def origin(self) -> Any:
        """The model that the parts were added to: of one in another situation (`varied`) the first."""
        return self.__dict__.get("_origin", self)

    @property
    def situation(self) -> Situation:
        """Which conditions are at work at the start."""
        return self._situation

    def given(self, name: str) -> tuple[str, dict[str, Any]] | None:
        """Method that added a part and the arguments that it was given; None for what no such method added."""
        return self._given.get(name) if isinstance(name, str) else None

    def _record(self, name: str, method: str, arguments: dict[str, Any]) -> None:
        self._given[name] = method, {key: kept(x) for key, x in arguments.items() if x is not None}

    @checked_call
    def table(
        self, name: Any = None, x: Any = None, y: Any = None, rate: Any = None, periodic: bool = False, *, file: Any = None, columns: Any = None,
    ) -> Spline:  # fmt: skip
        r"""Table as a smooth curve, for laws, drivers and constraints: called by name in texts that are given after it, and like a function in Python.

        Parameters
        ----------
        name
            Name by which texts call it: "cam(O.angle)", its derivatives "cam'(O.angle)".  Default: the name of the file.
        x, y
            Points, x increasing.
        rate
            Slopes (first, last), in SI units; default: no curvature at the ends.
        periodic
            Whether it repeats itself, as a cam does: the last value equals the first, one period later.
        file
            A text file (CSV) in the place of x and y: columns apart by ";", "," or tabs, names and units in the first line, as "t [s];T [N mm]".
            Decimal commas are read where columns are not apart by commas.  Numbers are converted to SI units; without a unit they are in SI units.
        columns
            The two columns of a file that has more, by their names or their numbers from 1: `columns=("t", "T")`.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("cam", plane=True)
        >>> wheel = m.body("wheel", da.disk(0.1, mass=1.0))
        >>> follower = m.body("follower", mass=0.2, inertia=1e-3, at=(0, 0.2))
        >>> O = m.revolute("O", m.ground, wheel, at=(0, 0))
        >>> guide = m.prismatic("guide", m.ground, follower, along=(0, 1))
        >>> cam = m.table("cam", [0, 2, 4, 6.283185307179586], [0, 0.02, 0.01, 0], periodic=True)
        >>> contact = m.constraint("contact", guide.slide - cam(O.angle))

        >>> import tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp(), "lift.csv")
        >>> _ = file.write_text("phi [deg];s [mm]\n0;0\n90;12,5\n180;0\n")
        >>> round(m.table(file=file).value(1.5707963267948966), 12)
        0.0125

        >>> m = da.Lagrangian("theta", kinetic="rate(theta)**2/2", name="wheel")
        >>> torque = m.table("torque", [0, 1, 2], [5.0, 3.0, 0.0])
        >>> m.constraint("slope", "theta - torque(t)")
        """
        given = [key for key, item in (("x", x), ("y", y), ("file", file), ("columns", columns)) if item is not None]
        if given not in (["x", "y"], ["file"], ["file", "columns"]):
            why = "a table has points x and y, or a file, with columns where it has more than two"
            do = "give x and y, or file='torque.csv'"
            raise ModelError(f"table {shown(name)}", f"given: {', '.join(given) or 'nothing'}", why, do)
        if name is None and file is not None:
            name = read_path("m.table", file, "torque.csv").stem
            if not name.isidentifier():
                why, do = "texts call tables by name", "give a name: m.table('torque', file=...)"
                raise ModelError(f"table of file {shown(file)}", f"the name {name!r}", why, do)
        asked = self._table_name(name)
        if file is not None:
            x, y = (column.numbers for column in read_columns(asked, file, columns))
            asked = f"{asked}: file {shown(str(file))}"
        try:
            self._tables[name] = spline(x, y, rate, name, periodic)
        except ExpressionError as error:
            raise ModelError(asked, error.found, error.why, error.do) from None
        return self._tables[name]

    @property
    def rubs(self) -> list[Any]:
        """Friction of all gaps of rigid contacts and stops, whether they are closed or not."""
        return []

    @property
    def soft_rubs(self) -> list[Any]:
        """Friction of all gaps of compliant contacts, whether they touch or not: of mechanisms."""
        return []

    @property
    def stops_at_work(self) -> dict[str, Impact]:
        """Rigid stops that are not released."""
        absent = self.situation.absent
        return {name: stop for name, stop in self._impacts.items() if name not in absent and stop.part not in absent}

    @checked_call
    def event(
        self, name: str, what: Any, *, level: Any = 0.0, direction: str = "both", stop: bool = False, set: Any = None,  # noqa: A002
        change: Any = None, release: Any = None, add: Any = None, lock: Any = None, unlock: Any = None, strike: Any = None, couple: Any = None,
        restitution: Any = None, action: Any = None, once: bool = False,
    ) -> Event:  # fmt: skip
        """Watch an expression during a simulation; what happens where it crosses a level is located to the last digits.

        Without anything to do, an event is recorded: `run.events` lists it.

        Parameters
        ----------
        name
            Name of the event.
        what
            A measure, or an expression of measures, rates, states, parameters and t, and of forces ("A.force", "A.force_x", "motor.effort"); of a Lagrangian system of
            coordinates, rates, t, and multipliers by the names of rows.
        level
            The level that is crossed, a number or an expression.
        direction
            "up", "down" or "both".
        stop
            End the run there.
        set
            Parameters with new values, {"k": 200}; expressions have the values of that instant: {"t0": "t", "x0": "ball.x"}.
        change
            Force elements, friction, contacts and stops with another law: arguments by name, {"spring": {"stiffness": 400}}, {"floor": {"mu": 0.1}}; for a driver its
            expression, in which s0 and t0 are its place and the time at that instant: {"motor": "s0 + 3*(t - t0)"}.  Of a Lagrangian system its loads, fields, friction
            and stops, and the force on a coordinate, "potential" and "dissipation" as expressions: {"x": "-400*x"}.
        release, add
            Joints, drivers and force elements (of a Lagrangian system rows) to be released; those to be put in place, which were released before, or are
            open from the start (`m.open`).
        lock, unlock
            Joints with one coordinate, or coordinates, to be held where they are; those to be let go.
        strike, couple, restitution
            A blow, with the arguments of `da.strike`.
        action
            A Python function that is given what happens (its time, state, values by name), and returns further changes by the names
            above, {"stop": True}, or None.
        once
            It happens once only.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("ball", gravity=(0, -9.81))
        >>> ball = m.particle("ball", mass=1.0, at=(0, 1.0))
        >>> event = m.event("hit", "ball.y", direction="down", stop=True)
        >>> run = da.simulate(m, until=2.0)
        >>> round(run.events[0].t, 12)  # sqrt(2/9.81)
        0.451523640986
        """
        name = self._new_name("event", name)
        asked = f"event {name!r}"
        watched = self._met(asked, what)
        if not (is_plain(level) and level == 0.0):
            watched = watched - self._met(asked, level)
        try:
            Judge(self._dimension).of(watched)
        except DimensionError as error:
            do = "give the level in the unit of what is watched"
            raise ModelError(asked, str(watched), str(error), do) from None
        if not watched.names - {*self.parameters}:
            why = "it does not move with the machine or with time, and never crosses anything"
            raise ModelError(asked, f"what = {shown(str(watched))}", why, "watch a measure, a rate, a state or t")
        read_choice(asked, "direction", direction, DIRECTIONS, "give direction='up', 'down' or 'both'")
        if action is not None and not callable(action):
            why = "an action is a Python function of what happens"
            raise ModelError(asked, f"action = {shown(action)}", why, "give a function, or leave it out")
        given = {
            "stop": stop, "set": set, "change": change, "release": release, "add": add, "lock": lock, "unlock": unlock, "strike": strike, "couple": couple,
            "restitution": restitution,
        }  # fmt: skip
        changes = self.read_changes(asked, {key: x for key, x in given.items() if x is not None})
        made = Event(name, watched, DIRECTIONS[direction], changes, read_flag(asked, "once", once), action)
        listing = {key: x for key, x in given.items() if x is not None and x is not False}
        listing |= {} if is_plain(level) and level == 0.0 else {"level": level}
        listing |= {} if direction == "both" else {"direction": direction}
        listing |= ({"action": action} if action is not None else {}) | ({"once": True} if once else {})
        self._events[name] = self._keep(made, "event", {"what": what, **listing})
        return made

    def read_changes(self, asked: str, given: Mapping[str, Any]) -> Changes:
        """Changes by their names, checked; what an action returns is read by it too."""
        unknown = next((key for key in given if key not in CHANGES), None)
        if unknown is not None:
            raise ModelError(asked, f"a change called {shown(unknown)}", nearest(unknown, CHANGES), "use one of these")
        found: dict[str, Any] = {key: given.get(key) for key in ("strike", "couple", "restitution")}
        found["stop"] = read_flag(asked, "stop", given.get("stop", False))
        values, laws = ({} if given.get(key) is None else given[key] for key in ("set", "change"))
        if not isinstance(values, Mapping):
            raise ModelError(asked, f"set = {shown(values)}", "parameters get values by name", "give set={'k': 200}")
        found["set"] = {
            self._own_name(asked, "parameter", key, list(self.parameters)): self._watched(asked, x)
            for key, x in values.items()
        }
        if not isinstance(laws, Mapping):
            why = "laws of force elements and drivers change by name"
            raise ModelError(asked, f"change = {shown(laws)}", why, "give change={'spring': {'stiffness': 400}}")
        found["change"] = {getattr(key, "name", key): self._changed(asked, key, x) for key, x in laws.items()}
        for key in ("release", "add"):
            found[key] = tuple(self._own_name(asked, "part", x, self._openable()) for x in _several(given.get(key)))
        for key in ("lock", "unlock"):
            found[key] = tuple(self._lockable(asked, x) for x in _several(given.get(key)))
        for one, other in (("release", "add"), ("release", "change"), ("lock", "unlock")):
            if both := [name for name in found[one] if name in found[other]]:
                why = "one event would do both at one instant, and the order would decide"
                raise ModelError(asked, f"{one} and {other} of {both[0]!r}", why, "leave one out, or give two events")
        return Changes(**found)

    def _changed(self, asked: str, part: Any, given: Any) -> Any:
        raise NotImplementedError

    @staticmethod
    def _own_name(asked: str, what: str, x: Any, known: list[str]) -> str:
        name = getattr(x, "name", x)
        if not isinstance(name, str) or name not in known:
            do = "use one of these" if known else "add it to the model first"
            raise ModelError(asked, f"{what} {shown(name)}", nearest(name, known), do)
        return name

    @checked_call
    def open(self, *joints: Any) -> None:
        """Parts that are not at work at the start: joints, drivers, force elements, rows; an event may add them, `m.event(..., add="clutch")`."""
        names = [self._own_name(f"open({shown(x)})", "part", x, self._openable()) for x in joints]
        self._situation = replace(self._situation, absent=self._situation.absent | set(names))

    @checked_call
    def impact(
        self, name: str, gap: Any, *, restitution: Any = 0.0, hypothesis: str = NEWTON, rough: Any = None
    ) -> Impact:
        """A rigid stop: a gap that cannot become negative.

        Where it closes there is an impact, M (v+ - v-) + J^T L = 0, with the coefficient of restitution; bounces that accumulate pass to rest.
        At rest the gap is held like a joint as long as it presses, and let go where it would pull.

        Parameters
        ----------
        name
            Name of the stop.
        gap
            Measure or expression that is at least 0; of a Lagrangian system an expression of coordinates and t.
        restitution
            Coefficient of restitution between 0 and 1.
        hypothesis
            "newton": the rate after is -e times the rate before.  "poisson": the impulse of expansion is e times that of compression.
        rough
            Measures that do not change while it is closed (a point that does not slip along the floor); default: none, it is smooth.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("ball", gravity=(0, -9.81))
        >>> ball = m.particle("ball", mass=1.0, at=(0, 1.0))
        >>> floor = m.impact("floor", "ball.y", restitution=0.5)
        >>> run = da.simulate(m, until=2.0)
        >>> run.events[0].name, round(run.events[0].t, 9)
        ('floor', 0.451523641)
        """
        name = self._new_name("impact", name)
        asked = f"impact {name!r}"
        e = read_restitution(asked, restitution, hypothesis)
        slips = tuple(self._gap(asked, f"{name}.along", x) for x in _several(rough))
        made = Impact(self, name, self._gap(asked, f"{name}.gap", gap), e, hypothesis, slips)
        given = {
            "gap": gap,
            "restitution": restitution,
            "rough": rough,
            "hypothesis": None if hypothesis == NEWTON else hypothesis,
        }
        self._impacts[name] = self._keep(made, "impact", {key: x for key, x in given.items() if x is not None})
        return made

    def beginning(self) -> Self:
        """The model as it is compiled before it is decided what dry friction does."""
        return self

    def varied(self, situation: Situation, parameters: Mapping[str, float] | None = None) -> Self:
        """The same model in another situation, and with other values of parameters; parts are shared."""
        made = copy.copy(self)
        made.__dict__.pop("_known", None)
        made.__dict__["_origin"] = self.origin
        made._situation = situation
        for part in dict(situation.laws).values():
            stops = (part,) if isinstance(part, Impact) else getattr(part, "stops", ())
            made._impacts = made._impacts | {stop.name: stop for stop in stops}
        return made


def _several(x: Any) -> list[Any]:
    if x is None:
        return []
    items = listed(x)
    return [x] if items is None or isinstance(x, str | Measure) else items
