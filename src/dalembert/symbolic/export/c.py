"""Functions of a model as C source: one function (t, q, v, p, out) for each, standard C99 and the mathematical library."""

from __future__ import annotations

from ..functions import WHAT, Functions
from .lines import Language, assignments, heading, identifier, plain_number, spline_name, texts, used_splines

_OTHERS = {
    "**": "pow({0}, {1})", "abs": "fabs({0})", "min": "fmin({0}, {1})", "max": "fmax({0}, {1})",
    "sign": "({0} > 0.0) - ({0} < 0.0)", **{x: f"{{0}} {x} {{1}}" for x in ("<", "<=", "==", "!=")},
    "and": "{0} != 0.0 && {1} != 0.0", "or": "{0} != 0.0 || {1} != 0.0", "not": "{0} == 0.0", "if_": "{0} != 0.0 ? {1} : {2}",
    "whole": "pow({0}, {1}.0)", "spline": "table_value({0}_x, {0}_c, {0}_n, {1}, {2})",
}  # fmt: skip
C = Language(texts("", _OTHERS), plain_number, "    const double {0} = {1};")

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
    shapes = {name: " x ".join(map(str, functions.results[name].shape)) for name in what}
    about = [f" * {prefix}_{x}: {WHAT[x]}; out has {shape} numbers, row by row" for x, shape in shapes.items()]
    lines = ["/*", *(f" * {line}".rstrip() for line in words), " *", *about, " */"]
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


def _function(functions: Functions, prefix: str, name: str) -> list[str]:
    result = functions.results[name]
    lines, entries = assignments(functions, result, C)
    unused = [f"    (void){x};" for x in ("t", "q", "v", "p")]
    given = [f"    out[{k}] = {entry or '0.0'};" for k, entry in enumerate(entries)]
    head = f"void {prefix}_{name}(double t, const double *q, const double *v, const double *p, double *out)"
    if not given:
        unused.append("    (void)out;")
    return [head, "{", *unused, *lines, *given, "}"]
