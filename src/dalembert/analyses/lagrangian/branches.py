"""Equilibria of a Lagrangian system along a parameter: what following a branch needs, from exact derivatives."""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...errors import AssemblyError, ConvergenceError, MethodError
from ...state import State
from ..equilibrium import Equilibria, Equilibrium
from ..rest.branches import Branches, Mark
from ..rest.continuation import Follower, branches_of, read_range
from .derivatives import Derivatives
from .search import Place, Search


class Stand:
    """A system with one value of the parameter, near an equilibrium: in place of statics, search and problem of a mechanism.

    Displacements are measured in the sizes of the search, so that `size` is their inverse and the length of the model is 1.
    """

    def __init__(self, search: Search, q: np.ndarray, asked: str) -> None:
        self.inner, self.asked = search, asked
        self.statics: Any = self
        self.search: Any = self
        self.pose: Any = self
        self.p = math.nan
        n = len(q)
        self.size = 1.0 / search.size
        self.system = SimpleNamespace(plane=True, length=1.0, nv=n)
        self.turning, self.active = search.periodic, np.ones(n, dtype=bool)
        self.q = q
        self.move(np.zeros(n))

    # -- where -----------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """Where it is."""
        return State(self.inner.t, self.q, self.inner.v)

    def _place(self, place: tuple[np.ndarray, np.ndarray]) -> None:
        self.q = place[0].copy()

    place = property(None, _place)

    def move(self, delta: np.ndarray) -> None:
        """Displace it on the holonomic rows."""
        moved = self.inner.onto(self.q + delta)
        if moved is None:
            raise AssemblyError(
                self.asked,
                "no place on the rows near " + ", ".join(f"{x:.6g}" for x in self.q),
                "the system does not exist with this value of the parameter",
                "give a smaller range between=",
            )
        self.q = moved

    def onto(self) -> bool:
        """Places are on the rows always."""
        return True

    def reach(self, delta: np.ndarray) -> float:
        """Size of a displacement."""
        return float(np.max(np.abs(delta * self.size), initial=0.0))

    # -- forces ----------------------------------------------------------------------------------------------------------

    @property
    def here_place(self) -> Place:
        """Balance here."""
        made = self.inner.at(self.q)
        if made is None:
            raise ConvergenceError(
                self.asked,
                "an expression without a finite value on the way",
                "branches end where forces are not defined",
                "give a smaller range between=",
            )
        return made

    def reduced(self) -> tuple[np.ndarray, np.ndarray]:
        """Free motions and the reduced force along them."""
        place = self.here_place
        return place.rows.motions, place.g

    def stiffness(self, z: np.ndarray) -> np.ndarray:
        """Reduced stiffness."""
        made: np.ndarray = z.T @ self.inner.slope(self.here_place) @ z
        return made

    def scale(self, k: np.ndarray) -> float:
        """Size of forces that the reduced force is compared with."""
        return max(float(np.linalg.norm(k, 2)), self.inner.stiffness, 1e-300)

    def newton(self) -> bool:
        """Go to the equilibrium near here."""
        found = self.inner.newton(self.q)
        if found is not None:
            self.q = found.q
        return found is not None

    def here(self) -> Equilibrium:
        """The equilibrium here, its matrices for the free motions of `reduced`."""
        from .equilibrium import judged
        from .linear import linear

        functions = self.inner.functions
        local = linear(functions, self.inner.t, self.q, self.inner.v, self.inner.held)
        made = judged(functions.system.model, functions, self.inner, local)
        z = self.here_place.rows.motions
        turn = z[local.speeds]
        return replace(made, M=turn.T @ made.M @ turn, K=turn.T @ made.K @ turn, motions=z)

    def solve(self, starts: int | None, turns: float, seed: int) -> Equilibria:
        """All equilibria with this value of the parameter."""
        from .equilibrium import all_equilibria

        search = copy.copy(self.inner)
        search.start = self.q  # on the rows with this value
        return all_equilibria(search.functions, search, starts, turns, seed, self.asked)


class LagrangianFollower(Follower):
    """Follows equilibria of one Lagrangian system along one parameter."""

    def __init__(self, asked: str, search: Search, name: str, between: tuple[float, float], rates: Any) -> None:
        model: Any = search.functions.system.model
        super().__init__(asked, model, name, between, ("auto", None))
        self.base, self.rates = search, rates

    def problem(self, p: float, state: State | None) -> Any:
        """The system with the parameter p, near a state."""
        made = copy.copy(self.base)
        made.functions = with_parameter(self.base.functions, self.name, p)
        made.v = self.rates(p)
        return Stand(made, (self.base.start if state is None else state.q).copy(), self.asked)

    def _slope(self, problem: Any, p: float, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Displacement that follows the rows per unit of the parameter, and dg/dp along the free motions."""
        place, inner = problem.here_place, problem.inner
        functions: Derivatives = inner.functions
        none = np.zeros(functions.n)
        r_p, _, phi_p, _ = functions.by_parameter(self.name, inner.t, place.q, inner.v, none, place.lam)
        slopes = functions.slopes(inner.t, place.q, inner.v, none, place.lam)
        slide = place.rows.inverse(-np.concatenate([phi_p, np.zeros(len(inner.grip))]))
        h = 1e-4 * self.span
        faster = (self.rates(p + h) - self.rates(p - h)) / (2 * h)
        return slide, z.T @ (r_p + slopes.r_v @ faster + slopes.r_q @ slide)

    def apart(self, a: Mark, b: Mark) -> float:
        """Distance of two marks."""
        return math.hypot(
            self.base.apart(a.equilibrium.state.q, b.equilibrium.state.q), (a.value - b.value) / self.span
        )


def with_parameter(functions: Derivatives, name: str, value: float) -> Derivatives:
    """The same functions with another value of a parameter."""
    made = copy.copy(functions)
    k = list(functions.system.model.parameters).index(name)
    made.parameters = functions.parameters.copy()
    memory = functions.system.memory.copy()
    made.parameters[k] = memory[k] = value
    made.system = replace(functions.system, memory=memory)
    return made


def follow(
    asked: str, search: Search, along: Any, between: Any, rates: Any, starts: int | None, turns: float, seed: int
) -> Branches:
    """Branches along a parameter; `rates(p)` are the velocities of a steady motion."""
    functions = search.functions
    ends = read_range(asked, list(functions.system.model.parameters), along, between)
    if functions.m > functions.h:
        raise MethodError(
            asked,
            f"along = {along!r} with rate rows ({', '.join(list(functions.system.model.nonholonomic)[:3])})",
            "systems with rate rows rest in whole families of places, which are no branches",
            "ask for each value: m.parameter(name, value), then da.equilibrium(m)",
        )
    search.survey([search.start, *search.random_starts(6, turns, seed)])
    follower = LagrangianFollower(asked, search, along, ends, rates)
    drawn = State(search.t, search.start, search.v)
    return branches_of(follower, drawn, starts, turns, seed)
