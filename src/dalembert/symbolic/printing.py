"""Expressions of SymPy as text with the user's names (x', x'' for rates), as LaTeX, and as MathML for pages without a network.

Names of symbols are typeset with Greek letters, indices, dots for rates, δ for variations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from html.entities import html5
from typing import Any

from . import sp
from .symbols import extremes

_VARIATION = "δ"  # first letter of the names of variations
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ",
    "lambda": "λ", "lam": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ",
    "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π",
    "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_SPELLED = {letter: name for name, letter in GREEK.items()}  # names that are written with Greek letters themselves
# as mechanics writes them, and as ε and φ look in MathML
_COMMANDS = {"lam": "lambda", "phi": "varphi", "epsilon": "varepsilon"}


@dataclass(frozen=True)
class SymbolName:
    """A name taken apart: lam_O_x'' is a letter with the indices O and x and two dots."""

    base: str
    index: tuple[SymbolName, ...] = ()
    dots: int = 0
    varied: bool = False

    @property
    def letter(self) -> str:
        """Letter as a character, Greek where the name spells one."""
        return GREEK.get(self.base, self.base).replace("*", "∗")

    def latex(self) -> str:
        r"""LaTeX: \ddot\lambda_{O,x}; a name of several letters is set as one word."""
        greek = self.base in GREEK
        made = "\\" + _COMMANDS.get(self.base, self.base) if greek else self.base
        if self.base.endswith("*"):  # F*, the inertia forces of Kane
            made = f"{self.base[:-1]}^{{*}}"
        elif not greek and len(self.base) > 1 and not self.base.isdigit():
            made = rf"\mathit{{{made}}}"
        if self.dots:
            command = f"\\{'d' * self.dots}ot"
            made = f"{command}{made}" if greek else f"{command} {made}" if len(made) == 1 else f"{command}{{{made}}}"
        if self.index:
            made += f"_{{{','.join(x._as_index() for x in self.index)}}}"
        return rf"\delta {made}" if self.varied else made

    def _as_index(self) -> str:
        return self.latex() if self.base in GREEK or self.index else self.base


def read_symbol(name: str) -> SymbolName:
    """Take a name apart: p_theta1' is p with the index theta (with the index 1) and a dot."""
    bare = name.rstrip("'")
    varied = bare.startswith(_VARIATION) and len(bare) > 1
    # wx_bar, w_bar_z: angular velocities as the equations of mechanisms name them; @w as headings do
    bare = re.sub(r"^@w", "omega", bare[varied:])
    bare = re.sub(r"^w([xyz])_(?=\w)", r"omega_\1_", bare)
    bare = re.sub(r"^w_(\w+_[xyz])$", r"omega_\1", bare)
    # the rows of a pin are its components: lam_O_gap_x is lambda with O and x
    bare = re.sub(r"^(lam_\w+)_gap(_[xyz])$", r"\1\2", bare)
    first, *rest = [x for x in bare.split("_") if x] or [bare]
    made = _word(first)
    index = (*made.index, *_indices(rest))
    return replace(made, index=index, dots=len(name) - len(name.rstrip("'")), varied=varied)


def _indices(words: list[str]) -> tuple[SymbolName, ...]:
    """Indices; what follows a Greek one belongs to it: p_theta_A is the momentum of theta_A."""
    if not words:
        return ()
    here, rest = _word(words[0]), _indices(words[1:])
    return (replace(here, index=here.index + rest),) if here.base in GREEK else (here, *rest)


def _word(word: str) -> SymbolName:
    """A letter or word with a number behind it: theta1; longer words with numbers in them stay as they are."""
    found = re.fullmatch(r"([^\W\d_]+)(\d+)", word)
    letters, index = (found[1], (SymbolName(found[2]),)) if found else (word, ())
    return SymbolName(_SPELLED.get(letters, letters), index)


_LONG = 1_000_000  # numerators and denominators that nobody reads as a fraction
_DIGITS, _EXACT = 6, 10  # digits of typeset numbers: of measured ones, and up to where a number was written like this
TIMES = '<mo lspace="0.12em" rspace="0.06em">&#8290;</mo>'  # between factors in MathML
_SLOPE = re.compile(r"d(\w+)/d(\w+)")  # a symbol that is a derivative, dI/dtheta
_DOTS = {1: "\u0307", 2: "\u0308", 3: "\u20db"}  # over the letter before
# whether numbers such as 13/10 read 1.3: in equations that hold decimals anyway; None: as the expression itself suggests
_decimals: ContextVar[bool | None] = ContextVar("numbers as decimals", default=None)


