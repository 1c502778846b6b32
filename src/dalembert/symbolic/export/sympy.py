"""Functions of a model as a Python module that makes SymPy matrices."""

from __future__ import annotations

from ...system.graph import op
from ..functions import WHAT, Functions, exact
from .lines import Language, assignments, heading, spline_name, used_splines

_ONE = {
    op.NEG: "-{0}", op.SIN: "sp.sin({0})", op.COS: "sp.cos({0})", op.TAN: "sp.tan({0})", op.ASIN: "sp.asin({0})",
    op.ACOS: "sp.acos({0})", op.ATAN: "sp.atan({0})", op.SINH: "sp.sinh({0})", op.COSH: "sp.cosh({0})", op.TANH: "sp.tanh({0})",
    op.EXP: "sp.exp({0})", op.LOG: "sp.log({0})", op.LOG10: "sp.log({0}, 10)", op.SQRT: "sp.sqrt({0})", op.ABS: "sp.Abs({0})",
    op.SIGN: "sp.sign({0})", op.FLOOR: "sp.floor({0})", op.NOT: "sp.Not(_truth({0}))",
}  # fmt: skip
_TWO = {
    op.ADD: "{0} + {1}", op.SUB: "{0} - {1}", op.MUL: "{0} * {1}", op.DIV: "{0} / {1}", op.POW: "{0} ** {1}",
    op.ATAN2: "sp.atan2({0}, {1})", op.HYPOT: "sp.sqrt({0} ** 2 + {1} ** 2)", op.MIN: "sp.Min({0}, {1})",
    op.MAX: "sp.Max({0}, {1})", op.LT: "sp.Lt({0}, {1})", op.LE: "sp.Le({0}, {1})", op.EQ: "sp.Eq({0}, {1})",
    op.NE: "sp.Ne({0}, {1})", op.AND: "sp.And(_truth({0}), _truth({1}))", op.OR: "sp.Or(_truth({0}), _truth({1}))",
}  # fmt: skip


def _number(value: float) -> str:
    made = exact(value)
    if made.is_Integer:
        return f"sp.Integer({made})"
    return (
        f"sp.Rational({made.p}, {made.q})"
        if made.is_Rational
        else f"sp.Rational{made.args[0].as_numer_denom()} * sp.pi"
    )


SYMPY = Language(
    _ONE, _TWO, "{0} ** {1}", "sp.Piecewise(({1}, _truth({0})), ({2}, True))", "{0}[{2}]({1})", _number, "    {0} = {1}"
)

_START = """
import sympy as sp

t = sp.Symbol("t", real=True)
q = [sp.Symbol(x, real=True) for x in {q!r}]
v = [sp.Symbol(x, real=True) for x in {v!r}]
p = [sp.Symbol(x, real=True) for x in {p!r}]
ROWS = {rows!r}
PARAMETERS = dict(zip(p, {values!r}))


def _truth(x):
    return x if isinstance(x, sp.logic.boolalg.Boolean) else sp.Ne(x, 0)
"""


def sympy_source(functions: Functions, what: list[str]) -> str:
    """Python source that makes SymPy matrices."""
    quoted = [line.replace("\\", "\\\\").replace('"', "'") for line in heading(functions)]
    note = "x' is the symbol of the rate of x.  Every function returns a matrix of SymPy; nothing is simplified."
    text = '"""' + "\n".join([*quoted, "", note]) + '\n"""\n'
    v = [f"{x[5:-1]}'" if x.startswith("rate(") else x for x in functions.v]
    text += _START.format(
        q=list(functions.q), v=v, p=list(functions.parameters), rows=functions.rows, values=list(functions.parameters.values())
    )  # fmt: skip
    for number in used_splines(functions, what):
        name = spline_name(functions, number)
        names = [f"{name}{'_d' * order}" for order in range(4)]
        text += f"\n\n# a table: {functions.graph.splines[number].name}, and its derivatives\n"
        text += f"{name} = [sp.Function(x, real=True) for x in {names!r}]\n"
    return text + "".join(_function(functions, name) for name in what)


def _function(functions: Functions, name: str) -> str:
    result = functions.results[name]
    lines, entries = assignments(functions, result, SYMPY)
    rows, columns = result.shape if len(result.shape) == 2 else (result.shape[0], 1)
    listed = ", ".join(entry or "0" for entry in entries)
    head = f'\n\ndef {name}():\n    """{WHAT[name][0].upper()}{WHAT[name][1:]}."""\n'
    return head + "\n".join([*lines, f"    return sp.Matrix({rows}, {columns}, [{listed}])", ""])


__all__ = ["sympy_source"]
