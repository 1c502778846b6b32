r"""Long equations in several lines, as text and as LaTeX: broken before + - =, outside of parentheses where that leaves no long line.

LaTeX needs \left and \right in pairs in every line: one that is open at the end of a line is closed by \right. and opened by \left. again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import accumulate

_WIDTH = 116  # letters in a line of text
_TYPESET = 78  # letters in a line of LaTeX, about
# parts of a line: too short to stand alone; full enough to end outside of parentheses, whatever the next line needs
_SHORT, _FULL = 0.1, 0.4
_MACRO = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)
_FUNCTIONS = ("sin", "cos", "tan", "max", "log", "arcsin", "arccos", "arctan")
# letters that a command or sign is as wide as; other commands are one letter
_WIDTHS = (
    dict.fromkeys(("+", "-", "=", r"\cdot", r"\qquad"), 2.0)
    | {rf"\{x}": float(len(x)) for x in _FUNCTIONS}
    | dict.fromkeys((r"\left", r"\right", r"\mathit", r"\mathrm", r"\dot", r"\ddot", *"{} &\n"), 0.0)
)
_INDEX = 0.7  # size of indices and powers


def text_lines(equation: str) -> list[str]:
    """Lines of an equation in text, indented."""
    pieces, opened = [""], [0]
    stack: list[bool] = []  # parentheses that are open, and whether those of a function
    for k, sign in enumerate(equation):
        if equation[k : k + 2] in ("+ ", "- ", "= ") and equation[k - 1 : k] == " " and not any(stack):
            pieces.append("")
            opened.append(len(stack))
        if sign == "(":
            stack.append(equation[k - 1 : k].isalnum())
        elif sign == ")" and stack:
            stack.pop()
        pieces[-1] += sign
    ends = _ends(pieces, opened, len, _WIDTH - 4)
    lines = ["".join(pieces[a:b]).rstrip() for a, b in zip([0, *ends], [*ends, len(pieces)])]
    return ["    " + lines[0], *("        " + x for x in lines[1:])]


def latex_lines(equation: str) -> str:
    r"""LaTeX of an equation, in lines of an aligned block where it is long."""
    if extent(equation) <= _TYPESET:
        return equation
    pieces, opened = [""], [0]
    depth = 0
    for token, single in _items(_fractions_apart(equation)):
        if single and token in "+-=" and pieces[-1].endswith(" "):
            pieces.append("")
            opened.append(depth)
        depth += (token == r"\left") - (token == r"\right")
        pieces[-1] += token
    ends = _ends(pieces, opened, extent, _TYPESET)
    starts = [0, *ends]
    lines = []
    for a, b in zip(starts, [*ends, len(pieces)]):
        inside = "".join(pieces[a:b]).strip()
        # {} keeps the distance on both sides of a sign
        first = r"\left. " * opened[a] + "{} " if a else ""
        lines.append(first + inside + r" \right." * (opened[b] if b < len(opened) else 0))
    return " \\\\\n&\\qquad ".join(lines)


def extent(latex: str) -> float:
    """Width of a piece of LaTeX in letters, about: fractions are as wide as their longer part, commands one letter or their name."""
    width = 0.0
    items = _items(latex)
    for token, _ in items:
        if token.endswith("frac"):
            width += max(extent(next(items)[0]), extent(next(items)[0]))
        elif token in ("_", "^"):
            width += _INDEX * extent(next(items, ("", True))[0])
        elif token[0] == "{" and len(token) > 1:
            width += extent(token[1:-1])
        else:
            width += _WIDTHS.get(token, 1.0)
    return width


def _items(latex: str) -> Iterator[tuple[str, bool]]:
    """Commands, letters and whole groups in braces, one after the other, and whether it is no group."""
    k = 0
    while k < len(latex):
        found = _MACRO.match(latex, k)
        assert found is not None  # any character fits
        if found[0] == "{" or found[0] == r"\begin":
            end = _end_of_group(latex, k)
            yield latex[k:end], False
            k = end
        else:
            yield found[0], True
            k = found.end()


def _end_of_group(latex: str, start: int) -> int:
    depth = 0
    for found in _MACRO.finditer(latex, start):
        depth += found[0] in ("{", r"\begin")
        depth -= found[0] in ("}", r"\end")
        if depth == 0 and found[0] == "}":
            return found.end()
    return len(latex)


def _fractions_apart(latex: str) -> str:
    r"""Fractions that are longer than a line as products, which can be broken: \frac{1}{D} \left(N\right)."""
    made, items = "", _items(latex)
    for token, _ in items:
        if not token.endswith("frac"):
            made += token
            continue
        above, below = next(items)[0], next(items)[0]
        if max(extent(above), extent(below)) <= _TYPESET:
            made += token + above + below
            continue
        factor = _factor(_fractions_apart(above[1:-1]))
        if extent(below) <= _TYPESET / 2:
            made += rf"{token}{{1}}{below} {factor}"
        else:
            made += rf"{factor} \left({_fractions_apart(below[1:-1])}\right)^{{-1}}"
    return made


def _factor(latex: str) -> str:
    """A sum in parentheses, a product as it is."""
    depth = 0
    for k, (token, single) in enumerate(_items(latex)):
        depth += (token == r"\left") - (token == r"\right")
        if single and token in "+-" and depth == 0 and k:
            return rf"\left({latex}\right)"
    return latex


def _ends(pieces: list[str], opened: list[int], size: Callable[[str], float], room: float) -> list[int]:
    """Pieces before which a line is broken; `opened` counts the parentheses that are open before each."""
    upto = [0.0, *accumulate(map(size, pieces))]
    ends, start, last = [], 0, len(pieces)
    while upto[last] - upto[start] > room and start < last - 1:
        fitting = [k for k in range(start + 1, last) if _SHORT * room < upto[k] - upto[start] <= room] or [start + 1]
        chosen = fitting[-1]
        for depth in sorted({opened[k] for k in fitting}):
            k = max(x for x in fitting if opened[x] == depth)
            then = next((x for x in range(k + 1, last) if opened[x] <= depth), last)
            if upto[then] - upto[k] <= room or upto[k] - upto[start] >= _FULL * room:
                chosen = k
                break
        ends.append(chosen)
        start = chosen
    return ends
