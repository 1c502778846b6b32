"""The verbs beyond simulate: kinematics, inverse dynamics, reactions, strike, verify."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .machines import double_pendulum, pendulum, sleigh, slider_crank, slider_crank_of_joints

TIMES = np.linspace(0.0, 4.0 * math.pi / 10.0, 73)


def test_kinematics_through_dead_centres():
    """x = r cos(th) + sqrt(l^2 - r^2 sin(th)^2) over two turns."""
    run = da.kinematics(slider_crank(drive=10.0), TIMES)
    s, c = np.sin(10.0 * TIMES), np.cos(10.0 * TIMES)
    root = np.sqrt(0.36 - 0.04 * s**2)
    assert run["x"] == pytest.approx(0.2 * c + root, abs=1e-12)
    assert run.rate("x") == pytest.approx(-10.0 * (0.2 * s + 0.04 * s * c / root), abs=1e-11)
    slope = -0.2 * c - 0.04 * (c**2 - s**2) / root - (0.04 * s * c) ** 2 / root**3
    assert run.acceleration("x") == pytest.approx(100.0 * slope, abs=1e-9)


def test_a_driven_motion_has_all_that_a_run_has(tmp_path):
    """x = sin(0.5 + 0.3 t^2) on a circle: audit, status, other times, crossings, files, constants."""
    m = da.Lagrangian(
        "x y", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="m*g*y", parameters={"m": 2.0, "g": 9.81},
        holonomic={"rod": "x**2 + y**2 - 1", "motor": "x - sin(0.5 + 0.3*t**2)"},
    )  # fmt: skip
    m.guess("y", -0.9)
    for run in (da.kinematics(m, [0.0, 0.5, 1.0]), da.inverse_dynamics(m, [0.0, 0.5, 1.0]).run):
        assert run.status == "ok" and run.audit.energy < 1e-12 and "kinematics" in str(run.audit) and "ok" in repr(run)
        assert run.at(0.7).q == pytest.approx([math.sin(0.647), -math.cos(0.647)], abs=1e-12)
        between = run.resample([0.2, 0.9])
        assert between.status == "ok" and between["x"] == pytest.approx(np.sin([0.512, 0.743]), abs=1e-12)
        assert run.crossings("x", 0.6) == pytest.approx([math.sqrt((math.asin(0.6) - 0.5) / 0.3)], abs=1e-9)
        assert not run.conserved
        run.save(tmp_path / "motion")
        assert len(da.load(tmp_path / "motion").t) == 3
    with pytest.raises(da.MethodError, match="nothing outside it"):
        run.at(2.0)


def test_inverse_dynamics_three_ways_and_as_a_mechanism():
    found = da.inverse_dynamics(slider_crank(drive=10.0), TIMES)
    assert found.spread < 1e-11
    other = da.inverse_dynamics(slider_crank_of_joints(drive=10.0), TIMES)["motor"]
    assert found["motor"].multiplier == pytest.approx(np.asarray(other.multiplier), abs=1e-9)
    assert found["motor"].newton_euler == pytest.approx(np.asarray(other.newton_euler), abs=1e-9)
    assert "motor" in str(found)


def test_inverse_dynamics_of_an_arm():
    """Two joints driven, energies given as formulas: multiplier and virtual power."""
    m = double_pendulum()
    m.constraint("one", "a - sin(t)")
    m.constraint("two", "b - 0.5*t**2")
    m._starts.clear()
    found = da.inverse_dynamics(m, [0.0, 0.7, 1.4])
    assert found.spread < 1e-12 and list(found) == ["one", "two"]


def test_reactions():
    """Pendulum in x, y at rest: the rod carries the weight; a row given twice shares it, and says so."""
    m = da.Lagrangian(
        "x y", kinetic="m*(rate(x)**2 + rate(y)**2)/2", potential="m*g*y", parameters={"m": 2.0, "l": 0.5, "g": 10.0},
        holonomic={"rod": "sqrt(x**2 + y**2) - l"},
    )  # fmt: skip
    m.start("x", 0.0)
    m.guess("y", -0.5)
    found = da.reactions(m)["rod"]
    assert found.unique and found.force == pytest.approx([0.0, 20.0], abs=1e-12)
    m.constraint("again", "2*sqrt(x**2 + y**2) - 2*l")
    both = da.reactions(m)
    assert both.not_unique == ("rod", "again") and both.dependent == 1
    assert both["rod"].force + both["again"].force == pytest.approx([0.0, 20.0], abs=1e-12)
    # the smallest that fit: equal shares
    assert both["rod"].force == pytest.approx([0.0, 10.0], abs=1e-12)
    assert both["rod"].free.shape == (1, 2)


def test_strike_l7():
    """L7: rod on a pivot struck by P at distance d: 3 P d / (m L^2), pivot impulse P (3 d / (2 L) - 1); a rod caught at one end."""
    m = da.Lagrangian(
        "x y th", parameters={"m": 2.0, "L": 1.2}, holonomic={"pin x": "x - L/2*cos(th)", "pin y": "y - L/2*sin(th)"}
    )
    m.body("rod", "m", "m*L**2/12", at=("x", "y"), angle="th")
    m.start("th", 0.0)
    blow = da.strike(m, {"rod": ((0, 3.0), (0.3, 0))})
    d = 0.9
    assert blow.after.v[2] == pytest.approx(3.0 * 3.0 * d / (2.0 * 1.44), rel=1e-13)
    assert -blow.impulse["pin y"] == pytest.approx(3.0 * (3.0 * d / 2.4 - 1.0), rel=1e-12)
    falling = da.State(0.0, [0.6, 0.0, 0.0], [0.0, -2.0, 0.0])
    caught = da.strike(m, state=falling, velocities="impulsive")
    # level rod falling at v, caught at one end: w = 3 v / (2 L), impulse m v / 4
    assert abs(caught.after.v[2]) == pytest.approx(3.0 * 2.0 / 2.4, rel=1e-13)
    assert abs(caught.impulse["pin y"]) == pytest.approx(2.0 * 2.0 / 4.0, rel=1e-12)
    dv = caught.after.v - caught.before.v
    assert caught.energy_change == pytest.approx(-0.5 * dv @ np.diag([2.0, 2.0, 0.24]) @ dv, rel=1e-12)


def test_strike_with_coordinates_couples_and_restitution():
    m = pendulum(theta=0.0, rate=2.0)
    assert da.strike(m, {"theta": 3.0}).after.v[0] == pytest.approx(2.0 + 3.0 / 6.0)
    back = da.strike(m, restitution={"theta": 0.5})
    assert back.after.v[0] == pytest.approx(-1.0) and back.energy_change == pytest.approx(0.5 * 6.0 * (1.0 - 4.0))
    top = da.Lagrangian("psi th", parameters={"A": 2.0, "C": 3.0})
    top.body("top", 1.0, ("A", "A", "C"), at=(0, 0, 0), turns=[("z", "psi"), ("x", "th")])
    top.start("th", 0.4)
    # a couple about the vertical: C cos^2 + A sin^2
    inertia = 3.0 * math.cos(0.4) ** 2 + 2.0 * math.sin(0.4) ** 2
    assert da.strike(top, couple={"top": (0, 0, 5.0)}).after.v[0] == pytest.approx(5.0 / inertia, rel=1e-13)


@pytest.mark.parametrize("make", [pendulum, double_pendulum, slider_crank, sleigh, lambda: slider_crank(drive=3.0)])
def test_verify(make):
    found = da.verify(make())
    assert found.agree and found.spread < 1e-10
    assert "expression trees" in str(found)


def test_verify_where_terms_cancel():
    """Held at rest, and a row whose right-hand side is always zero: what is left is rounding, measured by the terms and not by itself."""
    m = da.Lagrangian(
        "a b",
        kinetic="rate(a)**2 + rate(b)**2",
        potential="sin(a) - sin(b)",
        holonomic={"level": "sin(a) + sin(b)"},
        name="equal bars",
    )
    m.start("a", 0.5)
    m.guess("b", -0.5)
    assert da.verify(m).spread < 1e-13
    m.constraint("hold", "cos(a) + cos(b) - 1.6")
    m._starts.clear()
    m.guess("a", 0.5)
    assert da.verify(m).spread < 1e-13


def test_verify_finds_a_wrong_formula(monkeypatch):
    """A twin that loses a term parts from the programs, and the coordinate is named."""
    from dalembert.analyses.lagrangian.verify import Trees
    from dalembert.model.expression import parse

    real = Trees.__init__

    def spoilt(self, model):
        real(self, model)
        self.force[1] = self.force[1] + parse("0.001*sin(a)")

    monkeypatch.setattr(Trees, "__init__", spoilt)
    found = da.verify(double_pendulum())
    assert not found.agree and found.worst.part == "b" and found.worst.what == "force"
