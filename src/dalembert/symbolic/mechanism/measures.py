"""Measures as expressions of coordinates, rates and time: what joints hold, drivers prescribe and forces act on.

gap            P_j - P_i                             distance      |P_j - P_i|
along          d . (P_j - P_i)                       dot           a_i . b_j
angle          phi_j - phi_i in the plane;           tan s = (y_i . x_j) / (x_i . x_j) in space
velocity       d . (v_Pj - v_Pi)                     spin          d . (omega_j - omega_i)
twist          2 r_z of the quaternion r = conj(p_i m_i) p_j m_j from marker i to marker j

Under a law f a measure s is pulled down, virtual work -f ds:

linear       V = k (s - s0)^2 / 2 + f0 s,   D = c s'^2 / 2        where the measure has a value
otherwise    generalized force -f ds'/dq'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError
from ...model.auxiliary import Auxiliary
from ...model.body import Body
from ...model.expression import Call, Expr, Number
from ...model.expression.called import no_formula
from ...model.expression.derivative import ONE, ZERO, choose, folded, minus, over, plus, times
from ...model.forces import Law
from ...model.lagrangian.vectors import HALF, Matrix, Rates, Vector, added, applied, cross, dot, transposed
from ...model.measure import Measure
from ...model.reading import matrix_quaternion
from .drawing import Ends, SymbolicDrawing, difference, expression

_AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True, eq=False)
class BodyPose:
    """A body as expressions: mass centre, rotation, their rates (omega in body axes), the angle in the plane, Euler parameters if any."""

    position: Vector
    rotation: Matrix
    velocity: Vector
    spin: Vector
    angle: Expr
    parameters: tuple[Expr, ...] | None = None


Key = tuple[Body, Body, tuple[float, ...]]


class Measures:
    """Values and rates of the measures of a mechanism for given poses of its bodies.

    `drawing`: the mechanism as drawn.  `poses`: poses of the bodies by id, ground included.  `rates`: rates of expressions of the coordinates.
    `counted`: gives the expression of an angle in space from (measure, its axes, Y, X); it decides how turns are counted.  `states`: whether
    auxiliary states have a place in what is written; they are refused where not.
    """

    def __init__(
        self,
        drawing: SymbolicDrawing,
        poses: dict[Body, BodyPose],
        rates: Rates,
        counted: Callable[[Measure, Key, Expr, Expr], Expr],
        states: bool = False,
    ) -> None:
        self.drawing, self.model, self.poses, self.rates = drawing, drawing.model, poses, rates
        self._counted, self._states = counted, states
        self._within: list[str] = []  # states whose rates are being written out
        self._ends: dict[Measure, Ends] = {}
        self._known: dict[Measure, Expr] = {}
        self._own = {
            measure.name: measure for force in self.model.parts("force") for measure, _ in force.elements()
        }  # fmt: skip

    # -- values ------------------------------------------------------------------------------------------------------------

    def rows(self, measure: Measure) -> list[tuple[str, Expr]]:
        """Names and values of the rows of a measure, its offset subtracted."""
        if measure.kind not in ("gap", "parallel"):
            return [(measure.name, self.value(measure))]
        ends = self.ends(measure)
        if measure.kind == "gap":
            parts: list[Expr] = list(self._gap(ends))[: 2 if self.model.plane else 3]
        else:
            z = self._axis(ends.j, ends.axes_j, 2)
            parts = [dot(self._axis(ends.i, ends.axes_i, k), z) for k in (0, 1)]
        return [(f"{measure.name}_{'xyz'[k]}", x) for k, x in enumerate(parts)]

    def value(self, measure: Measure) -> Expr:
        """Value of a measure, its offset subtracted."""
        if measure not in self._known:
            self._known[measure] = minus(self._raw(measure), self.offset(measure))
        return self._known[measure]

    def offset(self, measure: Measure) -> Expr:
        """Reading of a measure that counts as zero."""
        if isinstance(measure.offset, str):
            return drawn_value(self.drawing, measure)
        return expression(measure.offset)

    def rate(self, measure: Measure) -> Expr:
        """Rate of a measure."""
        if measure.kind == "combination":
            return dot([expression(c) for c, _ in measure.terms], [self.rate(term) for _, term in measure.terms])
        if not measure.is_rate:
            return self.rates(self.value(measure))
        if measure.kind == "rate_expression":
            assert measure.expression is not None
            return self.expanded(measure.expression, measure)
        ends = self.ends(measure)
        d = self._direction(measure)
        if measure.kind == "spin":
            wi, wj = (applied(self.poses[b].rotation, self.poses[b].spin) for b in (ends.i, ends.j))
            return minus(dot(d, wj), dot(d, wi))
        vi, vj = self._point_rate(ends.i, ends.point_i), self._point_rate(ends.j, ends.point_j)
        return minus(dot(d, vj), dot(d, vi))

    def named(self, name: str, owner: Measure | None = None) -> Expr:
        """Value ("A.angle") or rate ("rate(A.angle)") of a measure by its name in expressions; terms of the owner are known too."""
        inside = name.removeprefix("rate(").removesuffix(")")
        own = None if owner is None else owner.term(inside)
        measure = own or self.model.find_measure(inside) or self._own.get(inside)
        if measure is None:
            raise ModelError(
                f"expression of {self.model.name!r}", f"the name {inside!r}", "there is no such measure",
                "check the names in the expression",
            )  # fmt: skip
        if isinstance(measure, Auxiliary):
            return self._state(measure, name != inside)
        return self.rate(measure) if name != inside or measure.is_rate else self.value(measure)

    def _state(self, state: Auxiliary, rate: bool) -> Expr:
        """An auxiliary state by its name; its rate is its expression."""
        asked = f"equations of {self.model.name!r} in symbols"
        if state.is_input:
            return ZERO if rate else state.symbol
        if not self._states:
            raise ModelError(
                asked, f"a law uses the state {state.name!r}",
                "absolute coordinates are those of bodies, and have no place for states of first order",
                "ask for joint coordinates, form='minimal', or for numbers: da.equations(m) at a state",
            )  # fmt: skip
        if not rate:
            return state.symbol
        if state.name in self._within:
            circle = " -> ".join(f"rate({x})" for x in (*self._within, state.name))
            why = "a rate that depends on itself has no value"
            raise ModelError(asked, f"the rates go in a circle: {circle}", why, "write one of them without the other")
        self._within.append(state.name)
        try:
            return self.expanded(state.law)
        finally:
            self._within.pop()

    def expanded(self, expr: Expr, owner: Measure | None = None) -> Expr:
        """An expression of measures, parameters and t as one of coordinates, rates, parameters and t."""
        known = {*self.model.parameter_names, "t"}
        return expr.substitute({name: self.named(name, owner) for name in expr.names - known}).simplify()

    def square_length(self, measure: Measure) -> Expr:
        """Square of a distance; smooth where the points meet."""
        gap = self._gap(self.ends(measure))
        return dot(gap, gap)

    # -- parts of them -----------------------------------------------------------------------------------------------------

    def ends(self, measure: Measure) -> Ends:
        """Both markers in body axes."""
        if measure not in self._ends:
            assert measure.i is not None and measure.j is not None
            self._ends[measure] = self.drawing.ends(measure.i, measure.j)
        return self._ends[measure]

    def _axis(self, body: Body, axes: Matrix, k: int) -> Vector:
        return applied(self.poses[body].rotation, transposed(axes)[k])

    def point(self, body: Body, arm: Vector) -> Vector:
        """Point of a body in space: r + A s."""
        return added(self.poses[body].position, applied(self.poses[body].rotation, arm))

    def _point_rate(self, body: Body, arm: Vector) -> Vector:
        """Velocity of a point: r' + A (omega x s)."""
        pose = self.poses[body]
        return added(pose.velocity, applied(pose.rotation, cross(pose.spin, arm)))

    def _gap(self, ends: Ends) -> Vector:
        return difference(self.point(ends.j, ends.point_j), self.point(ends.i, ends.point_i))

    def _direction(self, measure: Measure) -> Vector:
        """Direction of a measure, fixed in space or on the body `frame`."""
        if measure.frame is not None and isinstance(measure.direction, str):
            ends = self.ends(measure)
            axes = ends.axes_j if ends.j is measure.frame else ends.axes_i
            return self._axis(measure.frame, axes, _AXES[measure.direction])
        if measure.frame is not None:
            x, y, z = (expression(c) for c in measure.direction)
            return applied(self.poses[measure.frame].rotation, (x, y, z))
        return self.drawing.direction(measure.direction)

    def _raw(self, measure: Measure) -> Expr:
        kind = measure.kind
        if measure.is_rate:
            return ZERO
        if kind == "combination":
            return dot([expression(c) for c, _ in measure.terms], [self.value(term) for _, term in measure.terms])
        if kind == "expression":
            assert measure.expression is not None
            return self.expanded(measure.expression, measure)
        ends = self.ends(measure)
        if kind == "angle":
            return self._angle(measure, ends)
        if kind == "dot":
            a, b = measure.direction
            return dot(self._axis(ends.i, ends.axes_i, _AXES[a]), self._axis(ends.j, ends.axes_j, _AXES[b]))
        if kind == "twist":
            return self._twist(measure, ends)
        if kind == "distance":
            return folded("sqrt", self.square_length(measure))
        if kind == "along_body":
            return dot(self._axis(ends.i, ends.axes_i, _AXES[measure.direction]), self._gap(ends))
        if kind == "along_space":
            return dot(self._direction(measure), self._gap(ends))
        raise ModelError(
            f"measure {measure.name!r}", f"its kind {kind!r}", "there is no formula for this kind",
            "leave the part out that uses it, or use the numeric equations",
        )  # fmt: skip

    def _twist(self, measure: Measure, ends: Ends) -> Expr:
        """Twice r_z; without Euler parameters from the rotation R, good as far as the component r_k stays positive that is largest as drawn.

        4 r_0 r_z = R_yx - R_xy with 4 r_0^2 = 1 + R_xx + R_yy + R_zz, 4 r_x r_z = R_xz + R_zx with 4 r_x^2 = 1 + R_xx - R_yy - R_zz, and
        the same for y.
        """
        assert measure.i is not None and measure.j is not None
        p, q = (self.poses[body].parameters for body in (ends.i, ends.j))
        numbers = self.drawing.numbers
        markers = ((ends.i, ends.axes_i), (ends.j, ends.axes_j))
        if p is None or q is None or any(not isinstance(x, Number) for _, axes in markers for r in axes for x in r):
            a, b = ([self._axis(body, axes, k) for k in range(3)] for body, axes in markers)
            i, j = numbers.attach(measure.i, measure.j)
            A, B = (numbers.poses[x.body].rotation @ x.axes for x in (i, j))
            k = int(np.argmax(np.abs(matrix_quaternion(A.T @ B)[:3])))
            square: Expr = ONE
            for n in range(3):
                square = plus(square, dot(a[n], b[n])) if k == 0 or n == k - 1 else minus(square, dot(a[n], b[n]))
            if k == 0:
                return over(minus(dot(a[1], b[0]), dot(a[0], b[1])), folded("sqrt", square))
            return over(plus(dot(a[k - 1], b[2]), dot(a[2], b[k - 1])), folded("sqrt", square))
        drawn = numbers.twist_quaternions(measure, *numbers.attach(measure.i, measure.j))
        u, w = _multiplied(p, drawn[:4]), _multiplied(q, drawn[4:])
        z = plus(minus(times(u[0], w[3]), times(u[1], w[2])), minus(times(u[2], w[1]), times(u[3], w[0])))
        return times(Number(2.0), z)

    def _angle(self, measure: Measure, ends: Ends) -> Expr:
        if self.model.plane:
            return minus(self.poses[ends.j].angle, self.poses[ends.i].angle)
        y, x = self.sine_cosine(ends)
        return self._counted(measure, key_of(self.drawing, measure), y, x)

    def sine_cosine(self, ends: Ends) -> tuple[Expr, Expr]:
        """Y and X with tan s = Y / X for the angle of two markers in space."""
        arm = self._axis(ends.j, ends.axes_j, 0)
        return dot(self._axis(ends.i, ends.axes_i, 1), arm), dot(self._axis(ends.i, ends.axes_i, 0), arm)


