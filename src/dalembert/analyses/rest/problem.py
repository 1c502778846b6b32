"""The problem behind `equilibrium`: a mechanism, its forces and what is asked, searched and judged."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import ConvergenceError, MethodError, ModelError, ResidualError, SingularError, shown
from ...kernels.outputs import TERMS
from ...model.mechanism import Mechanism
from ...state import State
from ...system.known import known
from ...system.system import compile
from ..equilibrium import Equilibria, Equilibrium, lowest
from ..pose.initial import check_positions, worst_parts
from ..pose.pose import Pose
from .flips import Axis, Flips
from .morse import FEW, ROUNDS, SearchReport, indices, lacking, most_turned, report
from .potential import Potential
from .search import STRIDE, Place, Search, way
from .stiffness import EPS, Spin, Statics, largest, principal
from .valley import Valley, around

# part of the scale of forces that may stay unbalanced in an equilibrium: some times that at which the search ends
BALANCED = 1e-11
# part of the largest stiffness, and of the largest force over the model's length, from which on a stiffness is not looked at again
FIRM = 1e-3


class Problem:
    """A mechanism with values of its parameters and what is asked of it, ready to be searched."""

    def __init__(
        self,
        asked: str,
        model: Mechanism,
        start: State | None,
        method: str,
        spinning: Any,
        t: float,
        values: dict[str, float] | None = None,
    ) -> None:
        self.asked, self.model = asked, model
        measure = None if spinning is None else spin_measure(asked, model, spinning)
        self.shown = _shown_measures(model)
        self.held: tuple[Any, ...] = () if measure is None else (measure,)
        self._spinning = spinning
        self.extra = extra = (*self.shown, *self.held)
        if values is not None and start is not None:
            pose = Pose(compile(model, extra=extra, values=values), start.t, start.q, None, start.angles)
        else:
            pose = Pose.of(model, _at_rest(start), asked=asked, t=t, extra=extra, consistent=False)
        self.statics = Statics(pose, self.spin(pose), self.held)
        if not self.statics.onto():
            pose.detect()
            check_positions(pose.system, pose.work, pose.t, pose.q, asked, 1e-6)
        check_steady(asked, self.statics)
        potential = Potential(self.statics)
        if potential.guilty and method == "energy":
            (name, reason), others = potential.guilty[0], len(potential.guilty) - 1
            raise MethodError(
                asked,
                f"{name} is not conservative: {reason}" + (f" (and {others} more)" if others else ""),
                "a minimum of energy needs forces with a potential",
                "use method='force' (J^T lam = Q), or replace the element",
            )
        self.potential = None if potential.guilty or method == "force" else potential
        if self.statics.dof == 0:
            held = "" if measure is None else f" while {measure.name!r} turns at a given rate"
            rows, columns = self.statics.rank, int(self.statics.active.sum())
            raise ModelError(
                asked,
                f"nothing can move{held}: {rows} independent rows for {columns} velocities",
                "a mechanism without free motion rests wherever it is",
                "ask reactions(m) for its loads, or free a driver or joint",
            )
        builder, n = self.statics.system.builder, self.statics.n_rows
        self._coordinates = [(x, n + builder.free_row(x.name, x)) for x in self.shown]
        self.search = Search(self.statics, self.potential)
        self.p = math.nan  # value of the parameter that is followed

    def spin(self, pose: Pose) -> Spin | None:
        """The steady turn that is asked for, with the numbers of a pose."""
        if self._spinning is None:
            return None
        return read_spin(self.asked, self.model, pose, self.held[0], self._spinning[1])

    def solve(self, starts: int | None, turns: float, seed: int) -> Equilibria:
        """All equilibria."""
        dof = self.statics.dof
        count = starts if starts is not None else (24 if dof <= 4 else max(2, 96 // dof))
        if starts is None and self.statics.on_rates.any():
            # conditions on velocities: wherever the mechanism is pushed to it may rest; the place nearest to the start is meant
            count = 1
        found: list[Equilibrium] = []
        odd: list[State] = []
        places = self.search.run(count, turns, seed)
        start = self.search.start
        flips = Flips(self.search) if dof > 1 and not self.statics.on_rates.any() else None
        smooth = self.potential is not None and self.potential.smooth
        torus = flips is not None and smooth and flips.is_torus(start)
        most = 8 * count if starts is not None else most_turned(dof)
        begun = turned = 0
        # every equilibrium leads to others: with one of its parts turned over
        while True:
            if not places:
                if not torus or odd or begun == ROUNDS or dof > FEW or not lacking(dof, found):
                    break
                # more must exist: from other random starts
                begun += 1
                places = self.search.scatter(count, turns, seed + 7919 * begun)
                continue
            place = places.pop(0)
            if self._known(place, found):
                continue
            made = self._judged(place, odd)
            if made is None or any(self._same(made, other) for other in found):
                continue
            found.append(made)
            for axis in [] if flips is None else self._axes(flips, place):
                over = None if flips is None or turned >= most else flips.flipped(place, axis, start)
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
        order = {"stable": 0, "degenerate": 1, "unstable": 2}
        largest = max((abs(e.energy) for e in found if math.isfinite(e.energy)), default=0.0) or 1.0

        def rank(e: Equilibrium) -> tuple[Any, ...]:
            """Stable ones first, then by energy; equal energies, rounding aside, by their coordinates."""
            size = round(e.energy / largest, 9) if math.isfinite(e.energy) else -lowest(e)
            return order[e.verdict], size, tuple(np.round(e.state.q, 6))

        found.sort(key=rank)
        return Equilibria.of(self.model.name, found, odd, search)

    def _axes(self, flips: Flips, place: Place) -> list[Axis]:
        """Axes about which parts can be turned over in an equilibrium."""
        self.search.place = place
        self.statics.onto()
        return flips.axes()

    def _same(self, a: Equilibrium, b: Equilibrium) -> bool:
        """Whether two are one: the same place, or places of one family, or as near to one equilibrium as rounding allows."""
        if _same(self.statics, a, b):
            return True
        flat = all(np.min(np.abs(e.eigenvalues)) <= e._zero for e in (a, b))
        return flat and self.search.is_one(*((e.state.q, e.state.angles) for e in (a, b)))

    def _known(self, place: Place, found: list[Equilibrium]) -> bool:
        """Whether an equilibrium is at this very place, turns included."""
        return any(
            np.allclose(place[0], e.state.q, rtol=0.0, atol=1e-7 * self.statics.system.length)
            and (e.state.angles is None or np.allclose(place[1], e.state.angles, rtol=0.0, atol=1e-3))
            for e in found
        )

    def _judged(self, place: Place, odd: list[State]) -> Equilibrium | None:
        """The equilibrium at a place; those in which no stiffness decides go to the odd ones."""
        self.search.place = place
        self.statics.onto()
        if singular(self.statics) or not self.search.is_smooth():
            state = self.statics.pose.state
            if all(self.statics.reach(way(self.statics, state.q, other.q)) > 1e-4 for other in odd):
                odd.append(state)
            return None
        made = self.here()
        check_symmetry(self.asked, self.statics)
        return made

    def _none(self, count: int, dof: int) -> ConvergenceError:
        """Nothing was found, and how it was looked for."""
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
        return f"{number} strides of {STRIDE * self.statics.system.length:.3g} m or {STRIDE:.3g} rad at most"

    def _path_report(self, found: int) -> SearchReport:
        """What the search along the path of one free motion can say."""
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
        z, _ = self.search.reduced()
        lam = statics.multipliers(statics.force)
        k, error = statics.bounded_stiffness(z, lam)
        if not math.isfinite(error):
            raise SingularError(
                self.asked,
                "forces without a finite value next to an equilibrium",
                "a law ends there, so that its stiffness is not defined",
                "write laws that have values on both sides of the equilibrium",
            )
        check_balance(self.asked, statics, lam, self.search.scale(k))
        m = z.T @ statics.mass @ z
        if self.potential is not None and not statics.on_rates.any():
            # with conditions on velocities K is not the Hessian of an energy: no energy decides, but M y'' + K y = 0 does
            k = 0.5 * (k + k.T)
        try:
            eigenvalues, verdict, none, zero = judge(statics, m, k, error)
        except np.linalg.LinAlgError:
            raise SingularError(
                self.asked,
                f"an equilibrium in which the smallest reduced mass is {float(np.linalg.eigvalsh(m)[0]):.3g} kg",
                "some motion is without inertia there, so that M^-1 K is not defined",
                "give all bodies mass and inertia",
            ) from None
        energy = math.nan if self.potential is None else self.potential()
        state = statics.pose.state
        verdict, reason, flat, zero = self._decided(z, lam, k, (none, zero), verdict, eigenvalues)
        if verdict != "unstable" and self._fed(z, m, k):
            verdict, reason = "unstable", "forces along the rates feed motion"
        coordinates = {x.name: (float(statics.pose.work.value[row]), x.unit) for x, row in self._coordinates}
        multipliers = lam[: statics.n_rows]
        return Equilibrium(
            state, verdict, eigenvalues, energy, m, k, z, multipliers, coordinates, self.model, statics.system, zero,
            reason, flat,
        )  # fmt: skip

    def _decided(
        self,
        z: np.ndarray,
        lam: np.ndarray,
        k: np.ndarray,
        zeros: tuple[float, float],
        verdict: str,
        eigenvalues: np.ndarray,
    ) -> tuple[str, str, bool, float]:
        """Verdict, what decided it, whether equilibria come in a family, and what counts as zero among eigenvalues.

        Where some stiffness is zero the energy around decides; `zeros`: what counts as zero in K and in M^-1 K.
        """
        statics, (none, zero) = self.statics, zeros
        symmetric = np.array_equal(k, k.T)
        values, vectors = principal(k)
        firm = max(none / FIRM, FIRM * (largest(k) + statics.largest_force() / statics.system.length))
        if symmetric and np.all(np.abs(values) > firm):
            # far above all that rounding could make of a stiffness that vanishes
            return verdict, "stiffness", False, zero
        # rounding along each eigenvector: of forces, of places on the rows, of coordinates
        place = 1e-14 * statics.system.length + 2.0 * EPS * float(np.max(np.abs(statics.pose.q), initial=0.0))
        noise = np.abs(vectors.T) @ statics.rounding(z, lam) + np.abs(values) * place
        weak = np.abs(values) <= none
        if symmetric:
            weak |= [not w and not self._linear(z @ u, *x) for w, u, *x in zip(weak, vectors.T, values, noise)]
            if weak.any():
                verdict = "unstable" if np.any(values[~weak] < 0.0) else "degenerate"
                zero = max(zero, *(abs(u @ k @ u) / (u @ (z.T @ statics.mass @ z) @ u) for u in vectors[:, weak].T))
        null = vectors[:, weak]
        if not null.shape[1] and (symmetric or verdict != "degenerate"):
            return verdict, "stiffness", False, zero
        if not symmetric or statics.on_rates.any() or (self.potential is None and statics.dof > 1):
            reason = (
                "stiffness" if verdict == "unstable" else "stiffness is zero within rounding, and no energy decides"
            )
            return verdict, reason, True, zero
        here = self.search.place
        floor = float(np.linalg.norm(noise[weak]))
        found = around(Valley(Nearby(self.search), z, null, statics.system.length).force, null.shape[1], floor)
        self.search.place = here
        statics.onto()
        if verdict == "unstable":
            return verdict, "stiffness", found.flat, zero
        return found.settled(float(eigenvalues[np.argmin(np.abs(eigenvalues))]), zero)

    def _fed(self, z: np.ndarray, m: np.ndarray, k: np.ndarray) -> bool:
        """Whether forces that depend on rates make small motions grow."""
        statics = self.statics
        if statics.spin is not None or statics.on_rates.any():
            return False  # the verdict of a steady turn is that of its energy; rows on rates need their own equations
        c, error = statics.damping(z)
        if not np.isfinite(c).all() or float(np.linalg.eigvalsh(0.5 * (c + c.T))[0]) >= -error:
            return False
        none, one = np.zeros_like(m), np.eye(len(m))
        values = np.linalg.eigvals(np.block([[none, one], [-np.linalg.solve(m, k), -np.linalg.solve(m, c)]]))
        return bool(np.max(values.real) > 1e-7 * np.max(np.abs(values)))

    def _linear(self, motion: np.ndarray, value: float, noise: float) -> bool:
        """Whether the force along a motion is its stiffness times the way where it first stands out from rounding.

        If it is not, the stiffness is that of a place beside an equilibrium without any, as near to it as rounding allows.
        """
        search, s, here = self.search, self.statics, self.search.place
        far = max(100.0 * noise / abs(value), 1e3 * EPS * float(np.max(np.abs(here[0]), initial=0.0)))
        if far > 0.03 * s.system.length:
            return False
        left = []
        for side in (far, -far):
            search.place = here
            s.retract(side * motion)
            z, g = search.reduced()
            left.append(float(g @ (z.T @ (s.size**2 * motion))) / (side * value))
        search.place = here
        s.onto()
        return all(0.5 < x < 1.5 for x in left)


def check_balance(asked: str, statics: Statics, lam: np.ndarray, scale: float) -> None:
    """Refuse multipliers that do not carry the forces of an equilibrium, J^T lam = Q, on every body; scale: that of the search."""
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
    name, unit = statics.system.body_names[c // statics.system.builder.width], "N m" if statics.turning[c] else "N"
    raise ResidualError(
        asked,
        f"an equilibrium in which J^T lam = Q of body {name!r} is missed by {left[c] * statics.size[c]:.3g} {unit}, its terms are"
        f" {terms[c] * statics.size[c]:.3g} {unit}",
        "the reactions found do not hold the body: the answer would be wrong",
        "start near the equilibrium (start=); if the model is sound this is a fault of the solver: please report it with the model",
    )


class Nearby:
    """A mechanism that is displaced from an equilibrium, for `Valley`."""

    def __init__(self, search: Search) -> None:
        self.search, self.weight = search, search.statics.size**2
        self._first = search.place

    def go(self, delta: np.ndarray, onward: bool) -> bool:
        """Displace it, from where it is or from the equilibrium."""
        if not onward:
            self.search.place = self._first
        return self.search.statics.retract(delta)

    def gone(self) -> np.ndarray:
        """Displacement from the equilibrium."""
        return way(self.search.statics, self._first[0], self.search.statics.pose.q)

    def reduced(self) -> tuple[np.ndarray, np.ndarray]:
        """Free motions and the force along them that is not balanced."""
        return self.search.reduced()

    def stiffness(self, z: np.ndarray) -> np.ndarray:
        """Reduced stiffness."""
        return self.search.stiffness(z)


def judge(statics: Statics, m: np.ndarray, k: np.ndarray, error: float) -> tuple[np.ndarray, str, float, float]:
    """Eigenvalues of M^-1 K, the verdict, and what counts as zero among those of K and of M^-1 K.

    Without damping a motion grows if an eigenvalue is negative or, for forces without a potential, complex.
    """
    from scipy.linalg import eig, eigh

    symmetric = np.array_equal(k, k.T)
    if k.size == 1 and m[0, 0] > 0.0:
        values = k[0] / m[0]
    elif symmetric:
        values = eigh(k, m, eigvals_only=True)
    else:
        values = np.sort_complex(eig(k, m, right=False))
        if np.max(np.abs(values.imag)) <= 1e-8 * np.max(np.abs(values)):
            values = np.sort(values.real)
    # what counts as zero: rounding of the largest, and the error of an equilibrium at which a stiffness vanishes
    force = float(np.max(np.abs(statics.force / statics.size), initial=0.0)) / statics.system.length
    none = 1e-9 * largest(k) + 1e-6 * force + error
    zero = none / float(np.mean(np.linalg.eigvalsh(m)))
    # K and M^-1 K have the same numbers of positive and negative eigenvalues
    least = float(principal(k)[0][0]) if symmetric else float(np.min(values.real)) * none / max(zero, 1e-300)
    if np.iscomplexobj(values) or least < -none:
        return values, "unstable", none, zero
    return values, "degenerate" if least <= none else "stable", none, zero


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
    if np.max(apart) > 3.0 * a._zero + 1e-5 * np.max(np.abs(b.eigenvalues)):
        return False
    energies = math.isnan(a.energy) or math.isclose(a.energy, b.energy, rel_tol=1e-7, abs_tol=1e-9 * _scale(a))
    distance = statics.reach(way(statics, a.state.q, b.state.q))
    if distance <= 1e-5:
        # the same pose after full turns is another one for springs that count turns
        return energies or bool(np.allclose(a.state.q, b.state.q, atol=1e-4))
    return a._flat and energies and (not math.isnan(a.energy) or distance <= 0.05)


def _scale(e: Equilibrium) -> float:
    """Energy of a displacement by the model's length against the largest stiffness."""
    return float(np.max(np.abs(e.K), initial=0.0)) * e._system.length**2


