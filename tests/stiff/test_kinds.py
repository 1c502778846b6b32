"""Implicit methods on all that equations of motion may have: redundant rows, bodies without mass, rolling, drivers, auxiliary states, and forces that are
stiff though no law is; against the explicit method at a tight tolerance.

Tolerances: errors of the runs compared with are some 1e-10; implicit ones may be a hundred times their tolerance, those of order 2 ten times.
"""

import numpy as np
import pytest

import dalembert as da
from tests.convergence.models import driven_arm, rolling_disk
from tests.reference.test_four_bars import planar, random_rotation, turned

OIL = {"stiffness": 0.0, "damping": 200.0}  # rates of some 1e4/s beside those of the motion


def redundant():
    """A four-bar of four revolutes in space, three rows too many, its crank in oil."""
    m = turned(random_rotation(1), np.zeros(3))
    m.torsion_spring("oil", m["O"].angle, **OIL)
    return m


def massless():
    """A four-bar whose coupler has no mass, its crank in oil."""
    m = planar("massless")
    m.torsion_spring("oil", m["O"].angle, **OIL)
    return m


def rolling():
    """A coin that rolls, with a weight on a stiff damped spring at its middle."""
    m = rolling_disk()
    at = (0.5, 0.0, 0.3)
    weight = m.body("weight", mass=0.1, inertia=(1e-4, 1e-4, 1e-4), at=at)
    m.spring("tie", m["coin"].point(0, 0, 0), weight.point(0, 0, 0), stiffness=1e5, damping=1e3, free_length=0.25)
    return m


def driven():
    """A rod on a driven arm, held by a stiff spring and damper."""
    m = driven_arm()
    m.torsion_spring("tie", m["A"].angle, stiffness=1e6, damping=1e4)
    return m


def with_state():
    """A valve with a rate of 1e5/s between two volumes, whose pressure pushes the rod of a driven arm."""
    m = driven_arm()
    m.state("p", rate="1e5*(sin(5*t) - p) - 100*rate(A.angle)", unit="bar")
    m.actuator("push", m["A"].angle, force="2*p")
    return m


KINDS = {redundant: 0.3, massless: 0.3, rolling: 0.3, driven: 0.2, with_state: 0.05}


@pytest.mark.parametrize("build", KINDS, ids=[build.__name__ for build in KINDS])
@pytest.mark.parametrize(
    "method, rtol, allowed", [("radau", 1e-7, 1e-5), ("radau3", 1e-7, 1e-5), ("radau1", 1e-4, 1e-2), ("generalized_alpha", 1e-6, 1e-5), ("hht", 1e-6, 1e-5)]
)  # fmt: skip
def test_same_motion_as_by_the_explicit_method(build, method, rtol, allowed):
    exact = da.simulate(build(), until=KINDS[build], method=8, rtol=1e-10, atol=1e-12)
    run = da.simulate(build(), until=KINDS[build], method=method, rtol=rtol, atol=1e-2 * rtol)
    assert run.methods[0].method.startswith(method)
    assert np.abs(run.q - exact.q).max() < allowed
    assert np.abs(run.z - exact.z).max(initial=0.0) < allowed
    assert run.audit.position < 1e-11 and run.audit.velocity < 1e-9
    assert run.audit.redundant_rows == exact.audit.redundant_rows and (len(run.audit.redundant_rows) == 3) == (
        build is redundant
    )


@pytest.mark.parametrize("method", ["radau5", "radau", "auto"])
def test_a_taut_line(method):
    """A constant force that turns slowly holds a bar in oil: stiff by the force, of which the slopes of laws know nothing.

    The bar follows the force at the distance that the oil makes, asin(c/(F L)), the transient of a millisecond gone; with derivatives of laws alone
    Newton's method fails at every step that is longer than that (459 steps with 74 failures, and 57 changes of method by `auto`).
    """
    m = da.Mechanism("taut line")
    bar = m.body("bar", da.rod(length=1.0, mass=1.0), at=(0.5, 0))
    m.revolute("O", m.ground, bar, at=(0, 0))
    m.torsion_spring("oil", m["O"].angle, stiffness=0.0, damping=1e3)
    m.force("pull", bar, ("1e6*cos(t)", "1e6*sin(t)"), at=bar.point(0.5, 0))
    run = da.simulate(m, until=1.0, method=method, rtol=1e-8, atol=1e-10)
    assert run["O"].angle[-1] == pytest.approx(1.0 - np.arcsin(1e3 / 1e6), abs=1e-8)
    assert run.trace.step.exact == 1
    assert run.trace.step.unsolved < 10 and run.audit.steps < 200 and len(run.methods) < 6
    assert run.status == "ok"
