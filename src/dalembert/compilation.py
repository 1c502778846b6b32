"""First compilation on a machine: one line that says what is happening and for how long."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import locks

# families of kernels, compiled when they are used first, each with its entries (see warmup.py) and how long it takes
FAMILIES = {
    "mechanisms": (("operate", "project", "integrate"), "about a minute"),
    "lagrangian": (("lagrangian operate", "project", "integrate"), "about half a minute"),
}
# seconds after which a process that waits for another to compile does it by itself
LONGEST_WAIT = 1800.0
_ready: set[str] = set()


@contextlib.contextmanager
def compiling(family: str = "mechanisms") -> Iterator[None]:
    """Compile the kernels before the first use, if their machine code is not on disk yet."""
    if family not in _ready:
        ensure_compiled(family)
        _load(family)
        _ready.add(family)
    yield


def _load(family: str) -> None:
    """Load the machine code now: on first use it would count as time of the run (0.1 s instead of 1 ms)."""
    from .kernels.compiler import COMPILE

    if COMPILE:
        from .warmup import warm

        for entry in FAMILIES[family][0]:
            warm(entry)


def _marker(family: str) -> Path:
    """File that lists the files of a family with their sizes, written when everything of it is compiled for this processor."""
    from .kernels.compiler import cache_folder
    from .kernels.disk import processor
    from .kernels.lagrange.compiler import folder as lagrangian_folder

    folder = lagrangian_folder() if family == "lagrangian" else cache_folder()
    return folder / f"complete-{processor()}"


def is_cached(family: str = "mechanisms") -> bool:
    """Whether machine code of exactly these sources is on disk, none of it missing or cut off."""
    from .kernels.compiler import COMPILE

    return not COMPILE or _state(_marker(family)) == "complete"


def _state(marker: Path) -> str:
    """What a marker says: "complete", "none" where there is none, "damaged" where files of its list have gone or changed their size."""
    try:
        listed = json.loads(marker.read_text(encoding="utf-8"))
        fit = bool(listed) and all((marker.parent / name).stat().st_size == size for name, size in listed.items())
        return "complete" if fit else "damaged"
    except (FileNotFoundError, NotADirectoryError):
        return "damaged" if marker.exists() else "none"
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return "damaged"


def ensure_compiled(family: str = "mechanisms", quiet: bool = False) -> float:
    """Compile all entries of a family once, in two processes, with a progress line; return the seconds it took."""
    from .kernels.compiler import COMPILE
    from .kernels.disk import note

    if not COMPILE or is_cached(family):
        return 0.0
    begun = time.perf_counter()
    marker = _marker(family)
    if _state(marker) == "damaged":
        note(f"files of the cache in {marker.parent} are missing or damaged: compiling what is not whole")
    stop = threading.Event()
    line = threading.Thread(target=_show, args=(begun, stop, quiet, family), daemon=True)
    line.start()
    try:
        with _alone(marker.with_name("compiling"), lambda: _state(marker) == "complete") as writable:
            if _state(marker) != "complete":
                _compile_all(family, marker, writable)
    finally:
        stop.set()
        line.join()
    return time.perf_counter() - begun


def _compile_all(family: str, marker: Path, writable: bool) -> None:
    """All entries, each in a process of its own where its machine code can be kept (`kernels/whole.py` says why)."""
    from .kernels import disk
    from .kernels.compiler import cache_root
    from .warmup import warm

    entries = FAMILIES[family][0]
    environment = dict(os.environ, DALEMBERT_CACHE=str(cache_root()))
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    others: list[subprocess.Popen[bytes]] = []
    try:
        if writable:
            with contextlib.suppress(OSError):  # without them, this process compiles everything, which takes longer
                for entry in entries:
                    command = [sys.executable, "-m", "dalembert.warmup", entry]
                    others.append(subprocess.Popen(command, env=environment, **quiet))
        for other in others:
            other.wait()
    finally:
        for other in others:
            if other.poll() is None:
                other.kill()
                other.wait()
    with rarely_collecting():
        for entry in entries:
            warm(entry)
    # the time loop and the projections, which serve both families, lie with the first of them
    files = {
        os.path.relpath(path, marker.parent): size
        for path, size in disk.in_use.items()
        if path.parent == marker.parent or path.name.startswith(("loop.", "hold."))
    }
    if writable and files and not disk.not_written:
        try:
            disk.write(marker, json.dumps(files).encode())
        except OSError as error:
            disk.not_kept(marker.parent, error)


@contextlib.contextmanager
def rarely_collecting() -> Iterator[None]:
    """Collect garbage less often: the compiler makes a great many objects, and looking through them took a seventh of its time."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextlib.contextmanager
def _alone(lock: Path, done: Callable[[], bool]) -> Iterator[bool]:
    """Let one process compile while the others wait until it is done; yields whether files can be written there.

    The lock saves work, nothing else: files are written whole, whoever writes them.  So it is waited for only as long as its holder can be
    at work; the system takes it from a process that has ended.
    """
    from .kernels.disk import not_kept

    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        number = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        not_kept(lock.parent, error)
        yield False
        return
    try:
        begun = time.monotonic()
        while not locks.take(number) and not done() and time.monotonic() - begun < LONGEST_WAIT:
            time.sleep(0.1)
        yield True
    finally:
        os.close(number)


def _show(begun: float, stop: threading.Event, quiet: bool, family: str) -> None:
    """One line, renewed every second on a terminal, printed once elsewhere."""
    terminal = sys.stderr.isatty()
    what = "kernels" if family == "mechanisms" else "kernels for Lagrangian systems"
    text = f"dalembert: compiling {what}, once for this version ({FAMILIES[family][1]})"
    if quiet:
        return
    if not terminal:
        print(f"{text} …", file=sys.stderr, flush=True)
    while not stop.wait(1.0):
        if terminal:
            print(f"\r{text} … {time.perf_counter() - begun:3.0f} s ", end="", file=sys.stderr, flush=True)
    if terminal:
        print(f"\r{text}: done in {time.perf_counter() - begun:.0f} s ", file=sys.stderr, flush=True)
