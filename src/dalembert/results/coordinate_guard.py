"""Residuals of the equations of a Lagrangian system: M a + J^T lam = f, J a = gamma.

M, f, J and gamma are those that the program of the system computes; nothing is factored or solved.  What residuals may be is said in
`residuals.py`; the metric is that of M(q), which is another one at every state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.operate import EVALUATE
from ..kernels.outputs import TERMS
from .residuals import DEPENDENT, IMPULSE, UNITS, Residuals, check_left_out, worst_part

if TYPE_CHECKING:
    from ..analyses.dynamics.dynamics import Dynamics
    from ..analyses.dynamics.shock import Shock
    from ..analyses.lagrangian.point import Point
    from ..solve.stepping.records import Output
    from ..system.lagrange import LagrangeSystem
    from .lagrangian import LagrangianResult

# part of the largest inertia below which a direction counts as one without inertia
NO_INERTIA = 1e-13


def judge(
    system: LagrangeSystem,
    t: np.ndarray,
    arrays: Sequence[np.ndarray],
    a: np.ndarray,
    lam: np.ndarray,
    kept: np.ndarray | bool = True,
    *,
    v: Any = 0.0,
    parts: Any = 0.0,
    blur: float = 0.0,
    units: dict[str, str] = UNITS,
    together: bool = False,
) -> Residuals:
    """Residuals at some instants with arrays M, J, f, gamma there; in all of them time comes first.

    `kept` are the rows that count, `blur` the error of the rows themselves; `v` velocities and `parts` sizes of what f is the sum of: f and
    gamma that were computed elsewhere differ by the rounding of their parts.  `together`: what vanishes at one instant has the rounding of the
    others, as columns of one matrix have.
    """
    mass, jac, force, gamma = arrays
    large, rows = np.abs(mass), np.abs(jac)
    left = np.einsum("tij,tj->ti", mass, a) + np.einsum("tri,tr->ti", jac, lam) - force
    terms = np.einsum("tij,tj->ti", large, np.abs(a)) + np.einsum("tri,tr->ti", rows, np.abs(lam)) + np.abs(force)
    missed = np.einsum("tri,ti->tr", jac, a) - gamma
    row_terms = np.einsum("tri,ti->tr", rows, np.abs(a)) + np.abs(gamma)
    unit = _inverse_roots(mass)
    # the largest term of forces, and of accelerations, in the metric of kinetic energy
    fast = np.abs(v) * np.max(np.abs(v), axis=-1, initial=0.0, keepdims=True) if np.ndim(v) else 0.0
    energy = np.max(unit * (terms + parts) + (np.abs(a) + fast) / unit, axis=1, initial=0.0)[:, None]
    energy = np.max(energy, keepdims=True) if together else energy
    norm = np.sqrt(np.einsum("tri,ti->tr", rows**2, unit**2))
    found = (left, terms, missed, row_terms, norm)
    return Residuals.judged(system, t, found, unit, energy, kept, blur=blur, units=units)


def _inverse_roots(mass: np.ndarray) -> np.ndarray:
    """Roots of the diagonal of M^-1; of directions without inertia that of the largest, as the solver puts weights there."""
    n = mass.shape[1]
    diagonal = np.einsum("tii->ti", mass)
    if not np.isfinite(mass).all():
        return np.ones(diagonal.shape)
    # unit diagonal first: coordinates have units of their own
    largest = np.max(diagonal, axis=1, initial=0.0, keepdims=True)
    largest = np.where(largest > 0.0, largest, 1.0)
    size = np.sqrt(np.where(diagonal > NO_INERTIA * largest, diagonal, largest))
    values, vectors = np.linalg.eigh(mass / (size[:, :, None] * size[:, None, :]))
    values = np.where(values > NO_INERTIA * n, values, 1.0)
    return np.sqrt(np.einsum("tij,tj->ti", vectors**2, 1.0 / values)) / size


def _arrays(point: Dynamics) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M, J, f and gamma at a point, by one evaluation."""
    point.operate(EVALUATE)
    work = point.work
    low = np.tril(work.M)
    return low + np.tril(low, -1).T, work.J.copy(), work.total.copy(), work.gamma.copy()


def check(point: Point, a: np.ndarray, lam: np.ndarray, asked: str) -> None:
    """Refuse accelerations and multipliers at a point that do not satisfy the equations, rows left out included."""
    mass, jac, force, gamma = _arrays(point)
    _refuse(point, (mass, jac, force, gamma), a, lam, asked)
    if point.dropped.any():
        check_left_out(point, 1.0 / point.size, a, np.abs(jac @ a - gamma), asked)


