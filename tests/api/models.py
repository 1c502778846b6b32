"""Small models that the tests of the interface share."""

from __future__ import annotations

from typing import Any

import dalembert as da


def pendulum(**options: Any) -> da.Mechanism:
    """Bar of 1 m and 2 kg on a pin at the origin, drawn level to the right, its frame at the mass centre."""
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    m.body("bar", mass=2.0, inertia=2.0 / 12.0, at=(0.5, 0.0), **options)
    m.revolute("A", m.ground, "bar", at=(0, 0))
    return m


def spatial_pair() -> da.Mechanism:
    """Two bodies in space on hinges with skew axes."""
    m = da.Mechanism("pair", plane=False, gravity=(0, 0, -9.81))
    first = m.body("first", mass=1.0, inertia=(0.1, 0.2, 0.25), at=(0.5, 0, 0))
    second = m.body("second", mass=2.0, inertia=(0.2, 0.1, 0.25), at=(1.5, 0, 0))
    m.revolute("A", m.ground, first, at=(0, 0, 0), axis=(0, 1, 0.2))
    m.revolute("B", first, second, at=(1, 0, 0), axis=(1, 1, 0))
    return m
