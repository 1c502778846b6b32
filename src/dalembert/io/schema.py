"""JSON Schema of model files, for completion and checks in editors; made from the registries."""

from __future__ import annotations

from typing import Any

from ..model.registry import FORCES, JOINTS
from ..model.shapes import SHAPES
from ..options.option import Option
from ..options.tables import for_files
from .fields import (
    GENERAL,
    LAGRANGIAN,
    LOADS,
    MEASURE_KEYS,
    MECHANISM,
    OF_LAGRANGIAN,
    ON,
    VERSION,
    fields_of,
    measure_key,
    pair_of,
    shape_fields,
    takes_lists,
)
from .options import ANALYSES
from .reader import SECTIONS

_QUANTITY: dict[str, Any] = {"type": ["number", "string"]}
_PARAMETER = "a number, a quantity such as '200 mm', or a formula of other parameters such as '2*r'"
_ANY_NUMBER: dict[str, Any] = {"$ref": "#/$defs/numbers"}
_PLACE: dict[str, Any] = {"$ref": "#/$defs/place"}
_SHAPE: dict[str, Any] = {"$ref": "#/$defs/shape"}
_TEXT: dict[str, Any] = {"type": "string"}
_FLAG: dict[str, Any] = {"type": "boolean"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_NAMES: dict[str, Any] = {"anyOf": [_TEXT, _TEXTS]}


def _named(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": item}


# of fields and options by kind; points, directions and ends are places, other options numbers
_KINDS: dict[str, dict[str, Any]] = {
    "number": _ANY_NUMBER, "numbers": _named(_ANY_NUMBER), "rotation": _ANY_NUMBER, "flag": _FLAG, "shape": _SHAPE,
    "count": {"type": "integer", "minimum": 1}, "laws": _named({"anyOf": [_ANY_NUMBER, {"type": "object"}]}),
    "names": _NAMES, "coordinate": _TEXT, "coordinates": _NAMES,
}  # fmt: skip
_OPTIONS: dict[str, dict[str, Any]] = {
    "flag": _FLAG, "count": {"type": "integer", "minimum": 0}, "text": _TEXT, "body": _TEXT, "parameter": _TEXT, "names": _NAMES,
    "table": _named(_ANY_NUMBER), "texts": _named(_TEXT), "held": {"anyOf": [_ANY_NUMBER, _named(_ANY_NUMBER)]},
    "points": {"anyOf": [_TEXT, _named(_ANY_NUMBER)]},
}  # fmt: skip


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of model files, with every registered joint, force element and shape.

    Examples
    --------
    >>> import dalembert as da
    >>> "revolute" in str(da.io.schema())
    True
    """
    on_body = _closed({"body": _TEXT, "point": _ANY_NUMBER, "axis": _ANY_NUMBER}, ["body"])
    options = {verb: _closed({name: _option(x) for name, x in for_files(verb).items()}) for verb in ANALYSES}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"dalembert model, format {VERSION}",
        "type": "object",
        "if": {"properties": {"kind": {"const": "lagrangian"}}, "required": ["kind"]},
        "then": {"properties": {**_general(), **_lagrangian(), **options}, "required": ["q"]},
        "else": {"properties": {**_general(), **_mechanism(), **options}},
        "propertyNames": {"enum": sorted({*GENERAL, *MECHANISM, *LAGRANGIAN, *ANALYSES})},
        "$defs": {
            "numbers": {"anyOf": [_QUANTITY, {"type": "array", "items": {"$ref": "#/$defs/numbers"}}]},
            "place": {"anyOf": [_QUANTITY, {"type": "array", "items": _PLACE}, on_body]},
            "shape": _shape(),
        },
    }


def _closed(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    made = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": required} if required else made


def _with_measure(one: dict[str, Any]) -> dict[str, Any]:
    """Schema of a part whose measure is called `on`, or as the models call it."""
    own = measure_key(one["properties"])
    if own is None:
        return one
    measure = one["properties"][own]
    old = {**measure, **({"deprecated": True} if own in MEASURE_KEYS else {})}
    made = {**one, "properties": {ON: measure, **one["properties"], own: old}}
    if own in one.get("required", ()):
        made["required"] = [key for key in one["required"] if key != own]
        made["oneOf"] = [{"required": [ON]}, {"required": [own]}]
    return made


def _section(section: str) -> dict[str, Any]:
    return _named(_with_measure(_closed(_fields(section), [SECTIONS[section][1]])))


def _general() -> dict[str, Any]:
    table = _closed({
        **{"x": _ANY_NUMBER, "y": _ANY_NUMBER, "rate": _ANY_NUMBER, "periodic": _FLAG},
        "file": {**_TEXT, "description": "text file with columns: 't [s];T [N mm]' in its first line"},
        "columns": {"type": "array", "items": {"type": ["string", "integer"]}, "minItems": 2, "maxItems": 2},
    })  # fmt: skip
    table["oneOf"] = [{"required": ["x", "y"]}, {"required": ["file"]}]
    labelled = _closed({"number": _QUANTITY, "label": _TEXT}, ["number"])
    units = "units in which results are shown, such as 'mm, kN, deg'; default: those that the file uses"
    return {
        "format": {"const": VERSION},
        "kind": {"enum": ["mechanism", "lagrangian"]},
        "$schema": _TEXT,
        "name": _TEXT,
        "units": {**_NAMES, "description": units},
        "parameters": _named({"anyOf": [_QUANTITY, labelled], "description": _PARAMETER}),
        "tables": _named(table),
        "start": _named(_closed({"value": _QUANTITY, "rate": _QUANTITY})),
        "impacts": _section("impacts"),
        "events": _section("events"),
        "open": {**_TEXTS, "description": "joints that are open at the start"},
    }


def _mechanism() -> dict[str, Any]:
    return {
        "plane": _FLAG,
        "gravity": _ANY_NUMBER,
        "length": _QUANTITY,
        "bodies": _named(_closed({**_fields("body"), "particle": _FLAG})),
        "measures": _named({"anyOf": [_TEXT, _closed(_fields("measure"))]}),
        "joints": _named(_by_type(JOINTS)),
        "states": _states(),
        "forces": _named(_by_type(FORCES)),
        "drivers": _named(_with_measure(_closed(_fields("drive"), ["measure", "value"]))),
    }


def _states() -> dict[str, Any]:
    return _named({"anyOf": [_TEXT, _closed(_fields("state"), ["rate"])]})


def _lagrangian() -> dict[str, Any]:
    own = {"local": _FLAG}
    parts = {tag: {name: own.get(name, _ANY_NUMBER) for name in names} for tag, names in OF_LAGRANGIAN.items()}
    needed = {tag: ["type", "vector"] if tag == "field" else ["type", "on", "vector"] for tag in LOADS}
    loads = [_closed({"type": {"const": tag}, **parts[tag]}, needed[tag]) for tag in LOADS]
    return {
        "q": _ANY_NUMBER,
        **dict.fromkeys(("kinetic", "potential", "dissipation"), _QUANTITY),
        "gravity": _ANY_NUMBER,
        **dict.fromkeys(("forces", "holonomic", "nonholonomic", "guess"), _named(_QUANTITY)),
        "states": _states(),
        "particles": _named(_closed(parts["particle"], ["mass", "at"])),
        "bodies": _named(_closed(parts["body"], ["mass", "inertia", "at"])),
        "loads": _named({"anyOf": loads}),
        "frictions": _section("frictions"),
    }


def _fields(tag: str) -> dict[str, Any]:
    made = {}
    for name, field in fields_of(tag).items():
        made[name] = {"enum": list(field.default)} if field.kind == "word" else _KINDS.get(field.kind, _PLACE)
        if tag not in SECTIONS and field.unit and "{" not in field.unit:
            made[name] = {**made[name], "description": f"in {field.unit} where no unit is given"}
    return made


def _by_type(registry: dict[str, type]) -> dict[str, Any]:
    """One alternative per registered class, told apart by `type`."""
    kinds = []
    for tag, cls in registry.items():
        fields = _fields(tag)
        pair = pair_of(tag, fields)
        body = {"type": ["string", "array"]} if takes_lists(tag) else _TEXT
        between = {"between": {"type": "array", "items": body if pair == ("i", "j") else _PLACE}} if pair else {}
        if pair == ("i", "j") and not {"a", "b"} & set(fields):
            between |= {"a": _TEXT, "b": _TEXT}
        kind = _with_measure(_closed({"type": {"const": tag}, **between, **fields}, ["type"]))
        kinds.append({**kind, "description": (cls.__doc__ or "").strip().split("\n")[0]})
    return {"oneOf": kinds}


def _option(option: Option) -> dict[str, Any]:
    if option.kind == "choice":
        return {"enum": list(option.words), "description": option.help}
    unit = f" In {option.unit} where no unit is given." if option.unit not in (None, "1") else ""
    return {**_OPTIONS.get(option.kind, _ANY_NUMBER), "description": f"{option.help}{unit}"}


def _shape() -> dict[str, Any]:
    kinds: dict[str, Any] = {kind: _closed(dict.fromkeys(shape_fields(kind), _ANY_NUMBER)) for kind in SHAPES}
    kinds["void"] = _SHAPE
    kinds["composite"] = _closed({"parts": {"type": "array", "items": _SHAPE}, "name": _TEXT}, ["parts"])
    return _closed({**kinds, "at": _ANY_NUMBER, "angle": _QUANTITY, "rotation": _ANY_NUMBER, "name": _TEXT})
