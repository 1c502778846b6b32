"""free_body: all loads on a body, their moments, resultants and the sheet.

Sources: sums of the loads against m a and the rate of angular momentum computed here from the motion (differences of the run in time,
or Newton and Euler written out), statics by hand, wrench reduction of BASICS 8.3.1.
"""

import math

import numpy as np
import pytest
from identities.random_mechanisms import build, draw

import dalembert as da
from dalembert.demo import slider_crank

from .machines import PIN, fb4

G = 9.81


def rotation(seed):
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def loaded(plane):
    """A driven arm with a spring, a force and a torque, in the plane or in space, in motion."""
    m = da.Mechanism("arm", plane=plane, gravity=(0.4, -G) if plane else (0.4, -G, 1.3))
    at = (lambda x, y, z=0.0: (x, y)) if plane else (lambda x, y, z=0.0: (x, y, z))
    mass = {
        "mass": 3.0,
        "inertia": 0.5 if plane else np.array([[0.5, 0.02, 0.04], [0.02, 0.6, 0.05], [0.04, 0.05, 0.7]]),
    }
    upper = m.body("upper", **mass, at=at(0.5, 0.2, 0.1), center=at(0.1, -0.05, 0.08))
    lower = m.body("lower", **mass, at=at(1.4, 0.4, -0.1))
    axes = ({}, {}) if plane else ({"axis": (0, 0, 1)}, {"axis": (0.3, 0.2, 0.9)})
    m.revolute("shoulder", m.ground, upper, at=at(0, 0), **axes[0])
    m.revolute("elbow", upper, lower, at=at(1.0, 0.3), **axes[1])
    m.drive("motor", m["shoulder"].angle, "0.3*sin(2*t) + 0.8*t")
    m.start(m["elbow"].angle, rate=-1.7)
    m.spring(
        "spring", upper.point(*at(0.3, 0.1, 0.2)), m.ground.point(*at(0.2, 1.0, 0.4)), stiffness=40.0, free_length=0.5
    )
    m.force("push", lower, at(3.0, -7.0, 2.0), at=lower.point(*at(0.2, 0.3, -0.1)))
    m.torque("twist", lower, 2.5 if plane else (0.5, -1.5, 2.5), against=upper)
    return m


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("about", [None, (0.3, -0.7, 0.2), "elbow"])
def test_sum_of_loads_is_the_rate_of_momentum(plane, about):
    """Momentum and angular momentum of the bodies, differentiated in time by differences of the run, equal the sum of the loads."""
    m = loaded(plane)
    run = da.simulate(m, until=1.0, rtol=1e-12, atol=1e-13)
    t, h = 0.6, 1e-4
    point = about[:2] if plane and isinstance(about, tuple) else about
    for name in ("upper", "lower"):
        sheet = da.free_body(m, name, run.at(t), about=point)
        assert np.abs(sheet.imbalance) == pytest.approx(0.0, abs=1e-9)
        steps = (-2, -1, 1, 2)
        rates = np.array([1, -8, 8, -1]) / (12 * h)
        change = sum(c * momentum(m, run.at(t + k * h), name, sheet.about) for c, k in zip(rates, steps))
        total = sheet.resultant()
        found = np.concatenate([np.ravel(total.force), np.ravel(total.torque)])
        # fourth-order differences: h^4 = 1e-16; rounding 1e-13 / h
        assert found == pytest.approx(change, abs=1e-6)
        # the moments of the lines add up to that of the sum
        assert sum(np.asarray(load.moment) for load in sheet.loads) == pytest.approx(total.torque, abs=1e-9)


def momentum(m, state, name, about):
    """m v and J w + (r - about) x m v, in space axes, from a state."""
    b = [body.name for body in m.bodies].index(name)
    if m.plane:
        q, v = state.q[3 * b :][:3], state.v[3 * b :][:3]
        arm = q[:2] - about[:2]
        return np.array([3 * v[0], 3 * v[1], 0.5 * v[2] + 3 * (arm[0] * v[1] - arm[1] * v[0])])
    q, v = state.q[7 * b :][:7], state.v[6 * b :][:6]
    e0, e = q[3], q[4:]
    skew = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    A = (e0**2 - e @ e) * np.eye(3) + 2 * np.outer(e, e) + 2 * e0 * skew
    tensor = np.array([[0.5, 0.02, 0.04], [0.02, 0.6, 0.05], [0.04, 0.05, 0.7]])
    return np.concatenate([3 * v[:3], A @ tensor @ v[3:] + np.cross(q[:3] - about, 3 * v[:3])])


