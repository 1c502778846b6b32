"""A08: the uncontrolled bicycle of the IFToMM library of benchmark problems: nonlinear motion of the machine of C01.

Three manoeuvres, upright and unsteered at the start.  The reference values were computed with a separate program, to eleven digits.
Roll is the arcsine of the height of the left-pointing unit vector of the frame; steer is counted about the upward steering axis here.

Tolerances: 5 s at a local error of 1e-11, a motion that grows at up to 1.4 1/s: 1e-8.  Required by the library: 100 (Emax - Emin)/E0 < 1e-3.
"""

import numpy as np
import pytest

import dalembert as da

from .bicycle import bicycle

# manoeuvre: speed, roll rate, energy, then at 1, 2 and 5 s: roll, forward speed, steer, steer rate
RUNS = {
    "M1": (4.0, 0.05, 1575.172902477381, {
        1: (-0.0081241839414, 3.9998895033, -0.0027221086918, 0.075659928588),
        2: (0.0079521966152, 3.9993509277, 0.0078718320367, -0.11330513856),
        5: (-0.0047144889972, 3.9937590151, -0.044960974037, 0.31781332646),
    }),
    "M2": (4.6, 0.5, 1837.0311763095237, {
        1: (-0.041293869717, 4.6198236192, 0.039988487003, 0.32240401018),
        2: (0.056180808697, 4.6323960212, -0.063097319084, -0.046373883593),
        5: (0.010342440647, 4.6224368701, -0.008185670972, -0.06140735078),
    }),
    "M3": (8.0, 0.05, 3918.0300453345244, {
        1: (0.0038899893747, 8.00015474, -0.0011543164823, 0.0020034298004),
        2: (0.0040314896184, 8.0001475431, -0.00062647203199, 9.4234770343e-05),
        5: (0.0062207914562, 8.0001734305, -0.0010028178792, -0.00014365049096),
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_motion(name):
    speed, roll_rate, energy, states = RUNS[name]
    run = da.simulate(bicycle(speed, roll_rate), until=5.0, output=1.0, rtol=1e-11, atol=1e-12)
    assert run.status == "ok", run.audit
    axes = np.asarray(run["frame"].rotation)
    for t, (roll, forward, steer, rate) in states.items():
        assert np.arcsin(axes[t, 2, 1]) == pytest.approx(roll, abs=1e-8)
        assert run["rear_wheel"].velocity[t] @ axes[t, :, 0] == pytest.approx(forward, abs=1e-8)
        assert -run["steer"].angle[t] == pytest.approx(steer, abs=1e-8)
        assert -run["steer"].angle.rate[t] == pytest.approx(rate, abs=1e-8)
    assert run.energy.total[0] == pytest.approx(energy, rel=1e-12)


def test_energy_at_the_accuracy_that_the_library_asks_for():
    run = da.simulate(bicycle(4.6, 0.5), until=20.0, output=0.1, rtol=1e-6, atol=1e-7)
    total = np.asarray(run.energy.total)
    assert 100 * np.ptp(total) / total[0] < 1e-3


def test_wheels_carry_the_weight_and_touch_the_ground():
    run = da.simulate(bicycle(4.6, 0.5), until=2.0, output=0.1)
    for wheel in ("rear", "front"):
        assert np.max(np.abs(run[wheel].contact[:, 2])) < 1e-12
        assert np.min(run[wheel].normal) > 0.0
    # forces on all four bodies: mass times acceleration
    masses = {"rear_wheel": 2.0, "frame": 85.0, "fork": 4.0, "front_wheel": 3.0}
    inertia = sum(m * run[name].acceleration for name, m in masses.items())
    normal = run["rear"].normal + run["front"].normal
    assert normal == pytest.approx(inertia[:, 2] + 94.0 * 9.81, abs=1e-9)
    friction = run["rear"].friction + run["front"].friction
    assert friction[:, :2] == pytest.approx(inertia[:, :2], abs=1e-9)
