"""SUNDIALS IDA through scikit-sundae: the Andrews squeezer as an index-1 system of 20 equations.

Unknowns y = (q, v, lam) with the seven published angles; the test set's 27 equations less the seven that only name the
acceleration.  Residuals:

    q' - v                                   = 0      7
    M(q) v' + G(q)ᵀ lam - f(q, v)            = 0      7
    G(q) v' + (G(q) v)' at v' = 0            = 0      6   (second derivative of the loop closures)

The index-1 form suits IDA best: the stabilised (Gear-Gupta-Leimkuhler) index-2 form was tried and stopped with failed
corrector or error tests at the tolerances (1e-8, 1e-9) that should reach 1e-5.  Residual and iteration matrix are
compiled; the matrix is a difference quotient inside one compiled call, 1.7 times faster in all than leaving it to IDA,
which would call Python twenty times.  Two variants: with the multipliers in the error test (IDA's default) and without
(2.5 to 3.5 times faster; nothing is then promised about the multipliers).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
from numba import njit
from sksundae.ida import IDA

from benchmarks import andrews_reference as andrews_data

VERSION = f"SUNDIALS IDA (scikit-sundae {version('scikit-sundae')})"

N_ANGLES, N_LOOPS = 7, 6
N_UNKNOWNS = 2 * N_ANGLES + N_LOOPS

_g = andrews_data.GEOMETRY
XC, YC, XB, YB = _g.xc, _g.yc, _g.xb, _g.yb
D, DA, E, RR, RA, SS, SC, SD = _g.d, _g.da, _g.e, _g.rr, _g.ra, _g.ss, _g.sc, _g.sd
U, ZF, ZT = _g.u, _g.zf, _g.zt
E_EA, ZF_FA = _g.e - _g.ea, _g.zf - _g.fa
S2, T2, U2 = _g.sa**2 + _g.sb**2, _g.ta**2 + _g.tb**2, _g.ua**2 + _g.ub**2
M1, M2, M3, M4, M5, M6, M7 = andrews_data.MASS
I1, I2, I3, I4, I5, I6, I7 = andrews_data.INERTIA
C0, L0, TORQUE = andrews_data.SPRING_STIFFNESS, andrews_data.SPRING_FREE_LENGTH, andrews_data.DRIVE_TORQUE


@njit(cache=True)
def residual(t, y, yp, res):
    be, th, ga, ph, de, om, ep = y[0], y[1], y[2], y[3], y[4], y[5], y[6]
    bep, thp, gap, php, dep, omp, epp = y[7], y[8], y[9], y[10], y[11], y[12], y[13]
    l1, l2, l3, l4, l5, l6 = y[14], y[15], y[16], y[17], y[18], y[19]
    a1, a2, a3, a4, a5, a6, a7 = yp[7], yp[8], yp[9], yp[10], yp[11], yp[12], yp[13]
    sbe, cbe, sth, cth = math.sin(be), math.cos(be), math.sin(th), math.cos(th)
    sga, cga, sph, cph = math.sin(ga), math.cos(ga), math.sin(ph), math.cos(ph)
    sde, cde, som, com = math.sin(de), math.cos(de), math.sin(om), math.cos(om)
    sep, cep = math.sin(ep), math.cos(ep)
    sbt, cbt = math.sin(be + th), math.cos(be + th)
    spd, cpd = math.sin(ph + de), math.cos(ph + de)
    soe, coe = math.sin(om + ep), math.cos(om + ep)
    wbt, wpd, woe = bep + thp, php + dep, omp + epp

    # q' = v
    for i in range(N_ANGLES):
        res[i] = yp[i] - y[N_ANGLES + i]

    # mass matrix, lower half
    m11 = M1 * RA * RA + M2 * (RR * RR - 2 * DA * RR * cth + DA * DA) + I1 + I2
    m21 = M2 * (DA * DA - DA * RR * cth) + I2
    m22 = M2 * DA * DA + I2
    m33 = M3 * S2 + I3
    m44 = M4 * E_EA * E_EA + I4
    m54 = M4 * (E_EA * E_EA + ZT * E_EA * sph) + I4
    m55 = M4 * (ZT * ZT + 2 * ZT * E_EA * sph + E_EA * E_EA) + M5 * T2 + I4 + I5
    m66 = M6 * ZF_FA * ZF_FA + I6
    m76 = M6 * (ZF_FA * ZF_FA - U * ZF_FA * som) + I6
    m77 = M6 * (ZF_FA * ZF_FA - 2 * U * ZF_FA * som + U * U) + M7 * U2 + I6 + I7

    # spring from D to C
    x = SD * cga + SC * sga + XB - XC
    y_ = SD * sga - SC * cga + YB - YC
    length = math.sqrt(x * x + y_ * y_)
    pull = -C0 * (length - L0) / length
    fx, fy = pull * x, pull * y_

    # forces
    f1 = TORQUE - M2 * DA * RR * thp * (thp + 2 * bep) * sth
    f2 = M2 * DA * RR * bep * bep * sth
    f3 = fx * (SC * cga - SD * sga) + fy * (SD * cga + SC * sga)
    f4 = M4 * ZT * E_EA * dep * dep * cph
    f5 = -M4 * ZT * E_EA * php * (php + 2 * dep) * cph
    f6 = -M6 * U * ZF_FA * epp * epp * com
    f7 = M6 * U * ZF_FA * omp * (omp + 2 * epp) * com

    # loop closures: E of body 2 less E of bodies 3, 4, 6; the sums of multipliers act on body 2
    lx, ly = l1 + l3 + l5, l2 + l4 + l6
    gx1, gy1 = -RR * sbe + D * sbt, RR * cbe - D * cbt
    gx2, gy2 = D * sbt, -D * cbt
    res[7] = m11 * a1 + m21 * a2 - f1 + gx1 * lx + gy1 * ly
    res[8] = m21 * a1 + m22 * a2 - f2 + gx2 * lx + gy2 * ly
    res[9] = m33 * a3 - f3 - SS * cga * l1 - SS * sga * l2
    res[10] = m44 * a4 + m54 * a5 - f4 - E * cpd * l3 - E * spd * l4
    res[11] = m54 * a4 + m55 * a5 - f5 + (-E * cpd + ZT * sde) * l3 + (-E * spd - ZT * cde) * l4
    res[12] = m66 * a6 + m76 * a7 - f6 + ZF * soe * l5 - ZF * coe * l6
    res[13] = m76 * a6 + m77 * a7 - f7 + (ZF * soe - U * cep) * l5 + (-ZF * coe - U * sep) * l6

    # second derivatives of the closures
    ax = gx1 * a1 + gx2 * a2 - RR * cbe * bep * bep + D * cbt * wbt * wbt
    ay = gy1 * a1 + gy2 * a2 - RR * sbe * bep * bep + D * sbt * wbt * wbt
    res[14] = ax - SS * cga * a3 + SS * sga * gap * gap
    res[15] = ay - SS * sga * a3 - SS * cga * gap * gap
    res[16] = ax - E * cpd * (a4 + a5) + ZT * sde * a5 + E * spd * wpd * wpd + ZT * cde * dep * dep
    res[17] = ay - E * spd * (a4 + a5) - ZT * cde * a5 - E * cpd * wpd * wpd + ZT * sde * dep * dep
    res[18] = ax + ZF * soe * (a6 + a7) - U * cep * a7 + ZF * coe * woe * woe + U * sep * epp * epp
    res[19] = ay - ZF * coe * (a6 + a7) - U * sep * a7 + ZF * soe * woe * woe - U * cep * epp * epp


@njit(cache=True)
def iteration_matrix(t, y, yp, res, cj, matrix):
    """dF/dy + cj dF/dy' by forward differences; for a differential unknown both move together."""
    y_moved, yp_moved, res_moved = y.copy(), yp.copy(), np.empty_like(y)
    for k in range(N_UNKNOWNS):
        step = 1.5e-8 * max(abs(y[k]), abs(yp[k] / cj) if k < 2 * N_ANGLES else 0.0, 1.0)
        y_moved[k] = y[k] + step
        if k < 2 * N_ANGLES:
            yp_moved[k] = yp[k] + cj * step
        residual(t, y_moved, yp_moved, res_moved)
        for i in range(N_UNKNOWNS):
            matrix[i, k] = (res_moved[i] - res[i]) / step
        y_moved[k], yp_moved[k] = y[k], yp[k]


