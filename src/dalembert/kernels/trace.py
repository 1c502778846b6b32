"""Straight-line arithmetic written as machine code directly: the Python function is run once, with symbols in place of numbers.

Unrolled block routines have thousands of operations.  numba takes about a millisecond to type and lower each; run on symbols, the same
function hands them to LLVM in microseconds.  The function must be plain: numbers, places in an array, + - * and `reciprocal`, no
branches on values.  What it does with symbols it does with numbers, so uncompiled it runs as it is.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .compiler import OPTIONS

_FLAGS = tuple(OPTIONS["fastmath"])
_DOUBLE, _INDEX = ir.DoubleType(), ir.IntType(64)


class Number:
    """A double on its way into machine code."""

    def __init__(self, builder, value):
        self.builder, self.value = builder, value

    def _other(self, other):
        return other.value if isinstance(other, Number) else ir.Constant(_DOUBLE, float(other))

    def _make(self, operation, *values):
        return Number(self.builder, getattr(self.builder, operation)(*values, flags=_FLAGS))

    def __add__(self, other):
        return self._make("fadd", self.value, self._other(other))

    def __sub__(self, other):
        return self._make("fsub", self.value, self._other(other))

    def __mul__(self, other):
        return self._make("fmul", self.value, self._other(other))

    def reciprocal(self, floor):
        """Reciprocal, or zero at or below the floor."""
        inverse = self._make("fdiv", ir.Constant(_DOUBLE, 1.0), self.value)
        above = self.builder.fcmp_ordered(">", self.value, floor.value)
        return Number(self.builder, self.builder.select(above, inverse.value, ir.Constant(_DOUBLE, 0.0)))


class Place:
    """A place in an array: a run-time number plus a known one."""

    def __init__(self, builder, value):
        self.builder, self.value = builder, value

    def __add__(self, other):
        value = other.value if isinstance(other, Place) else ir.Constant(_INDEX, other)
        return Place(self.builder, self.builder.add(self.value, value))

    def __mul__(self, count):
        return Place(self.builder, self.builder.mul(self.value, ir.Constant(_INDEX, count)))


class Memory:
    """An array of doubles."""

    def __init__(self, builder, data):
        self.builder, self.data = builder, data

    def _at(self, place):
        return self.builder.gep(self.data, [place.value], inbounds=True)

    def __getitem__(self, place):
        return Number(self.builder, self.builder.load(self._at(place)))

    def __setitem__(self, place, number):
        self.builder.store(number.value, self._at(place))

    def zero(self):
        """Zero, as a symbol."""
        return Number(self.builder, ir.Constant(_DOUBLE, 0.0))


def _symbol(context, builder, kind, value):
    """Symbol of an argument: an array, a place, a number or a tuple of numbers."""
    if isinstance(kind, types.Array):
        return Memory(builder, context.make_array(kind)(context, builder, value).data)
    if isinstance(kind, types.Integer):
        return Place(builder, value)
    if isinstance(kind, types.UniTuple):
        return tuple(Number(builder, x) for x in cgutils.unpack_tuple(builder, value, kind.count))
    return Number(builder, value)


def traced(function, count):
    """The function as an operation of numba; it returns `count` numbers as a tuple, or nothing."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]

    def implementation(_, *kinds):
        kinds = tuple(types.int64 if isinstance(k, types.Integer) else k for k in kinds)
        result = types.UniTuple(types.float64, count) if count else types.none

        def generate(context, builder, signature, values):
            out = function(*(_symbol(context, builder, k, x) for k, x in zip(signature.args, values)))
            if not count:
                return context.get_dummy_value()
            return context.make_tuple(builder, signature.return_type, [x.value for x in out])

        return result(*kinds), generate

    scope = {"implementation": implementation}
    arguments = ", ".join(names)
    exec(f"def {function.__name__}(context, {arguments}):\n    return implementation(context, {arguments})", scope)  # noqa: S102
    return intrinsic(scope[function.__name__])
