"""compile(model) -> System: a mechanism as arrays, ready for analyses."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import MethodError, ModelError, SingularError, checked_call, shown
from ..kernels import layout as at
from ..kernels.bodies import unscale
from ..kernels.memory import driven_rows
from ..kernels.operate import INPUTS, operate
from ..kernels.project import EPSILON
from ..kernels.watch import LOAD, MULTIPLIER, NO_SECOND
from ..model.body import Body
from ..model.measure import Measure
from ..model.mechanism import Mechanism
from ..model.reading import matrix_quaternion, quaternion_matrix
from .build import Builder
from .collect import collect, count_angles, watch_events, watch_modes
from .tables import Numbering, Work, number, singular_bodies
from .watch import Owner, Watch, watch_tables


@dataclass
class System:
    """A compiled mechanism.

    Attributes
    ----------
    model
        The mechanism it was made from.
    row_names
        Names of the constraint rows, in the order of `phi`, `jac` and `lam`.
    q0
        Configuration as drawn.
    """

    model: Mechanism
    builder: Builder = field(repr=False)
    numbering: Numbering = field(repr=False)
    q0: np.ndarray = field(repr=False)
    length: float = 1.0
    # what was found out about it and is needed again
    known: dict[str, Any] = field(init=False, repr=False, default_factory=dict)
    # parameters whose values decide about the arrays
    depends_on: frozenset[str] | None = field(repr=False, default=None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "known": {}}

    @property
    def plane(self) -> bool:
        """Whether the motion is planar."""
        return self.builder.plane

    @property
    def I(self) -> np.ndarray:  # noqa: E743
        """Tables of the kernels."""
        return self.numbering.I

    @property
    def P(self) -> np.ndarray:
        """Constants of the kernels."""
        return self.numbering.P

    @property
    def entry(self) -> Any:
        """The compiled equations: operate(mode, I, P, F, t, q, v, a, tolerance, times)."""
        return operate

    @property
    def starts(self) -> np.ndarray:
        """Auxiliary states at the start."""
        return self.numbering.starts

    # where the time loop keeps auxiliary states
    states_in = "z"

    @property
    def state_places(self) -> dict[str, int]:
        """Places of the auxiliary states among those that the time loop keeps, by name."""
        return {state.name: k for k, state in enumerate(self.builder.states)}

    def states_with_rates(
        self, q: np.ndarray, v: np.ndarray, z: np.ndarray, forces: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Auxiliary states, and their rates: those are the first laws."""
        return z, forces[: len(self.builder.states)]

    @property
    def values(self) -> dict[str, float]:
        """Values of the parameters."""
        return {**self.model.parameters, **self.builder.drawing.values}

    def with_values(self, values: dict[str, float]) -> System:
        """The system as results read it with other values of parameters: they are in its tables already."""
        return self

    def check_momenta(self, asked: str) -> None:
        """Refuse bodies without mass, for methods that find velocities from momenta."""
        light = [b.name for b in self.model.bodies if self.builder.drawing.matter(b).mass == 0.0]
        if light:
            raise MethodError(
                asked, f"bodies without mass: {', '.join(light[:6])}", "their momenta determine no velocity", "give them masses, or use another method",
            )  # fmt: skip

    @property
    def law_parts(self) -> list[str]:
        """The part of each force law, in the order of the forces."""
        return [law.part for law in self.builder.laws]

    @property
    def driver_names(self) -> list[str]:
        """Names of what prescribes the motion in time."""
        return [driver.name for driver in self.model.drivers]

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.builder.width * len(self.builder.bodies)

    @property
    def freedom(self) -> int:
        """Number of velocities that can move: particles do not turn."""
        return int(np.count_nonzero(self.moves))

    @property
    def moves(self) -> np.ndarray:
        """Which velocities can move: a particle has no rotation."""
        turns = np.array([not body.particle for body in self.builder.bodies], dtype=bool)
        return np.repeat(turns, self.builder.width) | (self.kinds_of_velocity == 0)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return (3 if self.plane else 7) * len(self.builder.bodies)

    @property
    def n_rows(self) -> int:
        """Number of constraint rows."""
        return self.numbering.n_rows

    @property
    def row_names(self) -> list[str]:
        """Names of the constraint rows."""
        return [row.name for row in self.numbering.rows[: self.n_rows]]

    @property
    def row_parts(self) -> list[str]:
        """Joint or driver of each constraint row."""
        return [row.part for row in self.numbering.rows[: self.n_rows]]

    @property
    def saddle(self) -> bool:
        """Whether the saddle-point solver serves it: rows are then stored as they are, else in the mass metric."""
        return bool(self.I[at.SADDLE])

    @property
    def n_free(self) -> int:
        """Number of free rows, which follow the constraint rows: inputs of laws and expressions."""
        return int(self.I[at.N_FREE])

    @property
    def n_laws(self) -> int:
        """Number of force laws; their powers come before those of the drivers."""
        return int(self.I[at.N_LAWS])

    @property
    def driven_rows(self) -> np.ndarray:
        """Constraint row of each driver, in the order of the powers."""
        return driven_rows(self.I)

    @property
    def row_scales(self) -> np.ndarray:
        """Factor of each constraint row that makes residuals comparable: 1 / length of the model, or 1."""
        return self.P[self.I[at.SCALE] :][: self.n_rows]

    @property
    def row_offsets(self) -> np.ndarray:
        """Reading of each constraint row that counts as zero."""
        return self.P[self.I[at.OFFSET] :][: self.n_rows]

    @property
    def rows_on_rates(self) -> np.ndarray:
        """Whether each constraint row is a condition on velocities only."""
        return self.I[self.I[at.ROW_RATE] :][: self.n_rows] == 1

    @property
    def saddle_unknowns(self) -> np.ndarray:
        """Unknown of each pivot of the saddle-point factor: velocities 0 ... nv-1, then rows."""
        return self.I[self.I[at.SAD_PERM] :][: self.I[at.N_UNKNOWNS]]

    def counted_angles(self, work: Work) -> np.ndarray:
        """Angles whose turns are counted, as the watched rows have them (they must be current in memory)."""
        first = self.n_rows + self.n_free
        return work.value[first : first + len(work.angle)]

    @cached_property
    def islands(self) -> np.ndarray:
        """Number of the island of every moving body: of those that constraint rows connect, directly or through others, the smallest number of a body."""
        island, blocks = np.arange(len(self.builder.bodies)), self.numbering.blocks
        slips: dict[str, list[int]] = {}
        for law in self.builder.laws:
            if law.law.kind == "slip":
                slips.setdefault(law.part, []).extend(self.builder.free[law.row].bodies)
        # friction connects what slips with the joint whose load it feels
        felt = [
            [*slips.get(one.name, ()), *(b for block in blocks if block.part in one.pressed_by for b in block.bodies)]
            for one in self.builder.model.frictions
        ]
        for bodies in (*(block.bodies for block in blocks), *slips.values(), *felt):
            if len(bodies):
                some = island[bodies]
                island[np.isin(island, some)] = some.min()
        return island

    def island_of(self, row: int) -> int:
        """Island of a free row; -1 where it moves no body."""
        bodies = self.builder.free[row].bodies
        return int(self.islands[bodies[0]]) if bodies else -1

    def rows_of(self, part: str) -> list[int]:
        """Constraint rows of a joint or driver, in the order of its table."""
        return list(self._rows_by_part.get(part, ()))

    @property
    def frictions_at_work(self) -> list[Any]:
        """Dry friction of the situation that was compiled."""
        return self.builder.model.frictions

    @property
    def number(self) -> Any:
        """Reads a number or an expression of parameters."""
        return self.builder.drawing.number

    @cached_property
    def _rows_by_part(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        stops, rubs = (
            self.model.impacts,
            {rub.name: rub.owner.name for rub in (*self.model.rubs, *self.model.soft_rubs)},
        )
        for r, part in enumerate(self.row_parts):
            found.setdefault(part, []).append(r)
        # gaps of one contact, and friction there, after the rows of its own name
        for r, part in enumerate(self.row_parts):
            owner = stops[part].part if part in stops else rubs.get(part, "")
            if owner not in ("", part):
                found.setdefault(owner, []).append(r)
        return found

    @property
    def body_names(self) -> list[str]:
        """Names of the moving bodies, in the order of q and v."""
        return [body.name for body in self.builder.bodies]

    def told_row(self, r: int) -> tuple[str, str | None]:
        """A constraint row in words, and the unit of its measure."""
        row = self.numbering.rows[r]
        return f"row {row.name!r} of {row.part!r}", row.unit

    def told_velocity(self, c: int) -> tuple[str, str | None]:
        """What a velocity moves, in words, and what acts along it: a force or a torque."""
        body = self.builder.bodies[c // self.builder.width]
        return f"body {body.name!r} (along {self.velocity_names[c]})", ("force", "torque")[self.kinds_of_velocity[c]]

    @property
    def velocity_names(self) -> list[str]:
        """Names of the velocities v."""
        parts = ("x'", "y'", "angle'") if self.plane else ("x'", "y'", "z'", "spin_x", "spin_y", "spin_z")
        return [f"{name}.{c}" for name in self.body_names for c in parts]

    @cached_property
    def kinds_of_velocity(self) -> np.ndarray:
        """0 for linear velocities, 1 for spins: what of v may be compared."""
        return np.tile([0, 0, 1] if self.plane else [0, 0, 0, 1, 1, 1], len(self.builder.bodies))

    @cached_property
    def unit_of_velocity(self) -> np.ndarray:
        """What the absolute tolerance of each velocity counts in: the model's length, or radians."""
        return np.where(self.kinds_of_velocity == 0, self.length, 1.0)

    @cached_property
    def arms(self) -> np.ndarray:
        """How far a turn of 1 rad about each body axis through the mass centre moves the body [m]; in the plane, one axis.

        The farthest of its radius of gyration and of the points that joints and forces use.
        """
        arms = np.full((len(self.builder.bodies), 3), self.length)
        for k, body in enumerate(self.builder.bodies):
            p = self.builder.drawing.matter(body)
            if not body.particle:
                arms[k] = np.sqrt(np.maximum(np.diag(p.inertia), 0.0) / p.mass) if p.mass > 0.0 else 0.0
        for k, point in self.builder.points:
            if k < len(arms):
                arms[k] = np.maximum(arms[k], np.sqrt(np.maximum(float(point @ point) - point**2, 0.0)))
        return np.ascontiguousarray(arms[:, 2:]) if self.plane else arms

    def rounding(self, q: np.ndarray, angles: Any = ()) -> float:
        """What the rounding of the coordinates leaves of a row, in lengths of the model or radians; of several states the largest.

        The same as `kernels.project.rounding`; a row that is off by some of it is satisfied.
        """
        bodies, linear = np.abs(q).reshape(-1, 3 if self.plane else 7), 2 if self.plane else 3
        largest = float(np.max(bodies[:, :linear], initial=0.0)) / self.length
        turns = bodies[:, 2] if self.plane else np.abs(np.asarray(angles, dtype=float))
        return 4.0 * EPSILON * max(largest, float(np.max(turns, initial=0.0)))

    def parts_of(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Configuration, velocities and auxiliary states of what the time loop keeps: y = (q, v, z)."""
        last = self.nq + self.nv
        return y[..., : self.nq], y[..., self.nq : last], y[..., last:]

    def workspace(self) -> Work:
        """Fresh scratch memory."""
        return Work(self.numbering)

    def solved(self, work: Work) -> np.ndarray:
        """Accelerations or displacements that the last solution left in memory, unscaled."""
        found = np.zeros(self.nv)
        unscale(self.I, self.P, work.F, int(self.I[at.ACC]), found)
        return found

    def watch(self) -> Watch:
        """What the time loop watches: switches of laws, drivers and rows, and expressions that may be narrow."""
        from .rows import shares_of_load

        rows, builder = self.numbering.rows, self.builder
        scales = [float(x) for x in builder.state_scales]

        def state(r: int) -> bool:
            return 0 <= r - self.n_rows < len(scales)

        def inertia(owner: Owner) -> float:
            """The smallest mass, or moment of inertia for an angle, of the bodies that a force acts on."""
            k = owner.row - self.n_rows
            if k < len(scales):
                return scales[k]  # of a state: what moves by its rate
            turning = rows[owner.row].unit.startswith("rad")
            found = []
            for b in builder.free[k].bodies:
                p = builder.drawing.matter(builder.bodies[b])
                found.append(float(np.max(np.diag(p.inertia))) if turning else p.mass)
            return min((x for x in found if x > 0.0), default=0.0)

        def turning(r: int) -> list[int]:
            """Places in v of the angular velocities of the bodies of a measure; an angle in the plane is one of them itself."""
            if not self.n_rows + len(scales) <= r < len(rows):
                return []
            free = builder.free[r - self.n_rows]
            if self.plane and free.item is not None and free.item.kind == at.ANGLE:
                return []
            width = builder.width
            return [k for b in free.bodies for k in range(width * b, width * (b + 1)) if self.kinds_of_velocity[k]]

        return watch_tables(
            self.numbering.owners,
            int(self.numbering.I[at.SIDE]),
            lambda r: (
                scales[r - self.n_rows] if state(r) else self.length if r < len(rows) and rows[r].unit == "m" else 1.0
            ),
            lambda r: (
                MULTIPLIER
                if r < self.n_rows
                else NO_SECOND
                if state(r)
                else LOAD
                if r >= len(rows)
                else int(rows[r].rate_only)
            ),
            inertia,
            lambda r: shares_of_load(self, builder.loads[r - len(rows)]) if r >= len(rows) else [],
            turning,
        )

    def conservative(self) -> np.ndarray:
        """Laws whose work is the change of a potential, dampers apart: linear ones and stops without damping, on measures without time."""
        flags = []
        for law in self.builder.laws:
            kind, numbers = law.law.kind, law.numbers
            flags.append(self.valued(law.row) and (kind == "linear" or (kind == "stop" and numbers[1] == 0.0)))
        return np.array(flags, dtype=np.int64)

    def valued(self, row: int) -> bool:
        """Whether a free row has a value that depends on positions alone, for a potential to depend on.

        Of the measures of rates, the way along a direction fixed in space has one, and in the plane the angle.
        """
        free = self.builder.free[row]
        if free.composite is not None:
            return free.composite.expression is None and not free.row.rate_only
        if free.item is None:
            return False
        return (
            not free.row.rate_only
            or free.item.kind == at.ALONG_SPACE
            or (self.plane and free.item.kind == at.RATE_SPIN)
        )

    def place(self, q: np.ndarray, body: Body) -> tuple[np.ndarray, np.ndarray]:
        """Mass centre and rotation matrix of a body at a configuration."""
        if body.is_ground:
            return np.zeros(3), np.eye(3)
        b = self.builder.body_index(body)
        if not self.plane:
            return np.array(q[7 * b : 7 * b + 3]), quaternion_matrix(q[7 * b + 3 : 7 * b + 7])
        c, s = np.cos(q[3 * b + 2]), np.sin(q[3 * b + 2])
        return np.array([*q[3 * b : 3 * b + 2], 0.0]), np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def body_index(self, name: str) -> int:
        """Number of a moving body."""
        return self.body_names.index(name)

    def __repr__(self) -> str:
        solver = "saddle point" if self.saddle else "range space"
        return (
            f"<System {self.model.name!r}: {self.nv} velocities, {self.n_rows} constraint rows, {solver}, {self.code}>"
        )

    @property
    def code(self) -> str:
        """Which code evaluates the equations in a run, and why."""
        from .machine.native import native_code

        return str(native_code(self.numbering))


def drawn_configuration(builder: Builder) -> np.ndarray:
    """Configuration q as drawn: mass centres and angles or quaternions."""
    q = []
    for body in builder.bodies:
        pose = builder.drawing.poses[body]
        if builder.plane:
            q += [*pose.position[:2], builder.drawing.number(body.drawn_angle)]
        else:
            q += [*pose.position, *matrix_quaternion(pose.rotation)]
    found = np.array(q, dtype=float)
    found.setflags(write=False)
    return found


def refuse_free_massless(builder: Builder) -> None:
    """Refuse bodies without mass or inertia that nothing holds; where joints hold them, the equations decide."""
    held = {b for block in builder.blocks for b in block.bodies}
    free = [builder.bodies[k] for k in singular_bodies(builder) if k not in held]
    if free:
        p = builder.drawing.matter(free[0])
        inertia = (
            f"{p.inertia[2, 2]:g}" if builder.plane else ", ".join(f"{x:g}" for x in np.linalg.eigvalsh(p.inertia))
        )
        raise SingularError(
            f"body {free[0].name!r}",
            f"mass = {p.mass:g} kg and inertia = {inertia} kg m², and no joint on it"
            + (f" (likewise {', '.join(repr(body.name) for body in free[1:5])})" if len(free) > 1 else ""),
            "a free body without mass or inertia has no defined acceleration",
            "give the body mass and inertia (a rod in space needs radius=), use m.particle for a point mass, or join it to others",
        )


def observing(system: System, measures: tuple[Measure, ...], values: dict[str, float]) -> System:
    """Arrays that compute measures of a mechanism and nothing else: its joints, drivers and forces are left out."""
    model, drawing = system.model, system.builder.drawing
    builder = Builder(model, values, drawing if values == drawing.values else None)
    builder.take_bodies(system.builder.bodies)  # a model may have others by now
    for measure in measures:
        builder.free_row(f"measure {measure.name!r}", measure)
    return System(model, builder, number(builder), drawn_configuration(builder), system.length)


def observed(model: Mechanism, state: Any, expression: Any) -> float:
    """Value of an expression of measures, rates, states, parameters and time at a state."""
    builder = Builder(model, None)
    builder.add_states(False)
    if not model.plane:
        count_angles(builder)
    written, inputs, names = builder.inputs_of(f"{expression}", expression)
    if not model.plane:
        builder.watch_all_angles()
    made = System(model, builder, number(builder), drawn_configuration(builder), builder.drawing.extent)
    work, a = made.workspace(), np.zeros(made.nv)
    known = min(len(state.angles), len(work.angle))
    work.angle[:known], work.angle_time[0] = state.angles[:known], state.t
    if len(state.z):
        work.state[:] = state.z[: len(work.state)]  # without inputs of drivers that are handed over
    operate(INPUTS, made.I, made.P, work.F, state.t, state.q, state.v, a, 0.0, 1)
    found = {"t": state.t}
    found |= {
        name: float((work.rate if rate else work.value)[made.n_rows + r]) for name, (r, rate) in zip(names, inputs)
    }
    return float(written.evaluate(found))


@checked_call
def compile(  # noqa: A001
    model: Mechanism,
    starts: str = "",
    extra: tuple[Measure, ...] = (),
    values: dict[str, float] | None = None,
    held: tuple[tuple[str, Measure, float], ...] = (),
    handed: bool = False,
    watching: bool | str = False,
) -> System:
    """Turn a mechanism into arrays.

    Parameters
    ----------
    model
        The mechanism.
    starts
        "values" or "rates": hold initial values, or initial rates and given velocities, like constraints (to assemble).
    extra
        Measures to be computed as free rows in addition to those that laws need (used for output).
    values
        Values of the parameters; default: those that the model has now.
    held
        Further measures held at a value like constraints: (name of the part, measure, value); used to assemble.
    handed
        Drivers get inputs, to which they can be handed over while the machine runs (`Stepper`).
    watching
        Whether events and stops of the model are watched by the time loop; "modes": in whatever mode.
    """
    if not isinstance(model, Mechanism):
        raise ModelError(
            "compile(...)",
            f"{shown(model)} of type {type(model).__name__}",
            "a Mechanism is needed",
            "give the mechanism",
        )
    for measure in extra if isinstance(extra, tuple | list) else [extra]:
        if not isinstance(measure, Measure):
            found = f"extra = {shown(extra)}"
            raise ModelError("compile(...)", found, "a list of measures is needed", "give extra=(m['A'].angle,)")
    for item in held if isinstance(held, tuple | list) else [held]:
        if not isinstance(item, tuple | list) or len(item) != 3 or not isinstance(item[1], Measure):
            found = f"held = {shown(held)}"
            why = "a list of (name, measure, value) is needed"
            raise ModelError("compile(...)", found, why, "use da.assemble(m, fixed={'A.angle': 0.5}) instead")
    if starts not in ("", "values", "rates"):
        raise ModelError("compile(...)", f"starts = {shown(starts)}", "it is '', 'values' or 'rates'", "leave it out")
    if values is not None and not isinstance(values, dict):
        raise ModelError("compile(...)", f"values = {shown(values)}", "values by name are needed", "give {'r': 0.1}")
    builder = collect(model, starts, values, held, handed is True)
    for measure in extra:
        builder.free_row(f"measure {measure.name!r}", measure)
    if isinstance(watching, str) and watching == "modes":
        watch_modes(builder)
    elif watching is True:
        watch_events(builder)
    refuse_free_massless(builder)
    numbering = number(builder)
    made = System(model, builder, numbering, drawn_configuration(builder), builder.drawing.extent)
    made.depends_on = frozenset(builder.drawing.used)
    return made
