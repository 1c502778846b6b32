"""Assembly of a Lagrangian system, with what its initial conditions decide (PLANAR 6.3.26-27)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...system.lagrange import compile_lagrangian
from ...system.subspaces import unit_rows
from ..assembly.counting import basis, new_in
from .derivatives import sizes_of
from .point import Point
from .start import Conditions, given_rates

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...state import State


@dataclass(frozen=True)
class Counted:
    """Conditions on positions or on velocities: the freedom that rows leave, names, those that say nothing new, and how much freedom they take."""

    freedom: int
    names: tuple[str, ...]
    dependent: tuple[str, ...]
    taken: int


def assembled(asked: str, model: Lagrangian, begun: State | None, t: float) -> tuple[State, Counted, Counted]:
    """The start of a system, near another state if there is one, with its conditions on positions and on velocities."""
    near = model.as_it_is()
    if begun is not None:
        near.guesses.update(zip(model.q, map(float, begun.q)))
    point = Point.assembled(compile_lagrangian(near, asked), t, asked)
    point.scales()
    point.detect(asked)
    point.check_positions(asked, "drawing")
    point.check_place(asked)
    point.v = point.solve_velocities(asked)
    conditions, one, rows = Conditions(point.system), np.eye(point.system.n), np.array(point.jac)
    starts = [k for k, x in enumerate(model.q) if x in model.starts and model.starts[x].value is not None]
    names = (*(f"start of {model.q[k]}" for k in starts), *conditions.names)
    held = np.vstack([one[starts], conditions.positions(point)[1]])
    size = sizes_of(point.mass)
    positions = _counted(rows[: point.system.n_holonomic] * size, held * size, names)
    rates = list(given_rates(point))
    names = (*(f"rate of {model.q[k]}" for k in rates), *conditions.rate_names)
    moved = np.vstack([one[rates], conditions.velocities(point)[1]])
    return point.state, positions, _counted(rows * size, moved * size, names)


def _counted(rows: np.ndarray, given: np.ndarray, names: tuple[str, ...]) -> Counted:
    own = unit_rows(rows)[0]
    every = np.vstack([own, unit_rows(given)[0]])
    parts, stated = np.array([*[""] * len(own), *names]), np.arange(len(every)) >= len(own)
    dependent, taken = new_in(every, parts, stated, names)
    return Counted(rows.shape[1] - basis(own).shape[1], names, dependent, taken)
