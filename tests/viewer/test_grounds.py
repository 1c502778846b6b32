"""What contacts and followers touch, drawn: planes, bowls, cams and rollers."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.pictures.drawing import read
from dalembert.pictures.plane import reached
from dalembert.viewer.page import page, page_data, written

G = 9.81


def scene_of(run):
    return page_data(run, equations=False)["scene"]


def cam(follower="roller", **options):
    """A cam below a valve in its guide, the lift 0.01 (1 - cos theta)."""
    m = da.Mechanism("cam", plane=True, gravity=(0, -G))
    shaft = m.revolute("O", m.ground, m.body("wheel", mass=1.0, inertia=1e-3), at=(0, 0))
    guide = m.prismatic("guide", m.ground, m.body("valve", mass=0.3, inertia=1e-3, at=(0, 0.12)), along=(0, 1))
    m.drive("motor", shaft, "10*t")
    m.cam("cam", shaft, guide, lift="0.01*(1 - cos(theta))", follower=follower, base=0.06, **options)
    return da.simulate(m, until=0.3)


def items(run, name):
    (body,) = [body for body in scene_of(run)["bodies"] if body["name"] == name]
    return [np.asarray(item["points"], dtype=float) for item in body["items"] if item["kind"] == "area"]


def moved(run, name, points):
    """Points of a body in the plane at every output."""
    body = run[name]
    c, s = np.cos(body.angle), np.sin(body.angle)
    turn = np.array([[c, -s], [s, c]]).transpose(2, 0, 1)
    return np.asarray(body.position)[:, None, :2] + points @ turn.transpose(0, 2, 1)


def test_a_roller_rolls_on_the_cam_that_is_drawn():
    run = cam(radius=0.012, closed=True)
    (circle,), (profile,) = items(run, "valve"), items(run, "wheel")
    centre = moved(run, "valve", circle[:-1]).mean(axis=1)
    lift = 0.01 * (1 - np.cos(10 * run.t))
    assert centre == pytest.approx(np.column_stack([0 * lift, 0.06 + lift]), abs=1e-12)
    assert np.linalg.norm(circle[:-1] - circle[:-1].mean(axis=0), axis=1) == pytest.approx(0.012, abs=1e-12)
    # the profile comes as near to the centre as the roller is wide; the nearest of its corners, 2 degrees apart, is at most
    # d = 0.07 rad(1 deg) beside the place, and d^2/2 (1/0.012 + 1/0.05) further away
    near = np.linalg.norm(moved(run, "wheel", profile) - centre[:, None], axis=2).min(axis=1)
    assert np.all(near >= 0.012 - 1e-9) and np.all(near < 0.012 + 9e-5)


def test_other_followers_have_none():
    assert not items(cam("knife", closed=True), "valve") and not items(cam("flat", closed=True), "valve")


def test_a_roller_that_starts_off_its_cam():
    m = da.Mechanism("cam", plane=True, gravity=(0, -G))
    shaft = m.revolute("O", m.ground, m.body("wheel", mass=1.0, inertia=1e-3), at=(0, 0))
    valve = m.body("valve", mass=0.3, inertia=1e-3, at=(0, 0.12))
    guide = m.prismatic("guide", m.ground, valve, along=(0, 1))
    m.drive("motor", shaft, "1 + 10*t")
    m.start(guide.slide, 0.05)
    m.cam("cam", shaft, guide, lift="0.01*(1 - cos(theta))", follower="roller", radius=0.012, base=0.06)
    run = da.simulate(m, until=0.05)
    (circle,) = items(run, "valve")
    centre = moved(run, "valve", circle[:-1]).mean(axis=1)
    assert run["cam"].gap[0] > 0.04 and centre[:, 1] == pytest.approx(0.06 + np.asarray(run["guide"].slide), abs=1e-12)


def test_the_roller_of_an_arm_and_the_arm_that_holds_it():
    m = da.Mechanism("arm", plane=True)
    shaft = m.revolute("O", m.ground, m.body("wheel", mass=1.0, inertia=1e-3), at=(0, 0))
    pin = m.revolute("P", m.ground, m.body("arm", mass=0.3, inertia=1e-3, at=(0.07, 0.0)), at=(0.1, 0.02))
    m.drive("motor", shaft, "10*t")
    sizes = {"radius": 0.012, "base": 0.06, "arm": 0.09}
    m.cam("cam", shaft, pin, lift="0.1*(1 - cos(theta))", follower="roller", closed=True, **sizes)
    run = da.simulate(m, until=0.3)
    (circle,) = items(run, "arm")
    centre = moved(run, "arm", circle[:-1]).mean(axis=1)
    assert np.linalg.norm(centre - [0.1, 0.02], axis=1) == pytest.approx(0.09, abs=1e-12)
    assert np.linalg.norm(centre[0]) == pytest.approx(0.06, abs=1e-12)  # base, at lift 0
    touch = np.linalg.norm(np.asarray(run["cam"].point)[:, :2] - centre, axis=1)
    assert touch == pytest.approx(0.012, abs=1e-12)
    (body,) = [body for body in scene_of(run)["bodies"] if body["name"] == "arm"]
    (bar,) = [np.asarray(item["points"]) for item in body["items"] if item["kind"] == "bar"]
    ends = moved(run, "arm", bar)[0]
    assert sorted(np.linalg.norm(ends - centre[0], axis=1)) == pytest.approx([0.0, 0.09], abs=1e-12)


def test_a_cam_that_stands_still_is_drawn():
    m = da.Mechanism("cam", plane=True)
    carrier = m.body("carrier", mass=1.0, inertia=1e-2)
    shaft = m.revolute("O", m.ground, carrier, at=(0, 0))
    guide = m.prismatic("guide", carrier, m.body("tip", mass=0.3, inertia=1e-3, at=(0, 0.1)), along=(0, 1))
    m.drive("motor", shaft, "10*t")
    m.cam("cam", shaft, guide, lift="0.01*(1 - cos(theta))", base=0.06, closed=True)
    run = da.simulate(m, until=0.3)
    scene = scene_of(run)
    (wire,) = scene["wires"]
    line = np.asarray(wire["lines"][0])
    # the tip traces it: the carrier turns by theta, the cam by -theta against it
    tip = np.column_stack([-np.sin(10 * run.t), np.cos(10 * run.t)]) * (0.06 + 0.01 * (1 - np.cos(10 * run.t)))[:, None]
    # corners 2 degrees apart on radii up to 0.08
    away = np.linalg.norm(line[:, None] - tip, axis=2).min(axis=0)
    assert wire["body"] == -1 and away.max() < 0.5 * 0.08 * math.radians(2.1)
    assert np.all(line.max(axis=0) <= np.asarray(scene["box"])[1] + 1e-12)


def slope(angle=0.4):
    m = da.Mechanism("slope", plane=False, gravity=(0, 0, -G))
    n = (-math.sin(angle), 0.0, math.cos(angle))
    for k in range(2):
        ball = m.body(
            f"ball {k}", da.sphere(0.1, mass=1.0), at=tuple(0.1 * x + (0, 0.5 * k, 0)[i] for i, x in enumerate(n))
        )
        m.contact(f"slope {k}", m.ground, ball, normal=n, mu=0.3)
    return da.simulate(m, until=0.5), np.array(n)


def test_a_tilted_plane_reaches_as_far_as_what_rolls_on_it():
    run, n = slope()
    scene = scene_of(run)
    (wire,) = scene["wires"]  # one plane, two contacts
    points = np.vstack(wire["lines"])
    assert points @ n == pytest.approx(0.0, abs=1e-12)
    down = np.array([math.cos(0.4), 0.0, math.sin(0.4)])
    for k in range(2):
        for axis in (down, np.array([0.0, 1.0, 0.0])):
            way = np.asarray(run[f"ball {k}"].position) @ axis
            assert np.min(points @ axis) < way.min() and np.max(points @ axis) > way.max()
    assert np.asarray(wire["face"]) == pytest.approx(np.asarray(wire["lines"][0])[:-1])
    assert np.all(points >= np.asarray(scene["box"])[0] - 1e-12) and np.all(
        points <= np.asarray(scene["box"])[1] + 1e-12
    )
    assert scene["floor"] is None


@pytest.mark.parametrize(("speed", "whole"), [(1.0, False), (9.0, True)])
def test_a_bowl_is_as_deep_as_the_ball_goes(speed, whole):
    m = da.Mechanism("bowl", plane=False, gravity=(0, 0, -G))
    ball = m.body("ball", da.sphere(0.1, mass=1.0), at=(0.0, 0.0, -0.9), velocity=(speed, 0, 0))
    m.contact("bowl", m.ground, ball, radii=(1.0, 0.1), inside=True)
    run = da.simulate(m, until=2.0)
    (wire,) = scene_of(run)["wires"]
    points = np.vstack(wire["lines"])
    assert np.linalg.norm(points, axis=1) == pytest.approx(1.0, abs=1e-12) and "face" not in wire
    top = np.max(np.asarray(run["ball"].position)[:, 2]) / 0.9
    # v^2 = 2 g h: 0.5 m/s reaches 5.4 degrees; 9 m/s goes round
    assert points[:, 2].min() == pytest.approx(-1.0, abs=1e-12) and points[:, 2].max() > top
    assert (points[:, 2].max() > 0.99) == whole


def test_a_roof_is_no_floor():
    m = da.Mechanism("roof", plane=False, gravity=(0, 0, -G))
    ball = m.body("ball", da.sphere(0.1, mass=1.0), at=(0, 0, 0.5), velocity=(0, 0, 3.0))
    m.contact("roof", m.ground, ball, normal=(0, 0, -1), through=(0, 0, 1))
    scene = scene_of(da.simulate(m, until=0.1))
    assert scene["floor"] is None and np.vstack(scene["wires"][0]["lines"])[:, 2] == pytest.approx(1.0)
    m.contact("floor", m.ground, ball)
    scene = scene_of(da.simulate(m, until=0.1))
    assert scene["floor"] == 0.0 and len(scene["wires"]) == 1 and np.asarray(scene["box"])[0][2] == 0.0


def test_a_plane_that_moves_with_its_body():
    m = da.Mechanism("tray", plane=False, gravity=(0, 0, -G))
    tray = m.body("tray", mass=5.0, inertia=(1, 1, 1), center=(0, 0, -0.3))
    m.revolute("hinge", m.ground, tray, at=(0, 0, 0), axis=(0, 1, 0))
    m.drive("tilt", "hinge.angle", "0.4*sin(4*t)")
    m.contact("on", tray, m.body("ball", da.sphere(0.1, mass=1.0), at=(0.2, 0, 0.1)), mu=0.3)
    scene = scene_of(da.simulate(m, until=0.2))
    (wire,) = scene["wires"]
    assert scene["bodies"][wire["body"]]["name"] == "tray"
    assert np.vstack(wire["lines"])[:, 2] == pytest.approx(0.0, abs=1e-12)


def test_pictures_are_large_enough(tmp_path):
    run, _ = slope()
    subject = read("draw", run, None)
    found = reached(subject, [subject.panels[0].pose], [])
    points = np.vstack(subject.scene["wires"][0]["lines"])
    assert np.all(found.min(axis=0) <= points.min(axis=0)) and np.all(found.max(axis=0) >= points.max(axis=0))
    for name, one in (("slope", run), ("cam", cam(radius=0.012))):
        file = one.draw(tmp_path / f"{name}.svg")
        assert file is None or (tmp_path / f"{name}.svg").stat().st_size > 1000


def test_planes_in_a_browser(opened):
    tab = opened(page(slope()[0]))
    assert tab.evaluate("document.documentElement.dataset.shaded") == "yes"
    with tab.expect_download() as saved:  # as lines
        tab.locator("#save-svg").click()
    with_plane = saved.value.path().read_text().count("<path")
    run, _ = slope()
    data = page_data(run)
    lines = len(data["scene"]["wires"][0]["lines"])
    data["scene"]["wires"] = []
    tab = opened(written(data))
    with tab.expect_download() as saved:
        tab.locator("#save-svg").click()
    assert with_plane - saved.value.path().read_text().count("<path") == lines
