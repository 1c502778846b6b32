"""Everything wrong with a file, found at once and told with its line."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import DalembertError, ModelFileError, nearest, shown
from ..model.registry import FORCES, JOINTS
from ..options.verbs import VERBS

MOST = 50  # problems that are told; a file with more is told so

Path = tuple[Any, ...]
_FIELD = re.compile(r"([^\W\d]\w*)((?:\[\d+\])*)(?!\w)")


class Failed(Exception):  # noqa: N818  (no error of the package: it only leads to the end of a part)
    """A value could not be read; the problem is noted."""


@dataclass
class Problems:
    """Problems of one file; `line_of` gives the line of a path, and is asked only when there are problems.

    Noting one gives a `Failed`, to be raised where the reading of the value ends there.
    """

    file: str
    line_of: Callable[[Path], int] = lambda path: 1
    found: list[tuple[Path, str]] = field(default_factory=list)
    # folder of the file, for the tables that it names, and which were read; None: a text in memory
    folder: pathlib.Path | None = None
    read: list[str] = field(default_factory=list)
    # fields that the file calls otherwise than the model: (drivers, motor, measure) is (drivers, motor, on) there
    written: dict[Path, Path] = field(default_factory=dict)

    def as_written(self, path: Path) -> Path:
        """Path with fields called as the file calls them."""
        for n in range(len(path), 0, -1):
            if path[:n] in self.written:
                return (*self.written[path[:n]], *path[n:])
        return path

    @property
    def full(self) -> bool:
        """Whether no more are looked for."""
        return len(self.found) >= MOST

    def add(self, path: Path, text: str) -> Failed:
        """Note a problem at a path, in one line."""
        if not self.full:
            self.found.append((self.as_written(path), " ".join(text.split())))
        return Failed()

    def unknown(self, path: Path, what: str, name: Any, known: Any) -> Failed:
        """Note a name that is not known, with the nearest that is."""
        near = "" if self.full else nearest(name, known, 40)
        return self.add(path, f"unknown {what} {shown(name, 60)}; {near}")

    def refused(self, path: Path, error: DalembertError, fields: Any = ()) -> Failed:
        """Note an error of the model, at the field that it names if it names one."""
        # "at[0] = nan" in what was found, or "body 'b': at[0]: reading an expression" in what was asked
        for text in (error.found, *error.asked.split(": ")[1:]):
            match = _FIELD.match(text)
            if match is not None and match[1] in fields:
                path = (*path, match[1], *(int(k) for k in re.findall(r"\d+", match[2])))
                break
        return self.add(path, in_file_syntax(f"{error.found.splitlines()[0]}; {error.why}; {error.do}"))

    def wrong_type(self, path: Path, x: Any, wanted: str) -> Failed:
        """Note a value of the wrong type."""
        return self.add(path, f"found {shown(x, 60)}; {wanted} is needed here")

    def check(self) -> None:
        """Raise one error with all problems, in the order of the lines."""
        if not self.found:
            return
        placed = sorted(((self.line_of(path), path, text) for path, text in self.found), key=lambda item: item[0])
        lines = [f"{self.file}:{line}: {dotted(path)}: {text}" for line, path, text in placed]
        if self.full:
            lines.append(f"{self.file}: more than {MOST} problems; the rest is not shown")
        raise ModelFileError.of(self.file, lines)


def dotted(path: Path) -> str:
    """Path as people write it: joints.B.type, bodies.rod.at[1]."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
            continue
        # names that begin or end with blanks, or have no letter at all, are seen only with quotes
        name = str(key) if str(key) == str(key).strip() != "" else f'"{key}"'
        text += f".{name}" if text else name
    return shown(text, 200)[1:-1] if not text.isprintable() or len(text) > 200 else text or "file"


# -- messages of the model in the syntax of files and commands ---------------------------------------------------------

_COMMANDS = {name: verb.command for name, verb in VERBS.items() if verb.command}
_SECTIONS = {"body": "[bodies]", "particle": "[bodies]", "drive": "[drivers]", "start": "[start]", "measure": "[measures]", "state": "[states]", "table": "[tables]", "input": "[states]", "event": "[events]", "impact": "[impacts]", "open": "open = [...]", "guess": "[guess]",
             "parameter": "[parameters]", "set_parameter": "[parameters]", "constraint": "[holonomic]", "pfaffian": "[nonholonomic]"}  # fmt: skip
_DRIVE = re.compile(r"m\.drive\('([^']+)', '([^']+)', '([^']*)'\)")
_PARAMETER = re.compile(r"m\.parameter\('(\w+)', ([^)]*)\)")
_INPUT = re.compile(r"m\.input\('(\w+)'\)")
_OPEN = re.compile(r"m\.open\('([^']+)'\)")
_OPENED = re.compile(r"m\.open (it|them|the contacts)\b")
_METHOD = re.compile(r"\bm\.([a-z_]+)(\([^()]*\)|\b)")
_VERB = re.compile(rf"\bda\.({'|'.join(_COMMANDS)})\b(\([^()]*\))?")
_TRUE = re.compile(r"\b([a-z_]+)=True\b")
_LIST = re.compile(r"\b([a-z_]+)=(?=\[)")
_TUPLE = re.compile(r"\b([a-z_]+)=\(([^()]*)\)")
_KEY = re.compile(r"\b([a-z_]+)=(?=[\s,;.)]|$)")
_KEPT = re.compile(r"error\.result (?:holds|has) (?:the motion up to it|what was computed(?: until then)?)")


def in_file_syntax(text: str) -> str:
    """Text of a message with sections of a file in place of methods, and commands in place of verbs."""
    text = _DRIVE.sub(r'[drivers.\1] with on = "\2" and value = "\3"', text)
    text = _PARAMETER.sub(lambda found: f"{found[1]} = {found[2].replace('...', '1.0')} in [parameters]", text)
    text = _INPUT.sub(r"[states.\1] with rate = 0", text)
    text = _OPENED.sub(r"list \1 in open = [...]", _OPEN.sub(r'open = ["\1"]', text))
    text = _METHOD.sub(_section, text)
    text = _VERB.sub(lambda found: f"`dalembert {_COMMANDS[found[1]]}`", text)
    text = text.replace("give both ends:", "give both as between = [end, end]:")
    text = text.replace("(body, (x, y))", '["bar", [x, y]]').replace(
        "body.point(x, y)", '{ body = "bar", point = [x, y] }'
    )
    text = _TRUE.sub(r"\1 = true", text)
    text = _TUPLE.sub(r"\1 = [\2]", _LIST.sub(r"\1 = ", _KEY.sub(r"\1", text)))
    return _KEPT.sub("the motion up to there is kept", text)


def _section(found: re.Match[str]) -> str:
    """Place in a file of what a method makes; the text itself where there is none."""
    name = found[1]
    if name in JOINTS and name not in _SECTIONS:
        return f'a joint of type = "{name}" in [joints]'
    if name in FORCES:
        return f'an element of type = "{name}" in [forces]'
    return _SECTIONS.get(name, found[0])
