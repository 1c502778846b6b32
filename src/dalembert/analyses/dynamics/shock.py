"""Velocity jumps under impulses, of any model at a state.

Integrated over an instant, the equations of motion become (LAGRANGE 1.5, generalized impulse and momentum)

    M (v+ - v-) + J^T L = P,      J v+ = nu

P the generalized impulse of what strikes, L the impulses of the rows, which put -J^T L on the model.  Finite forces (gravity, springs) have no
time to act and positions do not change.  The energy changes by 1/2 (v+ + v-)^T (P - J^T L).  A measure s that is thrown back gets an impulse p
along itself, so that its rate after is -e times that before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError, ResidualError, SingularError
from ...kernels.outputs import TERMS
from ...results.record import guard_of
from ...state import State

if TYPE_CHECKING:
    from .dynamics import Dynamics

# part of a measure's own mobility that the rows must leave, for the measure to count as free
HELD = 1e-10


@dataclass(frozen=True)
class Thrown:
    """A measure that is thrown back: its row R (rate = R v + s_t), its rate before and the coefficient of restitution."""

    name: str
    row: np.ndarray
    rate: float
    e: float
    unit: str = ""  # of its rate
    source: Any = None


@dataclass(frozen=True)
class Struck:
    """What a blow does: given impulse, jump, impulses of the rows, and those along measures that were thrown back."""

    given: np.ndarray
    jump: np.ndarray
    lam: np.ndarray
    mass: Any
    thrown: tuple[tuple[Thrown, float], ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Blow:
    """Account of a blow or of an impulsive start.

    Attributes
    ----------
    before, after
        States just before and just after; only velocities differ.
    impulse
        Impulses by name: of joints, drivers and measures that were thrown back, or of rows.
    energy_before, energy_after, energy_change
        Kinetic energies and their difference [J]; of coordinates with explicit time q' dT/dq' - T, less what does not change.
    """

    before: State
    after: State
    impulse: Mapping[str, Any]
    energy_before: float
    energy_after: float
    name: str

    @property
    def energy_change(self) -> float:
        """Kinetic energy after minus before [J]."""
        return self.energy_after - self.energy_before

    @property
    def energy_lost(self) -> float:
        """Kinetic energy before minus after [J]."""
        return self.energy_before - self.energy_after

    def about(self) -> dict[str, Any]:
        """Plain numbers, for files."""
        return {
            "t": self.before.t,
            "before": self.before.v.tolist(),
            "after": self.after.v.tolist(),
            "energy_before": self.energy_before,
            "energy_after": self.energy_after,
            "impulse": dict(self.impulse),
        }

    def __repr__(self) -> str:
        return f"<{self.name}: kinetic energy {self.energy_before:.6g} -> {self.energy_after:.6g} J>"


class Shock:
    """Response of a model at one state to impulses: the factor of [M J^T; J 0].

    Rows that depend on others are left out; velocities and rows are scaled to one unit (square root of energy), so that the factor
    does not care for units.  `joints=False` leaves the rows out: every body is free.
    """

    def __init__(self, here: Dynamics, joints: bool = True) -> None:
        from scipy.sparse import bmat, csr_matrix, diags
        from scipy.sparse.linalg import splu

        system = here.system
        self.here, self.mass, self.jac, self.nu = here, csr_matrix(here.mass), csr_matrix(here.jac), here.nu
        self.moves = np.flatnonzero(system.moves)
        self.kept = np.flatnonzero(~here.dropped) if joints else np.zeros(0, dtype=int)
        diagonal = self.mass.diagonal()[self.moves]
        largest = float(np.max(diagonal, initial=0.0)) or 1.0
        self.unit = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, largest))
        rows = self.jac[self.kept][:, self.moves] @ diags(self.unit)
        size = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        self.size = np.where(size > 0.0, size, 1.0)
        scaled = diags(1.0 / self.size) @ rows
        mass = diags(self.unit) @ self.mass[self.moves][:, self.moves] @ diags(self.unit)
        self.matrix = bmat([[mass, scaled.T], [scaled, None]], format="csc") if len(self.kept) else mass.tocsc()
        try:
            self.factor = splu(self.matrix)
        except RuntimeError:
            raise SingularError(
                f"velocity jump of {system.model.name!r}",
                "a body can move without inertia",
                "an impulse on it has no finite answer",
                "give the body mass and inertia, or hold the free motion by a joint",
            ) from None

    def respond(self, impulse: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jump dv and row impulses L with M dv + J^T L = impulse and J dv = rates."""
        right = np.concatenate([impulse[self.moves] * self.unit, rates[self.kept] / self.size])
        x = self.factor.solve(right)
        x = x + self.factor.solve(right - self.matrix @ x)  # removes the rounding of the factor
        n = len(self.moves)
        dv, lam = np.zeros(self.here.system.nv), np.zeros(self.here.system.n_rows)
        dv[self.moves] = x[:n] * self.unit
        lam[self.kept] = x[n:] / self.size
        return dv, lam

    def answers(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Jumps, row impulses and rates of unit impulses along measures: columns, columns, and A = R M_eff^-1 R^T."""
        still = np.zeros(self.here.system.n_rows)
        found = [self.respond(row, still) for row in rows]
        jumps = np.array([dv for dv, _ in found]).reshape(len(rows), -1).T
        lams = np.array([lam for _, lam in found]).reshape(len(rows), -1).T
        return jumps, lams, rows @ jumps

    def freedom(self, rows: np.ndarray) -> np.ndarray:
        """Mobility of each measure if all bodies were free: r M^-1 r^T."""
        return np.array([float(np.sum((row[self.moves] * self.unit) ** 2)) for row in rows])


def struck(here: Dynamics, given: np.ndarray, thrown: Sequence[Thrown], asked: str) -> Struck:
    """The jump of a model under a generalized impulse, rows holding afterwards, measures thrown back; checked."""
    shock = Shock(here)
    jump, lam = shock.respond(given, shock.nu - shock.jac @ here.v)
    total, sizes = given, np.zeros(0)
    if thrown:
        rows, rates, e = (np.array([getattr(x, what) for x in thrown]) for what in ("row", "rate", "e"))
        jumps, lams, mobility = shock.answers(rows)
        _check_thrown(asked, shock, thrown, rows, mobility)
        # R (v- + jump + W p) + s_t = -e s'-  with  s'- = R v- + s_t  and W the jumps of unit impulses along the measures
        sizes = np.linalg.solve(mobility, -(1.0 + e) * rates - rows @ jump)
        jump, lam, total = jump + jumps @ sizes, lam + lams @ sizes, given + rows.T @ sizes
        _check_rebound(asked, here, thrown, rows, jump)
    guard_of(here.system).check_impulse(here, shock, total, jump, lam, asked)
    return Struck(given, jump, lam, shock.mass, tuple(zip(thrown, map(float, sizes))))


def _check_thrown(asked: str, shock: Shock, thrown: Sequence[Thrown], rows: np.ndarray, mobility: np.ndarray) -> None:
    """Refuse measures that do not move, that the rows hold, or that are not independent of each other."""
    # rates are compared with those that the velocities would give without cancelling
    for x, own, left in zip(thrown, shock.freedom(rows), np.diag(mobility)):
        size = float(np.abs(x.row) @ np.abs(shock.here.v))
        if not left > HELD * own:
            why = "the joints and drivers hold this measure: no impulse along it can change its rate"
            raise MethodError(asked, f"restitution of {x.name!r}", why, "choose a measure that is free to move")
        if not abs(x.rate) > 1e-12 * max(size, 1e-300):
            raise MethodError(
                asked,
                f"the rate of {x.name!r} is {x.rate:.3g} before the blow",
                "nothing approaches, so there is nothing to throw back",
                "give the bodies a velocity (state=, m.start), or leave the restitution out",
            )
    scale = np.sqrt(np.diag(mobility))
    if np.linalg.eigvalsh(mobility / np.outer(scale, scale))[0] < HELD:
        names = ", ".join(repr(x.name) for x in thrown)
        why = "the joints make these measures depend on each other, so their rates after cannot be chosen one by one"
        raise MethodError(asked, f"restitution of {names}", why, "leave out one of them")


def _check_rebound(asked: str, here: Dynamics, thrown: Sequence[Thrown], rows: np.ndarray, jump: np.ndarray) -> None:
    """Refuse rates after the blow that are not -e times those before: s'+ = s'- + R dv."""
    rates, e = np.array([x.rate for x in thrown]), np.array([x.e for x in thrown])
    off = np.abs(rates + rows @ jump + e * rates)
    terms = (1.0 + e) * np.abs(rates) + np.abs(rows) @ (np.abs(here.v) + np.abs(jump))
    if np.all(off <= TERMS * terms):
        return
    k = int(np.argmax(np.where(off <= TERMS * terms, 0.0, off)))
    name, unit = thrown[k].name, f" {thrown[k].unit}" if thrown[k].unit else ""
    raise ResidualError(
        asked,
        f"the rate of {name!r} after the blow is off by {off[k]:.3g}{unit} of {terms[k]:.3g}{unit}",
        "the impulses along the measures do not throw them back as asked: the answer would be wrong",
        "leave out measures that nearly depend on each other",
    )
