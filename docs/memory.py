"""Writes `docs/memory.md`: what a compiled mechanism has in memory, from the tables of `system/memory.py` and the names of `kernels/layout.py`."""

from __future__ import annotations

import tokenize
from pathlib import Path

from dalembert.kernels import layout as at
from dalembert.system.memory import COUNTS, HEADER, MEMORY

INTRODUCTION = """# Memory of a compiled mechanism

Made of `system/memory.py` and `kernels/layout.py` by `python docs/memory.py`; a test compares.

Kernels work on three flat arrays: `I` (integers: a header, then tables) and `P` (numbers of the model) are constant after `compile`; `F` is
scratch, one for each thread. Outside `system/` and the kernels everything is asked for by name: parts of `F` are views of a workspace
(`work.lam`), rows and masses come from `system/rows.py`, the rest are attributes of the `System`.
"""


def told() -> dict[int, tuple[str, str]]:
    """Name of each entry of the header, and what `kernels/layout.py` says of it in the comment behind."""
    names = [name for name, x in vars(at).items() if name.isupper() and isinstance(x, int)][: at.HEADER]
    found, name = {getattr(at, name): (name, "") for name in names}, ""
    with Path(at.__file__).open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.NAME:
                name = token.string
            elif token.type == tokenize.COMMENT and name in names and token.line.lstrip().startswith(name):
                found[getattr(at, name)] = name, token.string.lstrip("# ")
    return found


def page() -> str:
    """The text."""
    entries = told()
    lines = [INTRODUCTION, "## Parts of F", "", "| view | header | size | holds |", "|---|---|---|---|"]
    for part in MEMORY:
        name, holds = entries[part.entry]
        lines.append(f"| `{part.name}` | `{name}` | {' × '.join(map(str, part.size))} | {holds} |")
    lines += ["", "## Counts", "", "| count | header | what is counted |", "|---|---|---|"]
    inside = {count: f"`{entries[entry][0]}`" for entry, count in HEADER.items()}
    lines += [f"| {count} | {inside.get(count, '')} | {text} |" for count, text in COUNTS.items()]
    tables = [f"| `{name}` | {holds} |" for entry, (name, holds) in entries.items() if at.ITEM0 <= entry < at.BODY]
    return (
        "\n".join([*lines, "", "## Tables of I and numbers of P", "", "| header | holds |", "|---|---|", *tables])
        + "\n"
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page(), encoding="utf-8")
