"""A02 at every tolerance: through ten flat positions in 10 s, on the right branch, with the energy within 10 rtol of the energy swung.

Off the constraints by e, at the distance s from a flat position, accelerations are wrong by e/s^3: steps that come close to it see noise, and shorter ones see
more of it.  A step by collocation goes over it (`solve/over.py`).
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .test_a02_n_four_bar import n_four_bar, reduced_angle

RTOL = [10.0**-k for k in range(4, 11)]
CASES = [(1, 8, r) for r in RTOL] + [(10, 8, r) for r in RTOL] + [(50, 8, 1e-8), (50, 8, 1e-10)]
CASES += [(1, 5, 1e-10), (10, 5, 1e-9)]


@pytest.mark.parametrize("n, method, rtol", CASES)
def test_energy_branch_and_angle(n, method, rtol):
    run = da.simulate(n_four_bar(n), until=10.0, rtol=rtol, atol=1e-2 * rtol, method=method)
    assert run.status == "ok"
    # from the highest to the lowest position
    swung = 2.0 * 9.81 * ((n + 1) / 2 + n)
    total = np.asarray(run.energy.total)
    assert np.max(np.abs(total - total[0])) <= 10.0 * rtol * swung
    # the right branch: couplers do not turn
    assert max(abs(run[f"coupler {k}"].angle[-1]) for k in range(n)) < 1e-9
    # errors of the angle grow over five revolutions near the upper equilibrium, some ten times those of the energy
    assert run["upright 0"].angle[-1] == pytest.approx(reduced_angle(n, 10.0)[0], abs=200.0 * rtol)


def test_the_audit_tells():
    run = da.simulate(n_four_bar(1), until=1.0, rtol=1e-9, atol=1e-11)
    (note,) = run.audit.notes
    assert note.kind == "singular position" and not note.doubtful
    assert set(note.parts) == {"foot 0", "foot 1", "left 0", "right 0"}
    # J th'' = -C cos th with energy: th' in the flat position
    speed = math.sqrt(1.0 + 2.0 * 9.81 * 2.0 / (2.0 / 3.0 + 1.0))
    assert (
        f"upright 0 {-speed:.6g}, upright 1 {-speed:.6g}" in note.text
        or f"upright 0 {speed:.6g}, upright 1 {speed:.6g}" in note.text
    )


def test_outputs_in_the_position_itself():
    """Accelerations there are those of the reduced motion, -C cos th/J, and multipliers the limit from both sides."""
    first = da.simulate(n_four_bar(1), until=1.0, rtol=1e-10, atol=1e-12).audit.notes[0].t
    times = [0.0, *(first + np.array([-1e-2, -1e-4, 0.0, 1e-4, 1e-2])), 1.0]
    run = da.simulate(n_four_bar(1), until=1.0, rtol=1e-10, atol=1e-12, output=times)
    assert run.status == "ok"
    angle = np.asarray(run["upright 0"].angle)
    expected = -9.81 * 2.0 / (2.0 / 3.0 + 1.0) * np.cos(angle)
    assert np.asarray(run.a)[1:6].reshape(5, 3, 3)[:, 0, 2] == pytest.approx(expected[1:6], abs=1e-7)
    lam = np.asarray(run.basic_lam)
    assert lam[3] == pytest.approx(0.5 * (lam[2] + lam[4]), abs=1e-5 * np.max(np.abs(lam)))
    assert "come from the motion on both sides" in run.audit.notes[0].text
