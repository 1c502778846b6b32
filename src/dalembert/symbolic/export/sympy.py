"""Functions of a model as a Python module that makes SymPy matrices."""

from __future__ import annotations

from ...model.expression.sympy_bridge import exact_number
from ..functions import WHAT, Functions
from .lines import Language, assignments, python_heading, spline_name, texts, used_splines

_RELATIONS = {"<": "Lt", "<=": "Le", "==": "Eq", "!=": "Ne", "min": "Min", "max": "Max"}
_OTHERS = {
    "**": "{0} ** {1}", "log10": "sp.log({0}, 10)", "hypot": "sp.sqrt({0} ** 2 + {1} ** 2)", "abs": "sp.Abs({0})",
    **{name: f"sp.{there}({{0}}, {{1}})" for name, there in _RELATIONS.items()}, "not": "sp.Not(_truth({0}))",
    "and": "sp.And(_truth({0}), _truth({1}))", "or": "sp.Or(_truth({0}), _truth({1}))",
    "if_": "sp.Piecewise(({1}, _truth({0})), ({2}, True))", "whole": "{0} ** {1}", "spline": "{0}[{2}]({1})",
}  # fmt: skip


def _number(value: float) -> str:
    made = exact_number(value)
    if made.is_Integer:
        return f"sp.Integer({made})"
    if made.is_Rational:
        return f"sp.Rational({made.p}, {made.q})"
    return f"sp.Rational{made.args[0].as_numer_denom()} * sp.pi"


SYMPY = Language(texts("sp.", _OTHERS), _number, "    {0} = {1}")

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
    note = "x' is the symbol of the rate of x.  Every function returns a matrix of SymPy; nothing is simplified."
    text = python_heading(functions, note)
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
