"""The equations of a Lagrangian system checked for given accelerations and multipliers: M a + J^T lam = f, J a = gamma.

M, f, J and gamma are those that the program of the system computes; nothing is factored or solved.  What residuals may be is said in
`pose/guard.py`: TERMS of the terms of the equation, and ROUNDING of the largest term in the metric of kinetic energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import SingularError
from ...kernels.operate import EVALUATE
from ..pose.guard import DEPENDENT, IMPULSE, ROUNDING, TERMS, TOGETHER, UNITS, Residuals
from .point import NO_INERTIA, Point


class CoordinateResiduals(Residuals):
    """Residuals with the names of coordinates and rows; units are those of the user."""

    def of_row(self, r: int) -> tuple[str, str]:
        """Name of an equation J a = gamma."""
        names = self.system.row_names
        return f"{self.units['row']} of row {names[r]!r}" if r < len(names) else "a = 0 of a coordinate held", ""

    def of_velocity(self, c: int) -> tuple[str, str]:
        """Name of an equation M a + J^T lam = f."""
        return f"{self.units['body'].replace('Q', 'f')} of coordinate {self.system.model.q[c]!r}", ""


def judge(
    system: Any,
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
) -> CoordinateResiduals:
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
    allowed = TERMS * terms + ROUNDING * energy / unit
    row_allowed = (TERMS + blur) * row_terms + (ROUNDING + blur) * norm * energy
    missed, row_allowed = np.where(kept, missed, 0.0), np.where(kept, row_allowed, np.inf)
    return CoordinateResiduals(system, t, left, terms, allowed, missed, row_terms, row_allowed, units, TERMS + blur)


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


def _arrays(point: Point) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M, J, f and gamma at a point, by one evaluation."""
    point.operate(EVALUATE)
    work = point.work
    low = np.tril(work.M)
    return low + np.tril(low, -1).T, work.J.copy(), work.total.copy(), work.gamma.copy()


def check(point: Point, a: np.ndarray, lam: np.ndarray, asked: str) -> None:
    """Refuse accelerations and multipliers at a point that do not satisfy the equations, rows left out included."""
    left = point.dropped
    mass, jac, force, gamma = _arrays(point)
    _refuse(point, (mass, jac, force, gamma), a, lam, asked)
    if not left.any():
        return
    # rows left out hold as far as the given numbers agree, unless the position is a singular one
    size = point.size
    off, disagreement = np.abs(jac @ a - gamma) / size, float(np.max(np.abs(point.phi) / size, initial=0.0))
    largest = max(1.0, *(float(np.max(np.abs(x), initial=0.0)) for x in (gamma / size, a, point.v**2)))
    if not np.all(off[left] <= (DEPENDENT + 10.0 * disagreement) * largest):
        r = int(np.argmax(np.where(left, off, 0.0)))
        raise SingularError(
            asked,
            f"rows that depend on others contradict them: {point.system.row_names[r]!r} by {off[r] * size[r]:.6g}",
            "the system moves through a singular position, where no acceleration satisfies all rows",
            "ask a little before or after it, or leave out rows",
        )


def check_impulse(
    point: Point, mass: np.ndarray, impulse: np.ndarray, jump: np.ndarray, lam: np.ndarray, asked: str
) -> None:
    """Refuse a jump and row impulses that do not satisfy M dv + J^T L = P and J (v + dv) = nu."""
    jac, rates = point.jac, point.w  # J v - nu
    _refuse(point, (mass, jac, impulse, -rates), jump, lam, asked, IMPULSE)


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


def check_output(run: Any, t: float, out: Any) -> None:
    """Refuse the only output of a step that was made from a run, if it does not satisfy the equations."""
    work = run.prepared.work
    work.side[:], work.frozen[0] = out.side[0], 1.0
    point = Point(run.system, t, out.q[0], out.v[0], work)
    kept = [r for r in range(run.system.n_rows) if r not in run.prepared.ever_dropped]
    sound = _sound(_arrays(point), out.a[0], out.lam[0], kept)
    work.frozen[0] = 0.0
    if not sound:
        found = (np.array([t]), out.q, out.v, out.a, out.lam, out.force, out.power, out.angle)
        made = type(run)(run.system, *found, prepared=run.prepared, sides=out.side)
        of_run(made).refuse(f"state of {run.model.name!r} at t = {t:g} s")


def look(run: Any) -> np.ndarray:
    """Largest scaled residuals at every output: of positions, of rows left out among them, and both of velocities."""
    left = np.isin(np.arange(run.system.n_rows), sorted(run.prepared.ever_dropped))
    work, found = run.system.workspace(), np.zeros((len(run.t), 4))
    for k in range(len(run.t)):
        point = run.point(k, work)
        for c, off in ((0, point.phi), (2, point.w)):
            off = np.abs(off) * point.scale
            found[k, c : c + 2] = np.max(off[~left], initial=0.0), np.max(off[left], initial=0.0)
    return found


def _parts(system: Any) -> Any:
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


def of_run(run: Any, found: Any = None) -> Residuals:
    """Residuals at all outputs of a run: those of the part of it in which the worst one is; rows left out do not count."""
    system, worst = run.system, None
    parts, blur = _parts(system), DEPENDENT if run.prepared.ever_dropped else 0.0
    work = system.workspace()
    kept = np.ones(system.n_rows, dtype=bool)
    kept[sorted(run.prepared.ever_dropped)] = False
    for first in range(0, max(len(run.t), 1), TOGETHER):
        part = slice(first, min(first + TOGETHER, len(run.t)))
        each = [_arrays(run.point(k, work)) for k in range(part.start, part.stop)]
        n, m = system.n, system.n_rows
        shapes = ((-1, n, n), (-1, m, n), (-1, n), (-1, m))
        arrays = [np.array([x[k] for x in each]).reshape(len(each), *shape[1:]) for k, shape in enumerate(shapes)]
        sizes = np.array([parts(t, q, v) for t, q, v in zip(run.t[part], run.q[part], run.v[part])]).reshape(-1, n)
        numbers = run.a[part], run.lam[part], kept
        made = judge(system, run.t[part], arrays, *numbers, v=run.v[part], parts=sizes, blur=blur)
        worst = made if worst is None or made.worst > worst.worst else worst
    assert worst is not None
    return worst
