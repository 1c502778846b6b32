"""One operation of a mechanism on many samples at once: vectors of 4 or 8 samples, the sample index last in memory."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from ...kernels import operate as modes
from ...machine.llvm import load, machine_code
from ..tables import Numbering
from ..trace.mechanism import TracedMechanism
from .entry import tables_of
from .writer import Writer

# samples in a vector: eight doubles fill the registers of AVX-512, four those of AVX2
LANES = 8

_BATCH = """
define void @batch(ptr %P, ptr %F, ptr %q, ptr %v, ptr %a, ptr %t, i64 %samples, i64 %times) nounwind {{
entry:
  br label %again
again:
  %turn = phi i64 [ 1, %entry ], [ %later, %round ]
  br label %next
next:
  %sample = phi i64 [ 0, %again ], [ %after, %work ]
  %more = icmp slt i64 %sample, %samples
  br i1 %more, label %work, label %round
work:
  %unused = call {kind} @operation(ptr %P, ptr %F, ptr %q, ptr %v, ptr %a, ptr %t, double 0.0, i64 %samples, i64 %sample)
  %after = add i64 %sample, {lanes}
  br label %next
round:
  %later = add i64 %turn, 1
  %repeat = icmp sle i64 %later, %times
  br i1 %repeat, label %again, label %done
done:
  ret void
}}
"""


def batch(numbering: Numbering, mode: int = modes.ACCELERATE, lanes: int = LANES) -> Callable[..., None]:
    """Function (P, F, q, v, a, t, times=1) that performs an operation of `kernels/operate.py` on every sample, in place, `times` times.

    `lanes` are the samples in a vector.  Arrays have the sample index last, P and F included; their number must be a multiple of `lanes`.
    """
    traced = TracedMechanism(numbering)
    program = traced.program(mode)
    writer = Writer(traced.graph, lanes, tables_of(traced))
    writer.function("operation", program.stores, program.result)
    writer.add(_BATCH.format(kind=writer.kind, lanes=lanes))
    (address,) = load(machine_code(writer.text(), straight=True), "batch")
    call = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 6, ctypes.c_int64, ctypes.c_int64)(address)

    def perform(
        P: np.ndarray, F: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, t: np.ndarray, times: int = 1
    ) -> None:  # noqa: N803
        samples = t.shape[-1]
        arrays = (P, F, q, v, a, t)
        if samples % lanes or any(
            x.shape[-1] != samples or not x.flags.c_contiguous or x.dtype != float for x in arrays
        ):
            raise ValueError(f"{lanes} samples at a time: arrays of doubles with the sample index last are needed")
        call(*(x.ctypes.data for x in arrays), samples, times)

    return perform