@pytest.mark.parametrize("plane", [True, False])
def test_newton_and_euler_to_1e_9(plane):
    """Sum of the loads against M a of the equations of motion, with the gyroscopic couple written out."""
    m = loaded(plane)
    sheet = da.free_body(m, "lower")
    e = da.equations(m)
    b, width = 1, 3 if plane else 6
    a, v = e.a[width * b :][:width], e.state.v[width * b :][:width]
    total = sheet.resultant()
    assert total.force == pytest.approx(3.0 * a[: 2 if plane else 3], abs=1e-9)
    if plane:
        assert total.torque == pytest.approx(0.5 * a[2], abs=1e-9)
    else:
        J = e.M[9:12, 9:12]
        assert total.torque == pytest.approx(J @ a[3:] + np.cross(v[3:], J @ v[3:]), abs=1e-9), "drawn unturned"


@pytest.mark.parametrize("plane", [True, False])
def test_with_inertia_everything_is_in_balance(plane):
    sheet = da.free_body(loaded(plane), "upper", inertia=True, about="shoulder")
    assert sheet.names == ("weight", "shoulder", "elbow", "motor", "spring", "twist", "inertia")
    assert sheet.balanced and np.abs(sheet.imbalance) == pytest.approx(0.0, abs=1e-9)
    total = sheet.resultant()
    assert np.abs(total.force) == pytest.approx(0.0, abs=1e-9)
    assert np.abs(total.torque) == pytest.approx(0.0, abs=1e-9)
    # d'Alembert: -m a at the mass centre
    other = da.free_body(loaded(plane), "upper", about="shoulder")
    assert sheet["inertia"].force == pytest.approx(-other.motion.force[: 2 if plane else 3], abs=1e-9)
    assert sheet["inertia"].moment == pytest.approx(
        -(other.motion.moment[2] if plane else other.motion.moment), abs=1e-9
    )


@pytest.mark.parametrize("seed", range(20))
def test_random_mechanisms(seed):
    """Joints, couplings, drivers and forces of all kinds: loads in balance with the motion; what is printed can be printed."""
    m = build(draw(seed))
    e = da.equations(m)
    for b, body in enumerate(m.bodies):
        sheet = da.free_body(m, body)
        largest = max([1.0, *(np.abs(load.values).max() for load in sheet.loads)])
        assert np.abs(sheet.imbalance).max() < 1e-9 * largest
        mass = e.M[(3 if m.plane else 6) * b, (3 if m.plane else 6) * b]
        linear = 2 if m.plane else 3
        a = e.a[(3 if m.plane else 6) * b :][:linear]
        assert sheet.resultant().force == pytest.approx(mass * a, abs=1e-9 * largest)
        assert sheet.resultant().unique.all() and str(sheet)


def test_action_and_reaction():
    m = loaded(False)
    upper, lower = da.free_body(m, "upper", about=(0, 0, 0)), da.free_body(m, "lower", about=(0, 0, 0))
    for name in ("elbow", "twist"):
        assert upper[name].force == pytest.approx(-lower[name].force, abs=1e-10)
        assert upper[name].moment == pytest.approx(-lower[name].moment, abs=1e-10)


def test_loads_of_elements():
    """Spring, force and torque with the numbers that were given, at the points that were given."""
    m = loaded(False)
    upper, lower = da.free_body(m, "upper"), da.free_body(m, "lower")
    assert lower["push"].force == pytest.approx((3, -7, 2), abs=1e-12) and lower["push"].kind == "force"
    assert lower["push"].point == pytest.approx((1.6, 0.7, -0.2), abs=1e-12)
    assert lower["push"].torque == pytest.approx(np.zeros(3), abs=1e-12)
    assert lower["twist"].torque == pytest.approx((0.5, -1.5, 2.5), abs=1e-12)
    a, b = np.array([0.8, 0.3, 0.3]), np.array([0.2, 1.0, 0.4])
    stretch = np.linalg.norm(b - a)
    assert upper["spring"].point == pytest.approx(a, abs=1e-12)
    assert upper["spring"].force == pytest.approx(40 * (stretch - 0.5) * (b - a) / stretch, abs=1e-10)
    assert upper["weight"].force == pytest.approx((1.2, -3 * G, 3.9), abs=1e-12)
    assert upper["weight"].point == pytest.approx((0.6, 0.15, 0.18), abs=1e-12)
    assert upper["motor"].kind == "driver" and upper["elbow"].kind == "joint"


