"""Free-body equations from geometry: the physical load of every measure on its bodies, and the balance of each body.

A route of its own beside the rows of the kernels: points, directions and couples in space axes, drawn from the poses of the bodies.

    sum of forces on a body  = m a                         (space axes)
    sum of moments about c   = I alpha + omega x I omega   (c its mass centre)

The load of a measure s is the system of forces and couples with the virtual work ds: a force at a point for a coordinate of the
point, a pair of forces along the line for a distance, a couple for an angle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.body import Body
from ...model.expression import Expr
from ...model.measure import COMPOSITE, Measure
from ...model.reading import conjugate, quaternion_product
from ...results.moving import Kinematics
from ...results.result import Result
from ...results.work import typical_acceleration
from ...system.build import carried_direction
from ...system.geometry import Attached
from ...system.rows import mass_matrix
from ...system.subspaces import factor

# load of one measure: force and moment about the mass centre (time, 6), by number of body
Loads = dict[int, np.ndarray]


class FreeBodies:
    """Loads of measures on the bodies of a run, over all its times."""

    def __init__(self, run: Result) -> None:
        self.run, self.builder = run, run.system.builder
        self.length = float(run.system.length)

    def _along(self, frames: np.ndarray, vector: np.ndarray) -> np.ndarray:
        return np.einsum("tij,j->ti", frames, vector)

    def _velocity(self, motion: Kinematics, point: np.ndarray) -> np.ndarray:
        return motion.velocity + np.cross(motion.omega, point - motion.position)

    def _add(self, loads: Loads, body: Body, point: np.ndarray | None, force: np.ndarray, couple: np.ndarray) -> None:
        """A force through a point and a couple on a body; the ground needs no balance."""
        if body.is_ground:
            return
        moment = couple
        if point is not None:
            moment = couple + np.cross(point - self.run.kinematics(body).position, force)
        b = self.builder.body_index(body)
        loads[b] = loads.get(b, 0.0) + np.column_stack([force, moment])

    def loads(self, measure: Measure) -> list[Loads]:
        """Unit loads of a measure: one for each row that it has."""
        if measure.kind in COMPOSITE:
            return [self._composite(measure)]
        i, j = self.builder.drawing.attach(measure.i, measure.j)  # type: ignore[arg-type]
        a, b = self.run.kinematics(i.body), self.run.kinematics(j.body)
        p, q = (k.position + self._along(k.rotation, m.point) for k, m in ((a, i), (b, j)))
        zero = np.zeros_like(p)
        axes = [self._along(a.rotation, i.axes[:, k]) for k in range(3)]
        other = [self._along(b.rotation, j.axes[:, k]) for k in range(3)]

        def forces(direction: np.ndarray, at_i: np.ndarray) -> Loads:
            made: Loads = {}
            self._add(made, j.body, q, direction, zero)
            self._add(made, i.body, at_i, -direction, zero)
            return made

        def couples(axis: np.ndarray) -> Loads:
            made: Loads = {}
            self._add(made, j.body, None, zero, axis)
            self._add(made, i.body, None, zero, -axis)
            return made

        fixed = [np.broadcast_to(np.eye(3)[k], p.shape) for k in range(3)]
        kind = measure.kind
        if kind == "gap":
            return [forces(fixed[k], p) for k in range(2 if self.run.plane else 3)]
        if kind == "distance":
            # at zero length the direction is that of the relative velocity (PLANAR 6.2.15), none at rest
            line, rate = q - p, self._velocity(b, q) - self._velocity(a, p)
            line = np.where(np.linalg.norm(line, axis=1)[:, None] > 1e-30, line, rate)
            size = np.linalg.norm(line, axis=1)[:, None]
            return [forces(np.where(size > 1e-30, line / np.where(size > 1e-30, size, 1.0), 0.0), p)]
        if kind == "along_body":
            # a smooth slot on i pushes where the point of j is
            return [forces(axes["xyz".index(measure.direction)], q)]
        if kind == "parallel":
            return [couples(np.cross(other[2], axes[k])) for k in (0, 1)]
        if kind == "dot":
            first, second = ("xyz".index(c) for c in measure.direction)
            return [couples(np.cross(other[second], axes[first]))]
        if kind == "twist":
            # couple about the axis n with 2 r_z' = n . (omega_j - omega_i), r the quaternion from marker i to marker j
            r = self._relative(measure, i, j)[:, :, None]
            return [couples(r[:, 0] * other[2] + r[:, 1] * other[1] - r[:, 2] * other[0])]
        if kind == "angle":
            if self.run.plane:
                return [couples(fixed[2])]
            # angle of x_j seen along z_i: (z - x_j (x_j . z)) / (1 - (x_j . z)^2), which is z where both axes agree
            x, z = other[0], axes[2]
            tilt = np.einsum("ti,ti->t", x, z)[:, None]
            return [couples((z - x * tilt) / (1.0 - tilt**2))]
        if measure.is_rate and measure.frame is not None:
            along = self._along(self.run.kinematics(measure.frame).rotation, carried_direction(measure, i, j))
        else:
            direction = self.builder.drawing.direction(measure.name, "direction", measure.direction)
            along = np.broadcast_to(direction, p.shape)
        return [couples(along) if kind == "spin" else forces(along, p)]

    def _relative(self, measure: Measure, i: Attached, j: Attached) -> np.ndarray:
        """Quaternion of marker j seen from marker i over time, with the sign that the quaternions of the run give it."""
        markers = self.builder.drawing.twist_quaternions(measure, i, j).reshape(2, 4)
        found = []
        for k in range(len(self.run.t)):
            ends = []
            for body, marker in ((i.body, markers[0]), (j.body, markers[1])):
                p = self.run.kinematics(body).quaternion
                ends.append(marker if p is None else quaternion_product(p[k], marker))
            found.append(quaternion_product(conjugate(ends[0]), ends[1]))
        return np.array(found).reshape(-1, 4)

    def _composite(self, measure: Measure) -> Loads:
        """Sum of ds/dx times the load of x over the measures x that s is made of; of dw/dx' for a condition w on rates."""
        on_rates = measure.kind == "rate_expression"
        first: Any
        second: Any
        if on_rates:
            assert measure.expression is not None
            first, second = self.builder.in_base_measures(measure.name, measure.expression, measure)
        else:
            first, second = self.builder.flatten(measure)
        if isinstance(first, Expr):
            named: Any = second
            values = {name: np.asarray(self.run.measure(base)) for name, base in named.items()}
            at = [dict({n: float(x[k]) for n, x in values.items()}, t=float(t)) for k, t in enumerate(self.run.t)]
            slopes = {name: first.diff(f"rate({name})" if on_rates else name) for name in named}
            terms = [(np.array([slopes[name].evaluate(v) for v in at]), base) for name, base in named.items()]
        else:
            terms = [(np.full(len(self.run.t), c), base) for c, base in first]
        made: Loads = {}
        for share, base in terms:
            for b, load in self.loads(base)[0].items():
                made[b] = made.get(b, 0.0) + share[:, None] * load
        return made

    def given(self) -> np.ndarray:
        """What joints and drivers must supply: inertia minus weight and force elements, (time, body, 6)."""
        run, drawing = self.run, self.builder.drawing
        need = np.zeros((len(run.t), len(self.builder.bodies), 6))
        g = run.system.builder.gravity
        for b, body in enumerate(self.builder.bodies):
            k, p = run.kinematics(body), drawing.matter(body)
            need[:, b, :3] = p.mass * (k.acceleration - g)
            inertia = k.rotation @ p.inertia @ np.swapaxes(k.rotation, 1, 2)
            spin = np.einsum("tij,tj->ti", inertia, k.omega)
            need[:, b, 3:] = np.einsum("tij,tj->ti", inertia, k.alpha) + np.cross(k.omega, spin)
        for n, law in enumerate(self.builder.laws):
            # a positive law pulls its measure down
            for b, load in self.loads(law.measure)[0].items():
                need[:, b] += run.forces[:, n, None] * load
        return need

    def level(self) -> float:
        """Largest force of inertia, weight and elements on a body (moments divided by the model's length) [N].

        At least what accelerations that go with the velocities would need, which cancel in steady motion.
        """
        steady = mass_matrix(self.run.system) @ typical_acceleration(self.run)
        need = self.given()
        sizes = [need[:, :, :3], need[:, :, 3:] / self.length, steady * self.run.system.unit_of_velocity / self.length]
        return max(float(np.max(np.abs(x), initial=0.0)) for x in sizes)

    def efforts(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Names of the parts of all rows, their loads along their measures (time, rows), and how far each is from being unique."""
        run = self.run
        parts: list[str] = []
        columns: list[Loads] = []
        closed = [run.model.impacts[name] for name in sorted(run.model.situation.closed)]
        for part in (*run.parts("joint"), *closed):
            for measure in part.rows():
                made = self.loads(measure)
                columns += made
                parts += [part.name] * len(made)
        for driver in run.parts("driver"):
            columns += self.loads(driver.measure)
            parts.append(driver.name)
        used = [0, 1, 5] if run.plane else list(range(6))
        # moments in units of force times length of the model
        weight = np.array([1.0, 1.0, 1.0, *[1.0 / self.length] * 3])[used]
        n = len(self.builder.bodies)
        matrix = np.zeros((len(run.t), n, len(used), len(columns)))
        for c, loads in enumerate(columns):
            for b, load in loads.items():
                matrix[:, b, :, c] = load[:, used] * weight
        need = self.given()[:, :, used] * weight
        found, loose = np.zeros((len(run.t), len(columns))), np.zeros(len(columns))
        for k in range(len(run.t)):
            equations = matrix[k].reshape(-1, len(columns))
            size = np.linalg.norm(equations, axis=0)
            size = np.where(size > 0.0, size, 1.0)
            solved = factor(equations / size)
            found[k] = solved.solve(need[k].ravel()) / size
            # null vectors: loads that balance each other and may be added
            loose = np.maximum(loose, np.max(np.abs(solved.null), axis=1, initial=0.0))
        return parts, found, loose
