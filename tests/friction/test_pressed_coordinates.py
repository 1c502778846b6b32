"""Friction of Lagrangian systems that feels the multipliers of rows: closed forms, and the same machines built of bodies."""

import math

import numpy as np
import pytest

import dalembert as da
from tests.friction.test_small_motions import CONTACT, MASS, PAD, PRESS, SPRINGS, critical, squeal

G = 9.81


def block(angle=0.3, rate=2.0, **sizes):
    """A block on a slope, x along it; the row of the floor carries its weight."""
    m = da.Lagrangian(
        "x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential=f"{G * math.sin(angle)}*x + {G * math.cos(angle)}*y",
        holonomic={"floor": "y"}, name="slope",
    )  # fmt: skip
    m.friction("rub", "x", normal="floor", **sizes)
    m.start("x", 0.0, rate=rate)
    return m


def test_a_block_on_a_slope_stops_and_stays():
    run = da.simulate(block(mu=0.5), until=1.0)
    slows = G * (math.sin(0.3) + 0.5 * math.cos(0.3))
    assert [x.text for x in run.events] == ["sticks"]
    assert run.events[0].t == pytest.approx(2.0 / slows, rel=1e-12)
    assert run["x"][-1] == pytest.approx(2.0 / slows, rel=1e-10)
    assert run["rub"][0] == pytest.approx(0.5 * G * math.cos(0.3)) and run["rub"][-1] == pytest.approx(
        -G * math.sin(0.3)
    )
    assert run.work["rub"][-1] == pytest.approx(-0.5 * G * math.cos(0.3) * run["x"][-1], rel=1e-9)
    assert run.status == "ok" and run.audit.residual < 1e-12


def test_it_slips_above_the_static_limit_only():
    """Pulled by 4 t it slips where 4 t = static g, and then with mu g against it."""
    m = da.Lagrangian(
        "x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential=f"{G}*y", forces={"x": "4*t"}, holonomic={"floor": "y"}
    )
    m.friction("rub", "x", mu=0.3, static=0.5, normal="floor")
    run = da.simulate(m, until=2.0)
    (event,) = run.events
    begin = 0.5 * G / 4
    assert event.text == "slips up" and event.t == pytest.approx(begin, rel=1e-9)
    s = 2.0 - begin
    assert run["x"][-1] == pytest.approx((4 * begin - 0.3 * G) * s**2 / 2 + 4 * s**3 / 6, rel=1e-8)


def hoop(mu, rate, row="x**2 + y**2 - R**2", normal="2*R*hoop"):
    """A bead on a rough hoop in Cartesian coordinates; the gradient of its row is 2 R long."""
    m = da.Lagrangian(
        "x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential=f"{G}*y", holonomic={"hoop": row}, parameters={"R": 0.5}, name="hoop",
    )  # fmt: skip
    m.friction("rub", "R*atan2(x, -y)", mu=mu, normal=normal)
    m.start("x", 0.0, rate=rate)
    m.guess("y", -0.5)
    return m


@pytest.mark.parametrize(
    ("row", "normal"),
    [
        ("x**2 + y**2 - R**2", "2*R*hoop"),
        ("x**2 + y**2 - R**2", "-2*sqrt(x**2 + y**2)*hoop"),
        ("sqrt(x**2 + y**2) - R", "hoop"),
    ],
)
def test_a_bead_on_a_rough_hoop(row, normal):
    """d(w^2)/da + 2 mu w^2 = -(2 g/R)(sin a + mu cos a) on the way up: w^2 = C exp(-2 mu a) + A sin a + B cos a."""
    mu, radius, w0 = 0.2, 0.5, 12.0
    run = da.simulate(hoop(mu, w0 * radius, row, normal), until=0.3, output=0.02, rtol=1e-10)
    angle = np.unwrap(np.arctan2(run["x"], -np.asarray(run["y"])))
    assert len(run.events) == 0 and angle[-1] > 1.5 and run.status == "ok"
    a = -6 * mu * G / (radius * (1 + 4 * mu**2))
    b = 2 * G * (1 - 2 * mu**2) / (radius * (1 + 4 * mu**2))
    square = (w0**2 - b) * np.exp(-2 * mu * angle) + a * np.sin(angle) + b * np.cos(angle)
    speed = np.hypot(run["x"].rate, run["y"].rate) / radius
    assert speed**2 == pytest.approx(square, rel=1e-8)
    # mu N with N = R w^2 + g cos a, as the multiplier of its row
    assert np.abs(run["rub"]) == pytest.approx(mu * (radius * square + G * np.cos(angle)), rel=1e-7)


