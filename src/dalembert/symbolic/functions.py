"""The matrices of the equations of motion as nodes of one graph: what code is written from and SymPy objects are made of.

M a + J^T lam = f,     J v = nu,     J a = gamma,     phi = 0
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..model.expression.called import no_formula
from ..model.expression.derivative import ZERO
from ..model.expression.sympy_bridge import exact_number, sympy_functions
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.vectors import Rates
from ..system.graph import NAMES, Graph, op
from ..system.lagrange import check_names, derive
from . import sp
from .symbols import spline_function


def as_written(model: Lagrangian) -> Lagrangian:
    """The system with the rows that are at work at its start; inputs are parameters, since nothing in the equations moves them."""
    made = model.varied(model.situation) if model.situation.absent else model
    inputs = [name for name, rate in made.states.items() if rate == ZERO]
    if not inputs:
        return made
    made = made.as_it_is()
    for name in inputs:
        made._parameters[name] = made._starts.pop(name).value or 0.0
        del made._states[name], made.nonholonomic[f"rate of {name}"]
    made.q = tuple(name for name in made.q if name not in inputs)
    made._rates = Rates(made.q)
    return made


# what can be asked for, in words
WHAT = {
    "M": "mass matrix",
    "f": "forces: right side of M a + J^T lam = f",
    "phi": "residuals of the holonomic rows (0 for rows on velocities only)",
    "J": "matrix of the rows",
    "nu": "right side of J v = nu",
    "gamma": "right side of J a = gamma",
}


@dataclass(frozen=True)
class Result:
    """A vector or matrix: nodes row by row."""

    shape: tuple[int, ...]
    nodes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Functions:
    """Functions of (t, q, v) and parameters."""

    name: str  # name, form: name of the model, and in which coordinates
    form: str
    graph: Graph  # all formulas; its inputs are parameters, t, q and v in this order
    parameters: dict[str, float]  # values by name
    q: tuple[str, ...]  # q, v, rows: names
    v: tuple[str, ...]
    rows: tuple[str, ...]
    results: dict[str, Result]  # M, f, phi, J, nu, gamma
    notes: tuple[str, ...] = ()  # what a reader must know


def column(nodes: Iterable[int]) -> Result:
    """Vector of nodes."""
    found = tuple(nodes)
    return Result((len(found),), found)


def table(rows: list[list[int]], width: int) -> Result:
    """Matrix of nodes."""
    return Result((len(rows), width), tuple(x for row in rows for x in row))


def lagrangian_functions(model: Lagrangian, asked: str, form: str = "") -> Functions:
    """Functions of a Lagrangian system, in its coordinates and their rates."""
    model = as_written(model)
    check_names(model, asked)
    rates = [f"rate({x})" for x in model.q]
    graph = Graph([*model.parameters, "t", *model.q, *rates])
    nodes = derive(model, graph, asked)
    n, zero = len(model.q), graph.zero
    mass = [[nodes.mass[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    # the part of a row without rates: its derivative by time, or the row at rest
    clock = {graph.input["t"]: graph.one}
    nu = [graph.neg(x) for x in graph.forward(nodes.phi, clock)]
    still = dict.fromkeys(rates, 0.0)
    nu += [graph.neg(graph.add_expression(row.substitute(still).simplify())) for row in model.nonholonomic.values()]
    results = {
        "M": table(mass, n),
        "f": column(nodes.force),
        "phi": column([*nodes.phi, *[zero] * len(model.nonholonomic)]),
        "J": table(nodes.jac, n),
        "nu": column(nu),
        "gamma": column(nodes.gamma),
    }
    rows = (*model.holonomic, *model.nonholonomic)
    return Functions(model.name, form, graph, model.parameters, model.q, tuple(rates), rows, results)


def written_size(functions: Functions) -> int:
    """Number of operations when everything is written out, without sharing: what SymPy and readers have to deal with."""
    graph = functions.graph
    size: dict[int, int] = {}
    wanted = [x for result in functions.results.values() for x in result.nodes]
    for node in graph.needed(wanted):
        size[node] = 1 + sum(size[a] for a in graph.arguments(node))
    return sum(size[x] for x in wanted)


# -- SymPy -----------------------------------------------------------------------------------------------------------------


def symbols_of(functions: Functions) -> dict[str, Any]:
    """Symbols by input: x' for rate(x), all real; parameters, coordinates and time under their names."""
    return {
        name: sp.Symbol(f"{name[5:-1]}'" if name.startswith("rate(") else name, real=True)
        for name in functions.graph.inputs
    }


def matrices(functions: Functions, what: Iterable[str]) -> dict[str, Any]:
    """Results as SymPy matrices, vectors as columns; nothing is simplified."""
    wanted = list(what)
    nodes = sympy_nodes(functions.graph, [x for w in wanted for x in functions.results[w].nodes], symbols_of(functions))
    found = {}
    for name in wanted:
        result = functions.results[name]
        rows, columns = result.shape if len(result.shape) == 2 else (result.shape[0], 1)
        found[name] = sp.Matrix(rows, columns, [nodes[x] for x in result.nodes])
    return found


def sympy_nodes(graph: Graph, nodes: Iterable[int], symbols: dict[str, Any]) -> dict[int, Any]:
    """SymPy objects of nodes and of all that they need."""
    functions = sympy_functions()
    made: dict[int, Any] = {}
    for node in graph.needed(nodes):
        code, a, b, c = graph.rows[node]
        if code == op.CONST:
            made[node] = exact_number(graph.constants[a])
        elif code == op.INPUT:
            made[node] = symbols[graph.inputs[a]]
        elif code == op.CALL:
            raise no_formula(graph.laws[graph.calls[a][0]].asked)
        elif code == op.SPLINE:
            made[node] = spline_function(graph.splines[b].name, c)(made[a])
        elif code == op.POWI:
            made[node] = made[a] ** b
        else:
            made[node] = functions[NAMES[code]](*(made[x] for x in graph.arguments(node)))
    return made
