"""What both kinds of models have in a file: sections, tables, parameters, units; every problem is noted."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

from ..errors import DalembertError, shown
from ..model.dimensions import DECLARED, GUESSED, Quantity
from ..model.expression import Expr, parse, spline
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.output_units import units_in
from ..model.table_file import read_columns
from ..model.units import NONE, Dimension, is_plain_number, parse_unit, si_unit, split_quantity
from ..options.tables import TABLES
from ..paths import is_inside
from .fields import ON, Field, fields_of, measure_key
from .options import ANALYSES
from .parameters import is_formula, mentioned, ordered
from .problems import Failed, Path, Problems
from .values import Values

# what the analysis of a blow calls it
_OPTIONS = {"strike": "impulse"}
# section, method of the model, what it watches, why; friction names stops, and events name both.  Friction of a mechanism is among its forces
SECTIONS = {
    "impacts": ("impact", "gap", "a stop has a gap"),
    "frictions": ("friction", "what", "friction acts on what slips"),
    "events": ("event", "what", "an event watches a measure"),
}


class Reader:
    """One file on its way to a model."""

    part_arguments: Any  # of the kinds of models: arguments of a part that could be read, and whether these are all

    def __init__(self, data: dict[str, Any], problems: Problems, name: str) -> None:
        self.data, self.problems, self.name = data, problems, name
        self.values = Values(problems)
        self.dimensions, self.derived, self.tables = self.values.dimensions, self.values.derived, self.values.tables
        self._tables()
        self.failed: set[str] = set()

    def section(self, name: str) -> dict[str, Any]:
        """Table of a section; empty where there is none."""
        found = self.data.get(name, {})
        if isinstance(found, dict):
            return found
        self.problems.wrong_type((name,), found, "a table")
        return {}

    def made(self, path: Path, make: Any, *arguments: Any, fields: Iterable[str] = (), **options: Any) -> Any:
        """What a method of the model makes; None and a noted problem where it refuses."""
        try:
            return make(*arguments, **options)
        except DalembertError as error:
            self.problems.refused(path, error, fields)
        return None

    def known_keys(self, path: Path, x: Any, known: Iterable[str]) -> tuple[dict[str, Any], bool]:
        """What a table holds under known keys, which may be wrong as well, and whether there was more; `on` is the measure of any part."""
        keys = list(known)
        own = measure_key(keys)
        if own is not None and isinstance(x, dict) and (ON in x or own not in x):
            keys = [ON if key == own else key for key in keys]
        try:
            given, more = dict(self.values.table(path, x, keys)), False
        except Failed:
            given, more = {key: x[key] for key in x if key in keys} if isinstance(x, dict) else {}, True
        if own is not None and ON in given:
            self.problems.written[*path, own] = (*path, ON)
            given = {own if key == ON else key: item for key, item in given.items()}
        return given, more

    def number(self, path: Path, x: Any, unit: str | None, wanted: Quantity | None = None) -> Any:
        """SI number or expression; None and a noted problem where it is wrong."""
        with contextlib.suppress(Failed):
            return self.values.number(path, x, unit, wanted)
        return None

    def _tables(self) -> None:
        for name, x in self.section("tables").items():
            path: Path = ("tables", name)
            values = Values(self.problems)  # columns are of numbers
            with contextlib.suppress(Failed):
                given = values.table(path, x, ("x", "y", "rate", "periodic", "file", "columns"))
                missing = [key for key in ("x", "y") if key not in given] if "file" not in given else []
                if missing:
                    raise self.problems.add(path, f"{missing[0]} is missing; a table has x and y, or a file")
                if {"x", "y"} & given.keys() and {"file", "columns"} & given.keys():
                    text = "found points and a file; a table has x and y, or a file with columns"
                    raise self.problems.add(path, text)
                rate = given.get("rate")
                if isinstance(rate, list):
                    rate = [None if r == "natural" else values.number((*path, "rate"), r, None) for r in rate]
                if "file" in given:
                    pairs = self._columns(values, path, given)
                else:
                    pairs = [values.column((*path, key), given[key]) for key in ("x", "y")]
                (x_values, x_kind), (y_values, y_kind) = pairs
                options = {"rate": rate, "name": name, "periodic": given.get("periodic", False) is True}
                self.tables[name] = values.built(path, spline, (x_values, y_values), options)
                self.values.table_dimensions[name] = x_kind, y_kind

    def _columns(self, values: Values, path: Path, given: dict[str, Any]) -> list[tuple[Any, Dimension | None]]:
        """Columns of a text file in the folder of this file or below, with their dimensions."""
        name, folder = values.text((*path, "file"), given["file"]), self.problems.folder
        if folder is None:
            raise self.problems.add((*path, "file"), f"found {shown(name)}; a text that is no file has no folder")
        if not is_inside(name):
            text = f"found {shown(name)}; a table lies in the folder of this file or below: write it like 'torque.csv'"
            raise self.problems.add((*path, "file"), text)
        try:
            found = read_columns(f"table {str(path[-1])!r}", folder / name, given.get("columns"))
        except DalembertError as error:
            where = "columns" if "columns" in given and error.found.startswith("columns") else "file"
            raise self.problems.refused((*path, where), error) from None
        self.problems.read.append(name)
        return [(column.numbers, column.dimension) for column in found]

    def parameters(self, model: Mechanism | Lagrangian) -> None:
        """Parameters: a number, a quantity, or `{ number = 3, label = "teeth" }`; then those that are formulas of others."""
        section = self.section("parameters")
        for name, x in section.items():
            if is_formula(x):
                continue
            path: Path = ("parameters", name)
            value, *unit = self._parameter(path, x)
            arguments = (name, value, *unit) if isinstance(model, Mechanism) else (name, value)
            if value is None or self.made(path, model.parameter, *arguments) is None:
                self.failed.add(name)
            elif name not in self.dimensions:
                self.values.guesses[name] = Quantity(NONE, GUESSED, frozenset({name}))
        formulas = {name: x for name, x in section.items() if is_formula(x)}
        if formulas:
            # time is no parameter, even where a file calls one so
            self._derive(model, formulas, {name: x for name, x in section.items() if name != "t"})

    def _derive(self, model: Mechanism | Lagrangian, formulas: dict[str, str], known: dict[str, Any]) -> None:
        """Derived parameters as expressions of the others, each after those it uses."""
        # a model of its own says which names may not be; the model itself learns only those with values
        names = Mechanism("names") if isinstance(model, Mechanism) else Lagrangian(model.q)
        trees: dict[str, Expr] = {}
        for name, text in formulas.items():
            path: Path = ("parameters", name)
            made = self.made(path, parse, text, known, self.tables)
            if self.made(path, names.parameter, name, 1.0) is None or made is None:
                self.failed.add(name)
            else:
                trees[name] = made
        order, cycles = ordered({name: made.names & trees.keys() for name, made in trees.items()})
        for cycle in cycles:
            text = " -> ".join(cycle if len(cycle) <= 20 else [*cycle[:18], "...", cycle[-1]])
            told = f"the formulas go in a circle: {text}; give one of these a number"
            self.problems.add(("parameters", cycle[0]), told)
        self.failed |= trees.keys() - set(order)
        values = model.parameters
        for name in order:
            path = ("parameters", name)
            # until it is known: a formula without a value would be told again wherever it is used
            self.failed.add(name)
            if self.failed & trees[name].names:
                continue
            with contextlib.suppress(Failed):
                made = self.values.filled(path, formulas[name], trees[name])
                if self.made(path, made.evaluate, values) is None:
                    continue
                self.derived[name] = made
                found = self.values.judged(path, formulas[name], trees[name])
                if found.level == DECLARED and found.dimension is not None:
                    self.dimensions[name] = found.dimension
                else:
                    self.values.guesses[name] = found
                self.failed.remove(name)

    def units(self, model: Mechanism | Lagrangian) -> None:
        """Units in which results are shown: those that the file states, else those that it uses most."""
        if "units" in self.data:
            self.made(("units",), setattr, model, "units", self.data["units"])
        else:
            other = (*ANALYSES, "name", "$schema")
            model.units = units_in({key: x for key, x in self.data.items() if key not in other})

    def taken(self, path: Path, name: str) -> bool:
        """Whether a part is called like a derived parameter, which is refused as for other parameters."""
        taken = name in self.derived
        if taken:
            self.problems.add(path, f"the name is taken by the derived parameter {name!r}; choose another name")
        return taken

    def _parameter(self, path: Path, x: Any) -> tuple[float | None, str, str]:
        if isinstance(x, dict):
            with contextlib.suppress(Failed):
                given = self.values.table(path, x, ("number", "label"))
                number = given.get("number")
                if is_formula(number):
                    do = f"write {path[-1]} = {number!r}, or give a number"
                    raise self.problems.add((*path, "number"), f"found {number!r}; a formula has no label; {do}")
                value = self.values.number((*path, "number"), number, None)
                return value, "", self.values.text((*path, "label"), given.get("label", ""))
            return None, "", ""
        pair = split_quantity(x) if isinstance(x, str) else None
        if isinstance(x, str) and (pair is not None or is_plain_number(x)):
            value = self.number(path, x, None)
            if value is None or pair is None:
                return value, "", ""
            self.dimensions[str(path[-1])] = parse_unit(pair[1]).dimension
            return value, si_unit(pair[1]), ""
        return self.number(path, x, None), "", ""

    # -- events, stops, friction of a Lagrangian system -----------------------------------------------------------------

    def events(self, model: Mechanism | Lagrangian) -> None:
        """Add events, stops, friction of a Lagrangian system and open joints of a file to a model; problems are noted."""
        for section, (method, needed, watches) in SECTIONS.items():
            fields = fields_of(section)
            for name, x in (
                {} if section == "frictions" and isinstance(model, Mechanism) else self.section(section)
            ).items():
                path: Path = (section, name)
                if self.failed & (mentioned(x) | _keys(x)):
                    continue  # told where these are made
                given, failed = self.known_keys(path, x, fields)
                if needed not in given:
                    self.problems.add(path, f'{ON} is missing; {watches}: {ON} = "s.x"')
                    continue
                made = {}
                for key, item in given.items():
                    try:
                        if key == "level" and isinstance(item, str):
                            wanted = self.values.dimension_in(given[needed])
                            made[key] = self.values.number((*path, key), item, None, wanted)
                        else:
                            made[key] = self._of_event(model, (*path, key), fields[key], item)
                    except Failed:
                        failed = True
                if not failed:
                    self.made(path, getattr(model, method), name, made.pop(needed), fields=given, **made)
        opened = self.data.get("open", [])
        if not isinstance(opened, list):
            self.problems.wrong_type(("open",), opened, "a list of names of joints")
            return
        for k, name in enumerate(opened):
            self.made(("open", k), model.open, name)

    def _changed(self, model: Mechanism | Lagrangian, path: Path, x: Any) -> Any:
        """Other arguments of a part, or another expression of a driver, of the force on a coordinate, of an energy."""
        stated = model.given(path[-1])
        if not isinstance(x, dict):
            return self.values.number(path, x, None)
        if stated is None:
            return x  # told by the model
        method, arguments = stated
        own = {"impact": "impacts", **({} if isinstance(model, Mechanism) else {"friction": "frictions"})}.get(method)
        if own is not None:
            fields = fields_of(own)
            given, failed = self.known_keys(path, x, fields)
            made = {key: self._of_event(model, (*path, key), fields[key], item) for key, item in given.items()}
        else:
            made, right = self.part_arguments(model, path, method, x, arguments)
            failed = not right
        if failed:
            raise Failed
        return made

    def _set(self, model: Mechanism | Lagrangian, path: Path, key: str, x: Any) -> Any:
        """What a parameter is set to, in its unit; impulses by body, in theirs unless they are given with a point."""
        if key == "set":
            kind = self.dimensions.get(path[-1])
            return self.values.number(path, x, None, None if kind is None else Quantity(kind))
        with_point = isinstance(x, list) and any(isinstance(item, list | dict) for item in x)
        unit = None if with_point or not isinstance(model, Mechanism) else TABLES["strike"][_OPTIONS.get(key, key)].unit
        return self.values.number(path, x, unit)

    def _of_event(self, model: Mechanism | Lagrangian, path: Path, field: Field, x: Any) -> Any:
        tables = {
            "numbers": "a table of names with values",
            "laws": "a table of force elements and drivers with what changes",
        }
        if field.kind not in tables:
            return self.values.plain(path, x, field)
        if not isinstance(x, dict):
            raise self.problems.wrong_type(path, x, tables[field.kind])
        if field.kind == "laws":
            return {name: self._changed(model, (*path, name), item) for name, item in x.items()}
        return {name: self._set(model, (*path, name), path[-1], item) for name, item in x.items()}


def _keys(x: Any) -> set[str]:
    return {name for item in x.values() if isinstance(item, dict) for name in item} if isinstance(x, dict) else set()
