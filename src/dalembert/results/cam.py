"""What a cam carries: where the follower touches it, and at which pressure angle."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from ..model.joints._cam_layout import Layout
from ..model.joints._cam_touch import ANGLE, ROLLER, Touch, touch
from .moving import labels
from .series import Series
from .touching import TouchResult

if TYPE_CHECKING:
    from ..model.joints.cam import Cam


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
        run, part, layout = self._result, self.part, self.part._layout
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
        part, values = self.part, self._result.parameters
        laws = part._law, part._law.diff(ANGLE)
        s, s1 = (np.array([law.evaluate({**values, ANGLE: float(x)}) for x in theta]) for law in laws)
        number = self._result.system.builder.drawing.number
        return touch(part, s, layout.turn(part.swings) * s1, layout.side, D, number, np)

    @property
    def pressure_angle(self) -> Series:
        """Angle from the way of the follower to the common normal [rad], counterclockwise."""
        (here, _, _), n = self._seen, len(self._result.t)
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
        plane = self._result.plane
        return self._series("point", at[:, :2] if plane else at, "m", labels(plane))

    def profile(self, n: int = 181) -> np.ndarray:
        """Points (n, 3) of the profile in space at the first output: where the follower touches the cam over a turn, as a point fixed on it."""
        (_, centre, (e1, e2)), layout = self._seen, self.part._layout
        theta, now = np.linspace(0.0, 2.0 * np.pi, n), float(np.asarray(self._result.measure(self.part.a))[0])
        p, q = (np.broadcast_to(x, theta.shape) for x in self._touch(theta, layout, self._distance).point)
        turn = layout.sense * (now - theta)
        x, y = np.cos(turn) * p - np.sin(turn) * q, np.sin(turn) * p + np.cos(turn) * q
        return centre[0] + np.outer(x, e1[0]) + np.outer(y, e2[0])

    def roller(self, n: int = 49) -> np.ndarray | None:
        """Points (n, 3) of the roller in space at the first output, a circle that may be off the cam; None of other followers."""
        if self.part.follower != ROLLER:
            return None
        (_, centre, (e1, e2)), part, run = self._seen, self.part, self._result
        theta, gap = (float(np.asarray(run.measure(x))[0]) for x in (part.a, part.gap))
        number, s = run.system.builder.drawing.number, gap + part._law.evaluate({**run.parameters, ANGLE: theta})
        # wherever the cam is: K = p + r M/|M| with the lift that the follower has
        here, r = touch(part, s, 0.0, part._layout.side, self._distance, number, np), number(part.radius)
        turn, share = np.linspace(0.0, 2.0 * np.pi, n), r / float(np.hypot(*here.normal))
        x, y = (float(p + share * m) for p, m in zip(here.point, here.normal))
        return centre[0] + np.outer(x + r * np.cos(turn), e1[0]) + np.outer(y + r * np.sin(turn), e2[0])