def check_impulse(
    point: Point, shock: Shock, impulse: np.ndarray, jump: np.ndarray, lam: np.ndarray, asked: str
) -> None:
    """Refuse a jump and row impulses that do not satisfy M dv + J^T L = P and J (v + dv) = nu."""
    arrays = shock.mass.toarray(), shock.jac.toarray(), impulse, shock.nu - shock.jac @ point.v
    _refuse(point, arrays, jump, lam, asked, IMPULSE)


def _refuse(
    point: Point,
    arrays: Sequence[np.ndarray],
    a: np.ndarray,
    lam: np.ndarray,
    asked: str,
    units: dict[str, str] = UNITS,
) -> None:
    """Raise if a and lam do not satisfy the equations with arrays M, J, f, gamma."""
    kept = ~point.dropped
    if not _sound(arrays, a, lam, kept):
        every = [x[None] for x in arrays]
        judge(point.system, np.array([point.t]), every, a[None], lam[None], kept, units=units).refuse(asked)


def _sound(arrays: Sequence[np.ndarray], a: np.ndarray, lam: np.ndarray, kept: Any) -> bool:
    """Whether both equations hold to TERMS of their terms, less than is allowed: what almost every answer passes."""
    mass, jac, force, gamma = arrays
    large, size = np.abs(jac), np.abs(a)
    off, row = np.abs(mass @ a + lam @ jac - force), np.abs(jac @ a - gamma)[kept]
    good = off <= TERMS * (np.abs(mass) @ size + np.abs(lam) @ large + np.abs(force))
    return bool(good.all() and (row <= TERMS * (large @ size + np.abs(gamma))[kept]).all())


def check_output(run: LagrangianResult, t: float, out: Output) -> None:
    """Refuse the only output of a step that was made from a run, if it does not satisfy the equations."""
    work = run.prepared.work
    work.side[:], work.frozen[0] = out.side[0], 1.0
    point = run.prepared.at(t, out.q[0], out.v[0])
    kept = [r for r in range(run.system.n_rows) if r not in run.prepared.ever_dropped]
    sound = _sound(_arrays(point), out.a[0], out.lam[0], kept)
    work.frozen[0] = 0.0
    if not sound:
        found = (np.array([t]), out.q, out.v, out.a, out.lam, out.force, out.power, out.angle)
        made = type(run)(run.system, *found, prepared=run.prepared, sides=out.side)
        of_run(made).refuse(f"state of {run.model.name!r} at t = {t:g} s")


def look(run: LagrangianResult) -> np.ndarray:
    """Largest scaled residuals at every output: of positions, of rows left out among them, and both of velocities."""
    left = np.isin(np.arange(run.system.n_rows), sorted(run.prepared.ever_dropped))
    work, found = run.system.workspace(), np.zeros((len(run.t), 4))
    for k in range(len(run.t)):
        point = run.point(k, work)
        for c, off in ((0, point.phi), (2, point.w)):
            off = np.abs(off) * point.scale
            found[k, c : c + 2] = np.max(off[~left], initial=0.0), np.max(off[left], initial=0.0)
    return found


def _parts(system: LagrangeSystem) -> Any:
    """Sizes of what the force on each coordinate is the sum of: given forces, dissipation, slopes of T and V; and V over one unit of it.

    At the bottom of a potential its slope is the rounding of V.
    """
    nodes, graph, q = system.nodes, system.graph, list(system.model.q)
    slopes = [*graph.reverse(nodes.kinetic, q), *graph.reverse(nodes.potential, q)]
    function = system.function([*nodes.applied, *nodes.dissipated, *slopes, nodes.potential])

    def sizes(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        x = np.abs(function(t, q, v))
        return np.asarray(x[:-1].reshape(4, -1).sum(axis=0) + x[-1])

    return sizes


def of_run(run: LagrangianResult, found: np.ndarray | None = None) -> Residuals:
    """Residuals at all outputs of a run: those of the part of it in which the worst one is; rows left out do not count."""
    system, work, sizes = run.system, run.system.workspace(), _parts(run.system)
    blur = DEPENDENT if run.prepared.ever_dropped else 0.0
    kept = np.ones(system.n_rows, dtype=bool)
    kept[sorted(run.prepared.ever_dropped)] = False
    n, m = system.n, system.n_rows

    def judge_part(part: slice) -> Residuals:
        each = [_arrays(run.point(k, work)) for k in range(part.start, part.stop)]
        shapes = ((n, n), (m, n), (n,), (m,))
        arrays = [np.array([x[k] for x in each]).reshape(len(each), *shape) for k, shape in enumerate(shapes)]
        parts = np.array([sizes(t, q, v) for t, q, v in zip(run.t[part], run.q[part], run.v[part])]).reshape(-1, n)
        numbers = run.a[part], run.lam[part], kept
        return judge(system, run.t[part], arrays, *numbers, v=run.v[part], parts=parts, blur=blur)

    return worst_part(len(run.t), judge_part)
