"""Unrolled versions of the block routines of `blocks.py`, written out for literal sizes when numba asks for them.

Local scalars instead of array elements make the difference between 0.44 and 0.24 microseconds per body of a chain.  Each template
below writes the same arithmetic as its namesake in `blocks.py`; a test compares the two for all sizes.  Nothing is generated at
import: numba calls the `overload` functions while it compiles, and never again once the machine code is on disk.

`*_any` choose the unrolled version for run-time sizes: up to 3 rows in the plane, 6 in space.
"""

from __future__ import annotations

from functools import cache

import numba
from numba import types
from numba.extending import overload

from . import blocks
from .compiler import COMPILE, FASTMATH
from .layout import MASK

_OPTIONS = {"fastmath": FASTMATH, "error_model": "numpy", "forceinline": True}


def _packed(a, b):
    """Index of entry (a, b), a >= b, in a packed lower triangle."""
    return a * (a + 1) // 2 + b


def _sum(terms):
    return " + ".join(terms)


def _tuple(terms):
    return "(" + "".join(f"{x}, " for x in terms) + ")"


# ---- small functions on tuples: a row of a block, or a wrench, is a tuple in registers ---------------------------------


def load_lines(n):
    """N consecutive numbers."""
    return "F, o", ["return " + _tuple(f"F[o + {k}]" for k in range(n))]


def stride_lines(n):
    """N numbers at distance h."""
    return "F, o, h", ["return " + _tuple(f"F[o + {k} * h]" for k in range(n))]


def store_lines(n):
    """Write n consecutive numbers."""
    return "F, o, x", [f"F[o + {k}] = x[{k}]" for k in range(n)]


def dot_lines(n):
    """Scalar product."""
    return "a, b", ["return " + _sum(f"a[{k}] * b[{k}]" for k in range(n))]


def scale_lines(n):
    """Product by components."""
    return "a, b", ["return " + _tuple(f"a[{k}] * b[{k}]" for k in range(n))]


def axpy_lines(n):
    """X - e g."""
    return "x, e, g", ["return " + _tuple(f"x[{k}] - e * g[{k}]" for k in range(n))]


def gain_lines(n, w):
    """x_b + k . l_b for n wrenches l_b of w numbers."""
    wrenches = ", ".join(f"l{b}" for b in range(n))
    terms = (f"x[{b}] + " + _sum(f"k[{c}] * l{b}[{c}]" for c in range(w)) for b in range(n))
    return f"x, k, {wrenches}", ["return " + _tuple(terms)]


def solve_lines(n):
    """X L^-T for the unit lower triangle packed in d."""
    lines = []
    for b in range(n):
        lines += [f"y{b} = x[{b}]" + "".join(f" - y{c} * d[{_packed(b, c)}]" for c in range(b))]
    return "x, d", [*lines, "return " + _tuple(f"y{b}" for b in range(n))]


# ---- the block routines ---------------------------------------------------------------------------------------------------


def form_lines(n, w):
    """Source of `blocks.form` for n rows and wrenches of w numbers."""
    lines = [f"r{a} = F[bias + {a}] - F[drive + {3 * a + 2}]" for a in range(n)]
    lines += [f"d{a}_{b} = 0.0 * r0" for a in range(n) for b in range(a + 1)]
    lines += ["for s in range(s0, s1):", f"    q = load_{w}(F, acc + (I[s] & MASK))"]
    for a in range(n):
        lines += [f"    j{a} = load_{w}(F, jo + {a * w})", f"    r{a} += dot_{w}(j{a}, q)"]
        lines += [f"    d{a}_{b} += dot_{w}(j{a}, j{b})" for b in range(a + 1)]
    lines += [f"    jo = (jo + {n * w}) & MASK"]
    lines += [f"F[do + {_packed(a, b)}] = d{a}_{b}" for a in range(n) for b in range(a + 1)]
    lines += [f"F[yo + {a}] = r{a}" for a in range(n)]
    return lines


