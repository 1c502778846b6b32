"""A load (force and torque at a point) with the certificate of what is unique in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import MethodError, shown
from ...model.driver import Driver
from ...model.frame import Point
from ...model.output_units import OutputUnits
from ...model.part import Part
from ...model.reading import listed
from ...model.shapes.reading import is_plain
from ...model.wrench import Wrench
from ...results.parts import point_of
from ...system.subspaces import span

if TYPE_CHECKING:
    from ...model.body import Body
    from ...results.result import Result


# a unit of self-stress (over all joints of its group) that changes a component by no more than this leaves it unique
UNIQUE = 1e-7
LABELS = {True: ("Fx", "Fy", "T"), False: ("Fx", "Fy", "Fz", "Tx", "Ty", "Tz")}
# components of a wrench in space that exist in the plane
PLANE = [0, 1, 5]


@dataclass(frozen=True, eq=False)
class Load:
    """Force on a body and torque about a point, with what is unique in them.

    Attributes
    ----------
    name
        What puts the load on the body.
    on
        Name of the body.
    point
        The point [m], in space axes.
    """

    name: str
    body_name: str
    point: np.ndarray
    plane: bool
    length: float
    # in space axes: the wrench, and those that self-stress can add to it (6, any), torques not scaled
    _wrench: np.ndarray = field(repr=False)
    _stress: np.ndarray = field(repr=False)
    _axes: np.ndarray = field(repr=False, default_factory=lambda: np.eye(3))

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the components: forces [N] and torques [N m]."""
        return LABELS[self.plane]

    @cached_property
    def values(self) -> np.ndarray:
        """All components, in the order of `components`."""
        return self._turned(self._wrench)

    @property
    def force(self) -> np.ndarray:
        """Force on the body [N]; where it is not unique, the one of smallest norm."""
        return self.values[: 2 if self.plane else 3]

    @property
    def torque(self) -> Any:
        """Torque on the body about the point [N m]; a number in the plane."""
        return float(self.values[2]) if self.plane else self.values[3:]

    @cached_property
    def unique(self) -> np.ndarray:
        """For each component whether the equations determine it (array of booleans)."""
        return np.linalg.norm(self._turned(self._scaled), axis=1) <= UNIQUE  # type: ignore[no-any-return]

    @cached_property
    def free(self) -> np.ndarray:
        """Loads that can be added without effect on the motion, (count, components): a basis, each with an entry 1."""
        basis = span(self._turned(self._scaled), UNIQUE, size=1.0).T
        if not len(basis):
            return np.zeros((0, len(self.components)))
        from scipy.linalg import qr

        # as many components as there are directions, chosen to differ most, serve as unknowns: one is 1, the others 0
        _, _, order = qr(basis, mode="economic", pivoting=True)
        chosen = np.sort(order[: len(basis)])
        basis = np.linalg.solve(basis[:, chosen], basis)
        basis[np.abs(basis) < UNIQUE] = 0.0
        basis = basis * self._lengths()
        return basis / basis[np.arange(len(basis)), chosen][:, None]  # type: ignore[no-any-return]

    def is_unique(self, force: Any = None, torque: Any = None) -> bool:
        """Whether the force, or the torque, along a direction (in the present frame) is unique."""
        asked = f"is_unique of {self.name!r}"
        if (force is None) == (torque is None):
            found = f"force = {shown(force)}, torque = {shown(torque)}"
            raise MethodError(asked, found, "one direction is needed", "give force=(x, y, z) or torque=(x, y, z)")
        name, given = ("force", force) if torque is None else ("torque", torque)
        size = 3 if not self.plane else 2 if name == "force" else 1
        d = np.ravel(read_numbers(asked, name, given if size > 1 else (given,), size))
        if not np.linalg.norm(d) > 0.0:
            raise MethodError(asked, f"{name} = {shown(given)}", "a direction has a length", "give another direction")
        rows = self._turned(self._scaled)
        block = rows[: len(d)] if name == "force" else rows[len(rows) - len(d) :]
        return bool(np.linalg.norm(d @ block) <= UNIQUE * np.linalg.norm(d))

    @property
    def wrench(self) -> Wrench:
        """The load as a wrench at its point, in space axes."""
        return Wrench(self._wrench[:3], self._wrench[3:], self.point)

    @property
    def _scaled(self) -> np.ndarray:
        """Self-stress with torques divided by the length of the model, so that they compare with forces."""
        return self._stress / np.repeat((1.0, self.length), 3)[:, None]

    def _lengths(self) -> np.ndarray:
        return np.array([self.length if name.startswith("T") else 1.0 for name in self.components])

    def _turned(self, wrench: np.ndarray) -> np.ndarray:
        """Components of wrenches in the axes asked for."""
        turned = np.concatenate([self._axes.T @ wrench[:3], self._axes.T @ wrench[3:]])
        return turned[PLANE] if self.plane else turned

    def __repr__(self) -> str:
        return f"<load of {self.name!r} on {self.body_name!r}: {describe(self)}>"


