"""Events and stops in files: the sections [events], [impacts] and the list `open`, the same for both kinds of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model.dimensions import Quantity
from ..model.mechanism import Mechanism
from ..model.units import parse_unit, split_quantity
from ..options.tables import TABLES
from .derived import mentioned
from .fields import MEASURE_KEYS, ON, Field, fields_of
from .problems import Failed, Path

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian

# what the analysis of a blow calls it
_OPTIONS = {"strike": "impulse"}
# section, method of the model, what it watches, why; friction names stops, and events name both.  Friction of a mechanism is among its forces
SECTIONS = {
    "impacts": ("impact", "gap", "a stop has a gap"),
    "frictions": ("friction", "what", "friction acts on what slips"),
    "events": ("event", "what", "an event watches a measure"),
}


def read_events(reader: Any, model: Mechanism | Lagrangian) -> None:
    """Add events, stops, friction of a Lagrangian system and open joints of a file to a model; problems are noted."""
    for section, (method, needed, watches) in SECTIONS.items():
        fields = fields_of(section)
        for name, x in (
            {} if section == "frictions" and isinstance(model, Mechanism) else reader.section(section)
        ).items():
            path: Path = (section, name)
            if reader.failed & (mentioned(x) | _keys(x)):
                continue  # told where these are made
            given, failed = reader.known_keys(path, x, fields)
            if needed not in given:
                reader.problems.add(path, f'{ON} is missing; {watches}: {ON} = "s.x"')
                continue
            made = {}
            for key, item in given.items():
                try:
                    if key == "level" and isinstance(item, str):
                        wanted = reader.values.dimension_in(given[needed])
                        made[key] = reader.values.number((*path, key), item, None, wanted)
                    else:
                        made[key] = _read(reader, model, (*path, key), fields[key], item)
                except Failed:
                    failed = True
            if not failed:
                reader.made(path, getattr(model, method), name, made.pop(needed), fields=given, **made)
    opened = reader.data.get("open", [])
    if not isinstance(opened, list):
        reader.problems.wrong_type(("open",), opened, "a list of names of joints")
        return
    for k, name in enumerate(opened):
        reader.made(("open", k), model.open, name)


def _changed(reader: Any, model: Mechanism | Lagrangian, path: Path, x: Any) -> Any:
    """Other arguments of a part, or another expression of a driver, of the force on a coordinate, of an energy."""
    stated = model.given(path[-1])
    if not isinstance(x, dict):
        return reader.values.number(path, x, None)
    if stated is None:
        return x  # told by the model
    method, arguments = stated
    own = {"impact": "impacts", **({} if isinstance(model, Mechanism) else {"friction": "frictions"})}.get(method)
    if own is not None:
        fields = fields_of(own)
        given, failed = reader.known_keys(path, x, fields)
        made = {key: _read(reader, model, (*path, key), fields[key], item) for key, item in given.items()}
    else:
        made, right = reader.part_arguments(model, path, method, x, arguments)
        failed = not right
    if failed:
        raise Failed
    return made


def _keys(x: Any) -> set[str]:
    """Names of what an event sets and changes."""
    return {name for item in x.values() if isinstance(item, dict) for name in item} if isinstance(x, dict) else set()


def _number(reader: Any, model: Mechanism | Lagrangian, path: Path, key: str, x: Any) -> Any:
    """What a parameter is set to, in its unit; impulses by body, in theirs unless they are given with a point."""
    if key == "set":
        kind = reader.dimensions.get(path[-1])
        return reader.values.number(path, x, None, None if kind is None else Quantity(kind))
    with_point = isinstance(x, list) and any(isinstance(item, list | dict) for item in x)
    unit = None if with_point or not isinstance(model, Mechanism) else TABLES["strike"][_OPTIONS.get(key, key)].unit
    return reader.values.number(path, x, unit)


def _read(reader: Any, model: Mechanism | Lagrangian, path: Path, field: Field, x: Any) -> Any:
    tables = {
        "numbers": "a table of names with values",
        "laws": "a table of force elements and drivers with what changes",
    }
    if field.kind not in tables:
        return reader.values.plain(path, x, field)
    if not isinstance(x, dict):
        raise reader.problems.wrong_type(path, x, tables[field.kind])
    if field.kind == "laws":
        return {name: _changed(reader, model, (*path, name), item) for name, item in x.items()}
    return {name: _number(reader, model, (*path, name), path[-1], item) for name, item in x.items()}


def write_events(writer: Any, model: Mechanism | Lagrangian, frictions: Any = ()) -> dict[str, Any]:
    """Sections of the events and stops of a model, and of friction that has one."""
    made: dict[str, Any] = {"events": {}, "impacts": {}, "open": sorted(model.situation.absent) or None}
    sections: dict[str, dict[str, Any]] = {"events": model.events, "impacts": model.impacts}
    sections |= {"frictions": {one.name: one for one in frictions}} if frictions else {}
    for section, parts in sections.items():
        for name, part in parts.items():
            if getattr(part, "part", ""):  # written with the contact that it belongs to
                continue
            given = model.given(name)
            assert given is not None  # events and stops are added by methods
            method, arguments = given
            made.setdefault(section, {})[name] = {
                key_of(key): _written(writer, f"{method} {name!r}: {key}", x) for key, x in arguments.items()
            }
    return made


def key_of(name: str) -> str:
    """Key of files of an argument of an event, a stop, a friction or a driver."""
    return ON if name in MEASURE_KEYS else name


def _written(writer: Any, what: str, x: Any) -> Any:
    if isinstance(x, dict):
        return {getattr(key, "name", key): _written(writer, what, item) for key, item in x.items()}
    pair = split_quantity(x) if isinstance(x, str) else None
    if isinstance(x, str) and pair is None:
        return x
    return writer.value(what, x if pair is None else parse_unit(pair[1]).number(pair[0]))
