"""Pfaffian rows A(q, t) q' = b(q, t) as 1-forms a.dq - b dt, and what can be computed of them at random points.

Time is a coordinate like the others, so that a row is one form w = a.dq - b dt on the space of (q, t), and motions are curves with
t' = 1.  Velocities that the rows allow are spanned by fields X_1, X_2, ... without a time component and, where the rows contain time or
a right side, the drift X_0 with t' = 1.  A function f(q, t) is an integral of the rows if df is a combination of them: X_i f = 0 for all
i, hence also for all brackets [X_i, X_j], [X_i, [X_j, X_k]], ...  Their span, the involutive closure, therefore decides: there are as
many integrals as it lacks dimensions (Frobenius).

Here with numbers: brackets at a point by nested nilpotent parts (`nested`), exact up to round-off, without formulas.

Which rows depend on each other, and how the brackets of what they leave free grow, is the flag of the system at such points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import AssemblyError, MethodError, ModelError
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


# a direction counts as new above the first, as old below the second; between them it is unclear (round-off is near 1e-15)
NEW, OLD = 1e-7, 1e-10
# how many random points are looked at
POINTS = 3
# rows that depend on others, with these and the factors where they are constant
Dependences = tuple[tuple[int, tuple[tuple[int, float | None], ...]], ...]


@dataclass(frozen=True)
class Flag:
    """Growth of the velocities by brackets, at generic points.

    Attributes
    ----------
    growth
        Dimensions of the span of brackets up to length 1, 2, ..., without time.
    exact, alone, jointly
        For each row: a differential as written; one after multiplication by a factor; a combination of differentials of integrals
        of the whole system.
    kept
        Indices of independent rows.
    dependent
        For each row left out: its index, and the rows it is a combination of, with the factors where these are constant.
    """

    growth: tuple[int, ...]
    exact: tuple[bool, ...]
    alone: tuple[bool, ...]
    jointly: tuple[bool, ...]
    kept: tuple[int, ...]
    dependent: Dependences = ()


class UnclearError(Exception):
    """A direction is neither clearly new nor clearly old at this point."""


class Span:
    """Directions found so far, orthonormal; works for floating point and for numbers of many digits (object arrays)."""

    def __init__(self, new: Any = NEW, old: Any = OLD) -> None:
        self.basis: list[Array] = []
        self._new, self._old = new, old

    def rest(self, vectors: Array) -> Array:
        """Parts of the rows of a matrix that are outside the span; twice, against round-off."""
        if self.basis:
            basis = np.array(self.basis)
            for _ in range(2):
                vectors = vectors - (vectors @ basis.T) @ basis
        return vectors

    def take(self, vectors: Sequence[Array]) -> list[int]:
        """Add those of the vectors (of size one at most) that are new, the clearest first; returns their indices."""
        if not len(vectors):
            return []
        left = self.rest(np.array(vectors))
        taken: list[int] = []
        while len(taken) < len(vectors):
            sizes = np.sum(left * left, axis=1)
            best = int(np.argmax(sizes))
            size = sizes[best] ** 0.5
            if size <= self._new:
                if size > self._old:
                    raise UnclearError
                break
            direction = self.rest((left[best] / size)[None])[0]
            direction = direction / (direction @ direction) ** 0.5
            self.basis.append(direction)
            left = left - np.outer(left @ direction, direction)
            left[best] = left[best] * 0
            taken.append(best)
        return sorted(taken)


def unit(vector: Array, size: Any = 0.0) -> Array:
    """The vector divided by its length or by `size`, whichever is larger; zero stays zero."""
    length = (vector @ vector) ** 0.5
    length = length if length > size else size
    return vector / length if length > 0 else vector


def independent_rows(
    forms: Array, asked: str, rows: Sequence[Row], new: Any = NEW, old: Any = OLD
) -> tuple[list[int], dict[int, Array]]:
    """Indices of rows that are independent of those before them, and for the others their factors in terms of these.

    Raises
    ------
    ModelError
        Rows whose left sides depend on each other while their right sides do not: 0 = 1.
    """
    # columns in units of their largest entry, rows of unit length; a row of zeros stays
    scale = np.array([max((abs(x) for x in column), default=0) or 1 for column in forms.T])
    work = np.array([unit(row / scale) for row in forms], dtype=forms.dtype)
    kept: list[int] = []
    factors: dict[int, Array] = {}
    reduced: list[tuple[int, Array, Array]] = []  # pivot column, reduced row, and of which rows it is made
    n = forms.shape[1] - 1
    for i, row in enumerate(work):
        made = np.zeros(len(work), dtype=forms.dtype)
        made[i] = made[i] + 1
        left = row
        for column, other, share in reduced:
            factor = left[column] / other[column]
            left, made = left - factor * other, made - factor * share
        pivot = max(range(n), key=lambda j: abs(left[j])) if n else 0
        if n and abs(left[pivot]) > new:
            kept.append(i)
            reduced.append((pivot, left, made))
            continue
        if n and abs(left[pivot]) > old:
            raise UnclearError
        # the combination `made` of unit rows is zero on the left; back to the rows as given
        lengths = [((r / scale) @ (r / scale)) ** 0.5 for r in forms]
        combination = np.array([m / w if w > 0 else m * 0 for m, w in zip(made, lengths)], dtype=forms.dtype)
        own = combination[i]
        factors[i] = -combination / own if own != 0 else combination
        factors[i][i] = factors[i][i] * 0
        if abs(left[n]) > new:
            _contradict(asked, rows, i, factors[i], forms)
    return kept, factors


def _contradict(asked: str, rows: Sequence[Row], i: int, factors: Array, forms: Array) -> None:
    """Error of a row whose left side is a combination of others and whose right side is not."""
    others = [k for k in range(len(rows)) if abs(factors[k]) > 1e-9]
    rest = float(forms[i, -1] - sum(factors[k] * forms[k, -1] for k in others))
    if not others:
        found = f"{_listed([rows[i].name])}: {rows[i].given} = 0, without any rate at a general position"
        raise ModelError(
            asked, found, f"it says {rest:.4g} = 0", "write the rates it ties, or give it as a holonomic row"
        )
    names = [rows[k].name for k in (*others, i)]
    told = "; ".join(f"{rows[k].name}: {rows[k].given} = 0" for k in [*others, i])
    raise ModelError(
        asked, f"{_listed(names)} contradict each other: {told}", f"the rates cancel and {rest:.4g} = 0 is left at a general position",
        f"leave out {' or '.join(repr(x) for x in names)}, or correct the terms without rates",
    )  # fmt: skip


def _listed(names: Sequence[str]) -> str:
    return ("rows " if len(names) > 1 else "row ") + ", ".join(repr(x) for x in names)


def is_exact(slopes: Array, form: Array, tolerance: Any) -> bool:
    """LAGRANGE's test of a row as written: dw_j/dx_i symmetric, time included (d b/dq = -d a/dt)."""
    size = max(float(np.max(np.abs(slopes))), float(np.max(np.abs(form))), 1e-300)
    return bool(np.max(np.abs(slopes - slopes.T)) <= tolerance * size)


