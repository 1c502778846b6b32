"""Events that change friction, contacts and stops, and laws of Lagrangian systems: closed forms, files, and what is refused."""

import math

import pytest

import dalembert as da

G = 9.81


def block(**rub):
    """1 kg sliding with 5 m/s on friction of 2 N."""
    m = da.Mechanism("block", plane=True, gravity=(0, -G))
    m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=0.01), along=(1, 0))
    m.friction("rub", **({"on": "guide.slide", "force": 2.0} | rub))
    m.start("guide.slide", 0.0, rate=5.0)
    return m


@pytest.mark.parametrize("step", [None, 0.05])
@pytest.mark.parametrize(("rub", "change", "second"), [({}, {"force": 6.0}, 6.0), ({"on": "guide", "force": None, "mu": 0.2}, {"mu": 0.5, "static": 0.6}, 0.5 * G)])  # fmt: skip
def test_friction_becomes_stronger(rub, change, second, step):
    """5 m/s less the first deceleration for a second, then the second until it sticks."""
    m = block(**rub)
    m.event("wet", "t", level=1.0, change={"rub": change})
    first = 2.0 if not rub else 0.2 * G
    stops = 1.0 + (5.0 - first) / second
    if step is None:
        run = da.simulate(m, until=2.5, rtol=1e-11)
        happened, at, force = run.events, run["guide.slide"][-1], run["rub"].force
        assert run.audit.passed
        assert [x[0] for x in force[[5, -1]]] == pytest.approx([-first, 0.0], abs=1e-9)
        assert force[int((run.t < 1.2).sum()), 0] == pytest.approx(-second)
    else:
        live, happened = da.Stepper(m, step=step), []
        while live.t < 2.5 - 1e-9:
            live.step()
            happened += live.events
        at = live.get("guide.slide")
    assert [(x.name, x.text) for x in happened] == [("wet", "rub changed"), ("rub", "sticks")]
    assert happened[1].t == pytest.approx(stops, abs=1e-10)
    v = 5.0 - first
    assert at == pytest.approx(5.0 - first / 2 + v * v / (2 * second), abs=1e-9)


def test_friction_that_sticks_is_let_go():
    """A force of 3 N on friction that holds 4, which then slips with 1: 2 m/s2 from there."""
    m = da.Mechanism("block", plane=True)
    m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=0.01), along=(1, 0))
    m.friction("rub", "guide.slide", force=4.0)
    m.actuator("push", "guide.slide", force=3.0)
    m.event("oil", "t", level=1.0, change={"rub": {"force": 1.0}})
    m.event("dry", "t", level=2.0, change={"rub": {"force": 5.0}})
    run = da.simulate(m, until=4.0, rtol=1e-11)
    # 2 m/s after a second of slipping, then -2 m/s2: at rest at t = 3
    assert run["guide.slide"][-1] == pytest.approx(1.0 + 1.0, abs=1e-9)
    assert run.events["rub"][-1].t == pytest.approx(3.0, abs=1e-9)
    assert run.audit.passed


def ball(**law):
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    m.particle("ball", mass=1.0, at=(0, 1.0), velocity=(2.0, 0.0))
    m.impact("floor", "ball.y", **law)
    return m


@pytest.mark.parametrize("energies", [False, True])
def test_a_floor_with_another_restitution(energies):
    if energies:
        m = da.Lagrangian("y", kinetic="rate(y)**2/2", potential=f"{G}*y", name="ball")
        m.impact("floor", "y", restitution=0.5)
        m.start("y", 1.0)
    else:
        m = ball(restitution=0.5)
    m.event("mat", "t", level=0.6, change={"floor": {"restitution": 0.8}})
    run = da.simulate(m, until=1.5)
    down = math.sqrt(2.0 / G)
    hits = run.events["floor"]
    # the first rebound has half the speed, and takes as long as the fall
    assert [x.t for x in hits[:2]] == pytest.approx([down, 2.0 * down], abs=1e-9)
    k = 0 if energies else 1
    speeds = [x.after.v[k] / x.before.v[k] for x in hits[:2]]
    assert speeds == pytest.approx([-0.5, -0.8], abs=1e-12)
    assert run.audit.passed


