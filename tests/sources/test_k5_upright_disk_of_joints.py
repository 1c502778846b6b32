"""K5: upright rolling disk with the coordinates x, y, heading th and spin ph, PRINCIPLES, as a mechanism in three ways.

    x' = r cos th ph',   y' = r sin th ph':   not integrable.  Without forces both rates stay, and the disk runs on a circle of radius r |ph'/th'|.

Tolerances: closed form over one lap at rtol = 1e-12: 1e-9.
"""

import numpy as np
import pytest

import dalembert as da

MASS, RADIUS, SIDE, POLAR = 2.0, 0.3, 0.06, 0.09
HEADING, SPIN = 0.8, 5.0


def in_space():
    """A disk in space, held upright."""
    m = da.Mechanism("upright disk", plane=False, gravity=(0, 0, -9.81))
    body = m.body("disk", mass=MASS, inertia=(SIDE, POLAR, SIDE), at=(0, 0, RADIUS))
    floor = m.rolling_disk("floor", m.ground, body, radius=RADIUS, axis=body.axis(0, 1, 0), through=(0, 0, 0))
    m.constraint("upright", floor.tilt)
    m.start(floor.yaw, rate=HEADING)
    m.start(floor.roll, rate=SPIN)
    return m


def from_above():
    """Seen from above: a body with x, y, heading; the spin is that of a second body, whose place does not matter."""
    m = da.Mechanism("disk from above", plane=True)
    body = m.body("disk", mass=MASS, inertia=SIDE)
    wheel = m.body("wheel", mass=1.0, inertia=POLAR)
    m.revolute("hub", m.ground, wheel, at=(0, 0))
    m.parameter("r", RADIUS)
    m.pfaffian("along_x", "rate(disk.x) - r*cos(disk.angle)*rate(wheel.angle)", unit="m")
    m.pfaffian("along_y", "rate(disk.y) - r*sin(disk.angle)*rate(wheel.angle)", unit="m")
    m.start(body.angle, rate=HEADING)
    m.start(wheel.angle, rate=SPIN)
    return m


def with_a_knife_edge():
    """The same with a blade along the disk instead of one of the rows."""
    m = da.Mechanism("disk as a blade", plane=True)
    body = m.body("disk", mass=MASS, inertia=SIDE)
    wheel = m.body("wheel", mass=1.0, inertia=POLAR)
    m.revolute("hub", m.ground, wheel, at=(0, 0))
    m.knife_edge("blade", m.ground, body, along=(1, 0))
    m.pfaffian("rolling", f"rate(blade.speed) - {RADIUS}*rate(wheel.angle)", unit="m")
    m.start(body.angle, rate=HEADING)
    m.start(wheel.angle, rate=SPIN)
    return m


@pytest.mark.parametrize("build", [in_space, from_above, with_a_knife_edge])
def test_free_motion_is_a_circle(build):
    m = build()
    lap = 2 * np.pi / HEADING
    run = da.simulate(m, until=lap, output=lap / 12, rtol=1e-12, atol=1e-13)
    assert run.status == "ok", run.audit
    angle, radius = HEADING * run.t, RADIUS * SPIN / HEADING
    circle = np.column_stack([radius * np.sin(angle), radius * (1 - np.cos(angle))])
    assert run["disk"].position[:, :2] == pytest.approx(circle, abs=1e-9)
    # heading and spin turn freely, so that two of four coordinates have speeds of their own
    assert da.mobility(m).dof == 2


def test_friction_is_the_centripetal_force():
    run = da.simulate(in_space(), until=2.0, output=0.25, rtol=1e-12, atol=1e-13)
    assert run["floor"].normal == pytest.approx(np.full(9, MASS * 9.81), abs=1e-9)
    friction = np.linalg.norm(run["floor"].friction, axis=1)
    assert friction == pytest.approx(np.full(9, MASS * RADIUS * SPIN * HEADING), abs=1e-9)
    # upright against the gyroscopic moment C ph' th' and the moment of the friction
    held = np.abs(run["upright"].multipliers[:, 0])
    assert held == pytest.approx(np.full(9, (POLAR + MASS * RADIUS**2) * SPIN * HEADING), abs=1e-9)


def test_rows_are_those_of_the_source():
    m = from_above()
    e = da.equations(m)
    row = dict(zip(e.velocity_names, e.jac[e.row_names.index("along_x.rate")]))
    assert row["disk.x'"] == 1.0 and row["wheel.angle'"] == -RADIUS and row["disk.y'"] == row["disk.angle'"] == 0.0
