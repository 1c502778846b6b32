"""Units: texts such as "200 mm", "30 deg", "2.5 kN/mm", "1500 rpm" as SI numbers with dimensions.

A dimension is the four exponents of mass, length, time and angle: whole numbers, or fractions as in N/m^1.5.  The angle counts as a dimension of its own: a length where an
angle belongs is a mistake, and 30 without a unit may be degrees.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from ..errors import nearest

Dimension = tuple[int | Fraction, int | Fraction, int | Fraction, int | Fraction]  # kg, m, s, rad

NONE: Dimension = (0, 0, 0, 0)
ANGLE: Dimension = (0, 0, 0, 1)

_M, _L, _T, _A = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), ANGLE
_FORCE, _WORK, _POWER, _PRESSURE = (1, 1, -2, 0), (1, 2, -2, 0), (1, 2, -3, 0), (1, -1, -2, 0)

# name: (exact factor, power of pi in the factor, dimension)
UNITS: dict[str, tuple[Fraction, int, Dimension]] = {
    name: (Fraction(factor), pi, dimension)
    for dimension, rows in {
        _L: [("m", "1", 0), ("mm", "0.001", 0), ("cm", "0.01", 0), ("dm", "0.1", 0), ("km", "1000", 0), ("um", "1e-6", 0),
             ("µm", "1e-6", 0), ("μm", "1e-6", 0), ("in", "0.0254", 0), ("ft", "0.3048", 0)],
        _M: [("kg", "1", 0), ("g", "0.001", 0), ("mg", "1e-6", 0), ("t", "1000", 0), ("lb", "0.45359237", 0)],
        _T: [("s", "1", 0), ("ms", "0.001", 0), ("us", "1e-6", 0), ("µs", "1e-6", 0), ("μs", "1e-6", 0), ("min", "60", 0), ("h", "3600", 0)],
        _A: [("rad", "1", 0), ("mrad", "0.001", 0), ("deg", "1/180", 1), ("°", "1/180", 1), ("rev", "2", 1), ("turn", "2", 1)],
        (0, 0, -1, 1): [("rpm", "1/30", 1)],
        (0, 0, -1, 0): [("Hz", "1", 0), ("kHz", "1000", 0)],
        _FORCE: [("N", "1", 0), ("mN", "0.001", 0), ("kN", "1000", 0), ("MN", "1e6", 0), ("kgf", "9.80665", 0),
                 ("lbf", "4.4482216152605", 0)],
        _WORK: [("J", "1", 0), ("kJ", "1000", 0), ("Nm", "1", 0), ("Nmm", "0.001", 0), ("kNm", "1000", 0)],
        _POWER: [("W", "1", 0), ("kW", "1000", 0)],
        _PRESSURE: [("Pa", "1", 0), ("kPa", "1000", 0), ("MPa", "1e6", 0), ("GPa", "1e9", 0), ("bar", "1e5", 0)],
        NONE: [("1", "1", 0), ("%", "0.01", 0)],
    }.items()
    for name, factor, pi in rows
}  # fmt: skip

# how SI units are written; the first that fits a dimension is taken
_SI = ("m", "kg", "s", "rad", "rad/s", "rad/s^2", "m/s", "m/s^2", "N", "N/m", "N s/m", "N m", "N m/rad", "N m s/rad", "kg m^2",
       "kg/m^3", "kg/m^2", "Pa", "W", "N s", "N m s", "m^2", "m^3", "1/s", "1")  # fmt: skip

LONGEST = 80  # characters of a quantity
_HIGHEST = 9  # power of a unit
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_QUANTITY = re.compile(rf"\s*((?>{_NUMBER}))(?:\s*([A-Za-zµμ°%].*)|\s+(1\s*/.*))", re.DOTALL)
_INSIDE = re.compile(r"((?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s+([A-Za-zµμ]+)((?:/(?!t\b)[A-Za-zµμ]+)?)")
_PLAIN = re.compile(rf"\s*{_NUMBER}\s*")
_WORD = re.compile(
    r"\s*(?:(?P<name>[A-Za-zµμ]+|°|%|1)(?P<power>(?:\^|\*\*)[+-]?\d+(?:\.\d+)?|[⁻]?[²³⁴¹])?|(?P<sign>[*·/()]))"
)
_SUPERSCRIPTS = str.maketrans("⁻¹²³⁴", "-1234")


class UnitError(ValueError):
    """A unit that cannot be read; the text says why."""


@dataclass(frozen=True)
class Unit:
    """Factor to SI, split into an exact fraction and a power of pi, and the dimension."""

    factor: Fraction
    pi: int
    dimension: Dimension

    def times(self, other: Unit, sign: int = 1) -> Unit:
        """Product, or quotient for sign -1."""
        a, b = self.dimension, other.dimension
        total = (a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2], a[3] + sign * b[3])
        return Unit(self.factor * other.factor**sign, self.pi + sign * other.pi, total)

    @property
    def is_si(self) -> bool:
        """Whether a number in this unit is the SI number."""
        return self.factor == 1 and self.pi == 0

    def number(self, text: str) -> float:
        """SI number of a number in this unit, rounded once."""
        x = float(text)
        if 1e-100 < abs(x) < 1e100 and len(text) <= 40:
            return float(Fraction(text.strip()) * self.factor) * math.pi**self.pi
        return x * float(self.factor) * math.pi**self.pi


def parse_unit(text: str) -> Unit:
    """Unit of a text: names with powers, products by blank, * or ·, quotients by /, parentheses."""
    if len(text) > LONGEST:
        raise UnitError(f"a unit of {len(text)} characters; at most {LONGEST} are read")
    words: list[tuple[str, str]] = []
    at = 0
    while at < len(text.rstrip()):
        match = _WORD.match(text, at)
        if match is None:
            raise UnitError(f"unknown unit {text.strip()!r}; units are written like 'kN/mm', 'kg m^2', '1/s'")
        words.append((match["name"] or match["sign"], match["power"] or ""))
        at = match.end()
    unit, rest = _product(text, words)
    if rest:
        raise UnitError(f"unit {text.strip()!r} has an unmatched parenthesis")
    return unit


def _product(text: str, words: list[tuple[str, str]]) -> tuple[Unit, list[tuple[str, str]]]:
    made, sign, expected = Unit(Fraction(1), 0, NONE), 1, True
    while words and words[0][0] != ")":
        (word, power), words = words[0], words[1:]
        if word in ("*", "·", "/"):
            if expected:
                raise UnitError(f"unit {text.strip()!r}: {word!r} has nothing before it")
            sign, expected = (-1 if word == "/" else 1), True
            continue
        if word == "(":
            factor, words = _product(text, words)
            if not words:
                raise UnitError(f"unit {text.strip()!r} has an unmatched parenthesis")
            words = words[1:]
        else:
            factor = _power(word, power)
        made = made.times(factor, sign)
        # 'N m/rad s' is read from left to right: after one quotient, products go on above the line
        sign, expected = 1, False
    if expected:
        raise UnitError(f"unit {text.strip()!r} is not complete")
    return made, words


def _power(name: str, power: str) -> Unit:
    if name not in UNITS:
        raise UnitError(f"unknown unit {name[:40]!r}; {nearest(name, UNITS, 60)}")
    digits = power.lstrip("^*").translate(_SUPERSCRIPTS) or "1"
    given = Fraction(digits) if len(digits) <= 8 else Fraction(_HIGHEST + 1)
    if abs(given) > _HIGHEST:
        raise UnitError(f"unit {name + power!r}: powers up to {_HIGHEST} are read")
    n: int | Fraction = int(given) if given.denominator == 1 else given
    factor, pi, d = UNITS[name]
    if pi and n != int(n):
        raise UnitError(f"unit {name + power!r}: whole powers of it are read")
    return Unit(Fraction(factor**n), pi * int(n), (d[0] * n, d[1] * n, d[2] * n, d[3] * n))


def split_quantity(text: str) -> tuple[str, str] | None:
    """Number and unit of a text such as "200 mm"; None for everything that is no number followed by a unit."""
    if len(text) > LONGEST:
        return None
    match = _QUANTITY.fullmatch(text)
    unit = "" if match is None else (match[2] or match[3]).strip()
    if match is None or re.match(r"(?:and|or)\b", unit) or _goes_on(unit):
        return None
    return match[1], unit


def _goes_on(unit: str) -> bool:
    """Whether what follows a number is more than a unit: "40 mm + r", "60 rpm*t", "2 mm * sin(a)" are formulas."""
    plain = re.sub(r"(\^|\*\*)[+-]?\d+(\.\d+)?", "", unit)
    if re.search(r"[-+<>=!,]|\*\s*t\b|/\s*t\b", plain):
        return True
    if "*" not in plain and not re.search(r"\s/|/\s", plain):
        return False
    return known_dimension(unit) is None


def without_units(text: str) -> str:
    """Text of a formula without the units of its numbers: "40 + r" for "40 mm + r"."""
    return _INSIDE.sub(lambda found: found[1] if found[2] in UNITS else found[0], text)


def is_plain_number(text: str) -> bool:
    """Whether a text is nothing but a number."""
    return len(text) <= LONGEST and _PLAIN.fullmatch(text) is not None


def fits(found: Dimension, wanted: Dimension) -> bool:
    """Whether a quantity with a unit may stand in a field: N m for N m/rad too, where the angle is understood."""
    without_angle = (*wanted[:3], 0)
    return found == wanted or (any(wanted[:2]) and found == without_angle)


def si_text(dimension: Dimension) -> str:
    """SI unit of a dimension."""
    for text in _SI:
        if parse_unit(text).dimension == dimension:
            return text
    mass, length, time, angle = dimension
    if (mass, time, angle) == (1, -2, 0) and length < 0:
        return f"N/m^{float(1 - length):g}"  # stiffness of a law k x^n
    over = [f"{n}^{float(e):g}" if e != 1 else n for n, e in zip(("kg", "m", "s", "rad"), dimension) if e > 0]
    under = [f"{n}^{-float(e):g}" if e != -1 else n for n, e in zip(("kg", "m", "s", "rad"), dimension) if e < 0]
    return " ".join(over or ["1"]) + "".join(f"/{u}" for u in under)


def known_dimension(text: str) -> Dimension | None:
    """Dimension of a unit; None of a text that is none."""
    try:
        return parse_unit(text).dimension
    except UnitError:
        return None


def in_si(value: float, text: str) -> tuple[float, str]:
    """Number and unit in SI units of a number in a unit: (0.08, "m") of 80 and "mm"."""
    unit = parse_unit(text)
    return (value if unit.is_si else unit.number(repr(value))), si_unit(text)


def si_unit(text: str) -> str:
    """SI unit of the dimension of a unit, as it is written where it is one."""
    unit = parse_unit(text)
    return text if unit.is_si else si_text(unit.dimension)


_KINDS = {"m": "length", "kg": "mass", "s": "time", "rad": "angle", "rad/s": "angular velocity", "m/s": "velocity", "m/s^2": "acceleration",
          "N": "force", "N/m": "stiffness", "N s/m": "damping", "N m": "torque", "N m/rad": "torsional stiffness",
          "N m s/rad": "torsional damping", "kg m^2": "moment of inertia", "kg/m^3": "density", "kg/m^2": "mass per area", "m^2": "area", "N s": "impulse", "N m s": "angular impulse", "1": "pure number"}  # fmt: skip


def kind_of(dimension: Dimension) -> str:
    """What a dimension is called, with its SI unit: "a length (m)"."""
    unit = si_text(dimension)
    name = _KINDS.get(unit, "quantity")
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name} ({unit})" if unit != "1" else "a number without unit"


def dimension_of(before: object) -> Dimension | None:
    """Dimension of a parameter as a file writes it; None where it has no unit, or one that is wrong and told elsewhere."""
    pair = split_quantity(before) if isinstance(before, str) else None
    return None if pair is None else known_dimension(pair[1])
