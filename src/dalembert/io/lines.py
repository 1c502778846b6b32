"""Where things stand in a file: the line of every path, for messages.

The readers of the standard library keep no positions.  These scanners run only when a file has problems, on text that has been read
without error, and never fail: a path that is not found has the line of the table that holds it.
"""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any

from .problems import Path

# strings in all four forms of TOML, comments, brackets, line ends
_TOML = re.compile(
    r'"""(?:\\.|(?!""")[^\\])*"""+'
    + r"|'''(?:(?!''').)*'''+"
    + r'|"(?:\\.|[^"\\\n])*"'
    + r"|'[^'\n]*'|#[^\n]*|[\[\]{}\n=]",
    re.DOTALL,
)
_JSON = re.compile(r'"(?:\\.|[^"\\])*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


def lines_of(text: str, is_json: bool) -> Callable[[Path], int]:
    """Function that gives the line of a path."""
    table: dict[Path, int] | None = None

    def line_of(path: Path) -> int:
        nonlocal table
        if table is None:
            try:
                table = json_lines(text) if is_json else toml_lines(text)
            except (ValueError, IndexError, KeyError, RecursionError):
                table = {}
        for n in range(len(path), 0, -1):
            if path[:n] in table:
                return table[path[:n]]
        return 1

    return line_of


def toml_lines(text: str) -> dict[Path, int]:
    """Lines of tables and keys of a TOML text."""
    ends = [m.start() for m in re.finditer("\n", text)]
    found: dict[Path, int] = {}
    for path, start, _ in _paths(text):
        line = bisect_right(ends, start) + (0 if text[start] != "\n" else 1) + 1
        for n in range(1, len(path) + 1):
            found.setdefault(path[:n], line)
        found[path] = min(found.get(path, line), line)
    return found


def toml_comments(text: str) -> dict[Path, str]:
    """What stands behind # on the line where a key of a TOML text ends, by its path."""
    found = {}
    for path, _, stop in _paths(text):
        if stop < len(text) and text[stop] == "#" and (said := text[stop:].partition("\n")[0].strip("# \t\r")):
            found[path] = said
    return found


def _paths(text: str) -> Iterator[tuple[Path, int, int]]:
    base: Path = ()
    for start, equals, stop in _statements(text):
        if equals < 0:
            path = base = _keys(text[start:stop])
        else:
            path = base + _keys(f"{text[start:equals]}= 0")
        yield path, start, stop


def _statements(text: str) -> list[tuple[int, int, int]]:
    """Start, position of the first = (-1 for headers) and end of every statement."""
    made = []
    start, depth, equals = 0, 0, -1
    for match in [*_TOML.finditer(text), None]:
        word = "\n" if match is None else match[0]
        at, end = (len(text), len(text)) if match is None else match.span()
        if word == "=" and depth == 0 and equals < 0:
            equals = at
        elif word in "[{":
            depth += 1
        elif word in "]}":
            depth -= 1
        elif word == "\n" and depth <= 0 or word[0] == "#" and depth <= 0:
            body = text[start:at]
            if body.strip():
                made.append((start + len(body) - len(body.lstrip()), equals, at))
            start, depth, equals = end, 0, -1
    return made


def _keys(statement: str) -> Path:
    """Path that a header or a key stands for, by the reader itself."""
    here: Any = tomllib.loads(statement)
    path: list[Any] = []
    while isinstance(here, dict | list) and len(here):
        key = next(iter(here)) if isinstance(here, dict) else 0
        if isinstance(here, dict):
            path.append(key)
        here = here[key]
    return tuple(path)


def json_lines(text: str) -> dict[Path, int]:
    """Lines of the members of a JSON text."""
    ends = [m.start() for m in re.finditer("\n", text)]
    found: dict[Path, int] = {}
    path: list[Any] = []  # one entry per open container: the key or index that is being read
    objects: list[bool] = []
    previous = ""
    for match in _JSON.finditer(text):
        word = match[0]
        line = bisect_right(ends, match.start()) + 1
        if objects and objects[-1] and word[0] == '"' and previous in ("{", ","):
            path[-1] = json.loads(word)
            found.setdefault(tuple(path), line)
        elif objects and not objects[-1] and previous in ("[", ",") and word != "]":
            found.setdefault(tuple(path), line)
        if word in "{[":
            objects.append(word == "{")
            path.append("" if word == "{" else 0)
        elif word in "}]":
            objects.pop()
            path.pop()
        elif word == "," and objects and not objects[-1]:
            path[-1] += 1
        previous = word
    return found
