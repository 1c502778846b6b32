"""Functions of numbers, and selections among them, compiled or not.

Functions are those of NumPy: outside their domain they give NaN or infinity, as machine code does, where those of `math` raise.
"""

from __future__ import annotations

import numpy as np

from .compiler import exact, inlined, kernel

sqrt, exp, log, log10, power, hypot, floor = np.sqrt, np.exp, np.log, np.log10, np.power, np.hypot, np.floor
sin, cos, tan, asin, acos, atan, atan2 = np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2
sinh, cosh, tanh = np.sinh, np.cosh, np.tanh


@exact
def cos_sin(x):
    """Cosine and sine of one angle together, in a quarter of the time of two calls (an angle per body and evaluation).

    x = k pi/2 + y with |y| <= pi/4: pi/2 is taken off in three parts, of which k times the first two are exact.  Then
    sin y = y + y z S(z) and cos y = 1 - z/2 + z^2 C(z), z = y^2, with S and C interpolated at Chebyshev nodes; both are good to the
    last digit or two (a test compares with 60 digits).  Never compile this with reassociation: it would undo the reduction.
    """
    if not abs(x) < 1e5:
        return cos(x), sin(x)
    n = floor(x * 0.6366197723675814 + 0.5)
    y = ((x - n * 1.5707963267341256) - n * 6.077100506303966e-11) - n * 2.0222662487959506e-21
    z = y * y
    s = -2.5051131455427946e-08 + z * 1.591810123027412e-10
    s = 0.008333333333330946 + z * (-0.0001984126983675497 + z * (2.755731610068303e-06 + z * s))
    s = y + y * z * (-0.16666666666666666 + z * s)
    c = -2.7557317270560326e-07 + z * (2.0876146024689747e-09 + z * -1.1382614868556325e-11)
    c = 0.041666666666666664 + z * (-0.0013888888888887395 + z * (2.4801587298763433e-05 + z * c))
    half = 0.5 * z
    near = 1.0 - half
    # 1 - half is rounded; what was lost comes back with the small terms
    c = near + (((1.0 - near) - half) + z * z * c)
    quadrant = int(n)
    if quadrant & 1:
        c, s = -s, c
    if quadrant & 2:
        c, s = -c, -s
    return c, s


@kernel
def sign(x):
    """-1.0, 0.0 or 1.0."""
    if x > 0.0:
        return 1.0
    return -1.0 if x < 0.0 else 0.0


@inlined
def maximum(a, b):
    """The larger of two numbers, the first of equals."""
    return a if a >= b else b


@inlined
def minimum(a, b):
    """The smaller of two numbers, the first of equals."""
    return a if a <= b else b


# square of a length below which it has no direction
SMALLEST = 1e-60


# ---- selections: a branch on a value, written so that it can be a node of a graph as well ------------------------------


@inlined
def choose(condition, a, b):
    """a, or b where the condition is zero."""
    return a if condition != 0.0 else b


@inlined
def above(x, y):
    """1 where x > y, else 0."""
    return 1.0 if x > y else 0.0


@inlined
def reciprocal(x, floor):
    """1/x, or zero for x at or below the floor."""
    return 1.0 / x if x > floor else 0.0 * x


@inlined
def larger(x, y):
    """The larger of two sizes; a NaN does not pass as small."""
    return x if x > y else y + 0.0 * x


@inlined
def is_off(floor):
    """Return True for a row that is switched off (`row_status.py`), whose work is left out; in a graph all rows are at work."""
    return floor == 1e300


@inlined
def vanishes(x):
    """Whether a number is zero, so that work with it can be left out: a shortcut that changes no result."""
    return x == 0.0
