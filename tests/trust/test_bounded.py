"""Inner computations end: what integrates, searches or halves for an answer makes progress or says that it does not, and obeys Ctrl-C.

None of these tests looks at a clock; what does not end is ended by the limit of pytest.
"""

from __future__ import annotations

import math
import signal
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.events import steps
from dalembert.analyses.rest.ranges import Held, ranges_of
from dalembert.analyses.rest.settle import _run
from dalembert.kernels.watch import EVENT, without_events
from dalembert.solve import run as solve
from dalembert.solve.status import CHATTERING, DONE, STEP_TOO_SMALL
from dalembert.solve.stepping.control import AT_ONCE

# of times that differ by an ulp it has any two signs: an ulp of t + 1 is 222 rad
WILD = "sin(1e18*(t + 1))"
K, X0 = 50.0, 0.1


def slider(event: str = "") -> da.Mechanism:
    m = da.Mechanism("slider")
    body = m.body("slider", da.block(0.1, 0.1, mass=2.0), at=(0, 0))
    m.prismatic("P", m.ground, body, at=(0, 0), along=(1, 0))
    m.actuator("pull", m["P"].slide, force=f"-{K}*s")
    m.start(m["P"].slide, value=X0)
    if event:
        m.event("wild", event)
    return m


def restless(run: da.Result) -> da.Result:
    """The run with an event watched whose sign changes within the rounding of every time, as that of a rate does that is rounding itself."""
    watch = da.simulate(slider(WILD), until=1e-19).problem.watch
    assert list(watch.kind) == [EVENT] and watch.halts[0]
    run.problem.watch = watch
    return run


def begun(run: da.Result, k: int) -> tuple[float, np.ndarray, np.ndarray]:
    q, v, _ = (x.copy() for x in run.system.parts_of(run.trace.kept.y[k]))
    return float(run.trace.kept.t[k]), q, v


@pytest.fixture
def keyboard():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_work_over_times_at_which_an_event_has_no_side():
    """Events lie between accepted steps: the motion that is made again from one to the next meets none."""
    run = restless(da.simulate(slider(), until=0.5))
    # the potential 1/2 k x^2 that the law has no name for
    x = run["P"].slide
    assert run.work["pull"] == pytest.approx(0.5 * K * (X0**2 - x**2), abs=1e-9)


def test_events_stand_behind_laws():
    """`without_events` cuts them off: what is left is watched at its own places."""
    m = slider("t - 0.1")
    m.actuator("more", m["P"].slide, force="if_(t < 0.2, 1, 2)*sin(t)")
    first = da.simulate(m, until=0.05).problem.watch
    x = da.Lagrangian("x", kinetic="rate(x)**2", potential="if_(x < 1, x, 2*x - 1)")
    x.event("here", "x", level=0.5)
    for watch in (first, da.simulate(x, until=0.05).problem.watch):
        laws = np.flatnonzero(watch.kind != EVENT)
        assert len(laws) and len(laws) < len(watch.kind) and list(laws) == list(range(len(laws)))
        assert list(without_events(watch).kind) == list(watch.kind[: len(laws)])


@pytest.mark.parametrize("ulps", [1, 2, 5, 50, 4000])
def test_an_interval_of_some_ulps(ulps):
    """It is one step to its end, from any accepted step on."""
    run = da.simulate(slider(), until=0.5)
    for k in range(1, len(run.trace.kept.t) - 1, 3):
        t, q, v = begun(run, k)
        end = t
        for _ in range(ulps):
            end = math.nextafter(end, math.inf)
        made = run._onward(k, end)
        assert made.status == DONE and made.step.t == end and made.out.t[0] == end
        assert made.out.q[0] == pytest.approx(q, abs=1e-12) and made.out.v[0] == pytest.approx(v, abs=1e-11)


def test_attempts_without_progress_are_counted():
    """An event that halts a run of which nobody asks it comes back at the same time, again and again."""
    run = restless(da.simulate(slider(), until=0.5))
    for k in range(1, len(run.trace.kept.t) - 1):
        t, q, v = begun(run, k)
        made = solve.integrate(replace(run.problem, most=1000), t, q, v, t + 1e-12, np.zeros(0))
        # where the signs at the next ulps leave a way it comes to its end
        assert made.status in (DONE, STEP_TOO_SMALL, CHATTERING)
        assert (made.step.t == t + 1e-12) == (made.status == DONE)


