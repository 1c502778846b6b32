"""The gallery: every example is run while the pages are built, and gets a page with its picture, moving drawing, output, script and file.

Pages are written to docs/gallery/ before Sphinx reads it.  An example is run again only if it or the package has changed.
"""

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "gallery"
RUNS = ROOT / "docs" / "_build" / "examples"
FILES = ROOT / "src" / "dalembert" / "machines"
PARTS = {
    "machines": (
        "Machines",
        "Machines people know, each with a number that can be checked by hand, and a model file to change.",
    ),
    ".": ("Step by step", "One idea each, from a pendulum to rolling bicycles."),
    "sources": (
        "Worked examples of the sources",
        "Every worked example of the five texts that the theory comes from, with their numbers; misprints are in the errata.",
    ),
}
# words of file names as they are written
SPELLED = {
    "pid slider": "slider with a PID controller", "fb4 gallery": "one four-bar in five ways", "four bar": "four-bar", "slider crank": "slider-crank",
    "free body": "free-body", "stick slip": "stick-slip",
}  # fmt: skip
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Example:
    """A script with what its run left."""

    script: Path
    part: str

    @property
    def name(self) -> str:
        """File name without ending."""
        return self.script.stem

    @property
    def title(self) -> str:
        """As its model file is called, else the name of the script in words; of a worked example with its place in the texts."""
        if self.file.exists():
            return self.file.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ").split(":")[0]
        words = re.sub(r"^[a-z]?\d+_", "", self.name).replace("_", " ")
        for short, written in SPELLED.items():
            words = re.sub(rf"\b{short}\b", written, words)
        place = re.search(r"\(([A-Z]+)[ ,)]", self.about) if self.part == "sources" else None
        return words[0].upper() + words[1:] + (f" – {place[1]}" if place else "")

    @property
    def about(self) -> str:
        """The text that opens the script."""
        return ast.get_docstring(ast.parse(self.script.read_text(encoding="utf-8"))) or ""

    @property
    def folder(self) -> Path:
        """Where it was run."""
        return RUNS / self.name

    @property
    def file(self) -> Path:
        """The same machine as a model file, if there is one."""
        return FILES / f"{self.name.replace('_', '-')}.toml"

    @property
    def picture(self) -> Path:
        """What it drew."""
        return self.folder / "out" / f"{self.name}.png"


def found() -> list[Example]:
    """All examples, machines first."""
    return [Example(x, part) for part in PARTS for x in sorted((ROOT / "examples" / part).glob("*.py"))]


def run(example: Example, package: str) -> str:
    """Run an example unless nothing has changed since; the reason if it fails."""
    key = hashlib.sha256((package + example.script.read_text(encoding="utf-8")).encode()).hexdigest()
    mark = example.folder / "key"
    if mark.exists() and mark.read_text() == key:
        return ""
    shutil.rmtree(example.folder, ignore_errors=True)
    runner = Path(__file__).with_name("run_example.py")
    done = subprocess.run(
        [sys.executable, str(runner), str(example.script), str(example.folder)],
        capture_output=True, text=True, env={**os.environ, "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    if done.returncode or not example.picture.exists():
        return f"{example.script.name}: {done.stderr.strip()[-800:] or 'no picture out/' + example.picture.name}"
    mark.write_text(key)
    return ""


def write(example: Example) -> None:
    """Page of one example."""
    shutil.copy(example.picture, PAGES / f"{example.name}.png")
    script, output = example.script.read_text(encoding="utf-8"), (example.folder / "output.txt").read_text("utf-8")
    lines = [
        f"# {example.title}", "", example.about, "", f"![{example.title}]({example.name}.png)", "",
        f'<p><a href="{example.name}-page.html">The page of this run</a>, as <code>da.show(run)</code> writes it:</p>',
        f'<iframe class="run" src="{example.name}-page.html" loading="lazy" title="{example.title}, moving"></iframe>', "",
        "## What it prints", "", "````text", output.rstrip("\n"), "````", "",
        f"## The script `{example.script.relative_to(ROOT).as_posix()}`", "", "````python", script.rstrip("\n"), "````", "",
    ]  # fmt: skip
    if example.file.exists():
        lines += [
            f"## The model file `{example.file.name}`", "",
            f"`dalembert new {example.file.stem}` writes it into your folder, `dalembert run {example.file.name}` runs it.", "",
            "````toml", example.file.read_text(encoding="utf-8").rstrip("\n"), "````", "",
        ]  # fmt: skip
    (PAGES / f"{example.name}.md").write_text("\n".join(lines), encoding="utf-8")


def index(examples: list[Example]) -> str:
    """Page with all pictures."""
    lines = ["# Gallery", ""]
    for part, (title, about) in PARTS.items():
        lines += [f"## {title}", "", about, "", '<div class="gallery">']
        for x in examples:
            if x.part == part:
                short = x.about.split("\n\n")[0].replace("\n", " ").replace('"', "&quot;")
                lines.append(
                    f'<a href="{x.name}.html" title="{short}"><img src="../_images/{x.name}.png" alt="" loading="lazy"><span>{x.title}</span></a>'
                )
        lines += ["</div>", ""]
    lines += ["```{toctree}", ":hidden:", "", *(x.name for x in examples), "```", ""]
    return "\n".join(lines)


def build(app: Sphinx) -> None:
    """Run what has changed, write the pages."""
    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir()
    sources = [p for p in sorted((ROOT / "src").rglob("*")) if p.suffix in (".py", ".js", ".css", ".html")]
    package = hashlib.sha256(b"".join(p.read_bytes() for p in sources)).hexdigest()
    examples = found()
    # the first run compiles, if anything must be compiled; the others find it done
    failures = [run(examples[0], package)]
    with ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as pool:
        for k, failure in enumerate(pool.map(lambda x: run(x, package), examples)):
            failures.append(failure)
            log.info("example %d of %d: %s", k + 1, len(examples), examples[k].name)
    if any(failures):
        raise ExtensionError("examples failed:\n" + "\n".join(dict.fromkeys(x for x in failures if x)))
    for example in examples:
        write(example)
    (PAGES / "index.md").write_text(index(examples), encoding="utf-8")


def copy_pages(app: Sphinx, error: Exception | None) -> None:
    """The moving drawings beside the pages."""
    if error is None and app.builder.format == "html":
        for example in found():
            shutil.copy(example.folder / "page.html", Path(app.outdir) / "gallery" / f"{example.name}-page.html")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", build)
    app.connect("build-finished", copy_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
