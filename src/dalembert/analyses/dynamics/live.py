"""A model while it runs: its inputs by name, and everything that can be read at the state where its steps stand.

The arrays are those of the time loop itself: nothing is copied until it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...errors import ModelError, shown
from ...kernels.memory import law_numbers
from ...kernels.operate import INPUTS, operate
from ...model.measure import Measure
from ...results.instant import Instant
from ...results.pieces import in_one_layout
from ...results.record import kind_of
from ...solve.stepping.records import Memory, Step
from ...system.build import HANDED
from ...system.system import observing
from .prepared import Prepared

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...model.mechanism import Mechanism
    from ...system.lagrange import LagrangeSystem
    from ...system.system import System

# arrays of a result beside its times
COLUMNS = ("q", "v", "a", "basic_lam", "forces", "powers", "angles", "z")


def put_loads(system: System | LagrangeSystem, P: np.ndarray, loads: Mapping[str, Sequence[float]]) -> None:  # noqa: N803
    """Numbers of constant loads by name, into the numbers P of a compiled mechanism."""
    if loads:
        numbers = law_numbers(system.I, P)
        for name, given in loads.items():
            # loads are positive against the force of a law, f = -load
            own = [n for n, law in enumerate(cast("System", system).builder.laws) if law.part == name]
            if own:  # otherwise it is released
                numbers[own, 3] = [-x for x in given]


def leading(model: Mechanism | Lagrangian) -> set[str]:
    """Names that drivers, rows and gaps follow: the machine moves where they are set."""
    return {name for row in model.leads for name in row.names}


class Live:
    """A run at its present step; `values` are those of the parameters, `observed` measures that were read in another situation of the same model."""

    def __init__(
        self,
        prepared: Prepared,
        mem: Memory,
        now: Step,
        values: dict[str, float],
        observed: dict[Any, Any] | None = None,
    ) -> None:
        self.system = system = prepared.system
        self._work, self._mem, self._now, self.values = prepared.work, mem, now, values
        self.model: Any = system.model
        self.inputs, self._held = system.state_places, getattr(mem, system.states_in)
        self._readers: dict[Any, Callable[[], Any]] = {}
        self.observed: dict[Any, Any] = {} if observed is None else observed

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._now.t)

    def put(self, name: str, value: float) -> None:
        """Set an input or a state."""
        self._held[self.inputs[name]] = value

    def get(self, name: Any) -> Any:
        """Value of a measure, a rate, an input, a quantity of a part; see `Stepper.get`."""
        if not isinstance(name, str | Measure):
            return self.now[name]
        reader = self._readers.get(name)
        if reader is None:
            reader = self._readers[name] = self._reader(name)
        return reader()

    @property
    def now(self) -> Instant:
        """Everything at the present state, as `da.instant` gives it."""
        mem, work, system = self._mem, self._work, self.system.with_values(self.values)
        acceleration = mem.K[len(mem.q) : len(mem.q) + system.nv]
        listed = (mem.q, mem.v, acceleration, work.lam, work.force, work.power, work.angle, mem.z)
        columns: dict[str, Any] = {name: x[None].copy() for name, x in zip(COLUMNS, listed)}
        found = kind_of(system)(system=system, t=np.array([self.t]), **columns)
        return Instant(in_one_layout([found], self._full) if self._full is not None else found)

    @cached_property
    def _full(self) -> Any:
        """The model with the rows of all parts, of which some are not at work at present; None where all of them are."""
        model = self.model
        if not (model.impacts or model.frictions or model.events):
            return None
        from ..events.move import with_all_rows

        now, handed = model.situation, any(HANDED in name for name in self.inputs)
        return with_all_rows(model, [now, replace(now, absent=frozenset())], "", handed)

    def _reader(self, name: Any) -> Callable[[], Any]:
        """How a quantity is read at the present state, again and again."""
        text = name if isinstance(name, str) else ""
        if text in self.inputs:
            k = self.inputs[text]
            return lambda: float(self._held[k])
        if text in self.values:
            return lambda: float(self.values[text])
        rate = text.startswith("rate(") and text.endswith(")")
        inner = text[5:-1] if rate else name
        if not self.system.body_names:  # coordinates are read by their names
            return lambda: self.now.rate(inner) if rate else self.now[inner]
        parts = self.model._parts
        part = parts.get(inner) if isinstance(inner, str) else None
        if part is not None and not isinstance(part, Measure):
            if part.kind == "driver":
                return lambda: self.now[inner].effort
            one = "position" if part.kind == "body" else "force"
            found, why = f"{inner!r} is {part!r}", "a part has several quantities"
            raise ModelError(f"get({name!r})", found, why, f"ask for one of them, as {inner + '.' + one!r}")
        owner, _, quantity = inner.rpartition(".") if isinstance(inner, str) else ("", "", "")
        if owner in parts and not rate and self.model.find_measure(inner) is None:
            return lambda: getattr(self.now[owner], quantity)
        return self._measure(inner, rate)

    def _measure(self, name: Any, rate: bool) -> Callable[[], float]:
        present: Any = self.system
        if name not in self.observed:
            asked = f"get({shown(name)})"
            measure = present.model.read_coordinate(asked, name)
            made = observing(present, (measure,), self.values)
            self.observed[name] = made, made.workspace(), made.n_rows + made.builder.free_row(asked, measure)
        system, work, r = self.observed[name]
        n, mem = system.numbering, self._mem
        known, own = present.builder.angles, system.builder.angles
        pairs = [(k, known[key]) for key, k in own.items() if key in known]
        found, scratch, angles = work.rate if rate else work.value, np.zeros(system.nv), self._work.angle

        def read() -> float:
            t = self.t
            for k, m in pairs:
                work.angle[k] = angles[m]
            work.angle_time[0] = t
            operate(INPUTS, n.I, n.P, work.F, t, mem.q, mem.v, scratch, 0.0, 1)
            return float(found[r])

        return read
