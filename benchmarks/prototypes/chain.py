"""Yardstick for speed, not for style: one evaluation (accelerations and all multipliers) of a spatial chain of
revolutes with alternating axes, exact constraints, range-space block elimination fused with assembly.
Unrolled by hand for this one joint and topology; the general code should come within 1.5x of it in the same run.
The kernels stay as they were when the requirement was set.  Run: python -m benchmarks.prototypes.chain."""

import math
import time
from collections.abc import Callable

import numpy as np
from numba import njit

FM = {"contract", "arcp", "nsz", "reassoc"}
J = {"cache": True, "fastmath": FM, "error_model": "numpy"}


@njit(inline="always", fastmath=FM)
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@njit(inline="always", fastmath=FM)
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(inline="always", fastmath=FM)
def sym(I, x):
    return (
        I[0] * x[0] + I[1] * x[1] + I[2] * x[2],
        I[1] * x[0] + I[3] * x[1] + I[4] * x[2],
        I[2] * x[0] + I[4] * x[1] + I[5] * x[2],
    )


@njit(inline="always", fastmath=FM)
def rv(A, x):
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
        A[6] * x[0] + A[7] * x[1] + A[8] * x[2],
    )


@njit(inline="always", fastmath=FM)
def v3(a, i):
    return (a[i], a[i + 1], a[i + 2])


# body record: 0-8 A, 9-14 Ig, 15-17 w, 18-20 alpha0, 21 minv, 22-24 lin acc, 25-27 ang acc
@njit(**J)
def bodies(nb, q, v, par, g, B):
    for b in range(nb):
        e0, e1, e2, e3 = q[b, 3], q[b, 4], q[b, 5], q[b, 6]
        a00 = 1 - 2 * (e2 * e2 + e3 * e3)
        a01 = 2 * (e1 * e2 - e0 * e3)
        a02 = 2 * (e1 * e3 + e0 * e2)
        a10 = 2 * (e1 * e2 + e0 * e3)
        a11 = 1 - 2 * (e1 * e1 + e3 * e3)
        a12 = 2 * (e2 * e3 - e0 * e1)
        a20 = 2 * (e1 * e3 - e0 * e2)
        a21 = 2 * (e2 * e3 + e0 * e1)
        a22 = 1 - 2 * (e1 * e1 + e2 * e2)
        R = B[b]
        R[0] = a00
        R[1] = a01
        R[2] = a02
        R[3] = a10
        R[4] = a11
        R[5] = a12
        R[6] = a20
        R[7] = a21
        R[8] = a22
        i0, i1, i2 = par[b, 4], par[b, 5], par[b, 6]
        c00 = a00 * i0
        c01 = a01 * i1
        c02 = a02 * i2
        c10 = a10 * i0
        c11 = a11 * i1
        c12 = a12 * i2
        R[9] = c00 * a00 + c01 * a01 + c02 * a02
        R[10] = c00 * a10 + c01 * a11 + c02 * a12
        R[11] = c00 * a20 + c01 * a21 + c02 * a22
        R[12] = c10 * a10 + c11 * a11 + c12 * a12
        R[13] = c10 * a20 + c11 * a21 + c12 * a22
        R[14] = a20 * i0 * a20 + a21 * i1 * a21 + a22 * i2 * a22
        w0, w1, w2 = v[b, 3], v[b, 4], v[b, 5]
        R[15] = a00 * w0 + a01 * w1 + a02 * w2
        R[16] = a10 * w0 + a11 * w1 + a12 * w2
        R[17] = a20 * w0 + a21 * w1 + a22 * w2
        h0 = par[b, 1] * w0
        h1 = par[b, 2] * w1
        h2 = par[b, 3] * w2
        n0 = -(w1 * h2 - w2 * h1) * i0
        n1 = -(w2 * h0 - w0 * h2) * i1
        n2 = -(w0 * h1 - w1 * h0) * i2
        R[25] = a00 * n0 + a01 * n1 + a02 * n2
        R[26] = a10 * n0 + a11 * n1 + a12 * n2
        R[27] = a20 * n0 + a21 * n1 + a22 * n2
        R[21] = par[b, 0]
        R[22] = g[0]
        R[23] = g[1]
        R[24] = g[2]


@njit(inline="always", fastmath=FM)
def icols(I, u):
    # columns of  Ig [u]x : Ig*(u x e_k)... [u]x e0=(0,u2,-u1) e1=(-u2,0,u0) e2=(u1,-u0,0)
    return (sym(I, (0.0, u[2], -u[1])), sym(I, (-u[2], 0.0, u[0])), sym(I, (u[1], -u[0], 0.0)))