def test_fb4_coupler():
    """Forces of the sheet, moments by hand about the pin B: weight and pin C alone, with their arms."""
    sheet = da.free_body(fb4(), "coupler", about="B")
    centre = np.array([PIN[0] / 2, (1 + PIN[1]) / 2])
    assert sheet.about[:2] == pytest.approx((0, 1), abs=1e-12)
    assert sheet["B"].moment == pytest.approx(0.0, abs=1e-12)
    assert sheet["weight"].force == pytest.approx((0, -40 * G), abs=1e-12)
    assert sheet["weight"].moment == pytest.approx(-40 * G * centre[0], abs=1e-9)
    fx, fy = sheet["C"].force
    assert sheet["C"].moment == pytest.approx(PIN[0] * fy - (PIN[1] - 1) * fx, abs=1e-9)
    # at rest, moments about B: J alpha + arm x m a
    a = da.equations(fb4()).a[3:6]
    inertia = 40 * (16 + 0.01) / 12
    rate = inertia * a[2] + 40 * (centre[0] * a[1] - (centre[1] - 1) * a[0])
    assert sheet["weight"].moment + sheet["C"].moment == pytest.approx(rate, abs=1e-9)


def test_resultant_of_some_and_its_central_axis():
    """Any set of elements: by hand, and the axis on which only the couple along the force is left."""
    m = loaded(False)
    sheet = da.free_body(m, "lower", about=(0.2, 0.1, 0.0))
    push, weight = sheet["push"], sheet["weight"]
    two = sheet.resultant("push", "twist", "weight")
    force = push.force + weight.force
    arm = lambda load: load.point - np.array([0.2, 0.1, 0.0])  # noqa: E731
    moment = np.cross(arm(push), push.force) + np.cross(arm(weight), weight.force) + np.array([0.5, -1.5, 2.5])
    assert two.force == pytest.approx(force, abs=1e-12) and two.torque == pytest.approx(moment, abs=1e-12)
    assert two.name == "weight + push + twist"
    axis = two.wrench.central_axis()
    left = two.wrench.about(axis.point).moment
    assert np.cross(left, axis.direction) == pytest.approx(np.zeros(3), abs=1e-11)
    assert left @ axis.direction == pytest.approx(axis.pitch * np.linalg.norm(force), abs=1e-11)
    # by kind, about another point
    kinds = sheet.resultant("force", about=(1, 1, 1))
    named = sheet.resultant("push", "twist", about=(1, 1, 1))
    assert kinds.torque == pytest.approx(named.torque, abs=1e-12)
    assert sheet.resultant("joint", "driver").force == pytest.approx(sheet["elbow"].force, abs=1e-12)
    # a load object works like its name, and a load named twice counts once
    assert sheet.resultant(push, "push").force == pytest.approx(push.force, abs=1e-12)


def test_certificate_of_resultants():
    """Door on two hinges: neither is unique, both together are; so is the sum on each body of FB4 in space."""
    m = da.Mechanism("door", plane=False, gravity=(0, 0, -G))
    A = rotation(3)
    leaf = m.body("leaf", da.box(1.0, 0.04, 2.0, mass=20.0), at=tuple(A @ (0.5, 0, 1)), rotation=A)
    m.revolute("low", m.ground, leaf, at=(0, 0, 0), axis=tuple(A[:, 2]))
    m.revolute("high", m.ground, leaf, at=tuple(A @ (0, 0, 2)), axis=tuple(A[:, 2]))
    sheet = da.free_body(m, leaf)
    assert not sheet["low"].unique[:3].any() and not sheet["high"].unique[:3].any()
    assert sheet["weight"].unique.all()
    assert sheet.resultant("joint").unique.all() and not sheet.resultant("low", "weight").unique[:3].any()
    text = str(sheet)
    assert "sums are unique" in text and "*" in text
    for name in ("crank", "coupler", "rocker"):
        assert da.free_body(fb4(plane=False), name).resultant("joint").unique.all()


