"""Newton's method with the derivatives of every stage, all stages in one system.

The transformed systems of `collocation.py` take one set of derivatives for all stages.  Where stiff directions turn during a step by an angle d, that
leaves stiffness times d^2 across them: with bushings of 1e8 N/m on a crank, d = 0.05 is too much.  With the derivatives of each stage corrections
converge whatever the angle.  The system is (stages x freedoms) wide, so it is taken where a model has few.
"""

from __future__ import annotations

from ...kernels.compiler import kernel
from ...kernels.dense import factor_real, solve_real
from ...kernels.layout import FORCE
from .linear import linearize
from .many import linearize_many
from .newton import respond

# freedoms and states up to which this pays
FEW = 16


@kernel
def copy_to(x, size, y, o):
    """Copy x to the place o of y."""
    for k in range(size):
        y[o + k] = x[k]


@kernel
def linearize_stages(e, method, now, mem, s, g, h):
    """Derivatives and residuals at all stages, where there are few; those in the middle stay at hand for all that is asked besides.

    In the middle of the step, as it is predicted, stiff directions turn by half as much from there to either end.
    """
    n, nq, nv, nz, count = mem.y.shape[0], mem.q.shape[0], mem.v.shape[0], mem.z.shape[0], method.steps
    wide, middle, free = 2 * nv + nz, (count + 1) // 2, -1
    if g.perm.shape[0] > 0:
        o = (middle - 1) * n
        a, b, c, t = o + nq, o + nq + nv, o + n, now.t + method.c[middle] * h
        linearize_many(e, now, g, s, t, s.stages[o:a], s.stages[a:b], s.stages[b:c], mem.delta)
        return
    now.block = 1 if count > 1 and s.blocks.shape[0] > 0 else 0
    for k in range(count if now.block else 1):
        # the middle one last
        i = (middle + k) % count + 1 if now.block else middle
        o = (i - 1) * n
        a, b, c, t = o + nq, o + nq + nv, o + n, now.t + method.c[i] * h
        linearize(e, now, s, t, s.stages[o:a], s.stages[a:b], s.stages[b:c], mem.delta)
        if now.block:
            width = now.free + nz
            if width > FEW or (free >= 0 and now.free != free):
                now.block = 0  # once more, in the middle alone
                o = (middle - 1) * n
                a, b, c, t = o + nq, o + nq + nv, o + n, now.t + method.c[middle] * h
                linearize(e, now, s, t, s.stages[o:a], s.stages[a:b], s.stages[b:c], mem.delta)
                return
            free = now.free
            for j in range(nv):
                s.residual[(i - 1) * (nv + nz) + j] = mem.K[i * n + nq + j] - mem.delta[j]
            for j in range(nz):
                s.residual[i * (nv + nz) - nz + j] = mem.K[i * n + nq + nv + j] - e.F[e.I[FORCE] + j]
            for k in range(free):
                for j in range(nv):
                    s.bases[((i - 1) * nv + k) * nv + j] = s.basis[j * free + k]
            copy_to(s.response, width * wide, s.responses, (i - 1) * (nv + nz) * wide)
            copy_to(s.unit, width * width, s.units, (i - 1) * (nv + nz) * (nv + nz))


@kernel
def factor_block(method, now, mem, s, h):
    """Factor of the system of all stages."""
    nv, nz, free, count = mem.v.shape[0], mem.z.shape[0], now.free, method.steps
    width, wide = free + nz, 2 * nv + nz
    size = count * width
    for i in range(count):
        for j in range(count):
            c, square = h * method.a[i + 1, j + 1], 0.0
            for k in range(count):
                square += h * h * method.a[i + 1, k + 1] * method.a[k + 1, j + 1]
            for r in range(width):
                to, o = (i * width + r) * size + j * width, (i * (nv + nz) + r) * wide
                for q in range(nv):
                    s.w[q] = c * s.responses[o + nv + q] + square * s.responses[o + q]
                for k in range(free):
                    total, p = 0.0, (j * nv + k) * nv
                    for q in range(nv):
                        total += s.w[q] * s.bases[p + q]
                    s.blocks[to + k] = -total
                for k in range(nz):
                    s.blocks[to + free + k] = -c * s.responses[o + 2 * nv + k]
                if i == j:
                    for k in range(width):
                        s.blocks[to + k] += s.units[i * (nv + nz) * (nv + nz) + r * width + k]
    factor_real(s.blocks, size, s.block_pivot)


@kernel
def correct_block(method, now, mem, s, h):
    """From the residuals of all stages to their corrections, in place."""
    nv, nz, free, count = mem.v.shape[0], mem.z.shape[0], now.free, method.steps
    width, wide, stage = free + nz, 2 * nv + nz, nv + nz
    for i in range(count):
        for q in range(nv):
            s.u[q], s.w[q] = 0.0, 0.0
        for j in range(count):
            c, square = h * method.a[i + 1, j + 1], 0.0
            for k in range(count):
                square += h * h * method.a[i + 1, k + 1] * method.a[k + 1, j + 1]
            for q in range(nv):
                s.u[q] -= square * s.residual[j * stage + q]
                s.w[q] -= c * s.residual[j * stage + q]
        o = i * stage * wide
        respond(
            s.responses[o : o + width * wide], nv, nz, width, s.u, s.w, s.none, s.block_y[i * width : (i + 1) * width]
        )
        for k in range(nz):
            s.block_y[i * width + free + k] -= s.residual[i * stage + nv + k]
    solve_real(s.blocks, count * width, s.block_pivot, s.block_y, 1)
    for i in range(count):
        for q in range(nv):
            s.residual[i * stage + q] = -s.residual[i * stage + q]
        for k in range(free):
            f, o = s.block_y[i * width + k], (i * nv + k) * nv
            for q in range(nv):
                s.residual[i * stage + q] += f * s.bases[o + q]
        for k in range(nz):
            s.residual[i * stage + nv + k] = s.block_y[i * width + free + k]
