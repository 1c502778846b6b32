"""The operations of `kernels/operate.py` on a mechanism, each run once on symbols: straight programs of one graph.

Integers (I) and the pattern of zeros in P are the structure of a mechanism; all other numbers are inputs, so that the programs serve every
mechanism of that structure.  A program reads t, q, v, a, P and F and writes q, v, a and F, as the kernels do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...kernels import layout as at
from ...kernels import operate as modes
from ..graph import Graph
from ..tables import Numbering, Work
from .plain import plain
from .symbol import REPLACED, Symbol

# what stands in F before an operation: given from outside, or held
_GIVEN = ("floor", "side", "state", "called", "angle", "angle_rate", "angle_time")
# right-hand sides and solutions: corrections are solved for with others than evaluations are
_SOLVED = ("y", "lam", "acc", "vhat")
# scratch that nothing reads afterwards
_SCRATCH = ("tape_x", "tape_x1", "tape_x2", "tape_grad", "tape_reg", "tape_adjoint", "tape_reg3")
# operations that do not read what others left in F
_FRESH = (
    modes.EVALUATE, modes.ACCELERATE, modes.ROWS, modes.RATES, modes.INPUTS, modes.FORCES, modes.POWERS, modes.DETECT, modes.ARRIVE,
    modes.SPEED,
)  # fmt: skip


@dataclass(frozen=True)
class Program:
    """One operation.

    Attributes
    ----------
    stores
        What is written: (array "q", "v", "a" or "F", place, node).
    result
        Node that is returned, or None for zero.
    constants
        Places of F that receive the number which stands there in blank memory, with its node: others may have left something else.
    """

    stores: tuple[tuple[str, int, int], ...]
    result: int | None
    constants: tuple[tuple[int, int], ...] = ()


class Traced:
    """Programs of a mechanism, traced when they are asked for.

    Parameters
    ----------
    numbering
        Its arrays.
    """

    def __init__(self, numbering: Numbering) -> None:
        self.graph = Graph()
        self._at = numbering
        self._operate: Callable[..., Any] = plain(modes.operate, REPLACED)
        P = numbering.P
        self._P = self._array("P", len(P), {int(k): float(P[k]) for k in np.flatnonzero(fixed_numbers(numbering))})
        self._blank = Work(numbering).F
        self._open = {k for name in _GIVEN for k in range(*numbering.places[name])}
        self._programs: dict[tuple[int, bool], Program] = {}
        self._known: dict[bool, dict[int, Any]] = {}

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

    def _array(self, name: str, size: int, known: dict[int, Any]) -> np.ndarray:
        """Symbols of an array, but for what is known of it."""
        found = np.empty(size, dtype=object)
        for k in range(size):
            found[k] = known[k] if k in known else Symbol(self.graph, self.graph.named((name, k)))
        return found

    def _trace(self, mode: int, held: bool) -> Program:
        I = self._at.I  # noqa: E741
        nv = (3 if I[at.PLANE] else 6) * int(I[at.N_BODIES])
        nq = (3 if I[at.PLANE] else 7) * int(I[at.N_BODIES])
        before = self._before(mode, held)
        F = self._array("F", len(self._blank), before)
        start = F.copy()
        sizes = {"q": nq, "v": nv, "a": 4 * nv + 3 * int(I[at.N_ROWS]) if mode == modes.RESIDUAL else nv}
        arrays = {name: self._array(name, size, {}) for name, size in sizes.items()}
        given = {name: array.copy() for name, array in arrays.items()}
        t, tolerance = (Symbol(self.graph, self.graph.named((name, 0))) for name in ("t", "tolerance"))
        result = self._operate(mode, I, self._P, F, t, arrays["q"], arrays["v"], arrays["a"], tolerance, 1)
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
        """Places of F that are written."""
        I = self._at.I  # noqa: E741
        if mode == modes.ACCELERATE:
            return range(int(I[at.FORCE]), int(I[at.FORCE] + I[at.N_STATES]))
        scratch = {k for name in _SCRATCH for k in range(*self._at.places[name])}
        return [k for k in range(len(self._blank)) if k not in scratch]

    def _before(self, mode: int, held: bool) -> dict[int, Any]:
        """What is known of F before an operation.

        At first the blank memory, with the ground in it, and what is given from outside.  Operations that go on with what others left find
        in F what those wrote there, unless it never changes.
        """
        frozen = {int(self._at.I[at.FROZEN]): 1.0 if held else 0.0}
        if mode in _FRESH:
            known: dict[int, Any] = {k: x for k, x in enumerate(self._blank) if k not in self._open}
            return known | frozen
        if held not in self._known:
            written = [self.program(m, held).stores for m in (modes.EVALUATE, modes.ROWS, modes.FORCES, modes.DETECT)]
            values: dict[int, set[int]] = {}
            for stores in written:
                for name, k, node in stores:
                    if name == "F":
                        values.setdefault(k, set()).add(node)
            moving = self.graph.dependent(range(len(self.graph.rows)), [x for x in self.graph.inputs if x[0] != "P"])
            changing = {k for k, nodes in values.items() if len(nodes) > 1 or nodes & moving} | self._open
            changing |= {k for name in _SOLVED for k in range(*self._at.places[name])}
            found: dict[int, Any] = {k: x for k, x in enumerate(self._blank) if k not in changing}
            for k, nodes in values.items():
                if k not in changing:
                    found[k] = Symbol(self.graph, next(iter(nodes)))
            # the watched rows are written by themselves
            self._known[held] = found
        return self._known[held] | frozen

    def _node(self, x: Any) -> int:
        return x.node if isinstance(x, Symbol) else self.graph.number(x)


def fixed_numbers(numbering: Numbering) -> np.ndarray:
    """Numbers of P that belong to the structure: zeros, ones and minus ones of masses, points and axes; never those of laws and expressions."""
    P, I = numbering.P, numbering.I  # noqa: E741
    fixed = (P == 0.0) | (np.abs(P) == 1.0)
    fixed[I[at.OFFSET] : I[at.SCALE]] = False
    fixed[I[at.LAW_NUMBERS] : I[at.COEFFICIENT]] = False
    fixed[I[at.TAPE_CONST] :] = False
    return fixed


__all__ = ["Program", "Traced", "fixed_numbers"]
