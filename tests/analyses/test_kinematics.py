"""kinematics: driven mechanisms against closed forms; dead centres, lock-up and branching located; errors that name the freedom.

Positions follow from Newton's method to round-off, so most tolerances are 1e-12 (lengths of order 1); velocities and accelerations
lose what the condition of the rows costs, at most two digits here.
"""

from __future__ import annotations

import importlib
import math

import numpy as np
import pytest

import dalembert as da

from .machines import PIN, fb4

TURN = 2 * math.pi


def slider_crank(r=0.5, l=1.3, angle=0.7, unit=1.0, drive="crank", law="0.7 + 3*t", plane=True):
    """Crank r, rod l, piston on the x axis; lengths in units of `unit` metres."""
    m = da.Mechanism("slider-crank", plane=plane, gravity=(0, -9.81 * unit))
    pin = unit * r * np.array([math.cos(angle), math.sin(angle)])
    x = pin[0] + math.sqrt((unit * l) ** 2 - pin[1] ** 2)
    crank = m.body("crank", da.rod(length=unit * r, mass=1.0), at=pin / 2, angle=angle)
    slope = math.atan2(-pin[1], x - pin[0])
    rod = m.body("rod", da.rod(length=unit * l, mass=2.0), at=((pin[0] + x) / 2, pin[1] / 2), angle=slope)
    piston = m.body("piston", da.block(0.1 * unit, 0.1 * unit, mass=0.5), at=(x, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=pin)
    m.revolute("B", rod, piston, at=(x, 0))
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    m.drive("motor", m["O"].angle if drive == "crank" else piston.x, law)
    return m


def parallelogram(angle=1.0, turn=None, pairs=1):
    """Cranks of 1 m, 2 m apart, driven through theta = angle - t; `pairs` of them side by side; in space if turned."""
    plane = turn is None
    move = (lambda p: (p[0], p[1])) if plane else (lambda p: turn @ np.array(p, dtype=float))
    m = da.Mechanism("parallelogram", plane=plane)
    axis = {} if plane else {"axis": move((0, 0, 1))}
    c, s = math.cos(angle), math.sin(angle)
    frames = {
        a: np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]]) for a in (0.0, angle)
    }

    def bar(name, x, y, length, a):
        pose = {"angle": a} if plane else {"rotation": turn @ frames[a]}
        inertia = length**2 / 12 if plane else (0.01, length**2 / 12, length**2 / 12)
        return m.body(name, mass=1.0, inertia=inertia, at=move((x, y, 0)), **pose)

    a = bar("crank", c / 2, s / 2, 1, angle)
    m.revolute("A", m.ground, a, at=move((0, 0, 0)), **axis)
    last = a
    for k in range(pairs):
        b = bar(f"coupler {k}", 2 * k + c + 1, s, 2, 0.0)
        d = bar(f"follower {k}", 2 * k + 2 + c / 2, s / 2, 1, angle)
        m.revolute(f"B{k}", last, b, at=move((2 * k + c, s, 0)), **axis)
        m.revolute(f"C{k}", b, d, at=move((2 * k + 2 + c, s, 0)), **axis)
        m.revolute(f"D{k}", m.ground, d, at=move((2 * k + 2, 0, 0)), **axis)
        last = d
    m.drive("motor", m["A"].angle, f"{angle if plane else 0.0!r} - t")
    return m


# -- closed forms ------------------------------------------------------------------------------------------------------


def test_slider_crank_through_dead_centres():
    """Two turns of the crank, dead centres among the times: x = r cos + sqrt(l^2 - r^2 sin^2) and its derivatives."""
    r, l, w = 0.5, 1.3, 3.0
    times = np.arange(0, 4 * math.pi + 1e-9, math.pi / 60) / w
    run = da.kinematics(slider_crank(r, l, angle=0.7, law="3*t"), times)
    th = w * times
    c, s = np.cos(th), np.sin(th)
    root = np.sqrt(l**2 - r**2 * s**2)
    x = r * c + root
    v = w * (-r * s - r**2 * s * c / root)
    # d/dth of (s c / root) = ((c^2 - s^2) + r^2 s^2 c^2 / root^2) / root
    a = w**2 * (-r * c - r**2 * ((c**2 - s**2) + r**2 * s**2 * c**2 / root**2) / root)
    assert np.asarray(run["piston"].position) == pytest.approx(np.column_stack([x, 0 * x]), abs=1e-13)
    assert np.asarray(run["piston"].velocity)[:, 0] == pytest.approx(v, abs=1e-12)
    assert np.asarray(run["piston"].acceleration)[:, 0] == pytest.approx(a, abs=1e-11)
    assert np.asarray(run["O.angle"]) == pytest.approx(th, abs=1e-13)
    assert np.asarray(run["rod"].angle) == pytest.approx(np.arctan2(-r * s, root), abs=1e-13)
    assert run.status == "ok" and run.audit.passed


