"""Dry friction: true stick and slip, constant or felt from the reaction of a joint; regularised where that is asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from ...errors import ModelError, shown
from ..expression import Call, Expr, Name, Number, as_expression
from ..measure import Measure
from ._base import Law, MeasureForce


@dataclass(frozen=True)
class Pad:
    """A surface that presses: the size of a vector whose components are combinations of multipliers of the joint, by number of its row."""

    components: tuple[tuple[tuple[float, int], ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Friction(MeasureForce, tag="friction"):
    """Dry friction on a joint's coordinate or on a measure.

    `m.friction("brake", "A", mu=0.3, radius=0.02)` is proportional to the reaction of joint A: a torque mu·radius·|F| in a pin, a force mu·N in a guide;
    with `length` a guide presses with both its ends, N = |F/2 + T/length| + |F/2 - T/length|.  `m.friction("brake", measure, force=2.0)` has a constant size.

    It sticks until `static` (a coefficient, or `static_force`) is exceeded, and slips with `mu` (or `force`), which may be an expression of `v`, the size of
    the rate.  With `speed` it is regularised: f = force v / sqrt(v^2 + speed^2), constant sizes only; it then creeps instead of sticking.
    """

    force: Any = None
    speed: Any = None
    static_force: Any = field(default=None, kw_only=True)
    mu: Any = field(default=None, kw_only=True)
    static: Any = field(default=None, kw_only=True)
    radius: Any = field(default=None, kw_only=True)
    length: Any = field(default=None, kw_only=True)
    joint: Any = field(default=None, init=False, compare=False)

    glyph = "friction"
    example = {"force": 2.0, "speed": 0.5}
    fields_are = {"mu": ("text", "1")}

    def __post_init__(self) -> None:
        if self.mu is not None:
            self.set(joint=self._read_joint())
            self.set(on=self._coordinate())
        super().__post_init__()
        given = [name for name in ("force", "mu") if getattr(self, name) is not None]
        if len(given) != 1:
            found = "force and mu" if given else "neither force nor mu"
            raise ModelError(
                self.asked,
                found,
                "friction has a constant size, or feels the reaction of a joint",
                "give force= or mu=",
            )
        self._refuse_together()
        if self.speed is not None:
            self.set(
                force=self.model.read_number(self.asked, "force", self.force, "nonnegative"),
                speed=self.model.read_number(self.asked, "speed", self.speed, "positive"),
            )
            return
        kinetic = "force" if self.mu is None else "mu"
        self.set(**{kinetic: self._read_size(kinetic, getattr(self, kinetic))})
        for name in ("static_force", "static", "radius", "length"):
            if getattr(self, name) is not None:
                kind = "positive" if name in ("radius", "length") else "nonnegative"
                self.set(**{name: self.model.read_number(self.asked, name, getattr(self, name), kind)})

    def _refuse_together(self) -> None:
        """Options that have no meaning beside others."""
        other = {"force": ("static", "radius", "length"), "mu": ("static_force", "speed")}
        one = "force" if self.mu is None else "mu"
        wrong = [name for name in other[one] if getattr(self, name) is not None]
        if self.speed is not None and self.static_force is not None:
            wrong.append("static_force")
        if wrong:
            raise ModelError(
                self.asked, f"{wrong[0]} = {shown(getattr(self, wrong[0]))} with {one}", "it has no meaning there",
                "leave it out" if wrong[0] != "speed" else "leave it out: friction that feels the reaction is exact",
            )  # fmt: skip

    def _read_joint(self) -> Any:
        part = self.model._parts.get(self.on) if isinstance(self.on, str) else self.on
        if getattr(part, "kind", "") not in ("joint", "impact"):
            raise ModelError(
                self.asked, f"{shown(self.on)} with mu", "a coefficient of friction goes with the reaction of a joint",
                "name the joint, or give force= for a constant size",
            )  # fmt: skip
        return part

    def _coordinate(self) -> Measure:
        """What slips in the joint: along the thread of a screw; else its angle where a radius is given, its slide else."""
        made = self.joint.coordinates() if self.joint.kind == "joint" else {}
        wanted = [x for x in made.values() if (x.unit == "rad") == (self.radius is not None)]
        if getattr(self.joint, "pitch", None) is not None and self.radius is not None:
            lead = self._lead()
            terms = (
                (math.sin(lead), self.joint.slide_measure()),
                (self.model.value(self.radius) * math.cos(lead), self.joint.angle_measure()),
            )
            return Measure(
                f"{self.name}.thread",
                "combination",
                self.joint.slide_measure().i,
                self.joint.slide_measure().j,
                terms=terms,
                unit="m",
            )
        if len(wanted) != 1:
            found = f"{self.joint!r} with the coordinates {', '.join(made) or 'none'}"
            why = "friction in a pin needs its radius" if self.radius is None and made else "one coordinate must slip"
            raise ModelError(
                self.asked, found, why, "give radius= for a pin; other joints take force= on a measure of theirs"
            )
        return wanted[0]

    def _lead(self) -> float:
        """Lead angle of a thread at the radius: tan a = pitch/(2 pi r)."""
        return math.atan2(self.model.value(self.joint.pitch), 2.0 * math.pi * self.model.value(self.radius))

    def _read_size(self, name: str, x: Any) -> Expr | Any:
        """A size: a number, or an expression of v."""
        if isinstance(x, str | Expr):
            made = as_expression(x, {*self.model.parameter_names, "v"}, asked=self.asked)
            if "v" in made.names:
                return made
        return self.model.read_number(self.asked, name, x, "nonnegative")

    # -- what the equations need -----------------------------------------------------------------------------------------

    @property
    def sticks(self) -> bool:
        """Whether it is exact: regularised friction creeps."""
        return self.speed is None

    def elements(self) -> list[tuple[Measure, Law]]:
        """One law on the rate; of true friction the time loop knows its value."""
        if self.sticks:
            return [(self.on, Law("slip"))]
        return [(self.on, Law("friction", (self.force, self.speed)))]

    def stick(self) -> Measure:
        """What is held while it sticks: the rate of its measure."""
        return Measure(
            f"{self.name}.stick", "rate_expression", terms=((1.0, self.on),), expression=self.on.rate, unit=self.on.unit
        )

    def kinetic(self, value: Any) -> Any:
        """Size of the slipping friction (or its coefficient) as a function of the size of the rate; `value` reads numbers."""
        x = self.force if self.mu is None else self.mu
        if isinstance(x, Expr) and "v" in x.names:
            given = {name: value(Name(name)) for name in x.names - {"v"}}
            return lambda v: x.evaluate({**given, "v": v})
        size = float(value(x))
        return lambda v: size

    def holding(self, value: Any) -> float:
        """The static coefficient or force; by default that of slipping at rest."""
        x = self.static_force if self.mu is None else self.static
        return float(value(x)) if x is not None else float(self.kinetic(value)(0.0))

    def pads(self, value: Any) -> list[Pad]:
        """What presses in the joint, in units of the friction along its measure; empty for a constant size."""
        if self.mu is None:
            return []
        rows = [unit for measure in self.joint.rows() for unit in _rows_of(measure, self.model.plane)]
        forces = [k for k, unit in enumerate(rows) if unit == "m"]
        moments = [k for k, unit in enumerate(rows) if unit != "m"]
        arm = 1.0
        if getattr(self.joint, "pitch", None) is not None and self.radius is not None:
            # the thread carries lam along the axis, N = lam/cos(a) across itself
            return [Pad((((1.0 / math.cos(self._lead()), len(rows) - 1),),))]
        if self.radius is not None:
            arm = float(value(self.radius))
        if self.length is None or not moments:
            return [Pad(tuple(((arm, k),) for k in forces))]
        half = float(value(self.length))
        if len(forces) == len(moments) == 1:
            ends = [((0.5 * arm, forces[0]), (side * arm / half, moments[0])) for side in (1.0, -1.0)]
            return [Pad((end,)) for end in ends]
        return [Pad(tuple(((arm, k),) for k in forces)), Pad(tuple(((2.0 * arm / half, k),) for k in moments))]

    def holds(self, value: Any, own: str, names: list[str]) -> Expr:
        """What is left before it slips, static N - |lam|: an expression of its multiplier and of those of the joint, by name."""
        limit: Expr = Number(self.holding(value))
        if self.mu is not None:
            total: Expr = Number(0.0)
            for pad in self.pads(value):
                parts = [sum((c * Name(names[k]) for c, k in component), Number(0.0)) for component in pad.components]
                size: Expr = Call("abs", (parts[0],))
                for x in parts[1:]:
                    size = Call("hypot", (size, x))
                total = total + size
            limit = limit * total
        return limit - Call("abs", (Name(own),))


def _rows_of(measure: Measure, plane: bool) -> list[str]:
    """Units of the rows of a measure that is held."""
    if measure.kind in ("gap", "parallel"):
        return ["m"] * (2 if plane else 3) if measure.kind == "gap" else ["1"] * 2
    return ["1" if measure.kind in ("dot", "twist") else measure.unit]
