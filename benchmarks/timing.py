"""How things are timed: contenders take turns, the best round counts, and errors are reached rather than assumed.

Cores are shared and clocks change, so a ratio is only fair between runs taken in turn in one process.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.andrews_reference import angle_error

Repeat = Callable[[int], None]  # repeat(times): one evaluation, so many times
Solve = Callable[[], np.ndarray]  # one whole run, giving the angles at its end


def race(contenders: dict[str, Repeat], rounds: int = 7, round_seconds: float = 0.02) -> dict[str, float]:
    """Seconds of one evaluation of each contender: best of several rounds in which they take turns."""
    times = {}
    for name, repeat in contenders.items():
        repeat(1)  # compile, allocate, warm the caches
        times[name] = 1
        while (elapsed := _clock(repeat, times[name])) < 0.25 * round_seconds:
            times[name] = max(2 * times[name], int(times[name] * 0.5 * round_seconds / max(elapsed, 1e-7)))
    best = dict.fromkeys(contenders, math.inf)
    for _ in range(rounds):
        for name, repeat in contenders.items():
            best[name] = min(best[name], _clock(repeat, times[name]) / times[name])
    return best


def _clock(repeat: Repeat, times: int) -> float:
    begin = time.perf_counter()
    repeat(times)
    return time.perf_counter() - begin


@dataclass(frozen=True)
class Reached:
    """The loosest tolerance that reaches an error safely."""

    tolerance: float
    error: float
    solve: Solve

    def repeat(self, times: int) -> None:
        """Run it so many times."""
        for _ in range(times):
            self.solve()


# Quarter decades: a step of the grid is some 7 per cent of the time, so nobody loses more than that by it.
TOLERANCES = tuple(10.0 ** (-0.25 * k) for k in range(16, 49))


def reach(prepare: Callable[[float], Solve], target: float, tolerances: Sequence[float] = TOLERANCES) -> Reached:
    """Find the loosest tolerance from which on it and the next two tighter ones reach the target [rad].

    Two more, because an error can pass through zero by luck at one tolerance.
    """
    run: list[Reached] = []
    for tolerance in tolerances:
        solve = prepare(tolerance)
        run.append(Reached(tolerance, angle_error(solve()), solve))
        if len(run) >= 3 and all(each.error <= target for each in run[-3:]):
            return run[-3]
    errors = ", ".join(f"{each.tolerance:.0e}: {each.error:.0e}" for each in run)
    raise RuntimeError(f"no tolerance reaches an error of {target:g} rad ({errors})")


@dataclass(frozen=True)
class Child:
    """What a Python process took."""

    wall: float  # [s]
    cpu: float  # [s], user and system
    peak_memory: int  # [bytes] resident


def child(code: str, **environment: str) -> Child:
    """Run code in a new Python and measure it.  POSIX only.

    PYTHONDONTWRITEBYTECODE is cleared: with it every import compiles its sources again and takes several times as long.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | environment
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", code], env=env)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"exit status {process.returncode} from: {code}")
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss
    return Child(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit)
