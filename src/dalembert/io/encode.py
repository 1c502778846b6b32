"""A model to plain data: every part as it was asked for, numbers in SI units.  What a file cannot hold is an error that names the part."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DalembertError, ModelError, shown
from ..model.body import Body
from ..model.driver import Driver
from ..model.expression import MAX_LENGTH, Expr, FunctionCall, Spline, as_expression, is_function, parse, postorder
from ..model.expression.checks import plain_number
from ..model.forces import Force, TwoPointForce
from ..model.frame import Axis, Point
from ..model.joints import Joint
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.parts import Particle
from ..model.measure import Measure
from ..model.mechanism import Mechanism
from ..model.shapes import Composite, Placed, Shape, Void
from ..model.units import is_plain_number, known_dimension, parse_unit, split_quantity
from .fields import MEASURE_KEYS, ON, VERSION, fields_of, pair_of

if TYPE_CHECKING:
    from ..model.part import Part


_AXES = {(1.0, 0.0, 0.0): "x", (0.0, 1.0, 0.0): "y", (0.0, 0.0, 1.0): "z"}
_SECTIONS = {
    "body": "bodies", "measure": "measures", "joint": "joints", "state": "states", "force": "forces", "driver": "drivers",
}  # fmt: skip


def encode(model: Mechanism | Lagrangian, analyses: dict[str, Any]) -> dict[str, Any]:
    """Plain data of a model, sections in the order of docs/model-files.md, empty ones left out."""
    writer = _Writer(model)
    sections = writer.mechanism(model) if isinstance(model, Mechanism) else writer.lagrangian(model)
    head = {"format": VERSION, "kind": model.kind, "name": model.name, "units": list(model.units) or None}
    data = {**head, **sections, **{key: dict(options) for key, options in analyses.items()}}
    return {key: x for key, x in data.items() if key in analyses or (x is not None and x != {})}


class _Writer:
    """One model on its way to a file; collects the tables that its expressions use."""

    def __init__(self, model: Mechanism | Lagrangian) -> None:
        self.model = model
        self.tables: dict[str, Spline] = {}
        self.asked = f"writing {model.name!r} to a file"

    def refuse(self, part: str, found: str, why: str, do: str) -> ModelError:
        """Error about a part that a file cannot hold."""
        return ModelError(f"{self.asked}: {part}", found, why, do)

    # -- values --------------------------------------------------------------------------------------------------------

    def value(self, part: str, x: Any, unit: str | None = None) -> Any:
        """Plain data of an argument; angles get their unit."""
        if isinstance(x, bool | np.bool_):
            return bool(x)
        if isinstance(x, np.ndarray) and x.ndim > 0:
            x = x.tolist()
        if isinstance(x, tuple | list) and len(x) == 2 and isinstance(x[1], tuple | list | np.ndarray | Point):
            body = self._body(x[0])
            if body is not None and (not isinstance(x[1], Point) or x[1].body is body):
                x = x[1] if isinstance(x[1], Point) else body.point(*x[1])
        if isinstance(x, tuple | list):
            return [self.value(part, item, unit) for item in x]
        number = plain_number(x)
        if number is None and isinstance(x, str) and is_plain_number(x):
            number = float(x)
        if number is not None:
            return f"{number!r} rad" if unit == "rad" and number != 0.0 else number
        if isinstance(x, str):
            calls = any(re.search(rf"\b{table}'*\s*\(", x) for table in self.model.tables)
            # a file reads a text that calls a table as a formula, and writes it as one
            return self.expression(part, parse(x, tables=self.model.tables)) if calls else x
        if isinstance(x, Body | Joint | Force | Driver | Particle):
            return x.name
        if isinstance(x, Point | Axis):
            size = 2 if x.body.model.plane else 3
            kind = "point" if isinstance(x, Point) else "axis"
            return {"body": x.body.name, kind: [self.value(part, c) for c in x.coordinates[:size]]}
        if isinstance(x, Measure):
            return self.measure(part, x)
        if isinstance(x, Shape):
            return self.shape(part, x)
        return self.expression(part, x)

    def _body(self, x: Any) -> Body | None:
        if isinstance(x, str) and isinstance(self.model, Mechanism) and x in self.model:
            x = self.model[x]
        return x if isinstance(x, Body) else None

    def measure(self, part: str, x: Measure) -> str:
        """Name of a measure, or its expression."""
        found = self.model.find_measure(x.name) if isinstance(self.model, Mechanism) else None
        if found is not None and found.kind == x.kind:
            return x.name
        if x.kind in ("expression", "rate_expression") and x.expression is not None:
            return self.expression(part, x.expression)
        why = "the measure has no name in the mechanism by which a file could refer to it"
        raise self.refuse(part, f"{x!r}", why, "give it a name with m.measure(name, ...) and use that")

    def expression(self, part: str, x: Any) -> str:
        """Text of an expression that reads back as the same expression."""
        inside = postorder(x) if isinstance(x, Expr) else []
        given = next((node.function.function for node in inside if isinstance(node, FunctionCall)), x)
        if is_function(given):
            do = "state it as an expression such as '-10*v', or as a table with da.spline(...)"
            raise self.refuse(part, f"the Python function {shown(given)}", "files are data and hold no code", do)
        if hasattr(x, "as_matrix"):
            return self.value(part, np.asarray(x.as_matrix()), "1")  # type: ignore[no-any-return]
        if hasattr(x, "tolist") and not isinstance(x, Expr):  # a SymPy matrix
            return self.value(part, x.tolist())  # type: ignore[no-any-return]
        try:
            made = as_expression(x)
        except DalembertError:
            found = f"{shown(x)} of type {type(x).__name__}"
            raise self.refuse(part, found, "it has no form in a file", "give numbers, texts or expressions") from None
        for name, table in made.tables.items():
            if self.tables.setdefault(name, table) != table:
                do = "name them with da.spline(name=...)"
                raise self.refuse(part, f"two tables {name!r}", "in a file a table has one name", do)
        text = str(made)
        try:
            same = parse(text, tables=made.tables) == made
        except DalembertError:
            same = False
        if same:
            return text
        if len(text) > MAX_LENGTH or text.startswith("<"):
            why, do = f"expressions of files have at most {MAX_LENGTH} characters", "split it with m.measure"
        else:
            why, do = "it cannot be read back from its text", "use names of letters, digits and _"
        raise self.refuse(part, f"the expression {shown(text)}", why, do)

    def shape(self, part: str, x: Shape) -> dict[str, Any]:
        """Table of a shape."""
        if isinstance(x, Placed):
            made = self.shape(part, x.shape)
            if "at" in made or "name" in made:
                made = {"composite": {"parts": [made]}}
            position = list(x.position)
            if position[2] == 0.0 and not isinstance(position[2], Expr):
                position = position[:2]
            made["at"] = self.value(part, position)
            if x.angle is not None:
                made["angle"] = self.value(part, x.angle, "rad")
            if x.rotation is not None:
                made["rotation"] = self.value(part, x.rotation)
            return {**made, "name": x.name} if x.name else made
        if isinstance(x, Void):
            return {"void": self.shape(part, x.shape)}
        if isinstance(x, Composite):
            named = {"name": x.name} if x.name else {}
            return {"composite": {"parts": [self.shape(part, inner) for inner in x.parts], **named}}
        if not dataclasses.is_dataclass(x):
            raise self.refuse(part, f"{x!r}", "a shape of this kind has no form in a file", "use the shapes of da")
        given = {f.name: getattr(x, f.name) for f in dataclasses.fields(x) if f.init}
        made = {key: self.value(part, item) for key, item in given.items() if item is not None}
        return {x.kind: made | ({"axis": _AXES[x.axis]} if made.get("axis") and x.axis in _AXES else {})}

    # -- mechanisms ----------------------------------------------------------------------------------------------------

    def mechanism(self, m: Mechanism) -> dict[str, Any]:
        """Sections of a mechanism."""
        size = 2 if m.plane else 3
        gravity = [self.value("gravity", g) for g in m.gravity[:size]]
        made: dict[str, Any] = {
            "plane": m.plane,
            "gravity": gravity if any(g != 0.0 for g in gravity) else None,
            "length": None if m.length is None else self.value("length", m.length),
            "parameters": {p.name: self._parameter(p) for p in m.parts("parameter")},
            "tables": {},
        }
        for kind, section in _SECTIONS.items():
            made[section] = {part.name: self._part(m, part) for part in m.parts(kind) if part is not m.ground}
        made |= {"start": self._starts(m), **self._events(m)}
        return {**made, "tables": self._tables()}

    @staticmethod
    def _parameter(p: Any) -> Any:
        known = p.unit and known_dimension(p.unit) is not None
        return f"{p.value!r} {p.unit}" if known else {"number": p.value, "label": p.unit} if p.unit else p.value

    def _part(self, m: Mechanism, part: Any) -> dict[str, Any]:
        given = m.given(part.name)
        what = part.asked if getattr(part, "tag", "") else repr(part)
        if given is None:
            found = "a part that no method of the mechanism added"
            raise self.refuse(what, found, "its arguments are not known", "add it by m.<method>")
        tag, arguments = given
        made: dict[str, Any] = {"particle": True} if tag == "particle" else {}
        if isinstance(part, Joint | Force):
            made["type"] = tag
        fields = fields_of(tag)
        pair = pair_of(tag, fields) if isinstance(part, Joint | Force) else None
        if pair == ("i", "j") and {*pair} <= set(arguments):
            made["between"] = [self.value(what, arguments[key]) for key in pair]
        measure = _acted_on(part)
        for key, field in fields.items():
            if key not in arguments or (pair and "between" in made and key in pair):
                continue
            unit = field.unit_on(measure)
            name = f"{what}: {key}"
            x = arguments[key]
            if field.kind == "rotation":
                turn = isinstance(x, tuple | list) and len(x) == 2
                made[key] = [self.value(name, x[0]), self.value(name, x[1], "rad")] if turn else self.value(name, x)
            elif field.kind in ("body", "coordinate", "coordinates", "text") and isinstance(x, str):
                made[key] = x
            else:
                made[key] = self.value(name, x, unit)
        if isinstance(part, TwoPointForce) and "b" not in made:
            return {ON if key == "a" else key: x for key, x in made.items()}
        return {key_of(key): x for key, x in made.items()} if tag in ("drive", "constraint") else made

    def _starts(self, m: Mechanism) -> dict[str, Any]:
        found: dict[str, dict[str, Any]] = {}
        for start in m.starts:
            what = f"start condition on {start.measure.name!r}"
            entry = found.setdefault(self.measure(what, start.measure), {})
            for key in ("value", "rate"):
                x = getattr(start, key)
                if x is not None:
                    entry[key] = self.value(what, x, start.measure.unit if key == "value" else None)
        return found

    def _tables(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, table in {**self.model.tables, **self.tables}.items():
            made[name] = {"x": list(table.x), "y": list(table.y)}
            if table.periodic:
                made[name]["periodic"] = True
            elif any(r is not None for r in table.rate):
                made[name]["rate"] = ["natural" if r is None else r for r in table.rate]
        return made

    # -- events and stops -----------------------------------------------------------------------------------------------

    def _events(self, model: Mechanism | Lagrangian, frictions: Any = ()) -> dict[str, Any]:
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
                    key_of(key): self._of_event(f"{method} {name!r}: {key}", x) for key, x in arguments.items()
                }
        return made

    def _of_event(self, what: str, x: Any) -> Any:
        if isinstance(x, dict):
            return {getattr(key, "name", key): self._of_event(what, item) for key, item in x.items()}
        pair = split_quantity(x) if isinstance(x, str) else None
        if isinstance(x, str) and pair is None:
            return x
        return self.value(what, x if pair is None else parse_unit(pair[1]).number(pair[0]))

    # -- Lagrangian systems --------------------------------------------------------------------------------------------

    def lagrangian(self, m: Lagrangian) -> dict[str, Any]:
        """Sections of a Lagrangian system."""
        given = {key: self.value(key, x) for key, x in m.given_energies.items()}
        own = [f"rate of {name}" for name in m.states]
        rates = {key: x for key, x in m.nonholonomic.items() if key not in own}
        made: dict[str, Any] = {
            "q": [name for name in m.q if name not in m.states],
            **{key: None if text in ("0", 0.0) else text for key, text in given.items()},
            "gravity": [self.value("gravity", g) for g in m.gravity] if any(str(g) != "0" for g in m.gravity) else None,
            "parameters": m.parameters,
            "tables": {},
            "forces": {key: self.value(f"force on {key!r}", x) for key, x in m.own_forces.items()},
            "holonomic": {key: self.value(f"constraint {key!r}", x) for key, x in m.holonomic.items()},
            "nonholonomic": {key: self.value(f"rate row {key!r}", x) for key, x in rates.items()},
            **{section: {} for section in ("states", "particles", "bodies", "loads", "start")},
        }
        begins = tuple(f"{field} {word} " for field in m.fields for word in ("on", "turning"))
        of_fields = {load for load in m.loads if load.startswith(begins)}
        for name in [*m.parts, *(load for load in m.loads if load not in of_fields), *m.fields]:
            call = m.given(name)
            if call is None:
                found = "it was made of expressions by another analysis"
                why = "how it was described is not known"
                raise self.refuse(f"part {name!r}", found, why, "save the mechanism it came from")
            method, arguments = call
            entry = {
                key: [[axis, self.value(f"{name!r}: turns", angle, "rad")] for axis, angle in x]
                if key == "turns"
                else self.value(f"{name!r}: {key}", x, "rad" if key == "angle" else None)
                for key, x in arguments.items()
            }
            section = {"particle": "particles", "body": "bodies"}.get(method, "loads")
            made[section][name] = {"type": method, **entry} if section == "loads" else entry
        for name, rate in m.states.items():
            begin = m.starts[name].value
            made["states"][name] = {"rate": self.value(f"state {name!r}", rate), **({"start": begin} if begin else {})}
        starts: dict[str, Any] = {x: one for x, one in m.starts.items() if x not in m.states or one.rate is not None}
        starts |= {self.expression(f"start of {one.name!r}", one.expression): one for one in m.conditions}
        for name, one in starts.items():
            made["start"][name] = {k: x for k, x in (("value", one.value), ("rate", one.rate)) if x is not None}
        made |= {"guess": dict(m.guesses), **self._events(m, [*m.frictions, *m.rubs])}
        return {**made, "tables": self._tables()}


def key_of(name: str) -> str:
    """Key of files of an argument of an event, a stop, a friction or a driver."""
    return ON if name in MEASURE_KEYS else name


def _acted_on(part: Body | Measure | Part | Driver) -> Measure | None:
    """Measure whose unit the numbers of a part have; as decode finds it."""
    if isinstance(part, Driver):
        return part.measure
    if isinstance(part, Force):
        found = part.elements()
        return found[0][0] if found else None
    held = getattr(part, "expression", None)
    return held if isinstance(held, Measure) else None
