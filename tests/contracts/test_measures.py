"""Contracts of every kind of measure: value as the plain numpy twin, row and bias as derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.model.expression import as_expression
from dalembert.model.frame import Marker
from dalembert.model.measure import KINDS, Measure
from dalembert.system.geometry import Drawing, Pose

from .motion import Observer, at, derivative, flow, matrix, random_velocity
from .samples import Bench, case_id, generator

RATES = ("velocity", "spin")
ON_RATES = ("rate_expression",)
ROWS_ONLY = ("gap", "parallel")
SPACE_ONLY = ("dot", "twist", "parallel")
# a state has no place in the drawing: its value is integrated (tests/model/test_states.py)
CASES = [
    (kind, plane) for kind in KINDS if kind != "state" for plane in (True, False) if not (plane and kind in SPACE_ONLY)
]
VALUES = [(kind, plane) for kind, plane in CASES if kind not in (*RATES, *ON_RATES, *ROWS_ONLY)]
KIND = pytest.mark.parametrize(("kind", "plane"), CASES, ids=case_id)
VALUE = pytest.mark.parametrize(("kind", "plane"), VALUES, ids=case_id)
# round-off of numbers of size 1, some dozen operations
ROUND = 1e-13
# seven-point differences of functions of size 1 with derivatives up to some hundred
DIFFERENCE = 1e-9


class Moved(Drawing):
    """The drawing with its bodies in another configuration; markers stay where they are attached."""

    def __init__(self, drawing: Drawing, q: np.ndarray) -> None:
        self.model, self.values, self.drawn = drawing.model, drawing.values, drawing
        self.poses = dict(drawing.poses)
        self.angles = {id(drawing.model.ground): 0.0}
        for b, body in enumerate(drawing.model.bodies):
            old = drawing.poses[body]
            if drawing.model.plane:
                x, y, phi = q[3 * b : 3 * b + 3]
                rotation = np.array([[np.cos(phi), -np.sin(phi), 0], [np.sin(phi), np.cos(phi), 0], [0, 0, 1]])
                centre = np.array([x, y, 0.0])
                self.angles[id(body)] = phi
            else:
                rotation, centre = matrix(q[7 * b + 3 : 7 * b + 7]), q[7 * b : 7 * b + 3]
            self.poses[body] = Pose(rotation, centre - rotation @ old.center, old.center, old.properties)

    def attach(self, i, j):
        return self.drawn.attach(i, j)

    def _raw(self, measure):
        if measure.kind == "angle" and self.model.plane:
            return self.angles[id(measure.j.body)] - self.angles[id(measure.i.body)]
        return super()._raw(measure)


def make(kind, plane, ground=False):
    """Measure of a kind between random markers of two bodies."""
    bench = Bench(plane, generator("measure", kind, plane, ground), ground)
    i, j = bench.pair
    options = {"z": None if plane else bench.direction()}
    markers = Marker(i, i.point(*bench.point()), **options), Marker(j, j.point(*bench.point()), **options)
    direction = {"along_body": "x", "dot": ("x", "z")}.get(kind, (*bench.direction(), 0.0)[:3])
    if kind == "combination":
        part = Measure("part", "distance", *markers), Measure("other", "angle", *markers, offset="drawn")
        measure = Measure("sum", kind, terms=((0.7, part[0]), (-1.3, part[1])), offset=0.4)
    elif kind == "expression":
        a, b = (body.point(*bench.point()) for body in bench.pair)
        bench.model.measure("gap", between=(a, b))
        text = "gap*second.x + sin(2*t)*second.y**2"
        measure = Measure("formula", kind, expression=as_expression(text), offset=0.2)
    else:
        measure = Measure("measure", kind, *markers, direction=direction, offset=0.0 if kind in RATES else 0.3)
    return bench, measure


@pytest.mark.parametrize("ground", [False, True], ids=["moving", "ground"])
@VALUE
def test_value_is_that_of_the_plain_twin(kind, plane, ground):
    bench, measure = make(kind, plane, ground)
    system = da.compile(bench.model, extra=(measure,))
    look, rng = Observer(system, measure), generator("twin", kind, plane)
    for t in (0.0,):
        for far in (0.0, 0.5, 1.0):
            q = flow(plane, system.q0, random_velocity(system, rng), far)
            twin = Moved(system.builder.drawing, q)
            raw = twin._raw(measure) - system.builder.drawing.offset(measure)
            if kind == "combination":
                # offsets of the terms are readings of the drawing, not of the moved pose
                raw = sum(c * (twin._raw(m) - system.builder.drawing.offset(m)) for c, m in measure.terms) - 0.4
            assert look(t, q, np.zeros(system.nv))[0] == pytest.approx(raw, abs=ROUND)


@pytest.mark.parametrize("ground", [False, True], ids=["moving", "ground"])
@VALUE
def test_row_and_bias_are_derivatives(kind, plane, ground):
    bench, measure = make(kind, plane, ground)
    system = da.compile(bench.model, extra=(measure,))
    look, rng = Observer(system, measure), generator("row", kind, plane)
    t0, q = 0.3, flow(plane, system.q0, random_velocity(system, rng), 0.4)
    for _ in range(3):
        v = random_velocity(system, rng)
        value, rate, row, bias = look(t0, q, v)
        moved = [derivative(lambda h: look(t0 + h, flow(plane, q, v, h), v)[n]) for n in (0, 1)]  # noqa: B023
        assert [rate, bias] == pytest.approx(moved, abs=DIFFERENCE)
        # the row itself, one velocity at a time, at fixed time
        single = [derivative(lambda h: look(t0, flow(plane, q, e, h), e)[0]) for e in np.eye(system.nv)]  # noqa: B023
        assert row == pytest.approx(np.array(single), abs=DIFFERENCE)


@pytest.mark.parametrize("plane", [True, False], ids=case_id)
@pytest.mark.parametrize("kind", RATES)
@pytest.mark.parametrize("carrier", ["space", "body"])
def test_rate_measures_are_velocities(kind, plane, carrier):
    bench, measure = make(kind, plane)
    i, j = bench.pair
    frame = None if carrier == "space" else i
    measure = Measure(measure.name, kind, measure.i, measure.j, direction=measure.direction, frame=frame)
    system = da.compile(bench.model, extra=(measure,))
    rng = generator("rate", kind, plane, carrier)
    q, v = flow(plane, system.q0, random_velocity(system, rng), 0.4), random_velocity(system, rng)
    look = Observer(system, measure)
    value, rate, row, bias = look(0.0, q, v)
    assert row @ v == pytest.approx(rate, abs=ROUND)
    # in the plane the spin is the rate of the angle, and a velocity along a direction fixed in space that of a way: they share its kernel;
    # everywhere else there is no value
    if kind == "velocity" and frame is None:
        assert derivative(lambda h: look(h, flow(plane, q, v, h), v)[0]) == pytest.approx(rate, abs=DIFFERENCE)
    else:
        assert value == 0.0 or (plane and kind == "spin")

    def rates(h):
        """d . (velocity of P_j - velocity of P_i), or d . (omega_j - omega_i), from derivatives of the poses."""
        moved = flow(plane, q, v, h)
        pose = [Moved(system.builder.drawing, moved).poses[b] for b in (i, j)]
        near = lambda e: Moved(system.builder.drawing, flow(plane, moved, v, e))  # noqa: E731
        d = np.array(measure.direction) if plane is False or kind == "velocity" else np.array([0, 0, 1.0])
        if kind == "velocity":
            d = d / np.linalg.norm(d) if frame is None else pose[0].rotation @ d
            arms = [a.point for a in system.builder.drawing.attach(measure.i, measure.j)]
            place = lambda e: [near(e).poses[b] for b in (i, j)]  # noqa: E731
            gap = lambda e: np.subtract(*[p.position + p.rotation @ s for p, s in zip(place(e), arms)][::-1])  # noqa: E731
            return d @ derivative(gap)
        d = d / np.linalg.norm(d) if frame is None else pose[0].rotation @ d
        spin = []
        for b in (i, j):
            rotation = pose[0 if b is i else 1].rotation
            skew = derivative(lambda e: near(e).poses[b].rotation) @ rotation.T  # noqa: B023
            spin.append(np.array([skew[2, 1], skew[0, 2], skew[1, 0]]))
        return d @ (spin[1] - spin[0])

    assert rate == pytest.approx(rates(0.0), abs=DIFFERENCE)
    if not (plane and kind == "spin"):
        assert bias == pytest.approx(derivative(rates), abs=1e-8)  # a difference of differences


@pytest.mark.parametrize("ground", [False, True], ids=["moving", "ground"])
@pytest.mark.parametrize("plane", [True, False], ids=case_id)
def test_expressions_on_rates_are_those_of_their_parts(plane, ground):
    bench = Bench(plane, generator("on rates", plane, ground), ground)
    a, b = (body.point(*bench.point()) for body in bench.pair)
    gap = bench.model.measure("gap", between=(a, b))
    side = bench.model.measure("side", point=b, along=bench.direction(), relative_to=a)
    text = "gap*rate(side) - sin(side)*cos(3*t)*rate(gap) + 0.2*gap*t"
    terms = ((1.0, gap), (1.0, side))
    measure = Measure("w", "rate_expression", expression=as_expression(text), terms=terms)
    system = da.compile(bench.model, extra=(measure, gap, side))
    look, look_gap, look_side = (Observer(system, m) for m in (measure, gap, side))
    rng = generator("on rates", plane)
    t0, q = 0.3, flow(plane, system.q0, random_velocity(system, rng), 0.4)

    def formula(t, q, v):
        g, g1, *_ = look_gap(t, q, v)
        s, s1, *_ = look_side(t, q, v)
        return g * s1 - np.sin(s) * np.cos(3 * t) * g1 + 0.2 * g * t

    for _ in range(3):
        v = random_velocity(system, rng)
        value, rate, row, bias = look(t0, q, v)
        assert value == 0.0
        assert rate == pytest.approx(formula(t0, q, v), abs=ROUND)
        still = formula(t0, q, 0.0 * v)
        assert row == pytest.approx([formula(t0, q, e) - still for e in np.eye(system.nv)], abs=ROUND)
        assert row @ v + still == pytest.approx(rate, abs=ROUND)
        assert bias == pytest.approx(derivative(lambda h: formula(t0 + h, flow(plane, q, v, h), v)), abs=DIFFERENCE)  # noqa: B023


@pytest.mark.parametrize(("kind", "plane"), [(k, p) for k, p in CASES if k in ROWS_ONLY], ids=case_id)
def test_rows_of_several_are_those_of_singles(kind, plane):
    # the gap is three differences along space axes, "parallel" two cosines: the same joint row by row
    bench, measure = make(kind, plane)
    singles = (
        [
            Measure(f"s{k}", "along_space", measure.i, measure.j, direction=tuple(map(float, e)))
            for k, e in enumerate(np.eye(3))
        ]
        if kind == "gap"
        else [
            Measure(f"s{k}", "dot", measure.i, measure.j, direction=pair, unit="1")
            for k, pair in enumerate(("xz", "yz"))
        ]
    )
    singles = singles[:2] if plane else singles
    system = da.compile(bench.model, extra=tuple(singles))
    held = da.compile(bench.model)
    held.builder.add_block("held", "held", [Measure("held", kind, measure.i, measure.j)])
    from dalembert.system.system import System, drawn_configuration
    from dalembert.system.tables import number

    held = System(bench.model, held.builder, number(held.builder), drawn_configuration(held.builder), 1.0)
    rng = generator("several", kind, plane)
    q, v = flow(plane, system.q0, random_velocity(system, rng), 0.4), random_velocity(system, rng)
    e = at(held, 0.0, q, v)
    found = [Observer(system, s)(0.0, q, v) for s in singles]
    assert e.phi == pytest.approx([f[0] for f in found], abs=ROUND)
    assert e.jac == pytest.approx(np.array([f[2] for f in found]), abs=ROUND)
    assert -e.gamma == pytest.approx([f[3] for f in found], abs=ROUND)


def test_every_kind_is_covered():
    assert {kind for kind, _ in CASES} == set(KINDS) - {"state"}


@pytest.mark.parametrize("turns", [-2, 0, 1, 5])
def test_angles_in_space_count_turns(turns):
    # value of an angle = nearest turn to the counted angle of the State
    bench, measure = make("angle", False)
    system = da.compile(bench.model, extra=(measure,))
    look = Observer(system, measure)
    v = np.zeros(system.nv)
    look.work.angle[:] = 0.0
    first = look(0.0, system.q0, v)[0]
    look.work.angle[:] = 2 * np.pi * turns
    assert look(0.0, system.q0, v)[0] == pytest.approx(first + 2 * np.pi * turns, abs=1e-12)
