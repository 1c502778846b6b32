"""dalembert sweep as people use it."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("click")

from dalembert.cli.main import main  # noqa: E402
from tests.sweeps.machines import CRANK  # noqa: E402


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "a folder ü"
    place.mkdir()
    (place / "crank.toml").write_text(CRANK, encoding="utf-8")
    return place


def begin(folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-m", "dalembert", "sweep", *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True, encoding="utf-8",
    )  # fmt: skip


def command(folder, *arguments):
    process = begin(folder, *arguments)
    out, err = process.communicate(timeout=1200)
    assert "Traceback" not in err, err
    return process.returncode, out, err


def test_table_folder_and_json(folder):
    over = ("crank.toml", "--over", "r=100 mm:700 mm:4", "--keep", "span bore.slide", "--set", "n=60 rpm")
    code, out, err = command(folder, *over, "--units", "cm, kN", "--out", "my study")
    assert code == 1 and err == ""  # the crank of 0.7 m cannot turn; quiet when piped
    assert "4 cases, 1 failed" in out and "failed: r = 70 cm" in out
    with (folder / "my study" / "sweep.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert [float(row[0]) for row in rows[1:]] == pytest.approx([10, 30, 50, 70])
    assert [float(row[1]) for row in rows[1:4]] == pytest.approx([20, 60, 100])
    assert rows[4][2] == "failed" and "Error" in rows[4][3]
    # results are not overwritten, and not without being asked
    code, out, err = command(folder, *over, "--out", "my study")
    assert code == 5 and "--resume" in err and out == ""
    code, out, err = command(folder, *over, "--out", "my study", "--resume", "--json")
    answer = json.loads(out)
    assert code == answer["exit"] == 1 and answer["resumed"] == answer["total"] == 4 and answer["failed"] == 1
    assert answer["axes"]["r"][0] == 0.1 and answer["units"]["r"] == "m"  # JSON is in SI units
    assert set(answer["cases"][3]["failure"]) == {"kind", "asked", "found", "why", "do"}


def stopped(folder, number, many, *options):
    """Sweep that is sent a signal while it runs; where this process was too late, because the machine is busy, with four times as many cases."""
    for k in range(4):
        out = f"study{k}"
        over = ("crank.toml", "--over", f"r=0.05:0.15:{many}", "--keep", "span bore.slide", *options, "--out", out)
        process = begin(folder, *over)
        cases, table = folder / out / "cases.jsonl", folder / out / "sweep.csv"
        while process.poll() is None and not (cases.exists() and cases.read_bytes().count(b"\n") > 10):
            time.sleep(0.005)
        process.send_signal(number)
        said = process.communicate(timeout=600)  # and no worker is left behind: they hold the pipe
        if cases.exists() and cases.read_bytes().count(b"\n") < many + 1:
            return process, said, many, over, cases, table
        many *= 4
    raise AssertionError(said)


def test_killed_and_resumed(folder):
    _, _, many, over, cases, table = stopped(folder, signal.SIGKILL, 60, "--processes", "2")
    before = cases.read_text().splitlines()
    assert not table.exists() and len(before) < many + 1
    code, out, err = command(folder, *over, "--resume")
    assert code == 0, err
    after = cases.read_text().splitlines()
    assert after[: len(before)] == before and len(after) == many + 1
    assert len({json.loads(line)["key"] for line in after[1:]}) == many
    assert f"{len(before) - 1} from an earlier sweep" in out
    rows = table.read_text().splitlines()
    assert len(rows) == many + 1 and all(row.endswith(",ok,") for row in rows[1:])


def test_ctrl_c(folder):
    process, (out, err), *_, table = stopped(folder, signal.SIGINT, 500, "--processes", "1")
    assert process.returncode == 130 and "Traceback" not in err, err
    assert "interrupted" in out and table.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("crank.toml",), 2, "--over"), (("crank.toml", "--over", "r"), 2, "NAME=VALUE"), (("crank.toml", "--over", "q=1:2:3"), 4, "known: r, n"),
        (("crank.toml", "--over", "n=1:2:3"), 4, "angle without a unit"), (("crank.toml", "--over", "r=1:2:3", "--over", "r=1"), 2, "twice"),
        (("nothing.toml", "--over", "r=1"), 5, "no such file"), (("crank.toml", "--over", "r=0.1", "--ask", "dinamics"), 4, "did you mean 'dynamics'"),
        (("crank.toml", "--over", "r=0.1", "--keep", "max foo"), 4, "foo"), (("crank.toml", "--over", "r=0.1", "--resume"), 2, "--out"),
        (("crank.toml", "--over", "r=0.1", "--out", "."), 5, "no sweep"), (("crank.toml", "--over", "r=0.1", "--out", "crank.toml"), 5, "a file"),
        (("crank.toml", "--over", "r=0.1", "--until", "2 kg"), 2, "a time"),
    ],
)  # fmt: skip
def test_mistakes(folder, arguments, code, words, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as left:
        main(["sweep", *arguments])
    out, err = capsys.readouterr()
    assert (left.value.code, out) == (code, "") and words in err
    assert sorted(path.name for path in folder.iterdir()) == ["crank.toml"]


def test_a_mistake_leaves_no_folder_in_the_way(folder):
    start = ("crank.toml", "--over", "r=0.1", "--ask", "reactions", "--out", "study")
    assert command(folder, *start, "--keep", "max foo")[0] == 4
    code, out, _ = command(folder, *start, "--keep", "|A.force|")
    assert code == 0 and "written" in out


def test_what_the_file_asks_for(folder):
    text = CRANK.replace('[simulate]\nuntil = "1 s"', "[kinematics]")
    (folder / "crank.toml").write_text(text, encoding="utf-8")
    over = ("crank.toml", "--over", "r=100 mm, 700 mm", "--keep", "span bore.slide")
    code, out, err = command(folder, *over)
    assert code == 1 and "sweep of 'slider-crank', kinematics" in out and "200" in out
    (folder / "crank.toml").write_text(f"{text}[equilibrium]\n", encoding="utf-8")
    code, out, err = command(folder, *over)
    assert code == 4 and "--ask kinematics" in err
