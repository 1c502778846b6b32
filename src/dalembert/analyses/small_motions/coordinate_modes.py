"""Small motions of a Lagrangian system: modes, inputs and outputs by coordinates, parameters and expressions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import MethodError, nearest, shown
from ...model.expression import as_expression
from ...model.expression.derivative import ZERO
from ..lagrangian.derivatives import Derivatives
from ..rest.coordinates import Coordinates
from .eigenpairs import Eigenpairs
from .modes import Linearization, Mode, _several
from .of_coordinates import OfCoordinates
from .transfer import StateSpace


class CoordinateMode(Mode):
    """One eigenvalue and its motion; the shape holds the changes of all coordinates, the largest is 1."""

    def amplitude(self, measure: Any) -> complex:
        """Complex amplitude of a coordinate or any expression in this mode."""
        owner: Any = self._owner
        n = len(self.shape)
        row = owner._gradient(f"amplitude in a mode of {owner.name!r}", measure)
        # dq = shape exp(s t), so that dv = s dq
        return complex((row[:n] + self.eigenvalue * row[n : 2 * n]) @ self.shape)


@dataclass(frozen=True, eq=False, repr=False)
class LagrangianLinearization(Linearization):
    """Small motions of a Lagrangian system: y' = G y + N u, M u' + C u + K y = Z^T F, with x = (y, u).

    Attributes
    ----------
    M, C, K
        Reduced mass, damping (with gyroscopic terms) and stiffness (with what multipliers add to it).  Without rate rows u = y' and this
        is the usual form; with them K has one column for each coordinate in y.
    motions
        The free motions Z: columns like velocities, one for each rate in u.
    names
        What the entries of x are: changes of coordinates, then of rates.
    """

    _linear: OfCoordinates = field(repr=False, kw_only=True)

    mode = CoordinateMode

    @cached_property
    def _pairs(self) -> Eigenpairs:
        return self._linear.pairs

    @property
    def _functions(self) -> Derivatives:
        return self._linear.statics.functions

    @property
    def names(self) -> tuple[str, ...]:
        """Coordinates and rates whose changes are x."""
        q = self._functions.q
        return (*(q[k] for k in self._linear.positions), *(f"rate({q[k]})" for k in self._linear.speeds))

    @property
    def _size(self) -> np.ndarray:
        """Shapes have coordinates up to 1."""
        return np.ones(len(self._functions.q))

    # -- inputs and outputs ----------------------------------------------------------------------------------------------

    def state_space(self, inputs: Any = (), outputs: Any = ()) -> StateSpace:
        """Matrices A, B, C, D of x' = A x + B u, z = C x + D u.

        Parameters
        ----------
        inputs
            Coordinates, on which generalized forces act, or parameters, which change, or inputs of the system (`L.input`), which then are no entries of x.
        outputs
            Expressions of coordinates, rates, t and parameters, whose changes are meant, or rows, for their multipliers.
        """
        asked = f"state space of {self.name!r}"
        own = self._own_inputs(inputs)
        entries = [self._entry(asked, x) for k, x in enumerate(_several(inputs)) if k not in own]
        exits = [self._exit(asked, x) for x in _several(outputs)]
        here, p = self._linear, len(self._functions.system.model.parameters)
        n = len(here.positions)
        b = np.zeros((len(self.A), len(entries)))
        d = np.zeros((len(exits), len(entries)))
        c = np.array([row for _, row, _, _ in exits]).reshape(len(exits), len(self.A))
        parameters = list(self._functions.system.model.parameters)
        for k, (name, da, dlam) in enumerate(entries):
            b[n:, k] = da[here.speeds]
            for i, (_, _, by_parameter, by_lam) in enumerate(exits):
                direct = by_parameter[parameters.index(name)] if p and name in parameters else 0.0
                d[i, k] = direct + by_lam @ dlam
        made = StateSpace(self.A, b, c, d, tuple(x[0] for x in entries), tuple(x[0] for x in exits))
        return made.driven_by(own)

    def _own_inputs(self, inputs: Any) -> dict[int, tuple[str, int]]:
        states, names = self._functions.system.model.states, [str(x) for x in _several(inputs)]
        return {k: (x, self.names.index(x)) for k, x in enumerate(names) if states.get(x) == ZERO}

    def _entry(self, asked: str, x: Any) -> tuple[str, np.ndarray, np.ndarray]:
        """Name of an input, and the accelerations and multipliers of a unit of it."""
        here, functions = self._linear, self._functions
        model = functions.system.model
        name = x if isinstance(x, str) else str(x)
        none = np.zeros(functions.m)
        if name in model.q and name not in model.states:
            force = np.zeros(functions.n)
            force[model.q.index(name)] = 1.0
            return name, *here.changes(force, none)
        if name not in model.parameters:
            known = [*(x for x in model.q if x not in model.states), *model.parameters]
            raise MethodError(
                asked,
                f"input {shown(x)}",
                f"it is neither a coordinate nor a parameter; {nearest(name, known)}",
                "name a coordinate, for a force on it, or a parameter",
            )
        r, s, phi, w = functions.by_parameter(name, here.t, here.q, here.v, here.a, here.lam)
        if np.any(phi) or np.any(w):
            rows = functions.system.row_names
            moved = [rows[k] for k in np.flatnonzero(w)] + [rows[k] for k in np.flatnonzero(phi)]
            raise MethodError(
                asked,
                f"input {name!r}, which moves row {moved[0]!r}",
                "the state would leave the constraint at once",
                "make it a coordinate of its own with some inertia, or take a parameter of forces or inertia",
            )
        return name, *here.changes(-r, -s)

    def _exit(self, asked: str, x: Any) -> tuple[str, np.ndarray, np.ndarray, np.ndarray]:
        """Name of an output, and its derivatives by x, by parameters and by multipliers."""
        here, functions = self._linear, self._functions
        rows, p = functions.system.row_names, len(functions.parameters)
        by_lam = np.zeros(functions.m)
        if isinstance(x, str) and x in rows:
            r = rows.index(x)
            by_lam[r] = 1.0
            return f"multiplier of {x}", here.x_to_lam[r], np.zeros(p), by_lam
        row, made = self._gradient(asked, x), here.made
        by_q, by_v, by_parameter = np.split(row, [functions.n, 2 * functions.n])
        by_x = np.concatenate([by_q @ made.motions + by_v @ made.carried, by_v @ made.speeds])
        return x if isinstance(x, str) else str(x), by_x, by_parameter, by_lam

    def _gradient(self, asked: str, x: Any) -> np.ndarray:
        here, functions = self._linear, self._functions
        known = [*functions.system.model.parameters, "t", *functions.q, *functions.rates]
        made = functions.gradient(as_expression(x, known, asked=asked), here.t, here.q, here.v)
        if not np.isfinite(made).all():
            raise MethodError(
                asked,
                f"output {shown(x)} without a finite value or derivative",
                "a small change of it is not defined at this state",
                "take another expression or state",
            )
        return made[1:]

    def _displaceable(self) -> Coordinates:
        here = self._linear
        return Coordinates(self._functions, here.t, here.q, np.zeros(len(here.q)), (), here.statics)
