"""Numbers with many nilpotent parts: exact directional derivatives of any order, for brackets of vector fields.

A number is a + b e with e e = 0, where a and b may be such numbers themselves.  With k of these e, it has 2^k coefficients, in the last
axis of an array: the coefficient of e_i e_j ... stands at the index whose bits i, j, ... are set.  The part at e_1 ... e_k of
f(x + e_1 u + ... ) is the k-fold derivative of f, without truncation error and without any formula for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from ..model.expression import Call, Expr, Number, SplineCall, postorder, symbol
from ..model.expression.catalogue import COMPARISONS
from ..model.expression.derivative import RULES, by_rule, primitive

Array = np.ndarray

# up to this many coefficients a product is one sum over a table of index pairs (3^6 of them), above it is split in halves
TABLED = 64


def constant(value: float, size: int) -> Array:
    """Number without nilpotent parts."""
    made = np.zeros(size)
    made[0] = value
    return made


def extended(x: Array, direction: Array) -> Array:
    """x + e * direction with a new e."""
    return np.concatenate(np.broadcast_arrays(x, direction), axis=-1)


def halves(x: Array) -> tuple[Array, Array]:
    """The parts a and b of a + b e, e being the newest."""
    half = x.shape[-1] // 2
    return x[..., :half], x[..., half:]


@cache
def _pairs(size: int) -> tuple[Array, Array, Array]:
    """Indices i, j without a common bit, sorted by i | j, and where each sum begins."""
    found = sorted((i | j, i, j) for i in range(size) for j in range(size) if not i & j)
    targets, left, right = (np.array(x) for x in zip(*found))
    return left, right, np.searchsorted(targets, np.arange(size))


def times(x: Array, y: Array) -> Array:
    """Product; the leading axes are broadcast."""
    size = x.shape[-1]
    if size == 1:
        return x * y
    if size <= TABLED:
        left, right, starts = _pairs(size)
        return np.add.reduceat(x[..., left] * y[..., right], starts, axis=-1)
    (a, b), (c, d) = halves(x), halves(y)
    return np.concatenate([times(a, c), times(a, d) + times(b, c)], axis=-1)


def inverse(x: Array) -> Array:
    """1/x: (a + b e)^-1 = 1/a - b/a^2 e."""
    if x.shape[-1] == 1:
        return 1.0 / x
    a, b = halves(x)
    made = inverse(a)
    return np.concatenate([made, -times(b, times(made, made))], axis=-1)


def solved(matrix: Array, right: Array) -> Array:
    """X of matrix X = right, by elimination in the order given; the pivots must not vanish."""
    work = np.concatenate([matrix, right], axis=1)
    n = len(matrix)
    for i in range(n):
        filled = np.flatnonzero(np.any(work[i] != 0.0, axis=-1))
        row = times(work[i, filled], inverse(work[i, i])[None])
        work[i, filled] = row
        coupled = np.any(work[:, i] != 0.0, axis=-1)
        coupled[i] = False
        others = np.flatnonzero(coupled)
        if len(others):
            work[np.ix_(others, filled)] -= times(work[others, i][:, None], row[None])
    return work[:, n:]


# ---- functions -------------------------------------------------------------------------------------------------------


def _sine_cosine(x: Array) -> tuple[Array, Array]:
    if x.shape[-1] == 1:
        return np.sin(x), np.cos(x)
    a, b = halves(x)
    s, c = _sine_cosine(a)
    return np.concatenate([s, times(c, b)], axis=-1), np.concatenate([c, -times(s, b)], axis=-1)


def _smooth(function: str) -> Callable[[Array], Array]:
    """Function of one argument, by the table of derivatives."""
    plain, rule = getattr(np, _NUMPY.get(function, function)), RULES[function]

    def apply(x: Array) -> Array:
        if x.shape[-1] == 1:
            return np.asarray(plain(x))
        a, da = halves(x)
        f = apply(a)

        def made(node: Expr, args: tuple[Array, ...]) -> Array:
            return constant(node.value, a.shape[-1]) if isinstance(node, Number) else _applied(node, args)

        return np.concatenate([f, by_rule(rule, {"a": a, "da": da, "f": f}, made)], axis=-1)

    return apply


def _whole_power(x: Array, n: int) -> Array:
    if n < 0:
        return inverse(_whole_power(x, -n))
    made = np.zeros_like(x)
    made[..., 0] = 1.0
    while n:
        made = times(made, x) if n & 1 else made
        n >>= 1
        x = times(x, x) if n else x
    return made


def _power(x: Array, y: Array) -> Array:
    exponent = y[..., 0]
    if not np.any(y[..., 1:]):
        if np.all(exponent == exponent.flat[0]) and float(exponent.flat[0]).is_integer():
            return _whole_power(x, int(exponent.flat[0]))
        if np.all(exponent == 0.5):
            return _FUNCTIONS["sqrt"](x)
    return _FUNCTIONS["exp"](times(y, _FUNCTIONS["log"](x)))


def _angle(y: Array, x: Array) -> Array:
    """atan2: its derivatives are those of atan(y/x), or of -atan(x/y) where x is the smaller."""
    arc = _FUNCTIONS["atan"]
    y, x = np.broadcast_arrays(y, x)
    upright = (np.abs(x[..., 0]) < np.abs(y[..., 0]))[..., None]
    made = np.where(upright, -arc(times(x, inverse(y))), arc(times(y, inverse(x))))
    made[..., 0] = np.arctan2(y[..., 0], x[..., 0])
    return made


def _chosen(condition: Array, a: Array, b: Array) -> Array:
    return np.where(condition[..., None], a, b)


def _level(value: Array, like: Array) -> Array:
    """Piecewise constant function: no nilpotent parts."""
    made = np.zeros_like(like)
    made[..., 0] = value
    return made


def _compared(test: Callable[[Array, Array], Array], x: Array, y: Array) -> Array:
    return _level(test(x[..., 0], y[..., 0]), x + y)


def _hyperbolic(x: Array, sign: float) -> Array:
    up = _FUNCTIONS["exp"](x)
    return 0.5 * (up + sign * inverse(up))


_NUMPY = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal",
    "==": "equal", "!=": "not_equal", "and": "logical_and", "or": "logical_or",
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": times,
    "/": lambda x, y: times(x, inverse(y)),
    "**": _power,
    "neg": lambda x: -x,
    **{name: _smooth(name) for name in ("tan", "asin", "acos", "atan", "tanh", "exp", "log", "log10", "sqrt")},
    # together, or by the exponential: two functions that are the derivatives of each other would be computed again and again
    "sin": lambda x: _sine_cosine(x)[0],
    "cos": lambda x: _sine_cosine(x)[1],
    "sinh": lambda x: _hyperbolic(x, -1.0),
    "cosh": lambda x: _hyperbolic(x, 1.0),
    "atan2": _angle,
    "hypot": lambda x, y: _FUNCTIONS["sqrt"](times(x, x) + times(y, y)),
    "abs": lambda x: _chosen(x[..., 0] < 0.0, -x, x),
    "sign": lambda x: _level(np.sign(x[..., 0]), x),
    "floor": lambda x: _level(np.floor(x[..., 0]), x),
    "min": lambda x, y: _chosen(x[..., 0] <= y[..., 0], x, y),
    "max": lambda x, y: _chosen(x[..., 0] >= y[..., 0], x, y),
    "if_": lambda c, x, y: _chosen(c[..., 0] != 0.0, x, y),
    "not": lambda x: _level(x[..., 0] == 0.0, x),
    **{name: partial(_compared, getattr(np, _NUMPY[name])) for name in (*COMPARISONS, "and", "or")},
}


def _applied(node: Expr, args: Iterable[Array]) -> Array:
    """A function or operator of values of its arguments."""
    assert isinstance(node, Call)
    return _FUNCTIONS[node.function](*args)


def _spline(table: Any, order: int, x: Array) -> Array:
    if order > 3:
        return np.zeros_like(x)
    if x.shape[-1] == 1:
        return np.vectorize(lambda value: table.value(value, order), otypes=[float])(x)
    a, b = halves(x)
    return np.concatenate([_spline(table, order, a), times(_spline(table, order + 1, a), b)], axis=-1)


class Program:
    """Several expressions, evaluated together: what they share is computed once."""

    def __init__(self, expressions: Iterable[Expr]) -> None:
        self._roots = [primitive(x) for x in expressions]
        self._order: list[Expr] = []
        seen: set[Expr] = set()
        for root in self._roots:
            for node in postorder(root):
                if node not in seen:
                    seen.add(node)
                    self._order.append(node)

    def __call__(self, values: Mapping[str, Array], size: int) -> list[Array]:
        """Values of the expressions for values of the names; `size` is the number of coefficients."""
        made: dict[Expr, Array] = {}
        for node in self._order:
            name = symbol(node)
            if isinstance(node, Number):
                made[node] = constant(node.value, size)
            elif name is not None:
                made[node] = values[name]
            elif isinstance(node, SplineCall):
                made[node] = _spline(node.table, node.order, made[node.argument])
            else:
                made[node] = _applied(node, (made[child] for child in node.children))
        return [made[root] for root in self._roots]