def describe(load: Load) -> str:
    """Components with units on one line; a star marks what is not unique."""
    cells = numbers(load.values, load._lengths())
    marks = ["" if ok else "*" for ok in load.unique]
    units = ["N m" if name.startswith("T") else "N" for name in load.components]
    return ", ".join(f"{n} = {x}{mark} {unit}" for n, x, mark, unit in zip(load.components, cells, marks, units))


def component_units(components: Sequence[str], units: OutputUnits) -> tuple[list[str], np.ndarray]:
    """Units to show forces and torques in, and their factors."""
    pairs = [units.of("N m" if name[0] in "TM" else "N") for name in components]
    return [unit for unit, _ in pairs], np.array([factor for _, factor in pairs])


def numbers(values: np.ndarray, lengths: np.ndarray | None = None, largest: float | None = None) -> list[str]:
    """Numbers with six digits; what is round-off beside the largest (torques divided by lengths) is 0."""
    scaled = np.abs(values) / (1.0 if lengths is None else lengths)
    top = float(np.max(scaled, initial=0.0)) if largest is None else largest
    return [f"{x:.6g}" if s > 1e-11 * top else "0" for x, s in zip(values, scaled)]


def added_stress(loads: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Self-stress of a sum of loads, each given with the numbers of its null vectors: what comes from the same one adds."""
    found: dict[int, np.ndarray] = {}
    for stress, columns in loads:
        for k, c in enumerate(columns):
            found[c] = found[c] + stress[:, k] if c in found else stress[:, k]
    return np.column_stack([np.zeros((6, 0)), *(x[:, None] for x in found.values())])


def moved(wrench: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Wrenches (6 or 6, any) about another point; `arm` goes from there to the old one: n + arm x f."""
    moment = wrench[3:] + np.cross(arm, wrench[:3], axisb=0, axisc=0)
    return np.concatenate([wrench[:3], moment])


def read_numbers(asked: str, name: str, x: Any, size: int) -> np.ndarray:
    """Vector of finite numbers."""
    items = x.tolist() if isinstance(x, np.ndarray) else listed(x)
    if not isinstance(items, list | tuple) or len(items) != size or not all(is_plain(c) for c in items):
        kind = {1: "a number", 2: "two numbers", 3: "three numbers"}[size]
        example = {1: "1", 2: "(1, 0)", 3: "(1, 0, 0)"}[size]
        raise MethodError(asked, f"{name} = {shown(x)}", f"{kind} are needed", f"give {name}={example}")
    made = np.array(items, dtype=float)
    if not np.isfinite(made).all():
        raise MethodError(asked, f"{name} = {shown(x)}", "the numbers must be finite", f"give other {name}")
    return made


def read_about(asked: str, run: Result, body: Body, about: Any) -> tuple[np.ndarray, str]:
    """Point in space for moments, and what to call it: None is the mass centre of the body."""
    if about is None:
        return run.kinematics(body).position[0], f"mass centre of {body.name}"
    if isinstance(about, Point):
        run.model.own(asked, about.body)
        p = point_of(run, about).position[0]
        return np.concatenate([p, np.zeros(3 - len(p))]), f"point of {about.body.name}"
    name = about if isinstance(about, str) else getattr(about, "name", None)
    if isinstance(name, str):
        part = run.model[name]
        if not isinstance(part, Part | Driver) or body not in part.bodies:
            found = f"about = {name!r}"
            raise MethodError(asked, found, f"it does not act on {body.name!r}", "give a joint of the body, or a point")
        motion, place = run.kinematics(body), run.marker(part, body)
        return motion.position[0] + motion.rotation[0] @ place.point, f"point of {name}"
    point = read_numbers(asked, "about", about, 2 if run.plane else 3)
    text = ", ".join(f"{x:g}" for x in point)
    return np.concatenate([point, np.zeros(3 - len(point))]), f"point ({text}) m"
