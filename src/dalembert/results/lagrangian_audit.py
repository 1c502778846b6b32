"""The audit of a run of a Lagrangian system: rows, first law, residual of the equations, rank, steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.lagrange.layout import POWERS
from ..kernels.operate import RATES, ROWS
from .audit import CONSTRAINTS, Audit, expected, failed, jumped, statistics, unexplained


def audit(run: Any) -> Audit:
    """Check a run."""
    return _audit(run, *first_law(run), statistics(run), unexplained(run))


def of_driven(run: Any, seconds: float) -> Audit:
    """Check a motion that rows determine: no steps, and a balance of power at the outputs in place of the first law."""
    none = {"steps": 0, "rejected": 0, "evaluations": 0, "seconds": seconds, "method": "kinematics"}
    return _audit(run, _power_balance(run), 1e-8, none)


def _audit(run: Any, energy: float, allowed: float, counts: dict[str, Any], more: list[str] | None = None) -> Audit:
    from ..analyses.lagrangian.guard import of_run

    system = run.system
    position, velocity = (float(np.max(x, initial=0.0)) for x in constraint_errors(run))
    residual = of_run(run)
    dropped = sorted(run.prepared.dropped)
    names = system.row_names
    return Audit(
        position=position,
        velocity=velocity,
        disagreement=float(run.prepared.disagreement),
        disagreeing=", ".join(names[r] for r in dropped),
        energy=energy,
        energy_tolerance=allowed,
        residual=residual.relative,
        degrees_of_freedom=system.n - system.n_rows + len(dropped),
        redundant_rows=tuple(names[r] for r in dropped),
        not_unique=_not_unique(run) if dropped else (),
        failures=(*failed(position, velocity, energy, allowed, residual, system.rounding(run.q)), *(more or ())),
        rounding=system.rounding(run.q),
        **counts,
    )


def _power_balance(run: Any) -> float:
    """Imbalance of dh/dt = power, h = q' dL/dq' - L, at all outputs, relative to the largest term: h' = v.(p)' - T' + V' + v.M a."""
    system = run.system
    graph, nodes, n = system.graph, system.nodes, system.n
    flow = {graph.input[x]: graph.input[f"rate({x})"] for x in run.model.q} | {graph.input["t"]: graph.one}
    x = run.along(graph.forward([*nodes.momenta, nodes.kinetic, nodes.potential], flow))
    inertia = np.array([v @ run.point(k).mass @ a for k, (v, a) in enumerate(zip(run.v, run.a))])
    terms = np.column_stack([run.v * x[:, :n], -x[:, n], x[:, n + 1], inertia, -run.powers])
    return float(np.max(np.abs(terms.sum(axis=1)), initial=0.0)) / max(
        float(np.max(np.abs(terms), initial=0.0)), 1e-300
    )


def constraint_errors(run: Any) -> tuple[np.ndarray, np.ndarray]:
    """Largest scaled residual of positions and of velocities at every output; rows left out count a tenth, as for mechanisms."""
    from ..kernels import layout as at

    system = run.system
    work = system.workspace()
    left = sorted(run.prepared.ever_dropped)
    work.floor[left] = np.inf
    weight = 0.0 if run.prepared.disagreement > CONSTRAINTS else 0.1
    scale = weight * system.P[system.I[at.SCALE] :][: system.n_rows][left]
    position, velocity = np.zeros((2, len(run.t)))
    for k, v in enumerate(run.v):
        point = run.point(k, work)
        worst = point.operate(ROWS)
        position[k] = max(worst, float(np.max(np.abs(work.y[left]) * scale, initial=0.0)))
        worst = max(point.operate(RATES), float(np.max(np.abs(work.y[left]) * scale, initial=0.0)))
        velocity[k] = worst / max(1.0, float(np.max(np.abs(v), initial=0.0)))
    return position, velocity


def first_law(run: Any) -> tuple[float, float]:
    """Imbalance of h - h0 = work, h = q' dL/dq' - L, over the accepted steps, and what may be expected.

    The powers are those of forces without potential, of dissipation, of explicit time in L, and of moving constraints.
    """
    kept = run.trace.kept
    if len(kept.t) < 2:
        return 0.0, 1.0
    return float(np.max(energy_errors(run))), expected(run.problem, run.trace.step.steps)


def energy_errors(run: Any) -> np.ndarray:
    """Imbalance of the first law at every accepted step, relative to the energy that moved in the run."""
    kept, system = run.trace.kept, run.system
    n, nodes = system.n, system.nodes
    function = system.function([nodes.kinetic, nodes.potential, *nodes.momenta])
    x = np.array([function(t, y[:n], y[n:]) for t, y in zip(kept.t, kept.y)])
    moving = np.einsum("ti,ti->t", x[:, 2:], kept.y[:, n:])
    h = moving - x[:, 0] + x[:, 1]
    work = kept.work.sum(axis=1) + jumped(run)
    imbalance = np.abs(h - h[0] - (work - work[0]))
    p = run.problem
    scale = max(
        float(np.max(np.abs(moving))), float(np.max(np.abs(x[:, 0]))), float(np.max(np.abs(x[:, 1] - x[0, 1]))),
        float(np.max(np.abs(kept.work))), p.atol / (p.rtol + p.atol) * _force(run), 1e-300,
    )  # fmt: skip
    return np.asarray(imbalance / scale)


def _force(run: Any) -> float:
    """Largest generalized force at the start: what tolerated displacements could move in an equilibrium."""
    function = run.system.function([*run.system.nodes.force])
    return float(np.max(np.abs(function(run.t[0], run.q[0], 0.0 * run.v[0])), initial=0.0)) if len(run.t) else 0.0


def _not_unique(run: Any) -> tuple[str, ...]:
    """Rows that take part in a dependency at the end of the run."""
    jac = run.point(-1).jac
    size = np.linalg.norm(jac, axis=1)
    _, s, vt = np.linalg.svd((jac / np.where(size > 0.0, size, 1.0)[:, None]).T)
    rank = int(np.sum(s > 1e-8 * max(float(s[0]), 1e-300)))
    involved = np.max(np.abs(vt[rank:]), axis=0, initial=0.0) > 1e-7
    return tuple(name for name, x in zip(run.system.row_names, involved) if x)


__all__ = ["POWERS", "audit", "first_law", "of_driven"]
