"""First compilation on a machine: one line that says what is happening and for how long."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

# families of kernels, compiled when they are used first, and how long that takes
FAMILIES = {"mechanisms": "some ten seconds", "lagrangian": "some seconds"}
_ready: set[str] = set()


@contextlib.contextmanager
def compiling(family: str = "mechanisms") -> Iterator[None]:
    """Have the kernels of a family ready: from disk, or compiled now."""
    if family not in _ready:
        ensure_compiled(family)
        _ready.add(family)
    yield


def entries(family: str) -> list[tuple[Any, tuple[Any, ...]]]:
    """Entries of a family, each with arguments of the kinds that it takes."""
    from .kernels.hold import project
    from .kernels.through import EXAMPLE
    from .solve.run import example

    if family == "mechanisms":
        from .kernels.operate import operate

        return [(operate, EXAMPLE), (project, (0, *EXAMPLE)), example()]
    from .kernels.lagrange.operate import operate as operate_lagrangian
    from .kernels.lagrange.run import run

    _, integers, numbers, memory, *_ = EXAMPLE
    one = (run, (integers, numbers, memory, 0, 0))
    return [(operate_lagrangian, EXAMPLE), one, (project, (0, *EXAMPLE)), example()]


def is_cached(family: str = "mechanisms") -> bool:
    """Whether machine code of exactly these sources is on disk."""
    from .kernels.compiler import COMPILE

    return not COMPILE or all(entry.path(given).exists() for entry, given in entries(family))


def ensure_compiled(family: str = "mechanisms", quiet: bool = False) -> float:
    """Have all entries of a family ready, with a line where they have to be compiled; return the seconds that took, 0 if nothing had to be."""
    from .kernels.compiler import COMPILE

    if not COMPILE:
        return 0.0
    begun, there = time.perf_counter(), is_cached(family)
    stop = threading.Event()
    line = threading.Thread(target=_show, args=(begun, stop, family), daemon=True)
    if not there and not quiet:
        line.start()
    try:
        for entry, given in entries(family):
            entry.make(given)
    finally:
        stop.set()
        if line.is_alive():
            line.join()
    return 0.0 if there else time.perf_counter() - begun


def _show(begun: float, stop: threading.Event, family: str) -> None:
    """One line, renewed every second on a terminal, printed once elsewhere."""
    terminal = sys.stderr.isatty()
    what = "kernels" if family == "mechanisms" else "kernels for Lagrangian systems"
    text = f"dalembert: compiling {what}, once for this version ({FAMILIES[family]})"
    if not terminal:
        print(f"{text} …", file=sys.stderr, flush=True)
    while not stop.wait(1.0):
        if terminal:
            print(f"\r{text} … {time.perf_counter() - begun:3.0f} s ", end="", file=sys.stderr, flush=True)
    if terminal:
        print(f"\r{text}: done in {time.perf_counter() - begun:.0f} s ", file=sys.stderr, flush=True)
