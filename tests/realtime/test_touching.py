"""Stepper with contacts and dry friction: closed forms, `simulate` as the step shrinks, no energy created, and states to the last bit."""

import math

import numpy as np
import pytest

import dalembert as da
from tests.work import growth

G = 9.81


def block_on_a_slope():
    """1 kg, 0.3 rad, F0 = 4 N, 2 m/s uphill: it stops after 2/(g sin 0.3 + 4) s and stays."""
    m = da.Mechanism("slope", plane=True, gravity=(-G * math.sin(0.3), -G * math.cos(0.3)))
    block = m.body("block", mass=1.0, inertia=0.01)
    m.prismatic("guide", m.ground, block, along=(1, 0))
    m.friction("rub", "guide.slide", force=4.0)
    m.force("push", block, (0, 0))
    m.start(m["guide"].slide, 0.0, rate=2.0)
    return m


def ball(restitution=0.5, height=0.1, velocity=(0.0, 0.0)):
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, height), velocity=velocity)
    m.impact("floor", "ball.y", restitution=restitution)
    return m


def sliding_ball():
    m = ball(velocity=(10.0, 0.0))
    m.friction("rub", "floor", mu=0.1, along="ball.x")
    return m


def puck():
    """Friction against a direction that turns: a force from the side that the friction can hold at rest."""
    m = da.Mechanism("puck", plane=False, gravity=(0, 0, -G))
    body = m.body("puck", da.box(0.1, 0.1, 0.02, mass=0.5))
    m.planar("ice", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    m.friction("rub", "ice", mu=0.2)
    m.force("side", body, (0.0, 0.3, 0.0))
    m.start(m["ice"].x, 0.0, rate=3.0)
    m.start(m["ice"].y, 0.0, rate=-1.0)
    return m


def belt():
    """Begins to stick on a belt, is carried along until the spring pulls it off, and slips back."""
    m = da.Mechanism("belt", plane=True)
    block, belt = m.body("block", mass=1.0, inertia=0.01), m.body("belt", mass=1.0, inertia=0.01)
    m.prismatic("guide", m.ground, block, along=(1, 0))
    m.prismatic("bed", m.ground, belt, along=(1, 0))
    m.drive("motor", m["bed"].slide, "0.5*t")
    m.measure("slip", "guide.slide - bed.slide")
    m.friction("rub", "slip", force=3.0, static_force=5.0)
    m.spring("spring", "guide.slide", stiffness=40.0)
    m.damper("oil", "guide.slide", damping=0.5)
    m.start("guide.slide", 0.0, rate=0.5)
    return m


def cam():
    m = da.Mechanism("cam", plane=True, gravity=(0, -G))
    shaft = m.revolute("O", m.ground, m.body("wheel", da.disk(0.04, mass=1.0)), at=(0, 0))
    guide = m.prismatic("guide", m.ground, m.body("valve", mass=0.3, inertia=1e-3, at=(0, 0.05)), along=(0, 1))
    m.drive("motor", shaft, "200*t")
    m.spring("coil", guide, stiffness=2000.0, force=20.0)
    m.cam("cam", shaft, guide, lift="0.01*(1 - cos(theta))", follower="flat", base=0.04, restitution=0.3)
    return m


def crate():
    m = da.Mechanism("crate", plane=True, gravity=(0, -G))
    body = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.3), angle=0.3, velocity=(1.0, 0))
    m.contact("floor", m.ground, body, mu=0.3, restitution=0.2)
    return m


def block_of_energies():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="9.81*sin(0.3)*x", name="block")
    m.friction("rub", "x", force=4.0)
    m.start("x", 0.0, rate=2.0)
    return m


def ball_of_energies():
    m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential="9.81*y", name="ball")
    m.impact("floor", "y", restitution=0.5)
    m.start("y", 0.1)
    return m


def error(model, until, h, order=4):
    there = da.simulate(model, until=until, rtol=1e-11, atol=1e-13, output=[until]).at(until)
    live = da.Stepper(model, step=h, method=order)
    live.step(round(until / h))
    return float(np.max(np.abs(live.state.q - there.q)) + np.max(np.abs(live.state.v - there.v)))


