"""A command about a model file: FILE, --set, --out, --overwrite, --page, --json, and what they have in common."""

from __future__ import annotations

import functools
import shlex
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ... import __version__
from ...errors import DalembertError, MethodError
from ...options.tables import DRIVEN
from . import exits
from .folder import FORMAT, SUMMARY, check_target, free_name, whole_folder
from .machine import dump

if TYPE_CHECKING:
    from ...io import ModelFile
    from ...model.lagrangian import Lagrangian
    from ...model.mechanism import Mechanism
    from .outcome import Outcome


_PATH = click.Path(path_type=Path)
_UNITS = "Units of reports, CSV and page: 'mm, kN, deg, rpm', or SI. Default: those of the file."


def about_a_model(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command FILE and the options of all analyses; it is called with a `Job` in their place."""

    @click.argument("file", type=_PATH)
    @click.option(
        "--set", "given", metavar="NAME=VALUE", multiple=True, shell_complete=parameters_of,
        help="Another value for a parameter of the file, in SI units or with a unit: --set r=0.25, --set r='250 mm'. May be repeated.",
    )  # fmt: skip
    @click.option("--out", metavar="FOLDER", type=_PATH, help="Write results, report and model there.")
    @click.option("--overwrite", is_flag=True, help="Replace FOLDER if it holds earlier results.")
    @click.option("--page", is_flag=True, help="Write the page with the machine moving (page.html), too.")
    @click.option("--units", metavar="UNITS", help=_UNITS)
    @click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of a report.")
    @functools.wraps(function)
    def command(
        file: Path, given: tuple[str, ...], out: Path | None, overwrite: bool, page: bool, units: str | None, as_json: bool,
        **options: Any,
    ) -> None:  # fmt: skip
        function(Job(file, given, out, overwrite, page, as_json, units), **options)

    return command


def parameters_of(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Parameters of the file, for completion in shells."""
    try:
        # an option that still waits for its value leaves the file among the words that were not read
        file = ctx.params.get("file") or next(word for word in ctx.args if word.endswith(".toml"))
        data = tomllib.loads(Path(file).read_text(encoding="utf-8"))
        return [f"{name}=" for name in data.get("parameters", {}) if name.startswith(incomplete)]
    except (OSError, ValueError, TypeError, AttributeError, StopIteration, RecursionError, MemoryError):
        return []


class Job:
    """What a command was given, and where its answer goes."""

    def __init__(
        self, path: Path, given: Iterable[str], out: Path | None, overwrite: bool, page: bool, as_json: bool,
        units: str | None = None,
    ) -> None:  # fmt: skip
        self.path, self.overwrite, self.page, self.as_json = model_path(path), overwrite, page, as_json
        self.parameters, self.units = pairs("--set", given, "r=0.25"), units
        self.out, self.named = out, out is not None  # the folder, and whether it was given or may have any free name
        self.kept: list[str] = []  # files of others in a folder that was replaced
        self.asked: dict[str, dict[str, Any]] = {}  # analyses other than those of the file, for the copy of the model
        self.begun = time.perf_counter()
        self.command = click.get_current_context().info_name or ""
        if out is not None:
            check_target(out, overwrite)

    @functools.cached_property
    def file(self) -> ModelFile:
        """The model file, read."""
        from ...io import read_file
        from .failures import WrongUse

        try:
            file = read_file(self.path, self.parameters)
            if self.units is not None:
                file.model.units = self.units
            return file
        except MethodError as error:
            # the name of the file or a value of --set does not fit
            raise error if exits.code_of(error) == exits.FILES else WrongUse(*error.args) from None

    @property
    def model(self) -> Mechanism | Lagrangian:
        """The model."""
        return self.file.model

    def options(self, verb: str, **given: Any) -> dict[str, Any]:
        """Options of an analysis: those of the command line before those of the file; a driven motion has the end of [simulate] too."""
        asked = {name: x for name, x in given.items() if x is not None}
        own = self.file.analyses.get(verb, {})
        if verb in DRIVEN and "times" not in asked and (asked or verb not in self.file.analyses):
            known = self.file.analyses.get("simulate", {})
            # a list of outputs of [simulate] belongs to its own end
            end = {key: known[key] for key in ("until", "output") if isinstance(known.get(key), float | int)}
            own = {name: x for name, x in {**end, **own}.items() if name != "times"}
        return {**own, **asked}

    def answer(self, verb: str, **given: Any) -> None:
        """Do one analysis and give its answer."""
        from .perform import perform

        self.asked[verb] = self.options(verb, **given)
        self.finish([perform(verb, self.model, self.asked[verb])])

    def finish(self, outcomes: list[Outcome], error: BaseException | None = None) -> None:
        """Print and write what came out, then leave with the exit code.  `error` stopped the work after these outcomes."""
        from .doctor import bare_speeds
        from .failures import data_of, text_of

        code = exits.code_of(error) if error is not None else max((o.code for o in outcomes), default=exits.OK)
        early = next((o.error for o in outcomes if o.error is not None), None)
        written: dict[str, Path] = {}
        if self.out is not None or self.page:
            written, wrong = self._write(outcomes, code, error or early)
            if error is None and early is None and wrong is not None:
                error, code = wrong, exits.code_of(wrong)
        told = error or early
        if self.as_json:
            data = {**self._about(outcomes, code), "files": {name: str(path) for name, path in written.items()}}
            data |= {"kept": self.kept} if self.kept else {}
            click.echo(dump(data | ({} if told is None else {"error": data_of(told)})))
        else:
            self._print(outcomes, written)
        if not any(one.verb == "check" for one in outcomes):  # which says it itself
            for text in bare_speeds(self.model):
                click.echo(f"note: {text}", err=True)
        if told is not None:
            click.echo(text_of(told), err=True)
        elif code == exits.INTERRUPTED:
            click.echo("interrupted: what was computed until then is kept", err=True)
        raise click.exceptions.Exit(code)

    # -- printing ------------------------------------------------------------------------------------------------------

    def _print(self, outcomes: list[Outcome], written: Mapping[str, Path]) -> None:
        click.echo(f"{described(self.model)}\n")
        several = len(outcomes) > 1
        wide = max((len(o.verb) for o in outcomes), default=0)
        for k, one in enumerate(outcomes):
            if several:
                click.echo(f"{one.verb:{wide}}  {one.headline}")
            if not several or not one.brief:
                click.echo(f"\n{one.text}" if several else one.text)
                if several and k + 1 < len(outcomes):
                    click.echo()
        if written:
            folder = next(iter(written.values())).parent
            click.echo(f"\nwritten to {folder}: {', '.join(written)}")
            if self.kept:
                click.echo(f"kept in {folder}, not written by dalembert: {', '.join(self.kept)}")
            if any(o.page is not None for o in outcomes) or "page.html" in written:
                see = "see it move" if any(o.run is not None for o in outcomes) else "see it"
                click.echo(f"{see}: dalembert show {shlex.quote(str(folder))}")

    def _about(self, outcomes: list[Outcome], code: int) -> dict[str, Any]:
        """What programs read: the keys are documented in docs/command-line.md."""
        model, status = self.model, exits.STATUS.get(code, "error")
        return {
            "version": __version__, "command": self.command, "file": str(self.path), "model": model.name, "kind": model.kind,
            "parameters": dict(model.parameters), "status": status, "exit": code,
            "seconds": time.perf_counter() - self.begun,
            "answers": {o.verb: {"headline": o.headline, "exit": o.code, **o.data} for o in outcomes},
        }  # fmt: skip

    # -- files ---------------------------------------------------------------------------------------------------------

    def _write(
        self, outcomes: list[Outcome], code: int, error: BaseException | None
    ) -> tuple[dict[str, Path], DalembertError | None]:
        """Write everything into the output folder; return the files by name, and an error if something is not where it was asked for."""
        from .failures import data_of, text_of
        from .perform import pages_of

        target = self.out if self.out is not None else free_name(Path(f"{self.path.stem}-results"))
        wrong: DalembertError | None = None
        with whole_folder(target, self.overwrite) as new:
            folder = new.inside
            for one in outcomes:
                if one.run is not None and len(one.run.t):
                    one.run.save(folder / f"{one.verb}.npz")
                    one.run.to_csv(folder / f"{one.verb}.csv")
                for name, text in one.files.items():
                    (folder / name).write_text(text, encoding="utf-8")
            if self.page:
                from ...viewer.show import show

                # page.html, and page-2.html … where there are several
                try:
                    for k, about in enumerate(pages_of(outcomes, self.model), 1):
                        show(about, folder / ("page.html" if k == 1 else f"page-{k}.html"), open=False)
                except DalembertError as refused:
                    wrong = refused
            self._write_model(folder)
            report = [described(self.model)]
            for o in outcomes:
                report += [f"== {o.verb}: {o.headline}", *([] if o.error is None else [text_of(o.error)]), o.text]
            (folder / "report.txt").write_text("\n\n".join(report) + "\n", encoding="utf-8")
            names = [*sorted(path.name for path in folder.iterdir()), SUMMARY]
            summary = {"format": FORMAT, **self._about(outcomes, code), "files": names}
            if error is not None:
                summary["error"] = data_of(error)
            (folder / SUMMARY).write_text(f"{dump(summary)}\n", encoding="utf-8")
        self.kept = new.kept
        if new.target != target and self.named:
            do = f"look into {new.target}: the results of this run are there"
            wrong = MethodError(f"--out {target}", new.why, "results are not overwritten", do)
            wrong.__cause__ = FileExistsError(str(target))
        return {name: new.target / name for name in names}, wrong

    def _write_model(self, folder: Path) -> None:
        """The model as it was run, with the values that were set and the analyses that were asked for; else the file as it is."""
        name = f"model{self.path.suffix.lower()}"
        asked = self.asked or self.file.analyses
        changed = self.parameters or self.units is not None or asked != self.file.analyses
        if not changed and not self.file.tables:  # tables in files of their own are written into the model
            (folder / name).write_bytes(self.path.read_bytes())
            return
        from ...io import write_model

        write_model(self.model, folder / name, asked)


def model_path(path: Path) -> Path:
    """Model file that is meant: the ending may be left out, and a folder of results stands for the model in it."""
    if path.is_dir():
        found = [path / f"model{suffix}" for suffix in (".toml", ".json")]
    else:
        found = [] if path.suffix else [path.with_suffix(".toml"), path.with_suffix(".json")]
    return next((file for file in found if file.is_file()), path)


def pairs(option: str, given: Iterable[str], example: str) -> dict[str, str]:
    """Names and values of an option that takes NAME=VALUE."""
    made: dict[str, str] = {}
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        wrong = "" if name and equals and value else f"NAME=VALUE is needed, as in {option} {example}"
        wrong = wrong or (f"{name!r} is given twice" if name in made else "")
        if wrong:
            raise click.UsageError(f"{option} {text!r}: {wrong}", click.get_current_context(silent=True))
        made[name] = value
    return made


def described(model: Mechanism | Lagrangian) -> str:
    """What a model is, in a line."""
    return str(repr(model)).strip("<>")
