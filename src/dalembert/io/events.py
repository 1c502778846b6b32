"""Events and stops in files: the sections [events], [impacts] and the list `open`, the same for both kinds of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model.dimensions import Quantity
from ..model.events import DIRECTIONS, NEWTON, POISSON
from ..model.mechanism import Mechanism
from ..model.units import parse_unit, split_quantity
from ..options.tables import TABLES
from .problems import Failed, Path
from .reader import MEASURE_KEYS, ON, mentioned

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism


# fields by what they hold: expressions, tables of them, names, flags, words
EVENT: dict[str, str] = {
    "what": "number", "level": "number", "direction": "word", "stop": "flag", "set": "numbers", "change": "laws", "release": "names", "add": "names", "lock": "names",
    "unlock": "names", "strike": "numbers", "couple": "numbers", "restitution": "numbers", "once": "flag",
}  # fmt: skip
IMPACT: dict[str, str] = {"gap": "number", "restitution": "number", "hypothesis": "word", "rough": "names"}
PURE = ("restitution", "mu", "static")
WORDS = {"direction": tuple(DIRECTIONS), "hypothesis": (NEWTON, POISSON)}
# what the analysis of a blow calls it
_OPTIONS = {"strike": "impulse"}
FRICTION: dict[str, str] = {
    "what": "number",
    "force": "number",
    "static_force": "number",
    "mu": "number",
    "static": "number",
    "normal": "names",
}
SECTIONS = {"impacts": ("impact", IMPACT, "gap"), "events": ("event", EVENT, "what")}
WATCHES = {
    "event": "an event watches a measure",
    "impact": "a stop has a gap",
    "friction": "friction acts on what slips",
}
# of a Lagrangian system; that of a mechanism is among its forces
FRICTIONS = {"frictions": ("friction", FRICTION, "what")}


def read_events(reader: Any, model: Mechanism | Lagrangian, more: Any = ()) -> None:
    """Add events, stops, open joints and what `more` sections hold of a file to a model; problems are noted."""
    # friction names stops, and events name both
    sections = {"impacts": SECTIONS["impacts"], **dict(more), "events": SECTIONS["events"]}
    for section, (method, fields, needed) in sections.items():
        for name, x in reader.section(section).items():
            path: Path = (section, name)
            if reader.failed & (mentioned(x) | _keys(x)):
                continue  # told where these are made
            given, failed = reader.known_keys(path, x, fields)
            if needed not in given:
                reader.problems.add(path, f'{ON} is missing; {WATCHES[method]}: {ON} = "s.x"')
                continue
            made = {}
            for key, item in given.items():
                try:
                    if key == "level" and isinstance(item, str):
                        wanted = reader.values.dimension_in(given[needed])
                        made[key] = reader.values.number((*path, key), item, None, wanted)
                        continue
                    made[key] = _read(reader, model, (*path, key), fields[key], key, item)
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
    fields = {"impact": IMPACT, "friction": FRICTION}.get(method) if method == "impact" or hasattr(model, "q") else None
    if fields is not None:
        given, failed = reader.known_keys(path, x, fields)
        made = {key: _read(reader, model, (*path, key), fields[key], key, item) for key, item in given.items()}
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


def _read(reader: Any, model: Mechanism | Lagrangian, path: Path, kind: str, key: str, x: Any) -> Any:
    if kind == "flag":
        return reader.values.flag(path, x)
    if kind == "word" and x not in WORDS[key]:
        raise reader.problems.unknown(path, key, x, WORDS[key])
    if kind == "numbers":
        if not isinstance(x, dict):
            raise reader.problems.wrong_type(path, x, "a table of names with values")
        return {name: _number(reader, model, (*path, name), key, item) for name, item in x.items()}
    if kind == "laws":
        if not isinstance(x, dict):
            raise reader.problems.wrong_type(path, x, "a table of force elements and drivers with what changes")
        return {name: _changed(reader, model, (*path, name), item) for name, item in x.items()}
    if kind == "number":
        return reader.values.number(path, x, "1" if key in PURE else None)
    if kind == "names" and not (
        isinstance(x, str) or (isinstance(x, list) and all(isinstance(item, str) for item in x))
    ):
        raise reader.problems.wrong_type(path, x, "a name, or a list of names")
    return x


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
            what = f"{method} {name!r}"
            made.setdefault(section, {})[name] = {
                key_of(key): _written(writer, f"{what}: {key}", x) for key, x in arguments.items()
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


def schema_of(fields: dict[str, str], needed: str) -> dict[str, Any]:
    """JSON Schema of a part."""
    number: dict[str, Any] = {"$ref": "#/$defs/numbers"}
    kinds: dict[str, dict[str, Any]] = {
        "number": number, "numbers": {"type": "object", "additionalProperties": number}, "flag": {"type": "boolean"},
        "laws": {"type": "object", "additionalProperties": {"anyOf": [number, {"type": "object"}]}},
        "names": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    }  # fmt: skip
    properties = {key: {"enum": list(WORDS[key])} if kind == "word" else kinds[kind] for key, kind in fields.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False, "required": [needed]}
