"""compile(Lagrangian) -> arrays: the equations of motion derived on a graph, and programs that evaluate them.

    p = dT/dq'      M = dp/dq'      f = Q - dD/dq' - dV/dq + dT/dq - (dp/dq q' + dp/dt)
    holonomic row phi:  J = dphi/dq,   w = J q' + dphi/dt,    gamma = -(d/dt of w at q'' = 0)
    rate row w:         J = dw/dq',                           gamma likewise

All derivatives are exact and share their sub-expressions; nothing is inverted or expanded.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import ExpressionError, MethodError, ModelError, nearest, shown
from ..kernels import layout as at
from ..kernels.lagrange import layout as la
from ..kernels.lagrange.layout import POWERS
from ..kernels.program import PROGRAM_SIZE
from ..kernels.project import EPSILON
from ..model.expression import Expr
from .graph import Graph
from .program import Evaluation, Program, graph_tables, program, program_records

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian


@dataclass
class Nodes:
    """Formulas of a system as nodes of its graph."""

    kinetic: int
    potential: int
    momenta: list[int]
    mass: list[list[int]]  # rows of the lower triangle
    force: list[int]
    applied: list[int]
    dissipated: list[int]
    time: int  # dL/dt at fixed q, q'
    phi: list[int]
    w: list[int]
    jac: list[list[int]]
    gamma: list[int]
    pull: list[int]  # dL/dq and forces without potential


class Work:
    """Memory of one evaluation: the array F, and its parts as views by name."""

    def __init__(self, system: LagrangeSystem) -> None:
        self._view(system.memory.copy(), system.places, (system.n, system.n_rows))

    def _view(self, F: np.ndarray, places: dict[str, tuple[int, int]], sizes: tuple[int, int]) -> None:
        self.F, self._places, self._sizes, (n, m) = F, places, sizes, sizes
        for name, (first, last) in places.items():
            setattr(self, name, F[first:last])
        self.M, self.J = self.mass.reshape(n, n), self.jac.reshape(m, n)

    def __getstate__(self) -> Any:
        return self.F, self._places, self._sizes  # views would part from F

    def __setstate__(self, state: Any) -> None:
        self._view(*state)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


@dataclass
class LagrangeSystem:
    """A compiled Lagrangian system, which is never written: a run sets scales and weights of its rows in tables of its own, see `own`."""

    model: Lagrangian
    graph: Graph = field(repr=False)
    nodes: Nodes = field(repr=False)
    I: np.ndarray = field(repr=False)  # noqa: E741
    P: np.ndarray = field(repr=False)
    memory: np.ndarray = field(repr=False)  # a fresh F, with parameters and constants in place
    places: dict[str, tuple[int, int]] = field(repr=False)
    leaves: dict[int, int] = field(repr=False)
    results: tuple[dict[int, int], ...] = field(repr=False)  # registers of the results of the programs
    # places of nodes that are held during a step: conditions, signs, whole parts
    sides: dict[int, int] = field(repr=False, default_factory=dict)

    # whether tables and constants belong to a run, not to what was compiled
    owned: bool = field(repr=False, default=False)
    watching: bool = False  # whether events and stops of the model are watched by the time loop
    known: dict[str, Any] = field(
        init=False, repr=False, default_factory=dict
    )  # what was found out about it and is needed again

    # what mechanisms have besides: a length of the model, bodies, auxiliary states; coordinates are in units of their own
    length = 1.0
    plane = False
    body_names: ClassVar[tuple[str, ...]] = ()
    law_parts: ClassVar[tuple[str, ...]] = ()
    starts: ClassVar[np.ndarray] = np.zeros(0)

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.model.q)

    nq = nv = freedom = n
    states_in = "q"  # auxiliary states are coordinates

    @property
    def state_places(self) -> dict[str, int]:
        """Places of the auxiliary states among the coordinates, by name."""
        return {name: self.model.q.index(name) for name in self.model.states}

    def states_with_rates(
        self, q: np.ndarray, v: np.ndarray, z: np.ndarray, forces: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Auxiliary states, and their rates."""
        places = list(self.state_places.values())
        return q[places], v[places]

    @property
    def values(self) -> dict[str, float]:
        """Values of the parameters."""
        return dict(self.model.parameters)

    def with_values(self, values: dict[str, float]) -> LagrangeSystem:
        """The system as results read it with other values of parameters."""
        memory = self.memory.copy()
        memory[: len(values)] = list(values.values())
        return replace(self, memory=memory)

    def check_momenta(self, asked: str) -> None:
        """Refuse a singular mass matrix, for methods that find velocities from momenta."""
        if self.augmented:
            raise MethodError(
                asked, "a mass matrix that is singular", "its momenta determine no velocity", "leave out coordinates without inertia, or use another method",
            )  # fmt: skip

    @property
    def driver_names(self) -> list[str]:
        """Names of what prescribes the motion in time: holonomic rows that contain it."""
        return [name for name, row in self.model.holonomic.items() if "t" in row.names]

    @property
    def moves(self) -> np.ndarray:
        """Which velocities can move: all of them."""
        return np.ones(self.n, dtype=bool)

    @property
    def entry(self) -> Any:
        """The compiled equations: operate(mode, I, P, F, t, q, v, a, tolerance, times)."""
        from ..kernels.lagrange.operate import operate

        return operate

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows: holonomic ones first."""
        return (*self.model.holonomic, *self.model.nonholonomic)

    row_parts = row_names

    @property
    def given_names(self) -> list[str]:
        """Names that an expression of the user may have: all but the sizes of friction, which are solved for."""
        sizes = {one.size_name for one in self.model.frictions}
        return [name for name in self.graph.input if name not in sizes]

    @property
    def frictions_at_work(self) -> list[Any]:
        """Dry friction of the situation that was compiled."""
        return self.model.frictions

    def rows_of(self, name: str) -> list[int]:
        """Number of a row, if it is at work."""
        return [r for r, row in enumerate(self.row_names) if row == name]

    @property
    def number(self) -> Any:
        """Reads a number or an expression of parameters."""
        return self.model.value

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.row_names)

    @property
    def row_scales(self) -> np.ndarray:
        """Factor of each row that makes residuals comparable: 1 / its largest entry at the start of an analysis."""
        return self.P[self.I[at.SCALE] :][: self.n_rows]

    def own(self) -> LagrangeSystem:
        """The same equations with tables and constants of their own, in which scales and weights of the rows may be set."""
        return replace(self, I=self.I.copy(), P=self.P.copy(), owned=True)

    def augment(self, weights: np.ndarray | None) -> None:
        """Factor M + J^T W J in place of a singular M, W the weights of the rows; None: M alone (tables of a run only)."""
        self.I[la.AUGMENTED] = int(weights is not None)
        if weights is not None:
            self.P[self.I[la.WEIGHTS] :][: self.n_rows] = weights

    @property
    def augmented(self) -> bool:
        """Whether M + J^T W J is factored in place of a singular M."""
        return bool(self.I[la.AUGMENTED])

    @property
    def n_holonomic(self) -> int:
        """Number of holonomic rows."""
        return len(self.model.holonomic)

    def told_row(self, r: int) -> tuple[str, str | None]:
        """A row in words; its unit is the user's."""
        return f"row {self.row_names[r]!r}", None

    def told_velocity(self, c: int) -> tuple[str, str | None]:
        """A coordinate in words; its unit is the user's."""
        return f"coordinate {self.model.q[c]!r}", None

    @property
    def rows_on_rates(self) -> np.ndarray:
        """Whether each constraint row is a condition on velocities only."""
        return self.I[self.I[at.ROW_RATE] :][: self.n_rows] == 1

    @property
    def velocity_names(self) -> list[str]:
        """Names of the velocities v."""
        return [f"rate({x})" for x in self.model.q]

    @cached_property
    def kinds_of_velocity(self) -> np.ndarray:
        """Every coordinate is of its own kind: nothing is known of their units."""
        return np.arange(self.n)

    @cached_property
    def unit_of_velocity(self) -> np.ndarray:
        """What the absolute tolerance of each velocity counts in: its own unit."""
        return np.ones(self.n)

    def parts_of(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates and rates of what the time loop keeps, y = (q, v); there are no auxiliary states beside them."""
        return y[..., : self.n], y[..., self.n :], y[..., :0]

    def rounding(self, q: np.ndarray, angles: Any = ()) -> float:
        """What the rounding of the coordinates leaves of a row; of several states the largest."""
        return 4.0 * EPSILON * float(np.max(np.abs(q), initial=0.0))

    def workspace(self) -> Work:
        """Memory for evaluations."""
        return Work(self)

    def function(self, nodes: list[int]) -> Function:
        """A program of its own for some nodes, as a function of (t, q, v)."""
        return Function(self, nodes)


class Function:
    """Values of some nodes at (t, q, v), by the compiled program."""

    def __init__(self, system: LagrangeSystem, nodes: list[int]) -> None:
        self._values = Evaluation(system.graph, nodes)
        self._parameters = system.memory[: len(system.model.parameters)]

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray, parameters: np.ndarray | None = None) -> np.ndarray:
        """Values in the order of the nodes; with other values of parameters, if they are given."""
        return self._values(np.concatenate([self._parameters if parameters is None else parameters, [t], q, v]))


def compile_lagrangian(model: Lagrangian, asked: str = "", watching: bool = False) -> LagrangeSystem:
    """Derive the equations of a system and lower them to programs; `watching`: with events and stops for the time loop."""
    asked = asked or f"equations of {model.name!r}"
    model = model.as_it_is()  # what is made of it does not change with the model
    if model.situation.absent & {*model.holonomic, *model.nonholonomic}:
        model = model.varied(model.situation)
    check_names(model, asked)
    check_parts(model, asked)
    graph = Graph([*model.parameters, "t", *model.q, *(f"rate({x})" for x in model.q)])
    nodes = derive(model, graph, asked)
    made = _arrays(model, graph, nodes)
    made.watching = watching
    return made


def terms_of(model: Lagrangian) -> dict[str, Expr]:
    """Every expression of a system by the words used for it in messages."""
    found = {"kinetic energy": model.kinetic, "potential": model.potential, "dissipation": model.dissipation}
    found |= {f"force on {name!r}": force for name, force in model.forces.items()}
    found |= {f"constraint {name!r}": row for name, row in model.holonomic.items()}
    return found | {f"rate row {name!r}": row for name, row in model.nonholonomic.items()}


def check_names(model: Lagrangian, asked: str) -> None:
    """Refuse names that are neither coordinate, rate, time nor parameter."""
    known = {*model.parameters, "t", *model.q, *(f"rate({x})" for x in model.q)}
    gaps = {f"gap of {name!r}": stop.gap for name, stop in model.impacts.items()}
    gaps |= {f"start of {one.name!r}": one.expression for one in model.conditions}
    # of an event the name of a row is its multiplier
    rows = {name for table in model.every_row for name in table}
    events = {f"event {name!r}": event.expression for name, event in model.events.items()}
    for what, term in (terms_of(model) | gaps | events).items():
        for name in sorted(term.names - known - (rows if what in events else set())):
            raise ExpressionError(
                f"{asked}: {what}",
                f"the name {name!r} in {shown(str(term))}",
                "it is neither a coordinate nor t nor a parameter",
                f"give its value with m.parameter({name!r}, ...); {nearest(name, sorted(known))}",
            )


def check_parts(model: Lagrangian, asked: str) -> None:
    """Refuse masses below zero and moments of inertia that no body has, where they are numbers or expressions of parameters."""
    from ..model.lagrangian.parts import RigidBody

    values = model.parameters

    def number(x: Expr) -> float | None:
        return x.evaluate(values) if x.names <= set(values) else None

    for part in model.parts.values():
        mass = number(part.mass)
        if mass is not None and not mass >= 0.0:
            raise ModelError(
                f"{part.kind} {part.name!r} of {asked}", f"mass = {mass:g}", "a mass is not below zero", "correct it"
            )
        if not isinstance(part, RigidBody):
            continue
        entries = [number(x) for row in part.inertia for x in row]
        if any(x is None for x in entries):
            continue
        tensor = np.array(entries, dtype=float).reshape(3, 3)
        found = f"inertia = {tensor.tolist()}"
        if not np.allclose(tensor, tensor.T, rtol=0.0, atol=1e-9 * float(np.max(np.abs(tensor), initial=0.0))):
            raise ModelError(f"body {part.name!r} of {asked}", found, "an inertia tensor is symmetric", "correct it")
        low, middle, high = np.linalg.eigvalsh(0.5 * (tensor + tensor.T))
        # a planar body has its moment about z alone
        planar = high >= 0.0 and low == middle == 0.0
        if not planar and (low < -1e-12 * high or high > (low + middle) * (1.0 + 1e-9)):
            why = "principal moments are not below zero, and none exceeds the sum of the other two"
            raise ModelError(f"body {part.name!r} of {asked}", found, why, "correct the moments of inertia")


def derive(model: Lagrangian, graph: Graph, asked: str) -> Nodes:
    """All formulas of the equations of motion."""
    q, rates = list(model.q), [f"rate({x})" for x in model.q]
    kinetic, potential = graph.add_expression(model.kinetic), graph.add_expression(model.potential)
    slope_t, slope_v = graph.reverse(kinetic, [*q, "t"]), graph.reverse(potential, [*q, "t"])
    momenta = graph.reverse(kinetic, rates)
    mass: list[list[int]] = [[] for _ in q]
    for j, rate in enumerate(rates):
        column = graph.forward(momenta[j:], {graph.input[rate]: graph.one})
        for i, entry in enumerate(column, start=j):
            mass[i].append(entry)
    _check_quadratic(graph, mass, rates, model, asked)
    flow = {graph.input[x]: graph.input[rate] for x, rate in zip(q, rates)} | {graph.input["t"]: graph.one}
    moved = graph.forward(momenta, flow)
    lost = graph.reverse(graph.add_expression(model.dissipation), rates)
    forces = model.forces
    applied = [graph.add_expression(forces[x]) if x in forces else graph.zero for x in q]
    total, pull = [], []
    for k in range(len(q)):
        slope, without = graph.sub(slope_t[k], slope_v[k]), graph.sub(applied[k], lost[k])
        total.append(graph.add(without, graph.sub(slope, moved[k])))
        pull.append(graph.add(without, slope))
    phi = [graph.add_expression(row) for row in model.holonomic.values()]
    jac = [graph.reverse(row, q) for row in phi]
    w = [graph.forward([row], flow)[0] for row in phi]
    rows = [graph.add_expression(row) for row in model.nonholonomic.values()]
    jac += [graph.reverse(row, rates) for row in rows]
    w += rows
    gamma = [graph.neg(x) for x in graph.forward(w, flow)]
    return Nodes(
        kinetic, potential, momenta, mass, total, applied, [graph.neg(x) for x in lost],
        graph.sub(slope_t[-1], slope_v[-1]), phi, w, jac, gamma, pull,
    )  # fmt: skip


def _check_quadratic(graph: Graph, mass: list[list[int]], rates: list[str], model: Lagrangian, asked: str) -> None:
    moving = graph.dependent(graph.needed([entry for row in mass for entry in row]), rates)
    for i, row in enumerate(mass):
        for j, entry in enumerate(row):
            if entry in moving:
                pair = f"{model.q[i]!r}" if i == j else f"{model.q[i]!r} and {model.q[j]!r}"
                raise ModelError(
                    asked,
                    f"the inertia of {pair} depends on {graph.depends(entry, rates)}",
                    "the kinetic energy is not quadratic in the velocities",
                    "write T as a sum of squares and products of rates with factors of coordinates and time; other terms "
                    "belong to forces=",
                )


def _arrays(model: Lagrangian, graph: Graph, nodes: Nodes) -> LagrangeSystem:
    n, m = len(model.q), len(nodes.w)
    header = np.zeros(la.LAGRANGE_HEADER, dtype=np.int64)
    # F: inputs, constants, arrays, registers
    constants = [k for k, row in enumerate(graph.rows) if row[0] == 0]
    inputs = list(graph.input.values())
    leaves = {node: place for place, node in enumerate([*inputs, *constants])}
    places: dict[str, tuple[int, int]] = {}
    size = len(leaves)
    shapes: list[tuple[str, int, int]] = [
        ("mass", la.M_AT, n * n), ("low", la.L_AT, n * n), ("total", la.F_AT, n), ("jac", la.J_AT, m * n), ("x", la.X_AT, m * n),
        ("s", la.S_AT, m * m), ("gamma", la.GAMMA_AT, m), ("w", la.W_AT, m), ("given", la.Q_AT, 2 * n), ("time", la.TIME_AT, 1),
        ("value", at.VALUE, m), ("bias", at.BIAS, m), ("partial", at.PARTIAL, m), ("drive", at.DRIVE, 3 * m), ("floor", at.FLOOR, m),
        ("y", at.Y, m), ("lam", at.LAM, m), ("vhat", at.VHAT, n), ("acc", at.ACC, n), ("force", at.FORCE, len(POWERS)),
        ("power", at.POWER, len(POWERS)), ("angle", at.ANGLE_AT, 0), ("angle_rate", at.ANGLE_RATE, 0),
        ("angle_time", at.ANGLE_TIME, 1), ("momenta", la.MOMENTA_AT, n), ("pull", la.PULL_AT, n),
    ]  # fmt: skip
    held = graph.switches(
        [
            *nodes.force, *nodes.momenta, *nodes.pull, *nodes.applied, *nodes.dissipated, nodes.time, *nodes.phi, *nodes.w, *nodes.gamma,
            *(node for row in (*nodes.mass, *nodes.jac) for node in row),
        ]
    )  # fmt: skip
    shapes += [
        ("state", at.STATE_AT, 0),
        ("side", at.SIDE, len(held)),
        ("frozen", at.FROZEN, 1),
        ("used", at.USED, len(held)),
    ]
    for name, key, length in shapes:
        header[key] = size
        places[name] = (size, size + length)
        size += length
    targets = _targets(header, nodes, n)
    rows = {k: v for k, v in targets.items() if k[0] in ("phi", "w", "jac")}
    sides = {node: int(header[at.SIDE]) + k for k, node in enumerate(held)}
    by_state: _Targets = {("side", k): (place, node) for k, (node, place) in enumerate(sides.items())}
    momenta: _Targets = {}
    for what, key, listed in (("momenta", la.MOMENTA_AT, nodes.momenta), ("pull", la.PULL_AT, nodes.pull)):
        momenta |= {(what, k): (int(header[key]) + k, node) for k, node in enumerate(listed)}
    wanted = (targets, rows, momenta, by_state) if sides else (targets, rows, momenta)
    programs = [
        program(graph, [node for _, node in part.values()], leaves if part is by_state else leaves | sides, size)
        for part in wanted
    ]
    memory = np.zeros(size + max(p.size for p in programs) + 2)
    for node, place in leaves.items():
        number = graph.value(node)
        memory[place] = 0.0 if number is None else number
    memory[: len(model.parameters)] = list(model.parameters.values())
    header[at.N_ROWS], header[la.N], header[at.PLANE] = m, n, 1
    header[at.N_LAWS] = len(POWERS)
    header[la.INPUTS] = leaves[graph.input["t"]]
    table, numbers = _tables(header, graph, model, programs, wanted, m)
    for constant in (table, numbers, memory):
        constant.setflags(write=False)
    return LagrangeSystem(
        model, graph, nodes, table, numbers, memory, places, leaves, tuple(p.register for p in programs), sides
    )


_Targets = dict[tuple[str, int], tuple[int, int]]


def _targets(header: np.ndarray, nodes: Nodes, n: int) -> _Targets:
    """Results of an evaluation: (what, number) -> (place in F, node); zeros stay as they are."""
    found: _Targets = {}

    def put(what: str, key: int, listed: list[int]) -> None:
        for k, node in enumerate(listed):
            found[what, k] = (int(header[key]) + k, node)

    for i, row in enumerate(nodes.mass):
        for j, node in enumerate(row):
            found["mass", i * n + j] = (int(header[la.M_AT]) + i * n + j, node)
    put("force", la.F_AT, nodes.force)
    put("given", la.Q_AT, [*nodes.applied, *nodes.dissipated])
    put("time", la.TIME_AT, [nodes.time])
    put("jac", la.J_AT, [node for row in nodes.jac for node in row])
    put("phi", at.VALUE, nodes.phi)
    put("w", la.W_AT, nodes.w)
    put("gamma", la.GAMMA_AT, nodes.gamma)
    return found


def _tables(
    header: np.ndarray, graph: Graph, model: Lagrangian, programs: list[Program], targets: tuple[_Targets, ...], m: int
) -> tuple[np.ndarray, np.ndarray]:
    """I and P: row flags, tables, programs with the lists of their results."""
    table = [int(x) for x in header]
    registers = table[at.USED] + table[at.FROZEN] - table[at.SIDE]  # they follow the arrays
    table[at.ROW_RATE] = len(table)
    table += [0] * len(model.holonomic) + [1] * len(model.nonholonomic)
    table[at.OFFSET], table[at.SCALE], table[la.WEIGHTS] = 0, m, 2 * m
    table, splines = graph_tables(graph, table, 3 * m)
    for k, key in enumerate(la.PROGRAMS[: len(programs)]):
        table[key] = len(table) + PROGRAM_SIZE * k
    results = [[(node, place) for place, node in wanted.values() if node != graph.zero] for wanted in targets]
    table += program_records(programs, registers, results, len(table))
    return np.array(table, dtype=np.int64), np.concatenate([np.zeros(m), np.ones(2 * m), splines, [0.0]])
