"""Bodies in space on several points that rub: three that slide are determined; more points than are needed share at will, and are refused."""

import math

import numpy as np
import pytest

import dalembert as da

MU, G, H = 0.3, 9.81, 0.1
FOUR = [(-0.2, -0.15), (0.2, -0.15), (0.2, 0.15), (-0.2, 0.15)]
THREE = [(-0.2, -0.1), (0.2, -0.1), (0.0, 0.2)]  # their middle is under the centre of mass


def crate(feet, velocity=(0, 0, 0), spin=0.0, above=0.0, h=H, mu=MU, **options):
    m = da.Mechanism("crate", plane=False, gravity=(0, 0, -G))
    body = m.body("crate", mass=2.0, inertia=(0.1, 0.1, 0.04), at=(0, 0, h + above), velocity=velocity, spin=(0, 0, spin))  # fmt: skip
    for k, (x, y) in enumerate(feet):
        m.contact(f"foot {k}", m.ground, body, points=[body.point(x, y, -h)], mu=mu, **options)
    return m


def test_three_feet_that_slide_brake_as_one():
    run = da.simulate(crate(THREE, velocity=(0.6, 0.8, 0)), until=0.2)
    left = 1.0 - MU * G * 0.2
    assert run["crate"].velocity[-1] == pytest.approx([0.6 * left, 0.8 * left, 0.0], abs=1e-9)
    assert run.v[-1, 3:] == pytest.approx(np.zeros(3), abs=1e-9)


def test_three_feet_that_spin_press_as_their_moments_say():
    # Newton's and Euler's equations of the flat body: N_k from the moments of friction about the centre of mass, which depend on N_k linearly
    u, w = np.array([1.0, 0.0]), 2.0
    arms = np.array(THREE)
    slide = u + w * np.column_stack([-arms[:, 1], arms[:, 0]])
    e = slide / np.linalg.norm(slide, axis=1)[:, None]
    # sum N = m g;   sum (y N - (-h) f_y) = 0;   sum (-x N + (-h) f_x) = 0   with f = -mu N e
    rows = np.vstack([np.ones(3), arms[:, 1] - MU * H * e[:, 1], -arms[:, 0] + MU * H * e[:, 0]])
    pressed = np.linalg.solve(rows, [2.0 * G, 0.0, 0.0])
    friction = -MU * pressed[:, None] * e
    run = da.simulate(crate(THREE, velocity=(1, 0, 0), spin=w), until=0.1)
    for k in range(3):
        assert run[f"foot {k}"].normal[0] == pytest.approx(pressed[k], rel=1e-9)
        assert run[f"foot {k}"].force[0, :2] == pytest.approx(friction[k], rel=1e-9, abs=1e-9)
    turning = float(np.sum(arms[:, 0] * friction[:, 1] - arms[:, 1] * friction[:, 0])) / 0.04
    assert run.a[0, 5] == pytest.approx(turning, rel=1e-9)


@pytest.mark.parametrize("spin", [0.0, 2.0])
def test_four_feet_share_what_presses(spin):
    with pytest.raises(da.SingularError) as told:
        da.simulate(crate(FOUR, velocity=(1, 0, 0), spin=spin), until=0.1)
    # from 0 at one end of the sharing to what it has where the foot across it takes nothing
    text = str(told.value)
    assert "'foot 0.friction'" in text and "'foot 1', 'foot 2', 'foot 3' share it" in text
    low, high = (float(x) for x in text.split("anything from ")[1].split(":")[0].split(" to "))
    if spin == 0.0:
        # the centre of pressure is mu h before the centre: n_0 + n_3 = N (1/2 - mu h/0.4), n_0 + n_1 = N/2
        rear = 2.0 * G * (0.5 - MU * H / 0.4)
        assert low == pytest.approx(0.0, abs=1e-9) and high == pytest.approx(rear, rel=1e-5)


def test_four_feet_that_strike_share_the_impulse():
    with pytest.raises(da.SingularError, match="share it"):
        da.simulate(crate(FOUR, velocity=(0.5, 0, 0), spin=1.0, above=0.1, restitution=0.5), until=0.5)


