"""Equations of motion of a mechanism in absolute coordinates, with the velocities that mechanics uses.

q      mass centres and angles in the plane; mass centres and Euler parameters in space
v      their rates in the plane; in space r' and the angular velocity w in body axes, with p' = G^T w / 2

M is constant, M a + J^T lam = f with f the weights, the force laws and -w x J' w.  Rows, velocities and signs are those of the compiled
system, so the two can be compared entry by entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...model.body import Body
from ...model.expression import Expr, Name, Number
from ...model.expression.derivative import ZERO, negative, plus, times
from ...model.lagrangian.vectors import Vector, applied, cross, dot, product
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...system.graph import Graph
from ..functions import Functions, column, table
from .convert import ABSOLUTE, Coordinates, coordinates, g_matrix, held_rows
from .drawing import expression, skew
from .measures import Key, Loaded, Measures, loaded, wrapped

_AXES = "xyz"


@dataclass(frozen=True, eq=False)
class Written:
    """Functions of a mechanism in absolute coordinates."""

    functions: Functions  # M, f, phi, J, nu, gamma; further `law` and `law_rows`, value and row of every force law
    q_at: np.ndarray  # q_at, v_at: places of the coordinates and velocities in those of the compiled system
    v_at: np.ndarray
    parts: tuple[str, ...]  # joint or driver of every row
    remarks: tuple[str, ...]  # what a reader must know
    coordinates: Coordinates  # the coordinates, and the bodies as expressions of them
    laws: tuple[Loaded, ...]  # of `law` and `law_rows`


def written(model: Mechanism) -> Written:
    """Equations of a mechanism in absolute coordinates."""
    made = coordinates(model, ABSOLUTE)
    remarks: list[str] = []

    def counted(measure: Measure, key: Key, y: Expr, x: Expr) -> Expr:
        # the angle as drawn, without an offset of its own
        drawn = made.drawing.numbers.offset(replace(measure, offset="drawn"))
        remarks.append(f"{measure.name!r} is taken within half a turn of its drawn value {drawn:.6g} rad")
        around = Number(round(drawn, 6))
        return plus(around, wrapped(y, x, around))

    v, kinematics, spins = _velocities(made)
    for key, spin in spins.items():
        made.poses[key] = replace(made.poses[key], spin=spin)
    measures = Measures(made.drawing, made.poses, made.rates, counted)
    rows = held_rows(made, measures, exact=False)
    laws = [law for force in model.at_work("force") for law in loaded(measures, force)]
    inputs = {state.name: model.value(state.start) for state in model.parts("state") if state.is_input}
    parameters = {**model.parameters, **inputs}
    graph = Graph([*parameters, "t", *made.names, *v])
    for name, rate in kinematics.items():
        if name not in graph.input:
            graph.input[name] = graph.add_expression(rate)
    flow = {graph.input[x]: graph.input[f"rate({x})"] for x in made.names} | {graph.input["t"]: graph.one}
    # A' = A w~ is shorter than the rate of every Euler parameter
    for key, spin in spins.items():
        rotation = made.poses[key].rotation
        for entries, rates in zip(rotation, product(rotation, skew(spin))):
            for x, rate in zip(entries, rates):
                flow[graph.add_expression(x)] = graph.add_expression(rate)
    zero = graph.zero
    phi = [zero if row.value is None else graph.add_expression(row.value) for row in rows]
    w = graph.forward(phi, flow)
    nu = [graph.neg(x) for x in graph.forward(phi, {graph.input["t"]: graph.one})]
    still: dict[str, Expr | float] = dict.fromkeys([*(f"rate({x})" for x in made.names), *v], 0.0)
    for k, row in enumerate(rows):
        if row.rate is not None:
            w[k] = graph.add_expression(row.rate)
            nu[k] = graph.neg(graph.add_expression(row.rate.substitute(still).simplify()))
    jac = [graph.reverse(x, v) for x in w]
    gamma = [graph.neg(x) for x in graph.forward(w, flow)]
    mass, own = _bodies(made, graph, spins)
    force = list(own)
    law_rows = []
    for law in laws:
        lever = graph.reverse(graph.add_expression(law.rate), v)
        law_rows.append(lever)
        f = graph.add_expression(law.force)
        force = [graph.sub(total, graph.mul(f, x)) for total, x in zip(force, lever)]
    results = {
        "M": table(mass, len(v)), "f": column(force), "phi": column(phi), "J": table(jac, len(v)), "nu": column(nu),
        "gamma": column(gamma), "law": column([graph.add_expression(law.force) for law in laws]),
        "law_rows": table(law_rows, len(v)),
    }  # fmt: skip
    names = tuple(row.label for row in rows)
    functions = Functions(model.name, ABSOLUTE, graph, parameters, tuple(made.names), tuple(v), names, results)
    return Written(
        functions, *_places(model), tuple(row.part for row in rows), tuple(dict.fromkeys(remarks)), made, tuple(laws)
    )


def _velocities(made: Coordinates) -> tuple[list[str], dict[str, Expr], dict[Body, Vector]]:
    """Names of the velocities, the rates of the coordinates in terms of them, and the angular velocities of bodies in space."""
    if made.model.plane:
        return [f"rate({x})" for x in made.names], {}, {}
    names: list[str] = []
    rates: dict[str, Expr] = {}
    spins: dict[Body, Vector] = {}
    q = iter(made.names)
    for body in made.model.bodies:
        names += [f"rate({next(q)})" for _ in range(3)]
        if body.particle:
            continue
        spin = [made.new(f"w{axis}", body.name) for axis in _AXES]
        names += spin
        spins[body] = Name(spin[0]), Name(spin[1]), Name(spin[2])
        p = [next(q) for _ in range(4)]
        for name, factors in zip(p, zip(*g_matrix([Name(x) for x in p]))):
            rates[f"rate({name})"] = times(Number(0.5), dot(factors, spins[body]))
    return names, rates, spins


def _bodies(made: Coordinates, graph: Graph, spins: dict[Body, Vector]) -> tuple[list[list[int]], list[int]]:
    """Mass matrix; weights and gyroscopic moments."""
    model = made.model
    linear = 2 if model.plane else 3
    g = [expression(x) for x in model.gravity]
    blocks: list[Sequence[Sequence[Expr]]] = []
    own: list[Expr] = []
    for body in model.bodies:
        matter = made.drawing.poses[body].matter
        blocks += [[[matter.mass]]] * linear
        own += [times(matter.mass, x) for x in g[:linear]]
        if model.plane and not body.particle:
            blocks.append([[matter.inertia[2][2]]])
            own.append(ZERO)
        elif not body.particle:
            blocks.append(matter.inertia)
            own += [negative(x) for x in cross(spins[body], applied(matter.inertia, spins[body]))]
    mass = [[graph.zero] * len(own) for _ in own]
    o = 0
    for block in blocks:
        for row, entries in zip(mass[o:], block):
            row[o : o + len(block)] = [graph.add_expression(x) for x in entries]
        o += len(block)
    return mass, [graph.add_expression(x) for x in own]


def _places(model: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Places of coordinates and velocities in q and v of the compiled system, in which particles have rotations as well."""
    wide, width = (3, 3) if model.plane else (7, 6)
    linear = 2 if model.plane else 3
    q, v = (
        [k for b, body in enumerate(model.bodies) for k in range(n * b, n * b + (linear if body.particle else n))]
        for n in (wide, width)
    )
    return np.array(q, dtype=int), np.array(v, dtype=int)
