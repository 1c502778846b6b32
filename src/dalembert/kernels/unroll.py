"""Unrolled versions of the block routines of `blocks.py`, written out for literal sizes when kernels are translated.

Local scalars instead of array elements make the difference between 0.44 and 0.24 microseconds per body of a chain.  Each routine below
does the same arithmetic as its namesake in `blocks.py`; a test compares the two for all sizes.  A routine has two parts: *pieces*,
straight-line arithmetic on tuples of numbers, which are Python functions run once on symbols (`trace.py`); and a few lines of text
with the loops around them.  Nothing is generated at import, and nothing once the machine code is on disk.

`*_any` choose the unrolled version for run-time sizes: up to 3 rows in the plane, 6 in space.
"""

from __future__ import annotations

from functools import cache

from ..machine.values import Known
from . import blocks
from .compiler import inlined
from .scalar import reciprocal
from .trace import Memory, Number, Piece


def _packed(a, b):
    """Index of entry (a, b), a >= b, in a packed lower triangle."""
    return a * (a + 1) // 2 + b


# ---- arithmetic on numbers or symbols ----------------------------------------------------------------------------------


def _zero(F):
    return F.zero() if isinstance(F, Memory) else 0.0 * F[0]


def _reciprocal(d, floor):
    return d.reciprocal(floor) if isinstance(d, Number) else reciprocal(d, floor)


def _load(F, o, n):
    return [F[o + k] for k in range(n)]


def _zeros(count):
    return lambda F: tuple(_zero(F) for _ in range(count))


def _dot(a, b):
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:]):
        total = total + x * y
    return total


# The order of operations matters: numbers are loaded just before they are used, or registers run out (a third of the speed).  Products of two
# blocks are summed component by component, so that no sum waits for itself.
# ---- the block routines: pieces, then the text around them ----------------------------------------------------------------
# A maker gives {name: function} and the lines that use them.


def form(n, w):
    """`blocks.form` for n rows and wrenches of w numbers; x holds y_k, then the packed triangle."""
    entries = [(a, b) for a in range(n) for b in range(a + 1)]

    def begin(F, bias, drive):
        y = [F[bias + a] - F[drive + 3 * a + 2] for a in range(n)]
        return (*y, *(_zero(F) for _ in entries))

    def step(F, o, jo, x):
        out = list(x)
        for c in range(w):
            q, column = F[o + c], []
            for a in range(n):
                column.append(F[jo + (a * w + c)])
                out[a] = out[a] + column[a] * q
                for b in range(a + 1):
                    out[n + _packed(a, b)] = out[n + _packed(a, b)] + column[a] * column[b]
        return tuple(out)

    def end(F, do, yo, x):
        for k in range(len(entries)):
            F[do + k] = x[n + k]
        for a in range(n):
            F[yo + a] = x[a]

    return {"begin": begin, "step": step, "end": end}, [
        "x = begin(F, bias, drive)",
        "for s in range(s0, s1):",
        "    x = step(F, acc + I[s], jo, x)",
        f"    jo = jo + {n * w}",
        "end(F, do, yo, x)",
    ]


def _solved(x, d, m):
    """X L^-T for the unit lower triangle packed in d."""
    y = []
    for b in range(m):
        value = x[b]
        for c in range(b):
            value = value - y[c] * d[_packed(b, c)]
        y.append(value)
    return y


def _meet(n, m, w):
    """S_kl from one body that both blocks touch, added to x (n rows of m numbers)."""

    def meet(F, k, l, x):
        out = list(x)
        for c in range(w):
            right = [F[l + (b * w + c)] for b in range(m)]
            for a in range(n):
                left = F[k + (a * w + c)]
                for b in range(m):
                    out[a * m + b] = out[a * m + b] + left * right[b]
        return tuple(out)

    return meet


def _fill(n, m):
    """One row of an earlier column p, with reciprocal pivot f: x - X_kp f X_lp^T; rows of X_kp and X_lp are h apart."""

    def fill(F, k, l, h, f, x):
        right, out = [], []
        place = l
        for _ in range(m):
            right.append(F[place] if n <= m else f * F[place])  # the shorter side is multiplied
            place = place + h
        place = k
        for a in range(n):
            e = f * F[place] if n <= m else F[place]
            out += [x[a * m + b] - e * right[b] for b in range(m)]
            place = place + h
        return tuple(out)

    return fill


def _fill_whole(m, h):
    """`_fill` for a single row and all h rows of column p at once."""

    def fill(F, k, l, r, x):
        left = [F[k + c] * F[r + _packed(c, c)] for c in range(h)]
        return tuple(x[b] - _dot(left, _load(F, l + b * h, h)) for b in range(m))

    return fill


