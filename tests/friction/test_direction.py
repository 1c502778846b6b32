"""Slip with a direction: friction against a velocity of two or three components."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da

G = 9.81


def puck(tilt=0.0, mu=0.2, rate=(3.0, 4.0, 0.0), gravity=G, **more):
    """A plate on a plane that falls along x by the angle `tilt`."""
    m = da.Mechanism("puck", plane=False, gravity=(gravity * math.sin(tilt), 0, -gravity * math.cos(tilt)))
    body = m.body("puck", da.box(0.1, 0.1, 0.02, mass=0.5))
    m.planar("ice", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    m.friction("rub", "ice", mu=mu, **more)
    for coordinate, x in zip(("x", "y", "angle"), rate):
        m.start(m[f"ice.{coordinate}"], 0.0, rate=x)
    return m


@pytest.mark.parametrize("rate", [(3.0, 4.0, 0.0), (3.0, 4.0, 7.0), (-1e-3, 0.0, 0.0), (0.0, 30.0, 0.0)])
def test_a_puck_stops_on_a_straight_line(rate):
    speed = math.hypot(*rate[:2])
    way, stop = speed**2 / (2 * 0.2 * G), speed / (0.2 * G)
    run = da.simulate(puck(rate=rate), until=1.5 * stop)
    (event,) = run.events
    assert event.what == "stick" and event.t == pytest.approx(stop, rel=1e-11)
    for coordinate, x in zip(("x", "y"), rate):
        found = run[f"ice.{coordinate}"]
        assert found[-1] == pytest.approx(way * x / speed, abs=1e-10 * max(way, 1.0))
        assert np.max(np.abs(found.rate[run.t > event.t])) < 1e-13
    # what turns on the point goes on turning: the friction of a point carries no moment
    assert run["ice.angle"].rate[-1] == pytest.approx(rate[2], abs=1e-9)
    force = np.linalg.norm(run["rub"].force, axis=1)
    moving = (run.t > 0.0) & (run.t < event.t)
    assert force[moving] == pytest.approx(0.2 * 0.5 * G, rel=1e-9)
    assert run.status == "ok" and run.audit.energy < 1e-8


def test_a_puck_turns_down_a_slope_and_stops():
    """Along the hodograph v = C tan(a/2)^k / sin(a), a the angle from the fall line and k = mu / tan(tilt); it stops after a finite time."""
    tilt, mu = 0.1, 0.2
    b, k = G * math.sin(tilt), mu / math.tan(tilt)
    w = math.tan(0.5 * math.atan2(4.0, 3.0))
    c = 5.0 * math.sin(math.atan2(4.0, 3.0)) / w**k
    stop = c / (2 * b) * (w ** (k - 1) / (k - 1) + w ** (k + 1) / (k + 1))
    run = da.simulate(puck(tilt, mu), until=1.2 * stop, rtol=1e-10)
    assert [e.what for e in run.events] == ["stick"]
    assert run.events[0].t == pytest.approx(stop, abs=1e-8)
    # across the slope the momentum is lost by friction alone, along it also gained: the same path by another integration

    def rate(t, y):
        v = math.hypot(y[2], y[3])
        return [y[2], y[3], b - mu * G * math.cos(tilt) * y[2] / v, -mu * G * math.cos(tilt) * y[3] / v]

    other = solve_ivp(rate, (0, 0.999 * stop), [0, 0, 3.0, 4.0], rtol=1e-11, atol=1e-13)
    here = run.resample(np.array([0.999 * stop]))
    assert [here["ice.x"][0], here["ice.y"][0]] == pytest.approx(other.y[:2, -1], abs=1e-8)
    # it stays because tan(tilt) < mu, held by its weight along the slope
    assert np.linalg.norm(run["rub"].force[-1]) == pytest.approx(0.5 * b, rel=1e-9)
    assert run.status == "ok"


def test_on_a_steep_slope_it_never_stops():
    tilt, mu = 0.3, 0.2
    run = da.simulate(puck(tilt, mu, (0.0, 1.0, 0.0)), until=20.0)
    assert not run.events and run.status == "ok"
    # on the same hodograph, with k < 1: v sin(a) = tan(a/2)^k
    across, down = run["ice.y"].rate, run["ice.x"].rate
    angle = np.arctan2(across, down)
    assert across == pytest.approx(np.tan(0.5 * angle) ** (mu / math.tan(tilt)), rel=1e-6)
    assert np.all(np.diff(down) > 0.0) and down[-1] > 10.0


@pytest.mark.parametrize(("static", "kinetic"), [(0.3, 0.2), (0.2, 0.2)])
def test_it_slips_in_the_direction_of_the_pull_at_the_static_limit(static, kinetic):
    m = puck(mu=kinetic, static=static, rate=(0.0, 0.0, 0.0))
    m.force("pull", m["puck"], ("0.6*t", "0.8*t", 0))
    run = da.simulate(m, until=3.0)
    (event,) = run.events
    begin = static * 0.5 * G
    assert event.what == "slip" and event.t == pytest.approx(begin, abs=1e-9)
    assert np.max(np.abs(run["ice.x"][run.t <= begin])) < 1e-15  # what the projections leave of 0
    s = 3.0 - begin
    way = ((begin - kinetic * 0.5 * G) * s**2 / 2 + s**3 / 6) / 0.5
    assert [run["ice.x"][-1], run["ice.y"][-1]] == pytest.approx([0.6 * way, 0.8 * way], abs=1e-8)


def test_it_slips_where_the_point_is_not_the_mass_centre():
    """A plate rubs at one corner only: the direction in which it begins to slip is not that of the force that held it."""
    m = da.Mechanism("plate", plane=False, gravity=(0, 0, -G))
    body = m.body("plate", da.box(0.4, 0.2, 0.02, mass=2.0))
    m.planar("table", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1))
    corner = [
        m.measure(f"corner_{a}", point=body.point(0.2, 0.1, 0), along=d)
        for a, d in (("x", (1, 0, 0)), ("y", (0, 1, 0)))
    ]
    m.friction("rub", "table", mu=0.3, static=0.35, along=corner)
    m.force("pull", body, ("4*t", "1*t", 0))
    run = da.simulate(m, until=2.5, rtol=1e-10)
    assert run.events[0].what == "slip"
    # at once after it began: friction of the size mu N against the velocity of the corner
    t0 = run.events[0].t
    just = run.resample(np.linspace(t0 + 1e-4, 2.5, 50))
    u = np.array([just["corner_x"].rate, just["corner_y"].rate]).T
    force = just["rub"].force[:, :2]
    size = np.linalg.norm(u, axis=1)
    assert np.linalg.norm(force, axis=1) == pytest.approx(0.3 * 2.0 * G, rel=1e-9)
    assert np.einsum("ti,ti->t", force, u) == pytest.approx(-0.3 * 2.0 * G * size, rel=1e-7)
    assert run.audit.energy < 1e-8 and run.status == "ok"


def ball(mu=0.3, radius=0.05, rate=(2.0, -3.0, 4.0), along=(0.5, 0, -0.3)):
    """A bar on a ball in a socket."""
    m = da.Mechanism("ball", plane=False, gravity=(0, 0, -G))
    bar = m.body("bar", da.box(0.8, 0.1, 0.05, mass=2.0), at=along, spin=rate, velocity=tuple(np.cross(rate, along)))
    m.spherical("socket", m.ground, bar, at=(0, 0, 0))
    m.friction("rub", "socket", mu=mu, radius=radius)
    return m


def test_a_ball_in_its_socket_loses_energy_at_the_rate_mu_r_n_omega():
    run = da.simulate(ball(), until=1.0, rtol=1e-10)
    torque, force = np.asarray(run["rub"].torque), np.linalg.norm(run["socket"].force, axis=1)
    spin = np.asarray(run["bar"].spin)
    speed = np.linalg.norm(spin, axis=1)
    assert np.linalg.norm(torque, axis=1) == pytest.approx(0.3 * 0.05 * force, rel=1e-9)
    assert torque == pytest.approx(-(0.3 * 0.05 * force / speed)[:, None] * spin, abs=1e-8)
    # E(1) - E(0) = - integral of mu r N |omega|
    fine = run.resample(np.linspace(0.0, 1.0, 2001))
    lost = 0.3 * 0.05 * np.linalg.norm(fine["socket"].force, axis=1) * np.linalg.norm(fine["bar"].spin, axis=1)
    from scipy.integrate import simpson

    assert fine.energy.total[-1] - fine.energy.total[0] == pytest.approx(-simpson(lost, x=fine.t), rel=1e-7)
    assert run.status == "ok" and run.audit.energy < 1e-8


def test_a_ball_in_its_socket_comes_to_rest_inside_its_cone():
    """At rest the moment of the weight is at most mu r N: the bar stops where its arm is at most mu r beside the socket."""
    run = da.simulate(ball(mu=1.0, radius=0.1, rate=(0.5, 1.0, 0.3), along=(0.1, 0, -0.5)), until=8.0)
    assert run.events[-1].what == "stick" and run.status == "ok"
    x = run["bar"].position[-1]
    assert math.hypot(x[0], x[1]) <= 0.1 + 1e-9
    assert np.max(np.abs(run["bar"].spin[-1])) < 1e-13
    moment = 2.0 * G * np.array([x[1], -x[0], 0.0])
    assert run["rub"].torque[-1] == pytest.approx(moment, abs=1e-8)


def shaft(turn, slide, mu=0.2, radius=0.03):
    m = da.Mechanism("shaft", plane=False, gravity=(0, 0, -G))
    rod = m.body("rod", da.cylinder(radius, 0.5, mass=3.0, axis="x"))
    m.cylindrical("sleeve", m.ground, rod, at=(0, 0, 0), axis=(1, 0, 0))
    m.friction("rub", "sleeve", mu=mu, radius=radius)
    m.start(m["sleeve.slide"], 0.0, rate=slide)
    m.start(m["sleeve.angle"], 0.0, rate=turn)
    return m, rod


@pytest.mark.parametrize(("turn", "slide"), [(0.0, 1.0), (40.0, 0.0), (40.0, 1.0), (-10.0, 0.5)])
def test_a_shaft_slides_and_turns_in_its_sleeve(turn, slide):
    """The friction mu N acts against the motion of the surface, (v, r omega): a turning shaft slides with less friction along."""
    m, _ = shaft(turn, slide)
    radius, mass, mu = 0.03, 3.0, 0.2
    inertia = 0.5 * mass * radius**2

    def rate(t, y):
        u = math.hypot(y[0], radius * y[1])
        return [-mu * G * y[0] / u, -mu * mass * G * radius * radius * y[1] / u / inertia]

    stop = lambda t, y: math.hypot(y[0], radius * y[1]) - 1e-9  # noqa: E731
    stop.terminal = True
    other = solve_ivp(rate, (0, 9), [slide, turn], events=stop, rtol=1e-11, atol=1e-14)
    run = da.simulate(m, until=1.1 * other.t[-1], rtol=1e-10)
    assert [e.what for e in run.events] == ["stick"]
    assert run.events[0].t == pytest.approx(other.t[-1], abs=1e-7)
    half = run.resample(np.array([0.5 * other.t[-1]]))
    there = solve_ivp(rate, (0, 0.5 * other.t[-1]), [slide, turn], rtol=1e-11, atol=1e-14).y[:, -1]
    assert [half["sleeve.slide"].rate[0], half["sleeve.angle"].rate[0]] == pytest.approx(there, abs=1e-7)
    assert run.audit.energy < 1e-7 and run.status == "ok"


def test_a_constant_size_on_two_measures():
    """|f| = 2 N against the velocity, whatever presses."""
    m = da.Mechanism("disk", plane=True)
    body = m.body("disk", da.disk(0.1, mass=1.0), velocity=(3.0, -4.0), spin=2.0)
    x = m.measure("x", point=body.point(0, 0), along=(1, 0))
    y = m.measure("y", point=body.point(0, 0), along=(0, 1))
    m.friction("air", [x, y], force=2.0)
    run = da.simulate(m, until=4.0)
    assert run.events[0].t == pytest.approx(2.5, rel=1e-11)
    assert [run["x"][-1], run["y"][-1]] == pytest.approx([3.75, -5.0], abs=1e-9)


def test_what_has_no_direction_is_told():
    m, _ = shaft(0.0, 1.0)
    with pytest.raises(da.ModelError, match="one unit"):
        m.friction("other", ["sleeve.angle", "sleeve.slide"], force=1.0)
    with pytest.raises(da.ModelError, match="one to three"):
        m.friction("other", [], force=1.0)


def test_what_slides_on_a_stop_in_space():
    """A particle falls on a floor without rebound, rubs in the blow, slides on against its velocity, and stays; in the air nothing rubs."""
    m = da.Mechanism("floor", plane=False, gravity=(0, 0, -G))
    p = m.particle("p", mass=0.3, at=(0, 0, 0.5), velocity=(1.5, 2.0, 0.0))
    x, y, z = (m.measure(a, point=p.point(0, 0, 0), along=d) for a, d in zip("xyz", np.eye(3).tolist()))
    m.impact("ground_stop", z, restitution=0.0)
    m.friction("rub", "ground_stop", mu=0.4, along=[x, y])
    run = da.simulate(m, until=2.0)
    falls = math.sqrt(2 * 0.5 / G)
    left = 2.5 - 0.4 * G * falls  # the impulse of friction is mu times that of the floor
    stops = falls + left / (0.4 * G)
    assert [(e.name, e.what) for e in run.events if e.name == "rub"] == [("rub", "stick")]
    assert run.events[-1].t == pytest.approx(stops, abs=1e-9)
    way = 2.5 * falls + left**2 / (2 * 0.4 * G)
    assert [run["x"][-1], run["y"][-1], run["z"][-1]] == pytest.approx([0.6 * way, 0.8 * way, 0.0], abs=1e-8)
    assert run.status == "ok"


def test_friction_of_a_stop_ends_where_it_opens():
    """A block runs off its table: no friction after that."""
    m = da.Mechanism("table", plane=True, gravity=(0, -G))
    p = m.particle("p", mass=1.0, at=(0, 0), velocity=(3.0, 0.0))
    x, y = (m.measure(a, point=p.point(0, 0), along=d) for a, d in (("x", (1, 0)), ("y", (0, 1))))
    m.impact("top", y, restitution=0.0)
    m.friction("rub", "top", mu=0.2, along=x)
    m.force("lift", p, (0, "30*t"))  # lifts it at 0.327 s
    run = da.simulate(m, until=0.6)
    off = G / 30.0
    assert [(e.name, e.what) for e in run.events] == [("top", "release")]
    lost = 0.2 * (G * off - 30.0 * off**2 / 2)
    assert run["x"].rate[-1] == pytest.approx(3.0 - lost, abs=1e-9)
    assert run.status == "ok" and np.all(run["rub"].force[run.t > off + 1e-9] == 0.0)


@pytest.mark.parametrize(
    ("method", "close"), [(5, 1e-7), ("radau", 1e-7), ("radau3", 1e-7), ("generalized_alpha", 1e-4)]
)
def test_all_methods_stop_at_the_same_time(method, close):
    other = da.simulate(puck(0.1), until=5.0).events[0].t
    run = da.simulate(puck(0.1), until=5.0, method=method)
    assert run.status == "ok" and [e.t for e in run.events] == pytest.approx([other], abs=close)
