"""Lagrange's equations by their numbers: of the first kind with multipliers, of the second kind in independent coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from ...errors import MethodError
from ...model.lagrangian import Lagrangian
from .base import Form
from .lagrange import Lagrange, lagrange
from .multipliers import Multipliers, multipliers

F = TypeVar("F", bound=Form)


def lagrange_1(model: Lagrangian) -> Multipliers:
    """Lagrange's equations of the first kind: the form "multipliers"."""
    if not model.holonomic and not model.nonholonomic:
        raise MethodError(
            f"equations of {model.name!r} in the form 'lagrange-1'", "no rows",
            "in equations of the first kind every row has a multiplier", "use form='lagrange-2'; of a mechanism, joints are the rows",
        )  # fmt: skip
    return _named(multipliers(model), "first")


def lagrange_2(model: Lagrangian, independent: Sequence[str] | None = None) -> Lagrange:
    """Lagrange's equations of the second kind: the form "lagrange"."""
    return _named(lagrange(model, independent), "second")


def _named(form: F, kind: str) -> F:
    title = f"Lagrange's equations of the {kind} kind of {form.model.name!r}"
    return replace(form, sheet=replace(form.sheet, title=title))