def test_fb4_against_the_loop_equations():
    """Freudenstein: pin of coupler and rocker by circles; rates and accelerations from the loop of vectors, twice differentiated."""
    m = fb4()
    m.drive("motor", m["A"].angle, "pi/2 + 2*t + 0.3*t**2")
    times = np.linspace(0, 2.5, 26)
    run = da.kinematics(m, times)
    a2, w2, e2 = math.pi / 2 + 2 * times + 0.3 * times**2, 2 + 0.6 * times, 0.6
    b = np.column_stack([np.cos(a2), np.sin(a2)])
    gap = np.array([4.0, 0.0]) - b
    d = np.linalg.norm(gap, axis=1)
    along = (d**2 + 4.0**2 - 3.0**2) / (2 * d)
    pin = (
        b
        + (along / d)[:, None] * gap
        + (np.sqrt(16 - along**2) / d)[:, None] * np.column_stack([-gap[:, 1], gap[:, 0]])
    )
    a3 = np.arctan2(*(pin - b).T[::-1])
    a4 = np.arctan2(*(pin - [4, 0]).T[::-1])
    w3 = -w2 * np.sin(a2 - a4) / (4 * np.sin(a3 - a4))
    w4 = w2 * np.sin(a2 - a3) / (3 * np.sin(a4 - a3))
    # e2 i e^ia2 + 4 e3 i e^ia3 - 3 e4 i e^ia4 = w2^2 e^ia2 + 4 w3^2 e^ia3 - 3 w4^2 e^ia4
    e3, e4 = np.zeros((2, len(times)))
    for k in range(len(times)):
        u2, u3, u4 = (np.array([math.cos(x), math.sin(x)]) for x in (a2[k], a3[k], a4[k]))
        turn = lambda u: np.array([-u[1], u[0]])  # noqa: E731
        right = w2[k] ** 2 * u2 + 4 * w3[k] ** 2 * u3 - 3 * w4[k] ** 2 * u4 - e2 * turn(u2)
        e3[k], e4[k] = np.linalg.solve(np.column_stack([4 * turn(u3), -3 * turn(u4)]), right)
    for name, angle, rate, more in (("coupler", a3, w3, e3), ("rocker", a4, w4, e4)):
        # turns are counted: compare directions
        assert np.exp(1j * np.asarray(run[name].angle)) == pytest.approx(np.exp(1j * angle), abs=1e-12)
        assert np.asarray(run[name].spin) == pytest.approx(rate, abs=1e-11)
        assert np.asarray(run[name].spin_rate) == pytest.approx(more, abs=1e-10)
    assert np.asarray(run["rocker"].point(1.5, 0).position) == pytest.approx(pin, abs=1e-12)


@pytest.mark.parametrize("plane", [True, False], ids=["plane", "space"])
def test_agrees_with_simulate(plane):
    """The time integration of the same driven machine, redundant rows in space included."""
    m = fb4(plane=plane)
    m.drive("motor", m["A"].angle, f"{math.pi / 2 if plane else 0.0!r} + sin(2*t)")
    run = da.kinematics(m, np.linspace(0, 2, 21))
    other = da.simulate(m, until=2.0, output=0.1)
    for x, y, tolerance in ((run.q, other.q, 1e-11), (run.v, other.v, 1e-10), (run.a, other.a, 1e-9)):
        assert x == pytest.approx(y, abs=tolerance)
    # reactions up to 600 N
    assert run.lam == pytest.approx(other.lam, abs=1e-7)
    assert np.asarray(run["motor"].power) == pytest.approx(np.asarray(other["motor"].power), abs=1e-7)
    assert run["C"].force == pytest.approx(np.asarray(other["C"].force), abs=1e-7)


def test_puma_forward_kinematics():
    """Six driven joints in space: pose of the last link by Denavit-Hartenberg matrices."""
    from reference.test_g04_puma import ALPHA, QN, A, D, puma

    rates, accelerations = (1.0, -2.0, 1.5, 3.0, -1.0, 8.0), (0.5, 0.0, -1.0, 0.0, 2.0, 0.0)
    times = np.array([0.0, 0.1, 0.4])
    run = da.kinematics(puma(rates, accelerations), times)
    for k, t in enumerate(times):
        place, frame = np.zeros(3), np.eye(3)
        for j in range(6):
            q = QN[j] + rates[j] * t + accelerations[j] / 2 * t**2
            c, s, ca, sa = math.cos(q), math.sin(q), math.cos(ALPHA[j]), math.sin(ALPHA[j])
            place = place + frame @ np.array([A[j] * c, A[j] * s, D[j]])
            frame = frame @ np.array([[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0, sa, ca]])
        assert np.asarray(run["link 6"].position)[k] == pytest.approx(place, abs=1e-12)
        assert np.asarray(run["link 6"].rotation)[k] == pytest.approx(frame, abs=1e-12)
    assert np.asarray(run["joint 6.angle"].rate) == pytest.approx(np.full(3, 8.0), abs=1e-12)


