"""What events do: parameters, joints, locks, blows, drivers, Python functions; each against a closed form, with both kinds of models."""

import math
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da

G = 9.81


def pendulum():
    m = da.Mechanism("pendulum", gravity=(0, -G))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    return m


def test_release_a_joint():
    """Cut at the bottom: w = -sqrt(3 g/L) stays, the centre flies on with w L/2 along x and falls freely."""
    m = pendulum()
    m.event("cut", "A.angle", level=-math.pi / 2, direction="down", release="A")
    run = da.simulate(m, until=1.5, rtol=1e-11, atol=1e-12)
    assert run.status == "ok"
    (cut,) = run.events
    w = -math.sqrt(3.0 * G)
    assert cut.state.v[2] == pytest.approx(w, abs=1e-9)
    past = 1.5 - cut.t
    assert run.q[-1] == pytest.approx([w / -2 * -past, -0.5 - 0.5 * G * past**2, -math.pi / 2 + w * past], abs=1e-8)
    before, after = run.t < cut.t, run.t > cut.t
    assert np.all(np.linalg.norm(run["A"].force[before], axis=1) > 1.0) and not np.any(run["A"].force[after])
    # 5/2 m g at the bottom, from run.resample just before
    assert run.resample([cut.t * (1 - 1e-12)])["A"].force[0] == pytest.approx([0.0, 2.5 * 2.0 * G], abs=1e-6)


def test_release_a_row_of_coordinates():
    m = da.Lagrangian(
        "x y", gravity=(0, "-g"), parameters={"g": G, "l": 1.0}, holonomic={"string": "x**2 + y**2 - l**2"}
    )
    m.particle("bob", mass=1.0, at=("x", "y"))
    m.start("x", 1.0)
    m.guess("y", 0.0)
    m.event("cut", "x", direction="down", release="string")
    run = da.simulate(m, until=1.0, rtol=1e-11, atol=1e-12)
    (cut,) = run.events
    v = -math.sqrt(2.0 * G)
    past = 1.0 - cut.t
    assert cut.state.v == pytest.approx([v, 0.0], abs=1e-8)
    assert run.q[-1] == pytest.approx([v * past, -1.0 - 0.5 * G * past**2], abs=1e-8)
    assert np.all(run["string"][run.t > cut.t] == 0.0) and np.any(run["string"] != 0.0)


def test_lock_and_unlock():
    """A pendulum that is caught at the bottom loses all its energy, m g L/2, and stays."""
    m = pendulum()
    m.event("catch", "A.angle", level=-math.pi / 2, direction="down", lock="A")
    m.event("let go", "t", level=1.0, unlock="A.angle")
    run = da.simulate(m, until=1.5)
    caught = run.events["catch"][0]
    assert caught.energy_lost == pytest.approx(2.0 * G * 0.5, rel=1e-8)
    assert run.status == "ok" and np.max(np.abs(run.v[run.t > caught.t])) < 1e-12


def test_lock_a_coordinate_in_flight():
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2 + rate(y)**2/2")
    m.start("x", 0.0, rate=1.0)
    m.start("y", 0.0, rate=2.0)
    m.event("lock", "x", level=0.5, lock="x")
    run = da.simulate(m, until=1.0)
    assert run.q[-1] == pytest.approx([0.5, 2.0], abs=1e-12)


def test_set_a_parameter():
    """A spring that becomes four times as stiff at t = 1/2: two harmonic motions that fit together."""
    m = da.Mechanism("oscillator")
    m.particle("b", mass=1.0, at=(1.0, 0))
    m.parameter("k", 100.0)
    m.actuator("s", "b.x", force="-k*s")
    m.event("stiff", "t", level=0.5, set={"k": 400.0})
    run = da.simulate(m, until=1.0, rtol=1e-11, atol=1e-12)
    x, v = math.cos(5.0), -10.0 * math.sin(5.0)
    assert run["b"].position[-1, 0] == pytest.approx(x * math.cos(10.0) + v / 20.0 * math.sin(10.0), abs=1e-9)
    assert m.parameters == {"k": 100.0}, "the model stays as it was"


def test_energies_have_the_numbers_of_their_part():
    m = da.Mechanism("oscillator")
    b = m.particle("b", mass=1.0, at=(2.0, 0))
    k = m.parameter("k", 100.0)
    m.spring("s", m.ground.point(0, 0), b.point(0, 0), stiffness=k, free_length=1.0)
    m.event("stiff", "t", level=0.25, set={"k": "4*k"})
    run = da.simulate(m, until=0.5)
    total, late = run.energy.total, run.t > 0.25
    x = 1.0 * math.cos(2.5)
    assert total[~late] == pytest.approx(50.0, abs=1e-5)
    assert total[late] == pytest.approx(50.0 + 150.0 * x**2, abs=1e-4)


