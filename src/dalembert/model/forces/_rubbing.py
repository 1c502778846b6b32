"""Coulomb friction at rigid stops: it is there while its stop is closed.

A contact in the plane slides along one line: with two or more of its gaps closed the body only shifts along it, so that all of them slide with the rate of any,
and what matters is the sum of their friction, at most mu times the sum of what presses.  One gap, the first that is closed, then carries it for all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ...errors import ModelError, shown
from ..events import Impact
from ..measure import Measure
from ._dry import OfGap
from ._pressing import Pad, read_several, read_size
from ._soft_rub import SoftRub


@dataclass(frozen=True, eq=False)
class Rub(OfGap):
    """Friction of one gap."""

    owner: Any  # the contact or friction that it belongs to: its load is part of theirs
    name: str  # its own name, in `run.events`
    stop: Impact  # the gap
    slips: tuple[Measure, ...]  # what slides there: one measure in the plane, two in space
    mu: Any  # mu, static: coefficients, as for `m.friction`
    static: Any
    group: tuple[Impact, ...]  # gaps that slide together with it, itself among them
    pressing: tuple[Impact, ...] = ()  # those of the group that are closed

    @property
    def contact(self) -> str:
        """Name of the contact whose gap it is."""
        return self.stop.part

    def within(self, closed: frozenset[str]) -> Rub:
        """The same where these gaps are closed."""
        return replace(self, pressing=tuple(stop for stop in self.group if stop.name in closed))

    def leads(self, closed: frozenset[str]) -> bool:
        """Whether it carries the friction of its group where these gaps are closed."""
        return next((stop is self.stop for stop in self.group if stop.name in closed), False)

    def felt(self, plane: bool) -> list[tuple[str, int]]:
        """Forces along the gaps."""
        return [(stop.name, 0) for stop in self.pressing]

    def pads(self, value: Any) -> list[Pad]:
        """Each gap presses with its force."""
        return [Pad((((1.0, k),),)) for k in range(len(self.pressing))]


def rubs_at(owner: Any, name: str, part: Any) -> tuple[Rub, ...] | tuple[SoftRub, ...]:
    """Friction of all gaps of a contact or stop, with the coefficients (and `along`, of a stop) of its owner, which are read here."""
    wrong = next(
        (name for name in ("radius", "length") if owner is not part and getattr(owner, name) is not None), None
    )
    if wrong is not None:
        found = f"{wrong} = {shown(getattr(owner, wrong))} at a contact"
        raise ModelError(owner.asked, found, "a contact presses at a point", "leave it out")
    if owner.mu is None:
        why = "it holds up to static, and slips with mu"
        raise ModelError(owner.asked, f"static = {shown(owner.static)} without mu", why, "give mu= too")
    owner.set(mu=read_size(owner, "mu", owner.mu))
    if owner.static is not None:
        owner.set(static=owner.model.read_number(owner.asked, "static", owner.static, "nonnegative"))
    stops = part.stops if part.kind != "impact" else (part,)
    if not stops and (pushes := part.pushes()):
        return _soft(owner, name, part, pushes)
    if any(stop.rough for stop in stops):
        raise ModelError(owner.asked, f"mu of {part!r}, which is rough", "rough stops never slip", "leave rough= out")
    if not stops:
        why = "it is held from both sides, without gaps that rub"
        raise ModelError(owner.asked, f"mu of {part!r}", why, "name a joint, a contact or a stop")
    if len(stops) > 1 and not owner.model.plane:
        _refuse_several(owner, len(stops), part)
    slides = _slides(owner, part, len(stops))
    group = stops if part.kind != "impact" and owner.model.plane else ()
    return tuple(
        Rub(owner, name if len(stops) == 1 else f"{name}.{stop.name.rpartition('.')[2]}", stop, slide, owner.mu, owner.static, group or (stop,))
        for stop, slide in zip(stops, slides)
    )  # fmt: skip


def _soft(owner: Any, name: str, part: Any, pushes: dict[str, Any]) -> tuple[SoftRub, ...]:
    """Friction of all gaps of a compliant contact."""
    gaps, plane = part.gaps, owner.model.plane
    if len(gaps) > 1 and not plane:
        _refuse_several(owner, len(gaps), part)
    every = tuple(gaps.values()), tuple(pushes.values())
    return tuple(
        SoftRub(owner, name if len(gaps) == 1 else f"{name}.{label}", part.name, gap, *every, slide, owner.mu, owner.static)
        for (label, gap), slide in zip(gaps.items(), _slides(owner, part, len(gaps)))
    )  # fmt: skip


def _refuse_several(owner: Any, n: int, part: Any) -> None:
    raise ModelError(
        owner.asked, f"mu at the {n} gaps of {part!r} in space",
        "rigid bodies do not tell how several points at rest share the friction that holds them",
        "give one point or ball (points=[P], radius=), up to three contacts with one gap each while they slide, rough=True, or m.friction on a planar joint",
    )  # fmt: skip


def _slides(owner: Any, part: Any, n: int) -> list[tuple[Measure, ...]]:
    """What slides at each gap."""
    along = getattr(owner, "along", None)
    if along is not None:
        if n > 1:
            why = "every gap slides along its own way, which is known"
            raise ModelError(owner.asked, f"along = {shown(along)} at {n} gaps", why, "leave along= out")
        return [read_several(owner, along)]
    known = getattr(part, "_slides", None)
    if known is None:
        why = "a stop is a gap: nothing says what slides while it is closed"
        raise ModelError(owner.asked, f"mu at {part!r}", why, "give along=, the measure that slides")
    return list(known.values())