def test_turns_are_counted_in_space():
    """A nut on a screw, 20 mm a turn: nine turns between two times."""
    m = da.Mechanism("screw", plane=False)
    nut = m.body("nut", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.screw("thread", m.ground, nut, at=(0, 0, 0), axis=(0, 0, 1), pitch=0.02)
    m.drive("motor", m["thread"].angle, "2*pi*9*t")
    run = da.kinematics(m, [0.0, 1.0])
    assert np.asarray(run["nut"].position)[-1] == pytest.approx([0, 0, 0.18], abs=1e-12)
    assert run["thread.angle"][-1] == pytest.approx(9 * TURN, abs=1e-11)


def test_particle_on_a_wire():
    """Particles do not turn: two rows drive a point mass on a parabola."""
    m = da.Mechanism("bead", plane=True, gravity=(0, -10))
    bead = m.particle("bead", mass=0.2, at=(1.0, 1.0))
    m.constraint("wire", "bead.y - bead.x**2")
    m.drive("pull", bead.x, "cos(t)")
    run = da.kinematics(m, np.linspace(0, 3, 7))
    c, s = np.cos(run.t), np.sin(run.t)
    assert np.asarray(run["bead"].position) == pytest.approx(np.column_stack([c, c**2]), abs=1e-13)
    assert np.asarray(run["bead"].acceleration) == pytest.approx(np.column_stack([-c, -2 * (c**2 - s**2)]), abs=1e-12)
    # virtual work: F dx = m (ax dx + (ay + g) dy), dy = 2 x dx
    effort = 0.2 * (-c + (-2 * (c**2 - s**2) + 10) * 2 * c)
    assert np.asarray(run["pull"].effort) == pytest.approx(effort, abs=1e-12)


# -- lock-up -----------------------------------------------------------------------------------------------------------


def caught(m, times, **options):
    with pytest.raises(da.SingularPositionError) as info:
        da.kinematics(m, times, **options)
    return info.value


@pytest.mark.parametrize(
    "times", [np.linspace(0, 10, 101), [0.0, 10.0], np.linspace(0, 1.2, 1201)], ids=["fine", "one step", "dense"]
)
def test_rocker_driven_beyond_its_swing(times):
    """FB4 driven by its rocker: crank and coupler fold into one line where 16 + 9 + 24 cos(d) = (4 - 1)^2."""
    start = math.atan2(PIN[1], PIN[0] - 4)
    limit = (math.acos(-2 / 3) - start) / 0.5
    m = fb4()
    m.drive("motor", m["D"].angle, f"{start!r} + 0.5*t")
    error = caught(m, times)
    assert error.kind == "lock-up"
    assert error.t == pytest.approx(limit, abs=1e-9)
    crank, coupler = error.state.q[2], error.state.q[5]
    # folded: the two bars point in opposite directions; round-off of the fold's own square root
    assert math.cos(crank - coupler) == pytest.approx(-1.0, abs=1e-12)
    assert set(error.joints) == {"A", "B", "C", "D", "motor"}
    assert "1.11714764" in str(error) and "'motor'" in str(error) and "'A.angle'" in str(error)
    # the motion up to there is at hand and marked
    assert error.result.status == "incomplete"
    assert error.result.t[-1] < limit and len(error.result.t) == np.sum(np.asarray(times) < limit)


def test_triple_rocker_driven_beyond_its_limit():
    """Ground 4, crank 3, coupler 2, rocker 2.5 (2 + 4 > 3 + 2.5: no bar turns): stretched where |BD| = 2 + 2.5."""
    limit = math.acos((9 + 16 - 4.5**2) / 24)
    m = four_bar(4.0, 3.0, 2.0, 2.5, 0.6, +1, "0.6 + t")
    error = caught(m, np.linspace(0, 3, 31))
    assert error.kind == "lock-up" and error.t == pytest.approx(limit - 0.6, abs=1e-9)
    assert np.sin(error.state.q[5] - error.state.q[8]) == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e3])
def test_piston_pushed_beyond_its_dead_centre(unit):
    """The same instant in millimetres, metres and kilometres."""
    start = 0.5 * math.cos(0.7) + math.sqrt(1.3**2 - (0.5 * math.sin(0.7)) ** 2)
    m = slider_crank(drive="piston", unit=unit, law=f"{unit}*({start!r} + 0.2*t)")
    error = caught(m, np.linspace(0, 3, 11))
    assert error.kind == "lock-up"
    assert error.t == pytest.approx((1.8 - start) / 0.2, abs=1e-9)
    assert error.state.q[2] == pytest.approx(0.0, abs=1e-7), "the crank at its dead centre"
    assert "bore" not in error.joints, "the guide has no part in it"


def four_bar(g, a, b, c, angle, side, law):
    """Four-bar with ground g, crank a, coupler b, rocker c, the coupler pin to the left (+1) or right (-1) of the line to D."""
    pin = a * np.array([math.cos(angle), math.sin(angle)])
    gap = np.array([g, 0.0]) - pin
    d = float(np.linalg.norm(gap))
    along = (d**2 + b**2 - c**2) / (2 * d)
    end = pin + along / d * gap + side * math.sqrt(b**2 - along**2) / d * np.array([-gap[1], gap[0]])
    m = da.Mechanism("four-bar")
    bars = []
    for name, p, q in (("crank", np.zeros(2), pin), ("coupler", pin, end), ("rocker", np.array([g, 0.0]), end)):
        x, y = q - p
        bars.append(m.body(name, da.rod(length=math.hypot(x, y), mass=1.0), at=(p + q) / 2, angle=math.atan2(y, x)))
    m.revolute("A", m.ground, bars[0], at=(0, 0))
    m.revolute("B", bars[0], bars[1], at=pin)
    m.revolute("C", bars[1], bars[2], at=end)
    m.revolute("D", m.ground, bars[2], at=(g, 0))
    m.drive("motor", m["A"].angle, law)
    return m


