"""The page on expressions: its tables are complete; `tests/test_docs.py` runs its examples."""

from pathlib import Path

from dalembert.model.expression import CONSTANTS, FUNCTIONS, MAX_DEPTH, MAX_LENGTH, MAX_NODES

PAGE = (Path(__file__).parents[2] / "docs" / "expressions.md").read_text(encoding="utf-8")


def test_tables_are_complete():
    for name, function in FUNCTIONS.items():
        assert f"`{function.signature(name)}`" in PAGE
    for word in [*CONSTANTS, str(MAX_LENGTH), str(MAX_NODES), str(MAX_DEPTH)]:
        assert word in PAGE
