"""Equilibria of models with auxiliary states: accelerations from rest and the rates of the states vanish together.

    a(q, z) = 0,    f(q, z) = 0

An integrator has f without z: what it holds is what the bodies need there.  So poses and states are found by one Newton iteration, with derivatives
along the free motions and along the states, from the start and from random places.  Such forces have no potential; the
eigenvalues of the small motions with the states (`linearize`) decide about stability.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import ConvergenceError, MethodError, ModelError
from ...model.lagrangian import Lagrangian
from ...state import State
from ...system.subspaces import null_space
from ..equilibrium import Equilibria, Equilibrium
from .morse import SearchReport

STARTS, ITERATIONS = 12, 80
# longest step of Newton's method
LONGEST = 0.5
# what is left of a Newton step, and of the accelerations and rates, at an equilibrium
DONE, LEFT = 1e-11, 1e-9


def rest(
    asked: str, model: Any, start: State | None, options: dict[str, Any], starts: int | None, seed: int, t: float
) -> Equilibria:
    """Equilibria with their states; `options` are those that have no meaning here unless they are left out."""
    for name, (given, usual) in options.items():
        if given not in usual:
            why = "states have no energy, and their equilibria are searched by forces and rates from single starts"
            raise MethodError(asked, f"{name} = {given!r} for a model with states", why, f"leave {name} out")
    machine: Any = (_OfLagrangian if isinstance(model, Lagrangian) else _OfMechanism)(asked, model, start, t)
    rng, count = np.random.default_rng(seed), STARTS if starts is None else starts
    found: list[tuple[Any, Equilibrium]] = []
    first = machine.place
    for k in range(count):
        machine.place = first
        if k and not machine.move(rng.uniform(-1.0, 1.0, machine.motions.shape[1]) * math.pi, pieces=20):
            continue
        if not _newton(machine):
            continue
        if not any(machine.same(machine.place, place) for place, _ in found):
            found.append((machine.place, machine.judged()))
    if not found:
        why = "something falls, is driven, or a state never comes to rest (its rate does not vanish where the bodies can rest)"
        do = "look at a simulation, or give start= near the equilibrium"
        raise ConvergenceError(
            asked, f"no equilibrium of bodies and states together from {count} starts, seed {seed}", why, do
        )
    order = {"stable": 0, "degenerate": 1, "unstable": 2}
    listed = sorted((e for _, e in found), key=lambda e: (order[e.verdict], float(np.max(e.eigenvalues.real))))
    words = f"search: {count} starts; more may exist"
    return Equilibria.of(
        model.name, listed, [], SearchReport(None, 0, machine.motions.shape[1], count, len(listed), 0, words)
    )


def _newton(machine: Any) -> bool:
    """Newton's method on accelerations and rates; whether it ended at an equilibrium."""
    for _ in range(ITERATIONS):
        here = machine.place
        value, matrix = machine.rates(), machine.derivatives()
        if not (np.isfinite(value).all() and np.isfinite(matrix).all()):
            return False
        # rows in units of what one length or radian, and one size of each state, make of them
        n = len(value) - machine.nz
        weight = np.concatenate(
            [np.full(n, np.max(np.abs(matrix[:n]), initial=0.0)), np.max(np.abs(matrix[n:]), axis=1, initial=0.0)]
        )
        weight = np.where(weight > 0.0, weight, 1.0)
        step = np.linalg.lstsq(matrix / weight[:, None], -value / weight, rcond=1e-10)[0]
        size = float(np.max(np.abs(step), initial=0.0))
        if not size <= 1e12:
            return False
        if size <= DONE:
            return bool(np.max(np.abs(value / weight)) <= LEFT) and bool(machine.step(step))
        turned = float(np.max(np.abs(step[: machine.motions.shape[1]]), initial=0.0))
        part, before = min(1.0, LONGEST / max(turned, 1e-300)), float(np.linalg.norm(value / weight))
        for _ in range(8):
            machine.place = here
            if machine.step(part * step) and np.linalg.norm(machine.rates() / weight) < before:
                break
            part *= 0.5
        else:
            # rounding is all that is left
            machine.place = here
            return bool(np.max(np.abs(value / weight)) <= LEFT)
    return False


class _Machine:
    """Bodies and states at a place; y in units of lengths of the model or radians, z in units of `scale`."""

    motions: np.ndarray  # columns: free motions of unit reach
    scale: np.ndarray  # of the states
    nz: int
    place: Any

    def rates(self) -> np.ndarray:
        """Accelerations from rest and rates of the states."""
        raise NotImplementedError

    def move(self, y: np.ndarray, pieces: int = 1) -> bool:
        """Displace the bodies along the free motions."""
        raise NotImplementedError

    def put(self, dz: np.ndarray) -> None:
        """Change the states."""
        raise NotImplementedError

    def step(self, x: np.ndarray) -> bool:
        """Displace bodies and states."""
        n = self.motions.shape[1]
        good = self.move(x[:n])
        self.put(x[n:])
        return good

    def derivatives(self) -> np.ndarray:
        """Of `rates` along the free motions and the states; the motions are those of this place."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Free motions of the present place."""
        raise NotImplementedError