def test_a_bead_comes_to_rest_within_the_angle_of_friction():
    run = da.simulate(hoop(0.3, 1.0), until=2.0)
    assert run.events[-1].text == "sticks" and abs(math.atan2(run["x"][-1], -run["y"][-1])) < math.atan(0.3)
    assert abs(run["x"].rate[-1]) < 1e-13 and run.status == "ok"  # rounding of two coordinates on one row


def pin_of_bodies():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -G))
    bar = m.body("bar", mass=2.0, inertia=0.2, at=(0, -0.5))
    m.revolute("pin", m.ground, bar, at=(0, 0))
    m.friction("rub", "pin", mu=0.3, radius=0.1)
    m.start(m["pin"].angle, 1.2)
    return m


def pin():
    """The same with the two components of the pin force as multipliers; the friction is the torque mu r |F|."""
    m = da.Lagrangian(
        "x y a", kinetic="rate(x)**2 + rate(y)**2 + 0.1*rate(a)**2", potential=f"{2 * G}*y",
        holonomic={"across": "x - 0.5*sin(a)", "up": "y + 0.5*cos(a)"}, name="pendulum",
    )  # fmt: skip
    m.friction("rub", "a", mu="0.3*r", normal=["across", "up"])
    m.parameter("r", 0.1)
    m.start("a", 1.2)
    return m


def test_a_pendulum_with_friction_in_its_pin():
    run, other = (da.simulate(m, until=3.0, rtol=1e-10) for m in (pin(), pin_of_bodies()))
    assert [x.text for x in run.events] == [x.text for x in other.events] and len(run.events) > 2
    assert np.allclose([x.t for x in run.events], [x.t for x in other.events], rtol=0, atol=1e-7)
    assert run["a"][-1] == pytest.approx(other["pin"].angle[-1], abs=1e-8)
    assert run.status == "ok"


def test_the_modes_that_flutter():
    """Hoffmann's model in coordinates: the same eigenvalues as of bodies, and of the closed form."""
    side = math.copysign(3.0, -critical())
    springs = " + ".join(f"{k}*({math.cos(a)}*x + {math.sin(a)}*y)**2/2" for k, a in SPRINGS)
    for mu in (0.5 * abs(critical()), 1.5 * abs(critical())):
        m = da.Lagrangian(
            "x y s", kinetic=f"{MASS + PAD}*rate(x)**2/2 + {MASS}*rate(y)**2/2 + {PAD}*rate(s)**2/2",
            potential=f"{springs} + {CONTACT}*(y - s)**2/2 + {PRESS}*y", holonomic={"belt": "s"}, name="squeal",
        )  # fmt: skip
        m.friction("rub", f"x - {side}*t", mu=mu, normal="belt")
        bodies, k = squeal(mu, side)
        x, y = np.linalg.solve(k, [0.0, -PRESS])
        m.start("x", x)
        m.start("y", y)
        found, other = da.linearize(m), da.linearize(bodies)
        assert found.steady and found.stable == other.stable == (mu < abs(critical()))
        for one in found.eigenvalues:
            assert np.min(np.abs(other.eigenvalues - one)) < 1e-8 * abs(one)


def test_a_force_that_presses_is_felt_by_the_state_space():
    """A block that slides: a force on y changes N, and so x'' by mu; the multiplier of the floor follows."""
    space = da.linearize(block(mu=0.5)).state_space(["x", "y"], ["floor"])
    assert space.B[-1] == pytest.approx([1.0, 0.5]) and space.D[0] == pytest.approx([0.0, 1.0])


def test_small_motions_where_it_sticks():
    """Held on the belt, nothing is left of the motion of the block; the load on its spring swings."""
    m = da.Lagrangian(
        "x y z",
        kinetic="rate(x)**2/2 + rate(y)**2/2 + rate(z)**2",
        potential=f"{G}*y + 50*(z - x)**2/2",
        holonomic={"floor": "y"},
    )
    m.friction("rub", "x - 0.2*t", mu=0.5, normal="floor")
    m.start("x", 0.0, rate=0.2)
    found = da.linearize(m)
    assert sorted(abs(found.eigenvalues.imag)) == pytest.approx([5.0, 5.0], rel=1e-9)


