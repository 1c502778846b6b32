"""The contact problem: forces or impulses p of contacts and dry friction, the second rates or rates w of their rows with them.

    w = b + A p        0 <= p_n - l_n  _|_  w_n - c_n >= 0        |p_T| <= r,  and u != 0 => p_T = -r u/|u|

At an instant (`solve/contact_problem.py`) c = 0, l is Poisson's impulse of expansion, and what slips already has a direction e of its own, p_T = -r e.  In a time step l = 0 and
    c_n = -e w_n^-  where the gap closes (Newton; 0 where the bounce would be over within the step), -w_n^- where it opens        r = mu p_n | sum of mu |N L| | F h        u: rates of what slips

The rates of the start of the step are w^-.  Contacts do the work p . (w^- + w)/2: of the normal impulse -(1 - e)/2 p_n |w_n^-| or nothing, of friction that a slip
meets which reverses within the step something positive, perhaps.  Where all of a contact would do positive work, it does not rebound, and if that is not enough its
friction has no part along u^-: it brakes, and does not reverse.  So no contact ever drives.

Rows are G, their responses W = M^-1 G^T with the joints holding, so that A = G W; s = W p is the jump of the (scaled) velocities.  Sweeps of Gauss and Seidel, every
contact solved with the others as they are, begin with the impulses of the last step and take conjugate directions (nonlinear, Fletcher and Reeves) between them;
where there are few rows, the mode that they have found is solved exactly: Newton's method on

    p_n = max(0, p_n - (w_n - c_n)/D)      p_T = the point of the circle r nearest to p_T - u/D
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .compiler import entry, kernel
from .dense import factor_real, solve_real

# rows up to which a mode is solved exactly; sweeps before the first attempt at it, and how many times more before the next ones; its steps
EXACT, FIRST, LATER, STEPS = 90, 8, 4, 8
# sweeps at most, and where much is left
MOST, MOST_BADLY, BADLY = 200, 1000, 1e-5
# of a step's rates, what sweeps may leave, and what is rounding of Newton's method
ENOUGH, ROUNDING = 1e-6, 1e-13
# added to the diagonal, so that rows that depend on others have a solution: that nearest to what the sweeps have found
FIRM = 1e-10


class Problem(NamedTuple):
    """Elements (contacts and frictions), their rows and impulses; how many there are stands in `many`."""

    many: np.ndarray  # elements, rows, components of pads
    number: np.ndarray  # which contact point or friction an element is
    first: np.ndarray  # first row of each element
    normal: np.ndarray  # whether that is of a gap
    tangents: np.ndarray
    mu: np.ndarray
    force: np.ndarray  # h F
    pad: np.ndarray  # first and last pad, which press on it
    brakes: np.ndarray  # 1: friction has no part along the slip of the start
    slides: np.ndarray  # 1: friction has the direction that stands in `along`
    # rows: G and W by bodies, how many and which
    on: np.ndarray
    body: np.ndarray
    wrench: np.ndarray
    moved: np.ndarray
    moved_body: np.ndarray
    response: np.ndarray
    free: np.ndarray  # b
    before: np.ndarray  # w^-
    target: np.ndarray  # c of normal rows
    least: np.ndarray  # l of normal rows
    along: np.ndarray  # e of what slides already
    diagonal: np.ndarray
    p: np.ndarray
    last: np.ndarray  # p before a sweep, and the direction
    way: np.ndarray
    jump: np.ndarray  # s, scaled
    component0: np.ndarray  # pads: first component, and the end
    press: np.ndarray  # (component, 1 + rows): joint impulse without p, and its derivatives
    trial: np.ndarray  # scratch
    matrix: np.ndarray
    small: np.ndarray  # A of a mode
    rest: np.ndarray
    pivot: np.ndarray
    best: np.ndarray


def dense_problem(elements: int, rows: int, components: int) -> Problem:
    """Memory of a problem whose mobility is given: every row is a body of its own."""
    integers, numbers, small = (lambda *shape: np.zeros(shape, dtype=np.int64)), np.zeros, min(rows, EXACT)
    own = np.arange(rows, dtype=np.int64)
    return Problem(  # type: ignore[call-arg]
        np.array([elements, rows, components]), np.arange(elements, dtype=np.int64), *(integers(elements) for _ in range(3)), numbers(elements), numbers(elements),
        integers(elements, 2), integers(elements), integers(elements), np.ones(rows, dtype=np.int64), own.reshape(rows, 1), np.ones((rows, 1)),
        np.full(rows, rows, dtype=np.int64), np.tile(own, (rows, 1)).reshape(rows, rows), numbers((rows, rows)), *(numbers(rows) for _ in range(10)), integers(components + 1),
        numbers((components, 1 + rows)), numbers(6), numbers(small * small), numbers(small * small), numbers(small), integers(small), numbers(small),
    )  # fmt: skip


@kernel
def rate_along(x, width, r, rates):
    """Rate of row r: rates[r] and what the jump at hand adds."""
    total = rates[r]
    for s in range(x.on[r]):
        o, k = width * x.body[r, s], width * s
        for c in range(width):
            total += x.wrench[r, k + c] * x.jump[o + c]
    return total


@kernel
def push(x, width, r, dp):
    """Add the response to an impulse along row r to the jump."""
    for s in range(x.moved[r]):
        o, k = width * x.moved_body[r, s], width * s
        for c in range(width):
            x.jump[o + c] += x.response[r, k + c] * dp


@kernel
def jump_of(x, width):
    """The jump of all impulses, added up anew."""
    for k in range(x.jump.shape[0]):
        x.jump[k] = 0.0
    for r in range(x.many[1]):
        if x.p[r] != 0.0:
            push(x, width, r, x.p[r])


@kernel
def pressing(x, c, p):
    """Impulse of component c of a pad."""
    total = x.press[c, 0]
    for r in range(x.many[1]):
        if p[r] != 0.0:
            total += x.press[c, 1 + r] * p[r]
    return total


@kernel
def limit_of(x, k, p):
    """Largest impulse r of the friction of element k."""
    if x.normal[k]:
        # rough surfaces have mu = inf: nothing where nothing presses
        press = max(p[x.first[k]], 0.0)
        return x.mu[k] * press if press > 0.0 else 0.0
    total = x.force[k]
    for n in range(x.pad[k, 0], x.pad[k, 1]):
        square = 0.0
        for c in range(x.component0[n], x.component0[n + 1]):
            part = pressing(x, c, p)
            square += part * part
        total += x.mu[k] * math.sqrt(square)
    return total


@kernel
def steepness(x, r, n):
    """What p_T is moved by: of one row its diagonal, of several a bound of the largest eigenvalue of their block."""
    total = 0.0
    for i in range(n):
        total += x.diagonal[r + i]
    return total


@kernel
def wanted(x, k, r, n, d, u, p):
    """p_T - u/d into x.trial, unlimited; of elements marked without a part along the slip of the start; return True if there was one.

    u: slips of the rows r ... r + n - 1 at p.
    """
    along, size = 0.0, 0.0
    if x.slides[k] != 0:
        # of any size: it is beyond the limit
        for i in range(n):
            x.trial[i] = -x.along[r + i]
        return False
    for i in range(n):
        x.trial[i] = p[r + i] - u[i] / d
        along += x.trial[i] * x.before[r + i]
        size += x.before[r + i] ** 2
    if x.brakes[k] == 0 or along <= 0.0 or size == 0.0:
        return False
    for i in range(n):
        x.trial[i] -= along / size * x.before[r + i]
    return True


@kernel
def inside(x, k, square):
    """Factor that brings a friction impulse, its size squared, into its limit."""
    limit = limit_of(x, k, x.p)
    return limit / math.sqrt(square) if square > limit * limit or x.slides[k] != 0 else 1.0


@kernel
def sweep(x, width):
    """Solve every element once with the others as they are; return the largest change, as a rate."""
    worst = 0.0
    for k in range(x.many[0]):
        r = x.first[k]
        if x.normal[k]:
            d = x.diagonal[r]
            p = max(x.least[r], x.p[r] - (rate_along(x, width, r, x.free) - x.target[r]) / d)
            if p != x.p[r]:
                worst = max(worst, d * abs(p - x.p[r]))
                push(x, width, r, p - x.p[r])
                x.p[r] = p
            r += 1
        n = x.tangents[k]
        if n > 0:
            u, d, square = x.trial[3:6], steepness(x, r, n), 0.0
            for i in range(n):
                u[i] = rate_along(x, width, r + i, x.free)
            wanted(x, k, r, n, d, u, x.p)
            for i in range(n):
                square += x.trial[i] ** 2
            f = inside(x, k, square)
            for i in range(n):
                p = f * x.trial[i]
                if p != x.p[r + i]:
                    worst = max(worst, d * abs(p - x.p[r + i]))
                    push(x, width, r + i, p - x.p[r + i])
                    x.p[r + i] = p
    return worst


@kernel
def conjugate(x, width, before):
    """Move the impulses on along the direction of the last sweeps; return the square of this one's change. `before`: that of the sweep before it."""
    square, rows = 0.0, x.many[1]
    for r in range(rows):
        square += x.diagonal[r] * (x.p[r] - x.last[r]) ** 2
    f = square / before if before > 0.0 else 0.0
    for r in range(rows):
        change = x.p[r] - x.last[r]
        x.way[r] = 0.0 if f > 1.0 else f * x.way[r] + change
        if f <= 1.0:
            # the change itself is made
            more = x.way[r] - change
            if more != 0.0:
                x.p[r] += more
                push(x, width, r, more)
    return square


