"""Progress of long work: a bar on a terminal, nothing elsewhere, nothing for what takes less than a second."""

from __future__ import annotations

import sys
import time


class Progress:
    """Called with the current value; draws at most ten times a second, after the first second."""

    def __init__(self, what: str, first: float, last: float, force: bool = False) -> None:
        self.what, self.first, self.last = what, first, last
        self.begun = self.drawn = time.perf_counter()
        self.shown = False
        self.active = force or sys.stderr.isatty()

    def __call__(self, value: float) -> None:
        """Draw the bar for the current value."""
        now = time.perf_counter()
        if not self.active or now - self.begun < 1.0 or now - self.drawn < 0.1:
            return
        self.drawn, self.shown = now, True
        done = min(1.0, max(0.0, (value - self.first) / (self.last - self.first)))
        left = (now - self.begun) * (1.0 - done) / done if done > 0.0 else float("inf")
        bar = "#" * int(30 * done) + "-" * (30 - int(30 * done))
        time_left = f"{left:.0f} s left" if left < 1e6 else "time left unknown"
        print(f"\r{self.what} [{bar}] {100 * done:3.0f} %  {time_left}   ", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """End the line."""
        if self.shown:
            print(file=sys.stderr)
