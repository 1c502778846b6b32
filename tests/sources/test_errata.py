"""docs/errata.md and the tests that prove it: row E-P4 belongs to a test named test_e_p4_…, no row without, no test beside."""

import re
from pathlib import Path

import pytest
from errata_tools import differ, functions, same, t
from sympy import Matrix, asin, cos, sin, symbols

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "errata.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (E-[PLSBK]\d+)(?: †)? \|(.*)\|$", PAGE, re.MULTILINE)


def proved():
    """Ids in the names of the tests beside this file."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(HERE.glob("test_errata_*.py")))
    return [
        f"E-{letter.upper()}{number}"
        for letter, number in re.findall(r"^def test_e_([plsbk])(\d+)_", text, re.MULTILINE)
    ]


def test_every_row_has_its_test_and_every_test_its_row():
    listed = [name for name, _ in ROWS]
    assert len(listed) == len(set(listed)) > 50
    assert sorted(proved()) == sorted(listed)


@pytest.mark.parametrize("source", list("PLSBK"))
def test_rows_are_numbered_in_order(source):
    numbers = [int(name[3:]) for name, _ in ROWS if name[2] == source]
    assert numbers == list(range(1, len(numbers) + 1)) and numbers


def test_rows_are_complete():
    """Place, printed, right, check: nothing empty."""
    for name, rest in ROWS:
        cells = [cell.strip() for cell in rest.split("|")]
        assert len(cells) == 4 and all(cells), name


def test_the_tools_can_say_no():
    x, y = symbols("x y", positive=True)
    angle = functions("theta")[0]
    assert same(sin(2 * x), 2 * sin(x) * cos(x)) and not differ(sin(2 * x), 2 * sin(x) * cos(x))
    assert not same(sin(2 * x), sin(x) * cos(x)) and differ(sin(2 * x), sin(x) * cos(x))
    assert same(sin(angle).diff(t) ** 2, (1 - sin(angle) ** 2) * angle.diff(t) ** 2)
    assert not same(sin(angle).diff(t), cos(angle))
    assert same(cos(asin(x)) ** 2, 1 - x**2)  # by simplify
    one = Matrix([x / y, (x**2 - y**2) / (x - y)])
    assert same(one, Matrix([x / y, x + y])) and differ(one, Matrix([x / y, x - y]))
    with pytest.raises(AssertionError, match="shapes"):
        same(one, Matrix([1, 2, 3]))
