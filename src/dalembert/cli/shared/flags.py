"""Options of verbs as flags of commands: `--until '2 s'`, from the tables of `dalembert.options`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ...model.units import UnitError, fits, kind_of, parse_unit, split_quantity
from ...options.option import Option, WrongValueError, described, shown_default
from ...options.tables import for_files
from ...options.verbs import VERBS
from .job import about_a_model

# kinds that a word on the command line can say, and what stands for them in the help; the others are for files
_KINDS = {
    "number": "NUMBER", "count": "INTEGER", "flag": "", "choice": "", "names": "NAMES", "numbers": "NUMBERS", "step": "NUMBER", "text": "TEXT",
    "number or list": "NUMBERS", "body": "BODY", "parameter": "NAME", "point": "JOINT", "points": "JOINT",
}  # fmt: skip


class Value(click.ParamType):
    """A value of an option: a number in SI units or with a unit, a word, several with commas between."""

    def __init__(self, option: Option) -> None:
        self.option = option
        self.name = "TIME" if option.unit == "s" and option.kind != "numbers" else _KINDS[option.kind]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Plain data in SI units."""
        option, kind = self.option, self.option.kind
        words = value in option.words or kind in ("text", "body", "parameter", "point", "points")
        if not isinstance(value, str) or words:
            return value
        parts = [part.strip() for part in value.split(",") if part.strip()]
        made: Any = parts
        if kind != "names":
            try:
                made = [_whole(part) if kind == "count" else _number(part, option.unit) for part in parts]
            except ValueError as error:
                self.fail(f"{value!r}{error}", param, ctx)
        if kind in ("number", "count") or (kind in ("step", "number or list") and len(made) == 1):
            made = made[0] if len(made) == 1 else made
        try:
            return option.read(param.name if param is not None and param.name else "it", made)
        except WrongValueError as wrong:
            self.fail(f"{value!r}: {wrong.why}; {wrong.do}", param, ctx)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(": no whole number") from None


def _number(text: str, wanted: str | None) -> float:
    """SI number of a number, or of a quantity whose dimension is that of the unit wanted."""
    pair, dimension = split_quantity(text), parse_unit(wanted or "1").dimension
    if pair is None:
        try:
            number = float(text)
        except ValueError:
            raise ValueError(": no number; write 0.5" + (" or '500 ms'" if wanted == "s" else "")) from None
        if dimension[3] and number:
            raise ValueError(f" may be degrees or turns; write '{text} {wanted}'")
        return number
    try:
        unit = parse_unit(pair[1])
    except UnitError as error:
        raise ValueError(f": {error}") from None
    if not fits(unit.dimension, dimension):
        raise ValueError(f" is {kind_of(unit.dimension)}; {kind_of(dimension)} belongs here")
    return unit.number(pair[0])


class Choice(click.Choice):  # type: ignore[type-arg]
    """One of the words of an option, some of which may be numbers."""

    def __init__(self, option: Option) -> None:
        super().__init__([str(word) for word in option.words])
        self.words = option.words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word as it is in the table."""
        found = super().convert(value, param, ctx)
        return next(word for word in self.words if str(word) == str(found))


def flag(name: str, option: Option) -> Callable[[Any], Any]:
    """Flag of one option."""
    word, default = f"--{(option.flag or name).replace('_', '-')}", shown_default(option)
    notes = [described(option)] if option.kind in ("number", "count", "numbers", "step", "number or list") else []
    notes += [f"default: {default}"] if default and not option.needed else []
    help = option.help.removesuffix(".") + (f" ({'; '.join(notes)})." if notes else ".")
    if option.kind == "flag":
        return click.option(f"{word}/--no-{word[2:]}", name, default=None, help=help)
    made: click.ParamType = Choice(option) if option.kind == "choice" else Value(option)
    return click.option(word, name, type=made, help=help)


def flags(verb: str) -> Callable[[Any], Any]:
    """All flags of a verb, in the order of its table."""

    def given(function: Any) -> Any:
        for name, option in reversed(for_files(verb).items()):
            if option.kind in _KINDS:
                function = flag(name, option)(function)
        return function

    return given


def question(verb: str, about: str = "", example: str = "") -> click.Command:
    """Command that asks one verb about a model file; its help and example are those in the list of verbs."""

    def ask(job: Any, **given: Any) -> None:
        job.answer(verb, **given)

    ask.__doc__ = about or VERBS[verb].about
    epilog = f"Example:  dalembert {example or VERBS[verb].example}"
    return click.command(epilog=epilog)(about_a_model(flags(verb)(ask)))
