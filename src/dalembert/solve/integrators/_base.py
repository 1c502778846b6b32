"""What an explicit Runge-Kutta method is to the time loop: arrays.

1. Stages 0 ... steps-1 make the step; stage `steps` is the derivative at its (projected) end and stage 0 of the next step.
2. Stages beyond serve dense output only and are computed when an output time falls inside the step.
3. `error` (and `error_low`, zero if there is none) weigh the stages 0 ... steps to the error estimate.
4. Dense output: y(t + x h) = y + h sum_s k_s sum_p dense[s, p] x^(p+1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Tableau:
    """An explicit embedded Runge-Kutta method with dense output."""

    name: str
    order: int
    steps: int
    stages: int
    a: np.ndarray  # (stages, stages)
    b: np.ndarray  # (stages,)
    c: np.ndarray  # (stages,)
    error: np.ndarray  # (stages,)
    error_low: np.ndarray  # (stages,)
    dense: np.ndarray  # (stages, degree)


def polynomial_weights(combinations: Sequence[np.ndarray]) -> np.ndarray:
    """Dense weights of y0 + F0 x + F1 x(1-x) + F2 x^2(1-x) + F3 x^2(1-x)^2 + ... in powers of x."""
    degree = len(combinations)
    weights = np.zeros((len(combinations[0]), degree))
    factor = np.polynomial.Polynomial([0.0, 1.0])
    x, y = np.polynomial.Polynomial([0.0, 1.0]), np.polynomial.Polynomial([1.0, -1.0])
    for k, f in enumerate(combinations):
        weights += np.outer(f, np.pad(factor.coef[1:], (0, degree))[:degree])
        factor = factor * (y if k % 2 == 0 else x)
    return weights
