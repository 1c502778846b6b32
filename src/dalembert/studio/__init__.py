"""The studio: the page of a result, live (docs/studio.md).

studio.py      da.studio(file)
source.py      the file that is open, whether someone else changed it, and how it is saved
server.py      requests: who may ask, what is known
sessions.py    one session for each open page, its worker process
worker.py      the process that computes: requests by lines of JSON
tasks.py       what a worker can do: read, run, drag, write
drag.py        a mechanism that follows the hand
fields.py      options of an analysis as fields
parameters.py  ranges of sliders, other values in the text of a file
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """`da.studio(file)` also after something imported this folder, which then stands under the same name."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        from .studio import studio

        return studio(*args, **options)


sys.modules[__name__].__class__ = _Callable
