"""Dry friction that sticks and slips: what is held, what is watched, and its sizes.  Friction of joints and of stops have this in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import ModelError
from ..expression import Expr, Name, Number
from ..frame import Marker
from ..joints._coupling import bodies_of
from ..measure import Measure
from ._base import Force, Law
from ._pressing import Pad, length_of

# a rate of what sticks that is some, as a part of one that is slow: above all rounding
CARRIED = 1e-2


class Dry:
    """Friction on the rates of measures `slips`, the components of what slips: constant (`force`), or a coefficient `mu` times what presses."""

    model: Any = None
    name: str
    asked: Any
    slips: tuple[Measure, ...]
    force: Any = None
    static_force: Any = None
    mu: Any
    static: Any
    size_name = ""  # under which its size is solved for, or watched: of Lagrangian systems
    pressed_by: tuple[str, ...] = ()  # parts that press
    spin: Measure | None = None  # of several gaps in space, the turning about the normal
    together: bool = False  # whether several of them are closed
    beside: tuple[str, ...] = ()  # names of friction that may have acted in its place

    @property
    def element(self) -> str:
        """Name of the element that stands for it while it slips."""
        return self.name

    def factor(self, way: Any) -> Expr | None:
        """Of its size while it slips a way, or sticks (0), what depends on the place: nothing."""
        return None

    def check_at(self, way: Any, here: Any) -> None:
        """Refuse sizes that are none at a state; numbers are looked at where they are read."""

    @property
    def rates(self) -> list[Expr]:
        """Rates of what slips."""
        return [one.rate for one in self.slips]

    def coordinates(self) -> dict[str, Measure]:
        """What slips."""
        if len(self.slips) == 1:
            return {"value": self.slips[0]}
        return {f"slip_{'xyz'[k]}": one for k, one in enumerate(self.slips)}

    @property
    def bodies(self) -> tuple[Any, ...]:
        """Bodies of what slips."""
        return bodies_of(self.model, list(self.slips))

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames of what slips."""
        return tuple(m for m in (self.slips[0].i, self.slips[0].j) if m is not None)

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

    def held(self) -> list[Measure]:
        """What does not change while it sticks."""
        return list(self.slips)

    def slip_watch(self, way: Any, slow: float) -> tuple[Expr, int]:
        """What the time loop watches against 0 while it slips, and in which direction it counts; `way` as in `Situation.slips`, `slow` a small rate.

        One rate changes its sign.  Several rates u have no sign to lose: they are watched while |u| is above `slow`, and below it along the direction
        e that they had there, where u.e changes its sign; or until |u| is twice as large again.
        """
        if len(self.slips) == 1:
            return self.slips[0].rate, 0
        size = length_of([one.rate for one in self.slips])
        if way == 1:
            return size - slow, -1
        along = sum((e * one.rate for e, one in zip(way, self.slips)), Number(0.0))
        # a + b - |(a, b)| is negative where a or b is, also after a long step over both
        left = 2.0 * slow - size
        return along + left - length_of([along, left]), -1

    def carry_watch(self, slow: float) -> tuple[Expr, int]:
        """The same while it sticks: where other rows alone decide about its rates (a driver), these set it in motion, whatever holds it."""
        left = Number(CARRIED * slow) ** 2
        for rate in self.rates:
            left = left - rate**2
        return left, -1

    def kinetic(self, value: Any) -> Any:
        """Size of the slipping friction (or its coefficient): a number, or an expression of v, the size of the rate; `value` reads numbers."""
        x = self.force if self.mu is None else self.mu
        if isinstance(x, Expr) and "v" in x.names:
            return x.substitute({name: Number(value(Name(name))) for name in x.names - {"v"}})
        return float(value(x))

    def slipping(self, value: Any, rate: float) -> float:
        """The same at a rate."""
        size = self.kinetic(value)
        return float(size.evaluate({"v": rate}) if isinstance(size, Expr) else size)

    def holding(self, value: Any) -> float:
        """The static coefficient or force; by default that of slipping at rest."""
        static, sliding = ("static_force", "force") if self.mu is None else ("static", "mu")
        least = self.slipping(value, 0.0)
        x = least if getattr(self, static) is None else float(value(getattr(self, static)))
        if x < least:
            raise ModelError(
                self.asked, f"{static} = {x:g}, {sliding} = {least:g} at rest",
                "between the two it could neither stick nor slip: what sets it in motion would stop it at once",
                f"give {static} as {sliding} at rest or more, or leave it out",
            )  # fmt: skip
        return x

    def side(self, way: Any) -> float:
        """The side of 0 on which what is watched begins."""
        return float(way) if isinstance(way, int) and way else 1.0

    def felt(self, plane: bool) -> list[tuple[str, int]]:
        """Multipliers that what presses is made of: names of parts, and numbers among their rows."""
        raise NotImplementedError

    def while_slipping(self, way: Any, pressure: float | Expr = 1.0, kept: bool = False) -> Force:
        """Friction while it slips under a pressure, as an element with laws of its rates; `way` as in `Situation.slips`; `kept`: along the direction given there."""
        one_way = len(self.slips) == 1
        speed = way * self.slips[0].rate if one_way else length_of([one.rate for one in self.slips])
        given = self.force if self.mu is None else self.mu
        size = pressure * (given.substitute({"v": speed}) if isinstance(given, Expr) else Number(0.0) + given)
        forces = [way * size] if one_way else [size * one.rate / speed for one in self.slips]
        if kept and not one_way:
            forces = [e * size for e in way]
        laws = tuple((one, Law("expression", expression=f)) for one, f in zip(self.slips, forces))
        return Slipping(self.model, self.element, laws)

    def pads(self, value: Any) -> list[Pad]:
        """What presses, in units of the friction along its measures; empty for a constant size."""
        raise NotImplementedError


class OfGap(Dry):
    """Friction of one gap of a contact or stop; its load is part of that of its `owner`."""

    owner: Any
    joint: ClassVar[None] = None
    kind: ClassVar[str] = "rub"
    sticks: ClassVar[bool] = True

    @property
    def on(self) -> Measure:
        """The first component of what slides."""
        return self.slips[0]

    @property
    def model(self) -> Any:
        """That of its owner."""
        return self.owner.model

    @property
    def element(self) -> str:
        """Its owner stays, and presses."""
        return f"{self.name} that slips"

    @property
    def asked(self) -> str:
        """How messages call it."""
        return f"friction {self.name!r}"

    def elements(self) -> list[tuple[Measure, Law]]:
        """Its laws on what slides; the time loop knows their values."""
        return [(one, Law("slip")) for one in self.slips]


@dataclass(frozen=True, eq=False, repr=False)
class Slipping(Force):
    """Laws in the place of friction that slips."""

    laws: tuple[tuple[Measure, Law], ...] = ()

    def elements(self) -> list[tuple[Measure, Law]]:
        """Its laws."""
        return list(self.laws)
