"""inverse_dynamics: forces and torques that drivers need for a prescribed motion, found in three ways."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compilation import compiling
from ..errors import MethodError, shown
from ..model.lagrangian import Lagrangian
from ..model.mechanism import Mechanism
from ..model.shapes.reading import read_vector
from ..options.call import verb
from ..results.in_units import units_of
from ..results.series import Series
from ..state import State
from .driven.efforts import DriverEffort, Efforts, agreed, virtual
from .driven.newton_euler import FreeBodies
from .kinematics import followed
from .pose.pose import read_mechanism

if TYPE_CHECKING:
    from .driven.motion import Motion


@dataclass(frozen=True, eq=False, repr=False)
class InverseDynamics(Efforts):
    """Efforts of all drivers; `found["motor"].multiplier`, `.power`, `.newton_euler`; `run` is the motion with all reactions."""

    run: Motion
    drivers: dict[str, DriverEffort] = field(repr=False)

    @property
    def shaking_force(self) -> Series:
        """Force of the mechanism on the ground [N]: all joints, drivers and force elements fixed to it."""
        force, _ = self._shaking(np.zeros(3))
        labels = ("x", "y") if self.run.plane else ("x", "y", "z")
        return Series(force[:, :2] if self.run.plane else force, "shaking force", "N", labels, self.t)

    @property
    def shaking_moment(self) -> Series:
        """Moment of the mechanism on the ground about the origin [N m]."""
        return self.shaking_moment_about((0.0, 0.0, 0.0))

    def shaking_moment_about(self, point: Any) -> Series:
        """Moment of the mechanism on the ground about a point of the ground [N m]."""
        _, moment = self._shaking(read_vector("shaking moment", "point", point))
        labels = () if self.run.plane else ("x", "y", "z")
        return Series(moment[:, 2] if self.run.plane else moment, "shaking moment", "N m", labels, self.t)

    def _shaking(self, about: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        run, ground = self.run, self.run.model.ground
        force, moment = np.zeros((len(run.t), 3)), np.zeros((len(run.t), 3))
        for part in (*run.parts("joint"), *run.parts("driver"), *run.parts("force")):
            # a point force comes from outside: nothing on the ground answers it
            if not part.external and ground in part.bodies:
                f, n = run.load(part, ground)
                force += f
                moment += n + np.cross(run.marker(part, ground).point - about, f)
        return force, moment

    def __str__(self) -> str:
        """Table: largest effort by each way, and the spread, in the units of the model."""
        units = units_of("inverse dynamics", self.run)
        span = (
            f"{len(self.t)} times, t = {self.t[0]:g} … {self.t[-1]:g} s" if len(self.t) > 1 else f"t = {self.t[0]:g} s"
        )
        lines = [
            f"inverse dynamics of {self.run.model.name!r}, {span}",
            f"{'driver':<14}{'along':<18}{'least':>13}{'largest':>13}  {'unit':<5}{'spread of three ways':>21}",
        ]
        for e in self.drivers.values():
            unit, factor = units.of(e.unit)
            low, high = float(np.min(e.multiplier)) * factor, float(np.max(e.multiplier)) * factor
            spread = f"{e.spread * factor:.1e} ({e.relative_spread:.0e})"
            lines.append(f"{e.name:<14}{e.measure:<18}{low:>13.6g}{high:>13.6g}  {unit:<5}{spread:>21}")
        unit, factor = units.of("N")
        size = float(np.max(np.linalg.norm(np.asarray(self.shaking_force), axis=1))) * factor
        lines.append(f"largest shaking force on the ground {size:.6g} {unit}")
        lines += [f"WARNING: {note}" for note in self.run.warnings]
        return "\n".join(lines)

    __repr__ = __str__


@verb
def inverse_dynamics(
    model: Mechanism, times: Any, *, start: State | None = None, progress: bool | None = None
) -> InverseDynamics:
    """Driver efforts of a fully driven mechanism over time, in three independent ways.

    The motion is that of `kinematics`.  Then, for each driver: its multiplier; virtual power (at rest and in dead centres too, since
    the virtual velocity of a unit rate is used and nothing is divided by a speed); and Newton-Euler equations of the single bodies.

    Parameters
    ----------
    model
        The mechanism, with one driver for each degree of freedom; drivers may be expressions of t or tables (`da.spline`).
    times
        Increasing times [s], or one time.
    start
        State to start from instead of the drawing.
    progress
        Show progress of long work; default: on a terminal.

    Returns
    -------
    InverseDynamics
        `found[driver]` with `.multiplier`, `.power`, `.newton_euler`, `.spread`; `.shaking_force`, `.shaking_moment`, `.run`.

    Examples
    --------
    >>> import dalembert as da
    >>> m = da.Mechanism("arm", plane=True, gravity=(0, -10))
    >>> arm = m.body("arm", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
    >>> pin = m.revolute("A", m.ground, arm, at=(0, 0))
    >>> motor = m.drive("motor", pin.angle, "3*t**2")
    >>> found = da.inverse_dynamics(m, times=[0.0])
    >>> [round(float(x[0]), 9) for x in (found["motor"].multiplier, found["motor"].power, found["motor"].newton_euler)]
    [14.0, 14.0, 14.0]
    """
    if isinstance(model, Lagrangian):
        from .lagrangian.inverse import efforts

        asked = f"inverse_dynamics({model.name!r})"
        with compiling(), np.errstate(all="ignore"):
            return efforts(model, times, start, progress, asked)  # type: ignore[return-value]

    read_mechanism(f"inverse_dynamics({shown(model, 40)})", model)
    asked = f"inverse_dynamics({model.name!r})"
    run = followed(model, times, start, progress, asked)
    if not run.parts("driver"):
        raise MethodError(
            asked,
            "no driver",
            "its joints leave no freedom, so there is no driving force to find",
            "add m.drive(...), or use da.reactions for the forces in the joints",
        )

    with compiling(), np.errstate(all="ignore"):
        return InverseDynamics(run, _three_ways(asked, run))


def _three_ways(asked: str, run: Motion) -> dict[str, DriverEffort]:
    """Efforts of all drivers by multipliers, virtual power and the balance of bodies; refused where they are not unique or differ."""
    drivers = run.parts("driver")
    bodies = FreeBodies(run)
    parts, balanced, loose = bodies.efforts()
    powers, level = _virtual_powers(run), bodies.level()
    shared = [d.name for d in drivers if loose[parts.index(d.name)] > 1e-6]
    if shared:
        raise MethodError(
            asked,
            f"the loads of {', '.join(map(repr, shared))} are not unique",
            "they drive the same freedom, or a joint can take their load: any share of it between them fits the motion",
            "leave out one of the drivers, or the joint that blocks it",
        )
    made = {}
    for d in drivers:
        unit = run[d.name].effort.unit
        ways = [np.asarray(run[d.name].effort), powers[d.name], balanced[:, parts.index(d.name)]]
        loads = level * (bodies.length if unit == "N m" else 1.0)
        made[d.name] = agreed(asked, d.name, ways, loads, run.t, d.measure.name, unit)
    return made


def _virtual_powers(run: Motion) -> dict[str, np.ndarray]:
    """Effort of each driver from (M a - Q) . w, w the velocities at a unit rate of this driver alone."""
    found = {d.name: np.zeros(len(run.t)) for d in run.parts("driver")}
    for k, need, motions in virtual(run):
        for name in found:
            found[name][k] = need @ motions[name]
    return found
