"""Result of a Lagrangian system over time, by names of coordinates, rows, parts, or any expression of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import MethodError, ModelError, checked_call, nearest, shown
from ..kernels.lagrange.layout import POWERS
from ..model.expression import Expr, as_expression
from ..model.expression.derivative import ZERO
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.parts import RigidBody
from ..state import State
from ..system.lagrange import Function, LagrangeSystem
from .lagrangian_parts import MovingLoad, MovingPart, matter_of, motion_of, moving_number, works
from .matter import Matter
from .record import Record
from .result import Kinematics
from .series import Series
from .work import Works


@dataclass(frozen=True)
class LagrangianEnergy:
    """Energies at the output times; `jacobi` is q' dL/dq' - L, which is T + V where T is quadratic in the rates."""

    kinetic: Series
    potential: Series
    jacobi: Series

    @property
    def total(self) -> Any:
        """T + V."""
        return self.kinetic + self.potential


class Constants(dict[str, Series]):
    """Constants of the motion over time, by name."""

    @property
    def drift(self) -> dict[str, float]:
        """Largest change of each since the start, relative to its largest value (or as it is, where it is zero)."""
        return {name: float(np.max(np.abs(x - x[0]), initial=0.0)) / _size(x) for name, x in self.items()}

    def __str__(self) -> str:
        if not self:
            return "no constants of the motion were found"
        width = max(len(name) for name in self)
        drift = self.drift
        return "\n".join(
            f"{name:<{width}}  {float(x[0]):>14.8g}  kept to {drift[name]:.1e}" for name, x in self.items()
        )

    __repr__ = __str__


def _size(x: Any) -> float:
    largest = float(np.max(np.abs(x), initial=0.0))
    return largest if largest > 1e-12 else 1.0


@dataclass(eq=False, repr=False)
class LagrangianResult(Record):
    """Motion of a Lagrangian system.

    `run["theta"]` are the values of a coordinate, with `.rate` its rates; `run["row"]` the multiplier of a row; `run["bob"].position` the
    path of a part, with `.velocity`, `.acceleration`, and of a body `.rotation`, `.spin`; `run["m*g*cos(theta)"]` any expression.  `q`, `v`, `a`, `lam` are the arrays (time, coordinate or row).
    """

    system: LagrangeSystem = field(repr=False)
    t: np.ndarray
    q: np.ndarray = field(repr=False)
    v: np.ndarray = field(repr=False)
    a: np.ndarray = field(repr=False)
    lam: np.ndarray = field(repr=False)
    powers: np.ndarray = field(repr=False)
    prepared: Any = field(default=None, repr=False)
    problem: Any = field(default=None, repr=False)
    trace: Any = field(default=None, repr=False)
    complete: bool = True
    sides: np.ndarray | None = field(default=None, repr=False)  # of switches at the outputs; None: by the state
    _audit: Any = field(default=None, repr=False)
    _motions: dict[str, Kinematics] = field(default_factory=dict, repr=False)

    @classmethod
    def from_trace(cls, prepared: Any, problem: Any, trace: Any, every_step: bool) -> LagrangianResult:
        """Result of a run of the time loop."""
        if every_step:
            kept = trace.kept
            made = cls._at_states(prepared, problem, kept.t, kept.y, sides=kept.side, segments=trace.segments)
        else:
            n, out = trace.n_out, trace.out
            if trace.interrupted:
                n = int(np.sum(np.abs(out.t[:n] - trace.kept.t[0]) <= abs(trace.kept.t[-1] - trace.kept.t[0])))
            made = cls(prepared.system, *(x[:n] for x in (out.t, out.q, out.v, out.a, out.lam, out.power)))
            made.sides = out.side[:n]
        made.prepared, made.problem, made.trace = prepared, problem, trace
        made.complete = not trace.interrupted and trace.status == 0
        return made

    @classmethod
    def _at_states(
        cls,
        prepared: Any,
        problem: Any,
        t: np.ndarray,
        y: np.ndarray,
        angles: Any = None,
        sides: Any = None,
        segments: Any = (),
    ) -> LagrangianResult:
        """Accelerations and multipliers at given states, with the active rows of their times; sides of switches as given, or by the state."""
        from ..solve.run import evaluate_at
        from ..solve.segments import rows_of

        system, work, count = prepared.system, prepared.work, len(t)
        n = system.n
        q, v = np.ascontiguousarray(y[:, :n]), np.ascontiguousarray(y[:, n:])
        a, lam, powers = np.zeros((count, n)), np.zeros((count, system.n_rows)), np.zeros((count, len(POWERS)))
        for k in range(count):
            if sides is not None:
                work.side[:], work.frozen[0] = sides[k], 1.0
            with rows_of(problem, segments, float(t[k])):
                evaluate_at(problem, float(t[k]), q[k], v[k], a[k])
            lam[k], powers[k] = work.lam, work.power
        work.frozen[0] = 0.0
        made = cls(system, np.array(t), q, v, a, lam, powers)
        made.prepared, made.problem, made.sides = prepared, problem, sides
        return made

    # -- access --------------------------------------------------------------------------------------------------------

    @property
    def model(self) -> Lagrangian:
        """The system."""
        return self.system.model

    @checked_call
    def __getitem__(self, key: Any) -> Any:
        model = self.model
        if isinstance(key, str) and key in model.q:
            k = model.q.index(key)
            return Series(self.q[:, k], key, "", (), self.t, lambda run: run[key], self.rate(key))
        if isinstance(key, str) and key in self.system.row_names:
            k = self.system.row_names.index(key)
            return Series(self.lam[:, k], f"multiplier of {key}", "", (), self.t, lambda run: run[key])
        if isinstance(key, str) and key in model.parts:
            return MovingPart(self, key)
        if isinstance(key, str) and key in model.loads:
            return MovingLoad(self, key)
        try:
            return self.value(key)
        except ModelError as error:
            names = [*model.q, *self.system.row_names, *model.parts, *model.loads]
            if not isinstance(key, str) or not key.isidentifier():
                raise
            raise ModelError(f"result {shown(key)}", error.found, error.why, nearest(key, names)) from None

    @checked_call
    def value(self, expression: Any) -> Series:
        """Any expression of coordinates, rates, t and parameters along the motion."""
        made = as_expression(expression, [*self.system.graph.input], asked=f"expression of {self.model.name!r}")
        return Series(self._along(made), shown(str(made)), "", (), self.t, lambda run: run.value(made))

    def _along(self, expression: Expr) -> np.ndarray:
        return self.along([self.system.graph.add_expression(expression)])[:, 0]

    def along(self, nodes: list[int]) -> np.ndarray:
        """Values of nodes of the graph at all outputs."""
        function = Function(self.system, nodes)
        return np.array([function(t, q, v) for t, q, v in zip(self.t, self.q, self.v)]).reshape(len(self.t), len(nodes))

    @checked_call
    def rate(self, name: str) -> Series:
        """Rates of a coordinate."""
        return Series(self.v[:, self._coordinate(name)], f"rate({name})", "", (), self.t, lambda run: run.rate(name))

    @checked_call
    def acceleration(self, name: str) -> Series:
        """Second rates of a coordinate."""
        k = self._coordinate(name)
        return Series(self.a[:, k], f"acceleration of {name}", "", (), self.t, lambda run: run.acceleration(name))

    @checked_call
    def reaction(self, name: str) -> Series:
        """Generalized reaction of a row on each coordinate, -J^T lam."""
        if not isinstance(name, str) or name not in self.system.row_names:
            raise MethodError(
                f"reaction of {shown(name)}",
                "no such row",
                "rows are constraints",
                nearest(name, self.system.row_names),
            )
        r = self.system.row_names.index(name)
        jac = self.along(self.system.nodes.jac[r])
        return Series(-jac * self.lam[:, [r]], f"reaction of {name}", "", self.model.q, self.t)

    def _coordinate(self, name: str) -> int:
        if not isinstance(name, str) or name not in self.model.q:
            raise MethodError(f"coordinate {shown(name)}", "no such coordinate", "", nearest(name, self.model.q))
        return self.model.q.index(name)

    # -- parts and momentum --------------------------------------------------------------------------------------------

    def motion(self, name: str) -> Kinematics:
        """Motion of a particle or of the mass centre of a body, in space axes."""
        if name not in self._motions:
            self._motions[name] = motion_of(self, self.model.parts[name])
        return self._motions[name]

    @cached_property
    def flat(self) -> bool:
        """Whether all parts move in the plane x, y and turn about z."""
        motions = [self.motion(name) for name in self.model.parts]
        turned = [
            k.rotation[:, 2, 2]
            for name, k in zip(self.model.parts, motions)
            if isinstance(self.model.parts[name], RigidBody)
        ]
        return all(np.all(k.position[:, 2] == 0.0) for k in motions) and all(
            np.all(np.abs(x - 1.0) < 1e-12) for x in turned
        )

    @cached_property
    def matter(self) -> list[Matter]:
        """Every particle and body over time, with its mass and inertia."""
        return matter_of(self)

    @checked_call
    def group(self, *bodies: Any) -> Any:
        """Some parts together: `run.group("bob", "cart").momentum`, `.center`, `.angular_momentum(about=...)`, `.mass`; default: all of them."""
        given = self.model.own_kinetic
        if not bodies and (not self.model.parts or given != ZERO):
            found = (
                "no particles or bodies"
                if not self.model.parts
                else f"the kinetic energy holds {given} besides the parts"
            )
            raise MethodError(
                f"momentum of {self.model.name!r}", found, "momentum needs masses and where they are; an energy does not tell",
                "state the system by m.particle(...) and m.body(...), or name the parts: run.group('bob')",
            )  # fmt: skip
        return super().group(*bodies)

    @cached_property
    def work(self) -> Works:
        """Work of everything that acts, by name, since the first output [J]: "potential", loads, "dissipation", "constraints", …; it adds up to T - T0."""
        return works(self)

    def point_named(self, asked: str, x: Any) -> Any:
        """Motion of a part."""
        name = getattr(x, "name", x)
        if isinstance(name, str) and name in self.model.parts:
            return self[name]
        known = [*self.model.parts, "center"]
        raise MethodError(
            asked, f"about = {shown(x)}", nearest(name, known), "name a part or 'center', or give coordinates"
        )

    def moving_number(self, asked: str, x: Any) -> tuple[Any, Any]:
        """Values and rates of a number or an expression of coordinates, rates and time."""
        return moving_number(self, asked, x)

    # -- energy and audit ----------------------------------------------------------------------------------------------

    @cached_property
    def energy(self) -> LagrangianEnergy:
        """Energies at the output times."""
        nodes = self.system.nodes
        x = self.along([nodes.kinetic, nodes.potential, *nodes.momenta])
        jacobi = np.einsum("ti,ti->t", x[:, 2:], self.v) - x[:, 0] + x[:, 1]
        series = [
            Series(values, what, "J", (), self.t)
            for what, values in zip(("kinetic", "potential", "jacobi"), (x[:, 0], x[:, 1], jacobi))
        ]
        return LagrangianEnergy(*series)

    @cached_property
    def conserved(self) -> Constants:
        """Constants of the motion (see `dalembert.conserved`) along this run, by name; printing shows how well they are kept."""
        from ..symbolic.conserved import conserved

        found = conserved(self.model)
        return Constants({c.name: Series(self.value(c.expression), c.name, "", (), self.t) for c in found})

    @property
    def velocity_names(self) -> list[str]:
        """Names of the columns of v."""
        return [f"rate({x})" for x in self.model.q]

    @property
    def kinds_of_velocity(self) -> np.ndarray:
        """Every coordinate is of its own kind: nothing is known of their units."""
        return np.arange(len(self.model.q))

    @property
    def unit_of_velocity(self) -> np.ndarray:
        """What the absolute tolerance of each velocity counts in: its own unit."""
        return np.ones(len(self.model.q))

    def _audited(self) -> Any:
        from .lagrangian_audit import audit

        return audit(self)

    def point(self, k: int, work: Any = None) -> Any:
        """The system at output k, with the sides of its switches there."""
        from ..analyses.lagrangian.point import Point

        work = self.system.workspace() if work is None else work
        if self.sides is not None:
            work.side[:], work.frozen[0] = self.sides[k], 1.0
        return Point(self.system, self.t[k], self.q[k], self.v[k], work)

    def check_equations(self, asked: str) -> None:
        """Refuse a result whose accelerations and multipliers do not satisfy the equations at all outputs."""
        from ..analyses.lagrangian.guard import of_run

        of_run(self).refuse(asked, when=True)

    # -- other times ---------------------------------------------------------------------------------------------------

    @checked_call
    def at(self, t: float) -> State:
        """State at any time of the run: a step of the method from the last accepted step before it, projected."""
        from ..analyses.lagrangian.guard import check_output

        t = self._check_time(t)
        kept, n, k = self.trace.kept, self.system.n, self._step_before(t)
        q, v = kept.y[k, :n].copy(), kept.y[k, n:].copy()
        if kept.t[k] != t:
            out = self._one_step(k, q, v, t)
            q, v = out.q[0].copy(), out.v[0].copy()
            check_output(self, t, out, f"state of {self.model.name!r} at t = {t:g} s")
        return State(t, q, v)

    @checked_call
    def instant(self, t: float) -> Any:
        """Coordinates and parts at any time of the run, with rates and second rates; see `instant`."""
        from ..analyses.instant import instant

        return instant(self.model, self.at(t))

    @checked_call
    def resample(self, times: Any) -> LagrangianResult:
        """The same run at other times."""
        listed = np.atleast_1d(np.asarray(times, dtype=object)).ravel()
        if not len(listed):
            raise MethodError("resample", "no times", "there is nothing to compute", "give a time or a list of times")
        states = [self.at(t) for t in listed]
        y = np.array([np.concatenate([s.q, s.v]) for s in states])
        made = type(self)._at_states(
            self.prepared, self.problem, np.array([s.t for s in states]), y, segments=self.trace.segments
        )
        made.trace, made.complete = self.trace, self.complete
        made.check_equations(f"resample of {self.model.name!r}")
        return made

    @checked_call
    def crossings(self, quantity: Any, value: float = 0.0, direction: int = 0) -> np.ndarray:
        """Times at which a coordinate, a row's multiplier or an expression crosses a value, located on the motion itself."""
        from .crossings import crossings

        return crossings(self, self[quantity] if isinstance(quantity, str) else quantity, value, direction)

    # -- files and pictures --------------------------------------------------------------------------------------------

    @property
    def angles(self) -> np.ndarray:
        """Counted angles; there are none here."""
        return np.zeros((len(self.t), 0))

    def quantities(self) -> Iterator[tuple[tuple[str, ...], Series]]:
        """Every labelled array with its path in a file."""
        from .files import ENERGY

        for name in (*self.model.q, *self.system.row_names):
            yield ("", name), self[name]
        for name in self.model.parts:
            part = self[name]
            shown = "angle" if self.flat else "quaternion"
            turning = (shown, "rotation", "spin", "spin_rate") if isinstance(part.part, RigidBody) else ()
            for what in ("position", "velocity", "acceleration", *turning):
                yield (name, what), getattr(part, what)
        for kind in ("kinetic", "potential", "jacobi"):
            yield (ENERGY, kind), getattr(self.energy, kind)

    def about(self) -> dict[str, Any]:
        """What a file says of the system."""
        return {
            "plane": False, "bodies": list(self.model.parts), "coordinates": list(self.model.q), "parts": {}, "joints": [],
            "drivers": [], "forces": [], "parameters": self.model.parameters, "gravity": [], "length": 1.0,
        }  # fmt: skip

    def panels(self, what: tuple[Any, ...]) -> list[Any]:
        """Panels of a picture: functions that draw into axes."""
        from .plot import LINES, draw_series

        groups: list[tuple[list[Any], str]] = []
        for item in what:
            found = self[item] if isinstance(item, str) else item
            found = found.position if isinstance(found, MovingPart) else found
            if not isinstance(found, Series) or np.ndim(found) < 1:
                why = "a coordinate, a row, a part or a column of this run is needed"
                raise MethodError("plot", f"{shown(item)}", why, "give for example 'theta', or run['theta']")
            groups.append(([found], found.name))
        if not what:
            rows = [self[name] for name in self.system.row_names]
            groups.append(([self[name] for name in self.model.q], "coordinates"))
            groups += [(rows, "multipliers")] if rows else []
            groups.append(([self.energy.kinetic, self.energy.potential], "energies"))
        return [
            lambda axes, units, found=found, title=title: draw_series(axes, found[:LINES], title, units)
            for found, title in groups
        ]

    @checked_call
    def table(self, rows: int = 6, units: Any = None) -> str:
        """Short text table of the motion; coordinates have no known unit, `units="ms"` changes the times."""
        from .in_units import units_of
        from .table import pick_rows

        picks: Any = pick_rows("table", rows, len(self.t)) if len(self.t) else []
        time, factor = units_of("table", self, units).of("s")
        names = [*self.model.q, *self.system.row_names][:7]
        lines = ["  ".join([f"{'t' if factor == 1.0 else f't [{time}]':>10}", *(f"{name:>14}" for name in names)])]
        for k in picks:
            numbers = [*self.q[k], *self.lam[k]][: len(names)]
            lines.append("  ".join([f"{self.t[k] * factor:>10.4g}", *(f"{x:>14.6g}" for x in numbers)]))
        return "\n".join(lines)
