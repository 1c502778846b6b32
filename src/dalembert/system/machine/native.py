"""Machine code of one structure: when it is made, where it is kept, and why it is used or not.

Compiling takes about as long as twenty steps per operation; so a structure is compiled when its runs have made that many, and kept on disk for
all later processes.  The key is the structure (integers, and numbers that are 0 or 1), never the other numbers.  Models whose code would
be larger than LARGEST keep the generic kernels: straight code is read once per evaluation, and beyond the cache of the processor that takes
longer than the loops do.

DALEMBERT_NATIVE=0 never uses it, DALEMBERT_NATIVE=1 always does.
"""

from __future__ import annotations

import hashlib
import os
import threading
from functools import cache
from pathlib import Path

import llvmlite

from ...kernels import disk
from ...kernels import layout as at
from ...kernels import operate as modes
from ...kernels.compiler import COMPILE, cache_folder
from ..tables import Numbering
from ..trace.mechanism import Traced, fixed_numbers
from .compiler import load, machine_code
from .entry import module_of

# operations of one evaluation
LARGEST = 20_000
# rows beyond which it is not even tried
MOST_ROWS = 300
# steps of a structure after which its size is looked at, and steps per operation after which compiling pays
LOOKED_AT, PAYS = 20_000, 20
_FORMAT = b"dalembert traced code 1\n"
_DIGEST = hashlib.sha256().digest_size


class Native:
    """Machine code of a structure, if it pays.

    Attributes
    ----------
    steps
        Steps made so far without it, in this process.
    size
        Operations of one evaluation; 0 before they were counted.
    why
        Why it is used, or not.
    """

    def __init__(self, numbering: Numbering, key: str) -> None:
        self._numbering: Numbering | None = numbering
        self._key = key
        self._lock = threading.Lock()
        self.steps, self.size, self._all = 0, 0, 0
        self.refused = numbering.n_rows > MOST_ROWS or not COMPILE
        self._address: int | None = None
        self._looked = False
        self.why = "its code would be too long" if self.refused else "compiled when it has made more steps"

    @property
    def address(self) -> int | None:
        """Address of the code, if it is there or pays by now."""
        if self._address is None and not self.refused:
            with self._lock:
                self._find()
        return self._address

    @property
    def due(self) -> int:
        """Steps until it has to be asked again."""
        return max(1, self._threshold() - self.steps)

    def _threshold(self) -> int:
        return PAYS * self._all if self._all else LOOKED_AT

    def _find(self) -> None:
        wish = os.environ.get("DALEMBERT_NATIVE", "")
        if wish == "0" or self._address is not None or self.refused:
            return
        if not self._looked:
            self._looked = True
            self._read()
        if self._address is None and (self.steps >= self._threshold() or wish == "1"):
            self._make(at_once=wish == "1")

    def _path(self) -> Path:
        return cache_folder() / f"traced-{_sources()}" / f"{self._key}{disk.ENDING}"

    def _read(self) -> None:
        """Code that another process has left."""
        path = self._path()
        try:
            raw = path.read_bytes()
        except OSError:
            return
        body = raw[len(_FORMAT) + _DIGEST :]
        if raw[: len(_FORMAT) + _DIGEST] != _FORMAT + hashlib.sha256(body).digest():
            disk.note(f"{path} is damaged (the checksum of {len(raw)} bytes is wrong): discarded, compiling again")
            path.unlink(missing_ok=True)
            return
        self.size = int.from_bytes(body[:8], "little")
        self._use(body[8:])

    def _make(self, at_once: bool) -> None:
        assert self._numbering is not None
        traced = Traced(self._numbering)
        if not self.size:
            self.size = traced.size(modes.ACCELERATE)
            if self.size > LARGEST:
                self.refused, self.why = True, f"{self.size} operations are more than pay"
                return
        text = module_of(traced, self._numbering)
        self._all = text.count("\n")
        if self.steps < self._threshold() and not at_once:
            return
        code = machine_code(text)
        body = self.size.to_bytes(8, "little") + code
        try:
            disk.write(self._path(), _FORMAT + hashlib.sha256(body).digest() + body)
        except OSError as error:
            disk.not_kept(self._path().parent, error)
        self._use(code)

    def _use(self, code: bytes) -> None:
        self._address, self._numbering = load(code, "operate"), None
        self.why = f"{self.size} operations an evaluation"


_known: dict[str, Native] = {}
# structures that are remembered
_MOST = 10_000


def native_code(numbering: Numbering) -> Native:
    """Machine code of the structure of a mechanism; one for all that have it."""
    key = structure(numbering)
    found = _known.get(key)
    if found is None:
        if len(_known) >= _MOST:
            _known.clear()
        found = _known[key] = Native(numbering, key)
    return found


def structure(numbering: Numbering) -> str:
    """Hash of all that machine code depends on besides the sources and the processor."""
    fixed = fixed_numbers(numbering)
    digest = hashlib.sha256(numbering.I.tobytes())
    digest.update(fixed.tobytes())
    digest.update(numbering.P[fixed].tobytes())
    digest.update(numbering.I[[at.N_STATES]].tobytes())
    return digest.hexdigest()[:32]


@cache
def _sources() -> str:
    """Hash of the sources that make code, of the compiler and of the processor."""
    digest, here = hashlib.sha256(), Path(__file__).resolve().parent
    for path in [*sorted(here.glob("*.py")), *sorted((here.parent / "trace").glob("*.py")), here.parent / "graph.py"]:
        digest.update(path.read_bytes())
    digest.update(f"{llvmlite.__version__} {disk.processor()}".encode())
    return digest.hexdigest()[:16]


__all__ = ["Native", "native_code"]
