"""Dry friction that slips, for the time loop: its forces and the reactions that they depend on, as `solve/friction.py` finds them in Python.

    f_k = g_k e_k        g_k = mu_k(|u_k|) N_k(lam)        lam = lam0 + L g

A model with friction has two more arrays, S of integers and X of numbers and scratch; whether an element slips, and which way, is a number in X.  N is the sum of the sizes of vectors x (pads) whose components are
combinations of multipliers, x = x0 + B g: only these are followed by Newton's method, not all of lam.  The columns of L are solutions with the factor of one
evaluation, S L_k = J M^-1 j_k e_k; a model with singular masses, or one of coordinates, is evaluated for each of them.  Elements of different islands (bodies that no
rows connect) do not feel each other: one solution serves a column of each island, and each island has equations of its own.

What has no solution cannot be told from here: accelerations turn NaN, so that the step is refused, and X remembers why (`failure` of `solve/friction.py`).
"""

from __future__ import annotations

import math

from .compiler import kernel
from .dense import factor_real, solve_real
from .layout import ACC, CALLED, LAM, LAW, LAW_RECORD, N_BODIES, N_ROWS, PLANE, RATE, SADDLE, VALUE, Y
from .operate import EVALUATE, INPUTS, SOLVE
from .program import run_program
from .rows import apply, row_dot
from .through import call

# header of S
(
    SLIDING,  # elements that slip
    COUPLED,  # of these, the ones that feel a reaction; they come first
    ELEMENT,  # records of ELEMENT_SIZE
    PADS,  # (coupled element, first component), one more at the end
    N_PADS,
    COMPONENT,  # first entry of each component, one more at the end
    ENTRY,  # multiplier of each entry
    PAD0,  # first pad of each coupled element, one more at the end
    ISLANDS,
    ISLAND0,  # first coupled element of each island, one more at the end
    AT,  # scratch: of each island, the element whose column is found
    MEMBER,  # scratch: elements of an island that slip
    PIVOT,  # scratch: exchanged rows
    # places in X
    NUMBER,  # NUMBER_SIZE numbers of each element
    WEIGHT,  # weight of each entry
    X0,  # components without friction
    B,  # their derivatives by the sizes
    MATRIX,
    STEP,
    SIZE,  # sizes g, those of the last time to begin with
    MU,
    RATE_AT,  # inputs of the programs of sizes: the rate, gaps and their rates
    REGISTERS,
    WORK,
) = range(24)
HEADER = 24
# record of an element: components, their laws (three places), a place that is not used, program of its size (first and last place, register; -1: constant),
# first place and number of the laws whose measures, gaps, the size depends on; whether what presses has a sign; laws whose rates it acts against (three places)
ELEMENT_SIZE = 14
# numbers of an element: its size where that is constant, its direction, and its status: it does not slip, acts against its rates, or against a direction that is given
NUMBER_SIZE = 5
STATUS = 4
ABSENT, AGAINST_RATES, GIVEN = 0.0, 1.0, 2.0
# X begins with why there was no solution, at which element, two numbers that tell more, and when
FAILED, FAILED_AT, FAILED_BY, FAILED_OF, FAILED_TIME = range(5)
FINE, NO_SIZE, NO_SOLUTION = 0.0, 1.0, 2.0
# Newton steps, and the change of sizes, relative to the largest, that ends them
STEPS, ENOUGH = 60, 1e-12
# coefficients on the way from 0 to those that are given
GROWING = 16


@kernel
def put_force(S, X, I, F, k, size):
    """Force of an element by its size."""
    o, e = S[ELEMENT] + ELEMENT_SIZE * k, S[NUMBER] + NUMBER_SIZE * k
    for i in range(S[o]):
        F[I[CALLED] + S[o + 1 + i]] = size * X[e + 1 + i]


@kernel
def size_of(S, X, I, F, k):
    """Coefficient or force of an element by its rates, which give its direction too, if it is not given; negative where it has none."""
    o, e = S[ELEMENT] + ELEMENT_SIZE * k, S[NUMBER] + NUMBER_SIZE * k
    square = 0.0
    # rates are asked for where something depends on them: those of coordinates stand in their equations
    given = X[e + STATUS] == GIVEN
    for i in range(S[o] if S[o + 5] >= 0 or not given else 0):
        u = F[I[RATE] + I[I[LAW] + LAW_RECORD * S[o + 11 + i] + 1]]
        square += u * u
    speed = square**0.5
    if not given:
        for i in range(S[o]):
            u = F[I[RATE] + I[I[LAW] + LAW_RECORD * S[o + 11 + i] + 1]]
            X[e + 1 + i] = u / speed if speed > 0.0 else 0.0
    size = X[e]
    if S[o + 5] >= 0:
        X[S[RATE_AT]] = speed
        for g in range(S[o + 9]):
            gap = I[I[LAW] + LAW_RECORD * S[S[o + 8] + g] + 1]
            X[S[RATE_AT] + 1 + 2 * g] = F[I[VALUE] + gap]
            X[S[RATE_AT] + 2 + 2 * g] = F[I[RATE] + gap]
        # tables have no place here: sizes that use one are found in Python
        run_program(S, X, X, S[o + 5], S[o + 6], S[REGISTERS], S[:0], X[:0], X[:0].reshape((0, 4)))
        size = X[S[o + 7]]
    if not (0.0 <= size < math.inf):
        X[FAILED], X[FAILED_AT], X[FAILED_BY], X[FAILED_OF] = NO_SIZE, k, size, speed
        size = -1.0
    return size


