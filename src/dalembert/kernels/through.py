"""The equations of a model, called through their address.

The time loop knows nothing of bodies or coordinates: it calls one function of the model, with a mode that says what is wanted (the modes of
`operate.py`).  Its address is a number that the loop is given when it is called, so one compiled loop serves mechanisms, Lagrangian systems
and laws written in Python, and the equations are compiled once, not once more inside the loop.

The function takes and returns what `operate` does.  As plain Python (DALEMBERT_COMPILE=0) the function itself stands in the place of its address.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from .compiler import COMPILE

_INTEGERS, _NUMBERS = types.Array(types.int64, 1, "C"), types.Array(types.float64, 1, "C")
# mode, I, P, F, t, q, v, a, tolerance, times
ARGUMENTS = (
    types.int64, _INTEGERS, _NUMBERS, _NUMBERS, types.float64, _NUMBERS, _NUMBERS, _NUMBERS, types.float64, types.int64,
)  # fmt: skip


def is_compiled(operate: Any) -> bool:
    """Whether a function has an address; what is written in Python needs a `Callback`."""
    return not COMPILE or hasattr(operate, "overloads")


_known: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


def address_of(operate: Any) -> Any:
    """Address of a compiled entry with the arguments of `operate`."""
    if not COMPILE:
        return operate
    if operate not in _known:
        _known[operate] = _address(operate)
    return _known[operate]


def _address(operate: Any) -> int:
    compiled = operate.overloads.get(ARGUMENTS)
    if compiled is None:
        operate.compile(ARGUMENTS)
        compiled = operate.overloads[ARGUMENTS]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


if COMPILE:

    @intrinsic
    def call(typing, model, mode, I, P, F, t, q, v, a, tolerance, times):  # type: ignore[no-untyped-def]
        """Call the function at the address `model`."""

        def generate(context, builder, signature, given):  # type: ignore[no-untyped-def]
            convention = context.call_conv
            function = convention.get_function_type(types.float64, ARGUMENTS)
            pointer = builder.inttoptr(given[0], function.as_pointer())
            _, result = convention.call_function(builder, pointer, types.float64, ARGUMENTS, given[1:])
            return result

        return types.float64(types.int64, *ARGUMENTS), generate

else:

    def call(model, mode, I, P, F, t, q, v, a, tolerance, times):  # type: ignore[no-untyped-def]
        """Call the function that stands for its address."""
        return model(mode, I, P, F, t, q, v, a, tolerance, times)


# how numba hands over an array: its owner (two pointers), number and size of its items, data, shape, stride
_ARRAY = (
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64,
)  # fmt: skip
_DATA, _SIZE, _WORDS = 4, 5, len(_ARRAY)
_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.POINTER(ctypes.c_double), ctypes.c_void_p, ctypes.c_int64, *_ARRAY, *_ARRAY, *_ARRAY,
    ctypes.c_double, *_ARRAY, *_ARRAY, *_ARRAY, ctypes.c_double, ctypes.c_int64,
)  # fmt: skip


class Callback:
    """A Python function (mode, t, q, v, a, tolerance, times) -> number with an address that the time loop can call.

    An exception cannot pass through compiled code: it is kept in `raised`, and from then on every answer is NaN until the loop comes back, whose
    work since the exception means nothing.  Used as a context, so that an interrupt which comes before the first line of the function is
    not lost either: Python would only print it.
    """

    def __init__(self, function: Callable[..., float]) -> None:
        self.function = function
        self.raised: BaseException | None = None
        self._arrays: dict[tuple[int, int], np.ndarray] = {}
        self._pointer = _FUNCTION(self._called) if COMPILE else None
        self._hook: Any = None

    def __enter__(self) -> Callback:
        self._hook, sys.unraisablehook = sys.unraisablehook, self._lost
        return self

    def __exit__(self, *_: object) -> None:
        sys.unraisablehook = self._hook

    @property
    def address(self) -> Any:
        """What the time loop is given; valid as long as this object lives."""
        return ctypes.cast(self._pointer, ctypes.c_void_p).value if COMPILE else self._plain  # type: ignore[arg-type]

    def _plain(self, mode, I, P, F, t, q, v, a, tolerance, times):  # type: ignore[no-untyped-def]
        return self.function(mode, t, q, v, a, tolerance, times)

    def _lost(self, told: Any) -> None:
        # newer Pythons name the function in the message only
        if told.object == self._called or (told.object is None and "ctypes callback" in (told.err_msg or "")):
            self.raised = told.exc_value or KeyboardInterrupt()
        else:
            self._hook(told)

    def _called(self, result: Any, _: Any, mode: int, *words: Any) -> int:
        """Called by compiled code; I, P and F are those that the function knows."""
        try:
            t, rest = words[3 * _WORDS], words[3 * _WORDS + 1 :]
            q, v, a = (self._array(rest[_WORDS * k + _DATA], rest[_WORDS * k + _SIZE]) for k in range(3))
            if self.raised is None:
                result[0] = self.function(mode, t, q, v, a, rest[-2], rest[-1])
            else:
                result[0] = np.nan
                a[:] = np.nan
        except BaseException as error:
            self.raised, result[0] = error, np.nan
        return 0

    def _array(self, data: int | None, size: int) -> np.ndarray:
        """The memory at an address as an array; the loop uses the same few again and again."""
        key = (data or 0, size)
        if key not in self._arrays:
            held = (ctypes.c_double * size).from_address(data) if data else (ctypes.c_double * size)()
            self._arrays[key] = np.ctypeslib.as_array(held)
        return self._arrays[key]
