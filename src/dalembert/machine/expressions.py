"""A kernel while it is written as LLVM text: lines, labels, variables, memory, and values of expressions."""

from __future__ import annotations

import ast
import builtins
import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .values import (
    LLVM,
    Array,
    Fields,
    Known,
    Number,
    Record,
    Tuple,
    Type,
    Value,
    field_places,
    general,
    join,
    kinds,
    literal,
    parts,
    rebuild,
    type_of,
)

SIZE = 8
# memory of doubles and of integers never overlap
_TBAA = {"f": ", !tbaa !3", "i": ", !tbaa !4"}
# kernels that are translated anew for literals where they are called
SPECIAL = "special"
INTRINSIC = {"sqrt": "llvm.sqrt", "sin": "llvm.sin", "cos": "llvm.cos", "exp": "llvm.exp", "log": "llvm.log", "floor": "llvm.floor",
              "log10": "llvm.log10", "pow": "llvm.pow", "copysign": "llvm.copysign", "fabs": "llvm.fabs"}  # fmt: skip
# functions of the mathematics library that have no name of their own in LLVM
_LIBRARY = ("tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "hypot")
_MATH = {getattr(math, name): name for name in (*INTRINSIC, *_LIBRARY)} | {
    np.tan: "tan", np.arcsin: "asin", np.arccos: "acos", np.arctan: "atan", np.sinh: "sinh", np.cosh: "cosh", np.tanh: "tanh", np.exp: "exp",
    np.log: "log", np.log10: "log10", np.sqrt: "sqrt", np.power: "pow", np.hypot: "hypot", np.floor: "floor", np.sin: "sin", np.cos: "cos",
    np.arctan2: "atan2",
}  # fmt: skip
_ARITHMETIC: dict[type, tuple[str, str]] = {
    ast.Add: ("add nsw", "fadd"),
    ast.Sub: ("sub nsw", "fsub"),
    ast.Mult: ("mul nsw", "fmul"),
}
_BITS: dict[type, str] = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "ashr"}
_COMPARED: dict[type, tuple[str, str]] = {
    ast.Eq: ("eq", "oeq"), ast.NotEq: ("ne", "une"), ast.Lt: ("slt", "olt"), ast.LtE: ("sle", "ole"), ast.Gt: ("sgt", "ogt"), ast.GtE: ("sge", "oge"),
}  # fmt: skip
_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b, ast.Pow: lambda a, b: a**b, ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b, ast.LShift: lambda a, b: a << b, ast.RShift: lambda a, b: a >> b,
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b, ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
}  # fmt: skip


class NotAKernelError(TypeError):
    """A function does something that kernels cannot; the message names the place."""


class MoreGeneralError(Exception):
    """A type turned out to be more general: once more from the beginning."""


