"""C01: the Whipple bicycle linearized about steady upright motion, against the published benchmark (doi 10.1098/rspa.2007.1857).

Published: M q'' + v C1 q' + (g K0 + v^2 K2) q = f for q = (lean, steer) to 14 digits, eigenvalues at speeds 0 ... 10 m/s (table 2),
weave and capsize speeds.  Here they come out of the linearization of a spatial mechanism of four bodies in absolute coordinates with two
rolling wheels: the matrices from its transfer functions, H(s)^-1 = M s^2 + C s + K.

Tolerances: derivatives by differences of the accelerations with steps of 1e-3 of the model's length are right to about 1e-10 relative;
the entries compared are up to 8e2, and eigenvalues up to 25 (and condition 10): 1e-7.
"""

import numpy as np
import pytest

import dalembert as da

from .bicycle import GRAVITY, bicycle

M = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
C1 = [[0.0, 33.86641391492494], [-0.85035641456978, 1.6854039739756]]
K0 = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]
K2 = [[0.0, 76.59734589573222], [0.0, 2.65431523794604]]
WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837
# speed: capsize, caster, weave (real part, imaginary part)
EIGENVALUES = {
    1: (-3.13423125066578, -7.11008014637442, 3.5269617099007, 0.8077402751993),
    2: (-3.07158645641514, -8.67387984831735, 2.68234517512745, 1.68066296590675),
    4: (-1.42944427361326, -12.1586142657645, 0.41325331521125, 3.07910818603206),
    5: (-0.32286642900409, -14.0783896927982, -0.77534188219585, 4.46486771378823),
    8: (0.14327879765713, -20.27940894394569, -2.69348683581097, 8.46037971396931),
    10: (0.16105338653172, -24.62459635017404, -3.72016840437287, 10.90681139476287),
}


def matrices(linear):
    """M, C, K of lean and steer from the transfer functions of their moments."""
    a, b, c, _ = linear.state_space(["rear.tilt", "steer.angle"], ["rear.tilt", "steer.angle"])
    points = (1.0, 2.0, 3.0, -1.5, 4.0)
    inverse = [np.linalg.inv(c @ np.linalg.solve(s * np.eye(len(a)) - a, b)).ravel() for s in points]
    found, left, *_ = np.linalg.lstsq(np.vander(points, 3), np.array(inverse), rcond=None)
    assert np.max(left) < 1e-12, "not a system of second order"
    return found.reshape(3, 2, 2)


@pytest.mark.parametrize("v", [0.0, 4.0, 7.0])
def test_canonical_matrices(v):
    linear = da.linearize(bicycle(v))
    assert linear.steady and linear.nonholonomic
    # lean, steer and speed; beside these as displacements: place, heading and the turns of the two wheels
    assert linear.speeds.shape[1] == 3 and linear.motions.shape[1] == 7
    mass, damping, stiffness = matrices(linear)
    assert mass == pytest.approx(np.array(M), abs=1e-7)
    assert damping == pytest.approx(v * np.array(C1), abs=1e-7)
    assert stiffness == pytest.approx(GRAVITY * np.array(K0) + v**2 * np.array(K2), abs=1e-6)


def moving(linear):
    """Eigenvalues that are not those of displacements that nothing brings back (Jordan blocks: zero to about 1e-5)."""
    return np.array([s for s in linear.eigenvalues if abs(s) > 1e-3])


@pytest.mark.parametrize("v", EIGENVALUES)
def test_eigenvalues(v):
    capsize, caster, real, imaginary = EIGENVALUES[v]
    found = sorted(moving(da.linearize(bicycle(float(v)))), key=lambda s: (s.real, s.imag))
    expected = [capsize, caster, complex(real, imaginary), complex(real, -imaginary)]
    assert np.array(found) == pytest.approx(
        np.array(sorted(map(complex, expected), key=lambda s: (s.real, s.imag))), abs=1e-7
    )


def test_eigenvalues_at_rest():
    # two inverted pendulums: pairs of equal and opposite eigenvalues
    found = np.sort(moving(da.linearize(bicycle(0.0))).real)
    assert found == pytest.approx([-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393], abs=1e-7)


def test_stability_begins_and_ends_at_the_published_speeds():
    from scipy.optimize import brentq

    def growth_of_weave(v):
        return max(s.real for s in moving(da.linearize(bicycle(v))) if abs(s.imag) > 0.1)

    def stiffness(v):
        # capsize passes through zero, among the eigenvalues of free displacements: there det K = 0
        return np.linalg.det(matrices(da.linearize(bicycle(v)))[2])

    assert brentq(growth_of_weave, 4.2, 4.4, xtol=1e-9) == pytest.approx(WEAVE, abs=1e-7)
    assert brentq(stiffness, 5.9, 6.1, xtol=1e-9) == pytest.approx(CAPSIZE, abs=1e-7)


def test_stable_range():
    assert [da.linearize(bicycle(v)).stable for v in (4.0, 5.0, 7.0)] == [False, True, False]
