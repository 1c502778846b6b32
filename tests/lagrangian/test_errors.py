"""Wrong input to Lagrangian systems: typed errors with four parts that name coordinate, row and term."""

from __future__ import annotations

import math

import pytest

import dalembert as da
from dalembert.analyses.by_name import ask

from .machines import pendulum, slider_crank

T = "rate(x)**2/2"


def build(**options):
    return lambda: da.simulate(da.Lagrangian("x y", **({"kinetic": T + " + rate(y)**2/2"} | options)), until=1.0)


def turned(rotation):
    m = da.Lagrangian("a")
    m.body("b", 1.0, (1, 1, 1), at=("a", 0, 0), rotation=rotation)
    return da.simulate(m, until=0.1)


def pendulum_without_rest():
    """A constant force: nothing stops it, and there is no stiffness to measure it by."""
    return da.Lagrangian("x", kinetic=T, potential="x")


CASES = {
    "not quadratic": (build(kinetic="rate(x)**4 + rate(y)**2"), "inertia of 'x' depends on rate(x)"),
    "square root": (build(kinetic="sqrt(1 + rate(x)**2) + rate(y)**2"), "not quadratic in the velocities"),
    "no inertia": (build(kinetic=T), "'y' can change without inertia"),
    "no energy": (build(kinetic=0), "'x', 'y' can change without inertia"),
    "unknown name": (build(potential="kk*x"), "the name 'kk'"),
    "unknown rate": (build(potential="rate(u)"), "only coordinates have rates"),
    "rate in V": (build(potential="rate(x)*x"), "depends on coordinates and time only"),
    "rate in row": (build(holonomic=["rate(x)"]), "depends on coordinates and time only"),
    "no rate in rate row": (build(nonholonomic=["x - y"]), "contains no rate"),
    "quadratic rate row": (build(nonholonomic=["rate(x)**2 - 1"]), "not linear in the rates"),
    "contradiction": (build(holonomic=["x - 1", "x - 2"]), "holonomic rows not satisfied"),
    "never": (build(holonomic=["x**2 + y**2 + 1"]), "holonomic rows not satisfied"),
    "rates against each other": (
        build(nonholonomic=["rate(x) - rate(y)", "2*rate(x) - 2*rate(y) - 1"]),
        "no rates satisfy all of them",
    ),
    "rates against positions": (
        build(holonomic=["x - y"], nonholonomic=["rate(x) - rate(y) - 1"]),
        "no rates satisfy all of them",
    ),
    "caught by a contradiction": (
        lambda: da.simulate(
            da.Lagrangian("x y", kinetic=T + " + rate(y)**2/2", holonomic=["x - t", "x - 2*t"]),
            1.0,
            velocities="impulsive",
        ),
        "no rates satisfy all of them",
    ),
    "kink in a row": (build(holonomic={"valley": "y - abs(x)"}), "abs has a kink at 0"),
    "jump in a rate row": (build(nonholonomic={"turn": "rate(y) - sign(x)*rate(x)"}), "sign jumps at 0"),
    "no rotation": (lambda: turned([["a", 0, 0], [0, 1, 0], [0, 0, 1]]), "off the identity"),
    "mirror": (lambda: turned([["cos(a)", "sin(a)", 0], ["sin(a)", "-cos(a)", 0], [0, 0, 1]]), "determinant -1"),
    "force on nothing": (build(forces={"z": 1}), "it is no coordinate"),
    "forces not named": (build(forces=[1, 2]), "names with values"),
    "no derivative": (build(potential="sqrt(x)"), "the derivative of the potential by x has no finite value"),
    "no value": (build(potential="log(x)"), "the potential has no finite value"),
    "no force": (build(forces={"y": "1/x"}), "the force on 'y' has no finite value"),
    "no row": (build(nonholonomic=["rate(x) - log(y)*rate(y)"]), "row 'rate row 1'"),
    "same name": (lambda: da.Lagrangian("x x"), "each once"),
    "no name": (lambda: da.Lagrangian(""), "need names"),
    "time": (lambda: da.Lagrangian("t"), "t is time"),
    "reserved": (lambda: da.Lagrangian("sin"), "'sin'"),
    "wrong argument": (lambda: da.Lagrangian("x", kinetics="0"), "unknown argument 'kinetics'"),
    "parameter is a coordinate": (lambda: da.Lagrangian("x", parameters={"x": 1}), "name of a coordinate"),
    "parameter is text": (lambda: da.Lagrangian("x", parameters={"k": "y"}), "one finite number"),
    "no orientation": (lambda: da.Lagrangian("x").body("b", 1, 1, at=("x", 0)), "one of angle="),
    "two orientations": (
        lambda: da.Lagrangian("x").body("b", 1, 1, at=("x", 0), angle="x", turns=[("z", "x")]),
        "given: angle, turns",
    ),
    "axis": (lambda: da.Lagrangian("x").body("b", 1, 1, at=("x", 0), turns=[("w", "x")]), "axis x, y or z"),
    "position": (lambda: da.Lagrangian("x").particle("p", 1, "x"), "two or three components"),
    "moving position": (lambda: da.Lagrangian("x").particle("p", 1, ("rate(x)", 0)), "coordinates and time only"),
    "force on no part": (lambda: da.Lagrangian("x").force("f", "p", (1, 0)), "no particle or body"),
    "start": (lambda: da.Lagrangian("x").start("y", 1.0), "it is no coordinate"),
    "empty start": (lambda: da.Lagrangian("x").start("x"), "neither value nor rate"),
    "row twice": (lambda: da.Lagrangian("x", holonomic={"a": "x"}).constraint("a", "x"), "names are unique"),
    "too many rows": (
        lambda: da.simulate(slider_crank(drive=1.0), until=1.0, velocities="solve"),
        "always solved for",
    ),
    "result": (lambda: da.simulate(pendulum(), until=0.1)["thta"], "did you mean 'theta'"),
    "state": (
        lambda: da.simulate(pendulum(), until=1.0, start=da.State(0.0, [1.0, 2.0], [0.0, 0.0])),
        "1 finite numbers",
    ),
    "no driver": (lambda: da.inverse_dynamics(pendulum(), [0.0]), "no holonomic row contains t"),
    "not driven": (lambda: da.kinematics(pendulum(), [0.0]), "1 left undetermined"),
    "reaction": (lambda: da.reactions(slider_crank())["closure"], "did you mean 'closure"),
    "no blow": (lambda: da.strike(pendulum()), "neither impulse, couple nor restitution"),
    "no rest": (lambda: da.equilibrium(pendulum_without_rest()), "no equilibrium was found"),
    "blow": (lambda: da.strike(pendulum(), {"x": 1.0}), "neither a coordinate nor a part"),
    # as a model file asks
    "blow on a point": (
        lambda: ask("strike", pendulum(), {"impulse": {"bob.end": [1, 0]}}),
        "neither a coordinate nor a part",
    ),
    "restitution": (lambda: da.strike(pendulum(), restitution={"theta": 2.0}), "between 0 and 1"),
}


