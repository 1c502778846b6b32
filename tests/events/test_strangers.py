"""Blows on what sticks, motions that are thrown back at a level, and actions that fail."""

import math

import pytest

import dalembert as da

G = 9.81


def block(**friction):
    m = da.Mechanism("block", plane=True, gravity=(0, -G))
    body = m.body("block", mass=1.0, inertia=0.01)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    if friction:
        m.friction("rub", "guide", **friction)
    return m


def test_a_blow_along_its_way_tears_off_what_sticks():
    """Nothing presses by an impulse, so that friction holds none of it: 2 m/s, then mu g."""
    m = block(mu=0.3)
    m.event("hit", "t", level=0.5, strike={"block": (2.0, 0)})
    run = da.simulate(m, until=2.0)
    assert run.events[0].after.v[0] == pytest.approx(2.0)
    assert run["guide"].slide[-1] == pytest.approx(2.0**2 / (2 * 0.3 * G), abs=1e-9)
    assert run.status == "ok"


@pytest.mark.parametrize(("along", "holds"), [(0.29, True), (0.31, False)])
def test_a_blow_into_the_guide_holds_up_to_its_cone(along, holds):
    m = block(mu=0.3)
    m.event("hit", "t", level=0.1, strike={"block": (2.0 * along, -2.0)})
    run = da.simulate(m, until=0.2)
    assert (run["guide"].slide[-1] == 0.0) == holds
    assert run.status == "ok"


def test_an_impact_tears_off_what_sticks():
    """A ball falls on the end of a balanced lever that sticks in its pin: it holds 6 mm of the 500 mm at which the impulse acts."""
    m = da.Mechanism("lever", plane=True, gravity=(0, -G))
    lever = m.body("lever", da.rod(length=1.0, mass=0.3), at=(0, 0))
    ball = m.body("ball", mass=1.0, inertia=0.1, at=(0.5, 0.5))
    m.revolute("A", m.ground, lever, at=(0, 0))
    m.prismatic("fall", m.ground, ball, along=(0, 1))
    m.friction("rub", "A", mu=6.0, radius=0.001)
    m.measure("tip", point=lever.end, along=(0, 1))
    m.impact("touch", "fall.slide + 0.5 - tip")
    run = da.simulate(m, until=0.33)
    hit = run.events.of("impact")[0]
    assert hit.t == pytest.approx(math.sqrt(2 * 0.5 / G), abs=1e-9)
    # plastic, about the pin: I w = (0.5 - 0.006) p, p = m (v - 0.5 w); the pin takes p, and rubs with 0.006 p
    w = 0.494 * math.sqrt(2 * G * 0.5) / (0.3 / 12 + 0.5 * 0.494)
    assert hit.after.v[4] == pytest.approx(-0.5 * w, rel=1e-9)
    assert hit.impulse["rub"] == pytest.approx(0.006 * hit.impulse["touch"], rel=1e-9)
    assert run.status == "ok"


def test_what_is_thrown_back_at_a_level_has_not_crossed_it_again():
    m = block()
    m.start("guide.slide", 0.0, rate=1.0)
    m.event("paddle", "guide.slide", level=0.5, strike={"block": (-2.0, 0)})
    m.event("passed", "guide.slide", level=0.5, direction="down")
    run = da.simulate(m, until=1.0)
    assert [(x.name, x.t) for x in run.events] == [("paddle", pytest.approx(0.5))]
    assert run["guide"].slide[-1] == pytest.approx(0.0, abs=1e-12)


def test_what_is_thrown_on_crosses_it_when_it_comes_back():
    m = block()
    m.start("guide.slide", 0.0, rate=1.0)
    m.event("kick", "guide.slide", level=0.5, strike={"block": (1.0, 0)}, once=True)
    m.event("back", "t", level=0.75, strike={"block": (-4.0, 0)})
    m.event("seen", "guide.slide", level=0.5, direction="down")
    run = da.simulate(m, until=1.5)
    assert [(x.name, x.t) for x in run.events] == [("kick", pytest.approx(0.5)), ("back", pytest.approx(0.75)), ("seen", pytest.approx(1.0))]  # fmt: skip


def test_an_action_that_raises_is_told_with_its_event():
    m = block()
    m.event("x", "t", level=0.5, action=lambda now: 1 / 0)
    with pytest.raises(da.ModelError, match="(?s)event 'x' at t = 0.5.*ZeroDivisionError") as told:
        da.simulate(m, until=1.0)
    assert told.value.result.t[-1] <= 0.5


@pytest.mark.parametrize(
    "ask", [lambda m: da.simulate(m, until=0.1), lambda m: da.Stepper(m, step=0.1), da.equilibrium]
)
def test_a_gap_of_coordinates_with_an_unknown_name_is_told(ask):
    m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="9.81*y", name="ball")
    m.impact("floor", "y - height")
    with pytest.raises(da.ExpressionError, match=r"gap of 'floor'(.|\n)*the name 'height'"):
        ask(m)
    m.parameter("height", -1.0)
    ask(m)


@pytest.mark.parametrize(
    ("what", "level", "told"),
    [
        ("guide.slide", "1 kg", r"guide\.slide is a length \(m\), 1 kg is a mass"),
        ("guide.slide", "limit", r"limit is a force"),
        ("rate(guide.slide)", "3 m", r"rate\(guide\.slide\) is a velocity"),
        ("t", "3 m", r"t is a time"),
        ("guide.slide - 3 kg", 0.0, r"3 kg is a mass"),
    ],
)
def test_levels_are_judged_by_their_units(what, level, told):
    m = da.Mechanism("block", plane=True)
    m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=0.01), along=(1, 0))
    m.parameter("limit", 5.0, "N")
    m.parameter("any", 5.0)
    with pytest.raises(da.ModelError, match=f"event 'e'(.|\n)*{told}(.|\n)*unit of what is watched"):
        m.event("e", what, level=level)
    assert "e" not in m.events
    # what fits, and what has no unit
    for k, (fine, at) in enumerate([("guide.slide", "30 mm"), ("rate(guide.slide)", "3 km/h"), ("t", "3 ms"), ("guide.slide", "any"), ("t", 3)]):  # fmt: skip
        m.event(f"fine {k}", fine, level=at)


def test_levels_of_coordinates_have_no_unit_but_time_has():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2")
    m.event("place", "x", level="3 mm")
    with pytest.raises(da.ModelError, match="t is a time"):
        m.event("late", "t", level="3 mm")
