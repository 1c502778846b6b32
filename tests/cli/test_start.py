"""Help, version, misspelt names, completion: quick, and nothing heavy is imported for them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dalembert import __version__
from dalembert.cli.main import dalembert
from dalembert.cli.table import COMMANDS, MODULES

from .conftest import command, environment

HEAVY = {"numpy", "scipy", "numba", "llvmlite", "sympy", "matplotlib", "pandas"}


@pytest.mark.parametrize("asked", [["--help"], ["--version"], [], ["run", "--help"], ["sweep", "--help"]])
def test_help_imports_nothing_heavy(asked):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "dalembert", *asked], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0
    loaded = {line.split("|")[-1].strip().partition(".")[0] for line in done.stderr.splitlines() if "|" in line}
    assert "click" in loaded
    assert not loaded & HEAVY


def test_help_costs_little():
    """A tenth of a second is what some 200 modules take, and few of them may be ours; counted, not timed: a loaded machine has no part in it."""
    line = [sys.executable, "-X", "importtime", "-m", "dalembert", "--help"]
    done = subprocess.run(line, capture_output=True, text=True, check=True, timeout=600)
    assert "Usage: dalembert" in done.stdout
    loaded = [line.split("|")[-1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert len(loaded) < 250 and sum(name.startswith("dalembert") for name in loaded) < 15, sorted(loaded)


def test_every_command_is_in_the_help_and_has_an_example(call):
    listed = call("--help").out
    for group in COMMANDS.values():
        for name, (_, text) in group.items():
            assert f"  {name} " in listed and text in listed
            own = call(name, "--help")
            assert own.code == 0 and "Example" in own.out and "dalembert " + name in own.out, name


def test_version_and_nothing(call):
    assert call("--version").out == f"dalembert {__version__}\n"
    assert call().out == call("--help").out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["rum"], "did you mean 'run'"),
        (["equilibrum", "x.toml"], "did you mean 'equilibrium'"),
        (["run", "x.toml", "--ouut", "y"], "--out"),
        (["modes", "x.toml", "--at", "begin"], "start"),
        (["run"], "FILE"),
        (["run", "x.toml", "--set", "r"], "NAME=VALUE"),
        (["dynamics", "x.toml", "--until", "2 kg"], "a time (s) belongs here"),
        (["dynamics", "x.toml", "--until", "soon"], "no number"),
    ],
)
def test_misspelt_command_lines(call, given, said):
    found = call(*given)
    assert found.code == 2 and said in found.err and "--help" in found.err and not found.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(call, shell):
    assert "_DALEMBERT_COMPLETE" in call("completion", shell).out
    assert shell in call("completion").out


def test_completion_of_commands_and_parameters(crank):
    def completed(*words: str) -> list[str]:
        env = environment(
            _DALEMBERT_COMPLETE="bash_complete", COMP_WORDS=" ".join(words), COMP_CWORD=str(len(words) - 1)
        )
        done = command(env=env)
        assert done.returncode == 0, done.stderr
        return [line.partition(",")[2] for line in done.stdout.splitlines()]

    assert completed("dalembert", "equ") == ["equilibrium", "equations"]
    assert completed("dalembert", "new", "slider") == ["slider-crank"]
    assert completed("dalembert", "run", "slider-crank.toml", "--set", "r") == ["r="]


def test_python_minus_m_is_the_same():
    assert command("--version").stdout == f"dalembert {__version__}\n"
    assert set(MODULES) == set(dalembert.list_commands(None))
