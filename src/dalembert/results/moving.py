"""Bodies and points over time, the same of mechanisms and of Lagrangian systems: places, rates and turns from the motion of the mass centre."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UnknownAttributeError, nearest
from .euler import euler_angles
from .series import Series

if TYPE_CHECKING:
    from .record import Record


def labels(plane: bool) -> tuple[str, ...]:
    """Names of the components of a vector."""
    return ("x", "y") if plane else ("x", "y", "z")


def cut_to_plane(values: np.ndarray, plane: bool, turning: bool = False) -> tuple[np.ndarray, tuple[str, ...]]:
    """Vectors (time, 3) and their labels as results give them: in the plane two components, or of what turns the one about z."""
    if not plane:
        return values, labels(False)
    return (values[:, 2], ()) if turning else (values[:, :2], labels(True))


@dataclass(frozen=True, eq=False)
class Kinematics:
    """Motion of one body over time, in space axes: mass centre, rotation, angular velocity and acceleration."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    rotation: np.ndarray
    omega: np.ndarray
    alpha: np.ndarray
    angle: np.ndarray | None = None
    quaternion: np.ndarray | None = None


def matrices(p: np.ndarray) -> np.ndarray:
    """Rotation matrices of quaternions (time, 4)."""
    e0, e1, e2, e3 = p.T
    rows = [
        [1 - 2 * (e2 * e2 + e3 * e3), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
        [2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1 * e1 + e3 * e3), 2 * (e2 * e3 - e0 * e1)],
        [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1 * e1 + e2 * e2)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def about_z(angle: np.ndarray) -> np.ndarray:
    """Rotation matrices of angles in the plane."""
    found, c, s = np.zeros((*angle.shape, 3, 3)), np.cos(angle), np.sin(angle)
    found[..., 0, 0], found[..., 0, 1], found[..., 1, 0], found[..., 1, 1], found[..., 2, 2] = c, -s, s, c, 1.0
    return found


class MovingPoint:
    """Motion of a point of a body; `arm` leads to it from the mass centre, in body axes."""

    def __init__(self, run: Record, name: str, arm: np.ndarray, shown: str) -> None:
        self._name, self._arm, self._shown = name, arm, shown
        k, parts = run.motion(name), len(labels(run.plane))
        u = k.rotation @ arm
        self.position = (k.position + u)[:, :parts]
        self.velocity = (k.velocity + np.cross(k.omega, u))[:, :parts]
        bent = np.cross(k.alpha, u) + np.cross(k.omega, np.cross(k.omega, u))
        self.acceleration = (k.acceleration + bent)[:, :parts]

    def again(self, run: Record) -> MovingPoint:
        """The same point in another result."""
        return MovingPoint(run, self._name, self._arm, self._shown)

    def __repr__(self) -> str:
        return self._shown


class Quantities:
    """Quantities of a part of a run, by their names: a body or particle in motion, a load."""

    def __init__(self, run: Any, name: str) -> None:
        self._run, self.name = run, name

    def _source(self, what: str) -> Callable[[Any], Any]:
        """The same quantity of the same part in another result."""
        name = self.name
        return lambda r: getattr(r[name], what)

    def _series(self, what: str, values: Any, unit: str, axes: tuple[str, ...] = (), source: Any = None) -> Series:
        return Series(values, f"{self.name}.{what}", unit, axes, self._run.t, source or self._source(what))

    def _vector(self, what: str, values: np.ndarray, unit: str, turning: bool = False, source: Any = None) -> Series:
        """A vector (time, 3): in the plane its two components, or of what turns the one about z."""
        cut, axes = cut_to_plane(values, self._run.plane, turning)
        return self._series(what, cut, unit, axes, source)

    def _known(self) -> dict[str, Any]:
        """Quantities that have no attribute of their own."""
        return {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("body", "name", "part"):
            raise AttributeError(name)
        words = [word for kind in type(self).__mro__[:-1] for word in vars(kind) if not word.startswith("_")]
        known = nearest(name, [*words, *self._known()])
        raise UnknownAttributeError(f"{name!r} of {self.name!r}", "no such result", known, "use one of these names")


class Moving(Quantities):
    """A body over time: `.position`, `.velocity`, `.acceleration` of its own point, `.rotation`, `.spin`, momenta."""

    @property
    def _own(self) -> MovingPoint:
        """The point that stands for it: the mass centre, or of a body of a mechanism the origin of its frame."""
        return MovingPoint(self._run, self.name, np.zeros(3), self.name)

    def _turning(self, what: str) -> Any:
        """Its motion in space axes; refused where it has no orientation."""
        return self._run.motion(self.name)

    @property
    def position(self) -> Series:
        """Position [m]: of the origin of the body frame; of a part of a Lagrangian system that of the mass centre."""
        return self._series("position", self._own.position, "m", labels(self._run.plane))

    @property
    def velocity(self) -> Series:
        """Velocity of the same point [m/s]."""
        return self._series("velocity", self._own.velocity, "m/s", labels(self._run.plane))

    @property
    def acceleration(self) -> Series:
        """Acceleration of the same point [m/s²]."""
        return self._series("acceleration", self._own.acceleration, "m/s²", labels(self._run.plane))

    @property
    def rotation(self) -> Series:
        """Rotation matrices (time, 3, 3): columns are the body axes in space."""
        return self._series("rotation", self._turning("rotation").rotation, "1")

    @property
    def spin(self) -> Series:
        """Angular velocity [rad/s]: a number in the plane, a vector in space axes in space."""
        return self._vector("spin", self._turning("spin").omega, "rad/s", True)

    @property
    def spin_rate(self) -> Series:
        """Angular acceleration [rad/s²], like `spin`."""
        return self._vector("spin_rate", self._turning("spin_rate").alpha, "rad/s²", True)

    def euler(self, axes: str = "zyz") -> Series:
        """Euler angles of a body in space (time, 3) [rad]: turns about its own axes one after the other, as "zyz" or "zxz"; see `euler.py`."""
        what = "Euler angles"
        found = euler_angles(f"{what} of {self.name!r}", self._turning(what).rotation, axes, self._run.t)
        names = tuple(f"{axis}{k}" for k, axis in enumerate(axes, 1))
        return Series(found, f"{self.name}.{axes}", "rad", names, self._run.t, lambda r: r[self.name].euler(axes))

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return float(self._run.group(self.name).mass)

    @property
    def center(self) -> Series:
        """Position of the mass centre [m]; `.rate` its velocity."""
        return self._run.group(self.name).center

    @property
    def momentum(self) -> Series:
        """Momentum m v [kg m/s], v of the mass centre; `.rate` is m a [N]."""
        return self._run.group(self.name).momentum

    def angular_momentum(self, about: Any = "center") -> Series:
        """Angular momentum about a point [kg m²/s], see `run.angular_momentum`; default: its mass centre."""
        return self._run.group(self.name).angular_momentum(about)

    def again(self, run: Record) -> Moving:
        """The same body in another result."""
        return run[self.name]  # type: ignore[no-any-return]
