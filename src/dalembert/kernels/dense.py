"""Dense linear equations by L U with row exchanges, real and complex; complex numbers are pairs of arrays (kernels have no complex type).

Matrices are flat, row after row.  A pivot that vanishes is left: the solution is then not finite, which the caller sees.
"""

from __future__ import annotations

from .compiler import kernel


@kernel
def factor_real(a, n, pivot):
    """Replace the matrix a (n, n) by its factors; `pivot` gets the row that was exchanged with each."""
    for k in range(n):
        p, largest = k, abs(a[k * n + k])
        for i in range(k + 1, n):
            size = abs(a[i * n + k])
            if size > largest:
                p, largest = i, size
        pivot[k] = p
        if p != k:
            for j in range(n):
                a[k * n + j], a[p * n + j] = a[p * n + j], a[k * n + j]
        inverse = 1.0 / a[k * n + k]
        a[k * n + k] = inverse
        for i in range(k + 1, n):
            f = a[i * n + k] * inverse
            if f != 0.0:
                a[i * n + k] = f
                o, u = i * n, k * n
                for j in range(k + 1, n):
                    a[o + j] -= f * a[u + j]


@kernel
def solve_real(a, n, pivot, b, width):
    """Solve a x = b for the `width` columns of b (n, width) with the factors of `factor_real`, in place."""
    for k in range(n):
        p = pivot[k]
        if p != k:
            for c in range(width):
                b[k * width + c], b[p * width + c] = b[p * width + c], b[k * width + c]
    for i in range(n):
        for k in range(i):
            f, o, u = a[i * n + k], i * width, k * width
            if f != 0.0:
                for c in range(width):
                    b[o + c] -= f * b[u + c]
    for i in range(n - 1, -1, -1):
        o = i * width
        for k in range(i + 1, n):
            f, u = a[i * n + k], k * width
            if f != 0.0:
                for c in range(width):
                    b[o + c] -= f * b[u + c]
        inverse = a[i * n + i]
        for c in range(width):
            b[o + c] *= inverse


@kernel
def factor_complex(re, im, n, pivot):
    """Replace the matrix re + i im (n, n) by its factors."""
    for k in range(n):
        p, largest = k, abs(re[k * n + k]) + abs(im[k * n + k])
        for i in range(k + 1, n):
            size = abs(re[i * n + k]) + abs(im[i * n + k])
            if size > largest:
                p, largest = i, size
        pivot[k] = p
        if p != k:
            for j in range(n):
                re[k * n + j], re[p * n + j] = re[p * n + j], re[k * n + j]
                im[k * n + j], im[p * n + j] = im[p * n + j], im[k * n + j]
        a, b = re[k * n + k], im[k * n + k]
        size = 1.0 / (a * a + b * b)
        a, b = a * size, -b * size
        re[k * n + k], im[k * n + k] = a, b
        for i in range(k + 1, n):
            x, y = re[i * n + k], im[i * n + k]
            if x != 0.0 or y != 0.0:
                f, g = x * a - y * b, x * b + y * a
                re[i * n + k], im[i * n + k] = f, g
                o, u = i * n, k * n
                for j in range(k + 1, n):
                    re[o + j] -= f * re[u + j] - g * im[u + j]
                    im[o + j] -= f * im[u + j] + g * re[u + j]


@kernel
def solve_complex(re, im, n, pivot, x, y):
    """Solve for one right-hand side x + i y (n) with the factors of `factor_complex`, in place."""
    for k in range(n):
        p = pivot[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
            y[k], y[p] = y[p], y[k]
    for i in range(n):
        a, b, o = x[i], y[i], i * n
        for k in range(i):
            f, g = re[o + k], im[o + k]
            a -= f * x[k] - g * y[k]
            b -= f * y[k] + g * x[k]
        x[i], y[i] = a, b
    for i in range(n - 1, -1, -1):
        a, b, o = x[i], y[i], i * n
        for k in range(i + 1, n):
            f, g = re[o + k], im[o + k]
            a -= f * x[k] - g * y[k]
            b -= f * y[k] + g * x[k]
        f, g = re[o + i], im[o + i]
        x[i], y[i] = a * f - b * g, a * g + b * f


@kernel
def null_space(a, m, n, basic, skip, out):
    """Basis of the vectors that the m rows of a (m, n) do not move, into out (n, n - rank); returns how many.

    Gauss with the largest entry of each row as pivot; a is changed, `basic` gets the pivot of each row, or -1 for a row that depends on
    those before it.  Columns marked by `skip` stay zero; pivots are marked there too.
    """
    free = 0
    for j in range(n):
        free += 1 - skip[j]
    for r in range(m):
        u = r * n
        for i in range(r):
            f = a[u + basic[i]] if basic[i] >= 0 else 0.0
            if f != 0.0:
                o = i * n
                for j in range(n):
                    a[u + j] -= f * a[o + j]
                a[u + basic[i]] = 0.0
        largest, column = 0.0, -1
        for j in range(n):
            size = abs(a[u + j])
            if size > largest:
                largest, column = size, j
        basic[r] = -1
        if largest > 1e-13:
            basic[r], skip[column] = column, 1
            free -= 1
            inverse = 1.0 / a[u + column]
            for j in range(n):
                a[u + j] *= inverse
    for k in range(n * free):
        out[k] = 0.0
    k = 0
    for j in range(n):
        if not skip[j]:
            out[j * free + k] = 1.0
            k += 1
    # bound columns follow from the free ones and those of later rows
    for r in range(m - 1, -1, -1):
        if basic[r] >= 0:
            o = basic[r] * free
            for j in range(n):
                f = a[r * n + j]
                if f != 0.0 and j != basic[r]:
                    for k in range(free):
                        out[o + k] -= f * out[j * free + k]
    return free
