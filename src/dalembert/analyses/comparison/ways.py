"""A mechanism in all formulations that `verify` compares, evaluated at its start and at random consistent states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import DalembertError, ModelError, SingularError
from ...model.mechanism import Mechanism
from ...state import State
from ...system.rows import unscaled_jacobian
from ...system.subspaces import INDEPENDENT, factor, unit_rows
from ...system.system import System, compile
from ..pose.pose import Pose
from .embedding import IN_PLANE, OUT_OF_PLANE, Embedded, lifted
from .formulations import FORMULATIONS, finite, scaled
from .plain import Arrays, Plain
from .symbols import JOINTS, SYMBOLS, WrittenWays

# the two ways besides the compiled one that assemble the equations
PLAIN, IN_SPACE = "plain assembly", "in space"


@dataclass
class Record:
    """One state through all ways: arrays by the ways that assemble, solutions by those that solve."""

    number: int
    arrays: dict[str, Any]
    solved: dict[str, tuple[np.ndarray, np.ndarray]]
    rank: int
    left: np.ndarray  # combinations of rows that are zero
    hurry: float  # largest acceleration in 1/s²: found, of the loads alone, or that of going round (speed squared)
    lifted: np.ndarray | None  # accelerations out of the plane, of the model in space
    state: State


class Ways:
    """A mechanism in all formulations."""

    def __init__(self, model: Mechanism, pose: Pose) -> None:
        self.model, self.pose, self.system = model, pose, pose.system
        self.plain = Plain(model)
        rows = {"gap": 2 if model.plane else 3, "parallel": 2}
        self.parts = [held.part for held in self.plain.held for _ in range(rows.get(held.measure.kind, 1))]
        self.order = self._order(self.system)
        self.space: Pose | None = None
        if model.plane:
            system = compile(Embedded(model))
            self.space, self.space_order = Pose(system, pose.t, system.q0), self._order(system)
            bodies = np.arange(len(model.bodies))[:, None] * 6
            self.in_plane, self.out_of_plane = (bodies + IN_PLANE).ravel(), (bodies + OUT_OF_PLANE).ravel()
        # the way that `simulate` goes and all others are compared with
        self.compiled = "compiled saddle point" if self.system.saddle else "range space"
        self.written = WrittenWays(model, f"verify({model.name!r})")
        self.notes = self.written.notes
        self.names = [
            self.compiled, PLAIN, *FORMULATIONS, *([IN_SPACE] if model.plane else []), *self.written.names
        ]  # fmt: skip
        n, linear = len(model.bodies), 2 if model.plane else 3
        self.width, self.linear, self.length = self.system.builder.width, linear, self.system.length
        # velocities (r'/L, omega): one size for lengths and angles
        self.columns = np.tile(np.r_[np.full(linear, self.length), np.ones(self.width - linear)], n)
        self.records: list[Record] = []
        self.rounding = 0.0
        self.doubtful: list[str] = []  # parts whose rows were nearly dependent at a state that was left out

    def _order(self, system: System) -> np.ndarray:
        """Rows of a system in the order of the plain assembly: part by part, as in the tables of the joints."""
        rows: dict[str, list[int]] = {}
        for r, part in enumerate(system.row_parts):
            rows.setdefault(part, []).append(r)
        return np.array([r for part in dict.fromkeys(self.parts) for r in rows[part]], dtype=int)

    # -- states ----------------------------------------------------------------------------------------------------------

    def draw(self, count: int, rng: np.random.Generator, asked: str) -> int:
        """Evaluate at the start and at random states; return how many were left out: near singular positions, out of reach."""
        pose = self.pose
        start = pose.t, pose.q.copy(), pose.v.copy(), pose.work.angle.copy()
        left_out = 0
        for number in range(4 * count + 4):
            if len(self.records) == count:
                break
            if number:
                self._restore(*start)
            try:
                if number and not self._move(rng, 0.6 ** (number // count)):
                    left_out += 1
                    continue
                record, clear = self._evaluate(number)
            except DalembertError:
                # a force or driver without a value at a random place; at the start it is an error of the model
                if number == 0:
                    raise
                left_out += 1
                continue
            rank = max((r.rank for r in self.records), default=0)
            if not clear or record.rank < rank:
                left_out += 1
                continue
            kept = [r for r in self.records if r.rank == record.rank]
            left_out += len(self.records) - len(kept)
            self.records = [*kept, record]
        self._restore(*start)
        if not self.records:
            raise SingularError(
                asked,
                f"{left_out} states, all at or near a singular position of {', '.join(map(repr, self.doubtful))}",
                "their rows are almost dependent, so that accelerations and reactions cannot be compared",
                "look for axes and points that almost coincide, and make them coincide or differ clearly",
            )
        return left_out

    def _restore(self, t: float, q: np.ndarray, v: np.ndarray, angles: np.ndarray) -> None:
        pose = self.pose
        pose.t, pose.q[:], pose.v[:] = t, q, v
        pose.work.angle[:], pose.work.angle_rate[:], pose.work.angle_time[0] = angles, 0.0, t

    def _move(self, rng: np.random.Generator, reach: float) -> bool:
        """Random displacement along the free motions, projected back, then random consistent velocities; False if that failed."""
        pose = self.pose
        for _ in range(3):
            free, driven = self._motions()
            now, before = pose.t, pose.q.copy()
            dt = 0.3 * reach * rng.uniform()
            # time runs while drivers ask for a third of a radian, or of the model's length, at most
            for _ in range(40):
                pose.t = now + dt
                if np.max(np.abs(pose.phi * pose.scale), initial=0.0) <= 0.3:
                    break
                dt *= 0.5
            delta = self.columns * (free @ rng.uniform(-1.0, 1.0, free.shape[1]))
            delta *= 0.5 * reach / max(1.0, float(np.max(np.abs(delta / self.columns), initial=0.0)))
            pose.q = pose.shifted(driven * dt + delta)
            reached = pose.onto() <= 1e-11 + 10.0 * pose.rounding
            if not reached or not np.max(np.abs(pose.q - before)) <= 2.0 * max(1.0, self.length):
                return False
            pose.follow()
        free, driven = self._motions()
        pose.v[:] = driven + self.columns * (free @ rng.uniform(-2.0, 2.0, free.shape[1]))
        pose.velocity_onto()
        return bool(np.isfinite(pose.v).all())

    def _motions(self) -> tuple[np.ndarray, np.ndarray]:
        """Free motions (columns, scaled) and the smallest velocity that follows the drivers."""
        jac = self.pose.jac.toarray() * self.columns
        if not len(jac):
            return np.eye(len(self.columns)), np.zeros(len(self.columns))
        self._refuse_infinite(np.isfinite(jac).all(axis=1), self.system.row_parts)
        unit, size = unit_rows(jac)
        rows = factor(unit, INDEPENDENT, size=1.0)
        return rows.null, self.columns * rows.solve(self.pose.nu / size)

    def _refuse_infinite(self, good: np.ndarray, parts: list[str]) -> None:
        if not good.all():
            names = dict.fromkeys(part for part, fine in zip(parts, good) if not fine)
            raise SingularError(
                f"verify({self.model.name!r})",
                f"{', '.join(map(repr, names))} without a finite value or slope at t = {self.pose.t:g} s",
                "the equations of motion have no numbers there, so there is nothing to compare",
                "start from another pose, or guard the expression",
            )

    # -- one state -------------------------------------------------------------------------------------------------------

    def _evaluate(self, number: int) -> tuple[Record, bool]:
        pose = self.pose
        turns = {key: float(pose.work.angle[k]) for key, k in self.system.builder.angles.items()}
        plain = self.plain.arrays(pose.t, pose.q, pose.v, turns)
        arrays = {self.compiled: compiled_arrays(pose, self.order), PLAIN: plain}
        for one in arrays.values():
            self._refuse_infinite(np.isfinite(one.jac).all(axis=1) & np.isfinite(one.gamma), self.parts)
        pose.detect()
        a, lam = pose.solve()
        if not (np.isfinite(a).all() and np.isfinite(lam).all() and all(finite(one) for one in arrays.values())):
            laws = [law.part for law, f in zip(self.system.builder.laws, pose.work.force) if not np.isfinite(f)]
            raise ModelError(
                f"verify({self.model.name!r})",
                f"no finite acceleration at t = {pose.t:g} s; without a finite value: {', '.join(map(repr, laws)) or 'unknown'}",
                "ways can be compared where they have an answer",
                "check the laws of forces and drivers at this state",
            )
        solved = {self.compiled: (a, lam[self.order])}
        x = scaled(plain, self.columns)
        if x.clear:
            self.rounding = max(self.rounding, min(x.rounding, 1e-5))
            for way, solve in FORMULATIONS.items():
                try:
                    solved[way] = solve(x)
                except np.linalg.LinAlgError:
                    solved[way] = (np.full(len(a), np.nan), np.full(len(lam), np.nan))
            joints = self.written.solve(pose, plain, x)
            if joints is not None:
                solved[JOINTS] = joints
        else:
            self.doubtful = list(dict.fromkeys([*self.doubtful, *(self.parts[r] for r in x.doubtful)]))
        symbols = None if self._ends_meet(number) else self.written.arrays(pose, arrays[self.compiled])
        if symbols is not None:
            arrays[SYMBOLS] = symbols
        lifted = None if self.space is None else self._solve_in_space(self.space, arrays, solved)
        compiled, speed = arrays[self.compiled], np.max(np.abs(pose.v / self.columns))
        mass = np.abs(np.diag(compiled.M))
        # of own loads and of every law, which may balance each other at rest
        pushed = np.abs(compiled.law_rows.T) @ np.abs(compiled.law)
        loads = np.maximum(np.abs(compiled.Q + compiled.law_rows.T @ compiled.law), pushed)
        alone = np.where(mass > 0.0, loads / np.where(mass > 0.0, mass, 1.0), 0.0)
        hurry = max(float(np.max(np.abs(x / self.columns))) for x in (a, alone)) + float(speed) ** 2
        return Record(number, arrays, solved, x.rank, x.left / x.rows[:, None], hurry, lifted, pose.state), x.clear

    def _ends_meet(self, number: int) -> bool:
        """Whether a force acts along the line between points that coincide: written out, its direction d/l is 0/0 there."""
        for load in self.plain.loaded:
            if load.measure.kind == "distance" and self.plain.scalars(load.measure)[0].value == 0.0:
                self.notes.append(f"{SYMBOLS} left out at state {number}: the ends of {load.part!r} meet, d/l is 0/0")
                return True
        return False

    def _solve_in_space(self, space: Pose, arrays: dict[str, Any], solved: dict[str, Any]) -> np.ndarray:
        flat = self.pose
        q, v = lifted(flat.q, flat.v)
        space.t, space.q[:], space.v[:] = flat.t, q, v
        angle = np.r_[flat.q[2::3], 0.0]
        space.work.angle[:] = [angle[j] - angle[i] for i, j, _ in space.system.builder.angles]
        space.work.angle_rate[:], space.work.angle_time[0] = 0.0, flat.t
        full = compiled_arrays(space, self.space_order)
        k = self.in_plane
        arrays[IN_SPACE] = Arrays(
            full.phi, full.jac[:, k], full.nu, full.gamma, full.M[np.ix_(k, k)], full.Q[k], full.law, full.law_rows[:, k]
        )  # fmt: skip
        space.detect()
        a, lam = space.solve()
        solved[IN_SPACE] = (a[k], lam[self.space_order])
        return a[self.out_of_plane]


def compiled_arrays(pose: Pose, order: np.ndarray) -> Arrays:
    """Arrays of a compiled system, rows in the order of the plain assembly."""
    system, work = pose.system, pose.work
    phi, jac, nu, gamma = pose.phi[order], pose.jac.toarray()[order], pose.nu[order], pose.gamma[order]
    Q = pose.force
    first = system.n_rows
    free = unscaled_jacobian(system, work, first, first + system.n_free).toarray()
    laws = [law.row for law in system.builder.laws]
    law = work.force[: len(laws)].copy()
    return Arrays(phi, jac, nu, gamma, pose.mass.toarray(), Q, law, free[laws])
