"""`dalembert equilibrium` of machines that rest on contacts, and of what friction holds."""

import pytest

from .conftest import PENDULUM

BLOCK = """
[forces.block]
type = "contact"
between = ["ground", "bar"]
points = [["l", 0.0]]
"""


def test_a_lever_on_a_block(pendulum, call):
    pendulum.write_text(PENDULUM + BLOCK, encoding="utf-8")
    found = call("equilibrium", pendulum, "--json").data["answers"]["equilibrium"]["equilibria"]
    assert [x["verdict"] for x in found] == ["stable", "stable", "unstable"]
    assert found[0]["pressures"]["block"]["value"] == pytest.approx(10.0) and found[2]["pressures"] == {}
    assert call("equilibrium", pendulum, "--page").code == 0


def test_what_friction_holds(pendulum, call):
    pendulum.write_text(PENDULUM + BLOCK + "mu = 0.3\n", encoding="utf-8")
    found = call("equilibrium", pendulum, "--json").data["answers"]["equilibrium"]["ranges"]
    assert [x["low"] for x in found] == pytest.approx([0.0, 1.5707963, 3.1415927], abs=1e-6)
    assert all(x["low"] == x["high"] and x["coordinate"] == "A.angle" for x in found)


def test_modes_beside_what_friction_holds(pendulum, call):
    """Ranges are no single position: small motions are those about the start, and asking for others is refused."""
    pendulum.write_text(PENDULUM + BLOCK + "through = [0, -2]\nmu = 0.3\n", encoding="utf-8")
    assert "about the start" in call("modes", pendulum).out
    refused = call("modes", pendulum, "--at", "equilibrium")
    assert refused.code == 4 and "friction holds" in refused.err and "--at start" in refused.err
