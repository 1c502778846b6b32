"""Scalar functions that accept real and complex numbers, compiled or not.

A complex step f(x + ih) gives f' to machine precision, but only when every function on the way is analytic.  `math.*`,
`atan2`, `<` refuse complex numbers and `abs` silently drops the imaginary part; kernels use these instead.
Decisions (signs, branches, maxima) are taken on the real part.
"""

from __future__ import annotations

import math

import numpy as np

from .compiler import exact, inlined, kernel


@inlined
def real(x):
    """Real part; the identity on real numbers."""
    return x.real


@inlined
def sqrt(x):
    """Square root."""
    return np.sqrt(x)


@inlined
def sin(x):
    """Sine."""
    return np.sin(x)


@inlined
def cos(x):
    """Cosine."""
    return np.cos(x)


@inlined
def cos_sin(x):
    """Cosine and sine of one angle."""
    if isinstance(x, complex):
        return np.cos(x), np.sin(x)
    return cos_sin_real(x)


@exact
def cos_sin_real(x):
    """Cosine and sine of one real angle together, in a quarter of the time of two calls (an angle per body and evaluation).

    x = k pi/2 + y with |y| <= pi/4: pi/2 is taken off in three parts, of which k times the first two are exact.  Then
    sin y = y + y z S(z) and cos y = 1 - z/2 + z^2 C(z), z = y^2, with S and C interpolated at Chebyshev nodes; both are good to the
    last digit or two (a test compares with 60 digits).  Never compile this with reassociation: it would undo the reduction.
    """
    if not abs(x) < 1e5:
        return math.cos(x), math.sin(x)
    n = math.floor(x * 0.6366197723675814 + 0.5)
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


@inlined
def atan2(y, x):
    """Angle of the point (x, y); for complex arguments the analytic continuation about the real parts."""
    if isinstance(y, complex) or isinstance(x, complex):
        return _atan2_complex(y, x)
    return math.atan2(y, x)


def _atan2_complex(y, x):
    # d angle = (x dy - y dx) / (x^2 + y^2): exact to first order in the imaginary parts, all that a complex step needs
    square = x.real * x.real + y.real * y.real
    return complex(math.atan2(y.real, x.real), (x.real * y.imag - y.real * x.imag) / square)


@inlined
def absolute(x):
    """|x| with its derivative: -x where the real part is negative."""
    return -x if x.real < 0.0 else x


@inlined
def maximum(a, b):
    """Return the argument with the larger real part."""
    return a if a.real >= b.real else b


@inlined
def minimum(a, b):
    """Return the argument with the smaller real part."""
    return a if a.real <= b.real else b


# square of a length below which it has no direction
SMALLEST = 1e-60


# ---- selections: a branch on a value, written so that it can be a node of a graph as well ------------------------------


@inlined
def choose(condition, a, b):
    """a, or b where the condition is zero."""
    return a if condition.real != 0.0 else b


@inlined
def above(x, y):
    """1 where x > y, else 0."""
    return 1.0 if x.real > y.real else 0.0


@inlined
def reciprocal(x, floor):
    """1/x, or zero for x at or below the floor."""
    return 1.0 / x if x.real > floor.real else 0.0 * x


@inlined
def larger(x, y):
    """The larger of two sizes; a NaN does not pass as small."""
    return x if x.real > y.real else y + 0.0 * x


@inlined
def vanishes(x):
    """Whether a number is zero, so that work with it can be left out: a shortcut that changes no result."""
    return x == 0.0


# ---- functions lifted from the real line: f(a + ib) = f(a) + i f'(a) b -----------------------------------------------
#
# Exact to first order in the imaginary part, which is all a complex step needs.  The real part is exactly the real
# computation.  With the usual complex functions it is not: the logarithm of -1 is i pi, which would pass for a
# derivative; and (ih)*(ih) is -h^2, which has no real root.


@inlined
def constant(x, value):
    """Return a real number as a number of the kind of x, with no derivative."""
    return np.complex128(value) if isinstance(x, complex) else value


