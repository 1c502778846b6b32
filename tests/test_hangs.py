"""A test that hangs ends as a failure of that test, with the place where it was; the other tests run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HANGING = """
import collections, itertools

def test_before():
    pass

def test_hangs():
    endless_in_compiled_code()

def endless_in_compiled_code():
    collections.deque(itertools.repeat(0), maxlen=0)

def test_after():
    pass
"""


def test_the_limit_is_set(request):
    assert request.config.getini("faulthandler_exit_on_timeout")
    assert 0.0 < float(request.config.getini("faulthandler_timeout")) <= 3000.0


def test_a_hanging_test_fails_and_the_others_run(tmp_path):
    """The limit is 5 s here, in a loop of C that no signal ends."""
    (tmp_path / "test_hanging.py").write_text(HANGING)
    project = Path(__file__).parent.parent / "pyproject.toml"
    line = [sys.executable, "-m", "pytest", "-c", str(project), "--rootdir", str(tmp_path), "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*line, "-n", "1", "-o", "faulthandler_timeout=5", "test_hanging.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    report = done.stdout + done.stderr
    assert done.returncode == 1 and "1 failed, 2 passed" in report, report
    assert "crashed while running 'test_hanging.py::test_hangs'" in report
    assert "in endless_in_compiled_code" in report and "in test_hangs" in report
