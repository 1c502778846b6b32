"""Machine code on disk: one file for each entry, signature and processor, and a checksum in each.

numba's own cache believes whatever it reads: a damaged file is a traceback at every start, or machine code with a wrong byte in it.  It
also falls back to folders beside the sources, whose key does not know the files that an entry calls.  Here a file is used only if its
checksum and its key agree; else it is discarded and the entry is compiled again.  A folder that cannot be written costs time, never an
answer.  Files are written under another name and renamed, so that no reader sees half of one.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import sys
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from llvmlite import binding
from numba.core.caching import CompileResultCacheImpl
from numba.core.serialize import dumps

FORMAT = b"dalembert machine code 1\n"
ENDING, PART = ".code", ".part"
_DIGEST = hashlib.sha256().digest_size

# files that this process read or wrote, with their sizes
in_use: dict[Path, int] = {}
# files that it could not write
not_written: set[Path] = set()
_told: set[str] = set()


def note(text: str) -> None:
    """Say something about the cache, once."""
    if text not in _told:
        _told.add(text)
        with contextlib.suppress(OSError, ValueError, AttributeError):  # nobody listens
            print(f"dalembert: {text}", file=sys.stderr, flush=True)


def not_kept(folder: Path, error: OSError) -> None:
    """Say that machine code cannot be kept."""
    note(
        f"machine code cannot be kept in {folder} ({error.strerror or error}): it is compiled again in every process;"
        " free some space there, or name another folder in DALEMBERT_CACHE"
    )


class _Reducer(CompileResultCacheImpl):  # type: ignore[misc]
    """numba's way from a compiled function to plain data and back, without its search for a folder."""

    def __init__(self) -> None:
        pass

    def check_cachable(self, compiled: Any) -> bool:
        return not compiled.lifted and not compiled.library.has_dynamic_globals


class MachineCode:
    """Machine code of one entry, in the place of numba's cache: `dispatcher._cache = MachineCode(function, folder)`."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self.function, self.folder, self._reducer = function, folder, _Reducer()

    @property
    def cache_path(self) -> str:
        """Folder, for numba's statistics."""
        return str(self.folder)

    def enable(self) -> None:
        """Nothing to do: it always is."""

    def disable(self) -> None:
        """Nothing to do: DALEMBERT_CACHE chooses a folder, and without one nothing is kept."""

    def flush(self) -> None:
        """Forget all signatures."""
        for path in self.folder.glob(f"{self._stem()}-*{ENDING}"):
            _discard(path)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Compiled function for a signature; None where it has to be compiled."""
        target.refresh()
        key = self._key(signature, target.codegen())
        path = self._path(key)
        try:
            raw = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            note(f"{path} cannot be read ({error.strerror or error}): compiling again")
            return None
        try:
            compiled = self._reducer.rebuild(target, _unpacked(raw, key))
        except Exception as error:  # whatever the bytes make of pickle and LLVM: this file is no use
            note(f"{path} is damaged ({type(error).__name__}: {error}): discarded, compiling again")
            _discard(path)
            return None
        in_use[path] = len(raw)
        return compiled

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled function; where that cannot be done, say so and go on."""
        if not self._reducer.check_cachable(compiled):
            return
        key = self._key(signature, compiled.codegen)
        path, raw = self._path(key), _packed(key, self._reducer.reduce(compiled))
        try:
            write(path, raw)
        except OSError as error:
            not_written.add(path)
            not_kept(self.folder, error)
        else:
            in_use[path] = len(raw)

    def _key(self, signature: Any, codegen: Any) -> str:
        """Everything that the machine code depends on and that the name of the folder does not tell."""
        files = {self.function.__code__.co_filename, sys.modules[self.function.__module__].__file__ or ""}
        sources = sorted(_source(Path(file)) for file in files)
        return repr((self.function.__module__, self.function.__qualname__, sources, signature, codegen.magic_tuple()))

    def _stem(self) -> str:
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__name__}"

    def _path(self, key: str) -> Path:
        return self.folder / f"{self._stem()}-{hashlib.sha256(key.encode()).hexdigest()[:16]}{ENDING}"


@cache
def _source(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _packed(key: str, data: Any) -> bytes:
    body: bytes = dumps((key, data))
    return FORMAT + hashlib.sha256(body).digest() + body


def _unpacked(raw: bytes, key: str) -> Any:
    """Data of a file; ValueError where it is not what was written for this key."""
    head, body = raw[: len(FORMAT) + _DIGEST], raw[len(FORMAT) + _DIGEST :]
    if head != FORMAT + hashlib.sha256(body).digest():
        raise ValueError(f"the checksum of {len(raw)} bytes is wrong")
    # the checksum stands before unpickling: what is unpickled is what was written
    written_for, data = pickle.loads(body)
    if written_for != key:
        raise ValueError("it belongs to another function or processor")
    return data


def write(path: Path, raw: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}{PART}")
    try:
        with beside.open("xb") as file:
            file.write(raw)
        beside.replace(path)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def processor() -> str:
    """Short name of this processor with all that it can do: machine code for one may not run on another."""
    text = f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _discard(path: Path) -> None:
    in_use.pop(path, None)
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
