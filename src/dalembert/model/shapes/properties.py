"""Mass properties of a rigid body: mass, mass centre, inertia tensor, and how they move, add and subtract.

Equations: PLANAR 6.1.20 to 6.1.25 (centroid, parallel axes, composites, voids), BASICS 8.22 to 8.27 (inertia tensor,
rotation, principal axes). Imports numpy, the errors and the reading of input.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError, checked_call, shown
from .reading import Array, is_plain, read_rotation, read_vector

# a tensor of real matter meets the triangle inequality exactly, and flat bodies meet it with equality; products of
# rotations and cancelling voids leave 1e-16 to 1e-12 of the largest moment, misprints leave 1e-3 and more
INERTIA_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass, mass centre and inertia tensor of a rigid body, in one frame.

    The off-diagonal numbers are *tensor entries*, J_xy = −∫ x y dm (BASICS 8.24), not the products ∫ x y dm that some
    programs print.

    Parameters
    ----------
    mass
        Mass (kg). Negative for a void.
    center : (3,)
        Mass centre in the frame (m); (x, y) means (x, y, 0).
    inertia : (3, 3)
        Inertia tensor about the *mass centre*, along the axes of the frame (kg m²).

    Examples
    --------
    >>> p = MassProperties(2.0, (0.5, 0.0, 0.0), np.diag([0.0, 0.5, 0.5]))
    >>> float(p.about((0, 0))[2, 2])
    1.0
    """

    mass: float
    center: Array
    inertia: Array

    def __post_init__(self) -> None:
        if not is_plain(self.mass) or not -math.inf < self.mass < math.inf or abs(self.mass) > sys.float_info.max:
            raise ModelError(
                "mass properties", f"mass = {shown(self.mass)}", "mass is a finite number", "give it in kg"
            )
        inertia = _as_tensor(self.inertia)
        center = read_vector("mass properties", "center", self.center)
        for array in (center, inertia):
            array.setflags(write=False)
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "center", center)
        object.__setattr__(self, "inertia", inertia)

    @classmethod
    def planar(cls, mass: float, polar: float, center: Any = (0.0, 0.0)) -> MassProperties:
        """Properties of a body known only in the plane: mass (kg) and polar inertia J' about the mass centre (kg m²).

        Only J_zz matters in the plane; J_xx = J_yy = J'/2 makes it a flat body that is possible in space too.
        """
        return cls(mass, center, np.diag([0.5 * polar, 0.5 * polar, polar]))

    @property
    def polar(self) -> float:
        """Polar moment of inertia J' = J_zz about the mass centre (kg m²), PLANAR 6.1.15."""
        return float(self.inertia[2, 2])

    def about(self, point: Any) -> Array:
        """Inertia tensor (3, 3) about any point of the frame (kg m²).

        Parallel axes, J_P = J_C + m (dᵀd 1 − d dᵀ) with d from the mass centre to P; its zz entry is PLANAR 6.1.22.
        """
        return self.inertia + _parallel(self.mass, read_vector("inertia about a point", "point", point) - self.center)

    def rotated(self, rotation: Any) -> MassProperties:
        """Properties after turning the body about the origin by the matrix A: J = A J' Aᵀ (BASICS 8.27), c = A c'."""
        return self.moved((0.0, 0.0, 0.0), rotation)

    def moved(self, at: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> MassProperties:
        """Properties in an outer frame, in which the frame of the body has its origin `at` (m) and axes `rotation`.

        Parameters
        ----------
        at : (3,) or (2,)
            Origin of the frame of the body, in the outer frame (m).
        rotation : (3, 3), optional
            Matrix A whose columns are the axes of the body in the outer frame.
        """
        A = np.eye(3) if rotation is None else np.array(read_rotation("mass properties", "rotation", rotation))
        origin = read_vector("mass properties", "at", at)
        return MassProperties(self.mass, origin + A @ self.center, A @ self.inertia @ A.T)

    def scaled(self, factor: float) -> MassProperties:
        """Properties of the same geometry with the density multiplied by `factor` (−1 makes a void)."""
        return MassProperties(factor * self.mass, self.center, factor * self.inertia)

    def with_mass(self, mass: float) -> MassProperties:
        """Properties of the same geometry with the density changed so that the mass becomes `mass` (kg)."""
        if self.mass == 0.0:
            raise ModelError(
                f"mass properties scaled to {mass} kg", "mass = 0",
                "a massless body has no density to scale", "give the shape a mass or a density first",
            )  # fmt: skip
        return self.scaled(mass / self.mass)

    def principal(self) -> tuple[Array, Array]:
        """Principal moments in ascending order (3,) and principal axes as columns of a right-handed matrix (3, 3).

        axesᵀ J axes = diag(moments) (BASICS 8.26). Signs are fixed by making the largest component of the first two
        axes positive; for repeated moments the axes are one choice of many.
        """
        moments, axes = np.linalg.eigh(0.5 * (self.inertia + self.inertia.T))
        for k in (0, 1):
            if axes[np.argmax(np.abs(axes[:, k])), k] < 0.0:
                axes[:, k] = -axes[:, k]
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        return moments, axes

    def __add__(self, other: MassProperties) -> MassProperties:
        if not isinstance(other, MassProperties):
            return NotImplemented
        return combine([self, other])

    def __sub__(self, other: MassProperties) -> MassProperties:
        if not isinstance(other, MassProperties):
            return NotImplemented
        return combine([self, other.scaled(-1.0)])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MassProperties):
            return NotImplemented
        same = self.mass == other.mass and np.array_equal(self.center, other.center)
        return same and np.array_equal(self.inertia, other.inertia)

    def __hash__(self) -> int:
        return hash((self.mass, self.center.tobytes(), self.inertia.tobytes()))

    def check(self, name: str, tolerance: float = INERTIA_TOLERANCE) -> MassProperties:
        """Refuse what no matter can have; return the same properties with the inertia exactly symmetric.

        Zero mass and zero inertia pass: whether a mechanism can live with them depends on its joints.

        Parameters
        ----------
        name
            Name of the body or shape, for the message.
        tolerance
            Allowed violation as a fraction of the largest entry of the inertia tensor.

        Raises
        ------
        ModelError
            Negative mass, a non-symmetric tensor, a negative principal moment, or a principal moment larger than the
            sum of the other two.
        """
        if self.mass < 0.0:
            raise ModelError(
                f"mass properties of {name}", f"mass = {self.mass:.6g} kg",
                "the mass of a body is not negative; a void may only take away what is there", "check the sizes and densities of the voids",
            )  # fmt: skip
        slack = tolerance * float(np.abs(self.inertia).max())
        skew = float(np.abs(self.inertia - self.inertia.T).max())
        if skew > slack:
            raise ModelError(
                f"mass properties of {name}", f"inertia with J and Jᵀ apart by {skew:.6g} kg m²:\n{self.inertia}",
                "the inertia tensor is symmetric", "give J_xy = J_yx = −∫xy dm, and so on",
            )  # fmt: skip
        self._check_moments(name, slack)
        if skew == 0.0:
            return self
        return MassProperties(self.mass, self.center, 0.5 * (self.inertia + self.inertia.T))

    def _check_moments(self, name: str, slack: float) -> None:
        j = self.inertia
        if j[0, 1] == j[0, 2] == j[1, 2] == j[1, 0] == j[2, 0] == j[2, 1] == 0.0:
            moments = sorted((j[0, 0], j[1, 1], j[2, 2]))  # principal axes already: most bodies
        else:
            moments = list(np.linalg.eigvalsh(0.5 * (j + j.T)))
        a, b, c = (float(x) for x in moments)
        found = f"principal moments {a:.9g}, {b:.9g}, {c:.9g} kg m²"
        if a < -slack:
            raise ModelError(
                f"mass properties of {name}", found, "a moment of inertia is an integral of squared distances and not negative",
                "check the signs of the products of inertia, and that every void lies inside the material",
            )  # fmt: skip
        # a + b − c = 2∫z² dm along the third principal axis, which is not negative
        if c > a + b + slack:
            raise ModelError(
                f"mass properties of {name}",
                f"{found}; the largest exceeds the sum of the others by {c - a - b:.6g} kg m²",
                "no distribution of mass has a moment of inertia larger than the sum of the other two",
                "check units and products of inertia (tensor entries are −∫xy dm), and that every void lies inside "
                "the material; for a body known only in the plane use MassProperties.planar(mass, polar)",
            )


