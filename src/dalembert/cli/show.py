"""dalembert show: the page of a result or of a model file."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import Any

import click

from ..errors import MethodError, nearest
from ..options.tables import MOTIONS
from .shared.folder import new_file
from .shared.machine import answer


@click.command(epilog="Example:  dalembert show slider-crank-results")
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--page", metavar="FILE", type=click.Path(path_type=Path), help="Write the page there; a new file.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it is there already.")
@click.option("--open/--no-open", "opened", default=True, help="Open it in the browser (default) or only write it.")
@click.option(
    "--units", metavar="UNITS", help="Units of the page: 'mm, kN, deg, rpm', or SI. Default: those of the file."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def command(result: Path, page: Path | None, overwrite: bool, opened: bool, units: str | None, as_json: bool) -> None:
    """Open the page with the machine moving.

    RESULT is a folder written by `dalembert run`, a model file (which is run first), or a file .npz (plots only: it holds numbers, not
    shapes).
    """
    from ..viewer.show import show

    target = None if page is None else page if page.suffix else page.with_suffix(".html")
    if target is not None and target.exists() and not overwrite:
        found, do = "it is there already", "give another name, or --overwrite"
        raise MethodError(f"--page {target}", found, "files are not overwritten", do) from FileExistsError(str(target))
    ready = result / "page.html"
    if target is None and not (units is None and ready.is_file()):
        written = show(_motion(result), open=opened, units=units)
    else:
        written = ready if target is None else _write(result, target, overwrite, units)
        if opened:
            webbrowser.open(written.resolve().as_uri())
    answer(as_json, f"page: {written}", page=str(written))


def _write(result: Path, target: Path, overwrite: bool, units: str | None) -> Path:
    """Write the page; the name may have been taken by someone else since it was looked at."""
    from ..viewer.show import show

    with tempfile.TemporaryDirectory() as folder:
        made = show(_motion(result), Path(folder) / "page.html", open=False, units=units)
        new_file(target, made.read_text(encoding="utf-8"), overwrite)
    return target


def _motion(result: Path) -> Any:
    """What the page of a file or folder shows: the motion that it asks for, else the answer to its last question, else a motion."""
    from ..io import read_file
    from ..results.saved import load
    from .shared.job import model_path
    from .shared.perform import pages_of, perform

    model = model_path(result)
    if not model.exists() and not model.with_name(f"{model.name}.npz").exists():
        around = list(model.parent.iterdir()) if model.parent.is_dir() else []
        near = [p.name for p in around if p.suffix in (".toml", ".json", ".npz") or (p / "summary.json").is_file()]
        why, do = f"beside it, {nearest(result.name, sorted(near))}", "check the path"
        raise MethodError(f"show {result}", "no such file or folder", why, do) from FileNotFoundError(str(result))
    if model.is_dir():
        found, why = "no model.toml in this folder", "it holds no results of dalembert run"
        raise MethodError(f"show {result}", found, why, "give another") from FileNotFoundError(str(result))
    if model.suffix.lower() not in (".toml", ".json"):
        return load(model)
    file = read_file(model)
    moving = [verb for verb in file.analyses if verb in MOTIONS]
    verb = (moving or list(file.analyses) or ["simulate"])[-1]
    return pages_of([perform(verb, file.model, file.analyses.get(verb, {}))], file.model)[0]
