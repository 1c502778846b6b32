"""Velocity jumps under impulses, of any model at a state.

Integrated over an instant, the equations of motion become (LAGRANGE 1.5, generalized impulse and momentum)

    M (v+ - v-) + J^T L = P,      J v+ = nu

P the generalized impulse of what strikes, L the impulses of the rows, which put -J^T L on the model.  Finite forces (gravity, springs) have no
time to act and positions do not change.  The energy changes by 1/2 (v+ + v-)^T (P - J^T L).  A measure s that is thrown back gets an impulse p
along itself, so that its rate after is -e times that before.  Friction that feels the impulses of what presses has impulses in its cones (`solve/contact_problem.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError, ModelError, ResidualError, SingularError
from ...kernels.outputs import TERMS
from ...results.record import guard_of
from ...solve.contact_problem import Contacts, solve
from ...state import State
from .pressure import felt_rows, in_a_blow, pressure_at

if TYPE_CHECKING:
    from .dynamics import Dynamics

# part of a measure's own mobility that the rows must leave, for the measure to count as free
HELD = 1e-10
# part of the largest impulse, or of energies, that is rounding
ROUNDING = 1e-9


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
    """What a blow does: given impulse, jump, impulses of the rows, and those along measures that were thrown back, and of friction."""

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
    def jump(self) -> np.ndarray:
        """By what velocities changed."""
        return self.after.v - self.before.v

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
    does not care for units.  `mass` is another metric of velocities than M.
    """

    def __init__(self, here: Dynamics, mass: Any = None) -> None:
        from scipy.sparse import bmat, csr_matrix, diags
        from scipy.sparse.linalg import splu

        system = here.system
        self.here, self.jac, self.nu = here, csr_matrix(here.jac), here.nu
        self.mass = csr_matrix(here.mass if mass is None else mass)
        self.moves = np.flatnonzero(system.moves)
        self.kept = np.flatnonzero(here.held)
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
        jumps = np.array([dv for dv, _ in found]).reshape(len(rows), self.here.system.nv).T
        lams = np.array([lam for _, lam in found]).reshape(len(rows), self.here.system.n_rows).T
        return jumps, lams, rows @ jumps

    def freedom(self, rows: np.ndarray) -> np.ndarray:
        """Mobility of each measure if all bodies were free: r M^-1 r^T."""
        return np.array([float(np.sum((row[self.moves] * self.unit) ** 2)) for row in rows])


def struck(here: Dynamics, given: np.ndarray, thrown: Sequence[Thrown], asked: str) -> Struck:
    """The jump of a model under a generalized impulse, rows holding afterwards, measures thrown back; checked."""
    shock = Shock(here)
    jump, lam = shock.respond(given, shock.nu - shock.jac @ here.v)
    rows = np.array([x.row for x in thrown]).reshape(len(thrown), here.system.nv)
    rates, e = (np.array([getattr(x, what) for x in thrown]) for what in ("rate", "e"))
    jumps, lams, mobility = shock.answers(rows)
    if thrown:
        _check_thrown(asked, shock, thrown, rows, mobility)
    # R (v- + jump + W p) + s_t = -e s'-  with  s'- = R v- + s_t  and W the jumps of unit impulses along the measures
    sizes = np.linalg.solve(mobility, -(1.0 + e) * rates - rows @ jump)
    jump, lam = jump + jumps @ sizes, lam + lams @ sizes
    some, along, slip = in_a_blow(here, asked)
    p = np.zeros(len(along))
    if some:
        # those that are thrown back stay so: their impulses change with those of friction
        pushed, felt, _ = shock.answers(along)
        share = -np.linalg.solve(mobility, rows @ pushed)
        pushed, felt = pushed + jumps @ share, felt + lams @ share
        found = solve(Contacts(along @ pushed, slip + along @ jump, some, lam, felt))
        if found is None:
            raise _no_impulses(some, asked)
        p = found.p
        jump, lam, sizes = jump + pushed @ p, lam + felt @ p, sizes + share @ p
        work = 0.5 * (float(p @ (2.0 * slip + along @ jump)) + float(sizes @ ((1.0 - e) * rates)))
        _check_gain(asked, thrown, work, float(np.abs(p) @ np.abs(slip) + np.abs(sizes) @ np.abs(rates)))
    _check_rebound(asked, here, thrown, rows, jump)
    check_stuck(here, lam, asked)
    guard_of(here.system).check_impulse(here, shock, given + rows.T @ sizes + along.T @ p, jump, lam, asked)
    pairs = [*zip(thrown, map(float, sizes)), *_of_friction(here, some, along, slip, p)]
    return Struck(given, jump, lam, shock.mass, tuple(pairs))


def _no_impulses(some: Sequence[Any], asked: str) -> SingularError:
    return SingularError(
        asked, f"no impulses of friction {', '.join(repr(one.name) for one in some)} go with those that press",
        "friction that raises the very impulse that it comes from leaves no motion of rigid bodies (Painleve's paradox, jamming)",
        "lower mu, change the geometry, or let a joint yield (a bushing)",
    )  # fmt: skip


def check_stuck(here: Dynamics, lam: np.ndarray, asked: str) -> None:
    """Refuse a blow in the middle of a motion that friction which sticks would have to hold beyond its limit."""
    for one in here.system.frictions_at_work:
        rows = [r for r in here.system.rows_of(one.name) if here.held[r]]
        held, limit = float(np.linalg.norm(lam[rows])), 0.0
        if rows and one.mu is not None and one.kind != "rub":
            limit = one.holding(here.system.number) * pressure_at(one, here, lam, felt_rows(one, here.system))
        if rows and held > limit + ROUNDING * float(np.max(np.abs(lam))):
            raise MethodError(
                asked, f"friction {one.name!r} sticks, and would have to hold an impulse of {held:.6g} (at most {limit:.6g})",
                "friction of a constant size has no impulse, and one with mu at most static times that of what presses",
                "let the rate of the driver begin smoothly (step), or strike by an event, which tears it off",
            )  # fmt: skip


def _of_friction(here: Dynamics, some: Sequence[Any], along: np.ndarray, slip: np.ndarray, p: np.ndarray) -> Any:
    """Impulses of friction by name: along what slips, of several components along their sum."""
    by_name = {one.name: one for one in here.system.model.frictions}
    for one in some:
        places = list(one.T)
        size = float(p[places[0]] if len(places) == 1 else np.linalg.norm(p[places]))
        e = np.ones(1) if len(places) == 1 else p[places] / (size or 1.0)
        yield Thrown(one.name, e @ along[places], float(e @ slip[places]), 0.0, source=by_name[one.name].on), size


def _check_gain(asked: str, thrown: Sequence[Thrown], work: float, size: float) -> None:
    """Refuse a rebound that creates energy with friction (Kane and Levinson)."""
    if thrown and work > ROUNDING * size:
        raise ModelError(
            asked, f"the rebound of {', '.join(repr(x.name) for x in thrown)} would create {work:.3g} J", "with friction that ends its slip in the blow, or turns it round, -e times the rate before is too much",
            "give a smaller restitution",
        )  # fmt: skip


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
