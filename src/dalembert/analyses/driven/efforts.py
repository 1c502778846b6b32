"""Efforts of drivers by name: what inverse dynamics of mechanisms and of Lagrangian systems have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import ModelError, ResidualError, nearest, shown
from ...results.paged import Paged

# ways may differ by this part of the loads: close to a singular position, where rows are independent to 1e-9, each loses nine digits
DIFFER = 1e-6


def check_ways(asked: str, name: str, spread: float, size: float, unit: str = "") -> None:
    """Refuse an effort that independent ways do not agree on; size: that of the loads it comes from."""
    if not spread <= DIFFER * size:
        raise ResidualError(
            asked,
            f"the effort of {name!r} by multipliers, by virtual power and by the balance of bodies differs by {spread:.3g}{unit}, loads are"
            f" {size:.3g}{unit}",
            "these are three ways to one number: one of them would be wrong",
            "look for extreme ratios of masses, or times at which rows are nearly dependent; if the model is sound please report it",
        )


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
