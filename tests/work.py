"""Work, counted: what a test may say about cost without looking at a clock."""

from __future__ import annotations

import cProfile
import tracemalloc
from collections.abc import Callable
from typing import Any


def calls(function: Callable[[], Any]) -> int:
    """Calls of functions, of Python and of C, that a call makes: the same on every machine, however busy."""
    profile = cProfile.Profile()
    profile.runcall(function)
    return sum(entry.callcount for entry in profile.getstats())


def growth(function: Callable[[], Any], times: int) -> int:
    """Bytes of memory by which Python grows while a function is called many times, after a tenth as many calls."""
    tracemalloc.start()
    for _ in range(times // 10):
        function()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(times):
        function()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    return grown
