"""Stepper: the same motion as `simulate`, constraints at every step, inputs, and what is read."""

import numpy as np
import pytest

import dalembert as da
from tests.work import growth


def slider_crank(driven=True, crank_length=0.2):
    m = da.Mechanism("slider-crank", plane=True, gravity=(0, -9.81))
    r = m.parameter("r", crank_length)
    crank = m.body("crank", da.rod(length=r, mass=1.0), at=(0.1, 0))
    rod = m.body("rod", da.rod(length=0.6, mass=2.0), at=(0.5, 0))
    piston = m.body("piston", da.block(0.12, 0.08, mass=0.5), at=(0.8, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, piston, at=rod.end)
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    if driven:
        m.drive("motor", m["O"].angle, "2*pi*t")
    else:
        m.start(m["O"].angle, 0.5, rate=4.0)
    return m


def double_pendulum_in_space():
    m = da.Mechanism("two arms", plane=False, gravity=(0, 0, -9.81))
    one = m.body("one", da.box(0.6, 0.1, 0.05, mass=2.0), at=(0.3, 0, 0))
    two = m.body("two", da.box(0.4, 0.08, 0.05, mass=1.0), at=(0.8, 0, 0))
    m.revolute("A", m.ground, one, at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("B", one, two, at=(0.6, 0, 0), axis=(0, 0.8, 0.6))
    m.start(m["A"].angle, 0.0, rate=2.0)
    return m


def pendulum_of_energies(u=0.1):
    p = da.Lagrangian(
        ["x", "y"], kinetic="(rate(x)**2 + rate(y)**2)/2", potential="9.81*y", holonomic={"rod": "x**2 + y**2 - 1"},
        forces={"x": "-u*rate(x)", "y": "-u*rate(y)"}, parameters={"u": u},
    )  # fmt: skip
    p.start("x", 1.0)
    p.guess("y", 0.01)
    return p


def position_error(model, order, h, until):
    reference = da.simulate(model, until=until, rtol=1e-12, atol=1e-13, output=[until]).at(until)
    live = da.Stepper(model, step=h, method=order)
    live.step(round(until / h))
    assert live.t == until
    return float(np.max(np.abs(live.state.q - reference.q)) + np.max(np.abs(live.state.v - reference.v)))


@pytest.mark.parametrize("make", [lambda: slider_crank(False), double_pendulum_in_space, pendulum_of_energies])
@pytest.mark.parametrize(("order", "steps"), [(1, 256), (2, 128), (4, 64), (5, 64), (8, 32)])
def test_order(make, order, steps):
    until = 0.5
    coarse, fine = (position_error(make(), order, until / n, until) for n in (steps, 2 * steps))
    found = np.log2(coarse / fine)
    # a single halving shows the order within half of one, while errors are above rounding
    assert found > order - 0.5 or fine < 1e-12


@pytest.mark.parametrize("model", [slider_crank(), double_pendulum_in_space()], ids=lambda m: m.name)
def test_constraints_hold_at_every_step(model):
    live = da.Stepper(model, step=5e-3, method=2)
    for _ in range(100):
        live.step()
        found = da.equations(model, live.state)
        assert np.max(np.abs(found.phi)) < 1e-12
        assert np.max(np.abs(found.jac @ live.state.v - found.nu)) < 1e-11


def test_reads_what_an_instant_of_simulate_has():
    m = slider_crank()
    state = da.simulate(m, until=0.4, rtol=1e-12, output=[0.4]).at(0.4)
    there, live = da.instant(m, state), da.Stepper(m, step=1e-3, method=8)
    live.step(400)
    assert live.get("motor") == pytest.approx(there["motor"].effort, abs=1e-9)
    assert live.get("A.force") == pytest.approx(there["A"].force, abs=1e-9)
    assert live.get("piston.position") == pytest.approx(there["piston"].position, abs=1e-12)
    assert live.get("bore.slide") == pytest.approx(there["bore.slide"], abs=1e-12)
    assert live.get("rate(bore.slide)") == pytest.approx(there.rate("bore.slide"), abs=1e-11)
    assert live.get("2*bore.slide + t") == pytest.approx(2.0 * there["bore.slide"] + 0.4, abs=1e-12)
    assert live.now.second_rate("bore.slide") == pytest.approx(there.second_rate("bore.slide"), abs=1e-8)


def cart():
    m = da.Mechanism("cart", plane=True)
    body = m.body("cart", mass=2.0, inertia=1.0)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    return m, body


def test_a_constant_load_is_set():
    m, body = cart()
    m.force("push", body, (0, 0))
    live = da.Stepper(m, step=0.01)
    for _ in range(100):
        live.set("push", (4.0, 0.0) if live.t < 0.5 else (0.0, 0.0))
        live.step()
    # 2 m/s2 for half a second, then 1 m/s for another half
    assert live.get("guide.slide") == pytest.approx(0.75, abs=1e-12)


@pytest.mark.parametrize("through", ["actuator", "law", "driver"])
def test_an_input_is_set(through):
    m, body = cart()
    m.input("u", 0.0, unit="N")
    if through == "actuator":
        m.actuator("motor", "guide", force="2*u")
    elif through == "law":
        m.force("motor", body, ("2*u", 0))
    else:
        m.drive("motor", m["guide"].slide, "u*t**2/2")
    live = da.Stepper(m, step=0.01)
    live.set("u", 1.0)
    live.step(50)
    assert live.get("u") == 1.0
    assert live.get("guide.slide") == pytest.approx(0.125, abs=1e-12)
    assert np.sum(live.get("motor.force" if through != "driver" else "motor")) == pytest.approx(2.0, abs=1e-12)


def test_a_driver_is_handed_over():
    m = slider_crank()
    live = da.Stepper(m, step=1e-3)
    live.step(100)
    live.set("motor", live.get("O.angle"), rate=live.get("rate(O.angle)"), second=-2.0)
    live.step(200)
    ahead = 0.2
    assert live.get("O.angle") == pytest.approx(2 * np.pi * 0.3 - ahead**2, abs=1e-12)
    assert live.get("rate(O.angle)") == pytest.approx(2 * np.pi - 2.0 * ahead, abs=1e-12)
    # the reaction of the driver is that of the machine at that state and acceleration
    state = live.state
    other = slider_crank(driven=False)
    other.drive(
        "motor", other["O"].angle, f"{live.get('O.angle')!r} + {live.get('rate(O.angle)')!r}*(t - 0.3) - (t - 0.3)**2"
    )
    there = da.instant(other, da.State(0.3, state.q, state.v))
    assert live.get("motor") == pytest.approx(there["motor"].effort, abs=1e-8)


def test_velocities_jump_where_a_driver_asks_for_it():
    m = slider_crank()
    live = da.Stepper(m, step=1e-3)
    live.set("motor", 0.0, rate=3.0)
    assert live.get("rate(O.angle)") == pytest.approx(3.0, abs=1e-12)


def test_a_parameter_is_set():
    m = slider_crank()
    live = da.Stepper(m, step=1e-3)
    live.step(100)
    live.set("r", 0.25)
    live.step(150)
    there = da.simulate(slider_crank(crank_length=0.25), until=0.25, output=[0.25])
    assert live.get("bore.slide") == pytest.approx(there["bore.slide"][-1], abs=1e-11)
    assert live.get("motor") == pytest.approx(there["motor"].torque[-1], abs=1e-8)


def test_a_parameter_is_read():
    """A name alone is its value, the one that was set; the number of steps may be any whole number."""
    live = da.Stepper(slider_crank(), step=1e-3)
    assert live.get("r") == live.get("1*r") == live.model.parameters["r"]
    live.set("r", 0.21)
    live.step(np.int64(2))
    live.step(2.0)
    assert live.get("r") == 0.21 and abs(live.t - 4e-3) < 1e-15


def test_a_parameter_of_energies_is_set():
    live = da.Stepper(pendulum_of_energies(), step=1e-3)
    live.step(100)
    live.set("u", 0.5)
    live.step(100)
    other = da.Stepper(pendulum_of_energies(), step=1e-3)
    other.step(100)
    after = da.simulate(pendulum_of_energies(0.5), until=0.2, start=other.state, output=[0.2])
    assert live.state.q == pytest.approx(after.q[-1], abs=1e-10)


def test_loads_that_were_set_stay_with_other_numbers():
    m, body = cart()
    k = m.parameter("k", 10.0)
    m.spring("spring", m.ground.point(-1, 0), body.point(0, 0), stiffness=k, free_length=1.0)
    m.force("push", body, (0, 0))
    live = da.Stepper(m, step=0.01)
    live.set("push", (4.0, 0.0))
    live.set("k", 0.0)
    live.step(100)
    assert live.get("guide.slide") == pytest.approx(1.0, abs=1e-12)


def test_state_saved_and_restored_to_the_last_bit():
    m = double_pendulum_in_space()
    live = da.Stepper(m, step=1e-3)
    live.step(333)
    saved = live.state
    live.step(500)
    there = live.state
    live.state = saved
    live.step(500)
    other = da.Stepper(m, step=1e-3)
    other.state = saved
    for _ in range(500):
        other.step()
    for again in (live.state, other.state):
        assert again.t == there.t
        assert all(np.array_equal(getattr(again, x), getattr(there, x)) for x in ("q", "v", "angles", "z"))


def test_turns_are_counted_in_space():
    m = da.Mechanism("rotor", plane=False)
    body = m.body("rotor", da.box(0.2, 0.1, 0.1, mass=1.0))
    m.revolute("A", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    m.start(m["A"].angle, 0.0, rate=20.0)
    live = da.Stepper(m, step=1e-3)
    live.step(1000)
    assert live.get("A.angle") == pytest.approx(20.0, abs=1e-8)  # the error of order 4, of a turn by 0.02 rad a step


def test_a_law_in_python():
    m, body = cart()
    m.actuator("motor", "guide", force=lambda s, v, t: 4.0 - 2.0 * v)
    live = da.Stepper(m, step=0.01)
    live.step(100)
    assert live.get("rate(guide.slide)") == pytest.approx(2.0 * (1.0 - np.exp(-1.0)), abs=1e-9)


def test_work_of_a_step_is_bounded_and_takes_no_memory():
    live = da.Stepper(slider_crank(), step=1e-3)
    live.step()
    before = live._step.evaluations
    live.step(100)
    assert live._step.evaluations - before == 400  # four evaluations each, the one at the end of a step among them
    live.step(10)
    assert growth(live.step, 500) < 2000


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda s, m: s.set("motr", 1.0), "motor"),
        (lambda s, m: s.set("crank", 1.0), "body 'crank'"),
        (lambda s, m: s.set("motor", float("nan")), "finite"),
        (lambda s, m: s.set("r", 5.0), "r = 5"),
        (lambda s, m: s.get("crank"), "crank.position"),
        (lambda s, m: s.get("nothing"), "nothing"),
        (lambda s, m: da.Stepper(m, step=0.0), "positive"),
        (lambda s, m: da.Stepper(m, step=0.1, method=3), "method"),
        (lambda s, m: da.Stepper("crank", step=0.1), "Mechanism"),
        (lambda s, m: da.Stepper(m, step=0.1, start=1.0), "State"),
        (lambda s, m: setattr(s, "state", 3), "State"),
        (lambda s, m: setattr(s, "state", da.State(0.0, [0.0], [0.0])), "same model"),
        (lambda s, m: s.set("motor", 40.0), "shorter steps"),
        (lambda s, m: s.set("r", 0.2, rate=1.0), "only the measure of a driver"),
        (lambda s, m: s.step(-1), "nothing is stepped back"),
        (lambda s, m: s.step(1.5), "a whole one"),
        (lambda s, m: s.step(None), "a whole one"),
    ],
)
def test_mistakes_are_told(call, told):
    m = slider_crank()
    live = da.Stepper(m, step=1e-3)
    live.step(250)
    with pytest.raises(da.DalembertError, match=told):
        call(live, m)
        live.step()
    # what was refused leaves the stepper as it was, or says where it stands
    assert np.isfinite(live.state.q).all()


