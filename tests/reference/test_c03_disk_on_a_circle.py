"""C03: a thin disk rolls steadily on a circle (C. Le Saux, R. I. Leine, Ch. Glocker 2005, doi 10.1007/s00332-004-0655-4).

Tilted inwards by b, contact circle of radius R, rho = r/R:  gamma'^2 = 4 (g/r) sin b / ((6 - 5 rho sin b) rho cos b), spin gamma' about its
axis relative to the turning vertical plane, alpha' = -rho gamma' about the vertical.

Tolerances: closed forms, one lap at a local error of 1e-12: 1e-9.
"""

import numpy as np
import pytest

import dalembert as da

MASS, RADIUS, GRAVITY, CIRCLE, TILT = 0.3048, 0.05, 9.81, 0.5, np.deg2rad(5)
RATIO = RADIUS / CIRCLE
SPIN = np.sqrt(4 * (GRAVITY / RADIUS) * np.sin(TILT) / ((6 - 5 * RATIO * np.sin(TILT)) * RATIO * np.cos(TILT)))
TURN = RATIO * SPIN


def disk(meridian=False):
    m = da.Mechanism("disk", plane=False, gravity=(0, 0, -GRAVITY))
    side, polar = MASS * RADIUS**2 / 4, MASS * RADIUS**2 / 2
    # contact at (R, 0, 0), leaning towards the centre of the circle; the axis of the disk is its z
    at = (CIRCLE - RADIUS * np.sin(TILT), 0, RADIUS * np.cos(TILT))
    body = m.body("disk", mass=MASS, inertia=(side, side, polar), at=at, rotation=((0, 1, 0), np.pi / 2 - TILT))
    m.rolling_disk("floor", m.ground, body, radius=RADIUS, axis=body.axis(0, 0, 1), through=(0, 0, 0))
    # omega = alpha' z - gamma' c with the axis c = (cos b, 0, sin b)
    m.start(m["floor"].yaw, rate=TURN - SPIN * np.sin(TILT))
    m.start(m["floor"].roll, rate=TURN * np.sin(TILT) - SPIN)
    m.start(m["floor"].tilt, rate=0.0)
    return m


def test_formula():
    assert (SPIN, TURN, 2 * np.pi / TURN) == pytest.approx((10.736498163261, 1.073649816326, 5.852173782956), abs=1e-12)


def test_one_lap():
    lap = 2 * np.pi / TURN
    run = da.simulate(disk(), until=lap, output=lap / 16, rtol=1e-12, atol=1e-13)
    assert run.status == "ok", run.audit
    angle = TURN * run.t
    around = np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)])
    assert run["floor"].contact == pytest.approx(CIRCLE * around, abs=1e-9)
    assert np.arcsin(run["floor"].tilt) == pytest.approx(np.full(17, TILT), abs=1e-10)
    # published: 2.990088 N normal (its weight), 0.17414402 N inwards (its centripetal force)
    assert run["floor"].normal == pytest.approx(np.full(17, 2.990088), abs=1e-9)
    assert run["floor"].friction == pytest.approx(-0.17414402 * around, abs=1e-8)


def test_steady_motion_is_found_steady():
    linear = da.linearize(disk())
    assert linear.steady
    assert linear.turning == pytest.approx([0.0, 0.0, TURN], abs=1e-6)
    # at ten times the speed of stability (C04) the disk wobbles and neither falls nor grows
    assert linear.stable
