"""Initial conditions: velocities that contradict the joints, drawings that cannot be assembled, dimensions that disagree."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dalembert as da

from .checks import bar, four_bar, pendulum, refused

REST = {"velocity": (0, 0), "spin": 0}


def test_four_bar_with_one_velocity_given():
    """FB4, crank 5 rad/s with its centre and all else at rest: both pins of the crank are torn, each by 5 rad/s * 0.5 m."""
    m = four_bar(crank={"velocity": (0, 0), "spin": 5}, others=REST)
    with refused(da.AssemblyError, "initial velocities of 'FB4'", "'O' by 2.5 m/s", "'A' by 2.5 m/s"):
        da.simulate(m, until=0.1)


def test_four_bar_with_the_crank_turning_about_its_pin():
    """The centre of the crank moves by 5 rad/s * 0.5 m to the left; the pin A, 1 m away, would move by 5 m/s, the coupler rests."""
    m = four_bar(crank={"velocity": (-2.5, 0), "spin": 5}, others=REST)
    with refused(da.AssemblyError, "initial velocities of 'FB4'", "'A' by 5 m/s") as caught:
        da.simulate(m, until=0.1)
    assert "'O'" not in caught[0].found and "'C'" not in caught[0].found


def test_four_bar_with_only_the_crank_given_is_solved_for():
    """v_A = 5 m/s to the left at A = (0, 1); the pin B belongs to both coupler and rocker: two equations for the two spins."""
    m = four_bar(crank={"spin": 5})
    run = da.simulate(m, until=0.01)
    b = np.array([3.48904168, 2.95616671])
    ba, bc = b - [0, 1], b - [4, 0]
    # v_A + w2 x (B - A) = w3 x (B - C)
    matrix = np.array([[-ba[1], bc[1]], [ba[0], -bc[0]]])
    w2, w3 = np.linalg.solve(matrix, [5.0, 0.0])
    assert run["coupler"].spin[0] == pytest.approx(w2, abs=1e-7)  # B is given to 8 decimals
    assert run["rocker"].spin[0] == pytest.approx(w3, abs=1e-7)
    assert run["crank"].spin[0] == pytest.approx(5.0, abs=1e-12)


def test_impossible_lengths():
    """Ground 4 m, three bars of 1 m: a gap of at least 1 m stays, wherever it is shared out."""
    m = da.Mechanism("impossible", gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=1.0, mass=1.0), angle=1.0)
    coupler = m.body("coupler", da.rod(length=1.0, mass=1.0), at=(0.5, 0.8))
    rocker = m.body("rocker", da.rod(length=1.0, mass=1.0), at=(4, 0), angle=2.0)
    m.revolute("O", m.ground, crank, at=(0, 0), on=crank.start)
    m.revolute("A", crank, coupler, at=(crank.end, coupler.start))
    m.revolute("B", coupler, rocker, at=(coupler.end, rocker.end))
    m.revolute("C", m.ground, rocker, at=(4, 0), on=rocker.start)
    with refused(da.AssemblyError, "assembly of 'impossible'", "not satisfied", " m") as caught:
        da.simulate(m, until=0.1)
    sizes = [float(x) for x in re.findall(r"by ([0-9.e+-]+) m", caught[0].found)]
    # the gaps of the four joints add up to 1 m or more: the three largest to 0.75 m, and their largest components to 0.75 / sqrt(2) m
    assert len(sizes) == 3 and sum(sizes) >= 0.53
    assert "'ground' is longer than all others together, by 1 m" in caught[0].why
    assert all(f"'{name}'" in caught[0].found for name in re.findall(r"'(\w)' by", caught[0].found))


def double_parallelogram(delta: float) -> da.Mechanism:
    """Two cranks and a third between them that is longer by delta: one redundant row."""
    m = da.Mechanism("parallelogram", gravity=(0, -9.81))
    cranks = [bar(m, name, (x, 0), (x, 1), 1.0) for name, x in (("left", 0), ("right", 2), ("middle", 1))]
    rod = bar(m, "rod", (0, 1), (2, 1), 1.0)
    for name, body, x in zip(("O1", "O2", "O3"), cranks, (0, 2, 1)):
        m.revolute(name, m.ground, body, at=(x, 0))
    m.revolute("P1", cranks[0], rod, at=(0, 1))
    m.revolute("P2", cranks[1], rod, at=(2, 1))
    m.revolute("P3", cranks[2], rod, at=(cranks[2].point(0.5 + delta, 0), rod.point(0, 0)))
    return m


@pytest.mark.parametrize("delta", [1e-3, 1e-2, 0.1])
def test_dimensions_that_disagree_are_an_error_with_their_size(delta):
    with refused(da.AssemblyError, "'parallelogram'", "the given dimensions disagree", f"'P3' by {delta:g} m"):
        da.simulate(double_parallelogram(delta), until=0.1)


def test_drivers_that_disagree_are_named_as_drivers():
    m = da.Mechanism("two drivers")
    arm = bar(m, "arm", (0, 0), (1, 0), 1.0)
    m.revolute("A", m.ground, arm, at=(0, 0))
    m.drive("one", m["A"].angle, "0.1*t")
    m.drive("two", "arm.angle", "0.2 + 0.1*t")
    with refused(da.AssemblyError, "'two drivers'", "the drivers disagree", "by 0.2 rad", "m.drive"):
        da.simulate(m, until=0.1)


def test_dimensions_that_disagree_by_rounding_are_accepted_and_reported():
    """Smaller than 1e-6 of the model's size: a rounding of the drawing.  The audit says how much."""
    run = da.simulate(double_parallelogram(1e-8), until=0.1)
    assert run.status == "ok"
    assert run.audit.disagreement == pytest.approx(1e-8, rel=1e-3)  # the pose is exact to 1e-12
    assert "'P3' by 1e-08 m" in str(run.audit)
    assert da.simulate(double_parallelogram(0.0), until=0.1).audit.disagreement < 1e-12


