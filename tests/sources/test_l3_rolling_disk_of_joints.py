"""L3: thin disk that rolls on a horizontal surface, LAGRANGE 2.2.2 and 2.6.1, as a mechanism.

Tilt th, heading ph, spin ps; axis n3 = (cos th sin ph, -cos th cos ph, sin th), horizontal diameter n1 = (cos ph, sin ph, 0), centre z = r cos th:

    x' + r (cos th sin ph th' + sin th cos ph ph' + cos ph ps') = 0
    y' + r (-cos th cos ph th' + sin th sin ph ph' + sin ph ps') = 0

    5 th'' - 5 sin th cos th ph'^2 - 6 cos th ph' ps' - 4 (g/r) sin th = 0                 (a)
    cos th ph'' + 2 th' ps' = 0                                                             (b')
    3 sin th ph'' + 3 ps'' + 5 cos th th' ph' = 0                                           (c)

with omega = -th' n1 + ph' k + ps' n3.  Tolerances: single evaluations to 1e-10 (numbers up to 200); motion over 1 s at rtol = 1e-12
against SciPy at 1e-12: 1e-8.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da

MASS, RADIUS, G = 1.7, 0.4, 9.81


def frame(th, ph):
    n1 = np.array([np.cos(ph), np.sin(ph), 0.0])
    n3 = np.array([np.cos(th) * np.sin(ph), -np.cos(th) * np.cos(ph), np.sin(th)])
    return n1, np.cross(n3, n1), n3


def velocity(angles, rates):
    """Velocity of the centre by the source's rows, and angular velocity in space axes."""
    (th, ph, _), (th1, ph1, ps1) = angles, rates
    s, c = np.sin(th), np.cos(th)
    x = -RADIUS * (c * np.sin(ph) * th1 + s * np.cos(ph) * ph1 + np.cos(ph) * ps1)
    y = -RADIUS * (-c * np.cos(ph) * th1 + s * np.sin(ph) * ph1 + np.sin(ph) * ps1)
    n1, _, n3 = frame(th, ph)
    return np.array([x, y, -RADIUS * s * th1]), -th1 * n1 + ph1 * np.array([0, 0, 1.0]) + ps1 * n3


def disk(angles, rates):
    th, ph, ps = angles
    m = da.Mechanism("rolling disk", plane=False, gravity=(0, 0, -G))
    turn = np.column_stack(frame(th, ph)) @ [[np.cos(ps), -np.sin(ps), 0], [np.sin(ps), np.cos(ps), 0], [0, 0, 1]]
    v, w = velocity(angles, rates)
    side, polar = MASS * RADIUS**2 / 4, MASS * RADIUS**2 / 2
    body = m.body(
        "disk", mass=MASS, inertia=(side, side, polar), at=(0.1, -0.2, RADIUS * np.cos(th)), rotation=turn, velocity=v, spin=w
    )  # fmt: skip
    m.rolling_disk("floor", m.ground, body, radius=RADIUS, axis=body.axis(0, 0, 1), through=(0, 0, 0))
    return m


def by_source(angles, rates):
    """th'', ph'', ps'' of (a), (b'), (c)."""
    (th, _, _), (th1, ph1, ps1) = angles, rates
    s, c = np.sin(th), np.cos(th)
    th2 = s * c * ph1**2 + 1.2 * c * ph1 * ps1 + 0.8 * G / RADIUS * s
    ph2 = -2 * th1 * ps1 / c
    return np.array([th2, ph2, -s * ph2 - 5 / 3 * c * th1 * ph1])


STATES = [
    ((0.3, 0.8, -0.4), (0.5, -1.1, 3.0)),
    ((-0.7, 2.5, 1.0), (-0.9, 2.0, -1.4)),
    ((0.05, -1.0, 0.2), (0.1, 0.3, 8.0)),
]


@pytest.mark.parametrize("angles, rates", STATES)
def test_velocities_satisfy_the_rows_of_the_source(angles, rates):
    # the start accepts the velocities of the source's rows: none is changed
    e = da.equations(disk(angles, rates))
    v, w = velocity(angles, rates)
    assert e.state.v[:3] == pytest.approx(v, abs=1e-12)
    assert e.jac @ e.state.v == pytest.approx(np.zeros(3), abs=1e-12)
    assert e.row_names == ("floor.height", "floor.slip_x", "floor.slip_y")


@pytest.mark.parametrize("angles, rates", STATES)
def test_accelerations(angles, rates):
    m = disk(angles, rates)
    e = da.equations(m)
    run = da.simulate(m, until=1e-3, output=1e-3)
    alpha = run["disk"].spin_rate[0]
    # alpha = -th'' n1 + ph'' k + ps'' n3 - th' ph' k x n1 + ps' omega x n3
    n1, _, n3 = frame(*angles[:2])
    k, (th1, ph1, ps1) = np.array([0, 0, 1.0]), rates
    _, w = velocity(angles, rates)
    left = alpha + th1 * ph1 * np.cross(k, n1) - ps1 * np.cross(w, n3)
    found = np.linalg.solve(np.column_stack([-n1, k, n3]), left)
    assert found == pytest.approx(by_source(angles, rates), abs=1e-10)
    # the ground carries the disk
    force = MASS * (e.a[:3] + [0, 0, G])
    assert run["floor"].force[0] == pytest.approx(force, abs=1e-10)


@pytest.mark.parametrize("angles, rates", STATES[1:])
def test_motion(angles, rates):
    def slope(_, y):
        v, _ = velocity(y[:3], y[3:6])
        return np.concatenate([y[3:6], by_source(y[:3], y[3:6]), v[:2]])

    times = np.linspace(0.0, 1.0, 11)
    exact = solve_ivp(slope, (0, 1), [*angles, *rates, 0.1, -0.2], "DOP853", times, rtol=1e-12, atol=1e-13).y
    run = da.simulate(disk(angles, rates), until=1.0, output=0.1, rtol=1e-12, atol=1e-13)
    assert run.status == "ok", run.audit
    place = np.column_stack([exact[6], exact[7], RADIUS * np.cos(exact[0])])
    assert run["disk"].position == pytest.approx(place, abs=1e-8)
    assert run["floor"].tilt == pytest.approx(np.sin(exact[0]), abs=1e-8)
