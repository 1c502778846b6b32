"""Machine code on disk is believed only where it is whole: damaged files, dead compilers and full disks cost time, never an answer."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import types
from pathlib import Path

import pytest

from dalembert import compilation, locks
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


def test_what_a_kill_left_behind_is_not_read(tmp_path, capfd):
    start(tmp_path)(2.0)
    file = only(tmp_path)
    file.rename(tmp_path / f".{file.name}.0123456789ab.part")
    again = start(tmp_path)
    assert again(2.0) == 4.0 and compiled(again) == 1 and capfd.readouterr().err == ""


# -- all entries of a family -------------------------------------------------------------------------------------------


@pytest.fixture
def family(tmp_path, monkeypatch):
    """A family of two small entries, compiled as the large ones are, without a second process; returns them for a new start."""
    entries = {}

    def begin(folder: Path = tmp_path):
        entries.update(integrate=start(folder), operate=start(folder, thrice))
        monkeypatch.setattr(compilation, "_marker", lambda _: folder / "complete-here")
        return lambda: {name: compiled(entry) for name, entry in entries.items()}

    def none(*_: object, **__: object) -> None:
        raise OSError(11, os.strerror(11))

    monkeypatch.setattr("dalembert.warmup.warm", lambda which: entries[which](2.0))
    monkeypatch.setitem(compilation.FAMILIES, "mechanisms", (("operate", "integrate"), "a moment"))
    monkeypatch.setattr(compilation, "subprocess", types.SimpleNamespace(Popen=none, DEVNULL=subprocess.DEVNULL))
    # whoever waits here waits for ever
    monkeypatch.setattr(compilation, "LONGEST_WAIT", float("inf"))
    return begin


def test_a_family_is_complete_only_with_all_its_files(family, tmp_path, capfd):
    """The mark of completeness stayed where files were deleted or cut off later."""
    times = family()
    assert compilation.ensure_compiled(quiet=True) > 0.0 and times() == {"integrate": 1, "operate": 1}
    assert compilation.is_cached() and compilation.ensure_compiled(quiet=True) == 0.0
    assert capfd.readouterr().err == ""
    whole = {path.name: path.read_bytes() for path in tmp_path.glob("*.code")}
    names = sorted(whole)
    for damage in (
        Path.unlink,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(whole[path.name][:99]),
    ):
        damage(tmp_path / names[0])
        assert not compilation.is_cached()
        times = family()
        compilation.ensure_compiled(quiet=True)
        assert sum(times().values()) == 1 and compilation.is_cached()
        assert "missing or damaged" in capfd.readouterr().err
        disk._told.clear()
    for mark in (b"", b"[1]", b"{}", b"null", b'{"a": "b"}', b"\xff", b"[" * 100_000):
        (tmp_path / "complete-here").write_bytes(mark)
        assert not compilation.is_cached()
        times = family()
        compilation.ensure_compiled(quiet=True)
        assert sum(times().values()) == 0 and compilation.is_cached()


HOLDER = """
import os, sys
from dalembert import locks
number = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
print(locks.take(number), flush=True)
sys.stdin.read()
"""


def test_the_lock_of_a_killed_compiler_stops_nobody(family, tmp_path):
    """The next one waited for ten minutes."""
    command = [sys.executable, "-c", HOLDER, tmp_path / "compiling"]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "True\n"
    times = family()
    waiting = threading.Thread(target=compilation.ensure_compiled, kwargs={"quiet": True})
    waiting.start()
    assert times() == {"integrate": 0, "operate": 0}  # the holder lives
    holder.kill()
    holder.communicate()
    waiting.join()
    assert times() == {"integrate": 1, "operate": 1} and compilation.is_cached()


def test_a_living_compiler_that_never_ends_stops_nobody(family, tmp_path, monkeypatch):
    number = os.open(tmp_path / "compiling", os.O_RDWR | os.O_CREAT)
    assert locks.take(number)
    monkeypatch.setattr(compilation, "LONGEST_WAIT", 0.0)
    times = family()
    compilation.ensure_compiled(quiet=True)
    os.close(number)
    assert times() == {"integrate": 1, "operate": 1} and compilation.is_cached()


def test_a_family_without_a_folder(family, tmp_path, capfd):
    (tmp_path / "file").write_text("in the way")
    times = family(tmp_path / "file" / "cache")
    compilation.ensure_compiled(quiet=True)
    told = capfd.readouterr().err
    assert times() == {"integrate": 1, "operate": 1} and not compilation.is_cached()
    assert told.count("cannot be kept") == 1 and "Traceback" not in told


def test_a_family_on_a_full_disk_is_not_complete(family, tmp_path, capfd, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    times = family()
    monkeypatch.setattr(Path, "replace", full)
    compilation.ensure_compiled(quiet=True)
    assert times() == {"integrate": 1, "operate": 1} and not compilation.is_cached()
    assert "No space left" in capfd.readouterr().err
