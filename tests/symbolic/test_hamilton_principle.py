"""Hamilton's principle: the steps of PRINCIPLES' example (K6), and the first variation of the action along runs."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from tests.symbolic import machines
from tests.symbolic.machines import parameters, same, symbols


def k6():
    form = da.equations(machines.bar_on_string(), form="hamilton-principle")
    names = symbols(form, "th1", "th2"), parameters(form, "m", "L1", "L2", "g", "F")
    varied = [form.variations[x] for x in ("δth1", "δth2", "δth1'", "δth2'")]
    return form, *names, varied


def test_steps_g_to_l_of_the_source():
    """(g) with cos(θ2 − θ1), which the source prints as cos(θ1 − θ1); (h), (i), (j), (k), (l)."""
    form, (t1, v1, a1, t2, v2, a2), (m, L1, L2, g, F), (d1, d2, r1, r2) = k6()
    s, c = sp.sin(t2 - t1), sp.cos(t2 - t1)
    p1, p2 = m * L1 * (L1 * v1 + L2 / 2 * v2 * c), m * L2 * (L1 / 2 * v1 * c + L2 / 3 * v2)
    turning = m * L1 * L2 / 2 * v1 * v2 * s
    assert same(form.dT, turning * d1 - turning * d2 + p1 * r1 + p2 * r2)  # (g)
    assert same(form.dV, m * g * (L1 * sp.sin(t1) * d1 + L2 / 2 * sp.sin(t2) * d2))  # (h)
    assert same(form.dW, F * (L1 * sp.cos(t1) * d1 + L2 * sp.cos(t2) * d2))
    assert same(form.integrand, form.dT - form.dV + form.dW)  # (i)
    first = m * L1 * (L1 * a1 + L2 / 2 * a2 * c - L2 / 2 * v2 * (v2 - v1) * s)
    second = m * L2 * (L1 / 2 * a1 * c - L1 / 2 * v1 * (v2 - v1) * s + L2 / 3 * a2)
    assert same(form.momenta[0], p1) and same(form.momenta[1], p2)
    assert same(form.momentum_rates[0], first) and same(form.momentum_rates[1], second)  # (j)
    one = m * L1**2 * a1 + m * L1 * L2 / 2 * (a2 * c - v2**2 * s) + m * g * L1 * sp.sin(t1) - F * L1 * sp.cos(t1)
    two = (
        m * L1 * L2 / 2 * (a1 * c + v1**2 * s) + m * L2**2 / 3 * a2 + m * g * L2 / 2 * sp.sin(t2) - F * L2 * sp.cos(t2)
    )
    assert same(form.collected, -one * d1 - two * d2)  # (k)
    assert same(form.residuals[0], one) and same(form.residuals[1], two)  # (l)


def test_integration_by_parts_is_exact():
    """What is left differs from the integrand by d/dt of p δq, so that the integral differs by nothing at the ends."""
    form, (t1, v1, a1, t2, v2, a2), _, (d1, d2, r1, r2) = k6()
    boundary = form.momenta[0] * d1 + form.momenta[1] * d2
    rate = sum(boundary.diff(x) * y for x, y in ((t1, v1), (v1, a1), (t2, v2), (v2, a2), (d1, r1), (d2, r2)))
    assert same(form.integrand - form.collected, rate)


def test_text_latex_and_page():
    form = k6()[0]
    told = str(form)
    assert "δV = L1*g*m*sin(th1)*δth1 + L2*g*m*sin(th2)/2*δth2" in told
    assert "integral of δT - δV + δW from t1 to t2 is zero" in told and "[p δq] = 0" in told
    assert (
        r"\delta V = " in form.latex() and r"\delta \dot{\mathit{th}}_{1}" in form.latex() and "δ" not in form.latex()
    )
    assert "<mi>δ</mi>" in form.to_html()


def test_rows_are_obeyed_by_the_variations():
    """Nonholonomic rows: the variations obey them, and the equations are those with multipliers."""
    form = da.equations(machines.upright_disk(), form="hamilton-principle")
    assert "δx - r*cos(theta)*δphi = 0" in str(form) and "- lam.J δq" in str(form) and r"\lambda^T J" in form.latex()
    other = da.equations(machines.upright_disk(), form="multipliers")
    assert all(same(a, b) for a, b in zip(form.residuals, other.residuals))


def test_mechanism():
    """The same of a mechanism, in its joint coordinates."""
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -10.0))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    form = da.equations(m, form="hamilton-principle")
    angle, rate, turn = symbols(form, "theta_A")
    assert same(form.dT, sp.Rational(2, 3) * rate * form.variations["δtheta_A'"])
    assert same(form.residuals[0], sp.Rational(2, 3) * turn + 10 * sp.cos(angle))


# -- along runs ------------------------------------------------------------------------------------------------------------


def string_of_joints():
    """K6 as bodies and joints: the bar on a distance link."""
    L1, L2, a, b = 0.5, 0.8, 0.3, 0.1
    m = da.Mechanism("bar on a string", plane=True, gravity=(0, -9.81))
    x = np.array([L1 * math.sin(a) + L2 / 2 * math.sin(b), -L1 * math.cos(a) - L2 / 2 * math.cos(b)])
    bar = m.body("bar", da.rod(length=L2, mass=1.4), at=tuple(x), angle=b - math.pi / 2)
    m.distance("string", m.ground.point(0, 0), bar.start, length=L1)
    m.force("F", bar, (2.0, 0), at=bar.end)
    return m


def started(model, **values):
    for name, value in values.items():
        model.start(name, *value)
    return model


def top():
    """A heavy top in space: turning frames, a ball joint, gravity."""
    m = da.Mechanism("top", plane=False, gravity=(0, 0, -9.81))
    place, spin = (0, 0.1, 0.15), (0.4, 0.7, 40.0)
    speed = tuple(np.cross(spin, place))
    body = m.body("top", mass=1.2, inertia=(0.02, 0.02, 0.008), at=place, spin=spin, velocity=speed)
    m.spherical("tip", m.ground, body, at=(0, 0, 0))
    return m


@pytest.mark.parametrize(
    ("make", "until"),
    [
        (lambda: started(machines.bar_on_string(), th1=(0.3, 0.2), th2=(0.1, 1.0)), 1.0),
        (string_of_joints, 1.0),
        (lambda: started(machines.upright_disk(), theta=(0.3, 0.8), phi=(0.0, 2.0)), 1.0),
        (top, 0.2),
    ],
    ids=["K6", "K6 of joints", "K5 nonholonomic", "top in space"],
)
def test_first_variation_is_zero(make, until):
    run = da.simulate(make(), until=until)
    found = da.first_variation(run, count=5, seed=3)
    assert len(found.values) == 5 and found.scale.min() > 1e-3
    assert found.relative < 1e-8 and np.max(np.abs(found.values)) < 1e-8 * found.scale.max()


@pytest.mark.parametrize("make", [lambda: started(machines.bar_on_string(), th1=(0.3, 0.2)), string_of_joints])
def test_another_path_has_a_first_variation(make, monkeypatch):
    """The zeros mean something: with rates a thousandth too large they are gone."""
    run = da.simulate(make(), until=1.0)
    original = run.resample

    def spoilt(t):
        made = original(t)
        made.v = made.v * 1.001
        return made

    monkeypatch.setattr(run, "resample", spoilt)
    assert da.first_variation(run).relative > 1e-5


def test_action_of_a_free_particle():
    """m v²/2 over 2 s at 3 m/s: 9 J s; and a variation of one's own."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", name="free")
    m.start("x", 0.0, rate=3.0)
    run = da.simulate(m, until=2.0)
    found = da.first_variation(run, {"x": "t*(2 - t)"})
    assert found.action == pytest.approx(9.0, rel=1e-12) and found.relative < 1e-14
    # the sum of the sizes: the integral of 3 |2 - 2t|
    assert found.scale[0] == pytest.approx(6.0, rel=1e-2)
    assert "keeps the ends" in str(found) and "action       9 J s" in str(found)
    assert da.first_variation(run, {"x": "(t - 0.5)*(1 - t)"}, between=(0.5, 1.0)).action == pytest.approx(2.25)