def is_integrable(slopes: Array, form: Array, tolerance: Any) -> bool:
    """Frobenius' test of one row: its curl vanishes on all pairs of velocities that the row allows."""
    length = (form @ form) ** 0.5
    if length == 0:
        return True
    w = form / length
    curl = slopes - slopes.T
    size = max(float(np.max(np.abs(slopes))), float(length))
    # P C P with P = 1 - w w^T
    part = curl - np.outer(w, w @ curl)
    part = part - np.outer(part @ w, w)
    return bool(np.max(np.abs(part)) <= tolerance * size)


def grown(
    n_free: int, drift: bool, n: int, vector: Callable[[tuple[int, ...]], Array], depth: int, span: Span, asked: str
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Dimensions of the spans of brackets of growing length, and the words of the brackets that were new.

    A bracket of length k + 1 is [X_i, Z] with Z of length k; it is enough to take those Z that were new, since at a general point all
    others are combinations of them, Z = sum f_a Z_a, and [X, f Z_a] = f [X, Z_a] + (X f) Z_a.
    """
    generators = list(range(n_free + drift))
    words: list[tuple[int, ...]] = [(k,) for k in range(n_free)]
    span.take([vector(word) for word in words])
    growth = [n_free]
    last: list[tuple[int, ...]] = [(k,) for k in generators]
    found = list(words)
    while growth[-1] < n:
        if len(growth) >= depth:
            raise MethodError(
                asked, f"after brackets of length {depth} the growth is {tuple(growth)} and has not ended",
                f"depth = {depth}, and each length costs about three times the one before", f"give depth={depth + 4} and some patience",
            )  # fmt: skip
        candidates = [(i, *z) for z in last for i in generators if len(z) > 1 or i < z[0]]
        taken = span.take([vector(word) for word in candidates])
        last = [candidates[k] for k in taken]
        found += last
        growth.append(growth[-1] + len(taken))
        if not taken:
            break
    return tuple(growth), found


def numeric_flag(system: Pfaffian, depth: int, seed: int = 0) -> Flag:
    """Classify at random points, with numbers only."""
    numbers = Numbers(system)
    rng = np.random.default_rng(seed)
    found: list[Flag] = []
    unclear = 0
    while len(found) < POINTS:
        try:
            found.append(_at(numbers, numbers.point(rng), depth))
        except UnclearError:
            unclear += 1
            if unclear > 4 * POINTS:
                raise MethodError(
                    system.asked,
                    f"no clear rank at {unclear} random positions",
                    f"directions differ by less than {NEW:g}, and by more than round-off",
                    "classify with method='symbolic', or scale coordinates and parameters towards one",
                ) from None
    # a general point has the largest dimensions
    best = max(found, key=lambda flag: flag.growth)
    every = [numbers.slopes(numbers.point(rng, held=False)) for _ in range(POINTS)]
    exact, alone = (
        tuple(all(test(slopes[i], forms[i], 1e-9) for forms, slopes in every) for i in range(len(system.rows)))
        for test in (is_exact, is_integrable)
    )
    return Flag(best.growth, exact, alone, best.jointly, best.kept, merged([f.dependent for f in found]))


def merged(many: Sequence[Dependences]) -> Dependences:
    """Dependences that were found at several points: factors that differ from point to point are not constant."""
    made = []
    for k, (row, _) in enumerate(many[0]):
        shares: list[tuple[int, float | None]] = []
        for index in sorted({i for one in many if len(one) > k for i, _ in one[k][1]}):
            values = [dict(one[k][1]).get(index, 0.0) for one in many if len(one) > k]
            first = values[0]
            same = first is not None and all(x is not None and abs(x - first) <= 1e-8 * (1 + abs(x)) for x in values)
            shares.append((index, first if same else None))
        made.append((row, tuple(shares)))
    return tuple(made)


def shares_of(factors: Mapping[int, Array]) -> Dependences:
    """Dependent rows with the rows and factors they are made of."""
    return tuple((i, tuple((k, float(x)) for k, x in enumerate(row) if abs(x) > 1e-9)) for i, row in factors.items())


def pivots_of(forms: Array, kept: Sequence[int], n: int) -> list[tuple[int, int]]:
    """Rows and the coordinates they are solved for, in the order of elimination, largest pivots first."""
    work = np.array([unit(np.array([float(x) for x in forms[i][:n]])) for i in kept]).reshape(len(kept), n)
    rows = list(kept)
    pivots: list[tuple[int, int]] = []
    for _ in range(len(kept)):
        r, c = np.unravel_index(int(np.argmax(np.abs(work))), work.shape)
        pivots.append((rows[int(r)], int(c)))
        work = work - np.outer(work[:, c] / work[r, c], work[r])
        work[r] = 0.0
    return pivots


def _at(numbers: Numbers, point: Array, depth: int) -> Flag:
    """Flag at one point; exactness is tested elsewhere."""
    system, n = numbers.system, len(numbers.system.q)
    forms = numbers.forms(point[:, None])[:, :, 0]
    kept, factors = independent_rows(forms, system.asked, system.rows)
    pivots = pivots_of(forms, kept, n)
    frame = numbers.fields(pivots, point[:, None])[:, :, 0]
    # coordinates in units of what the fields do to them
    units = np.max(np.abs(frame[:, :n]), axis=0, initial=0.0)
    # a coordinate that holonomic rows hold moves by rounding only, which must not become a unit
    largest = float(np.max(units, initial=0.0))
    units[units <= 1e-10 * largest] = largest or 1.0

    def vector(word: tuple[int, ...]) -> Array:
        if len(word) == 1:
            return unit(frame[word[0], :n] / units)
        # divided by the size of what was subtracted: zero is told from round-off
        parts = [x[:n, 0] / units for x in numbers.bracket_parts(pivots, word, point[:, None])]
        return unit(parts[0] - parts[1], max(float(np.linalg.norm(x)) for x in parts))

    span = Span()
    growth, words = grown(n - len(kept), system.rheonomic, n, vector, depth, span, system.asked)
    # a row is integrable jointly if it vanishes on the closure; the span is in scaled coordinates
    closure = [b * units for b in span.basis]
    jointly = []
    for form in forms:
        size = max(float(np.max(np.abs(form[:n] * units), initial=0.0)), 1e-300)
        jointly.append(all(abs(form[:n] @ b) <= 1e-6 * size for b in closure))
    return Flag(growth, (), (), tuple(jointly), tuple(kept), shares_of(factors))