def test_four_feet_that_tip_press_with_two():
    # it brakes so hard that it tips at once: mu h > 0.2, the front feet take all, whatever the rear ones could
    run = da.simulate(crate(FOUR, velocity=(1, 0, 0), h=0.35, mu=0.8), until=0.01)
    pressed = [float(run[f"foot {k}"].normal[0]) for k in range(4)]
    # a_z = 0.2 alpha, N = m (g + a_z), I alpha = N (mu h - 0.2)
    arm = 0.8 * 0.35 - 0.2
    alpha = 2.0 * G * arm / (0.1 - 2.0 * 0.2 * arm)
    assert pressed[0] == pressed[3] == 0.0
    assert pressed[1] == pytest.approx(pressed[2], rel=1e-9)
    assert pressed[1] + pressed[2] == pytest.approx(2.0 * (G + 0.2 * alpha), rel=1e-9)


def test_three_feet_at_rest_share_what_holds():
    run = da.simulate(crate(THREE, velocity=(1, 0, 0)), until=1.0)
    assert [e.what for e in run.events] == ["stick"] * 3 and run.status == "ok"
    assert run.events[0].t == pytest.approx(1.0 / (0.3 * G), rel=1e-9)
    # one share is followed: where that leaves its cones, though others do not
    m = crate(THREE)
    m.force("pull", m["crate"], ("2*t", 0, 0), at=m["crate"].point(0, 0, -0.1))
    with pytest.raises(da.SingularError, match="stick together, and hold more than can move there"):
        da.simulate(m, until=5.0)


def test_the_load_of_a_contact_that_is_open_is_told_as_that():
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    m.contact("floor", m.ground, m.body("ball", da.disk(0.1, mass=0.5), at=(0, 0.3)))
    with pytest.raises(da.ModelError, match="a rigid contact that is open here"):
        da.instant(m)["floor"]
    assert da.simulate(m, until=0.1)["floor"].force[0] == pytest.approx([0, 0])


def between_walls(push):
    m = da.Mechanism("walls", plane=True, gravity=(0, -9.81))
    disk = m.body("disk", da.disk(0.1, mass=1.0), at=(0, 0.1))
    m.contact("left", m.ground, disk, normal=(1, 0), through=(-0.1, 0))
    m.contact("right", m.ground, disk, normal=(-1, 0), through=(0.1, 0))
    m.contact("floor", m.ground, disk)
    m.force("push", disk, (push, 0))
    return m


@pytest.mark.parametrize("push", [0.0, 5.0, -3.0])
def test_walls_that_may_squeeze_are_there_and_not_unique(push):
    """They squeeze with any size more than the push: the smallest that press are given, and no wall pulls."""
    found = da.reactions(between_walls(push))
    assert found.not_unique == ("left", "right") and found.names == ("left", "right", "floor")
    loads = [found[name].force[0] for name in ("left", "right")]
    assert loads == pytest.approx([max(-push, 0.0), -max(push, 0.0)], abs=1e-9)
    assert found["floor"].unique.all() and found["floor"].force == pytest.approx([0, 9.81])
    assert "*" in str(da.free_body(between_walls(push), "disk"))


def test_a_floor_below_a_guide_shares_what_it_carries():
    m = da.Mechanism("guided", plane=True, gravity=(0, -9.81))
    body = m.body("block", mass=1.0, inertia=0.1)
    m.prismatic("way", m.ground, body, along=(1, 0))
    m.contact("floor", m.ground, body, points=[body.point(0, 0)])
    found = da.reactions(m)
    assert found.not_unique == ("way", "floor")
    assert found["way"].force[1] + found["floor"].force[1] == pytest.approx(9.81)


