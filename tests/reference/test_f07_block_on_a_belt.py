"""BENCHMARKS F07, data of cardillo: a block on a moving belt (m 1, k 1, N 10, belt 3 m/s, mu 0.5/0.3, delta 3); computed by them (C)."""

import numpy as np
import pytest

import dalembert as da


def test_block_on_a_belt():
    """Slip 5.011059889 s, stick 1.659297596 s, period 6.670357485 s, x from -1.0630589530 to 7.2026256730."""
    m = da.Mechanism("belt", plane=True, gravity=(0, -10))
    body = m.body("block", mass=1.0, inertia=0.1)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.measure("x", point=body.point(0, 0), along=(1, 0))
    m.measure("slip", "x - 3*t")
    m.actuator("spring", m["x"], force="-s")
    m.friction("belt", m["slip"], force="5 - 2*(2/pi)*atan(3*v)", static_force=5.0)
    run = da.simulate(m, until=22.0, rtol=1e-10)
    times = [e.t for e in run.events]
    assert np.diff(times)[1:5] == pytest.approx([5.011059889, 1.659297596] * 2, abs=2e-8)
    assert times[3] - times[1] == pytest.approx(6.670357485, abs=2e-8)
    fine = run.resample(np.linspace(times[1], times[5], 4001))
    assert fine["x"].max() == pytest.approx(7.2026256730, abs=1e-5)
    assert fine["x"].min() == pytest.approx(-1.0630589530, abs=1e-5)
    sticking = [e for e in run.events if e.what == "stick"]
    assert float(sticking[1].state.q[0]) == pytest.approx(0.022107213, abs=2e-8)
