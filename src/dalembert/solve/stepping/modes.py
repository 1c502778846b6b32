"""Changes of mode inside the time loop: friction of one component that sticks, slips or turns round, and gaps that open.

All rows of gaps and friction are there from the start, and are held or off (`kernels/layout.py`).  Where friction comes to rest, cannot hold any more, or a gap presses no
more, what its island (the bodies that rows connect with it) does from there on is the contact problem of second rates (`solve/contact_problem.py`)

    w = b + A p      gap: 0 <= p _|_ w >= 0      friction: |p| <= r,  w != 0 => p = -r sign w      r = mu N(lam), or F

with b, lam of the joints alone and A the mobility of the rows that may act.  It is solved by the kernel of time steps (`kernels/impulses.py`); then the mode is put in place, the
equations are evaluated with it, and every line is looked at once more with the forces of that evaluation.  What is not clear, to the last digits, is for Python: nothing has
changed then.  Each change leaves a line in the log of the loop, with the mode after it.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from ...kernels import friction as slip
from ...kernels import watch
from ...kernels.compiler import kernel
from ...kernels.evaluate import switch_block
from ...kernels.hold import project_velocity
from ...kernels.impulses import solve_impulses
from ...kernels.layout import (
    ACC,
    BIAS,
    BLOCK,
    BLOCK_SIZE,
    FLOOR,
    LAM,
    N_BODIES,
    N_ROWS,
    OFF,
    PLANE,
    RATE,
    ROW,
    ROW_SIZE,
    Y,
)
from ...kernels.operate import EVALUATE, RATES, SOLVE
from ...kernels.rows import apply, row_dot
from ...kernels.through import call
from .equations import derivative, to_last_bit
from .outputs import keep_step
from .records import AGAIN_HELD
from .start import begin

# what a watched number belongs to: friction that slips, or holds; a gap that is open, or presses
NEITHER, SLIPPING, HOLDING, OPEN, PRESSING = range(5)
# what friction does besides slipping up (1) or down (-1): it holds, or does not act
STICKS, ABSENT = 0, 9
# a rate that is none: this part of the model's length (or radians) in a second, times the largest velocity
STILL = 1e-10
# part of the mobility that a row has without joints which they must leave
HELD = 1e-10
# parts of the largest term: that are rounding, that the solution may leave, and that a force or rate must be to decide
ROUNDING, LEFT, CLEAR = 1e-12, 1e-11, 1e-9
# by how much limits are lower where one has been reached: what slips then moves
BARELY = 1e-6
# smallest pivot of rows that are held, relative to their entries, with which they count as independent
INDEPENDENT = 1e-9
# floors of rows that are held, as parts of their entries
KEPT = 1e-15
# changes at one instant, and what two times may differ by to be one, in rounding of the time
AT_ONCE, SAME = 20, 64.0


class Modes(NamedTuple):
    """Gaps and friction whose modes the loop changes; empty where Python does."""

    kind: np.ndarray  # of everything that is watched: what it belongs to, and its number
    which: np.ndarray
    active: np.ndarray  # of everything that is watched: the flags of the watch
    scale0: np.ndarray  # scales of the inputs of the watch at the start
    # gaps: block and row that hold it, row of its measure, island; what watches it while it is open, and while it presses
    gap_block: np.ndarray
    gap_row: np.ndarray
    gap_free: np.ndarray
    gap_island: np.ndarray
    gap_open: np.ndarray
    gap_press: np.ndarray
    closed: np.ndarray  # 1: it is held
    # friction: block that holds it, row of what slips, island, element of `kernels/friction.py`; what watches it while it slips, and while it holds
    block: np.ndarray
    free: np.ndarray
    island: np.ndarray
    element: np.ndarray
    slipping: np.ndarray
    holding: np.ndarray
    static: np.ndarray  # coefficient, or force, up to which it holds
    coupled: np.ndarray  # 1: that is a coefficient
    unit: np.ndarray  # unit of its rate
    own: np.ndarray  # the gap at which it acts; -1: it always does
    first: (
        np.ndarray
    )  # gaps before it in its contact, one of which acts in its place where it is closed: first and last of `before`
    before: np.ndarray
    way: np.ndarray  # 1, -1: it slips up or down; STICKS, ABSENT
    # scratch: mode before; gaps and friction of the island; rates; rows of the problem
    way_before: np.ndarray
    closed_before: np.ndarray
    gaps: np.ndarray
    some: np.ndarray
    rate: np.ndarray
    row: np.ndarray
    weaker: np.ndarray
    opens: np.ndarray
    floor: np.ndarray  # status of all rows before
    v: np.ndarray
    # lines beside those of the log: mode after each
    way_log: np.ndarray
    closed_log: np.ndarray
    last: np.ndarray  # time of the last change; how many there were then


@cache
def no_modes() -> Modes:
    """Everything is for Python."""
    none, numbers = np.zeros(0, dtype=np.int64), np.zeros(0)
    return Modes(
        *(none,) * 3, numbers, *(none,) * 13, numbers, none, numbers, *(none,) * 8, numbers, none, none, none, numbers, numbers,
        np.zeros((0, 0), dtype=np.int64), np.zeros((0, 0), dtype=np.int64), np.zeros(2),
    )  # fmt: skip


@kernel
def acts(m, k):
    """Return True if friction k acts: its gap is closed, and no gap of its contact before it."""
    if m.own[k] < 0:
        return True
    closed = m.closed[m.own[k]] != 0
    for i in range(m.first[k], m.first[k + 1]):
        closed = closed and m.closed[m.before[i]] == 0
    return closed


@kernel
def kept(I, F, row):
    """Floor of a row that is held, by the free row of the same measure."""
    o, total = I[ROW] + ROW_SIZE * row, 0.0
    wrench, step = I[o], I[o + 1]
    for _ in range(I[o + 2], I[o + 2 + ROW_SIZE]):
        for i in range(3 if I[PLANE] else 6):
            total += F[wrench + i] ** 2
        wrench = wrench + step
    return KEPT * total


@kernel
def put_status(e, m, k, way):
    """Let friction k slip a way, hold, or not act: the status of its rows and of its force."""
    o = m.element[k]
    entry = e.S[slip.NUMBER] + slip.NUMBER_SIZE * o
    slips = way == 1 or way == -1
    e.X[entry + slip.STATUS] = slip.GIVEN if slips else slip.ABSENT
    if slips:
        e.X[entry + 1] = float(way)
    switch_block(e.I, e.F, m.block[k], kept(e.I, e.F, m.free[k]) if way == STICKS else OFF)
    m.way[k] = way


@kernel
def put_gap(e, m, j, closed):
    """Hold a gap, or let it go."""
    switch_block(e.I, e.F, m.gap_block[j], kept(e.I, e.F, m.gap_free[j]) if closed else OFF)
    m.closed[j] = 1 if closed else 0


@kernel
def watch_modes(m, w):
    """What is watched of every gap and friction: it begins on the side of its mode."""
    for j in range(m.closed.shape[0]):
        if m.gap_open[j] >= 0:
            m.active[m.gap_open[j]], m.active[m.gap_press[j]] = 1 - m.closed[j], m.closed[j]
            w.held[m.gap_open[j]], w.held[m.gap_press[j]] = 1.0, 1.0
    for k in range(m.way.shape[0]):
        way = m.way[k]
        slips = way == 1 or way == -1
        m.active[m.slipping[k]], m.active[m.holding[k]] = 1 if slips else 0, 1 if way == STICKS else 0
        w.held[m.slipping[k]], w.held[m.holding[k]] = float(way) if slips else 1.0, 1.0


@kernel
def widen(I, F, m, w):
    """A rate that is none begins on the wrong side by what rounding leaves of it: it is not known better than that."""
    for k in range(m.way.shape[0]):
        if m.way[k] == 1 or m.way[k] == -1:
            scalar = w.input[w.input0[m.slipping[k]], 1]
            u = F[I[RATE] + m.free[k]]
            w.scale[scalar] = m.scale0[scalar]
            if u * m.way[k] < 0.0 and abs(u) <= STILL * m.unit[k]:
                w.scale[scalar] = max(m.scale0[scalar], abs(u) / (10.0 * watch.EVENT_ATOL))


@kernel
def gather(F, I, m, island, opening, fast):
    """Gaps and friction that act in an island, with their rates; how many of each."""
    n_gaps, n_some = 0, 0
    for j in range(m.closed.shape[0]):
        if m.gap_island[j] == island and m.closed[j] != 0 and j != opening:
            m.gaps[n_gaps] = j
            n_gaps += 1
    for k in range(m.way.shape[0]):
        if m.island[k] == island and m.way[k] != ABSENT and (m.own[k] < 0 or m.own[k] != opening):
            u = F[I[RATE] + m.free[k]]
            m.rate[n_some] = 0.0 if abs(u) <= STILL * m.unit[k] * fast else u
            m.some[n_some] = k
            n_some += 1
    return n_gaps, n_some


@kernel
def respond(e, row):
    """Scaled response to a unit impulse along a free row, with the joints holding, at ACC, and its multipliers; return its mobility without joints, negative where they hold it, too."""
    I, F, width, own = e.I, e.F, 3 if e.I[PLANE] else 6, 0.0
    acc, nv = I[ACC], width * I[N_BODIES]
    for i in range(nv + width):
        F[acc + i] = 0.0
    apply(I, F, row, -1.0, acc)
    for i in range(width):
        F[acc + nv + i] = 0.0
    for i in range(nv):
        own += F[acc + i] ** 2
    if I[N_ROWS] > 0:
        for r in range(I[N_ROWS]):
            F[I[Y] + r] = row_dot(I, F, r, acc) if F[I[FLOOR] + r] < OFF else 0.0
        call(e.rest, SOLVE, I, e.P, F, 0.0, F[:0], F[:0], F[:0], 0.0, 1)
        apply(I, F, row, -1.0, acc)
        for i in range(width):
            F[acc + nv + i] = 0.0
    return own if row_dot(I, F, row, acc) > HELD * own else -max(own, 1e-300)


@kernel
def read_pads(e, m, x, n_gaps, n_some, column):
    """What presses on friction, by the multipliers at hand, into a column of the problem."""
    S, X = e.S, e.X
    for i in range(n_some):
        o = m.element[m.some[i]]
        if m.coupled[m.some[i]] == 0:
            continue
        first, last = slip.components_of(S, o)
        c = x.component0[x.pad[n_gaps + i, 0]]
        for k in range(first, last):
            x.press[c + k - first, column] = slip.component(S, X, e.I, e.F, k)


@kernel
def press_of_gaps(e, m, x, n_gaps, n_some):
    """What closed gaps press on friction with: their multipliers are -p."""
    S, X = e.S, e.X
    for i in range(n_some):
        o = m.element[m.some[i]]
        if m.coupled[m.some[i]] == 0:
            continue
        first, last = slip.components_of(S, o)
        c = x.component0[x.pad[n_gaps + i, 0]]
        for k in range(first, last):
            for n in range(S[S[slip.COMPONENT] + k], S[S[slip.COMPONENT] + k + 1]):
                for g in range(n_gaps):
                    if S[S[slip.ENTRY] + n] == m.gap_row[m.gaps[g]]:
                        x.press[c + k - first, 1 + g] -= X[S[slip.WEIGHT] + n]


@kernel
def list_elements(e, m, x, n_gaps, n_some):
    """Elements of the problem: gaps first, then friction with its pads; return False where there is no room."""
    S, pads, components = e.S, 0, 0
    if n_gaps + n_some > x.first.shape[0]:
        return False
    x.many[0], x.many[1] = n_gaps + n_some, n_gaps + n_some
    for i in range(n_gaps + n_some):
        x.first[i], x.brakes[i], x.slides[i] = i, 0, 0
        x.normal[i], x.tangents[i] = (1, 0) if i < n_gaps else (0, 1)
        x.mu[i], x.force[i], x.pad[i, 0], x.pad[i, 1] = 0.0, 0.0, 0, 0
        x.target[i], x.least[i], x.before[i], x.along[i], x.p[i] = 0.0, 0.0, 0.0, 0.0, 0.0
        m.row[i] = m.gap_free[m.gaps[i]] if i < n_gaps else m.free[m.some[i - n_gaps]]
    for i in range(n_some):
        x.pad[n_gaps + i, 0] = pads
        o = m.element[m.some[i]]
        if m.coupled[m.some[i]] != 0:
            for p in range(S[S[slip.PAD0] + o], S[S[slip.PAD0] + o + 1]):
                x.component0[pads] = components
                components += slip.first_component(S, p + 1) - slip.first_component(S, p)
                pads += 1
        x.pad[n_gaps + i, 1] = pads
    x.component0[pads], x.many[2] = components, components
    return True


@kernel
def pose_problem(e, now, mem, m, x, n_gaps, n_some):
    """b and A of the rows that may act, with all of them off; return the size of the rates, or a negative number where joints hold a gap, or a slip that does not begin clearly.

    At a dead centre joints alone decide how a rate goes on: friction does not change it, and is against it.
    """
    I, F, rows, scale = e.I, e.F, n_gaps + n_some, 0.0
    for g in range(n_gaps):
        put_gap(e, m, m.gaps[g], False)
    for i in range(n_some):
        put_status(e, m, m.some[i], ABSENT)
    derivative(e, EVALUATE, now.t, mem.q, mem.v, mem.z, mem.K[: mem.y.shape[0]])
    now.evaluations += 1
    read_pads(e, m, x, n_gaps, n_some, 0)
    for r in range(rows):
        bias = F[I[BIAS] + m.row[r]]
        along = row_dot(I, F, m.row[r], I[ACC])
        x.free[r] = along + bias
        if abs(x.free[r]) < ROUNDING * (abs(along) + abs(bias)):
            x.free[r] = 0.0
        scale = max(scale, abs(x.free[r]))
    for r in range(rows):
        mobile, x.moved[r] = respond(e, m.row[r]), rows
        for s in range(rows):
            # response of row r to all rows: column r of A
            x.response[r, s] = row_dot(I, F, m.row[s], I[ACC])
        x.diagonal[r] = x.response[r, r]
        read_pads(e, m, x, n_gaps, n_some, 1 + r)
        if mobile < 0.0:
            x.diagonal[r] = -mobile
            if r < n_gaps:
                return -1.0
            if m.rate[r - n_gaps] == 0.0:
                if not abs(x.free[r]) > CLEAR * scale:
                    return -1.0
                m.rate[r - n_gaps] = 1.0 if x.free[r] > 0.0 else -1.0
    press_of_gaps(e, m, x, n_gaps, n_some)
    return scale


@kernel
def put_sizes(e, m, x, n_gaps, n_some, reached):
    """Coefficients and forces of friction in the problem: static ones of what rests, of what slips those at its rate.

    `reached`: friction that has come to its limit, -1 none; then all limits are a little lower, so that what has to move does.  What began to slip under its static size
    is marked `weaker`.
    """
    for i in range(n_some):
        k, o = m.some[i], n_gaps + i
        size, lower = slip.size_of(e.S, e.X, e.I, e.F, m.element[k]), 1.0
        if not size >= 0.0:
            return False
        if m.rate[i] == 0.0:
            if k != reached and m.weaker[i] == 0:
                size = m.static[k]
            if reached >= 0:
                lower = 1.0 - BARELY
        else:
            x.slides[o], x.along[o] = 1, 1.0 if m.rate[i] > 0.0 else -1.0
        if m.coupled[k] != 0:
            x.mu[o] = lower * size
        else:
            x.force[o] = lower * size
    return True


@kernel
def limit(x, o):
    """What element o may carry at the forces that were found."""
    total = x.force[o]
    for n in range(x.pad[o, 0], x.pad[o, 1]):
        square = 0.0
        for c in range(x.component0[n], x.component0[n + 1]):
            part = x.press[c, 0]
            for r in range(x.many[1]):
                part += x.press[c, 1 + r] * x.p[r]
            square += part * part
        total += x.mu[o] * math.sqrt(square)
    return total


@kernel
def read_modes(m, x, n_gaps, n_some, scale):
    """Modes of what was solved, into `opens` of gaps and `row` of friction; 1 where that is clear, 0 where not, 2 where something began to slip that had not."""
    rows, force = n_gaps + n_some, 0.0
    for r in range(rows):
        force = max(force, abs(x.p[r]))
        total = x.free[r]
        for s in range(rows):
            total += x.response[s, r] * x.p[s]
        x.rest[r] = total
    for g in range(n_gaps):
        presses, opens = x.p[g] > CLEAR * force, x.rest[g] > CLEAR * scale
        if presses == opens:
            return 0
        m.opens[g] = 1 if opens else 0
    found = 1
    for i in range(n_some):
        o = n_gaps + i
        if x.slides[o] != 0:
            m.row[i] = 1 if x.along[o] > 0.0 else -1
            continue
        most, w = limit(x, o), x.rest[o]
        if abs(x.p[o]) < most * (1.0 - 1e-2 * BARELY):
            m.row[i] = STICKS
            if abs(w) > CLEAR * scale:
                return 0
        elif abs(w) > CLEAR * scale:
            m.row[i] = 1 if w > 0.0 else -1
            if m.weaker[i] == 0:
                m.weaker[i], found = 1, 2
        else:
            return 0
    return found


@kernel
def put_modes(e, m, n_gaps, n_some):
    """Put the modes that were found in place."""
    for g in range(n_gaps):
        if m.opens[g] == 0:
            put_gap(e, m, m.gaps[g], True)
    for i in range(n_some):
        put_status(e, m, m.some[i], m.row[i])
    lead(e, m)


@kernel
def lead(e, m):
    """Friction of contacts acts while its gap is closed."""
    for k in range(m.way.shape[0]):
        if m.own[k] >= 0 and m.way[k] != ABSENT and not acts(m, k):
            put_status(e, m, k, ABSENT)


@kernel
def leaderless(m, island):
    """Return True if friction should act that does not: another gap of its contact has opened."""
    for k in range(m.way.shape[0]):
        if m.island[k] == island and m.own[k] >= 0 and m.way[k] == ABSENT and acts(m, k):
            return True
    return False


@kernel
def take_back(e, m):
    """The mode before, and the force that goes with it."""
    for j in range(m.closed.shape[0]):
        if m.closed[j] != m.closed_before[j]:
            put_gap(e, m, j, m.closed_before[j] != 0)
    for k in range(m.way.shape[0]):
        if m.way[k] != m.way_before[k]:
            put_status(e, m, k, m.way_before[k])
    for r in range(m.floor.shape[0]):
        e.F[e.I[FLOOR] + r] = m.floor[r]


@kernel
def fits(e, now, mem, m, island, fast):
    """Every line of the problem once more, by the forces and second rates of the equations in their new mode; `fast`: size of the second rates without friction."""
    I, F, most = e.I, e.F, 1e-300
    for r in range(I[N_ROWS]):
        most = max(most, abs(F[I[LAM] + r]))
    for j in range(m.closed.shape[0]):
        if m.gap_island[j] == island and m.closed[j] != 0 and F[I[LAM] + m.gap_row[j]] > CLEAR * most:
            return False
        opened = m.gap_island[j] == island and m.closed[j] == 0 and m.closed_before[j] != 0
        if opened and row_dot(I, F, m.gap_free[j], I[ACC]) + F[I[BIAS] + m.gap_free[j]] < -CLEAR * fast:
            return False
    for k in range(m.way.shape[0]):
        if m.island[k] != island or m.way[k] == ABSENT:
            continue
        u = F[I[RATE] + m.free[k]]
        second = row_dot(I, F, m.free[k], I[ACC]) + F[I[BIAS] + m.free[k]]
        if m.way[k] == STICKS:
            o, held = m.element[k], abs(F[I[LAM] + I_row(I, m.block[k])])
            total = 0.0 if m.coupled[k] != 0 else m.static[k]
            if m.coupled[k] != 0:
                for p in range(e.S[e.S[slip.PAD0] + o], e.S[e.S[slip.PAD0] + o + 1]):
                    square = 0.0
                    for c in range(slip.first_component(e.S, p), slip.first_component(e.S, p + 1)):
                        square += slip.component(e.S, e.X, I, F, c) ** 2
                    total += m.static[k] * math.sqrt(square)
            if held > total + CLEAR * most:
                return False
        elif abs(u) <= STILL * m.unit[k] and second * m.way[k] < -CLEAR * fast:
            return False
    return True


@kernel
def I_row(I, block):
    """First row of a block."""
    return I[I[BLOCK] + BLOCK_SIZE * block + 1]


@kernel
def undo(e, now, mem, w, m):
    """Everything as it was before a change that Python has to make."""
    take_back(e, m)
    for i in range(mem.v.shape[0]):
        mem.v[i] = m.v[i]
    watch_modes(m, w)
    now.fresh = AGAIN_HELD
    return False


@kernel
def change(e, now, mem, w, m, x, store, n):
    """Change the mode where what is watched under number n has happened; False, and nothing changes, where Python has to."""
    I, F, kind, k, fast = e.I, e.F, m.kind[n], m.which[n], 1.0
    if kind in (NEITHER, OPEN):
        return False
    m.last[1] = m.last[1] + 1.0 if abs(now.t - m.last[0]) <= SAME * watch.EPSILON * abs(now.t) else 0.0
    m.last[0] = now.t
    if m.last[1] > AT_ONCE:
        return False
    for i in range(mem.v.shape[0]):
        m.v[i] = mem.v[i]
        fast = max(fast, abs(mem.v[i]))
    for i in range(m.way.shape[0]):
        m.way_before[i] = m.way[i]
    for i in range(m.closed.shape[0]):
        m.closed_before[i] = m.closed[i]
    for r in range(I[N_ROWS]):
        m.floor[r] = F[I[FLOOR] + r]
    derivative(e, EVALUATE, now.t, mem.q, mem.v, mem.z, mem.K[: mem.y.shape[0]])
    now.evaluations += 1
    if kind == PRESSING:
        # a gap opens from its surface to the last digit, or it would close at once
        to_last_bit(e, now.t, mem.q, mem.v, mem.delta)
        derivative(e, EVALUATE, now.t, mem.q, mem.v, mem.z, mem.K[: mem.y.shape[0]])
    opening = k if kind == PRESSING else -1
    island = m.gap_island[k] if kind == PRESSING else m.island[k]
    n_gaps, n_some = gather(F, I, m, island, opening, fast)
    if not list_elements(e, m, x, n_gaps, n_some):
        return undo(e, now, mem, w, m)
    if opening >= 0:
        put_gap(e, m, opening, False)
        for i in range(m.way.shape[0]):
            if m.own[i] == opening and m.way[i] != ABSENT:
                put_status(e, m, i, ABSENT)
    scale = pose_problem(e, now, mem, m, x, n_gaps, n_some)
    if not scale > 0.0:
        return undo(e, now, mem, w, m)
    clear = 2
    for i in range(n_some):
        m.weaker[i] = 0
    while clear == 2:
        if not put_sizes(e, m, x, n_gaps, n_some, k if kind == HOLDING else -1):
            return undo(e, now, mem, w, m)
        left, _ = solve_impulses(x, 1, scale)
        if not left <= LEFT * scale:
            return undo(e, now, mem, w, m)
        clear = read_modes(m, x, n_gaps, n_some, scale)
    if clear == 0:
        return undo(e, now, mem, w, m)
    put_modes(e, m, n_gaps, n_some)
    if leaderless(m, island) or (kind == HOLDING and m.way[k] == STICKS):
        return undo(e, now, mem, w, m)
    now.fresh = AGAIN_HELD
    begin(e, now, mem, w)
    if not now.pivot > INDEPENDENT:
        return undo(e, now, mem, w, m)
    project_velocity(e.rest, RATES, I, e.P, F, e.t0 + now.t, mem.q, mem.v, mem.delta, 0.0, 2)
    watch_modes(m, w)
    now.fresh = AGAIN_HELD
    begin(e, now, mem, w)
    if not fits(e, now, mem, m, island, scale):
        return undo(e, now, mem, w, m)
    widen(I, F, m, w)
    now.t_switched = now.t
    keep_step(e, now, mem, store)
    return True
