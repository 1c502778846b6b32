"""A Lagrangian system at rest, or with steady rates of some coordinates: rows, forces and tangents at a place, for `Statics`.

Coordinates have units of their own: angles are compared with a radian, all others with the largest of them at the start.  Rows are compared at
unit length.  Coordinates that change at steady rates are held, as if rows kept them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np

from ...errors import MethodError, ModelError, nearest, shown
from ...model.expression import as_expression
from ...model.lagrangian import Lagrangian
from ...state import State
from ...system.closed import curl
from ...system.lagrange import LagrangeSystem, compile_lagrangian
from ...system.subspaces import null_space
from ..dynamics.start import read_state
from ..equilibrium import Equilibrium
from ..lagrangian.derivatives import Derivatives, Values, sizes_of
from ..lagrangian.point import Point
from .potential import EnergyOfCoordinates
from .slopes import Slope
from .statics import SEARCHED, Place, Statics

# how far coordinates that are no angles are searched, in units of the start
FAR = 10.0
# part of the largest inertia below which a motion is without inertia
NO_INERTIA = 1e-13


class Coordinates(Statics):
    """A Lagrangian system around a place, which it moves.

    `functions`: its equations and their derivatives; `t`, `q`: where to begin; `v`, `held`: steady rates, and the coordinates that have them; `like`:
    the same system with other parameters: measured in the same units.
    """

    system: LagrangeSystem

    stride, gap, unbounded = 0.02, 1e-7, True

    def __init__(
        self,
        functions: Derivatives,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        held: tuple[int, ...] = (),
        like: Coordinates | None = None,
    ) -> None:
        n, m = functions.n, functions.m
        self.functions, self.system, self.steady, self.held = functions, functions.system, v, held
        self.pose = Point(functions.system, t, q, v)
        self.pose.functions = functions
        self.n_rows, self.nv, self.spinning = m, n, bool(held)
        self.active, self._all = np.ones(n, dtype=bool), True
        self.held_rows = m + np.arange(len(held))
        self.on_rates = np.array([False] * functions.h + [True] * (m - functions.h) + [False] * len(held), dtype=bool)
        self.exact, self.one_sided, self.rates_in_forces = True, False, functions.rates_in_forces
        self._grip, self.targets = np.eye(n)[list(held)], q[list(held)].copy()
        if like is None:
            self.angle = np.array([functions.is_angle(name) for name in functions.q], dtype=bool)
            length = float(np.max(np.abs(q[~self.angle]), initial=0.0))
            self.unit = np.where(self.angle, 1.0, length if length > 1e-9 else 1.0)
        else:
            self.angle, self.unit = like.angle, like.unit
        self.size = 1.0 / self.unit
        self._reaches = self.size
        self.wraps = (
            like.wraps if like is not None else np.array([k not in held and self._repeats(k) for k in range(n)])
        )
        self._first = q.copy()
        self.evaluate()

    def _repeats(self, k: int) -> bool:
        """Whether a full turn of a coordinate changes nothing."""
        if not self.angle[k]:
            return False
        rng, turn, p = np.random.default_rng(k), np.zeros(self.nv), self.pose
        turn[k] = 2 * math.pi
        for _ in range(3):
            q = p.q + self.unit * rng.uniform(-1.0, 1.0, self.nv)
            a, b = (self.functions.values(p.t, x, self.steady) for x in (q, q + turn))
            for x, y in zip(a.parts, b.parts):
                scale = 1e-9 * max(1.0, float(np.max(np.abs(x[np.isfinite(x)]), initial=0.0)))
                if not np.allclose(x, y, rtol=1e-9, atol=scale, equal_nan=True):
                    return False
        return True

    # -- evaluation ------------------------------------------------------------------------------------------------------

    def evaluate(self, velocity: np.ndarray | None = None) -> None:
        """phi, J and f here; phi is nan where rows have no value."""
        p = self.pose
        p.v[:] = self.steady if velocity is None else velocity
        x = self.values = self.functions.values(p.t, p.q, p.v)
        self.mass, self.force = x.mass, x.force
        self.jac = np.vstack([x.jac, self._grip])
        off = p.q[list(self.held)] - self.targets
        self.phi = np.concatenate([x.phi, np.zeros(self.n_rows - len(x.phi)), off])
        if not np.isfinite(self.jac).all():
            self.jac, self.phi = np.nan_to_num(self.jac, posinf=0.0, neginf=0.0), np.full(len(self.phi), math.nan)
        length = np.linalg.norm(self.jac * self.unit, axis=1)
        self.scale = 1.0 / np.where(length > 0.0, length, 1.0)
        self._scales = self.unit[:, None] * self.scale

    values: Values

    @property
    def extent(self) -> float:
        """Largest coordinate in its unit."""
        return float(np.max(np.abs(self.pose.q * self.size), initial=0.0))

    def largest_force(self) -> float:
        """Largest term that forces are the sum of, over one unit."""
        p = self.pose
        found = self.functions.sizes(p.t, p.q, self.steady) * self.unit
        return float(np.max(found[np.isfinite(found)], initial=0.0))

    def spread(self, lam: np.ndarray) -> np.ndarray:
        """Multipliers of the rows."""
        return lam[: self.n_rows]

    def second(self, a: np.ndarray) -> np.ndarray:
        """J a - gamma."""
        return np.asarray(self.values.jac @ a - self.values.gamma)

    def rates(self, v: np.ndarray) -> np.ndarray:
        """J v - nu."""
        return self.values.w

    # -- derivatives -----------------------------------------------------------------------------------------------------

    def tangent(self, directions: np.ndarray, lam: np.ndarray, part: float | None = None, levels: int = 1) -> Slope:
        """Where rates are steady and rows tie them, rates follow the displacements, and so do accelerations."""
        moves = {"q": directions}
        if not (self.spinning and self.n_rows):
            (made,) = self.along(["force"], self.steady, moves, {"lam": lam}, part=part, levels=levels)
            return made
        (rate,) = self.along(["rate"], self.steady, moves, part=part, levels=levels)
        moves["v"] = self.correction(self.with_held(rate.mean))
        return self._with_second(moves, lam, part=part, levels=levels)

    def _with_second(self, moves: dict[str, np.ndarray], lam: np.ndarray, **how: float | None) -> Slope:
        """d(M a + J^T lam - f) with the accelerations that the rows ask for."""
        force, second = self.along(["force", "second"], self.steady, moves, {"lam": lam}, **how)
        force.mean[:] += self.mass @ self.correction(self.with_held(second.mean))
        return force

    def curl(self, z: np.ndarray, only: str | None = None) -> tuple[np.ndarray, float]:
        """Of forces that are not known to have a potential; or of one of them, by name."""
        p, f = self.pose, self.functions
        slopes = f.open_slopes(p.t, p.q, self.steady, only)
        return curl(slopes, z, np.abs(f.open_forces(p.t, p.q, self.steady)).sum(axis=0))

    def coordinate_name(self, c: int) -> str:
        """A coordinate."""
        return self.functions.q[c]

    def damping(self, z: np.ndarray) -> tuple[np.ndarray, float]:
        """Reduced damping with gyroscopic terms; exact."""
        made = self._with_second({"v": z}, self.multipliers(self.force))
        return z.T @ made.mean, 1e-14 * float(np.max(np.abs(made.mean), initial=0.0))

    # -- how far a search goes -------------------------------------------------------------------------------------------

    def longest(self, turns: float) -> int:
        """Strides that lead through all turns, and as far as lengths go."""
        return 2 * math.ceil((math.pi * turns + FAR) / self.stride)

    def told_far(self, number: int) -> str:
        """In turns and sizes."""
        return f"half a turn times turns= or ten sizes of the start to either side, {number} places"

    def inside(self, place: Place, start: Place, turns: float) -> bool:
        """Whether angles that count turns are within those asked for."""
        far = np.abs(place[0] - start[0])[self.angle & ~self.wraps]
        return bool(np.all(far <= math.pi * turns * (1 + 1e-9)))

    def on_path(self, place: Place, start: Place, turns: float) -> bool:
        """The same for a stride more, and for lengths."""
        reach = np.where(self.angle, math.pi * turns + self.stride, FAR * self.unit)
        return bool(np.all((np.abs(place[0] - start[0]) <= reach) | self.wraps))

    def throw(self, random: np.random.Generator, turns: float) -> bool:
        """A random place; not where rows would have to be met."""
        if self.functions.h:
            return False
        n = self.nv
        wide = np.where(
            self.angle, math.pi * np.where(self.wraps, 1.0, turns), self.unit * 10.0 ** random.uniform(-1, 1, n)
        )
        self.pose.q = self.pose.q + (1.0 - self._grip.sum(axis=0)) * wide * random.uniform(-1.0, 1.0, n)
        return True

    def stretch(self, delta: np.ndarray) -> float:
        """Lengths may go far in strides that grow, angles not."""
        unit = np.where(self.angle, self.unit, np.maximum(self.unit, np.abs(self.pose.q)))
        return float(np.max(np.abs(delta) / unit, initial=0.0))

    def wrapped(self, place: Place) -> Place:
        """Angles within half a turn."""
        q, whole = place[0], 2 * math.pi
        turned = q - whole * np.round(q / whole)
        turned = np.where(turned <= -math.pi + 1e-9, turned + whole, turned)
        return np.where(self.wraps, turned, q), place[1]

    def without_inertia(self) -> bool:
        """Whether a motion has none: where coordinates fail (angles at a pole), also that of coordinates held."""
        values = self._inertia()[0]
        return bool(values[0] <= NO_INERTIA * max(float(values[-1]), 1e-300))

    def light(self) -> list[str]:
        """Coordinates of the motion with the smallest inertia."""
        motion = np.abs(self._inertia()[1][:, 0])
        return [name for name, part in zip(self.functions.q, motion) if part > 0.1 * np.max(motion)]

    def _inertia(self) -> tuple[np.ndarray, np.ndarray]:
        """Inertias of the motions that rows allow, smallest first, and these motions, in sizes of equal kinetic energy."""
        unit = sizes_of(self.mass)
        rows = self.jac[: self.n_rows] * unit
        length = np.linalg.norm(rows, axis=1)
        z = null_space(rows / np.where(length > 0.0, length, 1.0)[:, None], SEARCHED)
        values, vectors = np.linalg.eigh(z.T @ (self.mass * np.outer(unit, unit)) @ z)
        return values, z @ vectors

    # -- the problem of equilibrium --------------------------------------------------------------------------------------

    columns, derived = "coordinates", True
    _asked: tuple[str, Any] = "", None  # what is asked, and the steady rates

    @classmethod
    def begin(
        cls, asked: str, model: Lagrangian, start: State | None, spinning: Any, t: float, values: Mapping[str, float] | None, like: Coordinates | None
    ) -> Self:  # fmt: skip
        """A Lagrangian system at its start, with values of its parameters; `like`: the same with others, whose start was checked."""
        made = Derivatives(compile_lagrangian(model, asked).own(), asked) if like is None else like.functions
        functions = made.changed(values or {})
        given = read_state(asked, model, start, "start")
        q = Point.assembled(functions.system, t, asked).q if given is None else given.q.copy()
        v, held = steady_rates(model, asked, spinning, values)
        s = cls(functions, t if given is None else given.t, q, v, held, like)
        s._asked = asked, spinning
        if like is None:
            s.pose.scales()
            s.pose.detect(asked)
            if not model.situation.closed:
                # gaps that are closed here may be open at the start
                s.pose.check_positions(asked, "drawing" if start is None else "state")
            _check_rates(s.pose, asked, held)
        if not s.onto():
            names = ", ".join(f"{x:.6g}" for x in q)
            raise ModelError(
                asked, f"no place on the rows near {names}", "the rows leave no place there", "start elsewhere"
            )
        if held:
            s.moving = f" while {', '.join(repr(model.q[k]) for k in held)} changes at a given rate"
        return s

    def energy(self) -> EnergyOfCoordinates:
        """V - T."""
        return EnergyOfCoordinates(self)

    def check_symmetry(self, scale: float) -> None:
        """Refuse a steady change of a coordinate on which energies, forces or rows depend."""
        x, p = self.values, self.pose
        for k in self.held:
            q = p.q.copy()
            q[k] += 1.0
            there = self.functions.values(p.t, q, self.steady)
            for what, change, size in (
                ("the inertia", np.abs(x.mass - there.mass), float(np.max(np.abs(x.mass)))),
                ("forces", np.abs(x.force - there.force) * self.unit, scale + self.largest_force()),
                ("rows", np.abs(x.jac - there.jac), float(np.max(np.abs(x.jac), initial=0.0))),
            ):
                largest = float(np.max(change, initial=0.0))
                if not largest <= 1e-9 * size:
                    raise MethodError(
                        self._asked[0],
                        f"{what} change by {largest:.3g} when {self.functions.q[k]!r} grows by 1",
                        "then a motion at a constant rate of it is not steady",
                        "spin a coordinate that energies, forces and rows do not contain",
                    )

    def fails(self) -> bool:
        """Whether coordinates do (a pole of angles)."""
        return not self.values.finite or self.without_inertia()

    def one_pose(self, a: np.ndarray, b: np.ndarray) -> bool:
        """Whether nothing with inertia lies between two places (angles about a pole)."""
        gap = self.way(a, b)
        largest = max(float(np.max(np.diag(self.mass) * self.unit**2)), 1e-300)
        return float(gap @ self.mass @ gap) <= 1e-10 * largest

    def equation_name(self, c: int) -> tuple[str, str]:
        """The coordinate of an equation; it has its own unit."""
        return repr(self.functions.q[c]), "in its unit"

    def coordinates(self) -> dict[str, tuple[float, str]]:
        """The first ones."""
        return {name: (float(x), "") for name, x in zip(self.functions.q[:4], self.pose.q)}

    def shown(self, e: Equilibrium) -> Equilibrium:
        """Matrices for unit changes of independent coordinates."""
        from ..small_motions.independent import independent

        self.place = e.state.q, self.pose.work.angle
        self.evaluate()
        self.factor()
        turn = np.linalg.inv(e.motions[independent(self)[1]])
        return replace(e, M=turn.T @ e.M @ turn, K=turn.T @ e.K @ turn, motions=e.motions @ turn)

    def note(self, found: list[Equilibrium]) -> str:
        """Whether forces or rows at the equilibria are others a little later."""
        system, nodes, t = self.system, self.system.nodes, self.pose.t
        if system.graph.input["t"] not in system.graph.needed([*nodes.force, *nodes.w]):
            return ""
        values, force = system.function([*nodes.force, *nodes.w]), system.function([*nodes.force])
        for e in found:
            q, later = e.state.q, t + 0.137
            beside = force(t, q + 0.1, self.steady)
            changes = [
                values(later, q, self.steady) - values(t, q, self.steady),
                force(later, q + 0.1, self.steady) - beside,
            ]
            size = max(float(np.max(np.abs(beside), initial=0.0)), 1e-300)
            if max(float(np.max(np.abs(x), initial=0.0)) for x in changes) > 1e-9 * size:
                return f"time is frozen at t = {t:g} s: the forces change with it, and the verdicts do not tell what that does"
        return ""

    def by_parameter(self, name: str, p: float, ends: tuple[float, float], lam: np.ndarray) -> tuple[Any, Any]:
        """dphi/dp and d(M a + J^T lam - f)/dp here, exact; rates of a steady motion may change with the parameter."""
        h, (asked, spinning) = 1e-4 * abs(ends[1] - ends[0]), self._asked
        state = self.pose.t, self.pose.q, self.steady, np.zeros(self.nv), lam[: self.n_rows]
        r, _, phi, _ = self.functions.by_parameter(name, *state)
        ahead, behind = (steady_rates(self.system.model, asked, spinning, {name: x})[0] for x in (p + h, p - h))
        by_rates = self.functions.slopes(*state).r_v @ (ahead - behind) / (2 * h)
        return np.append(phi, np.zeros(len(self.scale) - len(phi))), r + by_rates


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
    states = {f"rate of {name}" for name in point.system.model.states}
    left = np.where([name in states for name in point.system.row_names], 0.0, np.abs(point.w) / point.size)
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
