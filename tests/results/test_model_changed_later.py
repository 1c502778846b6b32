"""A result belongs to the model as it was: what the user does to the model afterwards changes nothing in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from trust.test_passes import changes, crank

import dalembert as da


def everything(run: Any) -> dict[str, Any]:
    """What a user may ask of a run, as numbers and texts."""
    again = run.resample([0.05, 0.15])
    found: dict[str, Any] = {f"audit {k}": str(r.audit).split("  steps")[0] for k, r in enumerate((run, again))}
    found |= {"table": run.table(), "balance": again.status, "state": run.at(0.07).q, "powers": again.powers}
    for joint in run.model.parts("joint"):
        if run.has(joint):
            found[joint.name] = again[joint.name].force
    for name in run.system.body_names:
        found[name] = again[name].position
    found["energy"], found["momentum"], found["center"] = again.energy.total, again.momentum, again.center
    return found


# measures of a mechanism with other bodies are refused, with a sentence
@pytest.mark.parametrize("what", [name for name in changes(crank()) if name != "body"])
def test_nothing_changes_in_a_result(what: str) -> None:
    m, fresh = crank(), crank()
    run, other = (da.simulate(x, until=0.2, progress=False) for x in (m, fresh))
    changes(m)[what]()
    now, before = everything(run), everything(other)
    assert run.status == "ok" and now.keys() == before.keys()
    for name, value in now.items():
        assert np.array_equal(value, before[name]), name
