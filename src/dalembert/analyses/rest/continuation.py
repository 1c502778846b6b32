"""Equilibria followed along a parameter: pseudo-arclength steps, folds and branch points.

With the free motions y and the parameter p the reduced force g(y, p) = 0 is a curve; its tangent is the null vector of [K, dg/dp].
Steps are corrected in the plane across the tangent, so the curve is followed round folds.  Where an eigenvalue of M^-1 K changes sign
K is singular with K u = 0: a fold if u . dg/dp is not zero (the curve turns back), a branch point otherwise (another curve crosses).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, MethodError, ModelError, nearest, shown
from ...model.expression.checks import plain_number
from ...model.lagrangian import Lagrangian
from ...model.reading import listed
from ...results.paged import Paged
from ...state import State
from ..equilibrium import Equilibrium
from .problem import Problem

if TYPE_CHECKING:
    from ...model.mechanism import Mechanism


# -- results ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Mark:
    """A fold or branch point: its parameter value, the equilibrium there, and the motion that costs nothing."""

    kind: str
    value: float
    equilibrium: Equilibrium = field(repr=False)
    motion: np.ndarray = field(repr=False)


@dataclass(frozen=True, eq=False)
class Branch(Paged):
    """Equilibria along one curve: `values` of the parameter, `equilibria` at them, `marks` on the way.

    `ended` says why it ends: at the end of the "range", at a "branch point" of another branch, "closed" in itself, or "lost" where no
    next point was found.
    """

    parameter: str
    values: np.ndarray
    equilibria: tuple[Equilibrium, ...] = field(repr=False)
    marks: tuple[Mark, ...]
    ended: str = "range"

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Verdict at each point."""
        return tuple(e.verdict for e in self.equilibria)

    def coordinate(self, name: str) -> np.ndarray:
        """A coordinate of the table along the branch."""
        known = self.equilibria[0].coordinates
        if name not in known:
            raise ModelError(
                f"coordinate {shown(name)} of a branch",
                "it is not in the table",
                nearest(name, known),
                "use one of these",
            )
        return np.array([e.coordinates[name][0] for e in self.equilibria])

    def __repr__(self) -> str:
        return f"<Branch of {len(self.values)} equilibria, {self.parameter} from {self.values[0]:.6g} to {self.values[-1]:.6g}>"


