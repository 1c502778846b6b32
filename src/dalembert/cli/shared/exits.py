"""Exit codes.  docs/command-line.md lists them; programs may rely on them."""

from __future__ import annotations

from ...errors import MethodError, ModelError

OK = 0
DOUBTFUL = 1  # it ran, and the answer is no: failed audit, something for the doctor, formulations that disagree
USAGE = 2  # wrong command, option or value on the command line
MODEL = 3  # the model file, or the model in it, is wrong
FAILED = 4  # the analysis cannot be done: no assembly, a singular position, no convergence
FILES = 5  # something cannot be read or written, or is there already
BUG = 70  # an error that this package should not have made
INTERRUPTED = 130  # Ctrl-C; what was computed until then is kept
# of an answer, in words
STATUS = {OK: "ok", DOUBTFUL: "doubtful", INTERRUPTED: "interrupted"}


def code_of(error: BaseException) -> int:
    """Exit code of an error."""
    from .failures import WrongUse

    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, WrongUse):
        return USAGE
    if isinstance(error, OSError):
        return FILES
    if isinstance(error, MethodError):
        # files that cannot be read or written are told as wrong options of a method; the system's own error is behind them
        return FILES if isinstance(error.__cause__ or error.__context__, OSError) else FAILED
    return MODEL if isinstance(error, ModelError) else FAILED
