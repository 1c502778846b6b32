"""Machine code on disk: one file for each key, with a checksum.

A file is used only if its checksum and its key agree; else it is discarded and its code is made again.  A folder that cannot be written costs time,
never an answer.  Files are written under another name and renamed, so that no reader sees half of one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path

import llvmlite

from .. import locks
from .llvm import processor

FORMAT = b"dalembert machine code 2\n"
ENDING, PART = ".code", ".part"
_DIGEST = hashlib.sha256().digest_size
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


def cache_root() -> Path:
    """Folder of all machine code: DALEMBERT_CACHE, else the user's cache folder, else the temporary folder."""
    chosen = os.environ.get("DALEMBERT_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        root = (Path(base) if base else Path.home() / ".cache") / "dalembert"
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    except (OSError, RuntimeError):
        pass
    return _temporary_root()


@cache
def _temporary_root() -> Path:
    """Folder of this user in the temporary folder, where others may write too: what they put there must not be run."""
    user = os.getuid() if hasattr(os, "getuid") else None
    root = Path(tempfile.gettempdir()) / f"dalembert-cache-{'user' if user is None else user}"
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = root.lstat()
        if user is None or (stat.S_ISDIR(about.st_mode) and about.st_uid == user and not about.st_mode & 0o022):
            return root
        return Path(tempfile.mkdtemp(prefix="dalembert-cache-"))
    except OSError:
        return root  # nothing can be kept there, which is told where it is tried


@cache
def hash_of(*folders: Path) -> str:
    """Hash of sources: files, and all of a folder."""
    digest = hashlib.sha256()
    for given in folders:
        for path in [given] if given.is_file() else sorted(given.rglob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def surroundings() -> str:
    """All that machine code depends on beside the sources: compiler, Python (its objects are read) and processor."""
    here = hash_of(Path(__file__).resolve().parent)
    return f"{here} {llvmlite.__version__} {sys.version} {' '.join(processor())}"


def path_of(name: str, key: str) -> Path:
    """File of the code with a key."""
    digest = hashlib.sha256(f"{key} {surroundings()}".encode()).hexdigest()[:24]
    return cache_root() / f"{name}-{digest}{ENDING}"


def read(path: Path) -> bytes | None:
    """Code of a file; None where there is none or it is damaged."""
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        note(f"{path} cannot be read ({error.strerror or error}): compiling again")
        return None
    head, body = raw[: len(FORMAT) + _DIGEST], raw[len(FORMAT) + _DIGEST :]
    if head != FORMAT + hashlib.sha256(path.name.encode() + body).digest():
        note(f"{path} is damaged (the checksum of {len(raw)} bytes is wrong): discarded, compiling again")
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        return None
    return body


def keep(path: Path, code: bytes) -> None:
    """Write code to its file; where that cannot be done, say so and go on."""
    try:
        write(path, FORMAT + hashlib.sha256(path.name.encode() + code).digest() + code)
    except OSError as error:
        not_kept(path.parent, error)


def kept(path: Path, make: Callable[[], bytes]) -> bytes:
    """Code of a file, or made now, by one process while others wait for it."""
    found = read(path)
    if found is not None:
        return found
    with locks.alone(path.with_suffix(".making"), path.exists):
        found = read(path)
        if found is None:
            found = make()
            keep(path, found)
    return found


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
