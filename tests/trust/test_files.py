"""Results are never lost: a name belongs to one writer, files of others stay, and whoever cannot have a name is told so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

import dalembert as da
from dalembert import locks
from dalembert.cli.main import main
from dalembert.cli.shared import perform
from dalembert.cli.shared.folder import FORMAT, SUMMARY, new_file, whole_folder
from dalembert.errors import MethodError
from dalembert.results.files import whole_file
from dalembert.studio.source import save
from dalembert.sweeps.checkpoint import Checkpoint

PENDULUM = """
gravity = [0, -10]
bodies.bar = { shape = { rod = { length = "1 m", mass = "2 kg" } }, at = [0.5, 0] }
joints.A = { type = "revolute", between = ["ground", "bar"], at = [0, 0] }
simulate.until = 0.01
"""


def fill(folder: Path, text: str, *names: str) -> None:
    """What a run writes: files, and the summary that lists them."""
    for name in names or ("report.txt",):
        (folder / name).write_text(text, encoding="utf-8")
    listed = [*sorted(path.name for path in folder.iterdir()), SUMMARY]
    (folder / SUMMARY).write_text(json.dumps({"format": FORMAT, "files": listed}), encoding="utf-8")


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# -- folders -----------------------------------------------------------------------------------------------------------


def test_writers_at_once_each_get_a_folder(tmp_path):
    """All but the last were replaced, and every one of them was told that its results were written."""
    writers, rounds = 6, 5
    for k in range(rounds):
        gate, went = threading.Barrier(writers), {}

        def write(number: int, target: Path = tmp_path / f"x{k}") -> None:
            with whole_folder(target, overwrite=False) as new:
                fill(new.inside, str(number))
                gate.wait()
            went[number] = new.target

        threads = [threading.Thread(target=write, args=(n,)) for n in range(writers)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert sorted(path.name for path in went.values()) == [f"x{k}", *(f"x{k}-{n}" for n in range(2, writers + 1))]
        assert all((path / "report.txt").read_text() == str(number) for number, path in went.items())
    assert len(visible(tmp_path)) == writers * rounds


def test_overwriting_at_once_loses_nothing_of_others(tmp_path):
    target = tmp_path / "x"
    target.mkdir()
    fill(target, "old", "report.txt", "simulate.csv")
    (target / "thesis.txt").write_text("years")
    gate, went = threading.Barrier(5), []

    def write(number: int) -> None:
        with whole_folder(target, overwrite=True) as new:
            fill(new.inside, str(number))
            gate.wait()
        went.append(new)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(5)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(went) == 5 and {new.target for new in went} <= {tmp_path / name for name in visible(tmp_path)}
    assert [path.read_text() for path in tmp_path.rglob("thesis.txt")] == ["years"]
    assert not any(name.startswith(".") for name in visible(tmp_path))


def test_an_empty_folder_is_taken_and_a_link_or_file_is_not(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    for name, got in (("empty", "empty"), ("file", "file-2"), ("link", "link-2")):
        with whole_folder(tmp_path / name, overwrite=False) as new:
            fill(new.inside, name)
        assert new.target.name == got and (tmp_path / got / "report.txt").read_text() == name
    assert (tmp_path / "file").read_text() == "x" and (tmp_path / "link").is_symlink()


def test_overwrite_keeps_files_of_others(tmp_path):
    """The whole folder was deleted with everything that was in it."""
    target = tmp_path / "x"
    target.mkdir()
    fill(target, "old", "report.txt", "simulate.csv")
    (target / "notes.txt").write_text("mine")
    (target / "figures").mkdir()
    (target / "figures" / "a.svg").write_text("drawn")
    with whole_folder(target, overwrite=True) as new:
        fill(new.inside, "new")
    assert new.target == target and new.kept == ["figures", "notes.txt"] and not new.why
    assert visible(target) == ["figures", "notes.txt", "report.txt", SUMMARY]  # simulate.csv was ours and is gone
    assert (target / "report.txt").read_text() == "new" and (target / "notes.txt").read_text() == "mine"
    assert (target / "figures" / "a.svg").read_text() == "drawn"
    assert visible(tmp_path) == ["x"]
    # and once more: they are still not ours
    with whole_folder(target, overwrite=True) as new:
        fill(new.inside, "newer")
    assert new.kept == ["figures", "notes.txt"]


def test_overwrite_does_not_replace_a_file_of_someone_else_by_one_of_ours(tmp_path):
    target = tmp_path / "x"
    target.mkdir()
    fill(target, "old")
    (target / "page.html").write_text("mine")
    before = contents(target)
    with whole_folder(target, overwrite=True) as new:
        fill(new.inside, "new", "page.html")
    assert new.target.name == "x-2" and "page.html" in new.why
    assert contents(target) == before and (new.target / "page.html").read_text() == "new"
    assert visible(tmp_path) == ["x", "x-2"]


def test_a_failure_on_the_way_leaves_the_old_folder(tmp_path, monkeypatch):
    target = tmp_path / "x"
    target.mkdir()
    fill(target, "old")
    (target / "notes.txt").write_text("mine")
    before = contents(target)
    rename = Path.rename

    def failing(self: Path, to: Path) -> Path:
        if self.name == "new":
            raise OSError(5, os.strerror(5))
        return rename(self, to)

    with pytest.raises(MethodError, match="Input/output error"), ExitStack() as stack:
        new = stack.enter_context(whole_folder(target, overwrite=True))
        fill(new.inside, "new")
        monkeypatch.setattr(Path, "rename", failing)
    monkeypatch.undo()
    assert contents(target) == before and visible(tmp_path) == ["x"]


def called(capsys, *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    return left.value.code, *capsys.readouterr()


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A run during which another program writes into a folder."""
    monkeypatch.chdir(tmp_path)
    Path("pendulum.toml").write_text(PENDULUM)
    simulate = perform.ask

    def at(name: str, **files: str) -> None:
        def disturbed(*given):
            Path(name).mkdir(exist_ok=True)
            for file, text in files.items():
                Path(name, file).write_text(text)
            return simulate(*given)

        monkeypatch.setattr(perform, "ask", disturbed)

    return at


