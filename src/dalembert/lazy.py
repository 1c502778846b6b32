"""Packages whose names are imported when they are used first.

Each name is one line of the stub beside `__init__.py`, `from .file import name as name`: type checkers and editors read it, and run time learns from it
where a name lives.
"""

from __future__ import annotations

import re
from pathlib import Path


def homes(init: str) -> dict[str, str]:
    """Module of every name, by the stub beside an `__init__.py`; "" where the name is a module."""
    lines = Path(init).with_suffix(".pyi").read_text(encoding="utf-8")
    return {name: home for home, name in re.findall(r"^from \.([\w.]*) import \w+ as (\w+)$", lines, re.M)}
