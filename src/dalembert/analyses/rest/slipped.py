"""What friction of one compliant contact holds where a machine has several free motions: ranges of what slides there.

What slides is held at a value s like a joint, and the machine rests where its other motions balance (`problem.py`).  The multiplier of that row is the friction T that it takes;
what presses follows from the gaps, so that the machine rests by itself where |T| <= static N.  From the start s is followed to both sides, each place beginning at the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import DalembertError, MethodError
from ...model.mechanism import Mechanism
from ...state import State
from ..assemble import assemble
from ..dynamics.pressure import pressure_at
from ..events.grips import leading
from ..pose.pose import Pose
from .problem import Problem
from .pushes import limited
from .ranges import PLACES, Held, RestRange, RestRanges, changing, length_of, ranges_of, value_of, walked

# a step is followed where it ends this part of itself from what was promised, or nearer than a part of the model's length; how often it is halved
ASIDE, SMALL, HALVES = 0.1, 1e-6, 5


def slip_ranges(asked: str, model: Mechanism, start: State | None, turns: float, t: float, free: int) -> RestRanges:
    """Ranges of what slides at the one contact with friction in which a machine with several free motions rests."""
    _refuse_several(asked, model, free)
    begin = assemble(model, start=start, t=t).state if start is None else start
    model = model.without_starts()
    place, rub = _first(asked, model, begin, turns)
    way = _Way(asked, model, rub, place)

    def limits(x: float, near: _Placed) -> Held | None:
        """Loads along what slides that friction lets the machine be held by at a value, and the pose; None where it does not balance."""
        made = way.to(x, near, HALVES)
        return None if made is None else Held(x, made.force - made.limit, made.force + made.limit, made)

    step = 2.0 * turns * length_of(model) / (PLACES // 2)
    places = walked(limits, way.first, way.first.at, step)
    ends = [places[0].pose.state, places[-1].pose.state]
    shown = changing(model, length_of(model), lambda one, pose: value_of(model, one, pose), ends)
    if shown is None:
        raise MethodError(
            asked, f"no balance beside the start, where what slides at {rub.contact!r} is held and {free - 1} motions are free",
            "what friction holds is found as a range of one coordinate, followed from the rest position next to the start",
            "give start= near a rest position in which the contact presses, or let the machine come to rest in da.simulate",
        )  # fmt: skip

    def read(pose: State | None, way: float) -> float:
        return way * np.inf if pose is None else value_of(model, shown, pose)

    begins, ends_at = read(ends[0], 0.0), read(ends[1], 0.0)
    found = []
    for one in ranges_of(places, limits, step):
        poses = [None if pose is None else pose.state for pose in one.states]
        low, high = poses if begins <= ends_at else poses[::-1]
        found.append(RestRange(read(low, -1.0), read(high, 1.0), (rub.contact,), shown.name, (low, high)))
    note = f", the other {free - 1} motions in balance next to the start; more may exist"
    looked = min(begins, ends_at), max(begins, ends_at)
    return RestRanges(
        model, shown.name, shown.unit, tuple(sorted(found, key=lambda one: one.low)), looked, note, certain=True
    )


def _refuse_several(asked: str, model: Mechanism, free: int) -> None:
    """Refuse what leaves more than one coordinate of rest positions."""
    feeling = [one for one in model.frictions if one.mu is not None and one.kind != "rub"]
    first = {getattr(one, "owner", one).name: one for one in reversed([*limited(model), *feeling])}
    count = sum(len(one.slips) for one in first.values())
    if count > 1 or any(slip.is_rate for one in first.values() for slip in one.slips):
        names = ", ".join(repr(one.name) for one in list(first.values())[:4])
        kind = (
            f"{count} components"
            if count > 1
            else "a slip that is a rate, and no coordinate (of balls that roll on each other)"
        )
        raise MethodError(
            asked, f"{free} free motions, and friction {names} with {kind}",
            "each component of friction holds a coordinate of its own, so that rest positions fill a set of as many dimensions; what is found are ranges of one coordinate",
            "hold motions by joints or drivers; da.holding_load tells of one pose whether it rests: where the range of some load contains 0",
        )  # fmt: skip


def _first(asked: str, model: Mechanism, begin: State, turns: float) -> tuple[State, Any]:
    """The rest position nearest to the start, with what slides held there, and the friction that acts in it."""
    rub = limited(model)[0]
    for _ in range(2):
        problem = Problem(asked, model, begin, t=begin.t, hold=rub.slips[:1])
        s, start = problem.statics, problem.statics.state
        found = problem.solve(None, turns, 0)
        far = [float(np.linalg.norm(s.size * s.way(start.q, e.state.q))) for e in found]
        near = found[int(np.argmin(far))].state if found else found.singular[0]
        acting = leading(limited(model), Pose(s.system, near.t, near.q, None, near.angles))
        if not acting or acting[0].name == rub.name:
            break
        begin, rub = near, acting[0]
    return near, rub


@dataclass(frozen=True)
class _Placed:
    """A pose in balance at a value of what slides, how coordinates change with that, the force that holds it there, and the largest of friction."""

    at: float
    state: State
    rate: np.ndarray
    force: float = 0.0
    limit: float = 0.0


class _Way:
    """Poses in balance along what slides, from a place."""

    def __init__(self, asked: str, model: Mechanism, rub: Any, place: State) -> None:
        self.rub, self.problem = rub, Problem(asked, model, place, t=place.t, hold=rub.slips[:1])
        self.statics: Any = self.problem.statics
        at, none = float(self.statics.targets[0]), np.zeros(len(place.q))
        beside = self.to(at + 10.0 * SMALL * self.statics.system.length, _Placed(at, place, none), 0)
        self.first = _Placed(at, place, none if beside is None else beside.rate)

    def to(self, x: float, near: _Placed, halves: int) -> _Placed | None:
        """The pose at a value, from one beside it; where it leads away from what coordinates promise, by smaller steps."""
        s, far = self.statics, x - near.at
        guess = near.state.q + far * near.rate
        s.place, s.targets[0] = (guess, near.state.angles), x
        try:
            balanced = self.problem.search.newton()
        except DalembertError:
            balanced = False
        first = not near.rate.any()
        if balanced and (first or s.reach(s.way(guess, s.pose.q)) <= ASIDE * abs(far) / s.system.length + SMALL):
            rate = (s.pose.q - near.state.q) / far if abs(far) > SMALL * s.system.length else near.rate
            return _Placed(x, s.state, rate, *self._forces())
        half = self.to(near.at + 0.5 * far, near, halves - 1) if halves else None
        return None if half is None else self.to(x, half, halves - 1)

    def _forces(self) -> tuple[float, float]:
        """The force that holds what slides, and what friction may take of it."""
        s = self.statics
        s.evaluate()
        s.factor()
        here = Pose(s.system, s.pose.t, s.pose.q, None, s.pose.work.angle)
        limit = self.rub.holding(s.system.number) * pressure_at(self.rub, here, np.zeros(0), [])
        return float(s.multipliers(s.force)[s.n_rows]), limit