def key_of(drawing: SymbolicDrawing, measure: Measure) -> Key:
    """Bodies and axes of an angle in space, by which equal angles are recognised."""
    assert measure.i is not None and measure.j is not None
    a, b = drawing.numbers.attach(measure.i, measure.j)
    axes = (a.axes[:, 0], a.axes[:, 1], b.axes[:, 0])
    return measure.i.body, measure.j.body, tuple(round(float(c), 9) + 0.0 for axis in axes for c in axis)


def _multiplied(p: tuple[Expr, ...], numbers: np.ndarray) -> list[Expr]:
    """Product of Euler parameters with a quaternion in numbers."""
    m0, m1, m2, m3 = (Number(float(x)) for x in numbers)
    table = ((m0, m1, m2, m3), (m1, m0, m3, m2), (m2, m3, m0, m1), (m3, m2, m1, m0))
    signs = ((1, -1, -1, -1), (1, 1, 1, -1), (1, -1, 1, 1), (1, 1, -1, 1))
    found = []
    for row, sign in zip(table, signs):
        total: Expr = ZERO
        for x, m, s in zip(p, row, sign):
            total = plus(total, times(x, m)) if s > 0 else minus(total, times(x, m))
        found.append(total)
    return found


def wrapped(y: Expr, x: Expr, around: Expr) -> Expr:
    """The angle of (x, y) minus another angle, between -pi and pi: zero exactly where both are the same direction."""
    if around == ZERO:
        return folded("atan2", y, x)
    c, s = folded("cos", around), folded("sin", around)
    return folded("atan2", minus(times(y, c), times(x, s)), plus(times(x, c), times(y, s)))


