"""Wrenches: a system of forces and couples reduced to one force and one couple (BASICS 8.3.1).

Vectors have three components; in the plane (x, y) means (x, y, 0), and a couple may be one number, its z component.
Part of the model layer: imports numpy, the errors and the reading of vectors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError, checked_call, shown
from .shapes.reading import Array, is_plain, read_vector


@dataclass(frozen=True, eq=False)
class CentralAxis:
    """Line on which the moment of a wrench is least, and parallel to its force.

    Parameters
    ----------
    point : (3,)
        Point of the line nearest to the point of the wrench (m).
    direction : (3,)
        Unit vector along the force.
    pitch
        Moment along the axis divided by the force (m); zero for a wrench that is one force.
    """

    point: Array
    direction: Array
    pitch: float


@dataclass(frozen=True, eq=False, repr=False)
class Wrench:
    """A force through a point, and a couple.

    Parameters
    ----------
    force : (3,)
        Sum of the forces (N).
    moment : (3,)
        Moment about `point` (N m); a plain number is its z component.
    point : (3,)
        Where the force acts (m).

    Examples
    --------
    >>> push = Wrench((0, 10), 0, point=(2, 0))
    >>> push.about((0, 0)).moment.tolist()
    [0.0, 0.0, 20.0]
    """

    force: Array
    moment: Array
    point: Array = (0.0, 0.0, 0.0)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", _frozen(read_vector("wrench", "force", self.force)))
        object.__setattr__(self, "moment", _frozen(_read_couple(self.moment)))
        object.__setattr__(self, "point", _frozen(read_vector("wrench", "point", self.point)))

    def about(self, point: Any) -> Wrench:
        """Return the same wrench, its force through another point: n_B = n_A + (r_A − r_B) × f (BASICS, Fig. 8.7)."""
        new = read_vector("wrench", "point", point)
        return Wrench(self.force, self.moment + np.cross(self.point - new, self.force), new)

    def __add__(self, other: Wrench) -> Wrench:
        """Both together, about the point of the first."""
        if not isinstance(other, Wrench):
            return NotImplemented
        moved = other.about(self.point)
        return Wrench(self.force + moved.force, self.moment + moved.moment, self.point)

    def __neg__(self) -> Wrench:
        return Wrench(-self.force, -self.moment, self.point)

    def __repr__(self) -> str:
        numbers = lambda x: "(" + ", ".join(f"{c:.6g}" for c in x) + ")"  # noqa: E731
        return f"<wrench: force {numbers(self.force)} N through {numbers(self.point)} m, moment {numbers(self.moment)} N m>"

    def central_axis(self, smallest_force: float = 0.0) -> CentralAxis:
        """Axis about which only the moment along the force is left.

        r = r_A + f × n_A / fᵀf and pitch = fᵀn / fᵀf: moving the force by f × n_A / fᵀf adds −(n_A − f fᵀn_A / fᵀf) to
        the moment, which cancels all of it that is perpendicular to f.

        Parameters
        ----------
        smallest_force
            Forces up to this size (N) count as zero; use it when large forces cancel and leave rounding.

        Raises
        ------
        ModelError
            The force is zero: a pure couple is the same about all points and has no axis.
        """
        f, n = self.force, self.moment
        size = math.hypot(*f)
        if size <= smallest_force:
            raise ModelError(
                "central axis of a wrench",
                f"force {f} of size {size:.6g} N, moment {n} N m",
                "without a force the wrench is a couple, the same about all points: every line along it will do",
                "use the moment itself, or add the force that is missing",
            )
        # divide twice by the size: its square may under- or overflow where the ratio does not
        direction = f / size
        arm = np.cross(direction, n) / size
        return CentralAxis(self.point + arm, direction, float(direction @ n) / size)


Wrench.__init__ = checked_call(Wrench.__init__)  # type: ignore[method-assign]


@checked_call
def reduce(forces: Iterable[tuple[Any, Any]] = (), couples: Iterable[Any] = (), about: Any = (0.0, 0.0, 0.0)) -> Wrench:
    """Reduce forces and couples to one force through a point and one couple.

    f = Σ f_i (BASICS 8.15), n = Σ s_i × f_i + Σ n_k (8.16), with s_i from the point to any point of the line of f_i.
    A couple counts the same wherever it acts (8.14).

    Parameters
    ----------
    forces
        Pairs (force, point of its line of action), in N and m.
    couples
        Moments (N m); a plain number is a z component.
    about : (3,)
        The point (m).

    Examples
    --------
    >>> pair = reduce([((0, 5), (1, 0)), ((0, -5), (-1, 0))])
    >>> pair.force.tolist(), pair.moment.tolist()
    ([0.0, 0.0, 0.0], [0.0, 0.0, 10.0])
    """
    point = read_vector("reduction of forces", "about", about)
    f, n = np.zeros(3), np.zeros(3)
    for k, pair in enumerate(_items("forces", forces)):
        try:
            force, where = pair
            if is_plain(force) or is_plain(where):
                raise TypeError("numbers instead of vectors")
        except (TypeError, ValueError) as error:
            raise ModelError(
                "reduction of forces", f"forces[{k}] = {shown(pair)}",
                "a force comes with a point", "give pairs (force, point): [((0, 5), (1, 0)), …]",
            ) from error  # fmt: skip
        force = read_vector("reduction of forces", f"forces[{k}]", force)
        f = f + force
        n = n + np.cross(read_vector("reduction of forces", f"point of forces[{k}]", where) - point, force)
    for couple in _items("couples", couples):
        n = n + _read_couple(couple)
    return Wrench(f, n, point)


def _items(name: str, x: Any) -> list[Any]:
    try:
        return list(x)
    except Exception:  # a foreign object may fail in any way; it is not a list
        raise ModelError(
            "reduction of forces", f"{name} = {shown(x)}", "a list is needed", f"give {name}=[...]"
        ) from None


def _read_couple(x: Any) -> Array:
    return read_vector("wrench", "moment", (0.0, 0.0, x) if is_plain(x) else x)


def _frozen(array: Array) -> Array:
    array.setflags(write=False)
    return array
