"""Blows on a Lagrangian system: generalized impulses, impulses at parts, restitution (LAGRANGE 1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import MethodError, ModelError, ResidualError, nearest, shown
from ...kernels.outputs import TERMS
from ...model.expression import as_expression
from ...model.lagrangian import Lagrangian
from ...model.lagrangian.parts import Load, RigidBody
from ...model.lagrangian.vectors import ZERO, Vector, applied, plus
from ...model.reading import listed
from ...results.coordinate_guard import check_impulse
from ...state import State
from .impulse import Blow, caught
from .point import Point
from .start import point_of


def strike_of(
    model: Lagrangian, impulse: Any, couple: Any, restitution: Any, state: Any, velocities: str, asked: str
) -> Blow:
    """Velocities after a blow; arguments as in `strike`, with coordinates beside parts."""
    given_any = any(
        len(_mapping(asked, name, x))
        for name, x in (("impulse", impulse), ("couple", couple), ("restitution", restitution))
    )
    if not given_any and velocities == "error":
        found = "neither impulse, couple nor restitution"
        raise MethodError(asked, found, "nothing strikes", "give impulse={'theta': 1.0}, couple= or restitution=")
    point = point_of(model, state, asked, consistent=velocities == "error")
    given = dict.fromkeys(model.q, 0.0)
    for key, value in _mapping(asked, "impulse", impulse).items():
        for name, force in _generalized(model, point, key, value, asked).items():
            given[name] += force
    for key, value in _mapping(asked, "couple", couple).items():
        part = model.parts.get(key)
        if not isinstance(part, RigidBody):
            raise ModelError(f"{asked}: couple", shown(key), "it is no body", nearest(key, model.parts))
        vector = _vector(value if listed(value) is not None else (0.0, 0.0, value), asked)
        for name, force in _values(
            Load("", key, vector, None, applied(part.rotation, part.spin)), model, point
        ).items():
            given[name] += force
    blow = caught(point, {name: x for name, x in given.items() if x != 0.0})
    thrown = _mapping(asked, "restitution", restitution)
    return _thrown_back(point, blow, thrown, asked) if thrown else blow


def _mapping(asked: str, what: str, x: Any) -> dict[Any, Any]:
    if x is None:
        return {}
    if isinstance(x, tuple) and len(x) == 2 and not isinstance(x[0], tuple | list | dict | set):
        return {x[0]: x[1]}
    if not isinstance(x, Mapping):
        raise MethodError(
            asked, f"{what} = {shown(x)}", "names with values are needed", f"give {what}={{'theta': 1.0}}"
        )
    return dict(x)


def _vector(x: Any, asked: str) -> Vector:
    items = listed(x)
    if items is None or len(items) not in (2, 3):
        raise MethodError(
            asked, f"impulse {shown(x)}", "two or three components are needed", "give for example (0, 1.5)"
        )
    made = [as_expression(item, asked=asked) for item in items]
    return made[0], made[1], made[2] if len(made) == 3 else ZERO


def _generalized(model: Lagrangian, point: Point, key: Any, value: Any, asked: str) -> dict[str, float]:
    """Generalized impulse of one entry: on a coordinate, on a part, or at a point of a body."""
    if key in model.q:
        return {key: as_expression(value, asked=asked).evaluate(model.parameters)}
    part = model.parts.get(key)
    if part is None:
        known = [*model.q, *model.parts]
        raise ModelError(f"{asked}: impulse", shown(key), "it is neither a coordinate nor a part", nearest(key, known))
    position, items = part.position, listed(value) or []
    if len(items) == 2 and listed(items[0]) is not None:
        if not isinstance(part, RigidBody):
            raise ModelError(
                f"{asked}: impulse on {key!r}", shown(value), "a particle has no points", "give the impulse alone"
            )
        arm = applied(part.rotation, _vector(items[1], asked))
        position = plus(position[0], arm[0]), plus(position[1], arm[1]), plus(position[2], arm[2])
        value = items[0]
    return _values(Load("", key, _vector(value, asked), position, None), model, point)


def _values(load: Load, model: Lagrangian, point: Point) -> dict[str, float]:
    names = dict(zip(model.q, point.q)) | {f"rate({x})": v for x, v in zip(model.q, point.v)} | model.parameters
    return {name: force.evaluate({**names, "t": point.t}) for name, force in load.generalized(model.q).items()}


def _thrown_back(point: Point, blow: Blow, thrown: dict[Any, Any], asked: str) -> Blow:
    """Impulses along measures, so that each rate after is -e times that before."""
    system, model = point.system, point.system.model
    rows, coefficients = [], []
    for key, e in thrown.items():
        number = as_expression(e, asked=asked).evaluate(model.parameters)
        if not 0.0 <= number <= 1.0:
            raise MethodError(
                asked, f"restitution {number:g} of {shown(key)}", "it lies between 0 and 1", "give for example 0.8"
            )
        node = system.graph.add_expression(as_expression(key, [*system.graph.input], asked=asked))
        rows.append(system.function(system.graph.reverse(node, list(model.q)))(point.t, point.q, point.v))
        coefficients.append(number)
    jac, kept, mass, n = point.jac, ~point.dropped, point.mass, system.n
    m = int(kept.sum())
    matrix = np.zeros((n + m, n + m))
    matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = mass, jac[kept].T, jac[kept]
    r = np.array(rows)
    answers = np.linalg.solve(matrix, np.vstack([r.T, np.zeros((m, len(r)))]))
    # R (v+ + W p) = -e R v-
    mobility = r @ answers[:n]
    if np.linalg.matrix_rank(mobility) < len(r):
        raise MethodError(
            asked,
            f"the measures {', '.join(map(str, thrown))}",
            "they depend on each other or cannot move",
            "leave one out",
        )
    sizes = np.linalg.solve(mobility, -np.array(coefficients) * (r @ blow.before.v) - r @ blow.after.v)
    after = State(point.t, point.q.copy(), blow.after.v + answers[:n] @ sizes)
    impulse = dict(blow.impulse)
    for name, extra in zip(np.array(system.row_names)[kept], answers[n:] @ sizes):
        impulse[str(name)] += float(extra)
    lam = np.array([impulse[name] for name in system.row_names])
    push = np.array([blow.generalized.get(name, 0.0) for name in model.q]) + r.T @ sizes
    check_impulse(point, mass, push, after.v - point.v, lam, asked)
    off = np.abs(r @ after.v + np.array(coefficients) * (r @ blow.before.v))
    terms = np.abs(r) @ (np.abs(after.v) + np.abs(blow.before.v))
    if not np.all(off <= TERMS * terms):
        k = int(np.argmax(np.where(off <= TERMS * terms, 0.0, off)))
        raise ResidualError(
            asked,
            f"the rate of {list(thrown)[k]} after the blow is off by {off[k]:.3g} of {terms[k]:.3g}",
            "the impulses along the measures do not throw them back as asked: the answer would be wrong",
            "leave out measures that nearly depend on each other",
        )
    impulse |= {str(key): float(x) for key, x in zip(thrown, sizes)}
    change = 0.5 * (after.v @ mass @ after.v - blow.before.v @ mass @ blow.before.v)
    return Blow(blow.before, after, impulse, blow.generalized, float(change), model.q)
