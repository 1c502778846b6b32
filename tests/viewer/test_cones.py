"""Cones of friction and forces of contacts on a page."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.pictures.drawing import read
from dalembert.pictures.pen import SLIP, STICK
from dalembert.pictures.quantities import gather
from dalembert.viewer.cones import SLIPS, STICKS, presses
from dalembert.viewer.page import page, page_data

from .machines import unpacked

G = 9.81


def crate(mu=0.3, own=False):
    """Slides on a slope of 0.2 rad (x is up the slope) until it sticks."""
    m = da.Mechanism("crate", plane=True, gravity=(-G * math.sin(0.2), -G * math.cos(0.2)))
    body = m.body("crate", da.block(0.4, 0.2, mass=2.0), at=(0, 0.1), velocity=(1.0, 0))
    m.contact("floor", m.ground, body, **({} if own else {"mu": mu, "static": 0.4}))
    if own:
        m.friction("rub", "floor", mu=mu, static=0.4)
    return m


def ball_in_space():
    """Slides along (3, 4) until it rolls."""
    m = da.Mechanism("ball", plane=False, gravity=(0, 0, -G))
    ball = m.body("ball", da.sphere(0.1, mass=1.0), at=(0, 0, 0.1), velocity=(0.6, 0.8, 0))
    m.contact("floor", m.ground, ball, mu=0.2)
    return m


def columns(data, k):
    return np.stack([unpacked(x) for x in data["quantities"][k]["values"]], axis=1)


@pytest.mark.parametrize("own", [False, True])
def test_the_force_is_on_the_side_of_its_cone_then_inside(own):
    run = da.simulate(crate(own=own), until=1.0)
    data = page_data(run)
    (cone,) = data["scene"]["cones"]
    way, half = columns(data, cone["cone"]).T
    assert half == pytest.approx(math.atan(0.4)) and np.all(columns(data, cone["normal"]) == [0.0, 1.0])
    force = sum(columns(data, k) for k in cone["forces"])
    angle = np.arctan2(-force[:, 0], force[:, 1])
    stops = run.events[0].t
    assert np.array_equal(way, np.where(run.t < stops, SLIPS, STICKS))
    assert angle[run.t < stops] == pytest.approx(math.atan(0.3), abs=1e-6)
    assert angle[run.t > stops] == pytest.approx(-0.2, abs=1e-6)  # against the weight alone
    # the weight and the inertia m a along the slope go through the mass centre, and so does the force
    at = columns(data, cone["at"])
    assert at[:, 1] == pytest.approx(0.0, abs=1e-9)
    centre = np.asarray(run["crate"].position)[:, :2]
    assert (at[:, 0] - centre[:, 0]) * force[:, 1] == pytest.approx((at[:, 1] - centre[:, 1]) * force[:, 0], abs=1e-5)


def test_a_ball_presses_below_its_centre_while_it_touches():
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0.5, 0.2), velocity=(1.0, 0))
    m.contact("floor", m.ground, ball)
    run = da.simulate(m, until=0.5)
    data = page_data(run)
    (cone,) = data["scene"]["cones"]
    at, touches = columns(data, cone["at"]), run.t > (0.2 / G) ** 0.5
    assert not columns(data, cone["cone"]).any() and np.isnan(at[~touches]).all()
    assert at[touches] == pytest.approx(np.column_stack([0.5 + run.t[touches], 0 * run.t[touches]]), abs=1e-6)
    assert data["quantities"][cone["at"]]["hidden"]


def test_two_balls_touch_between_their_centres():
    m = da.Mechanism("bowl", plane=True, gravity=(0, -G))
    ball = m.body("ball", da.disk(0.1, mass=1.0), at=(0.9 * math.sin(0.5), -0.9 * math.cos(0.5)))
    m.contact("bowl", m.ground, ball, radii=(1.0, 0.1), inside=True, mu=0.1)
    run = da.simulate(m, until=0.5)
    (one,) = presses(run)
    assert np.linalg.norm(one.at, axis=1) == pytest.approx(1.0, abs=1e-9)
    assert np.linalg.norm(one.at[:, :2] - np.asarray(run["ball"].position), axis=1) == pytest.approx(0.1, abs=1e-9)
    # it slides: the force is atan mu beside the normal, which points to the middle of the bowl
    force, slides = one.force(run), one.way == SLIPS
    cos = np.einsum("ti,ti->t", force, -one.at[:, :2]) / np.linalg.norm(force, axis=1)
    assert slides.any() and np.arccos(cos[slides]) == pytest.approx(math.atan(0.1), abs=1e-6)
    assert page_data(run)["scene"]["marks"][0]["bowl"] == [[-1, [0.0, 0.0]], 1.0]


def test_a_ball_in_space_slips_on_the_side_of_its_cone_then_rolls():
    run = da.simulate(ball_in_space(), until=1.0)
    (one,) = presses(run)
    force, slips = one.force(run), run.t < run.events[0].t
    angle = np.arccos(force[:, 2] / np.linalg.norm(force, axis=1))
    assert np.array_equal(one.way == SLIPS, slips) and one.half == pytest.approx(math.atan(0.2))
    assert angle[slips] == pytest.approx(math.atan(0.2), abs=1e-6) and angle[~slips] == pytest.approx(0.0, abs=1e-6)
    # against its velocity (3, 4), below its centre
    assert force[slips, :2] / force[slips, 2:] == pytest.approx(np.tile([-0.12, -0.16], (slips.sum(), 1)), abs=1e-6)
    assert one.at[:, :2] == pytest.approx(np.asarray(run["ball"].position)[:, :2], abs=1e-9)


def test_the_corners_of_a_box_in_space_press_where_their_sum_acts():
    m = da.Mechanism("box", plane=False, gravity=(0, 0, -G))
    box = m.body("box", da.box(0.4, 0.3, 0.2, mass=2.0), at=(0, 0, 0.1))
    m.contact("floor", m.ground, box)
    m.force("push", box, (0, 0, -10.0), at=box.point(0.1, 0.05, 0))
    run = da.simulate(m, until=0.1)
    (one,) = presses(run)
    # moments about the middle: the push alone is beside it
    expected = np.array([0.1, 0.05, 0.0]) * 10.0 / (10.0 + 2.0 * G)
    assert one.at == pytest.approx(np.tile(expected, (len(run.t), 1)), abs=1e-9)
    assert page_data(run)["scene"]["floor"] == 0.0


def test_a_rim_touches_below_its_centre_along_its_slope():
    m = da.Mechanism("disk", plane=False, gravity=(0, 0, -G))
    tilt = 0.4
    m.body("disk", da.disk(0.2, mass=1.0), at=(0, 0, 0.2 * math.sin(tilt)), rotation=((1, 0, 0), tilt))
    m.contact("floor", m.ground, m["disk"])
    run = da.simulate(m, until=1e-3)
    (one,) = presses(run)
    assert one.at[0] == pytest.approx([0.0, -0.2 * math.cos(tilt), 0.0], abs=1e-9)


def test_contacts_with_one_plane_show_it_once():
    m = da.Mechanism("two", plane=True, gravity=(0, -G))
    for x in (0.0, 1.0):
        m.contact(f"floor {x:g}", m.ground, m.body(f"ball {x:g}", da.disk(0.1, mass=1.0), at=(x, 0.1)))
    scene = page_data(da.simulate(m, until=0.1))["scene"]
    (floor,) = [mark["floor"] for mark in scene["marks"] if "floor" in mark]
    assert floor[0][0] < -0.1 and floor[1][0] > 1.1 and floor[0][1] == floor[1][1] == 0.0


@pytest.mark.parametrize("at, color", [(0.05, SLIP), (0.9, STICK)])
def test_pictures_have_the_cone_and_the_force_inside(at, color):
    run = da.simulate(crate(), until=1.0)
    subject = read("draw", run, at)
    (arrows,) = gather("draw", subject, subject.panels[0].pose, {"reactions": None})
    (cone,) = arrows.cones
    edge = cone.rays()
    assert np.arccos(edge[[0, 8, -1]] @ [0, 1]) == pytest.approx([math.atan(0.4), 0.0, math.atan(0.4)], abs=1e-7)
    assert cone.color == color and np.array_equal(cone.at, arrows.at[0]) and cone.at[1] == pytest.approx(0.0, abs=1e-9)
    drawn = [x for x in run.draw(at=at, arrows="reactions").axes[0].get_children() if x.get_gid() == "cone"]
    assert len(drawn) == 1 and drawn[0].get_facecolor()[3] < 0.5
    assert not [x for x in run.draw(at=at).axes[0].get_children() if x.get_gid() == "cone"]


def test_pictures_in_space_have_the_rim_of_the_cone():
    run = da.simulate(ball_in_space(), until=0.1)
    subject = read("draw", run, 0.05)
    (arrows,) = gather("draw", subject, subject.panels[0].pose, {"reactions": ["floor"]})
    (cone,) = arrows.cones
    assert cone.rays() @ [0, 0, 1] == pytest.approx(math.cos(math.atan(0.2))) and cone.slips
    assert np.linalg.norm(cone.rays(), axis=1) == pytest.approx(1.0)
    names = [x.get_gid() for x in run.draw(at=0.05, arrows="reactions").axes[0].get_children()]
    assert "cone" in names


def test_friction_of_a_joint_is_an_arrow():
    m = da.Mechanism("slope", plane=True, gravity=(0, -G))
    m.prismatic("guide", m.ground, m.body("block", da.block(0.2, 0.1, mass=1.0)), along=(1, 0))
    m.friction("rub", "guide", mu=0.5)
    m.start(m["guide"].slide, 0.0, rate=2.0)
    run = da.simulate(m, until=0.1)
    subject = read("draw", run, 0.05)
    (arrows,) = gather("draw", subject, subject.panels[0].pose, {"reactions": ["rub"]})
    assert arrows.vectors == pytest.approx(np.array([[-0.5 * G, 0.0]]))


RED = """() => { const c = document.getElementById('drawing'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i + 3] > 20 && d[i] > d[i + 1] + 20 && d[i] > d[i + 2] + 20; return n; }"""


def test_reactions_show_force_and_cone(opened):
    smooth = crate(own=True)
    smooth.open("rub")
    found = []
    for m in (smooth, crate()):
        tab = opened(page(da.simulate(m, until=0.1)))
        assert tab.evaluate(RED) == 0
        tab.locator("#forces").check()
        found.append(tab.evaluate(RED))
    # the cone is there besides the arrow, though its paper is light
    assert 100 < found[0] < 0.8 * found[1]


# orange (slip) and green (stick) beside the blue of the ball and the red of the arrow
HUES = """() => { const c = document.getElementById('drawing'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  let slip = 0, stick = 0; for (let i = 0; i < d.length; i += 4) { const [r, g, b, a] = d.slice(i, i + 4);
    slip += a > 20 && r > g + 25 && g > b + 10; stick += a > 20 && g > r + 25 && g > b - 20; } return [slip, stick]; }"""


def test_cones_of_a_ball_in_space(opened):
    run = da.simulate(ball_in_space(), until=1.0)
    tab = opened(page(run))
    tab.locator("#forces").check()
    slips = tab.evaluate(HUES)
    tab.keyboard.press("End")
    sticks = tab.evaluate(HUES)
    assert slips[0] > 2 * sticks[0] and sticks[1] > 2 * slips[1], (slips, sticks)
    assert tab.locator("#phases div").count() == 1
    # the file of lines has a cone too
    with tab.expect_download() as saved:
        tab.locator("#save-svg").click()
    assert 'opacity="0.22"' in saved.value.path().read_text()


@pytest.mark.parametrize("follower", [{"follower": "roller", "radius": 0.01}, {"follower": "flat"}, {"offset": 0.01}])
def test_the_follower_touches_the_profile_that_is_drawn(follower):
    m = da.Mechanism("cam", plane=True)
    shaft = m.revolute("O", m.ground, m.body("camshaft", da.disk(0.02, mass=1.0)), at=(0, 0))
    guide = m.prismatic("guide", m.ground, m.body("valve", mass=0.3, inertia=1e-3, at=(0, 0.05)), along=(0, 1))
    m.drive("motor", shaft, "0.3 + 8*t")
    m.cam("cam", shaft, guide, lift="0.01*(1 - cos(theta))", base=0.04, closed=True, **follower)
    run = da.simulate(m, until=0.7)
    body = page_data(run)["scene"]["bodies"][0]
    line, turn = np.array(body["items"][0]["points"]), run.kinematics(m["camshaft"]).rotation[:, :2, :2]
    points = np.einsum("tji,tj->ti", turn, np.asarray(run["cam"].point))
    a, b = line[:-1], np.diff(line, axis=0)
    along = np.clip(np.einsum("tki,ki->tk", points[:, None] - a, b) / np.sum(b * b, axis=1), 0.0, 1.0)
    away = np.linalg.norm(points[:, None] - a - along[..., None] * b, axis=2).min(axis=1)
    # chords of two degrees are r (1 - cos 1 deg) inside a circle, and up to twice that where the curve bends more
    assert away.max() < 2 * 0.06 * (1 - math.cos(math.radians(1)))


def test_contacts_are_in_the_table_of_reactions(opened):
    tab = opened(page(da.simulate(crate(), until=0.1)))
    (row,) = [x for x in tab.locator("#reactions tbody tr").all_inner_texts() if x.startswith("floor")]
    assert "contact" in row and "crate" in row and f"{2.0 * G * math.cos(0.2):.4g}"[:4] in row
