"""What rigid stops and contacts that touch can push with, what friction of a known limit can hold, and the loads that hold a pose beside them.

A gap pushes along its row R with n >= 0.  Coulomb's friction makes it the cone of R + mu S e with |e| <= 1, S the rows of what slides: in the plane of R + mu S and R - mu S; a rough gap pushes
along S with any size.  Friction of a known limit F (a compliant contact, whose gap tells what presses; friction of a constant size) is F S e: a cone whose sizes add up to one,
which is a further equation.  All of them are directions with sizes x >= 0:  N^T (Q + sum of g F + P^T x) = 0 for the free motions N of the joints (`pressures.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError
from ..dynamics.pressure import coefficients, pressure_at
from ..events.contact import squeezed
from ..events.grips import leading
from ..events.stops import TOUCHING, scales
from ..events.surfaces import Surfaces, surfaces
from .pressures import DEPENDENT, Combination, combination, unit_columns
from .round_cones import Cone

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...model.mechanism import Mechanism
    from ..dynamics.dynamics import Dynamics


@dataclass(frozen=True)
class Push:
    """Forces along base + e across, |e| <= 1, of any size >= 0; a bounded one has sizes up to 1."""

    base: np.ndarray
    across: np.ndarray
    bounded: bool = False


def touching_at(asked: str, here: Dynamics, model: Mechanism | Lagrangian) -> tuple[Surfaces, list[int]]:
    """The stops of a model at a pose, and the numbers of those that touch; refused where bodies overlap."""
    s = surfaces(here, model)
    near = TOUCHING * scales(here, s)
    for name, gap, least in zip(s.names, s.value, near):
        if gap < -least:
            unit = model.impacts[name].unit
            raise MethodError(
                asked, f"the gap of {name!r} is {gap:.6g} {unit}".rstrip(), "bodies do not overlap: a gap is at least 0",
                "give a pose in which all gaps are open or closed, or m.open what does not belong to it",
            )  # fmt: skip
    return s, [k for k in range(len(s)) if s.value[k] <= near[k]]


def pushes(asked: str, s: Surfaces, touch: list[int], here: Dynamics, free: np.ndarray) -> list[Push]:
    """What the gaps that touch can push with, with the coefficients of a state; `free` are the free motions of the joints."""
    found = []
    for k in touch:
        row, slips, rub = s.rows[k], s.rows[s.partners[k]], s.rubs[k]
        moved = np.abs(row @ free) > DEPENDENT * (np.abs(row) @ np.abs(free))
        if rub is not None and not moved.any():
            raise squeezed(asked, rub.name, s.names[k])
        if rub is None:
            found += [Push(one, slips[:0]) for one in (row, *slips, *-slips)]
        else:
            found.append(Push(row, coefficients(rub, here, 0.0, True)[1] * slips))
    return found


def refuse_feeling(asked: str, model: Mechanism | Lagrangian, contacts: str) -> None:
    """Refuse friction in joints that feels what they carry, beside contacts: of a constant size it is known."""
    feeling = [one for one in model.frictions if one.mu is not None or not hasattr(one, "joint")]
    if feeling:
        raise MethodError(
            asked, f"{feeling[0].name!r} with dry friction in a joint, beside the contact{'s' * (',' in contacts)} {contacts}",
            "what rubs in joints depends on what they carry, and that on what the contacts take, which is not determined",
            "give it a constant size (force=), leave it out, or m.open the contacts; da.simulate decides what a machine does in time",
        )  # fmt: skip


def soft(model: Mechanism | Lagrangian) -> list[Any]:
    """Friction of compliant contacts at work, whether they touch or not."""
    return [one for one in model.soft_rubs if not one.absent(model.situation)]


def limited(model: Mechanism | Lagrangian) -> list[Any]:
    """Friction of a known limit, whether it touches or not: of compliant contacts, and of a constant size."""
    return soft(model) + [one for one in model.frictions if one.mu is None and one.kind != "rub"]


def grips(here: Dynamics, model: Mechanism | Lagrangian) -> list[Push]:
    """What friction of a known limit can hold at a pose at rest."""
    found, number = [], here.system.number
    for one in leading(limited(model), here):
        limit = one.holding(number) * pressure_at(one, here, here.work.lam, [])
        rows = np.array([here.measure(measure)[1] for measure in one.slips])
        if limit > 0.0:
            found.append(Push(0.0 * rows[0], limit * rows, bounded=True))
    return found


@dataclass(frozen=True)
class Directions:
    """Pushes as directions with sizes >= 0: rows, the cones that more of them come from, and what the sizes of bounded ones add up to (further equations)."""

    rows: np.ndarray
    cones: list[tuple[np.ndarray, np.ndarray]]
    sums: np.ndarray

    @classmethod
    def of(cls, every: list[Push], nv: int) -> Directions:
        """The directions of pushes on nv velocities; a sum is counted in the size of its force, so that it stands beside forces."""
        sums = np.array([float(np.max(np.linalg.norm(one.across, axis=1))) for one in every if one.bounded])
        rows, cones, n = [], [], 0
        for one in every:
            base, across = (np.pad(x, [*([(0, 0)] * (x.ndim - 1)), (0, len(sums))]) for x in (one.base, one.across))
            if one.bounded:
                base[nv + n] = sums[n]
                n += 1
            rows += [base] if one.bounded or not len(across) else []
            rows += [base + way * x for x in across for way in (1.0, -1.0)]
            cones += [(base, across)] if len(across) > 1 else []
        return cls(np.array(rows).reshape(len(rows), nv + len(sums)), cones, sums)

    def scaled(self, columns: np.ndarray, active: np.ndarray) -> Directions:
        """On some of the velocities, in other units."""

        def taken(x: np.ndarray) -> np.ndarray:
            return np.concatenate([columns * x[..., active], x[..., x.shape[-1] - len(self.sums) :]], axis=-1)

        return Directions(taken(self.rows), [(taken(base), taken(across)) for base, across in self.cones], self.sums)


def held_by(
    force: np.ndarray, loads: np.ndarray, directions: Directions, rows: np.ndarray | None = None, free: np.ndarray | None = None
) -> tuple[Combination, np.ndarray] | None:  # fmt: skip
    """Sizes of pushes and loads that balance a force, and the rows of ones that read the loads from them; None where there are none.

    Loads (columns) have either sign: two sizes each.  By virtual work along the motions `free`, or with the multipliers of `rows`, of either sign too:
    force + loads F + directions^T x = rows^T lam.
    """
    either = loads if rows is None else np.column_stack([loads, -rows.T])
    either = np.vstack([either, np.zeros((len(directions.sums), either.shape[1]))])
    every = np.column_stack([directions.rows.T, either, -either])
    reduced = _reduced(every, free, len(force))
    columns, size = unit_columns(reduced, np.linalg.norm(every, axis=0))
    need = _reduced(np.concatenate([-force, directions.sums]), free, len(force))
    cones = [Cone(*(_reduced(x.T, free, len(force)) for x in one)) for one in directions.cones]
    found = combination(columns, need, float(np.max(np.abs(force), initial=0.0)), cones)
    if found is None:
        return None
    read, first, width = np.zeros((loads.shape[1], columns.shape[1])), len(directions.rows), either.shape[1]
    for k in range(loads.shape[1]):
        read[k, first + k], read[k, first + width + k] = 1.0 / size[first + k], -1.0 / size[first + k]
    return found, read


def held_along(every: list[Push], z: np.ndarray, load: np.ndarray, scale: float, size: np.ndarray) -> bool:
    """Whether pushes balance what they must do along free motions z; `size`: what velocities are measured by, `scale`: the size of forces."""
    made, n = Directions.of(every, len(z)).scaled(1.0 / size, np.arange(len(z))), len(z)
    free = z * size[:, None]
    columns, _ = unit_columns(_reduced(made.rows.T, free, n), np.linalg.norm(made.rows, axis=1))
    cones = [Cone(*(_reduced(x.T, free, n) for x in one)) for one in made.cones]
    return combination(columns, np.concatenate([load, made.sums]), scale, cones) is not None


def _reduced(columns: np.ndarray, free: np.ndarray | None, n: int) -> np.ndarray:
    """Columns on n velocities along free motions; equations behind these stay."""
    return columns if free is None else np.concatenate([free.T @ columns[:n], columns[n:]])
