"""Events that change the law of a force element or of a driver: closed forms, the audit, files, and what is refused."""

import math

import pytest

import dalembert as da


def block(**law):
    m = da.Mechanism("block", plane=True)
    body = m.body("block", mass=1.0, inertia=0.01)
    guide = m.prismatic("guide", m.ground, body, along=(1, 0))
    m.start(guide.slide, -0.1, rate=0.0)
    m.actuator("push", guide.slide, **({"force": "4 - 100*s"} | law))
    m.spring("coil", guide.slide, stiffness=10.0)
    return m


def test_laws_change_there_and_back():
    """Energy of 4 - 110 x until x = 0, of -400 x - 8000 x^3 after it; and back, to where it began."""
    m = block()
    m.event("in", "guide.slide", direction="up", change={"push": {"force": "-400*s - 8000*s**3"}, m["coil"]: {"stiffness": 0.0}})  # fmt: skip
    m.event("out", "guide.slide", direction="down", change={"push": {"force": "4 - 100*s"}, "coil": {"stiffness": 10.0}})  # fmt: skip
    m.event("turns", "rate(guide.slide)", direction="down")
    m.event("is back", "rate(guide.slide)", direction="up")
    run = da.simulate(m, until=0.5, rtol=1e-12, atol=1e-13)
    assert [x.text for x in run.events] == ["push changed, coil changed", "recorded", "push changed, coil changed", "recorded"]  # fmt: skip
    x = run.events["turns"][0].state.q[0]
    assert 200 * x**2 + 2000 * x**4 == pytest.approx(4 * 0.1 + 110 * 0.1**2 / 2, abs=1e-11)
    back = run.events["is back"][0]
    assert back.state.q[0] == pytest.approx(-0.1, abs=1e-10)
    # m x'' = 4 - 110 x about x = 4/110, from rest at -0.1 to 0
    w, middle = math.sqrt(110.0), 4.0 / 110.0
    assert run.events[0].t == pytest.approx(math.acos(middle / (0.1 + middle)) / w, abs=1e-11)
    assert run["coil"].force[abs(run.t - 0.2).argmin()] == pytest.approx((0.0, 0.0), abs=0.0)
    assert run.audit.passed
    assert run.status == "ok"


def test_the_same_as_two_elements():
    m, other = block(), block()
    m.event("in", "guide.slide", direction="up", change={"push": {"force": "-400*s"}})
    other.actuator("buffer", "guide.slide", force="-400*s")
    other.open("buffer")
    other.event("in", "guide.slide", direction="up", release="push", add="buffer")
    one, two = (da.simulate(x, until=0.2, rtol=1e-11) for x in (m, other))
    assert one.q == pytest.approx(two.q, abs=1e-13)


def test_a_function_and_a_parameter_of_the_same_event():
    m = block(force=lambda s, v, t: 3.0)
    m.parameter("f", 0.0)
    m.event("t", "t", level=0.1, set={"f": 7.0}, change={"push": {"force": "f"}, "coil": {"stiffness": 0.0}})
    m.event("later", "t", level=0.2, change={"push": {"force": lambda s, v, t: -2.0}})
    run = da.simulate(m, until=0.3, output=[0.0, 0.05, 0.15, 0.3])
    assert run["push"].force[:, 0] == pytest.approx([3.0, 3.0, 7.0, -2.0])
    assert run.status == "ok"


def motor(**event):
    m = da.Mechanism("motor", plane=True)
    wheel = m.body("wheel", mass=2.0, inertia=0.5)
    m.revolute("A", m.ground, wheel, at=(0, 0))
    m.drive("motor", "A.angle", "2*t")
    m.event("at", "A.angle", level=1.0, direction="up", **event)
    return m


def test_a_driver_goes_on_with_another_speed():
    run = da.simulate(motor(change={"motor": "s0 + 5*(t - t0)"}), until=1.0)
    assert run["A.angle"][-1] == pytest.approx(1.0 + 5.0 * 0.5, abs=1e-12)
    hit = run.events[0]
    assert (hit.t, hit.text) == (pytest.approx(0.5), "motor changed")
    # the motor gives the wheel its new speed by a blow: 1/2 I (5^2 - 2^2)
    assert hit.energy_after - hit.energy_before == pytest.approx(0.5 * 0.5 * (25.0 - 4.0))
    assert run.status == "ok"


