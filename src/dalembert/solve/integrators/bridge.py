"""A step over a singular position: collocation at nodes on both sides of a gap, none inside.

The rate of the solution is a polynomial through its values at 2 x 8 nodes, those of Lobatto-Chebyshev on the first and on the last 3/8 of the step; its
integral gives the states at the nodes.  On smooth motions that is of order 16, and the gap of a quarter of the step is not looked at: there the
equations of a singular position give noise.  Weights (sum of their sizes 5.1) hardly magnify what is left of it at the edges.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.polynomial import chebyshev

from ..stepping.records import Nodes

SIDE = 8  # nodes on either side
GAP = 0.25  # part of the step without a node


def integrals(nodes: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Integrals from 0 to each end of the polynomials that are 1 at one node and 0 at the others; nodes and ends in 0 ... 1."""
    n = len(nodes)
    powers = np.array([chebyshev.chebval(2.0 * ends - 1.0, chebyshev.chebint(row, lbnd=-1)) for row in np.eye(n)]) / 2.0
    return np.ascontiguousarray(np.linalg.solve(chebyshev.chebvander(2.0 * nodes - 1.0, n - 1).T, powers).T)


def values(nodes: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Values of these polynomials."""
    n = len(nodes)
    basis = chebyshev.chebvander(2.0 * nodes - 1.0, n - 1)
    return np.ascontiguousarray(np.linalg.solve(basis.T, chebyshev.chebvander(2.0 * at - 1.0, n - 1).T).T)


@cache
def nodes() -> Nodes:
    """The arrays of the method."""
    side = 0.5 * (1.0 - GAP) * (0.5 - 0.5 * np.cos(np.pi * np.arange(SIDE) / (SIDE - 1)))
    c = np.concatenate([side, 1.0 - side[::-1]])
    a, b = integrals(c, c), integrals(c, np.ones(1))[0]
    # the error estimate, of order 14: the same without a node on either side
    fewer = np.delete(np.arange(2 * SIDE), [SIDE - 3, SIDE + 2])
    error = np.append(b, 0.0)
    error[fewer] -= integrals(c[fewer], np.ones(1))[0]
    weights = 1.0 / np.prod(c[:, None] - c + np.eye(2 * SIDE), axis=1)
    return Nodes(
        2 * SIDE, 0, error, np.zeros_like(error), c, a, b, weights / np.max(np.abs(weights)),
        integrals(side, side), values(side, c[SIDE:]),
    )  # fmt: skip
