"""G01: rigid slider-crank at a prescribed 150 rad/s: torque, bearing, guide and shaking forces.

Source: data of problem CRANK of the Test Set for IVP Solvers (B. Simeon) with a rigid rod: 0.15 and 0.30 m, 0.36 kg (mass centre at 0.075),
0.151104 kg (central inertia 0.0011340859), slider 0.075552 kg, no gravity; the numbers are kinematics in closed form and Newton-Euler
body by body.

Tolerance: the angle follows its driver exactly, so nothing is integrated: rounding of forces of 1e3 N and the 12 digits given.
"""

import math

import numpy as np
import pytest

import dalembert as da

# crank angle: acceleration of the slider, torque, force on the crank at O, guide force, shaking force
REFERENCE = {
    0.0: (-5062.5, 0.0, (-1627.452, 0.0), 0.0, (1627.452, 0.0)),
    math.pi / 6: (-3881.39911596, 68.3680394105, (-1333.43145, -243.5595941), -187.684405889, (1333.43145, 431.244)),
    math.pi / 3: (
        -859.449947462,
        27.8188162295,
        (-561.1103249, -600.9540416),
        -145.982476875,
        (561.1103249, 746.9365185),
    ),
    math.pi / 2: (1948.55715851, -44.165217132, (294.4347809, -919.192295), 56.704295, (-294.4347809, 862.488)),
}


@pytest.fixture(scope="module")
def run():
    m = da.Mechanism("slider-crank")
    crank = m.body("crank", mass=0.36, inertia=0.001, at=(0.075, 0))  # its inertia does not matter at constant speed
    rod = m.body("rod", mass=0.151104, inertia=0.0011340859, at=(0.3, 0))
    slider = m.body("slider", mass=0.075552, inertia=1e-4, at=(0.45, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=(0.15, 0))
    m.revolute("B", rod, slider, at=(0.45, 0))
    m.prismatic("guide", m.ground, slider, along=(1, 0))
    m.drive("motor", m["O"].angle, "150*t")
    return da.simulate(m, until=0.1, output=[*(angle / 150 for angle in REFERENCE), 0.1])


def test_forces(run):
    for k, (acceleration, torque, bearing, guide, shaking) in enumerate(REFERENCE.values()):
        assert run["slider"].acceleration[k] == pytest.approx([acceleration, 0], abs=1e-7)
        assert run["motor"].effort[k] == pytest.approx(torque, abs=1e-8)
        assert run["motor"].torque[k] == pytest.approx(torque, abs=1e-8)
        assert run["O"].force[k] == pytest.approx(bearing, abs=1e-6)
        assert run["guide"].force[k] == pytest.approx([0, guide], abs=1e-8)
        # on the frame: opposite to all that the frame gives
        frame = run["O"].on("ground").force[k] + run["guide"].on("ground").force[k]
        assert frame == pytest.approx(shaking, abs=1e-6)
    assert run.status == "ok"


def test_shaking_force_is_the_rate_of_momentum(run):
    total = sum(
        p * np.asarray(run[name].acceleration) for name, p in (("crank", 0.36), ("rod", 0.151104), ("slider", 0.075552))
    )
    frame = run["O"].on("ground").force + run["guide"].on("ground").force
    assert np.asarray(frame) == pytest.approx(-total, abs=1e-9)


def test_end_of_the_source_run(run):
    """At 15 rad: rod angle and rate, slider, torque."""
    assert run["rod"].angle[-1] == pytest.approx(-0.331163913465, abs=1e-11)
    assert run["rod"].spin[-1] == pytest.approx(60.2503221459, abs=1e-9)
    assert run["slider"].position[-1] == pytest.approx([0.169746176502, 0], abs=1e-11)
    assert run["slider"].velocity[-1] == pytest.approx([-8.75446862498, 0], abs=1e-9)
    assert run["motor"].effort[-1] == pytest.approx(-25.01465778, abs=1e-7)
