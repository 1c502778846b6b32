"""Values of a file to what the model takes: quantities, expressions, points, directions, shapes."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import DalembertError, nearest
from ..model.arguments import Names, is_part
from ..model.body import Body
from ..model.dimensions import GUESSED, NATURAL, TIME, DimensionError, Judge, Quantity, of_measure, verdict
from ..model.expression import MAX_NODES, Expr, Number, Spline, as_expression, parse, postorder
from ..model.frame import Axis, Point
from ..model.loads import load_named
from ..model.measure import Measure
from ..model.mechanism import Mechanism
from ..model.shapes import SHAPES, Shape, composite, void
from ..model.units import Dimension, UnitError, fits, is_plain_number, kind_of, parse_unit, split_quantity
from .fields import ON, Field, shape_fields
from .parameters import words
from .problems import Failed, Path, Problems

Own = Mapping[str, Quantity]
_TABLE_CALL = re.compile(r"([^\W\d]\w*)'*\s*\(")


@dataclass
class Values:
    """Reader of values: numbers with units and expressions, for any model."""

    problems: Problems
    tables: dict[str, Spline] = field(default_factory=dict)
    dimensions: dict[str, Dimension] = field(default_factory=dict)
    derived: dict[str, Expr] = field(default_factory=dict)
    table_dimensions: dict[str, tuple[Dimension | None, Dimension | None]] = field(default_factory=dict)
    # derived parameters that depend on numbers without unit, and parameters without
    guesses: dict[str, Quantity] = field(default_factory=dict)
    unchecked: dict[Path, str] = field(default_factory=dict)  # expressions whose dimension units cannot tell, and why

    def number(
        self, path: Path, x: Any, unit: str | None, wanted: Quantity | None = None, own: Own | None = None
    ) -> Any:
        """SI number, expression, or nested lists of these.

        `wanted` is the dimension that belongs there where no unit is stated; `own` holds those of names that the law gives itself.
        """
        if isinstance(x, list):
            return [self.number((*path, k), item, unit, wanted, own) for k, item in enumerate(x)]
        if unit is not None:
            wanted = Quantity(parse_unit(unit).dimension)
        if isinstance(x, str) and is_plain_number(x):
            x = float(x)
        if isinstance(x, int | float) and not isinstance(x, bool):
            if unit == "rad" and x != 0:
                do = f"write '{x} deg' or '{x} rad'"
                raise self.problems.add(path, f"found {x!r} without a unit; it may be degrees: {do}")
            try:
                return float(x)
            except OverflowError:
                raise self.problems.add(path, "found a whole number beyond 1e308; write it in other units") from None
        if not isinstance(x, str):
            raise self.problems.wrong_type(path, x, "a number, a quantity such as '200 mm' or an expression")
        pair = split_quantity(x)
        if pair is None:
            return self.expression(path, x, wanted, own=own)
        try:
            found = parse_unit(pair[1])
        except UnitError as error:
            raise self.problems.add(path, f"found {x!r}; {error}") from None
        belongs = None if wanted is None or not wanted.level else wanted.dimension
        if belongs is not None and not fits(found.dimension, belongs):
            raise self.problems.add(path, f"found {x!r}, {kind_of(found.dimension)}; {kind_of(belongs)} belongs here")
        return found.number(pair[0])

    def expression(
        self, path: Path, text: str, wanted: Quantity | None = None, known: Any = None, own: Own | None = None
    ) -> Any:
        """Expression as text, or as a tree where it uses tables or derived parameters of the file; its dimension must fit as far as it is known."""
        derives = self.derives(text)
        try:
            made = parse(text, None if derives else known, self.tables)
        except DalembertError as error:
            raise self.problems.refused(path, error) from None
        # "2 m/h" where h is a parameter as well
        names = {*self.dimensions, *self.guesses, *self.derived}
        for node in (x for x in (postorder(made) if names else ()) if isinstance(x, Number)):
            for name in (word for part in node.unit.split("/")[1:] for word in words(part) if word in names):
                do = f"write blanks, … / {name}, for the parameter, or rename it"
                raise self.problems.add(path, f"found {node.written!r}; {name!r} is a unit and a parameter: {do}")
        self.judged(path, text, made, wanted, own)
        if derives:
            return self.filled(path, text, made, known)
        return made if self.calls(text) else text

    def judge(self, own: Own | None = None) -> Judge:
        """Judge of dimensions that knows the names of the file."""
        return Judge(lambda name: self.dimension_of(name, own or {}), self.table_dimensions)

    def judged(
        self, path: Path, text: str, made: Expr, wanted: Quantity | None = None, own: Own | None = None
    ) -> Quantity:
        """Dimension of an expression; contradictions are problems, what cannot be told is noted."""
        judge = self.judge(own)
        try:
            found = judge.of(made)
        except DimensionError as error:
            raise self.problems.add(path, f"found {text!r}; {error}") from None
        if wanted is not None and not verdict(made, found, wanted, judge):
            assert found.dimension is not None and wanted.dimension is not None
            belongs = kind_of(wanted.dimension)
            raise self.problems.add(path, f"found {text!r}, {kind_of(found.dimension)}; {belongs} belongs here")
        if judge.doubts:
            self.unchecked[path] = f"{text!r} ({', '.join(sorted(judge.doubts))})"
        return found

    def dimension_in(self, text: Any) -> Quantity | None:
        """Dimension of an expression that is read elsewhere; None where it is wrong, which is told there."""
        try:
            return self.judge().of(parse(text, None, self.tables))
        except (DalembertError, DimensionError):
            return None

    def dimension_of(self, name: str, own: Own) -> Quantity:
        """Dimension of a name in an expression."""
        if name in own:
            return own[name]
        if name in self.dimensions:
            return Quantity(self.dimensions[name])
        if name in self.guesses:
            return self.guesses[name]
        return Quantity(TIME, NATURAL) if name == "t" else Quantity(None, GUESSED, frozenset({name}))

    def derives(self, text: str) -> bool:
        """Whether a text mentions a derived parameter."""
        return bool(self.derived) and not self.derived.keys().isdisjoint(words(text))

    def filled(self, path: Path, text: str, made: Expr, known: Any = None) -> Expr:
        """Expression with formulas in the place of derived parameters; the limits hold for the whole, so that it can be written."""
        made = made.substitute({name: self.derived[name] for name in made.names & self.derived.keys()})
        if made.size > MAX_NODES:
            found = f"found {text!r}, {made.size:.4g} nodes with the formulas of derived parameters put in"
            raise self.problems.add(path, f"{found}; an expression has at most {MAX_NODES}")
        try:
            parse(str(made), tables=made.tables)
            return as_expression(made, known)
        except DalembertError as error:
            raise self.problems.refused(path, error) from None

    def calls(self, text: str) -> bool:
        """Whether a text calls a table of the file."""
        return any(name in self.tables for name in _TABLE_CALL.findall(text))

    def column(self, path: Path, x: Any) -> tuple[Any, Dimension | None]:
        """Numbers of a table, and the dimension that their units say; numbers without unit are in SI units."""
        items = x if isinstance(x, list) else []
        pairs = [split_quantity(item) for item in items if isinstance(item, str)]
        numbers = self.number(path, x, None)
        found = {parse_unit(pair[1]).dimension for pair in pairs if pair is not None}
        if len(found) > 1:
            kinds = " and ".join(sorted(kind_of(d) for d in found))
            raise self.problems.add(path, f"found {kinds}; a column of a table has one dimension")
        return numbers, next(iter(found), None)

    def typed(self, path: Path, x: Any, right: bool, wanted: str) -> Any:
        """The value itself; one of the wrong type is a problem."""
        if not right:
            raise self.problems.wrong_type(path, x, wanted)
        return x

    def text(self, path: Path, x: Any) -> Any:
        """A text."""
        return self.typed(path, x, isinstance(x, str), "a text")

    def plain(self, path: Path, x: Any, field: Field) -> Any:
        """Value of a field that refers to no other part."""
        match field.kind:
            case "flag":
                return self.typed(path, x, isinstance(x, bool), "true or false")
            case "count":
                return self.typed(path, x, isinstance(x, int) and not isinstance(x, bool), "a whole number")
            case "names":
                listed = isinstance(x, list) and all(isinstance(item, str) for item in x)
                return self.typed(path, x, isinstance(x, str) or listed, "a name, or a list of names")
            case "word":
                if x not in field.default:
                    raise self.problems.unknown(path, path[-1], x, field.default)
                return x
            case "text":
                return self.text(path, x)
        return self.number(path, x, field.unit)

    def table(self, path: Path, x: Any, known: Any, what: str = "key") -> dict[str, Any]:
        """A table whose keys are all known; each that is not is a problem of its own."""
        self.typed(path, x, isinstance(x, dict), "a table")
        unknown = [key for key in x if key not in known]
        for key in unknown:
            self.problems.unknown((*path, key), what, key, known)
        if unknown:
            raise Failed
        return x  # type: ignore[no-any-return]

    # -- shapes --------------------------------------------------------------------------------------------------------

    def shape(self, path: Path, x: Any) -> Shape:
        """Shape of `{ rod = { length = ..., mass = ... } }`, placed by `at`, `angle` or `rotation` beside it."""
        x = self.table(path, x, [*SHAPES, "at", "angle", "rotation", "name"], "shape")
        kinds = [key for key in x if key in SHAPES]
        if len(kinds) != 1:
            do = "one is needed here, such as { rod = { ... } }"
            raise self.problems.add(path, f"found {len(kinds)} shapes; {do}")
        kind = kinds[0]
        inner = (*path, kind)
        if kind == "void":
            made: Shape = void(self.shape(inner, x[kind]))
        elif kind == "composite":
            given = self.table(inner, x[kind], ("parts", "name"))
            parts: Any = given.get("parts")
            self.typed((*inner, "parts"), parts, isinstance(parts, list), "a list of shapes")
            shapes = [self.shape((*inner, "parts", k), part) for k, part in enumerate(parts)]
            name = self.text((*inner, "name"), given.get("name", ""))
            made = self.built(inner, composite, shapes, {"name": name})
        else:
            units = shape_fields(kind)
            given = self.table(inner, x[kind], units)
            made = self.built(inner, SHAPES[kind], (), self.dimensions_of(inner, given, units))
        if "at" not in x and not {"angle", "rotation", "name"} & set(x):
            return made
        at = self.trees(self.number((*path, "at"), x.get("at", [0, 0]), "m"))
        options: dict[str, Any] = {}
        if "angle" in x:
            options["angle"] = self.trees(self.number((*path, "angle"), x["angle"], "rad"))
        if "rotation" in x:
            options["rotation"] = self.number((*path, "rotation"), x["rotation"], "1")
        if "name" in x:
            options["name"] = self.text((*path, "name"), x["name"])
        right = isinstance(at, list) and len(at) in (2, 3)
        self.typed((*path, "at"), x.get("at"), right, "a list of two or three numbers")
        return self.built(path, made.at, at, options)

    def built(self, path: Path, make: Any, arguments: Any, options: dict[str, Any]) -> Any:
        """What a function of the model makes; its refusal is a problem."""
        try:
            return make(*arguments, **options)
        except DalembertError as error:
            raise self.problems.refused(path, error, options) from None

    def dimensions_of(self, path: Path, given: dict[str, Any], units: dict[str, str]) -> dict[str, Any]:
        """Arguments of a shape; every wrong one is a problem of its own."""
        made: dict[str, Any] = {}
        for name, x in given.items():
            with contextlib.suppress(Failed):
                if name == "axis":
                    made[name] = x if isinstance(x, str) else self.number((*path, name), x, "1")
                elif name == "corners" and isinstance(x, dict):
                    made[name] = self.shape((*path, name), x)
                else:
                    # formulas of the place; a density is per area or per volume
                    of_place = name in ("density", "radius", "inner", "y") and path[-1] in ("lamina", "revolved")
                    made[name] = self.trees(self.number((*path, name), x, None if of_place else units[name]))
        if len(made) < len(given):
            raise Failed
        return made

    def trees(self, x: Any) -> Any:
        """The same with texts as expression trees: shapes take no texts."""
        if isinstance(x, list):
            return [self.trees(item) for item in x]
        return parse(x) if isinstance(x, str) else x


class PartValues(Values):
    """Reader of values of a mechanism, which knows its bodies."""

    def __init__(self, model: Mechanism, before: Values) -> None:
        super().__init__(**vars(before))
        self.model = model

    def dimension_of(self, name: str, own: Own) -> Quantity:
        """Dimension of a name: that of a measure too, and of a load."""
        if name not in own and load_named(self.model, name) is not None:
            return self.model._dimension(name)
        measure = None if name in own or name in self.dimensions or name == "t" else self.model.find_measure(name)
        return super().dimension_of(name, own) if measure is None else self.measured(measure)

    def measured(self, measure: Measure) -> Quantity:
        """Dimension of a measure, by its unit or by its expression."""
        return of_measure(measure, lambda name: self.dimension_of(name, {}), self.table_dimensions)

    def acted_on(self, arguments: Mapping[str, Any]) -> Quantity:
        """Dimension of what a part acts on: a measure, a coordinate or an expression of these."""
        measure = measure_of(self.model, arguments)
        if measure is not None:
            return self.measured(measure)
        given = _measure_in(arguments)
        with contextlib.suppress(DalembertError, DimensionError):  # told where it stands
            made = parse(given, None, self.tables) if isinstance(given, str) else given
            if isinstance(made, Expr):
                return self.judge().of(made)
        return Quantity(None, GUESSED)

    def read(
        self, path: Path, x: Any, field: Field, unit: str | None, wanted: Quantity | None = None, own: Own | None = None
    ) -> Any:
        """Value of a field by its kind."""
        if field.kind == "number":
            return self.number(path, x, unit, wanted, own)
        if field.kind in ("flag", "count", "text"):
            return self.plain(path, x, field)
        match field.kind:
            case "law":
                return self.expression(path, self.text(path, x))
            case "coordinates" if isinstance(x, list):
                return [self.coordinate((*path, k), item) for k, item in enumerate(x)]
            case "coordinate" | "coordinates":
                return self.coordinate(path, x)
            case "body":
                return self.bodies(path, x)
            case "shape":
                return self.shape(path, x)
            case "rotation":
                return self.rotation(path, x)
        return self.place(path, x, field.kind)

    def bodies(self, path: Path, x: Any) -> Any:
        """The name of a body, or a list of such names."""
        if isinstance(x, list):
            return [self.bodies((*path, k), item) for k, item in enumerate(x)]
        if self._body(self.text(path, x)) is None:
            raise self.problems.unknown(path, "body", x, [part.name for part in self.model.parts("body")])
        return x

    def coordinate(self, path: Path, x: Any) -> Any:
        """A measure by its name, or an expression of measures."""
        text = self.text(path, x)
        if text in self.model:
            return text
        return self.model.find_measure(text) or self.expression(path, text, known=Names(self.model))

    def rotation(self, path: Path, x: Any) -> Any:
        """A matrix, a quaternion, or an axis and an angle."""
        self.typed(path, x, isinstance(x, list), "a matrix, a quaternion or [axis, angle]")
        if len(x) == 2:
            axis = x[0] if isinstance(x[0], str) and x[0] in ("x", "y", "z") else self.number((*path, 0), x[0], None)
            return [axis, self.number((*path, 1), x[1], "rad")]
        # axes and quaternions are brought to length 1: any unit may stand there, such as lengths along an edge
        return self.number(path, x, None if len(x) == 4 else "1")

    def place(self, path: Path, x: Any, kind: str) -> Any:
        """A point, a direction, or whatever stands there: coordinates, a point or axis of a body, a name."""
        if isinstance(x, dict):
            return self.on_body(path, x)
        if isinstance(x, list):
            if kind != "direction" and len(x) == 2 and isinstance(x[1], list) and self._body(x[0]) is not None:
                return self.on_body(path, {"body": x[0], "point": x[1]})
            return [self.place((*path, k), item, kind) for k, item in enumerate(x)]
        if isinstance(x, str):
            return self._named(path, x, kind)
        return self.number(path, x, None if kind in ("direction", "any") else "m")

    def _named(self, path: Path, text: str, kind: str) -> Any:
        """A text where a point or direction may stand: a part, a point of a body, a measure, a number."""
        if text in self.model or (kind == "direction" and text in ("x", "y", "z")):
            return text
        head, _, tail = text.rpartition(".")
        body = self._body(head) if kind in ("point", "end", "any") else None
        if body is not None and body.shape is not None and (kind == "point" or tail not in body.measures()):
            points = body.shape.points
            if tail in points:
                return getattr(body, tail)
            if kind != "any":
                raise self.problems.add(path, f"unknown point {tail!r} of body {head!r}; {nearest(tail, points)}")
        if kind in ("end", "any"):
            measure = self.model.find_measure(text)
            if measure is not None:
                return text if kind == "any" else measure
        if kind == "any" and split_quantity(text) is None and not self.calls(text) and not self.derives(text):
            return text
        # a direction may be the difference of two points, in any unit
        return self.number(path, text, "m" if kind in ("point", "end") else None)

    def on_body(self, path: Path, x: dict[str, Any]) -> Point | Axis:
        """`{ body = "crank", point = [x, y] }` or `{ body = "crank", axis = [x, y, z] }`."""
        x = self.table(path, x, ("body", "point", "axis"))
        body = self._body(x.get("body"))
        if body is None:
            known = [part.name for part in self.model.parts("body")]
            if "body" not in x:
                raise self.problems.add(path, 'body is missing; write { body = "crank", point = [x, y] }')
            raise self.problems.unknown((*path, "body"), "body", x["body"], known)
        if ("point" in x) == ("axis" in x):
            do = '{ body = "crank", point = [x, y] }'
            raise self.problems.add(path, f"a point or an axis of the body is needed: {do}")
        what = "point" if "point" in x else "axis"
        numbers = self.number((*path, what), x[what], "m" if what == "point" else None)
        make = body.point if what == "point" else body.axis
        return self.built((*path, what), make, (numbers,), {})  # type: ignore[no-any-return]

    def _body(self, name: Any) -> Body | None:
        found = self.model[name] if isinstance(name, str) and name in self.model else None
        return found if isinstance(found, Body) else None


def measure_of(model: Mechanism, arguments: Mapping[str, Any]) -> Measure | None:
    """Measure that a force element acts on, as far as its arguments tell; None where they do not."""
    given = _measure_in(arguments)
    if arguments.get("b") is not None:
        return Measure("length", "distance")
    if isinstance(given, list) and given:
        given = given[0]  # measures of one unit
    if isinstance(given, Measure):
        return given
    if isinstance(given, str):
        part = model[given] if given in model else model.find_measure(given)
        if isinstance(part, Measure):
            return part
        found = part.coordinates() if part is not None and is_part(part) else {}
        return next(iter(found.values())) if len(found) == 1 else None
    return None


def _measure_in(arguments: Mapping[str, Any]) -> Any:
    return next((arguments[key] for key in (ON, "measure", "a", "expression") if key in arguments), None)
