"""K2, sliding: bar against a smooth wall and a smooth floor, released from rest at th0; th from the floor, s = sin th, s0 = sin th0.

    th'' = -3 g cos th/(2 L)      th'^2 = (3 g/L) (s0 - s)
    R_wall = 3/4 m g cos th (3 s - 2 s0),   R_floor = 1/4 m g (1 + 9 s^2 - 6 s s0)

The bar leaves the wall where R_wall = 0: its upper end has fallen to 2/3 of its starting height.  From there both models go on as if the wall
held the end: the closed forms stay true and R_wall is negative.

Both ways: a rod whose ends are held on wall and floor, and a Lagrangian system in x, y, th with two rows, or in th alone.
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from two_ways import TIGHT, agree

import dalembert as da

M, L, G = 12.0, 3.0, 9.81
START = 1.1
# until the bar is nearly flat: th = 0.1 at the end
UNTIL = 0.85


def as_mechanism(theta=START):
    m = da.Mechanism("sliding bar", plane=True, gravity=(0, -G))
    s, c = math.sin(theta), math.cos(theta)
    bar = m.body("bar", da.rod(length=L, mass=M), at=(L * c / 2, L * s / 2), angle=-theta)
    m.measure("top", point=bar.start, along=(1, 0))
    m.measure("sole", point=bar.end, along=(0, 1))
    m.constraint("wall", "top")
    m.constraint("floor", "sole")
    return m


def as_lagrangian(theta=START):
    m = da.Lagrangian(
        "x y th", gravity=(0, "-g"), parameters={"m": M, "L": L, "g": G},
        holonomic={"wall": "x - L/2*cos(th)", "floor": "y - L/2*sin(th)"}, name="sliding bar",
    )  # fmt: skip
    m.body("bar", "m", "m*L**2/12", at=("x", "y"), angle="-th")
    m.start("th", theta)
    return m


def in_one_coordinate(theta=START):
    m = da.Lagrangian(
        "th",
        kinetic="m*L**2*rate(th)**2/6",
        potential="m*g*L/2*sin(th)",
        parameters={"m": M, "L": L, "g": G},
        name="angle",
    )
    m.start("th", theta)
    return m


def reactions(theta):
    """R_wall and R_floor of the closed forms."""
    s, s0 = np.sin(theta), math.sin(START)
    return 0.75 * M * G * np.cos(theta) * (3 * s - 2 * s0), 0.25 * M * G * (1 + 9 * s**2 - 6 * s * s0)


def test_motion_and_reactions():
    one, two, three = (
        da.simulate(m(), until=UNTIL, output=0.01, **TIGHT) for m in (as_mechanism, as_lagrangian, in_one_coordinate)
    )
    theta = -np.asarray(one["bar"].angle)
    assert 0.05 < theta[-1] < 0.15
    for run in (two, three):
        assert agree(run["th"], theta)
        assert agree(run.rate("th"), -np.asarray(one["bar"].spin))
        assert agree(run.acceleration("th"), -1.5 * G / L * np.cos(theta))
    assert agree(np.column_stack([two["x"], two["y"]]), one["bar"].position)
    assert agree(np.asarray(two.rate("th")) ** 2, 3 * G / L * (math.sin(START) - np.sin(theta)))
    wall, floor = reactions(theta)
    assert agree(-two["wall"], np.asarray(one["wall"].on("bar").force)[:, 0])
    assert agree(-two["floor"], np.asarray(one["floor"].on("bar").force)[:, 1])
    assert agree(-two["wall"], wall)
    assert agree(-two["floor"], floor)


def test_leaves_the_wall():
    """At 2/3 of its starting height, after t = integral of dth/sqrt(3 g/L (s0 - s)) (th = th0 - u^2 takes the root out of the start)."""
    one, two = (da.simulate(m(), until=UNTIL, **TIGHT) for m in (as_mechanism, as_lagrangian))
    at = float(one.crossings(one["wall"].on("bar").force[:, 0], 0.0)[0])
    assert float(two.crossings("wall")[0]) == pytest.approx(at, abs=1e-10)
    leaving = math.asin(2 / 3 * math.sin(START))

    def slowness(u):
        if u == 0.0:
            return 2 / math.sqrt(3 * G / L * math.cos(START))
        return 2 * u / math.sqrt(3 * G / L * (math.sin(START) - math.sin(START - u * u)))

    assert at == pytest.approx(quad(slowness, 0, math.sqrt(START - leaving), epsabs=1e-13)[0], abs=1e-10)
    for run, angle in ((one, -float(one.at(at).q[2])), (two, float(two.at(at).q[2]))):
        assert L * math.sin(angle) == pytest.approx(2 / 3 * L * math.sin(START), rel=1e-10), run
    # the speed there, from the energy: th'^2 = g s0/L
    assert two.at(at).v[2] == pytest.approx(-math.sqrt(G * math.sin(START) / L), rel=1e-10)
