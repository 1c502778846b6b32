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
# Step.denied: no step over the singular position ahead, not yet, or never since dimensions miss it
AGAIN_LATER, MISSED = 1, 2
_NUMBERS = (
    "t", "h",  # time, and the step to be tried next
    "t_end", "rtol", "atol", "h_max", "h_min",
    "tolerance",  # of the projections
    "dropped",  # residual of rows left out that is normal; infinite where there are none
    "last_error",
    "pivot", "largest_pivot", "pivot_chosen",  # smallest pivot now, the largest that it was, and when rows were chosen
    "t_cross", "zone",  # when the smallest pivot will vanish, as far as it is seen; how long before and after it accelerations are noise
    "pivot_denied",  # when a step over it was denied
    "allowance", "blur",  # how many times wider tolerances of velocities are there, and the largest part of velocities that rounding leaves unknown
    "h_tried", "h_uncut",  # before it was changed near a singular position, before it was cut short
    "t_switched", "t_begun",  # of the last switch; when the step began inside which an event is met
    "stored", "stored_next",  # potential of the laws that have one: at the start of the step, at its end
    "defect", "unbalanced", "worst_defect", "worst_unbalanced",  # of this step, and of all
    "h_factored", "h_before", "h_accepted",  # implicit methods: of the factors, of the step that predicts the next, of the last one accepted
    "lenience",  # of the error estimate, where the method is of a higher order than it
    "fastest", "h_hard",  # fastest rate that was noticed [1/s]; longest step after one that Newton's method did not solve
    "left",  # of corrections by Newton's method, in units of the tolerance
    "slowness", "contraction",  # Newton's method: what is left over the last correction, and ratio of the last two
)  # fmt: skip
_COUNTS = (
    "steps", "rejected", "evaluations",
    "next_output", "next_step",  # outputs and steps that are kept so far
    "fresh", "guard",
    "bad", "again", "tries",  # attempts in a row that failed, were rejected, were made beside a singular position
    "stalled",  # attempts since the last step that was accepted
    "careful",  # 1: stage points are projected
    "denied",
    "cut", "pending", "cuts",  # 1: the step was cut short, at which switch (-1: none), how often
    "afloat",  # 1: its end is not moved to the event
    "switches", "chatter", "last_switch",
    "block",  # 1: every stage has derivatives of its own
    "free",  # motions that the rows leave free
    "linear",  # 1: the derivatives at hand belong to the state, 2: to one before it, 0: there are none
    "iterations", "linearized", "unsolved",  # of Newton's method; attempts that it did not solve
    "hard", "quiet", "trouble", "exact",  # attempts in a row that it did not solve, steps since then, ten for each less those since; 1: its derivatives are exact, or will not be
    "choosing", "wanted", "patience", "held", "other", "looked",  # which method: see choice.py
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
    """Equations of a model: addresses of evaluations, into which laws in Python may come, and of all else; arrays of the model, and of friction that slips."""

    model: Any
    rest: Any
    I: np.ndarray  # noqa: E741
    P: np.ndarray
    F: np.ndarray
    S: np.ndarray = np.zeros(0, dtype=np.int64)
    X: np.ndarray = np.zeros(0)
    t0: float = 0.0  # time that the loop counts from


class Method(NamedTuple):
    """A tableau as the time loop wants it."""

    kind: int
    order: float  # power of the step with which the error estimate falls
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
    transform: np.ndarray
    inverse: np.ndarray
    real: np.ndarray
    pairs: np.ndarray  # numbers of complex systems, real and imaginary parts


class Solver(NamedTuple):
    """What implicit methods work on; empty for explicit ones.  Unknowns x of a stage are accelerations, then rates of auxiliary states."""

    code: np.ndarray  # program of the derivatives of the equations, and its registers
    registers: np.ndarray
    places: np.ndarray  # first place of the code, first register that it writes
    inputs: np.ndarray  # (array, place) of each input: t, q, v, P, F, a, lam
    results: np.ndarray  # (register, where) of each result
    # mass (nv, nv), jac (rows + free rows, nv), their rates by q, right (nv + nz, 2 nv + nz): see linear.py
    parts: np.ndarray
    called: np.ndarray  # (law, row) of laws in Python
    slopes: np.ndarray  # of these, by value and by rate
    # (law, row, registers of its derivatives by value and rate) of what laws depend on: see stiffness.py
    terms: np.ndarray
    term_slopes: np.ndarray
    rows: np.ndarray
    basic: np.ndarray
    still: np.ndarray
    basis: np.ndarray  # N: motions that the rows leave free
    # of forces along N and rates of states, to displacements, velocities and states; the same along N, and N^T M N
    response: np.ndarray
    by_rate: np.ndarray
    by_place: np.ndarray
    unit: np.ndarray
    real: np.ndarray  # factors of Newton's method
    real_pivot: np.ndarray
    re: np.ndarray  # one for each pair of complex numbers
    im: np.ndarray
    pivot: np.ndarray
    u: np.ndarray
    w: np.ndarray
    none: np.ndarray
    real_y: np.ndarray
    imag_y: np.ndarray
    turn: np.ndarray
    stages: np.ndarray  # states at the stages, one after the other
    rates: np.ndarray
    residual: np.ndarray
    before: np.ndarray  # rates of the stages of the step before
    # basis (each motion in a row), response and unit of every stage, and the system of all: see stages.py
    bases: np.ndarray
    responses: np.ndarray
    units: np.ndarray
    blocks: np.ndarray
    block_pivot: np.ndarray
    block_y: np.ndarray


class Many(NamedTuple):
    """What Newton's method of mechanisms of many bodies works on, see `many.py`; empty where a model has few."""

    perm: np.ndarray  # the pattern, see system/newton_pattern.py
    ptr: np.ndarray
    col: np.ndarray
    at: np.ndarray
    first: np.ndarray
    below: np.ndarray
    mass: np.ndarray
    rows: np.ndarray
    entries: np.ndarray
    soft: np.ndarray
    extra: np.ndarray
    wrench: np.ndarray
    soft_of: np.ndarray  # soft row of each term of the laws, -1 for none
    stiffness: np.ndarray  # of the soft rows
    damping: np.ndarray
    rows_now: np.ndarray
    value: np.ndarray  # real factor: entries and diagonal
    d: np.ndarray
    re: np.ndarray  # complex factors
    im: np.ndarray
    re_d: np.ndarray
    im_d: np.ndarray
    x: np.ndarray
    y: np.ndarray


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
    path: np.ndarray  # (q, v, z) along a step, as polynomials in the fraction of it
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


class Held(NamedTuple):
    """A state with its forces, to which a run comes back; and what one step of discrete Hamilton's principle has besides."""

    q: np.ndarray
    v: np.ndarray
    f: np.ndarray
    end: np.ndarray  # velocities at the end of a step
    pull: np.ndarray  # forces there, or what changes the momenta
    p: np.ndarray  # momenta
    y: np.ndarray  # what impulses along rows on velocities change of them, the same at both ends of a step
    z: np.ndarray  # auxiliary states, and their rates
    rate: np.ndarray
    part_z: np.ndarray  # the same at the start of a part of a step
    part_rate: np.ndarray
