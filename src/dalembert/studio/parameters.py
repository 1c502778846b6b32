"""Parameters of a file as sliders: number and unit as written there, a sensible range; and other values put into the text."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import MethodError
from ..io.files import parse_text
from ..io.lines import json_lines, toml_comments, toml_lines
from ..io.parameters import is_formula
from ..io.problems import Problems
from ..io.text import read_text
from ..model.units import UnitError, parse_unit, split_quantity


def sliders(text: str, suffix: str) -> list[dict[str, Any]]:
    """Parameters of a text that was read without error: name, number and unit as written, comment on its line, SI factor, range.  Derived ones follow these."""
    text = text.replace("\r\n", "\n")
    section = read_text(text, suffix == ".json", Problems("file")).get("parameters", {})
    said = {} if suffix == ".json" else toml_comments(text)
    own = {name: x for name, x in section.items() if not is_formula(x)}
    return [{"name": name, "about": said.get(("parameters", name), ""), **_slider(x)} for name, x in own.items()]


def _slider(x: Any) -> dict[str, Any]:
    unit, factor = "", 1.0
    if isinstance(x, dict):
        number, unit = float(x["number"]), str(x.get("label", ""))
    elif isinstance(x, str):
        digits, unit = split_quantity(x) or (x, "")
        number = float(digits)
        with contextlib.suppress(UnitError):
            factor = parse_unit(unit).number("1") if unit else 1.0
    else:
        number = float(x)
    low, high = _range(number, unit)
    step = 10.0 ** math.floor(math.log10((high - low) / 200.0))
    return {"number": number, "unit": unit, "factor": factor, "low": low, "high": high, "step": step}


def _range(x: float, unit: str) -> tuple[float, float]:
    """From a quarter to twice the number in round steps; angles all round; on both sides of zero."""
    turn = {"deg": 180.0, "rad": math.pi}.get(unit)
    if turn is not None and abs(x) <= turn:
        return -turn, turn
    if x == 0.0:
        return -1.0, 1.0
    power = 10.0 ** math.floor(math.log10(abs(x)))
    low, high = abs(x) / 4.0, 2.0 * abs(x)
    # outwards to the next 1/20 and 1/2 of the power of ten; rounding does not push it further
    low = math.floor(low / power * 20.0 + 1e-9) * power / 20.0
    high = math.ceil(high / power * 2.0 - 1e-9) * power / 2.0
    low = low or abs(x) / 10.0
    low, high = float(f"{low:.6g}"), float(f"{high:.6g}")
    return (low, high) if x > 0.0 else (-high, -low)


def with_values(text: str, suffix: str, file: str, values: Mapping[str, float], folder: Path | None = None) -> str:
    """The text with other numbers of parameters (SI), in the units it has; everything else stays as it is written."""
    known = {item["name"]: item for item in sliders(text, suffix)}
    lines = text.split("\n")
    where = (json_lines if suffix == ".json" else toml_lines)(text.replace("\r\n", "\n"))
    for name, value in values.items():
        item, line = known.get(name), where.get(("parameters", name), where.get(("parameters",)))
        if item is None or line is None:
            raise _not_found(file, name)
        number = f"{value / item['factor']:.12g}"
        # a number after the name, in or outside of quotes, with or without "number =" before it
        key = re.escape(name) if suffix != ".json" else re.escape(json.dumps(name))
        pattern = rf"""^(.*?(?<!\w)["']?{key}["']?\s*[=:]\s*(?:\{{.*?["']?number["']?\s*[=:]\s*)?["']?)([-+]?[\d_.]+(?:[eE][-+]?\d+)?)"""
        lines[line - 1], found = re.subn(pattern, rf"\g<1>{number}", lines[line - 1], count=1)
        if not found:
            raise _not_found(file, name)
    made = "\n".join(lines)
    # what was written is read again: the numbers must be those that were asked for
    after = parse_text(made, suffix, file, folder=folder).model.parameters
    for name, value in values.items():
        if not math.isclose(after[name], value, rel_tol=1e-9, abs_tol=1e-12):
            raise _not_found(file, name)
    return made


def _not_found(file: str, name: str) -> MethodError:
    why = "only numbers that stand behind the name of a parameter are replaced"
    do = "write the value into the file by hand"
    return MethodError(f"new value of parameter {name!r} in {file}", "its number was not found in the text", why, do)
