"""The third way to efforts of a Lagrangian system: the balance of momentum and angular momentum of its parts along virtual velocities."""

from __future__ import annotations

import numpy as np

from ...model.expression.derivative import ZERO
from ...model.lagrangian.parts import RigidBody
from ...results.lagrangian import LagrangianResult


class PartBalance:
    """Generalized force that the parts need, from their own accelerations: sum (m a - m g) . dr/dq + (H') . domega/dq' - rest.

    d'Alembert: nothing of T is used.  H' = J' omega'' + omega' x J' omega' in body axes.  Models with kinetic energy beside that of parts have none.
    """

    def __init__(self, run: LagrangianResult) -> None:
        system, model = run.system, run.system.model
        self.made_of_parts = bool(model.parts) and model.given_energies["kinetic"] == ZERO
        self._efforts, self._sizes = ({name: np.zeros(len(run.t)) for name in model.holonomic} for _ in range(2))
        graph = system.graph
        q, rates = list(model.q), [f"rate({x})" for x in model.q]
        flow = {graph.input[x]: graph.input[r] for x, r in zip(q, rates)} | {graph.input["t"]: graph.one}
        self.run, self.terms = run, []
        for part in model.parts.values():
            position = [graph.add_expression(x) for x in part.position]
            velocity = graph.forward(position, flow)
            slopes = [graph.reverse(x, q) for x in position]
            drift = graph.forward(velocity, flow)
            gravity = [graph.add_expression(g) for g in model.gravity]
            nodes = [graph.add_expression(part.mass), *drift, *gravity, *(x for row in slopes for x in row)]
            linear = run.along(nodes)
            turning = None
            if isinstance(part, RigidBody):
                spin = [graph.add_expression(x) for x in part.spin]
                inertia = [graph.add_expression(x) for row in part.inertia for x in row]
                by_rate = [graph.reverse(x, rates) for x in spin]
                turning = run.along([*inertia, *spin, *graph.forward(spin, flow), *(x for row in by_rate for x in row)])
            self.terms.append((linear, turning))
        applied = [graph.add_expression(model.forces[x]) if x in model.forces else graph.zero for x in q]
        given = graph.add_expression(model.given_energies["potential"])
        nodes = [*applied, *system.nodes.dissipated, *graph.reverse(given, q)]
        self.rest = run.along(nodes)

    def add(self, k: int, name: str, w: np.ndarray) -> None:
        """Work along virtual velocities at output k."""
        point = self.run.point(k, self.run.prepared.work)
        # work of inertia and forces, however they cancel
        self._sizes[name][k] = (np.abs(point.mass) @ np.abs(self.run.a[k]) + np.abs(point.force)) @ np.abs(w)
        self._efforts[name][k] = self.need(k) @ w if self.made_of_parts else 0.0

    def of(self, name: str) -> tuple[list[np.ndarray], float]:
        """The effort of a row by the balance, where there is one, and the level of loads."""
        return [self._efforts[name]] if self.made_of_parts else [], float(np.max(self._sizes[name]))

    def need(self, k: int) -> np.ndarray:
        """The generalized force at output k."""
        n, a = self.run.system.n, self.run.a[k]
        rest = self.rest[k].reshape(3, n)
        total = rest[2] - rest[0] - rest[1]
        for linear, turning in self.terms:
            x = linear[k]
            mass, drift, gravity, slopes = x[0], x[1:4], x[4:7], x[7:].reshape(3, n)
            total = total + mass * (slopes @ a + drift - gravity) @ slopes
            if turning is not None:
                y = turning[k]
                inertia, spin, bend, by_rate = y[:9].reshape(3, 3), y[9:12], y[12:15], y[15:].reshape(3, n)
                total = total + (inertia @ (by_rate @ a + bend) + np.cross(spin, inertia @ spin)) @ by_rate
        return np.asarray(total)
