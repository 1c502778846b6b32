"""Where contacts press, and their cones of friction: the force lies inside while a contact sticks, at the angle atan mu while it slips.

Gaps of one contact with the forces N_k at the points p_k press together at p = sum N_k p_k / sum N_k, where the sum of what the contact carries acts.  With C
the centre of what touches and n the normal, a point or ball touches a plane below C, and a rim of axis c below it along n - d c, d = n . c; two balls touch on
the line of their centres.  Cams press where their followers touch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.events import rests
from ..model.forces import Contact
from ..model.joints.cam import Cam
from ..results.moving import labels
from ..results.series import Series
from .drawn import Index
from .phases import numbers_of_modes

if TYPE_CHECKING:
    from ..model.events import Situation
    from ..results.record import Record
    from ..results.result import Result
    from ..system.system import System


AT, NORMAL, CONE = "presses at", "normal of the contact", "cone of friction"
# what a contact does that has friction
STICKS, SLIPS = 1, 2


@dataclass(frozen=True)
class Press:
    """How a contact presses over time: where (NaN while it is open) and along which normal, in space.

    `owners` are the parts whose forces add up, `half` is the half angle atan(static) of the cone [rad] and `way` STICKS or SLIPS; both 0 without friction.
    """

    name: str
    owners: tuple[str, ...]
    at: np.ndarray
    normal: np.ndarray
    half: np.ndarray
    way: np.ndarray

    def force(self, run: Record) -> np.ndarray:
        """What the contact carries on the body that touches, friction included (time, components)."""
        return np.asarray(sum(np.asarray(run[name].force, dtype=float) for name in self.owners))


def presses(run: Result) -> list[Press]:
    """Every contact of a run of a mechanism, and every cam that is known where it touches."""
    cams = [run[part.name] for part in run.parts("joint") if isinstance(part, Cam)]
    contacts = [_press(run, part) for part in run.parts("force") if isinstance(part, Contact)]
    return [*contacts, *(_cam(cam) for cam in cams if cam.known)]


def _cam(cam: Any) -> Press:
    """A cam is smooth: its force is along the normal."""
    force, none = np.asarray(cam.force, dtype=float), np.zeros(len(cam.force))
    with np.errstate(invalid="ignore", divide="ignore"):
        normal = force / np.linalg.norm(force, axis=1, keepdims=True)
    return Press(cam.name, (cam.name,), np.asarray(cam.point), normal, none, none)


def _press(run: Result, part: Contact) -> Press:
    touched = [_touched(run, part, gap) for gap in part.gaps.values()]
    force = np.maximum(run[part.name].pressing(), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = force / force.sum(axis=1, keepdims=True)
    at = np.einsum("tk,kti->ti", share, np.array([p for p, _ in touched]))
    rubs = [rub for rub in (*run.model.rubs, *run.model.soft_rubs) if rub.contact == part.name]
    way, half = np.array([_rubbing(run.system, now, rubs) for _, now in run.modes])[numbers_of_modes(run)].T
    present = {one.name for one in run.parts("force")}
    owners = dict.fromkeys([part.name, *(rub.owner.name for rub in rubs if rub.owner.name in present)])
    return Press(part.name, tuple(owners), at, touched[0][1], half, way)


def _rubbing(system: System, now: Situation, rubs: list[Any]) -> tuple[float, float]:
    """What friction does in a mode of a run, and atan(static): where several gaps rub, one that slips is enough to slip."""
    ways = dict(now.slips)
    found = [(STICKS if rests(ways[rub.name]) else SLIPS, rub) for rub in rubs if rub.name in ways]
    if not found:
        return 0.0, 0.0
    way, rub = max(found, key=lambda x: x[0])
    return float(way), float(np.arctan(rub.holding(system.builder.drawing.number)))


def _touched(run: Result, part: Contact, gap: Any) -> tuple[np.ndarray, np.ndarray]:
    """Point where a gap is closed, and the normal there towards the second body, over time."""
    measure, drawing = gap.terms[0][1], run.system.builder.drawing
    base, foot = drawing.attach(measure.i, measure.j)
    on, moved = run.kinematics(base.body), run.kinematics(foot.body)
    start, centre = on.position + on.rotation @ base.point, moved.position + moved.rotation @ foot.point
    if measure.i.x is None:
        between = centre - start
        e = between / np.maximum(np.linalg.norm(between, axis=1, keepdims=True), 1e-300)
        return start + ball_radius(drawing, part) * e, -e if part.inside else e
    normal = on.rotation @ base.axes[:, 0]
    lift, arm = np.einsum("ti,ti->t", centre - start, normal)[:, None], normal
    if measure.j.z is not None:
        axis = moved.rotation @ foot.axes[:, 2]
        d = np.einsum("ti,ti->t", normal, axis)[:, None]
        # R/sqrt(1 - d^2) where the gap lift - R sqrt(1 - d^2) is 0
        arm = (normal - d * axis) / np.maximum(1.0 - d * d, 1e-300)
    return centre - lift * arm, normal


def ball_radius(drawing: Any, part: Contact, which: int = 0) -> float:
    """Radius of the ball of the first or second body of a contact of two."""
    body = (part.i, part.j)[which]
    return float(drawing.number(body.shape.radius if part.radii is None else part.radii[which]))


def pressing_points(run: Result) -> Iterator[tuple[tuple[str, str], Series]]:
    """Quantities of a page: place and normal of every contact, NaN where it is open, and whether it sticks or slips."""
    n = 2 if run.plane else 3
    for one in presses(run):
        for what, values, unit in ((AT, one.at, "m"), (NORMAL, one.normal, "1")):
            yield (one.name, what), Series(values[:, :n], f"{one.name}.{what}", unit, labels(run.plane), run.t)
        cone = Series(np.column_stack([one.way, one.half]), f"{one.name}.{CONE}", "1", ("way", "half angle"), run.t)
        yield (one.name, CONE), cone


def cones(run: Result, index: Index) -> list[dict[str, Any]]:
    """Of every contact on a page: quantities of its place, normal, cone and forces."""
    return [
        {
            "name": one.name,
            "at": index[one.name, AT],
            "normal": index[one.name, NORMAL],
            "cone": index[one.name, CONE],
            "forces": [index[name, "force"] for name in one.owners if (name, "force") in index],
        }
        for one in presses(run)
        if (one.name, AT) in index
    ]
