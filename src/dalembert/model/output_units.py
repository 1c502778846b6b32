"""Units in which results are shown: "mm, kN, deg, rpm".  Arrays stay in SI units; tables, files of text, plots and pages are converted."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from ..errors import MethodError, shown
from .units import ANGLE, NONE, Dimension, UnitError, known_dimension, parse_unit, split_quantity

SI = "SI"
LENGTH: Dimension = (0, 1, 0, 0)
_WORK, _PER_TIME = (1, 2, -2, 0), (0, 0, -1, 0)
# quantities of results whose unit a file decides by the units that it uses; time stays in seconds
_TAKEN = (LENGTH, ANGLE, (0, 1, -1, 0), (0, 1, -2, 0), (0, 0, -1, 1), (1, 1, -2, 0), _WORK, (1, 2, -3, 0))
_MOST = 40  # units that can be given
_POWERS = {2: "²", 3: "³"}
# quantities inside formulas: "40 mm + r"
_INSIDE = re.compile(r"(?<![\w.])\d+\.?\d*(?:[eE][+-]?\d+)?\s+([A-Za-zµμ°]+(?:/[A-Za-z]+(?:\^\d)?)*)")

# quantities in messages, in SI units: "0.0795 m", "6.28 rad/s"
_QUANTITY = re.compile(
    r"(?<![\w.])(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) ((?:N m|N|m|rad)(?:/s²|/s|/m|/rad)?)(?![\w/²^*]| [ms]\b)"
)

Key = tuple[Dimension, str]


def _key(text: str, dimension: Dimension) -> Key:
    """What a unit is for: torque and energy have one dimension, and so have frequencies and rates, but kJ is no unit of torque."""
    named = (
        "J"
        if dimension == _WORK and re.search("J|W", text)
        else "Hz"
        if dimension == _PER_TIME and "Hz" in text
        else ""
    )
    return dimension, named


class OutputUnits:
    """Units for output, one for each kind of quantity; SI units for all others.

    Speeds and accelerations follow the units of length and angle where none is given for them: with "mm, deg" a speed is in mm/s and a
    spin in deg/s; with "rpm" besides it is in rpm.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.texts = tuple(texts)
        self._known: dict[str, tuple[str, float]] = {}

    @cached_property
    def _given(self) -> dict[Key, str]:
        return {_key(text, parse_unit(text).dimension): text for text in self.texts}

    def of(self, unit: str) -> tuple[str, float]:
        """Unit to show for an SI unit, and the factor for its numbers: ("mm", 1000.0) for "m"."""
        if unit not in self._known:
            self._known[unit] = self._found(unit)
        return self._known[unit]

    def unit(self, unit: str) -> str:
        """Unit to show for an SI unit."""
        return self.of(unit)[0]

    def factor(self, unit: str) -> float:
        """Number to multiply SI numbers with."""
        return self.of(unit)[1]

    def in_text(self, text: str) -> str:
        """A message with its quantities in these units: "0.0795 m" as "79.5 mm"."""

        def converted(found: re.Match[str]) -> str:
            unit, factor = self.of(found[2])
            digits = len(found[1].partition("e")[0].lstrip("-0.").replace(".", ""))
            return found[0] if factor == 1.0 else f"{float(found[1]) * factor:.{max(digits, 4)}g} {unit}"

        return _QUANTITY.sub(converted, text) if self.texts else text

    def _found(self, unit: str) -> tuple[str, float]:
        if not self.texts or not unit:
            return unit, 1.0
        try:
            si = parse_unit(unit)
        except UnitError:
            return unit, 1.0  # a label such as "teeth"
        text = self._given.get(_key(unit, si.dimension)) or self._derived(si.dimension)
        if text is None:
            return unit, 1.0
        found = parse_unit(text)
        ratio = si.factor / found.factor
        factor = float(ratio) * math.pi ** (si.pi - found.pi)
        return (unit, 1.0) if factor == 1.0 else (text, factor)

    def _derived(self, dimension: Dimension) -> str | None:
        mass, length, time, angle = dimension
        if mass or not (length or angle) or any(isinstance(n, float) or n != int(n) for n in dimension):
            return None
        pairs = [(LENGTH, "m", int(length)), (ANGLE, "rad", int(angle))]
        named = [(self._given.get((d, "")) or si, n) for d, si, n in pairs if n]
        if all(text in ("m", "rad") for text, _ in named):
            return None
        # speeds are per second also where times are shown in milliseconds
        named += [("s", int(time))] if time else []
        over = [_powered(text, n) for text, n in named if n > 0]
        under = [_powered(text, -n) for text, n in named if n < 0]
        return " ".join(over or ["1"]) + "".join(f"/{text}" for text in under)

    def __bool__(self) -> bool:
        return bool(self.texts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OutputUnits) and set(self.texts) == set(other.texts)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<units {', '.join(self.texts) or SI}>"


