"""A graph of formulas as a program for the kernels: instructions in groups of equal kind (`kernels/program.py`)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kernels import functions as op
from ..kernels import layout as at
from ..kernels.called import MOST_ORDERS
from ..kernels.lagrange.layout import LAGRANGE_HEADER
from ..kernels.program import COS_SIN, MULTIPLY_ADD, MULTIPLY_FROM, MULTIPLY_SUB, PROGRAM_SIZE
from ..kernels.run import run
from .graph import Graph


@dataclass(frozen=True)
class Program:
    """Code, and the register of every node that was asked for."""

    code: list[int]  # groups (code, count, operands …); operands are places of registers
    register: dict[int, int]  # place of each result
    size: int  # registers that the program writes


@dataclass
class Task:
    """One instruction: its code, the nodes it reads, other operands, the nodes it writes."""

    code: int
    reads: tuple[int, ...]
    rest: tuple[int, ...]
    writes: tuple[int, ...]


def program(
    graph: Graph, results: Sequence[int], leaves: Mapping[int, int], first: int, numbers: Mapping[int, int] | None = None,
    fused: bool = True,
) -> Program:  # fmt: skip
    """Program that computes some nodes.

    `graph`, `results`: the graph, and the nodes wanted; `leaves`: places of inputs and constants; `first`: place of the first register that it may
    write; `numbers`: places in P of the numbers that are not among the leaves; `fused`: whether instructions may be put together: bounds are found
    without.
    """
    register = dict(leaves)
    code: list[int] = []
    place = first
    for kind, group in groups(graph, results, leaves, numbers or {}, fused):
        code += [kind, len(group)]
        for task in group:
            code += [*(register[node] for node in task.reads), *task.rest]
        for task in group:
            for node in task.writes:
                register[node] = place
                place += 1
    return Program(code, {node: register[node] for node in results}, place - first)


def groups(
    graph: Graph, results: Sequence[int], leaves: Collection[int], numbers: Mapping[int, int], fused: bool = True
) -> Iterator[tuple[int, list[Task]]]:
    """Instructions in groups of equal kind, in an order in which they can run."""
    tasks = _tasks(graph, results, leaves, numbers, fused)
    known = set(leaves)
    waiting: dict[int, list[int]] = defaultdict(list)  # node -> tasks that read it
    missing = [0] * len(tasks)
    ready: dict[int, list[int]] = defaultdict(list)
    for k, task in enumerate(tasks):
        for node in set(task.reads):
            if node not in known:
                missing[k] += 1
                waiting[node].append(k)
        if missing[k] == 0:
            ready[task.code].append(k)
    while ready:
        # the largest group that can run now
        kind = max(ready, key=lambda c: (len(ready[c]), -c))
        group = [tasks[k] for k in ready.pop(kind)]
        yield kind, group
        for node in (node for task in group for node in task.writes):
            for reader in waiting.pop(node, ()):
                missing[reader] -= 1
                if missing[reader] == 0:
                    ready[tasks[reader].code].append(reader)


class Evaluation:
    """Values of some nodes of a graph at values of inputs, by the kernel that runs programs, which needs no compilation of its own.

    `graph`, `nodes`: the graph, and the nodes wanted.  `inputs`: nodes of the inputs that are given; default: all, in the order of the graph.  `I`:
    integers of a system whose tables the nodes read, which then gives its P as well; default: the tables of the graph.
    """

    def __init__(
        self, graph: Graph, nodes: Sequence[int], inputs: Sequence[int] | None = None, I: np.ndarray | None = None  # noqa: E741
    ) -> None:  # fmt: skip
        known = {k: graph.numbers.get(k, graph.value(k)) for k in graph.needed(nodes)}
        given = [k for k in graph.input.values() if k not in graph.numbers] if inputs is None else inputs
        constants = [k for k, number in known.items() if number is not None and k not in set(given)]
        leaves = {node: place for place, node in enumerate([*given, *constants])}
        made = program(graph, nodes, leaves, len(leaves))
        self._functions = graph.functions  # live as long as the code that calls them by their numbers
        memory = np.zeros(len(leaves) + made.size + 2)
        memory[len(given) : len(leaves)] = [known[k] for k in constants]
        table, tables = ([*I], np.zeros(0)) if I is not None else graph_tables(graph, [0] * LAGRANGE_HEADER)
        self._set(table, tables, made.code, memory, len(leaves), [made.register[node] for node in nodes])

    @classmethod
    def of_code(
        cls, I: np.ndarray, code: np.ndarray, memory: np.ndarray, out: int, registers: np.ndarray
    ) -> Evaluation:  # noqa: E741
        """Code that was put together elsewhere: integers of its system, memory with its constants, first register that it writes, and the results."""
        made = cls.__new__(cls)
        made._set(I, np.zeros(0), code, memory, out, registers)
        return made

    def _set(self, table: Any, tables: np.ndarray, code: Any, memory: np.ndarray, out: int, registers: Any) -> None:
        self._run, self._tables, self._memory, self._first, self._out = run, tables, memory, len(table), out
        self._code = np.concatenate([np.asarray(table, dtype=np.int64), np.asarray(code, dtype=np.int64)])
        self._at = np.asarray(registers, dtype=np.int64)

    def __call__(self, inputs: np.ndarray, P: np.ndarray | None = None) -> np.ndarray:
        """Values in the order of the nodes."""
        memory = self._memory.copy()
        memory[: len(inputs)] = inputs
        self._run(self._code, self._tables if P is None else P, memory, self._first, self._out)
        return memory[self._at]

    def for_loop(self) -> tuple[np.ndarray, np.ndarray, int, int, np.ndarray]:
        """Integers, memory of its own, first place of the code, first register that it writes, registers of the nodes: for kernels that run it."""
        return self._code, self._memory.copy(), self._first, self._out, self._at


def graph_tables(graph: Graph, table: list[int], start: int = 0) -> tuple[list[int], np.ndarray]:
    """Tables of a graph behind the integers of a header, which is told where they are; and their numbers, which begin at `start` of P."""
    first, knots, coefficients = spline_tables(graph)
    table[at.SPLINE_FIRST] = len(table)
    table += first
    table[at.SPLINE_LAST] = len(table)
    table[at.SPLINE_KNOTS], table[at.SPLINE_COEFFICIENTS] = start, start + len(knots)
    table[at.SPLINE_END] = start + len(knots) + len(coefficients)
    return table, np.array([*knots, *coefficients], dtype=float)


def spline_tables(graph: Graph) -> tuple[list[int], list[float], list[float]]:
    """First knot of each table and the end, all knots, all coefficients."""
    first = [int(x) for x in np.cumsum([0, *(len(spline.x) for spline in graph.splines)])]
    knots = [x for spline in graph.splines for x in spline.x]
    return first, knots, [c for spline in graph.splines for row in spline.coefficients for c in row]


def program_records(
    programs: Sequence[Program], out: int, results: Sequence[Sequence[tuple[int, int]]], start: int
) -> list[int]:
    """Records of programs, followed by their code and results, to stand from place `start` of I on.

    `programs`, `out`: the programs, and the first register of all; `results`: for each the nodes wanted, with their places in F.
    """
    table = [0] * (PROGRAM_SIZE * len(programs))
    for k, (made, wanted) in enumerate(zip(programs, results)):
        first = start + len(table)
        table += made.code
        last = start + len(table)
        table += [x for node, place in wanted for x in (made.register[node], place)]
        table[PROGRAM_SIZE * k : PROGRAM_SIZE * (k + 1)] = [first, last, out, last, start + len(table)]
    return table


def _tasks(
    graph: Graph, results: Sequence[int], leaves: Collection[int], numbers: Mapping[int, int], fused: bool
) -> list[Task]:
    """Instructions of all nodes needed: products that are added once are fused, cosine and sine of one angle computed together."""
    order = graph.needed(results, leaves)
    rows = graph.rows
    uses = Counter(a for node in order if node not in leaves for a in graph.arguments(node))
    uses.update(results)
    inside: set[int] = set()  # products that become part of a sum
    tasks: list[Task] = []
    angles: dict[int, dict[int, int]] = defaultdict(dict)
    for node in order if fused else ():
        if rows[node][0] in (op.SIN, op.COS):
            angles[rows[node][1]][rows[node][0]] = node
    for node in reversed(order):
        code, a, b, c = rows[node]
        if node in leaves or node in inside:
            continue
        if code in (op.CONST, op.INPUT):
            tasks.append(Task(op.CONST, (), (numbers[node],), (node,)))
            continue
        if fused and code in (op.ADD, op.SUB):
            factor = next((x for x in (a, b) if rows[x][0] == op.MUL and uses[x] == 1 and x not in inside), None)
            if factor is not None:
                inside.add(factor)
                other = b if factor == a else a
                kind = MULTIPLY_ADD if code == op.ADD else MULTIPLY_SUB if factor == a else MULTIPLY_FROM
                tasks.append(Task(kind, (rows[factor][1], rows[factor][2], other), (), (node,)))
                continue
        if code in (op.SIN, op.COS) and len(angles[a]) == 2:
            if code == op.COS:  # once for both
                tasks.append(Task(COS_SIN, (a,), (), (node, angles[a][op.SIN])))
            continue
        if code == op.CALL:
            one, orders, read = graph.calls[a]
            places = [order + 1 for order in orders] + [0] * (MOST_ORDERS - len(orders))
            tasks.append(Task(op.CALL + len(read), read, (graph.functions[one].number, *places), (node,)))
            continue
        rest = (b,) if code == op.POWI else (b, c) if code == op.SPLINE else ()
        tasks.append(Task(code, graph.arguments(node), rest, (node,)))
    tasks.reverse()
    return tasks