def test_damped_motion_and_switches():
    """Dissipation works along δq; panels end where a law changes."""
    m = da.Lagrangian(
        "x",
        kinetic="rate(x)**2/2",
        potential="50*x**2",
        dissipation="0.3*rate(x)**2/2",
        forces={"x": "if_(x > 0, 3, -1)"},
    )
    m.start("x", 0.4)
    run = da.simulate(m, until=1.5)
    assert len(run.switches) > 3
    assert da.first_variation(run).relative < 1e-8


def test_what_is_refused():
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", name="free")
    m.start("x", 0.0, rate=3.0)
    run = da.simulate(m, until=2.0)
    with pytest.raises(da.MethodError, match="keep both ends"):
        da.first_variation(run, {"x": "t"})
    with pytest.raises(da.MethodError, match="no coordinate"):
        da.first_variation(run, {"y": "t"})
    with pytest.raises(da.MethodError, match="a run of simulate"):
        da.first_variation(m)
    with pytest.raises(da.MethodError, match="the run covers"):
        da.first_variation(run, between=(1.0, 3.0))
    with pytest.raises(da.MethodError, match="whole number"):
        da.first_variation(run, count=0)
    driven = da.Mechanism("cart", plane=True)
    cart = driven.body("cart", mass=3.0, inertia=1.0)
    rail = driven.prismatic("rail", driven.ground, cart, along=(1, 0))
    driven.drive("motor", rail.slide, "if_(t < 0.5, 0, t - 0.5)")
    jerk = da.simulate(driven, until=1.0)
    with pytest.raises(da.MethodError, match="momenta jump there"):
        da.first_variation(jerk)
    assert da.first_variation(jerk, between=(0.5, 1.0)).relative < 1e-8


