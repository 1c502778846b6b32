"""Sessions: every open page has a text, and a process that computes for it alone."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

# seconds without a word from a page after which its session ends; an open page says something every second, one in the background every minute
IDLE = 180.0
# pages at a time; each has a process with about 200 MB
MOST = 12
# seconds that a run has to stop by itself and show what it has before its process is ended; 200 000 outputs take eight
PATIENCE = 15.0
# the same for a run that nobody wants any more, and how often it is asked
HURRY, AGAIN = 3.0, 0.2


class Worker:
    """A process that answers one request at a time."""

    def __init__(self) -> None:
        package = str(Path(__file__).parents[2])
        before = os.environ.get("PYTHONPATH", "")
        # nothing in the folder that the user works in is taken for a module
        known = {"PYTHONPATH": package + (os.pathsep + before if before else ""), "PYTHONSAFEPATH": "1"}
        environment = {**os.environ, **known, "PYTHONIOENCODING": "utf-8"}
        # Ctrl-C in the terminal is for the server, which ends its workers in order
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dalembert.studio.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment, text=True, encoding="utf-8", start_new_session=True,
        )  # fmt: skip

    def ask(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """Answer, or None if the process ended instead."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except (OSError, ValueError):
            return None
        if not line.endswith("\n"):
            return None
        answer: dict[str, Any] = json.loads(line)
        return answer

    def interrupt(self) -> None:
        """Ask the run to stop; what it computed so far is its answer."""
        with contextlib.suppress(OSError):
            if os.name == "posix":
                self.process.send_signal(signal.SIGINT)
            else:
                self.process.kill()

    def end(self) -> None:
        """End the process now."""
        with contextlib.suppress(OSError):
            self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5.0)
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError, ValueError):
                if pipe is not None:
                    pipe.close()


class Session:
    """One open page."""

    def __init__(self, pool: Sessions, text: str, suffix: str, file: str, folder: str) -> None:
        self.pool, self.id = pool, secrets.token_urlsafe(12)
        self.text, self.suffix, self.file, self.folder = text, suffix, file, folder
        self.seen = time.monotonic()
        self.worker: Worker | None = None
        self.runs = 0
        self.ticket = 0.0  # number that the page gave to the run under way
        # held while the run under way is changed or interrupted: a signal never reaches the next one
        self._signal = threading.Lock()
        self._turn = threading.Lock()  # held by the request that is being answered
        self._newest = 0
        self._stopped = False
        self._ended = False

    def ask(self, request: dict[str, Any], newest_wins: bool = False, ticket: float = 0.0) -> dict[str, Any]:
        """Answer of the worker.  With `newest_wins` a request that a later one overtook while it waited is dropped."""
        self._newest += newest_wins
        mine = self._newest
        with self._turn:
            if newest_wins and mine != self._newest:
                return {"stale": True}
            with self._signal:
                self._stopped = False
                self.runs += 1
                self.ticket = ticket
            answer = self._asked(request)
            if answer is not None:
                return answer
            self._drop()
            if self._stopped:
                return {"stopped": True}
            why = "it crashed, or the system ended it for lack of memory; the studio and other pages go on"
            do = "run again; if it happens again with the same file, please report it"
            return fault("its process ended without an answer", why, do)

    def _asked(self, request: dict[str, Any]) -> dict[str, Any] | None:
        if self._ended:
            return {"gone": True}
        if self.worker is None:
            self.worker = self.pool.take()
            if request["verb"] != "edit" and self.worker.ask(self._edit()) is None:
                return None
        return self.worker.ask(request)

    def _edit(self) -> dict[str, Any]:
        return {"verb": "edit", "text": self.text, "suffix": self.suffix, "file": self.file, "folder": self.folder}

    def edit(self, text: str) -> dict[str, Any]:
        """Read another text."""
        self.text = text
        return self.ask(self._edit())

    def stop(self, ticket: float | None = None) -> bool:
        """Stop the run under way, if there is one: by asking, and after a while, or when asked again, by ending its process.

        With a ticket only the run that has it, of which nothing is wanted any more: it is not asked for what it has.
        """
        worker, run = self.worker, self.runs
        if worker is None or not self._turn.locked() or ticket not in (None, self.ticket):
            return False
        if self._stopped:
            if ticket is None:
                worker.end()
            return True
        self._stopped = True
        threading.Thread(target=self._insist, args=(worker, run, ticket is not None), daemon=True).start()
        return True

    def _insist(self, worker: Worker, run: int, drop: bool) -> None:
        """Interrupt a run; again and again where nothing of it is wanted, since the first time it only begins to show what it has."""
        end = time.monotonic() + (HURRY if drop else PATIENCE)
        asked = False
        while time.monotonic() < end:
            with self._signal:
                if not self._turn.locked() or self.runs != run or self.worker is not worker:
                    return
                if drop or not asked:
                    worker.interrupt()
                    asked = True
            time.sleep(AGAIN)
        with self._signal:
            if self._turn.locked() and self.runs == run and self.worker is worker:
                worker.end()

    def end(self) -> None:
        """End the session and its process."""
        self._ended = True
        self._drop()

    def _drop(self) -> None:
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.end()


class Sessions:
    """All open pages, and one process ready for the next."""

    def __init__(self, idle: float = IDLE, most: int = MOST) -> None:
        self.idle, self.most = idle, most
        self.open: dict[str, Session] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._spare: Worker | None = Worker()
        threading.Thread(target=self._sweep, daemon=True).start()

    def new(self, text: str, suffix: str, file: str, folder: str = "") -> Session | None:
        """A new session; None where there are too many that are in use."""
        with self._lock:
            if len(self.open) >= self.most:
                oldest = min(self.open.values(), key=lambda s: s.seen)
                if time.monotonic() - oldest.seen < 60.0:
                    return None
                self.open.pop(oldest.id).end()
            made = Session(self, text, suffix, file, folder)
            self.open[made.id] = made
            return made

    def find(self, name: Any) -> Session | None:
        """Session by its name; being asked for keeps it."""
        found = self.open.get(name) if isinstance(name, str) else None
        if found is not None:
            found.seen = time.monotonic()
        return found

    def end(self, name: str) -> None:
        """End a session."""
        with self._lock:
            found = self.open.pop(name, None)
        if found is not None:
            found.end()

    def take(self) -> Worker:
        """A process that is ready, or about to be; the next one is started."""
        with self._lock:
            taken, self._spare = self._spare, None
            if not self._closed.is_set():
                self._spare = Worker()
        return taken if taken is not None and taken.process.poll() is None else Worker()

    def _sweep(self) -> None:
        while not self._closed.wait(min(5.0, self.idle / 4.0)):
            now = time.monotonic()
            for session in list(self.open.values()):
                if now - session.seen > self.idle:
                    self.end(session.id)

    def close(self) -> None:
        """End everything."""
        self._closed.set()
        with self._lock:
            sessions, self.open = list(self.open.values()), {}
            spare, self._spare = self._spare, None
        for session in sessions:
            session.end()
        if spare is not None:
            spare.end()


def fault(found: str, why: str, do: str) -> dict[str, Any]:
    """Answer of a run that has none."""
    return {"error": {"kind": "Error", "asked": "this run", "found": found, "why": why, "do": do, "lines": []}}
