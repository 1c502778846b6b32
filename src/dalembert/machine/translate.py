"""Kernels as LLVM text.

A kernel is a Python function on numbers and arrays: assignments, `if`, `while`, `for` over ranges, calls of other kernels and of `math`.  Each is
translated once for every combination of types of its arguments; types of variables follow from what is put into them.  Nothing is allocated,
nothing counts references, nothing can raise: what is left is arithmetic, which LLVM optimises as it would that of C.

    indices     are never negative, but for constants: x[-1]; arrays are contiguous; a slice is a view and lies inside
    conditions  are decided here where both sides are known: branches for other types or sizes are not translated
    numbers     double or 64-bit integer; integer and double make double; `/` makes a double; floor is a double
    results     several values as a tuple
"""

from __future__ import annotations

import ast
import builtins
import ctypes
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
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

# reassociation and fused operations are welcome; infinity and NaN keep their meaning
FAST = "reassoc nsz arcp contract "
# how kernels are marked (see `kernels/compiler.py`)
INLINED, SPECIAL, EXACT = "inlined", "special", "exact"
# memory of doubles, of integers, of fields, and records, which do not change: none of them overlap
_METADATA = """
!0 = !{!"dalembert"}
!1 = !{!"number", !0}
!2 = !{!"integer", !0}
!3 = !{!1, !1, i64 0}
!4 = !{!2, !2, i64 0}
!5 = !{}
!6 = !{!"field", !0}
!7 = !{!6, !6, i64 0}
"""
_TBAA = {"f": ", !tbaa !3", "i": ", !tbaa !4"}
_SIZE = 8
_INTRINSIC = {"sqrt": "llvm.sqrt", "sin": "llvm.sin", "cos": "llvm.cos", "exp": "llvm.exp", "log": "llvm.log", "floor": "llvm.floor",
              "log10": "llvm.log10", "pow": "llvm.pow", "copysign": "llvm.copysign", "fabs": "llvm.fabs"}  # fmt: skip
