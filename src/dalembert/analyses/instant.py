"""instant: everything at one state, without a run: places, rates and second rates of points, bodies, joints and measures, and loads."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import MethodError, ModelError, checked_call, nearest, shown
from ..model.auxiliary import Auxiliary
from ..model.body import Body
from ..model.expression import Expr, Number, as_expression
from ..model.expression.derivative import ONE, Direction
from ..model.frame import Point
from ..model.lagrangian import Lagrangian
from ..model.lagrangian.parts import Particle
from ..model.lagrangian.vectors import Rates
from ..model.measure import Measure
from ..model.mechanism import Mechanism
from ..state import State
from ..system.rows import unscaled_jacobian


@checked_call
def instant(model: Any, state: Any = None) -> Instant | LagrangianInstant:
    """All that belongs to one state: positions, velocities and accelerations of bodies and points, measures with rates and second rates, loads.

    Parameters
    ----------
    model
        A Mechanism or a Lagrangian.
    state
        The state, as `run.at(t)` gives it, or what has one (an equilibrium, an assembly); default: the start.

    Returns
    -------
    Instant
        `x["bar"].position`, `x["bar"].point(0.5, 0).acceleration`, `x["A"].force`, `x["A.angle"]`, `x.rate("A.angle")`,
        `x.second_rate("A.angle")`; of a Lagrangian `x["theta"]`, `x["ball"].position`, `x.second_rate("l*sin(theta)")`.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
    >>> now = da.instant(m)
    >>> round(now.second_rate("A.angle"), 9), now[bar.end].acceleration.round(9).tolist()
    (-14.715, [0.0, -14.715])
    """
    from ..compilation import compiling

    if not isinstance(model, Mechanism | Lagrangian):
        found = f"{shown(model)} of type {type(model).__name__}"
        raise MethodError(
            f"instant({shown(model, 40)})", found, "a Mechanism or a Lagrangian is needed", "give the model"
        )
    asked = f"instant({model.name!r})"
    if isinstance(model, Lagrangian):
        with compiling("lagrangian"), np.errstate(all="ignore"):
            from .lagrangian.reactions import reactions_of

            solved = reactions_of(model, state, asked)
            return LagrangianInstant(model, solved.state, solved.acceleration)
    with compiling(), np.errstate(all="ignore"):
        from .pose.pose import Pose

        return instant_at(Pose.of(model, state, asked=asked), asked)


def instant_at(pose: Any, asked: str) -> Instant:
    """The same at a pose whose dependent rows are known."""
    from .reactions import reactions_at

    return Instant(reactions_at(pose, asked).run)


class Instant:
    """A mechanism at one state; see `instant`."""

    def __init__(self, run: Any) -> None:
        self._run = run

    @property
    def model(self) -> Mechanism:
        """The mechanism."""
        return self._run.model  # type: ignore[no-any-return]

    @cached_property
    def state(self) -> State:
        """The state."""
        run = self._run
        return State(float(run.t[0]), run.q[0], run.v[0], run.angles[0], tuple(run.system.body_names), run.z[0])

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._run.t[0])

    def __getitem__(self, name: Any) -> Any:
        """Body, point, joint, force element or driver with its quantities; of a measure or an expression of measures its value."""
        if isinstance(name, Point):
            return Now(self._run[name.body.name].point(name))
        if isinstance(name, Measure | Expr):
            return self._measured(name)[0]
        part = name if not isinstance(name, str) else self.model._parts.get(name)
        if part is None or isinstance(part, Measure):
            return self._measured(name)[0]
        found = self._run[part.name if isinstance(part, Body) or hasattr(part, "model") else part]
        return Now(found)

    def rate(self, measure: Any) -> float:
        """Rate of a measure or an expression of measures."""
        return self._measured(measure)[1]

    def second_rate(self, measure: Any) -> float:
        """Second rate of a measure or an expression of measures: s'' = j a + b."""
        state = self._state(measure)
        if state is not None:
            raise MethodError(
                f"second rate of the state {state.name!r}", f"its rate is {state.law}", "a state has a rate, and no second one is computed",
                "ask for .rate, or for second rates of the measures in its expression",
            )  # fmt: skip
        return self._measured(measure)[2]

    def _state(self, what: Any) -> Auxiliary | None:
        """The auxiliary state that is asked for, if it is one."""
        part = self.model._parts.get(what) if isinstance(what, str) else what
        return part if isinstance(part, Auxiliary) else None

    def _measured(self, what: Any) -> tuple[float, float, float]:
        from ..kernels.operate import INPUTS, operate
        from ..system.system import observing

        run = self._run
        state = self._state(what)
        if state is not None:
            series = run[state]
            return float(series[0]), float(series.rate[0]), math.nan
        asked = f"value at t = {self.t:g} s of {self.model.name!r}"
        measure = self.model.read_coordinate(asked, what)
        values = {**self.model.parameters, **run.system.builder.drawing.values}
        system = observing(run.system, (measure,), values)
        n, work = system.numbering, system.workspace()
        known = run.system.builder.angles
        for key, k in system.builder.angles.items():
            if key in known:
                work.angle[k] = run.angles[0, known[key]]
        work.angle_time[0] = self.t
        operate(INPUTS, n.I, n.P, work.F, self.t, run.q[0], run.v[0], np.zeros(system.nv), 0.0, 1)
        r = system.n_rows + system.builder.free_row(asked, measure)
        row = unscaled_jacobian(system, work, r, r + 1).toarray()[0]
        second = float(row @ run.a[0] + work.bias[r])
        return float(work.value[r]), float(work.rate[r]), second

    def __repr__(self) -> str:
        return f"<{self.model.name!r} at t = {self.t:g} s: bodies, points, joints and measures by name, .rate(), .second_rate()>"


class Now:
    """Quantities of a part at one state: what a result has over time, without the time."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._inner, name)
        if isinstance(found, np.ndarray):
            now = np.asarray(found)[0]
            return float(now) if now.ndim == 0 else now
        if callable(found):
            return lambda *args, **options: Now(found(*args, **options))
        return found

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._inner) if not name.startswith("_")]

    def __repr__(self) -> str:
        return f"<now: {self._inner!r}>"


