"""A mechanism as a Lagrangian system: in absolute coordinates, or in joint coordinates of a spanning tree.

absolute   x, y, phi of every body in the plane; x, y, z and Euler parameters e0 … e3 in space; every joint is rows
minimal    the coordinates that the joints of a spanning tree leave free; the joints that close loops are rows
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError
from ...model.body import Body
from ...model.expression import Expr, Name, Number
from ...model.expression.derivative import ONE, ZERO, derivative, minus, negative, plus, times
from ...model.lagrangian import Lagrangian
from ...model.lagrangian.parts import Particle, RigidBody
from ...model.lagrangian.vectors import (
    IDENTITY,
    Matrix,
    Rates,
    Vector,
    added,
    applied,
    dot,
    product,
    rate_of,
    transposed,
    turned,
)
from ...model.measure import COMPOSITE, Measure
from ...model.mechanism import Mechanism
from ...model.reading import matrix_quaternion
from ...system.graph import Graph
from ..export.numpy import evaluators
from ..functions import Functions, column, lagrangian_functions, table
from .drawing import Ends, SymbolicDrawing, difference, matrix, quaternion_rotation, turned_z
from .measures import BodyPose, Key, Loaded, Measures, key_of, loaded, wrapped
from .tree import CARDAN, Freedom, NewNames, Step, cardan, freedom, spanning_tree

if TYPE_CHECKING:
    from ...model.joints._base import Joint


ABSOLUTE, MINIMAL = "absolute", "minimal"
FORMS = (ABSOLUTE, MINIMAL)
_STILL: Vector = (ZERO, ZERO, ZERO)


@dataclass(frozen=True)
class Numbers:
    """Bodies of a mechanism at one state in numbers, ground included: rotations, mass centres and angles (plane) by id."""

    rotation: dict[Body, np.ndarray]
    position: dict[Body, np.ndarray]
    angle: dict[Body, float]
    counted: dict[Key, float]  # counted angles in space


Reading = Callable[[Numbers], list[float]]


@dataclass(eq=False)
class Coordinates:
    """Coordinates of a mechanism and its bodies as expressions of them."""

    model: Mechanism
    form: str
    drawing: SymbolicDrawing
    new: NewNames
    names: list[str] = field(default_factory=list)
    poses: dict[Body, BodyPose] = field(default_factory=dict)
    readings: list[Reading] = field(default_factory=list)
    angles: dict[Key, Expr] = field(default_factory=dict)  # angles in space that are known
    norms: list[tuple[str, Expr]] = field(default_factory=list)  # rows of Euler parameters
    held: dict[str, frozenset[str]] = field(default_factory=dict)  # measures that the tree satisfies, by joint
    steps: list[Step] = field(default_factory=list)
    rates: Rates = field(default_factory=lambda: Rates(()))
    lengths: set[str] = field(default_factory=set)  # coordinates in metres

    def take(self, names: list[str], reading: Reading) -> list[Expr]:
        """Add coordinates; names that begin with x, y, z or s are lengths."""
        self.names += names
        self.lengths |= {name for name in names if name[:2] in ("x_", "y_", "z_", "s_")}
        self.readings.append(reading)
        self.rates.follow(names)
        return [Name(name) for name in names]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "readings": None}  # functions inside others: who reads numbers converts the mechanism

    def read(self, numbers: Numbers) -> np.ndarray:
        """Values of all coordinates at a state of the mechanism."""
        return np.array([x for reading in self.readings for x in reading(numbers)])

    @property
    def velocities(self) -> list[Expr]:
        """Velocities of all bodies, as the compiled system orders them: r' and omega (body axes in space)."""
        found: list[Expr] = []
        for body in self.model.bodies:
            pose = self.poses[body]
            found += [*pose.velocity[:2], pose.spin[2]] if self.model.plane else [*pose.velocity, *pose.spin]
        return found

    def place(
        self, body: Body, position: Vector, rotation: Matrix, spin: Vector, angle: Expr = ZERO,
        parameters: tuple[Expr, ...] | None = None,
    ) -> None:  # fmt: skip
        """Pose of a body; its velocity is the rate of its position."""
        self.poses[body] = BodyPose(position, rotation, self.rates.vector(position), spin, angle, parameters)


def coordinates(model: Mechanism, form: str) -> Coordinates:
    """Coordinates of a mechanism in one of the two forms."""
    drawing = SymbolicDrawing(model)
    made = Coordinates(model, form, drawing, NewNames(model))
    made.place(model.ground, _STILL, IDENTITY, _STILL, parameters=(ONE, ZERO, ZERO, ZERO))
    made.steps = [] if form == ABSOLUTE else spanning_tree(model)
    for body in model.bodies if form == ABSOLUTE else ():
        _free(made, body)
    for step in made.steps:
        if step.joint is None:
            _free(made, step.body)
        else:
            _joined(made, step)
    return made


