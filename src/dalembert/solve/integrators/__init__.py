"""Runge-Kutta methods, one file each."""

from dataclasses import replace
from functools import cache

from ...errors import MethodError, nearest
from . import dop853, dormand_prince, radau
from ._base import Tableau

METHODS = {
    "auto": lambda: replace(dop853.tableau(), plan="auto"), "dop853": dop853.tableau, "dormand_prince": dormand_prince.tableau,
    # steps of their own (`solve/leap.py`); states between two of them by an explicit method
    "variational": lambda: replace(dop853.tableau(), name="variational"), "variational4": lambda: replace(dop853.tableau(), name="variational4"),
    "radau": lambda: replace(radau.radau5(), plan="orders"), "radau1": radau.radau1, "radau3": radau.radau3, "radau5": radau.radau5,
}  # fmt: skip
_ORDERS = {8: "dop853", 5: "dormand_prince"}


@cache
def method(name: str | int) -> Tableau:
    """Method by name or by order (5 or 8)."""
    key = _ORDERS.get(name, name) if isinstance(name, int) else name
    if key not in METHODS:
        raise MethodError(
            f"method = {name!r}",
            "no such method",
            nearest(name, [*METHODS, "5", "8"]),
            "give method='auto', 8, 5 or 'radau'",
        )
    return METHODS[str(key)]()
