"""Dry friction that slips, for the time loop: its forces and the reactions that they depend on, as `solve/friction.py` finds them in Python.

    f_k = g_k e_k        g_k = mu_k(|u_k|) N_k(lam)        lam = lam0 + L g

A model with friction has two more arrays, S of integers and X of numbers and scratch.  N is the sum of the sizes of vectors x (pads) whose components are
combinations of multipliers, x = x0 + B g: only these are followed by Newton's method, not all of lam.  The columns of L are solutions with the factor of one
evaluation, S L_k = J M^-1 j_k e_k; a model with singular masses, or one of coordinates, is evaluated for each of them.

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
) = range(19)
HEADER = 19
# record of an element: components, their laws (three places), whether its direction is given, program of its size (first and last place, register; -1: constant),
# first place and number of the laws whose measures, gaps, the size depends on; whether what presses has a sign; laws whose rates it acts against (three places)
ELEMENT_SIZE = 14
# numbers of an element: its size where that is constant, its direction
NUMBER_SIZE = 4
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
    for i in range(S[o] if S[o + 5] >= 0 or not S[o + 4] else 0):
        u = F[I[RATE] + I[I[LAW] + LAW_RECORD * S[o + 11 + i] + 1]]
        square += u * u
    speed = square**0.5
    if not S[o + 4]:
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
def read_pads(S, X, I, F, o, stride):
    """Components of all pads at the multipliers at hand, into X at o, o + stride, ..."""
    for c in range(S[S[PADS] + 2 * S[N_PADS] + 1]):
        x = 0.0
        for n in range(S[S[COMPONENT] + c], S[S[COMPONENT] + c + 1]):
            x += X[S[WEIGHT] + n] * F[I[LAM] + S[S[ENTRY] + n]]
        X[o + c * stride] = x


@kernel
def columns(model, S, X, I, P, F, t, q, v, a):
    """Components of the pads without friction, and their derivatives by each size; the forces of coupled elements are 0."""
    n, width = S[COUPLED], 3 if I[PLANE] else 6
    call(model, EVALUATE, I, P, F, t, q, v, a, 0.0, 1)
    read_pads(S, X, I, F, S[X0], 1)
    for k in range(n):
        if I[SADDLE] or I[N_BODIES] == 0:
            put_force(S, X, I, F, k, 1.0)
            call(model, EVALUATE, I, P, F, t, q, v, a, 0.0, 1)
            put_force(S, X, I, F, k, 0.0)
            read_pads(S, X, I, F, S[B] + k, n)
            for c in range(S[S[PADS] + 2 * S[N_PADS] + 1]):
                X[S[B] + k + c * n] -= X[S[X0] + c]
            continue
        o, e = S[ELEMENT] + ELEMENT_SIZE * k, S[NUMBER] + NUMBER_SIZE * k
        for i in range(width * I[N_BODIES]):
            F[I[ACC] + i] = 0.0
        for i in range(S[o]):
            apply(I, F, I[I[LAW] + LAW_RECORD * S[o + 1 + i] + 1], X[e + 1 + i], I[ACC])
        for r in range(I[N_ROWS]):
            F[I[Y] + r] = row_dot(I, F, r, I[ACC])
        call(model, SOLVE, I, P, F, t, q, v, a, 0.0, 1)
        read_pads(S, X, I, F, S[B] + k, n)


@kernel
def equations(S, X, part):
    """g - mu N(g), with this part of mu, into X at STEP, and its derivative by g into MATRIX."""
    n = S[COUPLED]
    for k in range(n):
        X[S[STEP] + k] = X[S[SIZE] + k]
        for j in range(n):
            X[S[MATRIX] + k * n + j] = 1.0 if j == k else 0.0
    for p in range(S[N_PADS]):
        k, first, last = S[S[PADS] + 2 * p], S[S[PADS] + 2 * p + 1], S[S[PADS] + 2 * p + 3]
        mu, square = part * X[S[MU] + k], 0.0
        for c in range(first, last):
            x = X[S[X0] + c]
            for j in range(n):
                x += X[S[B] + c * n + j] * X[S[SIZE] + j]
            X[S[WORK] + c] = x
            square += x * x
        size = square**0.5
        if S[S[ELEMENT] + ELEMENT_SIZE * k + 10]:
            X[S[STEP] + k] -= mu * X[S[WORK] + first]
            for j in range(n):
                X[S[MATRIX] + k * n + j] -= mu * X[S[B] + first * n + j]
            continue
        X[S[STEP] + k] -= mu * size
        if size > 0.0:
            for c in range(first, last):
                for j in range(n):
                    X[S[MATRIX] + k * n + j] -= mu * X[S[WORK] + c] / size * X[S[B] + c * n + j]


@kernel
def positive(S, X, pivot):
    """Whether the determinant of the factored matrix is positive; its diagonal holds reciprocal pivots."""
    sign, n = 1.0, S[COUPLED]
    for k in range(n):
        d = X[S[MATRIX] + k * n + k]
        if not (0.0 < abs(d) < math.inf):
            return False
        sign = sign if (d > 0.0) == (pivot[k] == k) else -sign
    return sign > 0.0


@kernel
def solve_sizes(S, X, part, exact):
    """Sizes of all coupled elements with this part of their coefficients, from those at hand, by Newton's method, or g = mu N(g) again and again.

    False where none are found, or others than small coefficients lead to.
    """
    n = S[COUPLED]
    pivot, matrix, step = S[S[PIVOT] : S[PIVOT] + n], X[S[MATRIX] : S[MATRIX] + n * n], X[S[STEP] : S[STEP] + n]
    for _ in range(STEPS):
        equations(S, X, part)
        if part == 1.0:
            X[FAILED_BY] = -math.inf
        for k in range(n):
            gain = abs(1.0 - matrix[k * n + k])
            if part == 1.0 and gain > X[FAILED_BY]:
                X[FAILED_AT], X[FAILED_BY], X[FAILED_OF] = k, gain, X[S[MU] + k]
        factor_real(matrix, n, pivot)
        if exact:
            solve_real(matrix, n, pivot, step, 1)
        largest, change = 1e-300, 0.0
        for k in range(n):
            X[S[SIZE] + k] -= step[k]
            largest, change = max(largest, abs(X[S[SIZE] + k])), max(change, abs(step[k]))
        if not change < math.inf:
            return False
        if change <= ENOUGH * largest:
            return positive(S, X, pivot)
    return False


@kernel
def sizes(S, X):
    """Sizes of all coupled elements; False where there is no solution.

    From those of the last time; from nothing, which converges where friction changes little of what presses; or along coefficients that grow from 0.  N has a kink where what presses
    changes sides, so that Newton's method from an old guess may not end, or end on the other side.
    """
    if solve_sizes(S, X, 1.0, True):
        return True
    for k in range(S[COUPLED]):
        X[S[SIZE] + k] = 0.0
    if solve_sizes(S, X, 1.0, False):
        return True
    for k in range(S[COUPLED]):
        X[S[SIZE] + k] = 0.0
    for i in range(GROWING):
        if not solve_sizes(S, X, (i + 1.0) / GROWING, True):
            for k in range(S[COUPLED]):
                X[S[SIZE] + k] = 0.0
            return False
    return True


@kernel
def slipping(model, S, X, mode, I, P, F, t, q, v, a):
    """A mode of `operate.py` that evaluates forces, with those of friction in place."""
    call(model, INPUTS, I, P, F, t, q, v, a, 0.0, 1)
    n, good = S[COUPLED], True
    for k in range(S[SLIDING]):
        size = size_of(S, X, I, F, k)
        good = good and size >= 0.0
        if k < n:
            X[S[MU] + k] = size
            put_force(S, X, I, F, k, 0.0)
        else:
            put_force(S, X, I, F, k, size)
    if good and n > 0:
        columns(model, S, X, I, P, F, t, q, v, a)
        good = sizes(S, X)
        for k in range(n):
            put_force(S, X, I, F, k, X[S[SIZE] + k])
        if not good:
            X[FAILED] = NO_SOLUTION
    call(model, mode, I, P, F, t, q, v, a, 0.0, 1)
    if not good:
        X[FAILED_TIME] = t
        for i in range(a.shape[0]):
            a[i] = math.nan