def test_strike():
    m = da.Mechanism("puck")
    puck = m.particle("b", mass=2.0, at=(0, 0), velocity=(1, 0))
    m.event("kick", "b.x", level=0.5, direction="up", strike={puck: (0, 4.0)})
    run = da.simulate(m, until=1.0)
    assert run.q[-1][:2] == pytest.approx([1.0, 1.0], abs=1e-12)
    assert run.events[0].energy_change == pytest.approx(4.0, abs=1e-12)
    assert run.at(run.events[0].t).v[:2] == pytest.approx([1.0, 2.0]), "at an instant of change: the state after"


def test_strike_a_coordinate():
    m = da.Lagrangian("x", kinetic="rate(x)**2")
    m.start("x", 0.0, rate=1.0)
    m.event("kick", "x", level=0.5, strike={"x": 4.0}, once=True)
    run = da.simulate(m, until=1.0)
    assert run.q[-1, 0] == pytest.approx(0.5 + 0.5 * 3.0, abs=1e-12)


def test_a_clutch_closes():
    """Two rotors: 2 * 3 = (2 + 1) w."""
    m = da.Mechanism("clutch")
    a = m.body("a", mass=1.0, inertia=2.0, at=(0, 0), spin=3.0)
    c = m.body("c", mass=1.0, inertia=1.0, at=(1, 0))
    m.revolute("A", m.ground, a, at=(0, 0))
    m.revolute("C", m.ground, c, at=(1, 0))
    m.pfaffian("G", "rate(A.angle) - rate(C.angle)")
    m.open("G")
    m.event("engage", "t", level=1.0, add="G")
    assert da.mobility(m).dof == 2, "it is open at the start"
    run = da.simulate(m, until=2.0)
    assert run.status == "ok"
    assert run.v[-1, [2, 5]] == pytest.approx([2.0, 2.0], abs=1e-12)
    assert run.events[0].energy_lost == pytest.approx(9.0 - 6.0, abs=1e-12)


def test_a_joint_that_does_not_meet_is_refused():
    m = da.Mechanism("clutch")
    a = m.body("a", mass=1.0, inertia=2.0, at=(0, 0), spin=3.0)
    m.revolute("A", m.ground, a, at=(0, 0))
    m.constraint("G", "A.angle")
    m.open("G")
    m.event("engage", "t", level=1.0, add="G")
    with pytest.raises(da.ModelError, match="'G' is off by 3") as refused:
        da.simulate(m, until=2.0)
    assert refused.value.result.t[-1] == pytest.approx(1.0), "what was computed until then"


def test_a_driver_jumps():
    m = pendulum()
    for name, value in (("w", 1.0), ("p0", 0.0), ("t0", 0.0)):
        m.parameter(name, value)
    m.drive("motor", "A.angle", "p0 + w*(t - t0)")
    m.event("faster", "A.angle", level=0.5, set={"w": 2.0, "p0": "A.angle", "t0": "t"}, once=True)
    run = da.simulate(m, until=1.0)
    assert run.status == "ok" and run.q[-1, 2] == pytest.approx(1.5, abs=1e-12)
    # the motor does the work of the jump: J (4 - 1)/2 with J = m L^2/3
    assert run.events[0].energy_change == pytest.approx(2.0 / 3.0 * 1.5, abs=1e-9)


def test_a_python_action():
    m = da.Mechanism("puck")
    m.particle("b", mass=2.0, at=(0, 0), velocity=(1, 2))
    seen = []

    def look(now):
        seen.append((now.t, now["b.y"], now["rate(b.x)"]))
        return {"stop": True}

    m.event("look", "b.y", level=1.0, action=look)
    run = da.simulate(m, until=5.0)
    assert seen == [pytest.approx((0.5, 1.0, 1.0), abs=1e-12)] and run.trace.kept.t[-1] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("given", "told"),
    [({"stop": 3}, "stop"), ({"set": {"q": 1}}, "parameter"), ({"release": "X"}, "part"), ({"lock": "X"}, "X"), ({"direction": "left"}, "direction"),
     ({"action": 3}, "action"), ({"level": "nothing"}, "nothing")],
)  # fmt: skip
def test_wrong_arguments_are_refused(given, told):
    m = pendulum()
    with pytest.raises(da.ModelError, match=told):
        m.event("e", "A.angle", **given)
    assert "e" not in m.events


def test_an_action_that_returns_nonsense_is_refused():
    m = pendulum()
    m.event("e", "t", level=0.1, action=lambda now: {"explode": 1})
    with pytest.raises(da.ModelError, match="explode"):
        da.simulate(m, until=1.0)