MassProperties.__init__ = checked_call(MassProperties.__init__)  # type: ignore[method-assign]


def combine(parts: Sequence[MassProperties]) -> MassProperties:
    """Properties of several bodies as one, all given in the same frame; voids have negative mass.

    c = Σ m_i c_i / m (PLANAR 6.1.23), J = Σ [J_i + m_i (d_iᵀd_i 1 − d_i d_iᵀ)] with d_i from c to c_i (6.1.24, 6.1.25,
    as tensors). Distances are taken from the common mass centre: summing about the origin and shifting back at the end
    would lose digits for bodies far from it.
    """
    mass = math.fsum(p.mass for p in parts)
    first = np.array([math.fsum(p.mass * float(p.center[k]) for p in parts) for k in range(3)])
    if mass != 0.0:
        center = first / mass
    elif not first.any():
        # nothing to weigh: then the tensor does not depend on the point, and any centre will do
        center = parts[0].center
    else:
        raise ModelError(
            f"sum of {len(parts)} mass properties", f"masses that cancel to 0 kg with a first moment of {first} kg m",
            "without mass there is no mass centre", "check the masses of the voids",
        )  # fmt: skip
    inertia = sum((p.inertia + _parallel(p.mass, p.center - center) for p in parts), np.zeros((3, 3)))
    return MassProperties(mass, center, inertia)


def _parallel(mass: float, d: Array) -> Array:
    """Tensor m (dᵀd 1 − d dᵀ) of a mass at distance d."""
    return mass * (float(d @ d) * np.eye(3) - np.outer(d, d))


def _as_tensor(x: Any) -> Array:
    try:
        inertia = np.array(x, dtype=float) if not np.iscomplexobj(x) else np.empty(0)
    except (TypeError, ValueError, OverflowError):
        inertia = np.empty(0)
    if inertia.shape != (3, 3) or not np.isfinite(inertia).all():
        raise ModelError(
            "mass properties", f"inertia = {shown(x)}", "the inertia tensor is a 3×3 matrix of finite numbers",
            "give a 3×3 matrix in kg m², np.diag([Jx, Jy, Jz]) for principal axes, or use MassProperties.planar",
        )  # fmt: skip
    return inertia
