"""What all tests need: Ctrl-C as in a terminal.

A shell starts its background jobs with the keyboard ignored, and so do they their children: tests of Ctrl-C would wait for ever.
"""

import contextlib
import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    with contextlib.suppress(ValueError):  # outside the main thread nothing can be changed
        signal.signal(signal.SIGINT, signal.default_int_handler)