def test_random_four_bars():
    """Crank driven for a turn: it jams first where |BD| reaches b + c or |b - c|, or not at all; the times do not matter."""
    rng = np.random.default_rng(1)
    jammed = turned = 0
    while jammed + turned < 40:
        g, a, b, c = (float(x) for x in rng.uniform(0.5, 3.0, 4))
        angle, side, speed = float(rng.uniform(-math.pi, math.pi)), int(rng.choice([-1, 1])), float(rng.uniform(-3, 3))
        d = math.hypot(a * math.cos(angle) - g, a * math.sin(angle))
        if not abs(b - c) + 0.01 < d < b + c - 0.01 or abs(speed) < 0.2:
            continue
        limits = []
        for reach in (b + c, abs(b - c)):
            cosine = (a**2 + g**2 - reach**2) / (2 * a * g)
            if abs(cosine) < 1:
                limits += [
                    ((x - angle) * np.sign(speed)) % TURN / abs(speed) for x in (math.acos(cosine), -math.acos(cosine))
                ]
        m = four_bar(g, a, b, c, angle, side, f"{angle!r} + {speed!r}*t")
        times = np.linspace(0, TURN / abs(speed), int(rng.choice([2, 5, 40, 100])))
        if limits:
            error = caught(m, times)
            assert error.kind == "lock-up" and error.t == pytest.approx(min(limits), abs=1e-8)
            jammed += 1
        else:
            assert da.kinematics(m, times).status == "ok"
            turned += 1
    assert jammed > 10 and turned > 10


def test_lock_up_at_an_output_time():
    """Links of 1 m straighten at 2 m, reached exactly at t = 0.8, one of the times."""
    m = da.Mechanism("press", plane=True)
    left = m.body("left", da.rod(length=1.0, mass=1.0), at=(0.4, 0.3), angle=math.atan2(3, 4))
    right = m.body("right", da.rod(length=1.0, mass=1.0), at=(1.2, 0.3), angle=-math.atan2(3, 4))
    m.revolute("O", m.ground, left, at=(0, 0))
    m.revolute("K", left, right, at=left.end)
    m.pin_in_slot("S", m.ground, right, at=(1.6, 0), along=(1, 0))
    m.drive("ram", m["S"].slide, "0.5*t")
    for times in (np.linspace(0, 2, 21), [0.0, 0.8], [0.0, 0.4, 0.8]):
        error = caught(m, times)
        assert error.kind == "lock-up" and error.t == pytest.approx(0.8, abs=1e-9)
    # and just before it the motion can still be had: the angle is acos(x / 2)
    run = da.kinematics(m, [0.0, 0.8 - 1e-6])
    assert run["left"].angle[-1] == pytest.approx(math.acos((1.6 + 0.5 * (0.8 - 1e-6)) / 2), abs=1e-9)


def test_lock_up_backwards_is_not_found_forwards():
    """The same machine driven away from its limit runs."""
    start = math.atan2(PIN[1], PIN[0] - 4)
    m = fb4()
    m.drive("motor", m["D"].angle, f"{start!r} - 0.05*t")
    assert da.kinematics(m, np.linspace(0, 1, 5)).status == "ok"


# -- branching ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "times", [np.linspace(0, 5, 51), [0.0, 1.0], [0.0, 0.99, 1.01], [0.0, 5.0], np.linspace(0, 1.5, 4)],
    ids=["on the way", "at the end", "straddled", "one step", "thirds"],
)  # fmt: skip
def test_flat_parallelogram(times):
    """The cranks are in line with the ground at t = 1: parallelogram and antiparallelogram cross."""
    error = caught(parallelogram(), times)
    assert error.kind == "branching"
    # at a double root half the digits are lost
    assert error.t == pytest.approx(1.0, abs=1e-7)
    assert error.state.q[2::3] == pytest.approx(np.zeros(3), abs=1e-6)
    assert set(error.joints) == {"A", "B0", "C0", "D0"}
    assert "'D0.angle'" in error.found
    # the last instant before it has followed the drawn branch
    last = error.result
    assert np.asarray(last["follower 0"].angle) == pytest.approx(1.0 - last.t, abs=1e-9)


def test_two_flat_parallelograms_at_once():
    """Two singular values change their sign together: the determinant does not show it."""
    error = caught(parallelogram(pairs=2), np.linspace(0, 1.7, 18))
    assert error.kind == "branching" and error.t == pytest.approx(1.0, abs=1e-6)


