"""Forces that balance a pose at rest: the one problem of contacts and friction in statics.

    J^T lam = Q + sum of g F + sum of R^T n + sum of S^T T
    n >= 0,      |T| <= F_0 + mu n + sum of |P lam|

F are loads of either sign, n pushes of contacts along the rows R of their gaps, T friction on the rows S of what slips, with a limit that is known (F_0), or mu times a push, or
felt from multipliers (P: static coefficient times what presses).  Along the free motions Z (J Z = 0) the balance is Z^T (Q + D x) = 0 for x = (F, n, T), and lam = lam0 + L x.
Its solutions x0 + N y are looked through by linear programs for the extreme of a force, for a place inside all limits, or for the smallest share of the friction that does:

* |T| <= r of several components is e.T <= r for every e; a line is added where an answer is beyond (cutting planes; Kelley, J. SIAM 8, 1960).
* |P lam| as a limit is not convex: it is replaced by d.P lam <= |P lam|, d the direction of P lam in the last answer.  What is found holds, whatever d is; the error of the limit
  is that of d squared, so that the repetition ends after a few rounds.
* The smallest share c, |T| <= c r, is a fractional program (Dinkelbach; Crouzeix, Ferland and Schaible, J. Optim. Theory Appl. 47, 1985).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...errors import ConvergenceError
from ...system.subspaces import RANK, factor, null_space, unit_rows

# part of a row that must do work along free motions, and of the largest force that may be left unbalanced or beyond a limit
DEPENDENT, ROUNDING = 1e-9, 1e-9
# rounds of one program and its lines, and the part of the largest force by which an answer may be beyond a limit
ROUNDS, MOST, EXACT = 60, 400, 1e-12
# how far answers are looked for in units of the largest force, at first, and beyond which there is no bound; rounding of a corner
NEAR, FAR, FINE = 1e3, 1e8, 1e-14
# loads of a joint that are none: this part of the largest force
NONE = 1e-8
# shares of the friction that are tried first
SHARES = (1.0, 10.0, 1e3, 1e6)


@dataclass(frozen=True)
class Grip:
    """Friction on the rows S of what slips: |T| <= known + mu n + sum of |P lam|, n the push with the number `contact`, P in `pads` on all multipliers."""

    name: str
    rows: np.ndarray
    known: float = 0.0
    contact: int = -1
    mu: float = 0.0
    pads: tuple[np.ndarray, ...] = ()


class StaticForces:
    """What may act at a pose: given forces Q on rows J, loads (columns), pushes (rows) and friction; velocities are measured in `unit`.

    `share` makes of multipliers that are not unique those that count; `least`: a force that numbers are rounding beside.
    """

    def __init__(
        self, force: np.ndarray, jac: np.ndarray, unit: np.ndarray, loads: np.ndarray | None = None, pushes: np.ndarray | None = None,
        grips: list[Grip] | None = None, rank: float = RANK, share: np.ndarray | None = None, least: float = 0.0,
    ) -> None:  # fmt: skip
        n, self.grips = len(force), grips or []
        loads = np.zeros((n, 0)) if loads is None else loads
        pushes = np.zeros((0, n)) if pushes is None else pushes
        self.loads, self.pushes = loads.shape[1], len(pushes)
        rows, length = unit_rows(jac * unit)
        f = factor(rows, rank)
        z, r = f.null if len(rows) else np.eye(n), f.rank
        force = unit * force
        known = [one.known * float(np.max(np.abs(unit * one.rows))) for one in self.grips if math.isfinite(one.known)]
        self.size = max(float(np.max(np.abs(force), initial=0.0)), *known, least) or 1.0
        # friction acts along what can slip: of a row that no free motion changes joints carry all
        columns, self._turned, self._places = [*loads.T, *pushes], list[np.ndarray](), list[slice]()
        for one in self.grips:
            moves = factor(one.rows * unit @ z, DEPENDENT, float(np.linalg.norm(one.rows * unit)) or 1.0)
            turned = moves.u[:, : moves.rank].T
            self._places.append(slice(len(columns), len(columns) + len(turned)))
            self._turned.append(turned)
            columns += list(turned @ one.rows)
        every = unit[:, None] * np.array(columns).reshape(len(columns), n).T
        width = np.linalg.norm(every, axis=0)
        reduced = z.T @ every
        works = np.linalg.norm(reduced, axis=0) > DEPENDENT * width
        # pushes along which nothing can move: joints would have to squeeze the gap
        self.idle = [k for k in range(self.pushes) if not works[self.loads + k]]
        width = np.where(works, width, 1.0)
        reduced = np.where(works, reduced, 0.0) / width
        need = -(z.T @ force)
        x = np.linalg.lstsq(reduced, need, rcond=1e-10)[0]
        self.balanced = float(np.max(np.abs(reduced @ x - need), initial=0.0)) <= ROUNDING * self.size
        self.x0, self.free = x / width, null_space(reduced, 1e-10) / width[:, None]
        self._width = width
        back = (f.u[:, :r] / f.s[:r]) @ f.vt[:r] / length[:, None] if len(rows) else np.zeros((0, n))
        back, self.shared = back if share is None else share @ back, share is not None
        self.lam0, self.L = back @ force, back @ every
        self._feel()

    def _feel(self) -> None:
        """What presses as a + B y, in units of forces of each friction."""
        self._unit = [float(np.max(self._width[place], initial=0.0)) or 1.0 for place in self._places]
        lam, moved = self.lam0 + self.L @ self.x0, self.L @ self.free
        self._pads = [[(u * p @ lam, u * p @ moved) for p in one.pads] for u, one in zip(self._unit, self.grips)]
        # lines e.T <= r of frictions
        some = [(j, t) for j, (one, t) in enumerate(zip(self.grips, self._turned)) if math.isfinite(one.known)]
        self._lines = [(j, way * e) for j, t in some for e in np.eye(len(t)) for way in (1.0, -1.0)]

    @property
    def note(self) -> str:
        """That loads are not unique, in words."""
        return ", by the smallest loads of joints that share them in any proportion" if self.shared else ""

    @property
    def certain(self) -> bool:
        """Whether limits are known: what can be at rest then stays, as accelerations a from rest do the work -a.T, which is largest at the limits, and a^T M a <= 0."""
        return all(one.contact < 0 and not one.pads and math.isfinite(one.known) for one in self.grips)

    # -- forces at an answer ---------------------------------------------------------------------------------------------

    def at(self, y: np.ndarray) -> np.ndarray:
        """All forces x."""
        return self.x0 + self.free @ y

    def friction(self, y: np.ndarray) -> list[tuple[np.ndarray, float]]:
        """Of every friction T along what slips, and the largest that it may be."""
        x, units = self.at(y), zip(self._places, self._turned, self._unit, self._limits(y))
        return [(turned.T @ x[place], limit / unit) for place, turned, unit, limit in units]

    def _limits(self, y: np.ndarray) -> list[float]:
        x = self.at(y)
        return [
            u * one.known
            + (u * one.mu * float(x[self.loads + one.contact]) if one.contact >= 0 else 0.0)
            + sum(float(np.linalg.norm(a + B @ y)) for a, B in pads)
            for one, u, pads in zip(self.grips, self._unit, self._pads)
        ]

    # -- what is asked ---------------------------------------------------------------------------------------------------

    def extremes(self, k: int, y: np.ndarray | None = None) -> tuple[float, float] | None:
        """The smallest and the largest load k that balance, infinite where there is no bound, from the sides of y; None where there are none."""
        if not self.balanced:
            return None
        gain, slack, found = self.free[k], 0.0, list[float]()
        gain = gain if self._width[k] * float(np.max(np.abs(gain), initial=0.0)) > DEPENDENT else 0.0 * gain
        for way in (-1.0, 1.0):
            made = self._program(way * gain, y, slack=slack)
            if made is None:
                inside = self._program(None, y)
                if inside is None or inside[1] < -ROUNDING:
                    return None
                y, slack = inside[0], (max(0.0, -inside[1]) + EXACT) * self.size
                made = self._program(way * gain, y, slack=slack)
                if made is None:
                    return None
            found.append(float(self.x0[k]) + way * made[1])
        return found[0], found[1]

    def load(self, k: int) -> tuple[float, float] | None:
        """The same, 0 where they are rounding."""
        none, found = EXACT * self.size / self._width[k], self.extremes(k)
        return (
            None
            if found is None
            else (found[0] if abs(found[0]) > none else 0.0, found[1] if abs(found[1]) > none else 0.0)
        )

    def around(self, k: int) -> tuple[float, float] | None:
        """The extremes of load k from the sides without friction, or where these leave out 0, from those without the load."""
        found = self.extremes(k)
        if (found is None or not found[0] <= 0.0 <= found[1]) and any(self._pads):
            row, off = self._width[k] * self.free[k], -self._width[k] * self.x0[k]
            y = row * (off / (float(row @ row) or 1.0))
            if abs(row @ y - off) <= ROUNDING * self.size:
                other = self.extremes(k, y)
                found = other if other is not None and (found is None or other[0] <= 0.0 <= other[1]) else found
        return found

    def smallest(self) -> np.ndarray | None:
        """The smallest forces of which none pulls; friction without limits.  None where there are none."""
        place = slice(self.loads, self.loads + self.pushes)
        x, rows = self._width[place] * self.x0[place], self._width[place, None] * self.free[place]
        none = ROUNDING * max(self.size, float(np.max(np.abs(x), initial=0.0)))
        y = smallest_above(rows, -x) if x.size and x.min() < -none else np.zeros(rows.shape[1])
        if not self.balanced or y is None or np.min(x + rows @ y, initial=0.0) < -none:
            return None
        found = self.at(y)
        found[place] = np.where(x + rows @ y > none, found[place], 0.0)
        return found

    def inside(self) -> tuple[float, np.ndarray]:
        """How far some forces that balance are inside of all limits at most, as a part of the largest force (negative: beyond), and these."""
        made = self._program(None, None) if self.balanced else None
        return (-math.inf, np.zeros(self.free.shape[1])) if made is None else (made[1], made[0])

    def least(self) -> tuple[float, np.ndarray]:
        """The smallest share of the friction with which forces balance, and these; infinite where none do."""
        made = None
        for share in SHARES if self.balanced else ():
            made = self._program(None, None, share)
            if made is not None and made[1] >= -ROUNDING:
                break
        else:
            return math.inf, np.zeros(self.free.shape[1])
        assert made is not None
        y = made[0]
        for _ in range(ROUNDS):
            share = self.used(y)
            made = self._program(None, y, share, self._limits(y), slack=EXACT * self.size)
            if made is None or self.used(made[0]) >= share * (1.0 - EXACT):
                break
            y = made[0]
        return self.used(y), y

    def used(self, y: np.ndarray) -> float:
        """The part of the friction that forces use; infinite where there is none to be used."""
        none, shares = ROUNDING * self.size, [0.0]
        for u, (T, limit) in zip(self._unit, self.friction(y)):
            size = float(np.linalg.norm(T))
            shares.append(size / limit if limit > 0.0 else 0.0 if u * size <= none else math.inf)
        return max(shares)

    # -- programs --------------------------------------------------------------------------------------------------------

    def _program(
        self, gain: np.ndarray | None, y: np.ndarray | None, share: float = 1.0, weights: list[float] | None = None, slack: float = 0.0
    ) -> tuple[np.ndarray, float] | None:  # fmt: skip
        """The largest gain.y, or without gain the largest t that is left to spare `weights` times in all limits; None where there is none.

        It begins at the sides of y, by default without friction that feels multipliers.  Where an answer ends at P lam = 0 of some friction it may go on beyond, on the other side.
        """
        made, more = self._on_sides(gain, self._sides(y), share, weights, slack), True
        while made is not None and math.isfinite(made[1]) and more:
            y, used, more = made[0], made[2], False
            ends = [(j, k) for j, pads in enumerate(self._pads) for k, (a, B) in enumerate(pads) if float(np.linalg.norm(a + B @ y)) <= NONE * self.size]  # fmt: skip
            for some in [*([[one] for one in ends]), ends] if len(ends) > 1 else [ends] if ends else []:
                sides = [list(one) for one in used]
                for j, k in some:
                    sides[j][k] = -used[j][k]
                other = self._on_sides(gain, sides, share, weights, slack)
                if other is not None and other[1] > made[1] + EXACT * (self.size if gain is not None else 1.0):
                    made, more = other, True
        return None if made is None else made[:2]

    def _sides(self, y: np.ndarray | None) -> list[list[np.ndarray]]:
        """Directions of all P lam; none of any size without y."""
        if y is None:
            return [[0.0 * a for a, _ in pads] for pads in self._pads]
        found = [[a + B @ y for a, B in pads] for pads in self._pads]
        return [[x / (float(np.linalg.norm(x)) or 1.0) for x in one] for one in found]

    def _on_sides(
        self, gain: np.ndarray | None, sides: list[list[np.ndarray]], share: float, weights: list[float] | None, slack: float
    ) -> tuple[np.ndarray, float, list[list[np.ndarray]]] | None:  # fmt: skip
        """The same as far as sides change steadily, and these: near, unless it is better far away."""
        made = None
        for far in (NEAR, FAR):
            near, made = made, self._within(far, gain, sides, share, weights, slack)
            if made is not None and np.max(np.abs(made[0]), initial=0.0) < 0.99 * far * self.size:
                return made
        if made is None or gain is None:
            return made if near is None or (made is not None and made[1] > near[1] + ROUNDING) else near
        if near is not None and made[1] <= near[1] + ROUNDING * self.size * float(np.max(np.abs(gain))):
            return near
        endless = made[1] > 0.01 * FAR * self.size * float(np.max(np.abs(gain)))
        return made[0], math.inf if endless else made[1], made[2]

    def _within(
        self, far: float, gain: np.ndarray | None, sides: list[list[np.ndarray]], share: float, weights: list[float] | None, slack: float
    ) -> tuple[np.ndarray, float, list[list[np.ndarray]]] | None:  # fmt: skip
        """The same where no y is beyond a number of the largest force."""
        n, free = self.free.shape[1], gain is None
        cost = np.append(np.zeros(n) if gain is None else gain / (float(np.max(np.abs(gain), initial=0.0)) or 1.0), float(free))  # fmt: skip
        box = np.vstack([np.eye(n + 1), -np.eye(n + 1)])
        ends = np.array([*[far] * n, float(free), *[far] * n, far * free])
        for _ in range(ROUNDS):
            felt, rows, limits = self._written(sides, share, weights, slack)
            rows, limits = np.vstack([box, rows]), np.append(ends, limits)
            basis = [k if x >= 0.0 else k + n + 1 for k, x in enumerate(cost)]
            while True:
                found = corner(cost, rows, limits, basis)
                if found is None:
                    return None
                y, spare = self.size * found[:n], float(found[n])
                more, beyond = self._cuts(felt, y, spare, share, weights, slack)
                if not len(more) or len(rows) > MOST:
                    break
                rows, limits = np.vstack([rows, more]), np.append(limits, beyond)
            if all(limit - (known + slope @ y) <= EXACT * max(self.size, limit) for (known, slope), limit in zip(felt, self._limits(y)) if math.isfinite(limit)):  # fmt: skip
                break
            sides = self._sides(y)
        assert found is not None
        return y, spare if gain is None else float(gain @ y), sides

    def _written(
        self, sides: list[list[np.ndarray]], share: float, weights: list[float] | None, slack: float
    ) -> tuple[list[tuple[float, np.ndarray]], np.ndarray, np.ndarray]:
        """Limits of friction as they are seen from some sides, known + slope.y; lines row.(y, t) <= limit of pushes and friction, in units of the largest force."""
        first, last, felt = self.loads, self.loads + self.pushes, list[tuple[float, np.ndarray]]()
        w = self._width[first:last]
        rows = np.column_stack([-w[:, None] * self.free[first:last], np.full(self.pushes, float(weights is None))])
        for one, u, pads, directions in zip(self.grips, self._unit, self._pads, sides):
            known, slope = u * one.known, np.zeros(self.free.shape[1])
            if one.contact >= 0:
                known, slope = known + u * one.mu * self.x0[first + one.contact], slope + u * one.mu * self.free[first + one.contact]  # fmt: skip
            for (a, B), d in zip(pads, directions):
                known, slope = known + d @ a, slope + d @ B
            felt.append((known, slope))
        made = [self._line(felt[j], j, e, share, weights, slack) for j, e in self._lines]
        rows = np.vstack([rows, *(row for row, _ in made)])
        return felt, rows, np.append((w * self.x0[first:last] + slack) / self.size, [limit for _, limit in made])

    def _line(
        self, felt: tuple[float, np.ndarray], j: int, e: np.ndarray, share: float, weights: list[float] | None, slack: float
    ) -> tuple[np.ndarray, float]:  # fmt: skip
        """e.T + weight t <= share r of a friction."""
        u, place = self._unit[j], self._places[j]
        row = np.append(u * (e @ self.free[place]) - share * felt[1], 1.0 if weights is None else weights[j] / self.size)  # fmt: skip
        return row, (share * felt[0] - u * float(e @ self.x0[place]) + slack) / self.size

    def _cuts(
        self, felt: list[tuple[float, np.ndarray]], y: np.ndarray, spare: float, share: float, weights: list[float] | None, slack: float
    ) -> tuple[list[np.ndarray], list[float]]:  # fmt: skip
        """Further lines of friction with several components that is beyond its limit."""
        rows, limits = list[np.ndarray](), list[float]()
        for j, ((known, slope), place) in enumerate(zip(felt, self._places)):
            T, limit = self._unit[j] * self.at(y)[place], known + float(slope @ y)
            size, left = float(np.linalg.norm(T)), spare * (self.size if weights is None else weights[j])
            if len(T) > 1 and size > share * limit - left + slack + EXACT * max(self.size, size):
                self._lines.append((j, T / size))
                row, end = self._line(felt[j], j, T / size, share, weights, slack)
                rows, limits = [*rows, row], [*limits, end]
        return rows, limits


def corner(cost: np.ndarray, rows: np.ndarray, limits: np.ndarray, basis: list[int]) -> np.ndarray | None:
    """The z with the largest cost.z among rows z <= limits, from a basis of rows whose multipliers are not negative, which changes: the dual simplex method."""
    for n in range(100 * len(rows)):
        on = rows[basis]
        z = np.linalg.solve(on, limits[basis])
        over = rows @ z - limits
        over[basis] = 0.0
        none = FINE * (1.0 + float(np.max(np.abs(z))))
        patient = n < 10 * len(rows)
        k = int(np.argmax(over)) if patient else int(np.argmax(over > none))  # Bland's rule ends what would go round
        if over[k] <= none:
            return z
        mu, w = np.linalg.solve(on.T, np.column_stack([cost, rows[k]])).T
        some = np.flatnonzero(w > DEPENDENT)
        if not len(some):
            return None
        ratio = np.maximum(mu[some], 0.0) / w[some]
        ties = some[ratio <= np.min(ratio) * (1.0 + FINE) + FINE]
        basis[max(ties, key=lambda j: w[j]) if patient else min(ties, key=lambda j: basis[j])] = k
    raise ConvergenceError(
        "balance of forces at rest", f"no corner of {len(rows)} limits after {100 * len(rows)} steps", "limits differ by rounding only",
        "change the pose or a coefficient a little",
    )  # fmt: skip


def smallest_above(g: np.ndarray, h: np.ndarray) -> np.ndarray | None:
    """The smallest y with G y >= h, by non-negative least squares (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23); None if there is none."""
    from scipy.optimize import nnls

    size = float(np.max(np.abs(h)))
    matrix, last = np.vstack([g.T, h / size]), np.zeros(g.shape[1] + 1)
    last[-1] = 1.0
    u, _ = nnls(matrix, last)
    r = matrix @ u - last
    return None if -r[-1] <= ROUNDING else -size * r[:-1] / r[-1]


# -- one-sided contacts alone: A x = b, x >= 0 -----------------------------------------------------------------------------


# sizes that have no bound, beside the largest
ENDLESS = 1e6


@dataclass(frozen=True)
class Combination:
    """Sizes x >= 0 that balance a load."""

    x: np.ndarray  # the smallest that do
    free: np.ndarray  # orthonormal columns: what may be added to them without effect

    def limits(self, c: np.ndarray) -> tuple[float, float]:
        """Smallest and largest value of c.x among all x >= 0 that balance the load; infinite where there is no bound."""
        value, along = float(c @ self.x), c @ self.free
        if float(np.max(np.abs(along), initial=0.0)) <= DEPENDENT * float(np.max(np.abs(c), initial=0.0)):
            return value, value
        size, n = float(np.max(np.abs(self.x), initial=0.0)) or 1.0, len(along)
        rows, ends = np.vstack([np.eye(n), -np.eye(n), -self.free]), np.append(np.full(2 * n, ENDLESS), self.x / size)
        none, found = ROUNDING * float(np.max(np.abs(c)) * np.max(np.abs(self.x), initial=0.0)), list[float]()
        for way in (-1.0, 1.0):
            z = corner(way * along, rows, ends, [k if x >= 0.0 else k + n for k, x in enumerate(way * along)])
            change = 0.0 if z is None else float(along @ z)
            beyond = way * change > 0.01 * ENDLESS * float(np.max(np.abs(along)))
            found.append(way * math.inf if beyond else value + size * change)
        return (found[0] if abs(found[0]) > none else 0.0), (found[1] if abs(found[1]) > none else 0.0)


def combination(A: np.ndarray, b: np.ndarray, scale: float) -> Combination | None:
    """Sizes x >= 0 with A x = b; None where there are none.  `scale`: what b is rounding beside."""
    allowed = ROUNDING * max(scale, float(np.linalg.norm(b)))
    if not A.shape[1]:
        return Combination(np.zeros(0), np.zeros((0, 0))) if float(np.linalg.norm(b)) <= allowed else None
    u, s, vt = np.linalg.svd(A)
    rank = int(np.sum(s > DEPENDENT * max(float(s[0]), 1e-300)))
    x, free = vt[:rank].T @ ((u.T @ b)[:rank] / s[:rank]), vt[rank:].T
    if float(np.linalg.norm(A @ x - b)) > allowed:
        return None
    none = allowed / max(float(s[0]), 1e-300) + ROUNDING * float(np.max(np.abs(x), initial=0.0))
    if free.shape[1] and x.min() < -none:
        y = smallest_above(free, -x)
        if y is None:
            return None
        x = x + free @ y
    if x.min() < -none:
        return None
    return Combination(np.where(x > none, x, 0.0), free)
