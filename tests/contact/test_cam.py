"""Cams: the law of the follower to round-off, lift-off and landing by closed forms, laws from profiles and profiles from laws."""

import math

import numpy as np
import pytest

import dalembert as da

G, H, K, M, F0 = 9.81, 0.02, 2000.0, 0.3, 20.0  # lift, spring, mass of the follower, preload
# the follower stays on a harmonic cam s = H/2 (1 - cos theta) up to M H/2 w^2 = M g + F0 + K H
CRITICAL = math.sqrt((M * G + F0 + K * H) / (M * H / 2))
HARMONIC = "0.01*(1 - cos(theta))"


def machine(speed, lift=HARMONIC, plane=True, **options):
    """A driven cam and a follower with a spring, along y (in space: z)."""
    m = da.Mechanism("cam", plane=plane, gravity=(0, -G) if plane else (0, 0, -G))
    up, axis = ((0, 1), {}) if plane else ((0, 0, 1), {"axis": "x"})
    inertia = 1e-3 if plane else (1e-3,) * 3
    wheel = m.body("wheel", mass=1.0, inertia=inertia)
    valve = m.body("valve", mass=M, inertia=inertia, at=tuple(0.1 * x for x in up))
    shaft = m.revolute("O", m.ground, wheel, at=(0,) * len(up), **axis)
    guide = m.prismatic("guide", m.ground, valve, along=up)
    m.drive("motor", "O", f"{speed!r}*t")
    m.spring("coil", "guide", stiffness=K, force=F0)
    m.cam("cam", shaft, guide, lift=lift, **options)
    return m


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("closed", [True, False])
def test_the_follower_reproduces_its_law(plane, closed):
    """s, s' and s'' to 1e-10, and the force M (g + w^2 s'') + F0 + K s, below the speed of lift-off."""
    w = 0.9 * CRITICAL
    run = da.simulate(machine(w, plane=plane, closed=closed), until=0.1)
    assert run.status == "ok" and not run.events
    theta = w * run.t
    y, v, a = (
        x[:, 1 if plane else 2] for x in (run["valve"].position, run["valve"].velocity, run["valve"].acceleration)
    )
    s = H / 2 * (1 - np.cos(theta))
    bend = H / 2 * w * w * np.cos(theta)
    assert y == pytest.approx(0.1 + s, abs=1e-10)
    assert v == pytest.approx(H / 2 * w * np.sin(theta), abs=1e-10 * w)
    assert a == pytest.approx(bend, abs=1e-10 * w * w)
    assert run["cam"].normal == pytest.approx(M * (G + bend) + F0 + K * s, rel=1e-9)
    assert np.max(np.abs(run["cam"].gap)) < 1e-12 and run["cam"].closed.min() == 1.0


def test_speed_of_lift_off():
    """Just below the closed form nothing happens, just above it the follower lifts off."""
    for factor, opens in ((1 - 1e-4, False), (1 + 1e-4, True)):
        run = da.simulate(machine(factor * CRITICAL), until=0.06, rtol=1e-10, atol=1e-12)
        assert bool(run.events.of("release")) == opens


@pytest.mark.parametrize("factor", [1.05, 1.5, 2.0])
def test_angle_of_lift_off_flight_and_landing(factor):
    """It leaves where M w^2 s'' + M g + F0 + K s = 0, flies as a mass on a spring, and lands where that meets the cam again."""
    w = factor * CRITICAL
    run = da.simulate(machine(w, restitution=0.3), until=2 * math.pi / w * 2, rtol=1e-11, atol=1e-13)
    left, landed = run.events[0], run.events[1]
    theta = math.acos(-(M * G + F0 + K * H / 2) / (H / 2 * (M * w * w - K)))
    assert left.what == "release" and w * left.t == pytest.approx(theta, abs=1e-9)
    # flight: x = x0 + A cos(n t) + B sin(n t) about x0 = -(M g + F0)/K
    n, x0 = math.sqrt(K / M), -(M * G + F0) / K
    A, B = H / 2 * (1 - math.cos(theta)) - x0, H / 2 * w * math.sin(theta) / n
    flight = landed.t - left.t
    x = x0 + A * math.cos(n * flight) + B * math.sin(n * flight)
    assert landed.what == "impact" and x == pytest.approx(H / 2 * (1 - math.cos(w * landed.t)), abs=1e-9)
    # landing turns the rate of the gap back by 0.3
    speed = H / 2 * w * math.sin(w * landed.t)
    before, after = (state.v[4] - speed for state in (landed.before, landed.after))
    assert before < 0.0 and after == pytest.approx(-0.3 * before, rel=1e-9)
    assert landed.dissipated == pytest.approx(0.5 * M * before**2 * (1 - 0.09), rel=1e-9)
    assert np.min(run["cam"].gap) > -1e-10 and run.status == "ok"


