"""The compiled time loop: explicit Runge-Kutta steps, projection at every accepted step, output on the constraints.

One step
    stages      k_s = (q', a, z') at the stage points, accelerations with exact constraints, z' by the laws of auxiliary states
    error       embedded estimate against atol, rtol; a rejected step is repeated shorter
    inside      the equations at points that the method has not used: their rates against those of the step, and the work of forces
    projection  positions, then velocities, with the factor of the last stage; then the derivative at the projected end
    angles      turns of counted angles, against the angle predicted from its rate
    switches    a law that changes inside the step ends it there (`watch.py`); its side is held during the step and changed after it
    output      dense output at the times inside the step, projected, with accelerations and multipliers computed there

The equations are called through their address (`kernels/through.py`): the loop is the same for every kind of model.  Explicit methods, collocation and Newmark's have a version of
it each (branches on `method.kind` are decided when it is compiled): most runs never need the implicit ones, which are the larger part.

Python is entered when the budget of steps is used up (Ctrl-C, progress), when a buffer is full, and at the end.
"""

from __future__ import annotations

import math

from ...kernels import watch
from ...kernels.compiler import kernel, versions
from ...kernels.layout import N_DRIVERS, N_LAWS, N_ROWS
from ...kernels.operate import EVALUATE
from ...kernels.project import position_residual
from .. import status
from ..integrators._base import COLLOCATION, EXPLICIT, NEWMARK
from .attempt import attempt
from .bridge import foresee
from .choice import notice, notice_failure
from .collocation import keep_stages
from .control import (
    after_acceptance,
    after_implicit,
    after_rejection,
    cut_short,
    end_of_step,
    is_too_small,
    with_outputs,
)
from .equations import evaluate, keep_angles, watch_pivots
from .impacts import by_itself
from .inside import point_inside
from .landing import land
from .newmark import keep_end
from .outputs import dense_stages, keep_step, outputs
from .pieces import TURN, arrive_again, dense_path, look_in_middle, look_in_pieces, turned
from .records import AGAIN_HELD
from .start import begin

# switches at (nearly) one instant, after which a law is taken to jump back and forth
CHATTERS = 60
# Forces that are watched, at two more points of a step: off their parabola by less than this part of what is left before anything happens, or of the largest
# value, they follow it; or by what this part of the scale of forces makes of it
EARLY, LATE = 1, 3  # among the places where forces are looked at
NEAR_BY, FLAT, NO_FORCE = 0.1, 1e-3, 1e-8
# steps are not cut more often for that: a force may be rough
HALVINGS = 8
# attempts between two accepted steps, besides one for each switch: rejections, cuts (30) and switches at one instant (CHATTERS) together stay below it
STALLED = 1000


@kernel
def undo(e, mem):
    """Powers at the start of the step, which an attempt has overwritten."""
    for k in range(e.I[N_LAWS] + e.I[N_DRIVERS]):
        mem.power[k] = mem.power0[k]


@kernel
def accept(e, method, now, mem, kept, t_new):
    """Make the end of the attempt the state."""
    I, n = e.I, mem.y.shape[0]
    for i in range(n):
        mem.y[i] = mem.new_y[i]
    for i in range(n):
        mem.K[i] = mem.K[method.steps * n + i]
    keep_angles(e, t_new, mem.next_angle, mem.next_rate)
    now.t, now.stored = t_new, now.stored_next
    for k in range(I[N_LAWS] + I[N_DRIVERS]):
        mem.work[k] += mem.stage_work[k]
    now.worst_defect = max(now.worst_defect, now.defect)
    now.worst_unbalanced = max(now.worst_unbalanced, now.unbalanced)
    now.steps += 1
    now.stalled = 0
    keep_step(e, now, mem, kept)


