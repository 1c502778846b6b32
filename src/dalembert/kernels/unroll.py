"""Unrolled versions of the block routines of `blocks.py`, written out for literal sizes when numba asks for them.

Local scalars instead of array elements make the difference between 0.44 and 0.24 microseconds per body of a chain.  Each template
below writes the same arithmetic as its namesake in `blocks.py`; a test compares the two for all sizes.  Nothing is generated at
import: numba calls the `overload` functions while it compiles, and never again once the machine code is on disk.

`*_any` choose the unrolled version for run-time sizes: up to 3 rows in the plane, 6 in space.
"""

from __future__ import annotations

import numba
from numba import types
from numba.extending import overload

from . import blocks
from .compiler import COMPILE, FASTMATH

_OPTIONS = {"fastmath": FASTMATH, "error_model": "numpy", "forceinline": True}


def _packed(a, b):
    """Index of entry (a, b), a >= b, in a packed lower triangle."""
    return a * (a + 1) // 2 + b


def _sum(terms):
    return " + ".join(terms)


def form_lines(n, w):
    """Source of `blocks.form` for n rows and wrenches of w numbers."""
    lines = [f"r{a} = F[yo + {a}]" for a in range(n)]
    lines += [f"d{a}_{b} = 0.0 * F[yo]" for a in range(n) for b in range(a + 1)]
    lines += ["for s in range(s0, s1):", "    o = acc + I[s]"]
    lines += [f"    q{c} = F[o + {c}]" for c in range(w)]
    for a in range(n):
        lines += [f"    j{a}_{c} = F[jo + {a * w + c}]" for c in range(w)]
        lines += [f"    r{a} += " + _sum(f"j{a}_{c} * q{c}" for c in range(w))]
        lines += [f"    d{a}_{b} += " + _sum(f"j{a}_{c} * j{b}_{c}" for c in range(w)) for b in range(a + 1)]
    lines += [f"    jo += {n * w}"]
    lines += [f"F[do + {_packed(a, b)}] = d{a}_{b}" for a in range(n) for b in range(a + 1)]
    lines += [f"F[yo + {a}] = r{a}" for a in range(n)]
    return lines


def eliminate_lines(n, m, w):
    """Source of `blocks.eliminate` for blocks of n and m rows."""
    rows, cols = range(n), range(m)
    lines = [f"x{a}_{b} = 0.0 * F[yo]" for a in rows for b in cols]
    lines += ["for p in range(p0, p1, 2):", "    k = I[p]", "    l = I[p + 1]"]
    lines += [f"    l{b}_{c} = F[l + {b * w + c}]" for b in cols for c in range(w)]
    for a in rows:
        lines += [f"    k{c} = F[k + {a * w + c}]" for c in range(w)]
        lines += [f"    x{a}_{b} += " + _sum(f"k{c} * l{b}_{c}" for c in range(w)) for b in cols]
    lines += ["for u in range(u0, u1, 3):", "    k = I[u]", "    l = I[u + 1]", "    h = I[u + 2]", "    for c in range(h):"]
    lines += [f"        g{b} = F[l + {b} * h + c]" for b in cols]
    for a in rows:
        lines += [f"        e = F[k + {a} * h + c]"]
        lines += [f"        x{a}_{b} -= e * g{b}" for b in cols]
    for b in cols:
        lines += [f"g{c} = F[dl + {_packed(b, c)}]" for c in range(b)]
        lines += [f"p{b} = F[dl + {_packed(b, b)}]", f"z{b} = F[yl + {b}]"]
        lines += [f"x{a}_{b} -= " + _sum(f"x{a}_{c} * g{c}" for c in range(b)) for a in rows if b]
    for a in rows:
        lines += [f"w{b} = x{a}_{b} * p{b}" for b in cols]
        lines += [f"F[lo + {a * m + b}] = w{b}" for b in cols]
        lines += [f"F[xo + {a * m + b}] = x{a}_{b}" for b in cols]
        lines += [f"F[yo + {a}] -= " + _sum(f"w{c} * z{c}" for c in cols)]
        lines += [f"F[do + {_packed(a, b)}] -= " + _sum(f"w{c} * x{b}_{c}" for c in cols) for b in range(a + 1)]
    return lines


def factor_lines(n):
    """Source of `blocks.factor` for n rows."""
    lines = [f"d{a}_{b} = F[do + {_packed(a, b)}]" for a in range(n) for b in range(a + 1)]
    lines += [f"y{a} = F[yo + {a}]" for a in range(n)]
    for b in range(n):
        lines += [f"i{b} = 1.0 / d{b}_{b} if d{b}_{b}.real > F[floor + {b}].real else 0.0 * d{b}_{b}"]
        lines += [f"l{a}_{b} = d{a}_{b} * i{b}" for a in range(b + 1, n)]
        for a in range(b + 1, n):
            lines += [f"d{a}_{c} -= l{a}_{b} * d{c}_{b}" for c in range(b + 1, a + 1)]
            lines += [f"y{a} -= l{a}_{b} * y{b}"]
    lines += [f"F[do + {_packed(a, b)}] = l{a}_{b}" for a in range(n) for b in range(a)]
    for a in range(n):
        lines += [f"F[do + {_packed(a, a)}] = i{a}", f"F[yo + {a}] = y{a}", f"F[lam + {a}] = y{a} * i{a}"]
    return lines


