"""Where a roller touches its plane, and what presses and holds it there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .parts import LoadResult
from .series import Series

if TYPE_CHECKING:
    from ..model.joints._rolling import Rolling
    from .result import Result


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
