"""Machine code of one structure: when it is made, where it is kept, and why it is used or not.

Compiling takes about as long as twenty steps per operation; so a structure is compiled when its runs have made that many, and kept on disk for
all later processes.  The key is the structure (integers, and numbers that are 0 or 1), never the other numbers.  Models whose code would
be larger than LARGEST keep the generic kernels: straight code is read once per evaluation, and beyond the cache of the processor that takes
longer than the loops do.

Both ways round differently.  Where an answer must not depend on what was computed before it (a case of a sweep, which may be the first one after a
kill), steps are counted for it alone, and code that is there already is not used before it would have been made: `counting_anew`.

DALEMBERT_NATIVE=0 never uses it, DALEMBERT_NATIVE=1 always does.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from ...kernels import operate as modes
from ...kernels.compiler import COMPILE, sources
from ...machine import disk
from ...machine.llvm import load, machine_code
from ..lagrange import LagrangeSystem
from ..tables import Numbering
from ..trace import lagrangian, mechanism
from ..trace.traced import Traced
from .entry import module_of

# operations of one evaluation
LARGEST = 20_000
# rows beyond which it is not even tried
MOST_ROWS = 300
# steps of a structure after which its size is looked at, and steps per operation after which compiling pays
LOOKED_AT, PAYS = 20_000, 20


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

    def __init__(self, key: str, model: Numbering | LagrangeSystem) -> None:
        self._key, self._model = key, model
        self._lock = threading.Lock()
        self.steps, self.size, self._all = 0, 0, 0
        self._too_large, self._failed = model.n_rows > MOST_ROWS, False
        self._address: int | None = None
        self._looked = False
        self.why = "its own code would be too long" if self._too_large else "its own code after more steps"

    def __reduce__(self) -> Any:
        return native_code, (self._model,)

    def __str__(self) -> str:
        kind = "generic kernels" if self._address is None else "machine code of its own"
        return f"{kind} ({self.why})"

    @property
    def refused(self) -> bool:
        """Whether there will be none in this process."""
        return self._too_large or self._failed or not COMPILE or _wish() == "0"

    @property
    def address(self) -> int | None:
        """Address of the code, if it is there or pays by now."""
        if self.refused:
            return None
        if self._address is None and (not self._looked or self.steps >= self.threshold() or _wish() == "1"):
            with self._lock:
                self._find()
        return self._address

    def make(self) -> int | None:
        """Address of the code, made now if it is not there; None for structures that are too large."""
        with self._lock:
            self._find(at_once=True)
        return self._address

    @property
    def due(self) -> int:
        """Steps until it has to be asked again."""
        return max(1, self.threshold() - self.steps)

    def threshold(self) -> int:
        """Steps after which the code pays, or its length is looked at; the same whether or not that was done before."""
        return max(LOOKED_AT, PAYS * self._all)

    def _find(self, at_once: bool = False) -> None:
        at_once = at_once or _wish() == "1"
        if self._address is not None or self.refused:
            return
        try:
            if not self._looked:
                self._looked = True
                self._read()
            if self._address is None and (self.steps >= self.threshold() or at_once):
                self._make(at_once)
        except Exception as error:  # whatever LLVM, the system or the memory say: the kernels give the same answer
            if at_once:
                raise
            self._failed, self.why = True, f"its own code could not be made: {type(error).__name__}"
            disk.note(f"machine code could not be made ({type(error).__name__}: {error}): the generic kernels are used")

    def _path(self) -> Path:
        return disk.path_of("structure", f"{self._key} {sources()} {_sources()}")

    def _read(self) -> None:
        body = disk.read(self._path())
        if body is not None:
            self.size, self._all = (int.from_bytes(body[k : k + 8], "little") for k in (0, 8))
            self._use(body[16:])

    def _make(self, at_once: bool) -> None:
        model = self._model
        traced: Traced = (
            mechanism.TracedMechanism(model) if isinstance(model, Numbering) else lagrangian.TracedLagrangian(model)
        )
        if not self.size:
            self.size = traced.size(modes.ACCELERATE)
            if self.size > LARGEST:
                self._too_large, self.why = True, f"{self.size} operations are more than pay"
                return
        text = module_of(traced)
        self._all = text.count("\n")
        if self.steps < self.threshold() and not at_once:
            return
        code = machine_code(text, straight=True)
        disk.keep(self._path(), self.size.to_bytes(8, "little") + self._all.to_bytes(8, "little") + code)
        self._use(code)

    def _use(self, code: bytes) -> None:
        (self._address,) = load(code, "operate")
        self.why = f"{self.size} operations an evaluation"


class Counted:
    """The same for what counts its own steps: used from the step on at which it pays for that alone, wherever the code comes from."""

    def __init__(self, code: Native) -> None:
        self._code, self.steps = code, 0

    @property
    def refused(self) -> bool:
        """Whether there will be none in this process."""
        return self._code.refused

    @property
    def address(self) -> int | None:
        """Address of the code, if it pays by now."""
        code = self._code
        if _wish() != "1":
            if self.steps < code.threshold():
                return None
            code.steps = max(code.steps, self.steps)
        found = code.address
        # the length of the code, which decides, may be known only now
        return found if _wish() == "1" or self.steps >= code.threshold() else None

    @property
    def due(self) -> int:
        """Steps until it has to be asked again."""
        return max(1, self._code.threshold() - self.steps)


_anew: ContextVar[dict[Native, Counted] | None] = ContextVar("structures that are counted anew", default=None)


@contextlib.contextmanager
def counting_anew() -> Iterator[None]:
    """Steps that are counted from zero inside, so that code is used as if nothing had been computed before."""
    token = _anew.set({})
    try:
        yield
    finally:
        _anew.reset(token)


def counted(code: Native) -> Native | Counted:
    """The code for one run: with its own count, where steps are counted anew."""
    anew = _anew.get()
    return code if anew is None else anew.setdefault(code, Counted(code))


def _wish() -> str:
    return os.environ.get("DALEMBERT_NATIVE", "")


_known: dict[str, Native] = {}
# structures that are remembered
_MOST = 10_000


def native_code(model: Numbering | LagrangeSystem) -> Native:
    """Machine code of the structure of a model; one for all that have it."""
    key = structure(model)
    found = _known.get(key)
    if found is None:
        if len(_known) >= _MOST:
            _known.clear()
        found = _known[key] = Native(key, model)
    return found


def structure(model: Numbering | LagrangeSystem) -> str:
    """Hash of all that machine code depends on besides the sources and the processor."""
    digest = hashlib.sha256(model.I.tobytes())
    if isinstance(model, Numbering):
        fixed = mechanism.fixed_numbers(model)
    else:
        # numbers of formulas are part of the programs, parameters are not
        fixed = lagrangian.fixed_numbers(model)
        digest.update(model.memory[len(model.model.parameters) :].tobytes())
        digest.update(repr((len(model.model.parameters), *model.model.q)).encode())
    digest.update(fixed.tobytes())
    digest.update(model.P[fixed].tobytes())
    return digest.hexdigest()[:32]


@cache
def _sources() -> str:
    here = Path(__file__).resolve().parent
    return disk.hash_of(here, here.parent / "trace", here.parent / "graph.py")
