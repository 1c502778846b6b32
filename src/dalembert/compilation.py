"""First compilation on a machine: one line that says what is happening and for how long."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

# families of kernels, for what is compiled ahead of time
FAMILIES = ("mechanisms", "lagrangian")
# seconds after which compiling is worth a line
PATIENCE = 0.3
_TOLD = {"integrate": "the time loop", "operate": "the equations", "run": "programs of formulas"}
_ready = False


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Say it where kernels have to be compiled: each is compiled where it is used first."""
    global _ready
    if not _ready:
        from .kernels.compiler import COMPILE

        if COMPILE:
            from .machine import entry

            entry.progress = _shown
        _ready = True
    yield


def counting_anew() -> contextlib.AbstractContextManager[None]:
    """Machine code of a structure used as if nothing had been computed before: answers inside depend on their own steps alone."""
    from .system.machine import native

    return native.counting_anew()


def entries(family: str, implicit: bool = True) -> list[tuple[Any, tuple[Any, ...]]]:
    """Entries of a family, or of mechanisms in the plane or in space only, each with arguments of the kinds that it takes; with implicit methods or without."""
    from .kernels.hold import project
    from .kernels.through import EXAMPLE
    from .solve.run import examples

    loop = [(project, (0, *EXAMPLE)), *examples(implicit)]
    if family == "lagrangian":
        from .kernels.lagrange.operate import operate as operate_lagrangian
        from .kernels.run import run

        _, integers, numbers, memory, *_ = EXAMPLE
        return [(operate_lagrangian, EXAMPLE), (run, (integers, numbers, memory, 0, 0)), *loop]
    from .kernels.operate import operate

    both: Any = operate
    space, plane = both.versions
    needed = {"plane": [plane], "space": [space]}.get(family, [space, plane])
    return [*((version, EXAMPLE) for version in needed), *loop]


def is_cached(family: str = "mechanisms", implicit: bool = True) -> bool:
    """Whether machine code of exactly these sources is on disk."""
    from .kernels.compiler import COMPILE

    return not COMPILE or all(entry.path(given).exists() for entry, given in entries(family, implicit))


def ensure_compiled(family: str = "mechanisms", quiet: bool = False, implicit: bool = True) -> float:
    """Have all entries of a family ready (or all but those of implicit methods), with a line where they have to be compiled; return the seconds that took, 0 if nothing had to be."""
    from .kernels.compiler import COMPILE
    from .machine import entry

    if not COMPILE:
        return 0.0
    begun, there = time.perf_counter(), is_cached(family, implicit)
    entry.progress = (lambda name: contextlib.nullcontext()) if quiet else _shown
    for one, given in entries(family, implicit):
        one.make(given)
    return 0.0 if there else time.perf_counter() - begun


def target() -> str:
    """Name of the processor that machine code is made for."""
    from .machine.llvm import processor

    return processor()[0]


@contextlib.contextmanager
def _shown(name: str) -> Iterator[None]:
    """While something is compiled: one line, renewed every second on a terminal, printed once elsewhere."""
    stop = threading.Event()
    line = threading.Thread(target=_show, args=(time.perf_counter(), stop, _TOLD.get(name, name)), daemon=True)
    line.start()
    try:
        yield
    finally:
        stop.set()
        line.join()


def _show(begun: float, stop: threading.Event, what: str) -> None:
    terminal, text = sys.stderr.isatty(), f"dalembert: compiling {what}, once for this version (some seconds)"
    if stop.wait(PATIENCE):
        return
    if not terminal:
        print(f"{text} …", file=sys.stderr, flush=True)
    while not stop.wait(1.0):
        if terminal:
            print(f"\r{text} … {time.perf_counter() - begun:3.0f} s ", end="", file=sys.stderr, flush=True)
    if terminal:
        print(f"\r{text}: done in {time.perf_counter() - begun:.0f} s ", file=sys.stderr, flush=True)
