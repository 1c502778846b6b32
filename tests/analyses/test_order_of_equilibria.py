"""Equilibria in order: stable ones first, of these the nearest to the start first, by every method."""

from __future__ import annotations

import math

import pytest

import dalembert as da


def lamp(angle):
    """A bar on a pin, held by a spring from above: it rests at 0.911922 rad and, mirrored, at pi - 0.911922."""
    m = da.Mechanism("lamp", plane=True, gravity=(0, -9.81))
    arm = m.body("arm", da.rod(length=1.0, mass=2.0), at=(0.5 * math.cos(angle), 0.5 * math.sin(angle)), angle=angle)
    m.revolute("A", m.ground, arm, at=(0, 0))
    m.spring("spring", m.ground.point(0, 0.8), arm.point(0, 0), stiffness=60.0, free_length=0.3)
    return m


@pytest.mark.parametrize("method", ["auto", "energy", "force", "settle"])
@pytest.mark.parametrize(("drawn", "near"), [(0.2, 0.911922), (2.8, math.pi - 0.911922)])
def test_of_a_mechanism(method, drawn, near):
    found = da.equilibrium(lamp(drawn), method=method)
    assert found[0].verdict == "stable" and found[0]["A.angle"] == pytest.approx(near, abs=1e-6)


@pytest.mark.parametrize("method", ["auto", "energy", "force", "settle"])
@pytest.mark.parametrize("start", [-1.6, 1.5])
def test_of_coordinates(method, start):
    """V = x⁴ - 3 x² + x/5 is lower on the left."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**4 - 3*x**2 + 0.2*x")
    m.start("x", start)
    found = da.equilibrium(m, method=method)
    assert found[0].state.q[0] * start > 0.0 and found[0].verdict == "stable"
    assert [e.verdict for e in found] == sorted(e.verdict for e in found)


@pytest.mark.parametrize("start", [-1.6, 1.5])
def test_with_states(start):
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**4 - 3*x**2", forces={"x": "0.2*z - rate(x)"})
    m.state("z", rate="x - z")
    m.start("x", start)
    assert da.equilibrium(m)[0].state.q[0] * start > 0.0


def test_from_a_start_of_ones_own():
    m = lamp(0.2)
    other = da.equilibrium(m)[1]
    assert da.equilibrium(m, start=other)[0]["A.angle"] == pytest.approx(other["A.angle"], abs=1e-6)
    run = da.simulate(m, until=0.5, start=da.equilibrium(m)[0])
    assert abs(run["A.angle"][-1] - run["A.angle"][0]) < 1e-9
