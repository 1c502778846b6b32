"""holding_load: loads that hold a pose, by virtual work, against closed forms of levers, lifts and toggles; errors that name the load.

One small linear system: tolerances are round-off, times the sensitivity of the pose (a toggle at angle e has 1/e).
"""

from __future__ import annotations

import importlib
import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


# -- machines ----------------------------------------------------------------------------------------------------------


def lever(plane=True):
    """Lever about the origin, 2 m to the right and 0.5 m to the left, 4 kg in all, with 30 kg on the short end."""
    flat = lambda x, y: (x, y) if plane else (x, 0, y)  # noqa: E731
    m = da.Mechanism("lever", plane=plane, gravity=flat(0, -G))
    inertia = 4 * 2.5**2 / 12
    bar = m.body("lever", mass=4.0, inertia=inertia if plane else (0.01, inertia, inertia), at=flat(0.75, 0))
    load = m.body("load", mass=30.0, inertia=0.5 if plane else (0.5, 0.5, 0.5), at=flat(-0.5, 0.2))
    m.revolute("A", m.ground, bar, at=flat(0, 0), **({} if plane else {"axis": (0, 1, 0)}))
    m.fixed("seat", bar, load, at=flat(-0.5, 0))
    m.force("hand", bar, flat(0, -1), at=flat(2, 0))
    return m


def scissor_lift(theta, stages=3, a=0.6, mass=8.0, load=200.0):
    """Scissor lift: arms of length 2a crossed at their middles, foot of one arm on a pin, the other sliding; a load on top."""
    m = da.Mechanism("scissor lift", plane=True, gravity=(0, -G))
    c, s = math.cos(theta), math.sin(theta)
    w, h = 2 * a * c, 2 * a * s
    rising, falling = [], []
    for k in range(stages):
        up = m.body(f"up {k}", da.rod(length=2 * a, mass=mass), at=(w / 2, (k + 0.5) * h), angle=theta)
        down = m.body(f"down {k}", da.rod(length=2 * a, mass=mass), at=(w / 2, (k + 0.5) * h), angle=-theta)
        m.revolute(f"middle {k}", up, down, at=(w / 2, (k + 0.5) * h))
        if k:
            m.revolute(f"left {k}", falling[-1], up, at=(0, k * h))
            m.revolute(f"right {k}", rising[-1], down, at=(w, k * h))
        rising.append(up)
        falling.append(down)
    m.revolute("pin", m.ground, rising[0], at=(0, 0))
    m.constraint("floor", m.measure("roller height", point=falling[0].end, along=(0, 1)))
    top = m.body("table", mass=load, inertia=5.0, at=(w / 2, stages * h))
    m.revolute("hinge", falling[-1], top, at=(0, stages * h))
    m.constraint("rail", m.measure("rail height", point=rising[-1].end, along=(0, 1), relative_to=top.point(0, 0)))
    m.absolute_angle("level", top, 0.0)
    m.measure("roller", point=falling[0].end, along=(1, 0))
    return m


def toggle(angle, clamp=-500.0, hand=-1.0, drive=False):
    """Toggle clamp: two links of 0.2 m at `angle` from the straight line, the knee pressed down, the pad along x."""
    m = da.Mechanism("toggle clamp", plane=True)
    c, s, l = math.cos(angle), math.sin(angle), 0.2
    left = m.body("left", da.rod(length=l, mass=0.3), at=(l * c / 2, l * s / 2), angle=angle)
    right = m.body("right", da.rod(length=l, mass=0.3), at=(1.5 * l * c, l * s / 2), angle=-angle)
    pad = m.body("pad", da.block(0.05, 0.05, mass=0.2), at=(2 * l * c, 0))
    m.revolute("O", m.ground, left, at=(0, 0))
    m.revolute("knee", left, right, at=(l * c, l * s))
    m.revolute("E", right, pad, at=(2 * l * c, 0))
    m.prismatic("guide", m.ground, pad, along=(1, 0))
    m.force("clamp", pad, (clamp, 0))
    m.force("hand", left, (0, hand), at=left.end)
    if drive:
        m.drive("hold", "O.angle", repr(angle))
    return m


