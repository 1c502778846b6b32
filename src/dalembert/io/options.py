"""Options of the analyses that a file asks for: their names, kinds and units, checked when the file is read.

A table, because the verbs themselves are far above this layer; a test compares it with their arguments.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import DalembertError
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from .problems import Path, Problems
from .values import Failed, Values


@dataclass(frozen=True)
class Option:
    """Kind of an option, its unit, and the words that may stand there.

    Kinds: number, count, flag, text, choice, names (one or a list), numbers (a list), step (a number, a list or a word), table (numbers
    by name), texts (texts by name), pair (a name and a number), point (a name or coordinates), points (a name, or points by body).
    """

    kind: str
    unit: str | None = None
    words: tuple[Any, ...] = ()
    required: bool = False


_TIME, _FLAG, _COUNT, _NAMES, _PURE = (
    Option("number", "s"),
    Option("flag"),
    Option("count"),
    Option("names"),
    Option("number", "1"),
)
_STEP = Option("step", "s", ("steps",))
_MOTION = {"times": Option("numbers", "s"), "until": _TIME, "output": Option("step", "s")}
_FORMS = (
    "minimal", "absolute", "newton-euler", "dalembert", "virtual-work", "lagrange", "routh", "multipliers", "reduced", "hamilton",
    "hamilton-principle", "noncentroidal", "all",
)  # fmt: skip

OPTIONS: dict[str, dict[str, Option]] = {
    "assemble": {"fixed": Option("held"), "t": _TIME, "complete": _FLAG, "branches": _FLAG, "tries": _COUNT, "seed": _COUNT},
    "classify": {"method": Option("choice", words=("auto", "symbolic", "numeric")), "depth": _COUNT},
    "conserved": {},
    "equations": {
        "form": Option("choice", words=_FORMS), "independent": _NAMES, "quasi_velocities": Option("texts"), "unknown": Option("text"),
        "ignore": _NAMES, "about": Option("points", "m"),
    },
    "equilibrium": {
        "method": Option("choice", words=("auto", "energy", "force", "settle")), "spinning": Option("pair", "rad/s"), "along": Option("parameter"),
        "between": Option("numbers"), "starts": _COUNT, "turns": _PURE, "seed": _COUNT, "t": _TIME,
    },
    "free_body": {"body": Option("body", required=True), "about": Option("point", "m"), "inertia": _FLAG, "t": _TIME},
    "holding_load": {"unknown": Option("names", required=True)},
    "inverse_dynamics": _MOTION,
    "kinematics": _MOTION,
    "linearize": {"at": Option("choice", words=("equilibrium", "start")), "turning": Option("number or list", "rad/s")},
    "mobility": {"tilt": Option("number", "rad")},
    "reactions": {"t": _TIME},
    "simulate": {
        "until": _TIME, "velocities": Option("choice", words=("error", "solve", "impulsive")), "keep": _NAMES, "rtol": _PURE,
        "atol": _PURE, "output": _STEP, "method": Option("choice", words=(8, 5, "dop853", "dormand_prince")), "backward": _FLAG,
        "max_step": _TIME, "audit": _FLAG,
    },
    "small_oscillations": {"about": Option("table"), "independent": _NAMES},
    "strike": {
        "impulse": Option("table", "N s"), "couple": Option("table", "N m s"), "restitution": Option("table", "1"),
        "velocities": Option("choice", words=("error", "impulsive")),
    },
    "verify": {"states": _COUNT, "seed": _COUNT, "tolerance": _PURE},
}  # fmt: skip

ANALYSES = tuple(OPTIONS)
ONLY = {"assemble": Mechanism, "mobility": Mechanism, "free_body": Mechanism, "holding_load": Mechanism,
        "inverse_dynamics": Mechanism, "conserved": Lagrangian, "small_oscillations": Lagrangian}  # fmt: skip


def read_options(data: Mapping[str, Any], model: Any, values: Values, problems: Problems) -> dict[str, dict[str, Any]]:
    """Analyses of a file with their options as plain data in SI units; what is wrong is noted.  `model` is None if it has problems."""
    made = {}
    for verb in (key for key in data if key in OPTIONS):
        if model is not None and verb in ONLY and not isinstance(model, ONLY[verb]):
            kind = "mechanisms" if ONLY[verb] is Mechanism else "Lagrangian systems"
            problems.add((verb,), f"this analysis is for {kind} only")
        reader = _Reader(model, values, problems)
        made[verb] = reader.table(verb, data[verb])
    return made


class _Reader:
    """Options of one analysis on their way to plain data."""

    def __init__(self, model: Any, values: Values, problems: Problems) -> None:
        self.model, self.values, self.problems = model, values, problems

    def table(self, verb: str, x: Any) -> dict[str, Any]:
        known = OPTIONS[verb]
        if not isinstance(x, dict):
            self.problems.wrong_type((verb,), x, "a table of options")
            return {}
        made = {}
        for key, item in x.items():
            if key not in known:
                self.problems.unknown((verb, key), f"option of {verb}", key, known)
                continue
            with contextlib.suppress(Failed):
                made[key] = self.value((verb, key), item, known[key])
        for key, option in known.items():
            if option.required and key not in x:
                self.problems.add((verb,), f"{key} is missing; {verb} needs it")
        if verb in ("kinematics", "inverse_dynamics") and "times" in x and {"until", "output"} & set(x):
            self.problems.add((verb, "times"), "times stand beside until or output; give one or the other")
        return made

    def value(self, path: Path, x: Any, option: Option) -> Any:
        kind, unit = option.kind, option.unit
        if kind == "flag":
            return self.typed(path, x, isinstance(x, bool), "true or false")
        if kind == "count":
            whole = isinstance(x, int) and not isinstance(x, bool) and x >= 0
            return self.typed(path, x, whole, "a whole number, zero or more,")
        if kind == "choice":
            if isinstance(x, bool) or not isinstance(x, str | int) or x not in option.words:
                self.problems.unknown(path, "choice", x, [str(word) for word in option.words])
                raise Failed
            return x
        if kind in ("text", "body", "parameter"):
            return self.name(path, self.values.text(path, x), kind)
        if kind == "names":
            many = isinstance(x, list) and all(isinstance(item, str) for item in x)
            return self.typed(path, x, isinstance(x, str) or many, "a name or a list of names")
        if kind == "number" or (
            kind in ("step", "number or list") and not isinstance(x, list) and x not in option.words
        ):
            return self.number(path, x, unit)
        if kind in ("step", "numbers", "number or list"):
            return x if isinstance(x, str) and x in option.words else self.numbers(path, x, unit)
        if kind == "point":
            return x if isinstance(x, str) else self.numbers(path, x, unit)
        if kind == "pair":
            self.typed(path, x, isinstance(x, list) and len(x) == 2 and isinstance(x[0], str), "a name and a number")
            return [x[0], self.number((*path, 1), x[1], unit)]
        if kind == "points" and isinstance(x, str):
            return x
        if kind == "held" and (isinstance(x, str) or (isinstance(x, list) and all(isinstance(i, str) for i in x))):
            return x
        wanted = {
            "held": "names, or a table of numbers by name,",
            "points": "a name, or a table of points by body,",
        }.get(kind, "a table")
        self.typed(path, x, isinstance(x, dict), wanted)
        if kind == "texts":
            return {key: self.formula((*path, key), item) for key, item in x.items()}
        made: dict[str, Any] = {}
        for key, item in x.items():
            if kind == "points" and isinstance(item, str):
                made[key] = item
                continue
            of_key = _unit(self.model, key) if kind == "held" else unit
            read = self.numbers if isinstance(item, list) else self.number
            made[key] = read((*path, key), item, of_key)
        return made

    def formula(self, path: Path, x: Any) -> str:
        """A text; derived parameters in it are put in, since analyses do not know them."""
        text = self.values.text(path, x)
        return str(self.values.expression(path, text)) if self.values.derives(text) else text

    def typed(self, path: Path, x: Any, right: bool, wanted: str) -> Any:
        if not right:
            self.problems.wrong_type(path, x, wanted)
            raise Failed
        return x

    def name(self, path: Path, name: str, kind: str) -> str:
        """A text; the name of a body or parameter must exist."""
        if self.model is not None and kind != "text":
            known = self.model.parameters if kind == "parameter" else ["ground", *(b.name for b in self.model.bodies)]
            if kind == "parameter" and name in self.values.derived:
                raise self.values.fail(path, f"found {name!r}; it is derived from others and has no value of its own")
            if name not in known:
                self.problems.unknown(path, kind, name, known)
                raise Failed
        return name

    def numbers(self, path: Path, x: Any, unit: str | None) -> list[Any]:
        self.typed(path, x, isinstance(x, list), "a list of numbers")
        return [self.number((*path, k), item, unit) for k, item in enumerate(x)]

    def number(self, path: Path, x: Any, unit: str | None) -> Any:
        """SI number of a number, a quantity, or an expression of parameters."""
        if isinstance(x, list | bool):
            self.problems.wrong_type(path, x, "a number")
            raise Failed
        found = self.values.number(path, x, unit)
        if isinstance(found, int | float):
            if not abs(found) < float("inf"):
                self.problems.add(path, f"found {x!r}; a number must be finite")
                raise Failed
            return x if isinstance(x, int) else float(found)
        if self.model is None:
            raise Failed
        try:
            from ..model.expression import as_expression

            return float(as_expression(found).evaluate(self.model.parameters))
        except DalembertError as error:
            self.problems.refused(path, error)
            raise Failed from None


def _unit(model: Any, name: str) -> str | None:
    """SI unit of a measure; None where it is not known."""
    measure = model.find_measure(name) if isinstance(model, Mechanism) else None
    return measure.unit if measure is not None and measure.unit in ("m", "rad") else None


def written_options(model: Any, verb: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options as a file holds them: angles with their unit, since files refuse them without."""
    made = dict(options)
    for key, x in options.items():
        option = OPTIONS.get(verb, {}).get(key)
        if option is not None and option.unit == "rad":
            made[key] = _angle(x)
        elif option is not None and option.kind == "held" and isinstance(x, dict):
            made[key] = {name: _angle(item) if _unit(model, name) == "rad" else item for name, item in x.items()}
    return made


def _angle(x: Any) -> Any:
    plain = isinstance(x, int | float) and not isinstance(x, bool) and x != 0
    return f"{x!r} rad" if plain else x
