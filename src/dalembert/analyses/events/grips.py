"""Dry friction on the way: which elements stick, which slip, and which way.

Slipping, an element has the sign of its rate, until that rate is 0.  There it sticks if it can: the force that holds the rate at 0 is at most the static one,
|lam| <= static N.  Otherwise it slips: to the side that the force could not hold.  Several elements at rest are decided together; all of them are tried as
sticking first, and those that cannot hold are let go.  A choice is right where all that stick hold, and all that begin to slip do so the way they were let go.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ConvergenceError, SingularError
from ...results.events import SLIP, STICK, Happening
from ...solve.friction import DryFriction, Sliding
from ...solve.problem import evaluate_at
from ...state import State
from ..dynamics.motion import problem_of
from .surfaces import still

if TYPE_CHECKING:
    from .course import Course

# what a holding force may exceed its limit by, and an acceleration may be off, as parts of themselves
ROUNDING = 1e-9
# elements at rest for which all choices are tried: 3^6 of them
TRIED = 6


@dataclass
class Outcome:
    """One choice: by how much each sticking element is beyond its limit (and to which side), and second rates of those that slip."""

    ways: dict[str, int]
    beyond: dict[str, tuple[float, int]]
    second: dict[str, float]
    size: float  # of second rates

    @property
    def wrong(self) -> list[str]:
        """Elements that do not do what they were chosen for."""
        found = [name for name, (x, _) in self.beyond.items() if x > ROUNDING]
        return found + [name for name, x in self.second.items() if x * self.ways[name] < -ROUNDING * self.size]


class Grips:
    """Friction of a model on its way."""

    def __init__(self, course: Course) -> None:
        self.course = course
        model = course.model
        self.parts = list(getattr(model, "frictions", []))
        self.rubs = list(getattr(model, "rubs", []))

    @property
    def elements(self) -> dict[str, Any]:
        """Friction that is at work, by name: that of joints and measures, and that of stops that are closed."""
        closed = self.course.situation.closed
        found = [*self.parts, *(rub.within(closed) for rub in self.rubs if rub.leads(closed))]
        return {one.name: one for one in found}

    def begin(self, state: State) -> None:
        """Decide about all elements at the start, or after velocities may have jumped."""
        if self.elements:
            self._decide(state, {}, told=False)
        elif self.rubs:
            self._put({})

    def happen(self, state: State, name: str) -> State:
        """An element has come to rest, or cannot hold any more."""
        ways = dict(self.course.situation.slips)
        forced = {}
        if ways[name] == 0:
            forced[name] = self._pulled(state, name)
        if self.rubs:
            # what presses depends on what rubs
            state = self.course.stops.settle(state, name, self._let_go_stops(forced))
        self._decide(state, {name: way for name, way in forced.items() if name in self.elements})
        return state

    def _let_go_stops(self, forced: dict[str, int]) -> dict[str, int]:
        """Stops whose friction has begun to slip, those that slide together with them among them."""
        return {stop.name: forced[rub.name] for rub in self.rubs if rub.name in forced for stop in rub.group}

    def friction(self, system: Any) -> DryFriction | None:
        """Forces of what slips, for a run of a compiled model."""
        if not self.elements:
            return None
        found = sliding(list(self.elements.values()), system)
        return DryFriction(found, self.course.asked) if found else None

    # -- deciding --------------------------------------------------------------------------------------------------------

    def _decide(self, state: State, forced: dict[str, int], told: bool = True) -> None:
        """Choose for every element; `forced` ones have slipped already."""
        before = dict(self.course.situation.slips)
        rates = self._rates(state)
        ways = {name: 1 if rate > 0.0 else -1 for name, (rate, still) in rates.items() if abs(rate) > still} | forced
        rest = [name for name in self.elements if name not in ways]
        if not rest:
            self._solve(
                *self._problem(state, ways)
            )  # where there is nothing to choose, equations without a solution say why
        chosen = self._let_go(state, ways, rest) or self._try_all(state, ways, rest)
        if chosen is None:
            raise self._no_choice(state, rest or list(self.elements))
        self._put(chosen.ways)
        for name, way in chosen.ways.items():
            # the side on which its rate, or what is left before it slips, begins
            self.course.sides[name] = float(way) if way else 1.0
            if told and before.get(name) != way:
                text = "sticks" if way == 0 else f"slips {'up' if way > 0 else 'down'}"
                self.course.enter(Happening(state.t, name, SLIP if way else STICK, text, state, state))

    def _rates(self, state: State) -> dict[str, tuple[float, float]]:
        """Rates of the elements, and what counts as none."""
        self._put(dict.fromkeys(self.elements, 1))
        here = self.course.here(state)
        found = {}
        for name, one in self.elements.items():
            found[name] = here.measure(one.on)[2], still(here, one.on)
        return found

    def _let_go(self, state: State, ways: dict[str, int], rest: list[str]) -> Outcome | None:
        """All at rest stick at first; those beyond their limit are let go, until the rest holds."""
        ways = ways | dict.fromkeys(rest, 0)
        for _ in range(2 * len(rest) + 1):
            found = self._outcome(state, ways, rest)
            if found is None or not found.wrong:
                return found
            failed = [name for name in found.wrong if name in found.beyond]
            if not failed:
                return None
            worst = max(failed, key=lambda name: found.beyond[name][0])
            ways = ways | {worst: found.beyond[worst][1]}
        return None

    def _try_all(self, state: State, ways: dict[str, int], rest: list[str]) -> Outcome | None:
        """Any choice that is right, those with most sticking first."""
        if len(rest) > TRIED:
            return None
        every = sorted(itertools.product((0, 1, -1), repeat=len(rest)), key=lambda x: sum(map(abs, x)))
        for some in every:
            found = self._outcome(state, ways | dict(zip(rest, some)), rest)
            if found is not None and not found.wrong:
                return found
        return None

    def _outcome(self, state: State, ways: dict[str, int], rest: list[str]) -> Outcome | None:
        """What happens with a choice; None where it has no solution."""
        problem, here = self._problem(state, ways)
        try:
            a = self._solve(problem, here)
        except SingularError:
            return None
        work, system = here.work, here.system
        value, beyond, second, size = system.builder.drawing.number, {}, {}, 1e-300
        for name in rest:
            one = self.elements[name]
            if ways[name] == 0:
                lam = float(work.lam[system.rows_of(name)[0]])
                limit = one.holding(value) * self._pressure(one, system, work.lam)
                beyond[name] = (abs(lam) - limit) / max(abs(lam), limit, 1e-300), 1 if lam > 0.0 else -1
                continue
            _, row, _ = here.measure(one.on)
            r = system.n_rows + system.builder.free_row(one.asked, one.on)
            second[name] = float(row @ a + work.bias[r])
            size = max(size, float(np.abs(row) @ np.abs(a)) + abs(float(work.bias[r])))
        return Outcome(dict(ways), beyond, second, size)

    def _pressure(self, one: Any, system: Any, lam: np.ndarray) -> float:
        """N of an element; 1 where its size is constant."""
        if one.mu is None:
            return 1.0
        own = lam[felt_rows(one, system)]
        pads = one.pads(system.builder.drawing.number)
        return float(sum(np.linalg.norm(_matrix(pad, len(own)) @ own) for pad in pads))

    def _pulled(self, state: State, name: str) -> int:
        """The side to which an element that sticks is pulled."""
        problem, here = self._problem(state, dict(self.course.situation.slips))
        self._solve(problem, here)
        return 1 if here.work.lam[here.system.rows_of(name)[0]] > 0.0 else -1

    def _problem(self, state: State, ways: dict[str, int]) -> tuple[Any, Any]:
        """The equations with a choice, at a state."""
        self._put(ways)
        prepared = self.course.prepared(state)
        problem = problem_of(prepared, self.course.settings.numbers)
        problem.friction = self.friction(prepared.system)
        begin = prepared.state
        return problem, prepared.at(begin.t, begin.q, begin.v)

    @staticmethod
    def _solve(problem: Any, here: Any) -> np.ndarray:
        """Accelerations, with multipliers in memory."""
        a = np.zeros(here.system.nv)
        evaluate_at(problem, here.t, here.q, here.v, a)
        return a

    def _put(self, ways: dict[str, int]) -> None:
        slips = tuple((name, ways[name]) for name in self.elements)
        self.course.situation = replace(self.course.situation, slips=slips)

    def _no_choice(self, state: State, names: list[str]) -> ConvergenceError:
        error = ConvergenceError(
            f"{self.course.asked}: friction {', '.join(map(repr, names))} at t = {state.t:.9g} s",
            "neither sticking nor slipping either way satisfies the equations",
            "friction that raises its own reaction leaves no motion of rigid bodies (Painleve's paradox), or the machine jams at an instant",
            "lower mu, change the geometry, or let a joint yield (a bushing); error.result has what was computed until then",
        )  # fmt: skip
        error.t, error.kind = state.t, "no solution"
        return error


def sliding(elements: list[Any], system: Any, at_rest: bool = False) -> list[Sliding]:
    """Elements that slip in the situation of a compiled model; `at_rest`, with what they hold at most."""
    ways = dict(system.model.situation.slips)
    value = system.builder.drawing.number
    laws = {law.measure.name: n for n, law in enumerate(system.builder.laws) if law.law.kind == "slip"}
    found = []
    for one in elements:
        if ways[one.name]:
            rows = tuple(felt_rows(one, system))
            pads = tuple(_matrix(pad, len(rows)) for pad in one.pads(value))
            size = _constant(one.holding(value)) if at_rest else one.kinetic(value)
            found.append(Sliding(one.name, laws[one.on.name], ways[one.name], size, pads, rows))
    return found


def felt_rows(one: Any, system: Any) -> list[int]:
    """Rows whose multipliers press."""
    return [system.rows_of(part)[k] for part, k in one.felt(system.plane)]


def _constant(x: float) -> Callable[[float], float]:
    return lambda v: x


def _matrix(pad: Any, width: int) -> np.ndarray:
    """Components of a pad as rows on the multipliers of its joint."""
    found = np.zeros((len(pad.components), width))
    for n, component in enumerate(pad.components):
        for c, k in component:
            found[n, k] += c
    return found


__all__ = ["Grips", "sliding"]