def eliminate_lines(m, w):
    """Source of `blocks.eliminate` for a column block of m rows; the n rows of block k are a loop."""
    cols = range(m)
    wrenches = ", ".join(f"l{b}" for b in cols)
    lines = [f"d = load_{m * (m + 1) // 2}(F, dl)", f"z = load_{m}(F, lam_l)", "o = 0.0 * F[yo]"]
    lines += ["p = " + _tuple(f"d[{_packed(b, b)}]" for b in cols)]
    lines += ["for a in range(n):", "    x = " + _tuple("o" for _ in cols)]
    lines += ["    s = p0", "    while s < p1:", "        k, l, s = I[s] & MASK, I[s + 1] & MASK, (s + 2) & MASK"]
    lines += [f"        l{b} = load_{w}(F, l + {b * w})" for b in cols]
    lines += [f"        x = gain_{m}_{w}(x, load_{w}(F, k + a * {w}), {wrenches})"]
    lines += [
        "    s = u0",
        "    while s < u1:",
        "        k, l, h, g, s = I[s] & MASK, I[s + 1] & MASK, I[s + 2] & MASK, I[s + 3] & MASK, (s + 4) & MASK",
        "        for c in range(h):",
        "            e = F[k + a * h + c] * F[g + c * (c + 1) // 2 + c]",
    ]
    lines += [f"            x = axpy_{m}(x, e, stride_{m}(F, l + c, h))"]
    lines += [f"    x = solve_{m}(x, d)", f"    y = scale_{m}(x, p)"]
    lines += [f"    store_{m}(F, lo + a * {m}, x)"]
    lines += [f"    F[yo + a] -= dot_{m}(x, z)", "    t = do + a * (a + 1) // 2"]
    lines += ["    for b in range(a + 1):", f"        F[t + b] -= dot_{m}(y, load_{m}(F, lo + b * {m}))"]
    return lines


def eliminate_both_lines(n, m, w):
    """Source of `blocks.eliminate` for blocks of n and m rows, both written out; x0, x1, ... are the rows of the block."""
    rows, cols = range(n), range(m)
    wrenches = ", ".join(f"l{b}" for b in cols)
    lines = ["o = 0.0 * F[yo]", *(f"x{a} = " + _tuple("o" for _ in cols) for a in rows)]
    lines += ["s = p0", "while s < p1:", "    k, l, s = I[s] & MASK, I[s + 1] & MASK, (s + 2) & MASK"]
    lines += [f"    l{b} = load_{w}(F, l + {b * w})" for b in cols]
    lines += [f"    x{a} = gain_{m}_{w}(x{a}, load_{w}(F, k + {a * w}), {wrenches})" for a in rows]
    lines += [
        "s = u0",
        "while s < u1:",
        "    k, l, h, r, s = I[s] & MASK, I[s + 1] & MASK, I[s + 2] & MASK, I[s + 3] & MASK, (s + 4) & MASK",
        "    for c in range(h):",
        "        f = F[r + c * (c + 1) // 2 + c]",
        f"        g = stride_{m}(F, l + c, h)",
    ]
    lines += [f"        x{a} = axpy_{m}(x{a}, f * F[k + {a} * h + c], g)" for a in rows]
    lines += [f"d, z = load_{m * (m + 1) // 2}(F, dl), load_{m}(F, lam_l)"]
    lines += ["p = " + _tuple(f"d[{_packed(b, b)}]" for b in cols)]
    for a in rows:
        lines += [f"x{a} = solve_{m}(x{a}, d)", f"y = scale_{m}(x{a}, p)", f"store_{m}(F, lo + {a * m}, x{a})"]
        lines += [f"F[yo + {a}] -= dot_{m}(x{a}, z)"]
        lines += [f"F[do + {_packed(a, b)}] -= dot_{m}(y, x{b})" for b in range(a + 1)]
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


def forward_off_lines(m):
    """Source of `blocks.forward_off` for a column block of m rows."""
    return [f"x = load_{m}(F, lam_l)", "for a in range(n):", f"    F[yo + a] -= dot_{m}(x, load_{m}(F, lo + a * {m}))"]


def forward_lines(n):
    """Source of `blocks.forward` for n rows."""
    lines = [f"d = load_{n * (n + 1) // 2}(F, do)"]
    for a in range(n):
        lines += [f"y{a} = F[yo + {a}]" + "".join(f" - d[{_packed(a, b)}] * y{b}" for b in range(a))]
        lines += [f"F[yo + {a}] = y{a}", f"F[lam + {a}] = y{a} * d[{_packed(a, a)}]"]
    return lines


