"""Sparse L D L^T of a symmetric matrix with a fixed pattern (`system/newton_pattern.py`), real and complex (symmetric, not Hermitian).

Row by row: u_ij = a_ij - sum_k u_ik l_jk, l_ij = u_ij / d_j, d_i = a_ii - sum_j u_ij l_ij, as in `saddle.py`; the pattern `g` has ptr, col, at,
first, below.  Diagonal entries become reciprocal pivots; a pivot of zero (what does not move, a row left out) becomes zero.
"""

from __future__ import annotations

from .compiler import kernel


@kernel
def factor_sparse(g, value, d, x):
    """Replace entries and diagonal by the factor; x is scratch, zero."""
    for i in range(d.shape[0]):
        begin, end = g.ptr[i], g.ptr[i + 1]
        for e in range(begin, end):
            x[g.col[e]] = value[g.at[e]]
        pivot = d[i]
        for e in range(begin, end):
            j, last = g.col[e], g.at[e]
            u = x[j]
            x[j] = 0.0
            if u != 0.0:
                for p in range(g.first[j], last):
                    x[g.below[p]] -= value[p] * u
            low = u * d[j]
            value[last] = low
            pivot -= u * low
        d[i] = 1.0 / pivot if pivot != 0.0 else 0.0


@kernel
def solve_sparse(g, value, d, x):
    """Solve in place; x in the order of elimination."""
    n = d.shape[0]
    for i in range(n):
        total = x[i]
        if total != 0.0:
            for p in range(g.first[i], g.first[i + 1]):
                x[g.below[p]] -= value[p] * total
    for i in range(n - 1, -1, -1):
        total = x[i] * d[i]
        for p in range(g.first[i], g.first[i + 1]):
            total -= value[p] * x[g.below[p]]
        x[i] = total


@kernel
def factor_sparse_pair(g, re, im, d, c, x, y):
    """The same of re + i im with the diagonal d + i c."""
    for i in range(d.shape[0]):
        begin, end = g.ptr[i], g.ptr[i + 1]
        for e in range(begin, end):
            x[g.col[e]], y[g.col[e]] = re[g.at[e]], im[g.at[e]]
        pivot, other = d[i], c[i]
        for e in range(begin, end):
            j, last = g.col[e], g.at[e]
            u, v = x[j], y[j]
            x[j], y[j] = 0.0, 0.0
            if u != 0.0 or v != 0.0:
                for p in range(g.first[j], last):
                    k = g.below[p]
                    x[k] -= re[p] * u - im[p] * v
                    y[k] -= re[p] * v + im[p] * u
            a, b = u * d[j] - v * c[j], u * c[j] + v * d[j]
            re[last], im[last] = a, b
            pivot -= u * a - v * b
            other -= u * b + v * a
        size = pivot * pivot + other * other
        d[i], c[i] = pivot / size if size != 0.0 else 0.0, -other / size if size != 0.0 else 0.0


@kernel
def solve_sparse_pair(g, re, im, d, c, x, y):
    """The same for x + i y."""
    n = d.shape[0]
    for i in range(n):
        a, b = x[i], y[i]
        if a != 0.0 or b != 0.0:
            for p in range(g.first[i], g.first[i + 1]):
                k = g.below[p]
                x[k] -= re[p] * a - im[p] * b
                y[k] -= re[p] * b + im[p] * a
    for i in range(n - 1, -1, -1):
        a, b = x[i] * d[i] - y[i] * c[i], x[i] * c[i] + y[i] * d[i]
        for p in range(g.first[i], g.first[i + 1]):
            k = g.below[p]
            a -= re[p] * x[k] - im[p] * y[k]
            b -= re[p] * y[k] + im[p] * x[k]
        x[i], y[i] = a, b
