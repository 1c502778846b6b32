"""A model whose gaps and friction change their mode inside the time loop (`solve/stepping/modes.py`): all rows in one system, and the mode as numbers.

That serves gaps and friction of one component in the plane or in joints.  Several components, contacts that share their load in space, compliant contacts with friction, rough stops
and shares of friction that others hold are compiled mode by mode.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...kernels.impulses import dense_problem
from ...kernels.row_status import OFF
from ...kernels.watch import EVENT, MULTIPLIER
from ...model.events import Situation
from ...model.mechanism import Mechanism
from ...solve.friction import DryFriction
from ...solve.segments import Segment
from ...solve.stepping.impacts import LINES
from ...solve.stepping.modes import ABSENT, HOLDING, OPEN, PRESSING, SLIPPING, STICKS, Modes
from ...system.slip import slip_tables
from ...system.system import System, compile
from ..dynamics.dynamics import view
from ..dynamics.prepared import Prepared
from ..dynamics.start import prepare
from .grips import sliding
from .inside import stops_inside
from .surfaces import free_rows, measured

if TYPE_CHECKING:
    from ...solve.problem import Problem
    from ...state import State
    from .course import Course


def fits(model: Mechanism, situation: Situation) -> bool:
    """Return True if the loop can change the modes of a mechanism in a situation."""
    if situation.apart or situation.slow:
        return False
    frictions = [*(one for one in model.frictions if one.kind != "rub"), *model.rubs]
    if not frictions and not situation.closed:
        return False  # impacts of smooth stops need no rows
    plain = not model.soft_rubs and all(len(one.slips) == 1 and one.spin is None for one in frictions)
    plain = plain and all(way in (0, 1, -1) and type(way) is int for _, way in situation.slips)
    return plain and not any(stop.rough or stop.held is not None for stop in model.impacts.values())


class Hybrid:
    """A mechanism with the rows of all gaps and friction; its modes are `Situation`s with other gaps closed, and other friction that slips."""

    def __init__(self, course: Course, model: Mechanism, situation: Situation) -> None:
        self.course = course
        absent, varied = situation.absent, model.varied(situation)
        every = [*(one for one in varied.frictions if one.kind != "rub"), *varied.rubs]
        at_work = [
            one.name for one in every
            if one.name not in absent and not absent & set(one.pressed_by) and getattr(one, "owner", one).name not in absent
            and (one.kind != "rub" or one.stop.name in varied.stops_at_work)
        ]  # fmt: skip
        self.situation = replace(
            situation, closed=frozenset(varied.stops_at_work), slips=tuple((name, 0) for name in at_work)
        )
        varied = model.varied(self.situation, course.values)
        self.system: System = compile(varied, extra=measured(varied), watching="modes")
        self.frictions = [one for one in varied.frictions if one.name in at_work]
        self.names, system = list(varied.stops_at_work), self.system
        ways = {one.name: 1 for one in self.frictions}
        self.sliding = sliding(self.frictions, system, ways=ways)
        order = [one.name for one in DryFriction(self.sliding, course.asked, slip_tables).sliding]
        self.element = [order.index(one.name) for one in self.frictions]
        self.rows = {part: system.rows_of(part)[0] for part in [*self.names, *(one.name for one in self.frictions)]}
        self.free = free_rows(system, varied)[: len(self.names)] + system.n_rows
        self.usable = not system.saddle and bool(self.names or self.frictions)
        system.model = model.varied(replace(situation, closed=frozenset(), slips=()), course.values)

    # -- a mode ----------------------------------------------------------------------------------------------------------

    def mode(self, now: Situation) -> tuple[np.ndarray, np.ndarray]:
        """Which gaps are closed, and the way of every friction, in a situation."""
        ways = dict(now.slips)
        closed = np.array([name in now.closed for name in self.names], dtype=np.int64)
        way = np.array([ways.get(one.name, ABSENT) for one in self.frictions], dtype=np.int64)
        return way, closed

    def floors(self, way: np.ndarray, closed: np.ndarray, floor: np.ndarray) -> np.ndarray:
        """Status of all rows in a mode; `floor` as it is at present."""
        found = floor.copy()
        held = {
            **dict(zip(self.names, closed.tolist())),
            **{one.name: w == STICKS for one, w in zip(self.frictions, way.tolist())},
        }
        for part, r in self.rows.items():
            found[r] = OFF if not held[part] else floor[r] if floor[r] < OFF else 1e-15
        return found

    def slips(self, way: np.ndarray) -> tuple[int, ...]:
        """The same for `DryFriction.slips`."""
        found = [0] * len(self.element)
        for o, w in zip(self.element, way.tolist()):
            found[o] = w if w in (1, -1) else 0
        return tuple(found)

    def prepared(self, state: State) -> Prepared | None:
        """The system in the present mode, ready to run from a state; None where rows of gaps or friction depend on others."""
        system, now = self.system, self.course.situation
        floor = self.floors(*self.mode(now), np.zeros(system.n_rows))
        work = system.workspace()
        work.floor[:] = floor
        if len(state.angles):
            work.angle[:], work.angle_time[0] = state.angles, state.t
        if len(state.z):
            work.state[:] = state.z
        here = view(system, state.t, state.q, state.v, work)
        here.scales()
        here.detect(self.course.asked)
        if here.dropped.any():
            # joints must not be redundant by what may open or slip
            free = view(system, state.t, state.q, state.v)
            free.work.floor[:] = self.floors(
                *self.mode(replace(now, closed=frozenset(), slips=())), np.zeros(system.n_rows)
            )
            free.work.angle[:], free.work.angle_time[0] = here.work.angle, state.t
            free.scales()
            free.detect(self.course.asked)
            if not np.array_equal(free.dropped, here.dropped):
                return None
        if now.closed or any(way == 0 for _, way in now.slips):
            here.settle()
            state = replace(state, q=here.q, v=here.v)
        return prepare(system.model, state.t, state, self.course.asked, system=system, floor=floor)

    def friction(self) -> DryFriction | None:
        """Forces of what slips, in the present mode."""
        if not self.sliding:
            return None
        made = DryFriction(self.sliding, self.course.asked, slip_tables)
        made.slips = self.slips(self.mode(self.course.situation)[0])
        return made

    # -- what the loop works on ------------------------------------------------------------------------------------------

    def begin(self, problem: Problem, prepared: Prepared) -> None:
        """Put the present mode among what is watched, before the sides of events are."""
        w, (way, closed) = problem.watch, self.mode(self.course.situation)
        events = np.flatnonzero(w.kind == EVENT)
        own = len(events) - 2 * len(self.names) - 2 * len(self.frictions)
        first = [own, len(self.names), len(self.frictions), len(self.names), len(self.frictions)]
        _, self.open, self.slipping, self.press, self.holding = np.split(events, np.cumsum(first)[:-1])
        w.active[self.open], w.active[self.press] = 1 - closed, closed
        w.active[self.slipping], w.active[self.holding] = np.abs(way) == 1, way == STICKS
        problem.native = None
        self._scale = w.scale.copy()

    def put(self, problem: Problem, prepared: Prepared) -> None:
        """Arrays of the loop for changes of mode, and for impacts; none where laws are called in Python, or friction is found there."""
        if problem.laws or problem.calls or (problem.friction is not None and problem.friction.tables() is None):
            return
        w, system, (way, closed) = problem.watch, self.system, self.mode(self.course.situation)
        ints, number = np.int64, system.number
        kind, which = np.zeros(len(w.kind), dtype=ints), np.zeros(len(w.kind), dtype=ints)
        for what, places in (
            (OPEN, self.open),
            (SLIPPING, self.slipping),
            (PRESSING, self.press),
            (HOLDING, self.holding),
        ):
            kind[places], which[places] = what, np.arange(len(places))
        blocks = {block.part: k for k, block in enumerate(system.numbering.blocks)}
        n_rows, some = system.n_rows, self.frictions
        law_rows = [system.builder.laws[one.laws[0]].row for one in self.sliding]
        free = {one.name: r for one, r in zip(self.sliding, law_rows)}
        rubs = {rub.stop.name: rub for rub in some if rub.kind == "rub"}
        before = [
            [self.names.index(stop.name) for stop in one.group[: one.group.index(one.stop)]] if one.kind == "rub" else []
            for one in some
        ]  # fmt: skip
        own = [self.names.index(one.stop.name) if one.kind == "rub" else -1 for one in some]
        assert len(rubs) == sum(k >= 0 for k in own)

        def array(x: Any, kind: Any = ints) -> np.ndarray:
            return np.array(list(x), dtype=kind)

        n, m = len(self.names), len(some)
        components = sum(len(pad) for one in self.sliding for pad in one.pads)
        scale = np.where(w.rate_only >= MULTIPLIER, w.scale, self._scale)
        problem.modes = Modes(  # type: ignore[call-arg]
            kind, which, w.active, scale,
            array(blocks[name] for name in self.names), array(self.rows[name] for name in self.names), array(self.free), array(system.island_of(r - n_rows) for r in self.free), self.open, self.press, closed,
            array(blocks[one.name] for one in some), array(free[one.name] + n_rows for one in some), array(system.island_of(free[one.name]) for one in some),
            array(self.element), self.slipping, self.holding, array((one.holding(number) for one in some), float), array(one.mu is not None for one in some),
            array((system.length if one.on.unit == "m" else 1.0 for one in some), float), array(own), np.cumsum([0, *map(len, before)], dtype=ints), array(j for listed in before for j in listed), way,
            way.copy(), closed.copy(), np.zeros(n, dtype=ints), np.zeros(m, dtype=ints), np.zeros(m), np.zeros(n + m, dtype=ints), np.zeros(m, dtype=ints),
            np.zeros(n, dtype=ints), np.zeros(n_rows),
            np.zeros(system.nv), np.zeros((LINES, m), dtype=ints), np.zeros((LINES, n), dtype=ints), np.array([np.inf, 0.0]),
        )  # fmt: skip
        problem.contacts = dense_problem(n + m, n + m, components)
        problem.stops = (
            stops_inside(self.course, problem, prepared, (self.slipping, self.press, self.holding)) or problem.stops
        )

    # -- its log ---------------------------------------------------------------------------------------------------------

    def changed(self, problem: Problem, t: float, way: np.ndarray, closed: np.ndarray) -> Segment:
        """Note a mode that begins at a time: the situation of the course, and the segment of the run."""
        course, floor = self.course, self.floors(way, closed, problem.floor)
        shut = frozenset(name for name, x in zip(self.names, closed.tolist()) if x)
        slips = tuple((one.name, w) for one, w in zip(self.frictions, way.tolist()) if w != ABSENT)
        course.situation = replace(course.situation, closed=shut, slips=slips)
        for name, w in slips:
            course.sides[name] = float(w) if w else 1.0
        if problem.friction is not None:
            problem.friction.slips = self.slips(way)
        return Segment(t, floor, problem.dropped, self.slips(way), course.situation)