class Expressions:
    """Lines, labels, variables and memory of one kernel, and values of expressions."""

    module: Any
    kernel: Any
    flags: str  # how doubles may be computed
    free: dict[str, Any]  # names of the closure

    def begin_writing(self) -> None:
        """From the beginning; types of variables that were found stay."""
        self.lines: list[str] = []
        self.slots: dict[str, list[str]] = {}
        self.heads: list[str] = []
        self.known: dict[str, Known] = {}
        self.count, self.open = 0, True
        self.loops: list[tuple[str, str]] = []

    def __init__(self) -> None:
        self.types: dict[str, Type] = {}

    def emit(self, text: str) -> None:
        """A line, where the text goes on."""
        if self.open:
            self.lines.append("  " + text)

    def new(self, text: str) -> str:
        """Reference of what a new instruction gives."""
        self.count += 1
        ref = f"%x{self.count}"
        self.emit(f"{ref} = {text}")
        return ref

    def fresh(self, what: str) -> str:
        """A name that is not used yet."""
        self.count += 1
        return f"{what}{self.count}"

    def label(self, name: str) -> None:
        """A label: the text goes on here."""
        self.lines.append(f"{name}:")
        self.open = True

    def go(self, name: str) -> None:
        """Go to a label."""
        self.emit(f"br label %{name}")
        self.open = False

    def branch(self, condition: str, yes: str, no: str) -> None:
        """Go to one of two labels."""
        self.emit(f"br i1 {condition}, label %{yes}, label %{no}")
        self.open = False

    def fail(self, node: ast.AST, what: str) -> NotAKernelError:
        """What to raise where a kernel does what kernels cannot."""
        code = self.kernel.__code__
        line = getattr(node, "lineno", 0)
        return NotAKernelError(f"{code.co_filename}:{line}, {self.kernel.__name__}: {what}")

    # -- variables ---------------------------------------------------------------------------------------

    def assign(self, name: str, value: Value) -> None:
        """Put a value into a variable."""
        kind = general(type_of(value))
        before = self.types.get(name)
        try:
            both = kind if before is None else join(before, kind)
        except TypeError as error:
            raise NotAKernelError(
                f"{self.kernel.__code__.co_filename}, {self.kernel.__name__}, {name}: {error}"
            ) from None
        if before is not None and both != before:
            self.types[name] = both
            raise MoreGeneralError
        self.types[name] = both
        if name not in self.slots:
            self.slots[name] = []
            for k in kinds(both):
                self.count += 1
                self.slots[name].append(f"%v{self.count}")
                self.heads.append(f"  %v{self.count} = alloca {k}")
        for k, slot, ref in zip(kinds(both), self.slots[name], parts(self.convert(value, both))):
            self.emit(f"store {k} {ref}, ptr {slot}")

    def load(self, name: str, kind: Type) -> Value:
        """Value of a variable."""
        return rebuild(kind, [self.new(f"load {k}, ptr {slot}") for k, slot in zip(kinds(kind), self.slots[name])])

    def convert(self, value: Value, kind: Type) -> Value:
        """A value as one of another type that can hold it."""
        if isinstance(kind, str):
            return Number(kind, self.number(value, kind))
        if kind[0] == "tuple":
            assert isinstance(value, Tuple)
            return Tuple(tuple(self.convert(x, k) for x, k in zip(value.items, kind[1])), kind[2])
        return value

    def number(self, value: Value, kind: str) -> str:
        """Reference of a number as one of the kind."""
        if isinstance(value, Known):
            if isinstance(value.value, bool | int | float | np.integer | np.floating):
                return (
                    literal(float(value.value))
                    if kind == "f"
                    else str(int(value.value))
                    if kind == "i"
                    else str(bool(value.value)).lower()
                )
            raise TypeError(f"{value.value!r} is not a number")
        if not isinstance(value, Number):
            raise TypeError(f"{value} is not a number")
        if value.kind == kind:
            return value.ref
        how = {"if": "sitofp i64", "bf": "uitofp i1", "bi": "zext i1", "fi": "fptosi double"}.get(value.kind + kind)
        if how is not None:
            return self.new(f"{how} {value.ref} to {LLVM[kind]}")
        return self.new(f"icmp ne i64 {value.ref}, 0" if value.kind == "i" else f"fcmp une double {value.ref}, 0.0")

    # -- memory ------------------------------------------------------------------------------------------

    def store(self, item: str, place: str, value: Value) -> None:
        """Write a number to memory."""
        self.emit(f"store {LLVM[item]} {self.number(value, item)}, ptr {place}, align {SIZE}{_TBAA[item]}")

    def loaded(self, item: str, place: str) -> Number:
        """Number in memory."""
        return Number(item, self.new(f"load {LLVM[item]}, ptr {place}, align {SIZE}{_TBAA[item]}"))

    def element(self, array: Array, index: str) -> Number:
        """Element of an array at an index that is a reference."""
        return self.loaded(array.item, self.at(array, index))

    def put_element(self, array: Array, index: str, value: Value) -> None:
        """Write an element of an array."""
        self.store(array.item, self.at(array, index), value)

    def at(self, array: Array, index: str, rest: tuple[str, ...] = ()) -> str:
        """Address of an element, or of a row of elements."""
        for size in rest:
            index = self.new(f"mul nsw i64 {index}, {size}")
        return self.new(f"getelementptr inbounds {LLVM[array.item]}, ptr {array.data}, i64 {index}")

    # -- expressions -------------------------------------------------------------------------------------

    def unknown(self, node: ast.AST) -> Any:
        """Refuse what kernels do not have."""
        raise self.fail(node, f"{type(node).__name__} is not for kernels")

    def value(self, node: ast.expr) -> Value:
        """Value of an expression."""
        return getattr(self, f"_of_{type(node).__name__}", self.unknown)(node)  # type: ignore[no-any-return]

    def _of_Constant(self, node: ast.Constant) -> Value:
        return Known(node.value)

    def _of_Name(self, node: ast.Name) -> Value:
        return self._read_name(node)

    def _read_name(self, node: ast.Name) -> Value:
        name = node.id
        if name in self.known:
            return self.known[name]
        if name in self.types:
            if name not in self.slots:
                raise self.fail(node, f"{name} has no value yet")
            return self.load(name, self.types[name])
        for scope in (self.free, self.kernel.__globals__, vars(builtins)):
            if name in scope:
                return Known(scope[name])
        raise self.fail(node, f"{name} is not known")

    def _of_Tuple(self, node: ast.Tuple) -> Value:
        return Tuple(tuple(self.value(x) for x in node.elts))

    def _of_Attribute(self, node: ast.Attribute) -> Value:
        value, name = self.value(node.value), node.attr
        if isinstance(node.value, ast.Name) and (node.value.id, name) in self.module.decided:
            return Known(self.module.decided[node.value.id, name])
        if isinstance(value, Known):
            return Known(getattr(value.value, name))
        if isinstance(value, Array) and name == "shape":
            return Tuple(tuple(Number("i", x) for x in value.shape))
        if isinstance(value, Tuple) and value.kind is not None:
            return value.items[value.kind._fields.index(name)]
        if isinstance(value, Record):
            return self.field(value, value.kind._fields.index(name))
        if isinstance(value, Fields):
            kind, place = self._named(node, value)
            return Number(kind, self.new(f"load {LLVM[kind]}, ptr {place}, align {SIZE}, !tbaa !7"))
        raise self.fail(node, f"{name} of {value}")

    def _named(self, node: ast.Attribute, fields: Fields) -> tuple[str, str]:
        kinds_of = dict(fields.kind._fields_)
        if node.attr not in kinds_of:
            raise self.fail(node, f"{fields.kind.__name__} has no {node.attr}")
        offset = getattr(fields.kind, node.attr).offset
        place = self.new(f"getelementptr inbounds i8, ptr {fields.data}, i64 {offset}")
        return "f" if kinds_of[node.attr] is ctypes.c_double else "i", place

    def field(self, record: Record, k: int) -> Value:
        """Field k of a record: memory that does not change."""
        place, refs = field_places(record.types)[k], []
        for part, kind in enumerate(kinds(record.types[k])):
            at = self.new(f"getelementptr inbounds i64, ptr {record.data}, i64 {place + part}")
            refs.append(self.new(f"load {kind}, ptr {at}, align {SIZE}, !invariant.load !5"))
        return rebuild(record.types[k], refs)

    def _of_Subscript(self, node: ast.Subscript) -> Value:
        whole = self.value(node.value)
        if isinstance(whole, Tuple | Known):
            k = self.value(node.slice)
            if not isinstance(k, Known):
                raise self.fail(node, "which value of a tuple must be known")
            return whole.items[k.value] if isinstance(whole, Tuple) else Known(whole.value[k.value])
        if not isinstance(whole, Array):
            raise self.fail(node, f"no elements in {whole}")
        if isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Name | ast.Attribute):
            k = self.value(node.slice)
            if isinstance(k, Known) and (node.value.id, k.value) in self.module.decided:
                return Known(self.module.decided[node.value.id, k.value])
        if isinstance(node.slice, ast.Slice):
            first = Known(0) if node.slice.lower is None else self.value(node.slice.lower)
            low = self.number(first, "i")
            high = whole.shape[0] if node.slice.upper is None else self.number(self.value(node.slice.upper), "i")
            size = high if low == "0" else self.new(f"sub nsw i64 {high}, {low}")
            return Array(whole.item, self.at(whole, low, whole.shape[1:]), (size, *whole.shape[1:]))
        if len(whole.shape) == 2 and not isinstance(node.slice, ast.Tuple):
            return Array(
                whole.item, self.at(whole, self._index(whole, node.slice, 0), whole.shape[1:]), whole.shape[1:]
            )
        array, place = self._element(node, whole)
        return self.loaded(array.item, place)

    def _index(self, array: Array, node: ast.expr, axis: int) -> str:
        value = self.value(node)
        if isinstance(value, Known) and value.value < 0:
            return self.new(f"add nsw i64 {array.shape[axis]}, {value.value}")
        return self.number(value, "i")

    def _element(self, node: ast.Subscript, whole: Value | None = None) -> tuple[Array, str]:
        array = self.value(node.value) if whole is None else whole
        if not isinstance(array, Array) or isinstance(node.slice, ast.Slice):
            raise self.fail(node, "one element is needed")
        if len(array.shape) == 1:
            return array, self.at(array, self._index(array, node.slice, 0))
        if not isinstance(node.slice, ast.Tuple):
            raise self.fail(node, "two indices are needed")
        row, column = (self._index(array, x, k) for k, x in enumerate(node.slice.elts))
        start = self.new(f"mul nsw i64 {row}, {array.shape[1]}")
        return array, self.at(array, self.new(f"add nsw i64 {start}, {column}"))

    def _of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            condition = self.truth(value)
            return (
                Known(not condition)
                if isinstance(condition, bool)
                else Number("b", self.new(f"xor i1 {condition}, true"))
            )
        if isinstance(value, Known):
            return Known(-value.value if isinstance(node.op, ast.USub) else value.value)
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(value, Number) and value.kind == "f":
            return Number("f", self.new(f"fneg {self.flags}double {value.ref}"))
        return Number("i", self.new(f"sub nsw i64 0, {self.number(value, 'i')}"))

    def _of_BinOp(self, node: ast.BinOp) -> Value:
        return self._operation(node, node.op, self.value(node.left), self.value(node.right))

    def _operation(self, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        if isinstance(a, Known) and isinstance(b, Known):
            return Known(_OPERATORS[type(op)](a.value, b.value))
        real = isinstance(op, ast.Div) or "f" in (general(type_of(a)), general(type_of(b)))
        if isinstance(op, ast.Pow):
            return self._power(a, b)
        kind = "f" if real else "i"
        x, y = self.number(a, kind), self.number(b, kind)
        if type(op) in _ARITHMETIC:
            name = _ARITHMETIC[type(op)][real]
            return Number(kind, self.new(f"{name} {self.flags if real else ''}{LLVM[kind]} {x}, {y}"))
        if isinstance(op, ast.Div):
            return Number("f", self.new(f"fdiv {self.flags}double {x}, {y}"))
        if type(op) in _BITS and not real:
            return Number("i", self.new(f"{_BITS[type(op)]} i64 {x}, {y}"))
        if isinstance(op, ast.FloorDiv | ast.Mod) and not real and isinstance(b, Known) and b.value > 0:
            # towards minus infinity: the remainder has the sign of the divisor
            rest = self.new(f"srem i64 {x}, {y}")
            below = self.new(f"icmp slt i64 {rest}, 0")
            if isinstance(op, ast.Mod):
                return Number("i", self.new(f"select i1 {below}, i64 {self.new(f'add i64 {rest}, {y}')}, i64 {rest}"))
            whole = self.new(f"sdiv i64 {x}, {y}")
            return Number("i", self.new(f"select i1 {below}, i64 {self.new(f'sub i64 {whole}, 1')}, i64 {whole}"))
        if isinstance(op, ast.FloorDiv | ast.Mod) and not real:
            # of sizes and places, which are not negative
            return Number("i", self.new(f"{'srem' if isinstance(op, ast.Mod) else 'sdiv'} i64 {x}, {y}"))
        raise self.fail(node, f"{type(op).__name__} of {a} and {b}")

    def _power(self, a: Value, b: Value) -> Value:
        x = self.number(a, "f")
        if isinstance(b, Known) and isinstance(b.value, int) and 1 <= b.value <= 4:
            result = x
            for _ in range(b.value - 1):
                result = self.new(f"fmul {self.flags}double {result}, {x}")
            return Number("f", result)
        return self.math("pow", [Number("f", x), b])

    def math(self, name: str, given: list[Value]) -> Number:
        """A function of the mathematics library."""
        full = self.module.declare(name, len(given))
        arguments = ", ".join("double " + self.number(x, "f") for x in given)
        return Number("f", self.new(f"call double @{full}({arguments})"))

    def _of_Compare(self, node: ast.Compare) -> Value:
        left, result = self.value(node.left), None
        for op, other in zip(node.ops, node.comparators):
            right = self.value(other)
            found = self._compared(node, op, left, right)
            result = found if result is None else self._both(result, found)
            left = right
        assert result is not None
        return result

    def _both(self, a: Value, b: Value) -> Value:
        if isinstance(a, Known) or isinstance(b, Known):
            known, other = (a, b) if isinstance(a, Known) else (b, a)
            return other if known.value else Known(False)  # type: ignore[union-attr]
        return Number("b", self.new(f"and i1 {self.number(a, 'b')}, {self.number(b, 'b')}"))

    def _compared(self, node: ast.AST, op: ast.cmpop, a: Value, b: Value) -> Value:
        if isinstance(op, ast.In | ast.NotIn):
            choices = b.items if isinstance(b, Tuple) else tuple(Known(x) for x in b.value)  # type: ignore[union-attr]
            result = "false"
            for choice in choices:
                result = self.new(f"or i1 {result}, {self.number(self._compared(node, ast.Eq(), a, choice), 'b')}")
            return Number("b", result if isinstance(op, ast.In) else self.new(f"xor i1 {result}, true"))
        if isinstance(a, Known) and isinstance(b, Known):
            return Known(_OPERATORS[type(op)](a.value, b.value))
        if isinstance(op, ast.Is | ast.IsNot):
            return Known(isinstance(op, ast.IsNot))  # what is not known is not None
        real = "f" in (general(type_of(a)), general(type_of(b)))
        kind, name = ("f", "fcmp") if real else ("i", "icmp")
        x, y = self.number(a, kind), self.number(b, kind)
        return Number("b", self.new(f"{name} {_COMPARED[type(op)][real]} {LLVM[kind]} {x}, {y}"))

    def truth(self, value: Value) -> str | bool:
        """Whether a value counts as true: known, or a reference."""
        return bool(value.value) if isinstance(value, Known) else self.number(value, "b")

    def _of_BoolOp(self, node: ast.BoolOp) -> Value:
        """`and`, `or`: what follows is not computed where it is decided."""
        stops = isinstance(node.op, ast.Or)
        slot, after = self.fresh("%c"), self.fresh("after")
        begun = False
        for k, item in enumerate(node.values):
            condition = self.truth(self.value(item))
            if isinstance(condition, bool):
                if condition == stops:
                    if not begun:
                        return Known(stops)
                    self.emit(f"store i1 {str(stops).lower()}, ptr {slot}")
                    break
                if k == len(node.values) - 1:
                    if not begun:
                        return Known(not stops)
                    self.emit(f"store i1 {str(not stops).lower()}, ptr {slot}")
                continue
            if not begun:
                self.heads.append(f"  {slot} = alloca i1")
                begun = True
            self.emit(f"store i1 {condition}, ptr {slot}")
            if k < len(node.values) - 1:
                onward = self.fresh("and")
                self.branch(condition, *((after, onward) if stops else (onward, after)))
                self.label(onward)
        self.go(after)
        self.label(after)
        return Number("b", self.new(f"load i1, ptr {slot}"))

    def _of_IfExp(self, node: ast.IfExp) -> Value:
        condition = self.truth(self.value(node.test))
        if isinstance(condition, bool):
            return self.value(node.body if condition else node.orelse)
        yes, no, after = self.fresh("then"), self.fresh("else"), self.fresh("after")
        self.branch(condition, yes, no)
        kept, sides = self.lines, []
        for label, side in ((yes, node.body), (no, node.orelse)):
            self.lines = []
            self.label(label)
            value = self.value(side)
            sides.append((self.lines, value))
        kind = join(general(type_of(sides[0][1])), general(type_of(sides[1][1])))
        slots = [self.fresh("%c") for _ in kinds(kind)]
        self.heads += [f"  {slot} = alloca {k}" for slot, k in zip(slots, kinds(kind))]
        for lines, value in sides:
            self.lines = lines
            self.open = True
            for k, slot, ref in zip(kinds(kind), slots, parts(self.convert(value, kind))):
                self.emit(f"store {k} {ref}, ptr {slot}")
            self.go(after)
            kept += self.lines
        self.lines = kept
        self.label(after)
        return rebuild(kind, [self.new(f"load {k}, ptr {slot}") for k, slot in zip(kinds(kind), slots)])

    # -- calls -------------------------------------------------------------------------------------------

    def _of_Call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
            return self._reshaped(node)
        function = self.value(node.func)
        if not isinstance(function, Known):
            raise self.fail(node, "what is called must be known")
        f = function.value
        given = [self.value(x) for x in node.args]
        if hasattr(f, "__lower__"):
            return f.__lower__(self, given)  # type: ignore[no-any-return]
        if f in _MATH:
            if all(isinstance(x, Known) for x in given):
                return Known(f(*(x.value for x in given)))  # type: ignore[union-attr]
            return self.math(_MATH[f], given)
        if isinstance(f, type) and hasattr(f, "_fields"):
            return Tuple(tuple(given), f)
        if f in _BUILT_IN:
            return _BUILT_IN[f](self, given)
        return self.call(f, self._bound(node, f, given))

    def _bound(self, node: ast.Call, f: Any, given: list[Value]) -> list[Value]:
        """Arguments in the order of the parameters; those given by name, and defaults."""
        if not hasattr(f, "__code__"):
            raise self.fail(node, f"{f!r} is not a kernel")
        names = f.__code__.co_varnames[: f.__code__.co_argcount]
        named = {x.arg: self.value(x.value) for x in node.keywords}
        defaults = dict(zip(reversed(names), reversed(f.__defaults__ or ())))
        for name in names[len(given) :]:
            given.append(named[name] if name in named else Known(defaults[name]))
        return given

    def call(self, f: Any, given: list[Value]) -> Value:
        """Result of another kernel."""
        special = SPECIAL in getattr(f, "__marks__", ())
        types = tuple(type_of(x) if special else general(type_of(x)) for x in given)
        name, result = self.module.function(f, types)
        refs = [r for x, k in zip(given, types) for r in zip(kinds(k), parts(self.convert(x, k)))]
        arguments = ", ".join(f"{k} {ref}" for k, ref in refs)
        if result is None:
            self.emit(f"call void @{name}({arguments})")
            return Known(None)
        returned = kinds(result)
        if len(returned) == 1:
            return rebuild(result, [self.new(f"call {returned[0]} @{name}({arguments})")])
        kind = "{" + ", ".join(returned) + "}"
        whole = self.new(f"call {kind} @{name}({arguments})")
        return rebuild(result, [self.new(f"extractvalue {kind} {whole}, {k}") for k in range(len(returned))])

    def _reshaped(self, node: ast.Call) -> Value:
        assert isinstance(node.func, ast.Attribute)
        array, shape = self.value(node.func.value), self.value(node.args[0])
        if not isinstance(array, Array) or not isinstance(shape, Tuple):
            raise self.fail(node, "an array and its sizes are needed")
        return Array(array.item, array.data, tuple(self.number(x, "i") for x in shape.items))

    def select(self, given: list[Value], later: str) -> Value:
        """The first number, or a later one that compares with it as asked: min and max as Python has them."""
        best = given[0]
        for other in given[1:]:
            if isinstance(best, Known) and isinstance(other, Known):
                best = Known(max(best.value, other.value) if later == "gt" else min(best.value, other.value))
                continue
            kind = general(join(type_of(best), type_of(other)))
            a, b = self.number(best, kind), self.number(other, kind)
            test = self.new(f"fcmp o{later} double {b}, {a}" if kind == "f" else f"icmp s{later} i64 {b}, {a}")
            best = Number(kind, self.new(f"select i1 {test}, {LLVM[kind]} {b}, {LLVM[kind]} {a}"))
        return best

    def absolute(self, value: Value) -> Value:
        """|x|."""
        if isinstance(value, Known):
            return Known(abs(value.value))
        if general(type_of(value)) == "f":
            return self.math("fabs", [value])
        x = self.number(value, "i")
        return self.select([Number("i", x), Number("i", self.new(f"sub nsw i64 0, {x}"))], "gt")

    def is_infinite(self, value: Value) -> Value:
        """Whether |x| is infinite."""
        return Number("b", self.new(f"fcmp oeq double {self.math('fabs', [value]).ref}, {literal(math.inf)}"))


def _as(kind: str) -> Callable[[Expressions, list[Value]], Value]:
    return lambda body, given: Number(kind, body.number(given[0], kind))


_BUILT_IN: dict[Any, Callable[[Expressions, list[Value]], Value]] = {
    abs: lambda body, given: body.absolute(given[0]),
    min: lambda body, given: body.select(given, "lt"),
    max: lambda body, given: body.select(given, "gt"),
    int: _as("i"), float: _as("f"), bool: _as("b"),
    len: lambda body, given: Number("i", given[0].shape[0]),  # type: ignore[union-attr]
    math.isinf: lambda body, given: body.is_infinite(given[0]),
}  # fmt: skip
