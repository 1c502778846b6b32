"""Statics of any model at a configuration: free motions, corrections, multipliers and reduced stiffness from phi, J, Q and their tangents.

    J^T lam = Q(q)  with  phi(q) = 0          equilibrium
    K = Z^T d(J^T lam - Q)/d(delta) Z         stiffness of the free motions J Z = 0, lam held: with the geometric stiffness of the rows

delta are displacements like velocities.  Displacements by different directions do not commute for rotations in space; the difference is a
combination of J^T lam - Q itself, which is zero at an equilibrium, so K is the Hessian of the energy there.  `Bodies` answers for mechanisms,
`Coordinates` for Lagrangian systems; lengths are compared with the length of the model, coordinates with units of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...state import State
from ...system.subspaces import factor, null_space
from .slopes import FINER, SPEED, STEP, Moves, Slope, along

if TYPE_CHECKING:
    from ...system.lagrange import LagrangeSystem
    from ...system.system import System
    from ..equilibrium import Equilibrium
    from .potential import Energy


# singular values of the scaled Jacobian below this part of the largest belong to dependent rows: a search visits configurations that are
# not quite closed, where dependent rows differ by as much
SEARCHED = 1e-6
EPS = float(np.finfo(float).eps)
# rounding of exact derivatives, as a part of the sizes that they are made of
ROUNDED = 100.0 * EPS

# configuration and counted angles
Place = tuple[np.ndarray, np.ndarray]


def principal(k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal values, smallest first, and directions of the symmetric part of a matrix."""
    if k.size == 1:
        return k[0].copy(), np.ones((1, 1))
    values, vectors = np.linalg.eigh(0.5 * (k + k.T))
    return values, vectors


def largest(k: np.ndarray) -> float:
    """Largest factor by which a matrix lengthens a vector (its 2-norm)."""
    return abs(float(k[0, 0])) if k.size == 1 else float(np.linalg.norm(k, 2)) if k.size else 0.0


