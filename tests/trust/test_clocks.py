"""No clock decides an answer: a busy machine is slow, and otherwise the same."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.solve import run as solve_run

PACKAGE = Path(da.__file__).parent
# who may look at a clock, and what for
CLOCKS = {
    "compilation.py": "progress line",
    "locks.py": "how long to wait for another process that does the same work",
    "progress.py": "progress line",
    "cli/shared/job.py": "seconds of the work, reported",
    "analyses/driven/motion.py": "seconds of the work, reported",
    "analyses/kinematics.py": "seconds of the work, reported",
    "sweeps/case.py": "seconds of the work, reported",
    "sweeps/workers.py": "when other processes are asked to help; cases are the same wherever they run",
    "solve/run.py": "how many steps are made between looks at the keyboard",
    "studio/sessions.py": "when a page is gone",
    "studio/tasks.py": "milliseconds of the work, reported",
}


def test_clocks_are_known():
    looks = re.compile(r"^\s*(import|from) (time|timeit|datetime)\b", re.MULTILINE)
    files = [path for path in PACKAGE.rglob("*.py") if looks.search(path.read_text(encoding="utf-8"))]
    found = {path.relative_to(PACKAGE).as_posix() for path in files}
    assert found == set(CLOCKS)


# of a machine that is fast beyond measure, and of one that stands still for minutes between any two lines
CLOCKS_OF = {"hardly moves": 1e-9, "jumps by minutes": 300.0}


@pytest.fixture
def clocks(monkeypatch):
    """Goes through the clocks, one after the other."""

    def one_by_one() -> Iterator[str]:
        for name, step in CLOCKS_OF.items():
            ticks = itertools.count(1e6, step)
            with monkeypatch.context() as patch:
                for function in ("perf_counter", "monotonic", "time", "process_time"):
                    patch.setattr(time, function, lambda ticks=ticks: next(ticks))
                yield name

    return one_by_one


def test_integrals_are_found_whatever_the_clock(clocks):
    """After six seconds the search ended, and with it the answer."""
    pytest.importorskip("sympy")
    for clock in clocks():
        found = da.classify(["(2*x*y + z)*rate(x) + x**2*rate(y) + x*rate(z)"], ("x", "y", "z"), method="symbolic")
        assert found.verdict == "holonomic" and [str(i) for i in found.integrals] == ["x*(z + x*y) = const"], clock


def test_a_search_ends_after_so_much_work(monkeypatch):
    pytest.importorskip("sympy")
    from dalembert.symbolic import integrals

    rows = ["(2*x*y + z)*rate(x) + x**2*rate(y) + x*rate(z)"]
    monkeypatch.setattr(integrals, "MOST_WORK", 10)
    found = da.classify(rows, ("x", "y", "z"), method="symbolic")
    # counted all the same, by rank; only the formula is missing, and that is told
    assert found.verdict == "holonomic" and found.n_integrals == 1 and not found.integrals


def pendulums() -> da.Mechanism:
    m = da.Mechanism("two pendulums", plane=True, gravity=(0, -9.81))
    upper = m.body("upper", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    lower = m.body("lower", da.rod(length=1.0, mass=1.0), at=(1.5, 0))
    m.revolute("A", m.ground, upper, at=(0, 0))
    m.revolute("B", upper, lower, at=(1, 0))
    return m


def test_motion_whatever_the_clock(clocks):
    """Steps are made in portions measured by the clock.  A chaotic motion is the same to the last bit or not at all: it must not see them."""
    found = []
    for _ in clocks():
        run = da.simulate(pendulums(), until=10.0, output=0.1, progress=False)
        found.append(np.concatenate([np.asarray(run.q), np.asarray(run.v), np.asarray(run.lam)], axis=1))
    assert np.array_equal(*found)


def test_a_run_without_progress_ends_at_the_same_step_whatever_the_clock(clocks, monkeypatch):
    """Whether a run goes forward fast enough was judged wherever a portion of steps happened to end."""
    monkeypatch.setattr(solve_run, "WATCHED", 300)
    monkeypatch.setattr(solve_run, "ENDLESS", 1e4)  # 300 steps in the first 3 % of the way are too many
    found = []
    for _ in clocks():
        with pytest.raises(da.ConvergenceError) as told:
            da.simulate(pendulums(), until=1000.0, output=100.0, rtol=1e-10, progress=False)
        kept = told.value.result.trace.kept
        found.append((len(kept.t) - 1, float(kept.t[-1])))
    assert found[0] == found[1] and found[0][0] == 300
