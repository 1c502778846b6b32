"""The equations of motion once more, in plain numpy from the description of the model: the second opinion of `verify`.

Nothing of the compiled tables and kernels is used.  A number, vector or matrix comes with its rate, its second rate at zero accelerations of
the bodies and its derivatives by their velocities; all measures follow from

    scalar products      (x . y)'' = x'' . y + 2 x' . y' + x . y''
    the chain rule       f(s, t)'' = f_s s'' + f_ss s' s' + 2 f_st s' + f_tt          (time is one of the numbers, with rate 1)

and M a + J^T lam = Q, J a = gamma from measures held (joints), driven (drivers) and loaded (force elements).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from ...errors import ModelError
from ...model.expression import Expr
from ...model.forces import Law
from ...model.measure import Measure
from ...model.mechanism import Mechanism
from ...model.reading import cross_matrix, quaternion_matrix, quaternion_product
from ...system.build import carried_direction
from ...system.geometry import Drawing


@dataclass(frozen=True)
class Jet:
    """A number or array: value, rate, explicit time part of the rate, second rate at zero acceleration, and derivatives by velocities (last axis)."""

    value: Any
    rate: Any
    partial: Any
    bias: Any
    row: np.ndarray

    @property
    def parts(self) -> tuple[Any, ...]:
        """All of it, in this order."""
        return self.value, self.rate, self.partial, self.bias, self.row

    def __add__(self, other: Jet) -> Jet:
        return Jet(*(x + y for x, y in zip(self.parts, other.parts)))

    def __sub__(self, other: Jet) -> Jet:
        return Jet(*(x - y for x, y in zip(self.parts, other.parts)))

    def __getitem__(self, k: Any) -> Jet:
        return Jet(*(x[k] for x in self.parts))

    def applied(self, arm: Any) -> Jet:
        """Product of a matrix with a constant vector."""
        value, rate, partial, bias = (x @ arm for x in self.parts[:4])
        return Jet(value, rate, partial, bias, np.einsum("ijn,j->in", self.row, arm))


def fixed(x: Any, width: int) -> Jet:
    """What does not move."""
    x = np.asarray(x, dtype=float)
    return Jet(x, 0.0 * x, 0.0 * x, 0.0 * x, np.zeros((*x.shape, width)))


def dot(a: Jet, b: Jet) -> Jet:
    """Scalar product of two vectors."""
    rate = a.rate @ b.value + a.value @ b.rate
    bias = a.bias @ b.value + 2.0 * (a.rate @ b.rate) + a.value @ b.bias
    return Jet(a.value @ b.value, rate, 0.0, bias, b.value @ a.row + a.value @ b.row)


def rate_only(d: Jet, x: Jet) -> Jet:
    """Rate d . x' of a vector along a direction; it has no value."""
    return Jet(0.0, d.value @ x.rate, 0.0, d.value @ x.bias + d.rate @ x.rate, d.value @ x.row)


def chain(value: float, gradient: Sequence[Any], parts: Sequence[Jet], hessian: np.ndarray | None = None) -> Jet:
    """F of numbers, from its value, first and second derivatives."""
    slopes = np.asarray(gradient, dtype=float)
    rates, partials, biases = (np.array([x.__dict__[name] for x in parts]) for name in ("rate", "partial", "bias"))
    curved = 0.0 if hessian is None else rates @ hessian @ rates
    row = slopes @ np.array([x.row for x in parts])
    return Jet(value, slopes @ rates, slopes @ partials, slopes @ biases + curved, row)


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


@dataclass(frozen=True)
class Moving:
    """A body at a state: mass centre, rotation, spin as the rate of a vector (space axes), quaternion (in space), angle (in the plane)."""

    r: Jet
    A: Jet
    w: Jet
    p: Jet
    angle: Jet


