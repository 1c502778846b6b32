"""A kernel while it is written as LLVM text: lines, labels, variables, memory."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from .values import (
    LLVM,
    Array,
    Known,
    Number,
    Tuple,
    Type,
    Value,
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


class NotAKernelError(TypeError):
    """A function does something that kernels cannot; the message names the place."""


class MoreGeneralError(Exception):
    """A type turned out to be more general: once more from the beginning."""


class Writing:
    """Lines, labels, variables and memory of one kernel."""

    module: Any
    kernel: Any
    flags: str  # how doubles may be computed

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
