"""The contact problem at an instant: forces, or impulses, of contacts, stops and dry friction that act together.

    w = b + A p          lam = lam0 + L p          n: along a gap,  T: along what slips

    gap         p_n >= least,   w_n >= 0,   (p_n - least) w_n = 0
    friction    |p_T| <= r;   w_T != 0 => p_T = -r w_T/|w_T|          r = mu p_n (gap),   mu sum |N lam| (joint),   F (constant)

What sticks holds with the static size, what slips has the kinetic one; what slips already has a direction e of its own, p_T = -r e whatever w_T is.  A rough contact has mu = inf.
A is the common mobility of the rows, symmetric and positive semidefinite.

Sweeps with a semismooth Newton method tell which gaps are open and what sticks or slips (`kernels/impulses.py`, the same as in time steps); from nothing first, then from where all
hold, then along coefficients of friction that grow from 0, where the problem is convex.  The mode that they find is solved exactly, by Newton's method on

    w = 0 in the rows that are held,      g = r(p) for the sizes of what slips,      e = w_T/|w_T|

with the smallest forces, or, where these leave their cones, those nearest to what the sweeps have found; then every line above is checked.  Where g = r(p) has several solutions that one
is taken which goes on from small coefficients: det (d(g - r)/dg) > 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..kernels.impulses import dense_problem, solve_dense

OPEN, STICK, SLIP = range(3)
# parts of the largest term below which a number counts as zero: of forces and rates, and of what is held
ROUNDING, HELD = 1e-10, 1e-9
# part of own mobilities below which one row does not move another
ALONE = 1e-14
# steps of Newton's method for a mode, the change of its last one, and the singular values that are none
STEPS, SAME, NONE = 60, 1e-13, 1e-12
# coefficients of friction on the way from 0, as parts of themselves
GROWING = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
# and how much less than all lets slip what just holds
LESS = (1e-2, 1e-4, 1e-6)


@dataclass(frozen=True)
class Element:
    """A gap with what slides there, or friction of a joint or row.

    n, T are the rows of its gap (None: none) and of what slips; mu, static the coefficients of what slips and of what holds, force, holds the same of a constant size; `pads` the components
    of each surface that presses, as rows of a matrix on the multipliers in `felt`; `least` the least force along the gap; `slides` the unit direction in which it slips already.
    """

    n: int | None
    T: tuple[int, ...] = ()
    mu: float = 0.0
    static: float = 0.0
    least: float = 0.0
    slides: np.ndarray | None = None
    force: float = 0.0
    holds: float = 0.0
    pads: tuple[np.ndarray, ...] = ()
    felt: tuple[int, ...] = ()
    name: str = ""

    @property
    def sizes(self) -> tuple[float, float]:
        """Coefficient and constant size: of what slips already, or what holds."""
        return (self.mu, self.force) if self.slides is not None else (self.static, self.holds)


@dataclass
class Answer:
    """Forces p, what becomes of the rows w, and for every element whether it is open, sticks or slips, and which way."""

    p: np.ndarray
    w: np.ndarray
    modes: list[int]
    ways: list[np.ndarray]


class Contacts:
    """Elements with their mobility, and what presses in joints."""

    def __init__(self, A: np.ndarray, b: np.ndarray, elements: Sequence[Element], lam0: np.ndarray | None = None, L: np.ndarray | None = None) -> None:  # fmt: skip
        self.A, self.b, self.elements, m = A, b, list(elements), len(b)
        L = np.zeros((0, m)) if L is None else L
        # own mobilities; rounding where nothing along a row moves it
        self.diagonal = np.maximum(np.diag(A), 1e-14 * float(np.max(np.diag(A), initial=0.0)) or 1.0)
        lam0 = np.zeros(len(L)) if lam0 is None else lam0
        self.lam0, self.L = lam0, L
        # of every pad of an element: its components without p, and their derivatives
        self.pads = [[(pad @ lam0[list(c.felt)], pad @ L[list(c.felt)]) for pad in c.pads] for c in self.elements]

    def limit(self, k: int, p: np.ndarray) -> float:
        """Size r of an element at forces."""
        c = self.elements[k]
        mu, size = c.sizes
        pressing = float(p[c.n]) if c.n is not None else sum(float(np.linalg.norm(x + D @ p)) for x, D in self.pads[k])
        return size + (mu * pressing if pressing > 0.0 else 0.0)

    def terms(self, p: np.ndarray) -> np.ndarray:
        """Sizes of what w is made of."""
        return np.asarray(np.abs(self.b) + np.abs(self.A) @ np.abs(p))


def solve(problem: Contacts) -> Answer | None:
    """The forces; None where none were found."""
    every = problem.elements
    while True:
        found = _solved(problem)
        # what begins to slip does so with less than what held it, or sticks all the same
        weaker = [
            k for k, c in enumerate(problem.elements)
            if found is not None and found.modes[k] == SLIP and c.slides is None and (c.mu < c.static or c.force < c.holds)
        ]  # fmt: skip
        if not weaker:
            problem.elements = every
            return found
        problem.elements = [
            replace(c, static=c.mu, holds=c.force) if k in weaker else c for k, c in enumerate(problem.elements)
        ]


def _solved(x: Contacts) -> Answer | None:
    """Elements that do not move each other are problems of their own."""
    groups = _groups(x)
    if len(groups) < 2:
        return _connected(x)
    none = np.zeros(0)
    found = Answer(np.zeros(len(x.b)), x.b.copy(), [OPEN] * len(x.elements), [none] * len(x.elements))
    for some in groups:
        rows = [r for k in some for r in _rows(x.elements[k])]
        place = {r: n for n, r in enumerate(rows)}
        own = [
            replace(c, n=None if c.n is None else place[c.n], T=tuple(place[r] for r in c.T))
            for c in (x.elements[k] for k in some)
        ]
        part = _connected(Contacts(x.A[np.ix_(rows, rows)], x.b[rows], own, x.lam0, x.L[:, rows]))
        if part is None:
            return None
        found.p[rows], found.w[rows] = part.p, part.w
        for k, mode, way in zip(some, part.modes, part.ways):
            found.modes[k], found.ways[k] = mode, way
    return found


def _rows(c: Element) -> tuple[int, ...]:
    """Rows of an element."""
    return c.T if c.n is None else (c.n, *c.T)


def _groups(x: Contacts) -> list[list[int]]:
    """Numbers of elements that are coupled, by their mobility or by what presses in joints."""
    unit = np.sqrt(x.diagonal)
    coupled = np.abs(x.A) > ALONE * np.outer(unit, unit)
    for c, pads in zip(x.elements, x.pads):
        for _, D in pads:
            pressing = np.max(np.abs(D), axis=0, initial=0.0) > ALONE * np.max(np.abs(D), initial=0.0)
            coupled[np.ix_(np.array(c.T, dtype=int), np.flatnonzero(pressing))] = True
    owner = {r: k for k, c in enumerate(x.elements) for r in _rows(c)}
    near = [np.flatnonzero(one).tolist() for one in coupled | coupled.T]
    beside = [{owner[s] for r in _rows(c) for s in near[r]} for c in x.elements]
    left, found = set(range(len(x.elements))), list[list[int]]()
    while left:
        some, edge = set[int](), {min(left)}
        while edge:
            some |= edge
            edge = set().union(*(beside[k] for k in edge)) - some
        found.append(sorted(some))
        left -= some
    return found


def _connected(x: Contacts) -> Answer | None:
    if not np.any(x.b) and not any(c.least or c.slides is not None for c in x.elements):
        none = [np.zeros(len(c.T)) for c in x.elements]
        return Answer(np.zeros(len(x.b)), x.b.copy(), [OPEN if c.n is not None else STICK for c in x.elements], none)
    for p in _found(x):
        if np.all(np.isfinite(p)):
            modes, ways = _modes(x, p)
            # of forces that are not unique the smallest, where these are in their cones too
            for start in [np.zeros(len(p)), p] if not any(c.least for c in x.elements) else [p]:
                made = _exactly(x, start, modes, ways)
                if made is not None:
                    return made
    return None


def _found(x: Contacts) -> Iterator[np.ndarray]:
    """Forces as sweeps and Newton's method find them, from several beginnings."""
    kernel = _Kernel(x)
    # friction that slips alone may set something in motion
    along = kernel.least.copy()
    for k, c in enumerate(x.elements):
        along[list(c.T)] = x.limit(k, along) if c.slides is not None else 0.0
    scale = float(np.max(x.terms(along), initial=0.0)) or 1.0
    yield kernel.solved(kernel.least, scale)
    yield kernel.solved(np.linalg.lstsq(x.A, -x.b, rcond=NONE)[0], scale)
    p = kernel.least
    for part in GROWING:
        p = kernel.solved(p, scale, part)
        if not np.all(np.isfinite(p)):
            return
    yield p
    # with a little less friction all slips that just holds: on to where it rests, in shares that are inside the cones
    tangents, rest = [r for c in x.elements if c.slides is None for r in c.T], 1.0
    for less in LESS:
        some = [kernel.solved(p, scale, rest * part) for part in (1.0 - less, 1.0 - 2.0 * less)]
        slow, fast = (float(np.linalg.norm((x.A @ p + x.b)[tangents])) for p in some)
        if not 0.0 < slow < fast < math.inf:
            return
        further = slow / (fast - slow)
        p, rest = some[0] + (some[0] - some[1]) * further, rest * (1.0 + less * (further - 1.0))
        yield p


