"""Answers for programs: JSON with numbers in full precision."""

from __future__ import annotations

import json
import math
from typing import Any

import click


def dump(data: Any) -> str:
    """JSON text of an answer."""
    return json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False)


def answer(as_json: bool, text: str, **data: Any) -> None:
    """Print an answer of a command about no model: a text, or what programs read."""
    click.echo(dump({"status": "ok", "exit": 0, **data}) if as_json else text)


def plain(x: Any) -> Any:
    """Numbers, texts, lists and tables only; a number that is not finite becomes null, a complex one a pair."""
    if isinstance(x, dict):
        return {str(key): plain(item) for key, item in x.items()}
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, list | tuple | set):
        return [plain(item) for item in x]
    if isinstance(x, complex):
        return [plain(x.real), plain(x.imag)]
    if isinstance(x, float):
        return x if math.isfinite(x) else None
    return x if x is None or isinstance(x, bool | int | str) else str(x)