# -- numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])
def test_lever(plane):
    """Archimedes: 2 P = 0.5 * 30 g - 0.75 * 4 g."""
    held = da.holding_load(lever(plane), "hand")
    assert held.value == pytest.approx((0.5 * 30 - 0.75 * 4) * G / 2, rel=1e-12)
    assert held["hand"].multiplier == pytest.approx(held.value, rel=1e-12)


@pytest.mark.parametrize("stages", [1, 2, 3])
@pytest.mark.parametrize("degrees", [5, 30, 70])
def test_scissor_lift(stages, degrees):
    """h = 2 n a sin, w = 2 a cos, 2n arms of mass m with mean height n a sin: F dw = (W n + m g n^2) 2 a cos, F = -(n W + n^2 m g)/tan."""
    theta = math.radians(degrees)
    held = da.holding_load(scissor_lift(theta, stages), "roller")
    expected = -(stages * 200.0 + stages**2 * 8.0) * G / math.tan(theta)
    assert held.value == pytest.approx(expected, rel=1e-10)
    assert held["roller"].multiplier == pytest.approx(expected, rel=1e-10)
    assert held.freedoms == 1


@pytest.mark.parametrize("angle", [0.5, 0.1, 1e-2, 1e-3, 1e-5])
def test_toggle_clamp_towards_its_dead_centre(angle):
    """Hand P on the knee against the clamp force F: P = 2 F tan(angle); and the force that a given hand makes, F = P / (2 tan)."""
    held = da.holding_load(toggle(angle), "hand")
    assert held.value == pytest.approx(2 * 500 * math.tan(angle), rel=1e-15 / angle**2 + 1e-12)
    made = da.holding_load(toggle(angle, clamp=-1.0, hand=-80.0), "clamp")
    assert made.value == pytest.approx(80.0 / (2 * math.tan(angle)), rel=1e-15 / angle**2 + 1e-12)
    for found in (held, made):
        assert found.spread <= 1e-9 * abs(found.value)


def test_dead_centre_itself():
    """Straight links: the clamp force does no work and no size of it holds the knee; the hand holds it with nothing."""
    m = toggle(0.0)
    with pytest.raises(da.SingularError, match="'clamp' does no work") as info:
        da.holding_load(m, "clamp")
    four_parts(info.value)
    assert "dead centre" in info.value.why and "'O.angle'" in info.value.found
    assert da.holding_load(m, "hand").value == pytest.approx(0.0, abs=1e-12 * 500)


def test_equals_the_multiplier_of_a_holding_driver():
    """The same pose held by a driver: da.simulate's own effort at the first instant."""
    m = toggle(0.3, drive=True)
    run = da.simulate(m, until=1e-3, output=[0.0])
    held = da.holding_load(m, "hold")
    assert held.value == pytest.approx(run["hold"].effort[0], rel=1e-10)
    # the knee's circle: torque of the hand -1 * 0.2 cos, of the clamp by dx = -0.4 sin: T = 0.2 cos - 500 * 0.4 sin
    assert held.value == pytest.approx(0.2 * math.cos(0.3) - 500 * 0.4 * math.sin(0.3), rel=1e-12)


def test_two_unknowns_of_an_arm():
    """Double pendulum held by both joints: moments of the weights beyond each joint."""
    m = da.Mechanism("arm", plane=True, gravity=(0, -G))
    q1, q2 = 0.3, -0.8
    e1, e2 = (np.array([math.cos(q), math.sin(q)]) for q in (q1, q1 + q2))
    a = m.body("a", da.rod(length=1.0, mass=3.0), at=0.5 * e1, angle=q1)
    b = m.body("b", da.rod(length=0.7, mass=2.0), at=e1 + 0.35 * e2, angle=q1 + q2)
    m.revolute("A", m.ground, a, at=(0, 0))
    m.revolute("B", a, b, at=e1)
    held = da.holding_load(m, ["A.angle", m["B"]])
    elbow = 2 * G * 0.35 * e2[0]
    assert held["B.angle"].value == pytest.approx(elbow, rel=1e-12)
    assert held["A.angle"].value == pytest.approx(3 * G * 0.5 * e1[0] + 2 * G * (e1 + 0.35 * e2)[0], rel=1e-12)
    assert held.freedoms == 2 and len(held) == 2 and list(held) == ["A.angle", "B.angle"]
    text = str(held)
    assert "A.angle" in text and "N m" in text and "virtual work" in text and "multiplier" in text


