"""G02: run-up of a slider-crank by a constant torque of 0.1 N m from rest at theta = 0 (dead centre), no gravity.

Source: EXUDYN test model sliderCrankFloatingTest.  Its MATLAB reference (ode45 at 1e-6) theta(3) = 121.89082 is loose; refined with
the one-degree-of-freedom equation at 1e-13 it is 121.886277508.

Tolerance: the crank makes 19 turns; errors in energy show up as phase, about 1e3 times the local error of 1e-12.
"""

import pytest

import dalembert as da

# time: angle and speed of the crank
TORQUE_ALWAYS = {
    1.0: (14.1278922178, 20.537482851),
    2.0: (55.0724437956, 39.795577041),
    3.0: (121.886277508, 101.36564511),
}


def slider_crank(torque):
    m = da.Mechanism("slider-crank")
    crank = m.body("crank", da.rod(length=0.1, mass=0.2), at=(0.05, 0))
    rod = m.body("rod", da.rod(length=0.3, mass=0.2), at=(0.25, 0))
    slider = m.body("slider", mass=0.4, inertia=1e-3, at=(0.4, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(0.1, 0))
    m.revolute("B", rod, slider, at=(0.4, 0))
    m.prismatic("guide", m.ground, slider, along=(1, 0))
    m.torque("drive", crank, torque)
    return m


def test_torque_for_three_seconds():
    run = da.simulate(slider_crank(0.1), until=3.0, rtol=1e-12, atol=1e-13, output=[0.0, *TORQUE_ALWAYS])
    for k, (angle, speed) in enumerate(TORQUE_ALWAYS.values(), start=1):
        assert run["crank"].angle[k] == pytest.approx(angle, abs=1e-8)
        assert run["crank"].spin[k] == pytest.approx(speed, abs=1e-7)
        # work of the torque is the kinetic energy
        assert run.energy.kinetic[k] == pytest.approx(0.1 * run["crank"].angle[k], rel=1e-10)
    assert run.status == "ok"


def test_torque_for_two_seconds_then_coasting():
    """The torque jumps at 2 s; the run is continued there with another mechanism of the same bodies."""
    first = da.simulate(slider_crank(0.1), until=2.0, rtol=1e-12, atol=1e-13)
    run = da.simulate(slider_crank(0.0), until=3.0, start=first.at(2.0), rtol=1e-12, atol=1e-13, output=[3.0])
    assert run["crank"].angle[-1] == pytest.approx(108.706610363, abs=1e-8)
    assert run["crank"].spin[-1] == pytest.approx(46.0872784, abs=1e-7)
    assert run["slider"].position[-1] == pytest.approx([0.25298952758, 0], abs=1e-9)


def test_the_same_with_a_jump_in_the_torque():
    """The jump inside one run: step control has to find it; errors are those of the steps next to it."""
    run = da.simulate(slider_crank("if_(t < 2, 0.1, 0)"), until=3.0, rtol=1e-10, atol=1e-12, output=[3.0])
    assert run["crank"].angle[-1] == pytest.approx(108.706610363, abs=1e-6)
