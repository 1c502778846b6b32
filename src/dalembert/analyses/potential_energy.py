"""potential_energy: the potential energy V of all forces at rest, Q = -dV/dq, where there is one (LAGRANGE 2.1.2-10)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compilation import compiling
from ..errors import ConvergenceError, ExpressionError, MethodError, shown
from ..model.auxiliary import refuse_states
from ..model.expression import Expr
from ..model.kinds import check_model
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.output_units import read_units
from ..options.call import verb
from ..state import State
from ..system.lagrange import compile_lagrangian
from .dynamics.start import at_state
from .lagrangian.derivatives import Derivatives
from .pose.pose import Pose
from .rest.bodies import Bodies
from .rest.coordinates import Coordinates
from .rest.potential import Energy
from .rest.statics import Statics


@dataclass(frozen=True, eq=False, repr=False)
class PotentialEnergy:
    """Potential energy of a model: `float(da.potential_energy(m))`.

    Attributes
    ----------
    value
        V at the state [J].
    expression
        V as an expression of coordinates, t and parameters, whose value is `value`; None for mechanisms, and where SymPy does not integrate the forces.
    state
        Where V was asked for.
    """

    value: float
    expression: Expr | None
    state: State
    model: Mechanism | Lagrangian = field(repr=False)

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        unit, factor = read_units("potential_energy", self.model.units).of("J")
        formula = f" = {self.expression}" if self.expression is not None else ""
        return f"potential energy of {self.model.name!r}: V{formula} = {self.value * factor + 0.0:.9g} {unit} at t = {self.state.t:g} s"

    __repr__ = __str__


@verb
def potential_energy(model: Mechanism | Lagrangian, state: Any = None) -> PotentialEnergy:
    """Potential energy of all forces at rest, V with Q = -dV/dq; refused where they have none.

    There is one if dQ_i/dq_j = dQ_j/dq_i for all motions that the rows on positions allow; this is computed from exact slopes at the start and at random
    places around it.  V has the closed form of weights, springs and constant forces; that of other forces is minus their work from the start
    along a way that the rows allow.  Forces along rates alone (dampers) do not count; time stands still.

    Parameters
    ----------
    model
        The mechanism or Lagrangian system.
    state
        State or equilibrium at which V is given; default: the start.

    Returns
    -------
    PotentialEnergy
        `.value` [J], of a Lagrangian system also `.expression`; for that of a mechanism ask `da.potential_energy(da.lagrangian_of(m))`.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Lagrangian("x y", kinetic="(rate(x)**2 + rate(y)**2)/2", forces={"x": "-2*x*y", "y": "-x**2"}, name="field")
    >>> m.start("x", 2.0)
    >>> m.start("y", 3.0)
    >>> print(da.potential_energy(m))
    potential energy of 'field': V = x**2*y = 12 J at t = 0 s
    """
    asked = f"potential_energy({shown(getattr(model, 'name', model), 40)})"
    check_model(asked, model)
    why = "their rates are no forces, and what depends on them has no potential"
    refuse_states(asked, model, why, "leave them out, or put numbers in their place")
    with compiling(), np.errstate(all="ignore"):
        here = at_state(model, state, asked, consistent=False).state
        statics, energy = _at_rest(asked, model, here.t)
        if energy.reason:
            raise _refused(asked, energy)
        formula = _formula(model, asked) if isinstance(model, Lagrangian) else None
        statics.place = here.q, statics.pose.work.angle if here.angles is None else here.angles
        statics.evaluate()
        statics.factor()
        value = energy()
        if isinstance(model, Lagrangian) and formula is not None:
            names = {**model.parameters, **dict(zip(model.q, map(float, here.q))), "t": here.t}
            value = formula.evaluate(names)
        if not math.isfinite(value):
            raise ConvergenceError(
                asked, "the forces have a potential, but their work from the start was not found", "no way of small steps on the rows leads from the start here, or a force has no value on it",
                "let the model start nearer to this state (m.start)",
            )  # fmt: skip
        return PotentialEnergy(value, formula, here, model)


def _at_rest(asked: str, model: Mechanism | Lagrangian, t: float) -> tuple[Statics, Energy]:
    if isinstance(model, Lagrangian):
        functions = Derivatives(compile_lagrangian(model, asked).own(), asked)
        q = at_state(model, None, asked, t=t, consistent=False).q
        coordinates = Coordinates(functions, t, q, np.zeros(len(q)))
        coordinates.factor()
        return coordinates, coordinates.energy()
    bodies = Bodies(Pose.of(model, None, asked=asked, t=t, consistent=False))
    bodies.factor()
    return bodies, bodies.energy()


def _refused(asked: str, energy: Energy) -> MethodError:
    listed = "; ".join(f"{name}: {reason}" for name, reason in energy.guilty())
    return MethodError(
        asked, listed, "a potential needs dQ_i/dq_j = dQ_j/dq_i for all motions, and forces that do not depend on rates",
        "leave these loads out, or ask for their work along a run: run.work",
    )  # fmt: skip


def _formula(model: Lagrangian, asked: str) -> Expr | None:
    """V of potentials and forces as an expression; None where there is no closed form."""
    from ..symbolic.conserved import potential_of
    from ..symbolic.derivation import derive

    try:
        d = derive(model, asked, inertia=False)
        found = potential_of(d, d.Q)
    except ExpressionError:
        return None  # what has no formula in SymPy: tables
    return None if found is None else d.symbols.back(d.V + found)