class Statics:
    """A model at a configuration, which moves here."""

    pose: Any  # the compiled model where it is: its q changes with every motion made here
    system: System | LagrangeSystem
    n_rows: int
    nv: int
    # factor of every displacement that makes lengths of it: rotations count as arcs on a circle of the model's length
    size: np.ndarray
    scale: np.ndarray  # factor of every row that makes residuals comparable
    # active, wraps: displacements that exist (particles do not turn), and those after full turns of which a place is the same again
    active: np.ndarray
    wraps: np.ndarray
    # rows that are conditions on velocities: they say how the configuration may move, not where it is
    on_rates: np.ndarray
    held_rows: np.ndarray  # numbers of the rows of what is held besides, and the values at which it stays
    targets: np.ndarray
    phi: np.ndarray  # phi, jac, force, mass: of the last evaluation
    jac: np.ndarray
    force: np.ndarray
    mass: np.ndarray
    exact: bool  # exact, one_sided: whether derivatives are exact, and whether laws may have corners
    one_sided: bool
    spinning: bool  # in steady motion
    _all: bool  # whether all displacements exist
    _reaches: np.ndarray  # size over length
    _scales: np.ndarray  # scale over size (displacements, rows)
    rates_in_forces = False  # whether forces depend on rates in ways that may feed motion
    columns, moving = (
        "velocities",
        "",
    )  # what rows count beside, and what moves in a steady motion, for the sentence of an error
    derived = False  # whether forces are derived from energies: then their method is that of the energy

    # -- what each kind of model answers ---------------------------------------------------------------------------------

    def evaluate(self, velocity: np.ndarray | None = None) -> None:
        """phi, J and Q at the present configuration, into `phi`, `jac`, `force`; Q for other velocities if they are given."""
        raise NotImplementedError

    def tangent(self, directions: np.ndarray, lam: np.ndarray, part: float | None = None, levels: int = 1) -> Slope:
        """d(J^T lam - Q)/d(delta) along displacements, in a steady motion with the force of its accelerations."""
        raise NotImplementedError

    def curl(self, z: np.ndarray) -> tuple[np.ndarray, float]:
        """C_ij = z_i(Q.z_j) - z_j(Q.z_i) - Q.[z_i, z_j] of all forces without a potential in closed form, and what rounding leaves of it; see `system/closed.py`."""
        raise NotImplementedError

    def coordinate_name(self, c: int) -> str:
        """What displacement c changes."""
        raise NotImplementedError

    def energy(self) -> Energy:
        """The potential energy, as a function of where this is."""
        raise NotImplementedError

    def check_symmetry(self, scale: float) -> None:
        """Refuse a steady motion that is none: other forces in other positions of it; `scale`: of forces."""

    def fails(self) -> bool:
        """Whether coordinates fail here."""
        return False

    def one_pose(self, a: np.ndarray, b: np.ndarray) -> bool:
        """Whether two configurations are one pose."""
        return self.reach(self.way(a, b)) <= 1e-4

    def equation_name(self, c: int) -> tuple[str, str]:
        """Whose balance the c-th equation is, and its unit."""
        raise NotImplementedError

    def coordinates(self) -> dict[str, tuple[float, str]]:
        """Coordinates that are shown, with their units."""
        raise NotImplementedError

    def shown(self, e: Equilibrium) -> Equilibrium:
        """An equilibrium with matrices for the motions that are shown."""
        return e

    def note(self, found: list[Equilibrium]) -> str:
        """What is to be told of equilibria besides."""
        return ""

    def by_parameter(self, name: str, p: float, ends: tuple[float, float], lam: np.ndarray) -> tuple[Any, Any]:
        """dphi/dp and d(J^T lam - Q)/dp here by a parameter of the value p, which goes from one end to the other."""
        raise NotImplementedError

    def with_held(self, rows: np.ndarray) -> np.ndarray:
        """Changes of all rows from those of the constraints: what is held does not change."""
        return np.vstack([rows, np.zeros((len(self.scale) - len(rows), rows.shape[1]))])

    def spread(self, lam: np.ndarray) -> np.ndarray:
        """Multipliers as the derivatives want them: of all their rows."""
        raise NotImplementedError

    def second(self, a: np.ndarray) -> np.ndarray:
        """J a - gamma at the state of the last evaluation."""
        raise NotImplementedError

    def rates(self, v: np.ndarray) -> np.ndarray:
        """J v - nu at the state of the last evaluation."""
        raise NotImplementedError

    @property
    def extent(self) -> float:
        """Largest coordinate, as a length: its last digits are those of all places."""
        raise NotImplementedError

    def largest_force(self) -> float:
        """Largest single load [N], torques by the model's length: their sum may vanish where nothing else holds a part."""
        raise NotImplementedError

    # -- where it is -----------------------------------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        """Configuration and counted angles."""
        return self.pose.q.copy(), self.pose.work.angle.copy()

    @place.setter
    def place(self, place: Place) -> None:
        self.pose.q = place[0].copy()
        self.pose.work.angle[:] = place[1]

    @property
    def state(self) -> State:
        """Where it is, with the velocities of a steady motion."""
        made: State = self.pose.state
        return made

    def way(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Displacement from configuration a to b, full turns left out."""
        delta, turns = b - a, self.wraps
        delta[turns] = (delta[turns] + math.pi) % (2 * math.pi) - math.pi
        return np.where(self.active, delta, 0.0)

    # -- how far a search goes -------------------------------------------------------------------------------------------

    # strides on the path of one free motion: the fastest body turns by this, or moves by this times the model's length
    stride = 2 * math.pi / 48
    # largest distance over which forces change by rounding only, but for their second derivative
    gap = math.inf
    # whether equilibria may lie beyond every path: then places far away are tried as well
    unbounded = False

    def longest(self, turns: float) -> int:
        """Strides in one direction before a path counts as one without an end."""
        return 240

    def told_far(self, number: int) -> str:
        """How far a path of so many places went, in words."""
        return f"{number} strides of {self.stride * self.system.length:.3g} m or {self.stride:.3g} rad at most"

    def inside(self, place: Place, start: Place, turns: float) -> bool:
        """Whether a place is one of those asked for."""
        return True

    def on_path(self, place: Place, start: Place, turns: float) -> bool:
        """Whether a path is followed there."""
        return True

    def throw(self, random: np.random.Generator, turns: float) -> bool:
        """Go to a random place at once; whether that can be done."""
        return False

    def stretch(self, delta: np.ndarray) -> float:
        """Size of a step, to be kept small: its reach."""
        return self.reach(delta)

    def wrapped(self, place: Place) -> Place:
        """The same place by its usual numbers."""
        return place

    # -- rows ------------------------------------------------------------------------------------------------------------

    def factor(self) -> None:
        """Singular values and vectors of the scaled Jacobian: rank, free motions, least solutions."""
        scaled = self.scale[:, None] * self.jac / self.size
        scaled = scaled if self._all else scaled[:, self.active]
        self._factored = factor(scaled, SEARCHED)
        self.rank = self._factored.rank

    @property
    def dof(self) -> int:
        """Free motions at the present configuration (after `factor`)."""
        return int(self.active.sum()) - self.rank

    def free_motions(self) -> np.ndarray:
        """Columns Z with J Z = 0, orthonormal where rotations count as arcs (after `factor`)."""
        z = np.zeros((self.nv, self.dof))
        z[self.active] = self._factored.null
        return z / self.size[:, None]

    def left_null(self) -> np.ndarray:
        """Combinations of scaled rows that vanish, in columns (after `factor`)."""
        return self._factored.left

    def displacements(self) -> np.ndarray:
        """Columns Z with J Z = 0 for the rows on positions: the free motions, and what conditions on velocities forbid to go directly."""
        if not self.on_rates.any():
            return self.free_motions()
        scaled = (self.scale[:, None] * self.jac / self.size)[~self.on_rates][:, self.active]
        free = null_space(scaled, SEARCHED)
        z = np.zeros((self.nv, free.shape[1]))
        z[self.active] = free
        return z / self.size[:, None]

    def correction(self, phi: np.ndarray) -> np.ndarray:
        """Smallest displacement with J delta = -phi (after `factor`); for columns of phi in columns."""
        k, f = self.rank, self._factored
        x = f.vt[:k].T @ (((f.u[:, :k].T @ (-self.scale * phi.T).T).T / f.s[:k]).T)
        delta = np.zeros((self.nv, *phi.shape[1:]))
        delta[self.active] = x
        return (delta.T / self.size).T

    def multipliers(self, force: np.ndarray) -> np.ndarray:
        """Smallest multipliers with J^T lam = force, as far as rows can carry it (after `factor`)."""
        k, f = self.rank, self._factored
        x = f.u[:, :k] @ ((f.vt[:k] @ (force.T / self.size).T[self.active]).T / f.s[:k]).T
        return (self.scale * x.T).T

    def solve(self, force: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """a and lam of M a + J^T lam = force, J a = second; vectors, or columns (after `factor`).

        From the free motions, a = a0 + Z (Z^T M Z)^-1 Z^T (Q - M a0) with J a0 = gamma: accurate also for very light bodies.
        """
        z, a = self.free_motions(), self.correction(-second)
        a = a + z @ np.linalg.solve(z.T @ self.mass @ z, z.T @ (force - self.mass @ a))
        return a, self.multipliers(force - self.mass @ a)

    # -- motion ----------------------------------------------------------------------------------------------------------

    def reach(self, delta: np.ndarray) -> float:
        """Largest motion of a displacement: lengths in model lengths, rotations in radians."""
        return float(np.abs(delta * self._reaches).max()) if len(delta) else 0.0

    def move(self, delta: np.ndarray) -> None:
        """Displace the configuration; angles in space keep their turns."""
        self.pose.q = self.pose.shifted(delta)

    def onto(self, tolerance: float = 1e-14, limit: int = 40) -> bool:
        """Bring the configuration onto all rows by the smallest displacements; whether that worked.

        The factor is kept while it serves: near the rows every step with it gains some digits.
        """
        before, current = math.inf, False
        for _ in range(limit):
            self.evaluate()
            residual = float(np.abs(self.scale * self.phi).max()) if len(self.phi) else 0.0
            # beyond the end of a law, or where a joint says nothing (a disk that lies flat touches everywhere): not a place
            if not (math.isfinite(residual) and np.isfinite(self.jac).all()):
                return False
            if residual <= tolerance or (residual <= 1e-6 and residual > 0.5 * before and current):
                break
            if not current or residual > 0.1 * before:
                self.factor()
                current = True
            before = residual
            delta = self.correction(self.phi)
            self.move(delta * min(1.0, 0.5 / max(self.reach(delta), 1e-300)))
        else:
            return False
        self.factor()
        self.pose.follow()
        return residual <= 1e-6

    def across(self, direction: np.ndarray, tolerance: float, farthest: float) -> np.ndarray | None:
        """Bring the configuration of one free motion onto all rows across a direction; the free motion there, as long along it.

        Rows and direction make one square system,  [J; d^T] (delta, z) = [(-phi, 0); (0, 1)],  which takes half as long as singular values.
        None where it does not lead there (dependent rows, a position with more free motions): `retract` tells more.
        """
        from scipy.linalg.lapack import dgesv

        n = len(self.scale)
        if n + 1 != len(self.size) or not self._all:
            return None
        # columns of the matrix in rows, as LAPACK has them
        matrix, right = np.empty((n + 1, n + 1)), np.zeros((2, n + 1))
        border = self.size * direction
        matrix[:, n] = border / math.sqrt(float(border @ border))
        right[1, n] = 1.0
        for _ in range(8):
            self.evaluate()
            np.multiply(self.jac.T, self._scales, out=matrix[:, :n])
            np.multiply(self.phi, -self.scale, out=right[0, :n])
            *_, found, failed = dgesv(matrix.T, right.T)
            if failed:
                return None
            if max(right[0].max(), -right[0].min()) <= tolerance:
                if not np.abs(found[:, 1]).max() < 2.0:
                    return None
                self.pose.follow()
                return found[:, 1] / self.size
            delta = found[:, 0] / self.size
            if not self.reach(delta) < farthest:
                return None
            self.move(delta)
        return None

    def retract(self, delta: np.ndarray, tolerance: float = 1e-14) -> bool:
        """Displace and bring back onto the rows."""
        self.move(delta)
        return self.onto(tolerance)

    # -- stiffness -------------------------------------------------------------------------------------------------------

    def residual(self, lam: np.ndarray) -> np.ndarray:
        """J^T lam - Q at the present configuration (after `evaluate`)."""
        return self.jac.T @ lam - self.force

    def along(
        self, wanted: Sequence[str], v: np.ndarray, moves: Moves, given: Moves | None = None, **how: Any
    ) -> list[Slope]:
        """Derivatives here (after `evaluate`) along changes of q, v and z; see `slopes.along`."""
        return along(self, wanted, v, moves, given or {}, **how)

    def bounded_stiffness(self, z: np.ndarray, lam: np.ndarray) -> tuple[np.ndarray, float]:
        """Reduced stiffness of free motions, and a bound of its error (2-norm): of rounding, of differences, of corners of laws.

        At a corner K is the mean of its two sides, and half their difference its error.  Of differences the step with the smallest bound is
        taken; at a corner both sides differ however small the step is.
        """
        made = self.tangent(z, lam, levels=3)
        if made.exact:
            terms = np.abs(self.jac.T) @ np.abs(lam) + np.abs(self.force)
            size = float(np.linalg.norm(np.abs(z.T) @ np.abs(made.mean)))
            size += float(np.linalg.norm(np.abs(z.T) @ terms)) / self.system.length
            return z.T @ made.mean, ROUNDED * size + largest(z.T @ made.half)
        best, error = np.zeros((z.shape[1], z.shape[1])), math.inf
        corners: list[float] = []
        for part in (STEP, *FINER):
            made = made if part == STEP else self.tangent(z, lam, part, 3)
            near, cut, corner = z.T @ made.mean, largest(z.T @ made.cut), largest(z.T @ made.half)
            rounding = 2.0 * float(np.linalg.norm(self._noise(z, lam, part))) / (part * self.system.length)
            size = largest(near)
            if not math.isfinite(size + cut + rounding):
                continue  # beyond the end of a law: closer
            corners.append(corner if corner > 2.0 * rounding else 0.0)
            agree = largest(near - best) <= 1e-4 * size
            if cut + rounding < error:
                best, error = near, cut + rounding
            if cut <= 1e-6 * size and (not self.one_sided or (len(corners) > 1 and agree)):
                break
            if rounding > cut and not self.one_sided:
                break
        if self.one_sided and len(corners) > 1 and corners[-1] > 0.3 * corners[-2]:
            error += corners[-1]
        return best, error

    def rounding(self, z: np.ndarray, lam: np.ndarray, parts: Sequence[float] = (STEP, 0.1)) -> np.ndarray:
        """Rounding of the reduced force next to here, along each free motion, with that of loads carried by the rows."""
        noise = np.array([self._noise(z, lam, part) for part in parts])
        largest: np.ndarray = np.max(np.where(np.isfinite(noise), noise, 0.0), axis=0)
        return largest + 1e-14 * float(np.max(np.abs(self.force / self.size), initial=0.0))

    def damping(self, z: np.ndarray) -> tuple[np.ndarray, float]:
        """Reduced damping -Z^T dQ/dv Z of free motions at rest, and a bound of its error."""
        (made,) = self.along(["force"], np.zeros(self.nv), {"v": z})
        if made.exact:
            error = ROUNDED * float(np.linalg.norm(np.abs(z.T) @ np.abs(made.mean)))
        else:
            error = (
                100.0 * EPS * float(np.max(np.abs(self.force / self.size), initial=0.0)) / (SPEED * self.system.length)
            )
            error += 1e-6 * largest(z.T @ made.mean)
        return z.T @ made.mean, error + largest(z.T @ made.half)

    def _noise(self, z: np.ndarray, lam: np.ndarray, part: float) -> np.ndarray:
        """Rounding of the reduced force beside here: third differences over next to nothing, and the last digits of its terms."""
        start = self.pose.q
        beside = z @ np.cos(np.arange(z.shape[1]))
        beside /= max(self.reach(beside), 1e-300)
        largest, tiny = np.zeros(z.shape[1]), max(min(1e-4 * part, self.gap), 1e-12)
        for gap in (tiny, 2.7 * tiny):
            values = []
            for k in range(4):
                self.pose.q = start
                self.pose.q = self.pose.shifted((part + k * gap) * beside)
                self.evaluate()
                values.append(z.T @ self.residual(lam))
            third = values[3] - 3.0 * values[2] + 3.0 * values[1] - values[0]
            largest = np.maximum(largest, np.abs(third))
        self.pose.q = start
        self.evaluate()
        # the terms J^T lam and Q that cancel
        terms = np.abs(self.jac.T) @ np.abs(lam) + np.abs(self.force)
        made: np.ndarray = largest + 4.0 * EPS * (np.abs(z.T) @ terms)
        return made
