"""What a cam carries: where the follower touches it, and at which pressure angle."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..errors import ModelError
from ..model.joints._cam_touch import ANGLE, Layout, Touch, touch
from .moving import labels
from .series import Series
from .touching import TouchResult


class CamResult(TouchResult):
    """Load of a cam, with `.normal`, the force along b, `.pressure_angle` and `.point`, where it touches."""

    @property
    def known(self) -> bool:
        """Whether it is known where the follower touches."""
        return self.part.held is not self.part.gap

    @cached_property
    def _seen(self) -> tuple[Touch, np.ndarray, np.ndarray]:
        """Touch at every output, the centre of the cam in space, and e1."""
        run, part, layout = self._result, self.part, self.part._layout
        if not self.known or not isinstance(layout, Layout):
            why = layout if isinstance(layout, str) else "the lift alone does not tell how large the cam is"
            raise ModelError(
                f"where {self.name!r} touches", f"{part!r} couples two coordinates only", why,
                "give base= (and arm= of a follower that swings), joints that one body carries, in the plane",
            )  # fmt: skip
        carrier = run.kinematics(layout.carrier)
        number, attach = run.system.builder.drawing.number, run.system.builder.drawing.attach
        on_carrier = next(m for m in layout.guide.markers if m.body is layout.carrier)
        pin, seat = attach(on_carrier, on_carrier)[0], attach(layout.seat_marker, layout.seat_marker)[0]
        arm = pin.point - seat.point
        D = float(np.linalg.norm(arm)) if part.swings else None
        e1 = carrier.rotation @ (arm / D if D is not None else layout.side * pin.axes[:, 0])
        values, slope = run.parameters, part._law.diff(ANGLE)
        theta = np.asarray(run.measure(part.a))
        s, s1 = (np.array([law.evaluate({**values, ANGLE: float(x)}) for x in theta]) for law in (part._law, slope))
        found = touch(part, s, layout.turn(part.swings) * s1, layout.side, D, number, np)
        return found, carrier.position + carrier.rotation @ seat.point, e1

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
        here, centre, e1 = self._seen
        (p, q), e2 = here.point, np.column_stack([-e1[:, 1], e1[:, 0], e1[:, 2]])
        at = centre + p[:, None] * e1 + np.broadcast_to(q, p.shape)[:, None] * e2
        at = np.where(self.pressing() > 0.0, at, np.nan) if self.part.stops else at
        return self._series("point", at[:, :2], "m", labels(True))


__all__ = ["CamResult"]
