"""Arguments of a contact, read: what touches what, the gaps between them, and the law where it is compliant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ...errors import ModelError, shown
from ..frame import Marker, Point, read_direction
from ..measure import Measure
from ..reading import listed, read_flag
from ..touching import GAP
from ._hertz import damping_for, hertz_stiffness
from ._rubbing import rubs_at
from ._sliding import of_balls, over_plane
from ._touching import Feature, ball_gap, check_tilt, features_of, plane_gap

if TYPE_CHECKING:
    from ..mechanism import Mechanism
    from .contact import Contact

# shapes of i that stand for a ball where no plane is given
_ROUND = ("sphere", "disk")


@dataclass(frozen=True)
class Geometry:
    """Gaps by label, what slides at each, and the relative radius of the balls that touch; None where there are corners or rims.

    `places`: for each gap its markers (of a plane x is the normal, of a rim z the axis), radii on i (None: a plane) and j, and whether j is inside.
    """

    gaps: dict[str, Measure]
    slides: dict[str, tuple[Measure, ...]]
    radius: Any
    places: dict[str, tuple[Marker, Marker, Any, Any, bool]]


def several(model: Mechanism, given: dict[str, Any]) -> list[dict[str, Any]]:
    """Arguments of each contact of lists of bodies: of every two of one list, or of each of i with each of j; none where there is no list."""
    asked = f"contact {given['name']!r}"
    first, second = listed(given.get("i")), listed(given.get("j"))
    if first is None and second is None:
        return []
    lists = [
        [model.read_body(asked, x) for x in ([x] if y is None else y)]
        for x, y in ((given.get("i"), first), (given.get("j"), second))
        if x is not None
    ]
    named = [body.name for one in lists for body in one]
    twice = next((name for k, name in enumerate(named) if name in named[:k]), None)
    if twice is not None or len(named) < 2:
        found = f"{twice!r} twice" if twice else "fewer than two bodies"
        raise ModelError(
            asked, found, "lists name the bodies that touch, each once", "give m.contact('pile', [a, b, c])"
        )
    if len(lists) == 2:
        pairs = [
            (a, b, (x.name for x, one in ((a, first), (b, second)) if one is not None))
            for a in lists[0]
            for b in lists[1]
        ]
        return [{**given, "name": "_".join((given["name"], *names)), "i": a, "j": b} for a, b, names in pairs]
    other = next(
        (
            b
            for b in lists[0]
            if b.shape is None or b.shape.kind not in _ROUND or (b.shape.kind == "disk" and not model.plane)
        ),
        None,
    )
    if other is not None and given.get("radii") is None:
        raise ModelError(
            asked, f"{other.name!r} in a list of bodies that touch each other", "every two of them touch as balls",
            "give spheres, in the plane disks; of other bodies each pair, with the normal of the one",
        )  # fmt: skip
    return [
        {**given, "name": f"{given['name']}_{a.name}_{b.name}", "i": a, "j": b} for a, b in combinations(lists[0], 2)
    ]


def read(part: Contact) -> None:
    """Everything about a contact: ends, gaps, the law of a compliant one, the stops of a rigid one, friction."""
    read_ends(part)
    compliant, made = is_compliant(part), geometry_of(part)
    refuse_idle(part, compliant)
    # its force has one place where there is one gap
    glyph = "touch" if len(made.gaps) == 1 else "push"
    part.set(_gaps=made.gaps, _slides=made.slides, _places=made.places, glyph=glyph)
    if compliant:
        read_law(part, made.radius)
    e = 0.0 if part.restitution is None else part.restitution
    part.set(_stops=() if compliant else part.rigid(e, part.hypothesis, made.slides if part.rough else None))
    if part.mu is not None or part.static is not None:
        part.set(_rubs=rubs_at(part, f"{part.name}.friction", part))


def read_ends(part: Contact) -> None:
    i, j = (part.model.read_body(part.asked, body) for body in (part.i, part.j))
    if i is j:
        raise ModelError(part.asked, f"both bodies are {i.name!r}", "a body touches another", "name the other body")
    flags = {name: read_flag(part.asked, name, getattr(part, name)) for name in ("inside", "rough")}
    part.set(i=i, j=j, **flags)


def geometry_of(part: Contact) -> Geometry:
    if part.radii is not None and (part.radius is not None or part.normal is not None):
        raise ModelError(
            part.asked, f"radii = {shown(part.radii)} with a radius or a normal",
            "radii are those of two balls; a plane has a normal and no radius", "leave one of them out",
        )  # fmt: skip
    features = _features(part)
    balls = _balls(part, features)
    if balls is not None:
        return _two_balls(part, features[0], balls)
    if part.inside:
        why = "only a ball has an inside that another one touches"
        raise ModelError(part.asked, "inside = True of a plane", why, "give radii=(R, r), or leave it out")
    return _over_plane(part, features)


def _features(part: Contact) -> list[Feature]:
    """What j touches with: points and radius as given, else what its shape has."""
    if part.radii is not None:
        part.set(radii=part.model.read_pair(part.asked, "radii", part.radii))
    radius = part.radius if part.radii is None else part.radii[1]
    if part.points is None and radius is None:
        if part.axis is not None:
            why = "an axis is that of rims about points"
            raise ModelError(part.asked, f"axis = {shown(part.axis)}", why, "give radius= of the rims, or leave it out")
        return features_of(part.asked, part.j)
    r = 0.0 if radius is None else part.model.read_number(part.asked, "radius", radius, "nonnegative")
    axis = None
    if part.axis is not None:
        if part.model.plane:
            why = "in the plane a disk touches like a ball"
            raise ModelError(part.asked, f"axis = {shown(part.axis)}", why, "leave it out")
        axis = read_direction(part.model, part.asked, "axis", part.axis)
    places = [Point(part.j, (0.0, 0.0, 0.0))] if part.points is None else _places(part)
    labels = [""] if len(places) == 1 else [f"p{k + 1}" for k in range(len(places))]
    return [Feature(label, place, r, axis) for label, place in zip(labels, places)]


def _places(part: Contact) -> list[Any]:
    points = part.points
    items = [points] if isinstance(points, Point) else listed(points) or []
    if not items or any(not isinstance(x, Point) and listed(x) is None for x in items):
        why = "points are a list of points of the second body, or of places as drawn"
        do = "give points=[body.point(x, y), ...]"
        raise ModelError(part.asked, f"points = {shown(points)}", why, do)
    return [part.model.read_point(part.asked, f"points[{k}]", x, part.j) for k, x in enumerate(items)]


def _balls(part: Contact, features: list[Feature]) -> tuple[Any, Any] | None:
    """Radii of two balls; None where i is a plane."""
    if part.radii is not None:
        return part.radii  # type: ignore[no-any-return]
    shape = part.i.shape
    if (
        part.normal is not None
        or shape is None
        or shape.kind not in _ROUND
        or (shape.kind == "disk" and not part.model.plane)
    ):
        return None  # fmt: skip
    if len(features) == 1 and features[0].axis is None:
        return shape.radius, features[0].radius
    raise ModelError(
        part.asked, f"{part.j.name!r} touches with {len(features)} corners or rims, and {part.i.name!r} is a ball",
        "of two bodies without a plane both are balls", "give normal= of a plane of the first body, or radius= of a ball of the second",
    )  # fmt: skip


def _two_balls(part: Contact, feature: Feature, radii: tuple[Any, Any]) -> Geometry:
    value = part.model.value
    if part.inside and not value(radii[0]) > value(radii[1]):
        found = f"radii {value(radii[0]):g} and {value(radii[1]):g}"
        raise ModelError(part.asked, found, "a ball fits into a larger one only", "give radii=(R, r) with R > r")
    centre = (0.0, 0.0, 0.0) if part.through is None else part.through
    first = Point(part.i, centre) if part.through is None else part.model.read_point(part.asked, "through", centre, part.i)  # fmt: skip
    ends = Marker(part.i, first), Marker(part.j, feature.at)
    gap = ball_gap(f"{part.name}.{GAP}", *ends, radii, part.inside)
    big, small = radii
    return Geometry(
        {GAP: gap}, {GAP: of_balls(part, *ends, radii)}, big * small / (big - small if part.inside else big + small),
        {GAP: (*ends, big, small, part.inside)},
    )  # fmt: skip


def _over_plane(part: Contact, features: list[Feature]) -> Geometry:
    up = (0.0, 1.0) if part.model.plane else (0.0, 0.0, 1.0)
    normal = read_direction(part.model, part.asked, "normal", up if part.normal is None else part.normal)
    place: Any = Point(part.i, (0.0, 0.0, 0.0))
    if part.through is not None:
        place = part.model.read_point(part.asked, "through", part.through, part.i)
    plane = Marker(part.i, place, x=normal)
    for f in features:
        if f.axis is not None:
            check_tilt(part.asked, normal, f, part.j)
    if len(features) == 1:
        features = [replace(features[0], label=GAP)]
    gaps = {f.label: plane_gap(f"{part.name}.{f.label}", plane, f, part.j) for f in features}
    sharp = all(f.axis is None and part.model.value(f.radius) == 0.0 for f in features)
    if part.rough and not sharp:
        why = "what touches with a ball or a rim rolls: the point that touches changes"
        do = "leave rough= out; m.rolling_sphere and m.rolling_disk roll without slipping"
        raise ModelError(part.asked, "rough = True of round bodies", why, do)
    slides = {f.label: over_plane(part, plane, f) for f in features}
    ball = len(features) >= 1 and all(f.axis is None for f in features) and not sharp
    places = {f.label: (plane, Marker(part.j, f.at, z=f.axis), None, f.radius, False) for f in features}
    return Geometry(gaps, slides, features[0].radius if ball else None, places)


def is_compliant(part: Contact) -> bool:
    """Whether it has a law at every depth."""
    return any(x is not None for x in (part.stiffness, part.young, part.damping, part.speed))


def refuse_idle(part: Contact, compliant: bool) -> None:
    """Refuse what would have no effect: parts of a law that a rigid contact has not, and a hypothesis of impacts that a compliant one has not."""
    hertz = part.young is not None
    idle = (
        ("exponent", 1.5, not compliant or hertz, "the exponent belongs to stiffness=; Hertz' law has 3/2", "give stiffness=, or leave it out"),
        ("poisson", 0.3, not hertz, "it belongs to young= (Hertz)", "give young=, or leave it out"),
        ("hypothesis", "newton", compliant, "a compliant contact has no impacts: its rebound follows from its law", "leave it out"),
    )  # fmt: skip
    for name, usual, without, why, do in idle:
        given = getattr(part, name)
        if without and not (isinstance(given, type(usual)) and given == usual):
            raise ModelError(part.asked, f"{name} = {shown(given)}", why, do)


def read_law(part: Contact, radius: Any) -> None:
    """Stiffness, exponent and damping of a compliant contact; `radius` is that of Hertz."""
    if part.rough:
        why = "rough corners are rigid ones"
        raise ModelError(part.asked, "rough = True of a compliant contact", why, "leave rough= out, or the stiffness")
    if (part.stiffness is None) == (part.young is None):
        found = "neither stiffness nor young" if part.stiffness is None else "stiffness and young"
        raise ModelError(part.asked, found, "a compliant contact has one of them", "give stiffness=, or young= (Hertz)")
    if part.young is not None:
        if radius is None:
            why = "Hertz' law is that of balls: corners and rims have no radius of curvature"
            raise ModelError(part.asked, f"young = {shown(part.young)}", why, "give radius=, or stiffness=")
        part.set(exponent=1.5, stiffness=hertz_stiffness(part, part.young, part.poisson, radius))
    if part.speed is not None and part.damping is not None:
        why = "the damping follows from the restitution at a speed, or is given"
        raise ModelError(part.asked, "damping and speed", why, "leave one of them out")
    if part.restitution is not None and part.damping is not None:
        why = "the restitution of a compliant contact follows from its damping"
        raise ModelError(part.asked, "damping and restitution", why, "leave one of them out")
    damping = 0.0 if part.damping is None else part.damping
    if part.speed is not None or part.restitution is not None:
        damping = damping_for(part.asked, part.restitution, part.speed)
    for name, x, rule in (
        ("stiffness", part.stiffness, "positive"), ("exponent", part.exponent, "positive"), ("damping", damping, "nonnegative"),
    ):  # fmt: skip
        part.set(**{name: part.model.read_number(part.asked, name, x, rule)})
    if part.model.value(part.exponent) < 1.0:
        found = f"exponent = {part.model.value(part.exponent):g}"
        raise ModelError(
            part.asked, found, "below 1 the stiffness is infinite where it touches", "give 1, or 1.5 (Hertz)"
        )