@njit(**J)
def solve(nj, ji, jj, jp, B, G, Jd, D, L, y, lam):
    # Jd: per joint ui(3) uj(3) n1(3) n2(3)
    for k in range(nj):
        i = ji[k]
        j = jj[k]
        Bi = B[i]
        Bj = B[j]
        p = jp[k]
        Ai = (Bi[0], Bi[1], Bi[2], Bi[3], Bi[4], Bi[5], Bi[6], Bi[7], Bi[8])
        Aj = (Bj[0], Bj[1], Bj[2], Bj[3], Bj[4], Bj[5], Bj[6], Bj[7], Bj[8])
        Ii = (Bi[9], Bi[10], Bi[11], Bi[12], Bi[13], Bi[14])
        Ij = (Bj[9], Bj[10], Bj[11], Bj[12], Bj[13], Bj[14])
        wi = v3(Bi, 15)
        wj = v3(Bj, 15)
        ui = rv(Ai, v3(p, 0))
        uj = rv(Aj, v3(p, 3))
        a1 = rv(Ai, v3(p, 6))
        a2 = rv(Ai, v3(p, 9))
        c = rv(Aj, v3(p, 12))
        n1 = cross(a1, c)
        n2 = cross(a2, c)
        z = Jd[k]
        z[0] = ui[0]
        z[1] = ui[1]
        z[2] = ui[2]
        z[3] = uj[0]
        z[4] = uj[1]
        z[5] = uj[2]
        z[6] = n1[0]
        z[7] = n1[1]
        z[8] = n1[2]
        z[9] = n2[0]
        z[10] = n2[1]
        z[11] = n2[2]
        m = Bi[21] + Bj[21]
        Ci = icols(Ii, ui)
        Cj = icols(Ij, uj)
        # tt = m I - [ui]x Ii [ui]x - [uj]x Ij [uj]x ; column k of [u]x X = u x X_k
        x0 = cross(ui, Ci[0])
        x1 = cross(ui, Ci[1])
        x2 = cross(ui, Ci[2])
        t0 = cross(uj, Cj[0])
        t1 = cross(uj, Cj[1])
        t2 = cross(uj, Cj[2])
        d00 = m - x0[0] - t0[0]
        d10 = -x0[1] - t0[1]
        d20 = -x0[2] - t0[2]
        d11 = m - x1[1] - t1[1]
        d21 = -x1[2] - t1[2]
        d22 = m - x2[2] - t2[2]
        hi1 = sym(Ii, n1)
        hj1 = sym(Ij, n1)
        hi2 = sym(Ii, n2)
        hj2 = sym(Ij, n2)
        s1 = cross(ui, hi1)
        r1 = cross(uj, hj1)
        s2 = cross(ui, hi2)
        r2 = cross(uj, hj2)
        d30 = -s1[0] - r1[0]
        d31 = -s1[1] - r1[1]
        d32 = -s1[2] - r1[2]
        d40 = -s2[0] - r2[0]
        d41 = -s2[1] - r2[1]
        d42 = -s2[2] - r2[2]
        d33 = dot(n1, hi1) + dot(n1, hj1)
        d43 = dot(n2, hi1) + dot(n2, hj1)
        d44 = dot(n2, hi2) + dot(n2, hj2)
        # rhs = J a0 - gamma
        ali = v3(Bi, 25)
        alj = v3(Bj, 25)
        wui = cross(wi, ui)
        wuj = cross(wj, uj)
        gi = cross(wi, wui)
        gj = cross(wj, wuj)
        ei = cross(ali, ui)
        ej = cross(alj, uj)
        y0 = Bi[22] - Bj[22] + ei[0] - ej[0] + gi[0] - gj[0]
        y1 = Bi[23] - Bj[23] + ei[1] - ej[1] + gi[1] - gj[1]
        y2 = Bi[24] - Bj[24] + ei[2] - ej[2] + gi[2] - gj[2]
        da = (ali[0] - alj[0], ali[1] - alj[1], ali[2] - alj[2])
        wc = cross(wj, c)
        wwc = cross(wj, wc)
        wa = cross(wi, a1)
        y3 = dot(da, n1) + dot(cross(wi, wa), c) + dot(a1, wwc) + 2 * dot(wa, wc)
        wa = cross(wi, a2)
        y4 = dot(da, n2) + dot(cross(wi, wa), c) + dot(a2, wwc) + 2 * dot(wa, wc)
        kp = G[k]
        if kp >= 0:
            zp = Jd[kp]
            up = v3(zp, 3)
            m1 = v3(zp, 6)
            m2 = v3(zp, 9)
            mi = Bi[21]
            yp = y[kp]
            Cp = icols(Ii, up)
            b0 = cross(ui, Cp[0])
            b1 = cross(ui, Cp[1])
            b2 = cross(ui, Cp[2])
            l00 = b0[0] - mi
            l01 = b1[0]
            l02 = b2[0]
            l10 = b0[1]
            l11 = b1[1] - mi
            l12 = b2[1]
            l20 = b0[2]
            l21 = b1[2]
            l22 = b2[2] - mi
            k1 = sym(Ii, m1)
            k2 = sym(Ii, m2)
            f1 = cross(ui, k1)
            f2 = cross(ui, k2)
            l03 = f1[0]
            l13 = f1[1]
            l23 = f1[2]
            l04 = f2[0]
            l14 = f2[1]
            l24 = f2[2]
            g1 = cross(up, hi1)
            g2 = cross(up, hi2)
            l30 = g1[0]
            l31 = g1[1]
            l32 = g1[2]
            l40 = g2[0]
            l41 = g2[1]
            l42 = g2[2]
            l33 = -dot(hi1, m1)
            l34 = -dot(hi1, m2)
            l43 = -dot(hi2, m1)
            l44 = -dot(hi2, m2)
            Q = D[
                kp
            ]  # inv diag stored: 0:i00 1:10 2:i11 3:20 4:21 5:i22 6:30 7:31 8:32 9:i33 10:40 11:41 12:42 13:43 14:i44
            q0 = Q[0]
            q10 = Q[1]
            q1 = Q[2]
            q20 = Q[3]
            q21 = Q[4]
            q2 = Q[5]
            q30 = Q[6]
            q31 = Q[7]
            q32 = Q[8]
            q3 = Q[9]
            q40 = Q[10]
            q41 = Q[11]
            q42 = Q[12]
            q43 = Q[13]
            q4 = Q[14]
            l00 *= q0
            l10 *= q0
            l20 *= q0
            l30 *= q0
            l40 *= q0
            l01 = (l01 - l00 * q10) * q1
            l11 = (l11 - l10 * q10) * q1
            l21 = (l21 - l20 * q10) * q1
            l31 = (l31 - l30 * q10) * q1
            l41 = (l41 - l40 * q10) * q1
            l02 = (l02 - l00 * q20 - l01 * q21) * q2
            l12 = (l12 - l10 * q20 - l11 * q21) * q2
            l22 = (l22 - l20 * q20 - l21 * q21) * q2
            l32 = (l32 - l30 * q20 - l31 * q21) * q2
            l42 = (l42 - l40 * q20 - l41 * q21) * q2
            l03 = (l03 - l00 * q30 - l01 * q31 - l02 * q32) * q3
            l13 = (l13 - l10 * q30 - l11 * q31 - l12 * q32) * q3
            l23 = (l23 - l20 * q30 - l21 * q31 - l22 * q32) * q3
            l33 = (l33 - l30 * q30 - l31 * q31 - l32 * q32) * q3
            l43 = (l43 - l40 * q30 - l41 * q31 - l42 * q32) * q3
            l04 = (l04 - l00 * q40 - l01 * q41 - l02 * q42 - l03 * q43) * q4
            l14 = (l14 - l10 * q40 - l11 * q41 - l12 * q42 - l13 * q43) * q4
            l24 = (l24 - l20 * q40 - l21 * q41 - l22 * q42 - l23 * q43) * q4
            l34 = (l34 - l30 * q40 - l31 * q41 - l32 * q42 - l33 * q43) * q4
            l44 = (l44 - l40 * q40 - l41 * q41 - l42 * q42 - l43 * q43) * q4
            d00 -= l00 * l00 + l01 * l01 + l02 * l02 + l03 * l03 + l04 * l04
            d10 -= l10 * l00 + l11 * l01 + l12 * l02 + l13 * l03 + l14 * l04
            d20 -= l20 * l00 + l21 * l01 + l22 * l02 + l23 * l03 + l24 * l04
            d30 -= l30 * l00 + l31 * l01 + l32 * l02 + l33 * l03 + l34 * l04
            d40 -= l40 * l00 + l41 * l01 + l42 * l02 + l43 * l03 + l44 * l04
            d11 -= l10 * l10 + l11 * l11 + l12 * l12 + l13 * l13 + l14 * l14
            d21 -= l20 * l10 + l21 * l11 + l22 * l12 + l23 * l13 + l24 * l14
            d31 -= l30 * l10 + l31 * l11 + l32 * l12 + l33 * l13 + l34 * l14
            d41 -= l40 * l10 + l41 * l11 + l42 * l12 + l43 * l13 + l44 * l14
            d22 -= l20 * l20 + l21 * l21 + l22 * l22 + l23 * l23 + l24 * l24
            d32 -= l30 * l20 + l31 * l21 + l32 * l22 + l33 * l23 + l34 * l24
            d42 -= l40 * l20 + l41 * l21 + l42 * l22 + l43 * l23 + l44 * l24
            d33 -= l30 * l30 + l31 * l31 + l32 * l32 + l33 * l33 + l34 * l34
            d43 -= l40 * l30 + l41 * l31 + l42 * l32 + l43 * l33 + l44 * l34
            d44 -= l40 * l40 + l41 * l41 + l42 * l42 + l43 * l43 + l44 * l44
            p0 = yp[0]
            p1 = yp[1]
            p2 = yp[2]
            p3 = yp[3]
            p4 = yp[4]
            y0 -= l00 * p0 + l01 * p1 + l02 * p2 + l03 * p3 + l04 * p4
            y1 -= l10 * p0 + l11 * p1 + l12 * p2 + l13 * p3 + l14 * p4
            y2 -= l20 * p0 + l21 * p1 + l22 * p2 + l23 * p3 + l24 * p4
            y3 -= l30 * p0 + l31 * p1 + l32 * p2 + l33 * p3 + l34 * p4
            y4 -= l40 * p0 + l41 * p1 + l42 * p2 + l43 * p3 + l44 * p4
            X = L[k]
            X[0] = l00
            X[1] = l01
            X[2] = l02
            X[3] = l03
            X[4] = l04
            X[5] = l10
            X[6] = l11
            X[7] = l12
            X[8] = l13
            X[9] = l14
            X[10] = l20
            X[11] = l21
            X[12] = l22
            X[13] = l23
            X[14] = l24
            X[15] = l30
            X[16] = l31
            X[17] = l32
            X[18] = l33
            X[19] = l34
            X[20] = l40
            X[21] = l41
            X[22] = l42
            X[23] = l43
            X[24] = l44
        i00 = 1 / math.sqrt(d00)
        d10 *= i00
        d20 *= i00
        d30 *= i00
        d40 *= i00
        i11 = 1 / math.sqrt(d11 - d10 * d10)
        d21 = (d21 - d20 * d10) * i11
        d31 = (d31 - d30 * d10) * i11
        d41 = (d41 - d40 * d10) * i11
        i22 = 1 / math.sqrt(d22 - d20 * d20 - d21 * d21)
        d32 = (d32 - d30 * d20 - d31 * d21) * i22
        d42 = (d42 - d40 * d20 - d41 * d21) * i22
        i33 = 1 / math.sqrt(d33 - d30 * d30 - d31 * d31 - d32 * d32)
        d43 = (d43 - d40 * d30 - d41 * d31 - d42 * d32) * i33
        i44 = 1 / math.sqrt(d44 - d40 * d40 - d41 * d41 - d42 * d42 - d43 * d43)
        Q = D[k]
        Q[0] = i00
        Q[1] = d10
        Q[2] = i11
        Q[3] = d20
        Q[4] = d21
        Q[5] = i22
        Q[6] = d30
        Q[7] = d31
        Q[8] = d32
        Q[9] = i33
        Q[10] = d40
        Q[11] = d41
        Q[12] = d42
        Q[13] = d43
        Q[14] = i44
        Y = y[k]
        y0 *= i00
        y1 = (y1 - d10 * y0) * i11
        y2 = (y2 - d20 * y0 - d21 * y1) * i22
        y3 = (y3 - d30 * y0 - d31 * y1 - d32 * y2) * i33
        y4 = (y4 - d40 * y0 - d41 * y1 - d42 * y2 - d43 * y3) * i44
        Y[0] = y0
        Y[1] = y1
        Y[2] = y2
        Y[3] = y3
        Y[4] = y4
    for k in range(nj - 1, -1, -1):
        Q = D[k]
        Y = y[k]
        y0 = Y[0]
        y1 = Y[1]
        y2 = Y[2]
        y3 = Y[3]
        y4 = Y[4]
        x4 = y4 * Q[14]
        x3 = (y3 - Q[13] * x4) * Q[9]
        x2 = (y2 - Q[8] * x3 - Q[12] * x4) * Q[5]
        x1 = (y1 - Q[4] * x2 - Q[7] * x3 - Q[11] * x4) * Q[2]
        x0 = (y0 - Q[1] * x1 - Q[3] * x2 - Q[6] * x3 - Q[10] * x4) * Q[0]
        la = lam[k]
        la[0] = x0
        la[1] = x1
        la[2] = x2
        la[3] = x3
        la[4] = x4
        kp = G[k]
        if kp >= 0:
            X = L[k]
            Yp = y[kp]
            for b in range(5):
                Yp[b] -= X[b] * x0 + X[5 + b] * x1 + X[10 + b] * x2 + X[15 + b] * x3 + X[20 + b] * x4
        i = ji[k]
        j = jj[k]
        Bi = B[i]
        Bj = B[j]
        z = Jd[k]
        mi = Bi[21]
        mj = Bj[21]
        Bi[22] -= mi * x0
        Bi[23] -= mi * x1
        Bi[24] -= mi * x2
        Bj[22] += mj * x0
        Bj[23] += mj * x1
        Bj[24] += mj * x2
        f = (x0, x1, x2)
        n = (z[6] * x3 + z[9] * x4, z[7] * x3 + z[10] * x4, z[8] * x3 + z[11] * x4)
        ti = cross(v3(z, 0), f)
        tj = cross(v3(z, 3), f)
        r = sym((Bi[9], Bi[10], Bi[11], Bi[12], Bi[13], Bi[14]), (ti[0] + n[0], ti[1] + n[1], ti[2] + n[2]))
        Bi[25] -= r[0]
        Bi[26] -= r[1]
        Bi[27] -= r[2]
        r = sym((Bj[9], Bj[10], Bj[11], Bj[12], Bj[13], Bj[14]), (tj[0] + n[0], tj[1] + n[1], tj[2] + n[2]))
        Bj[25] += r[0]
        Bj[26] += r[1]
        Bj[27] += r[2]


