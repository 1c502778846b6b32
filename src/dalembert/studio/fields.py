"""Options of an analysis as fields of the page, from their table."""

from __future__ import annotations

from typing import Any

from ..errors import MethodError, nearest, shown
from ..options.option import Option, WrongValueError, described
from ..options.tables import MOTIONS, for_files

# what one field of a page can hold
_KINDS = ("number", "count", "flag", "choice")


def _offered(verb: str) -> dict[str, Option]:
    """Options that a field can hold; the length of a motion has a field of its own."""
    own = "until" if verb in MOTIONS else ""
    return {name: x for name, x in for_files(verb).items() if x.kind in _KINDS and name != own}


def fields(verb: str, options: dict[str, Any]) -> list[dict[str, Any]]:
    """Fields of an analysis: name, kind, unit, words, value of the file or default, and a sentence of help."""
    return [
        {
            "name": name, "kind": x.kind, "unit": x.unit if x.unit not in (None, "1") else "", "words": [str(word) for word in x.words],
            "value": options.get(name, x.default), "help": f"{x.help} ({described(x)})",
        }
        for name, x in _offered(verb).items()
    ]  # fmt: skip


def read_fields(verb: str, given: dict[str, Any]) -> dict[str, Any]:
    """Options that were given in fields, checked by the table; words are those of the table, where some are numbers."""
    known, made = _offered(verb), {}
    for name, x in given.items():
        if name not in known:
            why = nearest(name, known, 30)
            raise MethodError(f"analysis {verb!r}", f"unknown option {shown(name)}", why, "choose one of the fields")
        words = {str(word): word for word in known[name].words}
        try:
            made[name] = known[name].read(name, words.get(x, x) if isinstance(x, str) else x)
        except WrongValueError as wrong:
            raise MethodError(f"analysis {verb!r}", f"{name} = {shown(x)}", wrong.why, wrong.do) from None
    return made
