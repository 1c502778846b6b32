"""Compliant stops and contacts log contact and release, with speed and largest force."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

G, M, K, H = 9.81, 2.0, 1e4, 0.15  # a mass that falls by H onto a spring


def drop(damping=0.0, upper=None, gravity=(0, -G), rate=None):
    m = da.Mechanism("drop", plane=True, gravity=gravity)
    guide = m.prismatic("guide", m.ground, m.body("b", mass=M, inertia=0.1, at=(0, H)), at=(0, H), along=(0, 1))
    m.stop("buffer", guide.slide, lower=-H, upper=upper, stiffness=K, damping=damping)
    if rate is not None:
        m.start("guide.slide", 0.0, rate=rate)
    return m


def test_fall_onto_a_spring():
    run = da.simulate(drop(), until=0.5, rtol=1e-10, atol=1e-12)
    touch, release = run.events[:2]
    v, w = math.sqrt(2 * G * H), math.sqrt(K / M)
    assert (touch.name, touch.what, release.what) == ("buffer", "contact", "release")
    assert touch.t == pytest.approx(math.sqrt(2 * H / G), abs=1e-9) and touch.speed == pytest.approx(v, rel=1e-8)
    # y'' = -w² y - g from y = 0 at -v: back at y = 0 with +v; the spring carries m g + sqrt((m g)² + k m v²) at most
    assert release.t - touch.t == pytest.approx(2 * (math.pi - math.atan(v * w / G)) / w, abs=1e-8)
    assert release.speed == pytest.approx(v, rel=1e-7) and touch.force is None
    assert release.force == pytest.approx(M * G + math.sqrt((M * G) ** 2 + K * M * v * v), rel=1e-8)
    assert release.state.q[1] == pytest.approx(0.0, abs=1e-9)
    assert str(release) == f"t = {release.t:.9g} s  buffer: lets go at {v:.6g} m/s, largest force {release.force:.6g} N"
    assert [x.what for x in run.events] == ["contact", "release"] * (len(run.events) // 2)


def test_damping_lets_go_before_the_gap_opens():
    run = da.simulate(drop(damping=100.0), until=0.3, rtol=1e-10, atol=1e-12)
    touch, release = run.events[:2]
    depth = -release.state.q[1]
    assert depth > 1e-3 and K * depth == pytest.approx(100.0 * release.speed, rel=1e-6)  # where the force is zero
    assert release.force >= 100.0 * touch.speed  # what it begins with


def test_between_two_limits():
    run = da.simulate(drop(upper=0.1, gravity=(0, 0), rate=1.0), until=1.0, rtol=1e-10, atol=1e-12)
    assert [x.what for x in run.events[:4]] == ["contact", "release"] * 2
    assert run.events[0].state.q[1] == pytest.approx(H + 0.1) and run.events[2].state.q[1] == pytest.approx(
        0.0, abs=1e-9
    )
    assert all(x.force == pytest.approx(math.sqrt(K * M), rel=1e-8) for x in run.events.of("release"))


@pytest.mark.parametrize("mu", [None, 0.3])
def test_corners_of_a_box(mu, tmp_path):
    m = da.Mechanism("box", plane=True, gravity=(0, -G))
    m.contact(
        "floor",
        m.ground,
        m.body("b", da.block(0.1, 0.1, mass=1.0), at=(0, 0.3), angle=0.1),
        stiffness=1e5,
        damping=0.1,
        mu=mu,
    )
    run = da.simulate(m, until=0.5)
    made = [x for x in run.events if x.what in ("contact", "release")]
    assert {x.name for x in made} == {"floor.bottom_left", "floor.bottom_right"} and made == run.events["floor"].of(
        "contact", "release"
    )
    assert made[0].name == "floor.bottom_left"  # the lower one
    gap = run.resample([x.t for x in made if x.what == "contact"])
    assert np.allclose([gap[x.name][k] for k, x in enumerate(x for x in made if x.what == "contact")], 0.0, atol=1e-9)
    # files, and the line of time of the page
    run.save(tmp_path / "run")
    saved = da.load(tmp_path / "run.npz").events
    assert [x["text"] for x in saved] == [x.text for x in run.events] and saved[0]["speed"] == made[0].speed
    page = da.show(run, tmp_path / "page.html", open=False)
    assert made[-1].text in page.read_text(encoding="utf-8")


def test_nothing_touches():
    assert da.simulate(drop(), until=0.1).events.of("contact") == []
