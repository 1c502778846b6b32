"""Dry friction that slips: its forces and the reactions that they depend on, found together.

    f_k = g_k e_k        g_k = mu_k(|u_k|) N_k(lam)        lam = lam0 + L g

u has one to three components; e = u/|u|, or a direction that is given: +-1 for one component (u may pass 0 on the way, and the run ends there), and near rest for
several.  N is the sum of the sizes of what presses.  At a state, multipliers depend on the sizes g linearly: one evaluation for each column of L.  The few
equations for g are solved by Newton's method; N is piecewise smooth, so that it ends after a few steps.  The time loop does the same in machine code
(`kernels/friction.py`); this is for single evaluations, for sizes looked up in tables, beside laws in Python, and a check on the other.

Where friction feeds back on its own reaction so strongly that det(I - mu dN/dlam L) is not positive, the equations have no solution or several
(Painleve's paradox; jamming): that is refused, with its name.  Of one element N = |n0 + b g| has two solutions where mu |b| > 1 and n0 < 0 < b, on either side of n = 0.  A joint
that gives a little follows n' ~ n0 + b mu |n| - n, and stays where 1 - b mu sign n > 0: that is the one with the positive determinant, which is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import DalembertError, ModelError, SingularError
from ..kernels import memory
from ..kernels.friction import (
    ABSENT,
    ENOUGH,
    FAILED,
    FAILED_AT,
    FAILED_BY,
    FAILED_OF,
    FAILED_TIME,
    FINE,
    GIVEN,
    GROWING,
    NO_SIZE,
    NUMBER,
    NUMBER_SIZE,
    STATUS,
    STEPS,
)
from ..kernels.operate import EVALUATE


@dataclass(frozen=True)
class Sliding:
    """One friction element that slips."""

    # name, laws: its name, and the numbers of its laws, one for each component; of a Lagrangian system the number of the parameter that is its size
    name: str
    laws: tuple[int, ...]
    direction: np.ndarray | None  # what it acts against; None: its rates
    law: Any  # coefficient (or force, without pads): a number, or an expression of v, the size of the rate
    pads: tuple[np.ndarray, ...] = ()  # of each the components as rows of a matrix on the multipliers in `rows`
    rows: tuple[int, ...] = ()
    # laws of compliant contacts that press: the law of the size then depends on gap0, rate0, gap1, ... too, the values and rates of their measures
    gaps: tuple[int, ...] = ()
    rates: tuple[
        int, ...
    ] = ()  # laws whose rates it acts against, where they are not its own: of gaps that slide together
    # whether what presses, of one pad with one component, enters with its sign: of gaps that share it at will, single ones may pull
    signed: bool = False
    island: int = 0  # bodies that rows connect, among which it is: elements of different islands do not feel each other

    def size(self, speed: float, gaps: Sequence[tuple[float, float]] = ()) -> float:
        """Coefficient or force at a size of the rate, and at gaps."""
        if isinstance(self.law, float):
            return self.law
        named = {f"{what}{k}": x for k, pair in enumerate(gaps) for what, x in zip(("gap", "rate"), pair)}
        return float(self.law.evaluate({"v": speed} | named))

    def pressure(self, lam: np.ndarray) -> tuple[float, np.ndarray]:
        """N, and its derivative by the multipliers."""
        own, total, slope = lam[list(self.rows)], 0.0, np.zeros(len(lam))
        for pad in self.pads:
            x = pad @ own
            if self.signed:
                total, slope[list(self.rows)] = total + float(x[0]), slope[list(self.rows)] + pad[0]
                continue
            size = float(np.linalg.norm(x))
            total += size
            if size > 0.0:
                slope[list(self.rows)] += (x / size) @ pad
        return total, slope


class DryFriction:
    """All friction of a model that slips; forces go into the memory of the kernels, as those of laws in Python do."""

    def __init__(self, sliding: Sequence[Sliding], asked: str, tables: Callable[[list[Sliding]], Any]) -> None:
        self.sliding, self.asked, self._tables = (
            sorted(sliding, key=lambda one: (not one.pads, one.island)),
            asked,
            tables,
        )
        self.force = np.zeros(len(self.sliding))  # sizes, those of the last time to begin with
        self.along = [np.zeros(len(one.laws)) for one in self.sliding]
        # which way each slips, 1 or -1, or 0: not at all; none: as it was given
        self.slips: tuple[int, ...] = ()

    @property
    def coupled(self) -> list[int]:
        """Numbers of the elements that slip and feel a reaction."""
        return [k for k, one in enumerate(self.sliding) if one.pads and not (self.slips and self.slips[k] == 0)]

    def turn(self, name: str, direction: np.ndarray) -> None:
        """Let an element act against a direction."""
        for k in self._numbers(name):
            self.sliding[k] = replace(self.sliding[k], direction=direction)

    def leave_out(self, name: str) -> None:
        """Let an element have no force."""
        for k in self._numbers(name):
            self.sliding[k] = replace(self.sliding[k], law=0.0, gaps=())

    def undecided(self) -> dict[str, float]:
        """Elements without a direction that something presses, and what they hold at most: any force up to that fits."""
        every = zip(self.sliding, self.force.tolist(), self.along)
        return {one.name: size for one, size, along in every if size > 0.0 and not along.any()}

    @property
    def turns(self) -> bool:
        """Whether a direction of slipping turns: at the rate f/(m |u|), beyond bounds towards rest, in the motion itself: no stiffness that implicit steps pass over."""
        return any(one.direction is None and len(one.laws) > 1 for one in self.sliding)

    def tables(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Arrays for the time loop (`kernels/friction.py`); None where it has to be solved in Python."""
        made: tuple[np.ndarray, np.ndarray] | None = self._tables(self.sliding)
        for k, way in enumerate(self.slips if made is not None else ()):
            S, X = made  # type: ignore[misc]  # noqa: N806
            first = S[NUMBER] + NUMBER_SIZE * k
            X[first + 1], X[first + STATUS] = way, GIVEN if way else ABSENT
        return made

    def failure(self, X: np.ndarray) -> DalembertError | None:  # noqa: N803
        """What the time loop met that has no solution, by the numbers that it left; None: nothing."""
        kind, k, by, of, t = X[[FAILED, FAILED_AT, FAILED_BY, FAILED_OF, FAILED_TIME]].tolist()
        if kind == FINE:
            return None
        one = self.sliding[int(k)]
        return self._no_size(one, by, of) if kind == NO_SIZE else self._no_solution(one, of, by, t)

    def _numbers(self, name: str) -> list[int]:
        return [k for k, one in enumerate(self.sliding) if one.name == name]

    def solve(self, p: Any, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
        """Put the forces at a state in place; rates of the measures are current."""

        def multipliers() -> np.ndarray:
            p.operate(EVALUATE, p.I, p.P, p.F, t, q, v, a, 0.0, 1)
            return memory.multipliers(p.I, p.F).copy()

        self.find(p, t, multipliers)

    def find(self, p: Any, t: float, multipliers: Callable[[], np.ndarray]) -> None:
        """Put the forces in place where multipliers with the forces at hand are found by a function; `p` has the arrays I and F."""
        mu, along, coupled = np.zeros(len(self.sliding)), self.along, self.coupled
        guess = self.force[coupled]
        for k, one in enumerate(self.sliding):
            if self.slips:
                direction = np.array([float(self.slips[k])])
                one = self.sliding[k] = replace(one, direction=direction)
                if self.slips[k] == 0:
                    along[k] = direction
                    self._put(p, k, 0.0)
                    continue
            speed, u = 0.0, np.zeros(len(one.laws))
            if one.direction is None or not isinstance(one.law, float):
                u = np.array([memory.law_inputs(p.I, p.F, law)[1] for law in one.rates or one.laws])
                speed = float(np.linalg.norm(u))
            along[k] = one.direction if one.direction is not None else u / speed if speed > 0.0 else 0.0 * u
            mu[k] = self._size(one, speed, [memory.law_inputs(p.I, p.F, law) for law in one.gaps])
            self._put(p, k, 0.0 if one.pads else mu[k])
        if not coupled:
            return
        lam0 = multipliers()
        columns = np.zeros((len(lam0), len(coupled)))
        for n, k in enumerate(coupled):
            self._put(p, k, 1.0)
            columns[:, n] = multipliers() - lam0
            self._put(p, k, 0.0)
        found = self._newton(lam0, columns, mu[coupled], guess, t)
        for k, x in zip(coupled, found):
            self._put(p, k, x)

    def _put(self, p: Any, k: int, size: float) -> None:
        """The force of an element by its size."""
        self.force[k] = size
        for law, e in zip(self.sliding[k].laws, self.along[k]):
            memory.put_called(p.I, p.F, law, size * e)

    def _size(self, one: Sliding, rate: float, gaps: Sequence[tuple[float, float]]) -> float:
        """Coefficient or force at a rate; friction that would push is refused."""
        size = one.size(rate, gaps)
        if 0.0 <= size < math.inf:
            return size
        raise self._no_size(one, size, rate)

    def _no_size(self, one: Sliding, size: float, rate: float) -> ModelError:
        return ModelError(
            f"{self.asked}: friction {one.name!r}", f"its size is {size:g} at a rate of {rate:.6g}",
            "friction acts against the motion: its size is a finite number, 0 or more", "correct its expression of v: max(0, ...)",
        )  # fmt: skip

    def _newton(self, lam0: np.ndarray, L: np.ndarray, mu: np.ndarray, f: np.ndarray, t: float) -> np.ndarray:
        some = [self.sliding[k] for k in self.coupled]
        found, matrix = sizes(some, lam0, L, mu, f)
        if found is not None and np.linalg.det(matrix) > 0.0:
            return found
        # a guess that is old may lead to another solution, or to none
        found, own = sizes(some, lam0, L, mu, 0.0 * f, exact=False)
        for i in range(0 if found is not None and np.linalg.det(own) > 0.0 else GROWING):
            found, own = sizes(some, lam0, L, (i + 1.0) / GROWING * mu, found if i and found is not None else 0.0 * f)
            if found is None or not np.linalg.det(own) > 0.0:
                found = None
                break
        if found is not None:
            return found
        gain = np.abs(1.0 - np.diag(matrix))
        worst = int(np.argmax(gain))
        raise self._no_solution(some[worst], float(mu[worst]), float(gain[worst]), t)

    def _no_solution(self, one: Sliding, mu: float, gain: float, t: float) -> SingularError:
        """No solution, or several: which element, and by how much."""
        error = SingularError(
            f"{self.asked}: friction {one.name!r} at t = {t:.9g} s",
            f"mu = {mu:.6g}; a change of its force changes the force that it would have by {gain:.6g} times as much",
            "beyond 1 the friction raises the very reaction that it comes from: there is no such motion, or more than one (Painleve's paradox, jamming)",
            "lower mu, change the geometry, or let the contact yield (a bushing or a stop in the place of the rigid joint)",
        )
        error.t = t
        return error


def sizes(
    some: Sequence[Sliding], lam0: np.ndarray, L: np.ndarray, mu: np.ndarray, g: np.ndarray, exact: bool = True
) -> tuple[np.ndarray | None, np.ndarray]:
    """Sizes g = mu N(lam0 + L g), from those at hand by Newton's method (or put in again and again), and the derivative of g - mu N: a solution is unique where its determinant is positive."""
    matrix = np.eye(len(some))
    for _ in range(STEPS):
        off, matrix = g.copy(), np.eye(len(some))
        for n, one in enumerate(some):
            size, slope = one.pressure(lam0 + L @ g)
            off[n] -= mu[n] * size
            matrix[n] -= mu[n] * (slope @ L)
        if np.linalg.det(matrix) == 0.0:
            break
        step = np.linalg.solve(matrix, off) if exact else off
        g = g - step
        if np.max(np.abs(step), initial=0.0) <= ENOUGH * max(float(np.max(np.abs(g), initial=0.0)), 1e-300):
            return g, matrix
    return None, matrix
