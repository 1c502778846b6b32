"""Lower expression trees to the instruction tape that the kernels run (`kernels/tape.py` tells its layout).

Constants are folded first, `ramp`, `step` and many-armed `min`, `max` are written by simpler functions, and equal
sub-expressions of one expression share one register.  All expressions share one code, constant and spline store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ExpressionError, nearest
from ..kernels import tape_functions as op
from ..model.expression import Call, Expr, Number, Spline, SplineCall, postorder, symbol
from ..model.expression.derivative import constants_folded, primitive

Ints = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]
Floats = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]

# whole exponents up to this size are multiplied out; beyond it the general power is as fast and as accurate
_LARGEST_POWER = 32

_ONE = {
    "neg": op.NEG, "sin": op.SIN, "cos": op.COS, "tan": op.TAN, "asin": op.ASIN, "acos": op.ACOS, "atan": op.ATAN,
    "sinh": op.SINH, "cosh": op.COSH, "tanh": op.TANH, "exp": op.EXP, "log": op.LOG, "log10": op.LOG10, "sqrt": op.SQRT,
    "abs": op.ABS, "sign": op.SIGN, "floor": op.FLOOR, "not": op.NOT,
}  # fmt: skip
_TWO = {
    "+": op.ADD, "-": op.SUB, "*": op.MUL, "/": op.DIV, "**": op.POW, "atan2": op.ATAN2, "hypot": op.HYPOT,
    "min": op.MIN, "max": op.MAX, "<": op.LT, "<=": op.LE, "==": op.EQ, "!=": op.NE, "and": op.AND, "or": op.OR,
}  # fmt: skip
_SWAPPED = {">": op.LT, ">=": op.LE}  # a > b is b < a
NAMES = {code: name for name, code in {**_ONE, **_TWO, "if_": op.SELECT}.items()}


@dataclass(frozen=True)
class Tape:
    """Expressions as arrays; every expression is a range of one code array.

    Attributes
    ----------
    code
        (n, 4) int64: instructions (op, a, b, c).
    const
        (m,) float64: constants.
    first, last
        (K,) int64: expression k owns the instructions first[k] … last[k] - 1.
    spline_first
        (S + 1,) int64: spline j owns the knots spline_first[j] … spline_first[j+1] - 1.
    spline_knots
        (P,) float64.
    spline_coefficients
        (P, 4) float64: c0 + c1 h + c2 h^2 + c3 h^3 from each knot on.
    inputs
        For each expression the names of its inputs, in the order of the input vector x it is to be run with.
    """

    code: Ints
    const: Floats
    first: Ints
    last: Ints
    spline_first: Ints
    spline_knots: Floats
    spline_coefficients: Floats
    inputs: tuple[tuple[str, ...], ...]

    @property
    def arrays(self) -> tuple[Ints, Floats, Ints, Ints, Ints, Floats, Floats]:
        """The arrays in the order of the kernels: `tape_value(*tape.arrays, k, x, reg)`."""
        splines = self.spline_first, self.spline_knots, self.spline_coefficients
        return self.code, self.const, self.first, self.last, *splines

    @property
    def n_registers(self) -> int:
        """Length of the scratch that any of the expressions needs."""
        return int(np.max(self.last - self.first, initial=0))

    @property
    def n_inputs(self) -> int:
        """Length of the longest input vector x."""
        return max((len(names) for names in self.inputs), default=0)

    def __len__(self) -> int:
        return len(self.first)


def lower(expressions: Sequence[Expr], inputs: Sequence[str] | Sequence[Sequence[str]]) -> Tape:
    """Tape of some expressions.

    Parameters
    ----------
    expressions
        The trees; expression k of the tape is `expressions[k]`.
    inputs
        Names of the entries of the input vector, "t", "O.angle", "rate(O.angle)", …: one list for all expressions, or
        one list for each, when they are run with different vectors.

    Raises
    ------
    ExpressionError
        A name that is not an input, or a part made of numbers only that has no value (1/0).
    """
    shared = all(isinstance(name, str) for name in inputs)
    lists: list[Any] = [inputs] * len(expressions) if shared else list(inputs)
    if len(lists) != len(expressions):
        raise ExpressionError(
            "inputs of a tape",
            f"{len(lists)} lists of inputs for {len(expressions)} expressions",
            "each expression needs one list, or all share one",
            "give one list of names, or as many lists as expressions",
        )
    lowering = _Lowering()
    for expression, names in zip(expressions, lists):
        lowering.add(expression, tuple(names))
    return lowering.tape()


@dataclass
class _Lowering:
    """A tape while it is written."""

    inputs: list[tuple[str, ...]] = field(default_factory=list)
    code: list[tuple[int, int, int, int]] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    constants: dict[float, int] = field(default_factory=dict)
    splines: dict[Spline, int] = field(default_factory=dict)

    def add(self, expression: Expr, inputs: tuple[str, ...]) -> None:
        """Write one expression behind the others."""
        _check_inputs(inputs)
        self.inputs.append(inputs)
        tree = constants_folded(primitive(constants_folded(expression)))
        self.first.append(len(self.code))
        rows: dict[tuple[int, int, int, int], int] = {}  # instruction -> register: equal instructions are one
        register: dict[int, int] = {}  # node -> register
        for node in _needed(tree):
            args = tuple(register[id(child)] for child in _operands(node))
            row = self._row(node, args, expression)
            if row not in rows:
                rows[row] = len(rows)
                self.code.append(row)
            register[id(node)] = rows[row]
        assert register[id(tree)] == len(rows) - 1, "the result is in the last register"

    def _row(self, node: Expr, args: tuple[int, ...], whole: Expr) -> tuple[int, int, int, int]:
        """Instruction of one node."""
        if isinstance(node, Number):
            return op.CONST, self.constants.setdefault(node.value, len(self.constants)), 0, 0
        name = symbol(node)
        if name is not None:
            return op.INPUT, _input(name, self.inputs[-1], whole), 0, 0
        if all(isinstance(child, Number) for child in node.children):
            node.evaluate({})  # folding left it: raises, and says why it has no value
        if isinstance(node, Call) and node.function == "/" and node.args[1] == Number(0.0):
            raise ExpressionError(
                f"running the expression {whole}", f"{node} has no value", "the divisor is always zero", "correct it"
            )
        if isinstance(node, SplineCall):
            return op.SPLINE, args[0], self.splines.setdefault(node.table, len(self.splines)), node.order
        assert isinstance(node, Call)
        return _call(node, args)

    def tape(self) -> Tape:
        """Finished arrays."""
        knots = [x for table in self.splines for x in table.x]
        coefficients = [row for table in self.splines for row in table.coefficients]
        counts = [len(table.x) for table in self.splines]
        return Tape(
            code=np.array(self.code, dtype=np.int64).reshape(-1, 4),
            const=np.array(list(self.constants), dtype=np.float64),
            first=np.array(self.first, dtype=np.int64),
            last=np.array([*self.first[1:], len(self.code)][: len(self.first)], dtype=np.int64),
            spline_first=np.cumsum([0, *counts], dtype=np.int64),
            spline_knots=np.array(knots, dtype=np.float64),
            spline_coefficients=np.array(coefficients, dtype=np.float64).reshape(-1, 4),
            inputs=tuple(self.inputs),
        )


def _check_inputs(names: tuple[str, ...]) -> None:
    duplicate = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if duplicate is not None:
        raise ExpressionError(
            "inputs of a tape", f"{duplicate!r} twice", "each input needs a name of its own", "give every name once"
        )


def _input(name: str, inputs: tuple[str, ...], whole: Expr) -> int:
    if name in inputs:
        return inputs.index(name)
    raise ExpressionError(
        f"running the expression {whole}", f"the name {name!r}", "it is no input here", nearest(name, inputs)
    )


def _fixed_exponent(node: Expr) -> float | None:
    """Exponent of a power that has an instruction of its own: 1/2 or a small whole number."""
    if not isinstance(node, Call) or node.function != "**" or not isinstance(node.args[1], Number):
        return None
    exponent = node.args[1].value
    return exponent if exponent == 0.5 or (exponent.is_integer() and abs(exponent) <= _LARGEST_POWER) else None


def _operands(node: Expr) -> tuple[Expr, ...]:
    """Arguments that need a register."""
    return node.children if _fixed_exponent(node) is None else node.children[:1]


def _needed(tree: Expr) -> list[Expr]:
    """Nodes that need a register, arguments first."""
    order = postorder(tree)
    needed = {id(tree)}
    for node in reversed(order):
        if id(node) in needed:
            needed.update(id(child) for child in _operands(node))
    return [node for node in order if id(node) in needed]


def _call(node: Call, args: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Instruction of a function or operator."""
    name, exponent = node.function, _fixed_exponent(node)
    if exponent is not None:
        return (op.SQRT, args[0], 0, 0) if exponent == 0.5 else (op.POWI, args[0], int(exponent), 0)
    if name in _ONE:
        return _ONE[name], args[0], 0, 0
    if name in _SWAPPED:
        return _SWAPPED[name], args[1], args[0], 0
    if name == "if_":
        return op.SELECT, *args  # type: ignore[return-value]
    return _TWO[name], args[0], args[1], 0
