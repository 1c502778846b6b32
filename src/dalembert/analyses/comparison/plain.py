"""The equations of motion once more, in plain numpy from the description of the model: the second opinion of `verify`.

Nothing of the compiled tables and kernels is used.  A point or direction of a body is a vector with its velocity, its acceleration
at a = 0 and its derivative by the velocities of the bodies; all measures follow from

    scalar products      (x . y)'' = x'' . y + 2 x' . y' + x . y''
    the chain rule       f(s, t)'' = f_s s'' + f_ss s' s' + 2 f_st s' + f_tt

and M a + J^T lam = Q, J a = gamma from measures held (joints), driven (drivers) and loaded (force elements).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError
from ...model.body import Body
from ...model.expression import Expr
from ...model.forces import Law
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...model.reading import quaternion_matrix, quaternion_product
from ...system.build import carried_direction
from ...system.geometry import Drawing
from .calculus import Scalar, Vector, chain, cross, dot, rate_only, tilde

_AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True)
class Held:
    """A measure that a joint or driver holds."""

    part: str
    measure: Measure
    target: Expr | None


@dataclass(frozen=True)
class Loaded:
    """A measure under a force law."""

    part: str
    measure: Measure
    law: Law


@dataclass
class Arrays:
    """The equations of motion at one state, by whatever way; rows and laws in the order of `Plain`."""

    phi: np.ndarray
    jac: np.ndarray
    nu: np.ndarray
    gamma: np.ndarray
    M: np.ndarray
    Q: np.ndarray
    law: np.ndarray  # f of each law
    law_rows: np.ndarray  # row of each law


class Plain:
    """A mechanism as lists of held and loaded measures, ready to be evaluated at any state."""

    def __init__(self, model: Mechanism) -> None:
        self.model, self.drawing = model, Drawing(model)
        self.width = 3 if model.plane else 6
        self.index = {id(body): b for b, body in enumerate(model.bodies)}
        self.nv = self.width * len(model.bodies)
        self.held = [Held(joint.name, x, None) for joint in model.parts("joint") for x in joint.rows()]
        self.held += [Held(d.name, d.measure, d.expression) for d in model.parts("driver")]
        self.loaded = [Loaded(f.name, x, law) for f in model.parts("force") for x, law in f.elements()]
        self._own = {load.measure.name: load.measure for load in self.loaded}
        # what does not change with the state: markers in body axes, offsets, derivatives of expressions
        self._known: dict[Any, Any] = {}

    # -- state -----------------------------------------------------------------------------------------------------------

    def arrays(self, t: float, q: np.ndarray, v: np.ndarray, turns: dict[tuple[Any, ...], float]) -> Arrays:
        """All arrays at a state; `turns` are the counted angles in space, by bodies and axes as in `Builder.angles`."""
        self.t, self.turns = t, turns
        self._place(q, v)
        self._found: dict[str, Scalar] = {}
        values = dict(self.drawing.values, t=t)
        phi, rows, nu, gamma = [], [], [], []
        for held in self.held:
            target = [0.0, 0.0, 0.0]
            if held.target is not None:
                for k, e in enumerate(self._time_derivatives(held.target)):
                    target[k] = e.evaluate(values)
            for s in self.scalars(held.measure):
                phi.append(s.value - target[0])
                rows.append(s.row)
                nu.append(target[1] - s.partial)
                gamma.append(target[2] - s.bias)
        M, Q = self._bodies()
        law, law_rows = [], []
        for load in self.loaded:
            (s,) = self.scalars(load.measure)
            law.append(self._law(load, s))
            law_rows.append(s.row)
        J, L = self._matrix(rows), self._matrix(law_rows)
        # virtual work -f ds
        Q = Q - L.T @ np.array(law) if law else Q
        return Arrays(np.array(phi), J, np.array(nu), np.array(gamma), M, Q, np.array(law), L)

    def _place(self, q: np.ndarray, v: np.ndarray) -> None:
        """Rotation, mass centre, velocity and angular velocity in space axes of every body; the ground is last."""
        self.A, self.r, self.v, self.w, self.angle, self.p = [], [], [], [], [], []
        for b in range(len(self.index)):
            if self.model.plane:
                x, y, angle = q[3 * b : 3 * b + 3]
                c, s = math.cos(angle), math.sin(angle)
                self.A.append(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
                self.r.append(np.array([x, y, 0.0]))
                self.v.append(np.array([v[3 * b], v[3 * b + 1], 0.0]))
                self.w.append(np.array([0.0, 0.0, v[3 * b + 2]]))
                self.angle.append(float(angle))
            else:
                self.p.append(np.array(q[7 * b + 3 : 7 * b + 7]))
                self.A.append(quaternion_matrix(self.p[b]))
                self.r.append(np.array(q[7 * b : 7 * b + 3]))
                self.v.append(np.array(v[6 * b : 6 * b + 3]))
                self.w.append(self.A[b] @ v[6 * b + 3 : 6 * b + 6])
                self.angle.append(0.0)
        self.A.append(np.eye(3))
        self.p.append(np.array([1.0, 0.0, 0.0, 0.0]))
        self.angle.append(0.0)
        for x in (self.r, self.v, self.w):
            x.append(np.zeros(3))

    def _matrix(self, rows: list[dict[int, np.ndarray]]) -> np.ndarray:
        """Rows by (r', omega) in space axes as a matrix on the velocities of the model."""
        found = np.zeros((len(rows), self.nv))
        for k, row in enumerate(rows):
            for b, x in row.items():
                o = self.width * b
                if self.model.plane:
                    found[k, o : o + 3] = x[[0, 1, 5]]
                else:
                    found[k, o : o + 3], found[k, o + 3 : o + 6] = x[:3], x[3:] @ self.A[b]
        return found

    def _bodies(self) -> tuple[np.ndarray, np.ndarray]:
        """Mass matrix; weights and gyroscopic moments -omega' x J' omega'."""
        M, Q, w = np.zeros((self.nv, self.nv)), np.zeros(self.nv), self.width
        g = self.drawing.vector(self.model.gravity)
        linear = 2 if self.model.plane else 3
        for b, body in enumerate(self.model.bodies):
            p = self.drawing.matter(body)
            o, c = w * b, w * b + linear
            M[o:c, o:c] = p.mass * np.eye(linear)
            Q[o:c] = p.mass * g[:linear]
            if body.particle:
                continue
            if self.model.plane:
                M[c, c] = p.inertia[2, 2]
            else:
                spin = self.A[b].T @ self.w[b]
                M[c : o + w, c : o + w] = p.inertia
                Q[c : o + w] = -cross(spin, p.inertia @ spin)
        return M, Q

    # -- vectors -----------------------------------------------------------------------------------------------------------

    def _carried(self, b: int, arm: np.ndarray) -> Vector:
        """Vector fixed on a body: x' = omega x, x'' = omega x (omega x x)."""
        x = self.A[b] @ arm
        rate = cross(self.w[b], x)
        by = {} if b == len(self.index) else {b: np.hstack([np.zeros((3, 3)), -tilde(x)])}
        return Vector(x, rate, cross(self.w[b], rate), by)

    def _point(self, b: int, arm: np.ndarray) -> Vector:
        """Point of a body: x = r + A s."""
        s = self._carried(b, arm)
        by = {k: np.hstack([np.eye(3), x[:, 3:]]) for k, x in s.by.items()}
        return Vector(self.r[b] + s.x, self.v[b] + s.rate, s.bias, by)

    def _direction(self, measure: Measure) -> Vector:
        """Direction of a measure, fixed in space or on the body `frame`."""
        if measure.frame is not None:
            _, _, a, b = self._ends(measure)
            return self._carried(self._body(measure.frame), carried_direction(measure, a, b))
        d = self.drawing.direction(measure.name, "direction", measure.direction)
        return Vector(d, np.zeros(3), np.zeros(3), {})

    def _body(self, body: Body) -> int:
        return self.index.get(id(body), len(self.index))

    # -- scalars -----------------------------------------------------------------------------------------------------------

    def scalars(self, measure: Measure) -> list[Scalar]:
        """The scalars of a measure, its offset subtracted: one, or as many as a joint's measure has rows."""
        if measure.kind not in ("gap", "parallel"):
            return [self.scalar(measure)]
        assert measure.i is not None and measure.j is not None
        i, j, a, b = self._ends(measure)
        if measure.kind == "gap":
            gap = self._point(j, b.point) - self._point(i, a.point)
            units = np.eye(3)[: 2 if self.model.plane else 3]
            return [dot(gap, Vector(e, np.zeros(3), np.zeros(3), {})) for e in units]
        z = self._carried(j, b.axes[:, 2])
        return [dot(self._carried(i, a.axes[:, k]), z) for k in (0, 1)]

    def scalar(self, measure: Measure) -> Scalar:
        """One scalar, its offset subtracted."""
        if id(measure) not in self._known:
            # the measure is kept with it, so that its id stays its own
            self._known[id(measure)] = (measure, self.drawing.offset(measure))
        s, offset = self._scalar(measure), self._known[id(measure)][1]
        return Scalar(s.value - offset, s.rate, s.partial, s.bias, s.row)

    def _scalar(self, measure: Measure) -> Scalar:
        kind = measure.kind
        if kind == "combination":
            terms = [(self.drawing.number(c), self.scalar(term)) for c, term in measure.terms]
            gradient = np.array([c for c, _ in terms])
            return chain(sum(c * s.value for c, s in terms), gradient, [s for _, s in terms])
        if kind == "expression":
            return self._expression(measure)
        if kind == "rate_expression":
            return self._rate_expression(measure)
        i, j, a, b = self._ends(measure)
        if kind == "spin":
            return rate_only(self._direction(measure), self._spin(j) - self._spin(i))
        if kind == "dot":
            first, second = measure.direction
            return dot(self._carried(i, a.axes[:, _AXES[first]]), self._carried(j, b.axes[:, _AXES[second]]))
        if kind == "twist":
            return self._twist(measure, i, j, a, b)
        if kind == "angle":
            return self._angle(i, j, a, b)
        gap = self._point(j, b.point) - self._point(i, a.point)
        if kind == "along_body":
            return dot(self._carried(i, a.axes[:, _AXES[measure.direction]]), gap)
        if kind == "along_space":
            return dot(self._direction(measure), gap)
        if kind == "velocity":
            return rate_only(self._direction(measure), gap)
        if kind == "distance":
            square = dot(gap, gap)
            length = math.sqrt(square.value)
            # at length zero the direction is undefined; force elements take none there
            first = 0.5 / length if length > 0.0 else 0.0
            second = -0.25 / length**3 if length > 0.0 else 0.0
            return chain(length, np.array([first]), [square], np.array([[second]]))
        raise ModelError(
            f"verify({self.model.name!r})",
            f"measure {measure.name!r} of kind {kind!r}",
            "there is no second way to compute this kind",
            "leave the part out that uses it",
        )

    def _ends(self, measure: Measure) -> tuple[int, int, Any, Any]:
        """Bodies and markers of a measure in body axes."""
        key = ("ends", id(measure))
        if key not in self._known:
            assert measure.i is not None and measure.j is not None
            a, b = self.drawing.attach(measure.i, measure.j)
            self._known[key] = (self._body(a.body), self._body(b.body), a, b, measure)
        return self._known[key][:4]  # type: ignore[no-any-return]

    def _spin(self, b: int) -> Vector:
        """Angular velocity as the rate of a vector; its own rate is zero at zero acceleration."""
        by = {} if b == len(self.index) else {b: np.hstack([np.zeros((3, 3)), np.eye(3)])}
        return Vector(np.zeros(3), self.w[b], np.zeros(3), by)

    def _twist(self, measure: Measure, i: int, j: int, a: Any, b: Any) -> Scalar:
        """2 (conj(u) w)_z of the quaternions u and w of both markers: a scalar product of four numbers."""
        markers = self.drawing.twist_quaternions(measure, a, b).reshape(2, 4)
        u, w = self._quaternion(i, markers[0]), self._quaternion(j, markers[1])
        # (conj(u) w)_z = u_0 w_z - u_x w_y + u_y w_x - u_z w_0
        swap = np.array([[0, 0, 0, 1.0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [-1.0, 0, 0, 0]])
        swapped = Vector(swap @ w.x, swap @ w.rate, swap @ w.bias, {k: swap @ x for k, x in w.by.items()})
        return chain(2.0 * float(u.x @ swapped.x), np.array([2.0]), [dot(u, swapped)])

    def _quaternion(self, b: int, marker: np.ndarray) -> Vector:
        """Quaternion u of a marker on a body: u' = omega u / 2, u'' = -omega^2 u / 4 at zero acceleration."""
        u = quaternion_product(self.p[b], marker)
        turning = [0.5 * quaternion_product(np.array([0.0, *e]), u) for e in np.eye(3)]
        columns = np.column_stack(turning)
        by = {} if b == len(self.index) else {b: np.hstack([np.zeros((4, 3)), columns])}
        return Vector(u, columns @ self.w[b], -0.25 * float(self.w[b] @ self.w[b]) * u, by)

    def _angle(self, i: int, j: int, a: Any, b: Any) -> Scalar:
        if self.model.plane:
            row = {k: sign * np.eye(6)[5] for k, sign in ((i, -1.0), (j, 1.0)) if k < len(self.index)}
            return Scalar(self.angle[j] - self.angle[i], float(self.w[j][2] - self.w[i][2]), 0.0, 0.0, row)
        # tan s = Y / X with X = x_i . x_j and Y = y_i . x_j; R = X^2 + Y^2
        arm = self._carried(j, b.axes[:, 0])
        x, y = dot(self._carried(i, a.axes[:, 0]), arm), dot(self._carried(i, a.axes[:, 1]), arm)
        X, Y = x.value, y.value
        R = X * X + Y * Y
        hessian = np.array([[2 * X * Y, Y * Y - X * X], [Y * Y - X * X, -2 * X * Y]]) / R**2
        value = math.atan2(Y, X)
        # turns are counted along the motion; a pose alone does not tell them
        axes = tuple(float(c) for axis in (a.axes[:, 0], a.axes[:, 1], b.axes[:, 0]) for c in axis)
        value += 2 * math.pi * round((self.turns.get((i, j, axes), value) - value) / (2 * math.pi))
        return chain(value, np.array([-Y, X]) / R, [x, y], hessian)

    def _expression(self, measure: Measure) -> Scalar:
        e = measure.expression
        assert e is not None
        names = sorted(e.names - set(self.drawing.values) - {"t"})
        parts = [self._used(measure, name) for name in names]
        values = {**self.drawing.values, "t": self.t, **{n: s.value for n, s in zip(names, parts)}}
        key = ("derivatives", id(measure))
        if key not in self._known:
            inputs = [*names, "t"]
            first = [e.diff(n) for n in inputs]
            self._known[key] = (first, [[d.diff(n) for n in inputs] for d in first], measure)
        first, second, _ = self._known[key]
        gradient = np.array([d.evaluate(values) for d in first])
        hessian = np.array([[d.evaluate(values) for d in row] for row in second])
        time = Scalar(self.t, 1.0, 1.0, 0.0, {})
        return chain(e.evaluate(values), gradient, [*parts, time], hessian)

    def _rate_expression(self, measure: Measure) -> Scalar:
        """w(s, s', t), linear in the rates s': row = sum of dw/ds' row, bias = sum of dw/ds s' + dw/ds' s'' + dw/dt."""
        e = measure.expression
        assert e is not None
        names = sorted(e.names - set(self.drawing.values) - {"t"})
        bases = [name[5:-1] if name.startswith("rate(") else name for name in names]
        parts = [self._used(measure, name) for name in bases]
        values = {**self.drawing.values, "t": self.t}
        moving = [name != base for name, base in zip(names, bases)]
        values.update({n: s.rate if is_rate else s.value for n, s, is_rate in zip(names, parts, moving)})
        key = ("rates", id(measure))
        if key not in self._known:
            self._known[key] = ([e.diff(n) for n in names], e.diff("t"), measure)
        slopes, by_time, _ = self._known[key]
        value, bias = e.evaluate(values), by_time.evaluate(values)
        partial, row = value, dict[int, np.ndarray]()
        for slope, s, is_rate in zip(slopes, parts, moving):
            g = slope.evaluate(values)
            bias += g * (s.bias if is_rate else s.rate)
            if is_rate:
                partial -= g * (s.rate - s.partial)
                for k, x in s.row.items():
                    row[k] = row[k] + g * x if k in row else g * x
        return Scalar(0.0, value, partial, bias, row)

    def _used(self, owner: Measure, name: str) -> Scalar:
        """Measure that an expression uses: one of its own terms, or one of the model by its name."""
        own = owner.term(name)
        return self.named(name) if own is None else self.scalar(own)

    def named(self, name: str) -> Scalar:
        """Measure by its name in expressions."""
        if name not in self._found:
            if name not in self._known:
                self._known[name] = self.model.find_measure(name) or self._own[name]
            self._found[name] = self.scalar(self._known[name])
        return self._found[name]

    # -- laws ----------------------------------------------------------------------------------------------------------------

    def _time_derivatives(self, target: Expr) -> tuple[Expr, Expr, Expr]:
        key = ("target", id(target))
        if key not in self._known:
            rate = target.diff("t")
            self._known[key] = (target, rate, rate.diff("t"))
        return self._known[key]  # type: ignore[no-any-return]

    def _law(self, load: Loaded, s: Scalar) -> float:
        """F of a law (`model.forces._base.Law`)."""
        law, number = load.law, self.drawing.number
        if law.kind == "callable":
            assert law.function is not None
            return float(law.function(s.value, s.rate, self.t))
        if law.kind == "expression":
            assert law.expression is not None
            values = dict(self.drawing.values, t=self.t)
            for name in law.expression.names - set(values):
                rate = name.startswith("rate(")
                found = self.named(name[5:-1] if rate else name)
                values[name] = found.rate if rate else found.value
            return float(law.expression.evaluate(values))
        numbers = [number(x) for x in law.numbers]
        if law.kind == "linear":
            k, s0, c, f0 = numbers
            return k * (s.value - s0) + c * s.rate + f0
        if law.kind == "friction":
            size, speed = numbers
            return size * s.rate / math.hypot(s.rate, speed)
        k, c, limit, side = numbers
        depth, speed = side * (s.value - limit), side * s.rate
        return side * max(k * depth + c * speed, 0.0) if depth > 0.0 else 0.0
