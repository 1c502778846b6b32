"""Results from states that stand beside each other: poses of a mode, equilibria, configurations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..state import State
from .record import kind_of
from .result import Result

if TYPE_CHECKING:
    from ..system.lagrange import LagrangeSystem
    from ..system.system import System
    from .record import Record


def still(system: System | LagrangeSystem, states: Sequence[State]) -> Record:
    """A result that holds poses of a compiled mechanism or Lagrangian system: velocities, accelerations and loads are zero."""
    n, work = len(states), system.workspace()
    count, still = len(work.angle), np.zeros((n, system.nv))
    t, q = np.array([s.t for s in states]), np.array([s.q for s in states])
    angles = np.array([s.angles if len(s.angles) == count else np.zeros(count) for s in states]).reshape(n, count)
    lam, forces, powers = (np.zeros((n, len(x))) for x in (work.lam, work.force, work.power))
    z = np.array([s.z if len(s.z) else system.starts for s in states]).reshape(n, -1)
    return kind_of(system)(system, t, q, still, still, lam, forces, powers, angles, z=z)


def stacked(runs: Sequence[Result]) -> Result:
    """Results at single instants of one system as one result with as many outputs."""
    joined = lambda name: np.concatenate([getattr(run, name) for run in runs])  # noqa: E731
    t, q, v, a, lam = (joined(name) for name in ("t", "q", "v", "a", "basic_lam"))
    made = Result(runs[0].system, t, q, v, a, lam, joined("forces"), joined("powers"), joined("angles"))
    made.z = joined("z")
    return made
