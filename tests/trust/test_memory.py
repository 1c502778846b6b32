"""Memory of a run is bounded by its outputs, and what was computed survives."""

import numpy as np
import pytest

import dalembert as da
from dalembert.solve import run as time_loop


def spinning():
    m = da.Mechanism("spinning", gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    m.start("A.angle", rate=30.0)
    return m


class Few(time_loop.KeptSteps):
    """Steps in little memory."""

    def __init__(self, most, thinned):
        super().__init__(min(most, 1000), thinned)


def test_steps_are_thinned_and_states_between_stay_right(monkeypatch):
    every = da.simulate(spinning(), until=20.0, output=[0.0, 20.0], progress=False)
    monkeypatch.setattr(time_loop, "_Steps", Few)
    few = da.simulate(spinning(), until=20.0, output=[0.0, 20.0], progress=False)
    assert len(every.trace.kept.t) > 1050 and len(few.trace.kept.t) < 0.7 * len(every.trace.kept.t)
    assert few.status == "ok" and few.audit.steps == every.audit.steps
    assert few.audit.energy <= every.audit.energy and few.audit.energy > 0.0
    for t in (0.0, 0.37, 7.91, 19.99, 20.0):
        assert np.abs(few.at(t).q - every.at(t).q).max() < 1e-6


def test_thinning_keeps_both_sides_of_a_jump():
    steps = time_loop.KeptSteps(6, thinned=True)
    piece = lambda times: time_loop.Kept(  # noqa: E731
        np.array(times, float),
        np.zeros((len(times), 2)),
        np.zeros((len(times), 0)),
        np.zeros((len(times), 1)),
        np.zeros(len(times)),
        np.zeros((len(times), 0)),
    )
    steps.add(piece([0, 1, 2, 3]))
    steps.jump()
    steps.add(piece([3, 4, 5, 6]))
    kept = steps.all().t
    assert len(kept) < 8 and list(kept).count(3.0) == 2 and kept[0] == 0 and kept[-1] == 6
    for k in range(7, 40):
        steps.add(piece([k]))
    assert list(steps.all().t).count(3.0) == 2 and len(steps.all().t) <= 8


def test_every_step_as_output_ends_with_what_was_computed(monkeypatch):
    monkeypatch.setattr(time_loop, "LARGEST_KEPT", 1.0)
    m = spinning()
    m.spring("stiff", m["A"].angle, stiffness=1e6)
    with pytest.raises(da.ConvergenceError, match="memory") as caught:
        da.simulate(m, until=1000.0, output="steps", progress=False)
    result = caught.value.result
    assert len(result.t) > 1000 and result.status == "incomplete" and np.isfinite(result.q).all()


def test_a_damped_run_backwards_ends():
    """It grows without bound: told, with what was computed, and in bounded memory."""
    m = da.Mechanism("slider")
    block = m.body("block", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    m.prismatic("rail", m.ground, block, along=(1, 0))
    m.damper("brake", m["rail"].slide, damping=50.0)
    m.start("rail.slide", rate=1.0)
    try:
        run = da.simulate(m, until=-20.0, backward=True, progress=False)
    except da.ConvergenceError as error:
        run = error.result
    assert len(run.trace.kept.t) < 50_000 and np.isfinite(run.q).all()
