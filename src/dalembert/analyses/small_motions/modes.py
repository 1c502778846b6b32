"""Small motions about a state: the result of `linearize` with its modes, transfer functions and state space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError, SingularError, nearest, shown
from ...model.expression.checks import plain_number
from ...model.forces import Force
from ...model.measure import Measure
from ...model.reading import listed
from ...results.paged import Paged
from ...results.table import aligned
from ...state import State
from ...system.system import compile
from ..pose.pose import Pose
from ..rest.bodies import Bodies
from .eigenpairs import Eigenpairs, eigenpairs, state_matrix
from .transfer import StateSpace, Transfer

if TYPE_CHECKING:
    from ...system.system import System
    from ..rest.statics import Statics
    from .linearization import Reduced
    from .with_states import Coupled


@dataclass(frozen=True, eq=False)
class Mode:
    """One eigenvalue and its motion; a complex pair is one mode.

    Attributes
    ----------
    eigenvalue
        s of exp(s t) [1/s], with the positive imaginary part of a pair.
    shape
        Displacements of all bodies, like velocities; the largest is 1 rad or one length of the model.
    resolution
        Size below which an eigenvalue of this motion cannot be told from zero [1/s]: what rounding leaves beside stiff springs.
    """

    eigenvalue: complex
    shape: np.ndarray = field(repr=False)
    resolution: float = field(repr=False)
    _by_loads: float = field(repr=False)
    _owner: Linearization = field(repr=False)
    _states: np.ndarray = field(default_factory=lambda: np.zeros(0), repr=False)  # changes of the auxiliary states

    @property
    def free(self) -> bool:
        """Whether nothing holds this motion: its eigenvalue is zero, as far as can be told."""
        return self.eigenvalue == 0.0

    @property
    def omega(self) -> float:
        """Natural angular frequency |s| [rad/s]."""
        return abs(self.eigenvalue)

    @property
    def frequency(self) -> float:
        """Frequency of the oscillation Im(s)/2π [Hz]; zero if it does not oscillate."""
        return abs(self.eigenvalue.imag) / (2 * math.pi)

    @property
    def damping_ratio(self) -> float:
        """-Re(s)/|s|: 0 undamped, 1 critical or slower, negative if it grows."""
        return -self.eigenvalue.real / self.omega if self.omega > 0.0 else 0.0

    def amplitude(self, measure: Any) -> complex:
        """Complex amplitude of a measure, or of an auxiliary state, in this mode."""
        owner = self._owner
        if (k := owner._state(measure)) is not None:
            return complex(self._states[k])
        return complex(owner._rows([owner._measure("amplitude", measure)])[0][1] @ self.shape)

    def states(self, frames: int = 24, amplitude: float = 0.2) -> list[State]:
        """States of one cycle of the mode on the constraints, for pictures; the largest displacement is `amplitude`.

        A mode that does not oscillate goes from -amplitude to amplitude.  Steady motions are shown as seen from their turning axes.
        """
        asked = f"states of a mode of {self._owner.name!r}"
        if not isinstance(frames, int) or isinstance(frames, bool) or not 2 <= frames <= 10_000:
            raise MethodError(asked, f"frames = {shown(frames)}", "it is an integer from 2 to 10000", "give frames=24")
        size = plain_number(amplitude)
        if size is None or not 0.0 < size < 10.0:
            raise MethodError(asked, f"amplitude = {shown(amplitude)}", "it is a positive number", "give amplitude=0.2")
        return self._owner._displaced(self, frames, size, asked)


@dataclass(frozen=True, eq=False)
class Linearization(Paged):
    """Small motions y of the free motions Z about a state: M y'' + C y' + K y = Z^T F.

    Conditions on velocities only (rolling, knife edges) leave more displacements y than speeds w.  Then M w' + C w + K y = Z^T F
    and y' = S w + G y; displacements that no force brings back have eigenvalues zero.

    Attributes
    ----------
    M, C, K
        Reduced mass, damping (with gyroscopic terms) and stiffness (with the geometric stiffness of the joints).
    motions
        The free motions Z: columns like velocities; with conditions on velocities the displacements that y stands for.
    speeds
        The velocities that w stands for; without conditions on velocities the same as `motions`.
    eigenvalues
        As many as y and its rates (or y and w) and auxiliary states, s of exp(s t) [1/s].
    modes
        One for each real eigenvalue and each complex pair, slow ones first.
    steady
        Whether the state is an equilibrium or a steady motion.  If not, the matrices are frozen at this instant.
    turning
        Angular velocity of the axes that y is seen from [rad/s], in space axes; zero unless a steady motion asks for it.
    """

    name: str
    state: State = field(repr=False)
    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    motions: np.ndarray = field(repr=False)
    eigenvalues: np.ndarray
    steady: bool
    residual: float = field(repr=False)
    turning: np.ndarray = field(repr=False)
    _system: System = field(repr=False)
    _reduced: Reduced = field(repr=False)
    _coupled: Coupled | None = field(default=None, repr=False, kw_only=True)

    mode = Mode

    @property
    def speeds(self) -> np.ndarray:
        """Velocities that w stands for."""
        return self._reduced.speeds

    @property
    def nonholonomic(self) -> bool:
        """Whether conditions on velocities leave fewer speeds than displacements: the state is (y, w) then."""
        return self._reduced.coupling is not None

    @property
    def A(self) -> np.ndarray:
        """State matrix of x = (y, y'), or of (y, w) with conditions on velocities; auxiliary states (`m.state`) behind them."""
        made = self._reduced
        a = state_matrix(self.M, self.C, self.K, None if made.coupling is None else (made.drift, made.coupling))
        return a if self._coupled is None else self._coupled.matrix(a)

    def _state(self, x: Any) -> int | None:
        """Number of an auxiliary state, if one is named."""
        name = x.name if isinstance(x, Measure) else x
        known = () if self._coupled is None else self._coupled.names
        return known.index(name) if isinstance(name, str) and name in known else None

    @cached_property
    def _pairs(self) -> Eigenpairs:
        return eigenpairs(self._reduced, self._coupled)

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """Modes, slow ones first."""
        motions, found = self._reduced.motions, []
        n = motions.shape[1]
        pairs = self._pairs
        for s, x, limit, by_loads in zip(pairs.values, pairs.vectors.T, pairs.resolution, pairs.by_loads):
            real = abs(s.imag) <= 1e-9 * abs(s)
            if s.imag < 0.0 and not real:
                continue  # the other one of a pair
            shape = motions @ x[:n]
            if not np.any(shape):
                shape = self.speeds @ x[n : n + self.speeds.shape[1]]  # a rate that stays, without change of place
            # the largest displacement at the beginning of the cycle
            sizes, states = np.abs(shape * self._size), np.zeros(0, dtype=complex)
            largest, most = shape[int(np.argmax(sizes))], float(np.max(sizes))
            if self._coupled is not None:
                states = x[-len(self._coupled.names) :]
                alone = np.abs(states / self._coupled.scale)
                if most <= 1e-9 * float(np.max(alone)):
                    # states that move while the bodies rest
                    shape, largest, most = 0.0 * shape, states[int(np.argmax(alone))], float(np.max(alone))
            factor = abs(largest) / largest / max(most, 1e-300)
            shape, states = shape * factor, states * factor
            s = complex(s.real, 0.0 if real else s.imag)
            if real:
                shape, states = shape.real, states.real
            found.append(self.mode(s, shape, float(limit), float(by_loads), self, states))
        return tuple(sorted(found, key=lambda mode: (mode.omega, mode.eigenvalue.real)))

    @property
    def frequencies(self) -> np.ndarray:
        """Frequencies of the modes [Hz]."""
        return np.array([mode.frequency for mode in self.modes])

    @property
    def damping_ratios(self) -> np.ndarray:
        """Damping ratios of the modes."""
        return np.array([mode.damping_ratio for mode in self.modes])

    @property
    def stable(self) -> bool:
        """Whether no mode grows by more than its `resolution`; free motions do not.  Refused where loads could hide in rounding."""
        asked = f"stability of {self.name!r}"
        self._need_steady(
            asked, "the mechanism leaves this state anyway; eigenvalues frozen at an instant do not say how"
        )
        if any(mode.eigenvalue.real > mode.resolution for mode in self.modes):
            return False
        for k, mode in enumerate(self.modes):
            if mode.free and 0.0 < mode._by_loads < mode.resolution:
                fast = self.modes[-1].omega
                raise SingularError(
                    asked,
                    f"mode {k} is slower than {mode.resolution:.2g} 1/s, beside a mode of {fast:.2g} 1/s",
                    "so much less stiffness is lost in rounding beside that of the fast mode, and the forces in this state may make it grow",
                    "replace very stiff springs by joints, or make them softer",
                )
        return True

    def state_space(self, inputs: Any = (), outputs: Any = ()) -> StateSpace:
        """Matrices A, B, C, D of x' = A x + B u, z = C x + D u, with x = (y, y'), or (y, w) with conditions on velocities.

        Parameters
        ----------
        inputs
            Measures on which forces or torques act, positive upwards, or force elements, whose effort is changed; a component of a
            load is "F.x"; also inputs of the model (`m.input`), which then are no states.
        outputs
            Measures, whose changes from the state are meant, or "rate(measure)".
        """
        asked = f"state space of {self.name!r}"
        own = self._own_inputs(inputs)
        entries = [self._input(asked, x) for k, x in enumerate(_several(inputs)) if k not in own]
        given = _several(outputs)
        exits = [self._output(asked, x) for x in given if self._named_state(x) is None]
        n, size, speeds = self.motions.shape[1], len(self.A), len(self.M)
        b = np.zeros((size, len(entries)))
        for k, (_, row, _) in enumerate(self._rows(entries)):
            b[n : n + speeds, k] = np.linalg.solve(self.M, self._reduced.loaded @ row)
        c = np.zeros((len(exits), size))
        for k, ((_, row, _), (_, rate)) in enumerate(zip(self._rows([m for m, _ in exits]), exits)):
            if rate:
                c[k, : n + speeds] = self._rate_row(exits[k][0], row)
            else:
                c[k, :n] = row @ self.motions
        names = [f"rate({m.name})" if rate else m.name for m, rate in exits]
        for place, x in enumerate(given):
            state = self._named_state(x)
            if state is not None:
                k = n + speeds + state[0]
                row = self.A[k] if state[1] else np.eye(size)[k]
                c, names = (
                    np.insert(c, place, row, axis=0),
                    [*names[:place], str(getattr(x, "name", x)), *names[place:]],
                )
        d = np.zeros((len(c), len(entries)))
        return StateSpace(self.A, b, c, d, tuple(m.name for m in entries), tuple(names)).driven_by(own)

    def _own_inputs(self, inputs: Any) -> dict[int, tuple[str, int]]:
        """Inputs of the model (`m.input`) among those given, by their place: names and entries of x."""
        names, model = [str(getattr(x, "name", x)) for x in _several(inputs)], self._system.model
        first = self.motions.shape[1] + len(self.M)
        states = {name: self._state(name) for name in names if self._state(name) is not None and model[name].is_input}
        return {place: (x, first + states[x]) for place, x in enumerate(names) if x in states}

    def _named_state(self, x: Any) -> tuple[int, bool] | None:
        """Number of the auxiliary state of an output, and whether its rate is meant."""
        rate = isinstance(x, str) and x.startswith("rate(") and x.endswith(")")
        k = self._state(x[5:-1] if rate else x)
        return None if k is None else (k, rate)

    def transfer(self, input: Any, output: Any) -> Transfer:  # noqa: A002
        """Transfer function from an input to an output, named as in `state_space`."""
        asked = f"transfer function of {self.name!r}"
        self._need_steady(asked, "the coefficients change with time, so there is no transfer function")
        made = self.state_space([input], [output])
        pairs = self._pairs
        # inputs of the model are entries of x that stay, each with an eigenvalue zero
        states = np.argsort(np.abs(pairs.values), kind="stable")[len(pairs.values) - len(made.A) :]
        poles, limits = pairs.values[states], pairs.resolution[states]
        # a simple eigenvalue is known better than a double one: ds = dK/(2 s M)
        size = np.abs(poles)
        blur = np.where(size > 0.0, np.maximum(1e-9 * size, 0.5 * limits**2 / np.where(size > 0.0, size, 1.0)), limits)
        direct = float(made.D[0, 0])
        return Transfer(made.inputs[0], made.outputs[0], made.A, made.B[:, 0], made.C[0], direct, poles, blur)

    def _need_steady(self, asked: str, why: str) -> None:
        if not self.steady:
            found = (
                f"the state is not an equilibrium or a steady motion: {self.residual:.3g} of its accelerations are left"
            )
            raise MethodError(asked, found, why, "linearize at an equilibrium: linearize(m, equilibrium(m)[0])")

    # -- measures --------------------------------------------------------------------------------------------------------

    @property
    def _size(self) -> np.ndarray:
        """Factors that make displacements comparable: lengths in model lengths, rotations in radians."""
        return np.asarray(1.0 / self._system.unit_of_velocity)

    def _measure(self, asked: str, x: Any) -> Measure:
        return self._system.model.read_coordinate(asked, x)

    def _input(self, asked: str, x: Any) -> Measure:
        model = self._system.model
        loads = {m.name: m for force in model.parts("force") for m, _ in force.elements() if m.is_rate}
        if isinstance(x, str) and x in loads:
            return loads[x]
        x = model[x] if isinstance(x, str) and x in model else x
        if not isinstance(x, Force):
            return self._measure(asked, x)
        measures = {m.name: m for m, _ in x.elements()}
        if len(measures) != 1:
            raise MethodError(
                asked, f"input {x.name!r} has the components {', '.join(measures)}", nearest(x.name, measures), "name one of them"
            )  # fmt: skip
        return next(iter(measures.values()))

    def _output(self, asked: str, x: Any) -> tuple[Measure, bool]:
        if isinstance(x, str) and x.startswith("rate(") and x.endswith(")"):
            return self._measure(asked, x[5:-1]), True
        measure = self._measure(asked, x)
        return measure, measure.is_rate

    def _pose(self, measures: Sequence[Measure]) -> Any:
        system = compile(self._system.model, extra=tuple(measures), values=self._system.builder.drawing.values)
        return Pose(system, self.state.t, self.state.q, self.state.v, self.state.angles)

    def _rows(self, measures: Sequence[Measure]) -> list[tuple[float, np.ndarray, float]]:
        pose = self._pose(measures) if measures else None
        return [pose.measure(m) for m in measures] if pose is not None else []

    def _rate_row(self, measure: Measure, row: np.ndarray) -> np.ndarray:
        """Change of the rate of a measure with x: along y with velocities that stay consistent, and along w, which is y' - G y or w."""
        pose = self._pose([measure])
        free = self._system.n_rows + pose.system.builder.free_row(f"rate({measure.name})", measure)
        statics = Bodies(pose)
        statics.evaluate(self.state.v)
        (rate,) = statics.along(["rate"], self.state.v, {"q": self.motions, "v": self._reduced.carried})
        by_y = rate.mean[free]
        by_w = row @ self.speeds
        if self.nonholonomic:
            return np.concatenate([by_y, by_w])
        return np.concatenate([by_y - by_w @ self._reduced.drift, by_w])

    def _displaceable(self) -> Statics:
        pose = Pose(self._system, self.state.t, self.state.q, None, self.state.angles)
        pose.follow()
        return Bodies(pose)

    def _displaced(self, mode: Mode, frames: int, amplitude: float, asked: str) -> list[State]:
        statics, made = self._displaceable(), []
        start, oscillates = statics.place, mode.eigenvalue.imag != 0.0
        # small steps, so that large amplitudes stay on the same branch
        steps = max(1, math.ceil(amplitude / 0.1))
        for k in range(frames):
            turn, side = 2 * math.pi * k / frames, 2 * k / (frames - 1) - 1
            part = np.real(mode.shape * np.exp(1j * turn)) if oscillates else mode.shape.real * side
            statics.place = start
            if not all(statics.retract(amplitude / steps * part) for _ in range(steps)):
                found, why = f"amplitude = {amplitude!r}", "the model cannot be displaced so far"
                raise MethodError(asked, found, why, "give a smaller amplitude")
            state = statics.state
            made.append(replace(state, v=np.zeros_like(state.v), z=self.state.z))
        return made

    # -- printing --------------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        kind = "about a state that is not steady: frozen at this instant"
        if self.steady:
            kind = "about a steady motion" if np.any(self.state.v) else "about an equilibrium"
        if np.any(self.turning):
            kind += f", seen from axes turning at {np.linalg.norm(self.turning):.6g} rad/s"
        lines = [["mode", "eigenvalue [1/s]", "frequency [Hz]", "damping ratio", ""]]
        # eigenvalues zero come first
        free = [k for k, mode in enumerate(self.modes) if mode.free]
        if free:
            which = f"{free[0]}" if len(free) == 1 else f"{free[0]}–{free[-1]}"
            lines.append([which, "0", "0", "0", "free"])
        for k, mode in enumerate(self.modes[len(free) :], len(free)):
            s, small = mode.eigenvalue, 1e-9 * abs(mode.eigenvalue)
            real = s.real if abs(s.real) > small else 0.0
            text = f"{real:.6g}" + (f" ± {s.imag:.6g}i" if s.imag else "")
            lines.append([str(k), text, f"{mode.frequency:.6g}", f"{mode.damping_ratio if real else 0.0:.4g}", ""])
        table = "\n".join(aligned(lines))
        if free:
            limit = max(self.modes[k].resolution for k in free)
            known = f", or below the {limit:.1g} 1/s that can be told from it" if limit > 0.0 else ""
            table += f"\nfree: no stiffness holds this motion; its eigenvalue is zero{known}"
        return f"small motions of {self.name!r} {kind}\n{table}"

    def __repr__(self) -> str:
        return (
            f"<Linearization of {self.name!r}: {len(self.M)} free motion{'s' * (len(self.M) > 1)},"
            f" {'steady' if self.steady else 'not steady'}>"
        )


def _several(x: Any) -> list[Any]:
    return [x] if isinstance(x, str | Measure) or listed(x) is None else list(listed(x) or [])
