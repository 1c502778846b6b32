"""Energy over long runs, and there and back again.

Source: conservation of energy; reversibility of the equations of motion.

Tolerance: explicit methods drift by about one tolerance per step at worst; the bound is ten times tolerance times steps, relative to
the energies exchanged.  Back at the start the error is that of both ways, a hundred times the tolerance.
"""

import numpy as np
import pytest

import dalembert as da

from .models import double_pendulum, pendulum, shaken_loop


@pytest.mark.parametrize("method", [5, 8])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-9])
@pytest.mark.parametrize("build, until", [(pendulum, 30.0), (shaken_loop, 5.0), (double_pendulum, 10.0)])
def test_energy_drift(build, until, tolerance, method):
    run = da.simulate(build(), until=until, rtol=tolerance, atol=tolerance, method=method)
    energy = np.asarray(run.energy.total)
    exchanged = np.ptp(np.asarray(run.energy.kinetic))
    assert np.abs(energy - energy[0]).max() < 10 * tolerance * run.audit.steps * exchanged
    assert run.status == "ok"


def test_drift_falls_with_the_tolerance():
    drifts = []
    for tolerance in (1e-5, 1e-7, 1e-9):
        run = da.simulate(shaken_loop(), until=3.0, rtol=tolerance, atol=tolerance)
        energy = np.asarray(run.energy.total)
        drifts.append(np.abs(energy - energy[0]).max())
    assert drifts[1] < 0.1 * drifts[0]
    assert drifts[2] < 0.1 * drifts[1]


@pytest.mark.parametrize("method", [5, 8])
@pytest.mark.parametrize("build, until", [(pendulum, 3.0), (shaken_loop, 0.8), (double_pendulum, 1.5)])
def test_there_and_back(build, until, method):
    m = build()
    tolerance = 1e-9
    options = {"rtol": tolerance, "atol": tolerance, "method": method}
    there = da.simulate(m, until=until, output=[0.0, until / 2, until], **options)
    back = da.simulate(m, until=0.0, start=there.at(until), backward=True, output=[0.0, until / 2, until], **options)
    assert list(back.t) == [until, until / 2, 0.0]
    assert back.q[::-1] == pytest.approx(there.q, abs=100 * tolerance)
    assert back.v[::-1] == pytest.approx(there.v, abs=2000 * tolerance)
    # counted turns come back as well
    assert back.angles[::-1] == pytest.approx(there.angles, abs=100 * tolerance)
    assert back.status == "ok"


def test_continued_runs_are_one_run():
    m = double_pendulum()
    whole = da.simulate(m, until=2.0, rtol=1e-11, atol=1e-12, output=[2.0])
    first = da.simulate(m, until=0.7, rtol=1e-11, atol=1e-12)
    second = da.simulate(m, until=2.0, start=first.at(0.7), rtol=1e-11, atol=1e-12, output=[2.0])
    assert second.q == pytest.approx(whole.q, abs=1e-9)
    assert second.lam == pytest.approx(whole.lam, abs=1e-7)
