"""Bad files, interrupted runs, pipes: documented exit codes, no traceback."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import dalembert as da

from .conftest import PENDULUM, TWO_PINS, command

BAD = {
    "type.toml": PENDULUM.replace("revolute", "revolut"),
    "toml.toml": "x = [",
    "empty.json": "",
    "list.json": "[]",
    "option.toml": PENDULUM + "[simulate]\nuntl = 1\n",
    "bytes.toml": b"\xff\xfe",
    "format.toml": "format = 7",
    "unit.toml": PENDULUM.replace("2 kg", "2 mm"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("verb", ["run", "check", "modes", "show"])
def test_bad_files(call, folder, name, verb):
    text = BAD[name]
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    done = call(verb, name)
    assert done.code == 3 and done.err.startswith(f"{name}:") and not done.out
    assert [p.name for p in folder.iterdir()] == [name]


def test_the_line_and_the_nearest_name(call, folder):
    (folder / "slider.toml").write_text(BAD["type.toml"], encoding="utf-8")
    found = call("check", "slider.toml").err
    assert found.startswith("slider.toml:13: joints.A.type: unknown joint type 'revolut'; did you mean 'revolute'?")
    data = call("check", "slider.toml", "--json").data
    assert data["exit"] == 3 and data["status"] == "error" and data["error"]["lines"][0].startswith("slider.toml:13")


def test_missing_files(call, pendulum):
    for asked in (["run", "pendulun.toml"], ["check", "pendulun.toml"]):
        done = call(*asked)
        assert done.code == 5 and "did you mean 'pendulum.toml'" in done.err
    assert call("run", ".").code == 2
    assert call("run", "model.txt").code == 2


def test_a_model_that_cannot_be_run(call, pendulum, folder):
    pendulum.write_text(PENDULUM + TWO_PINS, encoding="utf-8")
    for verb in ("run", "dynamics", "modes", "reactions", "verify"):
        done = call(verb, pendulum)
        assert done.code == 4 and "'B' by 2 m" in done.err, verb
    assert [p.name for p in folder.iterdir()] == ["pendulum.toml"]


def test_what_was_done_before_an_error_is_kept(call, pendulum, folder):
    with pendulum.open("a", encoding="utf-8") as file:
        file.write("[reactions]\n[kinematics]\n")
    done = call("run", pendulum, "--json")
    assert (
        done.code == 3 and list(done.data["answers"]) == ["reactions"] and "not driven" in done.data["error"]["found"]
    )
    assert (folder / "pendulum-results" / "report.txt").exists()


LONG = PENDULUM + '[simulate]\nuntil = "1e6 s"\noutput = 10\n[equilibrium]\n'


def _default_keyboard() -> None:
    """Ctrl-C as in a terminal: a shell starts its background jobs with the keyboard ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_keeps_what_was_computed(folder):
    """On a terminal: there is a bar with the time left; after Ctrl-C results are written, and the exit code says so."""
    (folder / "long.toml").write_text(LONG, encoding="utf-8")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dalembert", "run", "long.toml"], cwd=folder, stdout=subprocess.PIPE, stderr=theirs, text=True,
        preexec_fn=_default_keyboard,
    )  # fmt: skip
    os.close(theirs)
    seen, begun = "", time.monotonic()
    try:
        while "s left" not in seen and time.monotonic() - begun < 1200 and process.poll() is None:
            if select.select([ours], [], [], 1.0)[0]:
                seen += os.read(ours, 4096).decode()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=1200)
    finally:
        process.kill()
        os.close(ours)
    assert "simulating [" in seen and "s left" in seen
    assert process.returncode == 130
    assert "long-results" in out and "Traceback" not in out
    run = da.load(folder / "long-results" / "simulate.npz")
    assert run.status == "incomplete" and len(run.t) > 1 and np.isfinite(run.q).all()
    assert run.t[-1] < 1e6
    # the analyses after it were not begun
    assert "equilibrium" not in (folder / "long-results" / "report.txt").read_text(encoding="utf-8")