def text(x: Any) -> str:
    """Readable text."""
    with numbers_as_in([x]):
        return str(_text_printer().doprint(_readable(x)))


def latex(x: Any) -> str:
    """LaTeX."""
    with numbers_as_in([x]):
        return str(_latex_printer().doprint(_readable(x)))


def mathml(x: Any) -> str:
    """Presentation MathML, without the outer element; text where there is no way to write it."""
    try:
        with numbers_as_in([x]):
            markup = _numbered(_mathml_printer()._print(_readable(x)).toxml())
    except (AttributeError, TypeError, NotImplementedError, ValueError):
        return f"<mtext>{escape(text(x))}</mtext>"
    # factors stand a little apart: a cos(x), not acos(x)
    markup = re.sub("<mo>(&#8290;|\u2062)</mo>", TIMES, markup)
    return markup.replace("<mo>-</mo>", "<mo>−</mo>")


# -- numbers -----------------------------------------------------------------------------------------------------------------


@contextmanager
def numbers_as_in(expressions: Iterable[Any]) -> Iterator[None]:
    """Write numbers alike in all these expressions: as decimals where one of them holds a decimal, as fractions otherwise."""
    if _decimals.get() is not None:
        yield
        return
    token = _decimals.set(any(_is_decimal(n) for x in expressions for n in sp.sympify(x).atoms(sp.Rational)))
    try:
        yield
    finally:
        _decimals.reset(token)


def distributed(x: Any) -> Any:
    """Expression in which no common denominator has made numbers that nobody wrote: 9.81*a + 0.5*b, not (981*a + 50*b)/100."""
    if not _decimals.get() or not isinstance(x, sp.Basic | sp.MatrixBase):
        return x

    def multiplied(product: Any) -> Any:
        number, rest = product.as_coeff_Mul()
        for one in sp.Mul.make_args(rest) if number.q != 1 else ():
            if (one == rest or _value(number, False) is not None) and one.is_Add and all(map(takes, one.args)):
                own = number if one == rest else abs(number)
                return number / own * rest / one * sp.Add(*[multiplied(own * term) for term in one.args])
        return product

    def takes(term: Any) -> bool:
        number, rest = term.as_coeff_Mul()
        return abs(number) != 1 or any(x.is_Add and all(map(takes, x.args)) for x in sp.Mul.make_args(rest))

    return x.replace(lambda e: e.is_Mul and e.args[0].is_Rational, multiplied)


def _readable(x: Any) -> Any:
    if not isinstance(x, sp.Basic):
        return distributed(x)
    shown = distributed(extremes(x))
    rates = {s: _rate()(s.name, **s.assumptions0) for s in shown.free_symbols if re.search("'$|/d", s.name)}
    with sp.evaluate(False):  # numbers stay before their sums
        return shown.xreplace(rates)


@cache
def _rate() -> Any:
    class Rate(sp.Symbol):  # type: ignore[misc]
        """A rate or derivative: in products it stands behind parameters and coordinates, m*r**2*phi'*sin(theta)."""

        @classmethod
        def class_key(cls) -> tuple[int, int, str]:
            return 2, 1, cls.__name__  # other symbols: 2, 0

    return Rate


def in_order(x: Any) -> list[Any]:
    """Terms of a sum as they are written one after the other."""
    return list(_text_printer()._as_ordered_terms(x)) if x.is_Add else [x]


def _is_decimal(n: Any) -> bool:
    """Whether a fraction comes from a decimal number with two digits or more: 981/100, not 7/10."""
    return bool(n.q % 25 == 0 and _terminates(int(n.q)) or n.q > 1 and max(abs(n.p), n.q) >= _LONG)


def _terminates(q: int) -> bool:
    for prime in (2, 5):
        while q % prime == 0:
            q //= prime
    return q == 1


def _value(x: Any, rounded: bool) -> float | None:
    """Number that is written in decimals; None for what stays a fraction or a whole number."""
    p, q = abs(int(x.p)), int(x.q)
    if q == 1:
        return float(x) if rounded and p >= _LONG * 10 else None
    if max(p, q) >= _LONG:
        return float(x)
    if not _decimals.get() or q in (2, 4, 8) and p < 10:
        return None
    if _terminates(q):
        return float(x)
    return float(x) if rounded and (q > 60 or p > 99) else None


