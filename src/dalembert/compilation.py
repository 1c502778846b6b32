"""First compilation on a machine: one line that says what is happening and for how long."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

# families of kernels, compiled when they are used first, each with its entries (see warmup.py) and how long it takes
FAMILIES = {
    "mechanisms": (("integrate", "operate"), "about a minute"),
    "lagrangian": (("lagrangian integrate", "lagrangian operate"), "about half a minute"),
}
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
    """Load the machine code of the time loop now: on first use it would count as time of the run (0.1 s instead of 1 ms)."""
    from .kernels.compiler import COMPILE

    if COMPILE:
        from .warmup import warm

        warm(FAMILIES[family][0][0])


def _marker(family: str) -> Path:
    """File that says that everything of a family is compiled.

    numba looks machine code up by the path and the time stamp of the entry's file, so a copy of the package, or files written
    anew, need a marker of their own.
    """
    from .kernels.compiler import cache_folder

    here = Path(__file__).resolve().parent
    entries = [here / "kernels" / "operate.py", here / "solve" / "loop.py"]
    if family == "lagrangian":
        entries += [here / "solve" / "lagrange.py", *sorted((here / "kernels" / "lagrange").glob("*.py"))]
    key = hashlib.sha256(repr([(str(path), path.stat().st_mtime_ns) for path in entries]).encode()).hexdigest()[:12]
    return cache_folder() / f"complete-{key}"


def is_cached(family: str = "mechanisms") -> bool:
    """Whether machine code of exactly these sources is on disk."""
    from .kernels.compiler import COMPILE

    return not COMPILE or _marker(family).exists()


def ensure_compiled(family: str = "mechanisms", quiet: bool = False) -> float:
    """Compile all entries of a family once, in two processes, with a progress line; return the seconds it took."""
    from .kernels.compiler import COMPILE, cache_folder

    if not COMPILE or is_cached(family):
        return 0.0
    begun = time.perf_counter()
    stop = threading.Event()
    line = threading.Thread(target=_show, args=(begun, stop, quiet, family), daemon=True)
    line.start()
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with _alone(folder / f"compiling-{family}", family) as first:
            if first and not is_cached(family):
                _compile_all(folder, family)
    finally:
        stop.set()
        line.join()
    return time.perf_counter() - begun


def _compile_all(folder: Path, family: str) -> None:
    """Both entries, one of them in a second process."""
    from .warmup import warm

    here, there = FAMILIES[family][0]
    environment = dict(os.environ, DALEMBERT_CACHE=str(folder.parent))
    command = [sys.executable, "-m", "dalembert.warmup", there]
    other = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with rarely_collecting():
        warm(here)
    other.wait()
    warm(there)
    _marker(family).touch()


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
def _alone(lock: Path, family: str) -> Iterator[bool]:
    """Let one process compile while the others wait for it; a lock older than ten minutes is a leftover and is ignored."""
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            with contextlib.suppress(FileNotFoundError):
                if time.time() - lock.stat().st_mtime > 600.0:
                    lock.unlink(missing_ok=True)
        except OSError:
            # a folder that cannot be written: compile for this process only
            yield True
            return
        if is_cached(family):
            yield False
            return
        time.sleep(0.2)
    try:
        yield True
    finally:
        lock.unlink(missing_ok=True)


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
