"""Formulas as lines of assignments, one for each node of the graph that is needed; what the languages share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ...system.graph import op
from ..functions import Functions, Result


@dataclass(frozen=True)
class Language:
    """How a language writes formulas.

    `one` and `two` are texts of the operations with {0}, {1} for the arguments; `select` and `spline` have three and four places;
    `line` makes an assignment.
    """

    one: dict[int, str]
    two: dict[int, str]
    whole: str  # a**n for a whole number n
    select: str
    spline: str
    number: Callable[[float], str]
    line: str


def assignments(functions: Functions, result: Result, language: Language) -> tuple[list[str], list[str]]:
    """Lines that compute a result, and the text of each of its entries; "" for those that are zero."""
    graph = functions.graph
    texts: dict[int, str] = {}
    lines: list[str] = []
    named = _inputs(functions)
    for node in graph.needed(result.nodes):
        code, a, b, c = graph.rows[node]
        if code == op.CONST:
            texts[node] = language.number(graph.constants[a])
            continue
        if code == op.INPUT:
            texts[node] = named[a]
            continue
        if code == op.SELECT:
            made = language.select.format(texts[a], texts[b], texts[c])
        elif code == op.SPLINE:
            made = language.spline.format(spline_name(functions, b), texts[a], c)
        elif code == op.POWI:
            made = language.whole.format(texts[a], b)
        elif code < op.BINARY:
            made = language.one[code].format(texts[a])
        else:
            made = language.two[code].format(texts[a], texts[b])
        texts[node] = f"x{len(lines)}"
        lines.append(language.line.format(texts[node], made))
    entries = ["" if node == graph.zero else texts[node] for node in result.nodes]
    return lines, entries


def _inputs(functions: Functions) -> list[str]:
    """Inputs of the graph as they are called in the code: parameters, time, coordinates, velocities."""
    count = len(functions.parameters), len(functions.q), len(functions.v)
    p, q, v = ([f"{name}[{k}]" for k in range(n)] for name, n in zip("pqv", count))
    return [*p, "t", *q, *v]


def spline_name(functions: Functions, number: int) -> str:
    """Name of a table in the code."""
    return f"spline_{identifier(functions.graph.splines[number].name)}"


def identifier(text: str) -> str:
    """Text as a name that programs may have."""
    made = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "model"
    return f"m_{made}" if made[0].isdigit() else made


def used_splines(functions: Functions, what: list[str]) -> list[int]:
    """Tables that the results need."""
    graph = functions.graph
    nodes = graph.needed(x for name in what for x in functions.results[name].nodes)
    return sorted({graph.rows[node][2] for node in nodes if graph.rows[node][0] == op.SPLINE})


def heading(functions: Functions) -> list[str]:
    """What the functions are, for the top of a file."""
    coordinates = f" in {functions.form} coordinates" if functions.form else ""
    lines = [
        f"Equations of motion of {functions.name!r}{coordinates}.",
        "",
        "    M a + J^T lam = f,    J v = nu,    J a = gamma,    phi = 0        (a: rates of v)",
        "",
        *_listed("q", functions.q),
        *_listed("v", functions.v),
        *_listed("rows", functions.rows),
        *_listed("p", [f"{name} = {value!r}" for name, value in functions.parameters.items()]),
    ]
    if any(x.startswith("w") for x in functions.v) and functions.form == "absolute":
        lines.append("e0 ... e3 are Euler parameters (unit length), w the angular velocity in body axes.")
    return lines


def _listed(name: str, items: list[str] | tuple[str, ...]) -> list[str]:
    if not items:
        return []
    lines, here = [], f"{name}:"
    for item in items:
        if len(here) + len(item) > 110:
            lines.append(here)
            here = "   "
        here += f" {item},"
    return [*lines, here.rstrip(",")]