def test_a_follower_that_swings():
    """The coordinate of the follower is an angle; its law holds all the same, and the cam carries a torque."""
    m = da.Mechanism("rocker", plane=True)
    wheel = m.body("wheel", mass=1.0, inertia=1e-3)
    arm = m.body("arm", da.rod(length=0.2, mass=0.5), at=(0.3, 0))
    O, A = m.revolute("O", m.ground, wheel, at=(0, 0)), m.revolute("A", m.ground, arm, at=(0.2, 0))
    m.drive("motor", O, "20*t")
    m.torsion_spring("back", A, stiffness=2.0, torque=1.0)
    m.cam("cam", O, A, lift="0.1*(1 - cos(2*theta))")
    run = da.simulate(m, until=0.5)
    law = 0.1 * (1 - np.cos(40 * run.t))
    assert run["A"].angle == pytest.approx(law, abs=1e-10)
    J = 0.5 * 0.2**2 / 3
    assert run["cam"].normal == pytest.approx(J * 0.1 * 1600 * np.cos(40 * run.t) + 2 * law + 1, rel=1e-9)


def test_a_table_over_many_turns():
    """Points of a turn, as a periodic spline: the follower is on it at every output, turn after turn."""
    turn = np.linspace(0, 2 * math.pi, 25)
    points = [(x, 0.01 * (1 - math.cos(x)) + 0.002 * (1 - math.cos(3 * x))) for x in turn]
    run = da.simulate(machine(60.0, lift=points), until=0.5)
    table = da.spline(*zip(*points), periodic=True)
    assert run.status == "ok" and not run.events
    assert run["guide"].slide == pytest.approx([table.value(60.0 * t) for t in run.t], abs=1e-10)


E, R, RHO = 0.01, 0.05, 0.02
CIRCLE = f"{E}*cos(theta) + sqrt({R}**2 - ({E}*sin(theta))**2)"
# an eccentric disk: a knife follows its radius, a roller a larger disk, a flat face its highest point
ECCENTRIC = {
    "knife": ({}, lambda x: E * np.cos(x) + np.sqrt(R**2 - (E * np.sin(x)) ** 2)),
    "roller": ({"radius": RHO}, lambda x: E * np.cos(x) + np.sqrt((R + RHO) ** 2 - (E * np.sin(x)) ** 2)),
    "flat": ({}, lambda x: R + E * np.cos(x)),
}


@pytest.mark.parametrize("follower", ECCENTRIC)
def test_eccentric_disk(follower):
    """Law from the profile against the closed form, and the outline from the law: the disk again."""
    options, exact = ECCENTRIC[follower]
    m = machine(10.0, lift=None, profile=CIRCLE, follower=follower, zero=0.05, closed=True, **options)
    law = m["cam"]._law
    x = np.linspace(-3, 9, 301)
    assert np.array([law.evaluate({"theta": float(u)}) for u in x]) == pytest.approx(exact(x), abs=1e-11)
    outline = m["cam"].outline(73)
    assert np.hypot(outline[:, 0] - E, outline[:, 1]) == pytest.approx(R, abs=1e-9)