@kernel
def note_switch(now, mem, w, n, t):
    """Enter a switch into the list of the run; return False if laws jump back and forth at one instant.  Events are for Python to list."""
    if w.kind[n] == watch.EVENT:
        now.last_switch = n
        return True
    k = now.switches
    if k < mem.switch_time.shape[0]:
        mem.switch_time[k], mem.switch_owner[k] = t, w.owner[n]
    now.switches, now.last_switch = k + 1, n
    near = abs(t - now.t_switched) <= 1e3 * now.h_min
    now.chatter = now.chatter + 1 if near else 0
    now.t_switched = t
    now.fresh = AGAIN_HELD
    # a law on its other side has another fastest rate
    now.looked = 0
    return now.chatter <= CHATTERS


@kernel
def is_at_start(now, h, x):
    """Whether the fraction x of the step is its start itself: rounding of the times that the step is between, which at t = 0 is that of its length."""
    return x * abs(h) <= 4.0 * watch.EPSILON * max(abs(now.t), abs(now.t + h))


@kernel
def multipliers_inside(e, o, now, mem, w, h, x, jets, place):
    """Multipliers that are watched at the fraction x of the attempt, into a place of the jets; rates at its end stand at o."""
    for i in range(mem.y.shape[0]):
        # the cubic through both ends
        d = mem.new_y[i] - mem.y[i]
        left, right = h * mem.K[i] - d, d - h * mem.K[o + i]
        mem.stage_y[i] = mem.y[i] + x * d + x * (1.0 - x) * ((1.0 - x) * left + x * right)
    evaluate(e, EVALUATE, now.t + x * h, mem.stage_q, mem.stage_v, mem.stage_z, mem.a)
    now.evaluations += 1
    for k in range(w.scalar.shape[0]):
        if w.rate_only[k] >= watch.MULTIPLIER:
            jets[k, place] = watch.force_of(e.I, e.F, w, k)


@kernel
def watch_multipliers(e, o, now, mem, w, h, probed):
    """Multipliers that are watched, in the middle of the attempt among the rates at its end, and, if so asked, where they are compared with their parabolas; what is current stays that of the end.

    Whether there are any.
    """
    watched = False
    for n in range(w.kind.shape[0]):
        watched = watched or watch.feels(w, n)
    if not watched:
        return False
    multipliers_inside(e, o, now, mem, w, h, 0.5, w.jets1, 1)
    if probed:
        multipliers_inside(e, o, now, mem, w, h, w.looked[EARLY], w.jets0, 2)
        multipliers_inside(e, o, now, mem, w, h, w.looked[LATE], w.jets1, 2)
    evaluate(e, EVALUATE, now.t + h, mem.new_q, mem.new_v, mem.new_z, mem.a)
    now.evaluations += 1
    return True


@kernel
def follows(F, w, t, h, x, jets):
    """Whether what is watched of forces is at the fraction x of the step where their parabolas have it; the forces there stand among second rates."""
    for n in range(w.kind.shape[0]):
        if w.kind[n] == watch.EVENT and watch.feels(w, n):
            f, low, high = watch.value_at(F, w, n, t, h, x), math.inf, 0.0
            for k in range(3):
                there = abs(watch.value_at(F, w, n, t, h, 0.5 * k))
                low, high = min(low, there), max(high, there)
            watch.displace(w, h, x, jets)
            g = watch.value_at(F, w, n, t, h, x)
            watch.fit(w, h)
            off = abs(g - f)
            if off > max(NEAR_BY * min(low, abs(g)), FLAT * max(high, abs(g))) and off > watch.slack(F, w, n, t, h, 0.0, NO_FORCE):  # fmt: skip
                return False
    return True