def back_lines(n, w):
    """Source of `blocks.back` for n rows."""
    lines = [f"d = load_{n * (n + 1) // 2}(F, do)"]
    for a in range(n - 1, -1, -1):
        terms = "".join(f" - d[{_packed(c, a)}] * x{c}" for c in range(a + 1, n))
        lines += [f"x{a} = F[lam + {a}]{terms}"]
    lines += [f"F[lam + {a}] = x{a}" for a in range(n)]
    lines += ["for s in range(s0, s1):", "    o = acc + (I[s] & MASK)", f"    q = load_{w}(F, o)"]
    lines += [f"    q = axpy_{w}(q, x{a}, load_{w}(F, jo + {a * w}))" for a in range(n)]
    lines += [f"    store_{w}(F, o, q)", f"    jo = (jo + {n * w}) & MASK"]
    return lines


def back_off_lines(m):
    """Source of `blocks.back_off` for a column block of m rows."""
    zeros = _tuple("o" for _ in range(m))
    lines = [
        f"d, o, x = load_{m * (m + 1) // 2}(F, dl), 0.0 * F[lam_l], load_{m}(F, lam_l)",
        f"y = {zeros}",
        "for a in range(n):",
    ]
    lines += [f"    y = axpy_{m}(y, F[lam_k + a], load_{m}(F, lo + a * {m}))"]
    # y = -X^T lam_k
    return [*lines, *(f"F[lam_l + {b}] = x[{b}] + d[{_packed(b, b)}] * y[{b}]" for b in range(m))]


# Pairs of block sizes (rows of k, rows of l) that are written out in both; the others loop over the rows of k.  A pair costs
# about a second of compilation, so rare ones (cross or weld after cross, weld or a single row) are left to the loop.
PAIRS = {
    3: tuple((n, m) for m in (2, 1, 3) for n in (2, 1, 3)),
    6: tuple((n, m) for m in (5, 3, 1, 4, 6) for n in (5, 3, 1, 4, 6) if not (n in (4, 6) and m in (1, 4, 6))),
}
_ARGUMENTS = {
    "form": "I, F, s0, s1, acc, jo, do, yo, bias, drive",
    "eliminate": "n, I, F, p0, p1, u0, u1, lo, do, dl, yo, lam_l",
    "factor": "F, do, floor, yo, lam",
    "forward_off": "n, F, lo, yo, lam_l",
    "forward": "F, do, yo, lam",
    "back": "I, F, s0, s1, acc, jo, do, lam",
    "back_off": "n, F, lo, dl, lam_k, lam_l",
}
_LINES = {
    "form": form_lines,
    "eliminate": eliminate_lines,
    "factor": lambda n, w: factor_lines(n),
    "forward_off": lambda m, w: forward_off_lines(m),
    "forward": lambda n, w: forward_lines(n),
    "back": back_lines,
    "back_off": lambda m, w: back_off_lines(m),
}


def _define(name, arguments, lines, scope=None):
    """Python function from its lines."""
    scope = dict(scope or {}, MASK=MASK)
    exec("\n    ".join([f"def {name}({arguments}):", *lines]), scope)  # noqa: S102 - our own text, nothing of the user's
    return scope[name]


