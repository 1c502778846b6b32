"""Dry friction: true stick and slip, constant or felt from the reaction of a joint or rigid contact; regularised where that is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..measure import Measure
from ..touching import Touching
from ._base import Law, MeasureForce
from ._dry import Dry
from ._pressing import Pad, pressing, read_joint, read_several, read_sizes, refuse_together, rows_in, slipping
from ._rubbing import rubs_at


@dataclass(frozen=True, eq=False, repr=False)
class Friction(Dry, MeasureForce, tag="friction"):
    """Dry friction on a joint's coordinate or on a measure.

    `m.friction("brake", "A", mu=0.3, radius=0.02)` is proportional to the reaction of joint A: a torque `mu·radius·|F|` in a pin, a force mu·N in a guide;
    with `length` a guide presses with both its ends, `N = |F/2 + T/length| + |F/2 - T/length|`.  `m.friction("brake", measure, force=2.0)` has a constant size.
    Of a rigid contact or stop it is mu times what presses there; a stop needs `along`, what slides while it is closed.
    `along` is a measure that slips in the place of the joint's coordinate: the pad of a brake presses with the reaction of its joint and rubs on the drum.

    Of a gear (with radii) or a rack, `radius` is the mean distance of the contact from the pitch point, a quarter of the base pitch or somewhat more: the teeth press
    with N = F_t/cos(`pressure_angle`), 20 degrees by default, and rub as the wheels roll on each other.

    What slips may have two or three components: the point of a planar joint, the turning of a ball in its socket (`radius`), the sliding and turning of a shaft
    in its sleeve, several measures in a list.  Friction then acts against the direction of their rates, `u/|u|`.

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
    pressure_angle: Any = field(default=None, kw_only=True)
    joint: Any = field(default=None, init=False, compare=False)
    slips: tuple[Measure, ...] = field(default=(), init=False, compare=False)  # what slips, by component

    glyph = "friction"
    example = {"force": 2.0, "speed": 0.5, "along": None}
    fields_are = {"mu": ("number", "1"), "static": ("number", "1"), "on": ("coordinates", None), "along": ("coordinates", None), "pressure_angle": ("number", "rad")}  # fmt: skip
    law_names = {"force": ("v",), "mu": ("v",)}
    law_units = {"v": "{u}/s"}

    def __post_init__(self) -> None:
        if self.mu is not None:
            joint = read_joint(self)
            if joint.kind == "impact" or isinstance(joint, Touching):
                refuse_together(self)
                self.set(_rubs=rubs_at(self, self.name, joint))
                self.set(slips=self._rubs[0].slips, on=self._rubs[0].on)
                return
            self.set(joint=joint, slips=slipping(self, joint))
        else:
            self.set(slips=read_several(self, self.on))
        self.set(on=self.slips[0])
        refuse_together(self)
        read_sizes(self)
        if self.sticks:
            self.holding(self.model.value)  # refused here where it could neither stick nor slip

    @property
    def sticks(self) -> bool:
        """Whether it is exact: regularised friction creeps."""
        return self.speed is None and not self._rubs

    def elements(self) -> list[tuple[Measure, Law]]:
        """A law on each rate; of true friction the time loop knows its value, that of a stop is there while this is closed."""
        if self._rubs:
            return []
        if self.sticks:
            return [(one, Law("slip")) for one in self.slips]
        return [(self.on, Law("friction", (self.force, self.speed)))]

    @property
    def pressed_by(self) -> tuple[str, ...]:  # type: ignore[override]
        """The joint."""
        return () if self.joint is None else (self.joint.name,)

    def felt(self, plane: bool) -> list[tuple[str, int]]:
        """All multipliers of the joint."""
        return [] if self.joint is None else [(self.joint.name, k) for k in range(rows_in(self.joint, plane))]

    def pads(self, value: Any) -> list[Pad]:
        """What presses in the joint, in units of the friction along its measure; empty for a constant size."""
        return [] if self.mu is None else pressing(self, self.joint, value)
