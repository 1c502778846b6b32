"""Times at which a quantity crosses a value.

A signal may be faster than outputs and steps: sin(100 angle) on a slow angle.  So the signal itself is resolved first: between
samples it is evaluated on the motion at two points and compared with the cubic through the four samples around them; where they
disagree, or disagree next door, the points become samples and the three intervals between them are looked at in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MethodError, shown
from ..model.auxiliary import Auxiliary
from ..model.expression import Expr
from ..model.measure import Measure
from ..model.mechanism import Mechanism
from .series import Series

if TYPE_CHECKING:
    from .record import Record


AGREES = 0.02  # disagreement with the cubic, over the range of the signal around, that counts as resolved
NARROWEST = 1e-6  # part of the run below which an interval is not divided: a jump is not resolved by dividing
MOST = 60_000  # evaluations for one call: half a minute
FEWEST = 16  # intervals to begin with
GOLDEN = 0.6180339887498949


def crossings(run: Record, quantity: Any, value: Any, direction: int) -> np.ndarray:
    """Resolve the signal, bracket, then refine all brackets together by the secant/bisection method of Illinois."""
    if isinstance(direction, bool) or not isinstance(direction, int | np.integer) or direction not in (-1, 0, 1):
        raise MethodError("crossings", f"direction = {shown(direction)}", "it is -1, 0 or +1", "choose one of them")
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.integer | np.floating)
        or not -1e300 < value < 1e300  # a nan is not, and integers may be beyond floats
    ):
        raise MethodError("crossings", f"value = {shown(value)}", "it must be a finite number", "give a number")
    signal = _Signal(run, _function(run, quantity), float(value))
    if len(run.t) == 0:
        return np.zeros(0)
    t, g = signal.resolved()
    a, b, fa, fb = _brackets(t, g, direction)
    # exact zeros at samples, each run of them once, at its first
    zeros = [k for k in range(len(t)) if g[k] == 0.0 and (k == 0 or g[k - 1] != 0.0)]
    found = [t[k] for k in zeros if _wanted(g[k + 1] if k + 1 < len(t) else -g[k - 1] if k else 0.0, direction)]
    return np.array(sorted([*found, *_refined(signal, a, b, fa, fb)]))


class _Signal:
    """The quantity minus the value, at any times of the run, with an account of the work."""

    def __init__(self, run: Record, function: Callable[[Any], Any], value: float) -> None:
        self.run, self.function, self.value = run, function, value
        self.spent, self.largest = 0, abs(value)
        self.rtol = float(getattr(run.problem, "rtol", 0.0) or 0.0)

    def of(self, run: Record) -> np.ndarray:
        found = _checked(self.function(run), run)
        self.largest = max(self.largest, float(np.max(np.abs(found), initial=0.0)))
        return found - self.value

    def at(self, times: np.ndarray) -> np.ndarray:
        self.spent += len(times)
        return self.of(self.run.resample(times)) if len(times) else np.zeros(0)

    def resolved(self) -> tuple[np.ndarray, np.ndarray]:
        """Times in order and values, dense enough that nothing happens between them."""
        t, g = self._first()
        if len(t) < 4:
            return t, g
        # intervals that were not looked at yet, or whose neighbours gave reason to look again
        open_now = np.ones(len(t) - 1, dtype=bool)
        narrow = NARROWEST * (t[-1] - t[0])
        while open_now.any():
            k = np.flatnonzero(open_now)
            if self.spent + 2 * len(k) > MOST:
                raise self._unresolved(t, k)
            # two points inside, at shares that never repeat: a period cannot hide between them
            share = np.stack([0.28 + 0.12 * (k * GOLDEN % 1.0), 0.6 + 0.12 * (k * GOLDEN**2 % 1.0)])
            inside = t[k] + share * (t[k + 1] - t[k])
            values = self.at(inside.ravel()).reshape(inside.shape)
            bad = np.zeros(len(t) - 1, dtype=bool)
            bad[k] = self._disagrees(t, g, k, inside, values)
            # an interval next to one that was not resolved may agree by chance
            bad[1:-1] |= bad[:-2] | bad[2:]
            t, g, inner = _merged(t, g, k, inside, values, bad)
            open_now = inner & (np.diff(t) > narrow)
        return self._touching(t, g)

    def _first(self) -> tuple[np.ndarray, np.ndarray]:
        """Values at outputs and at the steps that the run kept, and at least so many in all."""
        outputs = np.asarray(self.run.t, dtype=float)
        more = np.asarray(self.run.trace.kept.t, dtype=float)
        ends = float(min(more.min(), outputs.min())), float(max(more.max(), outputs.max()))
        more = np.setdiff1d(np.concatenate([more, np.linspace(*ends, FEWEST + 1)]), outputs)
        t = np.concatenate([outputs, more])
        g = np.concatenate([self.of(self.run), self.at(more)])
        order = np.unique(t, return_index=True)[1]
        t, g = t[order], g[order]
        # an output within rounding of a step says the same twice, and spoils cubics through both
        apart = np.append(np.diff(t) > 1e-3 * NARROWEST * (ends[1] - ends[0]), True)
        return t[apart], g[apart]

    def _disagrees(
        self, t: np.ndarray, g: np.ndarray, k: np.ndarray, inside: np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        """Whether the signal inside the intervals k is not what the four samples around say."""
        first = np.clip(k - 1, 0, len(t) - 4)
        nodes, known = (np.stack([x[first + n] for n in range(4)]) for x in (t, g))
        span = np.maximum(known.max(0), values.max(0)) - np.minimum(known.min(0), values.min(0))
        noise = max(10.0 * self.rtol, 1e-9) * self.largest
        wrong = np.zeros(len(k))
        for x, y in zip(inside, values):
            cubic = np.zeros(len(k))
            for n in range(4):
                weight = np.ones(len(k))
                for m in range(4):
                    if m != n:
                        weight *= (x - nodes[m]) / (nodes[n] - nodes[m])
                cubic += weight * known[n]
            wrong = np.maximum(wrong, np.abs(cubic - y))
        return np.asarray(wrong > AGREES * span + noise)

    def _touching(self, t: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """With the turning points of the signal nearest to the value: two crossings close together lie on both sides of one."""
        for _ in range(8):
            d1, d2 = np.diff(t)[:-1], np.diff(t)[1:]
            a, m, b = g[:-2], g[1:-1], g[2:]
            near = (a * m > 0.0) & (b * m > 0.0) & (np.abs(m) < np.abs(a)) & (np.abs(m) < np.abs(b))
            # vertex of the parabola through three samples
            slope = ((b - m) * d1 / d2 + (m - a) * d2 / d1) / (d1 + d2)
            bend = 2.0 * ((b - m) / d2 - (m - a) / d1) / (d1 + d2)
            with np.errstate(all="ignore"):
                move = -slope / bend  # of a straight line: infinite, and not taken
                reach = m + 0.5 * slope * move
            near &= np.isfinite(move) & (move > -d1) & (move < d2) & (reach * np.sign(m) < 0.5 * np.abs(m))
            near &= np.abs(move) > 1e-3 * np.minimum(d1, d2)
            new = np.setdiff1d((t[1:-1] + move)[near], t)
            if not len(new):
                break
            times = np.concatenate([t, new])
            order = np.unique(times, return_index=True)[1]
            t, g = times[order], np.concatenate([g, self.at(new)])[order]
        return t, g

    def _unresolved(self, t: np.ndarray, k: np.ndarray) -> MethodError:
        widest = k[np.argmax(t[k + 1] - t[k])]
        return MethodError(
            "crossings",
            f"after {self.spent} evaluations the signal is not resolved in {len(k)} intervals; "
            f"the widest is t = {t[widest]:.9g} … {t[widest + 1]:.9g} s",
            "it changes faster than can be followed, so that crossings would be missed",
            "ask for a shorter run, or for a quantity that changes less often (the angle itself instead of its sine)",
        )


def _merged(
    t: np.ndarray, g: np.ndarray, k: np.ndarray, inside: np.ndarray, values: np.ndarray, bad: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples with the new ones among them, and for each interval between them whether it is to be looked at."""
    times = np.concatenate([t, *inside])
    order = np.argsort(times, kind="stable")
    owner = np.concatenate([np.arange(len(t)), k, k])[order][:-1]
    return times[order], np.concatenate([g, *values])[order], np.append(bad, False)[owner]


