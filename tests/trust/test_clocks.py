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
from dalembert.system.machine import native

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


def bouncing_block() -> da.Mechanism:
    """A block on a spring that bounces off a stop, sticks and slips on its way, and closes a soft stop at the other end."""
    m = da.Mechanism("block", gravity=(0, -9.81))
    body = m.body("block", da.block(0.1, 0.1, mass=1.0), at=(0, 0))
    m.prismatic("P", m.ground, body, at=(0, 0), along=(1, 0))
    m.actuator("pull", "P.slide", force="30*sin(7*t) - 40*s")
    m.friction("rub", "P", mu=0.2)
    m.impact("hard", "P.slide + 0.25", restitution=0.6)
    m.stop("soft", on="P.slide", upper=0.2, stiffness=1e4)
    m.event("middle", "P.slide")
    return m


def elastic() -> da.Lagrangian:
    m = da.Lagrangian("r a", "(rate(r)**2 + r**2*rate(a)**2)/2", "50*(r - 1)**2 - 9.81*r*cos(a) + max(0, a)**2")
    m.start("r", 1.2)
    m.start("a", 1.0)
    return m


# several methods, parts of a run, switches of laws, both kinds of models
MOTIONS = {
    "pendulums": (pendulums, {}), "friction and stops": (bouncing_block, {}), "energies": (elastic, {}), "radau": (pendulums, {"method": "radau"}),
    "generalized alpha": (pendulums, {"method": "generalized_alpha", "rtol": 1e-6}), "variational": (pendulums, {"method": "variational", "step": 0.01}),
    "stiff by steps": (bouncing_block, {"method": "radau5"}),
}  # fmt: skip


@pytest.mark.parametrize("motion", MOTIONS)
def test_motion_whatever_the_clock(clocks, monkeypatch, motion):
    """Steps are made in portions measured by the clock.  A chaotic motion is the same to the last bit or not at all: it must not see them.

    Machine code of the structure rounds otherwise: it takes over at the same step.
    """
    build, options = MOTIONS[motion]
    monkeypatch.delenv("DALEMBERT_NATIVE", raising=False)
    monkeypatch.setattr(native, "LOOKED_AT", 60)
    monkeypatch.setattr(native, "PAYS", 0)
    found = []
    for _ in clocks():
        monkeypatch.setattr(native, "_known", {})
        with native.counting_anew():
            run = da.simulate(build(), until=10.0, output=0.1, progress=False, audit=False, **options)
        found.append(np.concatenate([run.t[:, None], *(np.asarray(x) for x in (run.q, run.v, run.lam))], axis=1))
    assert np.array_equal(*found)
    # friction that sticks is asked of the generic kernels
    assert build is bouncing_block or any(code._address is not None for code in native._known.values())


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
