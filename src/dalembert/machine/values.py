"""What a name of a kernel stands for while it is translated: a known object, a number, an array, several values, or a record in memory.

A type is a plain, hashable description:

    "f", "i", "b"            a double, a 64-bit integer, a condition
    ("array", item, n)       an array of doubles or integers with n axes, contiguous: an address and n sizes
    ("tuple", types, class)  several values; with a class, a named tuple
    ("record", class, types) a named tuple in memory, read where it is used
    ("fields", class)        numbers with names in memory, read and written: a ctypes.Structure of c_double and c_int64
    ("known", object)        an object known while translating: a number, a function, None
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

LLVM = {"f": "double", "i": "i64", "b": "i1"}
Type = Any


@dataclass(frozen=True, slots=True)
class Known:
    """An object known while translating."""

    value: Any


@dataclass(frozen=True, slots=True)
class Number:
    """A double, an integer or a condition."""

    kind: str
    ref: str


@dataclass(frozen=True, slots=True)
class Array:
    """A contiguous array: address and sizes."""

    item: str
    data: str
    shape: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tuple:
    """Several values; `kind` is the class of a named tuple."""

    items: tuple[Any, ...]
    kind: Any = None


@dataclass(frozen=True, slots=True)
class Record:
    """A named tuple in memory: fields one after the other, an array as its address and sizes."""

    kind: Any
    types: tuple[Type, ...]
    data: str


@dataclass(frozen=True, slots=True)
class Fields:
    """Numbers with names in memory."""

    kind: Any
    data: str


Value = Known | Number | Array | Tuple | Record | Fields


def type_of(value: Value) -> Type:
    """Type of a value."""
    match value:
        case Number():
            return value.kind
        case Array():
            return ("array", value.item, len(value.shape))
        case Tuple():
            return ("tuple", tuple(type_of(x) for x in value.items), value.kind)
        case Record():
            return ("record", value.kind, value.types)
        case Fields():
            return ("fields", value.kind)
        case Known():
            return ("known", value.value)


def parts(value: Value) -> list[str]:
    """References that make up a value."""
    match value:
        case Number():
            return [value.ref]
        case Array():
            return [value.data, *value.shape]
        case Tuple():
            return [x for item in value.items for x in parts(item)]
        case Record() | Fields():
            return [value.data]
        case Known():
            return []


def kinds(kind: Type) -> list[str]:
    """LLVM types of the parts of a value."""
    if isinstance(kind, str):
        return [LLVM[kind]]
    if kind[0] == "array":
        return ["ptr", *("i64" for _ in range(kind[2]))]
    if kind[0] == "tuple":
        return [x for item in kind[1] for x in kinds(item)]
    return ["ptr"] if kind[0] in ("record", "fields") else []


def rebuild(kind: Type, refs: list[str]) -> Value:
    """Value of a type from its parts; they are taken from the list."""
    if isinstance(kind, str):
        return Number(kind, refs.pop(0))
    if kind[0] == "array":
        return Array(kind[1], refs.pop(0), tuple(refs.pop(0) for _ in range(kind[2])))
    if kind[0] == "tuple":
        return Tuple(tuple(rebuild(item, refs) for item in kind[1]), kind[2])
    if kind[0] == "fields":
        return Fields(kind[1], refs.pop(0))
    return Record(kind[1], kind[2], refs.pop(0)) if kind[0] == "record" else Known(kind[1])


def join(one: Type, other: Type) -> Type:
    """Type that holds values of both: a number that is an integer here and a double there is a double."""
    if one == other:
        return one
    one, other = general(one), general(other)
    if one == other:
        return one
    if isinstance(one, str) and isinstance(other, str):
        return "f" if "f" in (one, other) else "i"
    if one[0] == other[0] == "tuple" and len(one[1]) == len(other[1]):
        return ("tuple", tuple(join(a, b) for a, b in zip(one[1], other[1])), one[2])
    raise TypeError(f"a value is {one} in one place and {other} in another")


def general(kind: Type) -> Type:
    """Type of a variable that such a value is put into: a known number is one like others."""
    if kind[0] == "known":
        value = kind[1]
        return (
            "b"
            if isinstance(value, bool)
            else "i"
            if isinstance(value, int)
            else "f"
            if isinstance(value, float)
            else kind
        )
    return ("tuple", tuple(general(x) for x in kind[1]), kind[2]) if kind[0] == "tuple" else kind


def literal(x: float) -> str:
    """A double as LLVM writes it, exactly."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', x))[0]:016X}"


def field_places(types: tuple[Type, ...]) -> list[int]:
    """Places of the fields of a record, in words; the last is its size."""
    places = [0]
    for kind in types:
        places.append(places[-1] + len(kinds(kind)))
    return places
