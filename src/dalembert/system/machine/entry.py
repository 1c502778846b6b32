"""The programs of a mechanism as functions: one with the arguments of `operate`, which the time loop calls by its address, and one for many samples at once."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import numpy as np

from ...kernels import layout as at
from ...kernels import operate as modes
from ...machine.llvm import load, machine_code
from ..tables import Numbering
from ..trace.mechanism import TracedMechanism
from ..trace.traced import Program, Traced
from .writer import Writer

# what the time loop and the projections ask for; the rest is asked by Python, between runs
LOOP = (
    modes.EVALUATE, modes.ACCELERATE, modes.POWERS, modes.ROWS, modes.RATES, modes.RATES_NOW, modes.STEP_POSITION, modes.STEP_VELOCITY,
    modes.ARRIVE, modes.SPEED, modes.PIVOT, modes.WATCH,
)  # fmt: skip


def module_of(traced: Traced, wanted: Sequence[int] = LOOP) -> str:
    """LLVM text of the programs wanted and of the function `operate` that chooses among them."""
    writer = Writer(traced.graph, 1, tables_of(traced), traced.inputs)
    ways = (False, True) if traced.switching else (False,)
    programs = {(mode, held): traced.program(mode, held) for mode in wanted for held in ways}
    changing = {k for program in programs.values() for name, k, _ in program.stores if name == "F"}
    for (mode, held), program in programs.items():
        given = traced.sides if held else {}
        writer.function(f"mode_{mode}_{int(held)}", complete(program, changing), program.result, given=given)
    writer.add(_operate(wanted, traced.switching, int(traced.I[at.FROZEN])))
    return writer.text()


def complete(program: Program, changing: set[int]) -> list[tuple[str, int, int]]:
    """What a program writes, with numbers that never change for it where others leave something else."""
    return [*program.stores, *(("F", k, node) for k, node in program.constants if k in changing)]


def tables_of(traced: Traced) -> list[tuple[int, int, int, int]]:
    """Where the splines lie in P."""
    I = traced.I  # noqa: E741
    first = [int(x) for x in I[I[at.SPLINE_FIRST] : I[at.SPLINE_LAST]]]
    return [(a, b, int(I[at.SPLINE_KNOTS]), int(I[at.SPLINE_COEFFICIENTS])) for a, b in zip(first, first[1:])]


def _operate(wanted: Sequence[int], switches: bool, frozen: int) -> str:
    """Dispatch by mode; an unknown one returns NaN."""
    arrays = {name: f"ptr %{name}, i64 %{name}.size" for name in ("I", "P", "F", "q", "v", "a")}
    before, after = (", ".join(arrays[name] for name in names) for names in ("IPF", "qva"))
    arguments = f"i64 %mode, {before}, double %t, {after}, double %tolerance, i64 %times"
    given = "ptr %P, ptr %F, ptr %q, ptr %v, ptr %a, double %t, double %tolerance"
    lines = ["entry:"]
    if switches:
        lines += [
            f"  %place = getelementptr inbounds double, ptr %F, i64 {frozen}",
            "  %frozen = load double, ptr %place, align 8",
            "  %held = fcmp une double %frozen, 0.0",
        ]
    cases = " ".join(f"i64 {mode}, label %mode{mode}" for mode in wanted)
    lines += ["  br label %again", "again:", "  %count = phi i64 [ 1, %entry ], [ %next, %done ]"]
    lines.append(f"  switch i64 %mode, label %unknown [ {cases} ]")
    results = ["[ 0x7FF8000000000000, %unknown ]"]
    for mode in wanted:
        lines.append(f"mode{mode}:")
        if switches:
            lines.append(f"  br i1 %held, label %mode{mode}h, label %mode{mode}f")
            for held, letter in ((1, "h"), (0, "f")):
                lines += [
                    f"mode{mode}{letter}:",
                    f"  %r{mode}{letter} = call double @mode_{mode}_{held}({given})",
                    "  br label %done",
                ]
                results.append(f"[ %r{mode}{letter}, %mode{mode}{letter} ]")
        else:
            lines += [f"  %r{mode} = call double @mode_{mode}_0({given})", "  br label %done"]
            results.append(f"[ %r{mode}, %mode{mode} ]")
    lines += [
        "unknown:", "  br label %done", "done:", f"  %result = phi double {', '.join(results)}", "  %next = add i64 %count, 1",
        "  %more = icmp sle i64 %next, %times", "  br i1 %more, label %again, label %end", "end:", "  ret double %result",
    ]  # fmt: skip
    return f"define double @operate({arguments}) nounwind {{\n" + "\n".join(lines) + "\n}"


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
