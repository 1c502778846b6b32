"""Methods of time integration as tables of numbers, one file each."""

from dataclasses import replace
from functools import cache

from ...errors import MethodError, nearest
from . import dop853, dormand_prince, generalized_alpha, radau
from ._base import Tableau

METHODS = {
    "auto": lambda: replace(dop853.tableau(), plan="auto"), "dop853": dop853.tableau, "dormand_prince": dormand_prince.tableau,
    # steps of their own (`solve/leap.py`); states between two of them by an explicit method
    "variational": lambda: replace(dop853.tableau(), name="variational"), "variational4": lambda: replace(dop853.tableau(), name="variational4"),
    "moreau": lambda: replace(dop853.tableau(), name="moreau"),
    "partitioned": lambda: replace(dop853.tableau(), name="partitioned"),
    "radau": lambda: replace(radau.radau5(), plan="orders"), "radau1": radau.radau1, "radau3": radau.radau3, "radau5": radau.radau5,
    "radau9": radau.radau9,
}  # fmt: skip
_ORDERS = {8: "dop853", 5: "dormand_prince"}


DAMPED = {"generalized_alpha": generalized_alpha.generalized_alpha, "hht": generalized_alpha.hht}
# what a step of these leaves of infinitely fast motions
RHO = 0.8


@cache
def method(name: str | int, rho: float | None = None) -> Tableau:
    """Method by name or by order (5 or 8); rho: what a step of generalized-alpha and HHT leaves of infinitely fast motions."""
    key = _ORDERS.get(name, name) if isinstance(name, int) else name
    if key in DAMPED:
        rho = RHO if rho is None else rho
        lowest = 0.5 if key == "hht" else 0.0
        if not lowest <= rho <= 1.0:
            raise MethodError(
                f"method = {name!r}", f"rho_inf = {rho:g}", f"it is between {lowest:g} and 1", "give rho_inf=0.8"
            )
        return DAMPED[str(key)](rho)
    if rho is not None:
        raise MethodError(
            f"method = {name!r}", f"rho_inf = {rho:g}", "this method has none", "give method='generalized_alpha' or 'hht', or leave rho_inf out"
        )  # fmt: skip
    if key not in METHODS:
        words = [*METHODS, *DAMPED, "5", "8"]
        raise MethodError(
            f"method = {name!r}", "no such method", nearest(name, words), "give method='auto', 8, 5 or 'radau'"
        )
    return METHODS[str(key)]()
