"""What the README shows works with what `make run` installs, and is what is printed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]

# the commands of the README in one process that cannot import what only developers have
SCRIPT = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ImportError(name)
sys.meta_path.insert(0, Blocked())
from dalembert.cli.main import main
for line in {lines!r}:
    try:
        main(line)
    except SystemExit as left:
        assert left.code == 0, line
import dalembert as da
m = da.read_model("slider-crank.toml")
da.simulate(m, until=0.1).draw(path="crank.svg")
"""


def _packages(extra: str) -> set[str]:
    return {re.match(r"[\w-]+", text)[0] for text in EXTRAS[extra]}


def test_make_run_installs_what_users_need():
    assert _packages("user") == _packages("plot") | _packages("symbolic")
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert (
        re.search(r"^run: \$\(VENV\)/user\.stamp", make, re.MULTILINE)
        and "$(VENV)/user.stamp $(VENV)/dev.stamp" in make
    )


def test_commands_of_the_readme(tmp_path):
    shown = re.findall(r"^dalembert (.*?)\s*(?:#.*)?$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    lines = [shlex.split(line) for line in shown]
    assert {line[0] for line in lines} >= {"new", "run", "show", "dynamics", "reactions", "equations", "studio"}
    lines = [line for line in lines if line[0] != "studio"]
    lines = [[*line, "--no-open"] if line[0] == "show" else line for line in lines]
    blocked = (_packages("dev") | _packages("docs") | _packages("tables")) - _packages("user")
    script = SCRIPT.format(blocked=sorted(blocked), lines=lines)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "crank.svg").exists() and (tmp_path / "slider-crank-results" / "page.html").exists()


NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]\d+)?")


def test_the_audit_of_the_readme_is_the_one_printed():
    """Numbers of the audit depend on the machine: below 1e-8 all of them, counts of steps by a third, words not at all."""
    from tests.test_docs import blocks

    (code, said), *_ = [
        (a[1], b[1])
        for a, b in zip(blocks(ROOT / "README.md"), blocks(ROOT / "README.md")[1:])
        if (a[0], b[0]) == ("python", "output")
    ]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=1200)
    shown, printed = said.strip().splitlines(), done.stdout.strip().splitlines()
    assert len(shown) == len(printed)
    for a, b in zip(shown[-7:], printed[-7:]):
        assert NUMBER.sub("#", a) == NUMBER.sub("#", b)
        for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
            milliseconds = " ms" in a and "." in x
            tiny, limit = float(x) < 1e-6, 100 * max(float(x), 1e-8)
            assert milliseconds or (float(y) <= limit if tiny else abs(float(x) - float(y)) <= 0.34 * float(x) + 4), (
                a,
                b,
            )
