"""Events, and rigid stops: what may happen in the middle of a motion, stated of either kind of model.

An event watches an expression against 0.  Where it crosses, something happens: the run stops, a parameter changes, a joint opens or closes, a
blow strikes.  An impact is a gap that cannot become negative.  `Situation` says which of the conditions of a model are at work.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..errors import ModelError, checked_call, nearest, shown
from .expression import Expr, as_expression
from .measure import Measure
from .reading import listed, read_flag
from .shapes.reading import is_plain

if TYPE_CHECKING:
    pass

DIRECTIONS = {"both": 0, "up": 1, "down": -1}
NEWTON, POISSON = "newton", "poisson"
OF_RESTITUTION = "a coefficient of restitution lies between 0 (no rebound) and 1 (no loss)"


@dataclass(frozen=True)
class Situation:
    """Which parts of a model are at work: those that are released, gaps that are closed, (name, coordinate, value) that are locked.

    `slips` says which way dry friction slips, by name: 1, -1, or 0 where it sticks.
    """

    absent: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    locked: tuple[tuple[str, Any, float], ...] = ()
    slips: tuple[tuple[str, int], ...] = ()

    @property
    def stuck(self) -> list[str]:
        """Friction that sticks."""
        return [name for name, way in self.slips if way == 0]

    def opened(self, rubs: set[str]) -> Situation:
        """The same with all gaps open, without the friction there."""
        return replace(self, closed=frozenset(), slips=tuple(x for x in self.slips if x[0] not in rubs))

    @property
    def is_plain(self) -> bool:
        """Whether everything is at work, and nothing besides."""
        return not (self.absent or self.closed or self.locked or self.slips)


@dataclass(frozen=True)
class Changes:
    """What an event does.

    Attributes
    ----------
    stop
        Whether the run ends there.
    set
        Parameters that get another value, a number or an expression of what is measured at that instant.
    release, add
        Joints, drivers and force elements (rows of a Lagrangian system) that are released, and that are put in place.
    lock, unlock
        Coordinates that are held at the value they have, and that are let go.
    strike, couple, restitution
        A blow, as `strike` takes it.
    """

    stop: bool = False
    set: Mapping[str, Any] = field(default_factory=dict)
    release: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    lock: tuple[str, ...] = ()
    unlock: tuple[str, ...] = ()
    strike: Any = None
    couple: Any = None
    restitution: Any = None

    @property
    def acts(self) -> bool:
        """Whether anything changes."""
        return self != Changes()


CHANGES = tuple(Changes.__dataclass_fields__)


@dataclass(frozen=True, eq=False, repr=False)
class Event:
    """An expression that is watched, and what happens where it crosses 0."""

    name: str
    expression: Expr
    direction: int  # 1 upward, -1 downward, 0 both
    changes: Changes
    once: bool = False
    action: Callable[[Any], Any] | None = None

    kind: ClassVar[str] = "event"

    @property
    def acts(self) -> bool:
        """Whether anything may change; otherwise it is recorded only."""
        return self.changes.acts or self.action is not None

    def coordinates(self) -> dict[str, Measure]:
        """An event has none."""
        return {}

    def __repr__(self) -> str:
        way = {0: "crosses", 1: "rises through", -1: "falls through"}[self.direction]
        return f"<event {self.name!r}: {self.expression} {way} 0>"


@dataclass(frozen=True, eq=False, repr=False)
class Impact:
    """A gap that cannot become negative: a rigid stop.

    Attributes
    ----------
    gap
        A measure of a mechanism, an expression of a Lagrangian system.
    restitution
        Coefficient of restitution.
    hypothesis
        "newton" or "poisson".
    rough
        What does not slip while the gap is closed: measures, or expressions; empty for a smooth stop.
    part
        Name of the contact or cam that it belongs to, if it is one of its gaps.
    """

    model: Any = field(repr=False)
    name: str
    gap: Any
    restitution: Any
    hypothesis: str
    rough: tuple[Any, ...] = ()
    part: str = ""  # contact or cam that it belongs to; "": it stands for itself

    kind: ClassVar[str] = "impact"
    tag: ClassVar[str] = "impact"
    glyph: ClassVar[str] = "dot"
    external: ClassVar[bool] = False
    sets_rate: ClassVar[bool] = False
    located: ClassVar[bool] = False
    load_is: ClassVar[str] = "its gap"
    markers: ClassVar[tuple[Any, ...]] = ()
    drawn_at: ClassVar[tuple[Any, ...]] = ()

    @property
    def asked(self) -> str:
        """How messages call it."""
        return f"{'gap' if self.part else 'impact'} {self.name!r}"

    def coefficient(self, values: Mapping[str, float] | None = None) -> float:
        """The coefficient of restitution as a number, with some parameters at other values than those of the model."""
        if not isinstance(self.restitution, Expr):
            return float(self.restitution)
        e = self.restitution.evaluate({**self.model.parameters, **(values or {})})
        if not 0.0 <= e <= 1.0:
            raise ModelError(self.asked, f"restitution = {e:g}", OF_RESTITUTION, "give it a value from 0 to 1")
        return float(e)

    @property
    def bodies(self) -> tuple[Any, ...]:
        """Bodies of a mechanism that the gap is between."""
        from .joints._coupling import bodies_of

        return bodies_of(self.model, [self.gap])

    def rows(self) -> list[Measure]:
        """What is held while the gap is closed: the gap, and what does not slip."""
        held = [
            Measure(
                f"{self.name}.gap", "combination", self.gap.i, self.gap.j, terms=((1.0, self.gap),), unit=self.gap.unit
            )
        ]
        return held + [_rate_of(self, k, slip) for k, slip in enumerate(self.rough)]

    def coordinates(self) -> dict[str, Measure]:
        """The gap."""
        return {"gap": self.gap} if isinstance(self.gap, Measure) else {}

    def symbol(self, number: Callable[[Any], float]) -> dict[str, Any]:
        """What pictures draw."""
        return {"glyph": self.glyph}

    def __repr__(self) -> str:
        return f"<impact {self.name!r}: {getattr(self.gap, 'name', self.gap)} >= 0, restitution {self.restitution}>"


def _rate_of(impact: Impact, k: int, slip: Measure) -> Measure:
    """The rate of a measure, as a row on velocities: what sticks does so wherever it touched."""
    return Measure(
        f"{impact.name}.slip{k + 1 if k else ''}",
        "rate_expression",
        terms=((1.0, slip),),
        expression=slip.rate,
        unit=slip.unit,
    )


def read_restitution(asked: str, restitution: Any, hypothesis: Any) -> Any:
    """A coefficient of restitution as a number or an expression of parameters, and the hypothesis checked."""
    e = restitution if is_plain(restitution) else as_expression(restitution, asked=asked)
    if is_plain(e) and not 0.0 <= e <= 1.0:
        raise ModelError(asked, f"restitution = {shown(e)}", OF_RESTITUTION, "give a number from 0 to 1")
    if not isinstance(hypothesis, str) or hypothesis not in (NEWTON, POISSON):
        why = nearest(hypothesis, [NEWTON, POISSON])
        raise ModelError(asked, f"hypothesis = {shown(hypothesis)}", why, "give 'newton' or 'poisson'")
    return float(e) if is_plain(e) else e


class Eventful:
    """Methods of both kinds of models that state events."""

    name: str
    _situation: Situation
    _events: dict[str, Event]
    _impacts: dict[str, Impact]

    def _begin_events(self) -> None:
        self._situation, self._events, self._impacts = Situation(), {}, {}

    # what the two kinds of models read in their own ways
    def _event_name(self, what: str, name: Any) -> str:
        raise NotImplementedError

    def _watched(self, asked: str, x: Any) -> Expr:
        raise NotImplementedError

    def _gap(self, asked: str, name: str, x: Any) -> Any:
        raise NotImplementedError

    def _openable(self) -> list[str]:
        raise NotImplementedError

    def _lockable(self, asked: str, x: Any) -> str:
        raise NotImplementedError

    def _named_parameters(self) -> list[str]:
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

    @property
    def events(self) -> dict[str, Event]:
        """Events by name."""
        return dict(self._events)

    @property
    def impacts(self) -> dict[str, Impact]:
        """Rigid stops by name, those of contacts and cams among them."""
        return dict(self._impacts)

    @checked_call
    def event(
        self, name: str, what: Any, *, level: Any = 0.0, direction: str = "both", stop: bool = False, set: Any = None,  # noqa: A002
        release: Any = None, add: Any = None, lock: Any = None, unlock: Any = None, strike: Any = None, couple: Any = None,
        restitution: Any = None, action: Any = None, once: bool = False,
    ) -> Event:  # fmt: skip
        """Watch an expression during a simulation; what happens where it crosses a level is located to the last digits.

        Without anything to do, an event is recorded: `run.events` lists it.

        Parameters
        ----------
        name
            Name of the event.
        what
            A measure, or an expression of measures, rates, states, parameters and t; of a Lagrangian system of coordinates, rates and t.
        level
            The level that is crossed, a number or an expression.
        direction
            "up", "down" or "both".
        stop
            End the run there.
        set
            Parameters with new values, {"k": 200}; expressions have the values of that instant: {"t0": "t", "x0": "ball.x"}.
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
        name = self._event_name("event", name)
        asked = f"event {name!r}"
        watched = self._watched(asked, what)
        if not (is_plain(level) and level == 0.0):
            watched = watched - self._watched(asked, level)
        if not isinstance(direction, str) or direction not in DIRECTIONS:
            do = "give direction='up', 'down' or 'both'"
            raise ModelError(asked, f"direction = {shown(direction)}", nearest(direction, DIRECTIONS), do)
        if action is not None and not callable(action):
            why = "an action is a Python function of what happens"
            raise ModelError(asked, f"action = {shown(action)}", why, "give a function, or leave it out")
        given = {
            "stop": stop, "set": set, "release": release, "add": add, "lock": lock, "unlock": unlock, "strike": strike, "couple": couple,
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
        values = given.get("set") or {}
        if not isinstance(values, Mapping):
            raise ModelError(asked, f"set = {shown(values)}", "parameters get values by name", "give set={'k': 200}")
        found["set"] = {
            self._own_name(asked, "parameter", key, self._named_parameters()): self._watched(asked, x)
            for key, x in values.items()
        }
        for key in ("release", "add"):
            found[key] = tuple(self._own_name(asked, "part", x, self._openable()) for x in _several(given.get(key)))
        for key in ("lock", "unlock"):
            found[key] = tuple(self._lockable(asked, x) for x in _several(given.get(key)))
        return Changes(**found)

    @staticmethod
    def _own_name(asked: str, what: str, x: Any, known: list[str]) -> str:
        name = getattr(x, "name", x)
        if not isinstance(name, str) or name not in known:
            raise ModelError(asked, f"{what} {shown(name)}", nearest(name, known), "use one of these")
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
        name = self._event_name("impact", name)
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

    def varied(self, situation: Situation, parameters: Mapping[str, float] | None = None) -> Self:
        """The same model in another situation, and with other values of parameters; parts are shared."""
        made = copy.copy(self)
        made.__dict__.pop("_known", None)
        made.__dict__["_origin"] = self.origin
        made._situation = situation
        return made


def _several(x: Any) -> list[Any]:
    """Items of a list, or the one that is given."""
    if x is None:
        return []
    items = listed(x)
    return [x] if items is None or isinstance(x, str | Measure) else items


__all__ = ["CHANGES", "DIRECTIONS", "Changes", "Event", "Eventful", "Impact", "Situation"]
