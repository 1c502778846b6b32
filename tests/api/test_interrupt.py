"""A stop request from the keyboard: what was computed so far comes back, marked incomplete."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import dalembert as da

from .models import pendulum


@pytest.fixture
def stop_after():
    """Ctrl-C after some seconds of work, whatever else the machine does: a timer that sends what the keyboard sends.

    Raised by the timer itself, the interrupt could fall into a finaliser, where Python drops it.
    """
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timers on this system")
    before = signal.signal(signal.SIGPROF, lambda *_: signal.raise_signal(signal.SIGINT))
    yield lambda seconds: signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


@pytest.fixture(autouse=True)
def keyboard():
    """Ctrl-C as in a terminal: a shell starts its background jobs with the keyboard ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(m: da.Mechanism, **options: Any) -> da.Result:
    """Run that is interrupted; an interrupt that escapes would end the whole test session."""
    try:
        return da.simulate(m, progress=False, **options)
    except KeyboardInterrupt:
        pytest.fail("the interrupt came out of simulate, and what was computed is lost")


def check(m: da.Mechanism, run: da.Result, until: float) -> None:
    assert not run.complete and run.status == "incomplete"
    assert "incomplete" in repr(run)
    assert len(run.t) > 0 and np.isfinite(run.q).all() and np.isfinite(run.lam).all()
    last = float(run.trace.kept.t[-1])
    assert 0.0 < last < until
    assert np.all(run.t <= last)
    # it can go on from there
    assert da.simulate(m, until=last + 0.1, start=run.at(last)).status == "ok"


def test_in_the_compiled_loop(stop_after):
    m = pendulum()
    da.simulate(m, until=0.1)  # everything loaded
    stop_after(0.4)
    run = interrupted(m, until=1e6, output=10.0)
    check(m, run, 1e6)
    assert 1 < len(run.t) < 1e5


def test_in_a_python_law(stop_after):
    m = pendulum()
    m.actuator("engine", "A", force=lambda s, v, t: -0.1 * v)
    da.simulate(m, until=0.01)
    stop_after(0.5)
    run = interrupted(m, until=1e3, output=0.01)
    check(m, run, 1e3)
    same = pendulum()
    same.damper("engine", "A", damping=0.1)
    reference = da.simulate(same, until=float(run.t[-1]) + 0.02, output=0.01)
    # both runs keep 1e-8 per step; a few hundred steps
    n = len(run.t)
    assert np.abs(run.q - reference.q[:n]).max() < 1e-5


def test_in_a_force_of_a_lagrangian(stop_after):
    def oscillator(force):
        m = da.Lagrangian("x", kinetic="rate(x)**2/2", forces={"x": force})
        m.start("x", 1.0)
        return m

    m = oscillator(lambda s, v, t: -4.0 * s)
    da.simulate(m, until=0.01)
    stop_after(0.5)
    run = interrupted(m, until=1e4, output=0.01, max_step=0.01)
    assert not run.complete and 0.0 < run.t[-1] < 1e4
    assert np.abs(run.q[:, 0] - np.cos(2.0 * run.t)).max() < 1e-4
    assert da.simulate(m, until=run.t[-1] + 0.1, start=run.at(run.t[-1])).status == "ok"


def test_in_the_last_moment(monkeypatch):
    """A stop that comes while the last steps are made is not lost: whoever makes many short runs looks at it."""
    from dalembert.solve import run as solve

    real = solve.loop.integrate

    def stopped(*given):
        status = real(*given)
        signal.raise_signal(signal.SIGINT)
        return status

    m = pendulum()
    da.simulate(m, until=0.1)
    monkeypatch.setattr(solve.loop, "integrate", stopped)
    run = interrupted(m, until=0.1)
    assert run.trace.status == solve.DONE and run.trace.interrupted and run.t[-1] == 0.1


def test_of_a_driven_motion(monkeypatch):
    """Outputs are made in batches in machine code; a batch that has begun is finished."""
    from dalembert.analyses.driven import of_bodies

    m = pendulum()
    m.drive("motor", "A.angle", "2*pi*t")
    times = np.arange(1000) * 0.01
    real, calls = of_bodies.follow, []

    def stopped(*given):
        calls.append(given)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return real(*given)

    monkeypatch.setattr(of_bodies, "follow", stopped)
    try:
        found = da.inverse_dynamics(m, times, progress=False)
    except KeyboardInterrupt:
        pytest.fail("the interrupt came out of inverse_dynamics, and what was computed is lost")
    run = found.run
    assert len(calls) == 2 and not run.complete and run.status == "incomplete" and 256 < len(run.t) < 1000
    assert np.array_equal(run.t, times[: len(run.t)])
    turned = run["A.angle"] - run["A.angle"][0]
    assert np.allclose(turned, 2 * np.pi * run.t, rtol=0, atol=1e-9 * max(1.0, float(run.t[-1])))


