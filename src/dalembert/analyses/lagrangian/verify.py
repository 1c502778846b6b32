"""A Lagrangian system through independent formulations at random consistent states.

compiled programs     the graph, its exact derivatives and the compiled range-space solve, as `simulate` uses them
expression trees      M, f, rows and right-hand sides once more, by derivatives of the expressions themselves, in plain Python
saddle point, ...     accelerations and reactions from these, by the dense formulations that mechanisms are checked with
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...errors import DalembertError, MethodError, SingularError
from ...model.events import Shared
from ...model.expression.derivative import ZERO, derivative, minus, negative, plus
from ...model.lagrangian import Lagrangian
from ...model.lagrangian.vectors import Rates
from ..comparison.differences import Difference
from ..comparison.formulations import FORMULATIONS, finite, scaled
from ..dynamics.pressure import felt_rows, pressure_at
from ..dynamics.start import prepare
from ..events.grips import decide
from .point import Point

if TYPE_CHECKING:
    from ...system.lagrange import LagrangeSystem

COMPILED, TREES = "compiled programs", "expression trees"
# coordinates beyond which the trees of all derivatives take too long
LARGEST = 40


class Trees:
    """The equations of a system by derivatives of its expressions: the slow twin of `system.lagrange.derive`."""

    def __init__(self, model: Lagrangian) -> None:
        q = model.q
        rates = [f"rate({x})" for x in q]
        kinetic, potential, lost = model.kinetic, model.potential, model.dissipation
        momenta = [derivative(kinetic, r) for r in rates]
        self.model = model
        self.mass = [[derivative(p, r) for r in rates] for p in momenta]
        flow = Rates(q)  # rates of the coordinates count as constant
        self.force = []
        for x, rate, p in zip(q, rates, momenta):
            total = minus(derivative(kinetic, x), derivative(potential, x))
            total = minus(total, flow(p))
            self.force.append(plus(minus(total, derivative(lost, rate)), model.forces.get(x, ZERO)))
        rows = [flow(row) for row in model.holonomic.values()]
        self.jac = [[derivative(row, x) for x in q] for row in model.holonomic.values()]
        self.jac += [[derivative(row, r) for r in rates] for row in model.nonholonomic.values()]
        self.gamma = [negative(flow(row)) for row in (*rows, *model.nonholonomic.values())]

    def at(self, t: float, q: np.ndarray, v: np.ndarray) -> Any:
        """Arrays at a state."""
        values = dict(self.model.parameters) | {"t": t}
        for name, x, rate in zip(self.model.q, q, v):
            values[name], values[f"rate({name})"] = float(x), float(rate)
        number = lambda x: x.evaluate(values)  # noqa: E731
        n = len(q)
        return SimpleNamespace(
            M=np.array([[number(x) for x in row] for row in self.mass]),
            Q=np.array([number(x) for x in self.force]),
            jac=np.array([[number(x) for x in row] for row in self.jac]).reshape(-1, n),
            gamma=np.array([number(x) for x in self.gamma]),
        )


def compare(model: Lagrangian, states: int, seed: int, asked: str) -> tuple[list[Difference], list[str], int, float]:
    """Differences of all ways against the compiled one; the ways; states left out; rounding to be expected."""
    prepared = prepare(model.beginning(), 0.0, None, asked)
    system = cast("LagrangeSystem", prepared.system)
    if system.n > LARGEST:
        raise MethodError(
            asked,
            f"{system.n} coordinates",
            f"the trees of all derivatives take too long beyond {LARGEST}",
            "verify a smaller one",
        )
    trees, rng = None if model.frictions else Trees(model), np.random.default_rng(seed)
    differences: list[Difference] = []
    left_out, rounding = 0, 0.0
    for k in range(states):
        point: Any = Point(system, prepared.state.t, prepared.state.q, prepared.state.v, prepared.work)
        frictions: list[Any] = []
        reached = k == 0 or _displaced(point, rng, asked)
        if reached and model.frictions:
            try:
                point, ways = decide(point, asked)
                frictions = [(one, ways[one.name]) for one in model.frictions if one.name in ways]
            except DalembertError:
                if k == 0:
                    raise
                reached = False
        plain = (trees or Trees(_with_sizes(point))).at(point.t, point.q, point.v) if reached else None
        if k == 0 and not finite(plain):
            raise SingularError(
                asked,
                f"mass, force or rows without a finite value or slope at t = {point.t:g} s",
                "the equations of motion have no numbers there, so there is nothing to compare",
                "start from another place, or guard the expressions",
            )
        x = scaled(plain, np.ones(system.n)) if plain is not None and finite(plain) else None
        if x is None or not x.clear:
            left_out += 1
            continue
        a, lam = point.solve()
        rounding = max(rounding, x.rounding)
        differences += _causes(point, plain, k)
        for name, solve in FORMULATIONS.items():
            found = solve(x)
            differences += _effects(point, plain, a, lam, name, found, k)
            differences += [_of_friction(point, one, way, lam, found[1], name, k) for one, way in frictions]
    return differences, [COMPILED, TREES, *FORMULATIONS], left_out, rounding


def _with_sizes(point: Point) -> Lagrangian:
    """The system in its situation, with the sizes of friction that were found."""
    model = point.system.model
    return model.varied(model.situation, dict(zip(model.parameters, map(float, point.work.F))))


def _of_friction(
    point: Point, one: Any, way: int, lam: np.ndarray, other: np.ndarray, name: str, state: int
) -> Difference:
    """The size of a force that slips, and what holds beyond its limit, by the multipliers of a way."""
    value, rows = point.system.number, felt_rows(one, point.system)
    presses = pressure_at(one, point, other, rows, way)
    if isinstance(way, Shared):
        names, presses = list(point.system.model.parameters), abs(way) * presses
        size = abs(way) * (one.holding(value) if one.mu is None else point.work.F[names.index(one.size_name)])
        pair = float(size * point.measure(one.factor(way))[0]), one.holding(value) * presses
    elif way:
        names = list(point.system.model.parameters)
        size = one.kinetic(value) if one.mu is None else point.work.F[names.index(one.size_name)]
        size *= point.measure(one.factor(way))[0]
        pair = float(size), one.kinetic(value) * presses
    else:
        held = float(np.abs(other[point.system.rows_of(one.name)[0]]))
        pair = 0.0, max(0.0, held - one.holding(value) * presses)
    scale = max(abs(pair[0]), abs(pair[1]), _size(lam), 1e-300)
    return Difference.of(one.name, one.asked, "reaction", (COMPILED, name), pair, scale, "", state)


def _displaced(point: Point, rng: np.random.Generator, asked: str) -> bool:
    n = point.system.n
    point.q = point.q + 0.3 * rng.normal(size=n) * np.maximum(1.0, 0.3 * np.abs(point.q))
    point.v = rng.normal(size=n)
    point.t += float(rng.uniform(0.0, 1.0))
    if point.system.n_rows:
        if not point.onto() <= 1e-12:
            return False
        point.detect(asked)
        if not point.velocity_onto() <= 1e-9:
            return False
    return bool(np.isfinite(point.solve()[0]).all())


def _size(x: np.ndarray) -> float:
    return float(np.max(np.abs(x), initial=0.0))


def _causes(point: Point, plain: Any, state: int) -> list[Difference]:
    model, found = point.system.model, []
    coordinates, rows = list(model.q), list(point.system.row_names)
    # terms quadratic in the rates are of this size even where they cancel
    turning = _size(point.v) ** 2
    for what, kind, names, one, two, terms in (
        ("mass", "coordinate", coordinates, point.mass, plain.M, 0.0),
        ("force", "coordinate", coordinates, point.force, plain.Q, _size(plain.M) * turning),
        ("row", "row", rows, point.jac, plain.jac, 0.0),
        ("right-hand side", "row", rows, point.gamma, plain.gamma, _size(plain.jac) * turning),
    ):
        size = max(_size(two), terms, 1e-300)
        found += [
            Difference.of(name, f"{kind} {name!r}", what, (COMPILED, TREES), (x, y), size, "", state)
            for name, x, y in zip(names, one, two)
        ]
    return found


def _effects(
    point: Point, plain: Any, a: np.ndarray, lam: np.ndarray, way: str, other: tuple[np.ndarray, np.ndarray], state: int
) -> list[Difference]:
    found = []
    pairs = (("acceleration", a, other[0]), ("reaction", plain.jac.T @ lam, plain.jac.T @ other[1]))
    # M a and J^T lam are forces of one size; where the rows hold the system at rest, accelerations are differences of those without rows
    inertia, turning = np.diag(plain.M), _size(point.v) ** 2
    terms = max(_size(plain.Q), _size(plain.M @ a), _size(plain.M) * turning, 1e-300)
    free = _size(plain.Q[inertia > 0.0] / inertia[inertia > 0.0])
    for what, one, two in pairs:
        size = terms if what == "reaction" else max(_size(two), free, turning, 1e-300)
        found += [
            Difference.of(name, f"coordinate {name!r}", what, (COMPILED, way), (x, y), size, "", state)
            for name, x, y in zip(point.system.model.q, one, two)
        ]
    return found
