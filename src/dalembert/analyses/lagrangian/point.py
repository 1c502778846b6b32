"""A Lagrangian system at one state: M, f, rows and solution as dense arrays, and which rows depend on others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ...errors import SingularError
from ...kernels.operate import EVALUATE, ROWS
from ...model.expression import Expr
from ...results.coordinate_guard import NO_INERTIA
from ...state import State
from ...symbolic.checks import ROWS as SMOOTH
from ...symbolic.checks import check_rotations, check_smooth
from ...system.lagrange import LagrangeSystem, Work
from ...system.lagrange_watch import lagrange_watch
from ..dynamics.consistent import DISAGREEMENT, check_velocities, least_energy
from ..dynamics.dynamics import Dynamics
from ..dynamics.shock import Blow, Struck
from .derivatives import Derivatives
from .impulse import RowBlow
from .start import Conditions, assemble, free_columns, given_rates, unsatisfiable

# sine of the angle between a row and the span of the others, in the mass metric, below which it counts as dependent (as for mechanisms)
INDEPENDENT = 1e-5


class Point(Dynamics):
    """A Lagrangian system at (t, q, v)."""

    system: LagrangeSystem
    work: Work

    @property
    def mass(self) -> np.ndarray:
        """M(q, t), symmetric."""
        self.operate(EVALUATE)
        low = np.tril(self.work.M)
        return low + np.tril(low, -1).T

    @property
    def jac(self) -> np.ndarray:
        """J of all rows."""
        self.operate(ROWS)
        return self.work.J.copy()

    @property
    def gamma(self) -> np.ndarray:
        """Right-hand side of J a = gamma."""
        self.operate(EVALUATE)
        return self.work.gamma.copy()

    @property
    def force(self) -> np.ndarray:
        """F of M a + J^T lam = f."""
        self.operate(EVALUATE)
        return self.work.total.copy()

    @property
    def size(self) -> np.ndarray:
        """Largest entry of every row, 1 where there is none: divided by it, residuals are in units of the coordinates."""
        size = np.max(np.abs(self.jac), axis=1, initial=0.0)
        return np.where(size > 0.0, size, 1.0)

    def scales(self) -> None:
        """Measure residuals of rows in units of the coordinates here."""
        self._own()
        self.system.row_scales[:] = 1.0 / self.size

    def _own(self) -> None:
        """Take tables of one's own, unless those of a run are at hand: what was compiled is never written."""
        if not self.system.owned:
            self.system = self.system.own()

    def detect(self, asked: str = "") -> None:
        """Find rows that depend on others, and whether M alone can be factored; refuse motions without inertia."""
        self._own()
        s, work = self.system, self.work
        mass, jac = self.mass, self.jac
        if not (np.isfinite(mass).all() and np.isfinite(jac).all() and np.isfinite(work.total).all()):
            _check_finite(self, asked)
        size = math.sqrt(max(float(np.max(np.abs(np.diag(mass)), initial=0.0)), 1e-300))
        values = np.linalg.eigvalsh(mass)
        singular = values[0] <= NO_INERTIA * max(values[-1], 0.0)
        metric, weights = mass, None
        if singular:
            lengths = np.max(np.abs(jac), axis=1, initial=0.0)
            weights = (size / np.where(lengths > 0.0, lengths, 1.0)) ** 2
            metric = mass + (jac.T * weights) @ jac
        s.augment(weights)
        if weights is not None:
            self._check_inertia(mass, jac, metric, asked)
        if not s.n_rows:
            return
        low = np.linalg.cholesky(metric)
        x = np.linalg.solve(low, jac.T).T
        work.floor[:] = np.where(dependent(x), math.inf, 1e-15 * np.einsum("ij,ij->i", x, x))
        self.operate(EVALUATE)

    def _check_inertia(self, mass: np.ndarray, jac: np.ndarray, metric: np.ndarray, asked: str) -> None:
        values, vectors = np.linalg.eigh(metric)
        loose = values <= NO_INERTIA * max(values[-1], 1e-300)
        if not loose.any():
            return
        part = np.max(np.abs(vectors[:, loose]), axis=1)
        names = [name for name, x in zip(self.system.model.q, part) if x > 0.1 * np.max(part)]
        raise SingularError(
            asked,
            f"{', '.join(map(repr, names))} can change without inertia",
            "the kinetic energy is not positive for all velocities that the constraints allow, so accelerations are not defined",
            "add the missing term to kinetic=, or a constraint that ties the coordinate, or drop the coordinate",
        )

    # -- the start -------------------------------------------------------------------------------------------------------

    tolerance = 1e-9  # rows are expressions of the user, in units of their own
    off_rows: ClassVar[Mapping[str, tuple[float, str, str]]] = {
        "drawing": (DISAGREEMENT, "the constraints are not satisfied", "give better guesses (m.guess)"),
        "state": (
            DISAGREEMENT,
            "the state given is off by that much: it does not satisfy the constraints",
            "use run.at(t), or give values with m.start",
        ),
        "motion": (
            DISAGREEMENT,
            "near a singular position the motion does not come back onto all constraints",
            "start from another position, or give rates that fit one of the motions that meet there",
        ),
    }
    given: tuple[str, ...] = ()

    @classmethod
    def at(cls, system: LagrangeSystem, state: State, asked: str) -> Self:
        """The system at a state, with tables of its own: scales and weights of the rows are those of a run."""
        return cls(system.own(), state.t, state.q, state.v)

    @classmethod
    def assembled(cls, system: LagrangeSystem, t: float, asked: str) -> Self:
        """Near the guesses, with the values given."""
        made = cls(system.own(), t, np.zeros(system.n))
        assemble(made, asked)
        return made

    def given_velocities(self) -> np.ndarray:
        """Rates of `m.start`."""
        given = given_rates(self)
        self.v = np.array([given.get(k, 0.0) for k in range(self.system.n)])
        conditions = Conditions(self.system)
        left, slopes = conditions.velocities(self)
        free = free_columns(self, given)
        if len(left) and free.any():
            self.v[free] += least_energy(self.mass[np.ix_(free, free)], slopes[:, free], -left)
        conditions.check_velocities(self, f"initial velocities of {self.system.model.name!r}")
        return self.v

    def solve_velocities(self, asked: str) -> np.ndarray:
        """The change with the smallest kinetic energy that lets all rows hold and keeps the rates given."""
        given = given_rates(self)
        conditions = Conditions(self.system)
        self.v, self.given = self.given_velocities(), tuple(f"rate of {self.system.model.q[k]}" for k in given)
        self.given += tuple(conditions.rate_names)
        free = free_columns(self, given)
        if self.system.n_rows and free.any():
            left, slopes = conditions.velocities(self)
            rows, right = np.vstack([self.jac, slopes]), np.concatenate([self.w, left])
            self.v[free] += least_energy(self.mass[np.ix_(free, free)], rows[:, free], -right)
            conditions.check_velocities(self, asked)
        check_velocities(self, asked, solved=True)
        self.velocity_onto()
        return self.v

    def check_place(self, asked: str) -> None:
        """Refuse rotations that are none, and rows without a slope."""
        model = self.system.model
        values = {**model.parameters, "t": self.t, **{name: float(x) for name, x in zip(model.q, self.q)}}
        check_rotations(model, values)
        if self.system.n_rows:
            check_smooth(model, values | {f"rate({name})": 1.0 for name in model.q}, SMOOTH)

    def against(self, solved: bool) -> tuple[str, str]:
        """Rows alone, rates that were given, or a state."""
        if unsatisfiable(self):
            why = "these rows contradict each other: no rates satisfy all of them"
            return why, "correct or leave out one of the rows"
        do = "use a state whose velocities fit the rows, such as run.at(t)"
        if self.given:
            do = "give fewer rates (what is not given is solved for), correct one"
        return (
            "the rows cannot hold with these rates at the same time",
            f"{do}, or accept a blow: velocities='impulsive'",
        )

    @cached_property
    def functions(self) -> Derivatives:
        """Equations and their derivatives, from one graph."""
        return Derivatives(self.system, f"derivatives of {self.system.model.name!r}")

    def tangents(
        self, wanted: Sequence[tuple[str, str]], state: Mapping[str, Any], memory: np.ndarray | None = None
    ) -> list[np.ndarray] | None:
        """Derivatives of the equations by coordinates and rates; see `derivatives.py`."""
        made = self.functions.slopes(*(state[name] for name in ("t", "q", "v", "a", "lam")))
        return [made.matrix(*pair) for pair in wanted]

    def for_loop(self) -> dict[str, Any]:
        """Scales of the coordinates, their own units; what to watch, and machine code."""
        from ...system.machine.native import counted, native_code

        system = self.system
        watch, owners = lagrange_watch(system, np.diag(self.mass))
        scale, code = np.ones(2 * system.n), counted(native_code(system))
        return {
            "operate": system.entry, "scale": scale, "watch": watch, "native": code, "owners": owners, "slopes": self.slopes,
            "calls": bool(system.graph.functions),
        }  # fmt: skip

    def slopes(self, exact: bool) -> Any:
        """Derivatives of the equations, for implicit methods; always exact."""
        from ...system.trace.slopes import slopes_of

        return slopes_of(self.system)

    def drives(self, owner: Any) -> bool:
        """A row that changes with time alone drives; one that changes with the position has a corner."""
        used = set().union(*(switch.gap.names for switch in owner.held))
        sources = [source for name, source in zip(owner.inputs[1:], owner.sources) if name in used]
        return not any(source[0] < self.system.n for source in sources)

    def measure(self, expression: Expr) -> tuple[float, np.ndarray, float]:
        """Value of an expression of coordinates and time, its row (derivative by the coordinates) and its rate."""
        graph, names = self.system.graph, list(self.system.model.q)
        node = graph.add_expression(expression)
        value, *row, by_time = self.system.function([node, *graph.reverse(node, [*names, "t"])])(self.t, self.q, self.v)
        return float(value), np.array(row), float(np.array(row) @ self.v + by_time)

    def bias(self, expression: Expr) -> float:
        """Second rate of an expression of coordinates and time without accelerations."""
        graph, q = self.system.graph, self.system.model.q
        flow = {graph.input[x]: graph.input[f"rate({x})"] for x in q} | {graph.input["t"]: graph.one}
        second = graph.forward(graph.forward([graph.add_expression(expression)], flow), flow)
        return float(self.system.function(second)(self.t, self.q, self.v)[0])

    def told_blow(self, blow: Struck, account: Blow) -> RowBlow:
        """Impulses of rows as numbers, by their names."""
        q, names = self.system.model.q, (*self.system.row_names, *(x.name for x, _ in blow.thrown))
        impulse = dict(zip(names, (*map(float, blow.lam), *(p for _, p in blow.thrown))))
        given = {name: float(x) for name, x in zip(q, blow.given) if x != 0.0}
        return RowBlow(**vars(account) | {"impulse": impulse}, generalized=given, coordinates=q)

    def without_value(self, h: float) -> list[str]:
        """Energies, forces and rows without a finite value or derivative; the first four."""
        for ahead in (0.0, h, 100.0 * h):
            bad = without_value(self.system, self.t + ahead, self.q + ahead * self.v, self.v)
            if bad:
                return bad[:4]
        return []

    def told(self) -> str:
        """The first coordinates."""
        return ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.system.model.q[:6], self.q))