def _function(run: Record, quantity: Any) -> Callable[[Any], Any]:
    model = run.model
    if isinstance(quantity, str) and not isinstance(model, Mechanism):
        quantity = run[quantity]
    if isinstance(quantity, str | Expr) and "rate(" in str(quantity):
        quantity = run.value(quantity)  # a measure is a function of positions and time alone
    if isinstance(quantity, Series):
        if quantity.source is None or np.ndim(quantity) != 1:
            found, do = f"an array of shape {np.shape(quantity)}", "choose a column, such as run['A'].force[:, 0]"
            raise MethodError("crossings", found, "one quantity over time is needed", do)
        return quantity.source
    if not isinstance(quantity, Measure | str | type) and callable(quantity):
        return quantity  # type: ignore[no-any-return]
    if not isinstance(model, Mechanism):
        found, do = f"quantity = {shown(quantity)}", "give for example 'theta', or run['theta']"
        raise MethodError("crossings", found, "it is no coordinate, row or expression", do)
    if isinstance(quantity, str) and isinstance(model.find_measure(quantity), Auxiliary):
        quantity = model[quantity]
    measure = quantity if isinstance(quantity, Measure) else model.read_coordinate("crossings", quantity)
    return lambda r: r.measure(measure)


def _checked(values: Any, run: Record) -> np.ndarray:
    try:
        found = np.array(values, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != run.t.shape or values is None:
        shape = f"values of shape {np.shape(values)}" if isinstance(values, np.ndarray) else shown(values)
        why = f"one number for each of the {len(run.t)} times is needed"
        raise MethodError("crossings", shape, why, "return a column, such as r['A'].force[:, 0]")
    if not np.all(np.isfinite(found)):
        at = run.t[~np.isfinite(found)][0]
        why = "where it has no value, it cannot be said to cross one"
        raise MethodError("crossings", f"the quantity is not finite at t = {at:.9g} s", why, "guard it with if_")
    return found


def _wanted(after: float, direction: int) -> bool:
    return direction == 0 or (after > 0.0) == (direction > 0)


def _brackets(t: np.ndarray, g: np.ndarray, direction: int) -> tuple[np.ndarray, ...]:
    sign = np.sign(g)
    k = np.flatnonzero((sign[:-1] * sign[1:] < 0.0) & ((direction == 0) | (sign[1:] == direction)))
    return t[k], t[k + 1], g[k], g[k + 1]


def _refined(signal: _Signal, a: np.ndarray, b: np.ndarray, fa: np.ndarray, fb: np.ndarray) -> np.ndarray:
    """Roots between a and b by regula falsi with halving of the stagnant end (Illinois), all at once."""
    root = 0.5 * (a + b)
    left = np.arange(len(a))
    for _ in range(100):
        if not len(left):
            break
        with np.errstate(all="ignore"):
            c = (a * fb - b * fa) / (fb - fa)
        low, high = np.minimum(a, b), np.maximum(a, b)
        c = np.where((low < c) & (c < high), c, 0.5 * (a + b))
        fc = signal.at(c)
        root[left] = c
        done = (fc == 0.0) | (np.abs(b - a) <= 4e-15 * high) | (np.abs(fc) < 1e-300)
        other = fc * fb < 0.0
        a, fa = np.where(other, b, a), np.where(other, fb, 0.5 * fa)
        b, fb = c, fc
        go = ~done
        left, a, b, fa, fb = left[go], a[go], b[go], fa[go], fb[go]
    return root
