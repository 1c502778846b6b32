"""Freedoms that the joints leave: how many drivers move them, which of these a joint holds already, and which nothing acts on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...errors import DalembertError
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...system.subspaces import null_space
from ...system.system import System, compile
from ..pose.pose import Pose

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian

# velocities up to which dense matrices are made
LARGEST = 600
# displacement to a pose near the first, where a chance position (a dead centre) is left: part of the model's size
ASIDE = 0.02
# part of the largest that counts: what is less is rounding, or the curvature along the displacement
LEAST = 1e-8


@dataclass(frozen=True, eq=False)
class Freedoms:
    """A mechanism without its drivers at a pose: its rows, and a basis of the velocities that they leave, in units of the model."""

    model: Mechanism
    pose: Pose
    rows: np.ndarray
    basis: np.ndarray

    def row(self, measure: Measure) -> np.ndarray:
        """Row of a measure in units of the model, of length 1."""
        made = self.pose.measure(measure)[1] * self.pose.system.unit_of_velocity
        return np.asarray(made / max(float(np.linalg.norm(made)), 1e-300))

    @property
    def _drivers(self) -> list[tuple[Any, np.ndarray]]:
        return [(one, self.row(one.measure)) for one in self.model.at_work("driver")]

    def overdriven(self) -> tuple[str, str] | None:
        """Why there are too many drivers, and what to do; None if there are not."""
        free = []
        for driver, row in self._drivers:
            if float(np.max(np.abs(row @ self.basis), initial=0.0)) > LEAST:
                free.append((driver, row))
                continue
            names = self._holders(row)
            many = len(names) > 1
            held = f"{_listed(names)} already hold{'' if many else 's'} {driver.measure.name}, which {driver.name!r} drives"
            return held, f"leave out {driver.name!r} (m.drive), or give {_listed(names)} more freedom"
        if not free:
            return None
        moved = np.array([row @ self.basis for _, row in free])
        between = null_space(moved.T, LEAST, 1.0)  # combinations of drivers that move nothing
        if not between.shape[1]:
            return None
        names = [driver.name for (driver, _), share in zip(free, between) if float(np.max(np.abs(share))) > LEAST]
        left = len(names) - between.shape[1]
        said = f"{len(names)} drivers, {left} freedom{'' if left == 1 else 's'}: {', '.join(map(repr, names))}"
        return said, f"leave out {' or '.join(map(repr, names))} (m.drive)"

    def _holders(self, row: np.ndarray) -> list[str]:
        """Joints of which a row is a combination, the smallest one."""
        share = np.linalg.lstsq(self.rows.T, row, rcond=None)[0]
        size = np.abs(share) * np.linalg.norm(self.rows, axis=1)
        parts = self.pose.system.row_parts
        return list(dict.fromkeys(p for p, x in zip(parts, size) if x > 1e-6 * float(np.max(size, initial=0.0))))

    def idle(self) -> list[str]:
        """Coordinates that can move though no driver, spring, force, stop or contact acts along them."""
        model, units = self.model, self.pose.system.unit_of_velocity
        acting = [row for _, row in self._drivers]
        acting += [self.row(measure) for force in model.at_work("force") for measure, _ in force.elements()]
        touching = {body for stop in model.stops_at_work.values() for body in stop.bodies if not body.is_ground}
        width = self.pose.system.builder.width
        for body in touching:
            first = width * self.pose.system.body_index(body.name)
            acting += list(np.eye(len(units))[first : first + width])
        left = self.basis @ null_space(np.array(acting).reshape(-1, len(units)) @ self.basis, LEAST, 1.0)
        if not left.shape[1]:
            return []
        from ..driven.of_bodies import free_coordinates

        return free_coordinates(model, self.pose.state, lambda x: units * x, left)


def freedoms(model: Mechanism) -> Freedoms | None:
    """The freedoms of a mechanism near its drawing; None where it is too large, or its joints do not go together."""
    from ..pose.initial import assemble

    drivers = [driver.name for driver in model.at_work("driver")]
    bare = model.varied(replace(model.situation, absent=model.situation.absent | set(drivers))).without_starts()
    measures = [driver.measure for driver in model.at_work("driver")]
    measures += [measure for force in model.at_work("force") for measure, _ in force.elements()]
    try:
        system = compile(bare, extra=tuple(measures))
        if system.nv > LARGEST:
            return None
        with np.errstate(all="ignore"):
            return _generic(model, system, assemble(bare, system, 0.0))
    except DalembertError:
        return None


def too_many_drivers(model: Mechanism | Lagrangian) -> tuple[str, str] | None:
    """Why there are more drivers than freedoms, or a joint holds what one drives, and what to do; None where it is something else."""
    machine = cast("Mechanism", model)
    found = freedoms(machine) if model.drivers and machine.at_work("driver") else None
    return None if found is None else found.overdriven()


def _generic(model: Mechanism, system: System, q: np.ndarray) -> Freedoms:
    """Beside the pose, which may be one of chance: with more freedoms than elsewhere, or a dead centre where a driver moves nothing."""
    here = _at(model, Pose(system, 0.0, q))
    aside = Pose(system, 0.0, q)
    way = here.basis @ np.random.default_rng(1).standard_normal(here.basis.shape[1])
    size = float(np.max(np.abs(way), initial=0.0))
    if not size:
        return here
    aside.q = aside.shifted(ASIDE / size * system.unit_of_velocity * way)
    aside.detect()
    if not aside.onto() < 1e-9:
        return here
    there = _at(model, aside)
    return there if there.basis.shape[1] <= here.basis.shape[1] else here


def _at(model: Mechanism, pose: Pose) -> Freedoms:
    pose.detect()
    rows = pose.jac.toarray()[: pose.system.n_rows] * pose.system.unit_of_velocity
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    return Freedoms(model, pose, rows, null_space(rows) if len(rows) else np.eye(pose.system.nv))


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:4])) + (", …" if len(names) > 4 else "")