@kernel
def solve_impulses(x, width, scale):
    """Impulses and jump; return the largest change of a last sweep as a rate, and the number of sweeps.  `scale`: size of the rates of this step."""
    rows = x.many[1]
    jump_of(x, width)
    for r in range(rows):
        x.way[r] = 0.0
    worst, square, tries = math.inf, 0.0, FIRST
    for n in range(MOST_BADLY):
        for r in range(rows):
            x.last[r] = x.p[r]
        worst = sweep(x, width)
        if worst <= ROUNDING * scale:
            return worst, n + 1
        done = worst <= ENOUGH * scale or (n >= MOST and worst <= BADLY * scale)
        if rows <= EXACT and (done or n + 1 >= tries):
            tries *= LATER
            left = newton(x, width, ROUNDING * scale)
            if left <= ENOUGH * scale:
                return left, n + 1
            for r in range(rows):
                x.way[r] = 0.0
            square = 0.0
        elif not done:
            square = conjugate(x, width, square)
        if done:
            return worst, n + 1
    # the last one is without a direction
    jump_of(x, width)
    return sweep(x, width), MOST_BADLY


@entry
def solve_dense(x, scale):
    """The same where the mobility is given: every row is a body of its own."""
    left, _ = solve_impulses(x, 1, scale)
    return left


