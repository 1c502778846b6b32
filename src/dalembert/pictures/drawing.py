"""What is drawn: results, mechanisms, equilibria and modes, all read as poses of one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compilation import compiling
from ..errors import DalembertError, MethodError, shown
from ..model.expression.checks import plain_number
from ..model.mechanism import Mechanism
from ..model.output_units import OutputUnits
from ..results.in_units import units_of
from ..results.poses import stacked, still
from ..results.record import Record
from ..results.result import Result
from ..results.saved import SavedResult
from ..state import State, state_of
from ..viewer.drawn import Pose
from ..viewer.scene import drawing

if TYPE_CHECKING:
    from ..model.model import Model
    from ..system.system import System


# panels of one picture: more cannot be seen
MOST = 12
WHAT = "draw shows a mechanism, a run, an assembly, an equilibrium or modes"


@dataclass
class Panel:
    """One drawing: the pose, a title, poses that are drawn dashed, and its time where it has one that the title does not tell."""

    pose: Pose
    title: str = ""
    dashed: list[Pose] = field(default_factory=list)
    clock: str = ""


@dataclass
class Drawing:
    """Everything there is to draw: run, scene, panels, all poses of the run."""

    name: str
    run: Record
    scene: dict[str, Any]
    panels: list[Panel]
    shown: list[Any]
    origin: np.ndarray  # (time, body, 3)
    rotation: np.ndarray
    units: OutputUnits = field(default_factory=OutputUnits)  # in which texts are

    @property
    def plane(self) -> bool:
        """Whether it is drawn in the plane."""
        return bool(self.scene["plane"])

    def output(self, k: int) -> Pose:
        """Pose at output k."""
        return Pose(float(self.run.t[k]), self.origin[k], self.rotation[k], self.run, k)

    def path(self, place: Any) -> np.ndarray:
        """Path of a place over all outputs."""
        body, point = place[0], np.asarray(place[1], dtype=float)
        n = len(point)
        if body < 0:
            return np.broadcast_to(point, (len(self.origin), n))
        return self.origin[:, body, :n] + self.rotation[:, body, :n, :n] @ point

    def __len__(self) -> int:
        return len(self.origin)


def read(asked: str, x: Any, at: Any, units: Any = None) -> Drawing:
    """Drawing of anything that can be drawn; `at` are the times, or for a mechanism a state; texts in the units given, else those of the model."""
    found = _read(asked, x, at)
    found.units = units_of(asked, found.run, units)
    unit, factor = found.units.of("s")
    for panel in found.panels if isinstance(getattr(x, "run", x), Record) else ():
        text = f"t = {panel.pose.t * factor:.4g} {unit}"
        if isinstance(at, list | tuple | np.ndarray):
            panel.title = panel.title or text
        else:
            panel.clock = text
    return found


def _read(asked: str, x: Any, at: Any) -> Drawing:
    from ..analyses.assemble import Assembly
    from ..analyses.equilibrium import Equilibria, Equilibrium
    from ..analyses.small_motions.modes import Linearization, Mode

    given = getattr(x, "run", x) if not isinstance(x, Mechanism) else x
    panels: list[tuple[str, State, list[State]]]
    if isinstance(given, SavedResult):
        found = "a result read from a file"
        raise MethodError(asked, found, "files hold numbers, not shapes", "draw the run itself, or plot the file")
    if isinstance(given, Record):
        return _of_run(asked, given, at)
    if isinstance(x, Mechanism):
        return _of_mechanism(asked, x, at)
    if at is not None:
        name = type(x).__name__
        why = f"{'an' if name[0] in 'AEIOU' else 'a'} {name} has no other times"
        raise MethodError(asked, f"at = {shown(at)}", why, "leave at= out, or draw a run")
    if isinstance(x, Assembly):
        others = (x.alternatives or ())[: MOST - 1]
        panels = [("assembled" if others else "", x.state, [])]
        panels += [(f"other {k}", a.state, []) for k, a in enumerate(others, 1)]
        return _of_states(asked, x._system, panels)
    if isinstance(x, Equilibrium) or (isinstance(x, Equilibria) and len(x)):
        several = [x] if isinstance(x, Equilibrium) else list(x)[:MOST]
        _need_mechanism(asked, several[0]._model)
        panels = [(e.verdict if len(several) > 1 else "", e.state, []) for e in several]
        return _of_states(asked, several[0]._system, panels)
    if isinstance(x, Mode | Linearization):
        modes = [x] if isinstance(x, Mode) else [m for m in x.modes if m.frequency > 0.0][:MOST] or list(x.modes)
        owner = x._owner if isinstance(x, Mode) else x
        _need_mechanism(asked, owner._system.model)
        return _of_states(asked, owner._system, [_mode(mode, owner.state) for mode in modes])
    raise MethodError(asked, f"{shown(x, 60)} of type {type(x).__name__}", WHAT, "give one of these")


def _need_mechanism(asked: str, model: Model) -> None:
    if not isinstance(model, Mechanism):
        found, why = f"a {type(model).__name__} has no shapes", "its parts are points that move with a run"
        raise MethodError(asked, found, why, "draw a run of it: da.draw(da.simulate(...))")


def _mode(mode: Any, state: State) -> tuple[str, State, list[State]]:
    """Title, neutral state and the two extreme states of a mode."""
    states = mode.states(2, 0.2)
    title = f"{mode.frequency:.3g} Hz" if mode.frequency > 0.0 else f"{mode.eigenvalue.real:.3g} 1/s"
    return title, state, states


def _of_mechanism(asked: str, model: Mechanism, at: Any) -> Drawing:
    from ..analyses.pose.pose import Pose as Computed

    _need_bodies(asked, model)
    state, t = state_of(at), 0.0
    if at is not None and not isinstance(state, State):
        number = plain_number(at)
        if number is None or not np.isfinite(number):
            why = "a mechanism is drawn as assembled at a time, or in a state"
            raise MethodError(asked, f"at = {shown(at)}", why, "give at=0.0, or at=run.at(t)")
        state, t = None, float(number)
    with compiling(), np.errstate(all="ignore"):
        pose = Computed.of(model, state, asked=asked, t=t)
    return _of_states(asked, pose.system, [("", pose.state, [])])


def _need_bodies(asked: str, model: Model) -> None:
    if isinstance(model, Mechanism) and not model.bodies:
        raise MethodError(asked, "no moving body", "there is nothing to draw", "add a body with m.body(...)")


def _of_states(asked: str, system: Any, panels: list[tuple[str, State, list[State]]]) -> Drawing:
    """Drawing of states of one compiled mechanism: a result whose outputs are these states."""
    states = [state for _, first, others in panels for state in (first, *others)]
    found = of_result(asked, stacked([_at(system, state) for state in states]))
    k = 0
    for title, _, others in panels:
        dashed = [found.output(k + 1 + i) for i in range(len(others))]
        found.panels.append(Panel(found.output(k), title, dashed))
        k += 1 + len(others)
    return found


def _at(system: System, state: State) -> Result:
    """Result at a state, with its loads where equations of motion have a solution there."""
    from ..analyses.pose.pose import Pose as Computed
    from ..analyses.reactions import at_instant

    given = state.angles if len(state.angles) == len(system.builder.angles) else None
    pose = Computed(system, state.t, state.q, state.v, given)
    pose.work.put_states("draw", state.z)
    try:
        with np.errstate(all="ignore"):
            pose.detect()
            pose.follow()
            made = at_instant(pose, "draw")
    except (DalembertError, np.linalg.LinAlgError):
        # it can be drawn all the same, only without loads
        made = still(system, [state])
        made.v = np.array([state.v])
    assert isinstance(made, Result)
    return made


def _of_run(asked: str, run: Record, at: Any) -> Drawing:
    if not len(run.t):
        raise MethodError(asked, "no outputs", "there is nothing to draw", "give a run with at least one output")
    found = of_result(asked, run)
    several = isinstance(at, list | tuple | np.ndarray)
    if several and not 0 < len(at) <= MOST:
        why = f"one picture shows up to {MOST} poses"
        raise MethodError(asked, f"{len(at)} times", why, "give fewer times, ghosts=..., or make a film")
    found.panels += [Panel(pose_at(asked, found, t)) for t in (at if several else [at])]
    return found


def pose_at(asked: str, subject: Drawing, t: Any) -> Pose:
    """Pose of a run at a time; None or "end" the last, "start" the first output."""
    run = subject.run
    if t is None or (isinstance(t, str) and t in ("end", "start")):
        return subject.output(0 if t == "start" else len(run.t) - 1)
    number = plain_number(t)
    low, high = sorted((float(run.t[0]), float(run.t[-1])))
    slack = 1e-9 * (high - low)
    if number is None or not low - slack <= number <= high + slack:
        found = f"at = {shown(t)}; the run covers {low:g} … {high:g} s"
        raise MethodError(asked, found, "there is nothing outside it", "choose a time inside, 'start' or 'end'")
    k = int(np.argmin(np.abs(np.asarray(run.t) - number)))
    if abs(float(run.t[k]) - number) <= slack:
        return subject.output(k)
    other = run.resample([number])
    return of_result(asked, other, subject.scene).output(0)


def of_result(asked: str, run: Record, known: dict[str, Any] | None = None) -> Drawing:
    """Drawing of a run without panels; `known` is its scene where it exists already."""
    _need_bodies(asked, run.model)
    maker = drawing(run)
    if maker is None:
        found = "a Lagrangian system without parts"
        raise MethodError(asked, found, "its coordinates have no place to draw", "plot it: run.plot()")
    shown = known or maker.scene({})
    return Drawing(run.model.name, run, shown, [], maker.shown, maker.origins, maker.rotations)