def test_flat_parallelogram_in_space_in_any_orientation():
    from contracts.samples import random_rotation

    for seed in range(3):
        turn = random_rotation(np.random.default_rng(seed))
        error = caught(parallelogram(turn=turn), np.linspace(0, 3, 13))
        assert error.kind == "branching" and error.t == pytest.approx(1.0, abs=1e-6)
        # in the plane the motor has no part in it, and redundant rows of the hinges do not change that
        assert set(error.joints) == {"A", "B0", "C0", "D0"}


def test_flat_start():
    error = caught(parallelogram(angle=0.0), [0.0, 1.0])
    assert error.kind == "branching" and error.t == 0.0 and error.result is None
    assert error.do.startswith("begin beside it")


@pytest.mark.parametrize(
    "times", [np.linspace(0, 2, 8), [0.0, 0.7], [0.0, 0.7, 1.4]], ids=["between", "at", "at and after"]
)
def test_piston_moved_through_its_dead_centre(times):
    """A piston that moves as the crank would take it: at the dead centre the crank may go on or turn back."""
    law = "0.5*cos(0.7 - t) + sqrt(1.69 - 0.25*sin(0.7 - t)**2)"
    error = caught(slider_crank(drive="piston", law=law), times)
    assert error.kind == "branching" and error.t == pytest.approx(0.7, abs=1e-6)
    assert set(error.joints) == {"O", "A", "B", "motor"}


def test_near_miss_passes():
    """A parallelogram with one crank 1e-3 longer never flattens; its tight passage is followed."""
    r = 1.001
    m = four_bar(2.0, 1.0, 2.0, r, 1.0, +1, "1.0 - t")
    run = da.kinematics(m, np.linspace(0, 2, 41))
    end = np.asarray(run["rocker"].point(r / 2, 0).position)
    crank = np.column_stack([np.cos(1 - run.t), np.sin(1 - run.t)])
    assert np.linalg.norm(end - crank, axis=1) == pytest.approx(np.full(41, 2.0), abs=1e-12)
    assert np.linalg.norm(end - [2, 0], axis=1) == pytest.approx(np.full(41, r), abs=1e-12)
    assert run.status == "ok"


def piston_near_its_dead_centre(gap):
    """x rises to 1.8 m less a gap at t = 1 and falls again; 1.8 m is the farthest that crank and rod reach."""
    x0 = 0.5 * math.cos(1.0) + math.sqrt(1.69 - (0.5 * math.sin(1.0)) ** 2)
    rise = 1.8 - gap - x0
    return slider_crank(angle=1.0, drive="piston", law=f"{1.8 - gap!r} - {rise!r}*(1 - t)**2"), rise


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12])
@pytest.mark.parametrize("times", [21, 2])
def test_piston_that_turns_back_just_before_its_dead_centre(gap, times):
    """The crank comes near zero and returns the way it came, by the cosine rule; down to 1e-12 m that is no branching."""
    m, _ = piston_near_its_dead_centre(gap)
    run = da.kinematics(m, np.linspace(0, 2, times))
    x = np.asarray(run["piston"].position)[:, 0]
    # the angle has the rounding of the cosine divided by the sine, which is 1.7 sqrt(gap)
    assert run["O"].angle == pytest.approx(np.arccos((x**2 + 0.25 - 1.69) / x), abs=1e-15 / math.sqrt(gap))


@pytest.mark.parametrize("gap", [1e-4, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("times", [21, 2])
def test_piston_driven_a_little_beyond_its_dead_centre(gap, times):
    """It jams when x is 1.8 m, where rise (1 - t)^2 = gap, though the driver itself turns back soon after."""
    m, rise = piston_near_its_dead_centre(-gap)
    error = caught(m, np.linspace(0, 2, times))
    assert error.kind == "lock-up"
    # x is flat there: its rounding, 2e-16, divided by its rate 2 sqrt(rise gap), is some 1e-10 s at the smallest gap
    assert error.t == pytest.approx(1.0 - math.sqrt(gap / rise), abs=2e-8)


@pytest.mark.parametrize("longer", [1e-9, 1e-11, -1e-9, -1e-11])
def test_parallelogram_that_does_not_quite_flatten(longer):
    """With the follower longer it passes; with it shorter coupler and follower are in line before that, |BD| = 2 - (1 + longer)."""
    m = four_bar(2.0, 1.0, 2.0, 1.0 + longer, 1.0, +1, "1.0 - t")
    if longer > 0.0:
        run = da.kinematics(m, [0.0, 2.0])
        end = np.asarray(run["rocker"].point((1.0 + longer) / 2, 0).position)[-1]
        assert np.linalg.norm(end - [math.cos(1), -math.sin(1)]) == pytest.approx(2.0, abs=1e-12)
        return
    error = caught(m, [0.0, 2.0])
    assert error.kind == "lock-up"
    # cosine rule: 5 - 4 cos(angle) = (1 - longer)^2, solved for the sine of half the angle
    half = math.sqrt((-2.0 * longer + longer**2) / 8.0)
    assert error.t == pytest.approx(1.0 - 2.0 * math.asin(half), abs=1e-9)


# -- long ways -----------------------------------------------------------------------------------------------------------


def spinning(law):
    m = da.Mechanism("spin", plane=True)
    m.revolute("A", m.ground, m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0)), at=(0, 0))
    m.drive("motor", m["A"].angle, law)
    return m


