"""`verify(model, forms=True)`: the forms by name against each other, for mechanisms in the plane, in space and with rows on velocities."""

import math

import pytest

import dalembert as da
from dalembert.symbolic.forms.independent import Kane
from tests.symbolic import machines

NAMED = {"kane", "jourdain", "maggi", "gibbs-appell", "gauss", "udwadia-kalaba"}


def trammel():
    """A bar with its ends in two slots: a row on two joint coordinates."""
    m = da.Mechanism("trammel", plane=True, gravity=(0, -9.81))
    bar = m.body(
        "bar", da.rod(length=0.6, mass=2.0), at=(0.3 * math.cos(0.7), 0.3 * math.sin(0.7)), angle=0.7 + math.pi
    )
    m.pin_in_slot("wall", m.ground, bar, at=bar.start, along=(1, 0))
    m.pin_in_slot("floor", m.ground, bar, at=bar.end, along=(0, 1))
    return m


def arm():
    """Two bodies in space, axes across each other."""
    m = da.Mechanism("arm", plane=False, gravity=(0, 0, -9.81))
    hub = m.body("hub", mass=1.0, inertia=(0.1, 0.1, 0.2))
    arm = m.body("arm", mass=0.5, inertia=(0.01, 0.02, 0.02), at=(0.3, 0, 0))
    m.revolute("base", m.ground, hub, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute("elbow", hub, arm, at=(0, 0, 0), axis=(0, 1, 0))
    m.torque("motor", hub, (0, 0, 0.7))
    return m


def skate():
    """A mechanism with a blade: its point does not move across its own axis."""
    m = da.Mechanism("skate", plane=True)
    sleigh = m.body("sleigh", mass=2.0, inertia=0.3)
    m.knife_edge("blade", m.ground, sleigh, at=(-0.4, 0), along=(1, 0))
    return m


@pytest.mark.parametrize("make", [trammel, arm, skate, machines.upright_disk])
def test_forms_by_name_agree(make):
    model = make()
    found = da.verify(model, forms=True, states=2)
    assert found.agree and found.forms.agree and len(found.forms.states) == 2
    left_out = set(found.forms.left_out)
    assert set(found.forms.forms) >= NAMED - (
        {"kane", "jourdain", "gibbs-appell"} if make is machines.upright_disk else set()
    ), left_out
    assert "forms of the equations of" in str(found) and "gauss" in str(found)


def test_a_wrong_form_is_found(monkeypatch):
    """Kane's equations with a force that is a thousandth too large part from all others."""
    right = Kane._solved
    monkeypatch.setattr(Kane, "_solved", lambda self, values: right(self, values | {"g": 1.001 * values["g"]}))
    found = da.verify(machines.pendulum(), forms=True)
    assert not found.agree and not found.forms.agree and found.spread < 1e-9
    worst = {x.form: x.accelerations for x in found.forms.differences}
    assert worst.pop("kane") > 1e-4 and max(worst.values()) < 1e-9
    assert "DISAGREE" in str(found)


def test_forms_are_not_written_unless_asked():
    assert da.verify(machines.pendulum()).forms is None and math.isfinite(da.verify(machines.pendulum()).spread)
