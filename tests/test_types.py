"""Where the kind of a run, model, system, body or part is known, its type says so: `Any` is left in few places, each for a reason."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

import dalembert

PACKAGE = Path(dalembert.__file__).parent
NAMES = {"run", "model", "system", "prepared", "here", "body", "part"}
# (why, file): how many are left; a new one needs a type, or a reason
LEFT: dict[str, dict[str, int]] = {
    "what a user gives: by itself, by name or wrong, read and refused there": {
        "analyses/classify.py": 1,
        "analyses/equations.py": 7,
        "analyses/free_body.py": 1,
        "analyses/pose/impulse.py": 3,
        "analyses/reactions.py": 2,
        "io/files.py": 2,
        "model/forces/_load.py": 1,
        "model/joints/_absolute.py": 1,
        "model/kinds.py": 3,
        "options/call.py": 1,
        "pictures/film.py": 1,
        "results/parts.py": 1,
        "results/plot.py": 1,
        "results/result.py": 6,
        "results/saved.py": 1,
        "sweeps/sweep.py": 2,
        "symbolic/export/export.py": 1,
        "symbolic/mechanism/forms.py": 1,
        "symbolic/noncentroidal.py": 1,
        "symbolic/theory_parts.py": 8,
    },
    "anything that a model holds, by method and arguments": {
        "io/encode.py": 1,
        "model/changed.py": 3,
        "model/lagrangian/lagrangian.py": 2,
        "model/mechanism.py": 4,
        "model/model.py": 2,
    },
    "bodies or coordinates, and each user knows which; or what a layer below cannot name": {
        "analyses/dynamics/dynamics.py": 2,
        "analyses/events/grips.py": 1,
        "analyses/rest/balance.py": 1,
        "analyses/rest/continuation.py": 1,
        "analyses/small_motions/friction.py": 3,
        "analyses/small_motions/linearization.py": 1,
        "model/auxiliary.py": 1,
        "model/events.py": 1,
        "model/forces/_dry.py": 2,
        "model/lagrangian/friction.py": 1,
        "pictures/drawing.py": 1,
        "results/record.py": 1,
        "viewer/drawn.py": 1,
        "viewer/subject.py": 1,
    },
    "something else of that name: a pair, a function, the memory of the time loop, an expression": {
        "analyses/driven/singular.py": 1,
        "analyses/simulate.py": 1,
        "io/lines.py": 1,
        "kernels/through.py": 1,
        "solve/leap.py": 1,
        "solve/stepping/records.py": 1,
        "studio/tasks.py": 1,
        "symbolic/small_oscillations.py": 2,
    },
}


def untyped(text: str) -> list[str]:
    """Names of arguments, fields and variables of a source text that are annotated with `Any`, of those that have a type."""
    found = []
    for node in ast.walk(ast.parse(text)):
        pairs: list[tuple[str, ast.expr | None]] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            pairs = [(argument.arg, argument.annotation) for argument in every]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            pairs = [(node.target.id, node.annotation)]
        found += [name for name, kind in pairs if name in NAMES and isinstance(kind, ast.Name) and kind.id == "Any"]
    return found


def test_known_kinds_have_types():
    allowed = Counter({file: count for files in LEFT.values() for file, count in files.items()})
    found = {
        path.relative_to(PACKAGE).as_posix(): untyped(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    assert {file: names for file, names in found.items() if len(names) > allowed[file]} == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(run: Any, q: Any, *, part: Any = None): ...", ["run", "part"]),
        ("class A:\n    model: Any = None\n    def f(self, body: Any): ...", ["model", "body"]),
        ("def f(run: Record, here: dict[str, Any]):\n    system: Any = run", ["system"]),
        ("def f(run, model: 'Mechanism'): ...", []),
    ],
)
def test_what_is_counted(text, names):
    assert sorted(untyped(text)) == sorted(names)
