"""Mass: bodies that move without inertia, and inertia that no matter has, are refused by name."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .checks import pendulum, refused, space


@pytest.mark.parametrize(
    ("mass", "inertia", "found"),
    [
        (0.0, 0.0, "mass = 0 kg"),
        (0.0, None, "mass = 0 kg"),
        (1.0, 0.0, "inertia = 0 kg"),
        (1.0, None, "inertia = 0 kg"),
    ],
)
@pytest.mark.usefixtures("no_kernels")
def test_massless_free_bodies_are_named_before_anything_is_computed(mass, inertia, found):
    m = pendulum()
    m.body("ghost", mass=mass, inertia=inertia)
    with refused(da.SingularError, "body 'ghost'", found):
        da.compile(m)
    with refused(da.SingularError, "body 'ghost'", found):
        da.simulate(m, until=1.0)


@pytest.mark.usefixtures("no_kernels")
def test_a_thin_rod_in_space_does_not_resist_its_own_axis():
    m = space()
    m.body("rod", da.rod(length=1.0, mass=1.0))
    with refused(da.SingularError, "body 'rod'", "radius="):
        da.simulate(m, until=1.0)
    m2 = space()
    m2.body("rod", da.rod(length=1.0, mass=1.0, radius=0.01))
    assert da.compile(m2).nv == 18


def test_a_massless_body_that_a_joint_leaves_free():
    m = pendulum()
    ghost = m.body("ghost", mass=0.0, at=(1, 0))
    m.revolute("B", "bar", ghost, at=(1, 0))
    with refused(da.SingularError, "'ghost'", "'pendulum'"):
        da.simulate(m, until=1.0)


def test_a_massless_coupler_that_joints_hold_is_legal():
    """A massless link between two pendulums moves with them: kinetic energy is positive on admissible velocities."""
    m = da.Mechanism("coupled", gravity=(0, -9.81))
    left = m.body("left", mass=1.0, inertia=0.1, at=(0, -0.5))
    right = m.body("right", mass=1.0, inertia=0.1, at=(1, -0.5))
    link = m.body("link", mass=0.0, at=(0.5, -1))
    m.revolute("O", m.ground, left, at=(0, 0))
    m.revolute("P", m.ground, right, at=(1, 0))
    m.revolute("A", left, link, at=(0, -1))
    m.revolute("B", right, link, at=(1, -1))
    m.start("O.angle", value=0.1)
    run = da.simulate(m, until=0.5)
    assert run.status == "ok"


@pytest.mark.usefixtures("no_kernels")
@pytest.mark.parametrize(
    ("inertia", "found"),
    [
        ((1, 1, 3), "exceeds the sum of the others by 1"),
        ((1, -1, 1), "principal moments -1"),
        (((1, 2, 0), (2, 1, 0), (0, 0, 3)), "principal moments -1"),
        (((1, 0.5, 0), (0, 1, 0), (0, 0, 1)), "apart by 0.5"),
        (np.diag([1.0, 1.0, -2.0]), "principal moments -2"),
    ],
)
def test_impossible_inertia_in_space(inertia, found):
    m = space()
    with refused(da.ModelError, "body 'new'", found):
        m.body("new", mass=1.0, inertia=inertia)
    assert "new" not in m


@pytest.mark.usefixtures("no_kernels")
def test_impossible_mass_and_inertia_in_the_plane():
    m = pendulum()
    with refused(da.ModelError, "body 'new'", "inertia = -1"):
        m.body("new", mass=1.0, inertia=-1.0)
    with refused(da.ModelError, "body 'new'", "mass = -1"):
        m.body("new", mass=-1.0, inertia=1.0)
    with refused(da.ModelError, "particle 'new'", "mass = 0"):
        m.particle("new", mass=0.0)
    with refused(da.ModelError, "body 'new'", "shape"):
        m.body("new", 1.0)
    with refused(da.ModelError, "body 'new'", "neither shape nor mass"):
        m.body("new")
    with refused(da.ModelError, "body 'new'", "shape and mass"):
        m.body("new", da.rod(length=1, mass=1), mass=2.0)
    with refused(da.ModelError, "disk", "radius = -1"):
        m.body("new", da.disk(-1, mass=1.0))
    # a hole larger than the plate takes away more than there is
    hole = da.composite(
        da.disk(0.1, thickness=0.01, density=1000.0), da.void(da.disk(0.2, thickness=0.01, density=1000.0))
    )
    with refused(da.ModelError, "new"):
        m.body("new", hole)


@pytest.mark.usefixtures("no_kernels")
def test_inertia_that_becomes_impossible_with_a_parameter():
    m = space()
    j = m.parameter("j", 1.0)
    m.body("new", mass=1.0, inertia=(1, 1, j))
    m.set_parameter("j", 2.5)
    with refused(da.ModelError, "body 'new'", "exceeds", "0.5"):
        da.compile(m)


@pytest.mark.usefixtures("no_kernels")
def test_no_moving_body():
    m = da.Mechanism("empty")
    with refused(da.ModelError, "'empty'", "no moving body"):
        da.simulate(m, until=1.0)


@pytest.mark.usefixtures("no_kernels")
def test_huge_shapes():
    with refused(da.ModelError, "1e308"):
        da.sphere(1e150, density=1e100)
    m = space()
    with refused(da.ModelError, "body 'new'", "1e+100"):
        m.body("new", da.sphere(1e60, density=1.0))
    assert math.isfinite(1e100)
