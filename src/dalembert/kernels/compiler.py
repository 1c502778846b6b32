"""How kernels become machine code: marks for the translator (`machine/translate.py`), and entries, the few functions that Python calls.

Kernels are plain Python functions.  Called from Python they run as such; an entry is translated with all that it calls, and its machine code is
kept on disk under a hash of *all* kernel sources: any edit gives a new file.

Set DALEMBERT_COMPILE=0 to run everything as plain Python (slow; for debugging and coverage).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from ..machine import disk
from ..machine.entry import Entry, Versions
from ..machine.translate import EXACT, INLINED, SPECIAL
from .layout import PLANE

F = TypeVar("F", bound=Callable[..., Any])

COMPILE = os.environ.get("DALEMBERT_COMPILE", "1") != "0"


def sources() -> str:
    """Hash of all kernel sources."""
    package = Path(__file__).resolve().parent.parent
    return disk.hash_of(package / "kernels", package / "solve" / "stepping", package / "solve" / "status.py")


def kernel(function: F) -> F:
    """A function that other kernels call."""
    return function


def _marked(function: F, *marks: str) -> F:
    function.__marks__ = marks  # type: ignore[attr-defined]
    return function


def inlined(function: F) -> F:
    """A kernel that is written into its callers."""
    return _marked(function, INLINED)


def woven(function: F) -> F:
    """A kernel that is translated anew for numbers that are literals where it is called: unrolled routines need it."""
    return _marked(function, INLINED, SPECIAL)


def exact(function: F) -> F:
    """A kernel whose operations are done as they are written, in that order."""
    return _marked(function, INLINED, EXACT)


def entry(function: F) -> F:
    """A kernel that Python calls; its machine code is kept on disk."""
    return cast("F", Entry(function, sources)) if COMPILE else function


def plane_or_space(function: F) -> F:
    """An entry with a version for the plane and one for space; its loops are short, and vectors would make it longer and slower."""
    return cast("F", Versions(function, sources, "I", PLANE, 2, vectors=False)) if COMPILE else function


def versions(argument: str, field: str, count: int) -> Callable[[F], F]:
    """An entry with a version for each value 0 ... count-1 of a field of an argument, compiled when it is needed first."""

    def made(function: F) -> F:
        return cast("F", Versions(function, sources, argument, field, count, vectors=True)) if COMPILE else function

    return made
