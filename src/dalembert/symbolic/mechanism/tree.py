"""Joint coordinates: what each joint leaves free, and a spanning tree of joints that reaches every body once.

Between the frames F_i and F_j of a joint on its bodies

    A_j F_j = A_i F_i R          P_j = P_i + A_i F_i d

with R and d functions of the coordinates of the joint.  Going out along the tree this gives every body from the one before it; joints
that are not in the tree close loops and stay rows.  A body that no such joint reaches is free: it has coordinates of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.body import Body
from ...model.expression import Expr, Name, Number
from ...model.expression.derivative import ZERO, negative, over, plus, times
from ...model.joints._base import moves_of, turns_of
from ...model.lagrangian.vectors import IDENTITY, Matrix, Vector
from ...model.measure import ROTATIONAL, Measure
from ...model.mechanism import Mechanism
from .drawing import SymbolicDrawing, expression, matrix
from .measures import drawn_value

if TYPE_CHECKING:
    from ...model.joints._base import Joint


Read = Callable[[np.ndarray, np.ndarray, float], list[float]]

# names of coordinates by what they are
ANGLE, SLIDE = "theta", "s"
CARDAN = ("alpha", "beta", "gamma")  # about x, y, z, one after the other
# entries of rotation matrices that are as far off count as equal
ROUNDING = 1e-12


class NewNames:
    """Names for coordinates that nothing else in the model has."""

    def __init__(self, model: Mechanism) -> None:
        self._taken = {*model.parameter_names, "t", "pi"}

    def __call__(self, base: str, part: str) -> str:
        """Name "base_part" with the letters that names may have."""
        tail = "".join(c if c.isalnum() else "_" for c in part)
        name = f"{base}_{tail}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


@dataclass(frozen=True, eq=False)
class Freedom:
    """What a joint leaves free: turns, the constant rotation after them, angle measures in space that are known functions of the turns.

    `read` gives values of the coordinates from the numbers R, d and (in the plane) phi_j - phi_i; before `freedom` adds displacements, of the turns.
    """

    turns: tuple[tuple[int, Expr], ...]  # about axes of the frame, one after the other
    then: Matrix
    read: Read
    angles: tuple[tuple[Any, Expr], ...] = ()
    names: tuple[str, ...] = ()  # coordinates
    d: Vector = (ZERO, ZERO, ZERO)  # P_j - P_i in the axes of i
    held: frozenset[str] = frozenset()  # measures among its rows that these coordinates satisfy by themselves


def freedom(drawing: SymbolicDrawing, joint: Any, new: NewNames) -> Freedom:
    """What a joint of the tree leaves free, as it states itself."""
    moves, turns = moves_of(joint.freedom), turns_of(joint.freedom)
    words = dict(zip(turns, (ANGLE,) if len(turns) == 1 else CARDAN)) | ({moves[0]: SLIDE} if len(moves) == 1 else {})
    name = {c: new(words.get(c, c), joint.name) for c in joint.freedom}
    # a displacement along an axis is free, held by a row of the joint, or zero
    kept = {row.direction: row for row in reversed(joint.rows()) if row.kind == "along_body"}
    d: list[Expr] = [Name(name[x]) if x in name else _zero(drawing, kept[x]) if x in kept else ZERO for x in "xyz"]
    make = _in_plane if drawing.model.plane else _in_space
    turning = make(drawing, joint, [Name(name[c]) for c in turns])
    lead = None if joint.thread is None else over(expression(joint.thread), Number(2.0 * math.pi))
    if lead is not None:
        d[2] = times(lead, Name(name["turn_z"]))
    pitch = 0.0 if lead is None else drawing.value(lead)

    def read(R: np.ndarray, x: np.ndarray, turn: float) -> list[float]:
        found = dict(zip(turns, turning.read(R, x, turn))) | {c: float(x["xyz".index(c)]) for c in moves}
        if pitch:
            # the slide tells how often it has turned
            found["turn_z"] += 2.0 * math.pi * round((float(x[2]) / pitch - found["turn_z"]) / (2.0 * math.pi))
        return [found[c] for c in joint.freedom]

    # what these coordinates cannot break; with all rotations free, rows on rotations (of a constant velocity joint) stay rows
    simple = ("gap", "along_body") if len(turns) == 3 else ("gap", "along_body", "angle", "parallel", "dot")
    held = frozenset(m.name for m in joint.rows() if m.kind in simple or lead is not None)
    return replace(turning, read=read, names=tuple(name.values()), d=(d[0], d[1], d[2]), held=held)


def _zero(drawing: SymbolicDrawing, measure: Measure) -> Expr:
    """Reading of a measure that counts as zero."""
    return drawn_value(drawing, measure) if isinstance(measure.offset, str) else expression(measure.offset)


def _in_plane(drawing: SymbolicDrawing, joint: Joint, names: list[Name]) -> Freedom:
    """One turn about z: phi_j - phi_i, free or as drawn."""
    if not names:
        a, b = (drawing.poses[body].angle for body in joint.bodies)
        given = [m.offset for m in joint.rows() if m.kind == "angle" and not isinstance(m.offset, str)]
        kept = expression(given[0]) if given else drawing.tidy(b - a)
        return Freedom(((2, kept),), IDENTITY, lambda R, x, turn: [])
    zero = _zero(drawing, joint.turns()[0][1]) if joint.turns() else ZERO
    shift = drawing.value(zero)
    return Freedom(((2, plus(names[0], zero)),), IDENTITY, lambda R, x, turn: [turn - shift])


def _in_space(drawing: SymbolicDrawing, joint: Joint, names: list[Name]) -> Freedom:
    """Turns about z, about z and x, or about x, y, z, one after the other; then the constant rotation that the rows keep.

    one     counted from the zero of the angle of the joint
    two     about the arm on i (z of its frame), then about the arm on j (x of that frame)
    three   counted from the drawing
    """
    a, b = drawing.numbers.attach(joint.markers[0], joint.markers[-1])
    A, B = (drawing.numbers.poses[x.body].rotation for x in (a, b))
    # F_i^T A_i^T A_j F_j as drawn, in numbers
    drawn = np.asarray(a.axes.T @ A.T @ B @ b.axes)
    if len(names) < 2:
        # half turn between the frames, which rows of parallel axes allow as well; as drawn
        sz = -1.0 if drawn[2, 2] < 0.0 else 1.0
        sx = 1.0 if names or drawn[0, 0] >= 0.0 else -1.0
        then, angles = np.diag([sx, sx * sz, sz]), [measure for _, measure in joint.turns()] if names else []
        zero = _zero(drawing, angles[0]) if angles else ZERO
        turns, shift = [plus(x, zero) for x in names], drawing.value(zero)
        read: Read = lambda R, x, _: [math.atan2(float(R[1, 0]), float(R[0, 0])) - shift for _ in names]  # noqa: E731
        return Freedom(tuple((2, x) for x in turns), matrix(then), read, tuple((m, x) for m in angles for x in turns))
    if len(names) == 3:
        drawn = np.eye(3) if np.max(np.abs(drawn - np.eye(3))) < ROUNDING else drawn
        return Freedom(tuple(enumerate(names)), matrix(drawn), lambda R, x, _: cardan(R @ drawn.T))
    # frame of j from that of i at zero: its x is z, its z is x, its y is -y
    swap = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])

    def cross(R: np.ndarray, x: np.ndarray, _: float) -> list[float]:
        S = R @ swap.T  # turn about z, then about x
        return [math.atan2(float(S[1, 0]), float(S[0, 0])), math.atan2(float(S[2, 1]), float(S[2, 2]))]

    # arms that are drawn askew are not those that the turns are about
    square = float(np.max(np.abs(drawn - swap))) < ROUNDING
    arms = [(m, x if sense > 0.0 else negative(x)) for (sense, m), x in zip(joint.turns(), names)] if square else []
    return Freedom(((2, names[0]), (0, names[1])), matrix(swap), cross, tuple(arms))


def cardan(R: np.ndarray) -> list[float]:
    """Turns about x, y, z, one after the other, of a rotation matrix."""
    return [
        math.atan2(-float(R[1, 2]), float(R[2, 2])),
        math.asin(min(1.0, max(-1.0, float(R[0, 2])))),
        math.atan2(-float(R[0, 1]), float(R[0, 0])),
    ]


def _places(joint: Joint) -> bool:
    """Whether a joint places a particle, without speaking of its rotation."""
    return not any(base.kind in ROTATIONAL for row in joint.rows() for base in joint.model.base_measures(row))


@dataclass(frozen=True)
class Step:
    """One step of the tree: `body` is reached by `joint` from `parent`; joint None: free."""

    body: Body
    parent: Body
    joint: Any


def spanning_tree(model: Mechanism) -> list[Step]:
    """Steps outward from the ground, each body once; joints with few freedoms first, near the ground first."""
    depth = {id(model.ground): 0}
    joints = [joint for joint in model.at_work("joint") if joint.freedom is not None and len(joint.bodies) == 2]
    steps: list[Step] = []
    bodies = model.bodies
    while len(steps) < len(bodies):
        best = min(_reachable(joints, depth), key=lambda x: x[0], default=None)
        if best is None:
            body = next(b for b in bodies if id(b) not in depth)
            steps.append(Step(body, model.ground, None))
            depth[id(body)] = 1
            continue
        _, joint, parent, child = best
        steps.append(Step(child, parent, joint))
        depth[id(child)] = depth[id(parent)] + 1
    return steps


def _reachable(joints: Iterable[Any], depth: dict[int, int]) -> Iterable[tuple[tuple[int, int, int], Any, Body, Body]]:
    for number, joint in enumerate(joints):
        i, j = joint.bodies
        for parent, child in ((i, j), (j, i)):
            if id(parent) not in depth or id(child) in depth or parent.particle:
                continue
            if child.particle and (child is i or not _places(joint)):
                continue
            yield (len(joint.freedom), depth[id(parent)], number), joint, parent, child
