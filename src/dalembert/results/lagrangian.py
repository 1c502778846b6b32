"""Result of a Lagrangian system over time, by names of coordinates, rows, parts, or any expression of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import MethodError, ModelError, checked_call, nearest, shown
from ..model.events import Shared
from ..model.expression import Call, Expr, as_expression, fold
from ..model.expression.derivative import ZERO
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.parts import Particle, RigidBody
from ..system.lagrange import Function, LagrangeSystem
from .in_units import units_of
from .lagrangian_parts import (
    MovingLoad,
    MovingPart,
    energy_gained,
    flow_of,
    motion_of,
    rates_along,
    slopes_of,
    works,
)
from .matter import Matter
from .moving import Kinematics
from .record import Record
from .saved import ENERGY
from .series import Series
from .table import TextTable, pick_rows
from .work import Works

if TYPE_CHECKING:
    from .matter import Group


class Constants(dict[str, Series]):
    """Constants of the motion over time, by name, with the largest sum of the sizes of their terms."""

    def __init__(self, found: dict[str, Series], sizes: dict[str, float]) -> None:
        super().__init__(found)
        self.sizes = sizes

    @property
    def drift(self) -> dict[str, float]:
        """Largest change of each since the start, relative to its terms: an energy that is zero is T = -V."""
        change = {name: float(np.max(np.abs(x - x[0]), initial=0.0)) for name, x in self.items()}
        return {name: x / (self.sizes[name] or 1.0) for name, x in change.items()}

    def __str__(self) -> str:
        if not self:
            return "no constants of the motion were found"
        width, drift = max(map(len, self)), self.drift
        lines = (f"{name:<{width}}  {float(x[0]):>14.8g}  kept to {drift[name]:.1e}" for name, x in self.items())
        return "\n".join(lines)

    __repr__ = __str__


def _sizes(x: Expr) -> Expr:
    """Sum of the sizes of the terms of an expression."""

    def of(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        if not isinstance(node, Call) or node.function not in ("+", "-", "neg", "*", "/"):
            return Call("abs", (node,))
        return parts[0] if node.function == "neg" else Call("+" if node.function == "-" else node.function, parts)

    return fold(x, of)


@dataclass(eq=False, repr=False)
class LagrangianResult(Record):
    """Motion of a Lagrangian system.

    `run["theta"]` are the values of a coordinate, with `.rate` its rates; `run["row"]` the multiplier of a row; `run["bob"].position` the
    path of a part, with `.velocity`, `.acceleration`, and of a body `.rotation`, `.spin`; `run["m*g*cos(theta)"]` any expression.  `q`, `v`, `a`, `lam` are the arrays (time, coordinate or row).
    """

    system: LagrangeSystem = field(repr=False)
    plane: ClassVar[bool] = False  # vectors have three components, wherever the parts move

    # -- access --------------------------------------------------------------------------------------------------------

    @property
    def model(self) -> Lagrangian:
        """The system."""
        return self.system.model

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters."""
        return {name: x for name, x in self.model.parameters.items() if name in self.system.given_names}

    @property
    def lam(self) -> np.ndarray:
        """Multipliers (time, rows)."""
        return self.basic_lam

    @property
    def slipping(self) -> dict[str, np.ndarray]:
        """Forces of friction that slips, as multipliers of the rows that it has where it sticks."""
        ways, found = dict(self.model.situation.slips), {}
        for one in (one for one in self.model.frictions if ways.get(one.name)):
            size = self._size_of(one, self.basic_lam) * self._along(one.factor(ways[one.name]))
            found[one.name] = ways[one.name] * size
        return found

    def _size_of(self, friction: Any, lam: np.ndarray) -> Any:
        """Size of a force that slips, but for its factor; mu |x| with x of the multipliers (time, rows)."""
        value, way = self.model.value, dict(self.model.situation.slips).get(friction.name)
        least = friction.holding(value) if isinstance(way, Shared) else friction.kinetic(value)
        if friction.mu is None:
            return least
        own, (pad,) = lam[:, [self.system.row_names.index(row) for row in friction.pressed_by]], friction.pads(value)
        x = [sum(c * own[:, k] for c, k in component) for component in pad.components]
        return least * np.linalg.norm(x, axis=0)

    def _set_angles(self, work: Any, k: int) -> None:
        """With the sizes of friction that slips, which stand among the parameters."""
        super()._set_angles(work, k)
        if self.model.frictions:
            work.F[: len(self.model.parameters)] = self._parameters_at(k)

    def _sizes_at(self, k: int) -> dict[str, float]:
        """Sizes of friction that slips at output k, by the names that they have among the parameters."""
        return {
            one.size_name: self._size_of(one, self.basic_lam[k : k + 1])[0]
            for one in self.model.frictions
            if one.mu is not None and one.size_name in self.model.parameters
        }

    def _parameters_at(self, k: int) -> np.ndarray:
        return np.array(list((self.model.parameters | self._sizes_at(k)).values()))

    @checked_call
    def __getitem__(self, key: Any) -> Any:
        model = self.model
        if isinstance(key, str) and key in model.q:
            k = model.q.index(key)
            return Series(self.q[:, k], key, "", (), self.t, lambda run: run[key], self.rate(key))
        if isinstance(key, str) and key in self.system.row_names:
            k = self.system.row_names.index(key)
            return Series(self.lam[:, k], f"multiplier of {key}", "", (), self.t, lambda run: run[key])
        if isinstance(key, str) and key in self._with_multiplier:
            return Series(self.slipping[key], f"multiplier of {key}", "", (), self.t, lambda run: run[key])
        if isinstance(key, str) and key in model.parts:
            return MovingPart(self, key)
        if isinstance(key, str) and key in model.loads:
            return MovingLoad(self, key)
        try:
            return self.value(key)
        except ModelError as error:
            names = [*model.q, *self._with_multiplier, *model.parts, *model.loads]
            if not isinstance(key, str) or not key.isidentifier():
                raise
            raise ModelError(f"result {shown(key)}", error.found, error.why, nearest(key, names)) from None

    @checked_call
    def value(self, expression: Any) -> Series:
        """Any expression of coordinates, rates, t and parameters along the motion."""
        made = as_expression(expression, self.system.given_names, asked=f"expression of {self.model.name!r}")
        return Series(self._along(made), shown(str(made)), "", (), self.t, lambda run: run.value(made))

    def _along(self, expression: Expr) -> np.ndarray:
        return self.along([self.system.graph.add_expression(expression)])[:, 0]

    def along(self, nodes: list[int]) -> np.ndarray:
        """Values of nodes of the graph at all outputs."""
        function, sized = Function(self.system, nodes), bool(self.model.frictions)
        found = []
        for k, state in enumerate(zip(self.t, self.q, self.v)):
            found.append(function(*state, self._parameters_at(k) if sized else None))
        return np.array(found).reshape(len(self.t), len(nodes))

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
        """Generalized reaction of a row or of friction on each coordinate, -J^T lam."""
        if not isinstance(name, str) or name not in self._with_multiplier:
            known = nearest(name, self._with_multiplier)
            raise MethodError(f"reaction of {shown(name)}", "no such row", "rows are constraints", known)
        lam = np.asarray(self[name])[:, None]
        return Series(-slopes_of(self, name) * lam, f"reaction of {name}", "", self.model.q, self.t)

    @property
    def _with_multiplier(self) -> list[str]:
        """Rows, and friction that slips and has none."""
        return [*self.system.row_names, *(name for name, way in self.model.situation.slips if way)]

    def _coordinate(self, name: str) -> int:
        if not isinstance(name, str) or name not in self.model.q:
            known = nearest(name, self.model.q)
            raise MethodError(f"coordinate {shown(name)}", "no such coordinate", "it names none of them", known)
        return self.model.q.index(name)

    # -- parts and momentum --------------------------------------------------------------------------------------------

    def motion(self, name: str) -> Kinematics:
        """Motion of a particle or of the mass centre of a body, in space axes."""
        key = ("motion", name)
        if key not in self._cache:
            self._cache[key] = motion_of(self, self.model.parts[name])
        return self._cache[key]  # type: ignore[no-any-return]

    @cached_property
    def flat(self) -> bool:
        """Whether all parts move in the plane x, y and turn about z."""
        # particles have the rotation 1
        motions = [self.motion(name) for name in self.model.parts]
        upright = (np.all(np.abs(k.rotation[:, 2, 2] - 1.0) < 1e-12) for k in motions)
        return all(np.all(k.position[:, 2] == 0.0) for k in motions) and all(upright)

    def _each_matter(self) -> Iterator[Matter]:
        asked, add = f"momentum of {self.model.name!r}", self.system.graph.add_expression
        for part in self.model.parts.values():
            entries = [x for row in part.inertia for x in row] if isinstance(part, RigidBody) else []
            numbers = self.along([add(x) for x in (part.mass, *entries)])
            if len(numbers) and np.ptp(numbers, axis=0).max() > 1e-12 * np.abs(numbers).max():
                raise MethodError(
                    asked, f"mass or inertia of {part.name!r} changes along the run", "momentum of a changing mass is not defined here",
                    "use run['expression'] for what is meant",
                )  # fmt: skip
            first = numbers[0] if len(numbers) else np.zeros(1 + len(entries))
            inertia = first[1:].reshape(3, 3) if entries else np.zeros((3, 3))
            yield Matter(**vars(self.motion(part.name)), name=part.name, mass=float(first[0]), inertia=inertia)

    @checked_call
    def group(self, *bodies: Any) -> Group:
        """Some parts together: `run.group("bob", "cart").momentum`, `.center`, `.angular_momentum(about=...)`, `.mass`; default: all of them."""
        given = self.model.given_energies["kinetic"]
        if not bodies and (not self.model.parts or given != ZERO):
            found = (
                f"the kinetic energy holds {given} besides the parts" if self.model.parts else "no particles or bodies"
            )
            raise MethodError(
                f"momentum of {self.model.name!r}", found, "momentum needs masses and where they are; an energy does not tell",
                "state the system by m.particle(...) and m.body(...), or name the parts: run.group('bob')",
            )  # fmt: skip
        return super().group(*bodies)

    def _works(self) -> Works:
        return works(self)

    def point_named(self, asked: str, x: Any) -> Any:
        """Motion of a part."""
        name = getattr(x, "name", x)
        if isinstance(name, str) and name in self.model.parts:
            return self[name]
        known = nearest(name, [*self.model.parts, "center"])
        raise MethodError(asked, f"about = {shown(x)}", known, "name a part or 'center', or give coordinates")

    def over_time(self, asked: str, x: str | Expr) -> tuple[np.ndarray, np.ndarray]:
        """Values and rates of an expression of coordinates, rates and time."""
        made = as_expression(x, self.system.given_names, asked=asked)
        value, rate = rates_along(self, [self.system.graph.add_expression(made)])
        return value[:, 0], rate[:, 0]

    # -- energy and audit ----------------------------------------------------------------------------------------------

    def _energies(self) -> dict[str, np.ndarray]:
        """With q' dL/dq' - L, which is T + V where T is quadratic in the rates."""
        nodes = self.system.nodes
        x = self.along([nodes.kinetic, nodes.potential, *nodes.momenta])
        jacobi = np.einsum("ti,ti->t", x[:, 2:], self.v) - x[:, 0] + x[:, 1]
        return {"kinetic": x[:, 0], "potential": x[:, 1], "jacobi": jacobi}

    @cached_property
    def conserved(self) -> Constants:
        """Constants of the motion (see `dalembert.conserved`) along this run, by name; printing shows how well they are kept."""
        from ..symbolic.conserved import conserved

        found = conserved(self.model.origin)
        values = {c.name: Series(self.value(c.expression), c.name, "", (), self.t) for c in found}
        return Constants(values, {c.name: float(np.max(self.value(_sizes(c.expression)))) for c in found})

    def _energy_gained(self) -> tuple[np.ndarray, float, float]:
        return energy_gained(self)

    # -- one output ------------------------------------------------------------------------------------------------------

    def part_named(self, name: Any) -> Any:
        """Motion of a particle or body, a load, the multiplier of a row or of friction; None for coordinates and expressions."""
        name = name.name if isinstance(name, Particle) else name
        named = [*self.model.parts, *self.model.loads, *self._with_multiplier]
        return self[name] if isinstance(name, str) and name in named and name not in self.model.q else None

    def rates_of(self, asked: str, what: Any, second: bool) -> tuple[float, float, float]:
        """Value, rate and second rate of an expression of coordinates and time at the first output."""
        e = as_expression(what, self.system.given_names, tables=self.model.tables, asked=asked)
        rate = next((name for name in sorted(e.names) if name.startswith("rate(")), None)
        if rate is not None:
            why = "values are asked of expressions of coordinates and time"
            raise MethodError(asked, f"{rate} in {shown(str(e))}", why, f"ask x.rate({rate[5:-1]!r}) for it")
        graph = self.system.graph
        node = graph.add_expression(e)
        values, rates = rates_along(self, [node, *graph.forward([node], flow_of(self))])
        return float(values[0, 0]), float(values[0, 1]), float(rates[0, 1])

    # -- files and pictures --------------------------------------------------------------------------------------------

    def quantities(self) -> Iterator[tuple[tuple[str, ...], Series]]:
        """Every labelled array with its path in a file."""
        for name in (*self.model.q, *self.system.row_names):
            yield ("", name), self[name]
        for name in self.model.parts:
            part = self[name]
            shown = "angle" if self.flat else "quaternion"
            turning = (shown, "rotation", "spin", "spin_rate") if isinstance(part.part, RigidBody) else ()
            for what in ("position", "velocity", "acceleration", *turning):
                yield (name, what), getattr(part, what)
        for name, load in self.model.loads.items():
            for what in ("force" if load.position is not None else "torque", "power"):
                yield (name, what), getattr(self[name], what)
        for kind in ("kinetic", "potential", "jacobi"):
            yield (ENERGY, kind), getattr(self.energy, kind)

    def about(self) -> dict[str, Any]:
        """What a file says of the system."""
        return {
            "plane": False, "bodies": list(self.model.parts), "coordinates": list(self.model.q), "parts": {}, "joints": [],
            "drivers": [], "forces": [], "parameters": self.parameters, "gravity": [], "length": 1.0,
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
        picks: Any = pick_rows("table", rows, len(self.t)) if len(self.t) else []
        time, factor = units_of("table", self, units).of("s")
        names = [*self.model.q, *self.system.row_names][:7]
        lines = ["  ".join([f"{'t' if factor == 1.0 else f't [{time}]':>10}", *(f"{name:>14}" for name in names)])]
        for k in picks:
            numbers = [*self.q[k], *self.lam[k]][: len(names)]
            lines.append("  ".join([f"{self.t[k] * factor:>10.4g}", *(f"{x:>14.6g}" for x in numbers)]))
        return TextTable("\n".join(lines))