def test_ground_carries_what_the_mechanism_puts_on_it():
    """FB4 at rest: load on the ground = weight - sum of m a of all bodies."""
    m = fb4()
    sheet = da.free_body(m, "ground")
    a = da.equations(m).a
    expected = [-sum(mass * a[3 * b + k] for b, mass in enumerate((10, 40, 30))) for k in (0, 1)]
    expected[1] -= 80 * G
    assert sheet.names == ("A", "D")
    assert sheet.resultant().force == pytest.approx(expected, abs=1e-9)
    assert "rate of momentum" not in str(sheet) and "about the origin" in str(sheet)
    # a force from outside does not act on the ground, a couple does (unless `against` names another body)
    pushed = slider_crank()
    pushed.force("push", pushed["piston"], (-50, 0))
    pushed.torque("brake", pushed["crank"], -1.0)
    sheet = da.free_body(pushed, pushed.ground)
    assert "push" not in sheet.names and sheet["brake"].torque == pytest.approx(1.0, abs=1e-12)


def test_driver_acts_at_its_measure():
    """A driven slide: a pure force along the line at the point of the joint, not at the mass centre."""
    m = da.Mechanism("slide", plane=True, gravity=(0, -G))
    block = m.body("block", mass=2.0, inertia=0.3, at=(1, 0.5))
    m.prismatic("guide", m.ground, block, at=(1, 0), along=(1, 0))
    m.drive("ram", m["guide"].slide, "0.5*t^2")
    sheet = da.free_body(m, block, about="guide")
    assert sheet["ram"].point[:2] == pytest.approx((1, 0), abs=1e-12)
    assert sheet["ram"].force == pytest.approx((2, 0), abs=1e-10)
    assert sheet["ram"].torque == pytest.approx(0.0, abs=1e-10)
    # the guide carries the weight, and the couple that the eccentric ram needs: 0.5 m * 2 N
    assert sheet["guide"].force == pytest.approx((0, 2 * G), abs=1e-10)
    assert sheet["guide"].torque == pytest.approx(-1.0, abs=1e-10)


def test_names_of_parts_come_first():
    m = da.Mechanism("stone", plane=True, gravity=(0, -G))
    stone = m.body("stone", mass=2.0, inertia=1.0)
    m.force("weight", stone, (1, 0))
    sheet = da.free_body(m, stone, inertia=True)
    assert sheet.names == ("weight of the body", "weight", "inertia")
    assert sheet["weight"].force == pytest.approx((1, 0))
    assert sheet.resultant("weight").force == pytest.approx((1, 0))
    lonely = da.Mechanism("free", plane=True)
    lonely.body("stone", mass=1.0, inertia=1.0)
    assert "(no loads)" in str(da.free_body(lonely, "stone")) and not len(da.free_body(lonely, "stone"))


def test_table():
    lines = str(da.free_body(fb4(), "coupler")).splitlines()
    assert lines[0] == "free body 'coupler' of 'FB4' at t = 0 s"
    assert " ".join(lines[1].split()) == "load kind x [m] y [m] Fx [N] Fy [N] T [N m] M [N m]"
    assert [line.split()[0] for line in lines[3:6]] == ["weight", "B", "C"]
    total, rate = (line.split()[-3:] for line in lines[7:9])
    assert total == rate and lines[7].startswith("sum") and lines[8].startswith("rate of momentum")
    assert any(line.startswith("reactions together: a force of") for line in lines)
    assert "M: moments about the point (0, 0) m" in str(da.free_body(fb4(), "coupler", about=(0, 0)))
    couple = str(da.free_body(_couple(), "disk"))
    assert "reactions together: a couple (" in couple
    # without a load on the disk its pins carry nothing, which is no couple either
    assert "reactions together: no load" in str(da.free_body(_couple(0.0), "disk"))


def _couple(torque=3.0):
    """A disk on two pins of a slotted plate that turns it: the reactions are a couple."""
    m = da.Mechanism("couple", plane=True)
    disk = m.body("disk", mass=1.0, inertia=1.0)
    m.absolute_x("left", disk, at=disk.point(0, 1), value=0.0)
    m.absolute_x("right", disk, at=disk.point(0, -1), value=0.0)
    m.torque("load", disk, torque)
    return m


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_picture(tmp_path, kind):
    pytest.importorskip("matplotlib")
    sheet = da.free_body(fb4(), "coupler", inertia=True)
    figure = sheet.plot(path=tmp_path / f"sheet.{kind}")
    assert (tmp_path / f"sheet.{kind}").stat().st_size > 5000
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert any(t.startswith("weight\n392.4 N") for t in texts) and any(t.startswith("B\n209.2 N") for t in texts)
    # the couple of inertia has a label with its own unit
    assert any(t.startswith("inertia\n") and t.endswith("N m") for t in texts)


