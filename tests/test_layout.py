"""Layout stays inside: only the kernels, the compiled time loop and `system/` know where things lie in I, P and F."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

import dalembert
from dalembert.kernels import layout

PACKAGE = Path(dalembert.__file__).parent
# the time loop is compiled like the kernels
INSIDE = ("kernels", "system", "machine", "solve/stepping")
OUTSIDE = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if not path.relative_to(PACKAGE).as_posix().startswith(tuple(f"{folder}/" for folder in INSIDE))
]


def offsets_in(text: str) -> list[str]:
    """Lines of a file that import the layout, or look something up in the tables or numbers of the kernels."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(alias.name for alias in node.names)]
            if any(name.split(".")[-1] == "layout" for name in names):
                found.append(f"line {node.lineno}: layout is imported")
        if isinstance(node, ast.Subscript):
            value = node.value
            name = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
            if name in ("I", "P"):
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize("path", OUTSIDE, ids=[str(path.relative_to(PACKAGE)) for path in OUTSIDE])
def test_nothing_above_the_system_computes_places(path):
    assert not offsets_in(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "line",
    [
        "from ...kernels import layout as at",
        "from ..kernels.layout import ROW",
        "x = n.I[3]",
        "x = I[0]",
        "s.P[1:2] = 0",
    ],
)
def test_places_are_noticed(line):
    assert offsets_in(line)


def test_page_on_the_memory():
    """`docs/memory.md` is what `python docs/memory.py` writes."""
    docs = Path(__file__).parents[1] / "docs"
    made = runpy.run_path(str(docs / "memory.py"))["page"]()
    assert made == (docs / "memory.md").read_text(encoding="utf-8")
    told = [line.split("|")[4].strip() for line in made.split("## Counts")[0].splitlines() if line.startswith("| `")]
    assert len(told) == len(layout.PARTS) and all(told)


def test_every_entry_of_the_header_is_described_once():
    numbers = [x for name, x in vars(layout).items() if name.isupper() and isinstance(x, int)][: layout.HEADER]
    assert numbers == list(range(layout.HEADER)) and all(layout.ENTRIES)
    assert [part.entry for part in layout.PARTS] == list(range(layout.BODY, layout.HEADER))
    used = {x for part in layout.PARTS for x in part.size if isinstance(x, str)} | set(layout.COUNTED)
    assert used == set(layout.COUNTS)
