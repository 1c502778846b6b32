"""Friction through independent formulations: they agree, and part where the forces that were solved for together are wrong."""

import math

import pytest

import dalembert as da
from dalembert.solve.friction import DryFriction
from tests.friction.test_kernel import slider_crank
from tests.friction.test_small_motions import pressed, puck, wedges
from tests.friction.test_stick_slip import brake
from tests.friction.test_verbs import on_slope, screw_jack


def stuck():
    return on_slope(0.3, mu=0.5)


def from_rest():
    return on_slope(0.6, mu=0.5)


def constant():
    return on_slope(0.3, 2.0, force="3 + v", static_force=4.0)


def departing():
    """A plate at rest that two forces pull off: it slips along its acceleration."""
    m = da.Mechanism("plate", plane=False, gravity=(0, 0, -9.81))
    plate = m.body("plate", da.box(0.1, 0.2, 0.02, mass=0.5))
    m.planar("ice", m.ground, plate, at=(0, 0, 0), axis=(0, 0, 1))
    m.force("pull", plate, (2.0, 1.0, 0.3))
    m.friction("rub", "ice", mu=0.2)
    return m


@pytest.mark.parametrize(
    "make", [stuck, from_rest, constant, wedges, pressed, puck, departing, slider_crank, screw_jack]
)
def test_all_ways_agree(make):
    found = da.verify(make(), states=3)
    assert found.agree and found.spread < 1e-10 and found.states == 3
    assert {"saddle point", "null space", "partitioning", "joint coordinates"} <= set(found.ways)


@pytest.mark.parametrize("make", [wedges, pressed, slider_crank])
def test_a_wrong_friction_is_found(make, monkeypatch):
    right = DryFriction._newton
    monkeypatch.setattr(DryFriction, "_newton", lambda *given: 1.001 * right(*given))
    m = make()
    for joint in ("floor", "between"):
        if joint in m:
            m.start(m[joint].slide, 0.0, rate=0.3)
    found = da.verify(m, states=2)
    assert not found.agree
    assert {"acceleration", "reaction"} >= {one.what for one in found.parted}
    assert any(one.part in {x.name for x in m.frictions} for one in found.parted)


def test_a_hold_beyond_its_limit_is_found(monkeypatch):
    """A block that would be held where it slides away: every way finds a force beyond mu N."""
    from dalembert.analyses.events.decision import Decision

    monkeypatch.setattr(Decision, "ways", lambda self: dict.fromkeys(self.rates, 0))
    found = da.verify(from_rest(), states=1)
    assert not found.agree and found.worst.part == "rub"
    weight = 9.81
    assert found.worst.values[1] == pytest.approx(weight * (math.sin(0.6) - 0.5 * math.cos(0.6)), rel=1e-9)


def test_what_has_no_solution_is_told():
    """A shoe that grabs: no formulation has anything to say."""
    with pytest.raises(da.SingularError, match="Painleve"):
        da.verify(brake(2.1, 20.0))
    assert da.verify(brake(1.2, 20.0)).agree


def test_friction_where_nothing_can_move():
    """A link holds the hinge, too: what it and the friction of 0.1 N m share is not unique, but never more than friction can take; it was given 1.2 N m of the smallest loads."""
    m = da.Mechanism("two", plane=True, gravity=(0, -9.81))
    a = m.body("a", da.rod(length=1, mass=1), at=(0.5, 0))
    b = m.body("b", da.rod(length=1, mass=1), at=(1.5, 0))
    m.revolute("P", m.ground, a, at=(0, 0))
    m.revolute("Q", a, b, at=(1, 0))
    m.distance("link", a.point(0, 0.3), b.point(0.2, 0.1))
    smooth = da.simulate(m, until=0.2)
    m.friction("f", m["Q"].angle, force=0.1)
    assert da.verify(m).agree
    run = da.simulate(m, until=0.2)
    # rigid bodies do not say how much of it friction takes, and rounding of the processor decides: nothing, or all that it can
    assert run.status == "ok" and (abs(run["f"].torque) <= 0.1 * (1.0 + 1e-9)).all()
    if not run["f"].torque.any():
        assert "f" in run.audit.not_unique
        for name in ("P", "Q", "link"):
            assert run[name].force == pytest.approx(smooth[name].force, abs=1e-9)
