"""Equilibria of models with auxiliary states: accelerations from rest and the rates of the states vanish together.

    a(q, z) = 0,    f(q, z) = 0

An integrator has f without z: what it holds is what the bodies need there.  So poses and states are found by one Newton iteration, with derivatives
along the free motions and along the states, from the start and from random places.  Such forces have no potential; the
eigenvalues of the small motions with the states (`linearize`) decide about stability.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ConvergenceError, MethodError, ModelError
from ...model.lagrangian import Lagrangian
from ...state import State
from ...system.lagrange import compile_lagrangian
from ...system.subspaces import null_space
from ..assembly.search import distance
from ..dynamics.start import read_state
from ..equilibrium import Equilibria, Equilibrium
from ..lagrangian.point import Point
from ..linearize import linearize
from ..pose.pose import Pose
from .bodies import Bodies, check_steady, shown_measures
from .coordinates import Coordinates
from .morse import SearchReport
from .problem import in_order

if TYPE_CHECKING:
    from ...model.mechanism import Mechanism


STARTS, ITERATIONS = 12, 80
# longest step of Newton's method
LONGEST = 0.5
# what is left of a Newton step, and of the accelerations and rates, at an equilibrium
DONE, LEFT = 1e-11, 1e-9

# configuration, counted angles, states
_Place = tuple[np.ndarray, np.ndarray, np.ndarray]


def rest(
    asked: str,
    model: Mechanism | Lagrangian,
    start: State | None,
    options: dict[str, Any],
    starts: int | None,
    seed: int,
    t: float,
) -> Equilibria:
    """Equilibria with their states; `options` are those that have no meaning here unless they are left out."""
    for name, (given, usual) in options.items():
        if given not in usual:
            why = "states have no energy, and their equilibria are searched by forces and rates from single starts"
            raise MethodError(asked, f"{name} = {given!r} for a model with states", why, f"leave {name} out")
    machine: _OfLagrangian | _OfMechanism = (
        _OfLagrangian(asked, model, start, t) if isinstance(model, Lagrangian) else _OfMechanism(asked, model, start, t)
    )
    rng, count = np.random.default_rng(seed), STARTS if starts is None else starts
    freedoms = int(machine.motions.shape[1])
    found: list[tuple[_Place, Equilibrium]] = []
    first = machine.place
    for k in range(count):
        machine.place = first
        if k and not machine.move(rng.uniform(-1.0, 1.0, freedoms) * math.pi, pieces=20):
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
    listed = in_order([e for _, e in found], machine.statics, first[0])
    words = f"search: {count} starts; more may exist"
    return Equilibria.of(model.name, listed, [], SearchReport(None, 0, freedoms, count, len(listed), 0, words))


def _newton(machine: _Machine) -> bool:
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
    asked: str
    model: Mechanism | Lagrangian
    statics: Bodies | Coordinates

    @property
    def place(self) -> _Place:
        pose = self.statics.pose
        return pose.q.copy(), pose.work.angle.copy(), pose.work.state.copy()

    @place.setter
    def place(self, x: _Place) -> None:
        pose = self.statics.pose
        pose.q, pose.work.angle[:], pose.work.state[:] = x[0].copy(), x[1], x[2]

    def _check_moves(self) -> None:
        if not self.motions.shape[1]:
            why, do = (
                "a model without free motion rests wherever it is",
                "ask reactions(m) for its loads, or free a driver, joint or row",
            )
            raise ModelError(self.asked, "nothing can move", why, do)

    def _made(self, state: State, small: Any, lam: np.ndarray, shown: dict[str, Any]) -> Equilibrium:
        """The equilibrium, judged by the small motions with the states."""
        found = _verdict(small), small.eigenvalues, math.nan, small.M, small.K, small.motions, lam, shown
        reason = "eigenvalues of bodies and states"
        return Equilibrium(state, *found, self.model, self.statics.system, 0.0, reason)

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
    model: Mechanism
    statics: Bodies

    def __init__(self, asked: str, model: Mechanism, start: State | None, t: float) -> None:
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
        self._check_moves()

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
        a, _ = s.solve(s.force, np.zeros(s.n_rows))
        return np.concatenate([a * s.size / s.system.length, s.pose.work.force[: self.nz]])

    def derivatives(self) -> np.ndarray:
        self.refresh()
        s, n = self.statics, self.statics.n_rows
        (a, lam), still = s.solve(s.force, np.zeros(n)), np.zeros(s.nv)
        columns = []
        for moves in ({"q": self.motions}, {"z": np.diag(self.scale)}):
            force, second, state = s.along(["force", "second", "state"], still, moves, {"a": a, "lam": lam})
            by = s.solve(-force.mean, -second.mean[:n])[0]
            columns.append(np.vstack([by * s.size[:, None] / s.system.length, state.mean]))
        return np.hstack(columns)

    def same(self, one: _Place, two: _Place) -> bool:
        far = np.abs(one[2] - two[2]) / self.scale
        return bool(max(np.max(far), distance(self.statics.system, one[0], two[0])) < 1e-6)

    def judged(self) -> Equilibrium:
        s = self.statics
        s.evaluate()
        s.factor()
        state = s.pose.state
        state = State(state.t, state.q, np.zeros_like(state.v), state.angles, state.bodies, s.pose.work.state.copy())
        lam = s.multipliers(s.force)
        shown = {x.name: (s.pose.measure(x)[0], x.unit) for x in self.shown}
        shown |= {z.name: (float(x), z.unit) for z, x in zip(s.system.builder.states[:3], state.z)}
        return self._made(state, linearize(self.model, state), lam, shown)


class _OfLagrangian(_Machine):
    model: Lagrangian
    statics: Coordinates

    def __init__(self, asked: str, model: Lagrangian, start: State | None, t: float) -> None:
        self.asked, self.model = asked, model
        given = read_state(asked, model, start, "start")
        system = compile_lagrangian(model, asked)
        point = Point.assembled(system, t, asked) if given is None else Point.at(system, given, asked)
        point.scales()
        point.detect(asked)
        point.check_positions(asked, "drawing" if given is None else "state")
        self.statics = s = Coordinates(point.functions, point.t, point.q, np.zeros(len(point.q)))
        s.pose.detect(asked)
        self.nz, names = len(model.states), s.system.row_names
        self.states = [model.q.index(name) for name in model.states]
        self.bodies = [k for k in range(s.nv) if k not in self.states]
        self.own = [names.index(f"rate of {name}") for name in model.states]
        self.rows = [k for k in range(s.n_rows) if k not in self.own]
        self.scale = np.maximum(1.0, np.abs(s.pose.q[self.states]))
        self._law = s.system.function([s.system.graph.add_expression(law) for law in model.states.values()])
        self.refresh()
        self._check_moves()

    def refresh(self) -> None:
        self.statics.evaluate()
        z = null_space(self.statics.jac[np.ix_(self.rows, self.bodies)])
        self.motions = z / np.max(np.abs(z), axis=0) if z.size else z

    def move(self, y: np.ndarray, pieces: int = 1) -> bool:
        pose = self.statics.pose
        for _ in range(pieces):
            pose.q[self.bodies] += self.motions @ y / pieces
            if not pose.onto() <= 1e-10:
                return False
        return True

    def put(self, dz: np.ndarray) -> None:
        self.statics.pose.q[self.states] += dz * self.scale

    def _solved(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers while bodies rest and states change as they will."""
        s, v = self.statics, np.zeros(self.statics.nv)
        v[self.states] = self._law(s.pose.t, s.pose.q, v)
        s.evaluate(v)
        s.factor()
        return s.solve(s.force, s.values.gamma)

    def rates(self) -> np.ndarray:
        a, _ = self._solved()
        return np.concatenate([a[self.bodies], self.statics.pose.v[self.states]])

    def derivatives(self) -> np.ndarray:
        self.refresh()
        a, lam = self._solved()
        s, n = self.statics, self.motions.shape[1]
        dq, dv = (np.zeros((s.nv, n + self.nz)) for _ in range(2))
        dq[self.bodies, :n], dq[self.states, n:] = self.motions, np.diag(self.scale)
        given, v = {"a": a, "lam": lam}, s.pose.v.copy()
        # bodies stay at rest, and states change as their rows  z' - f = 0  tell
        (rate,) = s.along(["rate"], v, {"q": dq})
        dv[self.states] = np.linalg.solve(s.jac[np.ix_(self.own, self.states)], -rate.mean[self.own])
        force, second = s.along(["force", "second"], v, {"q": dq, "v": dv}, given)
        a, _ = s.solve(-force.mean, -second.mean)
        return np.vstack([a[self.bodies], dv[self.states]])

    def same(self, one: _Place, two: _Place) -> bool:
        return bool(np.max(np.abs(one[0] - two[0])) < 1e-6 * max(1.0, float(np.max(np.abs(one[0])))))

    def judged(self) -> Equilibrium:
        _, lam = self._solved()
        pose = self.statics.pose
        state = State(pose.t, pose.q.copy(), np.zeros(self.statics.nv))
        shown = {name: (float(x), "") for name, x in zip(self.model.q[:6], state.q)}
        return self._made(state, linearize(self.model, state), lam, shown)
