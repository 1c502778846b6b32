"""Cones of friction and forces of contacts on a page."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.viewer.page import page, page_data

from .machines import unpacked

G = 9.81


def crate(mu=0.3, own=False):
    """Slides on a slope of 0.2 rad (x is up the slope) until it sticks."""
    m = da.Mechanism("crate", plane=True, gravity=(-G * math.sin(0.2), -G * math.cos(0.2)))
    body = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1), velocity=(1.0, 0))
    m.contact("floor", m.ground, body, **({} if own else {"mu": mu, "static": 0.4}))
    if own:
        m.friction("rub", "floor", mu=mu, static=0.4)
    return m


def columns(data, k):
    return np.stack([unpacked(x) for x in data["quantities"][k]["values"]], axis=1)


@pytest.mark.parametrize("own", [False, True])
def test_the_force_is_on_the_side_of_its_cone_then_inside(own):
    run = da.simulate(crate(own=own), until=1.0)
    data = page_data(run)
    (cone,) = data["scene"]["cones"]
    assert cone["half"] == pytest.approx(math.atan(0.4)) and cone["normal"] == [-1, [0.0, 1.0]]
    force = sum(columns(data, k) for k in cone["forces"])
    angle = np.arctan2(-force[:, 0], force[:, 1])
    stops = run.events[0].t
    assert angle[run.t < stops] == pytest.approx(math.atan(0.3), abs=1e-6)
    assert angle[run.t > stops] == pytest.approx(-0.2, abs=1e-6)  # against the weight alone
    # the weight and the inertia m a along the slope go through the mass centre, and so does the force
    at = columns(data, cone["at"])
    assert at[:, 1] == pytest.approx(0.0, abs=1e-9)
    centre = np.asarray(run["crate"].position)[:, :2]
    assert (at[:, 0] - centre[:, 0]) * force[:, 1] == pytest.approx((at[:, 1] - centre[:, 1]) * force[:, 0], abs=1e-5)


def test_a_ball_presses_below_its_centre_while_it_touches():
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0.5, 0.2), velocity=(1.0, 0))
    m.contact("floor", m.ground, ball)
    run = da.simulate(m, until=0.5)
    data = page_data(run)
    (cone,) = data["scene"]["cones"]
    at, touches = columns(data, cone["at"]), run.t > (0.2 / G) ** 0.5
    assert cone["half"] == 0.0 and np.isnan(at[~touches]).all()
    assert at[touches] == pytest.approx(np.column_stack([0.5 + run.t[touches], 0 * run.t[touches]]), abs=1e-6)
    assert data["quantities"][cone["at"]]["hidden"]


def test_contacts_without_a_plane_have_none():
    m = da.Mechanism("balls", plane=True)
    one, two = (m.body(name, da.disk(0.1, mass=1.0), at=(x, 0)) for name, x in (("one", 0), ("two", 0.3)))
    m.contact("knock", one, two, mu=0.1)
    assert "cones" not in page_data(da.simulate(m, until=0.1))["scene"]


RED = """() => { const c = document.getElementById('drawing'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i + 3] > 20 && d[i] > d[i + 1] + 20 && d[i] > d[i + 2] + 20; return n; }"""


def test_reactions_show_force_and_cone(opened):
    smooth = crate(own=True)
    smooth.open("rub")
    found = []
    for m in (smooth, crate()):
        tab = opened(page(da.simulate(m, until=0.1)))
        assert tab.evaluate(RED) == 0
        tab.locator("#forces").check()
        found.append(tab.evaluate(RED))
    # the cone is there besides the arrow, though its paper is light
    assert 100 < found[0] < 0.8 * found[1]


def test_reactions_of_a_ball_in_space(opened):
    m = da.Mechanism("ball", plane=False, gravity=(0, 0, -G))
    ball = m.body("ball", da.sphere(0.1, mass=1.0), at=(0, 0, 0.1), velocity=(1.0, 0, 0))
    m.contact("floor", m.ground, ball, mu=0.1)
    tab = opened(page(da.simulate(m, until=0.2)))
    tab.locator("#forces").check()
    # `opened` reports what goes wrong
    assert tab.locator("#forces").is_checked() and tab.locator("#phases div").count() == 1
