"""Redundant rows: which of them are left out, and what that does to long motions of overconstrained mechanisms."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import dalembert as da
from dalembert.analyses.assembly.turns import guess_angles
from dalembert.analyses.pose.rank import detect, scaled_rows

from .random_mechanisms import build, draw
from .test_same_device import WORLDS, four_bar
from .twin import dense, start


def left_out(system):
    """Rows left out at the drawing, and all rows of unit length in the mass metric."""
    work = system.workspace()
    guess_angles(system, work, 0.0)
    detect(system, work, 0.0, system.q0)
    return np.flatnonzero(np.isinf(work.floor)), scaled_rows(system, work)


@pytest.mark.parametrize("seed", [seed for seed in range(60) if draw(seed).redundant])
def test_as_many_rows_are_left_out_as_depend_on_others(seed):
    system = da.compile(build(draw(seed)))
    dropped, rows = left_out(system)
    rank = dense(da.equations(system)).rank
    assert len(dropped) == system.n_rows - rank > 0
    kept = np.delete(rows, dropped, axis=0)
    assert np.linalg.matrix_rank(kept, tol=1e-6) == rank


@pytest.mark.parametrize("world", [None, WORLDS["turned"]], ids=["drawn", "turned"])
def test_choice_is_near_the_best(world):
    # spatial four-bar of four parallel hinges: 20 rows of rank 17; compare with all 1140 choices of three rows
    system = da.compile(four_bar(False, world))
    dropped, rows = left_out(system)
    assert len(dropped) == 3
    gram = rows @ rows.T

    def smallest(left):
        keep = [r for r in range(len(rows)) if r not in left]
        return np.sqrt(max(np.linalg.eigvalsh(gram[np.ix_(keep, keep)])[0], 0.0))

    best = max(smallest(set(left)) for left in combinations(range(len(rows)), 3))
    # pivoting is greedy: within a factor of three of the best here, where an unlucky choice has zero
    assert smallest(set(dropped)) > best / 3 > 0.01


def test_unlucky_choice_is_avoided():
    # a universal and a planar joint between the same bodies: in elimination order a row with a pivot of 2e-4 would be kept, which
    # vanishes within 0.35 s as the bodies turn; chosen by rank, the run takes some five steps at round-off
    plan = draw(447)
    system = da.compile(build(plan))
    dropped, rows = left_out(system)
    assert len(dropped) == 3
    assert np.linalg.svd(np.delete(rows, dropped, axis=0))[1][-1] > 0.02
    run = da.simulate(build(plan), until=0.5, start=start(system, np.random.default_rng([447, 1])), output=0.05)
    assert run.status == "ok", run.audit
    assert max(run.audit.position, run.audit.velocity) < 1e-12
    assert run.audit.rejected < run.audit.steps


@pytest.mark.parametrize("world", [None, WORLDS["turned"]], ids=["drawn", "turned"])
def test_turning_overconstrained_linkage(world):
    # thirteen revolutions of the crank: constraints of all rows, those left out too, stay at round-off all the time
    m = four_bar(False, world, rate=None)
    m.drive("motor", m["O"].angle, "4*t")
    run = da.simulate(m, until=20.0, output=0.05)
    assert run.status == "ok", run.audit
    system = run.system
    for k in range(0, len(run.t), 20):
        e = da.equations(system, da.State(float(run.t[k]), run.q[k], run.v[k], run.angles[k], tuple(system.body_names)))
        assert np.max(np.abs(e.phi)) < 1e-12
        assert np.max(np.abs(e.jac @ run.v[k] - e.nu)) < 1e-11  # at 4 rad/s
    assert run["O"].angle[-1] == pytest.approx(80.0, abs=1e-11)
    assert run.audit.degrees_of_freedom == 0 and len(run.audit.redundant_rows) == 3


def test_long_loop():
    """A ring of 320 bars with parallel hinges, 1605 rows: a planar loop, 318 freedoms and 3 rows too many, whatever its length.

    In a loop this long the pivot of a dependent row is round-off of its neighbours, above any threshold.
    """
    n = 320
    m = da.Mechanism("ring", plane=False, gravity=(0, -9.81, 0))
    corners = [
        (n / 6.28 * math.sin(2 * math.pi * k / (n + 1)), n / 6.28 * math.cos(2 * math.pi * k / (n + 1)), 0.0)
        for k in range(n + 1)
    ]
    before = m.ground
    for k in range(n):
        middle = tuple(0.5 * (a + b) for a, b in zip(corners[k], corners[k + 1]))
        bar = m.body(f"bar {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=middle)
        m.revolute(f"joint {k}", before, bar, at=corners[k], axis=(0, 0, 1))
        before = bar
    m.revolute("last", before, m.ground, at=corners[n], axis=(0, 0, 1))
    run = da.simulate(m, until=0.02, output=[0.0, 0.02])
    assert run.status == "ok"
    assert (run.audit.degrees_of_freedom, len(run.audit.redundant_rows)) == (318, 3)
