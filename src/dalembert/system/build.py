"""From a mechanism to tables: rows, blocks, laws, expressions.  The one place that sees both the model and the kernels.

A `Builder` is given the parts of a mechanism one after the other (`collect.py`) and makes of them

    blocks   one per joint and driver: rows that are held, with the items that compute them
    free     rows that laws, composites and expressions need
    watched  angles in space whose turns are counted at accepted steps
    laws     force laws on free rows

`tables.number` puts everything in elimination order and writes the arrays of `kernels/layout.py`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import DalembertError, ModelError, nearest
from ..kernels import layout
from ..model.auxiliary import Auxiliary
from ..model.body import Body
from ..model.expression import Call, Expr, Number
from ..model.forces import Law
from ..model.measure import COMPOSITE, ROTATIONAL, Measure
from ..model.mechanism import Mechanism
from .collected import Block, Composite, FreeRow, Item, LawRow, Row, does_work
from .geometry import Attached, Drawing

_AXES = {"x": 0, "y": 1, "z": 2}
# a driver that may be handed over: inputs behind its name, whether it is, value, rate and second rate of its measure at an instant
HANDED, HANDED_OVER = ".handed_", ("on", "value", "rate", "second", "since")
# laws whose numbers decide about nothing but the values of forces
RENEWED = ("linear", "friction")
# rates of friction with several components below which its direction stays: this part of the model's length (or radians) in a second
SLOW = 1e-6


class Builder:
    """Collects blocks, free rows and laws of a mechanism."""

    def __init__(
        self, model: Mechanism, values: dict[str, float] | None = None, drawing: Drawing | None = None
    ) -> None:
        self.model = model
        self.drawing = Drawing(model, values) if drawing is None else drawing
        self.gravity = self.drawing.vector(model.gravity)  # as it is now: a model may be changed afterwards
        self.plane = model.plane
        self.width = 3 if model.plane else 6
        self.take_bodies(model.bodies)
        self.blocks: list[Block] = []
        self.free: list[FreeRow] = []
        self.laws: list[LawRow] = []
        self.states: list[Auxiliary] = []  # the first free rows and the first laws are theirs
        self.watched: list[tuple[str, Item, Row]] = []
        self.angles: dict[tuple[Any, ...], int] = {}
        self.points: list[tuple[int, np.ndarray]] = []  # points of bodies that rows and laws use, from the mass centre
        self._free_of: dict[tuple[Any, ...], int] = {}
        self.events: list[tuple[str, Expr, list[tuple[int, bool]], list[str], int]] = []  # what the time loop watches
        # stops that are closed, and the multipliers, by stop and weight, that what presses there is watched by
        self.loads: list[str] = []  # loads of parts that events watch, by component
        self.pressed: list[tuple[str, list[tuple[str, float]]]] = []
        # friction that sticks: what is left before it slips, of multipliers by part and number, and of free rows (or their rates)
        self.gripped: list[tuple[str, Expr, list[str], list[tuple[str, int]], list[tuple[int, bool]]]] = []

    def take_bodies(self, bodies: list[Body]) -> None:
        """Number the moving bodies; the ground comes last."""
        self.bodies, self.ground = bodies, len(bodies)
        self.mass_kinds: tuple[list[int], float] | None = None  # what `masses.py` finds out about them
        self.index = {body: k for k, body in enumerate((*bodies, self.model.ground))}

    def body_index(self, body: Body) -> int:
        """Number of a body; the ground is the last."""
        return self.index[body]

    # -- items -------------------------------------------------------------------------------------------------------

    def item(self, asked: str, measure: Measure) -> Item:
        """Kernel item of a measure that is not a composite."""
        assert measure.i is not None and measure.j is not None
        for marker in (measure.i, measure.j):
            if marker.body.particle and measure.kind in ROTATIONAL:
                self.model.refuse_particle(asked, marker.body, f"the row {measure.name!r}")
        a, b = self.drawing.attach(measure.i, measure.j)
        self._check_particle_points(asked, a, b)
        i, j = self.body_index(a.body), self.body_index(b.body)
        self.points += [(i, a.point), (j, b.point)]
        if i == j:
            raise ModelError(
                asked,
                f"{measure.name!r} joins {a.body.name!r} to itself",
                "a measure is between two bodies",
                "choose another body",
            )
        kind, par, rows, f = self._parameters(measure, a, b)
        n = 2 if self.plane else 3
        flat = tuple(float(x) for v in par for x in v[:n])
        if not all(map(math.isfinite, flat)):
            raise ModelError(
                asked,
                f"{measure.name!r} with the numbers {flat}",
                "numbers this large cannot be computed with",
                "check its points and those of its bodies",
            )
        item = Item(kind, i, j, f, flat, rows)
        if kind == layout.ANGLE and not self.plane:
            item.angle = self.angles.setdefault((i, j, flat), len(self.angles))
        return item

    def _parameters(self, measure: Measure, a: Attached, b: Attached) -> tuple[int, list[np.ndarray], int, int]:
        kind, g = measure.kind, self.ground
        points = [a.point, b.point]
        if kind == "gap":
            return layout.POINT_GAP, points, 2 if self.plane else 3, g
        if kind == "parallel":
            return layout.PARALLEL, [a.axes[:, 0], a.axes[:, 1], b.axes[:, 2]], 2, g
        if kind == "dot":
            return (
                layout.AXIS_DOT,
                [a.axes[:, _AXES[measure.direction[0]]], b.axes[:, _AXES[measure.direction[1]]]],
                1,
                g,
            )
        if kind == "twist":
            # two quaternions of four numbers and one to fill up three threes, then the axes on j
            numbers = np.array([*self.drawing.twist_quaternions(measure, a, b), 0.0])
            return layout.TWIST, [*numbers.reshape(3, 3), *b.axes.T], 1, g
        if kind == "distance":
            return layout.DISTANCE, points, 1, g
        if kind == "angle":
            return layout.ANGLE, [] if self.plane else [a.axes[:, 0], a.axes[:, 1], b.axes[:, 0]], 1, g
        if kind == "along_body":
            d = a.axes[:, _AXES[measure.direction]]
            # on the ground a direction of the body is a direction in space, and the shorter formula serves
            if a.body.is_ground:
                return layout.ALONG_SPACE, [*points, d], 1, g
            return layout.ALONG_BODY, [*points, d], 1, g
        if measure.frame is None:
            d = self.drawing.direction(measure.name, "direction", measure.direction)
        else:
            d, g = carried_direction(measure, a, b), self.body_index(measure.frame)
        # along a direction fixed in space the velocity is the rate of a way, which a constant force has its potential on
        if kind == "along_space" or (kind == "velocity" and measure.frame is None):
            return layout.ALONG_SPACE, [*points, d], 1, g
        if kind == "velocity":
            return layout.RATE_POINT, [*points, d], 1, g
        return layout.RATE_SPIN, [d], 1, g

    def _check_particle_points(self, asked: str, *attached: Attached) -> None:
        for a in attached:
            if a.body.particle and float(np.max(np.abs(a.point))) > 1e-9 * self.drawing.extent:
                raise ModelError(
                    asked,
                    f"a point {tuple(map(float, a.point))} away from particle {a.body.name!r}",
                    "a particle has no extent",
                    "attach at the particle itself, or use a body",
                )

    # -- measures as rows --------------------------------------------------------------------------------------------

    def flatten(self, measure: Measure) -> tuple[list[tuple[float, Measure]], float] | tuple[Expr, dict[str, Measure]]:
        """A composite as a linear combination (terms, constant) or as an expression of base measures by name."""
        if measure.kind == "combination":
            terms: list[tuple[float, Measure]] = []
            constant = 0.0
            expression: Expr = Number(0.0)
            named: dict[str, Measure] = {}
            linear = True
            for coefficient, term in measure.terms:
                c = self.drawing.number(coefficient)
                if term.kind not in ("combination", "expression"):
                    terms.append((c, term))
                    expression = expression + c * term.symbol
                    named[term.name] = term
                    continue
                first, second = self.flatten(term)
                offset = self.drawing.offset(term)
                if isinstance(first, Expr):
                    linear = False
                    expression = expression + c * (first - offset)
                    named.update(second)  # type: ignore[arg-type]
                else:
                    terms += [(c * x, m) for x, m in first]
                    constant += c * (second - offset)  # type: ignore[operator]
                    for x, m in first:
                        expression = expression + c * x * m.symbol
                        named[m.name] = m
                    expression = expression + c * (second - offset)  # type: ignore[operator]
            return (terms, constant) if linear else (expression, named)
        assert measure.expression is not None
        replaced = self.drawing.numbers_in(measure.expression)
        named = {}
        for name in measure.expression.names - set(replaced) - {"t"}:
            part = measure.term(name) or self.model.find_measure(name)
            assert part is not None
            if part.is_rate:
                raise ModelError(
                    f"measure {measure.name!r}",
                    f"it uses {name!r}",
                    "a rate measure has no value",
                    "use measures with values",
                )
            if part.kind in ("combination", "expression"):
                inner, parts = self._as_expression(part)
                replaced[name] = inner
                named.update(parts)
            else:
                replaced[name] = part.symbol
                named[part.name] = part
        return measure.expression.substitute(replaced), named

    def _as_expression(self, measure: Measure) -> tuple[Expr, dict[str, Measure]]:
        """A composite as an expression of base measures, its offset subtracted."""
        first, second = self.flatten(measure)
        offset = self.drawing.offset(measure)
        if isinstance(first, Expr):
            return first - offset, second  # type: ignore[return-value]
        total: Expr = Number(second - offset)  # type: ignore[operator]
        for c, m in first:
            total = total + c * m.symbol
        return total, {m.name: m for _, m in first}

    def composite(self, asked: str, measure: Measure) -> tuple[Composite, list[int], float]:
        """Composite of a measure, the moving bodies it touches, and a constant to be subtracted from its value."""
        if measure.kind == "rate_expression":
            assert measure.expression is not None
            expression, named = self.in_base_measures(asked, measure.expression, measure)
            names = sorted(named)
            parts = [self.free_row(asked, named[name]) for name in names]
            inputs = ["t", *names, *(f"rate({name})" for name in names)]
            made, constant = Composite(parts, [1.0] * len(parts), expression, inputs, on_rates=True), 0.0
            return made, self._bodies_of(parts), constant
        first, second = self.flatten(measure)
        if isinstance(first, Expr):
            names = sorted(second)  # type: ignore[arg-type]
            parts = [self.free_row(asked, second[name]) for name in names]  # type: ignore[index]
            made = Composite(parts, [1.0] * len(parts), first, ["t", *names])
            constant = 0.0
        else:
            parts = [self.free_row(asked, m) for _, m in first]
            made = Composite(parts, [c for c, _ in first], None, [])
            constant = -float(second)  # type: ignore[arg-type]
        return made, self._bodies_of(parts), constant

    def _bodies_of(self, parts: list[int]) -> list[int]:
        """Moving bodies of free rows, each once."""
        bodies: list[int] = []
        for p in parts:
            bodies += [b for b in self.free[p].bodies if b not in bodies]
        return bodies

    def free_row(self, asked: str, measure: Measure) -> int:
        """Index of the free row of a measure; equal measures share one."""
        if isinstance(measure, Auxiliary):
            return self._free_of["state", measure.name]
        offset = self.drawing.offset(measure)
        if measure.kind in COMPOSITE:
            composite, bodies, constant = self.composite(asked, measure)
            key: tuple[Any, ...] = ("composite", measure)
            row = Row(measure.name, measure.name, measure.unit, offset + constant, rate_only=measure.is_rate)
            entry = FreeRow(row, None, composite, bodies)
        else:
            item = self.item(asked, measure)
            key = (item.kind, item.i, item.j, item.f, item.par, offset, measure.is_rate)
            bodies = [b for b in (item.i, item.j) if b != self.ground]
            entry = FreeRow(
                Row(measure.name, measure.name, measure.unit, offset, rate_only=measure.is_rate), item, None, bodies
            )
        if key not in self._free_of:
            self._free_of[key] = len(self.free)
            self.free.append(entry)
        return self._free_of[key]

    # -- parts -------------------------------------------------------------------------------------------------------

    def add_block(self, part: str, asked: str, measures: list[Measure], drive: Expr | None = None) -> Block:
        """Block of measures that are held."""
        block = Block(part)
        for measure in measures:
            first = len(block.rows)
            offset = self.drawing.offset(measure)
            if measure.kind in COMPOSITE:
                composite, bodies, constant = self.composite(asked, measure)
                block.composites.append((composite, first))
                target = drive
                if drive is None and composite.expression is not None and does_work(composite):
                    # a constraint that depends on time does work, like a driver: it is one that is driven to zero
                    target = Number(0.0)
                row = Row(measure.name, part, measure.unit, offset + constant, target, measure.is_rate)
                block.rows.append(row)
                self._touch(block, bodies)
                continue
            item = self.item(asked, measure)
            block.items.append((item, first))
            names = [measure.name] if item.rows == 1 else [f"{measure.name}_{'xyz'[k]}" for k in range(item.rows)]
            block.rows += [Row(name, part, measure.unit, offset, drive, measure.is_rate) for name in names]
            self._touch(block, [b for b in (item.i, item.j) if b != self.ground])
        if not block.bodies:
            raise ModelError(
                asked, "no moving body", "a constraint between fixed bodies constrains nothing", "connect a moving body"
            )
        self._pair(block)
        self.blocks.append(block)
        return block

    def _pair(self, block: Block) -> None:
        """Let one item compute two rows of a point along axes of body i: most of the work is the same for both."""
        for k in range(len(block.items) - 1, 0, -1):
            (one, first), (two, second) = block.items[k - 1 : k + 1]
            same = (one.i, one.j, one.par[:6]) == (two.i, two.j, two.par[:6]) and second == first + 1
            if not self.plane and one.kind == two.kind == layout.ALONG_BODY and same:
                merged = Item(layout.ALONG_PAIR, one.i, one.j, one.f, (*one.par, *two.par[6:]), 2)
                block.items[k - 1 : k + 1] = [(merged, first)]

    @staticmethod
    def _touch(block: Block, bodies: list[int]) -> None:
        block.bodies += [b for b in bodies if b not in block.bodies]

    def add_law(self, part: str, asked: str, measure: Measure, law: Law) -> None:
        """Force law on a measure."""
        row = self.free_row(asked, measure)
        numbers = self.law_numbers(law)
        expression: Expr | None = None
        inputs: list[tuple[int, bool]] = []
        names: list[str] = []
        if law.expression is not None:
            expression, inputs, names = self.inputs_of(asked, law.expression)
        self.laws.append(LawRow(part, measure, row, law, numbers, expression, inputs, ["t", *names]))

    def inputs_of(
        self, asked: str, given: Expr, but: Sequence[str] = ()
    ) -> tuple[Expr, list[tuple[int, bool]], list[str]]:
        """An expression in base measures, the free rows of its inputs with whether their rates are meant, and what it calls them; `but` are names that stay."""
        expression, named = self.in_base_measures(asked, given, but=but)
        names = sorted(expression.names - {"t", *but})
        bases = [(name[5:-1], True) if name.startswith("rate(") else (name, False) for name in names]
        return expression, [(self.free_row(asked, named[base]), rate) for base, rate in bases], names

    def slow(self, friction: Any) -> float:
        """The rate below which friction with several components keeps its direction."""
        usual = SLOW * (self.drawing.extent if friction.on.unit == "m" else 1.0)
        return max(usual, dict(self.model.situation.slow).get(friction.name, 0.0))

    def law_numbers(self, law: Law) -> tuple[float, ...]:
        """Numbers of a law; those of springs, dampers and friction stand in one table and nowhere else (`known.py` renews them)."""
        used = set(self.drawing.used)
        numbers = tuple(self.drawing.number(x) for x in law.numbers)
        if law.kind in RENEWED:
            self.drawing.used = used
        return numbers

    def add_states(self, handed: bool) -> None:
        """Auxiliary states: a free row without bodies for each value, and a law for each rate; inputs of drivers that are handed over come last."""
        self.states = list(self.model.parts("state"))
        if handed:
            names = (f"{driver.name}{HANDED}{what}" for driver in self.model.parts("driver") for what in HANDED_OVER)
            self.states += [Auxiliary(name, "state", unit="1") for name in names]
        for k, state in enumerate(self.states):
            self._free_of["state", state.name] = k
            self.free.append(FreeRow(Row(state.name, state.name, state.unit), None, None, []))
        for state in self.states:
            with naming(f"state {state.name!r}"):
                self.add_law(state.name, f"state {state.name!r}", state, Law("expression", expression=state.law))

    @property
    def state_starts(self) -> np.ndarray:
        """Values of the auxiliary states at the start."""
        return np.array([self.drawing.number(state.start) for state in self.states], dtype=float)

    @property
    def state_scales(self) -> np.ndarray:
        """Typical sizes of the auxiliary states."""
        return np.array([self.drawing.number(state.scale) for state in self.states], dtype=float)

    def in_base_measures(
        self,
        asked: str,
        expression: Expr,
        owner: Measure | None = None,
        within: tuple[str, ...] = (),
        but: Sequence[str] = (),
    ) -> tuple[Expr, dict[str, Measure]]:
        """Expression in terms of base measures, their rates and t; parameters become numbers.  Terms of the owner are known too.

        The rate of a state is its expression; `within` are the states whose rates are being written out.  Names in `but` stay.
        """
        replaced = self.drawing.numbers_in(expression)
        named: dict[str, Measure] = {}
        for name in expression.names - set(replaced) - {"t", *but}:
            rate = name.startswith("rate(")
            base = name[5:-1] if rate else name
            own = None if owner is None else owner.term(base)
            part = own or self.model.find_measure(base) or self._own_measure(asked, base)
            if part.is_rate and not rate:
                raise ModelError(asked, f"the law uses {name!r}", "a rate measure has no value", f"use rate({name})")
            if isinstance(part, Auxiliary) and rate:
                if part.name in within:
                    circle = " -> ".join(f"rate({x})" for x in (*within[within.index(part.name) :], part.name))
                    why = "a rate that depends on itself has no value"
                    raise ModelError(
                        asked, f"the rates go in a circle: {circle}", why, "write one of them without the other"
                    )
                replaced[name], parts = self.in_base_measures(asked, part.law, None, (*within, part.name))
                named.update(parts)
                continue
            if part.kind not in COMPOSITE:
                named[part.name] = part
                replaced[name] = Call("rate", (part.symbol,)) if rate else part.symbol
                continue
            if part.kind == "rate_expression":
                # it is a rate already
                assert part.expression is not None
                replaced[name], parts = self.in_base_measures(asked, part.expression, part)
                named.update(parts)
                continue
            inner, parts = self._as_expression(part)
            named.update(parts)
            replaced[name] = rate_of(inner, parts) if rate else inner
        return expression.substitute(replaced), named

    def _own_measure(self, asked: str, name: str) -> Measure:
        """Measure of an element that its own law refers to."""
        if name in self._own_measures:
            return self._own_measures[name]
        known = [*self.model.parameter_names, *self.model.measure_names()]
        raise ModelError(
            asked,
            f"the law uses {name!r}",
            f"there is no such parameter, measure or state; {nearest(name, known)}",
            "check the names in the expression",
        )

    @cached_property
    def _own_measures(self) -> dict[str, Measure]:
        """Measures that only elements know, by name."""
        frictions = self.model.frictions
        laws = [x for force in (*self.model.parts("force"), *frictions) for x, _ in force.elements()]
        asked_of = [x for one in frictions if one.together for x in one.watched()]
        return {measure.name: measure for measure in reversed([*laws, *asked_of])}

    def watch_all_angles(self) -> None:
        """Watch every counted angle, in the order of their numbers."""
        for (i, j, par), k in self.angles.items():
            item = Item(layout.ANGLE, i, j, self.ground, par, 1, k)
            self.watched.append((f"angle {k}", item, Row(f"angle {k}", "", "rad")))


def carried_direction(measure: Measure, a: Attached, b: Attached) -> np.ndarray:
    """Direction of a rate measure in axes of the body `frame`: as given, or an axis of the marker there."""
    if isinstance(measure.direction, str):
        marker = b if b.body is measure.frame else a
        return np.asarray(marker.axes[:, _AXES[measure.direction]])
    return np.array([float(x) for x in measure.direction])


@contextlib.contextmanager
def naming(asked: str) -> Iterator[None]:
    """Errors inside name the part that they come from."""
    try:
        yield
    except DalembertError as error:
        if asked in error.asked:
            raise
        raise type(error)(f"{asked}: {error.asked}", error.found, error.why, error.do) from None


def rate_of(expression: Expr, named: dict[str, Measure]) -> Expr:
    """Rate of an expression of measures by the chain rule: sum of df/ds rate(s), plus df/dt."""
    total: Expr = expression.diff("t")
    for name in sorted(named):
        total = total + expression.diff(name) * Call("rate", (named[name].symbol,))
    return total.simplify()
