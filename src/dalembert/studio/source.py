"""What is opened: a model file, which other programs may change meanwhile, or a model of this program; and how its text is written again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..errors import MethodError, shown
from ..io.files import FILES_ARE, SUFFIXES, to_data
from ..io.text import MAX_BYTES, write_toml
from ..model.model import Model
from ..paths import no_such_file, whole_file


class Source:
    """Name, text and folder of what is opened."""

    def __init__(self, asked: str, name: str, folder: Path, path: Path | None = None, text: str = "") -> None:
        self.name, self.folder = name, folder
        self._asked, self._path, self._text = asked, path, text

    def stamp(self) -> str:
        """Changes when the file is written; empty where there is none."""
        if self._path is None:
            return "model"
        try:
            about = self._path.stat()
        except OSError:
            return ""
        return f"{about.st_mtime_ns}-{about.st_size}-{about.st_ino}"

    def read(self) -> str:
        """The text, with plain line ends."""
        path, asked = self._path, self._asked
        if path is None:
            return self._text
        try:
            if path.stat().st_size > MAX_BYTES:
                found = f"{path.stat().st_size} bytes"
                raise MethodError(asked, found, f"at most {MAX_BYTES} are read", "make the file smaller")
            return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        except OSError as error:
            found = error.strerror or str(error)
            raise MethodError(asked, found, "the file cannot be read", "check the path and its rights") from None
        except UnicodeDecodeError as error:
            found = f"byte {error.start} is not UTF-8"
            raise MethodError(asked, found, "model files are UTF-8 text", "save the file as UTF-8") from None


def source_of(asked: str, file: Any) -> Source:
    """The source of a file or model, or a refusal."""
    if isinstance(file, Model):
        return Source(asked, f"{file.name}.toml", Path.cwd(), text=write_toml(to_data(file)))
    try:
        path = Path(file)
    except TypeError:
        do = "give 'crank.toml', or a Mechanism"
        raise MethodError(asked, f"a {type(file).__name__}", "a model file is needed", do) from None
    if path.suffix.lower() not in SUFFIXES:
        found, do = f"a file that ends in {path.suffix!r}", "name it like 'crank.toml' or 'crank.json'"
        raise MethodError(asked, found, FILES_ARE, do)
    if not path.is_file():
        raise no_such_file(asked, path, SUFFIXES)
    made = Source(asked, path.name, path.resolve().parent, path)
    made.read()
    return made


def save(folder: Path, name: Any, text: str, overwrite: bool, opened: str | None) -> dict[str, Any]:
    """Write a text as `name` into a folder, whole or not at all; an existing file is left alone unless `overwrite`, and the answer says so.

    `opened` is the text that the page was opened with: if the file holds another one by now, someone else changed it.
    """
    asked = f"save as {shown(name)}"
    foreign = r"""[/\\:*?"<>|]|^\."""
    plain = isinstance(name, str) and name == Path(name).name and name.isprintable() and not re.search(foreign, name)
    if not plain:
        why = f"files are written into {folder} only"
        raise MethodError(asked, "not the plain name of a file", why, "give a name like 'crank.toml'")
    target = folder / name
    if target.suffix.lower() not in SUFFIXES:
        raise MethodError(asked, f"a name that ends in {target.suffix!r}", FILES_ARE, "name it like 'crank.toml'")
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
