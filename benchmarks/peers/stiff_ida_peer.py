"""SUNDIALS IDA through scikit-sundae on the very equations of ours: y = (q, v), residuals q' - N(q) v and v' - a(q, v).

a(q, v) is the machine code of the package, called by its address from compiled code, constraints solved in it: the index-1 form, which suits IDA best.
The iteration matrix is a difference quotient in one compiled call, so that no step enters Python but once per residual.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
from numba import njit
from sksundae.ida import IDA

import dalembert as da
from benchmarks.stiff import MACHINES, TOLERANCES
from dalembert.kernels.operate import ACCELERATE
from dalembert.kernels.through import address_of
from dalembert.system.known import known_system

VERSION = f"SUNDIALS IDA (scikit-sundae {version('scikit-sundae')})"
SETTING, SETTINGS = "rtol", dict.fromkeys(MACHINES, TOLERANCES[6:])
_ARRAY = (ctypes.c_void_p, ctypes.c_int64)
_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_double,
    ctypes.c_int64,
    *_ARRAY,
    *_ARRAY,
    *_ARRAY,
    ctypes.c_double,
    *_ARRAY,
    *_ARRAY,
    *_ARRAY,
    ctypes.c_double,
    ctypes.c_int64,
)


def solver(key: str, tolerance: float) -> Callable[[], np.ndarray]:
    """One run of a machine."""
    machine = MACHINES[key]
    model = machine.build()
    start = da.simulate(model, until=1e-9, method=8, output=[0.0], audit=False, progress=False)
    system = known_system(model)
    work, I, P = system.workspace(), system.I, system.P  # noqa: E741, N806
    work.floor[:] = start.prepared.work.floor
    F, nq, nv, plane = work.F, system.nq, system.nv, bool(system.plane)  # noqa: N806
    operate = _FUNCTION(address_of(system.entry, I))
    sizes = len(I), len(P), len(F)
    at_i, at_p, at_f = I.ctypes.data, P.ctypes.data, F.ctypes.data
    q, v, a = np.zeros(nq), np.zeros(nv), np.zeros(nv)
    mode = int(ACCELERATE)

    @njit
    def rates(t, y, out, q, v, a):
        q[:], v[:] = y[:nq], y[nq:]
        operate(
            mode,
            at_i,
            sizes[0],
            at_p,
            sizes[1],
            at_f,
            sizes[2],
            t,
            q.ctypes.data,
            nq,
            v.ctypes.data,
            nv,
            a.ctypes.data,
            nv,
            0.0,
            1,
        )
        if plane:
            out[:nq] = v
        else:
            for b in range(nv // 6):
                k, i = 7 * b, 6 * b
                out[k : k + 3] = v[i : i + 3]
                e0, e1, e2, e3 = q[k + 3], q[k + 4], q[k + 5], q[k + 6]
                w0, w1, w2 = 0.5 * v[i + 3], 0.5 * v[i + 4], 0.5 * v[i + 5]
                out[k + 3], out[k + 4] = -e1 * w0 - e2 * w1 - e3 * w2, e0 * w0 + e2 * w2 - e3 * w1
                out[k + 5], out[k + 6] = e0 * w1 + e3 * w0 - e1 * w2, e0 * w2 + e1 * w1 - e2 * w0
        out[nq:] = a

    @njit
    def residual(t, y, yp, res, q, v, a):
        rates(t, y, res, q, v, a)
        for k in range(len(y)):
            res[k] = yp[k] - res[k]

    @njit
    def matrix(t, y, cj, J, q, v, a, f, g, moved):
        rates(t, y, f, q, v, a)
        for j in range(len(y)):
            moved[:] = y
            step = 1e-8 * max(abs(y[j]), 1e-2)
            moved[j] += step
            rates(t, moved, g, q, v, a)
            for i in range(len(y)):
                J[i, j] = -(g[i] - f[i]) / step
            J[j, j] += cj

    y0 = np.concatenate([start.q[0], start.v[0]])
    yp0, f, g, moved = (np.zeros(len(y0)) for _ in range(4))
    rates(0.0, y0, yp0, q, v, a)
    ida = IDA(
        lambda t, y, yp, res: residual(t, y, yp, res, q, v, a), rtol=tolerance, atol=1e-2 * tolerance,
        jacfn=lambda t, y, yp, res, cj, J: matrix(t, y, cj, J, q, v, a, f, g, moved), max_num_steps=1_000_000,
    )  # fmt: skip

    def solve() -> np.ndarray:
        found = ida.solve(np.array([0.0, machine.until]), y0, yp0)
        if not found.success:
            raise RuntimeError(found.message)
        end = found.y[-1, :nq].reshape(-1, 3 if plane else 7)
        return end[:, :2] if plane else end[:, :3]

    solve.kept = operate, work, system, model, start  # type: ignore[attr-defined]
    return solve
