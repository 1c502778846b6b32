"""Coulomb friction at rigid stops: it is there while its stop is closed.

A contact in the plane slides along one line: with two or more of its gaps closed the body only shifts along it, so that all of them slide with the rate of any,
and what matters is the sum of their friction, at most mu times the sum of what presses.  One gap, the first that is closed, then carries it for all.

In space the closed gaps slide together where the body does not turn about the normal, all with one velocity u.  Their friction -mu n_k u/|u| has the sum -mu N u/|u|, at
the centre of pressure c, N = sum n_k, N c = sum n_k r_k: both are determined, though single n_k of four corners are not.  What sticks is held by two slips of the first gap and
the turning about the normal, a force F and a moment M about c.  With o the centre of a circle such that all closed gaps lie between it (radius a) and one of b >= a,

    f_k = n_k (F/N + M/S z x (r_k - c)),   S = sum n_k |r_k - c|^2 >= N (a^2 - d^2),   d = |c - o|,   |r_k - c| <= b + d

have the sum F and the moment M, so that every sharing n_k >= 0 of N and c holds where

    |F| + |M| b/(a (a - d)) <= static N                  since (b + d)/(a^2 - d^2) <= b/(a (a - d))

and none does where |F| > static N.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError, shown
from ..events import Impact
from ..expression import Call, Expr, Name
from ..measure import Measure
from ._base import Law
from ._dry import OfGap
from ._pressing import Pad, length_of, read_several, read_size
from ._soft_rub import SoftRub

if TYPE_CHECKING:
    from ..mechanism import Mechanism
    from ..part import Part

# turning about the normal [rad/s] up to which a body slides without: some rounding
TURNS = 1e-9
# part of a length, or of the largest singular value, that is none
NEAR = 1e-9


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
    # in space, of several gaps: what slides at each of the group, and the turning about the normal
    others: tuple[tuple[Measure, ...], ...] = ()
    spin: Measure | None = None
    pressing: tuple[Impact, ...] = ()  # those of the group that are closed

    @property
    def together(self) -> bool:  # type: ignore[override]
        """Whether several closed gaps in space share it."""
        return self.spin is not None and len(self.pressing) > 1

    @property
    def beside(self) -> tuple[str, ...]:  # type: ignore[override]
        """In space, friction of the other gaps of its group."""
        return tuple(rub.name for rub in self.owner.rubs if self.spin is not None and rub.name != self.name)

    @property
    def contact(self) -> str:
        """Name of the contact whose gap it is."""
        return self.stop.part

    def within(self, closed: frozenset[str], apart: frozenset[str] = frozenset()) -> Rub:
        """The same where these gaps are closed, and rub together or `apart`."""
        group = (self.stop,) if self.owner.name in apart else self.group
        return replace(self, pressing=tuple(stop for stop in group if stop.name in closed))

    def leads(self, closed: frozenset[str], apart: frozenset[str] = frozenset()) -> bool:
        """Whether it carries the friction of its group where these gaps are closed."""
        if self.owner.name in apart:
            return self.stop.name in closed
        return next((stop is self.stop for stop in self.group if stop.name in closed), False)

    def drivable(self, closed: frozenset[str], model: Mechanism) -> bool:
        """Whether what it does is known of a driven motion in which these gaps hold: in space of one gap at a time."""
        return bool(model.plane) or sum(stop.name in closed for stop in self.group) < 2

    def felt(self, plane: bool) -> list[tuple[str, int]]:
        """Forces along the gaps."""
        return [(stop.name, 0) for stop in self.pressing]

    def pads(self, value: Any) -> list[Pad]:
        """Each gap presses with its force; in space all together."""
        each = range(len(self.pressing))
        return [Pad((tuple((1.0, k) for k in each),))] if self.together else [Pad((((1.0, k),),)) for k in each]

    def sliding(self) -> list[tuple[Measure, ...]]:
        """What slides at each closed gap."""
        if not self.together:
            return [self.slips]
        return [slips for stop, slips in zip(self.group, self.others) if stop in self.pressing]

    def places(self) -> list[tuple[Measure, Measure]]:
        """Where the closed gaps are along the surface: y and z of the plane, whose normal is x."""
        return [places_of(stop) for stop in self.pressing]

    def held(self) -> list[Measure]:
        """What slides at all closed gaps."""
        return [one for slips in self.sliding() for one in slips]

    def watched(self) -> list[Measure]:
        """What is asked for beside what slides: the turning about the normal, and places."""
        return [*((self.spin,) if self.spin is not None else ()), *(x for stop in self.group for x in places_of(stop))]

    def stick(self) -> list[Measure]:
        """Its slips, and the turning about the normal where several gaps hold together."""
        return [*super().stick(), self.spin] if self.together and self.spin is not None else super().stick()

    def elements(self) -> list[tuple[Measure, Law]]:
        """Laws on what slides at every closed gap."""
        return [(one, Law("slip")) for one in self.held()]

    def slip_watch(self, way: Any, slow: float) -> tuple[Expr, int]:
        """As of other friction; several gaps in space slide together until the body turns: a + b - |(a, b)| is negative where a or b is."""
        along, direction = super().slip_watch(way, slow)
        if not self.together or self.spin is None:
            return along, direction
        # of the size of usual rates, so that the smaller of the two is followed as it is
        left = 1e6 * slow * (1.0 - (1.0 / TURNS**2) * self.spin.rate**2)
        return along + left - length_of([along, left]), -1

    def left_before_slip(self, static: float, own: list[str], names: list[str], circle: Circle) -> Expr:
        """What is left before several gaps that hold together may slip, (static N - |F|)(a - d) N - b/a |M| N (see above): of its multipliers, those of the gaps, and their places."""
        places = [[one.symbol for one in pair] for pair in self.places()]
        n = [-1.0 * Name(x) for x in names]
        total = _sum(n)
        first, (fy, fz, turning) = places[self.pressing.index(self.stop)], map(Name, own)
        # N c, N o, N times the moment about c
        pressed = [_sum([x * r[k] for x, r in zip(n, places)]) for k in (0, 1)]
        middle = [total * _sum([w * r[k] for w, r in zip(circle.weights, places)]) for k in (0, 1)]
        arm = [total * first[k] - pressed[k] for k in (0, 1)]
        moment = Call("abs", (total * turning + arm[0] * fz - arm[1] * fy,))
        reach = circle.inner * total - length_of([p - o for p, o in zip(pressed, middle)])
        # where c is as far from the middle as the corners are, no moment is held but that of rounding
        reach = 0.5 * (reach + length_of([reach, NEAR * circle.outer * total]))
        return (static * total - length_of([fy, fz])) * reach - circle.ratio * moment


def _sum(parts: Sequence[Expr]) -> Expr:
    return sum(parts[1:], parts[0])


def places_of(stop: Impact) -> tuple[Measure, Measure]:
    """Where a point, ball or rim over a plane is along it."""
    lift = stop.gap.terms[0][1]
    y, z = (Measure(f"{stop.gap.name}.along_{a}", "along_body", lift.i, lift.j, direction=a, unit="m") for a in "yz")
    return y, z


@dataclass(frozen=True)
class Circle:
    """A circle among points: its centre as weights of them, and the smallest and largest distance of a point from it; 0 is the smallest where it is none beside the largest."""

    weights: tuple[float, ...]
    inner: float
    outer: float

    @property
    def ratio(self) -> float:
        """Of the two radii, where both are."""
        return self.outer / self.inner if self.inner else 1.0

    @classmethod
    def through(cls, points: np.ndarray) -> Circle:
        """Through two, three or any points of a circle; near to others: the least squares of 2 r.o + e = r^2."""
        r = points - points.mean(axis=0)
        square = np.sum(r * r, axis=1)
        o = np.linalg.lstsq(2.0 * r, square - square.mean(), rcond=NEAR)[0]
        weights = 1.0 / len(r) + np.linalg.lstsq(r.T, o, rcond=NEAR)[0]
        apart = np.linalg.norm(r - o, axis=1)
        inner, outer = float(apart.min()), float(apart.max())
        return cls(tuple(map(float, weights)), inner if inner > 1e-3 * outer else 0.0, outer)


def rubs_at(owner: Part, name: str, part: Part) -> tuple[Rub, ...] | tuple[SoftRub, ...]:
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
        return _stated(_soft(owner, name, part, pushes))
    if any(stop.rough for stop in stops):
        raise ModelError(owner.asked, f"mu of {part!r}, which is rough", "rough stops never slip", "leave rough= out")
    if not stops:
        why = "it is held from both sides, without gaps that rub"
        raise ModelError(owner.asked, f"mu of {part!r}", why, "name a joint, a contact or a stop")
    slides = tuple(_slides(owner, part, len(stops)))
    spin = _turning(owner, part) if len(stops) > 1 and not owner.model.plane else None
    return _stated(tuple(
        Rub(owner, name if len(stops) == 1 else f"{name}.{stop.name.rpartition('.')[2]}", stop, slide, owner.mu, owner.static, stops, slides, spin)
        for stop, slide in zip(stops, slides)
    ))  # fmt: skip


def _stated(rubs: Any) -> Any:
    """Friction whose coefficients go together at the present parameters; refused otherwise."""
    rubs[0].holding(rubs[0].model.value)
    return rubs


def _turning(owner: Part, part: Part) -> Measure:
    """The turning of a body about the normal of the plane on which it stands."""
    if len({gap.kind for gap in part.gaps.values()}) > 1:
        raise ModelError(
            owner.asked, f"mu at {part!r}, which touches with a rim and a point", "where its rim touches depends on how it lies, and with it how far the friction of both is determined",
            "give points of the rim that it stands on (points=[P, Q, R]), or leave mu= out",
        )  # fmt: skip
    lift = next(iter(part.gaps.values())).terms[0][1]
    return Measure(f"{part.name}.turning", "spin", lift.i, lift.j, direction="x", frame=part.i, unit="rad")


def _soft(owner: Part, name: str, part: Part, pushes: dict[str, Any]) -> tuple[SoftRub, ...]:
    """Friction of all gaps of a compliant contact: in the plane with what presses at all of them, in space each with its own."""
    every = tuple(part.gaps.values()), tuple(pushes.values())
    felt = [every] * len(pushes) if owner.model.plane else [((gap,), (push,)) for gap, push in zip(*every)]
    return tuple(
        SoftRub(owner, name if len(pushes) == 1 else f"{name}.{label}", part.name, gap, *own, slide, owner.mu, owner.static)
        for (label, gap), own, slide in zip(part.gaps.items(), felt, _slides(owner, part, len(pushes)))
    )  # fmt: skip


def _slides(owner: Part, part: Part, n: int) -> list[tuple[Measure, ...]]:
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
