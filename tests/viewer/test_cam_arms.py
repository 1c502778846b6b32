"""Arms of followers that swing: from the pin to what touches the cam, in both kinds of drawings."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.viewer.page import page_data

D, ARM = 0.2, 0.15  # distance of the pins, arm


def swinging(follower, plane=True, shaped=False):
    """A cam that is driven and an arm that it moves both ways."""
    m = da.Mechanism("swinging", plane=plane)
    options = {} if plane else {"axis": (0, 0, 1)}
    at = (lambda *p: p) if plane else (lambda *p: (*p, 0.0))
    matter = {"mass": 1.0, "inertia": 1e-3 if plane else (1e-3, 1e-3, 1e-3)}
    wheel = m.body("wheel", **matter, at=at(0, 0))
    arm = m.body("arm", da.rod(length=0.1, mass=0.5) if shaped else None, **({} if shaped else matter), at=at(D, 0))
    O, P = (
        m.revolute("O", m.ground, wheel, at=at(0, 0), **options),
        m.revolute("P", m.ground, arm, at=at(D, 0), **options),
    )
    sizes = {"base": 0.08} if follower == "flat" else {"base": 0.12, "arm": ARM}
    sizes |= {"radius": 0.02} if follower == "roller" else {}
    m.cam("cam", O.angle, P.angle, lift="0.1*(1 - cos(theta))", follower=follower, closed=True, **sizes)
    m.drive("motor", O.angle, "0.4 + 3*t")
    return m


@pytest.mark.parametrize("follower", ["knife", "roller", "flat"])
@pytest.mark.parametrize("plane", [True, False])
def test_an_arm_reaches_from_its_pin_to_the_cam(follower, plane):
    run = da.simulate(swinging(follower, plane), until=2.0, output=0.02)
    arm, touched = run["cam"].arm(), np.asarray(run["cam"].point)
    arm = arm[:, :2]
    assert arm[0] == pytest.approx([D, 0.0], abs=1e-12)
    if follower == "flat":
        # the face is a line through the place of touch, across the way from the pin to its foot (there is none here: offset 0)
        assert len(arm) == 3
        along = (arm[2] - arm[1]) / np.linalg.norm(arm[2] - arm[1])
        off = touched[0, :2] - arm[1]
        assert abs(off[0] * along[1] - off[1] * along[0]) < 1e-12
        # every place of touch is on it: as far from the foot as it reaches at most, and nearly as far once
        reach = np.linalg.norm(touched[:, :2] - [D, 0.0], axis=1)
        assert np.max(reach) == pytest.approx(np.linalg.norm(arm[2] - arm[1]) / 1.1, rel=1e-12)
        assert off @ along > 0.0
    else:
        assert np.linalg.norm(arm[1] - arm[0]) == pytest.approx(ARM, rel=1e-12)
        assert np.linalg.norm(arm[1] - touched[0, :2]) == pytest.approx(
            0.02 if follower == "roller" else 0.0, abs=1e-12
        )


@pytest.mark.parametrize("plane", [True, False])
@pytest.mark.parametrize("shaped", [True, False])
def test_the_page_draws_the_arm(plane, shaped):
    run = da.simulate(swinging("roller", plane, shaped), until=0.2, output=0.05)
    scene = page_data(run)["scene"]
    body = next(b for b in scene["bodies"] if b["name"] == "arm")
    lengths = [
        math.dist(item["points"][0], item["points"][-1])
        for item in body["items"]
        if item["kind"] == "bar" and len(item["points"]) in (2, 3)
    ]
    assert any(length == pytest.approx(ARM) for length in lengths)


def test_a_follower_on_a_way_has_no_arm():
    m = da.Mechanism("way", plane=True)
    wheel, valve = m.body("wheel", mass=1.0, inertia=1e-3), m.body("valve", mass=1.0, inertia=1e-3, at=(0, 0.1))
    O, G = m.revolute("O", m.ground, wheel, at=(0, 0)), m.prismatic("G", m.ground, valve, at=(0, 0), along=(0, 1))
    m.cam("cam", O.angle, G.slide, lift="0.01*(1 - cos(theta))", follower="roller", base=0.08, radius=0.02, closed=True)
    m.drive("motor", O.angle, "3*t")
    assert da.simulate(m, until=0.2)["cam"].arm() is None
