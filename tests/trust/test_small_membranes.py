"""Membranes of a micrometre to a kilometre: the audit does not depend on units and sizes, passes what is right, and fails what is wrong.

A grid of 3 x 3 particles, tied by prestrained springs to each other and to a frame, plucked by a small part of its size.  The motion is across the membrane; springs in its
plane are so stiff that the absolute tolerance of positions makes accelerations there that are as large as those of the motion.  They were taken for velocities that nothing explains.

Right: within a hundred tolerances, some for every step, of the same run at 1e-13.
"""

import copy

import numpy as np
import pytest

import dalembert as da
from dalembert.results.momentum import momentum_error


def membrane(size, modulus, pluck, damping):
    n, thickness = 3, size / 100.0
    d = size / (n + 1)
    m, points = da.Mechanism("membrane", plane=False), {}
    for i in range(n + 2):
        for j in range(n + 2):
            at = (i * d, j * d, pluck * size if (i, j) == (2, 2) else 0.0)
            frame = i in (0, n + 1) or j in (0, n + 1)
            points[i, j] = (
                m.ground.point(*at) if frame else m.particle(f"p{i}{j}", mass=1000.0 * thickness * d * d, at=at)
            )
    inner = [(i, j) for i, j in points if 0 < i <= n and 0 < j <= n]
    for i, j in points:
        for other in ((i + 1, j), (i, j + 1)):
            if (i, j) in inner or other in inner:
                law = {
                    "stiffness": modulus * thickness,
                    "damping": damping * modulus * thickness,
                    "free_length": 0.99 * d,
                }
                m.spring(f"s{i}{j}{other[0]}", points[i, j], points[other], **law)
    return m, 60.0 * np.sqrt(1000.0 * d * d / (8.0 * modulus))


ROUGH, SHARP = {"rtol": 1e-5, "atol": 1e-7}, {"rtol": 1e-8, "atol": 1e-10}
# size [m], modulus [N/m2] that makes rates 1e4, 1e3 or some 1e2 a second, part of the size, damping [s], tolerances
CASES = [
    (1e-3, 1e6, 1e-8, 0.0, ROUGH), (1e-3, 1e3, 1e-6, 1e-4, ROUGH), (1e-3, 1e3, 1e-8, 1e-4, ROUGH), (1e-3, 1.0, 1e-6, 0.0, ROUGH), (1e-3, 1.0, 1e-8, 0.0, SHARP),
    (1e-3, 1.0, 1e-8, 1e-4, SHARP), (1e-2, 1e6, 1e-8, 0.0, ROUGH), (1e-2, 1e6, 1e-8, 1e-4, ROUGH), (1e-2, 1e3, 1e-8, 0.0, ROUGH), (1e-2, 1.0, 1e-6, 1e-4, ROUGH),
    (1e-6, 1e-6, 1e-8, 0.0, SHARP), (1.0, 1e6, 1e-8, 0.0, SHARP), (1e3, 1e9, 1e-6, 0.0, ROUGH), (1e3, 1e12, 1e-8, 0.0, SHARP),
]  # fmt: skip


@pytest.mark.parametrize(("size", "modulus", "pluck", "damping", "tolerances"), CASES)
def test_right_answers_pass(size, modulus, pluck, damping, tolerances):
    m, until = membrane(size, modulus, pluck, damping)
    run = da.simulate(m, until=until, **tolerances)
    exact = da.simulate(m, until=until, rtol=1e-13, atol=1e-16)
    assert np.abs(run.q - exact.q).max() < 100.0 * tolerances["atol"] * size
    assert run.status == "ok", run.audit.failures


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e-2, 1.0, 1e3])
def test_wrong_answers_fail(size):
    """A velocity that jumps by a fifth of the largest one in the middle of the run, without an acceleration: across the membrane, and in its plane."""
    m, until = membrane(size, 1e6 * size**2, 1e-3, 0.0)
    run = da.simulate(m, until=until, output=until / 10_000)
    assert momentum_error(run)[0] == 0.0 and run.status == "ok"
    for axis in (0, 2):
        wrong = copy.copy(run)
        v = np.array(run.v)
        v[len(v) // 2 :, 6 * 4 + axis] += 0.2 * np.abs(run.v).max()
        object.__setattr__(wrong, "v", v)
        part, name = momentum_error(wrong)
        assert part > 0.1 and name == run.velocity_names[6 * 4 + axis]
