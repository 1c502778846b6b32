"""Tools of the errata tests: two expressions are the same, or differ, by simplification and at random points.

Points are drawn in (0.3, 1.2), away from the zeros and poles of the sines and cosines that occur; 1e-10 relative is a
thousand times the rounding of evaluations with 15 digits, and what differs here differs by far more than 1e-4.
"""

import numpy as np
from sympy import (
    Derivative,
    Dummy,
    Float,
    Function,
    Matrix,
    cos,
    expand,
    expand_trig,
    rem,
    simplify,
    sin,
    symbols,
    sympify,
    tan,
    together,
)
from sympy.core.function import AppliedUndef

t = symbols("t", real=True)


def functions(names):
    """Functions of time, the coordinates of an example."""
    return [Function(name, real=True)(t) for name in names.split()]


def same(found, expected):
    """Whether two expressions, or matrices, are identical."""
    pairs = _pairs(found, expected)
    simplified = all(_vanishes(a - b) for a, b in pairs)
    sampled = all(np.abs(_sample(a, b)).max() < 1e-10 for a, b in pairs)
    assert simplified == sampled, "simplification and random points disagree"
    return simplified


def differ(printed, right):
    """Whether two expressions, or some entries of two matrices, differ: not identically, and at every random point."""
    pairs = _pairs(printed, right)
    simplified = any(not _vanishes(a - b) for a, b in pairs)
    sampled = any(np.abs(_sample(a, b)).min() > 1e-4 for a, b in pairs)
    assert simplified == sampled, "simplification and random points disagree"
    return simplified


def lagrange(energy, coordinates):
    """d/dt ∂L/∂q' - ∂L/∂q for each coordinate."""
    return Matrix([energy.diff(q.diff(t)).diff(t) - energy.diff(q) for q in coordinates])


def skew(v):
    """The matrix ṽ with ṽ u = v x u."""
    return Matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def _pairs(a, b):
    if hasattr(a, "shape"):
        a, b = Matrix(a), Matrix(b)
        assert a.shape == b.shape, "matrices of different shapes"
        return list(zip(a, b))
    return [(sympify(a), sympify(b))]


def _vanishes(e):
    """Whether e is identically zero.

    Rational expressions in sines and cosines of single angles have a normal form: the numerator as a polynomial with
    sin^2 replaced by 1 - cos^2.  It decides exactly, and faster than `simplify`, which takes the rest.
    """
    e = expand_trig(e).rewrite(tan, cos) if e.has(tan) else expand_trig(e)
    e = e.xreplace({d: Dummy() for d in e.atoms(Derivative)})
    e = e.xreplace({f: Dummy() for f in e.atoms(AppliedUndef)})
    angles = {f.args[0] for f in e.atoms(sin, cos)}
    pairs = {angle: (Dummy(), Dummy()) for angle in angles}
    trig = {f(x): pair[i] for x, pair in pairs.items() for i, f in enumerate((sin, cos))}
    rational = e.xreplace(trig)
    if not all(angle.is_Symbol for angle in angles) or not rational.is_rational_function():
        return simplify(e) == 0
    numerator = expand(together(rational).as_numer_denom()[0])
    for s, c in pairs.values():
        numerator = expand(rem(numerator, s**2 + c**2 - 1, s))
    return numerator == 0


def _sample(a, b, points=5):
    """a - b at random points, relative to the larger of |a|, |b| and 1."""
    rng = np.random.default_rng(1788)
    names = set()
    for e in (a, b):
        names |= e.atoms(Derivative) | e.atoms(AppliedUndef) | e.free_symbols
    names = sorted(names, key=str)
    found = []
    for _ in range(points):
        values = {name: Float(rng.uniform(0.3, 1.2)) for name in names}
        # derivatives come before the functions in them: xreplace takes the outermost match
        left, right = (complex(e.xreplace(values).evalf()) for e in (a, b))
        found.append((left - right) / max(1.0, abs(left), abs(right)))
    return np.array(found)
