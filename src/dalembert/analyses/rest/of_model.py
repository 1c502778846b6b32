"""The problem of equilibrium for a model of either kind."""

from __future__ import annotations

from typing import Any

from ...model.lagrangian import Lagrangian
from ...state import State
from .of_bodies import OfBodies
from .of_coordinates import OfCoordinates
from .problem import Problem


def problem_of(asked: str, model: Any, start: State | None, method: str, spinning: Any, t: float) -> Problem:
    """A mechanism or a Lagrangian system, and what is asked of it, ready to be searched."""
    kind = OfCoordinates if isinstance(model, Lagrangian) else OfBodies
    return kind(asked, model, start, method, spinning, t)
