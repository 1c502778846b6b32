"""Range-space solve S lam = J a0 - gamma, S = J M^-1 J^T, as a block L D L^T with everything about the pattern fixed beforehand.

A block is one joint: n rows, a few bodies.  Stored wrenches are scaled, so S_kl is the plain product of the wrenches on the
bodies that blocks k and l share.  Blocks are taken in elimination order; for block k

    S_kk = sum J_k J_k^T,  y_k = J_k a0 - gamma_k                                   form
    for every earlier l:  X_kl = (S_kl - sum_p X_kp D_p^-1 X_lp^T) L_ll^-T            (X = L D is what is kept)
                          S_kk -= X_kl D_l^-1 X_kl^T,  y_k -= X_kl lam_l              eliminate
    S_kk = L_kk D_k L_kk^T,  y_k = L_kk^-1 y_k,  lam_k = D_k^-1 y_k                    factor
    again with another y:  y_k -= X_kl lam_l,  y_k = L_kk^-1 y_k,  lam_k = D_k^-1 y_k    forward_off, forward
    backwards:  lam_k = L_kk^-T lam_k,  a -= J_k^T lam_k,  lam_l -= D_l^-1 X_kl^T lam_k   back, back_off

No square roots: the reciprocal pivot is on the critical path of a chain, and 1/x has a third of the latency of 1/sqrt(x).
A pivot at or below its floor is a dependent row (or one that was left out): its reciprocal is taken as zero, which gives it zero
multiplier and leaves the others as if it were not there.

All arguments but the sizes n, m, w (w numbers in a wrench) are places in I or F.  The functions here are the readable versions
with run-time sizes; they run uncompiled, serve the rarely used solves and check the unrolled versions of `unroll.py`, which are the
same arithmetic in local variables.
"""

from __future__ import annotations

from .scalar import reciprocal


def form(n, w, I, F, s0, s1, acc, jo, do, yo, bias, drive):
    """Diagonal block S_kk (packed lower, by rows) at `do` and right-hand side y_k = J_k a0 - gamma_k at `yo`; bodies I[s0:s1].

    gamma = c'' - bias, the second rate of the driver (the third number of its record) less that of the row at zero acceleration.
    """
    for a in range(n):
        F[yo + a] = F[bias + a] - F[drive + 3 * a + 2]
    for i in range(n * (n + 1) // 2):
        F[do + i] = 0.0
    for s in range(s0, s1):
        o = acc + I[s]
        for a in range(n):
            for c in range(w):
                F[yo + a] += F[jo + a * w + c] * F[o + c]
            for b in range(a + 1):
                for c in range(w):
                    F[do + a * (a + 1) // 2 + b] += F[jo + a * w + c] * F[jo + b * w + c]
        jo += n * w


def eliminate(n, m, w, I, F, p0, p1, u0, u1, lo, do, dl, yo, lam_l):
    """Off-diagonal block (k, l) with n and m rows: X_kl at `lo`, and its effect on S_kk and y_k."""
    for a in range(n):
        for b in range(m):
            x = 0.0 * F[yo]
            # S_kl from the bodies that both blocks touch
            for p in range(p0, p1, 2):
                for c in range(w):
                    x += F[I[p] + a * w + c] * F[I[p + 1] + b * w + c]
            # fill from earlier columns
            for u in range(u0, u1, 4):
                h, dp = I[u + 2], I[u + 3]
                for c in range(h):
                    x -= F[I[u] + a * h + c] * F[dp + c * (c + 1) // 2 + c] * F[I[u + 1] + b * h + c]
            # L_ll^-T
            for c in range(b):
                x -= F[lo + a * m + c] * F[dl + b * (b + 1) // 2 + c]
            F[lo + a * m + b] = x
        for c in range(m):
            F[yo + a] -= F[lo + a * m + c] * F[lam_l + c]
        for b in range(a + 1):
            for c in range(m):
                F[do + a * (a + 1) // 2 + b] -= F[lo + a * m + c] * F[dl + c * (c + 1) // 2 + c] * F[lo + b * m + c]


def factor(n, F, do, floor, yo, lam):
    """L D L^T of the diagonal block in place; the diagonal keeps 1/d, zero for a row that is left out."""
    for b in range(n):
        d = F[do + b * (b + 1) // 2 + b]
        inverse = reciprocal(d, F[floor + b])
        for a in range(b + 1, n):
            u = F[do + a * (a + 1) // 2 + b]
            for c in range(b + 1, a + 1):
                # column b of row c < a holds l = u/d already
                uc = u if c == a else F[do + c * (c + 1) // 2 + b] * d
                F[do + a * (a + 1) // 2 + c] -= u * inverse * uc
            F[do + a * (a + 1) // 2 + b] = u * inverse
            F[yo + a] -= u * inverse * F[yo + b]
        F[do + b * (b + 1) // 2 + b] = inverse
        F[lam + b] = F[yo + b] * inverse


def forward_off(n, m, F, lo, yo, lam_l):
    """Effect of block l on the right-hand side of block k, with the factor at hand: y_k -= X_kl lam_l."""
    for a in range(n):
        for b in range(m):
            F[yo + a] -= F[lo + a * m + b] * F[lam_l + b]


def forward(n, F, do, yo, lam):
    """Forward solution of block k with the factor at hand: y_k = L_kk^-1 y_k, lam_k = D_k^-1 y_k."""
    for a in range(n):
        for b in range(a):
            F[yo + a] -= F[do + a * (a + 1) // 2 + b] * F[yo + b]
        F[lam + a] = F[yo + a] * F[do + a * (a + 1) // 2 + a]


def back(n, w, I, F, s0, s1, acc, jo, do, lam):
    """Multipliers of block k, and the reaction -J^T lam added to the scaled accelerations of its bodies."""
    for a in range(n - 1, -1, -1):
        for c in range(a + 1, n):
            F[lam + a] -= F[do + c * (c + 1) // 2 + a] * F[lam + c]
    for s in range(s0, s1):
        o = acc + I[s]
        for a in range(n):
            for c in range(w):
                F[o + c] -= F[jo + a * w + c] * F[lam + a]
        jo += n * w


def back_off(n, m, F, lo, dl, lam_k, lam_l):
    """Effect of block k on the multipliers of block l: lam_l -= D_l^-1 X_kl^T lam_k."""
    for b in range(m):
        for a in range(n):
            F[lam_l + b] -= F[dl + b * (b + 1) // 2 + b] * F[lo + a * m + b] * F[lam_k + a]