@njit(**J)
def loop(reps, nb, nj, ji, jj, jp, q, v, par, g, B, G, Jd, D, L, y, lam):
    for _ in range(reps):
        bodies(nb, q, v, par, g, B)
        solve(nj, ji, jj, jp, B, G, Jd, D, L, y, lam)


def build(n, l=1.0):
    # last body index n = ground: A=I, zero inverse mass/inertia
    ji = np.r_[n, np.arange(n - 1)]
    jj = np.arange(n)
    G = np.arange(-1, n - 1)
    jp = np.zeros((n, 15))
    jp[1:, 0] = l / 2
    jp[:, 3] = -l / 2
    for k in range(n):
        if k % 2 == 0:
            jp[k, 12:15] = [0, 0, 1]
            jp[k, 6:9] = [1, 0, 0]
            jp[k, 9:12] = [0, 1, 0]
        else:
            jp[k, 12:15] = [0, 1, 0]
            jp[k, 6:9] = [1, 0, 0]
            jp[k, 9:12] = [0, 0, 1]
    par = np.zeros((n, 7))
    Jt = np.array([0.01, 1 / 12, 1 / 12])
    par[:, 0] = 1
    par[:, 1:4] = Jt
    par[:, 4:] = 1 / Jt
    q = np.zeros((n, 7))
    q[:, 0] = l / 2 + l * np.arange(n)
    q[:, 3] = 1
    v = np.zeros((n, 6))
    B = np.zeros((n + 1, 28))
    B[n, 0] = B[n, 4] = B[n, 8] = 1
    z = np.zeros
    return (
        n,
        n,
        ji,
        jj,
        jp,
        q,
        v,
        par,
        np.array([0, -9.81, 0.0]),
        B,
        G,
        z((n, 12)),
        z((n, 15)),
        z((n, 25)),
        z((n, 5)),
        z((n, 5)),
    )


def evaluation(n: int) -> Callable[[int], None]:
    """One evaluation, repeated inside a compiled loop."""
    arguments = build(n)

    def repeat(times: int) -> None:
        loop(times, *arguments)

    return repeat


def joint_accelerations(n: int) -> np.ndarray:
    """Relative angular acceleration in each joint at rest, to check that others compute the same chain."""
    arguments = build(n)
    loop(1, *arguments)
    angular = arguments[9][:n, 25:28]
    return np.einsum("ki,ki->k", np.diff(angular, axis=0, prepend=0.0), arguments[4][:, 12:15])


def measure(n: int, rounds: int = 5) -> float:
    """Seconds of one evaluation."""
    repeat = evaluation(n)
    times = max(5, 100_000 // n)
    repeat(1)
    best = math.inf
    for _ in range(rounds):
        begin = time.perf_counter()
        repeat(times)
        best = min(best, (time.perf_counter() - begin) / times)
    return best


if __name__ == "__main__":
    for n_bodies in (1, 2, 10, 100, 1000, 10_000):
        seconds = measure(n_bodies)
        print(f"{n_bodies} bodies: {1e6 * seconds:.3f} µs, {1e6 * seconds / n_bodies:.3f} µs per body")
