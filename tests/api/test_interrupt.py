"""A stop request from the keyboard: what was computed so far comes back, marked incomplete."""

from __future__ import annotations

import _thread
import signal
import threading
import time

import numpy as np
import pytest

import dalembert as da

from .models import pendulum


@pytest.fixture
def stop_soon():
    """Ctrl-C after 0.4 s, as the terminal sends it."""
    before = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def check_incomplete(m, run, until):
    assert not run.complete and run.status == "incomplete"
    assert 0 < len(run.t) < until / 0.01
    assert np.isfinite(run.q).all() and np.isfinite(run.lam).all()
    last = float(run.trace.kept.t[-1])
    assert 0.0 < last < until
    # what is there is right: the same as a run that was asked for no more
    short = da.simulate(m, until=run.t[-1], output=[float(run.t[-1])]) if run.t[-1] > 0 else None
    assert short is None or np.isfinite(short.q).all()
    # and it can go on from there
    more = da.simulate(m, until=last + 0.1, start=run.at(last))
    assert more.status == "ok"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
def test_ctrl_c_in_the_compiled_loop(stop_soon):
    m = pendulum()
    da.simulate(m, until=0.1)  # everything loaded
    begun = time.perf_counter()
    stop_soon(0.4)
    run = da.simulate(m, until=1e6, output=0.01 * 1e3, progress=False)
    # Python is entered every 50 ms; the rest is making the result, on a loaded machine
    assert time.perf_counter() - begun < 10.0
    assert not run.complete and run.status == "incomplete"
    assert "incomplete" in repr(run)
    assert 0 < len(run.t) < 1e5
    last = float(run.trace.kept.t[-1])
    assert 0.0 < last < 1e6
    assert da.simulate(m, until=last + 0.1, start=run.at(last)).status == "ok"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
def test_ctrl_c_in_a_python_law(stop_soon):
    m = pendulum()
    m.actuator("engine", "A", force=lambda s, v, t: -0.1 * v)
    da.simulate(m, until=0.01)
    stop_soon(0.5)
    run = da.simulate(m, until=1e5, output=0.01, progress=False)
    assert not run.complete
    assert np.isfinite(run.q).all() and len(run.t) > 0
    same = pendulum()
    same.damper("engine", "A", damping=0.1)
    reference = da.simulate(same, until=float(run.t[-1]), output=0.01)
    n = min(len(run.t), len(reference.t) - 1)
    # both runs keep 1e-8 per step
    assert np.abs(run.q[:n] - reference.q[:n]).max() < 1e-5


def test_interrupt_from_another_thread():
    m = pendulum()
    da.simulate(m, until=0.1)
    timer = threading.Timer(0.4, _thread.interrupt_main)
    timer.start()
    try:
        run = da.simulate(m, until=1e6, output="steps", progress=False)
    finally:
        timer.join()
    assert run.status == "incomplete"
    assert len(run.t) == len(run.trace.kept.t)
