"""Pfaffian rows A(q, t) q' = b(q, t) as 1-forms a.dq - b dt, and what can be computed of them at random points.

Time is a coordinate like the others, so that a row is one form w = a.dq - b dt on the space of (q, t), and motions are curves with
t' = 1.  Velocities that the rows allow are spanned by fields X_1, X_2, ... without a time component and, where the rows contain time or
a right side, the drift X_0 with t' = 1.  A function f(q, t) is an integral of the rows if df is a combination of them: X_i f = 0 for all
i, hence also for all brackets [X_i, X_j], [X_i, [X_j, X_k]], ...  Their span, the involutive closure, therefore decides: there are as
many integrals as it lacks dimensions (Frobenius).

Here with numbers: brackets at a point by nested nilpotent parts (`nested`), exact up to round-off, without formulas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import AssemblyError
from ..model.expression import Expr
from ..model.expression.derivative import ZERO, derivative
from .nested import Array, Program, extended, halves, solved

# numbers kept of fields that were evaluated
LARGEST_MEMORY = 20_000_000


@dataclass(frozen=True)
class Row:
    """A row as a form: coefficients of dq and of dt; `position` is the expression whose differential a holonomic row is."""

    name: str
    given: Expr
    coefficients: tuple[Expr, ...]
    position: Expr | None = None


@dataclass(frozen=True)
class Pfaffian:
    """Rows of a system of coordinates q."""

    name: str  # name, q, parameters: name of the system, names of the coordinates, values of the parameters
    q: tuple[str, ...]
    rows: tuple[Row, ...]  # the rows, holonomic ones first
    parameters: Mapping[str, float]
    near: tuple[float, ...]  # values of the coordinates near which random points are taken

    @cached_property
    def rheonomic(self) -> bool:
        """Whether rows contain time or a right side."""
        return any(
            row.coefficients[-1] != ZERO or any("t" in a.names for a in row.coefficients[:-1]) for row in self.rows
        )

    @property
    def variables(self) -> tuple[str, ...]:
        """Coordinates and time."""
        return (*self.q, "t")

    @property
    def asked(self) -> str:
        """How messages name what was asked."""
        return f"classify({self.name!r})"


def forms_of(q: Sequence[str], holonomic: Mapping[str, Expr], nonholonomic: Mapping[str, Expr]) -> tuple[Row, ...]:
    """Rows as forms.  A holonomic row P = 0 is its differential; a rate row a.q' - b = 0 has the coefficients (a, -b)."""
    rows = [
        Row(name, given, tuple(derivative(given, x) for x in (*q, "t")), given) for name, given in holonomic.items()
    ]
    still = {f"rate({x})": 0.0 for x in q}
    for name, given in nonholonomic.items():
        slopes = [derivative(given, f"rate({x})") for x in q]
        rows.append(Row(name, given, (*slopes, given.substitute(still).simplify())))
    return tuple(rows)


# ---- numbers at points -----------------------------------------------------------------------------------------------


