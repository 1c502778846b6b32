"""linearize: small motions about a state, M y'' + C y' + K y = F: eigenvalues, modes, transfer functions, state space."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import MethodError, SingularError, checked_call, shown
from ..model.expression.checks import plain_number
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.reading import listed
from ..state import State
from .equilibrium import Equilibrium
from .small_motions.modes import Linearization, eigenpairs


@checked_call
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
    from ..compilation import compiling
    from .pose.pose import read_mechanism

    if not isinstance(model, Lagrangian):
        read_mechanism(f"linearize({shown(model, 40)})", model)
    asked = f"linearize({model.name!r})"
    if isinstance(model, Lagrangian):
        from .lagrangian.linearize import small_motions

        with compiling("lagrangian"), np.errstate(all="ignore"):
            return small_motions(model, state, turning, asked)
    rate = None if turning is None else _read_turning(asked, model, turning)

    with compiling(), np.errstate(all="ignore"):
        from .small_motions.linearization import STEADY, Linearizer
        from .small_motions.with_states import coupled

        linearizer = Linearizer(_pose_at(asked, model, state), asked)
        smallest, left = linearizer.turning()
        omega = smallest if rate is None else rate
        made = linearizer.reduced(omega)
        steady = left <= STEADY
        if steady and not linearizer.is_steady(omega, made):
            steady = False
            spin = _common_spin(linearizer)
            if rate is None and np.any(spin):
                # a body without symmetry turns: its own axes are the ones that see constant coefficients
                other = linearizer.reduced(spin)
                if linearizer.is_steady(spin, other):
                    omega, made, steady = spin, other, True
        _check_finite(asked, "derivatives", made.mass, made.damping, made.stiffness)
        linearizer.check()
        states = coupled(linearizer, made)
        if states is not None:
            for k, name in enumerate(states.names):
                _check_finite(
                    asked, f"the rate of state {name!r}, or its derivatives,", states.row[k], states.column[:, k]
                )
        steady = steady and (states is None or states.steady)
        values = eigenpairs(made, states).values
        order = np.lexsort((values.imag, values.real, np.round(np.abs(values), 12)))
        base = State(
            linearizer.t,
            linearizer.q,
            linearizer.v,
            linearizer.angles,
            tuple(linearizer.system.body_names),
            linearizer.z,
        )
        return Linearization(
            model.name,
            base,
            made.mass,
            made.damping,
            made.stiffness,
            made.motions,
            values[order],
            steady,
            left,
            omega,
            linearizer.system,
            made,
            _coupled=states,
        )


def _pose_at(asked: str, model: Mechanism, state: Any) -> Any:
    from ..system.system import compile
    from .pose.initial import check_mass
    from .pose.pose import Pose

    if not isinstance(state, Equilibrium):
        return Pose.of(model, state, asked=asked)
    if state._model is not model:
        raise MethodError(
            asked,
            f"an equilibrium of {state._model.name!r}",
            "it belongs to another mechanism",
            "use one of this mechanism",
        )
    values, place = state._system.builder.drawing.values, state.state
    pose = Pose(compile(model, values=values), place.t, place.q, place.v, place.angles)
    pose.work.put_states(asked, place.z)
    # where redundant dimensions disagree, another choice among the rows may be kept here: settle on it
    pose.onto()
    pose.velocity_onto()
    check_mass(pose.system, pose.work)
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


def _common_spin(linearizer: Any) -> np.ndarray:
    """Mean angular velocity of the bodies that turn, in space axes."""
    v = linearizer.axes(linearizer.q) @ linearizer.v
    bodies = linearizer.system.builder.bodies
    if linearizer.system.plane:
        spins = [np.array([0.0, 0.0, x]) for x, body in zip(v[2::3], bodies) if not body.particle]
    else:
        spins = [x[3:] for x, body in zip(v.reshape(-1, 6), bodies) if not body.particle]
    spins = [x for x in spins if np.any(x)]
    return np.mean(spins, axis=0) if spins else np.zeros(3)
