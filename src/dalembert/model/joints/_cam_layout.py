"""Where a cam and its follower are borne: on one body, by a pin, and by a guide across its axis or a second pin along it.

In space the cam lies in the plane through the place of its pin, across its axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..drawn import drawn_direction, drawn_place
from ..frame import Marker
from ..measure import Measure
from ._base import Joint

if TYPE_CHECKING:
    from .cam import Cam

# cosine of an angle that is none
ALIGNED = 1e-9


@dataclass(frozen=True)
class Layout:
    carrier: Any  # the body that has both joints
    centre: Marker  # marker of the pin on the cam
    seat: Any  # place of that pin on the carrier
    # frame, follower: frame of the guide (x its line) or pin of the follower on the carrier, and on the follower; in space z is the axis of the cam
    frame: Marker
    follower: Marker
    # what the joint of the follower holds at 0: across its line and its turn, or x and y of its pin
    held: tuple[Measure, ...]
    # sense, side: -1 where the cam, or the follower, is the first body of its joint; `side` of a pin also where it turns against the axis of the cam
    sense: float
    side: float
    axis: Any = None  # axis of the cam in space

    def turn(self, swings: bool) -> float:
        """Sign of S against the derivative of the lift by theta."""
        return self.sense * (self.side if swings else 1.0)

    def at(self, place: Any) -> Marker:
        """Frame on the carrier, with axes as `frame` or, in the reversed guide, as on the carrier."""
        return Marker(self.carrier, place, z=self.axis, x=self.frame.x)

    def pins_apart(self, swings: bool) -> float | None:
        """Distance of the pins across the axis, as drawn [m]; None on a way."""
        if not swings:
            return None
        d = drawn_place(self.carrier.model, self.frame.at) - drawn_place(self.carrier.model, self.seat)
        if self.axis is not None:
            z = drawn_direction(self.carrier.model, self.axis)
            d = d - (d @ z) * z
        return float(np.linalg.norm(d))


def layout_of(part: Cam) -> Layout | str:
    """Where cam and follower are borne, or why that is not known."""
    plane = part.model.plane
    shaft, guide = (_joint(part, measure) for measure in (part.a, part.b))
    ways = (("turn_z",), ("x",) if plane else ("z",))
    if shaft is None or shaft.freedom != ("turn_z",) or guide is None or guide.freedom not in ways:
        return "a and b are not coordinates of a pin and of a guide or a second pin"
    common = [body for body in shaft.bodies if body in guide.bodies]
    if len(common) != 1:
        return f"{shaft!r} and {guide!r} have not one body in common that carries both"
    carrier = common[0]
    sense, side = (1.0 if joint.bodies[0] is carrier else -1.0 for joint in (shaft, guide))
    seat, centre = shaft.markers if sense > 0.0 else shaft.markers[::-1]
    if not plane:
        return _in_space(part, shaft, guide, sense, side)
    i, j = guide.markers
    if part.swings:
        on_carrier, follower = (i, j) if side > 0.0 else (j, i)
        frame = Marker(carrier, on_carrier.at)
        held = _measures(part, frame, follower, ("pin_x", "x"), ("pin_y", "y"))
        return Layout(carrier, centre, seat.at, frame, follower, held, sense, side)
    if side < 0.0 and i.x is not j.x:
        return f"{guide!r} has two directions, and the follower as its first body"
    return Layout(carrier, centre, seat.at, i, j, tuple(guide.rows()), sense, side)


def _in_space(part: Cam, shaft: Any, guide: Any, sense: float, side: float) -> Layout | str:
    """The same in space, where the carrier is the first body of both joints, and directions are given once."""
    given = guide.axis if part.swings else guide.along
    if sense < 0.0 or side < 0.0:
        return "in space the body that carries both is to be the first of each joint"
    if given[0] is not given[1]:
        return f"{guide!r} has two directions"
    (seat, centre), (i, j) = shaft.markers, guide.markers
    try:
        z, d = (drawn_direction(part.model, x) for x in (seat.z, given[0]))
        places = [drawn_place(part.model, x) for x in (i.at, seat.at)]
    except (TypeError, ValueError):
        return "orientations as drawn are expressions"
    cosine, parallel = float(z @ d), 1.0 if part.swings else 0.0
    if abs(abs(cosine) - parallel) > ALIGNED or not np.all(np.isfinite(places)):
        return f"the axis of {shaft!r} is not {'along' if part.swings else 'across'} that of {guide!r}"
    x = None if part.swings else given[0]
    frame, follower = Marker(i.body, i.at, z=seat.z, x=x), Marker(j.body, j.at, z=seat.z, x=x)
    if part.swings:
        held = _measures(part, frame, follower, ("pin_x", "x"), ("pin_y", "y"))
    else:
        turn = Measure(f"{part.name}.turn", "dot", frame, follower, direction=("y", "x"), unit="1")
        held = (*_measures(part, frame, follower, ("across", "y")), turn)
    return Layout(i.body, centre, seat.at, frame, follower, held, 1.0, 1.0 if cosine > -0.5 else -1.0, seat.z)


def _measures(part: Cam, i: Marker, j: Marker, *named: tuple[str, str]) -> tuple[Measure, ...]:
    return tuple(Measure(f"{part.name}.{name}", "along_body", i, j, direction=a, unit="m") for name, a in named)


def _joint(part: Cam, measure: Measure) -> Any:
    joint = part.model._parts.get(measure.name.rpartition(".")[0])
    return joint if isinstance(joint, Joint) and measure.kind in ("angle", "along_body") else None
