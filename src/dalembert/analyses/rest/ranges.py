"""Ranges of positions in which friction holds a machine, along one coordinate.

At a place s a load u along the coordinate balances between two limits.  The machine rests where no load is needed,

    low(s) <= 0 <= high(s)

so that the ends of rest are roots of both limits.  Both are looked at in a number of places: a limit has a root between two places where its sign changes, and a pair of them
about a place where it is nearer to zero than at both neighbours, if its extremum there has the other sign.  How narrow a range of rest is does not matter for that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...state import State
from ...system.known import known_system
from ...system.system import observed
from .bodies import shown_measures
from .search import GOLDEN
from .static_forces import ROUNDING

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian


# places looked at on the way of a coordinate
PLACES = 201
# loads that are nothing, as a part of the largest along the way: a force that jumps through zero leaves more
NOTHING = 1e-9
# the same for roots of limits, which rounding of the coordinate bounds besides; what slopes between places may exceed those at them by
ROOT, STEEPER = 1e-13, 2.0
# part of the model's length, or of a radian, by which a coordinate changes along a path that it stands for
CHANGES = 1e-3


def value_of(model: Mechanism, measure: Measure, state: State) -> float:
    """Value of a measure at a state."""
    return float(observed(model, state, measure.symbol if measure.expression is None else measure.expression))


@dataclass(frozen=True)
class RestRange:
    """Positions of a coordinate in which friction holds a machine: from `low` to `high`; infinite where no end was found.

    `states` are the poses at both ends.  Where friction at contacts holds it, `on` are the gaps (of a compliant one: the contact) that touch, and `coordinate` is what is measured.
    """

    low: float
    high: float
    on: tuple[str, ...] = ()
    coordinate: str = ""
    states: tuple[State | None, State | None] = (None, None)

    def __contains__(self, x: float) -> bool:
        return self.low <= x <= self.high


@dataclass(frozen=True, eq=False, repr=False)
class RestRanges:
    """Where a machine with dry friction rests: ranges of one coordinate.

    Attributes
    ----------
    coordinate, unit
        The coordinate, and its unit.
    ranges
        Ranges in which friction holds it.
    looked
        From where to where it was looked.
    note
        What was looked at besides, and what was not.
    certain
        Whether what rests there must stay: limits of friction do not depend on what they hold, and nothing presses but by them.  Otherwise rest is possible: some forces within
        the limits balance, and a motion that begins there may have others.
    """

    model: Mechanism | Lagrangian
    coordinate: str
    unit: str
    ranges: tuple[RestRange, ...]
    looked: tuple[float, float]
    note: str = ""
    certain: bool = False

    def __iter__(self) -> Any:
        return iter(self.ranges)

    def __len__(self) -> int:
        return len(self.ranges)

    def __getitem__(self, k: int) -> RestRange:
        return self.ranges[k]

    def __contains__(self, x: float) -> bool:
        return any(x in one for one in self.ranges if one.coordinate in ("", self.coordinate))

    def _where(self, one: RestRange) -> str:
        """On which gaps, and of which coordinate where it is another one."""
        of = f" of {one.coordinate}" if one.coordinate not in ("", self.coordinate) else ""
        return of + (f" on {', '.join(one.on)}" if one.on else "")

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        lines = [
            f"{'' if self.certain else 'possible '}rest positions of {self.model.name!r} with dry friction: {self.coordinate}{unit}"
        ]
        lines += [f"  {one.low:.9g} ... {one.high:.9g}{self._where(one)}" for one in self.ranges] or ["  none"]
        return "\n".join([*lines, f"looked at {self.looked[0]:.6g} ... {self.looked[1]:.6g}{self.note}"])


@dataclass(frozen=True, eq=False, repr=False)
class RestPlace(RestRanges):
    """Whether a model with several free motions stays where it is by dry friction.

    Attributes
    ----------
    state
        The position.
    used
        The part of its friction that is needed, at least: it stays up to 1; infinite where no friction holds a free motion that is not balanced.
    forces, limits
        Of every friction the force along what slips that does it (of several components an array), and the largest that it may have there.
    ranges
        Around a position that stays: of everything that slips, alone, the others where they are (`.coordinate`).
    """

    state: State = field(default_factory=lambda: State(0.0, np.zeros(0), np.zeros(0)))
    used: float = math.inf
    forces: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)

    @property
    def stays(self) -> bool:
        """Whether friction can hold it; whether it must tells `.certain`."""
        return self.used <= 1.0 + ROUNDING

    def __contains__(self, x: float) -> bool:
        raise MethodError(
            f"{x} in rest positions of {self.model.name!r}", "ranges of several coordinates", "a number does not say of which",
            "ask one range: any(x in one for one in found if one.coordinate == 'a')",
        )  # fmt: skip

    def __repr__(self) -> str:
        lines = [
            f"position of {self.model.name!r} with dry friction: it {('stays' if self.certain else 'can stay') if self.stays else 'does not stay'}"
        ]
        if math.isfinite(self.used):
            lines[0] += f", {self.used:.6g} of the friction is needed"
        lines += [
            f"  {name}: {x if np.ndim(x) == 0 else np.linalg.norm(x):.6g} of at most {self.limits[name]:.6g}"
            for name, x in self.forces.items()
        ]
        lines += [f"  {one.coordinate} alone: {one.low:.6g} ... {one.high:.6g}" for one in self.ranges]
        return "\n".join([*lines, self.note] if self.note else lines)


@dataclass(frozen=True)
class Held:
    """A place, the smallest and the largest load that holds it there, and its pose."""

    x: float
    low: float
    high: float
    pose: Any

    @property
    def rests(self) -> bool:
        """Whether it needs no load."""
        return self.low <= 0.0 <= self.high

    def over(self, limit: int) -> float:
        """By how much a limit, the lower or the upper one, is beyond zero: no rest where it is positive."""
        return self.low if limit == 0 else -self.high


# what is known of a place, from a pose beside it; None where there is no pose
Limits = Callable[[float, Any], Held | None]


def walked(limits: Limits, begin: Any, at: float, step: float, until_it_moves: bool = False) -> list[Held]:
    """Places to both sides of one, as far as there are poses, or to the first that do not rest."""
    places: list[Held] = []
    for way in (-1.0, 1.0):
        pose, found = begin, list[Held]()
        for k in range(0 if way > 0.0 else 1, PLACES // 2 + 1):
            here = limits(at + way * k * step, pose)
            if here is None:
                break
            found.append(here)
            pose = here.pose
            if until_it_moves and not here.rests:
                break
        places = [*reversed(found), *places] if way < 0.0 else [*places, *found]
    return places


def ranges_of(places: list[Held], limits: Limits, step: float) -> list[RestRange]:
    """Ranges of rest along places; single places where limits are as near to each other as rounding."""
    roots = [_sides(places, limits, limit, step) for limit in (0, 1)]
    every = sorted([*places, *roots[0], *roots[1]], key=lambda one: one.x)
    made, low = list[RestRange](), None
    for before, one, after in zip([None, *every], every, [*every[1:], None]):
        if one.rests and (before is None or not before.rests):
            low = (-math.inf, None) if before is None else (one.x, one.pose)
        if one.rests and (after is None or not after.rests):
            assert low is not None
            high = (math.inf, None) if after is None else (one.x, one.pose)
            made.append(RestRange(low[0], high[0], states=(low[1], high[1])))
    size = NOTHING * max((abs(x) for one in places for x in (one.low, one.high) if math.isfinite(x)), default=0.0)
    for pair in zip(roots[0][::2], roots[0][1::2]):
        inner = min(pair, key=lambda one: one.low)
        if not inner.rests and max(abs(x) for one in pair for x in (one.low, one.high)) <= size:
            made.append(RestRange(inner.x, inner.x, states=(inner.pose, inner.pose)))
    return sorted(made, key=lambda one: one.low)


def _sides(places: list[Held], limits: Limits, limit: int, step: float) -> list[Held]:
    """Pairs of places as near as can be on both sides of every root of a limit."""
    found = list[Held]()
    for a, b in zip(places, places[1:]):
        if (a.over(limit) > 0.0) != (b.over(limit) > 0.0):
            found += _root(a, b, limits, limit, step)
    for k, b in enumerate(places):
        a, c = places[max(k - 1, 0)], places[min(k + 1, len(places) - 1)]
        beyond = _beyond(a, b, c, limits, limit)
        if beyond is not None:
            found += [*_root(a, beyond, limits, limit, step), *_root(beyond, c, limits, limit, step)]
    return found


def _root(a: Held, b: Held, limits: Limits, limit: int, step: float) -> list[Held]:
    """Places next to the root of a limit between two, on both sides: false position (Illinois), every third step halving."""
    if (a.over(limit) > 0.0) == (b.over(limit) > 0.0):
        return []
    f, g = a.over(limit), b.over(limit)
    for n in range(200):
        if abs(b.x - a.x) <= max(ROOT * step, 4.0 * np.spacing(max(abs(a.x), abs(b.x)))):
            break
        part = f / (f - g) if n % 3 < 2 and math.isfinite(f - g) else 0.5
        middle = a.x + min(max(part, 1e-3), 1.0 - 1e-3) * (b.x - a.x)
        here = limits(middle, a.pose) or replace(a if a.over(limit) > 0.0 else b, x=middle)
        h = here.over(limit)
        if (h > 0.0) == (f > 0.0):
            a, f, g = here, h, 0.5 * g
        else:
            b, g, f = here, h, 0.5 * f
    return [a, b]


def _beyond(a: Held, b: Held, c: Held, limits: Limits, limit: int) -> Held | None:
    """A place between a and c at which a limit has another sign than at all three, if it is nearest to zero at b: by golden section, as far as slopes let it reach zero."""
    sign = 1.0 if b.over(limit) > 0.0 else -1.0
    f, g, h = (sign * one.over(limit) for one in (a, b, c))
    if not (math.isfinite(f + g + h) and min(f, h) >= g > 0.0 and (f > g or h > g)):
        return None
    slope = STEEPER * max(abs(x - g) / abs(one.x - b.x) for one, x in ((a, f), (c, h)) if one is not b)
    left, right = a.x, c.x
    for _ in range(100):
        if min(f + g - slope * (b.x - left), g + h - slope * (right - b.x)) > 0.0 or right - left <= 4.0 * np.spacing(
            abs(b.x)
        ):
            break
        here = limits(b.x + (1.0 - GOLDEN) * (right - b.x if right - b.x > b.x - left else left - b.x), b.pose)
        if here is None or (here.over(limit) > 0.0) != (sign > 0.0):
            return here
        x, value = here.x, sign * here.over(limit)
        if value < g:
            left, f, right, h = (left, f, b.x, g) if x < b.x else (b.x, g, right, h)
            b, g = here, value
        elif x < b.x:
            left, f = x, value
        else:
            right, h = x, value
    return None


def coordinates_of(model: Mechanism) -> list[Measure]:
    """Coordinates of joints, then angles and places of bodies."""
    bodies = [f"{body.name}.{what}" for what in ("angle", "x", "y", "z") for body in model.bodies]
    found = (model.find_measure(name) for name in bodies)
    return [*shown_measures(model), *(one for one in found if one is not None)]


def changing(model: Mechanism, length: float, value: Callable[[Measure, Any], float], places: Sequence[Any]) -> Any:
    """A coordinate that changes between some places: of a joint, else the angle or place of a body; None where there is none."""
    for one in coordinates_of(model):
        values = [value(one, place) for place in places]
        if max(values) - min(values) > CHANGES * (length if one.unit == "m" else 1.0):
            return one
    return None


def length_of(model: Mechanism) -> float:
    """Length of a model, which what moves is compared with."""
    return float(known_system(model).length)
