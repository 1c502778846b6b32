"""The problem behind `equilibrium`: a model of either kind, its forces and what is asked, searched and judged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ConvergenceError, MethodError, ModelError, ResidualError, SingularError
from ...kernels.outputs import TERMS
from ...model.lagrangian import Lagrangian
from ...state import State
from ..equilibrium import Equilibria, Equilibrium, lowest
from .bodies import Bodies
from .coordinates import Coordinates
from .search import Search
from .seeds import FEW, ROUNDS, SearchReport, indices, missing, report, turning
from .statics import Place, Statics, largest
from .verdict import Judge

if TYPE_CHECKING:
    from ...model.mechanism import Mechanism


# part of the scale of forces that may stay unbalanced in an equilibrium: some times that at which the search ends
BALANCED = 1e-11
# part of a stiffness below which its asymmetry is rounding
SYMMETRIC = 1e-9
# the judgement where what presses leaves no free motion
BLOCKED = ("stable", "contacts leave no motion", False, 0.0)


def begin(asked: str, model: Mechanism | Lagrangian, *given: Any, **held: Any) -> Any:
    """A model of either kind at its start: start, steady motion, time, values of parameters, the same model with other values; of a mechanism what to `hold`."""
    kind: Any = Coordinates if isinstance(model, Lagrangian) else Bodies
    return kind.begin(asked, model, *given, **held)


class Problem:
    """A model with values of its parameters and what is asked of it, ready to be searched.

    `method`: "force": without the energy, even where there is one; "energy": not without it.  `like`: the statics of the same model with other values; `hold`: measures of a mechanism that are held.
    """

    statics: Statics
    p = math.nan  # value of the parameter that is followed

    def __init__(
        self, asked: str, model: Mechanism | Lagrangian, start: State | None, method: str = "auto", spinning: Any = None, t: float = 0.0,
        values: Mapping[str, float] | None = None, like: Any = None, **held: Any,
    ) -> None:  # fmt: skip
        self.asked, self.model = asked, model
        self.statics = statics = begin(asked, model, start, spinning, t, values, like, **held)
        energy = statics.energy()
        if energy.reason and method == "energy":
            (name, reason), *others = energy.guilty()
            also = f" (and {', '.join(x for x, _ in others)})" if others else ""
            raise MethodError(
                asked,
                f"{name} is not conservative: {reason}{also}",
                "a minimum of energy needs forces with a potential",
                "use method='force' (J^T lam = Q), or replace the element",
            )
        # what is told of an equilibrium, and by what it is searched and judged
        self.energy = None if energy.reason else energy
        self.potential = None if method == "force" and not statics.derived else self.energy
        if statics.dof == 0 and not model.situation.closed:
            rows, columns = statics.rank, int(statics.active.sum())
            raise ModelError(
                asked,
                f"nothing can move{statics.moving}: {rows} independent rows for {columns} {statics.columns}",
                "a model without free motion rests wherever it is",
                "ask reactions(m) for its loads, or free a driver, joint or row",
            )
        self.search = Search(statics, self.potential)

    # -- the search ------------------------------------------------------------------------------------------------------

    def solve(self, starts: int | None, turns: float, seed: int) -> Equilibria:
        """All equilibria."""
        s, dof = self.statics, self.statics.dof
        count = starts if starts is not None else (24 if dof <= 4 else max(2, 96 // dof))
        if starts is None and s.on_rates.any():
            # conditions on velocities: wherever the model is pushed to it may rest; the place nearest to the start is meant
            count = 1
        found: list[Equilibrium] = []
        odd: list[State] = []
        places = self.search.run(count, turns, seed)
        start = self.search.start
        flips: Any = turning(s) if dof > 1 and not s.on_rates.any() else None
        smooth = self.potential is not None and self.potential.smooth
        torus = flips is not None and smooth and flips.is_torus(start)
        most = (
            8 * count if starts is not None or (flips is not None and flips.seldom) else 512 if dof <= FEW else 2 * dof
        )
        begun = turned = 0
        # every equilibrium leads to others, with one of its parts turned over: 2^n of a chain of few angles
        while True:
            if not places:
                known = None if not torus or odd or begun == ROUNDS or dof > FEW else indices(found)
                if known is None or not missing(dof, known):
                    break
                # more must exist: from other random starts
                begun += 1
                places = self.search.scatter(count, turns, seed + 7919 * begun)
                continue
            place = s.wrapped(places.pop(0))
            if not s.inside(place, start, turns) or self._known(place, found):
                continue
            made = self.judged(place, odd)
            if made is None or any(self.same(made, other) for other in found):
                continue
            found.append(made)
            if flips is None:
                continue
            self.search.place = place
            s.onto()
            for axis in flips.axes():
                over = flips.flipped(place, axis, start) if turned < most else None
                if over is None or self._known(over, found):
                    continue
                turned += 1
                self.search.place = over
                if self.search.newton():
                    places.append(self.search.place)
        if not found and not odd:
            raise self._none(count, dof)
        self.search.place = start
        if dof == 1:
            search = self._path_report(len(found))
        else:
            search = report(dof, count * (1 + begun), turned, len(found), torus and not odd, indices(found))
        made_list = Equilibria.of(self.model.name, [s.shown(e) for e in in_order(found, s, start[0])], odd, search)
        made_list.note = s.note(found)
        return made_list

    def same(self, a: Equilibrium, b: Equilibrium) -> bool:
        """Whether two are one: the same place, or places of one family, or as near to one equilibrium as rounding allows."""
        if _same(self.statics, a, b):
            return True
        flat = all(np.min(np.abs(e.eigenvalues), initial=math.inf) <= e._zero for e in (a, b))
        return flat and self.search.is_one(*((e.state.q, e.state.angles) for e in (a, b)))

    def _known(self, place: Place, found: list[Equilibrium]) -> bool:
        """Whether an equilibrium is at this very place, turns included."""
        return any(
            np.allclose(place[0], e.state.q, rtol=0.0, atol=1e-7 * self.statics.system.length)
            and (e.state.angles is None or np.allclose(place[1], e.state.angles, rtol=0.0, atol=1e-3))
            for e in found
        )

    def judged(self, place: Place, odd: list[State]) -> Equilibrium | None:
        """The equilibrium at a place; those in which no stiffness decides go to the odd ones."""
        self.search.place = place
        self.statics.onto()
        if self.statics.dof and (self.statics.fails() or singular(self.statics) or not self.search.is_smooth()):
            state = self.statics.state
            if not any(self.statics.one_pose(state.q, other.q) for other in odd):
                odd.append(state)
            return None
        made = self.here()
        self.statics.check_symmetry(self.search.scale(np.zeros((0, 0))))
        return made

    def _none(self, count: int, dof: int) -> ConvergenceError:
        left = self.search.nearest
        if dof == 1:
            number, closed = self.search.covered
            whole = (
                "on its whole path" if closed == "again" else f"on its path as far as it was followed, {self._far()}"
            )
            found = f"no equilibrium was found {whole}: the force along it keeps its sign at {number} places"
            why = "forces drive the mechanism everywhere along it"
        else:
            found = f"no equilibrium was found from {count} start{'s' * (count != 1)}"
            if math.isfinite(left):
                found += f"; the smallest unbalanced force left is {left:.3g} of the largest"
            why = "forces drive the mechanism everywhere it was tried, or it is held in positions that were not tried"
        do = "look at the forces and springs, give start= near an equilibrium, or more starts= and turns="
        return ConvergenceError(self.asked, found, why, do)

    def _far(self) -> str:
        number, closed = self.search.covered
        if closed == "turned":
            return "the turns asked for"
        return self.statics.told_far(number)

    def _path_report(self, found: int) -> SearchReport:
        number, closed = self.search.covered
        if self.statics.on_rates.any():
            words = (
                "search: from the start; with conditions on velocities equilibria come in families, and more may exist"
            )
            return SearchReport(None, 0, 1, 1, found, 0, words)
        far = f"the whole path, {number} places" if closed == "again" else f"the path, {self._far()}"
        words = f"search: {far}; complete there on this assembly branch, but for pairs within a stride"
        return SearchReport(True if closed == "again" else None, 0, 1, number, found, 0, words)

    def here(self) -> Equilibrium:
        """The equilibrium at the present place."""
        statics = self.statics
        if np.max(np.abs(statics.scale * statics.phi), initial=0.0) > 1e-13 + statics.pose.rounding:
            # redundant dimensions that disagree: other analyses keep the independent rows exactly and leave the rest
            statics.pose.onto()
            statics.evaluate()
            statics.factor()
        z, lam = statics.free_motions(), statics.multipliers(statics.force)
        if not statics.dof:
            self._check_balance(lam, self.search.scale(np.zeros((0, 0))))
            return self._made(z, lam, np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0), BLOCKED)
        k, error = statics.bounded_stiffness(z, lam)
        if not math.isfinite(error):
            raise SingularError(
                self.asked,
                "forces without a finite value next to an equilibrium",
                "a law ends there, so that its stiffness is not defined",
                "write laws that have values on both sides of the equilibrium",
            )
        self._check_balance(lam, self.search.scale(k))
        m = z.T @ statics.mass @ z
        asymmetry = float(np.max(np.abs(k - k.T), initial=0.0))
        if (self.potential is not None and not statics.on_rates.any()) or asymmetry <= SYMMETRIC * largest(k):
            # with conditions on velocities K is not the Hessian of an energy: no energy decides, but M y'' + K y = 0 does
            k = 0.5 * (k + k.T)
        try:
            made = Judge(self.search, self.potential, z, lam, m, k, error)
        except np.linalg.LinAlgError:
            raise SingularError(
                self.asked,
                f"an equilibrium in which the smallest reduced mass is {float(np.linalg.eigvalsh(m)[0]):.3g} kg",
                "some motion is without inertia there, so that M^-1 K is not defined",
                "give all bodies mass and inertia",
            ) from None
        return self._made(z, lam, m, k, made.values, made.verdict())

    def _made(self, z: np.ndarray, lam: np.ndarray, m: np.ndarray, k: np.ndarray, values: np.ndarray, judged: Any) -> Equilibrium:  # fmt: skip
        """The equilibrium here with its motions and matrices, and what was judged: verdict, reason, whether it is one of a family, what counts as zero."""
        statics, (verdict, reason, flat, zero) = self.statics, judged
        energy = math.nan if self.energy is None else self.energy()
        state = statics.state
        found: dict[str, Any] = {"M": m, "K": k, "motions": z, "multipliers": lam[: statics.n_rows], "energy": energy}
        found |= {"eigenvalues": values, "verdict": verdict, "reason": reason, "_flat": flat, "_zero": zero}
        return Equilibrium(
            state=state, coordinates=statics.coordinates(), _model=self.model, _system=statics.system, **found
        )

    def _check_balance(self, lam: np.ndarray, scale: float) -> None:
        """Refuse multipliers that do not carry the forces of an equilibrium, J^T lam = Q, on every body; scale: that of the search."""
        statics = self.statics
        left = np.abs(statics.residual(lam) / statics.size)
        terms = (np.abs(statics.force) + np.abs(statics.jac).T @ np.abs(lam)) / statics.size
        # the search ends where the unbalanced force is a small part of that of stiffness over the model's length, or where the elements
        # cancel but for rounding; where dimensions disagree, it is off by as much
        off = float(np.max(np.abs(statics.scale * statics.phi), initial=0.0, where=~statics.on_rates))
        allowed = TERMS * terms + (BALANCED + 10.0 * off) * scale
        if np.all(left <= allowed):
            return
        allowed = np.maximum(allowed, TERMS * terms + (BALANCED + 10.0 * off) * statics.largest_force())
        if np.all(left <= allowed):
            return
        c = int(np.argmax(np.where(left <= allowed, 0.0, left)))
        name, unit = statics.equation_name(c)
        raise ResidualError(
            self.asked,
            f"an equilibrium in which J^T lam = Q of {name} is missed by {left[c] * statics.size[c]:.3g} {unit}, its terms are"
            f" {terms[c] * statics.size[c]:.3g} {unit}",
            "the reactions found do not hold it: the answer would be wrong",
            "start near the equilibrium (start=); if the model is sound this is a fault of the solver: please report it with the model",
        )


def in_order(found: list[Equilibrium], statics: Statics, start: np.ndarray) -> list[Equilibrium]:
    """Stable ones first, the nearest to the start first among them; equally far ones, rounding aside, by energy, then by their coordinates."""
    order = {"stable": 0, "degenerate": 1, "unstable": 2}
    largest = max((abs(e.energy) for e in found if math.isfinite(e.energy)), default=0.0) or 1.0

    def rank(e: Equilibrium) -> tuple[Any, ...]:
        size = round(e.energy / largest, 9) if math.isfinite(e.energy) else round(-lowest(e), 9)
        far = float(f"{statics.reach(statics.way(start, e.state.q)):.6g}")
        return order[e.verdict], far, size, tuple(np.round(e.state.q, 6))

    return sorted(found, key=rank)


def singular(statics: Statics) -> bool:
    """Whether rows are dependent only in this position: nearby the mechanism has fewer free motions (after `factor`)."""
    if statics.rank == len(statics.scale):
        return False
    rank, q = statics.rank, statics.pose.q.copy()
    z = statics.free_motions()
    try:
        for k in range(z.shape[1]):
            statics.pose.q = q.copy()
            delta = z[:, k] * (1e-3 / max(statics.reach(z[:, k]), 1e-300))
            statics.move(delta)
            statics.evaluate()
            statics.factor()
            # away from a singular position the rank grows by a singular value of the size of the displacement
            if statics.rank > rank:
                return True
        return False
    finally:
        statics.pose.q = q
        statics.evaluate()
        statics.factor()


def _same(statics: Statics, a: Equilibrium, b: Equilibrium) -> bool:
    """Whether two are one: the same place, or places of one family in which a motion costs nothing."""
    if a.verdict != b.verdict or len(a.eigenvalues) != len(b.eigenvalues):
        return False
    # eigenvalues that count as zero are known to that accuracy only
    apart = np.abs(np.asarray(a.eigenvalues) - b.eigenvalues)
    if np.max(apart, initial=0.0) > 3.0 * a._zero + 1e-5 * np.max(np.abs(b.eigenvalues), initial=0.0):
        return False
    none = 1e-9 * (_scale(a) + statics.largest_force() * statics.system.length)
    energies = math.isnan(a.energy) or math.isclose(a.energy, b.energy, rel_tol=1e-7, abs_tol=none)
    distance = statics.reach(statics.way(a.state.q, b.state.q))
    if distance <= 1e-5:
        # the same pose after full turns is another one for springs that count turns
        return energies or bool(np.allclose(a.state.q, b.state.q, atol=1e-4))
    return a._flat and energies and (not math.isnan(a.energy) or distance <= 0.05)


def _scale(e: Equilibrium) -> float:
    """Energy of a displacement by the model's length against the largest stiffness."""
    return float(np.max(np.abs(e.K), initial=0.0)) * e._system.length**2
