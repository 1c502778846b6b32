"""Many starts: other configurations of a mechanism, and why a drawing could not be put together."""

from __future__ import annotations

import math

import numpy as np

from ...errors import AssemblyError
from ...kernels import layout as at
from ...system.system import System
from ...system.tables import Work
from ..pose.initial import BROKEN, DISAGREEMENT, FIXED, START, Held, check_positions, newton
from .lengths import impossible_lengths
from .loops import Geometry

# other starts that are tried before a failure is told
STARTS = 16
# larger models are not searched when they fail: it would take longer than the message is worth
LARGEST = 300
# disagreement, in units of the model's length or radians, that may be a slip in the dimensions
SLIP = 0.25
# configurations closer than this (in units of the model's length, and radians) are the same
SAME = 1e-6


def reached(system: System, t: float, q: np.ndarray, stated: bool, like: np.ndarray) -> np.ndarray | None:
    """Configuration that Newton's method finds from a start; None if it finds none, or one with axes reversed against `like`."""
    work = system.workspace()
    q = q.copy()
    newton(system, work, t, q, stated)
    try:
        check_positions(system, work, t, q, "", DISAGREEMENT)
    except AssemblyError:
        return None
    return q if senses(system, q) == senses(system, like) else None


def senses(system: System, q: np.ndarray) -> list[bool]:
    """Whether the axes of each joint in space point the same way on both bodies.

    Rows that keep axes parallel cannot tell a direction from its opposite, but nobody can turn a hinge pin round in its hinge.
    """
    if system.plane:
        return []
    geometry, found = Geometry(system, q), []
    for joint in system.model.parts("joint"):
        kinds = [row.kind for row in joint.rows()]
        if "parallel" not in kinds:
            continue
        i, j = geometry.drawing.attach(joint.markers[0], joint.markers[-1])
        a, b = geometry.pose(i.body)[1] @ i.axes, geometry.pose(j.body)[1] @ j.axes
        found.append(bool(a[:, 2] @ b[:, 2] > 0.0))
        if "dot" in kinds:
            found.append(bool(a[:, 0] @ b[:, 0] > 0.0))
    return found


def scattered(system: System, q: np.ndarray, rng: np.random.Generator, fixed: set[str]) -> np.ndarray:
    """Start with every body that is not fixed turned at random and moved by up to the model's length."""
    new = q.copy()
    for b, body in enumerate(system.builder.bodies):
        if body.name in fixed:
            continue
        if system.plane:
            new[3 * b : 3 * b + 2] += rng.uniform(-0.5, 0.5, 2) * system.length
            new[3 * b + 2] += rng.uniform(-math.pi, math.pi)
        else:
            new[7 * b : 7 * b + 3] += rng.uniform(-0.5, 0.5, 3) * system.length
            p = rng.normal(size=4)
            new[7 * b + 3 : 7 * b + 7] = p / math.sqrt(float(p @ p))
    return new


def distance(system: System, q: np.ndarray, other: np.ndarray) -> float:
    """Largest difference of two configurations: lengths in units of the model's length, rotations in radians, full turns ignored."""
    moved, turned = differences(system, q, other)
    return max(float(np.max(moved, initial=0.0)) / system.length, float(np.max(turned, initial=0.0)))


def differences(system: System, q: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far the mass centre of each body moved [m], and by which angle each body turned [rad], the short way."""
    n = len(system.builder.bodies)
    a, b = q.reshape(n, -1), other.reshape(n, -1)
    turns = np.array([not body.particle for body in system.builder.bodies])  # a particle has no orientation
    if system.plane:
        turn = np.abs(np.mod(b[:, 2] - a[:, 2] + math.pi, 2.0 * math.pi) - math.pi)
        return np.hypot(*(b[:, :2] - a[:, :2]).T), np.where(turns, turn, 0.0)
    # the chord of two unit quaternions, p and -p being one rotation: exact for small angles, where the cosine is not
    p, r = a[:, 3:], b[:, 3:]
    chord = np.minimum(np.linalg.norm(p - r, axis=1), np.linalg.norm(p + r, axis=1))
    turn = 4.0 * np.arcsin(np.minimum(0.5 * chord, 1.0))
    return np.linalg.norm(b[:, :3] - a[:, :3], axis=1), np.where(turns, turn, 0.0)


def explained(
    error: AssemblyError, system: System, work: Work, t: float, q: np.ndarray, stated: bool, held: Held
) -> AssemblyError:
    """The same error with the reason: lengths that cannot close, or a start on the wrong side.

    `work` holds the residuals where Newton's method ended.  Dimensions or values that disagree by little are left as they are told: that
    is a slip in an overconstrained loop, not a start from which nothing can be reached.
    """
    model = system.model
    do = "check the lengths and points of the joints named"
    text = impossible_lengths(model, system, t, [(measure, value) for _, measure, value in held])
    listed = error.found.partition(": ")[2]
    found = f"{BROKEN}: {listed}"
    if text:
        return AssemblyError(error.asked, found, f"lengths make it impossible: {text}", f"{do}, and the angles given")
    disagree = not error.found.startswith(BROKEN)
    scale = system.numbering.P[system.numbering.I[at.SCALE] :][: system.n_rows]
    if system.nv > LARGEST or (disagree and float(np.max(np.abs(work.y) * scale)) < SLIP):
        return error
    rng = np.random.default_rng(0)
    fixed = {name.removeprefix(FIXED) for name, *_ in held}
    for _ in range(STARTS):
        other = reached(system, t, scattered(system, q, rng, fixed), stated, q)
        if other is not None:
            moved, turned = differences(system, q, other)
            k = int(np.argmax(moved / system.length + turned))
            name = system.body_names[k]
            why = (
                "the start is on the wrong side, or too far: from another start a configuration is found, "
                f"with {name!r} moved by {moved[k]:.6g} m and turned by {turned[k]:.6g} rad"
            )
            do = "draw the bodies closer to where they belong (at=, angle=), or search with assemble(m, branches=True)"
            return AssemblyError(error.asked, found, why, do)
    if disagree and _overdetermined(system):
        return error
    why = f"no configuration was found, from the drawing or from {STARTS} other starts: lengths and given values exclude each other"
    return AssemblyError(error.asked, found, why, f"{do}, and the values given (drivers, m.start, fixed=)")


def _overdetermined(system: System) -> bool:
    """Whether there are more rows, conditions included, than velocities, or none of the rows is a condition."""
    idle = sum((1 if system.plane else 3) for body in system.builder.bodies if body.particle)
    conditions = [row for row in system.numbering.rows[: system.n_rows] if row.part.startswith((START, FIXED))]
    return not conditions or system.n_rows > system.nv - idle
