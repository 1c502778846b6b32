"""Options of analyses as fields of the page: what it is offered, what it asks, what is refused."""

import pytest

from .conftest import Client


@pytest.fixture(scope="module")
def session(live):
    return Client(live).open()


def test_fields_are_those_of_the_table(client):
    about = client.ask("open")
    simulate = {field["name"]: field for field in about["fields"]["simulate"]}
    assert simulate["rtol"]["value"] == 1e-8 and simulate["max_step"]["unit"] == "s"
    assert simulate["audit"]["kind"] == "flag" and "8" in simulate["method"]["words"]
    assert "until" not in simulate and "progress" not in simulate
    assert {field["name"] for field in about["fields"]["verify"]} == {
        "states",
        "seed",
        "tolerance",
        "until",
        "step",
        "forms",
    }
    client.ask("close", session=about["session"])


def test_options_of_a_run(client, session):
    asked = {"session": session, "analysis": "simulate", "values": {}, "until": 0.25}
    rough = client.ask("run", **asked, given={"rtol": 1e-4, "method": "5", "audit": False})
    fine = client.ask("run", **asked)
    steps = [dict(found["data"]["report"]["facts"]) for found in (rough, fine)]
    assert steps[0] != steps[1]
    wrong = client.ask("run", **asked, given={"rtol": 2})["error"]
    assert (
        wrong["found"] == "rtol = 2" and "between 0 and 1" in wrong["why"] and wrong["asked"] == "analysis 'simulate'"
    )
    assert "did you mean 'rtol'" in client.ask("run", **asked, given={"rtl": 1e-4})["error"]["why"]
    assert "refused" in client.ask("run", 400, **asked, given=3)
    states = client.ask("run", session=session, analysis="verify", values={}, given={"states": 1})
    assert "1 state" in states["text"] or "1 state" in str(states["data"]["report"])
