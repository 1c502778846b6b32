"""Data in a page: numbers as base64 of 32-bit floats, names escaped so that none of them can end the script they stand in."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import numpy as np

# what could end a script, begin a comment or break a line inside it; the replacements mean the same in JSON
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def packed(values: Any) -> str:
    """Numbers as base64 of little-endian 32-bit floats: 4 bytes each, 7 digits, which is more than a picture shows."""
    with np.errstate(over="ignore"):
        return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")


def short(x: Any) -> Any:
    """Numbers of single items rounded to 7 digits, in lists and dicts too; what is not finite becomes None."""
    if isinstance(x, dict):
        return {key: short(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [short(value) for value in x]
    if isinstance(x, np.ndarray):
        return short(x.tolist())
    if isinstance(x, bool | np.bool_):
        return bool(x)
    if isinstance(x, int | np.integer):
        return int(x)
    if isinstance(x, float | np.floating):
        return float(f"{float(x):.7g}") if math.isfinite(x) else None
    return x


def safe_json(x: Any) -> str:
    """JSON that can stand inside a script element."""
    text = json.dumps(short(x), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign, instead in _UNSAFE.items():
        text = text.replace(sign, instead)
    # half of a pair of surrogates cannot be written as UTF-8
    return text.encode("utf-8", "replace").decode("utf-8")
