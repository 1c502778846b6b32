"""What was found out about a mechanism before: its arrays, and that they were checked.

Parts are frozen, and a parameter with another value is another part.  So a mechanism whose parts, tables, conditions, gravity and length are the same
objects as before is the same mechanism, and compiles to the same arrays.  Where only parameters have other values, and only numbers of springs,
dampers and friction depend on these, one table of the arrays is written anew; other numbers, those of expressions too, are collected anew, and put
into the structure that is known (`tables.number`).
"""

from __future__ import annotations

import copy
import weakref
from dataclasses import replace
from operator import is_
from typing import TYPE_CHECKING, Any

from ..model.measure import Measure
from ..model.mechanism import Mechanism
from ..model.parameter import Parameter
from .system import System, compile
from .tables import with_laws

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from .lagrange import LagrangeSystem

# sets of measures for which the system of a mechanism is kept
MOST = 8


class Known:
    """What is known of one mechanism as it is; copies and files of a mechanism begin without."""

    def __init__(self, model: Mechanism | None = None, before: System | None = None) -> None:
        self._model = None if model is None else weakref.ref(model)
        self._made_of = () if model is None else _made_of(model)
        self.facts: dict[str, Any] = {}
        self.before = before  # the system of the same parts with other values of parameters

    def __reduce__(self) -> Any:
        return Known, ()

    def holds(self, model: Mechanism) -> bool:
        """Whether the mechanism is the same, and as it was."""
        now = _made_of(model)
        same = self._model is not None and self._model() is model
        return same and len(now) == len(self._made_of) and all(map(is_, now, self._made_of))

    def left(self, model: Mechanism) -> System | None:
        """The system that was known, if nothing but values of parameters has changed."""
        now, found = _made_of(model), self.facts.get("system")
        if found is None or self._model is None or self._model() is not model or len(now) != len(self._made_of):
            return None
        return found if all(map(_same_part, now, self._made_of)) else None


def _same_part(one: Any, two: Any) -> bool:
    return one is two or (isinstance(one, Parameter) and isinstance(two, Parameter) and one.name == two.name)


def _made_of(model: Mechanism) -> tuple[Any, ...]:
    """All that decides about the arrays of a mechanism, as objects that are never changed."""
    return (
        *model._parts.values(), *model._tables.values(), *model._starts, *model.gravity, model.length, model.plane, model.situation,
    )  # fmt: skip


def _known(model: Mechanism) -> Known:
    found: Known | None = model.__dict__.get("_known")
    if found is None or not found.holds(model):
        found = model.__dict__["_known"] = Known(model, None if found is None else found.left(model))
    return found


def known(model: Mechanism) -> dict[str, Any]:
    """Facts about a mechanism that hold as long as it stays as it is: none, if it has changed."""
    return _known(model).facts


def compiled(model: Mechanism | Lagrangian, asked: str, extra: tuple[Measure, ...] = ()) -> System | LagrangeSystem:
    """A compiled model, with measures of a mechanism as in `compile`."""
    if isinstance(model, Mechanism):
        return compile(model, extra=extra)
    from .lagrange import compile_lagrangian  # a mechanism does not wait for what it does not need

    return compile_lagrangian(model, asked)


def known_system(model: Mechanism | Lagrangian, extra: tuple[Measure, ...] = (), asked: str = "") -> Any:
    """The compiled model, with measures as in `compile`; all who ask for a mechanism get the same, so nobody may change its arrays."""
    if not isinstance(model, Mechanism):
        return compiled(model, asked)
    found = _known(model)
    if extra:
        systems = found.facts.setdefault("with measures", {})
        if extra not in systems:
            if len(systems) >= MOST:
                systems.clear()
            systems[extra] = compile(model, extra=extra)
        return systems[extra]
    if "system" not in found.facts:
        before, found.before = found.before, None
        found.facts["system"] = (None if before is None else renewed(before)) or compile(model)
    return found.facts["system"]


def renewed(system: System) -> System | None:
    """The system with the present values of parameters, if only numbers of forces depend on those that changed; else None.

    Everything that was computed from parameters when the system was compiled is as it was; the table of numbers of laws is written anew.
    """
    model, old = system.model, system.builder
    values = model.parameters
    changed = {name for name, x in values.items() if x != old.drawing.values.get(name)}
    if system.depends_on is None or changed & system.depends_on:
        return None
    model.check_numbers()
    builder = copy.copy(old)
    builder.drawing = old.drawing.with_values(values)
    builder.laws = [replace(law, numbers=builder.law_numbers(law.law)) for law in old.laws]
    numbering = with_laws(system.numbering, builder)
    return System(model, builder, numbering, system.q0, system.length, depends_on=system.depends_on)
