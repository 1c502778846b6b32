"""The programs of a mechanism as one function with the arguments of `operate`, so that the time loop can call it by its address."""

from __future__ import annotations

from collections.abc import Sequence

from ...kernels import layout as at
from ...kernels import operate as modes
from ..tables import Numbering
from ..trace.mechanism import Program, Traced
from .writer import Writer

# what the time loop and the projections ask for; the rest is asked by Python, between runs
LOOP = (
    modes.EVALUATE, modes.ACCELERATE, modes.POWERS, modes.ROWS, modes.RATES, modes.RATES_NOW, modes.STEP_POSITION, modes.STEP_VELOCITY,
    modes.ARRIVE, modes.SPEED, modes.PIVOT, modes.WATCH,
)  # fmt: skip
# how numba hands over an array: its owner (two pointers), number and size of its items, data, shape, stride
_WORDS = ("ptr", "ptr", "i64", "i64", "ptr", "i64", "i64")


def module_of(traced: Traced, numbering: Numbering, wanted: Sequence[int] = LOOP) -> str:
    """LLVM text of the programs wanted and of the function `operate` that chooses among them."""
    switches = numbering.places["side"][1] > numbering.places["side"][0]
    writer = Writer(traced.graph, tables=tables_of(numbering))
    programs = {
        (mode, held): traced.program(mode, held)
        for mode in wanted
        for held in ((False, True) if switches else (False,))
    }
    changing = {k for program in programs.values() for name, k, _ in program.stores if name == "F"}
    for (mode, held), program in programs.items():
        writer.function(f"mode_{mode}_{int(held)}", complete(program, changing), program.result)
    writer.add(_operate(wanted, switches, int(numbering.I[at.FROZEN])))
    return writer.text()


def complete(program: Program, changing: set[int]) -> list[tuple[str, int, int]]:
    """What a program writes, with numbers that never change for it where others leave something else."""
    return [*program.stores, *(("F", k, node) for k, node in program.constants if k in changing)]


def tables_of(numbering: Numbering) -> list[tuple[int, int, int, int]]:
    """Where the splines lie in P."""
    I = numbering.I  # noqa: E741
    first = [int(x) for x in I[I[at.SPLINE_FIRST] : I[at.TAPE_END]]]
    return [(a, b, int(I[at.SPLINE_KNOTS]), int(I[at.SPLINE_COEFFICIENTS])) for a, b in zip(first, first[1:])]


def _operate(wanted: Sequence[int], switches: bool, frozen: int) -> str:
    """Dispatch by mode; an unknown one returns NaN."""
    arguments = ["ptr %ret", "ptr %exception", "i64 %mode"]
    for name in ("I", "P", "F"):
        arguments += [f"{kind} %{name}{k}" for k, kind in enumerate(_WORDS)]
    arguments.append("double %t")
    for name in ("q", "v", "a"):
        arguments += [f"{kind} %{name}{k}" for k, kind in enumerate(_WORDS)]
    arguments += ["double %tolerance", "i64 %times"]
    given = "ptr %P4, ptr %F4, ptr %q4, ptr %v4, ptr %a4, double %t, double %tolerance"
    lines = ["entry:"]
    if switches:
        lines += [
            f"  %place = getelementptr inbounds double, ptr %F4, i64 {frozen}",
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
        "  %more = icmp sle i64 %next, %times", "  br i1 %more, label %again, label %end", "end:", "  store double %result, ptr %ret, align 8",
        "  ret i32 0",
    ]  # fmt: skip
    return f"define i32 @operate({', '.join(arguments)}) nounwind {{\n" + "\n".join(lines) + "\n}"


__all__ = ["LOOP", "complete", "module_of", "tables_of"]
