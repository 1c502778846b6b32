"""C04: the speed above which an upright rolling disk or hoop is stable (A. L. Schwab and J. P. Meijaard 2003).

v^2 > A g m r^3 / (C (C + m r^2)), A about a diameter and C about the axis: g r/3 for a disk, g r/4 for a hoop.  Spinning in place:
omega^2 > m g r / (A + m r^2).

The growth of the unstable mode near the threshold: with v the speed, (A + m r^2) q'' + (C (C + m r^2) v^2 / (A r^2) - m g r) q = 0 for the lean q
(the heading follows from A h' = C v/r q).  Tolerances: derivatives by differences, 1e-7.
"""

import numpy as np
import pytest

import dalembert as da

RADIUS, GRAVITY, MASS = 0.5, 9.81, 2.0
# moments of inertia about a diameter and about the axis, threshold of the speed and of the spin in place
SHAPES = {
    "disk": (MASS * RADIUS**2 / 4, MASS * RADIUS**2 / 2, 1.2786711852544421, np.sqrt(4 * GRAVITY / (5 * RADIUS))),
    "hoop": (MASS * RADIUS**2 / 2, MASS * RADIUS**2, 1.1073617295175051, np.sqrt(2 * GRAVITY / (3 * RADIUS))),
}


def roller(shape, speed=0.0, yaw=0.0, lean=0.0):
    a, c, *_ = SHAPES[shape]
    m = da.Mechanism(shape, plane=False, gravity=(0, 0, -GRAVITY))
    height = (0, RADIUS * np.sin(lean), RADIUS * np.cos(lean))
    body = m.body("wheel", mass=MASS, inertia=(a, c, a), at=height, rotation=((1, 0, 0), -lean))
    m.rolling_disk("floor", m.ground, body, radius=RADIUS, axis=body.axis(0, 1, 0), through=(0, 0, 0))
    m.start(m["floor"].x, rate=speed)
    m.start(m["floor"].yaw, rate=yaw)
    m.start(m["floor"].tilt, rate=0.0)
    return m


def largest(linear):
    """Eigenvalues of lean: the fastest pair."""
    return max(linear.eigenvalues, key=abs)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("part", [0.9, 0.98, 1.02, 1.5])
def test_eigenvalues_on_both_sides_of_the_threshold(shape, part):
    a, c, threshold, _ = SHAPES[shape]
    v, inertia = part * threshold, MASS * RADIUS**2
    square = (MASS * GRAVITY * RADIUS - c * (c + inertia) * v**2 / (a * RADIUS**2)) / (a + inertia)
    linear = da.linearize(roller(shape, v))
    assert linear.steady
    assert largest(linear) ** 2 == pytest.approx(square, abs=1e-7 * GRAVITY / RADIUS)
    assert linear.stable == (part > 1.0)


@pytest.mark.parametrize("shape", SHAPES)
def test_threshold_of_the_formula(shape):
    a, c, threshold, _ = SHAPES[shape]
    square = a * GRAVITY * MASS * RADIUS**3 / (c * (c + MASS * RADIUS**2))
    assert threshold == pytest.approx(np.sqrt(square), rel=1e-14)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("part, stable", [(0.98, False), (1.02, True)])
def test_spin_in_place(shape, part, stable):
    a, c, _, threshold = SHAPES[shape]
    linear = da.linearize(roller(shape, 0.0, part * threshold))
    # seen from axes that turn with it
    assert linear.steady and linear.turning == pytest.approx([0, 0, part * threshold], abs=1e-9)
    assert linear.stable == stable


@pytest.mark.parametrize("part, falls", [(0.98, True), (1.02, False)])
def test_a_small_tilt_grows_below_and_stays_above(part, falls):
    # the benchmark: a tilt of 1e-6 rad grows above 0.2 rad in 15 s at 0.98 of the threshold, and stays below 51e-6 at 1.02
    m = roller("disk", part * SHAPES["disk"][2], lean=1e-6)
    run = da.simulate(m, until=15.0, output=0.05, rtol=1e-11, atol=1e-14)
    lean = np.max(np.abs(run["floor"].tilt))
    assert (lean > 0.2) if falls else (lean < 51e-6)
