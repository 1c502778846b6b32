"""Copies and pickles of what holds SymPy expressions: equations come back as they were written.

SymPy evaluates an expression that is read from a pickle: 2*(x + y) comes back as 2*x + 2*y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..derived import Derived
from . import sp


@dataclass(eq=False)
class _Node:
    """Class of a SymPy object, and the arguments that it was made of."""

    kind: Any
    args: tuple[Any, ...]


class Unevaluated(Derived):
    """Base of what has SymPy expressions among its fields."""

    def __getstate__(self) -> dict[str, Any]:
        known: dict[Any, _Node] = {}
        return {name: _packed(x, known) for name, x in super().__getstate__().items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        known: dict[_Node, Any] = {}
        vars(self).update({name: _opened(x, known) for name, x in state.items()})


def _packed(x: Any, known: dict[Any, _Node]) -> Any:
    """Nodes in the place of SymPy objects, each once; atoms, and all else, as they are."""
    if type(x) in (tuple, list):
        return type(x)(_packed(y, known) for y in x)
    if type(x) is dict:
        return {key: _packed(y, known) for key, y in x.items()}
    if isinstance(x, sp.MatrixBase):
        return _Node(type(x), (x.rows, x.cols, _packed(list(x), known)))
    if not isinstance(x, sp.Basic) or not x.args:
        return x
    if x not in known:
        known[x] = _Node(type(x), _packed(x.args, known))
    return known[x]


def _opened(x: Any, known: dict[_Node, Any]) -> Any:
    """SymPy objects in the place of nodes."""
    if type(x) in (tuple, list):
        return type(x)(_opened(y, known) for y in x)
    if type(x) is dict:
        return {key: _opened(y, known) for key, y in x.items()}
    if not isinstance(x, _Node):
        return x
    if x not in known:
        args = _opened(x.args, known)
        made = known[x] = x.kind(*args)
        if isinstance(made, sp.Basic) and (type(made) is not x.kind or made.args != args):
            known[x] = x.kind(*args, evaluate=False)
    return known[x]
