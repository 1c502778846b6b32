"""The Lagrange multiplier theorem on numbers: b.x = 0 wherever A x = 0, if and only if b + A^T lam = 0 (PLANAR 6.3.12-14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MethodError, checked_call, shown
from ..system.subspaces import factor, unit_rows

# part of b outside the rows of A that is rounding
NOTHING = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class MultiplierTheorem:
    """Multipliers of b along the rows of A, or an x that shows that there are none.

    Attributes
    ----------
    holds
        Whether b.x = 0 for every x with A x = 0.
    multipliers
        lam with b + A^T lam = 0, the smallest where there are several; None where there is none.
    unique
        Whether the rows of A are independent, so that no other multipliers serve.
    counterexample
        Where there is none: the unit x with A x = 0 and the largest b.x.
    """

    holds: bool
    multipliers: np.ndarray | None
    unique: bool
    counterexample: np.ndarray | None

    def __str__(self) -> str:
        if self.multipliers is None:
            return f"no multipliers: x = {_listed(self.counterexample)} has A x = 0, and b.x is not zero"
        several = "" if self.unique else ", the smallest of several sets, as rows of A depend on each other"
        return f"b + A^T lam = 0 with lam = {_listed(self.multipliers)}{several}"

    __repr__ = __str__


@checked_call
def multiplier_theorem(A: Any, b: Any) -> MultiplierTheorem:
    """Multipliers lam with b + A^T lam = 0, which exist if and only if b.x = 0 for every x with A x = 0.

    With A = Phi_q and b = M q'' - Q this turns the variational equation of motion into that with multipliers (PLANAR 6.3.12-20).

    Parameters
    ----------
    A
        Matrix of m rows with n numbers: what x must satisfy, A x = 0; its rows may depend on each other.
    b
        n numbers.

    Returns
    -------
    MultiplierTheorem
        `.holds`, `.multipliers`, `.unique`, `.counterexample`.

    Examples
    --------
    >>> import dalembert as da
    >>> found = da.multiplier_theorem([[-1, 0, 1], [2, 3, 1]], [1, 3, 2])
    >>> found.holds, found.multipliers.round(12).tolist()
    (True, [-1.0, -1.0])
    >>> da.multiplier_theorem([[-1, 0, 1], [2, 3, 1]], [1, 3, 3]).holds
    False
    """
    asked = "multiplier_theorem(A, b)"
    rows, right = _read(asked, "A", A, 2), _read(asked, "b", b, 1)
    if rows.shape[1] != len(right):
        raise MethodError(
            asked, f"A with {rows.shape[1]} columns, b with {len(right)} numbers", "both multiply the same x",
            f"give {rows.shape[1]} numbers for b",
        )  # fmt: skip
    # rows in any units: multipliers of unit rows, then of those given
    unit, size = unit_rows(rows)
    made = factor(unit.T)
    lam = made.solve(-right)
    left = right + unit.T @ lam
    if np.linalg.norm(left) > NOTHING * np.linalg.norm(right):
        # what is left of b stands at right angles on all rows
        return MultiplierTheorem(False, None, made.rank == len(rows), left / np.linalg.norm(left))
    return MultiplierTheorem(
        True, factor(rows.T).solve(-right) if made.rank < len(rows) else lam / size, made.rank == len(rows), None
    )


def _read(asked: str, name: str, x: Any, axes: int) -> np.ndarray:
    what = "rows of numbers" if axes == 2 else "numbers"
    try:
        made = np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        made = np.zeros(0)
    if made.ndim != axes or not made.size or not np.isfinite(made).all():
        do = "give A=[[-1, 0, 1], [2, 3, 1]]" if axes == 2 else "give b=[1, 3, 2]"
        raise MethodError(asked, f"{name} = {shown(x)}", f"{name} is made of finite {what}", do)
    return made


def _listed(x: Any) -> str:
    return "(" + ", ".join(f"{y:.6g}" for y in x) + ")"
