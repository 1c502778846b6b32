"""Words of an expression, and messages that point at one of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...errors import ExpressionError

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)
    | (?P<quoted>`[^`]+`(?:\.[^\W\d]\w*)*)
    | (?P<operator>\*\*|<=|>=|==|!=|[-+*/^<>(),])
    | (?P<prime>'+)
    )""",
    re.VERBOSE,
)

# what people type and what it is called here
HINTS = {
    "=": "write == to compare; an expression assigns nothing",
    "&": "write and",
    "|": "write or",
    "!": "write not, or != for unequal",
    "%": "there is no remainder; write x - y*floor(x/y)",
    "[": "there is no indexing; use ( and ) for grouping",
    "{": "use ( and ) for grouping",
    '"': "there is no text in expressions",
    "'": "' marks the derivative of a table, as in cam'(t); there is no text in expressions",
    "−": "write the plain minus sign -",
    "–": "write the plain minus sign -",
    "×": "write *",
    "·": "write *",
    "÷": "write /",
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write !=",
    "²": "write **2",
    "³": "write **3",
    "√": "write sqrt(…)",
    "π": "write pi",
    "e": "write exp(x) for powers of Euler's number and exp(1) for itself, or make a parameter e",
    "°": "write deg, as in 30 deg",
}

_WINDOW = 40  # characters shown on either side of the mark


@dataclass(frozen=True)
class Token:
    """A word of the text: its kind (number, name, quoted, operator, prime, end), its text, its position."""

    kind: str
    text: str
    at: int

    @property
    def name(self) -> str:
        """The name that a word stands for: between backticks it may have blanks, `crank pin`.angle."""
        return self.text.replace("`", "") if self.kind == "quoted" else self.text


class Source:
    """The text of an expression and what it belongs to."""

    def __init__(self, text: str, asked: str) -> None:
        self.text = text
        self.asked = (f"{asked}: " if asked else "") + "reading an expression"

    def tokens(self) -> list[Token]:
        """All words; the last one is of the kind "end"."""
        found: list[Token] = []
        at, end = 0, len(self.text.rstrip())
        while at < end:
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise self.bad_character(len(self.text) - len(self.text[at:].lstrip()))
            kind = str(match.lastgroup)
            token = Token(kind, match[kind], match.start(kind))
            self._check(token)
            found.append(token)
            at = match.end()
        return [*found, Token("end", "", end)]

    def _check(self, token: Token) -> None:
        after = self.text[token.at + len(token.text) :][:1]
        if token.kind == "number" and (after in (".", "_") or after.isalnum()):
            raise self.error(
                Token("number", token.text + after, token.at),
                f"{token.text + after!r}…",
                "a number ends where a name or another number begins",
                f"write {token.text}*{after}… for a product, 40 mm with a blank before the unit, 1e-3 for powers of ten"
                if after.isalpha()
                else "correct it",
            )
        if token.kind == "name" and not all(part.isidentifier() for part in token.text.split(".")):
            # the pattern lets some letters pass that names may not have, x² for one
            bad = next(i for i, c in enumerate(token.text) if c != "." and not ("a" + c).isidentifier())
            raise self.bad_character(token.at + bad)

    def bad_character(self, at: int) -> ExpressionError:
        """Error about the character at a position."""
        character = self.text[at]
        return self.error(
            Token("", character, at),
            f"the character {character!r}",
            "it has no meaning in expressions",
            HINTS.get(character, "use numbers, names, + - * / ** ( ) , comparisons and functions"),
        )

    def error(self, token: Token, found: str, why: str, do: str) -> ExpressionError:
        """Error that shows the text with a mark under a word."""
        place = self._marked(token.at, max(len(token.text), 1))
        return ExpressionError(self.asked, f"{found} at character {token.at + 1}\n{place}", why, do)

    def _marked(self, at: int, length: int) -> str:
        """Two lines: the text around a position, and a mark under it."""
        start, stop = max(0, at - _WINDOW), min(len(self.text), at + length + _WINDOW)
        # one character for one character, so that the mark stays in place
        shown = "".join(c if c.isprintable() else " " for c in self.text[start:stop])
        before, after = "…" * (start > 0), "…" * (stop < len(self.text))
        marks = "^" * max(1, min(length, len(self.text) - at))
        margin = " " * 9
        return f"{margin}{before}{shown}{after}\n{margin}{' ' * (len(before) + at - start)}{marks}"