def test_picture_in_space_and_of_the_ground(tmp_path):
    pytest.importorskip("matplotlib")
    figure = da.free_body(fb4(plane=False), "coupler").plot(path=tmp_path / "space")
    assert (tmp_path / "space.png").exists()
    (body,) = [a for a in figure.axes[0].collections if a.get_gid() == "body"]
    assert len(body.get_paths()) > 10, "a solid, not a line"
    assert any("209.2* N" in text.get_text() for text in figure.axes[0].texts), "the star of what is not unique"
    da.free_body(slider_crank(), "ground").plot(path=tmp_path / "ground.png")
    lonely = da.Mechanism("free", plane=True)
    lonely.body("stone", mass=1.0, inertia=1.0)
    da.free_body(lonely, "stone").plot(path=tmp_path / "nothing.png")
    # the arrow of a force ends at its point when it pushes, and starts there when it pulls
    arrows = [
        x for x in da.free_body(fb4(), "coupler").plot(path=tmp_path / "x.png").axes[0].texts if x.get_text() == ""
    ]
    assert {tuple(np.round(a.xy, 6)) for a in arrows} >= {(0.0, 1.0)}
    assert {tuple(np.round(a.xyann, 6)) for a in arrows} >= {tuple(np.round(PIN, 6))}


# -- bad input --------------------------------------------------------------------------------------------------------


def refused(kind, call):
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert all(len(text) > 3 for text in (error.asked, error.found, error.why, error.do))
    return str(error)


def test_bad_input(tmp_path):
    m = fb4()
    sheet = da.free_body(m, "coupler")
    assert "a Mechanism is needed" in refused(da.MethodError, lambda: da.free_body(3, "coupler"))
    assert "did you mean 'coupler'" in refused(da.ModelError, lambda: da.free_body(m, "couple"))
    assert "it is not a body" in refused(da.ModelError, lambda: da.free_body(m, "A"))
    assert "a State is needed" in refused(da.MethodError, lambda: da.free_body(m, "coupler", "now"))
    assert "True or False" in refused(da.MethodError, lambda: da.free_body(m, "coupler", inertia="yes"))
    assert "two numbers" in refused(da.MethodError, lambda: da.free_body(m, "coupler", about=(1, 2, 3)))
    assert "two numbers" in refused(da.MethodError, lambda: da.free_body(m, "coupler", about=object()))
    assert "must be finite" in refused(da.MethodError, lambda: da.free_body(m, "coupler", about=(math.inf, 0)))
    assert "does not act on 'coupler'" in refused(da.MethodError, lambda: da.free_body(m, "coupler", about="A"))
    assert "no part is called" in refused(da.ModelError, lambda: da.free_body(m, "coupler", about="nowhere"))
    assert "unknown argument" in refused(da.MethodError, lambda: da.free_body(m, "coupler", abuot="B"))
    assert "known: weight, B, C" in refused(da.ModelError, lambda: sheet["A"])
    assert "no load is called 'A'" in refused(da.ModelError, lambda: sheet.resultant("A"))
    assert "no such load" in refused(da.ModelError, lambda: sheet[np.eye(2)])
    assert "no load is called" in refused(da.ModelError, lambda: sheet.resultant(np.eye(2)))
    other = fb4()
    refused(da.ModelError, lambda: da.free_body(m, other["coupler"]))
    refused(da.ModelError, lambda: da.free_body(m, "coupler", about=other["coupler"].point(0, 0)))
    assert "no such picture format" in refused(da.MethodError, lambda: sheet.plot(path=tmp_path / "sheet.xyz"))


def test_moments_of_loads_that_are_not_unique_are_marked():
    """Hinges of a door along z: the force along the axis may shift between them, and with it the moment about y of each."""
    m = da.Mechanism("door", plane=False, gravity=(0, 0, -9.81))
    leaf = m.body("leaf", da.box(1.0, 0.04, 2.0, mass=20.0), at=(0.5, 0, 1))
    m.spherical("low", m.ground, leaf, at=(0, 0, 0))
    m.spherical("high", m.ground, leaf, at=(0, 0, 2))
    low = next(line for line in str(da.free_body(m, leaf)).splitlines() if line.startswith("low")).split()
    assert low[-9:] == ["49.05", "0", "98.1*", "0", "0", "0", "0", "0*", "0"]
