"""Headings and remarks of sheets: prose with formulas between dollar signs, "momenta $p = dL/dq'$", as text, LaTeX and MathML.

A formula is written as in the text of equations: q'' is an acceleration, dL/dq' a partial derivative, d/dt the derivative by time,
J^T a transpose, M^-1/2 a power, lam a Greek letter, @w an angular velocity (w in text, ω elsewhere).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from textwrap import wrap

from . import sp
from .printing import GREEK, mathml, read_symbol

_WIDTH = 110
_TOKEN = re.compile(
    r"(?P<rate>d/dt)|d(?P<above>\w+'*)/d(?P<below>\w+'*)|(?P<symbol>@?[^\W\d]\w*(?:\*(?=_))?\w*'*)(?:\^(?P<power>-?\w+(?:/\d+)?|\+))?"
    r"|(?P<closed>[)\]])\^(?P<last>\+)|(?P<other>\s+|.)"
)
_FORMULA = re.compile(r"\$[^$]*\$")
_HELD = "\0"  # a space at which no line ends
_OPERATORS = {"-": ("-", "−"), ".": (r"\cdot ", "·"), "×": (r"\times ", "×")}
_OUTSIDE_TEXT = {
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "{": r"\{",
    "}": r"\}",
    "\\": r"\backslash ",
    "^": r"\hat{}",
    "~": r"\sim ",
} | {x.letter: f"{x.latex()} " for x in map(read_symbol, GREEK)}


def as_text(words: str) -> str:
    """Without the dollar signs."""
    return "".join(x.replace("@", "") if is_formula else x for x, is_formula in _parts(words))


def as_latex(words: str) -> list[str]:
    r"""Lines of LaTeX in mathematical mode, prose within \text, broken where they are long."""
    # no line ends inside of a formula
    whole = _FORMULA.sub(lambda formula: formula[0].replace(" ", _HELD), words)
    lines = [x.replace(_HELD, " ") for x in wrap(whole, _WIDTH, break_long_words=False, break_on_hyphens=False)]
    return [
        "".join(_formula(x, _latex_of) if is_formula else _in_text(x) for x, is_formula in _parts(line))
        for line in lines
    ]


def as_html(words: str) -> str:
    """Prose with MathML."""
    return "".join(
        f"<math><mrow>{_formula(x, _mathml_of)}</mrow></math>" if is_formula else escape(x)
        for x, is_formula in _parts(words)
    )


def _parts(words: str) -> Iterator[tuple[str, bool]]:
    """Prose and formulas in turn; all is prose where a name brings a dollar sign of its own."""
    parts = words.split("$")
    if len(parts) % 2 == 0:
        parts = [words]
    yield from ((x, k % 2 == 1) for k, x in enumerate(parts) if x)


def _in_text(prose: str) -> str:
    # what LaTeX would not print as text is set outside of \text, where every renderer knows it
    made = "".join(f"}}{_OUTSIDE_TEXT[c]}\\text{{" if c in _OUTSIDE_TEXT else c for c in prose)
    return f"\\text{{{made}}}".replace(r"\text{}", "")


def _formula(formula: str, write: Callable[[re.Match[str]], str]) -> str:
    return re.sub("  +", " ", "".join(write(found) for found in _TOKEN.finditer(formula))).strip()


def _latex_of(token: re.Match[str]) -> str:
    if token["rate"]:
        return r"\frac{d}{dt} "
    if token["above"]:
        above, below = read_symbol(token["above"]).latex(), read_symbol(token["below"]).latex()
        return rf"\frac{{\partial {above}}}{{\partial {below}}} "
    if token["symbol"]:
        power = f"^{{{token['power']}}}" if token["power"] else ""
        return (r"\sum" if token["symbol"] == "sum" else read_symbol(token["symbol"]).latex()) + power + " "
    if token["closed"]:
        return f"{token['closed']}^{{{token['last']}}}"
    return _OPERATORS.get(token["other"], (token["other"],))[0]


def _mathml_of(token: re.Match[str]) -> str:
    if token["rate"]:
        return "<mfrac><mi>d</mi><mrow><mi>d</mi><mi>t</mi></mrow></mfrac>"
    if token["above"]:
        above, below = (f"<mrow><mo>∂</mo>{mathml(sp.Symbol(x))}</mrow>" for x in (token["above"], token["below"]))
        return f"<mfrac>{above}{below}</mfrac>"
    if token["symbol"]:
        made = "<mo>∑</mo>" if token["symbol"] == "sum" else mathml(sp.Symbol(token["symbol"]))
        return f"<msup>{made}<mtext>{token['power'].replace('-', '−')}</mtext></msup>" if token["power"] else made
    if token["closed"]:
        return f"<msup><mo>{token['closed']}</mo><mo>{token['last']}</mo></msup>"
    other = token["other"]
    return "" if other.isspace() else f"<mo>{escape(_OPERATORS.get(other, (other, other))[1])}</mo>"
