"""A mechanism at rest, or turning steadily as a whole: rows, forces and tangents at a configuration, for `Statics`.

A steady turn adds the force of its own accelerations, Q(q, v) - M a, which is the gradient of 1/2 omega^2 I.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from ...errors import MethodError, shown
from ...kernels.operate import FORCES
from ...model.expression import Expr
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...model.reading import about_axis, cross_matrix, quaternion_matrix
from ...state import State
from ...system.known import known
from ...system.rows import mass_blocks, scale_blocks, slots_of
from ...system.system import System, compile
from ...system.trace.derivatives import Tangents
from ..dynamics.consistent import worst_parts
from ..pose.pose import Pose
from .potential import Potential
from .slopes import Slope, by_numbers
from .statics import Statics


@dataclass(frozen=True)
class Spin:
    """Steady turn of the whole mechanism about an axis fixed in space; in the plane the axis is z."""

    point: np.ndarray
    axis: np.ndarray
    omega: float

    def motion(self, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
        """Velocities and accelerations of all bodies.

        omega e x (r - O) and omega^2 e x (e x (r - O)); angular velocities are omega e, in body axes, where they do not change.
        """
        w, n = self.omega, len(pose.system.builder.bodies)
        if pose.system.plane:
            q = pose.q.reshape(n, 3)
            x, y = q[:, 0] - self.point[0], q[:, 1] - self.point[1]
            v = np.column_stack([-w * y, w * x, np.full(n, w)])
            a = np.column_stack([-w * w * x, -w * w * y, np.zeros(n)])
        else:
            q = pose.q.reshape(n, 7)
            across = cross_matrix(w * self.axis)
            velocity = (q[:, :3] - self.point) @ across.T
            v = np.hstack([velocity, [w * (self.axis @ quaternion_matrix(p)) for p in q[:, 3:]]])
            a = np.hstack([velocity @ across.T, np.zeros((n, 3))])
        return np.where(pose.system.moves, v.ravel(), 0.0), a.ravel()

    def tangents(self, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of these velocities and accelerations by displacements; d(A^T e) = (A^T e) x delta."""
        w, width, bodies = self.omega, pose.system.builder.width, pose.system.builder.bodies
        by_v, by_a = (np.zeros((pose.system.nv, pose.system.nv)) for _ in range(2))
        linear = 2 if pose.system.plane else 3
        across = cross_matrix(w * self.axis)[:linear, :linear]
        for b, body in enumerate(bodies):
            o = slice(width * b, width * b + linear)
            by_v[o, o], by_a[o, o] = across, across @ across
            if not body.particle and not pose.system.plane:
                o = slice(6 * b + 3, 6 * b + 6)
                by_v[o, o] = cross_matrix(w * (self.axis @ quaternion_matrix(pose.q[7 * b + 3 : 7 * b + 7])))
        return by_v, by_a

    def turned(self, pose: Pose, angle: float) -> np.ndarray:
        """Configuration of the whole mechanism turned about the axis by an angle."""
        every = np.arange(len(pose.system.builder.bodies))
        return turned(pose.q, pose.system.plane, every, self.point, self.axis, angle)


def turned(
    q: np.ndarray, plane: bool, bodies: np.ndarray, point: np.ndarray, axis: np.ndarray, angle: float
) -> np.ndarray:
    """Configuration with some bodies turned as one about an axis through a point."""
    linear = 2 if plane else 3
    turn = about_axis(axis, angle)
    whole = q.reshape(-1, 3 if plane else 7).copy()
    some = whole[bodies]
    some[:, :linear] = (some[:, :linear] - point[:linear]) @ turn[:linear, :linear].T + point[:linear]
    if plane:
        some[:, 2] += angle
    else:
        half, p = math.sin(0.5 * angle) * axis, some[:, 3:].copy()
        scalar = math.cos(0.5 * angle) * p[:, 0] - p[:, 1:] @ half
        vector = math.cos(0.5 * angle) * p[:, 1:] + p[:, :1] * half + np.cross(half, p[:, 1:])
        some[:, 3:] = np.column_stack([scalar, vector])
    whole[bodies] = some
    return whole.ravel()


