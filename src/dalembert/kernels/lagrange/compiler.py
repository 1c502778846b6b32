"""Where the machine code of these kernels is kept: apart from that of mechanisms, so that each is compiled when it is used first."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numba

from ..compiler import COMPILE, FASTMATH, cache_folder


def _folder() -> Path:
    """Cache folder keyed by the sources here and by those of all other kernels."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).resolve().parent.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return cache_folder() / f"lagrange-{digest.hexdigest()[:16]}"


def entry(function: Any) -> Any:
    """Compile a function that Python calls; its machine code is kept on disk."""
    if not COMPILE:
        return function
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(_folder())
    try:
        return numba.njit(fastmath=FASTMATH, error_model="numpy", cache=True)(function)
    finally:
        numba.config.CACHE_DIR = before
