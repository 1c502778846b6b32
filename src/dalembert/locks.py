"""Locks between processes, which end with the process that holds them, however it ends."""

from __future__ import annotations

import contextlib
import os
import sys

# a byte that no file has: where locks keep others from reading, they must not cover what is written
_BEYOND = 1 << 40


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