@kernel
def slips(S, X, k):
    """Return True if element k slips."""
    return X[S[NUMBER] + NUMBER_SIZE * k + STATUS] != ABSENT


@kernel
def component(S, X, I, F, c):
    """Component c of the pads at the multipliers at hand."""
    x = 0.0
    for n in range(S[S[COMPONENT] + c], S[S[COMPONENT] + c + 1]):
        x += X[S[WEIGHT] + n] * F[I[LAM] + S[S[ENTRY] + n]]
    return x


@kernel
def first_component(S, p):
    """First component of pad p; those of the next one begin behind its last."""
    return S[S[PADS] + 2 * p + 1]


@kernel
def components_of(S, k):
    """First component of the pads of coupled element k, and the end."""
    return first_component(S, S[S[PAD0] + k]), first_component(S, S[S[PAD0] + k + 1])


@kernel
def take_turn(S, X, turn):
    """Find the next element that slips in every island; return True if there is one in any."""
    some = False
    for i in range(S[ISLANDS]):
        left, found = turn, -1
        for k in range(S[S[ISLAND0] + i], S[S[ISLAND0] + i + 1]):
            if slips(S, X, k):
                if left == 0:
                    found = k
                left -= 1
        S[S[AT] + i] = found
        some = some or found >= 0
    return some


@kernel
def read_columns(S, X, I, F, evaluated):
    """Components of the pads of every island into the column of the element whose turn it is."""
    n = S[COUPLED]
    for i in range(S[ISLANDS]):
        at = S[S[AT] + i]
        for k in range(S[S[ISLAND0] + i], S[S[ISLAND0] + i + 1] if at >= 0 else S[S[ISLAND0] + i]):
            if slips(S, X, k):
                first, last = components_of(S, k)
                for c in range(first, last):
                    x = component(S, X, I, F, c)
                    X[S[B] + c * n + at] = x - X[S[X0] + c] if evaluated else x


@kernel
def columns(model, S, X, I, P, F, t, q, v, a):
    """Components of the pads without friction, and their derivatives by each size; the forces of coupled elements are 0."""
    n, width, turn = S[COUPLED], 3 if I[PLANE] else 6, 0
    call(model, EVALUATE, I, P, F, t, q, v, a, 0.0, 1)
    for k in range(n):
        if slips(S, X, k):
            first, last = components_of(S, k)
            for c in range(first, last):
                X[S[X0] + c] = component(S, X, I, F, c)
    evaluated = I[SADDLE] != 0 or I[N_BODIES] == 0
    while take_turn(S, X, turn):
        for i in range(0 if evaluated else width * I[N_BODIES]):
            F[I[ACC] + i] = 0.0
        for i in range(S[ISLANDS]):
            k = S[S[AT] + i]
            if k >= 0 and evaluated:
                put_force(S, X, I, F, k, 1.0)
            elif k >= 0:
                o, e = S[ELEMENT] + ELEMENT_SIZE * k, S[NUMBER] + NUMBER_SIZE * k
                for c in range(S[o]):
                    apply(I, F, I[I[LAW] + LAW_RECORD * S[o + 1 + c] + 1], X[e + 1 + c], I[ACC])
        if evaluated:
            call(model, EVALUATE, I, P, F, t, q, v, a, 0.0, 1)
        else:
            for r in range(I[N_ROWS]):
                F[I[Y] + r] = row_dot(I, F, r, I[ACC])
            call(model, SOLVE, I, P, F, t, q, v, a, 0.0, 1)
        read_columns(S, X, I, F, evaluated)
        for i in range(S[ISLANDS] if evaluated else 0):
            if S[S[AT] + i] >= 0:
                put_force(S, X, I, F, S[S[AT] + i], 0.0)
        turn += 1


@kernel
def equations(S, X, many, part):
    """g - mu N(g) of the members of an island, with this part of mu, into X at STEP, and its derivative by g into MATRIX."""
    n = S[COUPLED]
    for i in range(many):
        k = S[S[MEMBER] + i]
        X[S[STEP] + i] = X[S[SIZE] + k]
        for j in range(many):
            X[S[MATRIX] + i * many + j] = 1.0 if j == i else 0.0
        mu, signed = part * X[S[MU] + k], S[S[ELEMENT] + ELEMENT_SIZE * k + 10] != 0
        for p in range(S[S[PAD0] + k], S[S[PAD0] + k + 1]):
            first, last, square = first_component(S, p), first_component(S, p + 1), 0.0
            for c in range(first, last):
                x = X[S[X0] + c]
                for j in range(many):
                    m = S[S[MEMBER] + j]
                    x += X[S[B] + c * n + m] * X[S[SIZE] + m]
                X[S[WORK] + c] = x
                square += x * x
            size = square**0.5
            X[S[STEP] + i] -= mu * (X[S[WORK] + first] if signed else size)
            if signed or size > 0.0:
                for c in range(first, first + 1 if signed else last):
                    f = 1.0 if signed else X[S[WORK] + c] / size
                    for j in range(many):
                        X[S[MATRIX] + i * many + j] -= mu * f * X[S[B] + c * n + S[S[MEMBER] + j]]


