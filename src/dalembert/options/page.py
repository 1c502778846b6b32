"""Writes docs/options.md, the options of every verb: `python -m dalembert.options.page docs/options.md`."""

from __future__ import annotations

import sys
from pathlib import Path

from .option import Option, described, shown_default
from .tables import OTHERS, TABLES

HEADER = """# Options of the verbs

The same names in Python, in tables of [model files](model-files.md), as flags of the [command line](command-line.md) (`max_step` is `--max-step`) and as fields of the
[studio](studio.md). Numbers are in SI units; in files and on the command line they may have others (`--until '500 ms'`), and angles must. A wrong value is told before anything is
computed. This page is written from the tables that check them, `src/dalembert/options/tables.py`.
"""
_WHERE = {"python": "Python only", "files": "files, command line"}


def text() -> str:
    """The page."""
    return "\n".join([HEADER, *(_section(verb, table) for verb, table in {**TABLES, **OTHERS}.items() if table)])


def _section(verb: str, table: dict[str, Option]) -> str:
    rows = ["| option | value | default | |", "|---|---|---|---|"]
    for name, option in table.items():
        where = f" *({_WHERE[option.only]})*" if option.only else ""
        flag = f" *(`--{option.flag}`)*" if option.flag else ""
        kind = described(option).replace("|", "\\|")
        rows.append(f"| `{name}` | {kind} | {shown_default(option)} | {option.help}{where}{flag} |")
    return "\n".join([f"## {verb}\n", *rows, ""])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
