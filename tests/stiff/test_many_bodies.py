"""Newton's method of mechanisms with many bodies: the sparse system finds the corrections of the dense one, at a cost linear in bodies."""

import numpy as np
import pytest

import dalembert as da
from dalembert.system.known import known_system
from dalembert.system.trace import slopes

from .models import bushing_crank, wheel


def chain(n, plane=True, thin=True):
    """Links with stiff springs and dampers in their joints; thin rods in space have no inertia about themselves."""
    m = da.Mechanism("chain", plane=plane, gravity=(0, -9.81) if plane else (0, 0, -9.81))
    length, last = 1.0 / n, m.ground
    shape = da.rod(length=length, mass=1.0 / n) if plane or thin else da.box(length, 0.01, 0.01, mass=1.0 / n)
    zeros = (0,) if plane else (0, 0)
    for k in range(n):
        link = m.body(f"link{k}", shape, at=((k + 0.5) * length, *zeros))
        axis = {} if plane else {"axis": (0, 1, 0) if k % 2 else (0, 0, 1)}
        joint = m.revolute(f"joint{k}", last, link, at=(k * length, *zeros), **axis)
        m.torsion_spring(f"spring{k}", joint.angle, stiffness=10.0, damping=0.1)
        last = link
    return m


@pytest.mark.parametrize("method", ["radau", "radau3", "generalized_alpha"])
@pytest.mark.parametrize(
    "build, until", [(bushing_crank, 0.1), (wheel, 0.1), (lambda: chain(6), 0.2), (lambda: chain(4, False), 0.05)]
)
def test_same_motion_as_by_the_dense_system(build, until, method, monkeypatch):
    dense = da.simulate(build(), until=until, method=method, rtol=1e-6, atol=1e-8)
    monkeypatch.setattr(slopes, "MANY", 0)
    sparse = da.simulate(build(), until=until, method=method, rtol=1e-6, atol=1e-8)
    assert sparse.status == dense.status == "ok"
    # corrections end at a hundredth of the tolerance, and order 2 is at a thousand tolerances of the motion
    assert np.abs(sparse.q - dense.q).max() < (1e-4 if method == "generalized_alpha" else 1e-6)


@pytest.mark.parametrize("plane, thin", [(True, True), (False, True), (False, False)])
def test_entries_are_proportional_to_bodies(plane, thin):
    counts = []
    for n in (40, 80):
        m = chain(n, plane, thin)
        da.simulate(m, until=1e-7, method=8, output=[1e-7], audit=False)
        pattern = slopes.slopes_of(known_system(m)).pattern
        lengths = np.diff(pattern.first).astype(float)
        counts.append((len(pattern.col) / n, (lengths**2).sum() / n))
    assert counts[0] == pytest.approx(counts[1], rel=0.02)


def test_a_stiff_chain_of_two_hundred():
    """The springs' rates are 5e6/s: explicit steps of a microsecond; the automatic choice needs a hundred steps."""
    run = da.simulate(chain(200), until=0.1, rtol=1e-4, atol=1e-4, output=0.05)
    assert run.methods[-1].method.startswith("radau")
    assert run.audit.steps < 300
    assert run.status == "ok"
