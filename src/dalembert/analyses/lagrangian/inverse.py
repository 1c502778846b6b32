"""Efforts of prescribed motions of a Lagrangian system: the rows that contain time are the drivers.

multiplier      effort -lam of the row in M a + J^T lam = f
power           (M a - f) . w with w the velocities at a unit rate of this driver alone
newton_euler    the same w on the balance of momentum and angular momentum of every part (models made of parts)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import MethodError
from ...model.expression.derivative import ZERO
from ...model.lagrangian import Lagrangian
from ...model.lagrangian.parts import RigidBody
from ...results.lagrangian import LagrangianResult
from ..driven.efforts import DriverEffort, Efforts, agreed, virtual
from ..kinematics import followed


@dataclass(frozen=True, eq=False)
class RowEfforts(Efforts):
    """Efforts of all drivers; `run` is the motion."""

    run: LagrangianResult
    drivers: dict[str, DriverEffort] = field(repr=False)

    def __str__(self) -> str:
        lines = [
            f"inverse dynamics of {self.run.model.name!r}, {len(self.t)} times",
            f"{'driver':<16}{'least':>14}{'largest':>14}  spread of the ways",
        ]
        for e in self.drivers.values():
            lines.append(
                f"{e.name:<16}{float(np.min(e.multiplier)):>14.6g}{float(np.max(e.multiplier)):>14.6g}  {e.spread:.1e}"
            )
        return "\n".join(lines)

    __repr__ = __str__


def efforts(model: Lagrangian, times: Any, start: Any, progress: bool | None, asked: str) -> RowEfforts:
    """Efforts of the rows with t."""
    drivers = [name for name, row in model.holonomic.items() if "t" in row.names]
    if not drivers:
        raise MethodError(
            asked,
            "no holonomic row contains t",
            "a prescribed motion is a row such as theta - 2*pi*t = 0",
            "add one for each freedom",
        )
    run = followed(model, times, start, progress, asked)
    balance = PartBalance(run) if model.parts and not _given_kinetic(model) else None
    power, newton, size = (np.zeros((len(run.t), len(drivers))) for _ in range(3))
    for k, need, motions in virtual(run):
        point = run.point(k, run.prepared.work)
        # work of inertia and forces, however they cancel
        terms = np.abs(point.mass) @ np.abs(run.a[k]) + np.abs(point.force)
        for d, name in enumerate(drivers):
            w = motions[name]
            power[k, d], size[k, d] = need @ w, terms @ np.abs(w)
            newton[k, d] = 0.0 if balance is None else balance.need(k) @ w
    made = {}
    for d, name in enumerate(drivers):
        lam = run.lam[:, run.system.row_names.index(name)]
        ways = [-lam, power[:, d], *([] if balance is None else [newton[:, d]])]
        made[name] = agreed(asked, name, ways, float(np.max(size[:, d])), run.t)
    return RowEfforts(run, made)


def _given_kinetic(model: Lagrangian) -> bool:
    """Whether some kinetic energy does not come from parts."""
    return model.given_energies["kinetic"] != ZERO


class PartBalance:
    """Generalized force that the parts need, from their own accelerations: sum (m a - m g) . dr/dq + (H') . domega/dq' - rest.

    d'Alembert: nothing of T is used.  H' = J' omega'' + omega' x J' omega' in body axes.
    """

    def __init__(self, run: LagrangianResult) -> None:
        system, model = run.system, run.system.model
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
