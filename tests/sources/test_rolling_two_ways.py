"""L3, L6 and K5, the rolling examples, as mechanisms with rolling joints and as Lagrangian systems: motion and contact forces agree.

Masses and lengths are those of the Lagrangian files; the mechanisms are built for them here.
"""

import numpy as np
import pytest
import test_k5_upright_disk as k5
import test_l3_rolling_disk as l3
import test_l6_axle as l6
from two_ways import TIGHT, agree

import dalembert as da


def thin_disk(m, name, mass, radius, at, **pose):
    """Body with its axis along its own z (a pose turns it)."""
    side, polar = mass * radius**2 / 4, mass * radius**2 / 2
    return m.body(name, mass=mass, inertia=(side, side, polar), at=at, **pose)


def l3_of_joints(angles, rates):
    th, phi, psi = angles
    along, axis, _ = l3.frame(th, phi)
    # body axes after the turns of the Lagrangian system: z by phi, x by pi/2 - th, z by psi
    spun = [[np.cos(psi), -np.sin(psi), 0], [np.sin(psi), np.cos(psi), 0], [0, 0, 1]]
    turn = np.column_stack([along, np.cross(axis, along), axis]) @ spun
    w = l3.spin(th, phi, rates)
    v = -np.cross(w, l3.frame(th, phi)[2])
    m = da.Mechanism("rolling disk", plane=False, gravity=(0, 0, -l3.G))
    body = thin_disk(m, "disk", l3.M, l3.R, (0, 0, l3.R * np.cos(th)), rotation=turn, velocity=v, spin=w)
    m.rolling_disk("floor", m.ground, body, radius=l3.R, axis=body.axis(0, 0, 1), through=(0, 0, 0))
    return m


@pytest.mark.parametrize("seed", range(3))
def test_l3(seed):
    """Half a second of a tumbling disk: place of the centre, force of the ground."""
    angles, rates = l3.random_case(seed)
    one = da.simulate(l3_of_joints(angles, rates), until=0.5, output=0.05, **TIGHT)
    two = da.simulate(l3.as_lagrangian(angles, rates), until=0.5, output=0.05, **TIGHT)
    place = two.q[:, 3:] - [*two.q[0, 3:5], 0.0]
    assert agree(one["disk"].position, place)
    assert agree(one["floor"].force, -np.column_stack([two["along x"], two["along y"], two["contact"]]))
    assert agree(one["floor"].normal, -np.asarray(two["contact"]))


def test_l6():
    """Axle: the middle between the wheels, and the friction that bends its path."""
    m = da.Mechanism("axle", plane=False, gravity=(0, 0, -9.81))
    side, polar = l6.M * l6.A**2 / 4, l6.M * l6.A**2 / 2
    wheels = [
        m.body(name, mass=l6.M, inertia=(side, polar, side), at=(0, y, l6.A))
        for name, y in (("one", l6.L / 2), ("two", -l6.L / 2))
    ]
    m.revolute("shaft", *wheels, at=(0, 0, l6.A), axis="y")
    for wheel, rate in zip(wheels, l6.SPINS):
        floor = m.rolling_disk(f"{wheel.name}_floor", m.ground, wheel, radius=l6.A, axis="y", through=(0, 0, 0))
        m.start(floor.roll, rate=-rate)  # the source counts the spin the other way round
    run = da.simulate(m, until=2.0, output=0.1, **TIGHT)
    middle = 0.5 * (run["one"].position + run["two"].position)[:, :2]
    friction = (run["one_floor"].friction + run["two_floor"].friction)[:, :2]
    for make in (l6.of_energy, l6.of_bodies):
        other = da.simulate(make(), until=2.0, output=0.1, **TIGHT)
        assert agree(middle, other.q[:, :2])
        assert agree(friction, -2 * np.column_stack([other["roll 1"], other["roll 2"]]))
        assert agree(run.energy.kinetic, other.energy.kinetic)


def test_k5():
    """Upright disk: path and friction."""
    m = da.Mechanism("upright disk", plane=False, gravity=(0, 0, -9.81))
    side, polar = k5.M * k5.R**2 / 4, k5.M * k5.R**2 / 2
    c, s = np.cos(0.3), np.sin(0.3)
    body = m.body(
        "disk", mass=k5.M, inertia=(side, polar, side), at=(0, 0, k5.R), rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]]
    )
    floor = m.rolling_disk("floor", m.ground, body, radius=k5.R, axis=body.axis(0, 1, 0), through=(0, 0, 0))
    m.constraint("upright", floor.tilt)
    m.start(floor.yaw, rate=k5.TURNING)
    m.start(floor.roll, rate=k5.SPIN)
    one = da.simulate(m, until=3.0, output=0.1, **TIGHT)
    for make in (k5.of_energy, k5.of_body):
        two = da.simulate(k5.started(make()), until=3.0, output=0.1, **TIGHT)
        assert agree(one["disk"].position[:, :2], two.q[:, :2])
        assert agree(one["floor"].friction[:, :2], -np.column_stack([two["x row"], two["y row"]]))
