"""C07: a knife edge on an incline (A. M. Bloch 2015, section 1.6): it slides to and fro on a strip and does not go down on average.

x points down the slope, W the spin:  x = g sin a / (2 W^2) sin^2 Wt,  y = g sin a / (2 W^2) (Wt - sin(2Wt)/2),  side force 2 m g sin a |sin Wt|.

Tolerances: closed forms, local error 1e-12 over 6 s: 1e-9.
"""

import numpy as np
import pytest

import dalembert as da

MASS, INERTIA, GRAVITY, SLOPE, SPIN = 1.25, 0.13, 9.81, np.pi / 4, np.pi / 3
DOWN = GRAVITY * np.sin(SLOPE)
STATES = {
    1: (2.3720729514778, 1.9425216909898, 15.018433985439),
    3: (0.0, 9.9361159441889, 0.0),
    6: (0.0, 19.8722318883777, 0.0),
}


def in_the_plane():
    m = da.Mechanism("edge", plane=True, gravity=(DOWN, 0))
    body = m.body("edge", mass=MASS, inertia=INERTIA, velocity=(0, 0), spin=SPIN)
    m.knife_edge("blade", m.ground, body, at=(0, 0), along=(1, 0))
    return m


def in_space():
    """On the slope itself: x down the slope, normal across it."""
    m = da.Mechanism("edge in space", plane=False, gravity=(0, 0, -GRAVITY))
    c, s = np.cos(SLOPE), np.sin(SLOPE)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    tensor = (0.1, 0.09, INERTIA)
    body = m.body("edge", mass=MASS, inertia=tensor, rotation=turn, velocity=(0, 0, 0), spin=tuple(SPIN * turn[:, 2]))
    m.planar("slope", m.ground, body, at=(0, 0, 0), axis=tuple(turn[:, 2]))
    m.knife_edge("blade", m.ground, body, at=(0, 0, 0), along=tuple(turn[:, 0]), normal=tuple(turn[:, 2]))
    return m, turn


def closed_form(t):
    x = DOWN / (2 * SPIN**2) * np.sin(SPIN * t) ** 2
    y = DOWN / (2 * SPIN**2) * (SPIN * t - 0.5 * np.sin(2 * SPIN * t))
    return np.column_stack([x, y])


def test_reference_values():
    for t, (x, y, force) in STATES.items():
        assert closed_form(np.array([t]))[0] == pytest.approx([x, y], abs=1e-12)
        assert 2 * MASS * DOWN * abs(np.sin(SPIN * t)) == pytest.approx(force, abs=1e-11)


def test_in_the_plane():
    run = da.simulate(in_the_plane(), until=6.0, output=0.25, rtol=1e-12, atol=1e-13)
    assert run.status == "ok", run.audit
    assert run["edge"].position == pytest.approx(closed_form(run.t), abs=1e-9)
    force = np.linalg.norm(run["blade"].force, axis=1)
    assert force == pytest.approx(2 * MASS * DOWN * np.abs(np.sin(SPIN * run.t)), abs=1e-9)


def test_on_a_slope_in_space():
    m, turn = in_space()
    run = da.simulate(m, until=6.0, output=0.25, rtol=1e-12, atol=1e-13)
    assert run["edge"].position @ turn[:, :2] == pytest.approx(closed_form(run.t), abs=1e-9)
    assert run["edge"].position @ turn[:, 2] == pytest.approx(0.0 * run.t, abs=1e-12)
    force = np.linalg.norm(run["blade"].force, axis=1)
    assert force == pytest.approx(2 * MASS * DOWN * np.abs(np.sin(SPIN * run.t)), abs=1e-9)
    # the slope carries the rest of the weight
    assert run["slope"].force @ turn[:, 2] == pytest.approx(np.full(25, MASS * GRAVITY * np.cos(SLOPE)), abs=1e-9)
