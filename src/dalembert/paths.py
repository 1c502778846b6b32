"""Paths that a user gives, and files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any

from .errors import MethodError, nearest, shown

LONGEST = 4000  # characters


@contextlib.contextmanager
def whole_file(path: Any, asked: str, mode: str = "wb", new: bool = False, folders: bool = True) -> Iterator[IO[Any]]:
    """File that appears under its name when it is complete: written beside it and renamed at the end, removed on any failure.

    With `new` a file that is there already is refused, also one that someone else made in the meantime; without `folders` a folder that is missing.
    """
    target = read_path(asked, path)
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    try:
        if target.is_dir():
            raise IsADirectoryError(f"{target} is a folder")
        if new and (target.exists() or target.is_symlink()):
            raise _taken(asked, target)
        if target.exists() and not target.is_file():
            # a device or a pipe, which must not be replaced by a file
            with target.open(mode, **text) as file:
                yield file
            return
        if target.is_symlink():
            target = target.resolve()  # the file behind a link is written, the link stays
        if folders:
            target.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        found = reason(error)
        raise MethodError(asked, found, "the file cannot be written there", "choose another folder or name") from error
    try:
        with os.fdopen(number, mode, **text) as file:
            yield file
        # mkstemp makes files for the user alone; give this one the rights of any new file
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        if new:
            _claim(asked, Path(name), target)
        else:
            Path(name).replace(target)
    except OSError as error:
        why = "the file could not be written"
        raise MethodError(asked, reason(error), why, "choose another folder, or free some space") from error
    finally:
        Path(name).unlink(missing_ok=True)


def _claim(asked: str, made: Path, target: Path) -> None:
    """Give a file a name that nobody has: the system refuses a second link of a name."""
    try:
        target.hardlink_to(made)
    except FileExistsError as error:
        raise _taken(asked, target) from error
    except OSError:  # a file system without links: an empty file takes the name first
        try:
            target.touch(exist_ok=False)
        except FileExistsError as error:
            raise _taken(asked, target) from error
        made.replace(target)


def _taken(asked: str, target: Path) -> MethodError:
    error = MethodError(asked, "it is there already", "files are not overwritten", "give another name")
    error.__cause__ = FileExistsError(str(target))
    return error


def read_path(asked: str, path: Any, example: str = "out/run.npz") -> Path:
    """Path given as text or Path."""
    if isinstance(path, str | os.PathLike) and str(path).strip() and "\0" not in str(path):
        if len(str(path)) > LONGEST or any(0xD800 <= ord(c) < 0xE000 for c in str(path)):
            why = f"a path has at most {LONGEST} characters, all of which can be written"
            raise MethodError(asked, f"path = {shown(str(path))}", why, f"give for example {example!r}")
        return Path(path)
    raise MethodError(asked, f"path = {shown(path)}", "a path is a text or a Path", f"give for example {example!r}")


def is_inside(name: str) -> bool:
    """Whether the name of a file, relative to a folder, leads to no place outside of it."""
    for kind in (PurePosixPath, PureWindowsPath):
        path = kind(name)
        if path.anchor or ".." in path.parts:
            return False
    return bool(name.strip()) and "\0" not in name


def no_such_file(asked: str, target: Path, endings: Collection[str]) -> MethodError:
    """A file that is not there, with the one in its folder that may be meant."""
    near = sorted(p.name for p in target.parent.glob("*") if p.suffix in endings) if target.parent.is_dir() else []
    return MethodError(asked, "no such file", f"in its folder, {nearest(target.name, near)}", "check the path")


def reason(error: OSError) -> str:
    """What the system says, and about which file."""
    return f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
