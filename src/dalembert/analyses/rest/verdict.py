"""Whether an equilibrium holds: by its small motions M y'' + C y' + K y = 0, or by the energy around it.

A symmetric K decides alone: with a negative value it lets go whatever C is, as long as C has no gyroscopic part (x^T (s^2 M + s C + K) x has a zero at a
positive s).  Gyroscopic terms may hold a negative stiffness, forces without a potential (K not symmetric) may make it swing up, and forces along the
rates (C not positive) may feed motion: then the eigenvalues of the small motions decide.  Where a stiffness is zero within rounding, the energy does.

There the energy along motions without stiffness counts, all other motions relaxed.

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

from .potential import Energy
from .search import Search
from .statics import EPS, largest, principal

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
    found = sorted({_digits(side.power) for side in sides})
    return " or ".join(f"|s|^{p}" for p in found[:3])


def _digits(power: float) -> str:
    near = round(power)
    return str(near) if abs(power - near) < 0.1 else f"{power:.2g}"


# part of the largest stiffness, and of the largest force over the model's length, from which on a stiffness is not looked at again
FIRM = 1e-3
# part of the fastest rate below which growth is rounding
GROWTH = 1e-7


class Judge:
    """Judges the equilibrium at which a search is.

    Attributes
    ----------
    values
        Eigenvalues of M^-1 K.
    """

    def __init__(
        self,
        search: Search,
        potential: Energy | None,
        z: np.ndarray,
        lam: np.ndarray,
        m: np.ndarray,
        k: np.ndarray,
        error: float,
    ) -> None:
        self.search, self.statics, self.potential = search, search.statics, potential
        self.z, self.lam, self.m, self.k = z, lam, m, k
        self.symmetric = np.array_equal(k, k.T)
        self.values = _eigenvalues(m, k)
        statics = self.statics
        # what counts as zero: rounding of the largest, and the error of an equilibrium at which a stiffness vanishes
        force = float(np.max(np.abs(statics.force / statics.size), initial=0.0)) / statics.system.length
        self.none = 1e-9 * largest(k) + 1e-6 * force + error
        self.zero = self.none / float(np.mean(np.linalg.eigvalsh(m)))
        c, error = statics.damping(z)
        self.c, self.gyroscopic, self.feeds = c, False, False
        if np.isfinite(c).all() and c.any():
            small = max(error, 1e-12 * largest(c), 1e-12 * float(np.max(np.abs(m))))
            self.gyroscopic = float(np.max(np.abs(c - c.T))) > small
            self.feeds = float(np.linalg.eigvalsh(0.5 * (c + c.T))[0]) < -small

    def verdict(self) -> tuple[str, str, bool, float]:
        """Verdict, what decided it, whether equilibria come in a family, and what counts as zero among eigenvalues."""
        verdict, reason, flat, zero = self._decided(self._by_stiffness())
        if verdict != "unstable" and self.feeds and self._grows():
            verdict, reason = "unstable", "forces along the rates feed motion"
        return verdict, reason, flat, zero

    def _grows(self) -> bool:
        m, none, one = self.m, np.zeros_like(self.m), np.eye(len(self.m))
        values = np.linalg.eigvals(np.block([[none, one], [-np.linalg.solve(m, self.k), -np.linalg.solve(m, self.c)]]))
        return bool(np.max(values.real) > GROWTH * np.max(np.abs(values)))

    def _by_stiffness(self) -> str:
        """Verdict by K, and by C where it takes part."""
        none, values = self.none, self.values
        # K and M^-1 K have the same numbers of positive and negative eigenvalues
        if self.symmetric:
            least = float(principal(self.k)[0][0])
        else:
            least = float(np.min(values.real)) * none / max(self.zero, 1e-300)
        lets_go = np.iscomplexobj(values) or least < -none
        if self.gyroscopic or (self.c.any() and not self.symmetric):
            if (lets_go or not self.symmetric) and self._grows():
                return "unstable"
            return "degenerate" if float(np.min(np.linalg.svd(self.k, compute_uv=False))) <= none else "stable"
        return "unstable" if lets_go else "degenerate" if least <= none else "stable"

    def _decided(self, verdict: str) -> tuple[str, str, bool, float]:
        """The verdict, by the energy around where some stiffness is zero."""
        statics, z, k, none, zero = self.statics, self.z, self.k, self.none, self.zero
        values, vectors = principal(k)
        firm = max(none / FIRM, FIRM * (largest(k) + statics.largest_force() / statics.system.length))
        if self.symmetric and np.all(np.abs(values) > firm):
            # far above all that rounding could make of a stiffness that vanishes
            return verdict, "stiffness", False, zero
        # rounding along each eigenvector: of forces, of places on the rows, of coordinates
        place = 1e-14 * statics.system.length + 2.0 * EPS * statics.extent
        noise = np.abs(vectors.T) @ statics.rounding(z, self.lam) + np.abs(values) * place
        weak = np.abs(values) <= none
        if self.symmetric and not self.gyroscopic:
            weak |= [not w and not self._linear(z @ u, *x) for w, u, *x in zip(weak, vectors.T, values, noise)]
            if weak.any():
                verdict = "unstable" if np.any(values[~weak] < 0.0) else "degenerate"
                zero = max(zero, *(abs(u @ k @ u) / (u @ self.m @ u) for u in vectors[:, weak].T))
        null = vectors[:, weak]
        if not null.shape[1] and (self.symmetric or verdict != "degenerate"):
            return verdict, "stiffness", False, zero
        if not self.symmetric or statics.on_rates.any() or (self.potential is None and statics.dof > 1):
            undecided = "stiffness is zero within rounding, and no energy decides"
            return verdict, undecided if verdict == "degenerate" else "stiffness", True, zero
        here = self.search.place
        floor = float(np.linalg.norm(noise[weak]))
        found = around(Valley(self.search, z, null).force, null.shape[1], floor)
        self.search.place = here
        statics.onto()
        if verdict != "degenerate":
            return verdict, "stiffness", found.flat, zero
        if found.verdict == "unstable" and self.gyroscopic:
            return verdict, f"{found.reason}, but gyroscopic terms may hold it", found.flat, zero
        damped = bool(np.all(np.linalg.eigvalsh(self.c + self.c.T) > 0.0))
        if found.verdict == "stable" and statics.rates_in_forces and not damped:
            return verdict, f"{found.reason}, but forces depend on rates and may feed motion", found.flat, zero
        return found.settled(float(self.values[np.argmin(np.abs(self.values))].real), zero)

    def _linear(self, motion: np.ndarray, value: float, noise: float) -> bool:
        """Whether the force along a motion is its stiffness times the way where it first stands out from rounding.

        If it is not, the stiffness is that of a place beside an equilibrium without any, as near to it as rounding allows.
        """
        search, s, here = self.search, self.statics, self.search.place
        far = max(100.0 * noise / abs(value), 1e3 * EPS * s.extent)
        if far > 0.03 * s.system.length:
            return False
        left = []
        for side in (far, -far):
            search.place = here
            s.retract(side * motion)
            z, g = search.reduced()
            left.append(float(g @ (z.T @ (s.size**2 * motion))) / (side * value))
        search.place = here
        s.onto()
        return all(0.5 < x < 1.5 for x in left)


def _eigenvalues(m: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Eigenvalues of M^-1 K; without damping a motion grows if one is negative or, for forces without a potential, complex."""
    from scipy.linalg import eig, eigh

    if k.size == 1 and m[0, 0] > 0.0:
        return np.asarray(k[0] / m[0])
    if np.array_equal(k, k.T):
        return np.asarray(eigh(k, m, eigvals_only=True))
    values = np.sort_complex(eig(k, m, right=False))
    if np.max(np.abs(values.imag)) <= 1e-8 * np.max(np.abs(values)):
        values = np.sort(values.real)
    return values