def test_a_run_whose_name_is_taken_meanwhile(elsewhere, capsys):
    """Four runs at once into one folder: all said "written", one remained."""
    elsewhere("pendulum-results", other="results of another run")
    code, out, _ = called(capsys, "run", "pendulum.toml")
    assert code == 0 and "written to pendulum-results-2:" in out
    assert contents(Path("pendulum-results")) == {"other": "results of another run"}
    assert da.load("pendulum-results-2/simulate.npz").status == "ok"
    # where a name was asked for, having another is an error, but the results are kept
    elsewhere("x", other="results of another run")
    code, out, err = called(capsys, "run", "pendulum.toml", "--out", "x", "--json")
    data = json.loads(out)
    assert code == data["exit"] == 5 and "x-2" in err and "meanwhile" in data["error"]["found"]
    assert Path(data["files"]["simulate.npz"]) == Path("x-2/simulate.npz") and Path("x-2/simulate.npz").exists()
    assert contents(Path("x")) == {"other": "results of another run"}


def test_overwriting_says_what_stays(elsewhere, capsys):
    assert called(capsys, "run", "pendulum.toml", "--out", "x")[0] == 0
    Path("x/thesis.txt").write_text("years")
    code, out, _ = called(capsys, "run", "pendulum.toml", "--out", "x", "--overwrite")
    assert code == 0 and "kept in x, not written by dalembert: thesis.txt" in out
    code, out, _ = called(capsys, "run", "pendulum.toml", "--out", "x", "--overwrite", "--json")
    assert code == 0 and json.loads(out)["kept"] == ["thesis.txt"] and Path("x/thesis.txt").read_text() == "years"


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_new_file_does_not_replace_one_that_came_meanwhile(tmp_path):
    target = tmp_path / "crank.toml"
    with (
        pytest.raises(MethodError, match="there already") as told,
        whole_file(target, "writing", "w", new=True) as file,
    ):
        file.write("ours")
        target.write_text("theirs")
    assert isinstance(told.value.__cause__, FileExistsError)
    assert contents(tmp_path) == {"crank.toml": "theirs"}
    with pytest.raises(MethodError, match="there already"):
        new_file(target, "ours")
    new_file(target, "ours", overwrite=True)
    assert contents(tmp_path) == {"crank.toml": "ours"}


