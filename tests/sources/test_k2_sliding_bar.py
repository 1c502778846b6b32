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
import sympy as sp
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


def test_angular_momentum_about_the_instant_centre():
    """M_I = -m L^2 th'/3 about I = (L cos th, L sin th), where the normals of wall and floor meet: no reaction has a moment there.

    M_G = -m L^2 th'/12 and IG x m v_G = -m L^2 th'/4 (PRINCIPLES).  With v_I in the plane dM_I/dt = m v_G x v_I + m_I.
    """
    one, two = (da.simulate(m(), until=0.6, output=0.05, **TIGHT) for m in (as_mechanism, as_lagrangian))
    inertia = da.rod(length=L, mass=M).mass_properties().polar
    assert inertia == pytest.approx(M * L**2 / 12, rel=1e-14)
    theta, rate, turn = (np.asarray(x) for x in (two["th"], two.rate("th"), two.acceleration("th")))
    centre = L * np.column_stack([np.cos(theta), np.sin(theta)])
    mechanism = (np.asarray(one["bar"].position), np.asarray(one["bar"].velocity), np.asarray(one["bar"].spin))
    system = (np.column_stack([two["x"], two["y"]]), np.column_stack([two.rate("x"), two.rate("y")]), -rate)
    for position, velocity, spin in (mechanism, system):
        arm = position - centre
        orbit = M * (arm[:, 0] * velocity[:, 1] - arm[:, 1] * velocity[:, 0])
        assert agree(inertia * spin, -M * L**2 * rate / 12) and agree(orbit, -M * L**2 * rate / 4)
        assert agree(inertia * spin + orbit, -M * L**2 * rate / 3)
    # the partial velocities say the same: p_th = m dv/dth'.v + J w dw/dth' is -M_I in the one coordinate that is left
    form = da.equations(as_lagrangian(), form="lagrange")
    (p,) = form.derivation.momenta
    assert p.equals(sp.Symbol("m", real=True) * sp.Symbol("L", real=True) ** 2 / 3 * form.symbols["th'"])
    # at one instant: the moments of the free-body sheet about I are those of the weight alone, and give dM_I/dt
    m, k = as_mechanism(), 8
    sheet = da.free_body(m, "bar", one.at(one.t[k]), about=tuple(centre[k]))
    assert abs(sheet["wall"].moment) < 1e-9 and abs(sheet["floor"].moment) < 1e-9
    assert float(sheet["weight"].moment) == pytest.approx(M * G * L / 2 * np.cos(theta[k]), rel=1e-10)
    moving = L * rate[k] * np.array([-np.sin(theta[k]), np.cos(theta[k])])
    v = mechanism[1][k]
    extra = M * (v[0] * moving[1] - v[1] * moving[0])
    assert extra + float(sheet["weight"].moment) == pytest.approx(-M * L**2 / 3 * turn[k], rel=1e-10)
