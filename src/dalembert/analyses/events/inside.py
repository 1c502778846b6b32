"""What the time loop does by itself: impacts of smooth rigid stops that open again, and events that are only recorded; and what happened there, from its log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...kernels.watch import EVENT, IS_VALUE, NO_SECOND
from ...model.events import NEWTON
from ...results.events import CONTACT, CROSSED, IMPACT, RELEASE, SLIP, STICK, Happening
from ...solve.run import Log
from ...solve.segments import Segment
from ...solve.stepping.impacts import MODE, PYTHON, RECORDED, TIME, Stops, stops
from ...solve.stepping.modes import ABSENT, STICKS
from ...state import State
from ...system.system import System
from ..dynamics.dynamics import view
from .contact import impact
from .surfaces import Response, free_rows, surfaces

if TYPE_CHECKING:
    from ...solve.problem import Problem
    from ..dynamics.prepared import Prepared
    from .course import Course
    from .modes import Hybrid


class Logged(Happening):
    """A happening that the loop has logged: states and words are made when they are asked for."""

    _source: LoopLog
    _log: Log
    _line: int

    @classmethod
    def of(cls, source: LoopLog, log: Log, line: int, **known: Any) -> Logged:
        """Line of a log; `known`: what is plain numbers there."""
        made = object.__new__(cls)
        made.__dict__.update(known, _source=source, _log=log, _line=line)
        return made

    @property
    def jump(self) -> np.ndarray:
        """By what velocities changed."""
        log, system = self._log, self._source.system
        return np.asarray(log.after[self._line] - system.parts_of(log.y[self._line])[1])

    @property
    def jumps(self) -> bool:
        """Return True if velocities changed: by an impact."""
        return self.what == IMPACT

    @cached_property
    def before(self) -> State:  # type: ignore[override]
        """State just before."""
        system = self._source.system
        q, v, z = (x.copy() for x in system.parts_of(self._log.y[self._line]))
        return State(self.t, q, v, self._log.angle[self._line].copy(), tuple(system.body_names), z)

    @cached_property
    def after(self) -> State:  # type: ignore[override]
        """State just after."""
        return self.before if self.what != IMPACT else replace(self.before, v=self._log.after[self._line].copy())

    @cached_property
    def impulse(self) -> dict[str, float]:  # type: ignore[override]
        """Impulses of the stops that touch."""
        if self.what != IMPACT:
            return {}
        return {name: p for name, p in zip(self._source.names, self._log.impulse[self._line].tolist()) if p == p}

    @cached_property
    def text(self) -> str:  # type: ignore[override]
        """What it did, in words."""
        if self.what != IMPACT:
            return "recorded"
        least = 1e-9 * max(map(abs, self.impulse.values()))
        told = ", ".join(f"{key} {p:.6g} N s" for key, p in self.impulse.items() if abs(p) > least)
        return f"impact, impulse {told}, energy {self.energy_before:.6g} -> {self.energy_after:.6g} J ({self.dissipated:.6g} J lost)"

    @cached_property
    def accounts(self) -> tuple[Any, ...]:
        """Accounts of its blow: the same impact once more, with the impulses of all joints."""
        if self.what != IMPACT:
            return ()
        source, before = self._source, self.before
        here = view(source.system, self.t, before.q, before.v)
        here.work.angle[:], here.work.angle_time[0], here.work.state[:] = before.angles, self.t, before.z
        here.scales()
        here.detect(source.asked)
        every = surfaces(here, source.system.model)
        struck, response = every.some([every.names.index(name) for name in self.impulse]), Response(here)
        made = impact(here, source.values, struck, response, before.v, source.asked)
        return (response.account(made.struck, f"impact of {self.name!r}"),)

    def __getstate__(self) -> dict[str, Any]:
        names = (*Happening.__dataclass_fields__, "accounts")
        return {name: getattr(self, name) for name in names if name != "made_up"} | {"made_up": tuple}

    def __reduce__(self) -> Any:
        return partial(object.__new__, Happening), (), self.__getstate__()


def stops_inside(
    course: Course, problem: Problem, prepared: Prepared, changing: Sequence[np.ndarray] = ()
) -> Stops | None:
    """The stops whose impacts the loop may make in a part of a run, and the events that it only records; None where Python has to look at everything.

    `changing`: numbers of what is watched for changes of mode.
    """
    model, system, w = prepared.system.model, prepared.system, problem.watch
    given = course.settings
    if given.step is not None or given.sampled or problem.laws or problem.calls:
        return None
    if not isinstance(system, System) or not np.any(w.kind == EVENT) or (problem.friction is not None and not changing):
        return None
    names = list(model.stops_at_work)
    smooth = not (model.situation.closed or model.frictions or model.rubs or model.soft_rubs or model.situation.slips)
    smooth = smooth and not any(stop.rough or stop.held is not None for stop in model.stops_at_work.values())
    # what an impact changes at once, rates and forces, is for Python to look at after it
    by = np.full(len(w.kind), PYTHON, dtype=np.int64)
    for n in np.flatnonzero(w.kind == EVENT):
        name, inputs = prepared.owners[w.owner[n]].part, w.input[w.input0[n] : w.input0[n + 1]]
        if name in names:
            by[n] = names.index(name)
            continue
        if name in model.events and not course.acts(name):
            by[n] = RECORDED
        values = all(kind == IS_VALUE and w.rate_only[k] in (0, NO_SECOND) for kind, k in inputs)
        smooth = smooth and name in model.events and values
    if not smooth:
        by[by >= 0] = PYTHON
    for some in changing:
        by[some] = MODE
    if np.all(by == PYTHON):
        return None
    rows = np.array(free_rows(system, model)[: len(names)] + system.n_rows, dtype=np.int64)
    e = np.array([model.impacts[name].coefficient(course.values) for name in names])
    poisson = np.array([model.impacts[name].hypothesis != NEWTON for name in names], dtype=np.int64)
    sizes = len(system.q0) + system.nv + len(prepared.state.z), system.nv, len(prepared.work.angle)
    return stops(by, rows, e, poisson, np.array(system.unit_of_velocity), course.shortest, sizes)


class LoopLog:
    """What the happenings of one part of a run are made of."""

    def __init__(self, course: Course, prepared: Prepared, problem: Problem, hybrid: Hybrid | None = None) -> None:
        self.hybrid, self.problem = hybrid, problem
        self.course, self.asked, self.values = course, course.asked, dict(course.values)
        self.system, self.prepared, self.watch, self.stops = prepared.system, prepared, problem.watch, problem.stops
        self.names = list(prepared.system.model.stops_at_work)

    def _changed(self, log: Log, k: int, t: float) -> Segment:
        """Enter a change of mode; the segment that begins with it."""
        assert self.hybrid is not None
        before, way, closed = self.hybrid.mode(self.course.situation), log.way[k], log.closed[k]
        for name, was, now in zip(self.hybrid.names, before[1].tolist(), closed.tolist()):
            if was != now:
                what, text = (CONTACT, "closed") if now else (RELEASE, "open")
                self.course.enter(Logged.of(self, log, k, t=t, name=name, what=what, text=text))
        for one, was, now in zip(self.hybrid.frictions, before[0].tolist(), way.tolist()):
            if was != now and ABSENT not in (was, now):
                what, text = (STICK, "sticks") if now == STICKS else (SLIP, f"slips {'up' if now > 0 else 'down'}")
                self.course.enter(Logged.of(self, log, k, t=t, name=one.name, what=what, text=text))
        return self.hybrid.changed(self.problem, t, way, closed)

    def note(self, log: Log) -> list[Segment]:
        """Enter what the loop has logged; the segments that begin with changes of mode."""
        course, owners, segments = self.course, self.prepared.owners, list[Segment]()
        for k, (t, number, before, after, lost) in enumerate(log.lines.tolist()):
            name = owners[self.watch.owner[int(number)]].part
            if self.stops.by[int(number)] == RECORDED:
                if name not in course.spent:
                    course.enter(Logged.of(self, log, k, t=t, name=name, what=CROSSED))
                course.spend(name)
                continue
            if self.stops.by[int(number)] == MODE:
                segments.append(self._changed(log, k, t))
                continue
            known = {"t": t, "name": name, "what": IMPACT, "energy_before": before, "energy_after": after}
            made = Logged.of(self, log, k, **known, dissipated=lost)
            course.enter(made)
            self.prepared.jumps.append((t, made))
        # the last two openings of every stop tell when its bounces will end
        for j, name in enumerate(self.names):
            for k in np.flatnonzero(log.flight[:, j] > 0.0)[-2:]:
                course.stops.opened(name, float(log.lines[k, TIME]), float(log.flight[k, j]))
        return segments
