"""Small motions of a Lagrangian system in its own coordinates.

Some changes y of coordinates and u of rates are independent and determine the others: delta = Z_q y, dv = P y + Z u.  Since they are changes of
coordinates themselves, Z_q^+ and Z^+ pick these coordinates out, and there are no axes that turn.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...errors import DalembertError, ModelError, SingularError
from ...results.coordinate_guard import judge
from ..lagrangian.derivatives import sizes_of
from ..lagrangian.point import Point
from ..rest.coordinates import Coordinates
from .eigenpairs import Eigenpairs, split_eigenpairs, state_matrix
from .friction import Smooth
from .independent import based, independent
from .linearization import STEADY, Basis, Linearizer, Reduced

NONE = np.zeros(3)  # of the axes


class OfCoordinates(Linearizer):
    """A Lagrangian system at a state; `positions` and `speeds` are the coordinates whose changes are y, and those whose rates change by u."""

    statics: Coordinates
    positions: np.ndarray
    speeds: np.ndarray

    def __init__(self, made: Smooth, asked: str, like: OfCoordinates | None = None) -> None:
        point, self.felt, self.again = made.here, made.felt, made.again
        self.asked, self.t, self.q, self.v = asked, point.t, point.q.copy(), point.v.copy()
        self.system = point.system
        s = self.statics = Coordinates(
            point.functions, self.t, self.q, self.v, (), None if like is None else like.statics
        )
        _check_finite(asked, s)
        s.factor()
        if s.dof == 0:
            raise ModelError(
                asked,
                f"nothing can move: {s.rank} independent rows for {s.nv} coordinates",
                "there are no small motions to describe",
                "take out a constraint or the time law of a driver",
            )
        if s.without_inertia():
            names = ", ".join(repr(name) for name in s.light())
            raise SingularError(
                asked,
                f"{names} can change without inertia",
                "the kinetic energy is not positive for all velocities that the constraints allow",
                "add the missing term to kinetic=, or a constraint that ties the coordinate; at a pole of angles choose other ones",
            )
        self.size = sizes_of(s.mass)
        self.a, self.lam = s.solve(s.force, s.values.gamma)
        self._solved = [(s.force[:, None], s.values.gamma[:, None], self.a[:, None], self.lam[:, None])]
        self.positions, self.speeds = independent(s, self.a) if like is None else (like.positions, like.speeds)

    @cached_property
    def made(self) -> Reduced:
        """The reduced matrices, in terms of the independent coordinates."""
        basis = based(self.statics.displacements(), self.positions), based(self.statics.free_motions(), self.speeds)
        made = self._reduced(NONE, basis)
        if not np.isfinite(made.stiffness).all() or not np.isfinite(made.damping).all():
            raise SingularError(
                self.asked,
                "derivatives without a finite value",
                "an expression has no derivative at this state",
                "take another state, or guard the expression",
            )
        return made

    def inverses(self, z_q: np.ndarray, z: np.ndarray) -> Basis:
        """The independent coordinates are their own."""
        one = np.eye(len(z))
        return one[self.positions], one[self.speeds]

    def _carried(self, p: np.ndarray, z: np.ndarray, inverse: np.ndarray) -> np.ndarray:
        """Velocities that follow the displacements, while the independent rates stay."""
        return p - z @ (inverse @ p)

    def _changes(self, force: np.ndarray, second: np.ndarray) -> np.ndarray:
        a, lam = self.changes(force, second)
        # with the forces of friction that change with the reactions
        total = sum((np.outer(one.load, one.slope @ lam) for one in self.felt), force)
        self._solved.append((total, second, a, lam))
        return a

    @property
    def x_to_lam(self) -> np.ndarray:
        """Changes of the multipliers with x = (y, u)."""
        return self._solved[-1][3]

    @cached_property
    def A(self) -> np.ndarray:
        """State matrix of (y, u)."""
        made = self.made
        coupling = np.eye(len(made.mass)) if made.coupling is None else made.coupling
        return state_matrix(made.mass, made.damping, made.stiffness, (made.drift, coupling))

    @cached_property
    def units(self) -> np.ndarray:
        """Sizes of x that make its parts comparable: those of the coordinates, and their changes in the shortest time."""
        y, u, a = self.size[self.positions], self.size[self.speeds], self.A
        n = len(y)
        by_y, by_u = a[n:, :n] / u[:, None] * y, a[n:, n:] / u[:, None] * u
        rate = max(float(np.sqrt(np.linalg.norm(by_y, 2))), float(np.linalg.norm(by_u, 2)))
        return np.concatenate([y, u * (rate or 1.0)])

    @cached_property
    def pairs(self) -> Eigenpairs:
        """Eigenvalues with their vectors."""
        return split_eigenpairs(self.A, self.units)

    # -- checks ----------------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Refuse positions in which rows lose their independence, and accelerations or changes of them that miss M a + J^T lam = f, J a = b."""
        s = self.statics
        self.refuse_singular(self.made.speeds.shape[1])
        f, b, a, lam = (np.hstack(x).T for x in zip(*self._solved))
        s.evaluate(self.v)
        x, h = s.values, s.functions.h
        # rows that contradict each other by some part are all served a little by least squares, and off by some times that part
        size = np.max(np.abs(x.jac[:h]), axis=1, initial=0.0)
        off = float(np.max(np.abs(x.phi) / np.where(size > 0.0, size, 1.0), initial=0.0))
        every = [np.broadcast_to(x.mass, (len(a), *x.mass.shape)), np.broadcast_to(x.jac, (len(a), *x.jac.shape)), f, b]
        judge(self.system, np.full(len(a), self.t), every, a, lam, blur=10.0 * off, together=True).refuse(self.asked)

    # -- steady motions --------------------------------------------------------------------------------------------------

    @property
    def left(self) -> float:
        """Accelerations of the independent rates, beside those that displacements of the size of the coordinates give."""
        n, size = len(self.positions), self.size[self.speeds]
        place = np.maximum(np.abs(self.q), 1e-3)[self.positions]
        lower = np.abs(self.A[n:]) / size[:, None]
        scale = float(np.max(lower @ np.concatenate([place, np.abs(self.v[self.speeds])]), initial=0.0))
        left = float(np.max(np.abs(self.a[self.speeds] / size), initial=0.0))
        return left / scale if scale > 0.0 else (0.0 if left == 0.0 else np.inf)

    def is_steady(self) -> bool:
        """Whether the coefficients stay what they are along the motion."""
        if self.left > STEADY:
            return False
        kept, units = self._deciding(), self.units
        b = (self.A / units[:, None] * units)[np.ix_(kept, kept)]
        fast = float(np.max(np.abs(self.v), initial=0.0))
        for dt in (0.7, 1.61):
            try:
                later = self._later(dt / fast if fast > 0.0 else dt)
            except (DalembertError, np.linalg.LinAlgError):
                return False
            # what was held may be free there
            if later is None or later.statics.dof != self.statics.dof:
                return False
            if later.left > 10.0 * STEADY or len(later.felt) != len(self.felt):
                return False
            # friction goes on with what presses now: only a load that stays does that
            if any(abs(x.size - y.size) > 1e-6 * x.size for x, y in zip(self.felt, later.felt)):
                return False
            there = (later.A / units[:, None] * units)[np.ix_(kept, kept)]
            if np.max(np.abs(b - there), initial=0.0) > 1e-6 * max(float(np.max(np.abs(b), initial=0.0)), 1e-300):
                return False
        return True

    def _deciding(self) -> np.ndarray:
        """Entries of x that decide about the others; coordinates that only follow (where on the floor a disk rolls) are left out."""
        b = np.abs(self.A / self.units[:, None] * self.units)
        kept = np.ones(len(b), dtype=bool)
        limit = 1e-11 * float(np.max(b, initial=0.0))
        while True:
            idle = [j for j in np.flatnonzero(kept[: len(self.positions)]) if np.max(b[kept, j], initial=0.0) <= limit]
            if not idle:
                return kept
            kept[idle] = False

    def _later(self, dt: float) -> OfCoordinates | None:
        """The system later on its motion, if its independent rates stay constant."""
        functions = self.statics.functions
        t, q, v = self.t + dt, self.q + dt * self.v, self.v.copy()
        h, dependent = functions.h, np.setdiff1d(np.arange(functions.n), self.positions)
        for _ in range(30):
            x = functions.values(t, q, v)
            if not h or not np.isfinite(x.phi).all():
                break
            step = np.linalg.lstsq(x.jac[:h][:, dependent], -x.phi, rcond=1e-10)[0]
            q[dependent] += step
            if np.max(np.abs(step) / np.maximum(1e-3, np.abs(q[dependent])), initial=0.0) <= 1e-14:
                break
        x = functions.values(t, q, v)
        others = np.setdiff1d(np.arange(functions.n), self.speeds)
        v[others] += np.linalg.lstsq(x.jac[:, others], -x.w, rcond=1e-10)[0]
        x = functions.values(t, q, v)
        if not x.finite:
            return None
        length = np.linalg.norm(x.jac, axis=1)
        broken = max(
            float(np.max(np.abs(x.phi) / length[:h], initial=0.0)), float(np.max(np.abs(x.w) / length, initial=0.0))
        )
        if broken > 1e-8 * (1.0 + float(np.max(np.abs(v)))):
            return None
        point = Point(self.system, t, q, v)
        if self.again is None:
            point.functions = functions
        return OfCoordinates(Smooth(point) if self.again is None else self.again(point), self.asked, self)


def _check_finite(asked: str, s: Coordinates) -> None:
    x, names = s.values, s.functions.q
    if x.finite:
        return
    bad = [f"the inertia of {name!r}" for name, row in zip(names, x.mass) if not np.isfinite(row).all()]
    bad += [f"the force on {name!r}" for name, f in zip(names, x.force) if not np.isfinite(f)]
    every = zip(s.system.row_names, np.hstack([x.jac, x.w[:, None], x.gamma[:, None]]))
    bad += [f"row {name!r}" for name, row in every if not np.isfinite(row).all()]
    where = ", ".join(f"{name} = {value:g}" for name, value in zip(names, s.pose.q))
    raise SingularError(
        asked,
        f"{', '.join(bad)} without a finite value at t = {s.pose.t:g} s, {where}",
        "an expression has no value or no derivative there",
        "take another state, or guard the expression",
    )