@pytest.mark.parametrize("case", CASES)
def test_four_parts(case):
    call, text = CASES[case]
    with pytest.raises(da.DalembertError) as caught:
        call()
    assert text in str(caught.value) and "e+30" not in str(caught.value)
    for part in (caught.value.asked, caught.value.found, caught.value.why, caught.value.do):
        assert isinstance(part, str) and part.strip()


def test_lock_up_is_told():
    """A piston driven beyond the reach of the crank: the rows stop determining the motion at t = 0.2."""
    m = slider_crank()
    m.constraint("motor", "x - 0.6 - t")
    m.guess("th", 1.5)
    with pytest.raises(da.SingularPositionError) as caught:
        da.kinematics(m, [0.0, 0.1, 0.3])
    # rows count as dependent at an angle of 1e-5, which is reached that much before
    assert caught.value.t == pytest.approx(0.2, abs=1e-5)


def test_lock_up_is_located_and_the_motion_before_it_kept():
    """x = 0.5 + t on a circle of radius 1, in metres and in millimetres: both end at t = 0.5."""
    for size in (1.0, 1e-3):
        m = da.Lagrangian(
            "x y",
            kinetic="(rate(x)**2 + rate(y)**2)/2",
            holonomic={"rod": f"x**2 + y**2 - {size**2}", "motor": f"x - {size}*(0.5 + t)"},
        )
        m.guess("y", -0.9 * size)
        with pytest.raises(da.SingularPositionError) as caught:
            da.kinematics(m, [0.0, 0.2, 1.0])
        error = caught.value
        assert error.kind == "lock-up" and error.t == pytest.approx(0.5, abs=1e-12) and error.joints == ("rod", "motor")
        assert error.result.t.tolist() == [0.0, 0.2] and error.result.status == "incomplete"


