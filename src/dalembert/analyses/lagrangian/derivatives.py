"""Exact derivatives of the equations of a Lagrangian system, with accelerations and multipliers held.

r = M a + J^T lam - f,    s = J a - gamma,    phi,    w = J v - nu        by q, v, and parameters
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...kernels import functions as op
from ...model.expression import Expr, FunctionCall, Name
from ...system.graph import Graph
from ...system.lagrange import LagrangeSystem, derive
from ...system.program import Evaluation

# functions without jumps, corners and poles
SMOOTH = (op.INPUT, op.NEG, op.SIN, op.COS, op.ATAN, op.SINH, op.COSH, op.TANH, op.EXP, op.ADD, op.SUB, op.MUL)


@dataclass(frozen=True)
class Values:
    """Matrices of a system at (t, q, v)."""

    mass: np.ndarray
    jac: np.ndarray
    force: np.ndarray
    phi: np.ndarray
    w: np.ndarray
    gamma: np.ndarray
    kinetic: float
    potential: float  # with that of constant forces

    @property
    def finite(self) -> bool:
        """Whether all have finite values."""
        return all(bool(np.isfinite(x).all()) for x in (*self.parts[:-1], self.gamma))

    @property
    def parts(self) -> tuple[np.ndarray, ...]:
        """What a system is told from another by."""
        return self.mass, self.jac, self.force, self.phi, self.w, np.array([self.potential])


@dataclass(frozen=True)
class Slopes:
    """Derivatives of r, s and w by q and v; those of w by v are J."""

    r_q: np.ndarray
    r_v: np.ndarray
    s_q: np.ndarray
    s_v: np.ndarray
    w_q: np.ndarray

    def matrix(self, what: str, by: str) -> np.ndarray:
        """One of them by its name in `Dynamics.tangents`."""
        made: np.ndarray = getattr(self, f"{ {'force': 'r', 'second': 's', 'rate': 'w'}[what] }_{by}")
        return made


class Derivatives:
    """Functions of (t, q, v) and of accelerations and multipliers, all from one graph."""

    def __init__(self, system: LagrangeSystem, asked: str) -> None:
        self.system, self.asked = system, asked
        model, n, m = system.model, system.n, system.n_rows
        self.n, self.m, self.h = n, m, system.n_holonomic
        self.q, self.rates = list(model.q), [f"rate({x})" for x in model.q]
        held = [*(f"acceleration {k}" for k in range(n)), *(f"multiplier {k}" for k in range(m))]
        self.graph = graph = Graph([*model.parameters, "t", *self.q, *self.rates, *held])
        self.parameters = np.array(list(model.parameters.values()), dtype=float)
        nodes = derive(model, graph, asked)
        mass = [[nodes.mass[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
        a, lam = ([graph.input[name] for name in part] for part in (held[:n], held[n:]))
        columns = [list(column) for column in zip(*nodes.jac)] if m else [[] for _ in range(n)]
        self._r = [
            graph.sub(graph.add(self._dot(mass[i], a), self._dot(columns[i], lam)), nodes.force[i]) for i in range(n)
        ]
        self._s = [graph.sub(self._dot(nodes.jac[r], a), nodes.gamma[r]) for r in range(m)]
        self._nodes = nodes
        # forces that change with the motion, by name, and the energy of those that do not
        self.open, self.by_rates, loads = self._energy_of_forces()
        self._loads = loads
        self._open: dict[str | None, Evaluation] = {}
        forces = [*model.own_forces.values(), *(x for load in model.loads.values() for x in load.vector)]
        self.rates_in_forces = any(set(self.rates) & force.names for force in forces)
        flat = [x for row in mass for x in row] + [x for row in nodes.jac for x in row]
        listed = [
            *flat,
            *nodes.force,
            *nodes.phi,
            *nodes.w,
            *nodes.gamma,
            nodes.kinetic,
            graph.add(nodes.potential, loads),
        ]
        self._values = Evaluation(graph, listed)
        self._slopes: Evaluation | None = None
        self._sizes: Evaluation | None = None

    def changed(self, values: Mapping[str, float]) -> Derivatives:
        """The same functions with other values of parameters."""
        made, names = copy.copy(self), list(self.system.model.parameters)
        made.parameters, memory = self.parameters.copy(), self.system.memory.copy()
        for name, value in values.items():
            made.parameters[names.index(name)] = memory[names.index(name)] = value
        made.system = replace(self.system, memory=memory)
        return made

    def _dot(self, a: Sequence[int], b: Sequence[int]) -> int:
        graph, total = self.graph, self.graph.zero
        for x, y in zip(a, b):
            total = graph.add(total, graph.mul(x, y))
        return total

    def _energy_of_forces(self) -> tuple[dict[str, list[int]], dict[str, str], int]:
        """Forces that change with the motion, on all coordinates; those that change with rates, with the reason; the energy -Q.q, -F.r of the others."""
        model, graph, total = self.system.model, self.graph, self.graph.zero
        by_rates: dict[str, str] = {}
        moving, found = {*self.q, *self.rates}, {}
        terms: list[tuple[str, tuple[Expr, ...], tuple[Expr, ...], dict[str, Expr]]] = [
            (f"force on {x!r}", (force,), (Name(x),), {x: force}) for x, force in model.own_forces.items()
        ]
        for load in model.loads.values():
            terms.append((f"load {load.name!r}", load.vector, load.position or (), load.generalized(self.q)))
        for name, forces, places, generalized in terms:
            if any({*self.rates} & force.names for force in forces):
                called = any(isinstance(force, FunctionCall) for force in forces)
                by_rates[name] = "it is a Python function of rates" if called else "it changes with rates"
            elif not places or any(moving & force.names for force in forces):
                found[name] = [graph.add_expression(generalized[x]) if x in generalized else graph.zero for x in self.q]
            else:
                for force, place in zip(forces, places):
                    total = graph.sub(total, graph.mul(graph.add_expression(force), graph.add_expression(place)))
        return found, by_rates, total

    def open_forces(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Forces that change with the motion, but not with rates (force, coordinate)."""
        if "" not in self._open:
            self._open[""] = Evaluation(self.graph, [x for force in self.open.values() for x in force])
        return self._open[""](self.inputs(t, q, v, np.zeros(self.n), np.zeros(self.m))).reshape(-1, self.n)

    def open_slopes(self, t: float, q: np.ndarray, v: np.ndarray, only: str | None = None) -> np.ndarray:
        """Their dQ_i/dq_j, of all together or of one of them."""
        if only not in self._open:
            columns = [self.open[only]] if only is not None else list(self.open.values())
            total = [self.graph.zero] * self.n
            for force in columns:
                total = [self.graph.add(a, b) for a, b in zip(total, force)]
            self._open[only] = Evaluation(self.graph, [x for name in self.q for x in self._forward(name, total)])
        found = self._open[only](self.inputs(t, q, v, np.zeros(self.n), np.zeros(self.m)))
        return found.reshape(self.n, self.n).T

    @property
    def smooth_energy(self) -> bool:
        """Whether the energies have no jumps, corners or poles in q, as far as their formulas show."""
        graph, nodes = self.graph, self._nodes
        moving = graph.dependent(graph.needed([nodes.kinetic, nodes.potential, self._loads]), self.q)
        for node in moving:
            code, _, b, _ = graph.rows[node]
            # numerators only, whole powers upwards
            whole = (code == op.DIV and b not in moving) or (code == op.POWI and b >= 0)
            if not (whole or code in SMOOTH):
                return False
        return True

    def inputs(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """All inputs in the order of the graph."""
        return np.concatenate([self.parameters, [t], q, v, a, lam])

    def values(self, t: float, q: np.ndarray, v: np.ndarray) -> Values:
        """Matrices at a state."""
        n, m, h = self.n, self.m, self.h
        x = self._values(self.inputs(t, q, v, np.zeros(n), np.zeros(m)))
        sizes = np.cumsum([n * n, m * n, n, h, m, m])
        mass, jac, force, phi, w, gamma, energies = np.split(x, sizes)
        return Values(
            mass.reshape(n, n), jac.reshape(m, n), force, phi, w, gamma, float(energies[0]), float(energies[1])
        )

    def slopes(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> Slopes:
        """Derivatives at a state, with given accelerations and multipliers."""
        n, m = self.n, self.m
        if self._slopes is None:
            columns = [self._forward(name, [*self._r, *self._s, *self._nodes.w]) for name in self.q]
            columns += [self._forward(name, [*self._r, *self._s]) for name in self.rates]
            self._slopes = Evaluation(self.graph, [x for column in columns for x in column])
        x = self._slopes(self.inputs(t, q, v, a, lam))
        by_q, by_v = x[: n * (n + 2 * m)].reshape(n, n + 2 * m).T, x[n * (n + 2 * m) :].reshape(n, n + m).T
        return Slopes(by_q[:n], by_v[:n], by_q[n : n + m], by_v[n:], by_q[n + m :])

    def sizes(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Sizes of what the force on each coordinate is the sum of, and V over one unit of it: at its bottom the slope of V is its rounding."""
        if self._sizes is None:
            slopes = [x for of in (self._nodes.kinetic, self._nodes.potential) for x in self.graph.reverse(of, self.q)]
            listed = [*self._nodes.applied, *self._nodes.dissipated, *slopes, self._nodes.potential]
            self._sizes = Evaluation(self.graph, listed)
        x = np.abs(self._sizes(self.inputs(t, q, v, np.zeros(self.n), np.zeros(self.m))))
        return np.asarray(x[:-1].reshape(4, -1).sum(axis=0) + x[-1])

    def by_parameter(
        self, name: str, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives of r, s, phi and w by a parameter."""
        nodes = self._forward(name, [*self._r, *self._s, *self._nodes.phi, *self._nodes.w])
        x = self._now(nodes, t, q, v, a, lam)
        r, s, phi, w = np.split(x, np.cumsum([self.n, self.m, self.h]))
        return r, s, phi, w

    def gradient(self, expression: Expr, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Value of an expression, then its derivatives by q, v and the parameters."""
        node = self.graph.add_expression(expression)
        nodes = [node, *self.graph.reverse(node, [*self.q, *self.rates, *self.system.model.parameters])]
        return self._now(nodes, t, q, v, np.zeros(self.n), np.zeros(self.m))

    def _now(self, nodes: list[int], *state: Any) -> np.ndarray:
        return Evaluation(self.graph, nodes)(self.inputs(*state))

    def _forward(self, name: str, nodes: list[int]) -> list[int]:
        return self.graph.forward(nodes, {self.graph.input[name]: self.graph.one})

    def is_angle(self, name: str) -> bool:
        """Whether a coordinate stands inside a sine, cosine or tangent."""
        nodes = self._nodes
        listed = [nodes.kinetic, nodes.potential, *nodes.applied, *nodes.phi, *nodes.w]
        found = self.graph.dependent(self.graph.needed(listed), [name])
        return any(self.graph.rows[node][0] in (op.SIN, op.COS, op.TAN) for node in found)


def sizes_of(mass: np.ndarray) -> np.ndarray:
    """Sizes of coordinates that make them comparable: equal kinetic energies at unit rates."""
    diagonal = np.diag(mass)
    largest = max(float(np.max(diagonal, initial=0.0)), 1e-300)
    return 1.0 / np.sqrt(np.where(diagonal > 1e-12 * largest, diagonal, largest))
