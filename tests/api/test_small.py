"""Tables and periodic tables, arithmetic of measures, names with blanks, direction cosines, instants, and mistakes around them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

TURN = np.linspace(0.0, 2 * math.pi, 49)


def cam_machine():
    m = da.Mechanism("cam machine", plane=True)
    wheel = m.body("cam wheel", da.disk(0.1, mass=1.0))
    follower = m.body("follower", mass=0.2, inertia=1e-3, at=(0, 0.2))
    O = m.revolute("crank pin", m.ground, wheel, at=(0, 0))
    guide = m.prismatic("guide", m.ground, follower, along=(0, 1))
    cam = m.table("cam", TURN, 0.02 * (1 - np.cos(TURN)), periodic=True)
    m.constraint("contact", guide.slide - cam(O.angle))
    m.measure("tip height", point=follower.point(0, 0.1), along=(0, 1))
    m.drive("motor", O.angle, "20*t")
    m.actuator("load", "guide", force="-5*`tip height` - 2*rate(`tip height`) + cam(`crank pin`.angle)")
    return m


def test_a_cam_without_private_imports(tmp_path):
    m = cam_machine()
    run = da.simulate(m, until=1.0)  # more than three turns
    assert run.status == "ok", run.audit
    lift = 0.02 * (1 - np.cos(20 * run.t))
    # the spline through 48 points of a cosine is right to its fourth derivative times h⁴/384
    assert np.max(np.abs(run.measure(m["guide"].slide) - lift)) < 0.02 * (2 * math.pi / 48) ** 4 / 200
    assert run["tip height"] == pytest.approx(run.measure(m["guide"].slide) + 0.3, abs=1e-12)
    # the same machine from a file
    path = tmp_path / "cam.toml"
    da.write_model(m, path)
    assert "periodic = true" in path.read_text()
    again = da.simulate(da.read_model(path), until=1.0)
    assert again.q == pytest.approx(run.q, abs=1e-12)


def test_periodic_tables_go_on_smoothly():
    lobe = da.spline([0, 1, 2.5, 4], [0, 5, 2, 0], periodic=True, name="lobe")
    for order in (0, 1, 2):
        # value, slope and curvature across the end, and one period later
        assert lobe.value(4 - 1e-9, order) == pytest.approx(lobe.value(4 + 1e-9, order), abs=1e-6)
        assert lobe.value(9.3, order) == pytest.approx(lobe.value(1.3, order), abs=1e-9)
    x = da.model.expression.Name("x")
    assert str(2 * lobe(x)) == "2*lobe(x)" and str(lobe(x).diff("x").simplify()) == "lobe'(x)"
    assert da.model.expression.parse("2*lobe(x)", tables={"lobe": lobe}) == 2 * lobe(x)
    assert lobe(x).evaluate({"x": -2.7}) == pytest.approx(lobe.value(1.3))
    for options, message in (({"y": [0, 1, 1]}, "ends where it begins"), ({"rate": (0, 0)}, "rate and periodic")):
        with pytest.raises(da.ExpressionError, match=message):
            da.spline(**{"x": [0, 1, 2], "y": [0, 1, 0], "periodic": True, **options})


def test_tables_of_a_lagrangian(tmp_path):
    m = da.Lagrangian("theta", kinetic="rate(theta)**2/2", name="wheel")
    m.table("torque", TURN, np.sin(TURN), periodic=True)
    m.constraint("turn", "theta - 3*t")
    L = da.Lagrangian("theta", kinetic="rate(theta)**2/2", name="wheel")
    torque = L.table("torque", [0, 1, 2], [5.0, 3.0, 0.0])
    assert torque.value(1.0) == 3.0 and list(L.tables) == ["torque"]
    with pytest.raises(da.ModelError, match="the name is taken"):
        L.table("theta", [0, 1], [0, 1])
    with pytest.raises(da.ModelError, match="x must increase"):
        L.table("other", [1, 0], [0, 1])


def test_measures_compute_like_numbers():
    m = cam_machine()
    angle = m["crank pin"].angle
    assert str(2 * angle + 1) == "2*`crank pin.angle` + 1" and str(angle.rate) == "rate(`crank pin.angle`)"
    assert str(np.float64(2.0) * angle) == "2*`crank pin.angle`"
    f = da.functions
    made = m.measure("both", f.sin(angle) ** 2 / 2 - abs(-angle) + 1 / (angle + 3))
    run = da.simulate(m, until=0.1)
    a = 20 * run.t
    assert run.measure(made) == pytest.approx(np.sin(a) ** 2 / 2 - a + 1 / (a + 3), abs=1e-12)
    assert str(f.if_(angle > 1, angle, -angle)) == "if_(`crank pin.angle` > 1, `crank pin.angle`, -`crank pin.angle`)"


def test_names_with_blanks_where_names_go():
    m = cam_machine()
    m.parameter("k", 1.0)
    run = da.simulate(m, until=0.1)
    assert run["crank pin"].force.shape[1] == 2 and run["tip height"].shape == run.t.shape
    s = da.sweep(
        m, over={"k": [1.0]}, until=0.1, keep=["max |crank pin.force|", "max tip height", "final rate(tip height)"]
    )
    assert not s.failures and s["max tip height"][0] == pytest.approx(np.max(run["tip height"]))
    assert "crank pin" in str(da.reactions(m))
    with pytest.raises(da.ExpressionError, match="'tip heigt'"):
        m.measure("wrong", "2*`tip heigt`")


def test_direction_cosines():
    flat = da.Mechanism("lever", plane=True)
    bar = flat.body("bar", da.rod(length=1.0, mass=1.0))
    flat.revolute("O", flat.ground, bar, at=(0, 0))
    c = flat.measure("c", cosine=(bar.axis(1, 0), (0, 1)))
    flat.drive("motor", "O.angle", "0.3 + t")
    run = da.simulate(flat, until=0.5)
    assert run.measure(c) == pytest.approx(np.sin(0.3 + run.t), abs=1e-12)
    m = da.Mechanism("top", plane=False, gravity=(0, 0, -9.81))
    top = m.body("top", da.cone(0.1, 0.2, mass=1.0), rotation=((1, 0, 0), 0.4), spin=(0, 5, 20))
    m.spherical("O", m.ground, top, at=(0, 0, 0))
    lean = m.measure("lean", cosine=(top.axis(0, 0, 1), (0, 0, 1)))
    run = da.simulate(m, until=0.1)
    assert run.measure(lean) == pytest.approx(run["top"].rotation[:, 2, 2], abs=1e-12)
    with pytest.raises(da.ModelError, match="both directions are on"):
        m.measure("no", cosine=(top.axis(0, 0, 1), top.axis(1, 0, 0)))


def test_everything_at_an_instant():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.measure("height", point=bar.end, along=(0, 1))
    run = da.simulate(m, until=1.0)
    now = da.instant(m, run.at(0.4))
    angle, rate = now["A.angle"], now.rate("A.angle")
    # θ'' = −(3g/2l) cos θ; height sin θ, its rates by hand
    second = -1.5 * 9.81 * math.cos(angle)
    assert now.second_rate("A.angle") == pytest.approx(second, rel=1e-10)
    assert now["height"] == pytest.approx(math.sin(angle), abs=1e-12)
    assert now.rate("height") == pytest.approx(rate * math.cos(angle), abs=1e-12)
    assert now.second_rate("height") == pytest.approx(second * math.cos(angle) - rate**2 * math.sin(angle), abs=1e-9)
    assert now.second_rate("2*height + t**2") == pytest.approx(2 * now.second_rate("height") + 2.0, abs=1e-9)
    assert now[bar.end].acceleration[1] == pytest.approx(now.second_rate("height"), abs=1e-9)
    assert now["bar"].point(0.5, 0).velocity == pytest.approx(now[bar.end].velocity)
    assert now["bar"].angle == pytest.approx(angle) and now["A"].force.shape == (2,)
    assert run.instant(0.4).second_rate("height") == pytest.approx(now.second_rate("height"), abs=1e-9)
    rest = da.equilibrium(m)[0]
    assert rest[bar.end].position == pytest.approx([0.0, -1.0], abs=1e-9)
    assert rest["bar"].acceleration == pytest.approx([0.0, 0.0], abs=1e-9)
    assert rest.instant["A"].force == pytest.approx([0.0, 2 * 9.81], abs=1e-9)
    with pytest.raises(da.MethodError, match="da.instant"):
        run.at(0.4)["bar"]


def test_an_instant_of_a_lagrangian():
    m = da.Lagrangian("theta", parameters={"l": 0.7, "m": 2.0}, gravity=(0, -9.81), name="pendulum")
    m.particle("ball", mass="m", at=("l*sin(theta)", "-l*cos(theta)"))
    m.start("theta", 0.5, rate=2.0)
    now = da.instant(m)
    second = -9.81 / 0.7 * math.sin(0.5)
    assert [now["theta"], now.rate("theta"), now.second_rate("theta")] == pytest.approx([0.5, 2.0, second])
    assert now.second_rate("l*sin(theta)") == pytest.approx(now["ball"].acceleration[0])
    assert now["ball"].acceleration[:2] == pytest.approx(
        [0.7 * (second * math.cos(0.5) - 4 * math.sin(0.5)), 0.7 * (second * math.sin(0.5) + 4 * math.cos(0.5))]
    )
    assert now["ball"].velocity[:2] == pytest.approx([1.4 * math.cos(0.5), 1.4 * math.sin(0.5)])
    assert da.simulate(m, until=0.1).instant(0.0).second_rate("theta") == pytest.approx(second)
    with pytest.raises(da.ModelError, match="no orientation"):
        now["ball"].spin


def test_loads_of_joints_in_laws_are_refused_with_the_way_out():
    m = da.Mechanism("brake", plane=True, gravity=(0, -9.81))
    block = m.body("block", da.block(1, 1, mass=1.0))
    guide = m.prismatic("guide", m.ground, block, along=(1, 0))
    for make in (
        lambda: m.actuator("f", guide, force="-0.3*abs(guide.normal)"),
        lambda: m.friction("f", guide, force="0.3*abs(guide.force)"),
        lambda: m.force("f", block, ("guide.torque", 0)),
    ):
        with pytest.raises(da.ExpressionError, match="loads of joints follow from the accelerations(.|\n)*m.friction"):
            make()


def test_mistakes_are_told_in_our_words():
    m = cam_machine()
    run = da.simulate(m, until=0.05)
    assert run["follower"].position["y"] == pytest.approx(run["follower"].position[:, 1])
    flat = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    flat.revolute("A", flat.ground, flat.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0)), at=(0, 0))
    for make in (
        lambda: m.ground.angle,
        lambda: m.table("cam", [0, 1], [0, 1]),
        lambda: m.table("x y", [0, 1], [0, 1]),
        lambda: m.table("c", [0, 1], [0]),
        lambda: m.measure("c", cosine=3),
        lambda: da.instant(3),
        lambda: da.instant(m, 3),
        lambda: da.instant(m)["nothing"],
        lambda: da.instant(m).rate("nothing"),
        lambda: da.instant(m)["follower"].nothing,
        lambda: run.instant(7.0),
        lambda: run.nothing,
        lambda: run.at(0.01).nothing,
        lambda: m["follower"].center.nothing,
        lambda: run["follower"].position.nothing,
        lambda: run["follower"].position["z"],
        lambda: da.equilibrium(flat)[0].nothing,
    ):
        with pytest.raises(da.DalembertError):
            make()
