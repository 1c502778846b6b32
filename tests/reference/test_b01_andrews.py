"""B01: Andrews' squeezing mechanism as seven planar bodies and ten revolutes in absolute coordinates (IFToMM A03).

Source: Test Set for IVP Solvers (Mazzia, Magherini, Bari), problem ANDREWS; Hairer & Wanner, Solving ODE II, VII.7; data and reference in
`benchmarks/andrews_reference.py`.  The published digits are good to 2.7e-10 in the angles and 1.3e-6 in accelerations and multipliers;
the refined values here (80-bit extrapolation, 15 digits) replace them.

The multipliers lambda 1, 2 of the source belong to the closure "E of body 2 less E of body 3", so with M a + J^T lambda = Q the force on body 3 at
E is +lambda.

Tolerance: angles 1e-9 (a fair test by the reference's own account); rates times 1e3/s; forces and accelerations follow the angles with
the stiffness of the problem, 1e-8 relative.
"""

import math

import numpy as np
import pytest

import dalembert as da
from benchmarks import andrews_reference as data

# all 27 values at 0.03 s: angles, rates, accelerations, multipliers
REFINED_ACCELERATIONS = (
    -24631.76312287916, 51850.31963647168, 324102.6007075784, 566749.422000995, 16743.63541834562, -566749.422000995, 9826.507801544067,
)  # fmt: skip
REFINED_FORCES = {
    "E3": (199.1753481045385, -29.7553099749721),
    "E4": (23.06654361162217, 31.45272527577147),
    "E6": (22.64249478639436, 11.61739235261115),
}
ANGLES_AT_005 = (
    33.82586776695,
    -33.58343151746,
    0.1133950738126,
    -0.4078528656019,
    0.526060444917,
    0.4078528656019,
    1.056902429435,
)


def squeezer():
    from benchmarks.ours import andrews_model

    return andrews_model()


def published(values):
    """The seven published angles (or their rates) from those of bodies 1 ... 7."""
    one, two, three, four, five, six, seven = values
    return [one, two - one, three, four - five, five, six - seven, seven]


def angles(run, k):
    return published([run[f"body {b}"].angle[k] for b in range(1, 8)])


@pytest.fixture(scope="module")
def run():
    return da.simulate(squeezer(), until=0.05, rtol=1e-12, atol=1e-13, output=[0.0, 0.03, 0.05])


def test_initial_accelerations_and_force(run):
    rates = published([run[f"body {b}"].spin_rate[0] for b in range(1, 8)])
    # the start is consistent to 2e-16 m; accelerations of 1e4 rad/s2 with eps times the conditioning of the loops
    assert rates == pytest.approx(list(data.START_ACCELERATIONS), abs=1e-6)
    assert run["E3"].force[0] == pytest.approx(data.START_MULTIPLIERS[:2], abs=1e-8)
    for joint in ("E4", "E6"):
        assert run[joint].force[0] == pytest.approx([0, 0], abs=1e-8)


def test_angles_and_rates(run):
    assert angles(run, 1) == pytest.approx(data.REFINED_ANGLES, abs=1e-9)
    rates = published([run[f"body {b}"].spin[1] for b in range(1, 8)])
    assert rates == pytest.approx(data.REFINED_RATES, abs=1e-6)


def test_accelerations_and_joint_forces(run):
    rates = published([run[f"body {b}"].spin_rate[1] for b in range(1, 8)])
    assert rates == pytest.approx(REFINED_ACCELERATIONS, abs=1e-8 * max(map(abs, REFINED_ACCELERATIONS)))
    for joint, force in REFINED_FORCES.items():
        assert run[joint].force[1] == pytest.approx(force, abs=2e-8 * 200.0)


def test_end_of_the_iftomm_run(run):
    # twelve digits are given; the motion is unstable, errors have grown tenfold since 0.03 s
    assert angles(run, 2) == pytest.approx(ANGLES_AT_005, abs=1e-8)
    assert run.status == "ok"


def test_energy(run):
    """T + spring energy - 0.033 (beta - beta0) is constant."""
    spring = 0.5 * data.SPRING_STIFFNESS * (np.asarray(run["spring"].length) - data.SPRING_FREE_LENGTH) ** 2
    work = data.DRIVE_TORQUE * (np.asarray(run["body 1"].angle) - data.START_ANGLES[0])
    total = np.asarray(run.energy.kinetic) + spring - work
    assert abs(total - total[0]).max() < 1e-9 * work.max()


@pytest.mark.parametrize("method", [5, 8])
def test_errors_follow_the_tolerance(method):
    """A tolerance ten times tighter gives errors about ten times smaller; none is more than 1e4 times the tolerance."""
    errors = []
    for rtol in (1e-6, 1e-8, 1e-10):
        run = da.simulate(
            squeezer(), until=data.END_TIME, rtol=rtol, atol=0.01 * rtol, output=[data.END_TIME], method=method
        )
        errors.append(data.angle_error(np.array(angles(run, -1))))
        assert errors[-1] < 1e4 * rtol
    assert errors[2] < 1e-2 * errors[0]
    assert math.isfinite(errors[0])
