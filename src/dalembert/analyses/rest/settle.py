"""equilibrium(method="settle"): integrate with damping until at rest, the third route of PLANAR 6.5.

The damping is that of the masses, -c M v: every mode dies out, and equilibria stay where they are.  c is critical for the slowest mode of the stiffness at
hand, and chosen anew as the motion goes on.  Where the machine has come near an equilibrium that is not unstable, Newton's method ends the way;
an equilibrium that is unstable is left with a small push.  What is reached is where the machine would settle from where it is drawn.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ConvergenceError, MethodError
from ...model.expression import Number
from ...model.forces import Force, Law
from ...model.frame import Marker
from ...model.lagrangian import Lagrangian
from ...model.measure import Measure
from ...state import State
from ...system.collect import collect
from ...system.collected import does_work
from ...system.lagrange import compile_lagrangian
from ..equilibrium import Equilibria
from ..simulate import simulate
from .problem import Problem
from .seeds import SearchReport

if TYPE_CHECKING:
    from ...model.mechanism import Mechanism


# pieces of the motion at most, their length in units of 1/omega of the slowest mode, and of the fastest at most
PIECES, LENGTH, LONGEST = 80, 8.0, 400.0
# distance from the equilibrium (rad, or lengths of the model) from which on Newton's method may end the way
NEAR = 0.02
# first push, in rad or lengths per 1/omega
PUSH = 0.01
# slowest mode that counts, as a part of the fastest
SLOWEST = 0.02


def settle(
    asked: str, model: Mechanism | Lagrangian, start: State | None, t: float, seed: int, spinning: Any
) -> Equilibria:
    """The equilibrium at which a mechanism or Lagrangian system comes to rest from its start."""
    if spinning is not None:
        why, do = "damping would stop the turn", "use method='auto' for relative equilibria"
        raise MethodError(asked, "method = 'settle' with spinning", why, do)
    _refuse_time(asked, model)
    problem = Problem(asked, model, start, t=t)
    rng, state, elapsed = np.random.default_rng(seed), problem.statics.state, 0.0
    for _ in range(PIECES):
        problem = Problem(asked, model, state, t=state.t)
        s, search, place = problem.statics, problem.search, problem.search.place
        z, g = search.reduced()
        mass = z.T @ s.mass @ z
        omega = _frequencies(search.stiffness(z), mass, s.reach(z @ np.linalg.solve(mass, g)))
        # close enough to an equilibrium for Newton's method to end the way
        near = search.newton() and s.reach(s.way(place[0], search.place[0])) <= NEAR
        found = problem.judged(search.place, []) if near else None
        if found is not None and found.verdict != "unstable":
            words = f"search: settled from the start, {elapsed:.3g} s of damped motion; other equilibria were not looked for"
            return Equilibria.of(model.name, [s.shown(found)], [], SearchReport(None, 0, z.shape[1], 1, 1, 0, words))
        fast, length = float(np.max(omega, initial=0.0)), float(s.system.length)
        rest = 1e-3 * PUSH * max(1.0, fast) * min(1.0, length)
        if found is not None and float(np.max(np.abs(state.v), initial=0.0)) <= rest:
            state = replace(state, v=z @ (PUSH * rng.standard_normal((z.shape[1],))) * fast * length)
        slow = max(float(np.min(omega, initial=fast)), SLOWEST * fast)
        until = min(LENGTH / slow, LONGEST / fast) if fast > 0.0 else 1.0
        # the time stays that of the start
        state = replace(_run(_damped(model, 2.0 * slow), state, until), t=state.t)
        elapsed += until
    found_speed = f"after {elapsed:.3g} s of damped motion the largest velocity is {float(np.max(np.abs(state.v), initial=0.0)):.3g}"
    why = "forces keep driving it, or it creeps along a direction without stiffness"
    raise ConvergenceError(
        asked, found_speed, why, "look at the forces; use method='force', or give start= near an equilibrium"
    )


def _frequencies(k: np.ndarray, m: np.ndarray, pulled: float) -> np.ndarray:
    """Square roots of the sizes of the eigenvalues of M^-1 K, and of the acceleration (rad or lengths per s²) where stiffness tells too little."""
    values = np.abs(np.linalg.eigvals(np.linalg.solve(m, k)))
    return np.maximum(np.sqrt(values[np.isfinite(values)]), 0.3 * math.sqrt(pulled))


def _damped(model: Mechanism | Lagrangian, c: float) -> Mechanism | Lagrangian:
    if isinstance(model, Lagrangian):
        # -d(c T)/dq' = -c M q'
        slowed = copy.copy(model)
        slowed._energies = {**model._energies, "dissipation": model.dissipation + Number(c) * model.kinetic}
        return slowed
    twin, name = copy.copy(model), "settling"
    while name in twin._parts:
        name += "'"
    twin._parts = {**model._parts, name: Drag(twin, name, c)}
    return twin


@dataclass(frozen=True, eq=False, repr=False)
class Drag(Force):
    """Damping of all bodies in proportion to their masses and inertias; of turns in space to the largest inertia."""

    rate: float = 0.0

    tag = "drag"

    def elements(self) -> list[tuple[Measure, Law]]:
        """A linear law on every velocity of every body."""
        model, found = self.model, []
        ground = Marker(model.ground, (0.0, 0.0, 0.0))
        axes = [tuple(1.0 if k == n else 0.0 for k in range(3)) for n in range(3)]
        for body in model.bodies:
            p = body.shape.mass_properties(model.value)  # type: ignore[union-attr]
            at = Marker(body, body.center)
            for n, direction in enumerate(axes[: 2 if model.plane else 3]):
                speed = self.measure(f"{body.name}_{n}", "velocity", ground, at, direction=direction, unit="m/s")
                found.append((speed, Law("linear", (0.0, 0.0, self.rate * p.mass, 0.0))))
            if body.particle:
                continue
            inertia = p.inertia[2, 2] if model.plane else float(np.max(np.diag(p.inertia)))
            for direction in axes[2:] if model.plane else axes:
                turn = self.measure(f"{body.name}_turn", "spin", ground, at, direction=direction, unit="rad/s")
                found.append((turn, Law("linear", (0.0, 0.0, self.rate * float(inertia), 0.0))))
        return found


_NO_TIME = (
    "where forces or rows change with time there is no rest to come to",
    "use method='force', which takes them at one time t",
)


def _refuse_time(asked: str, model: Mechanism | Lagrangian) -> None:
    if isinstance(model, Lagrangian):
        system = compile_lagrangian(model, asked)
        nodes = system.nodes
        if system.graph.input["t"] in system.graph.needed([*nodes.force, *nodes.w, nodes.kinetic]):
            raise MethodError(asked, "an explicit time in its energies, forces or rows", *_NO_TIME)
        return
    moving = [d.name for d in model.parts("driver") if "t" in d.expression.names]
    builder = collect(model)
    moving += [law.part for law in builder.laws if law.expression is not None and "t" in law.expression.names]
    for block in builder.blocks:
        moving += [block.part for made, _ in block.composites if made.expression is not None and does_work(made)]
    if moving:
        named = ", ".join(repr(x) for x in dict.fromkeys(moving))
        raise MethodError(asked, f"{named} with an explicit time", *_NO_TIME)


def _run(twin: Mechanism | Lagrangian, state: State, until: float) -> State:
    options: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-8, "output": [state.t + until]}
    options |= {"audit": False, "progress": False}
    try:
        run = simulate(twin, until=state.t + until, start=state, **options)
        if run.trace.interrupted:
            raise KeyboardInterrupt
    except ConvergenceError as error:
        partial = getattr(error, "result", None)
        if partial is None or not len(partial.trace.kept.t) or partial.trace.kept.t[-1] <= state.t:
            raise
        run = partial
    last: State = run.at(float(run.trace.kept.t[-1]))
    return last
