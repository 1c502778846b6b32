"""The Udwadia-Kalaba equation: accelerations of a constrained system in one formula.

    M a = Q          A q'' = b          q'' = a + M^-1/2 (A M^-1/2)^+ (b - A a)          Q_c = M^1/2 (A M^-1/2)^+ (b - A a)

Q: all forces and velocity terms, a: accelerations without the rows, ^+: the Moore-Penrose inverse.
Where M is singular (Udwadia and Phohomsiri): q'' = [(1 - A^+ A) M; A]^+ [Q; b].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...model.lagrangian import Lagrangian
from ...system.subspaces import RANK, rank, unit_rows
from .. import sp
from ..derivation import Derivation, derive
from ..partition import inverse
from ..sheet import Equation, Section, Sheet, line
from ..simplify import is_zero, tidied, tidy
from .base import POLE, Form, Solved, constraint_section, head, one_of, singular
from .hamilton import invertible

READABLE = 200  # operations of the formula of Q_c


@dataclass(frozen=True, eq=False, repr=False)
class UdwadiaKalaba(Form):
    """The Udwadia-Kalaba equation.

    `M`, `Q`, `A`, `b` are the matrices of M a = Q and A q'' = b.  `Q_c` is the force of the rows as a formula, where it can be read, else
    None.  `constraint_force(state)` gives it in numbers by coordinate.
    """

    Q_c: Any = None

    kind = "udwadia-kalaba"

    M = one_of("derivation.M", "Mass matrix.")
    Q = one_of("derivation.rhs", "Forces and velocity terms, M a = Q.")
    A = one_of("derivation.J", "Rows A q'' = b.")
    b = one_of("derivation.gamma", "Right side of A q'' = b.")

    def constraint_force(self, state: Mapping[str, float] | None = None) -> dict[str, float]:
        """Force Q_c of the rows by coordinate, in numbers at a state; what is not named is zero."""
        return dict(zip(self.derivation.names, map(float, self._numbers(self.read_state(state or {}))[1])))

    @cached_property
    def _matrices(self) -> Callable[[Mapping[str, float]], list[float]]:
        d = self.derivation
        return d.numbers([*d.M, *d.rhs, *d.J, *d.gamma])  # type: ignore[no-any-return]

    def _numbers(self, values: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q'', Q_c and A at a state."""
        n, m = len(self.derivation.names), len(self.derivation.row_names)
        found = np.array(self._matrices(values))
        M, Q, A, b = np.split(found, [n * n, n * n + n, n * n + n + n * m])
        M, A = M.reshape(n, n), A.reshape(m, n)
        rows, size = unit_rows(A)
        if rank(rows, POLE, size=1.0) < m:
            raise singular(self.derivation, f"{m} rows, of which some depend on each other at this state")
        size = np.sqrt(np.diag(M))
        size = np.where(size > 0.0, size, 1.0)  # units in which the inertia of every coordinate is one
        sizes, axes = np.linalg.eigh(M / size / size[:, None])
        if sizes[0] > RANK * sizes[-1]:
            root = size[:, None] * axes * np.sqrt(sizes)  # M = root root^T, which serves as M^1/2
            free = np.linalg.solve(M, Q)
            force = root @ np.linalg.pinv(A @ np.linalg.inv(root).T) @ (b - A @ free) if m else np.zeros(n)
            return free + np.linalg.solve(M, force), force, A
        stacked = np.vstack([(np.eye(n) - np.linalg.pinv(A) @ A) @ M, A])
        if rank(stacked) < n:
            raise singular(self.derivation, f"{n} accelerations, of which M and the rows determine fewer at this state")
        a = np.linalg.pinv(stacked) @ np.concatenate([Q, b])
        return a, M @ a - Q, A

    def _solved(self, values: Mapping[str, float]) -> Solved:
        d = self.derivation
        a, force, A = self._numbers(values)
        # Q_c = -A^T lam
        lam = -np.linalg.pinv(A.T) @ force if len(A) else []
        return Solved(dict(zip(d.names, map(float, a))), dict(zip(d.row_names, map(float, lam))))


def udwadia_kalaba(model: Lagrangian) -> UdwadiaKalaba:
    """The Udwadia-Kalaba equation of a system; without rows it is M q'' = Q."""
    d = derive(model, f"equations of {model.name!r} in the form 'udwadia-kalaba'")
    n, m, s = len(d.names), len(d.lam), d.symbols
    a = d.fresh([f"a_{x}" for x in d.names])
    forces = d.fresh([f"Q_c_{x}" for x in d.names])
    free = tuple(Equation(tuple(d.M[k, :]), d.rhs[k], tuple(a)) for k in range(n))
    rows = tuple(Equation(tuple(d.J[r, :]), d.gamma[r], tuple(s.a)) for r in range(m))
    pushed = [forces[k] if m else sp.S.Zero for k in range(n)]
    lines = tuple(Equation(tuple(d.M[k, :]), d.rhs[k] + pushed[k], tuple(s.a)) for k in range(n))
    Q_c = _force(d) if m else None
    written = () if Q_c is None else tuple(line(x, y) for x, y in zip(forces, Q_c))
    remark = "" if Q_c is not None else "; in numbers by .constraint_force(state), as its formula would fill pages"
    sheet = Sheet(head(d, "Udwadia-Kalaba equation"), (
        Section("$M a = Q$: accelerations without the rows", free if m else ()),
        Section("$A q'' = b$: the rows", rows),
        Section(f"$Q_c = M^1/2 (A M^-1/2)^+ (b - A a)$: force of the rows{remark}", written, ("$q'' = a + M^-1/2 (A M^-1/2)^+ (b - A a)$",) if m else ()),
        Section("$M q'' = Q + Q_c$" if m else "$M q'' = Q$", lines),
        constraint_section(d, named=False),
    ))  # fmt: skip
    return UdwadiaKalaba(d, sheet, lines, Q_c)


def _force(d: Derivation) -> Any:
    """A^T (A M^-1 A^T)^-1 (b - A M^-1 Q), where it can be read; None else."""
    if len(d.lam) > 2 or not invertible(d):
        return None
    back = inverse(d.M, set(d.symbols.state))
    if back is None or _operations(back) > READABLE:
        return None
    middle = tidied(d.J * back * d.J.T)
    if _operations(middle) > READABLE:
        return None
    size, turned = tidy(middle.det()), middle.adjugate()
    if is_zero(size):
        return None
    made = tidied(tidied(d.J.T * turned) * (d.gamma - d.J * back * d.rhs))
    made = made.applyfunc(lambda x: tidy(x / size))
    return made if _operations(made) <= READABLE else None


def _operations(m: Any) -> int:
    return sum(x.count_ops() for x in m)
