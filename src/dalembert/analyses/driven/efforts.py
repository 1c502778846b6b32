"""Efforts of drivers by name: what inverse dynamics of mechanisms and of Lagrangian systems have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError, ResidualError, nearest, shown
from ...model.output_units import OutputUnits
from ...results.in_units import units_of
from ...results.paged import Paged
from ...results.series import Series

if TYPE_CHECKING:
    from ...results.record import Record
    from .motion import Driven


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


def virtual(run: Driven) -> Iterator[tuple[int, np.ndarray, dict[str, np.ndarray]]]:
    """At every output k of a driven motion: M a - Q, and by name of the driver the velocities w at a unit rate of it alone, J w = e."""
    path = run.problem
    rows = {name: path.system.row_parts.index(name) for name in path.system.driver_names}
    for k, p in enumerate(run.points):
        _ = p.svd  # before the rows that are to be current
        path.rows(p.t, p.q, p.v, p.angles)
        path.recall(run.forces[k])
        yield k, path.mass @ p.a - path.pose.force, {name: path.unit_motion(p, row) for name, row in rows.items()}


def three_ways(asked: str, run: Driven, balance: Any) -> dict[str, DriverEffort]:
    """Efforts of all drivers of a motion: -lam, (M a - Q) . w, and by the balance of its bodies or parts; refused where they differ.

    `balance.add(k, name, w)` is told the virtual velocities of every output; `balance.of(name)` gives the third way, the size of the loads that
    the effort comes from, and the measure with its unit.
    """
    powers = {name: np.zeros(len(run.t)) for name in run.system.driver_names}
    for k, need, motions in virtual(run):
        for name, w in motions.items():
            powers[name][k] = need @ w
            balance.add(k, name, w)
    made = {}
    for name, power in powers.items():
        third, *told = balance.of(name)
        multiplier = run.lam[:, run.system.row_parts.index(name)]
        made[name] = agreed(asked, name, [-multiplier, power, *third], run.t, *told)
    return made


def agreed(
    asked: str, name: str, ways: list[np.ndarray], t: np.ndarray, loads: float, measure: str = "", unit: str = ""
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


@dataclass(frozen=True, eq=False, repr=False)
class Efforts(Paged):
    """Efforts of all drivers; `found["motor"].multiplier`, `.power`, `.newton_euler`; `run` is the motion with all reactions."""

    run: Record
    drivers: dict[str, DriverEffort] = field(repr=False)

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

    def __str__(self) -> str:
        units, t = units_of("inverse dynamics", self.run), self.t
        span = f"{len(t)} times, t = {t[0]:g} … {t[-1]:g} s" if len(t) > 1 else f"t = {t[0]:g} s"
        lines = [
            f"inverse dynamics of {self.run.model.name!r}, {span}",
            f"{'driver':<14}{'along':<18}{'least':>13}{'largest':>13}  {'unit':<5}{'spread of three ways':>21}",
        ]
        for e in self.drivers.values():
            unit, factor = units.of(e.unit)
            low, high = float(np.min(e.multiplier)) * factor, float(np.max(e.multiplier)) * factor
            spread = f"{e.spread * factor:.1e} ({e.relative_spread:.0e})"
            lines.append(f"{e.name:<14}{e.measure:<18}{low:>13.6g}{high:>13.6g}  {unit:<5}{spread:>21}")
        return "\n".join([*lines, *self._notes(units)])

    __repr__ = __str__

    def _notes(self, units: OutputUnits) -> list[str]:
        return []
