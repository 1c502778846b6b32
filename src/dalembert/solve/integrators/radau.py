"""Radau IIA: collocation at the zeros of a Radau polynomial, the last one the end of the step; 1, 2, 3, 5 stages of orders 1, 3, 5, 9.

    K_i = f(t + c_i h, y + h sum_j a_ij K_j),    i = 1 ... s,    y_new = y + h sum_j a_sj K_j

E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, sections IV.5 and IV.8 (RADAU5, RADAU).  Rates of the stages are kept as those of
explicit methods: row 0 is the rate at the start of the step (for the error estimate), row i that of stage i, the last one at its end.

error     y^ - y_new of a quadrature with the start of the step as a further node, of weight `first`: h (first f(y) + sum e_i K_i), of order s,
          and of s + 1 as a local error.  It is not bounded for stiff terms and is taken through (1 - h first f')^-1, as everything is
          that is computed from rates beside the collocation points
T, R      A = T R T^-1 with one real number and pairs (a, b; -b, a): Newton's method then solves systems as wide as the model, real and complex
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Legendre

from ._base import COLLOCATION, Tableau, along


def nodes(stages: int) -> np.ndarray:
    """Zeros of P_s - P_(s-1), Legendre's polynomials on the step; the last one is its end."""
    zeros = (Legendre.basis(stages) - Legendre.basis(stages - 1)).roots()
    return np.append(0.5 + 0.5 * np.sort(zeros.real)[:-1], 1.0)


def collocation_matrix(c: np.ndarray) -> np.ndarray:
    """a_ij: integral from 0 to c_i of the polynomial that is 1 at node j and 0 at the others."""
    powers = np.vander(c, increasing=True)
    k = np.arange(1, len(c) + 1)
    return np.asarray((c[:, None] ** k / k) @ np.linalg.inv(powers))


def split(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """T, its inverse, the real number of A (zero if there is none) and the pairs (a, b) of the complex ones."""
    values, vectors = np.linalg.eig(a)
    columns: list[np.ndarray] = []
    real, pairs = 0.0, []
    for value, vector in zip(values, vectors.T):
        if abs(value.imag) < 1e-12:
            real = float(value.real)
            columns.insert(0, vector.real / np.abs(vector.real).max())
        elif value.imag > 0.0:
            vector = vector / vector[np.argmax(np.abs(vector))]
            pairs.append((float(value.real), float(value.imag)))
            columns += [vector.real, vector.imag]
    transform = np.ascontiguousarray(np.array(columns).T)
    return transform, np.ascontiguousarray(np.linalg.inv(transform)), np.array([real]), np.array(pairs).reshape(-1, 2)


def radau(stages: int) -> Tableau:
    """The method with so many stages, as arrays."""
    s = stages
    c = nodes(s)
    inner = collocation_matrix(c)
    transform, inverse, real, pairs = split(inner)
    a = np.zeros((s + 1, s + 1))
    a[1:, 1:] = inner
    # Euler's method against the trapezoidal rule
    first = 0.5 if s == 1 else real[0] if real[0] > 0.0 else float(np.hypot(*pairs[0]))
    # a quadrature of order s with the nodes 0 (of weight `first`) and c
    powers = np.vander(c, s, increasing=True).T
    moments = 1.0 / np.arange(1, s + 1) - np.array([first] + [0.0] * (s - 1))
    error = np.concatenate([[first], np.linalg.solve(powers, moments) - inner[-1]])
    # u(x) = y + h sum_j K_j (integral of the polynomial of node j up to x)
    dense = np.zeros((s + 1, s))
    dense[1:] = np.linalg.inv(np.vander(c, increasing=True)).T / np.arange(1, s + 1)
    inside, slope = along(dense)
    return Tableau(
        name=f"radau{2 * s - 1}", order=2 * s - 1, falls=s + 1, steps=s, stages=s + 1, a=a, b=a[s].copy(), c=np.array([0.0, *c]), error=error,
        error_low=np.zeros(s + 1), dense=dense, inside=inside, slope=slope, kind=COLLOCATION, transform=transform,
        inverse=inverse, real=real, pairs=pairs,
    )  # fmt: skip


def radau1() -> Tableau:
    """One stage: Euler's implicit method."""
    return radau(1)


def radau3() -> Tableau:
    """Two stages, order 3."""
    return radau(2)


def radau5() -> Tableau:
    """Three stages, order 5."""
    return radau(3)


def radau9() -> Tableau:
    """Five stages, order 9."""
    return radau(5)
