"""Files that comments, docstrings and pages for developers name are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dalembert

PACKAGE = Path(dalembert.__file__).parent
ROOT = Path(__file__).parents[1]
TOLD = [*sorted(PACKAGE.rglob("*.py")), *sorted((ROOT / "docs" / "decisions").glob("*.md")), ROOT / "docs" / "tour.md", ROOT / "CONTRIBUTING.md"]  # fmt: skip
BESIDE = [path for name in ("tests", "docs", "benchmarks", "viewer") for path in (ROOT / name).rglob("*.py")]
THERE = [f"/{path.as_posix()}" for path in (*PACKAGE.rglob("*.py"), *BESIDE, *ROOT.glob("*.py"))]


def missing(text: str) -> list[str]:
    """Files named like `system/build.py` that are nowhere in the package, nor beside it."""
    named = dict.fromkeys(re.findall(r"`((?:[\w-]+/)*\w+\.py)`", text))
    return [name for name in named if not any(path.endswith(f"/{name.removeprefix('src/dalembert/')}") for path in THERE)]  # fmt: skip


@pytest.mark.parametrize("path", TOLD, ids=lambda path: path.name)
def test_files_that_are_named_are_there(path):
    # NAME stands for any file
    assert [name for name in missing(path.read_text(encoding="utf-8")) if "NAME" not in name] == []


def test_a_missing_file_is_noticed():
    assert missing("see `system/build.py`, `system/nowhere.py` and `tests/work.py`") == ["system/nowhere.py"]
