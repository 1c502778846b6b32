"""Which cases a sweep has: products of parameter values, or a list of cases."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import MethodError, nearest, shown
from ..io.parameters import quantity
from ..model.units import dimension_of, si_text

MAX_CASES = 1_000_000
_FORMS = "give numbers, or a text such as '0.1:0.3:21' or '100 mm:300 mm:21' (first, last, how many) or '0.1, 0.2, 0.4'"

Values = dict[str, Any]


def cases_of(over: Any, known: Mapping[str, Any] | None) -> tuple[dict[str, tuple[Any, ...]] | None, list[Values]]:
    """Values by parameter of a product (None for a list of cases), and all cases.

    `known` holds the parameters of the model as a file writes them, "0.2 m" or 0.2; None where a function builds the model and any name
    will do.
    """
    asked = "sweep(over=...)"
    if isinstance(over, Mapping):
        if not over:
            raise MethodError(asked, "no parameter", "a sweep needs one", "give over={'r': [0.1, 0.2]}")
        axes = {_name(asked, name, known): _several(name, x, known) for name, x in over.items()}
        if math.prod(len(x) for x in axes.values()) > MAX_CASES:
            found = " x ".join(str(len(x)) for x in axes.values())
            raise MethodError(asked, f"{found} cases", f"at most {MAX_CASES} are run", "give fewer values")
        return axes, [dict(zip(axes, point)) for point in itertools.product(*axes.values())]
    cases = list(over) if isinstance(over, list | tuple) else None
    if not cases or not all(isinstance(case, Mapping) and case for case in cases):
        why = "a sweep is over values of parameters, or a list of cases"
        what = f"over = {shown(over)}"
        raise MethodError(asked, what, why, "give over={'r': [0.1, 0.2]}, or a list of dicts {'r': 0.1, 'n': 30}")
    if len(cases) > MAX_CASES:
        raise MethodError(asked, f"{len(cases)} cases", f"at most {MAX_CASES} are run", "give fewer")
    return None, [{_name(asked, n, known): one_value(n, x, known) for n, x in case.items()} for case in cases]


def fixed_of(fixed: Any, known: Mapping[str, Any] | None, cases: Sequence[Values] = ()) -> Values:
    """Values of parameters that all cases share; none of them is swept."""
    asked = "sweep(fixed=...)"
    if fixed is None:
        return {}
    if not isinstance(fixed, Mapping):
        raise MethodError(asked, f"fixed = {shown(fixed)}", "it holds values by parameter", "give fixed={'r': 0.2}")
    made = {_name(asked, name, known): one_value(name, x, known) for name, x in fixed.items()}
    both = sorted(set(made) & {name for case in cases for name in case})
    if both:
        raise MethodError(asked, f"{both[0]!r} is swept as well", "it has one value or several", "name it once")
    return made


def _name(asked: str, name: Any, known: Mapping[str, Any] | None) -> str:
    if not isinstance(name, str) or (known is not None and name not in known):
        found = f"no parameter is called {shown(name)}"
        raise MethodError(asked, found, nearest(name, known or ()), "name a parameter of the model")
    return name


def _several(name: str, x: Any, known: Mapping[str, Any] | None) -> tuple[Any, ...]:
    if isinstance(x, str):
        found: Any = _range(name, x, known) if ":" in x else [item.strip() for item in x.split(",")]
    elif isinstance(x, np.ndarray):
        found = x.ravel().tolist()
    elif isinstance(x, list | tuple | range):
        found = list(x)
    else:
        found = [x]
    made = tuple(one_value(name, item, known) for item in found)
    if not made:
        raise MethodError(f"sweep over {name!r}", "no values", "there is nothing to run", _FORMS)
    if len(set(map(repr, made))) != len(made):
        twice = next(item for item in made if made.count(item) > 1)
        what = f"{twice!r} twice"
        raise MethodError(f"sweep over {name!r}", what, "values of a sweep differ", "leave out one of them")
    return made


def _range(name: str, text: str, known: Mapping[str, Any] | None) -> list[float]:
    asked, words = f"sweep over {name} = {shown(text)}", [word.strip() for word in text.split(":")]
    if len(words) != 3:
        raise MethodError(asked, f"{len(words)} numbers", "a range has first, last and how many", _FORMS)
    if not words[2].isdecimal() or not 1 <= int(words[2][:8]) <= MAX_CASES:
        why = f"how many values there are is a whole number from 1 to {MAX_CASES}"
        raise MethodError(asked, f"{words[2]!r} at the end", why, "write for example 0.1:0.3:21")
    first, last = (one_value(name, word, known) for word in words[:2])
    if not isinstance(first, float) or not isinstance(last, float):
        raise MethodError(asked, f"{shown(first)} to {shown(last)}", "a range is between numbers", _FORMS)
    return [float(x) for x in np.linspace(first, last, int(words[2]))]


def one_value(name: str, x: Any, known: Mapping[str, Any] | None) -> Any:
    """Value of a parameter in SI units; a function that builds models may take texts and flags as well."""
    asked = f"parameter {name} = {shown(x)}"
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, str):
        found = quantity(asked, x, None if known is None else known[name], "model")
        if found is not None:
            return found[0]
    if known is None and isinstance(x, str | bool):
        return x
    if isinstance(x, bool) or not isinstance(x, int | float) or not math.isfinite(x):
        raise MethodError(asked, f"{shown(x)} of type {type(x).__name__}", "a parameter is a finite number", _FORMS)
    return float(x)


def unit_text(before: Any) -> str:
    """SI unit of a parameter as a file writes it; empty where it has none."""
    found = dimension_of(before)
    return "" if found is None else si_text(found)