class Plain:
    """A mechanism as lists of held and loaded measures, ready to be evaluated at any state."""

    def __init__(self, model: Mechanism) -> None:
        self.model, self.drawing = model, Drawing(model)
        self.width, self.linear = (3, 2) if model.plane else (6, 3)
        self.index = {body: b for b, body in enumerate([*model.bodies, model.ground])}
        self.nv = self.width * len(model.bodies)
        self.held = [Held(joint.name, x, None) for joint in model.parts("joint") for x in joint.rows()]
        self.held += [Held(d.name, d.measure, d.expression) for d in model.parts("driver")]
        self.loaded = [Loaded(f.name, x, law) for f in model.parts("force") for x, law in f.elements()]
        self._own = {load.measure.name: load.measure for load in self.loaded}
        # what does not change with the state: markers in body axes, offsets, derivatives of expressions
        self._offset, self._marks, self._slopes = cache(self.drawing.offset), cache(self._marked), cache(_derived)

    # -- state -----------------------------------------------------------------------------------------------------------

    def arrays(self, t: float, q: np.ndarray, v: np.ndarray, turns: dict[tuple[Any, ...], float]) -> Arrays:
        """All arrays at a state; `turns` are the counted angles in space, by bodies and axes as in `Builder.angles`."""
        self.t, self.turns = t, turns
        self._place(q, v)
        self._found: dict[str, Jet] = {}
        values = dict(self.drawing.values, t=t)
        held: list[tuple[float, float, float, np.ndarray]] = []  # phi, nu, gamma and the row
        for one in self.held:
            target = [0.0, 0.0, 0.0]
            if one.target is not None:
                (rate,) = self._slopes(one.target, ("t",))
                target = [x.evaluate(values) for x in (one.target, rate, *self._slopes(rate, ("t",)))]
            for s in self.scalars(one.measure):
                held.append((s.value - target[0], target[1] - s.partial, target[2] - s.bias, s.row))
        phi, nu, gamma = (np.array([row[k] for row in held], dtype=float) for k in range(3))
        loads = [(self._law(load, s), s.row) for load in self.loaded for s in self.scalars(load.measure)]
        law = np.array([f for f, _ in loads])
        jac, levers = (np.array(x).reshape(-1, self.nv) for x in ([row[3] for row in held], [row for _, row in loads]))
        M, Q = self._bodies()
        # virtual work -f ds
        return Arrays(phi, jac, nu, gamma, M, Q - levers.T @ law if loads else Q, law, levers)

    def _place(self, q: np.ndarray, v: np.ndarray) -> None:
        """Mass centre, rotation, spin (space axes), quaternion (in space) and angle (in the plane) of every body; the ground is last."""
        self.bodies = [self._moving(b, q, v) for b in range(len(self.index) - 1)]
        still = (np.zeros(3), np.eye(3), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), 0.0)
        self.bodies.append(Moving(*(fixed(x, self.nv) for x in still)))

    def _moving(self, b: int, q: np.ndarray, v: np.ndarray) -> Moving:
        """A body: A' = A w~ and A'' = A w~ w~ at zero acceleration with w in body axes, p' = p w/2 and p'' = -w^2 p/4."""
        o, n, wide = self.width * b, self.linear, 3 if self.model.plane else 7
        own, r, w = q[wide * b : wide * (b + 1)], np.zeros(3), np.zeros(3)
        r[:n] = own[:n]
        if self.model.plane:
            c, s = math.cos(own[2]), math.sin(own[2])
            p, A = np.zeros(4), np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        else:
            p, A = own[3:], quaternion_matrix(own[3:])
        w[-(self.width - n) :] = v[o + n : o + self.width]
        by_r, by_w = np.zeros((3, self.nv)), np.zeros((3, self.nv))
        by_r[:n, o : o + n], by_w[-(self.width - n) :, o + n : o + self.width] = np.eye(n), np.eye(self.width - n)
        tilde, none, rest = cross_matrix(w), np.zeros(3), np.zeros((3, 3))
        turns = np.array([A @ cross_matrix(e) for e in np.eye(3)])  # dA by each component of w
        halves = np.array([0.5 * quaternion_product(p, np.array([0.0, *e])) for e in np.eye(3)])
        return Moving(
            Jet(r, by_r @ v, none, none, by_r),
            Jet(A, A @ tilde, rest, A @ tilde @ tilde, np.einsum("kij,kn->ijn", turns, by_w)),
            Jet(none, A @ w, none, none, A @ by_w),
            Jet(p, w @ halves, np.zeros(4), -0.25 * (w @ w) * p, halves.T @ by_w),
            Jet(own[2] if self.model.plane else 0.0, w[2], 0.0, 0.0, by_w[2]),
        )

    def _bodies(self) -> tuple[np.ndarray, np.ndarray]:
        """Mass matrix; weights and gyroscopic moments -omega' x J' omega'."""
        M, Q, linear = np.zeros((self.nv, self.nv)), np.zeros(self.nv), self.linear
        g = self.drawing.vector(self.model.gravity)
        for b, body in enumerate(self.model.bodies):
            p = self.drawing.matter(body)
            line, turn = (slice(self.width * b + k, self.width * b + m) for k, m in ((0, linear), (linear, self.width)))
            M[line, line], Q[line] = p.mass * np.eye(linear), p.mass * g[:linear]
            if body.particle:
                continue
            M[turn, turn] = p.inertia[2:, 2:] if self.model.plane else p.inertia
            if not self.model.plane:
                spin = self.bodies[b].A.value.T @ self.bodies[b].w.rate
                Q[turn] = -np.cross(spin, p.inertia @ spin)
        return M, Q

    def _direction(self, measure: Measure) -> Jet:
        """Direction of a measure, fixed in space or on the body `frame`."""
        if measure.frame is None:
            return fixed(self.drawing.direction(measure.name, "direction", measure.direction), self.nv)
        return self.bodies[self.index[measure.frame]].A.applied(carried_direction(measure, *self._marks(measure)))

    # -- scalars -----------------------------------------------------------------------------------------------------------

    def scalars(self, measure: Measure) -> list[Jet]:
        """The scalars of a measure, its offset subtracted: one, or as many as a joint's measure has rows."""
        if measure.kind not in ("gap", "parallel"):
            return [self.scalar(measure)]
        a, b, i, j, gap = self._ends(measure)
        if measure.kind == "gap":
            return [gap[k] for k in range(self.linear)]
        z = j.A.applied(b.axes[:, 2])
        return [dot(i.A.applied(a.axes[:, k]), z) for k in (0, 1)]

    def scalar(self, measure: Measure) -> Jet:
        """One scalar, its offset subtracted."""
        s = self._scalar(measure)
        return replace(s, value=s.value - self._offset(measure))

    def _scalar(self, measure: Measure) -> Jet:
        kind = measure.kind
        if kind == "combination":
            factors, terms = (
                [self.drawing.number(c) for c, _ in measure.terms],
                [self.scalar(x) for _, x in measure.terms],
            )
            return chain(sum(c * s.value for c, s in zip(factors, terms)), factors, terms)
        if kind == "expression":
            return self._expression(measure)
        if kind == "rate_expression":
            return self._rate_expression(measure)
        a, b, i, j, gap = self._ends(measure)
        if kind == "spin":
            return rate_only(self._direction(measure), j.w - i.w)
        if kind == "dot":
            first, second = (_AXES[x] for x in measure.direction)
            return dot(i.A.applied(a.axes[:, first]), j.A.applied(b.axes[:, second]))
        if kind == "twist":
            return self._twist(measure, i, j)
        if kind == "angle":
            return j.angle - i.angle if self.model.plane else self._angle(measure)
        if kind == "along_body":
            return dot(i.A.applied(a.axes[:, _AXES[measure.direction]]), gap)
        if kind == "along_space":
            return dot(self._direction(measure), gap)
        if kind == "velocity":
            return rate_only(self._direction(measure), gap)
        if kind == "distance":
            square = dot(gap, gap)
            length = math.sqrt(square.value)
            # at length zero the direction is undefined; force elements take none there
            slope, curve = (0.5 / length, -0.25 / length**3) if length > 0.0 else (0.0, 0.0)
            return chain(length, [slope], [square], np.array([[curve]]))
        raise ModelError(
            f"verify({self.model.name!r})",
            f"measure {measure.name!r} of kind {measure.kind!r}",
            "there is no second way to compute this kind",
            "leave the part out that uses it",
        )

    def _marked(self, measure: Measure) -> tuple[Any, Any]:
        """Markers of a measure in body axes."""
        assert measure.i is not None and measure.j is not None
        return self.drawing.attach(measure.i, measure.j)

    def _ends(self, measure: Measure) -> tuple[Any, Any, Moving, Moving, Jet]:
        """Markers of a measure in body axes, their bodies, and the vector r + A s between their points."""
        a, b = self._marks(measure)
        i, j = (self.bodies[self.index[x.body]] for x in (a, b))
        return a, b, i, j, j.r + j.A.applied(b.point) - i.r - i.A.applied(a.point)

    def _twist(self, measure: Measure, i: Moving, j: Moving) -> Jet:
        """2 (conj(u) w)_z of the quaternions u and w of both markers: a scalar product of four numbers."""
        markers = self.drawing.twist_quaternions(measure, *self._marks(measure)).reshape(2, 4)
        # u = p m, linear in the components of p
        u, w = (
            Jet(*(np.array([quaternion_product(e, m) for e in np.eye(4)]).T @ x for x in body.p.parts))
            for body, m in zip((i, j), markers)
        )
        # (conj(u) w)_z = u_0 w_z - u_x w_y + u_y w_x - u_z w_0
        swap = np.array([[0, 0, 0, 2.0], [0, 0, -2.0, 0], [0, 2.0, 0, 0], [-2.0, 0, 0, 0]])
        return dot(u, Jet(*(swap @ x for x in w.parts)))

    def _angle(self, measure: Measure) -> Jet:
        """Angle s with tan s = Y / X, X = x_i . x_j and Y = y_i . x_j; R = X^2 + Y^2."""
        a, b, i, j, _ = self._ends(measure)
        arm = j.A.applied(b.axes[:, 0])
        x, y = (dot(i.A.applied(a.axes[:, k]), arm) for k in (0, 1))
        X, Y = x.value, y.value
        R = X * X + Y * Y
        hessian = np.array([[2 * X * Y, Y * Y - X * X], [Y * Y - X * X, -2 * X * Y]]) / R**2
        value = math.atan2(Y, X)
        # turns are counted along the motion; a pose alone does not tell them
        axes = tuple(float(c) for axis in (a.axes[:, 0], a.axes[:, 1], b.axes[:, 0]) for c in axis)
        key = self.index[a.body], self.index[b.body], axes
        value += 2 * math.pi * round((self.turns.get(key, value) - value) / (2 * math.pi))
        return chain(value, [-Y / R, X / R], [x, y], hessian)

    def _expression(self, measure: Measure) -> Jet:
        e, names, parts = self._used(measure)
        values = {**self.drawing.values, "t": self.t, **{n: s.value for n, s in zip(names, parts)}}
        slopes = self._slopes(e, (*names, "t"))
        hessian = np.array([[d.evaluate(values) for d in self._slopes(x, (*names, "t"))] for x in slopes])
        time = Jet(self.t, 1.0, 1.0, 0.0, np.zeros(self.nv))
        return chain(e.evaluate(values), [d.evaluate(values) for d in slopes], [*parts, time], hessian)

    def _rate_expression(self, measure: Measure) -> Jet:
        """w(s, s', t), linear in the rates s': row = sum of dw/ds' row, bias = sum of dw/ds s' + dw/ds' s'' + dw/dt."""
        e, names, parts = self._used(measure)
        moving = [name.startswith("rate(") for name in names]
        values = {**self.drawing.values, "t": self.t}
        values.update({n: s.rate if is_rate else s.value for n, s, is_rate in zip(names, parts, moving)})
        *slopes, by_time = (x.evaluate(values) for x in self._slopes(e, (*names, "t")))
        value = partial = e.evaluate(values)
        bias, row = by_time, np.zeros(self.nv)
        for g, s, is_rate in zip(slopes, parts, moving):
            bias += g * (s.bias if is_rate else s.rate)
            if is_rate:
                partial, row = partial - g * (s.rate - s.partial), row + g * s.row
        return Jet(0.0, value, partial, bias, row)

    def _used(self, owner: Measure) -> tuple[Expr, list[str], list[Jet]]:
        """Expression of a measure, and the names and measures that it uses: terms of its own, or those of the model."""
        assert owner.expression is not None
        names = sorted(owner.expression.names - set(self.drawing.values) - {"t"})
        parts = []
        for name in names:
            inside = name.removeprefix("rate(").removesuffix(")")
            own = owner.term(inside)
            parts.append(self.named(inside) if own is None else self.scalar(own))
        return owner.expression, names, parts

    def named(self, name: str) -> Jet:
        """Measure by its name in expressions."""
        if name not in self._found:
            self._found[name] = self.scalar(self.model.find_measure(name) or self._own[name])
        return self._found[name]

    # -- laws ----------------------------------------------------------------------------------------------------------------

    def _law(self, load: Loaded, s: Jet) -> float:
        """F of a law (`model.forces._base.Law`)."""
        law, number = load.law, self.drawing.number
        if law.kind == "callable":
            assert law.function is not None
            return float(law.function(s.value, s.rate, self.t))
        if law.kind == "expression":
            assert law.expression is not None
            values = dict(self.drawing.values, t=self.t)
            for name in law.expression.names - set(values):
                found = self.named(name.removeprefix("rate(").removesuffix(")"))
                values[name] = found.rate if name.startswith("rate(") else found.value
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


def _derived(e: Expr, names: tuple[str, ...]) -> list[Expr]:
    """Derivatives of an expression."""
    return [e.diff(n) for n in names]
