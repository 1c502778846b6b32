"""Runge-Kutta methods, one file each."""

from functools import cache

from ...errors import MethodError, nearest
from . import dop853, dormand_prince, radau
from ._base import Tableau

METHODS = {
    "dop853": dop853.tableau, "dormand_prince": dormand_prince.tableau, "radau1": radau.radau1, "radau3": radau.radau3, "radau5": radau.radau5,
}  # fmt: skip
_ORDERS = {8: "dop853", 5: "dormand_prince"}


@cache
def method(name: str | int) -> Tableau:
    """Method by name or by order (5 or 8)."""
    key = _ORDERS.get(name, name) if isinstance(name, int) else name
    if key not in METHODS:
        raise MethodError(
            f"method = {name!r}", "no such method", nearest(name, [*METHODS, "5", "8"]), "give method=8 or method=5"
        )
    return METHODS[str(key)]()