@pytest.mark.parametrize(
    "make",
    [lambda: block(mu=0.5), lambda: block(rate=0.0, mu=0.5), lambda: hoop(0.2, 2.0), pin, lambda: da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x")],
)  # fmt: skip
def test_all_ways_agree(make):
    m = make()
    if not m.frictions:
        m.friction("rub", "x", force=0.4, static_force=1.2)
    found = da.verify(m)
    assert found.agree and found.spread < 1e-10 and found.states >= 3


def test_a_wrong_friction_is_found(monkeypatch):
    from dalembert.solve.friction import DryFriction

    right = DryFriction._newton
    monkeypatch.setattr(DryFriction, "_newton", lambda *given: 1.001 * right(*given))
    found = da.verify(pin())
    assert not found.agree and any(one.part == "rub" for one in found.parted)


def test_instant_and_reactions_decide():
    assert da.instant(block(mu=0.5)).second_rate("x") == pytest.approx(-G * (math.sin(0.3) + 0.5 * math.cos(0.3)))
    assert da.instant(block(rate=0.0, mu=0.5)).second_rate("x") == pytest.approx(0.0, abs=1e-12)
    assert da.instant(block(0.6, 0.0, mu=0.5)).second_rate("x") == pytest.approx(
        -G * (math.sin(0.6) - 0.5 * math.cos(0.6))
    )
    found = da.reactions(block(rate=0.0, mu=0.5))
    assert found["rub"].multiplier == pytest.approx(-G * math.sin(0.3))


def test_a_file_keeps_it(tmp_path):
    for k, m in enumerate((pin(), hoop(0.2, 3.0))):
        da.write_model(m, tmp_path / f"{k}.toml")
        again = da.read_model(tmp_path / f"{k}.toml")
        one, two = (da.simulate(x, until=0.2) for x in (m, again))
        assert np.array_equal(one.q[-1], two.q[-1])


def test_a_row_that_is_let_go_presses_no_more():
    m = block(0.1, mu=0.5)
    m.event("gone", "t - 0.1", release="floor", once=True)
    run = da.simulate(m, until=0.2)
    slows = G * (math.sin(0.1) + 0.5 * math.cos(0.1))
    assert run["x"].rate[-1] == pytest.approx(2.0 - 0.1 * slows - 0.1 * G * math.sin(0.1), rel=1e-9)
    assert run["rub"][-1] == 0.0 and run.status == "ok"


def test_a_shoe_that_grabs_is_told():
    """Friction on x presses the row harder: N (5 - 2 mu) = 5, and from mu = 2.5 on there is no motion."""

    def shoe(mu):
        m = da.Lagrangian(
            "x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential="5*y", holonomic={"floor": "y - 2*(x - 3*t)"}
        )
        m.friction("rub", "x", mu=mu, normal="floor")
        m.start("x", 0.0, rate=-1.0)
        return m

    # y'' = 2 x'', x'' = -2 N + mu N, y'' = N - 5
    normal = 5.0 / (5.0 - 2 * 0.3)
    assert da.instant(shoe(0.3)).second_rate("x") == pytest.approx(-2 * normal + 0.3 * normal)
    with pytest.raises(da.SingularError, match="'rub'"):
        da.instant(shoe(3.0))


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ({"mu": 0.3}, "name the row or stop whose multiplier presses"),
        ({"mu": 0.3, "normal": "roof"}, "no row is in it"),
        ({"mu": 0.3, "normal": "ground**2"}, "combination of multipliers"),
        ({"mu": 0.3, "normal": "ground + 2"}, "combination of multipliers"),
        ({"mu": 0.3, "normal": "rate(x)*ground"}, "combination of multipliers"),
        ({"mu": 0.3, "normal": ["x*ground", "ground"]}, "constant weights"),
        ({"mu": 0.3, "normal": []}, "one to three components"),
        ({"mu": 0.3, "force": 2.0, "normal": "ground"}, "force and mu"),
        ({"force": 2.0, "normal": "ground"}, "no meaning beside force"),
        ({"mu": 0.3, "static_force": 2.0, "normal": "ground"}, "no meaning beside mu"),
        ({}, "give force=2.0"),
    ],
)  # fmt: skip
def test_what_is_refused(sizes, told):
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential="y", holonomic={"ground": "y"})
    with pytest.raises(da.ModelError, match=told):
        m.friction("rub", "x", **sizes)


def test_shared_loads_are_refused():
    m = da.Lagrangian(
        "x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential="y", holonomic={"ground": "y", "again": "2*y"}
    )
    m.friction("rub", "x", mu=0.3, normal="ground")
    m.start("x", 0.0, rate=1.0)
    with pytest.raises(da.ModelError, match="not unique"):
        da.simulate(m, until=1.0)


