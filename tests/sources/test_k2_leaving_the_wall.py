"""K2, the bar that leaves the wall: wall and floor are rigid stops, not joints, and the bar is let go where the wall would have to pull.

Until then R_wall = 3/4 m g cos th (3 s - 2 s0), with s = sin th from the floor; it vanishes where the upper end has fallen to 2/3 of its starting height.
Afterwards the centre keeps its velocity along x, and with the energy, x' constant and y = L/2 sin th

    th'^2 (L^2/12 + L^2/4 cos^2 th) = 2 (E/m - g L/2 sin th) - x'^2

Both kinds of models.  Tolerance: rtol 1e-11 over a second.
"""

import math

import numpy as np
import pytest
from test_k2_sliding_bar import START, G, L, M

import dalembert as da

LEAVES = 2.0 / 3.0 * math.sin(START)


def of_bodies():
    m = da.Mechanism("sliding bar", plane=True, gravity=(0, -G))
    s, c = math.sin(START), math.cos(START)
    bar = m.body("bar", da.rod(length=L, mass=M), at=(L * c / 2, L * s / 2), angle=-START)
    m.impact("wall", m.measure("top", point=bar.start, along=(1, 0)))
    m.impact("floor", m.measure("sole", point=bar.end, along=(0, 1)))
    return m, lambda q: -q[..., 2]


def of_coordinates():
    m = da.Lagrangian("x y th", gravity=(0, "-g"), parameters={"m": M, "L": L, "g": G}, name="sliding bar")
    m.body("bar", "m", "m*L**2/12", at=("x", "y"), angle="-th")
    for name, value in (("th", START), ("x", L / 2 * math.cos(START)), ("y", L / 2 * math.sin(START))):
        m.start(name, value)
    m.impact("wall", "x - L/2*cos(th)")
    m.impact("floor", "y - L/2*sin(th)")
    return m, lambda q: q[..., 2]


@pytest.mark.parametrize("make", [of_bodies, of_coordinates])
def test_the_bar_leaves_the_wall(make):
    m, angle = make()
    run = da.simulate(m, until=0.8, rtol=1e-11, atol=1e-12)
    assert run.status == "ok"
    (left,) = run.events
    assert (left.name, left.what) == ("wall", "release")
    assert math.sin(angle(left.state.q)) == pytest.approx(LEAVES, abs=1e-10)
    held, s = run.t < left.t, np.sin(angle(run.q))
    expected = 0.75 * M * G * np.cos(angle(run.q)) * (3.0 * s - 2.0 * math.sin(START))
    pushes = run["wall"].force[:, 0] if isinstance(m, da.Mechanism) else -np.asarray(run["wall"])
    assert pushes[held] == pytest.approx(expected[held], abs=1e-6) and np.min(pushes[held]) > 0.0
    assert not np.any(pushes[~held])
    # x' at the instant of leaving, and ever after
    speed = L / 2 * math.sqrt(LEAVES**2 * 3.0 * G / L * (math.sin(START) - LEAVES))
    after = run.t > left.t
    assert run.v[after, 0] == pytest.approx(speed, abs=1e-8)
    inertia = L**2 / 12.0 + L**2 / 4.0 * np.cos(angle(run.q)) ** 2
    energy = G * L * (math.sin(START) - s) - speed**2
    assert (run.v[:, 2] ** 2 * inertia)[after] == pytest.approx(energy[after], abs=1e-7)
