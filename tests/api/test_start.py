"""Initial conditions: values and rates of measures, velocities of bodies; what is not given is solved for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .models import pendulum, spatial_pair


def test_value_and_rate_of_a_joint_angle():
    """P3: phi = 3 pi/2, phi' = 2 pi gives the centre at (0, -l) with the velocity (2 pi l, 0), l = 0.5 m."""
    m = pendulum()
    m.start(m["A"].angle, value=1.5 * math.pi, rate=2 * math.pi)
    run = da.simulate(m, until=0.1)
    assert np.abs(run["bar"].position[0] - [0, -0.5]).max() < 1e-12
    assert np.abs(run["bar"].velocity[0] - [math.pi, 0]).max() < 1e-11
    assert run["bar"].spin[0] == pytest.approx(2 * math.pi, abs=1e-11)


@pytest.mark.parametrize("form", ["measure", "joint", "name", "part name", "expression"])
def test_forms_of_a_condition(form):
    m = pendulum()
    what = {
        "measure": m["A"].angle,
        "joint": m["A"],
        "name": "A.angle",
        "part name": "A",
        "expression": "2*A.angle - A.angle",
    }[form]
    m.start(what, value=0.3, rate=-0.4)
    run = da.simulate(m, until=0.01)
    assert run["bar"].angle[0] == pytest.approx(0.3, abs=1e-12)
    assert run["bar"].spin[0] == pytest.approx(-0.4, abs=1e-12)


def test_a_coordinate_of_a_body():
    """x = 0.5 cos(phi) = 0.4 near the drawing; y' = 0.5 cos(phi) phi' = 1.2 gives phi' = 3."""
    m = da.Mechanism("inclined", gravity=(0, -9.81))
    m.body("bar", mass=2.0, inertia=2.0 / 12.0, at=(0.5 * math.cos(0.4), -0.5 * math.sin(0.4)), angle=-0.4)
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.start("bar.x", value=0.4)
    m.start("bar.y", rate=1.2)
    run = da.simulate(m, until=0.01)
    assert run["bar"].position[0, 0] == pytest.approx(0.4, abs=1e-12)
    assert run["bar"].angle[0] == pytest.approx(-math.acos(0.8), abs=1e-11)
    assert run["bar"].spin[0] == pytest.approx(3.0, abs=1e-11)


def test_velocity_and_spin_of_a_body_in_space():
    m = da.Mechanism("free", plane=False)
    m.body(
        "b",
        mass=1,
        inertia=(1, 1, 1),
        velocity=(1, 2, 3),
        spin=(0.1, 0.2, 0.3),
        rotation=((1, 0, 0), 0.5),
        center=(0.5, 0, 0),
    )
    run = da.simulate(m, until=0.5)
    assert np.abs(run["b"].velocity[0] - [1, 2, 3]).max() < 1e-12
    assert np.abs(run["b"].spin - [0.1, 0.2, 0.3]).max() < 1e-10  # equal moments: the spin stays
    # the mass centre moves with v + omega x r, r = A (0.5, 0, 0) = (0.5, 0, 0)
    assert np.abs(run.v[0, :3] - (np.array([1, 2, 3]) + np.cross([0.1, 0.2, 0.3], [0.5, 0, 0]))).max() < 1e-12


def test_what_is_not_given_is_solved_for():
    m = pendulum()
    m.body("second", mass=1, inertia=0.1, at=(1.5, 0))
    m.revolute("B", "bar", "second", at=(1, 0))
    m.start("A.angle", rate=1.0)
    m.start("B.angle", rate=-1.0)
    run = da.simulate(m, until=0.01)
    assert np.abs(run["second"].velocity[0] - [0, 1.0]).max() < 1e-12  # v_B = 1 m/s up, no spin
    assert abs(run["second"].spin[0]) < 1e-12


def test_angles_in_space_beyond_half_a_turn():
    m = spatial_pair()
    m.start("A.angle", value=0.4, rate=2.0)
    m.start("B.angle", value=-0.2)
    run = da.simulate(m, until=0.05)
    assert run["A.angle"][0] == pytest.approx(0.4, abs=1e-12)
    assert run["A.angle"].rate[0] == pytest.approx(2.0, abs=1e-12)
    assert run["B.angle"][0] == pytest.approx(-0.2, abs=1e-12)


def test_at_rest_by_default():
    run = da.simulate(pendulum(), until=0.01)
    assert np.abs(run.v[0]).max() == 0.0
