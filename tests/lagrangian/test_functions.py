"""Python functions as forces of Lagrangian systems: the same answers as the same forces given as texts."""

from __future__ import annotations

import math
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import dalembert as da
from dalembert.model.expression.called import difference

AIR = "-0.3*rate(x)*abs(rate(x)) - 2*sin(x) + 0.1*t"


def air(s, v, t):
    return -0.3 * v * abs(v) - 2 * math.sin(s) + 0.1 * t


def cord(s, v, t):
    return -3 * (s - 0.2) - 0.1 * v


def wind(t):
    return math.cos(2 * t)


def system(functions, rows=None):
    """Two coordinates; the force on one of them and two loads as functions or as texts."""
    m = da.Lagrangian(
        "x y", kinetic="rate(x)**2 + rate(y)**2*(1 + x**2)/2", potential="x**2 + y**2/2 + y", holonomic=rows or {}, name="pair",
        forces={"x": air if functions else AIR},
    )  # fmt: skip
    m.actuator("cord", "x*y + y", cord if functions else "-3*(s - 0.2) - 0.1*v")
    m.force("wind", ("x + y", "y"), (wind if functions else "cos(2*t)", 0))
    m.start("x", 0.3, rate=None if rows else 1.0)
    m.guess("y", 0.9)
    if not rows:
        m.start("y", 0.2, rate=-1.0)
    return m


def both(ask, **given):
    return [np.asarray(ask(system(functions, **given))) for functions in (True, False)]


ROD = {"rod": "x**2 + y**2 - 1"}
# steps short enough in both that a difference is that of the force; differences of the functions are good to some 1e-10
FINE = {"rtol": 1e-11, "atol": 1e-13, "output": 0.1}


@pytest.mark.parametrize("method", [8, "radau", "partitioned"])
@pytest.mark.parametrize("rows", [None, ROD], ids=["free", "rod"])
def test_motion(method, rows):
    slow, fast = both(lambda m: da.simulate(m, until=1.0, method=method, **FINE).q, rows=rows)
    assert np.abs(slow - fast).max() < 1e-10


@pytest.mark.parametrize("method", ["variational", "generalized_alpha"])
def test_motion_in_equal_steps_and_by_second_order(method):
    given = {"step": 0.01} if method == "variational" else {"max_step": 0.002, "rtol": 1e-3, "atol": 1e-3}
    slow, fast = both(lambda m: da.simulate(m, until=0.5, method=method, output=0.1, **given).q)
    assert np.abs(slow - fast).max() < 1e-10


@pytest.mark.parametrize("quantity", ["force", "power", "work", "impulse"])
@pytest.mark.parametrize("name", ["cord", "wind"])
def test_loads_by_name(name, quantity):
    slow, fast = both(lambda m: getattr(da.simulate(m, until=1.0, **FINE)[name], quantity))
    assert np.abs(slow - fast).max() < 1e-10


def test_an_actuator_is_the_force_along_its_expression():
    """Q = f ds/dq, f ds/dt its power; the same as generalized forces by hand."""
    m = da.Lagrangian("x y", kinetic="rate(x)**2 + rate(y)**2")
    m.actuator("cord", "hypot(x, y)", lambda s, v, t: -5 * (s - 1) - 0.2 * v)
    same = da.Lagrangian(
        "x y", kinetic="rate(x)**2 + rate(y)**2",
        forces={
            q: f"(-5*(hypot(x, y) - 1) - 0.2*(x*rate(x) + y*rate(y))/hypot(x, y))*{q}/hypot(x, y)" for q in "xy"
        },
    )  # fmt: skip
    runs = []
    for one in (m, same):
        one.start("x", 1.2)
        one.start("y", 0.3, rate=0.7)
        runs.append(da.simulate(one, until=1.0, **FINE))
    run = runs[0]
    assert np.abs(run.q - runs[1].q).max() < 1e-10
    s, v = run["hypot(x, y)"], run["(x*rate(x) + y*rate(y))/hypot(x, y)"]
    assert run["cord"].force.shape == run.t.shape
    assert run["cord"].force == pytest.approx(-5 * (s - 1) - 0.2 * v, abs=1e-12)
    assert run["cord"].power == pytest.approx(run["cord"].force * v, abs=1e-12)


def test_work_and_audit():
    run = da.simulate(system(True), until=2.0, **FINE)
    assert run.audit.passed and run.audit.energy < 1e-12
    same = da.simulate(system(False), until=2.0, **FINE)
    assert np.abs(run.work.nonconservative - same.work.nonconservative).max() < 1e-9
    assert run.work.nonconservative[-1] == pytest.approx(
        run.work["forces"][-1] + run["cord"].work[-1] + run["wind"].work[-1]
    )


