"""BENCHMARKS F04, code_aster SDND100: a block on a spring with dry friction turns every pi/100 s, and stops; closed form (X)."""

import math

import numpy as np
import pytest

import dalembert as da


def test_turning_points():
    """k 1e4 N/m, 1 kg, mu 0.1, g 10, from 0.85 mm."""
    m = da.Mechanism("SDND100", plane=True, gravity=(0, -10))
    body = m.body("block", mass=1.0, inertia=0.1, at=(0.85e-3, 0))
    m.prismatic("guide", m.ground, body, along=(1, 0))
    x = m.measure("x", point=body.point(0, 0), along=(1, 0))
    m.actuator("spring", x, force="-1e4*s")
    m.friction("rub", "guide", mu=0.1)
    run = da.simulate(m, until=0.2, rtol=1e-10)
    turning = [1e3 * float(e.state.q[0]) for e in run.events]
    assert turning == pytest.approx([-0.65, 0.45, -0.25, 0.05], abs=1e-8)
    assert [e.t for e in run.events] == pytest.approx(np.arange(1, 5) * math.pi / 100, abs=1e-10)
    assert run.events[-1].what == "stick" and run.events[-1].t == pytest.approx(0.125663706143592, abs=1e-10)
    assert run.status == "ok" and run["x"][-1] == pytest.approx(0.05e-3, abs=1e-12)
