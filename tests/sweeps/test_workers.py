"""Where cases run: processes of our own, executors of others; kills, crashes and Ctrl-C."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

import dalembert as da
from dalembert.sweeps import workers
from tests.sweeps.machines import build, length_squared, pendulum

ROOT = Path(__file__).parents[2]


def squares(n, **options):
    return da.sweep(pendulum(), {"l": [float(k) for k in range(1, n + 1)]}, ask=length_squared, **options)


def test_processes_give_the_same_in_the_same_order():
    here, there = squares(12, processes=1), squares(12, processes=2)
    assert [case.kept for case in here.cases] == [case.kept for case in there.cases]
    assert there["square"].tolist()[:12] == [float(k * k) for k in range(1, 13)]


def test_a_case_that_kills_its_process_is_told_and_the_rest_goes_on():
    s = squares(20, processes=2)
    assert len(s) == 20
    assert {case.values["l"]: case.failure.kind for case in s.failures} == {
        13.0: "ZeroDivisionError",
        17.0: "WorkerEnded",
    }
    assert s["square"][19] == 400.0


def test_workers_have_one_thread_and_the_environment_stays(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    s = da.sweep(build, {"l": [1.0, 2.0]}, ask=threads, processes=2)
    assert s["threads"].tolist() == [1.0, 1.0]
    assert os.environ["OMP_NUM_THREADS"] == "7" and "MKL_NUM_THREADS" not in os.environ


def threads(model):
    return {"threads": int(os.environ["OMP_NUM_THREADS"])}


def test_functions_without_a_name_cannot_travel():
    with pytest.raises(da.MethodError, match="lambdas"):
        da.sweep(pendulum(), {"l": [1.0, 2.0]}, ask=lambda model: 1, processes=2)


def test_long_work_gets_help(monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 0.0)
    monkeypatch.setattr(workers, "WORTH", 0.0)
    monkeypatch.setattr(workers, "cores", lambda: 2)
    pids = da.sweep(pendulum(), {"l": [1.0, 2.0, 3.0, 4.0]}, ask=pid)["pid"].tolist()
    assert pids[0] == os.getpid() and os.getpid() not in pids[1:]
    # what cannot travel stays here
    pids = da.sweep(pendulum(), {"l": [1.0, 2.0]}, ask=lambda model: os.getpid())["value"].tolist()
    assert pids == [os.getpid()] * 2


def pid(model):
    return {"pid": os.getpid()}


def test_threads_run_real_cases():
    with ThreadPoolExecutor(2) as pool:
        s = da.sweep(pendulum(), {"l": [0.5, 1.0, 2.0, 4.0]}, until=0.2, keep="final A.angle", executor=pool)
    alone = da.sweep(pendulum(), {"l": [0.5, 1.0, 2.0, 4.0]}, until=0.2, keep="final A.angle", processes=1)
    assert s["final A.angle"].tolist() == alone["final A.angle"].tolist()


class Fake:
    """An executor with nothing but submit, whose futures have nothing but result."""

    def __init__(self, lost=()):
        self.lost, self.asked = lost, []

    def submit(self, function, *arguments):
        self.asked.append(arguments[-1]["l"])
        lost = arguments[-1]["l"] in self.lost

        class Later:
            def result(self):
                if lost:
                    raise ConnectionError("the machine is gone")
                return function(*arguments)

        return Later()


def test_any_executor_with_submit(tmp_path):
    fake, file = Fake(lost=[2.0]), tmp_path / "cases.jsonl"
    s = squares(3, executor=fake, checkpoint=file)
    assert fake.asked == [1.0, 2.0, 3.0]
    (case,) = s.failures
    assert case.values == {"l": 2.0} and "machine is gone" in case.failure.found
    # a lost machine is no property of the case: it is asked again
    again = Fake()
    s = squares(3, executor=again, checkpoint=file)
    assert again.asked == [2.0] and not s.failures and s.resumed == 2


def test_ctrl_c_keeps_what_is_finished_and_cancels_the_rest():
    futures = []

    class Pool:
        def submit(self, function, *arguments):
            future = Future()
            futures.append(future)
            if len(futures) < 3:
                future.set_result(function(*arguments))
            elif len(futures) == 3:
                threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            return future

    s = squares(5, executor=Pool())
    assert not s.complete and [case.kept["square"] for case in s.cases] == [1.0, 4.0]
    assert all(future.cancelled() for future in futures[2:])
    assert "2 cases of 5, interrupted" in str(s) and s["square"].shape == (5,)


SCRIPT = """
import sys
import dalembert as da
from tests.sweeps.machines import noted, pendulum
s = da.sweep(pendulum(), {"l": [float(k) for k in range(1, 41)]}, ask=noted, folder=sys.argv[1], processes=int(sys.argv[2]), checkpoint=sys.argv[3])
print(len(s), s.resumed, s.complete, s["square"][39])
"""


def start(tmp_path, processes):
    """The script, without a guard for the main module, in a process group of its own."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    (tmp_path / "runs").mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, str(script), str(tmp_path / "runs"), str(processes), str(tmp_path / "cases.jsonl")]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def wait_for_cases(tmp_path, many, process):
    file = tmp_path / "cases.jsonl"
    while process.poll() is None and not (file.exists() and file.read_bytes().count(b"\n") > many):
        time.sleep(0.005)
    assert process.poll() is None, process.communicate()


