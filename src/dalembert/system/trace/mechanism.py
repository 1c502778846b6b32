"""The operations of `kernels/operate.py` on a mechanism, on symbols.

Integers (I) and the pattern of zeros in P are the structure of a mechanism; the programs serve every mechanism of that structure.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...kernels import layout as at
from ...kernels import operate as modes
from ..graph import Graph
from ..tables import Numbering, Work
from .symbol import REPLACED, plain
from .traced import Traced

# what stands in F before an operation: given from outside, or held
_GIVEN = ("floor", "side", "state", "called", "angle", "angle_rate", "angle_time")
# scratch that nothing reads afterwards
SCRATCH = ("time", "slope", "register")


class TracedMechanism(Traced):
    """Programs of a mechanism."""

    writers = (modes.EVALUATE, modes.ROWS, modes.FORCES, modes.DETECT)

    def __init__(self, numbering: Numbering) -> None:
        super().__init__()
        self.graph, self.I = Graph(), numbering.I
        self._at = numbering
        self.switching = bool(self.places("side"))
        scratch = self.places(*SCRATCH)
        self.prepare(numbering.P, fixed_numbers(numbering), Work(numbering).F, self.places(*_GIVEN), scratch)

    def operate(self) -> Callable[..., Any]:
        """The operations, as plain Python on symbols."""
        return _operate()

    def arrays(self, mode: int) -> dict[str, np.ndarray]:
        """Symbols of q, v and a."""
        bodies, plane = int(self.I[at.N_BODIES]), bool(self.I[at.PLANE])
        nq, nv = (3 if plane else 7) * bodies, (3 if plane else 6) * bodies
        sizes = {"q": nq, "v": nv, "a": 4 * nv + 3 * int(self.I[at.N_ROWS]) if mode == modes.RESIDUAL else nv}
        return {name: self.symbols(name, size, {}) for name, size in sizes.items()}

    def places(self, *names: str) -> set[int]:
        """Places in F by name."""
        return {k for name in names for k in range(*self._at.places[name])}


@cache
def _operate() -> Callable[..., Any]:
    return plain(modes.operate, REPLACED)


def fixed_numbers(numbering: Numbering) -> np.ndarray:
    """Numbers of P that belong to the structure: zeros, ones and minus ones of masses, points and axes; never those of laws and expressions.

    Those that derivatives brought into the expressions do.
    """
    P, I = numbering.P, numbering.I  # noqa: E741
    fixed = (P == 0.0) | (np.abs(P) == 1.0)
    fixed[I[at.OFFSET] : I[at.SCALE]] = False
    fixed[I[at.LAW_NUMBERS] : I[at.COEFFICIENT]] = False
    fixed[I[at.RULE_NUMBERS] : I[at.NUMBERS]] = True
    fixed[I[at.NUMBERS] :] = False
    return fixed
