"""Runs that start in a singular position: the flat parallelogram of cranks 1 m and coupler 2 m.

Two motions leave it.  In the parallelogram both cranks turn alike and the coupler does not turn.  In the antiparallelogram, with rates
1 : b : c of crank, coupler and rocker: the hinges along the line give crank + 2 coupler = rocker (velocities across it), and the
second derivative of the closure along it crank^2 + 2 coupler^2 = rocker^2, so that coupler^2 + 2 crank coupler = 0, coupler = -2 crank,
rocker = -3 crank.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .loops import loop, parallelogram, rotation

PARALLEL, CROSSED = (1.0, 0.0, 1.0), (1.0, -2.0, -3.0)


def flat(rates=(), gravity=(0.0, 0.0), weight=None):
    m = da.Mechanism("flat", plane=True, gravity=gravity)
    before = m.ground
    points = [p[:2] for p in parallelogram(0.0)]
    for joint, name, p, q in zip("ABC", ("crank", "coupler", "rocker"), points, points[1:]):
        bar, middle = da.rod(length=math.dist(p, q), mass=10.0 * math.dist(p, q)), np.add(p, q) / 2.0
        body = m.body(name, bar, at=tuple(middle), angle=math.atan2(q[1] - p[1], q[0] - p[0]))
        m.revolute(joint, before, body, at=p)
        before = body
    m.revolute("D", before, m.ground, at=points[3])
    if weight is not None:
        load = m.body("load", mass=5.0, inertia=1.0, at=weight)
        m.fixed("seat", m["coupler"], load, at=weight)
    for joint, rate in zip("AB", rates):
        m.start(m[joint].angle, rate=rate)
    return m


def spins(run, k):
    return run.v[k].reshape(-1, 3)[:3, 2]


@pytest.mark.parametrize("ratio", [PARALLEL, CROSSED], ids=["parallel", "crossed"])
@pytest.mark.parametrize("speed", [1.0, -4.0])
def test_leaves_along_the_motion_given(ratio, speed):
    crank, coupler, rocker = (speed * r for r in ratio)
    run = da.simulate(flat((crank, coupler - crank)), until=0.5)
    assert run.audit.passed
    assert spins(run, 0) == pytest.approx([crank, coupler, rocker], abs=1e-12)
    # nothing does work: the kinetic energy stays
    assert run.energy.kinetic[-1] == pytest.approx(run.energy.kinetic[0], rel=1e-6)
    if ratio is PARALLEL:
        # and with it the speed of the cranks, for the coupler only translates
        assert spins(run, -1) == pytest.approx([crank, 0.0, crank], abs=1e-6)
    else:
        # links of equal length cross: the loop stays mirrored, so that its diagonals A C and B D remain parallel
        turned = run.q[-1].reshape(-1, 3)[:, 2]
        tip = np.array([math.cos(turned[0]), math.sin(turned[0])])
        first, second = tip + 2.0 * np.array([math.cos(turned[1]), math.sin(turned[1])]), np.array([2.0, 0.0]) - tip
        assert first[0] * second[1] - first[1] * second[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("unit", [1.0, 1000.0], ids=["m", "mm"])
def test_in_space_in_any_orientation(seed, unit):
    """Four hinges in space, with gravity: again through flat positions within the run."""
    for ratio in (PARALLEL, CROSSED):
        m = loop(parallelogram(0.0), turn=rotation(seed), unit=unit, down=(0.0, -9.81 * (seed % 2), 0.0))
        m.start(m["A"].angle, rate=ratio[0])
        m.start(m["B"].angle, rate=ratio[1] - ratio[0])
        assert da.simulate(m, until=1.0).audit.passed


def test_at_rest():
    """Without forces it stays; hanging weights that are alike on both cranks start the parallelogram."""
    assert np.all(da.simulate(flat(), until=1.0).v == 0.0)
    run = da.simulate(flat(gravity=(0.0, -9.81)), until=0.3)
    assert run.audit.passed
    # two cranks of 10 kg and 1 m about their ends, the coupler of 20 kg moves with their tips
    inertia, moment = 2.0 * 10.0 / 3.0 + 20.0, -9.81 * (2.0 * 10.0 * 0.5 + 20.0)
    assert run.a[0].reshape(-1, 3)[:, 2] == pytest.approx([moment / inertia, 0.0, moment / inertia], abs=1e-9)


def test_forces_that_push_along_no_motion():
    with pytest.raises(da.AssemblyError, match="at rest there the forces push along none") as caught:
        da.simulate(flat(gravity=(0.0, -9.81), weight=(1.7, 0.0)), until=1.0)
    assert "crank 1" in str(caught.value) or "coupler 0" in str(caught.value)


def test_one_rate_does_not_decide():
    with pytest.raises(da.AssemblyError, match="several motions leave it") as caught:
        da.simulate(flat((1.0,)), until=1.0)
    assert "crank 1, coupler 0, rocker 1" in str(caught.value) and "crank 1, coupler -2, rocker -3" in str(caught.value)


def test_rates_of_no_motion():
    """The joints allow crank 1, coupler 2, rocker 5 at this instant, and tear an instant later."""
    with pytest.raises(da.AssemblyError, match="belong to no motion") as caught:
        da.simulate(flat((1.0, 1.0)), until=1.0)
    assert "crank 5, coupler 0, rocker 5" in str(caught.value)


def test_a_state_given_is_not_changed():
    good = da.simulate(flat((1.0, -1.0)), until=0.5).at(0.0)
    assert da.simulate(flat(), until=0.5, start=good).audit.passed
    v = good.v.copy().reshape(3, 3)
    # crank 1, coupler 0.5, rocker 2 is allowed at the instant; mass centres move across the line
    v[:, 2] = 1.0, 0.5, 2.0
    v[:, 1] = 0.5, 1.0 + 0.5, 0.5 * 2.0
    with pytest.raises(da.AssemblyError, match="belong to no motion"):
        da.simulate(flat(), until=0.5, start=da.State(0.0, good.q, v.ravel()))


def test_permanent_redundancy_is_no_singular_position():
    """Rows that repeat each other in every pose leave all velocities to motions."""
    from dalembert.analyses.dynamics.start import prepare
    from dalembert.analyses.pose.leaving import leave

    m = loop(parallelogram(0.7), turn=rotation(1))
    prepared = prepare(m, 0.0, None)
    assert len(prepared.dropped) == 3 and not leave(prepared, m, False, "test")


def test_reactions_at_rest_where_nothing_decides():
    """Unequal weights in the flat position: no acceleration belongs to a motion, so that there are no reactions to give."""
    with pytest.raises(da.SingularError, match="push along none of the motions"):
        da.reactions(flat(gravity=(0.0, -9.81), weight=(1.7, 0.0)))
    # equal weights start the parallelogram, and the hinges at the ground carry what the momentum leaves: (40 - 30 * 30/26.67 * ...) kg
    found = da.reactions(flat(gravity=(0.0, -9.81)))
    up = found["A"].force[1] - found["D"].force[1]
    alpha = 9.81 * 30.0 / (2.0 * 10.0 / 3.0 + 20.0)
    assert up == pytest.approx(40.0 * 9.81 - (2.0 * 10.0 * 0.5 + 20.0) * alpha, rel=1e-9)
