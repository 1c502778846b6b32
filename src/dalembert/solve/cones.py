"""Contacts with Coulomb friction that act together: forces, or impulses, in their cones.

    w = A p + b          n: along the gap,  T: along what slides

    p_n >= least_n,   w_n >= 0,   (p_n - least_n) w_n = 0
    |p_T| <= static p_n;   where w_T is not 0:   p_T = -mu p_n w_T/|w_T|

Of forces w are second rates, and a contact that slides already has a direction of its own, p_T = -mu p_n d; of impulses w are the rates after the blow.  A is
symmetric and positive semidefinite, least >= 0 (the impulse of expansion that Poisson's hypothesis asks for).

Sweeps over the contacts, each solved with the others as they are (Gauss-Seidel), tell which of them are open, stick or slip; with that known the equations are
linear, and are solved as closely as numbers allow, starting from what the sweeps found: of forces that are not unique these stay in their cones.  What comes out is
checked against every line above.  In the plane, where sweeps do not end, all choices are tried for a few contacts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

# sweeps in all, and between two looks at which contacts slip
SWEEPS, LOOK = 4000, 20
# parts of the largest term below which a number counts as zero
ROUNDING = 1e-10
# contacts for which all choices are tried: 4^4 small systems of equations
TRIED = 4
OPEN, STICK, SLIP = range(3)
# coefficient of friction of what never slips, among others with friction
ROUGH = 1e9


@dataclass(frozen=True)
class Touch:
    """A contact: rows of its gap and of what slides, coefficients, the least impulse, and the unit direction in which it slides already.

    Without rows of what slides it is smooth; with mu = inf it never slips.
    """

    n: int
    T: tuple[int, ...] = ()
    mu: float = 0.0
    static: float = 0.0
    least: float = 0.0
    slides: np.ndarray | None = None


@dataclass
class Answer:
    """Forces or impulses p, what becomes of the rows w, and for every contact whether it is open, sticks or slips, and which way."""

    p: np.ndarray
    w: np.ndarray
    modes: list[int]
    ways: list[np.ndarray]


def in_cones(A: np.ndarray, b: np.ndarray, contacts: Sequence[Touch]) -> Answer | None:
    """The forces; None if there are none."""
    found = _solved(A, b, contacts)
    for _ in range(len(contacts)):
        # what begins to slip does so with less than what held it
        weaker = [
            k for k, c in enumerate(contacts)
            if found is not None and found.modes[k] == SLIP and c.slides is None and c.mu < c.static
        ]  # fmt: skip
        if found is None or not weaker:
            break
        contacts = [replace(c, slides=found.ways[k]) if k in weaker else c for k, c in enumerate(contacts)]
        found = _solved(A, b, contacts)
        if found is not None and any(
            found.w[list(contacts[k].T)] @ contacts[k].slides < -_small(_terms(A, b, contacts)) for k in weaker
        ):
            return None
    return found


def together(A: np.ndarray, b: np.ndarray, contacts: Sequence[Touch], groups: Sequence[Sequence[int]]) -> Answer | None:
    """The same where the contacts of a group stick all, or slide all with one w_T against mu times the sum of what presses; None if they do not.

    Of such contacts only the sum of what presses and its moments are determined: |sum p_T| <= static sum p_n is asked of all of a group.
    """
    small, ways = _small(_terms(A, b, contacts)), dict[int, np.ndarray]()
    for _ in range(60):
        some = list(contacts)
        for g, group in enumerate(groups):
            for k in group:
                some[k] = replace(some[k], slides=ways[g]) if g in ways else replace(some[k], mu=ROUGH, static=ROUGH)
        found, turned = in_cones(A, b, some), 0.0
        if found is None:
            return None
        for g, group in enumerate(groups):
            each = np.array([found.w[list(contacts[k].T)] for k in group])
            force = np.sum([found.p[list(contacts[k].T)] for k in group], axis=0)
            size, limit = float(np.linalg.norm(force)), sum(contacts[k].static * found.p[contacts[k].n] for k in group)
            if g not in ways:
                if size > limit * (1.0 + ROUNDING) + _small(found.p):
                    ways[g], turned = -force / size, 1.0
                continue
            speed = float(np.linalg.norm(each[0]))
            if np.max(np.abs(each - each[0])) > small or each[0] @ ways[g] < -small:
                return None
            if speed > small:
                turned = max(turned, float(np.linalg.norm(each[0] / speed - ways[g])))
                ways[g] = each[0] / speed
        if turned < 1e-12:
            return found
    return None


def _small(x: np.ndarray) -> float:
    return ROUNDING * float(np.max(np.abs(x), initial=0.0))


def _terms(A: np.ndarray, b: np.ndarray, contacts: Sequence[Touch]) -> np.ndarray:
    """Sizes of what w is made of."""
    least = max((c.least for c in contacts), default=0.0)
    return np.abs(b) + least * np.max(np.abs(A), axis=1, initial=0.0)


def _solved(A: np.ndarray, b: np.ndarray, contacts: Sequence[Touch]) -> Answer | None:
    p = np.zeros(len(b))
    if not np.any(b) and not any(c.least for c in contacts):
        return Answer(p, b.copy(), [OPEN] * len(contacts), [np.zeros(len(c.T)) for c in contacts])
    for k in range(SWEEPS):
        _sweep(A, b, contacts, p)
        if not np.all(np.isfinite(p)):
            break
        if k % LOOK == LOOK - 1:
            modes, ways = _modes(A, b, contacts, p)
            made = _linear(A, b, contacts, p, modes, ways)
            if made is not None:
                # of forces that are not unique the smallest, where these are in their cones too
                plain = not any(c.least for c in contacts) and _linear(A, b, contacts, 0.0 * p, modes, ways)
                return plain or made
    return _try_all(A, b, contacts)


def _sweep(A: np.ndarray, b: np.ndarray, contacts: Sequence[Touch], p: np.ndarray) -> None:
    """Each contact once, with the others as they are."""
    for c in contacts:
        T = list(c.T)
        # along the gap, with the friction that goes with it where that is known
        stiff = A[c.n, c.n] - (c.mu * float(A[c.n, T] @ c.slides) if c.slides is not None else 0.0)
        if stiff > 0.0:
            p[c.n] = max(c.least, p[c.n] - float(A[c.n] @ p + b[c.n]) / stiff)
        if c.slides is not None:
            p[T] = -c.mu * p[c.n] * c.slides
        elif T:
            p[T] = _within(c.static * p[c.n] if p[c.n] else 0.0, p[T] - (A[T] @ p + b[T]) / _size(A, T))


def _size(A: np.ndarray, T: list[int]) -> float:
    """What bounds the mobility along what slides."""
    return float(np.trace(A[np.ix_(T, T)])) or 1.0


def _within(limit: float, x: np.ndarray) -> np.ndarray:
    size = float(np.linalg.norm(x))
    return x if size <= limit else x * (limit / size)


def _modes(A: np.ndarray, b: np.ndarray, contacts: Sequence[Touch], p: np.ndarray) -> tuple[list[int], list[np.ndarray]]:  # fmt: skip
    """Which contacts are open, stick or slip, and which way these slide, as sweeps have it."""
    modes, ways = [], []
    for c in contacts:
        T = list(c.T)
        w_n, way = float(A[c.n] @ p + b[c.n]), np.zeros(len(T))
        acts = p[c.n] > c.least or w_n < 0.0 or c.least > 0.0
        mode = STICK if acts else OPEN
        if acts and c.slides is not None:
            mode, way = SLIP, c.slides
        elif acts and T:
            push = p[T] - (A[T] @ p + b[T]) / _size(A, T)
            size = float(np.linalg.norm(push))
            if size > c.static * p[c.n] * (1.0 + 1e-9):
                mode, way = SLIP, -push / size
        modes.append(mode)
        ways.append(way)
    return modes, ways


def _linear(
    A: np.ndarray, b: np.ndarray, contacts: Sequence[Touch], start: np.ndarray, modes: Sequence[int], ways: Sequence[np.ndarray],
) -> Answer | None:  # fmt: skip
    """The forces of a choice, nearest to `start`; None where it is wrong.  The way of a contact that begins to slip is that of w_T."""
    ways = list(ways)
    for _ in range(60):
        found = _forces(A, b, contacts, start, modes, ways)
        if found is None:
            return None
        p, w = found
        turned = 0.0
        for k, c in enumerate(contacts):
            if modes[k] == SLIP and c.slides is None and len(c.T) > 1:
                way = w[list(c.T)]
                size = float(np.linalg.norm(way))
                if size > _small(_terms(A, b, contacts)):
                    turned = max(turned, float(np.linalg.norm(way / size - ways[k])))
                    ways[k] = way / size
        if turned < 1e-12:
            return (
                Answer(p, w, list(modes), ways) if _right(_terms(A, b, contacts), contacts, p, w, modes, ways) else None
            )
    return None


def _forces(
    A: np.ndarray, b: np.ndarray, contacts: Sequence[Touch], start: np.ndarray, modes: Sequence[int], ways: Sequence[np.ndarray],
) -> tuple[np.ndarray, np.ndarray] | None:  # fmt: skip
    """Solve for the forces of a choice: p = E x + fixed, w = 0 in the rows that are held."""
    columns, x0, rows, fixed = [], [], [], np.zeros(len(b))
    for c, mode, way in zip(contacts, modes, ways):
        T = list(c.T)
        if mode == OPEN:
            continue
        column = np.zeros(len(b))
        column[c.n] = 1.0
        if mode == SLIP:
            column[T] = -c.mu * way
        # an impulse of expansion is given; it grows where the gap would close
        held = start[c.n] > c.least * (1.0 + 1e-12) or c.least == 0.0
        if held:
            columns.append(column)
            x0.append(start[c.n])
            rows.append(c.n)
        else:
            fixed += c.least * column
        for r in T if mode == STICK else ():
            columns.append(np.eye(len(b))[r])
            x0.append(start[r])
            rows.append(r)
    p = fixed
    if rows:
        E, x = np.array(columns).T, np.array(x0)
        left = (A @ (E @ x + fixed) + b)[rows]
        x = x - np.linalg.lstsq((A @ E)[rows], left, rcond=1e-12)[0]
        x = x - np.linalg.lstsq((A @ E)[rows], (A @ (E @ x + fixed) + b)[rows], rcond=1e-12)[0]
        p = E @ x + fixed
    w = A @ p + b
    if not np.all(np.isfinite(p)) or (rows and np.max(np.abs(w[rows])) > 1e-9 * np.max(_terms(A, b, contacts))):
        return None
    w[rows] = 0.0
    return p, w


def _right(terms: np.ndarray, contacts: Sequence[Touch], p: np.ndarray, w: np.ndarray, modes: Sequence[int], ways: Sequence[np.ndarray]) -> bool:  # fmt: skip
    """Whether every contact does what it was chosen for."""
    force, size = _small(p), _small(terms)
    for c, mode, way in zip(contacts, modes, ways):
        T = list(c.T)
        if p[c.n] < c.least - force or w[c.n] < -size:
            return False
        if mode == STICK and T and np.linalg.norm(p[T]) > c.static * p[c.n] + force:
            return False
        if mode == SLIP and c.slides is None and w[T] @ way < -size:
            return False
    return True


def _try_all(A: np.ndarray, b: np.ndarray, contacts: Sequence[Touch]) -> Answer | None:
    """Any choice that is right, those with most sticking first; in the plane only."""
    if len(contacts) > TRIED or any(len(c.T) > 1 for c in contacts):
        return None
    options = []
    for c in contacts:
        none, one = np.zeros(len(c.T)), np.ones(len(c.T))
        slips = [(SLIP, one), (SLIP, -one)] if c.T else []
        options.append(
            [(SLIP, c.slides), (OPEN, none)] if c.slides is not None else [(STICK, none), *slips, (OPEN, none)]
        )
    for some in itertools.product(*options):
        modes, ways = [x[0] for x in some], [np.asarray(x[1]) for x in some]
        starts = np.array([c.least for c in contacts])
        start = np.zeros(len(b))
        start[[c.n for c in contacts]] = np.maximum(2.0 * starts, 0.0)
        for begin in (start, start / 2.0) if starts.any() else (start,):
            found = _linear(A, b, contacts, begin, modes, ways)
            if found is not None:
                return found
    return None
