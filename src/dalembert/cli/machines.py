"""dalembert new, dalembert examples: machines that come with the package, model files whose first line describes them."""

from __future__ import annotations

import json
import shlex
import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from ..errors import nearest
from ..io.files import FILES_ARE, SUFFIXES
from .shared.failures import WrongUse
from .shared.folder import new_file
from .shared.machine import answer


def _folder() -> Traversable:
    return files("dalembert") / "machines"


def machines() -> dict[str, str]:
    """One-line descriptions by name."""
    found = {}
    for file in sorted(_folder().iterdir(), key=lambda item: item.name):
        if file.name.endswith(".toml"):
            first = file.read_text(encoding="utf-8").partition("\n")[0]
            found[file.name.removesuffix(".toml")] = first.lstrip("# ").strip()
    return found


def described() -> str:
    """Menu: names and descriptions."""
    found = machines()
    width = max((len(name) for name in found), default=0)
    return "\n".join(f"  {name:{width}}  {text}" for name, text in found.items())


def text_of(machine: str) -> str:
    """File of a machine."""
    known = machines()
    name = machine.removesuffix(".toml")
    if name not in known:
        why = f"there is no such file in the package; {nearest(machine, known, 40)}"
        raise WrongUse(f"machine {machine!r}", "an unknown name", why, "dalembert new prints the menu")
    return (_folder() / f"{name}.toml").read_text(encoding="utf-8")


def copy(text: str, target: Path) -> Path:
    """Write a new file, whole or not at all, as TOML or, without its comments, as JSON; an existing one is refused."""
    target = target if target.suffix else target.with_suffix(".toml")
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        do = f"name it like {target.with_suffix('.toml').name!r}"
        raise WrongUse(f"file {str(target)!r}", f"a file that ends in {target.suffix!r}", FILES_ARE, do)
    as_json = suffix == ".json"
    new_file(target, json.dumps(tomllib.loads(text), indent=2, ensure_ascii=False) + "\n" if as_json else text)
    return target


# -- commands ----------------------------------------------------------------------------------------------------------


def _begun(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in machines() if name.startswith(incomplete)]


@click.command("new", epilog="Example:  dalembert new slider-crank engine.toml")
@click.argument("machine", required=False, shell_complete=_begun)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def new(machine: str | None, file: Path | None, as_json: bool) -> None:
    """Write a starter file of MACHINE; without it, print the menu.

    FILE is the name of the new file (default: that of the machine).  A file that is there already is left alone.
    """
    if machine is None:
        text = f"Machines to begin with:\n\n{described()}\n\nWrite one:  dalembert new slider-crank"
        answer(as_json, text, machines=machines())
        return
    written = copy(text_of(machine), file or Path(machine).with_suffix(".toml"))
    text = f"written: {written}\nnext:    dalembert run {shlex.quote(str(written))}"
    answer(as_json, text, file=str(written))


@click.group("examples", invoke_without_command=True, epilog="Example:  dalembert examples copy machines")
@click.pass_context
def examples(ctx: click.Context) -> None:
    """List the machines that come with the package; `copy` writes their files into a folder."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(listed)


@examples.command("list", epilog="Example:  dalembert examples list --json")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def listed(as_json: bool = False) -> None:
    """List the machines."""
    answer(as_json, described(), machines=machines())


@examples.command("copy", epilog="Example:  dalembert examples copy machines slider-crank")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("names", metavar="[MACHINES]...", nargs=-1)
def copied(folder: Path, names: tuple[str, ...]) -> None:
    """Copy the files of MACHINES (default: all) into FOLDER; files that are there already are left alone."""
    texts = {name: text_of(name) for name in names or machines()}
    for name, text in texts.items():
        click.echo(f"written: {copy(text, folder / f'{name}.toml')}")