@kernel
def _along(slope, step):
    """slope*step; no step or no slope gives no change, even where the other is infinite."""
    return slope * step if slope != 0.0 and step != 0.0 else 0.0


@inlined
def lift(x, value, slope):
    """Value of a function at the real part of x, continued with its slope there."""
    return np.complex128(complex(value, _along(slope, x.imag))) if isinstance(x, complex) else value


@inlined
def lift2(x, y, value, slope_x, slope_y):
    """Value of a function of two arguments at their real parts, continued with its slopes there."""
    if isinstance(x, complex) or isinstance(y, complex):
        return np.complex128(complex(value, _along(slope_x, x.imag) + _along(slope_y, y.imag)))
    return value


@kernel
def multiply(x, y):
    """x*y to first order in the imaginary parts."""
    a, b = real(x), real(y)
    return lift2(x, y, a * b, b, a)


@kernel
def divide(x, y):
    """x/y to first order in the imaginary parts; infinite or NaN, never an exception, when y is 0."""
    a, b = real(x), real(y)
    f = a / b
    return lift2(x, y, f, 1.0 / b, -f / b)


@kernel
def sign(x):
    """-1.0, 0.0 or 1.0 by the real part; a real number, for it does not vary."""
    if real(x) > 0.0:
        return 1.0
    return -1.0 if real(x) < 0.0 else 0.0


@kernel
def floor(x):
    """Largest whole number not above the real part; a real number, for it does not vary."""
    return np.floor(real(x))


@kernel
def tan(x):
    """Tangent."""
    f = np.tan(real(x))
    return lift(x, f, 1.0 + f * f)


@kernel
def asin(x):
    """Angle in [-pi/2, pi/2] with the given sine."""
    a = real(x)
    return lift(x, np.arcsin(a), 1.0 / np.sqrt(1.0 - a * a))


@kernel
def acos(x):
    """Angle in [0, pi] with the given cosine."""
    a = real(x)
    return lift(x, np.arccos(a), -1.0 / np.sqrt(1.0 - a * a))


@kernel
def atan(x):
    """Angle in (-pi/2, pi/2) with the given tangent."""
    a = real(x)
    return lift(x, np.arctan(a), 1.0 / (1.0 + a * a))


@kernel
def sinh(x):
    """Hyperbolic sine."""
    return lift(x, np.sinh(real(x)), np.cosh(real(x)))


@kernel
def cosh(x):
    """Hyperbolic cosine."""
    return lift(x, np.cosh(real(x)), np.sinh(real(x)))


@kernel
def tanh(x):
    """Hyperbolic tangent."""
    f = np.tanh(real(x))
    return lift(x, f, 1.0 - f * f)


@kernel
def exp(x):
    """Exponential."""
    f = np.exp(real(x))
    return lift(x, f, f)


@kernel
def log(x):
    """Natural logarithm; NaN for a negative real part."""
    return lift(x, np.log(real(x)), 1.0 / real(x))


@kernel
def log10(x):
    """Decimal logarithm; NaN for a negative real part."""
    return lift(x, np.log10(real(x)), 0.4342944819032518 / real(x))


@kernel
def root(x):
    """Square root; NaN for a negative real part, where `sqrt` of a complex number is imaginary."""
    f = np.sqrt(real(x))
    return lift(x, f, 0.5 / f)


@kernel
def power(x, y):
    """x**y; a negative x needs a whole y, as for real numbers."""
    a, b = real(x), real(y)
    f = np.power(a, b)
    return lift2(x, y, f, b * np.power(a, b - 1.0), f * np.log(a))


@kernel
def hypot(x, y):
    """sqrt(x**2 + y**2) without overflow; its slopes at the origin are 0, the middle of all directions."""
    a, b = real(x), real(y)
    f = np.hypot(a, b)
    return lift2(x, y, f, a / f if f > 0.0 else 0.0, b / f if f > 0.0 else 0.0)
