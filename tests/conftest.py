"""What all tests need: Ctrl-C as in a terminal, and runs that do not depend on what is on disk.

A shell starts its background jobs with the keyboard ignored, and so do they their children: tests of Ctrl-C would wait for ever.

Machine code of a structure rounds otherwise than the kernels, and is used where it lies on disk: only tests that ask for it use it, and
`make test` for those of the sources.
"""

import contextlib
import os
import signal

os.environ.setdefault("DALEMBERT_NATIVE", "0")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    with contextlib.suppress(ValueError):  # outside the main thread nothing can be changed
        signal.signal(signal.SIGINT, signal.default_int_handler)
