"""Many starts: other configurations of a mechanism, and why a drawing could not be put together."""

from __future__ import annotations

import math

import numpy as np

from ...errors import AssemblyError
from ...model.mechanism import Mechanism
from ...system.subspaces import null_space
from ...system.system import System, compile
from ..dependence.compromise import contradictions
from ..dependence.freedoms import too_many_drivers
from ..driven.path import scaled_columns
from ..dynamics.consistent import BROKEN
from ..pose.initial import FULL_STEPS, Held, newton
from ..pose.pose import FIXED, START, Pose
from .lengths import impossible_lengths
from .senses import senses

# other starts that are tried before a failure is told
STARTS = 16
# larger models are not searched when they fail: it would take longer than the message is worth
LARGEST = 300
# disagreement, in units of the model's length or radians, that may be a slip in the dimensions
SLIP = 0.25
# how the reason begins where another start leads to a configuration
WRONG_SIDE = "the start is on the wrong side, or too far"
# configurations closer than this (in units of the model's length, and radians) are the same
SAME = 1e-6
# steps from one configuration to another, half a radian or half the model's length each at most
WALK = 100


def reached(system: System, t: float, q: np.ndarray, stated: bool, like: np.ndarray) -> np.ndarray | None:
    """Configuration that Newton's method finds from a start; None if it finds none, or one with axes reversed against `like`."""
    pose = Pose(system, t, q)
    newton(pose, stated, FULL_STEPS)
    try:
        pose.check_positions("", "drawing")
    except AssemblyError:
        return None
    return pose.q if senses(system, pose.q) == senses(system, like) else None


def scattered(system: System, q: np.ndarray, rng: np.random.Generator, fixed: set[str]) -> np.ndarray:
    """Start with every body that is not fixed turned at random and moved, by little or by more than the model's length."""
    new = q.copy()
    reach = system.length * rng.choice((0.5, 1.0, 2.0))
    for b, body in enumerate(system.builder.bodies):
        if body.name in fixed:
            continue
        if system.plane:
            new[3 * b : 3 * b + 2] += rng.uniform(-1.0, 1.0, 2) * reach
            new[3 * b + 2] += rng.uniform(-math.pi, math.pi)
        else:
            new[7 * b : 7 * b + 3] += rng.uniform(-1.0, 1.0, 3) * reach
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


