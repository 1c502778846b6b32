"""The same machine as a mechanism and as a Lagrangian system: tolerances, and the comparison.

Both ways integrate with rtol = 1e-12.  Errors then stay below 1e-11 of the size of the motion over the times used, a second
or two, unless a file says otherwise; reactions are algebraic functions of position and velocity with factors of 1 to 10.  So both are
compared to 1e-10 of the largest value, the accuracy asked of every example.
"""

import numpy as np

TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def apart(found, expected):
    """Largest difference of two histories, relative to the largest value of the second."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    size = np.max(np.abs(expected))
    assert size > 0, "nothing to compare with"
    return float(np.max(np.abs(found - expected)) / size)


def agree(found, expected, tolerance=1e-10):
    """Whether two histories agree to the tolerance of all examples."""
    return apart(found, expected) < tolerance
