"""Scalar functions that accept real and complex numbers, compiled or not.

A complex step f(x + ih) gives f' to machine precision, but only when every function on the way is analytic.  `math.*`,
`atan2`, `<` refuse complex numbers and `abs` silently drops the imaginary part; kernels use these instead.
Decisions (signs, branches, maxima) are taken on the real part.
"""

from __future__ import annotations

import math

import numba
import numpy as np
from numba import types
from numba.extending import overload

from .compiler import COMPILE, OPTIONS, kernel

# real functions: compiled, those of `math` give NaN or infinity outside their domain; uncompiled they raise, so numpy's
# stand in
_TAN, _ASIN, _ACOS, _ATAN, _SINH, _COSH, _TANH, _EXP, _LOG, _LOG10, _SQRT, _POW, _HYPOT = (
    (math.tan, math.asin, math.acos, math.atan, math.sinh, math.cosh, math.tanh,
     math.exp, math.log, math.log10, math.sqrt, math.pow, math.hypot)
    if COMPILE
    else (np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh,
          np.exp, np.log, np.log10, np.sqrt, np.power, np.hypot)
)  # fmt: skip


def real(x):
    """Real part; the identity on real numbers."""
    return x.real


def sqrt(x):
    """Square root."""
    return np.sqrt(x)


def sin(x):
    """Sine."""
    return np.sin(x)


def cos(x):
    """Cosine."""
    return np.cos(x)


def cos_sin(x):
    """Cosine and sine of one angle."""
    return np.cos(x), np.sin(x)


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


def atan2(y, x):
    """Angle of the point (x, y); for complex arguments the analytic continuation about the real parts."""
    if isinstance(y, complex) or isinstance(x, complex):
        return _atan2_complex(y, x)
    return math.atan2(y, x)


def _atan2_complex(y, x):
    # d angle = (x dy - y dx) / (x^2 + y^2): exact to first order in the imaginary parts, all that a complex step needs
    square = x.real * x.real + y.real * y.real
    return complex(math.atan2(y.real, x.real), (x.real * y.imag - y.real * x.imag) / square)


def absolute(x):
    """|x| with its derivative: -x where the real part is negative."""
    return -x if x.real < 0.0 else x


def maximum(a, b):
    """Return the argument with the larger real part."""
    return a if a.real >= b.real else b


def minimum(a, b):
    """Return the argument with the smaller real part."""
    return a if a.real <= b.real else b


# square of a length below which it has no direction
SMALLEST = 1e-60


# ---- selections: a branch on a value, written so that it can be a node of a graph as well ------------------------------


def choose(condition, a, b):
    """a, or b where the condition is zero."""
    return a if condition.real != 0.0 else b


def above(x, y):
    """1 where x > y, else 0."""
    return 1.0 if x.real > y.real else 0.0


def reciprocal(x, floor):
    """1/x, or zero for x at or below the floor."""
    return 1.0 / x if x.real > floor.real else 0.0 * x


def larger(x, y):
    """The larger of two sizes; a NaN does not pass as small."""
    return x if x.real > y.real else y + 0.0 * x


def vanishes(x):
    """Whether a number is zero, so that work with it can be left out: a shortcut that changes no result."""
    return x == 0.0


@overload(choose, jit_options=OPTIONS, inline="always")
def _choose(condition, a, b):
    return lambda condition, a, b: a if condition.real != 0.0 else b


@overload(above, jit_options=OPTIONS, inline="always")
def _above(x, y):
    return lambda x, y: 1.0 if x.real > y.real else 0.0


@overload(reciprocal, jit_options=OPTIONS, inline="always")
def _reciprocal(x, floor):
    return lambda x, floor: 1.0 / x if x.real > floor.real else 0.0 * x


@overload(larger, jit_options=OPTIONS, inline="always")
def _larger(x, y):
    return lambda x, y: x if x.real > y.real else y + 0.0 * x


@overload(vanishes, jit_options=OPTIONS, inline="always")
def _vanishes(x):
    return lambda x: x == 0.0


@overload(real, jit_options=OPTIONS, inline="always")
def _real(x):
    return lambda x: x.real


@overload(sqrt, jit_options=OPTIONS, inline="always")
def _sqrt(x):
    if isinstance(x, types.Complex):
        return lambda x: np.sqrt(x)
    return lambda x: math.sqrt(x)


@overload(sin, jit_options=OPTIONS, inline="always")
def _sin(x):
    if isinstance(x, types.Complex):
        return lambda x: np.sin(x)
    return lambda x: math.sin(x)


@overload(cos, jit_options=OPTIONS, inline="always")
def _cos(x):
    if isinstance(x, types.Complex):
        return lambda x: np.cos(x)
    return lambda x: math.cos(x)


# fastmath is switched off by name: left open, it would be taken over from the kernel that calls this first
_cos_sin_real = (
    numba.njit(forceinline=True, fastmath=False, error_model="numpy")(cos_sin_real) if COMPILE else cos_sin_real
)


@overload(cos_sin, jit_options=OPTIONS, inline="always")
def _cos_sin(x):
    if isinstance(x, types.Complex):
        return lambda x: (np.cos(x), np.sin(x))
    return lambda x: _cos_sin_real(x)