def _verdict(small: Any) -> str:
    """By the small motions with the states: all die out, one grows, or neither can be told."""
    growth = [mode.eigenvalue.real for mode in small.modes]
    limits = [mode.resolution for mode in small.modes]
    if any(g > limit for g, limit in zip(growth, limits)):
        return "unstable"
    return "stable" if all(g < -limit for g, limit in zip(growth, limits)) else "degenerate"


class _OfMechanism(_Machine):
    def __init__(self, asked: str, model: Any, start: State | None, t: float) -> None:
        from ..pose.pose import Pose
        from .bodies import Bodies
        from .of_bodies import check_steady, shown_measures

        self.asked, self.model, self.shown = asked, model, shown_measures(model)
        still = None
        if start is not None:
            still = State(start.t, start.q, np.zeros_like(start.v), start.angles, start.bodies, start.z)
        pose = Pose.of(model, still, asked=asked, t=t, extra=self.shown, consistent=False)
        self.statics = Bodies(pose)
        self.statics.onto()
        check_steady(asked, self.statics)
        self.nz, scales = len(pose.work.state), pose.system.builder.state_scales
        self.scale = np.maximum(scales, np.abs(pose.work.state))
        self.statics.evaluate()
        self.refresh()
        if not self.motions.shape[1]:
            raise ModelError(
                asked, "nothing can move", "a mechanism without free motion rests wherever it is",
                "ask reactions(m) for its loads, or free a driver or joint",
            )  # fmt: skip

    @property
    def place(self) -> Any:  # type: ignore[override]
        pose = self.statics.pose
        return pose.q.copy(), pose.work.angle.copy(), pose.work.state.copy()

    @place.setter
    def place(self, x: Any) -> None:
        pose = self.statics.pose
        pose.q, pose.work.angle[:], pose.work.state[:] = x[0].copy(), x[1], x[2]

    def refresh(self) -> None:
        self.statics.evaluate()
        self.statics.factor()
        z = self.statics.free_motions()
        self.motions = z / np.array([max(self.statics.reach(c), 1e-300) for c in z.T]) if z.size else z

    def move(self, y: np.ndarray, pieces: int = 1) -> bool:
        motion = self.motions @ y / pieces
        return all(self.statics.retract(motion) for _ in range(pieces))

    def put(self, dz: np.ndarray) -> None:
        self.statics.pose.work.state[:] += dz * self.scale

    def rates(self) -> np.ndarray:
        s = self.statics
        s.evaluate()
        s.factor()
        z = s.free_motions()
        a = z @ np.linalg.solve(z.T @ s.mass @ z, z.T @ s.force)
        return np.concatenate([a * s.size / s.system.length, s.pose.work.force[: self.nz]])

    def derivatives(self) -> np.ndarray:
        self.refresh()
        s, n = self.statics, self.statics.n_rows
        still, z = np.zeros(s.nv), s.free_motions()
        a = z @ np.linalg.solve(z.T @ s.mass @ z, z.T @ s.force)
        columns = []
        for moves in ({"q": self.motions}, {"z": np.diag(self.scale)}):
            lam = s.multipliers(s.force - s.mass @ a)
            force, second, state = s.along(["force", "second", "state"], still, moves, {"a": a, "lam": lam})
            by = s.solve(-force.mean, -second.mean[:n])[0]
            columns.append(np.vstack([by * s.size[:, None] / s.system.length, state.mean]))
        return np.hstack(columns)

    def same(self, one: Any, two: Any) -> bool:
        pose = self.statics.pose
        far = np.abs(one[2] - two[2]) / self.scale
        width = 3 if pose.system.plane else 7
        a, b = one[0].reshape(-1, width), two[0].reshape(-1, width)
        if pose.system.plane:
            turn = np.abs(np.exp(1j * a[:, 2]) - np.exp(1j * b[:, 2]))
            apart = np.abs(a[:, :2] - b[:, :2]) / pose.system.length
        else:
            turn = 1.0 - np.abs(np.einsum("ij,ij->i", a[:, 3:], b[:, 3:]))
            apart = np.abs(a[:, :3] - b[:, :3]) / pose.system.length
        return bool(max(np.max(far), np.max(turn), np.max(apart)) < 1e-6)

    def judged(self) -> Equilibrium:
        from ..linearize import linearize

        s = self.statics
        s.evaluate()
        s.factor()
        state = s.pose.state
        state = State(state.t, state.q, np.zeros_like(state.v), state.angles, state.bodies, s.pose.work.state.copy())
        lam = s.multipliers(s.force)
        shown = {x.name: (s.pose.measure(x)[0], x.unit) for x in self.shown}
        shown |= {z.name: (float(x), z.unit) for z, x in zip(s.system.builder.states[:3], state.z)}
        small = linearize(self.model, state)
        return Equilibrium(
            state, _verdict(small), small.eigenvalues, math.nan, small.M, small.K, small.motions, lam, shown, self.model,
            s.system, 0.0, "eigenvalues of bodies and states",
        )  # fmt: skip


