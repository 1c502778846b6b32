"""A program: the formulas of a system as instructions in groups of equal kind.

A group (code, count) is followed by the operands of `count` instructions, places in F; results go to consecutive registers.  Within a
group nothing depends on anything else, so that the branch on the code is taken once per group and not once per operation (measured on a
pendulum of nine coordinates: a third of the time of a plain tape).
"""

from __future__ import annotations

from ..compiler import kernel
from ..scalar import cos_sin
from ..tape import spline_value
from ..tape_functions import ADD, BINARY, COS, DIV, MUL, NEG, POWI, SELECT, SIN, SPLINE, SUB, value1, value2

# more codes: a*b + c, a*b - c, c - a*b, and cosine and sine of one angle together (two registers)
MULTIPLY_ADD, MULTIPLY_SUB, MULTIPLY_FROM, COS_SIN = 100, 101, 102, 103


@kernel
def run_program(I, F, first, last, out, spline_first, spline_knots, spline_coefficients):
    """Run the groups between two places of I; results from place `out` of F on."""
    k, o = first, out
    while k < last:
        code, count = I[k], I[k + 1]
        k += 2
        if code == MUL:
            for i in range(count):
                F[o + i] = F[I[k + 2 * i]] * F[I[k + 2 * i + 1]]
            k += 2 * count
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
        elif code == ADD:
            for i in range(count):
                F[o + i] = F[I[k + 2 * i]] + F[I[k + 2 * i + 1]]
            k += 2 * count
        elif code == SUB:
            for i in range(count):
                F[o + i] = F[I[k + 2 * i]] - F[I[k + 2 * i + 1]]
            k += 2 * count
        elif code == NEG:
            for i in range(count):
                F[o + i] = -F[I[k + i]]
            k += count
        elif code == COS_SIN:
            for i in range(count):
                F[o + 2 * i], F[o + 2 * i + 1] = cos_sin(F[I[k + i]])
            k += count
            o += count
        elif code == DIV:
            for i in range(count):
                F[o + i] = F[I[k + 2 * i]] / F[I[k + 2 * i + 1]]
            k += 2 * count
        elif code == SELECT:
            for i in range(count):
                taken = I[k + 3 * i + 1] if F[I[k + 3 * i]] != 0.0 else I[k + 3 * i + 2]
                F[o + i] = F[taken]
            k += 3 * count
        elif code == SPLINE:
            for i in range(count):
                F[o + i] = spline_value(
                    spline_first,
                    spline_knots,
                    spline_coefficients,
                    I[k + 3 * i + 1],
                    I[k + 3 * i + 2],
                    F[I[k + 3 * i]],
                )
            k += 3 * count
        elif code == POWI:
            for i in range(count):
                F[o + i] = value1(POWI, F[I[k + 2 * i]], I[k + 2 * i + 1])
            k += 2 * count
        elif code >= BINARY:
            for i in range(count):
                F[o + i] = value2(code, F[I[k + 2 * i]], F[I[k + 2 * i + 1]])
            k += 2 * count
        else:
            for i in range(count):
                F[o + i] = value1(code, F[I[k + i]], 0)
            k += count
        o += count


__all__ = ["COS", "COS_SIN", "MULTIPLY_ADD", "MULTIPLY_FROM", "MULTIPLY_SUB", "SIN", "run_program"]