def test_spring_and_actuator_values_give_way():
    """An unknown spring or actuator: its own law is left out, its force found; the others stay."""
    m = lever()
    m.actuator("jack", m["A"].angle, force="100*s - 3")
    m.spring("k", (m.ground, (2.0, 1.0)), m["lever"].point(1.25, 0), stiffness=70.0, free_length=0.4)
    hand = 1.0 * 2  # moment of the given hand force, clockwise
    weight = (0.5 * 30 - 0.75 * 4) * G  # counterclockwise
    spring = 70 * (1.0 - 0.4) * 2.0  # pulls up at x = 2
    assert da.holding_load(m, "jack").value == pytest.approx(hand - weight - spring, rel=1e-12)
    # effort is positive where the spring gets longer: a pull is negative
    assert da.holding_load(m, "k").value == pytest.approx((weight - hand - 3) / 2.0, rel=1e-12)


def test_torque_in_space_in_its_given_direction():
    m = lever(plane=False)
    m.torque("brake", m["lever"], (0.0, 3.0, 0.0))
    # about +y counterclockwise seen from +y is clockwise in x, z: positive y lowers the long end
    expected = (0.5 * 30 - 0.75 * 4) * G - 1.0 * 2
    assert da.holding_load(m, "brake").value == pytest.approx(expected, rel=1e-12)


def test_given_state():
    """Another pose than the drawing, from kinematics."""
    q = da.kinematics(toggle(0.2, drive=True), [0.0]).at(0.0).q
    state = da.State(0.0, q, np.zeros(9))
    assert da.holding_load(toggle(0.5), "hand", state=state).value == pytest.approx(2 * 500 * math.tan(0.2), rel=1e-11)
    # a pose that a driver does not allow
    with pytest.raises(da.AssemblyError, match="'hold'"):
        da.holding_load(toggle(0.5, drive=True), "hold", state=state)


def test_invariance():
    """The length that scales tolerances changes nothing."""
    m = toggle(0.1)
    m.length = 37.0
    assert da.holding_load(m, "hand").value == pytest.approx(da.holding_load(toggle(0.1), "hand").value, rel=1e-12)


def test_balanced_rest_needs_no_load_of_its_own():
    """Two freedoms, one unknown: the other freedom is in balance by itself (a hanging bob)."""
    m = lever()
    m.body("bob", mass=1.0, inertia=0.1, at=(5.0, -1.0))
    m.revolute("hook", m.ground, m["bob"], at=(5.0, 0.0))
    held = da.holding_load(m, "hand")
    assert held.value == pytest.approx((0.5 * 30 - 0.75 * 4) * G / 2, rel=1e-10) and held.freedoms == 2


def test_float_and_access():
    held = da.holding_load(lever(), "hand")
    assert float(held) == held.value == float(held["hand"])
    assert "hand" in repr(held["hand"])
    with pytest.raises(da.ModelError, match="known: hand"):
        held["foot"]
    with pytest.raises(da.ModelError, match="one value"):
        two = da.Mechanism("two", gravity=(0, -G))
        two.body("b", mass=1.0, inertia=1.0)
        da.holding_load(two, ["b.x", "b.y", "b.angle"]).value


def test_free_body():
    """Without joints: the loads are the weight."""
    m = da.Mechanism("free", gravity=(0, -G))
    m.body("b", mass=2.0, inertia=1.0)
    held = da.holding_load(m, ["b.x", "b.y", "b.angle"])
    assert [held[n].value for n in held] == pytest.approx([0.0, 2 * G, 0.0], abs=1e-13)


def test_docstring():
    import doctest

    result = doctest.testmod(importlib.import_module("dalembert.analyses.holding_load"))
    assert result.attempted and not result.failed


# -- bad input ---------------------------------------------------------------------------------------------------------


def four_parts(error):
    assert all(isinstance(x, str) and x for x in (error.asked, error.found, error.why, error.do))


def refused(kind, match, model, unknown, **options):
    with pytest.raises(kind, match=match) as info:
        da.holding_load(model, unknown, **options)
    four_parts(info.value)


