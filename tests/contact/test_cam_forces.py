"""Where a cam presses: forces of eccentric disks, which are rods in disguise, pressure angles of textbooks, and followers that lock in their guides."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.model.joints._cam_touch import outline_of

E, R, RHO, W = 0.01, 0.05, 0.02, 20.0  # eccentricity and radius of a disk, roller, speed
D, ARM, UP = 0.2, 0.15, 0.015  # distance of the pins, arm, pin above a flat face
LIFT = "0.01*(1 - cos(theta)) + 0.002*sin(2*theta)"


def cross(a, b):
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def lever(load, point):
    """What is left of the torque of a load if its force acts at a point."""
    return np.asarray(load.torque) - cross(point - load_place(load), np.asarray(load.force))


def load_place(load):
    run, body = load._run, load.body
    at = run.kinematics(body)
    return (at.position + at.rotation @ run.marker(load.part, body).point)[:, :2]


def centre_of_disk(run):
    """The eccentric centre, which turns counterclockwise."""
    return E * np.column_stack([np.cos(W * run.t), np.sin(W * run.t)])


def check_touch(run, follower, radius):
    """The force on the follower is opposite to that on the cam, acts at a point of the disk, through its centre, and pushes outwards."""
    centre, point, load = centre_of_disk(run), np.asarray(run["cam"].point), run["cam"].on(follower)
    force, size = np.asarray(load.force), np.max(np.abs(load.force))
    assert force == pytest.approx(-np.asarray(run["cam"].on("wheel").force), abs=1e-9 * size)
    assert np.linalg.norm(point - centre, axis=1) == pytest.approx(radius, abs=1e-12)
    assert cross(point - centre, force) == pytest.approx(0.0, abs=1e-12 * size)
    assert np.all(np.sum((point - centre) * force, axis=1) > 0.0)
    for one in (load, run["cam"].on("wheel")):
        assert lever(one, point) == pytest.approx(0.0, abs=1e-10 * size)


def curvature(cam):
    """Radius of curvature of the profile, by which undercut is told."""
    theta, laws = np.linspace(0.0, 6.0, 7), [cam._law]
    laws += [laws[0].diff("theta"), laws[0].diff("theta").diff("theta")]
    return outline_of(cam, tuple(np.array([f.evaluate({"theta": float(x)}) for x in theta]) for f in laws), theta)[1]


def rocker(follower, side, sense, rod=False):
    """An arm that swings on an eccentric disk: side = 1 is lifted counterclockwise; sense and side = -1 also exchange the bodies of the joints."""
    m = da.Mechanism("rocker", plane=True, gravity=(0, -9.81))
    wheel = m.body("wheel", mass=1.0, inertia=1e-3)
    O = m.revolute("O", *((m.ground, wheel) if sense > 0 else (wheel, m.ground)), at=(0, 0))
    m.drive("motor", O, f"{sense * W}*t")
    reach, x, y = R + RHO, f"({D} - {E}*cos(theta))", f"({sense * E}*sin(theta))"
    if follower == "flat":
        # x cos eta + side y sin eta = R + UP
        start = math.acos((R + UP) / (D - E))
        lift = f"{start!r} - atan2({side}*{y}, {x}) - acos({R + UP!r}/hypot({x}, {y}))"
        options = {"base": D * math.cos(start) - UP, "offset": UP}
        place = (D - 0.1, -side * 0.15)
    else:
        # K = (D, 0) - ARM (cos gamma, side sin gamma) is the reach away from the centre of the disk: x cos gamma - side y sin gamma = q
        q = f"(({x}**2 + {y}**2 + {ARM**2 - reach**2!r})/{2 * ARM})"
        start = math.acos(((D - E) ** 2 + ARM**2 - reach**2) / (2 * ARM * (D - E)))
        lift = f"acos({q}/hypot({x}, {y})) - atan2({side}*{y}, {x}) - {start!r}"
        place = (D - ARM * math.cos(start), -side * ARM * math.sin(start))
        options = {"base": math.hypot(*place), "arm": ARM} | ({"radius": RHO} if follower == "roller" else {})
    arm = m.body("arm", mass=0.5, inertia=2e-3, at=place)
    P = m.revolute("P", *((m.ground, arm) if side > 0 else (arm, m.ground)), at=(D, 0))
    m.torsion_spring("back", P, stiffness=2.0, torque=30.0)
    if rod:
        m.distance("cam", wheel.point(E, 0), arm.point(0, 0), length=reach)
    else:
        m.cam("cam", O, P, lift=lift, follower=follower, closed=True, **options)
    return m


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("follower", ["knife", "roller", "flat"])
def test_an_arm_on_an_eccentric_disk(follower, side, sense):
    """The law is that of a four-bar (a face: of a slider), and so are all forces; the outline of the law is the disk."""
    m = rocker(follower, side, sense)
    run = da.simulate(m, until=0.4)
    radius = R + RHO if follower == "knife" else R
    assert run.status == "ok"
    check_touch(run, "arm", radius)
    outline = m["cam"].outline(73)
    # axes of the cam: x towards the pin
    assert np.hypot(outline[:, 0] - E, outline[:, 1]) == pytest.approx(radius, abs=1e-12)
    assert curvature(m["cam"]) == pytest.approx(np.inf if follower == "knife" else R, rel=1e-9)
    if follower != "flat":
        other = da.simulate(rocker(follower, side, sense, rod=True), until=0.4)
        for pin in ("O", "P"):
            assert np.asarray(run[pin].force) == pytest.approx(np.asarray(other[pin].force), abs=1e-8 * 300)


def base_of(offset):
    """Distance of the roller from the centre where the disk points along the way."""
    return math.hypot(offset, E + math.sqrt((R + RHO) ** 2 - offset**2))


def tappet(beside=0.0, rod=False, follower="roller", lift=None, swap=(False, False), sizes=None, **options):
    """A follower on a way at an angle, beside the centre of an eccentric disk, or with a law of its own."""
    m = da.Mechanism("tappet", plane=True, gravity=(0, -9.81))
    n = np.array([-math.sin(0.3), math.cos(0.3)])
    e, reach = beside, R + RHO
    along, wheel = np.array([-n[1], n[0]]), m.body("wheel", mass=1.0, inertia=1e-3)
    foot = math.sqrt(base_of(e) ** 2 - e**2) if lift is None else 0.05
    valve = m.body("valve", mass=0.3, inertia=1e-3, at=tuple(foot * n + e * along))
    O = m.revolute("O", *((wheel, m.ground) if swap[0] else (m.ground, wheel)), at=(0, 0))
    ends = (valve, m.ground) if swap[1] else (m.ground, valve)
    guide = m.prismatic("guide", *ends, along=tuple(-n if swap[1] else n), at=valve.point(0.01, 0.03))
    m.drive("motor", O, f"{-W if swap[0] else W}*t")
    m.spring("coil", guide, stiffness=2000.0, force=20.0)
    theta = "(-theta)" if swap[0] else "theta"
    law = f"{E}*cos(theta) + sqrt({reach**2!r} - ({E}*sin({theta}) - {e})**2) - {foot!r}" if lift is None else lift
    if rod:
        m.distance("cam", wheel.point(*(E * n)), valve.point(0, 0), length=reach)
    else:
        m.cam(
            "cam",
            O,
            guide,
            lift=law.replace("theta", theta) if lift else law,
            follower=follower,
            **(sizes or {}),
            **options,
        )
    return m, n, along


def sized(offset, **options):
    """The same with a roller of the sizes that make the disk."""
    sizes = {"base": base_of(offset), "radius": RHO, "closed": True} | ({"offset": offset} if offset else {})
    return tappet(offset, sizes=sizes, **options)


@pytest.mark.parametrize("offset", [0.0, 0.02, -0.03])
@pytest.mark.parametrize("swap", [(False, False), (True, True)])
def test_a_roller_beside_the_centre(offset, swap):
    """On an eccentric disk it is a rod; the law that was found along the way gives the disk as its outline, and the textbook's tan a = (s' + e)/y."""
    m, n, _ = sized(offset, swap=swap)
    run, other = da.simulate(m, until=0.4), da.simulate(tappet(offset, rod=True)[0], until=0.4)
    sign = {"O": -1 if swap[0] else 1, "guide": -1 if swap[1] else 1}
    for name, s in sign.items():
        assert s * np.asarray(run[name].force) == pytest.approx(np.asarray(other[name].force), abs=1e-7)
    assert sign["guide"] * np.asarray(run["guide"].on("valve").torque) == pytest.approx(
        sign["guide"] * np.asarray(other["guide"].on("valve").torque), abs=1e-8
    )
    outline = m["cam"].outline(73)
    assert np.hypot(outline[:, 0] - E, outline[:, 1]) == pytest.approx(R, abs=1e-12)
    assert curvature(m["cam"]) == pytest.approx(R, rel=1e-9)
    y, slope = np.asarray(run["valve"].position) @ n, np.asarray(run["valve"].velocity) @ n / W
    assert np.tan(run["cam"].pressure_angle) == pytest.approx((slope + offset) / y, abs=1e-9)
    load = run["cam"].on("valve")
    assert lever(load, np.asarray(run["cam"].point)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("follower", ["knife", "roller", "flat"])
@pytest.mark.parametrize("closed", [True, False])
def test_the_motion_stays_and_the_force_tilts(follower, closed):
    """The same law without a base: the same motion and force along the way; with it N n + N tan(a) t, at the touching point, on pin and guide."""
    options = {"base": 0.05, "closed": closed} | ({"radius": 0.01} if follower == "roller" else {})
    m, n, along = tappet(lift=LIFT, follower=follower, **options)
    plain = tappet(lift=LIFT, follower="knife", closed=closed)[0]
    run, other = da.simulate(m, until=0.2), da.simulate(plain, until=0.2)
    # angles of 5 rad are sums of some hundred steps, of two runs, each rounded to 4e-16
    assert run.v == pytest.approx(other.v, abs=1e-13) and run.q == pytest.approx(other.q, abs=1e-13)
    assert np.asarray(run["cam"].normal) == pytest.approx(np.asarray(other["cam"].normal), rel=1e-11)
    assert np.asarray(run["motor"].torque) == pytest.approx(np.asarray(other["motor"].torque), abs=1e-12)
    theta = W * run.t
    s, slope = 0.01 * (1 - np.cos(theta)) + 0.002 * np.sin(2 * theta), 0.01 * np.sin(theta) + 0.004 * np.cos(2 * theta)
    tan = 0.0 * s if follower == "flat" else slope / (0.05 + s)
    force = np.asarray(run["cam"].normal)[:, None] * (n + tan[:, None] * along)
    assert np.asarray(run["cam"].on("valve").force) == pytest.approx(force, abs=1e-11)
    assert np.asarray(run["O"].on("wheel").force) == pytest.approx(force + [0, 9.81], abs=1e-11)
    point = np.asarray(run["cam"].point)
    if follower == "flat":
        assert point == pytest.approx((0.05 + s)[:, None] * n - slope[:, None] * along, abs=1e-13)
    # moments about the mass centre of the valve, which does not turn
    arm = point - np.asarray(run["valve"].position)
    guide, spring = (run[name].on("valve") for name in ("guide", "coil"))
    total = cross(arm, force)
    for load in (guide, spring):
        total = total + np.asarray(load.torque) + cross(load_place(load) - run["valve"].position, np.asarray(load.force))  # fmt: skip
    assert total == pytest.approx(0.0, abs=1e-11)
    # without a base the force is along the way, and nobody says where
    assert cross(np.asarray(other["cam"].force), np.tile(n, (len(other.t), 1))) == pytest.approx(0.0, abs=1e-11)
    with pytest.raises(da.ModelError, match="give base="):
        other["cam"].point  # noqa: B018


GUIDE, MU = 0.06, 0.15


def locking(overhang, until=0.07):
    """A knife on an eccentric disk; its guide, GUIDE long, has its middle above the tip."""
    m = da.Mechanism("tappet", plane=True)
    wheel, valve = m.body("wheel", mass=1.0, inertia=1e-3), m.body("valve", mass=0.3, inertia=1e-3, at=(0, 0.05))
    O = m.revolute("O", m.ground, wheel, at=(0, 0))
    guide = m.prismatic("guide", m.ground, valve, along=(0, 1), at=valve.point(0, overhang))
    m.drive("motor", O, f"0.1 + {W}*t")
    m.spring("coil", guide, stiffness=2000.0, force=20.0)
    m.cam("cam", O, guide, lift="0.02*(1 - cos(theta))", base=0.05, closed=True)
    m.friction("rub", guide, mu=MU, length=GUIDE)
    return da.simulate(m, until=until)


def test_a_follower_that_locks_in_its_guide():
    """The textbook's guide: N (1 - 2 mu a tan(alpha)/GUIDE) is what it lifts; it locks where tan(alpha) = GUIDE/(2 mu a)."""
    theta = np.linspace(0.1, math.pi - 0.1, 2001)
    steepest = float(np.max(0.02 * np.sin(theta) / (0.05 + 0.02 * (1 - np.cos(theta)))))
    limit = GUIDE / (2 * MU * steepest)
    run = locking(0.98 * limit)
    assert run.status == "ok"
    theta = 0.1 + W * run.t
    s, slope, bend = 0.02 * (1 - np.cos(theta)), 0.02 * np.sin(theta), 0.02 * np.cos(theta)
    lifted = 0.3 * W**2 * bend + 20.0 + 2000.0 * s
    gain = 2 * MU * 0.98 * limit / GUIDE * slope / (0.05 + s)
    assert np.asarray(run["cam"].normal) == pytest.approx(lifted / (1 - gain), rel=1e-8)
    with pytest.raises(da.SingularError, match="rub"):
        locking(1.02 * limit)


