"""Where searches begin besides, and how many equilibria there must be.

Starts are made from equilibria that are known: what hangs on the rest of a mechanism by one joint only moves as a rigid body if nothing else in it moves.  The rigid motions that the
joint allows it are twists with J R t = 0; one without pitch is a rotation about a fixed axis, and half a turn about it leads to another
place on all rows.  In an open chain of pendulums these half turns lead from one equilibrium to all 2^n.

How many equilibria there must be: Morse's inequalities for an energy on a torus.

On the torus of n angles a function without degenerate points has c_i stationary points of index i (number of negative eigenvalues), with

    sum_{j<=i} (-1)^(i-j) c_j >= sum_{j<=i} (-1)^(i-j) binomial(n, j),     equal for i = n: sum (-1)^i c_i = 0

so at least binomial(n, i) of index i, and 2^n in all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...model.reading import cross_matrix, quaternion_matrix
from ...system.subspaces import null_space, span
from ..equilibrium import Equilibrium
from .bodies import Bodies, turned
from .coordinates import Coordinates
from .statics import SEARCHED, Place, Statics

# -- parts that can be turned over -----------------------------------------------------------------------------------------


# a turn is made in strides, so that springs that count turns follow it
STRIDES = 4


@dataclass(frozen=True)
class Axis:
    """A part, by the indices of its bodies, that can turn about an axis."""

    bodies: np.ndarray
    point: np.ndarray
    axis: np.ndarray


class Flips:
    """The parts of a mechanism that hang by one joint."""

    seldom = False  # a part that hangs by one joint turns by itself

    def __init__(self, statics: Bodies) -> None:
        self.statics = s = statics
        self.count = len(s.system.builder.bodies)
        rows: dict[int, set[int]] = {}
        width = s.system.builder.width
        for row, column in s.touched:
            rows.setdefault(int(row), set()).add(int(column) // width)
        # bodies held together by the same rows; -1 is the ground
        self._links = {frozenset(bodies | ({-1} if len(bodies) == 1 else set())) for bodies in rows.values()}
        self.parts = [part for link in self._links if len(link) == 2 and (part := self._beyond(link)) is not None]
        self.parts.sort(key=lambda part: (len(part), tuple(part)))

    def _beyond(self, cut: frozenset[int]) -> np.ndarray | None:
        """Bodies that only one link ties to the ground; None if others do."""
        others = self._links - {cut}
        reached = _tied(frozenset({-1}), others)
        beyond = _tied(cut - reached, others)
        return np.array(sorted(beyond)) if len(cut & reached) == 1 and beyond else None

    def axes(self) -> list[Axis]:
        """Axes about which parts can turn from here."""
        return [axis for part in self.parts for axis in self._axes(part)]

    def twists(self, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rigid motions that rows allow a part, as columns of translation and rotation about its centre, and this centre."""
        s = self.statics
        q = s.pose.q.reshape(self.count, -1)
        plane, width = s.system.plane, s.system.builder.width
        linear = 2 if plane else 3
        centre = q[part, :linear].mean(axis=0)
        rigid = np.zeros((s.system.nv, 3 if plane else 6))
        for b in part:
            o, arm = width * b, q[b, :linear] - centre
            rigid[o : o + linear, :linear] = np.eye(linear)
            if plane:
                rigid[o : o + 3, 2] = -arm[1], arm[0], 1.0
            else:
                rigid[o : o + 3, 3:] = -cross_matrix(arm)
                rigid[o + 3 : o + 6, 3:] = quaternion_matrix(q[b, 3:]).T
        rigid[~s.active] = 0.0
        size = np.array([1.0] * linear + [s.system.length] * (rigid.shape[1] - linear))
        moved = s.scale[:, None] * (s.jac @ rigid) * (s.system.length / size)
        return null_space(moved, SEARCHED, size=1.0) / size[:, None], centre

    def _axes(self, part: np.ndarray) -> list[Axis]:
        allowed, centre = self.twists(part)
        if self.statics.system.plane:
            # centre of rotation: v + w e x r = 0
            found = (
                [t for t in allowed.T if abs(t[2]) > 1e-6 * np.max(np.abs(t), initial=0.0)]
                if allowed.shape[1] == 1
                else []
            )
            z = np.array([0.0, 0.0, 1.0])
            return [Axis(part, centre + np.array([-t[1], t[0]]) / t[2], z) for t in found]
        gravity = self.statics.system.builder.gravity
        found_axes = []
        for w in _across(allowed[3:], gravity):
            v = allowed[:3] @ np.linalg.lstsq(allowed[3:], w, rcond=1e-9)[0]
            if abs(v @ w) <= 1e-9 * (float(np.linalg.norm(v)) + self.statics.system.length):
                found_axes.append(Axis(part, centre + np.cross(w, v), w))
        return found_axes

    def turn(self, axis: Axis, angle: float) -> bool:
        """Turn a part about an axis from here; whether the place is on the rows."""
        s = self.statics
        for _ in range(STRIDES):
            s.pose.q = turned(s.pose.q, s.system.plane, axis.bodies, axis.point, axis.axis, angle / STRIDES)
            s.pose.follow()
        return s.onto()

    def flipped(self, place: Place, axis: Axis, start: Place) -> Place | None:
        """The place with a part turned by half a turn, to the side on which its angles come nearer to those of the start."""
        self.statics.place = place
        sign = 1.0
        if self.statics.system.plane:
            b = 3 * int(axis.bodies[0]) + 2
            sign = -1.0 if place[0][b] > start[0][b] else 1.0
        return self.statics.place if self.turn(axis, sign * math.pi) else None

    def is_torus(self, start: Place) -> bool:
        """Whether positions are angles of joints, and forces the same after a full turn of each: the place moved to is one of no symmetry."""
        s = self.statics
        # a tree: every link ties one part to the rest, no loops, nothing loose
        if not len(self.parts) == len(self._links) == self.count or s.on_rates.any():
            return False
        self.statics.place = start
        s.onto()
        free = 0
        for part in self.parts:
            axes = self._axes(part)
            motions = self.twists(part)[0].shape[1]
            if motions != len(axes) or motions > 1:
                return False
            free += motions
        if free != s.dof:
            return False
        for k, axis in enumerate(self.axes()):
            self.turn(axis, 0.7 + 0.3 * math.cos(k))
        place = self.statics.place
        for axis in self.axes():
            self.statics.place = place
            s.onto()
            before = s.force.copy()
            back = s.pose.q.copy()
            if not (self.turn(axis, math.pi) and self.turn(axis, math.pi)) or s.reach(s.way(back, s.pose.q)) > 1e-8:
                return False
            size = max(float(np.max(np.abs(before / s.size))), 1e-300)
            if float(np.max(np.abs((s.force - before) / s.size))) > 1e-7 * size:
                return False
        return True


