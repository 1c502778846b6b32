"""Derivatives of the equations of a model along changes of its state: from the graph, or by differences.

    force    M a + J^T lam - Q     at fixed a and lam
    second   J a - gamma           at fixed a
    rate     J v - nu              of constraints, and of free rows
    state    z'                    of the auxiliary states

Exact ones are those that the compiled model answers (`Dynamics.tangents`).  At a corner of a law they are the mean of both sides.  Laws in Python have no formula, and
where a distance is zero or a force jumps there is no derivative: there, differences of the same quantities are taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...system.system import System
from ...system.trace.derivatives import tangents

if TYPE_CHECKING:
    from ..pose.pose import Pose
    from .bodies import Bodies, Spin
    from .statics import Statics

# step of differences in units of the model's length: with Richardson's rule the error is of fourth order, about 1e-12
STEP = 1e-3
# the same with stops, often pressed in by a little only: smaller until both ends of the step touch, or neither
FINER = (1e-5, 1e-7, 1e-9)
# that of velocities
SPEED = 1e-5
# relative error of exact derivatives, and of differences with the usual step, with a margin; rounding grows as the step shrinks
EXACT, ACCURACY, ROUNDING = 1e-13, 1e-10, 1e-14
# distance in units of the model's length (or its length per second, or a unit of a state) within which a law is at its corner
CORNER = 1e-9

Moves = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Slope:
    """Derivatives along some directions, in columns."""

    mean: np.ndarray  # the derivatives; at a corner of a law the mean of both sides
    half: np.ndarray  # half the difference of both sides: zero but for corners
    cut: np.ndarray  # what of differences changes when steps are doubled
    accuracy: float = EXACT  # relative error

    @property
    def exact(self) -> bool:
        """Whether these are no differences."""
        return self.accuracy == EXACT


def along(
    s: Statics,
    wanted: Sequence[str],
    v: np.ndarray,
    moves: Moves,
    given: Moves,
    part: float | None = None,
    levels: int = 2,
) -> list[Slope]:
    """Derivatives where a mechanism is (after `evaluate`), at velocities v.

    `moves`: columns of changes of "q", "v" and "z" that belong together.  `given`: "lam" and "a".  `part`, `levels`: None: exact ones if there are
    any.  Otherwise differences over this part of the model's length; see `_differences`.
    """
    found = _exactly(s, wanted, v, moves, given) if part is None else None
    if found is not None:
        return found
    made = _differences(s, wanted, v, moves, given, part or STEP, levels)
    if not s.one_sided or part is not None or levels > 2:
        return made
    for finer in FINER:
        closer = _differences(s, wanted, v, moves, given, finer, levels)
        if all(_same(x.mean, y.mean) for x, y in zip(closer, made)):
            break
        made = closer
    return made


def _same(finer: np.ndarray, coarse: np.ndarray) -> bool:
    """Whether a smaller step gives the same: no stop was touched on one side only."""
    change, size = np.max(np.abs(finer - coarse), initial=0.0), np.max(np.abs(finer), initial=0.0)
    return bool(change <= 1e-4 * size)


def _exactly(s: Statics, wanted: Sequence[str], v: np.ndarray, moves: Moves, given: Moves) -> list[Slope] | None:
    if not s.exact:
        return None
    state = _state(s, v, given)
    state["lam"] = s.spread(state["lam"])

    def derived(what: str, by: Sequence[str], memory: np.ndarray | None = None) -> list[np.ndarray] | None:
        found = s.pose.tangents([(what, x) for x in by], state, memory)
        return found if found is not None and _finite(found) else None

    slopes: list[Slope] = []
    for what in wanted:
        found = derived(what, list(moves))
        if found is None:
            return None
        mean = np.array(sum(x @ move for x, move in zip(found, moves.values())))
        slopes.append(Slope(mean, np.zeros_like(mean), np.zeros_like(mean)))
    if not s.one_sided:
        return slopes
    corners = _corners(s, derived("gap", ["", *moves]), moves)
    if corners is None:
        return None
    gaps, rates = corners
    for k in np.flatnonzero(rates.any(axis=0)):
        crossed = rates[:, k] != 0.0
        far = float(np.max(np.abs(gaps[crossed] / rates[crossed, k])))
        sides = [s.pose.beyond(gaps, sign * rates[:, k]) for sign in (1.0, -1.0)]
        for what, slope in zip(wanted, slopes):
            ends = [derived(what, ["", *moves], side) for side in sides if side is not None]
            if len(ends) < 2 or ends[0] is None or ends[1] is None:
                return None
            (f, *ahead), (g, *behind) = ends[0], ends[1]
            one, two = (sum(x @ move[:, k] for x, move in zip(end, moves.values())) for end in (ahead, behind))
            # a corner leaves no more than its slopes make of the way to it: more is a jump
            if np.any(np.abs(f - g)[:, 0] > 4.0 * far * np.abs(one - two) + 1e-12 * float(np.max(np.abs(f)))):
                return None
            slope.mean[:, k], slope.half[:, k] = 0.5 * (one + two), 0.5 * (one - two)
    return slopes


def _finite(found: list[Any]) -> bool:
    return all(np.isfinite(x if isinstance(x, np.ndarray) else x.data).all() for x in found)


def _state(s: Statics, v: np.ndarray, given: Moves) -> dict[str, Any]:
    """What the equations depend on besides the numbers of the model."""
    return {"t": s.pose.t, "q": s.pose.q, "v": v, "a": np.zeros(s.nv), "lam": np.zeros(len(s.scale)), **given}


def _corners(s: Statics, found: list[np.ndarray] | None, moves: Moves) -> tuple[np.ndarray, np.ndarray] | None:
    """Gaps of all switches, and their rates along the columns of changes, zero but for those whose corner is here."""
    if found is None:
        return None
    gaps, size = found[0][:, 0], s.system.length / s.size
    reach = sum(abs(x) @ (np.ones(x.shape[1]) if by == "z" else size) for by, x in zip(moves, found[1:]))
    rates = sum(x @ move for x, move in zip(found[1:], moves.values()))
    here = (np.abs(gaps) <= CORNER * reach) & (reach > 0.0)
    # what rounding makes of a motion that does not change a gap
    longest = np.max([np.max(np.abs(move), axis=0) for move in moves.values()], axis=0)
    moving = np.abs(rates) > 1e-9 * np.outer(reach, longest) / s.system.length
    return gaps, np.where(here[:, None] & moving, rates, 0.0)


def _differences(
    s: Statics, wanted: Sequence[str], v: np.ndarray, moves: Moves, given: Moves, part: float, levels: int
) -> list[Slope]:
    """The same by differences over this part of the model's length, and twice and four times that.

    One level: central differences; two: by Richardson's rule; three: with what changes when steps are doubled, and half the difference of both sides.
    """
    pose, work = s.pose, s.pose.work
    start, z0, state = pose.q, work.state.copy(), _state(s, v, given)
    count = next(iter(moves.values())).shape[1]
    none = {"q": np.zeros(s.nv), "v": np.zeros(s.nv), "z": np.zeros(len(z0))}
    speed = SPEED * (s.system.length + float(np.max(np.abs(v * s.size), initial=0.0)))
    columns: list[list[list[np.ndarray]]] = [[] for _ in wanted]
    for k in range(count):
        d = none | {by: move[:, k] for by, move in moves.items()}
        if d["q"].any():
            # the step is the same motion for all directions
            step = part / s.reach(d["q"])
        elif d["v"].any():
            step = speed / (s.system.length * s.reach(d["v"]))
        else:
            assert isinstance(s.system, System)  # coordinates have no states of their own
            scale = np.maximum(np.abs(z0), s.system.builder.state_scales)
            step = STEP / max(float(np.max(np.abs(d["z"]) / scale)), 1e-300)

        def at_distance(c: float, d: dict[str, np.ndarray] = d) -> list[np.ndarray]:
            pose.q = start
            pose.q, work.state[:] = pose.shifted(c * d["q"]), z0 + c * d["z"]
            s.evaluate(v + c * d["v"])
            return [_value(s, what, v + c * d["v"], state) for what in wanted]

        here = at_distance(0.0) if levels > 2 else []
        ends = [(at_distance(2**n * step), at_distance(-(2**n) * step)) for n in range(levels)]
        for w in range(len(wanted)):
            steps = [(x[w] - y[w]) / (2 ** (n + 1) * step) for n, (x, y) in enumerate(ends)]
            near, *wide = [(4 * x - y) / 3 for x, y in zip(steps, steps[1:])] or steps
            half = (ends[0][0][w] + ends[0][1][w] - 2 * here[w]) / (2 * step) if here else 0.0 * near
            columns[w].append([near, half, near - wide[0] if wide else 0.0 * near])
    pose.q, work.state[:] = start, z0
    s.evaluate(None if s.spinning else v)
    accuracy = max(ACCURACY, ROUNDING / part)
    made = [[np.column_stack(x) for x in zip(*found)] for found in columns]
    return [Slope(mean, half, cut, accuracy) for mean, half, cut in made]


def _value(s: Statics, what: str, v: np.ndarray, state: dict[str, Any]) -> np.ndarray:
    if what == "state":
        return np.array(s.pose.work.force[: len(s.pose.work.state)])
    if what == "force":
        return np.where(s.active, s.residual(state["lam"]) + s.mass @ state["a"], 0.0)
    return s.second(state["a"]) if what == "second" else s.rates(v)


def by_numbers(
    s: Bodies, beside: Sequence[tuple[Pose, Spin | None, float]], lam: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Exact derivatives of phi and J^T lam - Q along a change of numbers: poses of models beside this one, with weights of a difference.

    Numbers that change count as any number, also where they are 0 or 1 here.  None where there are no derivatives.
    """
    here, others = s.system.numbering, [pose.system.numbering for pose, _, _ in beside]
    if s._tangents is None or not all(np.array_equal(other.I, here.I) for other in others):
        return None
    changes = np.array([other.P - here.P for other in others])
    moved = np.flatnonzero(changes.any(axis=0))
    if np.any(moved >= here.n_smooth):
        return None
    any_number = here.P.copy()
    any_number[moved] = math.e
    v, a, by_v, by_a = (np.zeros(s.nv) for _ in range(4))
    if s.spin is not None:
        v, a = s.spin.motion(s.pose)
        for pose, spin, weight in beside:
            assert spin is not None
            change_v, change_a = spin.motion(pose)
            by_v, by_a = by_v + weight * change_v, by_a + weight * change_a
    state = _state(s, v, {"lam": s.spread(lam), "a": a})
    state["dP"] = np.array([weight for _, _, weight in beside]) @ changes
    by = f"p {' '.join(map(str, moved))}"
    programs = tangents(replace(here, P=any_number))
    found = programs([("value", by), ("force", by), ("force", "v")], here, s.pose.work.F, state)
    if found is None or not _finite(found):
        return None
    phi, force, damping = found
    residual = np.where(s.active, force[:, 0] + damping @ by_v + s.mass @ by_a, 0.0)
    return np.append(phi[: s.n_rows, 0], np.zeros(len(s.held_rows))), residual
