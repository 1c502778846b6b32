"""Results, forms and models in pickles: what comes back answers as before, in this process and in another one."""

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from functools import cache

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import MethodError

# files, pages and pictures; objects whose text is an address
_SKIPPED = {"system", "prepared", "problem", "trace", "pieces", "derivation", "functions", "source", "symbols", "bodies", "partition", "run"}  # fmt: skip


def softly(s, v, t):
    """A law that is a Python function."""
    return -0.1 * v


def pendulum(k=0.3):
    m = da.Mechanism("pendulum", gravity=(0, -9.81))
    m.parameter("k", k)
    bar = m.body("bar", mass=1.0, inertia=0.02, at=(0.3, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.force("wind", bar, ("k*t", 0))
    m.actuator("brake", "A.angle", force=softly)
    return m


def spinning():
    m = da.Mechanism("top", plane=False, gravity=(0, 0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0, radius=0.01), at=(0.5, 0, 0))
    m.spherical("A", m.ground, bar, at=(0, 0, 0))
    return m


def driven():
    m = pendulum()
    m.drive("motor", "A.angle", "2*t")
    return m


def bouncing():
    m = da.Mechanism("ball", gravity=(0, -9.81))
    m.body("ball", da.disk(radius=0.1, mass=1.0), at=(0, 0.5))
    m.impact("floor", "ball.y - 0.1", restitution=0.5)
    return m


def bead():
    m = da.Lagrangian("x y", gravity=(0, -9.81))
    m.particle("p", 1.0, at=("x", "y"))
    m.constraint("rod", "x**2 + y**2 - 1")
    m.start("x", 1.0)
    return m


def rubbing():
    m = da.Lagrangian("x")
    m.particle("p", 1.0, at=("x", 0))
    m.friction("rub", "x - 0.3*t", force=2.0, static_force=3.0)
    return m


MADE = {
    "run": lambda: da.simulate(pendulum(), until=0.5),
    "run in space": lambda: da.simulate(spinning(), until=0.3),
    "implicit run": lambda: da.simulate(pendulum(), until=0.3, method="radau"),
    "variational run": lambda: da.simulate(spinning(), until=0.1, method="variational", step=0.01),
    "run with impacts": lambda: da.simulate(bouncing(), until=0.8),
    "run of a Lagrangian": lambda: da.simulate(bead(), until=0.5),
    "run with friction": lambda: da.simulate(rubbing(), until=0.5),
    "kinematics": lambda: da.kinematics(driven(), times=[0.0, 0.2, 0.5]),
    "inverse dynamics": lambda: da.inverse_dynamics(driven(), times=[0.0, 0.2, 0.5]),
    "equations": lambda: da.equations(spinning()),
    "reactions": lambda: da.reactions(pendulum()),
    "reactions of a Lagrangian": lambda: da.reactions(bead()),
    "free body": lambda: da.free_body(pendulum(), "bar"),
    "instant": lambda: da.instant(pendulum()),
    "linearization": lambda: da.linearize(pendulum()),
    "equilibrium": lambda: da.equilibrium(bead()),
    "mobility": lambda: da.mobility(spinning()),
    "assembly": lambda: da.assemble(spinning()),
    "classification": lambda: da.classify(bead()),
    "conserved": lambda: da.conserved(bead()),
    "potential energy": lambda: da.potential_energy(bead()),
    "holding load": lambda: da.holding_load(bead(), "y"),
    "strike": lambda: da.strike(pendulum(), {"bar": (1.0, 0.0)}),
    "comparison": lambda: da.compare(bead()),
    "verification": lambda: da.verify(bead()),
    "sweep": lambda: da.sweep(pendulum, {"k": [0.1, 0.2]}, until=0.1),
    "first variation": lambda: da.first_variation(da.simulate(bead(), until=0.1, method="variational", step=0.01)),
}
FORMS = ("absolute", "minimal", "newton-euler", "noncentroidal", "hamilton", "jourdain", "kane", "maggi", "gauss", "udwadia-kalaba", "variational")  # fmt: skip
MADE |= {f"form {form}": lambda form=form: da.equations(spinning(), form=form) for form in FORMS}
MADE |= {f"form {form} of coordinates": lambda form=form: da.equations(bead(), form=form) for form in ("multipliers", "reduced", "gauss", "udwadia-kalaba", "variational")}  # fmt: skip


def told(result):
    """All that a result tells about itself, as text: numbers to the last bit."""
    found = {"repr": repr(result), "str": str(result)}
    for name in dir(result):
        if not name.startswith("_") and name not in _SKIPPED:
            try:
                value = getattr(result, name)
            except da.DalembertError as error:
                value = str(error)
            if not callable(value):
                found[name] = repr(value)
    if hasattr(result, "resample"):
        # the motion is followed again, in the memory of the run
        t = 0.6 * float(result.t[-1])
        state, instant = result.at(t), result.resample([t])
        found |= {"q": state.q.tolist(), "v": state.v.tolist(), "a": instant.a.tolist(), "work": str(result.work)}
    if hasattr(result, "latex"):
        found["latex"] = result.latex()
    return found


@cache
def pool():
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))


@pytest.fixture(scope="module", autouse=True)
def _ended():
    yield
    if pool.cache_info().currsize:
        pool().shutdown()


@pytest.mark.parametrize("name", MADE)
def test_what_comes_back_tells_the_same(name):
    result = MADE[name]()
    fresh = pickle.dumps(result)
    want = told(result)
    assert told(pickle.loads(fresh)) == want
    assert told(pickle.loads(pickle.dumps(result))) == want  # also after everything was asked for
    assert pool().submit(told, result).result(timeout=250) == want


@pytest.mark.parametrize("make", [pendulum, spinning, bouncing, bead, rubbing])
def test_a_run_in_another_process_is_the_run_here(make):
    here = da.simulate(make(), until=1.0)
    there = pool().submit(da.simulate, make(), until=1.0).result(timeout=250)
    assert there.status == here.status == "ok" and there.audit.passed
    # machine code of the structure, made after many steps here and not there, rounds differently
    np.testing.assert_allclose(there.q, here.q, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(there.at(0.5).q, here.at(0.5).q, rtol=1e-8, atol=1e-8)
    again = da.simulate(there.model, start=there.at(0.5), until=1.0)
    np.testing.assert_allclose(again.q[-1], here.q[-1], rtol=1e-6, atol=1e-6)


def test_series_keep_their_labels():
    run = da.simulate(pendulum(), until=0.1)
    for series in (run["bar"].position, run["A.angle"], run.energy.total):
        back = pickle.loads(pickle.dumps(series))
        assert (back.name, back.unit, back.axes) == (series.name, series.unit, series.axes)
        assert np.array_equal(back, series) and np.array_equal(back.t, run.t)
    assert np.array_equal(pickle.loads(pickle.dumps(run["A.angle"])).rate, run["A.angle"].rate)


def test_equations_come_back_as_written():
    form = da.equations(bead(), form="gauss")
    assert "2*(x'**2 + y'**2)" in str(form)  # SymPy by itself reads this as 2*x'**2 + 2*y'**2
    assert str(pickle.loads(pickle.dumps(form))) == str(form)


def test_a_stepper_is_refused():
    live = da.Stepper(pendulum(), step=0.01)
    with pytest.raises(MethodError, match=r"(?s)Stepper.*run under way.*live\.state"):
        pickle.dumps(live)
    live.step(3)
    again = da.Stepper(pendulum(), step=0.01, start=pickle.loads(pickle.dumps(live.state)))
    live.step()
    again.step()
    assert again.state.q.tolist() == live.state.q.tolist()