def test_backward_is_refused():
    m = pendulum()
    m.event("e", "t", level=0.1)
    with pytest.raises(da.MethodError, match="backward"):
        da.simulate(m, until=-1.0, backward=True)


def test_a_storm_is_refused_with_what_was_computed():
    """Two forces that take each other over their levels: the jump of each is an event that lets the other jump."""
    m = da.Mechanism("block", plane=True)
    m.parameter("f", 0.0)
    m.parameter("g", 0.0)
    m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=1.0), along=(1, 0))
    m.actuator("push", "guide.slide", force="f + 0.5")
    m.actuator("pull", "guide.slide", force="g")
    m.event("begins", "t", level=0.5, set={"g": 1})
    m.event("one", "push.force_x", set={"g": "1 - g"})
    m.event("two", "pull.force_x", level=0.5, set={"f": "-1 - f"})
    with pytest.raises(da.ConvergenceError, match="without end|changes at") as refused:
        da.simulate(m, until=1000.0)
    assert refused.value.result is not None and len(refused.value.result.events) > 10


@pytest.mark.parametrize("method", ["auto", "radau", "generalized_alpha", "variational"])
def test_what_has_just_happened_has_to_leave_its_level(method):
    """A force that is turned around where the motion turns, at t = 1: the rate comes back from 0 to where it came from, which is no second crossing."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", forces={"x": "f"}, parameters={"f": 1.0})
    m.start("x", 0.0, rate=-1.0)
    m.event("turn", "rate(x)", set={"f": "-f"})
    run = da.simulate(m, until=3.0, method=method, **({"step": 0.01} if method == "variational" else {}))
    assert [event.t for event in run.events] == pytest.approx([1.0], abs=1e-9)
    assert run.q[-1] == pytest.approx([-0.5 - 2.0], abs=1e-7)


@pytest.mark.parametrize("spin", [4.0, 40.0])
@pytest.mark.parametrize("method", ["auto", "variational", "steps"])
def test_two_events_at_the_same_instants(method, spin):
    """sin(w t - 0.3) is zero at (0.3 + k pi)/w, for an event of each direction: what one of them is looked at with belongs to that instant, and laws between are no events."""
    m = da.Mechanism("wheel")
    m.revolute("A", m.ground, m.body("wheel", mass=2.0, inertia=0.5, spin=spin), at=(0, 0))
    m.prismatic("P", m.ground, m.body("cart", mass=1.0, inertia=1.0, at=(0, 3)), along=(1, 0))
    m.actuator("push", m["P"].slide, force="2*cos(t)")
    for way in ("up", "down"):
        m.event(way, "sin(A.angle - 0.3)", direction=way)
    if method == "steps":
        live, found = da.Stepper(m, step=0.1), []
        for _ in range(20):
            live.step()
            found += live.events
    else:
        found = da.simulate(m, until=2.0, method=method, **({"step": 0.1} if method == "variational" else {})).events
    times = np.array([(0.3 + k * math.pi) / spin for k in range(30)])
    times = times[times < 2.0]
    assert [x.t for x in found] == pytest.approx(list(times), abs=1e-12)
    assert [x.name for x in found] == ["up", "down"] * (len(times) // 2) + ["up"] * (len(times) % 2)


@pytest.mark.parametrize("t0", [0.0, 1e4])
@pytest.mark.parametrize("method", ["auto", "dormand_prince", "radau", "generalized_alpha", "variational"])
@pytest.mark.parametrize("kind", ["bodies", "coordinates"])
def test_a_level_that_holds_at_the_start_is_left_first(kind, method, t0):
    """A unit mass at rest at the level, by forces of T = t - t0 (3 T - 1: x = (T - 1) T^2/2, back at T = 1): whichever way it goes, that is no crossing."""
    for force, crossings in (
        ("-1", []), ("1", []), ("-6*T", []), ("-T**3", []), ("T**3", []), ("0", []), ("1 - 3*T", [1.0]), ("3*T - 1", [1.0]), ("if_(T < 0.5, 0, -1)", []),
    ):  # fmt: skip
        force = force.replace("T", f"(t - {t0})")
        if kind == "bodies":
            m = da.Mechanism("block", plane=True)
            m.prismatic("guide", m.ground, m.body("block", mass=1.0, inertia=1.0), along=(1, 0))
            m.actuator("push", "guide.slide", force=force)
        else:
            m = da.Lagrangian("x", "rate(x)**2/2", forces={"x": force})
        start = replace(da.simulate(m, until=1e-3, method="variational", step=1e-3).at(0.0), t=t0)
        for direction in ("both", "up", "down"):
            m.event(direction, "guide.slide" if kind == "bodies" else "x", direction=direction)
        more = {"method": "variational", "step": 1e-3} if method == "variational" else {"method": method}
        run = da.simulate(m, until=t0 + 2.0, start=start, **more)
        found = [event.t - t0 for event in run.events["both"]]
        # the error of steps of 1e-3 moves the crossing by some 1e-6
        assert found == pytest.approx(crossings, abs=1e-5), force
        assert len(run.events["up"]) + len(run.events["down"]) == len(crossings), force


def test_in_space():
    """A rotor in space whose turns are counted, released after two and a half of them."""
    m = da.Mechanism("rotor", plane=False)
    body = m.body("rotor", mass=1.0, inertia=(1, 1, 2), at=(0, 0, 0), spin=(0, 0, 2.0))
    m.revolute("A", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    m.event("done", "A.angle", level=5 * math.pi, direction="up", lock="A")
    m.event("free", "t", level=9.0, release="A", unlock="A")
    run = da.simulate(m, until=10.0, rtol=1e-12, atol=1e-13)
    assert run.status == "ok" and run.events[0].t == pytest.approx(
        2.5 * math.pi, abs=1e-9
    )  # what the tolerance leaves of 5 pi
    assert run["A"].angle[-1] == pytest.approx(5 * math.pi, abs=1e-12)


def test_a_row_that_is_open_at_the_start():
    """A bead falls freely until a string of 1 m is taut, at y = -1: the string takes its velocity along it."""
    m = da.Lagrangian("x y", gravity=(0, "-g"), parameters={"g": G}, holonomic={"string": "x**2 + y**2 - 1"})
    m.particle("bob", mass=1.0, at=("x", "y"))
    m.start("x", 0.6)
    m.start("y", 0.0)
    m.open("string")
    m.event("taut", "x**2 + y**2 - 1", direction="up", add="string")
    run = da.simulate(m, until=1.0, rtol=1e-11, atol=1e-12)
    (taut,) = run.events
    v = math.sqrt(2.0 * G * 0.8)
    assert taut.before.v == pytest.approx([0.0, -v], abs=1e-9)
    assert taut.state.v == pytest.approx(
        [0.8 * 0.6 * v * -1.0, -0.36 * v], abs=1e-9
    )  # without what is along (0.6, -0.8)
    assert run.q[run.t > taut.t][:, 0] ** 2 + run.q[run.t > taut.t][:, 1] ** 2 == pytest.approx(1.0, abs=1e-11)


def test_another_law_is_another_element():
    """A soft spring gives way to a stiff one, and that is cut in the end: two harmonic motions and a straight one."""
    m = da.Mechanism("springs")
    b = m.particle("b", mass=1.0, at=(2.0, 0))
    for name, k in (("soft", 100.0), ("stiff", 400.0)):
        m.spring(name, m.ground.point(0, 0), b.point(0, 0), stiffness=k, free_length=1.0)
    m.open("stiff")
    m.event("change", "t", level=0.25, release="soft", add="stiff")
    m.event("cut", "t", level=0.5, release="stiff")
    run = da.simulate(m, until=0.75, rtol=1e-11, atol=1e-12)
    assert run.status == "ok"
    x, v = math.cos(2.5), -10.0 * math.sin(2.5)
    x, v = x * math.cos(5.0) + v / 20.0 * math.sin(5.0), v * math.cos(5.0) - 20.0 * x * math.sin(5.0)
    assert run.q[-1, 0] == pytest.approx(1.0 + x + 0.25 * v, abs=1e-8)
    early, late = run.t < 0.25, run.t > 0.5
    assert np.all(run["stiff"].force[early] == 0.0) and np.all(run["soft"].force[~early & (run.t != 0.25)] == 0.0)
    assert run["soft"].force[0] == pytest.approx([-100.0, 0.0]) and np.all(run["stiff"].force[late] == 0.0)
    assert run.energy.potential[late] == pytest.approx(0.0, abs=1e-12)


def test_a_motor_is_switched_off():
    """It turns with 2 rad/s and then freely, without gravity as before."""
    m = da.Mechanism("rotor")
    body = m.body("rotor", mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, body, at=(0, 0))
    m.drive("motor", "A.angle", "t**2")
    m.event("off", "t", level=1.0, release="motor")
    run = da.simulate(m, until=2.0)
    assert run.status == "ok" and run.q[-1, 2] == pytest.approx(3.0, abs=1e-12)
    assert run["motor"].effort[0] == pytest.approx(2.0) and run["motor"].effort[-1] == 0.0
