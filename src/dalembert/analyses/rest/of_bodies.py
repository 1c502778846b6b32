"""The equilibrium of a mechanism: what is asked, read and checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import MethodError, shown
from ...model.expression import Expr
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...state import State
from ...system.known import known
from ...system.system import compile
from ..dynamics.consistent import worst_parts
from ..equilibrium import Equilibrium
from ..pose.pose import Pose
from .bodies import Bodies, Spin
from .flips import Flips
from .potential import Potential
from .problem import Problem


class OfBodies(Problem):
    """A mechanism with values of its parameters and what is asked of it, ready to be searched."""

    statics: Bodies

    def __init__(
        self,
        asked: str,
        model: Mechanism,
        start: State | None,
        method: str,
        spinning: Any,
        t: float,
        values: dict[str, float] | None = None,
    ) -> None:
        measure = None if spinning is None else spin_measure(asked, model, spinning)
        self.held: tuple[Measure, ...] = () if measure is None else (measure,)
        self._asked, self._spinning, self._of = asked, spinning, model
        measures = shown_measures(model)
        self.extra = extra = (*measures, *self.held)
        if values is not None and start is not None:
            pose = Pose(compile(model, extra=extra, values=values), start.t, start.q, None, start.angles)
        else:
            pose = Pose.of(model, _at_rest(start), asked=asked, t=t, extra=extra, consistent=False)
        statics = Bodies(pose, self.spin(pose), self.held)
        if not statics.onto():
            pose.detect()
            pose.check_positions(asked, "drawing")
        check_steady(asked, statics)
        self.moving = "" if measure is None else f" while {measure.name!r} turns at a given rate"
        builder, n = pose.system.builder, statics.n_rows
        self._coordinates = [(x, n + builder.free_row(x.name, x)) for x in measures]
        super().__init__(asked, model, statics, Potential(statics), method)

    def spin(self, pose: Pose) -> Spin | None:
        """The steady turn that is asked for, with the numbers of a pose."""
        if self._spinning is None:
            return None
        return read_spin(self._asked, self._of, pose, self.held[0], self._spinning[1])

    def turning(self) -> Flips:
        """Parts that hang by one joint."""
        return Flips(self.search)

    def check(self) -> None:
        """Refuse a steady turn of a mechanism whose forces are not the same in all its positions about the axis."""
        check_symmetry(self.asked, self.statics)

    def named(self, c: int) -> tuple[str, str]:
        """The body of a velocity, and the unit of its equation."""
        system = self.statics.system
        return f"body {system.body_names[c // system.builder.width]!r}", "N m" if self.statics.turning[c] else "N"

    def equilibrium(self, **found: Any) -> Equilibrium:
        """The equilibrium here, with coordinates of the first joints."""
        value = self.statics.pose.work.value
        return Equilibrium(coordinates={x.name: (float(value[row]), x.unit) for x, row in self._coordinates}, **found)


def _at_rest(start: State | None) -> State | None:
    return None if start is None else State(start.t, start.q, np.zeros_like(start.v), start.angles, start.bodies)


def shown_measures(model: Mechanism) -> tuple[Measure, ...]:
    """Coordinates of the first joints, for the table; the same ones as long as the mechanism stays as it is."""
    facts = known(model)
    if "shown" not in facts:
        joints = [joint for joint in model.parts("joint") if not any(body.particle for body in joint.bodies)]
        found = [x for joint in joints for x in joint.coordinates().values()]
        facts["shown"] = tuple(x for x in found if x.kind in ("angle", "along_body", "along_space", "distance"))[:3]
    return facts["shown"]  # type: ignore[no-any-return]


def spin_measure(asked: str, model: Mechanism, spinning: Any) -> Measure:
    """The angle of a steady turn: against the ground."""
    do = "give spinning=(m['bearing'].angle, omega), the angle of a joint with the ground"
    if not isinstance(spinning, tuple | list) or len(spinning) != 2:
        raise MethodError(asked, f"spinning = {shown(spinning)}", "a pair is needed: an angle and a rate", do)
    measure = model.read_coordinate(asked, spinning[0])
    bodies = [marker.body for marker in (measure.i, measure.j) if marker is not None]
    if measure.kind != "angle" or not any(body.is_ground for body in bodies):
        raise MethodError(asked, f"spinning about {measure!r}", "a steady turn is about an axis fixed in space", do)
    return measure


def read_spin(asked: str, model: Mechanism, pose: Pose, measure: Measure, rate: Any) -> Spin:
    """The steady turn about the axis of a measure; the mechanism and gravity must be the same in all its positions."""
    values = pose.system.builder.drawing.values
    read: Any = model.read_number(asked, "rate of spinning", rate)
    omega = float(read.evaluate(values) if isinstance(read, Expr) else read)
    assert measure.i is not None and measure.j is not None  # an angle has both
    i, j = pose.system.builder.drawing.attach(measure.i, measure.j)
    fixed, sign = (i, 1.0) if i.body.is_ground else (j, -1.0)
    spin = Spin(fixed.point, np.array([0.0, 0.0, 1.0]) if model.plane else fixed.axes[:, 2], sign * omega)
    gravity = pose.system.builder.drawing.vector(model.gravity)
    across = float(np.linalg.norm(np.cross(spin.axis, gravity)))
    if across > 1e-9 * max(float(np.linalg.norm(gravity)), 1e-300):
        raise MethodError(
            asked,
            f"gravity has the part {across:.6g} m/s² across the axis of {measure.name!r}",
            "then a turn about this axis is not steady",
            "turn about the direction of gravity, or without gravity",
        )
    return spin


def check_steady(asked: str, statics: Bodies) -> None:
    """Refuse rows that move in another way than the mechanism does: drivers under way, joints that do not allow the turn."""
    pose = statics.pose
    left = np.abs(statics.jac[: statics.n_rows] @ pose.v - pose.nu)
    size = max(1.0, float(np.max(np.abs(pose.v), initial=0.0)))
    if np.max(left * pose.scale, initial=0.0) <= 1e-9 * size:
        return
    parts = worst_parts(statics.system, left).replace(" m", " m/s").replace(" rad", " rad/s")
    if statics.spin is None:
        why, do = "an equilibrium is at rest", "drive with a constant, take another t=, or use spinning=(angle, omega)"
    else:
        why = "the mechanism cannot turn as a whole at this rate: these parts resist it"
        do = "give the rate of the driver named, or an axis about which everything can turn"
    raise MethodError(asked, f"rates that do not fit: {parts}", why, do)


def check_symmetry(asked: str, statics: Bodies) -> None:
    """Refuse a steady turn of a mechanism whose forces are not the same in all its positions about the axis."""
    if statics.spin is None:
        return
    # a mechanism with no symmetry but that of some polygon would pass a turn by its angle; 1 rad is no such angle
    pose = statics.pose
    other = Bodies(Pose(pose.system, pose.t, statics.spin.turned(pose, 1.0), None, pose.work.angle), statics.spin)
    other.factor()
    left = float(np.linalg.norm(other.free_motions().T @ other.force))
    scale = max(float(np.max(np.abs(x.force / x.size), initial=0.0)) for x in (statics, other))
    if left > 1e-6 * scale:
        raise MethodError(
            asked,
            f"forces that balance in one position leave {left:.3g} N when everything is turned by 1 rad about the axis",
            "then a turn about this axis is not steady",
            "attach springs and loads to the axis or to bodies that turn, not to other points of the ground",
        )