@kernel
def mode_matrix(x, width):
    """A = G W."""
    rows = x.many[1]
    for s in range(rows):
        for k in range(x.jump.shape[0]):
            x.jump[k] = 0.0
        push(x, width, s, 1.0)
        for r in range(rows):
            x.small[r * rows + s] = rate_along(x, width, r, x.free) - x.free[r]


@kernel
def newton(x, width, enough):
    """Solve the mode of the impulses at hand exactly; return what is left, as a rate: if that is more than before, impulses are as they were."""
    rows = x.many[1]
    for r in range(rows):
        x.best[r] = x.p[r]
    mode_matrix(x, width)
    least = math.inf
    for _ in range(STEPS):
        left = equations(x, rows)
        if left < least:
            least = left
            for r in range(rows):
                x.best[r] = x.p[r]
        if not left > enough or not left <= 1e3 * least:
            break
        factor_real(x.matrix[: rows * rows], rows, x.pivot)
        solve_real(x.matrix[: rows * rows], rows, x.pivot, x.rest, 1)
        for r in range(rows):
            x.p[r] -= x.rest[r]
    for r in range(rows):
        x.p[r] = x.best[r]
    for k in range(x.many[0]):
        # rounding may leave them outside their cones
        r = x.first[k]
        if x.normal[k]:
            x.p[r] = max(x.p[r], x.least[r])
            r += 1
        square = 0.0
        for i in range(x.tangents[k]):
            square += x.p[r + i] ** 2
        f = inside(x, k, square) if square > 0.0 else 1.0
        for i in range(x.tangents[k]):
            x.p[r + i] *= f
    jump_of(x, width)
    return least


@kernel
def equations(x, rows):
    """What the impulses leave of the equations, into x.rest, with the derivatives of a mode into x.matrix; return the largest part, as a rate."""
    A, J, worst = x.small, x.matrix, 0.0
    for k in range(rows * rows):
        J[k] = 0.0
    for r in range(rows):
        # rates into x.way
        total = x.free[r]
        for s in range(rows):
            total += A[r * rows + s] * x.p[s]
        x.way[r] = total
    for k in range(x.many[0]):
        r = x.first[k]
        if x.normal[k]:
            d = x.diagonal[r]
            gap = x.way[r] - x.target[r]
            if x.p[r] - gap / d > x.least[r]:
                x.rest[r] = gap
                for s in range(rows):
                    J[r * rows + s] = A[r * rows + s]
                J[r * rows + r] += FIRM * d
            else:
                x.rest[r] = d * (x.p[r] - x.least[r])
                J[r * rows + r] = d
            worst = max(worst, abs(x.rest[r]))
            r += 1
        n = x.tangents[k]
        if n > 0:
            friction_equations(x, rows, k, r, n)
            for i in range(n):
                worst = max(worst, abs(x.rest[r + i]))
    return worst