def _tied(first: frozenset[int], links: set[frozenset[int]]) -> set[int]:
    reached, more = set(first), True
    while more:
        more = False
        for link in links:
            if link & reached and not link <= reached:
                reached |= link
                more = True
    return reached


def _across(allowed: np.ndarray, gravity: np.ndarray) -> list[np.ndarray]:
    """Unit vectors in the span of the rotations allowed: two level ones where all are, else one for each."""
    axes = span(allowed, SEARCHED)
    if axes.shape[1] < 3:
        return list(axes.T)
    if not np.any(gravity):
        return list(np.eye(3))
    return list(np.linalg.svd(gravity[None, :])[2][1:])


class Angles:
    """Angles of a Lagrangian system, each of which can be turned over."""

    def __init__(self, statics: Coordinates) -> None:
        self._statics, self.seldom = statics, statics.functions.h > 0

    def axes(self) -> list[int]:
        """Angles that are not held."""
        return [int(k) for k in np.flatnonzero(self._statics.angle) if k not in self._statics.held]

    def flipped(self, place: Place, axis: int, start: Place) -> Place | None:
        """The place with one angle changed by half a turn: nearer to that of the start."""
        s, q = self._statics, place[0].copy()
        q[axis] += math.pi if q[axis] <= start[0][axis] else -math.pi
        s.place = q, place[1]
        return s.wrapped(s.place) if s.onto() else None

    def is_torus(self, start: Place) -> bool:
        """Whether all positions are angles after full turns of which nothing changes."""
        s = self._statics
        return not s.n_rows and all(s.wraps[k] for k in range(s.nv) if k not in s.held)