def _written(value: float) -> tuple[str, str]:
    """Mantissa and power of ten ("" for none) of a typeset number: all digits of short numbers, six of others."""
    exact = f"{value:.{_EXACT}g}"
    shown = exact if float(exact) == float(f"{value:.15g}") else f"{value:.{_DIGITS}g}"
    mantissa, _, power = shown.partition("e")
    return mantissa, str(int(power)) if power else ""


def _numbered(markup: str) -> str:
    """Markup with numbers for named characters (&InvisibleTimes;), which XML does not know."""
    kept = {"amp", "lt", "gt", "quot"}
    return re.sub(
        r"&(\w+);",
        lambda m: m[0] if m[1] in kept else "".join(f"&#{ord(c)};" for c in html5.get(f"{m[1]};", "")),
        markup,
    )


# -- printers ----------------------------------------------------------------------------------------------------------------


class _Readable:
    """Sums begin with a term that has no minus sign, where there is one: (r - l), not (-l + r); decimals in front of products."""

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        terms = list(super()._as_ordered_terms(expr, order))  # type: ignore[misc]
        first = next((k for k, x in enumerate(terms) if not x.could_extract_minus_sign()), 0)
        return [terms[first], *terms[:first], *terms[first + 1 :]]

    def _decimal(self, x: Any) -> Any:
        """Decimal number as this printer writes it, or None."""
        raise NotImplementedError

    def _print_Rational(self, expr: Any) -> Any:
        made = self._decimal(expr)
        return super()._print_Rational(expr) if made is None else made  # type: ignore[misc]

    def _print_Integer(self, expr: Any) -> Any:
        made = self._decimal(expr)
        return str(expr) if made is None else made

    def _print_Mul(self, expr: Any) -> Any:
        number, rest = expr.as_coeff_Mul()
        made = self._decimal(number) if number.is_Rational and rest != 1 else None
        return super()._print_Mul(expr) if made is None else self._times(made, rest)  # type: ignore[misc]

    def _times(self, number: Any, rest: Any) -> Any:
        """Product of a decimal number that is written already and other factors."""
        raise NotImplementedError


@cache
def _text_printer() -> Any:
    from sympy.printing.str import StrPrinter

    class Text(_Readable, StrPrinter):  # type: ignore[misc]
        def _decimal(self, x: Any) -> str | None:
            value = _value(x, rounded=False)
            return None if value is None else f"{value:.15g}"

        def _times(self, number: str, rest: Any) -> str:
            return f"{number}*{self.parenthesize(rest, 50, strict=True)}"

        def _print_Max(self, expr: Any) -> str:
            return f"max({self.stringify(sorted(expr.args, key=lambda x: not x.is_number), ', ')})"

        def _print_Exp1(self, expr: Any) -> str:
            return "exp(1)"  # beside a modulus E

        def _print_Piecewise(self, expr: Any) -> str:
            made = ""
            for value, condition in expr.args:
                made += self._print(value) + ("" if condition is sp.true else f" if {self._print(condition)} else ")
            return f"({made})"

    return Text()


@cache
def _latex_printer() -> Any:
    from sympy.printing.latex import LatexPrinter

    class Latex(_Readable, LatexPrinter):  # type: ignore[misc]
        def _print_Symbol(self, expr: Any, **options: Any) -> str:
            if " " in expr.name:  # a left side in words: δT - δV + δW
                return str(
                    expr.name.replace("δ", r"\delta ")
                    .replace("lam.J", r"\lambda^T J")
                    .replace("d/dt", r"\tfrac{d}{dt}")
                )
            if slope := _SLOPE.fullmatch(expr.name):
                return r"\frac{{d {}}}{{d {}}}".format(*(read_symbol(x).latex() for x in slope.groups()))
            return read_symbol(expr.name).latex()

        def _decimal(self, x: Any) -> str | None:
            value = _value(x, rounded=True)
            if value is None:
                return None
            mantissa, power = _written(value)
            return rf"{mantissa} \cdot 10^{{{power}}}" if power else mantissa

        def _times(self, number: str, rest: Any) -> str:
            above, below = sp.fraction(rest, exact=True)
            factor = "" if above == 1 else f" {self.parenthesize(above, 50, strict=True)}"
            return rf"\frac{{{number}{factor}}}{{{self._print(below)}}}" if below != 1 else f"{number}{factor}"

        def _print_Max(self, expr: Any, exp: Any = None) -> str:
            args = ", ".join(map(self._print, sorted(expr.args, key=lambda x: not x.is_number)))
            return str(self._do_exponent(rf"\max\left({args}\right)", exp))

        def _print_ExpBase(self, expr: Any, exp: Any = None) -> str:
            # upright, beside a restitution or an eccentricity e
            return str(self._do_exponent(rf"\mathrm{{e}}^{{{self._print(expr.args[0])}}}", exp))

        def _print(self, expr: Any, **options: Any) -> str:
            # Euler's number has a method of its own that writes it slanted
            return r"\mathrm{e}" if expr is sp.E else str(super()._print(expr, **options))

    return Latex({"inv_trig_style": "full"})