class _Kernel:
    """The arrays of `kernels/impulses.py`: rows of an element stand together."""

    def __init__(self, x: Contacts) -> None:
        m, n, some = len(x.b), len(x.elements), x.elements
        rows = [[*([] if c.n is None else [c.n]), *c.T] for c in some]
        self.order = order = [r for own in rows for r in own]
        A, k = x.A[np.ix_(order, order)], len(order)
        self.m, pads = m, [pad for own in x.pads for pad in own]
        component0 = np.cumsum([0, *(len(value) for value, _ in pads)]).astype(np.int64)
        press = np.zeros((component0[-1], 1 + k))
        for (value, slope), o in zip(pads, component0):
            press[o : o + len(value), 0], press[o : o + len(value), 1:] = value, slope[:, order]
        first = np.cumsum([0, *map(len, rows)])[:n]
        pad0 = np.cumsum([0, *map(len, x.pads)])
        self.mu, self.force = np.array([c.sizes for c in some]).T.copy()
        made = self.x = dense_problem(n, k, len(press))
        made.first[:], made.pad[:, 0], made.pad[:, 1] = first, pad0[:-1], pad0[1:]
        for i, (c, o) in enumerate(zip(some, first)):
            made.normal[i], made.tangents[i], made.slides[i] = c.n is not None, len(c.T), c.slides is not None
            if c.n is not None:
                made.least[o] = c.least
            if c.slides is not None:
                o += c.n is not None
                made.along[o : o + len(c.T)] = c.slides
        made.response[:], made.free[:], made.diagonal[:] = A.T, x.b[order], x.diagonal[order]
        # the kernel counts pads, and reads where their components begin
        self.x = made._replace(component0=component0, press=press)
        self.least = np.zeros(m)
        self.least[order] = made.least

    def solved(self, start: np.ndarray, scale: float, part: float = 1.0) -> np.ndarray:
        """Forces from those at hand, with this part of the friction."""
        # a rough contact is one of a large coefficient on the way
        grown = part / (1.0 - part) if part < 1.0 else math.inf
        self.x.mu[:] = np.where(np.isinf(self.mu), grown, part * np.where(np.isinf(self.mu), 0.0, self.mu))
        self.x.force[:] = part * self.force
        self.x.p[:] = start[self.order]
        solve_dense(self.x, scale)
        p = np.zeros(self.m)
        p[self.order] = self.x.p
        return p


