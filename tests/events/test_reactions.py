"""Events on reactions, friction, force elements and drivers: closed forms, results, steps, files, and what is refused."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def pendulum(level="40 N", plane=True, **event):
    """A rod of 2 kg and 1 m from the horizontal: w^2 = 3 g sin a/l, so that the pin has 5/2 m g sin a along it and m g cos a/4 across."""
    m = da.Mechanism("pendulum", plane=plane, gravity=(0, -G) if plane else (0, 0, -G))
    if plane:
        m.revolute("A", m.ground, m.body("bar", mass=2.0, inertia=1 / 6, at=(0.5, 0)), at=(0, 0))
    else:
        bar = m.body("bar", mass=2.0, inertia=(1e-3, 1 / 6, 1 / 6), at=(0.5, 0, 0))
        m.revolute("A", m.ground, bar, at=(0, 0, 0), axis=(0, 1, 0))
    m.event("breaks", "A.force", level=level, **event)
    return m


def sine(force):
    """sin a where the pin has a force."""
    return math.sqrt(((force / (2 * G)) ** 2 - 1 / 16) / (25 / 4 - 1 / 16))


@pytest.mark.parametrize("plane", [True, False])
def test_a_pin_breaks_and_the_bar_flies_on_a_parabola(plane):
    run = da.simulate(pendulum(plane=plane, release="A"), until=1.0, rtol=1e-11, atol=1e-12)
    (broken,) = run.events
    before, up = broken.before, 1 if plane else 2
    assert -before.q[up] / 0.5 == pytest.approx(sine(40.0), abs=1e-10)
    speed = 0.5 * math.sqrt(3 * G * sine(40.0))
    assert np.hypot(before.v[0], before.v[up]) == pytest.approx(speed, abs=1e-9)
    t = 1.0 - broken.t
    assert run.q[-1, 0] == pytest.approx(before.q[0] + before.v[0] * t, abs=1e-10)
    assert run.q[-1, up] == pytest.approx(before.q[up] + before.v[up] * t - 0.5 * G * t * t, abs=1e-10)
    assert run["A"].force[-1] == pytest.approx(np.zeros(2 if plane else 3), abs=0.0)
    assert run.audit.passed


def test_the_instant_is_exact():
    """The force at the state of the event, found by another way, is the level to rounding; the time is that of the angle."""
    m = pendulum()
    m.event("there", "A.angle", level=-math.asin(sine(40.0)))
    run = da.simulate(m, until=0.45, rtol=1e-12, atol=1e-13)
    one, two = run.events["breaks"][0], run.events["there"][0]
    assert one.t == pytest.approx(two.t, abs=1e-12)
    force = da.instant(m, one.state)["A"].force
    assert float(np.linalg.norm(force)) == pytest.approx(40.0, abs=1e-10)


def test_directions_and_components():
    m = pendulum(level="2 N")
    m.event("up", "A.force", level="40 N", direction="up")
    m.event("down", "A.force", level="40 N", direction="down")
    m.event("sideways", "A.force_x", level="-12 N", direction="down")
    m.event("half", "A.force_y/2", level="15 N", direction="up")
    run = da.simulate(m, until=1.2, rtol=1e-11, atol=1e-12, output=np.linspace(0, 1.2, 401))
    assert not run.events["breaks"]  # at least m g/4
    force, size = run["A"].force, np.linalg.norm(run["A"].force, axis=1)
    for name, values, way in (("up", size - 40, 1), ("down", size - 40, -1), ("sideways", force[:, 0] + 12, -1), ("half", force[:, 1] / 2 - 15, 1)):  # fmt: skip
        signs = np.sign(values)
        crossings = np.flatnonzero((signs[1:] != signs[:-1]) & (signs[1:] == way))
        times = run.events[name].times
        assert len(times) == len(crossings) > 0
        for t, k in zip(times, crossings):
            assert run.t[k] - 1e-9 <= t <= run.t[k + 1] + 1e-9


def test_a_pin_named_the_other_way_round():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    m.revolute("A", m.body("bar", mass=2.0, inertia=1 / 6, at=(0.5, 0)), m.ground, at=(0, 0))
    m.event("x", "A.force_y", level="-20 N")
    run = da.simulate(m, until=0.3, rtol=1e-11)
    assert run["A"].force[-1, 1] < -20.0  # on the ground
    # m g (5/2 sin^2 a + cos^2 a/4) = 20
    assert -run.events[0].state.q[1] / 0.5 == pytest.approx(math.sqrt((20.0 / (2 * G) - 0.25) / 2.25), abs=1e-8)


def test_springs_friction_and_drivers():
    """A motor pulls a block by a spring, x = t: the spring tears at 3 N; the block slips at 2 N."""
    m = da.Mechanism("pull", plane=True)
    block = m.body("block", mass=1.0, inertia=0.01)
    hook = m.body("hook", mass=0.1, inertia=0.01, at=(1, 0))
    m.prismatic("guide", m.ground, block, along=(1, 0))
    m.prismatic("rail", m.ground, hook, along=(1, 0))
    m.measure("stretch", "rail.slide - guide.slide")
    m.spring("coil", "stretch", stiffness=10.0)
    m.friction("rub", "guide.slide", force=1.0, static_force=2.0)
    m.drive("motor", "rail.slide", "t")
    m.event("torn", "coil.force", level="3 N", direction="up", release="coil")
    m.event("holds", "rub.force", level="1.5 N")
    m.event("works", "motor.effort", level="1.2 N", direction="up")
    run = da.simulate(m, until=0.6, rtol=1e-11, atol=1e-12)
    assert run.events["holds"].times[0] == pytest.approx(0.15, abs=1e-11)  # 10 t while it sticks
    assert run.events["works"].times[0] == pytest.approx(0.12, abs=1e-11)
    assert run.events["rub"][0].t == pytest.approx(0.2, abs=1e-11)
    # it begins to slip with 1 N: the force jumps over 1.5
    assert run.events["holds"].times[1] == pytest.approx(0.2, abs=1e-11)
    # stretch s from 0.2: s'' = -(10 s - 1), s' = 1: s = 0.1 + 0.1 cos(w t) + sin(w t)/w
    w = math.sqrt(10.0)
    t = next(x for x in np.linspace(0, 0.5, 500001) if 0.1 + 0.1 * math.cos(w * x) + math.sin(w * x) / w > 0.3)
    assert run.events["torn"][0].t == pytest.approx(0.2 + t, abs=2e-6)
    assert run["coil"].force[-1] == pytest.approx((0.0, 0.0), abs=0.0)


def test_what_presses_on_a_floor():
    """A crate with a growing pull upward: N = m g - 4 t falls through 10 N."""
    m = da.Mechanism("crate", plane=True, gravity=(0, -G))
    body = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1))
    m.contact("floor", m.ground, body)
    m.force("pull", body, (0, "4*t"))
    m.event("light", "floor.force", level="10 N")
    run = da.simulate(m, until=3.0)
    assert run.events["light"].times == pytest.approx([(2 * G - 10) / 4], abs=1e-10)


def test_a_force_that_jumps_over_its_level_crosses_it():
    """A load that switches, and one that another event adds; a run that begins beyond the level has not crossed it."""
    m = da.Mechanism("bar", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.block(1.0, 0.1, mass=1.0))
    m.fixed("A", m.ground, bar, at=(0, 0))
    m.force("step", bar, (0, "if_(t < 0.5, 0, -20)"))
    m.force("more", bar, (0, -100))
    m.open("more")
    m.event("add", "t", level=1.0, add="more")
    for level in (5, 25, 100):
        m.event(f"over {level}", "A.force", level=level)
    run = da.simulate(m, until=1.5)
    assert [(x.name, round(x.t, 12)) for x in run.events] == [("over 25", 0.5), ("add", 1.0), ("over 100", 1.0)]


def test_it_happens_once_where_its_own_action_takes_the_force_away():
    m = da.Mechanism("bar", plane=True)
    bar = m.body("bar", da.block(1.0, 0.1, mass=1.0))
    m.fixed("A", m.ground, bar, at=(0, 0))
    m.parameter("k", 8.0)
    m.force("pull", bar, ("k*t", 0))
    m.event("limit", "A.force", level="4 N", set={"k": "k/2"})
    run = da.simulate(m, until=1.2)
    assert [(x.text, round(x.t, 10)) for x in run.events] == [("k = 4", 0.5), ("k = 2", 1.0)]


@pytest.mark.parametrize("h", [0.05, 0.013])
def test_in_a_stepper(h):
    m = pendulum(release="A")
    live, found = da.Stepper(m, step=h), []
    while live.t < 0.6:
        live.step()
        found += live.events
    (broken,) = found
    there = da.simulate(m, until=0.6, rtol=1e-11, atol=1e-12).events[0]
    # along a step of a Stepper a force is a parabola: off by the third power of its length
    assert broken.t == pytest.approx(there.t, abs=1e-4 if h > 0.02 else 1e-6)
    # at the state of the step the force is the level itself
    intact = pendulum()
    force = da.instant(intact, broken.before)["A"].force
    assert float(np.linalg.norm(force)) == pytest.approx(40.0, abs=1e-9)


def test_rows_of_energies():
    """A bead on a circle of radius 0.5: the multiplier of x^2 + y^2 - l^2 is that of T/(2 l) along the gradient 2 (x, y)."""
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)", potential=f"2*{G}*y", holonomic={"string": "x**2 + y**2 - 0.25"}, name="bead")  # fmt: skip
    m.start("x", 0.5)
    m.start("y", 0.0)
    m.event("tears", "string", level=40.0 / (2 * 0.5), release="string")
    run = da.simulate(m, until=0.8, rtol=1e-11, atol=1e-12)
    (torn,) = run.events
    assert -torn.before.q[1] / 0.5 == pytest.approx(40.0 / (3 * 2 * G), abs=1e-10)
    t = 0.8 - torn.t
    assert run.q[-1, 1] == pytest.approx(torn.before.q[1] + torn.before.v[1] * t - 0.5 * G * t * t, abs=1e-9)
    live = da.Stepper(m, step=1e-3)
    live.step(800)
    assert live.state.q == pytest.approx(run.q[-1], abs=1e-7)
    with pytest.raises(da.ExpressionError, match=r"event 'no'(.|\n)*'strong'"):
        m.event("no", "strong", level=1.0)
        da.simulate(m, until=0.1)


def test_files(tmp_path):
    m = pendulum(release="A")
    da.write_model(m, tmp_path / "pendulum.toml")
    text = (tmp_path / "pendulum.toml").read_text()
    assert 'on = "A.force"' in text
    again = da.read_model(tmp_path / "pendulum.toml")
    assert da.simulate(again, until=0.5).events.times == da.simulate(m, until=0.5).events.times
    (tmp_path / "kilo.toml").write_text(text.replace("level = 40", 'level = "0.04 kN"'))
    assert len(da.simulate(da.read_model(tmp_path / "kilo.toml"), until=0.5).events) == 1
    (tmp_path / "wrong.toml").write_text(text.replace("level = 40", 'level = "40 mm"'))
    with pytest.raises(da.DalembertError, match=r"events\.breaks"):
        da.read_model(tmp_path / "wrong.toml")


@pytest.mark.parametrize(
    ("what", "level", "told"),
    [
        ("A.force", "3 m", "A.force is a force"),
        ("A.forse", 3, "A.forse"),
        ("A.force_z", 3, "A.force_z"),
        ("A.effort", 3, "A.effort"),
        ("B.force", 3, "B.force"),
        ("bar.force", 3, "bar.force"),
        ("rate(A.force)", 3, "rate"),
        ("A.torque", 3, r"'A\.torque'\n.*events watch force, force_x, force_y\n"),
    ],
)
def test_what_is_no_load(what, level, told):
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    m.revolute("A", m.ground, m.body("bar", mass=2.0, inertia=1 / 6, at=(0.5, 0)), at=(0, 0))
    with pytest.raises(da.DalembertError, match=told):
        m.event("e", what, level=level)
        da.simulate(m, until=0.1)


def test_loads_that_are_not_unique_are_refused():
    m = da.Mechanism("bar", plane=True, gravity=(0, -G))
    bar = m.body("bar", da.block(1.0, 0.1, mass=1.0))
    m.revolute("A", m.ground, bar, at=(-0.5, 0))
    m.revolute("B", m.ground, bar, at=(0.5, 0))
    m.event("sideways", "A.force_x", level="3 N")
    with pytest.raises(da.ModelError, match=r"'sideways'(.|\n)*not unique(.|\n)*'A', 'B'"):
        da.simulate(m, until=0.1)
    fine = da.Mechanism("bar", plane=True, gravity=(0, -G))
    bar = fine.body("bar", da.block(1.0, 0.1, mass=1.0))
    fine.revolute("A", fine.ground, bar, at=(-0.5, 0))
    fine.revolute("B", fine.ground, bar, at=(0.5, 0))
    fine.force("push", bar, (0, "-20*t"))
    fine.event("upward", "A.force_y", level="10 N")  # half of what is on it, however the rest is shared
    assert da.simulate(fine, until=1.0).events.times == pytest.approx([(20 - G) / 20], abs=1e-10)


@pytest.mark.parametrize("method", [5, "radau5", "generalized_alpha"])
def test_other_methods(method):
    run = da.simulate(pendulum(release="A"), until=0.4, rtol=1e-6, method=method)
    (broken,) = run.events
    # rtol 1e-6 for each step, of a method of order 2 among them
    assert -broken.before.q[1] / 0.5 == pytest.approx(sine(40.0), abs=1e-4)
    force = da.instant(pendulum(), broken.before)["A"].force
    assert float(np.linalg.norm(force)) == pytest.approx(40.0, abs=1e-7)


def test_a_force_that_is_rounding_at_the_start():
    """A wheel without weight that a motor begins to turn: the force on its pin grows from nothing, m r w^2 with w = t^2."""
    m = da.Mechanism("wheel", plane=True)
    wheel = m.body("wheel", mass=2.0, inertia=0.5, at=(0.3, 0))
    m.revolute("A", m.ground, wheel, at=(0, 0))
    m.drive("motor", "A.angle", "t**4/12")
    m.event("e", "A.force", level="0.7 N")
    m.event("torque", "motor.effort", level="0.2 N m")
    run = da.simulate(m, until=2.0, rtol=1e-10)
    # w = t^3/3 and w' = t^2: m r sqrt(w^4 + w'^2) = 0.7, and (I + m r^2) w' = 0.2
    (e,), (torque,) = run.events["e"].times, run.events["torque"].times
    assert 0.6 * math.hypot((e**3 / 3) ** 2, e**2) == pytest.approx(0.7, abs=1e-11)
    assert torque == pytest.approx(math.sqrt(0.2 / (0.5 + 0.18)), abs=1e-11)
