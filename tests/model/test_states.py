"""Auxiliary states z' = f: filters and controllers against closed forms and against SciPy, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da

TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def slider(plane: bool = True) -> da.Mechanism:
    """A mass of 2 kg on a rail along x."""
    m = da.Mechanism("slider", plane=plane)
    if plane:
        body = m.body("cart", mass=2.0, inertia=0.1)
        m.prismatic("P", m.ground, body, at=(0, 0), along=(1, 0))
    else:
        body = m.body("cart", mass=2.0, inertia=(0.1, 0.2, 0.3))
        m.prismatic("P", m.ground, body, at=(0, 0, 0), along=(1, 0, 0))
    return m


def reference(f, start, times):
    """Solution of y' = f at tight tolerances."""
    ends = float(times[0]), float(times[-1])
    return solve_ivp(f, ends, start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times).y


def test_low_pass_of_a_driven_angle_follows_the_closed_form():
    m = da.Mechanism("filter", gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.drive("motor", "A", "sin(3*t)")
    m.parameter("tau", 0.25)
    m.state("z", rate="(A.angle - z)/tau", start=0.4, unit="rad")
    run = da.simulate(m, until=4.0, **TIGHT)
    # z' = (sin w t - z)/tau: forced part plus what is left of the start
    w, tau = 3.0, 0.25
    k = 1.0 + (w * tau) ** 2
    z = (np.sin(w * run.t) - w * tau * np.cos(w * run.t)) / k + (0.4 + w * tau / k) * np.exp(-run.t / tau)
    assert np.max(np.abs(run["z"] - z)) < 1e-10
    assert np.max(np.abs(run["z"].rate - (np.sin(w * run.t) - z) / tau)) < 1e-9
    assert run["z"].unit == "rad" and run["z"].rate.unit == "rad/s"
    assert run.status == "ok"
    # the motor carries the bar alone: a state pushes nothing
    inertia = 2.0 / 3.0 * (-9.0 * np.sin(w * run.t)) + 2.0 * 9.81 * 0.5 * np.cos(np.sin(w * run.t))
    assert np.max(np.abs(run["motor"].effort - inertia)) < 1e-9


@pytest.mark.parametrize("plane", [True, False])
def test_slider_under_pid_control_agrees_with_scipy(plane):
    m = slider(plane)
    m.parameter("ki", 15.0)
    m.state("z", rate="1 - P.slide")
    m.actuator("u", "P", force="20*(1 - s) + ki*z - 8*v")
    run = da.simulate(m, until=3.0, output=0.1, **TIGHT)
    x, v, z = reference(lambda t, y: [y[1], 10 * (1 - y[0]) + 7.5 * y[2] - 4 * y[1], 1 - y[0]], [0, 0, 0], run.t)
    assert np.max(np.abs(run["P"].slide - x)) < 1e-9
    assert np.max(np.abs(run["P"].slide.rate - v)) < 1e-9
    assert np.max(np.abs(run["z"] - z)) < 1e-9
    assert np.max(np.abs(run["z"].rate - (1 - x))) < 1e-9
    assert np.max(np.abs(run["u"].effort - (20 * (1 - x) + 15 * z - 8 * v))) < 1e-8
    # a state has no power: the first law closes without it
    assert run.audit.passed and run.audit.energy < 1e-8
    assert run.work.error < 1e-8


def test_pendulum_in_space_with_two_states_that_need_each_other():
    m = da.Mechanism("pendulum", plane=False, gravity=(0, 0, -9.81))
    bar = m.body("bar", mass=2.0, inertia=(0.0, 0.2, 0.2), at=(0, 0, 0), center=(0.5, 0, 0))
    m.revolute("A", m.ground, bar, at=(0, 0, 0), axis=(0, -1, 0))
    # an oscillator of states, driven by the angle, and its motor torque; "b" is named before it is there
    m.state("a", rate="b", start=0.1)
    m.state("b", rate="-4*a - 0.5*b + A.angle")
    m.actuator("motor", "A", force="6*a + 0.5*rate(b) - v")
    run = da.simulate(m, until=3.0, output=0.1, **TIGHT)

    def f(t, y):
        angle, rate, a, b = y
        db = -4 * a - 0.5 * b + angle
        return [rate, (6 * a + 0.5 * db - rate - 2 * 9.81 * 0.5 * math.cos(angle)) / (0.2 + 2 * 0.25), b, db]

    angle, _, a, b = reference(f, [0, 0, 0.1, 0], run.t)
    assert np.max(np.abs(run["A"].angle - angle)) < 1e-9
    assert np.max(np.abs(run["a"] - a)) < 1e-9 and np.max(np.abs(run["b"] - b)) < 1e-9
    assert run.audit.passed


def test_states_between_outputs_and_from_there_on():
    m = slider()
    m.state("z", rate="1 - P.slide", start=0.2)
    m.actuator("u", "P", force="20*(1 - s) + 15*z - 8*v")
    coarse, dense = da.simulate(m, until=2.0, output=0.5, **TIGHT), da.simulate(m, until=2.0, output=0.01, **TIGHT)
    again = coarse.resample(dense.t)
    assert np.max(np.abs(again["z"] - dense["z"])) < 1e-10
    assert np.max(np.abs(again["z"].rate - dense["z"].rate)) < 1e-9
    state = coarse.at(1.23)
    assert state.z == pytest.approx(dense["z"][123:124], abs=1e-10)
    onward = da.simulate(m, until=2.0, start=state, **TIGHT)
    assert onward["z"][-1] == pytest.approx(dense["z"][-1], abs=1e-10)
    # every step as output, a crossing, the equations at a state
    steps = da.simulate(m, until=2.0, output="steps", **TIGHT)
    assert steps["z"][-1] == pytest.approx(dense["z"][-1], abs=1e-10)
    (t,) = coarse.crossings("z", 0.5, direction=1)
    assert coarse.at(t).z[0] == pytest.approx(0.5, abs=1e-12)
    x, v = (float(dense["P"].slide[123]), float(dense["P"].slide.rate[123]))
    force = 20 * (1 - x) + 15 * float(state.z[0]) - 8 * v
    assert da.equations(m, state).a[0] == pytest.approx(force / 2.0, rel=1e-8)


def test_backward_in_time_comes_back_to_the_start():
    m = slider()
    m.state("z", rate="1 - P.slide - 0.3*z", start=0.2)
    m.actuator("u", "P", force="20*(1 - s) + 15*z - 2*v")
    run = da.simulate(m, until=1.0, **TIGHT)
    back = da.simulate(m, until=0.0, start=run.at(1.0), backward=True, **TIGHT)
    assert back["z"][-1] == pytest.approx(0.2, abs=1e-10)
    assert back["P"].slide[-1] == pytest.approx(0.0, abs=1e-10)


def test_a_switch_in_a_rate_and_a_switch_on_a_state_are_hit():
    m = slider()
    m.start("P", rate=1.0)
    # a free cart, x = t: z rises by 1 until x = 0.7, then falls by 2; the force acts while z > 0.3
    m.state("z", rate="if_(P.slide < 0.7, 1, -2)")
    m.state("n", rate="if_(z > 0.3, 1, 0)")
    run = da.simulate(m, until=1.5)
    times = [t for t, _ in run.switches]
    assert times == pytest.approx([0.3, 0.7, 0.9], abs=1e-12)
    assert [name for _, name in run.switches] == ["n", "z", "n"]
    t = run.t
    assert np.max(np.abs(run["z"] - np.where(t < 0.7, t, 0.7 - 2 * (t - 0.7)))) < 1e-11
    assert run["n"][-1] == pytest.approx(0.6, abs=1e-11)


def test_a_curved_state_that_switches_a_force():
    m = slider()
    m.state("z", rate="-z", start=1.0)
    m.force("push", "cart", ("if_(z > 0.5, 2, 0)", 0))
    run = da.simulate(m, until=2.0)
    ((t, name),) = run.switches
    assert name == "push" and t == pytest.approx(math.log(2.0), abs=1e-9)
    # a = 1 until ln 2, then straight on
    assert run["P"].slide[-1] == pytest.approx(0.5 * t**2 + t * (2.0 - t), abs=1e-8)


def test_beside_a_law_in_python():
    m = slider()
    m.state("z", rate="1 - P.slide")
    m.actuator("u", "P", force="20*(1 - s) + 15*z")
    m.actuator("brake", "P", force=lambda s, v, t: -8.0 * v)
    run = da.simulate(m, until=0.5, output=0.1, **TIGHT)
    x, _, z = reference(lambda t, y: [y[1], 10 * (1 - y[0]) + 7.5 * y[2] - 4 * y[1], 1 - y[0]], [0, 0, 0], run.t)
    assert np.max(np.abs(run["P"].slide - x)) < 1e-9 and np.max(np.abs(run["z"] - z)) < 1e-9


def test_scale_and_parameters():
    m = slider()
    p = m.parameter("p", 2e5)
    m.state("pressure", rate="3*(p - pressure)", start=p / 2, unit="Pa", scale=1e5)
    m.force("piston", "cart", ("1e-4*pressure", 0))
    run = da.simulate(m, until=1.0)
    assert np.max(np.abs(run["pressure"] / (2e5 - 1e5 * np.exp(-3 * run.t)) - 1.0)) < 1e-8
    m.set_parameter("p", 4e5)
    assert da.simulate(m, until=1.0)["pressure"][0] == 2e5


def test_in_tables_and_files(tmp_path):
    m = slider()
    m.state("z", rate="1 - P.slide", start=0.1)
    m.actuator("u", "P", force="20*(1 - s) + 15*z - 8*v")
    run = da.simulate(m, until=1.0, output=0.1)
    assert "z [1]" in run.table()
    run.save(tmp_path / "run.npz")
    saved = da.load(tmp_path / "run.npz")
    assert np.array_equal(saved["z"], run["z"]) and np.array_equal(saved["z"].rate, run["z"].rate)
    onward = da.simulate(m, until=1.0, start=saved.at(0.5))
    assert onward["z"][-1] == pytest.approx(float(run["z"][-1]), abs=1e-9)
    run.to_csv(tmp_path / "run.csv")
    assert "z" in (tmp_path / "run.csv").read_text().splitlines()[0]


def test_lagrangian_system_with_states_agrees_with_scipy():
    m = da.Lagrangian("theta", kinetic="0.6*rate(theta)**2", potential="9.81*cos(theta)", forces={"theta": "u"})
    m.state("w", rate="-theta", start=0.05)
    m.state("u", rate="20*(-60*theta + 40*w - 9*rate(theta) - u)")
    m.start("theta", 0.2)
    run = da.simulate(m, until=3.0, output=0.1, **TIGHT)

    def f(t, y):
        theta, rate, w, u = y
        return [rate, (9.81 * math.sin(theta) + u) / 1.2, -theta, 20 * (-60 * theta + 40 * w - 9 * rate - u)]

    theta, _, w, u = reference(f, [0.2, 0, 0.05, 0], run.t)
    for name, x in (("theta", theta), ("w", w), ("u", u)):
        assert np.max(np.abs(run[name] - x)) < 1e-9 * max(1.0, float(np.max(np.abs(x)))), name
    assert run.audit.passed
    # the rows of states push nothing
    assert np.max(np.abs(run["rate of w"])) < 1e-12 and np.max(np.abs(run["rate of u"])) < 1e-12
    assert list(m.states) == ["w", "u"]


REFUSED = {
    "no rate": (lambda m: m.state("y"), "rate is missing"),
    "name taken": (lambda m: m.state("z", rate="1"), "taken"),
    "no name for expressions": (lambda m: m.state("my z", rate="1"), "read back"),
    "time": (lambda m: m.state("t", rate="1"), "meaning of its own"),
    "unknown measure": (lambda m: m.state("y", rate="Q.slide"), "nothing has this name"),
    "no expression": (lambda m: m.state("y", rate=[1]), "expression"),
    "start": (lambda m: m.state("y", rate="1", start=math.nan), "finite"),
    "scale": (lambda m: m.state("y", rate="1", scale=0), "above zero"),
    "unit": (lambda m: m.state("y", rate="1", unit=3), "a unit is a text"),
    "driven": (lambda m: m.drive("d", "z", "t"), "belongs to no body"),
    "driver of it": (lambda m: m.drive("d", "P", "z"), "belongs to no body"),
    "held": (lambda m: m.constraint("c", "P.slide - z"), "belongs to no body"),
    "held rate": (lambda m: m.pfaffian("c", "rate(P.slide) - z"), "belongs to no body"),
    "composite": (lambda m: m.measure("y", "2*z"), "belongs to no body"),
    "acted on": (lambda m: m.actuator("a", "z", force=1), "belongs to no body"),
    "spring on it": (lambda m: m.spring("k", m["z"], stiffness=1.0, free_length=0.0), "belongs to no body"),
    "start condition": (lambda m: m.start("z", 1.0), "begins where m.state says"),
    "equilibrium by energy": (lambda m: da.equilibrium(m, method="energy"), "states have no energy"),
    "settled": (lambda m: da.equilibrium(m, method="settle"), "leave method out"),
    "no equilibrium": (lambda m: (m.state("y", rate="1"), da.equilibrium(m)), "a state never comes to rest"),
    "verify": (da.verify, "know no states"),
    "kinematics": (lambda m: da.kinematics(m, [0.0, 1.0]), "da.simulate"),
    "inverse dynamics": (lambda m: da.inverse_dynamics(m, [0.0, 1.0]), "da.simulate"),
    "holding load": (lambda m: da.holding_load(m, "u"), "values of the states"),
    "absolute coordinates": (lambda m: da.equations(m, form="absolute"), "first order"),
    "not linear": (lambda m: (m.state("y", rate="rate(P.slide)**2"), da.lagrangian_of(m)), "not linear"),
    "wrong number": (lambda m: da.equations(m, da.State(0.0, [0, 0, 0], [0, 0, 0], z=[1, 2])), "1 finite numbers"),
    "result of a new one": (lambda m: (da.simulate(m, 0.1), m.state("y", rate="1"))[0]["y"], "added after this run"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_sentence(case):
    m = slider()
    m.state("z", rate="1 - P.slide")
    m.actuator("u", "P", force="15*z")
    ask, sentence = REFUSED[case]
    with pytest.raises(da.DalembertError) as caught:
        ask(m)
    assert sentence in str(caught.value)


def test_names_that_never_came_and_rates_in_a_circle():
    m = slider()
    m.state("z", rate="speed - z")
    with pytest.raises(da.ModelError, match="'speed'"):
        da.simulate(m, until=1.0)
    m = slider()
    m.state("a", rate="rate(b)")
    m.state("b", rate="1 - rate(a)")
    with pytest.raises(da.ModelError, match="circle"):
        da.simulate(m, until=1.0)
    m = slider()
    m.state("v", rate="1")
    with pytest.raises(da.ModelError, match="names a state as well as a quantity of this law"):
        m.actuator("u", "P", force="-v")


LAGRANGIAN = {
    "no rate": (lambda m: m.state("z"), "rate is missing"),
    "taken": (lambda m: m.state("x", rate="1"), "the name of a coordinate"),
    "parameter": (lambda m: m.state("k", rate="1"), "the name of a parameter"),
    "not linear": (lambda m: m.state("z", rate="rate(x)**2"), "not linear"),
    "start": (lambda m: m.state("z", rate="1", start="a"), "a"),
}


@pytest.mark.parametrize("case", LAGRANGIAN)
def test_refused_of_lagrangian_systems(case):
    m = da.Lagrangian("x", kinetic="rate(x)**2", parameters={"k": 1.0})
    ask, sentence = LAGRANGIAN[case]
    with pytest.raises(da.DalembertError) as caught:
        ask(m)
    assert sentence in str(caught.value)
    assert m.q == ("x",) and not m.states and not m.nonholonomic


FILE = """
name = "cart"
[parameters]
target = "1 m"
tau = "0.1 s"
[bodies.cart]
mass = "2 kg"
inertia = 0.1
[joints.P]
type = "prismatic"
between = ["ground", "cart"]
at = [0, 0]
along = [1, 0]
[forces.u]
type = "actuator"
a = "P"
force = "20*(target - y) + 15*z - 8*v"
[states]
z = "target - y"
y = { rate = "(P.slide - y)/tau", start = "5 cm", unit = "m" }
"""


def test_files_and_back(tmp_path):
    (tmp_path / "a.toml").write_text(FILE)
    m = da.read_model(tmp_path / "a.toml")
    run = da.simulate(m, until=1.0, output=0.1, **TIGHT)

    def f(t, y):
        x, v, z, measured = y
        return [v, (20 * (1 - measured) + 15 * z - 8 * v) / 2.0, 1 - measured, (x - measured) / 0.1]

    x, _, z, y = reference(f, [0, 0, 0, 0.05], run.t)
    assert np.max(np.abs(run["z"] - z)) < 1e-9 and np.max(np.abs(run["y"] - y)) < 1e-9
    da.write_model(m, tmp_path / "b.toml")
    again = da.simulate(da.read_model(tmp_path / "b.toml"), until=1.0, output=0.1, **TIGHT)
    assert np.array_equal(again["z"], run["z"]) and np.array_equal(again["P"].slide, run["P"].slide)
    wrong = FILE.replace("5 cm", "5 kg").replace('z = "target - y"', 'z = "target - yy"')
    (tmp_path / "c.toml").write_text(wrong)
    with pytest.raises(da.ModelFileError) as caught:
        da.read_model(tmp_path / "c.toml")
    assert (
        "states.z" in str(caught.value)
        and "'yy'" in str(caught.value)
        and "a length (m) belongs here" in str(caught.value)
    )


def test_files_of_lagrangian_systems_and_back(tmp_path):
    text = 'kind = "lagrangian"\nq = ["x"]\nkinetic = "rate(x)**2"\n[forces]\nx = "20*(1 - x) + 10*z - 5*rate(x)"\n'
    text += '[states]\nz = { rate = "1 - x - 0.1*w", start = 0.3 }\nw = "z - w"\n'
    (tmp_path / "a.toml").write_text(text)
    m = da.read_model(tmp_path / "a.toml")
    assert m.q == ("x", "z", "w") and list(m.states) == ["z", "w"]
    da.write_model(m, tmp_path / "b.toml")
    again = da.read_model(tmp_path / "b.toml")
    assert again.states == m.states
    one, two = (da.simulate(model, until=1.0) for model in (m, again))
    assert one["z"][0] == 0.3 and np.array_equal(one["w"], two["w"])
    (tmp_path / "c.toml").write_text(text.replace("z - w", "z - ww"))
    with pytest.raises(da.ModelFileError, match="ww"):
        da.read_model(tmp_path / "c.toml")


@pytest.mark.parametrize(
    ("rate", "start", "sentence"),
    [
        ("1/P.slide", 0.0, "without a finite value there: 'z'"),
        ("log(0.5 - t)", 0.0, "at t = 0.5 s"),
        ("-sign(z)", 0.5, "the law of 'z' jumps there"),
    ],
)
def test_rates_without_a_value(rate, start, sentence):
    m = slider()
    m.state("z", rate=rate, start=start)
    with pytest.raises(da.ConvergenceError) as caught:
        da.simulate(m, until=1.0)
    assert sentence in str(caught.value)


def test_beside_a_driver_whose_rate_jumps():
    m = slider()
    m.drive("d", "P", "if_(t < 0.5, 0, t - 0.5)")
    m.state("z", rate="P.slide")
    run = da.simulate(m, until=1.0)
    assert len(run.impulses) == 1 and run["z"][-1] == pytest.approx(0.125, abs=1e-10)


@pytest.mark.parametrize("plane", [True, False])
def test_the_same_in_joint_coordinates(plane):
    at = (lambda *p: p[:2]) if plane else (lambda *p: (p[0], 0.0, p[1]))
    axis = {} if plane else {"axis": (0, -1, 0)}
    m = da.Mechanism("two bars", plane=plane, gravity=at(0.0, -9.81))
    shape = da.rod(length=1.0, mass=2.0) if plane else da.box(1.0, 0.1, 0.1, mass=2.0)
    one, two = m.body("one", shape, at=at(0.5, 0.0)), m.body("two", shape, at=at(1.5, 0.0))
    m.revolute("A", m.ground, one, at=at(0.0, 0.0), **axis)
    m.revolute("B", one, two, at=at(1.0, 0.0), **axis)
    m.start("A", rate=0.7)
    m.start("B", rate=-0.2)
    m.parameter("k", 4.0)
    m.state("y", rate="k*(A.angle - y) + 0.1*rate(B.angle)", start=0.1)
    m.state("z", rate="0.3 - y")
    m.actuator("u", "A", force="30*(0.3 - y) + 20*z - 3*rate(y)")
    system = da.lagrangian_of(m)
    assert system.q == ("theta_A", "theta_B", "y", "z")
    bodies, joints = (da.simulate(x, until=1.0, output=0.1, **TIGHT) for x in (m, system))
    for name, other in (("y", "y"), ("z", "z"), ("A.angle", "theta_A"), ("B.angle", "theta_B")):
        assert np.max(np.abs(bodies[name] - joints[other])) < 1e-10, name
        assert np.max(np.abs(bodies[name].rate - joints[other].rate)) < 1e-9, name
    later = da.lagrangian_of(m, state=bodies.at(0.5))
    assert [later.starts[name].value for name in "yz"] == pytest.approx(list(bodies.at(0.5).z), abs=1e-13)


def test_at_one_instant_and_in_python_arithmetic():
    m = slider()
    slide = m["P"].slide
    z = m.state("z", rate=1 - slide, start=0.2)
    m.actuator("u", "P", force=20 * (1 - slide) + 15 * z - 8 * slide.rate)
    run = da.simulate(m, until=1.0, **TIGHT)
    now = run.instant(0.5)
    x, v = now["P.slide"], now.rate("P.slide")
    assert now["z"] == pytest.approx(run.at(0.5).z[0], abs=1e-13) and now.rate("z") == pytest.approx(1 - x, abs=1e-13)
    assert now.second_rate("P.slide") == pytest.approx((20 * (1 - x) + 15 * now["z"] - 8 * v) / 2.0, rel=1e-9)
    with pytest.raises(da.MethodError, match="no second one"):
        now.second_rate("z")
    assert da.instant(m)["z"] == 0.2 and da.instant(m, run.at(0.5))[z] == now["z"]
    assert da.reactions(m, run.at(0.5)).state.z[0] == now["z"]


# ---- small motions -----------------------------------------------------------------------------------------------------


def lift(weight="0.01*z**3"):
    """Cage of 200 kg under a controller with an integrator, and a motor that lags behind it."""
    m = da.Mechanism("lift", plane=True, gravity=(0, -9.81))
    cage = m.body("cage", mass=200.0, inertia=20.0)
    m.prismatic("shaft", m.ground, cage, along=(0, 1))
    m.state("z", rate=f"3 - shaft.slide - 0.1*rate(shaft.slide) - {weight}", start=4.9)
    m.state("f", rate="20*(z - f)", start=4.0)
    m.actuator("winch", "shaft", force="800*(3 - s) + 400*f - 900*v")
    return m


def test_linearize_a_mechanism_with_states():
    # s'' = (800 (3 - s) + 400 f - 900 v)/200 - g,  z' = 3 - s - v/10 - z³/100,  f' = 20 (z - f), with z = 4.9
    matrix = np.array([[0, 1, 0, 0], [-4, -4.5, 0, 2], [-1, -0.1, -0.03 * 4.9**2, 0], [0, 0, 20, -20]])
    found = da.linearize(lift())
    # 400*4/200 - 9.81 + 4*3 is no rest
    assert not found.steady
    assert np.sort_complex(found.eigenvalues) == pytest.approx(np.sort_complex(np.linalg.eigvals(matrix)), rel=1e-8)
    a, b, c, _ = found.state_space(["shaft.slide"], ["shaft.slide", "rate(shaft.slide)", "z", "rate(f)"])
    # in the coordinates (s, s', z, f)
    change = np.vstack([c[:3], np.eye(4)[3]])
    assert change @ a @ np.linalg.inv(change) == pytest.approx(matrix, abs=1e-8)
    assert change @ b == pytest.approx(np.array([[0], [1 / 200], [0], [0]]), abs=1e-12)
    assert c[3] == pytest.approx([0, 0, 20, -20], abs=1e-9)
    for mode in found.modes:
        x = np.array(
            [
                mode.amplitude("shaft.slide"),
                mode.eigenvalue * mode.amplitude("shaft.slide"),
                mode.amplitude("z"),
                mode.amplitude("f"),
            ]
        )
        assert matrix @ x == pytest.approx(mode.eigenvalue * x, abs=1e-7 * np.max(np.abs(x)))
        assert mode.states(4)[0].z == pytest.approx([4.9, 4.0])


def test_linearize_the_same_as_a_lagrangian_system():
    m, p = lift(), da.lagrangian_of(lift())
    one, two = da.linearize(m), da.linearize(p)
    assert np.sort_complex(one.eigenvalues) == pytest.approx(np.sort_complex(two.eigenvalues), rel=1e-7)


def test_states_that_move_alone_and_free_ones():
    m = slider()
    m.state("a", rate="-3*a", scale=10.0)
    m.state("b", rate="0*b")
    found = da.linearize(m)
    # a place, a speed, and b are free
    assert found.eigenvalues == pytest.approx([0, 0, 0, -3], abs=1e-9) and found.steady
    last = found.modes[-1]
    assert (
        last.amplitude("a") == pytest.approx(10.0) and not np.any(last.shape) and last.eigenvalue == pytest.approx(-3)
    )


def test_transfer_function_of_a_controlled_machine():
    """From a force on the cart to its place, with an integrator: H = s/(2 s³ + 9 s² + 60 s + 40)."""
    m = slider()
    m.state("z", rate="-P.slide")
    m.actuator("u", "P", force="40*z - 60*s - 9*v")
    h = da.linearize(m).transfer("P.slide", "P.slide")
    for s in (1j, 3.0 + 2j, 0.5):
        assert h(s) == pytest.approx(s / (2 * s**3 + 9 * s**2 + 60 * s + 40), rel=1e-8)
    assert da.linearize(m).stable


# ---- equilibria --------------------------------------------------------------------------------------------------------


def test_an_integrator_holds_the_weight():
    # the cage rests where the integral does not change, and 400 f = 400 z carries 200 kg
    found = da.equilibrium(lift(weight="0"))
    (e,) = found
    assert e["shaft.slide"] == pytest.approx(3.0, abs=1e-12) and e.verdict == "stable"
    assert [e["z"], e["f"]] == pytest.approx([200 * 9.81 / 400] * 2, rel=1e-12) and e.state.z.shape == (2,)
    matrix = np.array([[0, 1, 0, 0], [-4, -4.5, 0, 2], [-1, -0.1, 0, 0], [0, 0, 20, -20]])
    assert np.sort_complex(e.eigenvalues) == pytest.approx(np.sort_complex(np.linalg.eigvals(matrix)), rel=1e-7)
    growth = float(np.max(np.linalg.eigvals(matrix).real))
    assert "growth [1/s]" in str(found) and f"{growth:.4f}"[:6] in str(found) and "growth" in repr(e)
    assert np.max(np.abs(da.equations(lift(weight="0"), e.state).a)) < 1e-9
    # linearize takes it, and a run that begins there stays there
    m = lift(weight="0")
    there = da.equilibrium(m)[0]
    assert da.linearize(m, there).steady and da.linearize(m, there).stable
    run = da.simulate(m, until=1.0, start=there.state)
    assert np.ptp(run["shaft"].slide) < 1e-9 and np.ptp(run["f"]) < 1e-9


@pytest.mark.parametrize("rate", ["log(z - 5)", "1/z", "sqrt(z)"])
def test_small_motions_where_a_rate_has_no_value(rate):
    """At z = 0: no value, an infinite one, and an infinite slope."""
    m = da.Mechanism("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.state("z", rate=rate)
    m.torque("push", bar, "3*z")
    with pytest.raises(da.SingularError, match="state 'z'"):
        da.linearize(m)


def test_equilibria_of_a_pendulum_with_a_lag():
    """Torque 3 f with f' = 5 (sin(angle) - f): tan(angle) = m g l/(2*3), twice in a turn; 2/3 a'' = -9.81 cos a + 3 f - a'."""
    m = da.Mechanism("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.state("f", rate="5*(sin(A.angle) - f)")
    m.torque("push", bar, "3*f")
    m.damper("d", m["A"].angle, damping=1.0)
    found = da.equilibrium(m)
    assert [e.verdict for e in found] == ["stable", "unstable"]
    for e, angle in zip(found, (math.atan2(-9.81, -3), math.atan2(9.81, 3))):
        assert e["A.angle"] == pytest.approx(angle, abs=1e-9) and e["f"] == pytest.approx(math.sin(angle), abs=1e-9)
        k = 9.81 * math.sin(angle)
        matrix = np.array([[0, 1, 0], [k / (2 / 3), -1.5, 4.5], [5 * math.cos(angle), 0, -5]])
        assert np.sort_complex(e.eigenvalues) == pytest.approx(np.sort_complex(np.linalg.eigvals(matrix)), rel=1e-6)


def four_bar(plane):
    deep = () if plane else (0,)
    m = da.Mechanism("four bar", plane=plane, gravity=(0, -9.81, *deep))
    axis = {} if plane else {"axis": (0, 0, 1)}
    points = [(0, 0, *deep), (0, 1, *deep), (2, 2, *deep), (2.5, 0, *deep)]
    before = m.ground
    for k, (a, b) in enumerate(zip(points, points[1:])):
        bar = m.body(f"bar{k}", mass=1.0 + k, inertia=0.2 if plane else (0.2,) * 3, at=0.5 * np.add(a, b))
        m.revolute(f"J{k}", before, bar, at=a, **axis)
        before = bar
    if plane:
        m.revolute("J3", before, m.ground, at=points[3])
    else:
        m.point_on_line("J3", m.ground, before, at=points[3], along=(0, 0, 1))
    return m


@pytest.mark.parametrize("plane", [True, False])
def test_equilibrium_of_a_loop_with_a_state(plane):
    """An integrator turns the crank by -30 degrees against the weights; its torque there is dV/d(angle), by differences of assembled poses."""
    m = four_bar(plane)
    drawn = da.instant(m)["J0.angle"]
    wanted = float(drawn) - math.radians(30)
    m.damper("d", m["J0"].angle, damping=20.0)
    m.state("z", rate=f"{wanted!r} - J0.angle")
    m.actuator("motor", "J0", force=f"30*z + 60*({wanted!r} - s)")
    e = da.equilibrium(m, starts=1)[0]
    assert e["J0.angle"] == pytest.approx(wanted, abs=1e-9)

    def energy(angle):
        other = four_bar(plane)
        other.start("J0.angle", angle)
        return float(9.81 * np.array([1.0, 2.0, 3.0]) @ da.assemble(other).state.q.reshape(3, -1)[:, 1])

    h = 1e-3
    assert 30 * e["z"] == pytest.approx((energy(wanted + h) - energy(wanted - h)) / (2 * h), rel=1e-5)


def test_equilibrium_of_a_lagrangian_system_with_states():
    m = da.Lagrangian(
        "theta",
        kinetic="0.6*rate(theta)**2",
        potential="9.81*cos(theta)",
        forces={"theta": "-60*theta + 40*z - 9*rate(theta)"},
    )
    m.state("z", rate="0.3 - theta")
    (e,) = da.equilibrium(m)
    assert e["theta"] == pytest.approx(0.3, abs=1e-10) and e.verdict == "stable"
    assert e["z"] == pytest.approx((60 * 0.3 - 9.81 * math.sin(0.3)) / 40, rel=1e-10)
    matrix = np.array([[0, 1, 0], [(9.81 * math.cos(0.3) - 60) / 1.2, -7.5, 40 / 1.2], [-1, 0, 0]])
    assert np.sort_complex(e.eigenvalues) == pytest.approx(np.sort_complex(np.linalg.eigvals(matrix)), rel=1e-8)
    # turned against itself the integrator drives it away
    worse = da.Lagrangian(
        "theta",
        kinetic="0.6*rate(theta)**2",
        potential="9.81*cos(theta)",
        forces={"theta": "-60*theta + 40*z - 9*rate(theta)"},
    )
    worse.state("z", rate="theta - 0.3")
    assert da.equilibrium(worse)[0].verdict == "unstable"
    # with a constraint
    bead = da.Lagrangian(
        "x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="9.81*y", holonomic={"wire": "y - x**2"},
        forces={"x": "f - rate(x)"},
    )  # fmt: skip
    bead.state("f", rate="2*(3 - f)")
    (e,) = da.equilibrium(bead)
    assert e["x"] == pytest.approx(3 / (2 * 9.81), rel=1e-9) and e["f"] == pytest.approx(3.0, rel=1e-10)


# ---- states that run away ---------------------------------------------------------------------------------------------


def with_state(kind, rate, start):
    if kind == "mechanism":
        m = da.Mechanism("cart", plane=True)
        body = m.body("body", mass=1.0, inertia=0.1)
        m.prismatic("rail", m.ground, body, along=(1, 0))
    else:
        m = da.Lagrangian("x", kinetic="rate(x)**2/2")
    m.state("z", rate=rate, start=start)
    return m


@pytest.mark.parametrize("kind", ["mechanism", "lagrangian"])
@pytest.mark.parametrize(
    ("rate", "start", "pole"),
    # z' = z^2: 1/(1/2 - t);  z' = z^3: (1 - 2t)^-1/2;  z' = exp(z): -log(1 - t);  z' = 1 + z^2: tan t
    [("z**2", 2.0, 0.5), ("z**3", 1.0, 0.5), ("exp(z)", 0.0, 1.0), ("1 + z**2", 0.0, np.pi / 2), ("-z**2", -2.0, 0.5)],
)
def test_a_pole_is_not_passed(kind, rate, start, pole):
    for until in (pole, pole + 1e-9, 2.0 * pole):
        with pytest.raises(da.ConvergenceError, match="'z' = .* grows by its own size within") as caught:
            da.simulate(with_state(kind, rate, start), until=until, output=0.1)
        error = caught.value
        assert abs(error.t - pole) < 1e-7 and "infinite after a finite time" in error.why
        assert error.result.status == "incomplete" and error.result.t[-1] > 0.39
        assert np.all(np.isfinite(np.asarray(error.result["z"])))
    # before it the state is known as well as the instant of the pole: to some rtol, divided by the distance from it
    run = da.simulate(with_state(kind, "z**2", 2.0), until=0.4999, output=0.1)
    assert run.status == "ok" and run["z"][-1] == pytest.approx(1e4, rel=1e-8 / 1e-4)


@pytest.mark.parametrize("kind", ["mechanism", "lagrangian"])
def test_backwards_to_a_pole(kind):
    with pytest.raises(da.ConvergenceError, match="'z'"):
        da.simulate(with_state(kind, "-z**2", 1.0), until=-1.0, backward=True)


@pytest.mark.parametrize(
    ("rate", "start", "end"),
    [
        ("2e3*(1 - z)*z", 1e-3, 1.0),  # steep, but it comes to rest
        ("20*z", 1.0, np.exp(20.0)),  # grows, but is finite at all times
        ("cos(t - 1)", -np.sin(1.0), 0.0),  # passes zero at the end
        ("if_(t > 0.99999999999, 1e12, 0)", 0.0, 10.0),  # has just begun to move
    ],
)
def test_fast_states_are_no_poles(rate, start, end):
    run = da.simulate(with_state("mechanism", rate, start), until=1.0)
    assert run.status == "ok" and run["z"][-1] == pytest.approx(end, rel=1e-4, abs=1e-6)
