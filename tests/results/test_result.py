"""A result stays what it was: later changes of the mechanism do not touch it, and wrong requests are refused in four parts."""

import numpy as np
import pytest

import dalembert as da


def pendulum():
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    length = m.parameter("L", 1.0, "m")
    bar = m.body("bar", da.rod(length, mass=2.0), at=(length / 2, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.measure("tip", point=bar.end, along=(0, 1))
    return m


@pytest.fixture(scope="module")
def run():
    return da.simulate(pendulum(), until=0.5, output=0.1)


def test_parameters_changed_later_do_not_change_it():
    m = pendulum()
    run = da.simulate(m, until=0.5, output=0.1)
    m.set_parameter("L", 2.0)
    # asked for only after the change: a bar of 1 m, from the pin to its tip
    assert np.allclose(run["tip"], np.sin(run["A.angle"]), atol=1e-12)
    assert np.allclose(run["bar"].point(m["bar"].end).position[:, 1], run["tip"], atol=1e-12)
    assert np.allclose(da.simulate(m, until=0.5)["tip"], 2 * np.sin(da.simulate(m, until=0.5)["A.angle"]), atol=1e-12)


def test_measures_added_later_can_be_asked_for():
    m = pendulum()
    run = da.simulate(m, until=0.5, output=0.1)
    m.measure("double", "2*A.angle")
    assert np.allclose(run["double"], 2 * run["A.angle"], atol=1e-14)


def test_parts_added_later_are_refused():
    m = pendulum()
    run = da.simulate(m, until=0.5, output=0.1)
    before = np.array(run.energy.potential)
    m.torsion_spring("late spring", m["A"], stiffness=100.0)
    m.drive("late motor", m["A"].angle, "t")
    for name in ("late spring", "late motor"):
        with pytest.raises(da.ModelError, match="added after this run"):
            run[name]
    again = da.Result(run.system, run.t, run.q, run.v, run.a, run.basic_lam, run.forces, run.powers, run.angles)
    assert np.array_equal(again.energy.potential, before), "a spring of tomorrow stores nothing today"
    m.body("late body", da.rod(1.0, mass=1.0))
    with pytest.raises(da.ModelError, match="added after this run"):
        run["late body"]
    # measures of the bodies that there were stay; those of a body of tomorrow have no values
    assert np.allclose(run["tip"], np.sin(run["A.angle"]), atol=1e-12)
    with pytest.raises(da.ModelError, match="added after this run"):
        run["late body.x"]


def test_a_measure_is_computed_once(run, monkeypatch):
    from dalembert.results import result

    first = np.array(run["A.angle"])
    monkeypatch.setattr(result, "observing", lambda *a, **k: pytest.fail("compiled again"))
    assert np.array_equal(run["A.angle"], first) and np.array_equal(run["A"].angle, first)


@pytest.mark.parametrize("value", ["x", None, float("nan"), True, [1.0]])
def test_crossings_of_wrong_values(run, value):
    with pytest.raises(da.MethodError, match="finite number"):
        run.crossings("A.angle", value)


def test_crossings_of_wrong_quantities(run):
    with pytest.raises(da.MethodError, match="one number for each"):
        run.crossings(lambda r: r["A"].force)
    with pytest.raises(da.MethodError, match="choose a column"):
        run.crossings(run["A"].force)
    column = run["A"].force[:, np.int64(1)]
    assert len(run.crossings(column, 20.0)) == 1


def test_names_of_results_are_suggested(run):
    with pytest.raises(da.ModelError, match="did you mean 'force'"):
        run["A"].forze
    with pytest.raises(da.ModelError, match="did you mean 'position'"):
        run["bar"].positon
    with pytest.raises(da.ModelError, match="use .angle"):
        run["bar"].quaternion
    assert not hasattr(run["bar"], "nothing"), "Python's own look-ups go on working"


@pytest.mark.parametrize("times", [[], [0.1, 9.0], ["a"], float("nan")])
def test_resample_at_wrong_times(run, times):
    with pytest.raises(da.MethodError):
        run.resample(times)


def test_body_center_is_a_point():
    m = da.Mechanism("points", plane=True)
    a = m.body("a", da.block(0.2, 0.2, mass=1.0))
    b = m.body("b", mass=1.0, inertia=0.1, center=(0.3, 0.0), at=(-0.3, 0.0))
    pin = m.revolute("A", a, b, on=[a.center, b.center])
    assert (a.center.coordinates[0], b.center.coordinates[0]) == (0.0, 0.3)
    run = da.simulate(m, until=0.1, output=0.1)
    assert pin.name == "A" and run.audit.position <= 1e-12
