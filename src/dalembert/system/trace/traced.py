"""Operations of a model on symbols: straight programs of one graph.

A program reads t, q, v, a, P and F and writes q, v, a and F, as the kernels do.  What the structure of a model tells (integers, numbers that are
0 or 1, what is never written) is known while they are traced; all other numbers are inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...kernels import layout as at
from ...kernels import operate as modes
from ..graph import Graph
from .symbol import Symbol

# right-hand sides and solutions: corrections are solved for with others than evaluations are
_SOLVED = ("y", "lam", "acc", "vhat")
# operations that do not read what others left in F
_FRESH = (
    modes.EVALUATE, modes.ACCELERATE, modes.ROWS, modes.RATES, modes.INPUTS, modes.FORCES, modes.POWERS, modes.DETECT, modes.ARRIVE,
    modes.SPEED,
)  # fmt: skip


@dataclass(frozen=True)
class Program:
    """One operation."""

    stores: tuple[tuple[str, int, int], ...]  # what is written: (array "q", "v", "a" or "F", place, node)
    result: int | None  # node that is returned, or None for zero
    # places of F that receive the number which stands there in blank memory, with its node: others may have left something else
    constants: tuple[tuple[int, int], ...] = ()


class Traced:
    """Programs of a model, traced when they are asked for."""

    I: np.ndarray
    graph: Graph  # all formulas
    writers: tuple[int, ...] = (modes.EVALUATE, modes.ROWS)  # operations that write what others go on with
    switching: bool = False  # whether sides can be held

    def __init__(self) -> None:
        # place (array, number) of each input of the graph that is not named by one
        self.inputs: Mapping[Any, tuple[str, int]] = {}
        # places in F of nodes that are held during a step: conditions, signs, whole parts
        self.sides: Mapping[int, int] = {}
        self._programs: dict[tuple[int, bool], Program] = {}
        self._known: dict[bool, dict[int, Any]] = {}

    # -- what differs from kind to kind --------------------------------------------------------------------------------

    def operate(self) -> Callable[..., Any]:
        """The operations, as plain Python on symbols."""
        raise NotImplementedError

    def arrays(self, mode: int) -> dict[str, np.ndarray]:
        """Symbols of q, v and a."""
        raise NotImplementedError

    def places(self, *names: str) -> set[int]:
        """Places in F by name."""
        raise NotImplementedError

    # -- tracing -------------------------------------------------------------------------------------------------------

    def prepare(self, P: np.ndarray, fixed: np.ndarray, blank: np.ndarray, given: set[int], scratch: set[int]) -> None:
        """Numbers, those of them that belong to the structure, blank memory, places in it that are given from outside, and scratch."""
        self._P = self.symbols("P", len(P), {int(k): float(P[k]) for k in np.flatnonzero(fixed)})
        self._blank, self._open, self._scratch = blank, given, scratch

    def program(self, mode: int, held: bool = False) -> Program:
        """One operation of `operate`; `held`: sides of switches are held, as the time loop does during a step."""
        if (mode, held) not in self._programs:
            self._programs[mode, held] = self._trace(mode, held)
        return self._programs[mode, held]

    def size(self, mode: int) -> int:
        """Operations of a program."""
        program = self.program(mode)
        roots = [node for _, _, node in program.stores] + ([] if program.result is None else [program.result])
        return len(self.graph.needed(roots))

    def symbols(self, name: str, size: int, known: Mapping[int, Any]) -> np.ndarray:
        """Symbols of an array, but for what is known of it."""
        found = np.empty(size, dtype=object)
        for k in range(size):
            found[k] = known[k] if k in known else Symbol(self.graph, self.graph.named((name, k)))
        return found

    def time(self) -> Symbol:
        """The symbol of time."""
        return Symbol(self.graph, self.graph.named(("t", 0)))

    def _trace(self, mode: int, held: bool) -> Program:
        F = self.symbols("F", len(self._blank), self._before(mode, held))
        arrays, start = self.arrays(mode), F.copy()
        given = {name: array.copy() for name, array in arrays.items()}
        tolerance = Symbol(self.graph, self.graph.named(("tolerance", 0)))
        state = self.time(), arrays["q"], arrays["v"], arrays["a"]
        result = self.operate()(mode, self.I, self._P, F, *state, tolerance, 1)
        stores = [
            (name, k, self._node(array[k]))
            for name, array in arrays.items()
            for k in range(len(array))
            if self._node(array[k]) != self._node(given[name][k])
        ]
        same = []
        for k in self._wanted(mode):
            if self._node(F[k]) != self._node(start[k]):
                stores.append(("F", k, self._node(F[k])))
            elif F[k] is not start[k] and k not in self._open:
                same.append((k, self._node(F[k])))
        number = self._node(result)
        return Program(tuple(stores), None if number == self.graph.zero else number, tuple(same))

    def _wanted(self, mode: int) -> Iterable[int]:
        if mode == modes.ACCELERATE:
            return range(int(self.I[at.FORCE]), int(self.I[at.FORCE] + self.I[at.N_STATES]))
        return [k for k in range(len(self._blank)) if k not in self._scratch]

    def _before(self, mode: int, held: bool) -> dict[int, Any]:
        """What is known of F before an operation.

        At first the blank memory, with what never changes in it.  Operations that go on with what others left find in F what those wrote
        there, unless it never changes.
        """
        frozen = {int(self.I[at.FROZEN]): 1.0 if held else 0.0}
        if mode in _FRESH:
            known: dict[int, Any] = {k: x for k, x in enumerate(self._blank) if k not in self._open}
            return known | frozen
        if held not in self._known:
            values: dict[int, set[int]] = {}
            for writer in self.writers:
                for name, k, node in self.program(writer, held).stores:
                    if name == "F":
                        values.setdefault(k, set()).add(node)
            moving = self.graph.dependent(range(len(self.graph.rows)), [x for x in self.graph.inputs if x[0] != "P"])
            changing = {k for k, nodes in values.items() if len(nodes) > 1 or nodes & moving} | self._open
            changing |= self.places(*_SOLVED)
            found: dict[int, Any] = {k: x for k, x in enumerate(self._blank) if k not in changing}
            for k, nodes in values.items():
                if k not in changing:
                    found[k] = Symbol(self.graph, next(iter(nodes)))
            self._known[held] = found
        return self._known[held] | frozen

    def _node(self, x: Any) -> int:
        return x.node if isinstance(x, Symbol) else self.graph.number(x)