def test_too_few_unknowns():
    m = da.Mechanism("arm", plane=True, gravity=(0, -G))
    a, b = (m.body(n, da.rod(length=1.0, mass=1.0), at=(x, 0)) for n, x in (("a", 0.5), ("b", 1.5)))
    m.revolute("A", m.ground, a, at=(0, 0))
    m.revolute("B", a, b, at=(1, 0))
    refused(da.MethodError, "1 unknown for 2 free motions; not held: 'B.angle'", m, "A.angle")


def test_an_equilibrium_or_an_assembly_is_a_pose():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    m.revolute("A", m.ground, m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0)), at=(0, 0))
    rest = da.equilibrium(m)[0]
    for pose in (rest, rest.state):
        assert da.holding_load(m, "A.angle", state=pose).value == pytest.approx(0.0, abs=1e-12)
    assert da.holding_load(m, "A.angle", state=da.assemble(m)).value == pytest.approx(0.5 * G, rel=1e-12)
    refused(da.MethodError, "one equilibrium of da.equilibrium", m, "A.angle", state=da.equilibrium(m))


@pytest.mark.parametrize("unknown", [3, 2.5, None, True, {"hand": 1}, [3], ["hand", None], object()])
def test_an_unknown_of_another_kind(unknown):
    refused(
        da.MethodError, "(?s)an unknown load is a force, a driver or a measure.*'hand', 'A.angle'", lever(), unknown
    )
    refused(da.MethodError, "there is nothing to find", lever(), [])


def test_a_load_that_never_does_work():
    """A torque across the axis of a hinge: no dead centre, it does nothing in any pose."""
    m = lever(plane=False)
    m.torque("T", m["lever"], (1.0, 0.0, 0.0))
    refused(da.MethodError, "(?s)'T' does no work.*here and in poses nearby.*'A.angle'", m, "T")


def test_a_load_along_an_expression():
    """Arms of 1 m at the angles a and b from the ground: a load along a + b of 2 arms, work (da + db) T for each alone."""
    m = da.Mechanism("arms", gravity=(0, -G))
    for name, joint, x in (("a", "A", 0.0), ("b", "B", 2.0)):
        m.body(name, da.rod(length=1.0, mass=2.0), at=(x + 0.5, 0))
        m.revolute(joint, m.ground, name, at=(x, 0))
    m.gear("same", "A", "B", ratio=1.0)
    held = da.holding_load(m, "A.angle + B.angle")
    assert held["A.angle + B.angle"].value == pytest.approx(2.0 * G * 0.5, rel=1e-12)


def stretched():
    """Two bars of 1 m, 1 kg each, in a straight line between two pins: they can move by an infinitely small amount only."""
    m = da.Mechanism("stretched", gravity=(0, -G))
    a, b = (m.body(n, da.rod(length=1.0, mass=1.0), at=(x, 0)) for n, x in (("a", 0.5), ("b", 1.5)))
    for name, i, j, x in (("A", m.ground, a, 0), ("B", a, b, 1), ("C", m.ground, b, 2)):
        m.revolute(name, i, j, at=(x, 0))
    return m


def test_a_singular_pose_is_told():
    """Flat parallelogram: two motions meet, and one load holds one of them; beside it there is only one motion."""
    m = da.Mechanism("flat", gravity=(0, -G))
    bars = [m.ground, *(m.body(n, mass=1.0, inertia=0.1, at=(x, 0)) for n, x in (("a", 0.5), ("b", 2.0), ("c", 2.5)))]
    for k, (name, x) in enumerate((("A", 0.0), ("B", 1.0), ("C", 3.0), ("D", 2.0))):
        m.revolute(name, bars[k], bars[(k + 1) % 4], at=(x, 0))
    refused(
        da.SingularError, "the pose is singular .a dead centre of 'A', 'B', 'C', 'D'.: 2 free motions", m, "A.angle"
    )
    # the end of `a` goes down by 1 m per radian: so much work does half the weight of the coupler, and half that of `a`
    held = da.holding_load(m, ["A.angle", "D.angle"])
    assert held["A.angle"].value == pytest.approx(G, rel=1e-12) and "the pose is singular" in str(held)
    # the knee goes down by 1 m per radian: half of it is the way of either weight
    held = da.holding_load(stretched(), "A.angle")
    assert held.value == pytest.approx(G, rel=1e-12)
    assert "dead centre of 'A', 'B', 'C'" in held.singular and "beside it others hold" in str(held)
    assert da.holding_load(toggle(0.1), "hand").singular == ""