class Branches(Paged, tuple[Branch, ...]):
    """Branches of equilibria along a parameter; prints as a table with folds and branch points."""

    def _marks(self, kind: str) -> tuple[Mark, ...]:
        found: list[Mark] = []
        for mark in (m for branch in self for m in branch.marks if m.kind == kind):
            if not any(one(mark, other) for other in found):
                found.append(mark)
        return tuple(found)

    @property
    def folds(self) -> tuple[Mark, ...]:
        """Points where a branch turns back."""
        return self._marks("fold")

    @property
    def branch_points(self) -> tuple[Mark, ...]:
        """Points where branches cross."""
        return self._marks("branch")

    def __str__(self) -> str:
        lines = []
        for k, branch in enumerate(self):
            changes = [branch.verdicts[0]]
            changes += [b for a, b in zip(branch.verdicts, branch.verdicts[1:]) if a != b]
            parts = [v for v in changes if v != "degenerate"] or changes
            values = np.asarray(branch.values, dtype=float)
            steps = np.diff(values)
            back = 1 + np.flatnonzero(
                steps[:-1] * steps[1:] < 0.0
            )  # where the parameter turns back, to the digits of a step
            ends = [f"{values[0]:.6g}", *(f"{value:.3g}" for value in values[back]), f"{values[-1]:.6g}"]
            spans = f"{branch.parameter} {' … '.join(ends)}"
            notes = [f"{m.kind} at {m.value:.9g}" for m in branch.marks]
            marks = ", ".join([*notes, *(["lost there"] if branch.ended == "lost" else [])])
            lines.append(f"branch {k}  {spans}  {len(branch.values)} points  {' → '.join(parts)}  {marks}".rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def one(a: Mark, b: Mark) -> bool:
    """Whether two marks are one that was met on two branches."""
    near = abs(a.value - b.value) <= 1e-5 * max(abs(a.value), abs(b.value), 1e-300)
    return near and bool(np.allclose(a.equilibrium.state.q, b.equilibrium.state.q, atol=3e-3))


# -- following one branch --------------------------------------------------------------------------------------------------


# arclength in units of the model's length, radians and the range of the parameter
FIRST, LARGEST, SMALLEST = 0.01, 0.1, 1e-6
# points of one branch
POINTS = 600
# branches at most
BRANCHES = 16


@dataclass
class Point:
    """A point of the curve with what a step from it needs."""

    p: float
    problem: Problem
    state: State
    z: np.ndarray
    slide: np.ndarray  # displacement that follows the rows per unit of the parameter, J slide = -dphi/dp
    tangent: tuple[np.ndarray, float]  # displacement and change of the parameter, of unit length
    gradient: np.ndarray  # dg/dp along z
    equilibrium: Equilibrium


class Follower:
    """Follows equilibria of one model along one parameter; `first`: the model as it is."""

    def __init__(
        self, asked: str, model: Any, name: str, between: tuple[float, float], options: Any, first: Problem | None = None
    ) -> None:  # fmt: skip
        self.asked, self.model, self.name, self.between, self.first = asked, model, name, between, first
        self.method, self.spinning = options
        self.span = abs(between[1] - between[0])
        self.crossings: list[Mark] = []  # branch points found so far

    # -- single points ---------------------------------------------------------------------------------------------------

    def problem(self, p: float, state: State) -> Problem:
        """The model with the parameter p, near a state."""
        like = None if self.first is None else self.first.statics
        return Problem(self.asked, self.model, state, self.method, self.spinning, state.t, {self.name: p}, like)

    def _length(self, problem: Problem, delta: np.ndarray, dp: float) -> float:
        s = problem.statics
        return math.hypot(float(np.linalg.norm(delta * s.size)) / s.system.length, dp / self.span)

    def _inner(self, problem: Problem, a: tuple[np.ndarray, float], b: tuple[np.ndarray, float]) -> float:
        s = problem.statics
        weight = (s.size / s.system.length) ** 2
        return float(a[0] @ (weight * b[0])) + a[1] * b[1] / self.span**2

    def point(self, problem: Problem, p: float, before: tuple[np.ndarray, float] | None) -> Point:
        """Tangent and judgement at a converged place; `before` orients the tangent."""
        s = problem.statics
        equilibrium = problem.here()
        z, state = equilibrium.motions, s.pose.state
        slide, gradient = self._slope(problem, p, z)
        k = equilibrium.K
        # scaled so that a unit of y is the model's length and a unit of p is its range
        matrix = np.column_stack([k * s.system.length, gradient * self.span])
        null = np.linalg.svd(matrix)[2][-1]
        delta = z @ (null[:-1] * s.system.length) + slide * (null[-1] * self.span)
        tangent = delta, float(null[-1] * self.span)
        size = self._length(problem, *tangent)
        sign = 1.0
        if before is not None and self._inner(problem, tangent, before) < 0.0:
            sign = -1.0
        tangent = sign * tangent[0] / size, sign * tangent[1] / size
        return Point(p, problem, state, z, slide, tangent, gradient, equilibrium)

    def _slope(self, problem: Problem, p: float, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Displacement that follows the rows per unit of the parameter, and dg/dp along the free motions."""
        s = problem.statics
        lam = s.multipliers(s.force)
        phi_p, r_p = s.by_parameter(self.name, p, self.between, lam)
        slide = s.correction(phi_p)
        along = s.tangent(slide[:, None], lam, levels=2).mean[:, 0] if np.any(slide) else np.zeros(s.system.nv)
        return slide, z.T @ (r_p + along)

    def step(
        self, here: Point, ds: float, tangent: tuple[np.ndarray, float] | None = None, *, exact: bool = False
    ) -> Problem | None:
        """Place at an arclength ds from a point, and its parameter in `problem.p`; None if the corrections do not converge.

        Every change of the parameter builds the mechanism anew.  Where K is not nearly singular the last digits are therefore found
        with the parameter held, unless the arclength is to be `exact`; and the derivative by the parameter is that of the point, unless
        this does not converge.
        """
        direction = here.tangent if tangent is None else tangent
        made = self._corrected(here, ds, direction, exact, fresh=False)
        return self._corrected(here, ds, direction, exact, fresh=True) if made is None else made

    def _corrected(
        self, here: Point, ds: float, tangent: tuple[np.ndarray, float], exact: bool, fresh: bool
    ) -> Problem | None:
        """The step with the derivative by the parameter of the point, or computed anew in every correction."""
        direction, dp = tangent
        s = here.problem.statics
        here.problem.search.place = here.state.q, here.state.angles
        s.move(ds * direction)
        p, state = here.p + ds * dp, s.pose.state
        for _ in range(12):
            try:
                problem = self.problem(p, state)
            except DalembertError:
                return None
            s = problem.statics
            z, g = problem.search.reduced()
            k = problem.search.stiffness(z)
            if not (np.isfinite(g).all() and np.isfinite(k).all()) or z.shape != here.z.shape:
                return None
            slide, carried = here.slide, z.T @ (s.size**2 * (here.z @ here.gradient))
            if fresh:
                slide, carried = self._slope(problem, p, z)
            row = z.T @ ((s.size / s.system.length) ** 2 * direction)
            matrix = np.block([[k, carried[:, None]], [row[None, :], np.array([[dp / self.span**2]])]])
            # how far the place is across the plane asked for
            gone = s.way(here.state.q, s.pose.q)
            off = ds - self._inner(problem, (gone, p - here.p), (direction, dp))
            if not np.isfinite(matrix).all():
                return None
            y, *_ = np.linalg.lstsq(matrix, np.append(-g, off), rcond=1e-13)
            delta, change = z @ y[:-1] + slide * y[-1], float(y[-1])
            size = self._length(problem, delta, change)
            if size > 5.0 * max(abs(ds), 1e-3):
                return None
            problem.p = p
            if float(np.linalg.norm(g)) <= 1e-11 * problem.search.scale(k) and size <= 1e-9:
                return problem
            held = z @ np.linalg.lstsq(k, -g, rcond=1e-13)[0]
            if not exact and self._length(problem, held, 0.0) <= 0.01 * abs(ds) and size <= 0.1 * abs(ds):
                return problem if problem.search.newton() else None
            s.move(delta)
            p, state = p + change, s.pose.state
        return None

    def at(self, p: float, state: State) -> Problem | None:
        """The equilibrium with the parameter p near a state."""
        try:
            problem = self.problem(p, state)
        except DalembertError:
            return None
        problem.p = p
        return problem if problem.search.newton() else None

    # -- branches --------------------------------------------------------------------------------------------------------

    def trace(self, first: Point, limit: int = POINTS) -> tuple[list[Point], list[Mark], str]:
        """Points from the first one in the direction of its tangent, marks on the way, and how it ended."""
        points, marks, ds = [first], [], FIRST
        low, high = sorted(self.between)
        while len(points) < limit and ds >= SMALLEST:
            here = points[-1]
            ahead = here.p + ds * here.tangent[1]
            if not low <= ahead <= high:
                end = self._end(here, low if ahead < low else high, ds)
                if end is not None:
                    marks += self._marks_between(here, end)
                    return [*points, end], marks, "range"
            turned = self._turned(here, ds)
            if turned is None or not low <= turned.p <= high:
                ds *= 0.5
                continue
            crossing = self._crossing(here, ds)
            if crossing is not None and len(points) > 1:
                return [*points, crossing], marks, "branch point"
            marks += self._marks_between(here, turned, ds)
            points.append(turned)
            ds = min(LARGEST, 1.4 * ds)
            if len(points) > 8 and self.distance(turned, first) < 0.5 * ds:
                return [*points, first], marks, "closed"
        return points, marks, "lost"

    def _turned(self, here: Point, ds: float) -> Point | None:
        """Next point; None if it is not found, or if the curve turns so quickly that a smaller step is wanted."""
        made = self.step(here, ds)
        if made is None:
            return None
        turned = self.point(made, made.p, here.tangent)
        quick = self._inner(made, turned.tangent, here.tangent) < 0.9 and ds > 20 * SMALLEST
        return None if quick else turned

    def _end(self, here: Point, p: float, ds: float) -> Point | None:
        part = (p - here.p) / here.tangent[1]
        problem = self.at(p, self._shifted(here, part))
        if problem is None:
            return None
        made = self.point(problem, p, here.tangent)
        return made if self.distance(here, made) < 2.0 * ds else None

    def _crossing(self, here: Point, ds: float) -> Point | None:
        """A branch point ahead at which this branch ends: it arrives along the motion that costs nothing there."""
        s = here.problem.statics
        for mark in self.crossings:
            ahead = s.way(here.state.q, mark.equilibrium.state.q), mark.value - here.p
            motion = mark.motion / self._length(here.problem, mark.motion, 0.0), 0.0
            if abs(self._inner(here.problem, here.tangent, motion)) < 0.5:
                continue
            if self._inner(here.problem, ahead, here.tangent) > 0.0 and self._length(here.problem, *ahead) < 1.2 * ds:
                problem = self.problem(mark.value, mark.equilibrium.state)
                return self.point(problem, mark.value, here.tangent)
        return None

    def distance(self, a: Point, b: Point) -> float:
        """Distance of two points."""
        return self._length(a.problem, a.problem.statics.way(a.state.q, b.state.q), a.p - b.p)

    def apart(self, a: Mark, b: Mark) -> float:
        """Distance of two marks."""
        assert self.first is not None
        s = self.first.statics
        return math.hypot(s.reach(s.way(a.equilibrium.state.q, b.equilibrium.state.q)), (a.value - b.value) / self.span)

    def _marks_between(self, a: Point, b: Point, ds: float | None = None) -> list[Mark]:
        x, y = a.equilibrium.eigenvalues, b.equilibrium.eigenvalues
        if np.iscomplexobj(x) or np.iscomplexobj(y):
            return []
        found = []
        length = self.distance(a, b) if ds is None else ds
        for k in range(len(x)):
            if (x[k] < 0.0) != (y[k] < 0.0):
                mark = self._locate(a, length, k, float(x[k]), float(y[k]))
                if mark is not None:
                    found.append(mark)
        return found

    def _locate(self, a: Point, length: float, index: int, f_low: float, f_high: float) -> Mark | None:
        """The point where eigenvalue `index` is zero.

        The Illinois rule in arclength brings it near zero; the last digits are extrapolated from the points passed, because close to it
        the place along the motion that costs nothing is determined by rounding.
        """
        low, high = 0.0, length
        first = max(abs(f_low), abs(f_high))
        passed: list[tuple[float, float, float, Problem]] = []
        for _ in range(30):
            middle = (low * f_high - high * f_low) / (f_high - f_low)
            problem = self.step(a, middle, exact=True)
            if problem is None:
                break
            value = float(problem.here().eigenvalues[index])
            passed.append((value, middle, problem.p, problem))
            if abs(value) <= 3e-4 * first:
                break
            if (value < 0.0) == (f_low < 0.0):
                low, f_low, f_high = middle, value, 0.5 * f_high
            else:
                high, f_high, f_low = middle, value, 0.5 * f_low
        if not passed:
            return None
        nearest_point = min(passed, key=lambda x: abs(x[0]))
        there = self.point(nearest_point[3], nearest_point[2], a.tangent)
        passed += self._around(there, index, nearest_point, 1e-2 * length)
        values = np.array([x[0] for x in passed])
        keep = np.argsort(np.abs(values))[:4]
        place = _zero(values[keep], np.array([x[1] for x in passed])[keep]) - nearest_point[1]
        p = _zero(values[keep], np.array([x[2] for x in passed])[keep])
        # straight on from the nearest point: it is so near that curvature does not count
        problem = self.problem(p, self._shifted(there, place))
        s, e = problem.statics, problem.here()
        there = self.point(problem, p, a.tangent)
        u, _, vt = np.linalg.svd(e.K)
        pull = abs(float(u[:, -1] @ there.gradient)) * self.span
        kind = "fold" if pull > 1e-4 * problem.search.scale(e.K) else "branch"
        motion = e.motions @ vt[-1]
        return Mark(kind, p, e, motion / s.reach(motion))

    def _around(self, there: Point, index: int, at: Any, h: float) -> list[tuple[float, float, float, Problem]]:
        """Eigenvalue, arclength and parameter at small distances on both sides of a point."""
        found = []
        for step in (h, -h, 2 * h):
            problem = self.step(there, step, exact=True)
            if problem is not None:
                found.append((float(problem.here().eigenvalues[index]), at[1] + step, problem.p, problem))
        return found

    def _shifted(self, point: Point, ds: float) -> State:
        point.problem.search.place = point.state.q, point.state.angles
        point.problem.statics.move(ds * point.tangent[0])
        return point.problem.statics.pose.state

    def switch(self, mark: Mark, side: float) -> tuple[Point, Point] | None:
        """First two points of the branch that crosses at a branch point: along the motion that costs nothing."""
        problem = self.at(mark.value, mark.equilibrium.state)
        if problem is None:
            return None
        problem.search.place = mark.equilibrium.state.q, mark.equilibrium.state.angles
        problem.statics.onto()
        here = self.point(problem, mark.value, None)
        size = self._length(problem, mark.motion, 0.0)
        direction = side * mark.motion / size, 0.0
        for ds in (FIRST, 3 * FIRST, 0.1 * FIRST):
            made = self.step(here, ds, direction)
            if made is not None:
                gone = made.statics.way(here.state.q, made.statics.pose.q), made.p - here.p
                return here, self.point(made, made.p, gone)
        return None


def _zero(f: np.ndarray, x: np.ndarray) -> float:
    """Where f is zero: x as a polynomial of f through all points (inverse interpolation)."""
    total = 0.0
    for k in range(len(f)):
        others = np.delete(f, k)
        total += float(x[k] * np.prod(others / (others - f[k])))
    return total


# -- all branches -------------------------------------------------------------------------------------------------------------


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
    first = Problem(asked, model, start, method, spinning, t)
    follower = Follower(asked, model, along, ends, (method, spinning), first)
    return branches_of(follower, first.statics.state, starts, turns, seed)


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
