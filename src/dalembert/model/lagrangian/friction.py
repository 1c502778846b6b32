"""Dry friction on a coordinate of a Lagrangian system, or on an expression of coordinates.

slips:   Q = -+ F ds/dq,   against the sign of ds/dt        sticks:   the rate row ds/dt = 0, as long as its multiplier is at most the static force

F is an expression of coordinates, rates, time and v = |ds/dt|, or mu N: N is what presses, by the multipliers of rows that the user names, since coordinates and
energies alone do not tell it.  While it slips with mu N, a size is a number beside the parameters, which is solved for together with the multipliers.  Where a rigid stop
presses, friction is there while the stop is closed, and in its blows (`kind` "rub").
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError, nearest, shown
from ..events import AT_REST, SOLVED, rests
from ..expression import Call, Expr, Name, Number
from ..expression.derivative import ZERO, derivative
from ..forces._dry import Dry
from ..forces._pressing import Pad
from ..reading import listed

if TYPE_CHECKING:
    from ..lagrangian import Lagrangian


# v in a size, the size of the rate, which is no name that a user may give
SPEED = "speed of slipping"
# by how much, as a part, what holds may be less than what slips where both are computed
ROUNDING = 1e-12


class CoordinateFriction(Dry):
    """Friction against the rate of `what`; `rate` is ds/dt as an expression of coordinates, rates and time.

    N is `lever` times the length of a vector; each of its components is a combination of multipliers, weights by name of the row.
    """

    joint = None

    def __init__(
        self, model: Lagrangian, name: str, what: Expr, rate: Expr, sizes: dict[str, Any], normal: Any
    ) -> None:
        self.model, self.name, self.what, self.rate = model, name, what, rate
        self.force, self.static_force, self.mu, self.static = (
            sizes[key] for key in ("force", "static_force", "mu", "static")
        )
        self.components: tuple[dict[str, Expr], ...]
        self.components, self.lever = normal
        # the stop that presses, if it is one; its friction is as that of contacts (`Rub`)
        self.stop: Any = next((model.impacts[row] for row in self.pressed_by if row in model.impacts), None)
        self.kind, self.owner = "friction" if self.stop is None else "rub", self
        self.slips: Any = (what,)
        self.asked = f"friction {name!r} of Lagrangian {model.name!r}"

    @property
    def on(self) -> Expr:
        """What slips."""
        return self.what

    @property
    def size_name(self) -> str:  # type: ignore[override]
        """Name of the size mu |x| that is solved for while it slips, x the vector of `components`."""
        return f"size of {self.name}"

    @property
    def pressed_by(self) -> tuple[str, ...]:  # type: ignore[override]
        """Rows that press."""
        return tuple(dict.fromkeys(row for one in self.components for row in one))

    @property
    def group(self) -> tuple[Any, ...]:
        """Stops that slide together with its own."""
        return () if self.stop is None else (self.stop,)

    def leads(self, closed: frozenset[str], apart: frozenset[str] = frozenset()) -> bool:
        """Whether it is at work where these stops are closed."""
        return self.stop is not None and self.stop.name in closed

    def drivable(self, closed: frozenset[str], model: Lagrangian) -> bool:
        """Whether what it does is known of a driven motion in which stops hold: of mechanisms only."""
        return False

    def within(self, closed: frozenset[str], apart: frozenset[str] = frozenset()) -> CoordinateFriction:
        """The same where these stops are closed: it has one only."""
        return self

    @property
    def rates(self) -> list[Expr]:
        """The rate of what slips."""
        return [self.rate]

    def slip_watch(self, way: Any, slow: float) -> tuple[Expr, int]:
        """The rate, which changes its sign."""
        return self.rate, 0

    def felt(self, plane: bool) -> list[tuple[str, int]]:
        """Rows that press, one multiplier each."""
        return [(row, 0) for row in self.pressed_by]

    def pads(self, value: Any) -> list[Pad]:
        """The vector whose length presses."""
        rows = self.pressed_by
        weights = tuple(tuple((float(value(c)), rows.index(row)) for row, c in one.items()) for one in self.components)
        return [Pad(weights)] if self.mu is not None else []

    @property
    def _keys(self) -> tuple[str, str]:
        """Names of its size while it slips, and of that which holds it."""
        return ("force", "static_force") if self.mu is None else ("mu", "static")

    def _given(self, way: int) -> Expr:
        """Size or coefficient as it was given: while it slips, or of what holds it (0, AT_REST)."""
        sliding, static = (getattr(self, key) for key in self._keys)
        return sliding if not rests(way) or static is None else static  # type: ignore[no-any-return]

    def _moves(self, way: int) -> bool:
        return bool(self._given(way).names & {SPEED, *moving_names(self.model)})

    @property
    def moves(self) -> bool:
        """Whether one of its sizes does."""
        return self._moves(0) or self._moves(1)

    @property
    def feels_speed(self) -> bool:
        """Whether v is in a size as the size of the rate."""
        return any(SPEED in self._given(way).names for way in (0, 1))

    def size(self, way: int) -> Expr:
        """Size or coefficient slipping a way, or at rest."""
        speed = ZERO if rests(way) else Call("abs", (self.rate,)) if way == SOLVED else way * self.rate
        return self._given(way).substitute({SPEED: speed})

    def factor(self, way: int) -> Expr:
        """What changes along a motion of its force: of its size, and the lever of what presses.  The rest is a number, `kinetic` or `holding`."""
        return self.size(way) * self.lever if self._moves(way) else self.lever

    def kinetic(self, value: Any) -> float:
        """Size of the force or coefficient that slips, but for its `factor`; none below zero, whatever its parameters are."""
        size = 1.0 if self._moves(1) else float(value(self._given(1)))
        self._check(self._keys[0], size)
        return size

    def holding(self, value: Any) -> float:
        """The same of what holds."""
        if not self.moves:
            return super().holding(value)
        return 1.0 if self._moves(0) else float(value(self._given(0)))

    def check_at(self, way: int, here: Any) -> None:
        """Refuse sizes that are none at a state: below zero, or less where it holds than where it slips."""
        if not self.moves:
            return
        at_rest, at = rests(way), f" at t = {here.t:.9g} s, {here.told()}"
        (sliding, static), speed = self._keys, {SPEED: ZERO}
        slips = float(here.measure(self._given(1).substitute(speed) if at_rest else self.size(way))[0])
        holds = float(here.measure(self.size(0))[0]) if at_rest else slips
        self._check(sliding, slips, at)
        self._check(static, holds, at)
        if holds < slips * (1.0 - ROUNDING):
            raise ModelError(
                self.asked, f"{static} = {holds:g}, {sliding} = {slips:g}{at}",
                "between the two it could neither stick nor slip: what sets it in motion would stop it at once",
                f"give {static} as {sliding} at rest or more, or leave it out",
            )  # fmt: skip

    def _check(self, key: str, size: float, at: str = "") -> None:
        if not 0.0 <= size < math.inf:
            raise self.no_size(f"{key} = {size:.6g}{at}")

    def no_size(self, found: str) -> ModelError:
        """A size that friction cannot have."""
        why = "friction acts against the motion: its size is a finite number, 0 or more"
        return ModelError(self.asked, found, why, "correct it or its parameters, or give max(0, ...)")

    def is_sized(self, way: Any) -> bool:
        """Whether its size is solved for while it slips a way; 0 and None: it does not."""
        return bool(way in (SOLVED, AT_REST) or (way and self.mu is not None))

    def against(self, way: int) -> dict[str, Expr]:
        """Generalized forces by coordinate while it slips one way, or with a size that has a sign (SOLVED, AT_REST)."""
        size = Name.of_measure(self.size_name) * self.factor(way) if self.is_sized(way) else self.size(way)
        way = 1 if way in (SOLVED, AT_REST) else way
        return {x: -way * size * slope for x, slope in self.slopes.items()}

    @property
    def slopes(self) -> dict[str, Expr]:
        """Derivatives of what slips, by coordinate."""
        found = {x: derivative(self.what, x) for x in self.model.q}
        return {x: slope for x, slope in found.items() if slope != ZERO}


def moving_names(model: Lagrangian) -> set[str]:
    """Names that change along a motion."""
    return {"t", *model.q, *(f"rate({q})" for q in model.q)}


def read_friction(
    model: Lagrangian, name: str, what: Any, rate_along: Any, given: dict[str, Any]
) -> CoordinateFriction:
    """Friction of a system, checked."""
    asked = f"friction {name!r}"
    chosen = [key for key in ("force", "mu") if given[key] is not None]
    if len(chosen) != 1:
        found = "force and mu" if chosen else "neither force nor mu"
        do = "give force=2.0, or mu=0.3 with normal='row' (the row whose multiplier presses)"
        raise ModelError(f"{asked} of {model._asked}", found, "friction has a constant size, or feels what presses", do)
    other = ("static", "normal") if chosen == ["force"] else ("static_force",)
    for key in other:
        if given[key] is not None:
            why = f"it has no meaning beside {chosen[0]}"
            raise ModelError(f"{asked} of {model._asked}", f"{key} = {shown(given[key])}", why, "leave it out")
    made = model._gap(asked, name, what)
    read = {key: _read_size(model, asked, key, given[key]) for key in ("force", "static_force", "mu", "static")}
    normal = ((), Number(1.0)) if chosen == ["force"] else _read_normal(model, asked, given["normal"])
    return CoordinateFriction(model, name, made, rate_along(made, model.q), read, normal)


def _read_size(model: Lagrangian, asked: str, key: str, given: Any) -> Expr | None:
    """A size or coefficient; v is the size of the rate, unless it is the name of a coordinate or a parameter."""
    if given is None:
        return None
    made: Expr = model._read(f"{asked}: {key}", given)
    if not made.names and not 0.0 <= made.evaluate({}) < math.inf:
        why = "friction acts against the motion: its size is a finite number, 0 or more"
        raise ModelError(f"{asked} of {model._asked}", f"{key} = {shown(given)}", why, "correct it")
    if "v" in {*model.q, *model.parameters}:
        return made
    return made.substitute({"v": Name.of_measure(SPEED)})


def _read_normal(model: Lagrangian, asked: str, given: Any) -> tuple[tuple[dict[str, Expr], ...], Expr]:
    """What presses: components by rows with their weights, and a factor."""
    asked, rows = f"{asked} of {model._asked}", [*model.holonomic, *model.nonholonomic, *model.impacts]
    if given is None:
        raise ModelError(
            asked, "mu without normal", "a coefficient needs what presses; coordinates and energies do not tell it",
            f"name the row or stop whose multiplier presses, normal={(rows or ['rail'])[0]!r}, or a multiple of it that is the force: normal='2*R*rail'",
        )  # fmt: skip
    items = [given] if isinstance(given, str | Expr) else listed(given) or []
    if not 1 <= len(items) <= 3:
        raise ModelError(
            asked, f"normal = {shown(given)}", "what presses has one to three components", "give normal='rail'"
        )
    made = tuple(_weights(model, asked, item, rows) for item in items)
    stop = next((row for one in made for row in one if row in model.impacts), None)
    if stop is not None:
        _check_stop(model, asked, given, stop, [row for one in made for row in one])
    moving = {"t", *model.q}
    if len(made) == 1 and len(made[0]) == 1:
        ((row, c),) = made[0].items()
        return ({row: Number(1.0)},), Call("abs", (c,))
    for item, one in zip(items, made):
        if any(c.names & moving for c in one.values()):
            raise ModelError(
                asked, f"normal = {shown(str(item))}, with a factor that moves", "several multipliers are put together with constant weights",
                "divide the rows themselves by their lengths, so that their multipliers are forces",
            )  # fmt: skip
    return made, Number(1.0)


def _check_stop(model: Lagrangian, asked: str, given: Any, stop: str, pressing: list[str]) -> None:
    """Refuse a stop among other things that press, one that rubs already, and one that does not slip at all."""
    found, other = f"normal = {shown(given)}", next((one.name for one in model.rubs if one.stop.name == stop), None)
    if len(pressing) > 1:
        why = "a stop presses while it is closed, the others all the time"
        raise ModelError(asked, found, why, f"give each its own friction: normal={stop!r}")
    if other is not None:
        why = f"it has the friction {other!r}: what slides at a stop is one thing"
        raise ModelError(asked, found, why, "leave one out, or put both coefficients together")
    if model.impacts[stop].rough:
        raise ModelError(asked, found, "rough stops never slip", "leave rough= out of the stop")


def _weights(model: Lagrangian, asked: str, item: Any, rows: list[str]) -> dict[str, Expr]:
    """Weights of the rows in a component, which is a combination of their multipliers."""
    if isinstance(item, str) and item in rows:
        return {item: Number(1.0)}
    made = model._read(f"{asked}: normal", item)
    found = {row: derivative(made, row) for row in rows if row in made.names}
    if not found:
        why = f"no row is in it; {nearest(str(item), rows)}"
        raise ModelError(asked, f"normal = {shown(str(item))}", why, "name the row whose multiplier presses")
    # linear, without a rest: the same by its derivatives, at any numbers
    rng = np.random.default_rng(1)
    values = {name: float(x) for name, x in zip(sorted(made.names), rng.uniform(0.5, 1.5, len(made.names)))}
    straight = sum(c.evaluate(values) * values[row] for row, c in found.items())
    rates = [name for name in made.names if name.startswith("rate(") or name == "v"]
    if rates or any(c.names & set(rows) for c in found.values()) or not math.isclose(straight, made.evaluate(values)):
        why = "what presses is a combination of multipliers, with factors of coordinates, t and parameters"
        raise ModelError(asked, f"normal = {shown(str(item))}", why, "give for example normal='2*R*rail'")
    return found
