"""Text of model files: TOML and JSON to plain data and back, with limits.

Files are data: they are read by the parsers of the standard library, no code runs from them.  Limits are stated here and enforced
before anything is built.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from itertools import accumulate
from typing import Any

from .problems import Problems

MAX_BYTES = 5_000_000  # size of a file
MAX_DEPTH = 20  # nested tables and lists
MAX_DOTS = 10  # in a key of TOML such as bodies.crank.shape.rod.length
MAX_PARTS = 20_000  # bodies, joints, forces, ... together

_STRING = re.compile(
    r'"""(?:\\.|(?!""")[^\\])*"""|' + r"'''(?:(?!''').)*'''|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|#[^\n]*",
    re.DOTALL,
)
_CHAIN = re.compile(r"[\w\-. \t]+")  # keys and numbers, strings and comments being taken out
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BRACKET = re.compile(r"[\[\]{}]")
_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def read_text(text: str, is_json: bool, problems: Problems) -> dict[str, Any]:
    """Plain data of a text; what cannot be read is a problem, and raised at once."""
    bare = re.sub(r'"(?:\\.|[^"\\])*"', "", text) if is_json else _STRING.sub("", text)
    if max(accumulate(1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(bare)), default=0) > MAX_DEPTH:
        problems.add((), f"lists or tables nested deeper than {MAX_DEPTH}; a model needs fewer")
    problems.check()
    if not is_json and any(chain.count(".") > MAX_DOTS for chain in _CHAIN.findall(bare)):
        # the reader takes time and memory that grow with the square of such a key: it never sees one
        problems.add((), f"a key of more than {MAX_DOTS + 1} parts joined by dots; a model needs fewer")
    problems.check()
    try:
        data = _json(text) if is_json else tomllib.loads(text)
    except json.JSONDecodeError as error:
        number = error.lineno
        problems.line_of = lambda path: number
        problems.add((), f"not valid JSON: {error.msg} at column {error.colno}")
    except tomllib.TOMLDecodeError as error:
        at = _LINE.search(str(error))
        line = int(at[1]) if at else text.count("\n") + 1
        problems.line_of = lambda path: line
        problems.add((), f"not valid TOML: {_LINE.sub('', str(error)).strip()}")
    except (ValueError, RecursionError, OverflowError, MemoryError) as error:
        problems.add((), f"it cannot be read: {error}")
    problems.check()
    if not isinstance(data, dict):
        problems.wrong_type((), data, "a table of named values")
    elif _nesting(data) > MAX_DEPTH:
        problems.add((), f"tables nested deeper than {MAX_DEPTH}; a model needs fewer")
    problems.check()
    return data  # type: ignore[no-any-return]


def _json(text: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            raise ValueError(f"the name {next(n for n in names if names.count(n) > 1)!r} stands twice in one table")
        return made

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is no number of a model")

    return json.loads(text, object_pairs_hook=unique, parse_constant=constant)


def _nesting(data: Any) -> int:
    """Depth of nested data, without recursion; dotted keys nest without brackets."""
    deepest, level = 0, [data]
    while level and deepest <= MAX_DEPTH:
        inner = (item for x in level for item in (x.values() if isinstance(x, dict) else x))
        level = [item for item in inner if isinstance(item, dict | list)]
        deepest += 1
    return deepest


# -- writing -----------------------------------------------------------------------------------------------------------


def write_json(data: dict[str, Any]) -> str:
    """JSON text of plain data."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_toml(data: dict[str, Any]) -> str:
    """TOML text of plain data: plain values first, then one table per section or named part."""
    blocks = ["\n".join(f"{_key(k)} = {_value(x)}" for k, x in data.items() if not isinstance(x, dict))]
    for section, table in data.items():
        if not isinstance(table, dict):
            continue
        named = table and section in NAMED and all(isinstance(x, dict) for x in table.values())
        if named:
            blocks += [_table(f"{_key(section)}.{_key(name)}", inner) for name, inner in table.items()]
        else:
            blocks.append(_table(_key(section), table))
    return "\n\n".join(block for block in blocks if block) + "\n"


# sections that hold one table per name
NAMED = (
    "tables", "bodies", "particles", "measures", "joints", "states", "forces", "drivers", "loads", "start", "events",
    "impacts", "frictions",
)  # fmt: skip


def _table(header: str, table: dict[str, Any]) -> str:
    return "\n".join([f"[{header}]", *(f"{_key(k)} = {_value(x)}" for k, x in table.items())])


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    escapes: dict[str, str | int | None] = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    for c in {*text} - escapes.keys():
        if not c.isprintable():
            escapes[c] = f"\\u{ord(c):04x}" if ord(c) < 65536 else f"\\U{ord(c):08x}"
    return f'"{text.translate(str.maketrans(escapes))}"'


def _value(x: Any) -> str:
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, str):
        return _string(x)
    if isinstance(x, int):
        return str(x)
    if isinstance(x, float):
        whole = x == math.floor(x) and abs(x) < 1e15 and (x != 0.0 or math.copysign(1.0, x) > 0)
        return str(int(x)) if whole else repr(x)
    if isinstance(x, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in x.items()) + " }" if x else "{}"
    return "[" + ", ".join(_value(item) for item in x) + "]"