def _free(made: Coordinates, body: Body) -> None:
    """Coordinates of a body that no joint of the tree reaches; in space Euler parameters, or turns about x, y, z counted from the drawing."""
    new, plane = made.new, made.model.plane
    axes = "xy" if plane else "xyz"
    position = made.take([new(c, body.name) for c in axes], lambda n: [float(c) for c in n.position[body][: len(axes)]])
    x, y, z = (*position, ZERO) if plane else position
    if body.particle:
        made.place(body, (x, y, z), IDENTITY, _STILL)
    elif plane:
        (phi,) = made.take([new("phi", body.name)], lambda n: [n.angle[body]])
        made.place(body, (x, y, z), turned_z(phi), (ZERO, ZERO, made.rates(phi)), phi)
    elif made.form == ABSOLUTE:
        names = [new(f"e{k}", body.name) for k in range(4)]
        p = made.take(names, lambda n: [float(x) for x in matrix_quaternion(n.rotation[body])])
        rates = [rate_of(name) for name in names]
        a, b, c = (times(Number(2.0), dot(row, rates)) for row in g_matrix(p))
        made.place(body, (x, y, z), quaternion_rotation(p), (a, b, c), parameters=tuple(p))
        made.norms.append((f"{body.name} norm", minus(dot(p, p), ONE)))
    else:
        drawn = made.drawing.numbers.poses[body].rotation
        turns = made.take([new(c, body.name) for c in CARDAN], lambda n: cardan(n.rotation[body] @ drawn.T))
        constant = made.drawing.poses[body].rotation
        if any(not isinstance(c, Number) for row in constant for c in row):
            # coordinates are counted from one orientation, whatever the parameters become
            constant = matrix(drawn)
        R, spin = turned(list(enumerate(turns)), made.rates)
        made.place(body, (x, y, z), product(R, constant), applied(transposed(constant), spin))


def g_matrix(p: list[Expr]) -> list[list[Expr]]:
    """G with omega' = 2 G p' and p' = G^T omega'/2."""
    e0, e1, e2, e3 = p
    return [
        [negative(e1), e0, e3, negative(e2)],
        [negative(e2), negative(e3), e0, e1],
        [negative(e3), e2, negative(e1), e0],
    ]


def _joined(made: Coordinates, step: Step) -> None:
    """A body placed by a joint of the tree."""
    joint, body = step.joint, step.body
    ends = made.drawing.ends(joint.markers[0], joint.markers[-1])
    free = freedom(made.drawing, joint, made.new)
    names = list(free.names)
    if body.particle:
        placing = set().union(*(x.names for x in free.d))
        names = [name for name in names if name in placing]
    made.take(names, _reader(made, joint, free, names))
    made.held[joint.name] = free.held
    _place(made, step, ends, free)
    if not made.model.plane:
        for measure, angle in free.angles:
            made.angles[key_of(made.drawing, measure)] = angle


def _reader(made: Coordinates, joint: Joint, free: Freedom, names: list[str]) -> Reading:
    """Values of the coordinates of a joint from numbers; angles in space with the turns that were counted."""
    a, b = made.drawing.numbers.attach(joint.markers[0], joint.markers[-1])
    i, j = a.body, b.body
    turning = {}
    if not made.model.plane:
        for measure, angle in free.angles:
            for name in free.names:
                if name in angle.names:
                    turning[name] = (key_of(made.drawing, measure), angle)
    values = made.drawing.values

    def read(n: Numbers) -> list[float]:
        A, B = n.rotation[i], n.rotation[j]
        R = a.axes.T @ A.T @ B @ b.axes
        gap = n.position[j] + B @ b.point - n.position[i] - A @ a.point
        turn = n.angle.get(j, 0.0) - n.angle.get(i, 0.0)
        found = dict(zip(free.names, free.read(R, a.axes.T @ A.T @ gap, turn)))
        for name, (key, angle) in turning.items():
            if key in n.counted:
                # angle = sign * coordinate + constant
                off = n.counted[key] - angle.evaluate({**values, name: found[name]})
                sign = angle.evaluate({**values, name: 1.0}) - angle.evaluate({**values, name: 0.0})
                found[name] += sign * 2.0 * np.pi * round(off / (2.0 * np.pi))
        return [found[name] for name in names]

    return read


