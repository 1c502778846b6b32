"""Events in a Stepper: closed forms, `simulate` as the step shrinks, states to the last bit, what is set from outside, and refusals."""

import math

import numpy as np
import pytest

import dalembert as da
from tests.work import growth

G = 9.81


def ball(**event):
    """Thrown upward with 5 m/s: polynomials of degree 2, which every step follows exactly."""
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, 1.0), velocity=(2.0, 5.0))
    m.event("level", "ball.y", level=2.0, **event)
    return m


UP, DOWN = (5.0 - math.sqrt(25.0 - 2 * G)) / G, (5.0 + math.sqrt(25.0 - 2 * G)) / G


def block(**law):
    m = da.Mechanism("block", plane=True)
    body = m.body("block", mass=1.0, inertia=0.01)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.actuator("push", "guide", **({"force": 0.0} | law))
    return m


def pendulum():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    return m


def motor():
    m = da.Mechanism("motor", plane=True)
    m.revolute("A", m.ground, m.body("wheel", mass=2.0, inertia=0.5), at=(0, 0))
    m.drive("motor", "A.angle", "2*t")
    return m


def events(live, until):
    """Everything that happens until a time, or until it stops."""
    found = []
    while live.t < until - 1e-9 and not live.stopped:
        live.step()
        found += live.events
    return found


@pytest.mark.parametrize("h", [0.3, 0.05, 0.001])
@pytest.mark.parametrize(("direction", "times"), [("both", [UP, DOWN]), ("up", [UP]), ("down", [DOWN])])
def test_crossings_are_recorded(h, direction, times):
    found = events(da.Stepper(ball(direction=direction), step=h), 0.9)
    assert [x.t for x in found] == pytest.approx(times, abs=1e-13)
    assert {x.text for x in found} == {"recorded"}
    assert [x.state.q[1] for x in found] == pytest.approx([2.0] * len(times), abs=1e-13)


def test_two_crossings_within_one_step():
    live = da.Stepper(ball(), step=1.0)
    live.step()
    assert live.events.times == pytest.approx([UP, DOWN], abs=1e-13)
    assert live.t == 1.0


def test_it_stops_and_goes_on_when_told():
    live = da.Stepper(ball(stop=True), step=0.25)
    live.step(10)
    assert live.stopped == "level"
    assert live.t == pytest.approx(UP, abs=1e-13)
    assert live.get("ball.y") == pytest.approx(2.0, abs=1e-13)  # it may be read
    with pytest.raises(da.MethodError, match=r"(?s)'level' stopped the motion at t = 0\.273.*resume"):
        live.step()
    live.resume()
    assert live.stopped == ""
    live.step()
    # the step that was begun ends where it would have
    assert live.t == 0.5
    assert live.get("ball.y") == pytest.approx(1.0 + 5.0 * 0.5 - G / 8, abs=1e-13)
    live.step(10)
    assert live.t == pytest.approx(DOWN, abs=1e-13)
    assert live.stopped == "level"


def test_a_state_goes_on_to_the_last_bit_from_inside_a_step():
    live, other = (da.Stepper(ball(stop=True), step=0.25) for _ in range(2))
    live.step(10)
    kept = live.state
    live.resume()
    live.step(3)
    other.state = kept
    assert other.stopped == "level"
    with pytest.raises(da.MethodError, match="stopped"):
        other.step()
    other.resume()
    other.step(3)
    assert other.t == live.t
    assert np.array_equal(other.state.q, live.state.q)
    assert np.array_equal(other.state.v, live.state.v)
    other.state = da.State(0.0, [0.0, 1.0, 0.0], [2.0, 5.0, 0.0])  # a start: nothing has stopped it
    assert other.stopped == ""
    other.step()


def test_a_pendulum_whose_pin_is_cut_flies_on():
    """Cut as it hangs down, it goes on with w^2 = 3 g/l about its centre, which is on a parabola from (0, -l/2)."""
    m = pendulum()
    m.event("cut", "A.angle", level="-pi/2", direction="down", release="A")
    live = da.Stepper(m, step=1e-3)
    (cut,) = events(live, 0.8)
    assert cut.text == "A released"
    there, w, t = da.simulate(m, until=0.8, rtol=1e-12, atol=1e-13), -math.sqrt(3 * G), live.t - cut.t
    assert cut.t == pytest.approx(there.events[0].t, abs=1e-11)
    assert cut.state.v == pytest.approx([0.5 * w, 0.0, w], abs=1e-10)
    assert live.state.q[:2] == pytest.approx([0.5 * w * t, -0.5 - 0.5 * G * t * t], abs=1e-10)
    assert live.get("rate(A.angle)") == pytest.approx(w, abs=1e-10)
    assert live.get("A.force") == pytest.approx((0.0, 0.0), abs=0.0)