class LagrangianInstant:
    """A Lagrangian system at one state; see `instant`."""

    def __init__(self, model: Lagrangian, state: State, acceleration: np.ndarray) -> None:
        self.model, self.state, self._a = model, state, np.asarray(acceleration, dtype=float)

    @property
    def t(self) -> float:
        """Time [s]."""
        return self.state.t

    @cached_property
    def _values(self) -> dict[str, float]:
        q = {name: float(x) for name, x in zip(self.model.q, self.state.q)}
        rates = {f"rate({name})": float(x) for name, x in zip(self.model.q, self.state.v)}
        return {"t": self.t, **self.model.parameters, **q, **rates}

    def __getitem__(self, name: Any) -> Any:
        """Coordinate or expression of coordinates: its value; particle or body: `.position`, `.velocity`, `.acceleration`, `.spin`, `.rotation`."""
        part = name if isinstance(name, Particle) else self.model.parts.get(name) if isinstance(name, str) else None
        return PartNow(self, part) if part is not None else self._rates(name)[0]

    def rate(self, expression: Any) -> float:
        """Rate of a coordinate or an expression."""
        return self._rates(expression)[1]

    def second_rate(self, expression: Any) -> float:
        """Second rate of a coordinate or an expression of coordinates and time."""
        return self._rates(expression)[2]

    def _rates(self, what: Any) -> tuple[float, float, float]:
        asked = f"value at t = {self.t:g} s of {self.model.name!r}"
        e = as_expression(what, self._values, tables=self.model.tables, asked=asked)
        rate = next((name for name in sorted(e.names) if name.startswith("rate(")), None)
        if rate is not None:
            why = "values are asked of expressions of coordinates and time"
            raise MethodError(asked, f"{rate} in {shown(str(e))}", why, f"ask x.rate({rate[5:-1]!r}) for it")
        first = Rates(self.model.q)(e)
        return e.evaluate(self._values), first.evaluate(self._values), self._derivative(first)

    def _derivative(self, e: Expr) -> float:
        """Rate of an expression of coordinates, rates and time, with the accelerations as numbers."""
        along = {"t": ONE, **dict(zip(self.model.q, self.model.rates))}
        along |= {f"rate({name})": Number(float(a)) for name, a in zip(self.model.q, self._a)}
        return Direction(along)(e).evaluate(self._values)

    def __repr__(self) -> str:
        return f"<{self.model.name!r} at t = {self.t:g} s: coordinates and parts by name, .rate(), .second_rate()>"


class PartNow:
    """A particle or body of a Lagrangian system at one state."""

    def __init__(self, now: LagrangianInstant, part: Particle) -> None:
        self._now, self._part = now, part

    @property
    def position(self) -> np.ndarray:
        """Position of the mass centre [m]."""
        return np.array([x.evaluate(self._now._values) for x in self._part.position])

    @property
    def velocity(self) -> np.ndarray:
        """Velocity of the mass centre [m/s]."""
        return np.array([x.evaluate(self._now._values) for x in self._part.velocity])

    @property
    def acceleration(self) -> np.ndarray:
        """Acceleration of the mass centre [m/s²]."""
        return np.array([self._now._derivative(x) for x in self._part.velocity])

    @property
    def rotation(self) -> np.ndarray:
        """Rotation matrix of a body: columns are its axes in space."""
        return np.array([[x.evaluate(self._now._values) for x in row] for row in self._of_body("rotation")])

    @property
    def spin(self) -> np.ndarray:
        """Angular velocity of a body in space axes [rad/s]."""
        return self.rotation @ np.array([x.evaluate(self._now._values) for x in self._of_body("spin")])

    @property
    def spin_rate(self) -> np.ndarray:
        """Angular acceleration of a body in space axes [rad/s²]; A (ω')' = ω' since ω × ω = 0."""
        return self.rotation @ np.array([self._now._derivative(x) for x in self._of_body("spin")])

    def _of_body(self, what: str) -> Any:
        if not hasattr(self._part, what):
            why, do = "a particle has no orientation", nearest(what, ["position", "velocity", "acceleration"])
            raise ModelError(f"{what} of {self._part.name!r}", "a particle", why, do)
        return getattr(self._part, what)


__all__ = ["Instant", "LagrangianInstant", "instant"]