def test_one_state():
    for ask in (lambda m: da.instant(m).second_rate("x"), lambda m: da.instant(m).second_rate("y")):
        slow, fast = both(ask)
        assert slow == pytest.approx(fast, abs=1e-12)
    slow, fast = both(lambda m: da.reactions(m)["rod"].multiplier, rows=ROD)
    assert slow == pytest.approx(fast, abs=1e-12)


def test_prescribed_motion():
    rows = {"one": "x - 0.3 - sin(t)", "two": "y - 0.5*t"}
    slow, fast = both(lambda m: da.kinematics(m, times=[0.0, 0.3, 0.9]).lam, rows=rows)
    assert slow == pytest.approx(fast, abs=1e-10)
    for way in ("multiplier", "power"):
        slow, fast = both(lambda m: getattr(da.inverse_dynamics(m, times=[0.0, 0.3])["one"], way), rows=rows)  # noqa: B023
        assert slow == pytest.approx(fast, abs=1e-10)


def at_rest(functions):
    """Equilibria of x**4/4 - x**2/2 and a force that is a function of the coordinate alone."""
    m = da.Lagrangian("x", kinetic="rate(x)**2", potential="x**4/4 - x**2/2", forces={"x": pulled if functions else "-0.2 - 0.1*sin(3*x)"})  # fmt: skip
    m.start("x", 1.0)
    return m


def pulled(s, v, t):
    return -0.2 - 0.1 * math.sin(3 * s)


def test_equilibria_and_small_motions():
    models = [at_rest(functions) for functions in (True, False)]
    found = [da.equilibrium(m) for m in models]
    assert len(found[0]) == len(found[1]) > 1
    for slow, fast in zip(*found):
        assert slow.state.q == pytest.approx(fast.state.q, abs=1e-10)
        assert slow.verdict == fast.verdict
        assert slow.eigenvalues == pytest.approx(fast.eigenvalues, rel=1e-9)
    small = [da.linearize(m, one[0]).eigenvalues for m, one in zip(models, found)]
    assert small[0] == pytest.approx(small[1], rel=1e-9)


@pytest.mark.parametrize("x", [0.0, 1e-6, 1.0, 300.0])
def test_derivatives_by_differences(x):
    assert difference(lambda s: math.sin(2 * s) + 7.0, x) == pytest.approx(2 * math.cos(2 * x), abs=1e-9)
    assert difference(lambda s: 5.0 * s - 40.0, x) == pytest.approx(5.0, rel=1e-12)


def test_derivative_beside_a_corner():
    assert difference(lambda s: 1e6 * max(0.0, -s), -1e-5) == pytest.approx(-1e6, rel=1e-9)


def test_derivative_at_the_edge_of_its_domain():
    def root(s):
        if s < 0.0:
            raise da.ModelError("root", "s < 0", "it has no root", "give another")
        return math.sqrt(s)

    assert difference(root, 1e-4) == pytest.approx(50.0, rel=1e-8)


def test_second_derivatives_of_expressions():
    m = system(True)
    force = m.forces["x"]
    at = {"x": 0.4, "y": 0.3, "rate(x)": 0.2, "rate(y)": -0.1, "t": 0.5}
    same = system(False).forces["x"]
    assert force.evaluate(at) == pytest.approx(same.evaluate(at), rel=1e-12)
    assert force.diff("x").evaluate(at) == pytest.approx(same.diff("x").evaluate(at), rel=1e-9)
    assert force.diff("x").diff("y").evaluate(at) == pytest.approx(same.diff("x").diff("y").evaluate(at), rel=1e-6)


def test_stepper():
    made = []
    for functions in (True, False):
        stepper = da.Stepper(system(functions), step=0.01)
        for _ in range(30):
            stepper.step()
        made.append(stepper.state.q)
    assert made[0] == pytest.approx(made[1], abs=1e-12)


def test_a_stepper_stops_before_an_exception():
    stepper = da.Stepper(one(late), step=0.01)
    with pytest.raises(da.ModelError, match="(?s)force on 'x'.*too late"):
        for _ in range(10):
            stepper.step()
    assert stepper.state.t == pytest.approx(0.05)


def test_holding_load():
    slow, fast = (next(iter(da.holding_load(at_rest(x), "x").loads.values())) for x in (True, False))
    assert slow.value == pytest.approx(fast.value, rel=1e-12)
    assert slow.multiplier == pytest.approx(fast.multiplier, rel=1e-12)


def pushed(s, v, t):
    return 1.5 * math.sin(3 * t) - 0.1 * v


