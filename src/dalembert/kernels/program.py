"""A program: formulas as instructions in groups of equal kind, which one interpreter runs for all models, without a compilation.

A group (code, count) is followed by the operands of `count` instructions; results go to consecutive registers in F.  Operands are places in
F, but for whole exponents, tables with the orders of their derivatives, and numbers, which are loaded from P (CONST).  Within a group nothing
depends on anything else, so that the branch on the code is taken once per group and not once per operation (measured on a
pendulum of nine coordinates: a third of the time).  Derivatives are instructions like others: `system/graph.py` makes them.

A record of a program in I: first and last place of its code, first register that it writes, first and last place of the list
(register, destination) of its results.
"""

from __future__ import annotations

from . import functions as fn
from .called import MOST_ORDERS, function_value
from .compiler import kernel
from .layout import SPLINE_COEFFICIENTS, SPLINE_END, SPLINE_FIRST, SPLINE_KNOTS, SPLINE_LAST
from .scalar import choose, cos_sin

# more codes: a*b + c, a*b - c, c - a*b, and cosine and sine of one angle together (two registers)
MULTIPLY_ADD, MULTIPLY_SUB, MULTIPLY_FROM, COS_SIN = 100, 101, 102, 103
PROGRAM_SIZE = 5


@kernel
def run_program(I, P, F, first, last, out, spline_first, spline_knots, spline_coefficients):
    """Run the groups between two places of I; results from place `out` of F on."""
    k, o = first, out
    while k < last:
        code, count = I[k], I[k + 1]
        k += 2
        if code == fn.MUL:
            for i in range(count):
                F[o + i] = F[I[k + 2 * i]] * F[I[k + 2 * i + 1]]
            k += 2 * count
        elif code == fn.CONST:
            for i in range(count):
                F[o + i] = P[I[k + i]]
            k += count
        elif code == MULTIPLY_ADD:
            for i in range(count):
                F[o + i] = F[I[k + 3 * i]] * F[I[k + 3 * i + 1]] + F[I[k + 3 * i + 2]]
            k += 3 * count
        elif code == MULTIPLY_SUB:
            for i in range(count):
                F[o + i] = F[I[k + 3 * i]] * F[I[k + 3 * i + 1]] - F[I[k + 3 * i + 2]]
            k += 3 * count
        elif code == MULTIPLY_FROM:
            for i in range(count):
                F[o + i] = F[I[k + 3 * i + 2]] - F[I[k + 3 * i]] * F[I[k + 3 * i + 1]]
            k += 3 * count
        elif code == fn.ADD:
            for i in range(count):
                F[o + i] = F[I[k + 2 * i]] + F[I[k + 2 * i + 1]]
            k += 2 * count
        elif code == fn.SUB:
            for i in range(count):
                F[o + i] = F[I[k + 2 * i]] - F[I[k + 2 * i + 1]]
            k += 2 * count
        elif code == fn.NEG:
            for i in range(count):
                F[o + i] = -F[I[k + i]]
            k += count
        elif code == COS_SIN:
            for i in range(count):
                F[o + 2 * i], F[o + 2 * i + 1] = cos_sin(F[I[k + i]])
            k += count
            o += count
        elif code == fn.DIV:
            for i in range(count):
                F[o + i] = F[I[k + 2 * i]] / F[I[k + 2 * i + 1]]
            k += 2 * count
        elif code == fn.SELECT:
            for i in range(count):
                F[o + i] = choose(F[I[k + 3 * i]], F[I[k + 3 * i + 1]], F[I[k + 3 * i + 2]])
            k += 3 * count
        elif code == fn.SPLINE:
            for i in range(count):
                F[o + i] = fn.spline_value(
                    spline_first, spline_knots, spline_coefficients, I[k + 3 * i + 1], I[k + 3 * i + 2], F[I[k + 3 * i]]
                )
            k += 3 * count
        elif code == fn.TIMES:
            for i in range(count):
                F[o + i] = fn.times(F[I[k + 2 * i]], F[I[k + 2 * i + 1]])
            k += 2 * count
        elif code == fn.BEND:
            for i in range(count):
                F[o + i] = fn.bend(F[I[k + 3 * i]], F[I[k + 3 * i + 1]], F[I[k + 3 * i + 2]])
            k += 3 * count
        elif code == fn.POWI:
            for i in range(count):
                F[o + i] = fn.value1(fn.POWI, F[I[k + 2 * i]], I[k + 2 * i + 1])
            k += 2 * count
        elif code >= fn.CALL:
            k = call_functions(I, F, k, o, count, code - fn.CALL)
        elif code >= fn.BINARY:
            for i in range(count):
                F[o + i] = fn.value2(code, F[I[k + 2 * i]], F[I[k + 2 * i + 1]])
            k += 2 * count
        else:
            for i in range(count):
                F[o + i] = fn.value1(code, F[I[k + i]], 0)
            k += count
        o += count


@kernel
def call_functions(I, F, k, o, count, n):
    """Calls of Python functions of n arguments each; returns the place behind their operands."""
    for i in range(count):
        F[o + i] = function_value(I, F, k, n)
        k += n + 1 + MOST_ORDERS
    return k


@kernel
def perform_code(I, P, F, first, last, out):
    """Run the code between two places of I, with the tables of the model."""
    knots, coefficients = I[SPLINE_KNOTS], I[SPLINE_COEFFICIENTS]
    run_program(
        I, P, F, first, last, out,
        I[I[SPLINE_FIRST] : I[SPLINE_LAST]], P[knots:coefficients],
        P[coefficients : I[SPLINE_END]].reshape(((I[SPLINE_END] - coefficients) // 4, 4)),
    )  # fmt: skip


@kernel
def perform_one(I, P, F, program):
    """Run a program with the inputs at hand and put its results in place."""
    perform_code(I, P, F, I[program], I[program + 1], I[program + 2])
    k = I[program + 3]
    while k < I[program + 4]:
        F[I[k + 1]] = F[I[k]]
        k += 2