@pytest.mark.parametrize("h", [0.1, 0.03, 0.001])
def test_a_block_stops_where_friction_holds_it(h):
    live, stops = da.Stepper(block_on_a_slope(), step=h), 2.0 / (G * math.sin(0.3) + 4.0)
    seen = []
    while live.t < 0.6:
        live.step()
        seen += live.events
    # constant deceleration: a step of any length is exact, and so is the instant
    assert [x.text for x in seen] == ["sticks"]
    assert seen[0].t == pytest.approx(stops, abs=1e-13)
    assert stops == pytest.approx(0.289895, abs=1e-6)
    assert live.get("guide.slide") == pytest.approx(2.0 * stops / 2.0, abs=1e-13)
    assert abs(live.get("rate(guide.slide)")) < 1e-15
    assert live.get("rub.force") == pytest.approx((G * math.sin(0.3), 0.0), abs=1e-12)


@pytest.mark.parametrize(
    ("model", "until", "h", "order", "least"),
    [
        (belt(), 1.0, 0.02, 4, 3.5),
        (cam(), 0.06, 1e-3, 4, 3.5),
        (cam(), 0.06, 5e-4, 2, 1.6),
        (block_on_a_slope(), 0.2, 0.05, 4, None),
        (block_of_energies(), 0.6, 0.05, 4, None),
        (ball(restitution=0.9), 0.9, 0.05, 4, None),
        (ball_of_energies(), 0.3, 0.02, 4, None),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_order_through_changes(model, until, h, order, least):
    """The order of the method where slips end, grips are lost, gaps close and open: steps are cut there."""
    if least is None:  # forces are constant between the changes: every step is exact
        assert error(model, until, h, order) < 1e-9
        return
    coarse, fine = error(model, until, h, order), error(model, until, h / 2, order)
    assert math.log2(coarse / fine) > least


@pytest.mark.parametrize(("model", "until"), [(puck(), 2.5), (crate(), 1.0), (sliding_ball(), 1.0)], ids=lambda x: getattr(x, "name", None))  # fmt: skip
def test_first_order_where_bounces_and_turning_slips_end(model, until):
    """What takes less than a step is left out there: a bounce, the last turn of a direction."""
    coarse, fine = error(model, until, 1e-2), error(model, until, 1e-3)
    assert fine < 0.2 * coarse
    assert fine < 2e-3


def test_friction_in_bounces_and_after_them():
    # whatever the bounces are, floor and weight give the same impulse from rest to rest: v = v0 - mu g t
    for h in (0.01, 0.001):
        live = da.Stepper(sliding_ball(), step=h)
        live.step(round(2.0 / h))
        assert live.get("rate(ball.x)") == pytest.approx(10.0 - 0.1 * G * 2.0, abs=10.0 * h)
    run = da.simulate(sliding_ball(), until=2.0)
    assert run.v[-1, 0] == pytest.approx(10.0 - 0.1 * G * 2.0, abs=1e-4)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_a_ball_passes_to_rest(restitution):
    live = da.Stepper(ball(restitution), step=1e-3)
    energy, happened = G * 0.1, []
    for _ in range(3000):
        live.step()
        happened += live.events
        y, rate = live.get("ball.y"), live.get("rate(ball.y)")
        assert y > -1e-15
        now = G * y + 0.5 * rate**2
        assert now <= energy + 1e-14
        energy = now
    assert (y, rate) == pytest.approx((0.0, 0.0), abs=1e-15)
    assert live.get("floor.force") == pytest.approx((0.0, G), abs=1e-12)
    # bounces of e^n v, 2 e^n v/g apart, that take a step at least, then rest
    first = math.sqrt(2 * 0.1 / G)
    longer = math.ceil(math.log(1e-3 / (2 * first)) / math.log(restitution)) if restitution else 1
    assert [x.what for x in happened] == ["impact"] * longer + (["rest"] if restitution else [])
    assert happened[0].t == pytest.approx(first, abs=1e-13)


@pytest.mark.parametrize("model", [crate(), puck(), cam(), belt()], ids=lambda m: m.name)
def test_cones_gaps_and_rates_at_every_step(model):
    live = da.Stepper(model, step=2e-3 if model.name != "cam" else 2e-4)
    for _ in range(300):
        live.step()
        now = live._course.situation
        for name in model.impacts:
            gap = live.get(model.impacts[name].gap.name)
            assert gap > -1e-13
            assert name not in now.closed or abs(gap) < 1e-12
        for one in model.frictions:
            way = dict(now.slips).get(one.name)
            if way == 0:
                assert all(abs(live.get(f"rate({x.name})")) < 1e-13 for x in one.slips if model.find_measure(x.name))
        if model.name == "crate":
            x, y = live.get("floor.force")
            assert y >= -1e-12
            assert abs(x) <= 0.3 * y + 1e-9
        if model.name == "puck":
            assert np.linalg.norm(live.get("rub.force")) <= 0.2 * 0.5 * G + 1e-9
        if model.name == "belt":
            assert abs(live.get("rub.force")[0]) <= 5.0 + 1e-9


@pytest.mark.parametrize(
    ("model", "h", "steps"),
    [(block_on_a_slope(), 1e-3, 300), (crate(), 2e-3, 80), (crate(), 2e-3, 300), (puck(), 5e-3, 100), (puck(), 5e-3, 400), (cam(), 5e-4, 30), (block_of_energies(), 1e-2, 40),
     (sliding_ball(), 1e-2, 130)],
    ids=lambda x: getattr(x, "name", None),
)  # fmt: skip
def test_state_saved_and_restored_to_the_last_bit(model, h, steps):
    live = da.Stepper(model, step=h)
    live.step(steps)
    saved = live.state
    live.step(200)
    there = live.state
    live.state = saved
    live.step(200)
    other = da.Stepper(model, step=h)
    other.state = saved
    for _ in range(200):
        other.step()
    for again in (live.state, other.state):
        assert again.t == there.t
        assert again.touching.held == there.touching.held
        assert all(np.array_equal(getattr(again, x), getattr(there, x)) for x in ("q", "v", "angles", "z"))


def test_loads_pull_off_what_sticks():
    live = da.Stepper(block_on_a_slope(), step=1e-3)
    live.step(400)
    rest = live.get("guide.slide")
    live.set("push", (1.0, 0.0))  # 4 N hold g sin 0.3 - 1
    live.step(100)
    assert live.get("guide.slide") == rest
    live.set("push", (7.5, 0.0))
    live.step()
    assert [(x.t, x.text) for x in live.events] == [(pytest.approx(0.5), "slips up")]
    live.step(99)
    up = 7.5 - G * math.sin(0.3) - 4.0
    assert live.get("guide.slide") - rest == pytest.approx(up * 0.1**2 / 2.0, abs=1e-12)
    saved = live.state
    live.set("push", (0.0, 0.0))
    live.step(300)
    live.state = saved  # the load is part of it
    live.step(100)
    assert live.get("guide.slide") - rest == pytest.approx(up * 0.2**2 / 2.0, abs=1e-12)


def test_an_input_lifts_off_what_rests():
    m = ball(0.0, height=0.0)
    m.input("lift", 0.0, unit="N")
    m.force("crane", m["ball"], (0, "lift"))
    live = da.Stepper(m, step=1e-2)
    live.step(10)
    assert live.get("floor.force") == pytest.approx((0.0, G))
    live.set("lift", 5.0)
    live.step(10)
    assert live.get("floor.force") == pytest.approx((0.0, G - 5.0))
    assert live.get("ball.y") == 0.0
    live.set("lift", 2.0 * G)
    live.step()
    assert [x.text for x in live.events] == ["open"]
    live.step(9)
    assert live.get("ball.y") == pytest.approx(G * 0.1**2 / 2.0, abs=1e-13)
    assert live.get("floor.force") == pytest.approx((0.0, 0.0), abs=0.0)


def test_a_driver_that_is_set_throws_what_touches():
    """A table under a ball is stopped at once: the ball flies on; it is not held by the stop."""
    m = da.Mechanism("table", plane=True, gravity=(0, -G))
    table, ball = m.body("table", mass=3.0, inertia=0.1), m.body("ball", mass=1.0, inertia=0.1)
    m.prismatic("lift", m.ground, table, along=(0, 1))
    m.prismatic("guide", m.ground, ball, along=(0, 1))
    m.drive("motor", m["lift"].slide, "2*t")
    m.start(m["guide"].slide, 0.0, rate=2.0)
    m.impact("on", "guide.slide - lift.slide")
    live = da.Stepper(m, step=1e-3)
    live.step(100)
    assert live.get("motor") == pytest.approx(4.0 * G)
    live.set("motor", 0.2)
    live.step(100)
    assert live.get("guide.slide") == pytest.approx(0.2 + 2.0 * 0.1 - G * 0.1**2 / 2.0, abs=1e-12)
    assert live.get("motor") == pytest.approx(3.0 * G)


@pytest.mark.parametrize("rubs", [False, True])
def test_a_state_read_after_a_driver_was_set_goes_on_to_the_last_bit(rubs):
    """A pendulum on a cart that is put elsewhere, with a rate, and read before the next step."""
    m = da.Mechanism("crane", plane=True, gravity=(0, -G))
    cart, bob = m.body("cart", mass=1.0, inertia=0.1), m.body("bob", mass=1.0, inertia=0.1, at=(0.3, -0.5))
    m.prismatic("guide", m.ground, cart, along=(1, 0))
    m.revolute("pin", cart, bob, at=(0, 0))
    m.drive("motor", "guide.slide", "0")
    if rubs:
        m.friction("rub", "pin.angle", force=0.1)
    live, other = da.Stepper(m, step=1e-2), da.Stepper(m, step=1e-2)
    live.step(2)
    live.set("motor", 0.3, rate=1.0)
    other.state = live.state
    for one in (live, other):
        one.step(5)
    assert live.get("guide.slide") == pytest.approx(0.35, abs=1e-12)
    assert np.array_equal(live.state.q, other.state.q) and np.array_equal(live.state.v, other.state.v)


def test_a_parameter_is_set_while_something_sticks():
    m = da.Mechanism("slope", plane=True, gravity=(-G * math.sin(0.3), -G * math.cos(0.3)))
    block = m.body("block", mass=1.0, inertia=0.01)
    mu = m.parameter("mu", 0.5)
    m.prismatic("guide", m.ground, block, along=(1, 0))
    m.friction("rub", "guide", mu=mu)
    live = da.Stepper(m, step=1e-2)
    live.step(10)
    assert live.get("guide.slide") == 0.0
    live.set("mu", 0.1)
    live.step(10)
    down = G * (math.sin(0.3) - 0.1 * math.cos(0.3))
    assert live.get("guide.slide") == pytest.approx(-down * 0.1**2 / 2.0, abs=1e-12)


def test_a_parameter_of_energies_is_set_while_something_sticks():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="g*x", parameters={"g": 1.0})
    m.friction("rub", "x", force=4.0)
    live = da.Stepper(m, step=1e-2)
    live.step(10)
    live.set("g", 6.0)
    live.step(10)
    assert live.get("x") == pytest.approx(-2.0 * 0.1**2 / 2.0, abs=1e-12)


def test_a_state_of_a_run_goes_on():
    m = crate()
    run = da.simulate(m, until=1.0, output=[0.2, 1.0])
    live = da.Stepper(m, step=1e-3)
    live.state = run.at(1.0)
    live.step(10)
    assert live.get("floor.closed") == 1.0
    assert live.get("crate.position") == pytest.approx(run["crate"].position[-1], abs=1e-12)


def test_work_is_bounded_and_takes_no_memory():
    live = da.Stepper(block_on_a_slope(), step=1e-3)
    live.step(10)
    before = live._step.evaluations
    live.step(100)
    assert live._step.evaluations - before == 400  # four in each step, as without friction
    live.step(300)
    before = live._step.evaluations
    live.step(100)
    assert live._step.evaluations - before == 600  # and two for the force that holds, in the middle of a step
    assert growth(live.step, 500) < 2000


def test_a_step_that_fails_leaves_the_state_before():
    """Friction that would push from a speed on has no size: told by its name, in a step in which the floor was hit, or after it."""
    m = ball(0.0, height=0.01, velocity=(1.0, 0.0))
    m.friction("rub", "floor", mu="1.2 - v", along="ball.x")
    m.input("push", 0.0, unit="N")
    m.force("wind", m["ball"], ("push", 0))
    live = da.Stepper(m, step=0.01)
    live.step(5)
    before = live.state
    live.set("push", 500.0)
    with pytest.raises(da.ModelError, match="rub"):
        live.step(20)
    assert np.isfinite(live.state.q).all()
    assert live.t == pytest.approx(0.01 * round(live.t / 0.01))
    live.state = before
    live.step()  # it goes on


def test_a_state_that_is_refused_changes_nothing():
    live = da.Stepper(ball(0.5), step=0.01)
    live.step(20)
    before = live.state
    with pytest.raises(da.MethodError, match="'floor' is -1"):
        live.state = da.State(0.0, [0.0, -1.0, 0.0], [0.0, 0.0, 0.0])
    assert live.t == before.t
    assert np.array_equal(live.state.q, before.q)
    assert np.array_equal(live.state.v, before.v)
    live.step(200)
    assert live.get("ball.y") == pytest.approx(0.0, abs=1e-15)


def test_a_driver_that_does_not_fit_is_refused_until_it_does():
    m = da.Mechanism("press", plane=True)
    plunger = m.body("plunger", mass=1.0, inertia=0.1)
    m.prismatic("guide", m.ground, plunger, along=(0, 1))
    m.drive("motor", "guide.slide", "1 - t")
    m.start("guide.slide", 1.0)
    m.impact("floor", "guide.slide")
    live = da.Stepper(m, step=0.01)
    live.step(10)
    live.set("motor", -0.5)
    for _ in range(2):
        with pytest.raises(da.MethodError, match="'floor' is -0.5"):
            live.step()
    assert live.t == pytest.approx(0.1)
    live.set("motor", 0.9, rate=1.0)
    live.step(10)
    assert live.get("guide.slide") == pytest.approx(1.0, abs=1e-12)


def test_more_changes_than_a_step_follows_are_refused():
    m = da.Mechanism("walls", plane=True)
    m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=0.1), along=(1, 0))
    m.start("guide.slide", 0.0, rate=1000.0)
    m.impact("left", "guide.slide + 0.1", restitution=1.0)
    m.impact("right", "0.1 - guide.slide", restitution=1.0)
    live = da.Stepper(m, step=0.1)
    with pytest.raises(da.ConvergenceError, match="too often within one step"):
        live.step()
    assert live.t == 0.0
    assert live.state.v[0] == 1000.0
    fine = da.Stepper(m, step=1e-3)
    fine.step(100)  # five impacts a step: 100 m on the way, 500 of 0.2 m
    assert abs(fine.state.v[0]) == pytest.approx(1000.0, rel=1e-12)
    assert fine.get("guide.slide") == pytest.approx(0.0, abs=1e-9)


def test_a_row_of_balls_hands_on_what_it_got_in_one_step():
    m = da.Mechanism("row", plane=True)
    for k in range(6):
        m.prismatic(f"g{k}", m.ground, m.body(f"b{k}", mass=1.0, inertia=0.1, at=(0.11 * k, 0)), along=(1, 0))
    m.start("g0.slide", 0.0, rate=10.0)
    for k in range(5):
        m.impact(f"i{k}", f"g{k + 1}.slide - g{k}.slide + 0.01", restitution=1.0)
    live = da.Stepper(m, step=0.1)
    live.step()
    assert [x.name for x in live.events] == [f"i{k}" for k in range(5)]
    assert live.state.v[::3] == pytest.approx([0, 0, 0, 0, 0, 10.0], abs=1e-12)
