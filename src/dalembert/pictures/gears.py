"""Gears on paper: pitch circles and teeth that mesh."""

from __future__ import annotations

import numpy as np

from ..viewer.gears import Rack, Wheel, outline, racks, wheels
from ..viewer.pose import Pose
from .pen import PAPER, Pen, mixed

__all__ = ["draw", "draw_rack", "outline", "racks", "wheels"]
FINE = (0, (6, 2, 1, 2))


def draw(pen: Pen, wheel: Wheel, pose: Pose, color: str) -> None:
    """A wheel with its teeth and its pitch circle."""
    color = color if wheel.body >= 0 else "#4a515a"
    center, soft = pose.at((wheel.body, wheel.center)), mixed(color, 0.3)
    line = pose.put(wheel.body, outline(wheel))
    m = 2.0 * wheel.radius / wheel.teeth
    name = f"gear:{wheel.body}"
    if wheel.inside:
        z = pen.z
        pen.z = 2.5  # a ring gear lies below what turns inside it
        pen.circle(center, wheel.radius + 3.2 * m, soft, color, 1.3)
        pen.area(line, PAPER, color, 1.0, name)
        pen.z = z
    else:
        pen.area(line, soft, color, 1.0, name)
        spoke = pose.put(
            wheel.body, wheel.center + 0.8 * wheel.radius * np.array([np.cos(wheel.phase), np.sin(wheel.phase)])
        )
        pen.line(np.vstack([center, spoke]), color, 0.9)
    pen.circle(center, wheel.radius, None, color, 0.7, dash=FINE)


def draw_rack(pen: Pen, rack: Rack, pose: Pose, color: str) -> None:
    """The teeth of a rack."""
    pen.area(pose.put(rack.body, rack.line), mixed(color, 0.3), color, 1.0, f"rack:{rack.body}")
