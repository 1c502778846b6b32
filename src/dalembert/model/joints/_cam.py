"""Laws of followers from profiles of cams, and profiles from laws.

The cam turns by theta about its centre; the follower moves along a line through that centre, towards which the radius r(psi) of the profile points where
psi = -theta.  Its tip, the centre of its roller or its face is at the distance y from the centre:

    knife     y = r(-theta)
    roller    y = max over psi of  r cos(psi + theta) + sqrt(rho^2 - r^2 sin(psi + theta)^2)      the circle that just touches
    flat      y = max over psi of  r cos(psi + theta)                                             the same for a roller of any size

The other way round `_cam_touch.py` tells.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DalembertError, ModelError, shown
from ..expression import Expr, Name, Spline
from ..expression.splines import spline
from ..measure import Measure
from ..reading import listed, read_choice, read_flag
from ._cam_touch import ANGLE, FLAT, FOLLOWERS, KNIFE, ROLLER, Layout, outline_of

if TYPE_CHECKING:
    from .cam import Cam

# nodes of a law that is made of a profile (its spline is right to 1e-11 of a smooth one), and points of the profile where the contact is looked for first
NODES, POINTS = 720, 720
# zero: cam and follower touch as drawn
DRAWN = "drawn"


def read_coordinates(part: Cam) -> tuple[Measure, Measure, Any]:
    """Angle of the cam, coordinate of the follower and its zero, with the kind of follower and whether it is held from both sides."""
    a, b = (part.model.read_coordinate(part.asked, x) for x in (part.a, part.b))
    part.check_unit("a", a, "rad", "an angle")
    part.refuse_equal(a, b)
    if b.is_rate:
        raise ModelError(part.asked, f"{b!r}", "a rate measure has no value", "use a measure with a value")
    read_choice(part.asked, "follower", part.follower, FOLLOWERS, "use one of these")
    zero = (
        part.zero
        if isinstance(part.zero, str) and part.zero == DRAWN
        else part.model.read_number(part.asked, "zero", part.zero)
    )
    part.set(a=a, b=b, zero=zero, closed=read_flag(part.asked, "closed", part.closed))
    if part.closed and (part.restitution, part.hypothesis) != (0.0, "newton"):
        found = f"closed = True with restitution = {shown(part.restitution)}, hypothesis = {shown(part.hypothesis)}"
        why = "a follower that is held from both sides never lands"
        raise ModelError(part.asked, found, why, "leave closed= out, or the others")
    return a, b, zero


def read_sizes(part: Cam) -> None:
    """Radius of the roller, distance at lift 0, offset, and arm of a follower that swings."""
    if part.follower == ROLLER:
        part.set(radius=part.model.read_number(part.asked, "radius", part.radius, "positive"))
    elif part.radius is not None:
        why = f"a follower with a {part.follower} face has no radius"
        raise ModelError(part.asked, f"radius = {shown(part.radius)}", why, "give follower='roller', or leave it out")
    if part.base is not None:
        part.set(base=part.model.read_number(part.asked, "base", part.base, "positive"))
    pointed = part.follower != FLAT
    fits = {"offset": pointed != part.swings, "arm": pointed and part.swings}
    whys = {
        "offset": "a face across its way, and a tip on an arm, have no offset: it is that of a tip beside the centre of the cam, or of a face beside its pin",
        "arm": "an arm is that of a tip or roller on a follower that swings",
    }  # fmt: skip
    for name, rule in (("offset", "finite"), ("arm", "positive")):
        x = getattr(part, name)
        if x is None:
            continue
        if not fits[name] or part.base is None:
            reason = whys[name] if not fits[name] else "it says where the follower touches together with base"
            do = "leave it out" if not fits[name] else "give base= too"
            raise ModelError(part.asked, f"{name} = {shown(x)}", reason, do)
        part.set(**{name: part.model.read_number(part.asked, name, x, rule)})
    if part.swings and part.base is not None:
        _check_swinging(part, pointed)


def _check_swinging(part: Cam, pointed: bool) -> None:
    """Sizes of a follower that swings mean something where its joints are known."""
    if not isinstance(part._layout, Layout):
        why = f"where a follower that swings touches is not known: {part._layout}"
        raise ModelError(part.asked, f"base = {shown(part.base)}", why, "leave base= out; the law is lift=")
    if pointed and part.arm is None:
        why = "the tip or roller of a follower that swings is at the end of an arm"
        raise ModelError(part.asked, "arm is missing", why, "give arm=, the distance from its pin, or leave base= out")


def read_law(part: Cam) -> Expr:
    if (part.lift is None) == (part.profile is None):
        found = "neither lift nor profile" if part.lift is None else "lift and profile"
        raise ModelError(part.asked, found, "the law of the follower is one of them", "give lift=, or profile=")
    if part.profile is None:
        law = read_curve(part, "lift", part.lift)
        values_of(part, law, "lift", np.zeros(1))
        return law
    if part.base is not None:
        why = "a profile has its distances from the centre"
        raise ModelError(part.asked, f"base = {shown(part.base)} with a profile", why, "leave base out")
    if part.b.unit != "m":
        found, why = f"b = {part.b.name!r} in {part.b.unit}", "a profile moves a follower along a line"
        raise ModelError(part.asked, found, why, "give the law of a follower that swings as lift=")
    return law_of_profile(part, read_curve(part, "profile", part.profile))


def checked_outline(part: Cam, n: int) -> np.ndarray:
    """Points of the profile; refused where the follower would have to undercut the cam."""
    if part.base is None and part.profile is None:
        why = "the lift alone does not tell how large the cam is"
        raise ModelError(f"outline of {part.asked}", "no base", why, "give base=, the distance where the lift is 0")
    laws, theta = [part._law, part._law.diff(ANGLE), part._law.diff(ANGLE).diff(ANGLE)], np.linspace(0.0, 2.0 * math.pi, n)  # fmt: skip
    points, spare = outline_of(part, tuple(values_of(part, law, "lift", theta) for law in laws), theta)
    if part.profile is None and float(np.min(spare)) < 0.0:
        k = int(np.argmin(spare))
        where = f"at theta = {theta[k]:.6g} rad"
        raise ModelError(
            part.asked, f"the cam would have the radius of curvature {spare[k]:.3g} m {where}",
            "a law that bends more than that cuts away what the follower should stand on (undercut)",
            "give a larger base=, a smaller roller, or a law with smaller accelerations",
        )  # fmt: skip
    return points


def read_curve(part: Cam, name: str, x: Any) -> Expr:
    """A law or a profile: an expression of theta and parameters, a table, or points (angle, value) of a whole turn."""
    if isinstance(x, Spline):
        return x(Name(ANGLE))
    points = None if isinstance(x, str | Expr) else listed(x)
    if points is None:
        if isinstance(x, str) and x in part.model.tables:
            return part.model.tables[x](Name(ANGLE))
        return part.model.read_law(part.asked, x, (ANGLE,))
    pairs = [listed(p) or [] for p in points]
    if len(pairs) < 4 or any(len(p) != 2 for p in pairs):
        why = "a table has at least four points (angle, value), the last one a turn after the first"
        raise ModelError(
            part.asked, f"{name} = {shown(x)}", why, "give [(0, 0), (2, 0.02), ..., (6.2832, 0)], or m.table"
        )
    return spline([p[0] for p in pairs], [p[1] for p in pairs], periodic=True)(Name(ANGLE))


def values_of(part: Cam, law: Expr, name: str, theta: np.ndarray) -> np.ndarray:
    """A law at some angles, with the parameters as they are."""
    other = law.names - {ANGLE} - set(part.model.parameter_names)
    if other:
        why = f"a {name} is a function of theta and parameters"
        raise ModelError(part.asked, f"{name} = {law}", f"{why}; it uses {sorted(other)[0]!r}", "leave it out")
    values = part.model.parameters
    try:
        found = np.array([law.evaluate({**values, ANGLE: float(x)}) for x in theta])
    except DalembertError as error:
        raise ModelError(f"{part.asked}: {name}", error.found, error.why, error.do) from None
    return found


def law_of_profile(part: Cam, profile: Expr) -> Expr:
    """Distance of the follower from the centre of the cam over theta."""
    grid = np.linspace(0.0, 2.0 * math.pi, POINTS, endpoint=False)
    r = values_of(part, profile, "profile", np.append(grid, 2.0 * math.pi))
    if not np.all(r > 0.0):
        k = int(np.argmin(r))
        found = f"the profile has the radius {r[k]:g} m at {np.append(grid, 2 * math.pi)[k]:g} rad"
        raise ModelError(part.asked, found, "the radius of a profile is positive", "give the distance from the centre")
    if abs(r[-1] - r[0]) > 1e-9 * float(np.max(r)):
        found = f"the profile has the radius {r[0]:g} m at 0 and {r[-1]:g} m after a turn"
        raise ModelError(part.asked, found, "a profile is closed", "give one that repeats itself")
    if part.follower == KNIFE:
        return profile.substitute({ANGLE: -Name(ANGLE)})
    reach = None if part.follower == FLAT else float(part.model.value(part.radius))
    first, second = profile.diff(ANGLE), profile.diff(ANGLE).diff(ANGLE)
    theta = np.linspace(0.0, 2.0 * math.pi, NODES + 1)
    psi = np.array([_start(grid, r[:-1], reach, x) for x in theta])
    r0, r1, r2 = (values_of(part, f, "profile", psi) for f in (profile, first, second))
    for _ in range(8):
        step = _newton(r0, r1, r2, psi + theta, reach)
        if float(np.max(np.abs(step))) < 1e-13:
            break
        psi = psi - step
        r0, r1, r2 = (values_of(part, f, "profile", psi) for f in (profile, first, second))
    y = _reach(r0, psi + theta, reach)
    y[-1] = y[0]
    return spline(theta, y, periodic=True)(Name(ANGLE))


def _reach(r: np.ndarray, angle: np.ndarray, rho: float | None) -> np.ndarray:
    """Distance at which the follower touches the point (r, psi), angle = psi + theta; -infinity where a roller cannot."""
    along, across = r * np.cos(angle), r * np.sin(angle)
    if rho is None:
        return along
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(across) <= rho, along + np.sqrt(rho * rho - across * across), -np.inf)


def _start(grid: np.ndarray, r: np.ndarray, rho: float | None, theta: float) -> float:
    return float(grid[int(np.argmax(_reach(r, grid + theta, rho)))])


def _newton(r: np.ndarray, r1: np.ndarray, r2: np.ndarray, angle: np.ndarray, rho: float | None) -> np.ndarray:
    """Step of Newton's method towards the largest reach: along + sqrt(rho^2 - across^2) is stationary in psi.

    With a, b the ways along and across, a' = r' cos - b, b' = r' sin + a:   y' = a' - b b'/w,  w = sqrt(rho^2 - b^2).
    """
    c, s = np.cos(angle), np.sin(angle)
    a, b = r * c, r * s
    a1, b1 = r1 * c - b, r1 * s + a
    a2, b2 = r2 * c - r1 * s - b1, r2 * s + r1 * c + a1
    if rho is None:
        slope, bend = a1, a2
    else:
        w = np.sqrt(np.maximum(rho * rho - b * b, 1e-6 * rho * rho))
        slope = a1 - b * b1 / w
        bend = a2 - (b1 * b1 + b * b2) / w - (b * b1) ** 2 / w**3
    # only towards a maximum, and by no more than the points of the first search are apart
    step = np.where(bend < 0.0, slope / np.where(bend < 0.0, bend, 1.0), 0.0)
    return np.clip(step, -2.0 * math.pi / POINTS, 2.0 * math.pi / POINTS)
