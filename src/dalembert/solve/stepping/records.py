"""What the time loop works on: records with names.

`Step` is where a run stands and what controls its steps; the other records are arrays.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

# Step.guard: the equations at one point inside each step; there, and the powers of laws at two more; at three points, where drivers do work
ONE_POINT, POWERS_ONLY, THREE_POINTS = 1, 2, 3
# Step.fresh: the start, where sides follow from the state, or a new beginning in which they are held
START, AGAIN_HELD = 1, 2
_NUMBERS = (
    "t", "h",  # time, and the step to be tried next
    "t_end", "rtol", "atol", "h_max", "h_min",
    "tolerance",  # of the projections
    "dropped",  # residual of rows left out that is normal; infinite where there are none
    "last_error",
    "pivot", "largest_pivot", "pivot_chosen",  # smallest pivot now, the largest that it was, and when rows were chosen
    "t_cross", "zone",  # when the smallest pivot will vanish, as far as it is seen; how long before and after it accelerations are noise
    "pivot_denied",  # when a step over it was denied
    "h_tried", "h_uncut",  # before it was changed near a singular position, before it was cut short
    "t_switched",
    "stored", "stored_next",  # potential of the laws that have one: at the start of the step, at its end
    "defect", "unbalanced", "worst_defect", "worst_unbalanced",  # of this step, and of all
)  # fmt: skip
_COUNTS = (
    "steps", "rejected", "evaluations",
    "next_output", "next_step",  # outputs and steps that are kept so far
    "fresh", "guard",
    "bad", "again", "tries",  # attempts in a row that failed, were rejected, were made beside a singular position
    "careful",  # 1: stage points are projected
    "denied",  # no step over the singular position ahead: not yet, never
    "cut", "pending", "cuts",  # 1: the step was cut short, at which switch (-1: none), how often
    "switches", "chatter", "last_switch",
)  # fmt: skip


class Step(ctypes.Structure):
    """Where a run stands, and what controls its steps."""

    _fields_ = [*((name, ctypes.c_double) for name in _NUMBERS), *((name, ctypes.c_int64) for name in _COUNTS)]

    def __getattr__(self, name: str) -> Any:  # for type checkers: fields are found before this
        raise AttributeError(name)

    def copy(self) -> Step:
        """The same numbers once more."""
        return Step.from_buffer_copy(self)


class Equations(NamedTuple):
    """Equations of a model: addresses of evaluations, into which laws in Python may come, and of all else; arrays of the model."""

    model: Any
    rest: Any
    I: np.ndarray  # noqa: E741
    P: np.ndarray
    F: np.ndarray


class Method(NamedTuple):
    """A tableau as the time loop wants it."""

    order: float
    steps: int
    stages: int
    two_errors: int
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    error: np.ndarray
    error_low: np.ndarray
    dense: np.ndarray
    inside: np.ndarray
    slope: np.ndarray
    inside_at: np.ndarray


class Memory(NamedTuple):
    """State and scratch of the time loop; q, v, z are views of y, stage_q ... of stage_y, new_q ... of new_y."""

    y: np.ndarray  # the state (q, v, z) at the start of the step
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    K: np.ndarray  # rates at the stages, one after the other
    scale: np.ndarray  # of the absolute tolerance for each of y, then the reference of the relative one
    stage_y: np.ndarray
    stage_q: np.ndarray
    stage_v: np.ndarray
    stage_z: np.ndarray
    a: np.ndarray
    delta: np.ndarray
    new_y: np.ndarray
    new_q: np.ndarray
    new_v: np.ndarray
    new_z: np.ndarray
    error: np.ndarray
    error_low: np.ndarray
    angle: np.ndarray
    angle_rate: np.ndarray
    next_angle: np.ndarray
    next_rate: np.ndarray
    power: np.ndarray
    power0: np.ndarray
    stage_work: np.ndarray
    work: np.ndarray
    inside: np.ndarray  # rates of (q, v, z) at points inside a step
    conservative: np.ndarray  # laws whose work is the change of a potential
    switch_time: np.ndarray  # the first switches of the run: when, and whose
    switch_owner: np.ndarray


class Output(NamedTuple):
    """Buffers of outputs; times are filled beforehand."""

    times: np.ndarray
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    force: np.ndarray
    power: np.ndarray
    angle: np.ndarray
    side: np.ndarray  # sides of switches: at an instant of change, those before it
    z: np.ndarray  # auxiliary states


class Kept(NamedTuple):
    """Buffers of accepted steps."""

    t: np.ndarray
    y: np.ndarray  # (q, v, z)
    angle: np.ndarray
    work: np.ndarray  # of every element and driver since the start, without that of potentials
    stored: np.ndarray  # potential of the elements that have one
    side: np.ndarray  # sides of switches


class Nodes(NamedTuple):
    """Collocation with a gap (`integrators/bridge.py`)."""

    steps: int  # number of nodes, half of them on either side
    two_errors: int
    error: np.ndarray
    error_low: np.ndarray
    c: np.ndarray
    a: np.ndarray
    b: np.ndarray
    bary: np.ndarray  # barycentric weights
    before: np.ndarray  # as `a`, of the nodes before the gap alone
    beyond: np.ndarray  # values beyond the gap of the polynomial through the nodes before it


class Over(NamedTuple):
    """Memory of a step over a singular position: at every node state, rate, multipliers with powers (all, and lost ones)."""

    y: np.ndarray
    k: np.ndarray
    more: np.ndarray
    pivot: np.ndarray
    weight: np.ndarray
    share: np.ndarray  # weights of the work up to where the step is taken
