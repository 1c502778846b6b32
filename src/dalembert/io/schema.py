"""JSON Schema of model files, for completion and checks in editors; made from the registries."""

from __future__ import annotations

from typing import Any

from ..model.registry import FORCES, JOINTS
from ..model.shapes import SHAPES
from ..options.option import Option
from ..options.tables import for_files
from .decode import GENERAL, LAGRANGIAN, MECHANISM, VERSION
from .events import FRICTIONS, SECTIONS, schema_of
from .fields import field_of, names_of, pair_of, shape_fields, takes_lists
from .lagrangian_reader import LAGRANGIAN_FIELDS, LOADS
from .options import ANALYSES
from .reader import MEASURE_KEYS, ON, measure_key

_QUANTITY: dict[str, Any] = {"type": ["number", "string"]}
_PARAMETER = "a number, a quantity such as '200 mm', or a formula of other parameters such as '2*r'"
_ANY_NUMBER: dict[str, Any] = {"$ref": "#/$defs/numbers"}
_PLACE: dict[str, Any] = {"$ref": "#/$defs/place"}


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of model files, with every registered joint, force element and shape.

    Examples
    --------
    >>> import dalembert as da
    >>> "revolute" in str(da.io.schema())
    True
    """
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
            "place": {
                "anyOf": [
                    _QUANTITY,
                    {"type": "array", "items": _PLACE},
                    _closed({"body": {"type": "string"}, "point": _ANY_NUMBER, "axis": _ANY_NUMBER}, ["body"]),
                ]
            },
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
    made = {
        **one,
        "properties": {
            ON: measure,
            **one["properties"],
            own: {**measure, **({"deprecated": True} if own in MEASURE_KEYS else {})},
        },
    }
    if own in one.get("required", ()):
        made["required"] = [key for key in one["required"] if key != own]
        made["oneOf"] = [{"required": [ON]}, {"required": [own]}]
    return made


def _named(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": item}


def _general() -> dict[str, Any]:
    table = _closed(
        {
            **{"x": _ANY_NUMBER, "y": _ANY_NUMBER, "rate": _ANY_NUMBER, "periodic": {"type": "boolean"}},
            "file": {"type": "string", "description": "text file with columns: 't [s];T [N mm]' in its first line"},
            "columns": {"type": "array", "items": {"type": ["string", "integer"]}, "minItems": 2, "maxItems": 2},
        }
    )
    table["oneOf"] = [{"required": ["x", "y"]}, {"required": ["file"]}]
    labelled = _closed({"number": _QUANTITY, "label": {"type": "string"}}, ["number"])
    return {
        "format": {"const": VERSION},
        "kind": {"enum": ["mechanism", "lagrangian"]},
        "$schema": {"type": "string"},
        "name": {"type": "string"},
        "units": {
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
            "description": "units in which results are shown, such as 'mm, kN, deg'; default: those that the file uses",
        },
        "parameters": _named({"anyOf": [_QUANTITY, labelled], "description": _PARAMETER}),
        "tables": _named(table),
        "start": _named(_closed({"value": _QUANTITY, "rate": _QUANTITY})),
        **{
            section: _named(_with_measure(schema_of(fields, needed)))
            for section, (_, fields, needed) in SECTIONS.items()
        },
        "open": {"type": "array", "items": {"type": "string"}, "description": "joints that are open at the start"},
    }


def _mechanism() -> dict[str, Any]:
    body = {**_fields("body"), "particle": {"type": "boolean"}}
    return {
        "plane": {"type": "boolean"},
        "gravity": _ANY_NUMBER,
        "length": _QUANTITY,
        "bodies": _named(_closed(body)),
        "measures": _named({"anyOf": [{"type": "string"}, _closed(_fields("measure"))]}),
        "joints": _named(_by_type(JOINTS)),
        "states": _states(),
        "forces": _named(_by_type(FORCES)),
        "drivers": _named(_with_measure(_closed(_fields("drive"), ["measure", "value"]))),
    }


def _states() -> dict[str, Any]:
    """Auxiliary states: a rate as text, or a table."""
    return _named({"anyOf": [{"type": "string"}, _closed(_fields("state"), ["rate"])]})


def _lagrangian() -> dict[str, Any]:
    values = {"local": {"type": "boolean"}}
    parts = {m: {name: values.get(name, _ANY_NUMBER) for name in names} for m, names in LAGRANGIAN_FIELDS.items()}
    loads = [
        _closed(
            {"type": {"const": tag}, **parts[tag]}, ["type", "vector"] if tag == "field" else ["type", "on", "vector"]
        )
        for tag in LOADS
    ]
    return {
        "q": _ANY_NUMBER,
        **dict.fromkeys(("kinetic", "potential", "dissipation"), _QUANTITY),
        "gravity": _ANY_NUMBER,
        **dict.fromkeys(("forces", "holonomic", "nonholonomic", "guess"), _named(_QUANTITY)),
        "states": _states(),
        "particles": _named(_closed(parts["particle"], ["mass", "at"])),
        "bodies": _named(_closed(parts["body"], ["mass", "inertia", "at"])),
        "loads": _named({"anyOf": loads}),
        **{
            section: _named(_with_measure(schema_of(fields, needed)))
            for section, (_, fields, needed) in FRICTIONS.items()
        },
    }


def _fields(tag: str) -> dict[str, Any]:
    """Properties of the fields of a part."""
    made: dict[str, Any] = {}
    for name in names_of(tag):
        field = field_of(tag, name)
        made[name] = {
            "number": _ANY_NUMBER,
            "rotation": _ANY_NUMBER,
            "coordinate": {"type": "string"},
            "coordinates": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "flag": {"type": "boolean"},
            "count": {"type": "integer", "minimum": 1},
            "shape": {"$ref": "#/$defs/shape"},
        }.get(field.kind, _PLACE)
        if field.unit and "{" not in field.unit:
            made[name] = {**made[name], "description": f"in {field.unit} where no unit is given"}
    return made


def _by_type(registry: dict[str, type]) -> dict[str, Any]:
    """One alternative per registered class, told apart by `type`."""
    kinds = []
    for tag, cls in registry.items():
        pair = pair_of(tag)
        item = (
            _PLACE if pair != ("i", "j") else {"type": ["string", "array"]} if takes_lists(tag) else {"type": "string"}
        )
        between = {"between": {"type": "array", "items": item}} if pair else {}
        fields = _fields(tag)
        if pair == ("i", "j") and not {"a", "b"} & set(fields):
            between |= {"a": {"type": "string"}, "b": {"type": "string"}}
        kind = _with_measure(_closed({"type": {"const": tag}, **between, **fields}, ["type"]))
        kinds.append({**kind, "description": (cls.__doc__ or "").strip().split("\n")[0]})
    return {"oneOf": kinds}


def _option(option: Option) -> dict[str, Any]:
    """Property of an option of an analysis."""
    if option.kind == "choice":
        return {"enum": list(option.words), "description": option.help}
    kinds: dict[str, dict[str, Any]] = {
        "flag": {"type": "boolean"},
        "count": {"type": "integer", "minimum": 0},
        "text": {"type": "string"},
        "body": {"type": "string"},
        "parameter": {"type": "string"},
        "names": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "table": _named(_ANY_NUMBER),
        "texts": _named({"type": "string"}),
        "held": {"anyOf": [_ANY_NUMBER, _named(_ANY_NUMBER)]},
        "points": {"anyOf": [{"type": "string"}, _named(_ANY_NUMBER)]},
    }
    unit = f" In {option.unit} where no unit is given." if option.unit not in (None, "1") else ""
    return {**kinds.get(option.kind, _ANY_NUMBER), "description": f"{option.help}{unit}"}


def _shape() -> dict[str, Any]:
    inner: dict[str, Any] = {"$ref": "#/$defs/shape"}
    kinds: dict[str, Any] = {kind: _closed(dict.fromkeys(shape_fields(kind), _ANY_NUMBER)) for kind in SHAPES}
    kinds["void"] = inner
    kinds["composite"] = _closed({"parts": {"type": "array", "items": inner}, "name": {"type": "string"}}, ["parts"])
    placed = {"at": _ANY_NUMBER, "angle": _QUANTITY, "rotation": _ANY_NUMBER, "name": {"type": "string"}}
    return _closed({**kinds, **placed})