def test_more_steps_than_can_be_taken():
    """1e6 rad in steps of at most 0.3 rad are more than 3.3 million steps; with times closer by a thousand it is done."""
    with pytest.raises(da.MethodError, match=r"about 4\.2e\+06 steps") as caught:
        da.kinematics(spinning("1e6*t"), [0.0, 1.0])
    assert "closer times" in caught.value.do and caught.value.result.t.tolist() == [0.0]
    assert da.kinematics(spinning("1e6*t"), [0.0, 1e-3])["A"].angle[-1] == pytest.approx(1e3, abs=1e-9)


def test_fast_first_and_slow_later_is_no_long_way():
    """A motor that runs down: 500 rad in all, though at its first pace it would be 5e7 rad, more than can be followed."""
    run = da.kinematics(spinning("500*(1 - exp(-t))"), [0.0, 1e5])
    assert run["A"].angle[-1] == pytest.approx(500.0, abs=1e-9)


def test_progress_of_long_work(capsys, monkeypatch):
    """The line appears after a second; time is made to run here, at every report: once in some hundred outputs."""
    import dalembert.progress

    clock = iter(np.arange(0.0, 1e6, 0.5))
    monkeypatch.setattr(dalembert.progress.time, "perf_counter", lambda: float(next(clock)))
    da.kinematics(spinning("10*t"), np.linspace(0.0, 1.0, 2001), progress=True)
    assert "following [" in capsys.readouterr().err
    da.kinematics(spinning("10*t"), [0.0, 1.0], progress=False)
    assert capsys.readouterr().err == ""
    with pytest.raises(da.MethodError, match="progress"):
        da.kinematics(spinning("10*t"), [0.0, 1.0], progress="yes")


# -- a result like any other -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run():
    return da.kinematics(slider_crank(law="3*t"), np.linspace(0, 1, 11))


def test_at_and_resample(run):
    again = da.kinematics(run.model, [0.0, 0.123, 0.777])
    assert run.resample([0.123, 0.777]).q == pytest.approx(again.q[1:], abs=1e-12)
    state = run.at(0.123)
    assert state.v == pytest.approx(again.v[1], abs=1e-11)
    with pytest.raises(da.MethodError, match="covers 0 … 1"):
        run.at(1.5)


def test_crossings(run):
    """Top dead centre distance 1.5 of the piston, from the closed form."""
    (t,) = run.crossings("piston.x", 1.5)
    assert 0.5 * math.cos(3 * t) + math.sqrt(1.69 - 0.25 * math.sin(3 * t) ** 2) == pytest.approx(1.5, abs=1e-12)


def test_start_from_a_state(run):
    """From the middle of another motion, followed to the first time asked for."""
    later = da.kinematics(run.model, [0.8, 1.0], start=run.at(0.3))
    assert later.q[1] == pytest.approx(run.q[-1], abs=1e-12)
    # the other assembly: rod drawn to the other side is kept
    assert later["rod"].angle[0] == pytest.approx(run.resample([0.8])["rod"].angle[0], abs=1e-12)


def test_tables_files_pictures(run, tmp_path):
    pytest.importorskip("matplotlib")
    assert "motor [N m]" in run.table() and "passed" in str(run.audit)
    run.save(tmp_path / "run.npz")
    loaded = da.load(tmp_path / "run.npz")
    assert np.array_equal(loaded["piston"].position, run["piston"].position)
    run.plot(path=tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 10_000
    assert isinstance(run, da.Result) and "ok" in repr(run)
    assert run.energy.total.shape == (11,)


def test_single_time():
    run = da.kinematics(slider_crank(law="3*t"), 0.2)
    assert run.t.tolist() == [0.2] and run["O.angle"][0] == pytest.approx(0.6, abs=1e-13)


def test_docstring():
    import doctest

    result = doctest.testmod(importlib.import_module("dalembert.analyses.kinematics"))
    assert result.attempted and not result.failed


# -- bad input ---------------------------------------------------------------------------------------------------------


def four_parts(error):
    assert all(isinstance(x, str) and x for x in (error.asked, error.found, error.why, error.do))


@pytest.mark.parametrize(
    "times", [[], "now", [0.0, math.nan], [0.0, math.inf], [1.0, 0.5], [0.0, 0.0], None, [[0.0, 1.0]], True, ["a"]],
    ids=repr,
)  # fmt: skip
def test_bad_times(times):
    with pytest.raises(da.MethodError, match="time") as info:
        da.kinematics(slider_crank(), times)
    four_parts(info.value)


def test_undriven_freedoms_are_named():
    m = fb4()
    with pytest.raises(da.ModelError, match="'A.angle' can still move") as info:
        da.kinematics(m, [0.0, 1.0])
    four_parts(info.value)
    assert "0 drivers" in info.value.found
    arm = da.Mechanism("arm")
    a, b = (arm.body(n, da.rod(length=1.0, mass=1.0), at=(x, 0)) for n, x in (("a", 0.5), ("b", 1.5)))
    arm.revolute("A", arm.ground, a, at=(0, 0))
    arm.revolute("B", a, b, at=(1, 0))
    arm.body("loose", mass=1.0, inertia=1.0, at=(5, 5))
    arm.drive("motor", "A.angle", "t")
    with pytest.raises(
        da.ModelError, match="4 freedoms are not driven: 'B.angle', 'loose.x', 'loose.y', 'loose.angle'"
    ):
        da.kinematics(arm, [0.0, 1.0])


def test_undriven_freedom_of_an_overconstrained_loop_in_space():
    """More rows than velocities, and yet one freedom is left."""
    with pytest.raises(da.ModelError, match="1 freedom is not driven: 'A.angle'"):
        da.kinematics(fb4(plane=False), [0.0, 1.0])


def test_undriven_rotation_in_space():
    """A body on a spherical joint turns about three axes, which no coordinate of the joint shows."""
    m = da.Mechanism("ball", plane=False)
    m.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0), at=(1, 0, 0))
    m.spherical("S", m.ground, m["b"], at=(0, 0, 0))
    with pytest.raises(da.ModelError, match="3 freedoms are not driven: 'b.y', 'b.z', 'b about x'"):
        da.kinematics(m, [0.0])


