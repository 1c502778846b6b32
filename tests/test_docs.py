"""Every Python block in README and docs runs, one page one namespace, and prints what the page says it prints.

A block fenced as ``output`` is what the Python block before it prints.  Numbers of the audit that depend on the machine (round-off,
times, steps) are compared in form only; everything else literally.
"""

import ast
import contextlib
import io
import re
from pathlib import Path
from urllib.parse import urlparse

import pytest

from dalembert.model import mechanism  # noqa: F401  (fills the registries)
from dalembert.model.registry import FORCES, JOINTS

ROOT = Path(__file__).parents[1]
# pages that are written while the documentation is built are not in the repository
BUILT = ("_build", "gallery", "api")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PAGES += [p for p in sorted((ROOT / "docs").rglob("*.md")) if not {*p.relative_to(ROOT / "docs").parts} & {*BUILT}]
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    return FENCE.findall(page.read_text(encoding="utf-8"))


@pytest.fixture
def registries():
    """Joints and forces that a page defines are gone afterwards."""
    before = dict(JOINTS), dict(FORCES)
    yield
    for registry, old in zip((JOINTS, FORCES), before):
        registry.clear()
        registry.update(old)


@pytest.mark.parametrize(
    "page", [p for p in PAGES if "```python" in p.read_text(encoding="utf-8")], ids=lambda p: p.stem
)
def test_page_runs(page, tmp_path, monkeypatch, registries):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {"__name__": f"page_{page.stem}"}
    printed = None
    for language, body in blocks(page):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(body, str(page.relative_to(ROOT)), "exec", dont_inherit=True), names)
            printed = out.getvalue()
        elif language == "output":
            assert printed is not None, "an output block follows the Python block that prints it"
            assert _comparable(printed) == _comparable(body)


def _comparable(text):
    """Text without the digits that differ between machines: powers of ten in the audit, times and counts of steps."""
    lines = [re.sub(r"\d\.\d+e[-+]\d+|\de[-+]\d+", "#e", line.rstrip()) for line in text.strip("\n").splitlines()]
    return [re.sub(r"[\d.]+", "#", line) if line.startswith("  steps") else line for line in lines]


def test_comparison_sees_differences():
    assert _comparable("  energy  closed to 1.2e-09") == _comparable("  energy  closed to 3.4e-10")
    assert _comparable("  steps  12 accepted, 1.2 ms") == _comparable("  steps  13 accepted, 0.9 ms")
    assert _comparable("0.5000  -0.23431") != _comparable("0.5000  -0.23432")
    assert _comparable("audit: passed") != _comparable("audit: FAILED")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if not urlparse(target).scheme and not target.startswith("#"):
            file = page.parent / target.partition("#")[0]
            built = file.is_relative_to(ROOT / "docs") and file.relative_to(ROOT / "docs").parts[0] in BUILT
            assert built or file.exists(), target


def test_readme_shows_its_picture_and_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make run" in text and "make test" in text
    (picture,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert picture.endswith(".gif") and (ROOT / picture).stat().st_size < 500_000, "one small moving picture"
    example = next(body for language, body in blocks(ROOT / "README.md") if language == "python")
    assert len(example.strip().splitlines()) <= 16, "about fifteen lines"


def test_pages_name_no_machine():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"(?<![\w.])/(home|root|work|tmp)/", text), page.name


def test_every_public_name_is_in_the_reference():
    import dalembert as da

    listed = re.findall(r"^   (\w+)$", (ROOT / "docs" / "reference.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(listed) == set(da.__all__)


def test_every_page_is_in_the_contents():
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = {x for part in re.findall(r"```{toctree}\n(.*?)```", text, re.DOTALL) for x in part.split()}
    pages = {p.stem for p in (ROOT / "docs").glob("*.md")} - {"index"}
    assert pages <= listed


def test_equations_cited_in_the_code_are_there():
    """The code cites equations as "theory (n)"; the page numbers its labelled equations in order."""
    labels = re.findall(r"^:label: (\S+)$", (ROOT / "docs" / "theory.md").read_text(encoding="utf-8"), re.MULTILINE)
    cited = set()
    for file in (ROOT / "src").rglob("*.py"):
        cited |= {int(n) for n in re.findall(r"theory \((\d+)\)", file.read_text(encoding="utf-8"))}
    assert cited == set(range(1, len(labels) + 1)), "every equation is cited where it is computed, and no other"


@pytest.mark.parametrize("name", ["tour", "tour-impact"])
def test_the_tours_stop_at_functions_that_exist(name):
    """Every stop of a tour is a link to a file, with the name of a function or class in it."""
    page = ROOT / "docs" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    stops = re.findall(r"\[`([\w.]+)`\]\((\.\./src/\S+?)\)", text)
    assert len(re.findall(r"^\*\*\d+\. ", text, re.MULTILINE)) == 10 and len(stops) >= 10
    for name, file in stops:
        source = (page.parent / file).read_text(encoding="utf-8")
        if file.endswith(".js"):
            assert re.search(rf"^{re.escape(name)} = function", source, re.MULTILINE), (name, file)
            continue
        body = ast.parse(source).body
        for part in name.split("."):
            found = [x for x in body if isinstance(x, ast.FunctionDef | ast.ClassDef) and x.name == part]
            assert found, (name, file)
            body = found[0].body
