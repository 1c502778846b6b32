"""Straight-line arithmetic written as machine code directly: the Python function is run once, with symbols in place of numbers.

Unrolled block routines have thousands of operations, made by loops over sizes that are known.  The function must be plain: numbers, places in an
array, + - * and `reciprocal`, no branches on values.  What it does with symbols it does with numbers, so uncompiled it runs as it is.
"""

from __future__ import annotations

from ..machine.translate import FAST
from ..machine.values import Array, Known, Tuple, literal
from ..machine.values import Number as Value


class Number:
    """A double on its way into machine code."""

    def __init__(self, body, ref):
        self.body, self.ref = body, ref

    def _make(self, operation, other):
        ref = other.ref if isinstance(other, Number) else literal(float(other))
        return Number(self.body, self.body.new(f"{operation} {FAST}double {self.ref}, {ref}"))

    def __add__(self, other):
        return self._make("fadd", other)

    def __sub__(self, other):
        return self._make("fsub", other)

    def __mul__(self, other):
        return self._make("fmul", other)

    def reciprocal(self, floor):
        """Reciprocal, or zero at or below the floor."""
        inverse = self.body.new(f"fdiv {FAST}double 1.0, {self.ref}")
        above = self.body.new(f"fcmp ogt double {self.ref}, {floor.ref}")
        return Number(self.body, self.body.new(f"select i1 {above}, double {inverse}, double 0.0"))


class Place:
    """A place in an array: a run-time number plus a known one."""

    def __init__(self, body, ref):
        self.body, self.ref = body, ref

    def __add__(self, other):
        ref = other.ref if isinstance(other, Place) else str(other)
        return Place(self.body, self.body.new(f"add nsw i64 {self.ref}, {ref}"))

    def __mul__(self, count):
        return Place(self.body, self.body.new(f"mul nsw i64 {self.ref}, {count}"))


class Memory:
    """An array of doubles."""

    def __init__(self, body, array):
        self.body, self.array = body, array

    def __getitem__(self, place):
        return Number(self.body, self.body.element(self.array, place.ref).ref)

    def __setitem__(self, place, number):
        self.body.put_element(self.array, place.ref, Value("f", number.ref))

    def zero(self):
        """Zero, as a symbol."""
        return Number(self.body, "0.0")


class Piece:
    """A function as one operation of kernels; it returns numbers as a tuple, or nothing."""

    def __init__(self, function):
        self.function = function

    def __lower__(self, body, given):
        out = self.function(*(self._symbol(body, value) for value in given))
        return Known(None) if out is None else Tuple(tuple(Value("f", x.ref) for x in out))

    def _symbol(self, body, value):
        if isinstance(value, Array):
            return Memory(body, value)
        if isinstance(value, Tuple):
            return tuple(Number(body, body.number(x, "f")) for x in value.items)
        number = body.convert(value, "f" if getattr(value, "kind", "i") == "f" else "i")
        return (Number if number.kind == "f" else Place)(body, number.ref)
