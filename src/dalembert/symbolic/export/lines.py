"""Formulas as lines of assignments, one for each node of the graph that is needed; what the languages share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ...model.expression.called import no_formula
from ...system.graph import NAMES, op
from ..functions import Functions, Result


@dataclass(frozen=True)
class Language:
    """How a language writes formulas.

    `texts` are those of the operations by name, with {0}, {1}, {2} for the arguments; "whole" is a power with a whole exponent, "spline" a
    table, its argument and the order of the derivative; `line` makes an assignment.
    """

    texts: dict[str, str]
    number: Callable[[float], str]
    line: str


def texts(prefix: str, others: dict[str, str]) -> dict[str, str]:
    """Texts of all operations: signs as everywhere, functions under their own names behind a prefix, and others as given."""
    calls = {
        name: f"{prefix}{name}({{0}})" if code < op.BINARY else f"{prefix}{name}({{0}}, {{1}})"
        for code, name in NAMES.items()
    }
    signs = {x: f"{{0}} {x} {{1}}" for x in "+-*/"}
    return {**calls, **signs, "neg": "-{0}", **others}


def plain_number(value: float) -> str:
    """A number with all its digits; negative ones in parentheses."""
    return f"({value!r})" if value < 0.0 else repr(value)


def assignments(functions: Functions, result: Result, language: Language) -> tuple[list[str], list[str]]:
    """Lines that compute a result, and the text of each of its entries; "" for those that are zero."""
    graph = functions.graph
    found: dict[int, str] = {}
    lines: list[str] = []
    named = _inputs(functions)
    for node in graph.needed(result.nodes):
        code, a, b, c = graph.rows[node]
        if code == op.CONST:
            found[node] = language.number(graph.constants[a])
            continue
        if code == op.INPUT:
            found[node] = named[a]
            continue
        if code == op.CALL:
            raise no_formula(graph.laws[graph.calls[a][0]].asked)
        if code == op.SPLINE:
            made = language.texts["spline"].format(spline_name(functions, b), found[a], c)
        elif code == op.POWI:
            made = language.texts["whole"].format(found[a], b)
        else:
            made = language.texts[NAMES[code]].format(*(found[x] for x in graph.arguments(node)))
        found[node] = f"x{len(lines)}"
        lines.append(language.line.format(found[node], made))
    entries = ["" if node == graph.zero else found[node] for node in result.nodes]
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
    return [*lines, *functions.notes]


def python_heading(functions: Functions, note: str) -> str:
    """The heading as the text at the top of a Python module."""
    quoted = [line.replace("\\", "\\\\").replace('"', "'") for line in heading(functions)]
    return '"""' + "\n".join([*quoted, "", note]) + '\n"""\n'


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
