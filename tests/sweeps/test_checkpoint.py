"""Files of finished cases."""

import json
import math

import pytest

import dalembert as da
from dalembert.sweeps.case import Task
from dalembert.sweeps.checkpoint import Checkpoint
from tests.sweeps.machines import build, length_squared, pendulum


def test_lines_are_json_and_come_back(tmp_path):
    file = Checkpoint(tmp_path / "new" / "c.jsonl")
    record = {"kept": {"x": math.nan, "y": [1.0, -math.inf], "z": "text", "n": None, "b": True}, "status": "ok"}
    file.add("k", {"l": 0.1 + 0.2}, record)
    file.close()
    lines = (tmp_path / "new" / "c.jsonl").read_text().splitlines()
    for line in lines:
        json.loads(line, parse_constant=lambda name: pytest.fail(name))
    found = Checkpoint(tmp_path / "new" / "c.jsonl").done["k"]
    assert math.isnan(found["kept"]["x"]) and found["kept"]["y"] == [1.0, -math.inf]
    assert found["case"]["l"] == 0.1 + 0.2 and found["kept"]["b"] is True


@pytest.mark.parametrize("cut", range(0, 200, 7))
def test_a_torn_last_line_is_ignored(tmp_path, cut):
    path = tmp_path / "c.jsonl"
    file = Checkpoint(path)
    file.add("a", {"l": 1.0}, {"kept": {}})
    whole = path.read_bytes()
    file.add("b", {"l": 2.0}, {"kept": {}})
    file.close()
    raw = path.read_bytes()
    path.write_bytes(raw[: max(1, min(len(raw) - 1, cut))])
    again = Checkpoint(path)
    assert set(again.done) <= {"a"}
    assert ("a" in again.done) == (cut >= len(whole))
    again.add("c", {"l": 3.0}, {"kept": {}})
    again.close()
    for line in path.read_text().splitlines():
        json.loads(line)


def test_other_files_are_not_touched(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("years of work\nmore of it")
    with pytest.raises(da.MethodError, match="another kind of file"):
        da.sweep(pendulum(), {"l": [1.0]}, ask=length_squared, checkpoint=path)
    assert path.read_text() == "years of work\nmore of it"
    with pytest.raises(da.MethodError, match="cannot be used"):
        da.sweep(pendulum(), {"l": [1.0]}, ask=length_squared, checkpoint=tmp_path)


def test_one_line_files_of_others_are_not_touched_either(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("no line ends here")
    with pytest.raises(da.MethodError, match="another kind of file"):
        Checkpoint(path)
    assert path.read_text() == "no line ends here"


def test_what_decides_about_numbers_is_in_the_key():
    task = Task("{}", "simulate", {"until": 1.0}, {"x": "max x"})
    key = task.key({"r": 1.0, "n": 2.0})
    assert key == task.key({"n": 2.0, "r": 1.0})
    others = [
        Task("{} ", "simulate", {"until": 1.0}, {"x": "max x"}), Task("{}", "kinematics", {"until": 1.0}, {"x": "max x"}),
        Task("{}", "simulate", {"until": 2.0}, {"x": "max x"}), Task("{}", "simulate", {"until": 1.0}, {"x": "min x"}),
        Task(build, "simulate", {"until": 1.0}, {"x": "max x"}), Task("{}", length_squared, {"until": 1.0}, {"x": "max x"}),
    ]  # fmt: skip
    assert len({key, task.key({"r": 1.5, "n": 2.0}), *(other.key({"r": 1.0, "n": 2.0}) for other in others)}) == 8


def test_another_version_runs_again(monkeypatch):
    before = Task("{}", "simulate").key({})
    assert Task("{}", "simulate").key({}) == before
    monkeypatch.setattr("dalembert.sweeps.case.__version__", "99")
    assert Task("{}", "simulate").key({}) != before


def test_failures_are_kept_and_sweeps_may_grow(tmp_path):
    path = tmp_path / "c.jsonl"
    first = da.sweep(pendulum(), {"l": [1.0, 13.0]}, ask=length_squared, checkpoint=path)
    again = da.sweep(pendulum(), {"l": [1.0, 13.0, 3.0]}, ask=length_squared, checkpoint=path)
    assert again.resumed == 2 and again.failures[0].failure == first.failures[0].failure
    assert again["square"][2] == 9.0 and "2 from an earlier sweep" in str(again)