class _OfLagrangian(_Machine):
    def __init__(self, asked: str, model: Any, start: State | None, t: float) -> None:
        from ..lagrangian.derivatives import Derivatives
        from ..lagrangian.start import point_of

        self.asked, self.model = asked, model
        point = point_of(model, start, asked, consistent=False)
        point.t = float(t) if start is None else float(start.t)
        self.point, self.nz, system = point, len(model.states), point.system
        self.states = [model.q.index(name) for name in model.states]
        self.bodies = [k for k in range(system.n) if k not in self.states]
        self.rows = [k for k, name in enumerate(system.row_names) if name.removeprefix("rate of ") not in model.states]
        self.scale = np.maximum(1.0, np.abs(point.q[self.states]))
        self._derivatives = Derivatives(system, asked)
        self._law = system.function([system.graph.add_expression(law) for law in model.states.values()])
        self.refresh()
        if not self.motions.shape[1]:
            raise ModelError(
                asked, "nothing can move", "a system without free motion rests wherever it is", "drop a constraint"
            )

    @property
    def place(self) -> Any:  # type: ignore[override]
        return self.point.q.copy()

    @place.setter
    def place(self, x: Any) -> None:
        self.point.q[:] = x

    def refresh(self) -> None:
        jac = self.point.jac[np.ix_(self.rows, self.bodies)]
        z = null_space(jac)
        self.motions = z / np.max(np.abs(z), axis=0) if z.size else z

    def move(self, y: np.ndarray, pieces: int = 1) -> bool:
        for _ in range(pieces):
            self.point.q[self.bodies] += self.motions @ y / pieces
            if not self.point.onto() <= 1e-10:
                return False
        return True

    def put(self, dz: np.ndarray) -> None:
        self.point.q[self.states] += dz * self.scale

    def rates(self) -> np.ndarray:
        self.point.v[:] = 0.0
        rate = np.asarray(self._law(self.point.t, self.point.q, self.point.v), dtype=float)
        self.point.v[self.states] = rate
        a, _ = self.point.solve()
        return np.concatenate([a[self.bodies], rate])

    def derivatives(self) -> np.ndarray:
        from ..lagrangian.derivatives import Rows, sizes_of

        self.refresh()
        self.rates()
        p, f, n = self.point, self._derivatives, self.motions.shape[1]
        x = f.values(p.t, p.q, p.v)
        rows = Rows(x.jac, sizes_of(x.mass))
        slopes = f.slopes(p.t, p.q, p.v, *rows.solve(x.mass, x.force, x.gamma))
        dq, dv = (np.zeros((len(p.q), n + self.nz)) for _ in range(2))
        dq[self.bodies, :n], dq[self.states, n:] = self.motions, np.diag(self.scale)
        # bodies stay at rest, and states change as their rows  z' - f = 0  tell
        own = [p.system.row_names.index(f"rate of {name}") for name in self.model.states]
        dv[self.states] = np.linalg.solve(x.jac[np.ix_(own, self.states)], -(slopes.w_q @ dq)[own])
        a, _ = rows.solve(x.mass, -slopes.r_q @ dq - slopes.r_v @ dv, -slopes.s_q @ dq - slopes.s_v @ dv)
        return np.vstack([a[self.bodies], dv[self.states]])

    def same(self, one: Any, two: Any) -> bool:
        return bool(np.max(np.abs(one - two)) < 1e-6 * max(1.0, float(np.max(np.abs(one)))))

    def judged(self) -> Equilibrium:
        from ..linearize import linearize
        from .of_coordinates import LagrangianEquilibrium

        self.rates()
        self.point.v[:] = 0.0
        state = State(self.point.t, self.point.q.copy(), self.point.v.copy())
        _, lam = self.point.solve()
        small = linearize(self.model, state)
        shown = {name: (float(x), "") for name, x in zip(self.model.q[:6], state.q)}
        return LagrangianEquilibrium(
            state, _verdict(small), small.eigenvalues, math.nan, small.M, small.K, small.motions, lam, shown, self.model,  # type: ignore[arg-type]
            self.point.system, 0.0, "eigenvalues of bodies and states",  # type: ignore[arg-type]
        )  # fmt: skip
