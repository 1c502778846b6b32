"""Formulas as one graph in which every sub-expression exists once, with exact derivatives.

A node is a row (op, a, b, c) with the codes of `kernels/functions.py`; a, b, c are nodes (or a constant, an input, a whole exponent, a
spline).  Nodes are numbered in the order in which they can be computed.  Equal rows are one node, zeros and ones vanish, numbers are
folded; so derivatives stay small: they are built from the nodes that exist already, and nothing is ever expanded.

forward    derivative of nodes along a direction of the inputs           one sweep for one direction and many nodes
jacobian   the same along many directions                                 sweeps over what each of them moves
reverse    derivatives of one node by all inputs                          one sweep
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import MethodError
from ..kernels import functions as op
from ..kernels.called import MOST_ORDERS, PythonFunction
from ..model.expression import Call, CheckedFunction, Expr, FunctionCall, Number, Spline, SplineCall, postorder, symbol
from ..model.expression.derivative import RULES, by_rule, expanded
from ..model.expression.evaluation import constant_value

Row = tuple[int, int, int, int]

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
# infinite or undefined at some finite arguments, or beyond the largest number soon
_INFINITE = (
    op.DIV, op.TAN, op.LOG, op.LOG10, op.POW, op.POWI, op.SQRT, op.ASIN, op.ACOS, op.EXP, op.SINH, op.COSH,
    op.CALL,
)  # fmt: skip
WHOLE = 32  # exponents up to this size are multiplied out


class Graph:
    """Nodes of formulas over named inputs."""

    def __init__(self, inputs: Sequence[Hashable] = ()) -> None:
        self.rows: list[Row] = []
        self.inputs: list[Any] = list(inputs)
        self.constants: list[float] = []
        self.splines: list[Spline] = []
        # Python functions, and their calls: number of the function, orders of the derivative, arguments
        self.functions: list[PythonFunction] = []
        self.laws: list[CheckedFunction] = []
        self.calls: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []
        self._index: dict[Row, int] = {}
        self._constant_at: dict[float, int] = {}
        self._made: dict[int, int] = {}
        self._kept: list[Expr] = []
        self._unbounded: dict[int, bool] = {}
        # selections of a product, or 0 where a factor is zero whatever the other is: their rates are those of the product
        self.guarded: set[int] = set()
        # numbers that are not part of the structure: inputs with their values
        self.numbers: dict[int, float] = {}
        self.input: dict[Any, int] = {name: self._row(op.INPUT, k) for k, name in enumerate(self.inputs)}
        self.zero, self.one = self.number(0.0), self.number(1.0)

    # -- building ------------------------------------------------------------------------------------------------------

    def _row(self, code: int, a: int = 0, b: int = 0, c: int = 0) -> int:
        row = (code, a, b, c)
        found = self._index.get(row)
        if found is None:
            found = self._index[row] = len(self.rows)
            self.rows.append(row)
        return found

    def number(self, value: float) -> int:
        """Node of a constant."""
        value = float(value) + 0.0
        place = self._constant_at.get(value)
        if place is None:
            place = self._constant_at[value] = len(self.constants)
            self.constants.append(value)
        return self._row(op.CONST, place)

    def named(self, name: Hashable) -> int:
        """Node of an input, which is made where there is none of that name."""
        if name not in self.input:
            self.inputs.append(name)
            self.input[name] = self._row(op.INPUT, len(self.inputs) - 1)
        return self.input[name]

    def value(self, node: int) -> float | None:
        """Number of a constant node."""
        code, a, _, _ = self.rows[node]
        return self.constants[a] if code == op.CONST else None

    def _negated(self, node: int) -> int | None:
        code, a, _, _ = self.rows[node]
        return a if code == op.NEG else None

    def neg(self, a: int) -> int:
        """-a."""
        number = self.value(a)
        if number is not None:
            return self.number(-number)
        inside = self._negated(a)
        if inside is not None:
            return inside
        code, x, y, _ = self.rows[a]
        if code == op.SUB:
            return self._row(op.SUB, y, x)
        return self._row(op.NEG, a)

    def add(self, a: int, b: int) -> int:
        """a + b."""
        if a == self.zero:
            return b
        if b == self.zero:
            return a
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self.number(x + y)
        minus = self._negated(b)
        if minus is not None:
            return self.sub(a, minus)
        minus = self._negated(a)
        if minus is not None:
            return self.sub(b, minus)
        if a == b:
            return self.mul(self.number(2.0), a)
        return self._row(op.ADD, min(a, b), max(a, b))

    def sub(self, a: int, b: int) -> int:
        """a - b."""
        if a == b:
            return self.zero
        if b == self.zero:
            return a
        if a == self.zero:
            return self.neg(b)
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self.number(x - y)
        minus = self._negated(b)
        if minus is not None:
            return self.add(a, minus)
        minus = self._negated(a)
        if minus is not None:
            return self.neg(self.add(minus, b))
        return self._row(op.SUB, a, b)

    def mul(self, a: int, b: int) -> int:
        """a*b; signs and numbers move to the front."""
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self.number(x * y)
        if y is not None:
            a, b, x, y = b, a, y, x
        if x == 0.0:
            return self.zero
        if x == 1.0:
            return b
        if x == -1.0:
            return self.neg(b)
        minus = self._negated(b)
        if minus is not None:
            return self.mul(self.number(-x), minus) if x is not None else self.neg(self.mul(a, minus))
        minus = self._negated(a)
        if minus is not None:
            return self.neg(self.mul(minus, b))
        if x is not None:
            code, first, second, _ = self.rows[b]
            if code == op.MUL and (inner := self.value(first)) is not None:
                return self.mul(self.number(x * inner), second)
        else:
            # numbers of the factors come out: (2 u) v = 2 (u v)
            for p, q in ((a, b), (b, a)):
                code, first, second, _ = self.rows[p]
                if code == op.MUL and self.value(first) is not None:
                    return self.mul(first, self.mul(second, q))
        return self._row(op.MUL, min(a, b), max(a, b)) if x is None else self._row(op.MUL, a, b)

    def div(self, a: int, b: int) -> int:
        """a/b."""
        x, y = self.value(a), self.value(b)
        if y is not None and y != 0.0:
            return self.number(x / y) if x is not None else self.mul(self.number(1.0 / y), a)
        if x == 0.0 and y is None:
            return self.zero
        minus = self._negated(a)
        return self._row(op.DIV, a, b) if minus is None else self.neg(self.div(minus, b))

    def power(self, a: int, b: int) -> int:
        """a**b."""
        y = self.value(b)
        if y == 0.0:
            return self.one
        if y == 1.0:
            return a
        if y == 2.0:
            return self.mul(a, a)
        if y == 0.5:
            return self.one_argument(op.SQRT, a)
        if y is not None and y.is_integer() and abs(y) <= WHOLE:
            return self.whole(a, int(y))
        return self.two_arguments(op.POW, a, b)

    def whole(self, a: int, n: int) -> int:
        """a**n for a whole number n."""
        if n in (0, 1, 2):
            return (self.one, a, self.mul(a, a))[n] if n else self.one
        x = self.value(a)
        if x is not None and (x != 0.0 or n > 0):
            return self.number(x**n)
        return self._row(op.POWI, a, n)

    def one_argument(self, code: int, a: int) -> int:
        """A function of one argument."""
        if code == op.NEG:
            return self.neg(a)
        x = self.value(a)
        if x is not None:
            number = constant_value(NAMES[code], (x,))
            if number is not None:
                return self.number(number)
        return self._row(code, a)

    def two_arguments(self, code: int, a: int, b: int) -> int:
        """A function or operator of two arguments."""
        simple = {op.ADD: self.add, op.SUB: self.sub, op.MUL: self.mul, op.DIV: self.div}.get(code)
        if simple is not None:
            return simple(a, b)
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            number = constant_value(NAMES[code], (x, y))
            if number is not None:
                return self.number(number)
        return self._row(code, a, b)

    def select(self, condition: int, a: int, b: int) -> int:
        """Either a or b."""
        x = self.value(condition)
        if x is not None:
            return a if x != 0.0 else b
        return a if a == b else self._row(op.SELECT, condition, a, b)

    def spline(self, a: int, table: int, order: int) -> int:
        """Derivative of some order of a table of numbers that is not here."""
        return self._row(op.SPLINE, a, table, order)

    def table(self, table: Spline) -> int:
        """Number of a table, which is put among those of the graph."""
        if table not in self.splines:
            self.splines.append(table)
        return self.splines.index(table)

    def call(self, one: int, orders: tuple[int, ...], args: tuple[int, ...]) -> int:
        """A Python function of arguments, or a derivative of it."""
        made = one, orders, args
        if made not in self.calls:
            if len(orders) > MOST_ORDERS:
                raise MethodError(
                    "the equations with a Python function", f"its derivative of order {len(orders)}", f"differences are made up to order {MOST_ORDERS}",
                    "give the law as a text, or as a table with da.spline",
                )  # fmt: skip
            self.calls.append(made)
        return self._row(op.CALL, self.calls.index(made))

    def _function(self, law: CheckedFunction) -> int:
        if law not in self.laws:
            self.laws.append(law)
            self.functions.append(PythonFunction(law.derivative))
        return self.laws.index(law)

    def uncertain_zero(self, a: int) -> int:
        """0*a, which is NaN where a is NaN or infinite."""
        return self._row(op.MUL, self.zero, a)

    def __getstate__(self) -> dict[str, Any]:
        # nodes by the identity of their expressions, which copies do not have
        return {**self.__dict__, "_made": {}, "_kept": []}

    def add_expression(self, expr: Expr) -> int:
        """Node of an expression; its names must be inputs."""
        self._kept.append(expr)
        for node in postorder(expr):
            if id(node) not in self._made:
                args = tuple(self._made[id(child)] for child in node.children)
                self._made[id(node)] = self._expression(node, args)
        return self._made[id(expr)]

    def _expression(self, node: Expr, args: tuple[int, ...]) -> int:
        if isinstance(node, Number):
            return self.number(node.value)
        name = symbol(node)
        if name is not None:
            return self.input[name]
        if isinstance(node, SplineCall):
            return self._row(op.SPLINE, args[0], self.table(node.table), node.order)
        if isinstance(node, FunctionCall):
            return self.call(self._function(node.function), node.orders, args)
        assert isinstance(node, Call)
        simple = expanded(node.function, node.args)
        if simple is not None:
            return self.add_expression(simple)
        if node.function == "**":
            return self.power(args[0], args[1])
        if node.function == "if_":
            return self.select(*args)
        # corners are written by conditions and signs, which a time loop can hold
        if node.function == "abs":
            return self.mul(self.one_argument(op.SIGN, args[0]), args[0])
        if node.function in ("min", "max"):
            smaller = args if node.function == "min" else args[::-1]
            return self.select(self.two_arguments(op.LE, *smaller), *args)
        if node.function in _ONE:
            return self.one_argument(_ONE[node.function], args[0])
        if node.function in _SWAPPED:
            return self.two_arguments(_SWAPPED[node.function], args[1], args[0])
        return self.two_arguments(_TWO[node.function], args[0], args[1])

    # -- structure -----------------------------------------------------------------------------------------------------

    def arguments(self, node: int) -> tuple[int, ...]:
        """Nodes that a node is computed from."""
        code, a, b, c = self.rows[node]
        if code in (op.CONST, op.INPUT):
            return ()
        if code == op.CALL:
            return self.calls[a][2]
        if code in (op.SELECT, op.BEND):
            return a, b, c
        return (a, b) if code >= op.BINARY else (a,)

    def needed(self, nodes: Iterable[int], given: Container[int] = ()) -> list[int]:
        """All nodes that these need, themselves included, in the order of computation; nodes that are given need nothing."""
        seen: set[int] = set()
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                if node not in given:
                    stack.extend(self.arguments(node))
        return sorted(seen)

    def switches(self, nodes: Iterable[int]) -> list[int]:
        """Conditions, signs and whole parts that these nodes contain, the outermost ones."""
        found, seen, stack = set(), set(), list(nodes)
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if self.rows[node][0] in (op.LT, op.LE, op.SIGN, op.FLOOR):
                found.add(node)
            else:
                stack.extend(self.arguments(node))
        return sorted(found)

    def depends(self, node: int, names: Iterable[str]) -> str | None:
        """First of the inputs that a node contains."""
        found = set(self.needed([node]))
        return next((name for name in names if self.input[name] in found), None)

    def unbounded(self, node: int) -> bool:
        """Whether a node may be infinite or undefined at finite inputs: by a division, a logarithm, a power."""
        known = self._unbounded
        for k in [] if node in known else self.needed([node], known):
            if k not in known:
                code, _, b, _ = self.rows[k]
                # numbers by which an expression divides are not zero
                harmless = (code == op.POWI and b >= 0) or (code == op.DIV and b in self.numbers)
                known[k] = (code in _INFINITE and not harmless) or any(known[a] for a in self.arguments(k))
        return known[node]

    # -- derivatives ---------------------------------------------------------------------------------------------------

    def slopes(self, node: int) -> tuple[int, ...]:
        """Derivatives of a node by its arguments (0 for conditions)."""
        code, a, b, c = self.rows[node]
        if code == op.ADD:
            return self.one, self.one
        if code == op.SUB:
            return self.one, self.number(-1.0)
        if code == op.MUL:
            return b, a
        if code == op.DIV:
            inverse = self.div(self.one, b)
            return inverse, self.neg(self.mul(node, inverse))
        if code == op.SELECT:
            return self.zero, self.select(a, self.one, self.zero), self.select(a, self.zero, self.one)
        if code == op.SPLINE:
            return (self._row(op.SPLINE, a, b, c + 1) if c < 3 else self.zero,)
        if code == op.CALL:
            one, orders, args = self.calls[a]
            return tuple(self.call(one, (*orders, k), args) for k in range(len(args)))
        if code == op.POWI:
            return (self.mul(self.number(b), self.whole(a, b - 1)),)
        rule = RULES.get(NAMES.get(code, ""))
        if rule is None:
            return (self.zero,) * len(self.arguments(node))
        given = {"f": node, "a": a, "b": b, "da": self.one, "db": self.zero}
        by_first = by_rule(rule, given, self._expression)
        if code < op.BINARY:
            return (by_first,)
        if self.value(b) is not None:
            return by_first, self.zero
        return by_first, by_rule(rule, given | {"da": self.zero, "db": self.one}, self._expression)

    def times(self, a: int, b: int) -> int:
        """Product of a slope with a rate or a weight."""
        return self.mul(a, b)

    def forward(self, nodes: Sequence[int], direction: Mapping[int, int]) -> list[int]:
        """Derivatives of nodes along a direction: inputs (nodes) with the nodes of their rates."""
        moved: dict[int, int] = {}
        for node in self.needed(nodes):
            if node in direction:
                moved[node] = direction[node]
            elif any(a in moved for a in self.arguments(node)):
                self._rate(node, moved)
        return [moved.get(node, self.zero) for node in nodes]

    def jacobian(self, nodes: Sequence[int], directions: Sequence[Mapping[int, int]]) -> Iterator[dict[int, int]]:
        """Derivatives of nodes along several directions, those that are not zero: number of the node -> derivative.

        One sweep for each direction, over what depends on it only: a body moves the rows and laws that it takes part in.
        """
        users: dict[int, list[int]] = {}
        for node in self.needed(nodes):
            for a in self.arguments(node):
                users.setdefault(a, []).append(node)
        wanted: dict[int, list[int]] = {}
        for k, node in enumerate(nodes):
            wanted.setdefault(node, []).append(k)
        for direction in directions:
            touched: set[int] = set()
            stack = [user for node in direction for user in users.get(node, ())]
            while stack:
                node = stack.pop()
                if node not in touched:
                    touched.add(node)
                    stack += users.get(node, ())
            moved = dict(direction)
            for node in sorted(touched):
                self._rate(node, moved)
            yield {k: rate for node, rate in moved.items() for k in wanted.get(node, ()) if rate != self.zero}

    def _rate(self, node: int, moved: dict[int, int]) -> None:
        """Put the rate of a node among those of its arguments."""
        code, condition, a, b = self.rows[node]
        if code == op.SELECT and node in self.guarded:
            total = moved.get(a, self.zero)
        elif code == op.SELECT:
            # either rate: the one not taken may be infinite
            total = self.select(condition, moved.get(a, self.zero), moved.get(b, self.zero))
        else:
            total = self.zero
            for x, slope in zip(self.arguments(node), self.slopes(node)):
                if x in moved and slope != self.zero:
                    total = self.add(total, self.times(slope, moved[x]))
        if total != self.zero:
            moved[node] = total

    def reverse(self, node: int, names: Sequence[Hashable]) -> list[int]:
        """Derivatives of one node by the inputs named."""
        adjoint = {node: self.one}
        order = self.needed([node])
        active = self.dependent(order, names)
        for k in reversed(order):
            weight = adjoint.get(k)
            if weight is None or weight == self.zero or k not in active:
                continue
            for a, slope in zip(self.arguments(k), self.slopes(k)):
                if a in active and slope != self.zero:
                    adjoint[a] = self.add(adjoint.get(a, self.zero), self.times(weight, slope))
        return [adjoint.get(self.input[name], self.zero) for name in names]

    def dependent(self, order: Sequence[int], names: Sequence[Any]) -> set[int]:
        """Nodes among these that depend on one of the inputs."""
        found = {self.input[name] for name in names}
        for node in order:
            if any(a in found for a in self.arguments(node)):
                found.add(node)
        return found