def _place(made: Coordinates, step: Step, ends: Ends, free: Freedom) -> None:
    """Pose of a body from that of its parent: P_j = P_i + A_i F_i d, solved for the mass centre of the one or of the other."""
    body, parent = step.body, made.poses[step.parent]
    outward = step.joint.bodies[1] is body
    way = applied(ends.axes_i, free.d)
    arm, own_arm = (
        (added(ends.point_i, way), ends.point_j) if outward else (ends.point_j, added(way, ends.point_i))
    )  # fmt: skip
    point = added(parent.position, applied(parent.rotation, arm))
    if body.particle:
        made.place(body, point, IDENTITY, _STILL)
        return
    angle: Expr = ZERO
    spin: Vector
    if made.model.plane:
        ((_, turn),) = free.turns
        angle = plus(parent.angle, turn) if outward else minus(parent.angle, turn)
        own, spin = turned_z(angle), (ZERO, ZERO, made.rates(angle))
    else:
        R, spin = turned(list(free.turns), made.rates)
        if free.then is not IDENTITY:
            R, spin = product(R, free.then) if free.turns else free.then, applied(transposed(free.then), spin)
        between = product(product(ends.axes_i, R), transposed(ends.axes_j))
        relative = applied(ends.axes_j, spin)  # of j against i, in axes of j
        if outward:
            spin = added(applied(transposed(between), parent.spin), relative)
        else:
            spin = applied(between, difference(parent.spin, relative))
        own = product(parent.rotation, between if outward else transposed(between))
    made.place(body, difference(point, applied(own, own_arm)), own, spin, angle)


# -- rows and forces -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HeldRow:
    """A row: `value` zero, or for rows on velocities only `rate` zero."""

    part: str
    name: str
    value: Expr | None
    rate: Expr | None = None
    unit: str = ""  # of rows of pure geometry
    driven: bool = False

    @property
    def label(self) -> str:
        """Name in written equations: of the driver, or of the row."""
        return self.part if self.driven else self.name


def held_rows(made: Coordinates, measures: Measures, exact: bool = True) -> list[HeldRow]:
    """Rows of all joints and drivers, in the order of the model, without those that the tree satisfies.

    With `exact` False an angle in space that is driven is compared with its target as a direction: then no turn needs to be counted.
    """
    found: list[HeldRow] = []
    for joint in made.model.at_work("joint"):
        kept = made.held.get(joint.name, frozenset())
        for measure in joint.rows():
            if measure.name in kept:
                continue
            if measure.is_rate:
                found.append(HeldRow(joint.name, measure.name, None, measures.rate(measure)))
            else:
                unit = "" if measure.kind in COMPOSITE else measure.unit
                found += [HeldRow(joint.name, name, value, unit=unit) for name, value in measures.rows(measure)]
    for driver in made.model.at_work("driver"):
        measure, target = driver.measure, driver.expression.simplify()
        if measure.is_rate:
            rate = minus(measures.rate(measure), derivative(target, "t"))
            found.append(HeldRow(driver.name, measure.name, None, rate, driven=True))
            continue
        if not exact and measure.kind == "angle" and not made.model.plane:
            y, x = measures.sine_cosine(measures.ends(measure))
            value = wrapped(y, x, plus(target, measures.offset(measure)))
        else:
            value = minus(measures.value(measure), target)
        found.append(HeldRow(driver.name, measure.name, value, driven=True))
    return found


@dataclass(eq=False)
class Conversion:
    """A mechanism as a Lagrangian system, and the way from states of the one to those of the other."""

    lagrangian: Lagrangian
    coordinates: Coordinates
    rows: list[HeldRow]  # as in the mechanism; the Lagrangian has further rows for Euler parameters and counted angles
    laws: list[Loaded]

    @property
    def form(self) -> str:
        """Form: "absolute" or "minimal"."""
        return self.coordinates.form


