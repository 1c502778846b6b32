"""State: where a system is at one instant."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class State:
    """Time, configuration and velocity of a system.

    Attributes
    ----------
    t
        Time [s].
    q
        Configuration: mass centre and angle of each planar body, mass centre and unit quaternion (scalar first) in space.
    v
        Velocity: that of the mass centre and the angular velocity (in space: in body axes) of each body.
    angles
        Counted angles of joints in space, turns included; empty in the plane, where angles are coordinates.
    bodies
        Names of the bodies, in the order of q and v.
    """

    t: float
    q: np.ndarray
    v: np.ndarray
    angles: np.ndarray = field(default_factory=lambda: np.zeros(0))
    bodies: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<State at t = {self.t:g} s of {len(self.bodies)} bodies>"
