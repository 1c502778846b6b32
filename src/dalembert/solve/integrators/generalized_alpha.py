"""Generalized-alpha (J. Chung, G. M. Hulbert 1993; on the group: M. Arnold, O. Bruels 2007) and its special case HHT: order 2, with damping of what is fast.

    (1 - am) a~1 + am a~0 = (1 - af) a1 + af a0          a = accelerations of the model, constraints solved in them
    u  = h v0 + h^2 ((1/2 - b) a~0 + b a~1)              q1 = q0 exp(u)
    v1 = v0 + h ((1 - g) a~0 + g a~1)                    g = 1/2 + af - am,   b = 1/4 (1 + af - am)^2

rho, what a step leaves of infinitely fast motions: am = (2 rho - 1)/(rho + 1), af = rho/(rho + 1); HHT: am = 0, af = (1 - rho)/(1 + rho), rho >= 1/2.
States of first order follow the same rule with z for v.

Rows of rates: 0 at the start, 1 the mean over the step, 2 at its end; between them a cubic.
"""

from __future__ import annotations

import numpy as np

from ._base import NEWMARK, Tableau, along


def newmark(name: str, am: float, af: float) -> Tableau:
    """The method with the two weights of accelerations, as arrays."""
    g = 0.5 + af - am
    b = 0.25 * (1.0 + af - am) ** 2
    ratio = (1.0 - am) / (1.0 - af)
    # y0 + h (K0 x (1 - x)^2 + K1 (3 x^2 - 2 x^3) + K2 (x^3 - x^2)), in powers of x
    dense = np.array([[1.0, -2.0, 1.0], [0.0, 3.0, -2.0], [0.0, -1.0, 1.0]])
    inside, slope = along(dense)
    # what the loop reads: am, af, g, b; `real` is the number by which Newton's matrix goes with the step
    return Tableau(
        name=name, order=2, falls=3, steps=2, stages=3, a=np.zeros((3, 3)), b=np.array([am, af, g, b]), c=np.array([0.0, 0.5, 1.0]), error=np.zeros(3),
        error_low=np.zeros(3), dense=dense, inside=inside, slope=slope, kind=NEWMARK, real=np.array([g / ratio, b / ratio]),
    )  # fmt: skip


def generalized_alpha(rho: float = 0.8) -> Tableau:
    """The method that leaves rho of infinitely fast motions in a step, and as little as that allows of slower ones."""
    return newmark("generalized_alpha", (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0))


def hht(rho: float = 0.8) -> Tableau:
    """Hilber, Hughes and Taylor's method, with alpha = (1 - rho)/(1 + rho)."""
    return newmark("hht", 0.0, (1.0 - rho) / (1.0 + rho))
