"""Laws that have no value beyond their switch: 1e3*max(0, -s)**1.5 with its side held is a root of a negative number where s > 0.

Steps over the switch used to be none, at any length, and runs ended at the first touch.  References are energies and quadratures.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import dalembert as da

G, MASS, HEIGHT, K = 9.81, 0.5, 0.5, 1e3
METHODS = {
    "auto": ({}, 1e-6), "dormand_prince": ({"method": "dormand_prince"}, 1e-5), "radau5": ({"method": "radau5"}, 1e-5),
    "generalized_alpha": ({"method": "generalized_alpha", "rtol": 1e-6, "atol": 1e-8}, 1e-4),
    "variational": ({"method": "variational", "step": 2e-4}, 1e-2),
}  # fmt: skip
# force at the depth x, as a power of it, and laws that say so
LAWS = {
    1.5: ("1e3*max(0, -s)**1.5", "if_(s < 0, 1e3*(-s)**1.5, 0)", "1e3*max(0, -s)*sqrt(max(0, -s))"),
    0.5: ("1e3*sqrt(max(0, -s))", "if_(s > 0, 0, 1e3*sqrt(-s))"),
}


def mechanism(force: str | None = None, drive: str | None = None) -> da.Mechanism:
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    guide = m.prismatic("guide", m.ground, m.body("ball", mass=MASS, inertia=1.0), along=(0, 1))
    if drive is not None:
        m.drive("motor", guide.slide, drive)
        return m
    m.actuator("soil", guide.slide, force=force)
    m.start(guide.slide, HEIGHT)
    return m


def coordinate(force: str) -> da.Lagrangian:
    m = da.Lagrangian("s", kinetic=f"{MASS}*rate(s)**2/2", potential=f"{MASS * G}*s", forces={"s": force})
    m.start("s", HEIGHT)
    return m


def bounce(power: float) -> tuple[float, float]:
    """Time at which the ball leaves the soil again, from the energy, and its depth: m g (h + x) = K x^(p + 1)/(p + 1) at the lowest place."""

    def left(x: float) -> float:
        return MASS * G * (HEIGHT + x) - K * x ** (power + 1.0) / (power + 1.0)

    deepest = brentq(left, 1e-9, 1.0, xtol=1e-15)
    # x = deepest (1 - u^2) takes the root out of the velocity where it turns
    way = quad(lambda u: 2.0 * u * deepest / math.sqrt(2.0 / MASS * left(deepest * (1.0 - u * u))), 0.0, 1.0)[0]
    return math.sqrt(2.0 * HEIGHT / G) + 2.0 * way, deepest


@pytest.mark.parametrize("power", LAWS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", [mechanism, coordinate])
def test_a_ball_on_soil(model, method, power):
    """It leaves the soil at the speed of its arrival, after the time of a quadrature."""
    leaves, _ = bounce(power)
    options, close = METHODS[method]
    for law in LAWS[power]:
        run = da.simulate(model(law), until=leaves + 0.1, output=[0.0, leaves + 0.1], **options)
        s = run.q[-1, 1 if model is mechanism else 0]
        assert s == pytest.approx(math.sqrt(2.0 * G * HEIGHT) * 0.1 - 0.5 * G * 0.01, abs=close), law
        assert run.audit.passed and np.isfinite(run.a).all()


@pytest.mark.parametrize("power", LAWS)
def test_ends_of_steps_are_outputs(power):
    """At the switch itself, where rounding decides on which side it is, the force and the equations have values."""
    for law in LAWS[power]:
        run = da.simulate(mechanism(law), until=2.0, output="steps")
        assert run.audit.passed and np.isfinite(run["soil"].force).all()
        assert np.min(run["guide"].slide) > -bounce(power)[1] - 1e-6
        assert run.work["soil"][-1] == pytest.approx(
            MASS * G * (run["guide"].slide[-1] - HEIGHT) + run.energy.kinetic[-1], abs=1e-5
        )


def test_the_law_of_a_compliant_contact():
    """The same force as a contact and as a formula."""
    law = da.simulate(mechanism("1e3*max(0, -s)**1.5*max(0, 1 - 0.3*v)"), until=2.0, rtol=1e-10, atol=1e-12)
    m = da.Mechanism("ball", plane=True, gravity=(0, -G))
    ball = m.body("ball", da.disk(0.1, mass=MASS), at=(0, HEIGHT + 0.1))
    m.contact("soil", m.ground, ball, stiffness=K, exponent=1.5, damping=0.3)
    contact = da.simulate(m, until=2.0, rtol=1e-10, atol=1e-12)
    assert law["guide"].slide == pytest.approx(contact["ball"].position[:, 1] - 0.1, abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("law", ["max(0, t - 0.3)**2.5", "if_(t < 0.3, 0, (t - 0.3)**2.5)"])
def test_drivers(law, method):
    """Their place and the rate of it are those of the formula, and the effort has a value at every output."""
    options, _ = METHODS[method]
    run = da.simulate(mechanism(drive=law), until=1.0, **options)
    t = np.maximum(run.t - 0.3, 0.0)
    assert run["guide"].slide == pytest.approx(t**2.5, abs=1e-12)
    assert run.v[:, 1] == pytest.approx(2.5 * t**1.5, abs=1e-12)
    assert run["motor"].effort == pytest.approx(MASS * (G + 3.75 * np.sqrt(t)), abs=1e-9)


@pytest.mark.parametrize("law", ["sqrt(s)", "if_(s < 0.2, sqrt(s), 0)", "if_(s > 0, 0, log(s))"])
def test_laws_without_a_value_are_refused(law):
    """On the side that the motion goes to, the law as it is written has no value."""
    with pytest.raises(da.ConvergenceError, match="no longer finite"):
        da.simulate(mechanism(law), until=2.0)
