"""Machine code on disk is believed only where it is whole: damaged files, dead compilers and full disks cost time, never an answer."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dalembert import compilation, locks
from dalembert.kernels import compiler
from dalembert.machine import disk, llvm
from dalembert.machine.entry import Entry

pytestmark = pytest.mark.skipif(not compiler.COMPILE, reason="nothing is compiled")


def twice(x: float):
    return 2.0 * x


def thrice(x: float):
    return 3.0 * x


def start(function=twice):
    """The entry as a new process finds it: nothing compiled in memory."""
    return Entry(function, lambda: "sources")


def only(folder: Path) -> Path:
    (file,) = folder.glob("*.code")
    return file


@pytest.fixture(autouse=True)
def made(monkeypatch, tmp_path):
    """An empty folder, nothing said yet; counts how often something is compiled."""
    times = []
    compile_it = llvm.machine_code
    monkeypatch.setattr(disk, "_told", set())
    monkeypatch.setattr(llvm, "machine_code", lambda *given, **how: times.append(1) or compile_it(*given, **how))
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    return times


def test_the_second_start_loads(tmp_path, capfd, made):
    assert start()(2.0) == 4.0 and len(made) == 1
    assert start()(3.0) == 6.0 and len(made) == 1
    assert capfd.readouterr().err == ""


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
    "an older format": lambda raw: raw.replace(b"machine code 2", b"machine code 1", 1),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files_are_discarded_and_compiled_again(tmp_path, capfd, damage, made):
    start()(2.0)
    file = only(tmp_path)
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    assert start()(2.0) == 4.0 and len(made) == 2
    told = capfd.readouterr().err
    assert "damaged" in told and str(file) in told and "Traceback" not in told
    # healed: the next start loads, and says nothing
    assert start()(2.0) == 4.0 and len(made) == 2 and capfd.readouterr().err == ""


def test_code_of_another_function_is_not_run(tmp_path, capfd, made):
    """A whole file under a wrong name would be a wrong answer."""
    start()(2.0)
    file = only(tmp_path)
    start(thrice)(2.0)
    (other,) = set(tmp_path.glob("*.code")) - {file}
    file.write_bytes(other.read_bytes())
    assert start()(2.0) == 4.0 and "damaged" in capfd.readouterr().err and len(made) == 3


def test_a_folder_that_cannot_be_written(tmp_path, capfd, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "file" / "cache"))
    assert start()(2.0) == 4.0
    told = capfd.readouterr().err
    assert "cannot be kept" in told and "DALEMBERT_CACHE" in told


def test_a_full_disk(tmp_path, capfd, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "replace", full)
    assert start()(2.0) == 4.0
    monkeypatch.undo()
    assert "No space left" in capfd.readouterr().err
    assert not list(tmp_path.glob("*.code")) and not list(tmp_path.glob(".*.part"))


def test_what_a_kill_left_behind_is_not_read(tmp_path, capfd, made):
    start()(2.0)
    file = only(tmp_path)
    file.rename(tmp_path / f".{file.name}.0123456789ab.part")
    assert start()(2.0) == 4.0 and len(made) == 2 and capfd.readouterr().err == ""


def test_arguments_of_another_kind_are_refused():
    import numpy as np

    def first(x):
        return x[0]

    entry = Entry(first, lambda: "sources")
    assert entry(np.array([3.0, 4.0])) == 3.0
    for wrong in (np.zeros((2, 2)), np.zeros(6)[::2], np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.float32)):
        with pytest.raises(TypeError, match="not contiguous"):
            entry(wrong)
    with pytest.raises(TypeError, match="float32"):
        Entry(first, lambda: "other sources")(np.zeros(2, dtype=np.float32))


# -- all entries of a family -------------------------------------------------------------------------------------------


@pytest.fixture
def family(monkeypatch):
    """Small entries in the place of large ones; gives fresh ones, as a new process has them."""

    def begin():
        now = [(start(), (2.0,)), (start(thrice), (2.0,))]
        monkeypatch.setattr(compilation, "entries", lambda *_: now)
        return now

    # whoever waits here waits for ever
    monkeypatch.setattr(locks, "LONGEST_WAIT", float("inf"))
    begin()
    return begin


def test_a_family_is_complete_only_with_all_its_files(family, tmp_path, made):
    assert not compilation.is_cached()
    assert compilation.ensure_compiled(quiet=True) > 0.0 and len(made) == 2
    assert compilation.is_cached()
    family()
    assert compilation.ensure_compiled(quiet=True) == 0.0 and len(made) == 2
    next(iter(tmp_path.glob("*.code"))).unlink()
    family()
    assert not compilation.is_cached()
    assert compilation.ensure_compiled(quiet=True) > 0.0 and len(made) == 3


HOLDER = """
import os, sys
from dalembert import locks
number = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
print(locks.take(number), flush=True)
sys.stdin.read()
"""


def test_the_lock_of_a_killed_compiler_stops_nobody(family, made):
    first = family()[0][0].path((2.0,)).with_suffix(".making")
    command = [sys.executable, "-c", HOLDER, first]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "True\n"
    waiting = threading.Thread(target=compilation.ensure_compiled, kwargs={"quiet": True})
    waiting.start()
    assert not made  # the holder lives
    holder.kill()
    holder.communicate()
    waiting.join()
    assert len(made) == 2 and compilation.is_cached()


def test_a_living_compiler_that_never_ends_stops_nobody(family, monkeypatch, made):
    number = os.open(family()[0][0].path((2.0,)).with_suffix(".making"), os.O_RDWR | os.O_CREAT)
    assert locks.take(number)
    monkeypatch.setattr(locks, "LONGEST_WAIT", 0.0)
    compilation.ensure_compiled(quiet=True)
    os.close(number)
    assert len(made) == 2 and compilation.is_cached()


def test_a_family_without_a_folder(family, tmp_path, capfd, monkeypatch, made):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "file" / "cache"))
    compilation.ensure_compiled(quiet=True)
    told = capfd.readouterr().err
    assert len(made) == 2 and not compilation.is_cached()
    assert told.count("cannot be kept") == 1 and "Traceback" not in told


def test_a_first_simulation_compiles_what_it_needs():
    """In a new process: an explicit run in the plane needs neither the implicit loops nor the equations in space; mobility needs no loop at all."""
    text = """if True:
        import dalembert as da
        from dalembert.kernels.operate import operate
        from dalembert.solve.stepping.loop import integrate
        m = da.Mechanism("pendulum", gravity=(0, -9.81))
        bar = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
        m.revolute("O", m.ground, bar, at=(0, 0))
        made = lambda: [[one._call is not None for one in entry.versions] for entry in (operate, integrate)]
        da.mobility(m)
        print(made())
        da.simulate(m, until=0.1, progress=False)
        print(made())
        da.simulate(m, until=0.1, method="radau", progress=False)
        print(made())
    """
    told = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout.splitlines()
    assert told == [
        "[[False, True], [False, False, False]]",
        "[[False, True], [True, False, False]]",
        "[[False, True], [True, True, False]]",
    ]