@kernel
def look_for_switches(e, method, now, mem, w, h):
    """The first switch in the attempt, or part of it that was not seen: (fraction, length of that part, number of the switch or -1)."""
    o, nq = method.steps * mem.y.shape[0], mem.q.shape[0]
    probed = watch_multipliers(e, o, now, mem, w, h, now.cuts < HALVINGS) and now.cuts < HALVINGS
    watch.read_scalars(e.I, e.F, w, mem.new_q, mem.new_v, mem.K[o + nq : o + nq + mem.v.shape[0]], w.jets1, 0)
    if probed:
        watch.fit(w, h)
        if not (
            follows(e.F, w, now.t, h, w.looked[EARLY], w.jets0) and follows(e.F, w, now.t, h, w.looked[LATE], w.jets1)
        ):
            return 0.0, 1.0, -1
    point_inside(method, mem.K, mem.y.shape[0], h, 1, mem.y, mem.stage_y)
    angle = turned(w, h, mem.v, mem.stage_v, mem.new_v)
    look_in_middle(
        e,
        now.rtol,
        now.atol,
        w,
        now.t,
        h,
        mem.stage_q,
        mem.stage_v,
        mem.stage_z,
        mem.new_q,
        mem.new_v,
        mem.new_z,
        mem.delta,
    )
    watch.learn(e.F, w, now.t, h, now.rtol, now.atol, method.c, method.steps, True)
    if probed:
        # what the stages see of a force moves nothing that sticks
        watch.learn(e.F, w, now.t, h, now.rtol, now.atol, w.looked, w.looked.shape[0] - 1, False)
    x, length, found, doubtful = watch.examine(e.F, w, now.t, h, now.rtol, now.atol, now.pending, watch.WHOLE, True)
    if doubtful or angle > TURN:
        if not dense_stages(e, method, now, mem, now.t, h):
            return 0.0, 1.0, -1
        dense_path(method, h, mem.y, mem.K, mem.path)
        x, length, found = look_in_pieces(e, now.rtol, now.atol, now, mem, w, now.t, h, angle, now.pending, True)
        arrive_again(e, now, w, now.t, h, mem.new_q, mem.new_v, mem.new_z, mem.delta)
    return x, length, found


@kernel
def reject(e, method, now, mem, h, error):
    """After an attempt that missed the tolerance: back to its start, with a smaller step; False where time itself has no smaller steps."""
    undo(e, mem)
    now.rejected += 1
    # derivatives are those along a step of another length, in which stiff directions turn by another angle
    now.cut, now.pending, now.linear = 0, -1, 0
    if abs(h) <= 8.0 * watch.EPSILON * abs(now.t):
        return False
    if now.hard > 0:
        notice_failure(method, now)
    if not after_rejection(now, h, error, method.order) and now.again > 1 and e.I[N_ROWS] > 0:
        watch_pivots(e, mem.q, mem.v, now)
    return True


@kernel
def pass_on(w):
    """What is watched begins at the end of the step."""
    for k in range(w.scalar.shape[0]):
        w.jets0[k, 0], w.jets0[k, 1], w.jets0[k, 2] = w.jets1[k, 0], w.jets1[k, 1], w.jets1[k, 2]


@kernel
def may_land(method, now, w, length, found):
    """Return True if the attempt was cut short for an event, and nothing else happens before."""
    if method.kind != EXPLICIT or now.cut == 0 or now.pending < 0 or now.afloat != 0 or length != 0.0:
        return False
    return w.kind[now.pending] == watch.EVENT and w.held[now.pending] != 0.0 and (found == now.pending or found < 0)


@kernel
def forget_cut(now):
    """Go on with the step that was cut short."""
    if now.cut:
        now.h = now.h_uncut
    now.cut, now.pending, now.cuts, now.afloat = 0, -1, 0, 0


@kernel
def go_on(now, w):
    """After a step that is accepted: what is watched begins at its end; return the switch that the step was cut short for, or -1."""
    pass_on(w)
    found = -1
    if now.cut:
        # the step was shortened for a reason of its own: go on with that before
        found = now.pending
        forget_cut(now)
    return found


@kernel
def happens(e, now, mem, w, b, m, p, kept, found, t, h, x):
    """Let happen what was located at the fraction x of a step of length h from t; return DONE where the loop goes on."""
    halts = watch.flip(e.F, w, found, t, h, x)
    if not note_switch(now, mem, w, found, now.t):
        return status.CHATTERING
    if halts and not by_itself(e, now, mem, w, b, m, p, kept, found, t, h, x):
        return status.SWITCHED
    return status.DONE


