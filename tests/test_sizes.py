"""Functions are short enough to be read at once: no more than 80 lines of code, docstring excluded."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import dalembert

PACKAGE = Path(dalembert.__file__).parent
MOST = 80
# (file, function): why it is longer
EXCEPTIONS: dict[tuple[str, str], str] = {}


def lines_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function from `def` to its end, without those of its docstring."""
    first = node.body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    docstring = (first.end_lineno or 0) - first.lineno + 1 if told else 0
    return (node.end_lineno or 0) - node.lineno + 1 - docstring


def long_functions(text: str) -> dict[str, int]:
    """Functions of a source text that are too long, with their lines."""
    nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node.name: lines_of(node) for node in nodes if lines_of(node) > MOST}


def test_no_function_is_too_long():
    found = {
        (path.relative_to(PACKAGE).as_posix(), name): lines
        for path in sorted(PACKAGE.rglob("*.py"))
        for name, lines in long_functions(path.read_text(encoding="utf-8")).items()
    }
    assert {key: lines for key, lines in found.items() if key not in EXCEPTIONS} == {}
    assert set(EXCEPTIONS) <= set(found), "an exception that is not needed any more"


@pytest.mark.parametrize(("body", "long"), [(MOST - 1, False), (MOST, True)])
@pytest.mark.parametrize("docstring", ["", '    """One.\n\n    Two.\n    """\n'])
def test_lines_are_counted(body, long, docstring):
    text = "def f():\n" + docstring + "    x = 1\n" * body
    assert bool(long_functions(text)) == long
    assert bool(long_functions("class A:\n" + "".join(f"    {line}\n" for line in text.splitlines()))) == long
