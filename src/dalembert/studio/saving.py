"""Writing an edited file: beside the one that was opened, whole or not at all, and over another one only when asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import MethodError, shown
from ..io.files import SUFFIXES
from ..paths import whole_file


def save(folder: Path, name: Any, text: str, overwrite: bool, opened: str | None) -> dict[str, Any]:
    """Write a text as `name` into a folder; an existing file is left alone unless `overwrite`, and the answer says so.

    `opened` is the text that the page was opened with: if the file holds another one by now, someone else changed it.
    """
    asked = f"save as {shown(name)}"
    plain = (
        isinstance(name, str) and name == Path(name).name and name.isprintable() and not set(name) & set('/\\:*?"<>|')
    )
    if not plain or name.startswith("."):
        why = f"files are written into {folder} only"
        raise MethodError(asked, "not the plain name of a file", why, "give a name like 'crank.toml'")
    target = folder / name
    if target.suffix.lower() not in SUFFIXES:
        why = "model files are TOML or JSON, known by their ending"
        raise MethodError(asked, f"a name that ends in {target.suffix!r}", why, "name it like 'crank.toml'")
    try:
        with whole_file(target, asked, "w", new=not overwrite) as file:
            file.write(text)
    except MethodError as error:
        if overwrite or not isinstance(error.__cause__, FileExistsError):
            raise
    else:
        return {"saved": str(target)}
    try:
        changed = opened is not None and target.read_text(encoding="utf-8-sig").replace("\r\n", "\n") != opened
    except (OSError, UnicodeError):
        changed = True
    return {"exists": name, "changed": changed}