def crate(**law):
    m = da.Mechanism("crate", plane=True, gravity=(0, -G))
    body = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1), velocity=(4.0, 0))
    m.contact("floor", m.ground, body, **({"mu": 0.2} | law))
    return m


def test_a_floor_that_becomes_slippery():
    m = crate()
    m.event("ice", "t", level=0.5, change={"floor": {"mu": 0.1, "static": 0.1}})
    run = da.simulate(m, until=1.0, rtol=1e-10)
    v = 4.0 - 0.2 * G * 0.5
    assert run["crate"].velocity[-1, 0] == pytest.approx(v - 0.1 * G * 0.5, abs=1e-8)
    assert run["floor"].force[-1] == pytest.approx((-0.1 * 2 * G, 2 * G), abs=1e-8)
    assert run.audit.passed


def test_a_compliant_floor_with_other_friction():
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    body = m.body("ball", da.disk(0.1, mass=1.0), at=(0, 0.1 - (G / 1e5)), velocity=(4.0, 0))
    m.contact("floor", m.ground, body, mu=0.2, stiffness=1e5, exponent=1.0)
    m.event("ice", "t", level=0.2, change={"floor": {"mu": 0.1}})
    run = da.simulate(m, until=0.4, rtol=1e-10)
    assert run["ball"].velocity[-1, 0] == pytest.approx(4.0 - 0.2 * G * 0.2 - 0.1 * G * 0.2, abs=1e-6)