def turning(statics: Statics) -> Flips | Angles:
    """Parts of a model that can be turned over."""
    if isinstance(statics, Coordinates):
        return Angles(statics)
    assert isinstance(statics, Bodies)
    return Flips(statics)


# -- Morse's inequalities --------------------------------------------------------------------------------------------------


# rounds of further random starts while Morse's inequalities ask for more, and up to how many angles: 2^n grows
ROUNDS, FEW = 3, 6


@dataclass(frozen=True)
class SearchReport:
    """How complete a list of equilibria is; prints as a sentence.

    Attributes
    ----------
    complete
        True: the whole closed path of one free motion was looked through; False: more must exist; None: not known.
    missing
        How many more must exist at least.
    free_motions
        Of the system.
    starts
        Places at which the search began, or places of the path.
    found
        Equilibria found.
    morse
        Equilibria that must exist at least, 2^n on the torus of n angles; 0 where no such number is known.
    words
        The same in words.
    """

    complete: bool | None
    missing: int
    free_motions: int
    starts: int
    found: int
    morse: int
    words: str

    def __str__(self) -> str:
        return self.words


def missing(n: int, known: Sequence[int]) -> int:
    """How many stationary points at least are missing on the torus of n angles, if those with these indices were found."""
    counts = [list(known).count(i) for i in range(n + 1)]
    lack = [math.comb(n, i) - c for i, c in enumerate(counts)]
    sums, last = [], 0
    for x in lack:
        last = x - last
        sums.append(last)
    # each index for itself; each inequality; the sum over all, which must be zero
    return max(sum(max(x, 0) for x in lack), *(max(x, 0) for x in sums), abs(last))


def indices(found: Sequence[Equilibrium]) -> list[int] | None:
    """Numbers of negative eigenvalues; None if some eigenvalue is zero or complex."""
    if any(np.iscomplexobj(e.eigenvalues) or np.min(np.abs(e.eigenvalues)) <= e._zero for e in found):
        return None
    return [int(np.sum(e.eigenvalues < 0.0)) for e in found]


def report(dof: int, starts: int, turned: int, found: int, torus: bool, known: Sequence[int] | None) -> SearchReport:
    """What a search from many starts can say; `known`: the indices of what was found, None if some of them are degenerate."""
    begun = f"search: {starts} start{'s' * (starts != 1)}"
    if turned:
        begun += f" and {turned} with parts of equilibria turned over"
    open_end = "more may exist"
    if not torus:
        return SearchReport(None, 0, dof, starts + turned, found, 0, f"{begun}; {open_end}")
    least = 2**dof
    if known is None:
        why = f"Morse's inequalities do not count where a stiffness is zero; {open_end}"
        return SearchReport(None, 0, dof, starts + turned, found, 0, f"{begun}; {why}")
    lack = missing(dof, known)
    if lack:
        words = f"{begun}; incomplete: at least {lack} more exist (Morse's inequalities on the torus of {dof} angles); give more starts="
        return SearchReport(False, lack, dof, starts + turned, found, least, words)
    number = f"{least} is the least" if found == least else f"at least {least} exist"
    words = f"{begun}; Morse's inequalities hold ({number} on the torus of {dof} angles); {open_end}"
    return SearchReport(None, 0, dof, starts + turned, found, least, words)