def test_a_driver_that_goes_on_smoothly_does_not_strike():
    run = da.simulate(motor(change={"motor": {"value": "s0 + 2*(t - t0) - 3*(t - t0)**2"}}), until=0.8)
    assert run.events[0].energy_after == pytest.approx(run.events[0].energy_before, rel=1e-12)
    assert run["motor"].torque[-1] == pytest.approx(-6.0 * 0.5)
    assert run["A.angle"][-1] == pytest.approx(1.0 + 0.6 - 0.27, abs=1e-12)


def test_a_driver_does_not_move_bodies_to_another_place():
    with pytest.raises(da.ModelError, match=r"(?s)'motor' is off by 1 .*begins where it is"):
        da.simulate(motor(change={"motor": "2*t + 1"}), until=1.0)


def test_parameters_of_the_model_keep_their_names():
    m = motor()
    m.parameter("t0", 0.25)
    m.event("change", "t", level=0.25, change={"motor": "2*t0 + 8*(t - t0)"})
    assert da.simulate(m, until=0.4)["A.angle"][-1] == pytest.approx(0.5 + 8 * 0.15, abs=1e-12)


def test_an_action_returns_a_change():
    m = motor(action=lambda now: {"change": {"motor": f"s0 + {2 * now['A.angle']}*(t - t0)"}})
    assert da.simulate(m, until=1.0)["A.angle"][-1] == pytest.approx(2.0, abs=1e-12)


def test_in_a_file(tmp_path):
    m = block()
    m.event("in", "guide.slide", direction="up", change={"push": {"force": "-400*s"}, "coil": {"stiffness": 5.0}})
    da.write_model(m, tmp_path / "block.toml")
    again = da.read_model(tmp_path / "block.toml")
    assert da.simulate(again, until=0.2).q[-1] == pytest.approx(da.simulate(m, until=0.2).q[-1], abs=1e-14)
    text = (tmp_path / "block.toml").read_text()
    assert 'push = { force = "-400*s" }' in text
    units = text.replace("stiffness = 5", 'stiffness = "0.005 N/mm"')
    assert units != text
    (tmp_path / "units.toml").write_text(units)
    same = da.simulate(da.read_model(tmp_path / "units.toml"), until=0.2)
    assert same.q[-1] == pytest.approx(da.simulate(m, until=0.2).q[-1], abs=1e-14)
    (tmp_path / "wrong.toml").write_text(text.replace("stiffness = 5", 'stiffness = "5 kg"'))
    with pytest.raises(da.DalembertError, match=r"events\.in\.change\.coil\.stiffness"):
        da.read_model(tmp_path / "wrong.toml")


def test_a_driver_in_a_file(tmp_path):
    m = motor(change={"motor": "s0 + 5*(t - t0)"})
    da.write_model(m, tmp_path / "motor.toml")
    run = da.simulate(da.read_model(tmp_path / "motor.toml"), until=1.0)
    assert run["A.angle"][-1] == pytest.approx(3.5, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"psh": {"force": 1.0}}, "push"),
        ({"guide": {"along": (0, 1)}}, "stop or driver 'guide'"),
        ({"push": {"forc": 1.0}}, "did you mean 'force'"),
        ({"push": 3.0}, "by arguments of m.actuator"),
        ({"push": {}}, "by name"),
        ({"push": {"a": "block.y"}}, "not what it acts on"),
        ({"push": {"force": "3*q"}}, "'q'"),
        ({"motor": "A.angle"}, "function of time"),
        (3, "by name"),
    ],
)
def test_mistakes_are_told(change, told):
    m = block()
    m.friction("rub", "guide.slide", force=1.0)
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(2, 2))
    m.contact("floor", m.ground, ball)
    m.revolute("A", m.ground, m.body("wheel", mass=1.0, inertia=1.0, at=(5, 5)), at=(5, 5))
    m.drive("motor", "A.angle", "2*t")
    with pytest.raises(da.DalembertError, match=told):
        m.event("e", "t", level=1.0, change=change)
