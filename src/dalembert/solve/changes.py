"""Which methods make the steps of a run: the one asked for, and changes on the way, which the compiled loop asks for (`stepping/choice.py`)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .integrators import Tableau, method
from .integrators._base import EXPLICIT, INSIDE
from .solver import lenience, no_solver, solver_of
from .stepping.choice import EXACTLY, RADAU, THE_EXPLICIT
from .stepping.records import AGAIN_HELD, Method

if TYPE_CHECKING:
    from .run import _Run


class Made(NamedTuple):
    """A method, from a time on, and why it was taken; empty for the one that was asked for."""

    t: float
    method: str
    why: str


def method_at(trace: Any, asked: Tableau, t: float) -> Tableau:
    """The method that made the step from a time on."""
    made = trace.methods
    forward = 1.0 if trace.step.t >= made[0].t else -1.0
    last = [one.method for one in made if forward * (t - one.t) >= 0.0]
    return asked if not last or last[-1] == asked.name else method(last[-1])


@cache
def arrays_of(t: Tableau) -> Method:
    """A method as the time loop wants it."""
    return Method(
        t.kind, float(t.falls or t.order), t.steps, t.stages, int(bool(np.any(t.error_low))), t.a, t.b, t.c, t.error, t.error_low, t.dense,
        t.inside, t.slope, np.array(INSIDE), t.transform, t.inverse, t.real, t.pairs,
    )  # fmt: skip


def change_method(run: _Run) -> None:
    """Another method from here on, as the loop asks for, or exact derivatives for the one at hand."""
    now, p, wanted = run.now, run.p, run.now.wanted
    now.wanted = 0
    if wanted == EXACTLY:
        now.exact, now.linear, now.h_hard, now.h_before = 1, 0, 0.0, 0.0
        run.solver = solver_of(p, run.mem, run.method, exact=True, instead=run.solver)
        return
    before, implicit = run.method.kind, wanted != THE_EXPLICIT
    made = method(f"radau{2 * (wanted - RADAU) - 1}") if implicit else p.method
    if implicit and before == EXPLICIT:
        run.solver = solver_of(p, run.mem, arrays_of(made), instead=no_solver())
        if run.solver is no_solver():
            now.choosing = 0  # its derivatives are too long: explicit, whatever it takes
            return
    if not implicit:
        # more careful next time
        now.patience, now.fresh = 2 * now.patience, AGAIN_HELD
    run.methods.append(Made(run.t, made.name, _why(run, made, before, implicit)))
    run.method, now.lenience = arrays_of(made), lenience(made, p.rtol)
    now.held = now.other = now.looked = now.quiet = now.linear = 0
    now.h_before = now.h_accepted = now.h_factored = 0.0
    now.last_error, now.slowness = 1.0, 1.0


def _why(run: _Run, made: Tableau, before: int, implicit: bool) -> str:
    """Why a method is taken, in words."""
    rate, h = f"{run.now.fastest:.3g}/s", f"{abs(run.now.h):.2g} s"
    if before == EXPLICIT:
        return f"stiff: the fastest rate, {rate}, holds explicit steps at {h}"
    if not implicit:
        return f"no longer stiff: the fastest rate is {rate}, and steps of {h} are short beside it"
    if made.steps < run.method.steps:
        return "Newton's method did not converge"
    return "Newton's method converges, and a higher order makes longer steps"
