"""What a verb is given, read: a model of one of the two kinds, or a refusal."""

from __future__ import annotations

from typing import Any

from ..errors import MethodError, shown
from .mechanism import Mechanism
from .model import Model


def named(verb: str, model: Any, needed: str = "a Mechanism is needed", do: str = "give the mechanism") -> str:
    """`verb('name')` for messages; refuses what is neither a Mechanism nor a Lagrangian."""
    check_model(f"{verb}({shown(model, 40)})", model, needed, do)
    return f"{verb}({model.name!r})"


def check_model(asked: str, model: Any, needed: str = "a Mechanism is needed", do: str = "give the mechanism") -> None:
    """Refuse what is neither a Mechanism nor a Lagrangian."""
    if not isinstance(model, Model):
        raise MethodError(asked, f"{shown(model)} of type {type(model).__name__}", needed, do)


def read_mechanism(asked: str, model: Any) -> Mechanism:
    """The mechanism given, or a refusal."""
    if not isinstance(model, Mechanism):
        found = f"{shown(model)} of type {type(model).__name__}"
        raise MethodError(asked, found, "a Mechanism is needed", "give the mechanism")
    return model
