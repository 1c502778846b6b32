"""linearize for Lagrangian systems: small motions in their own coordinates."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import DalembertError, MethodError, nearest, shown
from ...model.expression import as_expression
from ...model.lagrangian import Lagrangian
from ...state import State
from ..small_motions.linearization import STEADY
from ..small_motions.modes import Linearization, Mode, StateSpace, Transfer, _several
from .derivatives import Derivatives
from .linear import Eigen, Linear, check_rank, check_solved, eigen, linear
from .start import point_of

# parts of the fastest rate: below the first a zero eigenvalue cannot be told from zero, below the second growth is rounding
FREE, GROWTH = 1e-6, 1e-8


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

    _system: Any = field(repr=False)
    _reduced: Any = field(repr=False)
    _linear: Linear = field(repr=False)
    _functions: Derivatives = field(repr=False)
    _eigen: Eigen = field(repr=False)

    @property
    def A(self) -> np.ndarray:
        """State matrix of x."""
        return self._linear.A

    @property
    def names(self) -> tuple[str, ...]:
        """Coordinates and rates whose changes are x."""
        q = self._functions.q
        return (*(q[k] for k in self._linear.positions), *(f"rate({q[k]})" for k in self._linear.speeds))

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """Modes, slow ones first."""
        made, found = self._eigen, []
        n, size = len(self._linear.positions), self._linear.rows.size
        for k, (s, x) in enumerate(zip(made.values, made.vectors.T)):
            real = abs(s.imag) <= 1e-9 * abs(s)
            if s.imag < 0.0 and not real:
                continue  # the other one of a pair
            shape = self._linear.y_to_q @ x[:n]
            if np.max(np.abs(shape / size)) <= 1e-9 * np.max(np.abs(x / self._linear.units)):
                # a rate that stays, without change of place
                shape = self._linear.u_to_v @ x[n:]
            largest = shape[int(np.argmax(np.abs(shape / size)))]
            shape = shape * (abs(largest) / largest) / float(np.max(np.abs(shape)))
            s = complex(s.real, 0.0 if real else s.imag)
            limit = made.rate * (FREE if k < made.zeros else GROWTH)
            found.append(CoordinateMode(s, shape.real if real else shape, limit, 0.0, self))
        return tuple(sorted(found, key=lambda mode: (mode.omega, mode.eigenvalue.real)))

    # -- inputs and outputs ----------------------------------------------------------------------------------------------

    def state_space(self, inputs: Any = (), outputs: Any = ()) -> StateSpace:
        """Matrices A, B, C, D of x' = A x + B u, z = C x + D u.

        Parameters
        ----------
        inputs
            Coordinates, on which generalized forces act, or parameters, which change.
        outputs
            Expressions of coordinates, rates, t and parameters, whose changes are meant, or rows, for their multipliers.
        """
        asked = f"state space of {self.name!r}"
        entries = [self._entry(asked, x) for x in _several(inputs)]
        exits = [self._exit(asked, x) for x in _several(outputs)]
        here, p = self._linear, len(self._functions.system.model.parameters)
        n = len(here.positions)
        b = np.zeros((len(here.A), len(entries)))
        d = np.zeros((len(exits), len(entries)))
        c = np.array([row for _, row, _, _ in exits]).reshape(len(exits), len(here.A))
        parameters = list(self._functions.system.model.parameters)
        for k, (name, da, dlam) in enumerate(entries):
            b[n:, k] = da[here.speeds]
            for i, (_, _, by_parameter, by_lam) in enumerate(exits):
                direct = by_parameter[parameters.index(name)] if p and name in parameters else 0.0
                d[i, k] = direct + by_lam @ dlam
        return StateSpace(here.A, b, c, d, tuple(x[0] for x in entries), tuple(x[0] for x in exits))

    def transfer(self, input: Any, output: Any) -> Transfer:  # noqa: A002
        """Transfer function from an input to an output, named as in `state_space`."""
        asked = f"transfer function of {self.name!r}"
        self._need_steady(asked, "the coefficients change with time, so there is no transfer function")
        made = self.state_space([input], [output])
        poles, rate = self._eigen.values, self._eigen.rate
        size = np.abs(poles)
        blur = np.where(
            size > 0.0, np.maximum(1e-9 * size, (GROWTH * rate) ** 2 / np.where(size > 0.0, size, 1.0)), FREE * rate
        )
        return Transfer(
            made.inputs[0], made.outputs[0], made.A, made.B[:, 0], made.C[0], float(made.D[0, 0]), poles, blur
        )

    def _entry(self, asked: str, x: Any) -> tuple[str, np.ndarray, np.ndarray]:
        """Name of an input, and the accelerations and multipliers of a unit of it."""
        here, functions = self._linear, self._functions
        model = functions.system.model
        name = x if isinstance(x, str) else str(x)
        none = np.zeros(functions.m)
        if name in model.q:
            force = np.zeros(functions.n)
            force[model.q.index(name)] = 1.0
            return name, *here.rows.solve(here.values.mass, force, none)
        if name not in model.parameters:
            known = [*model.q, *model.parameters]
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
        return name, *here.rows.solve(here.values.mass, -r, -s)

    def _exit(self, asked: str, x: Any) -> tuple[str, np.ndarray, np.ndarray, np.ndarray]:
        """Name of an output, and its derivatives by x, by parameters and by multipliers."""
        here, functions = self._linear, self._functions
        rows, p = functions.system.row_names, len(functions.parameters)
        by_lam = np.zeros(functions.m)
        if isinstance(x, str) and x in rows:
            r = rows.index(x)
            by_lam[r] = 1.0
            return f"multiplier of {x}", here.x_to_lam[r], np.zeros(p), by_lam
        row = self._gradient(asked, x)
        by_q, by_v, by_parameter = np.split(row, [functions.n, 2 * functions.n])
        by_x = np.concatenate([by_q @ here.y_to_q + by_v @ here.y_to_v, by_v @ here.u_to_v])
        return x if isinstance(x, str) else str(x), by_x, by_parameter, by_lam

    def _gradient(self, asked: str, x: Any) -> np.ndarray:
        """Derivatives of an expression by coordinates, rates and parameters."""
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

    # -- pictures --------------------------------------------------------------------------------------------------------

    def _displaced(self, mode: Mode, frames: int, amplitude: float, asked: str) -> list[State]:
        from .point import Point

        here, made = self._linear, []
        oscillates = mode.eigenvalue.imag != 0.0
        for k in range(frames):
            turn = 2 * math.pi * k / frames
            part = (
                np.real(mode.shape * np.exp(1j * turn)) if oscillates else mode.shape.real * (2 * k / (frames - 1) - 1)
            )
            point = Point(self._functions.system, here.t, here.q + amplitude * part)
            point.scales()
            point.detect(asked)
            if not point.onto() <= 1e-9:
                raise MethodError(
                    asked, f"amplitude = {amplitude!r}", "the system cannot be displaced so far", "give a smaller amplitude"
                )  # fmt: skip
            made.append(State(here.t, point.q, np.zeros(len(here.q))))
        return made


def small_motions(model: Lagrangian, state: Any, turning: Any, asked: str) -> LagrangianLinearization:
    """Small motions about a state, or about the start."""
    if turning is not None:
        raise MethodError(
            asked, f"turning = {shown(turning)}", "a Lagrangian system is seen in its own coordinates", "leave it out"
        )
    owner = getattr(state, "_model", model)
    if not model.is_of(owner):
        raise MethodError(
            asked, f"an equilibrium of {owner.name!r}", "it belongs to another system", "use one of this system"
        )
    point = point_of(model, state, asked)
    functions = Derivatives(point.system, asked)
    here = linear(functions, point.t, point.q, point.v)
    check_rank(functions, here)
    check_solved(functions, here)
    made = eigen(here.A, here.units)
    values = made.values
    order = np.lexsort((values.imag, values.real, np.round(np.abs(values), 12)))
    left = _left(here)
    return LagrangianLinearization(
        model.name, State(here.t, here.q, here.v), here.mass, here.damping, here.stiffness, here.u_to_v, values[order],
        left <= STEADY and _is_steady(functions, here), left, np.zeros(3), point.system, None, here, functions, made,
    )  # type: ignore[arg-type]  # fmt: skip


# -- steady motions ----------------------------------------------------------------------------------------------------------


def _left(here: Linear) -> float:
    """Accelerations of the independent rates, beside those that displacements of the size of the coordinates give."""
    n, size = len(here.positions), here.rows.size
    place = np.maximum(np.abs(here.q), 1e-3)[here.positions]
    lower = np.abs(here.A[n:]) / size[here.speeds][:, None]
    scale = float(np.max(lower @ np.concatenate([place, np.abs(here.v[here.speeds])]), initial=0.0))
    left = float(np.max(np.abs(here.a[here.speeds] / size[here.speeds]), initial=0.0))
    return left / scale if scale > 0.0 else (0.0 if left == 0.0 else math.inf)


def _deciding(here: Linear) -> np.ndarray:
    """Entries of x that decide about the others; coordinates that only follow (where on the floor a disk rolls) are left out."""
    b = np.abs(here.A / here.units[:, None] * here.units)
    kept = np.ones(len(b), dtype=bool)
    limit = 1e-11 * float(np.max(b, initial=0.0))
    while True:
        idle = [j for j in np.flatnonzero(kept[: len(here.positions)]) if np.max(b[kept, j], initial=0.0) <= limit]
        if not idle:
            return kept
        kept[idle] = False


def _is_steady(functions: Derivatives, here: Linear) -> bool:
    """Whether the coefficients stay what they are along the motion."""
    kept, units = _deciding(here), here.units
    b = (here.A / units[:, None] * units)[np.ix_(kept, kept)]
    fast = float(np.max(np.abs(here.v), initial=0.0))
    for dt in (0.7, 1.61):
        try:
            later = _later(functions, here, dt / fast if fast > 0.0 else dt)
        except (DalembertError, np.linalg.LinAlgError):
            return False
        if later is None or _left(later) > 10.0 * STEADY:
            return False
        there = (later.A / units[:, None] * units)[np.ix_(kept, kept)]
        if np.max(np.abs(b - there), initial=0.0) > 1e-6 * max(float(np.max(np.abs(b), initial=0.0)), 1e-300):
            return False
    return True


def _later(functions: Derivatives, here: Linear, dt: float) -> Linear | None:
    """The system later on its motion, if its independent rates stay constant."""
    t, q, v = here.t + dt, here.q + dt * here.v, here.v.copy()
    h, dependent = functions.h, np.setdiff1d(np.arange(functions.n), here.positions)
    for _ in range(30):
        x = functions.values(t, q, v)
        if not h or not np.isfinite(x.phi).all():
            break
        step = np.linalg.lstsq(x.jac[:h][:, dependent], -x.phi, rcond=1e-10)[0]
        q[dependent] += step
        if np.max(np.abs(step) / np.maximum(1e-3, np.abs(q[dependent])), initial=0.0) <= 1e-14:
            break
    x = functions.values(t, q, v)
    others = np.setdiff1d(np.arange(functions.n), here.speeds)
    v[others] += np.linalg.lstsq(x.jac[:, others], -x.w, rcond=1e-10)[0]
    x = functions.values(t, q, v)
    if not x.finite:
        return None
    length = np.linalg.norm(x.jac, axis=1)
    broken = max(
        float(np.max(np.abs(x.phi) / length[:h], initial=0.0)), float(np.max(np.abs(x.w) / length, initial=0.0))
    )
    return linear(functions, t, q, v, like=here) if broken <= 1e-8 * (1.0 + float(np.max(np.abs(v)))) else None
