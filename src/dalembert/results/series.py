"""Arrays with a name, a unit and labelled axes, over time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ModelError, nearest, unknown_attribute


class Series(np.ndarray):
    """A NumPy array over time with name, unit and the labels of its components.

    It computes like any array; `t` are the times, `axes` the labels of the last dimension, `rate` (for measures) the rates.
    `source(result)` gives the same quantity of another result, which is how crossings are located.
    """

    name: str
    unit: str
    axes: tuple[str, ...]
    t: np.ndarray | None
    rate: Any
    source: Callable[[Any], Any] | None

    def __new__(
        cls,
        values: Any,
        name: str = "",
        unit: str = "",
        axes: tuple[str, ...] = (),
        t: np.ndarray | None = None,
        source: Callable[[Any], Any] | None = None,
        rate: Any = None,
    ) -> Series:
        """Wrap an array."""
        made = np.asarray(values).view(cls)
        made.name, made.unit, made.axes, made.t, made.source, made.rate = name, unit, tuple(axes), t, source, rate
        return made

    def __array_finalize__(self, parent: Any) -> None:
        self.name, self.unit = getattr(parent, "name", ""), getattr(parent, "unit", "")
        self.axes, self.t, self.source, self.rate = (), getattr(parent, "t", None), None, None

    def __reduce__(self) -> Any:
        # an array alone forgets its labels; `source` is a way to ask a result, which a copy apart from its run has not
        made: Any = super().__reduce__()
        return made[0], made[1], (made[2], (self.name, self.unit, self.axes, self.t, self.rate))

    def __setstate__(self, state: Any) -> None:
        array, (self.name, self.unit, self.axes, self.t, self.rate) = state
        super().__setstate__(array)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        # a single number is a plain number: run["A"].force.max()
        return array[()] if array.ndim == 0 else super().__array_wrap__(array, context)

    def __getattr__(self, name: str) -> Any:
        raise unknown_attribute(self, f"the series {getattr(self, 'name', '')!r}", name, "use it as an array")

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            # a component by its label: run["bar"].position["x"]
            if key not in self.axes:
                why = nearest(key, self.axes) if self.axes else "it has no components"
                raise ModelError(f"component {key!r} of {self.name!r}", "no such component", why, "use one of these")
            return self[:, self.axes.index(key)]
        part = super().__getitem__(key)
        # a column keeps its label and its source: run["A"].force[:, 0]
        if (
            isinstance(part, Series)
            and isinstance(key, tuple)
            and len(key) == 2
            and key[0] == slice(None)
            and isinstance(key[1], int | np.integer)
        ):
            column, parent = key[1], self.source
            if self.axes:
                part.name = f"{self.name}_{self.axes[column]}"
            part.source = None if parent is None else (lambda result: parent(result)[:, column])
        return part

    def __repr__(self) -> str:
        labels = f", ({', '.join(self.axes)})" if self.axes else ""
        return f"<{self.name} [{self.unit}]{labels}, shape {self.shape}>\n{np.asarray(self)!r}"
