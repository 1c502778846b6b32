"""The equations of a model, called through their address.

The time loop knows nothing of bodies or coordinates: it calls one function of the model, with a mode that says what is wanted (the modes of
`operate.py`).  Its address is a number that the loop is given when it is called, so one compiled loop serves mechanisms, Lagrangian systems
and laws written in Python, and the equations are compiled once, not once more inside the loop.

The function takes and returns what `operate` does.  As plain Python (DALEMBERT_COMPILE=0) the function itself stands in the place of its address.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..machine.entry import Entry, Versions
from ..machine.values import Array, Number, Value
from .compiler import COMPILE

# what kernels with the arguments of `operate` are given: mode, I, P, F, t, q, v, a, tolerance, times
_I, _X = np.zeros(0, dtype=np.int64), np.zeros(0)
EXAMPLE = (0, _I, _X, _X, 0.0, _X, _X, _X, 0.0, 0)


def is_compiled(operate: Any) -> bool:
    """Whether a function has an address; what is written in Python needs a `Callback`."""
    return not COMPILE or isinstance(operate, Entry | Versions)


def address_of(operate: Any, I: np.ndarray) -> Any:  # noqa: N803
    """Address of a compiled entry with the arguments of `operate`, for the model with the integers I."""
    return operate.address((0, I, *EXAMPLE[2:])) if COMPILE else operate


def call(model, mode, I, P, F, t, q, v, a, tolerance, times):  # type: ignore[no-untyped-def]
    """Call the function at the address `model`; as plain Python, the function that stands for its address."""
    return model(mode, I, P, F, t, q, v, a, tolerance, times)


def _lower(body: Any, given: list[Value]) -> Value:
    """An address is called as what it is the address of."""
    arguments = []
    for value, example in zip(given[1:], EXAMPLE):
        if isinstance(value, Array):
            arguments += [f"ptr {value.data}", f"i64 {value.shape[0]}"]
        else:
            kind = "f" if isinstance(example, float) else "i"
            arguments.append(f"{'double' if kind == 'f' else 'i64'} {body.number(value, kind)}")
    pointer = body.new(f"inttoptr i64 {body.number(given[0], 'i')} to ptr")
    return Number("f", body.new(f"call double {pointer}({', '.join(arguments)})"))


call.__lower__ = _lower  # type: ignore[attr-defined]

# an array is handed over as its data and its size
_ARRAY = (ctypes.c_void_p, ctypes.c_int64)
_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_double, ctypes.c_int64, *_ARRAY, *_ARRAY, *_ARRAY, ctypes.c_double, *_ARRAY, *_ARRAY, *_ARRAY, ctypes.c_double, ctypes.c_int64,
)  # fmt: skip


class Guard:
    """Exceptions of Python that compiled code calls.

    An exception cannot pass through compiled code: it is kept in `raised`, and from then on every answer is NaN until the loop comes back, whose
    work since the exception means nothing; `interrupted` is called at the exception, where the work until then still stands.  Used as a context, so that an interrupt which comes before the first line of the function is
    not lost either: Python would only print it.
    """

    def __init__(self) -> None:
        self.raised: BaseException | None = None
        self.interrupted: Callable[[], None] = lambda: None
        self._hook: Any = None

    def __enter__(self) -> Self:
        self._hook, sys.unraisablehook = sys.unraisablehook, self._lost
        return self

    def __exit__(self, *_: object) -> None:
        sys.unraisablehook = self._hook

    @property
    def called(self) -> Any:
        """What compiled code calls."""
        raise NotImplementedError

    def _lost(self, told: Any) -> None:
        # newer Pythons name the function in the message only
        if told.object == self.called or (told.object is None and "ctypes callback" in (told.err_msg or "")):
            self.keep(told.exc_value or KeyboardInterrupt())
        else:
            self._hook(told)

    def keep(self, error: BaseException) -> None:
        """Keep an exception for the loop that is running."""
        if self.raised is None:
            self.interrupted()
        self.raised = error


class Callback(Guard):
    """A Python function (mode, t, q, v, a, tolerance, times) -> number with an address that the time loop can call."""

    def __init__(self, function: Callable[..., float]) -> None:
        super().__init__()
        self.function = function
        self._arrays: dict[tuple[int, int], np.ndarray] = {}
        self._pointer = _FUNCTION(self._called) if COMPILE else None

    @property
    def called(self) -> Any:
        """What compiled code calls."""
        return self._called

    @property
    def address(self) -> Any:
        """What the time loop is given; valid as long as this object lives."""
        return ctypes.cast(self._pointer, ctypes.c_void_p).value if COMPILE else self._plain  # type: ignore[arg-type]

    def _plain(self, mode, I, P, F, t, q, v, a, tolerance, times):  # type: ignore[no-untyped-def]
        return self.function(mode, t, q, v, a, tolerance, times)

    def _called(self, mode: int, *words: Any) -> float:
        """Called by compiled code; I, P and F are those that the function knows."""
        try:
            t, rest = words[6], words[7:]
            q, v, a = (self._array(rest[2 * k], rest[2 * k + 1]) for k in range(3))
            if self.raised is None:
                return self.function(mode, t, q, v, a, rest[-2], rest[-1])
            a[:] = np.nan
        except BaseException as error:
            self.keep(error)
        return np.nan

    def _array(self, data: int | None, size: int) -> np.ndarray:
        """The memory at an address as an array; the loop uses the same few again and again."""
        key = (data or 0, size)
        if key not in self._arrays:
            held = (ctypes.c_double * size).from_address(data) if data else (ctypes.c_double * size)()
            self._arrays[key] = np.ctypeslib.as_array(held)
        return self._arrays[key]
