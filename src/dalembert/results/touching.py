"""What contacts, rollers and cams carry: where they touch, the force that presses, and when they are closed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError, nearest
from ..model.joints import Joint
from ..model.joints._cam_touch import ANGLE, FLAT, ROLLER, Layout, Touch, touch
from .parts import LoadResult
from .series import Series

if TYPE_CHECKING:
    from ..model.expression import Expr
    from ..model.forces.contact import Contact
    from ..model.joints._rolling import Rolling
    from ..model.joints.cam import Cam
    from .result import Result


class TouchResult(LoadResult):
    """Load of a contact or cam, with `.normal`, what presses along the gaps, `.closed`, whether it touches, and `.of(label)`, the load of one gap."""

    part: Cam | Contact
    _stored: tuple[str, ...] = ("normal", "closed")

    def pressing(self) -> np.ndarray:
        """Forces along the gaps (time, gap), positive where they push apart."""
        run, part = self._run, self.part
        if part.stops:
            return run.gap_forces(part.stops)
        if isinstance(part, Joint):
            return np.asarray(-run.lam[:, run.system.rows_of(part.name)])
        # friction of its own has laws beside those of the gaps
        every = enumerate(run.system.builder.laws)
        laws = [k for k, law in every if law.part == part.name and law.law.kind != "slip"]
        return np.asarray(-run.forces[:, laws])

    @property
    def normal(self) -> Series:
        """Force along the gaps [N], positive where it presses; the sum where there are several."""
        turns = all(gap.unit == "rad" for gap in self.part.gaps.values())
        return self._series("normal", self.pressing().sum(axis=1), "N m" if turns else "N")

    @property
    def closed(self) -> Series:
        """1 where it presses, 0 where it is open."""
        return self._series("closed", (self.pressing() > 0.0).any(axis=1).astype(float), "1")

    def of(self, label: str) -> LoadResult:
        """Load of one gap of a rigid contact, by its label."""
        stops = dict(zip(self.part.gaps, self.part.stops))
        if label not in stops:
            found = f"no rigid gap is called {label!r}"
            raise ModelError(f"load of {self.name!r}", found, nearest(label, stops), "use one of its labels")
        return LoadResult(self._run, stops[label])

    def __repr__(self) -> str:
        return (
            f"<load of {self.part!r} on {self.body.name!r}: force, torque, normal, closed, {', '.join(self.part.gaps)}>"
        )


def touching(result: Result, part: Rolling) -> tuple[np.ndarray, np.ndarray]:
    """Contact point and normal of the plane (towards the roller) over time, in space axes: centre + u, see `joints/_rolling.py`."""
    i, j = result.system.builder.drawing.attach(*part.markers)
    plane, roller = result.kinematics(i.body), result.kinematics(j.body)
    n = plane.rotation @ i.axes[:, 1 if result.plane else 2]
    c = roller.rotation @ j.axes[:, 2]
    values = dict(result.system.builder.drawing.values)
    name = f"{part.name}.tilt"
    arms = [[e.evaluate({**values, name: float(d)}) for e in part.contact_arm] for d in np.einsum("ti,ti->t", n, c)]
    by_n, by_c = np.array(arms).reshape(-1, 2).T
    centre = roller.position + roller.rotation @ j.point
    return centre + by_n[:, None] * n + by_c[:, None] * c, n


class ContactResult(LoadResult):
    """Load of a roller, with `.contact`, the point where it touches, `.normal` and `.friction`, the two parts of the force there."""

    part: Rolling
    _stored = ("contact", "normal")
    _stored_on = ("force", "torque", "friction")

    @property
    def contact(self) -> Series:
        """Contact point in space [m]."""
        return self._vector("contact", touching(self._run, self.part)[0], "m")

    @property
    def normal(self) -> Series:
        """Normal force [N]: positive where it presses; a negative one means that the joint holds the roller down."""
        _, n = touching(self._run, self.part)
        force, _ = self._run.load(self.part, self.part.j)
        return self._series("normal", np.einsum("ti,ti->t", force, n), "N")

    @property
    def friction(self) -> Series:
        """Friction force on the body [N], along the plane, in space axes."""
        _, n = touching(self._run, self.part)
        force, _ = self._run.load(self.part, self.body)
        return self._vector("friction", force - np.einsum("ti,ti->t", force, n)[:, None] * n, "N")

    def __repr__(self) -> str:
        return f"<load of {self.part!r} on {self.body.name!r}: force, torque, contact, normal, friction>"


class CamResult(TouchResult):
    """Load of a cam, with `.normal`, the force along b, `.pressure_angle` and `.point`, where it touches."""

    part: Cam

    @property
    def _stored(self) -> tuple[str, ...]:  # type: ignore[override]
        """What files hold besides loads: also where it touches, where that is known."""
        return (*super()._stored, "pressure_angle", "point") if self.known else super()._stored

    @property
    def known(self) -> bool:
        """Whether it is known where the follower touches."""
        return self.part.held is not self.part.gap

    @cached_property
    def _seen(self) -> tuple[Touch, np.ndarray, np.ndarray]:
        """Touch at every output, the centre of the cam in space, and e1, e2."""
        run, part, layout = self._run, self.part, self.part._layout
        if not self.known or not isinstance(layout, Layout):
            why = layout if isinstance(layout, str) else "the lift alone does not tell how large the cam is"
            raise ModelError(
                f"where {self.name!r} touches", f"{part!r} couples two coordinates only", why,
                "give base= (and arm= of a follower that swings), and joints that one body carries",
            )  # fmt: skip
        carrier = run.kinematics(layout.carrier)
        attach = run.system.builder.drawing.attach
        frame = layout.at(layout.seat)
        seat, pin = attach(frame, frame)[0], attach(layout.frame, layout.frame)[0]
        e1, axis, self._distance = layout.side * seat.axes[:, 0], seat.axes[:, 2], None
        if part.swings:
            arm = pin.point - seat.point
            arm = arm - (arm @ axis) * axis
            self._distance = float(np.linalg.norm(arm))
            e1 = arm / self._distance
        found = self._touch(np.asarray(run.measure(part.a)), layout, self._distance)
        axes = np.stack([carrier.rotation @ e1, carrier.rotation @ np.cross(axis, e1)])
        return found, carrier.position + carrier.rotation @ seat.point, axes

    def _touch(self, theta: np.ndarray, layout: Layout, D: float | None) -> Touch:
        """Touch at angles of the cam, seen from its carrier."""
        part, values = self.part, self._run.parameters
        laws = part._law, part._law.diff(ANGLE)
        s, s1 = (np.array([law.evaluate({**values, ANGLE: float(x)}) for x in theta]) for law in laws)
        number = self._run.system.builder.drawing.number
        return touch(part, s, layout.turn(part.swings) * s1, layout.side, D, number, np)

    @property
    def pressure_angle(self) -> Series:
        """Angle from the way of the follower to the common normal [rad], counterclockwise."""
        (here, _, _), n = self._seen, len(self._run.t)
        (mx, my), (wx, wy) = here.normal, here.way
        angle = np.arctan2(wx * my - wy * mx, wx * mx + wy * my)
        return self._series("pressure_angle", np.broadcast_to(angle, (n,)).copy(), "rad")

    @property
    def point(self) -> Series:
        """Where the follower touches, in space [m]; NaN where it is off the cam."""
        here, centre, (e1, e2) = self._seen
        p, q = (np.broadcast_to(x, len(e1))[:, None] for x in here.point)
        at = centre + p * e1 + q * e2
        at = np.where(self.pressing() > 0.0, at, np.nan) if self.part.stops else at
        return self._vector("point", at, "m")

    def profile(self, n: int = 181) -> np.ndarray:
        """Points (n, 3) of the profile in space at the first output: where the follower touches the cam over a turn, as a point fixed on it."""
        layout, distance = self.part._layout, (self._seen, self._distance)[1]
        theta, now = np.linspace(0.0, 2.0 * np.pi, n), float(np.asarray(self._run.measure(self.part.a))[0])
        p, q = (np.broadcast_to(x, theta.shape) for x in self._touch(theta, layout, distance).point)
        turn = layout.sense * (now - theta)
        x, y = np.cos(turn) * p - np.sin(turn) * q, np.sin(turn) * p + np.cos(turn) * q
        return self._in_space(x, y)

    def roller(self, n: int = 49) -> np.ndarray | None:
        """Points (n, 3) of the roller in space at the first output, a circle that may be off the cam; None of other followers."""
        if self.part.follower != ROLLER:
            return None
        (x, y), r = self._tip(self._first), self._number(self.part.radius)
        turn = np.linspace(0.0, 2.0 * np.pi, n)
        return self._in_space(x + r * np.cos(turn), y + r * np.sin(turn))

    def arm(self) -> np.ndarray | None:
        """Points (n, 3) of the arm of a follower that swings, in space at the first output: its pin, and its tip, or the foot and the end of its flat face; None on a way."""
        if not self.part.swings:
            return None
        (here, _, _), D = self._seen, self._distance
        assert D is not None
        if self.part.follower != FLAT:
            x, y = self._tip(self._first)
            return self._in_space(np.array([D, x]), np.array([0.0, y]))
        # from the pin O the face is at -e M, and goes along (M_y, -M_x), as far as it is ever touched and a little further
        (p, q), (mx, my) = here.point, here.normal
        used = (np.asarray(p) - D) * my - np.asarray(q) * mx
        reach = 1.1 * float(used[np.argmax(np.abs(used))])
        (mx, my), e = (float(c) for c in self._first.normal), self._offset
        x, y = D - e * mx, -e * my
        return self._in_space(np.array([D, x, x + reach * my]), np.array([0.0, y, y - reach * mx]))

    @property
    def _offset(self) -> float:
        return 0.0 if self.part.offset is None else self._number(self.part.offset)

    def _number(self, value: float | Expr | None) -> float:
        return float(self._run.system.builder.drawing.number(value))

    @property
    def _first(self) -> Touch:
        """Touch at the first output with the lift that the follower has there, wherever the cam is."""
        part, run = self.part, self._run
        # asks whether it is known where cam and follower are borne
        _, distance, number = self._seen, self._distance, run.system.builder.drawing.number
        theta, gap = (float(np.asarray(run.measure(x))[0]) for x in (part.a, part.gap))
        s = gap + part._law.evaluate({**run.parameters, ANGLE: theta})
        return touch(part, s, 0.0, part._layout.side, distance, number, np)

    def _tip(self, here: Touch) -> tuple[float, float]:
        """Tip of the follower, or the centre of its roller:  K = p + r M/|M|."""
        (p, q), (mx, my) = here.point, here.normal
        share = self._number(self.part.radius) / float(np.hypot(mx, my)) if self.part.follower == ROLLER else 0.0
        return float(p + share * mx), float(q + share * my)

    def _in_space(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Points in space at the first output from coordinates along e1 and e2."""
        _, centre, (e1, e2) = self._seen
        return np.asarray(centre[0] + np.outer(x, e1[0]) + np.outer(y, e2[0]))
