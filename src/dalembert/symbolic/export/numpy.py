"""Functions of a model as a Python module that needs NumPy and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..functions import WHAT, Functions
from .lines import Language, assignments, plain_number, python_heading, spline_name, texts, used_splines

_TRUTH = "np.where({}, 1.0, 0.0)"
_OTHERS = {
    "**": "np.power({0}, {1})", "asin": "np.arcsin({0})", "acos": "np.arccos({0})", "atan": "np.arctan({0})",
    "atan2": "np.arctan2({0}, {1})", "min": "np.minimum({0}, {1})", "max": "np.maximum({0}, {1})",
    **{x: _TRUTH.format(f"{{0}} {x} {{1}}") for x in ("<", "<=", "==", "!=")}, "not": _TRUTH.format("{0} == 0.0"),
    "and": _TRUTH.format("({0} != 0.0) & ({1} != 0.0)"), "or": _TRUTH.format("({0} != 0.0) | ({1} != 0.0)"),
    "if_": "np.where({0} != 0.0, {1}, {2})", "whole": "{0} ** {1}.0", "spline": "_table_value({0}_x, {0}_c, {1}, {2})",
}  # fmt: skip
NUMPY = Language(texts("np.", _OTHERS), plain_number, "        {0} = {1}")

_START = '''
import numpy as np

COORDINATES = {q!r}
VELOCITIES = {v!r}
ROWS = {rows!r}
PARAMETERS = {parameters!r}


def _given(t, q, v, p):
    """Inputs as arrays; p may be None, a mapping of changed parameters, or all of them in order."""
    if p is None or hasattr(p, "keys"):
        p = list({{**PARAMETERS, **(p or {{}})}}.values())
    t, q, v, p = (np.asarray(x, dtype=float) for x in (t, q, v, p))
    return t, q, v, p, np.broadcast_shapes(t.shape, q.shape[1:], v.shape[1:], p.shape[1:])
'''

_TABLE = '''

def _table_value(x, c, at, order):
    """Cubic through points, or its derivative; a straight line beyond the ends."""
    i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 1)
    h, k = at - x[i], np.where(at < x[0], 0.0, 1.0)
    c0, c1, c2, c3 = c[i].T if np.ndim(i) == 0 else np.moveaxis(c[i], -1, 0)
    c2, c3 = k * c2, k * c3
    if order == 0:
        return c0 + h * (c1 + h * (c2 + h * c3))
    if order == 1:
        return c1 + h * (2.0 * c2 + 3.0 * h * c3)
    return 2.0 * c2 + 6.0 * h * c3 if order == 2 else 6.0 * c3
'''


def numpy_source(functions: Functions, what: list[str]) -> str:
    """Python source of the functions."""
    text = python_heading(functions, "q, v and p may have further axes: q[:, k] is then the k-th of many states.")
    text += _START.format(q=functions.q, v=functions.v, rows=functions.rows, parameters=functions.parameters)
    splines = used_splines(functions, what)
    if splines:
        text += _TABLE
    for number in splines:
        spline, name = functions.graph.splines[number], spline_name(functions, number)
        rows = ",\n    ".join(map(repr, spline.coefficients))
        text += f"\n\n{name}_x = np.array({list(spline.x)!r})\n{name}_c = np.array([\n    {rows},\n])\n"
    return text + "".join(_function(functions, name) for name in what)


def evaluators(functions: Functions, what: list[str]) -> dict[str, Callable[..., Any]]:
    """The functions themselves, made from their source."""
    space: dict[str, Any] = {}
    exec(compile(numpy_source(functions, what), f"<functions of {functions.name}>", "exec"), space)
    return {name: space[name] for name in what}


def _function(functions: Functions, name: str) -> str:
    result = functions.results[name]
    lines, entries = assignments(functions, result, NUMPY)
    size = "(" + ", ".join(map(str, result.shape)) + ",)"
    body = ["    t, q, v, p, shape = _given(t, q, v, p)", f"    out = np.zeros({size} + shape)"]
    places = [_place(k, result.shape) for k in range(len(entries))]
    given = [f"        out[{place}] = {entry}" for place, entry in zip(places, entries) if entry]
    if lines or given:
        body += ['    with np.errstate(all="ignore"):', *lines, *given]
    words = WHAT.get(name, name)
    head = f'\n\ndef {name}(t, q, v, p=None):\n    """{words[0].upper()}{words[1:]}, shape {size}."""\n'
    return head + "\n".join([*body, "    return out", ""])


def _place(k: int, shape: tuple[int, ...]) -> str:
    return f"{k // shape[1]}, {k % shape[1]}" if len(shape) == 2 else str(k)