@cache
def _helpers(w, compiled=True):
    """The small functions for blocks of at most w rows."""
    scope = {}
    sizes = sorted({*range(1, w + 1), *(k * (k + 1) // 2 for k in range(1, w + 1))})
    makers = {"load": load_lines, "stride": stride_lines, "store": store_lines, "dot": dot_lines, "scale": scale_lines,
              "axpy": axpy_lines, "solve": solve_lines}  # fmt: skip
    for kind, lines in makers.items():
        for n in sizes if kind == "load" else range(1, w + 1):
            scope[f"{kind}_{n}"] = _define("helper", *lines(n))
    for n in range(1, w + 1):
        scope[f"gain_{n}_{w}"] = _define("helper", *gain_lines(n, w))
    return {name: numba.njit(**_OPTIONS)(f) if compiled else f for name, f in scope.items()}


def _masked(name, lines):
    """Lines of a routine after those that mark its places as not negative (see `layout.MASK`)."""
    places = [x for x in _ARGUMENTS[name].split(", ") if x not in ("I", "F")]
    return [*(f"{x} &= MASK" for x in places), *lines]


def unrolled(name, size, w, compiled=True):
    """Python function of one unrolled routine."""
    return _define(name, _ARGUMENTS[name], _masked(name, _LINES[name](size, w)), _helpers(w, compiled))


def unrolled_both(n, m, w, compiled=True):
    """Python function of `eliminate` with both sizes written out."""
    lines = _masked("eliminate", eliminate_both_lines(n, m, w))
    return _define(f"eliminate_{n}_{m}", _ARGUMENTS["eliminate"], lines, _helpers(w, compiled))


def _chooser(name, w):
    """Function that calls the unrolled routine for a run-time size; wrenches of w numbers, at most w rows."""
    arguments, scope, lines = _ARGUMENTS[name], {}, []
    pairs = PAIRS[w] if name == "eliminate" else ()
    # the sizes are tested one after the other, so that the compiler makes a table of jumps
    for size in range(w, 0, -1):
        lines += [f"{'el' if lines else ''}if size == {size}:"]
        rows = [n for n, m in pairs if m == size]
        for n in rows:
            routine = f"{name}_{n}_{size}"
            scope[routine] = numba.njit(**_OPTIONS)(unrolled_both(n, size, w))
            lines += [f"    {'el' if n != rows[0] else ''}if n == {n}:", f"        {routine}({arguments})"]
        routine = f"{name}_{size}"
        scope[routine] = numba.njit(**_OPTIONS)(unrolled(name, size, w))
        lines += ["    else:", f"        {routine}({arguments})"] if rows else [f"    {routine}({arguments})"]
    return _define(name, "w, size, " + arguments, lines, scope)


def form_any(w, size, I, F, s0, s1, acc, jo, do, yo, bias, drive):
    """`blocks.form` for any number of rows."""
    blocks.form(size, w, I, F, s0, s1, acc, jo, do, yo, bias, drive)


def eliminate_any(w, size, n, I, F, p0, p1, u0, u1, lo, do, dl, yo, lam_l):
    """`blocks.eliminate` for any numbers of rows; `size` is that of the column block."""
    blocks.eliminate(n, size, w, I, F, p0, p1, u0, u1, lo, do, dl, yo, lam_l)


def factor_any(w, size, F, do, floor, yo, lam):
    """`blocks.factor` for any number of rows."""
    blocks.factor(size, F, do, floor, yo, lam)


def forward_off_any(w, size, n, F, lo, yo, lam_l):
    """`blocks.forward_off` for any numbers of rows; `size` is that of the column block."""
    blocks.forward_off(n, size, F, lo, yo, lam_l)


def forward_any(w, size, F, do, yo, lam):
    """`blocks.forward` for any number of rows."""
    blocks.forward(size, F, do, yo, lam)


def back_any(w, size, I, F, s0, s1, acc, jo, do, lam):
    """`blocks.back` for any number of rows."""
    blocks.back(size, w, I, F, s0, s1, acc, jo, do, lam)


def back_off_any(w, size, n, F, lo, dl, lam_k, lam_l):
    """`blocks.back_off` for any numbers of rows; `size` is that of the column block."""
    blocks.back_off(n, size, F, lo, dl, lam_k, lam_l)


def _register(function, name):
    """Let numba replace a chooser by the unrolled routines when the width is a literal number."""
    built = {}

    def choose(width):
        if not isinstance(width, types.IntegerLiteral):
            return None
        if width.literal_value not in built:
            built[width.literal_value] = _chooser(name, width.literal_value)
        return built[width.literal_value]

    implement = _define("implement", "w, size, " + _ARGUMENTS[name], ["return choose(w)"], {"choose": choose})
    overload(function, jit_options=_OPTIONS, prefer_literal=True)(implement)


if COMPILE:
    for _function, _name in (
        (form_any, "form"),
        (eliminate_any, "eliminate"),
        (factor_any, "factor"),
        (forward_off_any, "forward_off"),
        (forward_any, "forward"),
        (back_any, "back"),
        (back_off_any, "back_off"),
    ):
        _register(_function, _name)
