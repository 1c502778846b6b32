"""What a page can be about: a run, or states that stand beside each other: modes, equilibria, branches, assemblies, a mechanism as drawn.

All of them become a result with outputs.  A listing names the outputs that belong together, so that the reader of the page can choose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compilation import compiling
from ..errors import DalembertError, MethodError
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.output_units import OutputUnits, read_units
from ..results.files import quantities
from ..results.poses import stacked, still
from ..results.record import Record
from ..results.saved import SavedResult
from ..state import State
from ..system.system import compile

# poses of one cycle of a mode, and the amplitudes that can be chosen: radians, or lengths of the model
FRAMES = 24
LEVELS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
# poses of modes that a page shows at most, divided by the number of velocities: each is brought onto the constraints
POSES = 60_000


@dataclass
class Subject:
    """A result with outputs, and what the page says about it."""

    run: Any  # the result
    kind: str = "run"  # "run", "modes", "equilibria", "branches", "assemblies" or "mechanism"
    along: tuple[np.ndarray, str, str] | None = None  # what the outputs go along: values, name and unit; default: time
    # title, head and rows of the list to choose from, with the outputs of each row; None where there is one thing only
    listing: dict[str, Any] | None = None
    # what stands below the title, and whether it is good news; None: the status of the audit
    headline: tuple[str, bool] | None = None
    texts: list[tuple[str, str]] = field(default_factory=list)  # titles and texts of cards
    poses: bool = False  # whether outputs are poses only, without velocities and loads
    rest: Any = None  # the state that coordinates are counted from, as a result with one output; None: from zero
    extra: list[tuple[tuple[str, str], Any]] = field(default_factory=list)  # quantities besides those of the result
    units: OutputUnits | None = None  # units to show numbers in; None: those of the model

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.run.model if isinstance(self.run.model, str) else self.run.model.name


def subject(x: Any, units: OutputUnits | None = None) -> Subject | None:
    """What the page of a thing is about, to be shown in some units; None if there is no page of it."""
    made = _subject(x, units)
    if made is not None and units is not None:
        made.units = units
    return made


def _subject(x: Any, units: OutputUnits | None) -> Subject | None:
    if isinstance(x, Subject):
        return x
    if isinstance(x, Record | SavedResult):
        return Subject(x) if isinstance(x, SavedResult) or x.problem is not None else _instant(x)
    if isinstance(x, Mechanism):
        return _mechanism(x)
    if isinstance(x, Lagrangian):
        return _lagrangian(x)
    from ..analyses.assemble import Assembly
    from ..analyses.equilibrium import Equilibria, Equilibrium
    from ..analyses.inverse_dynamics import InverseDynamics
    from ..analyses.rest.continuation import Branch, Branches
    from ..analyses.small_motions.modes import Linearization

    kinds: list[tuple[type, Callable[[Any], Subject | None]]] = [
        (Linearization, _modes), (Equilibria, lambda e: _equilibria(e, units)), (Equilibrium, lambda e: _equilibria([e], units)), (Branches, _branches),
        (Branch, lambda b: _branches([b])), (Assembly, _assemblies), (InverseDynamics, _inverse),
    ]  # fmt: skip
    for kind, make in kinds:
        if isinstance(x, kind):
            return make(x)
    run = getattr(x, "run", None)
    return subject(run) if isinstance(run, Record) else None


# -- lists -------------------------------------------------------------------------------------------------------------


def _listing(title: str, one: str, head: list[str], rows: list[list[str]], windows: Any, **more: Any) -> dict[str, Any]:
    """List to choose from; `windows` are the first and last output of each row, for every amplitude."""
    made = {"title": title, "one": one, "head": head, "rows": rows, "windows": windows}
    return {**made, "levels": [], "note": "", "details": None, **more}


# -- modes -------------------------------------------------------------------------------------------------------------


def _modes(found: Any) -> Subject | None:
    """Every mode as a cycle of poses at several amplitudes, brought onto the constraints; coordinates as changes from the state."""
    states: list[State] = []
    along: list[float] = []
    rows: list[list[str]] = []
    windows: list[list[list[int]]] = []
    kept: list[Any] = []
    size = max(1, len(found.state.v))
    shown = max(1, min(len(found.modes), POSES // size // (FRAMES * len(LEVELS)), 40))
    for k, mode in enumerate(found.modes[:shown]):
        of_mode: list[list[int]] = []
        for level in LEVELS:
            try:
                cycle = _cycle(mode, level)
            except DalembertError:
                break  # it cannot be displaced so far
            of_mode.append([len(states), len(states) + len(cycle) - 1])
            states += cycle
            along += [j / FRAMES for j in range(FRAMES)]
        if not of_mode:
            continue
        s = mode.eigenvalue
        growth = s.real if abs(s.real) > 1e-9 * abs(s) else 0.0
        text = number_text(growth, 5) + (f" ± {number_text(s.imag, 5)} i" if s.imag else "")
        period = number_text(1.0 / mode.frequency, 5) if mode.frequency > 0.0 else "–"
        ratio = number_text(mode.damping_ratio if growth else 0.0, 4)
        rows.append([str(k), "0 (free)" if mode.free else text, number_text(mode.frequency, 5), period, ratio])
        windows.append(of_mode)
        kept.append(mode)
    if not states:
        return None
    run, rest = still(found._system, states), still(found._system, [found.state])
    head = ["mode", "eigenvalue [1/s]", "frequency [Hz]", "period [s]", "damping ratio"]
    note = "One cycle without growth or decay; amplitudes are radians, or lengths of the model. Every pose satisfies the constraints."
    note += " Δ is the change from the state that the motion is about."
    if shown < len(found.modes):
        note += f" The {shown} slowest of {len(found.modes)} modes are shown."
    first = next((k for k, row in enumerate(rows) if "free" not in row[1]), 0)
    listing = _listing(
        "Modes", "mode", head, rows, windows, levels=list(LEVELS), level=min(3, len(windows[first]) - 1), chosen=first, note=note,
        details=shape_tables(found, kept, rest),
    )  # fmt: skip
    try:
        headline = ("stable", True) if found.stable else ("not stable: a mode grows", False)
    except DalembertError as error:
        headline = ("not steady: frozen at this instant" if not found.steady else str(error.found), False)
    return Subject(
        run, "modes", (np.array(along), "part of the cycle", ""), listing, headline, [("Small motions", str(found))], True, rest
    )  # fmt: skip


def _cycle(mode: Any, amplitude: float) -> list[State]:
    """Poses of one cycle; a mode that does not oscillate goes to and fro."""
    if mode.eigenvalue.imag != 0.0:
        return list(mode.states(FRAMES, amplitude))
    way = mode.states(FRAMES // 2 + 1, amplitude)
    return [*way, *way[-2:0:-1]]


# -- equilibria, branches, assemblies ----------------------------------------------------------------------------------


def _equilibria(found: Any, units: OutputUnits | None = None) -> Subject | None:
    if not len(found):
        return None
    from ..analyses.equilibrium import Equilibrium, lowest

    first: Equilibrium = found[0]
    names = list(first.coordinates)[:8]
    shown_in = read_units("show", first._model.units) if units is None else units
    joule, factor = shown_in.of("J")
    pairs = [(n, *shown_in.of(first.coordinates[n][1])) for n in names]
    head = ["", "verdict", f"energy [{joule}]", "lowest eigenvalue [1/s²]"]
    head += [f"{n} [{unit}]" if unit else n for n, unit, _ in pairs]
    largest = max((abs(e.energy) for e in found if np.isfinite(e.energy)), default=0.0)
    rows = []
    for k, e in enumerate(found):
        known = factor * e.energy if abs(e.energy) > 1e-13 * largest else 0.0
        energy = number_text(known) if np.isfinite(e.energy) else "–"
        value = lowest(e) if abs(lowest(e)) > e._zero else 0.0
        values = (number_text(f * e.coordinates[n][0]) for n, _, f in pairs)
        rows.append([str(k), e.verdict, energy, number_text(value), *values])
    # Lagrangian systems have multipliers, singular positions no loads, and on other contacts there are other rows
    poses, states = not first._model.bodies or any(e.pressures for e in found), [e.state for e in found]
    try:
        run = still(first._system, states) if poses else stacked([e.reactions.run for e in found])
    except DalembertError:
        poses, run = True, still(first._system, states)
    count = len(found)
    stable = sum(e.verdict == "stable" for e in found)
    headline = (f"{count} equilibri{'um' if count == 1 else 'a'}, {stable} stable", stable > 0)
    more = getattr(found, "singular", ())
    note = f"{len(more)} more in singular positions, not judged. " if more else ""
    note += " ".join(str(x) for x in (getattr(found, "note", ""), getattr(found, "search", "")) if str(x))
    windows = [[[k, k]] for k in range(count)]
    listing = _listing("Equilibria", "equilibrium", head, rows, windows, note=note, chosen=0)
    along = (np.arange(count, dtype=float), "equilibrium", "")
    return Subject(
        run, "equilibria", along, listing, headline, [("Equilibria", str(found if count > 1 else first))], poses
    )


def _branches(found: Any) -> Subject | None:
    if not len(found):
        return None
    states = [e.state for branch in found for e in branch.equilibria]
    rows, windows, start = [], [], 0
    for k, branch in enumerate(found):
        verdicts = list(dict.fromkeys(branch.verdicts))
        marks = ", ".join(f"{m.kind} at {m.value:.6g}" for m in branch.marks) or "–"
        span = f"{branch.values[0]:.6g} … {branch.values[-1]:.6g}"
        rows.append([str(k), span, str(len(branch.values)), ", ".join(verdicts), marks])
        windows.append([[start, start + len(branch.values) - 1]])
        start += len(branch.values)
    parameter = found[0].parameter
    head = ["branch", parameter, "points", "verdicts", "folds and branch points"]
    note = f"The drawing has the dimensions of the first point; only poses change along {parameter}."
    values = np.concatenate([np.asarray(b.values, dtype=float) for b in found])
    listing = _listing("Branches of equilibria", "branch", head, rows, windows, note=note, chosen=0)
    run = still(found[0].equilibria[0]._system, states)
    headline = (f"{len(found)} branch{'es' * (len(found) > 1)} of equilibria along {parameter}", True)
    text = "\n".join(map(str, found)) if isinstance(found, list) else str(found)
    return Subject(run, "branches", (values, parameter, ""), listing, headline, [("Branches", text)], True)


def _assemblies(found: Any) -> Subject | None:
    every = [found, *(found.alternatives or ())]
    run = still(found._system, [a.state for a in every])
    rows = []
    for k, a in enumerate(every):
        name, by = max(a.moved.items(), key=lambda x: x[1].distance)
        rows.append([str(k), str(a.branch), f"{name}: {by}"])
    head = ["", "branch", "moved most from the drawing"]
    listing = _listing("Configurations", "configuration", head, rows, [[[k, k]] for k in range(len(every))], chosen=0)
    headline = (f"assembled, {found.dof} degree{'s' * (found.dof != 1)} of freedom", True)
    along = (np.arange(len(every), dtype=float), "configuration", "")
    return Subject(run, "assemblies", along, listing, headline, [("Assembly", str(found))], True)


# -- one instant -------------------------------------------------------------------------------------------------------


def _instant(run: Record) -> Subject:
    """Loads at one state, as `reactions` and `free_body` find them."""
    return Subject(run, "mechanism", headline=(f"at t = {run.t[0]:g} s", True))


def _mechanism(model: Mechanism) -> Subject:
    """A mechanism at its assembled start; as drawn where it does not go together, with the reason."""
    from ..analyses.pose.pose import Pose
    from ..analyses.reactions import reactions_at

    asked = f"show({model.name!r})"
    with compiling(), np.errstate(all="ignore"):
        try:
            pose = Pose.of(model, asked=asked)
        except DalembertError as error:
            if not model.bodies:
                raise
            system = compile(model)
            drawn = State(0.0, system.q0, np.zeros(system.nv), bodies=tuple(system.body_names))
            headline = ("drawn as given: it does not go together", False)
            return Subject(still(system, [drawn]), "mechanism", None, None, headline, [("Assembly", str(error))], True)
        try:
            run = reactions_at(pose, asked).run
        except DalembertError as error:
            made = Subject(still(pose.system, [pose.state]), "mechanism", poses=True)
            made.headline, made.texts = ("assembled; loads are not defined here", False), [("Loads", str(error))]
            return made
    return Subject(run, "mechanism", headline=("assembled, at its start", True))


def _lagrangian(model: Lagrangian) -> Subject:
    from ..analyses.dynamics.start import at_state

    with compiling(), np.errstate(all="ignore"):
        point = at_state(model, None, f"show({model.name!r})")
    state = State(point.t, point.q, point.v)
    return Subject(still(point.system, [state]), "mechanism", headline=("at its start", True), poses=True)


def _inverse(found: Any) -> Subject:
    """The motion, with the efforts found in three ways and the loads on the foundation."""
    made = Subject(found.run, texts=[("Inverse dynamics", str(found))])
    for effort in found.drivers.values():
        for way in ("multiplier", "power", "newton_euler"):
            made.extra.append(((f"effort of {effort.name}", way.replace("_", " ")), getattr(effort, way)))
    for what in ("shaking_force", "shaking_moment"):
        try:
            made.extra.append((("foundation", what.replace("_", " ")), getattr(found, what)))
        except (DalembertError, AttributeError):
            continue
    return made


def check_shown(asked: str, x: Any, made: Subject | None) -> Subject:
    """The subject, or a refusal."""
    if made is None:
        found = f"a {type(x).__name__}" + ("" if not isinstance(x, tuple) or len(x) else " that is empty")
        why = "a page shows a result over time, modes, equilibria, assemblies or a mechanism"
        do = "give the result of simulate, kinematics, inverse_dynamics, equilibrium, linearize or assemble, or a mechanism"
        raise MethodError(asked, found, why, do)
    return made


# coordinates in a table; beyond, the drawing says more
MOST = 24
# part of the largest amplitude that is rounding, and of a half turn by which phases differ from 0 and 180 degrees by rounding
ZERO, STRAIGHT = 1e-9, 1e-6


def number_text(x: float, digits: int = 6) -> str:
    """A number for a table."""
    return f"{round(x, 12) + 0.0:.{digits}g}".replace("-", "−")


def shape_tables(found: Any, modes: Sequence[Any], rest: Any) -> dict[str, Any] | None:
    """For every mode the changes of the coordinates, the largest of them 1 rad or 1 m; None where there is no coordinate.

    Largest is meant with lengths counted in lengths of the model.  Where all coordinates pass through zero together they have signs, else
    phases: change = amplitude cos(2 pi t / period + phase).
    """
    named = [(where[1], series.unit) for where, series in quantities(rest) if where[0] == "" and series.ndim == 1]
    named = named[:MOST]
    if not named:
        return None
    values = _amplitudes(found, modes, [name for name, _ in named])
    length = float(getattr(found._system, "length", 1.0))
    sizes = np.array([1.0 / length if unit == "m" else 1.0 for _, unit in named])
    tables = [_table(named, x, sizes) for x in values]
    phased = any(len(row) > 3 for table in tables for row in table)
    head = ["coordinate", "amplitude", "", *(["phase [°]"] if phased else [])]
    return {"title": "Shape", "head": head, "rows": [[[*r, ""][: len(head)] for r in table] for table in tables]}


def _table(named: Sequence[tuple[str, str]], x: np.ndarray, sizes: np.ndarray) -> list[list[str]]:
    largest = int(np.argmax(np.abs(x) * sizes))
    if abs(x[largest]) > 0.0:
        x = x / x[largest]
    seen = np.where(np.abs(x) * sizes > ZERO * sizes[largest], x, 0.0)
    if np.all(np.abs(seen.imag) <= STRAIGHT * np.pi * np.abs(seen)):
        return [[name, number_text(float(c.real), 5), unit] for (name, unit), c in zip(named, seen)]
    return [
        [name, number_text(abs(c), 5), unit, number_text(round(float(np.degrees(np.angle(c))), 2), 5) if c else "–"]
        for (name, unit), c in zip(named, seen)
    ]


def _amplitudes(found: Any, modes: Sequence[Any], names: Sequence[str]) -> list[np.ndarray]:
    model = found._system.model
    if isinstance(model, Lagrangian):
        return [np.asarray(mode.shape, dtype=complex)[[model.q.index(n) for n in names]] for mode in modes]
    rows = found._rows([found._measure("mode shape", name) for name in names])
    return [np.array([complex(row @ mode.shape) for _, row, _ in rows]) for mode in modes]