def drawn_value(drawing: SymbolicDrawing, measure: Measure) -> Expr:
    """Reading of a measure in the drawing."""
    still = Measures(drawing, drawn_poses(drawing), Rates(()), lambda measure, key, y, x: wrapped(y, x, ZERO))
    return drawing.tidy(still._raw(measure).substitute({"t": 0.0}), drawing.numbers.extent)


def drawn_poses(drawing: SymbolicDrawing) -> dict[Body, BodyPose]:
    """All bodies at rest as drawn."""
    still: Vector = (ZERO, ZERO, ZERO)
    found = {}
    for key, drawn in drawing.poses.items():
        position = added(drawn.origin, applied(drawn.rotation, drawn.matter.center))
        found[key] = BodyPose(position, drawn.rotation, still, still, drawn.angle)
    return found


@dataclass(frozen=True, eq=False)
class Loaded:
    """A measure under a law: the whole force f, and its parts with potential and with dissipation function."""

    part: str
    measure: Measure
    rate: Expr
    force: Expr
    potential: Expr
    dissipation: Expr
    rest: Expr  # what is left of f without potential and dissipation


def loaded(measures: Measures, element: Any) -> list[Loaded]:
    """Laws of a force element."""
    return [_loaded(measures, element, measure, law) for measure, law in element.elements()]