def test_too_many_drivers():
    m = slider_crank(law="0.7 + 3*t")
    m.drive("ram", m["piston"].x, f"{0.5 * math.cos(0.7) + math.sqrt(1.69 - (0.5 * math.sin(0.7)) ** 2)!r} + 0.1*t")
    with pytest.raises(da.AssemblyError, match="'ram'|'motor'") as info:
        da.kinematics(m, [0.0, 1.0])
    four_parts(info.value)
    assert info.value.why == "2 drivers, 1 freedom: 'motor', 'ram'"


def test_drivers_that_agree_at_first_only():
    """Two drivers of one angle by way of a measure: equal rates at the start, different ones later."""
    m = slider_crank(law="0.7 + 3*t")
    m.measure("twice", "2*O.angle")
    m.drive("second", "twice", "1.4 + 6*t + t**3")
    with pytest.raises(da.DalembertError) as info:
        da.kinematics(m, [0.0, 0.5])
    four_parts(info.value)


def test_jump_of_a_driver():
    m = slider_crank(law="0.7 + if_(t < 0.5, 0, 1)")
    with pytest.raises(da.ConvergenceError, match="t = 0.5|t = 0.499") as info:
        da.kinematics(m, np.linspace(0, 1, 11))
    four_parts(info.value)
    assert info.value.result.t[-1] <= 0.5
    assert "'motor' jumps by 1 rad" in info.value.found


def test_driver_that_ends():
    """Its rate is zero at t = 1, and beyond it there is no root."""
    with pytest.raises(da.ConvergenceError, match="'motor' has no finite value beyond") as info:
        da.kinematics(slider_crank(law="0.7 + sqrt(1 - t)**3"), [0.0, 2.0])
    four_parts(info.value)


def test_rod_that_turns_about_itself():
    """Between two spherical joints: no joint shows it, the way out is said, and it works."""
    m = da.Mechanism("rssr", plane=False)
    a, b = np.array([1.0, 0, 0]), np.array([2.5, 1.2, 1.0])
    crank = m.body("crank", mass=1.0, inertia=(0.1, 0.1, 0.1), at=a / 2)
    rocker = m.body("rocker", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(2.5, 1.2, 0.5))
    rod = m.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(a + b) / 2)
    m.revolute("R", m.ground, crank, at=(0, 0, 0), axis="z")
    m.revolute("Q", m.ground, rocker, at=(2.5, 1.2, 0), axis="x")
    m.spherical("S", crank, rod, at=a)
    m.spherical("T", rod, rocker, at=b)
    m.drive("motor", m["R"].angle, "0.3*t")
    with pytest.raises(da.ModelError, match="1 freedom is not driven: 'rod about") as info:
        da.kinematics(m, [0.0, 1.0])
    assert "universal" in info.value.do and "m.measure('roll'" in info.value.do
    m.drive("hold", m.measure("roll", angle=(crank, rod), axis=tuple(b - a)), "0")
    ends = da.kinematics(m, [0.0, 1.0])
    points = [ends[name].position[-1] for name in ("crank", "rocker")]
    # crank pin and rocker pin from the angles of their bodies; the rod keeps its length
    turn, tilt = 0.3, float(ends["Q"].angle[-1])
    pin = np.array([math.cos(turn), math.sin(turn), 0.0])
    end = np.array([2.5, 1.2 - math.sin(tilt), math.cos(tilt)])
    assert points[0] == pytest.approx(pin / 2, abs=1e-12)
    assert np.linalg.norm(end - pin) == pytest.approx(np.linalg.norm(b - a), abs=1e-12)


