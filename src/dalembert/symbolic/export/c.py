"""Functions of a model as C source: one function (t, q, v, p, out) for each, standard C99 and the mathematical library."""

from __future__ import annotations

from ...system.graph import op
from ..functions import WHAT, Functions
from .lines import Language, assignments, heading, identifier, spline_name, used_splines

_ONE = {
    op.NEG: "-{0}", op.SIN: "sin({0})", op.COS: "cos({0})", op.TAN: "tan({0})", op.ASIN: "asin({0})", op.ACOS: "acos({0})",
    op.ATAN: "atan({0})", op.SINH: "sinh({0})", op.COSH: "cosh({0})", op.TANH: "tanh({0})", op.EXP: "exp({0})",
    op.LOG: "log({0})", op.LOG10: "log10({0})", op.SQRT: "sqrt({0})", op.ABS: "fabs({0})",
    op.SIGN: "({0} > 0.0) - ({0} < 0.0)", op.FLOOR: "floor({0})", op.NOT: "{0} == 0.0",
}  # fmt: skip
_TWO = {
    op.ADD: "{0} + {1}", op.SUB: "{0} - {1}", op.MUL: "{0} * {1}", op.DIV: "{0} / {1}", op.POW: "pow({0}, {1})",
    op.ATAN2: "atan2({0}, {1})", op.HYPOT: "hypot({0}, {1})", op.MIN: "fmin({0}, {1})", op.MAX: "fmax({0}, {1})",
    op.LT: "{0} < {1}", op.LE: "{0} <= {1}", op.EQ: "{0} == {1}", op.NE: "{0} != {1}",
    op.AND: "{0} != 0.0 && {1} != 0.0", op.OR: "{0} != 0.0 || {1} != 0.0",
}  # fmt: skip


def _number(value: float) -> str:
    return f"({value!r})" if value < 0.0 else repr(value)


C = Language(
    _ONE, _TWO, "pow({0}, {1}.0)", "{0} != 0.0 ? {1} : {2}", "table_value({0}_x, {0}_c, {0}_n, {1}, {2})", _number,
    "    const double {0} = {1};",
)  # fmt: skip

_TABLE = """
/* cubic through points, or its derivative of the given order; a straight line beyond the ends */
static double table_value(const double *x, const double (*c)[4], int n, double at, int order)
{
    int i = 0;
    while (i + 1 < n && at >= x[i + 1])
        i++;
    const double h = at - x[i], k = at < x[0] ? 0.0 : 1.0;
    const double c1 = c[i][1], c2 = k * c[i][2], c3 = k * c[i][3];
    if (order == 0)
        return c[i][0] + h * (c1 + h * (c2 + h * c3));
    if (order == 1)
        return c1 + h * (2.0 * c2 + 3.0 * h * c3);
    return order == 2 ? 2.0 * c2 + 6.0 * h * c3 : 6.0 * c3;
}
"""


def c_source(functions: Functions, what: list[str]) -> str:
    """C source of the functions."""
    prefix = identifier(functions.name)
    words = [line.replace("*/", "* /") for line in heading(functions)]
    lines = ["/*", *(f" * {line}".rstrip() for line in words), " *", *_shapes(functions, what), " */"]
    lines += ["#include <math.h>", ""]
    for name, count in (("Q", functions.q), ("V", functions.v), ("ROWS", functions.rows), ("P", functions.parameters)):
        lines.append(f"enum {{ {prefix}_N_{name} = {len(count)} }};")
    if functions.parameters:
        values = ", ".join(repr(x) for x in functions.parameters.values())
        lines.append(f"const double {prefix}_parameters[] = {{{values}}};")
    splines = used_splines(functions, what)
    if splines:
        lines.append(_TABLE)
    for number in splines:
        spline, name = functions.graph.splines[number], spline_name(functions, number)
        lines.append(f"static const int {name}_n = {len(spline.x)};")
        lines.append(f"static const double {name}_x[] = {{{', '.join(map(repr, spline.x))}}};")
        rows = ",\n    ".join("{" + ", ".join(map(repr, row)) + "}" for row in spline.coefficients)
        lines.append(f"static const double {name}_c[][4] = {{\n    {rows}}};")
    for name in what:
        lines += ["", *_function(functions, prefix, name)]
    return "\n".join([*lines, ""])


def _shapes(functions: Functions, what: list[str]) -> list[str]:
    """Words about every function."""
    found = []
    for name in what:
        shape = " x ".join(map(str, functions.results[name].shape))
        found.append(f" * {identifier(functions.name)}_{name}: {WHAT[name]}; out has {shape} numbers, row by row")
    return found


def _function(functions: Functions, prefix: str, name: str) -> list[str]:
    result = functions.results[name]
    lines, entries = assignments(functions, result, C)
    unused = [f"    (void){x};" for x in ("t", "q", "v", "p")]
    given = [f"    out[{k}] = {entry or '0.0'};" for k, entry in enumerate(entries)]
    head = f"void {prefix}_{name}(double t, const double *q, const double *v, const double *p, double *out)"
    if not given:
        unused.append("    (void)out;")
    return [head, "{", *unused, *lines, *given, "}"]
