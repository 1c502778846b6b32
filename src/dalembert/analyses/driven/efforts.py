"""Efforts of drivers by name: what inverse dynamics of mechanisms and of Lagrangian systems have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import ModelError, nearest, shown
from ...results.paged import Paged


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
