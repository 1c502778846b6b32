"""Where the machine code of these kernels is kept: apart from that of mechanisms, so that each is compiled when it is used first."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ..compiler import COMPILE, cache_folder, kept_in


def folder() -> Path:
    """Cache folder keyed by the sources here and by those of all other kernels."""
    digest, here = hashlib.sha256(), Path(__file__).resolve().parent
    for path in sorted(here.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return cache_folder() / f"lagrange-{digest.hexdigest()[:16]}"


def entry(function: Any) -> Any:
    """Compile a function that Python calls; its machine code is kept on disk."""
    return kept_in(folder(), function) if COMPILE else function