@kernel
def rows_have_changed(e, now):
    """Return True if redundant rows no longer follow from the others, or if those that are held have become nearly dependent."""
    if now.dropped == math.inf:
        return False
    return position_residual(e.I, e.P, e.F)[1] > now.dropped or now.pivot < 0.25 * now.pivot_chosen


@kernel
def why_too_small(now):
    """Why steps have become too small."""
    return status.NOT_FINITE if now.bad > 0 else status.UNSOLVED if now.hard > 0 else status.STEP_TOO_SMALL


@versions("method", "kind", 3)
def integrate(e, method, now, mem, out, kept, w, b, m, p, s, g, budget):
    """Run until the end time, the budget or a full buffer; the state stays in the arguments."""
    I, F = e.I, e.F
    watching = w.kind.shape[0] > 0
    for _ in range(budget):
        if now.t == now.t_end:
            return status.DONE
        if now.fresh:
            begin(e, now, mem, w)
        if now.next_step + 1 >= kept.t.shape[0] or (b.by.shape[0] > 0 and b.many[0] + 1 >= b.log.shape[0]):
            return status.BUFFER
        if now.wanted:
            return status.METHOD
        t_new = with_outputs(now, out, mem.y.shape[0], end_of_step(now))
        h = t_new - now.t
        now.stalled += 1
        if is_too_small(now, t_new) or now.stalled > STALLED + w.kind.shape[0]:
            return why_too_small(now)
        for k in range(I[N_LAWS] + I[N_DRIVERS]):
            mem.power0[k] = mem.power[k]
        error = attempt(e, method, now, mem, s, g, t_new)
        if not error < 1.0:
            if not reject(e, method, now, mem, h, error):
                return why_too_small(now)
            continue
        moved = math.nan
        if watching:
            x, length, found = look_for_switches(e, method, now, mem, w, h)
            if may_land(method, now, w, length, found):
                moved = land(e, method, now, mem, w, now.pending, h)
            if moved == math.inf:
                undo(e, mem)
                now.afloat = 1
                continue
            if moved == moved:
                t_new, x, found = now.t + (h + moved), watch.NONE, -1
            if found >= 0 and is_at_start(now, h, x):
                # nothing to integrate before it
                undo(e, mem)
                forget_cut(now)
                how = happens(e, now, mem, w, b, m, p, kept, found, now.t, h, x)
                if how != status.DONE:
                    return how
                continue
            # a cut by less than time has digits for is none
            reached = found >= 0 and found == now.pending and now.t + x * h == t_new
            if (x < 1.0 or length > 0.0) and now.cuts < 30 and not reached:
                undo(e, mem)
                cut_short(now, h, x, length, found)
                continue
        now.bad = 0
        if out.times.shape[0] > now.next_output and not outputs(e, method, now, mem, out, t_new, h, moved):
            return status.PROJECTION
        if now.choosing:
            notice(e, method, now, mem, s, g, h)
        if method.kind == NEWMARK:
            keep_end(now, mem, s, h)
        before, h = now.t, t_new - now.t
        accept(e, method, now, mem, kept, t_new)
        if method.kind == EXPLICIT:
            after_acceptance(now, h, error, method.order)
        else:
            after_implicit(now, h, error, method.order)
            if method.kind == COLLOCATION:
                keep_stages(method, now, mem, s, h)
        if watching:
            found = go_on(now, w)
            if found >= 0 and watch.arrived(F, w, found, before, h, now.rtol, now.atol):
                how = happens(e, now, mem, w, b, m, p, kept, found, before, h, 1.0)
                if how != status.DONE:
                    return how
                continue
        pivot = now.pivot
        if I[N_ROWS] > 0:
            watch_pivots(e, mem.q, mem.v, now)
        if rows_have_changed(e, now):
            return status.REDETECT
        if I[N_ROWS] > 0 and method.kind == EXPLICIT and foresee(now, mem, h, pivot):
            return status.CROSSING
    return status.BUDGET
