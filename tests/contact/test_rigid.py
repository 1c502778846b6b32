"""Rigid contacts: impacts and rest by closed forms, many corners, what a run says of them."""

import math

import numpy as np
import pytest

import dalembert as da

G = 9.81


def test_a_ball_bounces():
    """First impact at sqrt(2 h/g), then flights of 2 e^k sqrt(2 h/g) each."""
    m = da.Mechanism("ball", plane=False, gravity=(0, 0, -G))
    ball = m.body("ball", da.sphere(0.1, mass=2.0), at=(0, 0, 1.1))
    m.contact("floor", m.ground, ball, restitution=0.5)
    run = da.simulate(m, until=3.0)
    fall = math.sqrt(2 / G)
    times = [x.t for x in run.events.of("impact")]
    assert times[:5] == pytest.approx(
        [fall * (1 + 2 * sum(0.5**k for k in range(1, n + 1))) for n in range(5)], rel=1e-10
    )
    assert run["floor"].force[-1] == pytest.approx([0, 0, 2 * G], abs=1e-9)
    assert run["floor"].normal[-1] == pytest.approx(2 * G) and run["floor"].closed[-1] == 1.0
    assert run["floor"].closed[0] == 0.0 and run["floor"].normal[0] == 0.0
    assert np.min(run["floor"].gap) > -1e-11 and run.status == "ok"


@pytest.mark.parametrize("hypothesis", ["newton", "poisson"])
def test_central_impact_of_two_balls(hypothesis):
    """u_i = (m_i v_i + m_j v_j -+ m e (v_i - v_j))/(m_i + m_j); the first ball arrives 0.7 m later."""
    m = da.Mechanism("balls", plane=False)
    a = m.body("a", da.sphere(0.1, mass=1.0), velocity=(1, 0, 0))
    b = m.body("b", da.sphere(0.2, mass=3.0), at=(1, 0, 0), velocity=(0, 0, 0))
    m.contact("hit", a, b, restitution=0.5, hypothesis=hypothesis)
    run = da.simulate(m, until=1.0)
    (hit,) = run.events
    assert hit.t == pytest.approx(0.7, abs=1e-12)
    assert run.v[-1, [0, 6]] == pytest.approx([(1 - 3 * 0.5) / 4, (1 + 0.5) / 4], abs=1e-13)
    # 1/2 m (1 - e^2) v^2 with the reduced mass 3/4
    assert hit.dissipated == pytest.approx(0.5 * 0.75 * 0.75, rel=1e-12)


def test_oblique_impact_of_two_disks():
    """Along the line of centres as above, across it nothing changes; smooth disks do not begin to turn."""
    m = da.Mechanism("disks", plane=True)
    a = m.body("a", da.disk(0.5, mass=1.0), velocity=(1, 0))
    b = m.body("b", da.disk(0.5, mass=1.0), at=(2.0, 0.6), velocity=(0, 0))
    m.contact("hit", a, b, restitution=1.0)
    run = da.simulate(m, until=3.0)
    n = np.array([0.8, 0.6])  # at the contact the centres are 1 apart, 0.6 of it across
    assert run.events[0].t == pytest.approx(1.2, abs=1e-12)
    assert run.v[-1, 3:5] == pytest.approx(0.8 * n, abs=1e-12)
    assert run.v[-1, :2] == pytest.approx(np.array([1.0, 0.0]) - 0.8 * n, abs=1e-12)
    assert run.v[-1, [2, 5]] == pytest.approx([0.0, 0.0], abs=1e-14)


def test_a_ball_in_a_bowl():
    """It slides at the wall like a pendulum of the length R - r, and presses with m (g cos + v^2/(R - r))."""
    m = da.Mechanism("bowl", plane=True, gravity=(0, -G))
    angle, reach = 0.5, 0.9
    ball = m.body(
        "ball", mass=2.0, inertia=0.1, at=(reach * math.sin(angle), -reach * math.cos(angle)), velocity=(0, 0)
    )
    m.contact("wall", m.ground, ball, radii=(1.0, 0.1), inside=True)
    run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-11)
    x, y = run["ball"].position.T
    assert np.hypot(x, y) == pytest.approx(reach, abs=1e-11)
    v2 = 2 * G * (-y - reach * math.cos(angle))
    assert run["wall"].normal == pytest.approx(2.0 * (G * -y / reach + v2 / reach), rel=1e-7)
    assert run["wall"].closed.min() == 1.0


