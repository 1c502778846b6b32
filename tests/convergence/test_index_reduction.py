"""`docs/index_reduction.py`: what its page says about the five ways, in a short form of what the script draws."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import dalembert as da

SCRIPT = Path(__file__).parents[2] / "docs" / "index_reduction.py"
EXACT = {"index 3": ("position",), "GGL": ("position", "velocity"), "index 2": ("velocity",)}
HALF = 0.5


@pytest.fixture(scope="module")
def page():
    spec = importlib.util.spec_from_file_location("index_reduction", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


@pytest.fixture(scope="module")
def runs(page):
    m = page.machine()
    return {form: [page.solve(m, form, steps, HALF) for steps in (50, 100)] for form in page.FORMS}


def ratio(runs, what):
    one, two = (np.max(run[what]) for run in runs)
    return np.log2(one / two)


def test_all_converge_to_the_motion_of_simulate(runs):
    """Order 2 of positions, next terms apart; the error of the penalty's springs does not fall with h."""
    for form, (rough, fine) in runs.items():
        if form == "penalty":
            assert fine["q"] < rough["q"]
            continue
        # the limit of the quotients is 2; the third order is a sixth of it at these steps
        assert ratio((rough, fine), "q") == pytest.approx(2, abs=0.1), form
        if form != "index 1":  # whose multipliers follow from q and v of each step, whose errors partly cancel
            assert ratio((rough, fine), "lam") == pytest.approx(2, abs=0.15), form
        assert fine["lam"] < 0.02, form


def test_what_is_solved_holds_and_what_is_not_drifts_with_the_square_of_the_step(runs):
    for form, (rough, fine) in runs.items():
        for what in ("position", "velocity"):
            if what in EXACT.get(form, ()):
                # rounding of metres; velocities are quotients of h
                assert np.max(fine[what]) < (1e-14 if what == "position" else 1e-11), (form, what)
            else:
                assert np.max(fine[what]) > 1e-6, (form, what)
                if form != "penalty":
                    assert ratio((rough, fine), what) == pytest.approx(2, abs=0.2), (form, what)


def test_drift_of_index_one_grows_and_baumgarte_keeps_it(page):
    """Largest |Phi| of the second two seconds over that of the first two."""
    m = page.machine()
    growth = {}
    for form in ("index 1", "Baumgarte"):
        left = page.solve(m, form, 200, 4.0)["position"]
        growth[form] = np.max(left[len(left) // 2 :]) / np.max(left[: len(left) // 2])
    assert growth["index 1"] > 1.5 and growth["Baumgarte"] <= 1.05


def test_a_penalty_is_a_spring(page, monkeypatch):
    """At rest it gives way by lam/k: ten times the stiffness, a tenth of the gap."""
    m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0, -0.5), angle=-np.pi / 2)
    m.revolute("A", m.ground, bar, at=(0, 0))
    rest = da.State(0.0, [0, -0.5, -np.pi / 2], [0, 0, 0])
    for stiffness in (1e4, 1e5):
        monkeypatch.setattr(page, "STIFFNESS", stiffness)
        # the pin is a spring of 2 kg with friction enough to come to rest
        last = page.integrate(m, "penalty", 0.01, rest, rest, 4.0)[-1]
        assert -0.5 - last[1][1] == pytest.approx(2 * 9.81 / stiffness, rel=1e-6)


def test_the_picture_is_drawn(page, tmp_path):
    pytest.importorskip("matplotlib")
    page.draw(tmp_path / "drift.png", steps=(10, 20), long=20, until=0.2)
    assert (tmp_path / "drift.png").stat().st_size > 20_000
