"""assemble: from a rough drawing to positions that satisfy all constraints, with the branch that was reached and the others there are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from ..compilation import compiling
from ..errors import AssemblyError, MethodError, ModelError, shown
from ..model.body import Body
from ..model.kinds import read_mechanism
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.output_units import read_units
from ..options.call import verb
from ..results.paged import Paged
from ..state import State
from ..system.rows import mass_matrix
from ..system.subspaces import unit_rows
from ..system.system import System, compile
from .assembly.counting import basis, new_in
from .assembly.fixed import read_fixed
from .assembly.loops import Branch, Geometry, branch_of, find_loops, known_joints, mirrored, role, swung
from .assembly.search import differences, distance, reached, same, scattered
from .dynamics.start import read_state
from .pose.initial import Held
from .pose.initial import assemble as positions
from .pose.pose import FIXED, START, Pose
from .pose.velocities import gives_velocities, solve_velocities

# null vectors and branches need dense algebra: larger mechanisms are assembled, and their branch is not told
LARGEST = 1500
# configurations that are searched for at most
MOST = 64


@dataclass(frozen=True)
class Moved:
    """How far assembly moved a body: its mass centre [m] and its rotation [rad]."""

    distance: float
    angle: float

    def __repr__(self) -> str:
        return f"{self.distance:.6g} m, {self.angle:.6g} rad"


@dataclass(frozen=True, eq=False)
class Velocities:
    """Velocities of an assembly: what was given, what was chosen, and why.

    Attributes
    ----------
    dof
        Degrees of freedom.
    conditions
        Rates of `m.start` and velocities and spins of bodies, by name.
    dependent
        Those that say nothing new here.
    taken
        Degrees of freedom that they decide.
    rates
        Rates of joint coordinates that nothing was said of, as chosen, with units.
    why
        How they were chosen.
    """

    dof: int
    conditions: tuple[str, ...]
    dependent: tuple[str, ...]
    taken: int
    rates: Mapping[str, tuple[float, str]]
    why: str

    @property
    def complete(self) -> bool:
        """Whether the conditions decide all velocities, each of them something new (PLANAR 6.3.27)."""
        return self.taken == self.dof and not self.dependent

    def __str__(self) -> str:
        told = [f"{name} {x + 0.0:.6g} {unit}".rstrip() for name, (x, unit) in self.rates.items()]
        more = f": {', '.join(told[:6])}{', …' if len(told) > 6 else ''}" if told else ""
        return f"{_freedoms(self.dof)}, {_of(len(self.conditions), 'condition')} on velocities; {self.why}{more}"


def _of(n: int, word: str) -> str:
    return f"{n or 'no'} {word}{'s' if n != 1 else ''}"


def _freedoms(n: int) -> str:
    return f"{n} degree{'s' if n != 1 else ''} of freedom"


@dataclass(frozen=True, eq=False)
class Assembly(Paged):
    """A configuration that satisfies all constraints.

    Attributes
    ----------
    state
        The state: `simulate(m, until, start=a.state)`; `assemble(m, start=a.state)` stays on its branch.
    moved
        How far each body was moved from the drawing, by name: `.distance` [m], `.angle` [rad].
    branch
        Which of the ways to put the mechanism together: `.signature`, `.kind` ("open", "crossed"), `.loops`.
    drawn
        The branch of the drawing; where it differs, the drawing was on the other side.
    dof
        Degrees of freedom that joints and drivers leave in this pose.
    conditions
        Names of the initial values and of what was fixed.
    dependent
        Those of them that say nothing new here, because they follow from the joints or from each other.
    velocities
        How the velocities were found: `.conditions` (rates, velocities and spins given), `.taken` of the degrees of freedom, `.rates` of the joint
        coordinates that nothing was said of, `.why`.
    alternatives
        Other configurations with the same values of what is driven, given and fixed (with `branches=True`), nearest first.
    """

    state: State
    moved: Mapping[str, Moved]
    branch: Branch
    drawn: Branch
    dof: int
    conditions: tuple[str, ...]
    dependent: tuple[str, ...]
    alternatives: tuple[Assembly, ...] | None = None
    velocities: Velocities | None = None
    name: str = field(default="", repr=False)
    _system: System | None = field(default=None, repr=False)

    def __str__(self) -> str:
        long = max([4, *map(len, self.moved)])
        lines = [f"assembly of {self.name!r} at t = {self.state.t:g} s: {_counted(self)}"]
        units = read_units("assembly", None if self._system is None else self._system.model.units)
        (length, far), (turn, wide) = units.of("m"), units.of("rad")
        if self._system is None:  # of coordinates
            values = ", ".join(f"{x:.6g}" for x in self.state.q)
            lines += [f"  coordinates: {values}"]
        else:
            lines += [f"  {'body':{long}}  {f'moved [{length}]':>12}  {f'turned [{turn}]':>12}"]
        lines += [
            f"  {name:{long}}  {m.distance * far:12.6g}  {m.angle * wide:12.6g}" for name, m in self.moved.items()
        ]
        if self._system is not None:
            lines += [f"  branch: {self.branch}"]
        if self.drawn != self.branch:
            lines += [f"  drawn on another branch: {self.drawn}"]
        if self.velocities is not None and self.velocities.conditions:
            lines += [f"  velocities: {self.velocities}"]
        if self.dependent:
            lines += [f"  says nothing new here: {', '.join(self.dependent)}"]
        if self.alternatives is not None:
            lines += [f"  other configurations: {len(self.alternatives) or 'none found'}"]
            for other in self.alternatives:
                name, by = max(other.moved.items(), key=lambda x: x[1].angle)
                lines += [f"    {other.branch}; {name!r} moved by {by}"]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<assembly of {self.name!r}: {self.branch}>"


def _counted(made: Assembly) -> str:
    n, given = made.dof, len(made.conditions)
    return f"{_freedoms(n)}, {given} condition{'s' if given != 1 else ''}"


@verb
def assemble(
    model: Mechanism | Lagrangian,
    *,
    fixed: Any = (),
    start: State | Assembly | None = None,
    t: float = 0.0,
    complete: bool = False,
    branches: bool = False,
    tries: int = 40,
    seed: int = 0,
) -> Assembly:
    """Put a roughly drawn mechanism together, or bring a Lagrangian system from its guesses onto its rows.

    Newton's method on the configurations, with the steps that change it least (weighted by mass and inertia), until joints, drivers
    and the values of `m.start` are satisfied.

    Parameters
    ----------
    model
        The mechanism, or a Lagrangian system, which has no `fixed`, `moved` and branches.
    fixed
        Bodies that stay where they are drawn and measures that keep their values, by name: `fixed=["crank"]`; or measures at
        given values: `fixed={"A.angle": 0.3}`.
    start
        State to begin from instead of the drawing, or another assembly.
    t
        Time at which drivers are evaluated [s]; with `start` its time.
    complete
        Refuse unless conditions (`m.start` values and `fixed`) are as many as the degrees of freedom, and independent (PLANAR 6.3.4);
        likewise rates and velocities, where any are given.  Otherwise positions that they leave open are taken from the drawing, and of
        the velocities those of the smallest kinetic energy: `.velocities` tells.
    branches
        Look for all other configurations with the same values of what is driven, given and fixed.  Degrees of freedom that are left
        keep the joint coordinates (first joints first) that they have.
    tries, seed
        Random starts of that search, besides mirrored pairs of links, and their seed.

    Returns
    -------
    Assembly
        `.state`, `.moved[body]`, `.branch`, and `.alternatives`.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("triangle")
    >>> left = m.body("left", da.rod(length=2.0, mass=1.0), at=(0, 0.3), angle=0.7)
    >>> right = m.body("right", da.rod(length=2.0, mass=1.0), at=(3, 0), angle=2.0)
    >>> pins = m.revolute("A", m.ground, left, at=(0, 0), on=left.start), m.revolute("B", m.ground, right, at=(2, 0), on=right.start)
    >>> top = m.revolute("C", left, right, on=[left.end, right.end])
    >>> a = da.assemble(m, branches=True)
    >>> print(round(a.state.q[1], 6), len(a.alternatives))  # sqrt(3)/2, and the mirror image
    0.866025 1
    """
    asked = f"assemble({shown(getattr(model, 'name', model), 40)})"
    if getattr(model, "kind", "") == "lagrangian":
        if fixed or branches:
            why = "coordinates are held by m.start, and of the branches that of the guesses is found"
            raise MethodError(asked, "fixed or branches of a Lagrangian system", why, "use m.start and m.guess")
        near = read_state(asked, model, start, "start")
        with compiling(), np.errstate(all="ignore"):
            return _of_coordinates(asked, cast("Lagrangian", model), near, t if near is None else near.t, complete)
    model = read_mechanism(asked, model)
    if not model.bodies:
        raise ModelError(asked, "no moving body", "there is nothing to move", "add a body with m.body(...)")
    given = read_state(asked, model, start, "start")
    if given is not None:
        if t not in (0.0, given.t):
            found = f"t = {shown(t)} with a start at t = {given.t:g} s"
            raise MethodError(asked, found, "a start has its own time", "leave t out, or give da.State(t, q, v)")
        t = given.t
    if (tries, seed) != (40, 0) and not branches:
        found = f"tries = {tries}, seed = {seed} without branches=True"
        raise MethodError(
            asked, found, "they belong to the search for other branches", "give branches=True, or leave them out"
        )
    with compiling(), np.errstate(all="ignore"):
        system = compile(model)
        begun = system.q0.copy() if given is None else given.q.copy()
        bodies, held = read_fixed(asked, model, fixed, t, begun)
        task = _Task(asked, model, system, t, begun, bodies, held)
        return task.run(complete, branches, tries, seed)


class _Task:
    def __init__(
        self, asked: str, model: Mechanism, system: System, t: float, begun: np.ndarray, bodies: list[Body], held: Held
    ) -> None:
        self.asked, self.model, self.system, self.t, self.begun = asked, model, system, t, begun
        self.bodies, self.held = bodies, held
        self.stated = bool(held) or any(s.value is not None for s in model.starts)

    def run(self, complete: bool, branches: bool, tries: int, seed: int) -> Assembly:
        try:
            q = positions(self.model, self.system, self.t, self.begun, self.held)
        except AssemblyError:
            found = self._from_elsewhere(tries, seed) if branches else None
            if found is None:
                raise
            q = found
        made = self._made(q, None)
        if complete:
            check_complete(self.asked, made, *self._conditions(made.state.q), made.dof)
        if not branches:
            return made
        others = [self._made(other, None) for other in self._others(q, made, tries, seed)]
        others.sort(key=lambda a: distance(self.system, q, a.state.q))
        return self._made(q, tuple(others))

    def _made(self, q: np.ndarray, alternatives: tuple[Assembly, ...] | None) -> Assembly:
        model, system = self.model, self.system
        pose = Pose(system, self.t, q)
        pose.v = solve_velocities(pose)
        pose.detect()
        pose.follow()
        moved, turned = differences(system, self.begun, q)
        by = {name: Moved(float(m), float(a)) for name, m, a in zip(system.body_names, moved, turned)}
        small = system.nv <= LARGEST
        known = known_joints(model, [measure for _, measure, _ in self.held], self.bodies)
        branch, drawn = (branch_of(model, system, x, known) if small else Branch(()) for x in (q, self.begun))
        dependent, _ = self._conditions(q) if small else ((), 0)
        dof = int(system.freedom - np.count_nonzero(~pose.dropped))
        return Assembly(
            pose.state, by, branch, drawn, dof, self._names(), dependent, alternatives, self._velocities(pose, dof),
            model.name, system,
        )  # fmt: skip

    # -- velocities ----------------------------------------------------------------------------------------------------

    def _velocities(self, pose: Pose, dof: int) -> Velocities:
        """Which velocities were given, how far they decide, and what the rest is."""
        model, system = self.model, self.system
        if system.nv > LARGEST:
            return Velocities(dof, (), (), 0, {}, "not looked at in a mechanism of this size")
        if not gives_velocities(model):
            driven = float(np.max(np.abs(pose.v), initial=0.0)) > 0.0
            return Velocities(dof, (), (), 0, {}, "as drivers and joints demand" if driven else "at rest")
        held = Pose(compile(model, starts="rates"), self.t, pose.q)
        given = np.array([row.stated for row in held.rows])
        parts, rows = np.array([row.part for row in held.rows]), _unit_rows(held.jac.toarray(), system)
        names = tuple(dict.fromkeys(parts[given]))
        dependent, taken = new_in(rows, parts, given, names)
        told = tuple(_rate_name(name) for name in names)
        lost = tuple(_rate_name(name) for name in dependent)
        if taken >= dof:
            return Velocities(dof, told, lost, taken, {}, "they decide all velocities")
        said = {s.measure.name for s in model.starts if s.rate is not None}
        said |= {driver.measure.name for driver in model.parts("driver")}
        free = [
            m
            for joint in model.parts("joint")
            for m in joint.coordinates().values()
            if not m.is_rate and m.name not in said
        ]
        seen = Pose(compile(model, extra=tuple(free)), self.t, pose.q, pose.v)
        seen.follow()
        rates = {m.name: (seen.measure(m)[2], f"{m.unit}/s") for m in free}
        why = f"they decide {taken} of {dof}, and of all velocities that fit them those of the smallest kinetic energy were chosen"
        return Velocities(dof, told, lost, taken, rates, why)

    # -- conditions ----------------------------------------------------------------------------------------------------

    def _names(self) -> tuple[str, ...]:
        starts = [f"start of {s.measure.name}" for s in self.model.starts if s.value is not None]
        return (*starts, *dict.fromkeys(name for name, *_ in self.held))

    def _conditions(self, q: np.ndarray) -> tuple[tuple[str, ...], int]:
        """Names of the conditions that follow from the constraints or from conditions before them, and how much freedom all of them take."""
        names = self._names()
        if not names:
            return (), 0
        pose = Pose(compile(self.model, starts="values", held=self.held), self.t, q)
        parts = np.array([row.part for row in pose.rows])
        rows = _unit_rows(pose.jac.toarray(), self.system)
        return new_in(rows, parts, np.isin(parts, names), names)

    # -- other configurations --------------------------------------------------------------------------------------------

    def _pinned(self, q: np.ndarray) -> tuple[System, bool]:
        """The mechanism with all conditions, and with coordinates held until no loop is free to move; and whether anything still is.

        Joint coordinates first, then those of bodies.  A rod between two ball joints stays free to turn about its own line, and so does
        what hangs on it: configurations that such motions join are one.
        """
        # coordinates of hinges and slides first: they are what drives machines
        joints = sorted(self.model.parts("joint"), key=lambda joint: role(joint) not in ("hinge", "slide"))
        of_joints = [m for joint in joints for m in joint.coordinates().values() if not m.is_rate]
        of_bodies = [m for body in self.model.bodies for m in body.measures().values() if not m.is_rate]
        extra = (*of_joints, *of_bodies)
        pose = Pose(compile(self.model, starts="values", extra=extra, held=self.held), self.t, q)
        pose.follow()
        span = basis(_unit_rows(pose.jac.toarray(), self.system))
        held = list(self.held)
        for k, measure in enumerate(extra):
            if span.shape[1] >= self.system.freedom or (k >= len(of_joints) and not self._loops_move(pose, span)):
                break
            value, row, _ = pose.measure(measure)
            row = _unit_rows(row[None], self.system)[0]
            left = row - span @ (span.T @ row)
            if float(left @ left) > 1e-6:
                span = np.hstack([span, (left / math.sqrt(float(left @ left)))[:, None]])
                held.append((f"{FIXED}{measure.name}", measure, value))
        return compile(self.model, starts="values", held=tuple(held)), span.shape[1] < self.system.freedom

    def _loops_move(self, pose: Pose, span: np.ndarray) -> bool:
        """Whether a motion that is still free (outside the span of the rows) moves a joint point of a loop."""
        joints = {id(joint): joint for loop in find_loops(self.model) for joint in loop.joints}.values()
        points = lambda q: np.array([Geometry(self.system, q).frame(joint)[0] for joint in joints])  # noqa: E731
        # orthonormal in the mass metric, as the rows are; each with its largest entry (lengths in those of the model) of unit size
        free = np.linalg.svd(span)[0][:, span.shape[1] :].T / _roots(self.system)
        for motion in free / np.max(np.abs(free / self.system.unit_of_velocity), axis=1, keepdims=True):
            ahead, behind = (points(pose.shifted(step * motion)) for step in (1e-4, -1e-4))
            if np.max(np.abs(ahead - behind), initial=0.0) > 1e-8 * self.system.length:
                return True
        return False

    def _others(self, q: np.ndarray, made: Assembly, tries: int, seed: int) -> list[np.ndarray]:
        """Distinct configurations besides q: from mirrored pairs of links of every one found, and from random starts."""
        pinned, loose = self._pinned(q)
        rng, fixed = np.random.default_rng(seed), {body.name for body in self.bodies}
        found = [q]
        known = known_joints(self.model, [row for _, row, _ in self.held], self.bodies)
        waiting = mirrored(self.system, q, made.branch)
        while (waiting or tries > 0) and len(found) < MOST:
            if not waiting:
                # joints swung about, or everything thrown about, in turn
                start = swung(self.system, q, rng, fixed) if tries % 2 else q
                if np.array_equal(start, q):
                    start = scattered(self.system, q, rng, fixed)
                waiting, tries = [start], tries - 1
            other = reached(pinned, self.t, waiting.pop(), True, q)
            if other is not None and not any(same(pinned, self.t, old, other, loose) for old in found):
                found.append(other)
                waiting += mirrored(self.system, other, branch_of(self.model, self.system, other, known))
        return found[1:]

    def _from_elsewhere(self, tries: int, seed: int) -> np.ndarray | None:
        """The nearest configuration that random starts find where the drawing itself leads nowhere."""
        solved = compile(self.model, starts="values", held=self.held)
        rng, fixed = np.random.default_rng(seed), {body.name for body in self.bodies}
        starts = (scattered(self.system, self.begun, rng, fixed) for _ in range(tries))
        found = [
            q for q in (reached(solved, self.t, start, self.stated, self.begun) for start in starts) if q is not None
        ]
        return min(found, key=lambda q: distance(self.system, self.begun, q), default=None)


def check_complete(asked: str, made: Assembly, dependent: tuple[str, ...], taken: int, freedom: int) -> None:
    """Refuse conditions on positions that are not as many as the freedom of positions, and independent; then those on velocities."""
    why = "initial position conditions are as many as degrees of freedom, and independent of the constraints and of each other"
    velocities = _open_velocities(made.velocities)
    also = f"; {velocities[0]}" if velocities else ""
    if dependent:
        one = len(dependent) == 1
        found = f"{', '.join(map(repr, dependent))} {'follows' if one else 'follow'} from the joints or from the other conditions"
        many = "too many conditions: " if len(made.conditions) > freedom else ""
        do = f"leave {'it' if one else 'them'} out, or give a condition on another coordinate"
        raise AssemblyError(asked, f"{many}{found} ({_counted(made)}){also}", why, do)
    if taken < freedom:
        found = f"too few conditions: {_counted(made)} ({', '.join(made.conditions) or 'none'}){also}"
        raise AssemblyError(
            asked, found, why, "add m.start(measure, value=...)" + (" or name more in fixed=" if made.moved else "")
        )
    if velocities:
        raise AssemblyError(asked, velocities[0], why.replace("position", "velocity"), velocities[1])


def _open_velocities(found: Velocities | None) -> tuple[str, str] | None:
    """What is wrong with velocities that are given in part: none at all is rest, and all of them the user's own choice (PLANAR 6.3.27)."""
    if found is None or not found.conditions or found.complete:
        return None
    if found.dependent:
        one = len(found.dependent) == 1
        listed = ", ".join(map(repr, found.dependent))
        text = f"{listed} {'follows' if one else 'follow'} from the joints or from the other conditions"
        return f"velocities: {text}", f"leave {'it' if one else 'them'} out, or give the rate of another coordinate"
    free = ", ".join(found.rates) or "another coordinate"
    return (
        f"velocities: {_freedoms(found.dof)}, {_of(found.taken, 'rate')} ({', '.join(found.conditions)})",
        f"add m.start(measure, rate=...) for {free}; without complete=True the smallest kinetic energy decides",
    )