@pytest.mark.parametrize("processes", [1, 2])
def test_killed_and_resumed_with_nothing_run_twice(tmp_path, processes):
    process = start(tmp_path, processes)
    wait_for_cases(tmp_path, 8, process)
    process.kill()
    process.communicate()  # returns only when the workers have left as well: they hold the pipe
    file = tmp_path / "cases.jsonl"
    finished = file.read_bytes().count(b"\n") - 1
    assert 8 <= finished < 40
    (tmp_path / "runs" / "go on").touch()
    # the kill may tear a line
    file.write_bytes(file.read_bytes() + b'{"key": "0123", "ca')
    out, err = start(tmp_path, processes).communicate()
    assert out.split() == ["40", str(finished), "True", "1600.0"], err
    lines = file.read_text().splitlines()
    assert len(lines) == 41 and len({line.split('"')[3] for line in lines[1:]}) == 40
    ran = [path.name.partition("-")[0] for path in (tmp_path / "runs").iterdir() if path.name != "go on"]
    # finished cases never run again; those under way when the kill came do
    assert len(set(ran)) == 40 and len(ran) <= 40 + (1 if processes == 1 else 2 * processes)


def test_ctrl_c_with_processes(tmp_path):
    process = start(tmp_path, 2)
    wait_for_cases(tmp_path, 5, process)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0 and err == "", err
    many, resumed, complete, last = out.split()
    assert complete == "False" and 5 <= int(many) < 40 and last == "nan"
    assert (tmp_path / "cases.jsonl").read_bytes().count(b"\n") == int(many) + 1


ITSELF = """
import threading, time
import dalembert as da
from tests.sweeps.machines import build
def ask(model):
    return 1
if {threads}:
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
try:
    print(da.sweep(build, {{'l': [1.0, 2.0]}}, ask=ask, processes=2)["value"].sum())
except da.MethodError as error:
    print(error.do)
"""


@pytest.mark.parametrize("threads", [False, True])
def test_a_script_that_starts_itself(threads, tmp_path):
    """Beside threads, and where processes cannot be forked, they import the script again: that is told.  Else nothing happens twice."""
    script = tmp_path / "script.py"
    script.write_text(ITSELF.format(threads=threads))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=600)
    spawned = threads or sys.platform != "linux"
    assert ("__main__" in done.stdout if spawned else float(done.stdout) == 2.0) and done.stderr == ""
