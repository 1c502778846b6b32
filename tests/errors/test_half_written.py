"""A call that is refused leaves the mechanism as it was."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .checks import pendulum
from .fuzz import snapshot

CALLS = {
    "body": lambda m: m.body("new", mass=1, inertia=-1),
    "body at": lambda m: m.body("new", mass="r", inertia="r", at=("r", math.nan)),
    "particle": lambda m: m.particle("new", mass="r", at=("r", "q")),
    "parameter": lambda m: m.parameter("new", math.nan),
    "parameter unit": lambda m: m.parameter("new", 1.0, 3),
    "set_parameter": lambda m: m.set_parameter("r", math.nan),
    "measure": lambda m: m.measure("new", point=m["bar"].point(0, 0), along=(0, 0)),
    "drive": lambda m: m.drive("new", "A.angle", "q*t"),
    "start": lambda m: m.start("A.angle", value=0.1, rate=math.nan),
    "start twice": lambda m: m.start("bar.x", value="r", rate="q"),
    "revolute": lambda m: m.revolute("new", m.ground, "bar", at=(0, 0), zero=math.inf),
    "gear": lambda m: m.gear("new", "A", "bar.angle", teeth=(20, -30)),
    "distance": lambda m: m.distance("new", (m.ground, (1, 1)), ("bar", ("r", 0)), length=-1),
    "constraint": lambda m: m.constraint("new", "bar.x", value=math.nan),
    "spring": lambda m: m.spring("new", (m.ground, (1, 1)), ("bar", ("r", 0)), stiffness="r", damping=-1),
    "force": lambda m: m.force("new", "bar", ("r", lambda: 1)),
    "stop": lambda m: m.stop("new", "A", lower=1, upper=0, stiffness=1),
    "unknown": lambda m: m.revolut("new"),
    "argument": lambda m: m.revolute("new", m.ground, "bar", at=(0, 0), color="red"),
    "gravity": lambda m: setattr(m, "gravity", (0, math.nan)),
    "simulate": lambda m: da.simulate(m, until=math.nan),
    "compile": lambda m: da.compile(None),
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_half_written(name):
    m, same = pendulum(), pendulum()
    for model in (m, same):
        model.parameter("r", 0.5)
        model.start("A.angle", value=0.2)
    before = snapshot(m)
    gravity = m.gravity
    for _ in range(2):
        with pytest.raises(da.DalembertError):
            CALLS[name](m)
        assert snapshot(m) == before
        assert m.gravity == gravity
        assert "new" not in m
    m.parameter("new", 1.0)  # the name is still free
    a, b = (da.simulate(model, until=0.3) for model in (m, same))
    assert np.array_equal(a.q, b.q) and np.array_equal(a.lam, b.lam)


def test_a_mechanism_that_fails_to_begin_leaves_nothing():
    with pytest.raises(da.ModelError):
        da.Mechanism("M", gravity=(0, math.nan))


def test_expressions_of_a_refused_part_are_forgotten():
    """A spring refused because of its damping must not leave its stiffness behind to be checked later."""
    m = pendulum()
    m.parameter("r", 0.5)
    with pytest.raises(da.ModelError):
        m.spring("S", (m.ground, (1, 1)), ("bar", (0, 0)), stiffness="r - 0.2", damping=-1)
    with pytest.raises(da.ModelError):
        m.start("A.angle", value="1/(r - 0.1)", rate="q")
    m.parameter("s", 1.0)
    m.set_parameter("r", 0.1)
    assert da.compile(m).n_rows == 2


def test_a_failed_run_leaves_the_mechanism_usable():
    m = pendulum()
    m.parameter("k", 1.0)
    m.torque("brake", "bar", "-k*sqrt(0.05 - t)")
    with pytest.raises(da.ConvergenceError):
        da.simulate(m, until=0.1)
    assert da.simulate(m, until=0.04).status == "ok"
