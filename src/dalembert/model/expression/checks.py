"""What counts as a number and as a name, for trees, splines and the parser alike."""

from __future__ import annotations

import math
import numbers

from ...errors import ExpressionError
from .catalogue import RESERVED


def plain_number(x: object) -> float | None:
    """Float of a real number (numpy scalars included); None for everything else, True and False included."""
    if getattr(x, "shape", None) == () and hasattr(x, "item"):
        x = x.item()
    if isinstance(x, bool) or not isinstance(x, numbers.Real):
        return None
    try:
        return float(x)
    except OverflowError:
        return math.inf


def check_name(name: object, asked: str = "") -> None:
    """Refuse what cannot be the name of a parameter, measure or table."""
    if isinstance(name, str) and name not in RESERVED and all(part.isidentifier() for part in name.split(".")):
        return
    reserved = isinstance(name, str) and name in RESERVED
    raise ExpressionError(
        asked or f"the name {name!r} in an expression",
        repr(name),
        "this word has a meaning of its own in expressions" if reserved else "it cannot be read back in an expression",
        "choose another name" if reserved else "use letters, digits and _ (not first a digit); join parts with a dot",
    )
