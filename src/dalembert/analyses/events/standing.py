"""Bodies in space that stand on several gaps of one contact: how far their friction is determined (`model/forces/_rubbing.py`), and what has to be refused.

Sliding without turning, and held well inside the limit, they move in the same way with every sharing of what presses; else each sharing gives another motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import SingularError
from ...model.forces._rubbing import TURNS
from ...system.sharing import circle_of
from ...system.subspaces import INDEPENDENT, factor, unit_rows
from ...system.system import System

if TYPE_CHECKING:
    from ..dynamics.dynamics import Dynamics


# part of what holds, of accelerations, and of a limit, that is rounding; of a limit where an instant was located by it
ROUNDING, LOCATED = 1e-9, 1e-6
# part of a load in a combination of loads without effect above which the combination changes it
SHARED = 1e-7

_WHY = "rigid bodies do not tell how several points share what presses and what holds, and with each sharing it would move in another way"
_DO = "let it stand on one point, make the contact compliant (stiffness=), or give rough=True; error.result has what was computed until then"


@dataclass(frozen=True)
class Grip:
    """What holds a body that sticks.

    Attributes
    ----------
    force, limit
        The force along the surface, and static N.
    moment
        That about the normal through the centre of pressure.
    beyond
        By which part of what is there it is beyond what every sharing holds; negative where it is not.
    """

    force: float
    limit: float
    moment: float
    beyond: float

    def __str__(self) -> str:
        return f"it is held by {self.force:.6g} along the surface, of at most {self.limit:.6g}, and by the moment {self.moment:.6g} about the normal, which not every sharing of what presses can give"


def grip_of(one: Any, here: Dynamics, own: Sequence[float], pressed: np.ndarray) -> Grip:
    """How friction holds that closed gaps share: by the two forces at the first of them and the moment about it, and what presses at each."""
    assert isinstance(here.system, System)  # bodies stand, coordinates do not
    circle, static = circle_of(here.system.builder, one), one.holding(here.system.number)
    named, other = [f"own{k}" for k in range(3)], [f"lam{k}" for k in range(len(pressed))]
    left = one.left_before_slip(static, named, other, circle)
    places = np.array([[here.measure(x)[0] for x in pair] for pair in one.places()])
    known = {x.name: float(r) for pair, place in zip(one.places(), places) for x, r in zip(pair, place)}
    numbers = dict(zip(named, map(float, own))) | {name: -float(n) for name, n in zip(other, pressed)}
    force, total = float(np.hypot(own[0], own[1])), max(float(sum(pressed)), 1e-300)
    arm = places[0] - pressed @ places / total
    moment = float(own[2] + arm[0] * own[1] - arm[1] * own[0])
    size = max(force + static * total, 1e-300) * circle.outer * total
    return Grip(force, static * total, moment, -float(left.evaluate(known | numbers)) / size)


def turning(one: Any, here: Dynamics) -> float:
    """How fast the body turns about the normal [rad/s], where that is more than rounding."""
    rate = float(here.measure(one.spin)[2]) if one.together else 0.0
    return rate if abs(rate) > 0.5 * TURNS else 0.0


def determined(one: Any, here: Dynamics) -> bool:
    """Whether balance determines what presses at each closed gap: two, or three that are not in a line."""
    places = np.array([[1.0, *(here.measure(x)[0] for x in pair)] for pair in one.places()])
    places[:, 1:] -= places[:, 1:].mean(axis=0)
    places[:, 1:] /= float(np.max(np.abs(places[:, 1:]))) or 1.0
    return len(places) <= 3 and int(np.linalg.matrix_rank(places, tol=SHARED)) == len(places)


def begins_to_turn(one: Any, here: Dynamics, a: np.ndarray, size: float) -> float:
    """Angular acceleration about the normal [rad/s^2], where it is more than rounding beside accelerations of this size."""
    assert isinstance(here.system, System)
    _, row, _ = here.measure(one.spin)
    found = float(row @ a + here.bias(one.spin))
    return found if abs(found) > ROUNDING * max(1.0, size / circle_of(here.system.builder, one).outer) else 0.0


def refused(asked: str, t: float, name: str, found: str, do: str = _DO) -> SingularError:
    """Friction that the sharing decides about."""
    error = SingularError(f"{asked}: friction {name!r} at t = {t:.9g} s", found, _WHY, do)
    error.t = t
    return error


def refuse_not_unique(asked: str, elements: Sequence[Any], here: Dynamics) -> None:
    """Refuse friction of several gaps a part of whose load joints or other contacts may take: loads lam + Z c, J^T Z = 0, that change what the contact carries."""
    some = [one for one in elements if one.spin is not None]
    if not some or not here.dropped.any():
        return
    unit, _ = unit_rows(here.dense_jac)
    free = factor(unit, INDEPENDENT).left
    for one in some:
        gaps = [row for stop in one.pressing for row in here.system.rows_of(stop.name)]
        for rows in (gaps, here.system.rows_of(one.name)):
            if float(np.max(np.abs(free[rows].T @ unit[rows]), initial=0.0)) > SHARED:
                own = {stop.name for stop in one.pressing} | {one.name}
                taking = np.max(np.abs(free), axis=1) > SHARED
                parts = dict.fromkeys(p for p, x in zip(here.system.row_parts, taking) if x and p not in own)
                found = f"{', '.join(map(repr, parts)) or 'a row that holds twice'} may take a part of what its {len(one.pressing)} closed gaps carry"
                raise refused(asked, here.t, one.name, found)
