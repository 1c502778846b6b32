"""Writes `docs/sources.md`: what the equations of the five texts have become, from the table `tests/sources/concordance.txt`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests" / "sources" / "concordance.txt"

INTRODUCTION = """# Sources

The software implements what five texts describe; their short names stand wherever a formula is cited, with the number the text gives it. Where one
errs, the code follows the derivation: see [errata](errata.md).

| short name | author and title | what it is |
|---|---|---|
| PLANAR | Edward J. Haug, *Computer-Aided Kinematics and Dynamics of Mechanical Systems, Volume I: Basic Methods*, Allyn and Bacon, 1989; chapter 6, "Dynamics of Planar Systems" | planar constrained dynamics: virtual work, generalized forces, multipliers, initial conditions, inverse dynamics, equilibrium, reactions |
| LAGRANGE | Jorge Angeles, *Lagrangian Dynamics of Mechanical Systems*, report D-43, 1983 | Lagrangian dynamics of particles and bodies; impulse and momentum; dissipation; holonomic test; nonholonomic reduction |
| SPATIAL | Dan Negrut, ME751 *Advanced Computational Multibody Dynamics*, University of Wisconsin–Madison; slides on the Newton–Euler equations, after chapter 11 of Haug's book | bodies in space in (r, ω'), the multiplier system, reaction of each single constraint |
| BASICS | Parviz E. Nikravesh, *Computer-Aided Analysis of Mechanical Systems*, Prentice-Hall, 1988; chapter 8, "Basic Concepts in Dynamics" | particle, system, body; wrenches; inertia tensor; Euler's equations; constraint forces; when motion stays planar |
| PRINCIPLES | Gaëtan Kerschen (University of Liège) and a co-author of the University of Brussels, *Cinématique et dynamique des machines*, lecture slides; its bar on a string is an example of Meirovitch | Newton, virtual work, d'Alembert, Hamilton, Lagrange with and without multipliers, on the same machines |

The copies of LAGRANGE and PRINCIPLES name their authors (of PRINCIPLES the first name is lost). The others do not: PLANAR and BASICS were recognised by the
titles and the numbers of their chapters, SPATIAL by the course number and the pages of Haug's book that it cites.

## Concordance

Every section, numbered equation, example and problem of the texts: the verbs that answer it, the tests that check it, and what the matter is where none does.
SPATIAL and PRINCIPLES are slides; their rows are in the order of the slides, most of which have no numbers.

- A verb `x` is `da.x`, or `m.x` of a mechanism or a Lagrangian system.
- A test `p3_simple_pendulum::angular_acceleration` is `test_angular_acceleration` of `tests/sources/test_p3_simple_pendulum.py`; with a folder in front it
  is one of `tests/` there, without a name all tests of the file. E-P1 is a row of the [errata](errata.md), which its own test proves.
- The status is *tested*, *erratum* where the text is wrong and the test shows it, *not covered*, or *lost* where the copy of the text has nothing to test.
- A script of the [gallery](gallery/index.md) shows the machine that the tests are about.

This page is written by `python docs/sources.py` from `tests/sources/concordance.txt`; a test compares, looks for the tests and verbs, and counts the equations.
"""


@dataclass(frozen=True)
class Row:
    """What one place of a text has become."""

    source: str
    section: str
    place: str
    says: str
    verbs: tuple[str, ...]
    tests: tuple[str, ...]
    remark: str

    @property
    def status(self) -> str:
        """Tested, erratum, not covered or lost."""
        if self.tests:
            return "erratum" if all(test.startswith("E-") for test in self.tests) else "tested"
        return self.remark.partition(":")[0]

    @property
    def numbers(self) -> list[str]:
        """Numbers of equations, written out: 6.1.5-6.1.8 is four; none for examples and sections."""
        found: list[str] = []
        for part in self.place.split(", "):
            if not re.fullmatch(r"[\d.]*\d[a-d]?(-[\d.]*\d[a-d]?)?", part):
                return []
            first, _, last = part.partition("-")
            chapter, _, begin = first.rpartition(".")
            end = (last or first).rpartition(".")[2]
            dot = "." if chapter else ""
            found += [f"{chapter}{dot}{k}" for k in range(plain(begin), plain(end) + 1)]
        return found


def plain(number: str) -> int:
    """A number without its letter."""
    return int(number.rstrip("abcd"))


def rows() -> list[Row]:
    """All rows of the table."""
    source = section = ""
    found = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("# ") and line[2:].isupper():
            source = line[2:]
        elif line.count("|") == 4 and source:
            place, says, verbs, tests, remark = (cell.strip() for cell in line.split("|"))
            # commas inside brackets belong to a verb
            split = tuple(x for x in re.split(r", (?![^(]*\))", verbs) if x)
            found.append(Row(source, section, place, says, split, tuple(tests.split()), remark))
    return found


def scripts(row: Row) -> list[str]:
    """Examples of the gallery that show a row: those of the machines that its tests are about."""
    ids = {m.group(1) for test in row.tests if (m := re.match(r"sources/([plbks]\d+)_", test))}
    folder = ROOT / "examples" / "sources"
    return sorted(path.stem for name in ids for path in folder.glob(f"{name}_*.py"))


def checked_by(row: Row) -> str:
    """Tests, errata and remark of a row, as they are printed."""
    names = [x if x.startswith("E-") else f"`{x.removeprefix('sources/')}`" for x in row.tests]
    reason = row.remark if row.tests else row.remark.partition(": ")[2]
    return "; ".join(x for x in (", ".join(names), reason) if x)


def page() -> str:
    """The text."""
    every = rows()
    counted = [f"{sum(row.status == x for row in every)} {x}" for x in ("tested", "erratum", "not covered", "lost")]
    lines, source, section = [INTRODUCTION, f"Of {len(every)} rows: {', '.join(counted)}.", ""], "", ""
    for row in every:
        if row.source != source:
            source = row.source
            lines += [f"## {source}", ""]
        if row.section != section:
            section = row.section
            lines += [
                "",
                f"### {section}",
                "",
                "| place | what | verbs | script | checked by | status |",
                "|---|---|---|---|---|---|",
            ]
        verbs = ", ".join(f"`{verb}`" for verb in row.verbs)
        shown = ", ".join(f"[{name.partition('_')[0]}](gallery/{name}.md)" for name in scripts(row))
        lines.append(f"| {row.place} | {row.says} | {verbs} | {shown} | {checked_by(row)} | {row.status} |")
    lines += ["", "## What the copies have lost", ""]
    lost = [row for row in every if row.status == "lost" or re.search(r"\blost\b|\bcopy\b", row.remark)]
    lines += [f"- {row.source} {row.place}: {row.remark.removeprefix('lost: ')}." for row in lost]
    lines += ["", "More of this is at the end of the [errata](errata.md#what-could-not-be-judged)."]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page(), encoding="utf-8")