def dependent(x: np.ndarray) -> np.ndarray:
    """Rows that depend on others, by a QR factorization with pivoting of the rows at unit length."""
    from scipy.linalg import qr

    size = np.sqrt(np.einsum("ij,ij->i", x, x))
    unit = x / np.where(size > 0.0, size, 1.0)[:, None]
    found = np.zeros(len(x), dtype=bool)
    if len(x):
        _, r, order = qr(unit.T, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(r))
        rank = int(np.sum(diagonal > INDEPENDENT))
        found[order[rank:]] = True
    return found


def without_value(system: LagrangeSystem, t: float, q: np.ndarray, v: np.ndarray) -> list[str]:
    """Terms that have no finite value or derivative at a state: "d potential / d x", "force on 'x'", "row 'rod'"."""
    graph, nodes, model = system.graph, system.nodes, system.model
    names, rates = list(model.q), [f"rate({x})" for x in model.q]
    lost = graph.add_expression(model.dissipation)
    found: list[str] = []
    for what, node, by in (
        ("kinetic energy", nodes.kinetic, [*names, *rates]),
        ("potential", nodes.potential, names),
        ("dissipation", lost, rates),
    ):
        if not np.isfinite(system.function([node])(t, q, v)).all():
            found.append(f"the {what}")
            continue
        slopes = system.function(graph.reverse(node, by))(t, q, v)
        found += [f"the derivative of the {what} by {x}" for x, slope in zip(by, slopes) if not np.isfinite(slope)]
    for name, load in model.loads.items():
        if not np.isfinite(system.function([graph.add_expression(x) for x in load.vector])(t, q, v)).all():
            found.append(f"the load {name!r}")
    applied = system.function(nodes.applied)(t, q, v)
    found += [f"the force on {x!r}" for x, force in zip(names, applied) if not np.isfinite(force)]
    for r, row in enumerate(system.row_names):
        values = system.function([nodes.w[r], *nodes.jac[r], nodes.gamma[r]])(t, q, v)
        found += [f"row {row!r} or its derivative"] if not np.isfinite(values).all() else []
    if not found:
        moved = system.function(nodes.force)(t, q, v)
        found = [f"the equation of {x!r}" for x, force in zip(names, moved) if not np.isfinite(force)]
    return found


def _check_finite(point: Point, asked: str) -> None:
    """Refuse a state at which an expression has no value or derivative."""
    system = point.system
    bad = without_value(system, point.t, point.q, point.v)
    if bad:
        where = ", ".join(f"{name} = {x:g}" for name, x in zip(system.model.q[:6], point.q))
        raise SingularError(
            asked,
            f"{', '.join(bad[:4])} has no finite value at t = {point.t:g} s, {where}",
            "an expression has no value or no derivative there",
            "start elsewhere (m.start), or guard the expression with if_ or max",
        )