def test_order_through_actions():
    """Steps are cut at the instants, so that the order is that of the method: a spring gets stiffer as it passes its middle, and softer again."""
    m = block()
    m.parameter("k", 40.0)
    m.spring("coil", "guide.slide", stiffness="k")
    m.start("guide.slide", 0.1, rate=0.0)
    m.event("in", "guide.slide", direction="down", set={"k": 90.0})
    m.event("out", "guide.slide", direction="up", set={"k": 40.0})
    # a quarter of a period with k = 40, half of one with 90, and on with 40 and the amplitude of the start
    soft, stiff, until = math.sqrt(40.0), math.sqrt(90.0), 0.8
    phase = soft * (until - math.pi / stiff)
    off = {}
    for h in (0.02, 0.01):
        live = da.Stepper(m, step=h)
        assert [x.text for x in events(live, until)] == ["k = 90", "k = 40"]
        off[h] = abs(live.get("guide.slide") + 0.1 * math.cos(phase))
        assert live.get("k") == 40.0
    assert off[0.02] < 1e-5
    assert off[0.02] / off[0.01] > 10.0


def test_a_dimension_is_read_with_its_new_value():
    m = pendulum()
    m.parameter("reach", 1.0, "m")
    m.measure("tip", point=m["bar"].point("reach", 0), along=(1, 0))
    m.event("longer", "t", level=0.105, set={"reach": 2.0})
    live = da.Stepper(m, step=0.01)
    values = []
    for _ in range(2):
        live.step(10)
        values.append(live.get("tip") - live.state.q[0])
    angle = live.get("A.angle")
    assert values[1] == pytest.approx(2.0 * math.cos(angle), abs=1e-12)
    assert live.get("reach") == 2.0


def test_a_clutch_closes():
    m = da.Mechanism("clutch", plane=True)
    one = m.body("one", mass=1.0, inertia=2.0, spin=3.0)
    two = m.body("two", mass=1.0, inertia=1.0, at=(1, 0))
    m.revolute("A", m.ground, one, at=(0, 0))
    m.revolute("B", m.ground, two, at=(1, 0))
    m.pfaffian("clutch", "rate(A.angle) - rate(B.angle)")
    m.open("clutch")
    m.event("engage", "t", level=1.0, add="clutch")
    live = da.Stepper(m, step=0.3)
    (engage,) = events(live, 1.5)
    assert (live.get("rate(A.angle)"), live.get("rate(B.angle)")) == pytest.approx((2.0, 2.0), abs=1e-12)
    assert engage.energy_lost == pytest.approx(3.0, abs=1e-12)
    assert live.get("A.angle") == pytest.approx(3.0 + 2.0 * 0.5, abs=1e-12)


def test_a_blow_and_a_lock():
    m = block()
    m.start("guide.slide", 0.0, rate=1.0)
    m.event("hit", "guide.slide", level=0.25, strike={"block": (2.0, 0.0)})
    m.event("held", "guide.slide", level=1.0, lock="guide")
    live = da.Stepper(m, step=0.1)
    found = events(live, 0.6)
    assert [(x.name, x.text) for x in found] == [("hit", "struck"), ("held", "guide.slide locked")]
    assert [x.t for x in found] == pytest.approx([0.25, 0.5], abs=1e-13)
    assert live.get("guide.slide") == pytest.approx(1.0, abs=1e-13)
    assert live.get("rate(guide.slide)") == pytest.approx(0.0, abs=1e-14)


def test_a_blow_beside_a_driver_that_was_handed_over():
    """The driver keeps the speed that it was told, 7 rad/s, and not that of its expression."""
    m = motor()
    m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=0.01, at=(3, 0)), along=(1, 0))
    m.event("hit", "t", level=0.25, strike={"block": (2.0, 0.0)})
    live = da.Stepper(m, step=0.1)
    live.set("motor", 0.0, rate=7.0)
    live.step(5)
    assert live.get("guide.slide") == pytest.approx(2.0 * 0.25, abs=1e-12)
    assert live.get("A.angle") == pytest.approx(3.5, abs=1e-12)