class Bodies(Statics):
    """A mechanism around the configuration of a pose, which it moves.

    `pose`: where to begin; its q changes with every motion made here.  `spin`: steady turn, or None for rest.  `held`: measures kept at their present
    values besides the constraints; they must be among the pose's measures.
    """

    system: System

    def __init__(self, pose: Pose, spin: Spin | None = None, held: Sequence[Measure] = ()) -> None:
        self.pose, self.system, self.spin = pose, pose.system, spin
        self.spinning = spin is not None
        builder, width = self.system.builder, self.system.builder.width
        self.n_rows, self.nv, numbering = self.system.n_rows, self.system.nv, self.system.numbering
        turning = self.system.kinds_of_velocity == 1
        # rotations count as lengths on a circle of the model's length; particles do not turn
        self.size = np.where(turning, self.system.length, 1.0)
        self.active = self.system.moves
        self.turning, self._all = turning & self.active, bool(self.active.all())
        self.wraps = self.turning if self.system.plane else np.zeros(self.nv, dtype=bool)
        free = [self.n_rows + builder.free_row(measure.name, measure) for measure in held]
        index = [*range(self.n_rows), *free]
        self.held_rows = np.array(free, dtype=int)
        units = [numbering.rows[r].unit for r in index]
        # conditions on velocities: they say how the configuration may move, not where it is
        self.on_rates = np.array([numbering.rows[r].rate_only for r in index], dtype=bool)
        self.scale = np.array([1.0 / self.system.length if unit == "m" else 1.0 for unit in units])
        self._scales = self.scale / self.size[:, None]
        # where the rows lie in the memory of the kernels
        slots = slots_of(self.system)
        some = [(k, s) for k, r in enumerate(index) for s in slots.of(r)]
        own = np.array([s for _, s in some], dtype=int)
        self._scaling = scale_blocks(self.system)
        self._places = (slots.place[own, None] + np.arange(width))[:, :, None]
        self._blocks = self._scaling[slots.body[own]]
        # rows with the first columns of the bodies that they touch
        self.touched = [(k, width * int(slots.body[s])) for k, s in some]
        first = np.array([row * self.nv + column for row, column in self.touched], dtype=int)
        self._flat = (first[:, None] + np.arange(width)).ravel()
        self._units = np.einsum("bii->bi", self._scaling).ravel()
        self._row_places, self._row_units = self._places.ravel(), self._units[self._flat % self.nv]
        self._offset = self.system.row_offsets
        self._called = any(law.law.function is not None for law in builder.laws)
        # whether laws may have corners: those with switches, and Python functions, which cannot be read
        self.one_sided = self._called or len(pose.work.side) > 0
        self.mass = np.zeros((self.nv, self.nv))
        for b, block in enumerate(mass_blocks(self.system)):
            self.mass[b * width : b * width + width, b * width : b * width + width] = block
        # parts of the memory that every evaluation reads
        work = pose.work
        self._loads, self._values, self._drives = work.acc[: self.nv], work.value[: self.n_rows], work.drive[0::3]
        self._reaches = self.size / self.system.length
        self.targets = np.zeros(len(free))
        self.evaluate()
        self.targets = self.pose.work.value[self.held_rows].copy()
        self.evaluate()

    # -- evaluation ------------------------------------------------------------------------------------------------------

    def evaluate(self, velocity: np.ndarray | None = None) -> None:
        """phi, J and Q at the present configuration, into `phi`, `jac`, `force`; Q for other velocities if they are given."""
        pose, work = self.pose, self.pose.work
        acceleration = None
        if velocity is not None:
            pose.v[:] = velocity
        elif self.spin is None:
            pose.v[:] = 0.0
        else:
            pose.v[:], acceleration = self.spin.motion(pose)
        if self._called:
            pose.call_laws()
        pose.operate(FORCES)
        # Q = G (G^-1 Q); G is diagonal in the plane
        plane = self.system.plane
        if plane:
            self.force = self._units * self._loads
        else:
            self.force = (self._scaling @ self._loads.reshape(len(self._scaling), -1, 1)).ravel()
        if acceleration is not None:
            self.force -= self.mass @ acceleration
        if not self._all:
            self.force[~self.active] = 0.0
        self.phi = self._values - self._offset - self._drives
        if len(self.held_rows):
            self.phi = np.concatenate([self.phi, work.value[self.held_rows] - self.targets])
        jac = np.zeros(len(self.scale) * self.nv)
        if plane:
            jac[self._flat] = self._row_units * work.F.take(self._row_places)
        elif len(self._places):
            jac[self._flat] = (self._blocks @ work.F[self._places]).ravel()
        self.jac = jac.reshape(len(self.scale), self.nv)

    def largest_force(self) -> float:
        """Largest weight or force element [N], torques by the model's length: their sum may vanish where nothing else holds a body."""
        weight = np.linalg.norm(self.system.builder.gravity)
        found = [float(np.max(np.abs(self.force / self.size)[self.active], initial=0.0))]
        # the first entry of each block of M is the mass of a body
        found.append(float(weight * np.max(np.diag(self.mass)[:: self.system.builder.width], initial=0.0)))
        found += [float(x) for x in np.abs(self.pose.work.force[: len(self._arms)]) / self._arms]
        return max(x for x in found if math.isfinite(x))

    @cached_property
    def _arms(self) -> np.ndarray:
        """What makes forces of the effort of each law: 1, or the model's length for torques."""
        units = [law.measure.unit for law in self.system.builder.laws]
        return np.array([self.system.length if unit.startswith("rad") else 1.0 for unit in units])

    # -- derivatives -----------------------------------------------------------------------------------------------------

    @cached_property
    def _tangents(self) -> Tangents | None:
        """Exact derivatives; None for laws in Python, which are left to differences."""
        made = self.pose._programs
        return None if made.refused else made

    @property
    def exact(self) -> bool:  # type: ignore[override]
        """Whether derivatives are exact."""
        return self._tangents is not None

    def curl(self, z: np.ndarray) -> tuple[np.ndarray, float]:
        """Of all forces; rotations by body axes do not commute, [z_i, z_j] = z_i x z_j."""
        k, error = self.bounded_stiffness(z, np.zeros(len(self.scale)))
        c = k - k.T
        if not self.system.plane:
            spin, torque = z.reshape(-1, 6, z.shape[1])[:, 3:], self.force.reshape(-1, 6)[:, 3:]
            across = np.cross(spin[:, :, :, None], spin[:, :, None, :], axis=1)
            c -= np.einsum("bcij,bc->ij", across, torque)
        return c, 100.0 * error

    def coordinate_name(self, c: int) -> str:
        """A coordinate of a body, or its rotation about an axis of its own."""
        return self.system.velocity_names[c].removesuffix("'").replace(".spin_", ".turn_")

    def damping(self, z: np.ndarray) -> tuple[np.ndarray, float]:
        """None in a steady turn, whose verdict is that of its energy, and with rows on rates, which need their own equations."""
        if self.spinning or self.on_rates.any():
            return np.zeros((z.shape[1], z.shape[1])), 0.0
        return super().damping(z)

    @property
    def extent(self) -> float:
        """Largest coordinate."""
        return float(np.max(np.abs(self.pose.q), initial=0.0))

    def spread(self, lam: np.ndarray) -> np.ndarray:
        """Multipliers of all rows of the programs: free rows have none unless they are held."""
        made = np.zeros(self.n_rows + self.system.n_free)
        made[: self.n_rows], made[self.held_rows] = lam[: self.n_rows], lam[self.n_rows :]
        return made

    def second(self, a: np.ndarray) -> np.ndarray:
        """J a - gamma."""
        n, work = self.n_rows, self.pose.work
        return np.asarray(self.jac[:n] @ a + work.bias[:n] - work.drive[2::3])

    def rates(self, v: np.ndarray) -> np.ndarray:
        """J v - nu of the rows, then the rates of the free rows."""
        n, work, made = self.n_rows, self.pose.work, np.array(self.pose.work.rate)
        made[:n] = self.jac[:n] @ v + work.partial[:n] - work.drive[1::3]
        return made

    def way(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Displacement from configuration a to b, with the shortest rotations."""
        if self.system.plane:
            return super().way(a, b)
        x, y = a.reshape(-1, 7), b.reshape(-1, 7)
        # p_a^-1 p_b = (cos, n sin) of half the angle; `move` takes 2 n tan of half the angle
        p, r = x[:, 3:], y[:, 3:]
        scalar = np.einsum("bi,bi->b", p, r)
        vector = p[:, :1] * r[:, 1:] - r[:, :1] * p[:, 1:] - np.cross(p[:, 1:], r[:, 1:])
        cosine = np.where(np.abs(scalar) < 1e-9, 1e-9, scalar)[:, None]
        return np.where(self.active, np.hstack([y[:, :3] - x[:, :3], 2.0 * vector / cosine]).ravel(), 0.0)

    def tangent(self, directions: np.ndarray, lam: np.ndarray, part: float | None = None, levels: int = 1) -> Slope:
        """d(J^T lam - Q)/d(delta) along displacements, in a steady turn with the force of its accelerations."""
        v, moves, by_a = np.zeros(self.nv), {"q": directions}, np.zeros_like(directions)
        if self.spin is not None:
            v, _ = self.spin.motion(self.pose)
            by_v, by_a = (x @ directions for x in self.spin.tangents(self.pose))
            moves["v"] = by_v
        (made,) = self.along(["force"], v, moves, {"lam": lam}, part=part, levels=levels)
        made.mean[:] += self.mass @ by_a
        made.mean[~self.active] = 0.0
        return made

    # -- the problem of equilibrium --------------------------------------------------------------------------------------

    extra: tuple[Measure, ...] = ()
    _asked: tuple[str, Any] = "", None  # what is asked, and the pair (measure, rate) of a steady turn

    @classmethod
    def begin(
        cls, asked: str, model: Mechanism, start: State | None, spinning: Any, t: float, values: Mapping[str, float] | None, like: Any, hold: Sequence[Measure] = ()
    ) -> Self:  # fmt: skip
        """A mechanism at its start, with values of its parameters and some measures held; refused where it does not rest or turn steadily there."""
        held = tuple(hold) if spinning is None else (spin_measure(asked, model, spinning),)
        extra = (*shown_measures(model), *held)
        if values is not None and start is not None:
            system = compile(model, extra=extra, values={**model.parameters, **values})
            pose = Pose(system, start.t, start.q, None, start.angles)
        else:
            still = None if start is None else replace(start, v=np.zeros_like(start.v))
            pose = Pose.of(model, still, asked=asked, t=t, extra=extra, consistent=False)
        made = cls(pose, read_spin(asked, model, pose, spinning), held)
        made._asked, made.extra = (asked, spinning), extra
        if not made.onto():
            pose.detect()
            pose.check_positions(asked, "drawing")
        check_steady(asked, made)
        made.moving = f" while {held[0].name!r} turns at a given rate" if spinning is not None else ""
        return made

    def energy(self) -> Potential:
        """Its potential energy, less that of a steady turn."""
        return Potential(self)

    def check_symmetry(self, scale: float) -> None:
        """Refuse a steady turn of a mechanism whose forces are not the same in all its positions about the axis."""
        if self.spin is None:
            return
        # a mechanism with no symmetry but that of some polygon would pass a turn by its angle; 1 rad is no such angle
        pose = self.pose
        other = Bodies(Pose(pose.system, pose.t, self.spin.turned(pose, 1.0), None, pose.work.angle), self.spin)
        other.factor()
        left = float(np.linalg.norm(other.free_motions().T @ other.force))
        if left > 1e-6 * max(float(np.max(np.abs(x.force / x.size), initial=0.0)) for x in (self, other)):
            raise MethodError(
                self._asked[0],
                f"forces that balance in one position leave {left:.3g} N when everything is turned by 1 rad about the axis",
                "then a turn about this axis is not steady",
                "attach springs and loads to the axis or to bodies that turn, not to other points of the ground",
            )

    def equation_name(self, c: int) -> tuple[str, str]:
        """The body of a velocity, and the unit of its equation."""
        return f"body {self.system.body_names[c // self.system.builder.width]!r}", "N m" if self.turning[c] else "N"

    def coordinates(self) -> dict[str, tuple[float, str]]:
        """Those of the first joints, with their units."""
        builder, value = self.system.builder, self.pose.work.value
        measures = self.extra[: len(self.extra) - len(self.held_rows)]
        return {x.name: (float(value[self.n_rows + builder.free_row(x.name, x)]), x.unit) for x in measures}

    def by_parameter(self, name: str, p: float, ends: tuple[float, float], lam: np.ndarray) -> tuple[Any, Any]:
        """dphi/dp and d(J^T lam - Q)/dp here: exact along dP/dp, or by differences.

        A parameter of the drawing acts through everything that is computed when the model is built: how the numbers P of the equations change with it is
        a difference of two models, inside the range, since beyond it the model may not exist.
        """
        (low, high), h, at, model = sorted(ends), 1e-5 * abs(ends[1] - ends[0]), self.pose, self.system.builder.model
        if p - h < low:
            weights = {0.0: -1.5, h: 2.0, 2 * h: -0.5}
        elif p + h > high:
            weights = {0.0: 1.5, -h: -2.0, -2 * h: 0.5}
        else:
            weights = {h: 0.5, -h: -0.5}
        beside = []
        for shift, weight in weights.items():
            system = compile(model, extra=self.extra, values={**model.parameters, name: p + shift})
            pose = Pose(system, at.t, at.q, None, at.work.angle)
            beside.append((pose, read_spin(self._asked[0], model, pose, self._asked[1]), weight / h))
        exact = by_numbers(self, beside, lam)
        if exact is not None:
            return exact
        held = self.extra[len(self.extra) - len(self.held_rows) :]
        found = [(Bodies(pose, spin, held), weight) for pose, spin, weight in beside]
        return sum(w * x.phi for x, w in found), sum(w * x.residual(lam) for x, w in found)


# -- what is asked -----------------------------------------------------------------------------------------------------------


def shown_measures(model: Mechanism) -> tuple[Measure, ...]:
    """Coordinates of the first joints, for the table; the same ones as long as the mechanism stays as it is."""
    facts = known(model)
    if "shown" not in facts:
        joints = [joint for joint in model.parts("joint") if not any(body.particle for body in joint.bodies)]
        found = [x for joint in joints for x in joint.coordinates().values()]
        facts["shown"] = tuple(x for x in found if x.kind in ("angle", "along_body", "along_space", "distance"))[:3]
    return facts["shown"]  # type: ignore[no-any-return]


def spin_measure(asked: str, model: Mechanism, spinning: Any) -> Measure:
    """The angle of a steady turn: against the ground."""
    do = "give spinning=(m['bearing'].angle, omega), the angle of a joint with the ground"
    if not isinstance(spinning, tuple | list) or len(spinning) != 2:
        raise MethodError(asked, f"spinning = {shown(spinning)}", "a pair is needed: an angle and a rate", do)
    measure = model.read_coordinate(asked, spinning[0])
    bodies = [marker.body for marker in (measure.i, measure.j) if marker is not None]
    if measure.kind != "angle" or not any(body.is_ground for body in bodies):
        raise MethodError(asked, f"spinning about {measure!r}", "a steady turn is about an axis fixed in space", do)
    return measure


def read_spin(asked: str, model: Mechanism, pose: Pose, spinning: Any) -> Spin | None:
    """The steady turn about the axis of a measure, if it is asked for; gravity must be the same in all its positions."""
    if spinning is None:
        return None
    measure, rate = spin_measure(asked, model, spinning), spinning[1]
    values = pose.system.builder.drawing.values
    read: Any = model.read_number(asked, "rate of spinning", rate)
    omega = float(read.evaluate(values) if isinstance(read, Expr) else read)
    assert measure.i is not None and measure.j is not None  # an angle has both
    i, j = pose.system.builder.drawing.attach(measure.i, measure.j)
    fixed, sign = (i, 1.0) if i.body.is_ground else (j, -1.0)
    spin = Spin(fixed.point, np.array([0.0, 0.0, 1.0]) if model.plane else fixed.axes[:, 2], sign * omega)
    gravity = pose.system.builder.drawing.vector(model.gravity)
    across = float(np.linalg.norm(np.cross(spin.axis, gravity)))
    if across > 1e-9 * max(float(np.linalg.norm(gravity)), 1e-300):
        raise MethodError(
            asked,
            f"gravity has the part {across:.6g} m/s² across the axis of {measure.name!r}",
            "then a turn about this axis is not steady",
            "turn about the direction of gravity, or without gravity",
        )
    return spin


def check_steady(asked: str, statics: Bodies) -> None:
    """Refuse rows that move in another way than the mechanism does: drivers under way, joints that do not allow the turn."""
    pose = statics.pose
    left = np.abs(statics.jac[: statics.n_rows] @ pose.v - pose.nu)
    size = max(1.0, float(np.max(np.abs(pose.v), initial=0.0)))
    if np.max(left * pose.scale, initial=0.0) <= 1e-9 * size:
        return
    parts = worst_parts(statics.system, left).replace(" m", " m/s").replace(" rad", " rad/s")
    if statics.spin is None:
        why, do = "an equilibrium is at rest", "drive with a constant, take another t=, or use spinning=(angle, omega)"
    else:
        why = "the mechanism cannot turn as a whole at this rate: these parts resist it"
        do = "give the rate of the driver named, or an axis about which everything can turn"
    raise MethodError(asked, f"rates that do not fit: {parts}", why, do)
