"""The problem of equilibrium for a model of either kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...model.lagrangian import Lagrangian
from ...state import State
from .of_bodies import OfBodies
from .of_coordinates import OfCoordinates
from .problem import Problem

if TYPE_CHECKING:
    from ...model.mechanism import Mechanism


def problem_of(
    asked: str, model: Mechanism | Lagrangian, start: State | None, method: str, spinning: Any, t: float
) -> Problem:
    """A mechanism or a Lagrangian system, and what is asked of it, ready to be searched."""
    if isinstance(model, Lagrangian):
        return OfCoordinates(asked, model, start, method, spinning, t)
    return OfBodies(asked, model, start, method, spinning, t)
