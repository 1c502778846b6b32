"""Sheets of equations: headings, equations, matrices and remarks, written as text, LaTeX or a section of a page."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..paths import whole_file
from . import sp
from .headings import as_html, as_latex, as_text
from .printing import TIMES, distributed, in_order, latex, mathml, numbers_as_in, text
from .unevaluated import Unevaluated
from .wrapping import latex_lines, text_lines

_STYLE = (
    "body{font-family:system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
    "h2{border-bottom:1px solid #ccc}math{font-size:1.1em}div.equation{margin:.6em 0;padding-left:3.5em;text-indent:-2em;line-height:2}math{text-indent:0}.dotted{font-style:italic}p.remark{color:#555}"
)


@dataclass(frozen=True)
class Way:
    """How terms are written and joined in one language."""

    write: Callable[[Any], str]
    times: str
    brackets: str = "({})"
    plus: str = " + "
    minus: str = " - "
    sign: str = "-"  # of the first term
    opens_right: bool = True  # whether the right side is written term by term


_TEXT = Way(text, "*", opens_right=False)
_LATEX = Way(latex, " ", r"\left({}\right)")
_MATHML = Way(
    mathml,
    TIMES,
    "<mrow><mo>(</mo>{}<mo>)</mo></mrow>",
    '<mo form="infix">+</mo>',
    '<mo form="infix">−</mo>',
    '<mo form="prefix">−</mo>',
)


@dataclass(frozen=True, eq=False)
class Equation(Unevaluated):
    """An equation left = right; terms on the left are written in the order given, a term being a product of factors."""

    terms: tuple[Any, ...]
    right: Any
    factors: tuple[Any, ...] = ()  # symbol by which each term is multiplied, written last; 1 where there is none
    flipped: bool = False  # written right = left

    @property
    def left(self) -> Any:
        """Left side."""
        return sp.Add(*[c * f for c, f in zip(self.terms, self._factors)])

    @property
    def sympy(self) -> Any:
        """Equality of SymPy."""
        return sp.Eq(self.left, self.right, evaluate=False)

    @property
    def residual(self) -> Any:
        """Left side minus right side."""
        return self.left - self.right

    @property
    def _factors(self) -> tuple[Any, ...]:
        return self.factors or (1,) * len(self.terms)

    def text(self) -> str:
        """One line."""
        with self._numbers():
            left, right = ("".join(side) for side in self._sides(_TEXT))
        return f"{left} = {right}"

    def latex(self) -> str:
        """LaTeX; long equations go on in further lines, which an aligned block needs."""
        with self._numbers():
            left, right = ("".join(side) for side in self._sides(_LATEX))
        return latex_lines(f"{left} = {right}")

    def mathml(self) -> str:
        """MathML, term by term, so that a page can go on in another line before each of them."""
        with self._numbers():
            left, right = self._sides(_MATHML)
        pieces = [*left, f'<mo form="infix">=</mo>{right[0]}', *right[1:]]
        return " ".join(f'<math displaystyle="true"><mrow>{x}</mrow></math>' for x in pieces)

    @property
    def expressions(self) -> tuple[Any, ...]:
        """All that is written."""
        return *self.terms, self.right

    def _numbers(self) -> AbstractContextManager[None]:
        return numbers_as_in(self.expressions)

    def _sides(self, way: Way) -> tuple[list[str], list[str]]:
        """Written terms of what stands left of the equals sign, and of what stands right of it."""
        left = self._side(zip(self.terms, self._factors), way)
        right = self._side([(self.right, sp.S.One)], way) if way.opens_right else [way.write(_opened(self.right))]
        return (right, left) if self.flipped else (left, right)

    def _side(self, products: Iterable[tuple[Any, Any]], way: Way) -> list[str]:
        parts: list[str] = []
        for minus, coefficient, factor in _signed(products):
            body = way.write(coefficient)
            if factor != 1:
                body = way.brackets.format(body) if coefficient.is_Add else body
                body = way.write(factor) if coefficient == 1 else f"{body}{way.times}{way.write(factor)}"
            parts.append((way.minus if minus else way.plus) + body if parts else (way.sign if minus else "") + body)
        return parts or [way.write(sp.S.Zero)]


def _signed(products: Iterable[tuple[Any, Any]]) -> list[tuple[bool, Any, Any]]:
    """(minus sign, coefficient, factor) of every term that is not zero; sums without a factor are opened."""
    made = []
    for given, factor in products:
        coefficient = distributed(sp.sympify(given))
        parts: Any = (coefficient,)
        if factor == 1:
            coefficient = _opened(coefficient)
            # -(a + b) is the product of -1 and a sum; it is opened as well
            opened = [(x, (-x).args if (-x).is_Add else None) for x in in_order(coefficient)]
            parts = [y for x, inside in opened for y in ([x] if inside is None else [-z for z in inside])]
        for part in parts:
            if part != 0:
                # a sum in brackets begins with a term that has no minus sign
                one = factor != 1 and part.is_Add
                minus = all(x.could_extract_minus_sign() for x in (part.args if one else (part,)))
                made.append((minus, -part if minus else part, sp.sympify(factor)))
    return made


def _opened(x: Any) -> Any:
    """A sum over a number as a sum of fractions: k*x**2/2 - m*g*l*cos(a)/2."""
    number, rest = x.as_coeff_Mul()
    return sp.Add(*[number * term for term in rest.args]) if number.is_Rational and number.q > 1 and rest.is_Add else x


def line(left: Any, right: Any) -> Equation:
    """An equation whose left side is one expression."""
    return Equation((sp.sympify(left),), sp.sympify(right))


@dataclass(frozen=True, eq=False)
class Section:
    """A heading with remarks and equations."""

    title: str
    items: tuple[Equation, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Sheet:
    """Title and sections."""

    title: str
    sections: tuple[Section, ...] = field(default=())

    @property
    def written(self) -> list[Section]:
        """Sections that say something."""
        return [x for x in self.sections if x.items or x.remarks]

    def _numbers(self) -> AbstractContextManager[None]:
        """Numbers written alike in all equations."""
        return numbers_as_in(x for section in self.sections for item in section.items for x in item.expressions)

    def text(self) -> str:
        """Plain text."""
        lines = [as_text(self.title)]
        with self._numbers():
            for section in self.written:
                lines.append(f"  {as_text(section.title)}")
                lines += [f"    {as_text(remark)}" for remark in section.remarks]
                for item in section.items:
                    lines += text_lines(item.text())
        return "\n".join(lines)

    def latex(self) -> str:
        """LaTeX: an aligned block with headings, remarks, and all equations one below the other."""
        rows = []
        with self._numbers():
            for section in self.written:
                rows += [f"&{x}" for x in as_latex(section.title)]
                rows += [f"&\\quad {x}" for remark in section.remarks for x in as_latex(remark)]
                rows += [f"&\\quad {item.latex()}" for item in section.items]
        return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"

    def html(self) -> str:
        """Section of a page: HTML and MathML, nothing from elsewhere."""
        parts = [f"<section>\n<h2>{as_html(self.title)}</h2>"]
        with self._numbers():
            for section in self.written:
                parts.append(f"<h3>{as_html(section.title)}</h3>")
                parts += [f'<p class="remark">{as_html(remark)}</p>' for remark in section.remarks]
                parts += [f'<div class="equation">{item.mathml()}</div>' for item in section.items]
        return "\n".join([*parts, "</section>"])


def page(title: str, sections: Sequence[str]) -> str:
    """A whole page of sections, which needs nothing but itself."""
    body = "\n".join(sections)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def write_page(path: str | Path, title: str, sections: Sequence[str]) -> None:
    """Write a page to a file, whole or not at all; folders are made."""
    with whole_file(path, f"page of {title}", "w") as file:
        file.write(page(title, sections))


class OnSheet:
    """Results that are read from a sheet: text, LaTeX, notebooks, pages."""

    if TYPE_CHECKING:  # a field in some of them, a property in others

        @property
        def sheet(self) -> Sheet:
            """The sheet."""

    @property
    def sheets(self) -> list[Sheet]:
        """All sheets: this one."""
        return [self.sheet]

    def __str__(self) -> str:
        return self.sheet.text()

    __repr__ = __str__

    def latex(self) -> str:
        """LaTeX of the whole sheet (an aligned block)."""
        return self.sheet.latex()

    def _repr_latex_(self) -> str:
        # the only display of notebooks besides text: MathML beside it would be preferred, and looks worse there
        return f"$\\displaystyle {self.latex()}$"

    def to_html(self, path: str | Path | None = None) -> str:
        """Section of a page in HTML and MathML; with a path, a whole page is written there as well."""
        if path is not None:
            write_page(path, self.sheet.title, [self.sheet.html()])
        return self.sheet.html()


class OfLines(OnSheet):
    """Results whose equations are lines of a sheet."""

    lines: tuple[Equation, ...]

    @property
    def equations(self) -> list[Any]:
        """Equations of motion (or of rest) as SymPy equalities."""
        return [x.sympy for x in self.lines]


def named(names: Iterable[str]) -> str:
    """Names as formulas of a heading or remark."""
    return ", ".join(f"${x}$" for x in names) or "none"
