"""Errors count by what they move: a thin axle does not dictate the steps of the machine it belongs to.

The spin of a thin rod about itself is rounding over a tiny inertia; weighed in radians it took 1547 steps where 23 are enough.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.solve.stepping.explicit import as_turn


def thin_rod(radius: float) -> da.Mechanism:
    """A rod of 1 m on a ball joint at its end, horizontal, turning about the vertical."""
    m = da.Mechanism("thin rod", plane=False, gravity=(0, 0, -9.81))
    rod = m.body("rod", da.rod(length=1.0, mass=1.0, radius=radius), at=(0.5, 0, 0), spin=(0, 0, 3))
    m.spherical("A", m.ground, rod, at=(0, 0, 0))
    return m


def spherical_pendulum(t: float) -> np.ndarray:
    """Direction e of the same rod without thickness: e'' = 3/2 g/l (down - (down . e) e) - |e'|^2 e."""
    down = np.array([0.0, 0.0, -1.0])

    def rate(_, y):
        e, w = y[:3], y[3:]
        return np.concatenate([w, 1.5 * 9.81 * (down - (down @ e) * e) - (w @ w) * e])

    return solve_ivp(rate, (0.0, t), [1, 0, 0, 0, 3, 0], method="DOP853", rtol=1e-12, atol=1e-13).y[:3, -1]


@pytest.mark.parametrize("radius", [1e-4, 1e-5])
def test_a_thin_rod_takes_the_steps_of_a_thick_one(radius):
    thick, thin = (da.simulate(thin_rod(r), until=1.0) for r in (0.02, radius))
    assert thin.status == "ok"
    assert thin.audit.steps <= 2 * thick.audit.steps
    # and goes the right way, to the tolerance asked for; the square of its radius is left
    assert np.max(np.abs(2.0 * thin["rod"].position[-1] - spherical_pendulum(1.0))) < 1e-7


def test_arms():
    """Radius of gyration about each axis, or the joint points, whichever is farther."""
    from dalembert.system.system import compile as compile_model

    arms = compile_model(thin_rod(1e-3)).arms[0]
    assert arms == pytest.approx([1e-3 / np.sqrt(2.0), 0.5, 0.5], rel=1e-6)
    m = da.Mechanism("disk", plane=True)
    disk = m.body("disk", da.disk(radius=0.2, mass=1.0), at=(0, 0))
    m.revolute("A", m.ground, disk, at=(0, 0))
    assert compile_model(m).arms[0] == pytest.approx([0.2 / np.sqrt(2.0)])


def test_the_error_of_a_quaternion_is_a_turn():
    """A quaternion p * (1, d/2) differs from p by half the turn d about the body axes."""
    rng = np.random.default_rng(0)
    turn = getattr(as_turn, "py_func", as_turn)
    for _ in range(5):
        p, d = rng.normal(size=4), 1e-3 * rng.normal(size=3)
        p /= np.linalg.norm(p)
        p0, v = p[0], p[1:]
        e = np.concatenate([[-v @ d], p0 * d + np.cross(v, d)])
        turn(p, e, 0)
        assert e == pytest.approx([0.0, *d], abs=1e-16)
        e = 0.5 * p
        turn(p, e, 0)
        assert e == pytest.approx([0.5, 0.0, 0.0, 0.0], abs=1e-15)
