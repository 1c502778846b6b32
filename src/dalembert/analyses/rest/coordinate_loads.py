"""Unknown loads on a Lagrangian system: what they act along, and their balance with the free motions.

A load F along an expression s of coordinates is the generalized force F ds/dq; of a row that lets go it is minus its multiplier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError, ModelError, shown
from ...model.expression import Expr, as_expression
from ...model.lagrangian import Lagrangian
from ...model.lagrangian.parts import Load
from ...system.subspaces import null_space
from ..driven.of_coordinates import moving_coordinates
from .balance import Balance, Unknown

if TYPE_CHECKING:
    pass


# rates and second rates below which a system is at rest, in units of the coordinates
REST = 1e-9
# what forces may differ from a line in a parameter, in units of the largest of them: rounding of their terms
LINEAR = 1e-12


def read_unknown(asked: str, model: Lagrangian, item: Any) -> Unknown:
    """A load, a holonomic row, a parameter of forces, a coordinate or an expression of coordinates and t."""
    name = item.name if isinstance(item, Load) else item
    if isinstance(name, str) and name in model.loads:
        return Unknown(name, model.loads[name], [])
    if isinstance(name, str) and name in model.holonomic:
        return Unknown(name, None, [model.holonomic[name]])
    if isinstance(name, str) and name in model.parameters:
        return Unknown(name, None, [])
    if not isinstance(name, str | Expr):
        why = "an unknown load is a load, a holonomic row, a coordinate or an expression of coordinates"
        raise MethodError(asked, f"unknown {shown(item)} of type {type(item).__name__}", why, f"name {model.q[0]!r}")
    made = as_expression(name, [*model.q, "t", *model.parameters], tables=model.tables, asked=asked)
    if not made.names & set(model.q) or any(x.startswith("rate(") for x in made.names):
        why = "a load acts along a coordinate or an expression of coordinates, without rates"
        raise MethodError(asked, f"unknown {shown(item)}", why, f"name a coordinate, for example {model.q[0]!r}")
    return Unknown(str(name), None, [made])


def check_still(asked: str, pose: Any, wanted: list[Unknown]) -> None:
    """Refuse a state in motion, or one that rows which stay would set in motion."""
    model, unknown = pose.system.model, {u.name for u in wanted}
    found = [f"rate({name}) = {x:.4g}" for name, x in zip(model.q, pose.v) if abs(x) > REST]
    if not found:
        moves = np.maximum(np.abs(pose.nu), np.abs(pose.gamma)) / pose.size
        rows = [name for name, x in zip(pose.system.row_names, moves) if x > REST and name not in unknown]
        found = [f"row {name!r} moves" for name in rows]
    if found:
        raise MethodError(
            asked,
            f"{', '.join(found[:4])} at t = {pose.t:g} s",
            "a holding load belongs to a state at rest; in motion inertia takes part",
            "give a state without rates (state=da.State(t, q, 0 * v)) and rows at rest, or use da.inverse_dynamics for the motion",
        )


def _by_parameter(asked: str, pose: Any, name: str) -> np.ndarray:
    """Generalized force for each unit of a parameter, in which forces are linear and rows do not change."""
    model, F = pose.system.model, pose.work.F
    k, present = list(model.parameters).index(name), model.parameters[name]
    force, rows = [], []
    for x in (0.0, 1.0, 2.0):
        F[k] = x
        force.append(pose.force)
        rows.append(np.concatenate([pose.phi, pose.jac.ravel()]))
    F[k] = present
    size = float(np.max(np.abs([force[1] - force[0], *force]), initial=0.0))
    bent = np.max(np.abs(force[2] - 2.0 * force[1] + force[0]), initial=0.0) > LINEAR * size
    if bent or not np.isfinite(force).all() or not np.allclose(rows[0], rows[2], rtol=LINEAR, atol=0.0):
        moved = "rows change with it" if not bent and np.isfinite(force).all() else "forces are not linear in it"
        raise MethodError(
            asked, f"unknown {name!r}: {moved}", "of a parameter that forces are multiplied by the size is found",
            f"let {name!r} be a factor of a force, or give its value and look for a load along a coordinate",
        )  # fmt: skip
    column = force[1] - force[0]
    if not column.any():
        raise MethodError(
            asked, f"unknown {name!r}: no force changes with it", "it loads nothing", "name a parameter of a force"
        )
    return np.asarray(column)


class CoordinateBalance(Balance):
    """Generalized forces and unknown loads on the coordinates, which have units of their own: nothing is scaled but the rows."""

    @classmethod
    def of(cls, asked: str, wanted: list[Unknown], pose: Any) -> CoordinateBalance:
        """The balance at a state."""
        force, columns, n = pose.force, [], pose.system.n
        if not np.isfinite(force).all():
            names = [name for name, x in zip(pose.system.model.q, force) if not np.isfinite(x)]
            found = f"no finite force on {', '.join(map(repr, names))} at t = {pose.t:g} s"
            raise ModelError(asked, found, "a balance needs finite forces", "change its expression, or the state")
        for u in wanted:
            if u.part is None and not u.measures:
                columns.append(_by_parameter(asked, pose, u.name))
                force = force - pose.system.model.parameters[u.name] * columns[-1]
                continue
            if u.part is None:
                columns.append(pose.measure(u.measures[0])[1])
                continue
            # its own value gives way to the unknown size in the same direction
            own = np.zeros(n)
            for name, x in u.part.generalized(pose.system.model.q).items():
                own[pose.system.model.q.index(name)] = pose.measure(x)[0]
            size = float(np.linalg.norm([pose.measure(x)[0] for x in u.part.vector]))
            if size == 0.0:
                why = "its direction is that of the components given, and zero has none"
                raise ModelError(
                    asked, f"unknown {u.name!r} with zero components", why, "give the direction as its value"
                )
            force = force - own
            columns.append(own / size)
        rows = pose.system.row_names
        kept = [r for r, name in enumerate(rows) if name not in {u.name for u in wanted}]
        jac = (pose.jac / pose.size[:, None])[kept]
        return cls(
            asked, pose, wanted, force, np.array(columns).T, jac, kept, null_space(jac), np.arange(n), np.ones(n)
        )

    def coordinates_of(self, motions: np.ndarray) -> list[str]:
        """Coordinates that change most, one for each motion."""
        return moving_coordinates(self.pose.system.model, motions)

    def refuse_idle(self, idle: list[Unknown]) -> None:
        """Loads that do no work in any free motion."""
        moves, names = self.coordinates_of(self.free), ", ".join(repr(u.name) for u in idle)
        raise MethodError(
            self.asked,
            f"{names} {'do' if len(idle) > 1 else 'does'} no work in any free motion of this state (free: {', '.join(map(repr, moves))})",
            "the load acts across all that can move: no size of it holds anything, rows carry it",
            f"choose a load along what can move, for example {moves[0]!r}, or a state off a dead centre",
        )

    @property
    def singular(self) -> str:
        """Rows that depend on others at this state carry any share; that is no matter of the loads."""
        return ""

    def told(self, k: int) -> tuple[str, str, float]:
        """The coordinate."""
        return f"coordinate {self.pose.system.model.q[k]!r}", "", 1.0
