"""Output folders: new ones only, written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import MethodError
from ...paths import reason, whole_file

SUMMARY = "summary.json"  # in every folder that we write; only such folders are ever replaced
FORMAT = "dalembert output"


def new_file(path: Path, text: str, overwrite: bool = False) -> None:
    """Write a text file, whole or not at all; an existing file is refused unless it may be replaced."""
    with whole_file(path, f"writing {str(path)!r}", "w", new=not overwrite) as file:
        file.write(text)


def free_name(wanted: Path) -> Path:
    """The path itself, or with a number where it is taken."""
    made, k = wanted, 2
    while _is_there(made):
        made, k = wanted.with_name(f"{wanted.name}-{k}"), k + 1
    return made


def check_target(target: Path, overwrite: bool) -> None:
    """Refuse a folder that must not be replaced, before anything is computed."""
    check_place(target)
    asked, before = f"--out {target}", _identity(target)
    files, ours = _holds_files(target), own_files(target)
    while before != (now := _identity(target)):
        # someone else replaces it in this moment
        before, files, ours = now, _holds_files(target), own_files(target)
    if not files:
        return
    if not overwrite:
        found, do = "a folder that holds files", "give another name, or --overwrite"
        raise MethodError(asked, found, "results are not overwritten", do) from FileExistsError(str(target))
    if ours is None:
        why = f"it has no {SUMMARY} of ours, so it may hold other things; only folders of results are replaced"
        do = "give another name"
        raise MethodError(asked, "a folder that dalembert did not write", why, do) from FileExistsError(str(target))


def check_place(target: Path) -> None:
    """Refuse a name that a folder cannot have."""
    asked, found = f"--out {target}", _identity(target)
    if found is not None and not stat.S_ISDIR(found[0]):
        why = "results go into a folder of their own"
        raise MethodError(asked, "a file or a link", why, "give another name") from FileExistsError(str(target))
    there = next(path for path in target.absolute().parents if path.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        why, do = "results would be lost", "give --out in another place"
        raise MethodError(asked, f"{there} cannot be written", why, do) from PermissionError(str(there))


def _identity(target: Path) -> tuple[int, int, int] | None:
    """What has a name at this moment, the same as long as it is not replaced; None: nothing."""
    try:
        found = target.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_mode, found.st_dev, found.st_ino


def _holds_files(target: Path) -> bool:
    try:
        return any(target.iterdir())
    except FileNotFoundError:
        return False


def own_files(folder: Path) -> set[str] | None:
    """Names of the files that this module wrote into a folder, by its summary; None where there is none of ours."""
    try:
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
        if summary.get("format") != FORMAT:
            return None
        return {SUMMARY, *(name for name in summary.get("files", []) if isinstance(name, str))}
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return None


@dataclass
class NewFolder:
    """Folder that is being written, and where it went."""

    inside: Path  # to write into
    target: Path  # where it is in the end: under another name than was asked for, where that could not be had
    why: str = ""  # why not
    kept: list[str] = field(default_factory=list)  # files of others that stayed in a folder that was replaced


@contextlib.contextmanager
def whole_folder(target: Path, overwrite: bool) -> Iterator[NewFolder]:
    """Folder to write into, which becomes the target when everything is there and disappears otherwise.

    The system itself decides who gets a name: a folder is never renamed onto one that holds something.  Whoever comes second gets the next
    free name, so that nothing is lost, and is told by `target`.
    """
    asked = f"writing {str(target)!r}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # in a folder of its own, so that the one inside gets the rights of any new folder
        outer = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise MethodError(asked, reason(error), "the folder cannot be made", "give --out in another place") from error
    made = NewFolder(outer / "new", target)
    try:
        made.inside.mkdir()
        yield made
        while not _renamed(made.inside, made.target):
            if not (overwrite and made.target == target and _set_aside(made, outer)):
                made.why = made.why or "another program wrote it meanwhile"
                made.target = free_name(target)
        if made.target == target:
            for old in _asides(outer):
                _remove_own(old, made)
    except OSError as error:
        do = "free some space, or give --out in another place"
        raise MethodError(asked, reason(error), "the results could not be written", do) from error
    finally:
        shutil.rmtree(made.inside, ignore_errors=True)
        for old in _asides(outer):
            _put_back(old, target)
        with contextlib.suppress(OSError):
            outer.rmdir()


def _renamed(folder: Path, target: Path) -> bool:
    """Give a folder its name; False where there is something already.  An empty folder counts as nothing."""
    for _ in range(2):
        try:
            folder.rename(target)
            return True
        except OSError as error:
            taken = error.errno in (errno.ENOTEMPTY, errno.EEXIST)
            if not taken and not (error.errno in (errno.ENOTDIR, errno.EACCES) and _is_there(target)):
                raise
        try:
            target.rmdir()  # for systems that do not rename onto an empty folder, either
        except FileNotFoundError:
            continue  # it has just gone
        except OSError:
            return False
    return False


def _set_aside(made: NewFolder, outer: Path) -> bool:
    """Move an older folder of ours out of the way of the new one; False where it cannot be replaced."""
    old = outer / f"old-{len(_asides(outer))}"
    try:
        made.target.rename(old)
    except FileNotFoundError:
        return True  # someone else took it away
    # looked at where nobody else finds it any more
    own = own_files(old)
    taken = [name for name in _foreign(old, own) if _is_there(made.inside / name)] if own is not None else []
    if own is not None and not taken:
        return True
    if taken:
        made.why = f"it holds a file {taken[0]!r} that dalembert did not write there"
    _put_back(old, made.target)
    return False


def _foreign(folder: Path, own: set[str]) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in own or path.is_dir())


def _remove_own(old: Path, made: NewFolder) -> None:
    """Files of others go into the new folder, our own ones are removed."""
    own = own_files(old)
    for name in _foreign(old, own) if own is not None else ():
        if not _is_there(made.target / name):
            try:
                (old / name).rename(made.target / name)
            except FileNotFoundError:
                return  # someone else has replaced the new folder by now: what is here is put back under a name of its own
            made.kept.append(name)
    for name in own or ():
        if not (old / name).is_dir():
            (old / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        old.rmdir()  # if nothing of anybody's is left


def _put_back(old: Path, target: Path) -> None:
    """Under its name, or where someone else has that by now, under the next one."""
    while not _renamed(old, target):
        target = free_name(target)


def _asides(outer: Path) -> list[Path]:
    return sorted(outer.glob("old-*"))


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()
