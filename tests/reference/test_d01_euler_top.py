"""D01: free rigid body with moments of inertia 3, 2, 1 (Euler top), among them the flip about the middle axis.

Source: Euler's equations in Jacobi elliptic functions (textbook closed form, mpmath with 30 digits).

Tolerance: 1e-10 in the spins for a local error of 1e-12 over 10 s, 1e-8 near the separatrix, where errors grow by a factor of about a
hundred in each half turn.
"""

import numpy as np
import pytest

import dalembert as da
from dalembert.model.reading import quaternion_matrix

# start, period, spins in body axes at times, tolerance
CASES = {
    "about the large axis": (
        (1, 0, 1),
        6.93566754103174,
        {
            1.0: (0.8820158155105363, -0.8161766374798108, 0.5778024718120799),
            5.0: (0.8219916998291464, 0.9864020155271233, -0.1643504297652695),
            10.0: (0.9744006605830824, -0.389397044115332, -0.9210699984443322),
        },
        1e-10,
    ),
    "about the small axis": (
        (1, 0, 2),
        7.470389337573355,
        {
            1.0: (0.5332565933748028, -1.465234526233565, 1.36128166928564),
            5.0: (-0.3606182975290041, 1.615507143426437, 1.179040571625146),
            10.0: (-0.3984725555917316, -1.588602803510237, 1.215047790286216),
        },
        1e-10,
    ),
    "flip near the separatrix": (
        (1, 0, 1.74),
        14.89728110104309,
        {
            5.0: (-0.1575427122050537, -1.710421258489623, 0.3194669286589351),
            10.0: (-0.1395882129286461, 1.715093406329277, 0.2933506563242003),
        },
        1e-8,
    ),
}
# any orientation of space: spins in body axes must not notice
TILT = quaternion_matrix(np.array([0.5, -0.1, 0.7, np.sqrt(1 - 0.25 - 0.01 - 0.49)]))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rotation", [np.eye(3), TILT], ids=["aligned", "tilted"])
def test_spin(case, rotation):
    start, period, reference, tolerance = CASES[case]
    m = da.Mechanism("top", plane=False)
    m.body(
        "top",
        mass=1.0,
        inertia=(3, 2, 1),
        rotation=rotation,
        spin=rotation @ np.array(start, dtype=float),
        velocity=(1, 2, 3),
    )
    times = sorted([0.0, *reference, period])
    run = da.simulate(m, until=max(times), rtol=1e-12, atol=1e-13, output=times)
    body = np.einsum("tji,tj->ti", np.asarray(run["top"].rotation), np.asarray(run["top"].spin))
    for t, spin in reference.items():
        assert body[times.index(t)] == pytest.approx(spin, abs=tolerance)
    assert body[times.index(period)] == pytest.approx(start, abs=tolerance)
    # what space sees: constant angular momentum, straight path
    momentum = np.einsum("tij,j,tj->ti", np.asarray(run["top"].rotation), np.array([3.0, 2.0, 1.0]), body)
    assert momentum == pytest.approx(np.tile(momentum[0], (len(times), 1)), abs=1e-10)
    assert run["top"].position == pytest.approx(np.outer(times, (1, 2, 3)), abs=1e-12)
    assert run.status == "ok"


def test_quaternions_stay_units():
    m = da.Mechanism("top", plane=False)
    m.body("top", mass=1.0, inertia=(3, 2, 1), spin=(1, 0, 1.74))
    run = da.simulate(m, until=5.0, output=0.05)
    assert np.linalg.norm(run["top"].quaternion, axis=1) == pytest.approx(np.ones(len(run.t)), abs=4e-16)