def rubbing(force):
    m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", potential="9.81*y", forces={"x": force})
    m.constraint("floor", "y")
    m.friction("rub", "x", mu="0.1 + 0.01*v", normal="floor")
    m.start("x", 0.0, rate=2.0)
    return m


def bouncing(force):
    m = da.Lagrangian("x", kinetic="rate(x)**2/2", potential="9.81*x", forces={"x": force})
    m.impact("wall", "x", restitution=0.6)
    m.start("x", 1.0)
    return m


@pytest.mark.parametrize("build", [rubbing, bouncing])
def test_beside_friction_and_impacts(build):
    slow, fast = (da.simulate(build(force), until=3.0, **FINE) for force in (pushed, "1.5*sin(3*t) - 0.1*rate(x)"))
    assert [(x.name, x.what) for x in slow.events] == [(x.name, x.what) for x in fast.events] != []
    assert [x.t for x in slow.events] == pytest.approx([x.t for x in fast.events], abs=1e-9)
    assert np.abs(slow.q - fast.q).max() < 1e-9


def test_a_force_that_an_event_changes():
    runs = []
    for law in (pulled, "-0.2 - 0.1*sin(3*x)"):
        m = da.Lagrangian("x", kinetic="rate(x)**2", forces={"x": -1.0})
        m.actuator("cord", "x", 0.5)
        m.start("x", 1.0)
        given = (lambda s, v, t: -2 * s) if law is pulled else "-2*s"
        m.event("switch", "x", level=0.8, change={"x": law, "cord": {"force": given}})
        runs.append(da.simulate(m, until=3.0, **FINE))
    assert len(runs[0].events) == 1
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-9


def test_pickles_by_name():
    m = system(True)
    again = pickle.loads(pickle.dumps(m))
    assert np.array_equal(da.simulate(again, until=0.5).q, da.simulate(m, until=0.5).q)
    run = da.simulate(m, until=0.5)
    same = pickle.loads(pickle.dumps(run))
    assert np.array_equal(same["cord"].power, run["cord"].power)


def asked_again(pickled):
    run = pickle.loads(pickled)
    return float(run["cord"].power[-1]), float(run.at(0.25).q[0])


def test_pickles_for_another_process():
    run = da.simulate(system(True), until=0.5)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as other:
        power, x = other.submit(asked_again, pickle.dumps(run)).result()
    assert power == run["cord"].power[-1]
    assert x == pytest.approx(run.at(0.25).q[0], abs=1e-14)


def test_saved_results(tmp_path):
    run = da.simulate(system(True), until=0.5)
    run.save(tmp_path / "run.npz")
    again = da.load(tmp_path / "run.npz")
    assert np.array_equal(again.q, run.q)
    assert np.array_equal(again["cord"].force, run["cord"].force)


def test_a_text_of_an_actuator_in_a_file(tmp_path):
    da.write_model(system(False), tmp_path / "pair.toml")
    again = da.read_model(tmp_path / "pair.toml")
    assert again.loads["cord"].generalized(("x", "y")) == system(False).loads["cord"].generalized(("x", "y"))


@pytest.mark.parametrize("verb", ["equations", "conserved", "compare", "expand", "small_oscillations"])
def test_no_formula(verb):
    m = at_rest(True) if verb in ("expand", "small_oscillations") else system(True)
    with pytest.raises(da.ModelError) as caught:
        getattr(da, verb)(*((m, {"x": 1}) if verb == "expand" else (m,)))
    error = str(caught.value)
    assert "of Lagrangian" in error and "Python function" in error and "da.spline" in error


def test_no_potential():
    with pytest.raises(da.MethodError, match="force on 'x': it is a Python function of rates"):
        da.potential_energy(at_rest(True))
    with pytest.raises(da.MethodError, match="Python function"):
        da.equilibrium(at_rest(True), method="energy")


@pytest.mark.parametrize("language", ["python", "c", "matlab", "julia"])
def test_no_export(language):
    with pytest.raises(da.ModelError, match="Python function"):
        da.export(system(True), language)


def test_no_file(tmp_path):
    with pytest.raises(da.ModelError, match="(?s)force on 'x'.*Python function.*files are data"):
        da.write_model(system(True), tmp_path / "pair.toml")
    m = da.Lagrangian("x", kinetic="rate(x)**2")
    m.actuator("cord", "x", cord)
    with pytest.raises(da.ModelError, match="(?s)cord.*Python function.*files are data"):
        da.write_model(m, tmp_path / "pair.toml")


def one(law, where="force"):
    m = da.Lagrangian("x", kinetic="rate(x)**2", forces={"x": law} if where == "force" else {}, name="one")
    if where == "actuator":
        m.actuator("cord", "2*x", law)
    m.start("x", 0.3)
    return m