def _of_coordinates(asked: str, model: Lagrangian, begun: State | None, t: float, complete: bool) -> Assembly:
    from .lagrangian.assembly import assembled

    state, positions, moving = assembled(asked, model, begun, t)
    given = {name.removeprefix("rate of ") for name in moving.names}
    rates = {f"rate({x})": (float(v), "") for x, v in zip(model.q, state.v) if x not in given}
    why = "they decide all velocities"
    if not moving.names:
        why = "as the rows demand" if np.any(state.v) else "at rest"
    elif moving.taken < moving.freedom:
        why = f"they decide {moving.taken} of {moving.freedom}, and of all velocities that fit them those of the smallest kinetic energy were chosen"
    velocities = Velocities(moving.freedom, moving.names, moving.dependent, moving.taken, rates if moving.taken < moving.freedom else {}, why)  # fmt: skip
    made = Assembly(
        state, {}, Branch(()), Branch(()), moving.freedom, positions.names, positions.dependent, None, velocities, model.name
    )  # fmt: skip
    if complete:
        check_complete(asked, made, positions.dependent, positions.taken, positions.freedom)
    return made


def _rate_name(part: str) -> str:
    """How a condition on velocities is called: rows of `m.start` are known as starts."""
    return f"rate of {part.removeprefix(START)}" if part.startswith(START) else part


def _roots(system: System) -> np.ndarray:
    """Square roots of masses and inertias (massless bodies and particles count with the largest weight)."""
    diagonal = mass_matrix(system).diagonal()
    return np.sqrt(np.where(diagonal > 0.0, diagonal, float(np.max(diagonal, initial=0.0)) or 1.0))


def _unit_rows(rows: np.ndarray, system: System) -> np.ndarray:
    return unit_rows(rows / _roots(system))[0]
