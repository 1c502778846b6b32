"""Stiff machines: implicit methods agree with the explicit one, with closed forms and with A05's reference; `auto` takes them there and only there.

Tolerances: where nothing else is said, differences of two runs may be a hundred times the tolerance of the looser one.
"""

import numpy as np
import pytest

import dalembert as da
from tests.convergence.models import double_pendulum, driven_arm, pendulum, rolling_disk, shaken_loop
from tests.reference.test_a02_n_four_bar import n_four_bar
from tests.reference.test_a05_stiff_governor import governor
from tests.reference.test_b01_andrews import squeezer
from tests.reference.test_d02_heavy_top import FAST, top

from .models import bushing_crank, oscillator, pressed_slider, stop_crank, wheel

# slider height, angle of the rods, spin of the shaft (shared/BENCHMARKS: A05)
GOVERNOR = {
    0.1: (0.523836475570, 0.496173869076, 6.10371780883),
    0.5: (0.743249424786, 0.259491381543, 5.10341542197),
    1.0: (0.501420922380, 0.521833301626, 6.27112574188),
    5.0: (0.535563103722, 0.482874576587, 6.02249649976),
    10.0: (0.619622917061, 0.390073701845, 5.54820362265),
}


@pytest.mark.parametrize("method", ["auto", "radau", "radau5", "radau9"])
def test_governor_over_ten_seconds(method):
    run = da.simulate(governor(), until=10.0, method=method, rtol=1e-8, atol=1e-8, output=[*GOVERNOR])
    for k, (height, angle, spin) in enumerate(GOVERNOR.values()):
        assert run["slider"].position[k, 2] == pytest.approx(height, abs=2e-8)
        assert np.pi / 6 + run["hinge right"].angle[k] == pytest.approx(angle, abs=2e-8)
        assert run["bearing"].angle.rate[k] == pytest.approx(spin, abs=2e-7)
    assert run.status == "ok"
    # explicit methods need 30,000 steps, order 5 some 1200, order 9 some 150
    assert run.audit.steps < (1500 if method == "radau5" else 250)
    assert run.methods[-1].method == ("radau5" if method == "radau5" else "radau9")


@pytest.mark.parametrize("method", ["auto", "radau", "radau3"])
def test_slider_crank_with_bushings(method):
    exact = da.simulate(bushing_crank(), until=0.3, method=8, rtol=1e-10, atol=1e-12)
    run = da.simulate(bushing_crank(), until=0.3, method=method, rtol=1e-7, atol=1e-9)
    assert np.abs(run.q - exact.q).max() < 1e-7
    # forces of the bushings are 1e8 N/m times errors of positions
    assert np.abs(run.basic_lam - exact.basic_lam).max() < 1e8 * 1e-7
    assert run.status == "ok"
    assert run.audit.steps < 0.2 * exact.audit.steps


@pytest.mark.parametrize(
    "build, until, rtol, share, steps, corrections", [(bushing_crank, 1.0, 10**-2.5, 1e-2, 110, 300), (governor, 10.0, 1e-3, 1.0, 160, 650)]
)  # fmt: skip
def test_loose_tolerances_cost_less(build, until, rtol, share, steps, corrections):
    """Long steps in which stiff directions turn by half a radian: Newton's method solves nearly all, and the order stays.

    Work is the same on every machine up to rounding: 82 steps with 233 corrections, and 122 with 522; bounds are a quarter above.  Derivatives left from a
    rejected attempt, or rates of the start as second starting values, took 105 and 301, and 585 and 1511.
    """
    run = da.simulate(build(), until=until, rtol=rtol, atol=share * rtol, output=[until])
    exact = da.simulate(build(), until=until, rtol=1e-8, atol=1e-8 * share, output=[until])
    assert [one.method for one in run.methods] == ["dop853", "radau5"]
    assert run.audit.steps < steps and run.trace.step.iterations < corrections
    assert run.audit.unsolved <= 10
    assert np.abs(run.q - exact.q).max() < 10 * rtol
    assert run.status == "ok"


@pytest.mark.parametrize("stiffness", [1e6, 1e9])
def test_wheel_in_a_bushing(stiffness):
    exact = da.simulate(wheel(stiffness, 1e-4 * stiffness), until=0.02, method=8, rtol=1e-10, atol=1e-12)
    run = da.simulate(wheel(stiffness, 1e-4 * stiffness), until=0.02, method="radau", rtol=1e-8, atol=1e-10)
    assert np.abs(run.q - exact.q).max() < 1e-8
    assert np.abs(run.v - exact.v).max() < 1e-6
    run = da.simulate(wheel(stiffness, 1e-4 * stiffness), until=0.5)
    assert run.status == "ok"
    assert run.methods[-1].method == ("radau9" if stiffness > 1e8 else "dop853")
    assert run.audit.steps < 600