def test_a_law_that_is_no_number_is_not_set():
    m, body = cart()
    m.force("push", body, ("3*t", 0))
    with pytest.raises(da.MethodError, match=r"m\.input"):
        da.Stepper(m, step=0.01).set("push", (1.0, 0.0))


def test_a_driver_that_cannot_be_met_leaves_the_state_before():
    """A slider beyond the reach of its crank and rod."""
    m = da.Mechanism("slider-crank", plane=True)
    crank, rod = m.body("crank", mass=1.0, inertia=0.1, at=(0.5, 0)), m.body("rod", mass=1.0, inertia=0.1, at=(1.5, 0))
    slider = m.body("slider", mass=1.0, inertia=0.1, at=(1.8, 0))
    for name, i, j, at in (("O", m.ground, crank, (0, 0)), ("P", crank, rod, (1, 0.2)), ("Q", rod, slider, (1.8, 0))):
        m.revolute(name, i, j, at=at)
    m.prismatic("G", m.ground, slider, along=(1, 0), at=(1.8, 0))
    m.drive("motor", "G.slide", "0")
    live = da.Stepper(m, step=1e-2)
    live.step(2)
    before = live.state
    live.set("motor", 5.0)
    with pytest.raises(da.ConvergenceError):
        live.step()
    assert np.array_equal(live.state.q, before.q) and np.array_equal(live.state.v, before.v) and live.t == before.t
    live.set("motor", 0.01)
    live.step()
    assert live.get("G.slide") == pytest.approx(0.01, abs=1e-12)