# -- what is asked ---------------------------------------------------------------------------------------------------------


def _at_rest(start: Any) -> Any:
    return (
        State(start.t, start.q, np.zeros_like(start.v), start.angles, start.bodies)
        if isinstance(start, State)
        else start
    )


def _shown_measures(model: Mechanism) -> tuple[Any, ...]:
    """Coordinates of the first joints, for the table; the same ones as long as the mechanism stays as it is."""
    facts = known(model)
    if "shown" not in facts:
        joints = [joint for joint in model.parts("joint") if not any(body.particle for body in joint.bodies)]
        found = [x for joint in joints for x in joint.coordinates().values()]
        facts["shown"] = tuple(x for x in found if x.kind in ("angle", "along_body", "along_space", "distance"))[:3]
    return facts["shown"]  # type: ignore[no-any-return]


def spin_measure(asked: str, model: Mechanism, spinning: Any) -> Any:
    """The angle of a steady turn: against the ground."""
    do = "give spinning=(m['bearing'].angle, omega), the angle of a joint with the ground"
    if not isinstance(spinning, tuple | list) or len(spinning) != 2:
        raise MethodError(asked, f"spinning = {shown(spinning)}", "a pair is needed: an angle and a rate", do)
    measure = model.read_coordinate(asked, spinning[0])
    bodies = [marker.body for marker in (measure.i, measure.j) if marker is not None]
    if measure.kind != "angle" or not any(body.is_ground for body in bodies):
        raise MethodError(asked, f"spinning about {measure!r}", "a steady turn is about an axis fixed in space", do)
    return measure


