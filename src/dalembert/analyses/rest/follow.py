"""Branches of equilibria along a parameter: from all equilibria at both ends of its range, and through branch points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, MethodError, nearest, shown
from ...model.expression.checks import plain_number
from ...model.lagrangian import Lagrangian
from ...model.reading import listed
from ...state import State
from ..dynamics.start import prepare
from .branches import Branch, Branches, Mark, one
from .continuation import LARGEST, Follower, Point
from .coordinates import Coordinates
from .of_coordinates import OfCoordinates, steady_rates
from .problem import Problem

if TYPE_CHECKING:
    from ...model.mechanism import Mechanism


# branches at most
BRANCHES = 16


class CoordinateFollower(Follower):
    """Follows equilibria of one Lagrangian system."""

    def __init__(
        self, asked: str, model: Lagrangian, name: str, between: tuple[float, float], options: Any, first: OfCoordinates
    ) -> None:
        super().__init__(asked, model, name, between, options)
        self._first = first.statics

    def problem(self, p: float, state: State | None) -> Problem:
        """The system with the parameter p, near a state."""
        t, values = self._first.pose.t, {self.name: p}
        return OfCoordinates(self.asked, self.model, state, self.method, self.spinning, t, values, self._first)

    def _by_parameter(self, p: float, problem: Problem, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Exact ones; rates of a steady motion may change with the parameter."""
        s, h = problem.statics, 1e-4 * self.span
        assert isinstance(s, Coordinates)
        state = s.pose.t, s.pose.q, s.steady, np.zeros(s.nv), lam[: s.n_rows]
        r, _, phi, _ = s.functions.by_parameter(self.name, *state)
        ahead, behind = (steady_rates(self.model, self.asked, self.spinning, {self.name: x})[0] for x in (p + h, p - h))
        return np.append(phi, np.zeros(len(s.scale) - len(phi))), r + s.functions.slopes(*state).r_v @ (
            ahead - behind
        ) / (2 * h)

    def apart(self, a: Mark, b: Mark) -> float:
        """Distance of two marks."""
        delta = self._first.way(a.equilibrium.state.q, b.equilibrium.state.q)
        return math.hypot(self._first.reach(delta), (a.value - b.value) / self.span)


def follow(
    asked: str, model: Mechanism | Lagrangian, along: Any, between: Any, method: str, spinning: Any, start: State | None,
    starts: int | None, turns: float, seed: int, t: float,
) -> Branches:  # fmt: skip
    """Branches of equilibria of a model along a parameter."""
    names = list(model.parameters) if isinstance(model, Lagrangian) else model.parameter_names
    ends = read_range(asked, names, along, between)
    if isinstance(model, Lagrangian):
        on_rates = list(model.nonholonomic)
    else:
        on_rates = [joint.name for joint in model.parts("joint") if any(row.is_rate for row in joint.rows())]
    if on_rates:
        raise MethodError(
            asked,
            f"along = {along!r} with {'rate rows' if isinstance(model, Lagrangian) else 'conditions on velocities by'} {', '.join(map(repr, on_rates))}",
            "such equilibria come in families and depend on how they were reached, so that no branches can be followed",
            "find them for single values of the parameter, with start=",
        )
    options = method, spinning
    if isinstance(model, Lagrangian):
        first = OfCoordinates(asked, model, start, method, spinning, t)
        return branches_of(
            CoordinateFollower(asked, model, along, ends, options, first), first.statics.state, starts, turns, seed
        )
    drawn = start if start is not None else prepare(model, t, None, asked).state
    return branches_of(Follower(asked, model, along, ends, options), drawn, starts, turns, seed)


def read_range(asked: str, names: Sequence[str], along: Any, between: Any) -> tuple[float, float]:
    """The two ends; refuses what is not a parameter with two values."""
    if not isinstance(along, str) or along not in names:
        raise MethodError(
            asked, f"along = {shown(along)}", f"it is not a parameter; {nearest(along, names)}", "name a parameter, made by m.parameter(name, value)"
        )  # fmt: skip
    ends = [plain_number(x) for x in (listed(between) or [])]
    if len(ends) != 2 or any(x is None or not math.isfinite(x) for x in ends) or ends[0] == ends[1]:
        raise MethodError(
            asked,
            f"between = {shown(between)}",
            "two different finite numbers are needed",
            "give between=(first, last)",
        )
    return float(ends[0] or 0.0), float(ends[1] or 0.0)


def branches_of(follower: Follower, drawn: State, starts: int | None, turns: float, seed: int) -> Branches:
    """All branches: from all equilibria at both ends, and through branch points."""
    first, last = follower.between
    branches: list[tuple[list[Point], list[Mark], str]] = []

    def known(point: Point) -> bool:
        return any(_on(follower, point, points) for points, _, _ in branches)

    def trace(begin: Point, *before: Point) -> None:
        points, marks, ended = follower.trace(begin)
        follower.crossings += [m for m in marks if m.kind == "branch"]
        branches.append(([*before, *points], marks, ended))

    for end, sign in ((first, 1.0), (last, -1.0)):
        onward = sign * (1.0 if last > first else -1.0)
        try:
            found = follower.problem(end, drawn).solve(starts, turns, seed)
        except DalembertError:
            if end == last and branches:
                continue
            raise
        for e in found:
            if len(branches) >= BRANCHES:
                break
            problem = follower.problem(end, e.state)
            begin = follower.point(problem, end, (np.zeros(len(e.state.v)), onward))
            if not known(begin):
                trace(begin)
    # branches that cross at branch points; those found here may cross others
    done: list[Mark] = []
    for _, marks, _ in branches:
        for mark in marks:
            if mark.kind != "branch" or any(one(mark, other) for other in done):
                continue
            done.append(mark)
            for side in (1.0, -1.0):
                pair = follower.switch(mark, side)
                low, high = sorted((first, last))
                if pair is None or len(branches) >= BRANCHES or not low <= pair[1].p <= high:
                    continue
                # whether this branch is known shows a little away from the crossing
                if not known(follower.trace(pair[1], 8)[0][-1]):
                    trace(pair[1], pair[0])

    def fold(mark: Mark) -> bool:
        # a branch that turns back at a branch point does so because it crosses another one there
        return not any(follower.apart(mark, other) < 5e-3 for other in follower.crossings)

    return Branches(
        Branch(
            follower.name,
            np.array([x.p for x in points]),
            tuple(x.equilibrium for x in points),
            tuple(m for m in marks if m.kind == "branch" or fold(m)),
            ended,
        )
        for points, marks, ended in branches
    )


def _on(follower: Follower, point: Point, points: Sequence[Point]) -> bool:
    """Whether a point lies on a branch: compared with the equilibrium of the branch at the same parameter."""
    for a, b in zip(points, points[1:]):
        if min(a.p, b.p) - 1e-9 * follower.span <= point.p <= max(a.p, b.p) + 1e-9 * follower.span:
            near = min((a, b), key=lambda x: follower.distance(x, point))
            if follower.distance(near, point) > 3 * LARGEST:
                continue
            there = follower.at(point.p, near.state)
            if there is None:
                continue
            if there.statics.reach(there.statics.way(there.statics.pose.q, point.state.q)) < 1e-5:
                return True
    return False
