"""Coordinate partitioning: order 8 of its Runge-Kutta method with multipliers, the motion of the other methods, other coordinates where these turn dependent."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.solve.partitioned import chosen

from .test_variational import SLOW, door, four_bar, top

MODELS = {
    "four-bar": four_bar,
    "damped": lambda: four_bar(damping=0.7),
    "driven": lambda: four_bar(driven=True),
    "heavy top": lambda: top(SLOW),
    "redundant": door,
}


@pytest.mark.parametrize("build", MODELS.values(), ids=MODELS)
def test_same_motion(build):
    """Tolerances of 1e-9, a hundred steps: 1e-7 of positions, ten times that of velocities, and of multipliers relative to the largest."""
    times = [0.0, 0.7, 2.0]
    exact = da.simulate(build(), until=2.0, rtol=1e-12, atol=1e-13, output=times)
    run = da.simulate(build(), until=2.0, rtol=1e-9, atol=1e-11, method="partitioned", output=times)
    assert run.status == "ok" and run.audit.position < 1e-13 and run.audit.velocity < 1e-13
    assert run.q == pytest.approx(exact.q, abs=1e-7)
    assert run.v == pytest.approx(exact.v, abs=1e-6)
    assert run.basic_lam == pytest.approx(exact.basic_lam, abs=1e-6 * np.max(np.abs(exact.basic_lam)))


@pytest.mark.parametrize("build", [four_bar, lambda: top(SLOW)], ids=["four-bar", "heavy top"])
def test_order(build):
    """Steps of one length, by a tolerance that never limits them: half of it, and errors are 2^8 times smaller (between 7 and 9.5, as the coordinates have it)."""
    exact = da.simulate(build(), until=0.8, rtol=1e-13, atol=1e-14, output=[0.0, 0.8])
    errors = []
    for step in (0.1, 0.05):
        run = da.simulate(
            build(), until=0.8, method="partitioned", rtol=0.5, atol=0.5, max_step=step, output=[0.0, 0.8]
        )
        errors.append([np.max(np.abs(getattr(run, x)[-1] - getattr(exact, x)[-1])) for x in ("q", "v", "basic_lam")])
    for coarse, fine in zip(*errors):
        assert 7.0 < math.log2(coarse / fine) < 9.5


def test_other_coordinates_on_the_way():
    """The crank of this four-bar turns back where rocker and coupler are in line: it cannot be the independent coordinate there."""
    run = da.simulate(four_bar(), until=2.0, method="partitioned", output=[0.0, 2.0])
    taken = [one.why.partition(": ")[2] for one in run.methods[1:]]
    assert taken[:2] == ["crank.angle'", "rocker.angle'"] and len(taken) >= 3
    assert "independent coordinates" in str(run.audit)


def test_lagrangian():
    """A pendulum in Cartesian coordinates, swung through all quadrants: x and y take turns; the period by the complete elliptic integral, K(1/2)."""
    m = da.Lagrangian("x, y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="y")
    m.constraint("rod", "x**2 + y**2 - 1")
    m.start("x", 1.0)
    m.start("y", 0.0)
    period = 4.0 * 1.8540746773013719
    run = da.simulate(m, until=period, method="partitioned", rtol=1e-10, atol=1e-12, output=[0.0, period])
    assert run.q[-1] == pytest.approx([1.0, 0.0], abs=1e-6)
    assert len({one.why.partition(": ")[2] for one in run.methods[1:]}) == 2


def test_choice_by_complete_pivoting():
    """The largest entry first: for two rows, columns 2 (9) and then 0 (what is left of 1 - 3 * 2/9 is less than 5 - 0)."""
    assert list(chosen(np.array([[5.0, 1.0, 0.0], [0.0, 3.0, 9.0]]))) == [0, 2]


def test_what_is_refused():
    m = da.Mechanism("wheel", plane=False, gravity=(0, 0, -9.81))
    m.body("disk", mass=1.0, inertia=(1.0, 1.0, 2.0), at=(0, 0, 0.5))
    m.state("z", "1 - z")
    with pytest.raises(da.MethodError, match="auxiliary states"):
        da.simulate(m, until=1.0, method="partitioned")