def arm() -> da.Mechanism:
    """Two links of 1 m, with a spring without a name for its potential."""
    m = da.Mechanism("arm", gravity=(0, -9.81))
    first = m.body("first", da.rod(length=m.parameter("l", 1.0, "m"), mass=1.0), at=(0.5, 0))
    second = m.body("second", da.rod(length=1.0, mass=1.0), at=(1.5, 0))
    m.revolute("A", m.ground, first, at=(0, 0))
    m.revolute("B", first, second, at=(1, 0))
    m.actuator("pull", "A.angle", force="-50*s")
    return m


def long_chain(links: int) -> da.Mechanism:
    m = da.Mechanism("chain", gravity=(0, -9.81))
    before = m.ground
    for k in range(links):
        link = m.body(f"link {k}", da.rod(length=1.0, mass=1.0), at=(k + 0.5, 0))
        m.revolute(f"A{k}", before, link, at=(k, 0))
        before = link
    return m


def test_of_work_along_a_long_run(stop_after):
    """Some ten thousand pieces of the motion are made again for it."""
    run = da.simulate(arm(), until=300.0)
    stop_after(0.2)
    with pytest.raises(KeyboardInterrupt):
        _ = run.work


def test_of_states_along_a_long_run(stop_after):
    run = da.simulate(arm(), until=300.0)
    stop_after(0.2)
    with pytest.raises(KeyboardInterrupt):
        run.resample(np.linspace(0.0, 300.0, 100_001))


def test_of_a_search_for_rest(stop_after):
    m = long_chain(80)
    stop_after(0.2)
    with pytest.raises(KeyboardInterrupt):
        da.equilibrium(m)


@pytest.mark.parametrize("verb", ["kinematics", "inverse_dynamics"])
def test_of_a_long_driven_motion(stop_after, verb):
    m = arm()
    m.drive("a", "A.angle", "sin(t)")
    m.drive("b", "B.angle", "cos(3*t)")
    ask = getattr(da, verb)
    ask(m, [0.0, 0.1])  # everything loaded
    stop_after(0.2)
    found = ask(m, np.linspace(0.0, 1e3, 300_001), progress=False)
    run = getattr(found, "run", found)
    assert not run.complete and 1 < len(run.t) < 300_001


def test_of_a_long_sweep(stop_after):
    m = arm()
    da.sweep(m, {"l": [1.0]}, until=0.1, processes=1)
    stop_after(0.2)
    found = da.sweep(m, {"l": "1:2:10000"}, until=50.0, processes=1, progress=False)
    assert not found.complete and 1 < len(found) < 10_000


def test_from_another_thread():
    """The request may come at any instant, between two pieces of the compiled loop too."""
    m = pendulum()
    da.simulate(m, until=0.1)
    due = time.process_time() + 0.4

    def ask() -> None:
        while time.process_time() < due:
            time.sleep(0.01)
        _thread.interrupt_main()

    other = threading.Thread(target=ask)
    other.start()
    try:
        run = interrupted(m, until=1e6, output="steps")
    finally:
        other.join()
    check(m, run, 1e6)
    assert len(run.t) == len(run.trace.kept.t)


def test_a_progress_report_is_closed(stop_after, capsys):
    m = pendulum()
    da.simulate(m, until=0.1)
    stop_after(1.5)
    try:
        run = da.simulate(m, until=1e6, output=10.0, progress=True)
    except KeyboardInterrupt:
        pytest.fail("the interrupt came out of simulate, and what was computed is lost")
    check(m, run, 1e6)
    shown = capsys.readouterr()
    assert "simulating" in shown.err + shown.out


def test_the_keyboard_is_given_back():
    """After a run, good or bad, Ctrl-C means what it meant before; a handler of the user's own is never replaced."""
    before = signal.getsignal(signal.SIGINT)
    m = pendulum()
    da.simulate(m, until=0.1)
    assert signal.getsignal(signal.SIGINT) is before
    m.force("bad", "bar", ("0", "1/(0.05 - t)"))
    with pytest.raises(da.DalembertError):
        da.simulate(m, until=0.1)
    assert signal.getsignal(signal.SIGINT) is before
    seen = []
    signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        m = pendulum()
        timer = threading.Timer(0.05, _thread.interrupt_main)
        timer.start()
        run = da.simulate(m, until=3e3, output=100.0)
        timer.join()
        assert run.complete and seen == [1]
    finally:
        signal.signal(signal.SIGINT, before)
