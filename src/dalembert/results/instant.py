"""A run with one output: everything at one state, with rates and second rates; see the verb `instant`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..state import State
from .series import Series

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism
    from .record import Record


class Instant:
    """A mechanism or a Lagrangian system at one state."""

    def __init__(self, run: Record) -> None:
        self._run = run

    @property
    def model(self) -> Mechanism | Lagrangian:
        """The model."""
        return self._run.model

    @cached_property
    def state(self) -> State:
        """The state."""
        run = self._run
        return State(self.t, run.q[0], run.v[0], run.angles[0], tuple(run.system.body_names), run.z[0])

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._run.t[0])

    def __getitem__(self, name: Any) -> Any:
        """Body, point, joint, force element or driver with its quantities; of a measure, an expression, a row or friction of a Lagrangian its value."""
        part = self._run.part_named(name)
        if isinstance(part, Series):
            return float(part[0])
        return self._rates(name)[0] if part is None else Now(part)

    def rate(self, measure: Any) -> float:
        """Rate of a measure, a coordinate or an expression of them."""
        return self._rates(measure)[1]

    def second_rate(self, measure: Any) -> float:
        """Second rate of a measure, a coordinate or an expression of them and time: s'' = j a + b."""
        return self._rates(measure, second=True)[2]

    def _rates(self, what: Any, second: bool = False) -> tuple[float, float, float]:
        asked = f"value at t = {self.t:g} s of {self.model.name!r}"
        return self._run.rates_of(asked, what, second)

    def __repr__(self) -> str:
        return f"<{self.model.name!r} at t = {self.t:g} s: parts, points and measures by name, .rate(), .second_rate()>"


class Now:
    """Quantities of a part at one state: what a result has over time, without the time."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._inner, name)
        if isinstance(found, np.ndarray):
            now = np.asarray(found)[0]
            return float(now) if now.ndim == 0 else now
        if callable(found):
            return lambda *args, **options: Now(found(*args, **options))
        return found

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._inner) if not name.startswith("_")]

    def __repr__(self) -> str:
        return f"<now: {self._inner!r}>"
