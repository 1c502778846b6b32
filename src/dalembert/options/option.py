"""What an option of a verb is, and how a value that was given for it is read."""

from __future__ import annotations

import math
import numbers
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import nearest, shown

# instead of a default: the option must be given
NEEDED = "needed"
# numbers beyond it are as good as infinite
LARGEST = 1e100
# kinds that are checked here, wherever they come from
_CHECKED = ("number", "count", "flag", "choice", "state")
_RANGE = re.compile(r"(?:(?P<least>\S+) (?P<above><=?) )?x(?: (?P<below><=?) (?P<most>\S+))?")


class WrongValueError(ValueError):
    """A value that an option does not take: `why`, and what to `do`."""

    def __init__(self, why: str, do: str) -> None:
        super().__init__(why)
        self.why, self.do = why, do


@dataclass(frozen=True)
class Option:
    """An option of a verb.

    Of its kinds, number, count, flag, choice and state are checked here, wherever they come from.  text, body, parameter (a name), names (one or a list),
    numbers (a list), step (a number, a list or a word), number or list, pair (a name and a number), point (a name or coordinates), points (a name, or
    points by body), held (names, or numbers by name), table (numbers by name), texts (texts by name) are read by the verb, which has the model at hand,
    and by model files.
    """

    kind: str
    help: str  # one sentence
    default: Any = None  # as in the signature of the verb; None: nothing, or what `help` says
    unit: str | None = None  # SI
    range: str = ""  # values that are allowed, as in "0 < x <= 100"
    words: tuple[Any, ...] = ()  # that may stand there
    # what is told about a wrong value, and what to give instead, where the sentences made from kind and range do not suffice
    why: str = ""
    do: str = ""
    # "python": nothing that a text can say; "files": for model files and the command line, where the verb of Python takes something else
    only: str = ""
    flag: str = ""  # name on the command line, where it differs
    fallback: Any = None  # what takes the place of an option that Python needs and a file leaves out
    _within: Callable[[float], bool] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_within", _within(self.range))

    @property
    def needed(self) -> bool:
        """Whether it has no default."""
        return self.default is NEEDED

    def read(self, name: str, x: Any) -> Any:
        """The value as the verb uses it: plain floats, ints and bools; a wrong one is refused."""
        if self.kind not in _CHECKED or (x is None and self.default is None):
            return x
        found = self._checked(x)
        if found is not None:
            return found
        why, do = self.told(name, x)
        raise WrongValueError(why, do)

    def _checked(self, x: Any) -> Any:
        """The value as the verb uses it; None where it is wrong."""
        if self.kind == "number":
            from ..model.expression.checks import plain_number

            number = x if type(x) is float else plain_number(x)
            return number if number is not None and self._within(number) else None
        if self.kind == "count":
            whole = isinstance(x, numbers.Integral) and not isinstance(x, bool)
            return int(x) if whole and self._within(int(x)) else None
        if self.kind == "flag":
            from numpy import bool_

            return bool(x) if isinstance(x, bool | bool_) else None
        if self.kind == "choice":
            return x if type(x) in (str, int) and x in self.words else None
        from ..state import State, state_of

        found = state_of(x)
        return found if isinstance(found, State) else None

    def told(self, name: str, x: Any) -> tuple[str, str]:
        """Why a value is wrong, and what to do."""
        why, do = self.why, self.do
        if self.kind == "flag":
            why, do = why or "it is True or False", do or f"give {name}=True or {name}=False"
        elif self.kind == "choice":
            why, do = why or f"{nearest(x, self.words).partition('known')[0]}{self.wanted}", do or "give one of these"
        elif self.kind == "state":
            why, do = why or "a State is needed", do or f"give {name}=run.at(t)"
        example = self.default if self.default not in (None, NEEDED) else 1
        return why or f"it is {self.wanted}", do or f"give {name}={example!r}"

    @property
    def wanted(self) -> str:
        """What belongs there, in words: "a whole number from 1 to 1000"."""
        if self.kind == "choice":
            return f"known: {', '.join(map(repr, self.words))}"
        found = _RANGE.fullmatch(self.range)
        least, most = found.group("least", "most") if found else (None, None)
        what = {"count": "a whole number", "number": "a number"}.get(self.kind, f"a {self.kind}")
        if least and most:
            both = found and found["above"] == found["below"] == "<="
            return f"{what} from {least} to {most}" if both else f"{what} with {self.range}"
        return f"{what}{' greater than 0' if self.range == '0 < x' else f', {least} or more' if least else ''}"


def _within(text: str) -> Callable[[float], bool]:
    """Whether a number lies in a range such as "0 < x <= 1", where an end that is not given is infinite; without any, whether it is finite."""
    found = _RANGE.fullmatch(text or f"-{LARGEST} <= x <= {LARGEST}")
    assert found is not None, text
    low, high = float(found["least"] or "-inf"), float(found["most"] or "inf")
    above, below = (operator.lt if found[end] == "<" else operator.le for end in ("above", "below"))
    return lambda x: above(low, x) and below(x, high)


def described(option: Option) -> str:
    """Kind of value in words, for documentation and help: "number [s], 0 < x", "one of auto, energy"."""
    if option.kind == "choice":
        return f"one of {', '.join(map(str, option.words))}"
    kinds = {
        "flag": "true or false", "count": "whole number", "names": "name or list of names", "numbers": "list of numbers",
        "step": f"number or list of numbers{''.join(f', or {word}' for word in option.words)}", "pair": "name and number",
        "point": "name or coordinates", "points": "name, or points by body", "held": "names, or numbers by name",
        "table": "numbers by name", "texts": "texts by name", "body": "name of a body", "parameter": "name of a parameter",
        "state": "State", "number or list": "number or list of numbers",
    }  # fmt: skip
    unit = f" [{option.unit}]" if option.unit not in (None, "1") else ""
    return f"{kinds.get(option.kind, option.kind)}{unit}{f', {option.range}' if option.range else ''}"


def shown_default(option: Option) -> str:
    """Default in words: empty where there is none."""
    if option.needed:
        return "must be given"
    if isinstance(option.default, bool):
        return str(option.default).lower()
    if option.default in (None, ()):
        return ""
    number = isinstance(option.default, float) and math.isfinite(option.default)
    return f"{option.default:g}" if number else shown(option.default).strip("'")
