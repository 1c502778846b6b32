"""Yardstick for speed, not for style: the Andrews squeezer as seven planar bodies and ten revolutes in absolute
coordinates; explicit 8th-order Runge-Kutta with projection; dense Schur complement (no structure used).
The kernels stay as they were when the requirement was set.  Run: python -m benchmarks.prototypes.andrews."""

import math
import time
from collections.abc import Callable

import numpy as np
from numba import njit
from scipy.integrate._ivp import dop853_coefficients as dc  # private; good enough for a yardstick

from benchmarks import andrews_reference as data

P = vars(data.GEOMETRY) | {"c0": data.SPRING_STIFFNESS, "l0": data.SPRING_FREE_LENGTH, "mom": data.DRIVE_TORQUE}
P |= {f"m{k}": m for k, m in enumerate(data.MASS, 1)} | {f"i{k}": i for k, i in enumerate(data.INERTIA, 1)}
Q0 = data.START_ANGLES
FM = {"contract", "arcp", "nsz", "reassoc"}
A_ = np.ascontiguousarray(dc.A[:12, :12])
B_ = np.ascontiguousarray(dc.B)
C_ = np.ascontiguousarray(dc.C[:12])
E3_ = np.ascontiguousarray(dc.E3)
E5_ = np.ascontiguousarray(dc.E5)


def build():
    p = P
    be, th, ga, ph, de, om, ep = Q0

    def rot(o, ang, x, y):
        c, s = np.cos(ang), np.sin(ang)
        return np.array([o[0] + c * x - s * y, o[1] + s * x + c * y])

    A, Bp, O = (p["xa"], p["ya"]), (p["xb"], p["yb"]), (0.0, 0.0)
    tip1 = rot(O, be, p["rr"], 0)
    E, H = rot(A, de, p["zt"], 0), rot(A, ep, 0, -p["u"])
    spec = [
        (O, be, (p["ra"], 0)),
        (tip1, be + th, (-p["da"], 0)),
        (Bp, ga, (p["sb"], -p["sa"])),
        (E, ph + de, (0, -(p["e"] - p["ea"]))),
        (A, de, (p["ta"], p["tb"])),
        (H, om + ep, (p["zf"] - p["fa"], 0)),
        (A, ep, (-p["ub"], -p["ua"])),
    ]
    q = []
    for base, ang, c in spec:
        x = rot(base, ang, *c)
        q += [x[0], x[1], ang]
    q = np.array(q)
    minv = np.array([[1 / p[f"m{k}"], 1 / p[f"m{k}"], 1 / p[f"i{k}"]] for k in range(1, 8)])

    def pt(k, x, y):
        return (k - 1, x - spec[k - 1][2][0], y - spec[k - 1][2][1])

    def g(P):
        return (-1, P[0], P[1])

    J = [
        (g(O), pt(1, 0, 0)),
        (pt(1, p["rr"], 0), pt(2, 0, 0)),
        (g(Bp), pt(3, 0, 0)),
        (g(A), pt(5, 0, 0)),
        (pt(5, p["zt"], 0), pt(4, 0, 0)),
        (g(A), pt(7, 0, 0)),
        (pt(7, 0, -p["u"]), pt(6, 0, 0)),
        (pt(2, -p["d"], 0), pt(3, 0, -p["ss"])),
        (pt(2, -p["d"], 0), pt(4, 0, -p["e"])),
        (pt(2, -p["d"], 0), pt(6, p["zf"], 0)),
    ]
    ji = np.array([a[0] for a, b in J])
    jj = np.array([b[0] for a, b in J])
    si = np.array([a[1:] for a, b in J])
    sj = np.array([b[1:] for a, b in J])
    sp = pt(3, p["sd"], -p["sc"])
    return (
        q,
        minv,
        ji,
        jj,
        si,
        sj,
        sp[0],
        np.array(sp[1:]),
        np.array([p["xc"], p["yc"]]),
        p["c0"],
        p["l0"],
        p["mom"],
        spec,
    )


@njit(cache=True, fastmath=FM)
def fac(S, n):
    for a in range(n):
        for b in range(a + 1):
            s = S[a, b]
            for c in range(b):
                s -= S[a, c] * S[b, c]
            if a == b:
                S[a, a] = math.sqrt(s)
            else:
                S[a, b] = s / S[b, b]


@njit(cache=True, fastmath=FM)
def sol(S, y, n):
    for a in range(n):
        s = y[a]
        for c in range(a):
            s -= S[a, c] * y[c]
        y[a] = s / S[a, a]
    for a in range(n - 1, -1, -1):
        s = y[a]
        for c in range(a + 1, n):
            s -= S[c, a] * y[c]
        y[a] = s / S[a, a]


