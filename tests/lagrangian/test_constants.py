"""What is compiled of a Lagrangian system is never written: scales and weights of rows, which change, belong to each run."""

import contextlib

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.dynamics.start import prepare
from dalembert.analyses.lagrangian.point import Point
from dalembert.system import lagrange

from . import machines


def without_inertia(again=False, length=0.7):
    """A particle on a circle, the angle without inertia of its own: M is singular, the rows get weights; `again`: one row follows from the others."""
    rows = {"x": "x - l*cos(th)", "y": "y - l*sin(th)"} | ({"circle": "x**2 + y**2 - l**2"} if again else {})
    m = da.Lagrangian(
        "x y th", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="m*g*y", parameters={"m": 1.3, "l": length, "g": 9.81},
        holonomic=rows, name="particle on a circle",
    )  # fmt: skip
    m.guess("x", 0.85 * length)
    m.guess("y", 0.45 * length)
    m.guess("th", 0.5)
    return m


def bouncing():
    """A ball on the floor, thrown back several times."""
    m = da.Lagrangian("x y", kinetic="rate(x)**2/2 + rate(y)**2/2", potential="9.81*y", name="ball")
    m.start("y", 1.0)
    m.start("x", 0.0, rate=1.0)
    m.impact("floor", "y", restitution=0.6)
    return m


def without_stops(m):
    for name in m.impacts:
        m.open(name)
    return m


VERBS = {
    "simulate": lambda m: da.simulate(m, until=0.9, progress=False).energy.total,
    "between": lambda m: da.simulate(m, until=0.3, progress=False).at(0.123).q,
    "implicit": lambda m: da.simulate(m, until=0.2, method="radau", progress=False).q,
    "equilibrium": lambda m: [e.reactions for e in da.equilibrium(without_stops(m))],
    "linearize": da.linearize,
    "verify": da.verify,
    "reactions": da.reactions,
    "instant": da.instant,
}
MODELS = {
    "pendulum": machines.pendulum,
    "slider-crank": machines.slider_crank,
    "sleigh": machines.sleigh,
    "singular mass": without_inertia,
    "dependent row": lambda: without_inertia(again=True),
    "ball": bouncing,
}
REFUSED = {("equilibrium", "ball")}  # nothing holds it in the air


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_writes_what_is_compiled(verb, model, monkeypatch):
    made, arrays = [], lagrange._arrays

    def noted(*args):
        system = arrays(*args)
        made.append((system, system.I.copy(), system.P.copy(), system.memory.copy()))
        return system

    monkeypatch.setattr(lagrange, "_arrays", noted)
    # what is refused must write nothing on the way either
    with pytest.raises(da.DalembertError) if (verb, model) in REFUSED else contextlib.nullcontext():
        VERBS[verb](MODELS[model]())
    assert made
    for system, *before in made:
        for x, kept in zip((system.I, system.P, system.memory), before):
            assert not x.flags.writeable and np.array_equal(x, kept)


def test_two_runs_of_one_system_have_scales_of_their_own():
    model, angles = without_inertia(length=3.0), (0.1, 1.2)
    system = lagrange.compile_lagrangian(model)
    low, high = (
        prepare(model, 0.0, da.State(0.0, [3.0 * np.cos(x), 3.0 * np.sin(x), x], np.zeros(3)), "test", system=system)
        for x in angles
    )
    assert system.row_scales.tolist() == [1.0, 1.0] and not system.owned
    # the entries of the rows: 1 and l sin(th), 1 and -l cos(th)
    for run, x in zip((low, high), angles):
        largest = [max(1.0, 3.0 * np.sin(x)), max(1.0, 3.0 * np.cos(x))]
        assert run.system.owned and run.system.row_scales == pytest.approx(1.0 / np.array(largest), rel=1e-12)
    assert low.system.P is not high.system.P and low.system.I is not high.system.I
    before = low.system.P.copy()
    Point(high.system, 0.0, high.state.q).detect("test")
    assert np.array_equal(low.system.P, before)


def test_what_is_compiled_refuses_to_be_written():
    system = lagrange.compile_lagrangian(machines.slider_crank())
    with pytest.raises(ValueError, match="read-only"):
        system.row_scales[:] = 2.0
    with pytest.raises(ValueError, match="read-only"):
        system.augment(np.ones(2))
    point = Point(system, 0.0, np.array([0.3, -0.1, 0.79]))
    point.scales()
    assert point.system is not system and point.system.row_scales == pytest.approx(1.0 / point.size)
