"""Compliant contact: f = k x^n (1 + c x') with the depth x, its rate x' and f >= 0 (Hunt and Crossley); k after Hertz for balls.

Hertz        k = 4/3 E* sqrt(R),   n = 3/2,   1/E* = (1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j,   1/R = 1/R_i + 1/R_j
Restitution  A free mass that arrives with v leaves with e v, whatever k, n and the mass are: from m x'' = -k x^n (1 + c x') follows
             x' dx'/(1 + c x') = -k x^n dx/m, so that with d = c v        d - ln(1 + d) = -d e - ln(1 - d e)
             d falls from infinity (e = 0) to 0 (e = 1); for e close to 1 it is 3/2 (1 - e).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...errors import ModelError, shown
from ..expression import Expr, functions
from ..measure import Measure
from ..reading import listed, read_items

if TYPE_CHECKING:
    from ._base import Force

# square of a depth that is none [m^2]
TINY = 1e-36


def hertz_stiffness(part: Force, young: Any, poisson: Any, radius: Any) -> Any:
    """k [N/m^(3/2)] of balls with the relative radius `radius` [m]."""
    modulus = _both(part, "young", young, "positive")
    ratio = _both(part, "poisson", poisson, "finite")
    for x in ratio:
        if not -1.0 < part.model.value(x) <= 0.5:
            found = f"poisson = {part.model.value(x):g}"
            raise ModelError(
                part.asked, found, "Poisson's ratio lies above -1 and is at most 0.5", "give 0.3 for steel"
            )
    soft = sum(((1.0 - nu * nu) / E for E, nu in zip(modulus, ratio)), 0.0)
    return part.model.read_number(part.asked, "stiffness", (functions.sqrt(radius) * (4.0 / 3.0) / soft).simplify())


def _both(part: Force, name: str, x: Any, rule: str) -> list[Any]:
    """A number for both bodies, or one for each."""
    items = [x, x] if listed(x) is None else x
    both = read_items(part.asked, name, items, 2, "a number for both bodies, or two", f"give {name}=(i, j)")
    return [part.model.read_number(part.asked, name, item, rule) for item in both]


def damping_for(asked: str, e: Any, speed: Any) -> float:
    """c [s/m] with which a mass that arrives with `speed` leaves with e times that."""
    if not isinstance(e, int | float) or not 0.0 < e <= 1.0:
        why = "a compliant contact has a restitution above 0 (infinite damping) and up to 1 (none), as a number"
        raise ModelError(asked, f"restitution = {shown(e)}", why, "give for example restitution=0.8, or damping=")
    if not isinstance(speed, int | float) or not 0.0 < speed < math.inf:
        why = "the damping that gives a restitution depends on the speed of arrival [m/s]"
        raise ModelError(asked, f"speed = {shown(speed)}", why, "give speed=1.0, or damping=")
    if e == 1.0:
        return 0.0

    def rest(d: float) -> float:
        return d - math.log1p(d) + d * e + math.log1p(-d * e)

    # rest > 0 for small d (e < 1), and falls to -infinity at d e = 1
    low, high = 0.0, 1.0 / e
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if middle * e < 1.0 and rest(middle) > 0.0 else (low, middle)
    return low / float(speed)


def compliant_push(gap: Measure, stiffness: Any, exponent: Any, damping: Any) -> Expr:
    """-f(s, s') of a gap s: it pushes where s < 0, and never pulls.

    The power is x (x^2 + tiny)^((n - 1)/2): a step that ends a little beyond the surface, before the corner is found, has a value too.
    """
    s = gap.symbol
    push: Expr = stiffness * functions.max(-s, 0.0)
    if isinstance(exponent, Expr) or exponent != 1.0:
        push = push * (s * s + TINY) ** ((exponent - 1.0) / 2.0)
    if isinstance(damping, Expr) or damping != 0.0:
        push = push * functions.max(1.0 - damping * gap.rate, 0.0)
    return push
