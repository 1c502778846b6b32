"""Kernels as plain Python with other functions in place of some: the trace runs them on symbols."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

_KERNELS = __name__.rsplit(".", 3)[0] + ".kernels"


def plain(kernel: Any, replaced: Mapping[Any, Any]) -> Callable[..., Any]:
    """A kernel as plain Python, with all kernels that it calls, and these functions replaced by others wherever they are called."""
    return _Copies(replaced).of(kernel)


class _Copies:
    """Functions of the kernels with other globals, each made once."""

    def __init__(self, replaced: Mapping[Any, Any]) -> None:
        self._replaced = dict(replaced)
        self._made: dict[Any, Any] = {}

    def of(self, kernel: Any) -> Any:
        if kernel in self._replaced:
            return self._replaced[kernel]
        if kernel not in self._made:
            function = getattr(kernel, "__wrapped__", kernel)
            scope = dict(function.__globals__)
            made = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
            self._made[kernel] = made
            for name in function.__code__.co_names:
                if name in scope:
                    scope[name] = self._value(scope[name], function.__code__.co_names)
        return self._made[kernel]

    def _value(self, value: Any, names: tuple[str, ...]) -> Any:
        if isinstance(value, types.ModuleType):
            if value.__name__.startswith(_KERNELS):
                inside = {name: self._value(getattr(value, name), ()) for name in names if hasattr(value, name)}
                return types.SimpleNamespace(**inside)
            return value
        if value.__hash__ is not None and value in self._replaced:
            return self._replaced[value]
        own = isinstance(getattr(value, "__wrapped__", value), types.FunctionType)
        return self.of(value) if own and value.__module__.startswith(_KERNELS) else value