def test_a_mass_on_springs_of_energies():
    """Another potential as it passes the middle; a force of the coordinate, and dissipation, after that."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="40*x**2/2", forces={"x": "0"}, name="mass")
    m.start("x", 0.1)
    m.event("stiffer", "x", direction="down", once=True, change={"potential": "160*x**2/2"})
    m.event("turns", "rate(x)", direction="up", once=True, change={"potential": 0, "x": "3", "dissipation": "2*rate(x)**2/2"})  # fmt: skip
    run = da.simulate(m, until=2.0, rtol=1e-12, atol=1e-13)
    quarter = 0.5 * math.pi
    first, second = quarter / math.sqrt(40.0), quarter / math.sqrt(160.0)
    assert run.events.times == pytest.approx([first, first + second], abs=1e-10)
    assert run.events[1].state.q[0] == pytest.approx(-0.05, abs=1e-10)
    # x'' = 3 - 2 x' from rest
    t = 2.0 - first - second
    assert run["x"][-1] == pytest.approx(-0.05 + 1.5 * t - 0.75 * (1.0 - math.exp(-2.0 * t)), abs=1e-9)
    assert run.audit.passed


def test_loads_fields_and_friction_of_energies():
    m = da.Lagrangian("x y", name="particle")
    p = m.particle("p", mass=2.0, at=("x", "y"))
    m.force("push", p, (4, 0))
    m.field("wind", (0, 3))
    m.event("turn", "t", level=1.0, change={"push": {"vector": (0, -4)}, "wind": {"vector": ("-1", 0)}})
    run = da.simulate(m, until=2.0)
    assert run.v[-1] == pytest.approx([2.0 - 1.0, 3.0 - 2.0], abs=1e-9)
    assert run.audit.passed

    m = da.Lagrangian("x", kinetic="rate(x)**2/2", name="block")
    m.friction("rub", "x", force=2.0)
    m.start("x", 0.0, rate=5.0)
    m.event("wet", "t", level=1.0, change={"rub": {"force": 6.0}})
    run = da.simulate(m, until=2.0)
    assert run.events["rub"][0].t == pytest.approx(1.5, abs=1e-9)
    assert run.q[-1, 0] == pytest.approx(4.0 + 9.0 / 12.0, abs=1e-9)
    live = da.Stepper(m, step=0.01)
    live.step(200)
    assert live.get("x") == pytest.approx(4.75, abs=1e-9)


def test_friction_of_energies_that_feels_a_row():
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential=f"{G}*y", holonomic={"rail": "y"}, name="bead")  # fmt: skip
    m.friction("rub", "x", mu=0.2, normal="rail")
    m.start("x", 0.0, rate=5.0)
    m.event("wet", "t", level=1.0, change={"rub": {"mu": 0.5, "static": 0.7}})
    run = da.simulate(m, until=2.0)
    assert run.events["rub"][0].t == pytest.approx(1.0 + (5.0 - 0.2 * G) / (0.5 * G), abs=1e-9)
    assert run.audit.passed


def test_files(tmp_path):
    m = crate(restitution=0.2)
    m.impact("wall", "3 - crate.x", restitution=0.5)
    m.event("ice", "t", level=0.3, change={"floor": {"mu": 0.05, "restitution": 0.1}, "wall": {"restitution": 0.9}})
    system = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="20*x**2", name="mass")
    system.particle("p", mass=1.0, at=("x", 0))
    system.force("push", "p", (1, 0))
    system.friction("rub", "x", force=0.1)
    system.impact("wall", "1 - x", restitution=0.5)
    system.start("x", 0.2)
    system.event("law", "t", level=0.1, change={"x": "-2*rate(x)", "potential": "30*x**2", "push": {"vector": (2, 0)}, "rub": {"force": 0.2}, "wall": {"restitution": 0.1}})  # fmt: skip
    for model in (m, system):
        path = tmp_path / f"{model.name}.toml"
        da.write_model(model, path)
        again = da.read_model(path)
        one, two = da.simulate(model, until=1.2), da.simulate(again, until=1.2)
        assert len(one.events) > 1
        assert [str(x) for x in one.events] == [str(x) for x in two.events]
        assert two.q[-1] == pytest.approx(one.q[-1], abs=1e-14)
    text = path.read_text()
    (tmp_path / "wrong.toml").write_text(text.replace("restitution = 0.1", 'restitution = "0.1 kg"'))
    with pytest.raises(da.DalembertError, match=r"events\.law\.change\.wall\.restitution"):
        da.read_model(tmp_path / "wrong.toml")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"floor": {"mu": None}}, "in the place of"),
        ({"floor": {"radius": 0.1}}, "'radius'"),
        ({"floor": {"mu": -0.1}}, "mu"),
        ({"floor": {"restitution": 1.1}}, "restitution = 1.1"),
        ({"floor": 0.1}, "by name"),
        ({"wall": {"gap": 0.1}}, "'gap'"),
        ({"wall": {"restitution": 2}}, "restitution = 2"),
        ({"rub": {"speed": 0.1}}, "'speed'"),
        ({"rub": {"mu": 0.1}}, "with mu"),
        ({"rub": {"mu": 0.1, "force": None}}, "with mu"),
    ],
)
def test_what_stays(change, told):
    m = crate()
    m.impact("wall", "3 - crate.x")
    m.friction("rub", "crate.angle", force=1.0)
    with pytest.raises(da.ModelError, match=told):
        m.event("e", "t", level=0.3, change=change)


def test_friction_of_its_own_name_does_not_feel_another_contact():
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    body = m.body("ball", da.disk(0.1, mass=1.0), at=(0, 0.1), velocity=(4.0, 0))
    m.contact("floor", m.ground, body, stiffness=1e5)
    m.friction("rub", "floor", mu=0.2)
    with pytest.raises(da.ModelError, match="'rub' feels it"):
        m.event("e", "t", level=0.2, change={"floor": {"stiffness": 1e4}})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"rail": "y"}, "is a row"),
        ({"kinetic": "rate(x)**2"}, "no law"),
        ({"nobody": 3}, "no law"),
        ({"x": "3*z"}, "'z'"),
        ({"x": {"force": 3}}, "one expression"),
        ({"potential": "rate(x)"}, "rate"),
        ({"push": {"on": "p"}}, "'on'"),
        ({"push": 3}, "by name"),
        ({"rub": {"what": "y"}}, "'what'"),
        ({"rub": {"force": None, "mu": 0.1, "normal": "rail"}}, "'normal'"),
    ],
)
def test_what_stays_of_energies(change, told):
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", holonomic={"rail": "y"}, name="bead")
    m.particle("p", mass=1.0, at=("x", 0))
    m.force("push", "p", (1, 0))
    m.friction("rub", "x", force=0.2)
    with pytest.raises(da.DalembertError, match=told):
        m.event("e", "t", level=0.3, change=change)
    assert "e" not in m.events
