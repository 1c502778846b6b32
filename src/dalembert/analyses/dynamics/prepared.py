"""A compiled model with its memory, ready to run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...results.passed import Passed
from ...state import State
from .dynamics import Dynamics, view

if TYPE_CHECKING:
    from ...system.lagrange import LagrangeSystem
    from ...system.lagrange import Work as LagrangeWork
    from ...system.system import System
    from ...system.tables import Work


@dataclass
class Prepared:
    """A system with its memory: consistent start, active rows, disagreement of redundant dimensions; a run changes it."""

    system: System | LagrangeSystem
    work: Work | LagrangeWork
    state: State
    dropped: list[int]
    disagreement: float = 0.0  # largest scaled residual of the rows left out
    mismatch: tuple[float, str] = (0.0, "")  # the same in units of the rows, and as a text that names the parts
    ever_dropped: set[int] = field(default_factory=set)  # rows left out at any time of the run
    impulse: Any = None  # account of an impulsive start
    jumps: list[tuple[float, Any]] = field(default_factory=list)  # (time, account) of rates that jumped during the run
    crossings: list[Passed] = field(default_factory=list)  # singular positions that the run went through
    missed: list[Passed] = field(default_factory=list)  # those that its dimensions miss by a little
    squeezed: tuple[str, ...] = ()  # stops with friction that touch from both sides where it begins
    owners: list[Any] = field(default_factory=list)  # expressions that the time loop watches

    def at(self, t: float, q: np.ndarray, v: np.ndarray, work: Work | LagrangeWork | None = None) -> Dynamics:
        """The model at a state, in the memory of the run or in another one."""
        return view(self.system, t, q, v, self.work if work is None else work)

    def here(self) -> Dynamics:
        """The model at its start, in the memory of the run."""
        return self.at(self.state.t, self.state.q, self.state.v)