def read_spin(asked: str, model: Mechanism, pose: Any, measure: Any, rate: Any) -> Spin:
    """The steady turn about the axis of a measure; the mechanism and gravity must be the same in all its positions."""
    values = pose.system.builder.drawing.values
    read: Any = model.read_number(asked, "rate of spinning", rate)
    omega = float(read.evaluate(values) if hasattr(read, "evaluate") else read)
    i, j = pose.system.builder.drawing.attach(measure.i, measure.j)
    fixed, sign = (i, 1.0) if i.body.is_ground else (j, -1.0)
    spin = Spin(fixed.point, np.array([0.0, 0.0, 1.0]) if model.plane else fixed.axes[:, 2], sign * omega)
    gravity = pose.system.builder.drawing.vector(model.gravity)
    across = float(np.linalg.norm(np.cross(spin.axis, gravity)))
    if across > 1e-9 * max(float(np.linalg.norm(gravity)), 1e-300):
        raise MethodError(
            asked,
            f"gravity has the part {across:.6g} m/s² across the axis of {measure.name!r}",
            "then a turn about this axis is not steady",
            "turn about the direction of gravity, or without gravity",
        )
    return spin


def check_steady(asked: str, statics: Statics) -> None:
    """Refuse rows that move in another way than the mechanism does: drivers under way, joints that do not allow the turn."""
    pose = statics.pose
    left = np.abs(statics.jac[: statics.n_rows] @ pose.v - pose.nu)
    size = max(1.0, float(np.max(np.abs(pose.v), initial=0.0)))
    if np.max(left * pose.scale, initial=0.0) <= 1e-9 * size:
        return
    parts = worst_parts(statics.system, left).replace(" m", " m/s").replace(" rad", " rad/s")
    if statics.spin is None:
        why, do = "an equilibrium is at rest", "drive with a constant, take another t=, or use spinning=(angle, omega)"
    else:
        why = "the mechanism cannot turn as a whole at this rate: these parts resist it"
        do = "give the rate of the driver named, or an axis about which everything can turn"
    raise MethodError(asked, f"rates that do not fit: {parts}", why, do)


def check_symmetry(asked: str, statics: Statics) -> None:
    """Refuse a steady turn of a mechanism whose forces are not the same in all its positions about the axis."""
    if statics.spin is None:
        return
    # a mechanism with no symmetry but that of some polygon would pass a turn by its angle; 1 rad is no such angle
    pose = statics.pose
    other = Statics(Pose(pose.system, pose.t, statics.spin.turned(pose, 1.0), None, pose.work.angle), statics.spin)
    other.factor()
    left = float(np.linalg.norm(other.free_motions().T @ other.force))
    scale = max(float(np.max(np.abs(x.force / x.size), initial=0.0)) for x in (statics, other))
    if left > 1e-6 * scale:
        raise MethodError(
            asked,
            f"forces that balance in one position leave {left:.3g} N when everything is turned by 1 rad about the axis",
            "then a turn about this axis is not steady",
            "attach springs and loads to the axis or to bodies that turn, not to other points of the ground",
        )
