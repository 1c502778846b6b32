"""The process that computes for one page: a request is a line of JSON, and so is its answer.

The server ends a worker that does not stop when asked, and starts another one when one crashed: nothing that happens here reaches other pages.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback
from queue import SimpleQueue
from typing import Any

from .sessions import fault


def main() -> None:
    """Answer requests until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # answers have a channel of their own: what a library prints does not mix with them
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    from .tasks import Tasks

    tasks = Tasks()
    _warm()
    while True:
        reply = _answered(tasks, json.loads(requests.get()))
        answers.write(json.dumps(reply, allow_nan=False) + "\n")
        answers.flush()


def _listen(requests: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    # the server is gone
    os._exit(0)


def _answered(tasks: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Answer, also to what was stopped or failed without a reason of its own."""
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return _finite(tasks.answer(request))
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        return {"stopped": True}
    except MemoryError:
        return fault("not enough memory", "the model or its result is too large", "ask for fewer outputs")
    except Exception as error:
        traceback.print_exc()
        why = "this is a fault of the program, not of the file"
        return fault(f"{type(error).__name__}: {error}", why, "please report it with the file")


def _finite(reply: dict[str, Any]) -> dict[str, Any]:
    from ..viewer.packing import short

    # numbers rounded as in every page; what is not finite becomes null
    return {**reply, **({"data": short(reply["data"])} if "data" in reply else {})}


def _warm() -> None:
    """Load what a run needs, so that the first one of a new page does not wait for it."""
    from ..analyses.simulate import simulate
    from ..model.mechanism import Mechanism
    from ..model.shapes import rod
    from ..viewer import page  # noqa: F401

    m: Any = Mechanism("warm", plane=True)
    bar = m.body("bar", rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("A", m.ground, bar, at=(0, 0))
    simulate(m, until=0.01, progress=False)


if __name__ == "__main__":
    main()
