"""Dry friction: true stick and slip, constant or felt from the reaction of a joint; regularised where that is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...errors import ModelError
from ..expression import Expr, Name
from ..measure import Measure
from ._base import Law, MeasureForce
from ._pressing import Pad, pressing, read_joint, read_size, refuse_together, slipping


@dataclass(frozen=True, eq=False, repr=False)
class Friction(MeasureForce, tag="friction"):
    """Dry friction on a joint's coordinate or on a measure.

    `m.friction("brake", "A", mu=0.3, radius=0.02)` is proportional to the reaction of joint A: a torque `mu·radius·|F|` in a pin, a force mu·N in a guide;
    with `length` a guide presses with both its ends, `N = |F/2 + T/length| + |F/2 - T/length|`.  `m.friction("brake", measure, force=2.0)` has a constant size.
    `along` is a measure that slips in the place of the joint's coordinate: the pad of a brake presses with the reaction of its joint and rubs on the drum.

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
    along: Any = field(default=None, kw_only=True)
    joint: Any = field(default=None, init=False, compare=False)

    glyph = "friction"
    example = {"force": 2.0, "speed": 0.5, "along": None}
    fields_are = {"mu": ("number", "1"), "static": ("number", "1"), "along": ("coordinate", None)}
    law_names = {"force": ("v",), "mu": ("v",)}

    def __post_init__(self) -> None:
        if self.mu is not None:
            joint = read_joint(self)
            self.set(joint=joint, on=slipping(self, joint))
        super().__post_init__()
        refuse_together(self)
        if self.speed is not None:
            self.set(
                force=self.model.read_number(self.asked, "force", self.force, "nonnegative"),
                speed=self.model.read_number(self.asked, "speed", self.speed, "positive"),
            )
            return
        kinetic = "force" if self.mu is None else "mu"
        self.set(**{kinetic: read_size(self, kinetic, getattr(self, kinetic))})
        for name in ("static_force", "static", "radius", "length"):
            if getattr(self, name) is not None:
                kind = "positive" if name in ("radius", "length") else "nonnegative"
                self.set(**{name: self.model.read_number(self.asked, name, getattr(self, name), kind)})

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
        static, sliding = ("static_force", "force") if self.mu is None else ("static", "mu")
        least = float(self.kinetic(value)(0.0))
        x = least if getattr(self, static) is None else float(value(getattr(self, static)))
        if x < least:
            raise ModelError(
                self.asked, f"{static} = {x:g}, {sliding} = {least:g} at rest",
                "between the two it could neither stick nor slip: what sets it in motion would stop it at once",
                f"give {static} as {sliding} at rest or more, or leave it out",
            )  # fmt: skip
        return x

    def pads(self, value: Any) -> list[Pad]:
        """What presses in the joint, in units of the friction along its measure; empty for a constant size."""
        return [] if self.mu is None else pressing(self, self.joint, value)