def test_rate_that_is_not_finite():
    m = slider_crank(law="0.7 + sqrt(1 - t)")
    with pytest.raises(da.ModelError, match="the rate of 'motor' is not finite") as info:
        da.kinematics(m, np.linspace(0, 2, 21))
    four_parts(info.value)


def test_start_in_a_dead_centre_that_the_driver_cannot_leave():
    m = slider_crank(angle=0.0, drive="piston", law="1.8 - 0.1*t")
    with pytest.raises(da.AssemblyError, match="'motor' by 0.1 m/s") as info:
        da.kinematics(m, [0.0, 1.0])
    four_parts(info.value)
    assert "dead centre" in info.value.why


def test_other_bad_input():
    m = slider_crank()
    with pytest.raises(da.MethodError, match="a Mechanism is needed"):
        da.kinematics("m", [0.0])
    with pytest.raises(da.MethodError, match="State"):
        da.kinematics(m, [0.0], start=3)
    with pytest.raises(da.MethodError, match="unknown argument 'until'"):
        da.kinematics(m, until=3)
    with pytest.raises(da.ModelError, match="no moving body"):
        da.kinematics(da.Mechanism("nothing"), [0.0])
    m = da.Mechanism("log")
    bar = m.body("bar", da.rod(length=1.0, mass=1.0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.drive("motor", m["A"].angle, "log(t)")
    with pytest.raises(da.ModelError, match="'motor'"):
        da.kinematics(m, [0.0, 1.0])


def test_simulate_tells_a_lock_up_too():
    """A crank longer than its rod jams where the rod stands upright: r sin(2 pi t) = l."""
    m = da.Mechanism("jam", plane=True)
    crank = m.body("crank", da.rod(0.7, mass=1.0), at=(0.35, 0))
    rod = m.body("rod", da.rod(0.6, mass=1.0), at=(1.0, 0))
    piston = m.body("piston", da.block(0.1, 0.1, mass=1.0), at=(1.3, 0))
    m.revolute("O", m.ground, crank, at=(0, 0))
    m.revolute("A", crank, rod, at=crank.end)
    m.revolute("B", rod, piston, at=rod.end)
    m.prismatic("bore", m.ground, piston, along=(1, 0))
    m.drive("motor", m["O"].angle, "2*pi*t")
    with pytest.raises(da.ConvergenceError, match="lock-up at t = 0.16388133.*'motor' depend on each other") as caught:
        da.simulate(m, until=1.0)
    assert "the linkage jams" in caught.value.why
    assert caught.value.result.t[-1] == pytest.approx(math.asin(0.6 / 0.7) / (2 * math.pi), abs=0.01)


def spring_driven():
    """A crank on a bushing with a spring and a massless link: elements with forces, singular mass."""
    m = da.Mechanism("four-bar", plane=True, gravity=(0, -9.81))
    crank = m.body("crank", da.rod(length=1.0, mass=1.0), at=(0, 0.5), angle=math.pi / 2)
    link = m.body("link", mass=0.0, inertia=0.0, at=(2, 1))
    rocker = m.body("rocker", da.rod(length=1.5, mass=2.0), at=(4, 0.75), angle=math.pi / 2)
    m.revolute("A", m.ground, crank, at=(0, 0))
    m.revolute("B", crank, link, at=(0, 1))
    m.revolute("C", link, rocker, at=(4, 1.5))
    m.revolute("D", m.ground, rocker, at=(4, 0))
    m.spring("s", m.ground.point(1, 3), rocker.end, stiffness=50.0, free_length=1.0, damping=2.0)
    m.drive("motor", m["A"].angle, "0.3*sin(2*t)")
    return m


def driven_four_bar(plane):
    m = fb4(plane=plane)
    m.drive("motor", m["A"].angle, f"{math.pi / 2 if plane else 0.0!r} + sin(2*t)")
    return m


@pytest.mark.parametrize(
    "make", [lambda: driven_four_bar(True), lambda: driven_four_bar(False), spring_driven], ids=["plane", "redundant rows", "massless"]
)  # fmt: skip
def test_many_outputs_at_once_are_those_of_single_steps(make, monkeypatch):
    """Compiled steps, which hold J^T J, against steps that decompose J; and nothing is left to these."""
    from dalembert.analyses.driven import of_bodies
    from dalembert.analyses.driven.path import Path

    times = np.linspace(0.0, 2.0, 101)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "follow", lambda *_: pytest.fail("a single step"))
        patched.setattr(Path, "multipliers", lambda *_: pytest.fail("a single point"))
        run = da.kinematics(make(), times)
    monkeypatch.setattr(of_bodies, "is_compiled", lambda _: False)
    single = da.kinematics(make(), times)
    # rounding, magnified by two divisions by singular values
    for name, tolerance in (
        ("q", 1e-13),
        ("v", 1e-12),
        ("a", 1e-11),
        ("lam", 1e-10),
        ("forces", 1e-12),
        ("powers", 1e-11),
    ):
        x, y = np.asarray(getattr(run, name)), np.asarray(getattr(single, name))
        assert x == pytest.approx(y, rel=tolerance, abs=tolerance * (1.0 + np.max(np.abs(y), initial=0.0)))