def test_too_many_initial_values():
    m = pendulum()
    m.start("A.angle", value=0.3)
    m.start("bar.x", value=0.1)
    # x = 0.5 cos(0.3) = 0.4776682446, given as 0.1
    with refused(da.AssemblyError, "'pendulum'", "'start of bar.x' by 0.377668 m", "degrees of freedom"):
        da.simulate(m, until=0.1)


def test_initial_value_out_of_reach():
    m = pendulum()
    m.start("bar.x", value=3.0)
    with refused(da.AssemblyError, "'pendulum'", " m"):
        da.simulate(m, until=0.1)


def test_too_many_initial_rates():
    m = pendulum()
    m.start("A.angle", rate=2.0)
    m.start("bar.y", rate=0.25)
    # level bar: y' = 0.5 m * 2 rad/s = 1 m/s, given as 0.25
    with refused(da.AssemblyError, "initial velocities of 'pendulum'", "'A' by 0.75 m/s"):
        da.simulate(m, until=0.1)


def test_velocities_given_twice_that_agree_pass():
    m = pendulum(velocity=(0, 1.0), spin=2.0)
    m.start("A.angle", rate=2.0)
    run = da.simulate(m, until=0.01)
    assert run["bar"].spin[0] == pytest.approx(2.0, abs=1e-12)


@pytest.mark.usefixtures("no_kernels")
def test_the_same_condition_twice():
    m = pendulum()
    m.start("A.angle", value=0.1)
    with refused(da.ModelError, "start condition on 'A.angle'", "already given", "0.1"):
        m.start(m["A"].angle, value=0.2)
    with refused(da.ModelError, "start condition on 'A'", "already given"):
        m.start(m["A"], value=0.2, rate=1.0)
    m.start("A.angle", rate=0.5)
    with refused(da.ModelError, "neither value nor rate"):
        m.start("bar.x")
    assert len(m.starts) == 2


def test_drivers_that_contradict_each_other():
    m = pendulum()
    m.drive("first", "A.angle", "0.1 + t")
    m.drive("second", "bar.angle", "0.2 + t")
    with refused(da.AssemblyError, "'second' by 0.1 rad"):
        da.simulate(m, until=0.1)


def test_a_state_off_the_constraints():
    m = pendulum()
    with refused(da.AssemblyError, "simulate('pendulum')", "'A' by 0.1 m"):
        da.simulate(m, until=1.0, start=da.State(0.0, [0.6, 0, 0], [0, 0, 0]))
    with refused(da.AssemblyError, "simulate('pendulum', start=...)", "'A' by 0.3 m/s"):
        da.simulate(m, until=1.0, start=da.State(0.0, [0.5, 0, 0], [0.3, 0, 0]))
