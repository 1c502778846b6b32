"""Every joint and force element that is registered can be shown, in the plane and in space, in a mechanism of random bodies."""

import math

import pytest
from contracts.samples import case_id, force_cases, joint_cases, sample

import dalembert as da
from dalembert.viewer.page import page_data


def finite(x):
    """Whether every number of a scene is finite (numbers that are not become null in the page)."""
    if isinstance(x, dict):
        return all(finite(v) for v in x.values())
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, list | tuple):
        return all(finite(v) for v in x)
    return not isinstance(x, float) or math.isfinite(x)


@pytest.mark.parametrize("case", [*joint_cases(), *force_cases()], ids=case_id)
def test_every_part_can_be_shown(case):
    tag, plane = case
    m = sample(tag, plane).model
    try:
        run = da.simulate(m, until=1e-3)
    except da.DalembertError as error:
        pytest.skip(f"random bodies of this sample do not go together: {error.found}")
    scene = page_data(run)["scene"]
    assert finite(scene) and len(scene["bodies"]) == len(run.system.body_names)
    numbers = range(-1, len(scene["bodies"]))
    for mark in scene["marks"]:
        assert len(mark["places"]) == 2 and all(place[0] in numbers for place in mark["places"])
    part = m["part"]
    if part.kind == "joint":
        assert "part" in [row["name"] for row in page_data(run)["loads"]]
