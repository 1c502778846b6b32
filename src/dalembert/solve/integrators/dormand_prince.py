"""Dormand and Prince's method of order 5 with an error estimate of order 4 and dense output of order 4.

Coefficients: J. R. Dormand, P. J. Prince, J. Comp. Appl. Math. 6 (1980) 19-26; dense output: L. F. Shampine, Math. Comp. 46 (1986).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ._base import Tableau, along, polynomial_weights

_A = (
    (),
    ("1/5",),
    ("3/40", "9/40"),
    ("44/45", "-56/15", "32/9"),
    ("19372/6561", "-25360/2187", "64448/6561", "-212/729"),
    ("9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656"),
    ("35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84"),
)
_C = ("0", "1/5", "3/10", "4/5", "8/9", "1", "1")
_E = ("-71/57600", "0", "71/16695", "-71/1920", "17253/339200", "-22/525", "1/40")
# Hairer's form of the dense output: one more coefficient beside those of the step
_D = ("-12715105075/11282082432", "0", "87487479700/32700410799", "-10690763975/1880347072",
      "701980252875/199316789632", "-1453857185/822651844", "69997945/29380423")  # fmt: skip


def _numbers(text: tuple[str, ...]) -> np.ndarray:
    return np.array([float(Fraction(x)) for x in text])


def tableau() -> Tableau:
    """The method as arrays."""
    a = np.zeros((7, 7))
    for i, row in enumerate(_A):
        a[i, : len(row)] = _numbers(row)
    b = a[6]
    first, last = np.eye(7)[0], np.eye(7)[6]
    weights = polynomial_weights([b, first - b, 2.0 * b - last - first, _numbers(_D)])
    inside, slope = along(weights)
    return Tableau(
        name="dormand_prince", order=5, steps=6, stages=7, a=a, b=b.copy(), c=_numbers(_C), error=_numbers(_E),
        error_low=np.zeros(7), dense=weights, inside=inside, slope=slope,
    )  # fmt: skip