@kernel
def positive(S, X, many, pivot):
    """Return True if the determinant of the factored matrix is positive; its diagonal holds reciprocal pivots."""
    sign = 1.0
    for k in range(many):
        d = X[S[MATRIX] + k * many + k]
        if not (0.0 < abs(d) < math.inf):
            return False
        sign = sign if (d > 0.0) == (pivot[k] == k) else -sign
    return sign > 0.0


@kernel
def solve_sizes(S, X, many, part, exact):
    """Sizes of the members of an island with this part of their coefficients, from those at hand, by Newton's method, or g = mu N(g) again and again.

    False where none are found, or others than small coefficients lead to.
    """
    pivot, matrix = S[S[PIVOT] : S[PIVOT] + many], X[S[MATRIX] : S[MATRIX] + many * many]
    step = X[S[STEP] : S[STEP] + many]
    for _ in range(STEPS):
        equations(S, X, many, part)
        if part == 1.0:
            X[FAILED_BY] = -math.inf
        for i in range(many):
            gain = abs(1.0 - matrix[i * many + i])
            if part == 1.0 and gain > X[FAILED_BY]:
                k = S[S[MEMBER] + i]
                X[FAILED_AT], X[FAILED_BY], X[FAILED_OF] = k, gain, X[S[MU] + k]
        factor_real(matrix, many, pivot)
        if exact:
            solve_real(matrix, many, pivot, step, 1)
        largest, change = 1e-300, 0.0
        for i in range(many):
            k = S[S[MEMBER] + i]
            X[S[SIZE] + k] -= step[i]
            largest, change = max(largest, abs(X[S[SIZE] + k])), max(change, abs(step[i]))
        if not change < math.inf:
            return False
        if change <= ENOUGH * largest:
            return positive(S, X, many, pivot)
    return False


@kernel
def begin_from_nothing(S, X, many):
    """Forget the sizes of the members of an island."""
    for i in range(many):
        X[S[SIZE] + S[S[MEMBER] + i]] = 0.0


@kernel
def sizes_of_island(S, X, many):
    """Sizes of the members of an island; False where there is no solution.

    From those of the last time; from nothing, which converges where friction changes little of what presses; or along coefficients that grow from 0.  N has a kink where what presses
    changes sides, so that Newton's method from an old guess may not end, or end on the other side.
    """
    if solve_sizes(S, X, many, 1.0, True):
        return True
    begin_from_nothing(S, X, many)
    if solve_sizes(S, X, many, 1.0, False):
        return True
    begin_from_nothing(S, X, many)
    for i in range(GROWING):
        if not solve_sizes(S, X, many, (i + 1.0) / GROWING, True):
            begin_from_nothing(S, X, many)
            return False
    return True


@kernel
def sizes(S, X):
    """Sizes of all coupled elements that slip; False where there is no solution."""
    for i in range(S[ISLANDS]):
        many = 0
        for k in range(S[S[ISLAND0] + i], S[S[ISLAND0] + i + 1]):
            if slips(S, X, k):
                S[S[MEMBER] + many] = k
                many += 1
        if many > 0 and not sizes_of_island(S, X, many):
            return False
    return True


@kernel
def asks_for_rates(S, X):
    """Return True if the size or the direction of some friction that slips depends on rates."""
    for k in range(S[SLIDING]):
        if slips(S, X, k):
            given = X[S[NUMBER] + NUMBER_SIZE * k + STATUS] == GIVEN
            if not given or S[S[ELEMENT] + ELEMENT_SIZE * k + 5] >= 0:
                return True
    return False


@kernel
def slipping(model, S, X, mode, I, P, F, t, q, v, a):
    """A mode of `operate.py` that evaluates forces, with those of friction in place."""
    n, good, some = S[COUPLED], True, False
    if asks_for_rates(S, X):
        call(model, INPUTS, I, P, F, t, q, v, a, 0.0, 1)
    for k in range(S[SLIDING]):
        size = size_of(S, X, I, F, k) if slips(S, X, k) else 0.0
        good = good and size >= 0.0
        if k < n:
            X[S[MU] + k] = size
            some = some or slips(S, X, k)
        put_force(S, X, I, F, k, 0.0 if k < n else size)
    if good and some:
        columns(model, S, X, I, P, F, t, q, v, a)
        good = sizes(S, X)
        for k in range(n):
            put_force(S, X, I, F, k, X[S[SIZE] + k] if slips(S, X, k) else 0.0)
        if not good:
            X[FAILED] = NO_SOLUTION
    call(model, mode, I, P, F, t, q, v, a, 0.0, 1)
    if not good:
        X[FAILED_TIME] = t
        for i in range(a.shape[0]):
            a[i] = math.nan
