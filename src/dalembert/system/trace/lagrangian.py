"""The operations on a Lagrangian system, on symbols: its formulas are nodes already, the solution around them is traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...kernels import layout as at
from ...kernels import operate as modes
from ...kernels.lagrange import equations
from ...kernels.lagrange import layout as la
from ...kernels.lagrange.operate import operate
from ..lagrange import LagrangeSystem
from .symbol import REPLACED, Symbol, plain
from .traced import Traced

_GIVEN = ("floor", "side", "angle_time")


class TracedLagrangian(Traced):
    """Programs of a Lagrangian system; parameters are inputs, numbers in its formulas belong to the structure."""

    writers = (modes.EVALUATE, modes.ROWS)

    def __init__(self, system: LagrangeSystem) -> None:
        super().__init__()
        self.graph, self.I, self._system = system.graph, system.I, system
        model = system.model
        self.inputs = {
            **{name: ("F", k) for k, name in enumerate(model.parameters)},
            "t": ("t", 0),
            **{name: ("q", k) for k, name in enumerate(model.q)},
            **{f"rate({name})": ("v", k) for k, name in enumerate(model.q)},
        }
        self.sides = system.sides
        self.switching = bool(system.sides)
        # registers of the programs, and what they read: nothing looks there
        last = max(end for _, end in system.places.values())
        scratch = {
            k for k in range(len(system.memory)) if k < min(first for first, _ in system.places.values()) or k >= last
        }
        given = self.places(*_GIVEN) | set(range(len(model.parameters)))
        self.prepare(system.P, fixed_numbers(system), system.memory, given, scratch)
        self._targets = [self._results(k) for k in range(len(system.results))]

    def _results(self, k: int) -> dict[int, int]:
        table, at_program = self.I, int(self.I[la.PROGRAMS[k]])
        node_in = {register: node for node, register in self._system.results[k].items()}
        pairs = table[table[at_program + 3] : table[at_program + 4]].reshape(-1, 2)
        return {int(place): node_in[int(register)] for register, place in pairs}

    def operate(self) -> Callable[..., Any]:
        """The operations, with the results of the programs taken from the graph."""
        return plain(operate, {**REPLACED, equations.perform: self._perform})

    def _perform(self, I: Any, P: Any, F: Any, program: int, t: Any, q: Any, v: Any) -> None:  # noqa: E741, N803
        if self.switching and F[int(I[at.FROZEN])] == 0.0:
            for node, place in self.sides.items():
                F[place] = Symbol(self.graph, node)
        for place, node in self._targets[0 if program == I[la.EVALUATION] else 1].items():
            F[place] = Symbol(self.graph, node)

    def arrays(self, mode: int) -> dict[str, np.ndarray]:
        """Symbols of q, v and a."""
        found = {"a": self.symbols("a", self._system.n, {})}
        for name, inputs in (("q", self._system.model.q), ("v", [f"rate({x})" for x in self._system.model.q])):
            found[name] = np.array([Symbol(self.graph, self.graph.input[x]) for x in inputs], dtype=object)
        return found

    def time(self) -> Symbol:
        """The symbol of time."""
        return Symbol(self.graph, self.graph.input["t"])

    def places(self, *names: str) -> set[int]:
        """Places in F by name."""
        return {k for name in names for k in range(*self._system.places[name])}


def fixed_numbers(system: LagrangeSystem) -> np.ndarray:
    """Numbers of P that belong to the structure: offsets and scales, not weights and tables."""
    fixed = (system.P == 0.0) | (system.P == 1.0)
    fixed[system.I[la.WEIGHTS] :] = False
    return fixed