@pytest.mark.parametrize("rubs", [False, True])
@pytest.mark.parametrize("first", ["0", "p", "u"])
def test_drivers_that_contradict_each_other_are_refused(first, rubs):
    """Two drivers of two wheels in mesh, O + P/2 = 0 with the ratio -2: only what fits both is met."""
    m = da.Mechanism("gears", plane=True)
    for name, body, x in (("O", "small", 0.0), ("P", "large", 1.0)):
        m.revolute(name, m.ground, m.body(body, mass=1.0, inertia=0.1, at=(x, 0)), at=(x, 0))
    m.gear("mesh", "O.angle", "P.angle", ratio=-2.0)
    m.parameter("p", 0.0, "rad")
    m.input("u", 0.0)
    m.drive("one", "O.angle", first)
    m.drive("two", "P.angle", "0")
    if rubs:
        m.revolute("h", m["small"], m.body("ring", mass=1.0, inertia=0.1), at=(0, 0))
        m.friction("rub", "h.angle", force=1.0)
    live = da.Stepper(m, step=1e-2)
    live.step(2)
    with pytest.raises(da.DalembertError, match="mesh"):
        live.set({"0": "one"}.get(first, first), 0.1)
        live.step()
    assert live.t == pytest.approx(0.02)
    if first == "0":
        live.set("two", -0.2)
        live.step()
        assert (live.get("O.angle"), live.get("P.angle")) == pytest.approx((0.1, -0.2), abs=1e-12)