class Shown:
    """Base of models: the units in which their results are shown."""

    _units: tuple[str, ...] = ()
    name: str

    @property
    def units(self) -> tuple[str, ...]:
        """Units of tables, text files, plots and pages: `m.units = "mm, kN, deg, rpm"`; empty: SI units.  Arrays are always in SI units.

        A model read from a file has the units that its file states or uses.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("press")
        >>> m.units = "mm, kN, deg"
        >>> m.units
        ('mm', 'kN', 'deg')
        """
        return self._units

    @units.setter
    def units(self, given: Any) -> None:
        self._units = read_units(f"units of {self.name!r}", given).texts


def _powered(text: str, n: int) -> str:
    return text if n == 1 else text + _POWERS.get(n, f"^{n}")


def read_units(asked: str, given: Any) -> OutputUnits:
    """Units from what a user gave: None or "SI", a text such as "mm, kN, deg", or a list of texts."""
    if isinstance(given, OutputUnits):
        return given
    if given is None:
        return _made(())
    listed = given.replace(";", ",").split(",") if isinstance(given, str) else given
    do = 'give units="mm, kN, deg, rpm", or "SI"'
    if not isinstance(listed, list | tuple) or not all(isinstance(text, str) for text in listed) or len(listed) > _MOST:
        raise MethodError(asked, f"units = {shown(given)}", "units are a text, or a list of texts", do)
    texts = [" ".join(text.split()) for text in listed if text.strip()]
    if [text.upper() for text in texts] == [SI]:
        return _made(())
    seen: dict[Key, str] = {}
    for text in texts:
        try:
            dimension = parse_unit(text).dimension
        except UnitError as error:
            raise MethodError(asked, f"units = {shown(given)}", str(error), do) from None
        if dimension == NONE:
            raise MethodError(asked, f"units = {shown(given)}", f"{text!r} is no unit of a quantity", do)
        other = seen.setdefault(_key(text, dimension), text)
        if other != text:
            why = f"{other!r} and {text!r} are units of the same quantity"
            raise MethodError(asked, f"units = {shown(given)}", why, "give one of them")
    return _made(tuple(dict.fromkeys(texts)))


@lru_cache(maxsize=64)
def _made(texts: tuple[str, ...]) -> OutputUnits:
    return OutputUnits(texts)


def units_in(data: Any) -> tuple[str, ...]:
    """Units that texts of plain data use most, one for each quantity that results may show; empty where all are SI units."""
    counts: dict[Key, Counter[str]] = {}
    for text in _texts(data):
        pair = split_quantity(text)
        for unit in [pair[1]] if pair is not None else _INSIDE.findall(text):
            dimension = known_dimension(unit)
            if dimension in _TAKEN:
                counts.setdefault(_key(unit, dimension), Counter())[unit] += 1
    most = [counter.most_common(1)[0][0] for counter in counts.values()]
    # SI units only matter beside others: "m/s" keeps speeds from following "mm"
    return tuple(most) if any(not parse_unit(text).is_si for text in most) else ()


def _texts(data: Any) -> Iterator[str]:
    level = [data]
    while level:
        x = level.pop(0)
        if isinstance(x, str):
            yield x
        elif isinstance(x, Mapping):
            level[:0] = x.values()
        elif isinstance(x, list):
            level[:0] = x
