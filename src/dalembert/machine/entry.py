"""Kernels that Python calls: translated at the first call, kept on disk, called with NumPy arrays and named tuples of them.

Machine code reads address and sizes of an array from the array object itself, and the fields of a named tuple from the tuple: Python hands over
references and does nothing else, which takes a microsecond.  What a first call is given says what all others must be given: numbers of axes and
kinds of items.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from . import disk, llvm
from .translate import Module
from .values import LLVM, Array, Fields, Number, Record, Tuple, Type, Value, field_places, kinds, parts

# where a NumPy array keeps data, number of axes, sizes and flags, and a tuple its items: the beginning of PyArrayObject and of PyTupleObject
_HEAD = object.__basicsize__
_DATA, _AXES, _SHAPE, _TYPE, _FLAGS, _ITEMS = _HEAD, _HEAD + 8, _HEAD + 16, _HEAD + 40, _HEAD + 48, tuple.__basicsize__
_LETTER = _HEAD + 9  # of the type of items, in its description
_CONTIGUOUS_ALIGNED = 0x101
# what is shown while something is compiled: a context, given the name of the entry
progress: Callable[..., contextlib.AbstractContextManager[None]] = contextlib.nullcontext
# 64-bit integers have two, of which systems use one or the other
_LETTERS = {"f": "d", "i": [x for x in "lq" if np.dtype(x).itemsize == 8]}
_KINDS: dict[str, Any] = {"f": ctypes.c_double, "i": ctypes.c_int64}


# not zero where something went wrong in machine code: the number of a wrong array, or _RAISED
_FAILED, _RAISED = ctypes.c_int64(0), -1


class _Raised(threading.local):
    """Exception of a Python function that machine code of this thread has called."""

    error: BaseException | None = None


_THREAD = _Raised()


def raise_later(error: BaseException) -> None:
    """Raise an exception, the first one, when the machine code that is running comes back to Python."""
    _THREAD.error, _FAILED.value = _THREAD.error or error, _RAISED


class Entry:
    """A kernel with an address and a way to call it from Python."""

    def __init__(
        self,
        function: Callable[..., Any],
        sources: Callable[[], str],
        vectors: bool = True,
        decided: dict[tuple[str, int | str], int] | None = None,
    ) -> None:
        self.function, self._sources, self._vectors, self._decided = function, sources, vectors, decided or {}
        self.__name__, self.__doc__, self.__wrapped__ = function.__name__, function.__doc__, function
        self.__module__ = function.__module__
        self.__code__, self.__globals__ = function.__code__, function.__globals__
        self._lock = threading.Lock()
        self._call: Callable[..., Any] | None = None
        self._address = 0

    def __reduce__(self) -> str:
        return self.__name__  # a name in its module

    def __call__(self, *given: Any) -> Any:
        """Run the machine code, made now if it is not there."""
        if self._call is None:
            self.make(given)
        return self._call(*given)  # type: ignore[misc]

    def address(self, given: tuple[Any, ...]) -> int:
        """Address for callers that are machine code, with arguments of these kinds."""
        if self._call is None:
            self.make(given)
        return self._address

    def _types(self, given: tuple[Any, ...]) -> tuple[Type, ...]:
        hints, code = self.function.__annotations__, self.function.__code__
        names = code.co_varnames[: code.co_argcount]
        return tuple("f" if hints.get(name) == "float" else kind_of(x) for name, x in zip(names, given))

    def path(self, given: tuple[Any, ...]) -> Path:
        """File of its machine code for arguments like these."""
        own = getattr(self.function, "__text__", None) or disk.hash_of(Path(self.function.__code__.co_filename))
        return disk.path_of(self.__name__, f"{self._sources()} {own} {self._types(given)!r} {self._decided!r}")

    def make(self, given: tuple[Any, ...]) -> None:
        """Find or make machine code for arguments like these."""
        with self._lock:
            if self._call is not None:
                return
            types = self._types(given)
            with contextlib.nullcontext() if self.path(given).exists() else progress(self.__name__):
                code = disk.kept(self.path(given), lambda: self._code(types))
            run, self._address, result = llvm.load(code, "from_python", "from_machine", "result_kind")
            self._call = self._caller(run, types, "f" if ctypes.CFUNCTYPE(ctypes.c_int64)(result)() else "i")

    def _code(self, types: tuple[Type, ...]) -> bytes:
        return llvm.machine_code(module_of(self.function, types, self._decided), vectors=self._vectors)

    def _caller(self, run: int, types: tuple[Type, ...], result: str) -> Callable[..., Any]:
        """Python function that hands arguments over: numbers by value, all else by reference; numbers inside tuples come along."""
        arguments: list[Any] = [ctypes.c_void_p]
        handed = ["failed"]
        for k, kind in enumerate(types):
            for path, one in _handed(kind, f"a{k}"):
                handed.append(path)
                fields = not isinstance(one, str) and one[0] == "fields"
                arguments.append(
                    _KINDS[one] if isinstance(one, str) else ctypes.POINTER(one[1]) if fields else ctypes.py_object
                )  # type: ignore[arg-type]
        f = ctypes.PYFUNCTYPE(_KINDS[result], *arguments)(run)
        names = ", ".join(f"a{k}" for k in range(len(types)))
        scope = {"f": f, "failed": ctypes.addressof(_FAILED), "count": _FAILED, "tell": self._tell}
        text = f"def call({names}):\n    x = f({', '.join(handed)})\n    if count.value:\n        tell()\n    return x"
        exec(text, scope)  # noqa: S102 - our own text, nothing of the user's
        return scope["call"]  # type: ignore[return-value]

    def _tell(self) -> None:
        number, _FAILED.value = _FAILED.value, 0
        if number == _RAISED:
            error, _THREAD.error = _THREAD.error, None
            if error is not None:
                raise error
            _FAILED.value = _RAISED  # of another thread
            return
        raise TypeError(
            f"{self.__name__}: array {number} among the arguments has another number of axes or another type than expected, or is not contiguous"
        )


class Versions:
    """An entry in versions, by one whole number 0, 1, ... among its arguments: an item of an array, or a field of a record.

    Branches on that number are decided when a version is translated, which is done when it is needed first.
    """

    def __init__(
        self, function: Callable[..., Any], sources: Callable[[], str], argument: str, what: int | str, count: int, vectors: bool
    ) -> None:  # fmt: skip
        self.__name__, self.__doc__, self.__wrapped__ = function.__name__, function.__doc__, function
        self.__module__ = function.__module__
        self._at = function.__code__.co_varnames.index(argument)
        self._number: Callable[[Any], int] = itemgetter(what) if isinstance(what, int) else attrgetter(what)
        self.versions = [Entry(function, sources, vectors, {(argument, what): k}) for k in range(count)]

    def __reduce__(self) -> str:
        return self.__name__  # a name in its module

    def of(self, given: tuple[Any, ...]) -> Entry:
        """The version for these arguments."""
        return self.versions[self._number(given[self._at])]

    def __call__(self, *given: Any) -> Any:
        """Run the version that the arguments ask for."""
        return self.versions[self._number(given[self._at])](*given)

    def address(self, given: tuple[Any, ...]) -> int:
        """Address of the version that the arguments ask for."""
        return self.of(given).address(given)


def kind_of(x: Any) -> Type:
    """Type of an argument that Python gives."""
    if isinstance(x, np.ndarray):
        if x.dtype not in (np.float64, np.int64):
            raise TypeError(f"kernels take arrays of float64 and int64, not of {x.dtype}")
        return ("array", "f" if x.dtype == np.float64 else "i", x.ndim)
    if isinstance(x, tuple):
        types = tuple(kind_of(item) for item in x)
        return ("record", type(x), types) if hasattr(x, "_fields") else ("tuple", types, None)
    if isinstance(x, ctypes.Structure):
        return ("fields", type(x))
    if isinstance(x, int | np.integer):  # conditions as well
        return "i"
    if isinstance(x, float):
        return "f"
    raise TypeError(f"kernels take numbers, arrays and tuples of them, not {type(x).__name__}")


def _handed(kind: Type, path: str) -> list[tuple[str, Type]]:
    """What is handed over for an argument: it, and after it the numbers inside; a plain tuple as its items."""
    if isinstance(kind, str) or kind[0] in ("array", "fields"):
        return [(path, kind)]
    if kind[0] == "tuple":
        return [x for k, item in enumerate(kind[1]) for x in _handed(item, f"{path}[{k}]")]
    return [(path, kind), *((f"{path}[{k}]", item) for k, item in enumerate(kind[2]) if isinstance(item, str))]


def module_of(
    function: Callable[..., Any], types: tuple[Type, ...], decided: dict[tuple[str, int | str], int] | None = None
) -> str:
    """LLVM text of a kernel with two ways in: from Python, and with plain arguments from other machine code."""
    module = Module(decided)
    name, result = module.function(function, types)
    shown = "i64" if result in ("i", "b") else "double"
    wrapper = _Wrapper()
    given: list[str] = []
    arguments = ["ptr %failed"]
    for kind in types:
        given += parts(wrapper.taken(kind, arguments))
    flat = [k for kind in types for k in kinds(kind)]
    call = f"call {LLVM.get(result or 'i', 'i64') if result else 'void'} @{name}({{}})"
    lines = wrapper.lines
    text = [f"define {shown} @from_python({', '.join(arguments)}) nounwind {{", "entry:", *lines]
    text += [*_returned(call.format(", ".join(f"{k} {x}" for k, x in zip(flat, given))), result, shown), "bad:", "  ret " + shown + (" 0" if shown == "i64" else " 0.0"), "}"]  # fmt: skip
    plain = [f"{k} %x{n}" for n, k in enumerate(flat)]
    text += [
        f"define {shown} @from_machine({', '.join(plain)}) nounwind {{",
        "entry:",
        *_returned(call.format(", ".join(plain)), result, shown),
        "}",
    ]
    text += ["define i64 @result_kind() {", f"  ret i64 {int(shown == 'double')}", "}"]
    module.add("\n".join(text))
    return module.text()


def _returned(call: str, result: Type | None, shown: str) -> list[str]:
    if result is None:
        return [f"  {call}", "  ret double 0.0"]
    if result == "b":
        return [f"  %r = {call}", "  %w = zext i1 %r to i64", "  ret i64 %w"]
    return [f"  %r = {call}", f"  ret {shown} %r"]


class _Wrapper:
    """Text that takes arguments out of Python objects."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = self.arrays = 0

    def _new(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %p{self.count} = {text}")
        return f"%p{self.count}"

    def _word(self, at: str, offset: int, kind: str = "ptr") -> str:
        place = self._new(f"getelementptr i8, ptr {at}, i64 {offset}")
        return self._new(f"load {kind}, ptr {place}")

    def taken(self, kind: Type, arguments: list[str]) -> Value:
        """Value of an argument; what is handed over for it is added to the arguments."""
        if isinstance(kind, str):
            arguments.append(f"{LLVM[kind]} %g{len(arguments)}")
            return Number(kind, f"%g{len(arguments) - 1}")
        if kind[0] == "tuple":
            return Tuple(tuple(self.taken(item, arguments) for item in kind[1]), kind[2])
        arguments.append(f"ptr %g{len(arguments)}")
        whole = f"%g{len(arguments) - 1}"
        if kind[0] == "array":
            return self._array(kind, whole)
        if kind[0] == "fields":
            return Fields(kind[1], whole)
        places = field_places(kind[2])
        frame = self._new(f"alloca i64, i64 {places[-1]}, align 8")
        for k, item in enumerate(kind[2]):
            value = (
                self.taken(item, arguments)
                if isinstance(item, str)
                else self._array(item, self._word(whole, _ITEMS + 8 * k))
            )
            for n, (t, ref) in enumerate(zip(kinds(item), parts(value))):
                place = self._new(f"getelementptr i64, ptr {frame}, i64 {places[k] + n}")
                self.lines.append(f"  store {t} {ref}, ptr {place}, align 8")
        return Record(kind[1], kind[2], frame)

    def _array(self, kind: Type, whole: str) -> Array:
        self.arrays += 1
        axes, flags = self._word(whole, _AXES, "i32"), self._word(whole, _FLAGS, "i32")
        found = self._new(f"and i32 {flags}, {_CONTIGUOUS_ALIGNED}")
        right = self._new(f"icmp eq i32 {found}, {_CONTIGUOUS_ALIGNED}")
        number = self._new(f"icmp eq i32 {axes}, {kind[2]}")
        letter = self._word(self._word(whole, _TYPE), _LETTER, "i8")
        same = "false"
        for known in _LETTERS[kind[1]]:
            same = self._new(f"or i1 {same}, {self._new(f'icmp eq i8 {letter}, {ord(known)}')}")
        good = self._new(f"and i1 {self._new(f'and i1 {right}, {number}')}, {same}")
        self.lines += [
            f"  br i1 {good}, label %good{self.arrays}, label %bad{self.arrays}", f"bad{self.arrays}:",
            f"  store i64 {self.arrays}, ptr %failed", "  br label %bad", f"good{self.arrays}:",
        ]  # fmt: skip
        data, shape = self._word(whole, _DATA), self._word(whole, _SHAPE)
        return Array(kind[1], data, tuple(self._word(shape, 8 * k, "i64") for k in range(kind[2])))