def test_example_of_the_docstring():
    import doctest
    import importlib

    result = doctest.testmod(importlib.import_module("dalembert.analyses.first_variation"))
    assert result.attempted > 0 and result.failed == 0


# -- measures of a mechanism -----------------------------------------------------------------------------------------------


def spinning_bar(plane):
    m = da.Mechanism("bar", plane=plane)
    at = (0.5, 0) if plane else (0.5, 0, 0)
    bar = m.body("bar", da.rod(length=1.0, mass=2.0, radius=0.02), at=at)
    m.revolute("O", m.ground, bar, at=(0, 0)) if plane else m.revolute("O", m.ground, bar, at=(0, 0, 0), axis="z")
    m.start("O.angle", 0.0, rate=3.0)
    return m


@pytest.mark.parametrize("plane", [True, False])
def test_variation_of_a_joint_moves_its_body(plane):
    """The bar turns at 3 rad/s: δr = δφ z × r by hand; the same terms, in the coordinates of the body."""
    run = da.simulate(spinning_bar(plane), until=1.0)
    wave = "sin(pi*t)*exp(t)"
    by_joint = da.first_variation(run, {"O.angle": wave})
    by_hand = {"bar.x'": f"-sin(3*t)*{wave}/2", "bar.y'": f"cos(3*t)*{wave}/2"}
    by_hand["bar.angle'" if plane else "bar.spin_z"] = wave
    same = da.first_variation(run, by_hand)
    assert by_joint.scale == pytest.approx(same.scale, rel=1e-9) and by_joint.scale[0] > 1.0
    assert by_joint.relative < 1e-9 and same.relative < 1e-9


def test_variation_of_measures_of_several_freedoms():
    m = da.Mechanism("double pendulum", gravity=(0, -9.81))
    upper = m.body("upper", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    lower = m.body("lower", da.rod(length=1.0, mass=1.0), at=(1.5, 0))
    m.revolute("A", m.ground, upper, at=(0, 0))
    m.revolute("B", upper, lower, at=(1, 0))
    run = da.simulate(m, until=1.0)
    wave = "sin(pi*t)"
    # A and B by their own names, and the lower angle in space, which is A + B
    both = da.first_variation(run, {"A.angle": wave, "B.angle": f"2*{wave}"})
    again = da.first_variation(run, {"A.angle": wave, "lower.angle": f"3*{wave}"})
    assert both.scale == pytest.approx(again.scale, rel=1e-9)
    assert max(both.relative, again.relative, da.first_variation(run, {"A.angle": wave}).relative) < 1e-9


def test_variation_that_joints_hold():
    run = da.simulate(spinning_bar(True), until=1.0)
    for what, match in (
        ({"O.angle": "sin(pi*t)", "bar.angle": "2*sin(pi*t)"}, "joints and drivers hold it"),
        ({"O.speed": "sin(pi*t)"}, "it is no measure of a position\n.*known: O.angle"),
        ({"O.angle": "cos(pi*t)"}, "variations that keep both ends"),
    ):
        with pytest.raises(da.MethodError, match=match):
            da.first_variation(run, what)
