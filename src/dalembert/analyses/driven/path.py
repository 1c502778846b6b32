"""Following a fully driven model in time: positions on phi(q, t) = 0, velocities from J v = nu, accelerations from J a = gamma.

A step predicts with velocity and acceleration and corrects with Newton's method; it is refused, and halved, when the correction is not
small, so that the motion stays on its branch.  With as many independent rows as velocities J is regular; where it is not, the drivers
no longer determine the motion, and `singular` says where.

Rows are scaled to lengths of the model and columns likewise, so that millimetres and metres behave alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...derived import Derived
from ...errors import AssemblyError, ConvergenceError, DalembertError, MethodError, ModelError
from ...model.events import SOLVED
from ...state import State
from ...system.subspaces import factor, rank
from ..dynamics.consistent import worst_parts
from ..dynamics.prepared import Prepared
from ..events.grips import driven_friction
from .of_coordinates import moving_coordinates
from .singular import crosses, refuse_branching, refuse_turning, singular

if TYPE_CHECKING:
    from ...system.lagrange import LagrangeSystem
    from ...system.system import System

# largest motion in one step (rad, or lengths of the model) and largest correction of its prediction
STEP, CORRECTION = 0.3, 0.01
# of coordinates with sizes of their own: largest correction as a part of the step, and what counts as rounding; singular value of the rows below which a
# motion that cannot go on is at its end
PART, ROUNDING, LOCKED = 0.05, 1e-9, 1e-3
# most steps from one time asked for to the next, and after how many it is estimated whether they will suffice
LARGEST_STEPS, FIRST_STEPS = 1_000_000, 1_000


@dataclass(eq=False)
class Point(Derived):
    """A point of the motion, and its scaled rows: found when asked for, which leaves others in memory than those of before."""

    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    angles: np.ndarray
    path: Path = field(repr=False)

    @cached_property
    def jac(self) -> np.ndarray:
        """Scaled J."""
        return self.path.rows(self.t, self.q, np.zeros_like(self.v), self.angles)[1]

    @cached_property
    def svd(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Singular value decomposition of J."""
        return tuple(np.linalg.svd(self.jac, full_matrices=False))  # type: ignore[return-value]

    @property
    def smallest(self) -> float:
        """Smallest singular value of the rows, relative to the largest."""
        return float(self.svd[1][-1] / self.svd[1][0])


def scaled_columns(system: System | LagrangeSystem) -> tuple[np.ndarray, np.ndarray]:
    """Velocities that exist (particles do not turn), and their scales: the model's length, or 1 for rotations."""
    active = np.flatnonzero(system.moves)
    return active, system.unit_of_velocity[active]


