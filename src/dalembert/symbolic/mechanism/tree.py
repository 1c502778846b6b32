"""Joint coordinates: what each joint leaves free, and a spanning tree of joints that reaches every body once.

Between the frames F_i and F_j of a joint on its bodies

    A_j F_j = A_i F_i R          P_j = P_i + A_i F_i d

with R and d functions of the coordinates of the joint.  Going out along the tree this gives every body from the one before it; joints
that are not in the tree close loops and stay rows.  A body that no such joint reaches is free: it has coordinates of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model.body import Body
from ...model.expression import Expr, Name, Number
from ...model.expression.derivative import ONE, ZERO, negative, over, plus, times
from ...model.lagrangian.vectors import IDENTITY, Matrix, Vector
from ...model.mechanism import Mechanism
from .drawing import Ends, SymbolicDrawing
from .matter import expression, matrix
from .measures import drawn_value

Read = Callable[[np.ndarray, np.ndarray, float], list[float]]

# names of coordinates by what they are
ANGLE, SLIDE = "theta", "s"
CARDAN = ("alpha", "beta", "gamma")  # about x, y, z, one after the other
_TURNS = ((0, "alpha"), (1, "beta"), (2, "gamma"))


class NewNames:
    """Names for coordinates that nothing else in the model has."""

    def __init__(self, model: Mechanism) -> None:
        self._taken = {*model.parameter_names, "t", "pi", "e"}

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
    """What a joint leaves free.

    Attributes
    ----------
    names
        Coordinates.
    turns
        Turns about axes of the frame, one after the other; then comes the constant rotation `then`.
    d
        P_j - P_i in the axes of i.
    held
        Measures among its rows that these coordinates satisfy by themselves.
    read
        Values of the coordinates from the numbers R, d and (in the plane) phi_j - phi_i.
    angles
        Angle measures in space that are known functions of the coordinates.
    """

    names: tuple[str, ...]
    turns: tuple[tuple[int, Expr], ...]
    then: Matrix
    d: Vector
    held: frozenset[str]
    read: Read
    angles: tuple[tuple[Any, Expr], ...] = ()


def freedom(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom | None:
    """What a joint leaves free; None for joints that are rows only (couplings, distances, constraints)."""
    make = (_PLANE if drawing.model.plane else _SPACE).get(joint.tag)
    return None if make is None else make(drawing, joint, ends, new)


def freedoms(model: Mechanism, tag: str) -> int | None:
    """Number of coordinates a joint leaves free, without making them; None where it cannot be in a tree."""
    return (_COUNT_PLANE if model.plane else _COUNT_SPACE).get(tag)


# -- plane -----------------------------------------------------------------------------------------------------------------
# one turn about z: phi_j - phi_i


def _names(joint: Any) -> frozenset[str]:
    return frozenset(measure.name for measure in joint.rows())


def _pin(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    theta, zero = new(ANGLE, joint.name), expression(joint.zero)
    shift = drawing.value(zero)
    return Freedom(
        (theta,), ((2, plus(Name(theta), zero)),), IDENTITY, (ZERO, ZERO, ZERO), _names(joint),
        lambda R, d, turn: [turn - shift],
    )  # fmt: skip


def _kept(drawing: SymbolicDrawing, joint: Any) -> Expr:
    """Angle between two bodies as drawn."""
    a, b = (drawing.poses[id(body)].angle for body in (joint.i, joint.j))
    return drawing.tidy(b - a)


def _slider(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    s = new(SLIDE, joint.name)
    return Freedom(
        (s,), ((2, _kept(drawing, joint)),), IDENTITY, (Name(s), ZERO, ZERO), _names(joint),
        lambda R, d, turn: [float(d[0])],
    )  # fmt: skip


def _weld(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    turn = ((2, _kept(drawing, joint)),)
    return Freedom((), turn, IDENTITY, (ZERO, ZERO, ZERO), _names(joint), lambda R, d, turn: [])


def _slot(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    s, theta = new(SLIDE, joint.name), new(ANGLE, joint.name)
    (row,) = joint.rows()
    across = drawn_value(drawing, row) if isinstance(row.offset, str) else expression(row.offset)
    return Freedom(
        (s, theta), ((2, Name(theta)),), IDENTITY, (Name(s), across, ZERO), _names(joint),
        lambda R, d, turn: [float(d[0]), turn],
    )  # fmt: skip


# -- space -----------------------------------------------------------------------------------------------------------------


def _relative(drawing: SymbolicDrawing, joint: Any) -> np.ndarray:
    """F_i^T A_i^T A_j F_j as drawn, in numbers."""
    a, b = drawing.numbers.attach(joint.markers[0], joint.markers[-1])
    A, B = (drawing.numbers.poses[id(x.body)].rotation for x in (a, b))
    return np.asarray(a.axes.T @ A.T @ B @ b.axes)


def _signs(relative: np.ndarray, turning: bool) -> Matrix:
    """Half turn between the frames, which rows of parallel axes allow as well; as drawn."""
    sz = -1.0 if relative[2, 2] < 0.0 else 1.0
    sx = 1.0 if turning or relative[0, 0] >= 0.0 else -1.0
    return matrix(np.diag([sx, sx * sz, sz]))


def _about_z(R: np.ndarray) -> float:
    return math.atan2(float(R[1, 0]), float(R[0, 0]))


def _turning(drawing: SymbolicDrawing, joint: Any, new: NewNames) -> tuple[str, Expr, Matrix, float]:
    """Coordinate of an angle about z, the turn that it stands for, the half turn after it, and the reading that counts as zero."""
    theta, zero = new(ANGLE, joint.name), expression(joint.zero)
    return theta, plus(Name(theta), zero), _signs(_relative(drawing, joint), True), drawing.value(zero)


def _hinge(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    theta, turn, then, shift = _turning(drawing, joint, new)
    return Freedom(
        (theta,), ((2, turn),), then, (ZERO, ZERO, ZERO), _names(joint),
        lambda R, d, _: [_about_z(R) - shift], ((joint.angle_measure(), turn),),
    )  # fmt: skip


def _guide(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    s = new(SLIDE, joint.name)
    then = _signs(_relative(drawing, joint), False)
    return Freedom((s,), (), then, (ZERO, ZERO, Name(s)), _names(joint), lambda R, d, _: [float(d[2])])


def _weld_in_space(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    return Freedom((), (), IDENTITY, (ZERO, ZERO, ZERO), _names(joint), lambda R, d, _: [])


def _sleeve(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    theta, turn, then, shift = _turning(drawing, joint, new)
    s = new(SLIDE, joint.name)
    return Freedom(
        (theta, s), ((2, turn),), then, (ZERO, ZERO, Name(s)), _names(joint),
        lambda R, d, _: [_about_z(R) - shift, float(d[2])], ((joint.angle_measure(), turn),),
    )  # fmt: skip


def _thread(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    theta, turn, then, shift = _turning(drawing, joint, new)
    lead = over(expression(joint.pitch), Number(2.0 * math.pi))
    pitch = drawing.value(lead)

    def read(R: np.ndarray, d: np.ndarray, _: float) -> list[float]:
        # the slide tells how often it has turned
        angle = _about_z(R) - shift
        turns = round((float(d[2]) / pitch - angle) / (2.0 * math.pi)) if pitch else 0
        return [angle + 2.0 * math.pi * turns]

    return Freedom(
        (theta,), ((2, turn),), then, (ZERO, ZERO, times(lead, Name(theta))), _names(joint), read,
        ((joint.angle_measure(), turn),),
    )  # fmt: skip


def _plate(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    x, y = new("x", joint.name), new("y", joint.name)
    theta, turn, then, shift = _turning(drawing, joint, new)
    return Freedom(
        (x, y, theta), ((2, turn),), then, (Name(x), Name(y), ZERO), _names(joint),
        lambda R, d, _: [float(d[0]), float(d[1]), _about_z(R) - shift], ((joint.angle_measure(), turn),),
    )  # fmt: skip


def _parallel(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    x, y, z = (new(c, joint.name) for c in "xyz")
    theta, turn, then, shift = _turning(drawing, joint, new)
    return Freedom(
        (x, y, z, theta), ((2, turn),), then, (Name(x), Name(y), Name(z)), _names(joint),
        lambda R, d, _: [*map(float, d), _about_z(R) - shift], ((joint.angle_measure(), turn),),
    )  # fmt: skip


def cardan(R: np.ndarray) -> list[float]:
    """Turns about x, y, z, one after the other, of a rotation matrix."""
    return [
        math.atan2(-float(R[1, 2]), float(R[2, 2])),
        math.asin(min(1.0, max(-1.0, float(R[0, 2])))),
        math.atan2(-float(R[0, 1]), float(R[0, 0])),
    ]


def _ball(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    return _with_ball(drawing, joint, new, ())


def _bead(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    return _with_ball(drawing, joint, new, (SLIDE,))


def _point_in_plane(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    return _with_ball(drawing, joint, new, ("x", "y"))


def _with_ball(drawing: SymbolicDrawing, joint: Any, new: NewNames, moving: tuple[str, ...]) -> Freedom:
    """All rotations, as turns about x, y, z counted from the drawing, and displacements along the axes named."""
    slides = [new(base, joint.name) for base in moving]
    turns = [new(base, joint.name) for base in CARDAN]
    places = [{SLIDE: 2, "x": 0, "y": 1}[base] for base in moving]
    d: list[Expr] = [ZERO, ZERO, ZERO]
    for place, name in zip(places, slides):
        d[place] = Name(name)
    drawn = _relative(drawing, joint)
    drawn = np.eye(3) if np.max(np.abs(drawn - np.eye(3))) < 1e-12 else drawn
    # a constant velocity joint has one more row, which stays a row
    held = frozenset(m.name for m in joint.rows() if m.kind in ("gap", "along_body"))

    def read(R: np.ndarray, x: np.ndarray, _: float) -> list[float]:
        return [*(float(x[k]) for k in places), *cardan(R @ drawn.T)]

    made = tuple((axis, Name(name)) for axis, name in enumerate(turns))
    return Freedom((*slides, *turns), made, matrix(drawn), (d[0], d[1], d[2]), held, read)


def _cross_joint(drawing: SymbolicDrawing, joint: Any, ends: Ends, new: NewNames) -> Freedom:
    """Universal joint: about the arm on i (z of its frame), then about the arm on j (x of that frame)."""
    a, b = new(CARDAN[0], joint.name), new(CARDAN[1], joint.name)
    # frame of j from that of i at zero: its x is z, its z is x, its y is -y
    then = ((ZERO, ZERO, ONE), (ZERO, Number(-1.0), ZERO), (ONE, ZERO, ZERO))
    constant = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])

    def read(R: np.ndarray, d: np.ndarray, _: float) -> list[float]:
        S = R @ constant.T  # turn about z, then about x
        return [math.atan2(float(S[1, 0]), float(S[0, 0])), math.atan2(float(S[2, 1]), float(S[2, 2]))]

    numbers = drawing.numbers
    first, second = (numbers.direction(joint.asked, "axes", axis) for axis in joint.axes)
    angles: tuple[tuple[Any, Expr], ...] = ()
    if abs(float(first @ second)) < 1e-12:
        found = joint.coordinates()
        ((_, back),) = found["angle_j"].terms
        angles = ((found["angle_i"], Name(a)), (back, negative(Name(b))))
    return Freedom((a, b), ((2, Name(a)), (0, Name(b))), then, (ZERO, ZERO, ZERO), _names(joint), read, angles)


_PLANE = {
    "revolute": _pin, "prismatic": _slider, "fixed": _weld, "pin_in_slot": _slot, "revolute_translational": _slot,
}  # fmt: skip
_COUNT_PLANE = {"revolute": 1, "prismatic": 1, "fixed": 0, "pin_in_slot": 2, "revolute_translational": 2}
_SPACE = {
    "revolute": _hinge, "prismatic": _guide, "fixed": _weld_in_space, "cylindrical": _sleeve, "screw": _thread,
    "planar": _plate, "parallel_axes": _parallel, "spherical": _ball, "constant_velocity": _ball, "point_on_line": _bead,
    "point_on_plane": _point_in_plane, "universal": _cross_joint,
}  # fmt: skip
_COUNT_SPACE = {
    "revolute": 1, "prismatic": 1, "fixed": 0, "cylindrical": 2, "screw": 1, "planar": 3, "parallel_axes": 4, "spherical": 3,
    "constant_velocity": 3, "point_on_line": 4, "point_on_plane": 5, "universal": 2,
}  # fmt: skip
# joints that place a particle without speaking of its rotation
_PLACING = ("revolute", "spherical", "pin_in_slot", "revolute_translational", "point_on_line", "point_on_plane")


@dataclass(frozen=True)
class Step:
    """One step of the tree: `body` is reached by `joint` from `parent`; joint None: free."""

    body: Body
    parent: Body
    joint: Any


def spanning_tree(model: Mechanism) -> list[Step]:
    """Steps outward from the ground, each body once; joints with few freedoms first, near the ground first."""
    depth = {id(model.ground): 0}
    joints = [joint for joint in model.parts("joint") if freedoms(model, joint.tag) is not None]
    steps: list[Step] = []
    bodies = model.bodies
    while len(steps) < len(bodies):
        best = min(_reachable(model, joints, depth), key=lambda x: x[0], default=None)
        if best is None:
            body = next(b for b in bodies if id(b) not in depth)
            steps.append(Step(body, model.ground, None))
            depth[id(body)] = 1
            continue
        _, joint, parent, child = best
        steps.append(Step(child, parent, joint))
        depth[id(child)] = depth[id(parent)] + 1
    return steps


def _reachable(
    model: Mechanism, joints: Iterable[Any], depth: dict[int, int]
) -> Iterable[tuple[tuple[int, int, int], Any, Body, Body]]:
    for number, joint in enumerate(joints):
        i, j = joint.bodies
        for parent, child in ((i, j), (j, i)):
            if id(parent) not in depth or id(child) in depth or parent.particle:
                continue
            if child.particle and (child is i or joint.tag not in _PLACING):
                continue
            count = freedoms(model, joint.tag)
            assert count is not None
            yield (count, depth[id(parent)], number), joint, parent, child
