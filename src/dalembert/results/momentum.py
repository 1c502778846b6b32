"""Velocities of a run against its own accelerations: two columns of the result that must tell the same story.

    v(t) - v(0) = integral of a + blows

The integral is taken over the outputs alone, by the trapezoidal rule, with nothing of the method that made the run.  It may be wrong by the length
of an interval times the range of the acceleration there and in the next interval on either side.  Intervals that hold many steps are left
out: there the accelerations between two outputs are not known well enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .record import Record


# steps between two outputs up to which a motion counts as resolved
RESOLVED = 2
# outputs below which nothing is said: too few to know an acceleration by
FEWEST = 10
# part of the largest velocity that may be missing beyond the bound of the rule
MISSING = 1e-2
# part of the terms of an equation of motion up to which last digits of positions are rounding in it
NOISE = 1e-3
# displacements that are tried for what they make in accelerations
SHIFTS = 4
# velocities below this many absolute tolerances are rest
REST = 1e3


def momentum_error(run: Record) -> tuple[float, str]:
    """Part of the largest velocity that accelerations and blows do not explain, and where it is the largest; (0, "") if all is well."""
    t, v, a = np.asarray(run.t), np.asarray(run.v), np.asarray(run.a)
    steps = run.trace.kept.t
    if len(t) < FEWEST or len(steps) < 2 or not np.isfinite(v).all() or not np.isfinite(a).all():
        return 0.0, ""
    forward = 1.0 if t[-1] >= t[0] else -1.0
    # a wall that is met and left between two outputs: two switches, or parts of the run
    switches = np.sort(
        forward * np.array([*(when for when, _ in run.trace.switches), *(x.t for x in run.trace.segments)])
    )
    known = (_counts(forward * steps, forward * t) <= RESOLVED) & (_counts(switches, forward * t) < 2)
    h, change = np.diff(t)[:, None], np.diff(v, axis=0)
    if run.jumps:
        when = np.array([when for when, _ in run.jumps])
        k = np.searchsorted(forward * t, forward * when)
        k -= (
            t[np.minimum(k, len(t) - 1)] != when
        )  # outputs at that time: it is between the first two of them, or after it
        inside = (k >= 0) & (k < len(change))
        np.subtract.at(change, k[inside], np.array([blow.jump for _, blow in run.jumps])[inside])
    rise = 0.5 * h * (a[1:] + a[:-1])
    change -= rise
    if not known.all():
        change *= known
    drift = np.abs(np.cumsum(change, axis=0))
    # rates of one kind are compared with the largest of their kind: lengths, or angles
    kinds, each = run.system.kinds_of_velocity, np.abs(v).max(axis=0)
    rest = REST * run.problem.atol * run.system.unit_of_velocity
    if (drift.max(axis=0) <= MISSING * np.maximum(_of_kind(each, kinds), rest)).all():
        return 0.0, ""  # less than may be missing, even if the rule were exact
    # between two outputs an acceleration is taken to stay within what it does in the next ones on either side
    wide = np.concatenate([a[:1], a, a[-1:]])
    high, low = np.maximum(wide[1:], wide[:-1]), np.minimum(wide[1:], wide[:-1])
    spread = np.maximum(high[2:], high[:-2]) - np.minimum(low[2:], low[:-2])
    each = np.maximum(each, np.abs(np.cumsum(rise, axis=0)).max(axis=0))
    largest, since = np.maximum(_of_kind(each, kinds), rest), np.where(known, np.abs(h), 0.0)

    def missing(spread: np.ndarray) -> np.ndarray:
        left = drift - np.cumsum(since * spread, axis=0)
        return np.asarray(left.max(axis=0, initial=0.0) / largest)

    part = missing(spread)
    if (part > MISSING).any():
        part = missing(spread + _unknown(run))
    worst = int(np.argmax(part)) if len(part) else 0
    if not len(part) or part[worst] <= MISSING:
        return 0.0, ""
    return float(part[worst]), run.velocity_names[worst]


def _unknown(run: Record) -> np.ndarray:
    """What is left open of positions, in accelerations: last digits, and the absolute tolerance, which a stiff spring turns into large ones.

    Of a body at rest on something stiff the last digits are all of its accelerations, of a small vibration of something stiff the tolerance is many times
    what is there.  Each of the two counts where it is small beside what the forces do: nothing is known of these otherwise.
    """
    # eight units of the last place of the largest coordinate: gaps are differences of several
    last = 8.0 * np.spacing(np.abs(run.q).max(axis=1, keepdims=True, initial=0.0))
    unit = run.system.unit_of_velocity
    if run.q.shape[1] > len(unit):
        unit = np.insert(unit.reshape(-1, 6), 3, 1.0, axis=1).ravel()  # quaternions

    def accelerations(q: np.ndarray) -> np.ndarray:
        y = np.concatenate([q, run.v, run.z], axis=1)
        return type(run)._at_states(run.prepared, run.problem, run.t, y, run.angles, run.sides, run.trace.segments).a

    # what is shifted as a whole leaves springs inside it as they are: signs at random, some times
    signs, here = np.random.default_rng(1).choice([-1.0, 1.0], (SHIFTS, len(unit))), accelerations(run.q)
    mass = run.prepared.at(float(run.t[-1]), run.q[-1], run.v[-1]).mass.diagonal()
    small, unknown = NOISE * run._residuals().force_terms.max(axis=0, initial=0.0), np.zeros(len(mass))
    for off in (last, np.maximum(last, run.problem.atol * unit)):
        found = np.nan_to_num(
            np.max([np.abs(accelerations(run.q + sign * off) - here).max(axis=0) for sign in signs], axis=0), posinf=0.0
        )
        unknown = np.where(found * mass <= small, np.maximum(found, unknown), unknown)
    return unknown


def _counts(instants: np.ndarray, t: np.ndarray) -> np.ndarray:
    """How many of some instants are in each interval between times, as a column."""
    return np.diff(np.searchsorted(instants, t))[:, None]


def _of_kind(each: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """For every velocity the largest of its kind."""
    largest = np.zeros(int(kinds.max(initial=-1)) + 1)
    np.maximum.at(largest, kinds, each)
    return largest[kinds]
