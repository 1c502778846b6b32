"""inverse_dynamics: forces and torques that drivers need for a prescribed motion, found in three ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compilation import compiling
from ..errors import MethodError
from ..model.kinds import named
from ..model.shapes.reading import read_vector
from ..options.call import verb
from ..results.series import Series
from ..state import State
from .driven.efforts import Efforts, three_ways
from .driven.motion import Motion
from .driven.newton_euler import FreeBodies
from .kinematics import followed
from .lagrangian.inverse import PartBalance

if TYPE_CHECKING:
    from ..model.lagrangian import Lagrangian
    from ..model.mechanism import Mechanism
    from ..model.output_units import OutputUnits


@dataclass(frozen=True, eq=False, repr=False)
class InverseDynamics(Efforts):
    """Efforts of all drivers of a mechanism, and what it does to the ground."""

    run: Motion

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
        for part in (*run.parts("joint"), *run.parts("driver"), *run.parts("force"), *run.parts("impact")):
            # a point force comes from outside: nothing on the ground answers it
            if not part.external and ground in part.bodies:
                f, n = run.load(part, ground)
                force += f
                moment += n + np.cross(run.marker(part, ground).point - about, f)
        return force, moment

    def _notes(self, units: OutputUnits) -> list[str]:
        unit, factor = units.of("N")
        size = float(np.max(np.linalg.norm(np.asarray(self.shaking_force), axis=1))) * factor
        line = f"largest shaking force on the ground {size:.6g} {unit}"
        return [line, *(f"WARNING: {note}" for note in self.run.warnings)]


@verb
def inverse_dynamics(
    model: Mechanism | Lagrangian, times: Any, *, start: State | None = None, progress: bool | None = None
) -> Efforts:
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
    asked = named("inverse_dynamics", model)
    if model.kind == "lagrangian" and not any("t" in row.names for row in model.holonomic.values()):
        raise MethodError(
            asked,
            "no holonomic row contains t",
            "a prescribed motion is a row such as theta - 2*pi*t = 0",
            "add one for each freedom",
        )
    run = followed(model, times, start, progress, asked)
    if not run.system.driver_names:
        raise MethodError(
            asked,
            "no driver",
            "its joints leave no freedom, so there is no driving force to find",
            "add m.drive(...), or use da.reactions for the forces in the joints",
        )
    with compiling(), np.errstate(all="ignore"):
        if isinstance(run, Motion):
            return InverseDynamics(run, three_ways(asked, run, BodyBalance(asked, run, FreeBodies(run))))
        return Efforts(run, three_ways(asked, run, PartBalance(run)))


class BodyBalance:
    """The third way of a mechanism: Newton-Euler equations of its single bodies."""

    def __init__(self, asked: str, run: Motion, bodies: FreeBodies) -> None:
        self.run, self.bodies, self.level = run, bodies, bodies.level()
        self.parts, self.efforts, loose = bodies.efforts()
        shared = [d.name for d in run.parts("driver") if loose[self.parts.index(d.name)] > 1e-6]
        if shared:
            raise MethodError(
                asked,
                f"the loads of {', '.join(map(repr, shared))} are not unique",
                "they drive the same freedom, or a joint can take their load: any share of it between them fits the motion",
                "leave out one of the drivers, or the joint that blocks it",
            )

    def add(self, k: int, name: str, w: np.ndarray) -> None:
        """Nothing of virtual velocities is needed."""

    def of(self, name: str) -> tuple[list[np.ndarray], float, str, str]:
        """The effort of a driver by the balance, the level of loads, its measure and unit."""
        unit = self.run[name].effort.unit
        level = self.level * (self.bodies.length if unit == "N m" else 1.0)
        return [self.efforts[:, self.parts.index(name)]], level, self.run.model[name].measure.name, unit