def test_new_files_without_hard_links(tmp_path, monkeypatch):
    def none(self: Path, to: Path) -> None:
        raise PermissionError(1, os.strerror(1))

    monkeypatch.setattr(Path, "hardlink_to", none)
    new_file(tmp_path / "a", "ours")
    with (
        pytest.raises(MethodError, match="there already"),
        whole_file(tmp_path / "b", "writing", "w", new=True) as file,
    ):
        file.write("ours")
        (tmp_path / "b").write_text("theirs")
    assert contents(tmp_path) == {"a": "ours", "b": "theirs"}


def test_the_studio_asks_before_it_replaces(tmp_path):
    assert "saved" in save(tmp_path, "a.toml", "one", False, None)
    assert save(tmp_path, "a.toml", "two", False, "one") == {"exists": "a.toml", "changed": False}
    assert save(tmp_path, "a.toml", "two", False, "zero") == {"exists": "a.toml", "changed": True}
    assert contents(tmp_path) == {"a.toml": "one"}
    assert "saved" in save(tmp_path, "a.toml", "two", True, "one") and contents(tmp_path) == {"a.toml": "two"}


def test_links_and_devices_are_written_not_replaced(tmp_path):
    """A file was put in the place of the device: as root, for everybody."""
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    with whole_file(tmp_path / "link.csv", "writing", "w") as file:
        file.write("new")
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "real.csv").read_text() == "new"
    os.mkfifo(tmp_path / "pipe")
    ends = os.open(tmp_path / "pipe", os.O_RDWR)
    with whole_file(tmp_path / "pipe", "writing", "w") as file:
        file.write("through")
    assert os.read(ends, 100) == b"through" and (tmp_path / "pipe").is_fifo()
    os.close(ends)


def test_pages_of_equations_are_whole(tmp_path, monkeypatch):
    from dalembert.symbolic.sheet import write_page

    write_page(tmp_path / "deep" / "a.html", "old", ["x"])
    before = contents(tmp_path / "deep")

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(MethodError, match="No space left"):
        write_page(tmp_path / "deep" / "a.html", "new", ["y"])
    assert contents(tmp_path / "deep") == before


# -- sweeps ------------------------------------------------------------------------------------------------------------


def test_two_sweeps_do_not_write_one_checkpoint(tmp_path):
    """The second cut off the line that the first was writing, and both computed everything."""
    path = tmp_path / "cases.jsonl"
    first = Checkpoint(path)
    first.add("a", {"r": 1.0}, {"kept": {}})
    with pytest.raises(MethodError, match="another sweep writes it") as told:
        Checkpoint(path)
    assert isinstance(told.value.__cause__, FileExistsError)
    first.add("b", {"r": 2.0}, {"kept": {}})
    first.close()
    second = Checkpoint(path)
    assert set(second.done) == {"a", "b"}
    second.close()


HOLDER = """
import os, sys
from dalembert import locks
number = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
print(locks.take(number), flush=True)
sys.stdin.read()
"""


def test_a_lock_ends_with_its_process(tmp_path):
    path = tmp_path / "lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "True\n"
    number = os.open(path, os.O_RDWR)
    assert not locks.take(number)
    holder.kill()
    holder.communicate()
    assert locks.take(number)
    os.close(number)
