"""How kernels are compiled and where the machine code is kept.

Two decorators: `kernel` for functions called by other kernels, `entry` for the few functions that Python calls.
Only entries are kept on disk (see disk.py), in a folder that carries a hash of *all* kernel sources: any edit gives a new folder.

Set DALEMBERT_COMPILE=0 to run everything as plain Python (slow; for debugging and coverage).
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

from .disk import MachineCode
from .whole import entries

F = TypeVar("F", bound=Callable[..., Any])

COMPILE = os.environ.get("DALEMBERT_COMPILE", "1") != "0" and not numba.config.DISABLE_JIT

# Kernels allocate nothing and keep nothing, so arrays need no reference counts: atomic counters were half of the time of the loop (`_nrt`).
# Reassociation and fused multiply-add are welcome; NaN and infinity keep their meaning (no 'nnan', 'ninf').
OPTIONS: dict[str, Any] = {
    "error_model": "numpy", "_nrt": False, "fastmath": {"contract", "arcp", "nsz", "reassoc"},
}  # fmt: skip


def _source_hash() -> str:
    """Hash of every kernel source, of the compiler and of Python: the key of the disk cache."""
    digest = hashlib.sha256()
    package = Path(__file__).resolve().parent.parent
    for path in [
        *sorted((package / "kernels").glob("*.py")),
        package / "solve" / "loop.py",
        package / "solve" / "status.py",
    ]:
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    digest.update(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Folder of all cached kernels: DALEMBERT_CACHE, else the user's cache folder, else the temporary folder."""
    chosen = os.environ.get("DALEMBERT_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        root = (Path(base) if base else Path.home() / ".cache") / "dalembert"
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    except (OSError, RuntimeError):
        pass
    return _temporary_root()


@cache
def _temporary_root() -> Path:
    """Folder of this user in the temporary folder, where others may write too: what they put there must not be run."""
    user = os.getuid() if hasattr(os, "getuid") else None
    root = Path(tempfile.gettempdir()) / f"dalembert-cache-{'user' if user is None else user}"
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = root.lstat()
        if user is None or (stat.S_ISDIR(about.st_mode) and about.st_uid == user and not about.st_mode & 0o022):
            return root
        return Path(tempfile.mkdtemp(prefix="dalembert-cache-"))
    except OSError:
        return root  # nothing can be kept there, which is told where it is tried


def cache_folder() -> Path:
    """Folder of the machine code of exactly these sources."""
    return cache_root() / _source_hash()


_CACHE_FOLDER = cache_folder() if COMPILE else None


def kernel(function: F) -> F:
    """Compile a function that other kernels call."""
    if not COMPILE:
        return function
    return numba.njit(**OPTIONS)(function)  # type: ignore[no-any-return]


def inlined(function: F) -> F:
    """Compile a function into its callers: a call would cost more than small functions do (an array is seven arguments)."""
    if not COMPILE:
        return function
    return numba.njit(**OPTIONS, forceinline=True)(function)  # type: ignore[no-any-return]


def woven(function: F) -> F:
    """Write a function into its callers before they are compiled, so that what is a literal there is one here: unrolled routines need it."""
    if not COMPILE:
        return function
    return numba.njit(**OPTIONS, inline="always")(function)  # type: ignore[no-any-return]


def entry(function: F) -> F:
    """Compile a function that Python calls; its machine code is kept on disk."""
    return kept_in(_CACHE_FOLDER, function) if _CACHE_FOLDER is not None else function


def kept_in(folder: Path, function: F) -> F:
    """Compile a function and keep its machine code in a folder."""
    compiled = numba.njit(**OPTIONS)(function)
    compiled._cache = MachineCode(function, folder)
    entries.add(function.__qualname__)
    return compiled  # type: ignore[no-any-return]
