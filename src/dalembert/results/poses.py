"""Results from states that stand beside each other: poses of a mode, equilibria, configurations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kernels.lagrange.layout import POWERS
from ..state import State
from .lagrangian import LagrangianResult
from .result import Result


def still(system: Any, states: Sequence[State]) -> Any:
    """A result that holds poses of a compiled mechanism or Lagrangian system: velocities, accelerations and loads are zero."""
    n = len(states)
    t, q = np.array([s.t for s in states]), np.array([s.q for s in states])
    if hasattr(system, "graph"):
        zero = np.zeros((n, system.n))
        return LagrangianResult(system, t, q, zero, zero, np.zeros((n, system.n_rows)), np.zeros((n, len(POWERS))))
    work, zero = system.workspace(), np.zeros((n, system.nv))
    count = len(system.builder.angles)
    angles = np.array([s.angles if len(s.angles) == count else np.zeros(count) for s in states]).reshape(n, count)
    forces, powers = np.zeros((n, len(work.force))), np.zeros((n, len(work.power)))
    made = Result(system, t, q, zero, zero, np.zeros((n, system.n_rows)), forces, powers, angles)
    made.z = np.array([s.z if len(s.z) else system.numbering.starts for s in states]).reshape(n, -1)
    return made


def stacked(runs: Sequence[Result]) -> Result:
    """Results at single instants of one system as one result with as many outputs."""
    joined = lambda name: np.concatenate([getattr(run, name) for run in runs])  # noqa: E731
    t, q, v, a, lam = (joined(name) for name in ("t", "q", "v", "a", "basic_lam"))
    made = Result(runs[0].system, t, q, v, a, lam, joined("forces"), joined("powers"), joined("angles"))
    made.z = joined("z")
    return made
