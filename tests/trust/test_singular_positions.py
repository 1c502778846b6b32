"""Runs through positions in which motions meet, and past those in which they nearly meet."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from tests.analyses.loops import loop as loop_in_space
from tests.analyses.loops import parallelogram, rotation


def loop(lengths, angle, rate=3.0, gravity=(0.0, 0.0)):
    """Four-bar with bars of 1 kg: lengths of the ground, crank, coupler and rocker."""
    ground, crank, coupler, rocker = lengths
    b, d = np.array([crank * math.cos(angle), crank * math.sin(angle)]), np.array([ground, 0.0])
    line = d - b
    far = math.hypot(*line)
    along = (far**2 + coupler**2 - rocker**2) / (2.0 * far)
    c = b + along * line / far + math.sqrt(coupler**2 - along**2) * np.array([-line[1], line[0]]) / far
    points, m = [(0.0, 0.0), tuple(b), tuple(c), tuple(d)], da.Mechanism("loop", plane=True, gravity=gravity)
    before = m.ground
    for joint, name, p, q in zip("ABC", ("crank", "coupler", "rocker"), points, points[1:]):
        middle, turned = tuple(np.add(p, q) / 2.0), math.atan2(q[1] - p[1], q[0] - p[0])
        body = m.body(name, da.rod(length=math.dist(p, q), mass=1.0), at=middle, angle=turned)
        m.revolute(joint, before, body, at=p)
        before = body
    m.revolute("D", before, m.ground, at=points[3])
    m.start(m["A"].angle, rate=rate)
    return m


CHANGE_POINTS = {"kite": (1.0, 1.0, 2.0, 2.0), "other kite": (2.0, 1.0, 1.0, 2.0), "scalene": (3.0, 1.0, 2.5, 1.5)}


@pytest.mark.parametrize("lengths", CHANGE_POINTS.values(), ids=CHANGE_POINTS)
def test_change_points(lengths):
    """Shortest and longest side together as long as the others: the same motion at two tolerances, and no energy from nothing."""
    loose, sharp = (da.simulate(loop(lengths, 1.0), until=6.0, rtol=r, atol=1e-2 * r) for r in (1e-7, 1e-10))
    assert loose.status == sharp.status == "ok"
    kinetic = np.asarray(sharp.energy.kinetic)
    assert np.ptp(kinetic) <= 1e-9 * kinetic[0]
    assert loose.q[-1] == pytest.approx(sharp.q[-1], abs=2e-5)
    (note,) = sharp.audit.notes
    assert note.kind == "singular position" and set(note.parts) == {"A", "B", "C", "D"}


@pytest.mark.parametrize("excess", [1e-3, 1e-6, 1e-8])
def test_motions_that_nearly_meet_turn_into_each_other(excess):
    """A coupler longer by a little: no motion goes on through the flat position, and no step goes over it."""

    def run(rtol):
        m = loop((1.0, 1.0, 1.0 + excess, 1.0), math.pi / 2, rate=-1.0, gravity=(0.0, -9.81))
        return da.simulate(m, until=2.0, rtol=rtol, atol=1e-2 * rtol)

    loose, sharp = run(1e-6), run(1e-10)
    assert loose.status == sharp.status == "ok" and not [x for x in sharp.audit.notes if "may change" in x.text]
    # the crank does not come round: it swings back, as that of the parallelogram never does
    assert np.max(np.asarray(sharp["crank"].angle)) > math.pi
    assert loose["crank"].angle[-1] == pytest.approx(sharp["crank"].angle[-1], abs=2e-4)


def test_motions_that_nearly_meet_are_told_where_tolerances_are_loose():
    """Which of two motions 2e-5 apart is followed is a matter of the tolerance and of rounding: whichever it is, the run says so."""
    model = loop((0.3, 0.5 + 5e-10, 0.3, 0.5), 1.0, gravity=(0.0, -9.81))
    loose, other = (da.simulate(model, until=2.0, rtol=rtol, atol=1e-2 * rtol) for rtol in (1e-4, 1e-6))
    for run in (loose, other):
        (note,) = run.audit.notes
        assert (
            note.kind == "singular position" and set(note.parts) == {"A", "B", "C", "D"} and "nearly meet" in note.text
        )
        assert note.value == pytest.approx(5e-10, rel=1e-4)  # by how much the long coupler misses the flat position


def test_reactions_without_bound():
    """A load that is not in the middle of the coupler turns it; in line, no bar holds against that: reactions grow as 1/(t - t*), on either side."""

    def run(times):
        m = loop((2.0, 1.0, 2.0, 1.0), 1.0, rate=-3.0, gravity=(0.0, -9.81))
        load = m.body("load", mass=1.0, inertia=0.1, at=(math.cos(1.0) + 0.3, math.sin(1.0)))
        m.fixed("seat", m["coupler"], load, at=(math.cos(1.0) + 0.3, math.sin(1.0)))
        return da.simulate(m, until=0.6, rtol=1e-9, atol=1e-11, output=times)

    (note,) = run([0.0, 0.6]).audit.notes
    apart = np.array([-2e-3, -1e-3, -5e-4, 5e-4, 1e-3, 2e-3])
    found = run([0.0, *(note.t + apart), 0.6])
    assert found.status == "ok"
    pole = np.asarray(found["B"].force)[1:-1, 0] * apart
    assert abs(pole[0]) > 0.1
    # what is left besides the pole is smooth: a straight line through the products
    line = np.polyval(np.polyfit(apart, pole, 2), apart)
    assert pole == pytest.approx(line, abs=1e-4 * abs(pole[0]))


@pytest.mark.parametrize("seed", range(2))
def test_hinges_in_space(seed):
    """Four parallel hinges in any orientation have three rows too many, chosen anew on the way, and two more motions meet in the flat positions."""
    m = loop_in_space(parallelogram(0.7), turn=rotation(seed), down=(0.0, -9.81, 0.0))
    m.start(m["A"].angle, rate=4.0)
    run = da.simulate(m, until=2.0, rtol=1e-10, atol=1e-12)
    total = np.asarray(run.energy.total)
    assert run.status == "ok" and np.ptp(total) <= 1e-9 * np.ptp(run.energy.kinetic)
    # in the parallelogram the coupler does not turn
    spin = np.asarray(run["coupler"].spin)
    assert np.max(np.abs(spin)) < 1e-7


def test_rows_that_are_chosen_anew_are_no_singular_position():
    """A Bennett linkage has the same freedom everywhere; only the rows that were kept come close to each other as it turns."""
    m = da.read_model(str(Path(da.__file__).parent / "machines" / "bennett-linkage.toml"))
    run = da.simulate(m, until=2.0)
    assert run.status == "ok" and not [note for note in run.audit.notes if note.kind == "singular position"]


def test_a_run_that_only_looks_is_the_same_to_the_last_bit(monkeypatch):
    """The smallest pivot of a Furuta pendulum falls and rises again; that is looked at, and leaves no trace."""
    from dalembert.solve import run as runs
    from dalembert.solve.stepping.records import AGAIN_LATER

    path, asked = str(Path(da.__file__).parent / "machines" / "furuta-pendulum.toml"), []
    looked = da.simulate(da.read_model(path), until=5.0)

    def deny(run):
        asked.append(run.now.t)
        run.now.denied, run.now.pivot_denied = AGAIN_LATER, run.now.pivot

    monkeypatch.setattr(runs, "step_over", deny)
    other = da.simulate(da.read_model(path), until=5.0)
    assert asked and np.array_equal(looked.q, other.q) and np.array_equal(looked.v, other.v)


@pytest.mark.parametrize("rtol", [1e-8, 1e-10])
def test_driven_through_flat_positions(rtol):
    """A motor turns the crank of a parallelogram: the coupler does not turn, and the work of the motor is the energy of the bodies."""
    m = da.Mechanism("driven", plane=True, gravity=(0.0, -9.81))
    points = [(0.0, 0.0), (math.cos(1.0), math.sin(1.0)), (2.0 + math.cos(1.0), math.sin(1.0)), (2.0, 0.0)]
    before = m.ground
    for joint, name, p, q in zip("ABC", ("crank", "coupler", "rocker"), points, points[1:]):
        middle, turned = tuple(np.add(p, q) / 2.0), math.atan2(q[1] - p[1], q[0] - p[0])
        body = m.body(name, da.rod(length=math.dist(p, q), mass=1.0), at=middle, angle=turned)
        m.revolute(joint, before, body, at=p)
        before = body
    m.revolute("D", before, m.ground, at=points[3])
    m.drive("motor", m["A"].angle, "1 + 3*t + 0.2*sin(t)")
    run = da.simulate(m, until=4.0, rtol=rtol, atol=1e-2 * rtol)
    assert run.status == "ok" and abs(run["coupler"].angle[-1]) < 1e-9
    assert run.audit.energy < 1e-7
