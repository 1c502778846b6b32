"""Loops of a mechanism, and which branch a pose is on.

A loop of pins and slides with parallel axes closes in a plane: three equations for the relative motions.  In that plane a hinge at p turns
with the column (1, p_y, -p_x) and a slide along d moves with (0, d_x, d_y).  Where all but three joints of a loop are known, the determinant
of the three columns (for hinges: twice the area of the triangle of the pins) is positive on one branch, negative on the other, and
passes through zero only where the two meet.  It changes neither with names nor when the machine is turned.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...model.body import Body
from ...model.joints import Joint
from ...model.joints._base import moves_of, turns_of
from ...model.measure import ROTATIONAL, Measure
from ...model.mechanism import Mechanism
from ...model.reading import about_axis, matrix_quaternion, quaternion_matrix
from ...system.geometry import Attached, perpendicular
from ...system.subspaces import rank
from ...system.system import System

# area of a triangle of pins, in squares of its size, that counts as zero: the two branches meet
FLAT = 1e-9
# joints that turn about a point of the plane of their loop; in a sleeve the slide along the axis leaves the plane
PINS = ("hinge", "sleeve", "ball")


def role(joint: Joint) -> str:
    """What a joint is in a loop, by the freedom that it states: "hinge", "sleeve", "ball", "cross", "slide", or "" for others."""
    if joint.freedom is None or joint.thread is not None:
        return ""
    moves, turns = moves_of(joint.freedom), turns_of(joint.freedom)
    if turns == ("turn_z",):
        return {(): "hinge", ("z",): "sleeve"}.get(moves, "")
    if moves:
        return "slide" if len(moves) == 1 and not turns else ""
    ball = len(turns) == 3 and not any(row.kind in ROTATIONAL for row in joint.rows())
    return "cross" if len(turns) == 2 else "ball" if ball else ""


@dataclass(frozen=True, eq=False)
class Loop:
    """Joints around a loop, and the body after each of them: joints[k] joins bodies[k - 1] and bodies[k]."""

    joints: tuple[Joint, ...]
    bodies: tuple[Body, ...]

    @property
    def text(self) -> str:
        """Names around the loop."""
        return "–".join(joint.name for joint in self.joints)


def ways(model: Mechanism) -> dict[int, list[tuple[Joint, Body]]]:
    """Joints and bodies on the shortest way from the ground (or from the first body of what hangs on nothing) to each body, by its id."""
    beside: dict[int, list[Joint]] = {}
    for joint in model.parts("joint"):
        for body in joint.bodies if len(joint.bodies) == 2 else ():
            beside.setdefault(id(body), []).append(joint)
    way: dict[int, list[tuple[Joint, Body]]] = {}
    for root in [model.ground, *model.bodies]:
        if id(root) in way:
            continue
        way[id(root)] = []
        waiting = [root]
        while waiting:
            body = waiting.pop(0)
            for joint in beside.get(id(body), []):
                other = joint.bodies[0] if joint.bodies[1] is body else joint.bodies[1]
                if id(other) not in way:
                    way[id(other)] = [*way[id(body)], (joint, other)]
                    waiting.append(other)
    return way


def find_loops(model: Mechanism) -> list[Loop]:
    """Independent loops of the joints between two bodies, shortest ways from the ground first (in the order of the model)."""
    joints = [joint for joint in model.parts("joint") if len(joint.bodies) == 2]
    way = ways(model)
    tree = {id(joint) for steps in way.values() for joint, _ in steps}
    found = []
    for joint in joints:
        if id(joint) in tree:
            continue
        one, two = (way[id(body)] for body in joint.bodies)
        common = 0
        while common < min(len(one), len(two)) and one[common][0] is two[common][0]:
            common += 1
        one, two = one[common:], two[common:]
        if not one or (two and joints.index(two[0][0]) < joints.index(one[0][0])):
            one, two = two, one
        # down one way, across the joint that closes the loop, back the other way
        back = [step[0] for step in reversed(two)]
        across = two[-1][1] if two else (joint.bodies[0] if joint.bodies[1] is one[-1][1] else joint.bodies[1])
        returns = [step[1] for step in reversed(two[:-1])]
        root = next(b for b in one[0][0].bodies if b is not one[0][1])
        bodies = [*(step[1] for step in one), across, *returns, *([root] if two else [])]
        found.append(Loop((*(step[0] for step in one), joint, *back), tuple(bodies)))
    return found


# -- geometry ----------------------------------------------------------------------------------------------------------


class Geometry:
    """Points and axes of joints at a configuration."""

    def __init__(self, system: System, q: np.ndarray) -> None:
        self.system, self.q = system, q
        self.drawing = system.builder.drawing

    def on_body(self, joint: Joint, body: Body) -> Attached:
        """Point and axes of a joint on one of its bodies, from the mass centre in body axes."""
        return next(a for a in self.drawing.attach(joint.markers[0], joint.markers[-1]) if a.body is body)

    def frame(self, joint: Joint) -> tuple[np.ndarray, np.ndarray]:
        """Point and axes of a joint in space, on its first body."""
        first = self.drawing.attach(joint.markers[0], joint.markers[-1])[0]
        centre, rotation = self.system.place(self.q, first.body)
        return centre + rotation @ first.point, rotation @ first.axes

    def axis(self, joint: Joint) -> np.ndarray:
        """Direction in space along which a joint slides, or else about which it turns."""
        moves = moves_of(joint.freedom or ())
        return self.frame(joint)[1][:, "xyz".index(moves[0]) if moves else 2]

    def normal(self, loop: Loop) -> np.ndarray | None:
        """Normal of the plane in which a loop closes, along the axis of its first hinge; None for other loops.

        In space all axes must be parallel and slides across them.  One or two ball joints count as pins: a body that hinges with
        parallel axes carries stays at its height, so the projection of a rod between two balls keeps its length.
        """
        roles = [role(joint) for joint in loop.joints]
        if any(x not in (*PINS, "slide") for x in roles) or roles.count("ball") > 2:
            return None
        if self.system.plane:
            return np.array([0.0, 0.0, 1.0])
        axes = [(x, self.axis(joint)) for x, joint in zip(roles, loop.joints) if x != "ball"]
        hinges = [axis for x, axis in axes if x != "slide"]
        if not hinges:
            return None
        for x, axis in axes:
            along = abs(float(axis @ hinges[0]))
            if along > 1e-9 if x == "slide" else along < 1.0 - 1e-9:
                return None
        return hinges[0]

    def columns(self, loop: Loop) -> np.ndarray | None:
        """Columns of the joints of a loop that closes in a plane (3, joints); None for other loops."""
        normal = self.normal(loop)
        if normal is None:
            return None
        frames = [self.frame(joint) for joint in loop.joints]
        e1 = perpendicular(normal)
        e2 = np.cross(normal, e1)
        origin = frames[0][0]
        size = max(float(np.max([np.abs(p - origin) for p, _ in frames])), 1e-300)
        found = []
        for joint, (p, _) in zip(loop.joints, frames):
            if role(joint) in PINS:
                u = (p - origin) / size
                found.append([1.0, u @ e2, -(u @ e1)])
            else:
                d = self.axis(joint)
                found.append([0.0, d @ e1, d @ e2])
        return np.array(found).T


# -- branches ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LoopBranch:
    """Branch of one loop: +1 or -1, 0 where both meet, None where the loop does not close in a plane or is not determined by itself.

    `unknown` are the three joints that follow from the others; `kind` of a four-bar is "open" (the pin opposite the input lies beyond
    the diagonal) or "crossed" in this pose.
    """

    joints: tuple[str, ...]
    unknown: tuple[str, ...]
    sign: int | None
    kind: str = ""

    def __str__(self) -> str:
        word = {1: "+", -1: "−", 0: "0, where two branches meet", None: "without a sign"}[self.sign]
        return f"loop {'–'.join(self.joints)}: {f'{self.kind} ({word})' if self.kind else word}"


@dataclass(frozen=True, eq=False)
class Branch:
    """Branch of a pose, loop by loop.  Equal signatures: the same branch, whatever the names and the orientation of the machine."""

    loops: tuple[LoopBranch, ...]

    @property
    def signature(self) -> tuple[int | None, ...]:
        """Sign of every loop, in the order of the model."""
        return tuple(loop.sign for loop in self.loops)

    @property
    def kind(self) -> str:
        """Of a mechanism with one loop that is a four-bar: "open" or "crossed"; else ""."""
        return self.loops[0].kind if len(self.loops) == 1 else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Branch) and self.signature == other.signature

    def __hash__(self) -> int:
        return hash(self.signature)

    def __str__(self) -> str:
        if not self.loops:
            return "no loops: one branch"
        others = [loop for loop in self.loops if loop.sign is None]
        if len(others) < 2:
            return "; ".join(map(str, self.loops))
        texts = [str(loop) for loop in self.loops if loop.sign is not None]
        return "; ".join([*texts, f"{len(others)} loops without a sign"])

    def __repr__(self) -> str:
        return f"<branch: {self}>"


def known_joints(model: Mechanism, held: Iterable[Measure], fixed: Iterable[Body]) -> list[str]:
    """Joints whose relative motion is given: by a driver, an initial value, a measure held, or between bodies held."""
    still = {id(model.ground), *(id(body) for body in fixed)}
    given = [driver.measure for driver in model.parts("driver")]
    given += [start.measure for start in model.starts if start.value is not None]
    given += list(held)
    names = {measure.name for measure in given}
    angles = {
        frozenset((id(m.i.body), id(m.j.body)))
        for m in given
        if m.kind == "angle" and m.i is not None and m.j is not None
    }
    found = []
    for joint in model.parts("joint"):
        pair = frozenset(id(body) for body in joint.bodies)
        hinged = role(joint) == "hinge" and pair in angles
        if pair <= still or hinged or any(m.name in names for m in joint.coordinates().values()):
            found.append(joint.name)
    return found


def branch_of(model: Mechanism, system: System, q: np.ndarray, known: list[str]) -> Branch:
    """Signs of all loops.  Where fewer joints are given than there are degrees of freedom, the first of the model count as given."""
    loops, geometry = find_loops(model), Geometry(system, q)
    columns = [geometry.columns(loop) for loop in loops]
    plane = [k for k, c in enumerate(columns) if c is not None]
    names = list(dict.fromkeys(joint.name for k in plane for joint in loops[k].joints))
    names = [joint.name for joint in model.parts("joint") if joint.name in names]
    closure = np.zeros((3 * len(plane), len(names)))
    for row, k in enumerate(plane):
        for joint, column in zip(loops[k].joints, columns[k].T):  # type: ignore[union-attr]
            closure[3 * row : 3 * row + 3, names.index(joint.name)] = column
    given = _complete(closure, names, known)
    done: dict[int, tuple[tuple[str, ...], int, str]] = {}
    progress = True
    while progress:
        progress = False
        for k in plane:
            unknown = [i for i, joint in enumerate(loops[k].joints) if joint.name not in given]
            if k in done or len(unknown) != 3:
                continue
            c = columns[k]
            assert c is not None
            three = c[:, unknown]
            sizes = float(np.prod(np.sqrt((three**2).sum(axis=0))))
            value = float(np.linalg.det(three)) / max(sizes, 1e-300)
            sign = 0 if abs(value) < FLAT else int(math.copysign(1.0, value))
            done[k] = (tuple(loops[k].joints[i].name for i in unknown), sign, _kind(loops[k], c, unknown))
            given |= {loops[k].joints[i].name for i in unknown}
            progress = True
    found = []
    for k, loop in enumerate(loops):
        c = columns[k]
        flat = c is not None and rank(c, FLAT) < 3  # it has a freedom more in this pose
        unknown_names, sign, kind = done.get(k, ((), 0 if flat else None, ""))  # type: ignore[assignment]
        found.append(LoopBranch(tuple(joint.name for joint in loop.joints), unknown_names, sign, kind))
    return Branch(tuple(found))


def _complete(closure: np.ndarray, names: list[str], known: list[str]) -> set[str]:
    """Known joints and as many others, the first of the model, as leave the rest determined by the closure."""
    full = rank(closure)
    given: set[str] = set()
    for name in [*(n for n in names if n in known), *(n for n in names if n not in known)]:
        rest = [k for k, other in enumerate(names) if other not in given and other != name]
        if name in known or rank(closure[:, rest]) == full:
            given.add(name)
        if len(names) - len(given) <= full:
            break
    return given


def _kind(loop: Loop, columns: np.ndarray, unknown: list[int]) -> str:
    """Open or crossed four-bar: the pin of the input and the one opposite lie on different sides, or on one side, of the diagonal."""
    if len(loop.joints) != 4 or any(role(joint) not in PINS for joint in loop.joints):
        return ""
    (given,) = set(range(4)) - set(unknown)
    pins = np.column_stack([-columns[2], columns[1]])
    a, b, c, d = (pins[(given + k) % 4] for k in range(4))
    side = lambda p: (d - b)[0] * (p - b)[1] - (d - b)[1] * (p - b)[0]  # noqa: E731
    return "open" if side(a) * side(c) < 0.0 else "crossed"


def mirrored(system: System, q: np.ndarray, branch: Branch) -> list[np.ndarray]:
    """Starts on other branches: for each loop in a plane, the middle one of three unknown pins mirrored at the line of the outer two."""
    model, geometry = system.model, Geometry(system, q)
    found = []
    for loop, known in zip(find_loops(model), branch.loops):
        n, normal = len(loop.joints), geometry.normal(loop)
        if normal is None:
            continue
        # into the plane of the loop: hinges may sit at different heights along their axes
        flat = np.eye(3) - np.outer(normal, normal)
        places = [k for k, joint in enumerate(loop.joints) if joint.name in known.unknown]
        for first in places:
            three = [first, (first + 1) % n, (first + 2) % n]
            if sorted(three) != places or any(role(loop.joints[k]) not in PINS for k in three):
                continue
            x, y, z = (geometry.frame(loop.joints[k])[0] for k in three)
            d = flat @ (z - x)
            if float(d @ d) == 0.0:
                continue
            across = flat @ (y - x) - d * float((y - x) @ d) / float(d @ d)
            new = q.copy()
            for body, pivot in ((loop.bodies[three[0]], x), (loop.bodies[three[1]], z)):
                if not body.is_ground:
                    u = flat @ (y - pivot)
                    w = u - 2.0 * across
                    _turn(system, new, body, pivot, normal, math.atan2(float(normal @ np.cross(u, w)), float(u @ w)))
            found.append(new)
    return found


def swung(system: System, q: np.ndarray, rng: np.random.Generator, fixed: set[str]) -> np.ndarray:
    """Start with every joint turned at random, with all that hangs on it: joints on the way from the ground stay closed, their axes aligned.

    What is beyond a joint that turns about no axis, or beyond which a body is fixed, keeps its place relative to the body before.
    """
    new, way = q.copy(), ways(system.model)
    joints = {id(joint): joint for steps in way.values() for joint, _ in steps}
    for joint in joints.values():
        beyond = [body for body in system.builder.bodies if any(step[0] is joint for step in way[id(body)])]
        if role(joint) not in (*PINS, "cross") or any(body.name in fixed for body in beyond):
            continue
        point, axes = Geometry(system, new).frame(joint)
        axis = axes[:, 2]
        if role(joint) in ("ball", "cross"):
            axis = rng.normal(size=3)
            axis /= math.sqrt(float(axis @ axis))
        angle = rng.uniform(-math.pi, math.pi)
        for body in beyond:
            _turn(system, new, body, point, axis, angle)
    return new


def _turn(system: System, q: np.ndarray, body: Body, pivot: np.ndarray, axis: np.ndarray, angle: float) -> None:
    b, rotation = system.builder.body_index(body), about_axis(axis, angle)
    if system.plane:
        centre = np.array([q[3 * b], q[3 * b + 1], 0.0])
        q[3 * b : 3 * b + 2] = (pivot + rotation @ (centre - pivot))[:2]
        q[3 * b + 2] += angle
    else:
        q[7 * b : 7 * b + 3] = pivot + rotation @ (q[7 * b : 7 * b + 3] - pivot)
        q[7 * b + 3 : 7 * b + 7] = matrix_quaternion(rotation @ quaternion_matrix(q[7 * b + 3 : 7 * b + 7]))
