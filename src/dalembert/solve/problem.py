"""A run as numbers: arrays of the model, method and tolerances."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..kernels import memory
from ..kernels.impulses import Problem as Contacts
from ..kernels.impulses import dense_problem
from ..kernels.operate import EVALUATE, INPUTS, operate
from ..kernels.watch import Watch, nothing_watched
from .friction import DryFriction
from .integrators import Tableau
from .stepping.impacts import Stops, no_stops
from .stepping.modes import Modes, no_modes


@dataclass
class Problem:
    """Arrays of one run: system memory, method and tolerances; `laws` are Python functions by number of the law."""

    I: np.ndarray  # noqa: E741
    P: np.ndarray
    F: np.ndarray
    length: float
    method: Tableau
    rtol: float
    atol: float
    h_max: float = math.inf
    h_first: float | None = None
    tolerance: float = 1e-13
    dropped: float = math.inf
    laws: dict[int, Callable[[float, float, float], float]] = field(default_factory=dict)
    calls: bool = False  # whether its programs call Python functions
    operate: Any = field(default_factory=lambda: operate)  # the entry to the equations
    scale: np.ndarray | None = None  # scale of the absolute tolerance for (q, v), if not that of bodies
    # how far a turn of 1 rad about each axis moves a body [m]; default: the model's length
    arms: np.ndarray | None = None
    leaving: bool = False  # the start is a singular position, and rows left out there are needed at once
    watch: Watch = field(default_factory=nothing_watched)
    stops: Stops = field(default_factory=no_stops)  # whose impacts the loop makes by itself
    modes: Modes = field(default_factory=no_modes)  # gaps and friction whose changes of mode the loop makes by itself
    contacts: Contacts = field(default_factory=lambda: dense_problem(0, 0, 0))  # memory of what they decide by
    guard: bool = False  # look inside every step: defect, work and change of momentum by a quadrature of its own
    conservative: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    keep_all: bool = False  # every accepted step is an output
    z_scale: np.ndarray = field(default_factory=lambda: np.zeros(0))  # scale of atol for each auxiliary state
    friction: DryFriction | None = None  # forces of friction that slips, which depend on the reactions
    # derivatives of the equations (exact: of all forces), made when an implicit method asks for them
    slopes: Callable[[bool], Any] | None = None
    left: float = 0.01  # what Newton's method may leave of its corrections, in units of the tolerance
    step: float | None = None  # steps of one length, by discrete Hamilton's principle, in these proportions
    steps_from: float = 0.0  # time that they are counted from
    parts: np.ndarray = field(default_factory=lambda: np.ones(1))
    points: Any = None  # contact points of steps for many contacts (`solve/moreau.py`)
    touching: list[Any] = field(default_factory=list)  # the stops and frictions that they are
    # only independent coordinates are integrated: what `solve/partitioned.py` asks of the constraints
    constraints: Any = None
    most: float = math.inf  # steps that are too many, besides those that are for any run
    native: Any = None  # machine code of the structure (`system/machine/native.py`), used where it is there or pays

    @property
    def floor(self) -> np.ndarray:
        """Smallest pivot taken of each row in F; infinity for rows left out."""
        return memory.floors(self.I, self.F)


def evaluate_at(p: Problem, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """One evaluation, Python laws and friction included."""
    if p.laws or p.friction is not None:
        call_laws(p, t, q, v, a)
    p.operate(EVALUATE, p.I, p.P, p.F, t, q, v, a, 0.0, 1)


def call_laws(p: Problem, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Values of Python laws into the memory of the kernels."""
    p.operate(INPUTS, p.I, p.P, p.F, t, q, v, a, 0.0, 1)
    for k, law in p.laws.items():
        memory.put_called(p.I, p.F, k, law(*memory.law_inputs(p.I, p.F, k), float(t)))
    if p.friction is not None:
        p.friction.solve(p, t, q, v, a)


def slopes_of_laws(p: Problem, t: float, slopes: np.ndarray) -> None:
    """Slopes of Python laws by value and by rate, by central differences of each law alone, at the inputs in memory; in the order of their numbers."""
    for n, (k, law) in enumerate(sorted(p.laws.items())):
        s, rate = memory.law_inputs(p.I, p.F, k)
        ds, dr = 1e-6 * max(abs(s), 1e-3), 1e-6 * max(abs(rate), 1e-3)
        slopes[2 * n] = (law(s + ds, rate, t) - law(s - ds, rate, t)) / (2.0 * ds)
        slopes[2 * n + 1] = (law(s, rate + dr, t) - law(s, rate - dr, t)) / (2.0 * dr)
