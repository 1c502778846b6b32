"""Loads of parts by name, as events watch them: `A.force`, the size of the force on the last body, `A.force_x`, its components, and `motor.effort`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from .expression import Expr, Name
from .forces._pressing import length_of

if TYPE_CHECKING:
    from .mechanism import Mechanism

FORCE, EFFORT = "force", "effort"
# beginnings of the names of loads
LOADS = (FORCE, EFFORT, "torque")


def load_named(model: Mechanism, name: Any) -> tuple[Any, str] | None:
    """The part and the quantity that a name stands for; None where it is no load."""
    owner, _, quantity = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    part = model._parts.get(owner)
    kinds = ("driver",) if quantity == EFFORT else ("joint", "driver", "force", "impact")
    if getattr(part, "kind", "") not in kinds or model.find_measure(name) is not None:
        return None
    known = (EFFORT, FORCE, *(f"{FORCE}_{axis}" for axis in _axes(model)))
    return (part, quantity) if quantity in known else None


def refuse_other_loads(model: Mechanism, asked: str, names: Iterable[str]) -> None:
    """Refuse loads of parts that results have, and events do not watch."""
    for name in sorted(names):
        owner, _, quantity = name.rpartition(".")
        part = model._parts.get(owner)
        loaded = getattr(part, "kind", "") in ("joint", "driver", "force", "impact")
        if (
            loaded
            and quantity.startswith(LOADS)
            and load_named(model, name) is None
            and model.find_measure(name) is None
        ):
            known = f"{FORCE}, {', '.join(f'{FORCE}_{axis}' for axis in _axes(model))}"
            why = f"of {owner!r} events watch {known}{', effort' if getattr(part, 'kind', '') == 'driver' else ''}"
            raise ModelError(asked, f"{name!r}", why, "watch one of these, or a measure that tells the same")


def in_components(model: Mechanism, expression: Expr) -> tuple[Expr, list[str]]:
    """An expression with the sizes of forces written by components, and the names of these."""
    sizes: dict[str, Expr | float] = {}
    for name in expression.names:
        found = load_named(model, name)
        if found is not None and found[1] == FORCE:
            sizes[name] = length_of([Name.of_measure(f"{name}_{axis}") for axis in _axes(model)])
    made = expression.substitute(sizes) if sizes else expression
    return made, sorted(name for name in made.names if load_named(model, name) is not None)


def _axes(model: Mechanism) -> str:
    return "xy" if model.plane else "xyz"
