"""C05: a coin set spinning about the vertical with a tilt of one degree (after G. Rill and Th. Schaeffer 2010; EXUDYN rollingCoinTest).

r = 0.01 m, m = 1 kg, 10 pi rad/s, contact at the origin.  The digits are those of a separate program at small steps; EXUDYN's own
test value with steps of 5e-4 s, 0.0020041, is 4e-4 away from the converged one.  Tolerances: eleven digits of the reference.
"""

import numpy as np
import pytest

import dalembert as da

RADIUS, TILT = 0.01, np.deg2rad(1)


def coin(roller="rolling_disk", **options):
    m = da.Mechanism("coin", plane=False, gravity=(0, 0, -9.81))
    body = m.body(
        "coin",
        mass=1.0,
        inertia=(0.5 * RADIUS**2, 0.25 * RADIUS**2, 0.25 * RADIUS**2),
        at=(RADIUS * np.sin(TILT), 0, RADIUS * np.cos(TILT)),
        rotation=((0, 1, 0), TILT),
        spin=(0, 0, 10 * np.pi),
    )
    options = options or {"radius": RADIUS}
    getattr(m, roller)("table", m.ground, body, axis=body.axis(1, 0, 0), through=(0, 0, 0), **options)
    return m


def test_after_half_a_second():
    run = da.simulate(coin(), until=0.5, output=0.25, rtol=1e-12, atol=1e-14)
    assert run["table"].contact[0] == pytest.approx([0, 0, 0], abs=1e-15)
    assert run["table"].contact[-1] == pytest.approx([0.002004947021, 0.002596923104, 0.0], abs=2e-12)
    assert run["table"].force[-1] == pytest.approx([-0.80781349, -0.63491378, 9.83551981], abs=1e-8)
    assert np.rad2deg(np.arcsin(run["table"].tilt[-1])) == pytest.approx(-12.5551070036, abs=1e-9)
    # published by EXUDYN at h = 5e-4
    assert run["table"].contact[-1, 0] == pytest.approx(0.0020040999273379673, rel=1e-3)


def test_force_in_its_parts():
    run = da.simulate(coin(), until=0.5, output=0.05)
    normal, friction, force = run["table"].normal, run["table"].friction, run["table"].force
    assert normal == pytest.approx(force[:, 2], abs=1e-12)
    assert friction == pytest.approx(force * [1, 1, 0], abs=1e-12)
    # what acts on the coin acts on the table in the opposite direction, at the same place
    below = run["table"].on("ground")
    assert below.friction == pytest.approx(-friction, abs=1e-12)
    assert below.contact == pytest.approx(np.asarray(run["table"].contact), abs=0.0)
    at_start = da.reactions(coin())["table"]
    assert at_start.normal == pytest.approx(normal[0], rel=1e-12)
    assert at_start.friction == pytest.approx(np.asarray(friction[0]), abs=1e-12)
    assert at_start.contact == pytest.approx([0, 0, 0], abs=1e-15)