WRONG = {
    "an arm on a way": ({"arm": 0.1, "base": 0.05}, "swings"),
    "an offset of a face": ({"offset": 0.01, "base": 0.05, "follower": "flat"}, "no offset"),
    "an offset without a base": ({"offset": 0.01}, "give base="),
    "an offset beyond the base": ({"offset": 0.06, "base": 0.05}, "does not stand on the cam"),
}


@pytest.mark.parametrize("what", WRONG)
def test_mistakes_on_a_way(what):
    options, text = WRONG[what]
    with pytest.raises(da.ModelError, match=text) as refused:
        tappet(lift=LIFT, **({"follower": "knife"} | options))
    assert "cam 'cam'" in refused.value.asked


def test_mistakes_about_a_pin():
    def made(lift="0.1*(1 - cos(theta))", **options):
        m = da.Mechanism("rocker", plane=True)
        wheel, arm = m.body("wheel", mass=1.0, inertia=1e-3), m.body("arm", mass=1.0, inertia=1e-3, at=(0.2, 0))
        O, P = m.revolute("O", m.ground, wheel, at=(0, 0)), m.revolute("P", m.ground, arm, at=(0.2, 0))
        return m.cam("cam", O, P, lift=lift, **options)

    with pytest.raises(da.ModelError, match="arm is missing"):
        made(base=0.05)
    with pytest.raises(da.ModelError, match="does not stand on the cam"):
        made(base=0.5, arm=0.1)
    with pytest.raises(da.ModelError, match="undercut"):
        made("0.1*(1 - cos(3*theta))", base=0.06, arm=0.19, follower="roller", radius=0.055)
    assert made(base=0.06, arm=0.19).outline(5).shape == (5, 2)


