"""Round cones among sizes x >= 0 that balance a load: Coulomb's friction in space, and friction of a known limit in several directions.

A cone is that of all columns  base + across e,  |e| <= 1.  It has no end of them, but of all columns the one with the largest product with a given y is known,

    e = across^T y/|across^T y|

so that they are made as they are needed: in the search for sizes that balance with the part y of the load that is left, in a linear program with its multipliers y, until no
further column is any better (column generation; Dantzig and Wolfe, Operations Research 8, 1960).  A polygon of columns lies inside its cone: what is found to hold does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

# rounds in which columns are made, each of which halves the angle between neighbours; the part of a product below which a column is no better
ROUNDS, BETTER = 60, 1e-13
# what is left of a load counts as the same from here on, five times in a row: nothing balances it
STAYS = 0.999
# sizes that count in the end of a linear program
SUPPORT = 1e-9
# of linear programs: as sharp as they can be asked for
SHARP = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True)
class Cone:
    """All columns base + across e with |e| <= 1."""

    base: np.ndarray
    across: np.ndarray

    def best(self, y: np.ndarray) -> np.ndarray:
        """The column of unit length along that which has the largest product with y."""
        w = self.across.T @ y
        size = float(np.linalg.norm(w))
        made = self.base + self.across @ (w / size) if size > 0.0 else self.base
        return np.asarray(made / (float(np.linalg.norm(made)) or 1.0))


def better(cones: list[Cone], y: np.ndarray) -> list[np.ndarray]:
    """Columns along y; none that is not."""
    least = BETTER * float(np.linalg.norm(y))
    return [column for column in (one.best(y) for one in cones) if float(column @ y) > least]


def enough_columns(A: np.ndarray, b: np.ndarray, cones: list[Cone], allowed: float) -> tuple[np.ndarray, np.ndarray, float]:  # fmt: skip
    """Columns A and those of the cones with which A x, x >= 0, comes as near to b as all of them do, or as is allowed; x, and how far it is off."""
    from scipy.optimize import nnls

    more, before, stays = np.zeros((len(b), 0)), math.inf, 0
    for _ in range(4 * ROUNDS):
        every = np.column_stack([A, more])
        x, off = nnls(every, b, maxiter=50 * every.shape[1])
        stays = stays + 1 if off > STAYS * before else 0
        made = better(cones, b - every @ x) if off > allowed and stays < 5 else []
        if not made:
            return every, x, float(off)
        # columns without a size are made again where they are needed: many nearly parallel ones spoil the search
        more, before = np.column_stack([more[:, x[A.shape[1] :] > 0.0], *made]), off
    return every, x, float(off)


def largest(c: np.ndarray, A: np.ndarray, b: np.ndarray, cones: list[Cone]) -> float:
    """The largest c.x with A x = b, x >= 0, where that has a solution; columns of the cones count nothing themselves."""
    from scipy.optimize import linprog

    size, weight = float(np.linalg.norm(b)) or 1.0, float(np.max(np.abs(c)))
    for _ in range(ROUNDS):
        made = linprog(-c / weight, A_eq=A, b_eq=b / size, bounds=(0.0, None), method="highs-ds", options=SHARP)
        if made.status != 0:
            return math.inf  # b is a combination: there is no bound
        columns = better(cones, made.eqlin.marginals)
        if not columns:
            break
        A, c = np.column_stack([A, *columns]), np.append(c, np.zeros(len(columns)))
    # the program ends with some columns, which balance b as exactly as numbers allow
    used = np.flatnonzero(made.x > SUPPORT * float(np.max(made.x, initial=0.0)))
    x = np.linalg.lstsq(A[:, used], b / size, rcond=1e-13)[0]
    exact = x.min(initial=0.0) >= -SUPPORT and float(np.linalg.norm(A[:, used] @ x - b / size)) <= SUPPORT
    return size * float(c[used] @ x if exact else c @ made.x)
