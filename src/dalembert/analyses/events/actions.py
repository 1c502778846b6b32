"""What an event does: parameters, joints and locks change, blows strike; then joints catch velocities that do not fit them, and stops answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, ModelError, shown
from ...kernels.operate import RATES, ROWS
from ...model.changed import begun
from ...model.events import Changes, Event
from ...model.mechanism import Mechanism
from ...results.events import CROSSED, Happening
from ...state import State
from ...system.system import System, observed
from ..dynamics.jumps import JUMP

if TYPE_CHECKING:
    from ...model.expression import Expr
    from .course import Course


class Instant:
    """What an action is given: the event, its time and state, and values by name, `instant["A.angle"]`, `instant["rate(A.angle)"]`."""

    def __init__(self, course: Course, event: Event, state: State) -> None:
        self._course, self.event, self.name, self.state, self.t = course, event, event.name, state, state.t

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters before it."""
        return {**dict(self._course.model.parameters), **self._course.values}

    def __getitem__(self, what: Any) -> float:
        return value_of(self._course, self.state, self._course.model._watched(f"event {self.name!r}", what))

    def __repr__(self) -> str:
        return f"<event {self.name!r} at t = {self.t:.9g} s>"


def value_of(course: Course, state: State, expression: Expr) -> float:
    """Value of an expression at a state, with the present values of parameters."""
    values = {**dict(course.model.parameters), **course.values, "t": state.t}
    used = expression.names - set(values)
    if used and isinstance(course.model, Mechanism):
        system = course.system()
        assert isinstance(system, System)
        return observed(system.model, state, expression)
    if used:
        values |= dict(zip(course.model.q, map(float, state.q)))
        values |= {f"rate({name})": float(x) for name, x in zip(course.model.q, state.v)}
    return float(expression.evaluate(values))


def act(course: Course, event: Event, state: State) -> State:
    """Everything that an event does to a state; it is entered into the list of what happened."""
    asked = f"{course.asked}: event {event.name!r} at t = {state.t:.9g} s"
    changes = [event.changes]
    if event.action is not None:
        returned = _returned(course, event, state, asked)
        if returned is not None and not isinstance(returned, Mapping):
            found = f"its action returned {shown(returned)}"
            raise ModelError(
                asked, found, "an action returns changes by name, or None", "return for example {'stop': True}"
            )
        changes += [course.model.read_changes(asked, returned)] if returned else []
    course.grips.loosen()
    closed = course.situation.closed
    before, told = state, list[str]()
    energy = _kinetic(course, state)
    for one in changes:
        told += put(course, one, state, asked)
        state = course.take_back(state, one)
        hit = struck(course, one, state)
        told += ["struck"] if hit is not state else []
        state = hit
        course.stopped = course.stopped or (event.name if one.stop else "")
    state = catch(course, state, asked)
    after = _kinetic(course, state)
    text = ", ".join(told) or ("recorded" if event.action is None else "action")
    course.enter(Happening(before.t, event.name, CROSSED, text, before, state, energy, after))
    if course.stopped:
        return state
    # what was closed and stays so has not closed
    stops = course.system().model.stops_at_work
    course.situation = replace(course.situation, closed=frozenset(name for name in closed if name in stops))
    return course.stops.touch(state, event.name)


def _kinetic(course: Course, state: State) -> float:
    """Kinetic energy in the present mode."""
    return 0.5 * float(state.v @ (course.here(state).mass @ state.v))


def _returned(course: Course, event: Event, state: State, asked: str) -> Any:
    """What the action of an event returns; what it raises is told with the event."""
    assert event.action is not None
    try:
        return event.action(Instant(course, event, state))
    except DalembertError:
        raise
    except Exception as error:  # the function is the user's
        found = f"its action raised {type(error).__name__}: {shown(str(error))}"
        why = "an action returns changes by name, or None"
        raise ModelError(asked, found, why, "correct the function") from error


def put(course: Course, changes: Changes, state: State, asked: str) -> list[str]:
    """Put the situation and the values of parameters in place; what that is, in words."""
    told = ["stop"] if changes.stop else []
    values = {name: value_of(course, state, x) for name, x in changes.set.items()}
    for name, value in values.items():
        if not math.isfinite(value):
            raise ModelError(asked, f"{name} = {value}", "a parameter is a finite number", "correct the expression")
        told.append(f"{name} = {value:g}")
    now = course.situation
    for name, part in changes.change.items():
        place = value_of(course, state, part.measure.symbol) if getattr(part, "kind", "") == "driver" else 0.0
        told.append(f"{name} changed")
        laws = dict(now.laws) | {name: begun(part, course.model.parameters, place, state.t)}
        now = replace(now, laws=tuple(laws.items()))
    for name in changes.release:
        told.append(f"{name} released")
        now = replace(now, absent=now.absent | {name})
    for name in changes.add:
        told.append(f"{name} added")
        now = replace(now, absent=now.absent - {name})
    for name in changes.unlock:
        told.append(f"{name} unlocked")
        now = replace(now, locked=tuple(x for x in now.locked if x[0] != f"lock of {name}"))
    for name in changes.lock:
        told.append(f"{name} locked")
        if not any(x[0] == f"lock of {name}" for x in now.locked):
            now = replace(now, locked=(*now.locked, _lock(course, state, name)))
    course.values = {**course.values, **values}
    course.situation = now
    # nothing presses in a joint that is gone: its friction neither sticks nor slips
    course.situation = replace(now, slips=tuple(x for x in now.slips if x[0] in course.grips.active))
    return told


def _lock(course: Course, state: State, name: str) -> tuple[str, Any, float]:
    """A coordinate that is held at the value it has."""
    model = course.model
    if not isinstance(model, Mechanism):
        return f"lock of {name}", name, float(state.q[model.q.index(name)])
    measure = model.find_measure(name)
    assert measure is not None
    return f"lock of {name}", measure, value_of(course, state, measure.symbol)


def struck(course: Course, changes: Changes, state: State) -> State:
    """The state after a blow; stops answer it afterwards."""
    if not changes.strikes:
        return state
    from ..strike import strike

    model, told = course.striking(state)
    blow: Any = strike(
        model,
        changes.strike,
        couple=changes.couple,
        restitution=changes.restitution,
        state=told,
        velocities="impulsive",
    )
    return replace(state, v=blow.after.v.copy())


def catch(course: Course, state: State, asked: str) -> State:
    """Bring velocities onto joints and drivers that have changed, by a blow; refuse positions that do not fit."""
    course.situation = course.situation.opened({rub.name for rub in course.grips.rubs})
    here = course.here(state)
    if not here.system.n_rows:
        return state
    off = here.operate(ROWS)
    if not off <= JUMP:
        phi = np.abs(here.phi)
        k = int(np.argmax(phi * here.scale))
        raise ModelError(
            asked,
            f"{here.system.row_parts[k]!r} is off by {phi[k]:.6g} (m or rad)",
            "a joint or driver that closes at once does not move bodies to another place",
            "let it close where its parts meet; a driver with another value needs one that begins where it is",
        )
    speed = max(1.0, float(np.max(np.abs(state.v), initial=0.0)) / here.system.length)
    if here.operate(RATES) <= JUMP * speed:
        return state
    return replace(state, v=here.caught(f"event at t = {state.t:.9g} s").after.v.copy())