def test_stops():
    """A blow of some milliseconds at the end of the stroke: located, cut, and the same by both."""
    exact = da.simulate(stop_crank(), until=1.0, method=8, rtol=1e-10, atol=1e-12)
    for method in ("radau", "auto"):
        run = da.simulate(stop_crank(), until=1.0, method=method, rtol=1e-8, atol=1e-10)
        assert run.audit.switches == exact.audit.switches == 4
        assert np.abs(run.q - exact.q).max() < 1e-6
        assert run.status == "ok"


def test_pressed_against_a_stop_and_off_again():
    """Rest against the stop is stiff, the flight after it is not: to the implicit method and back, with times and reasons in the audit."""
    run = da.simulate(pressed_slider(), until=2.0)
    assert [one.method for one in run.methods] == ["dop853", "radau9", "dop853"]
    assert run.methods[1].t < 1.0 < run.methods[2].t < 1.1
    assert "stiff" in run.methods[1].why and "no longer stiff" in run.methods[2].why
    assert "from t = " in str(run.audit) and "newton" in str(run.audit)
    # off the wall at x = 0.01 + 20/k, then x'' = -2.5 + 2 sin 60 t from t = 1 to 2 (the wall pushes for 1e-5 s)
    swung = -2 / 60**2 * (np.sin(120) - np.sin(60)) + 2 / 60 * np.cos(60)
    assert run["P"].slide[-1] == pytest.approx(0.01 - 0.5 * 2.5 + swung, abs=2e-4)
    assert run["P"].slide[100] == pytest.approx(0.01 + 20 / 1e8, abs=1e-12)
    assert run.status == "ok"


def fast_and_slow(t, k=1e6, c=1e5):
    rates = np.roots([1.0, c, k])
    parts = np.linalg.solve([[1.0, 1.0], rates], [0.1, 0.0])
    return np.exp(np.outer(t, rates)) @ parts


@pytest.mark.parametrize("law", [None, lambda s, v, t: -1e6 * s - 1e5 * v], ids=["expression", "function"])
@pytest.mark.parametrize("method", ["auto", "radau", "radau3", "generalized_alpha", "hht"])
def test_overdamped_oscillator(law, method):
    run = da.simulate(oscillator(law), until=0.3, method=method)
    # order 2 accumulates
    allowed = 1e-7 if "radau" in method or method == "auto" else 1e-6
    assert np.abs(run["P"].slide - fast_and_slow(run.t)).max() < allowed
    assert run.status == "ok"
    if "radau" in method or method == "auto":
        assert run.audit.steps < 1500


def stiff_pendulum():
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="9.81*y + 1e8*(sqrt(x**2 + y**2) - 1)**2/2", dissipation="1e4*(x*rate(x) + y*rate(y))**2/2", name="stiff pendulum")  # fmt: skip
    m.start("x", 1.0)
    m.start("y", 0.0)
    return m


@pytest.mark.parametrize("method", ["radau", "auto"])
def test_a_stiff_force_is_no_pulse(method):
    """Positions are known to the tolerance, the force of a stiff spring to 1e8 times that: taken for a pulse it cut steps short, which left fast terms.

    Rejected in five runs: 6 and 14, where pulses were seen 52 and 41.
    """
    runs = [
        da.simulate(stiff_pendulum(), until=0.2, method=method, rtol=k * 1e-8, atol=k * 1e-10)
        for k in (0.5, 1.0, 1.1, 1.3, 3.0)
    ]
    assert sum(run.audit.rejected for run in runs) <= 25


def test_a_stiff_lagrangian_system():
    m = stiff_pendulum()
    exact = da.simulate(m, until=0.2, method=8, rtol=1e-10, atol=1e-12)
    for method in ("radau", "auto", "radau3"):
        run = da.simulate(m, until=0.2, method=method, rtol=1e-8, atol=1e-10)
        # rtol: an attempt that is cut short has stiff directions of its own, and derivatives of the longer one left 3e-8 to 1e-7
        assert np.abs(run.q - exact.q).max() < 1e-8
        assert run.status == "ok"
        assert run.methods[-1].method.startswith("radau")
        # order 3 takes ten times the steps of order 5 at this tolerance
        assert run.audit.steps < (0.6 if method == "radau3" else 0.1) * exact.audit.steps