def _modes(x: Contacts, p: np.ndarray) -> tuple[list[int], list[np.ndarray]]:
    """What forces that were found say of every element."""
    modes, ways, w = [], [], x.A @ p + x.b
    for k, c in enumerate(x.elements):
        T = list(c.T)
        mode, way = STICK, np.zeros(len(T))
        if c.n is not None:
            acts = p[c.n] - c.least > w[c.n] / x.diagonal[c.n] or c.least > 0.0
            mode = STICK if acts else OPEN
        if mode == STICK and c.slides is not None:
            mode, way = SLIP, c.slides
        elif mode == STICK and T and c.static < math.inf:
            push = p[T] - w[T] / float(np.sum(x.diagonal[T]))
            size = float(np.linalg.norm(push))
            if size > x.limit(k, p) * (1.0 + HELD):
                mode, way = SLIP, -push / size
        modes.append(mode)
        ways.append(way)
    return modes, ways


def _exactly(x: Contacts, start: np.ndarray, modes: Sequence[int], ways: Sequence[np.ndarray]) -> Answer | None:
    """The forces of a mode, nearest to `start`; None where a line does not hold.  The way of what begins to slip is that of w_T."""
    ways, held, fixed = list(ways), list[int](), np.zeros(len(x.b))
    given, solved = list[int](), list[int]()
    for k, (c, mode) in enumerate(zip(x.elements, modes)):
        if mode == OPEN:
            continue
        if c.n is not None:
            # an impulse of expansion is given; it grows where the gap would close
            if c.least == 0.0 or start[c.n] > c.least * (1.0 + 1e-12):
                held.append(c.n)
            else:
                fixed[c.n] = c.least
        if mode == STICK:
            held += c.T
        elif c.T:
            # of a size that is proportional to one force, in a direction that is known; or found by Newton's method
            turns = c.slides is None and len(c.T) > 1
            (solved if turns or x.pads[k] else given).append(k)
    p = fixed.copy()
    slipping = [r for k in solved for r in x.elements[k].T]
    p[held + slipping] = start[held + slipping]
    for step in range(STEPS):
        before, made = p, _step(x, p, held, given, solved, ways, fixed)
        if made is None:
            return None
        p, last = made
        w = x.A @ p + x.b
        for k in solved:
            ways[k] = _way(x, k, p, w, ways[k])
        # linear equations once more against rounding
        if last and (np.max(np.abs(p - before)) <= SAME * np.max(np.abs(p)) or (not solved and step > 0)):
            break
    else:
        return None
    if held and np.max(np.abs(w[held])) > HELD * float(np.max(x.terms(fixed))):
        return None
    w[held] = 0.0
    return Answer(p, w, list(modes), ways) if _right(x, p, w, modes, ways) else None


