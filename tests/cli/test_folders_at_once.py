"""Several programs that write one output folder: each ends well, the folder is that of one of them, whole, and nothing else is left.

Two writers take turns at every call of the file system: one makes `n` calls, the other `m`, the first goes on to its end, then the other.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from dalembert.cli.shared import folder as folders
from dalembert.errors import MethodError

from .conftest import command

CALLS = ("lstat", "stat", "iterdir", "rename", "rmdir", "mkdir", "open", "unlink")


class Turns:
    """Lets two threads make one call after the other, as a schedule says."""

    def __init__(self, schedule: list[str]) -> None:
        self.schedule, self.done, self.turn = schedule, set(), threading.Condition()

    def mine(self, name: str) -> bool:
        while self.schedule and self.schedule[0] in self.done:
            self.schedule.pop(0)
        return not self.schedule or self.schedule[0] == name

    def wait(self) -> None:
        name = threading.current_thread().name
        if name not in ("A", "B"):
            return
        with self.turn:
            self.turn.wait_for(lambda: self.mine(name))
            if self.schedule:
                self.schedule.pop(0)
            self.turn.notify_all()

    def end(self) -> None:
        with self.turn:
            self.done.add(threading.current_thread().name)
            self.turn.notify_all()


def write(target: Path, overwrite: bool) -> folders.NewFolder:
    """What a command does with its folder."""
    folders.check_target(target, overwrite)
    with folders.whole_folder(target, overwrite) as new:
        name = threading.current_thread().name
        for file in ("report.txt", f"{name}.csv"):
            (new.inside / file).write_text(name)
        summary = {"format": folders.FORMAT, "files": ["report.txt", f"{name}.csv", folders.SUMMARY], "by": name}
        (new.inside / folders.SUMMARY).write_text(json.dumps(summary))
    return new


def at_once(monkeypatch, target: Path, schedule: list[str]) -> dict[str, object]:
    """Both writers, by a schedule; what each got, or its error."""
    turns, found = Turns(schedule), {}

    def run() -> None:
        name = threading.current_thread().name
        try:
            found[name] = write(target, True)
        except BaseException as error:  # the test looks at it
            found[name] = error
        finally:
            turns.end()

    with monkeypatch.context() as patched:
        for call in CALLS:
            made = getattr(Path, call)
            patched.setattr(Path, call, lambda *a, _made=made, **k: turns.wait() or _made(*a, **k))
        threads = [threading.Thread(target=run, name=name) for name in "AB"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return found


def check(parent: Path, target: Path, others: tuple[str, ...] = ()) -> str:
    """The folder is whole, and there is nothing else; returns who wrote it."""
    by = json.loads((target / folders.SUMMARY).read_text())["by"]
    assert sorted(p.name for p in target.iterdir()) == sorted([f"{by}.csv", "report.txt", folders.SUMMARY, *others])
    assert {(target / name).read_text() for name in ("report.txt", f"{by}.csv")} == {by}
    assert [p.name for p in parent.iterdir()] == [target.name]
    return by


@pytest.mark.parametrize("start", ["nothing", "results"])
def test_two_writers_in_every_order(monkeypatch, tmp_path, start):
    winners = set()
    for n in range(0, 60, 1):
        for m in (1, 2, 3, 5, 8, 12, 17, 23, 30, 40):
            parent = tmp_path / f"{n}-{m}"
            parent.mkdir()
            target = parent / "same"
            if start == "results":
                write(target, False)
            found = at_once(monkeypatch, target, ["A"] * n + ["B"] * m + ["A"] * 10_000)
            for name, one in found.items():
                assert isinstance(one, folders.NewFolder) and one.target == target and not one.why, (n, m, name, one)
            winners.add(check(parent, target))
    assert winners == {"A", "B"}


def test_folders_of_others_are_still_refused(tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "thesis.txt").write_text("years")
    with pytest.raises(MethodError, match="did not write"):
        folders.check_target(tmp_path / "theirs", True)
    (tmp_path / "link").symlink_to(tmp_path / "theirs")
    for name in ("theirs/thesis.txt", "link"):
        with pytest.raises(MethodError, match="a file or a link"):
            folders.check_target(tmp_path / name, True)


def test_a_name_of_ones_own_choice_may_be_taken_meanwhile(call, pendulum, folder, monkeypatch):
    """Without --out the next free name is taken, also where another program takes the name between two looks at it."""
    free, names = folders.free_name, []

    def taken(wanted: Path) -> Path:
        names.append(made := free(wanted))
        made.mkdir()
        (made / "theirs.txt").write_text("x")
        return made

    monkeypatch.setattr("dalembert.cli.run.free_name", taken)
    assert call("run", pendulum).code == 0
    assert names == [Path("pendulum-results")] and (folder / "pendulum-results-2" / "report.txt").exists()


def test_processes(pendulum, folder):
    """Real programs at once, with --overwrite: all end with 0, and the folder is that of one of them."""
    import concurrent.futures

    assert command("run", pendulum, "--out", "same", cwd=folder).returncode == 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        given = [("run", pendulum, "--set", f"l={k + 1}", "--out", "same", "--overwrite") for k in range(4)]
        done = list(pool.map(lambda words: command(*words, cwd=folder), given))
    assert [one.returncode for one in done] == [0] * 4, [one.stderr for one in done]
    by = json.loads((folder / "same" / "summary.json").read_text())["parameters"]["l"]
    assert f'l = "{by} m"' in (folder / "same" / "model.toml").read_text()
    assert sorted(p.name for p in folder.iterdir()) == ["pendulum.toml", "same"]
