"""Dry friction: true stick and slip, constant or felt from the reaction of a joint; regularised where that is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...errors import ModelError
from ..expression import Expr, Name, Number
from ..measure import Measure
from ._base import Law, MeasureForce
from ._pressing import Pad, length_of, pressing, read_joint, read_several, read_size, refuse_together, slipping


@dataclass(frozen=True, eq=False, repr=False)
class Friction(MeasureForce, tag="friction"):
    """Dry friction on a joint's coordinate or on a measure.

    `m.friction("brake", "A", mu=0.3, radius=0.02)` is proportional to the reaction of joint A: a torque `mu·radius·|F|` in a pin, a force mu·N in a guide;
    with `length` a guide presses with both its ends, `N = |F/2 + T/length| + |F/2 - T/length|`.  `m.friction("brake", measure, force=2.0)` has a constant size.
    `along` is a measure that slips in the place of the joint's coordinate: the pad of a brake presses with the reaction of its joint and rubs on the drum.

    What slips may have two or three components: the point of a planar joint, the turning of a ball in its socket (`radius`), the sliding and turning of a shaft
    in its sleeve, several measures in a list.  Friction then acts against the direction of their rates, u/|u|.

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
    slips: tuple[Measure, ...] = field(default=(), init=False, compare=False)  # what slips, by component

    glyph = "friction"
    example = {"force": 2.0, "speed": 0.5, "along": None}
    fields_are = {
        "mu": ("number", "1"),
        "static": ("number", "1"),
        "on": ("coordinates", None),
        "along": ("coordinates", None),
    }
    law_names = {"force": ("v",), "mu": ("v",)}

    def __post_init__(self) -> None:
        if self.mu is not None:
            joint = read_joint(self)
            self.set(joint=joint, slips=slipping(self, joint))
        else:
            self.set(slips=read_several(self, self.on))
        self.set(on=self.slips[0])
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
        """A law on each rate; of true friction the time loop knows its value."""
        if self.sticks:
            return [(one, Law("slip")) for one in self.slips]
        return [(self.on, Law("friction", (self.force, self.speed)))]

    def coordinates(self) -> dict[str, Measure]:
        """What slips."""
        if len(self.slips) == 1:
            return {"value": self.on}
        return {f"slip_{'xyz'[k]}": one for k, one in enumerate(self.slips)}

    def stick(self) -> list[Measure]:
        """What is held while it sticks: the rates of what slips."""
        return [
            one
            if one.is_rate
            else Measure(
                f"{self.name}.stick{k or ''}",
                "rate_expression",
                terms=((1.0, one),),
                expression=one.rate,
                unit=one.unit,
            )
            for k, one in enumerate(self.slips)
        ]

    def slip_watch(self, way: Any, slow: float) -> tuple[Expr, int]:
        """What the time loop watches against 0 while it slips, and in which direction it counts; `way` as in `Situation.slips`, `slow` a small rate.

        One rate changes its sign.  Several rates u have no sign to lose: they are watched while |u| is above `slow`, and below it along the direction
        e that they had there, where u.e changes its sign; or until |u| is twice as large again.
        """
        if len(self.slips) == 1:
            return self.on.rate, 0
        size = length_of([one.rate for one in self.slips])
        if way == 1:
            return size - slow, -1
        along = sum((e * one.rate for e, one in zip(way, self.slips)), Number(0.0))
        return along * (2.0 * slow - size) / slow, -1

    def kinetic(self, value: Any) -> Any:
        """Size of the slipping friction (or its coefficient): a number, or an expression of v, the size of the rate; `value` reads numbers."""
        x = self.force if self.mu is None else self.mu
        if isinstance(x, Expr) and "v" in x.names:
            return x.substitute({name: Number(value(Name(name))) for name in x.names - {"v"}})
        return float(value(x))

    def holding(self, value: Any) -> float:
        """The static coefficient or force; by default that of slipping at rest."""
        static, sliding = ("static_force", "force") if self.mu is None else ("static", "mu")
        slipping = self.kinetic(value)
        least = float(slipping.evaluate({"v": 0.0}) if isinstance(slipping, Expr) else slipping)
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