@cache
def _mathml_printer() -> Any:
    from sympy.printing.mathml import MathMLPresentationPrinter

    class MathML(_Readable, MathMLPresentationPrinter):  # type: ignore[misc]
        def _print_Symbol(self, sym: Any, style: str = "plain") -> Any:
            if " " in sym.name:
                return self._made("mtext", sym.name.replace(" - ", " − ").replace("lam.J", "λᵀJ"))
            if slope := _SLOPE.fullmatch(sym.name):
                parts = ((self._made("mi", "d"), self._letter(read_symbol(x))) for x in slope.groups())
                return self._made("mfrac", *(self._made("mrow", *x) for x in parts))
            name = read_symbol(sym.name)
            made = self._letter(name)
            return self._made("mrow", self._made("mi", "δ"), made) if name.varied else made

        def _letter(self, name: SymbolName) -> Any:
            made = self._made("mi", name.letter)
            if name.dots:
                # dots that belong to the letter sit well in every font, those of an accent only in fonts for mathematics
                made = self._made("mi", name.letter + _DOTS.get(name.dots, "'" * name.dots))
                made.setAttribute("class", "dotted")
            if not name.index:
                return made
            parts = [
                x for k, one in enumerate(name.index) for x in ([self._made("mo", ",")] * (k > 0) + [self._index(one)])
            ]
            return self._made("msub", made, parts[0] if len(parts) == 1 else self._made("mrow", *parts))

        def _index(self, name: SymbolName) -> Any:
            return self._made("mn", name.letter) if name.letter.isdigit() else self._letter(name)

        def _decimal(self, x: Any) -> Any:
            value = _value(x, rounded=True)
            if value is None:
                return None
            mantissa, power = (x.replace("-", "−") for x in _written(value))
            made = self._made("mn", mantissa)
            if not power:
                return made
            ten = self._made("msup", self._made("mn", "10"), self._made("mn", power))
            return self._made("mrow", made, self._made("mo", "⋅"), ten)

        def _print_Integer(self, e: Any) -> Any:
            made = self._decimal(e)
            return self._made("mn", str(e).replace("-", "−")) if made is None else made

        def _times(self, number: Any, rest: Any) -> Any:
            above, below = sp.fraction(rest, exact=True)
            made = [number]
            if above != 1:
                made += [self._made("mo", "\u2062"), self.parenthesize(above, 50, strict=True)]
            product = self._made("mrow", *made)
            return product if below == 1 else self._made("mfrac", product, self._print(below))

        def _print_Piecewise(self, expr: Any) -> Any:
            rows = []
            for value, condition in expr.args:
                where = [self._made("mtext", "if\u00a0"), self._print(condition)]
                if condition is sp.true:
                    where = [self._made("mtext", "otherwise")]
                cells = [self._made("mtd", self._print(value)), self._made("mtd", self._made("mrow", *where))]
                rows.append(self._made("mtr", *cells))
            table = self._made("mtable", *rows)
            table.setAttribute("columnalign", "left left")
            return self._made("mrow", self._made("mo", "{"), table)

        def _made(self, tag: str, *inside: Any) -> Any:
            """An element with texts and elements inside."""
            made = self.dom.createElement(tag)
            for x in inside:
                made.appendChild(self.dom.createTextNode(x) if isinstance(x, str) else x)
            return made

    return MathML()
