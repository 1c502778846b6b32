"""What was found out about a mechanism before: its arrays, and that they were checked.

Parts are frozen, and a parameter with another value is another part.  So a mechanism whose parts, tables, conditions, gravity and length are the same
objects as before is the same mechanism, and compiles to the same arrays.
"""

from __future__ import annotations

import weakref
from operator import is_
from typing import Any

from ..model.mechanism import Mechanism
from .system import System, compile


class Known:
    """What is known of one mechanism as it is; copies and files of a mechanism begin without."""

    def __init__(self, model: Mechanism | None = None) -> None:
        self._model = None if model is None else weakref.ref(model)
        self._made_of = () if model is None else _made_of(model)
        self.facts: dict[str, Any] = {}

    def __reduce__(self) -> Any:
        return Known, ()

    def holds(self, model: Mechanism) -> bool:
        """Whether the mechanism is the same, and as it was."""
        now = _made_of(model)
        same = self._model is not None and self._model() is model
        return same and len(now) == len(self._made_of) and all(map(is_, now, self._made_of))


def _made_of(model: Mechanism) -> tuple[Any, ...]:
    """All that decides about the arrays of a mechanism, as objects that are never changed."""
    return (
        *model._parts.values(), *model._tables.values(), *model._starts, *model.gravity, model.length, model.plane,
    )  # fmt: skip


def known(model: Mechanism) -> dict[str, Any]:
    """Facts about a mechanism that hold as long as it stays as it is: none, if it has changed."""
    found = model.__dict__.get("_known")
    if found is None or not found.holds(model):
        found = model.__dict__["_known"] = Known(model)
    return found.facts  # type: ignore[no-any-return]


def known_system(model: Mechanism) -> System:
    """The compiled mechanism; all who ask get the same, so nobody may change its arrays."""
    facts = known(model)
    if "system" not in facts:
        facts["system"] = compile(model)
    return facts["system"]  # type: ignore[no-any-return]
