"""Output folders are whole or not there, and nothing is overwritten without being asked; names may be anything."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import PENDULUM, command


def test_out_is_not_overwritten_without_being_asked(call, pendulum, folder):
    assert call("run", pendulum, "--out", "x").code == 0
    before = {p.name: p.read_bytes() for p in (folder / "x").iterdir()}
    refused = call("run", pendulum, "--set", "l=2", "--out", "x")
    assert refused.code == 5 and "--overwrite" in refused.err
    assert {p.name: p.read_bytes() for p in (folder / "x").iterdir()} == before
    assert call("run", pendulum, "--set", "l=2", "--out", "x", "--overwrite").code == 0
    assert 'l = "2.0 m"' in (folder / "x" / "model.toml").read_text(encoding="utf-8")
    assert sorted(p.name for p in folder.iterdir()) == ["pendulum.toml", "x"]


def test_folders_of_others_are_never_replaced(call, pendulum, folder):
    (folder / "precious").mkdir()
    (folder / "precious" / "thesis.txt").write_text("years")
    for target in ("precious", "."):
        refused = call("run", pendulum, "--out", target, "--overwrite")
        assert refused.code == 5 and "did not write" in refused.err
    assert (folder / "precious" / "thesis.txt").read_text() == "years"
    (folder / "file").write_text("x")
    assert call("run", pendulum, "--out", "file", "--overwrite").code == 5
    assert call("run", pendulum, "--out", "file/inside").code == 5
    (folder / "empty").mkdir()
    assert call("run", pendulum, "--out", "empty").code == 0


def test_folders_in_folders(call, pendulum, folder):
    assert call("run", pendulum, "--out", "a/b/c").code == 0
    assert (folder / "a" / "b" / "c" / "simulate.npz").exists()


@pytest.mark.parametrize(
    "name", ["zwei Wörter – Übung.toml", "模型.toml", "it's.toml", "-minus.toml", "dots.in.name.toml"]
)
def test_names(call, folder, name):
    (folder / name).write_text(PENDULUM.replace('name = "pendulum"\n', ""), encoding="utf-8")
    done = call("run", "--page", "--", name)
    assert done.code == 0, done.err
    results = folder / f"{Path(name).stem}-results"
    assert (results / "page.html").exists()
    assert call("show", "--no-open", "--", results.name).code == 0


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no /proc here")
def test_places_that_cannot_be_written(call, pendulum):
    refused = call("run", pendulum, "--out", "/proc/dalembert/x")
    assert refused.code == 5 and not refused.out
    assert call("new", "slider-crank", "/proc/x.toml").code == 5


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(call, pendulum, folder):
    folder.chmod(0o555)
    try:
        refused = call("run", pendulum)
        assert refused.code == 5 and "--out" in refused.err and not refused.out
        assert call("check", pendulum).code == 0
    finally:
        folder.chmod(0o755)


def test_full_disk_leaves_nothing(call, pendulum, folder, monkeypatch):
    assert call("run", pendulum, "--out", "old").code == 0
    before = {p.name: p.read_bytes() for p in (folder / "old").iterdir()}

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pathlib.Path.write_text", full)
    for target in ("new", "old"):
        failed = call("run", pendulum, "--out", target, "--overwrite")
        assert failed.code == 5 and "No space left" in failed.err
    monkeypatch.undo()
    assert not (folder / "new").exists()
    assert {p.name: p.read_bytes() for p in (folder / "old").iterdir()} == before
    assert [p.name for p in folder.iterdir() if p.name.startswith(".")] == []


def test_files_that_may_not_grow(pendulum, folder):
    """The system itself refuses to write more than a few bytes."""

    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    done = command("run", pendulum, "--out", "x", cwd=folder, preexec_fn=small)
    assert done.returncode == 5 and "Traceback" not in done.stderr and "File too large" in done.stderr
    assert [p.name for p in folder.iterdir()] == ["pendulum.toml"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("asked", [["--help"], ["check", "pendulum.toml"], ["check", "pendulum.toml", "--json"]])
def test_output_to_a_full_device(pendulum, folder, asked):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dalembert", *asked], stdout=full, stderr=subprocess.PIPE, text=True, cwd=folder
        )
    assert done.returncode == 5 and "No space left" in done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
