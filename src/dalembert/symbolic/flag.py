"""Which rows depend on each other, and how the brackets of what they leave free grow: the flag of a Pfaffian system at points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MethodError, ModelError
from .nested import Array
from .pfaffian import Numbers, Pfaffian, Row

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
