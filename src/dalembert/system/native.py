"""The formulas of one Lagrangian system as straight machine code: compiled for this system, for long runs.

The programs of `kernels/lagrange` serve every system without compilation.  Straight code saves them reading operands and passing results
through memory; it takes numba some seconds, which a long run or many runs of one system win back.
"""

from __future__ import annotations

from typing import Any

from ..errors import MethodError
from ..kernels import tape_functions as op
from ..kernels.compiler import kernel
from ..kernels.lagrange import layout as la
from ..kernels.scalar import cos_sin
from .lagrange import LagrangeSystem

# operations beyond which compiling takes minutes
LARGEST = 4000

_SIGNS = {op.ADD: "+", op.SUB: "-", op.MUL: "*", op.DIV: "/"}


def native_code(system: LagrangeSystem, asked: str) -> Any:
    """Kernel that takes the place of `perform_code` for this system."""
    text = source(system, asked)
    scope: dict[str, Any] = {"cos_sin": cos_sin, "value1": op.value1, "value2": op.value2}
    exec(compile(text, f"<formulas of {system.model.name}>", "exec"), scope)  # noqa: S102 - written here, from nodes and numbers only
    return kernel(scope["perform_code"])


def source(system: LagrangeSystem, asked: str) -> str:
    """Python source of both programs, told apart by where their code begins."""
    table = system.I
    parts = []
    for name in (la.EVALUATION, la.ROWS_PROGRAM, la.SIDES_PROGRAM)[: len(system.results)]:
        at = int(table[name])
        registers = {int(table[k]) for k in range(table[at + 3], table[at + 4], 2)}
        parts.append((int(table[at]), registers))
    lines = ["def perform_code(I, P, F, first, last, out):"]
    for k, ((place, registers), nodes) in enumerate(zip(parts, system.results)):
        lines.append(f"    if first == {place}:")
        given = system.sides if k < 2 else {}
        lines += [f"        {line}" for line in _straight(system, registers, nodes, given, asked)]
        lines.append("        return")
    return "\n".join(lines)


def _straight(
    system: LagrangeSystem, registers: set[int], nodes: dict[int, int], given: dict[int, int], asked: str
) -> list[str]:
    """Assignments for all nodes needed, then the registers that are read afterwards; nodes that are given stand in F."""
    graph, rows = system.graph, system.graph.rows
    wanted = {node: place for node, place in nodes.items() if place in registers}
    order = graph.needed(wanted, given)
    if len(order) > LARGEST:
        raise MethodError(
            asked, f"{len(order)} operations", f"beyond {LARGEST} the compiler takes minutes", "leave out native=True"
        )
    lines, done = [], set()
    pairs: dict[int, dict[int, int]] = {}
    for node in order:
        if rows[node][0] in (op.SIN, op.COS):
            pairs.setdefault(rows[node][1], {})[rows[node][0]] = node
    for node in order:
        code, a, b, c = rows[node]
        if node in done:
            continue
        if node in given:
            lines.append(f"x{node} = F[{given[node]}]")
        elif code == op.CONST:
            lines.append(f"x{node} = {graph.constants[a]!r}")
        elif code == op.INPUT:
            lines.append(f"x{node} = F[{system.leaves[node]}]")
        elif code in _SIGNS:
            lines.append(f"x{node} = x{a} {_SIGNS[code]} x{b}")
        elif code == op.NEG:
            lines.append(f"x{node} = -x{a}")
        elif code in (op.SIN, op.COS) and len(pairs[a]) == 2:
            both = pairs[a]
            lines.append(f"x{both[op.COS]}, x{both[op.SIN]} = cos_sin(x{a})")
            done |= set(both.values())
        elif code == op.SELECT:
            lines.append(f"x{node} = x{b} if x{a} != 0.0 else x{c}")
        elif code == op.SPLINE:
            raise MethodError(
                asked, "a spline among the formulas", "splines are tables, not code", "leave out native=True"
            )
        elif code >= op.BINARY:
            lines.append(f"x{node} = value2({code}, x{a}, x{b})")
        else:
            lines.append(f"x{node} = value1({code}, x{a}, {b})")
    return lines + [f"F[{place}] = x{node}" for node, place in wanted.items()]
