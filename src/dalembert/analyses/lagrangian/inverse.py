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
from ...model.lagrangian import Lagrangian
from ...model.lagrangian.parts import RigidBody
from ...results.lagrangian import LagrangianResult
from ...results.series import Series
from ..driven.efforts import Efforts, check_ways
from ..kinematics import followed
from .point import Point


@dataclass(frozen=True, eq=False)
class RowEffort:
    """Effort of one driver over time, found in two or three ways; positive along increasing time law, -lam."""

    name: str
    multiplier: Series
    power: Series
    newton_euler: Series | None
    spread: float
    largest: float

    @property
    def relative_spread(self) -> float:
        """The spread relative to the largest effort."""
        return self.spread / max(self.largest, 1e-300)

    def __repr__(self) -> str:
        return f"<effort of {self.name!r}: largest {self.largest:.6g}, ways agree to {self.spread:.1e}>"


@dataclass(frozen=True, eq=False)
class RowEfforts(Efforts):
    """Efforts of all drivers; `run` is the motion."""

    run: LagrangianResult
    drivers: dict[str, RowEffort] = field(repr=False)

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


def efforts(model: Lagrangian, times: Any, start: Any, asked: str) -> RowEfforts:
    """Efforts of the rows with t."""
    drivers = [name for name, row in model.holonomic.items() if "t" in row.names]
    if not drivers:
        raise MethodError(
            asked,
            "no holonomic row contains t",
            "a prescribed motion is a row such as theta - 2*pi*t = 0",
            "add one for each freedom",
        )
    run = followed(model, times, start, None, asked)
    system = run.system
    kept = np.setdiff1d(np.arange(system.n_rows), run.prepared.dropped)
    balance = PartBalance(run) if model.parts and not _given_kinetic(model) else None
    power, newton = np.zeros((len(times), len(drivers))), np.zeros((len(times), len(drivers)))
    size = np.zeros(len(drivers))  # work of inertia and forces, however they cancel
    for k in range(len(times)):
        point = Point(system, run.t[k], run.q[k], run.v[k], run.prepared.work)
        jac, need = point.jac, point.mass @ run.a[k] - point.force
        for d, name in enumerate(drivers):
            unit = np.zeros(system.n_rows)
            unit[system.row_names.index(name)] = 1.0
            w = np.linalg.lstsq(jac[kept], unit[kept], rcond=None)[0]
            # J w = e_d: (M a - f) . w = -lam_d
            power[k, d] = need @ w
            size[d] = max(size[d], float((np.abs(point.mass) @ np.abs(run.a[k]) + np.abs(point.force)) @ np.abs(w)))
            if balance is not None:
                newton[k, d] = balance.need(k) @ w
    made = {}
    for d, name in enumerate(drivers):
        ways = [
            -run.lam[:, system.row_names.index(name)],
            power[:, d],
            *([newton[:, d]] if balance is not None else []),
        ]
        spread = float(np.max(np.ptp(np.array(ways), axis=0)))
        check_ways(asked, name, spread, max(float(size[d]), float(np.max(np.abs(ways[0])))))
        series = [
            Series(x, f"{name}.{way}", "", (), run.t) for way, x in zip(("multiplier", "power", "newton_euler"), ways)
        ]
        third = series[2] if balance is not None else None
        made[name] = RowEffort(name, series[0], series[1], third, spread, float(np.max(np.abs(ways[0]))))
    return RowEfforts(run, made)


def _given_kinetic(model: Lagrangian) -> bool:
    """Whether some kinetic energy does not come from parts."""
    from ...model.expression.derivative import ZERO

    return model.own_kinetic != ZERO


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
        given = graph.add_expression(model.own_potential)
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
