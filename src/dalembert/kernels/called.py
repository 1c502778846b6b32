"""Python functions that programs call: an instruction has the places of the arguments, the number of the function, and which derivative is meant.

Machine code calls one function of Python through its address, whatever the function is.  An exception cannot pass through machine code: it is kept,
the value is NaN from then on, and it is raised where Python had called (`machine/entry.py`), or as the time loop says (`Calls`).
"""

from __future__ import annotations

import ctypes
import secrets
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from ..machine import llvm
from ..machine.entry import raise_later
from ..machine.values import Number
from .through import Guard

if TYPE_CHECKING:
    from ..machine.translate import Statements

# how many derivatives of a function a program may contain, one of the other
MOST_ORDERS = 2
_NAME = "dalembert_python_function"


class PythonFunction:
    """A function (arguments, orders) -> number with a number of its own, by which programs know it in every process."""

    def __init__(self, function: Callable[[Sequence[float], Sequence[int]], float], number: int = 0) -> None:
        self.function, self.number = function, number or secrets.randbits(52)
        _KNOWN[self.number] = self

    def __reduce__(self) -> Any:
        return _known, (self.function, self.number)


_KNOWN: WeakValueDictionary[int, PythonFunction] = WeakValueDictionary()


def _known(function: Any, number: int) -> PythonFunction:
    return _KNOWN.get(number) or PythonFunction(function, number)


class _Guards(threading.local):
    """What keeps the exceptions of this thread."""

    def __init__(self) -> None:
        self.list: list[Calls] = []


_GUARDS = _Guards()


class Calls(Guard):
    """Exceptions of Python functions in the time loop, as those of `Callback`."""

    def __enter__(self) -> Calls:
        super().__enter__()
        _GUARDS.list.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _GUARDS.list.remove(self)
        super().__exit__(*error)

    @property
    def called(self) -> Any:
        """What machine code calls."""
        return _from_machine


def function_value(I, F, k, n):  # type: ignore[no-untyped-def]
    """Value of the instruction at place k of I, with n arguments."""
    words = I[k : k + n + 1 + MOST_ORDERS]
    return _value([float(F[i]) for i in words[:n]], words[n:])


def _value(values: list[float], words: Any) -> float:
    return _KNOWN[int(words[0])].function(values, [int(x) - 1 for x in words[1:] if x])


def _from_machine(I: int, F: int, k: int, n: int) -> float:  # noqa: N803
    guard = _GUARDS.list[-1] if _GUARDS.list else None
    try:
        if guard is not None and guard.raised is not None:
            return float("nan")
        words = (ctypes.c_int64 * (n + 1 + MOST_ORDERS)).from_address(I + 8 * k)
        return _value([ctypes.c_double.from_address(F + 8 * i).value for i in words[:n]], words[n:])
    except BaseException as error:
        (raise_later if guard is None else guard.keep)(error)
    return float("nan")


_POINTER = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(_from_machine)  # fmt: skip
llvm.provide(_NAME, ctypes.cast(_POINTER, ctypes.c_void_p).value or 0)


def _lower(body: Statements, given: list[Any]) -> Number:
    """One call of the function of Python that stands for all."""
    I, F, *numbers = given  # noqa: N806
    k, n = (body.number(x, "i") for x in numbers)
    name = body.module.external(_NAME, "double", "ptr", "ptr", "i64", "i64")
    return Number("f", body.new(f"call double @{name}(ptr {I.data}, ptr {F.data}, i64 {k}, i64 {n})"))


function_value.__lower__ = _lower  # type: ignore[attr-defined]
