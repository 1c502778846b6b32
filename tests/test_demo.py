"""The built-in slider-crank: closed form of the piston, files, pictures."""

import math
import subprocess
import sys

import numpy as np
import pytest

import dalembert as da
from dalembert import demo


@pytest.fixture(scope="module")
def run():
    return da.simulate(demo.slider_crank(), until=2.0, output=0.01)


def test_piston_follows_the_closed_form(run):
    exact = [demo.piston_position(t) for t in run.t]
    # the motion is driven, so only the constraints (1e-13 of the model's size) are between the two
    assert np.allclose(run["piston"].position[:, 0], exact, atol=1e-12)
    assert np.max(np.abs(run["piston"].position[:, 1])) < 1e-12


def test_closed_form_by_hand():
    # crank at 90 degrees: piston at sqrt(l^2 - r^2)
    t = (math.pi / 2 - demo.START) / demo.SPEED
    assert abs(demo.piston_position(t) - math.sqrt(0.6**2 - 0.2**2)) < 1e-15


def test_motor_torque_is_power_over_speed(run):
    # d'Alembert: power of the motor = rate of kinetic and potential energy
    total = np.asarray(run.energy.total)
    rate = (total[2:] - total[:-2]) / (run.t[2:] - run.t[:-2])
    motor = np.asarray(run["motor"].effort)[1:-1] * demo.SPEED
    # central differences over 0.01 s at 2 pi/s: relative error (w h)^2/6 = 7e-4 of the fundamental, more for harmonics
    assert np.allclose(motor, rate, atol=1e-2 * np.max(np.abs(motor)))
    assert np.allclose(run["motor"].torque, run["motor"].effort, atol=1e-12)


def test_demo_writes_its_files(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert demo.main(str(tmp_path / "out")) == 0
    text = capsys.readouterr().out
    assert "audit: passed" in text and "motor [N m]" in text
    names = {p.name for p in (tmp_path / "out").iterdir()}
    assert names == {
        "slider_crank.npz",
        "slider_crank.csv",
        "slider_crank.html",
        "slider_crank.png",
        "slider_crank_loads.png",
    }
    assert da.load(tmp_path / "out" / "slider_crank.npz").status == "ok"


def test_demo_where_nothing_can_be_written(tmp_path):
    # a file where the folder should be: a message of four parts and status 1, no traceback
    (tmp_path / "out").write_text("in the way")
    done = subprocess.run(
        [sys.executable, "-m", "dalembert.demo", "out"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "do:" in done.stderr and "Traceback" not in done.stderr
