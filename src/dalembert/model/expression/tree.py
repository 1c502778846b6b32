"""Immutable expression trees.

Five kinds of nodes: `Number`, `Name`, `Call` (functions and operators alike), `SplineCall` (a table applied to an
argument) and `FunctionCall` (a Python function applied to arguments, which no text can state).  Subtrees may be shared, so a tree is in truth a directed graph without cycles; every algorithm goes through
`postorder`, which visits each node once and does not recurse.  Hence neither `x = x*x` repeated a hundred times nor a
sum of ten thousand terms can exhaust time or stack.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import ExpressionError
from .catalogue import ALL
from .checks import check_name, plain_number

if TYPE_CHECKING:
    from .called import CheckedFunction
    from .splines import Spline

T = TypeVar("T")


def _operator(function: str) -> tuple[Callable[[Any, object], Expr], Callable[[Any, object], Expr]]:
    """A method and its reflected one: a + b, and b + a where b is no operand itself."""
    return lambda a, b: _binary(function, a, b), lambda a, b: _binary(function, b, a)


class Operand:
    """Arithmetic with numbers and other operands gives expressions: `r/2 + 0.1`, `2*A.angle`; comparisons give conditions for `if_`."""

    __slots__ = ()
    __array_ufunc__ = None  # numpy numbers hand `np.float64(2) * r` to us

    __add__, __radd__ = _operator("+")
    __sub__, __rsub__ = _operator("-")
    __mul__, __rmul__ = _operator("*")
    __truediv__, __rtruediv__ = _operator("/")
    __pow__, __rpow__ = _operator("**")
    __lt__, __le__, __gt__, __ge__ = (_operator(sign)[0] for sign in ("<", "<=", ">", ">="))

    @property
    def symbol(self) -> Expr:
        """What stands for it in expressions."""
        raise NotImplementedError

    def __neg__(self) -> Expr:
        return Call("neg", (self.symbol,))

    def __pos__(self) -> Expr:
        return self.symbol

    def __abs__(self) -> Expr:
        return Call("abs", (self.symbol,))


class Expr(Operand):
    """A formula of numbers, names, functions and splines.

    Arithmetic with numbers and other expressions gives expressions: `r/2 + 0.1`.  `<`, `<=`, `>`, `>=` give conditions
    for `if_`; `==` compares two trees and gives True or False, so that expressions can be kept in sets and dicts.
    """

    __slots__ = ("children", "size", "_label", "_hash", "_names")

    children: tuple[Expr, ...]  # the arguments; empty for numbers, names and `rate(name)`
    size: int  # number of nodes of the tree, shared ones counted as often as they are used
    _label: tuple[object, ...]
    _hash: int
    _names: frozenset[str]  # once they were asked for

    def _finish(self, label: tuple[object, ...], children: tuple[Expr, ...]) -> None:
        # the hash is built from those of the children: constant time per node
        self._set(_label=label, children=children)
        self._set(size=1 + sum(c.size for c in children), _hash=hash((label, tuple(c._hash for c in children))))

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"expressions cannot be changed: {name!r} of {self!s}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"expressions cannot be changed: {name!r} of {self!s}")

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        """Return the same node on other arguments."""
        return self

    @property
    def symbol(self) -> Expr:
        """The expression itself."""
        return self

    # ---- questions ---------------------------------------------------------------------------------------------------

    @property
    def names(self) -> frozenset[str]:
        """Free names.  `rate(x)` counts as one name of its own, "rate(x)", and not as "x"."""
        try:
            return self._names
        except AttributeError:
            self._set(_names=frozenset(name for node in postorder(self) if (name := symbol(node)) is not None))
            return self._names

    @property
    def tables(self) -> dict[str, Spline]:
        """Splines by name: `parse(str(expr), tables=expr.tables)` gives the expression back."""
        return {node.table.name: node.table for node in postorder(self) if isinstance(node, SplineCall)}

    def evaluate(self, values: Mapping[str, float] | None = None) -> float:
        """Value for given values of the names, `{"r": 0.2, "rate(O.angle)": 1.0}`.

        Raises
        ------
        ExpressionError
            A name without a value, or a sub-expression without a finite one (it is named, with its arguments).
            The branch of `if_` not taken, and the second operand of `and`, `or` when the first decides, may fail.
        """
        from .evaluation import evaluate

        return evaluate(self, values or {})

    def diff(self, name: str) -> Expr:
        """Exact derivative with respect to a name ("x" or "rate(x)"), lightly simplified.

        At a kink the derivative is the one of the branch taken: `sign` of 0 is 0, `max(a, b)` takes a when a >= b.
        """
        from .derivative import derivative

        return derivative(self, name)

    def simplify(self) -> Expr:
        """Constants folded and zeros and ones removed; `0*x` becomes 0 even where x has no value."""
        from .derivative import simplified

        return simplified(self)

    def substitute(self, values: Mapping[str, Expr | float]) -> Expr:
        """Replace names by expressions or numbers.  `rate(x)` is replaced under the key "rate(x)" only."""
        replacements = {name: operand(value) for name, value in values.items()}

        def replace(node: Expr, children: tuple[Expr, ...]) -> Expr:
            name = symbol(node)
            if name is not None:
                return replacements.get(name, node)
            return node.with_children(children)

        return fold(self, replace)

    # ---- identity ----------------------------------------------------------------------------------------------------

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expr):
            return NotImplemented
        pairs: list[tuple[Expr, Expr]] = [(self, other)]
        seen: set[tuple[int, int]] = set()
        while pairs:
            a, b = pairs.pop()
            if a is b or (id(a), id(b)) in seen:
                continue
            if a._hash != b._hash or a._label != b._label or len(a.children) != len(b.children):
                return False
            seen.add((id(a), id(b)))
            pairs.extend(zip(a.children, b.children))
        return True

    def __str__(self) -> str:
        from .printing import to_text

        return to_text(self)

    def __repr__(self) -> str:
        return f"Expr({str(self)!r})"

    def __bool__(self) -> bool:
        raise ExpressionError(
            f"the truth of the expression {self}",
            "an expression where Python needs True or False (if, and, or, not, a < b < c)",
            "its value is not known before its names have values",
            "use if_(condition, a, b), and_, or_, not_ from the expression functions, or evaluate() first",
        )

    def __float__(self) -> float:
        if self.names:
            raise ExpressionError(
                f"the expression {self} as a plain number",
                f"free names: {', '.join(sorted(self.names))}",
                "its value is not known before its names have values",
                "use sin, cos, … of the expression functions instead of those of math or numpy, or evaluate() first",
            )
        return self.evaluate({})

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: object) -> Expr:
        return self

    def __reduce__(self) -> tuple[Callable[..., Expr], tuple[Any, ...]]:
        # flat rows: pickling nested objects would recurse, and the stored hash differs between processes
        order = postorder(self)
        position = {id(node): i for i, node in enumerate(order)}
        rows = [(type(n), n._label, tuple(position[id(c)] for c in n.children)) for n in order]
        return _from_rows, (rows,)


class Number(Expr):
    """A finite number.  Minus zero is stored as zero, so that equal numbers are equal trees.

    `value` is in SI units; `unit` and `written` tell how it was written where it has a unit: "mm" and "40 mm".
    """

    __slots__ = ("value", "unit", "written")
    value: float
    unit: str
    written: str

    def __init__(self, value: float, unit: str = "", written: str = "") -> None:
        number = float(value) + 0.0
        if not math.isfinite(number):
            raise ExpressionError(
                "a number in an expression", str(number),
                "only finite numbers have a meaning there", "give a finite number",
            )  # fmt: skip
        self._set(value=number, unit=unit, written=written)
        self._finish(("number", number, written) if written else ("number", number), ())


class Name(Expr):
    """A parameter, a measure, or `t`: identifiers joined by dots, `O.angle`."""

    __slots__ = ("name",)
    name: str

    def __init__(self, name: str) -> None:
        check_name(name)
        self._set(name=name)
        self._finish(("name", name), ())

    @classmethod
    def of_measure(cls, name: str) -> Name:
        """Name of a measure of a part whose own name need not be an identifier: "crank pin.angle", in texts `crank pin`.angle."""
        made = cls.__new__(cls)
        made._set(name=name)
        made._finish(("name", name), ())
        return made


class Call(Expr):
    """A function or operator applied to arguments; operators are called "+", "-", "*", "/", "**", "neg", "<", "and", ….

    `rate(x)` keeps its `Name` in `args` but has no children: it is a name of its own.
    """

    __slots__ = ("function", "args")
    function: str
    args: tuple[Expr, ...]

    def __init__(self, function: str, args: Iterable[Expr]) -> None:
        args = tuple(args)
        _check_call(function, args)
        self._set(function=function, args=args)
        if function == "rate":
            self._finish(("call", function, args[0].name), ())  # type: ignore[attr-defined]
        else:
            self._finish(("call", function), args)

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        """Return the same function of other arguments."""
        if all(a is b for a, b in zip(children, self.children)):
            return self
        return Call(self.function, children)


class SplineCall(Expr):
    """A cubic spline, or its derivative of the given order (0 to 3), of one argument."""

    __slots__ = ("table", "order")
    table: Spline
    order: int

    def __init__(self, table: Spline, argument: Expr, order: int = 0) -> None:
        if order not in (0, 1, 2, 3):
            raise ExpressionError(
                f"derivative of order {order} of the spline {table.name!r}", str(order),
                "a cubic has derivatives of order 0 to 3; higher ones are zero", "use 0, 1, 2 or 3",
            )  # fmt: skip
        self._set(table=table, order=int(order))
        self._finish(("spline", table, int(order)), (argument,))

    @property
    def argument(self) -> Expr:
        """What the spline is a function of."""
        return self.children[0]

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        """Return the same spline of another argument."""
        return self if children[0] is self.children[0] else SplineCall(self.table, children[0], self.order)


class FunctionCall(Expr):
    """A Python function of arguments, or its derivative by those of the numbers in `orders`, one after the other."""

    __slots__ = ("function", "orders")
    function: CheckedFunction
    orders: tuple[int, ...]

    def __init__(self, function: CheckedFunction, args: Iterable[Expr], orders: tuple[int, ...] = ()) -> None:
        self._set(function=function, orders=orders)
        self._finish(("function", function, orders), tuple(args))

    def with_children(self, children: tuple[Expr, ...]) -> Expr:
        """Return the same function of other arguments."""
        return FunctionCall(self.function, children, self.orders)

    def slope(self, k: int) -> FunctionCall:
        """Its derivative by an argument."""
        return FunctionCall(self.function, self.children, (*self.orders, k))


# ---- traversal -------------------------------------------------------------------------------------------------------


def postorder(root: Expr) -> list[Expr]:
    """Every node once, arguments before the nodes that use them; the root comes last."""
    order: list[Expr] = []
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, arguments_done = stack.pop()
        if arguments_done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))
    return order


def fold(root: Expr, combine: Callable[[Expr, tuple[T, ...]], T]) -> T:
    """Work a tree up from its leaves: `combine(node, results of its children)`, once per node."""
    result: dict[int, T] = {}
    for node in postorder(root):
        result[id(node)] = combine(node, tuple(result[id(child)] for child in node.children))
    return result[id(root)]


def symbol(node: Expr) -> str | None:
    """Free name of a node, "x" or "rate(x)"; None when it is not a name."""
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Call) and node.function == "rate":
        name = node.args[0]
        assert isinstance(name, Name)
        return f"rate({name.name})"
    return None


# ---- construction ----------------------------------------------------------------------------------------------------


def operand(x: object) -> Expr:
    """Expression of an expression, a spline (as a function of t) or a number."""
    made = _operand_or_none(x)
    if made is None:
        raise ExpressionError(
            "an operand of an expression",
            f"{x!r} of type {type(x).__name__}",
            "expressions combine with numbers, other expressions and splines only",
            "give a number, a parameter or an expression; read text with parse()",
        )
    return made


def _operand_or_none(x: object) -> Expr | None:
    if isinstance(x, Operand):
        return x.symbol
    number = plain_number(x)
    if number is not None:
        return Number(number)
    from .splines import Spline

    return x(Name("t")) if isinstance(x, Spline) else None


def _binary(function: str, a: object, b: object) -> Expr:
    left, right = _operand_or_none(a), _operand_or_none(b)
    if left is None or right is None:
        return NotImplemented
    return Call(function, (left, right))


def _check_call(name: str, args: tuple[Expr, ...]) -> None:
    if name not in ALL or not all(isinstance(a, Expr) for a in args):
        raise ExpressionError(
            f"a call of {name!r}", f"arguments {args!r}", "no such function, or arguments that are not expressions",
            f"functions and operators: {', '.join(ALL)}",
        )  # fmt: skip
    if not ALL[name].accepts(len(args)):
        raise ExpressionError(
            f"a call of {name!r}", f"{len(args)} arguments", f"it is written {ALL[name].signature(name)}",
            "give that number of arguments",
        )  # fmt: skip
    if name == "rate" and not isinstance(args[0], Name):
        raise ExpressionError(
            "rate(…)", f"rate of {args[0]}", "only a named measure has a rate", "write rate(name), as in rate(O.angle)"
        )


def _from_rows(rows: list[tuple[type, tuple[Any, ...], tuple[int, ...]]]) -> Expr:
    """Rebuild a tree from its flat rows (the inverse of pickling)."""
    made: list[Expr] = []
    for kind, label, positions in rows:
        children = tuple(made[i] for i in positions)
        if kind is SplineCall:
            made.append(SplineCall(label[1], children[0], label[2]))
        elif kind is FunctionCall:
            made.append(FunctionCall(label[1], children, label[2]))
        elif kind is Call:
            made.append(Call(label[1], (Name.of_measure(label[2]),) if label[1] == "rate" else children))
        else:
            made.append(Number(label[1]) if label[0] == "number" else Name.of_measure(label[1]))
    return made[-1]
