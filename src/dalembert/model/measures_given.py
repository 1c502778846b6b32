"""Measures that users name themselves: `m.measure(name, ...)`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, nearest, shown
from .dimensions import DimensionError, Judge, same
from .expression import functions
from .frame import Axis, Marker, Point, read_direction, read_location
from .measure import Measure
from .reading import check_text, read_items
from .units import NONE, UnitError, kind_of, parse_unit, si_text, si_unit

if TYPE_CHECKING:
    from .mechanism import Mechanism

# what may be given together with each way to define a measure
_WAYS: dict[str, tuple[str, ...]] = {
    "expression": ("unit",),
    "between": (),
    "point": ("along", "relative_to"),
    "angle": ("axis",),
    "cosine": (),
}
OPTIONS = ("between", "point", "along", "relative_to", "angle", "axis", "cosine", "unit")


def given_measure(model: Mechanism, asked: str, name: str, what: Any, options: dict[str, Any]) -> Measure:
    """Measure from an expression, or from two points, a point and a direction, or two bodies."""
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise ModelError(asked, f"unknown argument {unknown[0]!r}", nearest(unknown[0], OPTIONS), "use one of these")
    kinds = [k for k in ("between", "point", "angle", "cosine") if options.get(k) is not None] + (
        ["expression"] if what is not None else []
    )
    if len(kinds) != 1:
        raise ModelError(
            asked, f"given: {', '.join(kinds) or 'nothing'}",
            "one way to define the measure is needed", "give an expression, between=, point=, angle= or cosine=",
        )  # fmt: skip
    way = kinds[0]
    useless = [k for k, x in options.items() if x is not None and k != way and k not in _WAYS[way]]
    if useless:
        raise ModelError(
            asked, f"{useless[0]} = {shown(options[useless[0]])} together with {way}",
            f"it has no meaning there; {way} takes {' and '.join(_WAYS[way]) or 'nothing else'}", f"leave {useless[0]} out",
        )  # fmt: skip
    if what is not None:
        unit = options.get("unit")
        check_text(asked, "unit", "" if unit is None else unit, "give for example unit='m'")
        return _with_unit(model, asked, replace(model.read_coordinate(asked, what), name=name), unit)
    if way == "between":
        a, b = model.read_ends(
            asked, *read_items(asked, way, options[way], 2, "two points are needed", "give between=(P, Q)")
        )
        return Measure(name, "distance", Marker(a.body, a), Marker(b.body, b), unit="m")
    if way == "angle":
        return _angle(model, asked, name, options)
    if way == "cosine":
        return _cosine(model, asked, name, options["cosine"])
    return _coordinate(model, asked, name, options)


def _with_unit(model: Mechanism, asked: str, found: Measure, unit: str | None) -> Measure:
    """A measure with the SI unit of its dimension: that of the unit given, which must fit, or what follows from its expression.

    Expressions are computed in SI units; in which units they are shown is said by the units of the model.  What is no unit is a label.
    """
    judge = Judge(model._dimension, {})
    try:
        known = judge.of(found.expression) if found.expression is not None and found.unit == "1" else None
        dimension = parse_unit(found.unit).dimension if known is None else known.dimension
    except (DimensionError, UnitError):
        return found if unit is None else replace(found, unit=unit)
    if unit is None:
        derived = dimension not in (None, NONE) and (known is None or not known.loose)
        return replace(found, unit=si_text(dimension)) if derived and found.unit == "1" else found  # type: ignore[arg-type]
    try:
        given = parse_unit(unit)
    except UnitError:
        return replace(found, unit=unit)
    sure = dimension is not None and (known is None or (bool(known.level) and not judge.doubts))
    if sure and not same(dimension, given.dimension):  # type: ignore[arg-type]
        what = found.name if found.expression is None else str(found.expression)
        why = f"{what!r} is {kind_of(dimension)}, {unit!r} is a unit of {kind_of(given.dimension)}"  # type: ignore[arg-type]
        raise ModelError(asked, f"unit = {unit!r}", why, "leave unit out: it follows from the expression")
    return replace(found, unit=si_unit(unit))


def _angle(model: Mechanism, asked: str, name: str, options: dict[str, Any]) -> Measure:
    pair = read_items(asked, "angle", options["angle"], 2, "two bodies are needed", "give angle=(i, j)")
    i, j = (model.read_body(asked, x) for x in pair)
    if i is j:
        raise ModelError(asked, f"both bodies are {i.name!r}", "an angle is between two bodies", "name the other body")
    axis = None
    if not model.plane:
        if options.get("axis") is None:
            raise ModelError(asked, "axis is missing", "in space an angle is about an axis", "give axis=(x, y, z)")
        axis = read_direction(model, asked, "axis", options["axis"])
    return Measure(name, "angle", Marker(i, z=axis), Marker(j, z=axis), unit="rad")


def _cosine(model: Mechanism, asked: str, name: str, pair: Any) -> Measure:
    given = read_items(asked, "cosine", pair, 2, "two directions are needed", "give cosine=(bar.axis(1, 0), (0, 1))")
    found = [read_direction(model, asked, f"cosine[{k}]", d) for k, d in enumerate(given)]
    axes = [d if isinstance(d, Axis) else Axis(model.ground, d) for d in found]
    i, j = axes
    if i.body is j.body:
        why = "the angle of two directions of one body does not change"
        raise ModelError(asked, f"both directions are on {i.body.name!r}", why, "give an axis of another body")
    if model.plane:
        # the angle from one to the other is that of the bodies and of the directions on them
        turns = []
        for axis in axes:
            if axis.body.particle:
                model.refuse_particle(asked, axis.body, "a direction on it")
            on_body = functions.atan2(axis.coordinates[1], axis.coordinates[0]).simplify()
            turns.append(on_body if axis.body.is_ground else axis.body.angle + on_body)
        return Measure(name, "expression", expression=functions.cos(turns[1] - turns[0]), unit="1")
    first, second = (Marker(axis.body, x=axis) for axis in axes)
    return Measure(name, "dot", first, second, direction=("x", "x"), unit="1")


def _coordinate(model: Mechanism, asked: str, name: str, options: dict[str, Any]) -> Measure:
    point = read_location(model, asked, "point", options["point"])
    if not isinstance(point, Point):
        raise ModelError(
            asked, f"point = {shown(options['point'])}", "the point must be on a body", "give body.point(x, y)"
        )
    if options.get("along") is None:
        raise ModelError(asked, "along is missing", "a coordinate of a point needs a direction", "give along=(1, 0)")
    direction = read_direction(model, asked, "along", options["along"])
    origin: Any = Point(model.ground, (0.0, 0.0, 0.0))
    if options.get("relative_to") is not None:
        origin = read_location(model, asked, "relative_to", options["relative_to"])
        if not isinstance(origin, Point):
            origin = Point(model.ground, origin)
    if origin.body is point.body:
        raise ModelError(
            asked, f"both points are on {point.body.name!r}",
            "their difference is constant on the body", "choose a point of another body",
        )  # fmt: skip
    return along_direction(asked, name, origin, point, direction)


def along_direction(asked: str, name: str, origin: Point, point: Point, direction: Any) -> Measure:
    """Difference of two points along a direction in space, or along an axis of one of their bodies; it has a sign."""
    j = Marker(point.body, point)
    if not isinstance(direction, Axis):
        return Measure(name, "along_space", Marker(origin.body, origin), j, direction=direction, unit="m")
    if direction.body is origin.body:
        return Measure(name, "along_body", Marker(origin.body, origin, x=direction), j, direction="x", unit="m")
    if direction.body is point.body:
        # d on j: s = d . (P_j - P_i) = -(d . (P_i - P_j)), the same measure with the bodies exchanged
        back = Measure(
            f"{name}.back",
            "along_body",
            Marker(point.body, point, x=direction),
            Marker(origin.body, origin),
            direction="x",
            unit="m",
        )
        return Measure(name, "combination", back.i, back.j, terms=((-1.0, back),), unit="m")
    raise ModelError(
        asked, f"along = {direction!r}",
        "the direction must be fixed in space or on one of the two bodies", "choose another direction",
    )  # fmt: skip