@kernel
def friction_equations(x, rows, k, r, n):
    """The part of an element's friction: rows r ... r + n - 1."""
    A, J, d, limit, square = x.small, x.matrix, steepness(x, r, n), limit_of(x, k, x.p), 0.0
    braked = wanted(x, k, r, n, d, x.way[r : r + n], x.p)
    for i in range(n):
        square += x.trial[i] ** 2
    size, across = math.sqrt(square), 0.0
    for i in range(n):
        across += x.before[r + i] ** 2
    if size <= limit and x.slides[k] == 0:
        for i in range(n):
            x.rest[r + i] = x.way[r + i]
            for s in range(rows):
                J[(r + i) * rows + s] = A[(r + i) * rows + s]
            J[(r + i) * rows + r + i] += FIRM * d
        if braked:
            # no impulse along the slip of the start: of one row none at all
            for i in range(n):
                x.rest[r + i] = d * (x.p[r + i] - x.trial[i])
                for s in range(rows):
                    total = 0.0
                    for j in range(n):
                        part = (1.0 if i == j else 0.0) - x.before[r + i] * x.before[r + j] / across
                        total += part * A[(r + j) * rows + s]
                    J[(r + i) * rows + s] = total
                for j in range(n):
                    J[(r + i) * rows + r + j] += d * x.before[r + i] * x.before[r + j] / across
                J[(r + i) * rows + r + i] += FIRM * d
        return
    for i in range(n):
        e = x.trial[i] / size
        x.rest[r + i] = d * (x.p[r + i] - limit * e)
        J[(r + i) * rows + r + i] += d
        # the direction turns with p - u/d
        if n > 1 and x.slides[k] == 0:
            for j in range(n):
                part = limit / size * ((1.0 if i == j else 0.0) - e * x.trial[j] / size)
                J[(r + i) * rows + r + j] -= d * part
                for s in range(rows):
                    J[(r + i) * rows + s] += part * A[(r + j) * rows + s]
        if x.normal[k]:
            if x.p[x.first[k]] > 0.0:
                J[(r + i) * rows + x.first[k]] -= d * x.mu[k] * e
        else:
            for m in range(x.pad[k, 0], x.pad[k, 1]):
                total = 0.0
                for c in range(x.component0[m], x.component0[m + 1]):
                    total += pressing(x, c, x.p) ** 2
                total = math.sqrt(total)
                for c in range(x.component0[m], x.component0[m + 1] if total > 0.0 else 0):
                    part = d * x.mu[k] * e * pressing(x, c, x.p) / total
                    for s in range(rows):
                        J[(r + i) * rows + s] -= part * x.press[c, 1 + s]


@kernel
def slips(x, width, k, scale):
    """Return True if the friction of an element is as large as it may be, and slips all the same."""
    r, square, speed = x.first[k] + x.normal[k], 0.0, 0.0
    for i in range(x.tangents[k]):
        square += x.p[r + i] ** 2
        speed = max(speed, abs(rate_along(x, width, r + i, x.free)))
    return speed > 10.0 * ENOUGH * scale and math.sqrt(square) >= (1.0 - 1e-6) * limit_of(x, k, x.p)


@kernel
def drives(x, width, scale, still):
    """Mark elements whose impulses do work, p . (w^- + w)/2 > 0 beyond what the solution leaves; return True if there is one more.

    They do not rebound; where that is not enough, their friction only brakes.  Rates up to `still`, of what comes to rest, do not count: what stands has to be held.
    """
    some = False
    for k in range(x.many[0]):
        work, size, fastest = 0.0, 0.0, 0.0
        for r in range(x.first[k], x.first[k] + x.normal[k] + x.tangents[k]):
            work += x.p[r] * (x.before[r] + rate_along(x, width, r, x.free))
            size += abs(x.p[r])
            fastest = max(fastest, abs(x.before[r]))
        if x.brakes[k] == 0 and fastest > still and x.tangents[k] > 0 and work > 10.0 * ENOUGH * size * scale:
            rebounds = x.normal[k] != 0 and x.target[x.first[k]] > 0.0
            if rebounds:
                x.target[x.first[k]] = 0.0
            x.brakes[k], some = 0 if rebounds else 1, True
    return some


@kernel
def dissipate(x, width):
    """Scale impulses that were not solved exactly so that they create no energy: their work is f p.(w^- + b)/2 + f^2 p.A p/2 with the factor f."""
    linear, square = 0.0, 0.0
    for r in range(x.many[1]):
        if x.p[r] != 0.0:
            rate = rate_along(x, width, r, x.free)
            linear += x.p[r] * (x.before[r] + x.free[r])
            square += x.p[r] * (rate - x.free[r])
    if linear + square <= 0.0 or square <= 0.0:
        return
    f = max(0.0, -linear / square)
    for r in range(x.many[1]):
        x.p[r] *= f
    for k in range(x.jump.shape[0]):
        x.jump[k] *= f