def displacement(system: System, q: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Velocity-like vector that leads from one configuration to another, rotations the short way."""
    n = len(system.builder.bodies)
    a, b = q.reshape(n, -1), other.reshape(n, -1)
    if system.plane:
        turn = np.mod(b[:, 2:] - a[:, 2:] + math.pi, 2.0 * math.pi) - math.pi
        return np.hstack([b[:, :2] - a[:, :2], turn]).ravel()
    turns = []
    for p, r in zip(a[:, 3:], b[:, 3:]):
        # conj(p) r: the rotation from p to r in body axes
        scalar = float(p @ r)
        vector = p[0] * r[1:] - r[0] * p[1:] - np.cross(p[1:], r[1:])
        sine = float(np.linalg.norm(vector))
        turns.append(2.0 * math.atan2(sine, abs(scalar)) / max(sine, 1e-300) * math.copysign(1.0, scalar) * vector)
    return np.hstack([b[:, :3] - a[:, :3], np.array(turns)]).ravel()


def same(system: System, t: float, q: np.ndarray, other: np.ndarray, loose: bool) -> bool:
    """Whether two configurations are one; where motions are left (`loose`), whether these lead from `other` to q.

    Always straight towards it, as far as the rows allow.  That is how a rod between two ball joints turns about its own line: nothing
    else moves, and nobody would call it another branch.
    """
    if not loose:
        return distance(system, q, other) <= SAME
    pose = Pose(system, t, other)
    active, columns = scaled_columns(system)
    for _ in range(WALK):
        if distance(system, pose.q, q) <= SAME:
            return True
        jac = (pose.scale[:, None] * pose.jac.toarray())[:, active] * columns
        free = null_space(jac)
        step = free @ (free.T @ (displacement(system, pose.q, q)[active] / columns))
        size = float(np.max(np.abs(step), initial=0.0))
        # nothing that is free leads any closer
        if size < 0.1 * SAME:
            return False
        delta = np.zeros(system.nv)
        delta[active] = columns * step * min(1.0, 0.5 / size)
        pose.q[:] = pose.shifted(delta)
        if not pose.onto() <= 1e-9:
            return False
    return False


def explained(error: AssemblyError, pose: Pose, q: np.ndarray, stated: bool, held: Held) -> AssemblyError:
    """The same error with the reason: lengths that cannot close, a start on the wrong side, or dimensions that contradict each other.

    `pose` has the residuals where Newton's method ended, from q: in an overconstrained loop these are spread by chance.  Where joints and
    drivers alone contradict each other, what is named is that of their compromise, as in `mobility`.  Dimensions or values that
    disagree by little are left as they are told: that is a slip in an overconstrained loop, not a start from which nothing can be reached.
    """
    system, t = pose.system, pose.t
    model = system.model
    do = "check the lengths and points of the joints named"
    text = impossible_lengths(model, system, t, [(measure, value) for _, measure, value in held])
    listed = error.found.partition(": ")[2]
    contrary = contradictions(compile(model) if stated else system, t, q)
    if contrary:
        listed = ", ".join(f"{part!r} by {size:.6g} {unit}" for size, unit, part in contrary[:3])
    found = f"{BROKEN}: {listed}"
    if text:
        return AssemblyError(error.asked, found, f"lengths make it impossible: {text}", f"{do}, and the angles given")
    disagree = not error.found.startswith(BROKEN)
    scale = system.row_scales
    if system.nv > LARGEST or (disagree and float(np.max(np.abs(pose.work.y) * scale)) < SLIP):
        return contradictory(error.asked, model, contrary, listed) if contrary else error
    rng = np.random.default_rng(0)
    fixed = {name.removeprefix(FIXED) for name, *_ in held}
    for _ in range(STARTS):
        other = reached(system, t, scattered(system, q, rng, fixed), stated, q)
        if other is not None:
            moved, turned = differences(system, q, other)
            k = int(np.argmax(moved / system.length + turned))
            name = system.body_names[k]
            why = (
                f"{WRONG_SIDE}: from another start a configuration is found, "
                f"with {name!r} moved by {moved[k]:.6g} m and turned by {turned[k]:.6g} rad"
            )
            do = "draw the bodies closer to where they belong (at=, angle=), or search with assemble(m, branches=True)"
            return AssemblyError(error.asked, found, why, do)
    if contrary:
        return contradictory(error.asked, model, contrary, listed)
    if disagree and _overdetermined(system):
        return error
    why = f"no configuration was found, from the drawing or from {STARTS} other starts: lengths and given values exclude each other"
    return AssemblyError(error.asked, found, why, f"{do}, and the values given (drivers, m.start, fixed=)")


def contradictory(asked: str, model: Mechanism, contrary: list[tuple[float, str, str]], listed: str) -> AssemblyError:
    """Error for joints and drivers that contradict each other."""
    drivers = {driver.name for driver in model.parts("driver")}
    too_many = too_many_drivers(model)
    if too_many is not None:
        who = "the drivers" if contrary[0][2] in drivers else "joints and drivers"
        return AssemblyError(asked, f"{who} disagree: {listed}", *too_many)
    if contrary[0][2] in drivers:
        return AssemblyError(
            asked,
            f"the drivers disagree: {listed}",
            "there are more drivers than degrees of freedom, or they depend on each other, and contradict each other by this amount",
            "leave out or correct one of the drivers (m.drive)",
        )
    return AssemblyError(
        asked,
        f"the given dimensions disagree: {listed}",
        "no pose near the drawing closes all joints: their dimensions contradict each other by this amount",
        "correct the lengths, axes or points of the joints named, or use joints with more freedom; da.mobility(m) says which",
    )


def _overdetermined(system: System) -> bool:
    """Whether there are more rows, conditions included, than velocities, or none of the rows is a condition."""
    conditions = [row for row in system.numbering.rows[: system.n_rows] if row.part.startswith((START, FIXED))]
    return not conditions or system.n_rows > system.freedom