def back_lines(n, w):
    """Source of `blocks.back` for n rows."""
    lines = []
    for a in range(n - 1, -1, -1):
        terms = "".join(f" - F[do + {_packed(c, a)}] * x{c}" for c in range(a + 1, n))
        lines += [f"x{a} = F[lam + {a}]{terms}"]
    lines += [f"F[lam + {a}] = x{a}" for a in range(n)]
    lines += ["for s in range(s0, s1):", "    o = acc + I[s]"]
    lines += [f"    F[o + {c}] -= " + _sum(f"F[jo + {a * w + c}] * x{a}" for a in range(n)) for c in range(w)]
    lines += [f"    jo += {n * w}"]
    return lines


def back_off_lines(n, m):
    """Source of `blocks.back_off` for blocks of n and m rows."""
    lines = [f"x{a} = F[lam_k + {a}]" for a in range(n)]
    return lines + [f"F[lam_l + {b}] -= " + _sum(f"F[lo + {a * m + b}] * x{a}" for a in range(n)) for b in range(m)]


_ARGUMENTS = {
    "form": "I, F, s0, s1, acc, jo, do, yo",
    "eliminate": "I, F, p0, p1, u0, u1, lo, xo, do, dl, yo, yl",
    "factor": "F, do, floor, yo, lam",
    "back": "I, F, s0, s1, acc, jo, do, lam",
    "back_off": "F, lo, lam_k, lam_l",
}
_LINES = {
    "form": lambda w, n, m: form_lines(n, w),
    "eliminate": lambda w, n, m: eliminate_lines(n, m, w),
    "factor": lambda w, n, m: factor_lines(n),
    "back": lambda w, n, m: back_lines(n, w),
    "back_off": lambda w, n, m: back_off_lines(n, m),
}
_TWO_SIZES = ("eliminate", "back_off")


def _define(name, arguments, lines, scope=None):
    """Python function from its lines."""
    scope = dict(scope or {})
    exec("\n    ".join([f"def {name}({arguments}):", *lines]), scope)  # noqa: S102 - our own text, nothing of the user's
    return scope[name]


def unrolled(name, w, n, m=0):
    """Python function of one unrolled routine."""
    return _define(name, _ARGUMENTS[name], _LINES[name](w, n, m))


def _chooser(name, w):
    """Function that calls the unrolled routine for run-time sizes; wrenches of w numbers, at most w rows."""
    arguments, scope, lines = _ARGUMENTS[name], {}, []
    sizes = [(n, m) for n in range(1, w + 1) for m in (range(1, w + 1) if name in _TWO_SIZES else (0,))]
    for n, m in sizes:
        routine = f"{name}_{n}_{m}"
        scope[routine] = numba.njit(**_OPTIONS)(unrolled(name, w, n, m))
        test = f"n == {n} and m == {m}" if m else f"n == {n}"
        lines += [f"{'el' if lines else ''}if {test}:", f"    {routine}({arguments})"]
    head = "w, n, m, " if name in _TWO_SIZES else "w, n, "
    return _define(name, head + arguments, lines, scope)


def form_any(w, n, I, F, s0, s1, acc, jo, do, yo):
    """`blocks.form` for any number of rows."""
    blocks.form(n, w, I, F, s0, s1, acc, jo, do, yo)


def eliminate_any(w, n, m, I, F, p0, p1, u0, u1, lo, xo, do, dl, yo, yl):
    """`blocks.eliminate` for any numbers of rows."""
    blocks.eliminate(n, m, w, I, F, p0, p1, u0, u1, lo, xo, do, dl, yo, yl)


def factor_any(w, n, F, do, floor, yo, lam):
    """`blocks.factor` for any number of rows."""
    blocks.factor(n, F, do, floor, yo, lam)


def back_any(w, n, I, F, s0, s1, acc, jo, do, lam):
    """`blocks.back` for any number of rows."""
    blocks.back(n, w, I, F, s0, s1, acc, jo, do, lam)


def back_off_any(w, n, m, F, lo, lam_k, lam_l):
    """`blocks.back_off` for any numbers of rows."""
    blocks.back_off(n, m, F, lo, lam_k, lam_l)


def _register(function, name):
    """Let numba replace a chooser by the unrolled routines when the width is a literal number."""
    built = {}

    def choose(width):
        if not isinstance(width, types.IntegerLiteral):
            return None
        if width.literal_value not in built:
            built[width.literal_value] = _chooser(name, width.literal_value)
        return built[width.literal_value]

    head = "w, n, m, " if name in _TWO_SIZES else "w, n, "
    implement = _define("implement", head + _ARGUMENTS[name], ["return choose(w)"], {"choose": choose})
    overload(function, jit_options=_OPTIONS, prefer_literal=True)(implement)


if COMPILE:
    for _function, _name in (
        (form_any, "form"),
        (eliminate_any, "eliminate"),
        (factor_any, "factor"),
        (back_any, "back"),
        (back_off_any, "back_off"),
    ):
        _register(_function, _name)
