"""The start of a run or an analysis: positions that satisfy all rows, then velocities that do; what contradicts is told by name.

    positions    near the drawing of bodies, or near guesses of coordinates; values that are given are held while the rest is assembled
    velocities   J v = nu and the rates that are given; what is not given has, or changes by, the smallest kinetic energy

What is held is a further row of the model: `Dynamics.assembled` and `Dynamics.solve_velocities` know which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError, shown
from ...kernels.hold import VELOCITY
from ...model.kinds import check_model
from ...model.measure import Measure
from ...state import State, state_of
from ...system.known import compiled, known_system
from .consistent import TOLERANCE, check_velocities
from .dynamics import Dynamics, kind_of_view
from .prepared import Prepared

if TYPE_CHECKING:
    from ...model.lagrangian import Lagrangian
    from ...model.mechanism import Mechanism
    from ...system.lagrange import LagrangeSystem
    from ...system.system import System


def read_state(asked: str, model: Mechanism | Lagrangian, given: Any, name: str = "state") -> State | None:
    """A state that fits the model, from a state or a result that has one; None: the start."""
    state = state_of(given)
    if state is None:
        return None
    if not isinstance(state, State):
        do = "give da.State(t, q, v), run.at(t), or one equilibrium of da.equilibrium(m)"
        raise MethodError(asked, f"{name} = {shown(state)}", "a State is needed", do)
    model._check_state(asked, state)
    return state


def prepare(
    model: Mechanism | Lagrangian,
    t: float,
    start: State | None,
    asked: str = "",
    velocities: str = "error",
    keep: Any = None,
    system: System | LagrangeSystem | None = None,
    extra: tuple[Measure, ...] = (),
    floor: Any = None,
) -> Prepared:
    """Compile (unless that is done) and find a consistent start: that of a state, or the assembled one with the initial conditions.

    `velocities` and `keep` as in `simulate`, `extra` as in `compile`; `floor`: status of the rows, where some are off.
    """
    asked = asked or f"simulate({model.name!r})"
    system = compiled(model, asked, extra) if system is None else system
    kind, given = kind_of_view(system), f"{asked.removesuffix(')')}, start=...)"
    if start is None:
        here = kind.assembled(system, t, asked)
    else:
        here = kind.at(system, start, given)
        if floor is not None:
            here.work.floor[:] = floor
        here.check_branch(given)
    here.scales()
    here.detect(asked)
    if start is None and here.dropped.any():
        # initial conditions were met with another choice among dependent rows; where dimensions disagree, the two differ by that much
        here.settle()
    disagreement = here.check_positions(asked, "drawing" if start is None else "state")
    if start is not None and disagreement > TOLERANCE:
        here.settle()
        disagreement = here.check_positions(asked, "state")
    mismatch, impulse = here.mismatch(), None
    here.check_place(asked)
    if start is None and velocities != "error":
        here.v = here.given_velocities()
    elif start is None:
        here.v = here.solve_velocities(asked)
        if here.dropped.any():
            here.project(VELOCITY, 1e-15, 20)
    if velocities == "impulsive":
        impulse = here.caught(f"impulsive start of {model.name!r}")
        here.v = impulse.after.v.copy()
        check_velocities(here, asked, solved=True)
    elif velocities == "solve":
        here.v = here.keep_velocities(keep, start is None, asked)
    if start is not None:
        check_velocities(here, given)
    here.follow()
    dropped = [int(r) for r in np.flatnonzero(here.dropped)]
    return Prepared(here.system, here.work, here.state, dropped, disagreement, mismatch, set(dropped), impulse)


def started(model: Mechanism | Lagrangian, t: float, asked: str = "", extra: tuple[Measure, ...] = ()) -> Prepared:
    """The assembled start; of a mechanism that is as it was the last time, by copying what was found then.

    The system is shared with other runs of the mechanism, the memory is not.
    """
    system = known_system(model, extra, asked)
    begun = system.known.get("begun")
    if begun is None or begun.state.t != t:
        begun = system.known["begun"] = prepare(model, t, None, asked, system=system)
    # a run changes what it is given: rows left out, jumps, memory
    work = begun.system.workspace()
    work.F[:] = begun.work.F
    dropped = list(begun.dropped)
    return Prepared(
        begun.system, work, begun.state.copied(), dropped, begun.disagreement, begun.mismatch, set(dropped), None
    )


def at_state(
    model: Mechanism | Lagrangian,
    state: Any,
    asked: str,
    *,
    t: float = 0.0,
    extra: Sequence[Measure] = (),
    consistent: bool = True,
) -> Dynamics:
    """A model at a state, or at a result that has one (an equilibrium, an assembly); default: assembled at the time t, with the initial conditions.

    Which rows depend on others is found there.  `extra` are measures of a mechanism that are wanted besides those of the model (`Pose.measure`);
    with `consistent`, a state that breaks constraints is refused, positions or velocities.
    """
    check_model(asked, model)
    given = read_state(asked, model, state)
    if given is None:
        return started(model, t, asked, tuple(extra)).here()
    system = known_system(model, tuple(extra), asked)
    here = kind_of_view(system).at(system, given, asked)
    here.scales()
    here.detect(asked)
    if consistent:
        here.check_positions(asked, "state")
        check_velocities(here, asked)
    here.check_place(asked)
    here.follow()
    return here
