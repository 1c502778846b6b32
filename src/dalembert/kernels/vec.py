"""Small vector algebra on tuples: a 3-vector is a tuple of three numbers, a planar vector a tuple of two.

Tuples live in registers; 3-element arrays with `@` were measured ten times slower and read no better.
"""

from __future__ import annotations

from .compiler import inlined


@inlined
def load3(x, o):
    """Three consecutive numbers of a flat array."""
    return (x[o], x[o + 1], x[o + 2])


@inlined
def load2(x, o):
    """Two consecutive numbers of a flat array."""
    return (x[o], x[o + 1])


@inlined
def add(a, b):
    """Sum of two 3-vectors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inlined
def sub(a, b):
    """Difference a - b of two 3-vectors."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inlined
def neg(a):
    """Opposite of a 3-vector."""
    return (-a[0], -a[1], -a[2])


@inlined
def dot(a, b):
    """Scalar product of two 3-vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a, b):
    """Vector product a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inlined
def matvec(m, o, x):
    """Product of the 3x3 matrix stored by rows at m[o:o+9] with a 3-vector."""
    return (
        m[o] * x[0] + m[o + 1] * x[1] + m[o + 2] * x[2],
        m[o + 3] * x[0] + m[o + 4] * x[1] + m[o + 5] * x[2],
        m[o + 6] * x[0] + m[o + 7] * x[1] + m[o + 8] * x[2],
    )


@inlined
def dot2(a, b):
    """Scalar product of two planar vectors."""
    return a[0] * b[0] + a[1] * b[1]


@inlined
def cross2(a, b):
    """Moment a x b of two planar vectors, positive counterclockwise."""
    return a[0] * b[1] - a[1] * b[0]


@inlined
def turn2(c, s, x):
    """Planar vector x turned by the angle whose cosine and sine are c and s."""
    return (c * x[0] - s * x[1], s * x[0] + c * x[1])
