"""Options of the analyses that a file asks for: read by the tables of `dalembert.options`, with units, expressions and line numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import DalembertError, shown
from ..model.expression import as_expression
from ..model.mechanism import Mechanism
from ..options.option import Option, WrongValueError
from ..options.tables import DRIVEN, TABLES, for_files
from ..options.verbs import BOTH, MECHANISM, VERBS
from .problems import Failed, Path, Problems, in_file_syntax
from .values import Values

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian


ANALYSES = tuple(TABLES)
# kinds that may be a name, and what is said where they are neither that nor what else they may be
_NAMED = {"names": "a name or a list of names", "point": "", "held": "names, or a table of numbers by name,",
          "points": "a name, or a table of points by body,"}  # fmt: skip


def read_options(
    data: Mapping[str, Any], model: Mechanism | Lagrangian | None, values: Values, problems: Problems
) -> dict[str, dict[str, Any]]:
    """Analyses of a file with their options as plain data in SI units; what is wrong is noted.  `model` is None if it has problems."""
    made: dict[str, dict[str, Any]] = {}
    for verb in (key for key in data if key in TABLES):
        kinds = VERBS[verb].of if verb in VERBS else BOTH
        if model is not None and model.kind not in kinds:
            kind = "mechanisms" if MECHANISM in kinds else "Lagrangian systems"
            problems.add((verb,), f"this analysis is for {kind} only")
            continue
        reader, known, x = _Reader(model, values, problems), for_files(verb), data[verb]
        found = made.setdefault(verb, {})
        if not isinstance(x, dict):
            problems.wrong_type((verb,), x, "a table of options")
            continue
        for key, item in x.items():
            if key not in known:
                problems.unknown((verb, key), f"option of {verb}", key, known)
                continue
            with contextlib.suppress(Failed):
                found[key] = reader.value((verb, key), item, known[key])
        for key, option in known.items():
            if option.needed and option.fallback is None and key not in x:
                problems.add((verb,), f"{key} is missing; {verb} needs it")
        if verb in DRIVEN and "times" in x and {"until", "output"} & set(x):
            problems.add((verb, "times"), "times stand beside until or output; give one or the other")
    return made


class _Reader:
    """Options of one analysis on their way to plain data."""

    def __init__(self, model: Mechanism | Lagrangian | None, values: Values, problems: Problems) -> None:
        self.model, self.values, self.problems, self.typed = model, values, problems, values.typed

    def value(self, path: Path, x: Any, option: Option) -> Any:
        """Plain data of an option, of the kind and in the range of the table."""
        kind, unit = option.kind, option.unit
        if kind == "choice" and (isinstance(x, bool) or x not in option.words):
            raise self.problems.unknown(path, "choice", x, [str(word) for word in option.words])
        if kind in ("text", "body", "parameter"):
            return self.name(path, self.values.text(path, x), kind)
        if kind == "number" or (kind == "step" and not isinstance(x, list) and x not in option.words):
            x = self.number(path, x, unit)
        if kind in ("number", "flag", "count", "choice"):
            try:
                option.read(str(path[-1]), x)
            except WrongValueError as wrong:
                wanted = {"flag": "true or false", "count": option.wanted}.get(kind)
                self.typed(path, x, wanted is None, wanted or "")
                raise self.problems.add(path, in_file_syntax(f"found {shown(x, 60)}; {wrong.why}")) from None
            return x
        if isinstance(x, str) and (kind in _NAMED or x in option.words):
            return x
        if kind in ("numbers", "step", "number or list", "point"):
            several = isinstance(x, list) or kind in ("numbers", "point")
            return self.numbers(path, x, unit) if several else self.number(path, x, unit)
        if kind == "pair":
            self.typed(path, x, isinstance(x, list) and len(x) == 2 and isinstance(x[0], str), "a name and a number")
            return [x[0], self.number((*path, 1), x[1], unit)]
        if kind in ("names", "held") and isinstance(x, list) and all(isinstance(item, str) for item in x):
            return x
        self.typed(path, x, isinstance(x, dict) and kind != "names", _NAMED.get(kind, "a table"))
        return {key: self.item((*path, key), item, kind, unit) for key, item in x.items()}

    def item(self, path: Path, x: Any, kind: str, unit: str | None) -> Any:
        """An item of a table by name."""
        if kind == "texts":
            # in the unit of what it is of, where that has one; analyses do not know derived parameters
            text, own = self.values.text(path, x), self.values.dimension_of(str(path[-1]), {})
            made = self.values.expression(path, text, own if own.dimension is not None else None)
            return str(made) if self.values.derives(text) else text
        if kind == "points" and isinstance(x, str):
            return x
        unit = _unit(self.model, path[-1]) if kind == "held" else unit
        return (self.numbers if isinstance(x, list) else self.number)(path, x, unit)

    def name(self, path: Path, name: str, kind: str) -> str:
        """A text; the name of a body or parameter must exist."""
        if self.model is not None and kind != "text":
            bodies = self.model.bodies if isinstance(self.model, Mechanism) else ()
            known = self.model.parameters if kind == "parameter" else ["ground", *(b.name for b in bodies)]
            if kind == "parameter" and name in self.values.derived:
                raise self.problems.add(path, f"found {name!r}; it is derived from others and has no value of its own")
            if name not in known:
                raise self.problems.unknown(path, kind, name, known)
        return name

    def numbers(self, path: Path, x: Any, unit: str | None) -> list[Any]:
        self.typed(path, x, isinstance(x, list), "a list of numbers")
        return [self.number((*path, k), item, unit) for k, item in enumerate(x)]

    def number(self, path: Path, x: Any, unit: str | None) -> Any:
        """SI number of a number, a quantity, or an expression of parameters."""
        found = self.values.number(path, self.typed(path, x, not isinstance(x, list | bool), "a number"), unit)
        if isinstance(found, int | float):
            if not abs(found) < float("inf"):
                raise self.problems.add(path, f"found {x!r}; a number must be finite")
            return x if isinstance(x, int) else float(found)
        if self.model is None:
            raise Failed
        try:
            return float(as_expression(found).evaluate(self.model.parameters))
        except DalembertError as error:
            raise self.problems.refused(path, error) from None


def _unit(model: Mechanism | Lagrangian | None, name: str) -> str | None:
    measure = model.find_measure(name) if isinstance(model, Mechanism) else None
    return measure.unit if measure is not None and measure.unit in ("m", "rad") else None


def written_options(model: Mechanism | Lagrangian, verb: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options as a file holds them: angles with their unit, since files refuse them without."""
    made = dict(options)
    for key, x in options.items():
        option = TABLES.get(verb, {}).get(key)
        if option is not None and option.unit == "rad":
            made[key] = _angle(x)
        elif option is not None and option.kind == "held" and isinstance(x, dict):
            made[key] = {name: _angle(item) if _unit(model, name) == "rad" else item for name, item in x.items()}
    return made


def _angle(x: Any) -> Any:
    plain = isinstance(x, int | float) and not isinstance(x, bool) and x != 0
    return f"{x!r} rad" if plain else x
