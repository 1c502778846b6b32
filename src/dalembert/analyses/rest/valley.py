"""What decides where no stiffness does: the energy along motions without stiffness, all other motions relaxed.

Let K U = 0.  The coordinates xi = U^T y along these motions are held, all others relax: forces balance but for those along xi,

    g = C^T mu,     xi = s u,     C = dxi/dy

so that along this curve dV/ds = u . mu (splitting lemma: V is then a function of xi and a quadratic form of the rest).  The sign of
u . mu next to s = 0 decides, at the smallest amplitudes at which it stands out from rounding: positive on all sides, the energy grows
and holds; negative on some side, it falls and lets go; zero as far as it was looked, nothing decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .search import Search

# amplitudes, in lengths of the model or radians, from the largest down; how many in a row must agree
AMPLITUDES = 10.0 ** np.arange(-1.0, -5.1, -0.5)
ROW = 3
# a force stands out from rounding if it is so many times as large
CLEAR = 10.0
# directions in which several motions without stiffness are tried
DIRECTIONS = 24


@dataclass(frozen=True)
class Around:
    """What the energy does around an equilibrium along motions without stiffness."""

    verdict: str  # "stable", "unstable" or "degenerate"
    reason: str
    flat: bool  # along some motion nothing changes at all: equilibria come in a family
    quadratic: bool = False  # the energy grows or falls with the square: small, but a stiffness

    def settled(self, least: float, zero: float) -> tuple[str, str, bool, float]:
        """Verdict, reason, flat, and what counts as zero among eigenvalues, if `least` is the smallest in size of them."""
        if self.quadratic and (least > 0.0) == (self.verdict == "stable"):
            return self.verdict, "stiffness", False, min(zero, 0.5 * abs(least))
        return self.verdict, self.reason, self.flat, zero


class Valley:
    """The curve along motions without stiffness, columns of `null` in terms of the free motions z of the equilibrium at which a search is."""

    def __init__(self, search: Search, z: np.ndarray, null: np.ndarray) -> None:
        self.search, self.length, self._start = search, search.statics.system.length, search.place
        self._first = z @ null
        self._row = ((search.statics.size**2)[:, None] * self._first).T

    def force(self, xi: np.ndarray) -> np.ndarray | None:
        """Forces mu at xi, in units of the length; None where the curve does not go there."""
        target, search, s = self.length * xi, self.search, self.search.statics
        search.place = self._start
        if not s.retract(self._first @ target):
            return None
        before = math.inf
        for count in range(20):
            z, g = search.reduced()
            c = self._row @ z
            d, n = len(g), len(xi)
            # nothing is left to relax where all motions are held
            k = search.stiffness(z) if d > n else np.zeros((d, d))
            if not (np.isfinite(k).all() and np.isfinite(g).all()) or c.shape != (n, d):
                return None
            # where no motion is left to relax, k is 0 and g is rounding
            size = max(float(np.linalg.norm(k)) * self.length, float(np.linalg.norm(g)), 1e-300)
            matrix = np.block([[k * (self.length / size), -c.T], [c, np.zeros((n, n))]])
            off = (target - self._row @ s.way(self._start[0], s.pose.q)) / self.length
            mu = np.linalg.lstsq(c.T, g, rcond=None)[0]
            made = np.linalg.lstsq(matrix, np.append(-g / size, off), rcond=1e-14)[0] * self.length
            step = float(np.linalg.norm(made[:d])) / self.length
            # at the last digits steps no longer become smaller
            if step <= 1e-15 or (step > 0.5 * before and step < 1e-9) or (d == n and step <= 1e-12):
                return np.asarray(mu)
            if step > 0.5 or count == 19 or not s.retract(z @ made[:d]):
                return None
            before = step
        return None


def around(force: Callable[[np.ndarray], np.ndarray | None], motions: int, noise: float) -> Around:
    """Verdict by the reduced force mu(xi) of `motions` motions without stiffness, where forces below `noise` are rounding."""
    still = force(np.zeros(motions))
    if still is None:
        return Around(
            "degenerate", "stiffness is zero within rounding, and the energy around cannot be followed", False
        )
    floor = max(noise, float(np.linalg.norm(still)), 1e-280)
    sides = [_side(force, u, floor) for u in _directions(motions)]
    # among several motions the energy may fall between the directions tried: look where it grows least
    if motions > 1 and all(side.sign > 0 for side in sides):
        sides += _lowest(force, min(sides, key=lambda side: side.size), floor)
    square = all(side.sign != 0 and abs(side.power - 2.0) < 0.1 for side in sides)
    falling = [side for side in sides if side.sign < 0]
    flat = any(side.sign == 0 and side.known for side in sides)
    if falling:
        return Around("unstable", f"higher order: energy falls like {_power(falling)}", flat, square)
    if flat:
        return Around("degenerate", "indifferent: no force within rounding along a motion without stiffness", True)
    if any(not side.known for side in sides):
        return Around(
            "degenerate", "stiffness is zero within rounding, and higher orders do not stand out from it", False
        )
    tried = f", in {len(sides)} directions of {motions} motions" if motions > 1 else ""
    return Around("stable", f"higher order: energy grows like {_power(sides)}{tried}", False, square)


@dataclass(frozen=True)
class _Side:
    """The force in one direction: its sign where it stands out next to the equilibrium, its power, its size at the largest amplitude."""

    u: np.ndarray
    sign: int
    known: bool
    power: float = math.nan
    size: float = math.inf


def _side(force: Callable[[np.ndarray], np.ndarray | None], u: np.ndarray, floor: float) -> _Side:
    clear: list[tuple[float, float]] = []
    missed = 0
    for s in AMPLITUDES:
        mu = force(s * u)
        if mu is None:
            clear, missed = [], 0  # the curve ends before; what lies nearer counts
        elif abs(float(u @ mu)) > CLEAR * floor:
            clear.append((float(s), float(u @ mu)))
            missed = 0
        else:
            missed += 1
            if missed == ROW:
                break
    if not clear:
        return _Side(u, 0, missed > 0)
    near = clear[-ROW:]
    sign = 1 if near[-1][1] > 0.0 else -1
    if len(near) < ROW or any(sign * f < 0.0 for _, f in near):
        # a force that is large at once sets in away from the equilibrium: nothing holds at it
        return _Side(u, 0, missed == ROW and sign * near[-1][1] > 1e6 * CLEAR * floor)
    slope = math.log(near[0][1] / near[-1][1]) / math.log(near[0][0] / near[-1][0])
    s = AMPLITUDES[list(AMPLITUDES).index(near[-1][0]) + 1 :]
    if len(s) and sign * near[-1][1] * (s[0] / near[-1][0]) ** max(slope, 0.0) > 30.0 * CLEAR * floor:
        # a force that sets in away from the equilibrium: nothing holds at it
        return _Side(u, 0, True)
    return _Side(u, sign, True, slope + 1.0, abs(near[0][1]))


def _directions(n: int) -> list[np.ndarray]:
    if n == 1:
        return [np.array([1.0]), np.array([-1.0])]
    if n == 2:
        angles = np.arange(16) * math.pi / 8
        return [np.array([math.cos(a), math.sin(a)]) for a in angles]
    random = np.random.default_rng(0)
    more = random.normal(size=(max(4, DIRECTIONS - 2 * n), n))
    return [*np.eye(n), *-np.eye(n), *(more / np.linalg.norm(more, axis=1)[:, None])]


def _lowest(force: Callable[[np.ndarray], np.ndarray | None], from_side: _Side, floor: float) -> list[_Side]:
    """Directions in which the energy grows less and less: against the part of mu across u."""
    u, made, turn = from_side.u, [], 0.3
    for _ in range(12):
        mu = force(AMPLITUDES[2] * u)
        if mu is None:
            break
        across = mu - (u @ mu) * u
        size = float(np.linalg.norm(across))
        if size <= CLEAR * floor:
            break
        u = u - turn * across / size
        u /= np.linalg.norm(u)
        turn *= 0.7
    made.append(_side(force, u, floor))
    return made


def _power(sides: list[_Side]) -> str:
    """s^4, or the powers of several directions."""
    found = sorted({_digits(side.power) for side in sides})
    return " or ".join(f"|s|^{p}" for p in found[:3])


def _digits(power: float) -> str:
    near = round(power)
    return str(near) if abs(power - near) < 0.1 else f"{power:.2g}"
