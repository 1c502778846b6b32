"""A case of a sweep is a function of its values alone: not of the cases before it, of the process, of code on disk, or of kills.

Machine code of a structure rounds otherwise than the generic kernels.  Its thresholds are lowered here, so that it is used in the middle of every case; the
cases are compared as texts, to the last bit.
"""

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest

import dalembert as da
from dalembert.sweeps.case import Task, run_case
from dalembert.system.machine import native

PENDULUMS = {
    "file": """
format = 1
name = "double pendulum"
gravity = [0, "-9.81 m/s^2"]
[parameters]
l = "1 m"
[bodies]
one = { shape = { rod = { length = "l", mass = 1 } }, at = ["l/2", 0] }
two = { shape = { rod = { length = 0.7, mass = 1 } }, at = ["l + 0.35", 0] }
[joints]
A = { type = "revolute", between = ["ground", "one"], at = [0, 0] }
B = { type = "revolute", between = ["one", "two"], at = "one.end" }
[events.low]
what = "A.angle + 1"
""",
    "coordinates": """
format = 1
kind = "lagrangian"
name = "elastic pendulum"
q = ["r", "a"]
kinetic = "(rate(r)**2 + r**2*rate(a)**2)/2"
potential = "50*(r - l)**2 - 9.81*r*cos(a)"
[parameters]
l = 1.0
[start]
r = { value = 1.2 }
a = { value = 1.0 }
""",
}
CASES = [0.9, 0.95, 1.0, 1.05, 1.1]


class Killed:
    """An executor that computes some cases and is stopped."""

    def __init__(self, cases: int) -> None:
        self.left = cases

    def submit(self, function, *given):
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        done: Future = Future()
        done.set_result(function(*given))
        return done


def told(sweep) -> list[str]:
    """What was found in each case, to the last bit."""
    return [json.dumps([case.values, case.kept, case.status]) for case in sweep.cases]


@pytest.fixture
def another_process(monkeypatch, tmp_path):
    """Machine code early; a function that forgets what this process knows, as another process does."""
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("DALEMBERT_NATIVE", raising=False)
    monkeypatch.setattr(native, "LOOKED_AT", 60)
    monkeypatch.setattr(native, "PAYS", 1)
    # processes that are forked have these thresholds too; where another thread is counted here, processes are spawned, with their own
    monkeypatch.setattr(threading, "active_count", lambda: 1)

    def begin() -> None:
        monkeypatch.setattr(native, "_known", {})
        monkeypatch.setattr("dalembert.sweeps.case._last.text", None, raising=False)

    begin()
    return begin


@pytest.mark.parametrize("kind", PENDULUMS)
def test_killed_anywhere(tmp_path, another_process, kind):
    path = tmp_path / "model.toml"
    path.write_text(PENDULUMS[kind])
    asked = {"over": {"l": CASES}, "until": 60.0}
    whole = told(da.sweep(path, processes=1, **asked))
    (made,) = native._known.values()
    assert made._address is not None  # code was made, and used in the middle of cases
    for kills in [*[[k] for k in range(6)], [1, 1, 1, 1, 1, 1], [2, 0, 2]]:
        for cold in (True, False):
            file = tmp_path / f"{kills}{cold}.jsonl"
            for cases in kills:
                if cold:
                    another_process()
                da.sweep(path, executor=Killed(cases), checkpoint=file, **asked)
            another_process()
            assert told(da.sweep(path, checkpoint=file, processes=1, **asked)) == whole, kills


def test_the_order_of_cases_and_processes(tmp_path, another_process):
    path = tmp_path / "model.toml"
    path.write_text(PENDULUMS["file"])
    there = told(da.sweep(path, over={"l": CASES}, until=60.0, processes=1))
    another_process()
    back = told(da.sweep(path, over={"l": CASES[::-1]}, until=60.0, processes=1))
    assert back[::-1] == there
    another_process()
    assert told(da.sweep(path, over={"l": CASES}, until=60.0, processes=2)) == there


def test_code_is_used_where_it_pays_for_the_case(tmp_path, another_process, monkeypatch):
    """The same case before anything is known, with code in the process, and with code on disk; and code does round otherwise."""
    path = tmp_path / "model.toml"
    path.write_text(PENDULUMS["file"])
    from dalembert.io import read_file, to_data

    task = Task(json.dumps(to_data(read_file(path).model)), "simulate", {"until": 60.0})
    found = []
    for cold in (True, False, True):
        if cold:
            another_process()
        found.append(run_case(task, {"l": 1.0})["kept"])
    assert found[0] == found[1] == found[2]
    monkeypatch.setenv("DALEMBERT_NATIVE", "0")
    another_process()
    assert run_case(task, {"l": 1.0})["kept"] != found[0]


def test_short_code_is_not_used_earlier_where_its_length_is_known(tmp_path, another_process, monkeypatch):
    """The code pays before its length is looked at: with what another case has found, it is used no earlier."""
    monkeypatch.setattr(native, "LOOKED_AT", 600)
    path = tmp_path / "model.toml"
    path.write_text(PENDULUMS["coordinates"])
    from dalembert.io import read_file, to_data

    task = Task(json.dumps(to_data(read_file(path).model)), "simulate", {"until": 60.0})
    first = run_case(task, {"l": 1.0})["kept"]
    (made,) = native._known.values()
    assert 0 < made._all < 600 and made._address is not None
    assert run_case(task, {"l": 1.0})["kept"] == first


KILLED = """
import sys
from tests.sweeps.test_resumed import Killed
import dalembert as da, os
from dalembert.system.machine import native

native.LOOKED_AT, native.PAYS = 60, 1
path, file, cases = sys.argv[1], sys.argv[2], int(sys.argv[3])
class Dead(Killed):
    def submit(self, *given):
        if not self.left:
            os._exit(9)
        return super().submit(*given)
given = {"executor": Dead(cases)} if cases >= 0 else {"processes": 1}
s = da.sweep(path, over={"l": [0.9, 0.95, 1.0, 1.05, 1.1]}, until=60.0, checkpoint=file, **given)
import json
print(json.dumps([[case.values, case.kept, case.status] for case in s.cases]))
"""


def test_processes_that_are_killed(tmp_path):
    """Real processes, six of which end in the middle; the cache of code is cold at first and warm later."""
    path = tmp_path / "model.toml"
    path.write_text(PENDULUMS["file"])
    surroundings = {name: x for name, x in os.environ.items() if name != "DALEMBERT_NATIVE"}

    def run(file: str, cases: int) -> str:
        asked = [sys.executable, "-c", KILLED, str(path), str(tmp_path / file), str(cases)]
        return subprocess.run(
            asked, capture_output=True, text=True, cwd=Path(__file__).parents[2], env=surroundings
        ).stdout

    whole = run("whole.jsonl", -1)
    assert len(json.loads(whole)) == 5
    for cases in (1, 0, 1, 1, 0, 1):
        assert run("killed.jsonl", cases) == ""
    assert run("killed.jsonl", -1) == whole
