"""The result of a simulation: times, states, everything by name, audit, interpolation, crossings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MethodError, ModelError, checked_call, nearest, shown
from ..kernels.operate import INPUTS, operate
from ..model.arguments import is_part
from ..model.auxiliary import Auxiliary
from ..model.body import Body
from ..model.expression import Expr, Number, as_expression
from ..model.frame import Point
from ..model.joints._coupling import bodies_of
from ..model.joints._rolling import Rolling
from ..model.joints.cam import Cam
from ..model.measure import Measure
from ..model.mechanism import GROUND, Mechanism
from ..model.touching import Touching
from ..system.geometry import Attached
from ..system.outputs import Pass
from ..system.rows import mass_records, slots_of, unscaled_jacobian
from ..system.system import System, observing
from .assumptions import notes
from .balance import Balance, balance, sampled
from .matter import Matter
from .moving import Kinematics, about_z, matrices
from .parts import BodyResult, LoadResult
from .reactions import least_multipliers
from .record import Record
from .saved import ENERGY
from .series import Series
from .table import table
from .touching import CamResult, ContactResult, TouchResult
from .work import Works, energies, energy_gained, works

if TYPE_CHECKING:
    from ..model.driver import Driver
    from ..model.events import Impact
    from ..model.forces._rubbing import Rub
    from ..model.part import Part


KINDS = ("joint", "impact", "driver", "force")


@dataclass(repr=False)
class Result(Record):
    """Result of `simulate`.

    `run.t` are the output times; `run["crank"]`, `run["A"]`, `run["motor"]`, `run[measure]` give parts and measures by name;
    `run.energy`, `run.momentum`, `run.center`, `run.angular_momentum(about=...)`, `run.audit`, `run.at(t)`, `run.crossings(...)`,
    `run.save(path)`, `run.plot()`.
    """

    system: System = field(repr=False)

    @cached_property
    def _compliant(self) -> tuple[Any, ...]:
        from .compliant import compliant_events

        forward = len(self.t) > 1 and float(self.t[-1]) > float(self.t[0])
        return tuple(compliant_events(self)) if forward and not self.driven else ()

    # -- access ------------------------------------------------------------------------------------------------------

    @property
    def model(self) -> Mechanism:
        """The mechanism."""
        return self.system.model

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters in the run, and of those that the model got afterwards."""
        return {**self.model.parameters, **self.system.builder.drawing.values}

    @property
    def plane(self) -> bool:
        """Whether the motion is planar."""
        return self.system.plane

    @checked_call
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Measure):
            return self.measure(key)
        if isinstance(key, Body) or is_part(key):
            key = key.name
        part = self.model[key]
        if isinstance(part, Measure):
            return self.measure(part)
        self._refuse_late(repr(key), part)
        if isinstance(part, Body):
            if part.is_ground:
                why = "it has no motion to report"
                raise ModelError("result of 'ground'", "the ground does not move", why, "ask for a moving body")
            return BodyResult(self, part)
        if not is_part(part):
            do = "ask for a body, joint, force or measure"
            raise ModelError(f"result of {key!r}", f"{part!r}", "a parameter has no result", do)
        kinds = ((Rolling, ContactResult), (Cam, CamResult), (Touching, TouchResult))
        return next((made for kind, made in kinds if isinstance(part, kind)), LoadResult)(self, part)

    def has(self, part: Any) -> bool:
        """Whether a body, joint, driver or force took part in the run: parts may be added to a mechanism later."""
        if isinstance(part, Body):
            return part in self.system.builder.index
        return not (is_part(part) or isinstance(part, Auxiliary)) or part.name in self._part_names

    def bodies_of(self, part: Part | Driver | Rub) -> list[Body]:
        """Bodies of a part that took part in the run: a field may act on all bodies that there are."""
        return [body for body in part.bodies if self.has(body)]

    @cached_property
    def _part_names(self) -> set[str]:
        builder = self.system.builder
        gaps = (stop.part for stop in self.system.model.impacts.values() if stop.name in self.system.row_parts)
        laws = (law.part for law in builder.laws)
        return {*self.system.row_parts, *gaps, *laws, *(state.name for state in builder.states)}

    @checked_call
    def parts(self, kind: str) -> list[Any]:
        """Joints, drivers, forces or measures of the run, in the order of the model."""
        return [part for part in self.model.parts(kind) if self.has(part)]

    @checked_call
    def kinematics(self, body: Body) -> Kinematics:
        """Motion of a body (the ground rests)."""
        body = self._own("kinematics", body)
        if not isinstance(body, Body):
            raise ModelError("kinematics", f"{shown(body)}", "a body is needed", "give run.model['bar']")
        if ("kinematics", body) not in self._cache:
            self._cache["kinematics", body] = self._kinematics(body)
        return self._cache["kinematics", body]  # type: ignore[no-any-return]

    def motion(self, name: str) -> Kinematics:
        """Motion of a body by its name."""
        ground = self.model.ground
        return self.kinematics(ground if name == GROUND else self.system.builder.bodies[self.system.body_index(name)])

    def _own(self, asked: str, part: Any) -> Any:
        """A part of the model, by itself or by its name."""
        if isinstance(part, str):
            return self.model[part]
        if not isinstance(part, Body) and not is_part(part):
            found = f"{shown(part)} of type {type(part).__name__}"
            raise ModelError(f"{asked} of a part", found, "a part of the mechanism is needed", "give run.model['A']")
        return part

    def _kinematics(self, body: Body) -> Kinematics:
        n = len(self.t)
        if body.is_ground:
            rest = np.zeros((n, 3))
            return Kinematics(rest, rest, rest, np.broadcast_to(np.eye(3), (n, 3, 3)), rest, rest)
        b = self.system.builder.body_index(body)
        if self.plane:
            x, v, a = (y[:, 3 * b : 3 * b + 3] for y in (self.q, self.v, self.a))
            flat = lambda y: np.column_stack([y[:, :2], np.zeros(n)])  # noqa: E731
            turn = lambda y: np.column_stack([np.zeros((n, 2)), y[:, 2]])  # noqa: E731
            return Kinematics(flat(x), flat(v), flat(a), about_z(x[:, 2]), turn(v), turn(a), angle=x[:, 2])
        x, v, a = self.q[:, 7 * b : 7 * b + 7], self.v[:, 6 * b : 6 * b + 6], self.a[:, 6 * b : 6 * b + 6]
        rotation = matrices(x[:, 3:])
        # omega = A omega', alpha = A omega'' since omega x omega = 0
        omega, alpha = (np.einsum("tij,tj->ti", rotation, y[:, 3:]) for y in (v, a))
        return Kinematics(x[:, :3], v[:, :3], a[:, :3], rotation, omega, alpha, quaternion=x[:, 3:])

    @cached_property
    def lam(self) -> np.ndarray:
        """Multipliers (time, rows); of redundant rows those with the smallest loads (see `reactions.py`)."""
        dropped = [] if self.prepared is None else list(self.prepared.dropped)
        if not dropped:
            return self.basic_lam
        return least_multipliers(self, self.basic_lam, dropped)

    # -- loads -------------------------------------------------------------------------------------------------------

    def marker(self, part: Any, body: Body) -> Attached:
        """Frame of a part on one of its bodies, in numbers."""
        drawing = self.system.builder.drawing
        markers: Any = getattr(part, "markers", ())  # a driver has none
        if len(markers) >= 2:
            pair = drawing.attach(markers[0], markers[-1])
            for a in (pair[1], pair[0]):
                if a.body is body:
                    return a
        for m in markers:
            if m.body is body:
                return drawing.attach(m, m)[0]
        return Attached(body, np.zeros(3), lambda: np.eye(3))

    @cached_property
    def _row_wrenches(self) -> np.ndarray:
        """(time, slot, 6): force and moment in space axes, about the mass centre, of a unit multiplier of each row on each body."""
        return self.wrenches_at(slice(None))

    def wrenches_at(self, picks: Any) -> np.ndarray:
        """The same at some outputs."""
        system, width = self.system, self.system.builder.width
        _, bodies, places, _ = slots_of(system)
        first, last = system.numbering.places["jac"]
        run = Pass(system, system.workspace(), copied=(first, last))
        sides = None if self.sides is None else self.sides[picks]
        given = (self.angles[picks], self.z[picks], sides, self.forces[picks], self.basic_lam[picks], self.a[picks])
        q = self.q[picks]
        _, copies = run(self.t[picks], q, self.v[picks], given)
        scaled = copies.take((places - first)[:, None] + np.arange(width), axis=1)  # (time, slot, width)
        found = np.zeros((len(q), len(bodies), 6))
        mass = mass_records(system)
        if self.plane:
            # the true wrench is G times the scaled one, G = diag(g, g, h) of the body
            found[:, :, :2] = scaled[:, :, :2] * mass[bodies, 2, None]
            found[:, :, 5] = scaled[:, :, 2] * mass[bodies, 4]
            return found
        found[:, :, :3] = scaled[:, :, :3] * mass[bodies, 2, None]
        lower = np.zeros((len(mass), 3, 3))
        lower[:, [0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2]] = mass[:, 15:21]
        turned = np.einsum("sij,tsj->tsi", lower[bodies], scaled[:, :, 3:])
        for b in np.unique(bodies):
            mine, rotation = bodies == b, matrices(q[:, 7 * b + 3 : 7 * b + 7])
            found[:, mine, 3:] = np.einsum("tij,tsj->tsi", rotation, turned[:, mine])
        return found

    @cached_property
    def _remembers(self) -> bool:
        """Whether an evaluation needs more than q and v: turns that are counted, sides of switches, states."""
        return bool(self.angles.shape[1] or self.z.shape[1] or (self.sides is not None and self.sides.shape[1]))

    def _body_wrenches(self, part: Part | Driver) -> dict[int, np.ndarray]:
        key = ("wrench", part.name)
        if key in self._cache:
            return self._cache[key]  # type: ignore[no-any-return]
        system, slots = self.system, slots_of(self.system)
        found: dict[int, np.ndarray] = {}
        pairs = [(r, self.lam[:, r]) for r in system.rows_of(part.name)]
        for k, law in enumerate(system.builder.laws):
            if law.part == part.name:
                pairs.append((system.n_rows + law.row, self.forces[:, k]))
        for r, f in pairs:
            for s in slots.of(r):
                b = int(slots.body[s])
                found.setdefault(b, np.zeros((len(self.t), 6)))
                found[b] = found[b] - f[:, None] * self._row_wrenches[:, s]
        self._cache[key] = found
        return found

    def gap_forces(self, stops: tuple[Impact, ...]) -> np.ndarray:
        """Forces along gaps (time, gap), positive where they push apart; at one instant gaps that are open have no rows."""
        rows = [self.system.rows_of(stop.name)[:1] for stop in stops]
        return np.column_stack([-self.lam[:, r].sum(axis=1) for r in rows])

    @checked_call
    def load(self, part: Any, body: Body) -> tuple[np.ndarray, np.ndarray]:
        """Force on a body and torque about the point of the part on that body, in space axes (time, 3)."""
        part, body = self._own("load", part), self._own("load", body)
        wrenches = self._body_wrenches(part)
        place = self.marker(part, body)
        k = self.kinematics(body)
        point = k.position + k.rotation @ place.point
        if not body.is_ground:
            b = self.system.builder.body_index(body)
            w = wrenches.get(b, np.zeros((len(self.t), 6)))
            # moment about the point: n - u x f
            return w[:, :3], w[:, 3:] - np.cross(point - k.position, w[:, :3])
        force, torque = np.zeros((len(self.t), 3)), np.zeros((len(self.t), 3))
        for b, w in wrenches.items():
            centre = self.kinematics(self.system.builder.bodies[b]).position
            force -= w[:, :3]
            torque -= w[:, 3:] + np.cross(centre - point, w[:, :3])
        return force, torque

    @checked_call
    def effort(self, part: Any) -> np.ndarray:
        """Generalized force of a driver or a single-law element along its measure."""
        part = self._own("effort", part)
        rows = self.system.rows_of(part.name)
        laws = [k for k, law in enumerate(self.system.builder.laws) if law.part == part.name]
        found = -self.lam[:, rows] if rows else -self.forces[:, laws]
        if rows and len(laws) == len(rows):
            # dry friction: rows while it sticks, laws while it slips
            found = found - self.forces[:, laws]
        return found[:, 0] if found.shape[1] == 1 else found

    @checked_call
    def power(self, part: Any) -> np.ndarray:
        """Power of a part [W]."""
        part = self._own("power", part)
        builder = self.system.builder
        laws = [k for k, law in enumerate(builder.laws) if law.part == part.name]
        rows = self.system.rows_of(part.name)
        drivers = [self.system.n_laws + k for k, r in enumerate(self.system.driven_rows) if r in rows]
        return self.powers[:, laws + drivers].sum(axis=1)

    # -- measures ----------------------------------------------------------------------------------------------------

    @checked_call
    def measure(self, measure: Measure) -> Series:
        """Values of a measure at the output times; its `.rate` are the rates."""
        if isinstance(measure, str) and isinstance(self.model.find_measure(measure), Auxiliary):
            measure = self.model[measure]
        measure = measure if isinstance(measure, Measure) else self.model.read_coordinate("measure", measure)
        self.observe([measure])
        value, rate, _ = self._cache[self._measure_key(measure)]
        series = Series(value, measure.name, measure.unit, (), self.t, lambda r: r.measure(measure))
        again = lambda r: r.measure(measure).rate  # noqa: E731
        series.rate = Series(rate, f"rate({measure.name})", f"{measure.unit}/s", (), self.t, again)
        return series

    @checked_call
    def value(self, expression: Any) -> Series:
        """Any expression of measures, their rates, states, t and parameters at the output times: `run.value("rate(A.angle)*rate(b.x)")`."""
        asked = f"expression of {self.model.name!r}"
        made = self.model.read_law(asked, expression)
        parts = {name: name[5:-1] if name.startswith("rate(") else name for name in made.names}
        known = {name: self.model.find_measure(part) for name, part in parts.items()}
        self.observe([measure for measure in known.values() if measure is not None])
        columns = {}
        for name, measure in known.items():
            if measure is not None:
                series = self.measure(measure)
                columns[name] = np.asarray(series if parts[name] == name else series.rate)
        values = [
            made.evaluate({**self.parameters, "t": float(t), **{name: float(x[k]) for name, x in columns.items()}})
            for k, t in enumerate(self.t)
        ]
        return Series(np.array(values, dtype=float), shown(str(made)), "", (), self.t, lambda run: run.value(made))

    def _measure_key(self, measure: Measure) -> tuple[Any, ...]:
        """Key of a measure: parts give a new object each time they are asked, so those of the model are known by their names."""
        known = self.model.find_measure(measure.name)
        if known is not None and known.kind == measure.kind and known.expression is measure.expression:
            return ("measure", measure.name)
        return ("measure", measure)

    def measures(self) -> dict[str, Measure]:
        """All measures with a value of parts that took part in the run, and those that were named, also afterwards."""
        found = {name: self.model.find_measure(name) for name in self.model.measure_names()}
        return {name: m for name, m in found.items() if m is not None and not m.is_rate and self._took_part(name, m)}

    def _took_part(self, name: str, m: Measure) -> bool:
        """Whether all that a measure belongs to took part in the run."""
        owner = self.model._parts.get(name.rpartition(".")[0])
        return all(map(self.has, (m, owner, *bodies_of(self.model, [m]))))

    @checked_call
    def observe(self, measures: Iterable[Measure]) -> None:
        """Compute the values and rates of measures, all of them in one pass over the outputs; what is known already is kept."""
        listed = list(measures) if isinstance(measures, Iterable) and not isinstance(measures, str) else [measures]
        for m in listed:
            if not isinstance(m, Measure):
                raise ModelError("observe", f"{shown(m)}", "measures are needed", "give [run.model['A'].angle]")
        wanted = {self._measure_key(m): m for m in listed}
        wanted = {key: m for key, m in wanted.items() if key not in self._cache}
        for key, m in list(wanted.items()):
            if isinstance(m, Auxiliary):
                self._cache[key] = (*self._state_series(m), m)
                del wanted[key]
        if not wanted:
            return
        observer, angles, rows = self._observer(list(wanted.values()))
        places = observer.numbering.places
        first, last = places["value"][0], places["rate"][1]
        look = Pass(observer, observer.workspace(), copied=(first, last))
        _, copies = look(self.t, self.q, self.v, (angles, None, None, None, None, None))
        value, rate = (copies[:, [places[name][0] - first + r for r in rows]] for name in ("value", "rate"))
        for c, (key, measure) in enumerate(wanted.items()):
            # keeps the measure alive, so that its id stays its own
            self._cache[key] = (value[:, c].copy(), rate[:, c].copy(), measure)

    def _observer(self, measures: list[Measure]) -> tuple[System, np.ndarray, list[int]]:
        """Measures compiled for the bodies and the parameters of the run, whatever the model's are now; angles counted so far, and their rows."""
        for measure in measures:
            for body in bodies_of(self.model, [measure]):
                self._refuse_late(f"measure {measure.name!r}", body)
        observer = observing(self.system, tuple(measures), self.parameters)
        rows = [observer.n_rows + observer.builder.free_row(f"measure {m.name!r}", m) for m in measures]
        known, angles = self.system.builder.angles, np.zeros((len(self.t), len(observer.builder.angles)))
        for name, k in observer.builder.angles.items():
            if name in known:
                angles[:, k] = self.angles[:, known[name]]
        return observer, angles, rows

    def _refuse_late(self, asked: str, part: Part | Driver | Body | Auxiliary) -> None:
        if self.has(part):
            return
        if getattr(part, "stops", None):
            raise ModelError(
                f"result of {asked}", "a rigid contact that is open here, or that was added later", "what is open carries nothing, and has no load to ask for",
                "ask at a state in which it presses, or da.simulate the mechanism, whose run knows all contacts",
            )  # fmt: skip
        found = f"{'it' if repr(part.name) == asked else repr(part.name)} was added after this run"
        raise ModelError(f"result of {asked}", found, "the run knows nothing of it", "simulate the mechanism again")

    def _state_series(self, state: Auxiliary) -> tuple[np.ndarray, np.ndarray]:
        """Values and rates of an auxiliary state: its rate is a law."""
        names = [known.name for known in self.system.builder.states]
        self._refuse_late(repr(state.name), state)
        k = names.index(state.name)
        return self.z[:, k].copy(), self.forces[:, k].copy()

    # -- files -------------------------------------------------------------------------------------------------------

    def quantities(self) -> Iterator[tuple[tuple[str, ...], Series]]:
        """Every labelled array with its path in a file: (part, quantity), (part, body, quantity), ("", measure), (ENERGY, kind)."""
        # coordinates of bodies are their position and angle under another name
        bodies = set(self.system.body_names)
        measures = {name: m for name, m in self.measures().items() if name.rpartition(".")[0] not in bodies}
        self.observe(measures.values())
        turning = ("angle",) if self.plane else ("rotation", "quaternion")
        for name in self.system.body_names:
            for what in ("position", "velocity", "acceleration", "spin", "spin_rate", *turning):
                yield (name, what), getattr(self[name], what)
        for part in (part for kind in KINDS for part in self.parts(kind)):
            load = self[part.name]
            for body in self.bodies_of(part):
                for what in load._stored_on:
                    yield (part.name, body.name, what), getattr(load.on(body), what)
            for what in load._stored:
                yield (part.name, what), getattr(load, what)
            for what, measure in part.coordinates().items():
                if measure.is_rate and part.kind in ("joint", "impact"):
                    yield (part.name, what), getattr(load, what)
            yield (part.name, "power"), load.power
            if self.system.rows_of(part.name):
                yield (part.name, "multipliers"), load.multipliers
            if part.kind not in ("joint", "impact"):
                yield (part.name, "effort"), load.effort
        for name in measures:
            yield ("", name), self[name]
        for what in ("kinetic", "potential", "total"):
            yield (ENERGY, what), getattr(self.energy, what)

    def about(self) -> dict[str, Any]:
        """What a file says of the mechanism."""
        parts = {kind: self.parts(kind) for kind in KINDS}
        return {
            "plane": self.model.plane,
            "bodies": list(self.system.body_names),
            "parts": {x.name: [body.name for body in self.bodies_of(x)] for some in parts.values() for x in some},
            **{f"{kind}s": [x.name for x in some] for kind, some in parts.items()},
            "parameters": dict(self.system.builder.drawing.values),
            "gravity": [float(x) for x in self.system.builder.gravity],
            "length": float(self.system.length),
        }

    # -- momentum ----------------------------------------------------------------------------------------------------

    def _each_matter(self) -> Iterator[Matter]:
        drawing = self.system.builder.drawing
        for body in self.system.builder.bodies:
            k, p = self.kinematics(body), drawing.matter(body)
            inertia = np.zeros((3, 3)) if body.particle else np.asarray(p.inertia, dtype=float)
            if self.plane:
                # what products of inertia need across the plane, the plane carries (BASICS 8.5)
                inertia = np.diag([0.0, 0.0, inertia[2, 2]])
            yield Matter(**vars(k), name=body.name, mass=float(p.mass), inertia=inertia)

    def point_named(self, asked: str, x: Any) -> Any:
        """Motion of the origin of a body's frame, or of the point of a joint, driver or force on its last moving body."""
        part = self.model[x] if isinstance(x, str) and x in self.model else x
        if isinstance(part, Body):
            none = np.zeros((len(self.t), 3))
            return SimpleNamespace(position=none, velocity=none) if part.is_ground else self[part.name]
        if not is_part(part):
            known = [*self.system.body_names, *(j.name for j in self.parts("joint")), "center"]
            do = "name a body, a joint or 'center', or give coordinates"
            raise MethodError(asked, f"about = {shown(x)}", nearest(x, known), do)
        if not getattr(part, "markers", ()):
            why = "it acts at no single point"
            raise MethodError(asked, f"about = {part!r}", why, "give the coordinates of a point")
        body = [b for b in self.bodies_of(part) if not b.is_ground][-1]
        k = self.kinematics(body)
        u = k.rotation @ self.marker(part, body).point
        return SimpleNamespace(position=k.position + u, velocity=k.velocity + np.cross(k.omega, u))

    def over_time(self, asked: str, x: str | Expr | Measure) -> tuple[np.ndarray, np.ndarray]:
        """Values and rates of a measure, or of an expression of time and measures."""
        if not isinstance(x, Measure):
            made, values = as_expression(x, asked=asked), self.parameters
            if made.names <= {*values, "t"}:
                own = made.substitute({name: Number(v) for name, v in values.items() if name in made.names})
                value, rate = (np.array([e.evaluate({"t": float(t)}) for t in self.t]) for e in (own, own.diff("t")))
                return value, rate
            x = self.model.read_coordinate(asked, x)
        found = self.measure(x)
        return np.asarray(found), np.asarray(found.rate)

    def _works(self) -> Works:
        return works(self)

    @checked_call
    def balance(self, about: Any = None, of: Any = None) -> Balance:
        """Momentum and angular momentum against what acts from outside: dp/dt = F, dM_A/dt = m v_G x v_A + m_A.

        Parameters
        ----------
        about
            The point A, as for `angular_momentum`; default: the origin.
        of
            Name of a body, or a list of them; default: all bodies.
        """
        return balance(self, about, of)

    # -- audit -------------------------------------------------------------------------------------------------------

    def _energies(self) -> dict[str, np.ndarray]:
        """The potential energy is that of gravity and of springs that have one."""
        kinetic, potential = energies(self)
        return {"kinetic": kinetic, "potential": potential}

    def _energy_gained(self) -> tuple[np.ndarray, float, float]:
        return energy_gained(self)

    def _balance(self) -> float:
        return sampled(self)

    def _notes(self) -> tuple[Any, ...]:
        return (*notes(self), *super()._notes())

    # -- other times -------------------------------------------------------------------------------------------------

    def part_named(self, name: Any) -> Any:
        """Result of a body, point, joint, driver or force; None for what has a value: measures and expressions."""
        if isinstance(name, Point):
            return self[name.body.name].point(name)
        part = self.model._parts.get(name) if isinstance(name, str) else name
        return None if part is None or isinstance(part, Measure | Expr) else self[part]

    def rates_of(self, asked: str, what: Any, second: bool) -> tuple[float, float, float]:
        """Value, rate and second rate s'' = j a + b of a measure or an expression of measures at the first output."""
        state = self.model._parts.get(what) if isinstance(what, str) else what
        if isinstance(state, Auxiliary):
            if second:
                raise MethodError(
                    f"second rate of the state {state.name!r}", f"its rate is {state.law}", "a state has a rate, and no second one is computed",
                    "ask for .rate, or for second rates of the measures in its expression",
                )  # fmt: skip
            series = self[state]
            return float(series[0]), float(series.rate[0]), math.nan
        measure = self.model.read_coordinate(asked, what)
        system, angles, (r,) = self._observer([measure])
        n, work = system.numbering, system.workspace()
        work.angle[:], work.angle_time[0] = angles[0], self.t[0]
        operate(INPUTS, n.I, n.P, work.F, float(self.t[0]), self.q[0], self.v[0], np.zeros(system.nv), 0.0, 1)
        row = unscaled_jacobian(system, work, r, r + 1).toarray()[0]
        return float(work.value[r]), float(work.rate[r]), float(row @ self.a[0] + work.bias[r])

    @checked_call
    def table(self, rows: int = 6, units: Any = None) -> str:
        """Short text table of the motion; `units="mm, kN, deg"`, default those of the model."""
        return table(self, rows, units)