@njit(cache=True, fastmath=FM)
def geom(q, ji, jj, si, sj, ui, uj, phi, cs):
    nb = q.size // 3
    for b in range(nb):
        cs[b, 0] = math.cos(q[3 * b + 2])
        cs[b, 1] = math.sin(q[3 * b + 2])
    for k in range(ji.size):
        i = ji[k]
        j = jj[k]
        if i >= 0:
            c, s = cs[i, 0], cs[i, 1]
            ui[k, 0] = c * si[k, 0] - s * si[k, 1]
            ui[k, 1] = s * si[k, 0] + c * si[k, 1]
            xi = q[3 * i] + ui[k, 0]
            yi = q[3 * i + 1] + ui[k, 1]
        else:
            xi = si[k, 0]
            yi = si[k, 1]
        c, s = cs[j, 0], cs[j, 1]
        uj[k, 0] = c * sj[k, 0] - s * sj[k, 1]
        uj[k, 1] = s * sj[k, 0] + c * sj[k, 1]
        phi[2 * k] = xi - q[3 * j] - uj[k, 0]
        phi[2 * k + 1] = yi - q[3 * j + 1] - uj[k, 1]


@njit(cache=True, fastmath=FM)
def schur(ji, jj, ui, uj, minv, S, nj):
    for k in range(nj):
        for l in range(k + 1):
            a = 0.0
            b = 0.0
            c = 0.0
            d = 0.0
            for s1 in range(2):
                b1 = ji[k] if s1 == 0 else jj[k]
                if b1 < 0:
                    continue
                sg1 = 1.0 if s1 == 0 else -1.0
                u1x = ui[k, 0] if s1 == 0 else uj[k, 0]
                u1y = ui[k, 1] if s1 == 0 else uj[k, 1]
                for s2 in range(2):
                    b2 = ji[l] if s2 == 0 else jj[l]
                    if b2 != b1:
                        continue
                    sg = sg1 * (1.0 if s2 == 0 else -1.0)
                    u2x = ui[l, 0] if s2 == 0 else uj[l, 0]
                    u2y = ui[l, 1] if s2 == 0 else uj[l, 1]
                    m = minv[b1, 0]
                    w = minv[b1, 2]
                    a += sg * (m + w * u1y * u2y)
                    b += sg * (-w * u1y * u2x)
                    c += sg * (-w * u1x * u2y)
                    d += sg * (m + w * u1x * u2x)
            S[2 * k, 2 * l] = a
            S[2 * k, 2 * l + 1] = b
            S[2 * k + 1, 2 * l] = c
            S[2 * k + 1, 2 * l + 1] = d


@njit(cache=True, fastmath=FM)
def addJt(ji, jj, ui, uj, minv, y, x, nj, alpha):
    for k in range(nj):
        i = ji[k]
        j = jj[k]
        fx = alpha * y[2 * k]
        fy = alpha * y[2 * k + 1]
        if i >= 0:
            x[3 * i] += minv[i, 0] * fx
            x[3 * i + 1] += minv[i, 1] * fy
            x[3 * i + 2] += minv[i, 2] * (-ui[k, 1] * fx + ui[k, 0] * fy)
        x[3 * j] -= minv[j, 0] * fx
        x[3 * j + 1] -= minv[j, 1] * fy
        x[3 * j + 2] -= minv[j, 2] * (-uj[k, 1] * fx + uj[k, 0] * fy)


@njit(cache=True, fastmath=FM)
def mulJ(ji, jj, ui, uj, x, y, nj):
    for k in range(nj):
        i = ji[k]
        j = jj[k]
        a = -x[3 * j] + uj[k, 1] * x[3 * j + 2]
        b = -x[3 * j + 1] - uj[k, 0] * x[3 * j + 2]
        if i >= 0:
            a += x[3 * i] - ui[k, 1] * x[3 * i + 2]
            b += x[3 * i + 1] + ui[k, 0] * x[3 * i + 2]
        y[2 * k] = a
        y[2 * k + 1] = b


@njit(cache=True, fastmath=FM)
def rhs(y, f, minv, ji, jj, si, sj, sb, ss, sg, c0, l0, mom, ui, uj, phi, cs, S, lam):
    nq = y.size // 2
    nj = ji.size
    q = y[:nq]
    v = y[nq:]
    geom(q, ji, jj, si, sj, ui, uj, phi, cs)
    a = f[nq:]
    for i in range(nq):
        f[i] = v[i]
        a[i] = 0.0
    a[2] = mom * minv[0, 2]
    c, s = cs[sb, 0], cs[sb, 1]
    ux = c * ss[0] - s * ss[1]
    uy = s * ss[0] + c * ss[1]
    dx = q[3 * sb] + ux - sg[0]
    dy = q[3 * sb + 1] + uy - sg[1]
    l = math.sqrt(dx * dx + dy * dy)
    fo = -c0 * (l - l0) / l
    a[3 * sb] += minv[sb, 0] * fo * dx
    a[3 * sb + 1] += minv[sb, 1] * fo * dy
    a[3 * sb + 2] += minv[sb, 2] * fo * (ux * dy - uy * dx)
    mulJ(ji, jj, ui, uj, a, lam, nj)
    for k in range(nj):
        i = ji[k]
        j = jj[k]
        w = v[3 * j + 2]
        # phi = xi - xj ; phidd = J a - ui wi^2 + uj wj^2 ; gamma = ui wi^2 - uj wj^2
        gx = -uj[k, 0] * w * w
        gy = -uj[k, 1] * w * w
        if i >= 0:
            w = v[3 * i + 2]
            gx += ui[k, 0] * w * w
            gy += ui[k, 1] * w * w
        lam[2 * k] -= gx
        lam[2 * k + 1] -= gy
    schur(ji, jj, ui, uj, minv, S, nj)
    fac(S, 2 * nj)
    sol(S, lam, 2 * nj)
    addJt(ji, jj, ui, uj, minv, lam, a, nj, -1.0)