def test_ranges_in_which_it_rests():
    """Within the angle of friction about the lowest and highest place of a hoop; of a pin W l sin a <= mu r W; of a spring k x <= static force."""
    found = da.equilibrium(hoop(0.3, 0.0))
    ends = sorted(x for one in found for x in (one.low, one.high) if math.isfinite(x))
    limit = math.atan(0.3)
    assert ends == pytest.approx([0.5 * x for x in (limit - math.pi, -limit, limit, math.pi - limit)], abs=1e-8)
    found, other = da.equilibrium(pin()), da.equilibrium(pin_of_bodies())
    both = [[x for one in some for x in (one.low, one.high)] for some in (found, other)]
    assert both[0] == pytest.approx(both[1], abs=1e-8)
    assert found[0].high == pytest.approx(math.asin(0.3 * 0.1 / 0.5), abs=1e-8)
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="50*x**2")
    m.friction("rub", "x", force=4.0, static_force=5.0)
    (one,) = da.equilibrium(m)
    assert (one.low, one.high) == pytest.approx((-0.05, 0.05), abs=1e-8)
    assert [(one.low, one.high) for one in da.equilibrium(block(mu=0.5))] == [(-math.inf, math.inf)]
    assert len(da.equilibrium(block(0.6, mu=0.5))) == 0


def test_a_run_agrees_where_it_stays():
    (one,) = [x for x in da.equilibrium(pin()) if 0.0 in x]
    for angle in (one.high - 1e-5, one.high + 1e-5):
        m = pin()
        m.start("a", angle)
        assert (da.instant(m).second_rate("a") == pytest.approx(0.0, abs=1e-10)) == (angle in one)


def test_equilibria_that_are_refused():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="x**2")
    m.friction("rub", "x - t", force=1.0)
    with pytest.raises(da.MethodError, match="moves with time"):
        da.equilibrium(m)
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential="x**2 + y**2")
    m.friction("rub", "x", force=1.0)
    with pytest.raises(da.MethodError, match="leave them out"):
        da.equilibrium(m, method="energy")


def driven(row, **sizes):
    m = da.Lagrangian(
        "x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential=f"{G * math.sin(0.3)}*x + {G * math.cos(0.3)}*y",
        holonomic={"floor": "y", "motor": row}, name="slope",
    )  # fmt: skip
    m.friction("rub", "x", **sizes)
    return m


@pytest.mark.parametrize(
    ("sizes", "size"), [({"mu": 0.5, "normal": "floor"}, 0.5 * G * math.cos(0.3)), ({"force": 4.0}, 4.0)]
)
def test_efforts_of_a_driven_motion(sizes, size):
    """F = x'' + g sin + size sign(x'), with x = sin(2 t); at rest against the motion that begins."""
    times = np.array([0.0, 0.5, 1.0, 2.0])
    found = da.inverse_dynamics(driven("x - sin(2*t)", **sizes), times)
    against = size * np.sign(np.cos(2 * times))
    assert found["motor"].multiplier == pytest.approx(-4 * np.sin(2 * times) + G * math.sin(0.3) + against, rel=1e-9)
    assert found["motor"].power == pytest.approx(np.asarray(found["motor"].multiplier), rel=1e-9)
    assert found.run["rub"] == pytest.approx(against, rel=1e-12) and found.run.status == "ok"
    assert found.run.work["rub"][1] == pytest.approx(-size * math.sin(1.0), rel=1e-9)
    still = da.inverse_dynamics(driven("x - 0*t", **sizes), [0.0, 1.0])
    assert still["motor"].multiplier == pytest.approx(G * math.sin(0.3), rel=1e-12)
    assert da.kinematics(driven("x - sin(2*t)", **sizes), times)["x"] == pytest.approx(np.sin(2 * times), abs=1e-12)


def test_efforts_of_a_pendulum_as_of_bodies():
    times, m, other = [0.0, 0.5, 1.0], pin(), pin_of_bodies()
    for one in (m, other):
        one._starts.clear()
    m.constraint("motor", "a - 0.3 - t**2")
    other.drive("motor", other["pin"].angle, "0.3 + t**2")
    one, two = (da.inverse_dynamics(x, times)["motor"].multiplier for x in (m, other))
    assert np.asarray(one) == pytest.approx(np.asarray(two), rel=1e-10)


def test_efforts_of_parts_have_a_third_way():
    """A bead made of a particle, driven round its hoop: the balance of its momentum knows the friction too."""
    m = da.Lagrangian("a", holonomic={"motor": "a - 0.2 - 3*t"}, gravity=("0", "-9.81", "0"), name="bead")
    m.particle("bead", mass=2.0, at=("0.5*sin(a)", "-0.5*cos(a)", "0"))
    m.friction("rub", "0.5*a", force=1.5)
    found = da.inverse_dynamics(m, [0.0, 0.4, 0.9])["motor"]
    angle = 0.2 + 3 * np.array([0.0, 0.4, 0.9])
    assert found.multiplier == pytest.approx(2.0 * G * 0.5 * np.sin(angle) + 1.5 * 0.5, rel=1e-9)
    assert found.newton_euler == pytest.approx(np.asarray(found.multiplier), rel=1e-9)
