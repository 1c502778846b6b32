"""Locks between processes, which end with the process that holds them, however it ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

# a byte that no file has: where locks keep others from reading, they must not cover what is written
_BEYOND = 1 << 40
# seconds after which a process that waits for another does the work by itself
LONGEST_WAIT = 600.0


@contextlib.contextmanager
def alone(lock: Path, done: Callable[[], bool]) -> Iterator[None]:
    """Let one process work while the others wait until it is done.

    The lock saves work, nothing else: what is written is written whole, whoever writes it.  So it is waited for only as long as its holder can be
    at work; the system takes it from a process that has ended.
    """
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        number = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        yield  # nothing can be written there, which is told where it is tried
        return
    try:
        begun = time.monotonic()
        while not take(number) and not done() and time.monotonic() - begun < LONGEST_WAIT:
            time.sleep(0.05)
        yield
    finally:
        os.close(number)


def take(number: int) -> bool:
    """Lock an open file (its number); False where someone else holds it.

    The system gives the lock back when the file is closed or its process is gone, so that nothing is left to be found stale.  On file
    systems without locks (some of a network) everybody gets one.
    """
    if sys.platform == "win32":
        import msvcrt

        place = os.lseek(number, 0, os.SEEK_CUR)
        try:
            os.lseek(number, _BEYOND, os.SEEK_SET)
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            with contextlib.suppress(OSError):
                os.lseek(number, place, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