def test_too_many_unknowns():
    refused(da.MethodError, "2 unknowns .* for 1 free motion", toggle(0.1), ["hand", "O.angle"])
    refused(da.MethodError, "no free motion", toggle(0.1, drive=True), "hand")


def test_not_at_rest():
    m = toggle(0.1)
    m.start("O.angle", rate=1.0)
    refused(da.MethodError, "'left', 'right', 'pad' move at t = 0", m, "hand")
    m = toggle(0.1)
    m.drive("motor", "O.angle", "0.1 + 2*t")
    refused(da.MethodError, "driver 'motor' at 2 rad/s", m, "motor")
    # a pose of its motion, stopped: the unknown driver's own rate does not matter, that of another one does
    state = da.kinematics(m, [0.0, 0.1]).at(0.1)
    refused(da.MethodError, "'left', 'right', 'pad' move at t = 0.1", m, "motor", state=state)
    stopped = da.State(state.t, state.q, 0 * state.v)
    expected = 0.2 * math.cos(0.3) - 500 * 0.4 * math.sin(0.3)
    assert da.holding_load(m, "motor", state=stopped).value == pytest.approx(expected, rel=1e-11)
    refused(da.MethodError, "driver 'motor' at 2 rad/s", m, "hand", state=stopped)


def test_unknown_names():
    m = toggle(0.1)
    refused(da.ModelError, "did you mean 'hand'", m, "hnd")
    refused(da.ModelError, "a body is not a measure", m, "left")
    refused(da.MethodError, "twice", m, ["hand", m["hand"]])
    refused(da.ModelError, "another mechanism", m, toggle(0.1)["hand"])
    refused(da.MethodError, "nothing to find", m, [])
    refused(da.MethodError, "Mechanism", "m", "hand")
    refused(da.MethodError, "State", m, "hand", state=7)


def test_a_contact_is_no_load_to_find():
    m = toggle(0.1)
    m.contact("stop", m.ground, m["pad"], points=[m["pad"].point(0, 0)], through=(0, -1.0))
    refused(da.ModelError, "contact without a law of its own", m, "stop")
    with pytest.raises(da.MethodError) as error:
        da.holding_load(m, [])
    assert "'stop'" not in str(error.value) and "'hand'" in str(error.value)


def test_force_without_a_finite_value():
    m = toggle(0.1)
    m.actuator("wild", m["O"].angle, force="1/t")
    refused(da.ModelError, "no finite value of 'wild'", m, "hand")


def test_loads_without_a_single_number():
    m = toggle(0.1, hand=0.0)
    refused(da.ModelError, "zero components", m, "hand")
    m.bushing("rubber", m.ground, m["pad"], at=(0.3, 0), stiffness=(1.0, 1.0), torsion=1.0)
    refused(da.ModelError, "not a single number", m, "rubber")


def test_a_driver_that_begins_to_move_is_no_rest():
    """At t = 0 s a driver t^2 has no rate, but an acceleration: what it carries is not held by its weight alone."""

    def lift(law):
        m = da.Mechanism("lift", plane=True, gravity=(0, -10))
        cage = m.body("cage", mass=2.0, inertia=0.1)
        load = m.body("load", mass=1.0, inertia=0.1, at=(1, 0))
        m.prismatic("shaft", m.ground, cage, along=(0, 1))
        m.prismatic("hook", cage, load, along=(0, 1), at=(1, 0))
        m.drive("motor", m["shaft"].slide, law)
        return m

    with pytest.raises(da.MethodError, match=r"driver 'motor' at 2 m/s\^2"):
        da.holding_load(lift("t**2"), "hook.slide")
    assert da.holding_load(lift("t**3"), "hook.slide").value == pytest.approx(10.0)
    # a driver that is unknown lets go
    held = da.holding_load(lift("t**2"), ["motor", "hook.slide"])
    assert held["motor"].value == pytest.approx(30.0)
