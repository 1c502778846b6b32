"""Derivatives of the equations of a model as a program that the time loop runs, for implicit methods.

    right   d(M a + J^T lam - Q), dz'        by displacements, velocities, auxiliary states;  a and lam held
    jac     J of all rows, and what displacements do to their rates (for laws in Python)
    mass    M; of mechanisms constant

`parts` is one array: mass, jac, the rates of jac by displacements, right.  The loop gives the inputs and solves (`solve/stepping/linear.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...kernels import layout as at
from ..lagrange import LagrangeSystem
from ..newton_pattern import NewtonPattern, newton_pattern
from ..program import Evaluation
from ..rows import mass_blocks
from ..system import System
from .derivatives import tangents

# arrays of the model by the numbers that the loop knows them by
ARRAYS = {"t": 0, "q": 1, "v": 2, "P": 3, "F": 4, "a": 5, "lam": 6}
_BY = ("q", "v", "z")
# operations of the derivatives of a Lagrangian system beyond which differences are cheaper
LARGEST = 200_000


@dataclass(frozen=True)
class Slopes:
    """A program of derivatives: its code, its memory, where inputs come from and where results go."""

    code: np.ndarray
    registers: np.ndarray
    places: np.ndarray
    inputs: np.ndarray
    results: np.ndarray
    parts: np.ndarray
    called: np.ndarray
    terms: np.ndarray = field(default_factory=lambda: np.zeros((0, 4), dtype=np.int64))
    # row of each term that its law acts on, -1 where it depends on another one
    own: list[int] = field(default_factory=list)
    pattern: NewtonPattern | None = None  # of the sparse system, where there are many bodies


# velocities above which Newton's method is sparse
MANY = 90


def slopes_of(system: System | LagrangeSystem, exact: bool = False) -> Slopes | None:
    """Derivatives of a model: of a mechanism those of its laws, or with `exact` of all its forces; None where they are too long."""
    if isinstance(system, LagrangeSystem):
        return _of_coordinates(system)
    if system.nv <= MANY:
        return _of_bodies(system) if exact else _by_laws(system)
    if exact:
        return None
    made = _by_laws(system, dense=False)
    soft = sorted({r for r in made.own if r >= 0})
    return replace(made, pattern=newton_pattern(system, soft))


def _by_laws(system: System, dense: bool = True) -> Slopes:
    """Slopes of the laws alone: a program of the derivatives of those that are expressions."""
    numbering, nv = system.numbering, system.nv
    I, graph = numbering.I, numbering.formulas  # noqa: E741
    rows, nz = int(I[at.N_ROWS]), int(I[at.N_STATES])
    every = rows + int(I[at.N_FREE])
    laws = I[I[at.LAW] :][: at.LAW_RECORD * int(I[at.N_LAWS])].reshape(-1, at.LAW_RECORD)
    terms: list[tuple[int, int, int, int]] = []
    nodes: list[int] = []

    def number(node: int) -> int:
        if node == graph.zero:
            return -1
        nodes.append(node)
        return len(nodes) - 1

    for n, law in enumerate(laws):
        if n not in numbering.laws:
            terms.append((n, int(law[1]), -1, -1))
            continue
        node = numbering.laws[n]
        keys = [key for key, k in graph.input.items() if k in set(graph.needed([node])) and key[0] in ("value", "rate")]
        found = dict(zip(keys, graph.reverse(node, keys)))
        for r in dict.fromkeys(r for _, r in keys):
            terms.append((n, r, *(number(found.get((kind, r), graph.zero)) for kind in ("value", "rate"))))
    needed = set(graph.needed(nodes))
    used = [(k, key) for key, k in graph.input.items() if k in needed and k not in numbering.numbers]
    given = [(k, (ARRAYS["F"], numbering.places[key[0]][0] + key[1])) for k, key in used]
    given += [(k, (ARRAYS["P"], place)) for k, place in numbering.numbers.items() if k in needed]
    values = Evaluation(graph, nodes, [k for k, _ in given], I)
    parts = np.zeros(0)
    if dense:
        parts = np.zeros(nv * nv + 2 * every * nv + (nv + nz) * (2 * nv + nz))
        parts[: nv * nv] = _mass(system).ravel()
    called = [(k, int(law[1])) for k, law in enumerate(laws) if law[0] == at.LAW_CALL]
    # rates of states are no forces
    own = [r if n >= nz and r == laws[n, 1] else -1 for n, r, *_ in terms]
    made = _made(values, [place for _, place in given], [], parts, called)
    registers = values.for_loop()[4]
    placed = [(n, r, *(int(registers[k]) if k >= 0 else -1 for k in pair)) for n, r, *pair in terms]
    return replace(made, terms=np.array(placed, dtype=np.int64).reshape(-1, 4), own=own)


def _made(
    values: Evaluation, inputs: Sequence[tuple[int, int]], results: list[tuple[int, int]], parts: np.ndarray, called: list[tuple[int, int]]
) -> Slopes:  # fmt: skip
    code, memory, first, out, registers = values.for_loop()
    placed = [(int(registers[number]), where) for number, where in results]
    return Slopes(
        code, memory, np.array([first, out]), np.array(inputs, dtype=np.int64).reshape(-1, 2), np.array(placed, dtype=np.int64).reshape(-1, 2),
        parts, np.array(called, dtype=np.int64).reshape(-1, 2),
    )  # fmt: skip


def _of_bodies(system: System) -> Slopes:
    numbering, nv = system.numbering, system.nv
    I = numbering.I  # noqa: E741
    rows, nz = int(I[at.N_ROWS]), int(I[at.N_STATES])
    every, wide = rows + int(I[at.N_FREE]), 2 * nv + nz
    laws = I[I[at.LAW] :][: at.LAW_RECORD * int(I[at.N_LAWS])].reshape(-1, at.LAW_RECORD)
    called = [(k, int(law[1])) for k, law in enumerate(laws) if law[0] == at.LAW_CALL]
    wanted = [("rate", "v"), *((("rate", "q"),) if called else ())]
    wanted += [(what, by) for by in _BY[: 3 if nz else 2] for what in ("force", *(("state",) if nz else ()))]
    code = tangents(numbering).code(tuple(wanted))
    jac, moved, right = nv * nv, nv * nv + every * nv, nv * nv + 2 * every * nv
    parts = np.zeros(right + (nv + nz) * wide)
    parts[: nv * nv] = _mass(system).ravel()
    results: list[tuple[int, int]] = []
    for (what, by), (_, at_row, at_column, numbers) in zip(wanted, code.parts):
        for r, c, number in zip(at_row, at_column, numbers):
            if what == "rate":
                results.append((int(number), (jac if by == "v" else moved) + int(r) * nv + int(c)))
            else:
                row = int(r) + (nv if what == "state" else 0)
                results.append((int(number), right + row * wide + _BY.index(by) * nv + int(c)))
    inputs = [(0, 0)] * code.size
    for name, (to, place) in code.inputs.items():
        for k, p in zip(to, place):
            inputs[int(k)] = (ARRAYS[name], int(p))
    return _made(code.values, inputs, results, parts, called)


def _mass(system: System) -> np.ndarray:
    """M of all bodies, constant in (r', omega')."""
    found, width = np.zeros((system.nv, system.nv)), system.builder.width
    for k, block in enumerate(mass_blocks(system)):
        found[width * k : width * (k + 1), width * k : width * (k + 1)] = block
    return found


def _of_coordinates(system: LagrangeSystem) -> Slopes | None:
    graph, nodes, n, m = system.graph, system.nodes, system.n, system.n_rows
    a, lam = ([graph.named((name, k)) for k in range(size)] for name, size in (("a", n), ("lam", m)))
    mass = [[nodes.mass[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]

    def dot(x: Sequence[int], y: Sequence[int]) -> int:
        total = graph.zero
        for one, other in zip(x, y):
            total = graph.add(total, graph.mul(one, other))
        return total

    columns = [[row[i] for row in nodes.jac] for i in range(n)]
    force = [graph.sub(graph.add(dot(mass[i], a), dot(columns[i], lam)), nodes.force[i]) for i in range(n)]
    jac, right = n * n, n * n + 2 * m * n
    entries = {i * n + j: mass[i][j] for i in range(n) for j in range(n)}
    entries |= {jac + r * n + j: nodes.jac[r][j] for r in range(m) for j in range(n)}
    names = [*system.model.q, *(f"rate({x})" for x in system.model.q)]
    start = len(graph.rows)
    for column, found in enumerate(graph.jacobian(force, [{graph.input[x]: graph.one} for x in names])):
        entries |= {right + row * 2 * n + column: node for row, node in found.items()}
        if len(graph.rows) - start > LARGEST:
            return None
    entries = {where: node for where, node in entries.items() if node != graph.zero}
    results = list(dict.fromkeys(entries.values()))
    inside = set(graph.needed(results, system.sides))
    known = {name: ("F", k) for k, name in enumerate(system.model.parameters)} | {"t": ("t", 0)}
    known |= {x: ("q", k) for k, x in enumerate(system.model.q)}
    known |= {f"rate({x})": ("v", k) for k, x in enumerate(system.model.q)}
    used = [(node, known.get(name, name)) for name, node in graph.input.items() if node in inside]
    used += [(node, ("F", place)) for node, place in system.sides.items() if node in inside]
    values = Evaluation(graph, results, [node for node, _ in used], system.I)
    number = {node: k for k, node in enumerate(results)}
    inputs = [(ARRAYS[str(name)], int(place)) for _, (name, place) in used]
    parts = np.zeros(right + n * 2 * n)
    return _made(values, inputs, [(number[node], where) for where, node in entries.items()], parts, [])
