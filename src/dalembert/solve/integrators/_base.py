"""What a method is to the time loop: arrays.

1. Stages 0 ... steps-1 make the step; stage `steps` is the derivative at its (projected) end and stage 0 of the next step.
2. Stages beyond serve dense output only and are computed when an output time falls inside the step.
3. `error` (and `error_low`, zero if there is none) weigh the stages 0 ... steps to the error estimate.
4. Dense output: y(t + x h) = y + h sum_s k_s sum_p dense[s, p] x^(p+1).
5. Three points inside the step, at the fractions of Lobatto's rule, at which the step is checked without computing a stage for it:
   y + h sum_s inside[j, s] k_s, and the rate there, sum_s slope[j, s] k_s, from the stages 0 ... steps (`between`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

# what the time loop does with the arrays: explicit stages, collocation, one stage with accelerations of two times
EXPLICIT, COLLOCATION, NEWMARK = 0, 1, 2


def _none() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Tableau:
    """An embedded Runge-Kutta method with dense output."""

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
    inside: np.ndarray  # (3, stages)
    slope: np.ndarray  # (3, stages)
    kind: int = EXPLICIT
    falls: int = 0  # power of the step with which its error estimate falls, by which steps are chosen; 0: the order
    plan: str = ""  # "auto": other methods where it is stiff, "orders": other orders
    transform: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))  # of implicit stages, see radau.py
    inverse: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    real: np.ndarray = field(default_factory=_none)
    pairs: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))


# fractions of a step that Lobatto's rule of order 8 adds to its ends; the middle one alone makes Simpson's rule
INSIDE = (0.5 - 0.5 * math.sqrt(3.0 / 7.0), 0.5, 0.5 + 0.5 * math.sqrt(3.0 / 7.0))


def between(c: np.ndarray, used: Sequence[int], degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights `inside` and `slope` from the stages `used`: exact for derivatives that are polynomials in time up to degree - 1.

    Of all such weights the smallest.  The stages used must be good ones: the order found in practice is that of `degree` (tested).
    """
    inside, slope = np.zeros((2, len(INSIDE), len(c)))
    nodes = c[list(used)]
    powers = np.array([nodes**k for k in range(degree)])
    for j, x in enumerate(INSIDE):
        inside[j, used] = np.linalg.lstsq(
            powers, np.array([x ** (k + 1) / (k + 1) for k in range(degree)]), rcond=None
        )[0]
        slope[j, used] = np.linalg.lstsq(powers, np.array([x**k for k in range(degree)]), rcond=None)[0]
    return inside, slope


def along(dense: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights `inside` and `slope` of a dense output that needs no further stages."""
    p = np.arange(dense.shape[1])
    return (np.array([dense @ x ** (p + 1) for x in INSIDE]), np.array([dense @ ((p + 1) * x**p) for x in INSIDE]))


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
