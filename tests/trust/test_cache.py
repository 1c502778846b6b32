"""Machine code on disk is believed only where it is whole: damaged files, dead compilers and full disks cost time, never an answer."""

from __future__ import annotations

import os
import random
import types
from pathlib import Path

import pytest

from dalembert.kernels import compiler, disk

pytestmark = pytest.mark.skipif(not compiler.COMPILE, reason="nothing is compiled")


def twice(x):
    return 2.0 * x


def thrice(x):
    return 3.0 * x


def start(folder: Path, function=twice):
    """The entry as a new process finds it: nothing compiled in memory."""
    fresh = types.FunctionType(function.__code__, globals(), function.__name__)
    fresh.__module__ = __name__
    return compiler.kept_in(folder, fresh)


def compiled(entry) -> int:
    """How often it was compiled, not loaded."""
    return sum(entry.stats.cache_misses.values())


def only(folder: Path) -> Path:
    (file,) = folder.glob("*.code")
    return file


@pytest.fixture(autouse=True)
def untold(monkeypatch):
    monkeypatch.setattr(disk, "_told", set())
    monkeypatch.setattr(disk, "in_use", {})
    monkeypatch.setattr(disk, "not_written", set())


def test_the_second_start_loads(tmp_path, capfd):
    first, second = start(tmp_path), start(tmp_path)
    assert first(2.0) == 4.0 and compiled(first) == 1
    assert second(3.0) == 6.0 and compiled(second) == 0
    assert capfd.readouterr().err == ""
    assert [p.name for p in tmp_path.iterdir()] == [only(tmp_path).name]


DAMAGE = {
    "empty": lambda raw: b"",
    "cut in the head": lambda raw: raw[:10],
    "cut": lambda raw: raw[: len(raw) // 2],
    "one byte too few": lambda raw: raw[:-1],
    "longer": lambda raw: raw + b"x",
    "noise": lambda raw: random.Random(1).randbytes(len(raw)),
    "one bit in the machine code": lambda raw: (
        raw[: len(raw) // 2] + bytes([raw[len(raw) // 2] ^ 1]) + raw[len(raw) // 2 + 1 :]
    ),
    "a pickle of something else": lambda raw: __import__("pickle").dumps([1, 2, 3]),
    "an older format": lambda raw: raw.replace(b"machine code 1", b"machine code 0", 1),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files_are_discarded_and_compiled_again(tmp_path, capfd, damage):
    start(tmp_path)(2.0)
    file = only(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(DAMAGE[damage](whole))
    again = start(tmp_path)
    assert again(2.0) == 4.0 and compiled(again) == 1
    told = capfd.readouterr().err
    assert "damaged" in told and str(file) in told and "Traceback" not in told
    # healed: the next start loads, and says nothing
    after = start(tmp_path)
    assert after(2.0) == 4.0 and compiled(after) == 0 and capfd.readouterr().err == ""


def test_code_of_another_function_is_not_run(tmp_path, capfd):
    """A whole file under a wrong name (two processors in one home folder can do that) would be a wrong answer."""
    start(tmp_path)(2.0)
    file = only(tmp_path)
    other = tmp_path / "other"
    start(other, thrice)(2.0)
    file.write_bytes(only(other).read_bytes())
    again = start(tmp_path)
    assert again(2.0) == 4.0 and "another function" in capfd.readouterr().err


def test_a_folder_that_cannot_be_written(tmp_path, capfd):
    (tmp_path / "file").write_text("in the way")
    entry = start(tmp_path / "file" / "cache")
    assert entry(2.0) == 4.0
    told = capfd.readouterr().err
    assert "cannot be kept" in told and "DALEMBERT_CACHE" in told


def test_a_full_disk(tmp_path, capfd, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "replace", full)
    entry = start(tmp_path)
    assert entry(2.0) == 4.0
    monkeypatch.undo()
    assert "No space left" in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []
