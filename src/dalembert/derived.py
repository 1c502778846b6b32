"""Objects that compute parts of themselves when these are asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any


class Derived:
    """Base of what has cached properties: copies and pickles are of what it is made of, and compute the rest anew."""

    def __getstate__(self) -> dict[str, Any]:
        kind = type(self)
        return {x: y for x, y in vars(self).items() if not isinstance(getattr(kind, x, None), cached_property)}