def _loaded(measures: Measures, element: Any, measure: Measure, law: Law) -> Loaded:
    if law.kind == "callable":
        raise no_formula(element.asked)
    rate = measures.rate(measure)
    if law.kind == "linear":
        return _linear(measures, element, measure, law, rate)
    if law.kind == "expression":
        assert law.expression is not None
        force = measures.expanded(law.expression)
    elif law.kind == "friction":
        size, speed = (expression(x) for x in law.numbers)
        force = over(times(size, rate), folded("sqrt", plus(times(rate, rate), times(speed, speed))))
    elif law.kind == "stop":
        k, c, limit, side = (expression(x) for x in law.numbers)
        depth = times(side, minus(measures.value(measure), limit))
        push = Call("max", (plus(times(k, depth), times(c, times(side, rate))), ZERO))
        force = choose(Call(">", (depth, ZERO)), times(side, push), ZERO)
    else:
        raise ModelError(
            element.asked, f"a law of kind {law.kind!r}", "there is no formula for this kind", "leave the element out"
        )
    return Loaded(element.name, measure, rate, force, ZERO, ZERO, force)


def _linear(measures: Measures, element: Any, measure: Measure, law: Law, rate: Expr) -> Loaded:
    k, s0, c, f0 = (expression(x) for x in law.numbers)
    dissipation = times(HALF, times(c, times(rate, rate)))
    if measure.is_rate:
        return Loaded(element.name, measure, rate, plus(times(c, rate), f0), ZERO, dissipation, f0)
    if measure.kind == "distance" and s0 == ZERO and f0 == ZERO and measure.offset == 0.0:
        # k l without the root, which has no slope where the points meet
        square = measures.square_length(measure)
        potential = times(HALF, times(k, square))
        stretch = folded("sqrt", square)
    else:
        stretch = minus(measures.value(measure), s0) if (k, f0) != (ZERO, ZERO) else ZERO
        potential = times(HALF, times(k, times(stretch, stretch)))
        if f0 != ZERO:
            potential = plus(potential, times(f0, measures.value(measure)))
    force = plus(plus(times(k, stretch), times(c, rate)), f0)
    return Loaded(element.name, measure, rate, force, potential, dissipation, ZERO)