@njit(cache=True, fastmath=FM)
def run(y, tend, rtol, atol, A, B, E3, E5, minv, ji, jj, si, sj, sb, ss, sg, c0, l0, mom):
    n = y.size
    nq = n // 2
    nj = ji.size
    ui = np.zeros((nj, 2))
    uj = np.zeros((nj, 2))
    phi = np.zeros(2 * nj)
    cs = np.zeros((nq // 3, 2))
    S = np.zeros((2 * nj, 2 * nj))
    lam = np.zeros(2 * nj)
    K = np.zeros((13, n))
    yt = np.zeros(n)
    yn = np.zeros(n)
    t = 0.0
    h = 1e-5
    steps = 0
    rej = 0
    evals = 0
    rhs(y, K[0], minv, ji, jj, si, sj, sb, ss, sg, c0, l0, mom, ui, uj, phi, cs, S, lam)
    while t < tend:
        if t + h > tend:
            h = tend - t
        for s in range(1, 12):
            for i in range(n):
                acc = 0.0
                for r in range(s):
                    acc += A[s, r] * K[r, i]
                yt[i] = y[i] + h * acc
            rhs(yt, K[s], minv, ji, jj, si, sj, sb, ss, sg, c0, l0, mom, ui, uj, phi, cs, S, lam)
            evals += 1
        e3 = 0.0
        e5 = 0.0
        for i in range(n):
            acc = 0.0
            a3 = 0.0
            a5 = 0.0
            for r in range(12):
                acc += B[r] * K[r, i]
                a3 += E3[r] * K[r, i]
                a5 += E5[r] * K[r, i]
            yn[i] = y[i] + h * acc
            sc = atol + rtol * max(abs(y[i]), abs(yn[i]))
            e3 += (a3 / sc) ** 2
            e5 += (a5 / sc) ** 2
        den = e5 + 0.01 * e3
        err = 0.0 if den <= 0 else h * e5 / math.sqrt(den * n)
        if err < 1.0:
            t += h
            steps += 1
            q = yn[:nq]
            v = yn[nq:]
            for it in range(2):
                geom(q, ji, jj, si, sj, ui, uj, phi, cs)
                if it == 0:
                    schur(ji, jj, ui, uj, minv, S, nj)
                    fac(S, 2 * nj)
                m = 0.0
                for i in range(2 * nj):
                    m = max(m, abs(phi[i]))
                if m < 1e-15:
                    break
                sol(S, phi, 2 * nj)
                addJt(ji, jj, ui, uj, minv, phi, q, nj, -1.0)
            geom(q, ji, jj, si, sj, ui, uj, phi, cs)
            mulJ(ji, jj, ui, uj, v, lam, nj)
            sol(S, lam, 2 * nj)
            addJt(ji, jj, ui, uj, minv, lam, v, nj, -1.0)
            for i in range(n):
                y[i] = yn[i]
            rhs(y, K[0], minv, ji, jj, si, sj, sb, ss, sg, c0, l0, mom, ui, uj, phi, cs, S, lam)
            evals += 1
        else:
            rej += 1
        fac_ = 0.9 * (1 / err) ** (1 / 8) if err > 0 else 6.0
        h *= min(6.0, max(0.333, fac_))
    return steps, rej, evals


def solution(rtol: float) -> Callable[[], np.ndarray]:
    """Whole run; gives the seven angles at the end."""
    q, *model, _ = build()
    start = np.concatenate([q, np.zeros(21)])

    def solve() -> np.ndarray:
        y = start.copy()
        run(y, data.END_TIME, rtol, rtol * 1e-2, A_, B_, E3_, E5_, *model)
        a = y[2:21:3]
        return np.array([a[0], a[1] - a[0], a[2], a[3] - a[4], a[4], a[5] - a[6], a[6]])

    return solve


def measure(rtol: float, rounds: int = 5) -> tuple[float, float]:
    """Seconds of the whole run and its error in rad."""
    solve = solution(rtol)
    error = data.angle_error(solve())
    best = math.inf
    for _ in range(rounds):
        begin = time.perf_counter()
        solve()
        best = min(best, time.perf_counter() - begin)
    return best, error


if __name__ == "__main__":
    for tolerance in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12):
        seconds, error = measure(tolerance)
        print(f"rtol {tolerance:g}: {1e3 * seconds:.3f} ms, error {error:.2e} rad")
