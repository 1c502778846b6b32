"""Bodies and points over time, the same of mechanisms and of Lagrangian systems: places, rates and turns from the motion of the mass centre.

Euler angles of rotation matrices: three turns about body axes, one after the other.

    A = A_i(a) A_j(b) A_k(c)      z-y-z and the like (first and last axis the same), or x-y-z and the like (all different)

With z-y-z as in LAGRANGE 1.5, A = A_z(phi) A_y(theta) A_z(psi), the angular velocity in space axes is
(-sin phi theta' + cos phi sin theta psi', cos phi theta' + sin phi sin theta psi', phi' + cos theta psi').
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MethodError, SingularError, UnknownAttributeError, nearest, shown
from ..model.reading import matrix_quaternion
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


def turns_about_z(k: Kinematics, t: np.ndarray) -> np.ndarray:
    """Angles about z, turns counted from one output to the next."""
    found = np.arctan2(k.rotation[:, 1, 0], k.rotation[:, 0, 0])
    for n in range(1, len(found)):
        # the turn nearest to what the mean spin since the output before foretells
        foretold = found[n - 1] + 0.5 * (k.omega[n, 2] + k.omega[n - 1, 2]) * (t[n] - t[n - 1])
        found[n] += 2.0 * np.pi * np.round((foretold - found[n]) / (2.0 * np.pi))
    return found


def quaternions(rotation: np.ndarray) -> np.ndarray:
    """Unit quaternions of rotation matrices (time, 3, 3), without jumps of sign."""
    found = np.array([matrix_quaternion(a) for a in rotation]).reshape(-1, 4)
    for n in range(1, len(found)):
        found[n] *= -1.0 if found[n] @ found[n - 1] < 0.0 else 1.0
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

    def __init__(self, run: Record, name: str) -> None:
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
    def angle(self) -> Series:
        """Angle of a body in the plane, or of one that turns about z only [rad], turns included."""
        k = self._turning("angle")
        return self._series("angle", turns_about_z(k, self._run.t) if k.angle is None else k.angle, "rad")

    @property
    def quaternion(self) -> Series:
        """Unit quaternions of a body in space, scalar first, without jumps of sign."""
        k = self._turning("quaternion")
        found = quaternions(k.rotation) if k.quaternion is None else k.quaternion
        return self._series("quaternion", found, "1", ("p0", "p1", "p2", "p3"))

    @property
    def spin(self) -> Series:
        """Angular velocity [rad/s]: a number in the plane, a vector in space axes in space."""
        return self._vector("spin", self._turning("spin").omega, "rad/s", True)

    @property
    def spin_rate(self) -> Series:
        """Angular acceleration [rad/s²], like `spin`."""
        return self._vector("spin_rate", self._turning("spin_rate").alpha, "rad/s²", True)

    def euler(self, axes: str = "zyz") -> Series:
        """Euler angles of a body in space (time, 3) [rad]: turns about its own axes one after the other, as "zyz" or "zxz"; see `euler_angles`."""
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


# sine (or cosine) of the middle angle below which the other two are not defined
SINGULAR = 1e-9
_AXES = {"x": 0, "y": 1, "z": 2}


def euler_angles(asked: str, rotation: Any, axes: Any, t: Any) -> np.ndarray:
    """Angles (time, 3) of matrices (time, 3, 3), without jumps of whole turns from one output to the next."""
    known = isinstance(axes, str) and len(axes) == 3 and set(axes) <= set(_AXES) and axes[0] != axes[1] != axes[2]
    if not known:
        raise MethodError(
            asked,
            f"axes = {shown(axes)}",
            "three letters x, y, z are needed, neighbours different",
            "give 'zyz', 'zxz' or 'xyz'",
        )
    i, j, k = (_AXES[a] for a in axes)
    a = np.asarray(rotation, dtype=float)
    third = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0  # of e_i x e_j = sign e_third
    if i == k:
        # a_ii = cos b; column i of A is A_i(a) A_j(b) e_i, row i is e_i^T A_j(b) A_i(c)
        first = np.arctan2(a[:, j, i], -sign * a[:, third, i])
        last = np.arctan2(a[:, i, j], sign * a[:, i, third])
        middle = np.arctan2(np.hypot(a[:, j, i], a[:, third, i]), a[:, i, i])
        lost = np.abs(np.sin(middle))
    else:
        # column k of A is A_i(a) A_j(b) e_k, row i is e_i^T A_j(b) A_k(c)
        first = np.arctan2(-sign * a[:, j, k], a[:, k, k])
        last = np.arctan2(-sign * a[:, i, j], a[:, i, i])
        middle = np.arctan2(sign * a[:, i, k], np.hypot(a[:, i, i], a[:, i, j]))
        lost = np.abs(np.cos(middle))
    bad = np.flatnonzero(~(lost > SINGULAR))
    if bad.size:
        raise SingularError(
            f"{asked} about {axes}", f"at t = {t[bad[0]]:.9g} s the middle angle is {middle[bad[0]]:.6g} rad",
            "there the first and the last turn are about the same axis, and only their sum or difference is defined",
            "choose other axes, for example 'xyz' in place of 'zyz', or use .rotation",
        )  # fmt: skip
    found = np.stack([first, middle, last], axis=1)
    return _without_flips(found, i == k)


def _without_flips(found: np.ndarray, proper: bool) -> np.ndarray:
    """Of the two triples of angles that are the same rotation, the one that goes on from the output before; whole turns added."""
    made = found.copy()
    for n in range(1, len(made)):
        a, b, c = made[n]
        other = (a + np.pi, -b if proper else np.pi - b, c + np.pi)
        near = [
            np.array(x) + 2.0 * np.pi * np.round((made[n - 1] - np.array(x)) / (2.0 * np.pi))
            for x in ((a, b, c), other)
        ]
        made[n] = min(near, key=lambda x: float(np.max(np.abs(x - made[n - 1]))))
    return made