class Numbers:
    """Forms, points and brackets of a system in floating point."""

    def __init__(self, system: Pfaffian) -> None:
        self.system = system
        self._filled = [
            (i, j, a) for i, row in enumerate(system.rows) for j, a in enumerate(row.coefficients) if a != ZERO
        ]
        self._program = Program(a for _, _, a in self._filled)
        self._positions = Program(row.position for row in system.rows if row.position is not None)
        self._known: dict[tuple[Any, ...], Array] = {}
        self._n_positions = sum(row.position is not None for row in system.rows)

    def forms(self, point: Array) -> Array:
        """Coefficients (row, variable, ...) of all forms; `point` is (variable, ..., coefficient)."""
        values = self._values(point)
        made = np.zeros((len(self.system.rows), *point.shape))
        for (i, j, _), x in zip(self._filled, self._program(values, point.shape[-1])):
            made[i, j] = x
        return made

    def positions(self, point: Array) -> Array:
        """Values of the holonomic rows at a point."""
        return np.array([x[0] for x in self._positions(self._values(point[:, None]), 1)])

    def _values(self, point: Array) -> dict[str, Array]:
        values = dict(zip(self.system.variables, point))
        for name, value in self.system.parameters.items():
            values[name] = np.zeros(point.shape[-1])
            values[name][0] = value
        return values

    def slopes(self, point: Array) -> tuple[Array, Array]:
        """Coefficients w_j of all forms at a point, and their slopes dw_j/dx_i as (row, i, j)."""
        n = len(point)
        many = np.zeros((n, n, 2))  # variable, direction, coefficient
        many[:, :, 0] = point[:, None]
        many[:, :, 1] = np.eye(n)
        made = self.forms(many)
        return made[:, :, 0, 0], np.moveaxis(made[..., 1], 1, 2)

    # -- points ----------------------------------------------------------------------------------------------------------

    def point(self, rng: np.random.Generator, held: bool = True) -> Array:
        """Random point where all coefficients have values; with `held`, one that satisfies the holonomic rows."""
        near = np.array([*self.system.near, 0.7])
        found, why = "", ""
        for trial in range(60):
            # some formulas have values for positive coordinates only
            low = -1.0 if trial % 3 < 2 else 0.05
            point = near + rng.uniform(low, 1.0, len(near)) * (1.0 if trial % 2 else 0.6)
            if held and self._n_positions:
                closed, worst = self._closed(point)
                if closed is None:
                    found = f"no position near {self._told(point)} satisfies all holonomic rows; {worst!r} stays open"
                    why = "the rows contradict each other, or hold far from there only"
                    continue
                point = closed
            without = np.flatnonzero(~np.all(np.isfinite(self.slopes(point)[1]), axis=(1, 2)))
            if not len(without):
                return point
            row = self.system.rows[int(without[0])]
            found = f"row {row.name!r}: {row.given} = 0, at {self._told(point)}"
            why = "a coefficient or its slope has no finite value there, nor at 59 other random positions"
        raise AssemblyError(
            self.system.asked, found,
            why, "correct the formulas, or give a start near which they hold: m.start('x', 0.5)",
        )  # fmt: skip

    def _told(self, point: Array) -> str:
        return ", ".join(f"{name} = {x:.3g}" for name, x in zip(self.system.variables, point))

    def _closed(self, point: Array) -> tuple[Array | None, str]:
        """Nearest position that satisfies the holonomic rows, time held, by Gauss–Newton; None, and the worst row, where there is none."""
        n = len(self.system.q)
        point = point.copy()
        worst = 0
        for _ in range(40):
            value = self.positions(point)
            jac = self.forms(point[:, None])[: self._n_positions, :n, 0]
            if not np.all(np.isfinite(value)) or not np.all(np.isfinite(jac)):
                break
            worst = int(np.argmax(np.abs(value)))
            step = np.linalg.lstsq(jac, value, rcond=1e-12)[0]
            length = float(np.linalg.norm(step))
            point[:n] -= step / max(1.0, length)
            # rounding is reached when a step is at the last digits
            if length <= 1e-14 * (1.0 + float(np.linalg.norm(point))):
                if np.max(np.abs(self.positions(point))) <= 1e-10 * (1.0 + np.max(np.abs(jac))):
                    return point, ""
                break
        return None, self.system.rows[worst].name

    # -- fields ----------------------------------------------------------------------------------------------------------

    def fields(self, pivots: Sequence[tuple[int, int]], point: Array) -> Array:
        """Fields that the kept rows allow: one for each free coordinate, the drift last where there is time; (field, variable, ...)."""
        key = (tuple(pivots), point.tobytes())
        if key in self._known:  # brackets of many pairs of fields need the same derivatives
            return self._known[key]
        n, size = len(self.system.q), point.shape[-1]
        held = {column for _, column in pivots}
        free = [j for j in range(n) if j not in held]
        columns = free + [n] * self.system.rheonomic
        made = np.zeros((len(columns), n + 1, size))
        for k, j in enumerate(columns):
            made[k, j, 0] = 1.0
        if pivots:
            rows, dependent = [i for i, _ in pivots], [j for _, j in pivots]
            forms = self.forms(point)[rows]
            share = solved(forms[:, dependent], -forms[:, columns])  # w(X) = 0
            made[:, dependent] = np.moveaxis(share, 0, 1)
        if (len(self._known) + 1) * made.size > LARGEST_MEMORY:
            self._known.clear()
        self._known[key] = made
        return made

    def bracket(self, pivots: Sequence[tuple[int, int]], word: tuple[int, ...], point: Array) -> Array:
        """[X_i, [X_j, ... X_k]] at a point."""
        if len(word) == 1:
            return self.fields(pivots, point)[word[0]]
        along_x, along_z, _ = self.bracket_parts(pivots, word, point)
        return along_x - along_z

    def bracket_parts(
        self, pivots: Sequence[tuple[int, int]], word: tuple[int, ...], point: Array
    ) -> tuple[Array, Array, Array]:
        """The two parts of [X, Z] = (dZ/dx) X - (dX/dx) Z, and Z."""
        first = self.fields(pivots, point)[word[0]]
        z, along_x = halves(self.bracket(pivots, word[1:], extended(point, first)))
        _, along_z = halves(self.fields(pivots, extended(point, z))[word[0]])
        return along_x, along_z, z
