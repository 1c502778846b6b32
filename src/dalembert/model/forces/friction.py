"""Dry friction: true stick and slip, constant or felt from the reaction of a joint or rigid contact; regularised where that is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..frame import Marker
from ..joints._coupling import bodies_of
from ..measure import Measure
from ..touching import Touching
from ._base import Law, MeasureForce
from ._dry import Dry
from ._pressing import Pad, pressing, read_joint, read_size, refuse_at_stops, refuse_together, rows_in, slipping
from ._rubbing import Rub, rubs_at


@dataclass(frozen=True, eq=False, repr=False)
class Friction(Dry, MeasureForce, tag="friction"):
    """Dry friction on a joint's coordinate or on a measure.

    `m.friction("brake", "A", mu=0.3, radius=0.02)` is proportional to the reaction of joint A: a torque `mu·radius·|F|` in a pin, a force mu·N in a guide;
    with `length` a guide presses with both its ends, `N = |F/2 + T/length| + |F/2 - T/length|`.  `m.friction("brake", measure, force=2.0)` has a constant size.
    Of a rigid contact or stop it is mu times what presses there; a stop needs `along`, what slides while it is closed.
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
        self.set(_rubs=())
        if self.mu is not None:
            joint = read_joint(self)
            if joint.kind == "impact" or isinstance(joint, Touching):
                refuse_together(self)
                refuse_at_stops(self)
                self.set(_rubs=rubs_at(self, self.name, joint))
                self.set(on=self._rubs[0].on)
                return
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
        return self.speed is None and not self._rubs

    @property
    def rubs(self) -> tuple[Rub, ...]:
        """Friction of the gaps, where it is that of a contact or stop."""
        return self._rubs

    @property
    def bodies(self) -> tuple[Any, ...]:
        """Bodies of what slips."""
        return bodies_of(self.model, [self.on])

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Frames of what slips."""
        return tuple(m for m in (self.on.i, self.on.j) if m is not None)

    def elements(self) -> list[tuple[Measure, Law]]:
        """One law on the rate; of true friction the time loop knows its value, that of a stop is there while this is closed."""
        if self._rubs:
            return []
        if self.sticks:
            return [(self.on, Law("slip"))]
        return [(self.on, Law("friction", (self.force, self.speed)))]

    def felt(self, plane: bool) -> list[tuple[str, int]]:
        """All multipliers of the joint."""
        return [] if self.joint is None else [(self.joint.name, k) for k in range(rows_in(self.joint, plane))]

    def pads(self, value: Any) -> list[Pad]:
        """What presses in the joint, in units of the friction along its measure; empty for a constant size."""
        return [] if self.mu is None else pressing(self, self.joint, value)