def converted(model: Mechanism, form: str = MINIMAL) -> Conversion:
    """Lagrangian system of a mechanism."""
    made = coordinates(model, form)
    ties: list[tuple[str, Expr]] = []

    def counted(measure: Measure, key: Key, y: Expr, x: Expr) -> Expr:
        """An angle in space: the coordinate of a joint of the tree, or a coordinate of its own tied to the bodies."""
        if key not in made.angles:
            name = made.new("theta", measure.name)
            (angle,) = made.take([name], lambda n: [n.counted[key]])
            made.angles[key] = angle
            # zero where the direction is that of the coordinate; so the coordinate counts the turns
            ties.append((f"{_plain(measure.name)} turn", wrapped(y, x, angle)))
        return made.angles[key]

    measures = Measures(made.drawing, made.poses, made.rates, counted, states=True)
    rows = held_rows(made, measures)
    laws = [law for force in model.at_work("force") for law in loaded(measures, force)]
    potential: Expr = ZERO
    dissipation: Expr = ZERO
    for law in laws:
        potential, dissipation = plus(potential, law.potential), plus(dissipation, law.dissipation)
    if not made.names:
        raise ModelError(
            f"joint coordinates of {model.name!r}", "none: joints hold every body in its place",
            "equations in minimal coordinates need one at least", "free a joint, or ask for form='absolute', where every body has coordinates of its own",
        )  # fmt: skip
    system = Lagrangian(
        list(made.names), potential=potential, dissipation=dissipation, forces=_forces(made, laws),
        parameters=model.parameters, gravity=model.gravity, name=model.name,
    )  # fmt: skip
    for body in model.bodies:
        pose, matter = made.poses[body], made.drawing.poses[body].matter
        if body.particle:
            system.add(Particle(body.name, matter.mass, pose.position, pose.velocity))
        else:
            part = RigidBody(
                body.name, matter.mass, pose.position, pose.velocity, matter.inertia, pose.rotation, pose.spin
            )
            system.add(part)
    for name, norm in (*made.norms, *ties):
        system.constraint(name, norm)
    empty = _holding(made, rows) if form == MINIMAL else set()
    for k, row in enumerate(rows):
        name = row.label if row.driven else _plain(row.name)
        if row.rate is not None:
            system.pfaffian(name, row.rate)
        elif k not in empty:
            assert row.value is not None
            system.constraint(name, row.value)
    for state in model.parts("state"):
        system.state(state.name, rate=measures.named(f"rate({state.name})"), start=model.value(state.start))
    return Conversion(system, made, rows, laws)


def _holding(made: Coordinates, rows: list[HeldRow]) -> set[int]:
    """Rows of geometry that hold whatever the coordinates are: those of planar loops in space, or of a joint given twice.

    What rounding leaves of such a row must not count as a constraint; it is compared with the size that rows of its kind have.
    """
    tried = [k for k, row in enumerate(rows) if row.unit and row.value is not None]
    empty = {k for k in tried if rows[k].value == ZERO}
    tried = [k for k in tried if k not in empty]
    if not tried:
        return empty
    graph = Graph([*made.model.parameters, "t", *made.names])
    nodes = [graph.add_expression(rows[k].value) for k in tried]  # type: ignore[arg-type]
    results = {"phi": column(nodes), "J": table([graph.reverse(x, made.names) for x in nodes], len(made.names))}
    functions = Functions(made.model.name, "", graph, made.model.parameters, tuple(made.names), (), (), results)
    call = evaluators(functions, ["phi", "J"])
    # three random positions at once; a row that vanishes at all of them vanishes everywhere
    q = np.random.default_rng(7).uniform(-1.2, 1.2, (len(made.names), 3))
    length = made.drawing.numbers.extent
    q *= np.array([length if name in made.lengths else 1.0 for name in made.names])[:, None]
    rest = np.zeros((0, 3))
    phi, jac = np.abs(call["phi"](0.0, q, rest)), np.abs(call["J"](0.0, q, rest))
    columns = np.array([1.0 / length if name in made.lengths else 1.0 for name in made.names])
    for r, k in enumerate(tried):
        size = length if rows[k].unit == "m" else 1.0
        if np.all(jac[r] <= 1e-11 * size * columns[:, None]) and np.all(phi[r] <= 1e-9 * size):
            empty.add(k)
    return empty


def motion_functions(conversion: Conversion, asked: str) -> Functions:
    """Functions of the Lagrangian system, and velocities of the bodies: V, S = dV/dq' and sigma = V' at q'' = 0.

    With v = S q' + (V at rest) and a = S q'' + sigma the equations of the bodies become those of the coordinates:
    M_q = S^T M S, f_q = S^T (f - M sigma), J_q = J S, gamma_q = gamma - J sigma.
    """
    made = lagrangian_functions(conversion.lagrangian, asked, conversion.form)
    graph, q = made.graph, made.q
    flow = {graph.input[x]: graph.input[rate] for x, rate in zip(q, made.v)} | {graph.input["t"]: graph.one}
    V = [graph.add_expression(x) for x in conversion.coordinates.velocities]
    S = [graph.reverse(x, made.v) for x in V]
    results = {**made.results, "V": column(V), "S": table(S, len(q)), "sigma": column(graph.forward(V, flow))}
    return replace(made, results=results)


def _forces(made: Coordinates, laws: list[Loaded]) -> dict[str, Expr]:
    """Generalized forces of laws without potential and dissipation function: -f ds'/dq'."""
    found: dict[str, Expr] = {}
    for law in laws:
        if law.rest == ZERO:
            continue
        for name in made.names:
            lever = derivative(law.rate, f"rate({name})")
            if lever != ZERO:
                found[name] = minus(found.get(name, ZERO), times(law.rest, lever))
    return found


def _plain(name: str) -> str:
    """Name of a row as names of rows may be: "A gap_x" for "A.gap_x"."""
    return name.replace(".", " ")
