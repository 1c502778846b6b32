"""Every answer checks itself: what is left of the equations of motion, scaled, and a typed error where that is not small.

    M a + J^T lam = Q            of every body or coordinate
    J a = gamma                  of every row that is kept

A residual may be

    TERMS of the sum of the sizes of the terms of that equation: what "satisfied" means;
    ROUNDING of E, the largest term anywhere in the metric of kinetic energy, per unit of the equation in that metric.

The second part is what rounding leaves.  Eliminations of symmetric positive definite matrices (J M^-1 J^T here) solve a system whose entries
are off by a few eps sqrt(s_rr s_kk) (Higham, Accuracy and Stability, theorem 10.3): a row r then misses its right side by some eps
sqrt(s_rr) times the largest sqrt(s_kk) |lam_k| of the rows coupled with it, however ill conditioned the system is.  Close to a singular
position multipliers grow, and E with them; answers lose digits there, residuals against their terms do not.  At rest, where nothing is
left to compare with, E is the size of the forces that balance; in steady motion that of the accelerations that go with the velocities.
ROUNDING is 4500 eps, some eps for each of the rows that take part in a long elimination.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ResidualError, SingularError
from ..kernels.outputs import ROUNDING, TERMS

if TYPE_CHECKING:
    from ..analyses.dynamics.dynamics import Dynamics
    from ..system.lagrange import LagrangeSystem
    from ..system.system import System


# outputs that are judged together, so that memory stays small
TOGETHER = 256
# rows left out as dependent must hold to this part of the accelerations, beside what the given dimensions disagree by
DEPENDENT = 1e-8

# units of the equations: of rows by the unit of their measure, of forces and torques
UNITS = {
    "m": "m/s²", "rad": "rad/s²", "m/s": "m/s²", "rad/s": "rad/s²", "": "1/s²", "force": "N", "torque": "N m",
    "row": "J a = gamma", "body": "M a + J^T lam = Q",
}  # fmt: skip
IMPULSE = {
    "m": "m/s", "rad": "rad/s", "m/s": "m/s", "rad/s": "rad/s", "": "1/s", "force": "N s", "torque": "N m s",
    "row": "J v = nu after the blow", "body": "M dv + J^T L = P",
}  # fmt: skip
WHY = "what was solved for does not satisfy the equations that it was solved from: the answer would be wrong"
DO = (
    "look for extreme ratios of masses or lengths, and take a pose beside this one; if the model is sound this is a fault of the solver:"
    " please report it with the model"
)


@dataclass(frozen=True)
class Residuals:
    """Residuals at some instants, with what they may be: (time, velocities) and (time, rows)."""

    system: System | LagrangeSystem
    t: np.ndarray
    force: np.ndarray
    force_terms: np.ndarray
    force_allowed: np.ndarray
    row: np.ndarray
    row_terms: np.ndarray
    row_allowed: np.ndarray
    units: dict[str, str] = field(default_factory=lambda: UNITS)
    part: float = TERMS  # of the terms that is allowed

    @classmethod
    def judged(
        cls,
        system: System | LagrangeSystem,
        t: np.ndarray,
        found: tuple[np.ndarray, ...],
        unit: np.ndarray,
        energy: np.ndarray,
        kept: np.ndarray | bool = True,
        *,
        blur: Any = 0.0,
        misfit: float = 0.0,
        units: dict[str, str] = UNITS,
    ) -> Residuals:
        """What was found at some instants against what is allowed.

        `found`: residuals and terms of M a + J^T lam = Q, then of J a = gamma, and norms of the rows; `unit` the roots of the diagonal of M^-1,
        `energy` E of every instant (time, 1), `kept` the rows that count.  `blur`: relative error of the rows themselves, where given dimensions
        disagree and all rows are served a little.  `misfit`: by how much joints that share loads disagree in their dimensions; loads that cancel
        among them cancel to that part only.
        """
        force, terms, row, row_terms, norm = found
        allowed = (TERMS + 10.0 * misfit) * terms + ROUNDING * energy / unit
        row_allowed = (TERMS + blur) * row_terms + (ROUNDING + blur) * norm * energy
        row, row_allowed = np.where(kept, row, 0.0), np.where(kept, row_allowed, np.inf)
        part = TERMS + float(np.max(blur))
        return cls(system, t, force, terms, allowed, row, row_terms, row_allowed, units, part)

    @cached_property
    def force_ratio(self) -> np.ndarray:
        """|M a + J^T lam - Q| in units of what is allowed; a NaN counts as infinite."""
        return _ratio(self.force, self.force_allowed)

    @cached_property
    def row_ratio(self) -> np.ndarray:
        """|J a - gamma| in units of what is allowed."""
        return _ratio(self.row, self.row_allowed)

    @property
    def worst(self) -> float:
        """Largest residual in units of what is allowed: the answer is good if it is at most 1."""
        return max(float(np.max(x, initial=0.0)) for x in (self.force_ratio, self.row_ratio))

    @property
    def relative(self) -> float:
        """The same as a part of the terms, as audits print it."""
        return self.part * self.worst

    def told(self, when: bool = False) -> str:
        """The worst equation in words, with its joint or body, numbers and units."""
        forces, rows = (float(np.max(x, initial=0.0)) for x in (self.force_ratio, self.row_ratio))
        if rows >= forces and self.row.size:
            k, c = np.unravel_index(int(np.argmax(self.row_ratio)), self.row.shape)
            what, unit = self.of_row(int(c))
            off, size = self.row[k, c], self.row_terms[k, c]
        else:
            k, c = np.unravel_index(int(np.argmax(self.force_ratio)), self.force.shape)
            what, unit = self.of_velocity(int(c))
            off, size = self.force[k, c], self.force_terms[k, c]
        text = f"{what} is missed by {abs(off):.3g}{unit}, its terms are {size:.3g}{unit}"
        return f"at t = {self.t[k]:.9g} s: {text}" if when else text

    def of_row(self, r: int) -> tuple[str, str]:
        """Name of an equation J a = gamma, and its unit; behind the rows of the model there may be coordinates that are held."""
        if r >= self.system.n_rows:
            return "a = 0 of a coordinate held", ""
        name, unit = self.system.told_row(r)
        return f"{self.units['row']} of {name}", "" if unit is None else f" {self.units.get(unit, self.units[''])}"

    def of_velocity(self, c: int) -> tuple[str, str]:
        """Name of an equation M a + J^T lam = Q, and its unit."""
        name, unit = self.system.told_velocity(c)
        law = self.units["body"] if unit is not None else self.units["body"].replace("Q", "f")
        return f"{law} of {name}", "" if unit is None else f" {self.units[unit]}"

    def refuse(self, asked: str, when: bool = False) -> None:
        """Raise where an equation is not satisfied."""
        if not self.worst <= 1.0:
            raise ResidualError(asked, self.told(when), WHY, DO)


def _ratio(x: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    ratio = np.abs(x) / np.maximum(allowed, 1e-300)
    return np.where(np.isnan(ratio), np.inf, ratio)


def check_left_out(here: Dynamics, scale: np.ndarray, a: np.ndarray, error: np.ndarray, asked: str) -> None:
    """Rows that were left out must hold as well, but for rounding: in a singular position that the motion passes, no acceleration satisfies all.

    `here` is the model at the state (a Pose or a Point), `scale` makes its rows comparable, `error` is by how much J a = gamma is missed.
    """
    left = here.dropped
    largest = max(1.0, *(float(np.max(x, initial=0.0)) for x in (np.abs(here.gamma) * scale, here.v**2, np.abs(a))))
    disagreement = float(np.max(np.abs(here.phi) * scale, initial=0.0))
    if not np.all((error * scale)[left] <= (DEPENDENT + 10.0 * disagreement) * largest):
        worst = int(np.argmax(np.where(left, error * scale, 0.0)))
        unit = here.system.told_row(worst)[1]
        told = "" if unit is None else f" {UNITS.get(unit, UNITS[''])}"
        raise SingularError(
            asked,
            f"rows that depend on others contradict them: {here.system.row_names[worst]!r} by {error[worst]:.6g}{told}",
            "the model moves through a singular position, where no acceleration satisfies all rows",
            "ask a little before or after it, or leave out rows: joints with more freedom",
        )


def worst_part(count: int, judge: Callable[[slice], Residuals]) -> Residuals:
    """Residuals of the part of a run, TOGETHER outputs long, in which the worst one is."""
    parts = (slice(k, min(k + TOGETHER, count)) for k in range(0, max(count, 1), TOGETHER))
    return max(map(judge, parts), key=lambda found: found.worst)
