"""Whether an equilibrium holds: by its small motions M y'' + C y' + K y = 0, or by the energy around it.

A symmetric K decides alone: with a negative value it lets go whatever C is, as long as C has no gyroscopic part (x^T (s^2 M + s C + K) x has a zero at a
positive s).  Gyroscopic terms may hold a negative stiffness, forces without a potential (K not symmetric) may make it swing up, and forces along the
rates (C not positive) may feed motion: then the eigenvalues of the small motions decide.  Where a stiffness is zero within rounding, the energy does.
"""

from __future__ import annotations

import numpy as np

from .potential import Energy
from .search import Search
from .statics import EPS, largest, principal
from .valley import Valley, around

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
        """Whether some small motion grows."""
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
