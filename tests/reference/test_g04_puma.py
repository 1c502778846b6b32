"""G04: Puma 560, six revolutes in space: gravity torque, inertia, inverse and forward dynamics.

Source: P. I. Corke and B. Armstrong-Helouvry 1994; parameters and published results (4 decimals) as in the unit tests of the Robotics Toolbox for
Python (models/DH/Puma560.py); refined to 8 decimals by recursive Newton-Euler.

The drives are modelled as they are meant in the source: a rotor of inertia Jm on the ground, geared to the joint by G, which gives the joint
the torque G^2 Jm qdd and no gyroscopic effects.

Two of the measured inertias belong to no body, and are refused; the same machine can be had with possible ones.  Link 1 only turns about
its vertical axis: instead of (0, 0.35, 0) without mass, (0.35, 0.35, 0.35) and 1 kg on the axis.  Link 3 has (0.066, 0.086, 0.0125), with
0.086 > 0.0785: an inertia h (1 - z z^T), z the axis of joint 3, sees only the spin across z, which links 2 and 3 share, so it
may be moved from one to the other; h = 0.01 goes from link 2, (0.13, 0.524, 0.539) in the source, to link 3.

Tolerance: half a unit of the last digit given (5e-9); no integration is involved.
"""

import math

import numpy as np
import pytest

import dalembert as da

D, A = (0, 0, 0.15005, 0.4318, 0, 0), (0, 0.4318, 0.0203, 0, 0, 0)
ALPHA = (math.pi / 2, 0, -math.pi / 2, math.pi / 2, -math.pi / 2, 0)
MASS = (1.0, 17.4, 4.8, 0.82, 0.34, 0.09)
CENTER = ((0, 0, 0), (-0.3638, 0.006, 0.2275), (-0.0203, -0.0141, 0.07), (0, 0.019, 0), (0, 0, 0), (0, 0, 0.032))
INERTIA = (
    (0.35, 0.35, 0.35), (0.12, 0.514, 0.539), (0.076, 0.086, 0.0225), (0.0018, 0.0013, 0.0018), (0.0003, 0.0004, 0.0003),
    (0.00015, 0.00015, 4e-05),
)  # fmt: skip
ROTOR = (0.0002, 0.0002, 0.0002, 3.3e-05, 3.3e-05, 3.3e-05)
RATIO = (-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686)
DAMPING = (0.00148, 0.000817, 0.00138, 7.12e-05, 8.26e-05, 3.67e-05)
COULOMB = (0.395, 0.126, 0.132, 0.0112, 0.00926, 0.00396)  # for positive speeds of the joint
QN = (0, math.pi / 4, math.pi, 0, math.pi / 4, 0)


def puma(rates, accelerations=None, torques=None, gravity=9.81, friction=False):
    """The arm at QN with given joint rates, driven with given accelerations or by given torques."""
    m = da.Mechanism("Puma 560", plane=False, gravity=(0, 0, -gravity))
    before, place, frame = m.ground, np.zeros(3), np.eye(3)
    for k in range(6):
        axis, at = frame[:, 2], place
        c, s, ca, sa = math.cos(QN[k]), math.sin(QN[k]), math.cos(ALPHA[k]), math.sin(ALPHA[k])
        # standard Denavit-Hartenberg: turn and shift along z, then shift and turn along the new x
        place = place + frame @ np.array([A[k] * c, A[k] * s, D[k]])
        frame = frame @ np.array([[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0, sa, ca]])
        link = m.body(f"link {k + 1}", mass=MASS[k], inertia=INERTIA[k], center=CENTER[k], at=place, rotation=frame)
        joint = m.revolute(f"joint {k + 1}", before, link, at=at, axis=axis)
        rotor = m.body(f"rotor {k + 1}", mass=1.0, inertia=(ROTOR[k],) * 3, at=(k, 1, 0))
        bearing = m.revolute(f"bearing {k + 1}", m.ground, rotor, at=(k, 1, 0), axis=(1, 0, 0))
        m.gear(f"gear {k + 1}", joint, bearing, ratio=RATIO[k])
        if friction:
            m.damper(f"damping {k + 1}", bearing, damping=DAMPING[k])
            # dry friction of constant size against positive joint speed, on the motor side |G| Tc
            m.actuator(f"coulomb {k + 1}", joint, force=-abs(RATIO[k]) * COULOMB[k])
        if accelerations is None:
            m.actuator(f"motor {k + 1}", joint, force=torques[k])
            m.start(joint.angle, rate=rates[k])
        else:
            m.drive(f"motor {k + 1}", joint.angle, f"{rates[k]!r}*t + {accelerations[k] / 2!r}*t**2")
        before = link
    return m


