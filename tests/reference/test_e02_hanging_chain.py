"""E02: hanging chain of N rigid links between two pins at the same height: forces in equilibrium.

Source: force balance of a chain of equal rods, tan(theta_k) = w (N + 1 - 2k)/(2 H) with sum l cos(theta_k) = D (textbook closed form).

The chain is drawn in its closed-form shape and must stay there: accelerations zero, end force (H, V).  Tolerance: the given angle of the first
link has 12 digits, from which the others follow; 1e-10 of the weight of 9.81 N.
"""

import math

import numpy as np
import pytest

import dalembert as da


@pytest.mark.parametrize(
    "n, horizontal, sag, first",
    [(10, 1.598166454822, 0.365545036299, -1.2234478139), (5, 1.578383707484, 0.341384634116, -1.18836173563)],
)
def test_equilibrium(n, horizontal, sag, first):
    length, span, weight = 1.0 / n, 0.6, 9.81 / n
    angles = [-math.atan(weight * (n + 1 - 2 * k) / (2 * horizontal)) for k in range(1, n + 1)]
    assert angles[0] == pytest.approx(first, abs=1e-10)
    m = da.Mechanism("hanging chain", gravity=(0, -9.81))
    before, at = m.ground, np.zeros(2)
    lowest = 0.0
    for k, angle in enumerate(angles):
        step = length * np.array([math.cos(angle), math.sin(angle)])
        link = m.body(f"link {k}", mass=1.0 / n, inertia=length**2 / n / 12, at=at + step / 2, angle=angle)
        m.revolute(f"pin {k}", before, link, at=at)
        before, at = link, at + step
        lowest = min(lowest, at[1])
    assert at == pytest.approx([span, 0.0], abs=1e-11)
    assert -lowest == pytest.approx(sag, abs=1e-11)
    m.revolute("end", before, m.ground, at=(before.point(length / 2, 0), m.ground.point(span, 0)))
    run = da.simulate(m, until=0.1, rtol=1e-10, atol=1e-12, output=[0.0, 0.1])
    assert run["pin 0"].force[0] == pytest.approx([-horizontal, 4.905], abs=1e-9)
    assert run["end"].on(m.ground).force[0] == pytest.approx([-horizontal, -4.905], abs=1e-9)
    assert abs(run.a[0]).max() < 1e-8
    # a stable equilibrium: what the digits leave open does not grow
    assert abs(run.q[1] - run.q[0]).max() < 1e-10


@pytest.mark.parametrize(
    "n, horizontal, sag, first",
    [(10, 1.598166454822, 0.365545036299, -1.2234478139), (5, 1.578383707484, 0.341384634116, -1.18836173563)],
)
def test_found_from_a_rough_drawing(n, horizontal, sag, first):
    """`equilibrium` from a chain drawn as a V: shape, sag and end force; lowest energy, the only stable one."""
    length, span = 1.0 / n, 0.6
    m = da.Mechanism("hanging chain", gravity=(0, -9.81))
    before, at = m.ground, np.zeros(2)
    for k in range(n):
        angle = math.acos(span) * (0.0 if 2 * k + 1 == n else math.copysign(1.0, 2 * k + 1 - n))
        step = length * np.array([math.cos(angle), math.sin(angle)])
        link = m.body(f"link {k}", mass=1.0 / n, inertia=length**2 / n / 12, at=at + step / 2, angle=angle)
        m.revolute(f"pin {k}", before, link, at=before.point(length / 2, 0) if k else (0, 0))
        before, at = link, at + step
    m.revolute("end", before, m.ground, at=(before.point(length / 2, 0), m.ground.point(span, 0)))
    found = da.equilibrium(m, starts=4)
    (stable,) = found.stable
    assert stable is found[0]
    # roots to rounding; the references have 12 digits
    assert stable.state.q[2] == pytest.approx(first, abs=1e-10)
    assert stable.reactions["pin 0"].force == pytest.approx([-horizontal, 4.905], abs=1e-9)
    ends = [y + math.sin(a) * length / 2 for y, a in zip(stable.state.q[1::3], stable.state.q[2::3])]
    assert -min(ends) == pytest.approx(sag, abs=1e-10)
    assert len(stable.eigenvalues) == n - 2
