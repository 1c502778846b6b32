"""Events, and rigid stops: what may happen in the middle of a motion, stated of either kind of model (`model.py`).

An event watches an expression against 0.  Where it crosses, something happens: the run stops, a parameter changes, a joint opens or closes, a
blow strikes.  An impact is a gap that cannot become negative.  `Situation` says which of the conditions of a model are at work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ..errors import ModelError, shown
from .expression import Expr, as_expression
from .measure import Measure
from .part import Part
from .reading import read_choice
from .shapes.reading import is_plain

DIRECTIONS = {"both": 0, "up": 1, "down": -1}
NEWTON, POISSON = "newton", "poisson"
# ways of friction whose size and side are both solved for: along a motion that is given, and at rest, up to what it holds
SOLVED, AT_REST = 2, 3
OF_RESTITUTION = "a coefficient of restitution lies between 0 (no rebound) and 1 (no loss)"


class Shared(float):
    """Way of friction at rest that others hold, which has no row: the part of its static size that it carries, with the sign of the way in which it would slip."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shared) and float(self) == float(other)

    def __hash__(self) -> int:
        return hash(("shared", float(self)))

    def __bool__(self) -> bool:
        return True


def rests(way: Any) -> bool:
    """Return True if friction holds, as a row of its own or beside others."""
    return isinstance(way, Shared) or way in (0, AT_REST)


@dataclass(frozen=True)
class Situation:
    """Which parts of a model are at work: those that are released, gaps that are closed, (name, coordinate, value) that are locked.

    `slips` says which way dry friction slips, by name: 1, -1, or 0 where it sticks, or which part of its size it carries where others hold it (`Shared`).  Friction with several components that slips has 1 where it acts against
    their rates, or, where these are almost 0, the direction that it acts against; `slow` are rates below which that is kept, where they are larger than usual.
    """

    absent: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    locked: tuple[tuple[str, Any, float], ...] = ()
    slips: tuple[tuple[str, Any], ...] = ()
    slow: tuple[tuple[str, float], ...] = ()
    laws: tuple[tuple[str, Any], ...] = ()  # force elements and drivers that have changed
    apart: frozenset[str] = (
        frozenset()
    )  # contacts and frictions in space whose closed gaps rub each by its own, since the body turns

    @property
    def stuck(self) -> list[str]:
        """Friction that sticks, and holds by a row."""
        return [name for name, way in self.slips if way == 0]

    def opened(self, rubs: set[str]) -> Situation:
        """The same with all gaps open, without the friction there."""
        rest = tuple(x for x in self.slips if x[0] not in rubs)
        return replace(self, closed=frozenset(), slips=rest, apart=frozenset())

    @property
    def is_plain(self) -> bool:
        """Whether everything is at work, and nothing besides."""
        return not (self.absent or self.closed or self.locked or self.slips or self.laws)


@dataclass(frozen=True)
class Changes:
    """What an event does."""

    stop: bool = False  # whether the run ends there
    # parameters that get another value, a number or an expression of what is measured at that instant
    set: Mapping[str, Any] = field(default_factory=dict)
    # force elements and drivers with another law: the parts that stand in their place
    change: Mapping[str, Any] = field(default_factory=dict)
    # release, add: joints, drivers and force elements (rows of a Lagrangian system) that are released, and that are put in place
    release: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    lock: tuple[str, ...] = ()  # lock, unlock: coordinates that are held at the value they have, and that are let go
    unlock: tuple[str, ...] = ()
    strike: Any = None  # strike, couple, restitution: a blow, as `strike` takes it
    couple: Any = None
    restitution: Any = None

    @property
    def strikes(self) -> bool:
        """Return True if an impulse of any kind is given; `strike` reads it."""
        return any(x is not None for x in (self.strike, self.couple, self.restitution))

    @property
    def acts(self) -> bool:
        """Whether anything changes."""
        return self.strikes or replace(self, strike=None, couple=None, restitution=None) != Changes()


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
class Impact(Part):
    """A gap that cannot become negative: a rigid stop."""

    model: Any = field(repr=False)
    name: str
    gap: Any  # a measure of a mechanism, an expression of a Lagrangian system
    restitution: Any  # coefficient of restitution
    hypothesis: str  # "newton" or "poisson"
    rough: tuple[Any, ...] = ()  # what does not slip while the gap is closed; empty for a smooth stop
    part: str = ""  # contact or cam that it belongs to; "": it stands for itself
    # of a cam that is known where it touches: a measure of the value of the gap whose row is the force there; None: the gap itself
    held: Any = None

    kind: ClassVar[str] = "impact"
    tag: ClassVar[str] = "impact"
    measures_are: ClassVar[tuple[str, str]] = ("coordinate", "a stop has its gap")
    load_is: ClassVar[str] = "its gap"

    @property
    def asked(self) -> str:
        """How messages call it."""
        return f"{'gap' if self.part else 'impact'} {self.name!r}"

    @property
    def unit(self) -> str:
        """Unit of the gap; expressions of a Lagrangian system have units of their own."""
        return self.gap.unit if isinstance(self.gap, Measure) else ""

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

    @property
    def pressed(self) -> Any:
        """The gap, as that whose row is the force where it touches."""
        return self.gap if self.held is None else self.held

    def rows(self) -> list[Measure]:
        """What is held while the gap is closed: the gap, and what does not slip."""
        gap = self.pressed
        held = [Measure(f"{self.name}.gap", "combination", gap.i, gap.j, terms=((1.0, gap),), unit=gap.unit)]
        return held + [_rate_of(self, k, slip) for k, slip in enumerate(self.rough)]

    def coordinates(self) -> dict[str, Measure]:
        """The gap."""
        return {"gap": self.gap} if isinstance(self.gap, Measure) else {}

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
    read_choice(asked, "hypothesis", hypothesis, [NEWTON, POISSON], "give 'newton' or 'poisson'")
    return float(e) if is_plain(e) else e
