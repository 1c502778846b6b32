"""Ctrl-C during a run."""

from __future__ import annotations

import signal
import threading
from typing import Any


class StopRequest:
    """Ctrl-C during a run: noted, and obeyed when the compiled loop comes back.

    Raised at any instant, it may be lost inside the machinery that enters compiled code (seen once).  A second
    Ctrl-C is raised as usual.  Outside the main thread, or with a handler of the user's own, nothing is changed.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def __enter__(self) -> StopRequest:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: Any) -> None:
        if self.came:
            raise KeyboardInterrupt
        self.came = True

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
