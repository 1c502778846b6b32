"""Rigid stops at an instant: the blow where gaps close, and which of them stay closed.

Impact.  With u the rates of the gaps that touch, A their mobility and p >= 0 their impulses, u+ = u- + A p and (see `solve/complementarity.py`)

    Newton     u+ + e u- >= 0,                                   p (u+ + e u-) = 0
    Poisson    compression:  uc = u- + A pc >= 0,                pc uc = 0
               expansion:    pe >= e pc,   u+ = uc + A pe >= 0,  (pe - e pc) u+ = 0

In Newton's a gap that opens already (u- > 0) has e = 0.  The kinetic energy changes by 1/2 p (u+ + u-); it must not grow.  Newton's hypothesis ensures that where
all gaps that are struck close, Poisson's for equal coefficients; it is checked for all.

Rest.  Of the gaps that touch and do not move, those are held whose forces f >= 0 keep them from closing:  s'' = s''0 + A f >= 0,  f s'' = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import ConvergenceError, ModelError
from ...model.events import NEWTON
from ...solve.complementarity import complementary
from .surfaces import Response, Surfaces

# part of the energy that may appear by rounding
ROUNDING = 1e-10


@dataclass
class Blow:
    """What an impact does: velocities after, impulses by stop, kinetic energies, and what the stops have taken of them."""

    v: np.ndarray
    impulse: dict[str, float] = field(default_factory=dict)
    energy_before: float = 0.0
    energy_after: float = 0.0
    dissipated: float = 0.0
    struck: Any = None


def impact(model: Any, values: Any, s: Surfaces, response: Response, v: np.ndarray, asked: str) -> Blow:
    """The blow of stops that touch; at least one of them closes.  `values` are parameters that have changed."""
    n = len(s)
    jumps, A = response.mobility(s.rows)
    before = s.rate
    stops = [model.impacts[name] for name in s.names]
    e = np.array([stop.coefficient(values) for stop in stops])
    closing = [k for k in range(n) if before[k] < 0.0]
    if all(stop.hypothesis == NEWTON for stop in stops):
        b = before.copy()
        b[:n] *= 1.0 + np.where(before[:n] < 0.0, e, 0.0)
        p = _solved(A, b, s, closing, asked)
    else:
        compression = _solved(A, before, s, closing, asked)
        kept = compression.copy()
        kept[:n] *= e
        kept[n:] = 0.0
        p = compression + kept
        p = p + _solved(A, before + A @ p, s, [], asked)
    after = v + jumps @ p
    made = Blow(after, {name: float(x) for name, x in zip(s.names, p)}, response.kinetic(v), response.kinetic(after))
    _check_energy(s, response, p, e, made, v, asked)
    made.struck = response.struck(s, p, e, jumps @ p, asked)
    return made


def _solved(A: np.ndarray, b: np.ndarray, s: Surfaces, first: list[int], asked: str) -> np.ndarray:
    found = complementary(A, b, s.partners, first)
    if found is None:
        raise _unsolved(s, "impulses", asked)
    return found[0]


def _unsolved(s: Surfaces, what: str, asked: str) -> ConvergenceError:
    """Stops for which there is no solution."""
    found = f"no {what} of {', '.join(map(repr, s.names))} keep all gaps from closing"
    if any(s.partners):
        why = "a stop that does not slip at all would have to pull or to close here: with any finite friction it slips, or it jams (Painlevé)"
        return ConvergenceError(asked, found, why, "leave rough= out of the stops that may slip")
    why = "the stops that touch here contradict each other: joints and drivers push gaps together that cannot close"
    return ConvergenceError(asked, found, why, "move them apart, or leave one of them out")


def _check_energy(
    s: Surfaces, response: Response, p: np.ndarray, e: np.ndarray, blow: Blow, v: np.ndarray, asked: str
) -> None:
    """Refuse an impact that creates energy, or whose impulses do not explain the change of energy.

    In the rates u of the gaps the stops do the work 1/2 p (u+ + u-), which is never positive.  Gaps and rows that move by themselves do work besides.
    """
    before, after = s.rate, s.rate + s.rows @ (blow.v - v)
    work, size = 0.5 * float(p @ (before + after)), float(np.abs(p) @ (np.abs(before) + np.abs(after)))
    moving = float(np.abs(p) @ np.abs(before - s.rows @ v)) + response.driven
    gained = blow.energy_after - blow.energy_before
    size += max(blow.energy_before, blow.energy_after)
    blow.dissipated = -work
    if moving == 0.0 and abs(gained - work) > 1e-8 * size:
        raise ConvergenceError(
            asked, f"the energy changes by {gained:.6g} J and the impulses do the work {work:.6g} J", "the blow is not solved as it should be",
            "look at the masses: very uneven ones lose digits",
        )  # fmt: skip
    if work > ROUNDING * size:
        listed = ", ".join(f"{name!r} (e = {x:g})" for name, x in zip(s.names, e))
        raise ModelError(
            asked,
            f"the impact of {listed} would create {work:.3g} J",
            "coefficients of restitution that differ do not go together at stops that touch at one time",
            "give them the same restitution, or hypothesis='poisson'",
        )


@dataclass
class Held:
    """Stops that do not move: numbers of those that press, and the accelerations with their forces."""

    pressing: list[int]
    a: np.ndarray


def at_rest(s: Surfaces, response: Response, a: np.ndarray, asked: str) -> Held:
    """Which stops press, among those that touch and do not move; `a` are the accelerations without them."""
    jumps, A = response.mobility(s.rows)
    b = s.rows @ a + s.bias
    # second rates that are rounding of what they are made of
    b[np.abs(b) < 1e-12 * (np.abs(s.rows) @ np.abs(a) + np.abs(s.bias))] = 0.0
    found = complementary(A, b, s.partners, range(len(s)))
    if found is None:
        raise _unsolved(s, "forces", asked)
    forces, _, active = found
    return Held([k for k in active if forces[k] > 0.0], a + jumps @ forces)


def caught(s: Surfaces, response: Response, v: np.ndarray) -> Blow:
    """Bounces that have died away: the gaps stay where they are, M dv = R^T p, R (v + dv) = 0; the energy can only fall."""
    jumps, A = response.mobility(s.rows)
    p = np.linalg.lstsq(A, -s.rate, rcond=1e-12)[0]
    after = v + jumps @ p
    return Blow(after, {name: float(x) for name, x in zip(s.names, p)}, response.kinetic(v), response.kinetic(after))
