"""Constrained multibody dynamics of mechanisms: exact constraints, compiled speed, answers that explain themselves.

import dalembert as da
m = da.Mechanism("pendulum", plane=True, gravity=(0, -9.81))
bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
m.revolute("A", m.ground, bar, at=(0, 0))
run = da.simulate(m, until=1.0)
run["A"].force
"""

from importlib import import_module
from typing import Any

from .lazy import homes

__version__ = "0.1.0"

# Where each name lives, by the lines of the stub.  Nothing is imported before it is used: `dalembert --help` answers in a tenth of a second, and a
# program that only reads model files never loads the compiler.
_HOMES = homes(__file__)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'dalembert' has no attribute {name!r}")
    home = _HOMES[name]
    value = getattr(import_module(f".{home}", __name__), name) if home else import_module(f".{name}", __name__)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*(name for name in globals() if name.startswith("__")), *_HOMES])


__all__ = sorted(name for name, home in _HOMES.items() if home)