def _rows_eliminated(a0, a1, m):
    """What rows a0 ... a1-1 of block k do once their S_kl is known: X_kl, and its effect on y_k and on S_kk as far as its rows are known."""

    def end(F, dl, lam_l, lo, do, yo, x):
        d, z = _load(F, dl, m * (m + 1) // 2), _load(F, lam_l, m)
        rows = [_solved(x[a * m : a * m + m], d, m) for a in range(a1 - a0)]
        for a, row in enumerate(rows, a0):
            for b in range(m):
                F[lo + (a * m + b)] = row[b]
            F[yo + a] = F[yo + a] - _dot(row, z)
        scaled = [[row[b] * d[_packed(b, b)] for b in range(m)] for row in rows]
        for b in range(a1):
            other = rows[b - a0] if b >= a0 else _load(F, lo + b * m, m)
            for a in range(max(a0, b), a1):
                F[do + _packed(a, b)] = F[do + _packed(a, b)] - _dot(scaled[a - a0], other)

    return end


# S_kl of so many numbers is held in registers (of which there are 16 or 32); a larger one is made in groups of rows.
TOGETHER = 18


def eliminate_both(n, m, w):
    """`blocks.eliminate` for blocks of n and m rows, both written out."""
    pieces, lines = {}, []
    count = -(-n // (TOGETHER // m))
    for g in range(count):
        a0, a1 = g * n // count, (g + 1) * n // count
        # a name has one number of values, and groups differ
        x = f"x{g}"
        pieces[f"meet{g}"], pieces[f"fill{g}"], pieces[f"end{g}"] = _meet(a1 - a0, m, w), _fill(a1 - a0, m), _rows_eliminated(a0, a1, m)  # fmt: skip
        pieces[f"begin{g}"] = _zeros((a1 - a0) * m)
        lines += [
            f"{x} = begin{g}(F)",
            "s = p0",
            "while s < p1:",
            f"    {x}, s = meet{g}(F, I[s] + {a0 * w}, I[s + 1], {x}), s + 2",
            "s = u0",
            "while s < u1:",
            "    k, l, h, r, s = I[s], I[s + 1], I[s + 2], I[s + 3], s + 4",
        ]
        # a single row waits for every turn of a loop: in space the most frequent sizes are taken at once
        for h in (w, w - 1) if n == 1 and w == 6 else ():
            pieces[f"fill_{h}"] = _fill_whole(m, h)
            lines += [f"    if h == {h}:", f"        {x}, h = fill_{h}(F, k, l, r, {x}), 0"]
        lines += [
            "    for c in range(h):",
            f"        {x} = fill{g}(F, k + {a0} * h + c, l + c, h, F[r + c * (c + 1) // 2 + c], {x})",
            f"end{g}(F, dl, lam_l, lo, do, yo, {x})",
        ]
    return pieces, lines


def eliminate(m, w):
    """`blocks.eliminate` for a column block of m rows; the n rows of block k are a loop."""

    def end(F, dl, lam_l, lo, yo, x):
        row = _solved(x, _load(F, dl, m * (m + 1) // 2), m)
        for b in range(m):
            F[lo + b] = row[b]
        F[yo] = F[yo] - _dot(row, _load(F, lam_l, m))

    def couple(F, dl, one, two, o):
        pivots = [F[dl + _packed(b, b)] for b in range(m)]
        scaled = [x * p for x, p in zip(_load(F, one, m), pivots)]
        F[o] = F[o] - _dot(scaled, _load(F, two, m))

    pieces = {"begin": _zeros(m), "meet": _meet(1, m, w), "fill": _fill(1, m), "end": end}
    return pieces | {"couple": couple}, [
        "for a in range(n):",
        "    x = begin(F)",
        "    s = p0",
        "    while s < p1:",
        f"        x, s = meet(F, I[s] + a * {w}, I[s + 1], x), s + 2",
        "    s = u0",
        "    while s < u1:",
        "        k, l, h, r, s = I[s], I[s + 1], I[s + 2], I[s + 3], s + 4",
        "        for c in range(h):",
        "            x = fill(F, k + a * h + c, l + c, h, F[r + c * (c + 1) // 2 + c], x)",
        f"    end(F, dl, lam_l, lo + a * {m}, yo + a, x)",
        "    t = do + a * (a + 1) // 2",
        "    for b in range(a + 1):",
        f"        couple(F, dl, lo + a * {m}, lo + b * {m}, t + b)",
    ]


def factor(n, w):
    """`blocks.factor` for n rows."""

    def whole(F, do, floor, yo, lam):
        d = {(a, b): F[do + _packed(a, b)] for a in range(n) for b in range(a + 1)}
        y = [F[yo + a] for a in range(n)]
        for b in range(n):
            inverse = _reciprocal(d[b, b], F[floor + b])
            column = {a: d[a, b] for a in range(b + 1, n)}
            for a in range(b + 1, n):
                lower = column[a] * inverse
                for c in range(b + 1, a + 1):
                    d[a, c] = d[a, c] - lower * column[c]
                y[a] = y[a] - lower * y[b]
                d[a, b] = lower
            d[b, b] = inverse
        for (a, b), value in d.items():
            F[do + _packed(a, b)] = value
        for a in range(n):
            F[yo + a] = y[a]
            F[lam + a] = y[a] * d[a, a]

    return {"whole": whole}, ["whole(F, do, floor, yo, lam)"]


def forward_off(m, w):
    """`blocks.forward_off` for a column block of m rows."""

    def row(F, lo, yo, lam_l):
        F[yo] = F[yo] - _dot(_load(F, lo, m), _load(F, lam_l, m))

    return {"row": row}, ["for a in range(n):", f"    row(F, lo + a * {m}, yo + a, lam_l)"]


def forward(n, w):
    """`blocks.forward` for n rows."""

    def whole(F, do, yo, lam):
        d = _load(F, do, n * (n + 1) // 2)
        y = _solved(_load(F, yo, n), d, n)
        for a in range(n):
            F[yo + a] = y[a]
            F[lam + a] = y[a] * d[_packed(a, a)]

    return {"whole": whole}, ["whole(F, do, yo, lam)"]


def back(n, w):
    """`blocks.back` for n rows."""

    def begin(F, do, lam):
        d, x = _load(F, do, n * (n + 1) // 2), _load(F, lam, n)
        for a in range(n - 1, -1, -1):
            for c in range(a + 1, n):
                x[a] = x[a] - d[_packed(c, a)] * x[c]
        for a in range(n):
            F[lam + a] = x[a]
        return tuple(x)

    def step(F, o, jo, x):
        q = _load(F, o, w)
        for a in range(n):
            q = [q[c] - x[a] * F[jo + (a * w + c)] for c in range(w)]
        for c in range(w):
            F[o + c] = q[c]

    return {"begin": begin, "step": step}, [
        "x = begin(F, do, lam)",
        "for s in range(s0, s1):",
        "    step(F, acc + I[s], jo, x)",
        f"    jo = jo + {n * w}",
    ]


def back_off(m, w):
    """`blocks.back_off` for a column block of m rows."""

    def step(F, lam_k, lo, x):
        return tuple(x[b] + F[lam_k] * F[lo + b] for b in range(m))

    def end(F, dl, lam_l, x):
        for b in range(m):
            F[lam_l + b] = F[lam_l + b] - F[dl + _packed(b, b)] * x[b]

    return {"begin": _zeros(m), "step": step, "end": end}, [
        "x = begin(F)",
        "for a in range(n):",
        f"    x = step(F, lam_k + a, lo + a * {m}, x)",
        "end(F, dl, lam_l, x)",
    ]


# Pairs of block sizes (rows of k, rows of l) for which `eliminate` is written out in both; the others loop over the rows of k.
PAIRS = {
    3: tuple((n, m) for m in (2, 1, 3) for n in (2, 1, 3)),
    6: tuple((n, m) for m in (5, 3, 1, 4, 6) for n in (5, 3, 1, 4, 6)),
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
_MAKERS = {
    "form": form,
    "eliminate": eliminate,
    "factor": factor,
    "forward_off": forward_off,
    "forward": forward,
    "back": back,
    "back_off": back_off,
}


def _define(name, arguments, lines, scope):
    """Python function from its lines."""
    text = "\n    ".join([f"def {name}({arguments}):", *lines])
    scope = dict(scope)
    exec(text, scope)  # noqa: S102 - our own text, nothing of the user's
    scope[name].__text__ = text
    return scope[name]


def unrolled(name, size, w, rows=None, compiled=False):
    """One unrolled routine; `eliminate` with `rows` is written out for both sizes.  Compiled, its pieces are machine code."""
    pieces, lines = eliminate_both(rows, size, w) if rows else _MAKERS[name](size, w)
    scope = {key: Piece(f) if compiled else f for key, f in pieces.items()}
    return inlined(_define(name, _ARGUMENTS[name], lines, scope))


@cache
def _chooser(name, w):
    """Function that calls the unrolled routine for a run-time size; wrenches of w numbers, at most w rows.

    Each routine is a function of its own: written into one, the compiler shares loops between them, and they are slower by a third.
    """
    arguments, scope, lines = _ARGUMENTS[name], {}, []
    # the sizes are tested one after the other, so that the compiler makes a table of jumps
    for size in range(w, 0, -1):
        lines += [f"{'el' if lines else ''}if size == {size}:"]
        rows = [n for n, m in PAIRS[w] if m == size and name == "eliminate"]
        for n in rows:
            scope[f"{name}_{n}_{size}"] = unrolled(name, size, w, rows=n, compiled=True)
            lines += [f"    {'el' if n != rows[0] else ''}if n == {n}:", f"        {name}_{n}_{size}({arguments})"]
        scope[f"{name}_{size}"] = unrolled(name, size, w, compiled=True)
        call = f"{name}_{size}({arguments})"
        lines += ["    else:", f"        {call}"] if rows else [f"    {call}"]
    return inlined(_define(name, "size, " + arguments, lines, scope))


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


def _lowered(function):
    """How a chooser is translated: by the unrolled routines when the width is known."""
    name = function.__name__.removesuffix("_any")

    def lower(body, given):
        if isinstance(given[0], Known):
            return body.call(_chooser(name, given[0].value), given[1:])
        return body.call(function, given)

    function.__lower__ = lower


for _function in (form_any, eliminate_any, factor_any, forward_off_any, forward_any, back_any, back_off_any):
    _lowered(_function)