def test_ctrl_c_before_anything_is_computed(call, pendulum, monkeypatch):
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dalembert.analyses.equilibrium.equilibrium", stop)
    done = call("equilibrium", pendulum)
    assert done.code == 130 and "interrupted" in done.err
    told = call("equilibrium", pendulum, "--json").data
    assert told["error"]["kind"] == "interrupted" and told["command"] == "equilibrium"
    assert told["version"] == da.__version__ and told["answers"] == {}


def test_piped_output_is_quiet_and_may_be_cut(pendulum, folder):
    done = command("run", pendulum, cwd=folder)
    assert done.returncode == 0 and done.stderr == "" and "\r" not in done.stdout and "\x1b" not in done.stdout
    line = f"{sys.executable} -m dalembert equations pendulum.toml --form absolute | head -n 1"
    cut = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, timeout=1200)
    assert cut.stdout.startswith("Mechanism") and cut.stderr == ""
    # a reader that leaves at once is no doubtful answer: exit code 1 has a meaning of its own
    reading, writing = os.pipe()
    os.close(reading)
    line = [sys.executable, "-m", "dalembert", "check", "pendulum.toml"]
    with os.fdopen(writing, "wb") as deaf:
        left = subprocess.run(line, cwd=folder, stdout=deaf, stderr=subprocess.PIPE, text=True, timeout=1200)
    assert left.returncode == 0 and left.stderr == ""


def test_nothing_to_show_is_told_with_what_is_there(call, pendulum, folder):
    missing = call("show", "pendulun", "--no-open")
    assert missing.code == 5 and "did you mean 'pendulum.toml'" in missing.err and "PosixPath" not in missing.err
    assert "found: a folder" in call("check", folder).err


def test_terminals_that_know_few_letters(pendulum, folder):
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = command("check", pendulum, cwd=folder, env=env)
    assert done.returncode == 0 and "mobility" in done.stdout and done.stderr == ""


def test_our_own_mistakes_are_told_without_a_traceback(pendulum, monkeypatch, capsys):
    from dalembert.cli.main import main

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("nothing")

    monkeypatch.setattr("dalembert.analyses.equilibrium.equilibrium", broken)
    for debug in (False, True):
        if debug:
            monkeypatch.setenv("DALEMBERT_TRACEBACK", "1")
        with pytest.raises(SystemExit) as left:
            main(["equilibrium", str(pendulum)])
        seen = capsys.readouterr().err
        assert left.value.code == 70 and "mistake of dalembert" in seen and ("Traceback" in seen) == debug


def test_a_failed_audit_is_an_answer_of_its_own(call, pendulum, monkeypatch):
    monkeypatch.setattr("dalembert.results.audit.Audit.passed", property(lambda self: False))
    done = call("dynamics", pendulum, "--json")
    assert done.code == 1 and done.data["status"] == "doubtful"
    assert done.data["answers"]["simulate"]["status"] == "audit failed"


@pytest.mark.parametrize(("verb", "command"), [("simulate", "dynamics"), ("linearize", "modes")])
def test_verbs_of_python_are_told_their_commands(call, verb, command):
    found = call(verb, "slider.toml")
    assert found.code == 2 and f"no command '{verb}'; its command is '{command}'" in found.err


@pytest.mark.parametrize("states", ["", '[states.u]\nrate = "0"\n'])
def test_an_input_that_is_missing_is_told_in_the_words_of_a_file(call, tmp_path, states):
    file = tmp_path / "cart.toml"
    file.write_text(
        f'[bodies.cart]\nmass = 1\ninertia = 1\n{states}[simulate]\nuntil = 0.1\ncontrol = {{ w = "1" }}\nsample = 0.01\n',
        encoding="utf-8",
    )
    found = call("run", file)
    assert found.code != 0 and "add [states.w] with rate = 0" in found.err and "m.input" not in found.err
    file.write_text(file.read_text(encoding="utf-8") + "[states.w]\nrate = 0\n", encoding="utf-8")
    assert call("run", file).code == 0


def test_flags_of_python_are_told_as_files_have_them(call, pendulum):
    found = call("dynamics", pendulum, "--until", "-1")
    assert found.code != 0 and "give backward = true" in found.err
