"""Range-space solve S lam = J a0 - gamma, S = J M^-1 J^T, as a block L D L^T with everything about the pattern fixed beforehand.

A block is one joint: n rows, a few bodies.  `jac` holds scaled wrenches, so S_kl is the plain product of the wrenches on the
bodies that blocks k and l share.  Blocks are taken in elimination order; for block k

    S_kk = sum J_k J_k^T,  y_k = J_k a0 - gamma_k                                   form
    for every earlier l:  X_kl = (S_kl - sum_p X_kp L_lp^T) L_ll^-T,  L_kl = X_kl D_l^-1,
                          S_kk -= L_kl X_kl^T,  y_k -= L_kl y_l                      eliminate
    S_kk = L_kk D_k L_kk^T,  y_k = L_kk^-1 y_k,  lam_k = D_k^-1 y_k                    factor
    backwards:  lam_k = L_kk^-T lam_k,  a -= J_k^T lam_k,  lam_l -= L_kl^T lam_k      back, back_off

No square roots: the reciprocal pivot is on the critical path of a chain, and 1/x has a third of the latency of 1/sqrt(x).
A pivot at or below its floor is a dependent row (or one that was left out): its reciprocal is taken as zero, which gives it zero
multiplier and leaves the others as if it were not there.

The functions here are the readable versions with run-time sizes; they run uncompiled and serve tests.  When the sizes are
literal numbers, numba takes the unrolled versions of `unroll.py`, which are the same arithmetic in local variables.
"""

from __future__ import annotations


def form(n, w, s0, s1, slot_acc, acc, jac, jo, diag, do, y, yo):
    """Diagonal block S_kk (packed lower, by rows) and right-hand side y_k += J_k a0; w numbers per wrench."""
    for i in range(n * (n + 1) // 2):
        diag[do + i] = 0.0
    for s in range(s0, s1):
        o = slot_acc[s]
        for a in range(n):
            for c in range(w):
                y[yo + a] += jac[jo + a * w + c] * acc[o + c]
            for b in range(a + 1):
                for c in range(w):
                    diag[do + a * (a + 1) // 2 + b] += jac[jo + a * w + c] * jac[jo + b * w + c]
        jo += n * w


def eliminate(n, m, w, p0, p1, pair_k, pair_l, u0, u1, upd_x, upd_l, upd_n, jac, lower, cross, lo, xo, diag, do, dl, y, yo, yl):
    """Off-diagonal block (k, l) with n and m rows: X_kl and L_kl, and their effect on S_kk and y_k."""
    for a in range(n):
        for b in range(m):
            x = 0.0 * y[yo]
            # S_kl from the bodies that both blocks touch
            for p in range(p0, p1):
                for c in range(w):
                    x += jac[pair_k[p] + a * w + c] * jac[pair_l[p] + b * w + c]
            # fill from earlier columns
            for u in range(u0, u1):
                for c in range(upd_n[u]):
                    x -= cross[upd_x[u] + a * upd_n[u] + c] * lower[upd_l[u] + b * upd_n[u] + c]
            # L_ll^-T
            for c in range(b):
                x -= cross[xo + a * m + c] * diag[dl + b * (b + 1) // 2 + c]
            cross[xo + a * m + b] = x
            lower[lo + a * m + b] = x * diag[dl + b * (b + 1) // 2 + b]
        for c in range(m):
            y[yo + a] -= lower[lo + a * m + c] * y[yl + c]
        for b in range(a + 1):
            for c in range(m):
                diag[do + a * (a + 1) // 2 + b] -= lower[lo + a * m + c] * cross[xo + b * m + c]


def factor(n, diag, do, floor, y, yo, lam):
    """L D L^T of the diagonal block in place; the diagonal keeps 1/d, zero for a row that is left out."""
    for b in range(n):
        d = diag[do + b * (b + 1) // 2 + b]
        inverse = 1.0 / d if d.real > floor[yo + b] else 0.0 * d
        for a in range(b + 1, n):
            u = diag[do + a * (a + 1) // 2 + b]
            for c in range(b + 1, a + 1):
                # u of row c has been scaled already for c < a: column b of row c holds l = u/d
                uc = u if c == a else diag[do + c * (c + 1) // 2 + b] * d
                diag[do + a * (a + 1) // 2 + c] -= u * inverse * uc
            diag[do + a * (a + 1) // 2 + b] = u * inverse
            y[yo + a] -= u * inverse * y[yo + b]
        diag[do + b * (b + 1) // 2 + b] = inverse
        lam[yo + b] = y[yo + b] * inverse


def back(n, w, s0, s1, slot_acc, acc, jac, jo, diag, do, lam, yo):
    """Multipliers of block k, and the reaction -J^T lam added to the scaled accelerations of its bodies."""
    for a in range(n - 1, -1, -1):
        for c in range(a + 1, n):
            lam[yo + a] -= diag[do + c * (c + 1) // 2 + a] * lam[yo + c]
    for s in range(s0, s1):
        o = slot_acc[s]
        for a in range(n):
            for c in range(w):
                acc[o + c] -= jac[jo + a * w + c] * lam[yo + a]
        jo += n * w


def back_off(n, m, lower, lo, lam, yo, yl):
    """Effect of block k on the multipliers of block l: lam_l -= L_kl^T lam_k."""
    for b in range(m):
        for a in range(n):
            lam[yl + b] -= lower[lo + a * m + b] * lam[yo + a]
