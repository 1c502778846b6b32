"""Rigid stops on the way of a run: impacts where gaps close, bounces that end, and which stops stay closed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError
from ...results.events import CONTACT, IMPACT, RELEASE, REST, Happening
from ...solve.stepping.impacts import HEIGHT, STILL, TOUCHING
from ...state import State
from ...system.subspaces import INDEPENDENT, factor, unit_rows
from .contact import caught, impact, pressing
from .surfaces import Response, Surfaces, surfaces

if TYPE_CHECKING:
    from ..dynamics.dynamics import Dynamics
    from .course import Course

# part of a combination of loads without effect that a pressure must have to take part in it
SHARED = 1e-7
# what the stops are asked at before anything has moved
START = "start"


class Stops:
    """The stops of a model on its way."""

    def __init__(self, course: Course) -> None:
        self.course, self.model = course, course.model
        # how long each stop was to stay open when it opened last, and when that was; the same of the time before
        self.flights: dict[str, tuple[float, float, float, float]] = {}
        # stops that touch from both sides, some of them with friction
        self.squeezed: tuple[str, ...] = ()

    def touching(self, state: State, but: str = "") -> tuple[Any, Surfaces, list[int], np.ndarray]:
        """The model without closed gaps, its stops, the numbers of those that touch, and for every stop the rate that is none."""
        here = self.course.here(state, closed=False)
        s = surfaces(here, here.system.model)
        unit = scales(here, s)
        speed = max(1.0, float(np.max(np.abs(state.v) / here.system.unit_of_velocity, initial=0.0)))
        near, still = TOUCHING * unit, STILL * unit * speed
        below = [k for k in range(len(s)) if s.value[k] < -near[k]]
        if below:
            k = below[0]
            raise MethodError(
                self.course.asked, f"the gap of {s.names[k]!r} is {s.value[k]:.6g} at t = {state.t:.9g} s", "bodies do not overlap: a gap is at least 0",
                "start where all gaps are open or closed",
            )  # fmt: skip
        return here, s, [k for k in range(len(s)) if abs(s.value[k]) <= near[k] and s.names[k] != but], still

    def touch(self, state: State, name: str) -> State:
        """Stops that touch: the blow of those that close, then those that stay closed."""
        if not self.model.impacts:
            return state
        if not self.course.system(closed=False).model.stops_at_work:
            self.course.situation = replace(self.course.situation, closed=frozenset())
            return state
        grips = self.course.grips
        here, s, touch, still = self.touching(state)
        if any(s.rate[k] < -still[k] for k in touch):
            grips.loosen()
            state = self._blow(state, name)
            here, s, touch, still = self.touching(state)
        return self._rest(state, here, s, touch, still, name)

    def settle(self, state: State, name: str, forced: dict[str, Any]) -> State:
        """Friction sticks or slips in another way: which stops press is decided anew."""
        here, s, touch, still = self.touching(state)
        return self._rest(state, here, s, [k for k in touch if abs(s.rate[k]) <= still[k]], still, name, forced)

    def release(self, state: State, name: str) -> State:
        """A stop presses no more: it opens, and what the others do is decided anew."""
        # from its surface to the last digit, or it would close at once
        held = self.course.here(state)
        held.settle()
        state = replace(state, q=held.q, v=held.v)
        here, s, touch, still = self.touching(state, but=name)
        return self._rest(state, here, s, [k for k in touch if abs(s.rate[k]) <= still[k]], still, name)

    def sharing(self, state: State) -> frozenset[str]:
        """Gaps that touch and press with nothing, though they could without any effect on the motion: a ball between two walls, a foot beside three others.

        Such pressures are combinations of rows that are none, J^T c + R^T z = 0, with z >= 0 for all that press with nothing; smooth ones.
        """
        here, every, touch, still = self.touching(state)
        s = every.some([k for k in touch if abs(every.rate[k]) <= still[k]])
        if any(s.rubs) or set(s.names) <= self.course.situation.closed:
            return frozenset()
        _, a, alone = self._held(state, s, list(range(len(s))), {})
        size = np.abs(s.rows) @ (np.abs(a) + np.abs(alone)) + np.abs(s.bias) + 1e-300
        stay = [k for k in range(len(s)) if abs(s.rows[k] @ a + s.bias[k]) <= 1e-9 * size[k]]
        idle = [n for n, k in enumerate(stay) if s.names[k] not in self.course.situation.closed]
        return frozenset(s.names[stay[n]] for n in _without_effect(here, s.rows[stay], idle))

    def _blow(self, state: State, name: str) -> State:
        """An impact, entered with its energies."""
        asked = f"{self.course.asked}: impact at t = {state.t:.9g} s"
        here, every, touch, _ = self.touching(state)
        s, response = every.some(touch), Response(here)
        made = impact(here, self.course.values, s, response, state.v, asked)
        after = replace(state, v=made.v)
        name = name if name in self.model.impacts else s.names[int(np.argmin(s.rate[: len(s)]))]
        # far below the largest they are rounding
        least = 1e-9 * max((abs(p) for p in made.impulse.values()), default=0.0)
        told = ", ".join(f"{key} {p:.6g} N s" for key, p in made.impulse.items() if abs(p) > least)
        text = f"impact, impulse {told}, energy {made.energy_before:.6g} -> {made.energy_after:.6g} J ({made.dissipated:.6g} J lost)"
        if made.kept < 1.0:
            text += f"; {made.kept:.4g} of the rebound: more of it would create energy with this friction"
        energies = made.energy_before, made.energy_after
        self.course.enter(
            Happening(
                state.t,
                name,
                IMPACT,
                text,
                state,
                after,
                *energies,
                made.impulse,
                dissipated=made.dissipated,
                note=made.note,
                made_up=lambda: (response.account(made.struck, f"impact of {name!r}"),),
            )  # fmt: skip
        )
        return after

    def _rest(self, state: State, here: Dynamics, s: Surfaces, touch: list[int], still: np.ndarray, name: str, forced: Any = None) -> State:  # fmt: skip
        """Which of the stops that touch stay closed: those that do not move, or bounce no more, and press."""
        course, told = self.course, {x.name for x in self.course.happened[-1:] if x.t == state.t}
        resting = [k for k in touch if abs(s.rate[k]) <= still[k]]
        held, a, _ = self._held(state, s, resting, forced)
        while ended := self._ended(state, here, s, a, [k for k in touch if k not in resting]):
            some = s.some([*(resting[k] for k in held), *ended])
            made = caught(some, Response(here), state.v, here)
            after = replace(state, v=made.v)
            until = max(state.t + self._left_of(s.names[k], state.t) for k in ended)
            text = f"at rest: bounces would end at t = {until:.12g} s"
            energies = made.energy_before, made.energy_after
            course.enter(
                Happening(state.t, s.names[ended[0]], REST, text, state, after, *energies, made.impulse, until)
            )
            told |= {s.names[k] for k in ended}
            state, resting = after, resting + ended
            here = course.here(state, closed=False)
            s = surfaces(here, here.system.model)
            held, a, _ = self._held(state, s, resting, forced)
        closed = frozenset(s.names[resting[k]] for k in held)
        for stop in sorted(closed - course.situation.closed - told) if name != START else ():
            course.enter(Happening(state.t, stop, CONTACT, "closed", state, state))
        for stop in sorted(course.situation.closed - closed):
            course.enter(Happening(state.t, stop, RELEASE, "open", state, state))
        course.situation = replace(course.situation, closed=closed)
        some = s.some(resting)
        both = _without_effect(here, some.rows[: len(some)], list(range(len(some)))) if any(some.rubs) else []
        self.squeezed = tuple(some.names[k] for k in both if any(some.rubs[j] for j in both))
        return state

    def _held(
        self, state: State, s: Surfaces, resting: list[int], forced: Any
    ) -> tuple[list[int], np.ndarray, np.ndarray]:
        """Which of the stops that do not move press, accelerations with their forces, and without any of friction and stops."""
        found = self.course.grips.beside(state, frozenset(s.names[k] for k in resting), forced or {})
        return pressing(found, self.course.asked), found.accelerations, found.a

    def _ended(self, state: State, here: Dynamics, s: Surfaces, a: np.ndarray, open_now: list[int]) -> list[int]:
        """Stops that have just opened and will close again before they are really open."""
        bends, found, unit = s.rows[: len(s)] @ a + s.bias[: len(s)], [], scales(here, s)
        for k in open_now:
            u, bend = float(s.rate[k]), float(bends[k])
            if bend < 0.0:
                self.opened(s.names[k], state.t, -2.0 * u / bend)
                if u * u <= -2.0 * bend * HEIGHT * unit[k] or -2.0 * u / bend <= self.course.shortest:
                    found.append(k)
        return found

    def opened(self, name: str, t: float, flight: float) -> None:
        """A stop opens for some time."""
        before = self.flights.get(name, (math.inf, t, math.inf, t))
        last = before[2:] if before[1] == t else before[:2]
        self.flights[name] = flight, t, *last

    def _left_of(self, name: str, t: float) -> float:
        """How long bounces go on that shrink as they did: with the factor r from one opening of the stop to the next, D apart, D r/(1 - r) [s]."""
        e = self.course.system().model.impacts[name].coefficient(self.course.values)
        flight, _, before, when = self.flights[name]
        if flight < before < math.inf:
            return (t - when) * flight / (before - flight)
        return flight / (1.0 - e) if e < 1.0 else 0.0


def scales(here: Dynamics, s: Surfaces) -> np.ndarray:
    """What every gap changes by where the model moves by its length, or turns by a radian; at least what is left of it by rounding."""
    return np.maximum(np.max(np.abs(s.rows[: len(s)]) * here.system.unit_of_velocity, axis=1, initial=0.0), 1e-300)


def _without_effect(here: Dynamics, normals: np.ndarray, idle: list[int]) -> list[int]:
    """Of gaps with these normals those `idle` ones that can press without effect: J^T c + R^T z = 0 with z >= 0 for all idle ones."""
    from scipy.optimize import linprog

    unit = here.system.unit_of_velocity
    rows = unit_rows(np.vstack([here.dense_jac * unit, normals * unit]))[0]
    free = factor(rows, INDEPENDENT).left[len(rows) - len(normals) :]
    found = []
    for n in idle if free.shape[1] else ():
        most = linprog(-free[n], A_ub=-free[idle], b_ub=np.zeros(len(idle)), bounds=(-1.0, 1.0), method="highs")
        if most.status == 0 and -most.fun > SHARED:
            found.append(n)
    return found
