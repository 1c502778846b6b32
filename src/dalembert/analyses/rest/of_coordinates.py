"""The equilibrium of a Lagrangian system: what is asked, read and checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...errors import MethodError, ModelError, nearest, shown
from ...model.expression import as_expression
from ...model.lagrangian import Lagrangian
from ...state import State
from ...system.lagrange import LagrangeSystem, compile_lagrangian
from ..dynamics.start import read_state
from ..equilibrium import Equilibrium
from ..lagrangian.derivatives import Derivatives
from ..lagrangian.point import Point
from ..small_motions.independent import independent
from .closed import unsymmetric, work_from
from .coordinates import Coordinates
from .problem import Problem
from .statics import Place


class LagrangianEquilibrium(Equilibrium):
    """One equilibrium of a Lagrangian system; `e["theta"]` is a coordinate, `e["l*sin(theta)"]` any expression here."""

    _model: Lagrangian
    _system: LagrangeSystem

    def __getitem__(self, measure: Any) -> float:
        graph = self._system.graph
        made = as_expression(
            measure, self._system.given_names, asked=f"value at an equilibrium of {self._model.name!r}"
        )
        value = self._system.function([graph.add_expression(made)])
        return float(value(self.state.t, self.state.q, self.state.v)[0])


class OfCoordinates(Problem):
    """A Lagrangian system with values of its parameters and what is asked of it, ready to be searched."""

    statics: Coordinates
    columns = "coordinates"

    def __init__(
        self,
        asked: str,
        model: Lagrangian,
        start: State | None,
        method: str,
        spinning: Any,
        t: float,
        values: Mapping[str, float] | None = None,
        like: Coordinates | None = None,
    ) -> None:
        made = Derivatives(compile_lagrangian(model, asked).own(), asked) if like is None else like.functions
        functions = made.changed(values or {})
        system = functions.system
        given = read_state(asked, model, start, "start")
        q = Point.assembled(system, t, asked).q if given is None else given.q.copy()
        v, held = steady_rates(model, asked, spinning, values)
        statics = Coordinates(functions, t if given is None else given.t, q, v, held, like)
        if like is None:
            point = statics.pose
            point.scales()
            point.detect(asked)
            if not model.situation.closed:
                # gaps that are closed here may be open at the start
                point.check_positions(asked, "drawing" if start is None else "state")
            _check_rates(point, asked, held)
        if not statics.onto():
            names = ", ".join(f"{x:.6g}" for x in q)
            raise ModelError(
                asked, f"no place on the rows near {names}", "the rows leave no place there", "start elsewhere"
            )
        if held:
            self.moving = f" while {', '.join(repr(model.q[k]) for k in held)} changes at a given rate"
        super().__init__(asked, model, statics, Energy(statics), "auto" if method == "force" else method)

    def turning(self) -> Angles:
        """Angles that are free."""
        return Angles(self.statics)

    def check(self) -> None:
        """Refuse a steady change of a coordinate on which energies, forces or rows depend."""
        _check_ignorable(self.asked, self.statics, self.search.scale(np.zeros((0, 0))))

    def singular(self) -> bool:
        """Whether equations fail here; also where coordinates do (a pole of angles)."""
        return not self.statics.values.finite or self.statics.without_inertia() or super().singular()

    def one_pose(self, a: np.ndarray, b: np.ndarray) -> bool:
        """Whether nothing with inertia lies between two places (angles about a pole)."""
        s = self.statics
        gap = s.way(a, b)
        largest = max(float(np.max(np.diag(s.mass) * s.unit**2)), 1e-300)
        return float(gap @ s.mass @ gap) <= 1e-10 * largest

    def named(self, c: int) -> tuple[str, str]:
        """The coordinate of an equation; it has its own unit."""
        return repr(self.model.q[c]), "in its unit"

    def equilibrium(self, **found: Any) -> Equilibrium:
        """The equilibrium here, with the first coordinates."""
        q = self.statics.pose.q
        return LagrangianEquilibrium(
            coordinates={name: (float(x), "") for name, x in zip(self.model.q[:4], q)}, **found
        )

    def shown(self, e: Equilibrium) -> Equilibrium:
        """Matrices for unit changes of independent coordinates."""
        s = self.statics
        s.place = e.state.q, s.pose.work.angle
        s.evaluate()
        s.factor()
        turn = np.linalg.inv(e.motions[independent(s)[1]])
        return replace(e, M=turn.T @ e.M @ turn, K=turn.T @ e.K @ turn, motions=e.motions @ turn)

    def note(self, found: list[Equilibrium]) -> str:
        """Whether forces or rows at the equilibria are others a little later."""
        s, system = self.statics, self.statics.system
        nodes, t = system.nodes, s.pose.t
        if system.graph.input["t"] not in system.graph.needed([*nodes.force, *nodes.w]):
            return ""
        values, force = system.function([*nodes.force, *nodes.w]), system.function([*nodes.force])
        for e in found:
            q, later = e.state.q, t + 0.137
            beside = force(t, q + 0.1, s.steady)
            changes = [values(later, q, s.steady) - values(t, q, s.steady), force(later, q + 0.1, s.steady) - beside]
            size = max(float(np.max(np.abs(beside), initial=0.0)), 1e-300)
            if max(float(np.max(np.abs(x), initial=0.0)) for x in changes) > 1e-9 * size:
                return f"time is frozen at t = {t:g} s: the forces change with it, and the verdicts do not tell what that does"
        return ""


class Energy:
    """V - T where the statics is now: in a steady motion T is that of the rates held.  Forces that change with the motion do their work from the start."""

    def __init__(self, statics: Coordinates) -> None:
        self._statics, self._functions = statics, statics.functions
        self._start = statics.place
        self.costly = bool(self._functions.open)
        self.smooth = self._functions.smooth_energy and not self.costly
        rates = self._functions.by_rates
        self.reason = next(iter(rates.values()), "") or (unsymmetric(statics) if self.costly else "")

    def guilty(self) -> list[tuple[str, str]]:
        """Forces that change with rates, or else those for each of which dQ/dq is not symmetric, with the pair of coordinates for which it is not."""
        s, rates = self._statics, self._functions.by_rates
        if rates or not self.reason:
            return list(rates.items())
        alone = {x: unsymmetric(s, partial(s.curl, only=x)) for x in self._functions.open}
        return [(x, found) for x, found in alone.items() if found]

    def smooth_here(self) -> bool:
        """Whether no force jumps about here."""
        return self.smooth

    def __call__(self) -> float:
        """Energy, after an evaluation."""
        s = self._statics
        energy = s.values.potential - s.values.kinetic
        return energy - work_from(s, self._start, self._force) if self.costly else energy

    def _force(self) -> np.ndarray:
        p = self._statics.pose
        return np.asarray(self._functions.open_forces(p.t, p.q, self._statics.steady).sum(axis=0))


class Angles:
    """Angles of a Lagrangian system, each of which can be turned over."""

    def __init__(self, statics: Coordinates) -> None:
        self._statics, self.seldom = statics, statics.functions.h > 0

    def axes(self) -> list[int]:
        """Angles that are not held."""
        return [int(k) for k in np.flatnonzero(self._statics.angle) if k not in self._statics.held]

    def flipped(self, place: Place, axis: int, start: Place) -> Place | None:
        """The place with one angle changed by half a turn: nearer to that of the start."""
        s, q = self._statics, place[0].copy()
        q[axis] += math.pi if q[axis] <= start[0][axis] else -math.pi
        s.place = q, place[1]
        return s.wrapped(s.place) if s.onto() else None

    def is_torus(self, start: Place) -> bool:
        """Whether all positions are angles after full turns of which nothing changes."""
        s = self._statics
        return not s.n_rows and all(s.wraps[k] for k in range(s.nv) if k not in s.held)


# -- what is asked -----------------------------------------------------------------------------------------------------------


def steady_rates(
    model: Lagrangian, asked: str, spinning: Any, changed: Mapping[str, float] | None = None
) -> tuple[np.ndarray, tuple[int, ...]]:
    """Velocities of a steady motion, and the coordinates that change in it."""
    v = np.zeros(len(model.q))
    if spinning is None:
        return v, ()
    do = "give spinning=('psi', omega), or several: {'psi': 5.0, 'phi': 1.0}"
    pair = isinstance(spinning, tuple | list) and len(spinning) == 2
    if not pair and not (isinstance(spinning, Mapping) and spinning):
        raise MethodError(asked, f"spinning = {shown(spinning)}", "a pair is needed: a coordinate and a rate", do)
    items = spinning.items() if isinstance(spinning, Mapping) else [tuple(spinning)]
    held = []
    for name, rate in items:
        found = name if isinstance(name, str) else str(name)
        if found not in model.q:
            raise MethodError(
                asked, f"spinning: {shown(name)}", f"it is not a coordinate; {nearest(found, model.q)}", do
            )
        k = model.q.index(found)
        values = {**model.parameters, **(changed or {})}
        value = as_expression(rate, model.parameters, asked=f"{asked}: rate of {found!r}").evaluate(values)
        v[k] = float(value)
        if not math.isfinite(v[k]):
            raise MethodError(asked, f"rate of {found!r} = {shown(rate)}", "a finite number is needed", do)
        held.append(k)
    return v, tuple(held)


def _check_rates(point: Point, asked: str, held: tuple[int, ...]) -> None:
    """Refuse rows that move in another way than the system does."""
    left = np.abs(point.w) / point.size
    if np.max(left, initial=0.0) <= 1e-9 * max(1.0, float(np.max(np.abs(point.v)))):
        return
    worst = int(np.argmax(left))
    found = f"row {point.system.row_names[worst]!r} is off by {left[worst]:.6g}/s"
    if held:
        why, do = (
            "the system cannot move at these rates: the row asks for others",
            "give all rates of the steady motion",
        )
    else:
        why = "an equilibrium is at rest, and this row moves"
        do = "let its time law be constant, take another t=, or use spinning=('psi', omega)"
    raise MethodError(asked, found, why, do)


def _check_ignorable(asked: str, s: Coordinates, scale: float) -> None:
    x, p = s.values, s.pose
    for k in s.held:
        q = p.q.copy()
        q[k] += 1.0
        there = s.functions.values(p.t, q, s.steady)
        for what, change, size in (
            ("the inertia", np.abs(x.mass - there.mass), float(np.max(np.abs(x.mass)))),
            ("forces", np.abs(x.force - there.force) * s.unit, scale + s.largest_force()),
            ("rows", np.abs(x.jac - there.jac), float(np.max(np.abs(x.jac), initial=0.0))),
        ):
            largest = float(np.max(change, initial=0.0))
            if not largest <= 1e-9 * size:
                raise MethodError(
                    asked,
                    f"{what} change by {largest:.3g} when {s.functions.q[k]!r} grows by 1",
                    "then a motion at a constant rate of it is not steady",
                    "spin a coordinate that energies, forces and rows do not contain",
                )