@overload(atan2, jit_options=OPTIONS, inline="always")
def _atan2(y, x):
    if isinstance(y, types.Complex) or isinstance(x, types.Complex):

        def implementation(y, x):
            square = x.real * x.real + y.real * y.real
            return complex(math.atan2(y.real, x.real), (x.real * y.imag - y.real * x.imag) / square)

        return implementation
    return lambda y, x: math.atan2(y, x)


@overload(absolute, jit_options=OPTIONS, inline="always")
def _absolute(x):
    return lambda x: -x if x.real < 0.0 else x


@overload(maximum, jit_options=OPTIONS, inline="always")
def _maximum(a, b):
    return lambda a, b: a if a.real >= b.real else b


@overload(minimum, jit_options=OPTIONS, inline="always")
def _minimum(a, b):
    return lambda a, b: a if a.real <= b.real else b


# ---- functions lifted from the real line: f(a + ib) = f(a) + i f'(a) b -----------------------------------------------
#
# Exact to first order in the imaginary part, which is all a complex step needs.  The real part is exactly the real
# computation.  With the usual complex functions it is not: the logarithm of -1 is i pi, which would pass for a
# derivative; (ih)*(ih) is -h^2, which has no real root; and compiled complex division by zero raises an exception.


def constant(x, value):
    """Return a real number as a number of the kind of x, with no derivative."""
    return np.complex128(value) if isinstance(x, complex) else value


@kernel
def _along(slope, step):
    """slope*step; no step or no slope gives no change, even where the other is infinite."""
    return slope * step if slope != 0.0 and step != 0.0 else 0.0


def lift(x, value, slope):
    """Value of a function at the real part of x, continued with its slope there."""
    return np.complex128(complex(value, _along(slope, x.imag))) if isinstance(x, complex) else value


def lift2(x, y, value, slope_x, slope_y):
    """Value of a function of two arguments at their real parts, continued with its slopes there."""
    if isinstance(x, complex) or isinstance(y, complex):
        return np.complex128(complex(value, _along(slope_x, x.imag) + _along(slope_y, y.imag)))
    return value


@overload(constant, jit_options=OPTIONS, inline="always")
def _constant(x, value):
    if isinstance(x, types.Complex):
        return lambda x, value: complex(value, 0.0)
    return lambda x, value: value


@overload(lift, jit_options=OPTIONS, inline="always")
def _lift(x, value, slope):
    if isinstance(x, types.Complex):
        return lambda x, value, slope: complex(value, _along(slope, x.imag))
    return lambda x, value, slope: value


@overload(lift2, jit_options=OPTIONS, inline="always")
def _lift2(x, y, value, slope_x, slope_y):
    if isinstance(x, types.Complex) or isinstance(y, types.Complex):

        def implementation(x, y, value, slope_x, slope_y):
            return complex(value, _along(slope_x, x.imag) + _along(slope_y, y.imag))

        return implementation
    return lambda x, y, value, slope_x, slope_y: value


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
    f = _TAN(real(x))
    return lift(x, f, 1.0 + f * f)


@kernel
def asin(x):
    """Angle in [-pi/2, pi/2] with the given sine."""
    a = real(x)
    return lift(x, _ASIN(a), 1.0 / _SQRT(1.0 - a * a))


@kernel
def acos(x):
    """Angle in [0, pi] with the given cosine."""
    a = real(x)
    return lift(x, _ACOS(a), -1.0 / _SQRT(1.0 - a * a))


@kernel
def atan(x):
    """Angle in (-pi/2, pi/2) with the given tangent."""
    a = real(x)
    return lift(x, _ATAN(a), 1.0 / (1.0 + a * a))


@kernel
def sinh(x):
    """Hyperbolic sine."""
    return lift(x, _SINH(real(x)), _COSH(real(x)))


@kernel
def cosh(x):
    """Hyperbolic cosine."""
    return lift(x, _COSH(real(x)), _SINH(real(x)))


@kernel
def tanh(x):
    """Hyperbolic tangent."""
    f = _TANH(real(x))
    return lift(x, f, 1.0 - f * f)


@kernel
def exp(x):
    """Exponential."""
    f = _EXP(real(x))
    return lift(x, f, f)


@kernel
def log(x):
    """Natural logarithm; NaN for a negative real part."""
    return lift(x, _LOG(real(x)), 1.0 / real(x))


@kernel
def log10(x):
    """Decimal logarithm; NaN for a negative real part."""
    return lift(x, _LOG10(real(x)), 0.4342944819032518 / real(x))


@kernel
def root(x):
    """Square root; NaN for a negative real part, where `sqrt` of a complex number is imaginary."""
    f = _SQRT(real(x))
    return lift(x, f, 0.5 / f)


@kernel
def power(x, y):
    """x**y; a negative x needs a whole y, as for real numbers."""
    a, b = real(x), real(y)
    f = _POW(a, b)
    return lift2(x, y, f, b * _POW(a, b - 1.0), f * _LOG(a))


@kernel
def hypot(x, y):
    """sqrt(x**2 + y**2) without overflow; its slopes at the origin are 0, the middle of all directions."""
    a, b = real(x), real(y)
    f = _HYPOT(a, b)
    return lift2(x, y, f, a / f if f > 0.0 else 0.0, b / f if f > 0.0 else 0.0)
