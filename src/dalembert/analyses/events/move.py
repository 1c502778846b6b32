"""A prepared model with events run in time, and one result made of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError
from ...model.events import Situation
from ...model.mechanism import Mechanism
from ...results.pieces import joined, with_end
from ...results.record import Record
from ...system.lagrange import compile_lagrangian
from ...system.system import compile
from ..dynamics import running_away
from ..dynamics.prepared import Prepared
from ..dynamics.stopped import failure
from .course import Course, Settings

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...progress import Progress
    from ...system.lagrange import LagrangeSystem
    from ...system.system import System


def move_through(
    prepared: Prepared,
    asked: str,
    t1: float,
    times: np.ndarray,
    settings: tuple[Any, float, float, float],
    *,
    every_step: bool = False,
    leaving: bool = False,
    progress: Progress | None = None,
    sampled: Any = None,
    step: float | None = None,
) -> Record:
    """The same as `dynamics.motion.move` for a model with events."""
    course = Course(prepared.system.model, Settings(asked, t1, times, settings, every_step, progress, sampled, step))
    try:
        course.go(prepared.state)
    except Exception as error:
        if isinstance(error, DalembertError) and course.pieces:
            error.result = result_of(course, False)  # type: ignore[attr-defined]
        raise
    last = course.pieces[-1].trace
    if course.stopped:
        with_end(course.pieces[-1])
    made = result_of(course, bool(course.stopped) or last.status == 0)
    made.prepared.impulse, made.prepared.state = prepared.impulse, prepared.state
    if not course.stopped and not last.interrupted and last.status != 0:
        stopped = failure(asked, course.pieces[-1])
        stopped.result = made
        raise stopped
    if made.complete:
        running_away.refuse(course.pieces[-1], asked)
    return made


def result_of(course: Course, complete: bool) -> Record:
    """The result of all parts so far."""
    systems = {id(piece.system): piece.system for piece in course.pieces}
    one = next(iter(systems.values()))
    # the system of all modes has them all
    full = one if len(systems) == 1 and course.parts[0] != one.model.situation else None
    full = full or with_all_rows(course.model, course.parts, course.asked)
    every_row = Prepared(full, full.workspace(), course.pieces[0].prepared.state, [])
    return joined(
        course.pieces, every_row, course.happened, complete and all(piece.complete for piece in course.pieces)
    )


def with_all_rows(
    model: Mechanism | Lagrangian, situations: list[Situation], asked: str, handed: bool = False
) -> System | LagrangeSystem:
    """The compiled model with all rows that are at work in some situations, and those of all stops and their friction."""
    locked = {lock[0]: lock for situation in situations for lock in situation.locked}
    # friction of coordinates has its row all the way, with its force as multiplier while it slips
    stuck = {one.name for one in (*model.frictions, *model.rubs) if not isinstance(model, Mechanism)}
    stuck |= {name for s in situations for name in s.stuck}
    names = {name for s in situations for name, _ in s.slips} | {rub.name for rub in model.rubs}
    every = Situation(
        frozenset.intersection(*(s.absent for s in situations)),
        frozenset(model.impacts),
        tuple(locked.values()),
        tuple((name, 0 if name in stuck else 1) for name in sorted(names)),
    )
    if isinstance(model, Mechanism):
        full = compile(model.varied(every), handed=handed)
        full.model = model
        return full
    return compile_lagrangian(model.varied(every), asked).own()
