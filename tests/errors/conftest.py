"""Fixtures of the tests of errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture
def no_kernels(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail if anything compiled is called: these mistakes are found before."""
    import dalembert.analyses.pose.rank as rank
    import dalembert.solve.problem as problem

    def called(*_: Any) -> None:
        raise AssertionError("a kernel was called before the mistake was told")

    monkeypatch.setattr(rank, "operate", called)
    monkeypatch.setattr(problem, "operate", called)
    yield