def test_positions_that_follow_from_velocities_only_are_refused():
    """x = sin(t), y' = x x': y = x^2/2 is found by integrating, which `simulate` does."""
    m = da.Lagrangian(
        "x y",
        kinetic="(rate(x)**2 + rate(y)**2)/2",
        holonomic={"motor": "x - sin(t)"},
        nonholonomic={"track": "rate(y) - x*rate(x)"},
    )
    with pytest.raises(da.ModelError, match="1 coordinate follows from velocities only, by 'track'"):
        da.kinematics(m, [0.0, 0.5])
    assert da.simulate(m, until=0.5).q[-1, 1] == pytest.approx(math.sin(0.5) ** 2 / 2.0, abs=1e-8)


def test_a_row_with_a_kink_is_no_run_that_passes():
    """y = |x|: the run cannot go round the corner; many small steps do not make the loss of energy acceptable."""
    from types import SimpleNamespace

    from dalembert.results.audit import QUADRATURE, expected

    tolerances = SimpleNamespace(rtol=1e-8, atol=1e-10)
    assert expected(tolerances, 100) == pytest.approx(10.0 * 1.01e-8 * 100 + QUADRATURE)
    assert expected(tolerances, 20_000_000) == pytest.approx(0.01 + QUADRATURE)


def test_steps_that_shrink_without_end_are_stopped():
    """Dry friction by sign: at rest the force jumps back and forth at every step; the block stops at v^2/(2 F) = 1/4."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", forces={"x": "-2*sign(rate(x))"})
    m.start("x", 0.0, rate=1.0)
    with pytest.raises(da.ConvergenceError, match="jumps back and forth") as caught:
        da.simulate(m, until=1.0)
    error, run = caught.value, caught.value.result
    # whether the run stops an ulp before t = 0.5 or after it, with or without the output there, is rounding
    assert "sign" in error.do and error.t == pytest.approx(0.5, abs=1e-9)
    assert run.at(error.t).q[0] == pytest.approx(0.25, abs=1e-9) and len(run.t) >= 100
    assert run["x"] == pytest.approx(run.t - run.t**2, abs=1e-9)
    smooth = da.Lagrangian("x", kinetic="rate(x)**2/2", forces={"x": "-2*tanh(rate(x)/0.001)"})
    smooth.start("x", 0.0, rate=1.0)
    assert da.simulate(smooth, until=1.0)["x"][-1] == pytest.approx(0.25, abs=1e-6)


def test_a_run_into_a_pole_names_the_term():
    """Pushed to x = 1, where sqrt(1 - x) ends: the run stops there and says which term has no value."""
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="sqrt(1 - x)")
    m.start("x", 0.5, rate=1.0)
    with pytest.raises(da.ConvergenceError) as caught:
        da.simulate(m, until=3.0)
    assert "potential" in str(caught.value) and "x = 1" in str(caught.value)
    assert caught.value.result.q[-1, 0] < 1.0


@pytest.mark.parametrize(
    "mass, inertia, text",
    [
        ("-m", 1, "mass = -2"),
        (1, (1, 1, 5), "none exceeds the sum"),
        (1, (1, -1, 1), "not below zero"),
        (1, [[1, 2, 0], [0, 1, 0], [0, 0, 1]], "symmetric"),
    ],
)
def test_masses_that_no_body_has(mass, inertia, text):
    m = da.Lagrangian("x a", parameters={"m": 2.0})
    m.body("b", mass, inertia, at=("x", 0), angle="a")
    with pytest.raises(da.ModelError, match=text):
        da.simulate(m, until=1.0)
