"""Forms of m.measure, each against its closed form on a bar driven about a pin."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

W = 0.8


def driven(plane=True):
    """Bar from the origin to (2, 0), turned with the constant speed W about the origin; measures are added by the tests."""
    m = da.Mechanism("bar", plane=plane)
    b = m.body("b", mass=1.0, inertia=0.3 if plane else (0.3, 0.3, 0.3), at=(1, 0) if plane else (1, 0, 0))
    m.revolute("A", m.ground, b, **({"at": (0, 0)} if plane else {"at": (0, 0, 0), "axis": (0, 0, 1)}))
    m.drive("motor", "A.angle", f"{W}*t")
    return m


def point(m, *x):
    return m["b"].point(*x) if m.plane else m["b"].point(*x, 0)


@pytest.mark.parametrize("plane", [True, False])
def test_all_forms(plane):
    m = driven(plane)
    tip, zero = point(m, 1, 0), (0,) if not plane else ()
    fixed = m.ground.point(0, 1, *zero)
    made = {
        "distance": m.measure("distance", between=(fixed, tip)),
        "height": m.measure("tip height", point=tip, along=(0, 1, *zero)),
        "relative": m.measure("relative", point=tip, along=(1, 0, *zero), relative_to=fixed),
        "from space": m.measure("from space", point=tip, along="x", relative_to=(0.5, 0, *zero)),
        "along the bar": m.measure("along the bar", point=tip, along=m["b"].axis(1, 0, *zero)),
        "along the ground": m.measure("along the ground", point=tip, along=m.ground.axis(0, 2, *zero)),
        "angle": m.measure("turn", angle=(m.ground, "b"), **({} if plane else {"axis": "z"})),
        "text": m.measure("text", "2*A.angle + sin(t)", unit="rad"),
        "copy": m.measure("copy", m["A"]),
        "of measures": m.measure("sum", "text - 2*turn"),
    }
    run = da.simulate(m, until=1.0)
    t, c, s = run.t, np.cos(W * run.t), np.sin(W * run.t)
    length = np.sqrt((2 * c) ** 2 + (2 * s - 1) ** 2)
    expected = {
        "distance": (length, -4 * W * c / (2 * length)),
        "height": (2 * s, 2 * W * c),
        "relative": (2 * c, -2 * W * s),
        "from space": (2 * c - 0.5, -2 * W * s),
        "along the bar": (2 + 0 * t, 0 * t),
        "along the ground": (2 * s, 2 * W * c),
        "angle": (W * t, W + 0 * t),
        "text": (2 * W * t + np.sin(t), 2 * W + np.cos(t)),
        "copy": (W * t, W + 0 * t),
        "of measures": (np.sin(t), np.cos(t)),
    }
    for name, (value, rate) in expected.items():
        series = run[made[name]]
        # the pose is held to 1e-12 of the model's size, which is 2 m
        assert np.abs(series - value).max() < 5e-12, name
        assert np.abs(series.rate - rate).max() < 5e-12, name
    assert np.array_equal(run["tip height"], run[made["height"]])
    assert made["text"].unit == "rad"
    assert np.array_equal(run["A.angle"], run[m["A"].angle])


def test_measures_can_be_driven_sprung_and_held():
    """The same height driven, and held by a constraint."""
    m2 = da.Mechanism("driven", gravity=(0, 0))
    b = m2.body("b", mass=1.0, inertia=0.3, at=(1, 0))
    m2.revolute("A", m2.ground, b, at=(0, 0))
    height = m2.measure("height", point=b.point(1, 0), along=(0, 1))
    m2.drive("lift", height, "0.5*t")
    run = da.simulate(m2, until=1.0)
    assert np.abs(np.sin(run["b"].angle) - 0.25 * run.t).max() < 1e-12
    m3 = da.Mechanism("held")
    c = m3.body("b", mass=1.0, inertia=0.3, at=(1, 0))
    m3.revolute("A", m3.ground, c, at=(0, 0))
    m3.measure("height", point=c.point(1, 0), along=(0, 1))
    m3.constraint("lift", "height - 0.5*t")
    other = da.simulate(m3, until=1.0)
    assert np.abs(other["b"].angle - run["b"].angle).max() < 1e-10
    # the holding force is the same: effort of the driver, reaction of the constraint along the measure
    assert np.abs(run["lift"].effort - other["lift"].effort).max() < 1e-9


def test_laws_of_named_measures():
    m = da.Mechanism("named")
    m.body("b", mass=2.0, inertia=0.3)
    m.measure("stretch", "b.x - 0.1")
    m.actuator("pull", "stretch", force="-8*s - 0*rate(stretch)")
    run = da.simulate(m, until=1.0, rtol=1e-10, atol=1e-12)
    # 2 x'' = -8 (x - 0.1) from rest at 0: x = 0.1 (1 - cos 2t)
    assert np.abs(run["b"].position[:, 0] - 0.1 * (1 - np.cos(2 * run.t))).max() < 1e-9
    assert math.isclose(run["pull"].effort[0], 0.8, rel_tol=1e-12)
