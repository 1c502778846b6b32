"""What a model file says of every part: its fields, each with its kind and unit.  Reader, writer, units and schema follow from it.

Fields are known by their names, as the contract of joints and forces has them (`i`, `j`, `at`, `axis`, ...), so that a new joint or
force element is covered by itself.  A name that is not listed here is read by what stands there, without a check of units.
In units, {u} is the unit of the measure that a force element acts on and {f} that of the force that does work on it; {b} is the unit of the coordinate b.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import DalembertError
from ..model.dimensions import GUESSED, NATURAL, TIME, WORK, Quantity, rate_of
from ..model.events import DIRECTIONS, NEWTON, POISSON
from ..model.expression import as_expression
from ..model.forces import MeasureForce, TwoPointForce
from ..model.joints._coupling import Coupling
from ..model.lagrangian import Lagrangian
from ..model.measure import Measure
from ..model.measures_given import OPTIONS
from ..model.mechanism import Mechanism
from ..model.part import Part
from ..model.registry import registered
from ..model.shapes import SHAPES
from ..model.units import parse_unit

# sections of a file: of both kinds of models, of mechanisms, of Lagrangian systems
VERSION = 1
KINDS = ("mechanism", "lagrangian")

GENERAL = ("format", "kind", "$schema", "name", "units", "parameters", "tables", "start", "events", "impacts", "open")
MECHANISM = ("plane", "gravity", "length", "bodies", "measures", "joints", "states", "forces", "drivers")
LAGRANGIAN = ("q", "kinetic", "potential", "dissipation", "gravity", "forces", "holonomic", "nonholonomic", "states", "particles", "bodies",
              "loads", "guess", "frictions")  # fmt: skip

# the measure that a part drives, watches, holds or rubs along: one key of files, and what the methods of models call it
ON = "on"
MEASURE_KEYS = ("measure", "what", "gap", "expression")


@dataclass(frozen=True)
class Field:
    """What a field holds.

    Its kind is one of body, coordinate, coordinates (one or a list), end, point, direction, number, numbers (by name), laws (by name), law, rotation,
    shape, text, word, names (one or a list), count, flag, any.
    """

    kind: str
    unit: str | None = None  # SI
    default: Any = None
    laws: tuple[tuple[str, str | None], ...] = ()  # names that a law gives its own quantities, with their units
    spread: Mapping[str, str] | None = None  # units by what the load is spread over
    power: tuple[str, str] | None = None  # the other field that stands as a power in the unit, and this unit

    @property
    def law_names(self) -> tuple[str, ...]:
        """Names that mean something of their own in the field."""
        return tuple(name for name, _ in self.laws)

    @property
    def late(self) -> bool:
        """Whether the unit follows from other fields."""
        return "{" in (self.unit or "") or self.power is not None

    def unit_on(self, measure: Measure | None) -> str | None:
        """SI unit with that of the measure filled in; None where any unit may stand."""
        if self.unit is None or "{" not in self.unit:
            return self.unit
        conjugate = {"m": "N", "rad": "N m"}
        if measure is None or measure.unit not in conjugate or measure.is_rate:
            return None
        return self.unit.format(u=measure.unit, f=conjugate[measure.unit], b=measure.unit)

    def dimension_on(self, acted_on: Quantity) -> Quantity | None:
        """Dimension by what the part acts on: d -> {u}, work/d -> {f}; None where the field has one of its own or none."""
        if self.unit is None or "{" not in self.unit:
            return None
        if acted_on.dimension is None:
            return acted_on
        u, s = acted_on.dimension, TIME
        f = tuple(w - x for w, x in zip(WORK, u))
        made = {
            "{u}": u,
            "{b}": u,
            "{u}/s": tuple(x - y for x, y in zip(u, s)),
            "{f}": f,
            "{f}/{u}": tuple(x - y for x, y in zip(f, u)),
            "{f} s/{u}": tuple(x + y - z for x, y, z in zip(f, s, u)),
        }[self.unit]
        return Quantity(made, acted_on.level, acted_on.loose)  # type: ignore[arg-type]

    def own_quantities(self, on: Quantity, known: bool) -> dict[str, Quantity]:
        """Dimensions of the names of a law; `known` tells whether `on` is what the part acts on."""
        found = {}
        for k, (own, unit) in enumerate(self.laws):
            if unit is None:
                # a law knows its own quantity and the rate of it; a field three of them
                found[own] = rate_of(on) if k % 2 else on
            elif "{" in unit:
                found[own] = rate_of(on) if known else Quantity(None, GUESSED, frozenset({own}))
            else:
                found[own] = Quantity(parse_unit(unit).dimension, NATURAL)
        return found

    def unit_with(self, model: Mechanism, given: Mapping[str, Any], made: Mapping[str, Any]) -> str | None:
        """Unit with its power; None where the power is wrong, which is told where it stands."""
        assert self.power is not None
        other, form = self.power
        if other in given and other not in made:
            return None
        try:
            power = model.value(as_expression(made.get(other, self.default)))
        except DalembertError:
            return None
        return form.format(power) if 1.0 <= power <= 9.0 else None


def _listed(table: Mapping[str, str]) -> dict[str, Field]:
    made: dict[str, Field] = {}
    for text, names in table.items():
        kind, _, unit = text.partition(" ")
        made |= dict.fromkeys(names.split(), Field(kind, unit or None))
    return made


_BY_NAME = _listed({
    "body": "i j body against",
    "coordinate": "pinion rack left right carrier measure expression",
    "point m": "at on through point relative_to between",
    "end m": "a b",
    "direction": "axis axes along normal x_axis",
    "number m": "radius radii tube length free_length pitch offset span height meridian",
    "number 1": "ratio teeth",
    "number rad": "zero free_angle",
    "text": "frame unit",
    "flag": "internal crossed",
})  # fmt: skip

# numbers of elements that act on one measure
_ON_MEASURE = _listed({
    "number {f}/{u}": "stiffness",
    "number {f} s/{u}": "damping",
    "number {f}": "force static_force torque",
    "number {u}": "lower upper free_length free_angle",
    "number {u}/s": "speed",
})  # fmt: skip

_BODY = {
    "shape": "shape", "number kg": "mass", "number kg m^2": "inertia", "number m": "center at", "number rad": "angle",
    "rotation rad": "rotation", "number m/s": "velocity", "number rad/s": "spin",
}  # fmt: skip
_OF_PART: dict[str, dict[str, Field]] = {
    "body": _listed(_BODY),
    "particle": _listed(_BODY),
    "measure": _listed({"body": "angle", "direction": "cosine"}),
    "drive": _listed({"number {u}": "value"}),
    "state": _listed({"number {u}/s": "rate", "number {u}": "start scale"}),
    "start": _listed({"number {u}": "value", "number {u}/s": "rate"}),
    "events": {
        **_listed({"number": "what level"}), "direction": Field("word", default=tuple(DIRECTIONS)),
        **_listed({"flag": "stop", "numbers": "set", "laws": "change", "names": "release add lock unlock"}),
        **_listed({"numbers": "strike couple restitution", "flag": "once"}),
    },
    "impacts": {
        **_listed({"number": "gap", "number 1": "restitution"}), "hypothesis": Field("word", default=(NEWTON, POISSON)),
        **_listed({"names": "rough"}),
    },
    "frictions": _listed({"number": "what force static_force", "number 1": "mu static", "names": "normal"}),
}  # fmt: skip


def arguments_of(method: Callable[..., Any]) -> tuple[str, ...]:
    """Arguments of a method of a model that adds a part, besides its name."""
    return tuple(inspect.signature(method).parameters)[2:]


_NAMES: dict[str, Iterable[str]] = {
    **{tag: arguments_of(getattr(Mechanism, tag)) for tag in ("body", "particle", "state", "start")},
    "measure": ("expression", *OPTIONS),
    "drive": ("measure", "value"),
    **{section: _OF_PART[section] for section in ("events", "impacts", "frictions")},
}

# what a Lagrangian system calls its parts and loads; numbers of any unit but for these, and names that laws of a load may use besides those of the model
LOADS = ("force", "couple", "field", "actuator")
OF_LAGRANGIAN = {tag: arguments_of(getattr(Lagrangian, tag)) for tag in ("particle", "body", *LOADS)}
UNITS_OF_LAGRANGIAN = {"mass": "kg", "inertia": "kg m^2", "angle": "rad"}
OWN_NAMES = {"field": ("x", "y", "z", "vx", "vy", "vz"), "actuator": ("s", "v")}

_SHAPE_UNITS = {"mass": "kg", "density": "kg/m^3", "area_density": "kg/m^2", "area": "m^2", "inertia": "kg m^2"}


def fields_of(tag: str) -> dict[str, Field]:
    """Fields of a part of a mechanism by its tag, or of those in a section that both kinds of models have, in the order of the call."""
    cls = registered(tag)
    names = _NAMES[tag] if tag in _NAMES else [f.name for f in dataclasses.fields(cls) if f.init]
    return {name: _field(tag, cls, name) for name in names if name not in ("model", "name")}


def _field(tag: str, cls: Any, name: str) -> Field:
    found = _OF_PART.get(tag, {}).get(name) or _BY_NAME.get(name, Field("any"))
    if cls is None:
        return found
    if name in cls.fields_are:
        found = Field(*cls.fields_are[name])
    elif (issubclass(cls, Coupling) and name in ("a", "b")) or (issubclass(cls, MeasureForce) and name == "on"):
        found = Field("coordinate")
    elif issubclass(cls, MeasureForce | TwoPointForce):
        found = _ON_MEASURE.get(name, found)
    laws = tuple((own, cls.law_units.get(own)) for own in cls.law_names.get(name, ()))
    spread, power = (getattr(cls, of, {}).get(name) for of in ("units_per", "units_with"))
    default = getattr(cls, power[0]) if power else None
    return dataclasses.replace(found, laws=laws, spread=spread, power=power, default=default)


def pair_of(tag: str, fields: Mapping[str, Any]) -> tuple[str, str] | None:
    """The two bodies, or ends of a force, that `between` stands for in a file; None where the part has no such pair."""
    cls = registered(tag)
    pair = ("a", "b") if cls is not None and issubclass(cls, TwoPointForce) else ("i", "j")
    return pair if "between" not in fields and set(pair) <= set(fields) else None


def takes_lists(tag: str) -> bool:
    """Whether lists of bodies stand for several parts."""
    cls = registered(tag)
    return cls is not None and cls.several.__func__ is not Part.several.__func__  # type: ignore[attr-defined]


def measure_key(keys: Iterable[str]) -> str | None:
    """What a part with these keys calls its measure, where that is not `on`; of springs and the like the one that stands for both ends."""
    keys = {*keys}
    if ON in keys:
        return None
    own = next((key for key in MEASURE_KEYS if key in keys), None)
    return "a" if own is None and {"a", "b", "between"} <= keys else own


def shape_fields(kind: str) -> dict[str, str]:
    """Arguments of a shape with their units; "axis" is no number, and has none."""
    shape = SHAPES[kind]
    if dataclasses.is_dataclass(shape):
        names = [f.name for f in dataclasses.fields(shape) if f.init]
    else:
        names = list(inspect.signature(shape).parameters)
    return {name: _SHAPE_UNITS.get(name, "m") for name in names}