def test_a_law_that_an_event_changes_is_taken_back_from_the_loop():
    """What was set of a load or a driver ends where an event gives it another law; it may be set again."""
    m = block()
    m.event("law", "t", level=0.5, change={"push": {"force": "3"}})
    live = da.Stepper(m, step=0.1)
    live.set("push", 8.0)
    start = live.state
    live.step(10)
    assert live.get("rate(guide.slide)") == pytest.approx(8.0 * 0.5 + 3.0 * 0.5, abs=1e-12)
    live.set("push", 1.0)
    live.step(10)
    assert live.get("rate(guide.slide)") == pytest.approx(5.5 + 1.0, abs=1e-12)
    live.state = start
    live.step(10)
    assert live.get("rate(guide.slide)") == pytest.approx(5.5, abs=1e-12)

    m = motor()
    m.event("law", "t", level=0.5, change={"motor": "s0 + 3*(t - t0)"})
    live = da.Stepper(m, step=0.1)
    live.set("motor", 0.0, rate=7.0)
    live.step(10)
    assert live.get("A.angle") == pytest.approx(3.5 + 1.5, abs=1e-12)
    live.set("motor", live.get("A.angle"), rate=1.0)
    live.step(10)
    assert live.get("A.angle") == pytest.approx(6.0, abs=1e-12)


def test_a_load_that_is_released_has_its_number_when_it_is_added():
    m = block()
    m.event("off", "t", level=0.15, release="push")
    m.event("on", "t", level=0.35, add="push")
    live = da.Stepper(m, step=0.1)
    live.set("push", 8.0)
    live.step(2)
    with pytest.raises(da.MethodError, match="'push' is released"):
        live.set("push", 8.0)
    live.step(3)
    assert live.get("rate(guide.slide)") == pytest.approx(8.0 * (0.15 + 0.15), abs=1e-12)


def test_once_belongs_to_the_state():
    m = motor()
    m.event("turn", "sin(A.angle)", direction="up", once=True)
    live = da.Stepper(m, step=0.1)
    live.step(10)
    before = live.state
    assert [x.name for x in events(live, 9.0)] == ["turn"]
    assert events(live, 12.0) == []
    live.state = before
    (again,) = events(live, 9.0)
    assert again.t == pytest.approx(math.pi, abs=1e-12)


def test_what_is_set_crosses_at_the_beginning_of_the_next_step():
    m = block()
    m.input("u", unit="N")
    m.actuator("pull", "guide", force="u")
    m.parameter("limit", 5.0)
    m.event("high", "u", level="limit", direction="up")
    m.event("low", "u", level="limit", direction="down")
    live = da.Stepper(m, step=0.1)

    def told(name, value):
        live.set(name, value)
        live.step(2)
        return [(x.name, x.t) for x in live.events]

    assert told("u", 4.0) == []
    assert told("u", 6.0) == [("high", pytest.approx(0.2))]
    assert told("u", 7.0) == []
    assert told("limit", 8.0) == [("low", pytest.approx(0.6))]
    assert told("u", 1.0) == []
    assert told("limit", 0.5) == [("high", pytest.approx(1.0))]
    state = live.state
    assert told("u", 0.0) == [("low", pytest.approx(1.2))]
    live.state = state
    assert told("u", 0.0) == [("low", pytest.approx(1.2))]


def test_parameters_and_joints_that_events_changed_stay_when_others_are_set():
    m = pendulum()
    m.parameter("reach", 1.0, "m")
    m.measure("tip", point=m["bar"].point("reach", 0), along=(1, 0))
    m.event("cut", "A.angle", level="-pi/2", direction="down", release="A")
    live = da.Stepper(m, step=0.01)
    live.step(60)
    live.set("reach", 3.0)
    live.step(10)
    assert abs(live.get("bar.x")) > 0.5  # it flies
    assert live.get("A.force") == pytest.approx((0.0, 0.0), abs=0.0)


def test_an_action_that_raises_leaves_the_state_before_the_step():
    m = block()
    m.parameter("k", 1.0)
    m.start("guide.slide", 0.0, rate=1.0)
    wrong = [True]

    def action(now):
        if wrong:
            raise ZeroDivisionError("oh")
        return {"set": {"k": 3.0}, "stop": True}

    m.event("first", "t", level=0.12, set={"k": 2.0})
    m.event("second", "t", level=0.15, action=action)
    live = da.Stepper(m, step=0.1)
    live.step()
    with pytest.raises(da.ModelError, match=r"event 'second' at t = 0\.15(.|\n)*ZeroDivisionError"):
        live.step()
    assert (live.t, live.get("k")) == (0.1, 1.0)
    wrong.clear()
    live.step()
    assert [x.name for x in live.events] == ["first", "second"]
    assert (live.t, live.get("k"), live.stopped) == (pytest.approx(0.15), 3.0, "second")


