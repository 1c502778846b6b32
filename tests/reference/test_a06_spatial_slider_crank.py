"""A06: rigid slider-crank in space (E. J. Haug, Computer Aided Kinematics and Dynamics, 1989; IFToMM library).

Crank 0.08 m about the x axis at A = (0, 0.1, 0.12), rod 0.3 m, slider on the x axis; spherical joint at B, universal joint at C whose cross
keeps the slider's x axis perpendicular to the rod-fixed axis that starts as (0, -2, 1)/sqrt 5; crank speed 6 rad/s.  The source
publishes plots and consistent initial velocities, which fix the universal joint; the numbers were computed with a separate program
(absolute coordinates, Euler parameters) and SciPy's integrators at 1e-12.

Tolerance: the reference carries 12 digits, the motion is mildly unstable (a factor of about ten over 1 s), local error 1e-12.
"""

import math

import numpy as np
import pytest

import dalembert as da

# crank angle and speed, slider position and velocity
REFERENCE = {
    0.1: (0.560031482093, 5.82888813465, 0.2267871885529, 0.305277006935),
    0.5: (5.583762553307, 14.4081608102, 0.1849526297778, -0.004560290633),
    1.0: (10.913590729864, 10.42759300041, 0.2117216613935, -0.503491864925),
}
A, B, C = np.array([0, 0.1, 0.12]), np.array([0, 0.1, 0.2]), np.array([0.2, 0.0, 0.0])


def slider_crank(joint="universal"):
    m = da.Mechanism("spatial slider-crank", plane=False, gravity=(0, 0, -9.81))
    crank = m.body("crank", mass=0.12, inertia=(1e-4, 1e-4, 1e-5), at=(A + B) / 2)
    # rod: third axis along BC
    along = (C - B) / 0.3
    first = np.array([0, -2, 1]) / math.sqrt(5)
    frame = np.column_stack([first, np.cross(along, first), along])
    rod = m.body("rod", mass=0.5, inertia=(4e-3, 4e-3, 4e-4), at=(B + C) / 2, rotation=frame)
    slider = m.body("slider", mass=2.0, inertia=(1e-4, 1e-4, 1e-4), at=C)
    m.revolute("A", m.ground, crank, at=A, axis=(1, 0, 0))
    m.spherical("B", crank, rod, at=B)
    if joint == "universal":
        m.universal("C", slider, rod, at=C, axes=((1, 0, 0), (0, -2, 1)))
    else:
        m.spherical("C", slider, rod, at=C)
    m.prismatic("guide", m.ground, slider, along=(1, 0, 0))
    m.start(m["A"].angle, rate=6.0)
    return m


def test_initial_velocities_and_accelerations():
    run = da.simulate(slider_crank(), until=0.01, output=[0.0])
    assert run["rod"].velocity[0] == pytest.approx([0.12, -0.24, 0.0], abs=1e-14)
    assert run["rod"].spin[0] == pytest.approx([1.92, -0.96, 0.48], abs=1e-13)
    assert run["slider"].velocity[0] == pytest.approx([0.24, 0, 0], abs=1e-14)
    assert run["crank"].spin_rate[0] == pytest.approx([-25.684190588932, 0, 0], abs=1e-10)
    assert run["slider"].acceleration[0] == pytest.approx([0.412632376443, 0, 0], abs=1e-11)
    assert run.energy.kinetic[0] == pytest.approx(0.08758368, rel=1e-13)
    assert run.energy.potential[0] == pytest.approx(0.678852, rel=1e-13)
    assert run.audit.degrees_of_freedom == 1


def test_motion():
    run = da.simulate(slider_crank(), until=1.0, rtol=1e-12, atol=1e-13, output=[0.0, *REFERENCE])
    for k, (angle, speed, x, v) in enumerate(REFERENCE.values(), start=1):
        assert run["A"].angle[k] == pytest.approx(angle, abs=2e-9)
        assert run["A"].angle.rate[k] == pytest.approx(speed, abs=2e-8)
        assert run["slider"].position[k] == pytest.approx([x, 0, 0], abs=1e-9)
        assert run["slider"].velocity[k] == pytest.approx([v, 0, 0], abs=1e-8)
    assert run.status == "ok"


def test_the_universal_joint_matters():
    """With a ball at C the rod gains a free spin about itself: two degrees of freedom instead of one."""
    run = da.simulate(slider_crank("spherical"), until=0.01, output=[0.0])
    assert run.audit.degrees_of_freedom == 2
