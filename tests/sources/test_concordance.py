"""`concordance.txt`, from which docs/sources.md is written: complete, up to date, and what it names exists."""

import ast
import functools
import importlib.util
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

import dalembert as da

ROOT = Path(__file__).parents[2]
# last equation of every section of the texts, as their numbers run; letters (6.1.10a) belong to their number
LAST = {
    "PLANAR": {"6.1": 25, "6.2": 22, "6.3": 30, "6.4": 8, "6.5": 11, "6.6": 11},
    "LAGRANGE": {
        "1.2": 1, "1.3": 12, "1.4": 4, "1.5": 17, "1.6": 4, "2.1": 10, "2.2": 9, "2.3": 19, "2.4": 7, "2.5": 3, "2.6": 41,
    },
    "SPATIAL": {"": 1},
    "BASICS": {"8": 53},
    "PRINCIPLES": {},
}  # fmt: skip
EXAMPLES = {"PLANAR": 12, "LAGRANGE": 7}


def load():
    spec = importlib.util.spec_from_file_location("sources_page", ROOT / "docs" / "sources.py")
    module = sys.modules["sources_page"] = importlib.util.module_from_spec(spec)  # where data classes look it up
    spec.loader.exec_module(module)
    return module


SOURCES = load()
ROWS = SOURCES.rows()


@functools.cache
def checks_in(file):
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return {x.name for x in tree.body if isinstance(x, ast.FunctionDef) and x.name.startswith("test_")}


@functools.cache
def errata():
    """Rows of the errata by id, with the test of each."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "sources").glob("test_errata_*.py"))
    return {f"E-{a.upper()}{n}" for a, n in re.findall(r"^def test_e_([plsbk])(\d+)_", text, re.MULTILINE)}


def test_the_page_is_up_to_date():
    assert SOURCES.page() == (ROOT / "docs" / "sources.md").read_text(encoding="utf-8"), "python docs/sources.py"


@pytest.mark.parametrize("source", LAST)
def test_every_equation_is_in_one_row(source):
    expected = [f"{part}{'.' * bool(part)}{k}" for part, last in LAST[source].items() for k in range(1, last + 1)]
    rows = [row for row in ROWS if row.source == source]
    # 1.3.3 and 1.3.3a in one row are one equation
    listed = Counter(number for row in rows for number in set(row.numbers))
    assert set(listed) == set(expected)
    for number, times in listed.items():
        places = [row.place for row in rows if number in row.numbers]
        assert times == 1 or (source == "LAGRANGE" and any(re.search(r"\d[a-d]", x) for x in places)), (number, places)


def test_sections_have_the_equations_they_say():
    """The line `numbers` of a section is what its rows have."""
    section, said = "", {}
    for line in SOURCES.TABLE.read_text(encoding="utf-8").splitlines():
        section = line[3:] if line.startswith("## ") else section
        if line.startswith("numbers "):
            said[section] = SOURCES.Row("", "", line.removeprefix("numbers "), "", (), (), "").numbers
    found = {}
    for row in ROWS:
        found.setdefault(row.section, set()).update(row.numbers)
    assert {name: set(numbers) for name, numbers in said.items()} == {name: x for name, x in found.items() if x}


@pytest.mark.parametrize("source", EXAMPLES)
def test_every_example_is_there(source):
    places = [row.place for row in ROWS if row.source == source and row.place.startswith("Example")]
    assert len(places) == len(set(places)) == EXAMPLES[source]


def test_places_come_once():
    assert [x for x, n in Counter((row.source, row.section, row.place) for row in ROWS).items() if n > 1] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.source} {row.place}")
def test_what_a_row_names_exists(row):
    assert row.place and row.says and row.section
    for test in row.tests:
        if test.startswith("E-"):
            assert test in errata()
            continue
        file, _, name = test.partition("::")
        folder, _, stem = file.rpartition("/")
        found = checks_in(f"{folder}/test_{stem}.py")
        assert found and (not name or f"test_{name}" in found), test
    for verb in row.verbs:
        name = verb.partition("(")[0]
        assert any(hasattr(place, name) for place in (da, da.Mechanism, da.Lagrangian)), verb
    if not row.tests:
        assert re.match(r"(not covered|lost): \w", row.remark), "a row without tests says why"


def uses(text, verb):
    """Whether tests use a verb, and the form that it names; those of contracts go through all elements by their registry."""
    name, _, options = verb.partition("(")
    form = re.search(r'form="([^"]+)"', options)
    return bool(re.search(rf"\b{name}\b", text)) and (form is None or f'"{form[1]}"' in text)


@pytest.mark.parametrize("row", [row for row in ROWS if row.tests], ids=lambda row: f"{row.source} {row.place}")
def test_verbs_are_those_of_the_tests(row):
    files = {x.partition("::")[0] for x in row.tests if not x.startswith("E-")}
    paths = [ROOT / "tests" / folder / f"test_{stem}.py" for folder, _, stem in (x.rpartition("/") for x in files)]
    paths += (ROOT / "tests" / "sources").glob("test_errata_*.py") if len(files) < len(row.tests) else ()
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    registry = any(x.startswith("contracts/") for x in files)
    elements = {"damper", "spring", "actuator"} if registry else set()
    assert [verb for verb in row.verbs if not uses(text, verb) and verb not in elements] == []


def test_every_row_of_the_errata_is_in_the_table():
    named = {test for row in ROWS for test in row.tests if test.startswith("E-")}
    assert errata() - named == set()
