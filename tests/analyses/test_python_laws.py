"""Laws given as Python functions: nobody can read them, and they may have corners."""

from __future__ import annotations

import pytest

import dalembert as da


@pytest.mark.parametrize("law", ["1e6*max(0, -s)", lambda s, v, t: 1e6 * max(0.0, -s)], ids=["expression", "function"])
def test_a_floor_that_is_touched_by_little(law):
    """A weight of 1.001 kg on a floor of 1e6 N/m goes in by 9.8e-6 m: omega^2 = k/m, though a millimetre higher nothing holds it."""
    m = da.Mechanism("floor", gravity=(0, -9.81))
    weight = m.body("weight", mass=1.0, inertia=1.0, at=(0, 0))
    m.prismatic("P", m.ground, weight, at=(0, 0), along=(0, 1))
    m.fixed("F", weight, m.body("arm", da.rod(length=1.0, mass=1e-3), at=(0.5, 0)), at=(0, 0))
    m.actuator("floor", m["P"].slide, force=law)
    (rest,) = da.equilibrium(m)
    assert rest.state.q[1] == pytest.approx(-1.001 * 9.81e-6, rel=1e-9)
    assert rest.verdict == "stable" and rest.eigenvalues == pytest.approx([1e6 / 1.001], rel=1e-6)
    assert da.linearize(m, rest).eigenvalues.imag.max() == pytest.approx((1e6 / 1.001) ** 0.5, rel=1e-6)
