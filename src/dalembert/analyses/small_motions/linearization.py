"""Reduced equations for small motions about a state, M y'' + C y' + K y = 0, from derivatives of the accelerations.

A motion near the base motion is displaced from it by delta (like a velocity) and its velocity differs by dv.  On the constraints

    delta = Z y,    dv = P y + Z w,    J Z = 0,    P: how consistent velocities change along Z

Both are expressed in axes that turn with the angular velocity Omega, with rotations as vectors in those axes.  A steady motion
(at rest, turning as a whole, a spinning top) has constant coefficients there.  With B from body axes to space axes for rotations,
O = (Omega x) on every vector and S = (omega x) on the angular velocities of the bodies

    y' = w + G y                                        G   = Z^+ (P - B^T O B Z)
    w' = A21 y + A22 w                                  A21 = Z^+ (da/dy + B^T (S - O) B P - P G)
                                                        A22 = Z^+ (da/dw + B^T (S - O) B Z - P)

and so y'' = (A21 - A22 G) y + (A22 + G) y'.

Conditions on velocities only (rolling) leave more displacements than velocities: delta = Z_q y with the rows on positions, J_q Z_q = 0,
and dv = P y + Z w as before.  Then with S = Z_q^+ Z

    y' = S w + G y                                      G   = Z_q^+ (P - B^T O B Z_q)
    w' = A21 y + A22 w                                  A21 as above, A22 = Z^+ (da/dw + B^T (S_omega - O) B Z - P S)

and the equations stay of first order in y.

P and da/dy, da/dw are exact, with the residuals R = J^T lam - Q at fixed lam, W = J v - nu, E = J a - gamma at fixed a:

    J P = -dW/dq Z,      M da + J^T dlam = -(dR/dq Z + dR/dv P),      J da = -(dE/dq Z + dE/dv P)

with the change of friction that feels the reactions on the left (`friction.py`).

Where there are no derivatives (`rest/slopes.py`: laws in Python, large models) they are differences of these residuals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import SingularError
from ..rest.problem import singular
from ..rest.statics import Statics
from .friction import Felt, answers

# a state counts as steady if what is left of its accelerations, and the change of M, C, K along its motion, are below this
STEADY = 1e-6
# ratio of stiffnesses of different motions from which on these are separated
UNEVEN = 1e4

# displacements and speeds
Basis = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Reduced:
    """Free motions and reduced matrices at one state."""

    motions: np.ndarray  # displacements Z_q; the same as the speeds without conditions on velocities
    speeds: np.ndarray  # Z
    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    drift: np.ndarray  # G above
    coupling: np.ndarray | None  # S above; None without conditions on velocities
    carried: np.ndarray  # P above
    loaded: np.ndarray  # M w' by applied forces: Z^T, and what friction makes of the reactions to them
    stiffness_error: np.ndarray  # bounds of what rounding and differences leave in the stiffness
    damping_error: np.ndarray
    loads: np.ndarray  # bounds of the stiffness that the forces in this state would have over one length of the model
    accuracy: float  # relative error of the derivatives


class Linearizer:
    """A model at a state; computes its reduced matrices there, for bodies in axes that turn at a given rate."""

    asked: str
    system: Any
    statics: Statics  # the model, at the configuration of the state
    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray  # accelerations of the state
    lam: np.ndarray  # and its multipliers
    felt: tuple[Felt, ...] = ()  # friction that slips and feels the reactions

    # -- what each kind of model answers ---------------------------------------------------------------------------------

    def inverses(self, z_q: np.ndarray, z: np.ndarray) -> Basis:
        """Z_q^+ and Z^+."""
        raise NotImplementedError

    def axes_at(self, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """B^T O B and B^T S B above; coordinates have no axes."""
        none = np.zeros((len(self.v), len(self.v)))
        return none, none

    def loads(self, z_q: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Bounds of the stiffness that the forces in this state would have over one length of the model; exact derivatives have it."""
        return np.zeros((z.shape[1], z_q.shape[1]))

    def here(self) -> dict[str, np.ndarray]:
        """Go to the state itself; its multipliers and accelerations."""
        self.statics.evaluate(self.v)
        return {"a": self.a, "lam": self.lam}

    # -- matrices --------------------------------------------------------------------------------------------------------

    def refuse_singular(self, free: int) -> None:
        """Refuse a position that has more free motions than those beside it."""
        if singular(self.statics):
            raise SingularError(
                self.asked,
                f"a singular position: {free} free motions here, fewer nearby",
                "the free motions change their number here, so that no linear equations describe them",
                "take a state away from the singular position",
            )

    def reduced(self, rate: np.ndarray, basis: Basis | None = None) -> Reduced:
        """Reduced matrices in axes that turn at the rate; basis: displacements and speeds to use.

        Default: orthonormal ones, turned to the principal directions of the stiffness where it is very uneven: a soft motion that is
        mixed from stiff ones would be the small difference of large numbers.
        """
        made = self._reduced(rate, basis)
        if basis is None and made.coupling is None and np.isfinite(made.stiffness).all():
            values, turned = np.linalg.eigh(0.5 * (made.stiffness + made.stiffness.T))
            if np.max(np.abs(values)) > UNEVEN * np.min(np.abs(values)):
                z = made.motions @ turned
                made = self._reduced(rate, (z, z))
        return made

    def _reduced(self, rate: np.ndarray, basis: Basis | None) -> Reduced:
        s = self.statics
        if basis is None:
            self.here()
            basis = s.displacements(), s.free_motions()
        z_q, z = basis
        loads = self.loads(z_q, z)
        inverse_q, inverse = self.inverses(z_q, z)
        p, by_y, by_w, accuracy = self._derivatives(z_q, z, inverse)
        turn, spin = self.axes_at(rate)
        drift = inverse_q @ (p - turn @ z_q)
        coupling = inverse_q @ z
        a21 = inverse @ (by_y + (spin - turn) @ p - p @ drift)
        a22 = inverse @ (by_w + (spin - turn) @ z - p @ coupling)
        mass = z.T @ s.mass @ z
        # bounds coordinate by coordinate: a stiff spring blurs the motions of the bodies that it acts on, in all directions, no others
        weight = np.abs(mass) @ np.abs(inverse)
        by_position = (
            np.linalg.norm(by_y, axis=1)[:, None] + np.abs(spin - turn) @ np.abs(p) + np.abs(p) @ np.abs(drift)
        )
        by_rate = np.abs(by_w) + np.abs(spin - turn) @ np.abs(z) + np.abs(p) @ np.abs(coupling)
        # forces that balance each other leave their rounding
        stiffness_error = weight @ by_position + loads
        if s.on_rates.any():
            damping_error = weight @ by_rate
            matrices = (mass, -mass @ a22, -mass @ a21)
        else:
            damping_error = weight @ (by_rate + np.abs(p) + np.abs(turn) @ np.abs(z))
            stiffness_error += np.abs(mass @ a22) @ np.abs(drift)
            matrices = (mass, -mass @ (a22 + drift), -mass @ (a21 - a22 @ drift))
        held = coupling if s.on_rates.any() else None
        bounds = accuracy * stiffness_error, accuracy * damping_error
        loaded = z.T
        if self.felt:
            loaded = mass @ inverse @ self.changes(np.eye(s.nv), np.zeros((len(s.scale), s.nv)))[0]
        return Reduced(z_q, z, *matrices, drift, held, p, loaded, *bounds, loads, accuracy)

    def _derivatives(
        self, z_q: np.ndarray, z: np.ndarray, inverse: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """P, da/dy and da/dw, from the equations of this file, and their accuracy."""
        s, n, given = self.statics, self.statics.n_rows, self.here()
        (rate,) = s.along(["rate"], self.v, {"q": z_q}, given)
        p = self._carried(s.correction(s.with_held(rate.mean[:n])), z, inverse)
        # along y, then along w
        moves = {"q": np.hstack([z_q, 0.0 * z]), "v": np.hstack([p, z])}
        force, second = s.along(["force", "second"], self.v, moves, given)
        a = self._changes(-force.mean, -s.with_held(second.mean[:n]))
        accuracy = max(slope.accuracy for slope in (rate, force, second))
        return p, a[:, : z_q.shape[1]], a[:, z_q.shape[1] :], accuracy

    def _carried(self, p: np.ndarray, z: np.ndarray, inverse: np.ndarray) -> np.ndarray:
        """P from some velocities that follow the displacements; the smallest ones are across Z."""
        return p

    def changes(self, force: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Changes of accelerations and multipliers, with what friction makes of the latter."""
        return answers(self.felt, self.statics.solve, force, second)

    def _changes(self, force: np.ndarray, second: np.ndarray) -> np.ndarray:
        return self.changes(force, second)[0]
