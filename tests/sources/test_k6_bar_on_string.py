"""K6: uniform bar of length L2 on a string of length L1, horizontal force F at its lower end (PRINCIPLES, after Meirovitch).

    m L1^2 th1'' + m L1 L2/2 (th2'' cos(th2 - th1) - th2'^2 sin(th2 - th1)) + m g L1 sin th1 = F L1 cos th1
    m L1 L2/2 (th1'' cos(th2 - th1) + th1'^2 sin(th2 - th1)) + m L2^2/3 th2'' + m g L2/2 sin th2 = F L2 cos th2

Angles from the vertical.  As a mechanism: a rod on a distance link, which stays taut.  As a Lagrangian system: the two angles, and the length
of the string as a third coordinate that a row holds at L1; its multiplier is the tension.
"""

import math

import numpy as np
import pytest
from two_ways import TIGHT, agree

import dalembert as da

M, L1, L2, G, F = 1.4, 0.5, 0.8, 9.81, 2.0
START, RATES = (0.3, 0.1), (0.2, 1.0)


def as_mechanism(th=START, w=RATES):
    m = da.Mechanism("bar on a string", plane=True, gravity=(0, -G))
    a = np.array([L1 * math.sin(th[0]), -L1 * math.cos(th[0])])
    middle = a + L2 / 2 * np.array([math.sin(th[1]), -math.cos(th[1])])
    speed = L1 * w[0] * np.array([math.cos(th[0]), math.sin(th[0])])
    speed = speed + L2 / 2 * w[1] * np.array([math.cos(th[1]), math.sin(th[1])])
    bar = m.body(
        "bar", da.rod(length=L2, mass=M), at=tuple(middle), angle=th[1] - math.pi / 2, velocity=tuple(speed), spin=w[1]
    )
    m.distance("string", m.ground.point(0, 0), bar.start, length=L1)
    m.force("F", bar, (F, 0), at=bar.end)
    return m


def as_lagrangian(th=START, w=RATES, relaxed=True):
    m = da.Lagrangian(
        "th1 th2 r" if relaxed else "th1 th2", gravity=(0, "-g"), name="bar on a string",
        parameters={"m": M, "L1": L1, "L2": L2, "g": G, "F": F}, holonomic={"string": "r - L1"} if relaxed else (),
    )  # fmt: skip
    r = "r" if relaxed else "L1"
    bar = m.body(
        "bar", "m", "m*L2**2/12", at=(f"{r}*sin(th1) + L2/2*sin(th2)", f"-{r}*cos(th1) - L2/2*cos(th2)"), angle="th2"
    )
    m.force("F", bar, ("F", 0), at=(0, "-L2/2"))
    for k in (0, 1):
        m.start(f"th{k + 1}", th[k], rate=w[k])
    return m


def residuals(th, w, turn):
    """The two equations of the source, left side minus right side."""
    d = th[1] - th[0]
    s, c = np.sin(d), np.cos(d)
    first = M * L1**2 * turn[0] + M * L1 * L2 / 2 * (turn[1] * c - w[1] ** 2 * s) + M * G * L1 * np.sin(th[0])
    second = M * L1 * L2 / 2 * (turn[0] * c + w[0] ** 2 * s) + M * L2**2 / 3 * turn[1] + M * G * L2 / 2 * np.sin(th[1])
    return first - F * L1 * np.cos(th[0]), second - F * L2 * np.cos(th[1])


@pytest.mark.parametrize("seed", range(5))
def test_equations_of_the_source(seed):
    """At random states, by the accelerations of the mechanism and of both Lagrangian systems."""
    rng = np.random.default_rng(seed)
    th, w = rng.uniform(-1.5, 1.5, 2), rng.normal(size=2) * 2
    e = da.equations(as_mechanism(th, w))
    # th2'' is that of the bar; th1'' from the acceleration of its upper end across the string
    u = np.array([math.sin(th[1]), -math.cos(th[1])])
    across = np.array([-u[1], u[0]])
    end = e.a[:2] - L2 / 2 * (e.a[2] * across - w[1] ** 2 * u)
    turn = [end @ [math.cos(th[0]), math.sin(th[0])] / L1, e.a[2]]
    assert residuals(th, w, turn) == pytest.approx([0, 0], abs=1e-11)
    for relaxed in (True, False):
        run = da.simulate(as_lagrangian(th, w, relaxed), until=1e-3)
        assert residuals(th, w, run.a[0, :2]) == pytest.approx([0, 0], abs=1e-11)


def test_motion_and_tension():
    """1 s; errors of this double pendulum grow tenfold in that time."""
    options = {"until": 1.0, "output": 0.01, **TIGHT}
    one, two, plain = (
        da.simulate(m, **options) for m in (as_mechanism(), as_lagrangian(), as_lagrangian(relaxed=False))
    )
    tension = np.asarray(one["string"].multipliers)[:, 0]
    assert tension.min() > 1.0, "taut all the time"
    for run in (two, plain):
        assert agree(run["th2"], np.asarray(one["bar"].angle) + math.pi / 2)
        assert agree(np.asarray(run["bar"].position)[:, :2], one["bar"].position)
        assert agree(np.asarray(run["bar"].velocity)[:, :2], one["bar"].velocity)
        r = residuals(run.q.T, run.v.T, run.a.T)
        assert np.max(np.abs(r)) < 1e-11
    assert agree(two["string"], tension)
    force = -tension[:, None] * np.column_stack([plain["sin(th1)"], plain["-cos(th1)"]])
    assert agree(force, one["string"].force)