def andrews(tolerance: float, multipliers_controlled: bool = True) -> Callable[[], np.ndarray]:
    """Whole run by IDA; gives the seven angles at the end."""
    start = np.concatenate([andrews_data.START_ANGLES, np.zeros(N_ANGLES), andrews_data.START_MULTIPLIERS])
    start_rate = np.concatenate([np.zeros(N_ANGLES), andrews_data.START_ACCELERATIONS, np.zeros(N_LOOPS)])
    # angles of order 1, rates of order 1000, multipliers of order 100
    multiplier_scale = 1e2 if multipliers_controlled else 1e8
    atol = tolerance * np.repeat([1.0, 1e3, multiplier_scale], [N_ANGLES, N_ANGLES, N_LOOPS])
    solver = IDA(
        residual,
        jacfn=iteration_matrix,
        algebraic_idx=np.arange(2 * N_ANGLES, N_UNKNOWNS),
        rtol=tolerance,
        atol=atol,
        max_num_steps=100_000,
    )
    times = np.array([0.0, 0.5 * andrews_data.END_TIME, andrews_data.END_TIME])

    def solve() -> np.ndarray:
        run = solver.solve(times, start, start_rate)
        return np.array(run.y[-1, :N_ANGLES]) if run.success else np.full(N_ANGLES, np.nan)

    return solve