def test_a_motion_that_does_not_come_on_is_refused(monkeypatch):
    """Not an output that was never written, all zeros."""
    run = da.simulate(slider(), until=0.5)
    monkeypatch.setattr(solve.loop, "integrate", lambda *_: STEP_TOO_SMALL)
    with pytest.raises(da.ConvergenceError, match="from the accepted step at t = ") as raised:
        run.at(0.2345)
    assert all(len(part) > 10 for part in str(raised.value).splitlines())


@pytest.mark.parametrize(
    "ask", [lambda run: run.work, lambda run: run.at(0.2345), lambda run: run.crossings("P.slide")]
)
def test_ctrl_c_inside_of_what_is_computed_from_a_run(ask, monkeypatch, keyboard):
    """It comes out at the end of the piece of compiled work that it falls into; no other piece is begun."""
    run, real, entered = da.simulate(slider(), until=0.5), solve.loop.integrate, []

    def stopped(*given: Any) -> int:
        entered.append(1)
        if len(entered) == 1:
            signal.raise_signal(signal.SIGINT)
        return int(real(*given))

    monkeypatch.setattr(solve.loop, "integrate", stopped)
    with pytest.raises(KeyboardInterrupt):
        ask(run)
    assert len(entered) == 1


def test_ctrl_c_inside_of_a_search_that_runs_the_model(monkeypatch, keyboard):
    """Part of a motion is not taken for all of it: the search ends."""
    start, real, entered = da.simulate(slider(), until=0.1).at(0.1), solve.loop.integrate, []

    def stopped(*given: Any) -> int:
        entered.append(1)
        signal.raise_signal(signal.SIGINT)
        return int(real(*given))

    monkeypatch.setattr(solve.loop, "integrate", stopped)
    with pytest.raises(KeyboardInterrupt):
        _run(slider(), start, 1.0)
    assert len(entered) == 1


def test_outputs_of_one_step_are_bounded():
    """Python is entered between steps: a step with millions of outputs would be deaf to Ctrl-C.  A body that nothing moves has the longest steps."""
    m = da.Mechanism("puck")
    m.body("puck", mass=1.0, inertia=1.0, velocity=(1.0, 0.0))
    run = da.simulate(m, until=1.0, output=2.0**-18)
    most = AT_ONCE // (run.system.nq + run.system.nv)
    per_step = np.diff(np.searchsorted(run.t, run.trace.kept.t, side="right"))
    assert per_step.sum() == 2**18 and per_step.max() <= most + 1 < 2**17
    assert run.q[:, 0] == pytest.approx(run.t, abs=1e-12)


def test_many_steps_of_one_length_are_made_in_portions(monkeypatch, keyboard):
    """The same steps to the last bit; Ctrl-C comes out after the portion that it falls into."""
    whole = da.Stepper(slider(), 1e-3)
    whole.step(100)
    monkeypatch.setattr(steps, "AT_ONCE", 10 * (whole.system.nq + whole.system.nv))
    portions = da.Stepper(slider(), 1e-3)
    portions.step(100)
    assert np.array_equal(whole.state.q, portions.state.q) and np.array_equal(whole.state.v, portions.state.v)
    real, entered = steps.advance, []

    def stopped(*given: Any) -> int:
        entered.append(1)
        signal.raise_signal(signal.SIGINT)
        return int(real(*given))

    monkeypatch.setattr(steps, "advance", stopped)
    with pytest.raises(KeyboardInterrupt):
        portions.step(100)
    assert len(entered) == 1


def test_the_end_of_a_range_far_from_zero():
    """A place of 1e9 is known to 1e-7: halving ends where there is no place between two."""

    def held(x: float, _: object = None) -> Held:
        """Loads from -1 N to 1 N, which are raised by 2 N beyond 0.4 mm."""
        low = -1.0 if x <= 1e9 + 4e-4 else 1.0
        return Held(x, low, low + 2.0, None)

    (found,) = ranges_of([held(1e9), held(1e9 + 1e-3)], held, 1e-3)
    assert found.high == pytest.approx(1e9 + 4e-4, abs=2e-7)
