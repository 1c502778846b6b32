"""simulate(control=...): inputs set at fixed instants and held, against the exact solution of a sampled system."""

import numpy as np
import pytest
from scipy.linalg import expm

import dalembert as da

T = 0.05


def axis(mass=2.0):
    m = da.Mechanism("axis", plane=True)
    body = m.body("slide", mass=mass, inertia=1.0)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.input("u", unit="N")
    m.actuator("motor", "guide", force="u")
    m.damper("oil", m["guide"].slide, damping=0.8)
    return m


def sampled(kp, kd, n):
    """States of m x'' + c x' = u at the samples, u = kp (1 - x) - kd x' held: exact by the exponential of a matrix."""
    a = np.array([[0.0, 1.0, 0.0], [0.0, -0.4, 0.5], [0.0, 0.0, 0.0]])
    step = expm(a * T)
    x, inputs = np.zeros(3), []
    states = [x[:2].copy()]
    for _ in range(n):
        x[2] = kp * (1.0 - x[0]) - kd * x[1]
        inputs.append(x[2])
        x = step @ x
        states.append(x[:2].copy())
    return np.array(states), np.array(inputs)


CONTROLLERS = {
    "formula": {"u": "30*(1 - guide.slide) - 5*rate(guide.slide)"},
    "function": lambda now: {"u": 30 * (1 - now.get("guide.slide")) - 5 * now.get("rate(guide.slide)")},
}


@pytest.mark.parametrize("control", CONTROLLERS.values(), ids=list(CONTROLLERS))
def test_sampled_control_is_exact_at_the_samples(control):
    run = da.simulate(axis(), until=2.0, control=control, sample=T, output=T, rtol=1e-10)
    states, inputs = sampled(30.0, 5.0, 40)
    assert run["guide"].slide == pytest.approx(states[:, 0], abs=1e-9)
    assert run["guide.slide"].rate == pytest.approx(states[:, 1], abs=1e-9)
    assert run.status == "ok"
    # between two samples the input is held; at a sample itself an output has the value before
    middle = np.array([run.at(t).z[0] for t in T * (np.arange(40) + 0.5)])
    assert middle == pytest.approx(inputs, abs=1e-8)


def test_the_same_as_the_loop_of_a_stepper():
    m = axis()
    run = da.simulate(m, until=2.0, control=CONTROLLERS["formula"], sample=T, rtol=1e-11)
    live = da.Stepper(m, step=T / 10)
    for _ in range(40):
        live.set("u", CONTROLLERS["function"](live)["u"])
        live.step(10)
    assert live.get("guide.slide") == pytest.approx(run["guide"].slide[-1], abs=1e-8)


def test_energies_are_controlled_too():
    p = da.Lagrangian("x", kinetic="rate(x)**2", forces={"x": "u - 0.8*rate(x)"})
    p.input("u")
    run = da.simulate(p, until=2.0, control={"u": "30*(1 - x) - 5*rate(x)"}, sample=T, output=T, rtol=1e-10)
    assert run["x"] == pytest.approx(sampled(30.0, 5.0, 40)[0][:, 0], abs=1e-9)


def test_an_end_between_samples_and_a_start_that_is_not_zero():
    m = axis()
    whole = da.simulate(m, until=1.0, control=CONTROLLERS["formula"], sample=T, rtol=1e-10)
    half = da.simulate(m, until=0.35, control=CONTROLLERS["formula"], sample=T, rtol=1e-10)
    rest = da.simulate(m, until=1.0, start=half.at(0.35), control=CONTROLLERS["formula"], sample=T, rtol=1e-10)
    assert rest["guide"].slide[-1] == pytest.approx(whole["guide"].slide[-1], abs=1e-9)
    odd = da.simulate(m, until=0.371, control=CONTROLLERS["formula"], sample=T, rtol=1e-10)
    assert odd["guide"].slide[-1] == pytest.approx(float(whole.at(0.371).q[0]), abs=1e-9)


def test_events_on_the_way_change_nothing_of_the_samples():
    m = axis()
    m.parameter("load", 0.0)
    m.force("wind", m["slide"], ("load", 0))
    m.event("gust", "guide.slide - 0.4", direction="up", set={"load": 0.0}, once=True)
    run = da.simulate(m, until=2.0, control=CONTROLLERS["formula"], sample=T, output=T, rtol=1e-10)
    assert [x.name for x in run.events] == ["gust"]
    assert run["guide"].slide == pytest.approx(sampled(30.0, 5.0, 40)[0][:, 0], abs=1e-9)


def test_reactions_can_be_looked_at():
    m = da.Mechanism("arm", plane=True, gravity=(0, -9.81))
    arm = m.body("arm", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, arm, at=(0, 0))
    m.input("u", unit="N m")
    m.actuator("motor", "A", force="u")
    seen = []

    def control(now):
        seen.append(now.get("A.force"))
        return {"u": 9.81 - 40 * now.get("A.angle") - 10 * now.get("rate(A.angle)")}

    run = da.simulate(m, until=1.0, control=control, sample=0.1)
    # a bar released from rest: the pin carries a quarter of its weight, before the motor was switched on
    assert seen[0] == pytest.approx([0.0, 2.0 * 9.81 / 4], abs=1e-12)
    assert run["A"].angle[-1] == pytest.approx(0.0, abs=1e-9) and len(seen) == 10


