"""dalembert examples: the machines that come with the package."""

from __future__ import annotations

from pathlib import Path

import click

from .shared.machine import dump


@click.group(invoke_without_command=True, epilog="Example:  dalembert examples copy machines")
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the machines that come with the package; `copy` writes their files into a folder."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(listed)


@command.command("list", epilog="Example:  dalembert examples list --json")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def listed(as_json: bool = False) -> None:
    """List the machines."""
    from .shared.machines import described, machines

    click.echo(dump({"status": "ok", "exit": 0, "machines": machines()}) if as_json else described())


@command.command("copy", epilog="Example:  dalembert examples copy machines slider-crank")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("machines", nargs=-1)
def copied(folder: Path, machines: tuple[str, ...]) -> None:
    """Copy the files of MACHINES (default: all) into FOLDER; files that are there already are left alone."""
    from .shared import machines as known

    texts = {name: known.text_of(name) for name in machines or known.machines()}
    for name, text in texts.items():
        click.echo(f"written: {known.copy(text, folder / f'{name}.toml')}")
