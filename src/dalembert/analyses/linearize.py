"""linearize: small motions about a state, M y'' + C y' + K y = F: eigenvalues, modes, transfer functions, state space."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..compilation import compiling
from ..errors import MethodError, SingularError, shown
from ..model.expression.checks import plain_number
from ..model.kinds import named
from ..model.reading import listed
from ..options.call import verb
from ..state import State
from ..system.system import compile
from .equilibrium import Equilibrium
from .pose.pose import Pose
from .small_motions.eigenpairs import eigenpairs
from .small_motions.friction import smooth
from .small_motions.linearization import STEADY
from .small_motions.modes import Linearization
from .small_motions.of_bodies import OfBodies
from .small_motions.with_states import coupled

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism
    from ..system.system import System


@verb
def linearize(model: Mechanism | Lagrangian, state: Any = None, *, turning: Any = None) -> Linearization:
    """Small motions of a mechanism or a Lagrangian system about a state: reduced M, C, K, eigenvalues, modes, transfer functions.

    Parameters
    ----------
    model
        The mechanism, or a Lagrangian system: then inputs are coordinates (for forces on them) or parameters, outputs any expressions.
    state
        A State, or an equilibrium as `equilibrium` finds it; default: the drawing, assembled, with the initial conditions.
    turning
        Angular velocity [rad/s] of the axes from which a steady motion is seen: a number in the plane, three in space axes in space.
        Default: the smallest one in which the motion is steady.

    Returns
    -------
    Linearization
        `.M .C .K .eigenvalues .modes .state_space(inputs, outputs) .transfer(input, output)`; prints the modes.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> hanging = da.equilibrium(m)[0]
    >>> round(float(da.linearize(m, hanging).modes[0].omega ** 2), 6)
    14.715
    """
    asked = named("linearize", model)
    found: Any = {"mechanism": _of_bodies, "lagrangian": _of_coordinates}[model.kind]
    with compiling(), np.errstate(all="ignore"):
        return found(asked, model, state, turning)  # type: ignore[no-any-return]


def _of_bodies(asked: str, model: Mechanism, state: Any, turning: Any) -> Linearization:
    rate = None if turning is None else _read_turning(asked, model, turning)
    here = OfBodies(smooth(_pose_at(asked, model, state), asked), asked)
    smallest, left = here.turning()
    omega = smallest if rate is None else rate
    made = here.reduced(omega)
    steady = left <= STEADY
    if steady and not here.is_steady(omega, made):
        steady = False
        spin = _common_spin(here)
        if rate is None and np.any(spin):
            # a body without symmetry turns: its own axes are the ones that see constant coefficients
            other = here.reduced(spin)
            if here.is_steady(spin, other):
                omega, made, steady = spin, other, True
    _check_finite(asked, "derivatives", made.mass, made.damping, made.stiffness)
    here.check()
    states = coupled(here, made)
    if states is not None:
        for k, name in enumerate(states.names):
            _check_finite(asked, f"the rate of state {name!r}, or its derivatives,", states.row[k], states.column[:, k])
        steady = steady and states.steady
    values = _ordered(eigenpairs(made, states).values)
    base = State(here.t, here.q, here.v, here.angles, tuple(here.system.body_names), here.z)
    matrices = made.mass, made.damping, made.stiffness, made.motions, values
    return Linearization(model.name, base, *matrices, steady, left, omega, here.system, made, _coupled=states)


def _of_coordinates(asked: str, model: Lagrangian, state: Any, turning: Any) -> Linearization:
    from .lagrangian.point import Point
    from .small_motions.coordinate_modes import LagrangianLinearization
    from .small_motions.of_coordinates import OfCoordinates

    if turning is not None:
        why = "a Lagrangian system is seen in its own coordinates"
        raise MethodError(asked, f"turning = {shown(turning)}", why, "leave it out")
    if isinstance(state, Equilibrium) and not model.is_of(state._model):
        other = f"an equilibrium of {state._model.name!r}"
        raise MethodError(asked, other, "it belongs to another system", "use one of this system")
    found = Point.of(model.beginning(), state, asked=asked)
    here = OfCoordinates(smooth(found, asked), asked)
    made = here.made
    here.check()
    base, values = State(here.t, here.q, here.v), _ordered(here.pairs.values)
    matrices = made.mass, made.damping, made.stiffness, made.speeds, values
    return LagrangianLinearization(
        model.name, base, *matrices, here.is_steady(), here.left, np.zeros(3), here.system, made, _linear=here
    )


def _ordered(values: np.ndarray) -> np.ndarray:
    """Slow ones first."""
    return np.asarray(values[np.lexsort((values.imag, values.real, np.round(np.abs(values), 12)))])


def _pose_at(asked: str, model: Mechanism, state: Any) -> Pose:
    if not isinstance(state, Equilibrium):
        return Pose.of(model, state, asked=asked)
    system = cast("System", state._system)
    if state._model is not model:
        raise MethodError(
            asked,
            f"an equilibrium of {state._model.name!r}",
            "it belongs to another mechanism",
            "use one of this mechanism",
        )
    values, place = system.builder.drawing.values, state.state
    pose = Pose(compile(model, values=values), place.t, place.q, place.v, place.angles)
    pose.work.put_states(asked, place.z)
    # where redundant dimensions disagree, another choice among the rows may be kept here: settle on it
    pose.onto()
    pose.velocity_onto()
    pose.check_place(asked)
    pose.follow()
    return pose


def _read_turning(asked: str, model: Mechanism, turning: Any) -> np.ndarray:
    items = [turning] if model.plane else listed(turning) or []
    numbers = [plain_number(x) for x in items]
    if len(numbers) != (1 if model.plane else 3) or any(x is None or not math.isfinite(x) for x in numbers):
        what, are = ("a number", "is") if model.plane else ("three numbers", "are")
        raise MethodError(asked, f"turning = {shown(turning)}", f"{what} in rad/s {are} needed", f"give {what}")
    given = [float(x or 0.0) for x in numbers]
    return np.array([0.0, 0.0, *given]) if model.plane else np.array(given)


def _check_finite(asked: str, what: str, *parts: np.ndarray) -> None:
    if not all(np.isfinite(part).all() for part in parts):
        raise SingularError(
            asked,
            f"{what} without a finite value",
            "a law or the mass is not defined next to this state",
            "check the laws of force elements and states, or take another state",
        )


def _common_spin(here: OfBodies) -> np.ndarray:
    """Mean angular velocity of the bodies that turn, in space axes."""
    v = (here.axes(here.q) @ np.where(here.system.moves, here.v, 0.0)).reshape(len(here.system.body_names), -1)
    spins = np.zeros((len(v), 3))
    spins[:, 2 if here.system.plane else 0 :] = v[:, 2 if here.system.plane else 3 :]
    turning = spins[spins.any(axis=1)]
    return np.mean(turning, axis=0) if len(turning) else np.zeros(3)
