"""Results of Lagrangian systems: by name, in files, as pictures."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import dalembert as da

from .machines import pendulum, slider_crank


@pytest.fixture(scope="module")
def run():
    m = slider_crank()
    m.start("th", 0.3, rate=8.0)
    return da.simulate(m, until=1.0)


def test_by_name(run):
    th, x = np.asarray(run["th"]), np.asarray(run["x"])
    assert run["th"].rate[0] == 8.0 and run.rate("th")[0] == 8.0
    assert run["piston"].position[:, 0] == pytest.approx(x)
    assert run["crank"].position[:, 1] == pytest.approx(0.1 * np.sin(th))
    assert run["crank"].velocity[:, 1] == pytest.approx(0.1 * np.cos(th) * np.asarray(run["th"].rate))
    assert run["x - r*cos(th)"] == pytest.approx(x - 0.2 * np.cos(th))
    assert run.reaction("closure x")[:, 2] == pytest.approx(-np.asarray(run["closure x"]))
    assert "slider-crank" in repr(run) and "th" in run.table(3)


def test_files(run, tmp_path):
    run.save(tmp_path / "run")
    again = da.load(tmp_path / "run.npz")
    for name in ("th", "closure y"):
        assert np.array_equal(again[name], run[name])
    assert np.array_equal(again["th"].rate, run["th"].rate)
    assert np.array_equal(again["rod"].position, run["rod"].position)
    assert np.array_equal(again.energy.jacobi, run.energy.jacobi)
    run.to_csv(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open() as file:
        lines = list(csv.reader(file))
    assert lines[0][:3] == ["t [s]", "th", "rate(th)"] and float(lines[1][2]) == 8.0
    assert len(lines) == 1 + len(run.t)


def test_pictures(run, tmp_path):
    pytest.importorskip("matplotlib")
    figure = run.plot(path=tmp_path / "all.png")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["coordinates", "multipliers", "energies"]
    figure = run.plot("th", "piston", "x**2", path=tmp_path / "some.png")
    assert len(figure.axes) == 3
    assert (tmp_path / "all.png").stat().st_size > 10_000
    da.simulate(pendulum(), until=0.1).plot(path=tmp_path / "free.png")


def test_energies_are_located_on_the_motion():
    """The kinetic energy of a pendulum is half of what it swings where cos(theta) is halfway; columns of energies know where they come from."""
    run = da.simulate(pendulum(), until=1.0)
    half = 0.5 * (1.0 + np.cos(0.3))
    largest = 1.5 * 9.81 * 2.0 * (1.0 - np.cos(0.3))
    times = run.crossings(run.energy.kinetic, 0.5 * largest)
    assert len(times) and np.cos(run.resample(times)["theta"]) == pytest.approx(half, abs=1e-7)
    assert np.asarray(run.energy.total) == pytest.approx(np.asarray(run.energy.jacobi), abs=1e-12)
