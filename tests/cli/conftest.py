"""The command line called as by people: in an empty folder, its answer by its exit code, text and error text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dalembert.cli.main import main

PENDULUM = """
name = "pendulum"
gravity = [0, -10]

[parameters]
l = "1 m"

[bodies.bar]
shape = { rod = { length = "l", mass = "2 kg" } }
at = ["l/2", 0]

[joints.A]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0]
"""

TWO_PINS = """
[joints.B]
type = "revolute"
between = ["ground", "bar"]
at = [3, 0]
on = ["bar", [0.5, 0]]
"""


@dataclass
class Answer:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(folder, capsys):
    """Call the command line in this process."""

    def called(*arguments: Any) -> Answer:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(x) for x in arguments])
        seen = capsys.readouterr()
        for text in (seen.out, seen.err):
            assert "Traceback" not in text and "mistake of dalembert" not in text, text
        return Answer(left.value.code, seen.out, seen.err)

    return called


@pytest.fixture
def pendulum(folder) -> Path:
    file = folder / "pendulum.toml"
    file.write_text(PENDULUM, encoding="utf-8")
    return file


@pytest.fixture
def crank(call, folder) -> Path:
    assert call("new", "slider-crank").code == 0
    return folder / "slider-crank.toml"


def command(*arguments: Any, **options: Any) -> subprocess.CompletedProcess:
    """Call the command line in a process of its own."""
    line = [sys.executable, "-m", "dalembert", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, timeout=1200, **{"text": True, **options})


def environment(**changed: str) -> dict[str, str]:
    return {**os.environ, **changed}
