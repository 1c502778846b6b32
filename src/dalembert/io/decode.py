"""Plain data of a file to a model.  All problems are noted; a part that refers to a part with problems is passed over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import DalembertError, shown
from ..model.expression import Expr, Spline, parse, spline
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.output_units import units_in
from ..model.registry import FORCES, JOINTS
from ..model.units import NONE, Dimension, UnitError, is_plain_number, parse_unit, si_text, split_quantity
from .derived import is_formula, ordered, words
from .dimensions import DECLARED, GUESSED, NATURAL, Quantity, rate_of
from .events import read_events
from .fields import dimension_in, field_of, law_names, names_of, pair_of, unit_of, units_per
from .options import ANALYSES, read_options
from .problems import Path, Problems, dotted
from .text import MAX_PARTS
from .values import Failed, PartValues, Values, measure_of

VERSION = 1
LENGTH = parse_unit("m").dimension
KINDS = ("mechanism", "lagrangian")

GENERAL = ("format", "kind", "$schema", "name", "units", "parameters", "tables", "start", "events", "impacts", "open")
MECHANISM = ("plane", "gravity", "length", "bodies", "measures", "joints", "states", "forces", "drivers")
LAGRANGIAN = ("q", "kinetic", "potential", "dissipation", "gravity", "forces", "holonomic", "nonholonomic", "states", "particles", "bodies",
              "loads", "guess")  # fmt: skip

Decoded = tuple[Mechanism | Lagrangian, dict[str, Any], dict[str, Expr], tuple[str, ...], tuple[str, ...]]


def decode(data: dict[str, Any], problems: Problems, name: str) -> Decoded:
    """Model, analyses, derived parameters, what units cannot tell, unused parameters, of plain data; raises one error with all problems."""
    version, kind = data.get("format", VERSION), data.get("kind", "mechanism")
    if isinstance(version, bool) or not isinstance(version, int) or version != VERSION:
        problems.add(("format",), f"found {shown(version, 40)}; this version of dalembert reads format {VERSION}")
    if kind not in KINDS:
        problems.unknown(("kind",), "kind of model", kind, KINDS)
    problems.check()
    known = (*GENERAL, *(MECHANISM if kind == "mechanism" else LAGRANGIAN), *ANALYSES)
    for key in data:
        if key not in known:
            problems.unknown((key,), "section", key, known)
    parts = sum(len(x) for x in data.values() if isinstance(x, dict))
    if parts > MAX_PARTS:
        problems.add((), f"{parts} parts; a file may hold {MAX_PARTS}")
        problems.check()
    reader = _Reader(data, problems, name)
    model = reader.mechanism() if kind == "mechanism" else reader.lagrangian()
    if model is not None:
        reader.units(model)
    # names and expressions in options are judged by a model that is whole
    analyses = read_options(data, None if problems.found else model, reader.values, problems)
    problems.check()
    assert model is not None
    unchecked = tuple(f"{dotted(path)}: {x}" for path, x in reader.values.unchecked.items())
    return model, analyses, reader.derived, unchecked, unused(data)


def unused(data: dict[str, Any]) -> tuple[str, ...]:
    """Parameters that no text of the file mentions besides their own."""
    section = data.get("parameters", {})
    used = mentioned([x for key, x in data.items() if key not in ("parameters", "name")])
    used |= {word for name, x in section.items() if is_formula(x) for word in words(x) - {name}}
    return tuple(name for name in section if name not in used)


class _Reader:
    """One file on its way to a model."""

    def __init__(self, data: dict[str, Any], problems: Problems, name: str) -> None:
        self.data, self.problems, self.name = data, problems, name
        self.dimensions: dict[str, Dimension] = {}
        self.derived: dict[str, Expr] = {}
        self.table_dimensions: dict[str, tuple[Dimension | None, Dimension | None]] = {}
        self.tables = self._tables()
        self.values = Values(problems, self.tables, self.dimensions, self.derived)
        self.values.table_dimensions = self.table_dimensions
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
        """What a table holds under known keys, which may be wrong as well, and whether there was more."""
        try:
            return dict(self.values.table(path, x, known)), False
        except Failed:
            return {key: x[key] for key in x if key in known} if isinstance(x, dict) else {}, True

    def number(self, path: Path, x: Any, unit: str | None, wanted: Quantity | None = None) -> Any:
        """SI number or expression; None and a noted problem where it is wrong."""
        try:
            return self.values.number(path, x, unit, wanted)
        except Failed:
            return None

    def _tables(self) -> dict[str, Spline]:
        found = {}
        for name, x in self.section("tables").items():
            path: Path = ("tables", name)
            values = Values(self.problems, {}, {}, {})
            try:
                given = values.table(path, x, ("x", "y", "rate", "periodic"))
                missing = [key for key in ("x", "y") if key not in given]
                if missing:
                    raise values.fail(path, f"{missing[0]} is missing; a table has x and y")
                rate = given.get("rate")
                if isinstance(rate, list):
                    rate = [None if r == "natural" else values.number((*path, "rate"), r, None) for r in rate]
                (x_values, x_kind), (y_values, y_kind) = (values.column((*path, key), given[key]) for key in ("x", "y"))
                found[name] = values.built(
                    path,
                    spline,
                    (x_values, y_values),
                    {"rate": rate, "name": name, "periodic": given.get("periodic", False) is True},
                )
                self.table_dimensions[name] = x_kind, y_kind
            except Failed:
                pass
        return found

    def parameters(self, model: Any) -> None:
        """Parameters: a number, a quantity, or `{ number = 3, label = "teeth" }`; then those that are formulas of others."""
        section = self.section("parameters")
        for name, x in section.items():
            if is_formula(x):
                continue
            path: Path = ("parameters", name)
            value, unit = self._parameter(path, x)
            arguments = (name, value, unit) if isinstance(model, Mechanism) else (name, value)
            if value is None or self.made(path, model.parameter, *arguments) is None:
                self.failed.add(name)
            elif name not in self.dimensions:
                self.values.guesses[name] = Quantity(NONE, GUESSED, frozenset({name}))
        formulas = {name: x for name, x in section.items() if is_formula(x)}
        if formulas:
            # time is no parameter, even where a file calls one so
            self._derive(model, formulas, {name: x for name, x in section.items() if name != "t"})

    def _derive(self, model: Any, formulas: dict[str, str], known: dict[str, Any]) -> None:
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
            self.problems.add(
                ("parameters", cycle[0]), f"the formulas go in a circle: {text}; give one of these a number"
            )
        self.failed |= trees.keys() - set(order)
        values = model.parameters
        for name in order:
            path = ("parameters", name)
            if self.failed & trees[name].names:
                self.failed.add(name)
                continue
            try:
                made = self.values.filled(path, formulas[name], trees[name])
            except Failed:
                made = None
            # a formula without a value would be told again wherever it is used
            if made is None or self.made(path, made.evaluate, values) is None:
                self.failed.add(name)
                continue
            self.derived[name] = made
            try:
                found = self.values.judged(path, formulas[name], trees[name])
            except Failed:
                self.failed.add(name)
                continue
            if found.level == DECLARED and found.dimension is not None:
                self.dimensions[name] = found.dimension
            else:
                self.values.guesses[name] = found

    def units(self, model: Any) -> None:
        """Units in which results are shown: those that the file states, else those that it uses most."""
        if "units" in self.data:
            self.made(("units",), setattr, model, "units", self.data["units"])
        else:
            described = {
                key: x for key, x in self.data.items() if key not in ANALYSES and key not in ("name", "$schema")
            }
            model.units = units_in(described)

    def _taken(self, path: Path, name: str) -> bool:
        """Whether a part is called like a derived parameter, which is refused as for other parameters."""
        taken = name in self.derived
        if taken:
            self.problems.add(path, f"the name is taken by the derived parameter {name!r}; choose another name")
        return taken

    def _parameter(self, path: Path, x: Any) -> tuple[float | None, str]:
        if isinstance(x, dict):
            try:
                given = self.values.table(path, x, ("number", "label"))
                number = given.get("number")
                if is_formula(number):
                    do = f"write {path[-1]} = {number!r}, or give a number"
                    raise self.values.fail((*path, "number"), f"found {number!r}; a formula has no label; {do}")
                value = self.values.number((*path, "number"), number, None)
                return value, self.values.text((*path, "label"), given.get("label", ""))
            except Failed:
                return None, ""
        pair = split_quantity(x) if isinstance(x, str) else None
        if isinstance(x, str) and (pair is not None or is_plain_number(x)):
            value = self.number(path, x, None)
            if value is None or pair is None:
                return value, ""
            unit = parse_unit(pair[1])
            self.dimensions[str(path[-1])] = unit.dimension
            return value, pair[1] if unit.is_si else si_text(unit.dimension)
        return self.number(path, x, None), ""

    # -- mechanisms ----------------------------------------------------------------------------------------------------

    def mechanism(self) -> Mechanism | None:
        """Mechanism: parameters and bodies first, then the other parts, each after those it refers to."""
        plane, title = self.data.get("plane", True), self.data.get("name", self.name)
        if not isinstance(plane, bool):
            self.problems.wrong_type(("plane",), plane, "true or false")
            return None
        model = self.made(("name",), Mechanism, title, plane=plane)
        if model is None:
            return None
        model._tables.update(self.tables)
        self.parameters(model)
        for key, unit in (("gravity", "m/s^2"), ("length", "m")):
            if key not in self.data or self.failed & mentioned(self.data[key]):
                continue
            x = self.number((key,), self.data[key], unit)
            if x is not None:
                self.made((key,), self._set_number, model, key, x)
        self.values = PartValues(model, self.values)
        for name, x in self.section("bodies").items():
            self._body(model, name, x)
        for section, name, x in self._ordered():
            if self.problems.full:
                break
            self._part(model, section, name, x)
        self._state_names(model)
        for name, x in self.section("start").items():
            self._start(model, name, x)
        read_events(self, model)
        return model  # type: ignore[no-any-return]

    def _state_names(self, model: Mechanism) -> None:
        """Note names in rates of states that nothing has, now that all parts are there; states may name those that come later."""
        for state in model.parts("state"):
            for name in sorted(n[5:-1] if n.startswith("rate(") else n for n in state.law.names):
                known = [*model.parameter_names, *model.measure_names(), "t"]
                if name not in known and name not in self.failed:
                    self.problems.unknown(("states", state.name, "rate"), "name", name, known)

    @staticmethod
    def _set_number(model: Mechanism, key: str, x: Any) -> None:
        """Set gravity or length; names in it are checked at once, since all parameters are known."""
        setattr(model, key, x)
        try:
            model.check_numbers()
        except DalembertError:
            setattr(model, key, None)
            raise

    def _body(self, model: Mechanism, name: str, x: Any) -> None:
        path: Path = ("bodies", name)
        if self.failed & mentioned(x) or self._taken(path, name):
            self.failed.add(name)
            return
        particle = x.get("particle", False) if isinstance(x, dict) else False
        tag = "particle" if particle is True else "body"
        given = {key: item for key, item in x.items() if key != "particle"} if isinstance(x, dict) else x
        if not isinstance(particle, bool):
            self.problems.wrong_type((*path, "particle"), particle, "true or false")
        arguments, right = self._arguments(model, path, tag, given)
        if not right:
            self._stand_in(getattr(model, tag), name, arguments)
        elif self.made(path, getattr(model, tag), name, fields=arguments, **arguments) is None:
            self.failed.add(name)

    def _ordered(self) -> list[tuple[str, str, Any]]:
        """Measures, joints, states, forces and drivers, each after those whose names it contains."""
        items = [
            (s, n, x) for s in ("measures", "joints", "states", "forces", "drivers") for n, x in self.section(s).items()
        ]
        by_name = {name: k for k, (_, name, _) in enumerate(items)}
        done: set[int] = set()
        made: list[tuple[str, str, Any]] = []
        for first in range(len(items)):
            stack = [(first, False)]
            open_now: set[int] = set()
            while stack:
                k, ready = stack.pop()
                if ready:
                    if k not in done:
                        done.add(k)
                        made.append(items[k])
                    continue
                if k in done or k in open_now:
                    continue
                open_now.add(k)
                stack.append((k, True))
                needs = sorted({by_name[n] for n in mentioned(items[k][2]) if n in by_name} - {k}, reverse=True)
                stack += [(other, False) for other in needs]
        return made

    def _part(self, model: Mechanism, section: str, name: str, x: Any) -> None:
        path: Path = (section, name)
        unknown = self.failed & (mentioned(x) - {name})
        if self._taken(path, name):
            self.failed.add(name)
            return
        method = self._method(path, section, x)
        given = {key: item for key, item in x.items() if key != "type"} if isinstance(x, dict) else x
        if section == "measures" and isinstance(x, str):
            given = {"expression": x}
        if section == "states" and isinstance(x, str):
            given = {"rate": x}
        if method is None:
            self.failed.add(name)
            return
        if unknown:
            # it cannot be made, but what does not depend on the missing parts can be read
            self.failed.add(name)
            if isinstance(given, dict):
                self._arguments(model, path, method, {k: v for k, v in given.items() if not unknown & mentioned(v)})
            return
        arguments, right = self._arguments(model, path, method, given)
        if not right:
            if method in ("measure", "drive"):
                self.failed.add(name)
                value = arguments.get("value")
                known = [*model.parameter_names, "t"]
                value = parse(value) if isinstance(value, str) else value
                for other in sorted(value.names - {*known}) if isinstance(value, Expr) else ():
                    self.problems.unknown((*path, "value"), "name", other, known)
            else:
                self._stand_in(getattr(model, method), name, arguments)
            return
        if method == "measure":
            done = self.made(path, model.measure, name, arguments.pop("expression", None), fields=given, **arguments)
        elif method == "drive":
            missing = [key for key in ("measure", "value") if key not in arguments]
            for key in missing:
                self.problems.add(path, f"{key} is missing; a driver has a measure and a value")
            done = None if missing else self.made(path, model.drive, name, arguments["measure"], arguments["value"])
        else:
            done = self.made(path, getattr(model, method), name, fields=given, **arguments)
        if done is None:
            self.failed.add(name)

    def _method(self, path: Path, section: str, x: Any) -> str | None:
        """Method of the mechanism that adds the part."""
        own = {"measures": "measure", "drivers": "drive", "states": "state"}
        if section in own:
            return own[section]
        known, what = (JOINTS, "joint") if section == "joints" else (FORCES, "force")
        if not isinstance(x, dict):
            self.problems.wrong_type(path, x, "a table")
            return None
        tag = x.get("type")
        if tag is None:
            self.problems.add(path, f"type is missing; a {what} is one of {', '.join(known)}")
        elif not isinstance(tag, str) or tag not in known:
            self.problems.unknown((*path, "type"), f"{what} type", tag, known)
        else:
            return tag
        return None

    def _stand_in(self, method: Any, name: str, arguments: dict[str, Any]) -> None:
        """Make a part from what is right of it, so that those that refer to it can be checked: the model is not used, mistakes are noted."""
        try:
            method(name, **arguments)
        except (DalembertError, TypeError):
            self.failed.add(name)

    def _arguments(self, model: Mechanism, path: Path, tag: str, x: Any) -> tuple[dict[str, Any], bool]:
        """Arguments of a part that could be read, and whether these are all; mistakes are noted."""
        assert isinstance(self.values, PartValues)
        names, pair = names_of(tag), pair_of(tag)
        x, named = self._named_pair(x, pair, names)
        given, failed = self.known_keys(path, x, [*names, *(("between",) if pair else ())])
        if pair and "between" in given:
            bodies = given.pop("between")
            if not isinstance(bodies, list) or len(bodies) != 2 or set(pair) & set(given):
                listed = "a list of two bodies" if pair == ("i", "j") else "a list of two points"
                self.problems.wrong_type((*path, "between"), bodies, f"{listed}, instead of {pair[0]} and {pair[1]},")
                return {}, False
            given = {pair[0]: bodies[0], pair[1]: bodies[1], **given}
        made: dict[str, Any] = {}
        # what the part acts on comes first: it decides about the units of the rest
        late = [key for key in given if "{" in (field_of(tag, key).unit or "")]
        for key in [*(key for key in given if key not in late), *late]:
            field = field_of(tag, key)
            spread = units_per(tag, key).get(str(x.get("per", "mass")))
            unit = spread or unit_of(field, measure_of(model, made) if key in late else None)
            place = ("between", pair.index(key)) if pair and key in pair and key not in x else (named.get(key, key),)
            on = self.values.acted_on(made) if key in late else Quantity(LENGTH, NATURAL)
            # a law knows its own quantity and the rate of it; a field three of them
            own = {name: rate_of(on) if k % 2 else on for k, name in enumerate(law_names(tag, key))}
            if tag == "state":
                on = self.values.in_unit(made.get("unit"))
                own = {str(path[-1]): on}
            try:
                self._check_law((*path, key), given[key], law_names(tag, key))
                wanted = dimension_in(field, on) if unit is None else None
                made[key] = self.values.read((*path, *place), given[key], field, unit, wanted, own)
            except Failed:
                failed = True
        return made, not failed

    @staticmethod
    def _named_pair(x: Any, pair: tuple[str, str] | None, names: Iterable[str]) -> tuple[Any, dict[str, str]]:
        """Fields of a part with a and b read as i and j, where the part calls its bodies so; and how the file calls them."""
        if (
            not isinstance(x, dict)
            or pair != ("i", "j")
            or {"a", "b"} & set(names)
            or not {"a", "b"} <= set(x)
            or set(pair) & set(x)
        ):
            return x, {}
        return {{"a": "i", "b": "j"}.get(key, key): item for key, item in x.items()}, {"i": "a", "j": "b"}

    def _check_law(self, path: Path, x: Any, own: tuple[str, ...]) -> None:
        """Refuse a derived parameter in a law whose own quantities are called so; the model does it for other parameters."""
        used = mentioned(x) & self.derived.keys() if own and self.derived else set()
        for name in sorted(used):
            both = sorted({name, *self.derived[name].names} & set(own))
            if both:
                why = f"{both[0]!r} names a parameter as well as a quantity of this law"
                raise self.values.fail(path, f"the law uses {name!r}; {why}; rename the parameter")

    def _start(self, model: Mechanism, name: str, x: Any) -> None:
        path: Path = ("start", name)
        if self.failed & (mentioned(name) | mentioned(x)):
            return
        assert isinstance(self.values, PartValues)
        given, failed = self.known_keys(path, x, names_of("start"))
        try:
            measure = self.values.coordinate(path, name)
        except Failed:
            return
        known = measure_of(model, {"on": measure})
        made = {}
        for key, item in given.items():
            field = field_of("start", key)
            unit = field.unit.replace("{u}", known.unit) if known is not None and field.unit else None
            try:
                parse_unit(unit or "1")
            except UnitError:
                unit = None
            wanted = None
            if unit is None or (known is not None and known.expression is not None and known.unit == "1"):
                unit, wanted = None, dimension_in(field, self.values.acted_on({"on": measure}))
            made[key] = self.number((*path, key), item, unit, wanted)
        if not failed and None not in made.values():
            self.made(path, model.start, measure, fields=made, **made)

    # -- Lagrangian systems --------------------------------------------------------------------------------------------

    def lagrangian(self) -> Lagrangian | None:
        """System in generalized coordinates."""
        q = self.data.get("q")
        if not isinstance(q, list | str) or not all(isinstance(name, str) for name in q):
            self.problems.wrong_type(("q",), q, "a list of names of coordinates")
            return None
        model = self.made(("q",), Lagrangian, q, name=self.data.get("name", self.name))
        if model is None:
            return None
        self.parameters(model)
        states = {
            name: made for name, x in self.section("states").items() if (made := self._lagrangian_state(model, name, x))
        }
        accepted: dict[str, Any] = {}
        for key, unit in (("kinetic", None), ("potential", None), ("dissipation", None), ("gravity", "m/s^2")):
            x = self.number((key,), self.data[key], unit) if key in self.data else None
            if x is not None and self.made((key,), Lagrangian, q, **{key: x}) is not None:
                accepted[key] = x
                self._lagrangian_names(model, (key,), x)
        forces = {}
        for key, given in self.section("forces").items():
            x = self.number(("forces", key), given, None)
            if x is not None and self.made(("forces", key), Lagrangian, q, forces={key: x}) is not None:
                forces[key] = x
                self._lagrangian_names(model, ("forces", key), x)
        model = Lagrangian(q, **accepted, forces=forces, parameters=model.parameters, name=model.name)
        model._tables.update(self.tables)
        for name, given in states.items():
            model.state(name, **given)
        for name, given in states.items():
            self._lagrangian_names(model, ("states", name, "rate"), given["rate"])
        for section, method in (("holonomic", model.constraint), ("nonholonomic", model.pfaffian)):
            for name, x in self.section(section).items():
                row = self.number((section, name), x, None)
                if row is not None:
                    self.made((section, name), method, name, row)
                    self._lagrangian_names(model, (section, name), row)
        for section in ("particles", "bodies", "loads"):
            for name, x in self.section(section).items():
                self._lagrangian_part(model, section, name, x)
        for name, x in self.section("start").items():
            self._lagrangian_start(model, name, x)
        for name, x in self.section("guess").items():
            value = self.number(("guess", name), x, None)
            if value is not None:
                self.made(("guess", name), model.guess, name, value)
        read_events(self, model)
        return model

    def _lagrangian_state(self, model: Lagrangian, name: str, x: Any) -> dict[str, Any] | None:
        """Arguments of an auxiliary state, with which the model has made one; None and noted problems where that failed."""
        path: Path = ("states", name)
        given, failed = self.known_keys(path, {"rate": x} if isinstance(x, str) else x, ("rate", "start"))
        made = {key: self.number((*path, key), item, None) for key, item in given.items()}
        if failed or None in made.values():
            return None
        return made if self.made(path, model.state, name, fields=made, **made) is not None else None

    def _lagrangian_part(self, model: Lagrangian, section: str, name: str, x: Any) -> None:
        path: Path = (section, name)
        methods = {"particles": "particle", "bodies": "body"}
        if section == "loads":
            tag = x.get("type") if isinstance(x, dict) else None
            if tag not in LOADS:
                self.problems.unknown((*path, "type"), "load type", tag, LOADS)
                return
            method = str(tag)
            x = {key: item for key, item in x.items() if key != "type"}
        else:
            method = methods[section]
        given, failed = self.known_keys(path, x, LAGRANGIAN_FIELDS[method])
        made = {}
        for key, item in given.items():
            try:
                made[key] = self._lagrangian_value((*path, key), key, item)
            except Failed:
                failed = True
                continue
            if key != "on":
                place = FIELD_NAMES if method == "field" else ()
                self._lagrangian_names(model, (*path, key), made[key], place)
        if not failed:
            self.made(path, getattr(model, method), name, fields=made, **made)

    def _lagrangian_names(self, model: Lagrangian, path: Path, x: Any, own: tuple[str, ...] = ()) -> None:
        """Note names in expressions that are neither coordinates, their rates, the time nor parameters."""
        if isinstance(x, list):
            for k, item in enumerate(x):
                # a turn is an axis and an angle
                self._lagrangian_names(model, (*path, k), item[1] if isinstance(item, tuple) else item, own)
        elif isinstance(x, str | Expr):
            found = parse(x, None, self.tables) if isinstance(x, str) else x
            known = {*model.q, *(f"rate({name})" for name in model.q), "t", *model.parameters, *own}
            for name in sorted(found.names - known - self.failed):
                self.problems.unknown(path, "name", name, sorted(known))

    def _lagrangian_value(self, path: Path, key: str, x: Any) -> Any:
        if key == "local":
            if not isinstance(x, bool):
                self.problems.wrong_type(path, x, "true or false")
                raise Failed
            return x
        if key == "on" and isinstance(x, str):
            return x
        of_field = path[0] == "loads" and self.section("loads")[path[1]].get("type") == "field"
        if key == "on" and of_field and isinstance(x, list) and all(isinstance(name, str) for name in x):
            return x
        if key == "turns" and isinstance(x, list):
            for k, pair in enumerate(x):
                if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
                    self.problems.wrong_type((*path, k), pair, "an axis and an angle, such as ['z', 'psi'],")
                    raise Failed
            return [(axis, self.values.number((*path, k, 1), angle, "rad")) for k, (axis, angle) in enumerate(x)]
        units = {"mass": "kg", "inertia": "kg m^2", "angle": "rad"}
        return self.values.number(path, x, units.get(key))

    def _lagrangian_start(self, model: Lagrangian, name: str, x: Any) -> None:
        path: Path = ("start", name)
        if self.failed & mentioned(x):
            return
        given, failed = self.known_keys(path, x, names_of("start"))
        made = {key: self.number((*path, key), item, None) for key, item in given.items()}
        if not failed and None not in made.values():
            self.made(path, model.start, name, fields=made, **made)


LAGRANGIAN_FIELDS: dict[str, tuple[str, ...]] = {
    "particle": ("mass", "at"),
    "body": ("mass", "inertia", "at", "angle", "turns", "rotation"),
    "force": ("on", "vector", "at", "local"),
    "couple": ("on", "vector", "local"),
    "field": ("vector", "on", "moment"),
}
LOADS = ("force", "couple", "field")
FIELD_NAMES = ("x", "y", "z", "vx", "vy", "vz")


def mentioned(x: Any) -> set[str]:
    """All that texts inside a value may refer to: whole texts, what stands before their last dot, and words."""
    found: set[str] = set()
    stack = [x]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, list):
            stack += item
        elif isinstance(item, str):
            found |= {item, item.rpartition(".")[0], *words(item)}
    return found