def test_a_ball_leaves_a_ball():
    """A ball that slides off another one without friction leaves it at cos = 2/3, whatever its size."""
    m = da.Mechanism("ball on ball", plane=True, gravity=(0, -G))
    reach = 1.5
    start = 0.1
    ball = m.body("ball", mass=1.0, inertia=0.1, at=(reach * math.sin(start), reach * math.cos(start)), velocity=(0, 0))
    m.contact("on", m.ground, ball, radii=(1.0, 0.5))
    run = da.simulate(m, until=3.0, rtol=1e-11, atol=1e-12)
    (left,) = run.events.of("release")
    x, y, _ = left.before.q
    # energy from the start at 0.1 rad: cos = 2/3 cos(0.1)
    assert y / reach == pytest.approx(2 / 3 * math.cos(start), abs=1e-9)
    assert math.hypot(x, y) == pytest.approx(reach, abs=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_a_block_lands_on_its_corners(e):
    """Energy is never created, no corner goes below the floor; by Newton's hypothesis the corner that hits turns back by e."""
    m = da.Mechanism("block", plane=True, gravity=(0, -G))
    block = m.body("block", da.block(0.4, 0.2, mass=1.0), at=(0, 0.6), angle=0.4, spin=1.0)
    m.contact("floor", m.ground, block, restitution=e)
    run = da.simulate(m, until=1.2)
    assert run.status == "ok", run.audit
    hits = run.events.of("impact")
    assert hits and all(x.dissipated >= -1e-12 for x in hits)
    assert np.max(np.diff(np.asarray(run.energy.total))) < 1e-7
    assert min(np.min(run.measure(gap)) for gap in m["floor"].gaps.values()) > -1e-10
    first = hits[0]
    label = first.name.removeprefix("floor.")
    x, y = {"bottom_left": (-0.2, -0.1), "bottom_right": (0.2, -0.1), "top_right": (0.2, 0.1), "top_left": (-0.2, 0.1)}[
        label
    ]

    def rate(state):
        a, (_, vy, w) = state.q[2], state.v
        return vy + w * (math.cos(a) * x - math.sin(a) * y)

    assert rate(first.after) == pytest.approx(-e * rate(first.before), abs=1e-12)


def test_a_box_rests_on_four_corners():
    """Redundant: the forces of single corners are not determined, their sum, their moments and the acceleration are."""
    m = da.Mechanism("box", plane=False, gravity=(0, 0, -G))
    box = m.body("box", da.box(0.4, 0.3, 0.2, mass=2.0), at=(0, 0, 0.1), velocity=(0.3, 0, 0), spin=(0, 0, 0))
    m.contact("floor", m.ground, box)
    run = da.simulate(m, until=1.0)
    assert run.status == "ok", run.audit
    floor = run["floor"]
    for k in (0, -1):
        assert floor.force[k] == pytest.approx([0, 0, 2 * G], abs=1e-10)
        corners = {label: floor.of(label).force[k][2] for label in m["floor"].gaps}
        assert sum(corners.values()) == pytest.approx(2 * G) and min(corners.values()) > -1e-10
        assert all(f == 0.0 for label, f in corners.items() if label.endswith("_front"))
        assert sum(f * (-1.0 if label.startswith("left") else 1.0) for label, f in corners.items()) == pytest.approx(
            0.0, abs=1e-10
        )
    assert run.a[-1] == pytest.approx(np.zeros(6), abs=1e-10)
    assert run.q[-1, :3] == pytest.approx([0.3, 0.0, 0.1], abs=1e-12)
    assert floor.normal == pytest.approx(2 * G) and not run.events


def test_a_box_slides_down_a_plane_that_moves():
    """Smooth wedge: the plane belongs to a body that is free to slide, and turns away under the block."""
    alpha, M, mass = 0.5, 3.0, 1.0
    s, c = math.sin(alpha), math.cos(alpha)
    m = da.Mechanism("wedge", plane=True, gravity=(0, -G))
    wedge = m.body("wedge", mass=M, inertia=1.0)
    m.prismatic("rail", m.ground, wedge, along=(1, 0))
    normal = (-s, c)
    block = m.body("block", da.block(0.2, 0.1, mass=mass), at=(0.05 * -s, 0.05 * c), angle=alpha)
    m.contact("on", wedge, block, normal=normal, through=(0, 0))
    run = da.simulate(m, until=0.3)
    # the textbook: N = M m g cos / (M + m sin^2), and the wedge accelerates by N sin / M
    N = M * mass * G * c / (M + mass * s * s)
    assert run["on"].normal == pytest.approx(N, rel=1e-10)
    assert run.a[:, 0] == pytest.approx(N * s / M, rel=1e-10)


def test_rough_corners_rock():
    """Housner's block as in docs/events.md, in one line."""
    c, s = math.cos(0.1), -math.sin(0.1)
    m = da.Mechanism("block", plane=True, gravity=(0, -G))
    at = (0.1 - 0.1 * c - 0.5 * s, -0.1 * s + 0.5 * c)
    block = m.body("block", da.block(0.2, 1.0, mass=3.0), at=at, angle=-0.1)
    m.contact("floor", m.ground, block, rough=True)
    hit = da.simulate(m, until=0.5).events.of("impact")[0]
    ratio = 1 - 1.5 * (0.1**2 / (0.1**2 + 0.5**2))
    assert hit.after.v[2] / hit.before.v[2] == pytest.approx(ratio, abs=1e-9)


def test_a_capsule_and_a_cylinder_in_space():
    """A capsule comes to lie on both ends; a cylinder that falls askew lands on a rim: gaps stay open, energy falls."""
    m = da.Mechanism("two", plane=False, gravity=(0, 0, -G))
    pill = m.body("pill", da.rod(length=0.6, mass=1.0, radius=0.1), at=(0, 0, 0.5), rotation=((0, 1, 0), 0.3))
    tin = m.body("tin", da.cylinder(0.2, 0.5, mass=1.0), at=(2, 0, 0.9), rotation=((1, 0.3, 0.1), 0.7))
    m.contact("lies", m.ground, pill, points=[pill.start, pill.end], radius=0.1, restitution=0.2)
    m.contact("rim", m.ground, tin, restitution=0.3)
    run = da.simulate(m, until=0.9)
    assert run.status == "ok", run.audit
    for name in ("lies", "rim"):
        assert min(np.min(run.measure(gap)) for gap in m[name].gaps.values()) > -1e-9
    assert run["lies"].force[-1] == pytest.approx([0, 0, G], abs=1e-8)
    assert {x.name.partition(".")[0] for x in run.events.of("impact")} == {"lies", "rim"}
    assert np.max(np.diff(np.asarray(run.energy.total))) < 1e-6


def test_box_pushed_over_a_floor_stands_on_all_its_corners():
    # four corners depend on each other: one that is left out by the equations does not open
    m = da.Mechanism("crate", plane=False, gravity=(0, 0, -9.81))
    body = m.body("crate", da.box(0.4, 0.3, 0.2, mass=2.0), at=(0, 0, 0.1), velocity=(1, 0, 0))
    m.contact("floor", m.ground, body)
    m.force("push", body, ("5*t", 0, 0), at=body.point(-0.2, 0, 0.05))
    run = da.simulate(m, until=1.0)
    assert len(run.events) == 0
    # the push 0.05 above the centre takes its moment from the rear corners and gives it to those in front
    front = 0.25 * 2.0 * 9.81 + 0.05 * 5.0 * run.t / 0.8
    for label, sign in (("left", -1), ("right", 1)):
        for side in ("bottom", "top"):
            pressed = run["floor"].of(f"{label}_{side}_back").force[:, 2]
            np.testing.assert_allclose(pressed, 0.25 * 2.0 * 9.81 + sign * (front - 0.25 * 2.0 * 9.81), rtol=1e-9)


def test_box_pushed_high_above_the_floor_tips_where_its_front_edge_takes_all():
    # 0.2 m g = P (h + z): the rear corners open where the push 5 t has this moment about the centre
    m = da.Mechanism("crate", plane=False, gravity=(0, 0, -9.81))
    body = m.body("crate", da.box(0.4, 0.3, 0.2, mass=2.0), at=(0, 0, 0.1))
    m.contact("floor", m.ground, body)
    m.force("push", body, ("5*t", 0, 0), at=body.point(-0.2, 0, 0.6))
    run = da.simulate(m, until=1.4)
    opened = {x.name: x.t for x in run.events.of("release")}
    assert set(opened) == {"floor.left_bottom_back", "floor.left_top_back"}
    for t in opened.values():
        assert t == pytest.approx(0.2 * 2.0 * 9.81 / (5.0 * 0.6), rel=1e-9)