def test_stiff_states():
    """A current in a coil with a small inductance, and the torque that it makes: rates of 1e6/s beside those of the arm."""

    def motor():
        m = da.Mechanism("motor", gravity=(0, -9.81))
        arm = m.body("arm", da.rod(length=0.5, mass=1.0), at=(0.25, 0))
        m.revolute("O", m.ground, arm, at=(0, 0))
        m.state("i", rate="1e6*(sin(3*t) - i) - 1e3*rate(O.angle)", unit="A")
        m.actuator("coil", m["O"].angle, force="3*i")
        return m

    exact = da.simulate(motor(), until=0.02, method=8, rtol=1e-10, atol=1e-12)
    run = da.simulate(motor(), until=0.02, method="radau")
    assert np.abs(run.q - exact.q).max() < 1e-8
    assert np.abs(run.z - exact.z).max() < 1e-7
    run = da.simulate(motor(), until=1.0)
    assert run.methods[-1].method == "radau9"
    assert run.audit.steps < 1000
    assert run.status == "ok"


def spinning_top():
    return top(FAST)


CALM = {
    squeezer: 0.03, spinning_top: 1.0, pendulum: 2.0, double_pendulum: 1.0, shaken_loop: 0.4, driven_arm: 1.0, rolling_disk: 0.5,
}  # fmt: skip


@pytest.mark.parametrize("build", CALM, ids=[build.__name__ for build in CALM])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-8, 1e-11])
def test_what_is_not_stiff_stays_explicit_to_the_last_bit(build, tolerance):
    runs = [
        da.simulate(build(), until=CALM[build], method=method, rtol=tolerance, atol=tolerance, audit=False)
        for method in (8, "auto")
    ]
    for name in ("q", "v", "a", "basic_lam"):
        assert np.array_equal(*(getattr(run, name) for run in runs))
    assert [one.method for one in runs[1].methods] == ["dop853"]


def test_stages_that_cannot_be_solved_are_told():
    """A law that is noise: no step is short enough."""
    noise = np.random.default_rng(0)
    with pytest.raises(da.ConvergenceError) as caught:
        da.simulate(oscillator(lambda s, v, t: 1e7 * noise.normal()), until=0.1, method="radau5")
    error = caught.value
    assert "implicit step could not be solved" in error.found
    assert "Newton" in error.why
    assert error.do and error.result.t[-1] < 0.1


def test_numbers_of_methods_are_checked():
    for options, found in (
        ({"method": "generalized_alpha", "rho_inf": 1.2}, "rho_inf"), ({"method": "hht", "rho_inf": 0.2}, "rho_inf"),
        ({"method": 8, "rho_inf": 0.8}, "rho_inf"), ({"method": "radau7"}, "radau7"),
    ):  # fmt: skip
        with pytest.raises(da.MethodError, match=found):
            da.simulate(pendulum(), until=0.1, **options)


def newmark_steps(t, x, am, af, w=1e4):
    """Generalized-alpha on x'' = -w^2 x as Chung and Hulbert write it: balance at a time between the ends, with their a for a~."""
    g = 0.5 + af - am
    b, v, a = 0.25 * (1.0 + af - am) ** 2, 0.0, -w * w * x
    shifted, found, before = a, [x], 0.0
    for h in np.diff(t):
        # a~ stands for a time shifted by a part of the step
        shifted = a + (shifted - a) * h / before if before else shifted
        q, u = x + h * v + h * h * (0.5 - b) * shifted, v + h * (1.0 - g) * shifted
        # (1 - am) a~1 + am a~0 + (1 - af) w^2 x1 + af w^2 x0 = 0
        new = -(am * shifted + (1.0 - af) * w * w * q + af * w * w * x) / (1.0 - am + (1.0 - af) * w * w * h * h * b)
        x, v, shifted, before = q + h * h * b * new, u + h * g * new, new, h
        a = -w * w * x
        found.append(x)
    return np.array(found)


@pytest.mark.parametrize(
    "method, rho", [("generalized_alpha", 0.9), ("generalized_alpha", 0.5), ("generalized_alpha", None), ("hht", 0.8)]
)
def test_damping_of_fast_motions(method, rho):
    """An undamped oscillator of 1e4 rad/s in steps of 0.01 s: the recursion of the source, step by step."""
    m = da.Mechanism("fast")
    slider = m.body("slider", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    m.prismatic("P", m.ground, slider, at=(0, 0), along=(1, 0))
    m.actuator("spring", m["P"].slide, force="-1e8*s")
    m.start(m["P"].slide, value=1e-3)
    run = da.simulate(
        m, until=0.3, method=method, rho_inf=rho, rtol=0.9, atol=0.9, max_step=0.01, output="steps", audit=False
    )
    rho = 0.8 if rho is None else rho
    weights = (0.0, (1 - rho) / (1 + rho)) if method == "hht" else ((2 * rho - 1) / (rho + 1), rho / (rho + 1))
    x = run["P"].slide
    assert np.abs(x - newmark_steps(run.t, 1e-3, *weights)).max() < 1e-9 * np.abs(x).max()


def test_a_singular_position_is_not_stiff():
    run = da.simulate(n_four_bar(1), until=1.0)
    assert [one.method for one in run.methods] == ["dop853"]