# functions of the mathematics library that have no name of their own in LLVM
LIBRARY = ("tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "hypot")
_MATH = {getattr(math, name): name for name in (*_INTRINSIC, *LIBRARY)} | {
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


class Module:
    """LLVM text of kernels and of all that they call."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, tuple[Type, ...]], tuple[str, Type | None]] = {}
        self._declared: set[str] = set()
        self._functions: list[str] = []

    def function(self, function: Any, types: tuple[Type, ...]) -> tuple[str, Type | None]:
        """Name and type of the result of a kernel for arguments of these types; None where there is no result."""
        key = (function, types)
        if key not in self._known:
            name = f"{function.__name__}.{len(self._known)}"
            self._known[key] = (name, None)  # a kernel does not call itself
            text, result = _Body(self, function, types, name).translated()
            self._functions.append(text)
            self._known[key] = (name, result)
        return self._known[key]

    def declare(self, name: str, count: int) -> str:
        """A function of doubles that LLVM or the mathematics library has."""
        full = f"{_INTRINSIC[name]}.f64" if name in _INTRINSIC else name
        self._declared.add(f"declare double @{full}({', '.join(['double'] * count)}) nounwind willreturn memory(none)")
        return full

    def add(self, text: str) -> None:
        """A function that is written already."""
        self._functions.append(text)

    def text(self) -> str:
        """The whole."""
        return "\n".join([*sorted(self._declared), *self._functions, _METADATA])


@cache
def _file(name: str) -> dict[int, ast.FunctionDef]:
    """Functions of a file by their first line."""
    found = {}
    for node in ast.walk(ast.parse(Path(name).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            found[node.decorator_list[0].lineno if node.decorator_list else node.lineno] = node
    return found


def _definition(function: Any) -> ast.FunctionDef:
    """Syntax of a function; one made from text carries it."""
    text = getattr(function, "__text__", None)
    if text is not None:
        return ast.parse(text).body[0]  # type: ignore[return-value]
    return _file(function.__code__.co_filename)[function.__code__.co_firstlineno]


class _MoreGeneralError(Exception):
    """A type turned out to be more general: once more from the beginning."""


class _Body:
    """One kernel for given types of its arguments."""

    def __init__(self, module: Module, function: Any, types: tuple[Type, ...], name: str) -> None:
        self.module, self.kernel, self.argument_types, self.name = module, function, types, name
        self.definition = _definition(function)
        self.names = [x.arg for x in self.definition.args.args]
        self.flags = "" if EXACT in getattr(function, "__marks__", ()) else FAST
        self.types: dict[str, Type] = {}
        self.result: Type | None = None
        cells = function.__closure__ or ()
        self.free = dict(zip(function.__code__.co_freevars, (c.cell_contents for c in cells)))

    def translated(self) -> tuple[str, Type | None]:
        """Text of the function and type of its result."""
        while True:
            self.lines: list[str] = []
            self.slots: dict[str, list[str]] = {}
            self.heads: list[str] = []
            self.known: dict[str, Known] = {}
            self.count, self.open = 0, True
            self.loops: list[tuple[str, str]] = []
            try:
                given = self._begin()
                for statement in self.definition.body:
                    self._statement(statement)
                return self._whole(given), self.result
            except _MoreGeneralError:
                continue

    def _begin(self) -> list[str]:
        """Arguments into their variables; returns how they are declared."""
        given = []
        for name, kind in zip(self.names, self.argument_types):
            if kind[0] == "known":
                self.known[name] = Known(kind[1])
                continue
            refs = [f"%{name}.{k}" for k in range(len(kinds(kind)))]
            given += [f"{k} {ref}" for k, ref in zip(kinds(kind), refs)]
            self._assign(name, rebuild(kind, refs))
        return given

    def _whole(self, given: list[str]) -> str:
        if self.open:
            self._emit("br label %exit")
        kind, text = "void", "ret void"
        self._label("exit")
        if self.result is not None:
            value, types = self._load("return value", self.result), kinds(self.result)
            refs = parts(value)
            kind = types[0] if len(types) == 1 else "{" + ", ".join(types) + "}"
            whole = refs[0] if len(types) == 1 else "poison"
            if len(types) != 1:
                for k, (t, ref) in enumerate(zip(types, refs)):
                    whole = self.new(f"insertvalue {kind} {whole}, {t} {ref}, {k}")
            text = f"ret {kind} {whole}"
        self._emit(text)
        inline = " alwaysinline" if INLINED in getattr(self.kernel, "__marks__", ()) else ""
        head = f"define internal {kind} @{self.name}({', '.join(given)}) nounwind{inline} {{"
        return "\n".join([head, "entry:", *self.heads, *self.lines, "}"])

    # -- text -------------------------------------------------------------------------------------------------------------

    def _emit(self, text: str) -> None:
        if self.open:
            self.lines.append("  " + text)

    def new(self, text: str) -> str:
        self.count += 1
        ref = f"%x{self.count}"
        self._emit(f"{ref} = {text}")
        return ref

    def _fresh(self, what: str) -> str:
        self.count += 1
        return f"{what}{self.count}"

    def _label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.open = True

    def _go(self, name: str) -> None:
        self._emit(f"br label %{name}")
        self.open = False

    def _branch(self, condition: str, yes: str, no: str) -> None:
        self._emit(f"br i1 {condition}, label %{yes}, label %{no}")
        self.open = False

    def _fail(self, node: ast.AST, what: str) -> NotAKernelError:
        code = self.kernel.__code__
        line = getattr(node, "lineno", 0)
        return NotAKernelError(f"{code.co_filename}:{line}, {self.kernel.__name__}: {what}")

    # -- variables -----------------------------------------------------------------------------------------------------------

    def _assign(self, name: str, value: Value) -> None:
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
            raise _MoreGeneralError
        self.types[name] = both
        if name not in self.slots:
            self.slots[name] = []
            for k in kinds(both):
                self.count += 1
                self.slots[name].append(f"%v{self.count}")
                self.heads.append(f"  %v{self.count} = alloca {k}")
        for k, slot, ref in zip(kinds(both), self.slots[name], parts(self.convert(value, both))):
            self._emit(f"store {k} {ref}, ptr {slot}")

    def _load(self, name: str, kind: Type) -> Value:
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

    # -- statements ----------------------------------------------------------------------------------------------------------

    def _statement(self, node: ast.stmt) -> None:
        if not self.open:
            return  # after return, break or continue
        getattr(self, f"_do_{type(node).__name__}", self._unknown)(node)

    def _unknown(self, node: ast.AST) -> Any:
        raise self._fail(node, f"{type(node).__name__} is not for kernels")

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _do_Pass(self, node: ast.Pass) -> None:
        pass

    def _do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def _do_Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self._put(target, value)

    def _do_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            found = self._operation(node, node.op, self._read_name(node.target), self.value(node.value))
            self._assign(node.target.id, found)
            return
        if isinstance(node.target, ast.Attribute):
            self._put(node.target, self._operation(node, node.op, self.value(node.target), self.value(node.value)))
            return
        array, place = self._element(node.target)
        before = self._loaded(array.item, place)
        self._store(array.item, place, self._operation(node, node.op, before, self.value(node.value)))

    def _put(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._assign(target.id, value)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value, Tuple) or len(value.items) != len(target.elts):
                raise self._fail(target, "as many values as names are needed")
            for one, item in zip(target.elts, value.items):
                self._put(one, item)
        elif isinstance(target, ast.Subscript):
            array, place = self._element(target)
            self._store(array.item, place, value)
        elif isinstance(target, ast.Attribute):
            whole = self.value(target.value)
            if not isinstance(whole, Fields):
                raise self._fail(target, "only numbers of a structure can be written by name")
            kind, place = self._named(target, whole)
            self._emit(f"store {LLVM[kind]} {self.number(value, kind)}, ptr {place}, align {_SIZE}, !tbaa !7")
        else:
            self._unknown(target)

    def _store(self, item: str, place: str, value: Value) -> None:
        self._emit(f"store {LLVM[item]} {self.number(value, item)}, ptr {place}, align {_SIZE}{_TBAA[item]}")

    def _loaded(self, item: str, place: str) -> Number:
        return Number(item, self.new(f"load {LLVM[item]}, ptr {place}, align {_SIZE}{_TBAA[item]}"))

    def element(self, array: Array, index: str) -> Number:
        """Element of an array at an index that is a reference."""
        return self._loaded(array.item, self._at(array, index))

    def put_element(self, array: Array, index: str, value: Value) -> None:
        """Write an element of an array."""
        self._store(array.item, self._at(array, index), value)

    def _do_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self._return(self.value(node.value))
        self._go("exit")

    def _return(self, value: Value) -> None:
        kind = general(type_of(value))
        both = kind if self.result is None else join(self.result, kind)
        if self.result is not None and both != self.result:
            self.result = self.types["return value"] = both
            raise _MoreGeneralError
        self.result = both
        self._assign("return value", value)

    def _do_If(self, node: ast.If) -> None:
        condition = self.truth(self.value(node.test))
        if isinstance(condition, bool):
            self._block(node.body if condition else node.orelse)
            return
        yes, no, after = self._fresh("then"), self._fresh("else"), self._fresh("after")
        self._branch(condition, yes, no if node.orelse else after)
        self._label(yes)
        self._block(node.body)
        self._go(after)
        if node.orelse:
            self._label(no)
            self._block(node.orelse)
            self._go(after)
        self._label(after)

    def _do_While(self, node: ast.While) -> None:
        again, body, after = self._fresh("while"), self._fresh("body"), self._fresh("after")
        self._go(again)
        self._label(again)
        condition = self.truth(self.value(node.test))
        self._branch(str(condition).lower(), body, after)
        self._label(body)
        self._loop_body(node.body, again, after)
        self._go(again)
        self._label(after)

    def _loop_body(self, statements: list[ast.stmt], again: str, after: str) -> None:
        self.loops.append((again, after))
        self._block(statements)
        self.loops.pop()

    def _do_Break(self, node: ast.Break) -> None:
        self._go(self.loops[-1][1])

    def _do_Continue(self, node: ast.Continue) -> None:
        self._go(self.loops[-1][0])

    def _do_For(self, node: ast.For) -> None:
        if isinstance(node.iter, ast.Tuple):
            after = self._fresh("after")
            for item in node.iter.elts:
                again = self._fresh("next")
                self._put(node.target, self.value(item))
                self._loop_body(node.body, again, after)
                self._go(again)
                self._label(again)
            self._go(after)
            self._label(after)
            return
        if not (isinstance(node.iter, ast.Call) and self.value(node.iter.func) == Known(range)):
            raise self._fail(node, "a loop goes over a range or a written tuple")
        bounds = [self.value(x) for x in node.iter.args]
        step = bounds[2] if len(bounds) == 3 else Known(1)
        if not isinstance(step, Known):
            raise self._fail(node, "the step of a range is a constant")
        first, last = (Known(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        end, counter = self.number(last, "i"), self._fresh("%n")
        self.heads.append(f"  {counter} = alloca i64")
        self._emit(f"store i64 {self.number(first, 'i')}, ptr {counter}")
        test, body, again, after = (self._fresh(x) for x in ("for", "body", "next", "after"))
        self._go(test)
        self._label(test)
        now = self.new(f"load i64, ptr {counter}")
        inside = self.new(f"icmp {'slt' if step.value > 0 else 'sgt'} i64 {now}, {end}")
        self._branch(inside, body, after)
        self._label(body)
        self._put(node.target, Number("i", now))
        self._loop_body(node.body, again, after)
        self._go(again)
        self._label(again)
        now = self.new(f"load i64, ptr {counter}")
        self._emit(f"store i64 {self.new(f'add nsw i64 {now}, {step.value}')}, ptr {counter}")
        self._go(test)
        self._label(after)

    # -- expressions ---------------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        """Value of an expression."""
        return getattr(self, f"_of_{type(node).__name__}", self._unknown)(node)  # type: ignore[no-any-return]

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
                raise self._fail(node, f"{name} has no value yet")
            return self._load(name, self.types[name])
        for scope in (self.free, self.kernel.__globals__, vars(builtins)):
            if name in scope:
                return Known(scope[name])
        raise self._fail(node, f"{name} is not known")

    def _of_Tuple(self, node: ast.Tuple) -> Value:
        return Tuple(tuple(self.value(x) for x in node.elts))

    def _of_Attribute(self, node: ast.Attribute) -> Value:
        value, name = self.value(node.value), node.attr
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
            return Number(kind, self.new(f"load {LLVM[kind]}, ptr {place}, align {_SIZE}, !tbaa !7"))
        raise self._fail(node, f"{name} of {value}")

    def _named(self, node: ast.Attribute, fields: Fields) -> tuple[str, str]:
        """Kind and address of a number with a name."""
        kinds_of = dict(fields.kind._fields_)
        if node.attr not in kinds_of:
            raise self._fail(node, f"{fields.kind.__name__} has no {node.attr}")
        offset = getattr(fields.kind, node.attr).offset
        place = self.new(f"getelementptr inbounds i8, ptr {fields.data}, i64 {offset}")
        return "f" if kinds_of[node.attr] is ctypes.c_double else "i", place

    def field(self, record: Record, k: int) -> Value:
        """Field k of a record: memory that does not change."""
        place, refs = field_places(record.types)[k], []
        for part, kind in enumerate(kinds(record.types[k])):
            at = self.new(f"getelementptr inbounds i64, ptr {record.data}, i64 {place + part}")
            refs.append(self.new(f"load {kind}, ptr {at}, align {_SIZE}, !invariant.load !5"))
        return rebuild(record.types[k], refs)

    def _of_Subscript(self, node: ast.Subscript) -> Value:
        whole = self.value(node.value)
        if isinstance(whole, Tuple | Known):
            k = self.value(node.slice)
            if not isinstance(k, Known):
                raise self._fail(node, "which value of a tuple must be known")
            return whole.items[k.value] if isinstance(whole, Tuple) else Known(whole.value[k.value])
        if not isinstance(whole, Array):
            raise self._fail(node, f"no elements in {whole}")
        if isinstance(node.slice, ast.Slice):
            first = Known(0) if node.slice.lower is None else self.value(node.slice.lower)
            low = self.number(first, "i")
            high = whole.shape[0] if node.slice.upper is None else self.number(self.value(node.slice.upper), "i")
            size = high if low == "0" else self.new(f"sub nsw i64 {high}, {low}")
            return Array(whole.item, self._at(whole, low, whole.shape[1:]), (size, *whole.shape[1:]))
        if len(whole.shape) == 2 and not isinstance(node.slice, ast.Tuple):
            return Array(
                whole.item, self._at(whole, self._index(whole, node.slice, 0), whole.shape[1:]), whole.shape[1:]
            )
        array, place = self._element(node, whole)
        return self._loaded(array.item, place)

    def _index(self, array: Array, node: ast.expr, axis: int) -> str:
        value = self.value(node)
        if isinstance(value, Known) and value.value < 0:
            return self.new(f"add nsw i64 {array.shape[axis]}, {value.value}")
        return self.number(value, "i")

    def _at(self, array: Array, index: str, rest: tuple[str, ...] = ()) -> str:
        """Address of an element, or of a row of elements."""
        for size in rest:
            index = self.new(f"mul nsw i64 {index}, {size}")
        return self.new(f"getelementptr inbounds {LLVM[array.item]}, ptr {array.data}, i64 {index}")

    def _element(self, node: ast.Subscript, whole: Value | None = None) -> tuple[Array, str]:
        """Array and address of one element."""
        array = self.value(node.value) if whole is None else whole
        if not isinstance(array, Array) or isinstance(node.slice, ast.Slice):
            raise self._fail(node, "one element is needed")
        if len(array.shape) == 1:
            return array, self._at(array, self._index(array, node.slice, 0))
        if not isinstance(node.slice, ast.Tuple):
            raise self._fail(node, "two indices are needed")
        row, column = (self._index(array, x, k) for k, x in enumerate(node.slice.elts))
        start = self.new(f"mul nsw i64 {row}, {array.shape[1]}")
        return array, self._at(array, self.new(f"add nsw i64 {start}, {column}"))

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
        raise self._fail(node, f"{type(op).__name__} of {a} and {b}")

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
        values: list[tuple[str, str]] = []
        slot, after = self._fresh("%c"), self._fresh("after")
        begun = False
        for k, item in enumerate(node.values):
            condition = self.truth(self.value(item))
            if isinstance(condition, bool):
                if condition == stops:
                    if not begun:
                        return Known(stops)
                    self._emit(f"store i1 {str(stops).lower()}, ptr {slot}")
                    break
                if k == len(node.values) - 1:
                    if not begun:
                        return Known(not stops)
                    self._emit(f"store i1 {str(not stops).lower()}, ptr {slot}")
                continue
            if not begun:
                self.heads.append(f"  {slot} = alloca i1")
                begun = True
            self._emit(f"store i1 {condition}, ptr {slot}")
            if k < len(node.values) - 1:
                onward = self._fresh("and")
                self._branch(condition, *((after, onward) if stops else (onward, after)))
                self._label(onward)
            values.append((slot, condition))
        self._go(after)
        self._label(after)
        return Number("b", self.new(f"load i1, ptr {slot}"))

    def _of_IfExp(self, node: ast.IfExp) -> Value:
        condition = self.truth(self.value(node.test))
        if isinstance(condition, bool):
            return self.value(node.body if condition else node.orelse)
        yes, no, after = self._fresh("then"), self._fresh("else"), self._fresh("after")
        self._branch(condition, yes, no)
        kept, sides = self.lines, []
        for label, side in ((yes, node.body), (no, node.orelse)):
            self.lines = []
            self._label(label)
            value = self.value(side)
            sides.append((self.lines, value))
        kind = join(general(type_of(sides[0][1])), general(type_of(sides[1][1])))
        slots = [self._fresh("%c") for _ in kinds(kind)]
        self.heads += [f"  {slot} = alloca {k}" for slot, k in zip(slots, kinds(kind))]
        for lines, value in sides:
            self.lines = lines
            self.open = True
            for k, slot, ref in zip(kinds(kind), slots, parts(self.convert(value, kind))):
                self._emit(f"store {k} {ref}, ptr {slot}")
            self._go(after)
            kept += self.lines
        self.lines = kept
        self._label(after)
        return rebuild(kind, [self.new(f"load {k}, ptr {slot}") for k, slot in zip(kinds(kind), slots)])

    # -- calls ---------------------------------------------------------------------------------------------------------------

    def _of_Call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
            return self._reshaped(node)
        function = self.value(node.func)
        if not isinstance(function, Known):
            raise self._fail(node, "what is called must be known")
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
            raise self._fail(node, f"{f!r} is not a kernel")
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
            self._emit(f"call void @{name}({arguments})")
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
            raise self._fail(node, "an array and its sizes are needed")
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


def _as(kind: str) -> Callable[[_Body, list[Value]], Value]:
    return lambda body, given: Number(kind, body.number(given[0], kind))


_BUILT_IN: dict[Any, Callable[[_Body, list[Value]], Value]] = {
    abs: lambda body, given: body.absolute(given[0]),
    min: lambda body, given: body.select(given, "lt"),
    max: lambda body, given: body.select(given, "gt"),
    int: _as("i"), float: _as("f"), bool: _as("b"),
    len: lambda body, given: Number("i", given[0].shape[0]),  # type: ignore[union-attr]
    math.isinf: lambda body, given: body.is_infinite(given[0]),
}  # fmt: skip


__all__ = ["FAST", "LIBRARY", "Module", "NotAKernelError"]
