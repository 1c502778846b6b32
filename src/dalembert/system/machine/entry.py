"""The programs of a mechanism as one function with the arguments of `operate`, so that the time loop can call it by its address."""

from __future__ import annotations

from collections.abc import Sequence

from ...kernels import layout as at
from ...kernels import operate as modes
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
