"""Plain data of a file to a model.  All problems are noted; a part that refers to a part with problems is passed over."""

from __future__ import annotations

from typing import Any

from ..errors import shown
from ..model.expression import Expr
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.registry import FORCES, JOINTS
from .derived import is_formula, mentioned, words
from .lagrangian_reader import LagrangianReader
from .mechanism_reader import MechanismReader
from .options import ANALYSES, read_options
from .problems import Problems, dotted
from .text import MAX_PARTS

VERSION = 1
KINDS = ("mechanism", "lagrangian")

GENERAL = ("format", "kind", "$schema", "name", "units", "parameters", "tables", "start", "events", "impacts", "open")
MECHANISM = ("plane", "gravity", "length", "bodies", "measures", "joints", "states", "forces", "drivers")
LAGRANGIAN = ("q", "kinetic", "potential", "dissipation", "gravity", "forces", "holonomic", "nonholonomic", "states", "particles", "bodies",
              "loads", "guess", "frictions")  # fmt: skip

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
        # parts are called by their types in Python: m.spring(...)
        tag = key if key in FORCES or key in JOINTS else key.removesuffix("s")
        section = "forces" if tag in FORCES else "joints" if tag in JOINTS else ""
        if key not in known and kind == "mechanism" and section:
            problems.add((key,), f'unknown section {key!r}; write [{section}.NAME] with type = "{tag}"')
        elif key not in known:
            problems.unknown((key,), "section", key, known)
    parts = sum(len(x) for x in data.values() if isinstance(x, dict))
    if parts > MAX_PARTS:
        problems.add((), f"{parts} parts; a file may hold {MAX_PARTS}")
        problems.check()
    reader = (MechanismReader if kind == "mechanism" else LagrangianReader)(data, problems, name)
    model = reader.model()
    if model is not None:
        reader.units(model)
    # names and expressions in options are judged by a model that is whole
    analyses = read_options(data, None if problems.found else model, reader.values, problems)
    problems.check()
    assert model is not None
    unchecked = tuple(f"{dotted(problems.as_written(path))}: {x}" for path, x in reader.values.unchecked.items())
    return model, analyses, reader.derived, unchecked, unused(data)


def unused(data: dict[str, Any]) -> tuple[str, ...]:
    """Parameters that no text of the file mentions besides their own."""
    section = data.get("parameters", {})
    used = mentioned([x for key, x in data.items() if key not in ("parameters", "name")])
    used |= {word for name, x in section.items() if is_formula(x) for word in words(x) - {name}}
    return tuple(name for name in section if name not in used)
