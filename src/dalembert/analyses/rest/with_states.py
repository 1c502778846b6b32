"""Equilibria of models with auxiliary states: accelerations from rest and the rates of the states vanish together.

    a(q, z) = 0,    f(q, z) = 0

An integrator has f without z: what it holds is what the bodies need there.  So poses and states are found by one Newton iteration, with derivatives
along the free motions and along the states, from the start and from random places.  Such forces have no potential; the
eigenvalues of the small motions with the states (`linearize`) decide about stability.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ConvergenceError, MethodError, ModelError
from ...model.lagrangian import Lagrangian
from ...state import State
from ...system.subspaces import null_space
from ..equilibrium import Equilibria, Equilibrium
from ..linearize import linearize
from .problem import begin, in_order
from .seeds import SearchReport

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
    machine = Machine(asked, model, start, t)
    rng, count = np.random.default_rng(seed), STARTS if starts is None else starts
    freedoms = int(machine.motions.shape[1])
    found: list[tuple[_Place, Equilibrium]] = []
    first = machine.place
    for k in range(count):
        machine.place = first
        if k and not machine.step(rng.uniform(-1.0, 1.0, freedoms) * math.pi, pieces=20):
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


def _newton(machine: Machine) -> bool:
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


class Machine:
    """Bodies and states at a place; y in units of lengths of the model or radians, z in units of `scale`.

    States of a mechanism lie in the memory of its laws.  Those of a Lagrangian system are coordinates, with rows z' - f = 0 of their own.
    """

    def __init__(self, asked: str, model: Mechanism | Lagrangian, start: State | None, t: float) -> None:
        self.asked, self.model, self.statics = asked, model, begin(asked, model, start, None, t, None, None)
        s, self.law = self.statics, None
        if isinstance(model, Lagrangian):
            self.law = s.system.function([s.system.graph.add_expression(law) for law in model.states.values()])
            self.states = np.array([model.q.index(name) for name in model.states])
            self.bodies = np.setdiff1d(np.arange(s.nv), self.states)
            self.own = [s.system.row_names.index(f"rate of {name}") for name in model.states]
            self.rows = np.setdiff1d(np.arange(s.n_rows), self.own)
            self.unit, size = np.ones(s.nv), np.ones(len(self.states))
        else:
            size = s.system.builder.state_scales
            self.states, self.bodies, self.unit = np.arange(len(size)), np.arange(s.nv), s.size / s.system.length
        self.nz = len(self.states)
        self.scale = np.maximum(size, np.abs(self.z))
        self.refresh()
        if not self.motions.shape[1]:
            why = "a model without free motion rests wherever it is"
            raise ModelError(
                asked, "nothing can move", why, "ask reactions(m) for its loads, or free a driver, joint or row"
            )

    @property
    def z(self) -> np.ndarray:
        """Values of the states."""
        return np.array(self._memory[self.states])

    @property
    def _memory(self) -> np.ndarray:
        pose = self.statics.pose
        return pose.work.state if self.law is None else pose.q  # type: ignore[no-any-return]

    @property
    def place(self) -> _Place:
        """Configuration, counted angles and states."""
        return *self.statics.place, self.z

    @place.setter
    def place(self, x: _Place) -> None:
        self.statics.place = x[:2]
        self._memory[self.states] = x[2]

    def refresh(self) -> None:
        """Free motions of the present place, in columns of unit size."""
        s = self.statics
        s.evaluate()
        if self.law is None:
            s.factor()
            z = s.free_motions()
            self.motions = z / np.array([max(s.reach(c), 1e-300) for c in z.T]) if z.size else z
            return
        z = null_space(s.jac[np.ix_(self.rows, self.bodies)])
        self.motions = np.zeros((s.nv, z.shape[1]))
        self.motions[self.bodies] = z / np.max(np.abs(z), axis=0) if z.size else z

    def step(self, x: np.ndarray, pieces: int = 1) -> bool:
        """Displace bodies along the free motions, and states; whether the rows could be met."""
        n, z = self.motions.shape[1], self.z
        motion = self.motions @ x[:n] / pieces
        good = all(self.statics.retract(motion) for _ in range(pieces))
        self._memory[self.states] = z + np.append(x[n:], np.zeros(self.nz - len(x[n:]))) * self.scale
        return good

    def _solved(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers while bodies rest and states change as they will."""
        s, v = self.statics, np.zeros(self.statics.nv)
        if self.law is not None:
            v[self.states] = self.law(s.pose.t, s.pose.q, v)
        s.evaluate(v)
        s.factor()
        return s.solve(s.force, np.zeros(s.n_rows) if self.law is None else s.values.gamma)  # type: ignore[no-any-return]

    def rates(self) -> np.ndarray:
        """Accelerations from rest and rates of the states."""
        a, pose = self._solved()[0], self.statics.pose
        rates = pose.work.force[: self.nz] if self.law is None else pose.v[self.states]
        return np.concatenate([(a * self.unit)[self.bodies], rates])

    def derivatives(self) -> np.ndarray:
        """Of `rates` along the free motions and the states; the motions are those of this place."""
        self.refresh()
        (a, lam), s, n = self._solved(), self.statics, self.motions.shape[1]
        given, v = {"a": a, "lam": lam}, s.pose.v.copy()
        if self.law is None:
            made = [
                s.along(["force", "second", "state"], v, moves, given)
                for moves in ({"q": self.motions}, {"z": np.diag(self.scale)})
            ]
            force, second, state = (np.hstack([x.mean for x in some]) for some in zip(*made))
        else:
            dq, dv = (np.zeros((s.nv, n + self.nz)) for _ in range(2))
            dq[:, :n], dq[self.states, n:] = self.motions, np.diag(self.scale)
            # bodies stay at rest, and states change as their rows  z' - f = 0  tell
            (rate,) = s.along(["rate"], v, {"q": dq})
            state = np.linalg.solve(s.jac[np.ix_(self.own, self.states)], -rate.mean[self.own])
            dv[self.states] = state
            force, second = (x.mean for x in s.along(["force", "second"], v, {"q": dq, "v": dv}, given))
        by = s.solve(-force, -second[: s.n_rows])[0]
        return np.vstack([(by * self.unit[:, None])[self.bodies], state])

    def same(self, one: _Place, two: _Place) -> bool:
        """Whether two places are one."""
        far = float(np.max(np.abs(one[2] - two[2]) / self.scale))
        return max(far, self.statics.reach(self.statics.way(one[0], two[0]))) < 1e-6

    def judged(self) -> Equilibrium:
        """The equilibrium here, judged by the small motions with the states."""
        (_, lam), s, model = self._solved(), self.statics, self.model
        state = replace(s.pose.state, v=np.zeros(s.nv))
        if isinstance(model, Lagrangian):
            shown = {name: (float(x), "") for name, x in zip(model.q[:6], state.q)}
        else:
            state, lam = replace(state, z=self.z), s.multipliers(s.force)
            shown = s.coordinates() | {x.name: (float(z), x.unit) for x, z in zip(s.system.builder.states[:3], self.z)}
        small = linearize(model, state)
        found = _verdict(small), small.eigenvalues, math.nan, small.M, small.K, small.motions, lam, shown
        return Equilibrium(state, *found, model, s.system, 0.0, "eigenvalues of bodies and states")


def _verdict(small: Any) -> str:
    """By the small motions with the states: all die out, one grows, or neither can be told."""
    growth = [(mode.eigenvalue.real, mode.resolution) for mode in small.modes]
    if any(g > limit for g, limit in growth):
        return "unstable"
    return "stable" if all(g < -limit for g, limit in growth) else "degenerate"