@pytest.mark.parametrize(("follower", "options"), [("flat", {}), ("roller", {"radius": 0.01}), ("knife", {})])
def test_outline_by_touching_it(follower, options):
    """The cam of a law, turned: its highest point, the nearest point to the roller, and the point below the knife are where they must be."""
    m = machine(10.0, lift="0.006*(1 - cos(theta)) + 0.001*sin(2*theta)", follower=follower, base=0.05, **options)
    points = m["cam"].outline(4001)
    for theta in np.linspace(0.1, 6.1, 7):
        y = 0.05 + 0.006 * (1 - math.cos(theta)) + 0.001 * math.sin(2 * theta)
        c, s = math.cos(theta), math.sin(theta)
        turned = points @ np.array([[c, s], [-s, c]])  # by theta, counterclockwise; the follower is along x
        if follower == "flat":
            assert turned[:, 0].max() == pytest.approx(y, abs=1e-7)
        elif follower == "roller":
            assert np.hypot(turned[:, 0] - y, turned[:, 1]).min() == pytest.approx(0.01, abs=1e-5)
        else:
            assert np.interp(0.0, *np.array(sorted((q, p) for p, q in turned if p > 0.0)).T) == pytest.approx(
                y, abs=1e-7
            )


MISTAKES = {
    "nothing": ({"lift": None}, "give lift="),
    "both": ({"profile": CIRCLE}, "lift and profile"),
    "follower": ({"follower": "flatt"}, "flat"),
    "no radius": ({"follower": "roller"}, "radius is missing"),
    "a radius": ({"radius": 0.1}, "follower='roller'"),
    "undercut": ({"follower": "flat", "base": 0.001, "lift": "0.01*(1 - cos(3*theta))"}, "undercut"),
    "large roller": (
        {"follower": "roller", "radius": 0.05, "base": 0.06, "lift": "0.01*(1 - cos(3*theta))"},
        "undercut",
    ),
    "names": ({"lift": "0.01*guide.slide"}, "function of theta"),
    "open profile": ({"lift": None, "profile": "0.05 + 0.01*theta"}, "closed"),
    "negative profile": ({"lift": None, "profile": "0.05*cos(theta)"}, "positive"),
    "points": ({"lift": [(0, 1), (1, 2)]}, "at least four points"),
    "restitution": ({"restitution": 2.0}, "from 0 to 1"),
    "lands in a groove": ({"closed": True, "restitution": 0.5}, "never lands"),
    "strikes in a groove": ({"closed": True, "hypothesis": "poisson"}, "never lands"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes(what):
    options, text = MISTAKES[what]
    with pytest.raises(da.ModelError) as refused:
        machine(1.0, **options)
    assert text in str(refused.value) and "cam 'cam'" in refused.value.asked


def test_a_file_and_back(tmp_path):
    m = machine(1.5 * CRITICAL, restitution=0.2, base=0.05, follower="flat")
    path = tmp_path / "cam.toml"
    da.write_model(m, path)
    back = da.read_model(path)
    assert back["cam"].follower == "flat" and list(back.impacts) == ["cam"]
    one, two = (da.simulate(x, until=0.05) for x in (m, back))
    assert [x.text for x in one.events] == [x.text for x in two.events] and len(one.events) > 1


def test_a_gap_at_the_start_that_is_negative():
    m = machine(1.0, lift="0.01 + 0.01*cos(theta)", zero=0.01)
    with pytest.raises(da.MethodError, match="gap of 'cam' is -0.03"):
        da.simulate(m, until=0.1)


def test_touching_as_drawn():
    """zero = "drawn": wherever the follower and the cam are drawn, they touch there."""
    m = machine(0.5 * CRITICAL, lift="0.5 + 0.01*(1 - cos(theta))", zero="drawn")
    run = da.simulate(m, until=0.1)
    assert run["guide"].slide == pytest.approx(0.01 * (1 - np.cos(0.5 * CRITICAL * run.t)), abs=1e-10)
    assert run["cam"].closed.min() == 1.0
