"""Unknown loads against free motions: by virtual work  free^T (force + loads F) = 0  for the sizes F."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import MethodError, ModelError, ResidualError, SingularError
from ...kernels.outputs import TERMS
from ...model.driver import Driver
from ...model.forces import Force
from ...system.subspaces import null_space
from ..driven.of_bodies import free_coordinates
from ..driven.path import scaled_columns
from ..mobility import mobility
from ..pose.pose import Pose

# share of a load that must do work on a free motion; below it the load does none
WORK = 1e-9
# unit of a load, by that of the measure which it acts along
UNITS = {"m": "N", "m/s": "N", "rad": "N m", "rad/s": "N m"}


@dataclass
class Unknown:
    """An unknown as read: the part of the model (None for an expression of measures), and the measures along which it acts.

    Of a Lagrangian system: a load, or None, and the expression along which it acts.
    """

    name: str
    part: Any
    measures: list[Any]

    @property
    def along(self) -> str:
        """What it acts along, in words."""
        if self.part is None:
            return "its value"
        return self.measures[0].name if len(self.measures) == 1 else "its given direction"

    @property
    def unit(self) -> str:
        """Unit of its size; coordinates of a Lagrangian system have none that is known."""
        return UNITS.get(getattr(self.measures[0], "unit", ""), "") if self.measures else ""


@dataclass
class Balance:
    """Forces and unknown loads on scaled velocities, the rows that hold, and the free motions.

    By virtual work  free^T (force + loads F) = 0  for the sizes F of the unknown loads.
    """

    asked: str
    pose: Any  # a Pose; of coordinates a Point
    wanted: list[Unknown]
    force: np.ndarray
    loads: np.ndarray
    jac: np.ndarray
    kept: list[int]  # rows that hold: those of unknown drivers do not
    free: np.ndarray
    active: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, asked: str, wanted: list[Unknown], pose: Pose) -> Balance:
        """The balance at a pose."""
        active, columns = scaled_columns(pose.system)
        force, loads = _given_and_unknown(asked, pose, wanted)
        drivers = drivers_of(wanted)
        kept = [r for r, row in enumerate(pose.rows) if row.part not in drivers]
        jac = (pose.scale[:, None] * pose.jac.toarray())[kept][:, active] * columns
        made = columns * force[active], columns[:, None] * loads[active], jac, kept, null_space(jac)
        return cls(asked, pose, wanted, *made, active, columns)

    def full(self, x: np.ndarray) -> np.ndarray:
        """Velocities from scaled ones."""
        v = np.zeros(self.pose.system.nv)
        v[self.active] = self.columns * x
        return v

    def unscaled(self, x: np.ndarray) -> np.ndarray:
        """Forces on all velocities from scaled ones (of vectors in columns)."""
        made = np.zeros((self.pose.system.nv, *x.shape[1:]))
        made[self.active] = (x.T / self.columns).T
        return made

    def coordinates_of(self, motions: np.ndarray) -> list[str]:
        """Names of coordinates that change in some motions."""
        return free_coordinates(self.pose.system.model, self.pose.state, self.full, motions)

    @property
    def counted(self) -> str:
        """How many unknowns there are, in words."""
        return f"{len(self.wanted)} unknown{'s' if len(self.wanted) > 1 else ''}"

    def refuse_held(self) -> None:
        """Poses that joints and drivers hold already, and loads that do no work."""
        if not self.free.shape[1]:
            raise MethodError(
                self.asked,
                f"{self.counted} and no free motion",
                "joints and drivers hold the mechanism already: no load is needed, and any would do",
                "name a driver as the unknown, or leave out the driver that holds the pose",
            )
        sizes, work = np.linalg.norm(self.loads, axis=0), self.free.T @ self.loads
        idle = [u for c, u in enumerate(self.wanted) if not np.linalg.norm(work[:, c]) > WORK * sizes[c]]
        if idle:
            self.refuse_idle(idle)

    def refuse_idle(self, idle: list[Unknown]) -> None:
        """Loads that do no work in any free motion."""
        moves = self.coordinates_of(self.free)
        names = ", ".join(repr(u.name) for u in idle)
        found = f"{names} {'do' if len(idle) > 1 else 'does'} no work in any free motion of this pose"
        found += f" (free: {', '.join(map(repr, moves))})" if moves else ""
        motions = [self.full(x) for x in self.free.T]
        if any(_works_beside(self.asked, self.pose, u, motion, self.kept) for u in idle for motion in motions):
            raise SingularError(
                self.asked,
                found,
                "the pose is singular for this load (a dead centre): it acts across all that can move there, so that no size of it holds"
                " anything; reactions carry it",
                "move the pose off the dead centre, or choose another load",
            )
        raise MethodError(
            self.asked,
            found,
            "the load acts across all that can move, here and in poses nearby: no size of it holds anything, reactions carry it",
            "choose a load along what can move" + (f", for example {moves[0]!r}" if moves else ""),
        )

    def refuse_loose(self, loose: np.ndarray, rank: int) -> None:
        """Free motions in which no unknown does work, while the given forces do."""
        unheld, count = self.coordinates_of(self.free @ loose), self.free.shape[1]
        example = f", for example {unheld[0]!r}" if unheld else ""
        singular = self.singular
        if singular:
            raise SingularError(
                self.asked,
                f"{singular}: {count} free motions in it for {self.counted}; not held: {', '.join(map(repr, unheld))}",
                "there the mechanism can move in more ways than beside it, and each of them needs a load of its own",
                f"move the pose off the dead centre, or name more unknowns{example}",
            )
        raise MethodError(
            self.asked,
            f"{self.counted} for {count} free motions; not held: {', '.join(map(repr, unheld))}",
            "each free motion needs a load of its own, unless the given forces balance in it",
            f"name {count - rank} more unknown{'s' if count - rank > 1 else ''}{example}",
        )

    @property
    def singular(self) -> str:
        """What is singular in the pose, if anything is."""
        return dead_centre(self.pose, drivers_of(self.wanted))

    def told(self, k: int) -> tuple[str, str, float]:
        """Whose balance a scaled velocity belongs to, its unit, and the length by which forces are scaled."""
        c, system = int(self.active[k]), self.pose.system
        unit, length = ("N m", 1.0) if system.kinds_of_velocity[c] else ("N", float(system.length))
        return f"body {system.body_names[c // system.builder.width]!r}", unit, length

    def check(self, values: np.ndarray) -> None:
        """Refuse loads with which no reactions balance every body: Q + sum of g F = J^T lam, without the free motions that F came from."""
        total, jac = self.force + self.loads @ values, self.jac
        lam = np.linalg.lstsq(jac.T, total, rcond=None)[0] if len(jac) else np.zeros(0)
        terms = np.abs(self.force) + np.abs(self.loads) @ np.abs(values) + np.abs(jac).T @ np.abs(lam)
        off = np.abs(total - jac.T @ lam)
        # a balance that least squares find is off by the rounding of the largest load anywhere
        allowed = TERMS * terms + 1e-12 * float(np.max(terms, initial=0.0))
        if np.all(off <= allowed):
            return
        k = int(np.argmax(np.where(off <= allowed, 0.0, off)))
        whose, unit, length = self.told(k)
        raise ResidualError(
            self.asked,
            f"{whose} is out of balance by {off[k] / length:.3g} {unit} of {terms[k] / length:.3g} {unit}".rstrip(),
            "with the loads found, no reactions hold all bodies: they would be wrong",
            "take a pose beside this one, or other loads; if the model is sound this is a fault of the solver: please report it",
        )


def drivers_of(wanted: list[Unknown]) -> set[str]:
    """Names of the drivers among the unknowns."""
    return {u.name for u in wanted if isinstance(u.part, Driver)}


def _given_and_unknown(asked: str, pose: Pose, wanted: list[Unknown]) -> tuple[np.ndarray, np.ndarray]:
    """Generalized force of everything given, and that of each unknown per unit (columns)."""
    force = pose.force
    laws = pose.system.builder.laws
    present = np.array(pose.work.force)
    infinite = [law.part for law, f in zip(laws, present) if not np.isfinite(f)]
    if infinite or not np.isfinite(force).all():
        found = f"no finite value of {', '.join(map(repr, infinite)) or 'the forces'} at t = {pose.t:g} s"
        raise ModelError(asked, found, "a balance needs finite forces", "change its law, or the pose")
    columns = []
    for u in wanted:
        rows = np.array([pose.measure(m)[1] for m in u.measures])
        weights = np.ones(1)
        if isinstance(u.part, Force):
            f = np.array([present[k] for k, law in enumerate(laws) if law.part == u.name])
            # the element's own value gives way to the unknown: Q holds -f J^T of it
            force = force + f @ rows
            if len(rows) > 1:
                size = float(np.linalg.norm(f))
                if size == 0.0:
                    raise ModelError(
                        asked,
                        f"unknown {u.name!r} with zero components",
                        "its direction is that of the components given, and zero has none",
                        "give the direction as its value: m.force(name, body, (1, 0))",
                    )
                weights = -f / size
        columns.append(weights @ rows)
    return force, np.array(columns).T


def dead_centre(pose: Pose, drivers: set[str]) -> str:
    """What makes the pose a singular one, with names; "" where it is none.  Drivers that are unknown do not count."""
    if not pose.dropped.any():
        return ""
    sets = [
        s for s in mobility(pose.system.model, pose.state).dependent if s.pose_only and not drivers & set(s.drivers)
    ]
    names = list(dict.fromkeys(name for found in sets for name in found.joints))
    listed = ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")
    return f"the pose is singular (a dead centre of {listed})" if names else ""


def _works_beside(asked: str, pose: Pose, one: Unknown, motion: np.ndarray, kept: list[int]) -> bool:
    """Whether a load does work in poses a small step along a free motion away.

    Off the constraints by the square of the step, which the work (in proportion to the step) exceeds.  No derivative tells it: in a
    singular pose the free motions change their number with the first step.
    """
    active, columns = scaled_columns(pose.system)
    step = 1e-3 / max(float(np.max(np.abs(motion[active] / columns))), 1e-300)
    beside = Pose(pose.system, pose.t, pose.shifted(step * motion), None, pose.work.angle.copy())
    jac = (beside.scale[:, None] * beside.jac.toarray())[kept][:, active] * columns
    load = columns * _given_and_unknown(asked, beside, [one])[1][active, 0]
    # the rows are no longer dependent there, where the pose is singular: of the motions, those that come from the free one
    free = null_space(jac, 0.1 * step)
    return bool(np.linalg.norm(load @ free) > 0.01 * 1e-3 * np.linalg.norm(load))