def torques(*arguments, **options):
    run = da.simulate(puma(*arguments, **options), until=1e-3, output=[0.0])
    return [run[f"motor {k + 1}"].effort[0] for k in range(6)]


ZERO, ONES = (0.0,) * 6, (1.0,) * 6
RISING = (1.0, 2.0, 3.0, 1.0, 2.0, 3.0)


def test_impossible_inertia_of_the_source_is_refused():
    m = da.Mechanism("link 3", plane=False)
    with pytest.raises(da.ModelError, match="0.0075"):
        m.body("link 3", mass=4.8, inertia=(0.066, 0.086, 0.0125))


def test_gravity_torque():
    assert torques(ZERO, ZERO) == pytest.approx([0, 31.63988038, 6.03513802, 0, 0.0282528, 0], abs=5e-9)


def test_inertia_torque():
    found = torques(ZERO, RISING, gravity=0.0)
    assert found == pytest.approx([3.14997691, 9.48051364, 3.61888004, 0.1900996, 0.35185643, 0.5823418], abs=5e-9)


def test_mass_matrix_column_by_column():
    columns = np.array([torques(ZERO, np.eye(6)[k].tolist(), gravity=0.0) for k in range(6)])
    assert columns == pytest.approx(columns.T, abs=1e-12)
    assert np.diag(columns) == pytest.approx([3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941], abs=5e-5)
    assert [columns[0, 1], columns[0, 2], columns[1, 2]] == pytest.approx([-0.4044, 0.1006, 0.3509], abs=5e-5)


def test_coriolis_torque():
    found = torques(RISING, ZERO, gravity=0.0)
    assert found == pytest.approx([-4.63442176, 8.72571122, -1.92681016, 0.00225579, 0.01905243, 0.00036485], abs=5e-9)


def test_inverse_dynamics_with_and_without_friction():
    plain = [-1.39107437, 33.42279897, 5.28311127, 0.00122308, 0.03063228, 0.00014828]
    assert torques(ONES, ZERO) == pytest.approx(plain, abs=5e-9)
    rubbing = [29.1421, 56.5044, 16.3528, 1.2645, 1.1239, 0.5196]
    assert torques(ONES, ZERO, friction=True) == pytest.approx(rubbing, abs=5e-5)
    faster = [32.4952, 60.8670, 17.7436, 1.4545, 1.2991, 0.7138]
    assert torques(ONES, ONES, friction=True) == pytest.approx(faster, abs=5e-5)


@pytest.mark.parametrize(
    "friction, expected",
    [
        (False, [-0.35404757, -6.39892628, -2.06849425, 0.51124354, 4.02122316, 23.69845407]),
        (True, [-7.41022316, -9.84322458, -10.96939845, -4.43142875, -0.98814107, 21.02278195]),
    ],
)
def test_forward_dynamics(friction, expected):
    rates, given = (0.1, 0.2, 0.8, 0.2, 0.5, 1.0), (1, 3.2, 1.8, 0.1, 0.7, 4.6)
    run = da.simulate(puma(rates, torques=given, friction=friction), until=1e-3, output=[0.0])
    # joint accelerations by way of the rotors: their spin rate is G qdd about their own axis
    found = [run[f"rotor {k + 1}"].spin_rate[0, 0] / RATIO[k] for k in range(6)]
    assert found == pytest.approx(expected, abs=5e-9)
    assert run.audit.degrees_of_freedom == 6