def test_in_a_file(tmp_path):
    m = axis()
    path = tmp_path / "axis.toml"
    da.write_model(m, path)
    path.write_text(
        path.read_text()
        + '\n[simulate]\nuntil = 2\nsample = "50 ms"\n[simulate.control]\nu = "30*(1 - guide.slide) - 5*rate(guide.slide)"\n'
    )
    from dalembert.cli.main import main

    with pytest.raises(SystemExit) as left:
        main(["run", str(path), "--out", str(tmp_path / "out")])
    assert left.value.code in (0, None)
    run = da.load(tmp_path / "out" / "simulate.npz")
    assert run["guide"].slide[-1] == pytest.approx(sampled(30.0, 5.0, 40)[0][-1, 0], abs=1e-7)


@pytest.mark.parametrize(
    ("formula", "found"), [("3 kN", ""), ("3 m", "a length"), ("3 kN - guide.slide", "must be alike")]
)
def test_formulas_in_a_file_have_the_unit_of_their_input(tmp_path, capsys, formula, found):
    from dalembert.cli.main import main

    path = tmp_path / "axis.toml"
    da.write_model(axis(), path)
    path.write_text(
        path.read_text() + f'\n[simulate]\nuntil = 0.1\nsample = "50 ms"\n[simulate.control]\nu = "{formula}"\n'
    )
    with pytest.raises(SystemExit) as left:
        main(["dynamics", str(path)])
    told = capsys.readouterr()
    assert (left.value.code in (0, None)) == (not found)
    assert not found or ("simulate.control.u" in told.err and found in told.err)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"control": {"u": "1"}}, "sample"),
        ({"sample": 0.1}, "control"),
        ({"control": {"w": "1"}, "sample": 0.1}, "no such input"),
        ({"control": {"u": "guide.slid"}, "sample": 0.1}, "guide.slid"),
        ({"control": {}, "sample": 0.1}, "formula"),
        ({"control": 3, "sample": 0.1}, "formula"),
        ({"control": {"u": "1"}, "sample": -0.1}, "positive"),
        ({"control": {"u": "1/guide.slide"}, "sample": 0.1}, "u"),
        ({"control": lambda now: 3.0, "sample": 0.1}, "by name"),
        ({"control": lambda now: {"u": float("nan")}, "sample": 0.1}, "finite"),
        ({"control": lambda now: 1 / 0, "sample": 0.1}, "ZeroDivisionError"),
    ],
)
def test_mistakes_are_told(options, told):
    with pytest.raises(da.DalembertError, match=told):
        da.simulate(axis(), until=1.0, **options)


def test_what_was_computed_until_a_controller_fails_is_kept():
    def control(now):
        if now.t > 0.5:
            raise RuntimeError("sensor lost")
        return {"u": 1.0}

    with pytest.raises(da.ModelError, match="sensor lost") as caught:
        da.simulate(axis(), until=1.0, control=control, sample=0.1)
    assert caught.value.result.t[-1] == pytest.approx(0.6, abs=1e-9)


def test_drivers_are_not_made_to_jump():
    m = da.Mechanism("driven", plane=True)
    body = m.body("slide", mass=1.0, inertia=1.0)
    m.prismatic("guide", m.ground, body, along=(1, 0))
    m.input("u")
    m.drive("motor", m["guide"].slide, "u*t")
    with pytest.raises(da.MethodError, match="actuator"):
        da.simulate(m, until=1.0, control={"u": "1"}, sample=0.1)


def test_friction_and_contacts_under_control():
    """A ball bounces to rest and is lifted off by the controller, which reads what sticks and touches, and looks once at every sample."""
    m = da.Mechanism("ball", plane=True, gravity=(0, -9.81))
    m.particle("ball", mass=1.0, at=(0, 0.1), velocity=(1.0, 0))
    m.impact("floor", "ball.y", restitution=0.5)
    m.friction("rub", "floor", mu=0.1, along="ball.x")
    m.input("u", unit="N")
    m.force("lift", m["ball"], (0, "u"))
    seen = []

    def control(now):
        seen.append((now.t, *now.get("rub.force"), *now.get("floor.force")))
        return {"u": 2 * 9.81 if now.t > 0.5 + 1e-9 else 0.0}

    run = da.simulate(m, until=1.0, sample=0.05, control=control)
    assert [round(20 * x[0]) for x in seen] == list(range(20))  # also where an event happens at a sample
    assert seen[3][1:] == (0.0, 0.0, 0.0, 0.0)  # open
    assert seen[10][1:] == pytest.approx((-0.981, 0.0, 0.0, 9.81))
    assert run.events[-1].t == pytest.approx(0.55)
    assert run.events[-1].text == "open"
    assert run["ball.y"][-1] == pytest.approx(9.81 * 0.45**2 / 2.0, abs=1e-9)
    assert run.status == "ok"


def test_a_position_controller_stops_short_where_friction_holds():
    m = da.Mechanism("axis", plane=True, gravity=(0, -9.81))
    m.prismatic("guide", m.ground, m.body("slide", mass=1.0, inertia=0.01), along=(1, 0))
    m.friction("rub", "guide", mu=0.3)
    m.input("u", unit="N")
    m.actuator("motor", "guide", force="u")
    run = da.simulate(m, until=2.0, sample=0.01, control={"u": "40*(0.1 - guide.slide) - 4*rate(guide.slide)"})
    assert run.v[-1] == pytest.approx(np.zeros(3), abs=1e-15)
    left = 40 * (0.1 - run["guide"].slide[-1])
    assert 0.0 < left < 0.3 * 9.81
    assert run["rub"].force[-1] == pytest.approx((-left, 0.0))
