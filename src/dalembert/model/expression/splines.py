"""Cubic splines through given points, as functions that expressions may call.

On each interval y = c0 + c1 h + c2 h^2 + c3 h^3 with h = x - x_i.  Value, slope and curvature are continuous (C2)
inside the table.  Outside, the spline goes on as a straight line with the slope of its end: value and slope stay
continuous (C1), and with natural ends, where the curvature is zero, the curvature too.
"""

from __future__ import annotations

import math
import zlib
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ...errors import ExpressionError, checked_call, shown
from .checks import check_name, plain_number
from .tree import Call, Expr, SplineCall, operand


@dataclass(frozen=True)
class Spline:
    """C2 cubic spline; make it with `spline`.  Calling it with an expression gives an expression.

    Attributes
    ----------
    x, y
        The points.
    rate
        Slope at the first and at the last point; None where the end is natural (no curvature).
    name
        How expressions print it; not part of its identity.
    periodic
        Whether it repeats itself beyond its ends.
    coefficients
        (c0, c1, c2, c3) of the interval that begins at each point; those of the last point continue it as a line.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    rate: tuple[float | None, float | None] = (None, None)
    name: str = field(default="", compare=False)
    periodic: bool = False
    coefficients: tuple[tuple[float, float, float, float], ...] = field(default=(), compare=False, repr=False)

    def __call__(self, argument: object, order: int = 0) -> Expr:
        """Return the spline, or its derivative of the given order, as an expression of the argument."""
        given = operand(argument)
        return SplineCall(self, self._wrapped(given) if self.periodic else given, order)

    def _wrapped(self, u: Expr) -> Expr:
        """The argument brought into the table by whole periods: u − P floor((u − x0)/P)."""
        period = self.x[-1] - self.x[0]
        start = u - self.x[0] if self.x[0] != 0.0 else u
        return u - period * Call("floor", (start / period,))

    def unwrapped(self, argument: Expr) -> Expr:
        """The argument as it was given, of a call of a periodic table."""
        if self.periodic and isinstance(argument, Call) and argument.function == "-":
            inside = argument.children[0]
            if argument in (self._wrapped(inside), self._wrapped(inside).simplify()):
                return inside
        return argument

    def named(self, name: str) -> Spline:
        """Return the same spline under another name."""
        check_name(name, "the name of a spline")
        return self if name == self.name else replace(self, name=name)

    def value(self, x: float, order: int = 0) -> float:
        """Value at x, or derivative of the given order there (at a point, of the interval to its right)."""
        if self.periodic:
            period = self.x[-1] - self.x[0]
            x -= period * math.floor((x - self.x[0]) / period)
        i = bisect_right(self.x, x) - 1
        c0, c1, c2, c3 = self.coefficients[max(i, 0)]
        if i < 0:  # left of the table: the line of the first point
            c2 = c3 = 0.0
        h = x - self.x[max(i, 0)]
        if order == 0:
            return c0 + h * (c1 + h * (c2 + h * c3))
        if order == 1:
            return c1 + h * (2.0 * c2 + h * 3.0 * c3)
        if order == 2:
            return 2.0 * c2 + 6.0 * c3 * h
        return 6.0 * c3 if order == 3 else 0.0


@checked_call
def spline(
    x: Iterable[float],
    y: Iterable[float],
    rate: tuple[float | None, float | None] | None = None,
    name: str = "",
    periodic: bool = False,
) -> Spline:
    """Cubic spline through the points (x_i, y_i).

    Parameters
    ----------
    x
        Increasing finite numbers, at least two.
    y
        Values there.
    rate
        Slopes at the first and last point; None, or None in one place, makes the end natural (zero curvature).
    periodic
        Whether it repeats itself: the first and last value are equal, value, slope and curvature go on across the ends, and no `rate` is given.
    name
        How expressions print it (`cam` gives `cam(t)`); without one it gets a name made from its numbers.

    Examples
    --------
    >>> cam = spline([0, 1, 2], [0, 5, 0], rate=(0, 0), name="cam")
    >>> cam.value(1.0)
    5.0
    >>> lobe = spline([0, 1, 2, 3], [0, 5, 2, 0], periodic=True)
    >>> lobe.value(7.0) == lobe.value(1.0)
    True
    """
    points, values = _numbers(x, "x"), _numbers(y, "y")
    _check_points(points, values)
    ends = _check_ends(rate)
    if periodic:
        ends = _periodic_ends(points, values, rate)
    if not isinstance(name, str) or name:
        check_name(name, "the name of a spline")
    coefficients = _coefficients(points, values, _slopes(points, values, ends))
    if not all(math.isfinite(c) for row in coefficients for c in row):
        raise _error(
            "coefficients that are not finite", "the points are too close or the values too large", "rescale them"
        )
    label = name or f"table_{zlib.crc32(repr((points, values, ends)).encode()):08x}"
    return Spline(points, values, ends, label, bool(periodic), coefficients)


def _slopes(x: tuple[float, ...], y: tuple[float, ...], ends: tuple[float | None, float | None]) -> list[float]:
    """Slopes at the points from continuity of curvature, a tridiagonal system.

    At an inner point, with steps h and chord slopes d,
        h_i s_{i-1} + 2 (h_{i-1} + h_i) s_i + h_{i-1} s_{i+1} = 3 (h_i d_{i-1} + h_{i-1} d_i);
    at a natural end 2 s_0 + s_1 = 3 d_0.  Diagonally dominant: elimination needs no pivoting.
    """
    n = len(x)
    h = [b - a for a, b in zip(x, x[1:])]
    d = [(b - a) / step for a, b, step in zip(y, y[1:], h)]
    rows = [(0.0, 2.0, 1.0, 3.0 * d[0]) if ends[0] is None else (0.0, 1.0, 0.0, ends[0])]
    rows += [
        (h[i], 2.0 * (h[i - 1] + h[i]), h[i - 1], 3.0 * (h[i] * d[i - 1] + h[i - 1] * d[i])) for i in range(1, n - 1)
    ]
    rows.append((1.0, 2.0, 0.0, 3.0 * d[-1]) if ends[1] is None else (0.0, 1.0, 0.0, ends[1]))
    return _tridiagonal(rows)


def _periodic_ends(x: tuple[float, ...], y: tuple[float, ...], rate: object) -> tuple[float, float]:
    """Slope at the ends of a periodic spline: there too the curvature goes on, h_{n-1} (4 s_0 + 2 s_1 …) as at an inner point.

    Slopes depend linearly on the slope at the ends: two solutions with s = 0 and s = 1 give the jump of the curvature for all, and the slope
    for which there is none.
    """
    if rate is not None:
        raise _error("rate and periodic together", "a periodic table has the slope that goes on", "leave out rate")
    size = max(abs(v) for v in y) or 1.0
    if abs(y[0] - y[-1]) > 1e-12 * size:
        found = f"y = {y[0]!r} at the first point and {y[-1]!r} at the last"
        raise _error(found, "a periodic table ends where it begins", "give the first point again, one period later")

    def jump(s: float) -> float:
        rows = _coefficients(x, y, _slopes(x, y, (s, s)))
        h = x[-1] - x[-2]
        return (rows[-2][2] + 3.0 * rows[-2][3] * h) - rows[0][2]

    zero, one = jump(0.0), jump(1.0)
    # twice, for the digits that the difference loses
    s = -zero / (one - zero)
    s -= jump(s) / (one - zero)
    return s, s


def _tridiagonal(rows: list[tuple[float, float, float, float]]) -> list[float]:
    """Solve rows (below, diagonal, above, right side)."""
    above, right = [0.0], [0.0]
    for lower, diagonal, upper, value in rows:
        pivot = diagonal - lower * above[-1]
        right.append((value - lower * right[-1]) / pivot)
        above.append(upper / pivot)
    s = [right.pop()]
    above.pop()
    while len(right) > 1:
        s.append(right.pop() - above.pop() * s[-1])
    return s[::-1]


def _coefficients(
    x: tuple[float, ...], y: tuple[float, ...], s: list[float]
) -> tuple[tuple[float, float, float, float], ...]:
    """Hermite form of each interval in powers of h; the last point continues as a line."""
    rows = []
    for i in range(len(x) - 1):
        h = x[i + 1] - x[i]
        d = (y[i + 1] - y[i]) / h
        rows.append((y[i], s[i], (3.0 * d - 2.0 * s[i] - s[i + 1]) / h, (s[i] + s[i + 1] - 2.0 * d) / h / h))
    rows.append((y[-1], s[-1], 0.0, 0.0))
    return tuple(rows)


# ---- checks ----------------------------------------------------------------------------------------------------------


def _error(found: str, why: str, do: str) -> ExpressionError:
    return ExpressionError("spline(x, y, rate)", found, why, do)


def _numbers(values: object, which: str) -> tuple[float, ...]:
    try:
        items = list(values)  # type: ignore[call-overload]
    except Exception:  # a foreign object may fail in any way; it is not a list
        raise _error(
            f"{which} = {shown(values)}", "a table needs a row of numbers", f"give {which} as a list or array"
        ) from None
    made = []
    for i, item in enumerate(items):
        number = None if isinstance(item, str) else plain_number(item)
        if number is None or not math.isfinite(number):
            raise _error(
                f"{which}[{i}] = {shown(item)}",
                "every entry must be a finite real number",
                "correct or remove the point",
            )
        made.append(number)
    return tuple(made)


def _check_points(x: tuple[float, ...], y: tuple[float, ...]) -> None:
    if len(x) != len(y):
        raise _error(f"{len(x)} values of x and {len(y)} of y", "each x needs one y", "give both the same length")
    if len(x) < 2:
        raise _error(f"{len(x)} point" + "s" * (len(x) != 1), "a curve needs at least two points", "give more points")
    for i in range(len(x) - 1):
        if x[i + 1] <= x[i]:
            raise _error(
                f"x[{i}] = {x[i]} followed by x[{i + 1}] = {x[i + 1]}",
                "x must increase",
                "sort the points and remove doubles",
            )


def _check_ends(rate: object) -> tuple[float | None, float | None]:
    if rate is None:
        return None, None
    if not isinstance(rate, (tuple, list)) or len(rate) != 2:
        raise _error(
            f"rate = {rate!r}", "there are two ends", "give (slope at the first point, slope at the last point)"
        )
    ends = [None if r is None else plain_number(r) for r in rate]
    for given, number in zip(rate, ends):
        if given is not None and (number is None or not math.isfinite(number)):
            raise _error(f"rate = {rate!r}", "an end slope must be a finite number or None", "correct it")
    return ends[0], ends[1]