def _way(x: Contacts, k: int, p: np.ndarray, w: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The direction in which an element slips: that of w_T, where there is one."""
    c, T = x.elements[k], list(x.elements[k].T)
    size = float(np.linalg.norm(w[T]))
    turns = c.slides is None and len(T) > 1 and size > ROUNDING * float(np.max(x.terms(p)[T]))
    return w[T] / size if turns else before


def _step(
    x: Contacts, p: np.ndarray, held: list[int], given: list[int], solved: list[int], ways: Sequence[np.ndarray], fixed: np.ndarray
) -> tuple[np.ndarray, bool] | None:  # fmt: skip
    """One step of Newton's method, and whether it began near a solution; None at one that small coefficients of friction do not lead to."""
    m, n, unknown = len(p), len(held), held + [r for k in solved for r in x.elements[k].T]
    columns, own, place = np.zeros((m, len(unknown))), fixed.copy(), {r: i for i, r in enumerate(unknown)}
    columns[unknown, range(len(unknown))] = 1.0
    for k in given:
        c, T, (mu, force) = x.elements[k], list(x.elements[k].T), x.elements[k].sizes
        if c.n in place:
            columns[T, place[c.n]] = -mu * ways[k]
        own[T] = -(mu * fixed[c.n] if c.n is not None else force) * ways[k]
    p = own + columns @ p[unknown]
    w, unit = x.A @ p + x.b, float(np.max(np.abs(np.diag(x.A)), initial=0.0)) or 1.0
    left, matrix = w[unknown], x.A[unknown] @ columns
    for k in solved:
        # p_T + r(p) e(w_T) = 0
        c, T, slope = x.elements[k], list(x.elements[k].T), np.zeros(m)
        at, e, size = [place[r] for r in T], _way(x, k, p, w, ways[k]), x.limit(k, p)
        if c.n is not None:
            slope[c.n] = c.sizes[0]
        for value, D in x.pads[k]:
            N = value + D @ p
            slope += c.sizes[0] * (N / (float(np.linalg.norm(N)) or 1.0)) @ D
        turning = np.zeros((len(T), m))
        if c.slides is None and len(T) > 1 and (speed := float(np.linalg.norm(w[T]))) > 0.0:
            turning = size / speed * (np.eye(len(T)) - np.outer(e, e)) @ x.A[T]
        left[at] = unit * (p[T] + size * e)
        matrix[at] = unit * (np.eye(m)[T] + np.outer(e, slope) + turning) @ columns
    z = np.linalg.lstsq(matrix, left, rcond=NONE)[0]
    near = bool(np.max(np.abs(left), initial=0.0) <= HELD * float(np.max(x.terms(p))))
    if near and any(x.pads[k] for k in solved):
        inner = matrix[n:, n:] - matrix[n:, :n] @ np.linalg.pinv(matrix[:n, :n], rcond=NONE) @ matrix[:n, n:]
        if not np.linalg.det(inner / unit) > 0.0:
            return None
    made = p - columns @ z
    return (made, near or not solved) if np.all(np.isfinite(made)) else None


def _right(x: Contacts, p: np.ndarray, w: np.ndarray, modes: Sequence[int], ways: Sequence[np.ndarray]) -> bool:
    """Return True if every line of the problem holds."""
    force, size = ROUNDING * float(np.max(np.abs(p), initial=0.0)), ROUNDING * x.terms(0.0 * p)
    size = size + ROUNDING * max((c.least for c in x.elements), default=0.0) * np.max(np.abs(x.A), axis=1, initial=0.0)
    small = float(np.max(size, initial=0.0))
    for k, (c, mode, way) in enumerate(zip(x.elements, modes, ways)):
        T = list(c.T)
        if c.n is not None and (p[c.n] < c.least - force or w[c.n] < -small):
            return False
        if mode == STICK and T and np.linalg.norm(p[T]) > x.limit(k, p) + force:
            return False
        if mode == SLIP and c.slides is None and w[T] @ way < -small:
            return False
    return True
