"""Bars of a page: when stops and friction are open, closed, stick and slip."""

import pytest

import dalembert as da
from dalembert.viewer.page import page, page_data

G = 9.81


def spans(run):
    return {bar["name"]: bar["spans"] for bar in page_data(run)["phases"]}


def crate():
    """Thrown flat from 0.1 m above the floor: it falls, lands without rebound, slips and sticks."""
    m = da.Mechanism("crate", plane=True, gravity=(0, -G))
    body = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.2), velocity=(1.0, 0))
    m.contact("floor", m.ground, body, mu=0.3)
    return m


def test_a_crate_falls_slips_and_sticks():
    run = da.simulate(crate(), until=1.0)
    found = spans(run)
    assert set(found) == {"floor.bottom_left", "floor.bottom_right"}  # its upper corners never touch
    lands = (2 * 0.1 / G) ** 0.5
    # the blow takes mu times the impulse m sqrt(2 g h) of the fall, sliding the rest of 1 m/s off
    stops = lands + (1.0 - 0.3 * (2 * G * 0.1) ** 0.5) / (0.3 * G)
    for one in found.values():
        assert [what for *_, what in one] == ["open", "slip", "stick"]
        assert [x for t0, t1, _ in one for x in (t0, t1)] == pytest.approx([0, lands, lands, stops, stops, 1.0])


def test_a_stop_without_friction_is_closed_and_joints_stick():
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, 0.1))
    m.impact("floor", "ball.y")
    m.event("go", "t", level=0.5, release="floor")
    (one,) = spans(da.simulate(m, until=0.6)).values()
    assert [(what, round(t1, 9)) for _, t1, what in one] == [("open", round((0.2 / G) ** 0.5, 9)), ("closed", 0.5)]

    m = da.Mechanism("block", plane=True, gravity=(0, -G))
    m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=0.01), along=(1, 0))
    m.friction("rub", "guide", mu=0.5)
    m.start(m["guide"].slide, 0.0, rate=2.0)
    (one,) = spans(da.simulate(m, until=1.0)).values()
    assert [what for *_, what in one] == ["slip", "stick"] and one[0][1] == pytest.approx(2 / (0.5 * G))


def test_stops_of_lagrangian_systems():
    m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="9.81*y", name="ball")
    m.start("y", 0.1)
    m.impact("floor", "y")
    (one,) = spans(da.simulate(m, until=0.6)).values()
    assert [what for *_, what in one] == ["open", "closed"] and one[0][1] == pytest.approx((0.2 / G) ** 0.5)


def test_other_pages_have_no_bars():
    m = crate()
    assert page_data(da.reactions(m))["phases"] == []
    m = da.Mechanism("free", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0)
    assert page_data(da.simulate(m, until=0.1))["phases"] == []


def test_bars_in_a_browser(opened):
    tab = opened(page(da.simulate(crate(), until=1.0)))
    bars = tab.locator("#phases div")
    told = tab.locator("#phases p").inner_text()
    assert bars.count() == 2 and told == "floor.bottom_left, floor.bottom_rightopenstickslip"
    stuck = bars.first.locator("i.stick")
    assert stuck.get_attribute("title").startswith("floor.bottom_left: stick, 0.")
    stuck.click()
    k = int(tab.locator("#time").input_value())
    assert 0 < k and tab.locator("#now").inner_text().startswith("t = 0.")
    # as wide as the rest of the run
    left, wide = (float(stuck.evaluate(f"e => e.style.{x}").rstrip("%")) for x in ("left", "width"))
    assert left + wide == pytest.approx(100.0, abs=1e-3) and 0 < left < 100
