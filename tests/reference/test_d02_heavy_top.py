"""D02: heavy top, the common test of Lie-group integrators (St. Hante and M. Arnold; Terze, Mueller, Zlatar 2016; EXUDYN).

m = 15 kg, inertia diag(0.234375, 0.46875, 0.234375) about the mass centre, which sits at (0, 1, 0) in the body; g = 9.81 along -z; spherical
joint at the origin.  Published at t = 0.2: Euler parameters (-0.70828, 0.43878, 0.54573, 0.0894); the digits here were
computed with a separate program (Euler parameters, SciPy at 1e-13) and agree with them.

Tolerance: fast case, 150 rad/s: angles of 300 rad at t = 2 with a local error of 1e-12 relative to 1 in the quaternion; 1e-9 up to 0.2 s,
1e-8 at 1 s and 1e-7 at 2 s, where the reference has eleven digits.
"""

import numpy as np
import pytest

import dalembert as da

FAST, SLOW = (0.0, 150.0, -4.61538), (0.0, 1.5, -0.0461538)
# time: Euler parameters, mass centre, tolerance
FAST_MOTION = {
    0.1: ((0.3318229126083, 0.1773380566669, 0.9149751591387, -0.1458260144309), (0.4212966589254, 0.8945719743456, -0.1491647005619), 1e-9),
    0.2: ((-0.7082791529743, 0.4387810881266, 0.5457283961454, 0.0893997528239), (0.6055505613769, 0.598957681795, -0.5239830274301), 1e-9),
    1.0: ((0.73294398068, -0.27828571934, 0.53182461133, -0.32017614274), (0.1733439641, 0.6400885921, -0.7484907911), 1e-8),
    2.0: ((0.12294713504, -0.49107989255, 0.35043003034, -0.78798688755), (-0.15041682275, -0.72416559164, -0.67302226956), 1e-7),
}  # fmt: skip
SLOW_MOTION = {
    0.5: ((0.7791721819633, -0.5049365138962, 0.3095349094457, -0.2052266250352), (0.0072227982418, 0.405842298622, -0.9139145801632), 1e-9),
    1.0: ((0.0554561190877, -0.7325720465167, 0.0723379440259, -0.6745591429757), (-0.0311686470626, -0.9833836814197, -0.1788436483575), 1e-9),
    2.0: ((0.0676206853962, 0.0013886804242, 0.9351412697177, -0.347758997215), (0.0496286282389, 0.7581235028455, -0.6502197733785), 1e-8),
}  # fmt: skip
# force of the pivot on the top
PIVOT = {
    0.0: (0.0, -319.52598817, -317.26246154),
    0.1: (-361.05600479, -295.39317301, -212.26717186),
    0.2: (-640.23640799, -148.62771135, 136.92931304),
}


def top(spin):
    m = da.Mechanism("heavy top", plane=False, gravity=(0, 0, -9.81))
    body = m.body("top", mass=15.0, inertia=(0.234375, 0.46875, 0.234375), center=(0, 1, 0), spin=spin)
    m.spherical("pivot", m.ground, body, at=(0, 0, 0))
    return m


@pytest.mark.parametrize("spin, motion", [(FAST, FAST_MOTION), (SLOW, SLOW_MOTION)], ids=["fast", "slow"])
def test_motion(spin, motion):
    run = da.simulate(top(spin), until=2.0, rtol=1e-13, atol=1e-14, output=[0.0, *motion])
    centre = run["top"].point(0, 1, 0).position
    for k, (p, x, tolerance) in enumerate(motion.values(), start=1):
        found = run["top"].quaternion[k]
        assert np.sign(found @ np.array(p)) * found == pytest.approx(p, abs=tolerance)
        assert centre[k] == pytest.approx(x, abs=tolerance)
    assert run.status == "ok"


def test_pivot_force_and_energy():
    run = da.simulate(top(FAST), until=0.2, rtol=1e-13, atol=1e-14, output=list(PIVOT))
    for k, force in enumerate(PIVOT.values()):
        # force of 1e3 N follows the spin of 150 rad/s: 1e-9 of motion gives 1e-6 N
        assert run["pivot"].force[k] == pytest.approx(force, abs=2e-6)
        assert run["pivot"].torque[k] == pytest.approx([0, 0, 0], abs=1e-9)
    assert run.energy.total == pytest.approx([5435.6967908655] * 3, rel=1e-11)


def test_spin_about_the_symmetry_axis_is_constant():
    run = da.simulate(top(FAST), until=1.0, rtol=1e-12, atol=1e-13, output=0.1)
    axis = np.asarray(run["top"].rotation)[:, :, 1]
    assert np.einsum("ti,ti->t", axis, np.asarray(run["top"].spin)) == pytest.approx([150.0] * len(run.t), abs=1e-9)
