"""Efforts of drivers by name: what inverse dynamics of mechanisms and of Lagrangian systems have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError, ResidualError, nearest, shown
from ...results.paged import Paged
from ...results.series import Series

# ways may differ by this part of the loads: close to a singular position, where rows are independent to 1e-9, each loses nine digits
DIFFER = 1e-6


@dataclass(frozen=True, eq=False)
class DriverEffort:
    """Force or torque of a driver along what it drives, positive upwards, over time.

    Attributes
    ----------
    multiplier
        Minus the driver's Lagrange multiplier, from J^T lam = Q - M a.
    power
        From virtual power: inertia minus applied forces, times the velocities that go with a unit rate of this driver alone.
    newton_euler
        From the balance of forces and moments of every single body; None for a Lagrangian system that is not made of parts.
    spread
        Largest difference of the ways over time.
    largest
        Largest effort over time.
    relative_spread
        The spread relative to the largest effort; where hardly any effort is needed, to the level of all loads.
    """

    name: str
    measure: str
    unit: str
    multiplier: Series
    power: Series
    newton_euler: Series | None
    spread: float
    largest: float
    relative_spread: float

    def __repr__(self) -> str:
        along = f" along {self.measure} [{self.unit}]" if self.measure else ""
        ways = "two" if self.newton_euler is None else "three"
        return f"<effort of driver {self.name!r}{along}: largest {self.largest:.6g}, {ways} ways agree to {self.spread:.1e}>"


def virtual(run: Any) -> Iterator[tuple[int, np.ndarray, dict[str, np.ndarray]]]:
    """At every output k of a driven motion: M a - Q, and by name of the driver the velocities w at a unit rate of it alone, J w = e."""
    path = run.problem
    rows = {name: path.system.row_parts.index(name) for name in path.drivers()}
    for k, p in enumerate(run.points):
        path.rows(p.t, p.q, p.v, p.angles)
        yield k, path.mass @ p.a - path.pose.force, {name: path.unit_motion(p, row) for name, row in rows.items()}


def agreed(
    asked: str, name: str, ways: list[np.ndarray], loads: float, t: np.ndarray, measure: str = "", unit: str = ""
) -> DriverEffort:
    """The effort of a driver by its ways, refused where they differ; loads: the size of those it comes from."""
    spread = float(np.max(np.ptp(np.array(ways), axis=0)))
    largest = float(np.max(np.abs(ways[0])))
    size, text = max(largest, loads), f" {unit}".rstrip()
    if not spread <= DIFFER * size:
        raise ResidualError(
            asked,
            f"the effort of {name!r} by multipliers, by virtual power and by the balance of bodies differs by {spread:.3g}{text}, loads are"
            f" {size:.3g}{text}",
            "these are three ways to one number: one of them would be wrong",
            "look for extreme ratios of masses, or times at which rows are nearly dependent; if the model is sound please report it",
        )
    relative = spread / max(largest if largest > 1e-6 * loads else loads, 1e-300)
    first, second, *third = (
        Series(x, f"{name}.{way}", unit, (), t) for way, x in zip(("multiplier", "power", "newton_euler"), ways)
    )
    return DriverEffort(name, measure, unit, first, second, third[0] if third else None, spread, largest, relative)


class Efforts(Paged):
    """Efforts by name of the driver; `run` is the motion."""

    run: Any
    drivers: dict[str, Any]

    def __getitem__(self, driver: Any) -> Any:
        name = getattr(driver, "name", driver)
        if isinstance(name, str) and name in self.drivers:
            return self.drivers[name]
        raise ModelError(
            f"effort of driver {shown(name)}", "no such driver", nearest(name, self.drivers), "use one of the drivers"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.drivers)

    def __len__(self) -> int:
        return len(self.drivers)

    @property
    def t(self) -> np.ndarray:
        """Times [s]."""
        return np.asarray(self.run.t)

    @property
    def spread(self) -> float:
        """Largest relative spread of the ways."""
        return max(e.relative_spread for e in self.drivers.values())