NAMES = {"force": "force on 'x'", "actuator": "actuator 'cord'"}


def late(s, v, t):
    if t > 0.05:
        raise ZeroDivisionError("too late")
    return -s


@pytest.mark.parametrize("where", NAMES)
@pytest.mark.parametrize("method", [8, "radau", "generalized_alpha"])
def test_a_function_that_raises(where, method):
    with pytest.raises(da.ModelError, match=f"{NAMES[where]} of Lagrangian 'one'") as caught:
        da.simulate(one(late, where), until=1.0, method=method)
    assert "ZeroDivisionError" in str(caught.value) and "t = 0.05" in str(caught.value)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.result.t[-1] <= 0.05  # what was computed before


@pytest.mark.parametrize("value", [None, "1", [1.0, 2.0], np.zeros(3), 1j])
@pytest.mark.parametrize("verb", [da.instant, da.reactions, da.equilibrium, lambda m: da.simulate(m, until=1.0), lambda m: da.Stepper(m, step=0.1)])  # fmt: skip
def test_a_function_that_returns_no_number(value, verb):
    with pytest.raises(da.ModelError, match="(?s)force on 'x' of Lagrangian 'one'.*returned.*t = 0.0"):
        verb(one(lambda s, v, t: value))


@pytest.mark.parametrize(("where", "told"), [("force", "the force on 'x'"), ("actuator", "the load 'cord'")])
def test_a_function_that_returns_nan(where, told):
    with pytest.raises(da.ConvergenceError) as caught:
        da.simulate(one(lambda s, v, t: math.nan if t > 0.05 else -s, where), until=1.0)
    assert "t = 0.05 s" in str(caught.value) and told in str(caught.value)
    with pytest.raises(da.SingularError) as refused:
        da.instant(one(lambda s, v, t: math.nan, where))
    assert told in str(refused.value) and "t = 0 s" in str(refused.value)


def test_an_exception_leaves_nothing_behind():
    with pytest.raises(da.ModelError):
        da.instant(one(lambda s, v, t: None))
    assert da.instant(one(lambda s, v, t: -4 * s)).second_rate("x") == pytest.approx(-0.6)


def test_a_simulation_inside_a_function():
    def inner(s, v, t):
        return -float(da.instant(one(lambda s, v, t: 2.0)).second_rate("x")) * s

    assert da.instant(one(inner)).second_rate("x") == pytest.approx(-0.15)
    assert da.simulate(one(inner), until=0.05).q[-1, 0] == pytest.approx(0.3 * math.cos(math.sqrt(0.5) * 0.05))


@pytest.mark.parametrize(("law", "where"), [(lambda s: s, "force"), (lambda s, v: s, "actuator")])
def test_arguments(law, where):
    with pytest.raises(da.ModelError, match=r"called with \(s, v, t\)"):
        one(law, where)


def test_arguments_of_components():
    m = da.Lagrangian("x", kinetic="rate(x)**2")
    with pytest.raises(da.ModelError, match=r"(?s)force 'wind'.*called with \(t\)"):
        m.force("wind", ("x", 0), (lambda s, v, t: 1.0, 0))


@pytest.mark.parametrize("where", ["kinetic", "potential", "dissipation"])
def test_energies_are_formulas(where):
    with pytest.raises(da.ExpressionError, match=f"{where} of Lagrangian"):
        da.Lagrangian("x", **{"kinetic": "rate(x)**2", where: lambda s, v, t: s})


@pytest.mark.parametrize("verb", [da.reactions, da.instant])
def test_the_result_of_an_instant_shows_itself(verb):
    found = verb(system(False, rows=ROD))
    run = found.run if verb is da.reactions else found._run
    assert repr(run) == "<Result of 'pair': 1 outputs, t = 0 … 0 s, ok>"
    assert run.status == "ok" and run.warnings == ()
    with pytest.raises(AttributeError, match="(?s)'audit' of 'pair' at t = 0 s.*a single instant"):
        run.audit  # noqa: B018


def test_the_result_of_an_instant_of_a_mechanism():
    m = da.Mechanism("pendulum", gravity=(0, -9.81))
    m.revolute("A", m.ground, m.body("bar", mass=1.0, inertia=0.1, at=(0.5, 0)), at=(0, 0))
    run = da.reactions(m).run
    assert repr(run) == "<Result of 'pendulum': 1 outputs, t = 0 … 0 s, ok>"
    assert "1 output" in run.table() or run.table()
    with pytest.raises(AttributeError, match="a single instant"):
        run.work  # noqa: B018
