"""Forces that act on one side only, those of stops, as terms with a name: F_buffer_upper = max(0, k s + c s') where s > 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import sp
from .sheet import Section, Sheet, line
from .symbols import Symbols, extremes, multiple_of

if TYPE_CHECKING:
    from .mechanism.measures import Loaded


def with_named_stops(sheet: Sheet, laws: Sequence[Loaded], symbols: Symbols) -> Sheet:
    """The sheet with the forces of stops as symbols, and what they are in a section of its own."""
    owners = {_beyond(x): law.part for law in laws for x in _one_sided(symbols.of(law.force))}
    if not owners:
        return sheet
    forces, short = {}, {}
    for x in (x for section in sheet.sections for item in section.items for x in item.expressions):
        for piece in _one_sided(x):
            if _beyond(piece) in owners and piece not in short:
                force, where = extremes(piece.args[0][0]), _beyond(piece)
                sign = -1 if force.could_extract_minus_sign() else 1
                symbol = sp.Symbol(f"F_{owners[where]}_{'lower' if sign < 0 else 'upper'}", real=True)
                short[piece] = sign * symbol
                # without damping the force is positive wherever the stop is closed
                whole = force.has(sp.Max) and not _closes(force, where)
                forces[symbol] = sp.Piecewise((sign * force, where), (0, True)) if whole else sign * force

    def shortened(section: Section) -> Section:
        items = tuple(
            replace(x, terms=tuple(y.xreplace(short) for y in x.terms), right=x.right.xreplace(short))
            for x in section.items
        )
        return replace(section, items=items)

    named = Section("forces of stops", tuple(line(x, y) for x, y in forces.items()))
    return replace(sheet, sections=(*map(shortened, sheet.sections), named))


def _one_sided(x: Any) -> list[Any]:
    """Outermost terms that are zero unless a condition holds."""
    x = sp.sympify(x)
    if isinstance(x, sp.Piecewise):
        return [x] if len(x.args) == 2 and x.args[1][0] == 0 else []
    return [piece for a in x.args for piece in _one_sided(a)]


def _beyond(piece: Any) -> Any:
    """Condition under which such a term acts."""
    return piece.args[0][1]


def _closes(force: Any, where: Any) -> bool:
    """Whether the force max(0, f), up to its sign, is zero at the very place where the condition ends."""
    pushes = [a for x in force.atoms(sp.Max) for a in x.args if a != 0]
    return all(multiple_of(a, where.gts - where.lts) > 0 for a in pushes)