class Path:
    """A driven model and how to follow it; counts what it does.  Rows are dense and scaled anew at every state; `BodyPath` knows a faster way."""

    # names that files store with a result
    method = SimpleNamespace(name="kinematics")
    rtol = atol = 0.0
    locked = LOCKED

    def __init__(self, prepared: Prepared, asked: str, pose: Any = None) -> None:
        state = prepared.state
        self.prepared, self.asked = prepared, asked
        self.system: Any = prepared.system
        self.pose: Any = prepared.at(state.t, state.q, state.v) if pose is None else pose
        self.active, self.columns = scaled_columns(self.system)
        self.steps = self.rejected = self.evaluations = 0
        # called with the time reached
        self.report: Callable[[float], None] | None = None
        self.scale = self.pose.scale
        # friction, and its sizes with their signs by the times of the motion
        self._frictions, self.sizes = self.system.model.frictions, dict[float, np.ndarray]()

    @cached_property
    def _places(self) -> list[int]:
        """Places of the sizes of friction among the parameters."""
        names = list(self.system.model.parameters)
        return [names.index(one.size_name) for one in self._frictions]

    def rows(
        self, t: float, q: np.ndarray, v: np.ndarray, angles: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Scaled phi, J, nu, gamma at a state; the velocities that belong to J's columns are `columns` times as large."""
        pose = self.pose
        pose.t, pose.q, pose.v = t, q, v
        self.evaluations += 1
        jac = pose.jac
        size = np.max(np.abs(jac), axis=1, initial=0.0)
        self.scale = 1.0 / np.where(size > 0.0, size, 1.0)
        return self.scale * pose.phi, self.scale[:, None] * jac, self.scale * pose.nu, self.scale * pose.gamma

    def multipliers(self, p: Point) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers at a point, M a + J^T lam = Q; forces and powers of elements are in memory afterwards.

        Rows left out carry nothing.
        """
        self.pose.t, self.pose.q, self.pose.v = p.t, p.q, p.v
        if self._frictions:
            memory = SimpleNamespace(I=self.system.I, F=self.pose.work.F)
            for one in self._frictions:
                one.check_at(SOLVED, self.pose)
            friction = driven_friction(self._frictions, self.pose, p.a, self.asked)
            friction.find(memory, p.t, lambda: np.asarray(self.pose.solve()[1]))
            self.sizes[p.t] = self.pose.work.F[self._places].copy()
        return self.pose.solve()  # type: ignore[no-any-return]

    def recall(self, forces: np.ndarray) -> None:
        """Have the forces of friction that were found before."""
        if self._frictions:
            self.pose.work.F[self._places] = self.sizes[self.pose.t]

    def unit_motion(self, p: Point, row: int) -> np.ndarray:
        """Velocities at a unit rate of one row alone, at a point whose rows are current; rows left out do not count."""
        kept = np.setdiff1d(np.arange(self.system.n_rows), self.prepared.dropped)
        return np.asarray(np.linalg.lstsq(p.jac[kept], np.where(kept == row, self.scale[kept], 0.0), rcond=None)[0])

    def farthest(self, q: np.ndarray) -> float:
        """Largest scaled motion in one step: as far as an angle may turn, or a part of what large coordinates are."""
        return STEP * max(1.0, float(np.max(np.abs(q), initial=0.0)))

    def off(self, size: float) -> float:
        """Largest scaled correction of the prediction of a step of some size: it is of third order, and where it is large another branch may be met."""
        return max(PART * size, ROUNDING)

    def where(self, q: np.ndarray) -> str:
        """A configuration in words."""
        self.pose.q = q
        return self.pose.told()  # type: ignore[no-any-return]

    def coordinates(self, state: State, free: np.ndarray) -> list[str]:
        """Names of as many coordinates as there are free directions (scaled columns), independent of each other: those that move most."""
        return moving_coordinates(self.system.model, free)

    def undriven(self, free: np.ndarray) -> DalembertError:
        """Error that names the freedoms that nothing drives, or counts rows and coordinates."""
        n, left = self.system.nv, free.shape[1]
        return MethodError(
            self.asked,
            f"{n} coordinates and {n - left} independent rows: {left} left undetermined",
            "the motion is determined by rows only if there are as many as coordinates",
            "prescribe the rest by holonomic rows with t, as in {'motor': 'theta - 2*pi*t'}, or use da.simulate",
        )

    # -- displacements -------------------------------------------------------------------------------------------------

    def full(self, x: np.ndarray) -> np.ndarray:
        """Velocity-like vector from a scaled one."""
        v = np.zeros(self.system.nv)
        v[self.active] = self.columns * x
        return v

    def moved(self, q: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Configuration displaced by a scaled vector."""
        self.pose.q = q
        return self.pose.shifted(self.full(x))

    @property
    def mass(self) -> Any:
        """M at the state of the last rows."""
        return self.pose.mass

    # -- points ------------------------------------------------------------------------------------------------------

    def point(self, t: float, q: np.ndarray, angles: np.ndarray, rows: Any = None) -> Point:
        """Velocity and acceleration at a configuration on the constraints; `rows`: those of the configuration, where they are known."""
        _, jac, nu, _ = self.rows(t, q, np.zeros(self.system.nv), angles) if rows is None else rows
        parts = np.linalg.svd(jac, full_matrices=False)
        v = _solve(parts, nu)
        self._agree(jac @ v - nu, nu, t)
        gamma = self.rows(t, q, self.full(v), angles)[3]
        a = _solve(parts, gamma)
        self.pose.follow()
        made = Point(t, q, self.full(v), self.full(a), self.pose.work.angle.copy(), self)
        made.jac, made.svd = jac, parts
        return made

    def _agree(self, broken: np.ndarray, nu: np.ndarray, t: float) -> None:
        """Refuse rates of drivers that have no value, or contradict each other."""
        if not np.isfinite(nu).all():
            rows = np.flatnonzero(~np.isfinite(nu))
            raise ModelError(
                f"{self.asked} at t = {t:.9g} s",
                f"the rate of {', '.join(sorted({repr(self.system.row_parts[r]) for r in rows}))} is not finite",
                "a motion with infinite or undefined speed cannot be followed",
                "change its expression, or stop before this time",
            )
        size = 1e-9 + 10.0 * self.prepared.disagreement
        if not np.max(np.abs(broken), initial=0.0) <= size * max(1.0, float(np.max(np.abs(nu), initial=0.0))):
            names, text = self.system.driver_names, worst_parts(self.system, np.abs(broken) / self.scale)
            raise AssemblyError(
                f"{self.asked} at t = {t:.9g} s",
                f"the drivers contradict the joints or each other: rates of {text} per second (drivers: {', '.join(names[:8])})",
                "there are more drivers than freedoms, and no motion follows all of them",
                "leave out one of the drivers",
            )

    def begin(self) -> Point:
        """The start, with the count of drivers checked."""
        state = self.prepared.state
        if not self.system.n_rows:
            raise self.undriven(np.eye(len(self.active)))
        _, jac, _, _ = self.rows(state.t, state.q, state.v, state.angles)
        found = factor(jac)
        if found.rank < len(self.active):
            free = found.null
            movable = [w for w in free.T if self._moves(state, w, found.rank)]
            if movable or len(jac) < len(self.active):
                raise self.undriven(free)
            raise singular(self, "branching", state.t, state.q, state.v, state.angles)
        self._refuse_rates(jac)
        return self.point(state.t, state.q, state.angles)

    def _refuse_rates(self, jac: np.ndarray) -> None:
        """Refuse a motion that is determined, but only by conditions on velocities: positions then depend on the path."""
        on_rates = self.system.rows_on_rates
        if not on_rates.any():
            return
        missing = len(self.active) - rank(jac[~on_rates])
        if missing:
            names = ", ".join(repr(x) for x in dict.fromkeys(np.array(self.system.row_parts)[on_rates].tolist()))
            raise ModelError(
                self.asked,
                f"{missing} coordinate{'s follow' if missing > 1 else ' follows'} from velocities only, by {names}",
                "where conditions on velocities complete the drivers, positions are found by following the path, not from the time",
                "use da.simulate(m, until=...): it integrates them, and run['driver'].effort is what the driver needs",
            )

    def _moves(self, state: State, w: np.ndarray, rank: int) -> bool:
        """Whether a free direction is a finite motion at rest: a small displacement along it can be assembled again."""
        q = self.moved(state.q, 0.01 * w / max(float(np.max(np.abs(w))), 1e-300))
        phi = np.ones(1)
        for _ in range(12):
            phi, jac, *_ = self.rows(state.t, q, state.v, state.angles)
            u, s, vt = np.linalg.svd(jac, full_matrices=False)
            q = self.moved(q, -vt[:rank].T @ ((u.T @ phi)[:rank] / s[:rank]))
        return float(np.max(np.abs(phi))) < 1e-9 + 10.0 * self.prepared.disagreement

    # -- steps -------------------------------------------------------------------------------------------------------

    def step(self, p: Point, t: float) -> Point | None:
        """The motion at another time near a point, or None if that is too far away."""
        h = t - p.t
        x = (h * p.v + 0.5 * h * h * p.a)[self.active] / self.columns
        size = float(np.max(np.abs(x), initial=0.0))
        if not size <= self.farthest(p.q):
            return None
        q = self.moved(p.q, x)
        before, limit = math.inf, self.off(size)
        for _ in range(12):
            phi, jac, *_ = self.rows(t, q, p.v, p.angles)
            if not np.isfinite(phi).all():
                return None
            dx = _newton(jac, phi)
            size = float(np.max(np.abs(dx), initial=0.0))
            if not size <= limit:
                # round-off of badly conditioned rows: as good as it gets
                if before < 1e-9 + 10.0 * self.system.rounding(q):
                    break
                return None
            q = self.moved(q, dx)
            if size <= 1e-14:
                break
            before, limit = size, max(0.3 * size, 1e-14)
        rows = self.rows(t, q, p.v, p.angles)
        off = self.prepared.disagreement + self.system.rounding(q)
        if not np.max(np.abs(rows[0]), initial=0.0) <= 1e-11 + 10.0 * off:
            return None
        return self.point(t, q, p.angles, rows)

    def along(self, p: Point, times: np.ndarray) -> Iterator[Point]:
        """The motion at several times, one after another."""
        for t in times:
            p = self.follow(p, float(t))
            yield p

    def loads(self, points: list[Point], lam: np.ndarray, force: np.ndarray, power: np.ndarray) -> None:
        """Multipliers at points, forces and powers of elements there."""
        for k, p in enumerate(points):
            _, lam[k] = self.multipliers(p)
            force[k], power[k] = self.pose.work.force, self.pose.work.power

    def follow(self, p: Point, t: float) -> Point:
        """The motion at a later (or earlier) time, step by step; singular positions on the way are located and told."""
        h, failed, regular = t - p.t, 0, 0.5 * p.smallest
        begun, taken = p.t, 0
        while p.t != t:
            # as far as the speed allows
            speed = float(np.max(np.abs(p.v[self.active] / self.columns), initial=0.0))
            h = math.copysign(min(abs(h), 0.8 * self.farthest(p.q) / max(speed, 1e-300)), t - p.t)
            target = t if abs(t - p.t) <= abs(h) else p.t + h
            new = self.step(p, target)
            if new is None:
                self.rejected, failed = self.rejected + 1, failed + 1
                # exactly at a branching position Newton's method has a double root: look beyond it
                beyond = self.step(p, p.t + 1.7 * (target - p.t))
                if beyond is not None and crosses(p, beyond):
                    refuse_branching(self, p, beyond)
                if failed >= 2 or p.smallest < regular:
                    refuse_turning(self, p, t)
                h = 0.5 * (target - p.t)
                if abs(h) <= 1e-10 * max(abs(t), abs(p.t), 1e-3):
                    raise self.stuck(p, t)
                continue
            if crosses(p, new) and not refuse_branching(self, p, new):
                refuse_turning(self, p, t)
                self.rejected, h = self.rejected + 1, 0.5 * (new.t - p.t)
                if abs(h) <= 1e-10 * max(abs(t), abs(p.t), 1e-3):
                    refuse_branching(self, p, new, roughly=True)
                    raise self.stuck(p, t)
                continue
            self.steps, failed = self.steps + 1, 0
            h = 2.0 * (new.t - p.t)
            p, taken = new, taken + 1
            if self.report is not None:
                self.report(p.t)
            if taken in (FIRST_STEPS, LARGEST_STEPS):
                self._refuse_long(p, begun, t, taken)
        return p

    def _refuse_long(self, p: Point, begun: float, t: float, taken: int) -> None:
        """Refuse a way with too many steps: as many as were taken, times the way of the drivers that is left over that behind."""
        behind, left = self._driven_way(p, begun, p.t), self._driven_way(p, p.t, t)
        steps = taken * (1.0 + left / behind) if behind > 0.0 else math.inf
        if steps <= LARGEST_STEPS and taken < LARGEST_STEPS:
            return
        speed = float(np.max(np.abs(p.v[self.active] / self.columns), initial=0.0))
        raise MethodError(
            f"{self.asked} from t = {begun:.9g} s to {t:.9g} s",
            f"about {steps:.2g} steps; at t = {p.t:.9g} s the fastest motion is {speed:.3g} rad/s (or lengths of the model per second)",
            f"a step turns no body by more than {STEP:g} rad, so that the motion stays on its branch, and {LARGEST_STEPS:g} steps are"
            " the most between two times",
            "check the unit of the driver's rate, give closer times in between, or a shorter span",
        )

    def _driven_way(self, p: Point, a: float, b: float) -> float:
        """Integral of the sizes of the drivers' rates from a to b, from a hundred times in between that follow no rhythm."""
        parts = np.modf(0.6180339887498949 * np.arange(1, 101))[0]
        rest = np.zeros(self.system.nv)
        rates = [np.abs(self.rows(a + x * (b - a), p.q, rest, p.angles)[2]).sum() for x in parts]
        return abs(b - a) * float(np.mean(rates))

    def stuck(self, p: Point, t: float) -> DalembertError:
        """Error where no step is small enough: a driver that jumps or ends there is named.

        In coordinates of other sizes a lock-up is not located any closer than by rows that are nearly dependent.
        """
        if p.smallest < self.locked:
            return singular(self, "lock-up", p.t, p.q, np.zeros(self.system.nv), p.angles)
        beyond = math.copysign(1e-8 * max(abs(t), abs(p.t), 1e-3), t - p.t)
        phi = self.rows(p.t + beyond, p.q, p.v, p.angles)[0]
        parts = self.system.row_parts
        ends = sorted({part for part, x in zip(parts, phi) if not math.isfinite(x)})
        jumps = [(r, abs(x / w)) for r, (x, w) in enumerate(zip(phi, self.scale)) if 1e-4 < abs(x) < math.inf]
        found = f"no step of {abs(t - p.t):.3g} s or any part of it follows the drivers"
        if ends:
            found = f"{', '.join(map(repr, ends))} has no finite value beyond this time"
        elif jumps:
            found = ", ".join(
                f"{parts[r]!r} jumps by {x:.6g} {self.system.told_row(r)[1] or ''}".rstrip() for r, x in jumps
            )
        return ConvergenceError(
            f"{self.asked} at t = {p.t:.9g} s",
            f"{found}; smallest singular value of the rows {p.smallest:.1e}",
            "a mechanism moves without jumps, and only where its drivers have values"
            if ends or jumps
            else "a driver changes too suddenly there, or the mechanism comes to a position that it cannot pass",
            "look at the drivers at this time; smooth jumps (step(...) in expressions, da.spline for tables)",
        )


def _newton(jac: np.ndarray, phi: np.ndarray) -> np.ndarray:
    """Correction of a configuration: J x = -phi, in the sense of least squares where rows are redundant."""
    if jac.shape[0] == jac.shape[1]:
        try:
            return np.linalg.solve(jac, -phi)
        except np.linalg.LinAlgError:
            pass  # exactly singular: the smallest correction, which the step then refuses or not
    return np.linalg.lstsq(jac, -phi, rcond=1e-13)[0]  # type: ignore[no-any-return]


def _solve(parts: tuple[np.ndarray, np.ndarray, np.ndarray], y: np.ndarray) -> np.ndarray:
    """Least squares with a singular value decomposition; directions without any stiffness stay."""
    u, s, vt = parts
    good = s > 1e-13 * s[0]
    return vt.T @ (np.where(good, 1.0 / np.where(good, s, 1.0), 0.0) * (u.T @ y))  # type: ignore[no-any-return]