def test_the_arrow_is_where_it_touches():
    """On pages the arrow of a cam stands at the touching point, NaN (no arrow) where it is off."""
    from dalembert.viewer.page import page_data

    m, *_ = tappet(lift=LIFT, follower="knife", base=0.05)
    run = da.simulate(m, until=0.2)
    (cone,) = page_data(run)["scene"]["cones"]
    assert cone["name"] == "cam"
    plain = page_data(da.simulate(tappet(lift=LIFT, follower="knife")[0], until=0.2))
    assert "cones" not in plain["scene"]


def test_a_carrier_that_turns():
    """Both joints on a body that turns about a pin of its own: as the rod again, on every joint."""

    def machine(rod):
        m = da.Mechanism("carried", plane=True, gravity=(0, -9.81))
        frame = m.body("frame", mass=3.0, inertia=0.05, at=(0.3, 0), angle=0.4)
        wheel = m.body("wheel", mass=1.0, inertia=1e-3, at=(0.3, 0), angle=0.4)
        up = np.array([-math.sin(0.4), math.cos(0.4)])
        reach = R + RHO
        valve = m.body("valve", mass=0.3, inertia=1e-3, at=tuple(np.array([0.3, 0]) + (reach + E) * up), angle=0.4)
        m.revolute("hinge", m.ground, frame, at=(0, 0))
        O = m.revolute("O", frame, wheel, at=frame.point(0, 0))
        guide = m.prismatic("guide", frame, valve, along=frame.axis(0, 1), at=valve.point(0.01, 0.05))
        m.spring("coil", guide, stiffness=2000.0, force=20.0)
        m.drive("swing", "hinge", "0.4 + 0.3*sin(6*t)")
        m.drive("motor", O, f"{W}*t")
        if rod:
            m.distance("cam", wheel.point(0, E), valve.point(0, 0), length=reach)
        else:
            law = f"{E}*cos(theta) + sqrt({reach**2!r} - ({E}*sin(theta))**2) - {reach + E!r}"
            m.cam("cam", O, guide, lift=law, follower="roller", radius=RHO, base=reach + E, closed=True)
        return da.simulate(m, until=0.4)

    one, two = machine(False), machine(True)
    for name in ("hinge", "O", "guide"):
        assert np.asarray(one[name].force) == pytest.approx(np.asarray(two[name].force), abs=1e-6)
        assert np.asarray(one[name].torque) == pytest.approx(np.asarray(two[name].torque), abs=1e-7)
