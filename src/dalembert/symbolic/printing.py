"""Expressions of SymPy as text with the user's names (x', x'' for rates), as LaTeX, and as MathML for pages without a network."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from html.entities import html5
from typing import Any

from . import sp
from .simplify import TERMS, written_terms

_LONG = 1_000_000  # numbers in typeset equations that nobody reads as a fraction
_VARIATION = "δ"  # first letter of the names of variations
_GREEK = {"lam": "lambda", "π": "pi"}  # as SymPy spells them
_SMALL = 100  # denominators up to here stay fractions, 981/100 becomes 9.81


def text(x: Any) -> str:
    """Readable text."""
    return str(_text_printer().doprint(x))


def latex(x: Any) -> str:
    """LaTeX."""
    return str(_latex_printer().doprint(x))


def mathml(x: Any) -> str:
    """Presentation MathML, without the outer element; text where there is no way to write it."""
    try:
        return _numbered(_mathml_printer()._print(distributed(x)).toxml()).replace("<mo>-</mo>", "<mo>−</mo>")
    except (AttributeError, TypeError, NotImplementedError, ValueError):
        return f"<mtext>{escape(text(x))}</mtext>"


def distributed(x: Any) -> Any:
    """Expression in which no common denominator has made numbers of many digits."""
    if not isinstance(x, sp.Expr) or all(abs(n.p) < _LONG and n.q < _LONG for n in x.atoms(sp.Rational)):
        return x
    if written_terms(x) > TERMS:
        return x
    return sp.expand(x, trig=False)


def _numbered(markup: str) -> str:
    """Markup with numbers for named characters (&InvisibleTimes;), which XML does not know."""
    kept = {"amp", "lt", "gt", "quot"}
    return re.sub(
        r"&(\w+);",
        lambda m: m[0] if m[1] in kept else "".join(f"&#{ord(c)};" for c in html5.get(f"{m[1]};", "")),
        markup,
    )


def _decimal(x: Any) -> str | None:
    """Text of a decimal number such as 9.81 that SymPy holds as a fraction; None for halves, thirds and the like."""
    if x.q <= _SMALL and (x.q < 20 or 100 % x.q):
        return None
    return repr(float(x)) if x.q > 1 and _terminates(int(x.q)) else None


def _terminates(q: int) -> bool:
    for prime in (2, 5):
        while q % prime == 0:
            q //= prime
    return q == 1


class _PositiveFirst:
    """Sums begin with a term that has no minus sign, where there is one: (r - l), not (-l + r)."""

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        terms = list(super()._as_ordered_terms(expr, order))  # type: ignore[misc]
        first = next((k for k, x in enumerate(terms) if not x.could_extract_minus_sign()), 0)
        return [terms[first], *terms[:first], *terms[first + 1 :]]


@cache
def _text_printer() -> Any:
    from sympy.printing.str import StrPrinter

    class Text(_PositiveFirst, StrPrinter):  # type: ignore[misc]
        def _print_Rational(self, expr: Any) -> str:
            return _decimal(expr) or super()._print_Rational(expr)  # type: ignore[no-any-return]

        def _print_Mul(self, expr: Any) -> str:
            number, rest = expr.as_coeff_Mul()
            decimal = _decimal(number) if number.is_Rational and rest != 1 else None
            if decimal is None:
                return super()._print_Mul(expr)  # type: ignore[no-any-return]
            return f"{decimal}*{self.parenthesize(rest, 50, strict=True)}"

    return Text()


@cache
def _latex_printer() -> Any:
    from sympy.printing.latex import LatexPrinter

    class Latex(_PositiveFirst, LatexPrinter):  # type: ignore[misc]
        def _print_Symbol(self, expr: Any, **options: Any) -> str:
            if " " in expr.name:  # a left side in words: δT - δV + δW
                return str(
                    expr.name.replace("δ", r"\delta ")
                    .replace("lam.J", r"\lambda^T J")
                    .replace("d/dt", r"\tfrac{d}{dt}")
                )
            if expr.name.startswith(_VARIATION):
                return r"\delta " + self._print_Symbol(type(expr)(expr.name[1:]), **options)
            bare, marks = _marks(expr.name)
            made = super()._print_Symbol(type(expr)(bare), **options)
            return f"\\{'d' * marks}ot{{{made}}}" if marks else made

        def _print_Rational(self, expr: Any) -> str:
            return _decimal(expr) or super()._print_Rational(expr)  # type: ignore[no-any-return]

        def _print_ExpBase(self, expr: Any, exp: Any = None) -> str:
            # upright, beside a restitution or an eccentricity e
            return str(self._do_exponent(rf"\mathrm{{e}}^{{{self._print(expr.args[0])}}}", exp))

        def _print_Exp1(self, expr: Any, exp: Any = None) -> str:
            return str(self._do_exponent(r"\mathrm{e}", exp))

    # lam is how programs spell the Greek letter
    return Latex()


@cache
def _mathml_printer() -> Any:
    from sympy.printing.mathml import MathMLPresentationPrinter

    class MathML(_PositiveFirst, MathMLPresentationPrinter):  # type: ignore[misc]
        def _print_Symbol(self, sym: Any, style: str = "plain") -> Any:
            if " " in sym.name:
                return self._made("mtext", sym.name.replace(" - ", " − ").replace("lam.J", "λᵀJ"))
            if sym.name.startswith(_VARIATION):
                rest = self._print_Symbol(type(sym)(sym.name[1:]), style)
                return self._made("mrow", self._made("mi", _VARIATION), rest)
            bare, marks = _marks(sym.name)
            made = super()._print_Symbol(type(sym)(bare), style)
            if not marks:
                return made
            # the dots belong over the letter, not over its index
            outer, index = made, made.tagName in ("msub", "msup", "msubsup")
            made = made.firstChild if index else made
            over = self._made("mover")
            over.setAttribute("accent", "true")
            if index:
                outer.replaceChild(over, made)
            over.appendChild(made)
            over.appendChild(self._made("mo", "˙" if marks == 1 else "¨"))
            return outer if index else over

        def _print_Rational(self, e: Any) -> Any:
            long = abs(e.p) >= _LONG or e.q >= _LONG
            decimal = f"{float(e):.9g}" if long else _decimal(e)
            return super()._print_Rational(e) if decimal is None else self._number(decimal)

        def _print_Integer(self, e: Any) -> Any:
            return self._number(f"{float(e):.9g}" if abs(e) >= _LONG else str(e))

        def _print_Mul(self, expr: Any) -> Any:
            number, rest = expr.as_coeff_Mul()
            long = number.is_Rational and (abs(number.p) >= _LONG or number.q >= _LONG or _decimal(number) is not None)
            if not long or rest == 1:
                return super()._print_Mul(expr)
            factor = self.parenthesize(rest, 50, strict=True)
            return self._made("mrow", self._print_Rational(number), self._made("mo", "\u2062"), factor)

        def _number(self, text: str) -> Any:
            return self._made("mn", text.replace("-", "−"))

        def _made(self, tag: str, *inside: Any) -> Any:
            """An element with texts and elements inside."""
            made = self.dom.createElement(tag)
            for x in inside:
                made.appendChild(self.dom.createTextNode(x) if isinstance(x, str) else x)
            return made

    return MathML()


def _marks(name: str) -> tuple[str, int]:
    """Name without its primes and their number; lam_… and π_… are Greek letters with an index."""
    bare = name.rstrip("'")
    letter, *index = bare.split("_", 1)
    return "_".join([_GREEK.get(letter, letter), *index]), len(name) - len(bare)
