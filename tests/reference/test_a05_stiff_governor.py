"""A05: stiff flyball governor (IFToMM library, problem A05; data as in its specification).

Density 3000 kg/m3; shaft and rods 1 x 0.01 x 0.01 m, slider cube of 0.1 m; rods hinged at x = +-0.05 m at the top of the shaft (z = 1),
30 degrees below the horizontal, 5 kg at each tip; spring-damper from the middle of each rod to the side of the slider with
8e5 N/m, 4e4 N s/m, free length 0.5 m; shaft spin 2 pi.  The source shows a plot only; the numbers were computed with a separate
program (absolute coordinates, Euler parameters) and SciPy's integrators at 1e-12, and agree with the plot (0.50 to 0.743 m).

Tolerance: the reference has 12 digits; the damper's rate of 1e4/s keeps an explicit method at steps where its local error is far below
rtol = 1e-10, so 1e-8 leaves room for the digits of the reference.
"""

import math

import numpy as np
import pytest

import dalembert as da
from benchmarks.stiff import governor

# slider height, angle of the rods below the horizontal, spin and angle of the shaft
REFERENCE = {
    0.1: (0.52383647557, 0.496173869076, 6.10371780883, 0.6221066814),
    0.5: (0.743249424786, 0.259491381543, 5.10341542197, 2.8076794884),
}


def test_motion():
    m = governor()
    run = da.simulate(m, until=0.5, rtol=1e-10, atol=1e-12, output=[0.0, *REFERENCE])
    assert run["spring right"].length[0] == pytest.approx(0.5, abs=1e-15)
    for k, (height, angle, spin, turned) in enumerate(REFERENCE.values(), start=1):
        assert run["slider"].position[k, 2] == pytest.approx(height, abs=1e-8)
        for name in ("right", "left"):
            # positive about side * y is downwards
            assert math.pi / 6 + run[f"hinge {name}"].angle[k] == pytest.approx(angle, abs=1e-8)
        assert run["bearing"].angle[k] == pytest.approx(turned, abs=1e-8)
        assert run["bearing"].angle.rate[k] == pytest.approx(spin, abs=1e-7)
    assert run.status == "ok"


def test_angular_momentum_about_the_shaft():
    """Gravity and the bearing have no moment about the shaft, and the springs are internal."""
    m = governor()
    run = da.simulate(m, until=0.1, rtol=1e-9, atol=1e-11, output=0.02)
    total = 0.0
    for name in ("shaft", "slider", "right", "left"):
        k = run.kinematics(m[name])
        p = m[name].shape.mass_properties()
        turned = [k.rotation[i] @ p.inertia @ k.rotation[i].T @ k.omega[i] for i in range(len(run.t))]
        spin = [h[2] + p.mass * (r[0] * v[1] - r[1] * v[0]) for h, r, v in zip(turned, k.position, k.velocity)]
        total = total + np.array(spin)
    assert abs(total / total[0] - 1.0).max() < 1e-8
