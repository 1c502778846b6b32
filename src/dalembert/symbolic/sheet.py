"""Sheets of equations: headings, equations, matrices and remarks, written as text, LaTeX or a section of a page."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..paths import whole_file
from . import sp
from .printing import distributed, latex, mathml, text
from .unevaluated import Unevaluated

_WIDTH = 116
_STYLE = (
    "body{font-family:system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
    "h2{border-bottom:1px solid #ccc}math{font-size:1.1em}div.equation{margin:.6em 1.5em;overflow-x:auto}p.remark{color:#555}"
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
        return self._joined(self._side(text, "*"), " = ", text(self.right))

    def latex(self) -> str:
        """LaTeX."""
        return self._joined(self._side(latex, " "), " = ", latex(self.right))

    def mathml(self) -> str:
        """MathML."""
        parts: list[str] = []
        for minus, coefficient, factor in self._signed():
            if minus or parts:
                parts.append(f"<mo>{'−' if minus else '+'}</mo>")
            coefficient = distributed(coefficient)
            body = mathml(coefficient) if coefficient != 1 or factor == 1 else ""
            if factor != 1 and coefficient.is_Add:
                body = f"<mrow><mo>(</mo>{body}<mo>)</mo></mrow>"
            parts.append(body + (f"<mo>&#x2062;</mo>{mathml(factor)}" if factor != 1 else ""))
        left = "".join(parts) or "<mn>0</mn>"
        return f'<math display="block"><mrow>{self._joined(left, "<mo>=</mo>", mathml(self.right))}</mrow></math>'

    def _signed(self) -> list[tuple[bool, Any, Any]]:
        """(minus sign, coefficient, factor) of every term that is not zero; sums without a factor are opened."""
        made = []
        for coefficient, factor in zip(self.terms, self._factors):
            parts: Any = (coefficient,)
            if factor == 1:
                # -(a + b) is the product of -1 and a sum; it is opened as well
                opened = [(x, (-x).args if (-x).is_Add else None) for x in sp.Add.make_args(coefficient)]
                parts = [y for x, inside in opened for y in ([x] if inside is None else [-z for z in inside])]
            for part in parts:
                if part != 0:
                    minus = bool(part.could_extract_minus_sign())
                    made.append((minus, -part if minus else part, sp.sympify(factor)))
        return made

    def _joined(self, left: str, equals: str, right: str) -> str:
        return f"{right}{equals}{left}" if self.flipped else f"{left}{equals}{right}"

    def _side(self, write: Any, times: str) -> str:
        parts: list[str] = []
        for minus, coefficient, factor in self._signed():
            body = write(coefficient)
            if factor != 1:
                body = f"({body})" if coefficient.is_Add else body
                body = write(factor) if coefficient == 1 else f"{body}{times}{write(factor)}"
            parts.append((" - " if minus else " + ") + body if parts else ("-" if minus else "") + body)
        return "".join(parts) or "0"


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

    def text(self) -> str:
        """Plain text."""
        lines = [self.title]
        for section in self.sections:
            if not section.items and not section.remarks:
                continue
            lines.append(f"  {section.title}")
            lines += [f"    {remark}" for remark in section.remarks]
            for item in section.items:
                lines += _broken(item.text())
        return "\n".join(lines)

    def latex(self) -> str:
        """LaTeX of all equations, one below the other."""
        rows = [item.latex().replace(" = ", " &= ", 1) for section in self.sections for item in section.items]
        return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"

    def html(self) -> str:
        """Section of a page: HTML and MathML, nothing from elsewhere."""
        parts = [f"<section>\n<h2>{html.escape(self.title)}</h2>"]
        for section in self.sections:
            if section.items or section.remarks:
                parts.append(f"<h3>{html.escape(section.title)}</h3>")
                parts += [f'<p class="remark">{html.escape(remark)}</p>' for remark in section.remarks]
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

    def __repr__(self) -> str:
        return self.sheet.text()

    def latex(self) -> str:
        """LaTeX of the whole sheet (an aligned block)."""
        return self.sheet.latex()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def _repr_html_(self) -> str:
        return self.sheet.html()

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


def _broken(equation: str) -> list[str]:
    """Lines of an equation, broken before + and - outside of parentheses where it is long."""
    lines, here, depth, last = [], "    ", 0, -1
    for k, sign in enumerate(equation):
        depth += (sign == "(") - (sign == ")")
        here += sign
        if depth == 0 and equation[k + 1 : k + 3] in ("+ ", "- ", "= "):
            last = len(here)
        if len(here) > _WIDTH and last > 8:
            lines.append(here[:last].rstrip())
            here, last = "        " + here[last:], -1
    return [*lines, here]