def test_a_foot_that_need_not_press_is_not_left_out():
    """Four feet with the weight near one of them: all of them may press, in shares that are not unique; none pulls."""
    m = da.Mechanism("table", plane=False, gravity=(0, 0, -9.81))
    table = m.body("table", mass=1.0, inertia=(0.1, 0.1, 0.1))
    feet = [(x + 0.8, y + 0.8) for x in (-1, 1) for y in (-1, 1)]
    m.contact("feet", m.ground, table, points=[table.point(*xy, 0) for xy in feet])
    rows = da.reactions(m)["feet"].rows
    presses = np.array([-row.multiplier for row in rows.values()])
    assert len(rows) == 4 and not any(row.unique for row in rows.values()) and presses.min() >= 0.0
    assert [presses.sum(), *(presses @ np.array(feet))] == pytest.approx([9.81, 0, 0], abs=1e-9)


def slot(push=0.0, sides=("left", "right")):
    m = da.Mechanism("slot", plane=True, gravity=(0, -9.81))
    disk = m.body("disk", da.disk(0.1, mass=1.0), at=(0.1, 0))
    for name, normal, through in (("left", (1, 0), (0, 0)), ("right", (-1, 0), (0.2, 0))):
        if name in sides:
            m.contact(name, m.ground, disk, normal=normal, through=through, mu=0.3, restitution=0.0)
    m.force("push", disk, (-push, 0.0))
    return m


@pytest.mark.parametrize("push", [0.0, 2.0])
def test_a_squeeze_that_friction_would_feel_is_told(push):
    """Both sides may press with any force besides the push; the run has the smallest, as with one wall, and says so."""
    run = da.simulate(slot(push), until=0.2)
    (note,) = run.audit.notes
    assert note.kind == "may be squeezed" and note.parts == ("left", "right") and not note.doubtful
    alone = da.simulate(slot(push, sides=("left",)), until=0.2)
    assert not alone.audit.notes
    assert np.allclose(run.q, alone.q, rtol=0, atol=1e-12)


def test_a_box_on_its_floor_is_not_squeezed():
    m = da.Mechanism("box", plane=True, gravity=(0, -9.81))
    box = m.body("box", da.box(0.2, 0.1, 0.1, mass=1.0), at=(0, 0.05))
    m.contact("floor", m.ground, box, mu=0.3)
    assert not da.simulate(m, until=0.1).audit.notes


@pytest.mark.parametrize(("push", "rate"), [("0.5", 0.0), ("3*t", 3.0), ("-20*t", 20.0), ("30*t", 30.0)])
def test_a_ball_that_rolls_in_a_groove(push, rate):
    """Both sides may squeeze it by any friction within their cones: the motion is that of time stepping all the same, also while it begins to slip."""
    half, radius = math.radians(30), 0.1
    m = da.Mechanism("groove", plane=False, gravity=(0, 0, -9.81))
    spin = (0, 1.0 / (radius * math.cos(half)), 0)
    ball = m.body(
        "ball", da.sphere(radius, mass=1.0), at=(0, 0, radius / math.cos(half)), velocity=(1, 0, 0), spin=spin
    )
    for name, side in (("left", 1), ("right", -1)):
        m.contact(name, m.ground, ball, normal=(0, side * math.sin(half), math.cos(half)), mu=0.2)
    m.force("push", ball, (push, 0, 0))
    run, steps = da.simulate(m, until=0.4), da.simulate(m, until=0.4, method="moreau", step=1e-4)
    assert run.v[-1] == pytest.approx(steps.v[-1], abs=1e-6) and run.q[-1] == pytest.approx(steps.q[-1], abs=1e-6)
    # rolling on two circles of the radius r cos 30, friction is the part 0.4/(0.4 + cos^2 30) of the push; each side presses with m g/(2 cos 30)
    cos = math.cos(half)
    slips = 0.2 * 9.81 / cos * (0.4 + cos**2) / 0.4 / max(rate, 1e-9)
    assert [e.t for e in run.events] == (pytest.approx([slips, slips], rel=1e-6) if slips < 0.4 else [])
    for name in ("left", "right"):
        normal = np.asarray(run[name].normal)
        along = np.sqrt(np.maximum(np.sum(np.asarray(run[name].force) ** 2, axis=1) - normal**2, 0.0))
        assert np.all(along <= 0.2 * normal * (1 + 1e-9))
