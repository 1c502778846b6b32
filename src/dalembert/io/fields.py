"""What the fields of parts hold: bodies, points, directions, coordinates, numbers with a unit.

Fields are known by their names, as the contract of joints and forces has them (`i`, `j`, `at`, `axis`, ...), so that a new joint or
force element is covered by itself.  A name that is not listed here is read by what stands there, without a check of units.
In units, {u} is the unit of the measure that a force element acts on and {f} that of the force that does work on it; {b} is the unit of the coordinate b.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import DalembertError
from ..model.dimensions import GUESSED, NATURAL, TIME, WORK, Quantity, rate_of
from ..model.expression import as_expression
from ..model.forces import MeasureForce, TwoPointForce
from ..model.joints._coupling import Coupling
from ..model.measure import Measure
from ..model.measures_given import OPTIONS
from ..model.mechanism import Mechanism
from ..model.part import Part
from ..model.registry import registered
from ..model.shapes import SHAPES
from ..model.units import parse_unit


@dataclass(frozen=True)
class Field:
    """Kind of a field (body, coordinate, coordinates (one or a list), end, point, direction, number, law, rotation, shape, text, count, flag, any) and its SI unit."""

    kind: str
    unit: str | None = None


_BODY, _COORDINATE, _END, _POINT = Field("body"), Field("coordinate"), Field("end", "m"), Field("point", "m")
_DIRECTION, _TEXT, _FLAG, _ANY = Field("direction"), Field("text"), Field("flag"), Field("any")
_LENGTH, _PURE = Field("number", "m"), Field("number", "1")

_BY_NAME: dict[str, Field] = {
    **dict.fromkeys(("i", "j", "body", "against"), _BODY),
    **dict.fromkeys(("pinion", "rack", "left", "right", "carrier", "measure", "expression"), _COORDINATE),
    **dict.fromkeys(("at", "on", "through", "point", "relative_to", "between"), _POINT),
    **dict.fromkeys(("a", "b"), _END),
    **dict.fromkeys(("axis", "axes", "along", "normal", "x_axis"), _DIRECTION),
    **dict.fromkeys(("radius", "radii", "tube", "length", "free_length", "pitch", "offset", "span", "height"), _LENGTH),
    **dict.fromkeys(("ratio", "teeth"), _PURE),
    **dict.fromkeys(("zero", "free_angle"), Field("number", "rad")),
    **dict.fromkeys(("frame", "unit"), _TEXT),
    **dict.fromkeys(("internal", "crossed"), _FLAG),
    "meridian": _LENGTH,
}

_BY_PART: dict[tuple[str, str], Field] = {
    ("body", "shape"): Field("shape"),
    ("body", "mass"): Field("number", "kg"),
    ("body", "inertia"): Field("number", "kg m^2"),
    ("body", "center"): _LENGTH,
    ("body", "at"): _LENGTH,
    ("body", "angle"): Field("number", "rad"),
    ("body", "rotation"): Field("rotation", "rad"),
    ("body", "velocity"): Field("number", "m/s"),
    ("body", "spin"): Field("number", "rad/s"),
    ("measure", "angle"): _BODY,
    ("measure", "cosine"): _DIRECTION,
    ("drive", "value"): Field("number", "{u}"),
    ("state", "rate"): Field("number", "{u}/s"),
    ("state", "start"): Field("number", "{u}"),
    ("state", "scale"): Field("number", "{u}"),
    ("start", "value"): Field("number", "{u}"),
    ("start", "rate"): Field("number", "{u}/s"),
}

# numbers of elements that act on one measure
_ON_MEASURE: dict[str, str] = {
    "stiffness": "{f}/{u}",
    "damping": "{f} s/{u}",
    "force": "{f}",
    "static_force": "{f}",
    "torque": "{f}",
    "lower": "{u}",
    "upper": "{u}",
    "speed": "{u}/s",
    "free_length": "{u}",
    "free_angle": "{u}",
}


def arguments_of(method: Callable[..., Any]) -> tuple[str, ...]:
    """Arguments of a method of a model that adds a part, besides its name."""
    return tuple(inspect.signature(method).parameters)[2:]


_OWN: dict[str, tuple[str, ...]] = {
    **{tag: arguments_of(getattr(Mechanism, tag)) for tag in ("body", "particle", "state", "start")},
    "measure": ("expression", *OPTIONS),
    "drive": ("measure", "value"),
}

_SHAPE_UNITS = {"mass": "kg", "density": "kg/m^3", "area_density": "kg/m^2", "area": "m^2", "inertia": "kg m^2"}


def names_of(tag: str) -> tuple[str, ...]:
    """Fields of a part, in the order of the call."""
    if tag in _OWN:
        return _OWN[tag]
    cls = registered(tag)
    assert cls is not None
    return tuple(f.name for f in dataclasses.fields(cls) if f.init and f.name not in ("model", "name"))


def pair_of(tag: str) -> tuple[str, str] | None:
    """The two bodies, or ends of a force, that `between` stands for in a file; None where the part has no such pair."""
    names = names_of(tag)
    cls = registered(tag)
    pair = ("a", "b") if cls is not None and issubclass(cls, TwoPointForce) else ("i", "j")
    return pair if "between" not in names and set(pair) <= set(names) else None


def takes_lists(tag: str) -> bool:
    """Whether lists of bodies stand for several parts."""
    cls = registered(tag)
    return cls is not None and cls.several.__func__ is not Part.several.__func__  # type: ignore[attr-defined]


def field_of(tag: str, name: str) -> Field:
    """What a field of a part holds."""
    found = _BY_PART.get(("body" if tag == "particle" else tag, name))
    if found is not None:
        return found
    cls = registered(tag)
    if cls is not None and name in cls.fields_are:
        return Field(*cls.fields_are[name])
    if cls is not None and issubclass(cls, Coupling) and name in ("a", "b"):
        return _COORDINATE
    if cls is not None and issubclass(cls, MeasureForce) and name == "on":
        return _COORDINATE
    if cls is not None and issubclass(cls, MeasureForce | TwoPointForce) and name in _ON_MEASURE:
        return Field("number", _ON_MEASURE[name])
    return _BY_NAME.get(name, _ANY)


def law_names(tag: str, name: str) -> tuple[str, ...]:
    """Names that mean something of their own in a field."""
    return getattr(registered(tag), "law_names", {}).get(name, ())  # type: ignore[no-any-return]


def own_quantities(tag: str, name: str, on: Quantity, known: bool) -> dict[str, Quantity]:
    """Dimensions of such names; `known` tells whether `on` is what the part acts on."""
    units, found = getattr(registered(tag), "law_units", {}), {}
    for k, own in enumerate(law_names(tag, name)):
        unit = units.get(own)
        if unit is None:
            # a law knows its own quantity and the rate of it; a field three of them
            found[own] = rate_of(on) if k % 2 else on
        elif "{" in unit:
            found[own] = rate_of(on) if known else Quantity(None, GUESSED, frozenset({own}))
        else:
            found[own] = Quantity(parse_unit(unit).dimension, NATURAL)
    return found


def points_over_angle(tag: str, name: str, x: Any) -> bool:
    """Whether a law is given as points, the angles of which have a unit of their own."""
    units = getattr(registered(tag), "law_units", {})
    return isinstance(x, list) and any(units.get(own) == "rad" for own in law_names(tag, name))


def units_per(tag: str, name: str) -> dict[str, str]:
    """Units of a field by what the load is spread over; empty where it is not spread."""
    return getattr(registered(tag), "units_per", {}).get(name, {})  # type: ignore[no-any-return]


def with_power(tag: str, name: str) -> str | None:
    """The other field that stands as a power in the unit of a field; None where its unit has none."""
    return getattr(registered(tag), "units_with", {}).get(name, (None,))[0]  # type: ignore[no-any-return]


def unit_with(tag: str, name: str, model: Mechanism, given: Mapping[str, Any], made: Mapping[str, Any]) -> str | None:
    """Unit of such a field; None where the power is wrong, which is told where it stands."""
    other, form = registered(tag).units_with[name]
    if other in given and other not in made:
        return None
    try:
        power = model.value(as_expression(made.get(other, getattr(registered(tag), other))))
    except DalembertError:
        return None
    return form.format(power) if 1.0 <= power <= 9.0 else None  # type: ignore[no-any-return]


def unit_of(field: Field, measure: Measure | None) -> str | None:
    """SI unit of a field, with that of the measure filled in; None where any unit may stand."""
    if field.unit is None or "{" not in field.unit:
        return field.unit
    conjugate = {"m": "N", "rad": "N m"}
    if measure is None or measure.unit not in conjugate or measure.is_rate:
        return None
    return field.unit.format(u=measure.unit, f=conjugate[measure.unit], b=measure.unit)


def dimension_in(field: Field, acted_on: Quantity) -> Quantity | None:
    """Dimension that a field has by what the part acts on: d -> {u}, work/d -> {f}; None where the field has one of its own or none."""
    if field.unit is None or "{" not in field.unit:
        return None
    if acted_on.dimension is None:
        return acted_on
    u = acted_on.dimension
    force = tuple(w - x for w, x in zip(WORK, u))
    made = {
        "{u}": u,
        "{b}": u,
        "{u}/s": tuple(x - s for x, s in zip(u, TIME)),
        "{f}": force,
        "{f}/{u}": tuple(f - x for f, x in zip(force, u)),
        "{f} s/{u}": tuple(f + s - x for f, s, x in zip(force, TIME, u)),
    }[field.unit]
    return Quantity(made, acted_on.level, acted_on.loose)  # type: ignore[arg-type]


def shape_fields(kind: str) -> dict[str, str]:
    """Arguments of a shape with their units; "axis" is no number, and has none."""
    shape = SHAPES[kind]
    if dataclasses.is_dataclass(shape):
        names = [f.name for f in dataclasses.fields(shape) if f.init]
    else:
        names = list(inspect.signature(shape).parameters)
    return {name: _SHAPE_UNITS.get(name, "m") for name in names}