def test_events_without_end_are_refused():
    """Two forces that take each other over their levels, from t = 1 on: the jump of each is an event that lets the other jump."""
    m = da.Mechanism("block", plane=True)
    m.parameter("f", 0.0)
    m.parameter("g", 0.0)
    m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=1.0), along=(1, 0))
    m.actuator("push", "guide.slide", force="f + 0.5")
    m.actuator("pull", "guide.slide", force="g")
    m.event("begins", "t", level=1.0, set={"g": 1})
    m.event("one", "push.force_x", set={"g": "1 - g"})
    m.event("two", "pull.force_x", level=0.5, set={"f": "-1 - f"})
    live = da.Stepper(m, step=2.0)
    with pytest.raises(da.ConvergenceError, match=r"too often within one step after t = 1 s(.|\n)*'one'"):
        live.step()
    assert (live.t, live.get("f"), live.get("g"), live.events) == (0.0, 0.0, 0.0, [])


def test_impacts_and_events_in_one_machine():
    """The floor goes away at the second impact: the ball falls on from there."""
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, 1.0))
    m.impact("floor", "ball.y", restitution=0.5)
    m.event("hatch", "t", level=0.7, release="floor")
    live = da.Stepper(m, step=0.02)
    found = events(live, 1.0)
    hit = math.sqrt(2.0 / G)
    assert [x.name for x in found] == ["floor", "hatch"]
    assert found[0].t == pytest.approx(hit, abs=1e-13)
    t = 1.0 - hit
    assert live.get("ball.y") == pytest.approx(0.5 * G * hit * t - 0.5 * G * t * t, abs=1e-12)
    assert live.get("ball.y") < 0.0


def test_it_stops_where_something_touches_and_goes_on():
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, 0.0))
    m.impact("floor", "ball.y")
    m.event("look", "t", level=0.25, stop=True)
    live = da.Stepper(m, step=0.1)
    live.step(5)
    live.resume()
    live.step(5)
    assert live.get("floor.force") == pytest.approx((0.0, G), abs=1e-12)


def test_energies():
    """A mass on a spring of energies: its parameter changes as it passes the middle; the amplitude falls by sqrt(k1/k2)."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="k*x**2/2", parameters={"k": 40.0}, name="mass")
    m.start("x", 0.1)
    m.event("stiffer", "x", direction="down", set={"k": 160.0}, once=True)
    m.event("turns", "rate(x)", direction="up", stop=True)
    live = da.Stepper(m, step=1e-3)
    found = events(live, 1.0)
    assert [x.name for x in found] == ["stiffer", "turns"]
    quarter = 0.5 * math.pi
    assert [x.t for x in found] == pytest.approx([quarter / math.sqrt(40.0), quarter * (1 / math.sqrt(40.0) + 1 / math.sqrt(160.0))], abs=1e-9)  # fmt: skip
    assert live.get("x") == pytest.approx(-0.05, abs=1e-9)
    assert live.get("k") == 160.0


def test_in_space_as_simulate():
    m = da.Mechanism("swing", plane=False, gravity=(0, 0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0, radius=0.05), at=(0.5, 0, 0))
    m.revolute("A", m.ground, bar, at=(0, 0, 0), axis=(0, 1, 0))
    m.event("cut", "A.angle", level=1.0, release="A")
    m.event("spin", "A.angle", level=7.0)
    live = da.Stepper(m, step=1e-3)
    found, there = events(live, 2.0), da.simulate(m, until=2.0, rtol=1e-11, atol=1e-12)
    assert [x.name for x in found] == [x.name for x in there.events] == ["cut", "spin"]
    assert [x.t for x in found] == pytest.approx(there.events.times, abs=1e-9)
    assert live.state.q == pytest.approx(there.q[-1], abs=1e-8)


def test_steps_in_which_nothing_happens_allocate_nothing():
    m = pendulum()
    m.event("far", "A.angle", level=100.0, stop=True)
    live = da.Stepper(m, step=1e-3)
    assert growth(live.step, 500) < 2000


def test_memory_is_bounded_where_every_event_makes_a_new_situation():
    m = block()
    m.start("guide.slide", 0.0, rate=1.0)
    m.parameter("t0", 0.0)
    m.event("tick", "sin(200*t)", direction="up", set={"t0": "t"})
    live = da.Stepper(m, step=0.1)
    live.step(40)
    assert len(live._course._systems) <= 64
    assert live.get("t0") == pytest.approx(2 * math.pi / 200 * math.floor(4.0 * 200 / (2 * math.pi)), abs=1e-12)
