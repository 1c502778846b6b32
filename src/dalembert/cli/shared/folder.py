"""Output folders: new ones only, written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ...errors import MethodError

SUMMARY = "summary.json"  # in every folder that we write; only such folders are ever replaced
FORMAT = "dalembert output"


def new_file(path: Path, text: str, overwrite: bool = False) -> None:
    """Write a text file, whole or not at all; an existing file is refused unless it may be replaced."""
    from ...results.files import whole_file

    if path.exists() and not overwrite:
        raise MethodError(
            f"writing {str(path)!r}", "it is there already", "files are not overwritten", "give another name"
        ) from FileExistsError(str(path))
    with whole_file(path, f"writing {str(path)!r}", "w") as file:
        file.write(text)


def free_name(wanted: Path) -> Path:
    """The path itself, or with a number where it is taken."""
    made, k = wanted, 2
    while made.exists() or made.is_symlink():
        made, k = wanted.with_name(f"{wanted.name}-{k}"), k + 1
    return made


def check_target(target: Path, overwrite: bool) -> None:
    """Refuse a folder that must not be replaced, before anything is computed."""
    asked = f"--out {target}"
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise MethodError(
            asked, "a file or a link", "results go into a folder of their own", "give another name"
        ) from FileExistsError(str(target))
    there = next(path for path in (target.absolute(), *target.absolute().parents) if path.exists())
    if not there.is_dir() or not os.access(there if there != target.absolute() else there.parent, os.W_OK):
        raise MethodError(
            asked, f"{there} cannot be written", "results would be lost", "give --out in another place"
        ) from PermissionError(str(there))
    if not target.exists() or not any(target.iterdir()):
        return
    if not overwrite:
        raise MethodError(
            asked, "a folder that holds files", "results are not overwritten", "give another name, or --overwrite"
        ) from FileExistsError(str(target))
    if not is_ours(target):
        why = f"it has no {SUMMARY} of ours, so it may hold other things; only folders of results are replaced"
        raise MethodError(
            asked, "a folder that dalembert did not write", why, "give another name"
        ) from FileExistsError(str(target))


def is_ours(folder: Path) -> bool:
    """Whether a folder was written by this module."""
    try:
        return bool(json.loads((folder / SUMMARY).read_text(encoding="utf-8")).get("format") == FORMAT)
    except (OSError, ValueError, AttributeError, RecursionError):
        return False


@contextlib.contextmanager
def whole_folder(target: Path, overwrite: bool) -> Iterator[Path]:
    """Folder to write into, which becomes the target when everything is there and disappears otherwise."""
    asked = f"writing {str(target)!r}"
    check_target(target, overwrite)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # in a folder of its own, so that the one inside gets the rights of any new folder
        outer = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise MethodError(asked, _reason(error), "the folder cannot be made", "give --out in another place") from error
    try:
        inner = outer / "new"
        inner.mkdir()
        yield inner
        if target.exists():
            target.rename(outer / "old")
        try:
            inner.rename(target)
        except OSError:
            if (outer / "old").exists():
                (outer / "old").rename(target)
            raise
    except OSError as error:
        do = "free some space, or give --out in another place"
        raise MethodError(asked, _reason(error), "the results could not be written", do) from error
    finally:
        shutil.rmtree(outer, ignore_errors=True)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
