"""The entry that Python calls to run a single program."""

from __future__ import annotations

from .compiler import entry
from .program import perform_code


@entry
def run(I, P, F, first, out):
    """Run the program that stands at the end of I; its registers begin at `out`."""
    perform_code(I, P, F, first, I.shape[0], out)
